"""Agreement of annotators: Cohen's kappa as WMT defines it, Krippendorff's alpha.

An *item* is two outputs of one segment of one task; a judgement of it is a win, a loss
or a tie. Both coefficients are 1 for full agreement and 0 for the agreement of chance.
Which output of an item is called the first means nothing, so that wins and losses have
the same chance.

Everything is computed from sums (`tallies`), which add up over segments, so that whole
segments can be drawn again: the measures of a sample are those of the sum of its
tallies.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.assessments import Campaign
from wmtlib.core.counts import (
    SWAPPED,
    TIE,
    Compared,
    Counts,
    expand,
    rows_of,
    unit_codes,
)
from wmtlib.core.errors import DataError
from wmtlib.core.sampling import Seed, blocks, generator
from wmtlib.files.forms import judged
from wmtlib.zscores import judged_values

RESAMPLES = 1000  # of segments


def tallies(comparisons: Compared, by: Sequence[str] = ()) -> pd.DataFrame:
    """Sum what agreement is computed from.

    Parameters
    ----------
    comparisons : ComparisonRows or comparisons frame
        With columns segment, judge and, if there are several, task.
    by : sequence of columns
        One row for each of their values; with none, one row for all comparisons.

    Returns
    -------
    DataFrame
        comparisons; ties; inter_pairs, inter_agreeing (pairs of judgements of one item
        by different judges, and those with the same preference); intra_pairs,
        intra_agreeing (by one judge). For alpha, of items that two or more judges
        compared, with each judge's first judgement: values (judgements), tied_values
        and disagreement, the sum over items of m judgements of 2 / (m - 1) times the
        number of pairs that disagree.
    """
    rows = expand(comparisons)
    single = rows_of(rows)
    segment = ["task", "segment"] if "task" in rows else ["segment"]
    table = rows[list(dict.fromkeys([*segment, *by]))].assign(
        judge=unit_codes(rows["judge"], "judge")[0],
        low=np.minimum(single.first, single.second),
        high=np.maximum(single.first, single.second),
        preference=np.where(
            single.first > single.second, SWAPPED[single.preference], single.preference
        ),
    )
    table["item"] = table.groupby([*segment, "low", "high"], observed=True).ngroup()
    table["tie"] = table["preference"] == TIE

    def pairs(rows: pd.DataFrame, *columns: str) -> pd.Series:
        """Count pairs of judgements of each item that agree in some columns."""
        size = rows.groupby(["item", *columns]).size()
        return (size * (size - 1) // 2).groupby("item").sum()

    sums = table.groupby("item")["tie"].agg(comparisons="size", ties="sum")
    sums["intra_pairs"] = pairs(table, "judge")
    sums["intra_agreeing"] = pairs(table, "judge", "preference")
    sums["inter_pairs"] = pairs(table) - sums["intra_pairs"]
    sums["inter_agreeing"] = pairs(table, "preference") - sums["intra_agreeing"]
    # For alpha, items of several judges, each with the first judgement
    values = table.drop_duplicates(["item", "judge"])
    values = values[values.duplicated("item", keep=False)]
    m = values.groupby("item").size()
    sums["values"] = m
    sums["tied_values"] = values.groupby("item")["tie"].sum()
    sums["disagreement"] = 2 * (pairs(values) - pairs(values, "preference")) / (m - 1)
    if not by:
        return sums.sum().to_frame().T
    items = table.drop_duplicates("item").set_index("item")
    return sums.fillna(0).groupby([items[column] for column in by], observed=True).sum()


def measures(sums: pd.DataFrame) -> pd.DataFrame:
    """Compute agreement for each row of `tallies` (or of sums of some of them).

    With P(A) the share of pairs of judgements of an item that agree, and P(=) the share
    of ties among all comparisons, kappa = (P(A) - P(E)) / (1 - P(E)), where the
    agreement of chance is P(E) = P(=)^2 + 2 ((1 - P(=)) / 2)^2 (findings of WMT13-16).
    Alpha = 1 - D(o) / D(e) for nominal data (Krippendorff 2004): D(o) is the mean
    disagreement within items and D(e) that of any two judgements.

    Returns
    -------
    DataFrame
        inter, inter_kappa (different judges), intra, intra_kappa (a judge and the same
        again): P(A) and kappa; alpha. NaN where nothing was judged twice.
    """
    s = sums.astype(float)
    table = {}
    tie = s["ties"] / s["comparisons"]
    chance = tie**2 + (1 - tie) ** 2 / 2
    for kind in ("inter", "intra"):
        table[kind] = s[f"{kind}_agreeing"] / s[f"{kind}_pairs"]
        table[f"{kind}_kappa"] = (table[kind] - chance) / (1 - chance)
    won = (s["values"] - s["tied_values"]) / 2  # and as many lost
    alike = s["tied_values"] * (s["tied_values"] - 1) + 2 * won * (won - 1)
    expected = 1 - alike / (s["values"] * (s["values"] - 1))
    table["alpha"] = 1 - s["disagreement"] / s["values"] / expected
    return pd.DataFrame(table)


def agreement(data: Any, *, n_resamples: int, seed: Seed = 0) -> pd.DataFrame:
    """Measure how far judges agree about what several of them judged.

    Of comparisons: Cohen's kappa as WMT defines it, between judges and of a judge with
    the same again, and Krippendorff's alpha; of scores Krippendorff's alpha for
    interval data, of z-scores. Intervals: segments are drawn again, with all that was
    said of them.

    Parameters
    ----------
    data : DataFrame, Campaign or Judgements
        As in `methods.rank`; comparisons have the columns judge and segment.
    n_resamples : int
    seed : int or Generator

    Returns
    -------
    DataFrame
        measure, value, low, high (95 %); no row for what nothing was judged twice for.
    """
    rows = judged(data)
    if isinstance(rows, Campaign):
        sums = _sums_of_scores(rows)
        coefficients = _alpha_of_scores
    elif isinstance(rows, Counts) or not {"judge", "segment"} <= {*rows.frame}:
        raise DataError("agreement needs the columns judge and segment")
    else:
        sums = tallies(rows, ["segment"])
        coefficients = measures
    if sums.empty:
        return pd.DataFrame(columns=["measure", "value", "low", "high"])
    draws = (
        segments_drawn(len(sums), size, rng)
        for size, rng in blocks(n_resamples, generator(seed))
    )
    table = with_intervals(sums, coefficients, draws)
    return table.dropna(subset="value").rename_axis("measure").reset_index()


def segments_drawn(
    segments: int, n_resamples: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw how often each segment is in each sample, (n_resamples, segments)."""
    return rng.multinomial(segments, np.full(segments, 1 / segments), n_resamples)


def with_intervals(
    sums: pd.DataFrame,
    coefficients: Callable[[pd.DataFrame], pd.DataFrame],
    draws: Iterable[np.ndarray],
) -> pd.DataFrame:
    """Compute coefficients of all segments, and their 95 % ranges over samples.

    Parameters
    ----------
    sums : DataFrame
        A row for each segment, such as `tallies` gives.
    coefficients : callable
        From sums to a column for each measure, such as `measures`.
    draws : arrays, (samples, segments)
        How often each segment is in each sample.

    Returns
    -------
    DataFrame
        By measure: value, low, high.
    """
    totals = np.concatenate([times @ sums.to_numpy(float) for times in draws])
    samples = coefficients(pd.DataFrame(totals, columns=sums.columns))
    table = samples.quantile([0.025, 0.975]).T.set_axis(["low", "high"], axis=1)
    table.insert(0, "value", coefficients(sums.sum().to_frame().T).iloc[0])
    return table


def _sums_of_scores(campaign: Campaign) -> pd.DataFrame:
    """Sum by segment, over the z-scores of outputs that several workers scored.

    number, sum, squares, and within: over outputs, 2 m / (m - 1) times the squares
    about the mean of an output's m z-scores.
    """
    values = judged_values(campaign).drop_duplicates(["segment", "system", "worker"])
    by_output = values.groupby(["segment", "system"])["z"]
    outputs = by_output.agg(number="size", sum="sum", squares=lambda z: z @ z)
    outputs = outputs[outputs["number"] > 1]
    m = outputs["number"]
    outputs["within"] = 2 * m / (m - 1) * (outputs["squares"] - outputs["sum"] ** 2 / m)
    return outputs.groupby("segment").sum()


def _alpha_of_scores(sums: pd.DataFrame) -> pd.DataFrame:
    """Compute Krippendorff's alpha for interval data, from `_sums_of_scores`."""
    n = sums["number"]
    expected = 2 * (sums["squares"] - sums["sum"] ** 2 / n) / (n - 1)
    return pd.DataFrame({"alpha": 1 - sums["within"] / n / expected})
