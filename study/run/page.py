"""Folders and pages of notebooks that a user runs alone: make notebook, make rank."""

import sys
import webbrowser
from html import escape
from itertools import count
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

from study.data.sources import ROOT

SIMULATED = "SIMULATED"  # how a line begins that says so
TOP = "<main>"  # of nbconvert's page


def new_folder(name: str) -> Path:
    """Make the folder build/NAME-1, or with the next number that is free.

    Runs at the same time, and a page that is still open, each have a folder.
    """
    for number in count(1):
        folder = ROOT / "build" / f"{name}-{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        break
    return folder


def write_page(executed: Path) -> Path:
    """Write the page of an executed notebook, with what is simulated on top."""
    html, _ = HTMLExporter().from_filename(str(executed))
    notebook = nbformat.read(executed, as_version=4)
    lines = [
        line
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        for line in output.get("text", "").splitlines()
        if line.startswith(SIMULATED)
    ]
    said = "".join(f"<p>{escape(line)}</p>\n" for line in lines)
    page = executed.with_suffix(".html")
    page.write_text(html.replace(TOP, f"{TOP}\n{said}", 1), "utf-8")
    print(*lines, sep="\n", end="\n" if lines else "")
    return page


def show_page(page: Path) -> None:
    """Print where a page is; open it if this is a terminal."""
    print(f"Page:      {page}", flush=True)
    if sys.stdout.isatty():
        webbrowser.open(page.as_uri())
