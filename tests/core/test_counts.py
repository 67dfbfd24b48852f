"""Rankings to comparisons to counts, by hand and against a plain loop; every form."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import compared, counts_of, data_error, message_of, row_of
from wmtlib.core.counts import (
    COMPARISONS,
    RANKINGS,
    UNRANKED,
    Counts,
    comparisons,
    expand,
    rows_of,
    units,
    without,
)
from wmtlib.core.errors import Question
from wmtlib.files.forms import count
from wmtlib.files.read import read

NAMES = [f"sys-{letter}" for letter in "abcdefg"]

# One ranking: up to five different systems in screen order, each with a rank or a
# blank.
RANKING = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from([UNRANKED, 1, 2, 3, 4, 5])),
    max_size=5,
    unique_by=lambda slot: slot[0],
)
MANY = st.lists(RANKING, max_size=12)


def frame(rankings):
    """Rankings, each a list of (system, rank), in the form that the readers give."""
    rows = [
        ("fr-en", number, 1, "judge_001", system, rank)
        for number, ranking in enumerate(rankings)
        for system, rank in ranking
    ]
    return pd.DataFrame(rows, columns=RANKINGS).astype({"ranking": int, "rank": int})


def counted(rankings):
    return count(comparisons(frame(rankings)))


def same(left, right):
    pd.testing.assert_frame_equal(left.wins, right.wins)
    pd.testing.assert_frame_equal(left.ties, right.ties)


# --- Lopez (2012), Figure 1: a ranking of five systems gives ten comparisons ----------

FIGURE_1 = [("jhu", 1), ("bbn-combo", 2), ("rwth", 3), ("rwth-combo", 3), ("cmu", 4)]
FIGURE_1_PAIRS = [
    "jhu bbn-combo 1",
    "jhu rwth 1",
    "jhu rwth-combo 1",
    "jhu cmu 1",
    "bbn-combo rwth 1",
    "bbn-combo rwth-combo 1",
    "bbn-combo cmu 1",
    "rwth rwth-combo 0",
    "rwth cmu 1",
    "rwth-combo cmu 1",
]


def test_figure_1_gives_its_ten_comparisons_in_the_papers_order():
    table = comparisons(frame([FIGURE_1]))
    assert list(table.columns) == COMPARISONS
    found = table[["system_1", "system_2", "preference"]].to_numpy().tolist()
    assert found == [*map(row_of, FIGURE_1_PAIRS)]


def test_scattered_rows_of_a_ranking_are_refused():
    rankings = frame([FIGURE_1, FIGURE_1]).sort_values("system")
    with data_error(r"^ranking 0: its rows are scattered"):
        comparisons(rankings)


# --- against a plain loop -------------------------------------------------------------


def plainly(rankings):
    """Wins and ties of ordered pairs, by a double loop."""
    wins = Counter()
    ties = Counter()
    for ranking in rankings:
        for (a, i), (b, j) in combinations(ranking, 2):
            if UNRANKED in (i, j):
                continue
            if i == j:
                ties[a, b] += 1
                ties[b, a] += 1
            else:
                wins[(a, b) if i < j else (b, a)] += 1
    return wins, ties


@given(MANY)
def test_counts_are_those_of_a_plain_loop(rankings):
    counts = counted(rankings)
    wins, ties = plainly(rankings)
    sizes = [sum(rank != UNRANKED for _, rank in ranking) for ranking in rankings]
    assert counts.comparisons == sum(k * (k - 1) // 2 for k in sizes)
    met = sorted({name for pair in [*wins, *ties] for name in pair})
    assert counts.systems == met == list(counts.ties.index) == list(counts.wins.columns)
    for a in met:
        for b in met:
            assert counts.wins.loc[a, b] == wins[a, b]
            assert counts.ties.loc[a, b] == ties[a, b]


# --- Counts, and what is refused ------------------------------------------------------


@pytest.mark.parametrize(
    "row, message",
    [
        ("a b 3 1", "a preference is neither 0 (tie), 1 nor 2"),
        ("a a 1 1", "system 'a' is compared with itself"),
        (("a", None, 1, 1), "a comparison lacks the name of a system, as text"),
        (("a", 7, 1, 1), "a comparison lacks the name of a system, as text"),
        (("a", "b", 1, -1), "a count is -1; expected a whole number from 0"),
        (("a", "b", 1, 0.5), "a count is 0.5; expected a whole number from 0"),
    ],
    ids=str,
)
def test_rows_that_are_not_comparisons_are_refused(row, message):
    assert message_of(count, compared("a c 1 1", row)) == message


def test_rows_that_count_are_not_copied():
    frame = compared("a b 1 2", "b a 1 3")
    assert rows_of(frame).frame is frame
    some = frame.assign(count=[0, 3])
    assert rows_of(some).frame["count"].tolist() == [3]


def test_counted_comparisons_with_units():
    rows = ["b a 1 2", "a b 1 1", "b c 0 3", "a c 2 0"]
    table = compared(*rows, judge=["j", "k", "j", "j"])
    expected = counts_of("a b 1 2 0", "b c 0 0 3")
    same(count(table), expected)
    single = expand(table)
    assert [*single.itertuples(index=False, name=None)] == [
        ("b", "a", 1, "j"),
        ("b", "a", 1, "j"),
        ("a", "b", 1, "k"),
        *[("b", "c", 0, "j")] * 3,
    ]
    same(count(single), expected)


@pytest.mark.parametrize("kind", [str, "category"])
def test_comparisons_without_a_system(kind):
    table = compared("a b 1 3", "c a 2 1", "b c 0 2")
    table = table.astype({"system_1": kind, "system_2": kind})
    assert without(table, None) is table
    for system in ("a", "b", "c"):
        expected = count(table).without(system)
        same(count(without(table, system)), expected)
        same(without(count(table), system), expected)


# --- every form that a frame of comparisons may have ----------------------------------

VOTES = ["x y 1", "y z 2", "x z 0"]


def votes(first, second, outcome, words):
    frame = pd.DataFrame(map(row_of, VOTES), columns=[first, second, outcome])
    return frame.assign(**{outcome: words, "judge": [*"pqr"]})


@pytest.mark.parametrize(
    "frame",
    [
        votes("system_1", "system_2", "preference", [1, 2, 0]),
        votes("a", "b", "outcome", ["a", "b", "tie"]),
        votes("model_a", "model_b", "winner", ["model_a", "model_b", "Tie"]),
        votes("model_a", "model_b", "winner", ["x", "z", "draw"]),
        votes("system_a", "system_b", "outcome", pd.Categorical(["A", " b ", "equal"])),
        votes("system_1", "system_2", "winner", ["system_1", "system_2", "tie"]),
    ],
    ids=lambda frame: ",".join([*frame.columns[:3], str(frame.iloc[0, 2])]),
)
def test_comparisons_in_every_form(frame):
    judgements = read(frame)
    table = judgements.comparisons
    assert units(table) == ["judge"] and table["count"].sum() == 3
    expected = counts_of("x y 1 0 0", "x z 0 0 1", "y z 0 1 0")
    same(count(frame), expected)
    same(count(judgements), expected)
    assert rows_of(table, [*"wxyz"]).counted.systems == [*"wxyz"]


def test_rankings_in_any_order_of_rows():
    mixed = frame([FIGURE_1, FIGURE_1[::-1]]).sort_values("rank", kind="stable")
    same(count(mixed), counted([FIGURE_1, FIGURE_1]))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            votes("a", "b", "outcome", ["a", "b", "won"]),
            "DataFrame: 1 outcome of unknown meaning",
        ),
        (
            votes("a", "b", "outcome", ["a", np.nan, "a"]).set_axis([5, 6, 7]),
            "outcome is '' (row 6); expected an outcome",
        ),
        (  # a is the second system here, and the first position
            pd.DataFrame({"a": ["b"], "b": ["a"], "outcome": ["a"]}),
            "outcome",
        ),
        (
            pd.DataFrame({"x": [*"pq"], "y": [*"qr"], "z": [*"rp"]}),
            "DataFrame: no kind of judgements fits its columns",
        ),
    ],
)
def test_other_frames_are_asked_about(data, said):
    with pytest.raises(Question) as refused:
        count(data)
    message = str(refused.value)
    assert said in message and message.splitlines()[-1].startswith("wmtlib.read(frame")


def test_what_holds_no_comparisons_is_refused():
    assert message_of(count, "votes.csv") == "votes.csv: no such file"
    header = "DataFrame: the header is 'x'; comparisons need a, b, outcome; "
    assert message_of(count, pd.DataFrame({"x": [1]})).startswith(header)
    scores = pd.DataFrame({"system": [*"xy"], "segment": "1", "score": [1, 2]})
    scored = read(scores, scale=(0, 100))
    assert message_of(count, scored).startswith("DataFrame: holds assessments; expect")
    assert message_of(count, scored.frame).startswith("got assessments; expected comp")


def test_more_comparisons_than_numbers_can_hold_are_refused():
    most = 2**53
    assert count(compared(("a", "b", 1, most))).comparisons == most
    fault = "counts add up to 9.01e+15; expected at most 9,007,199,254,740,992"
    assert message_of(count, compared(("a", "b", 1, most), ("a", "c", 2, 2))) == fault
    wins = pd.DataFrame([[0, most], [2, 0]], [*"ab"], [*"ab"])
    assert message_of(Counts, wins, 0 * wins) == fault


def test_comparisons_of_what_was_read_are_refused_in_a_line():
    ranks = pd.DataFrame({"ranking": 1, "system": [*"xy"], "rank": [1, 2]})
    with data_error("expected a frame of rankings with the columns"):
        comparisons(read(ranks))
