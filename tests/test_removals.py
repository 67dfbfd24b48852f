"""Perturbed rankings: by hand, and against campaigns built anew."""

import re
from itertools import combinations

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from examples import (
    campaign,
    counts_of,
    data_error,
    drawn,
    encoded,
    tournament,
)
from wmtlib import methods, removals
from wmtlib.cluster_lines import RankedClusters
from wmtlib.core.assessments import encode, leave_out
from wmtlib.core.counts import expand
from wmtlib.core.errors import DataError
from wmtlib.files.forms import count
from wmtlib.methods import METHODS, rank
from wmtlib.removals import stability

few = settings(max_examples=settings().max_examples * 2 // 5)


def ranked(order, better=(), rule="footnote-4"):
    """A ranking of systems named in order, and which pairs are significantly apart."""
    names = tuple(sorted(order))
    p = np.ones((len(names), len(names)))
    for a, b in better:
        p[names.index(a), names.index(b)] = p[names.index(b), names.index(a)] = 0.01
    places = np.array([names.index(name) for name in order])
    return RankedClusters(names, places, np.full(len(names), np.nan), p, rule)


ALL = list(combinations("ABCD", 2))


# --- comparing two rankings, by hand --------------------------------------------------


NOT_B_AND_C = [pair for pair in ALL if pair != ("B", "C")]


@pytest.mark.parametrize(
    "before, after, expected",
    [
        (
            ranked("ABCD", NOT_B_AND_C),
            ranked("ACBD", NOT_B_AND_C),
            (True, False, False, 1, 1, "", "", "B > C"),
        ),
        (
            ranked("ABCD", ALL[:3]),
            ranked("ABCD", ALL[-1:]),
            (False, True, False, 0, 0, "below C", "below A", ""),
        ),
        (
            ranked("AB", ALL[:1]),
            ranked("BA", ALL[:1]),
            (True, True, True, 1, 1, "below B", "below A", "A > B"),
        ),
        (ranked("ABCD"), ranked("DABC"), (True, False, False, 3, 3, "", "", "C > D")),
        (ranked("ABCD"), ranked("ACDB"), (True, False, False, 2, 2, "", "", "B > C")),
    ],
    ids=[
        "a swap inside a cluster changes the rank only",
        "lines that appear and vanish change clusters only",
        "two clusters that change places are a change of both",
        "the last becomes the first",
        "neighbours that others come between are not reversed",
    ],
)
def test_differences_between_two_rankings(before, after, expected):
    assert tuple(removals.differences(before, after).values()) == expected


def test_leaving_a_system_out_recomputes_lines():
    whole = ranked("ABCD", [pair for pair in ALL if pair != ("A", "C")])
    assert whole.lines.tolist() == [False, True, True, False]
    without_c = whole.restricted(np.array([True, True, False, True]))
    assert without_c.lines.tolist() == [True, True, False]


# --- changed judgements ---------------------------------------------------------------


def test_leave_out_removes_a_system_of_comparisons_and_of_a_campaign():
    counts = counts_of("a b 6 4 0", "b c 9 1 0", "a c 5 5 0")
    for data in (counts, expand(counts)):
        assert count(leave_out(data, ["b"])).systems == ["a", "c"]
    whole = encode(drawn(0))
    fewer = leave_out(whole, ["A"], items=["REF"], paired=True)
    assert "A" not in fewer.systems and not fewer.is_item("REF").any()
    with data_error("no system 'X'; expected A, B"):
        leave_out(whole, ["X"])


def test_divide_changes_scores_of_the_systems_alone():
    whole = encode(drawn(0))
    for items in ([], ["REF"]):
        rows = whole.rows_of(whole.is_system(["A"]), items=items, paired=False)
        worse = removals.divide(whole, ["A"], 4, items=items)
        assert (worse.score[rows] * 4 == whole.score[rows]).all()
        assert (worse.score[~rows] == whole.score[~rows]).all() and rows.any()


def test_differences_compares_the_systems_of_both_rankings():
    whole = ranked("ABCD", ALL)
    fewer = ranked("CBD", [pair for pair in ALL if "A" not in pair])
    found = removals.differences(whole, fewer)
    assert found["swaps"] == "B > C" and found["kendall"] == 1
    assert (found["lines_new"], found["lines_gone"]) == ("below C", "below B")


# --- leaving one out, by any method ---------------------------------------------------


def test_stability_of_a_weak_system_reverses_a_pair():
    # a won 6 of 10 and 1 of 2. b: 4 of 10, but all 30 with x.
    counts = counts_of("a b 6 4 0", "b x 30 0 0", "a x 1 1 0")
    found = stability(counts, "heuristic2")
    assert found.ranking.order == ["b", "a", "x"]
    rows = found.table.set_index("removed")
    assert rows["changed"].to_dict() == {"b": True, "a": False, "x": True}
    assert rows.loc["x"].tolist() == [True, 1, 0, "b > a"]
    assert rows.loc["b"].tolist() == [True, 0, 1, ""]  # a and x tied with each other
    assert found.systems.to_numpy().tolist() == [["b", 1, 1], ["a", 1, 1], ["x", 0, 0]]
    assert found.neighbours.to_numpy().tolist() == [
        ["b", "a", 1, "x"],
        ["a", "x", 0, ""],
    ]
    assert found.note == ""


def test_a_removal_that_reverses_two_pairs_of_a_system_moves_it_once():
    # a won 12 of 20 against b and c, which are above it by what they won against x.
    rows = ["a b 6 4 0", "a c 6 4 0", "b c 5 5 0"]
    counts = counts_of(*rows, "b x 30 0 0", "c x 29 1 0", "a x 1 1 0")
    found = stability(counts, "heuristic2")
    assert found.ranking.order == [*"bcax"]
    assert found.table["reversed"].tolist() == [0, 0, 0, 2]
    moved = found.systems.to_numpy().tolist()
    assert moved == [["a", 1, 2], ["b", 1, 1], ["c", 1, 1], ["x", 0, 0]]


def test_neighbours_once_the_one_between_is_gone():
    # a, b, c by wins: 11, 10, 10 of 20 with each other. Without b, c is better than a.
    counts = counts_of("a b 7 3 0", "b c 7 3 0", "a c 4 6 0")
    found = stability(counts, "bojar")
    assert found.ranking.order == ["a", "b", "c"]
    assert found.table["swaps"].tolist() == ["", "a > c", ""]
    assert found.neighbours["swapped"].tolist() == [0, 0]


@few
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize(
    "method", ["expected-wins", "wmt-official", "bradley-terry-half"]
)
def test_stability_equals_rank_of_the_others(method, seed):
    counts = count(tournament(seed, systems=4, games=60))
    try:
        found = stability(counts, method)
    except DataError:  # without a prior some tournaments have no maximum
        assert method == "bradley-terry-half"
        return
    place = found.ranking.column("rank")
    assert found.table["removed"].tolist() == found.ranking.order
    for row in found.table.itertuples():
        try:
            again = rank(counts.without(row.removed), method).column("rank")
        except DataError:
            assert method == "bradley-terry-half"
            continue
        turned = [
            (again[a] - again[b]) * (place[a] - place[b]) < 0
            for a, b in combinations(again.index, 2)
        ]
        assert row.reversed == sum(turned)
    assert found.systems["reversed"].sum() == 2 * found.table["reversed"].sum()


@pytest.mark.parametrize("method", ["mfas", "trueskill", "net-wins"])
def test_every_kind_of_method_can_leave_out(method):
    found = stability(tournament(1), method)
    assert found.table["removed"].tolist() == found.ranking.order
    assert (found.note != "") == METHODS[method].random
    assert_frame_equal(found.table, stability(count(tournament(1)), method).table)


def test_stability_by_mfas_counts_no_change_between_optimal_orders():
    counts = counts_of("a b 5 0 0", "a c 5 0 0", "b d 5 0 0")
    assert stability(counts, "mfas").table["reversed"].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
def test_leaving_out_systems_of_a_campaign(method):
    whole = campaign(1)
    found = stability(whole, method)
    for row in found.table.itertuples():
        again = rank(whole.without([row.removed], items=(), paired=False), method).order
        before = [name for name in found.ranking.order if name != row.removed]
        assert row.changed == (again != before)
    assert method == "z-score" or not found.table["changed"].any()  # raw means stay


def test_stability_names_systems_without_a_score():
    rows = ["a b 6 4 0", "b c 9 1 0", "a c 5 5 0"]
    counts = counts_of(*rows, "a x 0 0 2")
    found = stability(counts, "expected-wins")
    assert found.ranking.order == ["b", "a", "c"]
    assert found.note.startswith("'x': left out")
    assert found.table.equals(stability(counts_of(*rows), "expected-wins").table)
    rows = [
        f"{worker} {system} SYSTEM {k} {9 * k + ord(system)}"
        for worker in "vw"
        for system in "ABC"
        for k in range(3)
    ]
    # By a worker whose scores never vary.
    rows += ["u D SYSTEM 1 50"] * 2
    found = stability(encoded(rows))
    assert found.note.startswith("'D': left out") and found.ranking.order == [*"CBA"]


def test_stability_refuses_small_or_unknown_data():
    with data_error(r"^2 systems; leaving one out needs three or more$"):
        stability(counts_of("a b 1 2 3"), "bojar")


def test_every_removal_begins_from_the_same_seed(monkeypatch):
    seeds = []
    signs = methods.TrueSkill.signs

    def watched(self, data, order, settings):
        seeds.append(settings.seed)
        return signs(self, data, order, settings)

    monkeypatch.setattr(methods.TrueSkill, "signs", watched)
    stability(tournament(3), "trueskill", seed=1)
    assert len(seeds) == 5 and len({*seeds}) == 1 and isinstance(seeds[0], int)


def test_stability_names_the_removal_that_failed():
    counts = counts_of("a b 2 1 0", "b c 2 1 0")
    said = re.escape("without 'b': no comparisons; expected one or more")
    for backend in ("loky", "threading"):
        with joblib.parallel_config(backend, n_jobs=2), data_error(said):
            stability(counts, "trueskill")
