"""What changed between two rankings: who came, who went, who moved, and how surely.

Scores of two rankings have no common zero. Both are put on one scale by an anchor: the
mean of the systems in common, or one of them, is taken to have stayed where it was.
With covariances C of the scores in each ranking, and a system's score less the mean of
the anchor, w'x, the change is the difference of both, and its variance

    w' C(old) w + w' C(new) w

as if the rankings rested on different judgements. Where the new ones hold the old ones
too, intervals are wider than they need be.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, reason
from wmtlib.yours.show import FORMAT, Answer

QUANTILE = 1.96  # of the normal distribution, for 95 %
SAME = ("kind", "task", "scale_of_scores", "methods")  # of both answers


def read_answer(path: str) -> dict[str, Any]:
    """An answer of `wmtlib rank --json`.

    Raises
    ------
    DataError
        The file cannot be read, or holds something else.
    """
    try:
        answer = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({reason(error)})") from None
    if not isinstance(answer, dict) or answer.get("format") != FORMAT:
        raise DataError(f"{path}: expected one answer of format {FORMAT}")
    if answer.get("command") != "rank":
        raise DataError(f"{path}: expected an answer of wmtlib rank --json")
    return answer


def answer_diff(
    before: dict[str, Any], after: dict[str, Any], anchor: str | None = None
) -> Answer:
    """What changed from one ranking to another.

    Parameters
    ----------
    before, after : dict
        As `read_answer` gives them.
    anchor : str, optional
        A system of both; by default the mean of all systems in common.

    Raises
    ------
    DataError
        The two do not compare, or the anchor is not in both.
    """
    for key in SAME:
        if before[key] != after[key]:
            fault = f"{key} is {before[key]!r} in one and {after[key]!r} in the other"
            raise DataError(f"the answers do not compare: {fault}")
    method = after["methods"][0]
    old = _frame(before, "ranking")[["rank", "score"]]
    new = _frame(after, "ranking")[["rank", "score"]]
    common = [name for name in new.index if name in old.index]
    anchors = [anchor] if anchor else common
    if not common or not {*anchors} <= {*common}:
        names = ", ".join(common[:20]) or "none"
        raise DataError(f"the anchor is in one answer only; in both: {names}")
    score_before, variance_before = _anchored(before, common, anchors)
    score, variance = _anchored(after, common, anchors)
    change = score - score_before
    error = QUANTILE * np.sqrt(variance + variance_before)
    is_sure = pd.arrays.BooleanArray(np.abs(change) > error, np.isnan(error))
    moves = f"{is_sure.sum()} moved by more than chance"
    if is_sure.isna().all():
        moves = "nobody knows which moved by more than chance: nothing was resampled"
    moved = pd.DataFrame(
        {
            "system": common,
            "rank_before": old.loc[common, "rank"].array,
            "rank": new.loc[common, "rank"].array,
            "change": change,
            "change_low": change - error,
            "change_high": change + error,
            "surely": is_sure,
        }
    )
    came = new.drop(common).reset_index()
    went = old.drop(common).reset_index()
    views = {"Moved": moved, "Came": came, "Went": went}
    scale = f"the score of {anchor}" if anchor else "the mean score of all in common"
    return Answer(
        f"Systems: {len(came)} came and {len(went)} went; of {len(common)} in both"
        f" {moves}",
        about={"Signature": f"wmtlib diff|{before['data'][:8]}|{after['data'][:8]}"},
        tables={"came": came, "went": went, "moved": moved},
        views={name: table for name, table in views.items() if len(table)},
        lead=f"Change: of the score by {method}, if {scale} stayed the same; intervals"
        " (95 %) take the judgements of both for different ones.",
        facts={
            "command": "diff",
            "method": method,
            "anchor": anchors,
            "before": before["signature"],
            "after": after["signature"],
            "versions": after["versions"],
        },
    )


def _frame(answer: dict[str, Any], key: str) -> pd.DataFrame:
    """A table of an answer, by system."""
    return pd.DataFrame(answer["tables"][key]).set_index("system")


def _anchored(
    answer: dict[str, Any], systems: list[str], anchors: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of systems less the mean of the anchors', and their variances."""
    scores = _frame(answer, "ranking")["score"].astype(float)
    names = scores.index.to_numpy()
    is_system = np.array(systems, object)[:, None] == names
    weights = is_system - np.isin(names, anchors) / len(anchors)
    variance = np.full(len(systems), np.nan)
    if "covariance" in answer["tables"]:
        rows = _frame(answer, "covariance")["covariances"]
        covariance = np.array([*rows], dtype=float)
        variance = ((weights @ covariance) * weights).sum(axis=1)
    return weights @ scores.to_numpy(), variance
