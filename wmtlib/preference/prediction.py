"""Fit models of preference to some comparisons and measure how well they predict others."""

from collections.abc import Iterable, Sequence

import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.preference.model_registry import MODELS, generator
from wmtlib.preference.preference_model import perplexity


def require_models(models: Sequence[str]) -> None:
    """Refuse names that are not in `MODELS`, no name, and a name that stands twice."""
    if unknown := [name for name in models if name not in MODELS]:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")


def held_out_perplexities(
    models: Iterable[str],
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    systems: Sequence[str],
    seed: Sequence[int],
) -> dict[str, float]:
    """Perplexity on `test` of models fitted to `train` (Hopkins & May 2013, section 4).

    Parameters
    ----------
    models : names
        Of `MODELS`.
    train, test : DataFrame
        Comparisons.
    systems : sequence of str
        All systems that may occur.
    seed : sequence of int
        Each model draws from a generator of its own, made of these numbers and the model's own,
        so that its perplexity does not depend on the other models.
    """
    found = {}
    for name in models:
        model = MODELS[name](train, systems=systems, rng=generator(name, *seed))
        found[name] = perplexity(model, test)
    return found
