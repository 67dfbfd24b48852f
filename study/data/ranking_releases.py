"""Relative rankings of WMT10-12 and WMT16: rankings, comparisons, counts and tasks.

In WMT16, outputs that were identical were judged once. The XML of the news task names
their systems together; the official tables, the only form of the IT task, give each of
their systems the rank, so that one judgement becomes a comparison of every pair of
systems, and identical outputs become ties without a judgement.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from study.data import sources
from study.data.sources import DATA, LATER_RELATIVE, Source, public_files
from study.data.storage import write_csv
from study.run import keep
from wmtlib.core import counts as counting
from wmtlib.core.counts import COMPARISONS, RANKINGS, REFERENCE, Counts
from wmtlib.core.errors import DataError, DataUnavailable, unknown
from wmtlib.files import carried_counts
from wmtlib.files.judgements import pseudonyms
from wmtlib.files.read import rows

# Comparisons that a test set has at least (Hopkins & May 2013, section 4).
TEST_SIZE = 2000
JOINS = ","  # between the systems whose outputs were identical, in WMT16
# Languages by the names and the longer codes that the files use, and our code of each.
LANGUAGES = pd.read_csv(DATA / "languages.csv", keep_default_na=False)
# Local path of each public file, and its group in the registry, such as a task.
Files = dict[Path, str]


# --- single rankings ------------------------------------------------------------------


def load_rankings(campaign: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """Load all rankings of a campaign, one row per ranked output.

    Parameters
    ----------
    campaign : "wmt10", "wmt10-crowd", "wmt11", "wmt12", "wmt16" or "wmt16-it"

    Returns
    -------
    DataFrame
        `counts.RANKINGS`, with `task` such as "cs-en" or "cs-en-syscomb", and rankings
        and judges numbered through the campaign's files. In WMT16 systems have short
        names, such as "uedin-nmt.4313", without the test set and the language pair. In
        "wmt16", systems with identical outputs are one output, their sorted names
        joined by `JOINS`; the files of "wmt16-it" do not tell which outputs were
        identical.

    Raises
    ------
    DataError
        No such campaign.
    DataUnavailable
        The source does not have the single rankings.
    """
    readers = dict.fromkeys(sources.RELATIVE_CAMPAIGNS, _read_rankings)
    readers |= {"wmt16": _read_xml, "wmt16-it": _read_pairwise}
    campaigns = list(filter(public_files, readers))
    if campaign not in campaigns:
        raise unknown("campaign", campaign, campaigns)
    # Some language pairs of WMT16 are public as CSV, too.
    pattern = r"\.xml\.gz$" if campaign == "wmt16" else r"\.csv$"
    return readers[campaign](_fetched(campaign, source, pattern))


def _fetched(campaign: str, source: str | Source, pattern: str) -> Files:
    """Fetch the public files of a campaign whose paths fit a regular expression."""
    files = public_files(campaign, pattern=pattern)
    instead = f"{campaign}: the embedded data hold counts only, no single rankings"
    paths = sources.local_files(files, source, instead)
    return {path: file.group for file, path in paths.items()}


def _read_rankings(files: Files) -> pd.DataFrame:
    """Read the rankings of WMT10-12: one line for each, with up to five outputs."""
    parts = []
    first = 0  # ranking of a file
    for path, group in files.items():
        outputs = rows(path).astype(object)
        ranking = outputs["ranking"].astype(np.int32) + first
        first = ranking.max() + 1
        kind = group.partition(" ")[0]
        parts.append(outputs.assign(ranking=ranking, kind=kind))
    outputs = pd.concat(parts, ignore_index=True)
    task = outputs["task"].map(_language_pair) + "-" + outputs["kind"]
    return _tidy(outputs.assign(task=task.str.removesuffix("-")))


def _read_xml(files: Files) -> pd.DataFrame:
    """Read the rankings of WMT16's news task, which are in one file of XML."""
    (path,) = files
    return _tidy_wmt16(rows(path).astype(object))


def _read_pairwise(files: Files) -> pd.DataFrame:
    """Read the rankings of WMT16's IT task, in the pairwise format of WMT13-16."""
    table = pd.concat([rows(path).astype(object) for path in files], ignore_index=True)
    table["ranking"] = table["task"] + table["ranking"]
    sides = []
    for side in "ab":
        names = {side: "system", f"rank_{side}": "rank"}
        sides.append(table.rename(columns=names)[RANKINGS])
    outputs = pd.concat(sides).drop_duplicates()
    outputs = outputs.sort_values(["ranking", "system"], ignore_index=True)
    return _tidy_wmt16(outputs)


def _tidy_wmt16(outputs: pd.DataFrame) -> pd.DataFrame:
    """Convert ranked outputs of WMT16 to `RANKINGS`, with short names of systems."""
    return _tidy(
        outputs.assign(
            task=outputs["task"].map(_language_pair),
            ranking=pd.factorize(outputs["ranking"])[0].astype(np.int32),
            system=outputs["system"].astype("category").map(_short_name),
        )
    )


def _tidy(outputs: pd.DataFrame) -> pd.DataFrame:
    """Give the columns of `RANKINGS` their types; judges go by numbers."""
    return pd.DataFrame(
        {
            "task": outputs["task"].astype("category"),
            "ranking": outputs["ranking"],
            "segment": outputs["segment"].astype(np.int32),
            "judge": pseudonyms(outputs["judge"]),
            "system": outputs["system"].astype("category"),
            "rank": outputs["rank"].astype(np.int8),
        }
    )


@cache
def _language_pair(names: str) -> str:
    """Return a language pair such as "de-en", from "German,English" or "deu-eng"."""
    codes = LANGUAGES.melt("code").set_index("value")["code"]
    return "-".join(codes[re.split("[,-]", names)])


def _short_name(names: str) -> str:
    """Return names of systems without their test set and language pair."""
    around = r"^(newstest|it-test)2016\.|\.\w\w-\w\w$"
    return JOINS.join(sorted(re.sub(around, "", name) for name in names.split(JOINS)))


# --- comparisons ----------------------------------------------------------------------


def official_comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """Compute the official comparisons of WMT16, also of identical outputs.

    Returns
    -------
    DataFrame
        Columns `counts.COMPARISONS` and identical: whether the two outputs were one
        text, so that the tie was not judged.
    """
    judged = counting.comparisons(rankings).assign(identical=False)
    for column in ("system_1", "system_2"):
        judged[column] = judged[column].astype(str).str.split(JOINS)
        judged = judged.explode(column, ignore_index=True)
    # The systems of one output are ranked alike: each output is a ranking of its own.
    outputs = rankings[rankings["system"].astype(str).str.contains(JOINS)]
    systems = outputs["system"].astype(str).str.split(JOINS)
    alike = outputs.assign(system=systems, ranking=outputs.index).explode("system")
    ties = counting.comparisons(alike)
    ranking = rankings["ranking"].to_numpy()[ties["ranking"]]
    ties = ties.assign(ranking=ranking, identical=True)
    official = pd.concat([judged, ties])
    official = official.sort_values("ranking", kind="stable", ignore_index=True)
    for column in ("task", "system_1", "system_2"):
        official[column] = official[column].astype("category")
    return official[[*COMPARISONS, "identical"]]


def hopkins_test_split(
    comparisons: pd.DataFrame, *, at_least: int = TEST_SIZE
) -> np.ndarray:
    """Choose the test set of a track (Hopkins & May 2013, section 4).

    The test set holds the comparisons of all source segments that were compared at most
    k times; k is the smallest number that gives `at_least` comparisons. Segments that
    were compared often depart most from an independent sample.

    Returns
    -------
    array of bool, shape (comparisons,)

    Raises
    ------
    DataError
        The track has fewer than `at_least` comparisons.
    """
    if len(comparisons) < at_least:
        raise DataError(
            f"{len(comparisons)} comparisons cannot give a test set of {at_least}"
        )
    per_segment = comparisons.groupby("segment")["segment"].transform("size").to_numpy()
    return per_segment <= np.sort(per_segment)[at_least - 1]


def splits(campaign: str, task: str, comparisons: pd.DataFrame) -> np.ndarray:
    """Return the part of its task that each comparison belongs to.

    It is "train", "test", "judged", "identical" or "none".

    The tracks of Hopkins & May (2013), which have a training and a test set, are the
    eight language pairs of WMT10, WMT11 (individual systems) and WMT12. The crowd's
    judgements of WMT10 are for training alone. What is too small to split is not split.
    In WMT16, a tie is "identical" if the two outputs were one text, so that it was not
    judged; the files of the IT task do not show it.
    """
    if campaign == "wmt10-crowd":
        return np.repeat("train", len(comparisons))
    if campaign == "wmt16":
        return np.where(comparisons["identical"], "identical", "judged")
    is_track = campaign != "wmt16-it" and len(comparisons) >= TEST_SIZE
    if campaign == "wmt11":
        is_track &= task.endswith("individual") and not task.startswith("ht-")
    if not is_track:
        return np.repeat("none", len(comparisons))
    return np.where(hopkins_test_split(comparisons), "test", "train")


# --- what each task holds -------------------------------------------------------------


@lru_cache
def _tables(campaign: str, source: Source) -> dict[str, pd.DataFrame]:
    """Return a campaign's "counts" and "tasks"; from raw files "comparisons", too."""
    if source.kind == "raw" and public_files(campaign):
        depends_on = sources.pinned(campaign)
        return keep.result("ranking-tables", depends_on, _described, campaign, source)
    tables = {name: carried_counts.table(name) for name in ("counts", "tasks")}
    return {name: t[t["campaign"] == campaign] for name, t in tables.items()}


def _described(campaign: str, source: Source) -> dict[str, pd.DataFrame]:
    """Compute the tables of a campaign from its raw files; see `_tables`.

    A task is described as in Lopez (2012), Table 1: systems exclude the reference,
    comparisons include it.
    """
    rankings = load_rankings(campaign, source=source)
    if campaign in LATER_RELATIVE:
        comparisons = official_comparisons(rankings)
    else:
        comparisons = counting.comparisons(rankings)
    compared = comparisons.groupby("task", observed=True)
    keys = ["campaign", "task", "split"]
    parts = []
    counted = {}
    described = []
    for task, ranked in rankings.groupby("task", observed=True):
        rows = compared.get_group(task)
        rows = rows.assign(split=splits(campaign, task, rows))
        parts.append(rows)
        for split, part in rows.groupby("split"):
            counted[campaign, task, split] = counting.to_table(counting.counts_of(part))
        counts = counting.counts_of(rows)
        row = {"campaign": campaign, "task": task}
        row |= ranked[["judge", "segment", "ranking"]].nunique().add_suffix("s")
        row["systems"] = len(counts.without(REFERENCE).systems)
        row["comparisons"] = counts.comparisons
        described.append(row)
    return {
        "counts": pd.concat(counted, names=keys)
        .reset_index(keys)
        .reset_index(drop=True),
        "tasks": pd.DataFrame(described),
        "comparisons": pd.concat(parts)[[*COMPARISONS, "split"]],
    }


def _table_of_all(name: str, source: Source, campaigns: Sequence[str]) -> pd.DataFrame:
    """Return the "counts" or the "tasks" of several campaigns."""
    public = filter(public_files, campaigns)
    tables = [_tables(campaign, source)[name] for campaign in public]
    return pd.concat(tables, ignore_index=True)


def tasks(
    source: str | Source = "auto", campaigns: Sequence[str] = sources.RELATIVE_CAMPAIGNS
) -> pd.DataFrame:
    """Return every task, with its judges, segments, rankings, systems, comparisons.

    A task is what was ranked together: a language pair, in WMT11 split into individual
    systems and system combinations. Those of the papers, or of the campaigns that are
    named.
    """
    return _table_of_all("tasks", sources.resolve(source, campaigns), campaigns)


def label(campaign: str, task: str) -> str:
    """Return a task's name as in the paper, e.g. "2011 Czech-English syscomb"."""
    names = LANGUAGES.set_index("code")["name"]
    ((source, target, group),) = re.findall(r"(ht-\w+|\w+)-(\w+)-?(\w*)", task)
    ((year, kind),) = re.findall(r"wmt(\d\d)-?(\w*)", campaign)
    pair = f"20{year} {names[source]}-{names[target]}"
    group = {"tunable": "tunable metrics"}.get(group, group)
    kind = {"crowd": "(crowd)", "it": "(IT)"}.get(kind, "")
    return f"{pair} {group}{kind}".strip()


def load_counts(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> Counts:
    """Load win and tie counts of one task, the reference included.

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
    table = _tables(campaign, resolved(campaign, source))["counts"]
    return carried_counts.counts_in(table, campaign, task, split)


def load_comparisons(
    campaign: str, task: str, *, source: str | Source = "auto", split: str | None = None
) -> pd.DataFrame:
    """Load all comparisons of one task, one row each.

    Returns
    -------
    DataFrame
        From raw files `counts.COMPARISONS`, as shown to the judges. From embedded
        counts only system_1, system_2 (in order of name) and preference.
    """
    source = resolved(campaign, source)
    # This refuses unknown tasks and parts.
    counts = load_counts(campaign, task, source=source, split=split)
    if source.kind == "embedded":
        return counting.expand(counts)
    rows = _tables(campaign, source)["comparisons"]
    rows = rows[rows["task"] == task]
    if split is not None:
        rows = rows[rows["split"] == split]
    return rows[COMPARISONS].reset_index(drop=True)


def resolved(campaign: str, source: str | Source) -> Source:
    """Resolve the source of a campaign: one for the papers, one for WMT16."""
    if campaign in LATER_RELATIVE:
        return sources.resolve(source, LATER_RELATIVE)
    return sources.resolve(source)


def load_outcome(
    campaign: str, task: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Load the official outcome of a task of WMT16, best system first.

    Parameters
    ----------
    campaign : "wmt16" (12 tasks) or "wmt16-it" (7 tasks, 5 of them with public
    comparisons)

    Returns
    -------
    DataFrame
        system; score (mean of TrueSkill's mean ability over the organisers' runs);
        first_rank, last_rank (the rank range that is left after the tails are cut);
        cluster (from 1).

    Raises
    ------
    DataUnavailable
        There is no such task, or the source does not have it.
    """
    files = _fetched(campaign, source, r"\.txt$")
    paths = [path for path, group in files.items() if group == task]
    if not paths:
        raise DataUnavailable(f"{campaign}: no official outcome of {task!r} is public")
    clusters = re.split(r"^\++$", paths[0].read_text("utf-8"), flags=re.MULTILINE)
    line = r"(\S+) (\S+) \((\d+)\.0, (\d+)\.0\)"
    rows = [
        (_short_name(system), float(score), int(first), int(last), cluster)
        for cluster, lines in enumerate(clusters, 1)
        for system, score, first, last in re.findall(line, lines)
    ]
    columns = ["system", "score", "first_rank", "last_rank", "cluster"]
    return pd.DataFrame(rows, columns=columns)


def load_documents(*, source: str | Source = "auto") -> pd.Series:
    """Load the document of every judged segment of WMT10's test set.

    Returns
    -------
    Series of str
        Documents as the release names them, indexed by segment.
    """
    [path] = _fetched("wmt10", source, r"\.csv$")
    rows = pd.read_csv(path, usecols=["srcIndex", "documentId"])
    return rows.drop_duplicates().set_index("srcIndex")["documentId"]


def load_agreement(*, source: str | Source = "auto") -> pd.DataFrame:
    """Load the agreement of annotators in the README of WMT16's release.

    Returns
    -------
    DataFrame
        Rows as in the README, indexed by kind ("inter", "intra") and task; agreement
        (the share P(A)), kappa, agreeing, comparable (pairs of judgements), ties,
        judgements.
    """
    [path] = _fetched("wmt16", source, r"^README\.md$")
    pair = "([A-Z][a-z]+-[A-Z][a-z]+)"
    numbers = r" +([\d.]+) +[\d.]+ +([\d.]+) +(\d+) +(\d+) +(\d+) +(\d+)"
    lines = re.findall(pair + numbers, path.read_text("utf-8"))
    columns = ["agreement", "kappa", "agreeing", "comparable", "ties", "judgements"]
    kinds = np.repeat(["inter", "intra"], len(lines) // 2)
    tasks = [_language_pair(names) for names, *_ in lines]
    rows = [values for _, *values in lines]
    table = pd.DataFrame(rows, [kinds, tasks], columns, dtype=float)
    return table.rename_axis(["kind", "task"])


def write_embedded(source: str | Source = "auto") -> list[Path]:
    """Write wmtlib/data/counts.csv and tasks.csv from the raw files (`make data`)."""
    campaigns = (*sources.RELATIVE_CAMPAIGNS, *LATER_RELATIVE)
    source = sources.resolve(source, campaigns)
    if source.kind != "raw":
        raise DataUnavailable(
            f"the embedded tables are made from raw files: {source.notice}"
        )
    paths = []
    for name in ("counts", "tasks"):
        path = carried_counts.DATA / f"{name}.csv"
        write_csv(_table_of_all(name, source, campaigns), path)
        paths.append(path)
    return paths
