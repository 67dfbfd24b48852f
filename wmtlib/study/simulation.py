"""Campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on
the protocol; then the HITs of a protocol, then scores. So the same seed gives every
protocol the same world, and protocols are compared on pairs of campaigns. Small seeded
campaigns, `embedded_campaign`, stand in where the released judgements are not at hand.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.assessments import ASSESSMENTS, ITEMS, Campaign
from wmtlib.errors import DataError

Array: TypeAlias = np.ndarray
WORLDS_FILE = Path(__file__).parents[1] / "data" / "worlds.csv"  # style, field, value
HUMAN_SYSTEM = "HUMAN"
CALIBRATION_HIT = "calibration"  # the name of the HIT that every worker does
MAKEUP = (70, 10, 10, 10)  # SYSTEM, REPEAT, REF and BAD_REF items in a HIT, or fewer
SYSTEM, REPEAT, REF, BAD_REF = range(len(ITEMS))  # positions in `ITEMS`
SEED = 2021
SIZE = {"systems": 6, "documents": 40, "judgements": 4000, "workers": 20}
EMBEDDED_HUMAN = 10.0  # of embedded campaigns: points above the average system


class Design(NamedTuple):
    """A campaign to be simulated; `calibrated` gives one that is like real campaigns.

    The raw score of worker w for segment g of document d by system s is

        mean + leniency_w + exp(log_scale_w) (system_s + document_d + system_document_sd
                                              + segment_g + system_segment_sg +
                                              residual),

    bent at both ends (`softness`), rounded and cut to 0..100. Every effect is normal
    with mean 0; the fields below with the name of an effect are its standard deviation.
    A human translation has no document and segment difficulty (Figure 5: it is good
    throughout).

    Attributes
    ----------
    systems, documents, workers : int
        Numbers of each; a human system is not counted.
    judgements : int
        Cost: number of judgements of all kinds, quality control and the calibration HIT
        included.
    document_length, document_spread : float
        Mean and standard deviation of a document's length, in segments (gamma, 2 to
        60).
    workload_shape : float
        Shape of the gamma distribution of a worker's share of the HITs; small: a few
        workers do most.
    mean : float
        Points: the average system, judged by the average worker.
    system, document, system_document, segment, system_segment, residual : float
        Points. `residual` is what differs when one worker judges one output twice.
    leniency : float
        Points.
    log_scale : float
        Natural logarithm of the worker's scale.
    softness, softness_low : float
        Points: the distance over which scores bend towards 100, and towards 0; 0 cuts
        them off.
    ref_quality, bad_ref_quality : float
        Points above `mean`.
    ref_spread, bad_ref_spread : float
        Points: standard deviation of such items, residual excluded.
    protocol : str
        One of `PROTOCOLS`.
    human_quality : float, optional
        Points above `mean` of a human translation, `HUMAN_SYSTEM`, that is judged like
        a system; by default there is none.
    normalise : "worker" or "hit"
        What the column `worker` of the result identifies; "hit" is what Appraise did
        (footnote 12), and cannot have a calibration HIT.
    calibration_hit : int
        Items of a common HIT of all systems' outputs that every worker does first
        (section 8); 0 for none.
    qualities : tuple of float, optional
        Points above `mean`, one per system (the human last); by default they are drawn.
    """

    systems: int
    documents: int
    workers: int
    judgements: int
    document_length: float
    document_spread: float
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
    softness: float
    softness_low: float
    ref_quality: float
    ref_spread: float
    bad_ref_quality: float
    bad_ref_spread: float
    protocol: str
    human_quality: float | None = None
    normalise: str = "worker"
    calibration_hit: int = 0
    qualities: tuple[float, ...] | None = None

    @property
    def names(self) -> list[str]:
        """Names of the systems, the human last."""
        letters = [chr(ord("A") + k % 26) * (1 + k // 26) for k in range(self.systems)]
        names = [f"simulated-{letter}.{k}" for k, letter in enumerate(letters, 1)]
        return names if self.human_quality is None else [*names, HUMAN_SYSTEM]

    def scores(self, quality: Array, leniency: Array, scale: Array) -> Array:
        """Raw scores, not rounded, from the quality of outputs and workers' effects."""
        score = self.mean + leniency + scale * quality
        # Scores bend before they are cut: log(1 + exp(x)) instead of max(x, 0).
        if self.softness:
            score = 100 - self.softness * _softplus((100 - score) / self.softness)
        if self.softness_low:
            score = self.softness_low * _softplus(score / self.softness_low)
        return np.clip(score, 0, 100)


FIELDS = Design._fields


def _softplus(x: Array) -> Array:
    """log(1 + exp(x)), four times as quick as `np.logaddexp(0, x)`."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def calibrated(style: str, **changes: Any) -> Design:
    """A design whose campaigns look like real ones of a style, in size and in scores.

    Parameters
    ----------
    style : "SR-DC" or "SR+DC"
        WMT17 and WMT18, or WMT21 and WMT22: all pairs into English that were released
        judgement by judgement. It is the protocol too. Notebook 33 holds such campaigns
        against real ones.
    **changes
        Fields of the design that are to be different.
    """
    values = pd.read_csv(WORLDS_FILE, index_col=["style", "field"])["value"]
    types = Design.__annotations__
    fields = {name: types[name](value) for name, value in values[style].items()}
    return Design(**{"protocol": style, **fields, **changes})


def embedded_campaign(name: str, language_pair: str) -> pd.DataFrame:
    """Assessments of a small seeded campaign, as `tidy_assessments` gives them.

    Parameters
    ----------
    name : str
        One of `CAMPAIGNS`: `simulated-sr-dc`, `simulated-sr+dc` (with a human system),
        ...
    language_pair : str
        Two made-up codes, `qa-qb` to `qa-qz`; each pair is a campaign of its own.

    Raises
    ------
    DataError
        No such campaign, or no such pair.
    """
    if name not in CAMPAIGNS:
        names = ", ".join(CAMPAIGNS)
        raise DataError(f"no simulated campaign {name!r}; expected one of {names}")
    if re.fullmatch("qa-q[b-z]", language_pair) is None:
        raise DataError(
            f"no simulated pair {language_pair!r}; expected qa-qb, qa-qc, ... qa-qz"
        )
    protocol = CAMPAIGNS[name]
    with_context = protocol in DOCUMENT_RUNS
    design = calibrated(
        "SR+DC" if with_context else "SR-DC",
        protocol=protocol,
        human_quality=EMBEDDED_HUMAN if with_context else None,
        **SIZE,
    )
    rng = np.random.default_rng([SEED, ord(language_pair[-1])])
    frame = simulate_campaign(design, rng).assessments
    frame = frame.assign(language_pair=language_pair)
    return frame.astype({"language_pair": "category"})


# --- A campaign -----------------------------------------------------------------------


class World(NamedTuple):
    """All that does not depend on the protocol.

    There are S systems, D documents, G segments and W workers.

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

    document: Array
    difficulty: Array
    quality: Array
    leniency: Array
    scale: Array
    workload: Array


@dataclass(frozen=True, eq=False, kw_only=True)
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
    items: "HitItems"
    worker: Array
    score: Array

    @cached_property
    def truth(self) -> pd.Series:
        """True quality of every system, sorted by name.

        Points: what the average worker would give, averaged over the whole test set,
        before scores are bent and cut.
        """
        mean = self.design.mean + self.world.quality.mean(axis=1)
        return pd.Series(mean, self.design.names, name="truth").sort_index()

    @cached_property
    def coded(self) -> Campaign:
        """The judgements as arrays.

        This is what `assessments.encode` makes of `assessments`, sooner. Names stay, of
        workers and segments without any judgement too.
        """
        items = self.items
        names = self.design.names
        document = self.world.document
        worker = items.hit - 1 if self.design.normalise == "hit" else self.worker
        system = np.argsort(np.argsort(names))[items.system]  # among sorted names
        credit = np.argsort(system * len(document) + items.segment, kind="stable")
        documents = _numbered("document-{:03d}", self.design.documents)
        segments = _numbered("{:05d}", len(document))
        return Campaign(
            systems=tuple(sorted(names)),
            workers=_numbered("worker_{:04d}", worker.max() + 1),
            hits=(CALIBRATION_HIT, *_numbered("hit_{:04d}", items.hit.max())),
            documents=np.array(documents, dtype=object)[document],
            segments=np.array(segments, dtype=object),
            worker=worker,
            hit=items.hit,
            place=items.segment,
            item=items.item.astype(np.int8),
            score=self.score,
            accepted=np.ones(len(worker), dtype=bool),
            credit=credit,
            credit_system=system[credit],
            unlisted=np.zeros((3, worker.max() + 1)),
        )

    @cached_property
    def assessments(self) -> pd.DataFrame:
        """One row per judgement, as `tidy_assessments` gives them."""
        coded = self.coded
        columns = {
            "hit": np.array(coded.hits)[coded.hit],
            "worker": np.array(coded.workers)[coded.worker],
            "language_pair": "qa-qb",
            "system": np.array(self.design.names)[self.items.system],
            "item": np.array(ITEMS)[coded.item],
            "document": coded.documents[coded.place],
            "segment": coded.segments[coded.place],
        }
        frame = pd.DataFrame(columns, dtype="category")
        return frame.assign(score=coded.score, accepted=coded.accepted)[ASSESSMENTS]


@lru_cache
def _numbered(text: str, number: int) -> tuple[str, ...]:
    """Names by a format, such as "hit_{:04d}", numbered from 1."""
    return tuple(text.format(k) for k in range(1, number + 1))


def simulate_campaign(design: Design, rng: np.random.Generator) -> SimulatedCampaign:
    """Simulate a campaign.

    Equal generators give equal worlds whatever the protocol, as long as systems,
    documents, workers and the spreads are the same.

    Returns
    -------
    SimulatedCampaign
        With exactly `design.judgements` judgements; the last HIT may be cut short for
        that. HITs are in order, the calibration HIT first.

    Raises
    ------
    DataError
        The calibration HIT takes all the judgements.
    """
    if design.judgements <= design.calibration_hit * design.workers:
        raise DataError("the calibration HIT alone takes all the judgements")
    for_world, for_hits, for_scores = rng.spawn(3)
    world = _draw_world(design, for_world)
    length = np.bincount(world.document)
    budget = design.judgements - design.calibration_hit * design.workers
    plan = HitPlan(len(design.names), length, budget, for_hits)
    items = hit_items(design.protocol, plan)
    worker = _assigned(items.hit, world.workload, for_hits)
    if design.calibration_hit:
        items, worker = _with_calibration(design, plan, items, worker)
    else:
        items = items._replace(hit=items.hit + 1)
    return SimulatedCampaign(
        design=design,
        world=world,
        items=items,
        worker=worker,
        score=_draw_scores(design, world, items, worker, for_scores),
    )


def _draw_world(design: Design, rng: np.random.Generator) -> World:
    """Draw what is judged, and who judges."""
    shape = (design.document_length / design.document_spread) ** 2
    size = rng.gamma(shape, design.document_length / shape, design.documents)
    length = np.clip(np.rint(size), 2, 60).astype(np.intp)
    segments = int(length.sum())
    systems = design.systems + 1  # the last one is the human
    judged = len(design.names)
    # Each effect is drawn, then stretched: a spread of 0 shifts no other effect.
    draw = rng.standard_normal
    system = draw(systems) * design.system
    difficulty = draw(design.documents) * design.document
    segment = draw(segments) * design.segment + np.repeat(difficulty, length)
    system_document = draw((systems, design.documents)) * design.system_document
    system_segment = draw((systems, segments)) * design.system_segment
    quality = np.repeat(system_document, length, axis=1) + system_segment
    quality[:-1] += segment  # the human finds nothing hard
    system[-1] = design.human_quality or 0.0
    if design.qualities is not None:
        system[:judged] = design.qualities
    leniency = draw(design.workers) * design.leniency
    scale = np.exp(draw(design.workers) * design.log_scale)
    workload = rng.gamma(design.workload_shape, size=design.workers)
    return World(
        document=np.repeat(np.arange(design.documents), length),
        difficulty=difficulty,
        quality=(quality + system[:, None])[:judged],
        leniency=leniency,
        scale=scale,
        workload=workload / workload.sum(),
    )


def _assigned(hit: Array, workload: Array, rng: np.random.Generator) -> Array:
    """Worker of every item: one HIT for each worker, then HITs by the workloads."""
    hits = int(hit.max()) + 1
    workers = len(workload)
    others = rng.choice(workers, max(hits - workers, 0), p=workload)
    first = rng.permutation(workers)[:hits]
    return rng.permutation(np.concatenate([first, others]))[hit]


def _with_calibration(
    design: Design, plan: "HitPlan", items: "HitItems", worker: Array
) -> tuple["HitItems", Array]:
    """Items and their workers, after a common HIT 0 of all systems for every worker."""
    size = design.calibration_hit
    with_context = design.protocol in DOCUMENT_RUNS
    protocol = "SR+DC all systems per HIT" if with_context else "SR-DC"
    common = hit_items(protocol, plan._replace(budget=size))
    common = common.rows(np.tile(np.arange(size), design.workers))
    common = common._replace(hit=np.zeros_like(common.hit))
    workers = np.repeat(np.arange(design.workers), size)
    others = items._replace(hit=items.hit + 1)
    return common.followed_by(others), np.concatenate([workers, worker])


def _draw_scores(
    design: Design,
    world: World,
    items: "HitItems",
    worker: Array,
    rng: np.random.Generator,
) -> Array:
    """One score per item, a whole number from 0 to 100."""
    # By item type; outputs of systems have no quality and spread of their own.
    control = np.array([0, 0, design.ref_quality, design.bad_ref_quality])[items.item]
    spread = np.array([0, 0, design.ref_spread, design.bad_ref_spread])[items.item]
    outputs = world.quality[items.system, items.segment]
    quality = np.where(items.item < REF, outputs, control)
    quality += spread * rng.standard_normal(len(worker))
    quality += design.residual * rng.standard_normal(len(worker))
    return np.rint(design.scores(quality, world.leniency[worker], world.scale[worker]))


# --- HITs: who judges which outputs ---------------------------------------------------
#
# Systems, segments and HITs are numbers here. A document run is a document, or a part
# of one, translated by one system. With document context a HIT is made of such runs:
# they are shuffled, and the segments of a run stand together in their order.


class HitPlan(NamedTuple):
    """What HITs are made from.

    Attributes
    ----------
    systems : int
        Number of systems, a human system included.
    length : ndarray of int, (documents,)
        Segments of each document; segments are numbered through the documents.
    budget : int
        Number of judgements.
    rng : Generator
    """

    systems: int
    length: Array
    budget: int
    rng: np.random.Generator

    @property
    def start(self) -> Array:
        """First segment of each document."""
        return np.cumsum(self.length) - self.length

    def document_parts(self) -> tuple[Array, Array]:
        """First segment and length of parts; a HIT holds a part by all systems."""
        longest = MAKEUP[0] // self.systems
        number = -(-self.length // longest)
        offset = positions(number) * longest
        start = np.repeat(self.start, number) + offset
        length = np.minimum(np.repeat(self.length, number) - offset, longest)
        return start, length

    def rounds(self, length: Array) -> int:
        """How often runs of these lengths, by all systems, must be drawn at least."""
        return self.budget // int(length.sum() * self.systems) + 1


class HitItems(NamedTuple):
    """The items of HITs, in the order of the screen.

    Attributes
    ----------
    hit, system, segment, item : ndarray of int, (items,)
        `item` is a position in `ITEMS`; a REPEAT, REF or BAD_REF carries the system and
        the segment of the output that it is paired with.
    run : ndarray of int, (items,)
        Document run, or place in the HIT.
    """

    hit: Array
    system: Array
    segment: Array
    item: Array
    run: Array

    def rows(self, chosen: Array) -> "HitItems":
        """These items, in this order."""
        return HitItems(*(column[chosen] for column in self))

    def followed_by(self, others: "HitItems") -> "HitItems":
        """These items, then the others."""
        return HitItems(*map(np.concatenate, zip(self, others, strict=True)))


def hit_items(protocol: str, plan: HitPlan) -> HitItems:
    """HITs of a protocol, as many judgements as the budget.

    The last HIT may be cut short. Quality control is paired with different outputs of
    the same HIT; with document context it stands beside them.
    """
    if protocol in DOCUMENT_RUNS:
        hit, system, start, length = DOCUMENT_RUNS[protocol](plan)
        run = np.repeat(plan.rng.permutation(len(hit)), length)
        hit = np.repeat(hit, length)
        system = np.repeat(system, length)
        segment = np.repeat(start, length) + positions(length)
    else:
        hit, system = SENTENCES[protocol](plan)
        segment = draw_without_replacement(system, int(plan.length.sum()), plan.rng)
        run = np.zeros_like(hit)
    outputs = HitItems(hit, system, segment, np.full_like(hit, SYSTEM), run)
    place = rank_in_group(hit, plan.rng.random(len(hit)))
    kinds = np.repeat([REPEAT, REF, BAD_REF], MAKEUP[1:])
    chosen = np.flatnonzero(place < len(kinds))
    paired = outputs.rows(chosen)._replace(item=kinds[place[chosen]])
    items = outputs.followed_by(paired)
    if protocol in SENTENCES:
        items = items._replace(run=plan.rng.permutation(len(items.hit)))
    # By HIT, run and segment: one number each, as one sort is quicker than three.
    place = (items.hit * len(items.run) + items.run) * plan.length.sum() + items.segment
    return items.rows(np.argsort(place, kind="stable")[: plan.budget])


def _all_systems_alike(plan: HitPlan) -> tuple[Array, Array]:
    """SR-DC: HIT and system of single sentences, all systems equally often in a HIT.

    If that leaves places, some systems at random have one more.
    """
    hits = -(-plan.budget // sum(MAKEUP))
    order = plan.rng.random((hits, plan.systems)).argsort(axis=1)
    system = order[:, np.arange(MAKEUP[0]) % plan.systems]
    return np.repeat(np.arange(hits), MAKEUP[0]), system.ravel()


def _few_systems(plan: HitPlan) -> tuple[Array, Array]:
    """HIT and system of single sentences, as in HITs with document context."""
    hit, system, _, length = _pooled_documents(plan)
    return np.repeat(hit, length), np.repeat(system, length)


# HIT, system, first segment and length of document runs; arrays of int, (runs,).
Runs = tuple[Array, Array, Array, Array]


def _pooled_documents(plan: HitPlan, documents: Array | None = None) -> Runs:
    """SR+DC: pairs of document and system, drawn without replacement from one pool."""
    if documents is None:
        documents = np.arange(len(plan.length))
    length = np.minimum(plan.length, MAKEUP[0])[documents]
    pairs = len(documents) * plan.systems
    drawn = _random_orders(pairs, plan.rounds(length), plan.rng)
    place, system = np.divmod(drawn, plan.systems)
    length = length[place]
    return pack_hits(length, MAKEUP[0]), system, plan.start[documents[place]], length


def _same_documents(plan: HitPlan) -> Runs:
    """SR+DC of as many documents as all systems can be judged on with this budget."""
    order = plan.rng.permutation(len(plan.length))
    size = np.cumsum(np.minimum(plan.length, MAKEUP[0])[order]) * plan.systems
    # A HIT closes when the next document does not fit: on average half a document stays
    # empty. There is a HIT to spare.
    filled = max(MAKEUP[0] - plan.length.mean() / 2, 1)
    cost = size * (1 + sum(MAKEUP[1:]) / filled) + sum(MAKEUP)
    affordable = int((cost <= plan.budget).sum())
    return _pooled_documents(plan, order[: max(affordable, 1)])


def _all_systems(plan: HitPlan) -> Runs:
    """2018's alternate structure with context: all systems' outputs for a part."""
    start, length = plan.document_parts()
    drawn = _random_orders(len(length), plan.rounds(length), plan.rng)
    hit = pack_hits(length[drawn] * plan.systems, MAKEUP[0])
    system = np.tile(np.arange(plan.systems), len(drawn))
    part = np.repeat(drawn, plan.systems)
    return np.repeat(hit, plan.systems), system, start[part], length[part]


def _balanced(plan: HitPlan) -> Runs:
    """One part of a document by every system in every HIT, each of another document."""
    start, length = plan.document_parts()
    runs = len(length) * plan.rounds(length)
    system = np.tile(np.arange(plan.systems), runs)
    part = draw_without_replacement(system, len(length), plan.rng)
    return rank_in_group(system), system, start[part], length[part]


SENTENCES = {"SR-DC": _all_systems_alike, "SR-DC few systems per HIT": _few_systems}
DOCUMENT_RUNS = {
    "SR+DC": _pooled_documents,
    "SR+DC same documents": _same_documents,
    "SR+DC all systems per HIT": _all_systems,
    "SR+DC balanced": _balanced,
}
# WMT never used two of these, which separate the systems of a HIT from document
# context: few systems, and "balanced".
PROTOCOLS = (*SENTENCES, *DOCUMENT_RUNS)
CAMPAIGNS = {f"simulated-{p.lower().replace(' ', '-')}": p for p in PROTOCOLS}


def rank_in_group(group: Array, key: Array | None = None) -> Array:
    """Place, from 0, of each entry within its group: by key, 0 to 1, or by position."""
    rank = np.empty(len(group), dtype=np.intp)
    by_group = np.argsort(group if key is None else group + key, kind="stable")
    rank[by_group] = positions(np.bincount(group))
    return rank


def draw_without_replacement(
    group: Array, size: int, rng: np.random.Generator
) -> Array:
    """For each entry a number below `size`.

    Within a group no number comes again before all have come.

    Parameters
    ----------
    group : ndarray of int, (entries,)
    size : int
    rng : Generator
    """
    rank = rank_in_group(group)
    rounds = -(-(int(rank.max(initial=0)) + 1) // size)
    groups = int(group.max(initial=0)) + 1
    # For each group one random order after another.
    shuffled = rng.random((groups, rounds, size)).argsort(axis=2).reshape(groups, -1)
    return shuffled[group, rank]


def _random_orders(members: int, orders: int, rng: np.random.Generator) -> Array:
    """Several random orders of the numbers below `members`, one after another."""
    return rng.random((orders, members)).argsort(axis=1).ravel()


def pack_hits(sizes: Array, capacity: int) -> Array:
    """HIT of each block, in order; a HIT closes when the next block does not fit."""
    hits = [0]
    filled = 0
    for size in sizes.tolist():
        closes = filled + size > capacity
        filled = size if closes else filled + size
        hits.append(hits[-1] + closes)
    return np.array(hits[1:])


def positions(sizes: Array) -> Array:
    """Position of each member within its group; groups stand one after the other.

    Parameters
    ----------
    sizes : array of int, shape (groups,)

    Returns
    -------
    array of int, shape (sum of sizes,)

    Examples
    --------
    >>> positions(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)
