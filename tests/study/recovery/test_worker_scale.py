"""The scale of one worker: worked by hand, and on random scores."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from study.recovery import worker_scale

SCORES = st.lists(st.integers(0, 100), min_size=3, max_size=60).filter(
    lambda s: len(set(s)) > 1
)


def stated(scores):
    """Return mean and sd as printed."""
    return float(f"{np.mean(scores):.7g}"), float(f"{np.std(scores, ddof=1):.7g}")


def test_possible_item_counts_by_hand():
    # 0, 50, 100: mean 50, sd 50, n = 3, T = 150, Q = 12500
    possible = worker_scale.possible_item_counts
    assert possible(50.0, 50.0, 3, 150, 12500)[0] == (3, 150, 12500)
    # A third item that is to bring the sum from 100 to 150 has a square of 2500, and no
    # less.
    counts = possible(50.0, 50.0, judgements=2, total=100, squares=10001)
    assert 3 not in [n for n, *_ in counts]
    assert possible(50.0, 50.0, 2, 100, 10000)[0] == (3, 150, 12500)


def test_squares_are_odd_where_the_sum_is():
    # Mean 50 and sd 1: n items have the sum 50 n, which is even, and the squares
    # n - 1 + 2500 n, which are odd where n is even.
    counts = worker_scale.possible_item_counts(50.0, 1.0, 0, 0, 0)
    assert [n for n, *_ in counts[:3]] == [3, 5, 7]
    # Of two items squares would be 1 + T^2 / 2: no whole number where T is odd.
    for items, possible in [(2, False), (3, True)]:
        one = np.array([50.0]), np.array([1])
        means, _ = worker_scale.possible_means([items], 1.0, *one)
        assert (50.0 in means) == possible


def test_find_scale_needs_two_rows():
    # A worker of mean 50 and sd 60, who gave 20 and 80.
    raw = np.array([20.0, 80.0])
    z = np.array([-0.5, 0.5])
    rows = np.arange(2)
    scale, explained = worker_scale.find_scale(raw, z, rows)
    assert scale == (50.0, 60.0) and explained.all()
    # The two z-scores are as far apart as before, nearly, so that mean and sd have
    # seven digits; but the second one is further off than a printed one can be.
    z += np.array([1.04, 2.0]) * worker_scale.Z_ERROR
    scale, explained = worker_scale.find_scale(raw, z, rows)
    assert scale is None and not explained.any()


def test_possible_offsets_take_halves_for_any_two_scores_of_their_sum():
    # 0 and 100 for one segment, known as 50 and 50; 50 is known, and 50 is not. By
    # the offset q the unknown one is 50 + q, whatever the two were.
    scores = np.array([0, 100, 50, 50])
    known = np.array([50.0, 50.0]), np.array([2, 1])
    bounds = worker_scale.possible_offsets([4], *stated(scores), *known)
    assert bounds == (-50, 50)


@given(SCORES, st.integers(0, 60))
def test_possible_item_counts_have_the_true_number(scores, seen):
    part = scores[:seen]
    squares = sum(s * s for s in part)
    counts = worker_scale.possible_item_counts(
        *stated(scores), judgements=len(part), total=sum(part), squares=squares
    )
    assert (len(scores), sum(scores), sum(s * s for s in scores)) in counts


@example([0, 0, 31], 1, 1)  # 10.33333 has five decimals, 9.333333 would have six
@given(SCORES, st.integers(1, 60), st.integers(-20, 20))
def test_possible_means_and_offsets_have_the_true_ones(scores, seen, off):
    mean, sd = stated(scores)
    part = np.array(scores[:seen], dtype=float)
    sizes = [len(scores)]
    times = np.ones(len(part), dtype=np.int64)
    lowest, highest = worker_scale.possible_offsets(
        sizes, mean - off, sd, part - off, times
    )
    assert lowest <= off <= highest
    means, counts = worker_scale.possible_means(sizes, sd, part, times)
    assert counts[means == round(mean, 5)].tolist() == sizes
