"""How far annotators agree: Cohen's kappa as WMT defines it, Krippendorff's alpha.

An *item* is two outputs of one segment of one task; a judgement of it is a win, a loss or a tie.
Both coefficients are 1 for full agreement and 0 for the agreement of chance. Which output of an
item is called the first means nothing, so that wins and losses have the same chance.

Everything is computed from sums (`tallies`), which add up over segments, so that whole segments can
be drawn again: the measures of a sample are those of the sum of its tallies.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import SWAPPED, TIE

MEASURES = ("inter", "inter_kappa", "intra", "intra_kappa", "alpha")


def tallies(comparisons: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """The sums that agreement is computed from.

    Parameters
    ----------
    comparisons : DataFrame
        A comparisons frame with columns segment, judge and, if there are several, task.
    by : sequence of columns
        One row for each of their values; with none, one row for all comparisons.

    Returns
    -------
    DataFrame
        comparisons; ties; inter_pairs, inter_agreeing (pairs of judgements of one item by different
        judges, and those with the same preference); intra_pairs, intra_agreeing (by one judge).
        For alpha, of items that two or more judges compared, with each judge's first judgement:
        values (judgements), tied_values and disagreement, the sum over items of m judgements of
        2 / (m - 1) times the number of pairs that disagree.
    """
    rows = counting.expand(comparisons)
    _, first, second, preference, _ = counting.coded(rows)
    place = [*(["task"] if "task" in rows else []), "segment"]
    table = rows[list(dict.fromkeys([*place, *by]))].assign(
        judge=counting.unit_codes(rows["judge"], "judge")[0],
        low=np.minimum(first, second),
        high=np.maximum(first, second),
        preference=np.where(first > second, SWAPPED[preference], preference),
    )
    table["item"] = table.groupby([*place, "low", "high"], observed=True).ngroup()

    width = {"judge": table["judge"].max() + 1, "preference": len(SWAPPED)}

    def pairs(rows: pd.DataFrame, *columns: str) -> np.ndarray:
        """Pairs of judgements of each item that agree in some columns."""
        shape = len(items), *(width[column] for column in columns)
        alike = np.ravel_multi_index([rows[column] for column in ("item", *columns)], shape)
        alike, size = np.unique(alike, return_counts=True)
        item = np.unravel_index(alike, shape)[0]
        return np.bincount(item, size * (size - 1) // 2, len(items)).astype(int)

    items = table.drop_duplicates("item").sort_values("item")
    once = table.drop_duplicates(["item", "judge"])
    once = once[once.groupby("item")["item"].transform("size") > 1]
    item, m = table["item"], np.bincount(once["item"], minlength=len(items))
    tied = table["preference"] == TIE
    sums = pd.DataFrame(
        {
            "comparisons": np.bincount(item, minlength=len(items)),
            "ties": np.bincount(item[tied], minlength=len(items)),
            "intra_pairs": pairs(table, "judge"),
            "intra_agreeing": pairs(table, "judge", "preference"),
            "inter_pairs": pairs(table) - pairs(table, "judge"),
            "inter_agreeing": pairs(table, "preference") - pairs(table, "judge", "preference"),
            "values": m,
            "tied_values": np.bincount(once["item"][tied[once.index]], minlength=len(items)),
            "disagreement": 2 * (pairs(once) - pairs(once, "preference")) / np.maximum(m - 1, 1),
        }
    )
    if not by:
        return sums.sum().to_frame().T
    items = items.reset_index(drop=True)
    return sums.groupby([items[column] for column in by], observed=True).sum()


def measures(sums: pd.DataFrame) -> pd.DataFrame:
    """Agreement, a row for each row of `tallies` (or of sums of some of them).

    With P(A) the share of pairs of judgements of an item that agree, and P(=) the share of ties
    among all comparisons, kappa = (P(A) - P(E)) / (1 - P(E)), where the agreement of chance is
    P(E) = P(=)^2 + 2 ((1 - P(=)) / 2)^2 (findings of WMT13-16). Alpha = 1 - D(o) / D(e) for nominal
    data (Krippendorff 2004): D(o) is the mean disagreement within items and D(e) that of any two
    judgements.

    Returns
    -------
    DataFrame
        inter, inter_kappa (different judges), intra, intra_kappa (a judge and the same again):
        P(A) and kappa; alpha. NaN where nothing was judged twice.
    """
    s = sums.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        tie = s["ties"] / s["comparisons"]
        chance = tie**2 + (1 - tie) ** 2 / 2
        found = {}
        for kind in ("inter", "intra"):
            found[kind] = s[f"{kind}_agreeing"] / s[f"{kind}_pairs"]
            found[f"{kind}_kappa"] = (found[kind] - chance) / (1 - chance)
        won = (s["values"] - s["tied_values"]) / 2  # and as many lost
        alike = s["tied_values"] * (s["tied_values"] - 1) + 2 * won * (won - 1)
        expected = 1 - alike / (s["values"] * (s["values"] - 1))
        found["alpha"] = 1 - s["disagreement"] / s["values"] / expected
    return pd.DataFrame(found)[[*MEASURES]]
