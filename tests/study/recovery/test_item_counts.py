"""Means of workers who are known only together, from their numbers of items."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.study.recovery import attribution, item_counts
from wmtlib.study.recovery.state import State


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
    item_counts.find_means(known)
    (group,) = known.groups
    return known, group, both[:, np.argsort(sd)], np.sort(sd), np.array(mean)[np.argsort(sd)]


@pytest.mark.parametrize("items", [(40, 40), (33, 35), (31, 62)])
def test_nearly_equal_numbers_of_items_or_twice_as_many_give_the_means(items):
    known, group, scores, sd, mean = a_team(items)
    assert group.sd.tolist() == sd.tolist()
    offset = (scores - group.scores())[0]
    np.testing.assert_allclose(group.means + offset, mean, rtol=0, atol=1e-9)
    sizes = [known.item_counts[w] for w in group.workers]
    assert {n for own in sizes for n in own} >= set(items)
    assert (group.limits[0] <= offset).all() and (offset <= group.limits[1]).all()


def test_numbers_of_items_that_differ_more_give_none():
    assert a_team((33, 45))[1].means is None


def test_a_group_is_looked_at_again_only_when_more_of_it_is_known(monkeypatch):
    known, group, *_ = a_team((33, 45))
    monkeypatch.setattr(item_counts, "possible_means", None)
    item_counts.find_means(known)
    assert group.tried == 20
