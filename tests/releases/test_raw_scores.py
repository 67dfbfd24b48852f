"""Scores from z-scores and the scales of the workers."""

import numpy as np
import pytest
from hypothesis import given
from wmtlib.study.releases.raw_scores_proof import ZScoreRelease
from z_scores import ALONE, judgements, release

from wmtlib.errors import DataError, Origin
from wmtlib.study.releases import raw_scores, raw_scores_proof

HERE = Origin("here.csv")


def test_scores_are_mean_plus_sd_times_z():
    released, score, z, scales, _ = release(ALONE)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    assert recovery.scores.tolist() == score.tolist()
    assert recovery.workers["judgements"].to_dict() == {"worker_0001": 4, "worker_0002": 3}
    assert recovery.unpinned.empty


@given(judgements())
def test_scores_come_back_from_scales(rows):
    released, score, z, scales, segments = release(rows)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    assert (recovery.scores == score).all()
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, scales, segments, recovery))
    assert proof.not_whole == proof.scales_off == proof.unpinned_by == 0
    assert proof.z_printed < 1e-12
    assert proof.segments == len(segments)
    assert proof.raw_off == proof.unexplained == 0


def test_scales_that_do_not_fit_are_refused():
    released, _, z, scales, _ = release(ALONE)
    for wrong, message in [
        (scales.assign(mean=scales["mean"] + 0.5), "line 2: the score comes out as 10.5"),
        (scales.assign(mean=scales["mean"] + 90), r"line 3: the score comes out as 120"),
        (scales.drop(index="w2"), "a worker has z-scores but no mean and standard deviation"),
        (scales.assign(sd=np.nan), "a worker has z-scores but no mean and standard deviation"),
    ]:
        with pytest.raises(DataError, match=message):
            raw_scores.recover_from_scales(z, released["WorkerId"], wrong, HERE)
