"""How results look in a notebook: a table as HTML, with a line of text above it."""

from html import escape

import pandas as pd


def captioned(caption: str, table: pd.DataFrame, *, index: bool = False) -> str:
    """Write a table below its caption; numbers have four significant digits.

    >>> captioned("one < two", pd.DataFrame({"x": [1.23456]}))[:20]
    '<p>one &lt; two</p><'
    """
    body = table.to_html(
        index=index, na_rep="", border=0, float_format=lambda number: f"{number:.4g}"
    )
    return f"<p>{escape(caption)}</p>{body}"
