"""Few judgements that decide: by hand, and against every set of them."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import (
    JUDGEMENTS,
    KINDS,
    compared,
    counts_of,
    data_error,
    drawn,
    encoded,
    example,
    judged_by,
    one_worker,
    rank_systems,
)
from study.beyond.fewest_removals import (
    CELLS,
    SHARES,
    TIED,
    ScoreLead,
    of_comparisons,
    robustness,
)
from wmtlib import methods, zscores
from wmtlib.core import assessments
from wmtlib.core import counts as counting
from wmtlib.core.counts import COMPARISON, FIRST, SECOND, TIE
from wmtlib.core.errors import DataError
from wmtlib.files import forms

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


def units_of(frame, unit):
    return np.arange(len(frame)) if unit == COMPARISON else frame[unit].to_numpy()


def fewest_of_all(frame, method, unit, pairs):
    """The fewest units after which some lead has ended, by trying every set of them."""
    units = units_of(frame, unit)
    for size in range(len(units) + 1):
        for chosen in combinations(np.unique(units), size):
            left = frame[~np.isin(units, chosen)]
            if not all(scores_lead(left, method, *pair) for pair in pairs):
                return size
    raise AssertionError


def found_in(frame, method, unit, **options):
    """None where the ranking is refused."""
    try:
        return robustness(frame, method, unit=unit, **options)
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


def test_robustness_empties_a_cell_of_one_comparison():
    # x: 6 of 12 against y, 1 of 1 against z: .75. y: 6 of 12 and 4 of 6: .583. Without
    # the one against z x has .5; no other removal of one ends the lead.
    rows = ["x y 1 6 j", "x y 2 6 j", "x z 1 1 j", "y w 1 4 j", "y w 2 2 j"]
    found = robustness(
        judged_by(*rows), "expected-wins", unit=COMPARISON, changes=NEIGHBOURS
    )
    assert found.table.loc[0, ["above", "below"]].tolist() == ["x", "y"]
    assert len(found.removed[0]) == 1


# Every set of small files.


@pytest.mark.parametrize(
    "method, unit", [*zip(SCORED, ["judge", COMPARISON, "judge"], strict=True)]
)
@seeds
@settings(max_examples=12, deadline=None)
def test_robustness_against_every_set(method, unit, seed):
    frame = random_frame(seed)
    if (found := found_in(frame, method, unit)) is None:
        return
    frame = counting.without(frame, *found.left_out)
    for row, removed in changes_of(found):
        pairs = pairs_of(found, row)
        fewest = fewest_of_all(frame, method, unit, pairs)
        assert fewest <= row["units_high"] == len(removed)
        left = frame[~np.isin(units_of(frame, unit), removed)]
        assert not scores_lead(left, method, row["above"], row["below"])


def test_robustness_needs_every_unit_that_it_removes():
    larger = 0
    for seed in range(12):
        frame = random_frame(seed)[:6]
        if (found := found_in(frame, "expected-wins", COMPARISON)) is None:
            continue
        for row, removed in changes_of(found):
            fewest = fewest_of_all(
                frame, "expected-wins", COMPARISON, pairs_of(found, row)
            )
            larger += len(removed) > fewest
            for one in removed:
                left = frame.drop(index=[other for other in removed if other != one])
                assert scores_lead(left, "expected-wins", row["above"], row["below"])
    assert larger < 2  # where the largest effect first takes more than is needed


# By hand.


def test_robustness_of_expected_wins_by_hand():
    # a beat c 8 of 10 times, b 6 of 10 times. Without 3 of b's losses b has 6/7, more
    # than 8/10. Two are not enough: 8/10 against 6/8, 7/9 against 6/9 or 6/8 against
    # 6/10.
    frame = compared(
        ("a", "c", FIRST, 8),
        ("a", "c", SECOND, 2),
        ("b", "c", FIRST, 6),
        ("b", "c", SECOND, 4),
    )
    found = robustness(frame, "expected-wins", unit=COMPARISON)
    row = found.table.iloc[0]
    assert row[["above", "below", "units", "units_high"]].tolist() == ["a", "b", 20, 3]
    # What a win and a loss of a, and of b, take from the lead.
    problem = of_comparisons(counting.expand(frame).assign(row=0), "row", "opponents")
    effects = ScoreLead(problem.credits, 0, 1).effects(np.ones(20, dtype=bool))
    expected = [8 / 10 - 7 / 9, 8 / 10 - 8 / 9, 5 / 9 - 6 / 10, 6 / 9 - 6 / 10]
    assert effects[[0, 8, 10, 16]] == pytest.approx(expected)
    # Equation 1 without ties is the same, with other cells.
    assert robustness(frame, "bojar", unit=COMPARISON).table["units_high"][0] == 3


@pytest.mark.parametrize("method", [m for m in CELLS if m != "z-score"])
def test_robustness_until_two_systems_are_level(method):
    # x beat y 6 times, y beat x 3 times: three removals make them level.
    frame = judged_by(("x", "y", FIRST, 6, 1), ("x", "y", SECOND, 3, 2))
    found = robustness(frame, method, unit=COMPARISON)
    row = found.table.iloc[0]
    columns = ["above", "below", "units", "units_high"]
    assert row[columns].tolist() == ["x", "y", 9, 3]
    assert found.table["change"].tolist() == ["winner", "neighbours"]
    by_judge = robustness(frame, method, unit="judge")
    assert by_judge.table["units_high"].tolist() == [1, 1]
    assert by_judge.removed[0].tolist() == [1]


def test_robustness_takes_the_largest_effect_first():
    # x beat y 12 times and lost 6: without the two judges of three wins each they are
    # level.
    rows = [("x", "y", FIRST, 3 if k > 5 else 1, k) for k in range(8)]
    for method in SCORED:
        frame = judged_by(*rows, ("x", "y", SECOND, 6, 8))
        found = robustness(frame, method, unit="judge", changes=WINNER)
        assert found.table["units_high"][0] == 2 and set(found.removed[0]) == {6, 7}


def test_robustness_looks_for_the_first_three_at_every_system():
    # Shares won: a .9, b .8, c .6, d .5, e 1/3 and z .3. Without two of e's losses e
    # has 1 of 1.
    decided = [("a", 90, 10), ("b", 80, 20), ("c", 60, 40), ("d", 50, 50), ("e", 1, 2)]
    rows = [
        (name, "z", side, times[side - 1])
        for name, *times in decided
        for side in (1, 2)
    ]
    found = robustness(compared(*rows), "bojar", unit=COMPARISON)
    assert found.ranking.order == [*"abcdez"]
    row = found.table.set_index("change").loc["first three"]
    assert row[["above", "below", "units_high"]].tolist() == ["c", "e", 2]


# Direct assessments.


def test_robustness_of_one_worker_by_hand():
    # One worker, segments of their own. A: 90, 10, B: 50, 40: A is ahead until the 90
    # is gone.
    found = robustness(encoded(one_worker(90, 50, 10, 40)), unit="segment")
    row = found.table.iloc[0]
    columns = ["above", "below", "units_high", "rescaled"]
    assert row[columns].tolist() == ["A", "B", 1, True]


@given(st.integers(0, 50))
@settings(max_examples=8, deadline=None)
def test_rescaled_against_scales_computed_again(seed):
    campaign = assessments.encode(drawn(seed))
    found = robustness(campaign, "z-score", unit="hit")
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
        again = rank_systems(campaign.select(left)).column("score")
        assert row["rescaled"] == (again[row["above"]] - again[row["below"]] <= TIED)


@given(JUDGEMENTS)
@settings(max_examples=25, deadline=None)
def test_robustness_accepts_small_campaigns(rows):
    table = robustness(encoded(rows), unit="worker").table
    assert (table["units_high"] <= table["units"]).all()


# The table.


def found_example(kind, method=None, **options):
    return robustness(example(kind), method, unit=UNITS[kind], **options)


@pytest.mark.parametrize("kind", KINDS)
def test_robustness_lists_every_change(kind):
    found = found_example(kind)
    order = found.ranking.order
    table = found.table
    kinds = ["winner", "first three", *["neighbours"] * (len(order) - 1)]
    assert table["change"].tolist() == kinds
    pairs = table[["above", "below"]].to_numpy().tolist()
    assert pairs[0][0] == order[0] and pairs[2:] == [*map(list, pairwise(order))]
    assert set(pairs[1]) & set(order[:3]) == {pairs[1][0]}
    # The winner is in one pair of neighbours, and loses to the second at the latest.
    assert table["units_high"][0] <= table["units_high"][2]
    assert f"{UNITS[kind]}s" in found.shown and found._repr_html_().startswith("<p>")
    assert ("rescaled" in found.shown) == (kind == "assessments")


def test_robustness_counts_the_reference_for_equation_1_alone():
    data = example("rankings").comparisons
    name = min({*data["system_1"], *data["system_2"]})
    kept, left = (
        robustness(data, method, unit=COMPARISON, reference=name).table
        for method in ("wmt-official", "expected-wins")
    )
    assert name not in kept[["above", "below"]].to_numpy()
    assert kept["units"][0] == forms.count(data).comparisons
    without = counting.without(data, name)
    expected = robustness(without, "expected-wins", unit=COMPARISON).table
    pd.testing.assert_frame_equal(left, expected)


def test_robustness_leaves_out_numbers_above_a_share():
    found = found_example("rankings").table
    some = found_example("rankings", changes=dict.fromkeys(SHARES, 0.02)).table
    few = found["units_high"] <= 0.02 * found["units"]
    assert 0 < few.sum() < len(few)
    assert some["units_high"].isna().tolist() == (~few).tolist()
    assert some.loc[few, "units_high"].equals(found.loc[few, "units_high"])
    assert some.loc[2:, ["above", "below"]].equals(found.loc[2:, ["above", "below"]])


def test_robustness_refuses_other_units_and_methods():
    counts = forms.count(example("pairwise"))
    with data_error("no unit 'judge'; expected comparison"):
        robustness(counts, unit="judge")
    for method in ("trueskill", "mfas"):
        with data_error(f"no fewest removals for '{method}'; expected wmt-official, "):
            robustness(counts, method, unit=COMPARISON)
    assert methods.METHODS.keys() >= set(CELLS)
    assert robustness(counts, unit=COMPARISON).ranking.method == "expected-wins"


def test_robustness_names_systems_without_a_score():
    counts = counts_of("a b 6 4 0", "b c 9 1 0", "a c 5 5 0", "a x 0 0 2")
    found = robustness(counts, unit=COMPARISON)
    assert found.left_out == ["x"] and found.ranking.order == ["b", "a", "c"]


def test_robustness_says_how_many_comparisons_are_too_many():
    votes = counts_of(("a", "b", 9 * 10**11, 10**10, 0), ("b", "c", 10**10, 10**9, 1))
    with data_error("too many to be taken one by one"):
        robustness(votes, unit=COMPARISON)
