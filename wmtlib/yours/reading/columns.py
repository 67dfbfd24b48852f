"""Which column of a user's file holds what: its layout, and the column of every role.

Case, blanks and hyphens in the names of columns do not count: names are written here in
lower case with underscores. A file in which two columns fit one role is refused unless
the user says which is meant; of several columns that could name the task (a language
pair, a domain) the first of `TASK_NAMES` is taken, and the others are warned about.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from wmtlib.column_names import (
    COUNT_NAMES,
    DIVIDING,
    DOCUMENT_NAMES,
    ITEM_NAMES,
    ONLY_LANGUAGES,
    SOURCE_TEXTS,
    TASK,
    TASK_NAMES,
    key,
    looks_like_languages,
)
from wmtlib.errors import DataError, cut, joined, listed, shown
from wmtlib.yours.options import HELP, column, setting
from wmtlib.yours.reading.tables import FRAME, Table
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS

# --- names of columns -----------------------------------------------------------------

PAIR_NAMES = {  # of the columns of the two systems that are compared
    "a": "b",
    "system_a": "system_b",
    "systema": "systemb",
    "model_a": "model_b",
    "sys_a": "sys_b",
    "system_1": "system_2",
    "system1": "system2",
    "sys_1": "sys_2",
    "sys1": "sys2",
    "left": "right",
    "model_1": "model_2",
    "model1": "model2",
    "left_system": "right_system",
    "system1id": "system2id",
}
PAIRED = {  # roles that come two by two, and the names of their columns
    ("a", "b"): PAIR_NAMES,
    ("winner", "loser"): {"winner": "loser"},
    ("wins_a", "wins_b"): {
        "wins_a": "wins_b",
        "wins_1": "wins_2",
        "wins1": "wins2",
        "a_wins": "b_wins",
    },
    ("rank_a", "rank_b"): {
        "system1rank": "system2rank",
        "rank_a": "rank_b",
        "rank_1": "rank_2",
    },
}
PEOPLE = ("annotator", "annotator_id", "rater", "rater_id", "user", "user_id")
ALIASES: dict[str, tuple[str, ...]] = {  # other names than that of the role
    "outcome": ("winner", "verdict", "preference", "result"),
    "count": COUNT_NAMES,
    "ties": ("tie", "draws"),
    "is_tie": (
        "tie",
        "ties",
        "is_draw",
        "draw",
        "draws",
        "result",
        "outcome",
    ),
    "judge": ("judge_id", "judgeid", *PEOPLE, "worker", "worker_id"),
    "judge_group": (),
    "worker": ("worker_id", *PEOPLE, "judge", "judge_id"),
    "segment": ("segment_id", "sid", "question_id", "prompt_id", "srcindex"),
    "ranking": ("ranking_id", "rankingid"),
    "system": ("system_id", "sys", "sys_id", "model"),
    "rank": (),
    "score": ("raw_score", "rating"),
    "hit": ("hit_id",),
    "document": DOCUMENT_NAMES,
    "item": ITEM_NAMES,
    "accepted": (),
}
# --- layouts --------------------------------------------------------------------------

OF_COMPARISONS = ("judge", "judge_group", "segment", "ranking")
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
    Layout("outcomes", "pairwise", ("a", "b", "outcome"), ("count", *OF_COMPARISONS)),
    Layout(
        "ranked pairs",
        "pairwise",
        ("a", "b", "rank_a", "rank_b"),
        ("judge", "segment", "ranking"),
    ),
    Layout("wins", "pairwise", ("a", "b", "wins_a", "wins_b"), ("ties",)),
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
                f" expected {', '.join(sorted(roles))}"
            )
        if name is not None and name not in table.header:
            raise table.refuse_header(
                f"column {shown(name)} is missing;"
                f" the header is {listed(table.header, 12)}"
            )
    layouts = [layout for layout in of_kind if {*columns} <= {*layout.roles}]
    fitting = _fitting(table, columns)
    fits = [layout for layout in layouts if {*layout.needed} <= {*fitting}]
    if not fits:
        raise _unrecognised(table, columns, layouts, fitting)
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
    return layout.name, used


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
    return table.refuse_header(fault, steps, "; other kinds: ", HELP)


def _fitting(table: Table, columns: Mapping[str, str | None]) -> dict[str, list[str]]:
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
            names = [name for name in table.header if key(name) in (role, *aliases)]
            fitting[role] = [name for name in names if name not in chosen]
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
        if key(name) in ("count", *ALIASES["count"]):
            warnings.append(f"column {shown(name)} is not used, every row counts once")
    return warnings
