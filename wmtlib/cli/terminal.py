"""An answer on the terminal. Names may be anybody's: they are shown as they are."""

import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wmtlib.analysis.answers import Answer, Progress, tidied

WIDTH = 100  # of prose that goes into a file or a pipe; tables take what they need
SHORTEST = 12  # characters of a column of words, on a narrow terminal


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
        for name, table in section.tables.items():
            if len(section.tables) > 1:
                say(f"[{name}]")
            console.print(_terminal_table(table))
            console.print()
        say(section.text)
        for warning in section.warnings:
            say(f"Warning: {warning}", "yellow")
    console.print()
    console.print(Text(answer.about["Signature"], style="dim"))


def _terminal_table(table: pd.DataFrame) -> Table:
    """A table with lines below clusters, and marks where methods disagree."""
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
    has_line = table.get("line", [False] * len(table))
    for row, line in zip(words.itertuples(index=False, name=None), has_line, strict=True):
        cells = [Text(cell) for cell in row]
        if words.columns[-1] == "range":
            cells[-1] = Text(f"{row[-1]} <", style="yellow") if row[-1] != "0" else Text("0  ")
        drawn.add_row(*cells)
        if line:
            drawn.add_row(*[Text("-" * len(column), style="dim") for column in words])
    return drawn


@contextmanager
def working() -> Iterator[Progress]:
    """Say on a terminal's stderr what is being done, and since when."""
    console = Console(stderr=True, markup=False)
    if not console.is_terminal:
        yield lambda step: None
        return
    started = time.monotonic()
    with console.status(Text("reading")) as status:

        def say(step: str) -> None:
            status.update(Text(f"{step} ({time.monotonic() - started:.0f} s)"))

        yield say
