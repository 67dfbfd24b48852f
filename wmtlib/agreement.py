"""How far annotators agree: Cohen's kappa as WMT defines it, Krippendorff's alpha.

An *item* is two outputs of one segment of one task; a judgement of it is a win, a loss or a tie.
Both coefficients are 1 for full agreement and 0 for the agreement of chance. Which output of an
item is called the first means nothing, so that wins and losses have the same chance.

Everything is computed from sums (`tallies`), which add up over segments, so that whole segments can
be drawn again: the measures of a sample are those of the sum of its tallies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wmtlib import zscores
from wmtlib.bradley_terry import resampler
from wmtlib.corrections import NORMAL, wilson
from wmtlib.counts import FIRST, SWAPPED, TIE, Counts, captioned, coded, expand, unit_codes, without
from wmtlib.errors import DataError
from wmtlib.ranking import FIT_DIGITS, Ranking, Seed, method_data, rank, scores
from wmtlib.zscores import Campaign


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
    rows = expand(comparisons)
    _, first, second, preference, _ = coded(rows)
    place = [*(["task"] if "task" in rows else []), "segment"]
    table = rows[list(dict.fromkeys([*place, *by]))].assign(
        judge=unit_codes(rows["judge"], "judge")[0],
        low=np.minimum(first, second),
        high=np.maximum(first, second),
        preference=np.where(first > second, SWAPPED[preference], preference),
    )
    table["item"] = table.groupby([*place, "low", "high"], observed=True).ngroup()

    def pairs(rows: pd.DataFrame, *columns: str) -> pd.Series:
        """Pairs of judgements of each item that agree in some columns."""
        size = rows.groupby(["item", *columns]).size()
        return (size * (size - 1) // 2).groupby("item").sum()

    once = table.drop_duplicates(["item", "judge"])
    once = once[once.groupby("item")["item"].transform("size") > 1]
    m = once.groupby("item").size()
    own, own_agreeing = pairs(table, "judge"), pairs(table, "judge", "preference")
    sums = pd.DataFrame(
        {
            "comparisons": table.groupby("item").size(),
            "ties": (table["preference"] == TIE).groupby(table["item"]).sum(),
            "intra_pairs": own,
            "intra_agreeing": own_agreeing,
            "inter_pairs": pairs(table) - own,
            "inter_agreeing": pairs(table, "preference") - own_agreeing,
            "values": m,
            "tied_values": (once["preference"] == TIE).groupby(once["item"]).sum(),
            "disagreement": 2 * (pairs(once) - pairs(once, "preference")) / (m - 1),
        }
    ).fillna(0)
    if not by:
        return sums.sum().to_frame().T
    items = table.drop_duplicates("item").set_index("item")
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
    s, table = sums.astype(float), {}
    with np.errstate(divide="ignore", invalid="ignore"):
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


# --- how far each judge can be relied on --------------------------------------------------------
#
# **Comparisons.** A judge is held against the ranking by all others: Bradley-Terry strengths of the
# comparisons without the judge's own. *Reliability* is the share of the judge's decided comparisons
# that favour the system which the others rank higher. It depends on what was compared, so beside it
# stands what the others' strengths, d apart, make one *expect*: the mean of 1 / (1 + exp(-|d|)).
# The interval is Wilson's for as many comparisons as have the variance of the share over the
# judge's rankings, where the file tells them apart.
#
# **Scores.** Reliability is the correlation of the judge's z-scores with the mean z-scores that
# others gave to the same outputs, its interval Fisher's, with outputs taken for independent; beside
# it stands the median of all judges.
#
# Of judges with fewer than `FEWEST` comparisons, or outputs, to go by nothing is said: the interval
# of a share would be more than 40 points wide.

RESAMPLES = 1000  # of segments
FEWEST = 20  # comparisons, or outputs, by which a judge is judged


@dataclass(frozen=True, eq=False)
class JudgeReport:
    """What each judge's judgements say of the judge, and do to the ranking.

    Attributes
    ----------
    ranking : Ranking
        By Bradley-Terry strengths, or mean z-scores, of all judges.
    table : DataFrame
        Least reliable first: judge, judgements, checked (those that could be held against
        others), reliability, low, high (95 % interval), expected (see the head of this module;
        NaN where nothing is said), doubtful (the whole interval is below what is expected; NA),
        reversed (pairs of systems whose order changes without the judge) and first (who is first
        without the judge, if it is somebody else; "" otherwise).
    fewest : int
        Checked judgements below which nothing is said.
    """

    ranking: Ranking
    table: pd.DataFrame
    fewest: int = FEWEST

    def _repr_html_(self) -> str:
        return captioned(f"{len(self.table)} judges, least reliable first", self.table)


def judges(data: Any, *, reference: str | None = None) -> JudgeReport:
    """How far does each judge agree with the others, and what does the ranking owe to each?

    Parameters
    ----------
    data : DataFrame, Campaign or Judgements
        As in `ranking.rank`; comparisons have a column judge, and a column ranking lets intervals
        be as wide as they should be.
    reference : str, optional
        Left out.

    Raises
    ------
    DataError
        Fewer than two judges, or what `rank` refuses.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": "a", "judge": [*"pqrs"] * 30})
    >>> votes.loc[votes["judge"] == "r", "outcome"] = "b"
    >>> judges(votes).table[["judge", "reliability", "doubtful"]].head(2).to_numpy().tolist()
    [['r', 0.0, True], ['p', 1.0, False]]
    """
    data = method_data(data)
    if isinstance(data, Campaign):
        ranking = rank(data, "z-score", reference=reference)
        table = _of_scores(data)
        kept = [name != reference for name in data.systems]
        left = _means_without(data)[:, kept]
    else:
        if isinstance(data, Counts) or "judge" not in data:
            raise DataError("no judges are told apart; expected a column judge")
        data = without(data, reference)
        ranking = rank(data, "bradley-terry")
        start = ranking.column("score").sort_index().to_numpy()
        samples = resampler(data, None, "judge").without_each()
        options = {"reference": None, "start": start}
        left = np.concatenate([scores(part, "bradley-terry", **options) for part in samples])
        table = _of_comparisons(data, left)
    table = pd.concat([table, _changes(ranking, left)], axis=1)
    table.loc[table["checked"] < FEWEST, ["reliability", "low", "high", "expected"]] = np.nan
    if isinstance(data, Campaign):
        table["expected"] = table["reliability"].median()
        table["expected"] = table["expected"].where(table["reliability"].notna())
    doubtful = pd.array(table["high"] < table["expected"], dtype="boolean")
    doubtful[table["reliability"].isna()] = pd.NA
    table.insert(7, "doubtful", doubtful)
    return JudgeReport(ranking, table.sort_values("reliability", kind="stable", ignore_index=True))


def agreement(data: Any, *, n_resamples: int, seed: Seed = 0) -> pd.DataFrame:
    """How far judges agree about what several of them judged.

    Of comparisons: Cohen's kappa as WMT defines it, between judges and of a judge with the same
    again, and Krippendorff's alpha; of scores Krippendorff's alpha for interval data, of z-scores.
    Intervals: segments are drawn again, with all that was said of them.

    Parameters
    ----------
    data : DataFrame, Campaign or Judgements
        As in `ranking.rank`; comparisons have the columns judge and segment.
    n_resamples : int
    seed : int or Generator

    Returns
    -------
    DataFrame
        measure, value, low, high (95 %); no row for what nothing was judged twice for.
    """
    data = method_data(data)
    if isinstance(data, Campaign):
        sums, measured = _sums_of_scores(data), _alpha_of_scores
    else:
        sums, measured = tallies(data, ["segment"]), measures
    if sums.empty:
        return pd.DataFrame(columns=["measure", "value", "low", "high"])
    value = measured(sums.sum().to_frame().T).iloc[0]
    rng, share, totals = np.random.default_rng(seed), 1 / len(sums), sums.to_numpy(float)
    drawn = [
        rng.multinomial(len(sums), np.full(len(sums), share)) @ totals for _ in range(n_resamples)
    ]
    samples = measured(pd.DataFrame(drawn, columns=sums.columns))
    low, high = samples.quantile(0.025), samples.quantile(0.975)
    table = pd.DataFrame({"value": value, "low": low, "high": high}).rename_axis("measure")
    return table.dropna(subset="value").reset_index()


def _sums_of_scores(campaign: Campaign) -> pd.DataFrame:
    """By segment, of the z-scores of outputs that several workers scored: number, sum and squares.

    `within`: over outputs, 2 m / (m - 1) times the squares about the mean of its m z-scores.
    """
    z = zscores.standardised(campaign)
    cells = zscores.usable_cells(campaign, z)
    value, worker = z[cells.judgement], campaign.worker[cells.judgement]
    frame = pd.DataFrame({"cell": np.repeat(np.arange(len(cells.size)), cells.size), "z": value})
    frame = frame[~frame.assign(worker=worker).duplicated(["cell", "worker"])]
    outputs = frame.groupby("cell")["z"].agg(["size", "sum", lambda x: x @ x])
    outputs.columns = ["number", "sum", "squares"]
    outputs = outputs[outputs["number"] > 1]
    m = outputs["number"]
    outputs["within"] = 2 * m / (m - 1) * (outputs["squares"] - outputs["sum"] ** 2 / m)
    return outputs.groupby(cells.place[outputs.index]).sum()


def _alpha_of_scores(sums: pd.DataFrame) -> pd.DataFrame:
    """Krippendorff's alpha for interval data, from sums of `_sums_of_scores`."""
    n = sums["number"]
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = 2 * (sums["squares"] - sums["sum"] ** 2 / n) / (n - 1)
        return pd.DataFrame({"alpha": 1 - sums["within"] / n / expected})


def _changes(ranking: Ranking, without: np.ndarray) -> pd.DataFrame:
    """Columns reversed and first of `JudgeReport.table`; `without` (judges, systems by name)."""
    score = ranking.column("score").sort_index().round(FIT_DIGITS)
    before = np.sign(np.subtract.outer(score.to_numpy(), score.to_numpy()))
    best, rows = {*score.index[score == score.max()]}, []
    for value in np.round(without, FIT_DIGITS):
        after = np.sign(np.subtract.outer(value, value))
        first = [*score.index[value == np.nanmax(value)]]
        changed = "" if best == {*first} else " = ".join(first)
        rows.append({"reversed": (before * after < 0).sum() // 2, "first": changed})
    return pd.DataFrame(rows)


def _of_comparisons(data: pd.DataFrame, without: np.ndarray) -> pd.DataFrame:
    """Each judge's decided comparisons and the strengths (judges, systems) by all others."""
    if "count" in data:
        data = data[data["count"] > 0]
    _, first, second, preference, times = coded(data)
    judge, _ = unit_codes(data["judge"], "judge")
    apart = without[judge, first] - without[judge, second]
    held = (preference != TIE) & (np.abs(apart) > 10.0**-FIT_DIGITS)  # NaN: nobody else knows
    rows = pd.DataFrame({"judge": judge, "judgements": times, "checked": np.where(held, times, 0)})
    rows["agreeing"] = rows["checked"] * ((preference == FIRST) == (apart > 0))
    rows["expected"] = rows["checked"] * np.where(held, scipy.special.expit(np.abs(apart)), 0)
    sums = rows.groupby("judge").sum()
    checked, share = sums["checked"], sums["agreeing"] / sums["checked"]
    effective = checked
    if "ranking" in data:
        # The variance of the share over rankings, as of a ratio of two sums over them.
        rows["surplus"] = rows["agreeing"] - rows["checked"] * share.fillna(0)[judge].to_numpy()
        by_ranking = rows.groupby(["judge", unit_codes(data["ranking"], "ranking")[0]]).sum()
        rankings = (by_ranking["checked"] > 0).groupby("judge").sum()
        squares = (by_ranking["surplus"] ** 2).groupby("judge").sum()
        variance = squares / checked**2 * rankings / (rankings - 1)
        effective = (share * (1 - share) / variance).where(variance > 0, rankings)
        effective = np.minimum(effective, checked)
    low, high = wilson(share, effective)
    columns = {
        "judge": sorted(data["judge"].astype(str).unique()),
        **sums[["judgements", "checked"]],
    }
    columns |= {"reliability": share, "low": low, "high": high}
    return pd.DataFrame(columns | {"expected": sums["expected"] / checked})


def _of_scores(campaign: Campaign) -> pd.DataFrame:
    """Each worker's z-scores beside the others' means of the same outputs."""
    z = zscores.standardised(campaign)
    cells = zscores.usable_cells(campaign, z)
    cell = np.repeat(np.arange(len(cells.size)), cells.size)
    frame = pd.DataFrame({"worker": campaign.worker[cells.judgement], "cell": cell})
    # A worker may have judged an output twice: own and other judgements are summed apart.
    own = frame.assign(z=z[cells.judgement]).groupby(["worker", "cell"])["z"].agg(["sum", "size"])
    others = own.groupby("cell").transform("sum") - own
    both = (own["sum"] / own["size"]).to_frame("x").assign(y=others["sum"] / others["size"])
    both = both[others["size"] > 0]
    table = pd.DataFrame(index=np.unique(campaign.worker))
    table["judge"] = [campaign.workers[worker] for worker in table.index]
    for column, rows in (("judgements", frame), ("checked", both)):
        table[column] = rows.groupby("worker").size().reindex(table.index, fill_value=0)
    correlations = {w: pairs["x"].corr(pairs["y"]) for w, pairs in both.groupby("worker")}
    table["reliability"] = pd.Series(correlations, dtype=float)
    half = NORMAL / np.sqrt(table["checked"].clip(lower=4) - 3)
    with np.errstate(divide="ignore"):
        z_of_fisher = np.arctanh(table["reliability"])
    table["low"], table["high"] = np.tanh(z_of_fisher - half), np.tanh(z_of_fisher + half)
    return table.assign(expected=np.nan).reset_index(drop=True)


def _means_without(campaign: Campaign) -> np.ndarray:
    """Mean z-scores of the systems without each worker, (workers, systems)."""
    workers, z = np.unique(campaign.worker), zscores.standardised(campaign)
    if len(workers) < 2:
        raise DataError(f"{len(workers)} worker; expected two or more to hold against each other")
    usable, size, means = campaign.rated & ~np.isnan(z), len(campaign.systems), []
    for worker in workers:
        cells = campaign.cells_of(usable & (campaign.worker != worker))
        total = np.bincount(cells.system, cells.means(z[cells.judgement])[0], size)
        with np.errstate(invalid="ignore"):  # NaN: nobody else judged the system
            means.append(total / np.bincount(cells.system, minlength=size))
    return np.array(means)
