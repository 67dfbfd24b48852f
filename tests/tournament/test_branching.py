"""Branch and bound against Algorithm 1, and what it says when it is stopped."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import _mfas_search as branching
from wmtlib import _mfas_search as cutting_planes
from wmtlib import _mfas_search as local_search
from wmtlib import _mfas_search as triangles
from wmtlib import mfas as algorithm1
from wmtlib._mfas_search import Relaxation

LETTERS = "abcdefghijk"


def instance(seed: int) -> tuple[np.ndarray, Relaxation, int]:
    """The quadratic residues modulo 11, with uneven weights; and the least cost.

    i beats j where i - j is a square: no system is better, and the linear program falls short.
    """
    squares = [(k * k) % 11 for k in range(1, 11)]
    beats = np.isin(np.subtract.outer(range(11), range(11)) % 11, squares)
    weight = np.triu(np.random.default_rng(seed).integers(90, 110, (11, 11)), 1)
    wins = beats * (weight + weight.T)
    margin = wins - wins.T
    least = algorithm1.algorithm1(pd.DataFrame(wins, index=[*LETTERS], columns=[*LETTERS])).cost
    return margin, Relaxation(triangles.program(margin), margin), least


@pytest.mark.parametrize("states", [0, 30])
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_proves_the_optimum_of_algorithm_1(seed, states):
    margin, relaxation, least = instance(seed)
    assert relaxation.solve(np.arange(11)).packing.bound(margin) < least  # there is work to do
    order, lower = branching.branch_and_bound(
        relaxation, np.arange(11), 0, nodes=np.inf, states=states, deadline=np.inf
    )
    assert local_search.cost(margin, order) == lower == least


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_a_tree_that_is_cut_short_has_a_bound_and_an_order(nodes):
    margin, relaxation, least = instance(0)
    order, lower = branching.branch_and_bound(
        relaxation, np.arange(11), 7, nodes=nodes, states=0, deadline=np.inf
    )
    assert 7 <= lower < least <= local_search.cost(margin, order)
    assert (lower > 7) == (nodes > 0)


@pytest.mark.parametrize("seed", range(4))
def test_no_bound_exceeds_the_optimum_while_only_a_bad_order_is_known(seed, monkeypatch):
    monkeypatch.setattr(cutting_planes, "descend", lambda margin, order: np.arange(11))
    _, relaxation, least = instance(seed)
    lower = [
        branching.branch_and_bound(
            relaxation, np.arange(11), 0, nodes=nodes, states=0, deadline=np.inf
        )[1]
        for nodes in (1, 5, 25, 125)
    ]
    assert lower == sorted(lower) and 0 < lower[0] < lower[-1] <= least


@given(st.integers(0, 10**6), st.data())
@settings(max_examples=25, deadline=None)
def test_a_node_never_claims_more_than_its_best_order_costs(seed, data):
    margin, relaxation, _ = instance(seed)
    place = data.draw(st.permutations(range(11)))
    every = [(a, b) for i, a in enumerate(place) for b in place[i + 1 :]]
    above = data.draw(st.lists(st.sampled_from(every), max_size=6, unique=True))
    forced, paid = branching.forced_margins(margin, above, 10**4)
    wins = pd.DataFrame(forced.clip(min=0), index=[*LETTERS], columns=[*LETTERS])
    best, cost = algorithm1.algorithm1(wins)
    order = [LETTERS.index(name) for name in best]
    assert all(order.index(a) < order.index(b) for a, b in above)
    assert local_search.cost(margin, order) == cost + paid
    relaxation.force(above)
    solved = relaxation.solve(np.arange(11))
    assert solved.packing.bound(forced) <= cost
    # It may stop before it is solved if the order it knows is cheaper than all that are left.
    if cost + paid <= local_search.cost(margin, solved.order):
        assert all(solved.u[relaxation.program.pair[a, b]] == (a < b) for a, b in above)


def test_pairs_are_freed_when_others_are_forced():
    margin, relaxation, _ = instance(2)
    before = relaxation.solve(np.arange(11))
    relaxation.force([(8, 0), (3, 1)])
    relaxation.solve(np.arange(11))
    relaxation.force([])
    after = relaxation.solve(np.arange(11))
    assert before.packing.bound(margin) == after.packing.bound(margin)


def test_the_undecided_pair_is_the_one_with_most_at_stake():
    program = triangles.program(np.array([[0, 1, -1], [-1, 0, 9], [1, -9, 0]]))
    assert program.undecided(np.array([0.5, 0.4, 0.0])) == (0, 1)
    assert program.undecided(np.array([0.5, 0.5, 0.2])) == (1, 2)
