"""Tracks of Hopkins & May (2013), and the training sets drawn of them."""

from hypothesis import given
from hypothesis import strategies as st
from random_comparisons import comparisons, small_track

from examples import rng, shown
from study import hopkins2013
from study.hopkins2013 import Track


@given(st.integers(1, 60), st.integers(0, 5))
def test_single_comparisons_are_drawn_without_replacement(size, seed):
    drawn = hopkins2013.draw_training_set(comparisons(40), size, rng(seed))
    assert len(drawn) == min(size, 40)  # footnote 12: all of it if there is no more
    assert drawn.index.is_unique


def test_whole_rankings_are_drawn_whole_but_for_the_last():
    track = small_track()
    drawn = hopkins2013.draw_training_set(track.train, 60, rng(0), unit="ranking")
    sizes = drawn["ranking"].value_counts()
    assert sorted(sizes) == [4, *[8] * 7]


def test_the_tuned_tracks_and_the_reference_are_left_out():
    years = ("wmt10", "wmt12")
    tracks = {c: hopkins2013.load_tracks(c, source="embedded") for c in years}
    left = hopkins2013.untuned(tracks)
    assert len(left) == 14
    assert not {t.task for t in left if t.campaign == "wmt10"} & {*hopkins2013.TUNED_ON}
    rows = shown("ra1", "ab2").replace("r", "_ref")
    track = Track("wmt00", "xx-yy", rows, rows, ("_ref", "a", "b"))
    track = hopkins2013.without_reference(track)
    assert track.systems == ("a", "b") and len(track.train) == len(track.test) == 1
