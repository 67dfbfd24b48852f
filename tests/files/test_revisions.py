"""Several answers of one judge to one item, and rows from both sides."""

import pandas as pd
import pytest

from wmtlib.core.errors import DataError, Question
from wmtlib.files.read import read

VOTES = pd.DataFrame(
    {
        "a": [*"xyzx"] * 5,
        "b": [*"yzxz"] * 5,
        "outcome": ["a", "a", "b", "tie"] * 5,
        "judge": [f"j{k // 4}" for k in range(20)],
        "segment": [f"s{k % 4}" for k in range(20)],
    }
)


def test_different_answers_of_one_judge_to_one_item_are_asked_about():
    again = pd.concat([VOTES, VOTES.head(3).assign(outcome="b")], ignore_index=True)
    with pytest.raises(Question, match="2 of 23 rows are second answers") as asked:
        read(again)
    assert str(asked.value).endswith("revisions='WHICH')")
    with pytest.raises(DataError, match="no revisions 'WHICH'"):
        read(again, revisions="WHICH")
    assert read(again, revisions="all").counts.comparisons == 23
    last = read(again, revisions="last")
    assert last.counts.comparisons == 20
    assert last.rows_left_out == {"rows that are revised": 3}
    assert last.counts.wins.loc["y", "x"] == 1
    unknown = again.replace({"outcome": {"a": "gut", "b": "schlecht"}})
    with pytest.raises(Question, match="2 outcomes of unknown meaning; 2 of 23 rows"):
        read(unknown)


def test_both_orders_of_a_pair_are_two_items():
    turned = VOTES.rename(columns={"a": "b", "b": "a"})
    assert read(pd.concat([VOTES, turned], ignore_index=True)).rows == 40


def test_identical_rows_are_a_warning():
    twice = pd.concat([VOTES, VOTES.head(3)], ignore_index=True)
    warned = read(twice)
    assert warned.rows == 23
    assert any("3 of 23 rows repeat another" in line for line in warned.warnings)


def test_every_row_from_both_sides_is_asked_about():
    turned = VOTES.rename(columns={"a": "b", "b": "a"})
    turned["outcome"] = turned["outcome"].map({"a": "b", "b": "a", "tie": "tie"})
    both = pd.concat([VOTES, turned], ignore_index=True).sample(frac=1, random_state=1)
    both = both.reset_index(drop=True)
    with pytest.raises(Question, match="every row is there from both sides"):
        read(both)
    assert read(both, revisions="all").counts.comparisons == 40
    once = read(both, revisions="last").counts
    assert once.comparisons == 20
    assert once.wins.equals(read(VOTES).counts.wins)


def test_a_system_is_in_a_ranking_once():
    ranked = pd.DataFrame(
        {
            "segment": ["s1"] * 4,
            "judge": ["j"] * 4,
            "system": [*"xyzx"],
            "rank": [1, 2, 3, 3],
        }
    )
    with pytest.raises(Question, match="1 of 4 rows are second answers"):
        read(ranked)
    with pytest.raises(DataError, match="a system is twice in one ranking"):
        read(ranked, revisions="all")
    counts = read(ranked, revisions="last").counts
    assert counts.wins.loc["y", "x"] == 1 and counts.ties.loc["x", "z"] == 1


def test_assessments_are_revised_by_item():
    scored = pd.DataFrame(
        {"judge": "j", "system": [*"xyx"], "segment": "s", "score": [1, 2, 3]}
    )
    with pytest.raises(Question, match="second answers"):
        read(scored, scale=(0, 5))
    last = read(scored, scale=(0, 5), revisions="last").assessments
    assert last["score"].tolist() == [2, 3]
    hits = scored.assign(hit=[*"aab"])
    assert read(hits, scale=(0, 5)).rows == 3


def test_counted_rows_from_both_sides_are_asked_about():
    rows = [("x", "y", "a", 5), ("y", "x", "b", 5), ("x", "z", "b", 2)]
    rows.append(("z", "x", "a", 2))
    both = pd.DataFrame(rows, columns=["a", "b", "outcome", "count"])
    with pytest.raises(Question, match="from both sides"):
        read(both)
    assert read(both, revisions="last").counts.comparisons == 7


def test_rankings_whose_numbers_begin_anew_are_no_second_answers():
    rows = [(j, s, 1, x, k + 1) for j, s in ("j1", "k2") for k, x in enumerate("xyz")]
    anew = pd.DataFrame(rows, columns=["judge", "segment", "ranking", "system", "rank"])
    with pytest.raises(DataError, match=r"second judge.*begin anew"):
        read(anew)
    assert read(anew, ignore="ranking").counts.comparisons == 6
