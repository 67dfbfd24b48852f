"""Figures of plans show what they are given."""

import pandas as pd
from matplotlib.figure import Figure

from wmtlib.plots import plan_plots


def test_points_intervals_and_numbers():
    ends = {"low": [0.0, 0.7], "high": [0.3, 1.0]}
    bins = pd.DataFrame({"pairs": [40, 7], "chance": [0.1, 0.9], "apart": [0.2, 0.8], **ends})
    ax = plan_plots.calibration(bins, Figure().subplots(), label="x", colour="k", marker="o")
    assert [text.get_text() for text in ax.texts] == ["40", "7"]
    (points,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert points.get_xydata().tolist() == [[0.1, 0.2], [0.9, 0.8]]
