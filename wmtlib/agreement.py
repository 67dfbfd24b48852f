"""Agreement of annotators: of all, and of each with the others.

**Of all** (`agreement`): Cohen's kappa as WMT defines it, and Krippendorff's alpha. An
*item* is two outputs of one segment of one task; a judgement of it is a win, a loss or
a tie. Both coefficients are 1 for full agreement and 0 for the agreement of chance.
Which output of an item is called the first means nothing, so that wins and losses have
the same chance. Everything is computed from sums (`tallies`), which add up over
segments, so that whole segments can be drawn again: the measures of a sample are those
of the sum of its tallies.

**Of each** (`judges`): a judge is compared with all others.

- Of comparisons, *reliability* is the share of the judge's decided comparisons that
  favour the system with the higher Bradley-Terry strength, of the comparisons without
  the judge's own. It depends on what was compared, so beside it is what strengths that
  are d apart make one *expect*: the mean of 1 / (1 + exp(-|d|)). The interval is
  Wilson's for as many comparisons as have the variance of the share over the judge's
  rankings, where they are known.
- Of scores, it is the correlation of the judge's z-scores with the mean z-scores that
  others gave to the same outputs; its interval is Fisher's, with outputs taken for
  independent. Beside it is the median of all judges. Mean and standard deviation of the
  judge's scores are in points: who is strict, or uses little of the scale, harms no
  ranking by z-scores, which take both out; noise they do not.
- Of scores whose HITs (or sessions) are named, a *level that changes* is one that
  z-scores leave in: the means of the judge's HITs are farther apart than if the judge's
  documents were dealt to HITs of these sizes at random. Scores of one document are
  alike, so that a document counts once in a HIT (a segment, if no documents are named).
  What counts is the mean of z less the system's mean, and less that of the other judges
  of the document, where they are seven or more. p is corrected for all judges (Holm).

Judges with fewer than `FEWEST` comparisons, or outputs, that can be checked get no
reliability: the interval of a share would be more than 40 points wide.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from wmtlib.core import units
from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.corrections import NORMAL, corrected, wilson
from wmtlib.core.counts import (
    FIRST,
    SWAPPED,
    TIE,
    Compared,
    ComparisonRows,
    Counts,
    expand,
    rows_of,
    unit_codes,
)
from wmtlib.core.errors import DataError, unknown
from wmtlib.core.html_tables import Tabled
from wmtlib.core.ranking import TOLERANCE
from wmtlib.core.sampling import Seed, blocks, generator, resampler
from wmtlib.files.forms import judged
from wmtlib.methods import METHODS
from wmtlib.zscores import judged_values

RESAMPLES = 1000  # of segments
FEWEST = 20  # comparisons, or outputs, that can be checked
ALPHA = 0.05  # chance that any level is said to change where none does
DEALT = 1000  # times that documents are dealt to HITs, at once


# --- of all judges --------------------------------------------------------------------


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


# --- of each judge with the others ----------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class JudgeReport(Tabled):
    """How far each judge agrees with the others.

    Attributes
    ----------
    table : DataFrame
        Least reliable first: judge, judgements; of scores mean and sd (of the judge's
        scores, in points); checked (judgements that could be held against others),
        reliability, low, high (95 % interval), expected (of a typical judge; NaN if
        there is no reliability) and doubtful (the whole interval is below what is
        expected; NA). Of scores level_p (corrected p of levels that do not change from
        HIT to HIT; NaN if they cannot be tested) and level_changes (below `ALPHA`).
    fewest : int
        Checked judgements below which there is no reliability.
    """

    table: pd.DataFrame
    fewest: int = FEWEST

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"{len(self.table)} judges, least reliable first"

    def _draw(self, ax: Any) -> Any:
        from wmtlib import plots

        return plots.reliabilities(self.table.dropna(subset="reliability"), ax)


def judges(data: Any, *, reference: str | None = None, seed: Seed = 0) -> JudgeReport:
    """Compare each judge with the others.

    Of comparisons, reliability is the share of the judge's decided comparisons that
    favour the system which all others rank higher; of scores, the correlation of the
    judge's z-scores with the others' means of the same outputs. A judge whose mean is
    lower, or whose scores spread less, is not unreliable: z-scores take both out.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Campaign
        As `wmtlib.rank` takes it; comparisons have a column judge, and a column ranking
        lets intervals be as wide as they should be. Judges of a path or a frame have
        pseudonyms; `people` of what `wmtlib.read` returned says who they are.
    reference : str, optional
        A system that is left out.
    seed : int or Generator
        Of the deals that the levels of HITs are tested by.

    Raises
    ------
    DataError
        Fewer than two judges, or what `wmtlib.rank` refuses.

    Examples
    --------
    >>> judge = [*"pqrs"] * 30
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": "a", "judge": judge})
    >>> votes.loc[votes["judge"] == "r", "outcome"] = "b"
    >>> table = judges(votes).table[["judge", "reliability", "doubtful"]]
    >>> table.head(2).to_numpy().tolist()
    [['judge_003', 0.0, True], ['judge_001', 1.0, False]]
    >>> from wmtlib import read
    >>> read(votes).people["judge_003"]
    'r'
    """
    rows = judged(data)
    if isinstance(rows, Counts):
        raise DataError("no judges are told apart; expected a column judge")
    if reference is not None:
        if reference not in rows.systems:
            raise unknown("system", reference, rows.systems)
        rows = leave_out(rows, [reference])
    if isinstance(rows, Campaign):
        table = _of_scores(rows, generator(seed))
    else:
        table = _of_comparisons(rows)
    checked = table["reliability"].notna()
    doubtful = (table["high"] < table["expected"]).astype("boolean")
    table = table.assign(
        expected=table["expected"].where(checked),
        doubtful=doubtful.where(checked),
    )
    table = table.sort_values("reliability", kind="stable", ignore_index=True)
    return JudgeReport(table)


def _of_comparisons(data: ComparisonRows) -> pd.DataFrame:
    """Compare each judge's decided comparisons with the strengths by all others."""
    if "judge" not in data.frame:
        raise DataError("no judges are told apart; expected a column judge")
    samples = resampler(data, None, "judge").without_each()
    strengths = np.concatenate(
        [METHODS["bradley-terry"].sample_scores(sample) for sample in samples]
    )
    names = data.frame["judge"]
    judge, _ = unit_codes(names, "judge")
    # Nothing can be checked where apart is NaN: nobody else compared a system.
    apart = strengths[judge, data.first] - strengths[judge, data.second]
    checked = (data.preference != TIE) & (np.abs(apart) > TOLERANCE)
    agrees = (data.preference == FIRST) == (apart > 0)
    rows = pd.DataFrame(
        {
            "judgements": data.times,
            "checked": data.times * checked,
            "agreeing": data.times * (checked & agrees),
            "expected": np.where(checked, data.times * expit(np.abs(apart)), 0),
        }
    )
    sums = rows.groupby(judge).sum()
    number = sums["checked"]
    enough = number.where(number >= FEWEST)
    share = sums["agreeing"] / enough
    cases = number
    if "ranking" in data.frame:
        # So many independent comparisons have the variance of the share, which is a
        # ratio of two sums over rankings.
        rankings, _ = unit_codes(data.frame["ranking"], "ranking")
        surplus = rows["agreeing"] - rows["checked"] * share[judge].array
        surplus = surplus[checked].groupby([judge[checked], rankings[checked]]).sum()
        by_judge = surplus.groupby(level=0)
        variance = by_judge.size() * by_judge.var() / number**2
        cases = (share * (1 - share) / variance).where(variance > 0, by_judge.size())
        cases = cases.clip(upper=number)
    low, high = wilson(share, cases)
    return pd.DataFrame(
        {
            "judge": names.astype(str).groupby(judge).first(),
            "judgements": sums["judgements"],
            "checked": number,
            "reliability": share,
            "low": low,
            "high": high,
            "expected": sums["expected"] / enough,
        }
    )


def _of_scores(campaign: Campaign, rng: np.random.Generator) -> pd.DataFrame:
    """Compare each worker's z-scores with the others' means of the same outputs."""
    workers = np.unique(campaign.worker)
    if len(workers) < 2:
        raise DataError(
            f"{len(workers)} worker; expected two or more to hold against each other"
        )
    values = judged_values(campaign, "raw")  # those without a z-score, too
    values["worker"] = workers[values["worker"]]
    raw = values.groupby("worker")["raw"].agg(["size", "mean", "std"]).reindex(workers)
    output = ["system", "segment"]
    scored = values.dropna(subset="z")
    own = scored.groupby(["worker", *output])["z"].agg(["sum", "size"])
    others = own.groupby(output).transform("sum") - own
    means = pd.DataFrame(
        {
            "own": own["sum"] / own["size"],
            # Equal means of others are equal to the last bit.
            "others": (others["sum"] / others["size"]).round(12),
        }
    )
    by_worker = means[others["size"] > 0].groupby("worker")
    checked = by_worker.size().reindex(workers, fill_value=0)
    by_name = {name: rows["own"].corr(rows["others"]) for name, rows in by_worker}
    correlation = pd.Series(by_name, workers, dtype=float).where(checked >= FEWEST)
    with np.errstate(divide="ignore"):  # of a correlation of 1
        fisher = np.arctanh(correlation)
    half = NORMAL / np.sqrt((checked - 3).clip(lower=1))
    level_p = pd.Series(np.nan, workers)
    if "hit" in scored:
        item = "segment" if "" in {*campaign.documents} else "document"
        level_p = _levels_by_hit(scored, item, rng).reindex(workers)
    changes = (level_p < ALPHA).astype("boolean").where(level_p.notna())
    return pd.DataFrame(
        {
            "judge": np.array(campaign.workers, dtype=object)[workers],
            "judgements": raw["size"].fillna(0).astype(int),
            "mean": raw["mean"],
            "sd": raw["std"],
            "checked": checked,
            "reliability": correlation,
            "low": np.tanh(fisher - half),
            "high": np.tanh(fisher + half),
            "expected": correlation.median(),
            "level_p": level_p,
            "level_changes": changes,
        }
    )


def _levels_by_hit(
    values: pd.DataFrame, item: str, rng: np.random.Generator
) -> pd.Series:
    """Test if the level of a judge changes from HIT to HIT.

    Parameters
    ----------
    values : DataFrame
        Columns worker, hit, document or segment (the item), system and z.
    item : str
        What is dealt to HITs: all scores of a judge for it, in one HIT, count as one.

    Returns
    -------
    Series, by worker
        p, corrected by Holm, of those with two HITs or more, and an item more.
    """
    less = values["z"] - values.groupby("system")["z"].transform("mean")
    means = less.groupby([values[name] for name in ("worker", "hit", item)]).mean()
    of_all = means.groupby(item)
    of_judge = means.groupby(["worker", item])
    others = of_all.transform("sum") - of_judge.transform("sum")
    number = of_all.transform("size") - of_judge.transform("size")
    means -= (others / number).where(number >= units.FEWEST, 0)
    tested = {}
    for worker, own in means.groupby("worker"):
        sizes = own.groupby("hit").size().to_numpy()
        if 1 < len(sizes) < len(own):
            tested[worker] = own.to_numpy(), sizes
    most = int(2 * len(tested) / ALPHA)
    p = [_p_of_deals(*each, most, rng) for each in tested.values()]
    return pd.Series(corrected(np.array(p), "holm"), [*tested], dtype=float)


def _p_of_deals(
    values: np.ndarray, sizes: np.ndarray, most: int, rng: np.random.Generator
) -> float:
    """Compute how often means of HITs are as far apart if values are dealt at random.

    Parameters
    ----------
    values : ndarray, (items,)
        By HIT: those of the first one first.
    sizes : ndarray of int, (HITs,)
    most : int
        Deals, if fewer do not show that p is far above `ALPHA`.
    """
    starts = np.cumsum(sizes) - sizes

    def spread(dealt: np.ndarray) -> np.ndarray:
        return (np.add.reduceat(dealt, starts, axis=-1) ** 2 / sizes).sum(axis=-1)

    values = values - values.mean()
    seen = spread(values) - TOLERANCE
    wider = 0
    deals = 0
    while deals < most and wider < 2 * ALPHA * DEALT:
        dealt = rng.permuted(np.tile(values, (DEALT, 1)), axis=1)
        wider += int((spread(dealt) >= seen).sum())
        deals += DEALT
    return (1 + wider) / (1 + deals)
