"""Significance lines: by hand, and every p-value that WMT20 printed."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import assessments, campaign, counts_of
from wmtlib import cluster_lines, pairwise_tests, zscores
from wmtlib.assessments import encode
from wmtlib.cluster_lines import (
    RULES,
    cluster_table,
    rank_campaign,
    significance,
    tiers,
)
from wmtlib.errors import DataError
from wmtlib.methods import rank_systems
from wmtlib.pairwise_tests import (
    ALPHA,
    LEAST_GROUPS,
    TESTS,
    design_effect,
    judged_values,
    margins_by_unit,
    p_values,
    rank_sums,
    sign_flip_p,
    signed_rank_p,
    t_test_p,
    table_of_segments,
    unit_differences,
    unit_p,
    units_of_collection,
)
from wmtlib.yours.campaign_rules import (
    CAMPAIGN_RULES,
    LineRule,
    lines_by_rule,
    ruled_lines,
)

P = st.lists(st.sampled_from([0.001, 0.02, 0.04, 0.2, 0.6]), min_size=25, max_size=25)


def lines(order, p, rule, **more):
    return cluster_table([*order], p, rule=rule, **more)["line"].tolist()


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
    # C beats two systems and only one stands below it.
    assert lines("ABCD", ONE_SIDED, "official") == [False] * 4
    table = cluster_table([*"ABCD"], ONE_SIDED, rule="footnote-4")
    assert table["wins"].tolist() == [2, 1, 2, 0]
    assert table["cluster"].tolist() == [1, 1, 1, 2]


def test_a_line_needs_every_system_below():
    p = matrix([[1, 0.01, 0.2], [0.01, 1, 0.01], [0.2, 0.01, 1]])
    for rule in RULES:
        assert lines("ABC", p, rule) == [False, True, False]
        assert lines("AB", p, rule) == [True, False]
        assert lines("A", p, rule) == [False]
        at_alpha = matrix([[1, ALPHA], [ALPHA, 1]])
        assert lines("AB", at_alpha, rule) == [
            False,
            False,
        ]  # significant is below alpha
        places = np.array([0, 1]), np.array([2.0, 1.0])
        ranked = cluster_lines.RankedClusters(
            ("A", "B"), *places, at_alpha.to_numpy(), rule
        )
        assert not ranked.lines.any()
    assert cluster_table([*"ABC"], p, rule="official")["wins"].tolist() == [1, 1, 0]


@given(P, st.floats(0, 0.45), st.floats(0, 0.45))
def test_a_greater_alpha_never_removes_a_line(values, one, other):
    p = matrix(np.reshape(values, (5, 5)))
    low, high = (lines("ABCDE", p, "footnote-4", alpha=a) for a in sorted((one, other)))
    assert all(a <= b for a, b in zip(low, high, strict=True)) and not high[-1]


@given(P)
def test_without_direction_the_two_rules_draw_the_same_lines(values):
    p = np.reshape(values, (5, 5))
    p = matrix(np.minimum(p, p.T))
    assert lines("ABCDE", p, "footnote-4") == lines("ABCDE", p, "official")


def test_an_unknown_rule_or_system_is_refused():
    with pytest.raises(
        DataError, match="rule is 'mine'; expected footnote-4, official"
    ):
        lines("AB", ONE_SIDED, "mine")
    with pytest.raises(DataError, match="p-values lack 'E'"):
        lines("AE", ONE_SIDED, "official")


def test_clusters_of_a_campaign():
    rng = np.random.default_rng(3)
    rows = [
        ("h", f"w{k % 7}", system, "SYSTEM", "", str(k), score)
        for system, mean in [("A", 40), ("B", 75), ("C", 74), ("H", 95)]
        for k, score in enumerate(rng.normal(mean, 3, 60).round())
    ]
    campaign = encode(assessments(rows))
    found = cluster_lines.rank_campaign(campaign, test="legacy", rule="footnote-4")
    assert found.names[0] == "H" and found.names[-1] == "A"
    assert found.lines.tolist() == [True, False, True, False]
    table = found.ranking.table
    assert table["system"].tolist() == found.names and table["rank"].tolist() == [
        1,
        2,
        3,
        4,
    ]
    assert table["cluster"].tolist() == [1, 2, 2, 3]
    assert table["wins"].tolist() == [3, 1, 1, 0]
    scores = rank_systems(campaign).column("score")
    assert found.ranking.column("score").to_dict() == scores.to_dict()
    without_h = campaign.is_system(["H"])
    fewer = cluster_lines.rank_campaign(
        campaign, test="legacy", rule="official", unranked=without_h
    )
    assert fewer.ranking.table["cluster"].tolist() == [1, 1, 2]
    assert np.isnan(fewer.score[-1]) and (fewer.p[-1] == 1).all()
    with pytest.raises(DataError, match=r"1 system\(s\) to rank; expected two or more"):
        cluster_lines.rank_campaign(
            campaign, test="legacy", rule="official", unranked=campaign.is_system("ABH")
        )


def test_thin_systems_are_left_out_of_the_lines_of_the_others():
    rng = np.random.default_rng(3)
    rows = [
        ("h", f"w{k % 7}", system, "SYSTEM", "", str(k), score)
        for system, mean in [("A", 40), ("B", 75), ("C", 55)]
        for k, score in enumerate(rng.normal(mean, 9, 60).round())
    ]
    new = [
        ("h", "w0", "N", "SYSTEM", "", str(k), score)
        for k, score in enumerate((50, 64, 78))
    ]
    alone, campaign = (encode(assessments(some)) for some in (rows, rows + new))
    options = {"test": "two-sided", "rule": "footnote-4"}
    expected = cluster_lines.clusters(alone, **options)
    assert expected.table["cluster"].tolist() == [1, 2, 3] and expected.note == ""
    found = cluster_lines.clusters(campaign, **options)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert "'N (3)'" in found.note
    # With it, B is not known to be better than every system below itself.
    every = cluster_lines.clusters(campaign, minimum=1, **options).table
    assert "N" in every["system"].tolist() and every["cluster"].max() == 2
    few = cluster_lines.clusters(campaign, minimum=61, **options)
    assert len(few.order) == 4 and few.table["cluster"].tolist() == [1] * 4
    order = rank_systems(campaign).order
    table = cluster_lines.significance(campaign, order)
    pd.testing.assert_frame_equal(
        table, cluster_lines.significance(alone, expected.order)
    )
    assert cluster_lines.groups(table, order)["system"].tolist() == expected.order
    assert len(cluster_lines.significance(campaign, order, minimum=3)) == 6
    with pytest.raises(
        DataError, match=r"too few comparisons or scored segments .*'N \(3\)'"
    ):
        cluster_lines.significance(campaign, ["A", "N"])


# --- p-values that were printed -------------------------------------------------------

WMT20 = "WMT-Metrics-task/wmt20-metrics/manual-evaluation/DA"
PAIRS20 = (
    "cs-en de-en en-cs en-de en-iu en-ja en-pl en-ru en-ta en-zh "
    "iu-en ja-en km-en pl-en ps-en ru-en ta-en zh-en"
)
NOT_PRINTED = 0.12  # where the row's system is not significantly better


def segment_scores(folder, pair):
    path = folder / f"ad-seg-scores-{pair}.csv"
    table = pd.read_csv(
        path, sep=r"\s+", dtype={"SYS": str, "SID": str}, keep_default_na=False
    )
    return table.rename(columns={"SYS": "system", "Z.SCR": "z"}).astype({"z": float})


def square(path):
    """A printed matrix: systems in the header, and at the head of every row."""
    head, *body = (row.split() for row in path.read_text().splitlines() if row.strip())
    names = [row[0] for row in body]
    assert names == head
    return names, [row[1:] for row in body]


@pytest.mark.realdata
@pytest.mark.parametrize("pair", PAIRS20.split())
def test_every_p_that_wmt20_printed_is_the_one_sided_one(pair, mirror):
    source, target = pair.split("-")
    names, rows = square(mirror / WMT20 / f"adwilcox-{source}{target}.csv")
    printed = pd.DataFrame(rows, index=names, columns=names).astype(float)
    scores = segment_scores(mirror / WMT20, pair)
    short = [
        n.removeprefix(f"newstest2020.{pair}.").removesuffix(".sgm") for n in names
    ]
    # WMT's script tied equal floats only, not what differs by rounding: numbers stand
    # for them.
    scores["z"] = np.unique(scores["z"], return_inverse=True)[1]
    p = p_values(scores, test="one-sided").loc[short, short].to_numpy()
    shown = printed.to_numpy() != NOT_PRINTED
    assert shown.any() and not np.tril(shown).any()
    assert p[shown] == pytest.approx(printed.to_numpy()[shown], rel=2e-13, abs=1e-300)
    assert (np.triu(p < ALPHA, 1) == shown).all()


# --- rank-sum tests: scipy's p-values, and a double loop ---


# Values of a few systems: whole numbers (tied often) or any.
NUMBER = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-5, 5).map(lambda x: round(x, 6) + 0.0)
)
SAMPLES = st.lists(st.lists(NUMBER, min_size=1, max_size=12), min_size=2, max_size=5)


def means(samples):
    names = [f"system-{k}" for k in range(len(samples))]
    rows = [
        (name, z) for name, values in zip(names, samples, strict=True) for z in values
    ]
    return pd.DataFrame(rows, columns=["system", "z"])


def scipys(a, b, alternative):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return stats.mannwhitneyu(
            a, b, method="asymptotic", alternative=alternative
        ).pvalue


def before_1_7(a, b):
    """What SciPy's default was: the formulas of its mannwhitneyu before 1.7."""
    n, m = len(a), len(b)
    rank = stats.rankdata([*a, *b])
    first = n * m + n * (n + 1) / 2.0 - rank[:n].sum()
    _, times = np.unique([*a, *b], return_counts=True)
    times, size = times.astype(float), float(n + m)
    correction = 1.0 - (times**3 - times).sum() / (size**3 - size)
    sd = np.sqrt(correction * n * m * (n + m + 1) / 12.0)
    z = (max(first, n * m - first) - (n * m / 2.0 + 0.5)) / sd
    return stats.norm.sf(abs(z))


@given(SAMPLES, st.sampled_from(TESTS))
@example([[1.0, 3.0], [2.0]], "legacy")  # U in the middle: the statistic is below zero
def test_p_values_are_scipys_to_the_last_bit(samples, test):
    p = p_values(means(samples), test=test).to_numpy()
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i == j or len({*a, *b}) == 1:
                expected = 1.0
            elif test == "legacy":
                expected = before_1_7(a, b)
            else:
                expected = scipys(
                    a, b, "greater" if test == "one-sided" else "two-sided"
                )
            assert p[i, j] == expected


@pytest.mark.parametrize(
    "digits", [1, 3, 8], ids=["many ties", "some ties", "few ties"]
)
@pytest.mark.parametrize("test", ["two-sided", "one-sided"])
def test_p_values_of_many_values_are_scipys(digits, test):
    rng = np.random.default_rng(7)
    sizes = [1, 7, 1200, 3000, 5000, 8193]
    samples = [rng.normal(0.02 * k, 1, n).round(digits) for k, n in enumerate(sizes)]
    p = p_values(means(samples), test=test).to_numpy()
    side = "greater" if test == "one-sided" else "two-sided"
    for i, j in zip(*np.triu_indices(len(sizes), 1), strict=True):
        assert p[i, j] == scipys(samples[i], samples[j], side)
        assert p[j, i] == scipys(samples[j], samples[i], side)


def test_rank_sums_by_hand():
    u, ties, _ = rank_sums(np.array([1, 2, 2, 3.0]), np.array([0, 0, 1, 1]), 2)
    assert u.tolist() == [[2, 0.5], [3.5, 2]]
    assert ties[0, 1] == 2**3 - 2


def test_what_cannot_be_tested_is_refused():
    table = means([[1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(
        DataError, match="test is 'exact'; expected legacy, two-sided, one-sided"
    ):
        p_values(table, test="exact")
    with pytest.raises(DataError, match="row 2: z is nan; expected a number"):
        p_values(table.assign(z=[1.0, 2.0, np.nan, 3.0]), test="legacy")


# --- the signed-rank test: by hand, and against scipy ---


def test_by_hand():
    # Differences 2, 3, -4, 0: ranks 1 and 2 for a, 3 for b; mean 3, variance 3 * 4 * 7
    # / 24.
    means = np.array([[3.0, 5, 4, 9, np.nan], [1.0, 2, 8, 9, 5]])
    found = signed_rank_p(means)
    assert found[0, 1] == found[1, 0] == 0.5 and np.isnan(found.diagonal()).all()
    # Only one segment in common, where the third is better: rank 1 of 1, mean 1/2,
    # variance 1/4.
    found = signed_rank_p(np.array([*means, [4.0] + [np.nan] * 4]))
    assert found[2, 0] == pytest.approx(stats.norm.sf(1))
    assert found[0, 2] == pytest.approx(stats.norm.cdf(1))
    assert (
        signed_rank_p(np.array([[1.0, np.nan], [np.nan, 2]]))[0, 1] == 0.5
    )  # nothing in common


scores = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=2, max_size=80)


@given(scores)
def test_it_is_that_of_scipy(rows):
    means = np.array(rows, dtype=float).T
    if (means[0] == means[1]).all():
        return
    found = signed_rank_p(means)
    for a, b in ((0, 1), (1, 0)):
        theirs = stats.wilcoxon(
            means[a], means[b], alternative="greater", method="asymptotic"
        )
        assert found[a, b] == pytest.approx(theirs.pvalue)


# --- tests and their corrections: by hand, against scipy, and what must hold for any ju


few = settings(max_examples=settings().max_examples * 2 // 5)


def test_significance_by_hand():
    counts = counts_of(("a", "b", 9, 1, 7), ("a", "c", 10, 0, 0), ("b", "c", 0, 0, 5))
    table = cluster_lines.significance(counts, ["a", "c", "b"], correction="holm")
    assert [
        *table[["above", "below", "neighbours"]].itertuples(index=False, name=None)
    ] == [
        ("a", "c", True),
        ("a", "b", False),
        ("c", "b", True),
    ]
    assert table[["wins", "losses", "ties"]].to_numpy().tolist() == [
        [10, 0, 0],
        [9, 1, 7],
        [0, 0, 5],
    ]
    assert table["ahead"].tolist() == ["a", "a", ""]
    np.testing.assert_allclose(table["p"], [2 / 2**10, 22 / 2**10, np.nan])
    np.testing.assert_allclose(table["corrected"], [4 / 2**10, 22 / 2**10, np.nan])
    found = cluster_lines.groups(table, ["a", "c", "b"])
    assert found["line"].tolist() == [True, False, False]
    assert found["cluster"].tolist() == [1, 2, 2]
    assert found["wins"].tolist() == [2, 0, 0]
    assert cluster_lines.groups(table, ["a", "c", "b"], alpha=0.01)["line"].sum() == 0


def test_a_system_that_is_beaten_from_below_gets_no_line():
    counts = counts_of(("a", "b", 0, 50, 0), ("a", "c", 50, 0, 0), ("b", "c", 50, 0, 0))
    order = ["a", "b", "c"]  # whatever method said so
    found = cluster_lines.groups(cluster_lines.significance(counts, order), order)
    assert found["line"].tolist() == [False, True, False]
    assert found["wins"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("score", ["z", "raw"])
def test_significance_of_assessments(score):
    found = campaign(3)
    order = rank_systems(found).order
    table = cluster_lines.significance(found, order, correction="none", score=score)
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
        assert (
            cluster_lines.groups(table, order)["line"].tolist() == plain.lines.tolist()
        )


@pytest.mark.parametrize(
    ("order", "options", "said"),
    [
        (
            ["a", "b"],
            {"correction": "bonferroni"},
            "correction is 'bonferroni'; expected benj",
        ),
        (["a"], {}, "the order needs two systems or more, each once"),
        (["a", "a"], {}, "the order needs two systems or more, each once"),
        (["a", "x"], {}, "no system 'x'; expected names of the data"),
    ],
)
def test_orders_that_cannot_be_tested_are_refused(order, options, said):
    with pytest.raises(DataError, match=f"^{said}"):
        cluster_lines.significance(counts_of(("a", "b", 1, 2, 3)), order, **options)


# --- tests whose unit is what was collected, and the rules of campaigns ---------------


def test_the_unit_test_by_hand():
    # Of the 64 choices of signs of 1, 1, 1, 1, 1, -3 those with |T*| >= 2: T* is the
    # sum of five ones (-5, -3, -1, 1, 3, 5 in 1, 5, 10, 10, 5, 1 ways) and of 3 or -3.
    ones = {-5: 1, -3: 5, -1: 10, 1: 10, 3: 5, 5: 1}
    hits = sum(
        ways
        for total, ways in ones.items()
        for three in (3, -3)
        if abs(total + three) >= 2
    )
    p = sign_flip_p(np.array([[1.0], [1], [1], [1], [1], [-3]]))
    assert p.tolist() == [hits / 64] and hits == 54


def test_every_choice_is_tried_where_units_are_few_and_drawn_where_they_are_many():
    differences = np.random.default_rng(3).normal(0.4, 1, (10, 2))
    signs = np.array(list(itertools.product([1, -1], repeat=10)))
    exact = (
        np.abs(signs @ differences) >= np.abs(differences.sum(axis=0)) - 1e-9
    ).mean(axis=0)
    assert sign_flip_p(differences).tolist() == exact.tolist()
    more = np.vstack(
        [differences, np.zeros((10, 2))]
    )  # units without the two change nothing
    assert np.abs(sign_flip_p(more) - exact).max() < 0.02
    assert sign_flip_p(more, seed=1).tolist() == sign_flip_p(more, seed=1).tolist()
    assert (
        sign_flip_p(100 * more, seed=1).tolist() == sign_flip_p(-more, seed=1).tolist()
    )


def test_pairs_that_are_unlikely_get_more_flips():
    draw = np.random.default_rng(4).normal(size=(30, 40))
    draw[:, 0] += 1
    p = sign_flip_p(draw)
    assert 1 / 10_000 <= p[0] < 1 / 500
    assert set((p[p >= 0.1] * 500).round(6) % 1) == {0}


def test_five_units_cannot_reach_five_percent():
    assert np.isnan(sign_flip_p(np.array([[9.0]] * 5))).tolist() == [True]
    assert np.isnan(sign_flip_p(np.array([[9.0]] * 5 + [[0.0]] * 5))).tolist() == [True]
    assert sign_flip_p(np.array([[9.0]] * 6)).tolist() == [2 / 64]


def test_what_a_unit_adds_by_hand():
    # Unit 0: a has 5 and 7, b has 3, c nothing; unit 1: one value of each.
    value, system, unit = [5.0, 7, 3, 1, 2, 4], [0, 0, 1, 0, 1, 2], [0, 0, 0, 1, 1, 1]
    added = unit_differences(np.array(value), np.array(system), np.array(unit), 3)
    assert added.tolist() == [[2.0, 0.0, 0.0], [-0.5, -1.5, -1.0]]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_exchanging_two_systems_in_a_unit_changes_the_sign_alone(seed):
    draw = np.random.default_rng(seed)
    value, system = draw.normal(size=40), draw.integers(0, 2, 40)
    unit = draw.integers(0, 6, 40)
    before = unit_differences(value, system, unit, 2)
    after = unit_differences(value, np.where(unit == 3, 1 - system, system), unit, 2)
    signs = np.ones(len(before))
    signs[3:4] = -1
    assert np.allclose(after[:, 0], signs * before[:, 0])


def test_margins_by_judge():
    rows = [
        ("j", "x", "y", 1),
        ("j", "y", "x", 1),
        ("j", "y", "x", 2),
        ("k", "z", "x", 0),
    ]
    frame = pd.DataFrame(rows, columns=["judge", "system_1", "system_2", "preference"])
    margins, decided = margins_by_unit(frame, "judge", [*"xyz"])
    assert margins.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert decided.tolist() == [[3, 0, 0], [0, 0, 0]]
    by_pair = margins_by_unit(frame.assign(count=[5, 1, 1, 1]), "judge", ["x", "y"])[0]
    assert by_pair.tolist() == [[5]]


def test_very_many_judges_are_taken_together():
    judges = np.arange(250)
    frame = pd.DataFrame(
        {"judge": judges, "system_1": "x", "system_2": "y", "preference": 1}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairwise_tests, "MOST_CELLS", 50)
        margins = margins_by_unit(frame, "judge", ["x", "y"])[0]
    assert (
        len(margins) == LEAST_GROUPS
        and margins.sum() == 250
        and {*margins[:, 0]} == {2, 3}
    )


def test_a_table_of_segments_has_means():
    values = pd.DataFrame({"z": [1.0, 3, 5], "system": [0, 0, 1], "segment": [0, 0, 1]})
    table = table_of_segments(values, "z")
    assert (
        table[0, 0] == 2 and table[1, 1] == 5 and np.isnan(table[[0, 1], [1, 0]]).all()
    )


def blocks(recurring, documents=8, workers=8):
    """Three systems judged on two segments of each document, by a worker for each document."""
    rows = []
    for document, name, segment in itertools.product(range(documents), "ABC", range(2)):
        worker = (document + (0 if recurring else "ABC".index(name))) % workers
        score = 50 + 7 * document % 31 + 11 * segment + "ABC".index(name)
        about = (
            f"w{worker}",
            name,
            "SYSTEM",
            f"d{document}",
            f"{document}.{segment}",
            score,
        )
        rows.append(("", *about))
    return encode(assessments(rows))


def test_units_are_those_that_systems_share():
    for units, judged in [
        (("document",), blocks(True)),
        ((), blocks(True, documents=5)),
        (("document", "worker"), blocks(True, documents=60, workers=10)),
        (("document",), blocks(True, documents=60, workers=2)),
    ]:
        assert units_of_collection(judged_values(judged)) == units


def test_a_difference_has_to_hold_for_every_kind_of_unit():
    by_document = np.array([[3.0, 3, 0]] * 8)
    by_judge = np.array([[3.0, 3, 0], [3, -3, 0]] * 4)
    p = unit_p([by_document, by_judge], 3)
    assert p[0, 1] == 1 / 256 and p[1, 0] == 1 - 1 / 256
    assert p[0, 2] == 0.5  # judges are divided
    assert np.isnan(p[1, 2]) and np.isnan(p.diagonal()).all()


def test_judgements_of_one_block_that_are_all_alike_are_worth_one():
    values = pd.DataFrame(
        [
            (s, u, 2 * u + k, z)
            for s, u, z in [(0, 0, 1), (1, 0, -1), (0, 1, -1), (1, 1, 1)]
            for k in (0, 1)
        ],
        columns=["system", "unit", "segment", "z"],
    )
    assert design_effect(values, "unit") == 2


#               A     B     C     D      one-sided: A > C, D; B > D; nothing else
PAIRS = np.array([
    [np.nan, 0.20, 0.01, 0.01],
    [0.80, np.nan, 0.30, 0.04],
    [0.99, 0.70, np.nan, 0.60],
    [0.99, 0.96, 0.40, np.nan],
])  # fmt: skip


def test_rules_of_campaigns_by_hand():
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
    apart[[0, 1], 2], apart[[0, 1], 3], apart[2, [0, 1]], apart[3, [0, 1]] = (
        0.01,
        0.01,
        0.99,
        0.99,
    )
    for name in ("across", "losses", "first loss"):
        assert drawn(name, p=apart)[1].tolist() == [False, True, False, False]
    # C, which stands third, is better than A: in the order found nothing sees it.
    backward = apart.copy()
    backward[0, 2], backward[2, 0] = 0.99, 0.01
    assert (
        drawn("losses", p=backward)[0][2, 0]
        and not drawn("first loss", p=backward)[0][2, 0]
    )


def test_ranges_by_the_first_loss_go_on_to_it():
    # A is better than C alone; B and D are level with all: A 1-2, B 1-4, C 2-4, D 1-4.
    p = np.full((4, 4), 0.5)
    p[0, 2], p[2, 0] = 0.01, 0.99
    rule = LineRule("raw", "signed-rank", 1, "none", "first loss")
    assert ruled_lines(p, rule)[1].tolist() == [False] * 4
    p[0, 1:], p[1:, 0] = 0.01, 0.99
    assert ruled_lines(p, rule)[1].tolist() == [True, False, False, False]


def test_the_t_test_is_that_of_scipy():
    means = np.random.default_rng(5).normal(size=(3, 12)) + np.array(
        [[0.0], [0.3], [1]]
    )
    means[0, :3] = np.nan
    p = t_test_p(means)
    for a, b in [(0, 1), (1, 2), (2, 0)]:
        both = ~np.isnan(means[[a, b]]).any(axis=0)
        exact = stats.ttest_rel(
            means[a, both], means[b, both], alternative="greater"
        ).pvalue
        assert p[a, b] == pytest.approx(exact, abs=1e-12)
    assert np.isnan(p.diagonal()).all()


def test_tiers_have_a_fixed_leader():
    # Each is surely better than the second below it, none than the next.
    size = 7
    names = [*"abcdefg"]
    beats = [
        [0.5 + 0.24 * np.clip(b - a, -2, 2) for b in range(size)] for a in range(size)
    ]
    table = tiers(pd.DataFrame(beats, names, names), 999)
    assert table["systems"].tolist() == ["a, b", "c, d", "e, f", "g"]
    assert table["tier"].tolist() == [1, 2, 3, 4]
    unknown = pd.DataFrame(np.nan, [*"abc"], [*"abc"])
    assert tiers(unknown, 999)["systems"].tolist() == ["a, b, c"]


def test_the_sign_test_by_judge_counts_judges():
    # Seven judges who prefer x, one of them 20 times, and one who prefers y 20 times.
    rows = [("x", "y", "a", f"j{k}", 1) for k in range(6)]
    rows += [("x", "y", "a", "j6", 20), ("x", "y", "b", "j7", 20)]
    votes = pd.DataFrame(rows, columns=["a", "b", "outcome", "judge", "count"])
    alone = significance(votes, ["x", "y"])
    by_judge = significance(votes, ["x", "y"], units=["judge"])
    assert by_judge[["wins", "losses"]].equals(alone[["wins", "losses"]])
    # T = 6 + 20 - 20: of 2^8 choices of signs |T*| >= 6 where the 20s agree, or all
    # ones do.
    assert by_judge["p"].tolist() == [(2 * 2**6 + 2 * 2) / 2**8]
    assert by_judge["ahead"].tolist() == ["x"]


def test_lines_by_the_rules_of_campaigns():
    rows = []
    for d, name, k in itertools.product(range(12), "ABC", range(3)):
        score = 40 + 25 * (name != "C") + (7 * d + 3 * k + 5 * "ABC".index(name)) % 11
        where = f"test-en-{'news' if d % 2 else 'social'}_{d}", f"{d}.{k}"
        rows.append(("", f"w{d % 4}", name, "SYSTEM", *where, score))
    campaign = encode(assessments(rows))
    for rule in CAMPAIGN_RULES:
        table = lines_by_rule(campaign, rule)
        assert (
            sorted(table["system"][:2]) == ["A", "B"]
            and table["cluster"].tolist()[-1] == 2
        )
    with pytest.raises(DataError, match="no rule 'wmt99'; there are wmt17"):
        lines_by_rule(campaign, "wmt99")
    with pytest.raises(DataError, match="wmt24 weighs domains alike"):
        lines_by_rule(blocks(True), "wmt24")
