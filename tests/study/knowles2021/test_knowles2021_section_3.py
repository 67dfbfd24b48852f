"""Sections 2 to 5: mean z-scores, and ours beside the official tables."""

import numpy as np
import pandas as pd
import pytest

from examples import assessments, drawn
from study.data import sources
from study.knowles2021 import section_3
from wmtlib.core.assessments import encode


def test_scales_with_the_divisor_n_are_told_from_the_usual_ones():
    frame = drawn(4)
    by_worker = frame.groupby("worker")["score"]
    z = (frame["score"] - by_worker.transform("mean")) / by_worker.transform("std", 0)
    rated = frame.assign(z=z)[frame["item"].isin(["SYSTEM", "REPEAT"])]
    segments = rated.groupby(["system", "document", "segment"])["z"].mean()
    official = segments.groupby("system").mean().reset_index()
    equal = section_3.scale_variants(encode(frame), official)
    assert equal.pop("z_divided_by_n") == 5 > max(equal.values())


@pytest.mark.parametrize("seed", range(8))
def test_quick_orders_are_those_of_the_rankings(seed):
    coded = encode(drawn(seed, size=40))  # some workers are left out
    order = section_3.quick_order(coded)
    for removed in np.eye(len(coded.systems), dtype=bool):
        gone = coded.rows_of(removed, items=("REF",), paired=True)
        expected, _ = section_3.order_and_means(coded, removed, scales_from=~gone)
        assert order(gone, removed).tolist() == expected.tolist()


def test_quick_order_divides_squares_by_one_less_than_their_number():
    # Of worker v's two scores A has z = .71, of w's six B has .85; divided by their
    # numbers, squares would give 1 and .93.
    scores = {
        "v": [("A", 60), ("C", 40)],
        "w": [("B", 60), ("C", 40), ("C", 38), ("C", 62), ("B", 60), ("C", 40)],
    }
    rows = [
        ("h", worker, system, "SYSTEM", "d", f"{worker}{number}", score)
        for worker, given in scores.items()
        for number, (system, score) in enumerate(given)
    ]
    coded = encode(assessments(rows))
    nothing = np.zeros(len(rows), dtype=bool)
    nobody = np.zeros(len(coded.systems), dtype=bool)
    order = section_3.quick_order(coded)(nothing, nobody)
    assert [coded.systems[k] for k in order] == ["B", "A", "C"]


def test_number_equal_counts_values_within_half_a_digit():
    ours = pd.Series([50.04, 49.95, 50.06, 49.6, 50.0])
    official = pd.Series([50.0] * 5)
    assert section_3.number_equal(ours, official, 1) == 3
    assert section_3.number_equal(ours, official, 0) == 5


def test_p_values_that_are_not_printed_are_not_compared():
    names = ["A.1", "B.2"]
    listed = pd.DataFrame([[0.12, 0.01], [0.12, 0.12]], index=names, columns=names)
    p = pd.DataFrame([[1.0, 0.011], [0.7, 1.0]], index=names, columns=names)
    assert section_3.largest_difference(p, listed) == pytest.approx(0.1)


@pytest.mark.realdata
def test_released_judgements_give_the_official_tables(mirror):
    source = sources.resolve("mirror", ["wmt21"])
    row = section_3.replicate("wmt21", "ha-en", source=source)
    assert row["raw"] == row["z"] == row["judgements"] == row["systems"]
    assert row["order"] and row["clusters"] and row["from"] == "judgements"


def test_the_example_has_every_kind_of_item_and_its_steps_end_in_z():
    coded = encode(drawn(4))
    worker = section_3.example_worker(coded)
    of_worker = coded.score[coded.worker == coded.workers.index(worker)]
    table = section_3.steps_to_z(coded, worker, of_worker.mean())
    kinds = table["item"].value_counts()
    assert kinds.max() <= 3 and [*kinds.index] == [*table["item"].unique()]
    expected = (table["score"] - of_worker.mean()) / of_worker.std(ddof=1)
    assert np.allclose(table["z"], expected)
    assert np.allclose(table["score - mean"], table["score"] - of_worker.mean())


def test_lines_by_every_test_and_rule():
    lines = section_3.lines_by_choice(encode(drawn(4)))
    assert lines.shape[1] == 6 and lines.dtypes.eq(bool).all()
    assert not lines.iloc[-1].any()


def test_replicated_pairs_are_summed_by_where_they_start():
    rows = pd.DataFrame(
        {
            "campaign": ["wmt18", "wmt18", "wmt20"],
            "from": ["judgements", "judgements", "segment means"],
            "systems": [5, 6, 7],
            "raw": [5, 6, 7],
            "z": [5, 5, 7],
            "judgements": [5, 6, 7],
            "order": [True, False, True],
            "lines_apart": [0, 2, 0],
        }
    )
    first, second = section_3.by_origin(rows).to_dict("records")
    assert (first["language pairs"], first["systems"], first["z"]) == (2, 11, 10)
    assert (first["order"], first["lines"]) == (1, 1)
    assert (second["campaign"], second["lines"]) == ("wmt20", 1)


def test_without_pairs_no_lines_move():
    moved = section_3.lines_that_move([], source=sources.resolve("embedded"))
    assert moved.shape == (3, 2) and not moved.to_numpy().any()


@pytest.mark.realdata
def test_the_default_of_today_moves_the_lines_of_a_pair():
    moved = section_3.lines_that_move(["wmt18 en-de"], source=sources.resolve("mirror"))
    assert moved.loc["legacy"].tolist() == [0, 0]
    assert moved.loc["two-sided"].tolist() == [1, 1]
