"""Every ranking method of this package by name, on one footing, and side by side.

`rank` ranks the systems of `Counts` (or of tallies, as `inputs.Judgements.tallies` gives them), or
of a `zscores.Campaign`, by any of `METHODS`. The second half of the module scores many samples of
the same comparisons at once (`Batch`), on which resampling and leaving out rest (`wmtlib.doubt`).

**The reference**, if one was judged among the systems, is never ranked. Comparisons with it count
for "wmt-official" alone (Lopez 2012, Eq. 1); for every other method they are left out. In a
campaign of assessments its judgements enter the workers' scales and nothing else.

**Bradley-Terry.** Odds of a win against a loss are exp(difference of strengths). Ties make it one
of three models: "davidson" and "rao-kupper" give them a parameter (see `wmtlib.ranked`), "half"
counts a tie as half a win for each side. `prior` is the number of virtual comparisons of every
system with an opponent of strength zero, won, tied and lost alike ("half": won and lost alike).
"""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import pandas as pd
from scipy import sparse, special
from scipy.sparse import csgraph

from wmtlib import clusters, irt, mfas, pairwise, ranked, scorers, zscores
from wmtlib.pairwise import Counts
from wmtlib.preference import PreferenceModel
from wmtlib.schemas import DataError
from wmtlib.zscores import Campaign

PRIOR = 4.0  # virtual comparisons of a system; see `wmtlib.ranked`
FAINT = 1e-3  # the same for samples of a fit without a prior, which may have no maximum without
DIGITS = 9  # strengths that agree to this many decimals are tied
TIES = ("half", "davidson", "rao-kupper")
STEP = 1e-7  # Newton's method ends after a step as small: the error is about its square
PATIENCE, ROUNDING = 50, 1e-12  # after so many steps a slope as small, a comparison, will do
LARGEST = 1 << 17  # numbers that are worked on at a time, so that they stay in the cache
LEAF = 52  # rows of the matrices that LAPACK is given
TEST, RULE = "two-sided", "footnote-4"  # of the clusters of z-scores


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking by one method.

    Attributes
    ----------
    method : str
    frame : DataFrame
        Columns system, rank (1 = best; tied systems share the best place of their group) and score
        (NaN for mfas, which has none); best first. mfas: best_rank and worst_rank over all optimal
        orders, if they could be counted. z-score: cluster.
    note : str
        What must be said about this ranking on one line; "" if nothing.
    seconds : float
        What it took.
    """

    method: str
    frame: pd.DataFrame
    note: str
    seconds: float

    @property
    def order(self) -> list[str]:
        """Names, best first; tied systems by name."""
        return self.frame["system"].tolist()


@dataclass(frozen=True)
class Method:
    """How a method is applied.

    Attributes
    ----------
    name, about : str
        `about` is one line for a list of methods.
    kind : "counts" or "assessments"
    rank : callable
        From the data to a frame and a note; see `rank`.
    random : bool
        Whether it draws random numbers.
    scores : callable or None
        From a `Batch` and strengths to begin with (or None) to scores, (samples, systems), NaN for
        a system that cannot be scored.
    reference_counts : bool
        Whether comparisons with the reference count.
    rows : bool
        Whether it is fitted to comparisons one by one, and to what segments they are of.
    """

    name: str
    about: str
    kind: str
    rank: Callable[..., tuple[pd.DataFrame, str]] = field(repr=False)
    random: bool = False
    scores: Callable[..., np.ndarray] | None = field(default=None, repr=False)
    reference_counts: bool = False
    rows: bool = False


def rank(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
) -> Ranked:
    """Rank the systems by one method.

    Parameters
    ----------
    data : Counts, tallies or Campaign
        Tallies (columns a, b, outcome, count) that also have a column segment let the item-response
        models know which outputs were compared more than once.
    method : str
        Of `METHODS`.
    reference : str or None
        The human reference, which is not ranked; see the head of this module.
    rng : Generator, optional
        Needed by the methods that draw random numbers.
    time_limit : float, optional
        Seconds after which mfas stops proving.

    Raises
    ------
    DataError
        An unknown method or reference, a method for other data, no comparisons, or a system that
        the method cannot score.
    """
    chosen = require(method, kind_of(data))
    if chosen.random and rng is None:
        raise DataError(f"{method} draws random numbers; expected a generator, rng")
    started = time.perf_counter()
    if isinstance(data, pd.DataFrame) and not chosen.rows:
        data = as_counts(data)
    _check(data, reference)
    try:
        frame, note = chosen.rank(data, reference=reference, rng=rng, time_limit=time_limit)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"{method}: {error}") from None
    return Ranked(method, frame, note, time.perf_counter() - started)


def side_by_side(rankings: Sequence[Ranked]) -> pd.DataFrame:
    """Ranks by several methods.

    Returns
    -------
    DataFrame, systems x methods
        Ranks; in order of the mean rank, then of the name. The last column, `range`, is the
        greatest rank less the least: where methods disagree.

    Raises
    ------
    DataError
        No ranking, a method twice, or rankings of different systems.
    """
    if not rankings:
        raise DataError("no rankings to set side by side; expected one or more")
    names = [ranking.method for ranking in rankings]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"method {twice[0]!r} stands twice; expected each once")
    systems = {frozenset(ranking.order) for ranking in rankings}
    if len(systems) > 1:
        raise DataError("the rankings are of different systems; expected the same")
    table = pd.DataFrame({r.method: r.frame.set_index("system")["rank"] for r in rankings})
    table = table.sort_index()
    order = np.argsort(table.mean(axis=1).round(DIGITS).to_numpy(), kind="stable")
    table = table.iloc[order]
    return table.assign(range=table.max(axis=1) - table.min(axis=1))


def kind_of(data: Counts | pd.DataFrame | Campaign) -> str:
    """Kind of the methods that apply: "counts" or "assessments"."""
    return "assessments" if isinstance(data, Campaign) else "counts"


def require(method: str, kind: str) -> Method:
    """The method of that name, if it applies to data of a kind."""
    fitting = ", ".join(name for name, m in METHODS.items() if m.kind == kind)
    if method not in METHODS:
        raise DataError(f"no method {method!r}; expected {fitting}")
    if METHODS[method].kind != kind:
        raise DataError(f"{method} is no method for {kind}; expected {fitting}")
    return METHODS[method]


def _check(data: Counts | pd.DataFrame | Campaign, reference: str | None) -> None:
    """Refuse a reference that is not there, no comparisons and fewer than two systems."""
    if isinstance(data, Campaign):
        systems = data.systems
    else:
        counts = as_counts(data)
        if not counts.comparisons:
            raise DataError("no comparisons; expected one or more")
        systems = counts.systems
    if reference is not None and reference not in systems:
        raise DataError(f"no system {reference!r} to be the reference")
    if (left := len(systems) - (reference is not None)) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")


# --- tallies ------------------------------------------------------------------------------------

OUTCOMES = ("tie", "a", "b")  # positions are the preferences 0, 1, 2 of `wmtlib.pairwise`


def as_counts(data: Counts | pd.DataFrame) -> Counts:
    """Counts of tallies (columns a, b, outcome, count); counts are returned as they are.

    Raises
    ------
    DataError
        An outcome other than "a", "b" and "tie", a missing name, a system compared with itself, or
        a count that is negative.
    """
    if isinstance(data, Counts):
        return data
    names, a, b, preference, number = coded(data)
    n = len(names)
    cells = np.bincount((preference * n + a) * n + b, number, minlength=3 * n * n)
    tie, first, second = cells.astype(np.int64).reshape(3, n, n)
    return Counts(
        pd.DataFrame(first + second.T, index=names, columns=names),
        pd.DataFrame(tie + tie.T, index=names, columns=names),
    )


def as_comparisons(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """Comparisons, one row each: system_1, system_2, preference, and other columns of the tallies.

    Tallies remember which system was shown first; counts forget it and take the order of names.
    """
    if isinstance(data, Counts):
        return pairwise.expand(data)
    names, a, b, preference, number = coded(data)
    rows = np.repeat(np.arange(len(data)), number)
    table = {
        "system_1": pd.Categorical.from_codes(a[rows], names),
        "system_2": pd.Categorical.from_codes(b[rows], names),
        "preference": preference[rows].astype(np.int8),
    }
    units = [c for c in data.columns if c not in ("a", "b", "outcome", "count")]
    return pd.DataFrame(table | {u: data[u].array[rows] for u in units})


def coded(
    tallies: pd.DataFrame,
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Names, sorted, and arrays of tallies: a, b (positions), preference (0, 1, 2), count."""
    names, (a, b) = pairwise._shared_codes(tallies["a"], tallies["b"])
    outcome = tallies["outcome"].astype("category").cat
    known = [OUTCOMES.index(x) if x in OUTCOMES else -1 for x in outcome.categories]
    preference = np.array([*known, -1], dtype=np.intp)[outcome.codes]
    if (preference < 0).any():
        odd = tallies["outcome"].iloc[int(np.argmax(preference < 0))]
        raise DataError(f"an outcome is {odd!r}; expected a, b or tie")
    if (a == b).any():
        raise DataError(f"system {names[a[a == b][0]]!r} is compared with itself")
    number = tallies["count"].to_numpy(np.int64)
    if (number < 0).any():
        raise DataError(f"a count is {number.min()}; expected 0 or more")
    return names, a.astype(np.intp), b.astype(np.intp), preference, number


# --- many samples of the same comparisons ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Batch:
    """Samples of comparisons of the same systems.

    Attributes
    ----------
    systems : tuple of n names, sorted
    first, second : ndarray of int, (pairs,)
        The pairs that were compared, as positions in `systems`; first < second.
    seen : ndarray of float64, (3, samples, pairs)
        How often neither (0), the first (1), or the second (2) was preferred.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    seen: np.ndarray

    @cached_property
    def _sides(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Matrices, systems x pairs, that tell who is first, and who second, of a pair."""
        size, pairs = len(self.systems), np.arange(len(self.first))
        ones, shape = np.ones(len(pairs)), (size, len(pairs))
        return tuple(
            sparse.csr_array((ones, (side, pairs)), shape=shape)
            for side in (self.first, self.second)
        )

    def summed(self, of_first: np.ndarray, of_second: np.ndarray) -> np.ndarray:
        """What systems get from their pairs, (samples, systems), of (samples, pairs) for each."""
        first, second = self._sides
        return (first @ of_first.T + second @ of_second.T).T

    def without(self, system: str | None) -> "Batch":
        """The comparisons that do not involve a system; None is no error."""
        if system is None:
            return self
        at = self.systems.index(system)
        kept = (self.first != at) & (self.second != at)
        left = self.systems[:at] + self.systems[at + 1 :]
        first, second = (x[kept] - (x[kept] > at) for x in (self.first, self.second))
        return Batch(left, first, second, self.seen[:, :, kept])

    def take(self, samples: np.ndarray) -> "Batch":
        """Some of the samples, by their numbers."""
        return Batch(self.systems, self.first, self.second, self.seen[:, samples])


def batch(counts: Counts) -> Batch:
    """Counts as one sample."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    first, second = np.nonzero(np.triu(wins + wins.T + ties, k=1))
    cells = (ties[first, second], wins[first, second], wins[second, first])
    return Batch(tuple(counts.systems), first, second, np.array(cells, dtype=float)[:, None])


def scores(
    samples: Batch,
    method: str,
    *,
    reference: str | None,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Scores of all systems but the reference by one method, sample by sample.

    Parameters
    ----------
    samples : Batch
    method : str
        One that scores batches: a heuristic scorer or a Bradley-Terry model.
    reference : str or None
    start : ndarray of float64, (systems,), optional
        Scores to begin an iterative fit with: those of all comparisons.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN where a system has no comparison that counts.
    """
    chosen = require(method, "counts")
    if chosen.scores is None:
        raise DataError(f"{method} does not score samples all at once")
    if not chosen.reference_counts:
        return chosen.scores(samples.without(reference), start)
    found = chosen.scores(samples, start)
    kept = [k for k, name in enumerate(samples.systems) if name != reference]
    return found[:, kept]


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _shares(samples: Batch, start: None, *, tie: float, counted: bool) -> np.ndarray:
    """(wins + tie * ties) / comparisons, or decided ones if ties are not counted."""
    ties, first, second = samples.seen
    win, lose = samples.summed(first, second), samples.summed(second, first)
    tied = samples.summed(ties, ties)
    return _over(win + tie * tied, win + lose + (tied if counted else 0))


def _over_opponents(samples: Batch, start: None, *, net: bool) -> np.ndarray:
    """Mean rate over the opponents met: of wins, or of wins less losses where ties count."""
    ties, first, second = samples.seen
    whole = first + second + (ties if net else 0)
    of_first = _over(first - second if net else first, whole)
    of_second = -of_first if net else _over(second, whole)
    met = (whole > 0).astype(float)
    rates = samples.summed(np.nan_to_num(of_first), np.nan_to_num(of_second))
    return _over(rates, samples.summed(met, met))


def _strengths(samples: Batch, start: np.ndarray | None, *, ties: str, prior: float) -> np.ndarray:
    """Bradley-Terry strengths about their mean, block by block; NaN for systems not compared.

    Without a prior, samples that have no maximum are given the faintest.
    """
    size, number = len(samples.systems), samples.seen.shape[1]
    at_once = max(1, LARGEST // max(len(samples.first) + size, size**2))
    priors = np.full(number, prior)
    if not prior:
        priors[[not _connected(samples, k) for k in range(number)]] = FAINT
    found = np.empty((number, size))
    for value in np.unique(priors):
        rows = np.flatnonzero(priors == value)
        for part in np.split(rows, range(at_once, len(rows), at_once)):
            found[part] = _newton(samples.take(part), start, ties=ties, prior=value)[0]
    total = samples.seen.sum(axis=0)
    met = samples.summed(total, total) > 0
    mean = (found * met).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    return np.where(met, found - mean[:, None], np.nan)


def bradley_terry(counts: Counts, *, ties: str, prior: float) -> pd.Series:
    """Bradley-Terry strengths by (penalised) maximum likelihood.

    Strengths are differences about their mean. With ties="half" and prior=0 their exponentials are
    what `evalica.bradley_terry` converges to with its default win and tie weights.

    Parameters
    ----------
    counts : Counts
        Every system counts; leave the reference out if it should not.
    ties : "half", "davidson" or "rao-kupper"
    prior : float
        See the head of this module; 0 is for "half" only.

    Returns
    -------
    Series of float, by system

    Raises
    ------
    DataError
        An unknown model, a prior that is not fit for it, or, without a prior, systems that won (or
        lost) every comparison with the rest, so that there is no maximum.
    """
    if ties not in TIES:
        raise DataError(f"ties is {ties!r}; expected {', '.join(TIES)}")
    if not (0 < prior < np.inf or (prior == 0 and ties == "half")):
        least = "0 or more" if ties == "half" else "> 0"
        raise DataError(f"prior, the number of virtual comparisons, is {prior}; expected {least}")
    if prior == 0:
        _require_connected(counts)
    found, _ = _newton(batch(counts), None, ties=ties, prior=prior)
    return pd.Series(found[0] - found[0].mean(), index=counts.systems)


def _connected(samples: Batch, sample: int) -> bool:
    """Whether in a sample every system beat, or tied with, every other through a chain."""
    tied, won, lost = samples.seen[:, sample]
    forth, back = np.flatnonzero(won + tied), np.flatnonzero(lost + tied)
    first, second = samples.first, samples.second
    better = np.concatenate([first[forth], second[back]])
    worse = np.concatenate([second[forth], first[back]])
    size = len(samples.systems)
    edges = sparse.csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))
    groups = csgraph.connected_components(edges, connection="strong", return_labels=False)
    return groups == 1


def _require_connected(counts: Counts) -> None:
    """Refuse systems of which some never lost to, or never met, the rest."""
    points = counts.wins.to_numpy() + counts.ties.to_numpy() / 2
    groups, label = csgraph.connected_components(points > 0, connection="strong")
    if groups == 1:
        return
    for inside in sorted((label == group for group in range(groups)), key=np.sum):
        lost = (points[~inside][:, inside] > 0).any()
        won = (points[inside][:, ~inside] > 0).any()
        if not (lost and won):
            name = counts.systems[int(np.argmax(inside))]
            fate = "lost to" if won else "won from"
            several = f" and {inside.sum() - 1} more" if inside.sum() > 1 else ""
            raise DataError(
                f"{name!r}{several} never {fate} the rest: without a prior there is no maximum"
            )


def _newton(
    samples: Batch, start: np.ndarray | None, *, ties: str, prior: float
) -> tuple[np.ndarray, np.ndarray]:
    """Strengths (samples, systems) and tie parameters (samples,) of greatest likelihood.

    Newton's method; a step that changes a difference by r is cut by ln(1 + r) / r, which makes it
    climb from anywhere on sums of log-logistic terms, as their curvature changes by no more than a
    factor of exp(r).
    """
    size, number = len(samples.systems), samples.seen.shape[1]
    theta = np.zeros((number, size + 1))  # the last is the virtual opponent's
    if start is not None:
        theta[:, :-1] = start - start.mean()
    t = np.full(number, 0.5)
    met = _with_opponent(samples, ties, prior)
    local = {"half": _exponential, "davidson": _exponential, "rao-kupper": _rao_kupper}[ties]
    with_t = ties != "half"
    least = ROUNDING * met.seen.sum(axis=(0, 2))
    todo = np.arange(number)
    for iteration in range(200):
        part = met if len(todo) == number else met.take(todo)
        slope, bend = local(part, theta[todo], t[todo] if with_t else None)
        if not prior:
            bend[:, :size, :size] += 1 / size  # differences alone are determined: keep the mean
        step = _solved(bend, slope[..., None])[..., 0]
        of_t = step[:, -1] if with_t else np.zeros(len(todo))
        spread = np.abs(step[:, :size]).max(axis=1) * 2 + np.abs(of_t)
        cut = np.log1p(spread) / np.maximum(spread, 1e-300)
        if ties == "rao-kupper":  # t stays positive
            cut = np.minimum(cut, 1 / (1 + np.abs(of_t) / t[todo]))
        cut[spread < 1e-3] = 1.0
        theta[todo, :size] += cut[:, None] * step[:, :size]
        t[todo] += cut * of_t
        moves = spread >= STEP
        if iteration >= PATIENCE:  # nearly flat: the steps are what rounding makes them
            moves &= np.abs(slope).max(axis=1) > least[todo]
        todo = todo[moves]
        if not len(todo):
            return theta[:, :size], t
    raise DataError("Bradley-Terry strengths have not settled; expected a prior, or a larger one")


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """`np.linalg.solve` of positive definite matrices, (samples, n, n), by halves.

    Blocks are small enough for the library to work on with one thread each: two threads that wait
    for each other on a busy machine take fifty times as long.
    """
    if (size := matrix.shape[1]) <= LEAF:
        return np.linalg.solve(matrix, right)
    half, width = size // 2, size - size // 2
    across = matrix[:, :half, half:]
    both = np.concatenate([across, right[:, :half]], axis=2)
    found = _solved(matrix[:, :half, :half], both)
    gain, rest = found[:, :, :width], found[:, :, width:]
    back = across.swapaxes(1, 2)
    low = _solved(matrix[:, half:, half:] - back @ gain, right[:, half:] - back @ rest)
    return np.concatenate([rest - gain @ low, low], axis=1)


def _with_opponent(samples: Batch, ties: str, prior: float) -> Batch:
    """The same samples with every system's virtual comparisons."""
    ties_seen, first, second = samples.seen
    if ties == "half":
        ties_seen, first, second = (
            np.zeros_like(first),
            first + ties_seen / 2,
            second + ties_seen / 2,
        )
    size, number = len(samples.systems), samples.seen.shape[1]
    share = np.array([0, 1 / 2, 1 / 2] if ties == "half" else [1 / 3] * 3) * prior
    virtual = np.broadcast_to(share[:, None, None], (3, number, size))
    return Batch(
        (*samples.systems, ""),
        np.concatenate([samples.first, np.arange(size)]),
        np.concatenate([samples.second, np.full(size, size)]),
        np.concatenate([np.stack([ties_seen, first, second]), virtual], axis=2),
    )


def _exponential(
    samples: Batch, theta: np.ndarray, t: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Slope of the log-likelihood and minus its curvature; Davidson, or no ties if t is None.

    P(1), P(2), P(0) are proportional to exp(d/2), exp(-d/2), exp(t): an exponential family, whose
    curvature is the covariance of its statistics, (wins - losses) / 2 and ties.
    """
    ties, first, second = samples.seen
    root = np.exp(theta / 2)
    up = root[:, samples.first] / root[:, samples.second]
    down = 1 / up
    total = ties + first + second
    either = up + down
    norm = either if t is None else either + np.exp(t)[:, None]
    mean = (up - down) / (2 * norm)
    variance = total * (either / (4 * norm) - mean**2)
    slope = (first - second) / 2 - total * mean
    if t is None:
        return _assembled(samples, slope, variance)
    tied = np.exp(t)[:, None] / norm
    cross = -total * mean * tied
    own = (total * tied * (1 - tied)).sum(axis=1)
    return _assembled(samples, slope, variance, (ties - total * tied).sum(axis=1), cross, own)


def _rao_kupper(samples: Batch, theta: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of Rao & Kupper's model: with s the logistic function and ties of both sides,

    (wins + ties) log s(d - t) + (losses + ties) log s(-d - t) + ties log(exp(2t) - 1).
    """
    ties, first, second = samples.seen
    d, radius = theta[:, samples.first] - theta[:, samples.second], t[:, None]
    win, lose = special.expit(d - radius), special.expit(-d - radius)
    first, second = (first + ties) * (1 - win), (second + ties) * (1 - lose)
    bend_first, bend_second = first * win, second * lose
    free = -np.expm1(-2 * t)
    all_ties = ties.sum(axis=1)
    slope_t = 2 * all_ties / free - (first + second).sum(axis=1)
    own = (bend_first + bend_second).sum(axis=1) + 4 * all_ties * np.exp(-2 * t) / free**2
    return _assembled(
        samples,
        first - second,
        bend_first + bend_second,
        slope_t,
        bend_second - bend_first,
        own,
    )


def _assembled(
    samples: Batch,
    slope: np.ndarray,
    variance: np.ndarray,
    slope_t: np.ndarray | None = None,
    cross: np.ndarray | None = None,
    own: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """From pairs, (samples, pairs), to systems and, last, t; without the virtual opponent."""
    number, size = len(slope), len(samples.systems) - 1
    width = size + (slope_t is not None)
    bend = np.zeros((number, size + 1, size + 1))
    bend[:, samples.first, samples.second] = -variance
    bend[:, samples.second, samples.first] = -variance
    bend[:, range(size + 1), range(size + 1)] = samples.summed(variance, variance)
    bend = bend[:, :width, :width]
    gradient = samples.summed(slope, -slope)[:, :width]
    if slope_t is not None:
        bend[:, -1, :size] = bend[:, :size, -1] = samples.summed(cross, -cross)[:, :size]
        bend[:, -1, -1], gradient[:, -1] = own, slope_t
    return gradient, bend


# --- the methods --------------------------------------------------------------------------------


def _table(found: pd.Series) -> pd.DataFrame:
    """Scores that carry the noise of a numerical fit as a ranking."""
    return scorers.ranking(found.round(DIGITS))


def _by_scorer(
    counts: Counts, *, name: str, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    return scorers.ranking(scorers.SCORERS[name](counts, reference=reference)), ""


def _by_strength(
    counts: Counts, *, ties: str, prior: float, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    counts = counts.without(reference)
    played = _met(counts)
    if (played == 0).any():
        raise DataError(f"system {played.idxmin()!r} has no comparison that this score counts")
    note = f"log strengths; {prior:g} virtual comparisons of every system" if prior else ""
    return _table(bradley_terry(counts, ties=ties, prior=prior)), note or "log strengths, no prior"


def _met(counts: Counts) -> pd.Series:
    """Comparisons of every system."""
    return (counts.wins + counts.wins.T + counts.ties).sum(axis=1)


def _by_mfas(
    counts: Counts, *, reference: str | None, time_limit: float | None, **_: object
) -> tuple[pd.DataFrame, str]:
    solution = mfas.solve(counts.without(reference).wins, time_limit=time_limit)
    frame = pd.DataFrame({"system": [*solution.order]})
    frame["rank"], frame["score"] = np.arange(1, len(frame) + 1), np.nan
    if solution.rank_ranges is not None:
        ranges = solution.rank_ranges.loc[[*solution.order]]
        frame["best_rank"] = ranges["best"].to_numpy()
        frame["worst_rank"] = ranges["worst"].to_numpy()
    bound, orders = solution.lower_bound, solution.optimal_orders
    proof = "proven least" if solution.optimal else f"at least {bound} is unavoidable"
    many = "" if orders is None else f"; optimal orders: {orders}"
    note = f"violated weight: {solution.cost} judgements, {proof} (lower bound {bound}){many}"
    return frame, note


def _by_model(
    data: Counts | pd.DataFrame,
    *,
    fit: Callable[..., PreferenceModel],
    rows: bool,
    reference: str | None,
    rng: np.random.Generator,
    **_: object,
) -> tuple[pd.DataFrame, str]:
    """By the strengths, or mean abilities, of a model that is fitted with random numbers."""
    counts = as_counts(data).without(reference)
    if rows:
        kept = data if isinstance(data, pd.DataFrame) else counts
        train = as_comparisons(kept)
        with_it = (train["system_1"] == reference) | (train["system_2"] == reference)
        train = train[~with_it]
    else:
        train = counts
    model = fit(train, systems=counts.systems, rng=rng)
    found = model.abilities["mean"] if rows else model.strengths
    return _table(found), "drawn at random: another seed gives slightly other scores"


def _by_z(data: Campaign, *, reference: str | None, **_: object) -> tuple[pd.DataFrame, str]:
    frame, note = _by_mean(data, column="z", reference=reference)
    cut = clusters.clusters(data, test=TEST, rule=RULE, without=_named(reference))
    of = cut.frame.set_index("system")["cluster"]
    frame["cluster"] = of.loc[frame["system"]].to_numpy()
    said = "clusters by two-sided rank-sum tests, p < 0.05, uncorrected"
    return frame, f"{said}; {note}" if note else said


def _by_mean(
    data: Campaign, *, column: str, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    ranking = zscores.rank(data)
    found = ranking.frame.set_index("system")[column].drop(_named(reference))
    left = len(ranking.left_out)
    return _table(found), f"{left} worker(s) left out: no two different scores" if left else ""


def _named(reference: str | None) -> list[str]:
    return [] if reference is None else [reference]


def _scorer(name: str, about: str, form: Callable[..., np.ndarray], **settings: object) -> Method:
    return Method(
        name,
        about,
        "counts",
        partial(_by_scorer, name=name),
        scores=partial(form, **settings),
        reference_counts=name == "wmt-official",
    )


def _fitted(name: str, about: str, ties: str, prior: float) -> Method:
    return Method(
        name,
        about,
        "counts",
        partial(_by_strength, ties=ties, prior=prior),
        scores=partial(_strengths, ties=ties, prior=prior),
    )


def _drawn(name: str, about: str, fit: Callable[..., PreferenceModel], rows: bool) -> Method:
    apply = partial(_by_model, fit=fit, rows=rows)
    return Method(name, about, "counts", apply, random=True, rows=rows)


def _registry(methods: Collection[Method]) -> dict[str, Method]:
    return {method.name: method for method in methods}


METHODS: dict[str, Method] = _registry(
    [
        _scorer("wmt-official", "share not lost (Eq. 1)", _shares, tie=1, counted=True),
        _scorer("heuristic2", "share won (Eq. 2)", _shares, tie=0, counted=True),
        _scorer("bojar", "wins over wins and losses (Eq. 3)", _shares, tie=0, counted=False),
        _scorer("expected-wins", "chance to beat a random opponent", _over_opponents, net=False),
        _scorer("net-wins", "the same less the chance to lose", _over_opponents, net=True),
        _scorer("soccer", "share of points, a tie half a point", _shares, tie=0.5, counted=True),
        Method("mfas", "order that contradicts fewest judgements, exact", "counts", _by_mfas),
        _fitted("bradley-terry", "Bradley-Terry with Davidson's ties", "davidson", PRIOR),
        _fitted("rao-kupper", "Bradley-Terry with Rao & Kupper's ties", "rao-kupper", PRIOR),
        _fitted("bradley-terry-half", "Bradley-Terry, a tie half a win, no prior", "half", 0.0),
        _drawn("trueskill", "TrueSkill in one random order", ranked.trueskill, False),
        _drawn("irt-gaussian", "IRT, Gaussian qualities, by Gibbs sampling", irt.gaussian, True),
        _drawn("irt-categorical", "IRT, discrete qualities, Gibbs", irt.categorical, True),
        Method("z-score", "mean of segments' mean z-scores, clusters", "assessments", _by_z),
        Method(
            "raw-score",
            "mean of segments' mean raw scores",
            "assessments",
            partial(_by_mean, column="raw"),
        ),
    ]
)
