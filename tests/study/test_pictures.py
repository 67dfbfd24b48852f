"""The figures of the study: the data behind what is drawn."""

import matplotlib
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from study import pictures
from study.data import ranking_releases, sources
from study.hopkins2013 import section_7
from study.run import figures
from wmtlib import mfas
from wmtlib.core.counts import REFERENCE

matplotlib.use("agg")
pytestmark = pytest.mark.usefixtures("style_of_figures")


def test_a_figure_says_what_is_proven():
    counts = ranking_releases.load_counts("wmt10", "cs-en", source="embedded")
    solution = mfas.exact_order(counts.without(REFERENCE).wins)
    figure, caption = pictures.draw_task(counts, solution, "2010 Czech-English")
    assert f"violated weight {solution.cost}, proven least" in caption
    titles = [axes.get_title(loc="left") for axes in figure.axes[:3]]
    assert titles == ["2010 Czech-English, MFAS order", "Optimal orders: 1", "Rankings"]
    plt.close(figure)


def test_differences_show_intervals_and_what_lies_beyond_the_edge(ax):
    table = {"difference": [0.0, 0.5], "low": [-0.1, 0.4], "high": [0.1, 0.6]}
    compared = pd.DataFrame(table, index=["mfas", "bojar"])
    families = {"orders": ["mfas"], "scores": ["bojar"]}
    pictures.method_differences(compared, families, ax, beyond=0.3)
    best_on_top = [label.get_text() for label in ax.get_yticklabels()]
    assert best_on_top == ["MFAS", "Lopez Eq. 3"]
    intervals, _, _, arrows = ax.collections
    [span] = intervals.get_segments()
    assert span[:, 0].tolist() == [-0.1, 0.1]
    assert arrows.get_offsets().tolist() == [[0.291, 1.0]]
    assert ax.get_xlim() == (-0.15, 0.3)


def test_groups_are_drawn_one_below_the_other_in_each_row(ax):
    index = pd.MultiIndex.from_product([["u", "v"], ["A", "B"]])
    columns = {"value": [1.0, 2, 3, 4], "low": 0.0, "high": 5.0}
    pictures.intervals_by_group(pd.DataFrame(columns, index), ax, xlabel="x")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["u", "v"]
    _, first, second = ax.lines  # after the line at zero
    assert first.get_xdata().tolist() == [1, 3]
    assert second.get_xdata().tolist() == [2, 4]
    assert (second.get_ydata() > first.get_ydata()).all()


def test_two_items_are_drawn_with_what_a_judge_says(ax):
    story, said = section_7.figure_1(radius=0.5)
    pictures.two_items(story, said, ax)
    texts = [text.get_text() for text in ax.texts]
    assert "item 43\nquality -0.30" in texts and said in texts


def test_strata_of_the_paper_are_in_another_colour(ax):
    shares = pd.Series({1: 1.0, 2: 0.25, "all three": 0.2}).drop("all three")
    pictures.strata(shares, ax, printed=[1])
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == [100, 25]
    first, second = (bar.get_facecolor() for bar in ax.patches)
    assert first != second


def test_tournament_draws_an_arrow_a_decided_pair(ax):
    names = ["a", "b", "c"]
    wins = pd.DataFrame([[0, 3, 1], [1, 0, 5], [2, 1, 0]], names, names)
    pictures.tournament(wins, ax, reversed_edges=[("c", "a")])
    arrows = [
        text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)
    ]
    assert len(arrows) == 3 and [p.get_linestyle() for p in arrows].count(":") == 1


def test_ladder_draws_a_line_below_each_cluster(ax):
    ranking = pd.DataFrame({"system": ["A", "B", "C"], "z": [1.0, 0.5, -1.0]})
    pictures.ladder(ranking, [True, False, False], ax, humans=["B"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "C"]
    assert [line.get_ydata()[0] for line in ax.lines if line.get_color() == "0.3"] == [
        0.5
    ]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # best on top


# --- rank ranges beside the printed ones: what is drawn, and in which colour ---


COLUMNS = ["first_rank", "last_rank", "cluster"]
PRINTED = pd.DataFrame([(1, 1, 1), (2, 3, 2), (2, 3, 2)], [*"abc"], COLUMNS)


def test_ranges_that_differ_have_another_colour_and_lines_stand_between_clusters():
    _, ax = plt.subplots()
    pictures.ranges_beside(
        PRINTED, PRINTED.assign(last_rank=[1, 2, 3]).loc[[*"cba"]], ax
    )
    grey, ours = ax.collections
    assert len(grey.get_paths()) == len(ours.get_paths()) == 3
    first, second, third = ours.get_colors().tolist()
    assert first == third != second  # b, in the second row
    (line,) = ax.lines
    assert list(line.get_ydata()) == [0.5, 0.5]
    assert [text.get_text() for text in ax.get_yticklabels()] == [*"abc"]
    plt.close()


def test_saved_figures_carry_caption_and_signature_and_are_reproducible(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    path = tmp_path / "figures" / "folder" / "name.png"
    bytes_written = []
    for _ in range(2):
        fig, _ = plt.subplots(layout="constrained")
        figures.save(
            fig,
            "folder/name",
            caption="What it shows.",
            source=sources.Source("embedded", "00000000"),
        )
        plt.close(fig)
        bytes_written.append(path.read_bytes())
    assert bytes_written[0] == bytes_written[1]
    with Image.open(path) as image:
        assert image.text["Description"] == "What it shows."
        assert image.text["Source"].startswith("folder/name|data=embedded:00000000")
    assert [p.name for p in path.parent.iterdir()] == ["name.png"]


def test_bump_draws_a_line_a_system(ax):
    ranks = pd.DataFrame({"one": [1, 2, 3], "two": [2, 1, 3]}, index=["a", "b", "c"])
    pictures.bump(ranks, ax)
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 2], [2, 1], [3, 3]]
    assert ax.lines[2].get_color() == "0.6"  # the one that does not move
    shown = [label.get_text().replace("\u200e", "") for label in ax.get_yticklabels()]
    assert shown == ["a  1", "b  2", "c  3"]
