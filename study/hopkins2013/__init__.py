"""Hopkins & May (2013): preference models fitted to tracks, and how well they predict.

A track is one language pair of a campaign, with a training and a test set (section 4).
Every model is trained on k comparisons drawn from the training set and judged by its
perplexity on the test set (section 8). The values beside the printed ones are in
`beside_print`.
"""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import optimize, stats

from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013.variants import fit_collapsed, fit_deterministic
from study.run import keep
from wmtlib import irt, scorers
from wmtlib.core import sampling
from wmtlib.core.corrections import corrected, t_half_width
from wmtlib.core.counts import COMPARISON, REFERENCE, rows_of, tally, without
from wmtlib.core.errors import DataError
from wmtlib.cross_validation import require_models
from wmtlib.irt import CategoricalSettings, GaussianSettings, ItemResponseModel
from wmtlib.methods import METHODS, MODELS, model_generator
from wmtlib.models import PreferenceModel, from_scores, perplexity

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
GAUSSIAN = "irt-gaussian"
CATEGORICAL = "irt-categorical"
IRT = (GAUSSIAN, CATEGORICAL)
GEOMETRIC = "independent-students-geometric"
AVERAGED = ("independent-students-arithmetic", GEOMETRIC)
STUDENTS = ("independent-students-asymmetric", *AVERAGED)
BASELINES = ("adjusted-uniform", "independent-pairs", *STUDENTS)
TRAINED = (*BASELINES, *IRT)
# Of Figures 2 to 4.
CURVES = ("uniform", *BASELINES, "independent-students-geometric-as-printed", *IRT)
# Models that fit several training sets side by side, as one chain.
FIT_EACH = {GAUSSIAN: irt.fit_gaussian_each, CATEGORICAL: irt.fit_categorical_each}
SURE = 0.95  # posterior probability of an order
TABLE_1 = {"bbn": 1, "cmu": 4, "jhu": 2, "kit": 5, "uedin": 2}  # a fictional ranking


def fictional_ranking() -> pd.DataFrame:
    """Return the fictional ranking of Table 1, in the form of `counts.RANKINGS`."""
    ranked = pd.DataFrame(TABLE_1.items(), columns=["system", "rank"])
    return ranked.assign(task="fr-en", ranking=1, segment=1, judge="jdoe")


# --- tracks and training sets ---------------------------------------------------------


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


def dataset_sizes(tracks: Tracks) -> pd.DataFrame:
    """Count comparisons for training and testing of every track, as Table 3 does."""
    columns = {
        f"{year} {split}": [len(getattr(track, split)) for track in tracks[year]]
        for year in YEARS
        for split in ("train", "test")
    }
    return pd.DataFrame(columns, index=pd.Index([*TRACK_PAIRS], name="lp"))


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


# --- Figures 2 to 5: perplexity against the number of training comparisons ------------


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
    require_models(models)
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
        rows = trains if METHODS[model].rows else tallies
        fit = partial(MODELS[model], systems=track.systems)
        fits = [fit(train, rng=rng) for train, rng in zip(rows, rngs, strict=True)]
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


# --- Figure 6: abilities from several trainings ---------------------------------------


def train(track: Track, *, size: int, trainings: int, seed: int) -> pd.DataFrame:
    """Train IRT-Gaussian on some comparisons of a track, several times.

    Returns
    -------
    DataFrame
        Draws of the abilities, less the mean ability of the draw: comparisons say
        nothing about that. Index training, draw; a column for each system.
    """

    def abilities(track: Track, size: int, trainings: int, seed: int) -> pd.DataFrame:
        seeds = [[seed, k] for k in range(trainings)]
        trains = [
            draw_training_set(track.train, size, np.random.default_rng(numbers))
            for numbers in seeds
        ]
        rngs = [np.random.default_rng([*numbers, 1]) for numbers in seeds]
        fits = irt.fit_gaussian_each(irt.item_data(trains, track.systems), rngs=rngs)
        draws = np.array([fit.draws for fit in fits])
        draws -= draws.mean(axis=-1, keepdims=True)
        tables = [pd.DataFrame(table, columns=track.systems) for table in draws]
        return pd.concat(dict(enumerate(tables)), names=["training", "draw"])

    return track.kept("trainings", abilities, size, trainings, seed)


def ability_table(draws: pd.DataFrame) -> pd.DataFrame:
    """Tabulate Figure 6, left, from trainings: one row a system, best first.

    Returns
    -------
    DataFrame
        Index system; columns mean, sd (of the means over the trainings: the paper's
        error bars), posterior_sd (what a single training leaves open), gap (of the mean
        to the next) and above_next (posterior probability, over all trainings; both NaN
        for the last).
    """
    by_training = draws.groupby("training")
    means = by_training.mean()
    table = pd.DataFrame({"mean": means.mean(), "sd": means.std()})
    table["posterior_sd"] = by_training.std(ddof=0).mean()
    table = table.sort_values("mean", ascending=False).rename_axis("system")
    best_first = draws[table.index]
    chances = np.diag(above(best_first.to_numpy()), 1)
    gap = table["mean"] - table["mean"].shift(-1)
    return table.assign(gap=gap, above_next=[*chances, np.nan])


def above(draws: np.ndarray) -> np.ndarray:
    """Compute the share of draws in which the row's system is above the column's."""
    return (draws[:, :, None] > draws[:, None]).mean(axis=0)


def by_unit(
    comparisons: pd.DataFrame,
    systems: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Compare two systems from all comparisons, by what is resampled.

    The first row is IRT-Gaussian's posterior, which takes comparisons as independent
    given the qualities of the items. The others are Bradley-Terry on comparisons,
    rankings, segments or judges drawn with replacement: other units of the kind that
    was collected.

    Returns
    -------
    DataFrame
        Index resampled, pair; columns units (how many there are), above (probability
        that the first is better), difference (mean, on a logit scale; of the posterior:
        on the scale of abilities), low and high (95 % interval).
    """
    rng = np.random.default_rng(seed)
    posterior = fit_collapsed(
        comparisons, systems=systems, rng=rng, iterations=600, burn_in=100
    )
    samples = {
        "nothing: posterior of IRT-Gaussian": (len(comparisons), posterior.draws)
    }
    for unit in (COMPARISON, "ranking", "segment", "judge"):
        if unit == COMPARISON or unit in comparisons:
            resampler = sampling.resampler(comparisons, None, unit)
            resamples = resampler.samples(n_resamples, np.random.default_rng(seed))
            strengths = [
                METHODS["bradley-terry"].sample_scores(part) for part in resamples
            ]
            samples[unit] = (resampler.units, np.concatenate(strengths))
    rows = {}
    for (unit, (n_units, draws)), (a, b) in product(samples.items(), pairs):
        abilities = pd.DataFrame(draws, columns=posterior.systems)
        gap = abilities[a] - abilities[b]
        low, high = gap.quantile([0.025, 0.975])
        rows[unit, f"{a} above {b}"] = {
            "units": n_units,
            "above": (gap > 0).mean(),
            "difference": gap.mean(),
            "low": low,
            "high": high,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").astype({"units": int})
    return table.rename_axis(["resampled", "pair"])


# --- past the paper: which of many methods predicts best, compared in pairs -----------

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


def log_losses(model: PreferenceModel, test: pd.DataFrame) -> np.ndarray:
    """Compute -log2 Q(pi | a, b) of each comparison; perplexity is 2 to their mean."""
    rows = rows_of(test, model.systems)
    with np.errstate(divide="ignore"):  # what cannot be costs infinitely many bits
        chances = model.probabilities[rows.first, rows.second, rows.preference]
        return -np.log2(chances)


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
