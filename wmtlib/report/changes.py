"""Differences of two rankings: who came, who went, and who moved.

Scores of two rankings have no common zero. Both are put on one scale by an anchor,
which is taken to have stayed where it was: the system whose rating both answers fix, or
else the mean of the systems in common. A change has no interval. The later file of a
leaderboard holds the earlier votes, so that the two rankings depend on each other in a
way that their answers do not tell.
"""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.core.errors import DataError, reason
from wmtlib.report.show import FORMAT, Answer, Section

SAME = ("kind", "task", "scale_of_scores", "method")  # of both answers
FORMER = "wmtlib/2"  # a format that is read, too
KINDS = {"pairwise": "comparisons"}  # names of kinds in it, and of today


def read_answer(path: str) -> dict[str, Any]:
    """Read an answer of `wmtlib rank --json`.

    Raises
    ------
    DataError
        The file cannot be read, or holds something else.
    """
    try:
        answer = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({reason(error)})") from None
    known = (FORMAT, FORMER)
    if not isinstance(answer, dict) or answer.get("format") not in known:
        raise DataError(f"{path}: expected one answer of format {FORMAT}")
    if answer.get("command") != "rank":
        raise DataError(f"{path}: expected an answer of wmtlib rank --json")
    kind = answer.get("kind", "")
    return {**answer, "kind": KINDS.get(kind, kind)}


def answer_diff(
    before: dict[str, Any], after: dict[str, Any], anchor: str | None = None
) -> Answer:
    """Compare one ranking with a later one.

    Parameters
    ----------
    before, after : dict
        As `read_answer` gives them.
    anchor : str, optional
        A system of both; by default the one whose rating both answers fix, or else the
        mean of all systems in common.

    Raises
    ------
    DataError
        The two do not compare, or the anchor is not in both.
    """
    before, after = ({**each, "method": each["methods"][0]} for each in (before, after))
    for key in SAME:
        if before[key] != after[key]:
            fault = f"{key} is {before[key]!r} in one and {after[key]!r} in the other"
            raise DataError(f"the answers do not compare: {fault}")
    method = after["method"]
    old = _ranking(before)
    new = _ranking(after)
    common = [name for name in new.index if name in old.index]
    anchors = [anchor] if anchor else after.get("anchor") or common
    if not common or not {*anchors} <= {*common}:
        names = ", ".join(common[:20]) or "none"
        raise DataError(f"the anchor is in one answer only; in both: {names}")
    was = old.loc[common].drop(columns="score").add_suffix("_before")
    moved = was.join(new).reset_index()
    score = new["score"] - new.loc[anchors, "score"].mean()
    score_before = old["score"] - old.loc[anchors, "score"].mean()
    moved["change"] = (score - score_before)[common].array
    moved = moved.drop(columns="score")
    number = (moved["rank"] != moved["rank_before"]).sum()
    came = new.drop(common).reset_index()
    went = old.drop(common).reset_index()
    tables = {"Moved": moved, "Came": came, "Went": went}
    scale = "the mean score of all in common"
    if len(anchors) == 1:
        scale = f"the score of {anchors[0]}"
    return Answer(
        f"{number} of the {len(common)} systems in both have another rank;"
        f" {len(came)} came and {len(went)} went.",
        about={"Signature": f"wmtlib diff|{before['data'][:8]}|{after['data'][:8]}"},
        sections=[
            Section(name.lower(), name if len(table) else "", table)
            for name, table in tables.items()
        ],
        lead=f"Change: of the score by {method}, if {scale} stayed the same. It has no"
        " interval: what two files have in common makes them depend on each other. Who"
        " is apart now is said by the ranks of the later answer.",
        facts={
            "command": "diff",
            "method": method,
            "anchor": anchors,
            "before": before["signature"],
            "after": after["signature"],
            "versions": after["versions"],
        },
    )


def _ranking(answer: dict[str, Any]) -> pd.DataFrame:
    """Return the ranking of an answer, by system: ranks with their ranges, scores."""
    table = pd.DataFrame(answer["tables"]["ranking"]).set_index("system")
    ranks = table.reindex(columns=["rank", "rank_low", "rank_high"]).astype("Int64")
    return ranks.assign(score=table["score"].astype(float))
