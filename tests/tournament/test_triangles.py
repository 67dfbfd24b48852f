"""The linear program over cycles of three: two methods, one value, and never above the optimum."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from wmtlib import _mfas_search as cutting_planes
from wmtlib import _mfas_search as cycle_packing
from wmtlib import _mfas_search as local_search
from wmtlib import _mfas_search as triangles
from wmtlib import mfas as algorithm1


def noisy(n: int, seed: int, *, heavy: bool = False) -> np.ndarray:
    """Margins of a noisy tournament; `heavy`: weights that spread over several decades."""
    rng = np.random.default_rng(seed)
    upper = rng.integers(-9, 10, (n, n)) + np.arange(n) // 3
    if heavy:
        upper *= np.exp(rng.normal(5, 2, (n, n))).astype(int)
    upper = np.triu(upper, 1)
    return upper - upper.T


def full_value(program: triangles.Program) -> float:
    """The same program with every inequality at once, by SciPy."""
    rows = program.rows(np.arange(len(program.pairs))).toarray()
    limit = np.repeat([1.0, 0.0], len(rows))
    solved = linprog(program.gain, np.vstack([rows, -rows]), limit, bounds=(0, 1))
    return program.constant + solved.fun


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_both_methods_reach_the_value_of_the_program(seed, heavy):
    margin = noisy(16, seed, heavy=heavy)
    program = triangles.program(margin)
    value = full_value(program)
    upper = int(np.ceil(value)) + 1  # out of reach: the gradient method goes on until both agree
    gradient = triangles.primal_dual(program, upper)
    planes = cutting_planes.Relaxation(program, margin).solve(np.arange(16))[1:]
    total = gradient[0].total(margin) / gradient[0].scale
    assert total == pytest.approx(value, rel=1e-6, abs=0.1)
    assert planes[0].bound(margin) == np.ceil(value - 1e-3)  # it may stop within one of an order
    for packing, order in (gradient, planes):
        assert packing.bound(margin) <= local_search.cost(margin, order)
        assert all(times > 0 and len(cycle) == 3 for cycle, times in packing.cycles.items())


@given(st.integers(3, 7), st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_bound_exceeds_the_optimum(n, seed, heavy):
    margin = noisy(n, seed, heavy=heavy)
    best = algorithm1.algorithm1(wins_of(margin))[1]
    program = triangles.program(margin)
    for packing in (
        cutting_planes.Relaxation(program, margin).solve(np.arange(n)).packing,
        triangles.primal_dual(program, best)[0],
        cycle_packing.greedy_packing(margin, local_search.first_guess(margin)),
    ):
        assert packing.bound(margin) <= best


def wins_of(margin: np.ndarray) -> pd.DataFrame:
    """A table of wins that has these margins."""
    names = [f"s{k}" for k in range(len(margin))]
    return pd.DataFrame(margin.clip(min=0), index=names, columns=names)


def test_any_multiplicities_bound_the_cost():
    """The inequalities of `cycle_packing`, on packings that nobody optimised."""
    rng = np.random.default_rng(5)
    margin = noisy(7, 3)
    best = algorithm1.algorithm1(wins_of(margin))[1]
    for _ in range(200):
        cycles = {tuple(rng.permutation(7)[: rng.integers(2, 6)].tolist()) for _ in range(4)}
        packing = cycle_packing.Packing({c: int(rng.integers(1, 5)) for c in cycles}, 2)
        assert packing.bound(margin) <= best


def test_systems_in_different_components_share_no_inequality():
    cycle = np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    margin = np.block([[cycle, np.ones((3, 3))], [-np.ones((3, 3)), cycle]]).astype(int)
    assert triangles.program(margin).triple.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_deadline_in_the_past_proves_what_the_margins_prove():
    margin = noisy(12, 0)
    program = triangles.program(margin)
    for packing, order in (
        cutting_planes.Relaxation(program, margin).solve(np.arange(12), deadline=0.0)[1:],
        triangles.primal_dual(program, 9, deadline=0.0),
    ):
        assert packing.bound(margin) == 0 and sorted(order) == list(range(12))
