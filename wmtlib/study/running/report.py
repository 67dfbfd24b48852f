"""The report: a page for every notebook, the print beside ours, the scoreboard.

Pages are nbconvert's own, with their figures and their style in them. Formulas are set
by MathJax, which a browser fetches; a browser without network shows them as they are
written, in LaTeX.
"""

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import nbformat
import pandas as pd
from nbconvert import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from wmtlib.study import scoreboard, verdicts
from wmtlib.study.releases.storage import atomic_files

SITE = "Human rankings of machine translation, reproduced"
AS_PRINTED = ("exact", "rounded", "follows", "arithmetic", "holds")
SHOWN = ["item", "quantity", "published", "reproduced", "status", "reason", "notebook"]


def build(
    notebooks: Sequence[Path],
    board: pd.DataFrame,
    about: Mapping[str, str],
    figures: Path,
    folder: Path,
) -> Path:
    """Write the report in place of an older one; the front page, `folder`/index.html.

    Parameters
    ----------
    notebooks : sequence of Path
        Executed ones; a page is named after each, and they link to each other's pages.
    board : DataFrame
        One row per published number; columns `scoreboard.SCOREBOARD`, all text.
    about : mapping of str to str
        The data behind the numbers: label and text, shown at the top.
    figures : Path
        The folder of the figures; those of a paper's item bear its name.
    folder : Path
        Is made if need be. Nothing is written if a page cannot be made.
    """
    titles = {}
    pages = {}
    for path in notebooks:
        notebook = nbformat.read(path, as_version=4)
        titles[path.stem] = notebook.cells[0].source.splitlines()[0].lstrip("# ")
        notebook.cells.insert(0, new_markdown_cell(f"[{SITE}](index.html)", id="home"))
        pages[path.stem] = notebook
    titles["print"] = "Every table and figure of the papers, the print beside ours"
    own_pages = {
        "print": _beside(board, figures),
        "index": _front(titles, board, about),
    }
    for name, html in own_pages.items():
        pages[name] = new_notebook(cells=[new_markdown_cell(html, id=name)])
    exporter = HTMLExporter(
        exclude_input_prompt=True, exclude_output_prompt=True, anchor_link_text=""
    )
    with atomic_files(folder) as new:
        for name, notebook in pages.items():
            resources = {"metadata": {"name": titles.get(name, SITE)}}
            text, _ = exporter.from_notebook_node(notebook, resources)
            text = re.sub(r'href="([\w-]+)\.ipynb\b', r'href="\1.html', text)
            (new / f"{name}.html").write_text(text, encoding="utf-8")
    for stale in folder.glob("[!.]*.*"):
        if stale.name.removesuffix(".html") not in pages:
            stale.unlink()
    return folder / "index.html"


def _front(
    titles: Mapping[str, str], board: pd.DataFrame, about: Mapping[str, str]
) -> str:
    """The front page: where numbers come from, all pages, how each value came out."""
    links = [f'<li><a href="{k}.html">{escape(v)}</a></li>' for k, v in titles.items()]
    blocks = [
        f"<h1>{SITE}</h1>{_definitions(about)}"
        f"<h2>Notebooks</h2><ul>{''.join(links)}</ul>"
    ]
    for paper, rows in board.groupby("paper", sort=False):
        blocks.append(f"<h2>{paper}</h2><p>{scoreboard.summary_line(rows)}</p>")
        other = rows[~rows["status"].isin(AS_PRINTED)]
        for title, part in [("Not as printed, and why", other), ("All rows", rows)]:
            table = part[SHOWN].to_html(index=False, border=0)
            blocks.append(_details(title, table))
    blocks.append(_details("What the words mean", _definitions(verdicts.STATUSES)))
    blocks.append(
        "<p>Formulas are set by MathJax; without a network they stand there in"
        " LaTeX.</p>"
    )
    return "\n".join(blocks)


def _definitions(words: Mapping[str, str]) -> str:
    items = [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in words.items()]
    return f"<dl>{''.join(items)}</dl>"


def _details(title: str, html: str) -> str:
    return f"<details><summary>{title}</summary>{html}</details>"


def _beside(board: pd.DataFrame, figures: Path) -> str:
    """Every table and figure of the papers: what is printed, and ours below it."""
    blocks = [
        f"<p><a href='index.html'>{SITE}</a></p><h1>The print beside ours</h1>",
        "<p>Tables value by value; of a figure, an image, what the paper says of it.",
        "Below stands ours, where it is drawn. In the order of the papers.</p>",
    ]
    pictures = defaultdict(list)
    for path in sorted(figures.rglob("*.png")):
        # A file or a folder is named after the first item that it shows.
        name = path.relative_to(figures).parts[0]
        if item := re.search(r"-(table|figure)s?-(\d)", name):
            pictures[name.partition("-")[0], f"{item[1]}-{item[2]}"].append(path)
    for paper, rows in board.groupby("paper", sort=False):
        blocks.append(f"<h2>{paper}</h2>")
        items = [i for i in rows["item"].unique() if i.startswith(("table", "figure"))]
        items += sorted({item for of, item in pictures if of == paper} - {*items})
        for item in items:
            values = rows.loc[rows["item"] == item, SHOWN[1:]]
            blocks.append(f"<h3>{item.replace('-', ' ').capitalize()}</h3>")
            if len(values):
                blocks.append(values.to_html(index=False, border=0))
            else:
                blocks.append("<p>No number.</p>")
            for path in pictures.get((paper, item), []):
                data = b64encode(path.read_bytes()).decode()
                source = f"data:image/png;base64,{data}"
                blocks.append(f'<img alt="{escape(path.stem)}" src="{source}">')
    return "\n".join(blocks)
