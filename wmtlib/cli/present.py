"""An answer on the terminal, as JSON, or as a folder that can be mailed.

Names may be anybody's: they are shown as they are, and are never markup, formulas or mathematics.
"""

import json
import os
import re
import textwrap
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wmtlib.analysis.answers import Answer, Drawing, Progress
from wmtlib.files import reader
from wmtlib.judgements.errors import DataError
from wmtlib.releases.storage import atomic_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TERMINAL = ("Ranks", "Methods", "Clusters", "Intervals", "Left out", "Fragile systems", "Models")
DIGITS = {  # how numbers are shown; in JSON and CSV they are whole
    **dict.fromkeys(("p", "corrected"), ".2g"),
    **dict.fromkeys(("perplexity", "error", "difference", "difference_error"), ".3f"),
    "above_next": ".3f",
}
WIDTH = 100  # of prose that goes into a file or a pipe; tables take what they need
SHORTEST = 12  # characters of a column of words, on a narrow terminal
LONGEST = 40  # characters of a name in a figure
MOST = 500  # rows of a table on the page


def show(answer: Answer) -> None:
    """Print an answer: colours on a terminal only, plain and whole text elsewhere."""
    console = Console(highlight=False, markup=False, emoji=False)
    if console.is_terminal:
        _print(answer, console)
        return
    plain = Console(
        highlight=False, markup=False, emoji=False, no_color=True, width=1_000_000, soft_wrap=True
    )
    with plain.capture() as capture:
        _print(answer, plain)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _print(answer: Answer, console: Console) -> None:
    def say(words: str, style: str = "") -> None:
        if not console.is_terminal:
            words = textwrap.fill(words, WIDTH, break_long_words=False, break_on_hyphens=False)
        console.print(Text(words, style=style))

    say(answer.title, "bold")
    for name, words in answer.about.items():
        if name != "Signature":
            say(f"{name}: {words}")
    for section in answer.sections:
        console.print()
        say(section.title, "bold")
        shown = [name for name in TERMINAL if name in section.tables]
        for name in shown:
            if len(shown) > 1:
                say(f"[{name}]")
            console.print(_drawn(section.tables[name]))
            console.print()
        say(section.text)
        for warning in section.warnings:
            say(f"Warning: {warning}", "yellow")
    console.print()
    console.print(Text(answer.about["Signature"], style="dim"))


def _drawn(table: pd.DataFrame) -> Table:
    """A table for the terminal, with lines below clusters and marks where methods disagree."""
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    words = tidied(table.drop(columns="line", errors="ignore"))
    for column in words:
        number = pd.api.types.is_numeric_dtype(table[column])
        right = number and not pd.api.types.is_bool_dtype(table[column])
        longest = max(map(len, words[column]), default=0) + 2 * (column == "range")
        drawn.add_column(  # on a narrow terminal names and headings are folded, numbers are not
            Text(column),
            justify="right" if right else "left",
            overflow="fold",
            min_width=longest if right else min(longest, SHORTEST),
        )
    lines = table.get("line", [False] * len(table))
    for row, line in zip(words.itertuples(index=False, name=None), lines, strict=True):
        cells = [Text(cell) for cell in row]
        if words.columns[-1] == "range":
            cells[-1] = Text(f"{row[-1]} <", style="yellow") if row[-1] != "0" else Text("0  ")
        drawn.add_row(*cells)
        if line:
            drawn.add_row(*[Text("-" * len(column), style="dim") for column in words])
    return drawn


def tidied(table: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it: every cell text, few digits, what is missing is blank."""
    return pd.DataFrame(
        {str(c): [_cell(x, DIGITS.get(c, ".4f")) for x in table[c]] for c in table}, dtype=object
    )


def _cell(value: Any, digits: str) -> str:
    if value is None or pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return format(value, digits) if isinstance(value, float) else str(value)


def as_json(answer: Answer) -> str:
    """The answer as JSON: every table as a list of rows, null for what is no finite number."""
    document = {
        "title": answer.title,
        "about": dict(answer.about),
        "sections": [
            {
                "title": section.title,
                "text": section.text,
                "warnings": list(section.warnings),
                "tables": {name: _rows(table) for name, table in section.tables.items()},
            }
            for section in answer.sections
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(k): _plain(v) for k, v in row.items()} for row in table.to_dict(orient="records")]


def _plain(value: Any) -> Any:
    """A value that JSON knows."""
    value = value.item() if isinstance(value, np.generic) else value
    missing = value is pd.NA or (isinstance(value, float) and not np.isfinite(value))
    return None if missing else value


# --- a folder -----------------------------------------------------------------------------------


def require_writable(folder: Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or written to."""
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not there.is_dir():
        raise DataError(f"{folder}: cannot be written ({there} is no folder)")
    if not os.access(there, os.W_OK | os.X_OK):
        raise DataError(f"{folder}: cannot be written (no permission)")


def write(answer: Answer, folder: Path) -> Path:
    """Write tables (CSV), figures (PNG) and one page (index.html) that can be mailed.

    Cells that a spreadsheet would take for formulas get an apostrophe. Files of the same names are
    replaced, all or none as long as the disk is sound; others in the folder stay.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    DataError
        The folder cannot be written to, or the page would be too large to be mailed.
    """
    try:
        with atomic_files(folder) as new:
            _fill(new, answer)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{folder}: cannot be written ({why})") from None
    return folder / "index.html"


def _fill(folder: Path, answer: Answer) -> None:
    """Write everything into an empty folder."""
    from wmtlib.study import report  # it takes seconds to load

    sections = []
    for section in answer.sections:
        slug, text, shown = _slug(section.title), section.text, {}
        for name, table in section.tables.items():
            path = folder / f"{slug}-{_slug(name)}.csv"
            safe = table.map(reader.safe_cell).rename(columns=reader.safe_cell)
            safe.to_csv(path, index=False, lineterminator="\n")
            if len(table) <= MOST:
                shown[name] = tidied(table)
            else:
                text += f" {name}: {len(table)} rows, in {path.name}."
        figures = [report.Figure(draw(one), one.caption) for one in section.drawings]
        for k, figure in enumerate(figures, start=1):
            (folder / f"{slug}-{k}.png").write_bytes(figure.png)
        sections.append(report.Section(section.title, text, section.warnings, shown, figures))
    report.single(answer.title, sections, folder / "index.html", about=answer.about)


def draw(drawing: Drawing) -> bytes:
    """A drawing as PNG bytes, the same from run to run; the user's backend is left alone."""
    import matplotlib
    from matplotlib.figure import Figure

    from wmtlib.plots import assessment_plots, model_plots, tournament_plots
    from wmtlib.study import figures

    plots = (tournament_plots, model_plots, assessment_plots)
    plot = next(getattr(p, drawing.plot) for p in plots if hasattr(p, drawing.plot))
    settings = {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,  # a "$" in a name is a "$"
        "text.usetex": False,
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a font that lacks a letter of a name
        figure = Figure(figsize=drawing.size, layout="constrained")
        axes = plot(*drawing.given, figure.subplots())
        if drawing.xlabel:
            axes.set_xlabel(drawing.xlabel)
        _shorten(axes)
        return figures.png(figure)


def _shorten(axes: "Axes") -> None:
    """Cut names on the axes that would leave no room for the figure."""
    for part in (axes, *axes.child_axes):
        for axis in (part.xaxis, part.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if any(len(name) > LONGEST for name in names):
                cut = [x if len(x) <= LONGEST else f"{x[: LONGEST - 1]}…" for x in names]
                axis.set_ticks(axis.get_ticklocs(), cut)


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


# --- progress -----------------------------------------------------------------------------------


@contextmanager
def working() -> Iterator[Progress]:
    """Say on a terminal's stderr what is being done, and since when."""
    console = Console(stderr=True, markup=False)
    if not console.is_terminal:
        yield lambda what: None
        return
    started = time.monotonic()
    with console.status(Text("reading")) as status:

        def say(what: str) -> None:
            status.update(Text(f"{what} ({time.monotonic() - started:.0f} s)"))

        yield say
