"""Significance lines and clusters by hand, and what must hold for any p-values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from examples import (
    assessments,
    campaign,
    counts_of,
    data_error,
    judged_in_blocks,
    rank_systems,
)
from wmtlib import zscores
from wmtlib.assessments import encode
from wmtlib.cluster_lines import (
    RULES,
    RankedClusters,
    better_in_resamples,
    better_of,
    cluster_table,
    clusters,
    clusters_of_ranges,
    rank_campaign,
    significance,
    tiers,
)
from wmtlib.pairwise_tests import ALPHA, FEWEST_COMMON, usual_units

P = st.lists(st.sampled_from([0.001, 0.02, 0.04, 0.2, 0.6]), min_size=25, max_size=25)


def cut(order, p, rule):
    return cluster_table(p.loc[[*order], [*order]] < ALPHA, rule)


def lines(order, p, rule):
    return cut(order, p, rule)["line"].tolist()


def cut_by_tests(table, order):
    return cluster_table(better_of(table, order), "footnote-4")


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


@pytest.mark.parametrize(
    "first, last, expected",
    [
        ([1, 2, 3], [2, 2, 3], [1, 1, 2]),
        ([1, 1, 3, 3], [1, 2, 4, 4], [1, 1, 2, 2]),
        ([1, 2, 3, 1], [1, 2, 3, 4], [1, 1, 1, 1]),  # the last range crosses every line
    ],
)
def test_lines_are_where_no_range_crosses(first, last, expected):
    assert clusters_of_ranges(np.array(first), np.array(last)).tolist() == expected


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
    found = rank_campaign(encode(assessments(rows)), test="one-sided", rule="across")
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
    order = rank_systems(campaign).order
    test = {"test": "rank-sum"}
    table = significance(campaign, order, **test)
    pd.testing.assert_frame_equal(table, significance(alone, expected.order, **test))
    assert cut_by_tests(table, order)["system"].tolist() == expected.order
    with data_error(r"too few comparisons or scores .*'N \(3\)'"):
        significance(campaign, ["A", "N"])


def test_significance_by_hand():
    counts = counts_of(("a", "b", 9, 1, 7), ("a", "c", 10, 0, 0), ("b", "c", 0, 0, 5))
    table = significance(counts, ["a", "c", "b"], correction="holm")
    assert table[["above", "below", "neighbours"]].to_numpy().tolist() == [
        ["a", "c", True], ["a", "b", False], ["c", "b", True]
    ]  # fmt: skip
    assert table[["wins", "losses", "ties"]].to_numpy().tolist() == [
        [10, 0, 0],
        [9, 1, 7],
        [0, 0, 5],
    ]
    assert table["ahead"].tolist() == ["a", "a", ""]
    np.testing.assert_allclose(table["p"], [2 / 2**10, 22 / 2**10, np.nan])
    np.testing.assert_allclose(table["corrected"], [4 / 2**10, 22 / 2**10, np.nan])
    found = cut_by_tests(table, ["a", "c", "b"])
    assert found["line"].tolist() == [True, False, False]
    assert found["cluster"].tolist() == [1, 2, 2]
    assert found["wins"].tolist() == [2, 0, 0]
    unsure = table.assign(corrected=3 * table["corrected"])
    assert cut_by_tests(unsure, ["a", "c", "b"])["line"].sum() == 0


@pytest.mark.parametrize("score", ["z", "raw"])
def test_significance_of_assessments(score):
    found = campaign(3)
    order = rank_systems(found).order
    table = significance(found, order, correction="none", score=score, test="rank-sum")
    means = zscores.segment_means(found)
    for row in table.itertuples():
        x, y = (means.loc[means["system"] == s, score] for s in (row.above, row.below))
        expected = stats.mannwhitneyu(x, y, method="asymptotic")
        assert row.p == pytest.approx(expected.pvalue)
        half = len(x) * len(y) / 2
        ahead = row.above if expected.statistic > half else row.below
        assert row.ahead == ("" if expected.statistic == half else ahead)
    if score == "z":
        plain = rank_campaign(found, test="two-sided", rule="footnote-4")
        assert cut_by_tests(table, order)["line"].tolist() == plain.lines.tolist()


def test_the_p_of_two_equal_systems_is_one():
    # Each one-sided p is a little above a half, by the correction for continuity.
    rows = [
        ("h", "w", name, "SYSTEM", "", f"{segment}", 40 + segment)
        for name in "AB"
        for segment in range(20)
    ]
    table = significance(encode(assessments(rows)), test="rank-sum")
    assert table[["p", "corrected"]].to_numpy().tolist() == [[1.0, 1.0]]
    assert table["ahead"].tolist() == [""]


@pytest.mark.parametrize(
    "order, options, said",
    [
        (
            ["a", "b"],
            {"correction": "bonferroni"},
            "correction is 'bonferroni'; expected benj",
        ),
        (["a"], {}, "the order needs two systems or more, each once"),
        (["a", "a"], {}, "the order needs two systems or more, each once"),
        (["a", "x"], {}, "no system 'x'; expected a, b"),
    ],
)
def test_orders_that_cannot_be_tested_are_refused(order, options, said):
    with data_error(f"^{said}"):
        significance(counts_of(("a", "b", 1, 2, 3)), order, **options)


def test_tiers_have_a_fixed_leader():
    # Each is surely better than the second below it, none than the next.
    size = 7
    names = [*"abcdefg"]
    beats = [
        [0.5 + 0.24 * np.clip(b - a, -2, 2) for b in range(size)] for a in range(size)
    ]
    better = better_in_resamples(pd.DataFrame(beats, names, names), 999)
    table = tiers(better)
    assert table["systems"].map("".join).tolist() == ["ab", "cd", "ef", "g"]
    assert table["tier"].tolist() == [1, 2, 3, 4]
    unknown = pd.DataFrame(np.nan, [*"abc"], [*"abc"])
    table = tiers(better_in_resamples(unknown, 999))
    assert table["systems"].tolist() == [["a", "b", "c"]]


def test_the_sign_test_by_judge_counts_judges():
    # Seven judges who prefer x, one of them 20 times, and one who prefers y 20 times.
    rows = [("x", "y", "a", f"j{k}", 1) for k in range(6)]
    rows += [("x", "y", "a", "j6", 20), ("x", "y", "b", "j7", 20)]
    votes = pd.DataFrame(rows, columns=["a", "b", "outcome", "judge", "count"])
    alone = significance(votes, ["x", "y"], units=())
    by_judge = significance(votes, ["x", "y"], units=["judge"])
    assert by_judge[["wins", "losses"]].equals(alone[["wins", "losses"]])
    # T = 6 + 20 - 20: of 2^8 choices of signs |T*| >= 6 where the 20s agree, or all
    # ones do.
    assert by_judge["p"].tolist() == [(2 * 2**6 + 2 * 2) / 2**8]
    assert by_judge["ahead"].tolist() == ["x"]


def test_a_tier_starts_where_the_two_sided_p_is_small():
    for share, tiers_of_two in [(0.97, 1), (0.98, 2)]:
        beats = pd.DataFrame([[0, share], [1 - share, 0]], [*"ab"], [*"ab"])
        better = better_in_resamples(beats, 9999)
        assert len(tiers(better)) == tiers_of_two


def test_the_unit_test_by_name_needs_named_units():
    campaign = judged_in_blocks(True)
    units = usual_units(campaign)
    by_default = significance(campaign)
    pd.testing.assert_frame_equal(
        significance(campaign, test="unit", units=units), by_default
    )
    with data_error("test is 'unit'; expected .*unit \\(with units\\)"):
        significance(campaign, test="unit")


def test_few_resamples_are_too_few_for_a_tier():
    # Better in all of n: p = 2 / (n + 1), which is .05 of 39.
    for n_resamples, tiers_of_two in [(39, 1), (40, 2)]:
        beats = pd.DataFrame([[0.0, 1.0], [0.0, 0.0]], [*"ab"], [*"ab"])
        assert len(tiers(better_in_resamples(beats, n_resamples))) == tiers_of_two


def test_the_signed_rank_test_needs_common_segments():
    for number in (FEWEST_COMMON - 1, FEWEST_COMMON):
        rows = [
            ("h", "w", name, "SYSTEM", "", f"{k}", 40 + k + 5 * (name == "A"))
            for name in "AB"
            for k in range(number)
        ]
        rows += [("h", "w", "B", "SYSTEM", "", f"only {k}", 40 + k) for k in range(9)]
        table = significance(encode(assessments(rows)), test="signed-rank")
        assert table["common"].tolist() == [number]
        assert table["p"].notna().tolist() == [number == FEWEST_COMMON]
