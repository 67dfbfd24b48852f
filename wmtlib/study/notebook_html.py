"""Executed notebooks as HTML by nbconvert: formulas as MathML, code folded, nothing remote."""

import re
from pathlib import Path
from xml.etree import ElementTree

from latex2mathml.converter import Converter
from markupsafe import Markup
from nbconvert import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter
from traitlets.config import Config

CODE_STYLES = {"light": "xcode", "dark": "github-dark"}  # every token's contrast is above 4.5
TEMPLATE = """{% extends "index.html.j2" %}
{% block input %}<details class="code"><summary>Code</summary>{{ super() }}</details>{% endblock %}
"""
SHOWN = ["text/html", "text/markdown", "image/png", "text/plain"]  # the first that an output has
# Code (fenced or a span) stays as it is. A formula stands in $$, or in $ by Pandoc's rule: no space
# inside the signs and no digit after them.
FORMULA = re.compile(
    r"(?P<code>```.*?```|`[^`]+`)|\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\$])\$(?![\s$])(?P<inline>[^$`]*[^$`\s\\])\$(?![\d$])",
    re.DOTALL,
)
REWRITES = {  # LaTeX that the converter lacks or sets too tight, in words that it knows
    r"\{aligned\}": "{split}",
    r"\\arg\s*\\(max|min)(?![a-zA-Z])": r"\\arg\1",
    r"\\(log|ln|exp)(?![a-zA-Z])\s*(?=[a-zA-Z0-9]|\\(?!left|[,;]))": r"\\\1\\,",
    r"\\tag\{": r"\\qquad\\tag{",
}


class Formulas(Preprocessor):
    """In markdown cells, write formulas as MathML and lead links to notebooks to their pages."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict, index: int):
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\(([\w-]+)\.ipynb\b", r"](\1.html", cell.source)
            cell.source = FORMULA.sub(_replacement, cell.source)
        return cell, resources


def _replacement(found: re.Match) -> str:
    display = found.lastgroup
    return found[0] if display == "code" else mathml(found[display], display)


def mathml(latex: str, display: str) -> str:
    """A formula ("inline" or "block") as MathML that markdown leaves alone.

    Raises
    ------
    ValueError
        The formula cannot be converted.
    """
    known = latex
    for pattern, words in REWRITES.items():
        known = re.sub(pattern, words, known)
    try:
        tree = Converter(display=display).convert_to_element(known)
    except Exception as error:  # the converter's errors have no base class of their own
        raise ValueError(f"not a formula: {latex.strip()}") from error
    if unknown := [e.text for e in tree.iter() if re.match(r"\\[a-zA-Z]|&$", e.text or "")]:
        raise ValueError(f"{unknown[0]} in the formula {latex.strip()}")
    for element in tree.iter():  # it writes "<" as "&lt;", and would escape the sign once more
        element.text = str(Markup(element.text or "").unescape())
    text = ElementTree.tostring(tree, encoding="unicode")
    for sign in "*_|\\":  # signs of markdown
        text = text.replace(sign, f"&#{ord(sign)};")
    return f'<span class="{display}">{text}</span>'


def body(notebook: Path) -> str:
    """The cells of a notebook and their outputs, without a frame."""
    config = Config({"NbConvertBase": {"display_data_priority": SHOWN}})
    exporter = HTMLExporter(
        config=config,
        template_name="basic",
        raw_template=TEMPLATE,
        preprocessors=[Formulas],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        anchor_link_text="",
    )
    return exporter.from_filename(str(notebook))[0]


def code_css() -> dict[str, Markup]:
    """Style of highlighted code, by colour scheme."""
    return {
        scheme: Markup("\n").join(HtmlFormatter(style=style).get_token_style_defs(".highlight"))
        for scheme, style in CODE_STYLES.items()
    }
