"""Variance components: campaigns of known components."""

import numpy as np
import pandas as pd
import pytest
from assessed import assessments

from wmtlib.errors import DataError
from wmtlib.study.simulation import simulate, variance_estimates
from wmtlib.study.simulation.designs import calibrated
from wmtlib.study.simulation.variance_estimates import (
    COMPONENTS,
    describe_scores,
    variance_components,
)
from wmtlib.zscores import encode

KNOWN = {
    "mean": 50.0,
    "system": 4.0,
    "document": 4.0,
    "system_document": 3.0,
    "segment": 5.0,
    "system_segment": 5.0,
    "residual": 6.0,
    "leniency": 6.0,
    "log_scale": 0.2,
    "softness": 0.0,
    "softness_low": 0.0,
}
SIZES = {"systems": 14, "workers": 150, "documents": 120, "judgements": 15_000}
SIZES |= {"document_length": 17.0, "document_spread": 8.0, "workload_shape": 1.0}


def known(seed, **changes):
    design = calibrated("SR-DC", **{**KNOWN, **SIZES, **changes})
    return simulate.campaign(design, np.random.default_rng(seed))


def test_workers_are_put_on_one_scale():
    # Standard deviations sqrt(2) and 4 sqrt(2): both become 2 sqrt(2) about their own mean.
    score, _ = variance_estimates.on_one_scale(np.array([1.0, 3, 10, 18]), np.array([0, 0, 1, 1]))
    assert score == pytest.approx([0, 4, 12, 16])


def test_describe_by_hand():
    scores = [100, 0] + [50] * 8
    rows = [("h", "a", "x", "SYSTEM", "d", str(k), s) for k, s in enumerate(scores)]
    rows += [("h", "b", "y", "REPEAT", "d", str(k), s / 2) for k, s in enumerate(scores)]
    rows += [("h", "b", "y", "REF", "d", "1", 90), ("h", "b", "y", "REF", "d", "2", 100)]
    found = describe_scores(encode(assessments(rows)), without=())
    assert found["sd"] == pytest.approx(np.std(scores + [s / 2 for s in scores], ddof=1))
    assert found["hundreds"] == pytest.approx(0.05) and found["zeros"] == pytest.approx(0.1)
    assert found["workload"] == pytest.approx(1 / 11)  # 10 and 12 judgements
    assert found["ref"] == 95 and found["ref_sd"] == pytest.approx(np.sqrt(50))
    assert np.isnan(found["bad_ref"])


def test_human_systems_are_left_out():
    made = known(1, human_quality=40.0, judgements=6000, workers=40)
    human = made.assessments["system"] == "HUMAN"
    for measure in (variance_components, describe_scores):
        kept = (
            ~human
            if measure is variance_components
            else ~human | ~made.assessments["item"].isin(["SYSTEM", "REPEAT"])
        )
        expected = measure(encode(made.assessments[kept]), without=())
        found = measure(made.coded, without=["HUMAN"])
        pd.testing.assert_series_equal(
            found.drop("workload", errors="ignore"), expected.drop("workload", errors="ignore")
        )


@pytest.mark.parametrize("protocol", ["SR-DC", "SR+DC", "alternate"])
def test_known_components_come_back(protocol):
    made = [known(k, protocol=protocol).coded for k in range(12)]
    found = pd.DataFrame([variance_components(m, without=()) for m in made])
    assert list(found.columns) == COMPONENTS
    expected = pd.Series({name: KNOWN[name] for name in COMPONENTS})
    if protocol == "alternate":  # no output is judged twice
        assert found["system_segment"].isna().all()
        expected["residual"] = np.hypot(KNOWN["residual"], KNOWN["system_segment"])
        found, expected = (x.drop("system_segment", axis=k) for k, x in ((1, found), (0, expected)))
    # Stretching the workers to one scale removes a little of what really differs between them.
    tolerance = 4 * found.sem() + 0.08 * expected.where(expected.index != "mean", 0)
    assert ((found.mean() - expected).abs() < tolerance).all()


def test_what_cannot_be_separated():
    a = known(1, judgements=3000, workers=20).assessments
    unknown = variance_components(encode(a.assign(document="")), without=())
    assert unknown[["document", "system_document"]].isna().all()
    assert unknown.drop(["document", "system_document"]).notna().all()
    with pytest.raises(DataError, match="cannot be separated"):
        variance_components(encode(a.assign(worker=a["system"])), without=())
    with pytest.raises(DataError, match="fewer than two workers"):
        variance_components(encode(a.assign(worker="worker_0001")), without=())
