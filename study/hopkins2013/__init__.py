"""Hopkins & May (2013): the models and the tracks that all sections share.

A track is one language pair of a campaign, with a training and a test set (section 4).
Every model is trained on k comparisons drawn from the training set and judged by its
perplexity on the test set (section 8). The rest is in modules that bear the names of
the paper's sections; `beside_print` joins the values of sections 1 to 8 for the
scoreboard.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013.registry import AS_PRINTED, IRT
from study.run import keep
from wmtlib.core.counts import REFERENCE, tally, without
from wmtlib.core.errors import DataError

SIZES = (100, 200, 400, 800, 1600, 3200)
TRIALS = 5
YEARS = ("wmt10", "wmt11", "wmt12")
TRACK_PAIRS = {  # Table 3's names and order
    "ce": "cs-en",
    "fe": "fr-en",
    "ge": "de-en",
    "se": "es-en",
    "ec": "en-cs",
    "ef": "en-fr",
    "eg": "en-de",
    "es": "en-es",
}
TUNED_ON = ("de-en", "en-de")  # footnote 13: WMT10 tracks that set the hyperparameters
GEOMETRIC = "independent-students-geometric"
AVERAGED = ("independent-students-arithmetic", GEOMETRIC)
STUDENTS = ("independent-students-asymmetric", *AVERAGED)
BASELINES = ("adjusted-uniform", "independent-pairs", *STUDENTS)
TRAINED = (*BASELINES, *IRT)
# Of Figures 2 to 4.
CURVES = ("uniform", *BASELINES, AS_PRINTED, *IRT)
SURE = 0.95  # posterior probability of an order


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

    @cached_property
    def tested(self) -> np.ndarray:
        """Return `counts.tally` of the test set."""
        return tally(self.test, self.systems)

    @cached_property
    def described(self) -> list[str]:
        """List all that a kept result can depend on; see `keep.result`."""
        hashes = [keep.frame_sha256(frame) for frame in (self.train, self.test)]
        return [self.campaign, self.task, *self.systems, *hashes]

    def kept(self, name: str, compute: Callable[..., Any], *settings: Any) -> Any:
        """Return `compute(self, *settings)`, from a file if it was computed before."""
        depends_on = [*self.described, *settings]
        return keep.result(name, depends_on, compute, self, *settings)

    def whole(self) -> pd.DataFrame:
        """Join training and test comparisons; of the crowd's tracks, the first."""
        if self.campaign.endswith("-crowd"):
            return self.train
        return pd.concat([self.train, self.test], ignore_index=True)


Tracks: TypeAlias = Mapping[str, Sequence[Track]]  # by campaign


def load_track(campaign: str, task: str, *, source: str | Source = "auto") -> Track:
    """Load a track; "wmt10-crowd" is tested on experts (Figure 5)."""
    tested = campaign.removesuffix("-crowd")
    train = ranking_releases.load_comparisons(
        campaign, task, source=source, split="train"
    )
    test = ranking_releases.load_comparisons(tested, task, source=source, split="test")
    systems = ranking_releases.load_counts(tested, task, source=source).systems
    return Track(campaign, task, train, test, tuple(systems))


def load_tracks(campaign: str, *, source: str | Source = "auto") -> list[Track]:
    """Load the eight tracks of a campaign, in the order of Table 3."""
    suffix = "-individual" if campaign == "wmt11" else ""
    return [
        load_track(campaign, pair + suffix, source=source)
        for pair in TRACK_PAIRS.values()
    ]


def untuned(tracks: Tracks) -> list[Track]:
    """Select the tracks behind Figures 2 to 4: those that set no hyperparameter."""
    return [
        track
        for of_campaign in tracks.values()
        for track in of_campaign
        if not (track.campaign.startswith("wmt10") and track.task in TUNED_ON)
    ]


def without_reference(track: Track) -> Track:
    """Return the same track, had the human reference not been ranked."""
    return replace(
        track,
        train=without(track.train, REFERENCE),
        test=without(track.test, REFERENCE),
        systems=tuple(name for name in track.systems if name != REFERENCE),
    )


def draw_training_set(
    train: pd.DataFrame,
    size: int,
    rng: np.random.Generator,
    *,
    unit: str = "comparison",
) -> pd.DataFrame:
    """Draw a training subset; the whole set if it is smaller (footnote 12).

    Parameters
    ----------
    unit : "comparison" or "ranking"
        Draw single comparisons as the paper did, or whole rankings, as they are
        collected, until there are `size` comparisons; the last ranking is cut to fit.

    Raises
    ------
    DataError
        A size below one.
    """
    if size < 1:
        raise DataError(f"cannot draw {size} comparisons; expected at least one")
    if unit == "comparison":
        rows = rng.permutation(len(train))[:size]
    else:
        codes, rankings = pd.factorize(train["ranking"])
        # Comparisons of one ranking stay together.
        place = rng.permutation(len(rankings))[codes]
        rows = np.argsort(place, kind="stable")[:size]
    return train.iloc[rows]
