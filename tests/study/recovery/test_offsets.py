"""Offsets and means of groups: worked by hand, and against brute force."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.recovery import attribution, offsets, recover
from study.recovery.attribution import State

BOUNDS = st.lists(
    st.tuples(st.integers(-6, 4), st.integers(0, 5)), min_size=2, max_size=4
)


@given(BOUNDS)
def test_offsets_are_all_that_add_up_to_zero(bounds):
    low, width = np.array(bounds, dtype=float).T
    high = low + width
    axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    expected = [list(q) for q in product(*axes) if sum(q) == 0]
    assert offsets.offsets_within(low, high).tolist() == expected
    only = offsets.only_offset(low, high)
    assert (only is not None) == (len(expected) == 1)
    if only is not None:
        assert only.tolist() == expected[0]


def couple(extreme):
    """A run of two workers, and segments of worker 0 alone if `extreme` is false."""
    mean = np.array([55.12345, 61.54321])
    sd = np.array([14.98765, 22.45678])
    scores = np.array(
        [[0, 0], [100, 100], [30, 75], [44, 12], [81, 90], [5, 66], [71, 38]]
    )
    if not extreme:
        scores = scores.clip(20, 80)
    z = (scores - mean) / sd
    means = {"raw": scores.mean(axis=1), "z": z.mean(axis=1), "judgements": 2}
    frame = pd.DataFrame(means)
    if not extreme:
        raw = np.array([30.0, 41.0])
        alone = {"raw": raw, "z": (raw - mean[0]) / sd[0], "judgements": 1}
        frame = pd.concat([frame, pd.DataFrame(alone)], ignore_index=True)
    frame["segment"] = [f"d_{k}" for k in range(len(frame))]
    state = State(frame.assign(system="A", document="d"))
    attribution.split_single(state)
    attribution.split_unknown_groups(state, 2)
    offsets.find_offsets(state)
    state.record_groups()
    return state, scores, mean


def test_scores_that_use_the_whole_scale_fix_the_offsets():
    state, scores, _ = couple(extreme=True)
    (group,) = state.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert np.isnan(state.mean).all()  # of the means only the sum of mean / sd is known
    assert recover.certified_splits(state)["total"].tolist() == scores.ravel().tolist()


def test_one_unknown_mean_must_have_seven_digits():
    state, scores, mean = couple(extreme=False)
    (group,) = state.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert state.mean.tolist() == mean.tolist()
    found = recover.certified_splits(state)
    assert found["row"].tolist() == sorted([*range(7), *range(9)])
    assert found["total"].sum() == scores.sum() + 71


def test_several_offsets_that_fit_fix_nothing():
    # Of workers with one sd every offset leaves the level, and so the last mean, alike.
    state = State(
        pd.DataFrame(
            {"system": "A", "document": "d", "segment": ["d_0", "d_1"]}
        ).assign(raw=[45.0, 60.0], z=0.0, judgements=2)
    )
    workers = [state.add_worker(mean, 20.0) for mean in (50.0, np.nan)]
    totals = np.array([[40, 50], [55, 65]])
    sd = np.array([20.0, 20.0])
    times = np.ones(2, dtype=int)
    group = attribution.WorkerGroup(workers, sd, 5.5, np.arange(2), times, totals)
    state.groups.append(group)
    offsets.find_offsets(state)
    assert not group.fixed and np.isnan(state.mean[1])
    np.testing.assert_array_equal(group.totals, totals)


def test_what_does_not_give_the_published_mean_again_is_dropped():
    state, _, _ = couple(extreme=False)
    state.z = state.z + 1e-9 * (np.arange(9) == 8)
    state.y = state.z * state.n
    found = recover.certified_splits(state)
    assert set(found["row"]) == set(range(8))
    assert recover.statuses(state, found).tolist() == ["proven"] * 8 + ["ambiguous"]


# --- means, from the numbers of items -------------------------------------------------


def a_team(items):
    """Two workers who judged twenty segments together, and others; `items` in all."""
    rng = np.random.default_rng(1)
    scores = [rng.integers(20, 91, n) for n in items]
    mean = [float(f"{s.mean():.7g}") for s in scores]
    sd = [float(f"{s.std(ddof=1):.7g}") for s in scores]
    both = np.array([s[:20] for s in scores]).T
    z = ((both - mean) / sd).mean(axis=1)
    frame = pd.DataFrame({"raw": both.mean(axis=1), "z": z, "judgements": 2})
    frame["segment"] = [f"d_{k}" for k in range(20)]
    state = State(frame.assign(system="A", document="d"))
    attribution.split_unknown_groups(state, 2)
    offsets.find_means(state)
    by_sd = np.argsort(sd)
    return state, both[:, by_sd], np.sort(sd), np.array(mean)[by_sd]


@pytest.mark.parametrize("items", [(40, 40), (33, 35), (31, 62)])
def test_nearly_equal_numbers_of_items_or_twice_as_many_give_the_means(items):
    state, scores, sd, mean = a_team(items)
    (group,) = state.groups
    assert group.sd.tolist() == sd.tolist()
    offset = (scores - group.scores())[0]
    np.testing.assert_allclose(group.means + offset, mean, rtol=0, atol=1e-9)
    counts = [state.item_counts[w] for w in group.workers]
    assert set().union(*counts) >= set(items)
