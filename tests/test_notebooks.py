"""Guards on the committed notebooks; nbval, in the same run, executes them again.

nbval passes over cells without outputs, so these tests make sure that there are outputs.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from wmtlib.study import clean_notebooks, runner

NOTEBOOKS = sorted(runner.NOTEBOOKS.glob("*.ipynb"))
EMBEDDED = Path(__file__).parent / "embedded"
MACHINE = re.compile(r"/(home|root|tmp|work|Users|private|var)/|[A-Z]:\\\\|\b0x[0-9a-f]{6,}")
LONGEST_CELL, LONGEST_LINE = 15, 100


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture(params=[*NOTEBOOKS, *sorted(EMBEDDED.glob("*.ipynb"))], ids=lambda p: p.parent.name)
def executed(request):
    """A notebook with its outputs, from raw or from embedded data."""
    return nbformat.read(request.param, as_version=4)


@pytest.fixture
def notebook(path):
    return nbformat.read(path, as_version=4)


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


def test_is_valid_and_carries_nothing_that_changes_from_run_to_run(executed):
    nbformat.validate(executed)
    assert executed.metadata == {"kernelspec": clean_notebooks.KERNEL}
    assert all(set(cell.metadata) <= {"tags"} for cell in executed.cells)


def test_every_cell_ran_in_order(executed):
    cells = code_cells(executed)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


def test_no_output_is_an_error_or_a_warning(executed):
    outputs = [output for cell in code_cells(executed) for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


def test_nothing_tells_of_the_machine(executed):
    said = [cell.source for cell in executed.cells]
    said += [text for cell in code_cells(executed) for text in texts(cell)]
    assert not [found.group() for text in said if (found := MACHINE.search(text))]


def test_the_embedded_outputs_are_those_of_the_same_cells():
    stored = sorted(EMBEDDED.glob("*.ipynb"))
    assert len(stored) == 6
    for path in stored:
        cells = [nbformat.read(one, 4).cells for one in (path, runner.NOTEBOOKS / path.name)]
        assert [cell.source for cell in cells[0]] == [cell.source for cell in cells[1]], path.name


def test_parameters_are_plain_assignments(notebook):
    [cell] = [cell for cell in notebook.cells if "parameters" in tags(cell)]
    tree = ast.parse(cell.source).body
    assert tree and all(isinstance(line, ast.Assign) for line in tree)
    assert all(ast.literal_eval(line.value) is not None for line in tree)


def test_what_nbval_leaves_out_has_a_reason(notebook):
    for cell in code_cells(notebook):
        reasons = [tag for tag in tags(cell) if tag.startswith("reason: ")]
        assert len(reasons) == ("nbval-ignore-output" in tags(cell))
        assert not {"nbval-skip", "raises-exception"} & set(tags(cell))


def test_the_last_cell_says_something_that_is_compared(notebook):
    last = notebook.cells[-1]
    assert "nbval-ignore-output" not in tags(last)
    assert "".join(texts(last)).strip()


def test_cells_are_short(notebook):
    for cell in code_cells(notebook):
        lines = cell.source.splitlines()
        assert len(lines) <= LONGEST_CELL, cell.source
        assert max(map(len, lines)) <= LONGEST_LINE, cell.source


def test_a_figure_stands_in_the_notebook(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
