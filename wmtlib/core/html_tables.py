"""Results: a caption and a table, which are shown, looked up and drawn in one way."""

from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Tabled:
    """A result with a caption and a table.

    Both are shown in a shell and in a notebook. `len(result)` is the number of rows,
    `result["score"]` a column of the table, `result.to_frame()` a copy of the table;
    `result.plot(ax)` draws it on axes, or those of a new figure, and returns them.

    >>> class Pair(Tabled):
    ...     caption = "two systems"
    ...     table = pd.DataFrame({"system": [*"xy"], "rank": [1, 2]})
    >>> Pair()
    two systems
      system  rank
    0      x     1
    1      y     2
    >>> len(Pair()), Pair()["rank"].tolist()
    (2, [1, 2])
    """

    caption: Any  # text
    table: Any  # DataFrame

    __iter__ = None  # otherwise a loop would ask for the column 0

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, column: str) -> pd.Series:
        return self.table[column]

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the result on axes, or those of a new figure, and return them."""
        from wmtlib.core.drawing import new_axes  # seaborn takes a second

        return self._draw(new_axes(len(self)) if ax is None else ax)

    def _draw(self, ax: "Axes") -> "Axes":
        raise NotImplementedError(f"a {type(self).__name__} has no picture")

    def __repr__(self) -> str:
        rows = self.table.to_string(max_rows=8, max_cols=10, na_rep="")
        return f"{self.caption}\n{rows}"

    def _repr_html_(self) -> str:
        return captioned(self.caption, self.table)


class TabledSystems(Tabled):
    """A result with a row for each system: its score, or its rank, is drawn."""

    def _draw(self, ax: "Axes") -> "Axes":
        from wmtlib.core import drawing

        return drawing.systems(self.table, ax)


def captioned(caption: str, table: pd.DataFrame) -> str:
    """Write a table below its caption; numbers have four significant digits.

    Labels of rows are shown if they are names.

    >>> captioned("one < two", pd.DataFrame({"x": [1.23456]}))[:20]
    '<p>one &lt; two</p><'
    """
    body = table.to_html(
        index=table.index.dtype.kind == "O",
        na_rep="",
        border=0,
        float_format="{:.4g}".format,
    )
    return f"<p>{escape(caption)}</p>{body}"
