"""Rank ranges beside the printed ones: what is drawn, and in which colour."""

import matplotlib.pyplot as plt
import pandas as pd

from wmtlib.study import pictures

COLUMNS = ["first_rank", "last_rank", "cluster"]
PRINTED = pd.DataFrame([(1, 1, 1), (2, 3, 2), (2, 3, 2)], [*"abc"], COLUMNS)


def test_ranges_that_differ_have_another_colour_and_lines_stand_between_clusters():
    _, ax = plt.subplots()
    pictures.ranges_beside(PRINTED, PRINTED.assign(last_rank=[1, 2, 3]).loc[[*"cba"]], ax)
    grey, same, other = ax.collections
    assert (len(grey.get_paths()), len(same.get_paths()), len(other.get_paths())) == (3, 2, 1)
    assert other.get_paths()[0].vertices[:, 1].tolist() == [1, 1]  # b, in the second row
    (line,) = ax.lines
    assert list(line.get_ydata()) == [0.5, 0.5]
    assert [text.get_text() for text in ax.get_yticklabels()] == [*"abc"]
    plt.close()
