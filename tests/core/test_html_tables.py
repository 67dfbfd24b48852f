"""A table in a notebook, and in a shell."""

import pandas as pd

from wmtlib.core.html_tables import captioned


def test_names_are_escaped_and_numbers_short():
    html = captioned("a & b", pd.DataFrame({"<x>": [1 / 3, None]}))
    assert html.startswith("<p>a &amp; b</p><table")
    assert "&lt;x&gt;" in html and "<td>0.3333</td>" in html and "NaN" not in html
