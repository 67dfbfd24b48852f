"""Leaving out systems: by hand, and against ranking the others anew."""

from itertools import combinations
from itertools import pairwise as neighbours

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import campaign, counts_of, rng, tournament

from wmtlib import counts as counting
from wmtlib import ranking as methods
from wmtlib import resampling as leave_one_out
from wmtlib.errors import DataError
from wmtlib.ranking import METHODS

BATCHED = [name for name, m in METHODS.items() if m.scores is not None and not m.random]
few = settings(max_examples=settings().max_examples * 2 // 5)


def test_a_weak_system_lifts_who_met_it_most():
    # a won 6 of 10 and 1 of 2. b: 4 of 10, but all 30 with x.
    counts = counts_of(("a", "b", 6, 4, 0), ("b", "x", 30, 0, 0), ("a", "x", 1, 1, 0))
    found = leave_one_out.leave_one_out(counts, "heuristic2")
    assert found.ranking.order == ["b", "a", "x"]
    rows = found.table.set_index("removed")
    assert rows["changed"].to_dict() == {"b": True, "a": False, "x": True}
    assert rows.loc["x"].tolist() == [True, 1, 0, "b > a"]
    assert rows.loc["b"].tolist() == [True, 0, 1, ""]  # a and x tied with each other
    assert found.systems.to_numpy().tolist() == [["b", 1, 1], ["a", 1, 1], ["x", 0, 0]]
    assert found.neighbours.to_numpy().tolist() == [["b", "a", 1, "x"], ["a", "x", 0, ""]]
    assert found.note == ""


def test_neighbours_once_the_one_between_is_gone():
    # a, b, c by wins: 11, 10, 10 of 20 with each other. Without b, c is better than a.
    counts = counts_of(("a", "b", 7, 3, 0), ("b", "c", 7, 3, 0), ("a", "c", 4, 6, 0))
    found = leave_one_out.leave_one_out(counts, "bojar")
    assert found.ranking.order == ["a", "b", "c"]
    assert found.table["swaps"].tolist() == ["", "a > c", ""]
    assert found.neighbours["swapped"].tolist() == [0, 0]


@few
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("method", [*BATCHED, "mfas", "trueskill"])
def test_leaving_out_is_ranking_anew(method, seed):
    counts = counting.count(tournament(seed, systems=4, games=60))
    found = leave_one_out.leave_one_out(counts, method, rng=rng())
    order = found.ranking.order
    assert found.table["removed"].tolist() == order
    turned = {pair: 0 for pair in neighbours(order)}
    for row in found.table.itertuples():
        left = [name for name in order if name != row.removed]
        try:
            again = methods.rank(counts.without(row.removed), method, reference=None, rng=rng())
        except DataError:
            continue
        if method in ("mfas", "trueskill"):  # ties are broken; another draw
            continue
        rank = again.column("rank")
        place = found.ranking.column("rank")
        reversed_ = [
            (a, b)
            for a, b in combinations(left, 2)
            if (rank[a] - rank[b]) * (place[a] - place[b]) < 0
        ]
        assert row.reversed == len(reversed_)
        swaps = [f"{a} > {b}" for a, b in neighbours(left) if (a, b) in reversed_]
        assert row.swaps == "; ".join(swaps)
        assert row.changed == (row.reversed + row.ties > 0)
        for pair in reversed_:
            if pair in turned:
                turned[pair] += 1
    if method in BATCHED and method != "bradley-terry-half":  # some of those have no maximum
        assert found.neighbours["swapped"].tolist() == [*turned.values()]
    assert found.systems["reversed"].sum() == 2 * found.table["reversed"].sum()


def test_mfas_is_as_before_where_another_order_would_do_as_well():
    counts = counts_of(("a", "b", 5, 0, 0), ("a", "c", 5, 0, 0), ("b", "d", 5, 0, 0))
    found = leave_one_out.leave_one_out(counts, "mfas")
    assert found.table["reversed"].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
def test_leaving_out_systems_of_a_campaign(method):
    whole = campaign(1)
    found = leave_one_out.leave_one_out(whole, method)
    for row in found.table.itertuples():
        fewer = whole.without([row.removed], items=(), paired=False)
        again = methods.rank(fewer, method, reference=None).order
        before = [name for name in found.ranking.order if name != row.removed]
        assert row.changed == (again != before)
    assert method == "z-score" or not found.table["changed"].any()  # raw means stay


def test_what_cannot_be_left_out_is_refused():
    with pytest.raises(DataError, match=r"^2 systems; leaving one out needs three or more$"):
        leave_one_out.leave_one_out(counts_of(("a", "b", 1, 2, 3)), "bojar")
