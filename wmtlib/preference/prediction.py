"""Fit models of preference to some comparisons and measure how well they predict others."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import ItemData, item_data
from wmtlib.preference.model_registry import ITEM_MODELS, MODELS, generator
from wmtlib.preference.preference_model import perplexity, tally, track


def require_models(models: Sequence[str]) -> None:
    """Refuse names that are not in `MODELS`, no name, and a name that stands twice."""
    if unknown := [name for name in models if name not in MODELS]:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")


def held_out_perplexities(
    models: Sequence[str],
    splits: Sequence[tuple[pd.DataFrame, pd.DataFrame | np.ndarray]],
    *,
    systems: Sequence[str],
    seeds: Sequence[Sequence[int]],
    progress: Callable[[str, float], None] = lambda model, share: None,
) -> list[dict[str, float]]:
    """Perplexity on test sets of models fitted to training sets (Hopkins & May 2013, section 4).

    Parameters
    ----------
    models : names
        Of `MODELS`.
    splits : sequence of pairs
        Training and test comparisons, as frames; a test set can be given as its `tally`.
    systems : sequence of str
        All systems that may occur.
    seeds : sequence of sequences of int
        Of each split. Each model draws from a generator of its own, made of these numbers and the
        model's own, so that its perplexity depends neither on other models nor on other splits.
    progress : callable
        Is told each model, and what share of its fits is done.

    Returns
    -------
    list of dict
        Of each split, the perplexity of each model.
    """
    names, trains = track(systems), [train for train, _ in splits]
    counted = [(tally(train, names), tally(test, names)) for train, test in splits]
    segments_known = {ITEM_MODELS[name][1] for name in models if name in ITEM_MODELS}
    items = {known: _items(trains, names, segments=known) for known in segments_known}
    found: list[dict[str, float]] = [{} for _ in splits]
    for name in models:
        progress(name, 0.0)
        rngs = [generator(name, *seed) for seed in seeds]
        if name in ITEM_MODELS:
            fit_each, known = ITEM_MODELS[name]
            fits = fit_each(items[known], systems=names, rngs=rngs)
        else:
            fits = []
            for (train, _), rng in zip(counted, rngs, strict=True):
                fits.append(MODELS[name](train, systems=names, rng=rng))
                progress(name, len(fits) / len(counted))
        for perplexities, fit, (_, test) in zip(found, fits, counted, strict=True):
            perplexities[name] = perplexity(fit, test)
    return found


def _items(
    trains: Sequence[pd.DataFrame], systems: Sequence[str], *, segments: bool
) -> list[ItemData]:
    """Training sets as items, with or without their segments."""
    hidden = [] if segments else ["segment"]
    return [item_data(t.drop(columns=hidden, errors="ignore"), systems) for t in trains]
