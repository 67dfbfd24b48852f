"""Figures of section 6: the data behind what is drawn."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from test_knowles2021_section_5_1 import HITS, release

from study.knowles2021 import section_6, section_6_pictures

matplotlib.use("agg")


def test_a_cell_for_each_pair_that_meets():
    _, axes = plt.subplots(1, 2)
    section_6_pictures.draw_meetings([release(HITS), release(HITS)], axes)
    [cells] = axes[0].collections
    shares = np.reshape(cells.get_array(), (3, 3))
    assert shares.tolist() == [[1, 1 / 2, 1 / 2], [1 / 2, 1, 0], [1, 0, 1]]
    assert axes[1].collections[0].colorbar and not cells.colorbar
    plt.close("all")


def test_a_row_for_each_language_pair():
    _, ax = plt.subplots()
    section_6_pictures.draw_hits(section_6.hit_table([release(HITS)]), ax)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        "wmt00 xx-yy (3 HITs)"
    ]
    drawn = [points.get_offsets().tolist() for points in ax.collections[-2:]]
    assert drawn == [[[0.5, 0]], [[0, 0]]]  # SR+DC: the median pair, the least
    plt.close("all")


def test_documents_and_tenths_of_them():
    table = pd.DataFrame({"A": np.arange(20.0), "B": np.nan}, [*"abcdefghijklmnopqrst"])
    _, axes = plt.subplots(1, 2)
    section_6_pictures.draw_documents(table, axes)
    tenths = np.reshape(axes[1].collections[0].get_array(), (10, 2))
    assert tenths[0, 0] == 0.5 and tenths[9, 0] == 18.5
    plt.close("all")


def test_hollow_is_what_is_not_significant():
    tests = pd.DataFrame(
        {
            "campaign": "wmt00",
            "language_pair": ["xx-yy", "yy-xx"],
            "documents": [9.0, 8.0],
            "between_documents": [0.3, 0.1],
            "by_chance": [0.1, 0.05],
            "low": [0.1, -0.1],
            "high": [0.3, 0.2],
            "holm": [0.01, 0.2],
        }
    )
    _, ax = plt.subplots()
    section_6_pictures.draw_document_tests({"others": tests}, ax)
    _, points, _ = ax.collections
    assert np.allclose(points.get_offsets()[:, 0], [0.2, 0.05])
    first, second = points.get_facecolors()
    assert second.tolist() == [1, 1, 1, 1] != first.tolist()
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["wmt00 xx-yy (9)", "wmt00 yy-xx (8)"]
    plt.close("all")
