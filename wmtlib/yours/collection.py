"""Units of collection: of tests, resamples and cross-validation, and what they take for granted."""

from collections.abc import Collection

import pandas as pd

from wmtlib import pairwise_tests
from wmtlib.assessments import Campaign
from wmtlib.counts import COMPARISON
from wmtlib.errors import Message, joined
from wmtlib.yours.options import setting
from wmtlib.yours.reading.read import Judgements

JUDGES = (
    "judge",
    "judge_group",
)  # whoever compared; of a file that tells both, the first
LARGEST_FIRST = ("worker", *JUDGES, "hit", "document", "ranking", "segment", COMPARISON)
SMALLEST_FIRST = ("ranking", "hit", "judge", "worker")  # what can be removed

ALIKE = (
    "{unit}s of one {others} are treated as independent: intervals may be too narrow and lines too"
    " many; resample {others}"
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
    "comparisons of one ranking are not independent, but were taken one by one: intervals are too"
    " narrow; resample {others}"
)
UNKNOWN = (
    "the file does not tell who judged what: if judges gave several comparisons each, intervals are"
    " too narrow and lines too many"
)
IN_GROUPS = (
    "judges stand in groups: neither judges nor segments are told apart (docs/scale.md)"
)
NOT_SHARED = "no six documents, HITs or workers are shared by systems"
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


def number_of(judgements: Judgements, unit: str) -> int:
    """How many of a unit the file tells apart; 0 of one that it does not name."""
    if unit not in judgements.units:
        return 0
    frame = (
        judgements.comparisons
        if judgements.assessments is None
        else judgements.assessments
    )
    return int(frame[unit].nunique())


def chosen(judgements: Judgements, unit: str | None, *, at_least: int = 2) -> str:
    """The unit that is wanted, or the largest of which the file tells so many apart."""
    known = [COMPARISON] * (judgements.assessments is None) + [*judgements.units]
    if unit and unit not in known:
        raise judgements.refuse(f"has no unit {unit!r}; expected {', '.join(known)}")
    named = [name for name in LARGEST_FIRST if name in known]
    several = [
        n for n in named if n == COMPARISON or number_of(judgements, n) >= at_least
    ]
    return unit or (several or named)[0]


def still_shared(judgements: Judgements, unit: str) -> list[str]:
    """Why perplexities are too low: what is held out shares a larger unit with the rest."""
    larger = LARGEST_FIRST[: LARGEST_FIRST.index(unit)]
    if shared := [name for name in larger if number_of(judgements, name) > 1]:
        text = f"{unit}s were held out, and others of the same {' or '.join(shared)} were trained"
        step = f"{text} on; hold out whole {shared[0]}s ("
        return [joined(step, setting("unit", shared[0]), ")")]
    text = "comparisons were held out one by one: the file tells no judges, rankings or segments"
    return [f"{text} apart, so perplexities may be too low"] * (unit == COMPARISON)


def warnings_for(
    units: Collection[str], unit: str, *, is_usual: bool = False
) -> list[str]:
    """Reasons why intervals, or lines, by a unit may be too sure.

    Judgements that share a judge, a ranking, a segment or a HIT are alike. If they are
    drawn one by one, they count as independent, and intervals come out too narrow.

    Parameters
    ----------
    units : collection of str
        The units that the data know.
    unit : str
        The unit that was resampled, or tested by.
    is_usual : bool
        Whether it is one of `collected_by`, which has looked at the judges, and not
        asked for.

    Returns
    -------
    list of str
        One line each; empty if there is no reason.
    """
    others = " or ".join(
        u
        for u in ("ranking", *JUDGES, "segment", "document")
        if u in units and u != unit
    )
    for resampled, known, text in WARNINGS:
        if unit in resampled.split() and (known in units or not known):
            is_known = is_usual and text == SAME_PERSON
            return (
                [] if is_known else [text.format(unit=unit, known=known, others=others)]
            )
    return []


# --- what is tested and resampled -----------------------------------------------------


def collected_by(
    judgements: Judgements, campaign: Campaign | None, wanted: str | None
) -> tuple[str, ...]:
    """The units of tests and of resamples, and so of ranges of ranks and of tiers.

    The unit that is wanted; or else of assessments
    `pairwise_tests.units_of_collection`, and of comparisons the judges, or else the
    rankings, if there are enough of them for a test.

    Returns
    -------
    tuple of str
        Empty: single segments, or comparisons, are tested, and the largest unit is
        resampled.
    """
    from wmtlib.pairwise_tests import FEWEST_UNITS, judged_values, units_of_collection

    if wanted:
        return () if wanted == ("segment" if campaign else COMPARISON) else (wanted,)
    if campaign is not None:
        return units_of_collection(judged_values(campaign))
    units = (*JUDGES, "ranking")
    return tuple(u for u in units if number_of(judgements, u) >= FEWEST_UNITS)[:1]


def reason_for(by: tuple[str, ...], pairs: pd.DataFrame) -> str:
    """What the units of a test are, and why; for `pairs` see `cluster_lines.significance`."""
    if by:
        text = (
            f"The unit of the test is the {by[0]}: judgements of one {by[0]} are alike."
        )
        more = (
            " A difference has to hold by {0} too: {0}s came back to the same systems."
        )
        return text + "".join(more.format(unit) for unit in by[1:])
    text = f"The test takes {'comparisons' if 'wins' in pairs else 'segments'} for independent."
    if "common" in pairs:
        median, least = pairs["common"].median(), pairs["common"].min()
        text += f" Two systems share {median:g} segments (median; least: {least})."
    return text


def few_people(judgements: Judgements, by: tuple[str, ...]) -> list[str]:
    """That lines and intervals by these units do not speak of other judges, where there are few."""
    from wmtlib.pairwise_tests import FEWEST_UNITS

    person = "judge" if judgements.assessments is None else "worker"
    number = number_of(judgements, person)
    is_few = 0 < number < FEWEST_UNITS and by and person not in by
    text = f"{number} {person}(s) gave all judgements: lines and intervals do not say what other"
    return [f"{text} {person}s would think"] if is_few else []


def warnings_of_test(
    judgements: Judgements,
    campaign: Campaign | None,
    by: tuple[str, ...],
    pairs: pd.DataFrame,
) -> list[str]:
    """What lines between systems take for granted, by units or by single segments."""

    if campaign is None and not by:
        return warnings_for(judgements.units, COMPARISON)
    untested, few = (
        int(pairs["p"].isna().sum()),
        f"{pairwise_tests.FEWEST_COMMON} segments",
    )
    few = f"{pairwise_tests.FEWEST_UNITS} {' or '.join(by)}s that differ" if by else few
    text = f"{untested} of {len(pairs)} pairs of systems share fewer than {few}, and are not tested"
    found = [text] * (untested > 0)
    if campaign is None or by:
        return found
    values = pairwise_tests.judged_values(campaign)
    if not (units := pairwise_tests.units_of_collection(values)):
        return [*found, f"{NOT_SHARED}: segments are tested as if independent"]
    text = f"segments of one {units[0]} are tested as if independent, so that too many lines"
    effect = (
        f" (design effect {pairwise_tests.design_effect(values, units[0]):.1f})"
        * (len(units) == 1)
    )
    text += f" are drawn{effect}; leave out "
    settings = Message("clusters and unit", "--clusters and --unit")
    return [*found, joined(text, settings, f" to test by {units[0]}")]
