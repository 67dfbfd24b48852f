"""Executed notebooks as chapters: numbers, captions, links between pages."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from PIL import Image
from tables import tidied

ROW = re.compile(r"<t([hd])>([LHK]-[\w.]+-\d\d)</t[hd]>")  # an id of the scoreboard
SPECIAL = re.compile(r"([\\`*_\[\]<>$])")  # what Markdown takes for a sign of its own


def chapter(path: Path, figures: Sequence[Path]) -> NotebookNode:
    """Turn a notebook into a chapter of the book.

    Parameters
    ----------
    path : Path
        The notebook, executed.
    figures : sequence of Path
        Those that `figures.save` wrote; their captions are read from them.
    """
    notebook = nbformat.read(path, as_version=4)
    number = path.stem.partition("-")[0]
    heading = ""
    assigned: dict[str, ast.expr] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = linked(cell.source)
            headings = re.findall(r"(?m)^#+ (.*)", cell.source)
            heading = [heading, *headings][-1]
            continue
        tree = ast.parse(cell.source)
        assigned |= assignments(tree)
        pictures = [o for o in cell.outputs if "image/png" in o.get("data", {})]
        if pictures:
            saved = saved_figure(tree, assigned, figures)
            cell.metadata["mystnb"] = labels(saved, heading)
            cell.outputs = [o for o in cell.outputs if not is_caption(o)]
        for output in cell.outputs:
            table = output.get("data", {}).get("text/html")
            if table:
                rows_linked = ROW.sub(
                    r'<t\1><a href="scoreboard.html#\2">\2</a></t\1>', table
                )
                output.data["text/html"] = tidied(rows_linked)
    first = notebook.cells[0]
    first.source = re.sub(r"\A# ", f"# {number} · ", first.source)
    source = new_markdown_cell(
        f"{{download}}`The notebook <originals/{path.name}>`, to be opened in"
        f" JupyterLab (`make lab`) as `notebooks/{path.name}`.",
        id="source",
    )
    notebook.cells.insert(1, source)
    return notebook


def is_caption(output: NotebookNode) -> bool:
    """Tell whether an output is the caption that `figures.save` put below a picture."""
    return output.get("data", {}).get("text/html", "").startswith("<small>")


def linked(text: str) -> str:
    """Turn links between files of the repository into links between pages."""
    text = re.sub(r"\]\(\.\./(docs|notebooks)/", "](", text)
    text = text.replace("](../results/scoreboard.csv)", "](scoreboard.md)")
    text = text.replace("](../figures/", "](figures/")
    return re.sub(
        r"(\]\([\w.-]+#)([^)]+)\)",
        lambda link: f"{link[1]}{link[2].lower()})",
        text,
    )


def assignments(tree: ast.Module) -> dict[str, ast.expr]:
    """Collect the expressions that a cell assigns to names."""
    return {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def saved_figure(
    tree: ast.Module, assigned: dict[str, ast.expr], figures: Sequence[Path]
) -> Path | None:
    """Find the file that a cell saves its picture to by `figures.save`."""
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call) and ast.unparse(node.func) == "figures.save"
        ):
            continue
        name = node.args[1]
        if isinstance(name, ast.Name):
            name = assigned[name.id]
        pattern = re.compile(name_pattern(name))
        for path in figures:
            if pattern.search(path.with_suffix("").as_posix()):
                return path
    return None


def name_pattern(name: ast.expr) -> str:
    """Make a regular expression of a figure's name; what is computed is left open."""
    pieces = name.values if isinstance(name, ast.JoinedStr) else [name]
    pattern = ""
    for piece in pieces:
        is_text = isinstance(piece, ast.Constant)
        pattern += re.escape(str(piece.value)) if is_text else "[^/]+"
    return f"/{pattern}$"


def labels(figure: Path | None, heading: str) -> dict[str, dict[str, str]]:
    """Set for MyST-NB the text for those who cannot see a picture, and its caption."""
    if figure is None:
        said = f"Picture to the section “{heading}”; its tables hold the numbers."
        return {"image": {"alt": said}}
    text = caption(figure)
    return {"image": {"alt": text}, "figure": {"caption": escaped(text)}}


def caption(figure: Path) -> str:
    """Read the caption that `figures.save` wrote into a file."""
    with Image.open(figure) as image:
        return " ".join(image.text["Description"].split())


def escaped(text: str) -> str:
    """Escape a text, so that Markdown shows it as it is."""
    return SPECIAL.sub(r"\\\1", text)
