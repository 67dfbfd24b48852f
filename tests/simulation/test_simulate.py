"""Simulated campaigns: scores by hand, then what holds for all designs."""

from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.counts import ASSESSMENTS, tidy_assessments
from wmtlib.study.simulation import simulate
from wmtlib.study.simulation.designs import HUMAN, calibrated
from wmtlib.study.simulation.hit_designs import PROTOCOLS
from wmtlib.study.simulation.simulate import CALIBRATION_HIT
from wmtlib.study.simulation.variance_estimates import EFFECTS
from wmtlib.zscores import encode

SMALL = calibrated("SR-DC", systems=4, documents=15, judgements=700, workers=5)
SILENT = {name: 0.0 for name in (*EFFECTS, "residual", "leniency", "log_scale")}
SILENT |= {"softness": 0.0, "softness_low": 0.0, "ref_spread": 0.0, "bad_ref_spread": 0.0}

DESIGNS = st.builds(
    replace,
    st.just(SMALL),
    protocol=st.sampled_from([*PROTOCOLS]),
    systems=st.integers(2, 9),
    human_quality=st.sampled_from([None, 10.0]),
    calibration_hit=st.sampled_from([0, 30]),
    judgements=st.integers(400, 900),
)


def run(design, seed=1):
    return simulate.campaign(design, np.random.default_rng(seed))


# --- By hand --------------------------------------------------------------------------------------


def test_without_noise_a_score_is_the_quality():
    design = replace(SMALL, **SILENT, mean=50.0, qualities=(0.0, 10.0, -20.5, 60.0))
    design = replace(design, ref_quality=40.0, bad_ref_quality=-45.0)
    found = run(design)
    a = found.assessments
    by_system = a[a["item"].isin(["SYSTEM", "REPEAT"])].groupby("system", observed=True)["score"]
    assert by_system.agg(["min", "max"]).to_numpy().tolist() == [
        [50] * 2,
        [60] * 2,
        [30] * 2,
        [100] * 2,
    ]
    assert a.loc[a["item"] == "REF", "score"].unique().tolist() == [90]
    assert a.loc[a["item"] == "BAD_REF", "score"].unique().tolist() == [5]
    assert found.truth.to_dict() == {
        "simulated-A.1": 50.0,
        "simulated-B.2": 60.0,
        "simulated-C.3": 29.5,
        "simulated-D.4": 110.0,
    }


def test_scores_bend_at_both_ends():
    # At the end itself a score is off by the distance times log 2: 3.5 and 2.8 points.
    bent = {"softness": 5.0, "softness_low": 4.0, "qualities": (50.0, 0.0, -50.0, 30.0)}
    a = run(replace(SMALL, **SILENT | bent, mean=50.0)).assessments
    outputs = a[a["item"] == "SYSTEM"].groupby("system", observed=True)["score"]
    assert outputs.agg(["min", "max"]).to_numpy().tolist() == [
        [97] * 2,
        [50] * 2,
        [3] * 2,
        [80] * 2,
    ]


def test_every_worker_starts_with_the_calibration_hit():
    a = run(replace(SMALL, calibration_hit=30, human_quality=10.0)).assessments
    common = a[a["hit"] == CALIBRATION_HIT]
    assert len(common) == 30 * 5 and len(a) == 700
    by_worker = [
        g[["system", "segment", "item"]].to_numpy().tolist()
        for _, g in common.groupby("worker", observed=True)
    ]
    assert len(by_worker) == 5 and all(g == by_worker[0] for g in by_worker)


def test_by_hit_every_hit_is_a_worker():
    a = run(replace(SMALL, normalise="hit")).assessments
    b = run(SMALL).assessments
    assert (a["worker"].str[-4:] == a["hit"].str[-4:]).all()
    assert b["worker"].nunique() == 5
    pd.testing.assert_frame_equal(a.drop(columns="worker"), b.drop(columns="worker"))


# --- All designs ----------------------------------------------------------------------------------


@given(DESIGNS, st.integers(0, 2**32))
def test_a_campaign_is_what_the_readers_give(design, seed):
    found = run(design, seed)
    a = found.assessments
    assert list(a.columns) == ASSESSMENTS and len(a) == design.judgements
    pd.testing.assert_frame_equal(
        a[["system", "segment", "item", "score"]],
        tidy_assessments(a, "simulated", only_quality_control="keep")[
            ["system", "segment", "item", "score"]
        ],
    )
    assert a["score"].between(0, 100).all() and (a["score"] % 1 == 0).all()
    assert a["accepted"].all() and a["language_pair"].eq("qa-qb").all()
    assert set(a["system"]) <= set(found.truth.index) and (HUMAN in found.truth) == design.human
    assert a.groupby("segment", observed=True)["document"].nunique().eq(1).all()


@given(DESIGNS, st.integers(0, 2**32), st.sampled_from(["worker", "hit"]))
def test_arrays_are_those_of_the_frame(design, seed, normalise):
    if normalise == "hit":
        design = replace(design, normalise="hit", calibration_hit=0)
    found = run(design, seed)
    expected, coded = encode(found.assessments), found.coded
    for name, value in vars(expected).items():
        mine = getattr(coded, name)
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(mine, value)
            assert mine.dtype == value.dtype, name
        else:
            assert mine == value, name


@given(DESIGNS, st.integers(0, 2**32))
def test_the_same_seed_gives_the_same_bytes(design, seed):
    first, second = run(design, seed), run(design, seed)
    assert first.assessments.to_csv() == second.assessments.to_csv()
    pd.testing.assert_series_equal(first.truth, second.truth)


@given(DESIGNS, st.integers(0, 2**32))
def test_a_repeat_is_by_the_same_worker_of_the_same_output(design, seed):
    a = run(replace(design, judgements=800), seed).assessments
    a = a[a["hit"] != a["hit"].iloc[-1]]  # the last HIT may be cut short
    a = a[a["hit"] != CALIBRATION_HIT]
    key = ["hit", "worker", "system", "document", "segment"]
    outputs, repeats = (
        set(a.loc[a["item"] == k, key].itertuples(index=False)) for k in ("SYSTEM", "REPEAT")
    )
    assert repeats <= outputs
    assert a.groupby("hit", observed=True)["worker"].nunique().eq(1).all()


@given(st.sampled_from([*PROTOCOLS]), st.integers(0, 2**32))
def test_a_seed_is_a_world_whatever_the_protocol(protocol, seed):
    one, other = run(SMALL, seed), run(replace(SMALL, protocol=protocol, judgements=900), seed)
    pd.testing.assert_series_equal(one.truth, other.truth)


@settings(max_examples=20)
@given(st.sampled_from([*PROTOCOLS]), st.integers(0, 2**32))
def test_the_truth_is_recovered_without_noise(protocol, seed):
    design = replace(SMALL, **SILENT, mean=50.0, protocol=protocol)
    found = run(replace(design, qualities=(12.0, -3.0, 7.0, -9.0)), seed)
    a = found.assessments[found.assessments["item"] == "SYSTEM"]
    means = a.groupby("system", observed=True)["score"].mean()
    pd.testing.assert_series_equal(
        means, found.truth, check_names=False, check_index_type=False, check_index=False
    )
    assert list(means.index) == list(found.truth.index)
