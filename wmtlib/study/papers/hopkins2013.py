"""Preference models against each other (Hopkins & May 2013, section 8).

Each model is trained on k comparisons drawn from a track's training set and judged by its
perplexity on the test set. All models of a trial see the same k comparisons.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError
from wmtlib.models import tally
from wmtlib.resampling import held_out_perplexities, require_models
from wmtlib.study.releases import kept, ranking_releases
from wmtlib.study.releases.sources import Source

SIZES = (100, 200, 400, 800, 1600, 3200)
TRIALS = 5
PAPER = ("ce", "fe", "ge", "se", "ec", "ef", "eg", "es")  # Table 3's names and order
TRACK_PAIRS = ("cs-en", "fr-en", "de-en", "es-en", "en-cs", "en-fr", "en-de", "en-es")
TUNED_ON = ("de-en", "en-de")  # footnote 13: WMT10 tracks that set the hyperparameters


@dataclass(frozen=True, eq=False)
class Track:
    """One language pair of a campaign, split as the paper's section 4 says.

    Attributes
    ----------
    campaign, task : str
    train, test : DataFrame
        Comparisons; see `ranking_releases.load_comparisons`.
    systems : tuple of str
        All systems, sorted, the reference included where it was judged.
    """

    campaign: str
    task: str
    train: pd.DataFrame = field(repr=False)
    test: pd.DataFrame = field(repr=False)
    systems: tuple[str, ...] = field(repr=False)

    def described(self) -> list[Any]:
        """All that a result can depend on; see `kept`."""
        hashes = [kept.frame_sha256(frame) for frame in (self.train, self.test)]
        return [self.campaign, self.task, *self.systems, *hashes]


def load_track(campaign: str, task: str, *, source: str | Source = "auto") -> Track:
    """A track; "wmt10-crowd" trains on the crowd and is tested on the experts (Figure 5)."""
    tested = campaign.removesuffix("-crowd")
    train = ranking_releases.load_comparisons(campaign, task, source=source, split="train")
    test = ranking_releases.load_comparisons(tested, task, source=source, split="test")
    systems = ranking_releases.load_counts(tested, task, source=source).systems
    return Track(campaign, task, train, test, tuple(systems))


def load_tracks(campaign: str, *, source: str | Source = "auto") -> list[Track]:
    """The eight tracks of a campaign, in the order of Table 3."""
    suffix = "-individual" if campaign == "wmt11" else ""
    return [load_track(campaign, pair + suffix, source=source) for pair in TRACK_PAIRS]


def draw_training_set(
    train: pd.DataFrame, size: int, rng: np.random.Generator, *, unit: str = "comparison"
) -> pd.DataFrame:
    """Draw a training subset; the whole set if it is smaller (footnote 12).

    Parameters
    ----------
    unit : "comparison" or "ranking"
        Draw single comparisons as the paper did, or whole rankings, as they are collected, until
        there are `size` comparisons; the last ranking is cut to fit.

    Raises
    ------
    DataError
        A size below one, an unknown unit, or rankings that the data do not know.
    """
    if size < 1:
        raise DataError(f"cannot draw {size} comparisons; expected at least one")
    if unit == "comparison":
        rows = rng.permutation(len(train))[:size]
    elif unit != "ranking":
        raise DataError(f"unit is {unit!r}; expected comparison or ranking")
    elif "ranking" not in train:
        raise DataError("whole rankings can be drawn from the raw data only")
    else:
        codes, rankings = pd.factorize(train["ranking"])
        place = rng.permutation(len(rankings))[codes]  # comparisons of one ranking stay together
        rows = np.argsort(place, kind="stable")[:size]
    return train.iloc[rows]


def grid(
    tracks: Iterable[Track],
    models: Sequence[str],
    *,
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    seed: int = 2013,
    unit: str = "comparison",
) -> pd.DataFrame:
    """Perplexity of every model on every track, size and trial.

    A draw depends on seed, task, size and trial number; it is the same whichever other tracks,
    sizes or models are in the grid. Each model has a generator of its own, for the same reason.
    What an earlier grid has found is not computed again (see `kept`).

    Returns
    -------
    DataFrame
        Columns campaign, task, model, size, trial, trained_on (comparisons there were), perplexity.

    Raises
    ------
    DataError
        A model that is unknown or stands twice, or a size below one.
    """
    require_models(models)
    rows = []
    for track in tracks:
        cells = [(size, model) for size in sizes for model in models]
        of_all = [*track.described(), trials, seed, unit]
        found = kept.each(
            "grid",
            {cell: [*cell, *of_all] for cell in cells},
            partial(_perplexities, track, trials, seed, unit),
        )
        for size, number, model in product(sizes, range(trials), models):
            of_draw = {"size": size, "trial": number, "trained_on": min(size, len(track.train))}
            row = {"campaign": track.campaign, "task": track.task, "model": model, **of_draw}
            rows.append({**row, "perplexity": found[size, model][number]})
    return pd.DataFrame(rows)


def _perplexities(
    track: Track, trials: int, seed: int, unit: str, cells: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], list[float]]:
    """Of each cell (size, model), the perplexity in each trial.

    All models are trained on the same draws and judged by the track's test set.
    """
    key = zlib.crc32(f"{track.campaign}/{track.task}".encode())
    test = tally(track.test, track.systems)
    models_of: dict[int, tuple[str, ...]] = {}
    for size, model in cells:
        models_of[size] = (*models_of.get(size, ()), model)
    found: dict[tuple[int, str], list[float]] = {cell: [] for cell in cells}
    for models in dict.fromkeys(models_of.values()):
        sizes = [size for size in models_of if models_of[size] == models]
        draws = [*product(sizes, range(trials))]
        seeds = [[seed, key, *draw] for draw in draws]
        splits = [
            (draw_training_set(track.train, size, np.random.default_rng(own), unit=unit), test)
            for (size, _), own in zip(draws, seeds, strict=True)
        ]
        scored = held_out_perplexities(models, splits, systems=track.systems, seeds=seeds)
        for (size, _), perplexities in zip(draws, scored, strict=True):
            for model in models:
                found[size, model].append(perplexities[model])
    return found


def curves(perplexities: pd.DataFrame) -> pd.DataFrame:
    """Mean perplexity over the tracks of a campaign, and its Monte Carlo error over the trials.

    Returns
    -------
    DataFrame
        Index campaign, model, size, sorted; columns perplexity (mean over trials of the mean over
        tracks) and error (standard error of that mean: what another set of trials would change,
        not another set of judgements).
    """
    keys = ["campaign", "model", "size"]
    per_trial = perplexities.groupby([*keys, "trial"])["perplexity"].mean()
    grouped = per_trial.groupby(keys)
    return pd.DataFrame({"perplexity": grouped.mean(), "error": grouped.sem()})


def difference(perplexities: pd.DataFrame, model: str, other: str) -> pd.DataFrame:
    """How much higher a model's perplexity is than another's, trained on the same draws.

    Returns
    -------
    DataFrame
        Index campaign, size; columns difference (mean over trials of the mean over tracks), error
        (its standard error) and worse (share of tracks on which the mean difference is positive).
    """
    wide = perplexities.pivot_table(
        index=["campaign", "size", "task", "trial"], columns="model", values="perplexity"
    )
    gap = wide[model] - wide[other]
    per_trial = gap.groupby(["campaign", "size", "trial"]).mean().groupby(["campaign", "size"])
    per_track = gap.groupby(["campaign", "size", "task"]).mean().groupby(["campaign", "size"])
    return pd.DataFrame(
        {
            "difference": per_trial.mean(),
            "error": per_trial.sem(),
            "worse": per_track.agg(lambda gaps: (gaps > 0).mean()),
        }
    )
