"""The comparison of figures that conftest.py makes after every notebook's cell."""

import io

import figure_comparison
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figure_comparison import cells, fault
from matplotlib.figure import Figure
from PIL import Image, ImageFilter

from study.data.sources import ROOT
from study.run import figures

pytestmark = pytest.mark.slow  # as the notebooks' outputs, which it compares
KEPT = sorted((ROOT / "figures").rglob("*.png"))


def drawn(moved: float = 0.0, hinting: str = "force_autohint") -> np.ndarray:
    """Cells of a figure of twenty points, one of them moved to the right."""
    figures.style()
    x = np.arange(20.0)
    y = np.sin(x)
    x[7] += moved
    with plt.rc_context({"text.hinting": hinting}):
        fig = Figure(figsize=(7, 4), layout="constrained")
        ax = fig.subplots()
        ax.plot(x, y, "o", markersize=4)
        ax.set(xlabel="systems", ylabel="expected wins", xlim=(-1, 20))
        file = io.BytesIO()
        fig.savefig(file, format="png")
    return cells(Image.open(file))


def test_a_moved_point_is_noticed_and_the_rendering_of_letters_is_not():
    kept = drawn()
    assert fault(drawn(), kept) == ""
    assert fault(drawn(hinting="no_hinting"), kept) == ""
    assert "of 255" in fault(drawn(moved=0.4), kept)
    assert "cells, the kept one" in fault(kept[1:], kept)


@pytest.mark.parametrize("path", KEPT[::12], ids=lambda path: path.stem)
def test_a_figure_that_is_a_little_blurred_passes_and_one_with_a_spot_does_not(path):
    with Image.open(path) as picture:
        kept = picture.convert("RGB")
    blurred = kept.filter(ImageFilter.GaussianBlur(0.5))
    assert fault(cells(blurred), cells(kept)) == ""
    spotted = kept.copy()
    middle = [length // 2 for length in kept.size]
    colour = (255, 0, 0)
    spotted.paste(colour, (*middle, *(place + 16 for place in middle)))
    assert "50% from the left, " in fault(cells(spotted), cells(kept))


def test_a_cell_is_smaller_than_a_mark():
    """A mark of 3 points at 200 dots an inch covers a whole cell."""
    assert figure_comparison.CELL <= 3 / 72 * 200


def test_figures_are_kept():
    assert len(KEPT) > 20
