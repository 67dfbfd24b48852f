"""The report: a page for every executed notebook, by nbconvert, the print beside ours, and the
scoreboard as front page.

Pages are nbconvert's own, with their figures and their style in them. Formulas are set
by MathJax, which a browser fetches; a browser without network shows them as they are
written, in LaTeX.
"""

import re
from base64 import b64encode
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
    titles, pages = {}, {}
    for path in notebooks:
        pages[path.stem] = notebook = nbformat.read(path, as_version=4)
        titles[path.stem] = notebook.cells[0].source.splitlines()[0].lstrip("# ")
        notebook.cells.insert(0, new_markdown_cell(f"[{SITE}](index.html)", id="home"))
    titles["print"] = "Every table and figure of the papers, the print beside ours"
    own = {"print": _beside(board, figures), "index": _front(titles, board, about)}
    pages |= {
        k: new_notebook(cells=[new_markdown_cell(v, id=k)]) for k, v in own.items()
    }
    options = {
        "exclude_input_prompt": True,
        "exclude_output_prompt": True,
        "anchor_link_text": "",
    }
    exporter = HTMLExporter(**options)
    with atomic_files(folder) as new:
        for name, notebook in pages.items():
            about_page = {"metadata": {"name": titles.get(name, SITE)}}
            text, _ = exporter.from_notebook_node(notebook, about_page)
            text = re.sub(r'href="([\w-]+)\.ipynb\b', r'href="\1.html', text)
            (new / f"{name}.html").write_text(text, encoding="utf-8")
    for stale in folder.glob("[!.]*.*"):
        if stale.name.removesuffix(".html") not in pages:
            stale.unlink()
    return folder / "index.html"


def _front(
    titles: Mapping[str, str], board: pd.DataFrame, about: Mapping[str, str]
) -> str:
    """The front page: where the numbers come from, all pages, and how each value came out."""
    facts = "".join(
        f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in about.items()
    )
    pages = "".join(
        f'<li><a href="{k}.html">{escape(v)}</a></li>' for k, v in titles.items()
    )
    words = "".join(
        f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in verdicts.STATUSES.items()
    )
    parts = [f"<h1>{SITE}</h1><dl>{facts}</dl><h2>Notebooks</h2><ul>{pages}</ul>"]
    for paper, rows in board.groupby("paper", sort=False):
        other = rows[~rows["status"].isin(AS_PRINTED)]
        parts += [f"<h2>{paper}</h2><p>{scoreboard.summary_line(rows)}</p>"]
        for title, part in [("Not as printed, and why", other), ("All rows", rows)]:
            table = part[SHOWN].to_html(index=False, border=0)
            parts += [f"<details><summary>{title}</summary>{table}</details>"]
    parts += [
        f"<details><summary>What the words mean</summary><dl>{words}</dl></details>"
    ]
    parts += [
        "<p>Formulas are set by MathJax; without a network they stand there in LaTeX.</p>"
    ]
    return "\n".join(parts)


def _beside(board: pd.DataFrame, figures: Path) -> str:
    """Every table and figure of the papers: what is printed, ours, and how they compare."""
    parts = [f"<p><a href='index.html'>{SITE}</a></p><h1>The print beside ours</h1>"]
    parts += [
        "<p>Tables value by value; of a figure, an image, what the paper says of it."
    ]
    parts += ["Below stands ours, where it is drawn. In the order of the papers.</p>"]
    drawn = {
        path: _item(path.relative_to(figures).parts[0])
        for path in figures.rglob("*.png")
    }
    for paper, rows in board.groupby("paper", sort=False):
        own = {path: item for path, (of, item) in sorted(drawn.items()) if of == paper}
        items = [i for i in rows["item"].unique() if i.startswith(("table", "figure"))]
        items += sorted({item for item in own.values() if item and item not in items})
        parts += [f"<h2>{paper}</h2>"]
        for item in items:
            part = rows.loc[rows["item"] == item, SHOWN[1:]]
            parts += [f"<h3>{item.replace('-', ' ').capitalize()}</h3>"]
            parts += [
                part.to_html(index=False, border=0)
                if len(part)
                else "<p>No number.</p>"
            ]
            for path in (path for path, of in own.items() if of == item):
                data = b64encode(path.read_bytes()).decode()
                parts += [
                    f'<img alt="{escape(path.stem)}" src="data:image/png;base64,{data}">'
                ]
    return "\n".join(parts)


def _item(name: str) -> tuple[str, str]:
    """The paper and the item of it that a figure's name bears: the first, if it shows several."""
    found = re.search(r"-(table|figure)s?-(\d)", name)
    return name.partition("-")[0], f"{found[1]}-{found[2]}" if found else ""
