"""Variance components: known ones come back; plans by hand."""

import numpy as np
import pandas as pd
import pytest

from study.beyond import variance_components

TRUE = {
    "document": 0.2,
    "document x system": 0.15,
    "segment": 0.0,
    "segment x system": 0.1,
    "sitting": 0.3,
    "worker": 0.0,
    "worker's slope": 0.09,
    "worker x system": 0.1,
    "residual": 0.5,
}


def made(seed=1, documents=400, systems=6, workers=60, segments=4):
    """Draw documents and systems, judged by two workers, with variances `TRUE`."""
    rng = np.random.default_rng(seed)
    shape = documents, systems, 2, segments
    document, system, sitting, segment = np.indices(shape).reshape(4, -1)
    chosen = rng.integers(workers // 2, size=shape[:3])
    chosen[..., 1] += workers // 2
    worker = chosen[document, system, sitting]
    mean = np.linspace(-1, 1, systems)
    mean *= np.sqrt(0.5 / np.mean(mean**2))

    def effect(name, *shape):
        return rng.normal(0, np.sqrt(TRUE[name]), shape)

    z = mean[system] + effect("document", documents)[document]
    z += effect("document x system", documents, systems)[document, system]
    output = document, system, segment
    z += effect("segment x system", documents, systems, segments)[output]
    z += effect("sitting", *shape[:3])[document, system, sitting]
    z += effect("worker's slope", workers)[worker] * mean[system]
    z += effect("worker x system", workers, systems)[worker, system]
    z += effect("residual", len(z))
    columns = {"document": document, "system": system, "worker": worker, "z": z}
    return pd.DataFrame(columns).assign(segment=document * segments + segment)


def test_components_have_the_true_values_in_their_intervals():
    table = variance_components.components([made(1), made(2)], resamples=100, seed=4)
    error = table[1:].std()
    for name, true in TRUE.items():
        assert table.loc[0, name] == pytest.approx(true, abs=4 * error[name] + 0.005)
        assert error[name] < 0.05
    assert table.loc[0, "pairs"] == 2 * 400 * 6


def test_components_leave_out_segment_x_system_where_no_output_is_shared():
    values = made()
    other = values["segment"] % 2 == (values["worker"] >= 30)
    table = variance_components.components([values[other]], resamples=5, seed=4)
    assert table["segment x system"].isna().all()
    assert table.loc[0, "residual"] == pytest.approx(0.6, abs=0.05)
    assert table.loc[0, "sitting"] == pytest.approx(0.3, abs=0.1)


def test_components_are_nan_without_double_judgements():
    values = made()
    alone = values[values["worker"] < 30]
    table = variance_components.components([alone], resamples=5, seed=4)
    assert table[[*TRUE]].isna().all(axis=None) and (table["pairs"] == 0).all()
