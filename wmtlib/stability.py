"""Would the ranking be another if some systems had not been there? (Knowles 2021, section 5)

`perturb` removes and degrades systems. Every ranking is compared with the ranking of the full data,
restricted to the systems that both sides rank, its clusters recomputed for those systems from
unchanged z-scores.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.cluster_lines import ALPHA, RankedClusters, averaged_z_scores, rank_campaign
from wmtlib.corrections import reversed_pairs
from wmtlib.errors import DataError
from wmtlib.zscores import Campaign, order_by_mean

DIVISORS = (1.25, 1.5, 2, 4, 10)  # Figure 1
CHANGES = ["rank", "cluster", "both"]


@dataclass(frozen=True, eq=False)
class Perturbation:
    """One thing done to a campaign.

    Attributes
    ----------
    kind : "remove humans", "remove best", "remove worst", "remove" or "divide humans"
    what : str
        The names of the systems removed, or the divisor.
    unranked : ndarray of bool, (systems,)
        Systems that are not ranked on either side.
    rows : ndarray of bool, (judgements,)
        Judgements that are removed or divided.
    divisor : float
        0 = removed.
    """

    kind: str
    what: str
    unranked: np.ndarray
    rows: np.ndarray
    divisor: float = 0.0

    def changes(self, campaign: Campaign) -> dict[str, np.ndarray]:
        """How the campaign is ranked instead: arguments of `clusters.rank_campaign`."""
        if self.divisor:
            return {"score": campaign.divided(self.rows, self.divisor)}
        return {"scales_from": ~self.rows}


def perturbations(
    campaign: Campaign,
    order: np.ndarray,
    *,
    humans: Collection[str],
    paired: bool,
    divisors: Collection[float],
) -> Iterator[Perturbation]:
    """The perturbations of `perturb`, one after the other.

    Parameters
    ----------
    campaign, humans, paired, divisors
        As in `perturb`.
    order : ndarray of int, (ranked,)
        Of the full data: positions of the systems, best first.
    """
    human = campaign.is_system(humans)
    human_rows = campaign.rows_of(human, items=("REF",), paired=paired)
    yield Perturbation("remove humans", " ".join(sorted(humans)), human, human_rows)
    singles = [("remove best", order[0]), ("remove worst", order[-1])]
    singles += [("remove", k) for k in range(len(campaign.systems))]
    for kind, k in singles:
        removed = np.arange(len(campaign.systems)) == k
        rows = campaign.rows_of(removed, items=(), paired=paired)
        yield Perturbation(kind, campaign.systems[k], removed, rows)
    for divisor in divisors:
        if not divisor > 0:
            raise DataError(f"divisor is {divisor!r}; expected a number greater than 0")
        yield Perturbation("divide humans", f"{divisor:g}", human, human_rows, divisor)


def perturb(
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
        As in `clusters.rank_campaign`; the paper's are "legacy", "footnote-4", 0.05.
    divisors : numbers, not 0

    Returns
    -------
    DataFrame
        One row a perturbation: kind, what, systems (number compared), judgements (the share that
        is removed or divided), then the columns of `differences`.

    Raises
    ------
    DataError
        An unknown name, or fewer than two systems left by a removal.
    """
    choices = {"test": test, "rule": rule, "alpha": alpha}
    full = rank_campaign(campaign, **choices)
    rows = []
    for change in perturbations(
        campaign, full.order, humans=humans, paired=paired, divisors=divisors
    ):
        before = full.restricted(~change.unranked)
        after = rank_campaign(
            campaign, unranked=change.unranked, **change.changes(campaign), **choices
        )
        about = {"kind": change.kind, "what": change.what, "systems": len(before.order)}
        share = {"judgements": float(change.rows.mean())}
        rows.append(about | share | differences(before, after))
    return pd.DataFrame(rows)


def differences(before: RankedClusters, after: RankedClusters) -> dict[str, object]:
    """How two rankings of the same systems differ.

    Returns
    -------
    dict
        rank : the order changed; cluster : the number or the composition of clusters changed;
        both; kendall : pairs of systems in another order; largest_move : places; lines_new and
        lines_gone : "below X", lines that divide the systems as no line of the other side does;
        swaps : "X > Y", neighbours before, reversed after.
    """
    place = np.empty(len(before.systems), dtype=np.intp)
    place[after.order] = np.arange(len(after.order))
    moved = place[before.order]  # where each system went, by its former place
    names = before.names
    old, new = _lines_by_systems_above(before), _lines_by_systems_above(after)
    order, cluster = bool((np.diff(moved) != 1).any()), old.keys() != new.keys()
    swapped = np.flatnonzero(np.diff(moved) < 0)
    return {
        "rank": order,
        "cluster": cluster,
        "both": order and cluster,
        "kendall": reversed_pairs(before.order, after.order),
        "largest_move": int(np.abs(moved - np.arange(len(moved))).max()),
        "lines_new": "; ".join(new[above] for above in new if above not in old),
        "lines_gone": "; ".join(old[above] for above in old if above not in new),
        "swaps": "; ".join(f"{names[k]} > {names[k + 1]}" for k in swapped),
    }


def _lines_by_systems_above(ranked: RankedClusters) -> dict[frozenset[str], str]:
    """Lines by the set of systems above them, and how they are called."""
    names = ranked.names
    return {
        frozenset(names[: k + 1]): f"below {names[k]}"
        for k in np.flatnonzero(ranked.lines).tolist()
    }


# Remove every single system, all at once: what its judgements did to the others' mean z-scores.
#
# Removing a system changes the workers' scales and nothing else of the systems that stay. A
# system's
# mean z-score is a sum over workers w,
#
#     sum_w (A_tw - m_w B_tw) / s_w,
#
# where B_tw is the weight of w's judgements in the mean of system t, A_tw the weighted sum of their
# scores, and m_w and s_w are the worker's mean and standard deviation. Without a system only m and
# s
# are others, so that A and B serve for all removals.


def means_without_each(campaign: Campaign, scales_from: np.ndarray | None = None) -> np.ndarray:
    """Mean z-scores of all systems if one system had never been judged (Equation 1, section 5).

    Its quality control goes with it; a joint row stays for the other systems.

    Parameters
    ----------
    campaign : Campaign
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' scales are computed from; all if not given.

    Returns
    -------
    ndarray, (systems + 1, systems)
        Row k: without system k, its own place NaN. Last row: nothing is removed.
    """
    systems, workers = len(campaign.systems), len(campaign.workers)
    owner = _owners(campaign)
    rows = np.ones(len(owner), dtype=bool) if scales_from is None else scales_from
    base = np.zeros(workers)
    base[campaign.worker] = campaign.score  # whole numbers: sums about a score are exact
    centred = campaign.score - base[campaign.worker]
    # Number, sum and sum of squares of every worker's scores, by system removed, and in all.
    cell = (owner * workers + campaign.worker)[rows]
    sums = []
    for power, unlisted in enumerate(_unlisted(campaign, base)):
        of_system = np.bincount(cell, centred[rows] ** power, (systems + 1) * workers)
        of_system = of_system.reshape(-1, workers)
        left = of_system.sum(axis=0) + unlisted - of_system
        left[-1] = of_system.sum(axis=0) + unlisted
        sums.append(left)
    number, total, squares = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / number
        sd = np.sqrt((squares - total * mean) / (number - 1))
        scale = np.where((number > 1) & (sd > 0), 1 / sd, np.nan)
    # A and B of all systems.
    cells = campaign.cells
    weight = np.repeat(1 / (cells.size * np.bincount(cells.system)[cells.system]), cells.size)
    place = cells.credit_system * workers + campaign.worker[cells.judgement]
    b = np.bincount(place, weight, systems * workers).reshape(systems, workers)
    a = np.bincount(place, weight * centred[cells.judgement], systems * workers)
    a, has = a.reshape(systems, workers), b > 0
    # Workers without a scale are left out; if they judged other systems, fewer segments are left.
    others = has.sum(axis=0) - np.vstack([has, np.zeros(workers, dtype=int)])
    lost = np.isnan(scale)
    mean[lost] = scale[lost] = 0
    found = scale @ a.T - (mean * scale) @ b.T
    np.fill_diagonal(found, np.nan)
    for k in np.flatnonzero((lost & (others > 0)).any(axis=1)):
        # Of the last row nothing is removed, the judgements that nobody owns neither.
        stays = (owner != k) | (k == systems)
        found[k] = _means_without(campaign, rows & stays, k)
    return found


def reversals_without_each(means: np.ndarray) -> np.ndarray:
    """Pairs of the other systems that each removal reverses, (systems,) of int.

    Parameters
    ----------
    means : ndarray, (systems + 1, systems)
        As `means_without_each` gives.
    """
    order = np.argsort(-means[-1], kind="stable")
    found = []
    for k, row in enumerate(means[:-1]):
        before = order[order != k]
        found.append(reversed_pairs(before, before[np.argsort(-row[before], kind="stable")]))
    return np.array(found)


def _owners(campaign: Campaign) -> np.ndarray:
    """System whose removal takes each judgement along, (judgements,); -1: none, put last."""
    owner = np.full(len(campaign.score), len(campaign.systems))
    single = np.bincount(campaign.credit, minlength=len(owner))[campaign.credit] == 1
    owner[campaign.credit[single]] = campaign.credit_system[single]
    return owner


def _unlisted(campaign: Campaign, base: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number, sum and sum of squares about the base of scores that are not listed, by worker."""
    number, total, squares = campaign.unlisted
    return number, total - number * base, squares - base * (2 * total - number * base)


def _means_without(campaign: Campaign, scales_from: np.ndarray, removed: int) -> np.ndarray:
    """One row of `means_without_each`, by the general way."""
    unranked = np.arange(len(campaign.systems)) == removed
    value, system, place = averaged_z_scores(campaign, scales_from=scales_from, unranked=unranked)
    means = np.full(len(unranked), np.nan)
    means[place] = order_by_mean(system, value, len(place))[1]
    return means
