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
