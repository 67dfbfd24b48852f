"""Guards on the committed notebooks; nbval, in the same run, executes them again.

nbval passes over cells without outputs, so these tests make sure that there are outputs.
"""

import ast
import re

import nbformat
import pytest

from wmtlib.study import runner

NOTEBOOKS = sorted(runner.NOTEBOOKS.glob("*.ipynb"))
MACHINE = re.compile(r"/(home|root|tmp|work|Users|private|var)/|[A-Z]:\\\\|\b0x[0-9a-f]{6,}")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook, tag):
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def test_is_valid_and_carries_nothing_that_changes_from_run_to_run(notebook):
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec"}
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


def test_every_cell_ran_in_order(notebook):
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))


def test_no_output_is_an_error_or_a_warning(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


def test_nothing_tells_of_the_machine(notebook):
    texts = [cell.source for cell in notebook.cells]
    for cell in code_cells(notebook):
        for output in cell.outputs:
            texts += [output.get("text", ""), str(output.get("data", {}).get("text/plain", ""))]
            texts += [str(output.get("data", {}).get("text/html", ""))]
    assert not [found.group() for text in texts if (found := MACHINE.search(text))]


def test_parameters_are_plain_assignments(notebook):
    [cell] = tagged(notebook, "parameters")
    tree = ast.parse(cell.source).body
    assert tree and all(isinstance(line, ast.Assign) for line in tree)
    assert all(ast.literal_eval(line.value) is not None for line in tree)


def test_the_last_cell_is_checked_and_says_something(notebook):
    assert tagged(notebook, "nbval-check-output") == [notebook.cells[-1]]
    [output] = notebook.cells[-1].outputs
    assert output.text.strip()


def test_functions_are_short(notebook):
    for cell in code_cells(notebook):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno <= 5, node.name


def test_a_figure_stands_in_the_notebook(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
