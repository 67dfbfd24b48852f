"""Direct-assessment campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on the protocol;
then the HITs of a protocol, then scores. So the same seed gives every protocol the same world, and
differences between protocols are differences between paired campaigns.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import ASSESSMENTS, ITEMS
from wmtlib.simulation import hit_designs
from wmtlib.simulation.designs import Design
from wmtlib.simulation.hit_designs import HitItems, HitPlan

CALIBRATION_HIT = "calibration"  # the name of the HIT that every worker does


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
    common = hit_designs.hit_items(_calibrating(plan), each, for_layout)
    own = hit_designs.hit_items(plan, design.judgements - each * design.workers, for_layout)
    layout = hit_designs.joined(common[np.tile(np.arange(each), design.workers)], own)
    everyone = np.repeat(np.arange(design.workers), each)
    worker = np.concatenate([everyone, _assigned(own.hit, world.load, for_layout)])
    score = _scores(design, world, layout, worker, for_scores)
    truth = pd.Series(design.mean + world.quality.mean(axis=1), design.names, name="truth")
    return Simulated(_frame(design, world, layout, worker, score), truth.sort_index(), design)


def _calibrating(plan: HitPlan) -> HitPlan:
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
    design: Design, world: _World, layout: HitItems, worker: np.ndarray, rng: np.random.Generator
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
    design: Design, world: _World, layout: HitItems, worker: np.ndarray, score: np.ndarray
) -> pd.DataFrame:
    """The tidy frame; everything by name."""
    document = world.document[layout.segment]
    names = [CALIBRATION_HIT, *(f"hit_{k:04d}" for k in range(1, int(layout.hit.max()) + 1))]
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
