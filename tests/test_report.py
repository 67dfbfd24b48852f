import base64
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat import v4

from wmtlib import published, report
from wmtlib.report import Page, mathml

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
    code = v4.new_code_cell(f"x = '{ATTACK}'", outputs=list(outputs), execution_count=run)
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
def scoreboard():
    rows = [
        ("2010 <b>cs-en</b>", "0.50", "0.50", "exact", ""),
        ("ranking", RANKING, RANKING[:-2], "known-difference", f"a reason {ATTACK}"),
        ("cost", "7", None, "not-checkable", "no data"),
        ("claim", "MFAS is better", "partly", "holds-partly", ""),
    ]
    table = pd.DataFrame(rows, columns=published.SCOREBOARD[2:7])
    table = table.assign(paper="lopez2012", item="table-1", source="raw", signature="sha:12")
    return table[published.SCOREBOARD]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "build" / "report"


@pytest.fixture
def built(pages, scoreboard, folder):
    index = report.build(pages, scoreboard, about={"Data": "raw <12>"}, folder=folder)
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


def test_scoreboard_is_whole(built, scoreboard):
    page = Elements(built / "index.html")
    assert len([row for row in page.all("tr") if "data-status" in row]) == len(scoreboard)
    for cell in scoreboard.fillna("").to_numpy().ravel():
        assert cell.replace("-", " ") in page.text.replace("-", " ")
    summary = " ".join(page.text.split())
    assert "4 published numbers, rankings and lists: 1 exact , 0 rounded" in summary.replace(
        "exact,", "exact ,"
    )
    assert "raw <12>" in page.text
    assert page.text.count(RANKING) == 1
    assert "nan" not in page.text.lower().split()


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


def test_same_input_same_bytes(built, pages, scoreboard, tmp_path):
    other = tmp_path / "again"
    report.build(pages, scoreboard, about={"Data": "raw <12>"}, folder=other)
    for path in built.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes()


def test_report_is_replaced_as_a_whole(built, pages, scoreboard):
    report.build(pages[:1], scoreboard, about={}, folder=built)
    assert sorted(p.name for p in built.iterdir()) == ["10-first.html", "index.html"]
    assert list(built.parent.iterdir()) == [built]


@pytest.mark.parametrize("existing", [True, False])
def test_failure_changes_nothing(existing, pages, scoreboard, folder):
    if existing:
        report.build(pages, scoreboard, about={}, folder=folder)
    before = {path: path.read_bytes() for path in folder.parent.rglob("*.html")}
    pages[1].notebook.unlink()
    with pytest.raises(ValueError, match=r"second\.ipynb: no such notebook"):
        report.build(pages, scoreboard, about={"Data": "new"}, folder=folder)
    assert {path: path.read_bytes() for path in folder.parent.rglob("*.html")} == before
    assert list(folder.parent.iterdir()) == [folder] * existing


def test_foreign_files_are_not_replaced(pages, scoreboard, folder):
    folder.mkdir(parents=True)
    (folder / "thesis.tex").touch()
    with pytest.raises(ValueError, match="holds other things than a report"):
        report.build(pages, scoreboard, about={}, folder=folder)
    assert (folder / "thesis.tex").exists()


def test_notebooks_that_did_not_run_are_refused(pages, scoreboard, folder):
    def refused(match: str) -> None:
        with pytest.raises(ValueError, match=match) as error:
            report.build(pages, scoreboard, about={}, folder=folder)
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
def test_bad_names_are_refused(name, pages, scoreboard, folder):
    pages[0] = Page(pages[0].notebook, name, "Title", "Group")
    with pytest.raises(ValueError, match="cannot name a page"):
        report.build(pages, scoreboard, about={}, folder=folder)


def test_bad_scoreboards_are_refused(pages, scoreboard, folder):
    with pytest.raises(ValueError, match="no column 'reason'"):
        report.build(pages, scoreboard.drop(columns="reason"), about={}, folder=folder)
    with pytest.raises(ValueError, match="status 'fine'"):
        report.build(pages, scoreboard.assign(status="fine"), about={}, folder=folder)


def test_an_empty_scoreboard_and_no_pages_make_a_report(scoreboard, folder):
    index = report.build([], scoreboard[:0], about={}, folder=folder)
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
