"""Section 8: Experiments (Hopkins & May 2013), Figures 2 to 5, and section 9.

Perplexity against the number of training comparisons. Claims about the figures are read
where the curves end, at 3200 comparisons, and "close", "nearly" or "similar" mean
perplexities within 1 % of each other, unless a claim says otherwise. Figure 6 is in
`figure_6`.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from study.hopkins2013 import (
    AVERAGED,
    BASELINES,
    SIZES,
    SURE,
    TRAINED,
    TRIALS,
    Track,
    draw_training_set,
    irt,
)
from study.hopkins2013.figure_6 import above
from study.hopkins2013.registry import (
    FIT_EACH,
    IRT,
    MODELS,
    model_generator,
    title,
)
from study.scoreboard.verdicts import Values
from wmtlib.core.counts import tally
from wmtlib.cross_validation import require_models
from wmtlib.models import PreferenceModel, perplexity

SMALLEST = SIZES[0]
LARGEST = SIZES[-1]
IRT_TITLES = [*map(title, IRT)]
AVERAGED_TITLES = [*map(title, AVERAGED)]
GAUSSIAN_TITLE, CATEGORICAL_TITLE = IRT_TITLES
ARITHMETIC_TITLE, GEOMETRIC_TITLE = AVERAGED_TITLES


def grid(
    tracks: Iterable[Track],
    models: Sequence[str],
    *,
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    seed: int = 2013,
    unit: str = "comparison",
) -> pd.DataFrame:
    """Compute the perplexity of every model on every track, size and trial.

    A draw depends on seed, task, size and trial number; it is the same whichever other
    tracks, sizes or models are in the grid. Each model has a generator of its own, for
    the same reason. What an earlier grid has computed is not computed again (see
    `keep`).

    Returns
    -------
    DataFrame
        Columns campaign, task, model, size, trial, trained_on (comparisons there were),
        perplexity.

    Raises
    ------
    DataError
        A model that is unknown or named twice, or a size below one.
    """
    require_models(models, MODELS)
    rows = []
    for track, size in product(tracks, sizes):
        by_model = {
            model: track.kept("grid", _perplexities, size, model, trials, seed, unit)
            for model in models
        }
        trained_on = min(size, len(track.train))
        for trial, model in product(range(trials), models):
            perplexity_of_fit = by_model[model]["perplexity"][trial]
            fitted = (model, size, trial, trained_on, perplexity_of_fit)
            rows.append((track.campaign, track.task, *fitted))
    names = ["campaign", "task", "model", "size", "trial", "trained_on", "perplexity"]
    return pd.DataFrame(rows, columns=names)


@lru_cache(maxsize=1)  # for one model after the other
def _training_sets(
    track: Track, size: int, trials: int, seed: int, unit: str
) -> tuple[list[Any], list[pd.DataFrame], list[np.ndarray]]:
    """Draw training sets: seeds of each trial, comparisons, their `counts.tally`."""
    key = zlib.crc32(f"{track.campaign}/{track.task}".encode())
    seeds = [(seed, key, size, trial) for trial in range(trials)]
    rngs = map(np.random.default_rng, seeds)
    trains = [draw_training_set(track.train, size, rng, unit=unit) for rng in rngs]
    return seeds, trains, [tally(train, track.systems) for train in trains]


def _perplexities(
    track: Track, size: int, model: str, trials: int, seed: int, unit: str
) -> pd.DataFrame:
    """Compute the perplexity of one model in each trial (row)."""
    seeds, trains, tallies = _training_sets(track, size, trials, seed, unit)
    rngs = [model_generator(model, *numbers) for numbers in seeds]
    fits: Sequence[PreferenceModel]
    if model in FIT_EACH:
        fits = FIT_EACH[model](irt.item_data(trains, track.systems), rngs=rngs)
    else:
        fit = partial(MODELS[model], systems=track.systems)
        fits = [fit(train, rng=rng) for train, rng in zip(tallies, rngs, strict=True)]
    return pd.DataFrame({"perplexity": [perplexity(f, track.tested) for f in fits]})


def curves(perplexities: pd.DataFrame) -> pd.DataFrame:
    """Average perplexity over the tracks of a campaign, with its error over trials.

    Returns
    -------
    DataFrame
        Index campaign, model, size, sorted; columns perplexity (mean over trials of the
        mean over tracks) and error (standard error of that mean: what another set of
        trials would change, not another set of judgements).
    """
    keys = ["campaign", "model", "size"]
    per_trial = perplexities.groupby([*keys, "trial"])["perplexity"].mean()
    return per_trial.groupby(keys).agg(perplexity="mean", error="sem")


def above_everything(fewer: pd.DataFrame, everything: pd.DataFrame) -> pd.DataFrame:
    """Compute how far perplexities are above those of training on everything, in %.

    Parameters
    ----------
    fewer, everything : DataFrame
        Of `grid`, each at one size.

    Returns
    -------
    DataFrame
        A row for each model of `fewer`, a column for each campaign.
    """
    level, whole = (
        curves(part)["perplexity"].droplevel("size") for part in (fewer, everything)
    )
    return (100 * (level / whole - 1)).dropna().unstack("campaign")


def set_apart(tracks: Sequence[Track], *, seed: int) -> pd.Series:
    """Compute how much IRT-Gaussian is sure of after 1000 comparisons (section 9).

    Returns
    -------
    Series, index (campaign, task)
        Of the pairs of systems that training on everything sets apart (posterior
        probability of the order at least 0.95), the share that 1000 comparisons set
        apart the same way.
    """

    def share_sure(track: Track, seed: int, number: int) -> pd.DataFrame:
        """Compute the share for a track, a table of one cell."""
        rngs = [np.random.default_rng([seed, number, k]) for k in range(2)]
        some = draw_training_set(track.train, 1000, rngs[0])
        data = irt.item_data([some, track.train], track.systems)
        fits = irt.fit_gaussian_each(data, rngs=rngs)
        enough, everything = (above(fitted.draws) >= SURE for fitted in fits)
        share = (enough & everything).sum() / everything.sum()
        return pd.DataFrame({"share": [share]})

    shares = {}
    for number, track in enumerate(tracks):
        kept = track.kept("set-apart", share_sure, seed, number)
        shares[track.campaign, track.task] = kept["share"].item()
    return pd.Series(shares).rename_axis(["campaign", "task"])


# --- facts of the claims of sections 8 and 9 ------------------------------------------


def of_curves(
    measured: pd.DataFrame,
    *,
    no_reference: pd.DataFrame,
    enough: pd.DataFrame,
    everything: pd.DataFrame,
    apart: pd.Series,
) -> Values:
    """Compute values of Figures 2 to 5 and of the conclusion.

    Parameters
    ----------
    measured : DataFrame
        `grid` of `CURVES` on the tracks of `untuned`, at all sizes.
    no_reference : DataFrame
        The same of `IRT` and `AVERAGED`, at the largest size, on tracks
        `without_reference`.
    enough, everything : DataFrame
        The same of `TRAINED` on the expert tracks, from 1000 comparisons and from all
        there are.
    apart : Series
        Of `set_apart`.
    """
    means = _means(measured)
    whole = _means(everything).mean().droplevel("size")
    excess = 100 * (_means(enough).droplevel("size", axis=1) / whole - 1)
    crowd = _by_trial(means, _crowd)
    wmt10, wmt11 = (_best_by_trial(means[year]) for year in ("wmt10", "wmt11"))
    return {
        **dict.fromkeys(["H-8-03", "H-8-04"], wmt10),
        **dict.fromkeys(["H-8-05", "H-8-06"], wmt11),
        "H-8-07": _by_trial(means["wmt12"], _alike),
        "H-8-08": _by_trial(_means(no_reference), _references),
        **dict.fromkeys(["H-8-09", "H-F5-01", "H-F5-02", "H-F5-03", "H-9-02"], crowd),
        "H-9-01": _wrong_models(measured),
        # In the year where it is largest, least first.
        "H-9-03": _by_trial(
            excess, lambda mean: {"excess": mean.groupby("model").max().sort_values()}
        ),
        "apart": apart,
    }


def _means(measured: pd.DataFrame, index: str = "trial") -> pd.DataFrame:
    """Average perplexity of each trial, or task: columns (campaign, title, size)."""
    titled = measured.assign(model=measured["model"].map(title))
    return titled.pivot_table("perplexity", index, ["campaign", "model", "size"])


def _by_trial(means: pd.DataFrame, facts: Callable[[pd.Series], Values]) -> Values:
    """Compute facts of the mean over trials, and those of single trials."""
    return facts(means.mean()) | {"trials": [facts(row) for _, row in means.iterrows()]}


def _best_by_trial(means: pd.DataFrame) -> Values:
    """Compute `_best`, and the error over trials of what IRT-Categorical is above."""
    trials = pd.DataFrame([_best(row) for _, row in means.iterrows()])
    error = stats.sem(trials["categorical"] - trials["others"])
    return _by_trial(means, _best) | {"error": error}


def _best(mean: pd.Series) -> Values:
    """Find perplexities of a year, and from which size on IRT models settle."""
    lines = mean.unstack("size")
    level = lines[LARGEST]
    others = level.drop(IRT_TITLES)
    outside = lines.gt(1.01 * level, axis=0)
    settled = {
        model: next(size for size in lines if not outside.loc[model, size:].any())
        for model in IRT_TITLES
    }
    return {
        "gaussian": level[GAUSSIAN_TITLE],
        "categorical": level[CATEGORICAL_TITLE],
        "lowest": level.min(),
        "others": others.min(),
        "best_other": others.idxmin(),
        "settled": settled,
    }


def _alike(mean: pd.Series) -> Values:
    """Compute how far apart IRT and averaged Students models are, in %."""
    lines = mean.unstack("size")
    four = lines.loc[[*IRT_TITLES, *AVERAGED_TITLES]]
    spread = 100 * (four.max() / four.min() - 1)
    best = lines.loc[[*IRT_TITLES, ARITHMETIC_TITLE], LARGEST].min()
    above = 100 * (lines.loc["Geometric Students (as printed)", LARGEST] / best - 1)
    note = (
        "Geometric Students divided by its sum; the formula as printed, which does not"
        f" sum to one, is {above:.2f} % above the best of the others"
    )
    return {"spread": spread[LARGEST], "at_first": spread[SMALLEST], "note": note}


def _references(mean: pd.Series) -> Values:
    """Compare the better averaged Students model with the better IRT model, in %."""
    level = mean.droplevel("size").unstack("campaign")
    best_averaged = level.loc[AVERAGED_TITLES].min()
    best_irt = level.loc[IRT_TITLES].min()
    return {"gap": 100 * (best_averaged / best_irt - 1)}


def _crowd(mean: pd.Series) -> Values:
    """Compare models trained on the crowd with those trained on the experts.

    rise of the perplexity; share of the gain over Adjusted Uniform that is lost;
    IRT-Gaussian on the crowd above Geometric Students on experts, in %, at both ends.
    """
    level = mean.xs(LARGEST, level="size").unstack("campaign")
    rise = level["wmt10-crowd"] - level["wmt10"]
    gain = level.loc["Adjusted Uniform", "wmt10"] - level["wmt10"]
    others = [*map(title, BASELINES[1:])]
    crowd = mean["wmt10-crowd", GAUSSIAN_TITLE]
    distance = 100 * (crowd / mean["wmt10", GEOMETRIC_TITLE] - 1)
    return {
        "rise": rise[[*IRT_TITLES, *others]],
        "others": rise[others],
        "share": rise / gain,
        "distance": distance[LARGEST],
        "at_first": distance[SMALLEST],
    }


def _wrong_models(measured: pd.DataFrame) -> Values:
    """Find the model that loses most by training on the crowd, paired over tracks."""
    level = _means(measured, "task").xs(LARGEST, axis=1, level="size")
    rise = (level["wmt10-crowd"] - level["wmt10"]).dropna(how="all")
    rise = rise[[*map(title, TRAINED[1:])]].drop(columns=GAUSSIAN_TITLE)
    worst = rise.mean().idxmax()
    p = stats.ttest_1samp(rise[worst], 0, alternative="greater").pvalue
    return {"model": worst, "rise": rise[worst], "p": min(1, p * rise.shape[1])}
