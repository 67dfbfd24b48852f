"""Where the judgements come from: mirror, download or embedded, in that order.

The registry, `data/registry.csv`, pins every public file to a commit, a size and a SHA-256; a file
that does not match is named and refused. Where neither a mirror nor a network is at hand, the
win/tie/loss counts that the repository carries do the work that needs no single judgement, and
simulated campaigns stand in for direct assessments. Each campaign needs its own files only.
"""

import hashlib
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pooch

from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.relative_rankings import (
    COUNTS,
    REFERENCE,
    WMT_COLUMNS,
    DataError,
    DataUnavailable,
    Origin,
    table_lines,
    tidy_rankings,
)
from wmtlib.releases import archives, assessment_files, official_tables, raw_scores
from wmtlib.simulation import simulate

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
ASSESSED = DATA / "assessed.csv"  # the language pairs of direct assessment
ROUTES = ("mirror", "download", "embedded")
RANKED = ("wmt10", "wmt10-crowd", "wmt11", "wmt12")  # the campaigns of relative ranking
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
        (see `adopt_archive`) needs no others.

    Raises
    ------
    DataError
        The source is unknown, or a file is not the one the registry pins.
    DataUnavailable
        The source named cannot be reached.
    """
    return _resolved(source, tuple(campaigns))


def _asked(source: str | Source) -> str:
    """The route that is asked for; "auto" if any will do."""
    route = source.route if isinstance(source, Source) else source
    if route == "auto":
        route = os.environ.get("WMTLIB_SOURCE") or "auto"
    if route not in ("auto", *ROUTES):
        raise DataError(f"source is {route!r}; expected auto, mirror, download or embedded")
    return route


def _resolved(
    source: str | Source, campaigns: tuple[str, ...], paths: tuple[str, ...] | None = None
) -> Source:
    """`resolve`; with paths of the registry, for those files alone."""
    if isinstance(source, Source):
        return source
    mirror, cache = os.environ.get("WMTLIB_DATA"), os.environ.get("WMTLIB_CACHE")
    used = ()
    if paths is None and _asked(source) != "embedded":
        used = tuple((f.campaign, f.sha256) for c in campaigns if (f := archives.find(c)))
    return _resolve(_asked(source), mirror, cache, campaigns, paths, used)


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
    entries = [e for c in campaigns if c not in dict(used) for e in _entries(c)]
    if paths is not None:
        entries = [e for e in entries if e["path"] in paths]
    if not entries and not used:
        reasons.append(f"no public file of {', '.join(campaigns)}")
    for route in ("mirror", "download") if source == "auto" else (source,):
        try:
            for entry in entries:
                _fetch(entry, route)
        except DataUnavailable as reason:
            reasons.append(str(reason))
        else:
            if entries or used:
                joined = "".join(sorted([*(entry["sha256"] for entry in entries), *hashes]))
                return Source(route, hashlib.sha256(joined.encode()).hexdigest()[:8])
    if source != "auto":
        raise DataUnavailable(reasons[0])
    return Source("embedded", file_sha256(carried)[:8], "; ".join(reasons))


def _entries(
    campaign: str, language_pair: str | None = None, pattern: str = ""
) -> list[dict[str, Any]]:
    """The registry's files of a campaign; of direct assessment, those of a language pair."""
    table = registry()
    table = table[(table["campaign"] == campaign) & table["path"].str.contains(pattern)]
    if language_pair is not None:
        table = table[table["group"].isin([language_pair, ""])]
    return table.to_dict("records")


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
        Columns `relative_rankings.RANKINGS`; see `relative_rankings.tidy_rankings`. Judges are pseudonymised.

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
        `relative_rankings.RANKINGS`, with `task` such as "cs-en" or "cs-en-syscomb", and rankings and
        judges numbered through the campaign's files.

    Raises
    ------
    DataUnavailable
        The source holds no raw rankings.
    """
    route = resolve(source).route
    entries = _entries(campaign) if campaign in RANKED else []
    if not entries:
        known = ", ".join(c for c in RANKED if _entries(c))
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
    for campaign in filter(_entries, RANKED):
        rankings = load_rankings(campaign, source=source)
        compared = counting.comparisons(rankings).groupby("task", observed=True)
        for task, part in rankings.groupby("task", observed=True):
            comparisons = compared.get_group(task)
            one = counting.counts(comparisons)
            for split, rows in comparisons.groupby(splits(campaign, task, comparisons)):
                table = counting.to_table(counting.counts(rows))
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
    if outside or len(comparisons) < counting.TEST_SIZE:
        return np.repeat("none", len(comparisons))
    return np.where(counting.held_out(comparisons), "test", "train")


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
    return counting.from_table(pairs.sum())


def load_comparisons(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> pd.DataFrame:
    """All comparisons of one task, one row each.

    Returns
    -------
    DataFrame
        From raw files `relative_rankings.COMPARISONS`, as shown. From embedded counts only system_1,
        system_2 (in order of name) and preference: segment, judge and order are not known.
    """
    source = resolve(source)
    counts = load_counts(campaign, task, source=source, split=split)  # refuses what is not there
    if source.kind == "embedded":
        return counting.expand(counts)
    rows = _comparisons(campaign, source)
    rows = rows[rows["task"] == task].reset_index(drop=True)
    if split is None:
        return rows
    return rows[splits(campaign, task, rows) == split].reset_index(drop=True)


@lru_cache
def _comparisons(campaign: str, source: Source) -> pd.DataFrame:
    """All comparisons of a campaign; a caller gets copies of parts of it only."""
    return counting.comparisons(load_rankings(campaign, source=source))


def everything() -> list[str]:
    """Names of all campaigns of the study, for `resolve`."""
    return [*RANKED, *assessment_campaigns()]


def assessment_campaigns() -> list[str]:
    """Names of the campaigns of direct assessment."""
    return list(assessment_files.catalogue(ASSESSED)["campaign"].unique())


def assessed(source: str | Source = "auto") -> pd.DataFrame:
    """Every campaign and language pair of direct assessment, and what there is of it.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded" or a `Source`
        "auto" is the mirror if `$WMTLIB_DATA` is set, else the download. Nothing is downloaded to
        find out; files in a mirror are looked for, not verified.

    Returns
    -------
    DataFrame
        campaign; language_pair; style ("SR-DC", "SR+DC" or "mixed"); interface; paper (whether
        it is one of the 46 of Knowles 2021); status: "present" (single judgements), "partial"
        (segment means only) or "absent"; reason, in words, if it is not "present".
    """
    route = _asked(source)
    if route == "auto":
        route = "mirror" if os.environ.get("WMTLIB_DATA") else "download"
    table = assessment_files.catalogue(ASSESSED)
    in_place = {c for c in table["campaign"].unique() if route != "embedded" and archives.find(c)}
    statuses = [_status(row, route, row.campaign in in_place) for row in table.itertuples()]
    statuses = pd.DataFrame(statuses, columns=["status", "reason"])
    return table.drop(columns=["level", "reason"]).join(statuses)


def _status(row: Any, route: str, in_place: bool) -> tuple[str, str]:
    """Status and reason of one language pair, a row of the catalogue."""
    if route == "embedded":
        return "absent", "the embedded data hold simulated campaigns only"
    if in_place:
        return "present", ""
    if row.level == "none":
        return "absent", f"{row.reason}; {archives.advice(row.campaign)}"
    if route == "mirror":
        mirror = os.environ.get("WMTLIB_DATA", "")
        for entry in _entries(row.campaign, row.language_pair, assessment_files.NEEDED):
            if not (path := Path(mirror, entry["repository"], entry["path"])).is_file():
                return "absent", f"no such file in the mirror: {path}"
    return ("present", "") if row.level == "item" else ("partial", row.reason)


def load_assessments(
    campaign: str,
    language_pair: str,
    *,
    source: str | Source = "auto",
    archive: bool | None = None,
) -> pd.DataFrame:
    """Direct assessments of one language pair, one row per judgement.

    Parameters
    ----------
    campaign : str
        One of `assessment_campaigns()`, or one of `simulate.CAMPAIGNS`, which need no data.
    language_pair : such as "en-de"
    source : "auto", "mirror", "download", "embedded" or a `Source`
    archive : bool, optional
        WMT18-20: whether to read the organisers' release (see `adopt_archive`) and not what public
        repositories hold of it. If not given, it is read where it is in place, and downloaded
        with source "download" where there is nothing else.

    Returns
    -------
    DataFrame
        `relative_rankings.ASSESSMENTS`; see `relative_rankings.tidy_assessments`. Without an archive all rows are
        accepted, and all scores but Facebook's are recovered; see `load_recovery`.

    Raises
    ------
    DataError
        There is no such campaign or language pair, or a file is not what it should be.
    DataUnavailable
        There are no single judgements to be had.
    """
    if campaign in simulate.CAMPAIGNS:
        return simulate.embedded(campaign, language_pair)
    row = assessment_files.described(ASSESSED, campaign, language_pair)
    release = None if archive is False else _release(row, _asked(source), bool(archive))
    if release is not None:
        try:
            open_file = _opener(campaign, language_pair, source, r"\.sgm$")
        except DataUnavailable:  # without the test set, the documents of WMT18 have no names
            open_file = {}.get
        return assessment_files.from_archive(release, row, open_file)
    if row.level == "item":
        open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
        return assessment_files.load(campaign, language_pair, open_file)
    advice = f"; {archives.advice(campaign)}" if campaign in archives.ARCHIVES else ""
    raise DataUnavailable(f"{campaign} {language_pair}: {row.reason}{advice}")


def _release(row: Any, route: str, wanted: bool) -> archives.Found | None:
    """The archive to read for a language pair (a row of the catalogue), if any."""
    if route == "embedded" or row.campaign not in archives.ARCHIVES:
        if wanted:
            raise DataUnavailable(f"{row.campaign}: there is no archive of it")
        return None
    if (release := archives.find(row.campaign)) is not None:
        return release
    if route == "download" and (wanted or row.level != "item"):
        return archives.download(row.campaign)
    if wanted:
        raise DataUnavailable(f"{row.campaign}: not in place; {archives.advice(row.campaign)}")
    return None


adopt_archive = archives.adopt  # checks a release that the user has and keeps a copy


def load_recovery(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> tuple[raw_scores.Recovery, dict[str, float]]:
    """How the scores of WMT17, 18, 21, 22 were recovered from z-scores, and the proof of it.

    Returns
    -------
    Recovery, dict
        See `assessments.Recovery` and `assessments.proof`.
    """
    open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
    read = assessment_files.standardised(language_pair, open_file)
    return read.recovery, raw_scores.proof(read)


def load_segment_means(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Official means of one system's output for one segment (WMT17, 18, 20, 21).

    Returns
    -------
    DataFrame
        system, document, segment, raw (0-100), z, judgements. The SR-DC pairs of WMT18 and 20
        have the system `HUMAN`: what workers gave the references among the quality control.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`.
    """
    open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
    return assessment_files.segment_means(campaign, language_pair, open_file)


def load_official(
    campaign: str, language_pair: str, *, what: str, source: str | Source = "auto"
) -> pd.DataFrame:
    """An official outcome, as the organisers computed it.

    Parameters
    ----------
    what : str
        - "z", "raw": systems ordered by mean z-score or raw score, rounded (WMT18, 21, Facebook);
        - "systems": the same, unrounded (WMT20);
        - "clusters": wins and clusters (WMT18, 21, Facebook);
        - "differences": differences of means with stars for significance (WMT18, 21, Facebook);
        - "p-values": significance (WMT20).

    Returns
    -------
    DataFrame
        See `official_tables.read_ranking`, `read_means`, `read_clusters`, `read_differences` and
        `read_p_values`.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`; or there is no such outcome.
    """
    pattern = official_tables.file_name(language_pair, what)
    open_file = _opener(campaign, language_pair, source, rf"(?:^|/){re.escape(pattern)}$")
    return official_tables.outcome(campaign, language_pair, what, open_file)


def _opener(
    campaign: str, language_pair: str, source: str | Source, pattern: str
) -> official_tables.Opener:
    """What opens a file of a language pair, verified, by its name; None if there is none.

    Parameters
    ----------
    pattern : str
        What the paths of the files that may be opened match.

    Raises
    ------
    DataUnavailable
        The source does not hold them all.
    """
    assessment_files.described(ASSESSED, campaign, language_pair)
    entries = {Path(e["path"]).name: e for e in _entries(campaign, language_pair, pattern)}
    if not entries:
        return {}.get
    source = _resolved(source, (campaign,), tuple(e["path"] for e in entries.values()))
    if source.kind == "embedded":
        what = f"{campaign} {language_pair}: the embedded data hold simulated campaigns only"
        raise DataUnavailable("; ".join(filter(None, [what, source.notice])))

    def open_file(name: str) -> tuple[bytes, Origin] | None:
        if name not in entries:
            return None
        path = _fetch(entries[name], source.route)
        return path.read_bytes(), Origin(str(path))

    return open_file


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
