"""Which of many methods predicts best: compared in pairs, over the tracks of Hopkins & May (2013).

Every method is trained on all training comparisons of a track and judged by the same test set. Two
methods are compared by the difference of their perplexities, track by track. It has two errors:
that of other tracks (t interval and Wilcoxon test over the tracks), and that of other test
segments of the same tracks (bootstrap of whole segments).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial

import numpy as np
import pandas as pd
from scipy import optimize, stats

from wmtlib import irt as irt_categorical
from wmtlib import irt as irt_gaussian
from wmtlib import scorers
from wmtlib.corrections import corrected, t_half_width
from wmtlib.irt import CategoricalSettings, GaussianSettings, ItemResponseModel
from wmtlib.models import from_scores, log_losses, tally
from wmtlib.ranking import MODELS, generator
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.releases import kept

ITEM_MODELS = {
    "irt-gaussian": irt_gaussian.fit_gaussian,
    "irt-categorical": irt_categorical.fit_categorical,
}
FITTED = {name: f"{name}-fitted" for name in ITEM_MODELS}
FAMILIES = {
    "baselines": ("adjusted-uniform", "independent-pairs"),
    "Independent Students": (
        "independent-students-asymmetric",
        "independent-students-arithmetic",
        "independent-students-geometric",
    ),
    "item response": (*ITEM_MODELS, *FITTED.values()),
    "paired comparison": ("bradley-terry", "rao-kupper", "trueskill"),
    "rankings as predictions": (
        "wmt-official",
        "heuristic2",
        "bojar",
        "expected-wins",
        "mfas",
        "bojar-places",
    ),
}
REGISTERED = tuple(MODELS)  # methods that `hopkins2013.grid` knows
WIDEST, RADIUS_DIGITS = 3.0, 1e-3  # of a fitted radius
MAIN = (FITTED["irt-gaussian"], "bradley-terry")  # the comparison that was named in advance


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How well each method predicts the test comparisons of a track.

    Attributes
    ----------
    campaign, task : str
    comparisons : ndarray (units,)
        Test comparisons of each segment. Where segments are not known, equal comparisons make one
        unit.
    bits : DataFrame, units x methods
        Sum of -log2 Q over the test comparisons of the unit.
    segments_known : bool
    radii : dict of str to float
        The fitted radius of each item-response model among the methods.
    """

    campaign: str
    task: str
    comparisons: np.ndarray = field(repr=False)
    bits: pd.DataFrame = field(repr=False)
    segments_known: bool = True
    radii: dict[str, float] = field(default_factory=dict)

    @property
    def perplexities(self) -> pd.Series:
        """Of each method."""
        return 2 ** (self.bits.sum() / self.comparisons.sum())

    def resampled(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Perplexities (samples, methods) of test sets made of segments drawn with replacement.

        Where segments are not known, single comparisons are drawn.
        """
        total, size = self.comparisons.sum(), np.ones(len(self.comparisons))
        if self.segments_known:
            times = rng.multinomial(len(size), size / len(size), size=number)
            size = self.comparisons
        else:
            times = rng.multinomial(total, self.comparisons / total, size=number)
        bits = self.bits.to_numpy() * (size / self.comparisons)[:, None]
        return 2 ** (times @ bits / (times @ size)[:, None])


def held_out(tracks: Sequence[Track], methods: Sequence[str], *, seed: int) -> list[HeldOut]:
    """Train methods on whole training sets and keep their losses on the test sets.

    Parameters
    ----------
    tracks : sequence of Track
    methods : sequence of str
        Of `MODELS`, and "irt-gaussian-fitted", "irt-categorical-fitted" (see `fitted_radius`) and
        "bojar-places" (the order by Equation 3, without its distances).
    seed : int
    """
    parts = {number: [*track.described(), *methods, seed] for number, track in enumerate(tracks)}
    return kept.one_by_one("held-out", parts, lambda k: _held_out(tracks[k], methods, [seed, k]))


def _held_out(track: Track, methods: Sequence[str], seed: Sequence[int]) -> HeldOut:
    counted = tally(track.train, track.systems)
    models, radii = {}, {}
    for name in (name for name in ITEM_MODELS if {name, FITTED[name]} & {*methods}):
        fit = partial(ITEM_MODELS[name], track.train, systems=track.systems)
        models[name] = fit(rng=generator(name, *seed))
        radii[name] = fitted_radius(models[name], counted)
        models[FITTED[name]] = fit(rng=generator(name, *seed, 1), radius=radii[name])
    for name in methods:
        if name not in models:
            fit = partial(from_scores, bojar_places) if name == "bojar-places" else MODELS[name]
            models[name] = fit(counted, systems=track.systems, rng=generator(name, *seed))
    losses = {name: log_losses(models[name], track.test) for name in methods}
    known = "segment" in track.test
    keys = ["segment"] if known else ["system_1", "system_2", "preference"]
    units = track.test.groupby(keys, observed=True, sort=False).ngroup().to_numpy()
    bits = pd.DataFrame(losses).groupby(units).sum()
    return HeldOut(track.campaign, track.task, np.bincount(units), bits, known, radii)


def fitted_radius(model: ItemResponseModel, seen: np.ndarray) -> float:
    """The radius of greatest likelihood of the training preferences, abilities as they are.

    Hopkins & May (2013) set the radius once, on two tracks (footnote 13). Bradley-Terry and the
    models made of scores fit their tie parameter to every training set. To compare like with like,
    this gives the item-response models the same freedom: fit with the paper's radius, take the
    radius under which the model's own predictions make the training preferences most likely, and
    fit again with that. On tracks of WMT10-12 a second round moves the radius of IRT-Gaussian by
    less than 0.003, that of IRT-Categorical by 0.03 on average.

    Parameters
    ----------
    model : ItemResponseModel
        Fitted by Gibbs sampling, with any radius.
    seen : ndarray (n, n, 3)
        The `tally` of what it was fitted to.
    """
    kind, probabilities = GaussianSettings, irt_gaussian.gaussian_probabilities
    if "levels" in model.settings:
        kind, probabilities = CategoricalSettings, irt_categorical.categorical_probabilities
    settings = kind(**{f.name: model.settings[f.name] for f in fields(kind)})
    met = seen > 0

    def loss(radius: float) -> float:
        chance = probabilities(model.draws, replace(settings, radius=radius))
        return -float(seen[met] @ np.log(np.maximum(chance[met], 1e-300)))

    options = {"xatol": RADIUS_DIGITS}
    best = optimize.minimize_scalar(loss, bounds=(0, WIDEST), method="bounded", options=options)
    return float(best.x)


def bojar_places(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Places, counted from the bottom, by Equation 3 of Lopez (2012); NaN as there."""
    scores = scorers.bojar(wins, ties)
    places = stats.rankdata(scores, axis=-1, nan_policy="omit")
    return np.where(np.isnan(scores), np.nan, places)


def perplexities(tested: Sequence[HeldOut]) -> pd.DataFrame:
    """Perplexity of every method (column) on every track (index campaign, task)."""
    return pd.DataFrame(
        {(track.campaign, track.task): track.perplexities for track in tested}
    ).T.rename_axis(["campaign", "task"])


def compared(
    tested: Sequence[HeldOut],
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Differences of mean perplexity between two methods, paired over tracks.

    Parameters
    ----------
    tested : sequence of HeldOut
        At least two tracks.
    pairs : sequence of (method, other)
        The first is the main comparison: its p-value stands as it is; those of the others are
        corrected for their number (Holm).
    n_resamples : int
        Of the test segments.

    Returns
    -------
    DataFrame
        Index method, other; columns difference (below zero: the method predicts better), low, high
        (95 % t interval over tracks), segments_error (standard error over test segments), better
        (tracks on which the method predicts better), tracks, p (Wilcoxon) and p_holm.
    """
    found = perplexities(tested)
    samples = np.mean([track.resampled(n_resamples, rng) for track in tested], axis=0)
    resampled = pd.DataFrame(samples, columns=tested[0].bits.columns)
    rows = []
    for method, other in pairs:
        gap = found[method] - found[other]
        mean, half = gap.mean(), t_half_width(gap)
        rows.append(
            {
                "method": method,
                "other": other,
                "difference": mean,
                "low": mean - half,
                "high": mean + half,
                "segments_error": (resampled[method] - resampled[other]).std(),
                "better": int((gap < 0).sum()),
                "tracks": len(gap),
                "p": stats.wilcoxon(gap).pvalue,
            }
        )
    table = pd.DataFrame(rows).set_index(["method", "other"])
    return table.assign(p_holm=[table["p"].iloc[0], *corrected(table["p"].to_numpy()[1:], "holm")])


def pairs(methods: Sequence[str]) -> list[tuple[str, str]]:
    """The main comparison, every other method against the same one, and what explains what."""
    main, one = MAIN
    others = [method for method in methods if method not in MAIN]
    return [
        MAIN,
        *((method, one) for method in others),
        ("rao-kupper", main),
        *((fitted, name) for name, fitted in FITTED.items()),
        ("mfas", "bojar"),
        ("bojar-places", "bojar"),
        ("mfas", "bojar-places"),
    ]


def gaps(tested: Sequence[HeldOut], methods: Sequence[str], best: str) -> pd.DataFrame:
    """How far each method is from the best one on some tracks: mean, low and high (95 %, t)."""
    found = perplexities(tested)
    gap = found[[*methods]].sub(found[best], axis=0)
    mean, half = gap.mean(), t_half_width(gap)
    return pd.DataFrame({"mean": mean, "low": mean - half, "high": mean + half})
