"""Direct assessments as means of means; a removal that changes a worker's scale too."""

import numpy as np
import pytest
from assessed import drawn, encoded, one_worker
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import fewest as fewest_assessments
from wmtlib import fewest as fewest_removals
from wmtlib.ranking import rank_systems
from wmtlib.zscores import encode


@given(st.integers(0, 50))
def test_scores_are_those_of_the_ranking(seed):
    campaign = encode(drawn(seed))
    credits = fewest_assessments.assessment_credits(campaign, unit="hit")
    expected = rank_systems(campaign).column("score")
    np.testing.assert_allclose(credits.scores(), expected[[*campaign.systems]], atol=1e-12)
    assert len(credits.unit) == len(campaign.score)


def test_a_removal_that_the_scale_undoes():
    # One worker, segments of their own. A: 90, 10, B: 50, 40: A is ahead until the 90 is gone.
    campaign = encoded(one_worker(90, 50, 10, 40))
    credits = fewest_assessments.assessment_credits(campaign, unit="segment")
    assert fewest_removals.fewest_singles(credits, 0, 1) == (1, 1)
    without = np.array([True, False, False, False])
    assert fewest_assessments.still_ended(campaign, 0, 1, without)
    assert not fewest_assessments.still_ended(campaign, 0, 1, ~np.ones(4, dtype=bool))


def test_other_workers_scales_matter():
    # Without w1's scores of C, w1's mean rises and the spread falls: A and B lose no judgement, and
    # their z-scores are others.
    rows = [("w1", "B", "SYSTEM", "1", 20, True), ("w1", "C", "SYSTEM", "2", 0, True)]
    rows += [("w1", "C", "SYSTEM", "3", 10, True), ("w1", "A", "SYSTEM", "4", 22, True)]
    rows += [("w2", name, "SYSTEM", "5", 30 + 5 * k, True) for k, name in enumerate("ABC")]
    campaign = encoded(rows)
    credits = fewest_assessments.assessment_credits(campaign, unit="worker")
    before = credits.scores()
    removed = np.isin(np.arange(len(rows)), [1, 2])
    fixed = credits.scores(removed)
    assert fixed[:2] == pytest.approx(before[:2])  # neither A nor B loses a judgement
    ended = fewest_assessments.still_ended(campaign, 0, 1, removed)
    left = encoded([row for row, gone in zip(rows, removed, strict=True) if not gone])
    scores = rank_systems(left).column("score")
    assert ended == (scores["A"] <= scores["B"])
