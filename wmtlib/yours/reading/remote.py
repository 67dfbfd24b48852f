"""Files elsewhere: https://, s3:// and gs:// addresses, copied by fsspec before they are read."""

import logging
import os
import re

from wmtlib.errors import Origin, reason

SCHEMES = ("https://", "http://", "s3://", "gs://")
KEPT = re.compile(
    r"[^/:]+=[^/:]*(?=/)|[^/:]+$"
)  # of a path: folders lp=de-en, and the name


def without_secrets(path: str) -> str:
    """An address without user, password and query, which may be signed; other paths as they are.

    >>> without_secrets("https://ann:secret@host/votes.csv?signature=x")
    'https://host/votes.csv'
    """
    secret = r"(?<=://)[^/]*@" + r"|[?#].*" * path.startswith("http")
    return re.sub(secret, "", path) if path.startswith(SCHEMES) else path


def copies(address: str, folder: str, origin: Origin) -> list[str]:
    """Copies of the file at an address, or in a bucket of all that a folder or a pattern holds.

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
        places = [KEPT.findall(without_secrets(name)) for name in names]
        paths = [
            os.path.join(folder, "copies", str(k), *place)
            for k, place in enumerate(places)
        ]
        files.get(names, paths)
        return paths
    except ImportError:
        raise origin.refuse(
            None, "is elsewhere; to read it: pip install 'wmtlib[remote]'"
        ) from None
    except FileNotFoundError:
        return []
    except Exception as error:  # every store has its own, which may quote the address
        why = (
            reason(error)
            if address == without_secrets(address)
            else type(error).__name__
        )
        step = "check the address, the network, and who may read it (docs/scale.md)"
        raise origin.refuse(None, f"cannot be copied ({why}); {step}") from None


def _files(address: str) -> tuple:
    """The file system of an address, by fsspec, and the files that the address stands for."""
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
    names = [name for found in files.glob(path) for name in files.find(found)]
    return files, sorted(
        name for name in names if os.path.basename(name)[0] not in "._"
    )
