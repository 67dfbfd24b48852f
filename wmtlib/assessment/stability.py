"""Would the ranking be another if some systems had not been there? (Knowles 2021, sections 5 and 6)

`battery` removes and degrades systems, `thinned` removes as many judgements at random, which is
what a removal must be held against, and `resample` draws judgements anew. All compare with the
ranking of the full data, restricted to the systems that both sides rank, its clusters recomputed
for those systems from unchanged z-scores.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.assessment import clusters, zscores
from wmtlib.assessment.clusters import ALPHA
from wmtlib.assessment.zscores import Campaign, Layout
from wmtlib.judgements.errors import DataError

DIVISORS = (1.25, 1.5, 2, 4, 10)  # Figure 1
REF = ("REF",)
CHANGES = ["rank", "cluster", "both"]
OUTCOMES = [*CHANGES, "kendall", "largest_move", "lines_new", "lines_gone", "swaps"]
UNITS = ("hit", "worker")


@dataclass(frozen=True)
class Outlook:
    """A ranking and which of its systems are significantly apart, as arrays.

    Attributes
    ----------
    systems : tuple of names, sorted
    order : ndarray of int, (ranked,)
        Positions in `systems`, best first.
    z : ndarray of float64, (systems,)
        Mean z-scores; NaN for systems that are not ranked.
    better : ndarray of bool, (systems, systems)
        p < alpha.
    rule : str
    """

    systems: tuple[str, ...]
    order: np.ndarray
    z: np.ndarray
    better: np.ndarray
    rule: str

    def of(self, kept: np.ndarray) -> "Outlook":
        """Restricted to some systems, (systems,) of bool; z-scores and p-values stay."""
        order = self.order[kept[self.order]]
        return Outlook(self.systems, order, self.z, self.better, self.rule)

    @property
    def lines(self) -> np.ndarray:
        """Whether a line is drawn below each system of the order, (ranked,) of bool."""
        return clusters.drawn(self.better[np.ix_(self.order, self.order)], self.rule)


@dataclass(frozen=True)
class Resampled:
    """What rankings from resampled judgements look like.

    Attributes
    ----------
    outcomes : DataFrame
        One row a draw, columns `OUTCOMES`.
    z : DataFrame, draws x systems
        Mean z-scores.
    unit : str
        What was drawn.
    """

    outcomes: pd.DataFrame
    z: pd.DataFrame
    unit: str

    def intervals(self, coverage: float = 0.95) -> pd.DataFrame:
        """Standard error of every system's mean z and the range of its rank (1 = best).

        Returns
        -------
        DataFrame
            Indexed by system; columns z, error, z_low, z_high, rank_low, rank_high: mean and
            standard deviation over draws, and the central range that holds so many of them.
        """
        ends = [(1 - coverage) / 2, (1 + coverage) / 2]
        ranks = self.z.rank(axis=1, ascending=False, method="first")
        low, high = np.quantile(self.z, ends, axis=0)
        first, last = np.quantile(ranks, ends, axis=0, method="nearest")
        return pd.DataFrame(
            {
                "z": self.z.mean(),
                "error": self.z.std(),
                "z_low": low,
                "z_high": high,
                "rank_low": first.astype(int),
                "rank_high": last.astype(int),
            }
        )


@dataclass(frozen=True)
class Perturbation:
    """One thing done to a campaign.

    Attributes
    ----------
    kind : "remove humans", "remove best", "remove worst", "remove" or "divide humans"
    what : str
        The names of the systems removed, or the divisor.
    gone : ndarray of bool, (systems,)
        Systems that are not ranked on either side.
    rows : ndarray of bool, (judgements,)
        Judgements that are removed or divided.
    divisor : float
        0 = removed.
    """

    kind: str
    what: str
    gone: np.ndarray
    rows: np.ndarray
    divisor: float = 0.0


def battery(
    campaign: Campaign,
    *,
    humans: Collection[str],
    paired: bool,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    divisors: Collection[float] = DIVISORS,
) -> pd.DataFrame:
    """Remove and degrade systems, one perturbation at a time (Tables 2 and 3, Figure 1).

    Human systems and REF items are removed together, and divided together before the workers'
    means are computed; human systems are then ranked on neither side. The best, the worst and
    every single system are removed without touching REF items.

    Parameters
    ----------
    campaign : Campaign
    humans : names
        Its human systems; none in SR-DC, where references are REF items only.
    paired : bool
        Whether quality-control items that were paired with a system share its fate.
    test, rule, alpha
        As in `clusters.clusters`; the paper's are "legacy", "footnote-4", 0.05.
    divisors : numbers, not 0

    Returns
    -------
    DataFrame
        One row a perturbation: kind, what, systems (how many are compared), judgements (the share
        removed or divided), then `OUTCOMES`: rank (the order changed), cluster (the number or the
        composition of clusters changed), both; kendall (pairs of systems in another order),
        largest_move (places), lines_new and lines_gone ("below X", lines that cut the systems as
        no line of the other side does) and swaps ("X > Y", neighbours before, reversed after).

    Raises
    ------
    DataError
        An unknown name, or fewer than two systems left by a removal.
    """
    whole = outlook(campaign, test=test, rule=rule, alpha=alpha)
    rows = []
    for change in perturbations(campaign, whole, humans, paired, divisors):
        after = _perturbed(campaign, change, test, rule, alpha)
        before = whole.of(~change.gone)
        rows.append(
            {
                "kind": change.kind,
                "what": change.what,
                "systems": len(before.order),
                "judgements": float(change.rows.mean()),
                **compare(before, after),
            }
        )
    return pd.DataFrame(rows)


def perturbations(
    campaign: Campaign,
    whole: Outlook,
    humans: Collection[str],
    paired: bool,
    divisors: Collection[float],
) -> Iterator[Perturbation]:
    """What `battery` does to a campaign, one after the other."""
    human = zscores.members(campaign, humans)
    theirs = campaign.rows_of(human, items=REF, paired=paired)
    yield Perturbation("remove humans", " ".join(sorted(humans)), human, theirs)
    singles = [("remove best", whole.order[0]), ("remove worst", whole.order[-1])]
    singles += [("remove", k) for k in range(len(campaign.systems))]
    for kind, k in singles:
        gone = np.arange(len(campaign.systems)) == k
        rows = campaign.rows_of(gone, items=(), paired=paired)
        yield Perturbation(kind, campaign.systems[k], gone, rows)
    for divisor in divisors:
        if not divisor > 0:
            raise DataError(f"divisor is {divisor!r}; expected a number greater than 0")
        yield Perturbation("divide humans", f"{divisor:g}", human, theirs, divisor)


def outlook(
    campaign: Campaign, *, test: str, rule: str, alpha: float = ALPHA, without: Collection[str] = ()
) -> Outlook:
    """The ranking of a campaign as arrays; systems in `without` are scored, but not ranked."""
    clusters.require_test(test)
    clusters.require_rule(rule)
    kept = ~zscores.members(campaign, without)
    means = campaign.averages
    return _outlook(means.systems, means.system, means.z, test, rule, alpha).of(kept)


def compare(before: Outlook, after: Outlook) -> dict[str, object]:
    """How two rankings of the same systems differ; keys `OUTCOMES`, explained in `battery`."""
    size = len(before.systems)
    place = np.empty(size, dtype=np.intp)
    place[after.order] = np.arange(len(after.order))
    moved = place[before.order]  # where each system went, by its former place
    lines, lines_after = before.lines, after.lines
    same_order = bool((np.diff(moved) == 1).all())
    same_clusters = _labels(before, lines) == _labels(after, lines_after)
    old, new = _cuts(before, lines), _cuts(after, lines_after)
    swapped = np.flatnonzero(np.diff(moved) < 0)
    name = before.systems
    return {
        "rank": not same_order,
        "cluster": not same_clusters,
        "both": not same_order and not same_clusters,
        "kendall": int(np.triu(moved[:, None] > moved, 1).sum()),
        "largest_move": int(np.abs(moved - np.arange(len(moved))).max()),
        "lines_new": "; ".join(new[cut] for cut in new if cut not in old),
        "lines_gone": "; ".join(old[cut] for cut in old if cut not in new),
        "swaps": "; ".join(
            f"{name[before.order[k]]} > {name[before.order[k + 1]]}" for k in swapped
        ),
    }


def thinned(
    campaign: Campaign,
    *,
    share: float,
    draws: int,
    rng: np.random.Generator,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    without: Collection[str] = (),
    only_scales: bool = False,
) -> pd.DataFrame:
    """Remove a share of all judgements at random: the null of a removal.

    The paper (section 5) asks how much instability is due to fewer data; this answers it.

    Parameters
    ----------
    share : float, 0 .. 1
        As in column `judgements` of `battery`.
    draws : int
    rng : Generator
    without : names
        Systems that are not ranked (human systems).
    only_scales : bool
        Whether what is removed is missing from the workers' means and standard deviations only,
        and still averaged. The removal of human systems and references takes nothing from the
        systems that are compared either, so that this is what to hold it against.

    Returns
    -------
    DataFrame
        One row a draw, columns `OUTCOMES`; `summary` counts them.

    Raises
    ------
    DataError
        A share outside 0..1, or a draw that leaves a system without segments.
    """
    if not 0 <= share < 1:
        raise DataError(f"share is {share!r}; expected 0 or more, and less than 1")
    size = len(campaign.score)
    removed = round(share * size)

    gone = zscores.members(campaign, without)

    def draw() -> Outlook:
        rows = np.zeros(size, dtype=bool)
        rows[rng.choice(size, removed, replace=False)] = True
        if only_scales:
            change = Perturbation("thin", f"{share:g}", gone, rows)
            return _perturbed(campaign, change, test, rule, alpha)
        fewer = campaign.take(~rows)
        return outlook(fewer, test=test, rule=rule, alpha=alpha, without=without)

    before = outlook(campaign, test=test, rule=rule, alpha=alpha, without=without)
    return _draws(before, draw, draws)[0]


def resample(
    campaign: Campaign,
    *,
    unit: str,
    draws: int,
    rng: np.random.Generator,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    without: Collection[str] = (),
) -> Resampled:
    """Bootstrap: draw as many HITs, or workers, as there are, with replacement.

    Parameters
    ----------
    unit : "hit" or "worker"
        What is drawn as a whole; a HIT done by two workers is two.
    draws, rng, without
        As in `thinned`.

    Raises
    ------
    DataError
        An unknown unit, fewer than two of them, or a draw that leaves a system without segments.
    """
    code, size = units(campaign, unit)
    if size < 2:
        raise DataError(f"{size} {unit}(s) to draw from; expected two or more")

    def draw() -> Outlook:
        times = rng.multinomial(size, np.full(size, 1 / size))
        again = campaign.take(times[code])
        return outlook(again, test=test, rule=rule, alpha=alpha, without=without)

    before = outlook(campaign, test=test, rule=rule, alpha=alpha, without=without)
    found, z = _draws(before, draw, draws)
    ranked = sorted(before.order)
    names = [campaign.systems[k] for k in ranked]
    return Resampled(found, pd.DataFrame(z[:, ranked], columns=names), unit)


def summary(outcomes: pd.DataFrame) -> pd.DataFrame:
    """Share of rows with a change, and the standard error of that share.

    Parameters
    ----------
    outcomes : DataFrame
        Columns rank, cluster, both.

    Returns
    -------
    DataFrame
        Indexed rank, cluster, both; columns changed, rows, share, error (binomial).
    """
    rows = len(outcomes)
    changed = outcomes[CHANGES].sum().astype(int)
    share = changed / rows
    error = np.sqrt(share * (1 - share) / rows)
    return pd.DataFrame({"changed": changed, "rows": rows, "share": share, "error": error})


# --- arrays ---------------------------------------------------------------------------------


def _outlook(
    systems: tuple[str, ...],
    system: np.ndarray,
    z: np.ndarray,
    test: str,
    rule: str,
    alpha: float,
) -> Outlook:
    """From segment means, (cells,), of systems that may lack some of `systems`."""
    size = len(systems)
    present = np.flatnonzero(np.bincount(system, minlength=size))
    number = np.zeros(size, dtype=np.intp)
    number[present] = np.arange(len(present))
    order, mean = zscores.order_by_mean(number[system], z, len(present))
    better = np.zeros((size, size), dtype=bool)
    p = clusters.all_pairs(z, number[system], len(present), test)
    better[np.ix_(present, present)] = p < alpha
    means = np.full(size, np.nan)
    means[present] = mean
    return Outlook(systems, present[order], means, better, rule)


def _perturbed(
    campaign: Campaign, change: Perturbation, test: str, rule: str, alpha: float
) -> Outlook:
    """The ranking once judgements are removed or divided; codes and cells are shared."""
    score, keep = campaign.score, None
    if change.divisor:
        score = np.where(change.rows, score / change.divisor, score)
    else:
        keep = ~change.rows
    if (left := int((~change.gone).sum())) < 2:
        raise DataError(f"{change.kind}: {left} system(s) left; expected two or more")
    _, mean, sd = zscores.scales(campaign, score, keep)
    layout = zscores.used_layout(campaign, sd, change.gone)
    return _outlook(
        campaign.systems, *_cells(campaign, layout, score, mean, sd, change.gone), test, rule, alpha
    )


def _cells(
    campaign: Campaign,
    layout: Layout,
    score: np.ndarray,
    mean: np.ndarray,
    sd: np.ndarray,
    gone: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """System and mean z of every cell of the systems that are not gone."""
    worker = layout.worker
    with np.errstate(divide="ignore", invalid="ignore"):  # workers of systems that are gone
        z = layout.means((score[layout.judgement] - mean[worker]) / sd[worker])
    kept = ~gone[layout.system]
    present = np.bincount(layout.system, minlength=len(gone)) > 0
    if (lost := np.flatnonzero(~(present | gone))).size:
        raise DataError(f"system {campaign.systems[lost[0]]!r} is left without segments")
    return layout.system[kept], z[kept]


def _labels(ranking: Outlook, lines: np.ndarray) -> dict[int, int]:
    """Cluster, 0 = best, of every system."""
    cluster = np.cumsum(lines) - lines
    return dict(zip(ranking.order.tolist(), cluster.tolist(), strict=True))


def _cuts(ranking: Outlook, lines: np.ndarray) -> dict[frozenset[int], str]:
    """Lines by the set of systems above them, and how they are named."""
    order = ranking.order.tolist()
    return {
        frozenset(order[: k + 1]): f"below {ranking.systems[order[k]]}"
        for k in np.flatnonzero(lines)
    }


def _draws(
    before: Outlook, draw: Callable[[], Outlook], draws: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """Outcomes and mean z-scores, (draws, systems), of so many drawn rankings."""
    if draws < 1:
        raise DataError(f"draws is {draws}; expected one or more")
    found, z = [], []
    for _ in range(draws):
        after = draw()
        found.append(compare(before, after))
        z.append(after.z)
    return pd.DataFrame(found), np.array(z)


def units(campaign: Campaign, unit: str) -> tuple[np.ndarray, int]:
    """Number of each judgement's HIT or worker, and how many there are."""
    if unit not in UNITS:
        raise DataError(f"unit is {unit!r}; expected {' or '.join(UNITS)}")
    code = campaign.worker
    if unit == "hit":
        if "" in campaign.hits:
            raise DataError("a judgement's HIT is not known; take workers as units")
        code = campaign.hit * len(campaign.workers) + campaign.worker
    numbers, code = np.unique(code, return_inverse=True)
    return code.ravel(), len(numbers)
