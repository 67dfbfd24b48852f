"""Figures of answers, whatever the names in them."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt
from odd_names import LONG, odd_answer
from PIL import Image

from wmtlib.yours import drawings
from wmtlib.yours.drawings import Drawing


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    return odd_answer(tmp_path_factory.mktemp("odd"))


def drawn(drawing):
    """The texts of a figure."""
    with drawings.figure_of(drawing, dpi=100) as figure:
        return [text for axes in figure.axes for text in _texts(axes)]


def _texts(axes):
    for part in (axes, *axes.child_axes):
        yield part.xaxis.label
        for axis in (part.xaxis, part.yaxis):
            yield from axis.get_ticklabels()


def test_names_are_no_mathematics_and_are_cut_in_the_middle(odd):
    all_drawings = [drawing for section in odd.sections for drawing in section.drawings]
    assert [drawing.plot for drawing in all_drawings] == ["intervals", "heatmap", "bump"]
    for drawing in all_drawings:
        texts = drawn(drawing)
        words = {text.get_text() for text in texts}
        assert any("$\\frac{1}{x$" in word for word in words)
        assert not any(text.get_parse_math() for text in texts)
        assert any("LL…LL" in word for word in words) and not any(LONG in word for word in words)


def test_drawing_leaves_the_users_matplotlib_alone(odd):
    settings, figures = {**matplotlib.rcParams}, plt.get_fignums()
    image = drawings.drawing_png(odd.sections[0].drawings[0])
    assert {**matplotlib.rcParams} == settings and plt.get_fignums() == figures
    assert Image.open(io.BytesIO(image)).format == "PNG"
    assert image == drawings.drawing_png(odd.sections[0].drawings[0])


def test_files_are_for_print_and_say_which_letters_no_font_has(monkeypatch):
    table = {"system": ["ok", "系\ue000"], "line": [False] * 2, "score": [1.0, 0.5]}
    drawing = Drawing("intervals", {"frame": pd.DataFrame(table)}, (5, 2), "")
    monkeypatch.setattr(drawings, "FONTS", ("DejaVu Sans",))
    png, svg, missing = drawings.drawing_files(drawing)
    assert Image.open(io.BytesIO(png)).size == (1000, 400)
    assert "系\ue000".encode() in svg  # text, for the fonts of a browser
    assert missing == "系\ue000"
    assert (png, svg, missing) == drawings.drawing_files(drawing)


def test_a_font_that_was_installed_since_is_found(monkeypatch):
    table = {"system": ["ok", "\u05d0"], "line": [False] * 2, "score": [1.0, 0.5]}  # alef
    drawing = Drawing("intervals", {"frame": pd.DataFrame(table)}, (5, 2), "")
    manager = font_manager.fontManager
    here = [font for font in manager.ttflist if font.name in ("DejaVu Sans", "STIXGeneral")]
    monkeypatch.setattr(drawings, "FONTS", ("STIXGeneral", "DejaVu Sans"))
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [font.fname for font in here])
    monkeypatch.setattr(manager, "ttflist", here)
    assert drawings.drawing_files(drawing)[2] == ""
    monkeypatch.setattr(manager, "ttflist", [font for font in here if font.name == "STIXGeneral"])
    assert drawings.drawing_files(drawing)[2] == ""
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    monkeypatch.setattr(manager, "ttflist", [font for font in here if font.name == "STIXGeneral"])
    assert "\u05d0" in drawings.drawing_files(drawing)[2]


def test_an_infinite_perplexity_and_an_own_label_can_be_drawn():
    table = pd.DataFrame({"model": ["m", "n"], "perplexity": [2.5, np.inf], "error": [0.1, np.nan]})
    texts = drawn(Drawing("perplexities", {"frame": table}, (5, 2), "", "other"))
    assert {"m", "n", "other"} <= {text.get_text() for text in texts}


def test_intervals_without_scores_are_of_ranks():
    table = {"system": [*"ab"], "line": [True, False], "place": [1, 2], "best": 1, "worst": 2}
    drawing = Drawing("intervals", {"frame": pd.DataFrame(table)}, (5, 2), "")
    with drawings.figure_of(drawing, dpi=100) as figure:
        (spans,) = figure.axes[0].collections
        assert [part[:, 0].tolist() for part in spans.get_segments()] == [[1, 2], [1, 2]]


def test_doubtful_judges_stand_out():
    numbers = {"reliability": [0.3, 0.7], "low": [0.2, 0.6], "high": [0.4, 0.8], "expected": 0.7}
    doubtful = pd.array([True, False], "boolean")
    frame = pd.DataFrame({"judge": ["j1", "j2"], **numbers, "doubtful": doubtful})
    with drawings.figure_of(Drawing("reliabilities", {"frame": frame}, (5, 2), ""), 100) as figure:
        spans, points = figure.axes[0].collections
        assert [part[:, 0].tolist() for part in spans.get_segments()] == [[0.2, 0.4], [0.6, 0.8]]
        odd, usual = points.get_facecolor()
        assert odd[0] > 0.8 and not usual[:3].any()
