"""Direct-assessment campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on the protocol;
then the HITs of a protocol, then scores. So the same seed gives every protocol the same world, and
differences between protocols are differences between paired campaigns.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import ASSESSMENTS, ITEMS
from wmtlib.judgements.errors import DataError
from wmtlib.simulation import hit_designs
from wmtlib.simulation.hit_designs import PROTOCOLS, Layout, Plan
from wmtlib.simulation.variance_estimates import EFFECTS, describe, variance_components

HUMAN = "HUMAN"
CALIBRATION = "calibration"  # the name of the HIT that every worker does
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

    def plan(self, length: np.ndarray) -> Plan:
        """What HITs are made from, given the documents' lengths in segments."""
        known = self.protocol in PROTOCOLS
        makeup = self.composition or PROTOCOLS[self.protocol if known else "SR-DC"]
        return Plan(self.protocol, self.ranked, length, makeup)

    @property
    def names(self) -> list[str]:
        """Of the systems, the human last."""
        letters = [chr(ord("A") + k % 26) * (1 + k // 26) for k in range(self.systems)]
        return [f"simulated-{x}.{k}" for k, x in enumerate(letters, 1)] + [HUMAN] * self.human


@dataclass(frozen=True)
class Simulated:
    """A campaign and what it tried to find out.

    Attributes
    ----------
    assessments : DataFrame
        One row a judgement, in the form that `datasets` gives.
    truth : Series, one value a system
        Points: what the average worker would give, averaged over the whole test set, before
        scores are bent and cut. Sorted by name.
    design : Design
    """

    assessments: pd.DataFrame
    truth: pd.Series
    design: Design


@dataclass(frozen=True)
class _World:
    """What a protocol finds: S systems, D documents, G segments, W workers."""

    length: np.ndarray  # (D,) of each document, in segments
    document: np.ndarray  # (G,) of each segment
    quality: np.ndarray  # (S, G) points above the mean
    leniency: np.ndarray  # (W,)
    scale: np.ndarray  # (W,)
    load: np.ndarray  # (W,) share of the HITs


def campaign(design: Design, rng: np.random.Generator) -> Simulated:
    """Simulate a campaign.

    Equal generators give equal worlds whatever the protocol, as long as systems, documents,
    workers and the spreads are the same.

    Parameters
    ----------
    design : Design
    rng : Generator

    Returns
    -------
    Simulated
        With exactly `design.judgements` rows; the last HIT may be cut short for that. HITs are in
        order, the calibration HIT first.
    """
    for_world, for_layout, for_scores = rng.spawn(3)
    world = _world(design, for_world)
    plan = design.plan(world.length)
    each = design.calibration
    common = hit_designs.layout(_calibrating(plan), each, for_layout)
    own = hit_designs.layout(plan, design.judgements - each * design.workers, for_layout)
    layout = hit_designs.joined(common[np.tile(np.arange(each), design.workers)], own)
    everyone = np.repeat(np.arange(design.workers), each)
    worker = np.concatenate([everyone, _assigned(own.hit, world.load, for_layout)])
    score = _scores(design, world, layout, worker, for_scores)
    truth = pd.Series(design.mean + world.quality.mean(axis=1), design.names, name="truth")
    return Simulated(_frame(design, world, layout, worker, score), truth.sort_index(), design)


def _calibrating(plan: Plan) -> Plan:
    """What the calibration HIT is made from: all systems are in it, with context or without."""
    context = plan.protocol in hit_designs.RUNS
    return replace(plan, protocol="SR+DC all systems per HIT" if context else "SR-DC")


def _world(design: Design, rng: np.random.Generator) -> _World:
    """Draw what there is to be judged, and who judges."""
    shape = (design.document_length / design.document_spread) ** 2
    size = rng.gamma(shape, design.document_length / shape, design.documents)
    length = np.clip(np.rint(size), 2, 60).astype(np.intp)
    draw = rng.standard_normal  # each effect is drawn, then stretched: spread 0 shifts no other
    segments, systems = int(length.sum()), design.systems + 1
    quality = draw(systems) * design.system
    document = draw(design.documents) * design.document
    segment = draw(segments) * design.segment + np.repeat(document, length)
    own = draw((systems, design.documents)) * design.system_document
    own = np.repeat(own, length, axis=1) + draw((systems, segments)) * design.system_segment
    quality[-1] = design.human_quality
    difficulty = np.append(np.ones(systems - 1), 0.0)  # none for the human
    if design.qualities is not None:
        quality[: design.ranked] = design.qualities
    leniency = draw(design.workers) * design.leniency
    scale = np.exp(draw(design.workers) * design.log_scale)
    load = rng.gamma(design.load, size=design.workers)
    quality = quality[:, None] + difficulty[:, None] * segment + own
    place = np.repeat(np.arange(design.documents), length)
    return _World(length, place, quality[: design.ranked], leniency, scale, load / load.sum())


def _assigned(hit: np.ndarray, load: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Worker of every item: each worker gets one HIT, the rest go by their share."""
    hits, workers = int(hit.max()) + 1, len(load)
    more = rng.choice(workers, max(hits - workers, 0), p=load)
    return rng.permutation(np.concatenate([rng.permutation(workers)[:hits], more]))[hit]


# --- Scores -------------------------------------------------------------------------------------


def _scores(
    design: Design, world: _World, layout: Layout, worker: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Whole numbers, 0..100, one an item."""
    shift = np.array([0, 0, design.ref_quality, design.bad_ref_quality])[layout.item]
    spread = np.array([0, 0, design.ref_spread, design.bad_ref_spread])[layout.item]
    quality = np.where(layout.item < 2, world.quality[layout.system, layout.segment], shift)
    quality += spread * rng.standard_normal(len(worker))
    if design.adaptation:
        seen = np.bincount(layout.hit, quality) / np.maximum(np.bincount(layout.hit), 1)
        quality -= design.adaptation * seen[layout.hit]
    if design.run:
        task = layout.hit * design.workers + worker
        place = task * len(world.length) + world.document[layout.segment]
        _, run = np.unique(place * design.ranked + layout.system, return_inverse=True)
        quality += design.run * rng.standard_normal(int(run.max()) + 1)[run]
    quality += design.residual * rng.standard_normal(len(worker))
    score = design.mean + world.leniency[worker] + world.scale[worker] * quality
    return np.rint(np.clip(_bent(score, design.softness, design.softness_low), 0, 100))


def _bent(score: np.ndarray, high: float, low: float) -> np.ndarray:
    """Bend scores over before 100 and before 0, over such distances, instead of cutting them."""
    if high:
        score = 100 - high * np.logaddexp(0, (100 - score) / high)
    return low * np.logaddexp(0, score / low) if low else score


def _frame(
    design: Design, world: _World, layout: Layout, worker: np.ndarray, score: np.ndarray
) -> pd.DataFrame:
    """The tidy frame; everything by name."""
    document = world.document[layout.segment]
    names = [CALIBRATION, *(f"hit_{k:04d}" for k in range(1, int(layout.hit.max()) + 1))]
    who = layout.hit - 1 if design.normalise == "hit" else worker
    workers = [f"worker_{k:04d}" for k in range(1, int(who.max()) + 2)]
    columns = {
        "hit": _named(names, layout.hit),
        "worker": _named(workers, who),
        "language_pair": _named([design.language_pair], np.zeros_like(who)),
        "system": _named(design.names, layout.system),
        "item": _named([*ITEMS], layout.item),
        "document": _named([f"document-{k:03d}" for k in range(1, design.documents + 1)], document),
        "segment": _named(
            [f"{k:05d}" for k in range(1, world.quality.shape[1] + 1)], layout.segment
        ),
        "score": score,
        "accepted": np.ones(len(score), dtype=bool),
    }
    return pd.DataFrame(columns, columns=ASSESSMENTS)


def _named(names: list[str], codes: np.ndarray) -> pd.Categorical:
    """Categories of text, sorted, without those that do not occur."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    order = used[np.argsort(np.array(names, dtype=object)[used])]
    place = np.empty(len(names), dtype=np.intp)
    place[order] = np.arange(len(order))
    return pd.Categorical.from_codes(place[codes], categories=[names[k] for k in order])


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

# --- Fitting ------------------------------------------------------------------------------------

# Where corrections start from, besides the components.
START = {
    "softness": 5.0,
    "softness_low": 5.0,
    "ref_quality": 25.0,
    "ref_spread": 5.0,
    "bad_ref_quality": -25.0,
    "bad_ref_spread": 15.0,
}
# Large enough for its raw scores to vary little by the draw of systems and workers.
TRIAL = {"systems": 24, "documents": 150, "judgements": 24_000, "workers": 240, "human": False}


def fitted(
    assessments: pd.DataFrame, *, seeds: Sequence[int], rounds: int = 20, **settings: Any
) -> Design:
    """A design whose simulated raw scores look like those of a real campaign.

    Bending and cutting scores makes every effect look smaller than it is. So, starting from the
    components as estimated, campaigns are simulated and the design is corrected until they agree
    with the real one in `variance_estimates.describe`: the mean; the standard deviation, by
    stretching all effects alike; the shares of 100s and 0s, by the softness; the spread of
    workers' means and standard deviations; and the quality control's mean and standard deviation.

    Parameters
    ----------
    assessments : DataFrame
        Columns `direct_assessments.ASSESSMENTS`.
    seeds : sequence of int
        Trial campaigns whose average is compared, the same in every round.
    rounds : int
        Number of corrections.
    **settings
        Fields of the result that say how much is judged, by what protocol: not those of the score.
    """
    design = Design.from_components(variance_components(assessments), **{**START, **settings})
    real = describe(assessments)
    for _ in range(rounds):
        trial = replace(design, **TRIAL, qualities=None, calibration=0, normalise="worker")
        found = pd.DataFrame(
            [describe(campaign(trial, np.random.default_rng(s)).assessments) for s in seeds]
        )
        design = _corrected(design, real, found.mean())
    return design


def _corrected(design: Design, real: pd.Series, found: pd.Series) -> Design:
    """The design after one correction; what the real campaign does not show stays."""
    off = (real - found).fillna(0.0)
    ratio = (real / found).where(np.isfinite(real / found), 1.0).clip(0.5, 2.0)
    changes = {name: getattr(design, name) * ratio["sd"] for name in (*EFFECTS, "residual")}
    changes["mean"] = design.mean + off["mean"]
    changes["leniency"] = design.leniency * ratio["worker_sd"]
    changes["log_scale"] = design.log_scale * ratio["worker_log_sd"]
    for name, share in (("softness", "hundreds"), ("softness_low", "zeros")):
        changes[name] = float(np.clip(getattr(design, name) / ratio[share] ** 0.5, 0.1, 30.0))
    for name in ("ref", "bad_ref"):
        quality, spread = getattr(design, f"{name}_quality"), getattr(design, f"{name}_spread")
        changes[f"{name}_quality"] = float(np.clip(quality + off[name] - off["mean"], -99, 99))
        changes[f"{name}_spread"] = float(np.clip(spread * ratio[f"{name}_sd"], 0.1, 99.0))
    return replace(design, **changes)


# Names under which small seeded campaigns stand in for released ones.
CAMPAIGNS = {f"simulated-{p.lower().replace(' ', '-')}": p for p in PROTOCOLS}
EMBEDDED = Design(systems=6, documents=40, judgements=4000, workers=20)


def embedded(campaign_name: str, language_pair: str) -> pd.DataFrame:
    """A small seeded campaign for when no raw data are at hand: assessments in the tidy form.

    Parameters
    ----------
    campaign_name : str
        One of `CAMPAIGNS`: `simulated-sr-dc`, `simulated-sr+dc` (with a human system), ...
    language_pair : str
        Two made-up codes, `qa-qb` to `qa-qz`; each pair is a campaign of its own.

    Raises
    ------
    DataError
        No such campaign, or no such pair.
    """
    if (protocol := CAMPAIGNS.get(campaign_name)) is None:
        known = ", ".join(CAMPAIGNS)
        raise DataError(f"no simulated campaign {campaign_name!r}; expected one of {known}")
    if re.fullmatch("qa-q[b-z]", language_pair) is None:
        raise DataError(f"no simulated pair {language_pair!r}; expected qa-qb, qa-qc, ... qa-qz")
    human = protocol.startswith("SR+DC")
    design = replace(EMBEDDED, protocol=protocol, human=human, language_pair=language_pair)
    return campaign(design, np.random.default_rng([2021, ord(language_pair[-1])])).assessments
