"""Section 8: Experiments (Hopkins & May 2013), Figure 6: abilities of English-Czech."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from study.hopkins2013 import SURE, Track, draw_training_set, irt
from study.hopkins2013.variants import fit_collapsed
from study.scoreboard.verdicts import Values
from wmtlib.core import sampling
from wmtlib.core.counts import COMPARISON, REFERENCE
from wmtlib.methods import METHODS

TRIO = (
    ("online-B", "cu-bojar"),
    ("online-B", "cu-marecek"),
    ("cu-bojar", "cu-marecek"),
)


STRATA = (1, 7, 10)  # students after which a stratum ends


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


def with_numbers(units: pd.DataFrame) -> pd.DataFrame:
    """Name the rows of `by_unit` in words, for a picture.

    Returns
    -------
    DataFrame
        Index resampled (with the number of units), pair; columns value, low, high.
    """
    words = {"nothing: posterior of IRT-Gaussian": "posterior of IRT-Gaussian"}
    rows = []
    for (unit, pair), number in units["units"].items():
        rows.append((f"{words.get(unit, f'by {unit}')} ({number:,})", pair))
    table = units[["difference", "low", "high"]].set_axis(
        pd.MultiIndex.from_tuples(rows, names=units.index.names)
    )
    return table.rename(columns={"difference": "value"})


# --- facts of the claims --------------------------------------------------------------


def of_trainings(draws: pd.DataFrame, number: int, rng: np.random.Generator) -> Values:
    """Compute values of Figure 6.

    Parameters
    ----------
    draws : DataFrame
        Of `train`, from many trainings; the first `number` of them are the
        figure.
    rng : Generator
        Draws other sets of trainings.
    """
    means = draws.groupby("training").mean()
    shown = ability_table(draws.loc[: number - 1])
    gaps = widest_gaps(shown["mean"].to_numpy())
    shares = strata_shares(means, number, rng)
    usual = shares.drop("all three").nlargest(len(STRATA)).sort_index().index
    of_strata = ", ".join(f"{100 * shares[k]:.0f} % after {k}" for k in STRATA)
    above = pd.DataFrame({pair: draws[pair[0]] > draws[pair[1]] for pair in TRIO})
    chances = above.groupby("training").mean().to_numpy()
    elsewhere = chances[_other_sets(len(means), number, rng)].mean(axis=1)
    undecided = (elsewhere > 1 - SURE) & (elsewhere < SURE)
    often = 100 * undecided.all(axis=1).mean()
    return {
        "H-F6-01": len(shown),
        "H-F6-02": {
            "chance": chances[:number].mean(axis=0),
            "note": f"all three are open in {often:.0f} % of other draws of {number}"
            " trainings",
        },
        "H-F6-03": {
            "highest": means.idxmax(axis=1) == REFERENCE,
            "above_next": shown["above_next"].iloc[0],
        },
        "H-F6-04": {
            "here": np.flatnonzero(gaps) + 1,
            "usual": usual,
            "share_after_student": shares,
            "note": f"{of_strata}; all three at once in {100 * shares['all three']:.0f}"
            f" % of the draws of {number} trainings: a coin decides",
        },
    }


def widest_gaps(means: np.ndarray) -> np.ndarray:
    """Find if the gap after each student (last axis) is one of the widest."""
    gaps = -np.diff(np.sort(means)[..., ::-1])
    return gaps.argsort().argsort() >= gaps.shape[-1] - len(STRATA)


def _other_sets(everyone: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """Draw sets of trainings (1000, number) that a figure could have been made of."""
    return np.array([rng.choice(everyone, number, replace=False) for _ in range(1000)])


def strata_shares(
    means: pd.DataFrame, number: int, rng: np.random.Generator
) -> pd.Series:
    """Compute how often a gap is among the three widest, from other trainings.

    Parameters
    ----------
    means : DataFrame
        Mean ability of each system (column) in many more trainings than `number`.
    number : int
        Trainings that a figure is made of, five in the paper.

    Returns
    -------
    Series
        Index: the student after which the gap is, and "all three" for those of the
        paper at once.
    """
    other_means = means.to_numpy()[_other_sets(len(means), number, rng)].mean(axis=1)
    widest = pd.DataFrame(widest_gaps(other_means))
    widest.columns += 1
    widest["all three"] = widest.reindex(columns=STRATA, fill_value=False).all(axis=1)
    return widest.mean()
