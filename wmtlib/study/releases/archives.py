"""The archives of WMT18, 19 and 20, which hold the single judgements, for users who have them.

No public repository holds these archives, and no checksum of them was published. `unpack` takes the
files that are needed out of an archive and keeps them in the user's cache, with the SHA-256 of the
archive, which is part of the hash of the data.
"""

import os
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from wmtlib.errors import DataError
from wmtlib.study.releases.storage import atomic_files, cache_folder, file_sha256

LATEST, GOOD = "ad-latest.csv", "ad-good-raw-redup.csv"  # all judgements; the accepted ones
NAMES = {
    "wmt18": "newstest2018-humaneval",
    "wmt19": "newstest2019-humaneval",
    "wmt20": "newstest2020-humaneval",
}
# The folder of the two files in the archive of a campaign, by style and interface.
FOLDERS = {
    "wmt18": {("SR-DC", "2018"): "analysis"},
    "wmt19": {
        ("SR+DC", "appraise"): "appraise-doclevel-humaneval-newstest2019/analysis",
        ("SR-DC", "mturk"): "mturk-sntlevel-humaneval-newstest2019/analysis",
        ("SR+DC", "mturk"): "mturk-doclevel-humaneval-newstest2019/analysis",
    },
    "wmt20": {
        ("SR+DC", "appraise"): "appraise-doclevel-humaneval-newstest2020",
        ("SR-DC", "mturk"): "mturk-sntlevel-humaneval-newstest2020/analysis",
        ("SR+DC", "mturk"): "mturk-doclevel-humaneval-newstest2020",
    },
}


@dataclass(frozen=True)
class Archive:
    """An archive whose files are in the cache.

    Attributes
    ----------
    campaign : "wmt18", "wmt19" or "wmt20"
    sha256 : str
        Of the archive, in hex.
    """

    campaign: str
    sha256: str

    def read(self, style: str, interface: str, file: str) -> bytes:
        """The judgements of one interface: `file` is `LATEST` or `GOOD`."""
        return (folder_of(self.campaign) / kept_name(style, interface, file)).read_bytes()


def folder_of(campaign: str) -> Path:
    """Folder of the user's cache that holds the files of a campaign's archive."""
    return cache_folder() / "archives" / campaign


def kept_name(style: str, interface: str, file: str) -> str:
    """Name under which the cache keeps a file of an interface."""
    return f"{style}-{interface}-{file}"


def advice(campaign: str) -> str:
    """The command that gives the single judgements of a campaign to who has its archive."""
    return f"with the archive at hand: wmtlib data --from {NAMES[campaign]}.tar.gz"


def find(campaign: str) -> Archive | None:
    """The archive of a campaign, if its files are in the cache."""
    record = folder_of(campaign) / "sha256"
    return Archive(campaign, record.read_text("ascii")) if record.exists() else None


def unpack(path: str | Path) -> Archive:
    """Keep the files of an archive that are needed in the cache, all or none.

    The files get names of the cache's own, so that an archive cannot write anywhere else.

    Parameters
    ----------
    path : path of a .tar.gz
        The archive of WMT18, 19 or 20; the campaign is known by the folder in it.

    Raises
    ------
    DataError
        The archive cannot be read, is damaged, belongs to none of the three campaigns or lacks a
        file; or the cache cannot be written.
    """
    try:
        sha256 = file_sha256(path)
        with tarfile.open(path, "r:gz") as tar:
            members = {os.path.normpath(m.name): m for m in tar if m.isfile()}
            top = {name.partition("/")[0] for name in members}
            if not (campaigns := [c for c, name in NAMES.items() if name in top]):
                expected = ", ".join(NAMES.values())
                raise DataError(f"{path}: holds none of the folders {expected}")
            campaign = campaigns[0]
            with atomic_files(folder_of(campaign)) as folder:
                for (style, interface), place in FOLDERS[campaign].items():
                    for file in (LATEST, GOOD):
                        name = f"{NAMES[campaign]}/{place}/{file}"
                        if name not in members:
                            raise DataError(f"{path}: lacks {name}")
                        data = tar.extractfile(members[name]).read()
                        (folder / kept_name(style, interface, file)).write_bytes(data)
                (folder / "sha256").write_text(sha256, "ascii")
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise DataError(f"{path}: cannot be unpacked ({error})") from None
    return Archive(campaign, sha256)
