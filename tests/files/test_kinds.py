"""Judgements of each kind: what is counted, units, people, and warnings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.core.errors import DataError, Question
from wmtlib.files.judgements import combined, parted
from wmtlib.files.read import read, read_tasks, rows

VOTES = pd.DataFrame(
    {
        "a": [*"xyzx"] * 5,
        "b": [*"yzxz"] * 5,
        "outcome": ["a", "a", "b", "tie"] * 5,
        "judge": [f"j{k // 4}" for k in range(20)],
        "segment": [f"s{k % 4}" for k in range(20)],
    }
)
COUNTED = pd.DataFrame(
    {
        "a": [*"xyz"],
        "b": [*"yzx"],
        "wins_a": [5, 6, 7],
        "wins_b": [1, 2, 3],
        "ties": [0, 4, 0],
    }
)


def warned(judgements, words):
    return any(words in line for line in judgements.warnings)


# --- comparisons ---


def test_wins_of_both_and_ties_are_counts():
    counts = read(COUNTED).counts
    assert counts.wins.loc["y", "x"] == 1 and counts.ties.loc["z", "y"] == 4
    assert counts.comparisons == 28
    both = pd.concat(
        [COUNTED, COUNTED.set_axis([*"ba", "wins_b", "wins_a", "ties"], axis=1)]
    )
    assert warned(read(both.reset_index(drop=True)), "are in both directions")


def test_a_count_multiplies_rows():
    sizes = VOTES.groupby(["a", "b", "outcome"]).size().rename("size").reset_index()
    with pytest.raises(Question, match="without a role"):
        read(sizes.assign(size=sizes["size"] + sizes.index))
    expected = read(VOTES).counts
    for name in ("count", "count(*)", "COUNT_STAR()"):
        assert read(sizes.rename(columns={"size": name})).counts.wins.equals(
            expected.wins
        )


def test_counts_beyond_whole_numbers_are_refused():
    many = COUNTED.assign(wins_a=2**52, wins_b=2**52, ties=2**52)
    with pytest.raises(DataError, match=r"counts add up to .* at most 9,007,199"):
        read(many)


def test_a_system_with_itself_is_left_out_with_a_warning():
    odd = pd.concat([VOTES, VOTES.head(2).assign(b=VOTES["a"])], ignore_index=True)
    found = read(odd)
    assert found.counts.comparisons == 20
    assert warned(found, "2 rows compare a system with itself")


def test_scores_side_by_side_tie_within_rounding():
    pairs = VOTES[["a", "b"]].assign(score_a=0.1 + 0.2, score_b=[0.3, 0.4] * 10)
    with pytest.raises(Question, match="the scale of the scores is not said"):
        read(pairs)
    counts = read(pairs, scale=(0, 1)).counts
    assert counts.ties.to_numpy().sum() == 2 * 10
    turned = read(pairs, scale=(1, 0)).counts
    assert turned.wins.equals(counts.wins.T)
    ranked = pairs.rename(columns={"score_a": "rank_a", "score_b": "rank_b"})
    ranked = ranked.assign(rank_a=1, rank_b=[1, 2] * 10)
    assert read(ranked).counts.wins.to_numpy().sum() == 10


def test_the_order_of_rows_decides_nothing():
    shuffled = VOTES.sample(frac=1, random_state=3).reset_index(drop=True)
    pd.testing.assert_frame_equal(read(shuffled).comparisons, read(VOTES).comparisons)


def test_judges_go_by_numbers_in_the_order_of_their_names():
    found = read(VOTES)
    assert [*found.comparisons["judge"].cat.categories] == [
        f"judge_00{k}" for k in range(1, 6)
    ]
    assert found.people == {f"judge_00{k + 1}": f"j{k}" for k in range(5)}


def test_a_segment_of_several_documents_is_told_apart_by_them():
    documents = VOTES.assign(document=["d1"] * 10 + ["d2"] * 10)
    names = read(documents).comparisons["segment"].cat.categories
    assert [*names] == [f"d{d} s{k}" for d in (1, 2) for k in range(4)]
    same = VOTES.assign(document=VOTES["segment"].str.upper() + "!")
    assert [*read(same).comparisons["segment"].cat.categories] == [
        "s0",
        "s1",
        "s2",
        "s3",
    ]


def test_comparisons_without_a_group_of_judges_are_asked_about():
    groups = VOTES.drop(columns="judge").assign(judge_group=["g1", "g2", "", ""] * 5)
    with pytest.raises(Question, match=r"judge_group is '' \(10 rows, first row 2\)"):
        read(groups)
    assert read(groups, missing="").counts.comparisons == 10
    assert "judge_group" not in read(groups.assign(judge_group="")).units


# --- tasks ---


def test_several_tasks_are_asked_about_and_one_or_all_are_read():
    tasks = pd.concat([VOTES.assign(lp="cs-en"), VOTES.assign(lp="de-en")])
    tasks = tasks.reset_index(drop=True)
    with pytest.raises(Question, match="2 tasks") as asked:
        read(tasks)
    assert str(asked.value).endswith("task='TASK')")
    with pytest.raises(DataError, match="no task 'TASK'; it holds 'cs-en', 'de-en'"):
        read(tasks, task="TASK")
    assert read(tasks, task="de-en").rows == 20
    assert [one.task for one in read_tasks(tasks)] == ["cs-en", "de-en"]
    with pytest.raises(DataError, match="it names no task"):
        read(VOTES, task="de-en")
    domains = tasks.assign(where=["news", "chat"] * 20)
    found = read_tasks(domains, column={"task": ["lp", "where"]})
    assert [one.task for one in found][:2] == ["cs-en-chat", "cs-en-news"]


# --- rankings ---


def test_a_ranking_is_named_or_told_by_segment_and_judge():
    ranked = pd.DataFrame(
        {
            "segment": np.repeat(["s1", "s2"], 4),
            "judge": np.tile(np.repeat(["j1", "j2"], 2), 2),
            "system": [*"xy"] * 4,
            "rank": [1, 2, 2, 1, 1, 1, 1, 2],
        }
    )
    expected = read(ranked)
    assert expected.counts.wins.loc["x", "y"] == 2
    assert expected.units == ("judge", "segment", "ranking")
    named = ranked.assign(ranking=[1, 1, 2, 2, 3, 3, 4, 4])
    assert read(named).counts.wins.equals(expected.counts.wins)
    scattered = named.sample(frac=1, random_state=2).reset_index(drop=True)
    assert read(scattered).counts.wins.equals(expected.counts.wins)
    with pytest.raises(DataError, match="the ranking of this row has a second judge"):
        read(named.assign(ranking=1, system=[*"abcdefgh"]))
    with pytest.raises(DataError, match="holds no ranking of two systems"):
        read(named.assign(ranking=[*"abcdefgh"]))


# --- assessments ---

SCORES = pd.DataFrame(
    {
        "judge": [f"j{k % 3}" for k in range(24)],
        "system": [*"xy"] * 12,
        "segment": [k // 2 for k in range(24)],
        "score": range(24),
    }
)


def test_assessments_are_tidy():
    found = read(
        SCORES.assign(document=SCORES["segment"] // 6), scale=(0, 100), ignore=[]
    )
    assert found.kind == "assessments" and found.scale == (0, 100)
    assert found.units == ("worker", "document", "segment")
    assert found.people["worker_0001"] == "j0"
    alone = read(SCORES.drop(columns="judge"), scale=(0, 100))
    assert warned(alone, "no column names the judges")
    assert alone.units == ("segment",)


def test_types_of_items_tell_outputs_from_controls():
    types = SCORES.assign(item=["SYSTEM"] * 20 + ["REF", "BAD_REF"] * 2)
    assert {*read(types, scale=(0, 100)).assessments["item"]} == {
        "SYSTEM",
        "REF",
        "BAD_REF",
    }
    appraise = SCORES.assign(item_type=["TGT"] * 20 + ["BAD", "CHK"] * 2)
    assert len(read(appraise, scale=(0, 100)).assessments) == 20
    with pytest.raises(DataError, match=r"item is 'odd' .* expected one of SYSTEM"):
        read(SCORES.assign(item=["SYSTEM", "odd"] * 12), scale=(0, 100))


def test_scores_of_a_judge_far_below_the_others_are_a_warning():
    two = SCORES.assign(
        score=np.where(
            SCORES["judge"] == "j1", SCORES["score"] / 100, 50 + SCORES["score"]
        )
    )
    assert warned(
        read(two, scale=(0, 100)), "all scores of 1 judge(s) are within a tenth"
    )
    assert not warned(read(SCORES, scale=(0, 100)), "within a tenth")


# --- rows, and codes ---


def test_rows_are_those_of_the_table_by_role():
    found = rows(SCORES, scale=(0, 100))
    assert found["system"].astype(object).tolist() == [*"xy"] * 12
    assert {*found} == {"judge", "system", "segment", "score", "task"}


CODES = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=30)


@given(CODES)
def test_codes_are_combined_in_their_order(given_codes):
    columns = [*np.array(given_codes, dtype=np.int64).T]
    together, bits = combined(columns)
    assert [*np.argsort(together, kind="stable")] == [*np.lexsort(columns[::-1])]
    for one, other in zip(parted(together, bits), columns, strict=True):
        assert (one == other).all()


def test_too_many_units_are_refused():
    with pytest.raises(DataError, match="too many different"):
        combined([np.array([2**40]), np.array([2**30])])
