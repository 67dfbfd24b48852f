"""Which column of a user's file holds what: its layout, and the column of every role.

Of the names of columns only letters and figures count, in lower case and without what
stands in brackets: names are written here so. A file in which two columns fit one role
is refused unless the user says which is meant; of several columns that could name the
task (a language pair, a domain) the first of `TASK_NAMES` is taken, and the others are
warned about.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from wmtlib.column_names import (
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
from wmtlib.errors import DataError, cut, did_you_mean, joined, listed, shown
from wmtlib.yours.options import HELP, column, setting
from wmtlib.yours.reading import exports
from wmtlib.yours.reading.tables import FRAME, Table
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS

# --- names of columns -----------------------------------------------------------------

PAIR_NAMES = {  # of the columns of the two systems that are compared
    "a": "b",
    "left": "right",
    "leftsystem": "rightsystem",
    "modelaname": "modelbname",
    "system1id": "system2id",
    **{f"{name}a": f"{name}b" for name in ("system", "model", "sys")},
    **{f"{name}1": f"{name}2" for name in ("system", "model", "sys")},
}
PAIRED = {  # roles that come two by two, and the names of their columns
    ("a", "b"): PAIR_NAMES,
    ("winner", "loser"): {
        "winner": "loser",
        "chosenmodel": "rejectedmodel",
        "better": "worse",
    },
    ("wins_a", "wins_b"): {
        "winsa": "winsb",
        "wins1": "wins2",
        "awins": "bwins",
        "winnermodela": "winnermodelb",
    },
    ("rank_a", "rank_b"): {
        "system1rank": "system2rank",
        "ranka": "rankb",
        "rank1": "rank2",
    },
    ("score_a", "score_b"): {"scorea": "scoreb", "score1": "score2"},
}
PEOPLE = "annotator annotatorid rater raterid user userid"
NAMES = {  # other names than that of the role
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


LAYOUTS = (  # the commonest first: of several of one kind that fit a file, it is meant
    Layout(
        "outcomes",
        "pairwise",
        ("a", "b", "outcome"),
        ("count", "tied", *OF_COMPARISONS),
    ),
    Layout(
        "ranked pairs",
        "pairwise",
        ("a", "b", "rank_a", "rank_b"),
        ("judge", "segment", "ranking"),
    ),
    Layout(
        "scored pairs", "pairwise", ("a", "b", "score_a", "score_b"), OF_COMPARISONS
    ),
    Layout(
        "wins",
        "pairwise",
        ("a", "b", "wins_a", "wins_b"),
        ("ties", *OF_COMPARISONS),
    ),
    Layout(
        "winners", "pairwise", ("winner", "loser"), ("is_tie", "count", *OF_COMPARISONS)
    ),
    Layout("rankings", "rankings", ("ranking", "system", "rank"), ("judge", "segment")),
    Layout(
        "assessments",
        "assessments",
        ("worker", "system", "segment", "score"),
        OF_SCORES,
    ),
    Layout("scores", "assessments", ("system", "segment", "score"), OF_SCORES),
    Layout(SCREENS, "rankings", ("segment", "system", "rank"), ("judge",)),
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


def recognise(table: Table, options: Options) -> tuple[str, dict[str, str]]:
    """Layout of a table, and the column of every role that the table has.

    WMT's own layout of rankings has no roles: its columns stand for themselves.

    Raises
    ------
    DataError
        No layout, layouts of several kinds, or several columns for a role fit; a choice
        of columns that cannot be.
    """
    kind = options.kind
    columns = options.columns
    if {*WMT_COLUMNS} <= {*table.header} and kind in (None, "rankings") and not columns:
        return "rankings", {name: name for name in WMT_COLUMNS}
    of_kind = [layout for layout in LAYOUTS if kind in (None, layout.kind)]
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
    return layout.name, used


def _ask_about_counts(table: Table, used: Mapping[str, str]) -> None:
    """Refuse a column that may say how often a row counts, until the user says it."""
    for name in table.header:
        if key(name) not in ASKED or name in used.values():
            continue
        numbers = table.select({"count": name}, limit=1000)["count"].cat.categories
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
    keys = {key(name) for name in table.header}
    free = {key(name): name for name in table.header if name not in chosen}
    for roles, pairs in PAIRED.items():
        present = [pair for pair in pairs.items() if keys.issuperset(pair)]
        for position, role in enumerate(roles):
            if role not in columns:
                names = [pair[position] for pair in present]
                fitting[role] = [free[name] for name in names if name in free]
    for role, aliases in ALIASES.items():
        if role not in columns:
            others = [name for name in table.header if name not in chosen]
            names = [name for name in others if key(name) in (key(role), *aliases)]
            last = words(OTHERWISE.get(role, ""))
            fitting[role] = names or [n for n in others if key(n) in last][:1]
    taken = {*chain(*fitting.values())}
    free = {short: name for short, name in free.items() if name not in taken}
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
    """Whether the first values of a column look like languages, or pairs of them."""
    try:
        values = table.select({"task": name}, limit=1000)["task"]
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
