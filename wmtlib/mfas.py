"""Minimum feedback arc set rankings of pairwise judgements (Lopez 2012, sections 4, 5).

``wins.loc[a, b]`` counts how often a was judged better than b. Where a won more often
than b there is an edge a -> b that weighs ``wins.loc[a, b] - wins.loc[b, a]``, the
*margin*. A ranking pays the weight of every edge that points upwards in it; an exact
ranking pays the least possible.

:func:`exact_order` proves its answer. The proof is a list of cycles ("a beat b, b beat
c, c beat a"), of which every ranking must contradict each at least once;
:func:`check_certificate` verifies it by addition. Where no cycles prove enough, an
exhaustive search over sets of systems does, and :attr:`MFAS.proof` says so.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from wmtlib.core.errors import DataError
from wmtlib.core.html_tables import Tabled
from wmtlib.core.mfas_search import (
    PROVABLE,
    Excess,
    LeastCosts,
    Packing,
    cost,
    minimise,
    optimal_prefixes,
)
from wmtlib.files.forms import count

SECONDS = 10  # that users wait for a proof, if they do not say how long
HOPELESS_SECONDS = 1  # the same with more systems than `PROVABLE`

LARGEST_COUNT = 10**9
LARGEST_TOTAL = 4 * 10**12  # beyond this, scaled costs might not fit into 64 bits
OTHER_METHOD = "take another method than mfas, such as bradley-terry"
LARGEST_COUNTING = 100_000  # sets of systems looked at to count the optima


def margins(data: Any) -> tuple[list[str], np.ndarray]:
    """Return system names, sorted, and their wins minus losses in direct comparisons.

    Raises
    ------
    DataError
        What `exact_order` refuses.
    """
    table = _table_of_wins(data)
    rows = table.index.to_numpy(object)
    columns = table.columns.to_numpy(object)
    if not rows.size:
        raise DataError("wins is empty: there is nothing to rank")
    if not all(isinstance(name, str) for name in [*rows, *columns]):
        raise DataError("systems must be named by strings")
    names = sorted(rows)
    if len(set(names)) < len(names) or sorted(columns) != names:
        raise DataError(
            "wins must have the same systems as rows and as columns, each once"
        )
    try:
        counts = table.to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError("wins must hold numbers") from error
    # By name; pandas would take a third of the time of a real task.
    counts = counts[np.ix_(rows.argsort(), columns.argsort())]
    in_range = (counts >= 0) & (counts < np.inf)
    if not (in_range & (np.rint(counts) == counts)).all():
        raise DataError("wins must hold whole numbers from 0, none missing")
    largest = counts.max()
    if largest > LARGEST_COUNT:
        raise DataError(
            f"one system won {largest:,.0f} times over another; the least violated"
            f" weight is found for up to {LARGEST_COUNT:,} times: {OTHER_METHOD}"
        )
    margin = (counts - counts.T).astype(np.int64)
    if margin.clip(min=0).sum() > LARGEST_TOTAL:
        raise DataError(
            f"the margins of wins add up to more than {LARGEST_TOTAL:,}: {OTHER_METHOD}"
        )
    margin.flags.writeable = False  # results share it
    return names, margin


def _table_of_wins(data: Any) -> pd.DataFrame:
    """Return a table of wins as it is, with names for those of an array; else count."""
    if isinstance(data, np.ndarray):
        label = f"{{:0{len(str(len(data) - 1))}d}}".format
        return pd.DataFrame(data).rename(index=label, columns=label)
    if not isinstance(data, pd.DataFrame):
        return count(data).wins
    # A table of wins has systems on both axes.
    is_table = data.empty or data.columns.isin(data.index).any()
    return data if is_table else count(data).wins


@dataclass(frozen=True)
class Certificate:
    """A packing of cycles: why no ranking costs less than `bound`.

    Attributes
    ----------
    cycles : tuple of (tuple of str, int)
        Cycles with their multiplicities. No ranking puts every system of a cycle above
        the next one, and the last above the first.
    scale : int
        Multiplicities count in units of 1 / scale judgements.
    bound : int
        The lower bound that it claims; :func:`check_certificate` adds it up.
    """

    cycles: tuple[tuple[tuple[str, ...], int], ...] = field(repr=False)
    scale: int
    bound: int


@dataclass(frozen=True, eq=False, repr=False)
class MFAS(Tabled):
    """A ranking by minimum feedback arc set, as returned by :func:`exact_order`.

    Attributes
    ----------
    order : tuple of str
        Systems, best first. Of all optimal orders the lexicographically smallest by
        system name, compared place by place from the top; one of them where short
        searches could not tell.
    cost : int
        Summed weight of the edges that point upwards in `order`.
    lower_bound : int
        No order costs less; proven. What it exceeds ``certificate.bound`` by rests on
        exhaustive searches, which cannot be checked by addition.
    certificate : Certificate
        Proof that no order costs less than ``certificate.bound``;
        :func:`check_certificate` adds it up.
    margin : ndarray (n, n)
        Wins minus losses in direct comparisons, both axes sorted by system name.
    packing : Packing
        The cycles of the certificate, as positions on these axes.

    Examples
    --------
    >>> result = exact_order(np.array([[0, 3], [1, 0]]))
    >>> result.order, result.optimal_orders, result.proof
    (('0', '1'), 1, 'certificate')
    """

    order: tuple[str, ...]
    cost: int
    lower_bound: int
    certificate: Certificate
    margin: np.ndarray
    packing: Packing

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        proof = "proven least" if self.optimal else f"at least {self.lower_bound}"
        return f"Violated weight: {self.cost} ({proof})"

    @property
    def table(self) -> pd.DataFrame:
        """List the systems: rank, system and, if they are known, best and worst."""
        places = pd.DataFrame(enumerate(self.order, 1), columns=["rank", "system"])
        if self.rank_ranges is None:
            return places
        return places.join(self.rank_ranges, on="system")

    def _draw(self, ax: Any) -> Any:
        from wmtlib.core import drawing

        names = sorted(self.order)
        margin = pd.DataFrame(self.margin, names, names)
        margin = margin.loc[[*self.order], [*self.order]]
        return drawing.margins(margin, margin != 0, ax)

    @property
    def optimal(self) -> bool:
        """Tell if the order is proven to be of least cost."""
        return self.cost == self.lower_bound

    @property
    def proof(self) -> Literal["certificate", "search", "none"]:
        """Name the proof: the certificate alone, or a search on top of it.

        A search looks at every set of systems that might be on top in a better
        order, and, where these are many among up to 20 systems, at every set there is.
        """
        if self.cost == self.certificate.bound:
            return "certificate"
        return "search" if self.optimal else "none"

    @cached_property
    def violated(self) -> pd.DataFrame:
        """List comparisons that the order contradicts (Lopez 2012, Table 3, centre).

        `winner` beat `loser` by `weight` although the order puts `loser` above
        `winner`; by the place of `winner` in the order, then of `loser`.
        """
        names = sorted(self.order)
        return violated(pd.DataFrame(self.margin.clip(min=0), names, names), self.order)

    @cached_property
    def _optima(self) -> tuple[np.ndarray, int] | None:
        """Find the sets on top in some optimal order (sets, n); count the orders."""
        if not self.optimal:
            return None
        excess = Excess(self.margin, self.packing, target=self.cost)
        optima = optimal_prefixes(excess, states=LARGEST_COUNTING)
        few = len(self.order) <= LeastCosts.MOST
        if optima is None and few and self.proof == "search":
            optima = optimal_prefixes(LeastCosts(self.margin), states=LARGEST_COUNTING)
        return optima

    @property
    def optimal_orders(self) -> int | None:
        """Count the optimal orders; None if optimality is open, or they are too many.

        Counting stops after 100,000 sets of systems. Systems that were
        hardly compared can be in any order, and n of them alone make 2**n sets.
        """
        return None if self._optima is None else self._optima[1]

    @cached_property
    def rank_ranges(self) -> pd.DataFrame | None:
        """Find `best` and `worst` ranks of each system over all optimal orders.

        They count from 1. None where `optimal_orders` is.
        """
        if self._optima is None:
            return None
        tops, _ = self._optima
        size = tops.sum(axis=1)[:, None]
        best = np.where(tops, size, len(self.order)).min(axis=0)
        worst = np.where(tops, 0, size).max(axis=0) + 1
        return pd.DataFrame({"best": best, "worst": worst}, sorted(self.order))

    @cached_property
    def agreed(self) -> pd.DataFrame | None:
        """Find the pairs (n, n) whose row is above its column in every optimal order.

        None where `optimal_orders` is.
        """
        if self._optima is None:
            return None
        tops = self._optima[0].astype(np.float64)
        # a can be above b if and only if some set on top holds a without b.
        possible = tops.T @ (1 - tops) > 0
        names = sorted(self.order)
        return pd.DataFrame(possible & ~possible.T, names, names)


def exact_order(data: Any, *, time_limit: float | None = None) -> MFAS:
    """Find the order that contradicts the fewest judgements, with proof (Lopez 2012).

    Parameters
    ----------
    data : DataFrame or ndarray (n, n), Counts, or what `wmtlib.count` takes
        A frame or a file of judgements is counted. In a table of wins
        ``wins.loc[a, b]`` is how often a was judged better than b; systems are on both
        axes, in any order, and the diagonal plays no part. Systems of an array are
        called "0", "1", ...
    time_limit : float, optional
        Seconds after which to stop proving. By default the answer for up to 20 systems
        is always proven, and for more of them unless a search would enter more than a
        million sets of systems. When a limit bites, the result holds the best order
        found, not chosen by name, and the bound proven until then; it is optimal only
        if the two meet.

    Returns
    -------
    MFAS
        Independent of the order of rows and columns, and of all else but the wins,
        unless the time limit bites.

    Raises
    ------
    DataError
        Unless a table of wins is square, of whole numbers, none negative or missing,
        with the same names, each once, on both axes; of judgements what `wmtlib.count`
        refuses.

    Examples
    --------
    >>> names = ["a", "b", "c"]
    >>> wins = pd.DataFrame([[0, 5, 1], [2, 0, 4], [2, 0, 0]], names, names)
    >>> result = exact_order(wins)
    >>> result.order, result.cost, result.optimal
    (('a', 'b', 'c'), 1, True)
    >>> check_certificate(wins, result.certificate)
    1
    >>> result = exact_order(np.array([[0, 5, 1], [2, 0, 4], [3, 1, 0]]))
    >>> result.order, result.cost, result.optimal
    (('0', '1', '2'), 2, True)
    """
    if time_limit is not None and not time_limit >= 0:
        raise DataError(
            f"time_limit must be a number of seconds or None, not {time_limit!r}"
        )
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    names, margin = margins(data)
    order, lower, packing = minimise(margin, deadline=deadline)
    name_of = names.__getitem__
    cycles = sorted(
        (tuple(map(name_of, cycle)), times) for cycle, times in packing.cycles.items()
    )
    return MFAS(
        order=tuple(map(name_of, order)),
        cost=cost(margin, order),
        lower_bound=lower,
        certificate=Certificate(tuple(cycles), packing.scale, packing.bound(margin)),
        margin=margin,
        packing=packing,
    )


def usual_seconds(n_systems: int) -> float:
    """Return the seconds that a command looks for a proof by default."""
    return SECONDS if n_systems <= PROVABLE else HOPELESS_SECONDS


def check_certificate(data: Any, certificate: Certificate) -> int:
    """Verify by addition that no ranking costs less than the number returned.

    Every order contradicts every cycle at least once: it puts some system of the cycle
    below the next one. So with M+ the margins where positive, and use(a, b) the summed
    multiplicity of the cycles in which a is before b, no order costs less than

        (sum of multiplicities + sum over pairs of
         min(scale M+(a, b) - use(a, b), scale M+(b, a) - use(b, a))) / scale,

    rounded up. Where no margin is used beyond
    its size every minimum is 0, and the bound is the summed multiplicity.

    Parameters
    ----------
    data : DataFrame or ndarray (n, n), Counts, or what `wmtlib.count` takes
        A table of wins, a frame or a file, as in `exact_order`.
    certificate : Certificate
        Of what `exact_order` returned.

    Raises
    ------
    DataError
        If the certificate proves less than it claims.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 5, 1], [2, 0, 4], [2, 0, 0]], [*"abc"], [*"abc"])
    >>> cycles = ((("a", "b", "c"), 1),)
    >>> check_certificate(wins, Certificate(cycles, scale=1, bound=1))
    1
    """
    names, margin = margins(data)
    scale = certificate.scale
    multiplicities = [times for _, times in certificate.cycles]
    if not all(isinstance(n, int) and n >= 1 for n in (scale, *multiplicities)):
        raise DataError(
            "scale and multiplicities of a certificate must be positive whole numbers"
        )
    # Scale M+ - use, in Python's whole numbers: those of 64 bits may overflow.
    unused = scale * margin.clip(min=0).astype(object)
    for cycle, times in certificate.cycles:
        if len(cycle) < 2 or len({*cycle}.intersection(names)) < len(cycle):
            raise DataError(
                f"{cycle!r} in the certificate is not a cycle of different systems of"
                " the table"
            )
        place = [*map(names.index, cycle)]
        unused[place, np.roll(place, -1)] -= times
    # Each pair is there twice.
    total = sum(multiplicities) + np.minimum(unused, unused.T).sum() // 2
    proven = -(-total // scale)
    if proven < certificate.bound:
        raise DataError(
            f"the certificate claims {certificate.bound}, but proves {proven}"
        )
    return proven


def violated(data: Any, order: Sequence[str]) -> pd.DataFrame:
    """List the edges of a tournament that an order reverses (Lopez 2012, Tables 3, 4).

    Parameters
    ----------
    data : DataFrame or ndarray (n, n), Counts, or what `wmtlib.count` takes
        A table of wins, a frame or a file, as in `exact_order`.
    order : sequence of names, best first

    Returns
    -------
    DataFrame
        Columns winner, loser, weight: the winner beat the loser by `weight` judgements
        but is below it. Ordered by the winner's, then the loser's place.

    Raises
    ------
    DataError
        If order is not a permutation of the systems.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> violated(wins, ["b", "a"]).to_numpy().tolist()
    [['a', 'b', 2]]
    """
    wins = _table_of_wins(data)
    if sorted(order) != sorted(wins.index):
        odd = sorted(set(order) ^ set(wins.index)) or ["a system named twice"]
        raise DataError(
            f"the order is not a permutation of the systems: {', '.join(odd)}"
        )
    margin = (wins - wins.T).loc[[*order], [*order]]
    upwards = margin.where(np.tril(margin > 0)).stack().dropna().astype(int)
    return upwards.rename_axis(["winner", "loser"]).reset_index(name="weight")


def violated_weight(data: Any, order: Sequence[str]) -> int:
    """Sum the weight of the reversed edges, which a feedback arc set minimises.

    The sum of wins(b, a) - wins(a, b) over the pairs of which a is above b in the
    order and b won more often (Lopez 2012, section 4).
    """
    return int(violated(data, order)["weight"].sum())
