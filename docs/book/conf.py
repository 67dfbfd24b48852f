"""Sphinx's settings for the book; `build.py` puts its pages together and runs Sphinx.

Nothing in a page comes from elsewhere: formulas are MathML, made here, and style,
scripts and fonts are the theme's own files.
"""

import os
import sys
from pathlib import Path

from wmtlib import __version__

HERE = Path(__file__).parent
DOCS = HERE.parent
sys.path.insert(0, str(HERE))

project = "Human rankings of machine translation, reproduced"
author = "The wmtlib maintainers"
copyright = author
version = release = __version__
language = "en"
smartquotes = False  # they would turn --json into –json
# Such as https://github.com/owner/repository; without it no page links there.
REPOSITORY = os.environ.get("BOOK_REPOSITORY", "")

exclude_patterns = ["originals"]  # notebooks to be downloaded
extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinxcontrib.bibtex",
    "mathml",
    "anchors",
    "texts",
]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!wmtlib\b).*")]  # names of other packages

# --- notebooks ------------------------------------------------------------------------

nb_execution_mode = "off"  # make reproduce has executed them
nb_merge_streams = True
nb_render_markdown_format = "myst"
nb_ipywidgets_js = {}
nb_code_prompt_show = "Show the code ({type})"
nb_code_prompt_hide = "Hide the code ({type})"
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False
html_math_renderer = "mathml"

# --- the reference --------------------------------------------------------------------

autodoc_typehints = "none"
numpydoc_show_class_members = False
bibtex_bibfiles = [str(DOCS / "citation.bib"), str(DOCS / "references.bib")]
bibtex_default_style = "alpha"

# --- how it looks ---------------------------------------------------------------------

html_theme = "sphinx_book_theme"
html_title = project
html_static_path = [str(HERE / "static")]
html_context = {"default_mode": "auto"}
html_css_files = ["book.css"]
html_js_files = ["book.js", "search.js"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "footer_content_items": ["copyright.html"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
if REPOSITORY:
    html_theme_options |= {
        "repository_url": REPOSITORY,
        "use_repository_button": True,
        "launch_buttons": {"binderhub_url": "https://mybinder.org"},
        "path_to_docs": "notebooks",
    }
