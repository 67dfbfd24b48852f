"""The report: a page for each notebook, and a front page with the scoreboard."""

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from nbformat import v4

from wmtlib.study.running import report

ATTACK = "<script>alert(1)</script>"
PROSE = "# First & foremost\n\n"
PROSE += "$p = \\frac{a_b}{c}$, see [the other](11-second.ipynb#A-study)."
BOARD = pd.DataFrame(
    [
        ("10 <b>cs-en</b>", "0.50", "0.50", "exact", ""),
        ("ranking", "a > b", "b > a", "known-difference", f"a reason {ATTACK}"),
    ],
    columns=["quantity", "published", "reproduced", "status", "reason"],
).assign(paper="lopez2012", item="table-1", notebook="10-first", criterion="")


@pytest.fixture
def notebooks(tmp_path):
    output = v4.new_output(
        "display_data", {"text/html": "<table><td>-1.25</td></table>"}
    )
    code = v4.new_code_cell(ATTACK, outputs=[output], execution_count=1, id="b")
    paths = [tmp_path / name for name in ("10-first.ipynb", "11-second.ipynb")]
    for path in paths:
        nbformat.write(
            v4.new_notebook(cells=[v4.new_markdown_cell(PROSE, id="a"), code]), path
        )
    return paths


@pytest.fixture
def build(tmp_path):
    figures = tmp_path / "figures"
    for name in (
        "lopez2012-table-1.png",
        "lopez2012-figures-2-3.png",
        "other-table-1.png",
    ):
        figures.mkdir(exist_ok=True)
        (figures / name).write_bytes(b"png")
    about = {"Data": "raw <12>"}
    return lambda paths: report.build(paths, BOARD, about, figures, tmp_path / "report")


def test_the_front_page_tells_how_every_value_came_out(build, notebooks):
    source = build(notebooks).read_text()
    page = BeautifulSoup(source, "html.parser")
    assert [a["href"] for a in page("a")] == [
        "10-first.html",
        "11-second.html",
        "print.html",
    ]
    assert [len(table("tr")) - 1 for table in page("table")] == [
        1,
        2,
    ]  # not as printed, and all
    text = page.get_text(" ", strip=True)
    for part in (
        "First & foremost",
        "raw <12>",
        "10 <b>cs-en</b>",
        f"a reason {ATTACK}",
    ):
        assert part in text
    assert "numbers: 1 exact, 1 known-difference" in text and ATTACK not in source


def test_a_notebook_becomes_a_page_that_links_to_the_others(build, notebooks):
    page = BeautifulSoup(
        build(notebooks).with_name("10-first.html").read_text(), "html.parser"
    )
    assert page.title.text == "First & foremost"
    links = {link["href"] for link in page("a") if link.text}
    assert links == {"index.html", "11-second.html#A-study"} and page.h1["id"]
    assert r"$p = \frac{a_b}{c}$" in page.text and ATTACK in page.text
    assert page.td.text == "-1.25"


def test_every_item_of_a_paper_stands_beside_its_print(build, notebooks):
    page = BeautifulSoup(
        build(notebooks).with_name("print.html").read_text(), "html.parser"
    )
    assert [title.text for title in page("h3")] == ["Table 1", "Figure 2"]
    assert len(page.table("tr")) == 3
    assert [image["alt"] for image in page("img")] == [
        "lopez2012-table-1",
        "lopez2012-figures-2-3",
    ]
