"""Heuristic scores of systems: Equations 1-3 of Lopez (2012) and the later ones of the field.

Every scorer takes `Counts` and the name of the human reference (`None` where there is none) and
returns one score per system, higher = better, the reference itself left out. Whether comparisons
*with* the reference count is each scorer's definition and said in its docstring.
"""

from collections.abc import Callable

import pandas as pd

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError


def _ratio(part: pd.Series, whole: pd.Series, reference: str | None) -> pd.Series:
    part, whole = part[part.index != reference], whole[whole.index != reference]
    if (whole == 0).any():
        raise DataError(f"system {whole.idxmin()!r} has no comparison that this score counts")
    return part / whole


def _outcomes(counts: Counts) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Each system's summed wins, ties and losses."""
    return counts.wins.sum(axis=1), counts.ties.sum(axis=1), counts.wins.sum(axis=0)


def wmt_official(counts: Counts, *, reference: str | None) -> pd.Series:
    """Share of comparisons not lost, those with the reference included: Lopez (2012), Eq. 1."""
    win, tie, loss = _outcomes(counts)
    return _ratio(win + tie, win + tie + loss, reference)


def heuristic2(counts: Counts, *, reference: str | None) -> pd.Series:
    """Share of comparisons won, those with the reference left out: Lopez (2012), Eq. 2."""
    win, tie, loss = _outcomes(counts.without(reference))
    return _ratio(win, win + tie + loss, reference)


def bojar(counts: Counts, *, reference: str | None) -> pd.Series:
    """Wins over wins and losses, reference left out: Bojar et al. (2011), Lopez (2012), Eq. 3."""
    win, _, loss = _outcomes(counts.without(reference))
    return _ratio(win, win + loss, reference)


def soccer(counts: Counts, *, reference: str | None) -> pd.Series:
    """Share of points where a win is one and a tie half a point; reference left out."""
    win, tie, loss = _outcomes(counts.without(reference))
    return _ratio(win + tie / 2, win + tie + loss, reference)


def expected_wins(counts: Counts, *, reference: str | None) -> pd.Series:
    """Probability of beating an opponent drawn at random; ties and reference left out.

    The mean over opponents b of wins(a, b) / (wins(a, b) + wins(b, a)), official at WMT12 and
    WMT13. Every opponent weighs the same, however often it was met; one without a decided
    comparison is left out of the mean.
    """
    wins = counts.without(reference).wins
    return _mean_over_opponents(wins / (wins + wins.T))


def net_wins(counts: Counts, *, reference: str | None) -> pd.Series:
    """Expected net wins: chance of beating minus chance of losing to a random opponent.

    The mean over opponents b of (wins(a, b) - wins(b, a)) / comparisons(a, b), ties counting in
    the denominator; reference left out.
    """
    kept = counts.without(reference)
    return _mean_over_opponents(kept.margins / (kept.wins + kept.wins.T + kept.ties))


def _mean_over_opponents(rates: pd.DataFrame) -> pd.Series:
    score = rates.mean(axis=1)  # 0/0, a pair never compared and the diagonal, is skipped
    if score.isna().any():
        raise DataError(
            f"system {score.isna().idxmax()!r} has no comparison that this score counts"
        )
    return score


SCORERS: dict[str, Callable[..., pd.Series]] = {
    "wmt-official": wmt_official,
    "heuristic2": heuristic2,
    "bojar": bojar,
    "expected-wins": expected_wins,
    "net-wins": net_wins,
    "soccer": soccer,
}
