"""Releases of direct assessment as coded campaigns (Knowles 2021, section Dataset).

Item-level releases are loaded as they are, WMT20 and 2018 German-English are recovered
from their segment means; where there are no raw files, simulated campaigns take their
place and are labelled so.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from study.data import assessment_catalogue, assessment_releases
from study.data import simulation as embedded
from study.data.sources import Source
from study.recovery.recover import RecoveredJudgements, recover
from study.run import keep
from wmtlib.core.assessments import Campaign, encode


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
    if campaign in embedded.CAMPAIGNS:
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
