"""Pictures of notebook 62: a row for each protocol, a mark for each test."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from study.beyond import honest_line, line_pictures


def names(ax):
    return [text.get_text().replace("\n", " ") for text in ax.get_yticklabels()]


@pytest.fixture
def table():
    rows = [
        ("RR WMT16 (by both)", "sign test", 0.175),
        ("RR WMT16 (by both)", "judges", 0.06),
        ("ESA", "signed-rank", 0.18),
        ("ESA", "wmt26", 0.25),
        ("ESA", "unit", 0.05),
    ]
    frame = pd.DataFrame(rows, columns=["protocol", "rule", "rejected"])
    frame["rejected_low"] = frame["rejected"] - 0.01
    return frame.assign(rejected_high=frame["rejected"] + 0.01)


def test_false_differences_has_a_mark_a_test_in_the_row_of_its_protocol(table):
    ax = line_pictures.false_differences(table, plt.subplots()[1])
    assert names(ax) == ["whole documents, ESA", "relative rankings, WMT16"]
    marks = {each.get_label(): each.lines[0].get_xydata() for each in ax.containers}
    [*_, judges, both] = marks.values()
    assert judges == pytest.approx(np.array([[6.0, 1.1]]))
    assert both == pytest.approx(np.array([[5.0, 0.3]]))
    assert [len(of_test) for of_test in marks.values()] == [2, 1, 0, 1, 1]
    plt.close()


def test_every_protocol_and_rule_by_segments_is_drawn():
    drawn = {rule for _, rules, *_ in line_pictures.TESTS for rule in rules}
    applied = {name for names in honest_line.APPLIED.values() for name in names}
    assert applied - {"wmt17", "wmt24"} <= drawn  # one-sided: 10 % by design
    assert {*honest_line.APPLIED} <= {*line_pictures.PROTOCOLS}


def test_what_stays_is_drawn_for_each_protocol():
    gone = pd.DataFrame(
        {"gone": [0.5, 0.9], "low": [0.4, np.nan], "high": [0.6, np.nan]},
        index=["ESA", "MQM"],
    )
    ax = line_pictures.pairs_gone(gone, plt.subplots()[1])
    assert names(ax) == ["whole documents, ESA", "whole documents, MQM"]
    counts = pd.DataFrame(
        {"lines": [4], "lines_stay": [2], "lines_at_once": [1]}, index=["ESA"]
    )
    ax = line_pictures.lines_left(counts, plt.subplots()[1])
    assert [line.get_xdata()[0] for line in ax.lines[:3]] == [4, 2, 1]
    plt.close("all")
