"""Files elsewhere, at https://, s3:// and gs:// addresses: fsspec copies them."""

import logging
import os
import re
from typing import Any

from wmtlib.errors import Origin, reason

SCHEMES = ("https://", "http://", "s3://", "gs://")
# What stays of a path: folders lp=de-en, and the name.
KEPT = re.compile(r"[^/:]+=[^/:]*(?=/)|[^/:]+$")


def without_secrets(path: str) -> str:
    """An address without user, password and query; other paths as they are.

    >>> without_secrets("https://ann:secret@host/votes.csv?signature=x")
    'https://host/votes.csv'
    """
    if not path.startswith(SCHEMES):
        return path
    path = re.sub(r"(?<=://)[^/]*@", "", path)
    # A query may hold a signature.
    return re.sub(r"[?#].*", "", path) if path.startswith("http") else path


def copies(address: str, folder: str, origin: Origin) -> list[str]:
    """Copies of the file at an address, or of those of a folder or pattern in a bucket.

    None if there is no such file, or the path is no address.

    Raises
    ------
    DataError
        One line: the address, what failed, and the next step.
    """
    if not address.startswith(SCHEMES):
        return []
    try:
        files, names = _files(address)
        paths = []
        for number, name in enumerate(names):
            place = KEPT.findall(without_secrets(name))
            paths.append(os.path.join(folder, "copies", str(number), *place))
        files.get(names, paths)
        return paths
    except ImportError:
        raise origin.refuse(
            "is elsewhere; to read it: pip install 'wmtlib[remote]'"
        ) from None
    except FileNotFoundError:
        return []
    except Exception as error:  # every store has its own, which may quote the address
        is_open = address == without_secrets(address)
        why = reason(error) if is_open else type(error).__name__
        step = "check the address, the network, and who may read it (docs/scale.md)"
        raise origin.refuse(f"cannot be copied ({why}); {step}") from None


def _files(address: str) -> tuple[Any, list[str]]:
    """The file system of an address, by fsspec, and the files that it stands for."""
    scheme, _, path = address.partition("://")
    if scheme.startswith("http"):
        from aiohttp import ClientTimeout
        from fsspec.implementations.http import HTTPFileSystem

        # A copy may take long; a signature holds for the address as it is written.
        session = {
            "trust_env": True,
            "timeout": ClientTimeout(sock_connect=15, sock_read=60),
        }
        return HTTPFileSystem(client_kwargs=session, encoded="%" in address), [address]
    from fsspec import filesystem

    for name in ("gcsfs", "google"):  # they print errors before they raise them
        logging.getLogger(name).setLevel(logging.CRITICAL)
    files = filesystem(scheme, skip_instance_cache=True)
    names = [name for place in files.glob(path) for name in files.find(place)]
    return files, sorted(n for n in names if os.path.basename(n)[0] not in "._")
