"""The fewest judgements that end a lead: by hand, and against every subset of small data."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import fewest as fewest_removals
from wmtlib import fewest as fewest_units
from wmtlib.fewest import Credits, leads


def credits_of(rows, units=None):
    """Credits of rows (system, cell, judgement, value); a judgement is its own unit by default."""
    system, cell, judgement, value = (np.array(column) for column in zip(*rows, strict=True))
    pair = np.unique(system * 100 + cell, return_inverse=True)[1]
    unit = np.arange(judgement.max() + 1) if units is None else np.array(units)
    names = tuple("abcdefgh"[: system.max() + 1])
    return Credits(names, system, pair, judgement, value.astype(float), unit)


def fewest_of_all(credits, a, b):
    """The fewest units, by trying every set of them."""
    number = credits.unit.max() + 1
    for size in range(number + 1):
        for chosen in combinations(range(number), size):
            if not leads(credits.scores(np.isin(credits.unit, chosen)), a, b):
                return size
    raise AssertionError


@st.composite
def campaigns(draw):
    """Scores of segments, some of two systems at once, in units of several judgements."""
    systems = draw(st.integers(2, 3))
    rows, units = [], []
    for judgement in range(draw(st.integers(3, 8))):
        system, value = draw(st.integers(0, systems - 1)), draw(st.integers(0, 5))
        segment, joint = draw(st.integers(0, 3)), draw(st.integers(0, 4)) == 0
        rows.append((system, segment, judgement, value))
        if joint:
            rows.append(((system + 1) % systems, segment, judgement, value))
        units.append(draw(st.integers(0, 4)))
    return credits_of(rows, np.unique(units, return_inverse=True)[1])


@st.composite
def tournaments(draw):
    """Wins and losses; a cell is an opponent or a single comparison."""
    systems, by_opponent = draw(st.integers(2, 4)), draw(st.booleans())
    rows, units = [], []
    for judgement in range(draw(st.integers(3, 9))):
        winner = draw(st.integers(0, systems - 1))
        loser = (winner + draw(st.integers(1, systems - 1))) % systems
        cells = (loser, winner) if by_opponent else (judgement, judgement)
        rows += [(winner, cells[0], judgement, 1), (loser, cells[1], judgement, 0)]
        units.append(draw(st.integers(0, 4)))
    return credits_of(rows, np.unique(units, return_inverse=True)[1])


def singles(credits):
    return Credits(*[getattr(credits, name) for name in ("systems", "system", "cell", "judgement")],
                   credits.value, np.arange(len(credits.unit)))  # fmt: skip


def pair_that_leads(credits):
    scores = credits.scores()
    with np.errstate(invalid="ignore"):
        found = np.argwhere(scores[:, None] - scores > fewest_removals.TIED)
    return found[0] if len(found) else None


def test_scores_by_hand():
    # a: segment 0 has 1 and 3, segment 1 has 5: (2 + 5) / 2. Without the 5 it is 2.
    credits = credits_of([(0, 0, 0, 1), (0, 0, 1, 3), (0, 1, 2, 5), (1, 0, 3, 3)])
    assert credits.scores().tolist() == [3.5, 3]
    removed = np.array([False, False, True, False])
    assert credits.scores(removed).tolist() == [2, 3]
    assert fewest_removals.fewest_singles(credits, 0, 1) == (1, 1)
    assert fewest_removals.fewest_singles(credits, 1, 0) == (0, 0)


def test_expected_wins_by_hand():
    # a beat c 8 of 10 times, b 6 of 10 times. Without 3 of b's losses b has 6/7, more than 8/10.
    # Two are not enough: 8/10 against 6/8, 7/9 against 6/9 or 6/8 against 6/10.
    rows = []
    for system, wins in ((0, 8), (1, 6)):
        for k in range(10):
            judgement = 10 * system + k
            rows += [(system, 2, judgement, k < wins), (2, system, judgement, k >= wins)]
    credits = credits_of(rows)
    assert credits.scores()[:2].round(2).tolist() == [0.8, 0.6]
    assert fewest_removals.fewest_singles(credits, 0, 1) == (3, 3)
    assert not leads(credits.scores(np.isin(credits.unit, [17, 18, 19])), 0, 1)


def test_nothing_left_ends_a_lead():
    credits = credits_of([(0, 0, 0, 1), (1, 0, 1, 0), (1, 0, 2, 0)])
    assert fewest_removals.fewest_singles(credits, 0, 1) == (1, 1)
    assert fewest_units.fewest_units(credits, 0, 1)[:2] == (1, 1)


@settings(max_examples=150, deadline=None)
@given(tournaments())
def test_singles_are_exact_in_tournaments(credits):
    if (pair := pair_that_leads(credits)) is not None:
        true = fewest_of_all(singles(credits), *pair)
        assert fewest_removals.fewest_singles(credits, *pair) == (true, true)


@settings(max_examples=150, deadline=None)
@given(campaigns())
def test_singles_of_campaigns_are_in_the_interval(credits):
    if (pair := pair_that_leads(credits)) is not None:
        true = fewest_of_all(singles(credits), *pair)
        lower, upper = fewest_removals.fewest_singles(credits, *pair)
        assert lower <= true <= upper
        joint = np.bincount(credits.judgement).max() > 1
        assert joint or lower == upper


@pytest.mark.parametrize("data", [campaigns(), tournaments()], ids=["campaign", "tournament"])
def test_units_are_in_the_interval(data):
    @settings(max_examples=120, deadline=None)
    @given(data)
    def check(credits):
        if (pair := pair_that_leads(credits)) is not None:
            lower, upper, removed = fewest_units.fewest_units(credits, *pair)
            assert lower <= fewest_of_all(credits, *pair) <= upper == len(removed)
            assert not leads(credits.scores(np.isin(credits.unit, removed)), *pair)

    check()


@settings(max_examples=50, deadline=None)
@given(tournaments(), st.integers(1, 4))
def test_below_only_cuts_off(credits, below):
    if (pair := pair_that_leads(credits)) is not None:
        lower, upper = fewest_removals.fewest_singles(credits, *pair)
        cut = fewest_removals.fewest_singles(credits, *pair, below=below)
        assert cut == (min(lower, below), min(upper, below))
