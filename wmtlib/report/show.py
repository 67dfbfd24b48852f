"""Show an answer: on the terminal, as JSON, CSV, Markdown or LaTeX, and as a page."""

import json
import os
import re
import textwrap
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import pandas as pd
from tabulate import simple_separated_format, tabulate

from wmtlib.core.errors import DataError, reason
from wmtlib.report.columns import (
    FORMAT,
    cells_and_lines,
    entries,
    legend,
    readable,
    schema,
    sides,
)
from wmtlib.report.pictures import Picture

__all__ = ["Answer", "Picture", "Section", "schema"]

# On the terminal; tables take the width that they need.
SENTENCES = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
TEMPLATE = Path(__file__).with_name("page.html")
OUR_PAGE = '<meta name="generator" content="wmtlib'  # in the template
HEAD = 1000  # signs of a page, in which that is
LONGEST_TABLE = 500  # rows of a table on a page
LONGEST_PRINTED = 40  # rows of a table on a terminal; of a longer one a few are printed
FEW = 8
MOST_WARNINGS = 5  # that are printed without --full, the most important ones
HEAD_ONLY = ("Signature", "Command", "Date")  # of `Answer.about`
ENDS = ["rank_low", "rank_high", "score_low", "score_high"]  # of intervals
# Where a spreadsheet would begin a formula, also if it parts columns at semicolons;
# apostrophes before it are counted, so that no two texts become one.
FORMULA = re.compile(r"(?:^|(?<=;))(?=[\s']*[-=+@\t\r\n＝＋－＠﹢﹣﹦﹫])")
# What Markdown, and what GitHub adds to it, takes for more than a letter: also the
# beginning of an address, which would be a link.
MARKDOWN = re.compile(r"[|\\`*_\[\]!<>&~$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# What LaTeX would take for an option of the row before, or two hyphens for a dash;
# tabulate escapes the rest.
LATEX = re.compile(r"(?m)^ *(?=[\[*])|-(?=-)")


@dataclass(frozen=True, eq=False)
class Section:
    """A table of an answer, for programs and for people.

    Attributes
    ----------
    key : str
        In JSON; "" if other sections hold the data.
    caption : str
        The words above the table; "" if people are not shown it.
    table : DataFrame
        Numbers are numbers, and columns are of columns.toml; in JSON and CSV those that
        it lacks are added without values.
    shown : DataFrame or None
        The table that people are shown, if it is another one.
    """

    key: str
    caption: str
    table: pd.DataFrame
    shown: pd.DataFrame | None = None


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
        How sure the answer is, and what to do; below the first table.
    notes : sequence of str
        Remarks on the tables, a sentence or two each.
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
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """Return the tables by their keys, as in JSON."""
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

    def save(self, path: str | Path) -> None:
        """Write a page to mail, with pictures; see `write_page`."""
        write_page([self], path)

    def __repr__(self) -> str:
        return as_text(self, more=".tables, .notes, .save(FILE)")

    def _repr_html_(self) -> str:
        return _opening(self) + _warned(self)

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, Image, display

        display(HTML(_opening(self)))
        for picture in self.pictures:
            display(Image(picture.draw("png")))
            if words := _below(picture, self):
                display(HTML(f"<p>{escape(words)}</p>"))
        if self.warnings:
            display(HTML(_warned(self)))


# --- as text --------------------------------------------------------------------------


def print_answer(answer: Answer, *, full: bool = False) -> None:
    """Print an answer; judges of the user's own file go by their identifiers."""
    print(as_text(answer.with_identifiers(), full=full), flush=True)


def as_text(
    answer: Answer, *, full: bool = False, more: str = "--full, --json, --html FILE"
) -> str:
    """Write an answer for a terminal.

    Without `full` it is the sentence, a table, what must be known beside it, and where
    there is `more`.
    """
    sections = answer.sections
    if not full:
        sections = [s for s in sections if s.key not in entries()["detailed"]]
    views = replace(answer, sections=sections).views
    most = LONGEST_PRINTED if len(answer.main_view) <= LONGEST_PRINTED else FEW
    parts = [SENTENCES.fill(answer.sentence)]
    for name, table in views.items():
        parts.append(f"\n{name}\n{printed(table, most=most)}")
    parts.append("")
    codes = [*entries()["warnings"]]
    warned = sorted(
        answer.warnings, key=lambda w: codes.index(getattr(w, "code", "other"))
    )
    kept = warned if full else warned[:MOST_WARNINGS]
    lines = [answer.lead, legend(views.values(), _method(answer))]
    lines += [f"Warning: {line}" for line in kept]
    if len(warned) > len(kept):
        lines.append(f"{len(warned) - len(kept)} more warnings")
    lines += answer.notes if full else []
    lines += [f"{label}: {words}" for label, words in _asked(answer).items()]
    parts += [SENTENCES.fill(line) for line in lines if line]
    # A line to copy is not wrapped.
    is_whole = full or "seed" not in answer.facts
    end = answer.about["Signature"] if is_whole else f"{_origin(answer)}. More: {more}"
    return "\n".join([*parts, end])


def _method(answer: Answer) -> str:
    """Return the method whose scores are in the first table; "" if none are."""
    return next(iter(answer.facts.get("methods", [])), "")


def _origin(answer: Answer) -> str:
    """Write what gives the same answer again."""
    facts = answer.facts
    version = facts["versions"]["wmtlib"]
    data = facts["data"][:8]
    return f"To repeat: seed {facts['seed']}, data {data}, wmtlib {version}"


def _asked(answer: Answer) -> dict[str, str]:
    """Return what is said of the file below the tables."""
    about = answer.about
    return {label: about[label] for label in about if label not in HEAD_ONLY}


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
    cells, last_rows = cells_and_lines(table)
    # tabulate would make columns wider below a header of its own.
    head, *rows = _tabulated(
        [[*cells], *cells.to_numpy()], cells, simple_separated_format(" ")
    ).split("\n")
    lines = [head]
    for number, row in enumerate(rows):
        lines.append(row.rstrip())
        if number in last_rows:
            lines.append("-" * len(head))
    lines[0] = head.rstrip()
    if more:
        lines.append(f"... {more} more rows")
    return "\n".join(lines)


def _tabulated(rows: Any, cells: pd.DataFrame, form: Any, **options: Any) -> str:
    """Write rows of text by `tabulate`, with numbers at the right."""
    return tabulate(
        rows, tablefmt=form, disable_numparse=True, colalign=sides(cells), **options
    )


def ranking_as(answers: Sequence[Answer], form: str, *, with_task: bool = False) -> str:
    """Write the rankings alone: as Markdown, LaTeX (booktabs) or CSV.

    With the task, rows of all tasks are in one table, and the first column names it.
    """
    is_csv = form == "csv"
    tables = [
        as_data(each)["ranking"] if is_csv else each.main_view for each in answers
    ]
    table = tables[0]
    if with_task:
        tasks = [answer.facts["task"] for answer in answers]
        table = pd.concat(tables, keys=tasks, names=["task"]).reset_index("task")
    if is_csv:
        return as_csv(table).rstrip("\n")
    cells = readable(table)
    if form == "markdown":
        escaped = cells.map(in_markdown).rename(columns=in_markdown)
        return _tabulated(escaped.to_numpy(), cells, "pipe", headers=[*escaped])
    text = _tabulated(cells.to_numpy(), cells, "latex_booktabs", headers=[*cells])
    return LATEX.sub(r"\g<0>{}", text)


def in_markdown(text: str) -> str:
    """Escape what would be a link, a picture, HTML or emphasis.

    >>> print(in_markdown("![x](http://y) a|b"))
    \\!\\[x\\](http\\://y) a\\|b
    """
    return MARKDOWN.sub(r"\\\g<0>", text)


# --- as data --------------------------------------------------------------------------


def as_data(answer: Answer) -> dict[str, pd.DataFrame]:
    """Return the tables with the same columns, whatever was judged."""
    columns = entries()["columns"]
    return {
        key: table.reindex(columns=[*columns.get(key, table)])
        for key, table in answer.tables.items()
    }


def as_json(answer: Answer) -> str:
    """Write an answer as data: the file, the settings, every table, the warnings."""
    document = {
        "format": FORMAT,
        "sentence": answer.sentence,
        **{key: answer.facts[key] for key in entries()["keys"] if key in answer.facts},
        "signature": answer.about["Signature"],
        "tables": as_data(answer),
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


# --- as HTML --------------------------------------------------------------------------


def table_as_html(table: pd.DataFrame, caption: str = "") -> str:
    """Write a table, with lines between clusters.

    Styles are inline: JupyterLab takes no others.
    """
    cells, last_rows = cells_and_lines(table)
    at_side = sides(cells)

    def row(tag: str, words: Sequence[str]) -> str:
        styled = zip(words, at_side, strict=True)
        return "".join(
            f"<{tag} style='text-align: {side}'>{escape(word)}</{tag}>"
            for word, side in styled
        )

    rows = []
    for number, words in enumerate(cells.to_numpy()):
        line = " style='border-bottom: 2px solid'" if number in last_rows else ""
        rows.append(f"<tr{line}>{row('td', words)}</tr>")
    return (
        f"<table><caption style='text-align: left'>{escape(caption)}</caption>\n"
        f"<thead><tr>{row('th', [*cells])}</tr></thead>\n"
        "<tbody>\n" + "\n".join(rows) + "\n</tbody></table>"
    )


def _opening(answer: Answer) -> str:
    """Write what a notebook shows above pictures: sentence, tables, what was asked."""
    sentence = f"<p><b>{escape(answer.sentence)}</b></p>"
    sections = [part for part in answer.sections if part.key != "pairs"]
    tables = _tables(replace(answer, sections=sections))
    return "\n".join([sentence, *tables, _listed(_asked(answer))])


def _tables(answer: Answer) -> list[str]:
    """Write tables with captions and legends, and what is said below them."""
    tables = []
    for name, table in answer.views.items():
        rows = table_as_html(table.head(LONGEST_TABLE), name)
        if len(table) > LONGEST_TABLE:
            rows += f"<p>... {len(table) - LONGEST_TABLE} more rows</p>"
        words = escape(legend([table], _method(answer)))
        tables.append(f"{rows}<p class='legend'>{words}</p>")
    tables[0] += f"<p>{escape(answer.lead)}</p>"
    return [*tables, *(f"<p>{escape(line)}</p>" for line in answer.notes)]


def _warned(answer: Answer) -> str:
    return "\n".join(
        f"<p class='warning'><b>Warning:</b> {escape(warning)}</p>"
        for warning in answer.warnings
    )


def _listed(about: Mapping[str, str]) -> str:
    rows = [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in about.items()]
    return f"<dl>{''.join(rows)}</dl>"


# --- as a page ------------------------------------------------------------------------


def write_page(answers: Sequence[Answer], path: str | Path) -> None:
    """Write answers as one HTML page with its pictures in it: whole, or not at all.

    Raises
    ------
    DataError
        See `require_page`.
    """
    require_page(path)
    # A link to a page stays a link.
    target = Path(os.path.realpath(path))
    new = target.with_name(f".wmtlib-{os.getpid()}.html")
    page = page_of(answers).encode()
    try:
        try:
            new.write_bytes(page)
            new.replace(target)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({reason(error)})") from None


def require_page(path: str | Path) -> None:
    """Refuse, before anything is computed, where no page can be written.

    Raises
    ------
    DataError
        The name is not that of a page, there is no such folder, it is protected, or the
        path is of a file that is no page of this package.
    """
    path = Path(path)
    folder = path.parent
    if not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
        raise DataError(f"{path}: {folder} is not a folder, or is protected")
    if not os.path.lexists(path):
        if path.suffix.lower() in (".html", ".htm"):
            return
        raise DataError(f"{path}: is to be a page; choose a name that ends with .html")
    if path.is_file():
        with path.open(encoding="utf-8", errors="replace") as file:
            if OUR_PAGE in file.read(HEAD):
                return
    raise DataError(f"{path}: is no page of wmtlib; choose another name")


def page_of(answers: Sequence[Answer]) -> str:
    """Write a self-contained page: one answer, or ranks in all tasks and each task."""
    first = answers[0]
    title = first.sentence
    if len(answers) == 1:
        body = _page_body(first)
    else:
        title = f"{len(answers)} tasks"
        body = _page_of_tasks(answers)
    version = first.facts["versions"]["wmtlib"]
    head = [
        first.facts["file"],
        first.about.get("Date", ""),
        first.about.get("Command", ""),
        f"data {first.facts['data'][:8]}",
        f"wmtlib {version}",
    ]
    page = Template(TEMPLATE.read_text("utf-8")).substitute(
        version=escape(version),
        title=escape(title),
        head=escape(" · ".join(filter(None, head))),
        body=body,
    )
    # Bytes in the name of a file that are no Unicode are shown.
    return page.encode(errors="backslashreplace").decode()


def _page_of_tasks(answers: Sequence[Answer]) -> str:
    """Write ranks of systems x tasks, then the tasks one below the other."""
    ranks = {}
    links = []
    bodies = []
    for number, answer in enumerate(answers, start=1):
        task = answer.facts["task"]
        words = f"{escape(task)}</a>: {escape(answer.sentence)}"
        links.append(f"<li><a href='#task-{number}'>{words}</li>")
        sentence = f"<p><b>{escape(answer.sentence)}</b></p>"
        bodies += [f"<h2 id='task-{number}'>{escape(task)}</h2>", sentence]
        bodies.append(_page_body(answer))
        if "ranking" in answer.tables:
            ranks[task] = answer.tables["ranking"].set_index("system")["rank"]
    table = ""
    if ranks:
        frame = pd.DataFrame(ranks).astype("Int64").rename_axis("system")
        table = table_as_html(frame.reset_index(), "Ranks in every task")
    return "\n".join([table, f"<ul>{''.join(links)}</ul>", *bodies])


def _page_body(answer: Answer) -> str:
    """Write picture, table, warnings, the rest, what was asked and the signature."""
    first, *others = _tables(answer)
    key, table = next(iter(as_data(answer).items()))
    data = b64encode(as_csv(table).encode()).decode()
    link = f"download='{key}.csv' href='data:text/csv;base64,{data}'"
    first += f"<p><a {link}>This table as CSV</a></p>"
    figures = [_figure(picture, answer) for picture in answer.pictures]
    about = {**_asked(answer), "Signature": answer.about["Signature"]}
    parts = [*figures[:1], first, _warned(answer), *others, *figures[1:]]
    return "\n".join([*parts, _listed(about)])


def _figure(picture: Picture, answer: Answer) -> str:
    """Draw a picture; its caption is its alternative text, too."""
    data = b64encode(picture.draw("svg")).decode()
    words = escape(_below(picture, answer))
    return (
        f"<figure><img alt='{escape(picture.caption)}'"
        f" src='data:image/svg+xml;base64,{data}'>"
        f"<figcaption>{words}</figcaption></figure>"
    )


def _below(picture: Picture, answer: Answer) -> str:
    """Return the caption of a picture without the sentence, which is above it."""
    return picture.caption.removeprefix(answer.sentence).strip()
