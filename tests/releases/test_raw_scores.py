"""Scores from 0 to 100 out of z-scores: exact, or said not to be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from wmtlib.judgements.errors import DataError, Origin
from wmtlib.releases import raw_scores, raw_scores_from_means, raw_scores_proof
from wmtlib.releases.raw_scores_proof import ZScoreRelease

HERE = Origin("here.csv")


def printed(value):
    return float(f"{value:.7g}")


def release(rows):
    """From (worker, system, segment, item, score): released rows, z, scales, segment means."""
    frame = pd.DataFrame(rows, columns=["WorkerId", "sys_id", "sid", "type", "score"])
    score = frame["score"].to_numpy(float)
    by_worker = frame.groupby("WorkerId")["score"]
    scales = pd.DataFrame({"mean": by_worker.mean(), "sd": by_worker.std(ddof=1)})
    scales = scales.map(printed)
    scale = scales.loc[frame["WorkerId"]].to_numpy()
    z = (score - scale[:, 0]) / scale[:, 1]
    released = frame.drop(columns="score").astype("category")
    parts = frame.assign(z=z, system=frame["sys_id"].str.split("+", regex=False)).explode("system")
    parts = parts[parts["type"].isin(["SYSTEM", "REPEAT"])]
    means = parts.groupby(["system", "sid"])
    segments = means.agg(raw=("score", "mean"), z=("z", "mean"), judgements=("z", "size"))
    segments = segments.reset_index().rename(columns={"sid": "segment"})
    return released, score, z, scales, segments


ALONE = [
    ("w1", "A", "1", "SYSTEM", 10),
    ("w1", "B", "1", "SYSTEM", 30),
    ("w1", "A+B", "2", "SYSTEM", 50),
    ("w1", "A", "3", "BAD_REF", 0),
    ("w2", "A", "4", "SYSTEM", 20),
    ("w2", "A", "1", "REPEAT", 95),
    ("w2", "B", "1", "SYSTEM", 80),
]
# Two workers who judged the same outputs and no other: only the sum of their scores is known.
TOGETHER = [
    *ALONE,
    *(("w3", "A", str(k), "SYSTEM", x) for k, x in [(11, 1), (12, 60), (13, 98)]),
    *(("w4", "A", str(k), "SYSTEM", x) for k, x in [(11, 99), (12, 3), (13, 50)]),
]


def test_scores_are_mean_plus_sd_times_z():
    released, score, z, scales, _ = release(ALONE)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    assert recovery.scores.tolist() == score.tolist()
    assert recovery.workers["judgements"].to_dict() == {"worker_0001": 4, "worker_0002": 3}
    assert recovery.unpinned.empty


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


def judgements(workers=4):
    """Each worker: a few outputs with scores that are not all the same."""
    one = st.tuples(st.sampled_from("ABC"), st.integers(1, 6), st.integers(0, 100))
    rows = st.lists(one, min_size=2, max_size=8).filter(lambda r: len({x for *_, x in r}) > 1)
    return st.lists(rows, min_size=1, max_size=workers).map(
        lambda all_rows: [
            (f"w{k}", system, str(segment), "SYSTEM", score)
            for k, rows in enumerate(all_rows)
            for system, segment, score in rows
        ]
    )


@given(judgements())
def test_scores_come_back_from_scales(rows):
    released, score, z, scales, segments = release(rows)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    assert (recovery.scores == score).all()
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, scales, segments, recovery))
    assert proof.not_whole == proof.scales_off == proof.unpinned_workers == 0
    assert proof.z_deviation_printed < 1e-12
    assert proof.segments == len(segments)
    assert proof.segments_raw_off == proof.segments_unexplained == 0


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
    assert proof.not_whole == proof.segments_raw_off == 0


def test_proof_tells_who_is_left_out_and_what_is_not_explained():
    released, _, z, scales, segments = release(ALONE)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    segments.loc[0, "judgements"] += 1  # somebody without spread judged it too: no z-score
    segments.loc[1, "z"] += 0.1
    segments = pd.concat([segments, segments.iloc[[2]].assign(segment="9")])
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, scales, segments, recovery))
    assert proof.segments_left_out == 1
    assert proof.segments_unexplained == 2


def test_human_segments_are_the_references_once_for_every_joint_name():
    rows = [*ALONE, ("w1", "A+B", "7", "REF", 40), ("w2", "A", "7", "REF", 100)]
    released, score, z, _, segments = release(rows)
    human = {"system": "HUMAN", "segment": "7", "raw": 60.0, "judgements": 3}
    human["z"] = (2 * z[-2] + z[-1]) / 3
    segments = pd.concat([segments, pd.DataFrame([human])], ignore_index=True)
    recovery = raw_scores_from_means.recover_from_means(released, z, segments, HERE)
    assert (recovery.scores == score).all()
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, None, segments, recovery))
    assert proof.segments_unexplained == proof.segments_raw_off == 0
    assert np.isnan(proof.scales_off)


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
