"""Measures of stability: by hand, and what must hold for any campaign."""

import numpy as np
import pandas as pd
import pytest

from tests.later.test_protocols import made_up, scored
from wmtlib.later import protocol_measures as measures
from wmtlib.later.protocol_measures import ALL


def value(table, measure, size=ALL):
    [found] = table.loc[(table["measure"] == measure) & (table["size"] == size), "value"]
    return found


def drawn_halves(split, sizes=(3, ALL), n_splits=5):
    judged = made_up()
    rng = np.random.default_rng(1)
    return judged, measures.halves(judged, split=split, sizes=sizes, n_splits=n_splits, rng=rng)


@pytest.mark.parametrize("split", ["document", "annotator"])
def test_halves_share_nothing_and_hold_what_was_asked_for(split):
    judged, drawn = drawn_halves(split)
    groups = getattr(judged, split)
    for size, pair in drawn.items():
        first, second = (half.toarray() for half in pair)
        for one, other in zip(first, second, strict=True):
            assert not set(groups[one > 0]) & set(groups[other > 0])
        for half in (first, second):
            number = half @ judged.size
            if size == ALL:
                continue
            needed = size * len(judged.systems)
            assert ((number >= needed) & (number < needed + judged.size.max())).all()
    first, second = drawn[ALL]
    assert ((first + second).toarray() == 1).all()


def test_a_size_that_no_half_holds_is_left_out():
    judged, drawn = drawn_halves("document", sizes=(10_000,))
    assert drawn[10_000][0].shape == (0, len(judged.size))
    draws = {"n_splits": 5, "rng": np.random.default_rng(1)}
    assert measures.between_halves(judged, split="document", sizes=(10_000,), **draws).empty


def test_two_copies_of_the_same_judgements_agree_in_everything():
    rng = np.random.default_rng(5)
    rows = [
        ("h", worker, name, "SYSTEM", f"d{k}", f"s{k}", score + 9 * j)
        for k in range(30)
        for j, name in enumerate("ABC")
        for score in [int(rng.integers(60))]
        for worker in ("w1", "w2")
    ]
    draws = {"sizes": (ALL,), "n_splits": 4, "rng": rng, "tested": (ALL,)}
    for protocol in ("SR-DC", "ESA"):
        table = measures.between_halves(scored(rows, protocol=protocol), split="annotator", **draws)
        assert value(table, "tau") == 1 and value(table, "contradict") == 0
        assert np.isnan(value(table, "agree")) or value(table, "agree") == 1
    assert value(table, "apart") > 0  # ESA's are paired


def test_names_of_annotators_and_systems_change_no_measure_of_documents():
    judged = made_up()
    draws = {"split": "document", "sizes": (3, ALL), "n_splits": 9, "tested": (ALL,)}
    tables = []
    for relabel in (lambda names: names, lambda names: names[::-1]):
        frame = pd.DataFrame({"worker": relabel([*judged.coded.workers])})
        workers = tuple(frame["worker"])
        object.__setattr__(judged.coded, "workers", workers)
        tables.append(measures.between_halves(judged, rng=np.random.default_rng(2), **draws))
    pd.testing.assert_frame_equal(*tables)


def test_signal_to_noise_by_hand():
    # Halves 1, -1 and 3, -3 about their means: covariance 3, mean variance 5.
    assert measures.signal_to_noise(np.array([[2.0, 0]]), np.array([[3.0, -3]])) == 1.5


def test_signal_to_noise_finds_what_was_put_in():
    rng = np.random.default_rng(11)
    true = rng.normal(0, 2, 400)
    halves = [true + rng.normal(0, 1, (50, 400)) for _ in range(2)]
    assert measures.signal_to_noise(*halves) == pytest.approx(np.var(true), rel=0.05)


def test_significant_pairs_of_two_halves_by_hand():
    first = np.array([[[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]])
    second = np.array([[[0, 1, -1], [-1, 0, 1], [1, -1, 0]]])
    # Pairs: both the same way, both the other way, and one half only.
    found = measures._tests(first, second)
    assert found == pytest.approx({"apart": 5 / 6, "agree": 1 / 3, "contradict": 1 / 3})


def test_leaving_out_and_dividing_change_nothing_of_raw_scores():
    raw = made_up().on_other_scale
    table = measures.without_each(raw)
    assert value(table, "order changes, one left out") == 0
    assert value(table, "tau, one left out") == 1
    assert (measures.without_humans(raw)["value"] == 0).all()


def test_humans_are_removed_and_divided_only_where_there_are_any():
    judged = made_up()
    steps = ["removed", "/ 1.25", "/ 1.5", "/ 2", "/ 4", "/ 10"]
    assert measures.without_humans(judged)["measure"].tolist() == [
        f"order changes, humans {step}" for step in steps
    ]
    without = scored([("h", "w", n, "SYSTEM", "d", "s", k) for k, n in enumerate("AB")])
    assert measures.without_humans(without).empty
