"""The answer in a sentence or two, for whoever asked.

A sentence speaks by the sets of ranks of its table, so that the two say the same.
"""

from collections.abc import Sequence

import pandas as pd

from wmtlib.agreement import FEWEST
from wmtlib.core.units import ENOUGH, Units
from wmtlib.report.analysis import RankingResult
from wmtlib.report.sampling_units import counted

AT_ODDS = 0.025  # share of judges below whose 95 % interval is what is expected
MOST_NAMED = 3  # systems; of more their number is given


def of_ranking(result: RankingResult) -> str:
    """Say who comes first, whose ranks hold the first, and about whom it is."""
    table = result.table
    size = len(table)
    best = [*table.loc[table["rank"] == 1, "system"]]
    first = name_or_count(best)
    comes = f"{first} share the first place" if best[1:] else f"{first} comes first"
    if len(best) == size:
        return f"No system is better than another here: {first} share the first place."
    if not result.is_sure:
        return f"{comes} of {size} systems; how sure that is is not known."
    close = [*table.loc[table["rank_low"] == 1, "system"]]
    others = [name for name in close if name not in best]
    if len(close) == size:
        told = f"No two of the {size} systems are told apart"
        if size == 2:
            told = "Neither of the 2 systems is clearly better"
        said = f"{told}: {comes}, but that may be chance."
    elif others:
        may = f"{name_or_count(others, 'others')} may be as good"
        said = f"{comes} of {size} systems. {may}: the difference may be chance."
    else:
        said = f"{comes} of {size} systems. No other may be first."
    return f"{_about(result.units)}{said}{_too_few(result)}"


def _about(units: Units) -> str:
    """Say at the beginning if it is about these judges, or of single judgements."""
    lines = []
    if units.these:
        these = " and ".join(_these(*each) for each in units.these)
        lines.append(f"For {these}")
    if not units.kinds:
        taken = "each judgement taken by itself"
        lines.append(taken if lines else taken.capitalize())
    return f"{', '.join(lines)}: " if lines else ""


def _these(kind: str, number: int) -> str:
    """Write which units something is about.

    >>> _these("worker", 3), _these("judge", 1)
    ('these 3 annotators', 'this one judge')
    """
    words = counted(kind, number)
    return f"this one {words[2:]}" if number == 1 else f"these {words}"


def _too_few(result: RankingResult) -> str:
    """Say how many units would be needed, where they are few and ranks are open."""
    is_open = (result.table["rank_low"] < result.table["rank_high"]).any()
    if not (result.units.few and is_open):
        return ""
    few = " and ".join(counted(*each) for each in result.units.few)
    return f" {few} can hardly tell systems apart: ask {ENOUGH} or more."


def of_stability(changed: Sequence[str], size: int) -> str:
    """Say which systems change the order of the others when they are left out."""
    if not len(changed):
        return f"Whichever of the {size} systems is left out, the others keep order."
    names = name_or_count(changed, f"of the {size} systems")
    return f"The order of the others depends on {names} being there."


def of_models(near: Sequence[str], size: int) -> str:
    """Say how many models predict about equally well."""
    what = "held-out judgements"
    if "uniform" in near:
        return f"No model predicts {what} clearly better than knowing nothing."
    if len(near) == 1:
        return f"{near[0]} predicts {what} best of {size} models."
    return f"{len(near)} of {size} models predict {what} best, about equally well."


def of_judges(table: pd.DataFrame, unit: str) -> str:
    """Say how many judges are at odds with the others, how strict, how steady."""
    rated = int(table["reliability"].notna().sum())
    if rated:
        number = int(table["doubtful"].sum()) or "none"
        judged = f"{number} of {rated} judges ({_by_chance(rated)})"
        return f"At odds with the others: {judged}.{_strictness(table)}{_levels(table)}"
    cause = f"fewer than {FEWEST} of the judgements of each can be compared"
    if not table["checked"].any():
        cause = "none of their judgements can be compared with those of others"
        if unit == "worker":
            cause = "they share no segment of the same system"
    return f"Nothing can be said of the {len(table)} judges: {cause}.{_levels(table)}"


def _strictness(table: pd.DataFrame) -> str:
    """Say between which means judges score, which z-scores take out.

    >>> _strictness(pd.DataFrame({"mean": [41.2, 69.4, 55.0]}))
    ' Their mean scores are from 41.2 to 69.4, which z-scores take out.'
    """
    if "mean" not in table:
        return ""
    means = f"from {table['mean'].min():.3g} to {table['mean'].max():.3g}"
    return f" Their mean scores are {means}, which z-scores take out."


def _levels(table: pd.DataFrame) -> str:
    """Say how many judges change their level from HIT to HIT, if that was tested."""
    tested = int(table["level_p"].notna().sum()) if "level_p" in table else 0
    if not tested:
        return ""
    number = int(table["level_changes"].sum()) or "none"
    judged = f"{number} of {tested} judges"
    chance = "chance gives one or more in 5 of 100 such files"
    return f" Levels that change from HIT to HIT: {judged} ({chance})."


def _by_chance(judges: int) -> str:
    """Say how many judges are at odds where all judge alike: one in 40, or fewer.

    >>> _by_chance(15), _by_chance(2), _by_chance(200)
    ('chance gives one or more in 3 of 10 such files', 'chance gives one or more in 5 \
of 100 such files', 'chance gives about 5')
    """
    if judges * AT_ODDS >= 2:
        return f"chance gives about {judges * AT_ODDS:.0f}"
    share = 1 - (1 - AT_ODDS) ** judges
    files = f"{10 * share:.0f} of 10" if share > 0.095 else f"{100 * share:.0f} of 100"
    return f"chance gives one or more in {files} such files"


# --- words ----------------------------------------------------------------------------


def name_or_count(names: Sequence[str], noun: str = "systems") -> str:
    """List up to three names, or say how many they are.

    >>> name_or_count(["a", "b", "c"]), name_or_count([*"abcd"], "others")
    ('a, b and c', '4 others')
    """
    if len(names) > MOST_NAMED:
        return f"{len(names)} {noun}"
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
