"""Simulated campaigns: scores and HITs by hand, then what holds for all designs."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import data_error, rng
from study.data import simulation
from study.data.simulation import (
    CALIBRATION_HIT,
    HUMAN_SYSTEM,
    PROTOCOLS,
    Design,
    HitPlan,
    calibrated,
    simulate_campaign,
)
from wmtlib.core.assessments import ASSESSMENTS, encode, tidy_assessments
from wmtlib.core.errors import Origin

SMALL = calibrated("SR-DC", systems=4, documents=15, judgements=700, workers=5)
# No effects, from `system` to `log_scale`; scores that hardly bend.
SILENT = dict.fromkeys(Design._fields[8:16], 0.0)
SILENT |= {"softness": 1e-6, "softness_low": 1e-6}
SILENT |= dict.fromkeys(["worker_hit", "sitting", "worker_output", "slope"], 0.0)
SILENT |= dict.fromkeys(["ref_spread", "bad_ref_spread", "worker_control"], 0.0)
SILENT |= dict.fromkeys(["unsteady", "unsteady_hit"], 0.0)
SEEDS = st.integers(0, 2**32)
# A campaign takes hundredths of a second.
few = settings(max_examples=settings().max_examples * 2 // 5)
DESIGNS = st.builds(
    lambda **changes: SMALL._replace(**changes),
    protocol=st.sampled_from(PROTOCOLS),
    systems=st.integers(2, 9),
    human_quality=st.sampled_from([None, 10.0]),
    calibration_hit=st.sampled_from([0, 30]),
    judgements=st.integers(400, 900),
)


def run(design, seed=1):
    return simulate_campaign(design, rng(seed))


def changed(**changes):
    return SMALL._replace(**SILENT | {"mean": 50.0} | changes)


# --- Scores by hand -------------------------------------------------------------------


def scores_of(made, item="SYSTEM", by="system"):
    """All scores of each system (or worker), sorted and without repetition."""
    rows = made.assessments[made.assessments["item"] == item]
    return {
        k: sorted(set(part)) for k, part in rows.groupby(by, observed=True)["score"]
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_noise_a_score_is_the_quality(protocol):
    quality = {"ref_quality": 40.0, "bad_ref_quality": -45.0}
    made = run(changed(protocol=protocol, system=20.0, **quality))
    expected = 50 + made.world.quality[:, 0]
    assert made.truth.to_numpy() == pytest.approx(expected)
    for item in ("SYSTEM", "REPEAT"):
        assert [*scores_of(made, item).values()] == [[np.rint(s)] for s in expected]
    assert set(map(tuple, scores_of(made, "REF").values())) == {(90,)}
    assert set(map(tuple, scores_of(made, "BAD_REF").values())) == {(5,)}


def test_scores_bend_at_both_ends():
    # At the end itself a score is off by the distance times log 2: 3.5 and 2.8 points.
    design = changed(softness=5.0, softness_low=4.0)
    scores = design.scores(np.array([50.0, 0.0, -50.0, 30.0]), 0.0, 1.0)
    assert np.rint(scores).tolist() == [97, 50, 3, 80]


def test_leniency_shifts_a_score_and_is_not_scaled():
    made = run(changed(leniency=5.0, log_scale=0.5, mean=60.0, ref_quality=10.0))
    world = made.world
    expected = np.rint([60 + world.leniency, 60 + world.leniency + 10 * world.scale])
    for item, scores in zip(("SYSTEM", "REF"), expected, strict=True):
        for worker, seen in scores_of(made, item, by="worker").items():
            assert seen == [scores[int(worker[-4:]) - 1]]


@pytest.mark.parametrize(
    ("effect", "keys"),
    [
        ("worker_hit", ["worker", "hit"]),
        ("sitting", ["worker", "hit", "document", "system"]),
        ("worker_output", ["worker", "system", "segment"]),
    ],
)
def test_an_effect_is_one_number_for_each_combination_of_its_keys(effect, keys):
    design = changed(protocol="SR+DC", judgements=6000, ref_quality=0.0)
    made = run(design._replace(**{effect: 10.0}))
    outputs = made.assessments.query("item in ['SYSTEM', 'REPEAT']")
    scores = outputs.groupby(keys, observed=True)["score"]
    assert scores.nunique().eq(1).all() and (scores.size() > 1).any()
    assert scores.first().std() == pytest.approx(10, rel=0.25)
    assert outputs.groupby(keys[:-1], observed=True)["score"].nunique().max() > 1
    references = made.assessments.query("item == 'REF'")
    both = outputs.merge(references, on=[*{*keys, "hit", "segment", "system"}])
    assert (both["score_x"] == both["score_y"]).all() == (effect != "worker_output")


def test_a_slope_multiplies_the_systems_effects():
    made = run(changed(system=10.0, slope=0.5))
    output = made.items["item"] < simulation.REF
    system = made.world.system[made.items["system"]]
    quality = (1 + made.world.slope[made.worker]) * system
    expected = np.rint(np.clip(50 + quality, 0, 100))
    assert (made.score == expected)[output].all() and made.world.slope.std() > 0.2


def test_unsteady_workers_have_their_own_spread_and_more_of_the_work():
    design = changed(workers=4000, unsteady=0.1, unsteady_hit=30.0, worker_hit=2.0)
    world = run(design).world
    is_unsteady = world.worker_hit == 30
    assert (world.worker_hit[~is_unsteady] == 2).all()
    assert 0.05 < is_unsteady.mean() < 0.1  # a chance is 1 at most
    assert world.workload[is_unsteady].mean() > 2 * world.workload.mean()
    # The same world, but for the spread: protocols are compared by seed.
    alike = run(design._replace(unsteady=0.0)).world
    assert (alike.worker_hit == 2).all() and (alike.slope == world.slope).all()


def test_workers_have_their_own_view_of_quality_control():
    quality = {"ref_quality": 20.0, "bad_ref_quality": -20.0}
    a = run(changed(worker_control=10.0, judgements=6000, **quality)).assessments
    control = a[a["item"].isin(["REF", "BAD_REF"])]
    scores = control.groupby(["worker", "item"], observed=True)["score"]
    assert scores.nunique().eq(1).all() and scores.first().std() > 5
    assert set(a.loc[a["item"] == "SYSTEM", "score"]) == {50}


def test_stand_ins_keep_their_earlier_settings():
    stand_in = calibrated("SR+DC, stand-in")
    assert stand_in.protocol == "SR+DC"
    assert stand_in.worker_hit == stand_in.sitting == stand_in.slope == 0
    assert stand_in.unsteady == stand_in.worker_control == 0
    assert calibrated("SR+DC").worker_hit > 0


def test_human_quality_has_no_difficulty_and_truth_is_the_mean_of_segments():
    made = run(changed(document=9.0, segment=9.0, human_quality=20.0))
    quality = made.world.quality
    assert (quality[-1] == 20).all() and quality[0].std() > 5
    truth = 50 + quality.mean(axis=1)
    assert made.truth.to_numpy()[1:] == pytest.approx(truth[:-1])
    assert made.truth[HUMAN_SYSTEM] == pytest.approx(truth[-1])


def test_scores_and_hits_are_drawn_apart():
    # The same seed: if scores drew the numbers of the HITs, their order would be that
    # of the noise.
    made = run(changed(residual=10.0, judgements=70_000, documents=300))
    hit = made.items.hit
    noise = pd.Series(made.score).where(made.items.item == simulation.SYSTEM)
    columns = made.items.assign(place=hit.groupby(hit).cumcount(), noise=noise)
    correlations = columns.corr()["noise"][["place", "segment", "item"]]
    assert correlations.abs().max() < 0.02


def test_every_worker_starts_with_the_calibration_hit():
    a = run(SMALL._replace(calibration_hit=30, human_quality=10.0)).assessments
    common = a[a["hit"] == CALIBRATION_HIT]
    assert len(common) == 30 * 5 and len(a) == 700
    groups = common.groupby("worker", observed=True)[["system", "segment", "item"]]
    parts = [part.to_numpy().tolist() for _, part in groups]
    assert len(parts) == 5 and parts == parts[:1] * 5


def test_by_hit_every_hit_is_a_worker():
    a = run(SMALL._replace(normalise="hit")).assessments
    b = run(SMALL).assessments
    assert (a["worker"].str[-4:] == a["hit"].str[-4:]).all()
    assert b["worker"].nunique() == 5
    pd.testing.assert_frame_equal(a.drop(columns="worker"), b.drop(columns="worker"))


def test_a_calibration_hit_of_all_judgements_is_refused():
    with data_error("the calibration HIT alone takes all the judgements"):
        run(SMALL._replace(calibration_hit=200))


# --- All designs ----------------------------------------------------------------------


@few
@given(DESIGNS, SEEDS, st.sampled_from(["worker", "hit"]))
def test_simulated_assessments_are_as_tidy_assessments_returns_them(
    design, seed, normalise
):
    if normalise == "hit":
        design = design._replace(normalise="hit", calibration_hit=0)
    made = run(design, seed)
    a = made.assessments
    assert list(a.columns) == ASSESSMENTS and len(a) == design.judgements
    again = tidy_assessments(a, Origin("simulated"), only_quality_control="keep")
    columns = ["system", "segment", "item", "score"]
    pd.testing.assert_frame_equal(a[columns], again[columns])
    assert (a["score"] % 1 == 0).all() and set(a["system"]) <= set(made.truth.index)
    assert (HUMAN_SYSTEM in made.truth) == (design.human_quality is not None)
    assert a.groupby("segment", observed=True)["document"].nunique().eq(1).all()
    coded = made.coded
    expected = encode(a)
    for names, codes in (("workers", "worker"), ("hits", "hit"), ("segments", "place")):
        ours, theirs = (
            np.array(getattr(campaign, names))[getattr(campaign, codes)]
            for campaign in (coded, expected)
        )
        assert (ours == theirs).all()
    assert (coded.item == expected.item).all()
    if coded.systems == expected.systems:
        assert (coded.credit == expected.credit).all()
        assert (coded.credit_system == expected.credit_system).all()


@few
@given(DESIGNS, SEEDS)
def test_the_same_seed_gives_the_same_bytes_and_a_world_whatever_the_protocol(
    design, seed
):
    made = run(design, seed)
    again = run(design, seed)
    other = run(design._replace(protocol="SR-DC"), seed)
    assert made.assessments.to_csv() == again.assessments.to_csv()
    pd.testing.assert_series_equal(made.truth, again.truth)
    pd.testing.assert_series_equal(made.truth, other.truth)


@given(DESIGNS, SEEDS)
def test_quality_control_is_paired_with_an_output_of_the_hit_and_its_worker(
    design, seed
):
    a = run(design._replace(judgements=800), seed).assessments
    a = a[a["hit"] != a["hit"].iloc[-1]]  # the last HIT may be cut short
    a = a[a["hit"] != CALIBRATION_HIT]
    key = ["hit", "worker", "system", "document", "segment"]
    outputs = set(a.loc[a["item"] == "SYSTEM", key].itertuples(index=False))
    assert set(a[key].itertuples(index=False)) == outputs
    assert a.groupby("hit", observed=True)["worker"].nunique().eq(1).all()


# --- HITs -----------------------------------------------------------------------------

LENGTHS = st.lists(st.integers(2, 40), min_size=10, max_size=25)


def laid_out(protocol, lengths, systems, budget, seed):
    """HITs, each a list of (item, system, segment), in the order of the screen."""
    plan = HitPlan(systems, np.array(lengths), budget, rng(seed))
    items = simulation.hit_items(protocol, plan)
    assert len(items.hit) == budget and items.hit.tolist() == sorted(items.hit.tolist())
    hits = [[] for _ in range(items.hit.max() + 1)]
    columns = (items.hit, items.item, items.system, items.segment)
    for hit, *rest in zip(*(c.tolist() for c in columns), strict=True):
        hits[hit].append(tuple(rest))
    return hits


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_a_hit_without_context_has_100_items_and_all_systems_in_equal_proportion(
    lengths, systems, seed
):
    for hit in laid_out("SR-DC", lengths, systems, 300, seed):
        assert Counter(item for item, _, _ in hit) == dict(enumerate(simulation.MAKEUP))
        shown = Counter(system for item, system, _ in hit if item == simulation.SYSTEM)
        assert len(shown) == systems and max(shown.values()) - min(shown.values()) <= 1


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_with_context_a_document_is_shown_whole_and_in_order(lengths, systems, seed):
    start = np.cumsum(lengths) - lengths
    for protocol in ("SR+DC", "SR+DC same documents"):
        for hit in laid_out(protocol, lengths, systems, 600, seed)[:-1]:
            outputs = [x[1:] for x in hit if x[0] == simulation.SYSTEM]
            assert len(outputs) <= 70 and len(hit) <= 100
            while outputs:  # a whole document of one system begins
                system, first = outputs[0]
                (document,) = np.flatnonzero(start == first)
                run_ = [(system, first + k) for k in range(lengths[document])]
                assert outputs[: len(run_)] == run_
                del outputs[: len(run_)]


@given(LENGTHS, st.integers(2, 12), SEEDS)
def test_hit_items_have_every_system_by_protocol(lengths, systems, seed):
    for hit in laid_out("SR+DC all systems per HIT", lengths, systems, 500, seed)[:-1]:
        pairs = Counter(x[1:] for x in hit if x[0] == simulation.SYSTEM)
        segments = {segment for _, segment in pairs}
        assert set(pairs) == {(s, g) for s in range(systems) for g in segments}
    for hit in laid_out("SR+DC balanced", lengths, systems, 500, seed)[:-1]:
        shown = {s for item, s, _ in hit if item == simulation.SYSTEM}
        assert shown == {*range(systems)}


@given(st.integers(2, 6), SEEDS)
def test_all_systems_are_judged_on_the_same_documents(systems, seed):
    same = SMALL._replace(protocol="SR+DC same documents", systems=systems)
    made = run(same._replace(documents=60, judgements=1500), seed)
    document = pd.Series(made.world.document[made.items.segment])
    judged = document.groupby(made.items.system).agg(set)
    by_some = set.union(*judged)
    # The budget may cut the last HIT before all systems have its last document.
    assert len(by_some - set.intersection(*judged)) <= 1 and len(by_some) < 60


# --- Embedded campaigns ---------------------------------------------------------------


@pytest.mark.parametrize("name", [*simulation.CAMPAIGNS])
def test_embedded_campaigns_are_labelled_as_simulated(name):
    a = simulation.embedded_campaign(name, "qa-qc")
    assert len(a) == 4000 and name.startswith("simulated-")
    systems = set(a["system"])
    assert all(s.startswith("simulated-") or s == HUMAN_SYSTEM for s in systems)
    assert (HUMAN_SYSTEM in systems) == ("sr+dc" in name)
    assert {*a["language_pair"]} == {"qa-qc"}


def test_embedded_campaigns_of_a_name_are_the_same_every_time():
    one, again, other = (
        simulation.embedded_campaign("simulated-sr-dc", pair)
        for pair in ("qa-qc", "qa-qc", "qa-qd")
    )
    pd.testing.assert_frame_equal(one, again)
    assert not one["score"].equals(other["score"])
