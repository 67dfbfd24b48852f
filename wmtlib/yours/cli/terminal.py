"""An answer on the terminal. Names may be anybody's: they are shown as they are."""

import os
import re
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import pandas as pd

from wmtlib.yours.answers import Answer, tidied
from wmtlib.yours.names import cut, width_of

PROSE = 100  # width of prose in a file or a pipe; tables take what they need
SHORTEST = 20  # to which names are cut and sentences wrapped on a narrow terminal
HEADING = 6  # longer headings over shorter cells become numbers on a narrow terminal
SENTENCE = 28  # longer cells with blanks are wrapped
STYLES = {"bold": "1", "yellow": "33", "dim": "2"}
NUMBER = re.compile(r"[-+~]?[\d.,]*\d(e[-+]?\d+)?%?(–\d+)?( <|  )?|nan|-?inf|")


def show(answer: Answer) -> None:
    """Print an answer."""
    Printer().show(answer, last=True)


class Printer:
    """Prints an answer as it grows: colours and narrow tables on a terminal, plain text elsewhere.

    Attributes
    ----------
    printed : int
        Sections that were printed.
    """

    def __init__(self) -> None:
        self.printed = 0
        self._is_terminal = sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))
        self._width = shutil.get_terminal_size().columns if self._is_terminal else None

    def show(self, answer: Answer, *, last: bool) -> None:
        """Print what was not printed yet; the signature if this is the last time.

        Judges of the user's own file go by their identifiers: nobody else reads a terminal.
        """
        answer = answer.with_identifiers()
        if not self.printed:
            self._say(answer.title, "bold")
            for name, words in answer.about.items():
                if name != "Signature":
                    self._say(f"{name}: {words}")
            self._warn(answer.warnings)
        for section in answer.sections[self.printed :]:
            print()
            self._say(section.title, "bold")
            for name, table in section.tables.items():
                if len(section.tables) > 1:
                    self._say(f"[{name}]")
                for line, style in table_lines(table, self._width):
                    print(self._styled(line, style))
                print()
            self._say(section.text)
            self._warn(section.warnings)
        self.printed = len(answer.sections)
        if last:
            print("\n" + self._styled(answer.about["Signature"], "dim"))
        sys.stdout.flush()

    def _warn(self, warnings: Sequence[str]) -> None:
        for warning in warnings:
            self._say(f"Warning: {warning}", "yellow")

    def _say(self, words: str, style: str = "") -> None:
        width = self._width or PROSE
        for line in _wrapped(words, width, whole=self._width is None):
            print(self._styled(line, style))

    def _styled(self, line: str, style: str) -> str:
        plain = not style or not self._is_terminal or "NO_COLOR" in os.environ
        return line if plain else f"\x1b[{STYLES[style]}m{line}\x1b[0m"


def table_lines(table: pd.DataFrame, width: int | None) -> list[tuple[str, str]]:
    """The lines of a table and their styles: lines below clusters, marks where methods disagree.

    In a table that is too wide sentences are wrapped, long headings become numbers, which are
    explained below it, names are cut in the middle, and the last columns continued below.
    """
    words = tidied(table.drop(columns="line", errors="ignore"))
    words = words.loc[:, (words != "").any()]
    heads, columns = [*words], [words[name].tolist() for name in words]
    if heads[-1] == "range":
        columns[-1] = [f"{cell} <" if cell != "0" else "0  " for cell in columns[-1]]
    right = [all(map(NUMBER.fullmatch, cells)) for cells in columns]
    prose = [any(len(cell) > SENTENCE and " " in cell for cell in cells) for cells in columns]
    needed = [max(map(width_of, cells), default=0) for cells in columns]
    room, keys = width or sys.maxsize, []

    def excess() -> int:
        widest = (max(n, width_of(head)) for n, head in zip(needed, heads, strict=True))
        return sum(widest) + 2 * (len(heads) - 1) - room

    def narrow(soft: Sequence[bool]) -> None:
        longest = max((n for n, s in zip(needed, soft, strict=True) if s), default=0)
        while excess() > 0 and longest > SHORTEST:
            longest -= 1
            needed[:] = [min(n, longest) if s else n for n, s in zip(needed, soft, strict=True)]

    narrow(prose)
    if excess() > 0:
        for k, head in enumerate(heads):
            if width_of(head) > max(needed[k], HEADING):
                keys.append(f"[{len(keys) + 1}] {head}")
                heads[k] = f"[{len(keys)}]"
    names, before = [not r and not p for r, p in zip(right, prose, strict=True)], [*needed]
    narrow(names)
    if excess() > 0:  # columns are continued below anyway, beside names up to half of the width
        needed = [min(n, room // 2) if s else n for n, s in zip(before, names, strict=True)]
    columns = [
        [_folded(c, n) if p else [cut(c, n)] for c in cells]
        for cells, n, p in zip(columns, needed, prose, strict=True)
    ]
    needed = [max(n, width_of(head)) for n, head in zip(needed, heads, strict=True)]
    lines, rest = [], [*range(1, len(heads))]
    while rest or not lines:
        shown, taken = [0], sum(needed[:1])
        while rest and (len(shown) == 1 or taken + 2 + needed[rest[0]] <= room):
            taken += 2 + needed[rest[0]]
            shown.append(rest.pop(0))
        lines += [("", "")] * bool(lines)
        lines += _block(shown, heads, columns, needed, right, table.get("line"))
    return lines + [(line, "") for line in _wrapped(", ".join(keys), min(room, PROSE))]


def _block(
    shown: Sequence[int],
    heads: Sequence[str],
    columns: Sequence[list[list[str]]],
    needed: Sequence[int],
    right: Sequence[bool],
    below: pd.Series | None,
) -> Iterator[tuple[str, str]]:
    """The lines of some columns beside each other; a cell is a list of lines."""

    def row(cells: Sequence[str]) -> str:
        blanks = [" " * (needed[k] - width_of(c)) for k, c in zip(shown, cells, strict=True)]
        parts = zip(shown, cells, blanks, strict=True)
        return "  ".join(b + c if right[k] else c + b for k, c, b in parts).rstrip()

    yield row([heads[k] for k in shown]), "bold"
    for number in range(len(columns[0])):
        for cells in zip_longest(*(columns[k][number] for k in shown), fillvalue=""):
            line = row(cells)
            yield line, "yellow" if line.endswith(" <") else ""
        if below is not None and below.iloc[number]:
            yield row(["-" * width_of(heads[k]) for k in shown]), "dim"


def _wrapped(words: str, width: int, *, whole: bool = False) -> list[str]:
    return textwrap.wrap(words, width, break_long_words=not whole, break_on_hyphens=False)


def _folded(cell: str, width: int) -> list[str]:
    """A sentence in a cell, on several lines; names in it that are longer than a line are cut."""
    return _wrapped(" ".join(cut(word, width) for word in cell.split()), width) or [""]


class ProgressLine:
    """Says on a terminal's stderr what is being done, since when, and for how much longer."""

    def __init__(self) -> None:
        self._begun, self._step, self._share = time.monotonic(), "", 0.0
        self._step_begun, self._thread = self._begun, None
        self._is_terminal = sys.stderr.isatty() or bool(os.environ.get("FORCE_COLOR"))

    def __call__(self, step: str, share: float = 0.0) -> None:
        """A step, and what share of it is done."""
        if step != self._step:
            self._step, self._step_begun = step, time.monotonic()
        self._share = share
        if self._is_terminal and self._thread is None:
            self._ended = threading.Event()
            self._thread = threading.Thread(target=self._run, args=[self._ended], daemon=True)
            self._say()
            self._thread.start()

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Leave the terminal to somebody else."""
        if self._thread is not None:
            self._ended.set()
            self._thread.join()
            self._thread = None
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _run(self, ended: threading.Event) -> None:
        while not ended.wait(0.2):
            self._say()

    def _say(self) -> None:
        now, share = time.monotonic(), self._share
        words = f"{self._step} ({now - self._begun:.0f} s"
        if share > 0 and (taken := now - self._step_begun) > 1:
            words += f", about {taken * (1 - share) / share:.0f} s left"
        line = "".join(c if c.isprintable() else "?" for c in words + ")")
        width = shutil.get_terminal_size().columns
        print("\r\x1b[K" + cut(line, width - 1), end="", file=sys.stderr, flush=True)
