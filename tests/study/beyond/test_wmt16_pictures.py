"""Pictures of notebook 60: a row for each task."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from study.beyond import wmt16_pictures


def names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_rank_ranges_have_a_panel_a_task_two_in_a_row():
    columns = ["first_rank", "last_rank", "cluster"]
    outcome = pd.DataFrame([(1, 1, 1), (2, 2, 2)], list("ab"), columns)
    tasks = [SimpleNamespace(label=name, outcome=outcome) for name in "wxyz"]
    fig = wmt16_pictures.rank_ranges(tasks, [outcome] * 4)
    assert [ax.get_title() for ax in fig.axes] == list("wxyz")
    assert [ax.get_xlabel() for ax in fig.axes] == ["", "", "rank", "rank"]
    plt.close(fig)


def test_stacked_parts_end_at_their_sum():
    parts = pd.DataFrame({"judged": [3, 5], "ties": [1, 2]}, index=["one", "two"])
    ax = wmt16_pictures.stacked(parts, plt.subplots()[1])
    ends = [bar.get_x() + bar.get_width() for bar in ax.containers[1]]
    assert ends == [4, 7] and names(ax) == ["one", "two"]
    plt.close()


def test_marked_has_a_mark_a_column_in_each_row():
    table = pd.DataFrame({"ours": [0.3, 0.4], "theirs": [0.6, 0.5]}, index=["a", "b"])
    ax = wmt16_pictures.marked(table, plt.subplots()[1])
    _, ours, theirs = ax.collections
    assert np.asarray(ours.get_offsets()) == pytest.approx(
        np.array([[0.3, 0], [0.4, 1]])
    )
    assert np.asarray(theirs.get_offsets()) == pytest.approx(
        np.array([[0.6, 0], [0.5, 1]])
    )
    plt.close()
