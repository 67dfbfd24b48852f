"""Layout of a user's file, and the column of every role.

Layouts and names of columns are those of `known_files.toml`. Of a name only letters and
figures count, in lower case and without text in brackets. A file in which two columns
fit one role is refused unless the user chooses one; of several columns that could name
the task (a language pair, a domain) the first of `TASK_NAMES` is taken, with a warning
of the others.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, starmap
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from wmtlib.checks import clean
from wmtlib.errors import (
    HELP,
    LOWER,
    SCALE,
    DataError,
    Message,
    column,
    did_you_mean,
    join_names,
    joined,
    setting,
    short_repr,
    shorten,
    warning,
    ways,
)
from wmtlib.forms import (
    DIVIDING,
    ONLY_LANGUAGES,
    SCREENS,
    SOURCE_TEXTS,
    TASK,
    TASK_NAMES,
    WEIGHTS,
    key,
    looks_like_languages,
)
from wmtlib.reading.outcomes import MEANINGS, MOST, NUMBER, meanings
from wmtlib.reading.tables import FRAME, KNOWN, Table

UNITS = KNOWN["units"]  # roles that can be resampled
OF_COMPARISONS = UNITS["pairwise"]
RESULTS = {"score", "rank", *chain(*KNOWN["pairs"][1:]), "outcome"}  # roles
MOST_PAIRED = 100  # columns of texts, each beside each other
OUTPUT = ("worker", "system", "document", "segment")  # what a worker scores
ALIASES = {role: [key(role), *names] for role, names in KNOWN["names"].items()}
# The table of docs/recipes.md, with names of columns between backticks.
RECIPES = Path(__file__).with_name("recipes.csv")

# WMT's layout of rankings: outputs in the order of the screen, and their ranks.
ID_COLUMNS = [f"system{k}Id" for k in range(1, 6)]
RANK_COLUMNS = [f"system{k}rank" for k in range(1, 6)]
WMT_COLUMNS = ["srclang", "trglang", "srcIndex", "judgeId", *ID_COLUMNS, *RANK_COLUMNS]


class Layout(NamedTuple):
    """A way to lay out judgements: roles that a file must have, or may have."""

    name: str
    kind: str
    needed: Sequence[str] = ()
    optional: Sequence[str] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """Return all roles, those of the task last."""
        return (*self.needed, *self.optional, *TASK)


LAYOUTS = [Layout(**layout) for layout in KNOWN["layouts"]]
# Layouts without roles.
MATRIX = Layout("matrix", "pairwise")
WMT = Layout("WMT", "rankings")


class SeveralTasks(DataError):
    """The error of a file with several tasks, of which none was chosen."""

    def __init__(self, message: str, tasks: Sequence[str] = ()):
        super().__init__(message)
        self.tasks = tasks


class Options(NamedTuple):
    """The user's options about a file; see `read.read`."""

    kind: str | None = None
    columns: Mapping[str, str | None] = {}
    outcomes: Mapping[str, str] = {}
    scale: tuple[float, float] | None = None
    task_columns: Sequence[str] = ()
    lower_is_better: bool | None = None
    preset: str | None = None
    skip_bad: bool = False
    rows: Mapping[str, Any] = {}
    revisions: str | None = None
    joint_names: str | None = None

    @property
    def ignored(self) -> set[str]:
        """Return the roles, and the names of columns, that are to be passed over."""
        return {role for role, name in self.columns.items() if name is None}


def recognise(table: Table, options: Options) -> Table:
    """Find the layout of a table, and the column of every role that it has.

    Raises
    ------
    DataError
        No layout, layouts of several kinds, or several columns for a role fit; a choice
        that cannot be.
    """
    is_twice = pd.Series(table.header).str.casefold().duplicated()
    if is_twice.any():
        name = short_repr(table.header[int(is_twice.argmax())])
        raise table.refuse_header(f"column {name} occurs twice; expected it once")
    kind = options.kind
    if kind not in (None, *UNITS):
        fault = f"kind is {short_repr(kind)}; expected one of {', '.join(UNITS)}"
        raise table.origin.refuse(fault)
    used: dict[str, str] = {}
    is_plain = not options.columns
    if is_plain and kind in (None, "pairwise") and _is_matrix(table):
        layout = MATRIX
    elif is_plain and kind in (None, "rankings") and {*WMT_COLUMNS} <= {*table.header}:
        layout = WMT
        used = {name: name for name in WMT_COLUMNS}
    else:
        layout, used = _layout_of(table, options)
        if layout.kind == "rankings":
            used |= _columns_apart(replace(table, used=used), options)
    for word, meaning in options.outcomes.items():
        if meaning not in MEANINGS:
            fault = f"outcome {short_repr(word)} is to mean {short_repr(meaning)}"
            raise table.origin.refuse(f"{fault}; expected {', '.join(MEANINGS)}")
    if options.outcomes and layout.name != "outcomes":
        option = Message("outcomes", "--outcome")
        raise table.origin.refuse(
            "has no column of outcomes; ", option, " is for those"
        )
    scored = [
        (options.scale, SCALE, {"score"}),
        (options.lower_is_better, LOWER, {"score", "score_a"}),
    ]
    for value, option, roles in scored:
        if value is not None and roles.isdisjoint(layout.roles):
            raise table.origin.refuse(option, ": expected a column of scores")
    if options.scale and not options.scale[0] < options.scale[1]:
        raise table.origin.refuse(SCALE, ": expected LOW < HIGH")
    return replace(table, kind=layout.kind, layout=layout.name, used=used)


def _is_matrix(table: Table) -> bool:
    """Return whether the first column holds the names of the others, in any order."""
    others = table.header[1:]
    if len(others) < 2 or len(table.cells) != len(others):
        return False
    try:
        names = table.select({"a": table.header[0]})["a"]
    except DataError:
        return False
    return sorted(map(clean, names)) == sorted(map(clean, others))


def _layout_of(table: Table, options: Options) -> tuple[Layout, dict[str, str]]:
    """Return the layout that fits the header, and the column of every role."""
    columns = options.columns
    header = table.header
    layouts = [layout for layout in LAYOUTS if options.kind in (None, layout.kind)]
    roles = {role for layout in layouts for role in layout.roles}
    passed_over = options.ignored.intersection(header)
    for role, name in columns.items():
        if role not in roles | passed_over:
            raise table.origin.refuse(
                f"no role {short_repr(role)} for a column;"
                f" expected {', '.join(sorted(roles))}{did_you_mean(role, roles)}"
            )
        if name is not None:
            table.require(name)
    layouts = [
        layout for layout in layouts if {*columns} - passed_over <= {*layout.roles}
    ]
    fitting = columns_by_role(table, columns)
    fits = [layout for layout in layouts if {*layout.needed} <= {*fitting}]
    if not fits:
        raise _unrecognised(table, columns, layouts, fitting)
    if len(fits) > 1:  # scores may have their ranks beside them
        fits = [layout for layout in fits if layout.name != "screens"]
    kinds = [*dict.fromkeys(layout.kind for layout in fits)]
    if len(kinds) > 1:
        steps = joined(*(setting("kind", kind) for kind in kinds), between=" or ")
        fault = f"the header fits {' and '.join(kinds)}; choose by "
        raise table.refuse_header(fault, steps)
    layout = fits[0]
    used = {role: fitting[role][0] for role in layout.roles if role in fitting}
    for role, name in used.items():
        if len(fitting[role]) > 1:
            names = join_names(fitting[role], 12)
            fault = f"columns {names} could each be the {role}; choose by "
            raise table.refuse_header(fault, column(role, name))
        same = [other for other in used if used[other] == name]
        if len(same) > 1:
            fault = f"column {short_repr(name)} is {' and '.join(same[:2])}"
            raise table.refuse_header(f"{fault}; expected a column each")
    if "count" in layout.roles and not {"count"} & {*used, *columns}:
        _ask_about_counts(replace(table, used=used), options)
    return layout, used


def unused(table: Table, options: Options) -> list[str]:
    """Return the columns without a role that the user does not pass over."""
    used = {*table.used.values(), *options.ignored}
    return [name for name in table.header if name not in used]


def _columns_apart(table: Table, options: Options) -> dict[str, str]:
    """Return the columns that divide rankings, besides those that are used.

    Raises
    ------
    DataError
        A column divides them, and its name does not say that it may.
    """
    if "document" in options.ignored:
        return {}
    used = table.used
    named = {*used} & {"ranking"} or {*used} - {"system", "rank"}
    frame = table.select({role: used[role] for role in named}).drop(columns="n")
    screens = frame.groupby([*frame.columns.drop("place")], observed=True).ngroup()
    apart: dict[str, str] = {}
    is_asked = "ranking" not in used and "document" not in options.columns
    others = sorted(unused(table, options), key=lambda name: key(name) not in SCREENS)
    for name, cells in plain_columns(table, others):
        parts = screens.groupby([screens, cells["other"]], observed=True)
        sizes = parts.size()
        if len(sizes) == screens.nunique():
            continue
        if key(name) in SCREENS:
            if sizes.max() > 1:
                apart[name] = name
                screens = parts.ngroup()
        elif sizes.min() > 1 and is_asked and key(name) not in KNOWN["of_systems"]:
            fault = (
                f"column {short_repr(name)} divides rankings of one segment and judge"
            )
            choices = {
                "to rank its parts apart": column("document", name),
                "to leave it out": column("document", None),
            }
            raise table.refuse_header(fault, ways(choices))
    return apart


def _proposed(table: Table, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return what the values of columns suggest: what is expected, columns by role.

    Two columns of which more than half of the texts are in both are systems that were
    compared, with a column most of whose values are words of outcomes ("NAME" if there
    is none). Else two columns of numbers may be the scores of systems, beside a column
    that tells all rows apart, if no other may name systems; `known` are roles.
    """
    size = len(table.cells)
    columns = {name: table.values_of(name, size) for name in table.header}
    values = {name: [*filter(None, words)] for name, words in columns.items()}
    values = {name: words for name, words in values.items() if words}
    numbers = [name for name in values if all(map(NUMBER.fullmatch, values[name]))]
    outcomes = [
        name
        for name, words in values.items()
        if 1 < len(words) <= MOST and len(meanings(words, {})) > len(words) / 2
    ]
    texts = [name for name in values if name not in {*numbers, *outcomes}]
    words_of = {name: {*values[name]} for name in texts[:MOST_PAIRED]}
    for a, b in combinations(words_of, 2):
        shared = words_of[a] & words_of[b]
        if len(shared) > max(1, len(words_of[a] | words_of[b]) / 2):
            sides = {"a": a, "b": b, "outcome": [*outcomes, "NAME"][0]}
            return "a, b, outcome (pairwise)", sides
    segments = [name for name in values if len(values[name]) == size > 1]
    systems = [name for name in texts if 1 < len(values[name]) <= size / 2]
    is_free = segments and not systems and "segment" not in known
    if is_free and len({*numbers} - {segments[0]}) > 1:
        expected = "segment and a column of scores for each system (assessments)"
        return expected, {"segment": segments[0]}
    return "", {}


def _ask_about_counts(table: Table, options: Options) -> None:
    """Refuse a column that may say how often a row counts, until the user chooses."""
    for name in unused(table, options):
        if key(name) not in WEIGHTS:
            continue
        numbers = table.select({"count": name})["count"].cat.categories
        fractions = numbers[~numbers.str.fullmatch(r"\d+(\.0)?")]
        fault = f"column {short_repr(name)} may say how often a row counts"
        step = joined("; to count by it, add ", column("count", name))
        if len(fractions):
            fault = f"column {short_repr(name)} holds {short_repr(fractions[0])}"
            step = joined(", which is no number of votes")
        once = column("count", None)
        raise table.refuse_header(fault, step, "; to count every row once, add ", once)


def _unrecognised(
    table: Table,
    columns: Mapping[str, Any],
    layouts: Sequence[Layout],
    fitting: Mapping[str, Any],
) -> DataError:
    """Return an error with the roles that the nearest layout lacks."""
    header = table.header
    if len(header) == 1 and table.path != FRAME:
        return table.refuse_header(
            f"the header is one column, {short_repr(header[0])}; expected several,"
            " in text between commas, tabs or semicolons, and no title above it"
        )
    if not layouts:
        roles = ", ".join(columns)
        return table.refuse_header(f"no kind of file has columns {roles} together")

    def lacking(layout: Layout) -> list[str]:
        return [role for role in layout.needed if role not in fitting]

    nearest = min(layouts, key=lambda one: len(lacking(one)) / len(one.needed))
    expected = f"{', '.join(nearest.needed)} ({nearest.kind})"
    steps = [column(role, "NAME") for role in lacking(nearest)]
    if {"a", "b", "outcome", "system", "rank", "score"}.isdisjoint(fitting):
        proposed, used = _proposed(table, fitting)
        expected = proposed or expected
        steps = [*starmap(column, used.items())] or steps
    names = join_names([shorten(name, 16) for name in header], 3)
    fault = f"the header is {names}; expected {expected}; for other names add "
    # The recipe that has most of its columns here, if these are more than half.
    recipes = pd.read_csv(RECIPES)
    told_by = recipes["told_by"].str.replace("_", "").str.lower()
    named = told_by.str.findall(r"`(\w+)`").map(set)
    held = named.map({*map(key, header)}.intersection)
    share = held.map(len) / named.map(len).clip(2)
    likely = ""
    if share.max() > 0.5:
        likely = f"; it may be {recipes['file'][share.argmax()]} (docs/recipes.md)"
    return table.refuse_header(
        fault, joined(*steps, between=" "), likely, "; other kinds: ", HELP
    )


def columns_by_role(
    table: Table, columns: Mapping[str, str | None]
) -> dict[str, list[str]]:
    """Return the columns that each role could be, chosen by the user or by name."""
    fitting = {role: [name] for role, name in columns.items() if name is not None}
    free = {name: key(name) for name in table.header if name not in columns.values()}
    for role, aliases in ALIASES.items():
        if role not in columns:
            names = [name for name, short in free.items() if short in aliases]
            usual = KNOWN["otherwise"].get(role, [])
            others = [name for name, short in free.items() if short in usual]
            fitting[role] = names or others[:1]
    for pair in KNOWN["pairs"]:
        if not all(map(fitting.get, pair)):
            fitting |= {role: [] for role in pair if role not in columns}
    is_open = not any(map(fitting.get, RESULTS))
    if is_open and {"a", "b", "c"} <= {*free.values()} - {*columns}:  # systems
        fitting |= {"a": [], "b": []}
    taken = {*chain(*fitting.values())}
    by_key = {short: name for name, short in free.items() if name not in taken}
    if not {*TASK} & {*columns}:
        tasks = {short for short, name in by_key.items() if may_divide(table, name)}
        task_names = next(filter(tasks.issuperset, TASK_NAMES), ())
        for role, short in zip(TASK, task_names, strict=False):
            fitting[role] = [by_key.pop(short)]
    texts = [name for short, name in by_key.items() if short in SOURCE_TEXTS]
    is_free = texts and "segment" not in columns and fitting.get("score")
    if is_free and not _names_segments(table, fitting, texts[0]):
        fitting["segment"] = texts[:1]
    return {role: names for role, names in fitting.items() if names}


def _names_segments(table: Table, fitting: dict[str, list[str]], text: str) -> bool:
    """Return whether identifiers of segments have one source text each.

    Others may be places in an annotator's batch, or of single rows: systems that share
    a text then share hardly any identifier.
    """
    roles = ["segment", "document", *TASK, "system"]
    used = {role: fitting[role][0] for role in roles if fitting.get(role)}
    is_there = {*used.values()} <= {*table.header}
    if not is_there or not {"segment", "system"} <= {*used}:
        return False
    frame = table.select({**used, "text": text}, grouped=True)
    units = [role for role in frame if role not in ("system", "text", "n", "place")]
    texts = frame["text"].astype(object).str.strip()
    frame = frame.assign(text=texts)
    by_unit = frame.groupby(units, observed=True).nunique()
    by_text = frame.groupby("text", observed=True).nunique()
    is_shared = by_unit["system"].mean() > by_text["system"].mean() / 2
    return by_unit["text"].max() == 1 and is_shared


def may_divide(table: Table, name: str) -> bool:
    """Return whether a column is a task; one named for languages must hold them."""
    if key(name) not in ONLY_LANGUAGES:
        return True
    values = table.values_of(name, len(table.cells))  # none if it holds no text
    return bool(values) and looks_like_languages(values)


def plain_columns(
    table: Table, names: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Give the columns that hold no lists, each as the role "other"."""
    for name in names:
        try:
            cells = table.select({"other": name})
        except DataError:
            continue
        yield name, cells


# --- unused columns -------------------------------------------------------------------


def unused_columns(table: Table, options: Options, task: str) -> list[str]:
    """Warn of unused columns that change what is ranked, or how often a row counts."""
    of_task = {role: table.used[role] for role in TASK if role in table.used}
    warnings: list[str] = []
    if not table.used or "task" in options.ignored:
        return warnings
    names = unused(table, options)
    for name in names:
        if key(name) not in DIVIDING or not may_divide(table, name):
            continue
        frame = table.select(of_task | {"other": name}, grouped=True)
        if of_task:
            frame = frame[frame["task"] == task]
        if (number := frame["other"].nunique()) > 1:
            fault = f"column {short_repr(name)} holds {number} values and is not used"
            step = "they are ranked together; to rank them apart, add "
            way = column("task", name)
            warnings.append(warning("column_unused", f"{fault}, {step}", way))
    for name in names:
        if key(name) in (*ALIASES["count"], *WEIGHTS):
            fault = f"column {short_repr(name)} is not used, every row counts once"
            warnings.append(warning("column_unused", fault))
    return warnings
