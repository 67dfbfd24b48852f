"""Significance lines and clusters by hand, and what must hold for any p-values."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from examples import assessments, data_error
from wmtlib.cluster_lines import (
    RULES,
    RankedClusters,
    cluster_table,
    clusters,
    rank_campaign,
)
from wmtlib.core.assessments import encode
from wmtlib.core.pairwise_tests import ALPHA

P = st.lists(st.sampled_from([0.001, 0.02, 0.04, 0.2, 0.6]), min_size=25, max_size=25)


def cut(order, p, rule):
    return cluster_table(p.loc[[*order], [*order]] < ALPHA, rule)


def lines(order, p, rule):
    return cut(order, p, rule)["line"].tolist()


def matrix(rows):
    names = [*"ABCDE"[: len(rows)]]
    return pd.DataFrame(rows, index=names, columns=names, dtype=float)


#              A     B     C     D       one-sided: p.loc[a, b] is small if a is better
ONE_SIDED = matrix([
    [1.00, 0.30, 0.01, 0.00],
    [0.70, 1.00, 0.20, 0.00],
    [0.99, 0.04, 1.00, 0.00],  # C, below B by its mean, is better than B by its ranks
    [1.00, 1.00, 1.00, 1.00],
])  # fmt: skip


def test_lines_by_hand():
    assert lines("ABCD", ONE_SIDED, "footnote-4") == [False, False, True, False]
    # C beats two systems and only one is below it.
    assert lines("ABCD", ONE_SIDED, "official") == [False] * 4
    table = cut("ABCD", ONE_SIDED, "footnote-4")
    assert table["wins"].tolist() == [2, 1, 2, 0]
    assert table["cluster"].tolist() == [1, 1, 1, 2]


def test_a_line_needs_every_system_below():
    p = matrix([[1, 0.01, 0.2], [0.01, 1, 0.01], [0.2, 0.01, 1]])
    for rule in RULES:
        assert lines("ABC", p, rule) == [False, True, False]
        assert lines("AB", p, rule) == [True, False]
        assert lines("A", p, rule) == [False]
        at_alpha = matrix([[1, ALPHA], [ALPHA, 1]])
        # Significant is below alpha.
        assert lines("AB", at_alpha, rule) == [False, False]
        places = np.array([0, 1]), np.array([2.0, 1.0])
        ranked = RankedClusters(("A", "B"), *places, at_alpha.to_numpy(), rule)
        assert not ranked.lines.any()
    assert cut("ABC", p, "official")["wins"].tolist() == [1, 1, 0]


@given(P)
def test_without_direction_the_two_rules_draw_the_same_lines(values):
    p = np.reshape(values, (5, 5))
    p = matrix(np.minimum(p, p.T))
    assert lines("ABCDE", p, "footnote-4") == lines("ABCDE", p, "official")


def test_an_unknown_rule_is_refused():
    with data_error("rule is 'mine'; expected footnote-4, official"):
        lines("AB", ONE_SIDED, "mine")


def scored(spread, **means):
    """Sixty scores of each system around its mean, by seven workers."""
    rng = np.random.default_rng(3)
    return [
        ("h", f"w{k % 7}", system, "SYSTEM", "", str(k), score)
        for system, mean in means.items()
        for k, score in enumerate(rng.normal(mean, spread, 60).round())
    ]


def test_clusters_of_a_campaign():
    campaign = encode(assessments(scored(3, A=40, B=75, C=74, H=95)))
    found = rank_campaign(campaign, test="legacy", rule="footnote-4")
    assert found.names[0] == "H" and found.names[-1] == "A"
    assert found.lines.tolist() == [True, False, True, False]
    table = found.ranking.table
    assert table["system"].tolist() == found.names
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["cluster"].tolist() == [1, 2, 2, 3]
    assert table["wins"].tolist() == [3, 1, 1, 0]
    without_h = campaign.is_system(["H"])
    fewer = rank_campaign(campaign, test="legacy", rule="official", unranked=without_h)
    assert fewer.ranking.table["cluster"].tolist() == [1, 1, 2]
    assert np.isnan(fewer.score[-1]) and (fewer.p[-1] == 1).all()
    with data_error(r"1 system\(s\) to rank; expected two or more"):
        rank_campaign(
            campaign, test="legacy", rule="official", unranked=campaign.is_system("ABH")
        )


def test_rank_campaign_ties_segments_that_agree_but_for_the_last_bit():
    # Each segment has two scores of A and their mean of B, by one worker: the segments'
    # z-scores are the same numbers, computed in two ways.
    draw = np.random.default_rng(1)
    middle, apart = draw.integers(20, 80, 40), draw.integers(1, 20, 40)
    rows = [
        ("h", "w", system, "SYSTEM", "", str(segment), score)
        for system, sign in (("A", 1), ("A", -1), ("B", 0))
        for segment, score in enumerate(middle + sign * apart)
    ]
    found = rank_campaign(encode(assessments(rows)), test="one-sided", rule="official")
    assert found.p[0, 1] == found.p[1, 0]  # U is half of what it can be


def test_thin_systems_are_left_out_of_the_lines_of_the_others():
    rows = scored(9, A=40, B=75, C=55)
    new = [("h", "w0", "N", "SYSTEM", "", f"{k}", 50 + 14 * k) for k in range(3)]
    alone, campaign = (encode(assessments(some)) for some in (rows, rows + new))
    options = {"test": "two-sided", "rule": "footnote-4"}
    expected = clusters(alone, **options)
    assert expected.table["cluster"].tolist() == [1, 2, 3] and expected.note == ""
    found = clusters(campaign, **options)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert "'N (3)'" in found.note
    few = clusters(campaign, minimum=61, **options)
    assert len(few.order) == 4 and few.table["cluster"].tolist() == [1] * 4
