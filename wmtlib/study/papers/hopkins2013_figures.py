"""Hopkins & May (2013), sections 8 and 9: what is said about Figures 2 to 5, held against ours.

Claims are read where the curves end, at 3200 comparisons, and "close", "nearly" or "similar" mean
perplexities within 1 % of each other, unless a claim says otherwise; the criteria stand in
`data/published/hopkins2013.csv`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd
from scipy import stats

from wmtlib.counts import REFERENCE, without
from wmtlib.ranking import title
from wmtlib.study.papers.hopkins2013 import SIZES, TUNED_ON, Track
from wmtlib.study.verdicts import Claim, Values

GAUSSIAN, CATEGORICAL = IRT = ("irt-gaussian", "irt-categorical")
ARITHMETIC, GEOMETRIC = AVERAGED = (
    "independent-students-arithmetic",
    "independent-students-geometric",
)
TRAINED = (
    "adjusted-uniform",
    "independent-pairs",
    "independent-students-asymmetric",
    *AVERAGED,
    *IRT,
)
AS_PRINTED = "independent-students-geometric-as-printed"
MODELS = ("uniform", *TRAINED[:5], AS_PRINTED, *IRT)  # of Figures 2 to 4
LARGEST = SIZES[-1]
ENOUGH = 1000  # comparisons, section 9
CLOSE, QUARTER = 0.01, 0.25


def untuned(tracks: Mapping[str, Sequence[Track]]) -> list[Track]:
    """The tracks behind Figures 2 to 4: those that set the hyperparameters are left out."""
    return [
        track
        for campaign, chosen in tracks.items()
        for track in chosen
        if not (campaign.startswith("wmt10") and track.task in TUNED_ON)
    ]


def without_reference(track: Track) -> Track:
    """The same track, had the human reference not been ranked."""
    train, test = (
        without(part, REFERENCE).reset_index(drop=True) for part in (track.train, track.test)
    )
    systems = tuple(name for name in track.systems if name != REFERENCE)
    return replace(track, train=train, test=test, systems=systems)


def values(
    measured: pd.DataFrame,
    *,
    no_reference: pd.DataFrame,
    enough: pd.DataFrame,
    everything: pd.DataFrame,
    apart: pd.Series,
) -> Values:
    """Values of the scoreboard: Figures 2 to 5 and the conclusion.

    Parameters
    ----------
    measured : DataFrame
        `hopkins2013.grid` of `MODELS` on the tracks of `untuned`, at all sizes.
    no_reference : DataFrame
        The same of `IRT` and `AVERAGED`, at the largest size, on `without_reference` tracks.
    enough, everything : DataFrame
        The same of `TRAINED` on the expert tracks, from 1000 comparisons and from all there are.
    apart : Series
        Of `hopkins2013_abilities.set_apart`.
    """
    means = _means(measured)
    found: Values = {}
    for year in ("wmt10", "wmt11"):
        found["section-8", f"{year.upper()}, best models"] = _best(means[year])
        found["section-8", f"{year.upper()}, IRT-Gaussian"] = _gaussian(means[year])
    found["section-8", "WMT12, the IRT and averaged Students models"] = _alike(means["wmt12"])
    found["section-8", "excluding the references"] = _references(_means(no_reference))
    found |= _crowd(means) | {
        ("section-9", "judge noise with the wrong models"): _wrong_models(measured),
        ("section-9", "comparisons at which models are close to convergence"): _convergence(
            _means(enough), _means(everything)
        ),
        ("section-9", "far fewer comparisons"): Claim(
            {"more than half are set apart by 1000 comparisons too": apart.mean() > 0.5},
            f"{100 * apart.mean():.0f} %, on single tracks {100 * apart.min():.0f} to "
            f"{100 * apart.max():.0f} %",
        ),
    }
    return found


def _means(measured: pd.DataFrame) -> pd.DataFrame:
    """Mean perplexity over tracks: a row for each trial, columns (campaign, model, size)."""
    return measured.pivot_table("perplexity", "trial", ["campaign", "model", "size"])


def judged(
    by_trial: pd.DataFrame, criterion: Callable[[pd.Series], dict[str, bool]], value: str, note=""
) -> Claim:
    """A claim about the mean over trials; the note says how single trials would decide.

    Parameters
    ----------
    by_trial : DataFrame
        A row for each trial.
    criterion : callable
        From a row, or the mean of all, to the parts of the claim.
    """
    parts = criterion(by_trial.mean())
    alone = [criterion(row) for _, row in by_trial.iterrows()]
    open_parts = [
        f"{part}: in {sum(one[part] for one in alone)} of {len(alone)} single trials"
        for part in parts
        if len({one[part] for one in alone}) > 1
    ]
    return Claim(parts, value, "; ".join(filter(None, [note, *open_parts])))


def _shown(level: pd.Series, models: Sequence[str]) -> str:
    return ", ".join(f"{title(model)} {level[model]:.3f}" for model in models)


def _best(means: pd.DataFrame) -> Claim:
    def criterion(mean: pd.Series) -> dict[str, bool]:
        level = mean.xs(LARGEST, level="size")
        best_other = level.drop([*IRT]).min()
        return {f"{title(m)} is lower than every other model": level[m] < best_other for m in IRT}

    level = means.mean().xs(LARGEST, level="size")
    others = level.drop([*IRT]).sort_values().index[:1]
    return judged(means, criterion, f"{_shown(level, [*IRT, *others])} at {LARGEST}")


def _settled(mean: pd.Series, model: str) -> int:
    """Smallest size from which on a model is within 1 % of its own level at the largest."""
    line = mean[model].sort_index()
    outside = line.index[line > (1 + CLOSE) * line[LARGEST]]
    return int(line.index[line.index > max(outside, default=0)][0])


def _gaussian(means: pd.DataFrame) -> Claim:
    def criterion(mean: pd.Series) -> dict[str, bool]:
        level = mean.xs(LARGEST, level="size")
        sooner = _settled(mean, GAUSSIAN) < _settled(mean, CATEGORICAL)
        return {
            "lowest of all models": level.idxmin() == GAUSSIAN,
            "within 1 % of its own level from a smaller size on than IRT-Categorical": sooner,
        }

    mean = means.mean()
    sizes = f"{_settled(mean, GAUSSIAN)} against {_settled(mean, CATEGORICAL)} comparisons"
    level = mean.xs(LARGEST, level="size")
    return judged(means, criterion, f"{_shown(level, IRT)}; within 1 % from {sizes} on")


def _alike(means: pd.DataFrame) -> Claim:
    def spread(mean: pd.Series, size: int = LARGEST) -> float:
        four = mean.xs(size, level="size")[[*IRT, *AVERAGED]]
        return 100 * (four.max() / four.min() - 1)

    mean = means.mean()
    level = mean.xs(LARGEST, level="size")
    printed = 100 * (level[AS_PRINTED] / level[[*IRT, ARITHMETIC]].min() - 1)
    return judged(
        means,
        lambda mean: {"within 1 % of each other": spread(mean) < 1},
        f"{spread(mean):.2f} % at {LARGEST}, {spread(mean, SIZES[0]):.1f} % at {SIZES[0]}",
        "Geometric Students divided by its sum; the formula as printed, which does not sum to one,"
        f" is {printed:.2f} % above the best of the others",
    )


def _references(means: pd.DataFrame) -> Claim:
    def gap(mean: pd.Series, year: str) -> float:
        level = mean[year].droplevel("size")
        return 100 * (level[[*AVERAGED]].min() / level[[*IRT]].min() - 1)

    years = ("wmt10", "wmt11")
    mean = means.mean()
    return judged(
        means,
        lambda mean: {f"{y.upper()}: within 1 %": gap(mean, y) < 1 for y in years},
        ", ".join(f"{y.upper()} {gap(mean, y):+.2f} %" for y in years) + " without the reference",
    )


def _crowd(means: pd.DataFrame) -> Values:
    """Trained on the crowd instead of the experts, and tested on the experts."""

    def loss(mean: pd.Series) -> pd.Series:
        level = mean.xs(LARGEST, level="size")
        return level["wmt10-crowd"] - level["wmt10"]

    def share(mean: pd.Series) -> pd.Series:
        """Loss as a share of the gain over Adjusted Uniform."""
        level = mean.xs(LARGEST, level="size")["wmt10"]
        return loss(mean) / (level["adjusted-uniform"] - level).drop("adjusted-uniform")

    def distance(mean: pd.Series, size: int = LARGEST) -> float:
        level = mean.xs(size, level="size")
        return 100 * (level["wmt10-crowd", GAUSSIAN] / level["wmt10", GEOMETRIC] - 1)

    others = [model for model in TRAINED[1:] if model not in IRT]
    mean = means.mean()
    rise = ", ".join(f"{title(m)} {loss(mean)[m]:+.3f}" for m in [*IRT, *others])
    lost = {m: f"{title(m)} loses {100 * share(mean)[m]:.0f} %" for m in [GEOMETRIC, *IRT]}
    keeps = f"of its gain; {loss(mean)[GAUSSIAN]:+.3f}"
    return {
        ("section-8", "the IRT models and judge noise"): judged(
            means,
            lambda mean: {
                f"{title(m)} rises less than each other model that tells students apart": (
                    loss(mean)[m] < loss(mean)[others].min()
                )
                for m in IRT
            },
            rise,
        ),
        ("figure-5", "Geometric Students trained on the crowd"): judged(
            means,
            lambda mean: {"loses at least a quarter": share(mean)[GEOMETRIC] >= QUARTER},
            f"{lost[GEOMETRIC]} of its gain; {loss(mean)[GEOMETRIC]:+.3f}",
        ),
        ("figure-5", "IRT models trained on the crowd"): judged(
            means,
            lambda mean: {
                f"{title(m)} loses less than a quarter": share(mean)[m] < QUARTER for m in IRT
            },
            ", ".join(lost[m] for m in IRT) + " of its gain",
        ),
        ("figure-5", "IRT-Gaussian on the crowd against Geometric Students on experts"): judged(
            means,
            lambda mean: {"within 1 % of each other": abs(distance(mean)) < 1},
            f"{distance(mean):+.2f} % at {LARGEST}, {distance(mean, SIZES[0]):+.1f} % at "
            f"{SIZES[0]}",
        ),
        ("section-9", "IRT-Gaussian on experts and crowd"): judged(
            means,
            lambda mean: {"keeps at least three quarters": share(mean)[GAUSSIAN] <= QUARTER},
            f"{lost[GAUSSIAN]} {keeps}",
        ),
    }


def _wrong_models(measured: pd.DataFrame) -> Claim:
    """Paired over tracks: the model that loses most by training on the crowd."""
    chosen = measured["campaign"].str.startswith("wmt10") & (measured["size"] == LARGEST)
    level = measured[chosen].pivot_table("perplexity", "task", ["campaign", "model"])
    rise = (level["wmt10-crowd"] - level["wmt10"])[[m for m in TRAINED[1:] if m != GAUSSIAN]]
    worst = rise.mean().idxmax()
    p = stats.ttest_1samp(rise[worst], 0, alternative="greater").pvalue
    higher = f"on {(rise[worst] > 0).sum()} of {len(rise)} tracks"
    return Claim(
        {"some model other than IRT-Gaussian has a higher perplexity": p < 0.05},
        f"{title(worst)} {rise[worst].mean():+.3f}, higher {higher}, p = {p:.4f}",
    )


def _convergence(enough: pd.DataFrame, everything: pd.DataFrame) -> Claim:
    whole = everything.mean().droplevel("size")
    excess = 100 * (enough.droplevel("size", axis=1) / whole - 1)

    def criterion(mean: pd.Series) -> dict[str, bool]:
        furthest = mean.groupby("model").max()  # of the three years
        close = furthest < 100 * CLOSE
        return {
            f"{title(GAUSSIAN)} within 1 % in each year": close[GAUSSIAN],
            f"{title(GEOMETRIC)} within 1 % in each year": close[GEOMETRIC],
            "more than half of the seven models (many)": close[[*TRAINED]].sum() > 3.5,
        }

    furthest = excess.mean().groupby("model").max()
    shown = ", ".join(f"{title(m)} {furthest[m]:.2f} %" for m in furthest.sort_values().index)
    return judged(
        excess, criterion, f"excess at {ENOUGH}, in the year where it is largest: {shown}"
    )
