"""What two halves of a campaign print, and soft pairwise accuracy."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtri

from examples import rng
from study.beyond import honest_line, second_campaign
from study.beyond.second_campaign import LEVEL, ONE_SIDED, TESTS
from study.beyond.segment_tests import t_test_p
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


# --- two rules of printing ------------------------------------------------------------


def test_power_of_halves_by_hand():
    power = second_campaign.power_of_halves([0, 3, 4]).round(4)
    # At d = 3: Phi(3 / 1.4142 - 1.6449) = Phi(.4765) = .6831; Phi(3 - 2.8070) = .5765.
    assert power["both halves"].tolist() == [0.0025, 0.4667, 0.7774]
    assert power["one test"].tolist() == [0.0025, 0.5765, 0.8836]


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_one_test_never_prints_less_than_both_halves(level):
    differences = np.linspace(0, 8, 33)
    power = second_campaign.power_of_halves(differences, level)
    assert power["both halves"][0] == pytest.approx(level**2) == power["one test"][0]
    assert (power["one test"] >= power["both halves"] - 1e-12).all()
    # What changes is printed by one of two divisions, and not again.
    not_again = 2 * power["both halves"] * (1 - power["again"])
    assert power["changes"].tolist() == pytest.approx(not_again.tolist(), abs=1e-6)


def test_power_of_halves_is_that_of_divided_judges():
    """1,000 campaigns of 200 judges, d = 3, each divided 40 times."""
    draw = rng(1)
    judges = draw.normal(3 / np.sqrt(200), 1, (1000, 200))
    shown = np.empty((1000, 40))
    for k in range(40):
        in_half = draw.permuted(judges, axis=1).reshape(1000, 2, 100)
        shown[:, k] = (in_half.sum(axis=2) / 10 > -ndtri(LEVEL)).all(axis=1)
    of_campaign = shown.mean(axis=1)
    changes = 2 * of_campaign * (1 - of_campaign) * 40 / 39  # two other divisions
    power = second_campaign.power_of_halves([3]).loc[0]
    for seen, expected in (
        (of_campaign, power["both halves"]),
        (changes, power.changes),
    ):
        assert abs(seen.mean() - expected) < 3 * seen.std() / np.sqrt(1000)


# --- soft pairwise accuracy -----------------------------------------------------------


def one_sided(*upper):
    """Make the matrix of p of three systems, of pairs (0, 1), (0, 2) and (1, 2)."""
    p = np.full((3, 3), np.nan)
    p[np.triu_indices(3, 1)] = upper
    p[np.triu_indices(3, 1)[::-1]] = 1 - np.array(upper)
    return p


def test_soft_pairwise_accuracy_by_hand():
    p, q = one_sided(0.1, 0.5, 0.9), one_sided(0.2, 0.9, 0.6)
    # 1 less .1, .4 and .3.
    assert second_campaign.soft_pairwise_accuracy(p, q) == pytest.approx(2.2 / 3)
    q[0, 2] = np.nan
    assert second_campaign.soft_pairwise_accuracy(p, q) == pytest.approx(1.6 / 2)
    assert np.isnan(second_campaign.soft_pairwise_accuracy(p, 0 * p + np.nan))


def test_soft_pairwise_accuracy_of_sure_p_is_that_of_the_order():
    sure = one_sided(0, 0, 1), one_sided(1, 0, 1)
    assert second_campaign.soft_pairwise_accuracy(*sure) == pytest.approx(2 / 3)
    p = one_sided(*rng(1).random(3))
    assert second_campaign.soft_pairwise_accuracy(p, p) == 1
    turned = second_campaign.soft_pairwise_accuracy(p.T, sure[0].T)
    assert second_campaign.soft_pairwise_accuracy(p, sure[0]) == pytest.approx(turned)


def test_paired_t_test_is_the_permutation_test_of_soft_pairwise_accuracy():
    """Scores of two systems change sides at random, segment by segment."""
    draw = rng(1)
    for shift in (0, 0.1, 0.2):
        means = draw.normal(size=(2, 300))
        means[0] += shift
        differences = means[0] - means[1]
        signs = draw.choice([-1.0, 1.0], size=(20_000, 300))
        p = (signs @ differences >= differences.sum()).mean()
        assert t_test_p(means)[0, 1] == pytest.approx(p, abs=0.01)


# --- halves ---------------------------------------------------------------------------


def tables(campaign):
    """Return what the own rule, the unit test and `ONE_SIDED` print."""
    p = second_campaign.tests_of_pairs(campaign)
    rules = campaign.rule, honest_line.RULES["unit"], ONE_SIDED
    return [
        second_campaign.printed(p["mean"], p[test], rule)
        for test, rule in zip((*TESTS, TESTS[1]), rules, strict=True)
    ]


def test_printed_by_hand():
    every = {(0, 1), (0, 2), (1, 2)}
    for table in tables(ranked(20)):
        assert table["winner"] == {0}
        assert table["pairs"] == every == table["order"]
        assert table["lines"] == {frozenset({0}), frozenset({0, 1})}


def test_printed_has_an_order_where_nothing_is_apart():
    own, *by_units = tables(ranked(2))  # units too few for the test by judges
    assert len(own["lines"]) == 2  # of the sign test
    for table in by_units:
        assert table["order"] == {(0, 1), (0, 2), (1, 2)}
        assert table["pairs"] == set() == table["lines"]


@pytest.mark.parametrize("p, one, half", [(0.0024, 1, 1), (0.0026, 0, 1), (0.06, 0, 0)])
def test_one_test_is_at_the_square_of_the_level_of_a_half(p, one, half):
    mean = np.array([2.0, 1.0])
    matrix = np.array([[np.nan, p], [1 - p, np.nan]])
    found = second_campaign.printed(mean, matrix / LEVEL, ONE_SIDED)
    assert len(found["pairs"]) == one == len(found["lines"])
    found = second_campaign.printed(mean, matrix, ONE_SIDED)
    assert len(found["pairs"]) == half == len(found["lines"])


def test_count_again_looks_for_each_thing_in_the_other_half():
    half = {"winner": {0}, "pairs": {(0, 1)}, "order": {(0, 1), (1, 2)}}
    half["lines"] = {"a", "b"}
    other = {"winner": {0}, "pairs": {(1, 2)}, "order": {(1, 0), (1, 2)}}
    other["lines"] = {"b"}
    rows = pd.DataFrame(second_campaign.count_again("own rule", [half, other]))
    sums = rows.groupby(1)[[2, 3]].sum()
    assert sums.loc["winner"].tolist() == [2, 2]
    assert sums.loc["pairs"].tolist() == [2, 0]
    assert sums.loc["order"].tolist() == [2, 1]  # (1, 2) alone is in order
    assert sums.loc["lines"].tolist() == [3, 2]


def test_halves_of_a_campaign_share_no_judge_and_lose_none():
    campaign = ranked(21)
    halves = [half.values for half in second_campaign.halves_of(campaign, rng(1))]
    judges = [{*half["judge"]} for half in halves]
    assert not judges[0] & judges[1] and sorted(map(len, judges)) == [10, 11]
    assert len(halves[0]) + len(halves[1]) == len(campaign.values)


def test_compare_halves_of_judges_who_agree():
    counted = second_campaign.compare_halves(ranked(40), divisions=2, seed=1)
    assert counted["campaign"].eq("made").all()
    sums = counted.set_index(["test", "item"])[["printed", "again"]]
    for test in TESTS:  # 2 divisions, 2 halves: 2 lines, 3 pairs
        assert sums.loc[test, "lines"].tolist() == [8, 8]
        assert sums.loc[test, "order"].tolist() == [12, 12]
    assert sums.loc["both halves", "pairs"].tolist() == [6, 6]
    assert sums.loc["other division", "lines"].tolist() == [4, 4]
    assert sums.loc["unit test", "moved"].tolist() == [3, 0]
    assert sums.loc["segments", "SPA"].tolist() == pytest.approx([2, 2], abs=1e-3)
    assert sums.loc["segments", "undecided"].tolist() == pytest.approx([2, 1], abs=1e-3)


def test_compare_halves_without_p_have_no_soft_accuracy():
    counted = second_campaign.compare_halves(ranked(4), divisions=2, seed=1)
    tests = counted.loc[counted["item"] == "SPA", "test"]
    assert tests.tolist() == ["segments"]  # two judges in a half


def counted(*campaigns):
    """Return rows of tasks: (campaign, printed, again)."""
    return pd.DataFrame(campaigns, columns=["campaign", "printed", "again"]).assign(g=1)


def test_rates_weight_lines_in_the_share_and_campaigns_in_the_rate():
    rows = counted(("x", 90, 81), ("y", 10, 2), ("y", 10, 4), ("z", 10, 0))
    table = second_campaign.rates(rows, ["g"], 1).loc[1]
    assert table[["campaigns", "printed", "again"]].tolist() == [3, 120, 87]
    assert table["share"] == pytest.approx(87 / 120)
    assert table["rate"] == pytest.approx((0.9 + 0.3 + 0) / 3)  # tasks of y: one rate
    half = 4.3027 * np.std([0.9, 0.3, 0], ddof=1) / np.sqrt(3)
    assert table["low"] == 0 == max(0, 0.4 - half)
    assert table["high"] == min(1, 0.4 + half)
    assert np.isnan(table["share_low"])  # three campaigns


def test_rates_of_one_line_in_eight_halves_are_zero():
    # One half of eight prints one line: the other half cannot have it.
    clear = [(str(k), 16, 12) for k in range(9)]
    rows = counted(("single", 1, 0), *clear)
    table = second_campaign.rates(rows, ["g"], 1).loc[1]
    assert table["rate"] == pytest.approx(0.9 * 0.75)  # a tenth of the campaigns
    assert table["share"] == pytest.approx(108 / 145)  # one line of 145


def test_share_interval_is_that_of_a_ratio_over_campaigns():
    draw = rng(2)
    printed = draw.integers(1, 40, 80)
    again = draw.binomial(printed, draw.beta(4, 2, 80))
    rows = pd.DataFrame({"printed": printed, "again": again})
    low, high = second_campaign.share_interval(rows, 3)
    share = again.sum() / printed.sum()
    error = np.sqrt(80 / 79 * np.sum((again - share * printed) ** 2)) / printed.sum()
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)
    assert (low + high) / 2 == pytest.approx(share, abs=0.2 * error)


@pytest.mark.parametrize("judges, number, size", [(20, 20, 18), (19, 38, 9)])
def test_divided_unit_of_few_judges_is_a_run(judges, number, size):
    unit = second_campaign.divided_unit(ranked(judges, runs=2))
    # A run has three segments, of three comparisons each.
    assert unit.nunique() == number and (unit.value_counts() == size).all()


def test_divided_unit_of_assessments_is_a_hit_or_document():
    values = pd.DataFrame({"worker": [0, 0, 0, 1], "document": [0, 0, 1, 1]})
    campaign = honest_line.TestedCampaign(
        "MQM", "made", ("a", "b"), ("document",), values
    )
    assert second_campaign.divided_unit(campaign).tolist() == [0, 0, 1, 2]
    campaign = honest_line.TestedCampaign(
        "MQM", "made", ("a", "b"), ("document",), values.assign(hit=[0, 1, 1, 2])
    )
    assert second_campaign.divided_unit(campaign).tolist() == [0, 1, 1, 2]


def test_shares_in_results_are_those_of_all_that_is_printed():
    each = pd.read_csv(ROOT / "results" / "second-campaign-each.csv")
    sums = each.groupby(["test", "item"])[["printed", "again"]].sum()
    keys = ["protocol", "test", "item"]
    table = pd.read_csv(ROOT / "results" / "second-campaign.csv").set_index(keys)
    every = table.loc["all"].reindex(sums.index)
    assert (every[["printed", "again"]] - sums).abs().max(axis=None) < 1e-3
    share = (sums["again"] / sums["printed"]).tolist()
    assert every["share"].tolist() == pytest.approx(share, abs=1e-6)


# --- tables and figures ---------------------------------------------------------------


def test_one_division_counts_what_both_halves_print():
    table = second_campaign.one_division(second_campaign.halves_of(ranked(40), rng(1)))
    own = table[table["rule"] == "own rule"].set_index("item")
    # Forty judges agree on all three pairs, so every half prints all of them.
    assert own.loc["pairs", ["one half", "other half", "both"]].tolist() == [3, 3, 3]
    assert own.loc["lines", "both"] == 2


def made_rates():
    """Rates of three items of two protocols, of campaigns that print everything."""
    rows = [
        (protocol, test, item, f"c{k}", 4, 2 + k % 2)
        for protocol in ("DA SR-DC", "all")
        for test in (*TESTS, "both halves")
        for item in second_campaign.ITEMS
        for k in range(6)
    ]
    keys = ["protocol", "test", "item"]
    frame = pd.DataFrame(rows, columns=[*keys, "campaign", "printed", "again"])
    return second_campaign.rates(frame, keys, 1)


def test_percent_have_intervals_where_there_are_some():
    table = made_rates().head(1)
    assert second_campaign.in_percent(table, "rate").item() == "62 (48 to 77)"
    missing = table.assign(share_low=np.nan, share_high=np.nan)
    assert second_campaign.in_percent(missing).item() == "62"
    assert second_campaign.in_percent(missing.assign(share=np.nan)).item() == "-"


def test_protocols_are_in_words_on_the_figures():
    fig, axes = plt.subplots(1, 4)
    second_campaign.draw_shares(made_rates(), axes)
    words = [label.get_text() for label in axes[0].get_yticklabels()]
    assert words == ["single sentences\n(DA SR-DC)", "all campaigns"]
    assert [len(ax.lines) for ax in axes] == [2] * 4
    plt.close(fig)


def test_ratios_and_chances_are_drawn(ax):
    second_campaign.draw_ratios(made_rates(), ax)
    assert [text.get_text() for text in ax.texts] == ["62 %", "62 %", "as many"]
    fig, ax = plt.subplots()
    second_campaign.draw_power(second_campaign.power_of_halves([1, 2, 3]), ax)
    assert [line.get_label() for line in ax.lines] == ["one test", "both halves"]
    plt.close(fig)


def test_soft_accuracy_is_beside_that_of_an_undecided_metric():
    accuracy = {"SPA": [0.9, 0.8], "undecided": [0.6, 0.6]}
    rows = [
        ("DA", "segments", item, f"c{k}", 1, value)
        for item, values in accuracy.items()
        for k, value in enumerate(values)
    ]
    columns = ["protocol", "test", "item", "campaign", "printed", "again"]
    table = second_campaign.over_undecided(pd.DataFrame(rows, columns=columns))
    assert table.loc[("DA", "segments"), "rate"] == pytest.approx(0.25)
