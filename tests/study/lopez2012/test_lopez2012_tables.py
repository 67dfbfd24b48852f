"""Tables 1 to 4 of Lopez (2012), by hand."""

from itertools import permutations

import numpy as np
import pytest
from test_lopez2012_beside_print import EMBEDDED

from examples import counts_of
from study.lopez2012 import tables
from study.scoreboard import scoreboard


def test_a_printed_order_that_is_not_optimal_does_not_hold(found, monkeypatch):
    turned = tables.printed_order(found, "table-4")[::-1]
    monkeypatch.setattr(tables, "printed_order", lambda *_: turned)
    values = tables.table_4_values(found)
    board = scoreboard.compare("lopez2012", "12-all-tasks", values, source=EMBEDDED)
    statuses = board.set_index("id").loc[["L-T4-01", "L-T4-03"], "status"]
    assert statuses.tolist() == ["does-not-hold", "does-not-hold"]


def test_edges_of_the_printed_order_against_all_orders_of_eight_systems(found):
    margins = found.machines(tables.TUNABLE_METRICS).margins
    names = np.array(margins.index)
    edge = margins.clip(lower=0).to_numpy()
    orders = np.array(list(permutations(range(8))))
    upper, lower = np.triu_indices(8, 1)
    cost = edge[orders[:, lower], orders[:, upper]].sum(axis=1)
    optimal = [[*names[order]] for order in orders[cost == cost.min()]]
    assert len(optimal) == found.solved[tables.TUNABLE_METRICS].optimal_orders == 2
    assert tables.printed_order(found, "table-4") in optimal
    table = tables.printed_edges(found, "table-4")
    for row in table.itertuples():
        reversed_by = sum(o.index(row.loser) < o.index(row.winner) for o in optimal)
        assert {2: "all", 0: "none"}.get(reversed_by, "some") == row.reversed_in
    assert table["weight"].sum() == cost.min() == 6


def test_spearman_by_hand():
    assert tables.spearman("ABCD", "ABCD") == 1
    assert tables.spearman("ABCD", "DCBA") == -1
    # places differ by 0, 1, -1, 0: 1 - 6 * 2 / (4 * 15)
    assert tables.spearman("ABCD", "ACBD") == pytest.approx(0.8)


def test_table_1_has_each_task_in_its_cell(found):
    table = tables.table_1_by_languages(found)
    assert table.loc["French-English", "2011 syscomb"].tolist() == ["6", "3000"]
    assert table.loc["Urdu-English, tunable metrics", "2010"].tolist() == ["", ""]
    numbers = table.to_numpy().ravel()
    assert sum(number.isdecimal() for number in numbers) == 50


def test_a_number_that_differs_has_the_printed_one_behind_it(found, monkeypatch):
    larger = tables.table_1(found) + 1
    monkeypatch.setattr(tables, "table_1", lambda _: larger)
    table = tables.table_1_by_languages(found)
    assert table.loc["Czech-English", ("2010", "#sys")] == "13 (12)"


def test_rankings_are_grouped_by_the_methods_of_the_print(found):
    table = tables.in_print_order(tables.rankings_beside(found, "table-2"))
    names = ["WMT-OFFICIAL (Eq. 1)", "MFAS", "BOJAR (Eq. 3)"]
    assert [*table.columns.unique(0)] == names
    weights = table.loc["violated weight", "BOJAR (Eq. 3)"]
    assert weights.astype(str).tolist() == ["28", "69"]


def test_table_3_is_counted_edge_by_edge(found):
    assert tables.table_3_equal(found) == (
        "violated edges with the printed weight: 24 of 24;"
        " ranks by Eq. 1 as printed: 24 of 24"
    )


def test_ties_are_shares_of_a_systems_comparisons():
    counts = counts_of(("a", "b", 3, 2, 1), ("a", "c", 0, 0, 2))
    assert tables.tie_shares(counts).tolist() == [3 / 8, 1 / 6, 1]
