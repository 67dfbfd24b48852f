"""Units of collection: which is resampled or held out, and what that takes for granted."""

from collections.abc import Collection
from typing import Any

from wmtlib.counts import COMPARISON
from wmtlib.yours.read import Judgements
from wmtlib.zscores import Campaign

JUDGES = ("judge", "judge_group")  # whoever compared; of a file that tells both, the first
LARGEST_FIRST = ("worker", *JUDGES, "hit", "document", "ranking", "segment", COMPARISON)
SMALLEST_FIRST = ("ranking", "hit", "judge", "worker")  # what can be removed

ALIKE = (
    "{unit}s of one {others} are treated as independent: intervals may be too narrow; resample"
    " {others}"
)
SAME_PERSON = (
    "judgements of one {known} in different {unit}s are treated as independent: the intervals do"
    " not say what other {known}s would think; resample {known}"
)
GIVEN = (
    "segments are taken as given: the intervals say what other {unit}s would think of these"
    " segments, not what other segments would show"
)
ONE_BY_ONE = (
    "comparisons of one ranking are not independent, but were drawn one by one: intervals are too"
    " narrow; resample {others}"
)
UNKNOWN = (
    "the file does not tell who judged what: if judges gave several comparisons each, intervals are"
    " too narrow"
)
IN_GROUPS = "judges stand in groups: neither judges nor segments are told apart (docs/scale.md)"
MOST_CELLS = 40_000_000  # judges x systems x systems of a sign test by judge
NOT_SHARED = (
    "no six documents, HITs or workers are shared by systems, so there is no test by unit;"
    " see --clusters rank-sum"
)
WARNINGS = (  # units that were resampled, one that the data know too ("": any), the warning
    (COMPARISON, "ranking", ONE_BY_ONE),
    (COMPARISON, "judge", ALIKE),
    (COMPARISON, "judge_group", ALIKE),
    (COMPARISON, "segment", ALIKE),
    (COMPARISON, "", UNKNOWN),
    ("segment", "document", ALIKE),
    ("ranking segment", "judge", SAME_PERSON),
    ("ranking segment", "judge_group", SAME_PERSON),
    ("hit document segment", "worker", SAME_PERSON),
    ("judge worker judge_group", "segment", GIVEN),
    ("judge_group", "", IN_GROUPS),
)


def chosen(judgements: Judgements, unit: str | None, *, at_least: int = 2) -> str:
    """The unit that is wanted, or the largest of which the file tells so many apart."""
    frame, known = judgements.assessments, [*judgements.units]
    if frame is None:
        frame, known = judgements.comparisons, [COMPARISON, *known]
    if unit and unit not in known:
        raise judgements.refuse(f"has no unit {unit!r}; expected {', '.join(known)}")
    named = [name for name in LARGEST_FIRST if name in known]
    several = [n for n in named if n == COMPARISON or frame[n].nunique() >= at_least]
    return unit or (several or named)[0]


def still_shared(judgements: Judgements, unit: str) -> list[str]:
    """Why perplexities are too low: what is held out shares a larger unit with the rest."""
    larger = LARGEST_FIRST[: LARGEST_FIRST.index(unit)]
    shared = [
        n for n in larger if n in judgements.units and judgements.comparisons[n].nunique() > 1
    ]
    if shared:
        text = f"{unit}s were held out, and others of the same {' or '.join(shared)} were trained"
        return [f"{text} on; hold out whole {shared[0]}s (--unit {shared[0]})"]
    text = "comparisons were held out one by one: the file tells no judges, rankings or segments"
    return [f"{text} apart, so perplexities may be too low"] * (unit == COMPARISON)


def warnings_for(units: Collection[str], unit: str) -> list[str]:
    """Reasons why the intervals of a bootstrap by a unit may be too narrow.

    Judgements that share a judge, a ranking, a segment or a HIT are alike. If they are drawn one by
    one, they count as independent, and intervals come out too narrow.

    Parameters
    ----------
    units : collection of str
        The units that the data know.
    unit : str
        The unit that was resampled.

    Returns
    -------
    list of str
        One line each; empty if there is no reason.
    """
    others = " or ".join(
        u for u in ("ranking", *JUDGES, "segment", "document") if u in units and u != unit
    )
    for resampled, known, text in WARNINGS:
        if unit in resampled.split() and (known in units or not known):
            return [text.format(unit=unit, known=known, others=others)]
    return []


# --- by what assessments are tested --------------------------------------------------------------


def tested_by(
    judgements: Judgements, campaign: Campaign | None, unit: str | None
) -> tuple[str, ...]:
    """The units of a test: the one that is asked for, or those in which was collected."""
    from wmtlib.cluster_lines import FEWEST_UNITS, units_of_collection

    if campaign is not None:
        return () if unit == "segment" else (unit,) if unit else units_of_collection(campaign)
    judge = next((name for name in JUDGES if name in judgements.units), "")
    judges = judgements.comparisons[judge].nunique() if judge else 0
    few, many = judges < FEWEST_UNITS, judges * len(judgements.systems) ** 2 > MOST_CELLS
    return () if few or many else (judge,)


def tested_because(by: tuple[str, ...]) -> str:
    """What the units of a test are, and why."""
    text = f"The unit of the test is the {by[0]}: judgements of one {by[0]} are alike."
    if len(by) > 1:
        text += f" A difference has to hold by {by[1]} too: {by[1]}s came back to the same systems."
    return text


def warnings_of_test(data: Any, by: tuple[str, ...], untested: int) -> list[str]:
    """What lines between systems take for granted, by units or by single segments."""
    from wmtlib import cluster_lines as lines

    if by and untested:
        text = (
            f"{untested} pairs of systems share fewer than {lines.FEWEST_UNITS} {' or '.join(by)}"
        )
        return [f"{text}s that differ, and are not tested"]
    if not isinstance(data, Campaign):
        return []
    if by and len(data.workers) < lines.FEWEST_UNITS and "worker" not in by:
        text = f"{len(data.workers)} worker(s) gave all scores"
        return [f"{text}: the lines do not say what other workers would think"]
    if not by and (units := lines.units_of_collection(data)):
        values = lines.judged_values(data)
        unit = data.units(units[0])[0][values["judgement"]]
        text = f"segments of one {units[0]} are tested as if independent, so that too many lines"
        effect = f" (design effect {lines.design_effect(values, unit):.1f})" * (len(units) == 1)
        return [f"{text} are drawn{effect}; leave out --clusters and --unit to test by {units[0]}"]
    return [] if by else [NOT_SHARED.partition(",")[0] + ": segments are tested as if independent"]
