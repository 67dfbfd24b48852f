"""Offsets and means of groups: worked by hand, and against brute force."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.recovery import attribution, offsets, recover
from study.recovery.knowledge import WorkerGroup, nothing_found

BOUNDS = st.lists(
    st.tuples(st.integers(-6, 4), st.integers(0, 5)), min_size=2, max_size=4
)


@given(BOUNDS)
def test_offsets_within_lists_all_that_add_up_to_zero(bounds):
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
    """Return what a run of two workers proves, of extreme scores or with more rows."""
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
    known = nothing_found(frame.assign(system="A", document="d"))
    known = attribution.split_single(known)
    known = attribution.split_unknown_groups(known, workers=2)
    known = attribution.split_groups(offsets.find_offsets(known))
    return known, scores, mean


def test_find_offsets_follow_from_scores_that_use_the_whole_scale():
    known, scores, _ = couple(extreme=True)
    (group,) = known.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert np.isnan(known.mean).all()  # of the means only the sum of mean / sd is known
    assert recover.certify(known).splits["total"].tolist() == scores.ravel().tolist()


def test_find_offsets_takes_the_mean_of_seven_digits():
    known, scores, mean = couple(extreme=False)
    (group,) = known.groups
    assert group.fixed
    np.testing.assert_array_equal(group.scores(), scores)
    assert known.mean.tolist() == mean.tolist()
    found = recover.certify(known).splits
    assert found["row"].tolist() == sorted([*range(7), *range(9)])
    assert found["total"].sum() == scores.sum() + 71


def test_find_offsets_fixes_nothing_where_several_fit():
    # Of workers with one sd every offset leaves the level, and so the last mean, alike.
    frame = pd.DataFrame({"segment": ["d_0", "d_1"], "raw": [45.0, 60.0]})
    frame = frame.assign(system="A", document="d", z=0.0, judgements=2)
    sd = np.array([20.0, 20.0])
    known = nothing_found(frame).with_workers(np.array([50.0, np.nan]), sd)
    totals = np.array([[40, 50], [55, 65]])
    times = np.ones(2, dtype=int)
    group = WorkerGroup(np.arange(2), sd, 5.5, np.arange(2), times, totals)
    known = replace(known, groups=(group,))
    assert offsets.find_offsets(known) is known


def test_certify_drops_splits_that_do_not_give_the_published_mean():
    known, _, _ = couple(extreme=False)
    z = known.segments.z + 1e-9 * (np.arange(9) == 8)
    known = recover.certify(replace(known, segments=replace(known.segments, z=z)))
    assert set(known.splits["row"]) == set(range(8))
    assert recover.statuses(known).tolist() == ["proven"] * 8 + ["ambiguous"]


# --- means, from the numbers of items -------------------------------------------------


def a_team(items):
    """Return what twenty segments prove of two workers who scored `items` in all."""
    rng = np.random.default_rng(1)
    scores = [rng.integers(20, 91, n) for n in items]
    mean = [float(f"{s.mean():.7g}") for s in scores]
    sd = [float(f"{s.std(ddof=1):.7g}") for s in scores]
    both = np.array([s[:20] for s in scores]).T
    z = ((both - mean) / sd).mean(axis=1)
    frame = pd.DataFrame({"raw": both.mean(axis=1), "z": z, "judgements": 2})
    frame["segment"] = [f"d_{k}" for k in range(20)]
    known = nothing_found(frame.assign(system="A", document="d"))
    known = attribution.split_unknown_groups(known, workers=2)
    known = offsets.find_means(known)
    by_sd = np.argsort(sd)
    return known, both[:, by_sd], np.sort(sd), np.array(mean)[by_sd]


@pytest.mark.parametrize("items", [(40, 40), (33, 35), (31, 62)])
def test_find_means_takes_nearly_equal_or_twice_as_many_items(items):
    known, scores, sd, mean = a_team(items)
    (group,) = known.groups
    assert group.sd.tolist() == sd.tolist()
    offset = (scores - group.scores())[0]
    np.testing.assert_allclose(group.means + offset, mean, rtol=0, atol=1e-9)
    counts = [known.item_counts[w] for w in group.workers]
    assert set().union(*counts) >= set(items)


def test_find_means_takes_no_worker_for_one_with_three_times_as_many_items():
    known, *_ = a_team((31, 93))
    (group,) = known.groups
    assert group.means is None and not known.item_counts
