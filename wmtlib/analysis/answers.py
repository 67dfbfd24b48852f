"""An answer about somebody's judgements: sections of text, warnings, tables and drawings.

`wmtlib.cli` prints it or writes it into a folder; JupyterLab shows it as it is. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.analysis import drawings
from wmtlib.analysis.drawings import Drawing

SHOWN_DIGITS = {  # how numbers are shown; JSON and CSV keep every digit
    **dict.fromkeys(("p", "corrected"), ".2g"),
    **dict.fromkeys(("perplexity", "error", "difference", "difference_error"), ".3f"),
    "above_next": ".3f",
}
LONGEST_TABLE = 500  # rows of a table on a page
Progress = Callable[[str], None]


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
        The answer as data: see `wmtlib.analysis.answer_data`.
    """

    title: str
    about: Mapping[str, str]
    sections: Sequence[AnswerSection]
    warnings: Sequence[str] = ()
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def _ipython_display_(self) -> None:
        from IPython.display import Image, display

        for warning in self.warnings:
            display({"text/plain": f"Warning: {warning}"}, raw=True)
        for section in self.sections:
            display(section)
            for drawing in section.drawings:
                display(Image(drawings.drawing_png(drawing)))


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
