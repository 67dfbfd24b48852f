"""Scores from z-scores: from scales or segment means, exact or open; the proof."""

import numpy as np
import pandas as pd
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from examples import data_error
from study.data import raw_scores
from wmtlib.core.errors import DataError

ALONE = [
    ("w1", "A", "1", "SYSTEM", 10),
    ("w1", "B", "1", "SYSTEM", 30),
    ("w1", "A+B", "2", "SYSTEM", 50),
    ("w1", "A", "3", "BAD_REF", 0),
    ("w2", "A", "4", "SYSTEM", 20),
    ("w2", "A", "1", "REPEAT", 95),
    ("w2", "B", "1", "SYSTEM", 80),
]
# Two workers who judged the same outputs and no other: only the sum of their scores is
# known.
TOGETHER = [
    *ALONE,
    *(("w3", "A", str(k), "SYSTEM", x) for k, x in [(11, 1), (12, 60), (13, 98)]),
    *(("w4", "A", str(k), "SYSTEM", x) for k, x in [(11, 99), (12, 3), (13, 50)]),
]

# A recovery takes tenths of a second.
few = settings(max_examples=settings().max_examples * 2 // 5)


def release(rows):
    """Released rows, scores, scales and segment means; rows as those above."""
    frame = pd.DataFrame(rows, columns=["WorkerId", "sys_id", "sid", "type", "score"])
    score = frame.pop("score").astype(float)
    by_worker = score.groupby(frame["WorkerId"])
    scales = pd.DataFrame({"mean": by_worker.mean(), "sd": by_worker.std(ddof=1)})
    scales = scales.map(lambda value: float(f"{value:.7g}"))
    scale = scales.loc[frame["WorkerId"]].to_numpy()
    z = (score - scale[:, 0]) / scale[:, 1]
    released = frame.astype("category").assign(z=z)
    system = frame["sys_id"].str.split("+", regex=False)
    parts = frame.assign(score=score, z=z, system=system).explode("system")
    parts = parts[parts["type"].isin(["SYSTEM", "REPEAT"])]
    parts = parts.rename(columns={"sid": "segment"})
    segments = parts.groupby(["system", "segment"], as_index=False).agg(
        raw=("score", "mean"), z=("z", "mean"), judgements=("z", "size")
    )
    return released, score.to_numpy(), scales, segments


def judgements(workers=4):
    """Each worker: a few outputs with scores that are not all the same."""
    one = st.tuples(st.sampled_from("ABC"), st.integers(1, 6), st.integers(0, 100))
    rows = st.lists(one, min_size=2, max_size=8).filter(
        lambda r: len({x for *_, x in r}) > 1
    )
    return st.lists(rows, min_size=1, max_size=workers).map(
        lambda all_rows: [
            (f"w{k}", system, str(segment), "SYSTEM", score)
            for k, rows in enumerate(all_rows)
            for system, segment, score in rows
        ]
    )


@few
@given(judgements())
def test_scores_come_back_from_scales(rows):
    released, score, scales, segments = release(rows)
    recovered = raw_scores.recover_from_scales(released, scales)
    assert (recovered.scores == score).all()
    proof = raw_scores.prove(released, recovered, scales, segments)
    assert proof["not_whole"] == proof["scales_off"] == proof["unpinned_by"] == 0
    assert proof["z_printed"] < 1e-12
    assert proof["segments"] == len(segments)
    assert proof["raw_off"] == proof["unexplained"] == 0


def test_scales_that_do_not_fit_are_refused():
    released, _, scales, _ = release(ALONE)
    wrong = [scales.assign(mean=scales["mean"] + 0.5), scales.drop(index="w2")]
    for other in [*wrong, scales.assign(sd=np.nan)]:
        with data_error("give scores that are no whole numbers"):
            raw_scores.recover_from_scales(released, other)


def test_recover_from_means_reports_several_solutions():
    """w3 and w4 are 1..98 and 3..99: one may go up while the other goes down.

    w3 spans 97 points, so its lowest score is 0-3; w4 spans 96; the two lowest add up
    to 4.
    """
    released, score, _, segments = release(TOGETHER)
    recovered = raw_scores.recover_from_means(released, segments)
    assert recovered.solutions.tolist() == [1, 1, 4, 4]
    assert (recovered.scores - score).tolist() == [0] * 7 + [-1] * 3 + [1] * 3
    proof = raw_scores.prove(released, recovered, None, segments)
    assert (proof["unpinned_by"], proof["unpinned"]) == (2, 6)


@settings(few, phases=[Phase.explicit, Phase.generate])
@given(judgements(workers=2))
def test_recover_from_means_is_right_or_reports_several_solutions(rows):
    released, score, _, segments = release(rows)
    try:
        recovered = raw_scores.recover_from_means(released, segments)
    except DataError as error:  # workers who judged little and always together
        assert str(error).endswith("are too little known to recover")
        return
    code = released["WorkerId"].cat.codes.to_numpy()
    pinned = recovered.solutions == 1
    assert (recovered.scores == score)[pinned[code]].all()
    proof = raw_scores.prove(released, recovered, None, segments)
    assert proof["not_whole"] == proof["raw_off"] == 0


def test_segment_means_that_do_not_fit_are_refused():
    released, _, _, segments = release(ALONE)
    with data_error("agree with no whole scores"):
        raw_scores.recover_from_means(
            released, segments.assign(raw=segments["raw"] + 0.3)
        )


def test_prove_counts_segments_left_out_and_unexplained():
    released, _, scales, segments = release(ALONE)
    recovered = raw_scores.recover_from_scales(released, scales)
    # Somebody without spread judged it too: no z-score.
    segments.loc[0, "judgements"] += 1
    segments.loc[1, "z"] += 0.1
    segments = pd.concat([segments, segments.iloc[[2]].assign(segment="9")])
    proof = raw_scores.prove(released, recovered, scales, segments)
    assert (proof["left_out"], proof["unexplained"]) == (1, 2)
    scales.loc["w1", "mean"] += 1e-4
    off = raw_scores.prove(released, recovered, scales, None)
    assert off["scales_off"] == 1 and np.isnan(off["segments"])
