"""Results that take long to compute, kept below build/ until what they rest on changes.

A notebook that is run again, or compared by nbval, reads what an earlier run has
computed:

    table = keep.result("protocols", [seeds, repeats], simulate, range(seeds), repeats)

A result rests on two things, and it is computed anew when one of them changes:

- its name and its settings: the data, by the hash of their `Source` or of a frame
  (`frame_sha256`), and every number that the computation takes;
- all that `inputs_sha256` covers: both packages, what papers print, and the libraries.
  So any changed line of the packages computes every result anew.

A kept result is plain data: tables in Arrow's format, in an .npz file without pickles,
so nothing in it can run code when it is read. Before them is a line, the SHA-256 of the
inputs and of all that follows: what was cut short, changed, computed by other code or
cannot be read is computed anew. A result is the same whether it was kept or computed,
so it is drawn from generators that are made inside the function. Files are written
whole or not at all, below build/kept or in `$WMTLIB_KEPT`. Where nothing can be
written, a warning says so. Nothing is kept without pyarrow, or if `$WMTLIB_KEPT` is
empty, as in unit tests.
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
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study.data.sources import ROOT
from study.data.storage import atomic_write, file_sha256

RESTS_ON = ("wmtlib", "study", "data")
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

    Raises
    ------
    ValueError
        The function is one of a notebook, whose code is not among the inputs.
    """
    if compute.__module__ == "__main__":
        raise ValueError(f"{name}: a function of a notebook cannot be kept")
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    if not (chosen and find_spec("pyarrow")):
        return compute(*arguments, **options)
    inputs = inputs_sha256()
    path = Path(chosen, name, f"{_sha256(settings)}.npz")
    with suppress(Exception):  # whatever somebody has made of it, it is computed anew
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode() == _sha256([inputs], content):
            return unpack(content)
    content = pack(compute(*arguments, **options))
    try:
        with atomic_write(path) as unfinished:
            checksum = _sha256([inputs], content).encode()
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


# --- what every result rests on -------------------------------------------------------


@cache
def inputs_sha256() -> str:
    """Compute the SHA-256 of both packages, data/, the lock file and libraries."""
    paths = [ROOT / "requirements.lock"]
    for folder in RESTS_ON:
        paths += sorted((ROOT / folder).rglob("*"))
    hashes = [
        (path.relative_to(ROOT).as_posix(), file_sha256(path))
        for path in paths
        if path.is_file() and path.suffix != ".pyc"
    ]
    versions = [version(library) for library in ("numpy", "pandas", "scipy")]
    return _sha256([hashes, versions, sys.version])


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
