"""The relative rankings of WMT10-12 and WMT16: rankings, comparisons and counts of every task.

In WMT16, outputs that were identical were judged once. The XML of the news task says
so; the official tables, the only form of the IT task, give each of their systems the
rank, so that one judgement becomes a comparison of every pair of systems, and identical
outputs become ties that nobody judged.
"""

import gzip
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.counts import COMPARISONS, RANKINGS, REFERENCE, Counts
from wmtlib.errors import DataError, DataUnavailable, Origin
from wmtlib.study.releases import sources
from wmtlib.study.releases.sources import (
    DATA,
    Source,
    local_files,
    public_files,
    resolve,
)
from wmtlib.study.releases.storage import write_csv
from wmtlib.study.running import keep
from wmtlib.yours.reading import wmt_format
from wmtlib.yours.reading.wmt_format import WMT_COLUMNS, pseudonyms

COUNTS = [
    "campaign",
    "task",
    "split",
    "system_1",
    "system_2",
    "wins_1",
    "wins_2",
    "ties",
]
TEST_SIZE = (
    2000  # comparisons that a test set has at least (Hopkins & May 2013, section 4)
)
JOINS = ","  # between the systems whose outputs were identical, in WMT16
LANGUAGE_CODES = {
    **{
        "Basque": "eu",
        "Bulgarian": "bg",
        "Czech": "cs",
        "Dutch": "nl",
        "English": "en",
    },
    **{
        "Finnish": "fi",
        "French": "fr",
        "German": "de",
        "Haitian Creole (Clean)": "ht-clean",
    },
    **{
        "Haitian Creole (Raw)": "ht-raw",
        "Portuguese": "pt",
        "Romanian": "ro",
        "Russian": "ru",
    },
    **{"Spanish": "es", "Turkish": "tr", "Urdu": "ur"},
}
CODES = {  # of languages, in the files of WMT16
    **{"bul": "bg", "cze": "cs", "deu": "de", "eng": "en", "esn": "es", "eus": "eu"},
    **{"fin": "fi", "nld": "nl", "ptb": "pt", "ron": "ro", "rus": "ru", "tur": "tr"},
}


# --- single rankings ------------------------------------------------------------------


def load_rankings(campaign: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """All rankings of a campaign, one row per ranked output.

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
    later = {"wmt16": _read_xml, "wmt16-it": _read_pairwise}
    readers = dict.fromkeys(sources.RELATIVE_CAMPAIGNS, _read_rankings) | later
    if campaign not in readers or not public_files(campaign):
        known = ", ".join(filter(public_files, readers))
        raise DataError(f"no campaign {campaign!r}; known are {known}")
    pattern = (
        r"\.xml\.gz$" if campaign == "wmt16" else r"\.csv$"
    )  # some of its pairs are CSV, too
    return readers[campaign](_fetched(campaign, source, pattern))


def _fetched(
    campaign: str, source: str | Source, pattern: str
) -> list[tuple[Path, str]]:
    """Local path and group of each public file of a campaign whose path fits a pattern."""
    instead = f"{campaign}: the embedded data hold counts only, no single rankings"
    files = local_files(public_files(campaign, pattern=pattern), source, instead)
    return [(path, file.group) for file, path in files.items()]


def _read_rankings(files: list[tuple[Path, str]]) -> pd.DataFrame:
    """The rankings of WMT10-12: one line for each, with up to five outputs."""
    options = {"dtype": str, "keep_default_na": False, "usecols": WMT_COLUMNS}
    tables = [pd.read_csv(path, **options) for path, _ in files]
    group = np.repeat(
        [group.partition(" ")[0] for _, group in files], [*map(len, tables)]
    )
    tidy = wmt_format.tidy_rankings(pd.concat(tables, ignore_index=True), Origin("WMT"))
    pairs = {pair: _coded(pair) for pair in tidy["task"].cat.categories}
    task = tidy["task"].map(pairs).astype(str) + "-" + group[tidy["ranking"]]
    return tidy.assign(task=task.str.removesuffix("-").astype("category"))


def _read_xml(files: list[tuple[Path, str]]) -> pd.DataFrame:
    """The rankings of WMT16's news task.

    A HIT of a language pair holds ranking tasks (one segment each), those hold results
    (one judge each; some are empty), those hold up to five translations. A translation
    names several systems where their outputs were identical.
    """
    rows, ranking = [], 0
    for path, _ in files:
        with gzip.open(path) as file:
            tree = ElementTree.parse(file)
        for hit in tree.iter("HIT"):
            task = f"{hit.get('source-language')}-{hit.get('target-language')}"
            for segment in hit.iter("ranking-task"):
                for result in segment.iter("ranking-result"):
                    ranking += 1
                    about = task, ranking, segment.get("id"), result.get("user")
                    rows += [(*about, t.get("system"), t.get("rank")) for t in result]
    return _of_wmt16(pd.DataFrame(rows, columns=RANKINGS))


def _read_pairwise(files: list[tuple[Path, str]]) -> pd.DataFrame:
    """The rankings of WMT16's IT task, from the official pairwise format of WMT13-16."""
    tables = [pd.read_csv(path, dtype=str, keep_default_na=False) for path, _ in files]
    table = pd.concat(tables, ignore_index=True)
    table["task"] = table["srclang"] + "-" + table["trglang"]
    table["ranking"] = table["task"] + table["rankingID"]
    units = {"srcIndex": "segment", "judgeID": "judge"}
    sides = [
        table.rename(
            columns=units | {f"system{k}Id": "system", f"system{k}rank": "rank"}
        )[RANKINGS]
        for k in (1, 2)
    ]
    outputs = pd.concat(sides).drop_duplicates()
    outputs = outputs.sort_values(["ranking", "system"], ignore_index=True)
    return _of_wmt16(outputs)


def _of_wmt16(outputs: pd.DataFrame) -> pd.DataFrame:
    """Ranked outputs of WMT16 with short names and without judges' names, as `RANKINGS`."""
    names = outputs["system"].astype("category")
    short = {name: _short(name) for name in names.cat.categories}
    tasks = {task: _coded(task) for task in outputs["task"].unique()}
    return pd.DataFrame(
        {
            "task": outputs["task"].map(tasks).astype("category"),
            "ranking": pd.factorize(outputs["ranking"])[0].astype(np.int32),
            "segment": outputs["segment"].astype(np.int32),
            "judge": pseudonyms(outputs["judge"]),
            "system": names.map(short).astype("category"),
            "rank": outputs["rank"].astype(np.int8),
        }
    )


def _coded(pair: str) -> str:
    """A language pair such as "de-en", from "German,English" or "deu-eng"."""
    return "-".join(
        LANGUAGE_CODES.get(name) or CODES[name] for name in re.split("[,-]", pair)
    )


def _short(names: str) -> str:
    """Names of systems without the test set before them and the language pair after them."""
    around = r"^(newstest|it-test)2016\.|\.\w\w-\w\w$"
    return JOINS.join(sorted(re.sub(around, "", name) for name in names.split(JOINS)))


# --- comparisons ----------------------------------------------------------------------


def official_comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """The official comparisons of WMT16: of every pair of systems, with identical outputs too.

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
    joint = rankings[rankings["system"].astype(str).str.contains(JOINS)]
    parts = joint.assign(system=joint["system"].astype(str).str.split(JOINS)).explode(
        "system"
    )
    same = counting.comparisons(parts.assign(ranking=parts.index))
    same = same.assign(
        ranking=rankings["ranking"].to_numpy()[same["ranking"]], identical=True
    )
    both = pd.concat([judged, same]).sort_values(
        "ranking", kind="stable", ignore_index=True
    )
    both = both.astype(dict.fromkeys(["task", "system_1", "system_2"], "category"))
    return both[[*COMPARISONS, "identical"]]


def hopkins_test_split(
    comparisons: pd.DataFrame, *, at_least: int = TEST_SIZE
) -> np.ndarray:
    """Whether each comparison of a track is in its test set (Hopkins & May 2013, section 4).

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
    """Each comparison's part of its task: "train", "test", "judged", "identical" or "none".

    The tracks of Hopkins & May (2013), which have a training and a test set, are the
    eight language pairs of WMT10, WMT11 (individual systems) and WMT12. The crowd's
    judgements of WMT10 are for training alone. What is too small to split is not split.
    In WMT16, a tie is "identical" if the two outputs were one text, so that nobody
    judged it; the files of the IT task do not tell.
    """
    if campaign == "wmt10-crowd":
        return np.repeat("train", len(comparisons))
    if campaign == "wmt16":
        return np.where(comparisons["identical"], "identical", "judged")
    outside = campaign == "wmt11" and (
        task.startswith("ht-") or not task.endswith("individual")
    )
    if outside or campaign == "wmt16-it" or len(comparisons) < TEST_SIZE:
        return np.repeat("none", len(comparisons))
    return np.where(hopkins_test_split(comparisons), "test", "train")


# --- what each task holds -------------------------------------------------------------


@lru_cache
def _comparisons(campaign: str, source: Source) -> pd.DataFrame:
    """All comparisons of a campaign; a caller gets copies of parts of it only."""
    compare = (
        official_comparisons
        if campaign in sources.LATER_RELATIVE
        else counting.comparisons
    )
    pinned = sources.pinned(campaign)
    read = partial(load_rankings, campaign, source=source)
    return keep.result("comparisons", pinned, lambda: compare(read()))


@lru_cache
def _tables(campaign: str, source: Source) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A campaign's counts and its tasks, computed from raw files or read as embedded."""
    if source.kind == "embedded" or not public_files(campaign):  # unknown: no rows
        tables = (pd.read_csv(DATA / name) for name in ("counts.csv", "tasks.csv"))
        return tuple(table[table["campaign"] == campaign] for table in tables)
    pinned = sources.pinned(campaign)
    return keep.result("ranking-tables", pinned, _tables_of_rankings, campaign, source)


def _tables_of_rankings(
    campaign: str, source: Source
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The counts and the tasks of a campaign, computed from raw files.

    A task is described as in Lopez (2012), Table 1: systems exclude the reference,
    comparisons include it.
    """
    counted, described = [], []
    of_task = _comparisons(campaign, source).groupby("task", observed=True)
    for task, part in load_rankings(campaign, source=source).groupby(
        "task", observed=True
    ):
        rows = of_task.get_group(task)
        for split, some in rows.groupby(splits(campaign, task, rows)):
            table = counting.to_table(counting.count(some))
            counted.append(table.assign(campaign=campaign, task=task, split=split))
        counts = counting.count(rows)
        row = {"campaign": campaign, "task": task}
        row |= {
            f"{unit}s": part[unit].nunique() for unit in ("judge", "segment", "ranking")
        }
        row["systems"] = len(counts.without(REFERENCE).systems)
        described.append(row | {"comparisons": counts.comparisons})
    return pd.concat(counted, ignore_index=True)[COUNTS], pd.DataFrame(described)


def _tables_together(source: Source, campaigns: Sequence[str]) -> list[pd.DataFrame]:
    """The counts and the tasks of several campaigns."""
    parts = [_tables(campaign, source) for campaign in filter(public_files, campaigns)]
    return [pd.concat(tables, ignore_index=True) for tables in zip(*parts, strict=True)]


def tasks(
    source: str | Source = "auto", campaigns: Sequence[str] = sources.RELATIVE_CAMPAIGNS
) -> pd.DataFrame:
    """Every task: campaign, task, judges, segments, rankings, systems, comparisons.

    A task is what was ranked together: a language pair, in WMT11 split into individual
    systems and system combinations. Those of the papers, or of the campaigns that are
    named.
    """
    return _tables_together(resolve(source, campaigns), campaigns)[1]


def label(campaign: str, task: str) -> str:
    """A task's name as the paper prints it, e.g. "2011 Czech-English syscomb"."""
    names = {code: name for name, code in LANGUAGE_CODES.items()}
    source, target, group = re.fullmatch(r"(ht-\w+|\w+)-(\w+)(?:-(\w+))?", task).groups(
        default=""
    )
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
    table = _tables(campaign, _resolved(campaign, source))[0]
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
        From raw files `counts.COMPARISONS`, as shown to the judges. From embedded
        counts only system_1, system_2 (in order of name) and preference.
    """
    source = _resolved(campaign, source)
    counts = load_counts(
        campaign, task, source=source, split=split
    )  # refuses unknown tasks
    if source.kind == "embedded":
        return counting.expand(counts)
    rows = _comparisons(campaign, source)
    rows = rows[rows["task"] == task].reset_index(drop=True)
    taken = (
        np.ones(len(rows), bool)
        if split is None
        else splits(campaign, task, rows) == split
    )
    return rows.loc[taken, COMPARISONS].reset_index(drop=True)


def _resolved(campaign: str, source: str | Source) -> Source:
    """The source of a campaign: one for those of the papers, one for those of WMT16."""
    later = campaign in sources.LATER_RELATIVE
    return resolve(
        source, sources.LATER_RELATIVE if later else sources.RELATIVE_CAMPAIGNS
    )


def load_outcome(
    campaign: str, task: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """The official outcome of a task of WMT16, best system first.

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
    paths = [
        path for path, group in _fetched(campaign, source, r"\.txt$") if group == task
    ]
    if not paths:
        raise DataUnavailable(f"{campaign}: no official outcome of {task!r} is public")
    clusters = re.split(r"^\++$", paths[0].read_text("utf-8"), flags=re.MULTILINE)
    rows = [
        (_short(system), float(score), int(first), int(last), cluster)
        for cluster, part in enumerate(clusters, 1)
        for system, score, first, last in re.findall(
            r"(\S+) (\S+) \((\d+)\.0, (\d+)\.0\)", part
        )
    ]
    return pd.DataFrame(
        rows, columns=["system", "score", "first_rank", "last_rank", "cluster"]
    )


def load_documents(*, source: str | Source = "auto") -> pd.Series:
    """The document of every judged segment of WMT10's test set (index), as the release names it."""
    ((path, _),) = _fetched("wmt10", source, r"\.csv$")
    rows = pd.read_csv(path, usecols=["srcIndex", "documentId"])
    return rows.drop_duplicates().set_index("srcIndex")["documentId"]


def load_agreement(*, source: str | Source = "auto") -> pd.DataFrame:
    """The agreement of annotators that the README of WMT16's release prints, in its order of rows.

    Returns
    -------
    DataFrame
        Index kind ("inter", "intra"), task; agreement (the share P(A)), kappa,
        agreeing, comparable (pairs of judgements), ties, judgements.
    """
    ((path, _),) = _fetched("wmt16", source, r"^README\.md$")
    line = r"([A-Z][a-z]+-[A-Z][a-z]+) +([\d.]+) +[\d.]+ +([\d.]+) +(\d+) +(\d+) +(\d+) +(\d+)"
    lines = re.findall(line, path.read_text("utf-8"))
    tasks = ["-".join(map(LANGUAGE_CODES.get, pair.split("-"))) for pair, *_ in lines]
    kinds = np.repeat(["inter", "intra"], len(lines) // 2)
    table = pd.DataFrame(
        [numbers for _, *numbers in lines], index=[kinds, tasks], dtype=float
    )
    table.columns = [
        "agreement",
        "kappa",
        "agreeing",
        "comparable",
        "ties",
        "judgements",
    ]
    return table.rename_axis(["kind", "task"])


def write_embedded(source: str | Source = "auto") -> list[Path]:
    """Write wmtlib/data/counts.csv and tasks.csv from the raw files (`make data`)."""
    campaigns = (*sources.RELATIVE_CAMPAIGNS, *sources.LATER_RELATIVE)
    source = resolve(source, campaigns)
    if source.kind != "raw":
        raise DataUnavailable(
            f"the embedded tables are made from raw files: {source.notice}"
        )
    paths = [DATA / "counts.csv", DATA / "tasks.csv"]
    for table, path in zip(_tables_together(source, campaigns), paths, strict=True):
        write_csv(table, path)
    return paths
