"""Section 7: Item-Response Theoretic (IRT) Models (Hopkins & May 2013).

Their hyperparameters (footnote 13), and how soon Gibbs sampling converges. The models
are in `irt`, two more ways to the posterior in `variants`.
"""

import math
from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from study.hopkins2013 import Track, draw_training_set, irt
from study.hopkins2013.registry import FIT_EACH, title
from study.scoreboard.verdicts import Values
from wmtlib import models

RADII = (0.2, 0.3, 0.4, 0.5)
FIGURE_1 = pd.DataFrame(  # what its right half prints; the radius there is 0.5
    {
        "student": [14, 6],
        "ability": [-0.6, 0.4],
        "item": [43, 205],
        "quality": [-0.3, 0.2],
        "noise": [-0.12, 0.15],
    }
)
VARIED: dict[str, tuple[Any, Any]] = {
    "gaussian": (irt.fit_gaussian, irt.GaussianSettings()),
    "categorical": (irt.fit_categorical, irt.CategoricalSettings()),
}


TEN = 10  # runs of the criterion of H-7-04
RUNS = 30
LONG = "long run"
NEAR = 0.2  # per cent of a long run's perplexity


def figure_1(radius: float) -> tuple[pd.DataFrame, str]:
    """Compute what the judge of Figure 1 observes, and what the judge then says.

    Returns
    -------
    DataFrame
        `FIGURE_1` with a column observed: quality plus noise.
    str
        The preference: neither item if they look closer than the radius.
    """
    story = FIGURE_1.assign(observed=FIGURE_1["quality"] + FIGURE_1["noise"])
    apart = abs(story["observed"].diff().iloc[1])
    if apart < radius:
        return story, f"{apart:.2f} apart,\nless than {radius}:\nno preference"
    better = story.loc[story["observed"].idxmax(), "item"]
    said = f"{apart:.2f} apart,\nmore than {radius}:\nitem {better} is preferred"
    return story, said


def tuned_perplexities(tracks: Sequence[Track], seed: int) -> dict[str, pd.DataFrame]:
    """Compute mean test perplexities with other hyperparameters (footnote 13).

    Returns
    -------
    dict of DataFrame, each of one column
        tuned: IRT-Gaussian with each of `RADII`; gaussian, categorical: the models as
        printed, then with each value of `VARIED` halved, and doubled.
    """

    @cache
    def mean(name: str, option: str, value: float) -> float:
        perplexities = []
        for track in tracks:
            rng = np.random.default_rng(seed)
            fit = partial(VARIED[name][0], **{option: value})
            model = fit(track.train, systems=track.systems, rng=rng)
            perplexities.append(models.perplexity(model, track.tested))
        return float(np.mean(perplexities))

    tuned = {"tuned": [mean("gaussian", "radius", radius) for radius in RADII]}
    for name, (_, settings) in VARIED.items():
        tuned[name] = [mean(name, "radius", settings.radius)]
        for (option, value), factor in product(vars(settings).items(), (0.5, 2)):
            tuned[name].append(mean(name, option, type(value)(value * factor)))
    return {name: pd.DataFrame({"mean": means}) for name, means in tuned.items()}


def sampler_runs(track: Track, size: int, seed: int) -> pd.DataFrame:
    """Compute perplexities of runs as long as the paper's, and of a long one.

    All on the same `size` training comparisons.

    Returns
    -------
    DataFrame
        Index title of each model of `IRT`; columns 0 to 29 (200 iterations, the first
        50 left out) and "long run" (4000, the first 500 left out).
    """
    rng = np.random.default_rng(seed)
    train = draw_training_set(track.train, size, rng)
    rows = {}
    for model, fit_each in FIT_EACH.items():
        rngs = [np.random.default_rng([seed, k]) for k in range(RUNS + 1)]
        sets = irt.item_data([train] * RUNS, track.systems)
        fits = fit_each(sets, rngs=rngs[:RUNS])
        alone = irt.item_data([train], track.systems)
        fits += fit_each(alone, rngs=rngs[RUNS:], iterations=4000, burn_in=500)
        rows[title(model)] = [models.perplexity(fit, track.tested) for fit in fits]
    return pd.DataFrame(rows, [*map(str, range(RUNS)), LONG]).T.rename_axis("model")


def of_sampler(runs: pd.DataFrame) -> Values:
    """Compute values of section 7's sentence on Gibbs sampling from `sampler_runs`."""
    off = 100 * (runs.drop(columns=LONG).div(runs[LONG], axis=0) - 1)
    close = (off.abs() < NEAR).sum(axis=1)
    sets = close.map(lambda n: math.comb(n, TEN) / math.comb(RUNS, TEN))
    mean = off.mean(axis=1)
    return {"H-7-04": {"mean": mean, "near": NEAR, "close": close, "sets": sets}}
