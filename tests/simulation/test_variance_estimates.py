"""Variance components: campaigns of known components."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from wmtlib.judgements.direct_assessments import ASSESSMENTS
from wmtlib.judgements.errors import DataError
from wmtlib.simulation import embedded, simulate, variance_estimates
from wmtlib.simulation.designs import Design
from wmtlib.simulation.variance_estimates import (
    COMPONENTS,
    describe_scores,
    variance_components,
    variance_components_error,
)

KNOWN = Design(
    mean=50.0,
    system=4.0,
    document=4.0,
    system_document=3.0,
    segment=5.0,
    system_segment=5.0,
    residual=6.0,
    leniency=6.0,
    log_scale=0.2,
    softness=0.0,
    softness_low=0.0,
    systems=14,
    workers=150,
)


def frame(*rows):
    """Rows (worker, system, item, document, segment, score)."""
    table = pd.DataFrame(rows, columns=["worker", "system", "item", "document", "segment", "score"])
    table = table.assign(hit="h", language_pair="qa-qb", accepted=True)
    return table[ASSESSMENTS].astype({"score": float})


def test_workers_are_put_on_one_scale():
    # Standard deviations sqrt(2) and 4 sqrt(2): both become 2 sqrt(2) about their own mean.
    score, _ = variance_estimates.on_one_scale(np.array([1.0, 3, 10, 18]), np.array([0, 0, 1, 1]))
    assert score == pytest.approx([0, 4, 12, 16])


def test_describe_by_hand():
    scores = [100, 0] + [50] * 8
    rows = [("a", "x", "SYSTEM", "d", str(k), s) for k, s in enumerate(scores)]
    rows += [("b", "y", "REPEAT", "d", str(k), s / 2) for k, s in enumerate(scores)]
    rows += [("b", "y", "REF", "d", "1", 90), ("b", "y", "REF", "d", "2", 100)]
    found = describe_scores(frame(*rows))
    spread = np.std(scores, ddof=1)
    assert found["mean"] == pytest.approx(37.5)
    assert found["hundreds"] == pytest.approx(0.05) and found["zeros"] == pytest.approx(0.1)
    assert found["worker_sd"] == pytest.approx(25 / np.sqrt(2))
    assert found["worker_log_sd"] == pytest.approx(np.log(2) / np.sqrt(2)) and spread > 0
    assert found["ref"] == 95 and found["ref_sd"] == pytest.approx(np.sqrt(50))
    assert np.isnan(found["bad_ref"])


@pytest.mark.parametrize("protocol", ["SR-DC", "SR+DC", "alternate"])
def test_known_components_come_back(protocol):
    design = replace(KNOWN, protocol=protocol)
    seeds = range(12)
    found = pd.DataFrame(
        [
            variance_components(simulate.campaign(design, np.random.default_rng(k)).assessments)
            for k in seeds
        ]
    )
    assert list(found.columns) == COMPONENTS
    expected = pd.Series({name: getattr(design, name) for name in COMPONENTS})
    if protocol == "alternate":  # no output is judged twice
        assert found["system_segment"].isna().all()
        expected["residual"] = np.hypot(design.residual, design.system_segment)
        found, expected = (x.drop("system_segment", axis=k) for k, x in ((1, found), (0, expected)))
    # Stretching the workers to one scale removes a little of what really differs between them.
    tolerance = 4 * found.sem() + 0.08 * expected.where(expected.index != "mean", 0)
    assert ((found.mean() - expected).abs() < tolerance).all()


def test_the_error_is_the_spread_of_repeated_campaigns():
    world = replace(KNOWN, workers=200)
    found = [simulate.campaign(world, np.random.default_rng(k)).assessments for k in range(12)]
    spread = pd.DataFrame([variance_components(a) for a in found]).std()
    stated = variance_components_error(found[0], np.random.default_rng(0))
    for name in ("leniency", "residual", "log_scale"):
        assert 0.4 < stated[name] / spread[name] < 2.5


def test_what_cannot_be_separated():
    a = simulate.campaign(replace(KNOWN, judgements=3000, workers=20), np.random.default_rng(1))
    unknown = variance_components(a.assessments.assign(document=""))
    assert unknown[["document", "system_document"]].isna().all()
    assert unknown.drop(["document", "system_document"]).notna().all()
    alone = a.assessments.assign(worker=a.assessments["system"])
    with pytest.raises(DataError, match="cannot be separated"):
        variance_components(alone)
    with pytest.raises(DataError, match="fewer than two workers"):
        variance_components(a.assessments.assign(worker="worker_0001"))


def test_input_is_left_alone():
    a = embedded.embedded_campaign("simulated-sr-dc", "qa-qb")
    copy = a.copy(deep=True)
    variance_components(a)
    describe_scores(a)
    pd.testing.assert_frame_equal(a, copy)
