"""Figures beside the kept ones: what another processor changes passes, a moved point
does not.

Both are seen from so far that a mark is a few cells large: cells of `CELL` pixels at
the resolution of figures/. Edges of letters and lines that are rendered a little
otherwise change a cell by a few of 255 grey levels; a mark that is somewhere else
changes it by dozens.
"""

from pathlib import Path

import numpy as np
from PIL import Image

CELL = 8
LARGEST = 40  # grey levels of 255, of the cell that differs most


def seen_from_far(picture: Image.Image) -> Image.Image:
    """A pixel for every cell, in the mean colour of the cell."""
    return picture.convert("RGB").reduce(CELL)


def cells(picture: Path | Image.Image) -> np.ndarray:
    """Mean colour of every cell: rows x columns x 3."""
    if not isinstance(picture, Image.Image):
        picture = Image.open(picture)
    return np.asarray(seen_from_far(picture), float)


def fault(ours: np.ndarray, kept: np.ndarray) -> str:
    """What is wrong with a figure, in a line; empty if nothing is."""
    if ours.shape != kept.shape:
        return f"has {ours.shape[:2]} cells, the kept one {kept.shape[:2]}"
    difference = np.abs(ours - kept).max(axis=2)
    if difference.max() <= LARGEST:
        return ""
    row, column = np.unravel_index(difference.argmax(), difference.shape)
    place = f"{column / ours.shape[1]:.0%} from the left, {row / ours.shape[0]:.0%}"
    return f"differs from the kept one by {difference.max():.0f} of 255, {place} down"
