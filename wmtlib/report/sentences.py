"""The answer in a sentence or two, for whoever asked.

A sentence speaks by what draws the lines of its table, ranges of ranks or tests, so
that the two say the same.
"""

from collections.abc import Sequence

import pandas as pd

from wmtlib.reliability import FEWEST
from wmtlib.report.analysis import RankingResult

MOST_NAMED = 3  # systems; of more their number is given


def of_ranking(result: RankingResult) -> str:
    """Say who comes first, and who may be as good; if tiers are shown, the first."""
    table = result.table
    size = len(table)
    best = [*table.loc[table["rank"] == 1, "system"]]
    first = name_or_count(best)
    comes = f"{first} share the first place" if best[1:] else f"{first} comes first"
    if len(best) == size:
        return f"No system is better than another here: {first} share the first place."
    tiers = result.tiers if result.is_chained else None
    if tiers is None and table["cluster"].max() == 1:
        level = f"No group of the {size} systems is clearly better than the rest"
        if size == 2:
            level = "Neither of the 2 systems is clearly better"
        return f"{level}: {comes}, but that may be chance."
    chance = "the difference may be chance"
    if tiers is not None:
        close = tiers["systems"][0]
    elif result.pairs is not None:
        close = result.better.columns[~result.better.iloc[0].to_numpy()]
    else:
        close = table.loc[table["rank_low"] == 1, "system"]
    samples = result.samples
    last_place = table["rank_high"].iloc[0]
    if samples is not None and result.is_by_ranges and last_place > 1:
        between = "or" if last_place == 2 else "to"
        places = f"1st {between} {ordinal(last_place)}"
        chance = f"with other {plural(samples.unit)} {first} would be {places}"
    others = [name for name in close if name not in best]
    doubt = ""
    if others:
        doubt = f" {name_or_count(others, 'others')} may be as good: {chance}."
    elif chance.startswith("with"):
        doubt = f" W{chance[1:]}."
    return f"{comes} of {size} systems.{doubt}"


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
    """Say how many judges are too often at odds with the others."""
    rated = int(table["reliability"].notna().sum())
    if rated:
        number = int(table["doubtful"].sum()) or "none"
        judged = f"{number} of {rated} judges (by chance 1 in 40 is)"
        return f"Too often at odds with the others: {judged}."
    cause = f"fewer than {FEWEST} of the judgements of each can be compared"
    if not table["checked"].any():
        cause = "none of their judgements can be compared with those of others"
        if unit == "worker":
            cause = "they share no segment of the same system"
    return f"Nothing can be said of the {len(table)} judges: {cause}."


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


def plural(unit: str) -> str:
    """Write the plural of a unit in words.

    >>> plural("judge"), plural("judge_group"), plural("hit")
    ('judges', 'judge groups', 'HITs')
    """
    return f"{'HIT' if unit == 'hit' else unit.replace('_', ' ')}s"


def ordinal(number: int) -> str:
    """Write a place.

    >>> [ordinal(k) for k in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else ends.get(number % 10, 'th')}"
