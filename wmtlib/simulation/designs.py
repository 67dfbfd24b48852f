"""The design of a simulated campaign: what is judged, by whom, and what scores consist of."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.simulation.hit_designs import PROTOCOLS, HitPlan
from wmtlib.simulation.variance_estimates import EFFECTS

HUMAN = "HUMAN"
SPREADS = [*EFFECTS, "run", "residual", "leniency", "log_scale", "ref_spread", "bad_ref_spread"]
SPREADS += ["softness", "softness_low", "adaptation", "calibration"]  # none of these is negative


@dataclass(frozen=True)
class Design:
    """A campaign to be simulated.

    The raw score of worker w for segment g of document d by system s is

        mean + leniency_w + exp(log_scale_w) (system_s + document_d + system_document_sd
                                              + segment_g + system_segment_sg + residual),

    bent at both ends (`softness`), rounded and cut to 0..100. Every effect is normal with mean 0;
    the fields below that carry an effect's name are its standard deviation. A human translation
    has no document and segment difficulty (Figure 5: it is good throughout).

    Attributes
    ----------
    protocol : str
        One of `PROTOCOLS`.
    systems, documents, workers : int
        How many. A human system comes on top.
    human : bool
        A human translation, `HUMAN`, is judged like a system.
    document_length, document_spread : float
        Mean and standard deviation of a document's length, in segments (gamma, 2 to 60).
    judgements : int
        Cost: number of judgements of all kinds, quality control and calibration included.
    composition : tuple of 4 int, optional
        SYSTEM, REPEAT, REF and BAD_REF items of a HIT; the protocol's own if not given. With
        document context, whole documents up to the first number, and whole documents of the HIT
        once more, up to the sum of the others, in their proportion.
    load : float
        Shape of the gamma distribution of a worker's share of the HITs; small = few do most.
    normalise : "worker" or "hit"
        What the column `worker` of the result identifies; "hit" is what Appraise did (footnote 12).
    calibration : int
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
    run : float
        Points: a worker's impression of one system's document in a HIT, shared by its segments.
    softness, softness_low : float
        Points. Towards 100, and towards 0, scores bend over such a distance; 0 cuts them off.
    adaptation : float
        Share, 0..1, of a HIT's mean quality by which workers shift their scale ("judges
        'calibrate' the way they use the scale depending on the general observed quality").
    qualities : tuple of float, optional
        Points above `mean`, one a system (the human last): instead of drawing them.
    language_pair : str
        Label of every row.
    """

    protocol: str = "SR-DC"
    systems: int = 8
    human: bool = False
    documents: int = 120
    document_length: float = 17.0
    document_spread: float = 8.0
    judgements: int = 15_000
    workers: int = 75
    load: float = 1.0
    composition: tuple[int, int, int, int] | None = None
    normalise: str = "worker"
    calibration: int = 0
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
    run: float = 0.0
    softness: float = 13.2
    softness_low: float = 13.6
    adaptation: float = 0.0
    qualities: tuple[float, ...] | None = None
    language_pair: str = "qa-qb"

    def __post_init__(self) -> None:
        self.plan(np.ones(1, dtype=np.intp))
        for name in SPREADS:
            if not getattr(self, name) >= 0:
                raise DataError(f"{name} is {getattr(self, name)}; expected 0 or more")
        for name in ("documents", "workers", "document_length", "document_spread", "load"):
            if not getattr(self, name) > 0:
                raise DataError(f"{name} is {getattr(self, name)}; expected more than 0")
        if self.normalise not in ("worker", "hit"):
            raise DataError(f"normalise is {self.normalise!r}; expected worker or hit")
        if self.calibration and self.normalise == "hit":
            raise DataError("calibration needs to know who judged; expected normalise='worker'")
        if self.qualities is not None and len(self.qualities) != self.ranked:
            raise DataError(
                f"{len(self.qualities)} qualities; expected {self.ranked}, one a system"
            )
        if self.judgements <= self.calibration * self.workers:
            raise DataError("calibration alone takes all the judgements")

    @classmethod
    def from_components(cls, components: pd.Series, **settings: Any) -> "Design":
        """A design whose effects spread as estimated, as they are; see `fitted` for a closer one.

        Parameters
        ----------
        components : Series
            As `variance_estimates.variance_components` gives; what could not be estimated is taken
            as 0.
        **settings
            The other fields.
        """
        return cls(**components.fillna(0.0).to_dict(), **settings)

    @property
    def ranked(self) -> int:
        """Number of systems, the human included."""
        return self.systems + self.human

    def plan(self, length: np.ndarray) -> HitPlan:
        """What HITs are made from, given the documents' lengths in segments."""
        known = self.protocol in PROTOCOLS
        makeup = self.composition or PROTOCOLS[self.protocol if known else "SR-DC"]
        return HitPlan(self.protocol, self.ranked, length, makeup)

    @property
    def names(self) -> list[str]:
        """Of the systems, the human last."""
        letters = [chr(ord("A") + k % 26) * (1 + k // 26) for k in range(self.systems)]
        return [f"simulated-{x}.{k}" for k, x in enumerate(letters, 1)] + [HUMAN] * self.human


# Means of what `fitted` gives, with seeds 0 to 2, for real campaigns. The defaults of `Design` are
# WMT17's de-en, ru-en and cs-en (without document context; the human's quality is not fitted),
# these are WMT21's cs-en and de-en and WMT22's cs-en, de-en and ja-en (with). In the latter a
# document by one system was judged by one worker only, so `system_document` holds that worker's
# impression, `run`, too.
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
