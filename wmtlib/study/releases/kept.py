"""Results that take long to compute, kept below build/ until the package or the data change.

A notebook that is run again, or compared by nbval, reads what an earlier run has computed:

    table = kept.result("protocols", [data.sha256, seed, repeats], lambda: simulate(...))

The list names all that the result depends on besides the package: the data, by the hash of their
`Source` or of a frame (`frame_sha256`), and every setting. A result that is kept is the same as one
that is computed, so it is drawn from generators that are made inside the function.

Entries are files below build/kept, or in `$WMTLIB_KEPT`, in a folder for each state of the package.
They are written whole or not at all; those of another state are never read, and they are removed.
Nothing is kept where the package is installed without its repository, or if `$WMTLIB_KEPT` is
empty, as in unit tests.
"""

import hashlib
import json
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from wmtlib.study.releases.sources import ROOT
from wmtlib.study.releases.storage import atomic_write, file_sha256

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def result(name: str, depends_on: Sequence[Any], compute: Callable[[], T]) -> T:
    """What `compute` returns, from a file if it was computed before.

    Parameters
    ----------
    name : str
        Of the computation; the name of the file begins with it.
    depends_on : sequence
        All that the result depends on besides the package, in types that JSON knows.
    compute : callable
        Without arguments; what it returns can be pickled.
    """
    return each(name, {"": depends_on}, lambda _: {"": compute()})[""]


def each(
    name: str,
    depends_on: Mapping[K, Sequence[Any]],
    compute: Callable[[list[K]], Mapping[K, T]],
) -> dict[K, T]:
    """Several results, each under a key, of which those that are missing are computed together.

    Parameters
    ----------
    depends_on : mapping
        From each key to what its result depends on; see `result`.
    compute : callable
        From the keys whose results are missing to these results.
    """
    if (folder := _folder()) is None:
        return {**compute([*depends_on])}
    path_of = {k: folder / f"{name}-{_sha256(parts)}.pickle" for k, parts in depends_on.items()}
    found = {k: pickle.loads(path.read_bytes()) for k, path in path_of.items() if path.exists()}
    if missing := [key for key in path_of if key not in found]:
        _remove_others(folder)
        computed = compute(missing)
        for key in missing:
            with atomic_write(path_of[key]) as partial:
                partial.write_bytes(pickle.dumps(computed[key]))
        found.update(computed)
    return found


def one_by_one(
    name: str, depends_on: Mapping[K, Sequence[Any]], compute: Callable[[K], T]
) -> list[T]:
    """`each`, where every result is computed by itself; the results in the order of the keys."""
    found = each(name, depends_on, lambda keys: {key: compute(key) for key in keys})
    return [found[key] for key in depends_on]


def frame_sha256(frame: pd.DataFrame) -> str:
    """SHA-256 of a table's columns and rows."""
    rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
    return _sha256([*frame.columns, hashlib.sha256(rows.tobytes()).hexdigest()])


@cache
def package_sha256() -> str:
    """SHA-256 of the package, the published numbers and the versions of the packages it uses."""
    folders = (ROOT / "wmtlib", ROOT / "data")
    files = [path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".pyc"]
    hashes = [f"{path} {file_sha256(path)}" for path in [*files, ROOT / "requirements.lock"]]
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def _folder() -> Path | None:
    """Folder of the entries of this state of the package, the libraries and Python.

    None if nothing is kept: outside a checkout, or if `$WMTLIB_KEPT` is empty.
    """
    chosen = os.environ.get("WMTLIB_KEPT", str(ROOT / "build" / "kept"))
    if not chosen or not (ROOT / "requirements.lock").exists():
        return None
    return Path(chosen) / _sha256([package_sha256(), sys.version])[:16]


def _sha256(parts: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _remove_others(folder: Path) -> None:
    """Remove the entries of other states of the package."""
    for other in folder.parent.glob("*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
