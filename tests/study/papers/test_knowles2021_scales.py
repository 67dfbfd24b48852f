"""Mean z-scores under many workers' scales, against one ranking at a time."""

import numpy as np
import pytest

from examples import assessments, drawn, rng
from wmtlib.assessments import encode
from wmtlib.study.papers.knowles2021_scales import (
    mean_z_scores,
    means_by_scales,
    reversals,
)


def one_by_one(campaign, left_out, unranked):
    pairs = zip(left_out, np.broadcast_to(unranked, (len(left_out), 5)), strict=True)
    return [mean_z_scores(campaign, u, scales_from=~rows) for rows, u in pairs]


@pytest.mark.parametrize("divisor", [1, 3])
def test_all_choices_at_once_are_those_of_one_at_a_time(divisor):
    frame = drawn(8)
    campaign = encode(frame.assign(score=frame["score"] / divisor))
    left_out = rng(1).random((6, len(frame))) < 0.3
    for unranked in (
        campaign.is_system(["HUMAN"])[None],
        np.eye(5, dtype=bool)[[0] * 6],
    ):
        expected = one_by_one(campaign, left_out, unranked)
        assert means_by_scales(campaign, left_out, unranked) == pytest.approx(
            np.array(expected), nan_ok=True
        )


def test_a_worker_who_comes_to_give_one_score_is_left_out():
    rows = [
        ("h", worker, system, "SYSTEM", "", str(k), score)
        for worker, scores in {"w": (50, 50, 90, 50), "v": (20, 80, 40, 60)}.items()
        for k, (system, score) in enumerate(zip("ABAB", scores, strict=True))
    ]
    campaign = encode(assessments(rows))
    left_out = (campaign.score == 90)[None]
    means = means_by_scales(campaign, left_out, np.zeros((1, 2), dtype=bool))
    # The scores of v alone: mean 50, and A has 20 and 40, B 80 and 60.
    assert means[0] == pytest.approx(
        np.array([-20, 20]) / np.std([20, 80, 40, 60], ddof=1)
    )
    assert reversals(np.array([1.0, 0.0]), means).tolist() == [1]
