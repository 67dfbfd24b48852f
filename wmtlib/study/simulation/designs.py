"""The design of a simulated campaign: what is judged, by whom, and what makes up a score."""

import csv
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from wmtlib.errors import DataError
from wmtlib.study.simulation.hit_designs import PROTOCOLS, STANDARD, HitPlan
from wmtlib.study.simulation.variance_estimates import EFFECTS

WORLDS = Path(__file__).parents[2] / "data" / "worlds.csv"  # style, field, value
HUMAN = "HUMAN"
NOT_NEGATIVE = (
    *(*EFFECTS, "residual", "leniency", "log_scale", "ref_spread", "bad_ref_spread"),
    *("softness", "softness_low", "calibration_hit"),
)
POSITIVE = ("documents", "workers", "document_length", "document_spread", "workload_shape")


@dataclass(frozen=True, kw_only=True)
class Design:
    """A campaign to be simulated; `calibrated` gives one that is like real campaigns.

    The raw score of worker w for segment g of document d by system s is

        mean + leniency_w + exp(log_scale_w) (system_s + document_d + system_document_sd
                                              + segment_g + system_segment_sg + residual),

    bent at both ends (`softness`), rounded and cut to 0..100. Every effect is normal with mean 0;
    the fields below with the name of an effect are its standard deviation. A human translation
    has no document and segment difficulty (Figure 5: it is good throughout).

    Attributes
    ----------
    systems, documents, workers : int
        Numbers of each; a human system is not counted.
    document_length, document_spread : float
        Mean and standard deviation of a document's length, in segments (gamma, 2 to 60).
    judgements : int
        Cost: number of judgements of all kinds, quality control and the calibration HIT included.
    workload_shape : float
        Shape of the gamma distribution of a worker's share of the HITs; small: a few workers do
        most.
    mean : float
        Points: the average system, judged by the average worker.
    system, document, system_document, segment, system_segment, residual : float
        Points. `residual` is what differs when one worker judges one output twice.
    leniency : float
        Points.
    log_scale : float
        Natural logarithm of the worker's scale.
    ref_quality, bad_ref_quality : float
        Points above `mean`.
    ref_spread, bad_ref_spread : float
        Points: standard deviation of such items, residual excluded.
    softness, softness_low : float
        Points: the distance over which scores bend towards 100, and towards 0; 0 cuts them off.
    protocol : str
        One of `PROTOCOLS`.
    human_quality : float, optional
        Points above `mean` of a human translation, `HUMAN`, that is judged like a system; by
        default there is none.
    normalise : "worker" or "hit"
        What the column `worker` of the result identifies; "hit" is what Appraise did (footnote 12).
    calibration_hit : int
        Items of a common HIT of all systems' outputs that every worker does first (section 8); 0
        for none.
    qualities : tuple of float, optional
        Points above `mean`, one per system (the human last); by default they are drawn.
    language_pair : str
        Label of every row.

    Raises
    ------
    DataError
        Numbers that no campaign can have.
    """

    systems: int
    documents: int
    workers: int
    document_length: float
    document_spread: float
    judgements: int
    workload_shape: float
    mean: float
    system: float
    document: float
    system_document: float
    segment: float
    system_segment: float
    residual: float
    leniency: float
    log_scale: float
    ref_quality: float
    ref_spread: float
    bad_ref_quality: float
    bad_ref_spread: float
    softness: float
    softness_low: float
    protocol: str
    human_quality: float | None = None
    normalise: str = "worker"
    calibration_hit: int = 0
    qualities: tuple[float, ...] | None = None
    language_pair: str = "qa-qb"

    def __post_init__(self) -> None:
        self.hit_plan(np.ones(1, dtype=np.intp))
        for name in NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise DataError(f"{name} is {getattr(self, name)}; expected 0 or more")
        for name in POSITIVE:
            if not getattr(self, name) > 0:
                raise DataError(f"{name} is {getattr(self, name)}; expected more than 0")
        if self.normalise not in ("worker", "hit"):
            raise DataError(f"normalise is {self.normalise!r}; expected worker or hit")
        if self.calibration_hit and self.normalise == "hit":
            raise DataError("calibration_hit needs workers; expected normalise='worker'")
        if self.qualities is not None and len(self.qualities) != self.judged_systems:
            expected = f"expected {self.judged_systems}, one per system"
            raise DataError(f"{len(self.qualities)} qualities; {expected}")
        if self.judgements <= self.calibration_hit * self.workers:
            raise DataError("the calibration HIT alone takes all the judgements")

    @property
    def human(self) -> bool:
        """Whether a human translation is judged like a system."""
        return self.human_quality is not None

    @property
    def judged_systems(self) -> int:
        """Number of systems, the human included."""
        return self.systems + self.human

    @property
    def names(self) -> list[str]:
        """Names of the systems, the human last."""
        letters = [chr(ord("A") + k % 26) * (1 + k // 26) for k in range(self.systems)]
        return [f"simulated-{x}.{k}" for k, x in enumerate(letters, 1)] + [HUMAN] * self.human

    def hit_plan(self, length: np.ndarray) -> HitPlan:
        """The plan of the HITs, given the documents' lengths in segments."""
        makeup = PROTOCOLS.get(self.protocol, STANDARD)
        return HitPlan(self.protocol, self.judged_systems, length, makeup)


def calibrated(style: str, **changes: Any) -> Design:
    """A design whose campaigns look like real ones of a style, in size and in scores.

    The numbers come from a file that notebook 34-calibration writes (`design_fit`).

    Parameters
    ----------
    style : "SR-DC" or "SR+DC"
        WMT17 and WMT18, or WMT21 and WMT22: all pairs into English that were released judgement
        by judgement. It is the protocol too.
    **changes
        Fields of the design that are to be different.
    """
    with open(WORLDS, newline="", encoding="utf-8") as file:
        values = {r["field"]: r["value"] for r in csv.DictReader(file) if r["style"] == style}
    if not values:
        raise DataError(f"style is {style!r}; expected SR-DC or SR+DC")
    known = {f.name: f.type(values[f.name]) for f in fields(Design) if f.name in values}
    return Design(**{"protocol": style, **known, **changes})
