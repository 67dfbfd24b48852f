"""Guards on the committed notebooks; `make nbval` executes them again.

nbval passes over cells without outputs, so these tests make sure that there are
outputs.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from study.data.sources import ROOT
from study.run.papermill import KERNEL

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EMBEDDED = Path(__file__).parents[1] / "embedded"
MACHINE = re.compile(
    r"/(home|root|tmp|work|Users|private|var)/|[A-Z]:\\\\|\b0x[0-9a-f]{6,}"
)
LONGEST_CELL = 12
LONGEST_LINE = 79  # what the book's column shows
MOST_VISIBLE = 60
HIDDEN = {"hide-input", "hide-cell"}  # folded away in the book


@pytest.fixture(scope="module")
def notebooks():
    """Those of the repository, by name."""
    return {path.stem: nbformat.read(path, as_version=4) for path in NOTEBOOKS}


@pytest.fixture(scope="module")
def executed(notebooks):
    """Those with outputs from raw data, then from embedded data."""
    embedded = sorted(EMBEDDED.glob("*.ipynb"))
    return [
        *notebooks.values(),
        *(nbformat.read(path, as_version=4) for path in embedded),
    ]


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def texts(cell):
    """What a code cell says: printed text and tables."""
    for output in cell.outputs:
        yield output.get("text", "")
        yield str(output.get("data", {}).get("text/plain", ""))
        yield str(output.get("data", {}).get("text/html", ""))


def test_nothing_changes_from_run_to_run_or_tells_of_the_machine(executed):
    for notebook in executed:
        nbformat.validate(notebook)
        assert notebook.metadata == {"kernelspec": KERNEL}
        assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)
        said = [cell.source for cell in notebook.cells]
        said += [text for cell in code_cells(notebook) for text in texts(cell)]
        assert not [found.group() for text in said if (found := MACHINE.search(text))]


def test_every_cell_ran_in_order_without_an_error_or_a_warning(executed):
    for notebook in executed:
        cells = code_cells(notebook)
        assert [cell.execution_count for cell in cells] == list(
            range(1, len(cells) + 1)
        )
        outputs = [output for cell in cells for output in cell.outputs]
        assert not [
            o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"
        ]


def test_the_embedded_outputs_are_those_of_the_same_cells(notebooks):
    stored = sorted(EMBEDDED.glob("*.ipynb"))
    assert [path.name for path in stored] == [path.name for path in NOTEBOOKS]
    for path in stored:
        cells = nbformat.read(path, 4).cells, notebooks[path.stem].cells
        assert [cell.source for cell in cells[0]] == [
            cell.source for cell in cells[1]
        ], path.name


def test_parameters_are_plain_assignments(notebooks):
    for name, notebook in notebooks.items():
        [cell] = [cell for cell in notebook.cells if "parameters" in tags(cell)]
        tree = ast.parse(cell.source).body
        assert tree and all(isinstance(line, ast.Assign) for line in tree), name
        assert all(ast.literal_eval(line.value) is not None for line in tree), name


def test_what_nbval_leaves_out_has_a_reason(notebooks):
    for name, notebook in notebooks.items():
        for cell in code_cells(notebook):
            reasons = [tag for tag in tags(cell) if tag.startswith("reason: ")]
            assert len(reasons) == ("nbval-ignore-output" in tags(cell)), name
            assert not {"nbval-skip", "raises-exception"} & set(tags(cell)), name
        last = notebook.cells[-1]  # it says something that is compared
        assert (
            "nbval-ignore-output" not in tags(last) and "".join(texts(last)).strip()
        ), name


def test_cells_are_short_and_a_figure_stands_in_every_notebook(notebooks):
    for name, notebook in notebooks.items():
        visible = 0
        for cell in code_cells(notebook):
            lines = [line for line in cell.source.splitlines() if line]
            assert max(map(len, lines)) <= LONGEST_LINE, cell.source
            # Parameters are a list, as long as there are some.
            is_list = "parameters" in tags(cell)
            assert is_list or len(lines) <= LONGEST_CELL, cell.source
            visible += len(lines) * (not HIDDEN & set(tags(cell)))
        assert visible <= MOST_VISIBLE, name
        assert "hide-cell" in tags(notebook.cells[-1]), name
        outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
        assert any("image/png" in output.get("data", {}) for output in outputs), name
