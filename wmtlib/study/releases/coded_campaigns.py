"""The releases of direct assessment as coded campaigns (Knowles 2021, section Dataset).

Item-level releases are loaded as they are, WMT20 and 2018 German-English are recovered
from their segment means; where there are no raw files, simulated campaigns take their
place, and say so.
"""

import itertools
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from wmtlib.assessments import Campaign, encode
from wmtlib.study import simulation as embedded
from wmtlib.study.recovery import recover
from wmtlib.study.releases import assessment_catalogue, assessment_releases
from wmtlib.study.releases.sources import Source
from wmtlib.study.running import keep


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
        """As tables and figures name it; what is recovered or simulated always says so."""
        remark = "" if self.level == "item" else f" ({self.level})"
        return f"{self.campaign} {self.language_pair}{remark}"

    def about(self, *names: str) -> dict[str, Any]:
        """Some of the attributes, as columns of a table."""
        return {name: getattr(self, name) for name in names}

    @property
    def humans(self) -> list[str]:
        """Human translations that were judged as systems."""
        return [name for name in self.coded.systems if name.upper().startswith("HUMAN")]


def load_release(campaign: str, language_pair: str, *, source: Source) -> Release:
    """One release: its judgements if they are public, else what its segment means prove.

    Raises
    ------
    DataError
        The release is unknown, or neither its judgements nor its segment means are at
        hand.
    """
    about = {"campaign": campaign, "language_pair": language_pair}
    if campaign in embedded.CAMPAIGNS:
        coded = encode(embedded.embedded_campaign(campaign, language_pair))
        about |= {
            "style": "SR+DC" if "+dc" in campaign else "SR-DC",
            "interface": "simulated",
        }
        return Release(**about, paper=False, level="simulated", share=1.0, coded=coded)
    row = assessment_catalogue.entry(campaign, language_pair)
    about |= {"style": row.style, "interface": row.interface, "paper": row.paper}
    if assessment_catalogue.status(row, source)[0] != "partial":
        judgements = assessment_releases.load_assessments(
            campaign, language_pair, source=source
        )
        return Release(**about, level="item", share=1.0, coded=encode(judgements))
    means = assessment_releases.load_segment_means(
        campaign, language_pair, source=source
    )
    depends_on = [campaign, language_pair, row.style, keep.frame_sha256(means)]
    what = means, language_pair, row.style
    share, coded = keep.result("recovered", depends_on, _recovered, *what)
    return Release(**about, level="recovered", share=share, coded=Campaign(**coded))


def _recovered(
    means: pd.DataFrame, language_pair: str, style: str
) -> tuple[float, dict[str, Any]]:
    """What the segment means of a language pair prove: the share that is known, the judgements.

    The judgements are the attributes of a `Campaign`.
    """
    # Single sentences (SR-DC): identical outputs were judged once, and a human system
    # stands for the references of quality control.
    sentences = style == "SR-DC"
    humans = [
        name for name in means["system"].unique() if name.upper().startswith("HUMAN")
    ]
    options = {"references": humans if sentences else [], "joint": sentences}
    judgements = recover.recover(means, language_pair=language_pair, **options)
    return judgements.share, asdict(
        encode(judgements.assessments, judgements.remaining_items)
    )


def load_all(source: Source, pairs: Iterable[tuple[str, str]]) -> list[Release]:
    """Several releases, (campaign, language pair), in the order given."""
    return [load_release(*pair, source=source) for pair in pairs]


def simulated() -> list[tuple[str, str]]:
    """The simulated campaigns that stand in where there are no raw files."""
    campaigns, pairs = (
        ("simulated-sr-dc", "simulated-sr+dc"),
        ("qa-qb", "qa-qc", "qa-qd"),
    )
    return list(itertools.product(campaigns, pairs))
