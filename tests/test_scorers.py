"""Scores: worked by hand, then what must hold for any counts."""

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from examples import counts_of, data_error
from wmtlib import methods
from wmtlib.core.counts import Counts
from wmtlib.core.ranking import rank_by_score
from wmtlib.methods import SCORERS

# --- three systems and the reference, every score by hand -----------------------------

#       with the reference           without
# a     3 won  1 tied  4 lost        3 won  1 tied  1 lost
# b     1      4       3             1      3       2
# c     0      2       1             0      2       1
SMALL = counts_of(
    "_ref a 3 0 0",
    "_ref b 1 0 1",
    "a b 2 1 1",
    "a c 1 0 0",
    "b c 0 0 2",
)


@pytest.mark.parametrize(
    "method, a, b, c",
    [
        ("wmt-official", 4 / 8, 5 / 8, 2 / 3),
        ("heuristic2", 3 / 5, 1 / 6, 0),
        ("bojar", 3 / 4, 1 / 3, 0),
        ("soccer", 3.5 / 5, 2.5 / 6, 1 / 3),
        ("expected-wins", (2 / 3 + 1) / 2, 1 / 3, 0),  # b and c: no decided comparison
        ("net-wins", (1 / 4 + 1) / 2, (-1 / 4 + 0) / 2, (-1 + 0) / 2),
    ],
)
def test_small_case(method, a, b, c):
    scores = methods.score(method, SMALL, reference="_ref")
    assert scores.to_dict() == pytest.approx({"a": a, "b": b, "c": c})


@pytest.mark.parametrize("method", SCORERS)
def test_a_system_that_is_in_no_comparison_that_counts_is_named(method):
    # z was only tied with the reference.
    counts = counts_of("_ref z 0 0 1", "a b 1 1 0")
    scores = methods.score(method, counts, reference="_ref")
    if methods.METHODS[method].reference_counts:
        assert scores.notna().all()
        assert method != "wmt-official" or scores["z"] == 1
        return
    with data_error(r"^system 'z' has no comparison that this score counts$"):
        rank_by_score(method, scores)


# --- what holds for any counts --------------------------------------------------------


@st.composite
def some_counts(draw):
    names = [f"s{k}" for k in range(draw(st.integers(2, 6)))]
    number = st.integers(0, 9)
    pairs = combinations(names, 2)
    return counts_of(*((*pair, *(draw(number) for _ in range(3))) for pair in pairs))


def score(method, counts):
    """The scores; a case in which one is undefined is none."""
    scores = methods.score(method, counts, reference=None)
    return scores if scores.notna().all() else reject()


@pytest.mark.parametrize("method", ["bojar", "expected-wins", "soccer", "net-wins"])
@given(counts=some_counts())
def test_reversing_every_judgement_turns_the_score_round(method, counts):
    reverse = score(method, Counts(counts.wins.T, counts.ties))
    best_and_worst = 0 if method == "net-wins" else 1
    pd.testing.assert_series_equal(reverse, best_and_worst - score(method, counts))
