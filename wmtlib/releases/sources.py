"""Where the public files come from: mirror, download or embedded, in that order."""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pooch

from wmtlib.judgements.errors import DataError, DataUnavailable
from wmtlib.releases import (
    archives,
)
from wmtlib.releases.storage import file_sha256
from wmtlib.simulation import simulate

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
ROUTES = ("mirror", "download", "embedded")
RANKED = ("wmt10", "wmt10-crowd", "wmt11", "wmt12")  # the campaigns of relative ranking
CONNECT_SECONDS, READ_SECONDS, RETRIES = 5, 30, 2


@dataclass(frozen=True)
class Source:
    """Where the data of a run come from.

    Attributes
    ----------
    route : "mirror", "download" or "embedded"
        How they were reached.
    sha256 : str
        Eight hex digits over the SHA-256 of every file used.
    notice : str
        Why `source="auto"` took a lesser route than it could; empty if it did not.
    """

    route: str
    sha256: str
    notice: str = ""

    @property
    def kind(self) -> str:
        """ "raw" (verified public files, however they were reached) or "embedded" (counts)."""
        return "embedded" if self.route == "embedded" else "raw"

    @property
    def output(self) -> Path:
        """Folder under which results/ and figures/ go: the repository's own only for raw data."""
        if folder := os.environ.get("WMTLIB_OUTPUT"):
            return Path(folder)
        return ROOT if self.kind == "raw" else ROOT / "build" / self.route

    @property
    def scratch(self) -> Path:
        """Folder for what is not committed: executed notebooks, a paper's own scoreboard."""
        return Path(os.environ.get("WMTLIB_OUTPUT", ROOT / "build" / self.kind))


def registry() -> pd.DataFrame:
    """Every public file this study uses: campaign, group, repository, commit, path, size, hash."""
    return pd.read_csv(DATA / "registry.csv", keep_default_na=False)


def resolve(source: str | Source = "auto", campaigns: Sequence[str] = RANKED) -> Source:
    """Decide where the data come from.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded", or a `Source`, which is returned as it is
        "auto" obeys `$WMTLIB_SOURCE` if that is set, else takes the mirror in `$WMTLIB_DATA`, else
        downloads, else falls back to the embedded data and says why in `notice`.
    campaigns : sequence of names, default those of relative ranking
        Whose files are needed; the others need not be there. A campaign whose archive is in place
        (see `archives.unpack`) needs no others.

    Raises
    ------
    DataError
        The source is unknown, or a file is not the one the registry pins.
    DataUnavailable
        The source named cannot be reached.
    """
    return resolve_paths(source, tuple(campaigns))


def asked_route(source: str | Source) -> str:
    """The route that is asked for; "auto" if any will do."""
    route = source.route if isinstance(source, Source) else source
    if route == "auto":
        route = os.environ.get("WMTLIB_SOURCE") or "auto"
    if route not in ("auto", *ROUTES):
        raise DataError(f"source is {route!r}; expected auto, mirror, download or embedded")
    return route


def resolve_paths(
    source: str | Source, campaigns: tuple[str, ...], paths: tuple[str, ...] | None = None
) -> Source:
    """`resolve`; with paths of the registry, for those files alone."""
    if isinstance(source, Source):
        return source
    mirror, cache = os.environ.get("WMTLIB_DATA"), os.environ.get("WMTLIB_CACHE")
    used = ()
    if paths is None and asked_route(source) != "embedded":
        used = tuple((f.campaign, f.sha256) for c in campaigns if (f := archives.find(c)))
    return _resolve(asked_route(source), mirror, cache, campaigns, paths, used)


@lru_cache  # one verdict a session for each setting of the environment: no second wait when offline
def _resolve(
    source: str,
    mirror: str | None,
    cache: str | None,
    campaigns: tuple[str, ...],
    paths: tuple[str, ...] | None,
    used: tuple[tuple[str, str], ...],
) -> Source:
    carried = DATA / "counts.csv" if set(campaigns) <= set(RANKED) else Path(simulate.__file__)
    if source == "embedded":
        return Source("embedded", file_sha256(carried)[:8])
    reasons, hashes = [], [sha256 for _, sha256 in used]
    entries = [e for c in campaigns if c not in dict(used) for e in registry_entries(c)]
    if paths is not None:
        entries = [e for e in entries if e["path"] in paths]
    if not entries and not used:
        reasons.append(f"no public file of {', '.join(campaigns)}")
    for route in ("mirror", "download") if source == "auto" else (source,):
        try:
            for entry in entries:
                fetch(entry, route)
        except DataUnavailable as reason:
            reasons.append(str(reason))
        else:
            if entries or used:
                joined = "".join(sorted([*(entry["sha256"] for entry in entries), *hashes]))
                return Source(route, hashlib.sha256(joined.encode()).hexdigest()[:8])
    if source != "auto":
        raise DataUnavailable(reasons[0])
    return Source("embedded", file_sha256(carried)[:8], "; ".join(reasons))


def registry_entries(
    campaign: str, language_pair: str | None = None, pattern: str = ""
) -> list[dict[str, Any]]:
    """The registry's files of a campaign; of direct assessment, those of a language pair."""
    table = registry()
    table = table[(table["campaign"] == campaign) & table["path"].str.contains(pattern)]
    if language_pair is not None:
        table = table[table["group"].isin([language_pair, ""])]
    return table.to_dict("records")


def fetch(entry: dict[str, Any], route: str) -> Path:
    """The verified local copy of one registry file."""
    if route == "download":
        return _download(entry)
    if not (mirror := os.environ.get("WMTLIB_DATA")):
        raise DataUnavailable("no mirror: $WMTLIB_DATA is not set")
    if not os.path.isdir(mirror):
        raise DataUnavailable(f"no mirror: $WMTLIB_DATA is {mirror!r}, which is no folder")
    path = Path(mirror, entry["repository"], entry["path"])
    try:
        size, sha256 = path.stat().st_size, file_sha256(path)
    except (FileNotFoundError, NotADirectoryError):
        raise DataUnavailable(f"no such file in the mirror: {path}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    if size != entry["bytes"]:
        raise DataError(f"{path}: {size} bytes; the registry expects {entry['bytes']}")
    if sha256 != entry["sha256"]:
        raise DataError(f"{path}: its SHA-256 is not the registry's; the file was altered")
    return path


def _download(entry: dict[str, Any]) -> Path:
    """Fetch into the user's cache: retried, verified, and moved into place only when complete."""
    name = f"{entry['repository']}/{entry['commit'][:12]}/{entry['path']}"
    pooch.get_logger().setLevel("ERROR")  # its progress goes to stderr, which notebooks keep
    cache = pooch.create(
        path=os.environ.get("WMTLIB_CACHE") or pooch.os_cache("wmtlib"),
        base_url="",
        registry={name: f"sha256:{entry['sha256']}"},
        urls={name: entry["url"]},
        retry_if_failed=RETRIES,
    )
    fetcher = pooch.HTTPDownloader(timeout=(CONNECT_SECONDS, READ_SECONDS))
    try:
        return Path(cache.fetch(name, downloader=fetcher))
    except OSError as error:  # what requests raises, and a cache that cannot be written
        reason = re.sub(
            r"\(Caused by.*|HTTPS?ConnectionPool\(.*?\): | with url: \S+", "", str(error)
        )
        kind = re.sub(r"(?<!^)(?=[A-Z][a-z])", " ", type(error).__name__).lower()
        raise DataUnavailable(
            f"cannot download {entry['path']} ({kind}: {' '.join(reason.split())[:100]})"
        ) from error
    except ValueError as error:  # pooch: the hash differs
        raise DataError(
            f"{entry['url']}: what was served is not the file that the registry pins (SHA-256)"
        ) from error
