"""Simulated campaigns: scores by hand, then what holds for all designs, then real ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.judgements.direct_assessments import ASSESSMENTS, tidy_assessments
from wmtlib.judgements.errors import DataError
from wmtlib.releases import assessment_releases
from wmtlib.simulation import design_fit, designs, embedded, simulate
from wmtlib.simulation.designs import HUMAN, Design
from wmtlib.simulation.hit_designs import PROTOCOLS
from wmtlib.simulation.simulate import CALIBRATION_HIT
from wmtlib.simulation.variance_estimates import EFFECTS, describe

SMALL = Design(systems=4, documents=15, judgements=700, workers=5)
SILENT = {name: 0.0 for name in (*EFFECTS, "residual", "leniency", "log_scale")}
SILENT |= {"softness": 0.0, "softness_low": 0.0, "ref_spread": 0.0, "bad_ref_spread": 0.0}

DESIGNS = st.builds(
    replace,
    st.just(SMALL),
    protocol=st.sampled_from([*PROTOCOLS]),
    systems=st.integers(2, 9),
    human=st.booleans(),
    calibration=st.sampled_from([0, 30]),
    judgements=st.integers(400, 900),
    adaptation=st.sampled_from([0.0, 0.5]),
    run=st.sampled_from([0.0, 5.0]),
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
    assert simulate._bent(np.array([-10.0, 120.0]), 0.0, 0.0).tolist() == [-10, 120]
    # At the end itself the score is off by the distance times log 2.
    high, low = (
        simulate._bent(np.array([100.0]), 5.0, 0.0),
        simulate._bent(np.array([0.0]), 0.0, 4.0),
    )
    assert high[0] == pytest.approx(100 - 5 * np.log(2)) and low[0] == pytest.approx(4 * np.log(2))
    assert simulate._bent(np.array([50.0]), 2.0, 2.0)[0] == pytest.approx(50, abs=1e-6)


def test_every_worker_starts_with_the_calibration_hit():
    a = run(replace(SMALL, calibration=30, human=True)).assessments
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


def test_workers_who_adapt_give_every_hit_the_same_mean():
    design = replace(SMALL, **SILENT, mean=50.0, qualities=(0.0, 10.0, 20.0, 30.0), adaptation=1.0)
    a = run(replace(design, protocol="SR+DC")).assessments
    a = a[a["hit"] != a["hit"].iloc[-1]]
    assert a.groupby("hit", observed=True)["score"].mean().to_numpy() == pytest.approx(50, abs=1.0)


def test_an_impression_is_shared_by_a_document_and_by_nobody_else():
    design = replace(SMALL, **SILENT, mean=50.0, qualities=(0.0,) * 4, run=5.0, protocol="SR+DC")
    a = run(replace(design, calibration=40)).assessments
    a = a[a["item"].isin(["SYSTEM", "REPEAT"])]
    impressions = a.groupby(["hit", "worker", "system", "document"], observed=True)["score"]
    assert impressions.nunique().eq(1).all()
    common = a[a["hit"] == CALIBRATION_HIT].groupby("segment", observed=True)["score"].nunique()
    assert common.mean() > 2


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "RR"}, "protocol is 'RR'"),
        ({"normalise": "document"}, "normalise is 'document'; expected worker or hit"),
        ({"normalise": "hit", "calibration": 10}, "expected normalise='worker'"),
        ({"calibration": 200}, "calibration alone takes all the judgements"),
        ({"qualities": (1.0, 2.0)}, "2 qualities; expected 4, one a system"),
        ({"systems": 80}, "80 systems do not fit"),
        ({"residual": -1.0}, "residual is -1.0; expected 0 or more"),
        ({"segment": float("nan")}, "segment is nan; expected 0 or more"),
        ({"workers": 0}, "workers is 0; expected more than 0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        replace(SMALL, **change)


# --- Embedded -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*embedded.CAMPAIGNS])
def test_embedded_campaigns_are_labelled_as_simulated(name):
    a = embedded.embedded_campaign(name, "qa-qc")
    assert len(a) == 4000 and name.startswith("simulated-")
    systems = set(a["system"])
    assert all(s.startswith("simulated-") or s == HUMAN for s in systems)
    assert (HUMAN in systems) == ("sr+dc" in name)
    assert set(a["language_pair"]) == {"qa-qc"}
    pd.testing.assert_frame_equal(a, embedded.embedded_campaign(name, "qa-qc"))
    assert not a["score"].equals(embedded.embedded_campaign(name, "qa-qd")["score"])


@pytest.mark.parametrize(
    ("name", "pair"),
    [("wmt18", "qa-qb"), ("simulated-sr-dc", "cs-en"), ("simulated-sr-dc", "qa-qa")],
)
def test_embedded_refuses_what_it_does_not_have(name, pair):
    with pytest.raises(DataError, match=r"no simulated (campaign|pair)"):
        embedded.embedded_campaign(name, pair)


# --- Like real ones -------------------------------------------------------------------------------


def test_a_design_is_found_again_from_its_campaign():
    hidden = Design(systems=12, documents=150, judgements=20_000, workers=200)
    seen = run(hidden, 4).assessments
    found = design_fit.fit_design(seen, seeds=[0, 1])
    again = run(replace(found, systems=12, documents=150, judgements=20_000, workers=200), 5)
    real, simulated = describe(seen), describe(again.assessments)
    close = {
        "mean": 4,
        "sd": 2,
        "hundreds": 0.03,
        "zeros": 0.01,
        "worker_sd": 2,
        "worker_log_sd": 0.06,
    }
    for name, tolerance in close.items():
        assert simulated[name] == pytest.approx(real[name], abs=tolerance), name
    for name in ("residual", "segment", "leniency"):
        assert getattr(found, name) == pytest.approx(getattr(hidden, name), rel=0.3), name


def test_from_components_takes_what_is_unknown_as_nothing():
    parts = pd.Series({"mean": 70.0, "system": 3.0, "document": np.nan, "residual": 20.0})
    design = Design.from_components(parts, protocol="alternate", systems=5)
    assert (design.mean, design.system, design.document, design.residual) == (70, 3, 0, 20)
    assert (design.protocol, design.systems) == ("alternate", 5)


WMT17 = [("wmt17", pair) for pair in ("de-en", "ru-en", "cs-en")]
WMT21_22 = [("wmt21", "cs-en"), ("wmt21", "de-en")]
WMT21_22 += [("wmt22", pair) for pair in ("cs-en", "de-en", "ja-en")]
LIKE = [
    pytest.param({}, WMT17, id="defaults"),
    pytest.param(designs.WITH_CONTEXT, WMT21_22, id="with context", marks=pytest.mark.slow),
]


@pytest.mark.realdata
@pytest.mark.parametrize(("settings", "campaigns"), LIKE)
def test_the_constants_are_those_of_real_campaigns(mirror, settings, campaigns):
    fits = []
    for name, pair in campaigns:
        real = assessment_releases.load_assessments(name, pair)
        protocol = "SR+DC" if settings else "SR-DC"
        design = design_fit.fit_design(real, seeds=range(3), protocol=protocol)
        fits.append(design)
        # Other seeds, and the campaign's own size: raw scores still look alike.
        size = {"judgements": len(real), "workers": real["worker"].nunique(), "systems": 10}
        found = [run(replace(design, **size), seed).assessments for seed in range(10, 14)]
        simulated, seen = pd.DataFrame([describe(a) for a in found]).mean(), describe(real)
        close = {"mean": 4, "sd": 2, "worker_sd": 2, "worker_log_sd": 0.06, "ref": 2, "bad_ref": 3}
        close |= {"hundreds": 0.03, "zeros": 0.02, "ref_sd": 3, "bad_ref_sd": 2}
        for what, tolerance in close.items():
            assert simulated[what] == pytest.approx(seen[what], abs=tolerance), (pair, what)
    for field in [*designs.WITH_CONTEXT]:
        mean = np.mean([getattr(design, field) for design in fits])
        tolerance = 0.006 if field == "log_scale" else 0.06
        assert getattr(Design(**settings), field) == pytest.approx(mean, abs=tolerance), field
