"""Variance components: known ones come back; plans by hand."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.study.beyond import variance_components

TRUE = {
    "document": 0.2,
    "document_system": 0.15,
    "segment_system": 0.1,
    "sitting": 0.3,
    "slope": 0.09 * 0.5,  # variance of the slopes, times that of the means
    "worker_system": 0.1,
    "residual": 0.5,
}


def made(seed=1, documents=400, systems=6, workers=60, segments=4):
    """Every document and system judged by two workers, with the variances of `TRUE`."""
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
    z += effect("document_system", documents, systems)[document, system]
    z += effect("segment_system", *shape[:2], segments)[document, system, segment]
    z += effect("sitting", *shape[:3])[document, system, sitting]
    z += rng.normal(0, 0.3, workers)[worker] * mean[system]
    z += effect("worker_system", workers, systems)[worker, system]
    z += effect("residual", len(z))
    columns = {"document": document, "system": system, "worker": worker, "z": z}
    return pd.DataFrame(columns).assign(segment=document * segments + segment)


def test_pair_sums_are_those_of_all_pairs():
    rng = np.random.default_rng(3)
    owner, *keys = rng.integers(3, size=(3, 20))
    value = rng.normal(size=20)
    sums = variance_components.pair_sums(owner, keys, value[None])
    for same, total in sums.items():
        expected = sum(
            value[i] * value[j]
            for i in range(20)
            for j in range(20)
            if owner[i] == owner[j]
            and all((key[i] == key[j]) == k for key, k in zip(keys, same, strict=True))
        )
        assert total.sum() == pytest.approx(expected)


def test_known_components_come_back_inside_their_intervals():
    table = variance_components.components([made(1), made(2)], resamples=100, seed=4)
    error = table[1:].std()
    for name, true in TRUE.items():
        assert table.loc[0, name] == pytest.approx(true, abs=4 * error[name] + 0.01)
        assert error[name] < 0.05
    assert table.loc[0, "pairs"] == 2 * 400 * 6
    assert variance_components.sitting_share(table)[0] == pytest.approx(2 / 3, abs=0.1)


def test_without_double_judgements_nothing_is_said_of_sittings():
    values = made()
    alone = values[values["worker"] < 30]
    table = variance_components.components([alone], resamples=5, seed=4)
    assert table[["document_system", "sitting"]].isna().all(axis=None)
    assert table["document"].notna().all()


def test_plans_by_hand():
    parts = {name: [0.0, 0.0] for name in variance_components.COMPONENTS}
    table = pd.DataFrame(parts | {"sitting": [1.0, 1.0], "residual": [4.0, 4.0]})
    worth = variance_components.plans(table, 4).set_index("plan")["worth"]
    assert worth["second document"] == worth["second worker, same document"] == 2
    assert worth["twice the segments, same worker"] == pytest.approx(2 / 1.5)
    assert worth["two documents, half the segments"] == pytest.approx(2 / 1.5)


def test_halves_by_hand():
    rows = [(0, 0, w, s, 4 * w + s) for w in (0, 1) for s in (0, 1)]
    names = ["document", "system", "worker", "segment", "z"]
    pairs = variance_components.halves(pd.DataFrame(rows, columns=names))
    assert pairs["first_half"].tolist() == [-2.5, 1.5]
    assert pairs["second_half_other"].tolist() == [2.5, -1.5]
