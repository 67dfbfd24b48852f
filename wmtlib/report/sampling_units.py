"""Sampling units of tests, resamples and folds, and warnings of what they assume."""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from wmtlib import pairwise_tests
from wmtlib.assessments import Campaign
from wmtlib.counts import COMPARISON, LARGEST_FIRST
from wmtlib.errors import Message, joined, setting, warning
from wmtlib.files.judgements import Judgements

SMALLEST_FIRST = ("ranking", "hit", "judge", "worker")  # what can be removed
# Columns: the units that are resampled; those that the data know too; whether only a
# unit that was asked for is warned of (the usual unit is chosen by looking at the
# judges); the code; the text.
WARNINGS = pd.read_csv(
    Path(__file__).with_name("unit_warnings.csv"), keep_default_na=False
)
FEWEST = {  # units that are tested, by who judges
    "judge": pairwise_tests.FEWEST_FLIPPED,
    "worker": pairwise_tests.FEWEST_UNITS,
}
NOT_SHARED = (
    f"fewer than {pairwise_tests.FEWEST_UNITS} documents, HITs or workers are shared by"
    " systems"
)


def number_of(judgements: Judgements, unit: str) -> int:
    """Count the different values of a unit; 0 if the file does not name it."""
    if unit not in judgements.units:
        return 0
    return int(judgements.frame[unit].nunique())


def chosen(judgements: Judgements, unit: str | None, *, at_least: int = 2) -> str:
    """Choose the unit that is wanted, or the largest with so many values."""
    units = [*judgements.units]
    if judgements.assessments is None:
        units.insert(0, COMPARISON)
    if unit and unit not in units:
        raise judgements.refuse(f"has no unit {unit!r}; expected {', '.join(units)}")
    named = [name for name in LARGEST_FIRST if name in units]
    several = [
        name
        for name in named
        if name == COMPARISON or number_of(judgements, name) >= at_least
    ]
    return unit or (several or named)[0]


def still_shared(judgements: Judgements, unit: str, folds: int) -> list[str]:
    """Warn of perplexities that are too low, as folds share a larger unit."""
    larger = [*LARGEST_FIRST[: LARGEST_FIRST.index(unit)]]
    if unit == "segment":
        larger.remove("ranking")  # which is of one segment
    shared = [name for name in larger if number_of(judgements, name) > 1]
    if shared:
        others = f"others of the same {' or '.join(shared)} were trained on"
        fault = f"{unit}s were held out, and {others}; hold out whole {shared[0]}s ("
        ways = [setting("unit", shared[0])]
        if (number := number_of(judgements, shared[0])) < folds:
            ways.append(setting("folds", number))
        way = joined(*ways, between=" ")
        return [warning("held_out_shares_unit", fault, way, ")")]
    if unit == COMPARISON:
        reason = "the file tells no judges, rankings or segments apart"
        fault = f"comparisons were held out one by one: {reason}, so perplexities may"
        return [warning("held_out_shares_unit", f"{fault} be too low")]
    return []


def warnings_for(
    units: Collection[str], unit: str, *, is_usual: bool = False
) -> list[str]:
    """Warn of intervals, or lines, by a unit that may be too sure.

    Judgements that share a judge, a ranking, a segment or a HIT are alike. If they are
    drawn one by one, they count as independent, and intervals come out too narrow.

    Parameters
    ----------
    units : collection of str
        The units that the data know.
    unit : str
        The unit that was resampled, or tested by.
    is_usual : bool
        Whether it is one of `pairwise_tests.usual_units`, which has looked at the
        judges, and not asked for.

    Returns
    -------
    list of str
        One line each; empty if there is no reason.
    """
    larger = ("ranking", "judge", "judge_group", "segment", "document")
    others = [name for name in larger if name in units and name != unit]
    for row in WARNINGS.itertuples():
        known = next((name for name in row.known.split() if name in units), "")
        if unit in row.resampled.split() and (known or not row.known):
            if is_usual and row.only_if_asked == "yes":
                return []
            text = row.text.format(unit=unit, known=known, others=" or ".join(others))
            return [warning(row.code, text)]
    return []


# --- what is tested and resampled -----------------------------------------------------


def in_common(by: tuple[str, ...], pairs: pd.DataFrame) -> list[str]:
    """Say how many segments two systems share, where single ones are tested.

    For `pairs` see `cluster_lines.significance`.
    """
    if by or "common" not in pairs:
        return []
    common = pairs["common"]
    least = f"median; least: {common.min()}"
    return [f"Two systems share {common.median():g} segments ({least})."]


def few_people(judgements: Judgements, by: tuple[str, ...]) -> list[str]:
    """Warn if there are too few judges."""
    person = "judge" if judgements.assessments is None else "worker"
    number = number_of(judgements, person)
    fewest = FEWEST[person]
    if person in by or not 0 < number < fewest or (number > 1 and not by):
        return []
    people = f"{number} {person}{'s' * (number > 1)}"
    fault = f"only {people}: lines and ranges do not say what other"
    step = f"{person}s would think; ask {fewest} or more"
    return [warning("few_judges", f"{fault} {step}")]


def warnings_of_test(
    judgements: Judgements,
    data: Campaign | pd.DataFrame,
    by: tuple[str, ...],
    pairs: pd.DataFrame,
    score: str,
) -> list[str]:
    """Warn of what lines between systems assume, by units or by single segments."""
    is_scored = isinstance(data, Campaign)
    if not (is_scored or by):
        return warnings_for(judgements.units, COMPARISON)
    warnings: list[str] = []
    untested = int(pairs["p"].isna().sum())
    if untested:
        few = f"{pairwise_tests.FEWEST_COMMON} segments"
        if by:
            fewest = FEWEST["worker" if is_scored else "judge"]
            few = f"{fewest} {' or '.join(by)}s that differ"
        fault = f"{untested} of {len(pairs)} pairs of systems share fewer than {few}"
        warnings.append(warning("pairs_not_tested", f"{fault}, and are not tested"))
    if by:
        return warnings
    values = pairwise_tests.judged_values(data, score)
    units = pairwise_tests.units_of_collection(values)
    if not units:
        fault = f"{NOT_SHARED}, so segments are tested one by one: there may be too"
        step = "many lines; collect more before you rely on one"
        return [*warnings, warning("dependent", f"{fault} {step}")]
    effect = ""
    if len(units) == 1:
        size = pairwise_tests.design_effect(
            values, units[0], "raw" if score == "raw" else "z"
        )
        effect = f" (design effect {size:.1f})"
    fault = f"segments of one {units[0]} are tested as if independent, so that too many"
    settings = Message("clusters and unit", "--clusters and --unit")
    fault = f"{fault} lines are drawn{effect}; leave out "
    line = warning("dependent", fault, settings, f" to test by {units[0]}")
    return [*warnings, line]
