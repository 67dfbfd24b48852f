"""The rules by which campaigns of WMT drew their lines, by hand."""

import numpy as np

from study.beyond.campaign_rules import CAMPAIGN_RULES, LineRule, ruled_lines

#               A     B     C     D      one-sided: A > C, D; B > D; nothing else
PAIRS = np.array([
    [np.nan, 0.20, 0.01, 0.01],
    [0.80, np.nan, 0.30, 0.04],
    [0.99, 0.70, np.nan, 0.60],
    [0.99, 0.96, 0.40, np.nan],
])  # fmt: skip


def test_ruled_lines_by_hand():
    def drawn(lines, sides=1, p=PAIRS):
        return ruled_lines(p, LineRule("z", "t", sides, "none", lines))

    better, lines = drawn("across")
    assert np.argwhere(better).tolist() == [[0, 2], [0, 3], [1, 3]]
    assert lines.tolist() == [False] * 4
    # Ranks by wins and losses: A 1-2, B 1-3, C 2-4, D 3-4.
    assert drawn("losses")[1].tolist() == [False] * 4
    # Two-sided B is no longer better than D: 0.04 is above half of 5 %.
    assert np.argwhere(drawn("across", sides=2)[0]).tolist() == [[0, 2], [0, 3]]
    apart = PAIRS.copy()
    apart[:2, 2:] = 0.01
    apart[2:, :2] = 0.99
    for name in ("across", "losses"):
        assert drawn(name, p=apart)[1].tolist() == [False, True, False, False]


def test_ruled_lines_of_wmt26_are_two_sided():
    for p, lines in [(0.046, [False, False]), (0.02, [True, False])]:
        pair = np.array([[np.nan, p], [1 - p, np.nan]])
        assert ruled_lines(pair, CAMPAIGN_RULES["wmt26"])[1].tolist() == lines
