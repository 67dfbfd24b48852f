"""Votes of equal systems: by hand, by loops, and beside wmtlib's own tests."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from examples import rng
from study.beyond.equal_votes import (
    BOTH,
    JUDGE,
    KINDS,
    SEGMENT,
    drawn_votes,
    equal_votes,
    likeness,
    score_p,
    votes_of,
)
from study.beyond.pair_arrays import pairs_of
from wmtlib.certainty import rank_sets

NAMES = [*"wxyz"]


def made(judges=15, segments=40, number=3000, seed=1):
    """Draw who votes on what, and votes at random."""
    draw = rng(seed)
    first = draw.integers(4, size=number)
    second = (first + draw.integers(1, 4, size=number)) % 4
    columns = {
        "judge": draw.integers(judges, size=number),
        "segment": draw.integers(segments, size=number),
        "system_1": np.array(NAMES)[first],
        "system_2": np.array(NAMES)[second],
        "preference": draw.integers(1, 3, size=number),
    }
    return pd.DataFrame(columns).astype({"judge": "category"})


def test_votes_by_hand():
    frame = pd.DataFrame(
        {
            "judge": [*"jjjk"],
            "segment": [7, 7, 8, 7],
            "system_1": [*"xyyz"],
            "system_2": [*"yxzx"],
            "preference": [1, 1, 0, 2],
        }
    )
    votes = votes_of(frame, [*"xyz"])
    assert votes.pair.tolist() == [0, 0, 1]  # x and y twice; x and z
    assert votes.margin.tolist() == [1, -1, 1]  # the tie is left out
    assert votes.by_pair().tolist() == [2, 1, 0]
    assert votes.centred.tolist() == [1, -1, 0]
    assert votes.units[JUDGE].tolist() == [0, 0, 1]
    judges = votes.table(votes.units[JUDGE], votes.margin)
    assert judges.toarray().tolist() == [[0, 0, 0], [0, 1, 0]]
    block, units = votes.blocks
    assert block.tolist() == [0, 0, 1]
    assert [unit.tolist() for unit in units] == [[0, 1], [0, 0]]


def test_pairs_are_in_the_order_of_arrays_of_pairs():
    sides = list(zip(*pairs_of(4), strict=True))
    frame = made(number=200)
    votes = votes_of(frame, NAMES)
    for k in range(200):
        pair = {NAMES[place] for place in sides[votes.pair[k]]}
        assert pair == {frame["system_1"][k], frame["system_2"][k]}


@pytest.mark.parametrize("null", KINDS)
def test_signs_are_those_of_a_judge_or_of_a_segment(null):
    votes = votes_of(made(), NAMES)
    draws = equal_votes(votes, null, rng(2))
    for margin in itertools.islice(draws, 3):
        signs = pd.Series(margin / votes.centred).groupby(votes.units[null])
        assert (signs.nunique() == 1).all() and {*signs.first()} == {-1, 1}


def likeness_by_loops(votes):
    """Average products of every two votes on a pair, by what they share."""
    products = {(same, of): [] for same in (JUDGE, SEGMENT, "own") for of in (0, 1)}
    for pair in range(6):
        chosen = np.flatnonzero(votes.pair == pair)
        neither = []
        found = []
        for i, k in itertools.product(chosen, chosen):
            product = votes.centred[i] * votes.centred[k]
            shares = [votes.units[kind][i] == votes.units[kind][k] for kind in KINDS]
            if i == k:
                found.append(("own", product))
            elif not any(shares):
                neither.append(product)
            elif not all(shares):
                found.append((KINDS[shares.index(True)], product))
        for name, product in found:
            products[name, 0].append(product - np.mean(neither))
    means = {name: np.mean(values) for (name, of), values in products.items() if not of}
    return [means[kind] / means["own"] for kind in KINDS]


def test_likeness_by_loops():
    votes = votes_of(made(judges=4, segments=6, number=150), NAMES)
    assert likeness(votes) == pytest.approx(likeness_by_loops(votes))


def test_drawn_votes_are_as_alike_as_asked_for():
    asked = np.array([0.1, 0.2])
    found = []
    for seed in range(30):
        votes = votes_of(made(seed=seed), NAMES)
        drawn = drawn_votes(votes, asked, rng(seed))
        assert {*drawn} == {-1, 1}
        found.append(likeness(replace(votes, margin=drawn)))
    error = np.std(found, axis=0) / np.sqrt(30)
    assert np.abs(np.mean(found, axis=0) - asked).max() < 3 * error.max() < 0.03


def test_votes_by_both_are_as_alike_as_the_real_ones():
    votes = votes_of(made(), NAMES)
    real = replace(votes, margin=drawn_votes(votes, np.array([0.2, 0.1]), rng(3)))
    draws = itertools.islice(equal_votes(real, BOTH, rng(4)), 20)
    found = [likeness(replace(votes, margin=margin)) for margin in draws]
    assert np.mean(found, axis=0) == pytest.approx(likeness(real), abs=0.03)


def test_tests_of_scores_are_those_of_rank_sets():
    frame = made()
    votes = votes_of(frame, NAMES)
    sets = rank_sets(frame, "expected-wins", minimum=0)
    scores = sets.table.set_index("system")["score"][NAMES].to_numpy()
    p = pd.DataFrame(score_p(votes, votes.margin, scores), NAMES, NAMES)
    for pair in sets.pairs.itertuples():
        assert p.loc[pair.above, pair.below] == pytest.approx(pair.p, rel=1e-4)
