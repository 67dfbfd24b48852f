"""Tables 1 to 4 of Lopez (2012), by hand."""

from itertools import permutations

import numpy as np
import pytest
from test_lopez2012_beside_print import EMBEDDED

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
