"""Hopkins & May (2013), Figure 6: abilities from several trainings, and what is read off them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import ndtr

from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib import irt as irt_gaussian
from wmtlib.bradley_terry import PRIOR, resampled_strengths
from wmtlib.counts import REFERENCE
from wmtlib.irt import GaussianSettings
from wmtlib.study.papers.hopkins2013 import Track, draw_training_set
from wmtlib.study.releases import kept
from wmtlib.study.verdicts import Claim, Values

TRIO = (("online-B", "cu-bojar"), ("online-B", "cu-marecek"), ("cu-bojar", "cu-marecek"))
STRATA = (1, 7, 10)  # students after which a stratum ends
ENOUGH = 1000  # comparisons: section 9
SURE = 0.95
REPEATS = 1000  # sets of trainings drawn from all of them


@dataclass(frozen=True, eq=False)
class Trainings:
    """IRT-Gaussian trained on several random subsets of a track.

    Attributes
    ----------
    systems : tuple of n names, sorted
    draws : ndarray (trainings, kept iterations, n)
        Abilities, less the mean ability of the draw: comparisons say nothing about that.
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
            Index system; columns mean, sd (of the means over the trainings: the paper's error
            bars) and posterior_sd (what a single training leaves open).
        """
        columns = {
            "mean": self.means.mean(),
            "sd": self.means.std(),
            "posterior_sd": pd.Series(self.draws.std(axis=1).mean(axis=0), self.systems),
        }
        return pd.DataFrame(columns).sort_values("mean", ascending=False).rename_axis("system")

    def favoured(self) -> pd.DataFrame:
        """Figure 6, right: P(row wins) - P(column wins), best first."""
        mean = self.probabilities.mean(axis=0)
        names = [*self.systems]
        order = [*self.table().index]
        return pd.DataFrame(mean[..., 1] - mean[..., 2], names, names).loc[order, order]

    def above(self) -> np.ndarray:
        """Posterior probability that one is more able, (trainings, row's system, column's)."""
        return np.array([_above(draws) for draws in self.draws])


def train(track: Track, *, size: int, trainings: int, seed: int) -> Trainings:
    """Train IRT-Gaussian on some comparisons of a track, several times."""
    parts = [*track.described(), size, trainings, seed]
    return kept.result("trainings", parts, lambda: _train(track, size, trainings, seed))


def _train(track: Track, size: int, trainings: int, seed: int) -> Trainings:
    draws = [
        draw_training_set(track.train, size, np.random.default_rng([seed, k]))
        for k in range(trainings)
    ]
    rngs = [np.random.default_rng([seed, k, 1]) for k in range(trainings)]
    fits = [
        irt_gaussian.fit_gaussian(some, systems=track.systems, rng=rng)
        for some, rng in zip(draws, rngs, strict=True)
    ]
    abilities = np.array([fit.draws for fit in fits])
    return Trainings(
        fits[0].systems,
        abilities - abilities.mean(axis=2, keepdims=True),
        np.array([fit.probabilities for fit in fits]),
    )


def neighbours(shown: Trainings) -> pd.DataFrame:
    """The gap of each system to the next, and how likely it is to be above it.

    Returns
    -------
    DataFrame
        Index system, best first; columns gap (of the mean abilities) and above_next (posterior
        probability, over all trainings); NaN for the last.
    """
    mean = shown.table()["mean"]
    place = [shown.systems.index(name) for name in mean.index]
    chance = shown.above().mean(axis=0)[place[:-1], place[1:]]
    gap = mean - mean.shift(-1)
    return pd.DataFrame({"gap": gap, "above_next": [*chance, np.nan]}, index=mean.index)


def widest_gaps(means: pd.Series, number: int = len(STRATA)) -> set[int]:
    """After which students, counted from the best, the widest gaps of mean ability are."""
    gaps = -np.diff(np.sort(means.to_numpy())[::-1])
    return {int(k) + 1 for k in gaps.argsort()[-number:]}


def _other_sets(trainings: Trainings, number: int, rng: np.random.Generator) -> np.ndarray:
    """Sets of trainings (REPEATS, number) that a figure could have been made of."""
    everyone = len(trainings.draws)
    return np.array([rng.choice(everyone, number, replace=False) for _ in range(REPEATS)])


def strata_shares(trainings: Trainings, number: int, rng: np.random.Generator) -> pd.Series:
    """How often a gap is among the three widest, if Figure 6 is drawn from other trainings.

    Parameters
    ----------
    trainings : Trainings
        Many more than `number`.
    number : int
        Trainings that a figure is made of, five in the paper.

    Returns
    -------
    Series
        Index: the student after which the gap is, and "all three" for those of the paper at once.
    """
    means = trainings.means
    counts = dict.fromkeys([*range(1, len(trainings.systems)), "all three"], 0)
    for some in _other_sets(trainings, number, rng):
        widest = widest_gaps(means.iloc[some].mean())
        for gap in widest:
            counts[gap] += 1
        counts["all three"] += widest == {*STRATA}
    return pd.Series(counts) / REPEATS


def values(trainings: Trainings, number: int, rng: np.random.Generator) -> Values:
    """Values of the scoreboard: Figure 6.

    Parameters
    ----------
    trainings : Trainings
        Many; the first `number` of them are the figure.
    rng : Generator
        Draws other sets of trainings.
    """
    chances = trainings.above()
    shown, names = trainings.first(number), trainings.systems
    pooled = chances[:number].mean(axis=0)
    pairs = {(a, b): (names.index(a), names.index(b)) for a, b in TRIO}
    is_open = {
        f"{a} and {b}": bool(1 - SURE < pooled[place] < SURE) for (a, b), place in pairs.items()
    }
    rows, columns = zip(*pairs.values(), strict=True)

    shares = strata_shares(trainings, number, rng)
    elsewhere = chances[_other_sets(trainings, number, rng)].mean(axis=1)[:, rows, columns]
    often = ((elsewhere > 1 - SURE) & (elsewhere < SURE)).all(axis=1).mean()
    highest = (trainings.means.idxmax(axis=1) == REFERENCE).all()
    first = neighbours(shown)["above_next"].iloc[0]
    usual = [str(gap) for gap in shares.drop("all three").nlargest(len(STRATA)).sort_index().index]
    return {
        ("figure-6", "students"): len(names),
        ("figure-6", "online-B, cu-bojar and cu-marecek"): Claim(
            is_open,
            ", ".join(f"P({a} above {b}) {pooled[place]:.2f}" for (a, b), place in pairs.items()),
            f"all three are open in {100 * often:.0f} % of other draws of {number} trainings",
        ),
        ("figure-6", "the reference"): Claim(
            {
                f"highest in each of {len(trainings.draws)} trainings": highest,
                "above the next with probability 0.95 or more": first >= SURE,
            },
            f"P(reference above the next) {first:.2f}",
        ),
        ("figure-6", "strata"): Claim(
            {
                f"the gap after student {k}, in {100 * shares[k]:.0f} % of the draws": (
                    shares[k] > 0.5
                )
                for k in STRATA
            },
            f"here after students {', '.join(map(str, sorted(widest_gaps(shown.means.mean()))))};"
            f" most often after {', '.join(usual)}",
            f"all three at once in {100 * shares['all three']:.0f} % of the draws of {number}"
            " trainings: a coin decides",
        ),
    }


def by_unit(
    comparisons: pd.DataFrame,
    systems: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    *,
    n_resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Is one system better than another, if all comparisons are used? By what is resampled.

    The first row is IRT-Gaussian's posterior, which takes comparisons as independent given the
    qualities of the items. The others are Bradley-Terry on comparisons, rankings,
    segments or judges drawn with replacement: other units of the kind that was collected.

    Returns
    -------
    DataFrame
        Index resampled, pair; columns units (how many there are), above (probability that the
        first is better), difference (mean, on a logit scale; of the posterior: on the scale of
        abilities), low and high (95 % interval).
    """
    rng = np.random.default_rng(seed)
    steps = {"iterations": 600, "burn_in": 100, "sampler": "collapsed"}
    posterior = irt_gaussian.fit_gaussian(comparisons, systems=systems, rng=rng, **steps)
    samples = {"nothing: posterior of IRT-Gaussian": (len(comparisons), posterior.draws)}
    known = [u for u in ("ranking", "segment", "judge") if u in comparisons]
    for unit in [counting.COMPARISON, *known]:
        drawn = resampled_counts.resampler(comparisons, None, unit)
        parts = [
            resampled_strengths(part, None, ties="davidson", prior=PRIOR)
            for part in drawn.samples(n_resamples, np.random.default_rng(seed))
        ]
        samples[unit] = (drawn.units, np.concatenate(parts))
    rows, place = {}, {name: k for k, name in enumerate(sorted(systems))}
    for unit, (units, scores) in samples.items():
        for a, b in pairs:
            gap = scores[:, place[a]] - scores[:, place[b]]
            low, high = np.quantile(gap, [0.025, 0.975])
            rows[unit, f"{a} above {b}"] = [units, (gap > 0).mean(), gap.mean(), low, high]
    columns = ["units", "above", "difference", "low", "high"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table.index = pd.MultiIndex.from_tuples(rows, names=["resampled", "pair"])
    return table.astype({"units": int})


def chance_of_winning(difference: np.ndarray, settings: GaussianSettings) -> tuple[float, float]:
    """Mean of the differences of two abilities, and Q(1) averaged over them.

    Q(1) = Phi((difference - radius) / sqrt(2 sigma_a² + 2 sigma_obs²)) for one difference.
    """
    sd = np.sqrt(2 * settings.sigma_a**2 + 2 * settings.sigma_obs**2)
    return float(difference.mean()), float(ndtr((difference - settings.radius) / sd).mean())


def set_apart(tracks: Sequence[Track], *, seed: int) -> pd.Series:
    """How much of what IRT-Gaussian is sure of can be had from 1000 comparisons.

    Returns
    -------
    Series, index (campaign, task)
        Of the pairs of systems that training on everything sets apart (posterior probability of
        the order at least 0.95), the share that 1000 comparisons set apart the same way.
    """
    parts = {number: [*track.described(), seed] for number, track in enumerate(tracks)}
    shares = kept.one_by_one("set-apart", parts, lambda k: _share_set_apart(tracks[k], [seed, k]))
    names = [(track.campaign, track.task) for track in tracks]
    return pd.Series(shares, pd.MultiIndex.from_tuples(names, names=["campaign", "task"]))


def _share_set_apart(track: Track, seed: Sequence[int]) -> float:
    rngs = [np.random.default_rng([*seed, k]) for k in range(2)]
    some = draw_training_set(track.train, ENOUGH, rngs[0])
    few, whole = (
        _above(irt_gaussian.fit_gaussian(train, systems=track.systems, rng=rng).draws) >= SURE
        for train, rng in zip((some, track.train), rngs, strict=True)
    )
    return (few & whole).sum() / whole.sum()


def _above(draws: np.ndarray) -> np.ndarray:
    """Share of the draws in which the row's system is more able than the column's."""
    return (draws[:, :, None] > draws[:, None]).mean(axis=0)
