"""Significance lines of campaigns that are shuffled until no system is better."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from examples import rng
from study.beyond import honest_line, later_assessments
from study.beyond.campaign_rules import CAMPAIGN_RULES, LineRule
from study.beyond.equal_votes import KINDS, drawn_votes, votes_of
from study.beyond.honest_line import (
    ALL,
    RULES,
    SLOPE_OUT,
    UNIT,
)
from study.data import sources
from wmtlib.core.assessments import encode


def made(documents=100, segments=4, systems=3, seed=1, alike=1.0):
    """Draw a campaign of equal systems; scores of one in a document are alike."""
    rng = np.random.default_rng(seed)
    document, system, place = np.indices((documents, systems, segments)).reshape(3, -1)
    block = rng.normal(0, alike, documents * systems)[document * systems + system]
    z = block + rng.normal(size=len(block))
    values = pd.DataFrame({"system": system, "document": document, "z": z, "raw": z})
    values["worker"] = document % 7
    values["segment"] = document * segments + place
    return honest_line.TestedCampaign(
        "DA SR+DC", "made", tuple("ABCDEFGH"[:systems]), ("document",), values
    )


def test_exchange_names_moves_whole_blocks_and_keeps_their_names():
    system = np.array([0, 0, 1, 2, 0, 1, 1, 1])
    block = np.repeat([0, 1], 4)
    seen = set()
    exchanges = honest_line.exchange_names(system, block, rng(1))
    for _ in range(200):
        new = next(exchanges)
        seen.add(tuple(new.tolist()))
        assert new[0] == new[1] and len({new[5], new[6], new[7]}) == 1
        assert sorted({*new[:4]}) == [0, 1, 2] and sorted({*new[4:]}) == [0, 1]
    assert len(seen) == 6 * 2  # every order of three, with every order of two


@pytest.mark.parametrize("alike", [pytest.param(0.0, marks=pytest.mark.slow), 1.0])
def test_sizes_of_segment_tests_exceed_5_percent_where_blocks_are_alike(alike):
    rows = honest_line.sizes(made(alike=alike), "document", ALL, 300, 5)
    table = honest_line.size_table(rows).set_index("rule")
    of_segments = table.loc["rank-sum"]
    assert (of_segments["rejected_low"] > 0.15) == (alike > 0)
    assert alike or of_segments["rejected"] == pytest.approx(0.05, abs=0.03)
    assert table.loc[UNIT, "rejected"] == pytest.approx(0.05, abs=0.03)
    assert table.loc[UNIT, "pair_low"] <= 0.05
    one_sided = table.loc["wmt17", "rejected"]
    assert one_sided > of_segments["rejected"]
    assert (table["tables"] == 300).all() and (table["campaigns"] == 1).all()


@pytest.mark.slow
def test_sizes_by_documents_exceed_5_percent_where_judges_recur():
    # Seven judges, each of whom holds something for or against a system, in every
    # document.
    campaign = made(documents=70, alike=0.0)
    values = campaign.values
    held = rng(2).normal(0, 1, (7, 3))
    values["z"] += held[values["worker"], values["system"]]
    both = honest_line.TestedCampaign(
        "DA SR+DC", "made", campaign.systems, ("document", "worker"), values
    )
    rejected = (
        honest_line.sizes(both, "worker", ALL, 100, 3)
        .groupby("rule")["rejected"]
        .mean()
    )
    assert rejected["first unit"] > 0.3 and rejected[UNIT] < 0.1


@pytest.mark.slow
def test_sizes_are_large_for_slopes_unless_these_are_taken_out():
    # Every judge tells the systems apart by more or less: nobody holds to one of them.
    campaign = made(documents=140, systems=6, alike=0.0)
    values = campaign.values
    slope = rng(2).normal(1, 0.8, 7)
    values["z"] += np.linspace(-2, 2, 6)[values["system"]] * slope[values["worker"]]
    shares = {}
    for among in (ALL, SLOPE_OUT):
        rows = honest_line.sizes(campaign, "worker", among, 60, 3)
        shares[among] = rows.groupby("rule")["rejected"].mean()["first unit"]
    assert shares[ALL] > 0.3 > 2 * shares[SLOPE_OUT] and shares[SLOPE_OUT] < 0.08


def comparisons(judges, segments, alike, seed=1):
    """Draw 900 votes on three systems; of a judge, or on a segment, they are alike."""
    draw = rng(seed)
    pairs = draw.choice(["ab", "bc", "ac"], 900)
    columns = {
        "judge": draw.integers(judges, size=900),
        "segment": draw.integers(segments, size=900),
        "system_1": [pair[0] for pair in pairs],
        "system_2": [pair[1] for pair in pairs],
        "preference": 1,
    }
    frame = pd.DataFrame(columns)
    drawn = drawn_votes(votes_of(frame, [*"abc"]), np.array(alike), draw)
    frame["preference"] = np.where(drawn > 0, 1, 2)
    return frame


def ranked(frame):
    return honest_line.TestedCampaign("RR", "made", ("a", "b", "c"), KINDS, frame)


@pytest.mark.parametrize(
    "null, alike, broken",
    [
        ("segment", [0, 0.3], ["sign test", "judges"]),
        pytest.param("judge", [0, 0], [], marks=pytest.mark.slow),
        pytest.param(
            "judge", [0.3, 0], ["sign test", "sentences"], marks=pytest.mark.slow
        ),
        pytest.param(
            "both", [0.3, 0.3], ["sign test", "judges"], marks=pytest.mark.slow
        ),
    ],
)
def test_sizes_of_votes_exceed_5_percent_by_units_that_a_test_does_not_know(
    null, alike, broken
):
    task = ranked(comparisons(14, 14, alike))
    rejected = honest_line.sizes(task, null, ALL, 100, 3).groupby("rule")["rejected"]
    share = rejected.mean()
    tests = ["sign test", "judges", "sentences", UNIT]
    assert [name for name in tests if share[name] > 0.1] == broken
    assert share[UNIT] < 0.06 and share["sets"] < 0.1


def test_tests_of_votes_are_by_the_units_of_the_campaign():
    task = ranked(comparisons(14, 14, [0.3, 0.3]))
    mean, p, by_both = honest_line.tests_of(task, "z", "rank-sum")
    by_judge = honest_line.tests_of(replace(task, units=("judge",)), "z", "")[2]
    order = [0, 0, 1], [1, 2, 2]
    assert np.abs(by_both - 0.5)[order].max() < np.abs(by_judge - 0.5)[order].max()
    assert (np.sign(mean[order[0]] - mean[order[1]]) == np.sign(0.5 - p[order])).any()


def test_stay_by_hand():
    mean = np.array([3.0, 1, 2])
    before = np.full((3, 3), 0.5)
    before[0, [1, 2]], before[[1, 2], 0] = 0.01, 0.99
    after = before.copy()
    after[0, 1], after[1, 0] = 0.2, 0.8
    assert honest_line.stay(mean, before, after, honest_line.SINGLE) == (2, 1, 1, 0)
    assert honest_line.stay(mean, before, before, honest_line.SINGLE) == (2, 2, 1, 1)


def test_pairs_gone_has_an_interval_of_four_campaigns_within_0_and_1():
    rows = [("many", 10, left) for left in (4, 5, 6, 5)]
    rows += [("near an end", 10, left) for left in (10, 10, 10, 7)]
    rows += [("few", 10, left) for left in (4, 6)]
    rows += [("few", 0, 0)]  # no pairs: counts for nothing
    frame = pd.DataFrame(rows, columns=["protocol", "pairs", "pairs_stay"])
    gone = honest_line.pairs_gone(frame)
    assert gone["gone"].to_dict() == pytest.approx(
        {"many": 0.5, "near an end": 0.075, "few": 0.5}
    )
    half = 3.182446 * np.sqrt(0.02 / 3 / 4)  # t of three degrees of freedom
    assert gone.loc["many", "low"] == pytest.approx(0.5 - half)
    assert gone.loc["many", "high"] == pytest.approx(0.5 + half)
    assert gone.loc[["near an end", "few"], ["low", "high"]].isna().all(axis=None)


def test_neighbours_have_the_tests_of_their_pairs():
    campaign = made(documents=30, systems=4)
    table = honest_line.neighbours(campaign, "rank-sum")
    mean, by_segments, by_units = honest_line.tests_of(campaign, "z", "rank-sum")
    places = [campaign.systems.index(name) for name in table["above"]]
    below = [campaign.systems.index(name) for name in table["below"]]
    assert places[1:] == below[:-1] and (table["difference"] >= 0).all()
    assert table["difference"].to_numpy() == pytest.approx(mean[places] - mean[below])
    for name, p in (("by_segments", by_segments), ("by_units", by_units)):
        two_sided = 2 * np.minimum(p, p.T)[places, below]
        assert table[name].to_numpy() == pytest.approx(two_sided)


def test_rules_are_all_applied_to_a_protocol():
    applied = {name for names in honest_line.APPLIED.values() for name in names}
    assert {*CAMPAIGN_RULES} <= applied <= {*RULES}
    assert all(isinstance(rule, LineRule) for rule in RULES.values())


def test_assessed_has_simulated_campaigns_without_raw_files():
    source = sources.resolve("embedded")
    campaigns = [*honest_line.assessed(source)]
    assert [one.protocol for one in campaigns] == ["DA SR-DC"] * 3 + ["DA SR+DC"] * 3
    assert all("simulated" in one.label for one in campaigns)
    assert [*honest_line.relative(source), *honest_line.voted(source)] == []
    campaigns.append(ranked(comparisons(20, 30, [0.2, 0])))
    changed = honest_line.changes(campaigns)
    assert changed["protocol"].tolist() == ["DA SR-DC"] * 3 + ["DA SR+DC"] * 3 + ["RR"]
    assert (changed["pairs_stay"] <= changed["pairs"]).all() and changed[
        "pairs"
    ].sum() > 0


@pytest.mark.realdata
def test_sizes_of_the_unit_test_are_5_percent_on_real_scores():
    frame = later_assessments.load_esa("en-ja", source="mirror")
    campaign = honest_line.tested_campaign("ESA", "wmt24 en-ja", encode(frame))
    table = honest_line.size_table(honest_line.sizes(campaign, "document", ALL, 200, 1))
    table = table.set_index("rule")
    assert (
        0.04 <= table.loc[UNIT, "rejected"] <= 0.06
        and table.loc[UNIT, "pair_low"] <= 0.05
    )
    assert table.loc["signed-rank", "rejected"] > 0.15
