"""Offsets and means of groups: worked by hand, and against brute force."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.study.recovery import attribution, offsets, recover
from wmtlib.study.recovery.state import State

BOUNDS = st.lists(
    st.tuples(st.integers(-6, 4), st.integers(0, 5)), min_size=2, max_size=4
)


def split(bounds):
    low = np.array([float(a) for a, _ in bounds])
    return low, low + np.array([float(b) for _, b in bounds])


@given(BOUNDS)
def test_offsets_are_all_that_add_up_to_zero(bounds):
    low, high = split(bounds)
    axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    expected = [list(q) for q in product(*axes) if sum(q) == 0]
    assert offsets.offsets_within(low, high).tolist() == expected
    only = offsets.only_offset(low, high)
    assert (only is not None) == (len(expected) == 1)
    if only is not None:
        assert only.tolist() == expected[0]


def couple(extreme):
    """A run of two workers, and segments of worker 0 alone if `extreme` is false."""
    mean, sd = np.array([55.12345, 61.54321]), np.array([14.98765, 22.45678])
    scores = np.array(
        [[0, 0], [100, 100], [30, 75], [44, 12], [81, 90], [5, 66], [71, 38]]
    )
    if not extreme:
        scores = scores.clip(20, 80)
    z = (scores - mean) / sd
    raw, n = list(scores.mean(axis=1)), [2] * 7
    y = list(z.mean(axis=1))
    if not extreme:
        raw, y, n = (
            [*raw, 30.0, 41.0],
            [*y, *((np.array([30, 41]) - mean[0]) / sd[0])],
            [*n, 1, 1],
        )
    frame = pd.DataFrame({"raw": raw, "z": y, "judgements": n})
    frame["segment"] = [f"d_{k}" for k in range(len(raw))]
    known = State(frame.assign(system="A", document="d"))
    attribution.split_single(known)
    attribution.split_unknown_groups(known, 2)
    offsets.find_offsets(known)
    known.record_groups()
    return known, scores, mean


def test_scores_that_use_the_whole_scale_fix_the_offsets():
    known, scores, _ = couple(extreme=True)
    (group,) = known.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert np.isnan(known.mean).all()  # of the means only the sum of mean / sd is known
    assert recover.certified_splits(known)["total"].tolist() == scores.ravel().tolist()


def test_one_unknown_mean_must_have_seven_digits():
    known, scores, mean = couple(extreme=False)
    (group,) = known.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert known.mean == mean.tolist()
    found = recover.certified_splits(known)
    assert found["row"].tolist() == sorted([*range(7), *range(9)])
    assert found["total"].sum() == scores.sum() + 71


def test_what_does_not_give_the_published_mean_again_is_dropped():
    known, _, _ = couple(extreme=False)
    known.z = known.z + 1e-9 * (np.arange(9) == 8)
    known.y = known.z * known.n
    found = recover.certified_splits(known)
    assert set(found["row"]) == set(range(8))
    assert recover.statuses(known, found).tolist() == ["proven"] * 8 + ["ambiguous"]


# --- means, from the numbers of items -------------------------------------------------


def a_team(items, *, seed=1):
    """Two workers who judged the same twenty segments, and others alone: `items` each, in all."""
    rng = np.random.default_rng(seed)
    scores = [rng.integers(20, 91, n) for n in items]
    mean = [float(f"{s.mean():.7g}") for s in scores]
    sd = [float(f"{s.std(ddof=1):.7g}") for s in scores]
    both = np.array([s[:20] for s in scores]).T
    z = ((both - mean) / sd).mean(axis=1)
    frame = pd.DataFrame({"raw": both.mean(axis=1), "z": z, "judgements": 2})
    frame["segment"] = [f"d_{k}" for k in range(20)]
    known = State(frame.assign(system="A", document="d"))
    attribution.split_unknown_groups(known, 2)
    offsets.find_means(known)
    (group,) = known.groups
    return (
        known,
        group,
        both[:, np.argsort(sd)],
        np.sort(sd),
        np.array(mean)[np.argsort(sd)],
    )


@pytest.mark.parametrize("items", [(40, 40), (33, 35), (31, 62)])
def test_nearly_equal_numbers_of_items_or_twice_as_many_give_the_means(items):
    known, group, scores, sd, mean = a_team(items)
    assert group.sd.tolist() == sd.tolist()
    offset = (scores - group.scores())[0]
    np.testing.assert_allclose(group.means + offset, mean, rtol=0, atol=1e-9)
    sizes = [known.item_counts[w] for w in group.workers]
    assert {n for own in sizes for n in own} >= set(items)
    assert (group.limits[0] <= offset).all() and (offset <= group.limits[1]).all()
