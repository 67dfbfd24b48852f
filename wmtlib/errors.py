"""What users are told: the error, the place of its cause, and names of settings.

A setting has one name in Python and another on the command line. A message that names
one is a `Message`, which knows both; who shows it to a user of the command line calls
`on_command_line`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np
import pandas as pd


class Message(str):
    """A text that names settings as Python does, and the same as the command line does.

    Parameters
    ----------
    python, command_line : str
        The text in the words of each.
    """

    command_line: str

    def __new__(cls, python: str, command_line: str) -> "Message":
        message = super().__new__(cls, python)
        message.command_line = command_line
        return message


def on_command_line(text: "str | DataError") -> str:
    """A text, or the message of an error, in the words of the command line.

    >>> on_command_line(Message("task", "--task")), on_command_line("a fault")
    ('--task', 'a fault')
    """
    words = text.args[0] if isinstance(text, DataError) else text
    return words.command_line if isinstance(words, Message) else words


def joined(*texts: str, between: str = "") -> Message:
    """Texts put together as one message.

    An f-string would keep the words of Python alone.

    >>> step = joined("to leave it out, add ", Message("skip_bad=True", "--skip-bad"))
    >>> print(step, "|", on_command_line(step))
    to leave it out, add skip_bad=True | to leave it out, add --skip-bad
    """
    return Message(between.join(texts), between.join(map(on_command_line, texts)))


class DataError(ValueError):
    """Input that cannot be used; the message is one line fit for a terminal.

    >>> print(DataError("votes.csv, line 3: score is 'x'; expected a number"))
    votes.csv, line 3: score is 'x'; expected a number
    """


class DataUnavailable(DataError):
    """A file cannot be reached; another source may still have it."""


class JudgementWarning(UserWarning):
    """What may be misread in judgements; issued where a frame is ranked or resampled.

    >>> import warnings
    >>> warnings.simplefilter("ignore", JudgementWarning)  # says none of it
    """


@dataclass(frozen=True)
class Origin:
    """Where rows come from.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    where : callable
        Where a row (0 = the first below the header) stands, in words; one row a line by
        default.
    """

    name: str
    where: Callable[[int], str] = lambda row: f"line {row + 2}"

    def refuse(self, *fault: str, row: int | None = None) -> DataError:
        """The error about a row, or about the whole file; texts are `joined`."""
        place = "" if row is None else f", {self.where(int(row))}"
        return DataError(joined(f"{self.name}{place}: ", *fault))

    def refuse_line(self, line: int, *fault: str) -> DataError:
        """The error about a line of the file (1 = the header)."""
        return DataError(joined(f"{self.name}, line {line}: ", *fault))

    def take(self, rows: Sequence[int]) -> "Origin":
        """The places of some of the rows."""
        return replace(self, where=lambda row: self.where(int(rows[row])))


def first_row(bad: np.ndarray) -> int | None:
    """Row of the first True, or None."""
    rows = np.flatnonzero(bad)
    return int(rows[0]) if len(rows) else None


def shown(value: object) -> str:
    """A value found in a file, short enough for a terminal."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def cut(words: str, width: int) -> str:
    """A name cut in the middle: its ends tell it from others.

    >>> cut("online-A.large.2024.de-en", 16)
    'online-A…4.de-en'
    """
    half = width // 2
    return words if len(words) <= width else f"{words[:half]}…{words[1 - half :]}"


def check_values(
    raw: pd.DataFrame,
    columns: list[str],
    fine: Callable[[str], object],
    expected: str,
    origin: Origin,
) -> None:
    """Refuse the first row with a value that is missing, or not `fine`.

    Parameters
    ----------
    raw : DataFrame
        Columns of categories; `fine` looks at each category once.
    expected : str
        What a fine value is, for the error.
    """
    for column in columns:
        values = raw[column].cat
        # A missing value has the code -1, which takes the last one.
        bad = np.array([*(not fine(value) for value in values.categories), True])
        if (row := first_row(bad[values.codes])) is not None:
            value = shown(raw[column].iloc[row])
            raise origin.refuse(f"{column} is {value}; expected {expected}", row=row)


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """What may have been meant by a word, if anything; begins with a semicolon.

    >>> did_you_mean("bradley_terry", ["mfas", "bradley-terry"])
    "; did you mean 'bradley-terry'?"
    """
    close = get_close_matches(word, [*names], n=1, cutoff=0.75)
    return f"; did you mean {shown(close[0])}?" if close else ""


MOST_SHOWN = 3  # names of each group of systems in a warning


def listed(names: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Names with commas between them; the first `most` if there are more."""
    first = ", ".join(map(shown, names[:most]))
    return f"{first}, ..." if len(names) > most else first
