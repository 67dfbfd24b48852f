"""What two halves of a campaign print, and equal systems."""

import numpy as np
import pandas as pd
import pytest

from examples import rng
from study.beyond import honest_line, second_campaign
from study.beyond.second_campaign import TESTS


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
    return honest_line.TestedCampaign("RR", "made", ("a", "b", "c"), ("judge",), frame)


def test_printed_by_hand():
    tables = second_campaign.printed(ranked(20))
    every = {(0, 1), (0, 2), (1, 2)}
    for test in TESTS:
        assert tables[test, "winner"] == ({0}, {0})
        assert tables[test, "pairs"] == (every, every) == tables[test, "order"]
        assert tables[test, "lines"][0] == {frozenset({0}), frozenset({0, 1})}
        assert tables[test, "clusters"][0] == {frozenset({k}) for k in range(3)}


def test_printed_has_an_order_and_no_cluster_where_nothing_is_apart():
    campaign = ranked(2)  # units too few for the test by judges
    tables = second_campaign.printed(campaign)
    assert tables[TESTS[1], "order"] == (set(), {(0, 1), (0, 2), (1, 2)})
    assert tables[TESTS[1], "lines"][0] == tables[TESTS[1], "clusters"][0] == set()


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
