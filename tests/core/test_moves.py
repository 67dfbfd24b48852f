"""How far scores move without a unit, held against fits without it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.bradley_terry import conjugate_gradients
from wmtlib.core.assessments import encode
from wmtlib.core.counts import rows_of
from wmtlib.core.moves import effective_units, held
from wmtlib.core.units import codes_of
from wmtlib.methods import METHODS, Settings
from wmtlib.zscores import means_of_draw

EXACT = ["expected-wins", "net-wins", "wmt-official", "heuristic2", "bojar", "soccer"]
STRENGTHS = ["bradley-terry", "bradley-terry-side", "rao-kupper", "bradley-terry-half"]


def votes(seed=1, systems=5, judges=12, each=60, segments=20):
    """Coded votes by judges on segments, a fifth of them ties, some counted twice."""
    rng = np.random.default_rng(seed)
    size = judges * each
    first = rng.integers(systems, size=size)
    second = (first + rng.integers(1, systems, size=size)) % systems
    names = np.array([*"abcdefghij"])
    frame = pd.DataFrame(
        {
            "system_1": names[first],
            "system_2": names[second],
            "preference": rng.choice([0, 1, 1, 1, 2], size=size),
            "judge": np.repeat([f"j{k:02d}" for k in range(judges)], each),
            "segment": rng.integers(segments, size=size).astype(str),
            "count": rng.choice([1, 1, 2], size=size),
        }
    )
    return rows_of(frame)


def spread_by_fits(rows, codes, method):
    """Sum d d' over units, by a fit without each unit."""
    method = METHODS[method]

    def fit(part):
        data = part if method.sided else part.counted
        return method.values(data, Settings()).reindex(rows.systems).to_numpy()

    full = fit(rows)
    moves = [fit(rows.select(codes != unit)) - full for unit in np.unique(codes)]
    return np.transpose(moves) @ moves


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("kind", ["judge", "segment"])
def test_moves_of_shares_are_those_of_scores_without_each_unit(method, kind):
    rows = votes()
    (codes,) = codes_of(rows, [kind])
    spread = METHODS[method].moves(rows).of(codes).spread
    np.testing.assert_allclose(spread, spread_by_fits(rows, codes, method), atol=1e-15)


@pytest.mark.parametrize("method", STRENGTHS)
def test_moves_of_strengths_are_nearly_those_of_fits_without_each_judge(method):
    """One Newton step: for a twelfth of the votes it errs by less than a twentieth."""
    rows = votes()
    (codes,) = codes_of(rows, ["judge"])
    spread = METHODS[method].moves(rows).of(codes).spread
    fits = spread_by_fits(rows, codes, method)
    assert np.abs(spread - fits).max() < 0.05 * np.abs(fits).max()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_an_opponent_who_is_gone_leaves_the_mean(seed):
    """Few votes: without a judge some pairs are not compared any more."""
    rows = votes(seed, systems=6, judges=8, each=5, segments=9)
    (codes,) = codes_of(rows, ["judge"])
    method = METHODS["expected-wins"]
    spread = method.moves(rows).of(codes).spread
    fits = spread_by_fits(rows, codes, "expected-wins")
    known = ~np.isnan(fits)
    np.testing.assert_allclose(spread[known], fits[known], atol=1e-12)


def test_single_comparisons_are_units_that_hold_one_each():
    rows = votes(each=10)
    alone = np.repeat(np.arange(len(rows.times)), rows.times)
    single = rows_of(rows.frame.iloc[alone].assign(count=1))
    numbered = METHODS["expected-wins"].moves(single).of(np.arange(len(alone)))
    counted = METHODS["expected-wins"].moves(rows).of(None)
    np.testing.assert_allclose(numbered.spread, counted.spread, atol=1e-15)
    assert numbered.units == counted.units == rows.times.sum()
    np.testing.assert_allclose(numbered.effective, counted.effective)


@pytest.mark.parametrize("sided", [False, True])
def test_held_lists_every_comparison_once(sided):
    rows = votes()
    (codes,) = codes_of(rows, ["judge"])
    cells = held(rows, codes, sided=sided)
    assert cells.seen.sum() == rows.times.sum()
    assert cells.units == 12
    if not sided:
        assert (cells.first < cells.second).all()
        wins = np.zeros((5, 5))
        np.add.at(wins, (cells.first, cells.second), cells.seen[1])
        np.add.at(wins, (cells.second, cells.first), cells.seen[2])
        assert wins.tolist() == rows.counted.wins.to_numpy().tolist()


def test_moves_of_mean_scores_are_those_without_each_document():
    """The scales of the workers stay: raw scores have none."""
    rng = np.random.default_rng(3)
    rows = [
        (f"w{rng.integers(5)}", system, f"d{d}", f"{s}", 100 * rng.random())
        for d in range(9)
        for s in range(rng.integers(1, 4))
        for system in "xyz"
        for _ in range(rng.integers(1, 3))
    ]
    names = ["worker", "system", "document", "segment", "score"]
    usual = {"hit": "", "item": "SYSTEM", "accepted": True, "language_pair": ""}
    campaign = encode(pd.DataFrame(rows, columns=names).assign(**usual))
    (codes,) = codes_of(campaign, ["document"])
    spread = METHODS["raw-score"].moves(campaign).of(codes).spread
    once = np.ones(len(codes), dtype=int)
    full = means_of_draw(campaign, once, "raw")
    moves = [
        means_of_draw(campaign, once * (codes != unit), "raw") - full
        for unit in range(9)
    ]
    np.testing.assert_allclose(spread, np.transpose(moves) @ moves, rtol=1e-9)


def test_effective_units_of_equal_ones_is_their_number():
    number = np.array([[3.0, 10], [3, 1], [3, 1]])
    assert effective_units(number, np.ones(3)).tolist() == [3, 144 / 102]
    assert effective_units(number[:1], np.array([5.0])).tolist() == [5, 5]


def test_conjugate_gradients_solve_each_row():
    rng = np.random.default_rng(4)
    roots = rng.normal(size=(7, 6, 6))
    matrices = roots @ roots.swapaxes(1, 2) + np.eye(6)
    right = rng.normal(size=(7, 6))

    def product(step):
        return np.einsum("uij,uj->ui", matrices, step)

    solution = conjugate_gradients(product, right, np.linalg.inv(matrices[0]))
    np.testing.assert_allclose(product(solution), right, atol=1e-4)


def test_trueskill_moves_in_one_order_of_the_comparisons():
    rows = votes(each=10)
    (codes,) = codes_of(rows, ["judge"])
    moves = METHODS["trueskill"].moves(rows)
    spread = moves.of(codes).spread
    assert np.array_equal(spread, METHODS["trueskill"].moves(rows).of(codes).spread)
    # As far as strengths, but for their scale.
    strengths = METHODS["bradley-terry"].moves(rows).of(codes).spread
    assert 0.2 < np.trace(spread) / np.trace(strengths) < 5
