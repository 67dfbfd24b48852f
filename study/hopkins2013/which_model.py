"""Past Hopkins & May (2013): which of many methods predicts best, compared in pairs."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from study.hopkins2013 import Track, irt
from study.hopkins2013.irt import (
    CategoricalSettings,
    GaussianSettings,
    ItemResponseModel,
)
from study.hopkins2013.registry import FIT_EACH, GAUSSIAN, IRT, MODELS, model_generator
from study.hopkins2013.section_4 import log_losses
from study.hopkins2013.variants import fit_deterministic
from study.statistics import t_half_width
from wmtlib import scorers
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import tally
from wmtlib.models import from_scores

FITTED = {name: f"{name}-fitted" for name in IRT}
MAIN = (FITTED[GAUSSIAN], "bradley-terry")  # the comparison named in advance
SETTLED = "irt-gaussian-deterministic"  # the same without the noise of a chain
DISTANCES = ("mfas", "bojar", "bojar-places")


def held_out(
    tracks: Sequence[Track], methods: Sequence[str], *, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train methods on whole training sets and keep their losses on the test sets.

    Parameters
    ----------
    tracks : sequence of Track
    methods : sequence of str
        Of `MODELS`, and "irt-gaussian-fitted", "irt-categorical-fitted" (see
        `fitted_radius`), "irt-gaussian-deterministic" (by expectation propagation, with
        that radius, for which "irt-gaussian-fitted" must be among the methods) and
        "bojar-places" (the order by Equation 3, without its distances).
    seed : int

    Returns
    -------
    DataFrame
        A row for each test segment, or for each test comparison where segments are not
        known; index campaign, task, unit. Columns comparisons (their number), and of
        each method the sum of -log2 Q over them.
    DataFrame
        Index campaign, task; the fitted radius of each of `IRT` (columns); NaN of one
        that is not among the methods.
    """
    losses = {}
    radii = {}
    for number, track in enumerate(tracks):
        kept = track.kept("held-out", _held_out, [*methods], [seed, number])
        name = (track.campaign, track.task)
        losses[name] = kept["losses"]
        radii[name] = kept["radii"].squeeze()
    names = ["campaign", "task"]
    return pd.concat(losses, names=names), pd.DataFrame(radii).T.rename_axis(names)


def _held_out(
    track: Track, methods: Sequence[str], seed: Sequence[int]
) -> dict[str, Any]:
    """Compute losses and radii of a track, as `held_out` gives them."""
    counted = tally(track.train, track.systems)
    models: dict[str, Any] = {}
    radii = dict.fromkeys(IRT, np.nan)
    items = irt.item_data([track.train], track.systems)
    for name, fit_each in FIT_EACH.items():
        if name in methods or FITTED[name] in methods:
            [models[name]] = fit_each(items, rngs=[model_generator(name, *seed)])
            radii[name] = fitted_radius(models[name], counted)
            rngs = [model_generator(name, *seed, 1)]
            [models[FITTED[name]]] = fit_each(items, rngs=rngs, radius=radii[name])
    if SETTLED in methods:
        models[SETTLED] = fit_deterministic(
            track.train, systems=track.systems, radius=radii[GAUSSIAN]
        )
    from_counts: dict[str, Any] = {
        **MODELS,
        "bojar-places": partial(from_scores, bojar_places),
    }
    for name in {*methods}.difference(models):
        rng = model_generator(name, *seed)
        models[name] = from_counts[name](counted, systems=track.systems, rng=rng)
    losses = pd.DataFrame(
        {name: log_losses(models[name], track.test) for name in methods}
    )
    units = losses.index
    if "segment" in track.test:
        units, _ = pd.factorize(track.test["segment"])
    return {
        "losses": losses.assign(comparisons=1).groupby(units).sum(),
        "radii": pd.DataFrame([radii]),
    }


def fitted_radius(model: ItemResponseModel, seen: np.ndarray) -> float:
    """Find the tie radius of greatest likelihood of the training preferences.

    The abilities stay as they were drawn.

    The paper set the radius once, on two tracks (footnote 13). Bradley-Terry and the
    models made of scores fit their tie parameter to every training set; this gives the
    item-response models the same freedom: fit, take this radius, and fit again with it.
    On tracks of WMT10-12 a second round moves the radius of IRT-Gaussian by less than
    0.003, that of IRT-Categorical by 0.03 on average.

    Parameters
    ----------
    model : ItemResponseModel
        Fitted by Gibbs sampling, with any radius and the paper's other settings.
    seen : ndarray
        `counts.tally` of what it was fitted to.
    """
    settings: type[Any] = GaussianSettings
    probabilities: Callable[..., np.ndarray] = irt.gaussian_probabilities
    if "levels" in model.settings:
        settings = CategoricalSettings
        probabilities = irt.categorical_probabilities
    met = seen > 0

    def loss(radius: float) -> float:
        chance = probabilities(model.draws, settings(radius=radius))
        return -float(seen[met] @ np.log(np.maximum(chance[met], 1e-300)))

    optimum = optimize.minimize_scalar(
        loss, bounds=(0, 3), method="bounded", options={"xatol": 1e-3}
    )
    return float(optimum.x)


def bojar_places(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute places, from the bottom, by Equation 3 of Lopez (2012); NaN as there."""
    return stats.rankdata(scorers.bojar(wins, ties), axis=-1, nan_policy="omit")


def method_perplexities(losses: pd.DataFrame) -> pd.DataFrame:
    """Compute the perplexity of every method (column) on every track (row).

    Parameters
    ----------
    losses : DataFrame
        Of `held_out`.
    """
    sums = losses.groupby(["campaign", "task"], sort=False).sum()
    return 2 ** sums.div(sums.pop("comparisons"), axis=0)


def _mean_difference(gaps: Any) -> dict[str, Any]:
    """Average differences of two methods over tracks (rows), with a 95 % t interval."""
    mean = gaps.mean()
    half_width = t_half_width(gaps)
    return {"difference": mean, "low": mean - half_width, "high": mean + half_width}


def compare_methods(
    losses: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compute differences of mean perplexity between methods, paired over tracks.

    They have two errors: that of other tracks (t interval and Wilcoxon test over the
    tracks), and that of other test segments of the same tracks (bootstrap of whole
    segments).

    Parameters
    ----------
    losses : DataFrame
        Of `held_out`, on at least two tracks.
    pairs : sequence of (method, other)
        The first is the main comparison: its p-value stays as it is; those of the
        others are corrected for their number (Holm).
    n_resamples : int
        Of the test segments.

    Returns
    -------
    DataFrame
        Index method, other; columns difference (below zero: the method predicts
        better), low, high (95 % t interval over tracks), segments_error (standard error
        over test segments), better (tracks on which the method predicts better),
        tracks, p (Wilcoxon) and p_holm.
    """

    def differences(level: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({(a, b): level[a] - level[b] for a, b in pairs})

    resampled = []
    for _, of_track in losses.groupby(["campaign", "task"], sort=False):
        units = len(of_track)
        times = rng.multinomial(units, np.full(units, 1 / units), size=n_resamples)
        sums = pd.DataFrame(times @ of_track.to_numpy(), columns=of_track.columns)
        resampled.append(2 ** sums.div(sums["comparisons"], axis=0))
    gaps = differences(method_perplexities(losses))
    p = gaps.apply(lambda gap: stats.wilcoxon(gap).pvalue)
    columns = {
        **_mean_difference(gaps),
        "segments_error": differences(sum(resampled) / len(resampled)).std(),
        "better": (gaps < 0).sum(),
        "tracks": len(gaps),
        "p": p,
        "p_holm": [p.iloc[0], *corrected(p[1:], "holm")],
    }
    return pd.DataFrame(columns).rename_axis(["method", "other"])


def pairs(methods: Sequence[str]) -> list[tuple[str, str]]:
    """List the main comparison, all others with the same method, explanations."""
    against = MAIN[1]
    others = [(method, against) for method in methods if method not in MAIN]
    fitted = [(name, model) for model, name in FITTED.items()]
    mfas, bojar, places = DISTANCES
    distances = [(mfas, bojar), (places, bojar), (mfas, places)]
    return [MAIN, *others, ("rao-kupper", SETTLED), *fitted, *distances]


def told_from_best(losses: pd.DataFrame) -> pd.DataFrame:
    """Find the best method on some tracks, and those that are not told from it.

    Parameters
    ----------
    losses : DataFrame
        Of `held_out`.

    Returns
    -------
    DataFrame
        Of each method, best first: its mean perplexity and, of the difference from the
        best one, the mean and its 95 % t interval over the tracks (difference, low,
        high). Methods are not told apart where low is at most zero.
    """
    perplexities = method_perplexities(losses)
    level = perplexities.mean().sort_values()
    gap = perplexities.sub(perplexities[level.index[0]], axis=0)
    return pd.DataFrame({"perplexity": level, **_mean_difference(gap)}, level.index)


def loss_of_distances(
    losses: Mapping[str, pd.DataFrame],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compute how much worse the MFAS order predicts than Equation 3, and why.

    Parameters
    ----------
    losses : mapping of a name to DataFrame
        Of `held_out`, with the methods `DISTANCES`.
    n_resamples : int
        Bootstrap samples of tracks, for the interval of the share.

    Returns
    -------
    DataFrame, one row a name
        tracks; difference of perplexity with low and high (95 %, t over tracks); share
        of it that Equation 3 loses when only its places stay, with share_low and
        share_high (95 %).
    """
    rows = {}
    for name, of_tracks in losses.items():
        level = method_perplexities(of_tracks)
        mfas, bojar, places = (level[method].to_numpy() for method in DISTANCES)
        gap = mfas - bojar
        lost = places - bojar
        drawn = rng.integers(len(gap), size=(n_resamples, len(gap)))
        shares = lost[drawn].sum(axis=1) / gap[drawn].sum(axis=1)
        share_low, share_high = np.quantile(shares, [0.025, 0.975])
        rows[name] = {
            "tracks": len(gap),
            **_mean_difference(pd.Series(gap)),
            "share": lost.sum() / gap.sum(),
            "share_low": share_low,
            "share_high": share_high,
        }
    return pd.DataFrame(rows).T.astype({"tracks": int})


def with_shares(lost: pd.DataFrame) -> pd.DataFrame:
    """Name the rows of `loss_of_distances` in words, for a picture.

    Returns
    -------
    DataFrame
        Index tracks (with the share), method; columns value, low, high.
    """
    rows = []
    for name, share in lost["share"].items():
        tracks = str(name).replace("wmt", "WMT")
        rows.append((f"{tracks} ({100 * share:.0f} %)", "MFAS"))
    table = lost[["difference", "low", "high"]].set_axis(
        pd.MultiIndex.from_tuples(rows)
    )
    return table.rename(columns={"difference": "value"})
