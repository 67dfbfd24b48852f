"""Tables as HTML, for notebooks."""

from html import escape

import pandas as pd


def captioned(caption: str, table: pd.DataFrame, *, index: bool = False) -> str:
    """A table as HTML below a line of text, for notebooks; numbers with four significant digits.

    >>> captioned("one < two", pd.DataFrame({"x": [1.23456]})).startswith("<p>one &lt; two</p>")
    True
    """
    body = table.to_html(
        index=index, na_rep="", border=0, float_format=lambda x: f"{x:.4g}"
    )
    return f"<p>{escape(caption)}</p>{body}"
