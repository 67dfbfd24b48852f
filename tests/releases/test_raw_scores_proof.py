"""The comparison of recovered scores with everything official."""

import pandas as pd
from wmtlib.study.releases.raw_scores_proof import ZScoreRelease
from z_scores import ALONE, release

from wmtlib.errors import Origin
from wmtlib.study.releases import raw_scores, raw_scores_proof

HERE = Origin("here.csv")


def test_proof_tells_who_is_left_out_and_what_is_not_explained():
    released, _, z, scales, segments = release(ALONE)
    recovery = raw_scores.recover_from_scales(z, released["WorkerId"], scales, HERE)
    segments.loc[0, "judgements"] += 1  # somebody without spread judged it too: no z-score
    segments.loc[1, "z"] += 0.1
    segments = pd.concat([segments, segments.iloc[[2]].assign(segment="9")])
    proof = raw_scores_proof.prove(ZScoreRelease(released, z, scales, segments, recovery))
    assert proof.left_out == 1
    assert proof.unexplained == 2
