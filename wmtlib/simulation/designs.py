"""The design of a simulated campaign: what is judged, by whom, and what makes up a score."""

from dataclasses import dataclass

import numpy as np

from wmtlib.judgements.errors import DataError
from wmtlib.simulation.hit_designs import PROTOCOLS, STANDARD, HitPlan
from wmtlib.simulation.variance_estimates import EFFECTS

HUMAN = "HUMAN"
NOT_NEGATIVE = (
    *(*EFFECTS, "residual", "leniency", "log_scale", "ref_spread", "bad_ref_spread"),
    *("softness", "softness_low", "calibration_hit"),
)
POSITIVE = ("documents", "workers", "document_length", "document_spread", "workload_shape")


@dataclass(frozen=True)
class Design:
    """A campaign to be simulated.

    The raw score of worker w for segment g of document d by system s is

        mean + leniency_w + exp(log_scale_w) (system_s + document_d + system_document_sd
                                              + segment_g + system_segment_sg + residual),

    bent at both ends (`softness`), rounded and cut to 0..100. Every effect is normal with mean 0;
    the fields below with the name of an effect are its standard deviation. A human translation
    has no document and segment difficulty (Figure 5: it is good throughout). The
    defaults of the score come from WMT17 (`design_fit`).

    Attributes
    ----------
    protocol : str
        One of `PROTOCOLS`.
    systems, documents, workers : int
        Numbers of each; a human system is not counted.
    human : bool
        Whether a human translation, `HUMAN`, is judged like a system.
    document_length, document_spread : float
        Mean and standard deviation of a document's length, in segments (gamma, 2 to 60).
    judgements : int
        Cost: number of judgements of all kinds, quality control and the calibration HIT included.
    workload_shape : float
        Shape of the gamma distribution of a worker's share of the HITs; small: a few workers do
        most.
    normalise : "worker" or "hit"
        What the column `worker` of the result identifies; "hit" is what Appraise did (footnote 12).
    calibration_hit : int
        Items of a common HIT of all systems' outputs that every worker does first (section 8); 0
        for none.
    mean : float
        Points: the average system, judged by the average worker.
    system, document, system_document, segment, system_segment, residual : float
        Points. `residual` is what differs when one worker judges one output twice.
    leniency : float
        Points.
    log_scale : float
        Natural logarithm of the worker's scale.
    human_quality, ref_quality, bad_ref_quality : float
        Points above `mean`.
    ref_spread, bad_ref_spread : float
        Points: standard deviation of such items, residual excluded.
    softness, softness_low : float
        Points: the distance over which scores bend towards 100, and towards 0; 0 cuts them off.
    qualities : tuple of float, optional
        Points above `mean`, one per system (the human last); by default they are drawn.
    language_pair : str
        Label of every row.

    Raises
    ------
    DataError
        Numbers that no campaign can have.
    """

    protocol: str = "SR-DC"
    systems: int = 8
    human: bool = False
    documents: int = 120
    document_length: float = 17.0
    document_spread: float = 8.0
    judgements: int = 15_000
    workers: int = 75
    workload_shape: float = 1.0
    normalise: str = "worker"
    calibration_hit: int = 0
    mean: float = 86.5
    system: float = 6.4
    document: float = 8.1
    system_document: float = 2.5
    segment: float = 15.2
    system_segment: float = 15.1
    residual: float = 30.9
    leniency: float = 17.8
    log_scale: float = 0.39
    human_quality: float = 15.0
    ref_quality: float = 63.7
    ref_spread: float = 8.3
    bad_ref_quality: float = -36.8
    bad_ref_spread: float = 36.7
    softness: float = 13.2
    softness_low: float = 13.6
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


# The scores of WMT21 and WMT22, with document context, by `design_fit`. There a document by one
# system was judged by one worker only, so `system_document` holds that worker's impression too.
WITH_CONTEXT = {
    "mean": 79.3,
    "system": 4.9,
    "document": 2.4,
    "system_document": 11.8,
    "segment": 9.2,
    "system_segment": 12.5,
    "residual": 22.9,
    "leniency": 18.9,
    "log_scale": 0.59,
    "softness": 12.4,
    "softness_low": 6.8,
    "ref_quality": 59.4,
    "ref_spread": 43.7,
    "bad_ref_quality": -22.5,
    "bad_ref_spread": 23.9,
}
