"""Held-out perplexity: by hand and against plain fits."""

import re

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from examples import counts_of, data_error, judged_by, rng, tournament
from wmtlib.core.counts import expand
from wmtlib.cross_validation import compare
from wmtlib.methods import MODELS, rank
from wmtlib.models import perplexity

FAST = ["uniform", "adjusted-uniform", "independent-pairs", "bradley-terry"]  # models


def test_held_out_perplexity_is_that_of_models_fitted_to_the_rest():
    table = tournament(7, games=90, judges=9)
    found = compare(table, FAST, unit="judge", folds=3, repeats=2, seed=1)
    tested = found.splits.drop_duplicates(["repeat", "fold"])
    assert (tested["trained_on"] + tested["tested_on"] == 90).all()
    assert tested.groupby("repeat")["tested_on"].sum().tolist() == [90, 90]
    # The first fold again: the judges that the first three draws deal to it.
    rows = expand(table)
    code = pd.factorize(rows["judge"], sort=True)[0]
    fold = rng().permutation(9)[code] % 3
    model = MODELS["independent-pairs"](
        rows[fold != 0], systems=["s0", "s1", "s2", "s3"]
    )
    splits = found.splits.set_index(["repeat", "fold", "model"])
    value = splits.loc[(0, 0, "independent-pairs"), "perplexity"]
    assert value == perplexity(model, rows[fold == 0])


def test_the_summary_of_held_out_perplexity():
    table = tournament(8, games=300)
    found = compare(table, FAST, unit="comparison", folds=5, seed=1)
    wide = found.splits.pivot_table(index="fold", columns="model", values="perplexity")
    frame = found.table.set_index("model")
    assert frame.index.tolist() == wide.mean().sort_values().index.tolist()
    best = frame.index[0]
    for name in FAST:
        gap = wide[name] - wide[best]
        expected = [wide[name].mean(), wide[name].sem(), gap.mean(), gap.sem()]
        assert frame.loc[name].tolist() == pytest.approx(expected, abs=1e-9)
    assert frame.loc["uniform"].tolist()[:2] == pytest.approx([3, 0])
    again = compare(table, FAST[::-1], unit="comparison", folds=5, seed=1)
    assert_frame_equal(found.table, again.table)


def test_a_model_that_is_surprised_has_no_error():
    rows = ["a b 1 5 x", "a b 2 5 x", "a b 0 1 y"]
    found = compare(judged_by(*rows), FAST, unit="judge", folds=2, seed=1)
    last = found.table.iloc[-1]
    assert last["model"] == "adjusted-uniform"
    assert last["perplexity"] == last["difference"] == np.inf
    assert np.isnan(last[["error", "difference_error"]].astype(float)).all()


def test_the_smallest_file():
    counts = counts_of("a b 1 1 0")
    found = compare(counts, unit="comparison", folds=2)
    assert set(found.table["model"]) == set(MODELS)
    with data_error(r"^2 comparison\(s\) cannot be dealt to 5 folds; take"):
        compare(counts, unit="comparison", folds=5)


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_perplexity_of_a_million_million_counts(unit):
    """By counts it is what fewer comparisons with the same shares give one by one."""
    table = tournament(8, games=900)
    times = 10**12 // 900
    few = compare(table, FAST, unit=unit)
    many = table.assign(count=times * table["count"])
    many = compare(many, FAST, unit=unit)
    assert few.splits["tested_on"].sum() * times == many.splits["tested_on"].sum()
    if unit == "judge":  # the same judges are dealt to the same folds
        assert few.splits["tested_on"].mul(times).equals(many.splits["tested_on"])
    one, other = (found.table.set_index("model")["perplexity"] for found in (few, many))
    assert one.to_dict() == pytest.approx(other.to_dict(), rel=0.02)


def test_trueskill_is_left_out_of_the_largest_files():
    found = compare(counts_of(("a", "b", 10**12, 9, 10**9)), unit="comparison", folds=2)
    assert found.splits["trained_on"].max() > 4 * 10**11
    assert {*MODELS} - {*found.table["model"]} == {"trueskill"}
    assert found.note == "trueskill left out: over 10,000,000 comparisons"


@pytest.mark.parametrize(
    "take_one_by_one",
    [
        expand,
        lambda votes: rank(votes, "trueskill"),
        lambda votes: compare(votes, ["trueskill"], unit="comparison"),
    ],
)
def test_what_takes_comparisons_one_by_one_says_how_many(take_one_by_one):
    votes = counts_of(("a", "b", 9 * 10**11, 10**10, 0), ("b", "c", 10**10, 10**9, 1))
    said = "comparisons are too many to be taken one by one (at most 10,000,000);"
    said += " take a method that"
    with data_error(r"^[\d,]+ " + re.escape(said)):
        take_one_by_one(votes)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"models": ["Elo"]}, "no model 'Elo'; expected wmt-official, heuristic2, "),
        ({"models": []}, "models to compare: expected one or more, each once"),
        ({"unit": "segment"}, "no unit 'segment'; expected comparison, judge"),
        ({"folds": 1}, "1 fold(s), 1 repeat(s); expected two or more, one or more"),
        ({"unit": "judge", "folds": 50}, "10 judge(s) cannot be dealt to 50 folds"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options, said):
    options = {"models": FAST, "unit": "comparison", "seed": 1, **options}
    with data_error("^" + re.escape(said)):
        compare(tournament(1), options.pop("models"), **options)
