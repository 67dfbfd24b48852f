"""The item-response models beside those of the library."""

import pytest

from examples import compared
from study.hopkins2013.registry import (
    AS_PRINTED,
    IRT,
    MODELS,
    STREAMS,
    model_generator,
    title,
)
from wmtlib import methods


@pytest.mark.parametrize("name", [*IRT, AS_PRINTED])
def test_models_beside_those_of_the_library_fit_by_their_name_alone(name):
    frame = compared("a b 1 1", "b c 2 1", "a c 0 1").assign(segment=[1, 1, 2])
    fitted = MODELS[name](frame, systems=[*"abc"], rng=model_generator(name, 1))
    assert fitted.probabilities.shape == (3, 3, 3) and (fitted.probabilities > 0).all()


def test_model_generator_no_two_models_draw_the_same_random_numbers():
    drawing = [name for name in methods.MODELS if methods.METHODS[name].stream]
    drawing += STREAMS
    first = {model_generator(name, 1, 2).random() for name in drawing}
    assert len(first) == len(drawing) == 8
    assert methods.model_generator("bojar", 1, 2).random() in first


def test_title_is_that_of_the_library_or_of_the_study():
    assert title("irt-gaussian-fitted") == "IRT-Gaussian (radius fitted)"
    assert title("mfas") == methods.title("mfas") == "MFAS"
    assert title("a system") == "a system"
