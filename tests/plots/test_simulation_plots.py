"""What the figures of simulated campaigns show."""

import matplotlib

matplotlib.use("agg")

import pandas as pd
import pytest

from wmtlib.study import pictures


def test_simulated_numbers_stand_over_the_real_median(ax):
    columns = ["real", "real_error", "low", "high", "simulated", "simulated_error"]
    rows = [(4.0, 0.5, 2.0, 5.0, 3.0, 0.1), (0.0, 0.0, 0.0, 1.0, 0.5, 0.1)]
    table = pd.DataFrame(rows, columns=columns, index=["system_document", "zeros"])
    pictures.beside_real(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["system document"]  # 0 is left out
    (bar,) = ax.patches
    assert (bar.get_x(), bar.get_width()) == (0.5, 0.75)
    simulated = ax.containers[-1].lines[0]
    assert simulated.get_xdata().tolist() == [0.75]


@pytest.mark.parametrize("zero", [False, True])
def test_protocols_of_two_worlds_stand_beside_each_other(ax, zero):
    table = pd.DataFrame(
        {"world": ["v", "v", "w", "w"], "protocol": ["a", "b"] * 2, "value": [1.0, 2, 3, 4]}
    ).assign(error=0.1)
    pictures.protocols(table, ["b", "a"], ax, xlabel="x", zero=zero)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["b", "a"]
    assert [c.lines[0].get_xdata().tolist() for c in ax.containers] == [[2, 1], [4, 3]]
    assert [c.get_label() for c in ax.containers] == ["v", "w"]
    assert (ax.get_xlim()[0] == 0) is not zero
