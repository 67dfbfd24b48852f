"""Show an answer: on the terminal, as JSON, or as a folder with a page to mail."""

import io
import json
import os
import re
import shutil
import sys
import textwrap
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from itertools import chain, repeat
from pathlib import Path
from string import Template
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import pandas as pd

from wmtlib.core.errors import DataError, shorten

# On the terminal; tables take the width that they need.
SENTENCES = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
FOLDER = Path(__file__).parent
FORMAT = "wmtlib/3"  # of JSON; its keys are in answer.schema.json
LONGEST_TABLE = 500  # rows of a table on a page
LONGEST_PRINTED = 40  # rows of a table on a terminal; of a longer one a few are printed
FEW = 8
MOST_WARNINGS = 5  # that are printed without --full, the most important ones
LONGEST_LIST = 80  # letters of names in a cell
PAGE_ONLY = ("Signature", "Command", "Date")  # of `Answer.about`
ENDS = ["rank_low", "rank_high", "score_low", "score_high"]  # of intervals
# Where a spreadsheet would begin a formula, also if it parts columns at semicolons;
# apostrophes before it are counted, so that no two texts become one.
FORMULA = re.compile(r"(?:^|(?<=;))(?=[\s']*[-=+@\t\r\n＝＋－＠﹢﹣﹦﹫])")
# What LaTeX takes for more than a letter, and a backslash is not enough for. Two
# hyphens would be a dash, as "–" is.
OF_LATEX = {
    "\\": r"\textbackslash ",
    "~": r"\textasciitilde ",
    "^": r"\textasciicircum ",
    "–": "--",
    "-": "-{}",
    "[": "{[}",
    "*": "{*}",
}
LATEX = re.compile(r"[&%$#_{}\\~^–]|-(?=-)|^[\[*]")
# What Markdown, and what GitHub adds to it, takes for more than a letter: also the
# beginning of an address, which would be a link.
MARKDOWN = re.compile(r"[|\\`*_\[\]!<>&~$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
LETTER = re.compile(r"[^\W\d_]")  # a letter
LONGEST_NAME = 40  # letters of a name in a picture
LONGEST_FOLDER = 60  # letters of the name of a task's folder, after its number


@dataclass(frozen=True, eq=False)
class Section:
    """A table of an answer, for programs and for people.

    Attributes
    ----------
    key : str
        In JSON, and the name of a CSV file; "" if other sections hold the data.
    caption : str
        The words above the table; "" if people are not shown it.
    table : DataFrame
        Numbers are numbers, and the columns are those of answer.schema.json whatever
        the method.
    shown : DataFrame or None
        The table that people are shown, if it is another one.
    """

    key: str
    caption: str
    table: pd.DataFrame
    shown: pd.DataFrame | None = None


@dataclass(frozen=True)
class Picture:
    """A picture: a function of `wmtlib.plots`, and what it draws.

    `size` is in inches; without it there is a line for each row of what is drawn.
    """

    name: str
    caption: str
    drawn: tuple[Any, ...] = field(repr=False)
    size: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    sentence : str
        The answer in a sentence or two, for whoever asked.
    about : mapping of str to str
        Which file, how many judgements, which columns were used; the last entry is the
        signature.
    sections : sequence of Section
        Tables in the order in which they are read.
    facts : mapping
        The file and the settings as data, for JSON.
    lead : str
        How sure the answer is, and what to do; beside the first table.
    notes : sequence of str
        Remarks on the tables, a sentence or two each; below them.
    warnings : sequence of str
        Data that can mislead; see `errors.warning`.
    pictures : sequence of Picture
    people : mapping from pseudonym to identifier
        The judges of a file of the user's own.
    """

    sentence: str
    about: Mapping[str, str]
    sections: Sequence[Section]
    facts: Mapping[str, Any]
    lead: str = ""
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    people: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Return the sentence, which is the title of a page, too."""
        return self.sentence

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """Return the tables by their keys, as in JSON and CSV."""
        return {part.key: part.table for part in self.sections if part.key}

    @property
    def views(self) -> Mapping[str, pd.DataFrame]:
        """Return the tables that people are shown, by their captions."""
        return {
            part.caption: part.table if part.shown is None else part.shown
            for part in self.sections
            if part.caption
        }

    @property
    def main_view(self) -> pd.DataFrame:
        """Return the first table: the ranking, if systems were ranked."""
        return next(iter(self.views.values()))

    def with_identifiers(self) -> "Answer":
        """Put the identifiers of the user's judges for their numbers."""

        def named(table: pd.DataFrame | None) -> Any:
            return table if table is None else table.replace({"judge": {**self.people}})

        sections = [
            replace(part, table=named(part.table), shown=named(part.shown))
            for part in self.sections
        ]
        return replace(self, people={}, sections=sections)

    def __repr__(self) -> str:
        return f"<Answer: {self.title}; tables: {', '.join(self.tables)}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, Image, display

        display(HTML(html_of(self)))
        for picture in self.pictures:
            display(Image(files_of(picture, dpi=100)["png"]))


# --- as text --------------------------------------------------------------------------


def print_answer(answer: Answer, *, full: bool = False) -> None:
    """Print an answer; judges of the user's own file go by their identifiers.

    Without `full` it is the sentence, a table, and what must be known beside it.
    """
    answer = answer.with_identifiers()
    sections = answer.sections
    if not full:
        sections = [part for part in sections if part.key not in schema()["detailed"]]
    views = replace(answer, sections=sections).views
    most = LONGEST_PRINTED if len(answer.main_view) <= LONGEST_PRINTED else FEW
    codes = schema()["properties"]["warnings"]["items"]["properties"]["code"]["oneOf"]
    order = [code["const"] for code in codes]  # the most important ones first
    warned = sorted(
        answer.warnings, key=lambda w: order.index(getattr(w, "code", "other"))
    )
    kept = warned if full else warned[:MOST_WARNINGS]
    print(SENTENCES.fill(answer.sentence))
    for name, table in views.items():
        print(f"\n{name}\n{printed(table, most=most)}")
    print()
    lines = [answer.lead, "; ".join(legend(views.values()))]
    lines += [f"Warning: {line}" for line in kept]
    if len(warned) > len(kept):
        lines.append(f"{len(warned) - len(kept)} more warnings with --full")
    lines += answer.notes if full else []
    lines += [f"{label}: {words}" for label, words in _asked(answer).items()]
    for line in filter(None, lines):
        print(SENTENCES.fill(line))
    print(answer.about["Signature"] if full else to_repeat(answer), flush=True)


def to_repeat(answer: Answer) -> str:
    """Write what gives the same answer again, and where the rest is."""
    facts = answer.facts
    if "seed" not in facts:
        return answer.about["Signature"]
    version = facts["versions"]["wmtlib"]
    data = f"seed {facts['seed']}, data {facts['data'][:8]}, wmtlib {version}"
    return f"To repeat: {data}. More: --full, --json, --out DIR"


def printed(table: pd.DataFrame, *, most: int | None = None) -> str:
    """Write a table as it is printed; a row of dashes parts clusters.

    >>> print(printed(pd.DataFrame({"system": ["x", "y"], "score": [1.5, None]})))
    system  score
    x      1.5000
    y
    """
    more = 0
    if most and len(table) > most:
        more = len(table) - FEW
        table = table.head(FEW)
    cells_of, last_rows = cells_and_lines(table)
    columns = []
    for name, cells in cells_of.items():
        words = [str(name), *cells]
        width = max(map(_width, words))
        is_text = any(map(LETTER.search, {*cells} - {"yes", "no", "nan"}))
        column = []
        for word in words:
            pad = " " * (width - _width(word))
            column.append(word + pad if is_text else pad + word)
        columns.append(column)
    rows = [" ".join(words).rstrip() for words in zip(*columns, strict=True)]
    for row in reversed(last_rows):
        rows.insert(row + 2, "-" * max(map(_width, rows)))
    if more:
        rows.append(f"... {more} more rows: --format csv, --json or --out DIR")
    return "\n".join(rows)


def _width(text: str) -> int:
    """Count columns of a terminal; wide letters, as of Chinese, take two."""
    return len(text) + sum(east_asian_width(sign) in "FW" for sign in text)


def cells_and_lines(table: pd.DataFrame) -> tuple[pd.DataFrame, list[int]]:
    """Turn cells into text; list the last rows of clusters, below which are lines.

    With a rank, a number of the cluster is left out: the lines show it.
    """
    if not {"rank", "cluster"} <= {*table}:
        return readable(table), []
    last_rows = np.flatnonzero(np.diff(table["cluster"]) != 0)
    return readable(table.drop(columns="cluster")), last_rows.tolist()


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Turn cells into text: few digits, ranks in one column; drop empty columns.

    An interval of scores is written as distances, and with a score as many digits as
    two of the median width are.

    >>> print(readable(pd.DataFrame({"rank_low": [1, 2], "rank_high": [1, 3]})))
      ranks
    0     1
    1   2–3
    >>> scores = {"score": [1084.4], "score_low": [1009.1], "score_high": [1191.2]}
    >>> print(readable(pd.DataFrame(scores)))
      score      95 %
    0  1084  +107/-75
    """
    digits = schema()["digits"]
    if "score_low" in table:
        width = (table["score_high"] - table["score_low"]).dropna().median()
        places = max(0, 1 - int(np.floor(np.log10(width)))) if width > 0 else 2
        above = table["score_high"] - table["score"]
        below = table["score_low"] - table["score"]
        margins = map(_margins, above, below, repeat(places))
        table = table.assign(score_low=[*margins])
        if width > 0:
            digits = {**digits, "score": f".{places}f"}
    table = table.drop(columns=schema()["hidden"], errors="ignore")
    cells = pd.DataFrame(
        {str(c): [_cell(x, digits.get(c, ".4f")) for x in table[c]] for c in table},
        dtype=object,
    )
    for of in ("", "_before"):
        if f"rank_high{of}" in cells:
            low = cells[f"rank_low{of}"]
            high = cells.pop(f"rank_high{of}")
            cells[f"rank_low{of}"] = low.where(low == high, low + "–" + high)
    cells = cells.rename(columns=schema()["names"])
    return cells.loc[:, (cells != "").any()] if len(cells) else cells


def _margins(above: float, below: float, places: int) -> str:
    """Write the distances of both ends; an open one is a question mark."""
    ends = ["?" if pd.isna(end) else f"{end:+z.{places}f}" for end in (above, below)]
    return "/".join(ends) if above != below and ends != ["?", "?"] else ""


def _cell(value: Any, digits: str) -> str:
    if isinstance(value, list):
        names = ", ".join(value)
        return names if len(names) <= LONGEST_LIST else f"{len(value)} systems"
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    # "z": never -0.0000
    return format(value, f"z{digits}") if isinstance(value, float) else str(value)


def legend(tables: Iterable[pd.DataFrame]) -> list[str]:
    """Explain the columns of tables, where their names do not say it."""
    meanings = schema()["legend"]
    names = dict.fromkeys(name for table in tables for name in readable(table))
    return [f"{name}: {meanings[name]}" for name in names if name in meanings]


@cache
def schema() -> dict[str, Any]:
    """Read the JSON Schema of an answer; docs/json.md is made from it.

    It also has the words and digits of columns where people read them, columns that are
    hidden from them, and tables that are printed with `--full` alone. JSON and CSV keep
    names, columns and digits.
    """
    return json.loads((FOLDER / "answer.schema.json").read_text("utf-8"))


def ranking_as(answer: Answer, form: str) -> str:
    """Write the ranking alone: as Markdown, LaTeX (booktabs) or CSV."""
    if form == "csv":
        return as_csv(answer.tables["ranking"]).rstrip("\n")
    escaped = _in_markdown if form == "markdown" else _in_latex
    cells = readable(answer.main_view).map(escaped).rename(columns=escaped)
    rows = [[*cells], *cells.to_numpy()]
    width = cells.shape[1]
    if form == "markdown":
        rows.insert(1, ["---"] * width)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
    head, *lines = [" & ".join(row) + r" \\" for row in rows]
    columns = "l" * width
    begin = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    return "\n".join([*begin, *lines, r"\bottomrule", r"\end{tabular}"])


def _in_markdown(text: str) -> str:
    """Escape what would be a link, a picture, HTML or emphasis.

    >>> print(_in_markdown("![x](http://y) a|b"))
    \\!\\[x\\](http\\://y) a\\|b
    """
    return MARKDOWN.sub(r"\\\g<0>", text)


def _in_latex(text: str) -> str:
    """Escape what is no letter for LaTeX, or an option of the row before.

    >>> print(_in_latex("[50 % a_b"), _in_latex("a\\\\ b"))
    {[}50 \\% a\\_b a\\textbackslash \\space b
    """
    safe = LATEX.sub(lambda sign: OF_LATEX.get(sign[0], rf"\{sign[0]}"), text)
    return re.sub(r"(\\text\w+ ) ", r"\1\\space ", safe)


def of_all_tasks(answers: Sequence[Answer]) -> Answer:
    """Put the rankings of all tasks into one answer, with a column of the task."""
    tasks = [answer.facts["task"] for answer in answers]
    rankings = [answer.tables["ranking"] for answer in answers]
    views = [answer.main_view for answer in answers]
    ranking, view = (
        pd.concat(tables, keys=tasks, names=["task"]).reset_index("task")
        for tables in (rankings, views)
    )
    return replace(answers[0], sections=[Section("ranking", "Ranking", ranking, view)])


# --- as data --------------------------------------------------------------------------


def as_json(answer: Answer) -> str:
    """Write an answer as data: the file, the settings, every table, the warnings."""
    document = {
        "format": FORMAT,
        "title": answer.title,
        "sentence": answer.sentence,
        **answer.facts,
        "signature": answer.about["Signature"],
        "tables": answer.tables,
        "notes": answer.notes,
        "warnings": [
            {"code": getattr(line, "code", "other"), "text": line}
            for line in answer.warnings
        ],
    }
    # JSON has no NaN and no infinity: what Python writes for them is read as None.
    text = json.dumps(document, default=_plain)
    plain = json.loads(text, parse_constant=lambda name: None)
    return json.dumps(plain, indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Convert a value to a form that JSON has: a table is a list of rows."""
    if isinstance(value, pd.DataFrame):
        return value.to_dict(orient="records")
    return None if value is pd.NA else value.item()


def as_csv(table: pd.DataFrame) -> str:
    """Write a table as CSV: the columns of JSON, and lists as JSON writes them."""
    safe = table.map(safe_cell).rename(columns=safe_cell)
    return safe.to_csv(index=False, lineterminator="\n")


def safe_cell(value: Any) -> Any:
    """Convert a value for a cell of CSV: an apostrophe goes before a formula.

    >>> safe_cell("=cmd()"), safe_cell("x;=cmd()"), safe_cell(-1), safe_cell(["a"])
    ("'=cmd()", "x;'=cmd()", -1, '["a"]')
    """
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return FORMULA.sub("'", text) if isinstance(text, str) else text


# --- as a page ------------------------------------------------------------------------


def html_of(answer: Answer) -> str:
    """Write warnings, tables but that of pairs, notes and what was read as HTML."""
    sections = [part for part in answer.sections if part.key != "pairs"]
    answer = replace(answer, sections=sections)
    return "\n".join([*chain(*_blocks(answer)), _listed(_asked(answer))])


def page_body(answer: Answer) -> str:
    """Write picture, table, warnings, the rest, what was asked and the signature."""
    figures = [*map(_figure, answer.pictures)]
    warned, (first, *others), remarks = _blocks(answer)
    if "ranking" in answer.tables:
        data = b64encode(as_csv(answer.tables["ranking"]).encode()).decode()
        link = f"download='ranking.csv' href='data:text/csv;base64,{data}'"
        first += f"<p><a {link}>This table as CSV</a></p>"
    about = {**_asked(answer), "Signature": answer.about["Signature"]}
    asked = f"<h2>What was asked</h2>{_listed(about)}"
    rest = [*others, *figures[1:], *remarks, asked]
    return "\n".join([*figures[:1], first, *warned, *rest])


def _blocks(answer: Answer) -> tuple[list[str], list[str], list[str]]:
    """Write warnings, tables with captions and legends, and remarks."""
    warned = [
        f"<p class='warning'><b>Warning:</b> {escape(warning)}</p>"
        for warning in answer.warnings
    ]
    sections = []
    for name, table in answer.views.items():
        rows = table_as_html(table.head(LONGEST_TABLE))
        if len(table) > LONGEST_TABLE:
            rows += f"<p>... {len(table) - LONGEST_TABLE} more rows: see the CSV</p>"
        words = escape("; ".join(legend([table])))
        sections.append(f"<h2>{escape(name)}</h2>{rows}<p class='legend'>{words}</p>")
    sections[0] += f"<p>{escape(answer.lead)}</p>"
    remarks = [f"<p>{escape(line)}</p>" for line in answer.notes]
    return warned, sections, remarks


def _asked(answer: Answer) -> dict[str, str]:
    """Return what is said of the file below the tables."""
    about = answer.about
    return {label: about[label] for label in about if label not in PAGE_ONLY}


def _listed(about: Mapping[str, str]) -> str:
    rows = [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in about.items()]
    return f"<dl>{''.join(rows)}</dl>"


def _figure(picture: Picture) -> str:
    """Draw a picture as SVG; its caption is its alternative text, too."""
    _, _, drawing = files_of(picture)["svg"].decode().partition("<svg")
    words = escape(picture.caption)
    return (
        f"<figure><svg role='img' aria-label='{words}'{drawing}"
        f"<figcaption>{words}</figcaption></figure>"
    )


def table_as_html(table: pd.DataFrame) -> str:
    """Write a table whose columns a page can sort, with lines between clusters.

    Long lists of names are folded.
    """
    cells, last_rows = cells_and_lines(table)
    cells = cells.rename(columns=escape).map(escape)
    for k, systems in enumerate(table.get("systems", ())):
        head = cells.loc[k, "systems"]
        names = escape(", ".join(systems))
        if head != names:
            fold = f"<details><summary>{head}</summary>{names}</details>"
            cells.loc[k, "systems"] = fold
    for row in last_rows:
        cells.loc[row, "rank"] += "<i class='line'></i>"
    return cells.to_html(index=False, border=0, escape=False)


def require_writable(folder: Path) -> None:
    """Refuse, before anything is computed, a folder that cannot be made or written."""
    paths = (folder, *folder.absolute().parents)
    nearest = next(path for path in paths if os.path.lexists(path))
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise DataError(
            f"{folder}: cannot be written ({nearest} is not a folder, or is protected)"
        )


def write_answer(answer: Answer, folder: Path) -> Path:
    """Write tables (CSV), pictures (PNG and SVG) and one page (index.html) to mail.

    Files of the same names are replaced, the page last; others in the folder stay. For
    what is returned and raised see `write_answers`.
    """
    return write_answers([answer], folder, several=False, force=True)


def write_answers(
    answers: Sequence[Answer], out: Path, *, several: bool, force: bool
) -> Path:
    """Write one answer into a folder, or several, each into a folder in it.

    Returns
    -------
    Path
        Of the page, or of the page above all.

    Raises
    ------
    DataError
        Without `force`, the folder holds another analysis, or files of the same names
        that are no analysis of these judgements. Another run is writing into it, or it
        cannot be written to.
    """
    folders = {}
    files = {}
    for number, answer in enumerate(answers, start=1):
        folder = ""
        if several:
            name = re.sub("[^a-zA-Z0-9]+", "-", answer.facts["task"])
            folder = f"{number:02d}-{name[:LONGEST_FOLDER]}"
        folders[folder] = answer
        for name, data in files_of_answer(answer).items():
            files[out / folder / name] = data
    if several:
        files[out / "index.html"] = _page_of_tasks(folders).encode()
    lock = out / ".wmtlib-is-writing"
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock.mkdir()
        try:
            _require_own(out, answers, files, force=force)
        except BaseException:
            lock.rmdir()
            raise
        _exchange(files, lock)
    except OSError as error:
        fault = f"cannot be written ({error.strerror})"
        if isinstance(error, FileExistsError) and error.filename == str(lock):
            fault = f"another run is writing into it; if none is, remove {lock}"
        raise DataError(f"{out}: {fault}") from None
    return out / "index.html"


def _exchange(files: Mapping[Path, bytes], lock: Path) -> None:
    """Put new files in the place of old ones; after an error, the old ones back.

    A page goes before its tables and comes after them, so that none is ever above
    tables of another answer, even if the run is killed. What cannot be put back stays
    in the folder `lock`, which is removed otherwise.
    """
    new = {path: lock / f"{number}" for number, path in enumerate(files)}
    old = {path: lock / f"{number}-{path.name}" for number, path in enumerate(files)}
    replaced = [*filter(Path.exists, files)]
    try:
        for path, data in files.items():
            path.parent.mkdir(exist_ok=True)
            new[path].write_bytes(data)
        for path in reversed(replaced):
            path.replace(old[path])
        for path in files:
            new[path].replace(path)
    except BaseException:
        for path in files:
            if old[path].exists():
                old[path].replace(path)
            elif path.exists() and path not in replaced:
                path.unlink()
        shutil.rmtree(lock)
        raise
    shutil.rmtree(lock)


def _require_own(
    out: Path, answers: Sequence[Answer], files: Iterable[Path], *, force: bool
) -> None:
    """Refuse what no file can replace and, without `force`, another analysis."""
    for path in files:
        if os.path.lexists(path) and not path.is_file():
            raise DataError(f"{path}: is no file that can be replaced; move it away")
    signatures = [escape(answer.about["Signature"]) for answer in answers]
    others = []
    for page in [*out.glob("index.html"), *out.glob("*/index.html")]:
        text = page.read_text("utf-8", "replace") if page.is_file() else ""
        if not any(signature in text for signature in signatures):
            others.append(page)
    others += [
        path
        for path in files
        if path.exists() and not (path.parent / "index.html").exists()
    ]
    if others and not force:
        raise DataError(
            f"{out}: holds another analysis ({others[0].relative_to(out)}); choose"
            " another folder, or add --force"
        )


def _page_of_tasks(folders: Mapping[str, Answer]) -> str:
    """Write the page above the pages of all tasks: ranks of systems x tasks."""
    ranks = {}
    links = []
    signatures = {}
    for folder, answer in folders.items():
        task = answer.facts["task"]
        signatures[task] = answer.about["Signature"]
        link = f"<a href='{folder}/index.html'>{escape(task)}</a>"
        links.append(f"<li>{link}: {escape(answer.title)}</li>")
        if "ranking" in answer.tables:
            ranks[task] = answer.tables["ranking"].set_index("system")["rank"]
    rows = ""
    if ranks:
        table = pd.DataFrame(ranks).astype("Int64").rename_axis("system")
        rows = table_as_html(table.reset_index())
    body = f"<ul>{''.join(links)}</ul><h2>Ranks in every task</h2>{rows}"
    title = f"{len(folders)} tasks"
    first = next(iter(folders.values()))
    return page_of(first, title, f"{body}{_listed(signatures)}")


def page_of(answer: Answer, title: str, body: str) -> str:
    """Write a self-contained HTML page."""
    facts = answer.facts
    head = [
        facts["file"],
        answer.about.get("Date", ""),
        answer.about.get("Command", ""),
        f"data {facts['data'][:8]}",
        f"wmtlib {facts['versions']['wmtlib']}",
    ]
    page = Template((FOLDER / "page.html").read_text("utf-8")).substitute(
        title=escape(title),
        head=escape(" · ".join(filter(None, head))),
        body=body,
    )
    # Bytes in the name of a file that are no Unicode are shown.
    return page.encode(errors="backslashreplace").decode()


def files_of_answer(answer: Answer) -> dict[str, bytes]:
    """Return all files of an answer, by name; the page, which shows the rest, last."""
    files = {
        f"{key}.csv": as_csv(table).encode() for key, table in answer.tables.items()
    }
    if "ranking" in answer.tables:
        files["ranking.md"] = ranking_as(answer, "markdown").encode()
        files["ranking.tex"] = ranking_as(answer, "latex").encode()
        files["ranking.html"] = table_as_html(answer.main_view).encode()
    for picture in answer.pictures:
        for kind, data in files_of(picture).items():
            files[f"{picture.name}.{kind}"] = data
    page = page_of(answer, answer.title, page_body(answer))
    return {**files, "index.html": page.encode()}


def files_of(picture: Picture, *, dpi: int = 200) -> dict[str, bytes]:
    """Draw a picture as PNG, for print, and as SVG; the same bytes every time.

    Text in the SVG is text: a browser finds fonts of its own, and shapes Arabic and
    Hindi.
    """
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from wmtlib import plots

    files = {}
    style = FOLDER / "pictures.mplstyle"
    with matplotlib.rc_context(fname=style), warnings.catch_warnings():
        # Seaborn draws once before long names are cut.
        warnings.filterwarnings("ignore", "Glyph|constrained_layout", UserWarning)
        installed = font_manager.get_font_names()
        fonts = matplotlib.rcParams["font.family"]
        matplotlib.rcParams["font.family"] = [f for f in fonts if f in installed]
        # Narrow, so that its letters can be read on a telephone.
        size = picture.size or (4.5, 1.2 + 0.27 * len(picture.drawn[0]))
        figure = Figure(figsize=size, dpi=dpi, layout="constrained")
        FigureCanvasAgg(figure)  # otherwise each text makes a renderer of its own
        axes = figure.subplots()
        draw = getattr(plots, picture.name)
        draw(*picture.drawn, axes)
        for axis in (axes.xaxis, axes.yaxis):
            names = [
                shorten(label.get_text(), LONGEST_NAME)
                for label in axis.get_ticklabels()
            ]
            if any("…" in name for name in names):
                axis.set_ticks(axis.get_ticklocs(), names)
        for kind, varying in (("png", "Software"), ("svg", "Date")):
            buffer = io.BytesIO()
            metadata = {varying: None}
            figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight")
            files[kind] = buffer.getvalue()
    return files


class Progress:
    """Progress on a terminal: the step, its completed share, the time that is left.

    Elsewhere one line before what takes long.
    """

    bar: Any = None

    def __call__(self, step: str, share: float = 0.0) -> None:
        """Show the completed share of a step; "" ends the line."""
        if not sys.stderr.isatty():
            if "; fewer: " in step and not share:  # it takes long
                print(step, file=sys.stderr)
            return
        from tqdm import tqdm

        words = "".join(filter(str.isprintable, step))[:70]
        if self.bar is None:
            form = "{desc} {percentage:.0f}% {remaining} left"
            self.bar = tqdm(total=1.0, desc=words, bar_format=form, leave=False)
        if not step:
            self.bar.close()
        elif words != self.bar.desc:
            self.bar.reset()
            self.bar.set_description_str(words)
        self.bar.update(share - self.bar.n)


progress = Progress()
