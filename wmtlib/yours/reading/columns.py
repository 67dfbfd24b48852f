"""Which column of a user's file holds what: its layout, and the column of every role.

Of the names of columns only letters and figures count, in lower case and without what
stands in brackets: names are written here so. A file in which two columns fit one role
is refused unless the user says which is meant; of several columns that could name the
task (a language pair, a domain) the first of `TASK_NAMES` is taken, and the others are
warned about.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import pandas as pd

from wmtlib.errors import (
    DataError,
    Message,
    cut,
    did_you_mean,
    joined,
    listed,
    shown,
)
from wmtlib.intake import (
    ASKED,
    DIVIDING,
    DOCUMENT_NAMES,
    ITEM_NAMES,
    ONLY_LANGUAGES,
    SOURCE_TEXTS,
    TASK,
    TASK_NAMES,
    key,
    looks_like_languages,
    words,
)
from wmtlib.yours.options import HELP, LOWER, SCALE, column, setting
from wmtlib.yours.reading import exports
from wmtlib.yours.reading.outcomes import MEANINGS
from wmtlib.yours.reading.tables import FRAME, Table
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS

# --- names of columns -----------------------------------------------------------------

PAIRS = (  # roles that come two by two
    words("a b"),
    words("winner loser"),
    words("wins_a wins_b"),
    words("rank_a rank_b"),
    words("score_a score_b"),
)
PEOPLE = "annotator annotatorid rater raterid user userid"
NAMES = {  # other names than that of the role
    "a": "left leftsystem systema system1 system1id modela model1 modelaname sysa sys1",
    "b": "right rightsystem systemb system2 system2id modelb model2 modelbname sysb"
    " sys2",
    "winner": "chosenmodel better",
    "loser": "rejectedmodel worse",
    "wins_a": "wins1 awins winnermodela",
    "wins_b": "wins2 bwins winnermodelb",
    "rank_a": "system1rank rank1",
    "rank_b": "system2rank rank2",
    "score_a": "score1",
    "score_b": "score2",
    "outcome": "winner verdict preference result chosenmodelname",
    "count": "counts",
    "ties": "tie draws winnertie",
    "tied": "bothequal",
    "is_tie": "tie ties tied isdraw draw draws result outcome",
    "judge": f"judgeid {PEOPLE} worker workerid",
    "judge_group": "",
    "worker": f"workerid {PEOPLE} judge judgeid",
    "segment": "segmentid segid sid questionid promptid",
    "ranking": "rankingid",
    "system": "systemid sys sysid model mtsystem",
    "rank": "",
    "score": "rawscore rating esascore",
    "hit": "hitid",
    "accepted": "",
}
ALIASES = {role: words(names) for role, names in NAMES.items()}
ALIASES |= {"document": DOCUMENT_NAMES, "item": ITEM_NAMES}
VISITORS = "visitorid evaluationsessionid sessionid username author"
OTHERWISE = {  # names that count where a file has none of those above
    "judge": VISITORS,
    "worker": VISITORS,
    "segment": "srcindex itemid sentence",
    "score": "mqm mqmavgscore errors penalty ter wer",
}

# --- layouts --------------------------------------------------------------------------

SCREENS = "screens"  # rankings told apart by their segment and judge
OF_COMPARISONS = ("judge", "judge_group", "segment", "ranking")
OUTPUT = ("worker", "system", "document", "segment")  # what a worker scores
FEW = 20  # values of a column that may divide a file
OF_SCORES = ("hit", "document", "item", "accepted")
UNITS = {  # roles that can be resampled
    "rankings": ("judge", "segment", "ranking"),
    "pairwise": OF_COMPARISONS,
    "assessments": ("worker", "hit", "document", "segment"),
}


class Layout(NamedTuple):
    """A way to lay out judgements: roles that a file must have, or may have."""

    name: str
    kind: str
    needed: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles, those of the task last."""
        return (*self.needed, *self.optional, *TASK)


RANKINGS = Layout(
    "rankings", "rankings", words("ranking system rank"), words("judge segment")
)
MATRIX = Layout("matrix", "pairwise", (), ())  # its columns are called as systems are
LAYOUTS = (  # the commonest first: of several of one kind that fit a file, it is meant
    Layout(
        "outcomes",
        "pairwise",
        words("a b outcome"),
        ("count", "tied", *OF_COMPARISONS),
    ),
    Layout(
        "ranked pairs",
        "pairwise",
        words("a b rank_a rank_b"),
        words("judge segment ranking"),
    ),
    Layout("scored pairs", "pairwise", words("a b score_a score_b"), OF_COMPARISONS),
    Layout("wins", "pairwise", words("a b wins_a wins_b"), ("ties", *OF_COMPARISONS)),
    Layout(
        "winners",
        "pairwise",
        words("winner loser"),
        ("is_tie", "count", *OF_COMPARISONS),
    ),
    RANKINGS,
    Layout(
        "assessments",
        "assessments",
        words("worker system segment score"),
        OF_SCORES,
    ),
    Layout("scores", "assessments", words("system segment score"), OF_SCORES),
    Layout(SCREENS, "rankings", words("segment system rank"), ("judge",)),
)


class SeveralTasks(DataError):
    """A file holds several tasks, and none was chosen."""

    def __init__(self, message: str, tasks: Sequence[str] = ()):
        super().__init__(message)
        self.tasks = tasks


class Options(NamedTuple):
    """What the user says about a file; see `read.read`."""

    kind: str | None = None
    columns: Mapping[str, str | None] = {}
    outcomes: Mapping[str, str] = {}
    scale: tuple[float, float] | None = None
    task_columns: Sequence[str] = ()
    lower_is_better: bool | None = None
    preset: str | None = None
    skip_bad: bool = False


def recognise(table: Table, options: Options) -> Table:
    """The table with its layout, and the column of every role that it has.

    WMT's own layout of rankings has no roles: its columns stand for themselves.

    Raises
    ------
    DataError
        No layout, layouts of several kinds, or several columns for a role fit; a choice
        that cannot be.
    """
    is_twice = pd.Series(table.header).str.casefold().duplicated()
    if is_twice.any():
        name = shown(table.header[int(is_twice.argmax())])
        raise table.refuse_header(f"column {name} stands twice; expected it once")
    is_plain = not options.columns
    if options.kind not in (None, *UNITS):
        raise table.origin.refuse(
            f"kind is {shown(options.kind)}; expected one of {', '.join(UNITS)}"
        )
    if is_plain and options.kind in (None, "pairwise") and _is_matrix(table):
        layout = MATRIX
        used = {}
    elif (
        is_plain
        and options.kind in (None, "rankings")
        and {*WMT_COLUMNS} <= {*table.header}
    ):
        layout = RANKINGS
        used = {name: name for name in WMT_COLUMNS}
    else:
        layout, used = _layout_of(table, options)
    _check_options(table, layout, options)
    return replace(table, kind=layout.kind, layout=layout.name, used=used)


def _check_options(table: Table, layout: Layout, options: Options) -> None:
    """Refuse what the user says and cannot be."""
    for word, meaning in options.outcomes.items():
        if meaning not in MEANINGS:
            raise table.origin.refuse(
                f"outcome {shown(word)} is to mean {shown(meaning)};"
                f" expected {', '.join(MEANINGS)}"
            )
    if options.outcomes and layout.name != "outcomes":
        option = Message("outcomes", "--outcome")
        raise table.origin.refuse(
            "has no column of outcomes; ", option, " is for those"
        )
    for value, option in ((options.scale, SCALE), (options.lower_is_better, LOWER)):
        if value is not None and layout.kind != "assessments":
            raise table.origin.refuse(option, ": expected a column of scores")
    if options.scale and not options.scale[0] < options.scale[1]:
        raise table.origin.refuse(SCALE, ": expected LOW < HIGH")


def _is_matrix(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, in any order."""
    others = table.header[1:]
    if len(others) < 2 or len(table.cells) != len(others):
        return False
    try:
        names = table.select({"a": table.header[0]})["a"]
    except DataError:
        return False
    return sorted(names) == sorted(others)


def _layout_of(table: Table, options: Options) -> tuple[Layout, dict[str, str]]:
    """The layout that the names of the columns fit, and the column of every role."""
    columns = options.columns
    of_kind = [row for row in LAYOUTS if options.kind in (None, row.kind)]
    roles = {role for layout in of_kind for role in layout.roles}
    for role, name in columns.items():
        if role not in roles:
            raise table.origin.refuse(
                f"no role {shown(role)} for a column;"
                f" expected {', '.join(sorted(roles))}{did_you_mean(role, roles)}"
            )
        if name is not None and name not in table.header:
            raise table.refuse_header(
                f"column {shown(name)} is missing;"
                f" the header is {listed(table.header, 12)}"
                f"{did_you_mean(name, table.header)}"
            )
    layouts = [layout for layout in of_kind if {*columns} <= {*layout.roles}]
    fitting = columns_by_role(table, columns)
    fits = [layout for layout in layouts if {*layout.needed} <= {*fitting}]
    if not fits:
        raise _unrecognised(table, columns, layouts, fitting)
    if len(fits) > 1:  # scores may have their ranks beside them
        fits = [layout for layout in fits if layout.name != SCREENS]
    kinds = [*dict.fromkeys(layout.kind for layout in fits)]
    if len(kinds) > 1:
        steps = joined(*(setting("kind", kind) for kind in kinds), between=" or ")
        fault = f"the header fits {' and '.join(kinds)}; choose by "
        raise table.refuse_header(fault, steps)
    layout = fits[0]
    used = {role: fitting[role][0] for role in layout.roles if role in fitting}
    for role, name in used.items():
        names = fitting[role]
        if len(names) > 1:
            fault = f"columns {listed(names, 12)} could each be the {role}; choose by "
            raise table.refuse_header(fault, column(role, name))
        same = [other for other in used if used[other] == name and other != role]
        if same:
            raise table.refuse_header(
                f"column {shown(name)} is {role} and {same[0]}; expected a column each"
            )
    if "count" in layout.roles and not {"count"} & {*used, *columns}:
        _ask_about_counts(table, used)
    return layout, used


def _ask_about_counts(table: Table, used: Mapping[str, str]) -> None:
    """Refuse a column that may say how often a row counts, until the user says it."""
    for name in table.header:
        if key(name) not in ASKED or name in used.values():
            continue
        numbers = table.select({"count": name})["count"].cat.categories
        fractions = numbers[~numbers.str.fullmatch(r"\d+(\.0)?")]
        fault = f"column {shown(name)} may say how often a row counts"
        step = joined("; to count by it, add ", column("count", name))
        if len(fractions):
            fault = f"column {shown(name)} holds {shown(fractions[0])}"
            step = joined(", which is no number of votes")
        once = column("count", None)
        raise table.refuse_header(fault, step, "; to count every row once, add ", once)


def _unrecognised(
    table: Table,
    columns: Iterable[str],
    layouts: Sequence[Layout],
    fitting: Mapping[str, list[str]],
) -> DataError:
    """The error about a header that fits no layout: what the nearest one lacks."""
    header = table.header
    if len(header) == 1 and table.path != FRAME:
        return table.refuse_header(
            f"the header is one column, {shown(header[0])}; expected several,"
            " in text between commas, tabs or semicolons"
        )
    if not layouts:
        roles = ", ".join(columns)
        return table.refuse_header(f"no kind of file has columns {roles} together")

    def share_lacking(layout: Layout) -> float:
        return len({*layout.needed} - {*fitting}) / len(layout.needed)

    nearest = min(layouts, key=share_lacking)
    lacks = [column(role, "NAME") for role in nearest.needed if role not in fitting]
    names = listed([cut(name, 16) for name in header], 3)
    expected = f"{', '.join(nearest.needed)} ({nearest.kind})"
    fault = f"the header is {names}; expected {expected}; for other names add "
    steps = joined(*lacks, between=" ")
    recipe = exports.nearest(map(key, header))
    likely = f"; it may be {recipe} (docs/recipes.md)" if recipe else ""
    return table.refuse_header(fault, steps, likely, "; other kinds: ", HELP)


def columns_by_role(
    table: Table, columns: Mapping[str, str | None]
) -> dict[str, list[str]]:
    """The columns that each role could be: the one that the user chose, or by name."""
    fitting = {role: [name] for role, name in columns.items() if name is not None}
    chosen = {*chain(*fitting.values())}
    free = {name: key(name) for name in table.header if name not in chosen}
    for role, aliases in ALIASES.items():
        if role in columns:
            continue
        usual = (key(role), *aliases)
        names = [name for name, short in free.items() if short in usual]
        last = words(OTHERWISE.get(role, ""))
        fitting[role] = names or [n for n, short in free.items() if short in last][:1]
    for pair in PAIRS:
        if not all(map(fitting.get, pair)):
            fitting |= {role: [] for role in pair if role not in columns}
    taken = {*chain(*fitting.values())}
    free = {short: name for name, short in free.items() if name not in taken}
    if not {*TASK} & {*columns}:
        tasks = {
            short
            for short, name in free.items()
            if short not in ONLY_LANGUAGES or holds_languages(table, name)
        }
        task_names = next(filter(tasks.issuperset, TASK_NAMES), ())
        for role, name in zip(TASK, task_names, strict=False):
            fitting[role] = [free.pop(name)]
    # Numbers of segments may be places in an annotator's batch; source texts are not.
    texts = [name for short, name in free.items() if short in SOURCE_TEXTS]
    if texts and "segment" not in columns and fitting.get("score"):
        fitting["segment"] = texts[:1]
    return {role: names for role, names in fitting.items() if names}


def holds_languages(table: Table, name: str) -> bool:
    """Whether the values of a column look like languages, or pairs of them."""
    try:
        values = table.select({"task": name})["task"]
    except DataError:  # it holds no text, or the table is refused when it is read
        return False
    return looks_like_languages(values.cat.categories)


def unused_columns(
    table: Table, used: Mapping[str, str], unused: Sequence[str], task: str
) -> list[str]:
    """Warn of unused columns that change what is ranked, or how often a row counts."""
    of_task = {role: used[role] for role in TASK if role in used}
    warnings: list[str] = []
    for name in unused:
        if key(name) not in DIVIDING:
            continue
        if key(name) in ONLY_LANGUAGES and not holds_languages(table, name):
            continue
        frame = table.select(of_task | {"other": name}, grouped=True)
        if of_task:
            frame = frame[frame["task"] == task]
        if (number := frame["other"].nunique()) > 1:
            fault = f"column {shown(name)} holds {number} values and is not used"
            step = "they are ranked together; to rank them apart, add "
            warnings.append(joined(f"{fault}, {step}", column("task", name)))
    for name in unused:
        if key(name) in ("count", *ALIASES["count"], *ASKED):
            warnings.append(f"column {shown(name)} is not used, every row counts once")
    return warnings


def columns_of_copies(
    table: Table, used: Mapping[str, str], unused: Sequence[str]
) -> list[str]:
    """Warn of unused columns that tell apart what one worker gave one output."""
    roles = [role for role in (*OUTPUT, *TASK) if role in used]
    outputs = table.select({role: used[role] for role in roles}).drop(columns="place")
    outputs = outputs[outputs.duplicated(keep=False)]
    warnings: list[str] = []
    for name in unused:
        try:
            other = table.select({"other": name})["other"].loc[outputs.index]
        except DataError:  # lists
            continue
        is_told = not outputs.assign(other=other).duplicated().any()
        if is_told and 1 < other.nunique() <= min(FEW, len(outputs) / 2):
            fault = (
                f"column {shown(name)} tells apart {len(outputs)} scores, several of"
            )
            step = "one output by one worker each; they count together; to say what it"
            ways = joined(
                column("task", name), column("document", name), between=" or "
            )
            warnings.append(joined(f"{fault} {step} is, add ", ways))
    return warnings
