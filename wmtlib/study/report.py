"""The report: a page for every executed notebook, by nbconvert, and the scoreboard as front page.

Pages hold their figures and their style. Formulas are set by MathJax, which a browser fetches; a
browser without network shows them as they are written, in LaTeX.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import nbformat
import pandas as pd
from nbconvert import HTMLExporter

from wmtlib.study import scoreboard, verdicts
from wmtlib.study.releases.storage import atomic_files

SITE = "Human rankings of machine translation, reproduced"
AS_PRINTED = ("exact", "rounded", "arithmetic", "holds")
SHOWN = ["item", "quantity", "published", "reproduced", "status", "reason", "notebook"]
MATHJAX = """{% extends "index.html.j2" %}
{% from "mathjax.html.j2" import mathjax %}
{% block body %}{{ mathjax(resources.mathjax_url) }}{{ super() }}{% endblock %}
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ max-width: 75rem; margin: auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }}
pre {{ padding: .5em .8em; background: #f4f5f6; }}
pre, details, .output_html {{ overflow-x: auto; font-size: .85rem; }}
table {{ border-collapse: collapse; font-size: .85rem; }}
th, td {{ padding: .3em .6em; border: 0; border-bottom: 1px solid #d5d9de; vertical-align: top; }}
img {{ max-width: 100%; }}
{style}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def build(
    notebooks: Sequence[Path], board: pd.DataFrame, about: Mapping[str, str], folder: Path
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
    folder : Path
        Is made if need be. Nothing is written if a page cannot be made.
    """
    exporter = HTMLExporter(
        template_name="basic",
        raw_template=MATHJAX,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        anchor_link_text="",
    )
    titles = {}
    with atomic_files(folder) as new:
        for path in notebooks:
            notebook = nbformat.read(path, as_version=4)
            titles[path.stem] = notebook.cells[0].source.splitlines()[0].lstrip("# ")
            body, resources = exporter.from_notebook_node(notebook)
            body = re.sub(r'href="([\w-]+)\.ipynb\b', r'href="\1.html', body)
            style = "\n".join(resources["inlining"]["css"])
            body = f'<p><a href="index.html">{SITE}</a></p>\n<main>{body}</main>'
            text = PAGE.format(title=escape(titles[path.stem]), style=style, body=body)
            (new / f"{path.stem}.html").write_text(text, encoding="utf-8")
        text = PAGE.format(title=SITE, style="", body=_front(titles, board, about))
        (new / "index.html").write_text(text, encoding="utf-8")
    for stale in folder.glob("[!.]*.*"):
        if stale.name not in {"index.html", *(f"{name}.html" for name in titles)}:
            stale.unlink()
    return folder / "index.html"


def _front(titles: Mapping[str, str], board: pd.DataFrame, about: Mapping[str, str]) -> str:
    """The front page: where the numbers come from, all pages, and how each value came out."""
    facts = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in about.items())
    pages = "".join(f'<li><a href="{k}.html">{escape(v)}</a></li>' for k, v in titles.items())
    words = "".join(f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in verdicts.STATUSES.items())
    parts = [f"<h1>{SITE}</h1><dl>{facts}</dl><h2>Notebooks</h2><ul>{pages}</ul>"]
    for paper, rows in board.groupby("paper", sort=False):
        other = rows[~rows["status"].isin(AS_PRINTED)]
        parts += [f"<h2>{paper}</h2><p>{scoreboard.summary_line(rows)}</p>"]
        for title, part in [("Not as printed, and why", other), ("All rows", rows)]:
            table = part[SHOWN].to_html(index=False, border=0)
            parts += [f"<details><summary>{title}</summary>{table}</details>"]
    parts += [f"<details><summary>What the words mean</summary><dl>{words}</dl></details>"]
    parts += ["<p>Formulas are set by MathJax; without a network they stand there in LaTeX.</p>"]
    return "\n".join(parts)
