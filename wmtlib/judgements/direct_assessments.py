"""Direct assessments: the table of them, its checks, and the names of systems in it."""

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd

from wmtlib.judgements import grouping
from wmtlib.judgements.errors import Origin, check_values, first_row, require_columns, shown

ASSESSMENTS = [
    *("hit", "worker", "language_pair", "system", "item", "document", "segment", "score"),
    "accepted",
]
ITEMS = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
RATED_ITEMS = ("SYSTEM", "REPEAT")  # they count for a system; the others are quality control
JOINT = "+"  # identical outputs of several systems, judged once: "A.1+B.2"
LOWEST_SCORE, HIGHEST_SCORE = USUAL_SCALE = 0, 100


def tidy_assessments(
    frame: pd.DataFrame,
    where: Origin | str,
    *,
    only_quality_control: str = "refuse",
    scale: tuple[float, float] = USUAL_SCALE,
) -> pd.DataFrame:
    """Check direct assessments of one language pair and hide who made them.

    Parameters
    ----------
    frame : DataFrame
        Columns `ASSESSMENTS`, others ignored; one row = one judgement by one worker. `worker`
        holds any identifiers, `score` numbers or text, the rest text or categories of text.
    where : Origin or str
        Named in every refusal.
    only_quality_control : "refuse" or "keep"
        What to do with a system that has no SYSTEM or REPEAT row and so no average.
    scale : pair of numbers
        The lowest and the highest score that may be.

    Returns
    -------
    DataFrame
        Columns `ASSESSMENTS`: text columns as categories (sorted; only what occurs), `score`
        float64 on the scale, `accepted` bool. Rows keep their order, numbered from 0.
        Workers are `worker_0001`, ... by their sorted identifiers, whatever the order of rows.

    Raises
    ------
    DataError
        A column missing or there twice; no row; a worker, language pair, system or segment
        without a name; an unknown item type; a score that is not a number on the scale; `accepted`
        that is not true or false; more than one language pair; fewer than two systems; the same
        system twice in a joint name; a system with quality-control items only.
    """
    origin = Origin(where) if isinstance(where, str) else where
    require_columns(list(frame.columns), ASSESSMENTS, origin)
    if frame.empty:
        raise origin.refuse(None, "holds a header but no judgements")
    names = [c for c in ASSESSMENTS if c not in ("score", "accepted")]
    raw = frame[names].astype("category")
    check_values(raw, ["worker", "language_pair", "segment"], str.strip, "a name", origin)
    check_values(raw, ["system"], is_system_name, f"a name, or several joined by {JOINT!r}", origin)
    check_values(raw, ["item"], ITEMS.__contains__, f"one of {', '.join(ITEMS)}", origin)
    check_values(raw, ["hit", "document"], lambda _: True, "text", origin)
    score = _scores(frame["score"], scale, origin)
    accepted = frame["accepted"].to_numpy()
    if accepted.dtype != bool:
        raise origin.refuse(None, f"accepted is {accepted.dtype}; expected true or false")
    raw = raw.apply(lambda column: sorted_categories(column.cat))
    if len(pairs := raw["language_pair"].cat.categories) > 1:
        raise origin.refuse(None, f"language pairs {', '.join(pairs[:5])}; expected one")
    _check_systems(raw, origin, only_quality_control)
    workers = [f"worker_{k:04d}" for k in range(1, len(raw["worker"].cat.categories) + 1)]
    raw["worker"] = raw["worker"].cat.rename_categories(workers)
    return raw.assign(score=score, accepted=accepted)[ASSESSMENTS].reset_index(drop=True)


def single_systems(name: str) -> list[str]:
    """The systems that a name stands for: "A" for one, "A+B" for two with the same output."""
    return name.split(JOINT)


def system_names(names: Iterable[str]) -> list[str]:
    """All single systems of some names, sorted."""
    return sorted({system for name in names for system in single_systems(name)})


def is_system_name(name: str) -> bool:
    """Whether a name stands for one system or for several different ones."""
    systems = single_systems(name)
    return all(map(str.strip, systems)) and len(set(systems)) == len(systems)


def sorted_categories(values: pd.Series) -> pd.Series:
    """The same values; their categories sorted, and only those that occur."""
    used = values.remove_unused_categories()
    return used.cat.reorder_categories(sorted(used.cat.categories))


def _scores(column: pd.Series, scale: tuple[float, float], origin: Origin) -> np.ndarray:
    """Scores as numbers on a scale."""
    lowest, highest = scale
    score = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    bad = ~((score >= lowest) & (score <= highest))  # NaN is neither
    if (row := first_row(bad)) is not None:
        found = shown(column.iloc[row])
        expected = f"a number from {lowest:g} to {highest:g}"
        raise origin.refuse(row, f"score is {found}; expected {expected}")
    return score


def _check_systems(raw: pd.DataFrame, origin: Origin, only_quality_control: str) -> None:
    """Refuse a table with fewer than two rated systems, or with a system that was never rated."""
    rated = system_names(raw.loc[raw["item"].isin(RATED_ITEMS), "system"].unique())
    unrated = [name for name in system_names(raw["system"].cat.categories) if name not in rated]
    if only_quality_control == "refuse" and unrated:
        fault = f"system {shown(unrated[0])} has quality-control items only"
        raise origin.refuse(None, f"{fault}; expected {' or '.join(RATED_ITEMS)} items too")
    if len(rated) < 2:
        raise origin.refuse(None, f"rates {len(rated)} system; expected two or more to rank")


def credits(system: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Row and single system of every credit: a joint row `A+B` counts for A and for B.

    Parameters
    ----------
    system : Series of categories, length rows
    """
    systems = [single_systems(name) for name in system.cat.categories]
    size = np.array([len(s) for s in systems])
    first = np.cumsum(size) - size  # where the systems of a category start among all
    code = system.cat.codes.to_numpy()
    row = np.repeat(np.arange(len(code)), size[code])
    flat = np.array(list(itertools.chain(*systems)), dtype=object)
    return row, flat[first[code[row]] + grouping.positions(size[code])]
