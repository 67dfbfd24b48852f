"""Figure 6: what is read off abilities from several trainings."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.irt import GaussianSettings, gaussian_probabilities
from wmtlib.study.papers import hopkins2013_abilities
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.papers.hopkins2013_abilities import Trainings
from wmtlib.study.papers.sampler_checks import simulate

NAMES = ("_ref", "cu-bojar", "cu-marecek", "online-B", *"pqrstuv")  # 11


def trainings(means, noise=0.01, number=6):
    """Trainings whose abilities scatter about given means."""
    rng = np.random.default_rng(0)
    draws = np.asarray(means) + noise * rng.standard_normal((number, 40, len(means)))
    q = np.full((number, len(means), len(means), 3), 1 / 3)
    return Trainings(NAMES[: len(means)], draws, q)


def test_widest_gaps_are_counted_from_the_best():
    means = pd.Series({"d": 0.0, "a": 3.0, "c": 0.9, "b": 1.0})
    assert hopkins2013_abilities.widest_gaps(means, 2) == {1, 3}


def test_neighbours_say_who_is_above():
    table = hopkins2013_abilities.neighbours(trainings([0, 2, 0, 1, -1]))
    assert [*table.index[:2]] == ["cu-bojar", "online-B"]
    assert table["gap"].iloc[:2].tolist() == pytest.approx([1, 1], abs=0.02)
    assert table["above_next"].iloc[[0, 1]].tolist() == [1, 1]
    assert 0.2 < table["above_next"].iloc[2] < 0.8  # 0 and 0: a coin
    assert table.iloc[-1].isna().all()


def test_strata_that_are_there_come_back_in_every_draw():
    found = trainings([0, -1, -1.1, -5, -9])
    rng = np.random.default_rng(1)
    shares = hopkins2013_abilities.strata_shares(found, 3, rng)
    assert shares[[1, 3, 4]].tolist() == [1, 1, 1]
    assert shares["all three"] == 0  # those of the paper are after students 1, 7 and 10


def test_values_follow_the_draws():
    rest = [-1, -1.1, -1.2, -9, -9.1, -9.2, -20]
    alike = trainings([30, 0, 0, 0, *rest], noise=1)
    values = hopkins2013_abilities.values(alike, 3, np.random.default_rng(1))
    trio = values["figure-6", "online-B, cu-bojar and cu-marecek"]
    assert all(trio.parts.values())
    assert all(values["figure-6", "the reference"].parts.values())
    assert values["figure-6", "students"] == 11
    assert [*values["figure-6", "strata"].parts.values()] == [True, True, True]
    apart = trainings([3, 0, 0, 5, *rest], noise=0.1)
    values = hopkins2013_abilities.values(apart, 3, np.random.default_rng(1))
    trio = values["figure-6", "online-B, cu-bojar and cu-marecek"].parts
    assert [*trio.values()] == [False, False, True]
    assert not all(values["figure-6", "the reference"].parts.values())


def test_chance_of_winning_is_the_models():
    difference = np.array([0.3, 0.5, -0.1])
    p = GaussianSettings()
    abilities = np.stack([difference, 0 * difference], axis=1)
    mean, chance = hopkins2013_abilities.chance_of_winning(difference, p)
    assert mean == pytest.approx(difference.mean())
    assert chance == pytest.approx(gaussian_probabilities(abilities, p)[0, 1, 1])


@pytest.fixture(scope="module")
def frame():
    made, _ = simulate("gaussian", rng=np.random.default_rng(3), systems=3, comparisons=1500)
    return made.assign(judge=np.repeat(np.arange(15), 100))


def test_units_that_are_known_are_resampled(frame):
    systems = sorted({*frame["system_1"], *frame["system_2"]})
    pairs = [(systems[0], systems[1]), (systems[1], systems[0])]
    table = hopkins2013_abilities.by_unit(frame, systems, pairs, n_resamples=50, seed=1)
    assert table["units"].groupby("resampled").first()[
        ["comparison", "judge", "segment"]
    ].tolist() == [
        1500,
        15,
        10,
    ]
    both_ways = table["above"].groupby("resampled").sum()
    assert both_ways.to_numpy() == pytest.approx(1)


def test_a_training_set_sets_itself_apart(frame):
    systems = tuple(sorted({*frame["system_1"], *frame["system_2"]}))
    small = frame.head(800)  # fewer than 1000: both trainings see everything
    track = Track("wmt00", "xx-yy", small, small, systems)
    [share] = hopkins2013_abilities.set_apart([track], seed=1)
    assert share == 1
