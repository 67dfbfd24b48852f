"""How far a ranking of one's own judgements can be trusted.

- `bootstrap`: would other judgements of the same kind have given the same ranking?
- `significance` and `groups`: which systems are really apart, over all pairs that were tested?
- `leave_one_out`: would it be another if one system had not been there (Knowles 2021, section 5)?
- `held_out`: which model of preferences predicts these judgements best (Hopkins & May 2013)?

Comparisons come as `Counts`, or as tallies (columns a, b, outcome, count and the units that are to
be resampled, as `inputs.Judgements.tallies` gives them); assessments as a `zscores.Campaign`. What
a bootstrap says is only as good as its unit: see `warnings_for`.
"""

import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import sparse, special, stats

from wmtlib import clusters, competition, methods, mfas, preference, ranked, stability, zscores
from wmtlib.methods import Batch, Ranked
from wmtlib.pairwise import Counts
from wmtlib.schemas import DataError
from wmtlib.zscores import Campaign

COMPARISON = "comparison"  # the unit that needs no name: each comparison by itself
COVERAGE = 0.95
ALPHA = 0.05
FEW = 20  # units below which a bootstrap is rough
CORRECTIONS = ("benjamini-hochberg", "holm", "none")
DRAWN = 1 << 22  # draws of units that are held at a time
IRT_LARGEST = 20_000  # comparisons up to which `held_out` fits item-response models unasked
VARIANTS = ("Geometric Students (as printed)", "IRT-Gaussian (segments unknown)")


@dataclass(frozen=True, eq=False)
class Doubt:
    """What rankings from resampled judgements look like.

    Attributes
    ----------
    ranking : Ranked
        From all judgements.
    frame : DataFrame
        In the order of the ranking; columns system, rank, score, rank_low, rank_high, score_low,
        score_high (the central range that holds `coverage` of the samples; scores NaN for mfas)
        and above_next: share of the samples in which it is better than the next, equal ones
        counted half; NaN for the last.
    beats : DataFrame, systems x systems
        Share of the samples in which the row's system is better than the column's, likewise; NaN
        where no sample ranks both.
    scores : DataFrame, samples x systems
        NaN where a sample has nothing to score a system by.
    same_order : float
        Share of the samples with exactly the order of the ranking.
    unit : str
        What was drawn, with replacement: comparison, judge, segment, ranking, hit or worker.
    units : int
        How many there are; so many make a sample.
    resamples : int
    coverage : float
    warnings : tuple of str
        What this bootstrap itself gives reason to say; see also `warnings_for`.
    """

    ranking: Ranked
    frame: pd.DataFrame
    beats: pd.DataFrame = field(repr=False)
    scores: pd.DataFrame = field(repr=False)
    same_order: float
    unit: str
    units: int
    resamples: int
    coverage: float
    warnings: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.ranking.method


@dataclass(frozen=True, eq=False)
class Fragility:
    """What leaving out each system does to the order of the others.

    Attributes
    ----------
    method : str
    frame : DataFrame
        One row a system, in the order of the ranking: removed, changed (some pair of the others
        stands otherwise than before), reversed (pairs in the opposite order: Kendall's distance),
        ties (pairs tied, or unranked, on one side only) and swaps ("X > Y": neighbours once it is
        gone from the full ranking, reversed when judged without it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with somebody),
        reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse them), by
        (whose), joined by "; ".
    ranking : Ranked
        The full one.
    note : str
        "" or one line on how to read this.
    """

    method: str
    frame: pd.DataFrame
    systems: pd.DataFrame
    neighbours: pd.DataFrame
    ranking: Ranked = field(repr=False)
    note: str = ""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How well models predict judgements that they were not trained on.

    Attributes
    ----------
    frame : DataFrame
        Best first: model, perplexity (mean over the splits), error (its standard error),
        difference (from the best) and difference_error (standard error of the mean of the paired
        differences). Splits share training data, so that the errors are somewhat too small. NaN
        for the errors of an infinite perplexity: something happened that the model excludes.
    splits : DataFrame
        repeat, fold, model, trained_on, tested_on (comparisons), perplexity.
    unit : str
        What was held out as a whole.
    units, folds, repeats : int
    note : str
        "" or one line on what was left out.
    """

    frame: pd.DataFrame
    splits: pd.DataFrame = field(repr=False)
    unit: str
    units: int
    folds: int
    repeats: int
    note: str = ""


# --- resampling ---------------------------------------------------------------------------------


def bootstrap(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    unit: str,
    resamples: int,
    rng: np.random.Generator,
    reference: str | None = None,
    coverage: float = COVERAGE,
    time_limit: float | None = None,
) -> Doubt:
    """Rank again and again from judgements drawn with replacement.

    Counts are sufficient: no judgement is written out. Samples of single comparisons are
    multinomial counts; samples of units are the number of times each was drawn times a sparse
    matrix of their counts. Scores of many samples are computed at once, and Bradley-Terry starts
    from the fit to all comparisons.

    Parameters
    ----------
    data : Counts, tallies or Campaign
    method : str
        Of `methods.METHODS`; not an item-response model.
    unit : str
        "comparison" (Counts or tallies); a column of the tallies: "judge", "segment", "ranking";
        for a campaign "hit" or "worker".
    resamples : int
    rng : Generator
    reference : str, optional
        As in `methods.rank`.
    coverage : float
        Of the intervals.
    time_limit : float, optional
        Seconds for each sample's mfas.

    Raises
    ------
    DataError
        What `methods.rank` refuses, an unknown unit or fewer than two of them, resamples below two,
        or a method that cannot be resampled.
    """
    chosen = methods.require(method, methods.kind_of(data))
    if resamples < 2:
        raise DataError(f"{resamples} resample(s); expected two or more")
    if not 0 < coverage < 1:
        raise DataError(f"coverage is {coverage}; expected a share between 0 and 1")
    if chosen.rows:
        raise DataError(f"{method} is not resampled: each fit takes seconds; take another method")
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    names = sorted(ranking.order)
    if isinstance(data, Campaign):
        try:
            found, units = _assessed(data, method, unit, resamples, rng, reference)
        except DataError as error:
            raise DataError(f"resampling {unit}s: {error}") from None
    else:
        source = _source(data, None if chosen.reference_counts else reference, unit)
        units, start = source.units, None
        if not ranking.frame["score"].isna().any():
            start = ranking.frame.set_index("system")["score"][names].to_numpy()
        parts = [
            _scored(part, method, start, reference, rng, time_limit)
            for part in source.samples(resamples, rng)
        ]
        found = np.concatenate(parts)
    return _summed_up(ranking, names, found, unit, units, coverage)


@dataclass(frozen=True, eq=False)
class _Source:
    """Comparisons to draw from.

    Attributes
    ----------
    systems, first, second
        As in `Batch`.
    cells : csr_array of int, (units, 3 * pairs)
        Counts of every unit; one row with all of them if comparisons are drawn one by one.
    units : int
    whole : bool
        Whether units are drawn, and not comparisons.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    cells: sparse.csr_array
    units: int
    whole: bool

    def samples(self, number: int, rng: np.random.Generator) -> Iterator[Batch]:
        """So many samples, some at a time; the draws do not depend on how many."""
        per_sample = max(self.units if self.whole else 0, self.cells.shape[1])
        at_once = max(1, DRAWN // per_sample)
        turned = self.cells.T.tocsr().astype(np.float64) if self.whole else None
        for done in range(0, number, at_once):
            size = min(at_once, number - done)
            flat = self._units(size, rng, turned) if self.whole else self._cells(size, rng)
            seen = np.ascontiguousarray(flat.reshape(size, 3, -1).swapaxes(0, 1), dtype=float)
            yield Batch(self.systems, self.first, self.second, seen)

    def _cells(self, size: int, rng: np.random.Generator) -> np.ndarray:
        met = self.cells.indices
        share = self.cells.data / self.cells.data.sum()
        flat = np.zeros((size, self.cells.shape[1]))
        flat[:, met] = rng.multinomial(self.units, share, size=size)
        return flat

    def _units(self, size: int, rng: np.random.Generator, turned: sparse.csr_array) -> np.ndarray:
        times = np.empty((self.units, size))
        for k in range(size):
            draw = rng.integers(self.units, size=self.units)
            times[:, k] = np.bincount(draw, minlength=self.units)
        return (turned @ times).T


def _source(data: Counts | pd.DataFrame, reference: str | None, unit: str) -> _Source:
    """Cells of pairs and units; comparisons with the reference are left out."""
    if unit != COMPARISON:
        has = [c for c in getattr(data, "columns", []) if c not in ("a", "b", "outcome", "count")]
        if isinstance(data, Counts) or unit not in has:
            raise DataError(f"unit is {unit!r}; expected {', '.join([COMPARISON, *has])}")
    if isinstance(data, Counts) or unit == COMPARISON:
        one = methods.batch(methods.as_counts(data).without(reference))
        cells = sparse.csr_array(one.seen.reshape(1, -1).astype(np.int64))
        return _Source(one.systems, one.first, one.second, cells, int(cells.data.sum()), False)
    names, a, b, outcome, number = methods.coded(data)
    kept = number > 0
    if reference is not None:
        kept &= (a != names.index(reference)) & (b != names.index(reference))
    a, b, outcome, number = a[kept], b[kept], outcome[kept], number[kept]
    systems = tuple(name for name in names if name != reference)
    place = np.array([systems.index(x) if x != reference else -1 for x in names])
    low, high = np.minimum(a, b), np.maximum(a, b)
    outcome = np.where(a > b, np.array(preference.NEGATED)[outcome], outcome)
    pairs, pair = np.unique(low * len(names) + high, return_inverse=True)
    codes, units = _numbered(data[unit][kept], unit)
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    shape = (units, 3 * len(pairs))
    cells = sparse.coo_array((number, (codes, outcome * len(pairs) + pair)), shape).tocsr()
    first, second = place[pairs // len(names)], place[pairs % len(names)]
    return _Source(systems, first, second, cells, units, True)


def _numbered(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of each label among the sorted ones, and how many there are."""
    codes, names = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError(f"a {unit} is missing; expected a name")
    place = np.empty(len(names), dtype=np.intp)
    place[np.argsort(np.array(names, dtype=str), kind="stable")] = np.arange(len(names))
    return place[codes], len(names)


def _scored(
    samples: Batch,
    method: str,
    start: np.ndarray | None,
    reference: str | None,
    rng: np.random.Generator,
    time_limit: float | None,
) -> np.ndarray:
    """Scores, (samples, systems), of samples that hold the reference only where it counts."""
    chosen = methods.METHODS[method]
    if chosen.scores is not None:
        there = reference if chosen.reference_counts else None
        return methods.scores(samples, method, reference=there, start=start)
    one_by_one: dict[str, Callable[[Counts], pd.Series]] = {
        "mfas": lambda counts: _standing(mfas.solve(counts.wins, time_limit=time_limit)),
        "trueskill": lambda counts: (
            ranked.trueskill(counts, systems=counts.systems, rng=rng).strengths
        ),
    }
    score = one_by_one[method]
    names = [*samples.systems]
    return np.array([score(counts)[names].to_numpy(float) for counts in _counts(samples)])


def _standing(solution: mfas.MFAS) -> pd.Series:
    """Systems surely below less systems surely above: in every optimal order, if they are known.

    What stands above in all of them has the higher number; what does not may have the same.
    """
    if solution.agreed is None:
        size = len(solution.order)
        return pd.Series(range(size - 1, -size, -2), index=[*solution.order], dtype=float)
    return (solution.agreed.sum(axis=1) - solution.agreed.sum(axis=0)).astype(float)


def _counts(samples: Batch) -> Iterator[Counts]:
    """The samples as counts, one by one."""
    names, size = [*samples.systems], len(samples.systems)
    for tied, won, lost in samples.seen.swapaxes(0, 1).astype(np.int64):
        wins, ties = np.zeros((2, size, size), dtype=np.int64)
        wins[samples.first, samples.second], wins[samples.second, samples.first] = won, lost
        ties[samples.first, samples.second] = ties[samples.second, samples.first] = tied
        yield Counts(pd.DataFrame(wins, names, names), pd.DataFrame(ties, names, names))


def _assessed(
    campaign: Campaign,
    method: str,
    unit: str,
    resamples: int,
    rng: np.random.Generator,
    reference: str | None,
) -> tuple[np.ndarray, int]:
    """Mean scores, (samples, systems), of campaigns drawn anew, and how many units there are."""
    code, units = stability.units(campaign, unit)
    without = [] if reference is None else [reference]
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    if method == "z-score":
        cut = {"test": methods.TEST, "rule": methods.RULE, "without": without}
        found = stability.resample(campaign, unit=unit, draws=resamples, rng=rng, **cut)
        return found.z.to_numpy(), units
    names = sorted(set(campaign.systems) - set(without))
    means = []
    for _ in range(resamples):
        times = rng.multinomial(units, np.full(units, 1 / units))
        again = zscores.rank(campaign.take(times[code])).frame.set_index("system")["raw"]
        means.append(again[names].to_numpy())
    return np.array(means), units


def _summed_up(
    ranking: Ranked, names: list[str], found: np.ndarray, unit: str, units: int, coverage: float
) -> Doubt:
    """Intervals and shares of scores (samples, systems), systems sorted by name."""
    order = [names.index(name) for name in ranking.order]
    ranks, beats, same = _compared(found.round(methods.DIGITS), order)
    ends = [(1 - coverage) / 2, (1 + coverage) / 2]
    low, high = _quantiles(ranks, ends, "inverted_cdf")
    frame = ranking.frame[["system", "rank", "score"]].copy()
    frame["rank_low"], frame["rank_high"] = low[order].astype(int), high[order].astype(int)
    scored = not ranking.frame["score"].isna().all()
    bounds = _quantiles(found, ends, "linear") if scored else np.full((2, len(names)), np.nan)
    frame["score_low"], frame["score_high"] = bounds[0][order], bounds[1][order]
    frame["above_next"] = [*(beats[a, b] for a, b in pairwise(order)), np.nan]
    warnings = []
    if units < FEW and unit != COMPARISON:
        warnings.append(f"there are {units} {unit}s only: resampling so few is rough")
    if lost := int(np.isnan(found).any(axis=1).sum()):
        warnings.append(
            f"{lost} of {len(found)} samples have nothing to score some system by; it is left out"
            " of those"
        )
    return Doubt(
        ranking=ranking,
        frame=frame,
        beats=pd.DataFrame(beats, index=names, columns=names),
        scores=pd.DataFrame(found, columns=names),
        same_order=same,
        unit=unit,
        units=units,
        resamples=len(found),
        coverage=coverage,
        warnings=tuple(warnings),
    )


def _compared(found: np.ndarray, order: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """Ranks in every sample, share of samples a is better than b, share with this order."""
    number, size = found.shape
    ranks = np.empty(found.shape)
    wins, both = np.zeros((2, size, size))
    at_once = max(1, DRAWN // size**2)
    for k in range(0, number, at_once):
        part = found[k : k + at_once]
        above = part[:, :, None] > part[:, None, :]
        ranks[k : k + at_once] = 1 + above.sum(axis=1)
        wins += above.sum(axis=0)
        known = (~np.isnan(part)).astype(float)
        both += known.T @ known
    ranks[np.isnan(found)] = np.nan
    ties = both - wins - wins.T
    beats = np.divide(wins + ties / 2, both, out=np.full(both.shape, np.nan), where=both > 0)
    np.fill_diagonal(beats, np.nan)
    listed = found[:, order]
    same = (listed[:, :-1] >= listed[:, 1:]).all(axis=1).mean()
    return ranks, beats, float(same)


def _quantiles(values: np.ndarray, ends: list[float], how: str) -> np.ndarray:
    """Of every column, NaN left out."""
    return np.array([np.quantile(c[~np.isnan(c)], ends, method=how) for c in values.T]).T


def warnings_for(units: Collection[str], unit: str, kind: str) -> list[str]:
    """Why a bootstrap by a unit may promise too much, given what the data tell apart.

    Judgements that share a judge, a ranking, a segment or a HIT are alike; drawn one by one they
    count as independent, and intervals come out too narrow.

    Parameters
    ----------
    units : collection of str
        What could be resampled: `inputs.Judgements.units`.
    unit : str
        What was.
    kind : "rankings", "pairwise" or "assessments"

    Returns
    -------
    list of str
        One line each; empty if there is nothing to say.
    """
    said = []
    person = "worker" if kind == "assessments" else "judge"
    others = [u for u in ("ranking", person, "segment", "hit") if u in units and u != unit]
    instead = " or ".join(u for u in others if u != "hit")
    if unit == COMPARISON and (kind == "rankings" or "ranking" in units):
        said.append(
            "comparisons of one ranking are not independent, but were drawn one by one: intervals"
            f" are too narrow; resample {instead or 'rankings'}"
        )
    elif unit == COMPARISON and others:
        shared = "judge or segment" if len(others) > 1 else others[0]
        said.append(
            f"comparisons of one {shared} are treated as independent: intervals may be too narrow;"
            f" resample {instead}"
        )
    elif unit == COMPARISON:
        said.append(
            "the file does not tell who judged what: if judges gave several comparisons each,"
            " intervals are too narrow"
        )
    elif unit in ("ranking", "hit", "segment") and person in units:
        said.append(
            f"judgements of one {person} in different {unit}s are treated as independent: the"
            f" intervals do not say what other {person}s would think; resample {person}"
        )
    elif unit == person and "segment" in units and kind != "assessments":
        said.append(
            f"segments are taken as given: the intervals say what other {person}s would think of"
            " these segments, not what other segments would show"
        )
    return said


# --- significance -------------------------------------------------------------------------------


def significance(
    data: Counts | pd.DataFrame | Campaign | Doubt,
    order: Sequence[str],
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the two with
      each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`clusters.p_values`);
    - for a `Doubt` how often resampling reverses them: 2 (k + 1) / (resamples + 1), where k counts
      the samples in which the less frequent order held.

    The first two take judgements, or segments, for independent.

    Parameters
    ----------
    data : Counts, tallies, Campaign or Doubt
    order : names, best first
        The systems to test; comparisons with others play no part.
    correction : "benjamini-hochberg", "holm" or "none"
        The share of false ones among the differences found is held at alpha (Benjamini & Hochberg
        1995); or the chance of a single false one (Holm 1979); or nothing is.
    score : "z" or "raw"
        Of a campaign: which scores are tested.

    Returns
    -------
    DataFrame
        One row for each pair that stands above and below in the order: above, below, neighbours
        (bool), ahead (which one the test is in favour of, "" if neither), p and corrected. For
        counts also wins, losses and ties of the upper one. A pair without a decided comparison is
        not tested: NaN, and it does not count among the tests.

    Raises
    ------
    DataError
        An unknown correction, a name that is not in the data or stands twice, or fewer than two.
    """
    if correction not in CORRECTIONS:
        raise DataError(f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}")
    order = [*order]
    if len(order) < 2 or len(set(order)) < len(order):
        raise DataError("the order needs two systems or more, each once")
    if isinstance(data, pd.DataFrame):
        data = methods.as_counts(data)
    systems = [*data.beats.index] if isinstance(data, Doubt) else [*data.systems]
    if odd := [name for name in order if name not in systems]:
        raise DataError(f"no system {odd[0]!r}; expected names of the data")
    places = np.array([systems.index(name) for name in order])
    upper, lower = np.triu_indices(len(order), k=1)
    names = np.array(order, dtype=object)
    table = pd.DataFrame(
        {"above": names[upper], "below": names[lower], "neighbours": lower == upper + 1}
    )
    i, j = places[upper], places[lower]
    if isinstance(data, Counts):
        wins, ties = data.wins.to_numpy(), data.ties.to_numpy()
        table = table.assign(wins=wins[i, j], losses=wins[j, i], ties=ties[i, j])
        lead, p = np.sign(wins[i, j] - wins[j, i]), sign_test(wins[i, j], wins[j, i])
    elif isinstance(data, Doubt):
        share = data.beats.to_numpy()[i, j]
        less = np.minimum(share, 1 - share) * data.resamples
        lead, p = np.sign(share - 0.5), np.minimum(1, 2 * (less + 1) / (data.resamples + 1))
    else:
        values = _segments(data, score)
        one = clusters.p_values(values, test="one-sided").to_numpy()
        p = clusters.p_values(values, test="two-sided").to_numpy()[i, j]
        lead = np.sign(one[j, i] - one[i, j])
    table["ahead"] = np.select([lead > 0, lead < 0], [table["above"], table["below"]], "")
    table["p"], table["corrected"] = p, corrected(p, correction)
    return table


def _segments(campaign: Campaign, score: str) -> pd.DataFrame:
    """Segment means as `clusters.p_values` takes them."""
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    means = zscores.segment_means(campaign)
    return pd.DataFrame({"system": means["system"], "z": means[score]})


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Exact two-sided binomial p of so many wins and losses if both were equally likely.

    >>> sign_test(np.array([5, 3]), np.array([0, 3])).tolist()
    [0.0625, 1.0]
    """
    wins, losses = np.asarray(wins, dtype=float), np.asarray(losses, dtype=float)
    total = wins + losses
    p = np.minimum(1.0, 2 * special.bdtr(np.minimum(wins, losses), total.astype(int), 0.5))
    return np.where(total > 0, p, np.nan)


def corrected(p: np.ndarray, correction: str) -> np.ndarray:
    """P-values corrected for their number; NaN is no test."""
    p = np.asarray(p, dtype=float)
    found, tested = p.copy(), ~np.isnan(p)
    if correction == "none" or not tested.any():
        return found
    some = p[tested]
    if correction == "benjamini-hochberg":
        found[tested] = stats.false_discovery_control(some, method="bh")
    else:
        order = np.argsort(some, kind="stable")
        steps = np.maximum.accumulate(some[order] * np.arange(len(some), 0, -1))
        some[order] = np.minimum(1.0, steps)
        found[tested] = some
    return found


def groups(table: pd.DataFrame, order: Sequence[str], *, alpha: float = ALPHA) -> pd.DataFrame:
    """Cut a ranking where systems are significantly apart.

    A line is drawn below a system if and only if it is significantly better than every system
    below it (Knowles 2021, footnote 4). Two systems without a decided comparison are not known to
    be apart; the test of a `Doubt` compares those too, by what others tell of them.

    Parameters
    ----------
    table : DataFrame
        What `significance` gives for this order.
    order : names, best first
    alpha : float
        Significant: corrected p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (False for the last), cluster (1 = best), wins (how many systems it is
        significantly better than, wherever they stand); best first.
    """
    place = {name: k for k, name in enumerate(order)}
    better = np.zeros((len(place), len(place)), dtype=bool)
    sure = table[(table["corrected"] < alpha) & (table["ahead"] != "")]
    worse = np.where(sure["ahead"] == sure["above"], sure["below"], sure["above"])
    for winner, loser in zip(sure["ahead"], worse, strict=True):
        better[place[winner], place[loser]] = True
    line = clusters.drawn(better, "footnote-4")
    return pd.DataFrame(
        {
            "system": [*order],
            "line": line,
            "cluster": 1 + np.cumsum(line) - line,
            "wins": better.sum(axis=1),
        }
    )


# --- leaving out --------------------------------------------------------------------------------


def leave_one_out(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
    paired: bool = False,
) -> Fragility:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the workers' means
    and standard deviations are computed from what stays. What mfas leaves open is no order: two
    systems count as tied unless they stand the same way in every optimal order, where those could
    be counted.

    Parameters
    ----------
    data, method, reference, rng, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the same seed.
    paired : bool
        For a campaign: whether quality-control items that were paired with the system go too.

    Raises
    ------
    DataError
        What `methods.rank` refuses, or fewer than three systems.
    """
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    order = ranking.order
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    if isinstance(data, pd.DataFrame) and not methods.METHODS[method].rows:
        data = methods.as_counts(data)
    seed = None if rng is None else int(rng.integers(2**63))

    def relations(name: str | None) -> np.ndarray:
        """+1 where the row's system stands above the column's, 0 where tied or unranked."""
        left = [other for other in order if other != name]
        fresh = None if seed is None else np.random.default_rng(seed)
        fewer = data if name is None else _less(data, name, paired)
        try:
            sign = _relations(fewer, method, left, reference, fresh, time_limit)
        except DataError as error:
            raise DataError(f"without {name!r}: {error}" if name else str(error)) from None
        full = np.zeros((len(order), len(order)), dtype=int)
        kept = [k for k, other in enumerate(order) if other != name]
        full[np.ix_(kept, kept)] = sign
        return full

    before = relations(None)
    rows, turned = [], np.zeros((len(order), len(order), len(order)), dtype=bool)
    for k, name in enumerate(order):
        after, reduced = relations(name), before.copy()
        reduced[k], reduced[:, k] = 0, 0
        turned[k] = reduced * after < 0
        left = [other for other in range(len(order)) if other != k]
        swaps = [(a, b) for a, b in pairwise(left) if turned[k, a, b]]
        rows.append(
            {
                "removed": name,
                "changed": bool((reduced != after).any()),
                "reversed": int(turned[k].sum()) // 2,
                "ties": int(((reduced != after) & ~turned[k]).sum()) // 2,
                "swaps": "; ".join(f"{order[a]} > {order[b]}" for a, b in swaps),
            }
        )
    random = methods.METHODS[method].random
    return Fragility(
        method=method,
        frame=pd.DataFrame(rows),
        systems=_fragile(order, turned),
        neighbours=_neighbours(order, turned),
        ranking=ranking,
        note="the method draws random numbers, which move near ties too" if random else "",
    )


def _less(
    data: Counts | pd.DataFrame | Campaign, name: str, paired: bool
) -> Counts | pd.DataFrame | Campaign:
    """The data as though a system had not been there."""
    if isinstance(data, Campaign):
        return data.without([name], items=(), paired=paired)
    if isinstance(data, Counts):
        return data.without(name)
    return data[(data["a"] != name) & (data["b"] != name)]


def _relations(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    names: list[str],
    reference: str | None,
    rng: np.random.Generator | None,
    time_limit: float | None,
) -> np.ndarray:
    """Signs of the order of `names`, (names, names)."""
    chosen = methods.METHODS[method]
    if method == "mfas":
        wins = methods.as_counts(data).without(reference).wins
        solution = mfas.solve(wins, time_limit=time_limit)
        if solution.agreed is not None:
            sure = solution.agreed.loc[names, names].to_numpy().astype(int)
            return sure - sure.T
        score = _standing(solution)
    elif chosen.scores is not None:
        one = methods.batch(methods.as_counts(data))
        found = methods.scores(one, method, reference=reference)[0]
        score = pd.Series(found, [x for x in one.systems if x != reference]).round(methods.DIGITS)
    else:
        frame = methods.rank(data, method, reference=reference, rng=rng).frame
        score = -frame.set_index("system")["rank"]
    value = score.reindex(names).to_numpy(float)
    return (value[:, None] > value).astype(int) - (value[:, None] < value)


def _fragile(order: list[str], turned: np.ndarray) -> pd.DataFrame:
    """Column of `Fragility.systems`; turned[k, a, b]: removing k reverses a and b."""
    table = pd.DataFrame(
        {
            "system": order,
            "moved": turned.any(axis=2).sum(axis=0),
            "reversed": turned.sum(axis=(0, 2)),
        }
    )
    by = ["moved", "reversed"]
    return table.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _neighbours(order: list[str], turned: np.ndarray) -> pd.DataFrame:
    rows = []
    for k, (above, below) in enumerate(pairwise(order)):
        by = [order[gone] for gone in np.flatnonzero(turned[:, k, k + 1])]
        rows.append({"above": above, "below": below, "swapped": len(by), "by": "; ".join(by)})
    return pd.DataFrame(rows)


# --- prediction ---------------------------------------------------------------------------------


def held_out(
    data: Counts | pd.DataFrame,
    models: Sequence[str] | None = None,
    *,
    unit: str = COMPARISON,
    folds: int = 5,
    repeats: int = 1,
    rng: np.random.Generator,
) -> HeldOut:
    """Perplexity of preference models on parts of the judgements that they were not trained on.

    Units are dealt to `folds` parts at random; each part is predicted from the others, by every
    model from the same ones; `repeats` times. Every system counts, the reference too. Segments are
    known to the item-response models if they are a column of the tallies.

    Parameters
    ----------
    data : Counts or tallies
    models : sequence of str, optional
        Of `competition.MODELS`; all of them by default, but `VARIANTS`, and the item-response
        models if there are more than `IRT_LARGEST` comparisons.
    unit : str
        "comparison", or a column of the tallies to be held out as a whole.
    folds, repeats : int
    rng : Generator

    Raises
    ------
    DataError
        An unknown model or unit, fewer than two folds, or fewer units than folds.
    """
    rows = methods.as_comparisons(data)
    note = ""
    if models is None:
        models = [name for name in competition.MODELS if name not in VARIANTS]
        if len(rows) > IRT_LARGEST:
            models = [name for name in models if not name.startswith("IRT")]
            note = f"item-response models left out: over {IRT_LARGEST:,} comparisons"
    if unknown := [name for name in models if name not in competition.MODELS]:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(competition.MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")
    if folds < 2 or repeats < 1:
        raise DataError(f"{folds} fold(s), {repeats} repeat(s); expected two or more, one or more")
    if unit == COMPARISON:
        code, units = np.arange(len(rows)), len(rows)
    elif unit in rows and unit not in ("system_1", "system_2", "preference"):
        code, units = _numbered(rows[unit], unit)
    else:
        has = [c for c in rows.columns[3:]]
        raise DataError(f"unit is {unit!r}; expected {', '.join([COMPARISON, *has])}")
    if units < folds:
        raise DataError(f"{units} {unit}(s) cannot be dealt to {folds} folds; take fewer folds")
    systems = methods.as_counts(data).systems
    found = []
    for repeat in range(repeats):
        fold_of, seed = rng.permutation(units)[code] % folds, int(rng.integers(2**63))
        for fold in range(folds):
            train, test = rows[fold_of != fold], rows[fold_of == fold]
            for name in models:
                own = np.random.default_rng([seed, fold, zlib.crc32(name.encode())])
                model = competition.MODELS[name](train, systems=systems, rng=own)
                found.append(
                    {
                        "repeat": repeat,
                        "fold": fold,
                        "model": name,
                        "trained_on": len(train),
                        "tested_on": len(test),
                        "perplexity": preference.perplexity(model, test),
                    }
                )
    splits = pd.DataFrame(found)
    return HeldOut(_against_best(splits), splits, unit, units, folds, repeats, note)


def _against_best(splits: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors over splits, and differences from the best, split by split."""
    wide = splits.pivot_table(index=["repeat", "fold"], columns="model", values="perplexity")
    mean = wide.mean().sort_values(kind="stable")
    root = np.sqrt(len(wide))
    rows = []
    for name in mean.index:
        values, gap = wide[name].to_numpy(), (wide[name] - wide[mean.index[0]]).to_numpy()
        sure = np.isfinite(values).all()
        rows.append(
            {
                "model": name,
                "perplexity": mean[name],
                "error": _deviation(values) / root if sure else np.nan,
                "difference": gap.mean() if sure else np.inf,
                "difference_error": _deviation(gap) / root if sure else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _deviation(values: np.ndarray) -> float:
    """Standard deviation, 0 where values differ by rounding only."""
    found = float(values.std(ddof=1))
    return found if found > 1e-12 else 0.0
