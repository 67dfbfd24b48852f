"""Lopez (2012): its tables, and the verdicts that stand beside the printed values."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from wmtlib.errors import DataError
from wmtlib.study import published, scoreboard
from wmtlib.study.papers import (
    lopez2012,
    lopez2012_claims,
    lopez2012_ranking_claims,
    lopez2012_samples,
    lopez2012_values,
)
from wmtlib.study.releases import sources

EMBEDDED = sources.resolve("embedded")


@pytest.fixture(scope="module")
def found():
    return lopez2012.analyse(EMBEDDED)


def compared(found, assessments, source):
    """Both notebooks' parts of the scoreboard."""
    parts = []
    for notebook in ("10-tournaments", "12-all-tasks"):
        values = lopez2012_values.values(found, assessments, notebook=notebook)
        parts.append(scoreboard.compare("lopez2012", notebook, values, source=source))
    return pd.concat(parts).set_index(["item", "quantity"])


@pytest.fixture(scope="module")
def board(found):
    return compared(found, None, EMBEDDED)


@pytest.mark.realdata
def test_the_scoreboard_on_raw_files():
    source = sources.resolve("mirror")
    rows = lopez2012_samples.load_assessments(source)
    board = compared(lopez2012.analyse(source), rows, source)
    assert board["status"].value_counts().to_dict() == {
        "exact": 108,
        "rounded": 2,
        "known-difference": 6,
        "arithmetic": 6,
        "not-checkable": 16,
        "holds": 31,
        "holds-partly": 4,
        "does-not-hold": 3,
    }


def test_table_1_has_the_25_tasks(found):
    table = lopez2012.table_1(found)
    assert table.shape == (25, 2)
    assert table.loc["2011 English-French syscomb"].to_dict() == {"#sys": 2, "#pairs": 880}


def test_the_overview_has_every_task_that_experts_judged(found):
    table = lopez2012.overview(found)
    assert len(table) == 37 and (table["lower_bound"] == table["mfas"]).all()
    row = table.loc[lopez2012.FRENCH_ENGLISH, ["mfas", "optimal_orders", "systems"]]
    assert row.tolist() == [61, 8, 24]


def test_table_2_ends_with_what_each_ranking_violates(found):
    table = lopez2012.table_2(found)
    assert table.loc[1, "mfas"] == "cu-marecek" and table.loc[1, "bojar"] == "online-B"
    assert table.loc["violated weight"].to_dict() == {
        "wmt-official": 38,
        "mfas": 0,
        "bojar": 28,
        "heuristic2": 69,
    }


def test_ranks_are_the_places_of_the_orders(found):
    ranks = lopez2012.ranks(found, lopez2012.ENGLISH_CZECH, ["mfas", "bojar"])
    assert ranks["mfas"].tolist() == [*range(1, 11)]
    assert ranks.loc["cu-marecek"].to_dict() == {"mfas": 1, "bojar": 3}


def test_rankings_and_edges_of_all_tasks_agree_with_the_weights(found):
    rankings, edges = lopez2012.all_rankings(found), lopez2012.violated_edges(found)
    assert len(rankings) == 4 * found.tasks["systems"].sum()
    weights = edges.groupby("label")["weight"].sum().reindex(found.tasks.index, fill_value=0)
    assert weights.tolist() == found.weights["mfas"].tolist()


def test_edges_of_the_printed_order_against_all_orders_of_eight_systems(found):
    margins = found.machines(lopez2012.TUNABLE_METRICS).margins
    names, edge = np.array(margins.index), margins.clip(lower=0).to_numpy()
    orders = np.array(list(permutations(range(8))))
    upper, lower = np.triu_indices(8, 1)
    cost = edge[orders[:, lower], orders[:, upper]].sum(axis=1)
    optimal = [[*names[order]] for order in orders[cost == cost.min()]]
    assert len(optimal) == found.solved[lopez2012.TUNABLE_METRICS].optimal_orders == 2
    assert lopez2012.printed_order(found, "table-4") in optimal
    table = lopez2012.printed_edges(found, "table-4")
    for row in table.itertuples():
        reversed_by = sum(o.index(row.loser) < o.index(row.winner) for o in optimal)
        assert {2: "all", 0: "none"}.get(reversed_by, "some") == row.reversed_in
    assert table["weight"].sum() == cost.min() == 6


def test_half_of_the_printed_edges_of_table_3_are_certain(found):
    table = lopez2012.table_3(found)
    assert len(table) == 24 and table["weight"].sum() == 61
    assert table["reversed_in"].value_counts().to_dict() == {"all": 12, "some": 12}


def test_nothing_that_the_paper_prints_is_unexplained(board):
    assert board.query("status == 'unexplained'").empty
    needs = board.query("status == 'not-checkable'")["reason"].str.startswith("needs single")
    assert needs.sum() == 10


@pytest.mark.parametrize(
    ("item", "quantity", "status", "reproduced"),
    [
        ("table-2", "BOJAR violated weight", "known-difference", "28"),
        ("section-5.1", "2010 French-English, violated weight Eq. 2", "known-difference", "118"),
        ("section-5.1", "2010 French-English, systems", "known-difference", "24"),
        ("section-5.2", "tunable metrics, Spearman of Eq. 2 with MFAS", "rounded", "0.428571"),
        ("section-1", "rankings of ten systems", "arithmetic", "3628800"),
        ("section-5", "minutes to rank all 25 tasks", "not-checkable", ""),
        ("figure-2", "consistent ranking", "not-checkable", ""),
        ("abstract", "tasks analysed", "does-not-hold", None),
        ("section-4", "edges of a tournament", "does-not-hold", None),
        ("section-3", "ONLINEA and ONLINEB", "holds-partly", None),
        ("section-5.1", "2010 French-English, ONLINEB", "holds-partly", None),
        ("section-5.2", "tunable metrics, best ranking", "does-not-hold", None),
        ("table-3", "MFAS ranking", "holds", None),
        ("table-4", "near-optimal", "holds-partly", None),
    ],
)
def test_the_verdicts_that_a_reader_asks_for(board, item, quantity, status, reproduced):
    row = board.loc[item, quantity]
    assert row["status"] == status
    assert reproduced is None or row["reproduced"] == reproduced


def test_two_mechanisms_give_the_printed_correlation_and_others_do_not(board):
    reason = board.loc["section-5.2", "tunable metrics, Spearman of Eq. 1 with MFAS"]["reason"]
    fits, others = reason.split("; does not: ")
    assert "Eq. 3 with the printed" in fits and "ninth item" in fits and "cannot be told" in fits
    assert "first by name (0.880952)" in others


def test_a_printed_order_that_is_not_optimal_does_not_hold(found, monkeypatch):
    order = lopez2012.printed_order(found, "table-4")
    swapped = [order[-1], *order[1:-1], order[0]]
    printed = {"table-3": lopez2012.printed_order(found, "table-3"), "table-4": swapped}
    monkeypatch.setattr(lopez2012_ranking_claims, "printed_order", lambda _, item: printed[item])
    claims = lopez2012_claims.claims(found)
    assert not any(claims["table-4", "MFAS ranking"].parts.values())
    assert claims["table-4", "near-optimal"].parts["above the least"]


def test_an_order_that_counts_the_reference_differs_from_equation_3(found):
    label = lopez2012.FRENCH_ENGLISH
    order = lopez2012_values.order_with_reference(found, label, "bojar")
    assert sorted(order) == sorted(found.orders[label]["bojar"]) != found.orders[label]["bojar"]


def test_correlations_with_both_optimal_orders(found):
    table = lopez2012.correlations(found).round(3)
    assert table["with the printed order"].tolist() == [0.905, 0.429, 0.929]
    assert table.loc["Eq. 2", "reference as a ninth item"] == 0.6


def test_corrections_leave_fewer_pairs_significant(found):
    tests = lopez2012.sign_tests(found)
    counted = (tests[["p", "benjamini-hochberg", "holm"]] < 0.05).sum().tolist()
    assert len(tests) == 1343 and counted[0] == 692
    assert counted == sorted(counted, reverse=True)


def test_an_unknown_task_is_refused_by_name(found):
    assert found.task(lopez2012.FRENCH_ENGLISH) == lopez2012.FRENCH_ENGLISH
    with pytest.raises(DataError, match="no task 'fr-en'; expected one of 2010 Czech-English"):
        found.task("fr-en")


def test_tables_are_written(found, tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    lopez2012.save_tables(found, EMBEDDED)
    table = pd.read_csv(tmp_path / "results" / "lopez2012-table-4.csv")
    assert table["reversed_in"].tolist() == ["all", "all"]


def test_every_claim_has_a_criterion_and_a_whole_quotation():
    rows = published.load_published("lopez2012")
    claims = rows[rows["criterion"] != ""]
    assert len(rows) == 176 and len(claims) == 48
    assert (rows.groupby("item").size()["table-1"]) == 50
    quoted = rows.query("provenance == 'text'")["place"]
    assert (quoted.str.count('"') % 2 == 0).all()
