"""Figures of answers, whatever the names in them."""

import io

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from odd_names import LONG, odd_answer
from PIL import Image

from wmtlib.analysis import drawings
from wmtlib.analysis.drawings import Drawing
from wmtlib.study import figures


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    return odd_answer(tmp_path_factory.mktemp("odd"))


def drawn(monkeypatch, drawing):
    """Draw and look at the figure before it becomes a picture."""
    seen = []

    def look(figure):
        figure.draw_without_rendering()
        seen.append([text for axes in figure.axes for text in _texts(axes)])
        return b"png"

    monkeypatch.setattr(figures, "png", look)
    assert drawings.drawing_png(drawing) == b"png"
    return seen[0]


def _texts(axes):
    for part in (axes, *axes.child_axes):
        yield part.xaxis.label
        for axis in (part.xaxis, part.yaxis):
            yield from axis.get_ticklabels()


def test_names_are_no_mathematics_and_are_cut(monkeypatch, odd):
    all_drawings = [drawing for section in odd.sections for drawing in section.drawings]
    assert [drawing.plot for drawing in all_drawings] == ["bump", "heatmap", "rank_intervals"]
    for drawing in all_drawings:
        texts = drawn(monkeypatch, drawing)
        words = {text.get_text() for text in texts}
        assert any("$\\frac{1}{x$" in word for word in words)
        assert not any(text.get_parse_math() for text in texts)
        assert f"{LONG[: drawings.LONGEST_NAME - 1]}…" in words and LONG not in words


def test_drawing_leaves_the_users_matplotlib_alone(odd):
    before = {**matplotlib.rcParams}
    image = drawings.drawing_png(odd.sections[0].drawings[0])
    assert {**matplotlib.rcParams} == before and plt.get_fignums() == []
    assert Image.open(io.BytesIO(image)).format == "PNG"
    assert image == drawings.drawing_png(odd.sections[0].drawings[0])


def test_an_infinite_perplexity_and_an_own_label_can_be_drawn(monkeypatch):
    table = pd.DataFrame({"model": ["m", "n"], "perplexity": [2.5, np.inf], "error": [0.1, np.nan]})
    texts = drawn(monkeypatch, Drawing("perplexities", (table,), (5, 2), "", "other"))
    assert {"m", "n", "other"} <= {text.get_text() for text in texts}
