"""How few judgements decide a ranking: what the solvers find for each pair, put together."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from examples_read import KINDS, example
from wmtlib.yours.ranking_answer import answer_ranking
from wmtlib.yours.robustness import CHANGES, METHODS, fewest_removals

from wmtlib import counts as counting
from wmtlib import fewest as fewest_assessments
from wmtlib import ranking as methods
from wmtlib.errors import DataError
from wmtlib.yours import answer_inputs
from wmtlib.zscores import encode

UNITS = {"pairwise": "judge", "rankings": "ranking", "assessments": "hit"}


def found_in(kind, method=None):
    judged = example(kind)
    data = answer_inputs.method_data(judged, [UNITS[kind]])
    return fewest_removals(data, method or ("z-score" if kind == "assessments" else "mfas"),
                           unit=UNITS[kind])  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_is_listed(kind):
    found = found_in(kind)
    order, table = found.ranking.order, found.table
    kinds = ["winner", "first three", *["neighbours"] * (len(order) - 1)]
    assert table["change"].tolist() == kinds
    pairs = table[["above", "below"]].to_numpy().tolist()
    assert pairs[0][0] == order[0] and pairs[2:] == [list(pair) for pair in pairwise(order)]
    assert set(pairs[1]) & set(order[:3]) == {pairs[1][0]}
    assert (table["units_low"] <= table["units_high"]).all()
    assert (table["low"] <= table["high"]).all()
    # A unit holds the judgements that would be removed one by one.
    assert (table["units_low"] <= table["high"]).all()
    # The winner is in one pair of neighbours, and loses to the second at the latest.
    assert table["high"][0] <= table["high"][2] and table["units_high"][0] <= table["units_high"][2]
    assert found._repr_html_().startswith("<p>")


@pytest.mark.parametrize("method", [m for m in METHODS if m != "z-score"])
def test_reversing_the_winner_by_hand(method):
    # x beat y 6 times, y beat x 3 times: three removals, or two reversals, make them level.
    rows = [("x", "y", 1)] * 6 + [("x", "y", 2)] * 3
    frame = pd.DataFrame(rows, columns=["system_1", "system_2", "preference"])
    found = fewest_removals(frame, method, unit="comparison")
    assert found.winner[["above", "below"]].tolist() == ["x", "y"]
    numbers = ["units_low", "units_high", "low", "high", "reversals"]
    assert found.winner[numbers].tolist() == [3, 3, 3, 3, 2]
    assert found.table["change"].tolist() == ["winner", "neighbours"]


def test_a_tie_needs_nothing():
    rows = [("x", "y", 1), ("x", "y", 2)]
    frame = pd.DataFrame(rows, columns=["system_1", "system_2", "preference"])
    for method in ("expected-wins", "mfas"):
        winner = fewest_removals(frame, method, unit="comparison").winner
        assert winner[["units_high", "high", "reversals"]].tolist() == [0, 0, 0]


def test_counts_have_comparisons_only():
    counts = example("pairwise").counts
    found = fewest_removals(counts, "expected-wins", unit="comparison")
    assert (found.table["units_high"] >= found.table["low"]).all()
    with pytest.raises(DataError, match="unit is 'judge'; expected comparison"):
        fewest_removals(counts, "expected-wins", unit="judge")
    with pytest.raises(DataError, match="no fewest removals for trueskill"):
        fewest_removals(counts, "trueskill", unit="comparison")


def test_the_reference_counts_for_equation_1_alone():
    judged = example("rankings")
    data = answer_inputs.method_data(judged, ["ranking"])
    reference = judged.systems[0]
    kept = fewest_removals(data, "wmt-official", unit="ranking", reference=reference)
    assert reference not in kept.table[["above", "below"]].to_numpy()
    assert kept.n_judgements == counting.count(data).comparisons
    left = fewest_removals(data, "expected-wins", unit="ranking", reference=reference)
    without = fewest_removals(counting.without(data, reference), "expected-wins", unit="ranking")
    pd.testing.assert_frame_equal(left.table, without.table)


def test_numbers_above_a_share_are_missing():
    found = found_in("rankings", "expected-wins")
    data = answer_inputs.method_data(example("rankings"), ["ranking"])
    changes = dict.fromkeys(CHANGES, 0.02)
    some = fewest_removals(data, "expected-wins", unit="ranking", changes=changes)
    few = found.table["units_high"] <= 0.02 * found.n_units
    assert 0 < few.sum() < len(few)
    assert some.table["units_high"].isna().tolist() == (~few).tolist()
    assert some.table.loc[few, "units_high"].equals(found.table.loc[few, "units_high"])


def test_rescaled_is_what_the_ranking_without_the_units_says():
    campaign = encode(example("assessments").assessments)
    found = fewest_removals(campaign, "z-score", unit="hit")
    assert found.table["rescaled"].notna().all()
    row = found.winner
    assert row["units_high"] == 1  # so that it can be found by trying every HIT
    a, b = (campaign.systems.index(row[side]) for side in ("above", "below"))
    number, size = campaign.units("hit")
    ended = [fewest_assessments.still_ended(campaign, a, b, number == k) for k in range(size)]
    assert not row["rescaled"] or any(ended)
    assert np.sum(ended) < size


def test_the_answer_says_what_was_found():
    judged = example("rankings")
    answer = answer_ranking(judged, ["expected-wins"], robust=True)
    section = answer.sections[-1]
    assert section.title == "How few decide (expected-wins, by ranking)"
    found = found_in("rankings", "expected-wins")
    pd.testing.assert_frame_equal(section.details["Both ends"], found.table)
    assert answer.document["robust"]["changes"][0]["high"] == found.winner["high"]
    assert answer.document["robust"]["unit"] == "ranking"
    assert "robust=ranking" in answer.document["signature"]
    assert answer_ranking(judged, ["expected-wins"]).document["robust"] is None
    by_judge = answer_ranking(judged, ["expected-wins"], robust=True, unit="judge")
    assert by_judge.sections[-1].title == "How few decide (expected-wins, by judge)"
    with pytest.raises(DataError, match="--robust: not for trueskill"):
        answer_ranking(judged, ["trueskill"], robust=True)
    assert methods.METHODS.keys() >= set(METHODS)
