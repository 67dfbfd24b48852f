"""Which column of a user's file holds what: its layout, and the column of every role.

Case, blanks and hyphens in the names of columns do not count: names are written here in
lower case with underscores. A file in which two columns fit one role is refused unless
the user says which is meant; of several columns that could name the task (a language
pair, a domain) the first of `TASK_NAMES` is taken, and the others are warned about.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from wmtlib.errors import DataError, joined, listed, shown
from wmtlib.yours.options import HELP, column, setting
from wmtlib.yours.reading.tables import FRAME, Table
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS

LOOKED_AT = 1000  # values of a column that may hold languages
WORDS = re.compile(r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*")


def cut(words: str, width: int) -> str:
    """A name cut in the middle: its ends tell it from others.

    >>> cut("online-A.large.2024.de-en", 16)
    'online-A…4.de-en'
    """
    half = width // 2
    return words if len(words) <= width else f"{words[:half]}…{words[1 - half :]}"


PAIR_NAMES = (  # names of the columns of the two systems that are compared
    *("a b", "system_a system_b", "systema systemb", "model_a model_b", "sys_a sys_b"),
    *("system_1 system_2", "system1 system2", "sys_1 sys_2", "sys1 sys2", "left right"),
    *(
        "model_1 model_2",
        "model1 model2",
        "left_system right_system",
        "system1id system2id",
    ),
)
PAIRED = {  # roles that come two by two, and the names of their columns
    "a b": PAIR_NAMES,
    "winner loser": ("winner loser",),
    "wins_a wins_b": ("wins_a wins_b", "wins_1 wins_2", "wins1 wins2", "a_wins b_wins"),
    "rank_a rank_b": ("system1rank system2rank", "rank_a rank_b", "rank_1 rank_2"),
}
LANGUAGES = (  # source and target language
    *(
        "src_lang tgt_lang",
        "source_lang target_lang",
        "source_language target_language",
    ),
    *("srclang trglang", "srclang tgtlang", "src tgt", "src trg", "source target"),
)
ONE_LANGUAGE = (
    *("pair", "direction", "langs", "languages", "language", "lang"),
    *("target_lang", "tgt_lang", "target_language", "tgt", "trg", "target"),
    *("source_lang", "src_lang", "source_language", "src", "source"),
)
TASK_NAMES = (  # the first that a file has is the task
    *("task", "language_pair", "lang_pair", "langpair", "lp", "translation_direction"),
    *(*LANGUAGES, *ONE_LANGUAGE),
    *("dataset", "domain", "testset", "test_set", "subset"),
)
NEVER_TASKS = (  # they divide a file, too, but are not taken for its tasks
    *(
        "category",
        "genre",
        "topic",
        "criterion",
        "aspect",
        "dimension",
        "campaign",
        "year",
        "type",
    ),
)
ONLY_LANGUAGES = {
    *" ".join((*LANGUAGES, *ONE_LANGUAGE)).split()
}  # tasks if they hold languages
PEOPLE = ("annotator", "annotator_id", "rater", "rater_id", "user", "user_id")
ALIASES = {
    "outcome": ("outcome", "winner", "verdict", "preference", "result"),
    "count": ("count", "counts", "weight", "weights", "frequency", "votes", "n"),
    "ties": ("ties", "tie", "draws"),
    "is_tie": (
        "is_tie",
        "tie",
        "ties",
        "is_draw",
        "draw",
        "draws",
        "result",
        "outcome",
    ),
    "judge": ("judge", "judge_id", "judgeid", *PEOPLE, "worker", "worker_id"),
    "judge_group": ("judge_group",),
    "worker": ("worker", "worker_id", *PEOPLE, "judge", "judge_id"),
    "segment": ("segment", "segment_id", "sid", "question_id", "prompt_id", "srcindex"),
    "ranking": ("ranking", "ranking_id", "rankingid"),
    "system": ("system", "system_id", "sys", "sys_id", "model"),
    "rank": ("rank",),
    "score": ("score", "raw_score", "rating"),
    "hit": ("hit", "hit_id"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "item": ("item", "item_type"),
    "accepted": ("accepted",),
}
SOURCE_TEXTS = (
    "source",
    "src",
    "source_text",
    "src_text",
    "source_segment",
    "source_seg",
)
OF_COMPARISONS = ("judge", "judge_group", "segment", "ranking")
UNITS = {  # roles that can be resampled
    "rankings": ("judge", "segment", "ranking"),
    "pairwise": OF_COMPARISONS,
    "assessments": ("worker", "hit", "document", "segment"),
}
TASK = ("task", "target")  # with a target, the task is source-target


class Layout(NamedTuple):
    """A way to lay out judgements of a kind: roles that a file must have, and all roles."""

    kind: str
    needed: tuple[str, ...]
    roles: tuple[str, ...]


LAYOUTS = {  # the commonest first: of several of one kind that fit a file, it is meant
    name: Layout(kind, (*needed.split(),), (*needed.split(), *more.split(), *TASK))
    for name, kind, needed, more in (
        (
            "outcomes",
            "pairwise",
            "a b outcome",
            "count judge judge_group segment ranking",
        ),
        ("ranked pairs", "pairwise", "a b rank_a rank_b", "judge segment ranking"),
        ("wins", "pairwise", "a b wins_a wins_b", "ties"),
        (
            "winners",
            "pairwise",
            "winner loser",
            "is_tie count judge judge_group segment ranking",
        ),
        ("rankings", "rankings", "ranking system rank", "judge segment"),
        (
            *("assessments",) * 2,
            "worker system segment score",
            "hit document item accepted",
        ),
        ("scores", "assessments", "system segment score", "hit document item accepted"),
    )
}


class SeveralTasks(DataError):
    """A file holds several tasks, and none was chosen."""

    tasks: Sequence[str] = ()


def key(name: str) -> str:
    """The name of a column as `ALIASES` write it."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


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
    kind, columns, refuse = options.kind, options.columns, table.refuse_header
    if {*WMT_COLUMNS} <= {*table.header} and kind in (None, "rankings") and not columns:
        return "rankings", {name: name for name in WMT_COLUMNS}
    layouts = {
        name: layout for name, layout in LAYOUTS.items() if kind in (None, layout.kind)
    }
    known = sorted({*chain(*(layout.roles for layout in layouts.values()))})
    for role, name in columns.items():
        if role not in known:
            message = f"no role {shown(role)} for a column; expected {', '.join(known)}"
            raise table.origin.refuse(None, message)
        if name is not None and name not in table.header:
            header = listed(table.header, 12)
            raise refuse(f"column {shown(name)} is missing; the header is {header}")
    layouts = {
        name: layout
        for name, layout in layouts.items()
        if {*columns} <= {*layout.roles}
    }
    fitting = _fitting(table, columns)
    fits = [name for name, layout in layouts.items() if {*layout.needed} <= {*fitting}]
    if not fits:
        raise _unrecognised(table, options, [*layouts.values()], fitting)
    kinds = [*dict.fromkeys(LAYOUTS[name].kind for name in fits)]
    if len(kinds) > 1:
        fault = f"the header fits {' and '.join(kinds)}; choose by "
        choices = [setting("kind", kind) for kind in kinds]
        raise refuse(joined(fault, joined(*choices, between=" or ")))
    roles = [role for role in LAYOUTS[fits[0]].roles if role in fitting]
    used = {role: fitting[role][0] for role in roles}
    for role, name in used.items():
        if len(names := fitting[role]) > 1:
            message = f"columns {listed(names, 12)} could each be the {role}"
            raise refuse(joined(f"{message}; choose by ", column(role, name)))
        if same := [r for r in roles if used[r] == name and r != role]:
            raise refuse(
                f"column {shown(name)} is {role} and {same[0]}; expected a column each"
            )
    return fits[0], used


def _unrecognised(
    table: Table,
    options: Options,
    layouts: Sequence[Layout],
    fitting: Mapping[str, list[str]],
) -> DataError:
    """The error about a header that fits no layout: the one that lacks least, and the next step."""
    refuse, header = table.refuse_header, table.header
    if len(header) == 1 and table.path != FRAME:
        message = (
            f"the header is one column, {shown(header[0])}; expected several, in text"
        )
        return refuse(f"{message} between commas, tabs or semicolons")
    if not layouts:
        return refuse(
            f"no kind of file has columns {', '.join(options.columns)} together"
        )
    lacks = {
        layout: [role for role in layout.needed if role not in fitting]
        for layout in layouts
    }
    nearest = min(lacks, key=lambda layout: len(lacks[layout]) / len(layout.needed))
    names = [column(role, "NAME") for role in lacks[nearest]]
    fault = (
        f"the header is {listed([cut(name, 16) for name in header], 3)}; expected"
        f" {', '.join(nearest.needed)} ({nearest.kind}); for other names add "
    )
    steps = joined(*names, between=" ")
    return refuse(joined(fault, steps, "; other kinds: ", HELP))


def _fitting(table: Table, columns: Mapping[str, str | None]) -> dict[str, list[str]]:
    """The columns that each role could be: the one that the user chose, or by name."""
    fitting = {role: [name] for role, name in columns.items() if name is not None}
    chosen, known = {*chain(*fitting.values())}, {key(name) for name in table.header}
    free = {key(name): name for name in table.header if name not in chosen}
    for roles, names in PAIRED.items():
        present = [pair.split() for pair in names if known.issuperset(pair.split())]
        for k, role in enumerate(roles.split()):
            if role not in columns:
                fitting[role] = [free[pair[k]] for pair in present if pair[k] in free]
    for role, names in ALIASES.items():
        if role not in columns:
            fitting[role] = [
                n for n in table.header if key(n) in names and n not in chosen
            ]
    taken = {*chain(*fitting.values())}
    free = {k: name for k, name in free.items() if name not in taken}
    if not {*TASK} & {*columns}:
        tasks = {
            k
            for k in free
            if k not in ONLY_LANGUAGES or holds_languages(table, free[k])
        }
        names = next(
            (pair.split() for pair in TASK_NAMES if tasks.issuperset(pair.split())), ()
        )
        fitting |= {
            role: [free.pop(name)] for role, name in zip(TASK, names, strict=False)
        }
    texts = [name for k, name in free.items() if k in SOURCE_TEXTS]
    if texts and "segment" not in columns and fitting.get("score"):
        fitting["segment"] = texts[
            :1
        ]  # numbers of segments may be places in an annotator's batch
    return {role: names for role, names in fitting.items() if names}


def called(role: str, used: Mapping[str, str]) -> str:
    """A role and, if it is another, the name of its column."""
    return (
        role if used.get(role, role) == role else f"{role} (column {shown(used[role])})"
    )


def holds_languages(table: Table, column: str) -> bool:
    """Whether the first values of a column look like languages or pairs of languages."""
    try:
        values = table.select({"task": column}, limit=LOOKED_AT)["task"]
    except DataError:  # it holds no text, or the table is refused when it is read
        return False
    return all(map(WORDS.fullmatch, values.cat.categories))


def unused_columns(
    table: Table, used: Mapping[str, str], unused: Sequence[str], task: str
) -> list[str]:
    """Warn of columns that change what is ranked, or how often a row counts, and were not used."""
    names = [n for n in unused if key(n) in {*TASK_NAMES, *NEVER_TASKS}]
    names = [
        n for n in names if key(n) not in ONLY_LANGUAGES or holds_languages(table, n)
    ]
    known = {role: used[role] for role in TASK if role in used}
    warnings = []
    for name in names:
        frame = table.select(known | {"other": name}, grouped=True)
        rows = frame["task"] == task if known else slice(None)
        if (number := frame.loc[rows, "other"].nunique()) > 1:
            message = f"column {shown(name)} holds {number} values and is not used, they are ranked"
            step = "together; to rank them apart, add "
            warnings.append(joined(f"{message} {step}", column("task", name)))
    counts = [shown(name) for name in unused if key(name) in ALIASES["count"]]
    return warnings + [f"column {n} is not used, every row counts once" for n in counts]
