"""Rank-sum tests and significance lines: SciPy's p-values, and WMT's own tables."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib.assessment import clusters, rank_sum, zscores
from wmtlib.judgements.errors import DataError
from wmtlib.releases import assessment_releases

# Values of a few systems: whole numbers (tied often) or any.
NUMBER = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5))
SAMPLES = st.lists(st.lists(NUMBER, min_size=1, max_size=12), min_size=2, max_size=5)
P = st.lists(st.sampled_from([0.001, 0.02, 0.04, 0.2, 0.6]), min_size=25, max_size=25)


def means(samples):
    names = [f"system-{k}" for k in range(len(samples))]
    rows = [(name, z) for name, values in zip(names, samples, strict=True) for z in values]
    return pd.DataFrame(rows, columns=["system", "z"])


def scipys(a, b, alternative):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return stats.mannwhitneyu(a, b, method="asymptotic", alternative=alternative).pvalue


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


# --- p-values -----------------------------------------------------------------------------------


@given(SAMPLES, st.sampled_from(clusters.TESTS))
def test_p_values_are_scipys_to_the_last_bit(samples, test):
    p = clusters.p_values(means(samples), test=test).to_numpy()
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i == j or len({*a, *b}) == 1:
                expected = 1.0
            elif test == "legacy":
                expected = before_1_7(a, b)
            else:
                expected = scipys(a, b, "greater" if test == "one-sided" else "two-sided")
            assert p[i, j] == expected


@pytest.mark.parametrize("digits", [1, 3, 15], ids=["many ties", "some ties", "no ties"])
@pytest.mark.parametrize("test", ["two-sided", "one-sided"])
def test_p_values_of_many_values_are_scipys(digits, test):
    rng = np.random.default_rng(7)
    sizes = [1, 7, 1200, 3000, 5000, 8193]
    samples = [rng.normal(0.02 * k, 1, n).round(digits) for k, n in enumerate(sizes)]
    p = clusters.p_values(means(samples), test=test).to_numpy()
    side = "greater" if test == "one-sided" else "two-sided"
    for i, j in zip(*np.triu_indices(len(sizes), 1), strict=True):
        assert p[i, j] == scipys(samples[i], samples[j], side)
        assert p[j, i] == scipys(samples[j], samples[i], side)


@given(SAMPLES)
def test_u_and_ties_are_those_of_a_double_loop(samples):
    table = means(samples)
    system = pd.factorize(table["system"])[0]
    u, ties, number = rank_sum.rank_sums(table["z"].to_numpy(), system, len(samples))
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            assert u[i, j] == sum((x > y) + (x == y) / 2 for x in a for y in b)
            if i == j:
                continue
            _, times = np.unique([*a, *b], return_counts=True)
            assert ties[i, j] == (times**3 - times).sum()
    assert number.tolist() == [len(values) for values in samples]


def test_rank_sums_by_hand():
    u, ties, _ = rank_sum.rank_sums(np.array([1, 2, 2, 3.0]), np.array([0, 0, 1, 1]), 2)
    assert u.tolist() == [[2, 0.5], [3.5, 2]]
    assert ties[0, 1] == 2**3 - 2


@given(SAMPLES, st.sampled_from(clusters.TESTS), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(samples, test, random):
    shuffled = [random.sample(values, len(values)) for values in samples]
    left, right = (clusters.p_values(means(s), test=test) for s in (samples, shuffled))
    pd.testing.assert_frame_equal(left, right, check_exact=True)


@given(SAMPLES)
def test_how_the_tests_hang_together(samples):
    legacy, two, one = (
        clusters.p_values(means(samples), test=test).to_numpy() for test in clusters.TESTS
    )
    assert (two == two.T).all() and legacy == pytest.approx(legacy.T, rel=1e-13)
    different = ~np.eye(len(samples), dtype=bool) & (two < 1)
    assert legacy[different] == pytest.approx(two[different] / 2)
    assert np.minimum(one, one.T)[different] == pytest.approx(legacy[different])
    assert (one + one.T >= 1 - 1e-12).all()  # both sides of a continuity correction


def test_what_cannot_be_tested_is_refused():
    table = means([[1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(DataError, match="test is 'exact'; expected legacy, two-sided, one-sided"):
        clusters.p_values(table, test="exact")
    with pytest.raises(DataError, match=r"1 system\(s\) to compare; expected two or more"):
        clusters.p_values(table[:2], test="legacy")
    with pytest.raises(DataError, match="row 2: z is nan; expected a number"):
        clusters.p_values(table.assign(z=[1.0, 2.0, np.nan, 3.0]), test="legacy")
    with pytest.raises(DataError, match="lacks the name of its system"):
        clusters.p_values(table.assign(system=["a", None, "b", "b"]), test="legacy")


# --- lines --------------------------------------------------------------------------------------


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
    order = [*"ABCD"]
    assert clusters.lines(order, ONE_SIDED, rule="footnote-4").tolist() == [False] * 2 + [
        True,
        False,
    ]
    # C beats two systems and only one stands below it.
    assert clusters.lines(order, ONE_SIDED, rule="official").tolist() == [False] * 4
    assert clusters.wins(order, ONE_SIDED).tolist() == [2, 1, 2, 0]


def test_a_line_needs_every_system_below():
    p = matrix([[1, 0.01, 0.2], [0.01, 1, 0.01], [0.2, 0.01, 1]])
    for rule in clusters.RULES:
        assert clusters.lines([*"ABC"], p, rule=rule).tolist() == [False, True, False]
        assert clusters.lines([*"AB"], p, rule=rule).tolist() == [True, False]
        assert clusters.lines([*"A"], p, rule=rule).tolist() == [False]
    assert clusters.wins([*"ABC"], p).tolist() == [1, 1, 0]


@given(P, st.floats(0, 0.45), st.floats(0, 0.45))
def test_a_greater_alpha_never_removes_a_line(values, one, other):
    p = matrix(np.reshape(values, (5, 5)))
    low, high = (
        clusters.lines([*"ABCDE"], p, rule="footnote-4", alpha=a) for a in sorted((one, other))
    )
    assert (low <= high).all() and not high[-1]


@given(P)
def test_without_direction_the_two_rules_draw_the_same_lines(values):
    p = np.reshape(values, (5, 5))
    p = matrix(np.minimum(p, p.T))
    left, right = (clusters.lines([*"ABCDE"], p, rule=rule) for rule in clusters.RULES)
    assert left.tolist() == right.tolist()


def test_an_unknown_rule_or_system_is_refused():
    with pytest.raises(DataError, match="rule is 'mine'; expected footnote-4, official"):
        clusters.lines([*"AB"], ONE_SIDED, rule="mine")
    with pytest.raises(DataError, match="no p-values of 'E'"):
        clusters.lines([*"AE"], ONE_SIDED, rule="official")


def test_clusters_of_a_campaign():
    rng = np.random.default_rng(3)
    rows = [
        ("h", f"w{k % 7}", "xx-yy", system, "SYSTEM", "", str(k), float(score), True)
        for system, mean in [("A", 40), ("B", 75), ("C", 74), ("H", 95)]
        for k, score in enumerate(rng.normal(mean, 3, 60).round())
    ]
    columns = "hit worker language_pair system item document segment score accepted"
    campaign = zscores.code(pd.DataFrame(rows, columns=columns.split()))
    found = clusters.clusters(campaign, test="legacy", rule="footnote-4")
    assert found.order[0] == "H" and found.order[-1] == "A"
    assert found.sets == [{"H"}, {"B", "C"}, {"A"}]
    assert found.lines.tolist() == [True, False, True, False]
    assert found.frame["cluster"].tolist() == [1, 2, 2, 3]
    assert found.frame["wins"].tolist() == [3, 1, 1, 0]
    assert (found.test, found.rule, found.alpha) == ("legacy", "footnote-4", 0.05)
    fewer = clusters.clusters(campaign, test="legacy", rule="official", without=["H"])
    assert fewer.sets == [{"B", "C"}, {"A"}]
    with pytest.raises(DataError, match="'X' is no system"):
        clusters.clusters(campaign, test="legacy", rule="official", without=["X"])


# --- WMT's own tables ---------------------------------------------------------------------------

WMT18 = "jjzha/translationese/newstest2018-humaneval/analysis"
WMT20 = "WMT-Metrics-task/wmt20-metrics/manual-evaluation/DA"
WMT21 = "wmt-conference/wmt21-news-systems/humaneval/newstest2021-toen"
FACEBOOK = "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021"
PAIRS18 = "cs-en de-en en-cs en-de en-et en-fi en-ru en-tr en-zh et-en fi-en ru-en tr-en zh-en"
PAIRS20 = (
    "cs-en de-en en-cs en-de en-iu en-ja en-pl en-ru en-ta en-zh "
    "iu-en ja-en km-en pl-en ps-en ru-en ta-en zh-en"
)
PAIRS21 = "cs-en de-en ha-en is-en ja-en ru-en zh-en"
OFFICIAL = [
    *((WMT18, pair) for pair in PAIRS18.split()),
    *((WMT21, pair) for pair in PAIRS21.split()),
    *((FACEBOOK, pair) for pair in ["bn-hi", "hi-bn", "xh-zu", "zu-xh"]),
]
NOT_PRINTED = 0.12  # where the row's system is not significantly better


def segment_scores(folder, pair):
    path = folder / f"ad-seg-scores-{pair}.csv"
    table = pd.read_csv(path, sep=r"\s+", dtype={"SYS": str, "SID": str}, keep_default_na=False)
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
    short = [n.removeprefix(f"newstest2020.{pair}.").removesuffix(".sgm") for n in names]
    p = clusters.p_values(scores, test="one-sided").loc[short, short].to_numpy()
    shown = printed.to_numpy() != NOT_PRINTED
    assert shown.any() and not np.tril(shown).any()
    assert p[shown] == pytest.approx(printed.to_numpy()[shown], rel=2e-13, abs=1e-300)
    assert (np.triu(p < clusters.ALPHA, 1) == shown).all()


def official(folder, pair):
    """Order, wins and lines that `clusters.csv` shows; tables follow one another in the file."""
    rows = [row.split() for row in (folder / "clusters.csv").read_text().splitlines()[1:]]
    first = 0
    systems = set(segments_of(folder, pair)["system"])
    while first < len(rows):
        table = rows[first : first + int(rows[first][3])]
        names = [row[7] for row in table]
        # WMT18 calls both Estonian tables en-et; names (with a number each) tell them apart.
        right = {table[0][1], table[0][0]} == {*pair.split("-")} and set(names) <= systems
        if right and (folder.name == "analysis" or "-".join(table[0][:2]) == pair):
            lines = [row[6] == "True" for row in table]
            return names, [int(row[2]) for row in table], [*lines[:-1], False]
        first += len(table)
    raise AssertionError(pair)


def segments_of(folder, pair):
    if folder.name.startswith("facebook"):
        table = assessment_releases.load_assessments("facebook21", pair, source="mirror")
        return zscores.segment_means(zscores.code(table))
    return segment_scores(folder, pair)


@pytest.mark.realdata
@pytest.mark.parametrize(("folder", "pair"), OFFICIAL)
def test_official_wins_stars_and_lines_come_out(folder, pair, mirror):
    folder = mirror / folder
    p = clusters.p_values(segments_of(folder, pair), test="one-sided")
    order, wins, lines = official(folder, pair)
    assert clusters.wins(order, p.loc[order, order]).tolist() == wins
    assert clusters.lines(order, p, rule="official").tolist() == lines
    names, rows = square(folder / f"ad-DA-diff-wilcoxon-rs-{pair.replace('-', '')}.csv")
    stars = [[cell.count("*") for cell in row] for row in rows]
    found = sum(
        (p.loc[names, names].to_numpy() < alpha).astype(int) for alpha in (0.05, 0.01, 0.001)
    )
    assert found.tolist() == stars


@pytest.mark.realdata
@pytest.mark.parametrize(("folder", "pair"), [(WMT21, "de-en"), (FACEBOOK, "hi-bn")])
def test_footnote_4_draws_one_line_more_where_a_lower_system_beats_a_higher_one(
    folder, pair, mirror
):
    p = clusters.p_values(segments_of(mirror / folder, pair), test="one-sided")
    order, _, lines = official(mirror / folder, pair)
    assert clusters.lines(order, p, rule="footnote-4").sum() == sum(lines) + 1
