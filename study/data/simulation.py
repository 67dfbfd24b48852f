"""Campaigns whose true ranking is known (Knowles 2021, sections 2 and 8).

A world (systems, documents, segments, workers) is drawn first and does not depend on
the protocol; then the HITs of a protocol, then scores. So the same seed gives every
protocol the same world, and protocols are compared on pairs of campaigns. Small seeded
campaigns, `embedded_campaign`, are used where released judgements are not at hand.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.core.assessments import ASSESSMENTS, ITEMS, Campaign
from wmtlib.core.errors import DataError

Array: TypeAlias = np.ndarray
WORLDS_FILE = Path(__file__).with_name("worlds.csv")  # style, field, value
HUMAN_SYSTEM = "HUMAN"
CALIBRATION_HIT = "calibration"  # the name of the HIT that every worker does
MAKEUP = (70, 10, 10, 10)  # SYSTEM, REPEAT, REF and BAD_REF items in a HIT, or fewer
SYSTEM, REPEAT, REF, BAD_REF = range(len(ITEMS))  # positions in `ITEMS`
SEED = 2021
SIZE = {"systems": 6, "documents": 40, "judgements": 4000, "workers": 20}
STAND_IN = ", stand-in"  # after a style
EMBEDDED_HUMAN = 10.0  # of embedded campaigns: points above the average system


class Design(NamedTuple):
    """Settings of a simulated campaign; `calibrated` returns those of real campaigns.

    The raw score of worker w for segment g of document d by system s is

        mean + leniency_w + exp(log_scale_w) (
            (1 + slope_w) system_s + document_d + system_document_sd + segment_g
            + system_segment_sg + worker_hit_wh + sitting_whsd + worker_output_wsg
            + residual),

    bent at both ends (`softness`), rounded and cut to 0..100. Every effect is normal
    with mean 0; the fields below with the name of an effect are its standard deviation.
    A few unsteady workers have another one of worker_hit, `unsteady_hit`.
    A sitting is what one worker scores of one document and system in one HIT h.
    A human translation has no document and segment difficulty (Figure 5: it is good
    throughout).

    Attributes
    ----------
    systems, documents, workers : int
        Numbers of each; 26 systems at most. A human system is not counted.
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
        Points, more than 0: the distance over which scores bend towards 100, and
        towards 0.
    ref_quality, bad_ref_quality : float
        Points above `mean`.
    ref_spread, bad_ref_spread : float
        Points: standard deviation of such items, residual excluded.
    protocol : str
        One of `PROTOCOLS`.
    worker_hit, sitting, worker_output : float
        Points. `worker_output` stays the same when one worker judges one output twice.
    unsteady : float
        Share of unsteady workers. A worker's chance to be one rises with the square
        root of the workload.
    unsteady_hit : float
        Points.
    worker_control : float
        Points: how workers differ in what they make of references, and of bad ones.
    slope : float
        How workers differ in what they make of the systems' effects; 1 on average.
    human_quality : float, optional
        Points above `mean` of a human translation, `HUMAN_SYSTEM`, that is judged like
        a system; by default there is none.
    normalise : "worker" or "hit"
        What the column `worker` of the result identifies; "hit" is what Appraise did
        (footnote 12), and cannot have a calibration HIT.
    calibration_hit : int
        Items of a common HIT of all systems' outputs that every worker does first
        (section 8); 0 for none.
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
    worker_hit: float = 0.0
    unsteady: float = 0.0
    unsteady_hit: float = 0.0
    worker_control: float = 0.0
    sitting: float = 0.0
    worker_output: float = 0.0
    slope: float = 0.0
    human_quality: float | None = None
    normalise: str = "worker"
    calibration_hit: int = 0

    @property
    def names(self) -> list[str]:
        """Return the names of the systems, the human last."""
        letters = enumerate(ascii_uppercase[: self.systems], 1)
        names = [f"simulated-{letter}.{k}" for k, letter in letters]
        return names if self.human_quality is None else [*names, HUMAN_SYSTEM]

    def scores(self, quality: Array, leniency: Array, scale: Array) -> Array:
        """Compute raw scores, not rounded, of outputs by workers."""
        score = self.mean + leniency + scale * quality
        # Scores bend before they are cut: log(1 + exp(x)) instead of max(x, 0).
        below = (100 - score) / self.softness
        score = 100 - self.softness * np.logaddexp(0, below)
        score = self.softness_low * np.logaddexp(0, score / self.softness_low)
        return np.clip(score, 0, 100)


def calibrated(style: str, **changes: Any) -> Design:
    """Return a design of campaigns like real ones of a style, in size and scores.

    Parameters
    ----------
    style : "SR-DC" or "SR+DC"
        WMT17 and WMT18, or WMT21 and WMT22: all pairs into English that were released
        judgement by judgement. It is the protocol too. Notebook 33 holds such campaigns
        against real ones. With ", stand-in" the earlier settings of small campaigns
        that are used for want of real ones: without HITs, sittings and slopes.
    **changes
        Fields of the design that are to be different.
    """
    values = pd.read_csv(WORLDS_FILE, index_col=["style", "field"])["value"]
    types = Design.__annotations__
    fields = {name: types[name](value) for name, value in values[style].items()}
    protocol = style.removesuffix(STAND_IN)
    return Design(**{"protocol": protocol, **fields, **changes})


def embedded_campaign(name: str, language_pair: str) -> pd.DataFrame:
    """Simulate a small seeded campaign, as `tidy_assessments` returns them.

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
        ("SR+DC" if with_context else "SR-DC") + STAND_IN,
        protocol=protocol,
        human_quality=EMBEDDED_HUMAN if with_context else None,
        **SIZE,
    )
    rng = np.random.default_rng([SEED, ord(language_pair[-1])])
    frame = simulate_campaign(design, rng).assessments
    pairs = frame["language_pair"].cat.rename_categories([language_pair])
    return frame.assign(language_pair=pairs)


# --- A campaign -----------------------------------------------------------------------


class World(NamedTuple):
    """Systems, documents, segments and workers, whatever the protocol.

    There are S systems, D documents, G segments and W workers.

    Attributes
    ----------
    document : ndarray of int, (G,)
        Of each segment.
    difficulty : ndarray, (D,)
        Points: the effect of each document; the higher, the easier.
    quality : ndarray, (S, G)
        Points above the mean of each output, difficulty included.
    system : ndarray, (S,)
        Points: what of it the system has everywhere.
    leniency, scale, workload, slope, worker_hit : ndarray, (W,)
        Points, a factor, the share of the HITs, the slope, and the standard deviation
        of the worker's HITs in points.
    """

    document: Array
    difficulty: Array
    quality: Array
    system: Array
    leniency: Array
    scale: Array
    workload: Array
    slope: Array
    worker_hit: Array


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulatedCampaign:
    """A campaign and the world that it was drawn from.

    Attributes
    ----------
    design : Design
    world : World
    items : DataFrame
        What was judged, and in which HIT, as `hit_items` gives it; HIT 0 is the
        calibration HIT.
    worker : ndarray of int, (judgements,)
    score : ndarray of float64, (judgements,)
        Whole numbers from 0 to 100.
    """

    design: Design
    world: World
    items: pd.DataFrame
    worker: Array
    score: Array

    @cached_property
    def truth(self) -> pd.Series:
        """Compute the true quality of every system, sorted by name.

        Points: what the average worker would give, averaged over the whole test set,
        before scores are bent and cut.
        """
        mean = self.design.mean + self.world.quality.mean(axis=1)
        return pd.Series(mean, self.design.names, name="truth").sort_index()

    @cached_property
    def coded(self) -> Campaign:
        """Return the judgements as arrays.

        They are those of `assessments.encode`, computed faster. Workers and segments
        without any judgement keep their names, too.
        """
        hit, system, segment, item = self.items.to_numpy().T
        worker = hit - 1 if self.design.normalise == "hit" else self.worker
        names = self.design.names
        system = np.argsort(np.argsort(names))[system]  # among sorted names
        document = self.world.document
        credit = np.argsort(system * len(document) + segment, kind="stable")
        documents = _numbered("document-{:03d}", self.design.documents)
        segments = _numbered("{:05d}", len(document))
        return Campaign(
            systems=tuple(sorted(names)),
            workers=_numbered("worker_{:04d}", worker.max() + 1),
            hits=(CALIBRATION_HIT, *_numbered("hit_{:04d}", hit.max())),
            documents=np.array(documents, dtype=object)[document],
            segments=np.array(segments, dtype=object),
            worker=worker,
            hit=hit,
            place=segment,
            item=item.astype(np.int8),
            score=self.score,
            accepted=np.ones(len(worker), dtype=bool),
            credit=credit,
            credit_system=system[credit],
            unlisted=np.zeros((3, worker.max() + 1)),
        )

    @cached_property
    def assessments(self) -> pd.DataFrame:
        """Return one row per judgement, as `tidy_assessments` does."""
        coded = self.coded
        columns = {
            "hit": np.array(coded.hits)[coded.hit],
            "worker": np.array(coded.workers)[coded.worker],
            "language_pair": "qa-qb",
            "system": np.array(self.design.names)[self.items["system"]],
            "item": np.array(ITEMS)[coded.item],
            "document": coded.documents[coded.place],
            "segment": coded.segments[coded.place],
        }
        frame = pd.DataFrame(columns, dtype="category")
        return frame.assign(score=coded.score, accepted=coded.accepted)[ASSESSMENTS]


@lru_cache(maxsize=32)  # protocols of one world have the same segments
def _numbered(text: str, number: int) -> tuple[str, ...]:
    """Return names by a format, such as "hit_{:04d}", numbered from 1."""
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
    common = design.calibration_hit * design.workers
    if design.judgements <= common:
        raise DataError("the calibration HIT alone takes all the judgements")
    for_world, for_hits, for_scores = rng.spawn(3)
    world = _draw_world(design, for_world)
    length = np.bincount(world.document)
    plan = HitPlan(len(design.names), length, design.judgements - common, for_hits)
    items = hit_items(design.protocol, plan)
    # One HIT for each worker, then HITs by the workloads.
    workers = np.arange(design.workers)
    hits = items["hit"].max() + 1
    number = max(hits - design.workers, 0)
    others = for_hits.choice(design.workers, number, p=world.workload)
    first = for_hits.permutation(workers)[:hits]
    workers_of_hits = for_hits.permutation(np.append(first, others))
    worker = workers_of_hits[items["hit"]]
    items["hit"] += 1
    if common:
        # The calibration HIT, of all systems, comes before the others.
        with_context = design.protocol in DOCUMENT_RUNS
        protocol = "SR+DC all systems per HIT" if with_context else "SR-DC"
        same = hit_items(protocol, plan._replace(budget=design.calibration_hit))
        same["hit"] = 0
        items = pd.concat([same] * design.workers + [items], ignore_index=True)
        worker = np.append(workers.repeat(design.calibration_hit), worker)
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
    document = np.repeat(np.arange(design.documents), length)
    segments = len(document)
    systems = design.systems + 1  # the last one is the human
    judged = len(design.names)
    # Each effect is drawn, then stretched: a spread of 0 shifts no other effect.
    draw = rng.standard_normal
    system = draw(systems) * design.system
    difficulty = draw(design.documents) * design.document
    segment = draw(segments) * design.segment + difficulty[document]
    system_document = draw((systems, design.documents)) * design.system_document
    system_segment = draw((systems, segments)) * design.system_segment
    quality = system_document[:, document] + system_segment
    quality[:-1] += segment  # the human finds nothing hard
    system[-1] = design.human_quality or 0.0
    leniency = draw(design.workers) * design.leniency
    scale = np.exp(draw(design.workers) * design.log_scale)
    workload = rng.gamma(design.workload_shape, size=design.workers)
    slope = draw(design.workers) * design.slope
    # Who does more is unsteady more often.
    load = np.sqrt(workload)
    is_unsteady = rng.random(design.workers) < design.unsteady * load / load.mean()
    return World(
        document=document,
        difficulty=difficulty,
        quality=(quality + system[:, None])[:judged],
        system=system[:judged],
        leniency=leniency,
        scale=scale,
        workload=workload / workload.sum(),
        slope=slope,
        worker_hit=np.where(is_unsteady, design.unsteady_hit, design.worker_hit),
    )


def _draw_scores(
    design: Design,
    world: World,
    items: pd.DataFrame,
    worker: Array,
    rng: np.random.Generator,
) -> Array:
    """Draw one score per item, a whole number from 0 to 100."""
    hit, system, segment, item = items.to_numpy().T
    # By item type; outputs of systems have no quality and spread of their own.
    control = np.array([0, 0, design.ref_quality, design.bad_ref_quality])[item]
    spread = np.array([0, 0, design.ref_spread, design.bad_ref_spread])[item]
    steep = world.quality[system, segment] + world.slope[worker] * world.system[system]
    quality = np.where(item < REF, steep, control)
    quality += spread * rng.standard_normal(len(worker))
    quality += design.residual * rng.standard_normal(len(worker))
    for spread, *keys in (
        (world.worker_hit[worker], worker, hit),
        (design.sitting, worker, hit, system, world.document[segment]),
        (design.worker_output, worker, system, segment, np.maximum(item, REPEAT)),
        (design.worker_control * (item >= REF), worker, item),
    ):
        # One number for each combination of the keys.
        shape = [key.max() + 1 for key in keys]
        group, groups = pd.factorize(np.ravel_multi_index(keys, shape), sort=True)
        quality += spread * rng.standard_normal(len(groups))[group]
    return np.rint(design.scores(quality, world.leniency[worker], world.scale[worker]))


# --- HITs: outputs that a worker judges -----------------------------------------------
#
# Systems, segments and HITs are numbers here. A document run is a document, or a part
# of one, translated by one system. With document context a HIT is made of such runs:
# they are shuffled, and the segments of a run stay together in their order.

HIT_COLUMNS = ["hit", "system", "segment", "item"]


class HitPlan(NamedTuple):
    """The systems, documents and budget of which HITs are made.

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
        """Return the first segment of each document."""
        return np.cumsum(self.length) - self.length

    def document_parts(self) -> tuple[Array, Array]:
        """Return first segment and length of parts; a HIT has a part by all systems."""
        longest = MAKEUP[0] // self.systems
        number = -(-self.length // longest)
        document = np.repeat(np.arange(len(number)), number)
        offset = positions(number) * longest
        length = np.minimum(self.length[document] - offset, longest)
        return self.start[document] + offset, length

    def rounds(self, length: Array) -> int:
        """Return how often all systems can be judged on such runs, and once more.

        Parameters
        ----------
        length : ndarray of int, (runs,)
        """
        return self.budget // (length.sum() * self.systems) + 1


def hit_items(protocol: str, plan: HitPlan) -> pd.DataFrame:
    """Draw HITs of a protocol, as many judgements as the budget.

    The last HIT may be cut short. Quality control is paired with different outputs of
    the same HIT; with document context it is beside them.

    Returns
    -------
    DataFrame
        Columns `HIT_COLUMNS`, whole numbers, in the order of the screen; item is a
        position in `ITEMS`. A REPEAT, REF or BAD_REF carries the system and the segment
        of the output that it is paired with.
    """
    rng = plan.rng
    segments = plan.length.sum()
    if protocol in DOCUMENT_RUNS:
        hit, system, start, length = DOCUMENT_RUNS[protocol](plan)
        run = np.repeat(rng.permutation(len(hit)), length)
        hit = np.repeat(hit, length)
        system = np.repeat(system, length)
        segment = np.repeat(start, length) + positions(length)
    else:
        hit, system = SENTENCES[protocol](plan)
        segment = draw_without_replacement(system, segments, rng)
    # The first outputs of a HIT, in a random order, are paired with quality control.
    place = np.empty_like(hit)
    place[np.argsort(hit + rng.random(len(hit)))] = positions(np.bincount(hit))
    kinds = np.repeat([REPEAT, REF, BAD_REF], MAKEUP[1:])
    paired = np.flatnonzero(place < len(kinds))
    output = np.append(np.arange(len(hit)), paired)
    item = np.append(np.full_like(hit, SYSTEM), kinds[place[paired]])
    columns = [hit[output], system[output], segment[output], item]
    run = rng.permutation(len(item)) if protocol in SENTENCES else run[output]
    # By HIT, run, segment and place: one number for each, which sorts faster than four.
    keys = hit[output], run, segment[output], np.arange(len(output))
    number = np.ravel_multi_index(keys, [key.max() + 1 for key in keys])
    order = np.argsort(number)[: plan.budget]
    return pd.DataFrame(np.transpose(columns)[order], columns=HIT_COLUMNS)


def _all_systems_alike(plan: HitPlan) -> tuple[Array, Array]:
    """Draw single sentences (SR-DC), all systems equally often in a HIT.

    If that leaves places, some systems at random have one more.
    """
    hits = -(-plan.budget // sum(MAKEUP))
    order = plan.rng.random((hits, plan.systems)).argsort(axis=1)
    system = order[:, np.arange(MAKEUP[0]) % plan.systems]
    return np.repeat(np.arange(hits), MAKEUP[0]), system.ravel()


def _few_systems(plan: HitPlan) -> tuple[Array, Array]:
    """Draw single sentences of as few systems as HITs with document context have."""
    hit, system, _, length = _pooled_documents(plan)
    return np.repeat(hit, length), np.repeat(system, length)


# HIT, system, first segment and length of document runs; arrays of int, (runs,).
Runs = tuple[Array, Array, Array, Array]


def _pooled_documents(plan: HitPlan, documents: Array | None = None) -> Runs:
    """Draw documents of systems (SR+DC) without replacement from one pool."""
    if documents is None:
        documents = np.arange(len(plan.length))
    length = np.minimum(plan.length, MAKEUP[0])[documents]
    runs = len(length) * plan.systems
    drawn = _random_orders(runs, plan.rounds(length), plan.rng)
    place, system = np.divmod(drawn, plan.systems)
    length = length[place]
    return pack_hits(length, MAKEUP[0]), system, plan.start[documents[place]], length


def _same_documents(plan: HitPlan) -> Runs:
    """Draw documents (SR+DC), as many as all systems can be judged on."""
    order = plan.rng.permutation(len(plan.length))
    size = np.cumsum(np.minimum(plan.length, MAKEUP[0])[order]) * plan.systems
    # A HIT closes when the next document does not fit: on average half a document stays
    # empty. There is a HIT to spare.
    filled = max(MAKEUP[0] - plan.length.mean() / 2, 1)
    cost = size * (1 + sum(MAKEUP[1:]) / filled) + sum(MAKEUP)
    affordable = (cost <= plan.budget).sum()
    return _pooled_documents(plan, order[: max(affordable, 1)])


def _all_systems(plan: HitPlan) -> Runs:
    """Draw all systems' outputs for a part: 2018's alternate structure with context."""
    start, length = plan.document_parts()
    drawn = _random_orders(len(length), plan.rounds(length), plan.rng)
    hit = pack_hits(length[drawn] * plan.systems, MAKEUP[0])
    part = np.repeat(drawn, plan.systems)
    system = np.tile(np.arange(plan.systems), len(drawn))
    return np.repeat(hit, plan.systems), system, start[part], length[part]


def _balanced(plan: HitPlan) -> Runs:
    """Draw one part by every system in every HIT, each of another document."""
    start, length = plan.document_parts()
    hits = len(length) * plan.rounds(length)
    hit, system = np.divmod(np.arange(hits * plan.systems), plan.systems)
    part = draw_without_replacement(system, len(length), plan.rng)
    return hit, system, start[part], length[part]


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


def draw_without_replacement(
    group: Array, size: int, rng: np.random.Generator
) -> Array:
    """Draw for each entry a number below `size`.

    Within a group no number comes again before all have come.

    Parameters
    ----------
    group : ndarray of int, (entries,)
    size : int
    rng : Generator
    """
    place = pd.Series(group).groupby(group).cumcount()
    orders = place.max() // size + 1  # of each group, one after another
    drawn = _random_orders(size, (group.max() + 1) * orders, rng)
    return drawn.reshape(-1, orders * size)[group, place]


def _random_orders(members: int, orders: int, rng: np.random.Generator) -> Array:
    """Draw several random orders of the numbers below `members`, one after another."""
    return rng.random((orders, members)).argsort(axis=1).ravel()


def pack_hits(sizes: Array, capacity: int) -> Array:
    """Pack blocks into HITs; a HIT closes when the next block does not fit."""
    hits = [0]
    filled = 0
    for size in sizes.tolist():
        closes = filled + size > capacity
        filled = size if closes else filled + size
        hits.append(hits[-1] + closes)
    return np.array(hits[1:])


def positions(sizes: Array) -> Array:
    """Give each member a number within its group; groups follow one another.

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
