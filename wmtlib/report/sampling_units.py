"""Units of ranks and folds, in words, and warnings of what they do not allow for."""

from collections.abc import Sequence

from wmtlib.certainty import RankSets
from wmtlib.core.counts import COMPARISON, LARGEST_FIRST
from wmtlib.core.errors import joined, setting, warning
from wmtlib.core.units import FEWEST, ITEMS, JUDGES
from wmtlib.files.judgements import Judgements

WORDS = {"worker": "annotator", "hit": "HIT"}  # for kinds of units


def number_of(judgements: Judgements, unit: str) -> int:
    """Count the different values of a unit; 0 if the file does not name it."""
    if unit not in judgements.units:
        return 0
    return int(judgements.frame[unit].nunique())


def still_shared(judgements: Judgements, unit: str, folds: int) -> list[str]:
    """Warn of perplexities that are too low, as folds share a larger unit."""
    larger = [*LARGEST_FIRST[: LARGEST_FIRST.index(unit)]]
    if unit == "segment":
        larger.remove("ranking")  # which is of one segment
    numbers = {name: number_of(judgements, name) for name in larger}
    shared = [name for name in larger if numbers[name] > 1]
    if shared:
        cause = f"others of the same {' or '.join(shared)} were trained on"
    elif unit == COMPARISON:
        cause = "the file tells no judges, rankings or segments apart"
    else:
        return []
    step = ""
    for name in shared:
        if numbers[name] >= folds:
            step = joined("; hold out whole ", name, "s: ", setting("unit", name))
            break
    fault = f"{unit}s were held out, and {cause}: perplexities may be too low"
    return [warning("held_out_shares_unit", fault, step)]


# --- what was left out in turn --------------------------------------------------------


def warnings_of(sets: RankSets, judgements: Judgements, is_asked: bool) -> list[str]:
    """Warn of what sets of ranks do not allow for.

    Parameters
    ----------
    sets : RankSets
    judgements : Judgements
    is_asked : bool
        Whether one kind of units was asked for.
    """
    if not sets.is_known:
        return []
    units = sets.units
    lines: list[str] = []
    for kind, number in units.these:
        people = f"only {counted(kind, number)}: what is said is about"
        these = "this one" if number == 1 else "these"
        fault = f"{people} {these}, and not about others; ask {FEWEST} or more"
        code = "few_judges" if kind in JUDGES else "few_units"
        lines.append(warning(code, fault))
    known = units_of(judgements)
    if is_asked:
        others = [plural(kind) for kind in _not_left_out(known, units.kinds)]
        if others:
            by = " and ".join(map(plural, units.kinds)) or "comparisons"
            fault = f"by {by} alone: ranks and lines do not allow for other"
            lines.append(warning("dependent", f"{fault} {' or '.join(others)}"))
        return lines
    if not any(kind in JUDGES for kind in known):
        fault = "the file does not tell who judged what: if judges gave several"
        effect = "judgements each, ranks and lines may be too sure"
        lines.append(warning("judges_unknown", f"{fault} {effect}"))
    elif not any(kind in ITEMS for kind in known):
        fault = "the file does not tell what was judged: ranks and lines do not allow"
        lines.append(warning("segments_fixed", f"{fault} for other segments"))
    if units.kinds[:1] == ("judge_group",):
        fault = "judges come in groups, which are left out in turn (docs/scale.md)"
        lines.append(warning("judges_grouped", fault))
    return lines


def _not_left_out(known: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """List what leaving out some kinds does not allow for: of judges, and of items.

    >>> _not_left_out(["judge", "ranking", "segment"], ["judge"])
    ['segment']
    >>> _not_left_out(["worker", "hit", "document", "segment"], ["hit"])
    ['worker', 'document']
    """
    sides = ([kind for kind in known if kind in side] for side in (JUDGES, ITEMS))
    return [side[0] for side in sides if side and side[0] not in kinds]


def units_of(judgements: Judgements) -> list[str]:
    """List the kinds of units that judgements name, of judges and of items."""
    return [kind for kind in (*JUDGES, *ITEMS) if kind in judgements.units]


# --- words ----------------------------------------------------------------------------


def words(kind: str) -> str:
    """Write a kind of units in words.

    >>> words("worker"), words("judge_group"), words("hit")
    ('annotator', 'judge group', 'HIT')
    """
    return WORDS.get(kind, kind.replace("_", " "))


def plural(kind: str) -> str:
    """Write the plural of a kind of units in words.

    >>> plural("worker")
    'annotators'
    """
    return f"{words(kind)}s"


def counted(kind: str, number: int) -> str:
    """Write a number of units in words.

    >>> counted("worker", 1), counted("segment", 3)
    ('1 annotator', '3 segments')
    """
    return f"{number} {plural(kind) if number > 1 else words(kind)}"
