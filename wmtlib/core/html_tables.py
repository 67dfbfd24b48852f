"""Results as a caption and a table: text in a shell, HTML in a notebook."""

from html import escape
from typing import Any

import pandas as pd


class Tabled:
    """A result with a caption and a table, which show it in a shell and a notebook.

    >>> class Pair(Tabled):
    ...     caption = "two systems"
    ...     table = pd.DataFrame({"system": [*"xy"], "rank": [1, 2]})
    >>> Pair()
    two systems
      system  rank
    0      x     1
    1      y     2
    """

    caption: Any  # text
    table: Any  # DataFrame

    def __repr__(self) -> str:
        rows = self.table.to_string(max_rows=8, max_cols=10, na_rep="")
        return f"{self.caption}\n{rows}"

    def _repr_html_(self) -> str:
        return captioned(self.caption, self.table)


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
