"""The arrangement of the package: which room may import which, and how long a module may be."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "wmtlib"
# From the ground up: a room imports only from rooms that stand before it.
ROOMS = (
    "judgements",
    "tournament",
    "preference",
    "assessment",
    "simulation",
    "recovery",
    "yours",
    "releases",
    "plots",
    "study",
    "papers",
    "analysis",
    "later",
    "explore",
    "cli",
)
LONGEST = 500
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE)


def name_of(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def imported(path):
    """Modules of the package that a module imports, at its head or inside a function."""
    names = {name_of(p) for p in MODULES}
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wmtlib"):
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & names
            found |= inner | ({node.module} & names)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & names
    return found


def room_of(name):
    return ROOMS.index(name.split(".")[1])


def test_every_folder_is_a_room():
    assert {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()} == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path):
    assert [n for n in imported(path) if room_of(n) > room_of(name_of(path))] == []


def test_no_modules_import_each_other_in_a_circle():
    arrows = {name_of(p): imported(p) for p in MODULES}
    while leaves := {name for name, others in arrows.items() if not others & set(arrows)}:
        arrows = {name: others for name, others in arrows.items() if name not in leaves}
    assert arrows == {}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_are_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST


def test_only_the_two_faces_of_the_package_stand_outside_a_room():
    assert {p.name for p in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}
