"""Hopkins & May (2013): preference models fitted to tracks, and how well they predict.

A track is one language pair of a campaign, with a training and a test set (section 4).
Every model is trained on k comparisons drawn from the training set and judged by its
perplexity on the test set (section 8). The values beside the printed ones are in
`hopkins2013_values`.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from wmtlib import bradley_terry, irt, scorers
from wmtlib import counts as counting
from wmtlib.corrections import corrected, t_half_width
from wmtlib.counts import REFERENCE
from wmtlib.errors import DataError
from wmtlib.irt import CategoricalSettings, GaussianSettings, ItemResponseModel
from wmtlib.methods import MODELS, generator
from wmtlib.models import from_scores, log_losses, tally
from wmtlib.resampling import held_out_perplexity, require_models
from wmtlib.study.papers import hopkins2013_variants
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source
from wmtlib.study.running import keep

SIZES = (100, 200, 400, 800, 1600, 3200)
TRIALS = 5
YEARS = ("wmt10", "wmt11", "wmt12")
TABLE_3_NAMES = (
    "ce",
    "fe",
    "ge",
    "se",
    "ec",
    "ef",
    "eg",
    "es",
)  # Table 3's names and order
TRACK_PAIRS = ("cs-en", "fr-en", "de-en", "es-en", "en-cs", "en-fr", "en-de", "en-es")
TUNED_ON = ("de-en", "en-de")  # footnote 13: WMT10 tracks that set the hyperparameters
GAUSSIAN, CATEGORICAL = IRT = ("irt-gaussian", "irt-categorical")
STUDENTS = tuple(
    f"independent-students-{k}" for k in ("asymmetric", "arithmetic", "geometric")
)
ARITHMETIC, GEOMETRIC = AVERAGED = STUDENTS[1:]
TRAINED = ("adjusted-uniform", "independent-pairs", *STUDENTS, *IRT)
AS_PRINTED = "independent-students-geometric-as-printed"
CURVES = ("uniform", *TRAINED[:5], AS_PRINTED, *IRT)  # of Figures 2 to 4
ENOUGH = 1000  # comparisons, section 9
SURE = 0.95  # posterior probability of an order
TABLE_1 = {"bbn": 1, "cmu": 4, "jhu": 2, "kit": 5, "uedin": 2}  # a fictional ranking


def fictional_ranking() -> pd.DataFrame:
    """The fictional ranking of Table 1, in the form of `counts.RANKINGS`."""
    ranked = pd.DataFrame({"system": [*TABLE_1], "rank": [*TABLE_1.values()]})
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

    def described(self) -> list[Any]:
        """All that a result can depend on; see `kept`."""
        hashes = [keep.frame_sha256(frame) for frame in (self.train, self.test)]
        return [self.campaign, self.task, *self.systems, *hashes]

    def whole(self) -> pd.DataFrame:
        """Training and test comparisons; the crowd's tracks have the experts' test set."""
        if self.campaign.endswith("-crowd"):
            return self.train
        return pd.concat([self.train, self.test], ignore_index=True)


def load_track(campaign: str, task: str, *, source: str | Source = "auto") -> Track:
    """A track; "wmt10-crowd" trains on the crowd and is tested on the experts (Figure 5)."""
    tested = campaign.removesuffix("-crowd")
    train = ranking_releases.load_comparisons(
        campaign, task, source=source, split="train"
    )
    test = ranking_releases.load_comparisons(tested, task, source=source, split="test")
    systems = ranking_releases.load_counts(tested, task, source=source).systems
    return Track(campaign, task, train=train, test=test, systems=tuple(systems))


def load_tracks(campaign: str, *, source: str | Source = "auto") -> list[Track]:
    """The eight tracks of a campaign, in the order of Table 3."""
    suffix = "-individual" if campaign == "wmt11" else ""
    return [load_track(campaign, pair + suffix, source=source) for pair in TRACK_PAIRS]


def untuned(tracks: Mapping[str, Sequence[Track]]) -> list[Track]:
    """The tracks behind Figures 2 to 4: those that set the hyperparameters are left out."""
    every = [track for chosen in tracks.values() for track in chosen]
    return [
        t for t in every if not t.campaign.startswith("wmt10") or t.task not in TUNED_ON
    ]


def without_reference(track: Track) -> Track:
    """The same track, had the human reference not been ranked."""
    ranked = (counting.without(part, REFERENCE) for part in (track.train, track.test))
    train, test = (part.reset_index(drop=True) for part in ranked)
    systems = tuple(name for name in track.systems if name != REFERENCE)
    return replace(track, train=train, test=test, systems=systems)


def dataset_sizes(tracks: Mapping[str, Sequence[Track]]) -> pd.DataFrame:
    """Comparisons for training and testing of every track, laid out as Table 3."""
    columns = {
        f"{year} {part}": [len(getattr(track, part)) for track in tracks[year]]
        for year in YEARS
        for part in ("train", "test")
    }
    return pd.DataFrame(columns, index=pd.Index(TABLE_3_NAMES, name="lp"))


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
        place = rng.permutation(len(rankings))[
            codes
        ]  # comparisons of one ranking stay together
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
    """Perplexity of every model on every track, size and trial.

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
        A model that is unknown or stands twice, or a size below one.
    """
    require_models(models)
    rows = []
    for track in tracks:
        described, cells = track.described(), {}
        for cell in product(sizes, models):
            settings, draws = [*cell, *described], (trials, seed, unit)
            rest = track, *cell, *draws
            cells[cell] = keep.result("grid", [*settings, *draws], _perplexities, *rest)
        for size, trial, model in product(sizes, range(trials), models):
            trained_on, perplexity = (
                min(size, len(track.train)),
                cells[size, model][trial],
            )
            rows.append(
                (track.campaign, track.task, model, size, trial, trained_on, perplexity)
            )
    names = ["campaign", "task", "model", "size", "trial", "trained_on", "perplexity"]
    return pd.DataFrame(rows, columns=names)


def _perplexities(
    track: Track, size: int, model: str, trials: int, seed: int, unit: str
) -> list[float]:
    """Perplexity of one model in each trial; all models are trained on the same draws."""
    key = zlib.crc32(f"{track.campaign}/{track.task}".encode())
    test = tally(track.test, track.systems)
    perplexities = []
    for trial in range(trials):
        own = [seed, key, size, trial]
        train = draw_training_set(
            track.train, size, np.random.default_rng(own), unit=unit
        )
        about = {"systems": track.systems, "seed": own}
        perplexities.append(held_out_perplexity(model, train, test, **about))
    return perplexities


def curves(perplexities: pd.DataFrame) -> pd.DataFrame:
    """Mean perplexity over the tracks of a campaign, and its Monte Carlo error over the trials.

    Returns
    -------
    DataFrame
        Index campaign, model, size, sorted; columns perplexity (mean over trials of the
        mean over tracks) and error (standard error of that mean: what another set of
        trials would change, not another set of judgements).
    """
    keys = ["campaign", "model", "size"]
    per_trial = perplexities.groupby([*keys, "trial"])["perplexity"].mean()
    grouped = per_trial.groupby(keys)
    return pd.DataFrame({"perplexity": grouped.mean(), "error": grouped.sem()})


def set_apart(tracks: Sequence[Track], *, seed: int) -> pd.Series:
    """How much of what IRT-Gaussian is sure of can be had from 1000 comparisons (section 9).

    Returns
    -------
    Series, index (campaign, task)
        Of the pairs of systems that training on everything sets apart (posterior
        probability of the order at least 0.95), the share that 1000 comparisons set
        apart the same way.
    """
    shares = {}
    for number, track in enumerate(tracks):
        settings, drawn = [*track.described(), seed, number], [seed, number]
        share = keep.result("set-apart", settings, _share_set_apart, track, drawn)
        shares[track.campaign, track.task] = share
    return pd.Series(shares).rename_axis(["campaign", "task"])


def _share_set_apart(track: Track, seed: Sequence[int]) -> float:
    rngs = [np.random.default_rng([*seed, k]) for k in range(2)]
    some = draw_training_set(track.train, ENOUGH, rngs[0])
    few, whole = (
        above(irt.fit_gaussian(part, systems=track.systems, rng=rng).draws) >= SURE
        for part, rng in zip((some, track.train), rngs, strict=True)
    )
    return float((few & whole).sum() / whole.sum())


# --- Figure 6: abilities from several trainings ---------------------------------------


@dataclass(frozen=True, eq=False)
class Trainings:
    """IRT-Gaussian trained on several random subsets of a track.

    Attributes
    ----------
    systems : tuple of n names, sorted
    draws : ndarray (trainings, kept iterations, n)
        Abilities, less the mean ability of the draw: comparisons say nothing about
        that.
    probabilities : ndarray (trainings, n, n, 3)
        Of `PreferenceModel`.
    """

    systems: tuple[str, ...]
    draws: np.ndarray = field(repr=False)
    probabilities: np.ndarray = field(repr=False)

    @property
    def means(self) -> pd.DataFrame:
        """Mean ability of each system (column) in each training (row)."""
        return pd.DataFrame(self.draws.mean(axis=1), columns=self.systems)

    def first(self, number: int) -> "Trainings":
        """The first few trainings."""
        return Trainings(self.systems, self.draws[:number], self.probabilities[:number])

    def table(self) -> pd.DataFrame:
        """Figure 6, left: one row a system, best first.

        Returns
        -------
        DataFrame
            Index system; columns mean, sd (of the means over the trainings: the paper's
            error bars) and posterior_sd (what a single training leaves open).
        """
        columns = {
            "mean": self.means.mean(),
            "sd": self.means.std(),
            "posterior_sd": pd.Series(
                self.draws.std(axis=1).mean(axis=0), self.systems
            ),
        }
        return (
            pd.DataFrame(columns)
            .sort_values("mean", ascending=False)
            .rename_axis("system")
        )

    def above(self) -> np.ndarray:
        """Posterior probability that one is more able, (trainings, row's system, column's)."""
        return np.array([above(draws) for draws in self.draws])

    def neighbours(self) -> pd.DataFrame:
        """The gap of each system to the next, and how likely it is to be above it.

        Returns
        -------
        DataFrame
            Index system, best first; columns gap (of the mean abilities) and above_next
            (posterior probability, over all trainings); NaN for the last.
        """
        mean = self.table()["mean"]
        place = [self.systems.index(name) for name in mean.index]
        chance = self.above().mean(axis=0)[place[:-1], place[1:]]
        return pd.DataFrame(
            {"gap": mean - mean.shift(-1), "above_next": [*chance, np.nan]}
        )


def above(draws: np.ndarray) -> np.ndarray:
    """Share of the draws in which the row's system is more able than the column's."""
    return (draws[:, :, None] > draws[:, None]).mean(axis=0)


def train(track: Track, *, size: int, trainings: int, seed: int) -> Trainings:
    """Train IRT-Gaussian on some comparisons of a track, several times."""
    settings = [*track.described(), size, trainings, seed]
    found = keep.result("trainings", settings, _train, track, size, trainings, seed)
    return Trainings(track.systems, *found)


def _train(track: Track, size: int, trainings: int, seed: int) -> list[np.ndarray]:
    draws, probabilities = [], []
    for k in range(trainings):
        some = draw_training_set(track.train, size, np.random.default_rng([seed, k]))
        rng = np.random.default_rng([seed, k, 1])
        model = irt.fit_gaussian(some, systems=track.systems, rng=rng)
        draws.append(model.draws - model.draws.mean(axis=1, keepdims=True))
        probabilities.append(model.probabilities)
    return [np.array(draws), np.array(probabilities)]


def by_unit(
    comparisons: pd.DataFrame,
    systems: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Is one system better than another, if all comparisons are used? By what is resampled.

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
    steps = {"iterations": 600, "burn_in": 100}
    rng = np.random.default_rng(seed)
    posterior = hopkins2013_variants.fit_collapsed(
        comparisons, systems=systems, rng=rng, **steps
    )
    samples = {
        "nothing: posterior of IRT-Gaussian": (len(comparisons), posterior.draws)
    }
    options = {"ties": "davidson", "prior": bradley_terry.PRIOR}
    for unit in (counting.COMPARISON, "ranking", "segment", "judge"):
        if unit == counting.COMPARISON or unit in comparisons:
            drawn = bradley_terry.resampler(comparisons, None, unit)
            parts = drawn.samples(n_resamples, np.random.default_rng(seed))
            scores = [
                bradley_terry.resampled_strengths(part, None, **options)
                for part in parts
            ]
            samples[unit] = (drawn.units, np.concatenate(scores))
    rows, place = {}, {name: k for k, name in enumerate(sorted(systems))}
    for (unit, (units, scores)), (a, b) in product(samples.items(), pairs):
        gap = scores[:, place[a]] - scores[:, place[b]]
        low, high = np.quantile(gap, [0.025, 0.975])
        rows[unit, f"{a} above {b}"] = [units, (gap > 0).mean(), gap.mean(), low, high]
    columns = ["units", "above", "difference", "low", "high"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table.index = pd.MultiIndex.from_tuples(rows, names=["resampled", "pair"])
    return table.astype({"units": int})


# --- past the paper: which of many methods predicts best, compared in pairs over the tr

ITEM_RESPONSE = {GAUSSIAN: irt.fit_gaussian, CATEGORICAL: irt.fit_categorical}
FITTED = {name: f"{name}-fitted" for name in ITEM_RESPONSE}
MAIN = (FITTED[GAUSSIAN], "bradley-terry")  # the comparison that was named in advance
SETTLED = "irt-gaussian-deterministic"  # the same posterior and radius, without the chain's noise
DISTANCES = ("mfas", "bojar", "bojar-places")
WIDEST, TOLERANCE = 3.0, 1e-3  # of a radius


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How well each method predicts the test comparisons of a track.

    Attributes
    ----------
    campaign, task : str
    comparisons : ndarray (units,)
        Test comparisons of each segment; single comparisons where segments are not
        known.
    bits : DataFrame, units x methods
        Sum of -log2 Q over the test comparisons of the unit.
    radii : dict of str to float
        The fitted radius of each item-response model among the methods.
    """

    campaign: str
    task: str
    comparisons: np.ndarray = field(repr=False)
    bits: pd.DataFrame = field(repr=False)
    radii: dict[str, float] = field(default_factory=dict)

    @property
    def perplexities(self) -> pd.Series:
        """Of each method."""
        return 2 ** (self.bits.sum() / self.comparisons.sum())

    def resampled(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Perplexities (samples, methods) of test sets made of units drawn with replacement."""
        units = len(self.comparisons)
        times = rng.multinomial(units, np.full(units, 1 / units), size=number)
        return 2 ** (times @ self.bits.to_numpy() / (times @ self.comparisons)[:, None])


def held_out(
    tracks: Sequence[Track], methods: Sequence[str], *, seed: int
) -> list[HeldOut]:
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
    """
    tested = []
    for number, track in enumerate(tracks):
        settings = [*track.described(), *methods, seed, number]
        parts = keep.result(
            "held-out", settings, _held_out, track, methods, [seed, number]
        )
        tested.append(HeldOut(track.campaign, track.task, **parts))
    return tested


def _held_out(
    track: Track, methods: Sequence[str], seed: Sequence[int]
) -> dict[str, Any]:
    counted = tally(track.train, track.systems)
    models, radii = {}, {}
    for name in (name for name in ITEM_RESPONSE if {name, FITTED[name]} & {*methods}):
        fit = partial(ITEM_RESPONSE[name], track.train, systems=track.systems)
        models[name] = fit(rng=generator(name, *seed))
        radii[name] = fitted_radius(models[name], counted)
        models[FITTED[name]] = fit(rng=generator(name, *seed, 1), radius=radii[name])
    if SETTLED in methods:
        options = {"systems": track.systems, "radius": radii[GAUSSIAN]}
        models[SETTLED] = hopkins2013_variants.fit_deterministic(track.train, **options)
    for name in methods:
        if name not in models:
            fit = (
                partial(from_scores, bojar_places)
                if name == "bojar-places"
                else MODELS[name]
            )
            models[name] = fit(
                counted, systems=track.systems, rng=generator(name, *seed)
            )
    losses = {name: log_losses(models[name], track.test) for name in methods}
    units = np.arange(len(track.test))
    if "segment" in track.test:
        units = pd.factorize(track.test["segment"])[0]
    bits = pd.DataFrame(losses).groupby(units).sum()
    return {"comparisons": np.bincount(units), "bits": bits, "radii": radii}


def fitted_radius(model: ItemResponseModel, seen: np.ndarray) -> float:
    """The tie radius of greatest likelihood of the training preferences, abilities as they are.

    The paper set the radius once, on two tracks (footnote 13). Bradley-Terry and the
    models made of scores fit their tie parameter to every training set; this gives the
    item-response models the same freedom: fit, take this radius, and fit again with it.
    On tracks of WMT10-12 a second round moves the radius of IRT-Gaussian by less than
    0.003, that of IRT-Categorical by 0.03 on average.

    Parameters
    ----------
    model : ItemResponseModel
        Fitted by Gibbs sampling, with any radius.
    seen : ndarray
        `models.tally` of what it was fitted to.
    """
    probabilities, kind = irt.gaussian_probabilities, GaussianSettings
    if "levels" in model.settings:
        probabilities, kind = irt.categorical_probabilities, CategoricalSettings
    settings = kind(**{f.name: model.settings[f.name] for f in fields(kind)})
    met = seen > 0

    def loss(radius: float) -> float:
        chance = probabilities(model.draws, replace(settings, radius=radius))
        return -float(seen[met] @ np.log(np.maximum(chance[met], 1e-300)))

    options = {
        "bounds": (0, WIDEST),
        "method": "bounded",
        "options": {"xatol": TOLERANCE},
    }
    return float(optimize.minimize_scalar(loss, **options).x)


def bojar_places(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Places, counted from the bottom, by Equation 3 of Lopez (2012); NaN as there."""
    scores = scorers.bojar(wins, ties)
    places = stats.rankdata(scores, axis=-1, nan_policy="omit")
    return np.where(np.isnan(scores), np.nan, places)


def method_perplexities(tested: Sequence[HeldOut]) -> pd.DataFrame:
    """Perplexity of every method (column) on every track (index campaign, task)."""
    table = pd.DataFrame(
        {(track.campaign, track.task): track.perplexities for track in tested}
    )
    return table.T.rename_axis(["campaign", "task"])


def compare_methods(
    tested: Sequence[HeldOut],
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Differences of mean perplexity between two methods, paired over tracks.

    They have two errors: that of other tracks (t interval and Wilcoxon test over the
    tracks), and that of other test segments of the same tracks (bootstrap of whole
    segments).

    Parameters
    ----------
    tested : sequence of HeldOut
        At least two tracks.
    pairs : sequence of (method, other)
        The first is the main comparison: its p-value stands as it is; those of the
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
    level = method_perplexities(tested)
    samples = np.mean([track.resampled(n_resamples, rng) for track in tested], axis=0)
    resampled = pd.DataFrame(samples, columns=tested[0].bits.columns)
    rows = []
    for method, other in pairs:
        gap = level[method] - level[other]
        mean, half = gap.mean(), t_half_width(gap)
        error = (resampled[method] - resampled[other]).std()
        better, p = int((gap < 0).sum()), stats.wilcoxon(gap).pvalue
        rows.append((mean, mean - half, mean + half, error, better, len(gap), p))
    columns = ["difference", "low", "high", "segments_error", "better", "tracks", "p"]
    index = pd.MultiIndex.from_tuples(pairs, names=["method", "other"])
    table = pd.DataFrame(rows, index, columns)
    return table.assign(
        p_holm=[table["p"].iloc[0], *corrected(table["p"].to_numpy()[1:], "holm")]
    )


def pairs(methods: Sequence[str]) -> list[tuple[str, str]]:
    """The main comparison, every other method against the same one, and what explains what."""
    one = MAIN[1]
    others = [(method, one) for method in methods if method not in MAIN]
    fitted = [(name, model) for model, name in FITTED.items()]
    mfas, bojar, places = DISTANCES
    explain = [
        ("rao-kupper", SETTLED),
        *fitted,
        (mfas, bojar),
        (places, bojar),
        (mfas, places),
    ]
    return [MAIN, *others, *explain]


def loss_of_distances(
    tested: Mapping[str, Sequence[HeldOut]],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """How much worse the MFAS order predicts than Equation 3, and what its places explain of it.

    Parameters
    ----------
    tested : mapping of a name to tracks
        With the methods `DISTANCES`.
    n_resamples : int
        Bootstrap samples of tracks, for the interval of the share.

    Returns
    -------
    DataFrame, one row a name
        tracks; difference of perplexity with low and high (95 %, t over tracks); share
        of it that Equation 3 loses when only its places are kept, with share_low and
        share_high (95 %).
    """
    rows = {}
    for name, part in tested.items():
        mfas, bojar, places = (
            method_perplexities(part)[m].to_numpy() for m in DISTANCES
        )
        gap, lost, size = mfas - bojar, places - bojar, len(part)
        drawn = rng.integers(size, size=(n_resamples, size))
        low, high = np.quantile(
            lost[drawn].sum(axis=1) / gap[drawn].sum(axis=1), [0.025, 0.975]
        )
        half = t_half_width(pd.Series(gap))
        row = {"tracks": size, "difference": gap.mean(), "low": gap.mean() - half}
        row |= {"high": gap.mean() + half, "share": lost.sum() / gap.sum()}
        rows[name] = row | {"share_low": low, "share_high": high}
    return pd.DataFrame(rows).T.astype({"tracks": int})
