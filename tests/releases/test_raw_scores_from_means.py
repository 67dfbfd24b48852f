"""Scores from z-scores and segment means: exact, or shown to be open."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from wmtlib.study.releases.raw_scores_proof import ZScoreRelease
from z_scores import ALONE, TOGETHER, judgements, release

from wmtlib.errors import DataError, Origin
from wmtlib.study.releases import raw_scores_from_means, raw_scores_proof

HERE = Origin("here.csv")


def test_scores_are_solved_from_segment_means():
    released, score, z, _, segments = release(ALONE)
    recovery = raw_scores_from_means.recover_from_means(released, z, segments, HERE)
    assert recovery.scores.tolist() == score.tolist()
    assert recovery.unpinned.empty


def test_what_segment_means_leave_open_is_said():
    """w3 and w4 are 1..98 and 3..99: one may go up while the other goes down."""
    released, score, z, _, segments = release(TOGETHER)
    recovery = raw_scores_from_means.recover_from_means(released, z, segments, HERE)
    assert list(recovery.unpinned.index) == ["worker_0003", "worker_0004"]
    # w3 spans 97 points, so its lowest score is 0-3; w4 spans 96; the two lowest add up to 4.
    assert recovery.unpinned["lowest"].tolist() == [0, 1]
    assert recovery.unpinned["highest"].tolist() == [3, 4]
    assert recovery.unpinned["solutions"].tolist() == [4, 4]
    assert recovery.scores[:7].tolist() == score[:7].tolist()
    assert (recovery.scores - score)[7:].tolist() == [-1, -1, -1, 1, 1, 1]


@settings(max_examples=25, phases=[Phase.explicit, Phase.generate])
@given(judgements(workers=2))
def test_scores_from_segment_means_are_right_or_said_to_be_open(rows):
    released, score, z, scales, segments = release(rows)
    try:
        recovery = raw_scores_from_means.recover_from_means(released, z, segments, HERE)
    except DataError as error:  # workers who judged little and always together
        assert str(error).endswith("are too little known to recover")
        return
    pinned = recovery.workers["solutions"].to_numpy() == 1
    code = np.unique(released["WorkerId"].astype(str), return_inverse=True)[1]
    assert (recovery.scores == score)[pinned[code]].all()
    lowest = pd.Series(score).groupby(code).min().to_numpy()
    assert (recovery.workers["lowest"] <= lowest).all()
    assert (lowest <= recovery.workers["highest"]).all()
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, scales, segments, recovery))
    assert proof.not_whole == proof.raw_off == 0


def test_human_segments_are_the_references_once_for_every_joint_name():
    rows = [*ALONE, ("w1", "A+B", "7", "REF", 40), ("w2", "A", "7", "REF", 100)]
    released, score, z, _, segments = release(rows)
    human = {"system": "HUMAN", "segment": "7", "raw": 60.0, "judgements": 3}
    human["z"] = (2 * z[-2] + z[-1]) / 3
    segments = pd.concat([segments, pd.DataFrame([human])], ignore_index=True)
    recovery = raw_scores_from_means.recover_from_means(released, z, segments, HERE)
    assert (recovery.scores == score).all()
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, None, segments, recovery))
    assert proof.unexplained == proof.raw_off == 0
    assert np.isnan(proof.scales_off)


def test_segment_means_that_do_not_fit_are_refused():
    released, _, z, _, segments = release(ALONE)
    with pytest.raises(DataError, match="agree with no whole scores"):
        raw_scores_from_means.recover_from_means(
            released, z, segments.assign(raw=segments["raw"] + 0.3), HERE
        )
    with pytest.raises(DataError, match="come from no whole numbers"):
        raw_scores_from_means.recover_from_means(released, z**3, segments, HERE)
    with pytest.raises(DataError, match="are all the same"):
        raw_scores_from_means.recover_from_means(released, z * 0, segments, HERE)
