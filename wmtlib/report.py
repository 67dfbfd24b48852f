"""The report: a folder of static pages, the scoreboard first, then every executed notebook.

A page holds all it needs (style, figures, formulas) and its security policy forbids it to ask the
network for more. The same input gives the same bytes. What the pages look like is in
`report.html.j2`; here is what they say.
"""

import html
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import jinja2
import nbformat
import pandas as pd
from bs4 import BeautifulSoup, Tag
from latex2mathml.converter import Converter
from markupsafe import Markup, escape
from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import (
    IPythonRenderer,
    MarkdownWithMath,
    MathBlockParser,
    MathInlineParser,
)
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from wmtlib import published

STATUSES = (*published.STATUSES, "holds", "holds-partly", "does-not-hold")  # the last of claims
CODE_STYLES = {"light": "xcode", "dark": "github-dark"}  # every token's contrast is above 4.5
SLUG = re.compile(r"(?!index$)[a-z0-9]+(-[a-z0-9]+)*")
NUMBER = re.compile(r"[-+−]?[\d.,]*\d(e[-+]?\d+)?\s?%?|nan|none|[-+−]?inf|–|", re.IGNORECASE)
REMOTE = ("https://", "http://", "mailto:", "#")
REWRITES = {  # LaTeX that the converter lacks or sets too tight, in words that it knows
    r"\{aligned\}": "{split}",
    r"\\arg\s*\\(max|min)(?![a-zA-Z])": r"\\arg\1",
    r"\\(log|ln|exp)(?![a-zA-Z])\s*(?=[a-zA-Z0-9]|\\(?!left|[,;]))": r"\\\1\\,",
    r"\\tag\{": r"\\qquad\\tag{",
}


@dataclass(frozen=True)
class Page:
    """A notebook to show.

    Attributes
    ----------
    notebook : Path
        An executed .ipynb file.
    name : str
        Lower-case letters, digits and hyphens; the page is written to `name`.html.
    title : str
        Heading of the page and its name in the navigation.
    group : str
        Pages of one group fold together in the navigation.
    """

    notebook: Path
    name: str
    title: str
    group: str

    @property
    def href(self) -> str:
        """Address of the page, relative to the report's folder."""
        return f"{self.name}.html"

    @property
    def anchor(self) -> str:
        """Fragment that leads to the title, as Jupyter forms it."""
        return self.title.replace(" ", "-")


def build(
    pages: Sequence[Page], scoreboard: pd.DataFrame, *, about: Mapping[str, str], folder: Path
) -> Path:
    """Write the report; an older one in the same folder is replaced only by a complete one.

    Parameters
    ----------
    pages : sequence of Page
        In the order of the navigation.
    scoreboard : DataFrame
        One row per published number; columns `published.SCOREBOARD`, status one of `STATUSES`.
    about : mapping of str to str
        What the numbers were computed from: label and text, shown beside the summary.
    folder : Path
        Is made if need be. It may hold nothing but an older report.

    Returns
    -------
    Path
        The front page, `folder`/index.html.

    Raises
    ------
    ValueError
        One line: a notebook is missing, unreadable, not run to its end or holds an error; a page's
        name is no slug or not the only one; the scoreboard lacks a column or has a status that is
        none; the folder holds something else.
    """
    taken = Counter(page.name for page in pages)
    if bad := [name for name in taken if taken[name] > 1 or not SLUG.fullmatch(name)]:
        raise ValueError(f"{bad[0]!r} cannot name a page: it is no slug or is taken")
    template = _template(list(pages))
    links = {page.notebook.name: page.href for page in pages}
    with _replacing(folder.resolve()) as partial:
        text = template.render(about=about, page=None, **_scores(scoreboard))
        (partial / "index.html").write_text(text, encoding="utf-8", newline="\n")
        for page in pages:
            cells = _read(page.notebook).cells
            text = template.render(page=page, cells=cells, renderer=_Renderer(page, links))
            (partial / page.href).write_text(text, encoding="utf-8", newline="\n")
    return folder / "index.html"


def _template(pages: list[Page]) -> jinja2.Template:
    """The template, with what every page shares."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"code": _code, "tables": _tables, "plain": strip_ansi}
    groups: dict[str, list[Page]] = {}
    for page in pages:
        groups.setdefault(page.group, []).append(page)
    code_css = {
        scheme: Markup("\n").join(HtmlFormatter(style=style).get_token_style_defs(".highlight"))
        for scheme, style in CODE_STYLES.items()
    }
    shared = {"pages": pages, "groups": groups, "statuses": STATUSES, "code_css": code_css}
    return environment.get_template("report.html.j2", globals=shared)


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder` that takes its place if nothing goes wrong."""
    if folder.exists() and any(path.suffix != ".html" for path in folder.iterdir()):
        raise ValueError(f"{folder}: holds other things than a report, which would be lost")
    partial = folder.with_name(f".{folder.name}.{os.getpid()}")
    old = partial.with_name(f"{partial.name}.old")
    partial.mkdir(parents=True)
    try:
        yield partial
        if folder.exists():
            folder.rename(old)
        partial.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(partial, ignore_errors=True)


def _scores(scoreboard: pd.DataFrame) -> dict[str, Any]:
    """Rows of the scoreboard as text, and how often each status occurs."""
    if missing := [c for c in published.SCOREBOARD if c not in scoreboard.columns]:
        raise ValueError(f"the scoreboard has no column {missing[0]!r}")
    text = scoreboard.astype(object).where(scoreboard.notna(), "").astype(str)
    if unknown := sorted(set(text["status"]) - set(STATUSES)):
        raise ValueError(
            f"the scoreboard has a status {unknown[0]!r}; known: {', '.join(STATUSES)}"
        )
    return {"rows": text.to_dict("records"), "counts": Counter(text["status"])}


def _read(path: Path) -> NotebookNode:
    """A notebook that ran to its end."""
    if not path.is_file():
        raise ValueError(f"{path}: no such notebook")
    try:
        notebook = nbformat.reader.reads(path.read_text(encoding="utf-8"))
        failure = next(_failures(notebook), None)
    except (AttributeError, ValueError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: not a notebook ({type(error).__name__})") from error
    if failure:
        raise ValueError(f"{path}, {failure}")
    return notebook


def _failures(notebook: NotebookNode) -> Iterator[str]:
    """Cells that broke off or were never run, each in a line."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if cell.execution_count is None:
            yield f"cell {number}: was never run"
        for output in cell.outputs:
            if output.output_type == "error":
                what = f"{output.ename}: {strip_ansi(output.evalue)}"
                yield f"cell {number}: {what.splitlines()[0]}"


def _code(source: str) -> Markup:
    """Python, highlighted."""
    return Markup(highlight(source, PythonLexer(), HtmlFormatter()))


def _tables(source: str) -> Markup:
    """HTML as pandas makes it, for readers: scopes, alignment by column, a box that scrolls."""
    soup = BeautifulSoup(f"<div>{source}</div>", "html.parser")
    for element in soup.select("script, style[scoped]"):
        element.decompose()
    for table in soup("table"):
        for heading in table("th"):
            heading["scope"] = "col" if heading.find_parent("thead") else "row"
        _align(table)
        label = {"class": "box", "role": "region", "aria-label": "Table", "tabindex": "0"}
        table.wrap(soup.new_tag("div", attrs=label))
    return Markup(soup)


def _align(table: Tag) -> None:
    """Mark the cells of columns that hold numbers only."""
    rows = [row for row in table("tr") if row("td")]
    columns = list(zip(*(row("td") for row in rows), strict=False))
    numeric = [all(NUMBER.fullmatch(c.get_text().strip()) for c in column) for column in columns]
    headings = [row("th") for row in table("tr") if not row("td")]
    whole = [h[-len(columns) :] for h in headings if not any(th.has_attr("colspan") for th in h)]
    for row in [*(row("td") for row in rows), *whole]:
        for cell, is_number in zip(row, numeric, strict=False):
            if is_number:
                cell["class"] = [*cell.get("class", []), "number"]


class _BlockParser(MathBlockParser):
    """Display formulas begin a line; elsewhere, `$$` may stand in a code span."""

    SPECIFICATION = {  # noqa: RUF012
        **MathBlockParser.SPECIFICATION,
        "multiline_math": rf"^ {{0,3}}(?:{MathBlockParser.MULTILINE_MATH})",
    }


class _InlineParser(MathInlineParser):
    """Pandoc's rule for a single `$`: no space inside it, no digit after it; and no code span."""

    SPECIFICATION = {  # noqa: RUF012
        **MathInlineParser.SPECIFICATION,
        "inline_math_tex": r"(?<![\\$])\$(?![\s$])(?P<math_inline_tex>[^$`]*[^$`\s\\])\$(?![\d$])",
    }


class _Renderer(IPythonRenderer):
    """Markdown to HTML: no raw HTML, formulas as MathML, and no link that leads nowhere.

    Attributes
    ----------
    section : str
        The heading rendered last, to describe the figures below it.
    """

    def __init__(self, page: Page, links: Mapping[str, str]) -> None:
        folder = str(page.notebook.parent)
        super().__init__(allow_harmful_protocols=False, embed_images=True, path=folder)
        self.title = self.section = page.title
        self.links = links
        self.anchors = Counter([page.anchor])

    def markdown(self, source: str, attachments: Mapping[str, Any] | None = None) -> Markup:
        """A markdown cell as HTML."""
        self.attachments = attachments or {}
        parser = MarkdownWithMath(self, block=_BlockParser(), inline=_InlineParser())
        return Markup(parser.render(source))

    def heading(self, text: str, level: int, **_: Any) -> str:
        """One level below the page's title, which is not repeated."""
        self.section = Markup(text).striptags()
        if level == 1 and self.section == self.title:
            return ""
        anchor = self.section.replace(" ", "-")
        self.anchors[anchor] += 1
        if self.anchors[anchor] > 1:
            anchor += f"-{self.anchors[anchor]}"
        level = min(level + 1, 6)
        return f'<h{level} id="{escape(anchor)}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link within the report or to the web; what the report does not hold is only named."""
        path, _, fragment = url.partition("#")
        if not url.startswith(REMOTE):
            if (name := PurePosixPath(path).name) not in self.links:
                return text
            url = self.links[name] + (fragment and f"#{fragment}")
        return super().link(text, url, title)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """An image within the page; one that cannot be had is a link, or named."""
        image = super().image(text, url, title)
        return image if 'src="data:' in image else self.link(text or escape(url), url, title)

    def table(self, text: str) -> str:
        """A table that scrolls in its own box."""
        return str(_tables(f"<table>{text}</table>"))

    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return mathml(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", "block")


def mathml(latex: str, display: str) -> str:
    """A formula as MathML, or as LaTeX in a code span where it cannot be converted.

    Parameters
    ----------
    latex : str
        Without its dollars.
    display : "inline" or "block"
    """
    known = latex
    for pattern, words in REWRITES.items():
        known = re.sub(pattern, words, known)
    try:
        tree = Converter(display=display).convert_to_element(known)
    except Exception:  # the converter's errors have no base class of their own
        tree = None
    if tree is None or any(re.match(r"\\[a-zA-Z]|&$", e.text or "") for e in tree.iter()):
        return f'<code class="{display}">{escape(latex.strip())}</code>'
    for element in tree.iter():  # it writes "<" as "&lt;" and escapes it later, but not all of it
        element.text = html.unescape(element.text or "")
    return f'<span class="{display}">{ElementTree.tostring(tree, encoding="unicode")}</span>'
