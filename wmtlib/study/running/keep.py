"""Results that take long to compute, kept below build/ until something that they rest on changes.

A notebook that is run again, or compared by nbval, reads what an earlier run has
computed:

    table = keep.result("protocols", [seeds, repeats], simulate, range(seeds), repeats)

A result rests on three things, and it is computed anew when one of them changes:

- its name and its settings: the data, by the hash of their `Source` or of a frame
  (`frame_sha256`), and every number that the computation takes;
- the source code of the module that the computation stands in and of every module of
  the package that this one imports, and so on, inside functions too; and the tables in
  the package's `data`;
- the versions of Python and of the numerical libraries, and the lock file.

So a changed line of a model computes every fit anew, and a changed label of a plot
none. Published numbers are not among these things: a computation that reads them names
their hash in its settings.

What is kept is plain: arrays and a text that says how they belong together (`pack`),
never a pickle, which could run code when it is read. A result is the same whether it
was kept or computed, so it is drawn from generators that are made inside the function.
Files are written whole or not at all, below build/kept or in `$WMTLIB_KEPT`; those of
other code are removed. Nothing is kept where the package is installed without its
repository, or if `$WMTLIB_KEPT` is empty, as in unit tests.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from modulefinder import ModuleFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.study.releases.storage import atomic_write, file_sha256

PACKAGE = Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parent


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
        The computation's, where `compute` stands in a notebook; otherwise the one of
        `compute`.
    """
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    if not chosen or not (ROOT / "requirements.lock").exists():
        return compute(*arguments)
    folder = (
        Path(chosen) / name / state(module.__name__ if module else compute.__module__)
    )
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


# --- the code that a result rests on --------------------------------------------------


@cache
def state(module: str) -> str:
    """Sixteen hex digits of the code below a module, of the package's tables and the libraries."""
    files = [
        *files_below(module),
        *(PACKAGE / "data").rglob("*.*"),
        ROOT / "requirements.lock",
    ]
    hashes = {
        path.relative_to(ROOT).as_posix(): file_sha256(path) for path in sorted(files)
    }
    versions = {library: version(library) for library in ("numpy", "pandas", "scipy")}
    return _sha256([hashes, versions, sys.version])[:16]


def files_below(module: str) -> list[Path]:
    """Source files of a module and of all that it imports of the package, directly or not.

    The package's own `__init__` loads what it offers when it is asked for, by name;
    modules of the package import from one another, which a test holds.

    Raises
    ------
    ImportError
        It is no module of the package: a notebook, for instance. Name one that the
        result rests on.
    """
    finder = ModuleFinder([str(ROOT)])  # it reads files and runs nothing
    finder.import_hook(module)
    files = [vars(found)["__file__"] for found in finder.modules.values()]
    # None: a module that Python itself holds, such as sys.
    return sorted(
        Path(file) for file in files if file and not file.endswith("__init__.py")
    )


# --- plain tables and arrays ----------------------------------------------------------


def pack(value: Any) -> dict[str, np.ndarray]:
    """A value as plain arrays; `unpack` gives it back.

    Parameters
    ----------
    value : None, bool, number, str, array, Index, Series, DataFrame, or list, tuple or
    dict of them
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
    match value:
        case None | bool() | int() | float() | str():
            return value
        case np.generic():
            return value.item()
        case list():
            return [_tree(part, arrays) for part in value]
        case np.ndarray() if value.dtype.kind in "biuf":
            arrays.append(value)
            return {"array": len(arrays) - 1}
    kind, *parts = _parts(value)
    return {kind: [_tree(part, arrays) for part in parts]}


def _parts(value: Any) -> tuple[Any, ...]:
    """Kind of a value, and what `BUILDERS` makes it of."""
    if value is pd.NA:
        return ("missing",)
    match value:
        case tuple():
            return "tuple", *value
        case dict():
            return "dict", *map(list, value.items())
        case pd.DataFrame():
            columns = [value.iloc[:, k].values for k in range(value.shape[1])]
            return "frame", value.index, value.columns, columns
        case pd.Series():
            return "series", value.index, value.values, value.name
        case pd.RangeIndex():
            return "range", value.start, value.stop, value.step, None, False, value.name
        case pd.MultiIndex():
            levels = [value.get_level_values(k).values for k in range(value.nlevels)]
            return "multi", levels, [*value.names]
        case pd.Index():
            return "index", value.values, value.name
        case pd.Categorical():
            return "categories", value.codes, value.categories, value.ordered
        case pd.arrays.ArrowStringArray() | pd.arrays.StringArray():
            codes, texts = pd.factorize(value)
            return "text", codes, [*texts], str(value.dtype)
        case np.ndarray() if value.dtype.kind in "OU" and value.ndim == 1:
            return "objects", [*value], value.dtype.str
    raise TypeError(
        f"{type(value).__name__} cannot be kept as plain tables and arrays: {value!r}"
    )


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
    series = {
        k: pd.Series(column, index, column.dtype) for k, column in enumerate(columns)
    }
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
    "text": lambda codes, texts, dtype: pd.Categorical.from_codes(codes, texts).astype(
        dtype
    ),
    "objects": _objects,
}
