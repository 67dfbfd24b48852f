"""Signatures: data, settings and versions behind a result, in one line."""

from functools import cache
from importlib.metadata import version
from typing import Any

from wmtlib import __version__


@cache
def versions() -> dict[str, str]:
    """Look up the versions of this package and of those that compute; it is slow."""
    others = {name: version(name) for name in ("numpy", "scipy")}
    return {"wmtlib": __version__, **others}


def signature_of(subject: str, **facts: Any) -> str:
    """Write a signature: what the result is, its data and settings, the versions.

    >>> signature_of("wmtlib rank", data="0a1b", unit=None, seed=1).split("|")[:3]
    ['wmtlib rank', 'data=0a1b', 'seed=1']
    """
    signature = [subject]
    for key, value in {**facts, **versions()}.items():
        if value not in (None, "", []):
            words = ",".join(value) if isinstance(value, list) else value
            signature.append(f"{key}={words}")
    return "|".join(signature)
