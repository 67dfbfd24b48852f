"""Direct-assessment campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on the protocol;
then the HITs of a protocol, then scores. So the same seed gives every protocol the same world, and
protocols are compared on pairs of campaigns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from wmtlib.counts import ASSESSMENTS, ITEMS, sorted_categories
from wmtlib.study.simulation.designs import Design
from wmtlib.study.simulation.hit_designs import RUNS, HitItems, hit_items
from wmtlib.zscores import Campaign

CALIBRATION_HIT = "calibration"  # the name of the HIT that every worker does


@dataclass(frozen=True, eq=False)
class World:
    """All that does not depend on the protocol: S systems, D documents, G segments, W workers.

    Attributes
    ----------
    document : ndarray of int, (G,)
        Of each segment.
    difficulty : ndarray, (D,)
        Points: the effect of each document; the higher, the easier.
    quality : ndarray, (S, G)
        Points above the mean of each output, difficulty included.
    leniency, scale, workload : ndarray, (W,)
        Points, a factor, and the share of the HITs.
    """

    document: np.ndarray
    difficulty: np.ndarray
    quality: np.ndarray
    leniency: np.ndarray
    scale: np.ndarray
    workload: np.ndarray


@dataclass(frozen=True, eq=False)
class SimulatedCampaign:
    """A campaign and the world that it was drawn from.

    Attributes
    ----------
    design : Design
    world : World
    items : HitItems
        What was judged, and in which HIT; HIT 0 is the calibration HIT.
    worker : ndarray of int, (judgements,)
    score : ndarray of float64, (judgements,)
        Whole numbers from 0 to 100.
    """

    design: Design
    world: World
    items: HitItems
    worker: np.ndarray
    score: np.ndarray

    @cached_property
    def truth(self) -> pd.Series:
        """True quality of every system, sorted by name.

        Points: what the average worker would give, averaged over the whole test set, before
        scores are bent and cut.
        """
        mean = self.design.mean + self.world.quality.mean(axis=1)
        return pd.Series(mean, self.design.names, name="truth").sort_index()

    @cached_property
    def assessments(self) -> pd.DataFrame:
        """One row per judgement, as `tidy_assessments` gives them."""
        return _assessments(self)

    @cached_property
    def coded(self) -> Campaign:
        """The judgements as arrays: what `encoding.encode` makes of `assessments`, sooner."""
        return _coded(self)


def campaign(design: Design, rng: np.random.Generator) -> SimulatedCampaign:
    """Simulate a campaign.

    Equal generators give equal worlds whatever the protocol, as long as systems, documents,
    workers and the spreads are the same.

    Returns
    -------
    SimulatedCampaign
        With exactly `design.judgements` judgements; the last HIT may be cut short for that. HITs
        are in order, the calibration HIT first.
    """
    for_world, for_hits, for_scores = rng.spawn(3)
    world = _world(design, for_world)
    plan, workers = design.hit_plan(np.bincount(world.document)), design.workers
    items = hit_items(plan, design.judgements - design.calibration_hit * workers, for_hits)
    worker = _assigned(items.hit, world.workload, for_hits)
    items = items._replace(hit=items.hit + 1)
    if design.calibration_hit:  # of all systems, with context or without; every worker does it
        protocol = "SR+DC all systems per HIT" if plan.protocol in RUNS else "SR-DC"
        common = hit_items(replace(plan, protocol=protocol), design.calibration_hit, for_hits)
        common = common.take(np.tile(np.arange(design.calibration_hit), workers))
        common = common._replace(hit=0 * common.hit)
        items = HitItems(*map(np.concatenate, zip(common, items, strict=True)))
        first = np.repeat(np.arange(workers), design.calibration_hit)
        worker = np.concatenate([first, worker])
    score = _scores(design, world, items, worker, for_scores)
    return SimulatedCampaign(design, world, items, worker, score)


def _world(design: Design, rng: np.random.Generator) -> World:
    """Draw what is judged, and who judges."""
    shape = (design.document_length / design.document_spread) ** 2
    size = rng.gamma(shape, design.document_length / shape, design.documents)
    length = np.clip(np.rint(size), 2, 60).astype(np.intp)
    draw = rng.standard_normal  # each effect is drawn, then stretched: spread 0 shifts no other
    segments, systems = int(length.sum()), design.systems + 1
    quality = draw(systems) * design.system
    difficulty = draw(design.documents) * design.document
    segment = draw(segments) * design.segment + np.repeat(difficulty, length)
    own = draw((systems, design.documents)) * design.system_document
    own = np.repeat(own, length, axis=1) + draw((systems, segments)) * design.system_segment
    quality[-1] = design.human_quality or 0.0
    affected = np.append(np.ones(systems - 1), 0.0)  # the human finds nothing hard
    if design.qualities is not None:
        quality[: design.judged_systems] = design.qualities
    leniency = draw(design.workers) * design.leniency
    scale = np.exp(draw(design.workers) * design.log_scale)
    workload = rng.gamma(design.workload_shape, size=design.workers)
    quality = quality[:, None] + affected[:, None] * segment + own
    return World(
        document=np.repeat(np.arange(design.documents), length),
        difficulty=difficulty,
        quality=quality[: design.judged_systems],
        leniency=leniency,
        scale=scale,
        workload=workload / workload.sum(),
    )


def _assigned(hit: np.ndarray, workload: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Worker of every item: each worker gets one HIT, the other HITs go by the workers' shares."""
    hits, workers = int(hit.max()) + 1, len(workload)
    more = rng.choice(workers, max(hits - workers, 0), p=workload)
    return rng.permutation(np.concatenate([rng.permutation(workers)[:hits], more]))[hit]


def _scores(
    design: Design, world: World, items: HitItems, worker: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """One score per item, a whole number from 0 to 100."""
    # By item type; outputs of systems have no quality and spread of their own.
    control = np.array([0, 0, design.ref_quality, design.bad_ref_quality])[items.item]
    spread = np.array([0, 0, design.ref_spread, design.bad_ref_spread])[items.item]
    quality = np.where(items.item < 2, world.quality[items.system, items.segment], control)
    quality += spread * rng.standard_normal(len(worker))
    quality += design.residual * rng.standard_normal(len(worker))
    score = design.mean + world.leniency[worker] + world.scale[worker] * quality
    return np.rint(np.clip(bent(score, design), 0, 100))


def bent(score: np.ndarray, design: Design) -> np.ndarray:
    """Scores that bend before 100 and before 0 instead of only being cut."""
    high, low = design.softness, design.softness_low
    if high:
        score = 100 - high * _softplus((100 - score) / high)
    if low:
        score = low * _softplus(score / low)
    return score


def _softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x)), four times as quick as `np.logaddexp(0, x)`."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


@lru_cache
def _numbered(text: str, number: int) -> tuple[str, ...]:
    return tuple(text.format(k) for k in range(1, number + 1))


def _assessments(made: SimulatedCampaign) -> pd.DataFrame:
    """Judgements as a frame of direct assessments, all names spelt out."""
    design, items, names = made.design, made.items, _names(made)
    columns = {
        "hit": _named(names["hit"], items.hit),
        "worker": _named(names["worker"], _who(made)),
        "language_pair": _named([design.language_pair], np.zeros_like(items.hit)),
        "system": _named(design.names, items.system),
        "item": _named([*ITEMS], items.item),
        "document": _named(names["document"], made.world.document[items.segment]),
        "segment": _named(names["segment"], items.segment),
        "score": made.score,
        "accepted": True,
    }
    return pd.DataFrame(columns, columns=ASSESSMENTS)


def _who(made: SimulatedCampaign) -> np.ndarray:
    """Number of each judgement's worker, or of its HIT if that is what workers are told by."""
    return made.items.hit - 1 if made.design.normalise == "hit" else made.worker


def _names(made: SimulatedCampaign) -> dict[str, tuple[str, ...]]:
    """Names of HITs, workers, documents and segments by their numbers."""
    hits = int(made.items.hit.max())
    return {
        "hit": (CALIBRATION_HIT, *_numbered("hit_{:04d}", hits)),
        "worker": _numbered("worker_{:04d}", int(_who(made).max()) + 1),
        "document": _numbered("document-{:03d}", made.design.documents),
        "segment": _numbered("{:05d}", made.world.quality.shape[1]),
    }


def _coded(made: SimulatedCampaign) -> Campaign:
    """The arrays of a campaign; numbers that do not occur are left out, as in `encode`."""
    items, names = made.items, _names(made)
    rated = np.unique(items.system[items.item < 2])
    rated = rated[np.argsort(np.array(made.design.names)[rated])]
    number = np.full(made.design.judged_systems, -1)  # position of a system among sorted names
    number[rated] = np.arange(len(rated))
    workers, worker = _present(_who(made))
    hits, hit = _present(items.hit)
    places, place = _present(items.segment)
    system = number[items.system]
    key = (system * len(places) + place) * len(place) + np.arange(len(place))
    order = np.argsort(key)
    order = order[system[order] >= 0]
    return Campaign(
        systems=tuple(made.design.names[k] for k in rated),
        workers=tuple(names["worker"][k] for k in workers),
        hits=tuple(names["hit"][k] for k in hits),
        documents=np.array(names["document"], dtype=object)[made.world.document[places]],
        segments=np.array(names["segment"], dtype=object)[places],
        worker=worker,
        hit=hit,
        place=place,
        item=items.item.astype(np.int8),
        score=made.score,
        accepted=np.ones(len(worker), dtype=bool),
        credit=order,
        credit_system=system[order],
        unlisted=np.zeros((3, len(workers))),
    )


def _named(names: Sequence[str], codes: np.ndarray) -> pd.Series:
    """Codes as categories with these names, sorted, without those that do not occur."""
    return sorted_categories(pd.Series(pd.Categorical.from_codes(codes, names)).cat)


def _present(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that occur, ascending, and the position of each entry among them."""
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]
