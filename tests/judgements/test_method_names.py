"""One name and one title for each method."""

from wmtlib.ranking import METHODS, MODELS, STREAMS, TITLES, title
from wmtlib.study.papers import hopkins2013


def test_every_method_and_model_has_a_title_of_its_own():
    compared = {*hopkins2013.FITTED.values(), "bojar-places"}
    assert set(TITLES) == {*METHODS, *MODELS, *compared}
    assert len(set(TITLES.values())) == len(TITLES)
    assert title("mfas") == "MFAS" and title("another") == "another"


def test_models_that_draw_random_numbers_have_streams_of_their_own():
    assert set(STREAMS) < set(MODELS) and len(set(STREAMS.values())) == len(STREAMS)
