"""What two halves of a campaign print, and equal systems."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from examples import rng
from study.beyond import honest_line, second_campaign
from study.beyond.second_campaign import TESTS
from study.data.sources import ROOT

UNITS = ("judge",)


def ranked(judges, runs=1):
    """Return judges who rank a before b before c, three segments in each run."""
    rows = [
        (f"j{judge}", 9 * run + k, system, other, 1)
        for judge in range(judges)
        for run in range(runs)
        for k in range(3)
        for system, other in ("ab", "bc", "ac")
    ]
    columns = ["judge", "segment", "system_1", "system_2", "preference"]
    frame = pd.DataFrame(rows, columns=columns).astype({"judge": "category"})
    frame["ranking"] = np.arange(len(frame)) // 3
    return honest_line.TestedCampaign("RR", "made", ("a", "b", "c"), UNITS, frame)


def test_printed_by_hand():
    tables = second_campaign.printed(ranked(20))
    every = {(0, 1), (0, 2), (1, 2)}
    for test in TESTS:
        assert tables[test, "winner"] == ({0}, {0})
        assert tables[test, "pairs"] == (every, every) == tables[test, "order"]
        lines = tables[test, "lines"][0]
        assert {*lines} == {frozenset({0}), frozenset({0, 1})}
        # Of 20 judges who all agree: 1 in 10,000 choices of signs, one side of it.
        assert [*lines.values()] == pytest.approx([0.5e-4] * 2)
        assert tables[test, "clusters"][0] == {frozenset({k}) for k in range(3)}


def test_printed_p_of_a_line_is_the_largest_across_it():
    frame = ranked(20).values
    # Two of three comparisons of a and b are turned for seven of the judges.
    turned = frame["judge"].isin([f"j{k}" for k in range(7)]) & frame["segment"].gt(0)
    turned &= frame["system_1"].eq("a") & frame["system_2"].eq("b")
    frame["preference"] = np.where(turned, 2, 1)
    campaign = honest_line.TestedCampaign("RR", "made", ("a", "b", "c"), UNITS, frame)
    lines = second_campaign.printed(campaign)[TESTS[0], "lines"][0]
    p = honest_line.tests_of(campaign, "z", "rank-sum")[2]
    assert p[0, 2] < p[0, 1] < 0.05
    assert lines[frozenset({0})] == p[0, 1]  # beside p of a and c
    assert lines[frozenset({0, 1})] == p[0, 2] == p[1, 2]


def test_printed_has_an_order_and_no_cluster_where_nothing_is_apart():
    campaign = ranked(2)  # units too few for the test by judges
    tables = second_campaign.printed(campaign)
    assert tables[TESTS[1], "order"] == (set(), {(0, 1), (0, 2), (1, 2)})
    assert [*tables[TESTS[1], "lines"][0]] == [*tables[TESTS[1], "clusters"][0]] == []
    # The sign test draws both lines, and units say nothing about them.
    assert [*tables[TESTS[0], "lines"][0].values()] == [0.5, 0.5]


def halves(*lines):
    """Return two campaigns that print lines, each with its p."""
    return [{("own rule", "lines"): (printed, printed)} for printed in lines]


def test_found_again_looks_for_each_line_in_the_other_half():
    again = second_campaign.found_again(halves({"a": 0.01, "b": 0.02}, {"b": 0.03}))
    assert again["p"].tolist() == [0.01, 0.02, 0.03]
    assert again["again"].tolist() == [False, True, True]
    order = {("own rule", "order"): ({(0, 1)}, {(0, 1), (1, 2)})}
    other = {("own rule", "order"): ({(1, 2)}, {(1, 0), (1, 2)})}
    again = second_campaign.found_again([order, other])
    assert again["p"].isna().all() and again["again"].tolist() == [False, True]


def counted(*campaigns):
    """Return rows of tasks: (campaign, printed, again)."""
    return pd.DataFrame(campaigns, columns=["campaign", "printed", "again"]).assign(g=1)


def test_rates_weight_lines_in_the_share_and_campaigns_in_the_rate():
    rows = counted(("x", 90, 81), ("y", 10, 2), ("y", 10, 4), ("z", 10, 0))
    table = second_campaign.rates(rows, ["g"], rng(1)).loc[1]
    assert table[["campaigns", "printed", "again"]].tolist() == [3, 120, 87]
    assert table["share"] == pytest.approx(87 / 120)
    assert table["rate"] == pytest.approx((0.9 + 0.3 + 0) / 3)  # tasks of y: one rate
    half = 4.3027 * np.std([0.9, 0.3, 0], ddof=1) / np.sqrt(3)
    assert table["low"] == 0 == max(0, 0.4 - half)
    assert table["high"] == min(1, 0.4 + half)
    assert np.isnan(table["share_low"])  # three campaigns


def test_rates_of_one_line_in_eight_halves_are_zero():
    # One half of eight prints one line: the other half cannot have it.
    empty = halves({}, {})
    divisions = [halves({"a": 0.01}, {}), empty, empty, empty]
    again = pd.concat(map(second_campaign.found_again, divisions))
    single = ("single", len(again), again["again"].sum())
    assert single == ("single", 1, 0)
    clear = [(str(k), 16, 12) for k in range(9)]
    table = second_campaign.rates(counted(single, *clear), ["g"], rng(1)).loc[1]
    assert table["rate"] == pytest.approx(0.9 * 0.75)  # a tenth of the campaigns
    assert table["share"] == pytest.approx(108 / 145)  # one line of 145


def test_share_interval_is_that_of_a_ratio_over_campaigns():
    draw = rng(2)
    printed = draw.integers(1, 40, 80)
    again = draw.binomial(printed, draw.beta(4, 2, 80))
    rows = pd.DataFrame({"printed": printed, "again": again})
    low, high = second_campaign.share_interval(rows, rng(3))
    share = again.sum() / printed.sum()
    error = np.sqrt(80 / 79 * np.sum((again - share * printed) ** 2)) / printed.sum()
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)
    assert (low + high) / 2 == pytest.approx(share, abs=0.2 * error)


@pytest.mark.parametrize(
    "judges, unit, number", [(20, "judge", 20), (19, "sitting", 38)]
)
def test_divided_unit_of_few_judges_is_a_run(judges, unit, number):
    divided, label = second_campaign.divided_unit(ranked(judges, runs=2))
    assert (divided, label.nunique()) == (unit, number)
    if unit == "sitting":
        assert (label.value_counts() == 9).all()  # three segments, three comparisons


def test_divided_unit_of_assessments_is_a_hit_or_document():
    values = pd.DataFrame({"worker": [0, 0, 0, 1], "document": [0, 0, 1, 1]})
    campaign = honest_line.TestedCampaign(
        "MQM", "made", ("a", "b"), ("document",), values
    )
    unit, label = second_campaign.divided_unit(campaign)
    assert unit == "sitting" and label.tolist() == [0, 0, 1, 2]
    campaign = honest_line.TestedCampaign(
        "MQM", "made", ("a", "b"), ("document",), values.assign(hit=[0, 1, 1, 2])
    )
    assert second_campaign.divided_unit(campaign)[1].tolist() == [0, 1, 1, 2]


def test_equal_systems_exchanges_names_alike_in_a_ranking():
    campaign = ranked(300)
    equal = second_campaign.equal_systems(campaign, rng(1))
    best = set()
    for _, rows in equal.groupby("ranking"):
        first, second = [*rows["system_1"]], [*rows["system_2"]]
        assert second[0] == first[1] and first[0] == first[2]
        best.add(first[0])
    assert best == {*"abc"}
    assert campaign.values["system_1"].iloc[0] == "a"  # the campaign stays as it was


def test_equal_systems_have_no_means_and_whole_blocks():
    document, system = np.indices((60, 3)).reshape(2, -1)
    score = 10.0 * system + document
    values = pd.DataFrame({"system": system, "document": document})
    values = values.assign(raw=score, z=score)
    campaign = honest_line.TestedCampaign(
        "DA SR+DC", "made", tuple("abc"), ("document",), values
    )
    equal = second_campaign.equal_systems(campaign, rng(1))
    assert equal["z"].tolist() == pytest.approx((document - document.mean()).tolist())
    assert (equal["system"] != system).any()


def test_shares_in_results_are_those_of_all_that_is_printed():
    each = pd.read_csv(ROOT / "results" / "second-campaign-each.csv")
    each = each[(each["pieces"] == 2) & ~each["equal"]]
    sums = each.groupby(["test", "item"])[["printed", "again"]].sum()
    keys = ["protocol", "test", "item"]
    table = pd.read_csv(ROOT / "results" / "second-campaign.csv").set_index(keys)
    every = table.loc["all"].reindex(sums.index)
    assert (every[["printed", "again"]] == sums).all(axis=None)
    share = (sums["again"] / sums["printed"]).tolist()
    assert every["share"].tolist() == pytest.approx(share, abs=1e-6)
    bands = pd.read_csv(ROOT / "results" / "second-campaign-lines.csv")
    lines = bands[["printed", "again"]].sum().tolist()
    assert lines == sums.loc[(TESTS[0], "lines")].tolist()
    assert bands["share"].iloc[0] == 0 and bands["share"].is_monotonic_increasing


def test_explained_by_is_the_kind_of_protocol_and_z_of_one_side():
    protocol = pd.Series(["RR", "DA by HIT", "ESA", "DA SR+DC"])
    x = second_campaign.explained_by(protocol, pd.Series([0.025, 0.5, 0.0, 1e-4]))
    assert x[:, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert x[:, 3] == pytest.approx([1.96, 0, 3.719, 3.719], abs=1e-3)


def test_fit_gives_the_shares_of_protocols_without_p():
    x = np.zeros((300, 4))
    x[:100, 0] = x[100:200, 1] = x[200:, 2] = 1
    again = np.r_[np.arange(100) < 90, np.arange(100) < 50, np.arange(100) < 20]
    found = second_campaign.fit_chances(x, again, np.ones(300))
    assert expit(found[:3]) == pytest.approx([0.9, 0.5, 0.2], abs=0.005)
    # Lines of 100 to 200 counted not at all, the others twice.
    times = 2.0 * (x[:, 1] == 0)
    assert second_campaign.fit_chances(x, again, times)[1] == pytest.approx(0, abs=1e-3)


def test_fit_finds_what_lines_were_made_with():
    made = np.array([-1.0, 0.5, -2, 1.5])
    protocol = pd.Series(["RR", "DA SR-DC", "MQM"] * 3000)
    x = second_campaign.explained_by(protocol, pd.Series(rng(1).uniform(0, 0.2, 9000)))
    again = rng(2).random(9000) < expit(x @ made)
    found = second_campaign.fit_chances(x, again, np.ones(9000))
    assert found == pytest.approx(made, abs=0.25)


@pytest.mark.parametrize("shift", [-4.0, 0.0, 4.0])
def test_fit_solves_its_equations_to_the_last_digits(shift):
    x = second_campaign.explained_by(
        pd.Series(["RR", "DA SR-DC", "MQM"] * 300), pd.Series(rng(1).uniform(size=900))
    )
    again = rng(2).random(900) < expit(x[:, 3] + shift)
    times = rng(3).integers(0, 4, 900)
    found = second_campaign.fit_chances(x, again, times)
    residual = (times * (again - expit(x @ found))) @ x
    prior = found / second_campaign.PRIOR**2
    assert residual == pytest.approx(prior, abs=1e-10)


def test_fit_of_lines_that_all_come_again_is_finite():
    x = second_campaign.explained_by(pd.Series(["RR"] * 9), pd.Series([0.01] * 9))
    found = expit(x @ second_campaign.fit_chances(x, np.ones(9), np.ones(9)))
    assert 0.95 < found[0] < 1 and logit(found[0]) < 30
