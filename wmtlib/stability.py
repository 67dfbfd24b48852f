"""Would the ranking be another if some systems had not been there? (Knowles 2021, section 5)

`perturb` removes and degrades systems. Every ranking is compared with the ranking of the full data,
restricted to the systems that both sides rank, its clusters recomputed for those systems from
unchanged z-scores.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.cluster_lines import ALPHA, RankedClusters, rank_campaign
from wmtlib.corrections import reversed_pairs
from wmtlib.errors import DataError
from wmtlib.zscores import Campaign

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
        """How the campaign is ranked instead: arguments of `cluster_lines.rank_campaign`."""
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
        As in `cluster_lines.rank_campaign`; the paper's are "legacy", "footnote-4", 0.05.
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
