"""Direct-assessment campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on the protocol;
then the HITs of a protocol, then scores. So the same seed gives every protocol the same world, and
protocols are compared on pairs of campaigns.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import ASSESSMENTS, ITEMS, sorted_categories
from wmtlib.simulation.designs import Design
from wmtlib.simulation.hit_designs import RUNS, HitItems, hit_items

CALIBRATION_HIT = "calibration"  # the name of the HIT that every worker does


@dataclass(frozen=True)
class SimulatedCampaign:
    """A campaign and the true quality of its systems.

    Attributes
    ----------
    assessments : DataFrame
        One row per judgement, as `tidy_assessments` gives them.
    truth : Series, one value per system
        Points: what the average worker would give, averaged over the whole test set, before
        scores are bent and cut. Sorted by name.
    design : Design
    """

    assessments: pd.DataFrame
    truth: pd.Series
    design: Design


@dataclass(frozen=True)
class _World:
    """All that does not depend on the protocol: S systems, D documents, G segments, W workers."""

    length: np.ndarray  # (D,) of each document, in segments
    document: np.ndarray  # (G,) of each segment
    quality: np.ndarray  # (S, G) points above the mean
    leniency: np.ndarray  # (W,)
    scale: np.ndarray  # (W,)
    workload: np.ndarray  # (W,) share of the HITs


def campaign(design: Design, rng: np.random.Generator) -> SimulatedCampaign:
    """Simulate a campaign.

    Equal generators give equal worlds whatever the protocol, as long as systems, documents,
    workers and the spreads are the same.

    Returns
    -------
    SimulatedCampaign
        With exactly `design.judgements` rows; the last HIT may be cut short for that. HITs are in
        order, the calibration HIT first.
    """
    for_world, for_hits, for_scores = rng.spawn(3)
    world = _world(design, for_world)
    plan, workers = design.hit_plan(world.length), design.workers
    # The calibration HIT has all systems in it, with context or without; every worker does it.
    protocol = "SR+DC all systems per HIT" if plan.protocol in RUNS else "SR-DC"
    common = hit_items(replace(plan, protocol=protocol), design.calibration_hit, for_hits)
    common = common.take(np.tile(np.arange(design.calibration_hit), workers))
    own = hit_items(plan, design.judgements - len(common.hit), for_hits)
    worker = np.repeat(np.arange(workers), design.calibration_hit)
    worker = np.concatenate([worker, _assigned(own.hit, world.workload, for_hits)])
    common, own = common._replace(hit=0 * common.hit), own._replace(hit=own.hit + 1)
    items = HitItems(*map(np.concatenate, zip(common, own, strict=True)))
    score = _scores(design, world, items, worker, for_scores)
    truth = pd.Series(design.mean + world.quality.mean(axis=1), design.names, name="truth")
    frame = _assessments(design, world, items, worker, score)
    return SimulatedCampaign(frame, truth.sort_index(), design)


def _world(design: Design, rng: np.random.Generator) -> _World:
    """Draw what is judged, and who judges."""
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
        quality[: design.judged_systems] = design.qualities
    leniency = draw(design.workers) * design.leniency
    scale = np.exp(draw(design.workers) * design.log_scale)
    workload = rng.gamma(design.workload_shape, size=design.workers)
    quality = quality[:, None] + difficulty[:, None] * segment + own
    return _World(
        length=length,
        document=np.repeat(np.arange(design.documents), length),
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
    design: Design, world: _World, items: HitItems, worker: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """One score per item, a whole number from 0 to 100."""
    # By item type; outputs of systems have no quality and spread of their own.
    control = np.array([0, 0, design.ref_quality, design.bad_ref_quality])[items.item]
    spread = np.array([0, 0, design.ref_spread, design.bad_ref_spread])[items.item]
    quality = np.where(items.item < 2, world.quality[items.system, items.segment], control)
    quality += spread * rng.standard_normal(len(worker))
    quality += design.residual * rng.standard_normal(len(worker))
    score = design.mean + world.leniency[worker] + world.scale[worker] * quality
    # Bend scores before 100 and before 0 instead of only cutting them.
    high, low = design.softness, design.softness_low
    if high:
        score = 100 - high * np.logaddexp(0, (100 - score) / high)
    if low:
        score = low * np.logaddexp(0, score / low)
    return np.rint(np.clip(score, 0, 100))


def _assessments(
    design: Design, world: _World, items: HitItems, worker: np.ndarray, score: np.ndarray
) -> pd.DataFrame:
    """Judgements as a frame of direct assessments, all names spelt out."""
    who = items.hit - 1 if design.normalise == "hit" else worker

    def numbered(text: str, codes: np.ndarray) -> pd.Series:
        return _named([text.format(k) for k in range(1, int(codes.max()) + 2)], codes)

    hits = [CALIBRATION_HIT, *(f"hit_{k:04d}" for k in range(1, int(items.hit.max()) + 1))]
    columns = {
        "hit": _named(hits, items.hit),
        "worker": numbered("worker_{:04d}", who),
        "language_pair": _named([design.language_pair], np.zeros_like(who)),
        "system": _named(design.names, items.system),
        "item": _named([*ITEMS], items.item),
        "document": numbered("document-{:03d}", world.document[items.segment]),
        "segment": numbered("{:05d}", items.segment),
        "score": score,
        "accepted": True,
    }
    return pd.DataFrame(columns, columns=ASSESSMENTS)


def _named(names: list[str], codes: np.ndarray) -> pd.Series:
    """Codes as categories with these names, sorted, without those that do not occur."""
    return sorted_categories(pd.Series(pd.Categorical.from_codes(codes, names)).cat)
