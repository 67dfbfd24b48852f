"""What an order violates: Figure 2 of Lopez (2012) by hand, and what must hold for any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import NAMES, PAIRS, counts_of, full

from wmtlib import mfas as violations

FIGURE_2 = counts_of(
    ("A", "B", 3, 0, 0),
    ("A", "C", 1, 0, 0),
    ("A", "D", 1, 0, 0),
    ("B", "C", 1, 0, 0),
    ("B", "D", 1, 0, 0),
    ("C", "D", 2, 0, 0),
)


@pytest.mark.parametrize(
    ("order", "edges"),
    [
        ("ABCD", []),
        ("ACBD", [("B", "C", 1)]),  # the order of Equation 1
        ("DCBA", [("C", "D", 2), ("B", "D", 1), ("B", "C", 1), ("A", "D", 1), ("A", "C", 1),
                  ("A", "B", 3)]),
    ],
)  # fmt: skip
def test_edges_of_figure_2_that_an_order_reverses(order, edges):
    table = violations.violated(order, FIGURE_2.wins)
    assert list(table.itertuples(index=False, name=None)) == sorted(
        edges, key=lambda edge: (order.index(edge[0]), order.index(edge[1]))
    )
    assert violations.violated_weight(order, FIGURE_2.wins) == sum(w for *_, w in edges)


@given(PAIRS, st.permutations(NAMES))
def test_an_order_and_its_reverse_together_violate_every_decided_edge_once(pairs, order):
    counts = full(pairs)
    weights = [violations.violated_weight(o, counts.wins) for o in (order, order[::-1])]
    assert sum(weights) == np.abs(counts.margins.to_numpy()).sum() // 2


@pytest.mark.parametrize(
    ("order", "odd"), [("ABC", "D"), ("ABCDE", "E"), ("ABCDD", "a system named twice")]
)
def test_an_order_that_is_no_permutation_is_refused(order, odd):
    with pytest.raises(ValueError, match=f"not a permutation of the systems: {odd}$"):
        violations.violated(order, FIGURE_2.wins)


def test_spearman_by_hand():
    assert violations.spearman("ABCD", "ABCD") == 1
    assert violations.spearman("ABCD", "DCBA") == -1
    # places differ by 0, 1, -1, 0: 1 - 6 * 2 / (4 * 15)
    assert violations.spearman("ABCD", "ACBD") == pytest.approx(0.8)
