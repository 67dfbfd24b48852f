"""Sources of the public files: a mirror, a download, or the repository itself.

The registry, `study/data/registry.csv`, pins every public file to a commit and a
SHA-256. A file that differs is named and refused, so a reader of a pinned file need not
check what it holds. Without a mirror and without a network, relative ranking uses the
counts of wins and ties in the repository, and simulated campaigns replace direct
assessments.
"""

import hashlib
import os
import re
import shutil
from collections import namedtuple
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pandas as pd
import pooch

from study.data import simulation as embedded
from study.data.storage import cache_folder, file_sha256
from wmtlib.core.errors import DataError, DataUnavailable
from wmtlib.files import carried_counts

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).parent
ROUTES = ("mirror", "download", "embedded")
RELATIVE_CAMPAIGNS = ("wmt10", "wmt10-crowd", "wmt11", "wmt12")  # those of the papers
LATER_RELATIVE = ("wmt16", "wmt16-it")
CONNECT_SECONDS, READ_SECONDS, RETRIES = 5, 30, 2


@dataclass(frozen=True)
class Source:
    """The source of the data of a run.

    Attributes
    ----------
    route : "mirror", "download" or "embedded"
    sha256 : str
        Eight hex digits over the SHA-256 of every file used.
    notice : str
        Why `source="auto"` did not take an earlier route; empty if it took the first.
    folder : path or None
        The mirror, or the user's cache for downloads.
    """

    route: str
    sha256: str
    notice: str = ""
    folder: Path | None = field(default=None, compare=False)

    @property
    def kind(self) -> str:
        """Return "raw" (verified public files, by any route) or "embedded"."""
        return "embedded" if self.route == "embedded" else "raw"


# A row of the registry; `group` is a language pair or another part of the campaign.
PublicFile = namedtuple(
    "PublicFile", "campaign group repository commit path bytes sha256 url"
)


@lru_cache
def registry() -> pd.DataFrame:
    """Return every public file of this study; columns as fields of `PublicFile`.

    Read once: copy it before a change.
    """
    return pd.read_csv(DATA / "registry.csv", keep_default_na=False)


def public_files(
    campaign: str, language_pair: str | None = None, pattern: str = ""
) -> list[PublicFile]:
    """Return the public files of a campaign.

    Parameters
    ----------
    language_pair : str, optional
        Only the files of this language pair and those that serve all pairs.
    pattern : str
        A regular expression that the paths contain.
    """
    files = campaign_files(campaign)
    if language_pair is not None:
        files = [file for file in files if file.group in (language_pair, "")]
    return [file for file in files if re.search(pattern, file.path)]


@lru_cache
def campaign_files(campaign: str) -> list[PublicFile]:
    """Return every public file of a campaign: the registry's rows, made once."""
    rows = registry()[registry()["campaign"] == campaign]
    return [PublicFile(*row) for row in rows.itertuples(index=False)]


def pinned(*names: str) -> list[str]:
    """Return names and hashes of files, on which tables of a campaign depend."""
    return [*names, *(file.sha256 for file in public_files(*names))]


# --- the choice of a source -----------------------------------------------------------


def resolve(
    source: str | Source = "auto", campaigns: Collection[str] = RELATIVE_CAMPAIGNS
) -> Source:
    """Decide where the data come from.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded", or a `Source`
        A `Source` is returned as it is. "auto" is the route in `$WMTLIB_SOURCE` if that
        is set. Otherwise it is the first route that has every file: the mirror in
        `$WMTLIB_DATA`, the download, the embedded data.
    campaigns : collection of names
        The campaigns that are needed. One whose archive is in the cache (see
        `assessment_catalogue.unpack_archive`) needs no public files.

    Raises
    ------
    DataError
        The source is unknown, or a file differs from the one that the registry pins.
    DataUnavailable
        The source that was named does not have the files.
    """
    archives = {campaign: find_archive(campaign) for campaign in campaigns}
    archive_hashes = [*filter(None, archives.values())]
    without = [campaign for campaign in campaigns if not archives[campaign]]
    files = [file for campaign in without for file in public_files(campaign)]
    return source_of(files, source, archive_hashes=archive_hashes)


def source_of(
    files: Sequence[PublicFile],
    source: str | Source,
    *,
    archive_hashes: Sequence[str] = (),
) -> Source:
    """Find the source that has all of the files; see `resolve`."""
    if isinstance(source, Source):
        return source
    route = requested_route(source)
    notices: list[str] = []
    for candidate in ROUTES if route == "auto" else (route,):
        if candidate == "embedded":
            return Source("embedded", embedded_sha256()[:8], "; ".join(notices))
        folder = mirror_folder() if candidate == "mirror" else cache_folder()
        reason = reason_missing(tuple(files), candidate, folder)
        if not reason:
            hashes = sorted([*(file.sha256 for file in files), *archive_hashes])
            sha256 = hashlib.sha256("".join(hashes).encode()).hexdigest()
            return Source(candidate, sha256[:8], folder=folder)
        notices.append(reason)
    raise DataUnavailable(notices[0])


def requested_route(source: str | Source) -> str:
    """Return the route that a user wants: one of `ROUTES`, or "auto" for any."""
    route = source.route if isinstance(source, Source) else source
    if route == "auto":
        route = os.environ.get("WMTLIB_SOURCE") or "auto"
    if route not in ("auto", *ROUTES):
        raise DataError(
            f"source is {route!r}; expected auto, mirror, download or embedded"
        )
    return route


def embedded_sha256() -> str:
    """Compute the hash of the embedded counts and of the simulations' settings."""
    simulated = " ".join([*embedded.CAMPAIGNS, str(embedded.SEED)])
    hashed = file_sha256(carried_counts.DATA / "counts.csv") + simulated
    return hashlib.sha256(hashed.encode()).hexdigest()


def mirror_folder() -> Path | None:
    """Return the mirror in `$WMTLIB_DATA`, if that is set."""
    folder = os.environ.get("WMTLIB_DATA")
    return Path(folder) if folder else None


@lru_cache  # a session finds out once, so that it waits for an absent network only once
def reason_missing(
    files: tuple[PublicFile, ...], route: str, folder: Path | None
) -> str:
    """Return why a route does not have all files; empty if it has them."""
    try:
        for file in files:
            fetch(file, route, folder)
    except DataUnavailable as reason:
        return str(reason)
    return ""


def archive_folder(campaign: str) -> Path:
    """Return the folder of the user's cache for files of a campaign's archive."""
    return cache_folder() / "archives" / campaign


def find_archive(campaign: str) -> str | None:
    """Return SHA-256 of the archive of a campaign, if its files are in the cache."""
    record = archive_folder(campaign) / "sha256"
    return record.read_text("ascii") if record.exists() else None


# --- files ----------------------------------------------------------------------------


def local_files(
    files: Sequence[PublicFile], source: str | Source, instead: str
) -> dict[PublicFile, Path]:
    """Map each public file to its local copy, verified, in this order.

    Parameters
    ----------
    source : see `resolve`
    instead : str
        What the embedded data hold instead of these files, for the refusal.

    Raises
    ------
    DataError, DataUnavailable
        As `resolve`; or the source is the embedded data.
    """
    source = source_of(files, source)
    if source.kind == "embedded":
        raise DataUnavailable("; ".join(filter(None, [instead, source.notice])))
    return {file: fetch(file, source.route, source.folder) for file in files}


def fetch(file: PublicFile, route: str, folder: Path | None) -> Path:
    """Return the local copy of a public file, verified.

    Parameters
    ----------
    route : "mirror" or "download"
    folder : path or None
        The mirror, or the cache that downloads go to.

    Raises
    ------
    DataError
        The file differs from the one that the registry pins, or cannot be read.
    DataUnavailable
        The route does not have it.
    """
    if folder is None:
        raise DataUnavailable("no mirror: $WMTLIB_DATA is not set")
    if route == "download":
        return _download(file, folder)
    if not folder.is_dir():
        raise DataUnavailable(
            f"no mirror: $WMTLIB_DATA is '{folder}', which is not a folder"
        )
    path = folder / file.repository / file.path
    try:
        sha256 = file_sha256(path)
    except (FileNotFoundError, NotADirectoryError):
        raise DataUnavailable(f"no such file in the mirror: {path}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    if sha256 != file.sha256:
        raise DataError(
            f"{path}: its SHA-256 differs from the registry's; get it from {file.url}"
        )
    return path


def write_mirror(folder: Path) -> int:
    """Download every public file into a mirror; gives the number of files."""
    files = [PublicFile(*row) for row in registry().itertuples(index=False)]
    for file in files:
        path = folder / file.repository / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(fetch(file, "download", cache_folder()), path)
    return len(files)


def _download(file: PublicFile, folder: Path) -> Path:
    """Return the copy in the user's cache; fetched if it is absent or altered."""
    name = f"{file.repository}/{file.commit[:12]}/{file.path}"
    # The progress of pooch goes to stderr, which notebooks keep.
    pooch.get_logger().setLevel("ERROR")
    cache = pooch.create(
        folder,
        base_url="",
        registry={name: f"sha256:{file.sha256}"},
        urls={name: file.url},
        retry_if_failed=RETRIES,
    )
    downloader = pooch.HTTPDownloader(timeout=(CONNECT_SECONDS, READ_SECONDS))
    try:
        return Path(cache.fetch(name, downloader=downloader))
    except OSError as error:  # the network, or a cache that cannot be written
        raise DataUnavailable(
            f"cannot download {file.url} ({type(error).__name__})"
        ) from error
    except ValueError as error:  # pooch: the hash differs
        fault = "what was served differs from the file that the registry pins (SHA-256)"
        raise DataError(f"{file.url}: {fault}") from error
