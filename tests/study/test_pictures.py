"""Figures of preference models: the data behind what is drawn."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from PIL import Image

from wmtlib import mfas, plots
from wmtlib.counts import REFERENCE
from wmtlib.study import figures, pictures
from wmtlib.study.releases import ranking_releases, sources


@pytest.fixture(autouse=True)
def in_the_style_of_figures():
    """The style of the notebooks, for these tests only."""
    with plt.rc_context():
        figures.style()
        yield


def test_the_figures_of_all_tasks_are_saved_with_their_captions(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    some = ranking_releases.tasks("embedded").iloc[[0, 11, 33]]
    monkeypatch.setattr(ranking_releases, "tasks", lambda source: some)
    pictures.save_tasks(sources.resolve("embedded"))
    saved = {path.stem for path in (tmp_path / "figures" / "lopez2012-task").iterdir()}
    experts = some.query("campaign != 'wmt10-crowd'")
    assert saved == set(experts["campaign"] + "-" + experts["task"])
    with Image.open(tmp_path / "figures" / "lopez2012-task" / "wmt10-cs-en.png") as picture:
        assert picture.info["Description"].startswith("2010 Czech-English. Left: margins")


def test_a_figure_says_what_is_proven():
    counts = ranking_releases.load_counts("wmt10", "cs-en", source="embedded")
    solution = mfas.exact_order(counts.without(REFERENCE).wins)
    figure, caption = pictures.draw_task(counts, solution, "2010 Czech-English")
    assert f"violated weight {solution.cost}, proven least" in caption
    titles = [axes.get_title(loc="left") for axes in figure.axes[:3]]
    assert titles == ["2010 Czech-English, MFAS order", "optimal orders: 1", "Rankings"]
    plt.close(figure)


def test_no_two_models_differ_by_colour_alone():
    marks = [(marker, line) for _, marker, line in plots.MODEL_STYLES.values()]
    assert len(set(marks)) == len(marks)
    families = [marker for _, marker in pictures.FAMILIES]
    assert len(set(families)) == len(families)


def test_differences_show_intervals_and_what_lies_beyond_the_edge(ax):
    table = pd.DataFrame(
        {"difference": [0.0, 0.5], "low": [-0.1, 0.4], "high": [0.1, 0.6]}, index=["mfas", "bojar"]
    )
    pictures.method_differences(table, {"orders": ["mfas"], "scores": ["bojar"]}, ax, beyond=0.3)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["MFAS", "Lopez Eq. 3"]  # best on top
    drawn = [(line.get_marker(), np.round(line.get_xdata(), 3).tolist()) for line in ax.lines]
    assert ("x", [0.0]) in drawn
    spans = [s[:, 0].tolist() for c in ax.collections[::2] for s in c.get_segments()]
    arrows = [c.get_offsets().tolist() for c in ax.collections[1::2]]
    assert arrows == [[], [[0.291, 1.0]]]
    assert [-0.1, 0.1] in spans
    assert ax.get_xlim() == (-0.15, 0.3)


def test_calibration_counts_ranks_and_shows_the_band(ax):
    pictures.calibration(np.repeat(np.arange(100), 4), ax)
    assert {bar.get_height() for bar in ax.patches} == {20}
    low, high = sorted(line.get_ydata()[0] for line in ax.lines)
    assert (low, high) == (10, 32)  # binomial, 400 ranks in 20 classes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "5", "10", "15", "20"]


# --- what the pictures of the data show ---


# --- rank ranges beside the printed ones: what is drawn, and in which colour ---


COLUMNS = ["first_rank", "last_rank", "cluster"]
PRINTED = pd.DataFrame([(1, 1, 1), (2, 3, 2), (2, 3, 2)], [*"abc"], COLUMNS)


def test_ranges_that_differ_have_another_colour_and_lines_stand_between_clusters():
    _, ax = plt.subplots()
    pictures.ranges_beside(PRINTED, PRINTED.assign(last_rank=[1, 2, 3]).loc[[*"cba"]], ax)
    grey, ours = ax.collections
    assert len(grey.get_paths()) == len(ours.get_paths()) == 3
    first, second, third = ours.get_colors().tolist()
    assert first == third != second  # b, in the second row
    (line,) = ax.lines
    assert list(line.get_ydata()) == [0.5, 0.5]
    assert [text.get_text() for text in ax.get_yticklabels()] == [*"abc"]
    plt.close()


# --- how few decide: what stands where ---


matplotlib.use("agg")


TABLE = pd.DataFrame(
    {
        "label": ["near", "far"],
        "units": [1000, 200],
        "units_high": [3, 25],
        "unsure": [0.4, 0.01],
    }
)


def test_numbers_stand_beside_the_points(ax):
    pictures.fewest(TABLE, ax, few=0.01, unit="rankings")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["near", "far"]
    assert [t.get_text() for t in ax.texts] == ["3", "1,000", "25", "200"]
    (points,) = [c for c in ax.collections if len(c.get_offsets()) == 2]
    assert points.get_offsets().tolist() == [[3, 0], [25, 1]]
    few, many = points.get_facecolors()
    assert few.tolist() != many.tolist()


# --- what the figures of simulated campaigns show ---


matplotlib.use("agg")


def test_violated_by_task_draws_every_weight_and_hides_none(ax):
    weights = pd.DataFrame({"mfas": [0, 6], "bojar": [0, 12]}, index=["one", "two"])
    pictures.violated_by_task(weights, ax)
    drawn = [line for line in ax.lines if np.isfinite(line.get_xdata()).sum() == 2]
    assert [list(line.get_xdata()) for line in drawn] == [[0, 6], [0, 12]]
    assert drawn[0].get_ydata()[0] < 0 < drawn[1].get_ydata()[0] < 0.5
    assert len({line.get_marker() for line in drawn}) == 2
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["MFAS", "Lopez Eq. 3"]


def test_saved_figures_carry_caption_and_signature_and_are_reproducible(tmp_path, monkeypatch):
    matplotlib.use("agg")
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


def test_panels_show_the_print_beside_the_paper_s_pairs_only():
    rows = [
        (panel, style, "p", 2.0, True, False, False)
        for panel in ("the paper's", "other")
        for style in ("SR-DC", "SR+DC")
    ]
    columns = ["panel", "style", "pair", "divisor", "rank", "cluster", "both"]
    table = pd.DataFrame(rows, columns=columns)
    printed = table.groupby("divisor")[["rank", "cluster", "both"]].mean()
    fig, axes = plt.subplots(2, 2)
    printed = {"SR-DC": printed, "SR+DC": printed}
    pictures.degradation_panels(table, axes, printed=printed)
    drawn = [[line for line in ax.lines if len(line.get_xdata())] for ax in axes.ravel()]
    assert [len(lines) for lines in drawn] == [6, 6, 3, 3]
    assert axes[1, 1].get_title(loc="left") == "SR+DC, other pairs: 1"
    plt.close(fig)
