"""WMT16's relative rankings: 12 language pairs of news in XML, 5 of the IT task as comparisons.

Outputs that were identical were judged once. The XML says so; the official tables give each of
their systems the rank, so that one judgement becomes a comparison of every pair of systems, and
identical outputs become ties that nobody judged.
"""

import gzip
import re

import numpy as np
import pandas as pd

from wmtlib import counts as relative_rankings
from wmtlib.counts import COMPARISONS, RANKINGS, pseudonyms
from wmtlib.errors import DataUnavailable, Origin, require_columns
from wmtlib.study.releases.ranking_xml import JOINS, read_ranking_xml
from wmtlib.study.releases.sources import PublicFile, Source, fetch, public_files, resolve

CODES = {  # of languages, in the files
    **{"bul": "bg", "cze": "cs", "deu": "de", "eng": "en", "esn": "es", "eus": "eu"},
    **{"fin": "fi", "nld": "nl", "ptb": "pt", "ron": "ro", "rus": "ru", "tur": "tr"},
}
PAIRWISE = (
    *("srclang", "trglang", "srcIndex", "judgeID", "rankingID"),
    *("system1Id", "system1rank", "system2Id", "system2rank"),
)
OUTCOME = re.compile(r"(\S+) (-?[0-9.]+) \(([0-9]+)\.0, ([0-9]+)\.0\)")


def load_rankings(campaign: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """All rankings of WMT16, one row per ranked output.

    Parameters
    ----------
    campaign : "wmt16" or "wmt16-it"

    Returns
    -------
    DataFrame
        `relative_rankings.RANKINGS`; task such as "de-en"; systems such as "uedin-nmt.4313",
        without the test set and the language pair of the file. In "wmt16", systems with identical
        outputs are one output, their sorted names joined by `JOINS`; the files of "wmt16-it" do
        not tell which outputs were identical.

    Raises
    ------
    DataUnavailable
        The source does not have the single rankings.
    """
    if campaign == "wmt16":
        ((path, _),) = _fetched(campaign, source, r"\.xml\.gz$")
        with gzip.open(path) as file:
            outputs = read_ranking_xml(file, Origin(path))
        return tidy_rankings(outputs.rename(columns={"systems": "system"}))
    files = _fetched(campaign, source, r"\.csv$")
    tables = pd.concat([read_pairwise(path) for path, _ in files])
    return tidy_rankings(tables.assign(ranking=tables["task"] + tables["ranking"]))


def read_pairwise(path: str) -> pd.DataFrame:
    """The rankings in a file of the official pairwise format of WMT13-16.

    Returns
    -------
    DataFrame
        task ("deu-eng"), ranking and judge (both as released), segment, system, rank.

    Raises
    ------
    DataError
        A column is missing, or the comparisons are not all pairs of the outputs of each ranking.
    """
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    origin = Origin(path)
    require_columns([*table.columns], [*PAIRWISE], origin)
    task = table["srclang"] + "-" + table["trglang"]
    units = {"rankingID": "ranking", "srcIndex": "segment", "judgeID": "judge"}
    sides = [
        table.rename(columns={**units, f"system{k}Id": "system", f"system{k}rank": "rank"})
        for k in (1, 2)
    ]
    both = pd.concat([side.assign(task=task)[RANKINGS] for side in sides])
    outputs = both.drop_duplicates().sort_values(["ranking", "system"], ignore_index=True)
    size = outputs.groupby("ranking").size()
    twice = outputs.duplicated(["ranking", "system"]).any()
    if twice or (size * (size - 1) // 2).sum() != len(table):
        raise origin.refuse(None, "expected every pair of the outputs of each ranking once")
    return outputs


def tidy_rankings(outputs: pd.DataFrame) -> pd.DataFrame:
    """Ranked outputs with short names, as `relative_rankings.RANKINGS`."""
    names = outputs["system"].astype("category")
    short = {name: _short(name) for name in names.cat.categories}
    languages = {task: language_pair(task) for task in outputs["task"].unique()}
    return pd.DataFrame(
        {
            "task": outputs["task"].map(languages).astype("category"),
            "ranking": pd.factorize(outputs["ranking"])[0].astype(np.int32),
            "segment": outputs["segment"].astype(np.int32),
            "judge": pseudonyms(outputs["judge"]),
            "system": names.map(short).astype("category"),
            "rank": outputs["rank"].astype(np.int8),
        }
    ).reset_index(drop=True)


def _short(names: str) -> str:
    """Names of systems without the test set before them and the language pair after them."""
    cut = [
        re.sub(r"^(newstest|it-test)2016\.|\.\w\w-\w\w$", "", name) for name in names.split(JOINS)
    ]
    return JOINS.join(sorted(cut))


def language_pair(task: str) -> str:
    """ "de-en" for "deu-eng"."""
    return "-".join(CODES[language] for language in task.split("-"))


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """The official comparisons: of every pair of systems, those with identical outputs too.

    Returns
    -------
    DataFrame
        Columns `relative_rankings.COMPARISONS` and identical: whether the two outputs were one
        text, so that the tie was not judged.
    """
    judged = relative_rankings.comparisons(rankings).assign(identical=False)
    for column in ("system_1", "system_2"):
        judged[column] = judged[column].astype(str).str.split(JOINS)
        judged = judged.explode(column, ignore_index=True)
    joint = rankings[rankings["system"].astype(str).str.contains(JOINS)]
    parts = joint.assign(system=joint["system"].astype(str).str.split(JOINS)).explode("system")
    same = relative_rankings.comparisons(parts.assign(ranking=parts.index))
    same = same.assign(ranking=rankings["ranking"].to_numpy()[same["ranking"]], identical=True)
    both = pd.concat([judged, same]).sort_values("ranking", kind="stable", ignore_index=True)
    names = both[["system_1", "system_2"]].astype("category")
    return both.assign(**names, task=both["task"].astype("category"))[[*COMPARISONS, "identical"]]


def load_outcome(campaign: str, task: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """The official outcome of a task, best system first.

    Parameters
    ----------
    campaign : "wmt16" (12 tasks) or "wmt16-it" (7 tasks, 5 of them with public comparisons)

    Returns
    -------
    DataFrame
        system; score (mean of TrueSkill's mean ability over the organisers' runs); first_rank,
        last_rank (the rank range that is left after the tails are cut); cluster (from 1).

    Raises
    ------
    DataError
        The file is not such an outcome.
    DataUnavailable
        There is no such task, or the source does not have it.
    """
    for path, group in _fetched(campaign, source, r"\.txt$"):
        if group == task:
            return read_outcome(path)
    raise DataUnavailable(f"{campaign}: no official outcome of {task!r} is public")


def read_outcome(path: str) -> pd.DataFrame:
    """The official outcome in a file: see `load_outcome`."""
    rows, cluster = [], 1
    with open(path, encoding="utf-8") as file:
        for line, text in enumerate(map(str.strip, file), 1):
            if text.startswith("++"):
                cluster += 1
            elif found := OUTCOME.fullmatch(text):
                system, score, *ranks = found.groups()
                rows.append((_short(system), float(score), *map(int, ranks), cluster))
            else:
                expected = "expected system, score and (rank, rank), or ++++"
                raise Origin(path).refuse_line(line, expected)
    columns = ["system", "score", "first_rank", "last_rank", "cluster"]
    return pd.DataFrame(rows, columns=columns)


def _fetched(campaign: str, source: str | Source, pattern: str) -> list[tuple[str, str]]:
    """Local path and task of each public file of a campaign whose path fits a pattern."""
    source = resolve(source, [campaign])
    if source.kind == "embedded":
        raise DataUnavailable(f"{campaign}: the embedded data hold counts only, no single rankings")
    files: list[PublicFile] = public_files(campaign, pattern=pattern)
    return [(str(fetch(file, source.route, source.folder)), file.group) for file in files]
