"""Show an answer: on the terminal, as JSON, or as a folder with a page that can be mailed."""

import io
import json
import os
import re
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, cut

DIGITS = {  # how numbers are shown; JSON and CSV keep every digit
    **dict.fromkeys(("p", "corrected"), ".2g"),
    **dict.fromkeys(("perplexity", "error", "difference", "difference_error"), ".3f"),
    "above_next": ".3f",
    **dict.fromkeys(("then", "alone", "reliability", "expected"), ".2f"),
}
# On the terminal; tables take the width that they need.
SENTENCES = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
LONGEST_TABLE = 500  # rows of a table on a page
FORMULA = tuple(
    "=+-@\t\r\n＝＋－＠"
)  # what a spreadsheet takes for the start of a formula
NAME = re.compile(r"[^\W\d_]")  # a letter
LONGEST_NAME = 40  # letters of a name in a picture
FONTS = (  # that have letters which DejaVu Sans lacks; those that are not installed are skipped
    *(
        "Noto Sans CJK SC",
        "WenQuanYi Zen Hei",
        "PingFang SC",
        "Microsoft YaHei",
        "SimHei",
    ),
    *(
        "Noto Sans Devanagari",
        "Lohit Devanagari",
        "Nirmala UI",
        "Noto Sans Arabic",
        "Unifont",
    ),
)


@dataclass(frozen=True)
class Picture:
    """A picture: a function of `wmtlib.plots`, and what it draws.

    `size` is in inches; without it there is a line for each row of what is drawn.
    """

    name: str
    caption: str
    drawn: tuple[Any, ...] = field(repr=False)
    size: tuple[float, float] | None = None


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    title : str
    about : mapping of str to str
        Which file, how many judgements, which columns were used; the last entry is the
        signature.
    tables : mapping of str to DataFrame
        By their captions, in the order in which they are read.
    notes : sequence of str
        How to read the tables, a sentence or two each.
    warnings : sequence of str
        What may be misread.
    details : mapping of str to DataFrame
        Tables for files and JSON alone.
    pictures : sequence of Picture
    facts : mapping
        The file and the settings as data, for JSON.
    people : mapping from pseudonym to identifier
        The judges of a file of the user's own.
    """

    title: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    tables: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    details: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    pictures: list[Picture] = field(default_factory=list, repr=False)
    facts: dict[str, Any] = field(default_factory=dict, repr=False)
    people: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_identifiers(self) -> "Answer":
        """The same with the identifiers of the user's own judges in place of their numbers."""
        parts = {"tables": {**self.tables}, "details": {**self.details}}
        for tables in parts.values():
            for name in [name for name in tables if "judge" in tables[name]]:
                judge = tables[name]["judge"].map(
                    lambda number: self.people.get(number, number)
                )
                tables[name] = tables[name].assign(judge=judge)
        return replace(self, people={}, **parts)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, Image, display

        display(HTML(html_of(self)))
        for picture in self.pictures:
            display(Image(files_of(picture, dpi=100)["png"]))


def print_answer(answer: Answer) -> None:
    """Print an answer; judges of the user's own file go by their identifiers."""
    answer = answer.with_identifiers()
    lines = [
        f"{label}: {text}"
        for label, text in answer.about.items()
        if label != "Signature"
    ]
    lines += [f"Warning: {warning}" for warning in answer.warnings]
    print(answer.title, *map(SENTENCES.fill, lines), sep="\n")
    with pd.option_context("display.unicode.east_asian_width", True):
        for name, table in answer.tables.items():
            print(f"\n{name}\n{printed(table)}")
    print(
        "",
        *map(SENTENCES.fill, answer.notes),
        answer.about["Signature"],
        sep="\n",
        flush=True,
    )


def printed(table: pd.DataFrame) -> str:
    """A table as it is printed; a row of dashes parts clusters.

    >>> print(printed(pd.DataFrame({"system": ["x", "y"], "score": [1.5, None]})))
    system  score
    x      1.5000
    y
    """
    cells = tidied(table)
    is_name = cells.map(
        lambda cell: bool(NAME.search(cell)) and cell not in ("yes", "no", "nan")
    )
    for name in cells.columns[is_name.any()]:
        width = max(map(len, [name, *cells[name]]))
        cells[name] = cells[name].str.ljust(width)
        cells = cells.rename(columns={name: name.ljust(width)})
    rows = [line.rstrip() for line in cells.to_string(index=False).splitlines()]
    if "rank" in table and "cluster" in table:
        for k in np.flatnonzero(np.diff(table["cluster"]) != 0)[::-1]:
            rows.insert(k + 2, "-" * max(map(len, rows)))
    return "\n".join(rows)


def tidied(table: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it: every cell is text with few digits, a missing one is blank."""
    return pd.DataFrame(
        {str(c): [_cell(x, DIGITS.get(c, ".4f")) for x in table[c]] for c in table},
        dtype=object,
    )


def _cell(value: Any, digits: str) -> str:
    if value is None or pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return format(value, digits) if isinstance(value, float) else str(value)


def as_json(answer: Answer) -> str:
    """The answer as data: what was read, the settings, every table, the warnings."""
    document = {
        "title": answer.title,
        **answer.facts,
        "signature": answer.about["Signature"],
        "tables": {**answer.tables, **answer.details},
        "warnings": answer.warnings,
    }
    return json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value as JSON knows it: a table is a list of rows, NaN and infinity are null."""
    if isinstance(value, pd.DataFrame):
        value = value.to_dict(orient="records")
    if isinstance(value, Mapping):
        return {str(key): _plain(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(content) for content in value]
    value = value.item() if isinstance(value, np.generic) else value
    missing = value is pd.NA or (isinstance(value, float) and not np.isfinite(value))
    return None if missing else value


def html_of(answer: Answer, *, with_pictures: bool = False) -> str:
    """Warnings, tables and notes as HTML; with the pictures as SVG."""
    parts = [
        f"<p class='warning'><b>Warning:</b> {escape(w)}</p>" for w in answer.warnings
    ]
    for name, table in answer.tables.items():
        shown = tidied(table.head(LONGEST_TABLE)).to_html(index=False, border=0)
        parts.append(f"<h2>{escape(name)}</h2>{shown}")
    parts += [f"<p>{escape(note)}</p>" for note in answer.notes]
    for picture in answer.pictures if with_pictures else ():
        _, svg, drawn = files_of(picture)["svg"].decode().partition("<svg")
        caption = f"<figcaption>{escape(picture.caption)}</figcaption>"
        parts.append(f"<figure>{svg}{drawn}{caption}</figure>")
    return "\n".join(parts)


def require_writable(folder: Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or written to."""
    exists = next(
        path for path in (folder, *folder.absolute().parents) if os.path.lexists(path)
    )
    if not exists.is_dir() or not os.access(exists, os.W_OK | os.X_OK):
        raise DataError(
            f"{folder}: cannot be written ({exists} is not a folder, or is protected)"
        )


def write_answers(
    answers: Sequence[Answer], out: Path, *, several: bool, force: bool
) -> Path:
    """Write one answer into a folder, or several, each into a folder in it; where it all is.

    Raises
    ------
    DataError
        The folder holds another analysis, and it is not said that this is no matter.
    """
    ours = {escape(answer.about["Signature"]) for answer in answers}
    for page in [out / "index.html", *out.glob("*/index.html")] if not force else ():
        if page.exists() and not any(
            words in page.read_text("utf-8") for words in ours
        ):
            step = "choose another folder, or add --force"
            raise DataError(
                f"{out}: holds another analysis ({page.relative_to(out)}); {step}"
            )
    if not several:
        return write_answer(answers[0], out)
    for number, answer in enumerate(answers, start=1):
        name = re.sub("[^a-zA-Z0-9]+", "-", answer.facts["task"])
        write_answer(answer, out / f"{number:02d}-{name}")
    return out


def write_answer(answer: Answer, folder: Path) -> Path:
    """Write tables (CSV), pictures (PNG and SVG) and one page (index.html) that can be mailed.

    Files of the same names are replaced, all or none; others in the folder stay.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    DataError
        The folder cannot be written to.
    """
    page = Template(
        (resources.files("wmtlib.yours") / "page.html").read_text("utf-8")
    ).substitute(
        title=escape(answer.title),
        about="".join(
            f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in answer.about.items()
        ),
        body=html_of(answer, with_pictures=True),
    )
    files = {"index.html": page.encode()}
    for name, table in {**answer.tables, **answer.details}.items():
        safe = table.map(safe_cell).rename(columns=safe_cell)
        files[f"{_slug(name)}.csv"] = safe.to_csv(
            index=False, lineterminator="\n"
        ).encode()
    for picture in answer.pictures:
        files |= {
            f"{picture.name}.{kind}": data for kind, data in files_of(picture).items()
        }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as new:
            for name, data in files.items():
                Path(new, name).write_bytes(data)
            for name in files:
                os.replace(Path(new, name), folder / name)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
    return folder / "index.html"


def safe_cell(value: Any) -> Any:
    """A value fit for a cell of a CSV file: an apostrophe goes before what looks like a formula.

    >>> safe_cell("=cmd()"), safe_cell("online-A"), safe_cell(-1)
    ("'=cmd()", 'online-A', -1)
    """
    return (
        f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
    )


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def files_of(picture: Picture, *, dpi: int = 200) -> dict[str, bytes]:
    """A picture as PNG, for print at 200 dpi, and as SVG, the same bytes from run to run.

    Text in the SVG is text: a browser finds fonts of its own, and shapes Arabic and
    Hindi.
    """
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    from wmtlib import plots

    installed = {font.name for font in font_manager.fontManager.ttflist}
    settings = {
        "font.family": ["DejaVu Sans", *(name for name in FONTS if name in installed)],
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,  # a "$" in a name is a "$"
        "svg.fonttype": "none",
        "svg.hashsalt": "wmtlib",
    }
    files = {}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        size = picture.size or (7, 1.2 + 0.27 * len(picture.drawn[0]))
        figure = Figure(figsize=size, dpi=dpi, layout="constrained")
        getattr(plots, picture.name)(*picture.drawn, axes := figure.subplots())
        for part in (axes, *axes.child_axes):
            for axis in (part.xaxis, part.yaxis):
                names = [
                    cut(label.get_text(), LONGEST_NAME)
                    for label in axis.get_ticklabels()
                ]
                if any("…" in name for name in names):
                    axis.set_ticks(axis.get_ticklocs(), names)
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight")
            files[kind] = buffer.getvalue()
    return files


def progress(step: str, share: float = 0.0) -> None:
    """Say on a terminal's stderr what is being done, and what share of it; "" ends the line."""
    if sys.stderr.isatty():
        words = "".join(c for c in step if c.isprintable())[:70]
        words += f"{f' {share:.0%}' if share else ''} ..." if words else ""
        print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)
