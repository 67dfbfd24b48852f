"""Rules by which single campaigns of WMT tested systems and drew lines."""

from typing import NamedTuple

import numpy as np

from study.beyond.pair_arrays import pairs_of, square
from wmtlib.cluster_lines import lines_below
from wmtlib.core.corrections import corrected
from wmtlib.core.pairwise_tests import ALPHA


class LineRule(NamedTuple):
    """A rule of a campaign: the tested scores, the test, and how lines follow from it.

    Attributes
    ----------
    score : "z" or "raw"
    test : "rank-sum", "signed-rank", "t" or "unit"
        One-sided p-values of segment means, or of `sign_flip_p` by the unit of
        collection.
    sides : 1 or 2
        Significant: one-sided p below 5 %, or below half of it.
    correction : str
        See `corrections.corrected`.
    lines : "footnote-4", "official", "across" or "losses"
        See `ruled_lines`.
    """

    score: str
    test: str
    sides: int
    correction: str
    lines: str


CAMPAIGN_RULES = {
    "wmt17": LineRule("z", "rank-sum", 1, "none", "across"),
    "wmt24": LineRule("raw", "signed-rank", 1, "none", "losses"),
    "wmt26": LineRule("raw", "t", 2, "none", "across"),
}


def ruled_lines(p: np.ndarray, rule: LineRule) -> tuple[np.ndarray, np.ndarray]:
    """Apply a rule: call systems better than others, and draw lines.

    Parameters
    ----------
    p : ndarray, (ranked, ranked)
        One-sided p-values, small where the row's system is better; best first. NaN: not
        tested.
    rule : LineRule
        Its lines: a rule of `cluster_lines.lines_below`, "across" (`lines_across`), or
        ranges of ranks, between which a line is drawn where none crosses. "losses": a
        system's ranks go from its losses + 1 to the number of systems less its wins.

    Returns
    -------
    better : ndarray of bool, (ranked, ranked)
    lines : ndarray of bool, (ranked,)
        False for the last.
    """
    size = len(p)
    two_sided = 2 * np.fmin(p, p.T)[pairs_of(size)]
    tested = two_sided
    if rule.correction != "none":
        tested = corrected(two_sided, rule.correction)
    significant = square(tested, tested, size) < ALPHA * 2 / rule.sides
    better = significant & (p < p.T)
    if rule.lines == "losses":
        first = 1 + better.sum(axis=0)
        last = size - better.sum(axis=1)
    elif rule.lines == "across":
        return better, lines_across(better)
    else:
        return better, lines_below(better, rule.lines)
    return better, lines_across(last[:, None] < first)


def lines_across(better: np.ndarray) -> np.ndarray:
    """Find the lines above which all systems are better than all systems below.

    As `cluster_lines.lines_below`, of the same matrix.
    """
    places = np.arange(len(better))
    # The last place that is level with one of the systems above.
    level = np.where(np.triu(~better, 1), places, 0).max(axis=1, initial=0)
    lines = np.maximum.accumulate(level) <= places
    lines[-1:] = False
    return lines
