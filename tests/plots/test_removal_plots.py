"""How few decide: what stands where."""

import matplotlib

matplotlib.use("agg")

import pandas as pd

from wmtlib.study import pictures

TABLE = pd.DataFrame(
    {
        "label": ["near", "far"],
        "units": [1000, 200],
        "units_low": [3, 20],
        "units_high": [3, 25],
        "unsure": [0.4, 0.01],
    }
)


def test_numbers_stand_beside_the_points(ax):
    pictures.fewest(TABLE, ax, few=0.01, unit="rankings")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["near", "far"]
    assert [t.get_text() for t in ax.texts] == ["3", "1,000", "20–25", "200"]
    (points,) = [c for c in ax.collections if len(c.get_offsets()) == 2]
    assert points.get_offsets().tolist() == [[3, 1], [25, 0]]
    few, many = points.get_facecolors()
    assert few.tolist() != many.tolist()


def test_shares_against_resampling(ax):
    pictures.against_resampling(TABLE, ax, few=0.01, unsure=0.05, named=["near"])
    (points,) = ax.collections
    assert points.get_offsets().round(6).tolist() == [[40, 0.3], [1, 12.5]]
    assert [t.get_text() for t in ax.texts] == ["near"]
