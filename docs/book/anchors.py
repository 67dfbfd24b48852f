"""Code cells and rows of the scoreboard have addresses, to which texts link.

`#cell-3` is the third code cell of a notebook; L-5.1-10 in a text links to its row.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

ROW = re.compile(r"\b([LHK]-[\w.]+-\d\d)\b")
AS_IT_IS = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title)


def setup(app: Sphinx) -> dict[str, bool]:
    """Name the cells of each page when it has been read, and link its rows."""
    app.connect("doctree-read", name_cells)
    app.connect("doctree-read", link_rows)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def name_cells(_app: Sphinx, page: nodes.document) -> None:
    """Give each code cell the number of its execution as its id."""
    for node in page.findall(nodes.container):
        if node.get("exec_count"):
            node["ids"].append(f"cell-{node['exec_count']}")


def link_rows(_app: Sphinx, page: nodes.document) -> None:
    """Link the name of each row of the scoreboard, but in code and in headings."""
    for text in [*page.findall(nodes.Text)]:
        ancestor = text.parent
        while ancestor is not None and not isinstance(ancestor, AS_IT_IS):
            ancestor = ancestor.parent
        if ancestor is not None or not ROW.search(text):
            continue
        linked: list[nodes.Node] = []
        for place, words in enumerate(ROW.split(text)):
            node: nodes.Node = nodes.Text(words)
            if place % 2:  # a name
                uri = f"scoreboard.html#{words}"
                node = nodes.reference("", "", node, refuri=uri, internal=True)
            linked.append(node)
        text.parent.replace(text, linked)
