"""Lopez (2012): its tables, its examples by hand, and the verdicts beside the print."""

from itertools import combinations, permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import counts_of, data_error
from study import lopez2012
from study.data import sources
from study.lopez2012 import (
    beside_print,
    section_2,
    section_3,
    section_5,
    section_6,
    tables,
)
from study.scoreboard import scoreboard
from wmtlib.core.counts import Counts, comparisons

EMBEDDED = sources.resolve("embedded")


@pytest.fixture(scope="module")
def found():
    return lopez2012.analyse(EMBEDDED)


@pytest.fixture(scope="module")
def board(found):
    values = {
        "10-tournaments": beside_print.of_tournaments(found, None),
        "12-all-tasks": beside_print.of_all_tasks(found, None, None),
    }
    parts = [
        scoreboard.compare("lopez2012", notebook, computed, source=EMBEDDED)
        for notebook, computed in values.items()
    ]
    return pd.concat(parts)


# --- the scoreboard -------------------------------------------------------------------


def test_nothing_that_the_paper_prints_is_unexplained(board):
    assert board.query("status == 'unexplained'").empty
    not_checkable = board.query("status == 'not-checkable'")["reason"]
    assert len(board) == 185
    assert not_checkable.str.startswith("needs single").sum() == 13


def test_a_printed_order_that_is_not_optimal_does_not_hold(found, monkeypatch):
    turned = tables.printed_order(found, "table-4")[::-1]
    monkeypatch.setattr(tables, "printed_order", lambda *_: turned)
    values = tables.table_4_values(found)
    board = scoreboard.compare("lopez2012", "12-all-tasks", values, source=EMBEDDED)
    statuses = board.set_index("id").loc[["L-T4-01", "L-T4-03"], "status"]
    assert statuses.tolist() == ["does-not-hold", "does-not-hold"]


def test_facts_of_a_task_against_plain_loops(found):
    label = "2011 Czech-English individual"
    facts = section_5.describe_tasks(found).loc[label]
    counts = found.machines(label)
    margins = counts.margins
    cycles = sum(
        margins.loc[a, b] > 0 and margins.loc[b, c] > 0 and margins.loc[c, a] > 0
        for a, b, c in permutations(counts.systems, 3)
    )
    assert facts["cycles"] == cycles / 3
    pairs = [*combinations(counts.systems, 2)]
    both = counts.wins + counts.wins.T + counts.ties
    met = [both.loc[pair] for pair in pairs]
    assert facts[["least_met", "most_met"]].tolist() == [min(met), max(met)]
    assert facts["even"] == sum(margins.loc[pair] == 0 for pair in pairs)
    assert facts["met_often"] == sum(number >= 10 for number in met)


def test_a_system_that_met_online_a_more_often_gains_by_equal_exposure():
    """c met online-A in 6 of 10 comparisons, d in 1 of 5; by equal shares c leads."""
    systems = ["online-A", "c", "d"]
    wins = pd.DataFrame([[0, 5, 1], [1, 0, 2], [0, 2, 0]], systems, systems)
    analysis = SimpleNamespace(labels=["a task"], machines=lambda _: Counts(wins, wins))
    found = section_3.online_penalty(analysis)
    now = np.array([3 / 10, 2 / 5])
    share = 7 / 15
    equal = share * np.array([1 / 6, 0]) + (1 - share) * np.array([2 / 4, 2 / 4])
    error = np.sqrt(now * (1 - now) / [10, 5])
    assert found["lost"].to_numpy() == pytest.approx((equal - now) / error)
    assert found["turned"].tolist() == [1]


# --- tables ---------------------------------------------------------------------------


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


# --- single rankings ------------------------------------------------------------------


def assessed(*rows, label="2010 Czech-English"):
    """Assessments of rows (judge, segment, {system: rank}), numbered from 0."""
    long = [
        (k, judge, segment, system, rank)
        for k, (judge, segment, ranks) in enumerate(rows)
        for system, rank in ranks.items()
    ]
    columns = ["ranking", "judge", "segment", "system", "rank"]
    return pd.DataFrame(long, columns=columns).assign(task="cs-en", label=label)


def test_an_assessment_is_found_by_its_ranks_alone(monkeypatch):
    monkeypatch.setattr(section_2, "FIGURE_1", {"b": 2, "a": 1})
    rows = assessed(
        ("j", 1, {"b": 2, "a": 1}), ("j", 2, {"a": 2, "b": 1}), ("k", 3, {"a": 1})
    )
    where, figure_1 = section_2.figure_1(rows)
    assert where == "found once: 2010 Czech-English, sentence 1"
    found = figure_1[["ranking", "system", "rank"]].to_numpy().tolist()
    assert found == [[0, "a", 1], [0, "b", 2]]
    assert section_2.implied_comparisons(figure_1) == ["A ≺ B"]


def test_screens_know_what_was_ranked_and_what_was_shown_before():
    rows = assessed(
        ("j", 1, {"b": 2, "a": 1}),
        ("k", 1, {"a": 1, "b": 1}),
        ("k", 2, {"a": 1, "b": 1, "c": -1}),
    )
    table = section_2.screens(rows)
    assert table["shown"].tolist() == ["a b", "a b", "a b c"]
    assert table["repeat"].tolist() == [False, True, False]
    assert table[["outputs", "ranked"]].to_numpy().tolist() == [[2, 2], [2, 2], [3, 2]]


def test_three_consecutive_sentences_of_a_run_are_a_sample():
    segments = [1, 2, 3, 4, 5, 6, 9, 10, 11]
    rows = assessed(*[("j", segment, {"a": 1}) for segment in segments])
    screens = section_2.screens(rows)
    assert screens["sample"].tolist() == [*[1] * 3, *[4] * 3, *[9] * 3]
    assert section_2.run_lengths(screens).to_dict() == {3: 1, 6: 1}


def test_overlap_of_two_systems():
    rows = assessed(
        ("j", 1, {"a": 1, "b": 2}),
        ("k", 2, {"c": 1, "b": 2}),
        ("k", 3, {"b": -1, "c": 1}),
    )
    once = (1, 0, 0)
    met = counts_of(*[(*pair, *once) for pair in ("ab", "bc", "ac", ["c", "_ref"])])
    ranked = section_2.ranked_systems(rows)
    table = section_3.overlap(ranked, {"2010 Czech-English": met})
    # ab share sentence 1 and judge j, bc sentence 2 and judge k, ac nothing.
    assert table["sentences"].tolist() == table["judges"].tolist() == [1, 0, 1]
    # c meets the reference, a and b do not; each of a and b meets the other.
    assert table["other_rates"].tolist() == [False, True, True]


# --- by hand: the five systems of notebook 10 -----------------------------------------


@pytest.mark.parametrize(
    "systems, message",
    [
        (
            ["cmu", "nobody"],
            "no system 'nobody', or twice; expected some of aalto, bbn-combo",
        ),
        (["cmu", "_ref"], "no system '_ref'"),
        (["cmu", "cmu"], "no system 'cmu', or twice"),
        (["cmu"], "1 systems; expected 2 to 8"),
    ],
)
def test_bad_choices_are_refused(systems, message):
    task = "cs-en" if "nobody" in systems else "de-en"
    with data_error(message):
        section_3.few_systems("wmt10", task, systems, "embedded")


# --- section 6: what makes judgements uncertain ---------------------------------------


def test_sentences_decide_between_two_systems():
    rows = [
        ("j", 1, {"b": 2, "a": 1}),
        ("k", 1, {"a": 1, "b": 2}),
        ("j", 2, {"b": 1, "a": 2}),
    ]
    rows = assessed(*rows, ("j", 3, {"a": 1, "b": 1}))
    sentences = section_2.pair_sentences(section_2.sides(comparisons(rows)))
    # a is ahead on sentence 1 (twice), b on 2; nobody on 3. Over all, a is.
    assert sentences["met"].tolist() == [2, 1, 1] * 2
    assert sentences["lead"].tolist() == [2, -1, 0, -2, 1, 0]
    assert section_6.sentences_of_improvement(sentences).iloc[0].tolist() == [4, 1]


def test_systems_of_one_site_are_good_on_the_same_sentences():
    # x-1 and x-2 beat y and z on even sentences and lose on odd ones; y and z are
    # always equal.
    even = {"x-1": 1, "x-2": 1, "y": 2, "z": 2}
    odd = {"x-1": 2, "x-2": 2, "y": 1, "z": 1}
    rows = assessed(*[("j", s, odd if s % 2 else even) for s in range(24)])

    def covariance(rows):
        sides = section_2.sides(comparisons(rows))
        return section_6.covariance(section_2.pair_sentences(sides))

    table = covariance(rows)
    assert table["site"].tolist() == [True, *[False] * 5]
    assert table["correlation"].round(9).tolist() == [1, -1, -1, -1, -1, 1]
    assert not len(covariance(rows.replace("x-2", "w")))


@pytest.mark.parametrize("by_document, low, high", [(True, 0, 0.01), (False, 0.2, 1)])
def test_documents_that_favour_a_system_are_seen(by_document, low, high):
    # 20 samples of three sentences in two documents; a wins in one and loses in the
    # other, or wins every second sample whatever its document.
    samples = [s for start in range(0, 80, 4) for s in (start, start + 1, start + 2)]
    wins = [s < 40 if by_document else s // 4 % 2 == 0 for s in samples]
    rows = [
        ("j", s, {"a": 2 - w, "b": 1 + w}) for s, w in zip(samples, wins, strict=True)
    ]
    documents = pd.Series({s: "first" if s < 40 else "second" for s in samples})
    rows = assessed(*rows)
    p = section_6.document_effects(
        section_2.sides(comparisons(rows)),
        section_2.screens(rows)["sample"],
        documents,
    )
    assert low < p["2010 Czech-English"] <= high


def test_random_sets_of_outputs_repeat_by_chance():
    assessments = pd.DataFrame({"label": "task", "system": ["a", "b", "c"]})
    screens = pd.DataFrame({"label": "task", "segment": [1, 1, 1, 2], "outputs": 2})
    # Three sets of two: the second repeats the first with 1/3, the third with 1 - 4/9.
    expected = section_6.repeats_by_chance(assessments, screens)
    assert expected == pytest.approx(1 / 3 + 5 / 9)


def test_spearman_by_hand():
    assert tables.spearman("ABCD", "ABCD") == 1
    assert tables.spearman("ABCD", "DCBA") == -1
    # places differ by 0, 1, -1, 0: 1 - 6 * 2 / (4 * 15)
    assert tables.spearman("ABCD", "ACBD") == pytest.approx(0.8)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=20)
)
def test_the_sign_test_is_that_of_scipy(pairs):
    wins, losses = np.array(pairs).T
    for p, w, n in zip(
        section_6.sign_test(wins, losses), wins, wins + losses, strict=True
    ):
        if n:
            assert p == pytest.approx(stats.binomtest(int(w), int(n)).pvalue)
        else:
            assert np.isnan(p)
