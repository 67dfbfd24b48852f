"""Which systems are really apart: rank-sum tests of all pairs at once, and the lines they give.

The Wilcoxon rank-sum (Mann-Whitney) test compares two systems on their segments' mean z-scores
(Knowles 2021, section 3). U and the tie terms of all pairs are products of integer matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from wmtlib.assessment import zscores
from wmtlib.assessment.rank_sum import rank_sums
from wmtlib.assessment.zscores import Averages, Campaign
from wmtlib.judgements.errors import DataError

TESTS = ("legacy", "two-sided", "one-sided")
RULES = ("footnote-4", "official")
ALPHA = 0.05


@dataclass(frozen=True)
class Clusters:
    """A ranking cut into clusters.

    Attributes
    ----------
    frame : DataFrame
        Columns system, line (whether a line is drawn below it; False for the last), cluster
        (1 = best), wins (how many systems it is significantly better than); best first.
    test, rule : str
    alpha : float
    """

    frame: pd.DataFrame
    test: str
    rule: str
    alpha: float

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.frame["system"].tolist()

    @property
    def lines(self) -> np.ndarray:
        """Whether a line is drawn below each system, (systems,) of bool."""
        return self.frame["line"].to_numpy(bool)

    @property
    def sets(self) -> list[frozenset[str]]:
        """The clusters as sets of names, best first."""
        return [frozenset(group) for _, group in self.frame.groupby("cluster")["system"]]


def p_values(values: Campaign | Averages | pd.DataFrame, *, test: str = "legacy") -> pd.DataFrame:
    """Rank-sum test of every pair of systems on their segments' mean z-scores.

    Normal approximation, corrected for ties and for continuity.

    Parameters
    ----------
    values : Campaign, or the `segment_means` of one (columns system and z)
    test : "legacy", "two-sided" or "one-sided"
        "legacy" is what SciPy before 1.7 gave by default, and Knowles (footnote 8) used: the upper
        tail of |z|, whichever of the two is better. "two-sided" is today's default. "one-sided" is
        the test of WMT's own script: p.loc[a, b] is small if a is better than b.

    Returns
    -------
    DataFrame, systems x systems
        Equal to SciPy's to the last bit; that of "legacy" hangs on which of the two systems comes
        first, as it did there. 1 on the diagonal, and where two systems hold one and the same
        value only (SciPy before 1.7 refused those).

    Raises
    ------
    DataError
        An unknown test, fewer than two systems, or a z-score that is no number.
    """
    require_test(test)
    names, system, z = _values(values)
    if len(names) < 2:
        raise DataError(f"{len(names)} system(s) to compare; expected two or more")
    p = all_pairs(z, system, len(names), test)
    return pd.DataFrame(p, index=[*names], columns=[*names])


def all_pairs(z: np.ndarray, system: np.ndarray, size: int, test: str) -> np.ndarray:
    """`p_values` on arrays: z and system (values,), systems 0 .. size - 1; gives (size, size)."""
    u, ties, number = rank_sums(z, system, size)
    n, m = number[:, None], number[None, :]
    total = n + m
    with np.errstate(divide="ignore", invalid="ignore"):
        if test == "legacy":
            correction = 1.0 - ties / (total**3 - total)
            spread = np.sqrt(correction * n * m * (total + 1) / 12.0)
            score = np.abs((np.maximum(u, u.T) - (n * m / 2.0 + 0.5)) / spread)
        else:
            spread = np.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1))))
            score = ((np.maximum(u, u.T) if test == "two-sided" else u) - n * m / 2 - 0.5) / spread
    p = special.ndtr(-score)
    if test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    p[~(spread > 0)] = 1.0
    np.fill_diagonal(p, 1.0)
    return p


def lines(order: Sequence[str], p: pd.DataFrame, *, rule: str, alpha: float = ALPHA) -> np.ndarray:
    """Below which systems of a ranking a line is drawn.

    Parameters
    ----------
    order : names, best first
    p : DataFrame, systems x systems
        As `p_values` gives; systems that are not in the order are ignored.
    rule : "footnote-4" or "official"
        "footnote-4": below a system iff it is significantly better than every system with a lower
        z-score (Knowles 2021, footnote 4). "official": what WMT's own tables show: below a system
        iff it is significantly better than as many systems as stand below it. The two differ
        where a system is significantly better than one with a higher z-score, which a one-sided
        test allows.
    alpha : float
        Significant: p < alpha.

    Returns
    -------
    ndarray of bool, (systems,)
        False for the last.

    Raises
    ------
    DataError
        An unknown rule, or a system without p-values.
    """
    require_rule(rule)
    if missing := [name for name in order if name not in p.index]:
        raise DataError(f"no p-values of {missing[0]!r}; expected those of every ranked system")
    return drawn(p.loc[[*order], [*order]].to_numpy() < alpha, rule)


def require_test(test: str) -> None:
    """Refuse a test that is not one of `TESTS`."""
    if test not in TESTS:
        raise DataError(f"test is {test!r}; expected {', '.join(TESTS)}")


def require_rule(rule: str) -> None:
    """Refuse a rule that is not one of `RULES`."""
    if rule not in RULES:
        raise DataError(f"rule is {rule!r}; expected {', '.join(RULES)}")


def drawn(better: np.ndarray, rule: str) -> np.ndarray:
    """`lines` on a matrix: better[i, j], systems in order, best first."""
    below = np.arange(len(better))[::-1]
    beaten = _beaten(better) if rule == "official" else np.triu(better, 1).sum(axis=1)
    line = beaten == below
    line[-1:] = False
    return line


def _beaten(better: np.ndarray) -> np.ndarray:
    """How many systems each system is better than; if p has no direction, those below it only."""
    return (np.triu(better, 1) | np.tril(better & ~better.T, -1)).sum(axis=1)


def clusters(
    values: Campaign,
    *,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    without: Sequence[str] = (),
) -> Clusters:
    """Rank a campaign's systems and cut the ranking into clusters.

    Parameters
    ----------
    values : Campaign
    test, rule, alpha
        As in `p_values` and `lines`.
    without : names
        Systems whose judgements count for the workers' scales, but which are not ranked: human
        systems, in the paper's comparisons (section 5, footnote 14 and Figure 2).

    Raises
    ------
    DataError
        As `p_values`, `lines` and `zscores.rank`.
    """
    zscores.members(values, without)
    order = [name for name in zscores.rank(values).order if name not in without]
    p = p_values(values, test=test)
    drawn_below = lines(order, p, rule=rule, alpha=alpha)
    frame = pd.DataFrame(
        {
            "system": order,
            "line": drawn_below,
            "cluster": 1 + np.cumsum(drawn_below) - drawn_below,
            "wins": wins(order, p, alpha=alpha),
        }
    )
    return Clusters(frame, test, rule, alpha)


def wins(order: Sequence[str], p: pd.DataFrame, *, alpha: float = ALPHA) -> np.ndarray:
    """How many systems each system is significantly better than, (systems,) of int.

    A one-sided p says which of two systems is better; where p is significant both ways it has no
    direction, and the better one is that which stands first in the order.
    """
    return _beaten(p.loc[[*order], [*order]].to_numpy() < alpha)


def _values(
    values: Campaign | Averages | pd.DataFrame,
) -> tuple[Sequence[str], np.ndarray, np.ndarray]:
    """Names, sorted; the system and the z of every segment mean."""
    if isinstance(values, pd.DataFrame):
        if values["system"].isna().any():
            raise DataError("a segment mean lacks the name of its system")
        system, names = pd.factorize(values["system"].astype(str), sort=True)
        z = values["z"].to_numpy(np.float64)
        if (bad := np.flatnonzero(~np.isfinite(z))).size:
            raise DataError(f"row {bad[0]}: z is {z[bad[0]]}; expected a number")
        return [*names], system, z
    means = values.averages if isinstance(values, Campaign) else values
    return means.systems, means.system, means.z
