"""Lopez (2012) by hand: the five systems of notebook 10, with every number worked out on paper."""

import pytest
from judged import counts_of

from wmtlib import mfas
from wmtlib.errors import DataError
from wmtlib.study.papers import lopez2012_by_hand as by_hand

FIVE = ["bbn-combo", "cmu", "cmu-heafield-combo", "onlineB", "rwth"]


@pytest.fixture(scope="module")
def counts():
    return by_hand.few_systems("wmt10", "de-en", FIVE, "embedded")


def test_only_the_chosen_systems_and_the_reference_are_left(counts):
    assert counts.systems == ["_ref", *FIVE]


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (["cmu", "nobody"], "no system 'nobody', or twice; expected some of aalto, bbn-combo"),
        (["cmu", "_ref"], "no system '_ref'"),
        (["cmu", "cmu"], "no system 'cmu', or twice"),
        (["cmu"], "1 systems; expected 2 to 8"),
    ],
)
def test_bad_choices_are_refused(systems, message):
    task = "cs-en" if "nobody" in systems else "de-en"
    with pytest.raises(DataError, match=message):
        by_hand.few_systems("wmt10", task, systems, "embedded")


def test_parts_and_scores_of_a_system():
    # x against y: 2 won, 1 tied, 1 lost; x against the reference: 1 tied, 4 lost.
    counts = counts_of(("x", "y", 2, 1, 1), ("_ref", "x", 4, 0, 1), ("_ref", "y", 3, 0, 0))
    parts = by_hand.score_parts(counts)
    assert parts.loc["x"].tolist() == [2, 1, 1, 0, 1, 4, 4 / 9, 2 / 4, 2 / 3]
    assert by_hand.spelled_out(parts, "x") == [
        "Eq. 1: (2 + 1 + 0 + 1) / 9 = 0.444",
        "Eq. 2: 2 / 4 = 0.500",
        "Eq. 3: 2 / 3 = 0.667",
    ]


def test_without_a_reference_equation_1_counts_systems_alone():
    parts = by_hand.score_parts(counts_of(("x", "y", 2, 1, 1)))
    assert by_hand.spelled_out(parts, "y")[0] == "Eq. 1: (1 + 1 + 0 + 0) / 4 = 0.500"


def test_figure_2_has_the_scores_that_the_text_gives():
    wins = by_hand.figure_2()
    met = (wins + wins.T).sum(axis=1)
    assert (wins.sum(axis=1)["B"], met["B"]) == (2, 5)
    assert (wins.sum(axis=1)["C"], met["C"]) == (2, 4)


def test_the_proof_adds_up(counts):
    table = by_hand.proof_by_addition(mfas.exact_order(counts.without("_ref").wins))
    edges = table.drop("sum")
    assert (edges["used"] <= edges["weight"]).all()
    assert table.loc["cmu-heafield-combo → bbn-combo"].tolist() == [4, 1, 2, 3]
    assert table.loc["sum"].tolist() == ["", 1, 2, 3]


def test_an_acyclic_tournament_needs_no_proof():
    table = by_hand.proof_by_addition(mfas.exact_order(by_hand.figure_2()))
    assert table.loc["sum"].tolist() == ["", 0]


def test_the_search_takes_six_sets_of_thirty_two(counts):
    table = by_hand.search_steps(counts.without("_ref").wins)
    assert table["cost"].tolist() == [0, 1, 3, 3, 3, 3]
    assert table.loc[1, "ranked so far"] == "nobody"
    assert table.loc[3, "ranked so far"] == "onlineB > rwth"
