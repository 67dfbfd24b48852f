"""Preference models against each other (Hopkins & May 2013, section 8).

Each model is trained on k comparisons drawn from a track's training set and judged by its
perplexity on the test set. All models of a trial see the same k comparisons.
"""

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.preference.prediction import held_out_perplexities, require_models
from wmtlib.releases import ranking_releases
from wmtlib.releases.sources import Source
from wmtlib.releases.storage import atomic_write
from wmtlib.study import stamps

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
    sha256: tuple[str, str] = field(init=False, repr=False)  # of train and test

    def __post_init__(self) -> None:
        frames = (self.train, self.test)
        hashes = (pd.util.hash_pandas_object(f, index=False).to_numpy().tobytes() for f in frames)
        found = tuple(hashlib.sha256(data).hexdigest() for data in hashes)
        object.__setattr__(self, "sha256", found)


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


def trial(
    track: Track,
    size: int,
    number: int,
    models: Sequence[str],
    *,
    seed: int,
    unit: str,
    folder: Path | None = None,
) -> list[dict]:
    """Train every model on the same draw and return its perplexity on the test set.

    The draw depends on seed, task, size and trial number; it is the same whichever other tracks,
    sizes or models are in the grid. Each model has a generator of its own, for the same reason.
    A file in `folder` keeps what the trial has found, for grids with some of the same models.
    """
    kept = folder and folder / f"{_trial_key(track, size, number, seed, unit)}.json"
    known = json.loads(kept.read_text()) if kept and kept.exists() else {}
    key = zlib.crc32(f"{track.campaign}/{track.task}".encode())
    train = draw_training_set(
        track.train, size, np.random.default_rng([seed, key, size, number]), unit=unit
    )
    missing = [name for name in models if name not in known]
    found = known | held_out_perplexities(
        missing, train, track.test, systems=track.systems, seed=[seed, key, size, number]
    )
    if kept and missing:
        with atomic_write(kept) as partial:
            partial.write_text(json.dumps(found))
    track_of = {"campaign": track.campaign, "task": track.task}
    draw_of = {"size": size, "trial": number, "trained_on": len(train)}
    return [{**track_of, "model": name, **draw_of, "perplexity": found[name]} for name in models]


def _trial_key(track: Track, size: int, number: int, seed: int, unit: str) -> str:
    """SHA-256 of all that a trial depends on: comparisons, settings, the package."""
    depends = [track.campaign, track.task, *track.sha256, size, number, seed, unit]
    text = json.dumps([*depends, stamps.package_sha256()])
    return hashlib.sha256(text.encode()).hexdigest()


def grid(
    tracks: Iterable[Track],
    models: Sequence[str],
    *,
    sizes: Sequence[int] = SIZES,
    trials: int = TRIALS,
    seed: int = 2013,
    unit: str = "comparison",
    jobs: int | None = None,
    folder: Path | None = None,
) -> pd.DataFrame:
    """Perplexity of every model on every track, size and trial.

    Runs through joblib: under `joblib.parallel_config(backend=...)` it uses that backend, and the
    numbers are the same. With a `folder`, what an earlier grid has found there is not computed
    again.

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
    work = [(t, size, number) for t in tracks for size in sizes for number in range(trials)]
    done = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(trial)(*one, models, seed=seed, unit=unit, folder=folder) for one in work
    )
    return pd.DataFrame([row for rows in done for row in rows])


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


def ahead_from(
    perplexities: pd.DataFrame,
    campaign: str,
    model: str,
    others: Sequence[str],
    *,
    errors: float = 2,
) -> int | None:
    """Smallest size from which on a model predicts better than each of the others.

    Better: its perplexity is lower by more than `errors` standard errors of the difference, at
    that size and at every larger one. None if not even at the largest.
    """
    ahead = None
    gaps = [difference(perplexities, other, model).loc[campaign] for other in others]
    for size in sorted(gaps[0].index, reverse=True):
        if not all(g.loc[size, "difference"] > errors * g.loc[size, "error"] for g in gaps):
            break
        ahead = int(size)
    return ahead
