"""The book, built from the notebooks as they stand and read as a person would.

A headless browser opens every page; where there is no Chromium, or no axe-core (`npm ci
--prefix tests/axe`), those tests are skipped and say so.
"""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urlparse

import browser
import pandas as pd
import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "docs" / "book"
AXE = ROOT / "tests" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
SIX_PAGES = (
    "index",
    "scoreboard",
    "12-all-tasks",
    "40-your-data",
    "functions",
    "glossary",
)
LEFT_AS_TEX = ("\\frac", "\\sum", "\\text", "\\mathrm", "\\le", "\\in ", "$$")
NOT_PROSE = ["code", "pre", "script", "style"]
AUDIT = "axe.run().then(result => result.violations.map(v =>\
 [v.impact, v.id, v.nodes.map(n => n.target.join(' ')).join(', ')]))"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The folder of the book; Sphinx takes every warning for an error."""
    folder = tmp_path_factory.mktemp("site") / "book"
    command = [sys.executable, BOOK / "build.py", ROOT / "notebooks", ROOT, folder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(book):
    """The pages, parsed, by their names."""
    return {
        path.stem: BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for path in sorted(book.glob("*.html"))
    }


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    """A tab of a browser."""
    if browser.executable() is None:
        pytest.skip("needs Chromium, which is not installed")
    with browser.chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


def test_every_notebook_is_in_one_part_and_every_text_has_a_page(pages, monkeypatch):
    monkeypatch.syspath_prepend(str(BOOK))
    from build import PARTS

    for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"):
        parts = [part for part, digits in PARTS.items() if path.name.startswith(digits)]
        assert len(parts) == 1, path.name
        assert pages[path.stem].h1.text.startswith(f"{path.name[:2]} · ")
    texts = {path.stem for path in (ROOT / "docs").glob("*.md")}
    contents = {link["href"] for link in pages["index"].nav("a", href=True)}
    assert texts <= {*pages} and {f"{name}.html" for name in texts} <= contents


def test_links_and_pictures_lead_somewhere_in_the_book(pages, book):
    named = {
        name: {tag["id"] for tag in page(id=True)} | {""}
        for name, page in pages.items()
    }
    for name, page in pages.items():
        for tag in page(["a", "img", "script", "link"]):
            address = tag.get("href") or tag.get("src")
            if address is None:
                continue
            address, anchor = urldefrag(address)
            if urlparse(address).scheme:
                assert tag.name == "a" or address.startswith("data:"), (name, address)
                continue
            path = unquote(urlparse(address).path)
            assert not path or (book / path).exists(), (name, address)
            target = Path(path or name).name.removesuffix(".html")
            if anchor and target in named:
                assert unquote(anchor) in named[target], (name, address, anchor)


def test_every_picture_has_a_text_and_no_formula_is_left_as_tex(pages):
    formulas = 0
    for name, page in pages.items():
        for image in page("img"):
            alt = image.get("alt", "")
            assert len(alt) > 20 and "No description" not in alt, (name, image["src"])
        formulas += len(page("math"))
        prose = [
            text for text in page.body(string=True) if not text.find_parent(NOT_PROSE)
        ]
        left = [sign for sign in LEFT_AS_TEX if sign in " ".join(prose)]
        assert not left, (name, left)
    assert formulas > 100


def test_every_row_of_the_scoreboard_has_an_address(pages):
    board = pd.read_csv(ROOT / "results" / "scoreboard.csv", keep_default_na=False)
    rows = pages["scoreboard"].find(id="scoreboard").tbody("tr")
    names = [row.a["id"] for row in rows]
    assert sorted(names) == sorted(board["id"])
    shown = board.set_index("id").loc[names]
    # Each paper once: tables and figures, the text, arithmetic.
    of_text = 1 - shown["item"].str.match("table|figure").astype(int)
    part = of_text + 2 * (shown["status"] == "arithmetic")
    for _, places in part.groupby(shown["paper"]):
        assert places.is_monotonic_increasing
    assert (shown["paper"] != shown["paper"].shift()).sum() == 3
    row = pages["scoreboard"].find(id="L-5.1-10").find_parent("tr")
    for text in ("25", "24", "known-difference", "make notebook N=12-all-tasks"):
        assert text in row.text


def test_the_reference_has_tables_and_groups(pages):
    table = pages["functions"].find("table", class_="commands")
    rows = [[cell.text for cell in row("td")] for row in table("tr")[1:]]
    assert ["--min N", "rank(data, minimum=N)"] in rows
    assert all(left and right.count("(") == right.count(")") for left, right in rows)
    section = pages["command-line"].find(id="wmtlib-rank")
    titles = [title.text for title in section("strong")]
    assert titles == ["What is read", "How it is ranked", "What is written"]
    assert "--help" not in [code.text for code in section("dt")]
    for page in pages.values():
        assert page.text.count("wmtlib maintainers") == 1


def test_the_first_page_is_readmes_text(pages):
    page = pages["index"].article
    text = " ".join(page.text.split())
    readme = (ROOT / "README.md").read_text("utf-8")
    [sentence] = re.findall(r"\*\*(Of .* printed numbers .*)\*\*", readme)
    assert sentence in text
    assert "{{" not in text
    targets = {link.get("href") for link in page("a")}
    assert {"12-all-tasks.html", "scoreboard.html", "map.html"} <= targets


def test_every_page_loads_alone_and_without_a_fault(book, pages, chromium):
    for name in pages:
        chromium.open(f"{book.as_uri()}/{name}.html")
        chromium.run("new Promise(done => setTimeout(done, 50))")
        assert chromium.faults() == [], name
        outside = [
            url
            for url in chromium.requests()
            if not url.startswith((book.as_uri(), "data:", "blob:", "about:"))
        ]
        assert outside == [], name


# Printed numbers, a year, and words that the book has others for.
QUERIES = [
    *("396", "979", "61", "2024"),
    *("degradation", "confidence interval", "Elo", "annotator", "significance"),
]
RESULTS = "document.querySelectorAll('#search-results li')"


@pytest.mark.parametrize("query", QUERIES)
def test_search_finds_numbers_and_words_with_a_line_of_text(query, book, chromium):
    chromium.open(f"{book.as_uri()}/search.html?q={quote(query)}")
    assert chromium.run(until(RESULTS))
    text = chromium.run(f"[...{RESULTS}].map(line => line.lastChild.textContent)")
    assert all(len(line) > 20 for line in text)
    if query.isdigit():
        assert query in text[0]


def test_search_offers_the_rows_of_the_scoreboard_for_a_number(book, chromium):
    chromium.open(f"{book.as_uri()}/search.html?q=396")
    chromium.run(until(RESULTS))
    first = chromium.run(f"{RESULTS}[0].querySelector('a').getAttribute('href')")
    assert first == "scoreboard.html#L-5.2-01"
    link = chromium.run("document.querySelector('#search-results p a').href")
    assert link == f"{book.as_uri()}/scoreboard.html?q=396"


def test_scoreboard_filters_by_words_and_by_verdicts(book, chromium):
    board = pd.read_csv(ROOT / "results" / "scoreboard.csv", keep_default_na=False)
    number = board["status"].value_counts()
    rows = "document.querySelectorAll('#scoreboard tbody tr:not([hidden])').length"
    address = f"{book.as_uri()}/scoreboard.html"
    chromium.open(f"{address}?q=L-5.1-07")
    assert chromium.run(rows) == 1
    chromium.open(f"{address}#not-as-printed")
    differ = ["does-not-hold", "holds-partly", "known-difference"]
    assert chromium.run(rows) == number[differ].sum()
    chromium.open(address)
    first = "document.querySelector('article h1').nextElementSibling.id"
    assert chromium.run(first) == "filter"
    chromium.run("document.querySelector('[data-status=holds]').click()")
    assert chromium.run(rows) == number["holds"]


TABLES = [
    pytest.param(
        pd.DataFrame({"x": [1.0, None]}, index=pd.Index(["a", "b"], name="task")),
        [["task", "x"], ["a", "1"], ["b", ""]],
        id="names of rows and columns share a line",
    ),
    pytest.param(
        pd.DataFrame({"optimal_orders": [5, 3]}, index=[27, 76]),
        [["optimal orders"], ["5"], ["3"]],
        id="numbers of rows go",
    ),
    pytest.param(
        pd.DataFrame({"system": ["a", "b"]}, index=[1, 2]),
        [["", "system"], ["1", "a"], ["2", "b"]],
        id="ranks stay",
    ),
    pytest.param(
        pd.DataFrame([[1.5, 2.0]], index=["a"], columns=[["x", "x"], ["y", "z"]]),
        [["", "x"], ["", "y", "z"], ["a", "1.5", "2"]],
        id="two levels of columns stay",
    ),
]


@pytest.mark.parametrize(("table", "expected"), TABLES)
def test_tables_have_one_line_of_heads(table, expected, monkeypatch):
    monkeypatch.syspath_prepend(str(BOOK))
    from tables import tidied

    page = BeautifulSoup(tidied(table.to_html()), "html.parser")
    cells = [[cell.text for cell in row(["th", "td"])] for row in page("tr")]
    assert cells == expected


def test_columns_of_numbers_are_marked(monkeypatch):
    monkeypatch.syspath_prepend(str(BOOK))
    from tables import tidied

    table = pd.DataFrame({"system": ["a", "1"], "low": [-0.5, 2.25]})
    page = BeautifulSoup(tidied(table.to_html()), "html.parser")
    marked = {cell.text for cell in page(class_="number")}
    assert marked == {"low", "-0.50", "2.25"}


def until(elements):
    """A script that waits for such elements; how many, or 0 after 5 seconds."""
    return f"""new Promise(done => {{
        const start = Date.now();
        const look = () => {{
            const number = {elements}.length;
            if (number || Date.now() - start > 5000) done(number);
            else setTimeout(look, 50);
        }};
        look();
    }})"""


# Parts of a page that are cut, or stick out, where no bar that one sees scrolls them.
# What is folded is opened first.
CUT = """(() => {
  const article = document.querySelector('.bd-article') || document.body;
  for (const fold of article.querySelectorAll('details')) fold.open = true;
  const overflow = (box) => getComputedStyle(box).overflowX;
  const hasBar = (box) => {
    const style = getComputedStyle(box);
    const borders = ['borderTopWidth', 'borderBottomWidth']
      .reduce((sum, name) => sum + parseFloat(style[name]), 0);
    const bar = box.offsetHeight - box.clientHeight - borders;
    return /auto|scroll/.test(overflow(box)) && bar > 4;
  };
  const right = (box) => box.getBoundingClientRect().right;
  const isCut = (box) => {
    let isWide = box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1;
    for (let outer = box; outer; outer = outer.parentElement) {
      const holds = overflow(outer) !== 'visible' || outer === article;
      isWide ||= holds && right(box) > right(outer) + 1;
      if (isWide && hasBar(outer)) return false;
      if (isWide && overflow(outer) !== 'visible') return true;
      if (outer === article) return isWide;
    }
  };
  const parts = 'table, math, pre, img, p, li, dd, dt, td, th, form, button, h1, h2';
  return [...article.querySelectorAll(parts)]
    .filter((box) => box.checkVisibility() && isCut(box))
    .map((box) => `${box.tagName}: ${box.textContent.trim().slice(0, 60)}`);
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_nothing_is_wider_than_its_box(width, scheme, book, pages, chromium):
    chromium.size(width, is_telephone=width < 800)
    chromium.scheme(scheme)
    faults = {}
    for name in pages:
        chromium.open(f"{book.as_uri()}/{name}.html")
        assert chromium.run("document.documentElement.scrollWidth") <= width, name
        if cut := chromium.run(CUT):
            faults[name] = cut
    assert faults == {}


def test_what_is_cut_is_found(tmp_path, chromium):
    """The check of widths finds a long line, but not one with a bar, or a short one."""
    line = "<pre style='overflow-x: {}'>" + "many words " * 30 + "</pre>"
    page = tmp_path / "page.html"
    styles = ("hidden", "auto; scrollbar-width: none", "visible", "scroll")
    lines = "".join(map(line.format, styles))
    page.write_text(f"<body class='bd-article'>{lines}<pre>short</pre></body>")
    chromium.size(400, is_telephone=False)
    chromium.open(page.as_uri())
    assert len(chromium.run(CUT)) == 3


LINES_LONG = """(() => {
  const widths = [...document.querySelectorAll('.bd-article section > p')]
    .map((line) => line.getBoundingClientRect().width);
  return Math.max(...widths);
})()"""


def test_the_column_of_text_is_900_pixels_wide(book, chromium):
    for width in (1280, 1600):
        chromium.size(width, is_telephone=False)
        chromium.open(f"{book.as_uri()}/12-all-tasks.html")
        assert chromium.run(LINES_LONG) == pytest.approx(900, abs=20), width


# How many times its own size the smallest picture of the first page has.
SCALE = """Math.min(9, ...[...document.querySelectorAll('.bd-article img')].map(
  (img) => Math.max(img.width / img.naturalWidth, img.height / img.naturalHeight)))"""


def test_letters_of_pictures_on_the_first_page_can_be_read(book, chromium):
    """Figures have letters of 8 points or more, at 200 dots per inch."""
    chromium.size(1280, is_telephone=False)
    chromium.open(f"{book.as_uri()}/index.html")
    assert chromium.run(SCALE) * 8 * 200 / 72 >= 8


FOLD = "document.querySelector('.tag_hide-cell summary').textContent"
SEEN = """[...document.querySelectorAll('.tag_hide-cell pre')]
    .map((text) => text.checkVisibility())"""


def test_hidden_cells_are_folded_with_what_they_print(book, chromium):
    chromium.open(f"{book.as_uri()}/40-your-data.html")
    assert chromium.run(SEEN) == [False, False]  # the code of the last cell, its text
    chromium.run("document.querySelector('.tag_hide-cell summary').click()")
    assert chromium.run(SEEN) == [True, True]
    assert "show the code" in chromium.run(FOLD).lower()


@pytest.mark.skipif(
    not AXE.exists(), reason="needs axe-core: npm ci --prefix tests/axe"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_pass_axe(scheme, book, chromium):
    chromium.size(1280, is_telephone=False)
    chromium.scheme(scheme)
    for name in SIX_PAGES:
        chromium.open(f"{book.as_uri()}/{name}.html")
        chromium.run(AXE.read_text("utf-8") + "; 0")
        faults = [f for f in chromium.run(AUDIT) if f[0] in ("serious", "critical")]
        assert faults == [], name
