"""Rankings to comparisons to counts: worked by hand, then against a plain loop."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import compared, counts_of

from wmtlib import counts as counting
from wmtlib import counts as relative_rankings
from wmtlib.counts import COMPARISONS, RANKINGS, UNRANKED, Counts
from wmtlib.errors import DataError

NAMES = [f"sys-{letter}" for letter in "abcdefg"]

# One ranking: up to five different systems in screen order, each with a rank or a blank.
RANKING = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from([UNRANKED, 1, 2, 3, 4, 5])),
    max_size=5,
    unique_by=lambda slot: slot[0],
)
MANY = st.lists(RANKING, max_size=12)
# Half of the usual examples: each of them makes several frames, which takes all of the time.
FEW = settings(max_examples=settings().max_examples)


def frame(rankings):
    """Rankings, each a list of (system, rank), in the form that the readers give."""
    rows = [
        ("fr-en", number, 1, "judge_001", system, rank)
        for number, ranking in enumerate(rankings)
        for system, rank in ranking
    ]
    return pd.DataFrame(rows, columns=RANKINGS).astype({"ranking": int, "rank": int})


def counted(rankings):
    return counting.count(relative_rankings.comparisons(frame(rankings)))


def same(left, right):
    pd.testing.assert_frame_equal(left.wins, right.wins)
    pd.testing.assert_frame_equal(left.ties, right.ties)


# --- Lopez (2012), Figure 1: a ranking of five systems gives ten comparisons -------------------

FIGURE_1 = [("jhu", 1), ("bbn-combo", 2), ("rwth", 3), ("rwth-combo", 3), ("cmu", 4)]
FIGURE_1_PAIRS = [
    ("jhu", "bbn-combo", 1),
    ("jhu", "rwth", 1),
    ("jhu", "rwth-combo", 1),
    ("jhu", "cmu", 1),
    ("bbn-combo", "rwth", 1),
    ("bbn-combo", "rwth-combo", 1),
    ("bbn-combo", "cmu", 1),
    ("rwth", "rwth-combo", 0),
    ("rwth", "cmu", 1),
    ("rwth-combo", "cmu", 1),
]


def test_figure_1_gives_its_ten_comparisons_in_the_papers_order():
    table = relative_rankings.comparisons(frame([FIGURE_1]))
    assert list(table.columns) == COMPARISONS
    found = table[["system_1", "system_2", "preference"]].itertuples(index=False, name=None)
    assert list(found) == FIGURE_1_PAIRS


def test_figure_1_counts():
    counts = counted([FIGURE_1])
    assert counts.systems == ["bbn-combo", "cmu", "jhu", "rwth", "rwth-combo"]
    assert counts.comparisons == 10
    assert counts.wins.sum(axis=1).to_dict() == {
        "jhu": 4,
        "bbn-combo": 3,
        "rwth": 1,
        "rwth-combo": 1,
        "cmu": 0,
    }
    assert counts.ties.loc["rwth", "rwth-combo"] == counts.ties.loc["rwth-combo", "rwth"] == 1
    assert counts.ties.to_numpy().sum() == 2


def test_the_preferred_system_may_stand_second_on_the_screen():
    table = relative_rankings.comparisons(frame([[("b", 5), ("a", 2)]]))
    assert table["preference"].tolist() == [2]
    assert counting.count(table).wins.loc["a", "b"] == 1


def test_outputs_left_blank_take_part_in_no_comparison():
    table = relative_rankings.comparisons(frame([[("a", 1), ("b", UNRANKED), ("c", 2)]]))
    assert table[["system_1", "system_2"]].to_numpy().tolist() == [["a", "c"]]


def test_a_repeated_ranking_counts_again():
    assert counted([FIGURE_1, FIGURE_1]).comparisons == 20


@pytest.mark.parametrize(
    "rankings", [[], [[]], [[("a", 1)]], [[("a", UNRANKED), ("b", 1)]]], ids=str
)
def test_rankings_without_a_pair_give_no_comparison(rankings):
    counts = counted(rankings)
    assert (counts.systems, counts.comparisons) == ([], 0)
    assert counting.to_table(counts).empty


def test_scattered_rows_of_a_ranking_are_refused():
    rankings = frame([FIGURE_1, FIGURE_1]).sort_values("system")
    with pytest.raises(DataError, match=r"^ranking 0: its rows are scattered"):
        relative_rankings.comparisons(rankings)


def test_two_rankings_of_one_number_are_refused():
    rankings = frame([FIGURE_1, FIGURE_1])
    with pytest.raises(DataError, match=r"^ranking 0: .* share that number"):
        relative_rankings.comparisons(pd.concat([rankings, rankings]))


# --- against a plain loop, and what must not matter --------------------------------------------


def plainly(rankings):
    """Wins and ties of ordered pairs, by a double loop."""
    wins, ties = Counter(), Counter()
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


@FEW
@given(MANY)
def test_counts_are_those_of_a_plain_loop(rankings):
    counts = counted(rankings)
    wins, ties = plainly(rankings)
    met = sorted({name for pair in [*wins, *ties] for name in pair})
    assert counts.systems == met == list(counts.ties.index) == list(counts.wins.columns)
    for a in met:
        for b in met:
            assert counts.wins.loc[a, b] == wins[a, b]
            assert counts.ties.loc[a, b] == ties[a, b]


@FEW
@given(MANY)
def test_k_ranked_outputs_give_k_times_k_minus_1_over_2_comparisons(rankings):
    sizes = [sum(rank != UNRANKED for _, rank in ranking) for ranking in rankings]
    expected = sum(k * (k - 1) // 2 for k in sizes)
    assert len(relative_rankings.comparisons(frame(rankings))) == expected
    assert counted(rankings).comparisons == expected


@FEW
@given(MANY, st.randoms(use_true_random=False))
def test_order_of_rankings_and_of_outputs_does_not_matter(rankings, random):
    shuffled = [random.sample(ranking, len(ranking)) for ranking in rankings]
    random.shuffle(shuffled)
    same(counted(shuffled), counted(rankings))


@FEW
@given(MANY, st.permutations(NAMES))
def test_relabelling_systems_relabels_counts(rankings, renamed):
    to = dict(zip(NAMES, renamed, strict=True))
    counts = counted([[(to[name], rank) for name, rank in ranking] for ranking in rankings])
    expected = counted(rankings)
    order = sorted(to[name] for name in expected.systems)
    relabelled = (
        table.rename(to, axis=0).rename(to, axis=1) for table in (expected.wins, expected.ties)
    )
    same(counts, Counts(*(table.loc[order, order] for table in relabelled)))


@FEW
@given(MANY)
def test_reversing_every_ranking_swaps_wins_and_losses(rankings):
    reverse = [[(s, r if r == UNRANKED else 6 - r) for s, r in ranking] for ranking in rankings]
    counts, expected = counted(reverse), counted(rankings)
    same(counts, Counts(expected.wins.T, expected.ties))
    pd.testing.assert_frame_equal(counts.margins, -expected.margins)


@FEW
@given(MANY)
def test_counts_are_the_same_from_text_and_from_categories(rankings):
    table = frame(rankings)
    as_category = table.assign(system=pd.Categorical(table["system"], [*NAMES[::-1], "unused"]))
    same(counting.count(relative_rankings.comparisons(as_category)), counted(rankings))


@FEW
@given(MANY)
def test_tables_carry_counts_there_and_back(rankings):
    counts = counted(rankings)
    table = counting.to_table(counts)
    assert (table["system_1"] < table["system_2"]).all()
    assert table[["wins_1", "wins_2", "ties"]].to_numpy().sum() == counts.comparisons
    same(counting.from_table(table), counts)


@FEW
@given(MANY)
def test_what_was_given_is_left_as_it_was(rankings):
    given_rankings = frame(rankings)
    table = relative_rankings.comparisons(given_rankings)
    before = table.copy()
    counts = counting.count(table)
    wins = counts.wins.copy()
    counts.without("sys-a"), counts.margins, counting.to_table(counts)
    pd.testing.assert_frame_equal(given_rankings, frame(rankings))
    pd.testing.assert_frame_equal(table, before)
    pd.testing.assert_frame_equal(counts.wins, wins)


# --- Counts, and what is refused ---------------------------------------------------------------


def test_leaving_systems_out():
    counts = counted([FIGURE_1]).without("jhu", "nobody", None)
    assert counts.systems == ["bbn-combo", "cmu", "rwth", "rwth-combo"]
    assert counts.comparisons == 6


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", "b", 3, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", -1, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", np.nan, 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "b", "a", 1), "a preference is neither 0 (tie), 1 nor 2"),
        (("a", "a", 1, 1), "system 'a' is compared with itself"),
        (("a", None, 1, 1), "a comparison lacks the name of a system"),
        (("a", "b", 1, -1), "a count is -1; expected a whole number from 0"),
        (("a", "b", 1, 0.5), "a count is 0.5; expected a whole number from 0"),
        (("a", "b", 1, np.nan), "a count is nan; expected a whole number from 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [counting.counts, counting.expand, counting.counts_as_shown])
def test_rows_that_are_not_comparisons_are_refused(count, row, message):
    with pytest.raises(DataError) as refused:
        count(compared(("a", "c", 1, 1), row))
    assert str(refused.value) == message


def test_counted_comparisons_with_units():
    rows = [("b", "a", 1, 2), ("a", "b", 1, 1), ("b", "c", 0, 3), ("a", "c", 2, 0)]
    table = compared(*rows, judge=["j", "k", "j", "j"])
    expected = counts_of(("a", "b", 1, 2, 0), ("b", "c", 0, 0, 3))
    same(counting.count(table), expected)
    single = counting.expand(table)
    assert [*single.itertuples(index=False, name=None)] == [
        ("b", "a", 1, "j"),
        ("b", "a", 1, "j"),
        ("a", "b", 1, "k"),
        *[("b", "c", 0, "j")] * 3,
    ]
    same(counting.count(single), expected)


def test_counts_with_more_systems_than_were_compared():
    found = counting.count(compared(("a", "c", 1, 1)), ["a", "b", "c"])
    assert found.systems == ["a", "b", "c"] and found.wins.to_numpy().sum() == 1
    assert counting.count(found) is found
    with pytest.raises(DataError, match=r"^system 'c' is unknown; expected one of 2 systems$"):
        counting.count(compared(("a", "c", 1, 1)), ["a", "b"])


def test_units():
    table = compared(("a", "b", 1, 3), judge="x", segment="1")
    counts = counting.count(table)
    assert counting.units(table) == ["judge", "segment"] and counting.units(counts) == []
    counting.require_unit(table, "segment")
    counting.require_unit(counts, "comparison")
    with pytest.raises(DataError, match=r"^unit is 'count'; expected comparison, judge, segment$"):
        counting.require_unit(table, "count")
    with pytest.raises(DataError, match=r"^unit is 'judge'; expected comparison$"):
        counting.require_unit(counts, "judge")


def test_units_are_coded_in_order():
    codes, number = counting.unit_codes(pd.Series([10, 9, 10, 2]), "judge")
    assert codes.tolist() == [0, 2, 0, 1] and number == 3  # as text
    with pytest.raises(DataError, match=r"^a judge is missing; expected a name$"):
        counting.unit_codes(pd.Series(["x", None]), "judge")


@pytest.mark.parametrize("kind", [str, "category"])
def test_comparisons_without_a_system(kind):
    table = compared(("a", "b", 1, 3), ("c", "a", 2, 1), ("b", "c", 0, 2))
    table = table.astype({"system_1": kind, "system_2": kind})
    assert counting.without(table, None) is table
    for system in ("a", "b", "c"):
        expected = counting.count(table).without(system)
        same(counting.count(counting.without(table, system)), expected)
        same(counting.without(counting.count(table), system), expected)


def test_expand_is_the_inverse_of_counts():
    names = ["a", "b", "c"]
    wins = pd.DataFrame([[0, 2, 0], [1, 0, 3], [0, 0, 0]], index=names, columns=names)
    ties = pd.DataFrame([[0, 1, 0], [1, 0, 0], [0, 0, 0]], index=names, columns=names)
    again = counting.count(counting.expand(counting.Counts(wins, ties)))
    pd.testing.assert_frame_equal(again.wins, wins)
    pd.testing.assert_frame_equal(again.ties, ties)


def test_a_long_frame_is_counted_in_parts(monkeypatch):
    data = compared(*(("x", "y", k % 3, 1) for k in range(10)))
    expected = counting.count(data)
    monkeypatch.setattr(counting, "BLOCK", 3)
    pd.testing.assert_frame_equal(counting.count(data).wins, expected.wins)
    pd.testing.assert_frame_equal(counting.count(data).ties, expected.ties)
    assert expected.comparisons == 10
