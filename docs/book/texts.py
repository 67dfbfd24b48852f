"""The texts that the search of the book reads: an entry for each section of a page.

An entry has the page, an address in it, a title and the words. Each row of the
scoreboard is an entry of its own.
"""

import json
import re
from html import unescape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

TAG = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
ROW = re.compile(r'<tr[^>]*>\s*<td><a id="(?P<name>[^"]+)".*?</tr>', re.DOTALL)
FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
Entry = tuple[str, str, str, str]


def setup(app: Sphinx) -> dict[str, bool]:
    """Collect the texts of the pages, and write them when all pages are written."""
    entries: list[Entry] = []

    def collect(_app: Sphinx, page: nodes.document, name: str) -> None:
        entries.extend(of_page(page, name))

    def write(app: Sphinx, _error: Exception | None) -> None:
        path = Path(app.outdir, "_static", "texts.js")
        path.write_text(f"window.bookTexts = {json.dumps(entries)};\n", "utf-8")

    app.connect("doctree-resolved", collect)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": False}


def of_page(page: nodes.document, name: str) -> list[Entry]:
    """List the entries of a page, a section each, and the rows of the scoreboard."""
    entries: list[Entry] = []
    title = ""
    for section in page.findall(nodes.section):
        heading = section.next_node(nodes.title).astext()
        title = title or heading
        words = " ".join(words_of(child) for child in section.children)
        if name == "scoreboard":
            entries += [row(match) for match in ROW.finditer(html_of(section))]
        anchor = section["ids"][0] if heading != title else ""
        label = title if heading == title else f"{title}: {heading}"
        entries.append((name, anchor, label, " ".join(words.split())))
    return entries


def words_of(node: nodes.Node) -> str:
    """Join the words of a node, but not those of code, headings and inner sections."""
    if isinstance(node, nodes.section | nodes.title | nodes.math | nodes.math_block):
        return ""
    if isinstance(node, nodes.raw):
        return without_tags(ROW.sub("", node.astext()))
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.container) and "cell_input" in node["classes"]:
        return ""
    inline = isinstance(node, nodes.TextElement)
    return ("" if inline else " ").join(words_of(child) for child in node.children)


def html_of(section: nodes.section) -> str:
    """Join what a section has as HTML."""
    return "".join(node.astext() for node in section.findall(nodes.raw))


def row(found: re.Match[str]) -> Entry:
    """Make an entry of a row of the scoreboard; its first cells are the title."""
    unfolded = FOLD.sub("", found[0])
    name, what, *others = re.split(r"</td>\s*<td>", unfolded)
    title = f"{without_tags(name)}: {without_tags(what)}"
    printed, ours, verdict = map(without_tags, others)
    words = f"printed {printed}; ours {ours}; {verdict}"
    return "scoreboard", found["name"], title, words


def without_tags(html: str) -> str:
    """Take the words out of HTML."""
    return " ".join(unescape(TAG.sub(" ", html)).split())
