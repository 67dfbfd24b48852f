"""The report: a folder of static pages, the scoreboard first, then every executed notebook.

A page holds all it needs (style, figures, formulas) and its security policy forbids it to ask the
network for more; the front page can be mailed alone. The same input gives the same bytes. How the
pages look, and the sentences around the numbers, are in `report.html.j2`.
"""

import html
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

import jinja2
import nbformat
import pandas as pd
from bs4 import BeautifulSoup, Tag
from latex2mathml.converter import Converter
from markupsafe import Markup, escape
from nbconvert.filters import markdown_mistune as mistune
from nbconvert.filters.ansi import strip_ansi
from nbformat import NotebookNode
from PIL import Image
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from wmtlib.releases.storage import atomic_files, atomic_write
from wmtlib.study import scoreboard

LIMIT = 5_000_000  # bytes of a page, so that it passes as an attachment
COLOURS = 64  # of an embedded figure: a third of the bytes, and no difference that one sees
CODE_STYLES = {"light": "xcode", "dark": "github-dark"}  # every token's contrast is above 4.5
SLUG = re.compile(r"(?!index$)[a-z0-9]+(-[a-z0-9]+)*")
SAVED = re.compile(r'plots\.save\(\s*\w+,\s*f?"([^"]+)"')  # a figure, in a notebook's code
VERDICT = re.compile(r"(?:^|; )(yes|no): (.*?)(?=; (?:yes|no): |$)")  # `scoreboard.Verdict`
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
    """An executed notebook, to be shown as `name`.html (a slug) among the pages of its group."""

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


@dataclass(frozen=True)
class Figure:
    """A picture (PNG), its caption and what it depends on; `href` leads to where it is made."""

    png: bytes
    caption: str
    signature: str = ""
    group: str = ""
    href: str = ""

    @property
    def image(self) -> dict[str, str | int]:
        """Attributes of an <img>: the picture in few colours, on white, and its size."""
        with Image.open(BytesIO(self.png)) as picture:
            flat = Image.new("RGBA", picture.size, "white")
            flat.alpha_composite(picture.convert("RGBA"))
        few = flat.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(file := BytesIO(), "PNG", optimize=True)
        source = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
        return {"src": source, "width": few.width, "height": few.height}


@dataclass(frozen=True)
class Section:
    """A part of a `single` page. Its words may be anybody's: all are shown as they are."""

    title: str
    text: str = ""
    warnings: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # by caption
    figures: Sequence[Figure] = ()


def build(
    pages: Sequence[Page],
    board: pd.DataFrame,
    *,
    about: Mapping[str, str],
    folder: Path,
    figures: Path | None = None,
) -> Path:
    """Write the report; an older one in the same folder is replaced only by a complete one.

    Parameters
    ----------
    pages : sequence of Page
        In the order of the navigation.
    scoreboard : DataFrame
        One row per published number; columns `scoreboard.SCOREBOARD`.
    about : mapping of str to str
        What the numbers were computed from: label and text, shown beside the summary.
    folder : Path
        Is made if need be. It may hold nothing but an older report.
    figures : Path, optional
        Folder of the pictures that `figures.save` wrote; the front page shows every one.

    Returns
    -------
    Path
        The front page, `folder`/index.html.

    Raises
    ------
    ValueError
        One line: a notebook is missing, unreadable, not run to its end or holds an error; a page's
        name is no slug or not the only one; the scoreboard lacks a column or has a status that is
        none; a figure is no picture; a page exceeds `LIMIT`; the folder holds something else.
    """
    taken = Counter(page.name for page in pages)
    if bad := [name for name in taken if taken[name] > 1 or not SLUG.fullmatch(name)]:
        raise ValueError(f"{bad[0]!r} cannot name a page: it is no slug or is taken")
    groups = {g: [p for p in pages if p.group == g] for g in dict.fromkeys(p.group for p in pages)}
    template = _template(pages=list(pages), groups=groups)
    links = {page.notebook.name: page.href for page in pages}
    cells = {page: _read(page.notebook) for page in pages}
    front = {"gallery": _gallery(figures, cells) if figures else [], **_scores(board)}
    if folder.exists() and any(path.suffix != ".html" for path in folder.iterdir()):
        raise ValueError(f"{folder}: holds other things than a report, which would be lost")
    with atomic_files(folder) as new:
        _write(new / "index.html", template.render(view="front", about=about, **front))
        for page in pages:
            shown = {"page": page, "cells": cells[page], "renderer": _Renderer(page, links)}
            _write(new / page.href, template.render(view="notebook", **shown))
    for path in folder.iterdir():  # pages of an older report
        if path.name not in {"index.html", *(page.href for page in pages)}:
            path.unlink()
    return folder / "index.html"


def single(
    title: str, sections: Sequence[Section], path: Path, *, about: Mapping[str, str]
) -> Path:
    """Write one page that looks like the report's, without links or scripts; returns `path`.

    `about` is shown below the title, as in `build`. An older file is replaced; a ValueError of one
    line says that the page would exceed `LIMIT` or that a figure is no picture.
    """
    text = _template().render(view="single", title=title, sections=sections, about=about)
    with atomic_write(path) as partial:
        _write(partial, text)
    return path


def _template(**shared: Any) -> jinja2.Template:
    """The template, with what every page shares."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"code": _code, "tables": _tables, "frame": _frame, "plain": strip_ansi}
    environment.filters |= {"saved": _saved, "verdict": VERDICT.findall}
    shared["code_css"] = {
        scheme: Markup("\n").join(HtmlFormatter(style=style).get_token_style_defs(".highlight"))
        for scheme, style in CODE_STYLES.items()
    }
    shared |= {"statuses": scoreboard.STATUSES, "verdicts": scoreboard.VERDICTS}
    return environment.get_template("report.html.j2", globals=shared)


def _write(path: Path, text: str) -> None:
    """Write a page that is not too large; "?" stands for bytes of file names that are no text."""
    if len(data := text.encode("utf-8", "replace")) > LIMIT:
        size = f"{len(data) / 1e6:.2f} MB, more than the {LIMIT / 1e6:g} that can be sent"
        raise ValueError(f"{path.name} would have {size}: it needs fewer or smaller figures")
    path.write_bytes(data)


def _scores(board: pd.DataFrame) -> dict[str, Any]:
    """Rows of the scoreboard as text; by paper and status, reasons and the rows that share them."""
    if missing := [c for c in scoreboard.SCOREBOARD if c not in board.columns]:
        raise ValueError(f"the scoreboard has no column {missing[0]!r}")
    text = board.astype(object).where(board.notna(), "").astype(str)
    if unknown := sorted(set(text["status"]) - set(scoreboard.STATUSES)):
        known = ", ".join(scoreboard.STATUSES)
        raise ValueError(f"the scoreboard has a status {unknown[0]!r}; known: {known}")
    stories: dict[str, dict[str, list[Any]]] = {paper: {} for paper in text["paper"]}
    for (paper, status, reason), rows in text.groupby(["paper", "status", "reason"], sort=False):
        stories[paper].setdefault(status, []).append((reason, rows.to_dict("records")))
    return {"rows": text.to_dict("records"), "stories": stories}


def _gallery(folder: Path, cells: Mapping[Page, list[NotebookNode]]) -> list[Figure]:
    """Every figure, linked to the cell that saves it.

    If one notebook ran with several parameters, it is the page that is named as the figure is.
    """
    saved = [(page, glob) for page in cells for cell in cells[page] for glob in _saved(cell.source)]
    figures = []
    for path in sorted(folder.rglob("[!.]*.png")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        makers = [(page, glob) for page, glob in saved if fnmatchcase(name, glob)]
        makers.sort(key=lambda maker: not maker[0].name.endswith(path.stem))
        where = [(page.group, f"{page.href}#figure-{glob}") for page, glob in makers]
        try:
            with Image.open(path) as picture:
                text = [picture.info.get("Description", name), picture.info.get("Source", "")]
        except OSError:
            raise ValueError(f"{path}: not a picture") from None
        figures.append(Figure(path.read_bytes(), *text, *(where or [("Others", "")])[0]))
    return figures


def _saved(source: str) -> list[str]:
    """Names of the figures that a cell saves, "*" for what is filled in when it runs."""
    return [re.sub(r"\{[^}]*\}", "*", name) for name in SAVED.findall(source)]


def _read(path: Path) -> list[NotebookNode]:
    """The cells of a notebook that ran to its end."""
    try:
        cells = nbformat.reader.reads(path.read_text(encoding="utf-8")).cells
        code = [(f"cell {number}", cell) for number, cell in enumerate(cells, start=1)]
        code = [(at, cell) for at, cell in code if cell.cell_type == "code" and cell.source.strip()]
        bad = [f"{at}: was never run" for at, cell in code if cell.execution_count is None]
        outputs = [(at, output) for at, cell in code for output in cell.outputs]
        errors = [(at, output) for at, output in outputs if output.output_type == "error"]
        bad += [f"{at}: {error.ename}: {strip_ansi(error.evalue)}" for at, error in errors]
    except FileNotFoundError:
        raise ValueError(f"{path}: no such notebook") from None
    except (AttributeError, ValueError, nbformat.ValidationError) as error:
        raise ValueError(f"{path}: not a notebook ({type(error).__name__})") from error
    if bad:
        raise ValueError(f"{path}, {bad[0].splitlines()[0]}")
    return cells


def _code(source: str) -> Markup:
    """Python, highlighted."""
    return Markup(highlight(source, PythonLexer(), HtmlFormatter()))


def _frame(frame: pd.DataFrame) -> Markup:
    """A frame whose words may be anybody's; an index that only counts is left out."""
    index = not isinstance(frame.index, pd.RangeIndex)
    with pd.option_context("display.max_colwidth", None):
        return _tables(frame.to_html(index=index, na_rep="–", float_format="{:.6g}".format))


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


class _BlockParser(mistune.MathBlockParser):
    """Display formulas begin a line; elsewhere, `$$` may stand in a code span."""

    SPECIFICATION = {  # noqa: RUF012
        **mistune.MathBlockParser.SPECIFICATION,
        "multiline_math": rf"^ {{0,3}}(?:{mistune.MathBlockParser.MULTILINE_MATH})",
    }


class _InlineParser(mistune.MathInlineParser):
    """Pandoc's rule for a single `$`: no space inside it, no digit after it; and no code span."""

    SPECIFICATION = {  # noqa: RUF012
        **mistune.MathInlineParser.SPECIFICATION,
        "inline_math_tex": r"(?<![\\$])\$(?![\s$])(?P<math_inline_tex>[^$`]*[^$`\s\\])\$(?![\d$])",
    }


class _Renderer(mistune.IPythonRenderer):
    """Markdown to HTML: no raw HTML, formulas as MathML, and no link that leads nowhere.

    `section` is the heading rendered last, to describe the figures below it.
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
        parser = mistune.MarkdownWithMath(self, block=_BlockParser(), inline=_InlineParser())
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
    """A formula ("inline" or "block") as MathML, or in a code span if it cannot be converted."""
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
