"""Figures and tables of Lopez (2012) as pictures: what is drawn, by hand."""

import matplotlib
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

from study.lopez2012 import drawings, section_2, tables

matplotlib.use("agg")
pytestmark = pytest.mark.usefixtures("style_of_figures")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_figure_1_has_ten_comparisons_and_one_tie():
    _, assessment = section_2.figure_1(None)
    figure, _ = drawings.figure_1(assessment)
    ranking, signs = figure.axes
    assert texts(ranking) == ["JHU", "BBN-COMBO", "RWTH,  RWTH-COMBO", "CMU"]
    assert sorted(texts(signs)) == sorted("≺" * 9 + "≡")


def test_a_sign_points_from_its_row_to_its_column():
    """b is better than a, which stands in the row."""
    columns = ["ranking", "system", "rank"]
    assessment = pd.DataFrame([(0, "a", 2), (0, "b", 1)], columns=columns)
    ax = drawings.implied_signs(assessment, plt.subplots()[1])
    assert texts(ax) == ["≻"]


def test_figure_3_dots_the_edges_that_the_best_order_reverses():
    wins = pd.DataFrame([[0, 3, 0], [0, 0, 2], [1, 0, 0]], [*"xyz"], [*"xyz"])
    figure, _ = drawings.figure_3(wins, "a task")
    for ax in figure.axes:
        arrows = [getattr(text, "arrow_patch", None) for text in ax.texts]
        styles = [arrow.get_linestyle() for arrow in arrows if arrow]
        assert styles.count(":") == 1 and len(styles) == 3


def test_frames_of_table_3_are_solid_where_all_best_orders_agree(found):
    figure, _ = drawings.table_3(found)
    frames = [p for p in figure.axes[0].patches if isinstance(p, Rectangle)]
    solid = [frame.get_linestyle() in ("-", "solid") for frame in frames]
    assert (len(frames), sum(solid)) == (24, 12)
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "12 violated in each of the 8 best orders",
        "12 only in some of them",
    ]


def test_ties_are_drawn_in_the_order_of_equation_2(found):
    figure, _ = drawings.table_4(found)
    ax = figure.axes[1]
    order = found.orders[tables.TUNABLE_METRICS]["heuristic2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == order
    assert texts(ax)[:3] == ["51", "44", "57"]


def test_best_orders_are_drawn_from_the_printed_one(found):
    figure, caption = drawings.optimal_orders(found, tables.FRENCH_ENGLISH)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == tables.printed_order(found, "table-3")
    assert "as Table 3 prints both" in caption
    _, caption = drawings.optimal_orders(found, "2010 German-English")
    assert "Table 3" not in caption
