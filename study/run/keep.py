"""Results that take long to compute, kept below build/ until what they rest on changes.

A notebook that is run again, or compared by nbval, reads what an earlier run has
computed:

    table = keep.result("protocols", [seeds, repeats], simulate, range(seeds), repeats)

A result rests on three things, and it is computed anew when one of them changes:

- its name and its settings: the data, by the hash of their `Source` or of a frame
  (`frame_sha256`), and every number that the computation takes;
- the source code of the module that the computation is in and of every module of the
  two packages that this one imports, and so on, inside functions too; and the tables
  beside them;
- the versions of Python and of the numerical libraries, and the lock file.

So a changed line of a model computes every fit anew, and a changed label of a plot
none. Published numbers are not among these things: a computation that reads them names
their hash in its settings.

A kept result is plain data: arrays, and tables in Arrow's format, all in one .npz file
without pickles, so nothing in it can run code when it is read. Its SHA-256 is in a file
beside it: what was cut short, changed or cannot be read is computed anew. A result is
the same whether it was kept or computed, so it is drawn from generators that are made
inside the function. Files are written whole or not at all, below build/kept or in
`$WMTLIB_KEPT`; folders of other code, named by sixteen hex digits, are removed. Where
nothing can be written, a warning says so. Nothing is kept without a repository or
without pyarrow, or if `$WMTLIB_KEPT` is empty, as in unit tests.
"""

import hashlib
import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from modulefinder import ModuleFinder
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from study.data.storage import atomic_files, file_sha256

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (ROOT / "wmtlib", ROOT / "study")
LAZY = ROOT / "wmtlib" / "__init__.py"  # it loads by name what is asked for

# A frame, an array, or several of them by name.
Kept = TypeVar("Kept", bound=pd.DataFrame | np.ndarray | Mapping[str, Any])


def result(
    name: str,
    settings: Sequence[Any],
    compute: Callable[..., Kept],
    *arguments: Any,
    module: ModuleType | None = None,
) -> Kept:
    """Return `compute(*arguments)`, from a file if it was computed before.

    Parameters
    ----------
    name : str
        Of the computation, and of the folder that its results are in.
    settings : sequence
        All that the result depends on besides code, in types that JSON knows.
    compute : callable
        It returns what `pack` takes.
    module : module, optional
        The computation's, if `compute` is defined in a notebook; otherwise the one of
        `compute`.
    """
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    has_repository = (ROOT / "requirements.lock").exists()
    if not (chosen and has_repository and find_spec("pyarrow")):
        return compute(*arguments)
    code = state(module.__name__ if module else compute.__module__)
    folder = Path(chosen, name, code)
    path = folder / f"{_sha256(settings)[:32]}.npz"
    checksum = path.with_suffix(".sha256")
    with suppress(Exception):  # whatever somebody has made of it, it is computed anew
        if checksum.read_text() == file_sha256(path):
            with np.load(path, allow_pickle=False) as file:
                return unpack(file)
    arrays = pack(compute(*arguments))
    for other in folder.parent.glob("[0-9a-f]" * 16):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    try:
        with atomic_files(folder) as unfinished:
            written = unfinished / path.name
            np.savez(written, **arrays)  # type: ignore[arg-type]
            (unfinished / checksum.name).write_text(file_sha256(written))
    except OSError as error:
        warnings.warn(f"{path}: a result cannot be kept: {error}", stacklevel=2)
    return unpack(arrays)


def frame_sha256(frame: pd.DataFrame) -> str:
    """Compute the SHA-256 of a table's columns and rows."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return _sha256([*frame.columns, hashlib.sha256(rows.tobytes()).hexdigest()])


def _sha256(values: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


# --- the code that a result rests on --------------------------------------------------


@cache
def state(module: str) -> str:
    """Compute sixteen hex digits of the code below a module, tables and libraries."""
    paths = [*files_below(module), ROOT / "requirements.lock"]
    for package in PACKAGES:
        paths += [*package.rglob("*.csv"), *package.rglob("*.toml")]
    hashes = {
        path.relative_to(ROOT).as_posix(): file_sha256(path) for path in sorted(paths)
    }
    versions = [version(library) for library in ("numpy", "pandas", "scipy")]
    return _sha256([hashes, versions, sys.version])[:16]


def files_below(module: str) -> list[Path]:
    """List the source files of a module and of all modules of ours that it imports.

    The library's own `__init__` loads what it offers when it is asked for, by name;
    modules of the packages import from one another, which a test holds.

    Raises
    ------
    ImportError
        It is no module of the packages: a notebook, for instance. Name one that the
        result rests on.
    """
    finder = ModuleFinder([str(ROOT)])  # it reads files and runs nothing
    finder.import_hook(module)
    files = [vars(part)["__file__"] for part in finder.modules.values()]
    # None: a module that Python itself holds, such as sys.
    return [Path(file) for file in files if file and Path(file) != LAZY]


# --- plain tables and arrays ----------------------------------------------------------


def pack(value: Any) -> dict[str, np.ndarray]:
    """Turn a value into plain arrays, from which `unpack` makes it again.

    Parameters
    ----------
    value : DataFrame, array, or dict from str to DataFrame or array
        A table's columns hold numbers, texts, categories or truth values, with missing
        ones or without; its index may be any.

    Returns
    -------
    dict of str to array
        Of a table, the bytes of its Arrow stream. A key says "frame" or "array", and in
        a dict the name too.

    Raises
    ------
    TypeError
        The value is of another type, or a column mixes types.
    """
    from pyarrow import Table
    from pyarrow.ipc import deserialize_pandas, serialize_pandas

    if isinstance(value, dict):
        return {
            f"{kind} {name}": array
            for name, content in value.items()
            for kind, array in pack(content).items()
        }
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {"array": value}
    if isinstance(value, pd.DataFrame):
        whole = Table.from_pandas(value).combine_chunks().to_pandas()
        array = np.frombuffer(serialize_pandas(whole), np.uint8)
        if deserialize_pandas(array).equals(value):
            return {"frame": array}
    raise TypeError(f"{type(value).__name__} cannot be kept as plain data: {value!r}")


def unpack(arrays: Mapping[str, np.ndarray]) -> Any:
    """Make the value again of which `pack` made these arrays."""
    from pyarrow.ipc import deserialize_pandas

    values = {}
    for key, value in arrays.items():
        kind, is_dict, name = key.partition(" ")
        if kind == "frame":
            value = deserialize_pandas(value)
        if not is_dict:
            return value
        values[name] = value
    return values
