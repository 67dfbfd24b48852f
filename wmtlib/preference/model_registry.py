"""Every preference model by its name."""

from collections.abc import Callable
from functools import partial

import numpy as np

from wmtlib.preference import baselines, bradley_terry, irt_categorical, irt_gaussian
from wmtlib.preference.preference_model import PreferenceModel
from wmtlib.preference.score_models import from_scores, mfas_places
from wmtlib.preference.true_skill import trueskill
from wmtlib.tournament import scorers


def _without_rng(fit: Callable[..., PreferenceModel]) -> Callable[..., PreferenceModel]:
    return lambda train, *, systems, rng: fit(train, systems=systems)


# Models made of one strength per system: `rating_models.RatedModel`.
RATING_MODELS: dict[str, Callable[..., PreferenceModel]] = {
    "bradley-terry": _without_rng(partial(bradley_terry.fit, ties="davidson")),
    "rao-kupper": _without_rng(partial(bradley_terry.fit, ties="rao-kupper")),
    "trueskill": trueskill,
    "wmt-official": partial(from_scores, scorers.wmt_official),
    "heuristic2": partial(from_scores, scorers.heuristic2),
    "bojar": partial(from_scores, scorers.bojar),
    "expected-wins": partial(from_scores, scorers.expected_wins),
    "mfas": partial(from_scores, mfas_places),
}

# All models, each a function fit(train, *, systems, rng).
MODELS: dict[str, Callable[..., PreferenceModel]] = {
    **{name: _without_rng(fit) for name, fit in baselines.BASELINES.items()},
    "irt-gaussian": irt_gaussian.fit,
    "irt-categorical": irt_categorical.fit,
    "irt-gaussian-segments-unknown": lambda train, **options: irt_gaussian.fit(
        train.drop(columns="segment", errors="ignore"), **options
    ),
    **RATING_MODELS,
}

# Item-response models: a function that fits many training sets at once, and whether it is told the
# segments of the comparisons.
ITEM_MODELS: dict[str, tuple[Callable[..., list[PreferenceModel]], bool]] = {
    "irt-gaussian": (irt_gaussian.fit_each, True),
    "irt-categorical": (irt_categorical.fit_each, True),
    "irt-gaussian-segments-unknown": (irt_gaussian.fit_each, False),
}

# A number for each model that draws random numbers, so that no two draw the same ones. Fixed: what
# a model draws does not change with its name.
STREAMS = {
    "irt-gaussian": 921_177_985,
    "irt-categorical": 2_795_834_812,
    "irt-gaussian-segments-unknown": 3_845_998_747,
    "trueskill": 2_557_857_586,
    "wmt-official": 87_875_026,
    "heuristic2": 2_620_755_048,
    "bojar": 3_945_970_942,
    "expected-wins": 2_701_954_285,
    "mfas": 657_121_541,
}


def generator(name: str, *seed: int) -> np.random.Generator:
    """The generator of one model: its draws do not depend on the other models."""
    return np.random.default_rng([*seed, STREAMS.get(name, 0)])
