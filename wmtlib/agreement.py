"""How far annotators agree: Cohen's kappa as WMT defines it, Krippendorff's alpha.

An *item* is two outputs of one segment of one task; a judgement of it is a win, a loss or a tie.
Both coefficients are 1 for full agreement and 0 for the agreement of chance. Which output of an
item is called the first means nothing, so that wins and losses have the same chance.

Everything is computed from sums (`tallies`), which add up over segments, so that whole segments can
be drawn again: the measures of a sample are those of the sum of its tallies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib import ranking as methods
from wmtlib import zscores
from wmtlib.corrections import NORMAL, wilson
from wmtlib.counts import FIRST, SWAPPED, TIE, Counts, captioned
from wmtlib.errors import DataError
from wmtlib.ranking import FIT_DIGITS, Ranking
from wmtlib.zscores import Campaign

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


# How far can each judge be relied on, and does the ranking hang on any one of them?
#
# **Comparisons.** A judge is held against the ranking by all others: Bradley-Terry strengths of the
# comparisons without the judge's own. *Reliability* is the share of the judge's decided comparisons
# that favour the system which the others rank higher. It depends on what was compared, so beside it
# stands what the others' strengths, d apart, make one *expect*: the mean of 1 / (1 + exp(-|d|)).
# The
# interval is Wilson's for as many comparisons as have the variance of the share over the judge's
# rankings, where the file tells them apart.
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


def judges(data: Counts | pd.DataFrame | Campaign, *, reference: str | None = None) -> JudgeReport:
    """Reliability of each judge, and the ranking without each.

    Parameters
    ----------
    data : comparisons frame or Campaign
        A frame has a column judge; a column ranking lets intervals be as wide as they should be.
    reference : str, optional
        Left out.

    Raises
    ------
    DataError
        Fewer than two judges, or what `methods.rank` refuses.
    """
    if isinstance(data, Campaign):
        ranking = methods.rank(data, "z-score", reference=reference)
        table = _of_scores(data)
        kept = [name != reference for name in data.systems]
        without = _means_without(data)[:, kept]
    else:
        if isinstance(data, Counts) or "judge" not in data:
            raise DataError("no judges are told apart; expected a column judge")
        data = counting.without(data, reference)
        ranking = methods.rank(data, "bradley-terry", reference=None)
        start = ranking.column("score").sort_index().to_numpy()
        samples = resampled_counts.resampler(data, None, "judge").without_each()
        options = {"reference": None, "start": start}
        parts = [methods.scores(part, "bradley-terry", **options) for part in samples]
        without = np.concatenate(parts)
        table = _of_comparisons(data, without)
    table = pd.concat([table, _changes(ranking, without)], axis=1)
    table.loc[table["checked"] < FEWEST, ["reliability", "low", "high", "expected"]] = np.nan
    if isinstance(data, Campaign):
        table["expected"] = table["reliability"].median()
        table["expected"] = table["expected"].where(table["reliability"].notna())
    doubtful = pd.array(table["high"] < table["expected"], dtype="boolean")
    doubtful[table["reliability"].isna()] = pd.NA
    table.insert(7, "doubtful", doubtful)
    return JudgeReport(ranking, table.sort_values("reliability", kind="stable", ignore_index=True))


def agreement(
    data: pd.DataFrame | Campaign, *, n_resamples: int, rng: np.random.Generator
) -> pd.DataFrame:
    """How far judges agree about what several of them judged.

    Of comparisons: Cohen's kappa as WMT defines it, between judges and of a judge with the same
    again, and Krippendorff's alpha; of scores Krippendorff's alpha for interval data, of z-scores.
    Intervals: segments are drawn again, with all that was said of them.

    Parameters
    ----------
    data : comparisons frame or Campaign
        A frame has the columns judge and segment.

    Returns
    -------
    DataFrame
        measure, value, low, high (95 %); no row for what nothing was judged twice for.
    """
    if isinstance(data, Campaign):
        sums, measured = _sums_of_scores(data), _alpha_of_scores
    else:
        sums, measured = tallies(data, ["segment"]), measures
    if sums.empty:
        return pd.DataFrame(columns=["measure", "value", "low", "high"])
    value = measured(sums.sum().to_frame().T).iloc[0]
    share, totals = np.full(len(sums), 1 / len(sums)), sums.to_numpy(float)
    drawn = [rng.multinomial(len(sums), share) @ totals for _ in range(n_resamples)]
    samples = measured(pd.DataFrame(drawn, columns=sums.columns))
    low, high = (samples.quantile(end) for end in (0.025, 0.975))
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
    names = np.array(sorted(ranking.order), dtype=object)
    score = np.round(ranking.column("score")[[*names]].to_numpy(), FIT_DIGITS)
    before = np.sign(score[:, None] - score)
    best, rows = set(ranking.table.query("rank == 1")["system"]), []
    for value in np.round(without, FIT_DIGITS):
        with np.errstate(invalid="ignore"):
            after = np.sign(value[:, None] - value)
        first = names[value == np.nanmax(value)]
        rows.append((int((before * after < 0).sum()) // 2, first))
    changed = ["" if best == {*first} else " = ".join(first) for _, first in rows]
    return pd.DataFrame({"reversed": [number for number, _ in rows], "first": changed})


def _of_comparisons(data: pd.DataFrame, without: np.ndarray) -> pd.DataFrame:
    """Each judge's decided comparisons and the strengths (judges, systems) by all others."""
    if "count" in data:
        data = data[data["count"] > 0]
    _, first, second, preference, count = counting.coded(data)
    judge, size = counting.unit_codes(data["judge"], "judge")
    apart = without[judge, first] - without[judge, second]
    held = (preference != TIE) & (np.abs(apart) > 10.0**-FIT_DIGITS)  # NaN: nobody else knows
    agrees = (preference == FIRST) == (apart > 0)
    each = np.where(held, count, 0)
    checked = np.bincount(judge, each, size)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.bincount(judge, each * agrees, size) / checked
        likely = np.where(held, scipy.special.expit(np.abs(apart)), 0)
        expected = np.bincount(judge, each * likely, size) / checked
        effective = checked
        if "ranking" in data:
            # The variance of the share over rankings, as of a ratio of two sums over them.
            ranking = judge * len(data) + counting.unit_codes(data["ranking"], "ranking")[0]
            number, place = np.unique(ranking, return_inverse=True)
            of, surplus = number // len(data), each * (agrees - np.nan_to_num(share)[judge])
            rankings = np.bincount(of, np.bincount(place, each) > 0, size)
            squares = np.bincount(of, np.bincount(place, surplus) ** 2, size)
            variance = squares / checked**2 * rankings / (rankings - 1)
            effective = np.where(variance > 0, share * (1 - share) / variance, rankings)
            effective = np.minimum(effective, checked)
        low, high = wilson(share, effective)
    names = sorted(data["judge"].astype(str).unique())
    columns = {"judge": names, "judgements": np.bincount(judge, count, size).astype(int)}
    columns |= {"checked": checked.astype(int), "reliability": share, "low": low, "high": high}
    return pd.DataFrame(columns | {"expected": expected})


def _of_scores(campaign: Campaign) -> pd.DataFrame:
    """Each worker's z-scores beside the others' means of the same outputs."""
    z, (number, size) = zscores.standardised(campaign), campaign.units("worker")
    cells = zscores.usable_cells(campaign, z)
    value, worker = z[cells.judgement], number[cells.judgement]
    cell = np.repeat(np.arange(len(cells.size)), cells.size)
    # A worker may have judged an output twice: own and other judgements are summed apart.
    pair, place = np.unique(cell * size + worker, return_inverse=True)
    output, of = np.divmod(pair, size)
    mine, times = np.bincount(place, value), np.bincount(place)
    others, more = np.bincount(cell, value)[output] - mine, cells.size[output] - times
    both = more > 0
    x, y, of = mine[both] / times[both], others[both] / more[both], of[both]
    checked = np.bincount(of, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x - (np.bincount(of, x, size) / checked)[of]
        y = y - (np.bincount(of, y, size) / checked)[of]
        squares = np.bincount(of, x * x, size) * np.bincount(of, y * y, size)
        share = np.bincount(of, x * y, size) / np.sqrt(squares)
        half = NORMAL / np.sqrt(checked - 3.0)
        low, high = (np.tanh(np.arctanh(share) + side * half) for side in (-1, 1))
    names = np.array(campaign.workers, dtype=object)[np.unique(campaign.worker)]
    columns = {"judge": names, "judgements": np.bincount(worker, minlength=size)}
    columns |= {"checked": checked, "reliability": share, "low": low, "high": high}
    return pd.DataFrame(columns | {"expected": np.nan})


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
