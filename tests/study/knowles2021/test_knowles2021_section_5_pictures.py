"""Pictures of section 5 of Knowles (2021): the data behind what is drawn."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from study.knowles2021 import section_5_pictures as drawing


@pytest.fixture
def axes():
    fig, axes = plt.subplots(1, 4)
    yield axes
    plt.close(fig)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_what_workers_saw_leaves_out_what_is_not_known(axes):
    rows = [
        # campaign, style, level, REF, BAD_REF, HUMAN, all systems
        ["wmt21", "SR+DC", "item", 1.0, 0.9, 0.5, 0.1],
        ["wmt20", "SR+DC", "recovered", 0.0, 0.0, 0.5, 0.1],
        ["wmt17", "SR-DC", "item", 0.9, 1.0, 0.0, 1.0],
        ["facebook21", "SR+DC", "item", 0.0, 0.0, 0.0, 1.0],
        ["wmt22", "mixed", "item", 1.0, 1.0, 0.0, 0.8],
    ]
    columns = ["campaign", "style", "level", *drawing.SAW]
    drawing.workers_saw(pd.DataFrame(rows, columns=columns), axes)
    names = ["WMT17, SR-DC", "WMT20, SR+DC, recovered", "WMT21, SR+DC"]
    assert labels(axes[0]) == names
    assert [len(texts(ax)) for ax in axes] == [1, 1, 0, 0]
    assert axes[3].lines[0].get_xdata().tolist() == [100, 10, 10]


def test_tables_2_and_3_draw_where_the_print_can_be(axes):
    counts = pd.DataFrame(
        [
            ["table-2", "SR-DC 2018", "rank", 1, 13, 1.0, 12.0],
            ["table-2", "SR-DC all", "cluster", 1, 21, np.nan, np.nan],
            ["table-3", "without the lowest ranked, SR+DC all", "rank", 18, 25, 8, 13],
        ],
        columns=["item", "row", "change", "k", "n", "ours_k", "ours_n"],
    )
    drawing.tables_2_and_3(counts, axes[:3])
    assert labels(axes[0])[-1] == "SR+DC, without the lowest"
    bars = axes[0].collections[0].get_segments()
    assert bars[0][:, 0] == pytest.approx([100 / 13, 200 / 13])
    assert bars[1][:, 0] == pytest.approx([100 * 8 / 25, 100 * 20 / 25])
    assert {"1/13", "1/12", "18/25", "8/13"} <= {*texts(axes[0])}
    assert texts(axes[1]) == ["1/21", "print", "ours"]


def test_systems_that_change_places_have_a_colour_of_their_own(axes):
    table = pd.DataFrame(
        {
            "place": [1, 2, 3],
            "place after": [1, 3, 2],
            "line": [True, False, False],
            "line after": [True, False, False],
            "rise": [0.1, 0.2, 0.3],
            "fall": [0.1, 0.2, 0.3],
        },
        index=["A", "B", "C"],
    )
    drawing.rises_by_fall([("one", table), ("two", table)], axes[:2])
    kept, moved = axes[0].collections
    assert kept.get_offsets().tolist() == [[0.1, 0.1]]
    assert moved.get_offsets().tolist() == [[0.2, 0.2], [0.3, 0.3]]
    drawing.before_and_after(table, axes[2])
    assert [label.get_text() for label in axes[2].get_xticklabels()] == [
        "all judgements",
        "without humans and references",
    ]


def test_draws_are_summed_over_the_pairs_of_a_style(axes):
    reversals = {
        "observed": pd.DataFrame({"style": ["SR+DC", "SR-DC", "SR+DC"]}),
        "a, b": pd.DataFrame([[1, 1, 2], [9, 9, 9], [0, 0, 0]]),
    }
    tests = pd.DataFrame(
        {"style": ["SR+DC"], "random": "a, b", "expected": 4 / 3, "observed": 5}
    )
    drawing.reversed_at_random(reversals, tests, axes[0])
    drawn = axes[0].collections[0]
    assert drawn.get_offsets()[:, 0].tolist() == [1, 2]
    assert drawn.get_sizes().tolist() == [10, 5]
    assert labels(axes[0]) == ["a,\nb"]


def test_differences_have_thick_intervals_only_where_there_are_two(axes):
    table = pd.DataFrame({"difference": [0.5, 0], "low": [0, -1], "high": [1, 1]})
    table["main"] = [True, False]
    drawing.differences(table, axes[0], labels=["x", "y"])
    drawing.differences(table.assign(least=0, most=1), axes[1], labels=["x", "y"])
    assert [len(ax.collections) for ax in axes[:2]] == [2, 3]
    assert labels(axes[0]) == ["x", "y"]


def test_styles_show_their_counts(axes):
    tests = pd.DataFrame(
        {
            "step": ["remove humans"],
            "change": ["rank"],
            "SR-DC": ["1/14"],
            "SR+DC": ["10/11"],
            "Holm": ["main test"],
            "difference": [0.8],
            "low": [0.5],
            "high": [0.9],
            "primary": [True],
        }
    )
    drawing.style_differences(tests, axes[0])
    assert labels(axes[0]) == ["without the humans: order"]
    assert {"10/11", "1/14", "main test", "p (Holm)"} <= {*texts(axes[0])}


def test_documents_are_above_sentences_beside_chance():
    names = ["a, b", "c, d"]
    reversals = {
        "observed": pd.DataFrame({"style": ["SR-DC", "SR+DC"]}),
        **dict.fromkeys(names, pd.DataFrame([[1, 2], [3, 3]])),
    }
    tests = pd.DataFrame(
        {"style": ["SR-DC", "SR-DC", "SR+DC", "SR+DC"], "random": 2 * names}
    )
    tests = tests.assign(pairs=7, observed=3, expected=2.0, difference=1.0)
    tests = tests.assign(low=0.0, high=2.0, least=0.5, most=1.5)
    tests["primary"] = [False, False, True, False]
    fig, axes = plt.subplots(2, 2)
    drawing.beside_chance(reversals, tests, axes)
    titles = [row[0].get_title() for row in axes]
    assert titles == ["SR+DC, 7 language pairs", "SR-DC, 7 language pairs"]
    colours = axes[0, 1].collections[0].get_colors()
    assert not np.allclose(colours[0], colours[1])
    plt.close(fig)
