"""Results that take long to compute, kept below build/ until something that they rest on changes.

A notebook that is run again, or compared by nbval, reads what an earlier run has computed:

    table = keep.result("protocols", [seeds, repeats], simulate, range(seeds), repeats)

A result rests on three things, and it is computed anew when one of them changes:

- its name and its settings: the data, by the hash of their `Source` or of a frame
  (`frame_sha256`), and every number that the computation takes;
- the source code of the module that the computation stands in and of every module of the package
  that this one imports, and so on, inside functions too; and the tables in the package's `data`;
- the versions of Python and of the numerical libraries, and the lock file.

So a changed line of a model computes every fit anew, and a changed label of a plot none. Published
numbers are not among these things: a computation that reads them names their hash in its settings.

What is kept is plain: arrays and a text that says how they belong together (`pack`), never a
pickle, which could run code when it is read. A result is the same whether it was kept or computed,
so it is drawn from generators that are made inside the function. Files are written whole or not at
all, below build/kept or in `$WMTLIB_KEPT`; those of other code are removed. Nothing is kept where
the package is installed without its repository, or if `$WMTLIB_KEPT` is empty, as in unit tests.
"""

import ast
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.study.releases.storage import atomic_write, file_sha256

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
LIBRARIES = ("numpy", "pandas", "scipy")


def result(
    name: str,
    settings: Sequence[Any],
    compute: Callable[..., Any],
    *arguments: Any,
    module: ModuleType | None = None,
) -> Any:
    """What `compute(*arguments)` returns, from a file if it was computed before.

    Parameters
    ----------
    name : str
        Of the computation; a folder bears it.
    settings : sequence
        All that the result depends on besides code, in types that JSON knows.
    compute : callable
        It returns what `pack` takes.
    module : module, optional
        The computation's, where `compute` stands in a notebook; otherwise the one of `compute`.
    """
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    if not chosen or not (ROOT / "requirements.lock").exists():
        return compute(*arguments)
    folder = Path(chosen) / name / state(module.__name__ if module else compute.__module__)
    path = folder / f"{_sha256(settings)[:32]}.npz"
    if not path.exists():
        packed = pack(compute(*arguments))
        for other in folder.parent.glob("*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        with atomic_write(path) as unfinished:
            np.savez(unfinished, **packed)
    with np.load(path, allow_pickle=False) as file:
        return unpack(file)


def frame_sha256(frame: pd.DataFrame) -> str:
    """SHA-256 of a table's columns and rows."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return _sha256([*frame.columns, hashlib.sha256(rows.tobytes()).hexdigest()])


def _sha256(parts: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


# --- the code that a result rests on ------------------------------------------------------------


@cache
def state(module: str) -> str:
    """Sixteen hex digits of the code below a module, of the package's tables and the libraries."""
    files = [*files_below(module), *(PACKAGE / "data").rglob("*.*"), ROOT / "requirements.lock"]
    hashes = {path.relative_to(ROOT).as_posix(): file_sha256(path) for path in sorted(files)}
    versions = {library: version(library) for library in LIBRARIES}
    return _sha256([hashes, versions, sys.version])[:16]


def files_below(module: str) -> list[Path]:
    """Source files of a module and of all that it imports of the package, directly or not.

    Parameters
    ----------
    module : str
        Its full name, such as "wmtlib.study.keep".

    Raises
    ------
    ValueError
        It is no module of the package: a notebook, for instance.
    """
    if _file_of(module) is None:
        raise ValueError(f"{module} is no module of the package: name one that the result rests on")
    files: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _file_of(name)
        if path is not None and name not in files:
            files[name] = path
            waiting += _imports(path)
    return sorted(files.values())


def _file_of(module: str) -> Path | None:
    """The file of a module of the package; None of any other name."""
    place = ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_relative_to(PACKAGE) and path.is_file():
            return path
    return None


@cache
def _imports(path: Path) -> list[str]:
    """Names of the modules that a file imports, at its head or inside a function.

    The package itself loads what it offers when it is asked for: it may load any module.
    """
    if path == PACKAGE / "__init__.py":
        files = PACKAGE.rglob("*.py")
        return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"  # a module, or a name inside of one
                names.append(inner if _file_of(inner) else str(node.module))
    return names


# --- plain tables and arrays --------------------------------------------------------------------


def pack(value: Any) -> dict[str, np.ndarray]:
    """A value as plain arrays; `unpack` gives it back.

    Parameters
    ----------
    value : None, bool, number, str, array, Index, Series, DataFrame, or list, tuple or dict of them
        Numbers of NumPy come back as Python's.

    Raises
    ------
    TypeError
        The value is of another type.
    """
    arrays: list[np.ndarray] = []
    text = json.dumps(_tree(value, arrays))
    packed = {f"array{k}": array for k, array in enumerate(arrays)}
    return packed | {"tree": np.frombuffer(text.encode(), np.uint8)}


def unpack(packed: Any) -> Any:
    """The value of which `pack` made some arrays (a mapping, such as an open npz file)."""
    return _value(json.loads(packed["tree"].tobytes()), packed)


def _tree(value: Any, arrays: list[np.ndarray]) -> Any:
    """A value as JSON: lists and scalars as they are, all else as {kind: parts}; fills `arrays`."""

    def inner(part: Any) -> Any:
        return _tree(part, arrays)

    if value is pd.NA:
        return {"missing": []}
    match value:
        case np.generic():
            return inner(value.item())
        case None | bool() | int() | float() | str():
            return value
        case list():
            return [inner(part) for part in value]
        case tuple():
            return {"tuple": [inner(part) for part in value]}
        case dict():
            return {"dict": [[inner(key), inner(part)] for key, part in value.items()]}
        case pd.DataFrame():
            columns = [value.iloc[:, k].array for k in range(value.shape[1])]
            return {"frame": [inner(value.index), inner(value.columns), inner(columns)]}
        case pd.Series():
            return {"series": [inner(value.index), inner(value.array), inner(value.name)]}
        case pd.RangeIndex():
            return {"range": [value.start, value.stop, value.step, None, False, inner(value.name)]}
        case pd.MultiIndex():
            levels = [value.get_level_values(k).array for k in range(value.nlevels)]
            return {"multi": [inner(levels), inner([*value.names])]}
        case pd.Index():
            return {"index": [inner(value.array), inner(value.name)]}
        case pd.Categorical():
            return {"categories": [*map(inner, (value.codes, value.categories, value.ordered))]}
        case pd.arrays.ArrowStringArray() | pd.arrays.StringArray():
            codes, texts = pd.factorize(value)
            return {"text": [inner(codes), [*texts], str(value.dtype)]}
        case pd.arrays.NumpyExtensionArray():
            return inner(value.to_numpy())
        case np.ndarray() if value.dtype.kind in "biuf":
            arrays.append(value)
            return {"array": len(arrays) - 1}
        case np.ndarray() if value.dtype.kind in "OU" and value.ndim == 1:
            return {"objects": [inner([*value]), value.dtype.str]}
    raise TypeError(f"{type(value).__name__} cannot be kept as plain tables and arrays: {value!r}")


def _value(tree: Any, packed: Any) -> Any:
    """The value of a tree that `_tree` gave."""
    if isinstance(tree, list):
        return [_value(part, packed) for part in tree]
    if not isinstance(tree, dict):
        return tree
    ((kind, parts),) = tree.items()
    if kind == "array":
        return packed[f"array{parts}"]
    return BUILDERS[kind](*_value(parts, packed))


def _frame(index: pd.Index, names: pd.Index, columns: Sequence[Any]) -> pd.DataFrame:
    series = {k: pd.Series(column, index, column.dtype) for k, column in enumerate(columns)}
    return pd.DataFrame(series, index).set_axis(names, axis=1)


def _objects(values: Sequence[Any], dtype: str) -> np.ndarray:
    array = np.empty(len(values), dtype)
    array[:] = values
    return array


BUILDERS: dict[str, Callable[..., Any]] = {  # from the parts of a tree to the value
    "missing": lambda: pd.NA,
    "tuple": lambda *parts: parts,
    "dict": lambda *pairs: dict(pairs),
    "frame": _frame,
    "series": lambda index, values, name: pd.Series(values, index, values.dtype, name),
    "range": pd.RangeIndex,
    "multi": lambda levels, names: pd.MultiIndex.from_arrays(levels, names=names),
    "index": lambda values, name: pd.Index(values, values.dtype, name=name),
    "categories": pd.Categorical.from_codes,
    "text": lambda codes, texts, dtype: pd.Categorical.from_codes(codes, texts).astype(dtype),
    "objects": _objects,
}
