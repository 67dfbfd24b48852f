"""Campaigns by their names, such as `wmt22:de-en`, in the forms that are asked for.

- `load_judgements`: what a file of a user would be, for `python -m study rank NAME`;
- `load_release`: a coded campaign of direct assessment and what is known of it, for the
  replication of Knowles (2021, section Dataset);
- `load_subject`: counts or a coded campaign, to be ranked by the explorer.

Item-level releases of direct assessment are loaded as they are, WMT20 and 2018
German-English are recovered from their segment means; where there are no raw files,
simulated campaigns take their place and are labelled so. `available` lists the names.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from study.data import (
    assessment_catalogue,
    assessment_releases,
    ranking_releases,
    simulation,
)
from study.data.sources import (
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    Source,
    mirror_folder,
    resolve,
)
from study.recovery.recover import RecoveredJudgements, recover
from study.run import keep
from wmtlib.core.assessments import Campaign, encode
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.files import carried_counts
from wmtlib.files.contract import OF_COMPARISONS
from wmtlib.files.judgements import (
    Judgements,
    count_comparisons,
    of_assessments,
)

COMPARED = (*RELATIVE_CAMPAIGNS, *LATER_RELATIVE)  # the campaigns of comparisons


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
    rows += [
        (f"{name}:qa-qb", "assessments", "simulated") for name in simulation.CAMPAIGNS
    ]
    return pd.DataFrame(rows, columns=["name", "kind", "data"])


# --- as if they were in a file --------------------------------------------------------


def load_judgements(name: str) -> Judgements:
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
    >>> load_judgements("simulated-sr-dc:qa-qb").systems[:2]
    ('simulated-A.1', 'simulated-B.2')
    """
    campaign, _, task = name.partition(":")
    if campaign not in COMPARED:
        frame = assessment_releases.load_assessments(campaign, task)
        sha256 = carried_counts.frame_sha256(frame)
        return of_assessments(frame, path=name, sha256=sha256, task=task)
    source = ranking_releases.resolved(campaign, "auto")
    if source.kind == "embedded":
        reason = source.notice or "the source is the embedded data"
        counts = carried_counts.load_campaign(name)
        return replace(counts, warnings=(carried_counts.carried_only(reason),))
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    units = [unit for unit in OF_COMPARISONS if unit in comparisons]
    counted = count_comparisons(comparisons, units)
    return carried_counts.of_campaign(counted, name, len(comparisons))


# --- coded releases of direct assessment ----------------------------------------------


@dataclass(frozen=True)
class Release:
    """The judgements of one language pair of one campaign.

    Attributes
    ----------
    campaign, language_pair, style, interface : str
        style is "SR-DC", "SR+DC" or "mixed".
    paper : bool
        Whether Knowles (2021) uses it.
    level : str
        "item" (released judgement by judgement), "recovered" (proven from segment
        means; see `recovery`) or "simulated".
    share : float
        Least share, over systems, of the judgements that are known one by one; 1 at
        item level.
    coded : Campaign
    """

    campaign: str
    language_pair: str
    style: str
    interface: str
    paper: bool
    level: str
    share: float
    coded: Campaign

    @property
    def label(self) -> str:
        """Return the name in tables and figures; it names what is not released."""
        remark = "" if self.level == "item" else f" ({self.level})"
        return f"{self.campaign} {self.language_pair}{remark}"

    def about(self, *names: str) -> dict[str, Any]:
        """Return some of the attributes, as columns of a table."""
        return {name: getattr(self, name) for name in names}

    @property
    def humans(self) -> list[str]:
        """Return human translations that were judged as systems."""
        return _humans(self.coded.systems)


def load_release(campaign: str, language_pair: str, *, source: str | Source) -> Release:
    """Load a release: its judgements if public, else those that means prove.

    Raises
    ------
    DataError
        The release is unknown, or neither its judgements nor its segment means are at
        hand.
    """
    if campaign in simulation.CAMPAIGNS:
        style = "SR+DC" if "+dc" in campaign else "SR-DC"
        interface = level = "simulated"
        paper = False
    else:
        row = assessment_catalogue.entry(campaign, language_pair)
        style, interface, paper = row.style, row.interface, row.paper
        is_partial = assessment_catalogue.status(row, source)[0] == "partial"
        level = "recovered" if is_partial else "item"
    if level == "recovered":
        means = assessment_releases.load_segment_means(
            campaign, language_pair, source=source
        )
        depends_on = [campaign, language_pair, style, keep.frame_sha256(means)]
        tables = keep.result(
            "recovered", depends_on, _recover, means, language_pair, style
        )
        judgements = RecoveredJudgements(**tables)
        share = judgements.share
        coded = encode(judgements.assessments, judgements.remaining_items)
    else:
        share = 1.0
        coded = encode(
            assessment_releases.load_assessments(campaign, language_pair, source=source)
        )
    return Release(
        campaign=campaign,
        language_pair=language_pair,
        style=style,
        interface=interface,
        paper=paper,
        level=level,
        share=share,
        coded=coded,
    )


def _recover(
    means: pd.DataFrame, language_pair: str, style: str
) -> dict[str, pd.DataFrame]:
    """Recover the tables of `RecoveredJudgements`, by their names."""
    # Single sentences (SR-DC): identical outputs were judged once, and a human system
    # takes the place of the references of quality control.
    sentences = style == "SR-DC"
    judgements = recover(
        means,
        language_pair=language_pair,
        joint=sentences,
        references=_humans(means["system"].unique()) if sentences else [],
    )
    return vars(judgements)


def _humans(systems: Iterable[str]) -> list[str]:
    """Return systems that are human translations, by their names."""
    return [name for name in systems if name.upper().startswith("HUMAN")]


def load_all(source: Source, pairs: Iterable[tuple[str, str]]) -> list[Release]:
    """Load several releases, (campaign, language pair), in the order given."""
    return [load_release(*pair, source=source) for pair in pairs]


def simulated() -> list[tuple[str, str]]:
    """Return the simulated campaigns that are used without raw files."""
    campaigns = ("simulated-sr-dc", "simulated-sr+dc")
    pairs = ("qa-qb", "qa-qc", "qa-qd")
    return list(itertools.product(campaigns, pairs))


# --- what the explorer ranks ----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Subject:
    """A language pair of direct assessment, or a task of relative rankings.

    Attributes
    ----------
    label : str
    data : Counts or Campaign
    humans : sequence of names
        The human translations among the systems.
    scorer : str
        The method that ranks relative rankings officially; "" for direct assessment.
    """

    label: str
    data: Counts | Campaign
    humans: Sequence[str] = ()
    scorer: str = ""

    @property
    def systems(self) -> list[str]:
        """Return the systems that can be left out, sorted."""
        return [name for name in self.data.systems if name != REFERENCE]


def load_subject(name: str, *, source: Source | None = None) -> Subject:
    """Load a campaign's language pair or task as the explorer ranks it.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or its judgements are not at hand.
    """
    campaign, _, task = name.partition(":")
    source = source or resolve("mirror" if mirror_folder() else "embedded")
    if campaign in RELATIVE_CAMPAIGNS:
        counts = ranking_releases.load_counts(campaign, task, source="embedded")
        scorer = "expected-wins" if campaign == "wmt12" else "wmt-official"
        return Subject(ranking_releases.label(campaign, task), counts, scorer=scorer)
    release = load_release(campaign, task, source=source)
    return Subject(release.label, release.coded, release.humans)
