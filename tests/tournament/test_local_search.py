"""Local search: costs by hand, moves in place, and iterations that depend on the margins alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import _mfas_search as local_search


def noisy(n: int, seed: int) -> np.ndarray:
    """Margins in which the first systems tend to win."""
    upper = np.triu(np.random.default_rng(seed).integers(-6, 12, (n, n)), 1)
    return upper - upper.T


@given(st.integers(1, 9), st.integers(0, 99), st.data())
@settings(max_examples=50, deadline=None)
def test_an_insertion_moves_one_system_in_both_arrays(n, seed, data):
    margin, order = noisy(n, seed), np.random.default_rng(seed).permutation(n)
    mover, place = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n))
    expected = order.tolist()
    system = expected.pop(mover)
    expected.insert(place - (place > mover), system)
    in_order = margin[np.ix_(order, order)]
    local_search.insert(in_order, order, mover, place)
    assert order.tolist() == expected
    assert (in_order == margin[np.ix_(order, order)]).all()


@given(st.integers(2, 9), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_no_single_insertion_improves_what_descent_leaves(n, seed):
    margin = noisy(n, seed)
    order = local_search.descend(margin, range(n))
    for mover in range(n):
        for place in range(n):
            other = np.insert(np.delete(order, mover), place, order[mover])
            assert local_search.cost(margin, other) >= local_search.cost(margin, order)


def test_iterations_never_lose_are_repeatable_and_stop_at_the_bound():
    margin = noisy(40, 1)
    start = local_search.descend(margin, local_search.first_guess(margin))
    before = start.copy()
    one, other = (local_search.iterated(margin, start, kicks=60, lower=0) for _ in range(2))
    assert (one == other).all() and (start == before).all()
    assert sorted(one) == list(range(40))
    assert local_search.cost(margin, one) < local_search.cost(margin, start)
    reached = local_search.cost(margin, start)
    assert (local_search.iterated(margin, start, kicks=60, lower=reached) == start).all()
