"""Judgements of campaigns in raw files, by name: `wmt22:de-en`.

They are those of the commands of the study: `python -m study rank wmt22:de-en`.
"""

from dataclasses import replace

import pandas as pd

from study.data import assessment_catalogue, assessment_releases, ranking_releases
from study.data.simulation import CAMPAIGNS
from study.data.sources import (
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    mirror_folder,
    resolve,
)
from wmtlib.files import carried_counts
from wmtlib.files.contract import OF_COMPARISONS
from wmtlib.files.judgements import (
    Judgements,
    count_comparisons,
    of_assessments,
)

COMPARED = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)  # the campaigns of comparisons


def load_campaign(name: str) -> Judgements:
    """Load the judgements of a campaign's task, as `wmtlib.read` returns them.

    Raw files are those of `$WMTLIB_DATA`, or they are downloaded. Where no route has
    those of comparisons, they are the counts that the library carries, which know no
    judges and no segments; a warning says so, and why.

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
        sha256 = carried_counts.frame_sha256(frame)
        return of_assessments(frame, path=name, sha256=sha256, task=task)
    later = campaign in LATER_RELATIVE
    source = resolve("auto", LATER_RELATIVE if later else RELATIVE_CAMPAIGNS)
    if source.kind == "embedded":
        reason = source.notice or "the source is the embedded data"
        counts = carried_counts.load_campaign(name)
        return replace(counts, warnings=(carried_counts.carried_only(reason),))
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    units = [unit for unit in OF_COMPARISONS if unit in comparisons]
    counted = count_comparisons(comparisons, units)
    return carried_counts.of_campaign(counted, name, len(comparisons))


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
