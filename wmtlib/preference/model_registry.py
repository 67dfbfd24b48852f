"""Every preference model by its name."""

from collections.abc import Callable
from functools import partial

from wmtlib.preference import baselines, bradley_terry, irt_categorical, irt_gaussian
from wmtlib.preference.preference_model import PreferenceModel
from wmtlib.preference.rating_models import RatedModel
from wmtlib.preference.score_models import from_scores, mfas_places, scored
from wmtlib.preference.true_skill import trueskill


def _without_rng(fit: Callable[..., PreferenceModel]) -> Callable[..., PreferenceModel]:
    return lambda train, *, systems, rng: fit(train, systems=systems)


RANKED: dict[str, Callable[..., RatedModel]] = {
    "Bradley-Terry (Davidson)": _without_rng(partial(bradley_terry.fit, ties="davidson")),
    "Bradley-Terry (Rao-Kupper)": _without_rng(partial(bradley_terry.fit, ties="rao-kupper")),
    "TrueSkill": trueskill,
    "Lopez Eq. 1": scored("wmt-official", ties_count=True),
    "Lopez Eq. 2": scored("heuristic2", ties_count=True),
    "Lopez Eq. 3": scored("bojar", ties_count=False),
    "Expected Wins": scored("expected-wins", ties_count=False),
    "MFAS Order": partial(from_scores, mfas_places, ties_count=False),
}

MODELS: dict[str, Callable[..., PreferenceModel]] = {
    **{name: _without_rng(fit) for name, fit in baselines.MODELS.items()},
    "Geometric Students (as printed)": _without_rng(
        partial(baselines.independent_students, reconstruction="geometric", normalised=False)
    ),
    "IRT-Gaussian": irt_gaussian.fit,
    "IRT-Categorical": irt_categorical.fit,
    "IRT-Gaussian (segments unknown)": lambda train, **options: irt_gaussian.fit(
        train.drop(columns="segment", errors="ignore"), **options
    ),
    **RANKED,
}
