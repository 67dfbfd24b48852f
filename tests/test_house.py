"""The layers of both packages, and the length of their functions."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("wmtlib", "study")  # the study imports the library, never the other way
FRONT = {"wmtlib", "wmtlib.__main__"}  # they only hand on names
# Each imports earlier ones; a module that is not named is an analysis of judgements.
ANALYSES = "analyses"
FORMULAS = ("scorers", "zscores", "models", "bradley_terry", "trueskill")
LAYERS = ("core", FORMULAS, "files", ANALYSES, "report", "cli")
LONGEST_FUNCTION = 60  # lines, without its docstring
Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.fixture(scope="module")
def trees():
    """The syntax tree of every module of both packages, by its name."""
    trees = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            trees[name.removesuffix(".__init__")] = ast.parse(path.read_text("utf-8"))
    return trees


@pytest.fixture(scope="module")
def imports(trees):
    """The modules of ours that each module imports, anywhere in it."""
    imports = {}
    for name, tree in trees.items():
        imported = loaded_by_name(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
        imports[name] = imported & {*trees} - FRONT - {"study"}
    return imports


def loaded_by_name(tree):
    """The modules that a module loads by `import_module` or `__import__`."""
    loaded = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func).rpartition(".")[2]
            if function in ("import_module", "__import__"):
                loaded.add(ast.unparse(node.args[0]).strip("'"))
    return loaded


def layer(name):
    """The place of a module of the library in `LAYERS`."""
    place = name.split(".")[1]
    for number, names in enumerate(LAYERS):
        if place == names or (isinstance(names, tuple) and place in names):
            return number
    return LAYERS.index(ANALYSES)


def test_modules_import_earlier_layers_and_no_study(imports):
    for name, imported in imports.items():
        if name in FRONT or not name.startswith("wmtlib."):
            continue
        assert not {other for other in imported if other.startswith("study")}, name
        later = {other for other in imported if layer(other) > layer(name)}
        assert not later, f"{name} imports {sorted(later)}"


def test_no_modules_import_each_other(imports):
    left = {name: {*imported} - {name} for name, imported in imports.items()}
    while leaves := {name for name, imported in left.items() if not imported & {*left}}:
        left = {name: left[name] for name in left if name not in leaves}
    assert not left, f"modules import each other: {sorted(left)}"


def test_no_module_of_ours_is_loaded_by_name(trees):
    """Lazy names of the front aside: an import by name hides a circle."""
    for name, tree in trees.items():
        if name not in FRONT:
            assert not loaded_by_name(tree), name


def test_no_module_imports_private_names(trees):
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in trees:
                private = [a.name for a in node.names if is_private(a.name)]
                assert not private, f"{name} imports {private} from {node.module}"


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def test_functions_are_short(trees):
    long = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, Function) and length(node) > LONGEST_FUNCTION:
                long.append(f"{name}.{node.name}: {length(node)} lines")
    assert not long


def length(function):
    """Lines of a function, without its decorators and its docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is not None:
        text = function.body[0]
        lines -= text.end_lineno - text.lineno + 1
    return lines
