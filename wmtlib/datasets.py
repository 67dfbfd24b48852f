"""Where the judgements come from: mirror, download or embedded, in that order.

The registry, `data/registry.csv`, pins every public file to a commit, a size and a SHA-256; a file
that does not match is named and refused. Where neither a mirror nor a network is at hand, the
win/tie/loss counts that the repository carries do the work that needs no single judgement.
"""

import hashlib
import io
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pooch

from wmtlib import pairwise
from wmtlib.pairwise import Counts
from wmtlib.schemas import (
    COUNTS,
    REFERENCE,
    WMT_COLUMNS,
    DataError,
    Origin,
    table_lines,
    tidy_rankings,
)

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
ROUTES = ("mirror", "download", "embedded")
CONNECT_SECONDS, READ_SECONDS, RETRIES = 5, 30, 2

LANGUAGES = {
    "Czech": "cs",
    "English": "en",
    "French": "fr",
    "German": "de",
    "Haitian Creole (Clean)": "ht-clean",
    "Haitian Creole (Raw)": "ht-raw",
    "Spanish": "es",
    "Urdu": "ur",
}


class DataUnavailable(DataError):
    """The file cannot be had from here; another source may still do."""


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


def resolve(source: str | Source = "auto") -> Source:
    """Decide where the data come from.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded", or a `Source`, which is returned as it is
        "auto" obeys `$WMTLIB_SOURCE` if that is set, else takes the mirror in `$WMTLIB_DATA`, else
        downloads, else falls back to the embedded counts and says why in `notice`.

    Raises
    ------
    DataError
        The source is unknown, or a file is not the one the registry pins.
    DataUnavailable
        The source named cannot be reached.
    """
    if isinstance(source, Source):
        return source
    if source == "auto":
        source = os.environ.get("WMTLIB_SOURCE") or "auto"
    if source not in ("auto", *ROUTES):
        raise DataError(f"source is {source!r}; expected auto, mirror, download or embedded")
    return _resolve(source, os.environ.get("WMTLIB_DATA"), os.environ.get("WMTLIB_CACHE"))


@lru_cache  # one verdict a session for each setting of the environment: no second wait when offline
def _resolve(source: str, mirror: str | None, cache: str | None) -> Source:
    if source == "embedded":
        return Source("embedded", file_sha256(DATA / "counts.csv")[:8])
    reasons = []
    for route in ("mirror", "download") if source == "auto" else (source,):
        try:
            for entry in registry().to_dict("records"):
                _fetch(entry, route)
        except DataUnavailable as reason:
            reasons.append(str(reason))
        else:
            joined = "".join(sorted(registry()["sha256"]))
            return Source(route, hashlib.sha256(joined.encode()).hexdigest()[:8])
    if source != "auto":
        raise DataUnavailable(reasons[0])
    return Source("embedded", file_sha256(DATA / "counts.csv")[:8], "; ".join(reasons))


def _fetch(entry: dict[str, Any], route: str) -> Path:
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


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rankings(path: str | Path) -> pd.DataFrame:
    """Read any file in the WMT ranking format (21 comma-separated columns).

    Returns
    -------
    DataFrame
        Columns `schemas.RANKINGS`; see `schemas.tidy_rankings`. Judges are pseudonymised.

    Raises
    ------
    DataError
        One line that names the file, the line and what was expected.
    """
    origin = Origin(str(path))
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise origin.refuse(None, "no such file") from None
    except OSError as error:
        raise origin.refuse(None, f"cannot be read ({error.strerror})") from None
    lines = table_lines(data, WMT_COLUMNS, origin)
    raw = pd.read_csv(
        io.BytesIO(data),
        dtype=str,
        usecols=WMT_COLUMNS,
        nrows=len(lines),
        keep_default_na=False,
        skip_blank_lines=False,
        encoding="utf-8-sig",
    )
    return tidy_rankings(raw, Origin(str(path), lines))


def load_rankings(campaign: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """All rankings of a campaign, one row per ranked output.

    Parameters
    ----------
    campaign : "wmt10", "wmt10-crowd", "wmt11" or "wmt12"

    Returns
    -------
    DataFrame
        `schemas.RANKINGS`, with `task` such as "cs-en" or "cs-en-syscomb", and rankings and
        judges numbered through the campaign's files.

    Raises
    ------
    DataUnavailable
        The source holds no raw rankings.
    """
    route = resolve(source).route
    entries = registry().query("campaign == @campaign").to_dict("records")
    if not entries:
        known = ", ".join(sorted(registry()["campaign"].unique()))
        raise DataError(f"no campaign {campaign!r}; known are {known}")
    if route == "embedded":
        raise DataUnavailable(f"{campaign}: the embedded data hold counts only, no single rankings")
    tables, groups = [], []
    for entry in entries:
        path = _fetch(entry, route)
        tables.append(pd.read_csv(path, dtype=str, keep_default_na=False, usecols=WMT_COLUMNS))
        groups += [entry["group"].partition(" ")[0]] * len(tables[-1])
    raw = pd.concat(tables, ignore_index=True)
    tidy = tidy_rankings(raw, Origin(campaign))
    identifiers = {
        f"{source},{target}": f"{LANGUAGES[source]}-{LANGUAGES[target]}"
        for source, target in raw[["srclang", "trglang"]].drop_duplicates().to_numpy()
    }
    pair = tidy["task"].map(identifiers).astype(str)
    group = np.array(groups)[tidy["ranking"]]
    return tidy.assign(task=(pair + "-" + group).str.removesuffix("-").astype("category"))


@lru_cache
def _tables(source: Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The counts table and the table of tasks, computed from raw files or read as embedded."""
    if source.kind == "embedded":
        return pd.read_csv(DATA / "counts.csv"), pd.read_csv(DATA / "tasks.csv")
    counted, described = [], []
    for campaign in registry()["campaign"].unique():
        rankings = load_rankings(campaign, source=source)
        compared = pairwise.comparisons(rankings).groupby("task", observed=True)
        for task, part in rankings.groupby("task", observed=True):
            comparisons = compared.get_group(task)
            one = pairwise.counts(comparisons)
            for split, rows in comparisons.groupby(splits(campaign, task, comparisons)):
                table = pairwise.to_table(pairwise.counts(rows))
                counted.append(table.assign(campaign=campaign, task=task, split=split))
            described.append({"campaign": campaign, "task": task, **describe(part, one)})
    return pd.concat(counted, ignore_index=True)[COUNTS], pd.DataFrame(described)


def splits(campaign: str, task: str, comparisons: pd.DataFrame) -> np.ndarray:
    """Each comparison's part in Hopkins & May (2013): "train", "test" or "none".

    Their tracks are the eight language pairs of WMT10, WMT11 (individual systems) and WMT12. The
    crowd's judgements of WMT10 are for training alone. What is too small to split is not split.
    """
    if campaign == "wmt10-crowd":
        return np.repeat("train", len(comparisons))
    outside = campaign == "wmt11" and (task.startswith("ht-") or not task.endswith("individual"))
    if outside or len(comparisons) < pairwise.TEST_SIZE:
        return np.repeat("none", len(comparisons))
    return np.where(pairwise.held_out(comparisons), "test", "train")


def describe(rankings: pd.DataFrame, counts: Counts) -> dict[str, int]:
    """Size of a task: judges, segments, rankings, systems and comparisons as Table 1 counts them.

    Lopez (2012), Table 1: systems exclude the reference, comparisons include it.
    """
    return {
        "judges": rankings["judge"].nunique(),
        "segments": rankings["segment"].nunique(),
        "rankings": rankings["ranking"].nunique(),
        "systems": len(counts.without(REFERENCE).systems),
        "comparisons": counts.comparisons,
    }


def tasks(source: str | Source = "auto") -> pd.DataFrame:
    """Every task: campaign, task, judges, segments, rankings, systems, comparisons.

    A task is what was ranked together: a language pair, in WMT11 split into individual systems
    and system combinations.
    """
    return _tables(resolve(source))[1].copy()


def label(campaign: str, task: str) -> str:
    """A task's name as the paper prints it, e.g. "2011 Czech-English syscomb"."""
    names = {code: name for name, code in LANGUAGES.items()}
    source, target, group = re.fullmatch(r"(ht-\w+|\w+)-(\w+)(?:-(\w+))?", task).groups(default="")
    year, crowd = re.fullmatch(r"wmt(\d\d)(-crowd)?", campaign).groups(default="")
    extra = {"tunable": "tunable metrics"}.get(group, group)
    return f"20{year} {names[source]}-{names[target]} {extra}{crowd and '(crowd)'}".strip()


def load_counts(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> Counts:
    """Win and tie counts of one task, the reference included.

    Parameters
    ----------
    split : "train", "test" or None
        Only that part of a track of Hopkins & May (2013); None counts everything.

    Raises
    ------
    DataError
        There is no such task, or it is not split.
    """
    table = _tables(resolve(source))[0]
    one = table[(table["campaign"] == campaign) & (table["task"] == task)]
    if one.empty:
        known = table.loc[table["campaign"] == campaign, "task"].unique()
        what = f"tasks of {campaign} are {', '.join(known)}" if len(known) else "no such campaign"
        raise DataError(f"no task {task!r} in campaign {campaign!r}: {what}")
    if split is not None and (one := one[one["split"] == split]).empty:
        raise DataError(f"task {task!r} of campaign {campaign!r} has no {split!r} part")
    pairs = one.groupby(["system_1", "system_2"], as_index=False)[["wins_1", "wins_2", "ties"]]
    return pairwise.from_table(pairs.sum())


def load_comparisons(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> pd.DataFrame:
    """All comparisons of one task, one row each.

    Returns
    -------
    DataFrame
        From raw files `schemas.COMPARISONS`, as shown. From embedded counts only system_1,
        system_2 (in order of name) and preference: segment, judge and order are not known.
    """
    source = resolve(source)
    counts = load_counts(campaign, task, source=source, split=split)  # refuses what is not there
    if source.kind == "embedded":
        return pairwise.expand(counts)
    rows = _comparisons(campaign, source)
    rows = rows[rows["task"] == task].reset_index(drop=True)
    if split is None:
        return rows
    return rows[splits(campaign, task, rows) == split].reset_index(drop=True)


@lru_cache
def _comparisons(campaign: str, source: Source) -> pd.DataFrame:
    """All comparisons of a campaign; a caller gets copies of parts of it only."""
    return pairwise.comparisons(load_rankings(campaign, source=source))


def write_embedded(source: str | Source = "auto") -> list[Path]:
    """Write data/counts.csv and data/tasks.csv from the raw files (`make data`)."""
    source = resolve(source)
    if source.kind != "raw":
        raise DataUnavailable(f"the embedded tables are made from raw files: {source.notice}")
    paths = [DATA / "counts.csv", DATA / "tasks.csv"]
    for table, path in zip(_tables(source), paths, strict=True):
        write_csv(table, path)
    return paths


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table so that the file is whole or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        table.to_csv(partial, index=False, lineterminator="\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
