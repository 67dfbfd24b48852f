"""Published numbers beside ours: the scoreboard.

`published` says what a paper prints and what of the data is at hand, and `verdicts` how
a value of ours relates to the printed one.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study.data.outputs import output_file, output_folder
from study.data.sources import Source
from study.data.storage import write_csv
from study.scoreboard import published
from study.scoreboard.verdicts import Values, Verdict, join_remarks, judge, judge_claim
from wmtlib.report.signature import signature_of

SCOREBOARD = [
    "paper",
    "id",
    "item",
    "quantity",
    "published",
    "reproduced",
    "status",
    "reason",
    "place",
    "provenance",
    "criterion",
    "test",
    "known",
    "at_half",
    "at_twice",
    "all_tests",
    "notebook",
    "source",
    "signature",
]
SHOWN = ["id", "quantity", "published", "reproduced", "status", "reason"]
DIFFERING = (
    "known-difference",
    "holds-partly",
    "does-not-hold",
    "undecided",
    "unexplained",
)


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
        A number, a text, facts, or one of the kinds in `verdicts`; under
        plain names facts that all claims share. Other ids are ignored.
    source : Source
        Where the data came from.

    Returns
    -------
    DataFrame
        Columns `SCOREBOARD`, in the order of the published file; status is one of
        statuses.csv; at_half and at_twice are the statuses of claims whose test
        uses a word of words.csv, with its threshold at half and at twice its distance
        from where it begins; all_tests that of claims with a p, by Bonferroni's bound
        for the tests of all claims (`published.bonferroni`).
    """
    printed = published.load_published(paper)
    printed = printed.query("notebook == @notebook")
    follows = published.lookup("follows")
    available = {
        basis: published.at_hand(basis, source) for basis in printed["basis"].unique()
    }
    words = published.words()
    # Other thresholds, and the words of a test that it is judged with them for.
    any_word = rf"\b({'|'.join(words)})\b"
    other_readings = {
        "at_half": (any_word, published.words(0.5)),
        "at_twice": (any_word, published.words(2.0)),
        "all_tests": (r"\bSIGNIFICANT\b", published.bonferroni()),
    }

    def judged(row: Mapping[str, str], thresholds: Mapping[str, float]) -> Verdict:
        """Judge a row, with these thresholds of its words."""
        ours: Any = computed.get(row["id"])
        if row["test"]:
            ours = judge_claim(row, {**computed, **thresholds, **(ours or {})})
        return judge(row["published"], row["basis"], ours, available[row["basis"]])

    rows = []
    for row in printed.to_dict("records"):
        value, status, reason = judged(row, words)
        if row["id"] in follows and status != "not-checkable":
            status = "follows" if status in ("exact", "rounded") else status
            reason = join_remarks(reason, follows[row["id"]])
        others = {
            name: judged(row, thresholds)[1] if re.search(used, row["test"]) else ""
            for name, (used, thresholds) in other_readings.items()
        }
        if differing := {others["at_half"], others["at_twice"]} - {"", status}:
            readings = " or ".join(sorted(differing))
            reason += f"; open to reading: {readings} at half or twice the threshold"
        verdict = {
            "paper": paper,
            "reproduced": value,
            "status": status,
            "reason": reason,
            "source": source.kind,
            "signature": signature(f"{paper}/{row['item']}", source),
        }
        rows.append(row | verdict | others)
    return pd.DataFrame(rows, columns=SCOREBOARD)


def show(
    paper: str, notebook: str, computed: Values, *, source: Source
) -> pd.DataFrame:
    """Compare, keep this notebook's part of the scoreboard, and return it for readers.

    Returns
    -------
    DataFrame
        Columns `SHOWN`.
    """
    board = compare(paper, notebook, computed, source=source)
    save_scoreboard(board, notebook, source)
    return board[SHOWN]


def differing(board: pd.DataFrame) -> pd.DataFrame:
    """Fold a scoreboard to the rows that are not as printed, by id.

    Left out are equal numbers, claims that hold, and what cannot be checked.
    """
    return board[board["status"].isin(DIFFERING)].set_index("id")


def signature(item: str, source: Source) -> str:
    """Write what a result depends on: item, data and their hash, versions."""
    return signature_of(item, data=f"{source.kind}:{source.sha256}")


def summary(scoreboard: pd.DataFrame) -> pd.DataFrame:
    """Count rows by kind and status; kinds are never added up.

    Returns
    -------
    DataFrame
        Columns kind ("numbers", "arithmetic", "claims"), status, rows; those that
        occur.
    """
    is_arithmetic = scoreboard["status"] == "arithmetic"
    is_claim = scoreboard["criterion"] != ""
    kind = np.select([is_arithmetic, is_claim], ["arithmetic", "claims"], "numbers")
    kinds = pd.Categorical(kind, ["numbers", "arithmetic", "claims"])
    statuses = pd.Categorical(scoreboard["status"], [*published.lookup("statuses")])
    table = pd.DataFrame({"kind": kinds, "status": statuses})
    return table.groupby([*table], observed=True).size().reset_index(name="rows")


def summary_line(board: pd.DataFrame) -> str:
    """Say in a line how many rows of each status there are, kind by kind."""
    table = summary(board)
    numbers = table["rows"].astype(str) + " " + table["status"].astype(str)
    by_kind = numbers.groupby(table["kind"], observed=True).agg(", ".join)
    return "; ".join(f"{kind}: {text}" for kind, text in by_kind.items())


def came_out(board: pd.DataFrame) -> str:
    """Say in a sentence how many of the numbers that can be recomputed come out."""
    counted = board["status"].value_counts()
    equal = counted.get("exact", 0) + counted.get("rounded", 0)
    slips = counted.get("known-difference", 0)
    said = (
        f"Of {equal + slips} printed numbers that can be recomputed one by one,"
        f" {equal} come out"
    )
    if slips:
        said += f"; a slip of print explains each of the other {slips}"
    return f"{said}."


def print_verdict(board: pd.DataFrame, source: Source) -> int:
    """Print the summary and every unexplained row; return 0 if there is none."""
    print(f"\nPublished values, from {source.kind} data")
    for words in summary_line(board).split("; "):
        print(words.capitalize())
    print(f"\n{came_out(board)}")
    unexplained = board[board["status"] == "unexplained"]
    for row in unexplained.itertuples():
        print(
            f"UNEXPLAINED {row.paper} {row.item}, {row.quantity}:"
            f" published {row.published}, reproduced {row.reproduced} {row.reason}",
            file=sys.stderr,
        )
    return int(len(unexplained) > 0)


def save_table(table: pd.DataFrame, name: str, source: Source) -> None:
    """Write results/<name>.csv, numbers to six decimals, where the source allows it."""
    write_csv(table.round(6), output_file(f"results/{name}.csv", source))


def save_scoreboard(scoreboard: pd.DataFrame, notebook: str, source: Source) -> None:
    """Keep one notebook's part of the scoreboard for `join_scoreboards`."""
    path = output_folder(source, committed=False) / "scoreboard" / f"{notebook}.csv"
    write_csv(scoreboard, path)


def join_scoreboards(folder: Path) -> pd.DataFrame:
    """Join the scoreboard from the parts that the notebooks left in a folder.

    The rows are in the order of the published files; one that no notebook gave is
    unexplained.
    """
    tables = [
        pd.read_csv(path, dtype=str, keep_default_na=False)
        for path in folder.glob("*.csv")
    ]
    computed = pd.concat([pd.DataFrame(columns=SCOREBOARD), *tables])
    printed = published.load_all()
    keys = [name for name in SCOREBOARD if name in printed]
    board = printed[keys].merge(computed, on=keys, how="left", validate="one_to_one")
    missing = {"status": "unexplained", "reason": "no notebook computed a value"}
    return board.fillna(missing).fillna("")[SCOREBOARD]
