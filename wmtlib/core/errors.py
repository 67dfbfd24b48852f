"""Errors for users, positions in their files, and options as messages name them.

An option has one name in Python and another on the command line. A `Message` knows both
texts; whoever shows it to a user of the command line calls `on_command_line`. A warning
is a message with a code, which stays when its words change.
"""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain, starmap
from typing import Any

import numpy as np
import pandas as pd

MOST_SHOWN = 3  # names of each group of systems in a warning
MOST_LISTED = 40  # of the names that are expected
FRAME = "DataFrame"  # the name of a table in memory
LONGEST_PROPOSED = 100  # signs of a name that is like another; more take long


class Message(str):
    """A text that names options as Python does, and the same as the command line does.

    Parameters
    ----------
    python, command_line : str
        The text in the words of each; without the latter they are the same.
    code : str
        Of a warning: one of those in columns.toml.
    """

    command_line: str
    code: str

    def __new__(
        cls, python: str, command_line: str | None = None, code: str = "other"
    ) -> "Message":
        message = super().__new__(cls, python)
        message.command_line = python if command_line is None else command_line
        message.code = code
        return message


def on_command_line(text: "str | DataError") -> str:
    """Return a text, or the message of an error, in the words of the command line.

    >>> on_command_line(Message("task", "--task")), on_command_line("a fault")
    ('--task', 'a fault')
    """
    words = text.args[0] if isinstance(text, DataError) else text
    if not isinstance(words, Message):
        return words
    return Message(words.command_line, code=words.code)


def joined(*texts: str, between: str = "", code: str = "other") -> Message:
    """Join texts to one message.

    An f-string would keep the words of Python alone.

    >>> step = joined("to leave it out, add ", Message("ignore='x'", "--ignore x"))
    >>> print(step, "|", on_command_line(step))
    to leave it out, add ignore='x' | to leave it out, add --ignore x
    """
    command_line = between.join(map(on_command_line, texts))
    return Message(between.join(texts), command_line, code)


def warning(code: str, *texts: str) -> Message:
    """Join texts to a warning that has a code.

    >>> warning("few_units", "there are ", "3 judges only").code
    'few_units'
    """
    return joined(*texts, code=code)


class DataError(ValueError):
    """Input that cannot be used; the message is one line fit for a terminal.

    >>> print(DataError("votes.csv, line 3: score is 'x'; expected a number"))
    votes.csv, line 3: score is 'x'; expected a number
    """


class Question(DataError):
    """What a table does not declare; the last line is the whole command to copy.

    In it words in capitals stand for what the user has to say, so that a copy of it is
    refused. `str` gives the call of `wmtlib.read`, methods give the other commands.

    Parameters
    ----------
    path : str
        The file, or `FRAME`.
    fault : str
        What is not known.
    details : sequence of str
        What is asked about, a line each.
    asked : sequence of (option, value)
        What to add to the command; of options that are mappings in Python the value is
        a pair. Of several readings, a mapping from words about each to such sequences.

    Examples
    --------
    >>> question = Question("votes.csv", "2 kinds fit", [], [("kind", "KIND")])
    >>> print(question)
    votes.csv: 2 kinds fit
    wmtlib.read('votes.csv', kind='KIND')
    >>> print(question.on_command_line(["wmtlib", "rank", "votes.csv"]))
    votes.csv: 2 kinds fit
    wmtlib rank votes.csv --kind KIND
    """

    def __init__(
        self,
        path: str,
        fault: str,
        details: Sequence[str],
        asked: "Asked | Mapping[str, Asked]",
    ) -> None:
        super().__init__(f"{path}: {fault}")
        self.path = path
        self.details = [*details]
        self.readings = asked if isinstance(asked, Mapping) else {"": asked}
        self.given: Mapping[str, Any] = {}  # the options of `wmtlib.read`

    def __str__(self) -> str:
        source = "frame" if self.path == FRAME else repr(self.path)

        def call(asked: Asked) -> str:
            options = with_options(self.given, asked)
            words = [source, *(f"{name}={options[name]!r}" for name in options)]
            return f"wmtlib.read({', '.join(words)})"

        return self._written(call)

    def on_command_line(self, words: Sequence[str]) -> str:
        """Return the message with commands that begin with the words typed."""

        def command(asked: Asked) -> str:
            return shlex.join([*words, *chain(*starmap(_words_of, asked))])

        return self._written(command)

    def by_make(self, file: str, words: str) -> str:
        """Return the message with calls of make, which take options by P."""

        def call(asked: Asked) -> str:
            added = [f"{name}={_value_of(value)}" for name, value in asked]
            options = shlex.join([*shlex.split(words), *added])
            return f"make rank FILE={shlex.quote(file)} P={shlex.quote(options)}"

        return self._written(call)

    def _written(self, command: Callable[["Asked"], str]) -> str:
        lines = [self.args[0], *(f"  {line}" for line in self.details)]
        for about, asked in self.readings.items():
            lines += [f"{about}:", command(asked)] if about else [command(asked)]
        return "\n".join(lines)


Asked = Sequence[tuple[str, Any]]


def with_options(given: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """Add options to those of `wmtlib.read`, as Python writes them.

    >>> with_options({}, [("column", ("ROLE", "x")), ("column", ("ROLE", "y"))])
    {'column': {'ROLE': ['x', 'y']}}
    """
    options = {**given}
    for name, value in asked:
        if name in ("missing", "sheet", "ignore"):
            old = options.get(name, [])
            options[name] = [*(old if isinstance(old, list | tuple) else [old]), value]
        elif isinstance(value, tuple) and name != "scale":
            key, word = value
            known = {**options.get(name, {})}
            old = known.get(key, [])
            several = [*([old] if isinstance(old, str) else old), word]
            known[key] = word if len(several) == 1 else several
            options[name] = known
        else:
            options[name] = value
    return options


def _value_of(value: Any) -> str:
    """Write a value of an option as the command line takes it.

    >>> _value_of(("ROLE", "x")), _value_of((5, 1)), _value_of("last")
    ('ROLE=x', '5,1', 'last')
    """
    if not isinstance(value, tuple):
        return str(value)
    is_scale = value == ("WORST", "BEST") or not isinstance(value[0], str)
    return ("," if is_scale else "=").join(map(str, value))


def _words_of(name: str, value: Any) -> list[str]:
    """Write an option and its value; after a blank, -1 would be an option."""
    word = _value_of(value)
    if word.startswith("-") or not word:
        return [f"--{name}={word}"]
    return [f"--{name}", word]


class DataUnavailable(DataError):
    """A file that cannot be reached; another source may still have it."""


class JudgementWarning(UserWarning):
    """Data that can mislead; issued where a frame is ranked or resampled.

    >>> import warnings
    >>> warnings.simplefilter("ignore", JudgementWarning)  # issues none of them
    """


@dataclass(frozen=True)
class Origin:
    """The source of rows, and their positions in it.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    where : callable
        Gives the position of a row (0 = the first below the header) in words; one row
        a line by default.
    """

    name: str
    where: Callable[[int], str] = lambda row: f"line {row + 2}"

    def refuse(self, *fault: str, row: int | None = None) -> DataError:
        """Return the error about a row, or about the whole file; texts are `joined`."""
        place = "" if row is None else f", {self.where(int(row))}"
        return DataError(joined(f"{self.name}{place}: ", *fault))

    def refuse_line(self, line: int, *fault: str) -> DataError:
        """Return the error about a line of the file (1 = the header)."""
        return DataError(joined(f"{self.name}, line {line}: ", *fault))

    def ask(
        self, fault: str, details: Sequence[str], asked: "Asked | Mapping[str, Asked]"
    ) -> Question:
        """Return the question about what the table does not declare."""
        return Question(self.name, fault, details, asked)

    def take(self, rows: Sequence[int]) -> "Origin":
        """Return the positions of some of the rows."""
        return replace(self, where=lambda row: self.where(int(rows[row])))


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
        A fine value in words, for the error.
    """
    for column in columns:
        values = raw[column].cat
        # A missing value has the code -1, which takes the last one.
        bad = np.array([*(not fine(value) for value in values.categories), True])
        if (row := first_row(bad[values.codes])) is not None:
            value = short_repr(raw[column].iloc[row])
            raise origin.refuse(f"{column} is {value}; expected {expected}", row=row)


def first_row(bad: np.ndarray) -> int | None:
    """Return the row of the first True, or None."""
    rows = np.flatnonzero(bad)
    return int(rows[0]) if len(rows) else None


# --- words ----------------------------------------------------------------------------


def short_repr(value: object) -> str:
    """Return a value that was found in a file, short enough for a terminal."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def shorten(words: str, width: int) -> str:
    """Cut a name in the middle: its ends tell it from others.

    >>> shorten("online-A.large.2024.de-en", 16)
    'online-A…4.de-en'
    """
    half = width // 2
    return words if len(words) <= width else f"{words[:half]}…{words[1 - half :]}"


def join_names(names: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Join names with commas; the first `most` if there are more."""
    first = ", ".join(map(short_repr, names[:most]))
    return f"{first}, ..." if len(names) > most else first


def reason(error: Exception) -> str:
    """Return the reason of a failure in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Propose a name that is like a word, after a semicolon; "" if none is.

    >>> did_you_mean("bradley_terry", ["mfas", "bradley-terry"])
    "; did you mean 'bradley-terry'?"
    """
    short = [name for name in names if len(name) <= LONGEST_PROPOSED]
    close = get_close_matches(word, short, n=1, cutoff=0.75)
    return f"; did you mean {short_repr(close[0])}?" if close else ""


def unknown(what: str, name: str, names: Iterable[str]) -> DataError:
    """Return the error about a name that is none of those at hand.

    >>> print(unknown("system", "onlinea", ["jhu", "onlineA"]))
    no system 'onlinea'; expected jhu, onlineA; did you mean 'onlineA'?
    """
    known = [*names]
    expected = ", ".join(known[:MOST_LISTED])
    hint = did_you_mean(name, known)
    return DataError(f"no {what} {short_repr(name)}; expected {expected}{hint}")


# --- options --------------------------------------------------------------------------

NO_REFERENCE = Message("reference=''", "--reference ''")


def setting(name: str, value: object, *words: str) -> Message:
    """Write an option with its value, such as the kind of a file.

    Parameters
    ----------
    value : object
        Of a list, and of a mapping, the command line takes each entry by itself.
    *words : str
        Values on the command line, if they are others.

    Examples
    --------
    >>> kind = setting("kind", "rankings")
    >>> print(kind, "|", kind.command_line)
    kind='rankings' | --kind rankings
    >>> both = setting("reference", ["A", "B"])
    >>> print(both, "|", both.command_line)
    reference=['A', 'B'] | --reference A --reference B
    """
    option = name.replace("_", "-")
    if not words:
        words = tuple(value) if isinstance(value, list) else (str(value),)
    if isinstance(value, dict):
        words = tuple(f"{key}={word}" for key, word in value.items())
    options = [f"--{option} {shlex.quote(word)}" for word in words]
    return Message(f"{name}={value!r}", " ".join(options))
