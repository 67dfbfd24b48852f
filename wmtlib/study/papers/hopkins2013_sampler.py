"""Hopkins & May (2013), section 7: did Gibbs sampling converge "quickly and consistently"?"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib import counts as relative_rankings
from wmtlib import irt as irt_categorical
from wmtlib import irt as irt_deterministic
from wmtlib import irt as irt_gaussian
from wmtlib.counts import TIE
from wmtlib.irt import ItemResponseModel
from wmtlib.models import perplexity
from wmtlib.ranking import title
from wmtlib.study.papers import hopkins2013_arithmetic
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.papers.sampler_checks import (
    SAMPLERS,
    autocorrelation_time,
    calibration_ranks,
    effective_sample_size,
)
from wmtlib.study.releases import kept
from wmtlib.study.verdicts import Claim, Values

PAPER = {"irt-gaussian": "plain", "irt-categorical": "categorical"}  # the sampler of each model
KEPT = 150  # iterations, footnote 10: 200 less a burn-in of 50
INDEPENDENT = 10  # draws that the kept iterations should be worth
TOLERANCE = 0.002  # of the perplexity
RUNS, TEN = 30, 10  # runs of 200 iterations; of the criterion
RELATIVE, OFFSET = "ability less the mean, slowest system", "common offset"


def long_chains(
    train: pd.DataFrame, systems: Sequence[str], *, iterations: int, burn_in: int, seed: int
) -> dict[str, ItemResponseModel]:
    """One long run of each of `SAMPLERS`."""
    steps = {"systems": systems, "iterations": iterations, "burn_in": burn_in}
    rngs = [np.random.default_rng([seed, k]) for k in range(3)]
    return kept.result(
        "long-chains",
        [kept.frame_sha256(train), *systems, iterations, burn_in, seed],
        lambda: {
            "plain": irt_gaussian.fit_gaussian(train, rng=rngs[0], sampler="plain", **steps),
            "collapsed": irt_gaussian.fit_gaussian(
                train, rng=rngs[1], sampler="collapsed", **steps
            ),
            "categorical": irt_categorical.fit_categorical(train, rng=rngs[2], **steps),
        },
    )


def first_iterations(
    train: pd.DataFrame, systems: Sequence[str], *, number: int, seed: int
) -> dict[str, np.ndarray]:
    """Abilities of IRT-Gaussian from the start, (iterations, systems), by both samplers."""
    steps = {"systems": systems, "iterations": number, "burn_in": 0}
    return {
        sampler: irt_gaussian.fit_gaussian(
            train, rng=np.random.default_rng(seed), sampler=sampler, **steps
        ).draws
        for sampler in ("plain", "collapsed")
    }


def example(track: Track) -> pd.DataFrame:
    """The comparisons of one ranking with a tie; of Table 1 if rankings are not known."""
    if "ranking" not in track.train:
        return relative_rankings.comparisons(hopkins2013_arithmetic.table_1())
    tied = track.train.loc[track.train["preference"] == TIE, "ranking"].iloc[0]
    return track.train[track.train["ranking"] == tied]


def abilities_of(model: ItemResponseModel) -> np.ndarray:
    """Draws of the abilities, (iterations, systems); mean qualities of the categorical model."""
    draws = model.draws
    return irt_categorical.mean_quality(draws) if draws.ndim == 3 else draws


def _relative(model: ItemResponseModel) -> np.ndarray:
    draws = abilities_of(model)
    return draws - draws.mean(axis=1, keepdims=True)


def three_ways(chains: Mapping[str, ItemResponseModel], train: pd.DataFrame) -> pd.DataFrame:
    """Abilities of IRT-Gaussian less their mean, by both samplers and without randomness.

    Returns
    -------
    DataFrame
        Index system, best first; columns plain, collapsed, expectation propagation, and the Monte
        Carlo error of plain.
    """
    settled = irt_deterministic.fit_deterministic(train, systems=chains["plain"].systems).abilities[
        "mean"
    ]
    plain, collapsed = _relative(chains["plain"]), _relative(chains["collapsed"])
    errors = [chain.std() / np.sqrt(effective_sample_size(chain)) for chain in plain.T]
    columns = {
        "plain": plain.mean(axis=0),
        "collapsed": collapsed.mean(axis=0),
        "expectation propagation": settled - settled.mean(),
        "Monte Carlo error (plain)": errors,
    }
    return pd.DataFrame(columns).sort_values("plain", ascending=False)


def calibration(competitions: int, seed: int) -> dict[str, np.ndarray]:
    """Rank (0 to 99) of a true difference of two abilities among posterior draws, by sampler.

    One difference from each simulated competition: those of the same one are not independent.
    """
    return kept.result(
        "calibration",
        [competitions, seed],
        lambda: {
            sampler: calibration_ranks(
                sampler, competitions=competitions, rng=np.random.default_rng([seed, k])
            )[:, 1]
            for k, sampler in enumerate(SAMPLERS)
        },
    )


def mixing(chains: Mapping[str, ItemResponseModel]) -> pd.DataFrame:
    """Autocorrelation times in iterations, a column for each sampler."""
    return pd.DataFrame(
        {
            sampler: {
                "ability less the mean, median system": np.median(times := _times(model)),
                RELATIVE: max(times),
                OFFSET: autocorrelation_time(abilities_of(model).mean(axis=1)),
            }
            for sampler, model in chains.items()
        }
    ).rename_axis("quantity")


def _times(model: ItemResponseModel) -> list[float]:
    return [autocorrelation_time(chain) for chain in _relative(model).T]


def short_runs(
    track: Track, train: pd.DataFrame, chains: Mapping[str, ItemResponseModel], *, seed: int
) -> pd.DataFrame:
    """Perplexities of runs as the paper made them, 200 iterations, and of a long one.

    Returns
    -------
    DataFrame
        Index model; columns of the runs (0, 1, ...) and "long run".
    """
    fits = {
        "irt-gaussian": irt_gaussian.fit_gaussian,
        "irt-categorical": irt_categorical.fit_categorical,
    }
    long = {"irt-gaussian": chains["collapsed"], "irt-categorical": chains["categorical"]}
    rows = {}
    for name, fit in fits.items():
        rows[name] = {}
        for k in range(RUNS):
            model = fit(train, systems=track.systems, rng=np.random.default_rng([seed, k]))
            rows[name][k] = perplexity(model, track.test)
        rows[name]["long run"] = perplexity(long[name], track.test)
    return pd.DataFrame(rows).T.rename_axis("model")


def values(times: pd.DataFrame, runs: pd.DataFrame) -> Values:
    """Values of the scoreboard: section 7's sentence on Gibbs sampling.

    Parameters
    ----------
    times : DataFrame
        Of `mixing`.
    runs : DataFrame
        Of `short_runs`.
    """
    off = (runs.drop(columns="long run").div(runs["long run"], axis=0) - 1).abs()
    parts, notes = {}, []
    for name, sampler in PAPER.items():
        worth, near = KEPT / times[sampler], int((off.loc[name] < TOLERANCE).sum())
        sets = 100 * math.comb(near, TEN) / math.comb(off.shape[1], TEN)
        notes.append(
            f"{title(name)}: {near} of {off.shape[1]} runs are within 0.2 % of a long one, so"
            f" {sets:.0f} % of the sets of ten are"
        )
        parts |= {
            f"{title(name)}: consistent": sets > 50,
            f"{title(name)}: quick for relative abilities": bool(worth[RELATIVE] >= INDEPENDENT),
            f"{title(name)}: quick for the common offset": bool(worth[OFFSET] >= INDEPENDENT),
        }
    shown = ", ".join(
        f"{title(name)} {times.loc[RELATIVE, sampler]:.0f} and {times.loc[OFFSET, sampler]:.0f}"
        for name, sampler in PAPER.items()
    )
    value = f"autocorrelation times of the slowest relative ability and of the offset: {shown}"
    return {("section-7", "Gibbs sampling"): Claim(parts, value, "; ".join(notes))}
