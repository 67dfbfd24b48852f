"""The report: complete pages that ask the network for nothing, in files and in a browser."""

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from browsing import chromium
from nbformat import v4
from PIL import Image, PngImagePlugin

from wmtlib.study import report, scoreboard
from wmtlib.study.notebook_html import mathml
from wmtlib.study.report import Figure, Page, Section

ATTACK = "<script>alert(1)</script>"
PROSE = """# A study

The share is $p = \\frac{a_b}{c_d}$ where $a < b$; `$HOME` costs $5 or $6.

$$\\sum_{i=1}^n w_i$$

[the other](11-second.ipynb#A-study)

```
$$not math$$
```
"""
RANKING = " > ".join(f"system-{k}" for k in range(24))


class Elements(HTMLParser):
    """Tags and attributes of a page, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def png(text: dict[str, str], size: tuple[int, int] = (40, 20)) -> bytes:
    about = PngImagePlugin.PngInfo()
    for key, value in text.items():
        about.add_itxt(key, value)
    Image.effect_noise(size, 90).convert("RGBA").save(file := io.BytesIO(), "PNG", pnginfo=about)
    return file.getvalue()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    frame = pd.DataFrame({"system": ["uedin", "jhu"], "score": [0.5, -1.25]})
    outputs = [
        v4.new_output("stream", text=f"\x1b[31mred\x1b[0m {ATTACK}\n"),
        v4.new_output("execute_result", {"text/html": frame.to_html(), "text/plain": "a frame"}),
        v4.new_output("execute_result", {"application/javascript": "alert(2)", "text/plain": "js"}),
    ]
    pages = []
    for name in ("10-first", "11-second"):
        code = v4.new_code_cell(f"x = '{ATTACK}'", outputs=outputs, execution_count=1, id="b")
        cells = [v4.new_markdown_cell(PROSE, id="a"), code]
        nbformat.write(v4.new_notebook(cells=cells), folder / f"{name}.ipynb")
        pages.append(Page(folder / f"{name}.ipynb", name, "First & foremost", "Papers"))
    return pages


@pytest.fixture(scope="module")
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
    table = pd.DataFrame(rows, columns=scoreboard.SCOREBOARD[3:8])
    table = table.assign(
        paper="lopez2012", id="", item="table-1", test="", source="raw", signature="sha:12"
    )
    table = table.assign(place="Table 1", provenance="table", known="", notebook="10-first")
    table["criterion"] = table["status"].map({"holds-partly": "better in all"}).fillna("")
    return table[scoreboard.SCOREBOARD]


@pytest.fixture(scope="module")
def build(pages, board, tmp_path_factory):
    """Build the report in a folder, by default with every page; gives the folder."""
    shown = tmp_path_factory.mktemp("shown")
    figures = shown / "figures"
    (figures / "lopez2012-task").mkdir(parents=True)
    for name in ("lopez2012-table-1", "lopez2012-task/wmt10-fr-en", "stray"):
        text = {"Description": f"What {name} shows: {ATTACK}", "Source": f"{name}|data=raw:12"}
        (figures / f"{name}.png").write_bytes(png({} if name == "stray" else text))
    (figures / ".partial.png").write_bytes(b"being written")
    results = shown / "results"
    results.mkdir()
    (results / "lopez2012-table-1.csv").write_text("a,b\n")

    def build(folder, board=board, pages=pages):
        about = {"Data": "raw <12>"}
        index = report.build(
            pages, board, about=about, folder=folder, figures=figures, results=results
        )
        assert index == folder / "index.html"
        return folder

    return build


@pytest.fixture(scope="module")
def built(build, tmp_path_factory):
    return build(tmp_path_factory.mktemp("build") / "report")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    table = pd.DataFrame({"system": [ATTACK, "x" * 300], "score": ["0.1235", ""]})
    section = Section(
        f"Ranking {ATTACK}",
        text=f"By wins {ATTACK}",
        warnings=[f"one judge only {ATTACK}"],
        tables={f"All systems {ATTACK}": table},
        figures=[Figure(png({}, (700, 300)), f"Wins {ATTACK}", f"rank|{ATTACK}")],
    )
    about = {"File": f'judgements "{ATTACK}" \udcff.csv', "Signature": "rank|wmtlib=0"}
    path = tmp_path_factory.mktemp("own") / "report.html"
    return report.single(f"Mine {ATTACK}", [section], path, about=about)


def test_pages_are_complete_and_request_nothing(built, own):
    files = {path.name for path in built.iterdir()}
    pages = {path.name: Elements(path) for path in built.glob("*.html")}
    assert sorted(pages) == ["10-first.html", "11-second.html", "index.html", "scoreboard.html"]
    assert files - set(pages) == {"10-first.ipynb", "11-second.ipynb", "lopez2012-table-1.csv"}
    identifiers = {name: {a["id"] for _, a in p.tags if "id" in a} for name, p in pages.items()}
    for name, page in [*pages.items(), (own.name, Elements(own))]:
        assert page.all("html") == [{"lang": "en"}]
        assert [len(page.all(tag)) for tag in ("title", "main", "h1")] == [1, 1, 1]
        policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
        assert policy.startswith("default-src 'none'; img-src data:;")
        assert len(page.all("script")) == ("script-src" in policy) == (name == "scoreboard.html")
        assert not {"link", "iframe", "object", "base"} & {tag for tag, _ in page.tags}
        assert all((a.get("src") or "data:").startswith("data:") for _, a in page.tags)
        for link in page.all("a"):
            target, _, fragment = link["href"].partition("#")
            assert target in ("", "scoreboard.csv", *files)
            assert not fragment or fragment in identifiers[target or name]
    for path in (*built.glob("*.html"), own):
        assert ATTACK not in path.read_text() and "url(" not in path.read_text()


def squeezed(page):
    return re.sub(r" (?=[.,;:”)])|(?<=[(“]) ", "", page.text)


def test_the_scoreboard_is_whole_and_links_to_notebook_and_table(built, board):
    page = Elements(built / "scoreboard.html")
    assert len([row for row in page.all("tr") if "data-status" in row]) == len(board)
    for cell in board.drop(columns="paper").fillna("").to_numpy().ravel():
        assert cell.replace("-", " ") in page.text.replace("-", " ")
    links = [link["href"] for link in page.all("a")]
    assert links.count("10-first.html") == links.count("lopez2012-table-1.csv") == len(board)


def test_the_front_page_counts_kinds_apart_and_tells_differences(built):
    text = squeezed(Elements(built / "index.html"))
    for sentence in (
        "Numbers: 1 exact 1 consistent 3 known difference 1 not checkable",
        "Claims: 1 holds partly",
        "3 not as printed, for a known reason",
        "Table 1, first (1 in print, 2 here); second (2 in print, 1 here). The two are swapped.",
        "claim: the paper says “MFAS is better”, we find partly."
        " Came out: in one; in two. Did not come out: in all.",
        "Table 1, cost (7 in print). No data.",
        "raw <12>",
    ):
        assert sentence in text


def test_a_reason_is_told_once_and_what_came_out_is_not_told(build, board, tmp_path):
    rows = [board[2:3].assign(quantity=f"number {k}") for k in range(9)]
    told = Elements(build(tmp_path / "report", pd.concat(rows)) / "index.html").text
    assert "and 5 more" in told and told.count("No data") == 1
    told = Elements(build(tmp_path / "report", board[:1]) / "index.html").text
    assert "Everything came out as printed." in told


def test_every_figure_is_shown(built):
    page = Elements(built / "index.html")
    names = ("lopez2012-table-1", "lopez2012-task/wmt10-fr-en")
    captions = [image["alt"] for image in page.all("img")]
    assert captions == [*(f"What {name} shows: {ATTACK}" for name in names), "stray"]
    assert "lopez2012-task/wmt10-fr-en|data=raw:12" in page.text
    assert {image["width"] for image in page.all("img")} == {"40"}


def test_a_notebook_becomes_a_page(built):
    page = Elements(built / "10-first.html")
    assert [math["display"] for math in page.all("math")] == ["inline", "inline", "block"]
    assert "costs $5 or $6." in page.text and "$$not math$$" in page.text
    assert {"href": "11-second.html#A-study"} in page.all("a")
    assert {"href": "10-first.html", "aria-current": "page"} in page.all("a")
    assert page.text.count("alert(1)") == 2  # code and stream
    assert "\x1b" not in page.text and "alert(2)" not in page.text


def test_same_input_same_bytes_and_an_older_report_is_replaced(build, built, pages, tmp_path):
    again = build(tmp_path / "again")
    assert all(p.read_bytes() == (again / p.name).read_bytes() for p in built.iterdir())
    assert sorted(p.name for p in build(again, pages=pages[:1]).glob("*.html")) == [
        "10-first.html",
        "index.html",
        "scoreboard.html",
    ]
    assert not (again / "11-second.ipynb").exists()


def test_large_pages_are_refused_and_the_older_stay(build, built, own, monkeypatch):
    before = {path: path.read_bytes() for path in (*built.iterdir(), own)}
    monkeypatch.setattr(report, "LIMIT", 100)
    with pytest.raises(
        ValueError, match=r"index\.html would have 0\.0\d MB, more than the 0\.0001"
    ):
        build(built)
    with pytest.raises(ValueError, match=r"report\.html would have"):
        report.single("More", [], own, about={})
    assert {path: path.read_bytes() for path in (*built.iterdir(), own)} == before


def test_a_single_page_shows_every_word_as_it_is(own):
    page = Elements(own)
    assert page.text.count(ATTACK) == 10  # the title twice; an attribute more
    assert not {"script", "a"} & {tag for tag, _ in page.tags}
    assert [image["alt"] for image in page.all("img")] == [f"Wins {ATTACK}"]
    assert "x" * 300 in page.text and "Warning:" in page.text
    assert len([td for td in page.all("td") if td.get("class") == "number"]) == 2


def test_a_heading_stands_over_the_numbers_or_the_words_of_its_column(tmp_path):
    table = pd.DataFrame({"number": ["", "1"], "note": ["", "words"]})
    section = report.Section("S", tables={"T": table})
    page = Elements(report.single("T", [section], tmp_path / "x.html", about={}))
    assert [th.get("class") for th in page.all("th")] == ["number", None]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a < b", "<mo>&lt;</mo>"),
        (r"\text{<script>}", "&lt;script&gt;"),
        (r"\begin{aligned} a &= b \end{aligned}", "<mtable"),
        (r"\arg\max_x f(x)", "arg\u2009max"),
        (r"\log p", '<mspace width="0.167em" />'),
        ("a_b * c", "&#42;"),
    ],
)
def test_formulas_become_mathml(latex, expected):
    assert expected in mathml(latex, "inline")


@pytest.mark.parametrize("latex", ["x^", r"\left( x", r"\mysterious{x}", "}{"])
def test_other_formulas_are_refused(latex):
    with pytest.raises(ValueError, match="formula"):
        mathml(latex, "block")


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def test_a_browser_shows_every_page(built, own, browser):
    page, problems = browser.new_page(), []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda r: problems.extend([r.url] * r.url.startswith("http")))
    for width in (400, 1300):
        page.set_viewport_size({"width": width, "height": 800})
        for path in (*sorted(built.glob("*.html")), own):
            page.goto(path.as_uri())
            assert problems == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
            assert page.evaluate("[...document.images].every((image) => image.naturalWidth)")


def test_the_filters_work(built, board, browser):
    page = browser.new_page()
    page.goto((built / "scoreboard.html").as_uri())

    def shown(paper="", status="", text=""):
        page.select_option("[name=paper]", paper)
        page.select_option("[name=status]", status)
        page.fill("[name=text]", text)
        count = page.locator("#scores tbody tr:visible").count()
        assert page.locator("#filter output").inner_text() == f"{count} of {len(board)} shown"
        return count

    assert shown() == shown(paper="lopez2012") == len(board)
    assert shown(status="known-difference") == 3
    assert shown(status="known-difference", text="SWAPPED two") == 2
    assert shown(text="no such words") == 0
    assert shown(text="sha:12") == 0  # the signature is not searched
