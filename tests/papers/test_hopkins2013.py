"""The grid of Hopkins & May (2013), section 8: what is drawn and compared, and where it runs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import counts as counting
from wmtlib.errors import DataError
from wmtlib.study.papers import hopkins2013
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.releases import ranking_releases

QUICK = ["uniform", "adjusted-uniform", "independent-students-arithmetic"]


def comparisons(n, seed, rankings=None):
    """Random comparisons of four systems."""
    rng = np.random.default_rng(seed)
    pairs = rng.permuted(np.tile(list("abcd"), (n, 1)), axis=1)[:, :2]
    frame = pd.DataFrame(pairs, columns=["system_1", "system_2"])
    frame["segment"] = rng.integers(0, n, n)
    frame["preference"] = rng.integers(0, 3, n)
    if rankings:
        frame["ranking"] = np.sort(rng.integers(0, rankings, n))
    return frame


@pytest.fixture
def track():
    return Track("wmt00", "xx-yy", comparisons(400, 1, 50), comparisons(100, 2), tuple("abcd"))


@given(st.integers(1, 60), st.integers(0, 5))
def test_single_comparisons_are_drawn_without_replacement(size, seed):
    train = comparisons(40, 3)
    drawn = hopkins2013.draw_training_set(train, size, np.random.default_rng(seed))
    assert len(drawn) == min(size, 40)  # footnote 12: all of it if there is no more
    assert drawn.index.is_unique


def test_whole_rankings_are_drawn_whole_but_for_the_last(track):
    sizes = track.train["ranking"].value_counts()
    drawn = hopkins2013.draw_training_set(track.train, 60, np.random.default_rng(0), unit="ranking")
    taken = drawn["ranking"].value_counts()
    assert len(drawn) == 60
    assert (taken < sizes[taken.index]).sum() <= 1


def test_what_cannot_be_drawn_is_refused(track):
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match="cannot draw 0 comparisons"):
        hopkins2013.draw_training_set(track.train, 0, rng)
    with pytest.raises(DataError, match="raw data only"):
        hopkins2013.draw_training_set(track.test, 10, rng, unit="ranking")
    with pytest.raises(DataError, match="unit is 'judge'"):
        hopkins2013.draw_training_set(track.train, 10, rng, unit="judge")
    with pytest.raises(DataError, match="no model 'Oracle'"):
        hopkins2013.grid([track], ["Oracle"])


def test_a_cell_of_the_grid_does_not_depend_on_its_neighbours(track):
    options = {"seed": 7, "trials": 2}
    small = hopkins2013.grid([track], ["irt-gaussian"], sizes=[50], **options)
    models = ["independent-students-arithmetic", "irt-gaussian"]
    large = hopkins2013.grid([track], models, sizes=[100, 50], **options)
    same = large.query("size == 50 and model == 'irt-gaussian'").reset_index(drop=True)
    pd.testing.assert_frame_equal(small, same)


def test_what_a_grid_has_found_is_not_computed_again(track, tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_KEPT", str(tmp_path))
    options = {"sizes": [50], "trials": 2}
    first = hopkins2013.grid([track], QUICK[:2], **options)
    more = hopkins2013.grid([track], QUICK, **options)
    monkeypatch.setattr(hopkins2013, "held_out_perplexities", lambda *_, **__: 1 / 0)
    pd.testing.assert_frame_equal(hopkins2013.grid([track], QUICK, **options), more)
    shared = more[more["model"].isin(QUICK[:2])].reset_index(drop=True)
    pd.testing.assert_frame_equal(shared, first)
    with pytest.raises(ZeroDivisionError):  # another seed is another draw
        hopkins2013.grid([track], QUICK, seed=1, **options)


def test_more_than_there_is_trains_on_everything(track):
    found = hopkins2013.grid([track], QUICK, sizes=[10_000], trials=2)
    assert (found["trained_on"] == 400).all()
    assert found.groupby("model")["perplexity"].nunique().eq(1).all()


def test_curves_average_tracks_then_trials():
    rows = [("t1", 0, 2.0), ("t2", 0, 4.0), ("t1", 1, 3.0), ("t2", 1, 6.0)]
    table = pd.DataFrame(rows, columns=["task", "trial", "perplexity"])
    table = table.assign(campaign="c", model="m", size=100)
    [row] = hopkins2013.curves(table).to_dict("records")
    assert row == pytest.approx({"perplexity": 3.75, "error": 0.75})  # trials: 3 and 4.5


def test_difference_pairs_models_by_draw():
    rng = np.random.default_rng(0)
    rows = []
    for size, gap in [(100, 0.1), (200, -0.1), (400, 0.1), (800, 0.1)]:
        for trial in range(5):
            noise = rng.normal()  # common to both models: pairing takes it out
            rows.append(("c", "t", "good", size, trial, 2.5 + noise))
            rows.append(("c", "t", "bad", size, trial, 2.5 + noise + gap + rng.normal() / 1000))
    names = ["campaign", "task", "model", "size", "trial", "perplexity"]
    table = pd.DataFrame(rows, columns=names)
    found = hopkins2013.difference(table, "bad", "good").loc["c"]
    assert found["difference"].to_numpy() == pytest.approx([0.1, -0.1, 0.1, 0.1], abs=0.002)
    assert found["worse"].tolist() == [1, 0, 1, 1]


@pytest.mark.realdata
@pytest.mark.parametrize("task", ["cs-en", "en-fr"])
def test_embedded_and_raw_tracks_hold_the_same_counts(task):
    for part in ("train", "test"):
        raw, embedded = (
            counting.count(ranking_releases.load_comparisons("wmt10", task, source=s, split=part))
            for s in ("mirror", "embedded")
        )
        pd.testing.assert_frame_equal(raw.wins, embedded.wins)
        pd.testing.assert_frame_equal(raw.ties, embedded.ties)
