"""Judgements of campaigns in raw files, by name: `wmt22:de-en`."""

import pandas as pd

from study.data import assessment_catalogue, assessment_releases, ranking_releases
from study.data.simulation import CAMPAIGNS
from study.data.sources import (
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    mirror_folder,
)
from wmtlib.public import frame_sha256, of_campaign
from wmtlib.reading.columns import OF_COMPARISONS
from wmtlib.reading.judgements import (
    Judgements,
    count_comparisons,
    of_assessments,
)

COMPARED = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)  # the campaigns of comparisons


def load_campaign(name: str) -> Judgements:
    """Load the judgements of a campaign's task, as `wmtlib.read` returns them.

    Comparisons are those of the raw files if `$WMTLIB_DATA` is set, else embedded
    counts, which know no judges and segments.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or its judgements are not at hand.

    Examples
    --------
    >>> load_campaign("simulated-sr-dc:qa-qb").systems[:2]
    ('simulated-A.1', 'simulated-B.2')
    """
    campaign, _, task = name.partition(":")
    if campaign not in COMPARED:
        frame = assessment_releases.load_assessments(campaign, task)
        return of_assessments(frame, path=name, sha256=frame_sha256(frame), task=task)
    source = "mirror" if mirror_folder() else "embedded"
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    units = [unit for unit in OF_COMPARISONS if unit in comparisons]
    return of_campaign(count_comparisons(comparisons, units), name, len(comparisons))


def available() -> pd.DataFrame:
    """Return every campaign and task that can be loaded: name, kind, data."""
    detail = "single rankings" if mirror_folder() else "embedded counts"
    rows = [
        (
            f"{task.campaign}:{task.task}",
            "comparisons",
            f"{task.comparisons}, {task.systems} systems; {detail}",
        )
        for task in ranking_releases.tasks("embedded", COMPARED).itertuples()
    ]
    source = "mirror" if mirror_folder() else "embedded"
    pairs = assessment_catalogue.availability(source)
    rows += [
        (
            f"{pair.campaign}:{pair.language_pair}",
            "assessments",
            f"single judgements, {pair.style}",
        )
        for pair in pairs[pairs["status"] == "present"].itertuples()
    ]
    rows += [(f"{name}:qa-qb", "assessments", "simulated") for name in CAMPAIGNS]
    return pd.DataFrame(rows, columns=["name", "kind", "data"])
