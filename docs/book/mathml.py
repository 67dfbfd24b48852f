"""Formulas as MathML, which browsers set by themselves: no script, no font."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

# What latex2mathml takes for \setminus is in few fonts; the other is in most.
SETMINUS = ("&#x029F5;", "&#x02216;")


def setup(app: Sphinx) -> dict[str, bool]:
    """Enter the renderer `mathml`, for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(f'<span class="math">{mathml(node.astext())}</span>')
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula of its own; a wide one scrolls."""
    formula = mathml(node.astext(), display="block")
    writer.body.append(f'<div class="math" tabindex="0">{formula}</div>')
    raise nodes.SkipNode


def mathml(formula: str, display: str = "inline") -> str:
    """Convert a formula of LaTeX, to signs that common fonts have."""
    return str(convert(formula, display=display)).replace(*SETMINUS)
