"""Sets of ranks: by hand, by another program, and by what must always hold."""

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.certainty import (
    Covariance,
    better_at_once,
    p_of_pairs,
    rank_sets,
    sets_of,
)
from wmtlib.core.counts import counts_of, rows_of
from wmtlib.core.errors import DataError
from wmtlib.methods import rank


def votes(seed=0, systems=4, judges=12, each=40, segments=30, step=0.0, **columns):
    """Own table of votes of systems in steps of log-odds, a fifth of them ties."""
    rng = np.random.default_rng(seed)
    size = judges * each
    first = rng.integers(systems, size=size)
    second = (first + rng.integers(1, systems, size=size)) % systems
    won = rng.random(size) < scipy.special.expit(step * (second - first))
    names = np.array([f"s{k}" for k in range(systems)])
    table = {
        "system_1": names[first],
        "system_2": names[second],
        "preference": np.where(rng.random(size) < 0.2, 0, np.where(won, 1, 2)),
        "judge": np.repeat([f"j{k:02d}" for k in range(judges)], each),
        "segment": rng.integers(segments, size=size).astype(str),
    }
    return pd.DataFrame(table | columns)


def known(scores, covariance):
    """The p-values of scores whose covariance is known."""
    size = len(scores)
    spread = Covariance(
        (np.asarray(covariance),), None, np.full(size, 1e9), np.zeros(size)
    )
    return p_of_pairs(np.asarray(scores), spread)


# --- by hand --------------------------------------------------------------------------


def test_covariance_of_two_systems_by_hand():
    """Seven judges of two votes each: won 2, 2, 2, 2, 1, 1, 1 of 14, so 11 / 14.

    Without a judge who won both the share is 9 / 12, without another 10 / 12: they move
    it by -1/28 and 1/21. 6/7 of the sum of squares is the variance of the share, and
    the difference of two shares whose sum is 1 has four times that.
    """
    won = [2, 2, 2, 2, 1, 1, 1]
    outcome = [[1] * k + [2] * (2 - k) for k in won]
    table = pd.DataFrame(
        {
            "system_1": "x",
            "system_2": "y",
            "preference": np.concatenate(outcome),
            "judge": np.repeat([*"abcdefg"], 2),
        }
    )
    result = rank_sets(table, "expected-wins")
    variance = 6 / 7 * (4 / 28**2 + 3 / 21**2)
    error = 2 * variance**0.5
    (pair,) = result.pairs.itertuples()
    assert pair.difference == pytest.approx(8 / 14)
    assert pair.error == pytest.approx(error)
    assert pair.p == pytest.approx(2 * scipy.stats.t.sf(8 / 14 / error, 6))
    assert result.table["rank_high"].tolist() == [1, 2]


def test_two_way_variance_adds_kinds_and_takes_off_what_they_share():
    table = votes()
    both = rank_sets(table).covariance
    by_judge = rank_sets(table, unit="judge").covariance
    by_item = rank_sets(table, unit="segment").covariance
    pair = table["judge"] + table["segment"]
    shared = rank_sets(table.assign(judge=pair), unit="judge").covariance
    one, two, less = (c.of_differences for c in (by_judge, by_item, shared))
    expected = np.max([one, two, one + two - less], axis=0)
    np.testing.assert_allclose(both.of_differences, expected, rtol=0.02)
    assert (both.freedom <= np.minimum(by_judge.freedom, by_item.freedom)).all()


def test_better_at_once_steps_down_as_holm():
    scores = np.array([3.0, 2.0, 0.0])
    p = np.array([[np.nan, 0.04, 0.001], [0.04, np.nan, 0.02], [0.001, 0.02, np.nan]])
    better = better_at_once(scores, p)
    assert better.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    p[0, 1] = p[1, 0] = 0.06
    assert better_at_once(scores, p)[0].tolist() == [False, False, True]
    p[1, 2] = p[2, 1] = 0.03  # above 0.05 / 2, so that nothing more is apart
    assert better_at_once(scores, p).sum() == 1


def test_intervals_of_a_share_are_wilsons_for_as_many_votes():
    """49 single votes, 42 won: the jackknife's variance is s (1 - s) / 48."""
    table = votes()[["system_1", "system_2", "preference"]].head(49)
    table = table.assign(system_1="x", system_2="y", preference=[1] * 42 + [2] * 7)
    row = rank_sets(table).table.iloc[0]
    t = scipy.stats.t.isf(0.025, 48)
    for end in (row.score_low, row.score_high):
        error = (end * (1 - end) / 48) ** 0.5
        assert abs(42 / 49 - end) == pytest.approx(t * error)


# --- by another program ---------------------------------------------------------------

# `SimultaneousRanking(mean, cov).fit().conf_int(0.05)` of multiple-inference 1.2.0,
# which finds the largest t by simulation.
BY_SIMULATION = {
    1: ([1, 1, 1, 1, 1, 1, 5, 7], [6, 6, 7, 7, 6, 6, 8, 8]),
    2: ([1, 2, 2, 3, 4, 4, 5, 8], [1, 3, 4, 6, 7, 7, 7, 8]),
}


@pytest.mark.parametrize("seed", BY_SIMULATION)
def test_sets_are_those_of_multiple_inference(seed):
    rng = np.random.default_rng(seed)
    mean = np.sort(np.round(rng.normal(size=8) * 2, 2))[::-1]
    root = np.round(rng.normal(size=(8, 8)) * 0.15, 2)
    covariance = np.round(root @ root.T + 0.05 * np.eye(8), 4)
    better = better_at_once(mean, known(mean, covariance))
    low, high = 1 + better.sum(axis=0), 8 - better.sum(axis=1)
    assert (low.tolist(), high.tolist()) == BY_SIMULATION[seed]


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 9), st.integers(0, 10**6))
def test_pairs_apart_are_those_that_holm_rejects(size, seed):
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=size) * 2)[::-1]
    p = known(scores, 0.2 * np.eye(size))
    upper = np.triu_indices(size, 1)
    left = dict(enumerate(p[upper]))  # the least is rejected as long as it is small
    while left and min(left.values()) < 0.05 / len(left):
        del left[min(left, key=left.get)]
    apart = better_at_once(scores, p)[upper]
    assert np.flatnonzero(~apart).tolist() == [*left]


# --- what must always hold ------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["expected-wins", "bradley-terry"]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_names_and_rows_decide_nothing(seed, method, step):
    table = votes(seed, step=step)
    result = rank_sets(table, method)
    rng = np.random.default_rng(seed)
    fresh = dict(zip(["s0", "s1", "s2", "s3"], rng.permutation([*"abcd"]), strict=True))
    other = table.replace(fresh).sample(frac=1, random_state=seed % 1000)
    renamed = rank_sets(other, method)
    back = {new: old for old, new in fresh.items()}
    left = result.table.set_index("system")
    right = renamed.table.assign(system=renamed.table["system"].map(back))
    right = right.set_index("system").loc[left.index]
    pd.testing.assert_frame_equal(left, right, rtol=1e-6)


def test_sets_do_not_depend_on_a_seed():
    one, other = (rank_sets(votes(step=0.4), seed=seed) for seed in (1, 2))
    pd.testing.assert_frame_equal(one.table, other.table, check_exact=True)


def test_more_votes_that_say_the_same_make_nothing_surer_by_judge():
    """Each judge said everything ten times: the judges are as many as before."""
    table = votes(step=0.5).drop(columns="segment")
    again = pd.concat([table] * 10, ignore_index=True)
    one, ten = rank_sets(table), rank_sets(again)
    pd.testing.assert_frame_equal(one.table, ten.table)


# --- what is not known ----------------------------------------------------------------


@pytest.mark.parametrize("method", ["expected-wins", "bradley-terry"])
@pytest.mark.parametrize("number", [7, 10, 20, 40])
def test_a_system_that_won_all_is_no_surer_than_by_a_sign_test(method, number):
    """No unit moves it; t would be infinite. It is nearly as sure by shares."""
    judges = [f"j{k:02d}" for k in range(number)]
    table = pd.DataFrame(
        {"system_1": "x", "system_2": "y", "preference": 1, "judge": judges}
    )
    result = sets_of(rows_of(table), rank(counts_of(table), method))
    p = result.pairs["p"].item()
    exact = 2 * 0.5**number
    least = exact / 5 if number <= 10 else exact**1.6
    assert least < p < (0.05 if method == "expected-wins" else 0.1)
    row = result.table.iloc[0]
    assert row["score_low"] < row["score"] <= row["score_high"]
    if method == "expected-wins":
        # Wilson's interval of n votes of which n were won
        t = scipy.stats.t.isf(0.025, number - 1)
        assert row["score_low"] == pytest.approx(1 / (1 + t**2 / number))


def test_a_system_that_one_judge_judged_has_no_set_of_its_own():
    table = votes(step=1.0)
    alone = table.head(20).assign(system_1="alone", preference=1, judge="j00")
    result = rank_sets(pd.concat([table, alone], ignore_index=True), unit="judge")
    row = result.table.set_index("system").loc["alone"]
    assert (row["rank_low"], row["rank_high"]) == (1, 5)
    assert pd.isna(row["score_low"])
    assert result.pairs.query("above == 'alone'")["p"].isna().all()


def test_groups_that_nothing_links_are_not_told_apart():
    table = votes(systems=2, step=1.0)
    other = votes(1, systems=2, step=1.0).replace({"s0": "t0", "s1": "t1"})
    result = rank_sets(pd.concat([table, other], ignore_index=True))
    assert result.table["rank_high"].max() == 4
    assert result.pairs["p"].notna().sum() == 2
    assert result.table["cluster"].max() == 1


def test_mfas_has_no_sets():
    result = rank_sets(votes(), "mfas")
    assert not result.is_known
    assert result.pairs.empty
    assert result.table["cluster"].tolist() == [1, 1, 1, 1]


def test_many_units_take_too_many_fits_of_trueskill():
    table = votes(segments=1000)
    assert not rank_sets(table, "trueskill").is_known
    result = rank_sets(table, "trueskill", unit="judge")
    assert result.is_known
    assert result.covariance.two_way is None


def test_counts_are_single_comparisons():
    table = votes().drop(columns=["judge", "segment"])
    from_counts = rank_sets(counts_of(table), "expected-wins")
    pd.testing.assert_frame_equal(
        from_counts.table, rank_sets(table, "expected-wins").table
    )
    assert from_counts.units.kinds == ()


def test_thin_systems_are_left_out_and_named():
    thin = votes(each=1).head(3).assign(system_2="thin")
    table = pd.concat([votes(), thin[thin["system_1"] != "thin"]], ignore_index=True)
    result = rank_sets(table)
    assert "thin" not in result.table["system"].tolist()
    assert "thin (3)" in result.ranking.note


def test_a_unit_of_few_is_refused():
    with pytest.raises(DataError, match="there are 3 judges; expected 7 or more"):
        rank_sets(votes(judges=3), unit="judge")


def test_half_widths_against_an_anchor_are_of_differences():
    result = rank_sets(votes(step=0.5), "bradley-terry")
    half = result.half_widths("s1")
    order = result.ranking.order
    assert half[order.index("s1")] == 0
    pair = result.pairs.query("above == 's0' and below == 's1'").iloc[0]
    freedom = result.covariance.freedom[[order.index("s0"), order.index("s1")]].min()
    t = scipy.stats.t.isf(0.025, freedom)
    assert half[order.index("s0")] == pytest.approx(t * pair["error"])
