"""What the pictures of the data show."""

import matplotlib.pyplot as plt
import pandas as pd

from wmtlib.study import pictures


def test_bars_of_a_campaign_follow_one_another():
    levels = {"single judgements": [3, 0], "segment means": [1, 2], "nothing": [0, 4]}
    ax = pictures.campaigns(pd.DataFrame(levels, index=["a", "b"]), {"a": "x"}, plt.subplot())
    ends = {(round(p.get_x(), 3), p.get_width()) for bars in ax.containers for p in bars}
    assert ends == {(0, 3), (0, 0), (3, 1), (0, 2), (4, 0), (2, 4)}
    assert [t.get_text() for t in ax.texts] == ["x", ""]
    plt.close()


def test_every_task_has_a_dot_on_its_line():
    rows = {"campaign": ["wmt11", "wmt10", "wmt11"], "label": ["one", "two", "three"]}
    tasks = pd.DataFrame(rows | {"comparisons_per_pair": [20.0, 10.0, 5.0]})
    ax = pictures.comparisons_per_pair(tasks, plt.subplot())
    dots = {y: x for line in ax.lines for x, y in zip(*line.get_data(), strict=True)}
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert {labels[round(y)]: x for y, x in dots.items()} == {"one": 20, "two": 10, "three": 5}
    plt.close()
