"""Every code cell of a notebook has an address: `#cell-3` is the third."""

from docutils import nodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the cells of each page when it has been read."""
    app.connect("doctree-read", name_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def name_cells(_app: Sphinx, page: nodes.document) -> None:
    """Give each code cell the number of its execution as its id."""
    for node in page.findall(nodes.container):
        if node.get("exec_count"):
            node["ids"].append(f"cell-{node['exec_count']}")
