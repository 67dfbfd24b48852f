"""How far annotators agree: Cohen's kappa as WMT defines it, Krippendorff's alpha.

An *item* is two outputs of one segment of one task; a judgement of it is a win, a loss
or a tie. Both coefficients are 1 for full agreement and 0 for the agreement of chance.
Which output of an item is called the first means nothing, so that wins and losses have
the same chance.

Everything is computed from sums (`tallies`), which add up over segments, so that whole
segments can be drawn again: the measures of a sample are those of the sum of its
tallies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from wmtlib.assessments import Campaign
from wmtlib.corrections import NORMAL, wilson
from wmtlib.counts import (
    FIRST,
    SWAPPED,
    TIE,
    Counts,
    coded,
    counted_rows,
    expand,
    unit_codes,
    without,
)
from wmtlib.errors import DataError
from wmtlib.forms import count
from wmtlib.html_tables import captioned
from wmtlib.methods import METHODS, method_data, rank
from wmtlib.pairwise_tests import judged_values
from wmtlib.ranking import TOLERANCE, Ranking, levels, pair_orders
from wmtlib.sampling import Seed, blocks, generator, resampler

RESAMPLES = 1000  # of segments
FEWEST = 20  # comparisons, or outputs, by which a judge is judged
COLUMNS = [  # of `JudgeReport.table`
    "judge",
    "judgements",
    "checked",
    "reliability",
    "low",
    "high",
    "expected",
    "doubtful",
    "reversed",
    "first",
]


# --- how far judges agree: kappa and alpha --------------------------------------------


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
        comparisons; ties; inter_pairs, inter_agreeing (pairs of judgements of one item
        by different judges, and those with the same preference); intra_pairs,
        intra_agreeing (by one judge). For alpha, of items that two or more judges
        compared, with each judge's first judgement: values (judgements), tied_values
        and disagreement, the sum over items of m judgements of 2 / (m - 1) times the
        number of pairs that disagree.
    """
    rows = expand(comparisons)
    _, first, second, preference, _ = coded(rows)
    segment = ["task", "segment"] if "task" in rows else ["segment"]
    table = rows[list(dict.fromkeys([*segment, *by]))].assign(
        judge=unit_codes(rows["judge"], "judge")[0],
        low=np.minimum(first, second),
        high=np.maximum(first, second),
        preference=np.where(first > second, SWAPPED[preference], preference),
    )
    table["item"] = table.groupby([*segment, "low", "high"], observed=True).ngroup()
    table["tie"] = table["preference"] == TIE

    def pairs(rows: pd.DataFrame, *columns: str) -> pd.Series:
        """Pairs of judgements of each item that agree in some columns."""
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
    """Agreement, a row for each row of `tallies` (or of sums of some of them).

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
    """How far judges agree about what several of them judged.

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
    data, _ = method_data(data)
    if isinstance(data, Campaign):
        sums = _sums_of_scores(data)
        coefficients = _alpha_of_scores
    elif isinstance(data, Counts) or not {"judge", "segment"} <= {*data}:
        raise DataError("agreement needs the columns judge and segment")
    else:
        sums = tallies(data, ["segment"])
        coefficients = measures
    if sums.empty:
        return pd.DataFrame(columns=["measure", "value", "low", "high"])
    segments = len(sums)
    drawn = []
    for size, rng in blocks(n_resamples, generator(seed)):
        times = rng.multinomial(segments, np.full(segments, 1 / segments), size)
        drawn.append(times @ sums.to_numpy(float))
    samples = coefficients(pd.DataFrame(np.concatenate(drawn), columns=sums.columns))
    table = samples.quantile([0.025, 0.975]).T.set_axis(["low", "high"], axis=1)
    table.insert(0, "value", coefficients(sums.sum().to_frame().T).iloc[0])
    return table.dropna(subset="value").rename_axis("measure").reset_index()


def _sums_of_scores(campaign: Campaign) -> pd.DataFrame:
    """Sums by segment, over the z-scores of outputs that several workers scored.

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
    """Krippendorff's alpha for interval data, from sums of `_sums_of_scores`."""
    n = sums["number"]
    expected = 2 * (sums["squares"] - sums["sum"] ** 2 / n) / (n - 1)
    return pd.DataFrame({"alpha": 1 - sums["within"] / n / expected})


# --- how far each judge can be relied on ----------------------------------------------
#
# **Comparisons.** A judge is held against the ranking by all others: Bradley-Terry
# strengths of the comparisons without the judge's own. *Reliability* is the share of
# the judge's decided comparisons that favour the system which the others rank higher.
# It depends on what was compared, so beside it stands what the others' strengths, d
# apart, make one *expect*: the mean of 1 / (1 + exp(-|d|)). The interval is Wilson's
# for as many comparisons as have the variance of the share over the judge's rankings,
# where the file tells them apart.
#
# **Scores.** Reliability is the correlation of the judge's z-scores with the mean
# z-scores that others gave to the same outputs, its interval Fisher's, with outputs
# taken for independent; beside it stands the median of all judges.
#
# Of judges with fewer than `FEWEST` comparisons, or outputs, to go by nothing is said:
# the interval of a share would be more than 40 points wide.


@dataclass(frozen=True, eq=False)
class JudgeReport:
    """What each judge's judgements say of the judge, and do to the ranking.

    Attributes
    ----------
    ranking : Ranking
        By Bradley-Terry strengths, or mean z-scores, of all judges.
    table : DataFrame
        Least reliable first: judge, judgements, checked (those that could be held
        against others), reliability, low, high (95 % interval), expected (of a typical
        judge, as the comment above says; NaN where nothing is said), doubtful (the
        whole interval is below what is expected; NA), reversed (pairs of systems whose
        order changes without the judge) and first (who is first without the judge, if
        it is somebody else; "" otherwise).
    fewest : int
        Checked judgements below which nothing is said.
    """

    ranking: Ranking
    table: pd.DataFrame
    fewest: int = FEWEST

    def _repr_html_(self) -> str:
        return captioned(f"{len(self.table)} judges, least reliable first", self.table)


def judges(data: Any, *, reference: str | None = None) -> JudgeReport:
    """How far does each judge agree with the others, and who moves the ranking?

    Parameters
    ----------
    data : DataFrame, Campaign or Judgements
        As in `methods.rank`; comparisons have a column judge, and a column ranking lets
        intervals be as wide as they should be.
    reference : str, optional
        Left out.

    Raises
    ------
    DataError
        Fewer than two judges, or what `rank` refuses.

    Examples
    --------
    >>> judge = [*"pqrs"] * 30
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": "a", "judge": judge})
    >>> votes.loc[votes["judge"] == "r", "outcome"] = "b"
    >>> table = judges(votes).table[["judge", "reliability", "doubtful"]]
    >>> table.head(2).to_numpy().tolist()
    [['r', 0.0, True], ['p', 1.0, False]]
    """
    data, _ = method_data(data)
    if isinstance(data, Campaign):
        ranking = rank(data, "z-score", reference=reference)
        table, scores = _of_scores(data)
    elif isinstance(data, Counts) or "judge" not in data:
        raise DataError("no judges are told apart; expected a column judge")
    else:
        data = without(data, reference)
        ranking = rank(count(data), "bradley-terry")
        table, scores = _of_comparisons(data)
    checked = table["reliability"].notna()
    doubtful = (table["high"] < table["expected"]).astype("boolean")
    table = table.assign(
        expected=table["expected"].where(checked),
        doubtful=doubtful.where(checked),
        **_changes(ranking, scores),
    )
    table = table[COLUMNS].sort_values("reliability", kind="stable", ignore_index=True)
    return JudgeReport(ranking, table)


def _changes(ranking: Ranking, scores: pd.DataFrame) -> dict[str, Any]:
    """Columns reversed and first of `JudgeReport.table`.

    From scores without each judge, judges x systems.
    """
    before = ranking.column("score").sort_index()
    after = scores[before.index].to_numpy()
    level = levels(np.vstack([before, after]))
    best = level == np.nanmax(level, axis=1, keepdims=True)  # or tied for it
    first, *firsts = [" = ".join(before.index[row]) for row in best]
    turned = pair_orders(before) * pair_orders(after) < 0
    return {
        "reversed": turned.sum(axis=1),
        "first": ["" if name == first else name for name in firsts],
    }


def _of_comparisons(data: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Each judge's decided comparisons beside the strengths by all others.

    Columns of `JudgeReport.table`; scores without each judge, judges x systems.
    """
    samples = resampler(data, None, "judge").without_each()
    strengths = np.concatenate(
        [METHODS["bradley-terry"].sample_scores(sample) for sample in samples]
    )
    data = counted_rows(data)
    systems, first, second, preference, times = coded(data)
    judge, _ = unit_codes(data["judge"], "judge")
    # Nothing can be checked where apart is NaN: nobody else compared a system.
    apart = strengths[judge, first] - strengths[judge, second]
    checked = (preference != TIE) & (np.abs(apart) > TOLERANCE)
    agrees = (preference == FIRST) == (apart > 0)
    rows = pd.DataFrame(
        {
            "judgements": times,
            "checked": times * checked,
            "reliability": times * (checked & agrees),
            "expected": np.where(checked, times * expit(np.abs(apart)), 0),
        }
    )
    table = rows.groupby(judge).sum()
    table.insert(0, "judge", data["judge"].astype(str).groupby(judge).first())
    number = table["checked"]
    shares = ["reliability", "expected"]
    table[shares] = table[shares].div(number.where(number >= FEWEST), axis=0)
    share = table["reliability"]
    cases = number
    if "ranking" in data:
        # So many independent comparisons have the variance of the share, which is a
        # ratio of two sums over rankings.
        rankings, _ = unit_codes(data["ranking"], "ranking")
        surplus = rows["reliability"] - rows["checked"] * share[judge].array
        surplus = surplus[checked].groupby([judge[checked], rankings[checked]]).sum()
        by_judge = surplus.groupby(level=0)
        variance = by_judge.size() * by_judge.var() / number**2
        cases = (share * (1 - share) / variance).where(variance > 0, by_judge.size())
        cases = cases.clip(upper=number)
    table["low"], table["high"] = wilson(share, cases)
    return table, pd.DataFrame(strengths, columns=systems)


def _of_scores(campaign: Campaign) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Each worker's z-scores beside the others' means of the same outputs.

    As `_of_comparisons`.
    """
    workers = np.unique(campaign.worker)
    if len(workers) < 2:
        raise DataError(
            f"{len(workers)} worker; expected two or more to hold against each other"
        )
    values = judged_values(campaign, "raw")  # those without a z-score, too
    values["system"] = np.array(campaign.systems)[values["system"]]
    output = ["system", "segment"]
    rows = []
    scores = []
    for k, worker in enumerate(workers):
        by_worker = values["worker"] == k
        scored = values[by_worker].groupby(output)["z"].mean().dropna()
        others = values[~by_worker].groupby(output)["z"].mean().dropna()
        scores.append(others.groupby("system").mean().reindex(campaign.systems))
        scored, others = scored.align(others, join="inner")
        correlation = scored.corr(others) if len(scored) >= FEWEST else np.nan
        judge = campaign.workers[worker]
        rows.append((judge, by_worker.sum(), len(scored), correlation))
    table = pd.DataFrame(rows, columns=COLUMNS[:4])
    with np.errstate(divide="ignore"):  # of a correlation of 1
        fisher = np.arctanh(table["reliability"])
    half = NORMAL / np.sqrt((table["checked"] - 3).clip(lower=1))
    table["low"] = np.tanh(fisher - half)
    table["high"] = np.tanh(fisher + half)
    table["expected"] = table["reliability"].median()
    return table, pd.DataFrame(scores)
