"""The releases of WMT18-20 as their organisers packed them, for those who have the archives.

No public repository holds them and no checksum of theirs was published. So what is used first is
recorded, and a copy that differs later is refused.
"""

import gzip
import hashlib
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pooch

from wmtlib.judgements.errors import DataError, DataUnavailable

LATEST, GOOD = "ad-latest.csv", "ad-good-raw-redup.csv"  # all judgements; the accepted ones
CONNECT_SECONDS, READ_SECONDS = 5, 60
DUBLIN = "https://www.computing.dcu.ie/~ygraham/", "https://www.scss.tcd.ie/~ygraham/"


@dataclass(frozen=True)
class Archive:
    """A release.

    Attributes
    ----------
    name : str
        The folder at its top; the file is called so too, with `.tar.gz`.
    urls : tuple of str
        Public addresses, tried in this order.
    folders : dict
        Where the judgements are, by (style, interface); in some years in `analysis/` below.
    """

    name: str
    urls: tuple[str, ...]
    folders: dict[tuple[str, str], str]

    @property
    def file(self) -> str:
        return f"{self.name}.tar.gz"


@dataclass(frozen=True)
class Found:
    """A release that is in place.

    Attributes
    ----------
    campaign : str
    path : Path
        The file, or the unpacked folder.
    sha256 : str
        Of the file; of an unpacked folder, over what is used of it.
    notice : str
        What was recorded, in words.
    """

    campaign: str
    path: Path
    sha256: str
    notice: str = field(default="", compare=False)


def _folder(interface: str, year: str) -> str:
    return f"{interface}-humaneval-newstest{year}"


ARCHIVES = {
    "wmt18": Archive(
        "newstest2018-humaneval",
        tuple(f"{home}newstest2018-humaneval.tar.gz" for home in DUBLIN),
        {("SR-DC", "2018"): "."},
    ),
    "wmt19": Archive(
        "newstest2019-humaneval",
        tuple(f"{home}newstest2019-humaneval.tar.gz" for home in DUBLIN),
        {
            ("SR+DC", "appraise"): _folder("appraise-doclevel", "2019"),
            ("SR-DC", "mturk"): _folder("mturk-sntlevel", "2019"),
            ("SR+DC", "mturk"): _folder("mturk-doclevel", "2019"),
        },
    ),
    "wmt20": Archive(
        "newstest2020-humaneval",
        (f"{DUBLIN[1]}newstest2020-humaneval.tar.gz",),
        {
            ("SR+DC", "appraise"): _folder("appraise-doclevel", "2020"),
            ("SR-DC", "mturk"): _folder("mturk-sntlevel", "2020"),
            ("SR+DC", "mturk"): _folder("mturk-doclevel", "2020"),
        },
    ),
}


def cache() -> Path:
    """Folder of the user's cache for archives and for what was recorded of them."""
    return Path(os.environ.get("WMTLIB_CACHE") or pooch.os_cache("wmtlib"), "archives")


def advice(campaign: str) -> str:
    """What to do to have the single judgements of a campaign."""
    archive = ARCHIVES[campaign]
    return (
        f"put {archive.file} into $WMTLIB_DATA/archives or say: wmtlib data --from {archive.file}"
    )


def find(campaign: str) -> Found | None:
    """The release of a campaign, if it is in place.

    Looked for in `$WMTLIB_DATA/archives` and in the cache, as the file and as the unpacked folder.

    Raises
    ------
    DataError
        It is not the one that was used before.
    """
    if (archive := ARCHIVES.get(campaign)) is None:
        return None
    folders = [Path(mirror, "archives")] if (mirror := os.environ.get("WMTLIB_DATA")) else []
    for folder in (*folders, cache()):
        for path in (folder / archive.file, folder / archive.name):
            if path.exists():
                digest = _digest(path, archive)
                return Found(campaign, path, digest, _vouch(path, digest))
    return None


def adopt(path: str | Path) -> Found:
    """Check an archive and put a copy of it into the cache, whole or not at all.

    Parameters
    ----------
    path : path
        `newstest2018-humaneval.tar.gz`, or that of 2019 or 2020, whatever its name.

    Raises
    ------
    DataError
        It cannot be read, is damaged, is none of the three releases, lacks a file that is needed,
        would write outside of its folder, or is not the one that was used before.
    """
    path = Path(path)
    campaign = _check(path)
    archive = ARCHIVES[campaign]
    place = cache() / archive.file
    digest = _digest(path, archive)
    _require_same(place, digest, path)
    if not place.exists() or _digest(place, archive) != digest:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".adopt-", dir=place.parent) as folder:
                partial = Path(folder, archive.file)
                shutil.copyfile(path, partial)
                if _digest(partial, archive) != digest:
                    raise DataError(f"{path}: changed while it was copied")
                partial.replace(place)
        except OSError as error:
            raise DataError(f"{place}: cannot be written ({error.strerror})") from None
    return Found(campaign, place, digest, _vouch(place, digest))


def download(campaign: str) -> Found:
    """Fetch the release of a campaign into the cache; see `adopt`.

    Raises
    ------
    DataUnavailable
        It cannot be downloaded.
    DataError
        What was served is not a release; see `adopt`.
    """
    archive, reasons = ARCHIVES[campaign], []
    pooch.get_logger().setLevel("ERROR")
    fetcher = pooch.HTTPDownloader(timeout=(CONNECT_SECONDS, READ_SECONDS))
    for url in archive.urls:
        with tempfile.TemporaryDirectory(prefix="wmtlib-") as folder:
            try:
                got = pooch.retrieve(url, None, archive.file, folder, downloader=fetcher)
            except OSError as error:
                reasons.append(f"{url}: {type(error).__name__}")
            else:
                return adopt(got)
    raise DataUnavailable(f"cannot download {archive.file} ({'; '.join(reasons)})")


def read(found: Found, style: str, interface: str) -> dict[str, bytes]:
    """All judgements and the accepted ones of one interface: contents by `LATEST` and `GOOD`.

    Raises
    ------
    DataError
        The release is damaged or lacks them.
    """
    archive = ARCHIVES[found.campaign]
    wanted = {f: _places(archive, archive.folders[style, interface], f) for f in (LATEST, GOOD)}
    if found.path.is_dir():
        base = found.path.parent
        paths = {f: [p for p in map(base.joinpath, w) if p.is_file()] for f, w in wanted.items()}
        data = {f: p[0].read_bytes() for f, p in paths.items() if p}
    else:
        data = {}
        with _opened(found.path) as tar:
            for member in tar:
                for file, places in wanted.items():
                    if member.isfile() and _plain(member.name) in places:
                        data[file] = tar.extractfile(member).read()
                if len(data) == len(wanted):
                    break
    if absent := [f for f in wanted if f not in data]:
        raise DataError(f"{found.path}: lacks {wanted[absent[0]][0]}")
    return data


def _places(archive: Archive, folder: str, file: str) -> list[str]:
    """Where in a release a file may be."""
    return [str(PurePosixPath(archive.name, folder, sub, file)) for sub in ("analysis", "")]


def _plain(name: str) -> str:
    return str(PurePosixPath(name))


class _opened:
    """A compressed tar archive, read as a stream; what is wrong with it becomes a DataError."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self) -> tarfile.TarFile:
        try:
            self.tar = tarfile.open(self.path, "r:gz")
        except (tarfile.TarError, OSError, EOFError, zlib.error):
            raise self._refusal() from None
        return self.tar

    def __exit__(self, kind, error, trace) -> None:
        self.tar.close()
        if isinstance(error, tarfile.TarError | gzip.BadGzipFile | EOFError | zlib.error):
            raise self._refusal() from None

    def _refusal(self) -> DataError:
        return DataError(f"{self.path}: is no whole .tar.gz; expected a release as downloaded")


def _check(path: Path) -> str:
    """The campaign of an archive that is intact, complete and harmless."""
    if not path.is_file():
        raise DataError(f"{path}: no such file; expected one of {_known()}")
    try:
        with gzip.open(path) as file:  # to the end, where the checksum is
            while file.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        raise DataError(f"{path}: is no whole .tar.gz; expected a release as downloaded") from None
    with _opened(path) as tar:
        members = tar.getmembers()
    for member in members:
        if not _harmless(member):
            raise DataError(f"{path}: member {member.name!r} leads out of its folder")
    names = {_plain(m.name) for m in members if m.isfile()}
    tops = {name.partition("/")[0] for name in names}
    campaigns = [c for c, a in ARCHIVES.items() if a.name in tops]
    if len(campaigns) != 1:
        raise DataError(f"{path}: holds none of the releases; expected one of {_known()}")
    archive = ARCHIVES[campaigns[0]]
    for folder in archive.folders.values():
        for file in (LATEST, GOOD):
            places = _places(archive, folder, file)
            if not names & set(places):
                raise DataError(f"{path}: lacks {places[0]}")
    return campaigns[0]


def _harmless(member: tarfile.TarInfo) -> bool:
    """Whether a member, and what it links to, stays below the folder of the archive."""
    paths = [PurePosixPath(member.name), PurePosixPath(member.linkname)]
    inside = not any(p.is_absolute() or ".." in p.parts for p in paths)
    return inside and (member.isfile() or member.isdir() or member.issym() or member.islnk())


def _known() -> str:
    return ", ".join(a.file for a in ARCHIVES.values())


def _digest(path: Path, archive: Archive) -> str:
    """SHA-256 of a file; of a folder, over the files of it that are used."""
    try:
        if path.is_file():
            with open(path, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        whole = hashlib.sha256()
        for folder in archive.folders.values():
            for place in (p for f in (LATEST, GOOD) for p in _places(archive, folder, f)):
                if (part := path.parent / place).is_file():
                    with open(part, "rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                    whole.update(f"{place} {digest}\n".encode())
        return whole.hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def _record(path: Path) -> Path:
    return cache() / f"{path.name}.sha256"


def _require_same(path: Path, digest: str, given: Path) -> bool:
    """Whether the release is recorded; refused if it is another than the one recorded."""
    record = _record(path)
    try:
        lines = record.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return False
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{record}: cannot be read; delete it to accept {given}") from None
    recorded = next((m[0] for line in lines if (m := re.match("[0-9a-f]{64}", line))), "")
    if recorded != digest:
        was, now = recorded[:12], digest[:12]
        what = f"SHA-256 {now}... is not {was}... of the first use"
        raise DataError(f"{given}: {what}; if that is meant, delete {record}")
    return True


def _vouch(path: Path, digest: str) -> str:
    """Record what is used first, or hold it against the record; says which."""
    if _require_same(path, digest, path):
        return f"{path.name}: the same as at first use (SHA-256 {digest[:12]}...)"
    record = _record(path)
    text = (
        "# No checksum of this release was published; this is that of the copy used first.\n"
        "# Another copy is refused from now on. Delete this file to accept one.\n"
        f"{digest}  {path.name}\n"
    )
    partial = record.with_name(f".{record.name}.{os.getpid()}")
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, "utf-8")
        partial.replace(record)
    except OSError as error:
        raise DataError(f"{record}: cannot be written ({error.strerror})") from None
    finally:
        partial.unlink(missing_ok=True)
    return f"{path.name}: first use; SHA-256 {digest} recorded in {record}"
