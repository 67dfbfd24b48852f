"""The search for exact orders: its parts against plain loops and SciPy."""

import time
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from least_cost import least_cost
from scipy.optimize import linprog

from examples import rng
from wmtlib.core import mfas_search as search
from wmtlib.core.mfas_search import CycleProgram, Packing, cost

seeds = st.integers(0, 10**6)


def noisy(n, seed, *, heavy=False):
    """Margins of a noisy tournament; `heavy`: weights spread over decades."""
    rng = np.random.default_rng(seed)
    upper = rng.integers(-9, 10, (n, n)) + np.arange(n) // 3
    if heavy:
        upper *= np.exp(rng.normal(5, 2, (n, n))).astype(int)
    upper = np.triu(upper, 1)
    return upper - upper.T


def residues(seed):
    """The quadratic residues modulo 11, with uneven weights.

    i beats j where i - j is a square: no system is better, and the linear program falls
    short.
    """
    squares = [(k * k) % 11 for k in range(1, 11)]
    beats = np.isin(np.subtract.outer(range(11), range(11)) % 11, squares)
    weight = np.triu(rng(seed).integers(2, 4, (11, 11)), 1)
    wins = beats * (weight + weight.T)
    return wins - wins.T


def solved(margin, order=None, **options):
    order = np.arange(len(margin)) if order is None else order
    return CycleProgram(margin).solve(order, **options)


# Local search.


@given(st.integers(2, 9), seeds)
@settings(max_examples=30, deadline=None)
def test_no_single_insertion_improves_what_descent_leaves(n, seed):
    margin = noisy(n, seed)
    order = search.descend(margin, np.arange(n))
    for mover in range(n):
        for place in range(n):
            other = np.insert(np.delete(order, mover), place, order[mover])
            assert cost(margin, other) >= cost(margin, order)


# The linear program.


def full_value(margin):
    """The linear program with every inequality at once, written pair by pair."""
    n = len(margin)
    pairs = [*combinations(range(len(margin)), 2)]
    rows = []
    right = []
    for cycle in permutations(range(n), 3):
        row = np.zeros(len(pairs))
        limit = 2
        for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            row[pairs.index((min(a, b), max(a, b)))] += 1 if a < b else -1
            limit -= a > b
        rows.append(row)
        right.append(limit)
    gain = np.array([-margin[pair] for pair in pairs], dtype=float)
    result = linprog(gain, np.array(rows), right, bounds=(0, 1))
    return -gain.clip(max=0).sum() + result.fun


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_lazy_inequalities_reach_the_value_of_the_program(seed, heavy):
    margin = noisy(13, seed, heavy=heavy)
    packing, order = solved(margin)
    # It may stop within one of an order.
    assert (
        packing.bound(margin)
        == np.ceil(full_value(margin) - 1e-3)
        <= cost(margin, order)
    )
    assert all(times > 0 and len(cycle) == 3 for cycle, times in packing.cycles.items())


@given(st.integers(3, 7), seeds, st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_bound_exceeds_the_optimum(n, seed, heavy):
    margin = noisy(n, seed, heavy=heavy)
    best = least_cost(margin)
    for packing in (
        solved(margin)[0],
        search.greedy_packing(margin, search.first_guess(margin)),
        search.greedy_packing(margin, np.arange(n)),
    ):
        assert packing.bound(margin) <= best


def test_inequalities_are_unique():
    margin = noisy(14, 2)
    program = CycleProgram(margin)
    program.solve(np.arange(14))
    assert len({*map(tuple, program.cycles.tolist())}) == len(program.cycles)


# The search, and all together.


@pytest.mark.parametrize("seed", range(2))
def test_search_proves_what_the_linear_program_does_not(seed):
    margin = residues(seed)
    least = least_cost(margin)
    root = solved(margin)[0]
    assert root.bound(margin) < least  # there is work to do
    proof = search.minimise(margin)
    assert cost(margin, proof.order) == proof.lower == least
    assert proof.packing.bound(margin) == root.bound(margin)


@given(st.integers(1, 6), seeds, st.booleans())
@settings(max_examples=40, deadline=None)
def test_least_costs_of_subsets_give_every_optimal_order(n, seed, heavy):
    margin = noisy(n, seed, heavy=heavy)
    table = search.LeastCosts(margin)
    orders = [*permutations(range(n))]
    costs = [cost(margin, order) for order in orders]
    best = [
        order for order, paid in zip(orders, costs, strict=True) if paid == min(costs)
    ]
    assert table.least[table.full] == min(costs)
    assert (*search.first_order(table),) == best[0]
    tops, count = search.optimal_prefixes(table, states=10**4)
    assert count == len(best)
    starts = {frozenset(order[:size]) for order in best for size in range(n + 1)}
    assert {frozenset(np.flatnonzero(top).tolist()) for top in tops} == starts
    for placed in range(table.full):
        systems = [system for system in range(n) if placed >> system & 1]
        alone = margin[np.ix_(systems, systems)]
        assert table.least[placed] == (least_cost(alone) if systems else 0)


@pytest.mark.parametrize("at_once", [1, 7, 2**13])
def test_least_costs_do_not_depend_on_block_size(monkeypatch, at_once):
    margin = noisy(9, 3)
    whole = search.LeastCosts(noisy(9, 3)).least
    monkeypatch.setattr(search.LeastCosts, "AT_ONCE", at_once)
    assert (search.LeastCosts(margin).least == whole).all()


@given(seed=seeds, states=st.integers(0, 300))
@settings(max_examples=30, deadline=None)
def test_minimise_under_a_limit_returns_bound_and_order(seed, states):
    """No local search helps: a bound that is too high would lose the optimum."""
    upper = np.triu(rng(seed).integers(-3, 4, (8, 8)), 1)
    margin = upper - upper.T
    start = search.descend(-margin, np.arange(8))
    options = {"states": states, "deadline": np.inf}
    order, lower = search.searched(margin, Packing({}, 1), start, **options)
    assert lower <= least_cost(margin) <= cost(margin, order) <= cost(margin, start)
    order, lower = search.searched(
        margin, Packing({}, 1), start, **options | {"states": np.inf}
    )
    assert lower == least_cost(margin) == cost(margin, order)


def test_limits_are_kept():
    margin = noisy(30, 4) * np.where(np.add.outer(range(30), range(30)) % 2, 1, -1)
    start = time.monotonic()
    proof = search.minimise(margin, deadline=start + 0.2)
    assert time.monotonic() - start < 5 and proof.lower <= cost(margin, proof.order)
    one, other = (search.minimise(margin, states=2000) for _ in range(2))
    assert (one.order == other.order).all()
    assert one.lower == other.lower <= cost(margin, one.order)
