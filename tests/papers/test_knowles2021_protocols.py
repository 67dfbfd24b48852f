"""Comparing protocols: measures by hand, then what must hold of any comparison."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from assessed import PAPER

from wmtlib.cluster_lines import rank_campaign
from wmtlib.study.papers import knowles2021_protocol_values
from wmtlib.study.papers import knowles2021_protocols as protocols
from wmtlib.study.papers.knowles2021_protocols import METRICS
from wmtlib.study.simulation import simulate
from wmtlib.study.simulation.designs import calibrated

SMALL = calibrated("SR+DC", systems=5, documents=40, judgements=3000, workers=15)
QUIET = dict.fromkeys(["residual", "leniency", "log_scale", "segment", "system_segment"], 0.0)


def run(design, seed=1):
    return simulate.campaign(design, np.random.default_rng(seed))


def table(*rows):
    """Rows (world, protocol, seed, metric, value)."""
    return pd.DataFrame(rows, columns=["world", "protocol", "seed", "metric", "value"])


def test_designs_cost_the_same_and_differ_in_the_protocol_only():
    designs = protocols.protocols(SMALL, calibration=60)
    same = {"protocol", "normalise", "calibration_hit", "document", "system_document"}
    fixed = {k: v for k, v in vars(SMALL).items() if k not in same}
    for label, design in designs.items():
        found = {k: v for k, v in vars(design).items() if k not in same}
        if label == "SR+DC, calibration HIT on top":
            assert found.pop("judgements") == 3000 + 60 * 15
            found["judgements"] = 3000
        if label.endswith("a third"):
            assert found.pop("judgements") == 1000
            found["judgements"] = 3000
        assert found == fixed, label


def test_the_distance_is_that_of_the_ranking_and_the_truth():
    made = run(SMALL)
    ranked = rank_campaign(made.coded, **PAPER)
    truth = made.truth[ranked.names].to_numpy()
    wrong = sum(truth[i] < truth[j] for i in range(5) for j in range(i + 1, 5))
    assert protocols.measure(made)["distance"] == pytest.approx(10 * wrong)


def test_scales_of_the_calibration_hit_are_used():
    made = run(replace(SMALL, calibration_hit=60, leniency=30.0), seed=3)
    kept = made.coded.hit == made.coded.hits.index(simulate.CALIBRATION_HIT)
    ranked = rank_campaign(made.coded, scales_from=kept, **PAPER)
    truth = made.truth[ranked.names].to_numpy()
    wrong = np.triu(truth[:, None] < truth, 1).sum()
    assert protocols.measure(made)["distance"] == pytest.approx(10 * wrong)


def test_noise_free_campaigns_are_ranked_right_where_all_see_all_systems():
    far = (12.0, -3.0, 7.0, -9.0, 1.0)
    base = replace(SMALL, **QUIET, **protocols.FLAT, mean=60.0, qualities=far)
    for name in ("SR-DC", "alternate", "SR+DC all systems per HIT", "SR+DC balanced"):
        assert protocols.measure(run(replace(base, protocol=name))) == dict.fromkeys(METRICS, 0)


def test_documents_differ_in_difficulty_unless_all_systems_share_them():
    found = {
        name: protocols.measure(run(replace(SMALL, protocol=name, document=9.0)))["difficulty"]
        for name in ("SR+DC", "alternate")
    }
    assert found["alternate"] < 0.3 < found["SR+DC"]


def test_leniency_is_known_exactly_from_a_common_hit_without_noise():
    # One output of one quality: a worker's mean differs from the truth by the same for all.
    silent = QUIET | protocols.FLAT | {"system": 0.0, "mean": 50.0, "leniency": 5.0}
    silent |= {"softness": 0.0, "softness_low": 0.0}
    made = run(replace(SMALL, **silent, calibration_hit=60))
    assert protocols.leniency_errors(made)["calibration HIT"] < 0.5  # scores are whole numbers
    noisy = run(replace(SMALL, calibration_hit=60))
    found = protocols.leniency_errors(noisy)
    assert 0 < found["calibration HIT"] < found["own HIT"]


def test_a_document_that_fills_more_than_half_a_hit():
    # 5 systems: 2 x 5 x length > 100 from 11 segments on.
    made = run(SMALL)
    length = np.bincount(made.world.document)
    assert protocols.large_documents(made) == np.mean(length >= 11)


def test_differences_by_hand():
    rows = table(
        *[("w", "a", k, "reversed", v) for k, v in enumerate([1.0, 2.0, 3.0])],
        *[("w", "b", k, "reversed", v) for k, v in enumerate([2.0, 3.1, 3.9])],
    )
    found = protocols.difference(rows, "a", "b", "reversed").iloc[0]
    assert found["difference"] == pytest.approx(-1) and found["clear"] and not found["alike"]
    assert found["error"] == pytest.approx(np.std([1, 1.1, 0.9], ddof=1) / np.sqrt(3))
    same = protocols.difference(rows, "a", "a", "reversed").iloc[0]
    assert same["alike"] and not same["clear"]
    assert protocols.means_of(rows)["mean"].tolist() == pytest.approx([2, 3])


def test_simulated_worlds_are_repeatable_and_decide_every_row(monkeypatch):
    monkeypatch.setattr(
        protocols,
        "calibrated",
        lambda style: calibrated(style, systems=4, documents=25, judgements=1500, workers=6),
    )
    options = {"calibration": 40, "spreads": (2.0,)}
    found = protocols.simulate_worlds(range(2), **options)
    pd.testing.assert_frame_equal(found, protocols.simulate_worlds(range(2), **options))
    alone = protocols.simulate_worlds([1], **options)
    later = found[found["seed"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(later, alone)
    claims = knowles2021_protocol_values.values(found)
    assert len(claims) == 6
    for claim in claims.values():
        assert claim.value.startswith("SIMULATED") and len(claim.parts) >= 2


def test_few_systems_per_hit_upset_the_ranking_without_any_documents():
    designs = protocols.protocols(replace(SMALL, systems=8, system=3.0), calibration=10)
    two = {k: designs[k] for k in ("SR-DC, flat", "SR-DC, few systems, flat")}
    found = protocols.simulate_protocols(two, range(25)).assign(world="w")
    apart = protocols.difference(found, *two, "reversed").iloc[0]
    assert apart["clear"] and apart["difference"] < 0
