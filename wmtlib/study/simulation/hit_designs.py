"""Who judges which outputs: HITs of WMT's protocols, and of the proposals of Knowles (2021).

Systems, segments and HITs are numbers here; `simulate` gives them names and scores. A document run
is a document, or a part of one, translated by one system. With document context a HIT is made of
such runs: they are shuffled, and the segments of a run stand together in their order.
"""

from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np

from wmtlib import counts as grouping
from wmtlib.counts import ITEMS
from wmtlib.errors import DataError
from wmtlib.study.simulation import hit_filling

# Numbers of SYSTEM, REPEAT, REF and BAD_REF items in a HIT. With document context: upper limits.
STANDARD = (70, 10, 10, 10)
PROTOCOLS = {
    "SR-DC": STANDARD,
    "alternate": (88, 0, 0, 12),
    "SR+DC": STANDARD,
    "SR+DC same documents": STANDARD,
    "SR+DC all systems per HIT": STANDARD,
    # WMT never used these two: they separate the systems of a HIT from document context.
    "SR-DC few systems per HIT": STANDARD,
    "SR+DC balanced": STANDARD,
}
SYSTEM, REPEAT, REF, BAD_REF = range(len(ITEMS))  # positions in direct_assessments.ITEMS


@dataclass(frozen=True)
class HitPlan:
    """The systems and documents of a campaign, and the makeup of its HITs.

    Attributes
    ----------
    protocol : str
        One of `PROTOCOLS`.
    systems : int
        Number of systems, a human system included.
    length : ndarray of int, (documents,)
        Segments of each document; segments are numbered through the documents.
    makeup : tuple of 4 int
        SYSTEM, REPEAT, REF and BAD_REF items of a HIT.

    Raises
    ------
    DataError
        An unknown protocol, or more systems than a HIT has SYSTEM items.
    """

    protocol: str
    systems: int
    length: np.ndarray
    makeup: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            known = ", ".join(PROTOCOLS)
            raise DataError(f"protocol is {self.protocol!r}; expected one of {known}")
        if not 1 <= self.systems <= self.makeup[0]:
            raise DataError(f"{self.systems} systems do not fit {self.makeup[0]} items of a HIT")
        if min(self.makeup) < 0 or sum(self.makeup[1:]) > self.makeup[0]:
            raise DataError(f"makeup is {self.makeup}; expected less quality control than outputs")

    @property
    def start(self) -> np.ndarray:
        """First segment of each document."""
        return np.cumsum(self.length) - self.length

    @property
    def control(self) -> int:
        """Number of quality-control items of a HIT."""
        return sum(self.makeup[1:])

    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """First segment and length of parts of documents that fit a HIT in all systems' outputs."""
        longest = self.makeup[0] // self.systems
        count = -(-self.length // longest)
        offset = grouping.positions(count) * longest
        start = np.repeat(self.start, count) + offset
        return start, np.minimum(np.repeat(self.length, count) - offset, longest)


class HitItems(NamedTuple):
    """The items of HITs: arrays of int with one entry per item, in the order of the screen.

    Attributes
    ----------
    hit, system, segment, item : ndarray of int, (items,)
        `item` is a position in `direct_assessments.ITEMS`; a REF or BAD_REF carries the system and
        the segment that it was paired with.
    """

    hit: np.ndarray
    system: np.ndarray
    segment: np.ndarray
    item: np.ndarray

    def take(self, rows: np.ndarray) -> "HitItems":
        """These items, in this order."""
        return HitItems(*(column[rows] for column in self))


class DocumentRuns(NamedTuple):
    """HIT, system, first segment and length of each document run; arrays of int, (runs,)."""

    hit: np.ndarray
    system: np.ndarray
    start: np.ndarray
    length: np.ndarray

    def within(self, budget: int) -> "DocumentRuns":
        """The first runs, as many as this number of judgements begins."""
        few = int(np.searchsorted(np.cumsum(self.length), budget)) + 1
        return DocumentRuns(*(column[:few] for column in self))


def hit_items(plan: HitPlan, budget: int, rng: np.random.Generator) -> HitItems:
    """HITs of a protocol with exactly `budget` judgements; the last HIT may be cut short."""
    if plan.protocol in RUNS:
        runs = RUNS[plan.protocol](plan, budget, rng).within(budget)
        chosen, run = _with_repeated_documents(runs, plan, rng)
    else:
        chosen = _with_paired_items(_sentences(plan, budget, rng), plan, rng)
        run = rng.permutation(len(chosen.hit))
    # By HIT, run and segment: one number each, as one sort is quicker than three.
    place = (chosen.hit * len(run) + run) * (int(plan.length.sum()) + 1) + chosen.segment
    return chosen.take(np.argsort(place)[:budget])


# --- Single sentences -----------------------------------------------------------------------------


def _sentences(plan: HitPlan, budget: int, rng: np.random.Generator) -> HitItems:
    """SYSTEM items, chosen sentence by sentence."""
    size, systems = plan.makeup[0], plan.systems
    if plan.protocol == "alternate":  # every segment with the outputs of all systems
        segments = size // systems
        hits = -(-budget // (segments * systems + plan.control))
        hit = np.repeat(np.arange(hits), segments * systems)
        pool = np.zeros(hits * segments, dtype=np.intp)
        segment = hit_filling.draw_without_replacement(pool, plan.length.sum(), rng).repeat(systems)
        system = np.tile(np.arange(systems), hits * segments)
        return HitItems(hit, system, segment, np.full_like(hit, SYSTEM))
    if plan.protocol == "SR-DC":  # all systems equally often; if that leaves places, some at random
        hits = -(-budget // sum(plan.makeup))
        order = rng.random((hits, systems)).argsort(axis=1)
        hit, system = np.repeat(np.arange(hits), size), order[:, np.arange(size) % systems].ravel()
    else:  # the systems of a HIT with document context, but segments of any document
        runs = _pooled_documents(plan, budget, rng).within(budget)
        hit, system = np.repeat(runs.hit, runs.length), np.repeat(runs.system, runs.length)
    segment = hit_filling.draw_without_replacement(system, plan.length.sum(), rng)
    return HitItems(hit, system, segment, np.full_like(hit, SYSTEM))


def _with_paired_items(items: HitItems, plan: HitPlan, rng: np.random.Generator) -> HitItems:
    """Add quality control to every HIT, each item paired with a different SYSTEM item."""
    place = hit_filling.rank_in_group(items.hit, rng.random(len(items.hit)))
    kinds = np.repeat([REPEAT, REF, BAD_REF], plan.makeup[1:])
    paired = np.flatnonzero(place < len(kinds))
    both = items.take(np.concatenate([np.arange(len(place)), paired]))
    return both._replace(item=np.concatenate([items.item, kinds[place[paired]]]))


# --- Document context -----------------------------------------------------------------------------


def _pooled_documents(
    plan: HitPlan, budget: int, rng: np.random.Generator, documents: np.ndarray | None = None
) -> DocumentRuns:
    """SR+DC: pairs of a document and a system, drawn without replacement from one pool."""
    documents = np.arange(len(plan.length)) if documents is None else documents
    length = np.minimum(plan.length, plan.makeup[0])
    orders = budget // int(length[documents].sum() * plan.systems) + 1
    drawn = hit_filling.random_orders(len(documents) * plan.systems, orders, rng)
    document, system = documents[drawn // plan.systems], drawn % plan.systems
    hit = hit_filling.pack(length[document], plan.makeup[0])
    return DocumentRuns(hit, system, plan.start[document], length[document])


def _same_documents(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """SR+DC of as many whole documents as all systems can be judged on with this budget."""
    order = rng.permutation(len(plan.length))
    size = np.cumsum(np.minimum(plan.length, plan.makeup[0])[order]) * plan.systems
    # A HIT closes when the next document does not fit: on average half a document stays empty.
    filled = max(plan.makeup[0] - plan.length.mean() / 2, 1)
    cost = size * (1 + plan.control / filled)
    return _pooled_documents(plan, budget, rng, order[: max(int((cost <= budget).sum()), 1)])


def _all_systems(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """2018's alternate structure with context: all systems' outputs for a part of a document."""
    start, length = plan.parts()
    drawn = hit_filling.random_orders(
        len(length), budget // int(length.sum() * plan.systems) + 1, rng
    )
    hit = hit_filling.pack(length[drawn] * plan.systems, plan.makeup[0])
    system = np.tile(np.arange(plan.systems), len(drawn))
    hit, start, length = (np.repeat(x, plan.systems) for x in (hit, start[drawn], length[drawn]))
    return DocumentRuns(hit, system, start, length)


def _balanced(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """One part of a document by every system in every HIT, each of a different document."""
    start, length = plan.parts()
    rounds = budget // int(length.sum() * plan.systems) + 1
    rng.random(rounds)  # not used: later draws stay as they were when rounds were shuffled
    system = np.tile(np.arange(plan.systems), len(length) * rounds)
    drawn = hit_filling.draw_without_replacement(system, len(length), rng)
    return DocumentRuns(hit_filling.rank_in_group(system), system, start[drawn], length[drawn])


RUNS = {
    "SR+DC": _pooled_documents,
    "SR+DC same documents": _same_documents,
    "SR+DC all systems per HIT": _all_systems,
    "SR+DC balanced": _balanced,
}


def _with_repeated_documents(
    runs: DocumentRuns, plan: HitPlan, rng: np.random.Generator
) -> tuple[HitItems, np.ndarray]:
    """Items of the runs, and of runs of the same HIT that are shown again as quality control.

    As in the released HITs of WMT21, the segments of a run that is shown again are REPEAT, REF and
    BAD_REF at random. Runs are repeated while they fit; one that does not fit alone is cut.

    Returns
    -------
    HitItems, and the run of each item : ndarray of int, (items,)
    """
    count = len(runs.hit)
    # In random order within each HIT; `before` counts the segments of the HIT's earlier runs.
    order = hit_filling.order_in_groups(runs.hit, rng.random(count))
    hit, length = runs.hit[order], runs.length[order]
    before = np.cumsum(length) - length
    before -= before[np.searchsorted(hit, hit)]
    again = order[((before + length <= plan.control) | (before == 0)) & (plan.control > 0)]
    source = np.concatenate([np.arange(count), again])
    size = np.concatenate([runs.length, np.minimum(runs.length[again], plan.control)])
    # One entry per item: the run it belongs to, and the run it was taken from.
    run = np.repeat(np.arange(len(size)), size)
    source, repeated = source[run], run >= count
    hit = runs.hit[source]
    item = np.full_like(hit, SYSTEM)
    if plan.control:
        kinds = np.array(plan.makeup[1:]) // gcd(*plan.makeup[1:])  # in the smallest proportion
        kinds = np.repeat([REPEAT, REF, BAD_REF], kinds)
        rank = hit_filling.rank_in_group(hit[repeated], rng.random(int(repeated.sum())))
        item[repeated] = kinds[rank % len(kinds)]
    shuffled = rng.permutation(len(size))[run]
    segment = runs.start[source] + grouping.positions(size)
    return HitItems(hit, runs.system[source], segment, item), shuffled
