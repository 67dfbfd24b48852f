"""Build the book: `python docs/book/build.py NOTEBOOKS OUTPUT TARGET [DATA]`.

NOTEBOOKS is the folder of the executed notebooks, OUTPUT that with the figures that
they saved, TARGET the folder of the book, DATA what they ran on: raw or embedded. What
was found, and the scoreboard, are those of the repository: they need the raw files.
"""

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pages
import pandas as pd
from chapters import chapter, linked
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# Parts of the book, by the first digits of notebooks.
PARTS = {
    "start": ("0",),
    "lopez2012": ("1",),
    "hopkins2013": ("2",),
    "knowles2021": ("3",),
    "beyond": ("6",),
    "yours": ("4", "5"),
}
# Public names by what they are for.
FUNCTIONS = {
    "Read and rank": ["read", "rank", "analyse", "ranking_methods", "Ranking"],
    "Count": ["comparisons", "count", "Counts", "load_counts"],
    "The order that contradicts the fewest judgements": [
        "exact_order",
        "check_certificate",
        "violated",
        "MFAS",
    ],
    "Assessments": ["z_scores"],
    "How sure": [
        "rank_sets",
        "RankSets",
        "clusters",
        "bootstrap",
        "stability",
        "judges",
        "compare",
    ],
    "Draw": ["heatmap"],
    "Errors and warnings": ["DataError", "Question", "JudgementWarning"],
}
DATA = {
    "raw": "the raw files",
    "embedded": "counts in the repository and simulated campaigns",
}


def main(notebooks: str, output: str, target: str, data: str = "raw") -> int:
    """Write the book in place of an older one; return Sphinx's exit code."""
    book = Path(target)
    source = book.with_name(f"{book.name}-pages")
    assemble(Path(notebooks), Path(output), source, data)
    shutil.rmtree(book, ignore_errors=True)
    doctrees = str(source / ".doctrees")
    options = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE)]
    return sphinx([*options, "-d", doctrees, str(source), str(book)])


def assemble(notebooks: Path, output: Path, source: Path, data: str) -> None:
    """Put everything that Sphinx reads into the folder `source`.

    Parameters
    ----------
    notebooks, output : Path
        Executed notebooks, and the folder with their figures/.
    source : Path
        Is emptied first.
    data : str
        What the notebooks ran on: raw or embedded.
    """
    shutil.rmtree(source, ignore_errors=True)
    (source / "originals").mkdir(parents=True)
    shutil.copytree(ROOT / "figures", source / "figures")
    figures = sorted((output / "figures").rglob("*.png"))
    names = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))
    executed = {}
    for name in names:
        if not (notebooks / name).is_file():
            sys.exit(f"{name} has not run on {data} data yet; make reproduce runs all")
        shutil.copy(notebooks / name, source / "originals")
        executed[name[:-6]] = nbformat.read(notebooks / name, as_version=4)
        nbformat.write(chapter(notebooks / name, figures), source / name)
    for path in [*HERE.parent.glob("*.md"), *HERE.parent.glob("*.bib")]:
        (source / path.name).write_text(linked(path.read_text("utf-8")), "utf-8")
    results = ROOT / "results"
    board = pd.read_csv(results / "scoreboard.csv", dtype=str, keep_default_na=False)
    made = {
        "index": first_page(board, executed, data),
        "scoreboard": pages.scoreboard(board, committed(board)),
        "print": pages.beside(board, ROOT / "figures"),
        "functions": pages.functions(FUNCTIONS),
        "command-line": pages.command_line(),
    }
    for name, text in made.items():
        (source / f"{name}.md").write_text(text, "utf-8")


def committed(board: pd.DataFrame) -> dict[str, nbformat.NotebookNode]:
    """Read the notebooks that compute the scoreboard, as the repository has them."""
    folder = ROOT / "notebooks"
    return {
        name: nbformat.read(folder / f"{name}.ipynb", as_version=4)
        for name in board["notebook"].unique()
    }


def first_page(board: pd.DataFrame, names: Iterable[str], data: str) -> str:
    """Fill `index.md`, the first page: README's text, a search, and the contents."""
    words = {
        "readme": in_book((ROOT / "README.md").read_text("utf-8")),
        "rows": str(len(board)),
        "data": DATA[data],
    }
    for part, digits in PARTS.items():
        words[f"part_{part}"] = "\n".join(n for n in names if n.startswith(digits))
    text = (HERE / "index.md").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: words[found[1]], text)


def in_book(text: str) -> str:
    """Turn README's links to files into links to pages; what is no page has no link."""
    text = text.replace("](results/scoreboard.csv)", "](scoreboard.md)")
    text = re.sub(r"\]\((?:docs|notebooks)/([\w-]+\.(?:md|ipynb))", r"](\1", text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https:)[^)]*(?:/|[A-Z])[^)]*\)", r"\1", text)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
