"""The answer in a sentence or two, for whoever asked.

A sentence speaks by what draws the lines of its table, ranges of ranks or tests, so
that the two say the same.
"""

from collections.abc import Sequence

import pandas as pd

from wmtlib.report.analysis import RankingResult

MOST_NAMED = 3  # systems; of more their number is given


def of_ranking(result: RankingResult, table: pd.DataFrame) -> str:
    """Say who comes first, and who may be as good.

    Parameters
    ----------
    table : DataFrame
        Columns system, rank, rank_low, rank_high and cluster; best first.
    """
    size = len(table)
    best = [*table.loc[table["rank"] == 1, "system"]]
    first = listed(best)
    comes = f"{first} share the first place" if best[1:] else f"{first} comes first"
    if not result.is_enough:
        return f"{comes} of {size} systems, by too few judgements to say how sure."
    last_place = 1
    chance = "the difference may be chance"
    if result.pairs is not None:
        from wmtlib.cluster_lines import better_of

        better = better_of(result.pairs, result.first.order)
        is_level = not better.to_numpy().any()
        close = better.columns[~better.iloc[0].to_numpy()]
    else:
        low = table["rank_low"].fillna(1)
        high = table["rank_high"].fillna(size)
        is_level = low.max() <= high.min()
        close = table.loc[low == 1, "system"]
        last_place = int(high[: len(best)].max())
    if last_place > 1 and result.samples is not None:
        between = "or" if last_place == 2 else "to"
        places = f"1st {between} {ordinal(last_place)}"
        chance = f"with other {plural(result.samples.unit)} {first} would be {places}"
    others = [name for name in close if name not in best]
    if others:
        doubt = f" {listed(others, 'others')} may be as good: {chance}."
    else:
        # No line is drawn between groups that no worker links.
        is_level = is_level or (last_place == 1 and table["cluster"].max() == 1)
        doubt = f" W{chance[1:]}." if last_place > 1 else ""
    if is_level:
        return (
            f"The {size} systems are not told apart: {comes}, but that may be chance."
        )
    return f"{comes} of {size} systems.{doubt}"


# --- words ----------------------------------------------------------------------------


def listed(names: Sequence[str], noun: str = "systems") -> str:
    """List up to three names, or say how many they are.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([*"abcd"], "others")
    ('a, b and c', 'a', '4 others')
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
