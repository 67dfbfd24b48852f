"""Figures of section 3: the data behind what is drawn."""

import matplotlib
import pandas as pd
from matplotlib import pyplot as plt

from study.knowles2021 import section_3_pictures

matplotlib.use("agg")
RULES = ["footnote-4", "official"]


def test_a_ranking_says_of_how_many_lower_systems_each_is_better():
    ranking = pd.DataFrame(
        {
            "system": [*"abc"],
            "score": [0.5, 0.1, -0.2],
            "wins": [2, 0, 0],
            "line": [True, False, False],
        }
    )
    ends = pd.DataFrame({"low": [0.4, 0, -0.3], "high": [0.6, 0.2, -0.1]}, [*"abc"])
    _, ax = plt.subplots()
    section_3_pictures.draw_ranking(ranking, ax, intervals=ends)
    [side] = ax.child_axes
    words = [tick.get_text() for tick in side.get_yticklabels()]
    assert words == ["2 of 2", "0 of 1", "0 of 0"]
    plt.close("all")


def test_a_bar_for_each_line_of_each_choice():
    tests = [(test, rule) for test in section_3_pictures.TESTS for rule in RULES]
    lines = pd.DataFrame(False, [*"abc"], pd.MultiIndex.from_tuples(tests))
    lines.loc["a", ("two-sided", "official")] = True
    _, ax = plt.subplots()
    section_3_pictures.draw_choices(lines, ax)
    bars = [bar for drawn in ax.collections[:-1] for bar in drawn.get_segments()]
    [[[left, low], [right, high]]] = bars
    assert low == high == 0.5 and 1 < left < right < 1.5
    plt.close("all")


def test_bars_of_the_pairs_that_move():
    moved = pd.DataFrame([[0, 0], [2, 1], [0, 1]], [*section_3_pictures.TESTS], RULES)
    _, ax = plt.subplots()
    section_3_pictures.draw_moved(moved, 3, ax)
    assert [bar.get_height() for bar in ax.patches] == [0, 2, 0, 0, 1, 1]
    _, ax = plt.subplots()
    section_3_pictures.draw_moved(moved, 0, ax)
    assert not ax.patches and ax.texts[0].get_text() == "no official tables here"
    plt.close("all")
