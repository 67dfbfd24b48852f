"""Files of a path, a pattern, a stream or an address, and their unpacked content.

Files at https://, s3:// and gs:// addresses are copied by fsspec.
"""

import bz2
import glob
import gzip
import io
import logging
import lzma
import os
import re
from hashlib import file_digest, sha256
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from wmtlib.errors import Origin, reason, short_repr

LARGEST = 1 << 29  # bytes of text, once it is unpacked; Parquet may be larger
PARQUET = (b"PAR1", b"PARE")  # the first bytes of a file
PACKED: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
}
STDIN = "standard input"
SCHEMES = ("https://", "http://", "s3://", "gs://")
# Parts of a path that a copy keeps: folders lp=de-en, and the name.
KEPT = re.compile(r"(?<![^/:])(?:[^/:][^/:=]*=[^/:]*(?=/)|[^/:]+$)")


def without_secrets(path: str) -> str:
    """Return an address without user, password and query; other paths as they are.

    >>> without_secrets("https://ann:secret@host/votes.csv?signature=x")
    'https://host/votes.csv'
    """
    if not path.startswith(SCHEMES):
        return path
    path = re.sub(r"(?<=://)[^/]*@", "", path)
    # A query may hold a signature.
    return re.sub(r"[?#].*", "", path) if path.startswith("http") else path


def find(path: str, folder: str, origin: Origin) -> list[str]:
    """Return absolute paths of the files of a path, folder, pattern or address.

    Those of an address, and streams, are copied into the folder.
    """
    names = []
    if path.startswith((STDIN, "/dev/fd/")):
        names = [_stream(path, folder, origin)]
    elif path.startswith(SCHEMES):
        names = _copies(path, folder, origin)
    is_folder = os.path.isdir(path)
    if is_folder:
        names = [str(name) for name in Path(path).iterdir() if name.name[0] not in "._"]
        if all("=" in os.path.basename(name) for name in names):  # lp=de-en, ...
            pattern = f"{glob.escape(path)}/**/*.parquet"
            names = glob.glob(pattern, recursive=True)
    elif not names:
        names = [path] if os.path.exists(path) else glob.glob(path)
    if not names:
        fault = "no such file"
        if is_folder:
            fault = "is an empty folder; expected Parquet files"
        raise origin.refuse(fault)
    for name in sorted(names):
        if not os.path.isfile(name):
            raise origin.refuse("expected a regular file")
        if (is_folder or len(names) > 1) and not is_parquet(name):
            fault = f"holds {short_repr(os.path.basename(name))}"
            raise origin.refuse(f"{fault}; expected one file, or Parquet files only")
    return sorted(map(os.path.abspath, names))


def is_parquet(path: str) -> bool:
    """Return whether a file begins as Parquet does."""
    with open(path, "rb") as file:
        return file.read(4) in PARQUET


def joint_sha256(paths: list[str]) -> str:
    """Compute SHA-256 of a file; of several, of their sorted and joined hashes."""
    hashes = []
    for path in paths:
        with open(path, "rb") as file:
            hashes.append(file_digest(file, "sha256").hexdigest())
    together = "".join(sorted(hashes))
    return together if len(hashes) == 1 else sha256(together.encode()).hexdigest()


def content(path: str, origin: Origin) -> bytes:
    """Return the content of a file, unpacked; refuse one that is too large."""
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    for first_bytes, unpack in PACKED.items():
        if data.startswith(first_bytes):
            data = unpack(io.BytesIO(data)).read(LARGEST + 1)
            break
    if len(data) > LARGEST:
        step = f"duckdb.read_csv({origin.name!r}).write_parquet('votes.parquet')"
        fault = f"is more than {LARGEST >> 20} MiB of text; expected Parquet"
        raise origin.refuse(f"{fault}; in Python: import duckdb; {step}")
    return data


# --- streams, web servers and buckets -------------------------------------------------


def _stream(path: str, folder: str, origin: Origin) -> str:
    """Copy the standard input, or another stream, into the folder."""
    copy = os.path.join(folder, "stream")
    source = 0 if path == STDIN else path
    with open(source, "rb", closefd=source != 0) as file, open(copy, "wb") as copied:
        if file.isatty():
            raise origin.refuse("is a terminal; expected: wmtlib rank - < votes.csv")
        copyfileobj(file, copied)
    return copy


def _copies(address: str, folder: str, origin: Origin) -> list[str]:
    """Copy the file at an address, or those of a folder or pattern in a bucket.

    Returns no path if there is no such file.

    Raises
    ------
    DataError
        One line: the address, what failed, and the next step.
    """
    scheme, _, path = address.partition("://")
    try:
        from fsspec import filesystem

        if scheme.startswith("http"):
            from aiohttp import ClientTimeout

            # A copy may take long; a signature holds for the address as it is written.
            session = {
                "trust_env": True,
                "timeout": ClientTimeout(sock_connect=15, sock_read=60),
            }
            files = filesystem(scheme, client_kwargs=session, encoded="%" in address)
            names = [address]
        else:
            for name in ("gcsfs", "google"):  # they print errors before they raise them
                logging.getLogger(name).setLevel(logging.CRITICAL)
            files = filesystem(scheme, skip_instance_cache=True)
            names = [name for place in files.glob(path) for name in files.find(place)]
            names = sorted(n for n in names if os.path.basename(n)[0] not in "._")
        paths = []
        for number, name in enumerate(names):
            place = KEPT.findall(without_secrets(name))
            paths.append(os.path.join(folder, "copies", f"{number:06}", *place))
        files.get(names, paths)
        return paths
    except ImportError:
        fault = "is elsewhere; to read it: pip install fsspec aiohttp s3fs gcsfs"
        raise origin.refuse(fault) from None
    except FileNotFoundError:
        return []
    except Exception as error:  # every store has its own, which may quote the address
        is_open = address == without_secrets(address)
        why = reason(error) if is_open else type(error).__name__
        step = "check the address, the network, and who may read it (docs/scale.md)"
        raise origin.refuse(f"cannot be copied ({why}); {step}") from None
