"""Figures of the protocols: the drawn numbers."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from wmtlib.plots import protocol_plots

ROWS = [("RR", "a", 50, 0.2, 36.0), ("RR", "a", 100, 0.4, 36.0), ("RR", "b", 50, 0.4, 72.0)]
ROWS += [("RR", "c", 50, 0.9, 36.0), ("MQM", "d", 50, 0.1, np.nan)]
CURVES = pd.DataFrame(ROWS, columns=["protocol", "campaign", "size", "value", "seconds"])


def test_curves_of_campaigns_their_mean_and_their_hours():
    figure, axes = plt.subplots(2, 2)
    protocol_plots.learning_curves(CURVES, axes, ("RR", "MQM"))
    *campaigns, mean, _ = axes[0, 0].lines
    assert [line.get_xdata().tolist() for line in campaigns] == [[50, 100], [50], [50]]
    assert mean.get_xdata().tolist() == [50]  # one of three campaigns reaches 100
    assert mean.get_ydata().tolist() == pytest.approx([0.5])
    assert axes[1, 0].lines[0].get_xdata().tolist() == [0.5, 1.0]
    assert [t.get_text() for t in axes[1, 1].texts] == ["time not recorded"]
    assert len({ax.get_ylim() for ax in axes.flat}) == 1
    plt.close(figure)


def test_the_line_is_that_of_normal_scores(ax):
    points = pd.DataFrame({"protocol": ["ESA"], "ratio": [0.01], "tau": [0.3]})
    protocol_plots.against_noise(points, ax, size=100)
    ratio, tau = ax.lines[0].get_data()
    assert np.interp(0.01, ratio, tau) == pytest.approx(1 / 3, abs=1e-3)  # r = 1/2: arcsin 30 deg
    assert ax.collections[0].get_offsets().tolist() == [[0.01, 0.3]]
