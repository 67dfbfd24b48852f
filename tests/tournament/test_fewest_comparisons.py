"""The fewest comparisons and rankings that decide an order: by hand, and by trying all sets."""

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import _mfas_search as local_search
from wmtlib import fewest as fewest_comparisons
from wmtlib import fewest as fewest_removals
from wmtlib.counts import SWAPPED


def frame(rows):
    """A comparisons frame of rows (system_1, system_2, preference, ranking)."""
    columns = ["system_1", "system_2", "preference", "ranking"]
    return pd.DataFrame(rows, columns=columns).astype({"preference": int})


@st.composite
def comparisons(draw):
    rows = []
    for _ in range(draw(st.integers(3, 8))):
        first = draw(st.integers(0, 3))
        second = (first + draw(st.integers(1, 3))) % 4
        rows.append(
            ("abcd"[first], "abcd"[second], draw(st.integers(0, 2)), draw(st.integers(0, 4)))
        )
    return frame(rows)


def best_places(wins):
    """Places in every optimal order of a matrix of wins."""
    orders = [*permutations(range(len(wins)))]
    costs = [local_search.cost(wins - wins.T, order) for order in orders]
    best = [order for order, cost in zip(orders, costs, strict=True) if cost == min(costs)]
    return [fewest_comparisons.places(np.array(order)) for order in best]


def leads(wins, a, b):
    return all(place[a] < place[b] for place in best_places(wins))


def test_a_cycle_by_hand():
    # x beat y 5:0, y beat z 4:0, z beat x 2:0. Best: x y z, which costs 2. With y above x the best
    # is y z x, cost 5; the gap is 3, and three of the five wins of x over y are enough.
    wins = np.array([[0, 5, 0], [0, 0, 4], [2, 0, 0]])
    assert fewest_comparisons.best_order(wins).tolist() == [0, 1, 2]
    assert fewest_comparisons.gap(wins, 0, 1) == 3
    assert fewest_comparisons.fewest_comparisons(wins, 0, 1) == (3, 3)
    assert fewest_comparisons.fewest_comparisons(wins, 0, 1, weight=2) == (2, 2)
    # z above x: z x y costs 4, the gap is 2, but x never beat z: two of y's wins over z have to go.
    assert fewest_comparisons.gap(wins, 0, 2) == 2
    assert fewest_comparisons.fewest_comparisons(wins, 0, 2) == (2, 2)


def test_flips_by_hand():
    # a won 4 of 5 against b: two reversals leave 2 of 5.
    rows = [("a", "b", 1, k) for k in range(4)] + [("a", "b", 2, 4), ("a", "b", 0, 5)]
    credits = fewest_comparisons.tournament_credits(frame(rows), "expected-wins", unit="ranking")
    assert fewest_comparisons.fewest_flips(credits, 0, 1) == 2
    assert fewest_removals.fewest_singles(credits, 0, 1) == (3, 3)
    # Not lost: a 5 of 6, b 2 of 6. The tie cannot be reversed.
    credits = fewest_comparisons.tournament_credits(frame(rows), "wmt-official", unit="ranking")
    assert credits.scores().round(3).tolist() == [0.833, 0.333]
    assert fewest_comparisons.fewest_flips(credits, 0, 1) == 2


def test_units_hold_all_comparisons_of_a_ranking():
    rows = [("a", "b", 1, 7), ("a", "c", 1, 7), ("b", "c", 1, 7), ("a", "b", 1, 3)]
    credits = fewest_comparisons.tournament_credits(frame(rows), "expected-wins", unit="ranking")
    assert credits.unit.tolist() == [0, 0, 0, 1]
    found = fewest_comparisons.tournament(frame(rows), unit="ranking")
    assert found.wins.tolist() == [[0, 2, 1], [0, 0, 1], [0, 0, 0]]
    assert found.unit.tolist() == [0, 0, 0, 1]


@settings(max_examples=60, deadline=None)
@given(comparisons())
def test_mfas_against_all_sets(data):
    found = fewest_comparisons.tournament(data, unit="ranking")
    if len(found.systems) < 2 or not len(found.unit):
        return
    a, b = fewest_comparisons.best_order(found.wins)[:2].tolist()

    def fewest(unit):
        for size in range(unit.max() + 2):
            for chosen in combinations(range(unit.max() + 1), size):
                kept, wins = ~np.isin(unit, chosen), np.zeros_like(found.wins)
                np.add.at(wins, (found.winner[kept], found.loser[kept]), 1)
                if not leads(wins, a, b):
                    return size
        raise AssertionError

    true = fewest(np.arange(len(found.unit)))
    lower, upper = fewest_comparisons.fewest_comparisons(found.wins, a, b)
    assert lower <= true <= upper
    assert lower == upper  # neighbours of the best order: always exact
    lower, upper = fewest_comparisons.fewest_units_of_tournament(found, a, b)
    assert lower <= fewest(found.unit) <= upper


@pytest.mark.parametrize("method", ["expected-wins", "wmt-official", "bojar"])
def test_flips_against_all_sets(method):
    @settings(max_examples=40, deadline=None)
    @given(comparisons())
    def check(data):
        credits = fewest_comparisons.tournament_credits(data, method, unit="comparison")
        scores = credits.scores() if len(credits.unit) else np.zeros(0)
        ahead = np.argwhere(scores[:, None] - scores > fewest_removals.TIED) if len(scores) else []
        if not len(ahead):
            return
        a, b = ahead[0]

        def lead_after(chosen):
            swapped = data["preference"].to_numpy().copy()
            swapped[[*chosen]] = SWAPPED[swapped[[*chosen]]]
            after = fewest_comparisons.tournament_credits(
                data.assign(preference=swapped), method, unit="comparison"
            )
            return fewest_removals.leads(after.scores(), a, b)

        sizes = range(len(data) + 1)
        true = next(
            size
            for size in sizes
            if any(not lead_after(chosen) for chosen in combinations(range(len(data)), size))
        )
        assert fewest_comparisons.fewest_flips(credits, a, b) == true

    check()
