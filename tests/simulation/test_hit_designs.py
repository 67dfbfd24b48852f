"""HITs of every protocol: worked by hand, then as stated for random campaigns."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.errors import DataError
from wmtlib.study.simulation import hit_designs
from wmtlib.study.simulation.hit_designs import PROTOCOLS, STANDARD, HitPlan

SENTENCES = ["SR-DC", "alternate", "SR-DC few systems per HIT"]
DOCUMENTS = [p for p in PROTOCOLS if p not in SENTENCES]
SEEDS = st.integers(0, 2**32)
LENGTHS = st.lists(st.integers(2, 40), min_size=10, max_size=25)


def rng(seed=1):
    return np.random.default_rng(seed)


def laid_out(protocol, lengths, systems, budget, seed, makeup=None):
    """HITs, each a list of (item, system, segment), in the order of the screen."""
    plan = HitPlan(protocol, systems, np.array(lengths), makeup or PROTOCOLS[protocol])
    layout = hit_designs.hit_items(plan, budget, rng(seed))
    assert len(layout.hit) == budget
    found = [[] for _ in range(layout.hit.max() + 1)]
    columns = (layout.hit, layout.item, layout.system, layout.segment)
    for hit, *rest in zip(*(c.tolist() for c in columns), strict=True):
        found[hit].append(tuple(rest))
    assert layout.hit.tolist() == sorted(layout.hit.tolist())
    return found


def runs(hit, document):
    """Stretches of consecutive items of one system and document with segments in order."""
    found = []
    for _, system, segment in hit:
        before = found[-1] if found else (None, 0, 0)
        here = (before[0], before[2] + 1, document[before[1]])
        if here == (system, segment, document[segment]):
            before[2] = segment
        else:
            found.append([system, segment, segment])
    return found


# --- By hand --------------------------------------------------------------------------------------


def test_two_documents_of_two_systems_in_hits_of_four():
    # Documents of 2 and 3 segments: 4 pairs, 10 outputs, no HIT holds two of the longer ones.
    found = laid_out("SR+DC", [2, 3], 2, 10, 3, makeup=(4, 0, 0, 0))
    assert Counter(x for hit in found for x in hit) == Counter(
        (0, system, segment) for system in range(2) for segment in range(5)
    )
    for hit in found:
        for system, first, last in runs(hit, [0, 0, 1, 1, 1]):
            assert (first, last) in {(0, 1), (2, 4)}, system


def test_parts_of_documents_leave_room_for_all_systems():
    start, length = HitPlan("SR+DC balanced", 3, np.array([5, 2]), (6, 0, 0, 0)).parts()
    assert start.tolist() == [0, 2, 4, 5]
    assert length.tolist() == [2, 2, 1, 2]


# --- As stated ------------------------------------------------------------------------------------


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_a_hit_without_context_has_100_items_and_all_systems_in_equal_proportion(
    lengths, systems, seed
):
    for hit in laid_out("SR-DC", lengths, systems, 300, seed):
        assert Counter(item for item, _, _ in hit) == Counter(
            {item: n for item, n in enumerate(STANDARD)}
        )
        shown = Counter(system for item, system, _ in hit if item == hit_designs.SYSTEM)
        assert len(shown) == systems and max(shown.values()) - min(shown.values()) <= 1


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_quality_control_is_paired_with_an_output_of_the_hit(lengths, systems, seed):
    for protocol in PROTOCOLS:
        for hit in laid_out(protocol, lengths, systems, 400, seed)[:-1]:
            outputs = {x[1:] for x in hit if x[0] == hit_designs.SYSTEM}
            assert {x[1:] for x in hit} == outputs


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_the_alternate_structure_has_all_outputs_of_every_input(lengths, systems, seed):
    for hit in laid_out("alternate", lengths, systems, 500, seed)[:-1]:
        outputs = Counter(x[1:] for x in hit if x[0] == hit_designs.SYSTEM)
        for segment in {segment for _, segment in outputs}:
            assert len({outputs[system, segment] for system in range(systems)}) == 1
        assert sum(outputs.values()) == 88 // systems * systems
        assert sum(item == hit_designs.BAD_REF for item, _, _ in hit) == 12


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_with_context_a_document_is_shown_whole_and_in_order(lengths, systems, seed):
    ends = np.cumsum(lengths)
    document = np.repeat(np.arange(len(lengths)), lengths)
    for protocol in ("SR+DC", "SR+DC same documents"):
        for hit in laid_out(protocol, lengths, systems, 600, seed)[:-1]:
            plain = [x for x in hit if x[0] == hit_designs.SYSTEM]
            assert len(plain) <= 70 and len(hit) <= 100
            kept = {
                (ends[document[f]] - lengths[document[f]], ends[document[f]] - 1)
                for _, _, f in plain
            }
            found = runs(hit, document)
            whole = [(first, last) for _, first, last in found if (first, last) in kept]
            cut = [r for r in found if (r[1], r[2]) not in kept]
            assert len(whole) >= len({(s, document[g]) for _, s, g in plain})
            assert len(cut) <= 1  # quality control that is longer than 30 segments


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_every_hit_has_every_system_where_it_is_said_to(lengths, systems, seed):
    for hit in laid_out("SR+DC all systems per HIT", lengths, systems, 500, seed)[:-1]:
        pairs = Counter(x[1:] for x in hit if x[0] == hit_designs.SYSTEM)
        segments = {segment for _, segment in pairs}
        assert set(pairs) == {(s, g) for s in range(systems) for g in segments}
    for hit in laid_out("SR+DC balanced", lengths, systems, 500, seed)[:-1]:
        assert {s for item, s, _ in hit if item == hit_designs.SYSTEM} == set(range(systems))


@given(st.integers(2, 6), SEEDS)
def test_all_systems_are_judged_on_the_same_documents(systems, seed):
    lengths = [5, 9, 14, 20, 8, 11, 17, 6, 12, 10, 7, 15, 9, 13, 18] * 4
    document = np.repeat(np.arange(len(lengths)), lengths)
    found = laid_out("SR+DC same documents", lengths, systems, 1500, seed)
    judged = [set() for _ in range(systems)]
    for hit in found:
        for _, system, segment in hit:
            judged[system].add(document[segment])
    assert all(j == judged[0] for j in judged)
    assert len(judged[0]) < len(lengths)


def test_few_systems_per_hit_are_as_few_as_with_context():
    def systems_per_hit(protocol):
        found = laid_out(protocol, [17] * 60, 9, 9000, 5)[:-1]
        return np.mean([len({x[1] for x in hit}) for hit in found])

    assert systems_per_hit("SR-DC few systems per HIT") == pytest.approx(
        systems_per_hit("SR+DC"), abs=0.2
    )
    assert systems_per_hit("SR+DC") < 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "RR"}, "protocol is 'RR'; expected one of SR-DC, "),
        ({"systems": 0}, "0 systems do not fit"),
        ({"systems": 71}, "71 systems do not fit 70 items"),
        ({"makeup": (10, 5, 5, 5)}, "expected less quality control than outputs"),
        ({"makeup": (10, 5, -5, 5)}, "expected less quality control than outputs"),
    ],
)
def test_what_no_hit_can_be_made_of_is_refused(change, message):
    plan = {"protocol": "SR-DC", "systems": 4, "length": np.array([3]), "makeup": STANDARD}
    with pytest.raises(DataError, match="^[^\n]*" + message.replace("(", r"\(")):
        HitPlan(**plan | change)
