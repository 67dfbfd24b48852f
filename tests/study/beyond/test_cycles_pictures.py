"""Figures of notebook 13: the data behind what is drawn."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from study.beyond import cycles, cycles_pictures
from wmtlib import mfas

matplotlib.use("agg")
NAMES = ["a", "b", "c"]
IN_A_CIRCLE = pd.DataFrame([[0, 3, 0], [0, 0, 5], [2, 0, 0]], NAMES, NAMES)


def titles(axes):
    return [ax.get_title() or ax.get_title(loc="left") for ax in axes]


def test_a_cycle_is_drawn_beside_the_pair_that_the_best_order_contradicts():
    _, axes = plt.subplots(1, 2)
    cycles_pictures.draw_cycle(IN_A_CIRCLE, mfas.exact_order(IN_A_CIRCLE), axes)
    arrows = [text.arrow_patch for text in axes[0].texts if hasattr(text, "xyann")]
    assert [patch.get_linestyle() for patch in arrows].count(":") == 1
    assert len(axes[1].patches) == 1  # framed
    assert "one cycle" in titles(axes)
    plt.close("all")


def test_without_a_cycle_the_first_systems_are_drawn():
    ordered = pd.DataFrame(np.triu(np.full((4, 4), 2), 1), [*"abcd"], [*"abcd"])
    _, axes = plt.subplots(1, 2)
    cycles_pictures.draw_cycle(ordered, mfas.exact_order(ordered), axes)
    assert {"a", "b", "c"} <= {text.get_text() for text in axes[0].texts}
    assert "no cycle: the first systems" in titles(axes)
    plt.close("all")


def test_a_world_is_drawn_in_the_order_that_is_expected():
    expected = IN_A_CIRCLE - IN_A_CIRCLE.T
    _, axes = plt.subplots(1, 2)
    cycles_pictures.draw_world(expected, -expected, axes)
    for ax in axes:
        assert [tick.get_text() for tick in ax.get_yticklabels()] == ["b", "a", "c"]
    plt.close("all")


def test_the_observed_weight_is_a_line_among_the_worlds():
    _, ax = plt.subplots()
    cycles_pictures.draw_weights(pd.Series([0, 0, 3]), 2, ax)
    assert [bar.get_height() for bar in ax.patches] == [2, 1]
    assert ax.lines[0].get_xdata()[0] == 2
    plt.close("all")


def test_the_main_test_is_the_first_row():
    labels = ["2010 Czech-English", "2010 Czech-English (crowd)", "2012 Czech-English"]
    drawn = pd.DataFrame([[2, 5, 0], [0, 9, 0], [1, 1, 0]], columns=labels)
    violated = {"observed": drawn[:1], "transitive": drawn, "segment": drawn}
    violated |= {"0.3": drawn}
    totals = cycles.compare_totals(violated, "ranking")
    _, axes = plt.subplots(2)
    cycles_pictures.draw_tasks(cycles.beside_chance(violated), totals, axes)
    first, *others = [tick.get_text() for tick in axes[0].get_yticklabels()]
    assert first == "all 3 tasks: the main test" and len(others) == 3
    assert len(axes[1].get_yticklabels()) == 2  # none of 2012 has cycles
    plt.close("all")
    _, axes = plt.subplots(1, 3)
    cycles_pictures.draw_totals(violated, axes)
    assert [ax.lines[0].get_xdata()[0] for ax in axes] == [7, 2, 1]
    assert all(len(ax.patches) == 2 for ax in axes)
    plt.close("all")


def test_power_begins_at_the_level_of_the_test():
    table = pd.DataFrame([[0.1, 0.2, 0.4]], ["total, all tasks"])
    _, ax = plt.subplots()
    cycles_pictures.draw_power(table, ax)
    assert ax.lines[0].get_ydata().tolist() == [0.05, 0.1, 0.2, 0.4]
    assert ax.lines[0].get_label() == "all tasks together"
    plt.close("all")
