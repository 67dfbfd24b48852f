"""Why the intervals of a bootstrap may be too narrow."""

from collections.abc import Collection

from wmtlib.counts import COMPARISON

ALIKE = (
    "comparisons of one {others} are treated as independent: intervals may be too narrow; resample"
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
WARNINGS = (  # the unit that was resampled, a unit that the data know too ("": any), the warning
    (
        COMPARISON,
        "ranking",
        "comparisons of one ranking are not independent, but were drawn one by one: intervals are"
        " too narrow; resample {others}",
    ),
    (COMPARISON, "judge", ALIKE),
    (COMPARISON, "segment", ALIKE),
    (
        COMPARISON,
        "",
        "the file does not tell who judged what: if judges gave several comparisons each,"
        " intervals are too narrow",
    ),
    ("ranking", "judge", SAME_PERSON),
    ("segment", "judge", SAME_PERSON),
    ("hit", "worker", SAME_PERSON),
    ("document", "worker", SAME_PERSON),
    (
        "segment",
        "document",
        "segments of one document are treated as independent: intervals may be too narrow; resample"
        " document",
    ),
    ("segment", "worker", SAME_PERSON),
    ("judge", "segment", GIVEN),
    ("worker", "segment", GIVEN),
)


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
    others = " or ".join(u for u in ("ranking", "judge", "segment") if u in units and u != unit)
    for resampled, known, text in WARNINGS:
        if unit == resampled and (known in units or not known):
            return [text.format(unit=unit, known=known, others=others)]
    return []
