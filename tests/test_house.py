"""The arrangement of the package: drawers, each importing only from those before it."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "wmtlib"
FRONT = {"wmtlib", "wmtlib.__main__"}  # they hand on what the drawers hold
DRAWERS = ("core", "yours", "study", "cli")  # each imports from those before it


def modules():
    """Every module of the package by its name, with the modules that it imports anywhere."""
    paths = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    imports = {}
    for name, path in paths.items():
        imports[name] = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                imports[name] |= (inner | {node.module}) & set(paths)
            elif isinstance(node, ast.Import):
                imports[name] |= {alias.name for alias in node.names} & set(paths)
    return imports


def drawer(name):
    place = name.split(".")[1]
    return DRAWERS.index(place) if place in DRAWERS else 0


def test_drawers_import_from_drawers_before_and_the_core_has_no_circle():
    imports = {name: found for name, found in modules().items() if name not in FRONT}
    for name, found in imports.items():
        later = {other for other in found if drawer(other) > drawer(name)}
        assert not later, f"{name} imports {sorted(later)}"
    core = {name: found for name, found in imports.items() if drawer(name) == 0}
    while leaves := {name for name, found in core.items() if not found & set(core)}:
        core = {name: found for name, found in core.items() if name not in leaves}
    assert not core, f"modules of the core import each other: {sorted(core)}"
