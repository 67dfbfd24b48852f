"""Judgements of each kind, from rows whose cells are checked."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib.core import counts
from wmtlib.core.assessments import ESCAPED, JOINT, USUAL, tidy_assessments
from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import Origin, short_repr, warning
from wmtlib.files.contract import MISSING, OF_COMPARISONS
from wmtlib.files.judgements import (
    SIDES,
    Judgements,
    combined,
    count_comparisons,
    of_assessments,
    of_comparisons,
    pseudonyms,
)
from wmtlib.files.mapping import Mapped
from wmtlib.files.revisions import number_rankings
from wmtlib.files.tables import occurring
from wmtlib.files.values import TYPES, flags_of

WINS = {"wins_a": FIRST, "wins_b": SECOND, "ties": TIE}
Joint = Mapping[str, Sequence[str]]  # parts of joint names
BOTH_WAYS = (
    "pairs of systems are in both directions with the same numbers, which count"
    " twice; if they are the same comparisons, keep one row for each pair"
)


# --- comparisons ----------------------------------------------------------------------


def comparisons_of(part: Mapped, preference: np.ndarray, joint: Joint) -> Judgements:
    """Count the comparisons of one task."""
    names, codes = part.sides()
    sides = [pd.Categorical.from_codes(each, names) for each in codes]
    pairs = pd.DataFrame(dict(zip(SIDES, sides, strict=True)))
    for side in SIDES if joint else ():
        pairs = _split(pairs, side, joint)
    warnings: list[str] = []
    is_alone = pairs["system_1"] == pairs["system_2"]
    if is_alone.any() and not joint:
        fault = f"{is_alone.sum()} rows compare a system with itself"
        if is_alone.mean() > 0.1:
            roles = part.texts("a", "b") or part.texts("winner", "loser")
            columns = " and ".join(short_repr(part.named(role)) for role in roles)
            raise part.table.refuse(f"{fault}; expected two systems in {columns}")
        warnings.append(warning("rows_left_out", f"{fault}, and are left out"))
    if is_alone.any():
        pairs = pairs[~is_alone]
    rows = pairs.index.to_numpy()
    units = {unit: text.take(rows) for unit, text in units_of(part).items()}
    frame = pairs.assign(preference=preference[rows], **units)
    if {"wins_a", "count"} & {*part.roles}:
        frame = _counted(part, frame)
    if "wins_a" in part.roles and len(pairs) == len(part.table):
        warnings += _both_ways(part, pairs)
    if frame.empty:
        fault = "holds no comparisons: all are skipped or count 0 times"
        raise part.table.refuse(fault)
    comparisons = count_comparisons(frame, [*units])
    return _of(comparisons, "comparisons", part, warnings)


def _split(frame: pd.DataFrame, side: str, joint: Joint) -> pd.DataFrame:
    """Give a row to each part of joint names."""
    parts = frame[side].astype(object).map(lambda name: joint.get(name, [name]))
    return frame.assign(**{side: parts}).explode(side)


def _counted(part: Mapped, frame: pd.DataFrame) -> pd.DataFrame:
    """Say how often each row counts; numbers of wins have a row for each preference.

    Raises
    ------
    DataError
        More than `counts.MOST_COUNTED`.
    """
    rows = frame.index.to_numpy()
    times = part.numbers("count")[rows] if "count" in part.roles else 1.0
    several = [
        frame.assign(preference=side, count=times * part.numbers(role)[rows])
        for role, side in WINS.items()
        if role in part.roles
    ]
    frame = pd.concat(several or [frame.assign(count=times)], ignore_index=True)
    total = frame["count"].sum()
    if total > counts.MOST_COUNTED:
        fault = f"counts add up to {total:.3g}; expected at most"
        raise part.table.refuse(f"{fault} {counts.MOST_COUNTED:,}")
    return frame[frame["count"] > 0].astype({"count": np.int64})


def _both_ways(part: Mapped, pairs: pd.DataFrame) -> list[str]:
    """Warn of pairs in both directions with the same numbers of wins."""
    wins = {role: part.numbers(role) for role in ("wins_a", "wins_b")}
    pairs = pairs.assign(**wins)
    both = pairs.merge(pairs, left_on=[*SIDES], right_on=[*reversed(SIDES)])
    is_same = (both["wins_a_x"] == both["wins_b_y"]).all()
    if not len(both) or not is_same or pairs.duplicated([*SIDES]).any():
        return []
    return [warning("counted_twice", f"{len(both) // 2} {BOTH_WAYS}")]


def units_of(part: Mapped) -> dict[str, pd.Categorical]:
    """Return the units of comparisons that the table tells apart.

    Where a segment has one name in several documents, the document tells it apart.
    """
    units = part.texts(*OF_COMPARISONS)
    both = part.texts("document", "segment")
    if len(both) < 2:
        return units
    pairs, _ = combined([text.codes for text in both.values()])
    if len(pd.unique(pairs)) > len(occurring(both["segment"])):
        document, segment = (text.astype(object) for text in both.values())
        units["segment"] = pd.Categorical(document + " " + segment)
    return units


def _of(
    comparisons: pd.DataFrame, kind: str, part: Mapped, warnings: Sequence[str] = ()
) -> Judgements:
    """Make judgements of counted comparisons; judges go by numbers."""
    people = {}
    if "judge" in comparisons:
        judges = comparisons["judge"].cat
        hidden = [*pseudonyms(judges.categories)]
        comparisons = comparisons.assign(judge=judges.rename_categories(hidden))
        people = dict(zip(hidden, judges.categories, strict=True))
    return of_comparisons(
        comparisons,
        kind=kind,
        rows=len(part.table),
        task="",
        people=people,
        warnings=tuple(warnings),
    )


# --- rankings -------------------------------------------------------------------------


def rankings_of(part: Mapped, preference: np.ndarray, joint: Joint) -> Judgements:
    """Count the comparisons that the rankings of one task imply."""
    ranking, units = number_rankings(part)
    rank = part.numbers("rank")
    worst, best = part.scale or (2, 1)
    outputs = pd.DataFrame(
        {
            "task": "",
            "ranking": ranking,
            "segment": "",
            "judge": "",
            **units,
            "system": part.text("system").astype(object),
            "rank": 1 + np.sign(worst - best) * (rank - best),
        }
    )
    if joint:
        outputs = _split(outputs, "system", joint)
    outputs = outputs.sort_values("ranking", kind="stable", ignore_index=True)
    if not outputs["ranking"].duplicated().any():
        raise part.table.refuse("holds no ranking of two systems; expected some")
    comparisons = count_comparisons(
        counts.comparisons(outputs),
        [unit for unit in OF_COMPARISONS if unit == "ranking" or unit in units],
        sorted(outputs["system"].unique()),
    )
    return _of(comparisons, "rankings", part)


# --- assessments ----------------------------------------------------------------------


def assessments_of(part: Mapped, preference: np.ndarray, joint: Joint) -> Judgements:
    """Check the assessments of one task, a score for each judged output."""
    worst, best = part.scale or (0, 100)
    sign = 1 if best > worst else -1
    scale = (sign * worst, sign * best)
    system = part.text("system")
    names = [_escaped(name, joint) for name in system.categories]
    text = part.texts("segment", "document", "hit")
    if "hit" in text:  # NA is a HIT that is not known
        text["hit"] = text["hit"].map(
            lambda hit: "" if hit.casefold() in MISSING else hit
        )
    columns = {
        **USUAL,
        **text,
        "worker": part.text("judge") if "judge" in part.roles else "-",
        "system": pd.Categorical(names).take(system.codes),
        "item": "SYSTEM",
        "score": 0 + sign * part.numbers("score"),  # never -0
        "accepted": flags_of(part, "accepted") if "accepted" in part.roles else True,
    }
    if "item" in part.roles:
        columns["item"] = part.text("item")
        if "TGT" in columns["item"].categories:
            columns["item"] = columns["item"].map(lambda word: TYPES.get(word, word))
    frame = pd.DataFrame(columns)
    rows = np.flatnonzero(frame["item"] != "")  # but for controls of Appraise
    frame = frame.iloc[rows].reset_index(drop=True)
    origin = Origin(part.table.origin.name, lambda row: part.table.place(rows[row]))
    tidy = tidy_assessments(
        frame,
        origin,
        scale=scale,
        only_quality_control="keep" if "joint" in part.export else "refuse",
    )
    people = {}
    if "judge" in part.roles:
        people = dict(zip(tidy["worker"], frame["worker"], strict=True))
    else:
        tidy["worker"] = tidy["worker"].cat.rename_categories([""])
    return of_assessments(tidy, task="", scale=scale, people=people)


def _escaped(name: str, joint: Joint) -> str:
    """Write a name so that `+` joins identical outputs alone."""
    return JOINT.join(joint.get(name, [name.replace(JOINT, ESCAPED)]))


MAKE: dict[str, Callable[[Mapped, np.ndarray, Joint], Judgements]] = {
    "comparisons": comparisons_of,
    "rankings": rankings_of,
    "assessments": assessments_of,
}
