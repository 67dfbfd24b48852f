"""Who judges what: the HITs of WMT's protocols, and of those proposed (Knowles 2021, 2 and 8).

Positions only: systems, segments and HITs are numbers here, names and scores are the business of
`simulate`. A stretch of document by one system is a run; in a HIT runs are shuffled, and a run's
segments stand together in their order.
"""

from dataclasses import dataclass, replace
from math import gcd

import numpy as np

from wmtlib.judgements import grouping
from wmtlib.judgements.direct_assessments import ITEMS
from wmtlib.judgements.errors import DataError

# What a HIT is made of: SYSTEM, REPEAT, REF, BAD_REF. With document context these are upper limits.
STANDARD = (70, 10, 10, 10)
PROTOCOLS = {
    "SR-DC": STANDARD,
    "alternate": (88, 0, 0, 12),
    "SR+DC": STANDARD,
    "SR+DC same documents": STANDARD,
    "SR+DC all systems per HIT": STANDARD,
    # Not used at WMT: the two that tell composition and document context apart.
    "SR-DC few systems per HIT": STANDARD,
    "SR+DC balanced": STANDARD,
}
SYSTEM, REPEAT, REF, BAD_REF = range(len(ITEMS))  # positions in direct_assessments.ITEMS


@dataclass(frozen=True)
class HitPlan:
    """What HITs are made from.

    Attributes
    ----------
    protocol : str
        One of `PROTOCOLS`.
    systems : int
        How many are judged, a human system included.
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
    def segments(self) -> int:
        """Of all documents."""
        return int(self.length.sum())


@dataclass(frozen=True)
class HitItems:
    """Who would judge what: one entry an item, in the order of the screen.

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

    def __getitem__(self, rows: np.ndarray | slice) -> "HitItems":
        return HitItems(self.hit[rows], self.system[rows], self.segment[rows], self.item[rows])


@dataclass(frozen=True)
class DocumentRuns:
    """Documents, or stretches of them, by one system each: HIT, system, first segment, length."""

    hit: np.ndarray
    system: np.ndarray
    start: np.ndarray
    length: np.ndarray


def hit_items(plan: HitPlan, budget: int, rng: np.random.Generator) -> HitItems:
    """HITs of a protocol for exactly so many judgements; the last may be cut short for that."""
    if plan.protocol in RUNS:
        runs = _until(RUNS[plan.protocol](plan, budget, rng), budget)
        chosen, run = _with_quality_control(runs, plan.makeup, rng)
    else:
        chosen = _with_paired_items(_single(plan, budget, rng), plan.makeup, rng)
        run = rng.permutation(len(chosen.hit))
    return chosen[np.lexsort((chosen.segment, run, chosen.hit))[:budget]]


def joined(first: HitItems, second: HitItems) -> HitItems:
    """Two layouts, one after the other; the HITs of the second are numbered from 1."""
    pairs = [
        (np.zeros_like(first.hit), second.hit + 1),
        (first.system, second.system),
        (first.segment, second.segment),
        (first.item, second.item),
    ]
    return HitItems(*(np.concatenate(pair) for pair in pairs))


def _single(plan: HitPlan, budget: int, rng: np.random.Generator) -> HitItems:
    """SYSTEM items, chosen sentence by sentence."""
    size, systems = plan.makeup[0], plan.systems
    if plan.protocol == "alternate":  # every input with all its outputs
        inputs = size // systems
        hits = -(-budget // (inputs * systems + sum(plan.makeup[1:])))
        hit = np.repeat(np.arange(hits), inputs * systems)
        segment = _dealt(np.zeros(hits * inputs, dtype=np.intp), plan.segments, rng)
        segment, system = np.repeat(segment, systems), np.tile(np.arange(systems), hits * inputs)
        return HitItems(hit, system, segment, np.full_like(hit, SYSTEM))
    if plan.protocol == "SR-DC":  # all systems in equal proportion; the odd ones at random
        hits = -(-budget // sum(plan.makeup))
        order = rng.random((hits, systems)).argsort(axis=1)
        hit, system = np.repeat(np.arange(hits), size), order[:, np.arange(size) % systems].ravel()
    else:  # as many items of the same few systems as with document context, but of any document
        runs = _until(_pooled(plan, budget, rng), budget)
        hit, system = np.repeat(runs.hit, runs.length), np.repeat(runs.system, runs.length)
    return HitItems(hit, system, _dealt(system, plan.segments, rng), np.full_like(hit, SYSTEM))


def _dealt(pile: np.ndarray, cards: int, rng: np.random.Generator) -> np.ndarray:
    """Deal each entry a card from its own pile, shuffled anew when it is used up."""
    turn = _rank(pile)
    rounds = -(-(int(turn.max(initial=0)) + 1) // cards)
    piles = int(pile.max(initial=0)) + 1
    shuffled = rng.random((piles, rounds, cards)).argsort(axis=2).reshape(piles, -1)
    return shuffled[pile, turn]


def _rank(group: np.ndarray, key: np.ndarray | None = None) -> np.ndarray:
    """Place, from 0, of each entry within its group, by key or by position."""
    order = np.argsort(group, kind="stable") if key is None else np.lexsort((key, group))
    size = np.bincount(group)
    rank = np.empty(len(group), dtype=np.intp)
    rank[order] = grouping.positions(size)
    return rank


def _with_paired_items(
    items: HitItems, makeup: tuple[int, int, int, int], rng: np.random.Generator
) -> HitItems:
    """Add to every HIT its quality control, each item paired with another of its SYSTEM items."""
    place = _rank(items.hit, rng.random(len(items.hit)))
    kinds = np.repeat([REPEAT, REF, BAD_REF], makeup[1:])
    paired = np.flatnonzero(place < len(kinds))
    both = items[np.concatenate([np.arange(len(place)), paired])]
    return replace(both, item=np.concatenate([items.item, kinds[place[paired]]]))


def _until(runs: DocumentRuns, budget: int) -> DocumentRuns:
    """The runs that so many judgements begin with."""
    few = int(np.searchsorted(np.cumsum(runs.length), budget)) + 1
    return DocumentRuns(runs.hit[:few], runs.system[:few], runs.start[:few], runs.length[:few])


def _packed(size: np.ndarray, capacity: int) -> np.ndarray:
    """HIT of each block if HITs are filled in turn until the next block does not fit."""
    end = np.cumsum(size)
    first, filled = [0], 0
    while (after := int(np.searchsorted(end, filled + capacity, side="right"))) < len(size):
        first.append(after)
        filled = int(end[after - 1])
    return np.repeat(np.arange(len(first)), np.diff([*first, len(size)]))


def _passes(budget: int, pool: int, rng: np.random.Generator, members: int) -> np.ndarray:
    """Members of a pool in random order, and again, until so many judgements are sure to be had."""
    rounds = budget // pool + 1
    return rng.random((rounds, members)).argsort(axis=1).ravel()


def _pooled(
    plan: HitPlan,
    budget: int,
    rng: np.random.Generator,
    documents: np.ndarray | None = None,
) -> DocumentRuns:
    """SR+DC: (document, system) pairs are pooled and drawn without replacement until up to 70."""
    documents = np.arange(len(plan.length)) if documents is None else documents
    length = np.minimum(plan.length, plan.makeup[0])
    members = len(documents) * plan.systems
    drawn = _passes(budget, int(length[documents].sum()) * plan.systems, rng, members)
    document, system = documents[drawn // plan.systems], drawn % plan.systems
    hit = _packed(length[document], plan.makeup[0])
    return DocumentRuns(hit, system, plan.start[document], length[document])


def _same_documents(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """SR+DC of as many whole documents as all systems can be judged on for that cost."""
    order = rng.permutation(len(plan.length))
    size = np.cumsum(np.minimum(plan.length, plan.makeup[0])[order]) * plan.systems
    # A HIT closes when the next document does not fit: on average half of one stays unfilled.
    filled = max(plan.makeup[0] - plan.length.mean() / 2, 1)
    cost = size * (1 + sum(plan.makeup[1:]) / filled)
    return _pooled(plan, budget, rng, order[: max(int((cost <= budget).sum()), 1)])


def _excerpts(plan: HitPlan) -> tuple[np.ndarray, np.ndarray]:
    """Start and length of the stretches of document that all systems fit into a HIT with."""
    longest = plan.makeup[0] // plan.systems
    pieces = -(-plan.length // longest)
    offset = _rank(np.repeat(np.arange(len(plan.length)), pieces)) * longest
    start = np.repeat(plan.start, pieces) + offset
    return start, np.minimum(np.repeat(plan.length, pieces) - offset, longest)


def _all_systems(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """2018's alternate structure with context: all systems' output for a stretch of document."""
    start, length = _excerpts(plan)
    drawn = _passes(budget, int(length.sum()) * plan.systems, rng, len(length))
    hit = _packed(length[drawn] * plan.systems, plan.makeup[0])
    each = np.repeat(np.arange(len(drawn)), plan.systems)
    system = np.tile(np.arange(plan.systems), len(drawn))
    return DocumentRuns(hit[each], system, start[drawn][each], length[drawn][each])


def _balanced(plan: HitPlan, budget: int, rng: np.random.Generator) -> DocumentRuns:
    """One stretch of document by every system in every HIT, each of another document."""
    start, length = _excerpts(plan)
    rounds = _passes(budget, int(length.sum()) * plan.systems, rng, 1)
    system = np.tile(np.arange(plan.systems), len(length) * len(rounds))
    drawn = _dealt(system, len(length), rng)
    return DocumentRuns(_rank(system), system, start[drawn], length[drawn])


RUNS = {
    "SR+DC": _pooled,
    "SR+DC same documents": _same_documents,
    "SR+DC all systems per HIT": _all_systems,
    "SR+DC balanced": _balanced,
}


def _with_quality_control(
    runs: DocumentRuns, makeup: tuple[int, int, int, int], rng: np.random.Generator
) -> tuple[HitItems, np.ndarray]:
    """Items of the runs, and of documents of the HIT that are shown once more.

    As in the released HITs of WMT21, the segments of such a document are REPEAT, REF and BAD_REF
    at random. Documents are taken while they fit; one that does not fit alone is cut.

    Returns
    -------
    Layout, and the run of each item : ndarray of int, (items,)
    """
    control = sum(makeup[1:])
    order = np.lexsort((rng.random(len(runs.hit)), runs.hit))
    hit, length = runs.hit[order], runs.length[order]
    before = np.cumsum(length) - length
    opens = np.searchsorted(hit, hit)  # first run of the HIT
    before -= before[opens]
    again = order[(before + length <= control) | (before == 0)] if control else order[:0]
    which = np.concatenate([np.arange(len(runs.hit)), again])
    size = np.concatenate([runs.length, np.minimum(runs.length[again], control)])
    run = np.repeat(np.arange(len(size)), size)
    step = grouping.positions(size)
    which, extra = which[run], run >= len(runs.hit)
    hit = runs.hit[which]
    item = np.full_like(hit, SYSTEM)
    if control:
        kinds = np.repeat([REPEAT, REF, BAD_REF], np.array(makeup[1:]) // gcd(*makeup[1:]))
        item[extra] = kinds[_rank(hit[extra], rng.random(int(extra.sum()))) % len(kinds)]
    shuffled = rng.permutation(len(size))[run]
    return HitItems(hit, runs.system[which], runs.start[which] + step, item), shuffled
