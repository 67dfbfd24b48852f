"""Algorithm 1 of Lopez (2012) against the exact order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.lopez2012.section_4 import figure_3, proof, steps
from wmtlib.mfas import exact_order, violated_weight

WINS = pd.DataFrame([[0, 5, 0], [0, 0, 4], [2, 0, 0]], [*"ABC"], [*"ABC"])


@given(st.integers(1, 8), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_last_step_costs_as_little_as_the_exact_order(n, seed):
    names = [*"ABCDEFGH"[:n]]
    cells = np.random.default_rng(seed).integers(0, 10, (n, n))
    wins = pd.DataFrame(cells, names, names)
    *_, (order, cost) = steps(wins)
    assert cost == violated_weight(wins, order) == exact_order(wins).cost


def test_steps_take_sets_in_the_order_of_their_cost():
    taken = list(steps(WINS))
    costs = [step.cost for step in taken]
    assert costs == sorted(costs) and taken[0] == ((), 0)
    assert taken[-1] == (("A", "B", "C"), 2)


def test_steps_refuse_negative_wins():
    with pytest.raises(ValueError, match="whole numbers from 0"):
        next(steps(WINS - 1))


def test_proof_adds_up_to_what_the_order_violates():
    wins = figure_3()
    exact = exact_order(wins)
    table = proof(wins - wins.T, exact.certificate)
    assert table["used"].tolist() == [1, 1, 1, 1] == table["cycle 1"].tolist()
    assert table.loc["G → E", "weight"] == 1 and table.loc["sum", "weight"] == ""
    assert exact.cost == 1 and exact.order == ("E", "F", "G")
