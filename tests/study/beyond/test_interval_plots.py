"""What is drawn of values and their intervals."""

import numpy as np
import pandas as pd

from study.beyond import interval_plots


def test_points_have_their_intervals_and_numbers_the_first_on_top(ax):
    rows = {"share": [0.5, 0.25], "low": [0.4, np.nan], "high": [0.7, np.nan]}
    frame = pd.DataFrame(rows, index=["one", "two"])
    interval_plots.values_with_intervals(frame, ax, value="share", number=".2f")
    [points] = ax.lines
    assert points.get_xydata().tolist() == [[0.5, 0], [0.25, -1]]
    [span, *_] = ax.collections[0].get_segments()
    assert span.tolist() == [[0.4, 0], [0.7, 0]]
    assert [text.get_text() for text in ax.texts] == ["0.50", "0.25"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"]


def test_a_second_series_is_below_the_first(ax):
    frame = pd.DataFrame({"share": [0.5], "from": [0.4], "to": [0.7]}, index=["one"])
    options = {"value": "share", "ends": ("from", "to")}
    interval_plots.values_with_intervals(frame, ax, **options)
    interval_plots.values_with_intervals(frame, ax, **options, down=0.3, label="b")
    assert [line.get_ydata().item() for line in ax.lines] == [0, -0.3]


def test_a_promise_is_a_line_with_its_words(ax):
    interval_plots.promise(ax, 0.95, "promised: 95 %")
    assert [*ax.lines[0].get_xdata()] == [0.95, 0.95]
    [words] = ax.texts
    assert words.get_text() == "promised: 95 %" and words.get_ha() == "right"
