"""The layers of both packages, the size of their code, and its language.

Code is measured in tokens, which no layout changes. Pressed idioms, names that are
defined twice, metaphors and docstrings without a verb are found in the syntax trees.
"""

import ast
import csv
import io
import re
import tokenize
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("wmtlib", "study")  # the study imports the library, never the other way
FRONT = {"wmtlib", "wmtlib.__main__"}  # they only hand on names
LAYERS = ("core", "reading", "public", "report", "cli")  # each imports earlier ones
MOST_TOKENS = {"wmtlib": 95_350, "study": 83_500}
MOST_PRESSED = 20  # places, each the better way
MOST_MODULES = 94
LONGEST_FUNCTION = 60  # lines, without its docstring
MOST_NAMES_TWICE = 30  # public names that two modules define
# The first words of functions' docstrings; a verb that is needed is entered here.
VERBS = """
Add Answer Apply Approximate Average Bound Bring Call Check Choose Clean Code Collect
Compare Compile Compute Convert Copy Correct Correlate Count Cut Deal Decide Describe
Design Display Divide Do Download Draw Escape Estimate Evaluate Exchange Explain Fetch
Find Fit Fix Fold Give Group Hold Join Judge Keep Lay Leave List Load Look Make Map Mark
Measure Move Name Narrow Note Number Open Order Pack Parse Pay Perturb Prepare Print
Propose Put Rank Read Recover Reduce Refuse Relate Remove Rename Repeat Replace Resample
Resolve Return Round Run Say Scale Score Search Select Set Show Simulate Solve Sort
Split Sum Summarise Tabulate Take Tell Test Train Turn Verify Warn Write Yield
"""
NO_VERBS = {"What", "How", "Whether", "That", "Which", "Of", "As", "Where", "Who"}
METAPHORS = re.compile(
    r"\b(houses?|drawers?|rooms?|doors?|witness(es)?|stands|(is|are|be) told)\b", re.I
)
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = ast.Module | ast.ClassDef | Function


@pytest.fixture(scope="module")
def trees():
    """The syntax tree of every module of both packages, by its name."""
    trees = {}
    for path in sources():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        trees[name.removesuffix(".__init__")] = ast.parse(path.read_text("utf-8"))
    return trees


def sources(*packages):
    """The modules of the packages that are named, or of both."""
    for package in packages or PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


@pytest.fixture(scope="module")
def imports(trees):
    """The modules of ours that each module imports, anywhere in it."""
    imports = {}
    for name, tree in trees.items():
        imported = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
        imports[name] = imported & {*trees} - FRONT - {"study"}
    return imports


def layer(name):
    """The place of a module of the library in `LAYERS`."""
    place = name.split(".")[1]
    return LAYERS.index(place) if place in LAYERS else 0


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


def test_no_module_imports_private_names(trees):
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "") in trees:
                private = [a.name for a in node.names if is_private(a.name)]
                assert not private, f"{name} imports {private} from {node.module}"


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


# --- how much code there is, and how it reads -----------------------------------------


@pytest.mark.parametrize("package", PACKAGES)
def test_tokens_of_a_package_are_within_its_budget(package):
    assert sum(map(tokens, sources(package))) <= MOST_TOKENS[package]


def test_modules_are_few():
    files = [path for path in sources() if not path.stem.startswith("__")]
    assert len(files) <= MOST_MODULES


def tokens(path):
    """Python's own tokens, without comments, docstrings and what sets the lines."""
    source = path.read_text("utf-8")
    documented = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented) and ast.get_docstring(node) is not None:
            text = node.body[0]
            documented |= {*range(text.lineno, text.end_lineno + 1)}
    number = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        number += token.type not in LAYOUT and token.start[0] not in documented
    return number


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


def test_no_pressed_idioms(trees):
    pressed = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if says_two_things(node):
                pressed.append(f"{name}:{node.lineno}")
            if isinstance(node, Function):
                pressed += [f"{name}:{line}" for line in splatted_once(node)]
    assert len(pressed) <= MOST_PRESSED, pressed


def says_two_things(node):
    """Two computed values assigned at once, a condition as a number, or two nested."""
    match node:
        case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple(elts=values)):
            return not all(map(is_plain, values))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            is_condition = isinstance(right, ast.Compare | ast.BoolOp | ast.Call)
            return is_condition and is_text_or_list(left)
        case ast.IfExp(body=body, orelse=orelse):
            return isinstance(body, ast.IfExp) or isinstance(orelse, ast.IfExp)
    return False


def is_plain(value):
    """A name, a constant, an attribute: side by side they hide nothing."""
    return isinstance(value, ast.Name | ast.Constant | ast.Attribute | ast.UnaryOp)


def is_text_or_list(value):
    is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
    return is_text or isinstance(value, ast.List | ast.JoinedStr)


def splatted_once(function):
    """Lines on which a dict is made that one call alone takes apart."""
    made, taken = {}, []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict()):
                made[name] = node.lineno
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict()):
                made[name] = node.lineno
            case ast.keyword(arg=None, value=ast.Name(id=name)):
                taken.append(name)
    return [line for name, line in made.items() if taken.count(name) == 1]


# --- its language ---------------------------------------------------------------------


def documented(trees):
    """Modules, classes and functions with a docstring: name, node, docstring."""
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                yield f"{name}.{getattr(node, 'name', '')}", node, text


def is_property(node):
    return any("property" in ast.unparse(named) for named in node.decorator_list)


def begins_with_a_verb(node, text):
    """Values, such as properties, are named; whatever is called does something."""
    first = text.split()[0].strip(".,:;")
    if isinstance(node, Function) and not is_property(node):
        return first in VERBS.split()
    return first not in NO_VERBS


def test_docstrings_begin_with_a_verb(trees):
    clauses = [
        f"{name}: {text.split()[0]}"
        for name, node, text in documented(trees)
        if not begins_with_a_verb(node, text)
    ]
    assert not clauses


def test_docstrings_and_comments_have_no_metaphors(trees):
    texts = [(name, text) for name, _, text in documented(trees)]
    for path in sources():
        source = io.StringIO(path.read_text("utf-8"))
        for token in tokenize.generate_tokens(source.readline):
            if token.type == tokenize.COMMENT:
                texts.append((f"{path.name}:{token.start[0]}", token.string))
    assert not [name for name, text in texts if METAPHORS.search(text)]


def test_few_public_names_are_defined_twice(trees):
    defined = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_")
    )
    twice = sorted(name for name, number in defined.items() if number > 1)
    assert len(twice) <= MOST_NAMES_TWICE, twice


def test_each_breakage_matches_one_line():
    table = Path(__file__).with_name("breakages.csv").read_text("utf-8")
    for row in csv.DictReader(table.splitlines()):
        module = (ROOT / row["module"]).read_text("utf-8")
        assert module.count(row["right"]) == 1, row["what"]


# --- the tests of this file can fail --------------------------------------------------


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("a, b = 1, 2", 0),
        ("a, b = f(x), g(x)", 1),
        ("a, b = f(x)", 0),
        ("lines = [line] * (n > 0)", 1),
        ("text = 'more' * bool(n)", 1),
        ("text = '-' * n", 0),
        ("x = a if b else c if d else e", 1),
        ("def f():\n    d = {'k': 1}\n    return g(**d)", 1),
        ("def f():\n    d = {'k': 1}\n    return g(**d) + h(**d)", 0),
    ],
)
def test_pressed_idioms_are_counted(source, number):
    nodes = [*ast.walk(ast.parse(source))]
    pressed = sum(map(says_two_things, nodes))
    pressed += sum(len(splatted_once(n)) for n in nodes if isinstance(n, Function))
    assert pressed == number


@pytest.mark.parametrize(
    ("source", "is_good"),
    [
        ("def f():\n    'Compute a sum.'", True),
        ("def _f():\n    'What errors weigh.'", False),
        ("def f():\n    'The sum.'", False),
        ("class C:\n    'The sum.'", True),
        ("class C:\n    'What is summed.'", False),
        ("class C:\n    @property\n    def f(self):\n        'Names, sorted.'", True),
    ],
)
def test_docstrings_without_a_verb_are_found(source, is_good):
    trees = {"module": ast.parse(source)}
    found = [begins_with_a_verb(node, text) for _, node, text in documented(trees)]
    assert found == [is_good]


@pytest.mark.parametrize("word", ["drawer", "stands", "is told", "Rooms"])
def test_metaphors_are_found(word):
    assert METAPHORS.search(f"# it {word} here")
    assert not METAPHORS.search("# a standard doorway is bedroom-sized")
