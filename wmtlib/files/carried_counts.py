"""The counts of public campaigns that the package carries: WMT10-12 and WMT16.

Raw judgement files are read by the study, which is in the repository and in no wheel:
`python -m study rank wmt22:de-en`.
"""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import pandas as pd

from wmtlib.core.counts import Counts, expand, from_table
from wmtlib.core.errors import DataError, unknown, warning
from wmtlib.files.judgements import Judgements, count_comparisons, of_comparisons
from wmtlib.files.read import read

CAMPAIGN = re.compile(r"[a-z][\w+-]+:[\w+-]+")
DATA = Path(__file__).parents[1] / "data"
STUDY = "python -m study"  # its commands read raw files


@cache
def table(name: str) -> pd.DataFrame:
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
    return counts_in(table("counts"), campaign, task, split)


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
    """Load the counts of a campaign's task, as if they were in a file.

    These are the counts that the package carries. They know no judges and no segments,
    which their first warning says.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or the package carries no counts of it.

    Examples
    --------
    >>> load_campaign("wmt12:cs-en").systems[:2]
    ('cu-bojar', 'jhu-heiro')
    """
    campaign, _, task = name.partition(":")
    if campaign not in set(table("tasks")["campaign"]):
        raise DataError(
            f"{name}: not one of the campaigns that the package carries; those of raw"
            f" files, in a checkout of the repository: {STUDY} rank {name}"
        )
    comparisons = expand(load_counts(campaign, task))
    step = f"in a checkout of the repository, {STUDY} rank {name} reads the raw files"
    return of_campaign(
        count_comparisons(comparisons, []), name, len(comparisons), carried_only(step)
    )


def carried_only(step: str) -> str:
    """Return the warning that counts which the package carries were loaded."""
    fault = "the counts that the package carries know no judges and no sentences"
    return warning("carried_counts", f"{fault}; {step}")


def of_campaign(
    comparisons: pd.DataFrame, name: str, rows: int, *warnings: str
) -> Judgements:
    """Return counted comparisons of a campaign's task, as if they were in a file."""
    return of_comparisons(
        comparisons,
        path=name,
        sha256=frame_sha256(comparisons),
        kind="comparisons",
        rows=rows,
        task=name.partition(":")[2],
        warnings=warnings,
    )


def frame_sha256(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of a frame, in hex."""
    return sha256(frame.to_csv(index=False).encode()).hexdigest()


def available() -> pd.DataFrame:
    """List every task whose counts are carried: name, kind, what there is of it."""
    tasks = table("tasks")
    data = tasks["comparisons"].astype(str) + ", " + tasks["systems"].astype(str)
    return pd.DataFrame(
        {
            "name": tasks["campaign"] + ":" + tasks["task"],
            "kind": "comparisons",
            "data": data + " systems; embedded counts",
        }
    )
