"""Exact rankings: cases by hand, brute force, the proofs."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from least_cost import least_cost
from pandas.testing import assert_frame_equal

from examples import data_error, rng
from wmtlib import mfas
from wmtlib.core.counts import Counts
from wmtlib.mfas import (
    Certificate,
    check_certificate,
    exact_order,
    violated,
    violated_weight,
)

# Lopez (2012), Figure 2.
FIGURE2 = {"AB": 3, "AC": 1, "AD": 1, "BC": 1, "BD": 1, "CD": 2}


def table(beats, names=None):
    """Wins from {"AB": times A was judged better than B}, one letter a system."""
    systems = list(names or sorted(set("".join(beats))))
    wins = pd.DataFrame(0, index=systems, columns=systems)
    for (a, b), times in beats.items():
        wins.loc[a, b] = times
    return wins


def random_wins(n, seed, *, spread, most=15):
    """A noisy tournament: strengths over `spread`, 3 to `most` comparisons a pair."""
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0, spread, n)
    times = np.triu(rng.integers(3, most + 1, (n, n)), 1)
    upper = rng.binomial(times, 1 / (1 + np.exp(strength - strength[:, None])))
    names = [f"s{k:03d}" for k in range(n)]
    return pd.DataFrame(upper + (times - upper).T, index=names, columns=names)


def paley(prime):
    """i beats j once where i - j is a square modulo `prime`: no system is better."""
    squares = [k * k % prime for k in range(1, prime)]
    beats = np.isin(np.subtract.outer(range(prime), range(prime)) % prime, squares)
    names = [f"s{k:02d}" for k in range(prime)]
    return pd.DataFrame(beats.astype(int), index=names, columns=names)


def cost_of(wins, order):
    """The definition, pair by pair (Lopez 2012, Section 4)."""
    return sum(
        max(int(wins.loc[low, high] - wins.loc[high, low]), 0)
        for place, high in enumerate(order)
        for low in order[place + 1 :]
    )


def brute_force(wins):
    """The least cost and all orders that reach it, lexicographically."""
    names = sorted(wins.index)
    n = len(wins)
    margin = (
        (wins.T - wins).loc[names, names].to_numpy()
    )  # against the row before the column
    orders = np.array([*permutations(range(n))])
    cost = sum(
        np.maximum(margin, 0)[orders[:, i], orders[:, j]]
        for j in range(n)
        for i in range(j)
    ) + np.zeros(len(orders), dtype=int)
    optima = orders[cost == cost.min()]
    return int(cost.min()), [tuple(names[k] for k in order) for order in optima]


@st.composite
def judgements(draw, *, largest=6, most=4):
    n = draw(st.integers(1, largest))
    counts = draw(st.lists(st.integers(0, most), min_size=n * n, max_size=n * n))
    names = list("abcdefghijkl"[:n])
    wins = np.array(counts).reshape(n, n)
    np.fill_diagonal(wins, 0)
    return pd.DataFrame(wins, index=names, columns=names)


def assert_sound(wins, result):
    """What must hold for every result, proven optimal or not."""
    assert sorted(result.order) == sorted(wins.index)
    assert result.cost == cost_of(wins, result.order) == result.violated["weight"].sum()
    assert check_certificate(wins, result.certificate) == result.certificate.bound
    assert result.certificate.bound <= result.lower_bound <= result.cost


# A cycle.
WINS = table({"AB": 5, "BC": 4, "CA": 2})


# By hand.


def test_exact_order_of_a_cycle_reverses_the_lightest_edge():
    result = exact_order(WINS)
    assert result.order == ("A", "B", "C")
    assert (result.cost, result.proof) == (2, "certificate")
    assert result.violated.to_dict("records") == [
        {"winner": "C", "loser": "A", "weight": 2}
    ]
    assert result.certificate == Certificate(((("A", "B", "C"), 2),), 1, 2)


# Against references.


@given(judgements())
@settings(max_examples=100, deadline=None)
def test_brute_force_finds_the_same(wins):
    least, optima = brute_force(wins)
    result = exact_order(wins)
    assert_sound(wins, result)
    assert (result.cost, result.lower_bound) == (least, least)
    assert result.order == optima[0]
    assert result.optimal_orders == len(optima)
    ranks = {a: np.array([order.index(a) + 1 for order in optima]) for a in wins.index}
    for a in wins.index:
        assert result.rank_ranges.loc[a].tolist() == [ranks[a].min(), ranks[a].max()]
        for b in wins.index:
            assert result.agreed.loc[a, b] == (ranks[a] < ranks[b]).all()


@given(judgements(largest=9, most=9))
@settings(max_examples=40, deadline=None)
def test_exact_order_against_every_set_of_systems(wins):
    result = exact_order(wins)
    assert result.cost == cost_of(wins, result.order) == least_cost(wins - wins.T)


@pytest.mark.parametrize("n, seed", [(30, 1), (40, 2), (60, 3)])
def test_noisy_tournaments_are_proven(n, seed):
    wins = random_wins(n, seed, spread=4)
    result = exact_order(wins)
    assert_sound(wins, result)
    assert result.optimal


# Tournaments of up to 20 systems are always proven.


@pytest.mark.parametrize("prime, least", [(7, 7), (11, 20), (19, 64)])
def test_squares_modulo_a_prime(prime, least):
    # The hardest of their size: the cycles prove 57 of the 64.
    result = exact_order(paley(prime))
    assert_sound(paley(prime), result)
    assert (result.cost, result.lower_bound) == (least, least)
    assert result.proof == ("certificate" if prime == 7 else "search")
    if prime < 19:
        assert least == least_cost(paley(prime) - paley(prime).T)
        # i -> s i + t, for a square s, keeps the tournament and so turns optima
        # into others.
        assert result.optimal_orders % (prime * (prime - 1) // 2) == 0
        assert (result.rank_ranges.to_numpy() == [1, prime]).all()
    if prime == 7:
        assert result.optimal_orders == len(brute_force(paley(7))[1])


def test_optimal_orders_are_counted_beyond_the_limit_of_the_search(monkeypatch):
    wins = paley(11) * rng(5).integers(4, 6, (11, 11))
    found = exact_order(wins)
    monkeypatch.setattr(mfas, "LARGEST_COUNTING", 200)  # the search looks at 1,200
    again = exact_order(wins)
    assert again.optimal_orders == found.optimal_orders == 39
    assert_frame_equal(again.rank_ranges, found.rank_ranges)
    assert_frame_equal(again.agreed, found.agreed)


def test_exact_order_keeps_a_time_limit():
    assert exact_order(paley(19), time_limit=0).proof == "none"


def test_usual_seconds_of_large_tasks_is_one():
    assert [mfas.usual_seconds(n) for n in (60, 61)] == [10, 1]


# Symmetry.


@given(judgements(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_row_order_does_not_matter(wins, random):
    names = list(wins.index)
    rows, columns = (random.sample(names, len(names)) for _ in range(2))
    one = exact_order(wins)
    other = exact_order(wins.loc[rows, columns])
    assert (one.order, one.certificate) == (other.order, other.certificate)


# Certificates.


def test_fractions_of_a_certificate_round_up():
    assert check_certificate(WINS, Certificate(((("A", "B", "C"), 3),), 2, 2)) == 2


def test_check_certificate_with_margins_used_in_both_directions():
    # By hand: C beat A by 2. Three times ABC is 3 + min(5 - 3, 0) + min(4 - 3, 0)
    # for AB and BC, and min(2 - 3, 0) for CA: the third cycle adds 1 and loses 1.
    assert check_certificate(WINS, Certificate(((("A", "B", "C"), 3),), 1, 2)) == 2
    # The even cycle ABCD, closed by triangles through A and C, who are level: a
    # cycle counts, whoever won inside it.
    wins = table({"AB": 1, "BC": 1, "CD": 1, "DA": 1})
    halves = ((("A", "B", "C"), 1), (("A", "C", "D"), 1))
    assert (
        check_certificate(wins, Certificate(halves, 1, 1))
        == 1
        == exact_order(wins).cost
    )


@pytest.mark.parametrize(
    "cycles, scale, message",
    [
        (((("A", "B", "C"), 9),), 1, "claims 3, but proves -7"),
        (((("A", "B", "C"), 1), (("B", "C", "A"), 2)), 1, "claims 3, but proves 2"),
        (((("A", "B"), 5),), 1, "claims 3, but proves 0"),
        (((("A", "B", "A", "C"), 3),), 1, "not a cycle of different systems"),
        ((((), 5),), 1, "not a cycle of different systems"),
        (((("A", "B", "Q"), 3),), 1, "not a cycle of different systems of the table"),
        (((("A", "B", "C"), 2), (("A", "C", "B"), -1)), 1, "must be positive"),
        (((("A", "B", "C"), 3),), 0, "must be positive"),
        (((("A", "B", "C"), 1.5),), 1, "must be positive whole numbers"),
    ],
)
def test_an_invalid_certificate_is_refused(cycles, scale, message):
    with pytest.raises(ValueError, match=message):
        check_certificate(WINS, Certificate(cycles, scale, 3))


@given(judgements(), st.data())
@settings(max_examples=80, deadline=None)
def test_check_certificate_of_changed_certificates_never_exceeds_the_cost(wins, data):
    result = exact_order(wins)
    cycles = list(result.certificate.cycles)
    names = st.lists(st.sampled_from(list(wins.index)), max_size=4).map(tuple)
    cycles += data.draw(st.lists(st.tuples(names, st.integers(-1, 3)), max_size=2))
    cycles = tuple(
        (cycle, times + data.draw(st.sampled_from([0, 0, 1, -1])))
        for cycle, times in cycles
    )
    scale = data.draw(st.integers(0, 2))
    claim = data.draw(st.integers(-9, 9))
    try:
        bound = check_certificate(wins, Certificate(cycles, scale, claim))
    except ValueError:
        return
    assert claim <= bound <= result.cost


# Limits.


# Every judgement a coin toss: far beyond what can be proven.
HARD = random_wins(45, 7, spread=0)


@pytest.mark.parametrize("seconds", [0, 0.3])
def test_exact_order_under_a_short_limit_is_not_optimal(seconds):
    result = exact_order(HARD, time_limit=seconds)
    assert_sound(HARD, result)
    assert not result.optimal
    assert result.proof == "none"
    assert result.optimal_orders is result.rank_ranges is result.agreed is None


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_exact_order_refuses_a_negative_limit(seconds):
    with pytest.raises(ValueError, match="time_limit must be a number of seconds"):
        exact_order(HARD, time_limit=seconds)


def test_too_many_optima_are_not_counted(monkeypatch):
    monkeypatch.setattr(mfas, "LARGEST_COUNTING", 1000)
    names = [f"s{k:02d}" for k in range(30)]
    result = exact_order(pd.DataFrame(0, index=names, columns=names))
    assert (result.order, result.optimal) == (tuple(names), True)
    assert result.optimal_orders is result.rank_ranges is result.agreed is None


def test_counts_may_exceed_machine_integers():
    # 44 even cycles of three systems, each cycle wholly above the next: 3**44
    # optimal orders.
    beats = pd.DataFrame(np.triu(np.ones((132, 132), dtype=int), 1))
    for first in range(0, 132, 3):
        beats.loc[first, first + 2], beats.loc[first + 2, first] = 0, 1
    beats.index = beats.columns = [f"s{k:03d}" for k in range(132)]
    assert exact_order(beats).optimal_orders == 3**44 > 2**63


def good():
    return table({"AB": 1, "BC": 2})


# Bad input.


@pytest.mark.parametrize(
    "wins, message",
    [
        (pd.DataFrame(), "empty"),
        (good().iloc[:2], "the same systems as rows and as columns"),
        (good().rename(index={"A": "Z"}), "the same systems as rows and as columns"),
        (good().rename(index={"A": "B"}, columns={"A": "B"}), "each once"),
        (good() - 1, "whole numbers from 0"),
        (good() / 2, "whole numbers from 0"),
        (good().where(good() > 0), "whole numbers from 0"),
        (good().map(lambda cell: "two" if cell == 2 else cell), "must hold numbers"),
        (good().rename(index={"A": 1}, columns={"A": 1}), "named by strings"),
    ],
)
def test_exact_order_refuses_in_one_line(wins, message):
    with pytest.raises(ValueError, match=message) as caught:
        exact_order(wins)
    assert "\n" not in str(caught.value)


def test_an_array_has_numbered_systems_and_counts_their_names():
    wins = random_wins(11, 0, spread=3)
    named = exact_order(wins)
    numbered = exact_order(wins.to_numpy())
    assert [f"s0{name}" for name in numbered.order] == [*named.order]
    assert exact_order(Counts(wins, 0 * wins)).order == named.order
    assert (
        check_certificate(wins.to_numpy(), numbered.certificate)
        == named.certificate.bound
    )
    with data_error("the same systems as rows and as columns"):
        exact_order(np.zeros((2, 3)))


# What an order violates.


@pytest.mark.parametrize(
    "order, edges",
    [
        ("ABCD", []),
        ("ACBD", [("B", "C", 1)]),  # the order of Equation 1
        ("DCBA", [(winner, loser, FIGURE2[winner + loser]) for winner, loser in
                  ("CD", "BD", "BC", "AD", "AC", "AB")]),
    ],
)  # fmt: skip
def test_edges_of_figure_2_that_an_order_reverses(order, edges):
    edges_up = violated(table(FIGURE2), order)
    assert list(edges_up.itertuples(index=False, name=None)) == sorted(
        edges, key=lambda edge: (order.index(edge[0]), order.index(edge[1]))
    )
    assert violated_weight(table(FIGURE2), order) == sum(w for *_, w in edges)


@pytest.mark.parametrize(
    "order, odd", [("ABC", "D"), ("ABCDE", "E"), ("ABCDD", "a system named twice")]
)
def test_an_order_that_is_no_permutation_is_refused(order, odd):
    with pytest.raises(ValueError, match=f"not a permutation of the systems: {odd}$"):
        violated(table(FIGURE2), order)
