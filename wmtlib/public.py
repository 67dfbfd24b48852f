"""The counts of public campaigns that the package carries: WMT10-12 and WMT16.

Raw judgement files are read by the study, which is in the repository and in no wheel.
"""

import re
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from os import environ
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.counts import Counts, expand, from_table
from wmtlib.errors import DataError, unknown
from wmtlib.files.judgements import Judgements, count_comparisons, of_comparisons
from wmtlib.files.read import read

CAMPAIGN = re.compile(r"[a-z][\w+-]+:[\w+-]+")
DATA = Path(__file__).with_name("data")
HOW_TO_GET = (
    "is read from raw files by the study: clone the repository, and run make env there"
)


@cache
def carried(name: str) -> pd.DataFrame:
    """Read the table "counts" or "tasks". Copy it before you change it."""
    return pd.read_csv(DATA / f"{name}.csv")


def load_counts(campaign: str, task: str, *, split: str | None = None) -> Counts:
    """Load the wins and ties of one task, the reference included.

    Parameters
    ----------
    campaign : "wmt10", "wmt10-crowd", "wmt11", "wmt12", "wmt16" or "wmt16-it"
    task : str
        Such as "cs-en".
    split : "train", "test", "judged", "identical" or None
        Only that part of the task; None counts everything. Train and test are those of
        Hopkins & May (2013, section 4); in WMT16, ties of identical outputs were not
        judged.

    Raises
    ------
    DataError
        The task is unknown, or it has no such part.

    Examples
    --------
    >>> load_counts("wmt10", "cs-en").comparisons
    5375
    """
    return counts_in(carried("counts"), campaign, task, split)


def counts_in(
    table: pd.DataFrame, campaign: str, task: str, split: str | None = None
) -> Counts:
    """Return the counts of a task from a table of many; see `load_counts`."""
    names = table["campaign"] + ":" + table["task"]
    name = f"{campaign}:{task}"
    rows = table[names == name]
    if rows.empty:
        raise unknown("task", name, names.unique())
    if split is not None:
        rows = rows[rows["split"] == split]
    if rows.empty:
        raise DataError(f"task {task!r} of campaign {campaign!r} has no {split!r} part")
    return from_table(rows)


def is_campaign(source: object) -> bool:
    """Tell the name of a campaign's task, `campaign:task`, from a path or a table."""
    name = str(source)
    return bool(CAMPAIGN.fullmatch(name)) and not Path(name).exists()


def load(source: str | Path | pd.DataFrame) -> Judgements:
    """Load what the commands take: a file, or the name of a campaign's task.

    >>> load("wmt12:cs-en").systems[:2]
    ('cu-bojar', 'jhu-heiro')
    """
    return load_campaign(str(source)) if is_campaign(source) else read(source)


def load_campaign(name: str) -> Judgements:
    """Load the judgements of a campaign's task, as if they were in a file.

    Comparisons are those of the raw files if `$WMTLIB_DATA` is set, else the counts
    that the package carries, which know no judges and segments.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or its judgements are not at hand.

    Examples
    --------
    >>> load_campaign("wmt12:cs-en").systems[:2]
    ('cu-bojar', 'jhu-heiro')
    """
    campaign, _, task = name.partition(":")
    is_carried = campaign in set(carried("tasks")["campaign"])
    if not is_carried or environ.get("WMTLIB_DATA"):
        study = study_campaigns()
        if study is not None:
            return study.load_campaign(name)
    if not is_carried:
        raise DataError(f"{name}: {HOW_TO_GET}")
    comparisons = expand(load_counts(campaign, task))
    return of_campaign(count_comparisons(comparisons, []), name, len(comparisons))


def of_campaign(comparisons: pd.DataFrame, name: str, rows: int) -> Judgements:
    """Return counted comparisons of a campaign's task, as if they were in a file."""
    return of_comparisons(
        comparisons,
        path=name,
        sha256=frame_sha256(comparisons),
        kind="comparisons",
        rows=rows,
        task=name.partition(":")[2],
    )


def frame_sha256(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame, in hex."""
    return sha256(frame.to_csv(index=False).encode()).hexdigest()


def available() -> pd.DataFrame:
    """List every task that can be loaded: name, kind, what there is of it."""
    study = study_campaigns()
    if study is not None:
        return study.available()
    tasks = carried("tasks")
    data = tasks["comparisons"].astype(str) + ", " + tasks["systems"].astype(str)
    return pd.DataFrame(
        {
            "name": tasks["campaign"] + ":" + tasks["task"],
            "kind": "comparisons",
            "data": data + " systems; embedded counts",
        }
    )


def study_campaigns() -> Any:
    """Return the module of the study that reads raw files; None without a checkout."""
    if not find_spec("study") or not find_spec("study.campaigns"):
        return None
    return import_module("study.campaigns")
