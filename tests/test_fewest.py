"""The fewest judgements that decide: by hand, and against every set of them."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import (
    JUDGEMENTS,
    KINDS,
    compared,
    data_error,
    drawn,
    encoded,
    example,
    judged_by,
    one_worker,
)
from wmtlib import assessments, forms, methods, mfas, zscores
from wmtlib import counts as counting
from wmtlib.counts import COMPARISON, FIRST, SECOND, SWAPPED, TIE
from wmtlib.errors import DataError
from wmtlib.fewest import (
    COLUMNS,
    REMOVABLE,
    SHARES,
    TIED,
    Compared,
    Ordered,
    fewest_removals,
    greedy,
)

UNITS = {"pairwise": "judge", "rankings": "ranking", "assessments": "hit"}
SCORED = ("expected-wins", "wmt-official", "bojar")
WINNER = {"winner": 1.0}
NEIGHBOURS = {"neighbours": 1.0}
COMPARED = ["system_1", "system_2", "preference"]
seeds = given(seed=st.integers(0, 10**6))


def random_frame(seed):
    """Two to four systems, up to seven comparisons, a handful of judges."""
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 5)
    rows = []
    for _ in range(rng.integers(2, 8)):
        a, b = rng.choice(n, 2, replace=False)
        preference = int(rng.choice([TIE, FIRST, SECOND], p=[0.2, 0.5, 0.3]))
        rows.append(("abcd"[a], "abcd"[b], preference, 1, int(rng.integers(5))))
    return judged_by(*rows)


def scores_lead(frame, method, a, b):
    """Is the score of a above b's? Both need a judgement that counts."""
    seen = {a: {}, b: {}}
    for one, other, preference in frame[COMPARED].itertuples(False):
        if preference == TIE and method != "wmt-official":
            continue
        for system, opponent, lost in ((one, other, SECOND), (other, one, FIRST)):
            cell = opponent if method == "expected-wins" else "all"
            seen.setdefault(system, {}).setdefault(cell, []).append(preference != lost)
    if not (seen[a] and seen[b]):
        return False
    above, below = (np.mean([*map(np.mean, seen[x].values())]) for x in (a, b))
    return above - below > TIED


def orders_lead(frame, a, b):
    """Is a above b in every order of least cost?"""
    wins = dict.fromkeys(
        permutations({*frame["system_1"], *frame["system_2"], a, b}, 2), 0
    )
    for one, other, preference in frame[COMPARED].itertuples(False):
        if preference != TIE:
            wins[(one, other) if preference == FIRST else (other, one)] += 1
    costs = {
        order: sum(max(0, wins[x, y] - wins[y, x]) for y, x in combinations(order, 2))
        for order in permutations(sorted({one for one, _ in wins}))
    }
    best = [order for order, cost in costs.items() if cost == min(costs.values())]
    return all(order.index(a) < order.index(b) for order in best)


def lead(frame, method, a, b):
    if method == "mfas":
        return orders_lead(frame, a, b)
    return scores_lead(frame, method, a, b)


def units_of(frame, unit):
    return np.arange(len(frame)) if unit == COMPARISON else frame[unit].to_numpy()


def fewest_of_all(frame, method, unit, pairs, *, reverse=False):
    """The fewest units after which some lead has ended, by trying every set of them."""
    units = units_of(frame, unit)
    preference = frame["preference"].to_numpy()
    for size in range(len(units) + 1):
        for chosen in combinations(np.unique(units), size):
            hit = np.isin(units, chosen)
            turned = frame.assign(
                preference=np.where(hit, SWAPPED[preference], preference)
            )
            left = turned if reverse else frame[~hit]
            if not all(lead(left, method, *pair) for pair in pairs):
                return size
    raise AssertionError


def found_in(frame, method, unit, **options):
    """None where the ranking is refused."""
    try:
        return fewest_removals(frame, method, unit=unit, **options)
    except DataError:
        return None


def changes_of(found):
    """The row of each change, and the units that are removed for it."""
    return zip(found.table.to_dict("records"), found.removed, strict=True)


def pairs_of(found, row):
    order = found.ranking.order
    if row["change"] == "winner":
        return [(order[0], other) for other in order[1:]]
    if row["change"] == "neighbours":
        return [(row["above"], row["below"])]
    return [(one, other) for one in order[:3] for other in order[3:]]


def test_the_last_comparison_with_an_opponent_takes_its_cell_away():
    # x: 6 of 12 against y, 1 of 1 against z: .75. y: 6 of 12 and 4 of 6: .583. Without
    # the one against z x has .5; no other removal of one ends the lead.
    rows = ["x y 1 6 j", "x y 2 6 j", "x z 1 1 j", "y w 1 4 j", "y w 2 2 j"]
    found = fewest_removals(
        judged_by(*rows), "expected-wins", unit=COMPARISON, changes=NEIGHBOURS
    )
    assert found.table.loc[0, ["above", "below"]].tolist() == ["x", "y"]
    assert len(found.removed[0]) == 1


# Every set of small files.


@pytest.mark.parametrize("method", [*SCORED, "mfas"])
@pytest.mark.parametrize("unit", ["judge", COMPARISON])
@seeds
@settings(max_examples=12, deadline=None)
def test_removals_against_every_set(method, unit, seed):
    frame = random_frame(seed)
    if method == "mfas":
        frame = frame[frame["preference"] != TIE].iloc[:6].reset_index(drop=True)
    if (found := found_in(frame, method, unit)) is None:
        return
    frame = counting.without(frame, *found.left_out)
    for row, removed in changes_of(found):
        pairs = pairs_of(found, row)
        single = fewest_of_all(frame, method, COMPARISON, pairs)
        assert row["low"] <= single <= row["high"]
        exact = method != "mfas" or row["change"] == "neighbours"
        assert row["low"] == row["high"] or not exact
        fewest = fewest_of_all(frame, method, unit, pairs)
        assert fewest <= row["units_high"] == len(removed)
        left = frame[~np.isin(units_of(frame, unit), removed)]
        assert not lead(left, method, row["above"], row["below"])


def test_no_unit_is_removed_for_nothing():
    pruned = 0
    for seed in range(60):
        frame = random_frame(seed)[:6]
        if (found := found_in(frame, "expected-wins", COMPARISON)) is None:
            continue
        for row, removed in changes_of(found):
            pruned += len(removed) > row["high"]
            for one in removed:
                left = frame.drop(index=[other for other in removed if other != one])
                assert lead(left, "expected-wins", row["above"], row["below"])
    assert pruned < 12  # where the largest effect first takes more than is needed


@pytest.mark.parametrize("method", SCORED)
@seeds
@settings(max_examples=20, deadline=None)
def test_reversals_against_every_set(method, seed):
    frame = random_frame(seed)[:6]
    if found := found_in(frame, method, COMPARISON, changes=WINNER):
        row = found.table.iloc[0]
        options = {"reverse": True}
        true = fewest_of_all(frame, method, COMPARISON, pairs_of(found, row), **options)
        assert row["reversals"] == true


# By hand.


def test_expected_wins_by_hand():
    # a beat c 8 of 10 times, b 6 of 10 times. Without 3 of b's losses b has 6/7, more
    # than 8/10. Two are not enough: 8/10 against 6/8, 7/9 against 6/9 or 6/8 against
    # 6/10. Two reversals are: 7/10 against 7/10.
    frame = compared(
        ("a", "c", FIRST, 8),
        ("a", "c", SECOND, 2),
        ("b", "c", FIRST, 6),
        ("b", "c", SECOND, 4),
    )
    found = fewest_removals(frame, "expected-wins", unit=COMPARISON)
    row = found.table.iloc[0]
    assert row[["above", "below", "high", "reversals"]].tolist() == ["a", "b", 3, 2]
    assert [*found.table] == [*COLUMNS]
    # What a win and a loss of a, and of b, take from the lead.
    judged = Compared(counting.expand(frame).assign(row=0), "row", "opponents")
    _, effects = judged.lead(0, 1).after(np.ones(20, dtype=bool))
    expected = [8 / 10 - 7 / 9, 8 / 10 - 8 / 9, 5 / 9 - 6 / 10, 6 / 9 - 6 / 10]
    assert effects[[0, 8, 10, 16]] == pytest.approx(expected)
    # Equation 1 without ties is the same, with other cells.
    assert fewest_removals(frame, "bojar", unit=COMPARISON).table["high"][0] == 3


@pytest.mark.parametrize("method", [m for m in REMOVABLE if m != "z-score"])
def test_reversing_the_winner_by_hand(method):
    # x beat y 6 times, y beat x 3 times: three removals, or two reversals, make them
    # level.
    frame = judged_by(("x", "y", FIRST, 6, 1), ("x", "y", SECOND, 3, 2))
    found = fewest_removals(frame, method, unit=COMPARISON)
    row = found.table.iloc[0]
    numbers = ["units", "units_high", "judgements", "low", "high", "reversals"]
    assert row[["above", "below", *numbers]].tolist() == ["x", "y", 9, 3, 9, 3, 3, 2]
    assert found.table["change"].tolist() == ["winner", "neighbours"]
    by_judge = fewest_removals(frame, method, unit="judge")
    assert by_judge.table["units_high"].tolist() == [1, 1]
    assert by_judge.removed[0].tolist() == [1]


def test_a_cycle_by_hand():
    # x beat y 5:0, y beat z 4:0, z beat x 2:0. Best: x y z, which costs 2. With y above
    # x the best is y z x, cost 5; the gap is 3, and three of the five wins of x over y
    # are enough. z above x: z x y costs 4, the gap is 2, but x never beat z: two of y's
    # wins over z have to go.
    frame = compared(("x", "y", FIRST, 5), ("y", "z", FIRST, 4), ("z", "x", FIRST, 2))
    found = fewest_removals(frame, "mfas", unit=COMPARISON)
    assert found.ranking.order == ["x", "y", "z"]
    numbers = found.table[["low", "high", "reversals"]].to_numpy().tolist()
    assert numbers == [[2, 2, 2], [3, 3, 2], [2, 2, 1]]


def test_a_tie_is_no_judgement_to_be_reversed():
    # By Equation 1 a has 4 of 4 by ties alone, b 5 of 10: five of b's losses have to be
    # turned.
    frame = compared(
        ("a", "z", TIE, 4), ("b", "y", FIRST, 5), ("b", "y", SECOND, 5), judge=0
    )
    judged = Compared(counting.expand(frame), "judge", "comparisons")
    *_, reversals = judged.singles(judged.lead(0, 1), 100)
    assert reversals == 5


def test_the_judges_who_matter_most_go_first():
    # x beat y 12 times and lost 6: without the two judges of three wins each they are
    # level.
    rows = [("x", "y", FIRST, 3 if k > 5 else 1, k) for k in range(8)]
    for method in (*SCORED, "mfas"):
        frame = judged_by(*rows, ("x", "y", SECOND, 6, 8))
        found = fewest_removals(frame, method, unit="judge", changes=WINNER)
        assert found.table["units_high"][0] == 2 and set(found.removed[0]) == {6, 7}


def test_the_last_of_all_may_be_the_nearest_to_the_first_three():
    # Shares won: a .9, b .8, c .6, d .5, e 1/3 and z .3. Without two of e's losses e
    # has 1 of 1.
    decided = [("a", 90, 10), ("b", 80, 20), ("c", 60, 40), ("d", 50, 50), ("e", 1, 2)]
    rows = [
        (name, "z", side, times[side - 1])
        for name, *times in decided
        for side in (1, 2)
    ]
    found = fewest_removals(compared(*rows), "bojar", unit=COMPARISON)
    assert found.ranking.order == [*"abcdez"]
    row = found.table.set_index("change").loc["first three"]
    assert row[["above", "below", "units_high", "high"]].tolist() == ["c", "e", 2, 2]


def test_an_interval_stays_where_direct_wins_are_too_few():
    # Level: a and d never met. The gap of d above a is 1, and two removals were found
    # to do.
    rng = np.random.default_rng(76)
    rows = []
    for _ in range(rng.integers(5, 11)):
        one, other = rng.choice(4, 2, replace=False)
        rows.append(("abcd"[one], "abcd"[other], FIRST, 1, 0))
    frame = judged_by(*rows)
    judged = Ordered(frame, "judge")
    d_above_a = judged.lead(judged.systems.index("d"), judged.systems.index("a"))
    assert not d_above_a.direct.any()
    low, high, _ = judged.singles(d_above_a, 99)
    removed = greedy(d_above_a, judged.single, 99)
    assert (low, high) == (1, 2)
    assert fewest_of_all(frame, "mfas", COMPARISON, [("d", "a")]) == 1
    assert len(removed) == 2
    assert not lead(frame.drop(index=removed), "mfas", "d", "a")


# Direct assessments.


def test_a_removal_that_the_scale_undoes():
    # One worker, segments of their own. A: 90, 10, B: 50, 40: A is ahead until the 90
    # is gone.
    found = fewest_removals(encoded(one_worker(90, 50, 10, 40)), unit="segment")
    row = found.table.iloc[0]
    assert row[["above", "below", "units_high", "high", "rescaled"]].tolist() == [
        "A", "B", 1, 1, True
    ]  # fmt: skip
    assert pd.isna(row["low"]) and pd.isna(row["reversals"])


@given(st.integers(0, 50))
@settings(max_examples=15, deadline=None)
def test_units_of_a_campaign_are_enough_and_what_rescaled_says_is_true(seed):
    campaign = assessments.encode(drawn(seed))
    found = fewest_removals(campaign, "z-score", unit="hit")
    z = zscores.standardised(campaign)
    cells = campaign.cells
    number = campaign.units("hit")[0]

    def means(left):
        """Mean over segments of the mean z-score, by plain grouping."""
        rows = pd.DataFrame(
            {"system": cells.credit_system, "judgement": cells.judgement,
             "cell": np.repeat(np.arange(len(cells.size)), cells.size)}
        )  # fmt: skip
        rows["z"] = z[rows["judgement"]]
        rows = rows[left[rows["judgement"]]]
        return rows.groupby(["system", "cell"])["z"].mean().groupby("system").mean()

    for row, removed in changes_of(found):
        left = ~np.isin(number, removed)
        of = means(left).reindex(range(len(campaign.systems)))
        a, b = (campaign.systems.index(row[side]) for side in ("above", "below"))
        assert not of[a] - of[b] > TIED and row["units_high"] == len(removed)
        again = methods.rank_systems(campaign.select(left)).column("score")
        assert row["rescaled"] == (again[row["above"]] - again[row["below"]] <= TIED)


@given(JUDGEMENTS)
@settings(max_examples=25, deadline=None)
def test_small_campaigns_are_never_refused(rows):
    table = fewest_removals(encoded(rows), unit="worker").table
    assert (table["units_high"] <= table["units"]).all()
    assert (table["high"] <= table["judgements"]).all()


# What the table says.


def found_example(kind, method=None, **options):
    return fewest_removals(example(kind), method, unit=UNITS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_is_listed(kind):
    found = found_example(kind, "z-score" if kind == "assessments" else "mfas")
    order = found.ranking.order
    table = found.table
    kinds = ["winner", "first three", *["neighbours"] * (len(order) - 1)]
    assert table["change"].tolist() == kinds
    pairs = table[["above", "below"]].to_numpy().tolist()
    assert pairs[0][0] == order[0] and pairs[2:] == [*map(list, pairwise(order))]
    assert set(pairs[1]) & set(order[:3]) == {pairs[1][0]}
    # The winner is in one pair of neighbours, and loses to the second at the latest.
    numbers = table[["high", "units_high"]]
    assert (numbers.loc[0] <= numbers.loc[2]).all()
    assert f"{UNITS[kind]}s" in found.shown and found._repr_html_().startswith("<p>")
    assert "low" not in found.shown
    assert ("reversals" in found.shown) == (kind != "assessments")


def test_the_reference_counts_for_equation_1_alone():
    data = example("rankings").comparisons
    name = min({*data["system_1"], *data["system_2"]})
    kept, left = (
        fewest_removals(data, method, unit="ranking", reference=name).table
        for method in ("wmt-official", "expected-wins")
    )
    assert name not in kept[["above", "below"]].to_numpy()
    assert kept["judgements"][0] == forms.count(data).comparisons
    without = counting.without(data, name)
    expected = fewest_removals(without, "expected-wins", unit="ranking").table
    pd.testing.assert_frame_equal(left, expected)


def test_numbers_above_a_share_are_missing():
    found = found_example("rankings").table
    some = found_example("rankings", changes=dict.fromkeys(SHARES, 0.02)).table
    few = found["units_high"] <= 0.02 * found["units"]
    assert 0 < few.sum() < len(few)
    assert some["units_high"].isna().tolist() == (~few).tolist()
    assert some.loc[few, "units_high"].equals(found.loc[few, "units_high"])
    for number in ("high", "reversals"):
        near = found[number] <= 0.02 * found["judgements"]
        assert some[number].isna().tolist() == (~near).tolist()
    assert some.loc[2:, ["above", "below"]].equals(found.loc[2:, ["above", "below"]])


def test_what_is_refused():
    counts = forms.count(example("pairwise"))
    with data_error("unit is 'judge'; expected comparison"):
        fewest_removals(counts, unit="judge")
    with data_error("no fewest removals for trueskill"):
        fewest_removals(counts, "trueskill", unit=COMPARISON)
    assert methods.METHODS.keys() >= set(REMOVABLE)
    assert fewest_removals(counts, unit=COMPARISON).ranking.method == "expected-wins"
    found = fewest_removals(counts, "mfas", unit=COMPARISON, changes=WINNER)
    assert found.table["above"][0] == mfas.exact_order(counts).order[0]
