"""Published numbers beside ours: the scoreboard.

`wmtlib.study.published` says what a paper prints, `checkability` what of the data is at
hand, and `verdicts` how a value of ours relates to the printed one.
"""

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from wmtlib.study import published
from wmtlib.study.checkability import AtHand, at_hand
from wmtlib.study.releases.sources import Source
from wmtlib.study.releases.storage import write_csv
from wmtlib.study.running.folders import list_written, output_folder
from wmtlib.study.verdicts import STATUSES, Values, judge, judge_claim

SCOREBOARD = [
    *("paper", "id", "item", "quantity", "published", "reproduced", "status", "reason"),
    *("place", "provenance", "criterion", "test", "known", "at_half", "at_twice"),
    *("notebook", "source", "signature"),
]
SCALED = {"at_half": 0.5, "at_twice": 2.0}
SHOWN = ["id", "quantity", "published", "reproduced", "status", "reason"]


def compare(
    paper: str, notebook: str, computed: Values, *, source: Source
) -> pd.DataFrame:
    """Hold every published value of a paper that a notebook computes against ours.

    Parameters
    ----------
    paper : str
        Names `data/published/<paper>.csv`.
    notebook : str
        Which rows of that file are wanted.
    computed : mapping of id to value
        A number, a text, facts, or one of the kinds in `wmtlib.study.verdicts`; under
        plain names facts that all claims share. Rows of other notebooks are ignored.
    source : Source
        Where the data came from.

    Returns
    -------
    DataFrame
        Columns `SCOREBOARD`, in the order of the published file; status is one of
        `verdicts.STATUSES`; at_half and at_twice are the statuses of claims whose test
        uses a word of words.csv, with its threshold at half and at twice its distance
        from where it begins.

    Raises
    ------
    ValueError
        Something was computed that the published file does not name.
    """
    printed = published.load_published(paper)
    shared = {name: fact for name, fact in computed.items() if name.isidentifier()}
    if odd := set(computed) - set(shared) - set(printed["id"]):
        raise ValueError(f"{paper}: computed but not published: {sorted(odd)[0]}")
    printed, follows = printed.query("notebook == @notebook"), published.follows()
    found_by_basis = {
        basis: at_hand(basis, source) for basis in printed["basis"].unique()
    }
    rows = []
    for row in printed.to_dict("records"):
        ours, found = computed.get(row["id"]), found_by_basis[row["basis"]]
        value, status, reason = _judged(row, ours, shared, found)
        if status in ("exact", "rounded") and row["id"] in follows:
            status, reason = (
                "follows",
                "; ".join(filter(None, (reason, follows[row["id"]]))),
            )
        scaled = dict.fromkeys(SCALED, "")
        if any(re.search(rf"\b{word}\b", row["test"]) for word in published.words()):
            scaled = {
                n: _judged(row, ours, shared, found, f)[1] for n, f in SCALED.items()
            }
        if others := sorted({*scaled.values()} - {"", status}):
            reason += f"; open to reading: {' or '.join(others)} at half or twice the threshold"
        row |= {
            "paper": paper,
            "reproduced": value,
            "status": status,
            "reason": reason,
        } | scaled
        row |= {
            "source": source.kind,
            "signature": signature(f"{paper}/{row['item']}", source),
        }
        rows.append(row)
    return pd.DataFrame(rows, columns=SCOREBOARD)


def _judged(
    row: Mapping[str, str],
    ours: object,
    shared: Values,
    found: AtHand,
    factor: float = 1.0,
) -> tuple[str, str, str]:
    """`judge` of a row, the words of its test taken at a multiple of their thresholds."""
    if row["test"]:
        ours = judge_claim(row, {**shared, **published.words(factor), **(ours or {})})
    return judge(row["published"], row["criterion"], row["basis"], ours, found)


def show(
    paper: str, notebook: str, computed: Values, *, source: Source
) -> pd.DataFrame:
    """Compare, keep this notebook's part of the scoreboard, and return it as a reader wants it.

    Returns
    -------
    DataFrame
        Columns `SHOWN`.
    """
    board = compare(paper, notebook, computed, source=source)
    save_scoreboard(board, notebook, source)
    return board[SHOWN]


def signature(item: str, source: Source) -> str:
    """What a result depends on: item, data and their hash, versions."""
    parts = [item, f"data={source.kind}:{source.sha256}"]
    parts += [
        f"{package}={version(package)}" for package in ("wmtlib", "numpy", "scipy")
    ]
    return "|".join(parts)


def summary(scoreboard: pd.DataFrame) -> pd.DataFrame:
    """Number of rows by kind and status; kinds are never added up.

    Returns
    -------
    DataFrame
        Columns kind ("numbers", "arithmetic", "claims"), status, rows; those that
        occur.
    """
    arithmetic, claims = (
        scoreboard["status"] == "arithmetic",
        scoreboard["criterion"] != "",
    )
    kind = np.select([arithmetic, claims], ["arithmetic", "claims"], "numbers")
    kinds = pd.Categorical(kind, ["numbers", "arithmetic", "claims"])
    statuses = pd.Categorical(scoreboard["status"], [*STATUSES])
    table = scoreboard.assign(kind=kinds, status=statuses)
    return (
        table.groupby(["kind", "status"], observed=True)
        .size()
        .rename("rows")
        .reset_index()
    )


def summary_line(board: pd.DataFrame) -> str:
    """How many rows of each status there are, kind by kind, in a line."""
    counted = summary(board)
    each = counted["rows"].astype(str) + " " + counted["status"].astype(str)
    by_kind = each.groupby(counted["kind"], observed=True).agg(", ".join)
    return "; ".join(f"{kind}: {text}" for kind, text in by_kind.items())


def save_table(table: pd.DataFrame, name: str, source: Source) -> None:
    """Write results/<name>.csv, numbers to six decimals, below the folder the source allows."""
    path = output_folder(source, committed=True) / "results" / f"{name}.csv"
    write_csv(table.round(6), path)
    list_written(path)


def save_scoreboard(scoreboard: pd.DataFrame, notebook: str, source: Source) -> None:
    """Keep one notebook's part of the scoreboard until `join_scoreboards` puts them together."""
    path = output_folder(source, committed=False) / "scoreboard" / f"{notebook}.csv"
    write_csv(scoreboard, path)
    list_written(path)


def join_scoreboards(folder: Path) -> pd.DataFrame:
    """The scoreboard, from the parts that the notebooks left in a folder.

    The rows stand in the order of the published files; one that no notebook gave is
    unexplained.
    """
    parts = [folder / f"{name}.csv" for name in published.notebooks()]
    tables = [
        pd.read_csv(p, dtype=str, keep_default_na=False) for p in parts if p.exists()
    ]
    found = pd.concat([pd.DataFrame(columns=SCOREBOARD), *tables], ignore_index=True)
    every = pd.concat(
        [published.load_published(p).assign(paper=p) for p in published.papers()],
        ignore_index=True,
    )
    keys = [name for name in SCOREBOARD if name in every]
    joined = every[keys].merge(found, on=keys, how="left", validate="one_to_one")
    missing = joined["status"].isna()
    joined.loc[missing, ["status", "reason"]] = [
        "unexplained",
        "no notebook computed a value",
    ]
    return joined.fillna("")[SCOREBOARD]
