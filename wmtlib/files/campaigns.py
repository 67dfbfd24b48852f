"""Campaigns of the package in place of a file: `wmt12:cs-en`, `wmt22:de-en`."""

import hashlib

import pandas as pd

from wmtlib.files import direct_assessment_files
from wmtlib.files.column_names import UNITS
from wmtlib.files.ranking_files import count_comparisons
from wmtlib.files.user_judgements import Judgements
from wmtlib.study import simulation as embedded
from wmtlib.study.releases import assessment_catalogue, assessment_releases, ranking_releases
from wmtlib.study.releases.sources import LATER_RELATIVE, RELATIVE_CAMPAIGNS, mirror_folder

COMPARED = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)  # the campaigns of comparisons


def load_campaign(name: str) -> Judgements:
    """The judgements of a campaign's task, as if they stood in a file.

    Comparisons are those of the raw files if `$WMTLIB_DATA` is set, else embedded counts, which
    know no judges and segments.

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
        return direct_assessment_files.from_frame(frame, name, task, _sha256(frame))
    source = "mirror" if mirror_folder() else "embedded"
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    systems = sorted({*comparisons["system_1"], *comparisons["system_2"]})
    units = [unit for unit in UNITS["rankings"] if unit in comparisons]
    counted = count_comparisons(comparisons, systems, units)
    return Judgements(
        path=name,
        kind="pairwise",
        rows=len(comparisons),
        systems=tuple(systems),
        units=tuple(units),
        task=task,
        sha256=_sha256(counted),
        comparisons=counted,
    )


def _sha256(frame: pd.DataFrame) -> str:
    return hashlib.sha256(frame.to_csv(index=False).encode()).hexdigest()


def available() -> pd.DataFrame:
    """Every campaign and task that can be loaded here: name, kind, what there is of it."""
    tasks = ranking_releases.tasks("embedded", COMPARED)
    detail = "single rankings" if mirror_folder() else "embedded counts"
    rows = [
        (f"{t.campaign}:{t.task}", "comparisons", f"{t.comparisons}, {t.systems} systems; {detail}")
        for t in tasks.itertuples()
    ]
    found = assessment_catalogue.availability("mirror" if mirror_folder() else "embedded")
    rows += [
        (f"{t.campaign}:{t.language_pair}", "assessments", f"single judgements, {t.style}")
        for t in found[found["status"] == "present"].itertuples()
    ]
    rows += [(f"{name}:qa-qb", "assessments", "simulated") for name in embedded.CAMPAIGNS]
    return pd.DataFrame(rows, columns=["name", "kind", "data"])
