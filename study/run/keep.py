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

A kept result is plain data: tables in Arrow's format, in an .npz file without pickles,
so nothing in it can run code when it is read. Before them is a line, the SHA-256 of the
code that the result rests on and of all that follows: what was cut short, changed,
computed by other code or cannot be read is computed anew. A result is the same whether
it was kept or computed, so it is drawn from generators that are made inside the
function. Files are written whole or not at all, below build/kept or in `$WMTLIB_KEPT`.
Where nothing can be written, a warning says so. Nothing is kept without pyarrow, or if
`$WMTLIB_KEPT` is empty, as in unit tests.
"""

import hashlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study.data.sources import ROOT
from study.data.storage import atomic_write, file_sha256

PACKAGES = (ROOT / "wmtlib", ROOT / "study")
LAZY = ROOT / "wmtlib" / "__init__.py"  # it loads by name what is asked for
ALONE = ""  # the name of a table that is not one of several


def result(
    name: str,
    settings: Sequence[Any],
    compute: Callable[..., Any],
    *arguments: Any,
    **options: Any,
) -> Any:
    """Return `compute(*arguments, **options)`, from a file if it was computed before.

    Parameters
    ----------
    name : str
        Of the computation, and of the folder that its results are in.
    settings : sequence
        All that the result depends on besides code, in types that JSON knows.
    compute : callable
        A function of the two packages; it returns what `pack` takes.
    """
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    if not (chosen and find_spec("pyarrow")):
        return compute(*arguments, **options)
    code = state(compute.__module__)
    path = Path(chosen, name, f"{_sha256(settings)}.npz")
    with suppress(Exception):  # whatever somebody has made of it, it is computed anew
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode() == _sha256([code], content):
            return unpack(content)
    content = pack(compute(*arguments, **options))
    try:
        with atomic_write(path) as unfinished:
            checksum = _sha256([code], content).encode()
            unfinished.write_bytes(checksum + b"\n" + content)
    except OSError as error:
        warnings.warn(f"{path}: a result cannot be kept: {error}", stacklevel=2)
    return unpack(content)


def frame_sha256(frame: pd.DataFrame) -> str:
    """Compute the SHA-256 of a table's columns and rows."""
    rows = pd.util.hash_pandas_object(frame, index=False)
    return _sha256([*frame.columns, *rows.tolist()])


def _sha256(values: Sequence[Any], content: bytes = b"") -> str:
    """Compute the SHA-256 of values in types that JSON knows, and of bytes."""
    return hashlib.sha256(json.dumps(values).encode() + content).hexdigest()


# --- the code that a result rests on --------------------------------------------------


@cache
def state(module: str) -> str:
    """Compute the SHA-256 of the code below a module, tables and libraries."""
    paths = [*files_below(module), ROOT / "requirements.lock"]
    for package in PACKAGES:
        paths += [*package.rglob("*.csv"), *package.rglob("*.toml")]
    hashes = [file_sha256(path) for path in sorted(paths)]
    versions = [version(library) for library in ("numpy", "pandas", "scipy")]
    return _sha256([hashes, versions, sys.version])


def files_below(*names: str) -> list[Path]:
    """List the source files of modules and of all modules of ours that they import.

    The library's own `__init__` loads what it offers when it is asked for, by name;
    modules of the packages import from one another, which a test holds.

    Raises
    ------
    ImportError
        It is no module of the packages: a notebook, for instance.
    """
    finder = ModuleFinder([str(ROOT)])  # it reads files and runs nothing
    for name in names:
        finder.import_hook(name)
    files = [vars(part)["__file__"] for part in finder.modules.values()]
    # None: a module that Python itself holds, such as sys.
    return [Path(file) for file in files if file and Path(file) != LAZY]


# --- plain tables ---------------------------------------------------------------------


def pack(value: Any) -> bytes:
    """Turn tables into the bytes of an .npz file, from which `unpack` makes them again.

    Parameters
    ----------
    value : DataFrame, or dict from str to DataFrame
        Columns hold numbers, texts, categories or truth values, with missing ones or
        without; the index may be any.

    Raises
    ------
    TypeError, ValueError
        A column mixes types.
    """
    from pyarrow import Table
    from pyarrow.ipc import serialize_pandas

    tables = value if isinstance(value, dict) else {ALONE: value}
    streams = {}
    for name, table in tables.items():
        whole = Table.from_pandas(table).combine_chunks().to_pandas()
        streams[name] = np.frombuffer(serialize_pandas(whole), np.uint8)
    file = BytesIO()
    np.savez(file, **streams)  # type: ignore[arg-type]
    return file.getvalue()


def unpack(content: bytes) -> Any:
    """Make the tables again of which `pack` made these bytes."""
    from pyarrow.ipc import deserialize_pandas

    streams = np.load(BytesIO(content))  # without pickles
    tables = {name: deserialize_pandas(array) for name, array in streams.items()}
    return tables.get(ALONE, tables)
