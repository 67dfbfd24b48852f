import asyncio
import base64
import io
import json
import re
import shutil
import subprocess
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import v4
from PIL import Image, PngImagePlugin
from tornado.websocket import websocket_connect

from wmtlib.study import report, scoreboard
from wmtlib.study.report import Figure, Page, Section, mathml

ATTACK = "<script>alert(1)</script>"
PIXEL = base64.encodebytes(  # a PNG of one white pixel, in lines as Jupyter writes them
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
        "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
    )
).decode()
PROSE = f"""# A study

The share is $p = \\frac{{a}}{{b}}$ where $a < b$; `$HOME` costs $5 or $6.

$$\\sum_{{i=1}}^n w_i$$

| system | wins |
|:--|--:|
| uedin | 3 |

{ATTACK} [the other](../elsewhere/second.ipynb#A-study) [lost](../data/x.csv) [web](https://example.org)
![remote](https://example.org/pixel.png) [here](#A-study)

```
$$not math$$
```
"""
CELLS = {  # what the first and the second notebook save
    "first.ipynb": 'plots.save(fig, "lopez2012-table-1", source=data, caption="")',
    "second.ipynb": 'plots.save(fig, f"task/{campaign}-{task}", source=data, caption="")',
}
RANKING = " > ".join(f"system-{k}" for k in range(24))


class Elements(HTMLParser):
    """Tags and attributes of a page, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def write_notebook(path: Path, *outputs: nbformat.NotebookNode, run: int | None = 1) -> Path:
    source = f"x = '{ATTACK}'\n{CELLS[path.name]}"
    code = v4.new_code_cell(source, outputs=list(outputs), execution_count=run)
    cells = [v4.new_markdown_cell(PROSE), code]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    nbformat.write(v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture
def pages(tmp_path):
    frame = pd.DataFrame({"system": ["uedin", "jhu"], "score": [0.5, -1.25]})
    html = f"<style scoped>td {{}}</style>{frame.to_html()}<script>alert(2)</script>"
    outputs = [
        v4.new_output("stream", text=f"\x1b[31mred\x1b[0m {ATTACK}\n"),
        v4.new_output("execute_result", {"text/html": html, "text/plain": "a frame"}),
        v4.new_output("display_data", {"image/png": PIXEL, "text/plain": "<Figure>"}),
        v4.new_output("execute_result", {"text/plain": ATTACK}),
    ]
    first = write_notebook(tmp_path / "first.ipynb", *outputs)
    second = write_notebook(tmp_path / "second.ipynb")
    return [
        Page(first, "10-first", "First & foremost", "Papers"),
        Page(second, "11-second", "A study", "Tasks"),
    ]


@pytest.fixture
def board():
    rows = [
        ("2010 <b>cs-en</b>", "0.50", "0.50", "exact", ""),
        ("ranking", RANKING, RANKING[:-2], "known-difference", f"a reason {ATTACK}"),
        ("cost", "7", None, "not-checkable", "no data"),
        ("claim", "MFAS is better", "partly", "holds-partly", "yes: in one; in two; no: in all"),
        ("count", "3/18", "2/16", "consistent", "between 2/18 and 4/18: absent are en-de, de-en"),
        ("first", "1", "2", "known-difference", "the two are swapped"),
        ("second", "2", "1", "known-difference", "the two are swapped"),
    ]
    table = pd.DataFrame(rows, columns=scoreboard.SCOREBOARD[2:7])
    table = table.assign(paper="lopez2012", item="table-1", source="raw", signature="sha:12")
    return table[scoreboard.SCOREBOARD]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "build" / "report"


def png(text: dict[str, str], size: tuple[int, int] = (40, 20)) -> bytes:
    about = PngImagePlugin.PngInfo()
    for key, value in text.items():
        about.add_itxt(key, value)
    Image.effect_noise(size, 90).convert("RGBA").save(file := io.BytesIO(), "PNG", pnginfo=about)
    return file.getvalue()


@pytest.fixture
def figures(tmp_path):
    folder = tmp_path / "figures"
    (folder / "task").mkdir(parents=True)
    for name in ("lopez2012-table-1", "task/wmt10-fr-en", "stray"):
        text = {"Description": f"What {name} shows: {ATTACK}", "Source": f"{name}|data=raw:12"}
        (folder / f"{name}.png").write_bytes(png({} if name == "stray" else text))
    (folder / ".partial.png").write_bytes(b"being written")
    return folder


@pytest.fixture
def built(pages, board, folder, figures):
    index = report.build(pages, board, about={"Data": "raw <12>"}, folder=folder, figures=figures)
    assert index == folder / "index.html"
    return folder


def test_pages_are_complete_documents(built):
    assert sorted(p.name for p in built.iterdir()) == [
        "10-first.html",
        "11-second.html",
        "index.html",
    ]
    for path in built.iterdir():
        page = Elements(path)
        assert path.read_text().startswith("<!DOCTYPE html>")
        assert page.all("html") == [{"lang": "en"}]
        assert [len(page.all(tag)) for tag in ("title", "main", "nav", "h1")] == [1, 1, 1, 1]
        assert any(meta.get("name") == "viewport" for meta in page.all("meta"))
        assert {"class": "skip", "href": "#content"} in page.all("a")
        assert all(th.get("scope") for th in page.all("th"))
        assert all(img["alt"] for img in page.all("img"))


def test_every_link_resolves(built):
    identifiers = {
        path.name: [a["id"] for _, a in Elements(path).tags if "id" in a]
        for path in built.iterdir()
    }
    for path in built.iterdir():
        assert len(identifiers[path.name]) == len(set(identifiers[path.name]))
        for link in Elements(path).all("a"):
            name, _, fragment = link["href"].partition("#")
            if not name.startswith("https:"):
                assert name in ("", *identifiers), link
                assert not fragment or fragment in identifiers[name or path.name], link


def test_nothing_is_requested(built):
    for path in built.iterdir():
        page = Elements(path)
        policy = [m["content"] for m in page.all("meta") if "http-equiv" in m]
        assert policy[0].startswith("default-src 'none'; img-src data:")
        for tag, attributes in page.tags:
            assert tag not in ("link", "iframe", "object", "base")
            assert (attributes.get("src") or "data:").startswith("data:")
            assert tag == "a" or "href" not in attributes
        assert "@import" not in path.read_text()
        assert "url(" not in path.read_text()


def test_scoreboard_is_whole(built, board):
    page = Elements(built / "index.html")
    assert len([row for row in page.all("tr") if "data-status" in row]) == len(board)
    for cell in board.fillna("").to_numpy().ravel():
        assert cell.replace("-", " ") in page.text.replace("-", " ")
    summary = " ".join(page.text.split())
    assert (
        "Lopez (2012) Putting Human Assessments of Machine Translation Systems in Order"
        " 6 published numbers, rankings and lists: 1 exact, 1 consistent, 3 known differences,"
        " 1 not checkable, 0 unexplained 1 claim of the prose: 1 holds partly" in summary
    )
    assert "raw <12>" in page.text
    assert page.text.count(RANKING) == 1
    options = [option["value"] for option in page.all("option")]
    assert options[:3] == ["", "lopez2012", ""]
    assert options[3:] == sorted(set(board["status"]))
    assert "nan" not in page.text.lower().split()


def test_differences_are_told(built):
    text = " ".join(Elements(built / "index.html").text.split())
    for sentence in (
        "3 values differ from print, for known reasons.",
        "Table 1, first (1 in print, 2 here); second (2 in print, 1 here). The two are swapped.",
        "1 claim holds in part",
        "claim: the paper says “MFAS is better”, we find partly."
        " Came out: in one; in two. Did not: in all.",
        "1 count rests on cases of which some are absent here",
        "count (3/18 in print, 2/16 here). Between 2/18 and 4/18: absent are en-de, de-en.",
        "1 value cannot be checked here. Table 1, cost (7 in print). No data.",
    ):
        assert sentence in text


def test_what_came_out_is_not_told(pages, board, folder):
    index = report.build(pages, board[:1], about={}, folder=folder)
    assert "Everything came out as printed." in Elements(index).text


def test_a_reason_of_many_rows_is_told_once(pages, board, folder):
    rows = [board[2:3].assign(quantity=f"number {k}") for k in range(9)]
    index = report.build(pages, pd.concat(rows), about={}, folder=folder)
    told = " ".join(Elements(index).text.split()).partition("Scoreboard Paper")[0]
    assert "number 3 (7 in print); and 5 more. No data." in told
    assert told.count("No data") == 1


def test_every_figure_is_shown(built):
    page = Elements(built / "index.html")
    captions = [image["alt"] for image in page.all("img")]
    assert captions == [
        f"What lopez2012-table-1 shows: {ATTACK}",
        f"What task/wmt10-fr-en shows: {ATTACK}",
        "stray",
    ]
    assert "task/wmt10-fr-en|data=raw:12" in page.text
    assert {image["width"] for image in page.all("img")} == {"40"}
    links = [a["href"] for a in page.all("a") if "#figure-" in a["href"]]
    assert links == [
        "10-first.html#figure-lopez2012-table-1",
        "11-second.html#figure-task/*-*",
    ]


def test_a_figure_leads_to_the_page_named_as_it_is(pages, board, folder, figures, tmp_path):
    (tmp_path / "task").mkdir()
    again = write_notebook(tmp_path / "task" / "second.ipynb")
    pages = [*pages, Page(again, "11-second-wmt10-fr-en", "French-English", "Tasks")]
    index = report.build(pages, board, about={}, folder=folder, figures=figures)
    assert 'href="11-second-wmt10-fr-en.html#figure-task/*-*"' in index.read_text()


def test_bad_figures_are_refused(pages, board, folder, figures):
    (figures / "broken.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match=r"broken\.png: not a picture"):
        report.build(pages, board, about={}, folder=folder, figures=figures)
    assert not folder.exists()


def test_large_pages_are_refused(built, pages, board, figures, monkeypatch):
    before = (built / "index.html").read_bytes()
    monkeypatch.setattr(report, "LIMIT", 10_000)
    with pytest.raises(ValueError, match=r"index\.html would have 0\.0\d MB, more than the 0\.01"):
        report.build(pages, board, about={}, folder=built, figures=figures)
    assert (built / "index.html").read_bytes() == before


def test_text_is_escaped(built):
    for path in built.iterdir():
        scripts = len(Elements(path).all("script"))
        assert scripts == (path.name == "index.html")
        assert ATTACK not in path.read_text()
    page = Elements(built / "10-first.html")
    assert page.text.count("alert(1)") == 4  # prose, code, stream, plain text
    assert "red <script>" in page.text
    assert "\x1b" not in page.text


def test_notebook_becomes_readable(built):
    page = Elements(built / "10-first.html")
    assert [math["display"] for math in page.all("math")] == ["inline", "inline", "block"]
    assert "$HOME costs $5 or $6." in page.text
    assert "$$not math$$" in page.text
    assert {
        "src": "data:image/png;base64," + PIXEL.replace("\n", ""),
        "alt": "Figure: A study",
    } in (page.all("img"))
    boxes = [div for div in page.all("div") if div.get("class") == "box"]
    assert len(boxes) == len(page.all("table")) == 2
    assert {"href": "11-second.html"} not in page.all("a")[:1]
    assert "lost" in page.text
    assert {"class": "number"} in page.all("td")
    assert "h2" not in dict(Elements(built / "11-second.html").tags)  # the title, not repeated


def test_navigation_opens_the_current_group(built):
    page = Elements(built / "11-second.html")
    assert page.all("details")[:2] == [{}, {"open": None}]
    assert {"href": "11-second.html", "aria-current": "page"} in page.all("a")
    assert {"rel": "prev", "href": "10-first.html"} in page.all("a")


def test_same_input_same_bytes(built, pages, board, figures, tmp_path):
    other = tmp_path / "again"
    report.build(pages, board, about={"Data": "raw <12>"}, folder=other, figures=figures)
    for path in built.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes()


def test_report_is_replaced_as_a_whole(built, pages, board):
    report.build(pages[:1], board, about={}, folder=built)
    assert sorted(p.name for p in built.iterdir()) == ["10-first.html", "index.html"]
    assert list(built.parent.iterdir()) == [built]


@pytest.mark.parametrize("existing", [True, False])
def test_failure_changes_nothing(existing, pages, board, folder):
    if existing:
        report.build(pages, board, about={}, folder=folder)
    before = {path: path.read_bytes() for path in folder.parent.rglob("*.html")}
    pages[1].notebook.unlink()
    with pytest.raises(ValueError, match=r"second\.ipynb: no such notebook"):
        report.build(pages, board, about={"Data": "new"}, folder=folder)
    assert {path: path.read_bytes() for path in folder.parent.rglob("*.html")} == before
    assert list(folder.parent.glob("*")) == [folder] * existing


def test_foreign_files_are_not_replaced(pages, board, folder):
    folder.mkdir(parents=True)
    (folder / "thesis.tex").touch()
    with pytest.raises(ValueError, match="holds other things than a report"):
        report.build(pages, board, about={}, folder=folder)
    assert (folder / "thesis.tex").exists()


def test_notebooks_that_did_not_run_are_refused(pages, board, folder):
    def refused(match: str) -> None:
        with pytest.raises(ValueError, match=match) as error:
            report.build(pages, board, about={}, folder=folder)
        assert "\n" not in str(error.value)

    crash = v4.new_output("error", ename="KeyError", evalue="\x1b[31m'x'\x1b[0m\nmore")
    write_notebook(pages[0].notebook, crash)
    refused(r"first\.ipynb, cell 2: KeyError: 'x'$")
    write_notebook(pages[0].notebook, run=None)
    refused("cell 2: was never run")
    for text in ("", "{}", "[]", '{"nbformat": 4, "nbformat_minor": 5}'):
        pages[0].notebook.write_text(text)
        refused(r"first\.ipynb: not a notebook")


@pytest.mark.parametrize("name", ["index", "a/b", "..", "A", "", "11-second"])
def test_bad_names_are_refused(name, pages, board, folder):
    pages[0] = Page(pages[0].notebook, name, "Title", "Group")
    with pytest.raises(ValueError, match="cannot name a page"):
        report.build(pages, board, about={}, folder=folder)


def test_bad_scoreboards_are_refused(pages, board, folder):
    with pytest.raises(ValueError, match="no column 'reason'"):
        report.build(pages, board.drop(columns="reason"), about={}, folder=folder)
    with pytest.raises(ValueError, match="status 'fine'"):
        report.build(pages, board.assign(status="fine"), about={}, folder=folder)


def test_an_empty_scoreboard_and_no_pages_make_a_report(board, folder):
    index = report.build([], board[:0], about={}, folder=folder)
    assert "0 published numbers" in " ".join(Elements(index).text.split())


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a < b", "<mo>&lt;</mo>"),
        (r"\text{<script>}", "&lt;script&gt;"),
        (r"\begin{aligned} a &= b \end{aligned}", "<mtable"),
        (r"\arg\max_x f(x)", "arg\u2009max"),
        (r"\log p", '<mspace width="0.167em" />'),
    ],
)
def test_formulas_become_mathml(latex, expected):
    result = mathml(latex, "inline")
    assert result.startswith('<span class="inline"><math ')
    assert expected in result


@pytest.mark.parametrize("latex", ["x^", r"\left( x", r"\mysterious{x}", "}{", "", "a & <b>"])
def test_other_formulas_stay_text(latex):
    result = mathml(latex, "block")
    assert result.startswith('<code class="block">')
    assert "<b>" not in result


@pytest.fixture
def own(tmp_path):
    table = pd.DataFrame({"system": [ATTACK, "x" * 300], "score": [0.123456789, None]})
    section = Section(
        f"Ranking {ATTACK}",
        text=f"By wins {ATTACK}",
        warnings=[f"one judge only {ATTACK}"],
        tables={f"All systems {ATTACK}": table, "By name": table.set_index("system")},
        figures=[Figure(png({}, (700, 300)), f"Wins {ATTACK}", f"rank|{ATTACK}")],
    )
    about = {"File": f'judgements "{ATTACK}" \udcff.csv', "Signature": "rank|wmtlib=0"}
    path = tmp_path / "new" / "report.html"
    assert report.single(f"Mine {ATTACK}", [section], path, about=about) == path
    return path


def test_a_single_page_is_complete_and_inert(own):
    page = Elements(own)
    assert list(own.parent.iterdir()) == [own]
    assert ATTACK not in own.read_text()
    assert page.text.count(ATTACK) == 11  # title twice; one attribute more
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "a", "iframe")]
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert "script-src" not in policy
    assert [image["alt"] for image in page.all("img")] == [f"Wins {ATTACK}"]
    assert "x" * 300 in page.text
    assert "0.123457" in page.text
    assert "Warning:" in page.text
    assert page.all("th")[0] == {"scope": "col"}  # the counted index is left out
    assert len([td for td in page.all("td") if td.get("class") == "number"]) == 4


def test_a_single_page_replaces_an_older_one_or_nothing(own, monkeypatch):
    report.single("Again", [], own, about={})
    before = own.read_text()
    assert Elements(own).text.split().count("Again") == 2
    monkeypatch.setattr(report, "LIMIT", 100)
    with pytest.raises(ValueError, match=r"report\.html would have"):
        report.single("More", [], own, about={})
    assert own.read_text() == before
    assert list(own.parent.iterdir()) == [own]


class Browser:
    """A tab of a headless Chromium that speaks its DevTools protocol."""

    def __init__(self, socket):
        self.socket, self.events, self.number = socket, [], 0

    async def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        await self.socket.write_message(json.dumps(message))
        while (answer := json.loads(await self.socket.read_message())).get("id") != self.number:
            self.events.append(answer)
        return answer["result"]

    async def run(self, script):
        found = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        return found["result"].get("value", found)

    async def open(self, path, width):
        """Load a page; what went wrong, and what was asked for."""
        self.events.clear()
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        await self.call("Emulation.setDeviceMetricsOverride", **size)
        await self.call("Page.navigate", url=path.as_uri())
        while not await self.run(f"location.href === '{path.as_uri()}' && {LOADED}"):
            await asyncio.sleep(0.05)
        wrong = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        problems = [e for e in self.events if e["method"] in (*wrong, "Network.loadingFailed")]
        sent = [e["params"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return problems, {p["request"]["url"] for p in sent} - {path.as_uri()}


LOADED = "document.readyState === 'complete'"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
WIDE = "document.documentElement.scrollWidth - innerWidth"
SHOWN = "[...document.querySelectorAll('#scores tbody tr')].filter((r) => r.offsetHeight).length"
BROKEN = "[...document.images].filter((i) => !i.naturalWidth).length"
LOST = """[...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash.slice(1))
    .filter((id) => !document.getElementById(decodeURIComponent(id)))"""


@pytest.fixture
def browse(tmp_path):
    """Run a coroutine that takes a `Browser`, with a profile of its own."""
    if not CHROMIUM:
        pytest.skip("needs chromium on the path")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    flags += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
    flags += ["--remote-debugging-port=0", "--remote-allow-origins=*"]
    command = [CHROMIUM, *flags, f"--user-data-dir={tmp_path / 'profile'}", "about:blank"]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **silent) as process:
        try:
            found = (re.search(r"ws://([^/]+)/", line) for line in process.stderr)
            host = next(filter(None, found))[1]
            with urllib.request.urlopen(f"http://{host}/json") as answer:
                tab = next(tab for tab in json.load(answer) if tab["type"] == "page")

            async def start(script):
                socket = await websocket_connect(tab["webSocketDebuggerUrl"])
                browser = Browser(socket)
                for domain in ("Page", "Runtime", "Log", "Network"):
                    await browser.call(f"{domain}.enable")
                try:
                    await script(browser)
                finally:
                    socket.close()
                    while await socket.read_message() is not None:
                        pass

            yield lambda script: asyncio.run(asyncio.wait_for(start(script), 60))
        finally:
            process.kill()


def test_a_browser_shows_every_page(built, own, browse):
    async def script(browser):
        for path in (*sorted(built.iterdir()), own):
            for width in (400, 1300):
                problems, requests = await browser.open(path, width)
                assert problems == []
                assert all(url.startswith("data:") for url in requests)
                assert await browser.run(WIDE) <= 0, (path, width)
                assert await browser.run(LOST) == []
                assert await browser.run(BROKEN) == 0

    browse(script)


def test_the_filters_work(built, board, browse):
    async def script(browser):
        await browser.open(built / "index.html", 1300)

        async def shown(**wanted):
            for name, value in {"paper": "", "status": "", "text": "", **wanted}.items():
                control = f"document.querySelector('#filter [name={name}]')"
                event = "new Event('input', {bubbles: true})"
                await browser.run(f"{control}.value = '{value}'; {control}.dispatchEvent({event})")
            count = await browser.run(SHOWN)
            said = await browser.run("document.querySelector('#filter output').value")
            assert said == f"{count} of {len(board)} shown"
            return count

        assert await shown() == len(board)
        assert await shown(paper="lopez2012") == len(board)
        assert await shown(status="known-difference") == 3
        assert await shown(status="known-difference", text="SWAPPED two") == 2
        assert await shown(text="no such words") == 0
        assert await shown(text="sha:12") == 0  # the signature is not searched

    browse(script)
