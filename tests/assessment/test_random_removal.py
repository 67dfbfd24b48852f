"""Judgements left out at random."""

import numpy as np
import pytest
from assessed import assessments, drawn
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.errors import DataError
from wmtlib.study.papers.random_removal import document_runs, random_rows, reversals_after_removal
from wmtlib.zscores import encode


def reversals(campaign, number, n_resamples, seed=0, only_scales=False):
    rng = np.random.default_rng(seed)
    rows = random_rows(campaign, in_runs=0, one_by_one=number, n_resamples=n_resamples, rng=rng)
    return reversals_after_removal(campaign, rows, without=(), only_scales=only_scales)


def test_runs_by_hand():
    rows = [
        ("h1", "w1", "A", "SYSTEM", "d1", "1", 80),
        ("h1", "w1", "A", "SYSTEM", "d1", "2", 80),
        ("h1", "w1", "A", "REPEAT", "d1", "2", 80),  # shown again: the same run
        ("h1", "w1", "A", "REF", "d1", "2", 99),  # quality control: alone
        ("h1", "w1", "B", "SYSTEM", "d1", "1", 80),  # another system
        ("h2", "w1", "A", "SYSTEM", "d1", "1", 80),  # another HIT
        ("h1", "w1", "A", "SYSTEM", "d2", "1", 80),  # another document
        ("h1", "w2", "B", "SYSTEM", "", "1", 80),  # documents not known: each alone
        ("h1", "w2", "B", "SYSTEM", "", "2", 80),
    ]
    runs = document_runs(encode(assessments(rows)))
    assert runs[0] == runs[1] == runs[2]
    assert len(set(runs[2:])) == len(rows) - 2


@given(st.integers(0, 5), st.integers(0, 100), st.integers(0, 100))
@settings(max_examples=20)
def test_as_many_judgements_as_asked_for_in_whole_runs(seed, in_runs, one_by_one):
    campaign = encode(drawn(seed, size=400))
    runs = document_runs(campaign)
    number = {"in_runs": in_runs, "one_by_one": one_by_one, "n_resamples": 3}
    for rows in random_rows(campaign, rng=np.random.default_rng(seed), **number):
        assert abs(rows.sum() - in_runs - one_by_one) <= np.bincount(runs).max() / 2
        if not one_by_one:
            assert all(len(set(rows[runs == k])) == 1 for k in set(runs))


@pytest.mark.parametrize("only_scales", [False, True])
def test_removal_is_repeatable_and_nothing_happens_without_any(only_scales):
    campaign = encode(drawn(0, size=400))
    found, again = (reversals(campaign, 380, 9, only_scales=only_scales) for _ in range(2))
    assert found.tolist() == again.tolist() and found.any()
    assert not reversals(campaign, 0, 3, only_scales=only_scales).any()


def test_removal_from_the_scale_of_a_single_worker_changes_no_order():
    # One worker: whatever their mean and spread, all z-scores are one affine map of the scores.
    campaign = encode(drawn(0).assign(worker="w"))
    assert not reversals(campaign, 80, 20, only_scales=True).any()


def test_removing_more_changes_more():
    campaign = encode(drawn(0, size=1500))
    few, many = (reversals(campaign, number, 60, seed=5).mean() for number in (30, 900))
    assert few < many


def test_what_is_refused():
    campaign = encode(drawn(0))
    with pytest.raises(DataError, match="expected 0 to"):
        reversals(campaign, len(campaign.score), 1)
