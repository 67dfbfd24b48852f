"""The relative rankings of WMT10-12 and WMT16: rankings, comparisons and counts of every task."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import counts as relative_rankings
from wmtlib.counts import REFERENCE, WMT_COLUMNS, Counts, tidy_rankings
from wmtlib.errors import DataError, DataUnavailable, Origin
from wmtlib.study import keep
from wmtlib.study.releases import wmt16
from wmtlib.study.releases.sources import (
    DATA,
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    Source,
    fetch,
    public_files,
    resolve,
)
from wmtlib.study.releases.storage import write_csv

COUNTS = ["campaign", "task", "split", "system_1", "system_2", "wins_1", "wins_2", "ties"]
TEST_SIZE = 2000  # comparisons that a test set has at least (Hopkins & May 2013, section 4)


def hopkins_test_split(comparisons: pd.DataFrame, *, at_least: int = TEST_SIZE) -> np.ndarray:
    """Whether each comparison of a track is in its test set (Hopkins & May 2013, section 4).

    The test set holds the comparisons of all source segments that were compared at most k times;
    k is the smallest number that gives `at_least` comparisons. Segments that were compared often
    depart most from an independent sample.

    Returns
    -------
    array of bool, shape (comparisons,)

    Raises
    ------
    DataError
        The track has fewer than `at_least` comparisons.
    """
    if len(comparisons) < at_least:
        raise DataError(f"{len(comparisons)} comparisons cannot give a test set of {at_least}")
    per_segment = comparisons.groupby("segment")["segment"].transform("size").to_numpy()
    return per_segment <= np.sort(per_segment)[at_least - 1]


LANGUAGES = {
    **{"Basque": "eu", "Bulgarian": "bg", "Czech": "cs", "Dutch": "nl", "English": "en"},
    **{"Finnish": "fi", "French": "fr", "German": "de", "Haitian Creole (Clean)": "ht-clean"},
    **{"Haitian Creole (Raw)": "ht-raw", "Portuguese": "pt", "Romanian": "ro", "Russian": "ru"},
    **{"Spanish": "es", "Turkish": "tr", "Urdu": "ur"},
}


def load_rankings(campaign: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """All rankings of a campaign of WMT10-12, one row per ranked output.

    Parameters
    ----------
    campaign : "wmt10", "wmt10-crowd", "wmt11" or "wmt12"

    Returns
    -------
    DataFrame
        `relative_rankings.RANKINGS`, with `task` such as "cs-en" or "cs-en-syscomb", and rankings
        and judges numbered through the campaign's files.

    Raises
    ------
    DataUnavailable
        The source does not have the single rankings.
    """
    source = resolve(source)
    files = public_files(campaign) if campaign in RELATIVE_CAMPAIGNS else []
    if not files:
        known = ", ".join(filter(public_files, RELATIVE_CAMPAIGNS))
        raise DataError(f"no campaign {campaign!r}; known are {known}")
    if source.kind == "embedded":
        raise DataUnavailable(f"{campaign}: the embedded data hold counts only, no single rankings")
    tables, groups = [], []
    for file in files:
        path = fetch(file, source.route, source.folder)
        tables.append(pd.read_csv(path, dtype=str, keep_default_na=False, usecols=WMT_COLUMNS))
        groups += [file.group.partition(" ")[0]] * len(tables[-1])
    raw = pd.concat(tables, ignore_index=True)
    tidy = tidy_rankings(raw, Origin(campaign))
    identifiers = {
        f"{one},{other}": f"{LANGUAGES[one]}-{LANGUAGES[other]}"
        for one, other in raw[["srclang", "trglang"]].drop_duplicates().to_numpy()
    }
    pair = tidy["task"].map(identifiers).astype(str)
    group = np.array(groups)[tidy["ranking"]]
    return tidy.assign(task=(pair + "-" + group).str.removesuffix("-").astype("category"))


@lru_cache  # a caller copies what it changes
def _rankings_and_comparisons(campaign: str, source: Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    if campaign in LATER_RELATIVE:
        rankings = wmt16.load_rankings(campaign, source=source)
        return rankings, wmt16.comparisons(rankings)
    rankings = load_rankings(campaign, source=source)
    return rankings, relative_rankings.comparisons(rankings)


@lru_cache
def _tables(campaign: str, source: Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A campaign's counts and its tasks, computed from raw files or read as embedded."""
    if source.kind == "embedded" or not public_files(campaign):  # unknown: no rows
        tables = (pd.read_csv(DATA / name) for name in ("counts.csv", "tasks.csv"))
        counted, described = (table[table["campaign"] == campaign] for table in tables)
        return counted, described
    read = partial(_tables_of_rankings, campaign, source)
    return keep.result("ranking-tables", _files_of(campaign, source), read)


def _tables_together(source: Source, campaigns: Sequence[str]) -> list[pd.DataFrame]:
    """The counts and the tasks of several campaigns."""
    parts = [_tables(campaign, source) for campaign in filter(public_files, campaigns)]
    return [pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True)]


def _tables_of_rankings(campaign: str, source: Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The counts and the tasks of a campaign, computed from raw files."""
    counted, described = [], []
    rankings, comparisons_of_all = _rankings_and_comparisons(campaign, source)
    compared = comparisons_of_all.groupby("task", observed=True)
    for task, part in rankings.groupby("task", observed=True):
        comparisons = compared.get_group(task)
        one = counting.count(comparisons)
        for split, rows in comparisons.groupby(splits(campaign, task, comparisons)):
            table = counting.to_table(counting.count(rows))
            counted.append(table.assign(campaign=campaign, task=task, split=split))
        described.append({"campaign": campaign, "task": task, **describe(part, one)})
    return pd.concat(counted, ignore_index=True)[COUNTS], pd.DataFrame(described)


def _files_of(campaign: str, source: Source) -> list[str]:
    """What the campaign's files are, for `keep`; the registry fixes what they hold."""
    return [campaign, source.route, str(source.folder)]


def splits(campaign: str, task: str, comparisons: pd.DataFrame) -> np.ndarray:
    """Each comparison's part of its task: "train", "test", "judged", "identical" or "none".

    The tracks of Hopkins & May (2013), which have a training and a test set, are the eight language
    pairs of WMT10, WMT11 (individual systems) and WMT12. The crowd's judgements of WMT10 are for
    training alone. What is too small to split is not split. In WMT16, a tie is "identical" if the
    two outputs were one text, so that nobody judged it; the files of the IT task do not tell.
    """
    if campaign == "wmt10-crowd":
        return np.repeat("train", len(comparisons))
    if campaign == "wmt16":
        return np.where(comparisons["identical"], "identical", "judged")
    outside = campaign == "wmt11" and (task.startswith("ht-") or not task.endswith("individual"))
    if outside or campaign == "wmt16-it" or len(comparisons) < TEST_SIZE:
        return np.repeat("none", len(comparisons))
    return np.where(hopkins_test_split(comparisons), "test", "train")


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


def tasks(
    source: str | Source = "auto", campaigns: Sequence[str] = RELATIVE_CAMPAIGNS
) -> pd.DataFrame:
    """Every task: campaign, task, judges, segments, rankings, systems, comparisons.

    A task is what was ranked together: a language pair, in WMT11 split into individual systems
    and system combinations. Those of the papers, or of the campaigns that are named.
    """
    return _tables_together(resolve(source, campaigns), campaigns)[1]


def label(campaign: str, task: str) -> str:
    """A task's name as the paper prints it, e.g. "2011 Czech-English syscomb"."""
    names = {code: name for name, code in LANGUAGES.items()}
    source, target, group = re.fullmatch(r"(ht-\w+|\w+)-(\w+)(?:-(\w+))?", task).groups(default="")
    year, part = re.fullmatch(r"wmt(\d\d)(-crowd|-it)?", campaign).groups(default="")
    extra = {"tunable": "tunable metrics"}.get(group, group)
    which = {"-crowd": "(crowd)", "-it": "(IT)"}.get(part, "")
    return f"20{year} {names[source]}-{names[target]} {extra}{which}".strip()


def load_counts(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> Counts:
    """Win and tie counts of one task, the reference included.

    Parameters
    ----------
    split : "train", "test", "judged", "identical" or None
        Only that part of the task, see `splits`; None counts everything.

    Raises
    ------
    DataError
        The task is unknown, or it is not split.

    Examples
    --------
    >>> load_counts("wmt10", "cs-en", source="embedded").comparisons
    5375
    """
    group = LATER_RELATIVE if campaign in LATER_RELATIVE else RELATIVE_CAMPAIGNS
    table = _tables(campaign, resolve(source, group))[0]
    if (rows := table[table["task"] == task]).empty:
        known = ", ".join(table["task"].unique()) or "no such campaign"
        raise DataError(f"no task {task!r} in campaign {campaign!r}: {known}")
    if split is not None and (rows := rows[rows["split"] == split]).empty:
        raise DataError(f"task {task!r} of campaign {campaign!r} has no {split!r} part")
    return counting.from_table(rows)


def load_comparisons(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> pd.DataFrame:
    """All comparisons of one task, one row each.

    Returns
    -------
    DataFrame
        From raw files `relative_rankings.COMPARISONS`, as shown to the judges. From embedded
        counts only system_1, system_2 (in order of name) and preference.
    """
    source = resolve(source, LATER_RELATIVE if campaign in LATER_RELATIVE else RELATIVE_CAMPAIGNS)
    counts = load_counts(campaign, task, source=source, split=split)  # refuses unknown tasks
    if source.kind == "embedded":
        return counting.expand(counts)
    rows = _comparisons(campaign, source)
    rows = rows[rows["task"] == task].reset_index(drop=True)
    taken = np.ones(len(rows), bool) if split is None else splits(campaign, task, rows) == split
    return rows.loc[taken, relative_rankings.COMPARISONS].reset_index(drop=True)


@lru_cache
def _comparisons(campaign: str, source: Source) -> pd.DataFrame:
    """All comparisons of a campaign; a caller gets copies of parts of it only."""
    read = partial(_rankings_and_comparisons, campaign, source)
    return keep.result("comparisons", _files_of(campaign, source), lambda: read()[1])


def write_embedded(source: str | Source = "auto") -> list[Path]:
    """Write wmtlib/data/counts.csv and tasks.csv from the raw files (`make data`)."""
    campaigns = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)
    source = resolve(source, campaigns)
    if source.kind != "raw":
        raise DataUnavailable(f"the embedded tables are made from raw files: {source.notice}")
    paths = [DATA / "counts.csv", DATA / "tasks.csv"]
    for table, path in zip(_tables_together(source, campaigns), paths, strict=True):
        write_csv(table, path)
    return paths
