"""The sentence on Gibbs sampling, judged by autocorrelation times and short runs."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.study.papers import hopkins2013_sampler
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.papers.hopkins2013_sampler import OFFSET, RELATIVE
from wmtlib.study.papers.sampler_checks import simulate


def claim(times, off):
    """The verdict from the autocorrelation times and 40 runs off a long one by given shares."""
    table = pd.DataFrame(
        {sampler: {RELATIVE: times[0], OFFSET: times[1]} for sampler in ("plain", "categorical")}
    )
    runs = pd.DataFrame([2.5 * (1 + np.array(off))] * 2, ["irt-gaussian", "irt-categorical"])
    found = hopkins2013_sampler.values(table, runs.assign(**{"long run": 2.5}))
    return found["section-7", "Gibbs sampling"]


def test_quick_is_ten_draws_from_the_kept_iterations():
    assert all(claim((15, 15), [0] * 40).parts.values())
    parts = claim((16, 15), [0] * 40).parts
    assert [*parts.values()] == [True, False, True, True, False, True]


def test_consistent_is_most_sets_of_ten():
    found = claim((1, 1), [0.003] + [0] * 39)
    assert all(found.parts.values())
    assert "39 of 40 runs are within 0.2 % of a long one, so 75 % of the sets" in found.note
    assert not all(claim((1, 1), [0.003] * 3 + [0] * 37).parts.values())  # 42 %


@pytest.fixture(scope="module")
def track():
    frame, _ = simulate("gaussian", rng=np.random.default_rng(5), comparisons=300)
    systems = tuple(sorted({*frame["system_1"], *frame["system_2"]}))
    return Track("wmt00", "xx-yy", frame, frame, systems)


def test_three_ways_agree_and_chains_are_measured(track):
    steps = {"iterations": 1500, "burn_in": 100, "seed": 1}
    chains = hopkins2013_sampler.long_chains(track.train, track.systems, **steps)
    table = hopkins2013_sampler.three_ways(chains, track.train)
    methods = table[["plain", "collapsed", "expectation propagation"]]
    assert np.ptp(methods, axis=1).max() < 6 * table["Monte Carlo error (plain)"].max()
    times = hopkins2013_sampler.mixing(chains)
    assert times.loc[OFFSET, "plain"] > times.loc[OFFSET, "collapsed"] >= 1
    runs = hopkins2013_sampler.short_runs(track, track.train, chains, seed=1)
    assert runs.shape == (2, hopkins2013_sampler.RUNS + 1)


def test_first_iterations_start_where_nothing_is_known(track):
    chains = hopkins2013_sampler.first_iterations(track.train, track.systems, number=5, seed=1)
    assert {name: chain.shape for name, chain in chains.items()} == {
        "plain": (5, 4),
        "collapsed": (5, 4),
    }


def test_the_example_is_one_ranking_or_table_1(track):
    assert len(hopkins2013_sampler.example(track)) == 10  # no rankings known: Table 1
    tied = track.train["preference"].eq(0).idxmax()
    ranked = Track("c", "t", track.train.assign(ranking=track.train.index // 10), track.test, "ab")
    example = hopkins2013_sampler.example(ranked)
    assert set(example["ranking"]) == {tied // 10} and (example["preference"] == 0).any()
