"""Show an answer: on the terminal, as JSON, or as a folder with a page to mail."""

import io
import json
import os
import re
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Iterable, Mapping, Sequence
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
    "p": ".2g",
    "corrected": ".2g",
    "perplexity": ".3f",
    "error": ".3f",
    "difference": ".3f",
    "difference_error": ".3f",
    "above_next": ".3f",
    "then": ".2f",
    "alone": ".2f",
    "reliability": ".2f",
    "expected": ".2f",
}
# On the terminal; tables take the width that they need.
SENTENCES = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
LONGEST_TABLE = 500  # rows of a table on a page
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # a spreadsheet takes them for a formula's start
NAME = re.compile(r"[^\W\d_]")  # a letter
LONGEST_NAME = 40  # letters of a name in a picture
LONGEST_FOLDER = 60  # letters of the name of a task's folder, after its number
# They have letters which DejaVu Sans lacks; those that are not installed are skipped.
FONTS = (
    "Noto Sans CJK SC",
    "WenQuanYi Zen Hei",
    "PingFang SC",
    "Microsoft YaHei",
    "SimHei",
    "Noto Sans Devanagari",
    "Lohit Devanagari",
    "Nirmala UI",
    "Noto Sans Arabic",
    "Unifont",
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
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    details: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    pictures: Sequence[Picture] = field(default=(), repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    people: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_identifiers(self) -> "Answer":
        """The same with the identifiers of the user's judges for their numbers."""

        def named(table: pd.DataFrame) -> pd.DataFrame:
            if "judge" not in table:
                return table
            return table.assign(judge=[self.people.get(j, j) for j in table["judge"]])

        return replace(
            self,
            people={},
            tables={name: named(table) for name, table in self.tables.items()},
            details={name: named(table) for name, table in self.details.items()},
        )

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, Image, display

        display(HTML(html_of(self)))
        for picture in self.pictures:
            display(Image(files_of(picture, dpi=100)["png"]))


def print_answer(answer: Answer) -> None:
    """Print an answer; judges of the user's own file go by their identifiers."""
    answer = answer.with_identifiers()
    print(answer.title)
    for label, text in answer.about.items():
        if label != "Signature":
            print(SENTENCES.fill(f"{label}: {text}"))
    for warning in answer.warnings:
        print(SENTENCES.fill(f"Warning: {warning}"))
    with pd.option_context("display.unicode.east_asian_width", True):
        for name, table in answer.tables.items():
            print(f"\n{name}\n{printed(table)}")
    print()
    for note in answer.notes:
        print(SENTENCES.fill(note))
    print(answer.about["Signature"], flush=True)


def printed(table: pd.DataFrame) -> str:
    """A table as it is printed; a row of dashes parts clusters.

    >>> print(printed(pd.DataFrame({"system": ["x", "y"], "score": [1.5, None]})))
    system  score
    x      1.5000
    y
    """
    cells = tidied(table)
    words = cells.replace(["yes", "no", "nan"], "")
    for name in words:
        if words[name].str.contains(NAME).any():
            width = max(map(len, [name, *cells[name]]))
            cells[name] = cells[name].str.ljust(width)
            cells = cells.rename(columns={name: name.ljust(width)})
    rows = [line.rstrip() for line in cells.to_string(index=False).splitlines()]
    if "rank" in table and "cluster" in table:
        for k in np.flatnonzero(np.diff(table["cluster"]) != 0)[::-1]:
            rows.insert(k + 2, "-" * max(map(len, rows)))
    return "\n".join(rows)


def tidied(table: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it: cells are text with few digits, blank if missing."""
    return pd.DataFrame(
        {str(c): [_cell(x, DIGITS.get(c, ".4f")) for x in table[c]] for c in table},
        dtype=object,
    )


def _cell(value: Any, digits: str) -> str:
    if pd.isna(value):
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
    """A value as JSON knows it: a table is a list of rows, no number is infinite."""
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
    blocks = [
        f"<p class='warning'><b>Warning:</b> {escape(warning)}</p>"
        for warning in answer.warnings
    ]
    for name, table in answer.tables.items():
        rows = tidied(table.head(LONGEST_TABLE)).to_html(index=False, border=0)
        blocks.append(f"<h2>{escape(name)}</h2>{rows}")
    blocks += [f"<p>{escape(note)}</p>" for note in answer.notes]
    if with_pictures:
        for picture in answer.pictures:
            _, tag, drawing = files_of(picture)["svg"].decode().partition("<svg")
            caption = f"<figcaption>{escape(picture.caption)}</figcaption>"
            blocks.append(f"<figure>{tag}{drawing}{caption}</figure>")
    return "\n".join(blocks)


def require_writable(folder: Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or written."""
    paths = (folder, *folder.absolute().parents)
    nearest = next(path for path in paths if os.path.lexists(path))
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise DataError(
            f"{folder}: cannot be written ({nearest} is not a folder, or is protected)"
        )


def write_answers(
    answers: Sequence[Answer], out: Path, *, several: bool, force: bool
) -> Path:
    """Write one answer into a folder, or several, each into a folder in it.

    Returns
    -------
    Path
        Of the page, or of the folder of several.

    Raises
    ------
    DataError
        Without `force`, the folder holds another analysis, or files of the same names
        that are no analysis of these judgements. Another run is writing into it, or it
        cannot be written to.
    """
    folders = [out]
    if several:
        names = [re.sub("[^a-zA-Z0-9]+", "-", a.facts["task"]) for a in answers]
        folders = [
            out / f"{number:02d}-{name[:LONGEST_FOLDER]}"
            for number, name in enumerate(names, start=1)
        ]
    lock = out / ".wmtlib-is-writing"
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock.mkdir()
    except FileExistsError:
        fault = f"{out}: another run is writing into it"
        raise DataError(f"{fault}; if none is, remove {lock}") from None
    except OSError as error:
        raise DataError(f"{out}: cannot be written ({error.strerror})") from None
    try:
        files = [*map(files_of_answer, answers)]
        if not force:
            signatures = [escape(answer.about["Signature"]) for answer in answers]
            _require_own(out, signatures, zip(folders, files, strict=True))
        pages = [*map(_write, files, folders)]
    finally:
        lock.rmdir()
    return out if several else pages[0]


def _require_own(
    out: Path,
    signatures: Sequence[str],
    written: Iterable[tuple[Path, Mapping[str, bytes]]],
) -> None:
    """Refuse a folder with another analysis, or with files that would be replaced."""
    others = []
    for page in [*out.glob("index.html"), *out.glob("*/index.html")]:
        text = page.read_text("utf-8")
        if text and not any(signature in text for signature in signatures):
            others.append(page)
    for folder, files in written:
        if not (folder / "index.html").exists():
            paths = [folder / name for name in files]
            others += [path for path in paths if path.exists()]
    if others:
        raise DataError(
            f"{out}: holds another analysis ({others[0].relative_to(out)}); choose"
            " another folder, or add --force"
        )


def write_answer(answer: Answer, folder: Path) -> Path:
    """Write tables (CSV), pictures (PNG and SVG) and one page (index.html) to mail.

    Files of the same names are replaced, the page last; others in the folder stay.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    DataError
        The folder cannot be written to.
    """
    return _write(files_of_answer(answer), folder)


def _write(files: Mapping[str, bytes], folder: Path) -> Path:
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


def files_of_answer(answer: Answer) -> dict[str, bytes]:
    """What is written into a folder, by name; the page, which shows the rest, last."""
    files = {}
    for name, table in {**answer.tables, **answer.details}.items():
        safe = table.map(safe_cell).rename(columns=safe_cell)
        text = safe.to_csv(index=False, lineterminator="\n")
        files[f"{_slug(name)}.csv"] = text.encode()
    for picture in answer.pictures:
        for kind, data in files_of(picture).items():
            files[f"{picture.name}.{kind}"] = data
    template = (resources.files("wmtlib.yours") / "page.html").read_text("utf-8")
    head = [f"<dt>{k}</dt><dd>{escape(v)}</dd>" for k, v in answer.about.items()]
    page = Template(template).substitute(
        title=escape(answer.title),
        about="".join(head),
        body=html_of(answer, with_pictures=True),
    )
    return {**files, "index.html": page.encode()}


def safe_cell(value: Any) -> Any:
    """A value for a cell of a CSV file: an apostrophe goes before a formula.

    >>> safe_cell("=cmd()"), safe_cell("online-A"), safe_cell(-1)
    ("'=cmd()", 'online-A', -1)
    """
    if isinstance(value, str) and value.startswith(FORMULA):
        return f"'{value}"
    return value


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def files_of(picture: Picture, *, dpi: int = 200) -> dict[str, bytes]:
    """A picture as PNG, for print at 200 dpi, and as SVG; the same bytes every time.

    Text in the SVG is text: a browser finds fonts of its own, and shapes Arabic and
    Hindi.
    """
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    from wmtlib import plots

    installed = {font.name for font in font_manager.fontManager.ttflist}
    settings: Any = {
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
        axes = figure.subplots()
        draw = getattr(plots, picture.name)
        draw(*picture.drawn, axes)
        for part in (axes, *axes.child_axes):
            for axis in (part.xaxis, part.yaxis):
                names = [cut(t.get_text(), LONGEST_NAME) for t in axis.get_ticklabels()]
                if any("…" in name for name in names):
                    axis.set_ticks(axis.get_ticklocs(), names)
        for kind, varying in (("png", "Software"), ("svg", "Date")):
            buffer = io.BytesIO()
            metadata = {varying: None}
            figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight")
            files[kind] = buffer.getvalue()
    return files


def progress(step: str, share: float = 0.0) -> None:
    """Say on a terminal's stderr what is done, and the share; "" ends the line."""
    if not sys.stderr.isatty():
        return
    words = "".join(filter(str.isprintable, step))[:70]
    if words and share:
        words += f" {share:.0%}"
    if words:
        words += " ..."
    print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)
