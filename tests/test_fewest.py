"""The fewest judgements that decide: by hand, and against a search through every set of them."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import JUDGEMENTS, KINDS, drawn, encoded, example, one_worker
from wmtlib import counts as counting
from wmtlib import mfas, ranking, zscores
from wmtlib.counts import COMPARISON, FIRST, SECOND, SWAPPED, TIE
from wmtlib.errors import DataError
from wmtlib.fewest import REMOVABLE, SHARES, TABLE, TIED, _Compared, _Ordered, fewest_removals

UNITS = {"pairwise": "judge", "rankings": "ranking", "assessments": "hit"}
SCORED = ("expected-wins", "wmt-official", "bojar")


def frame_of(rows):
    """A comparisons frame of rows (system_1, system_2, preference, judge)."""
    return pd.DataFrame(rows, columns=["system_1", "system_2", "preference", "judge"])


def random_frame(seed):
    """Two to four systems, up to nine comparisons, a handful of judges."""
    rng = np.random.default_rng(seed)
    n, rows = rng.integers(2, 5), []
    for _ in range(rng.integers(2, 10)):
        a, b = rng.choice(n, 2, replace=False)
        preference = int(rng.choice([TIE, FIRST, SECOND], p=[0.2, 0.5, 0.3]))
        rows.append(("abcd"[a], "abcd"[b], preference, int(rng.integers(5))))
    return frame_of(rows)


def scores(frame, method):
    """Score of each system by plain loops; systems without a judgement that counts are missing."""
    seen = {}
    for a, b, preference in frame[["system_1", "system_2", "preference"]].itertuples(index=False):
        if preference == TIE and method != "wmt-official":
            continue
        cells = (b, a) if method == "expected-wins" else ("all", "all")
        for system, cell, lost in ((a, cells[0], SECOND), (b, cells[1], FIRST)):
            seen.setdefault(system, {}).setdefault(cell, []).append(preference != lost)
    return {a: np.mean([np.mean(values) for values in of.values()]) for a, of in seen.items()}


def scores_lead(frame, method, a, b):
    of = scores(frame, method)
    return a in of and b in of and of[a] - of[b] > TIED


def orders_lead(frame, a, b):
    """Is a above b in every order of least cost?"""
    wins = dict.fromkeys(permutations({*frame["system_1"], *frame["system_2"], a, b}, 2), 0)
    for one, other, preference in frame[["system_1", "system_2", "preference"]].itertuples(False):
        if preference != TIE:
            wins[(one, other) if preference == FIRST else (other, one)] += 1
    costs = {
        order: sum(
            max(0, wins[low, high] - wins[high, low]) for high, low in combinations(order, 2)
        )
        for order in permutations(sorted({one for one, _ in wins}))
    }
    least = min(costs.values())
    return all(o.index(a) < o.index(b) for o, cost in costs.items() if cost == least)


def lead(frame, method, a, b):
    return orders_lead(frame, a, b) if method == "mfas" else scores_lead(frame, method, a, b)


def units_of(frame, unit):
    return np.arange(len(frame)) if unit == COMPARISON else frame[unit].to_numpy()


def fewest_of_all(frame, method, unit, pairs):
    """The fewest units after which some lead has ended, by trying every set of them."""
    units = units_of(frame, unit)
    for size in range(len(units) + 1):
        for chosen in combinations(np.unique(units), size):
            left = frame[~np.isin(units, chosen)]
            if not all(lead(left, method, *pair) for pair in pairs):
                return size
    raise AssertionError


def found_in(frame, method, unit, **options):
    """None where the ranking is refused."""
    try:
        return fewest_removals(frame, method, unit=unit, **options)
    except DataError:
        return None


def pairs_of(found, change, row):
    order = found.ranking.order
    if change == "winner":
        return [(order[0], other) for other in order[1:]]
    if change == "neighbours":
        return [(row["above"], row["below"])]
    return [(one, other) for one in order[:3] for other in order[3:]]


# Every set of small files.


@pytest.mark.parametrize("method", SCORED)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_scores_against_every_set(method, seed):
    frame, unit = random_frame(seed)[:7], "judge"
    if (found := found_in(frame, method, unit)) is None:
        return
    for number, row in found.table.iterrows():
        pairs = pairs_of(found, row["change"], row)
        single = fewest_of_all(frame, method, COMPARISON, pairs)
        assert row["low"] == row["high"] == single
        if row["change"] == "winner":
            assert fewest_of_all(frame, method, unit, pairs) <= row["units_high"]
        removed = np.isin(units_of(frame, unit), found.removed[number])
        assert len(found.removed[number]) == row["units_high"]
        assert not lead(frame[~removed], method, row["above"], row["below"])


def test_no_unit_is_removed_for_nothing():
    pruned = 0
    for seed in range(60):
        frame = random_frame(seed)[:6]
        if (found := found_in(frame, "expected-wins", COMPARISON)) is None:
            continue
        for (_, row), removed in zip(found.table.iterrows(), found.removed, strict=True):
            pruned += len(removed) > row["high"]
            for one in removed:
                left = frame.drop(index=[other for other in removed if other != one])
                assert lead(left, "expected-wins", row["above"], row["below"])
    assert pruned < 12  # where the largest effect first takes more than is needed


@pytest.mark.parametrize("method", SCORED)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_reversals_against_every_set(method, seed):
    frame = random_frame(seed)[:6]
    if (found := found_in(frame, method, COMPARISON, changes={"winner": 1.0})) is None:
        return
    pairs = pairs_of(found, "winner", None)
    (row,) = found.table.to_dict("records")

    def ends(chosen):
        swapped = frame["preference"].to_numpy().copy()
        swapped[[*chosen]] = SWAPPED[swapped[[*chosen]]]
        return not all(lead(frame.assign(preference=swapped), method, *pair) for pair in pairs)

    sizes = range(len(frame) + 1)
    true = next(k for k in sizes if any(map(ends, combinations(range(len(frame)), k))))
    assert row["reversals"] == true


@pytest.mark.parametrize("unit", ["judge", COMPARISON])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_mfas_against_every_set(unit, seed):
    frame = random_frame(seed)[:6]
    frame = frame[frame["preference"] != TIE].reset_index(drop=True)
    if (found := found_in(frame, "mfas", unit)) is None:
        return
    for number, row in found.table.iterrows():
        pairs = pairs_of(found, row["change"], row)
        single = fewest_of_all(frame, "mfas", COMPARISON, pairs)
        assert row["low"] <= single <= row["high"]
        assert row["low"] == row["high"] or row["change"] != "neighbours"
        removed = np.isin(units_of(frame, unit), found.removed[number])
        assert not lead(frame[~removed], "mfas", row["above"], row["below"])
    judged = _Ordered(frame.assign(comparison=np.arange(len(frame))), unit, "mfas")
    for a, b in permutations(range(len(judged.systems)), 2):
        names = judged.systems[a], judged.systems[b]
        true = fewest_of_all(frame, "mfas", COMPARISON, [names])
        low, high = judged.singles(a, b, 99)
        assert low <= true <= high and (low > 0) == lead(frame, "mfas", *names)


# By hand.


def test_expected_wins_by_hand():
    # a beat c 8 of 10 times, b 6 of 10 times. Without 3 of b's losses b has 6/7, more than 8/10.
    # Two are not enough: 8/10 against 6/8, 7/9 against 6/9 or 6/8 against 6/10. Two reversals are:
    # 7/10 against 7/10.
    rows = [("a", "c", FIRST if k < 8 else SECOND, k) for k in range(10)]
    rows += [("b", "c", FIRST if k < 6 else SECOND, k) for k in range(10)]
    found = fewest_removals(frame_of(rows), "expected-wins", unit=COMPARISON)
    row = found.table.iloc[0]
    assert row[["above", "below", "high", "reversals"]].tolist() == ["a", "b", 3, 2]
    assert [*found.table] == TABLE.split()
    # Equation 1 without ties is the same, with other cells.
    assert fewest_removals(frame_of(rows), "bojar", unit=COMPARISON).table["high"][0] == 3


@pytest.mark.parametrize("method", [m for m in REMOVABLE if m != "z-score"])
def test_reversing_the_winner_by_hand(method):
    # x beat y 6 times, y beat x 3 times: three removals, or two reversals, make them level.
    frame = frame_of([("x", "y", FIRST, 1)] * 6 + [("x", "y", SECOND, 2)] * 3)
    found = fewest_removals(frame, method, unit=COMPARISON)
    row = found.table.iloc[0]
    numbers = ["units", "units_high", "judgements", "low", "high", "reversals"]
    assert row[["above", "below", *numbers]].tolist() == ["x", "y", 9, 3, 9, 3, 3, 2]
    assert found.table["change"].tolist() == ["winner", "neighbours"]
    by_judge = fewest_removals(frame, method, unit="judge")
    assert by_judge.table["units_high"].tolist() == [1, 1] and by_judge.removed[0].tolist() == [1]


def test_a_cycle_by_hand():
    # x beat y 5:0, y beat z 4:0, z beat x 2:0. Best: x y z, which costs 2. With y above x the best
    # is y z x, cost 5; the gap is 3, and three of the five wins of x over y are enough. z above x:
    # z x y costs 4, the gap is 2, but x never beat z: two of y's wins over z have to go.
    rows = [("x", "y", FIRST, k) for k in range(5)] + [("y", "z", FIRST, k) for k in range(4)]
    frame = frame_of(rows + [("z", "x", FIRST, k) for k in range(2)])
    found = fewest_removals(frame, "mfas", unit=COMPARISON)
    assert found.ranking.order == ["x", "y", "z"]
    assert found.table[["low", "high", "reversals"]].to_numpy().tolist() == [
        [2, 2, 2], [3, 3, 2], [2, 2, 1]
    ]  # fmt: skip


def test_a_tie_is_no_judgement_to_be_reversed():
    # By Equation 1 a has 4 of 4 by ties alone, b 5 of 10: five of b's losses have to be turned.
    rows = [("a", "z", TIE, k) for k in range(4)]
    rows += [("b", "y", FIRST if k < 5 else SECOND, k) for k in range(10)]
    judged = _Compared(frame_of(rows), "judge", "wmt-official")
    a, b = judged.systems.index("a"), judged.systems.index("b")
    assert judged.reversals(a, b, 99) == 5


def test_the_judges_who_matter_most_go_first():
    # x beat y 12 times and lost 6: without the two judges of three wins each they are level.
    rows = [("x", "y", FIRST, k) for k in range(6)] + [
        ("x", "y", FIRST, 6 + k % 2) for k in range(6)
    ]
    frame = frame_of(rows + [("x", "y", SECOND, 8)] * 6)
    for method in (*SCORED, "mfas"):
        found = fewest_removals(frame, method, unit="judge", changes={"winner": 1.0})
        assert found.table["units_high"][0] == 2 and set(found.removed[0]) == {6, 7}


def test_the_last_of_all_may_be_the_nearest_to_the_first_three():
    # Shares won: a .9, b .8, c .6, d .5, e 1/3 and z .3. Without two of e's losses e has 1 of 1.
    decided = [("a", 90, 10), ("b", 80, 20), ("c", 60, 40), ("d", 50, 50), ("e", 1, 2)]
    rows = [(s, "z", FIRST if k < won else SECOND, 0) for s, won, lost in decided
            for k in range(won + lost)]  # fmt: skip
    found = fewest_removals(frame_of(rows), "bojar", unit=COMPARISON)
    assert found.ranking.order == [*"abcdez"]
    row = found.table.set_index("change").loc["first three"]
    assert row[["above", "below", "units_high", "high"]].tolist() == ["c", "e", 2, 2]


def test_an_interval_stays_where_direct_wins_are_too_few():
    # Level: a and d never met. The gap of d above a is 1, and two removals were found to do.
    rng, rows = np.random.default_rng(76), []
    for _ in range(rng.integers(5, 11)):
        one, other = rng.choice(4, 2, replace=False)
        rows.append(("abcd"[one], "abcd"[other], FIRST, 0))
    frame = frame_of(rows).assign(comparison=range(len(rows)))
    judged = _Ordered(frame, "judge", "mfas")
    a, d = judged.systems.index("a"), judged.systems.index("d")
    assert not judged.direct(d, a).any()
    low, high = judged.singles(d, a, 99)
    removed = judged.greedy(d, a, judged.alone, 99)
    assert (low, high) == (1, 2) == (fewest_of_all(frame, "mfas", COMPARISON, [("d", "a")]), 2)
    assert len(removed) == high and not lead(frame.drop(index=removed), "mfas", "d", "a")


# Direct assessments.


def test_a_removal_that_the_scale_undoes():
    # One worker, segments of their own. A: 90, 10, B: 50, 40: A is ahead until the 90 is gone.
    found = fewest_removals(encoded(one_worker(90, 50, 10, 40)), unit="segment")
    row = found.table.iloc[0]
    assert row[["above", "below", "units_high", "high", "rescaled"]].tolist() == [
        "A", "B", 1, 1, True
    ]  # fmt: skip
    assert pd.isna(row["low"]) and pd.isna(row["reversals"])


@given(st.integers(0, 50))
@settings(max_examples=15, deadline=None)
def test_units_of_a_campaign_are_enough_and_what_rescaled_says_is_true(seed):
    campaign = zscores.encode(drawn(seed))
    found = fewest_removals(campaign, "z-score", unit="hit")
    z, cells = zscores.standardised(campaign), campaign.cells
    number = campaign.units("hit")[0]

    def means(left):
        """Mean over segments of the mean z-score, by plain grouping, with the z-scores as given."""
        rows = pd.DataFrame(
            {"system": cells.credit_system, "judgement": cells.judgement,
             "cell": np.repeat(np.arange(len(cells.size)), cells.size)}
        )  # fmt: skip
        rows["z"] = z[rows["judgement"]]
        rows = rows[left[rows["judgement"]]]
        return rows.groupby(["system", "cell"])["z"].mean().groupby("system").mean()

    for (_, row), removed in zip(found.table.iterrows(), found.removed, strict=True):
        left = ~np.isin(number, removed)
        of = means(left).reindex(range(len(campaign.systems)))
        a, b = (campaign.systems.index(row[side]) for side in ("above", "below"))
        assert not of[a] - of[b] > TIED and row["units_high"] == len(removed)
        again = ranking.rank_systems(campaign.select(left)).column("score")
        assert row["rescaled"] == (again[row["above"]] - again[row["below"]] <= TIED)


@given(JUDGEMENTS)
@settings(max_examples=25, deadline=None)
def test_small_campaigns_are_never_refused(rows):
    campaign = encoded(rows)
    table = fewest_removals(campaign, unit="worker").table
    assert (table["units_high"] <= table["units"]).all()
    assert (table["high"] <= table["judgements"]).all()


# What the table says.


def found_example(kind, method=None, **options):
    method = method or ("z-score" if kind == "assessments" else "mfas")
    return fewest_removals(example(kind), method, unit=UNITS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_is_listed(kind):
    found = found_example(kind)
    order, table = found.ranking.order, found.table
    kinds = ["winner", "first three", *["neighbours"] * (len(order) - 1)]
    assert table["change"].tolist() == kinds
    pairs = table[["above", "below"]].to_numpy().tolist()
    assert pairs[0][0] == order[0] and pairs[2:] == [list(pair) for pair in pairwise(order)]
    assert set(pairs[1]) & set(order[:3]) == {pairs[1][0]}
    # The winner is in one pair of neighbours, and loses to the second at the latest.
    assert table["high"][0] <= table["high"][2] and table["units_high"][0] <= table["units_high"][2]
    assert f"{UNITS[kind]}s" in found.shown and found._repr_html_().startswith("<p>")
    assert ("low" in found.shown) is False and ("reversals" in found.shown) == (
        kind != "assessments"
    )


def test_the_reference_counts_for_equation_1_alone():
    data = example("rankings").comparisons
    reference = sorted({*data["system_1"], *data["system_2"]})[0]
    kept = fewest_removals(data, "wmt-official", unit="ranking", reference=reference).table
    assert reference not in kept[["above", "below"]].to_numpy()
    assert kept["judgements"][0] == counting.count(data).comparisons
    left = fewest_removals(data, "expected-wins", unit="ranking", reference=reference)
    without = fewest_removals(counting.without(data, reference), "expected-wins", unit="ranking")
    pd.testing.assert_frame_equal(left.table, without.table)


def test_numbers_above_a_share_are_missing():
    found = found_example("rankings", "expected-wins").table
    some = found_example("rankings", "expected-wins", changes=dict.fromkeys(SHARES, 0.02)).table
    few = found["units_high"] <= 0.02 * found["units"]
    assert 0 < few.sum() < len(few)
    assert some["units_high"].isna().tolist() == (~few).tolist()
    assert some.loc[few, "units_high"].equals(found.loc[few, "units_high"])
    near = found["high"] <= 0.02 * found["judgements"]
    assert some["high"].isna().tolist() == (~near).tolist()
    assert [*found_example("rankings", changes={"neighbours": 0.0}).table] == TABLE.split()


def test_what_is_refused():
    counts = counting.count(example("pairwise"))
    with pytest.raises(DataError, match="unit is 'judge'; expected comparison"):
        fewest_removals(counts, "expected-wins", unit="judge")
    with pytest.raises(DataError, match="no fewest removals for trueskill"):
        fewest_removals(counts, "trueskill", unit=COMPARISON)
    assert ranking.METHODS.keys() >= set(REMOVABLE)
    assert fewest_removals(counts, unit=COMPARISON).ranking.method == "expected-wins"
    assert (
        mfas.exact_order(counts).order[0]
        == fewest_removals(counts, "mfas", unit=COMPARISON, changes={"winner": 1.0}).table["above"][
            0
        ]
    )
