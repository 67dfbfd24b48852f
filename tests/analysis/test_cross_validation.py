"""Held-out perplexity: against models fitted by hand, and what its summary says."""

import re

import numpy as np
import pandas as pd
import pytest
from judged import counts_of, judged_by, rng, tournament

from wmtlib import counts as counting
from wmtlib import models as preference_model
from wmtlib import ranking as model_registry
from wmtlib import resampling as cross_validation
from wmtlib.errors import DataError

FAST = ["uniform", "adjusted-uniform", "independent-pairs", "bradley-terry"]


def test_held_out_perplexity_is_that_of_models_fitted_to_the_rest():
    table = tournament(7, games=90, judges=9)
    found = cross_validation.cross_validate(
        table, FAST, unit="judge", folds=3, repeats=2, rng=rng()
    )
    assert (found.unit, found.n_units, found.folds, found.repeats) == ("judge", 9, 3, 2)
    assert len(found.splits) == 3 * 2 * 4
    tested = found.splits.drop_duplicates(["repeat", "fold"])
    assert (tested["trained_on"] + tested["tested_on"] == 90).all()
    assert tested.groupby("repeat")["tested_on"].sum().tolist() == [90, 90]
    # The first fold again: the judges that the first three draws deal to it.
    rows = counting.expand(table)
    code = pd.factorize(rows["judge"], sort=True)[0]
    fold = rng().permutation(9)[code] % 3
    model = model_registry.MODELS["independent-pairs"](
        rows[fold != 0], systems=["s0", "s1", "s2", "s3"], rng=rng()
    )
    first = found.splits[(found.splits["repeat"] == 0) & (found.splits["fold"] == 0)]
    value = first.set_index("model").loc["independent-pairs", "perplexity"]
    assert value == preference_model.perplexity(model, rows[fold == 0])


def test_the_summary_of_held_out_perplexity():
    table = tournament(8, games=300)
    found = cross_validation.cross_validate(table, FAST, unit="comparison", folds=5, rng=rng())
    wide = found.splits.pivot_table(index="fold", columns="model", values="perplexity")
    frame = found.table.set_index("model")
    assert frame.index.tolist() == wide.mean().sort_values().index.tolist()
    best = frame.index[0]
    for name in FAST:
        gap = wide[name] - wide[best]
        expected = [wide[name].mean(), wide[name].sem(), gap.mean(), gap.sem()]
        assert frame.loc[name].tolist() == pytest.approx(expected, abs=1e-9)
    assert frame.loc["uniform", ["perplexity", "error"]].tolist() == pytest.approx([3, 0])
    again = cross_validation.cross_validate(
        table, FAST[::-1], unit="comparison", folds=5, rng=rng()
    )
    pd.testing.assert_frame_equal(found.table, again.table)


def test_a_model_that_is_surprised_has_no_error():
    rows = [("a", "b", 1, 5, "x"), ("a", "b", 2, 5, "x"), ("a", "b", 0, 1, "y")]
    found = cross_validation.cross_validate(
        judged_by(*rows), FAST, unit="judge", folds=2, rng=rng()
    )
    last = found.table.iloc[-1]
    assert last["model"] == "adjusted-uniform"
    assert last["perplexity"] == last["difference"] == np.inf
    assert np.isnan(last[["error", "difference_error"]].astype(float)).all()


def test_the_smallest_file():
    found = cross_validation.cross_validate(
        counts_of(("a", "b", 1, 1, 0)), unit="comparison", folds=2, rng=rng()
    )
    assert set(found.table["model"]) == set(model_registry.MODELS) - set(cross_validation.VARIANTS)
    with pytest.raises(DataError, match=r"^2 comparison\(s\) cannot be dealt to 5 folds; take"):
        cross_validation.cross_validate(
            counts_of(("a", "b", 1, 1, 0)), unit="comparison", folds=5, rng=rng()
        )


def test_item_response_models_are_left_out_of_large_files(monkeypatch):
    monkeypatch.setattr(cross_validation, "IRT_LARGEST", 10)
    found = cross_validation.cross_validate(
        tournament(1, games=40), unit="comparison", folds=2, rng=rng()
    )
    assert not found.table["model"].str.startswith("IRT").any()
    assert found.note == "item-response models left out: over 10 comparisons"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ["Elo"]}, "no model 'Elo'; there are uniform"),
        ({"models": []}, "models to compare: expected one or more, each once"),
        ({"unit": "segment"}, "unit is 'segment'; expected comparison, judge"),
        ({"folds": 1}, "1 fold(s), 1 repeat(s); expected two or more, one or more"),
        ({"unit": "judge", "folds": 50}, "10 judge(s) cannot be dealt to 50 folds"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options, said):
    options = {"models": FAST, "unit": "comparison", "rng": rng(), **options}
    with pytest.raises(DataError, match="^" + re.escape(said)):
        cross_validation.cross_validate(tournament(1), options.pop("models"), **options)
