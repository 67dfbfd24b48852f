"""An answer about somebody's judgements: sections of text, warnings, tables and drawings.

`wmtlib.cli` prints it or writes it into a folder; JupyterLab shows it as it is. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.yours import drawings
from wmtlib.yours.drawings import Drawing

SHOWN_DIGITS = {  # how numbers are shown; JSON and CSV keep every digit
    **dict.fromkeys(("p", "corrected"), ".2g"),
    **dict.fromkeys(("perplexity", "error", "difference", "difference_error"), ".3f"),
    "above_next": ".3f",
    **dict.fromkeys(("then", "alone", "reliability", "expected"), ".2f"),
}
LONGEST_TABLE = 500  # rows of a table on a page
PSEUDONYM = re.compile(r"\b(judge|worker)_[0-9]+\b")
Progress = Callable[..., None]  # of a step in words and, where it is known, the share that is done


@dataclass(frozen=True)
class AnswerSection:
    """A part of an answer.

    Attributes
    ----------
    title, text : str
    warnings : sequence of str
    tables : mapping of str to DataFrame
        By their captions; shown everywhere.
    details : mapping of str to DataFrame
        Tables for files and JSON alone.
    drawings : sequence of Drawing
    """

    title: str
    text: str
    warnings: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    details: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    drawings: Sequence[Drawing] = field(default=(), repr=False)

    @property
    def all_tables(self) -> dict[str, pd.DataFrame]:
        """The tables, and those with details."""
        return {**self.tables, **self.details}

    def _repr_html_(self) -> str:
        words = [f"<h4>{escape(self.title)}</h4>", f"<p>{escape(self.text)}</p>"]
        words += [f"<p><b>Warning:</b> {escape(warning)}</p>" for warning in self.warnings]
        for name, table in self.tables.items():
            shown = tidied(table.head(LONGEST_TABLE)).to_html(index=False, border=0)
            words.append(f"<p>{escape(name)}</p>{shown}")
        return "\n".join(words)


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    title : str
    about : mapping of str to str
        Which file, which task, how many judgements; the last entry is the signature.
    sections : sequence of AnswerSection
    warnings : sequence of str
        About the judgements.
    document : mapping
        The answer as data: see `wmtlib.yours.answer_data`.
    people : mapping from pseudonym to identifier
        The judges in a file of the user's own, for `with_identifiers`.
    """

    title: str
    about: Mapping[str, str]
    sections: Sequence[AnswerSection]
    warnings: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)
    people: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_identifiers(self) -> "Answer":
        """The same with the identifiers of the user's own judges in place of their numbers."""
        return replace(_identified(self, self.people), people={}) if self.people else self

    def _ipython_display_(self) -> None:
        from IPython.display import Image, display

        for warning in self.warnings:
            display({"text/plain": f"Warning: {warning}"}, raw=True)
        for section in self.sections:
            display(section)
            for drawing in section.drawings:
                display(Image(drawings.drawing_png(drawing)))


def _identified(value: Any, people: Mapping[str, str]) -> Any:
    """A value with identifiers for pseudonyms in every text of it."""
    if isinstance(value, str):
        return PSEUDONYM.sub(lambda found: people.get(found[0], found[0]), value)
    if isinstance(value, Mapping):
        return {_identified(k, people): _identified(v, people) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_identified(part, people) for part in value)
    if isinstance(value, pd.DataFrame):
        renamed = value.map(_identified, people=people)
        return renamed.rename(index=partial(_identified, people=people))
    if isinstance(value, Answer | AnswerSection | Drawing):
        known = {f.name: getattr(value, f.name) for f in fields(value)}
        return replace(value, **{k: _identified(v, people) for k, v in known.items()})
    return value


def tidied(table: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it: every cell is text with few digits, a missing one is blank."""
    return pd.DataFrame(
        {str(c): [_cell(x, SHOWN_DIGITS.get(c, ".4f")) for x in table[c]] for c in table},
        dtype=object,
    )


def _cell(value: Any, digits: str) -> str:
    if value is None or pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return format(value, digits) if isinstance(value, float) else str(value)
