"""Campaigns of the package in place of a file: `wmt12:cs-en`, `wmt22:de-en`."""

import hashlib
from pathlib import Path

import pandas as pd

from wmtlib.assessments import encode
from study.explore import Subject
from study.data import (
    assessment_catalogue,
    assessment_releases,
    coded_campaigns,
    ranking_releases,
)
from study.data.sources import (
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    Source,
    mirror_folder,
    resolve,
)
from study.data.simulation import CAMPAIGNS
from wmtlib.reading.columns import OF_COMPARISONS
from wmtlib.reading.judgements import (
    Judgements,
    count_comparisons,
    of_assessments,
    of_comparisons,
)
from wmtlib.reading.read import read

COMPARED = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)  # the campaigns of comparisons


def load_campaign(name: str) -> Judgements:
    """The judgements of a campaign's task, as if they stood in a file.

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
        return of_assessments(frame, path=name, sha256=_sha256(frame), task=task)
    source = "mirror" if mirror_folder() else "embedded"
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    units = [unit for unit in OF_COMPARISONS if unit in comparisons]
    counted = count_comparisons(comparisons, units)
    return of_comparisons(
        counted,
        path=name,
        sha256=_sha256(counted),
        kind="pairwise",
        rows=len(comparisons),
        task=task,
    )


def _sha256(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


def available() -> pd.DataFrame:
    """Every campaign and task that can be loaded: name, kind, what there is of it."""
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


def load_subject(campaign: str, language_pair: str, *, source: Source) -> Subject:
    """A language pair of a campaign, or a task of relative rankings, for the explorer.

    An unknown one raises `DataError`.
    """
    if campaign in RELATIVE_CAMPAIGNS:
        counts = ranking_releases.load_counts(
            campaign, language_pair, source="embedded"
        )
        official = "expected-wins" if campaign == "wmt12" else "wmt-official"
        label = ranking_releases.label(campaign, language_pair)
        return Subject(label, counts, scorer=official)
    release = coded_campaigns.load_release(campaign, language_pair, source=source)
    return Subject(release.label, release.coded, humans=tuple(release.humans))


def offered() -> list[str]:
    """The names of the campaigns and tasks that `subject` can give here."""
    names = available()["name"]
    return [name for name in names if not name.startswith(LATER_RELATIVE)]


def subject(name: str) -> Subject:
    """What the explorer moves: a campaign's task such as `wmt12:cs-en`, or a file.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or the file cannot be read.
    """
    if not Path(name).exists():
        campaign, _, task = name.partition(":")
        source = resolve("mirror" if mirror_folder() else "embedded")
        return load_subject(campaign, task, source=source)
    judgements = read(name)
    label = Path(name).name
    if judgements.comparisons is None:
        return Subject(label, encode(judgements))
    return Subject(label, judgements.counts, scorer="expected-wins")
