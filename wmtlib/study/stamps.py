"""Stamps: what a run depended on, and the files that it wrote.

A run is current if its stamp has the key of today and every file that it wrote is still the same.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from wmtlib.study.releases.kept import package_sha256
from wmtlib.study.releases.sources import Source
from wmtlib.study.releases.storage import atomic_write, file_sha256


def key(cells: Iterable[str], source: Source) -> str:
    """SHA-256 of all that a run depends on: its code, the data, the package, the lock file."""
    parts = [*cells, source.route, source.sha256, package_sha256()]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def is_current(stamp: Path, key: str) -> bool:
    """Whether a run with this key would write what is there already."""
    if not stamp.is_file():
        return False
    found = json.loads(stamp.read_text(encoding="utf-8"))
    return found["key"] == key and all(
        Path(path).is_file() and file_sha256(path) == sha256
        for path, sha256 in found["files"].items()
    )


def written(stamp: Path) -> list[Path]:
    """The files that a run wrote."""
    return [Path(path) for path in json.loads(stamp.read_text(encoding="utf-8"))["files"]]


def save_stamp(stamp: Path, key: str, files: Iterable[Path]) -> None:
    """Write the stamp of a run that has ended well."""
    hashes = {str(path): file_sha256(path) for path in sorted(files)}
    with atomic_write(stamp) as partial:
        partial.write_text(json.dumps({"key": key, "files": hashes}, indent=1), encoding="utf-8")
