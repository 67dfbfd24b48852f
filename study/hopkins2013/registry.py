"""Models that are compared: those of `wmtlib`, and others of the paper.

`MODELS`, `model_generator` and `title` are those of `wmtlib.methods`, and what the
item-response models and variants of models add.
"""

from functools import partial

import numpy as np

from study.hopkins2013.irt import (
    fit_categorical,
    fit_categorical_each,
    fit_gaussian,
    fit_gaussian_each,
)
from wmtlib import methods, models
from wmtlib.methods import Fit

GAUSSIAN = "irt-gaussian"
CATEGORICAL = "irt-categorical"
IRT = (GAUSSIAN, CATEGORICAL)  # fitted to single comparisons and their segments
AS_PRINTED = "independent-students-geometric-as-printed"

MODELS: dict[str, Fit] = {
    **methods.MODELS,
    GAUSSIAN: fit_gaussian,
    CATEGORICAL: fit_categorical,
    AS_PRINTED: partial(
        models.independent_students, reconstruction="geometric-as-printed"
    ),
}
# They fit several training sets side by side, as one chain.
FIT_EACH = {
    GAUSSIAN: fit_gaussian_each,
    CATEGORICAL: fit_categorical_each,
}
STREAMS = {GAUSSIAN: 921_177_985, CATEGORICAL: 2_795_834_812}  # of random numbers
TITLES = {
    AS_PRINTED: "Geometric Students (as printed)",
    GAUSSIAN: "IRT-Gaussian",
    CATEGORICAL: "IRT-Categorical",
    "bojar-places": "Lopez Eq. 3, places only",
    "irt-gaussian-fitted": "IRT-Gaussian (radius fitted)",
    "irt-gaussian-deterministic": "IRT-Gaussian (deterministic)",
    "irt-categorical-fitted": "IRT-Categorical (radius fitted)",
}


def title(name: str) -> str:
    """Return the name of a model or a method in plots and prose."""
    return TITLES[name] if name in TITLES else methods.title(name)


def model_generator(name: str, *seed: int) -> np.random.Generator:
    """Make the generator of one model: its draws do not depend on the other models."""
    if name in STREAMS:
        return np.random.default_rng([*seed, STREAMS[name]])
    return methods.model_generator(name, *seed)
