"""Judgements of each kind, from rows whose cells are checked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core import counts
from wmtlib.core.assessments import ESCAPED, JOINT, USUAL, tidy_assessments
from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import Origin, short_repr, warning
from wmtlib.core.ranking import TOLERANCE
from wmtlib.files.contract import MISSING, OF_COMPARISONS
from wmtlib.files.judgements import (
    Judgements,
    combined,
    count_comparisons,
    of_assessments,
    of_comparisons,
    pseudonyms,
)
from wmtlib.files.mapping import Mapped
from wmtlib.files.options import Options
from wmtlib.files.revisions import number_rankings, sides_of
from wmtlib.files.values import (
    TYPES,
    Doubts,
    flags_of,
    outcomes_of,
    present,
)

WINS = {"wins_a": FIRST, "wins_b": SECOND, "ties": TIE}
Joint = Mapping[str, Sequence[str]]  # parts of joint names
BOTH_WAYS = (
    "pairs of systems are in both directions with the same numbers, which count"
    " twice; if they are the same comparisons, keep one row for each pair"
)


def preferences(
    found: Mapped,
    options: Options,
    export: Mapping[str, Any],
    good: np.ndarray,
    doubts: Doubts,
) -> np.ndarray:
    """Return the preference of every row; of numbers of wins, that of the first."""
    roles = found.roles
    if "wins_a" in roles:
        return np.full(len(found.table), FIRST, dtype=np.int8)
    for kind in ("score", "rank"):
        if f"{kind}_a" in roles and "outcome" not in roles:
            return _of_numbers(found, kind)
    return outcomes_of(found, options, export, good, doubts)


def _of_numbers(found: Mapped, kind: str) -> np.ndarray:
    """Compare the scores of two systems, or their ranks; nearly equal ones tie."""
    sides = [found.table.numbers(found.roles[f"{kind}_{side}"][0]) for side in "ab"]
    first, second = np.nan_to_num(sides)
    worst, best = found.scale or (2, 1)  # of ranks, 1 is best
    last_bits = 2 * np.spacing(max(np.abs(first).max(), np.abs(second).max()))
    is_level = np.isclose(first, second, rtol=TOLERANCE, atol=last_bits)
    ahead = (first - second) * np.sign(best - worst)
    by_side = [is_level, ahead > 0]
    return np.select(by_side, [TIE, FIRST], SECOND).astype(np.int8)


def comparisons_of(
    part: Mapped, preference: np.ndarray, joint: Joint, export: Mapping[str, Any]
) -> Judgements:
    """Count the comparisons of one task."""
    names, (first, second) = sides_of(part)
    rows = np.arange(len(first))
    if joint:
        rows, names, first, second = _split_pairs(names, first, second, joint)
    is_pair = first != second
    warnings: list[str] = []
    alone = int((~is_pair).sum())
    if alone and not joint:
        fault = f"{alone} rows compare a system with itself"
        if alone > len(is_pair) / 10:
            raise part.table.refuse(f"{fault}; expected two systems in {_named(part)}")
        warnings.append(warning("rows_left_out", f"{fault}, and are left out"))
    if alone:
        rows, first, second = rows[is_pair], first[is_pair], second[is_pair]
    answers = _numbers_of(part)
    if "wins_a" in part.roles:
        warnings += _both_ways(part, first, second)
    units = units_of(part)
    frames = [
        pd.DataFrame(
            {
                "system_1": pd.Categorical.from_codes(first, names),
                "system_2": pd.Categorical.from_codes(second, names),
                "preference": side if "wins_a" in part.roles else preference[rows],
                **{unit: units[unit].take(rows) for unit in units},
                **({} if times is None else {"count": times[rows]}),
            }
        )
        for side, times in answers.items()
    ]
    frame = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    if "count" in frame:
        frame = frame[frame["count"] > 0]
    if frame.empty:
        raise part.table.refuse(
            "holds no comparisons: all are skipped or count 0 times"
        )
    comparisons = count_comparisons(frame, [*units])
    if "judge_group" in units and (comparisons["judge_group"] == "").any():
        comparisons, line = _deal_unknown(comparisons, [*units])
        warnings.append(line)
    return _of(comparisons, "comparisons", len(part.table), warnings)


def _named(part: Mapped) -> str:
    """Name the columns of the two systems of a row."""
    pair = ("a", "b") if "a" in part.roles else ("winner", "loser")
    return " and ".join(short_repr(part.named(role)) for role in pair)


def _of(
    comparisons: pd.DataFrame, kind: str, rows: int, warnings: Sequence[str]
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
        rows=rows,
        task="",
        people=people,
        warnings=tuple(warnings),
    )


def _numbers_of(part: Mapped) -> dict[int, np.ndarray | None]:
    """Return how often each row counts, by preference; None where each counts once.

    Raises
    ------
    DataError
        More than `counts.MOST_COUNTED`.
    """
    counted = "count" in part.roles
    held = [role for role in WINS if role in part.roles]
    if not counted and not held:
        return {FIRST: None}
    ones = np.ones(len(part.table))
    times = _numbers(part, "count") if counted else ones
    columns = {WINS[role]: _numbers(part, role) for role in held} or {FIRST: ones}
    total = sum(float((times * column).sum()) for column in columns.values())
    if total > counts.MOST_COUNTED:
        fault = f"counts add up to {total:.3g}; expected at most"
        raise part.table.refuse(f"{fault} {counts.MOST_COUNTED:,}")
    return {
        side: times.astype(np.int64) * column.astype(np.int64)
        for side, column in columns.items()
    }


def _numbers(part: Mapped, role: str) -> np.ndarray:
    """Return a column of numbers, (rows,)."""
    return part.table.numbers(part.roles[role][0])


def units_of(part: Mapped) -> dict[str, pd.Categorical]:
    """Return the units of comparisons that the table tells apart.

    Where a segment has one name in several documents, the document tells it apart.
    """
    units = {unit: part.text(unit) for unit in OF_COMPARISONS if unit in part.roles}
    if {"segment", "document"} <= {*part.roles}:
        segment = part.text("segment")
        document = part.text("document")
        codes = [each.codes.astype(np.int64) for each in (segment, document)]
        if len(np.unique(combined(codes)[0])) > present(segment).sum():
            both = (
                pd.Series(document).astype(object)
                + " "
                + pd.Series(segment).astype(object)
            )
            units["segment"] = pd.Categorical(both)
    return units


def _split_pairs(
    names: Sequence[str], first: np.ndarray, second: np.ndarray, joint: Joint
) -> tuple[np.ndarray, list[str], np.ndarray, np.ndarray]:
    """Give a row to each pair of parts of joint names: rows, names, both sides."""
    parts = {name: joint.get(name, [name]) for name in names}
    single = sorted({part for several in parts.values() for part in several})
    place = {name: number for number, name in enumerate(single)}
    numbers = [[place[part] for part in parts[name]] for name in names]
    pairs = pd.DataFrame(
        {"first": [numbers[k] for k in first], "second": [numbers[k] for k in second]}
    )
    pairs = pairs.explode("first").explode("second").astype(np.int64)
    return (
        pairs.index.to_numpy(),
        single,
        pairs["first"].to_numpy(),
        pairs["second"].to_numpy(),
    )


def _both_ways(part: Mapped, first: np.ndarray, second: np.ndarray) -> list[str]:
    """Warn of pairs in both directions with the same numbers of wins."""
    wins = {role: _numbers(part, role) for role in ("wins_a", "wins_b")}
    if len(first) != len(part.table):
        return []
    pairs = pd.DataFrame({"a": first, "b": second, **wins})
    if pairs.duplicated(["a", "b"]).any():
        return []
    both = pairs.merge(pairs, left_on=["a", "b"], right_on=["b", "a"])
    if len(both) and (both["wins_a_x"] == both["wins_b_y"]).all():
        return [warning("counted_twice", f"{len(both) // 2} {BOTH_WAYS}")]
    return []


def _deal_unknown(
    comparisons: pd.DataFrame, units: list[str]
) -> tuple[pd.DataFrame, str]:
    """Deal comparisons without a judge to the groups of judges at random; warn of it.

    Each counts as that of one more judge, who could be in any group: where people came
    once, the standard errors are those by comparison. Left together, as a group of
    their own, they would count as one judge: a sample would hold all of them, several
    times over, or none.
    """
    is_unknown = comparisons["judge_group"] == ""
    unknown = comparisons[is_unknown].sort_values([*comparisons.columns[:-1]])
    groups = comparisons["judge_group"].cat.categories.drop("")
    line = (
        f"{unknown['count'].sum()} of {comparisons['count'].sum()} comparisons have no"
        " judge"
    )
    if groups.empty:
        comparisons = comparisons.drop(columns="judge_group")
        return comparisons, f"{line}: there are no groups of judges"
    shares = np.full(len(groups), 1 / len(groups))
    times = np.random.default_rng(0).multinomial(unknown["count"], shares)
    row, number = np.nonzero(times)
    dealt = unknown.iloc[row]
    dealt = dealt.assign(judge_group=groups[number], count=times[row, number])
    line += (
        " and are dealt to groups at random; if few people gave them, intervals are too"
        " narrow"
    )
    dealt = pd.concat([comparisons[~is_unknown], dealt])
    return count_comparisons(dealt, units), line


# --- rankings -------------------------------------------------------------------------


def rankings_of(
    part: Mapped, preference: np.ndarray, joint: Joint, export: Mapping[str, Any]
) -> Judgements:
    """Count the comparisons that the rankings of one task imply."""
    ranking, units = number_rankings(part)
    rank = part.table.numbers(part.roles["rank"][0])
    worst, best = part.scale or (2, 1)
    outputs = pd.DataFrame(
        {
            "task": "",
            "ranking": ranking,
            "segment": units.get("segment", ""),
            "judge": units.get("judge", ""),
            "system": part.text("system").astype(object),
            "rank": 1 + rank - best if best < worst else 1 + best - rank,
        }
    )
    if joint:
        names = outputs["system"].unique()
        parts = {name: joint.get(name, [name]) for name in names}
        outputs["system"] = outputs["system"].map(parts)
        outputs = outputs.explode("system", ignore_index=True)
    outputs = outputs.sort_values("ranking", kind="stable", ignore_index=True)
    if not outputs["ranking"].duplicated().any():
        raise part.table.refuse("holds no ranking of two systems; expected some")
    comparisons = count_comparisons(
        counts.comparisons(outputs),
        [unit for unit in OF_COMPARISONS if unit == "ranking" or unit in units],
        sorted(outputs["system"].unique()),
    )
    return _of(comparisons, "rankings", len(part.table), [])


# --- assessments ----------------------------------------------------------------------


def assessments_of(
    part: Mapped, preference: np.ndarray, joint: Joint, export: Mapping[str, Any]
) -> Judgements:
    """Check the assessments of one task, a score for each judged output."""
    scores = part.table.numbers(part.roles["score"][0])
    worst, best = part.scale or (0, 100)
    sign = 1 if best > worst else -1
    system = part.text("system")
    names = {name: _escaped(name, joint) for name in system.categories}
    roles = ("segment", "document", "hit")
    text = {role: part.text(role) for role in roles if role in part.roles}
    if "hit" in text:  # NA is a HIT that is not known
        text["hit"] = text["hit"].map(
            lambda hit: "" if hit.casefold() in MISSING else hit
        )
    columns = {
        **USUAL,
        **text,
        "worker": part.text("judge") if "judge" in part.roles else "-",
        "system": system.rename_categories(names) if names else system,
        "item": _items(part),
        "score": 0 + sign * scores,  # never -0
        "accepted": flags_of(part, "accepted") if "accepted" in part.roles else True,
    }
    frame = pd.DataFrame(columns)
    is_output = (frame["item"] != "").to_numpy()
    rows = np.flatnonzero(is_output)
    frame = frame[is_output].reset_index(drop=True)
    table = part.table
    origin = Origin(
        table.origin.name, lambda row: table.origin.where(int(table.places[rows[row]]))
    )
    tidy = tidy_assessments(
        frame,
        origin,
        scale=(sign * worst, sign * best),
        only_quality_control="keep" if "joint" in export else "refuse",
    )
    people = {}
    if "judge" in part.roles:
        people = dict(zip(tidy["worker"], frame["worker"], strict=True))
    else:
        tidy["worker"] = tidy["worker"].cat.rename_categories([""])
    return of_assessments(
        tidy, task="", scale=(sign * worst, sign * best), people=people
    )


def _escaped(name: str, joint: Joint) -> str:
    """Write a name so that `+` joins identical outputs alone."""
    return JOINT.join(joint.get(name, [name.replace(JOINT, ESCAPED)]))


def _items(part: Mapped) -> pd.Series:
    """Return the types of items; controls of Appraise are ""."""
    if "item" not in part.roles:
        return pd.Series("SYSTEM", index=range(len(part.table)), dtype="category")
    return (
        pd.Series(part.text("item")).map(lambda word: TYPES.get(word, word))
        if "TGT" in {*part.text("item").categories}
        else pd.Series(part.text("item"))
    )
