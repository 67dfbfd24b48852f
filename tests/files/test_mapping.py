"""The role of every column, and what is asked about."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.core.errors import DataError, Question
from wmtlib.files.contract import NAMES, key
from wmtlib.files.read import read

ROWS = 60
RNG = np.random.default_rng(5)
SYSTEMS = np.array(["x", "y", "z", "w"])
FIRST = RNG.integers(0, 4, ROWS)
VOTES = pd.DataFrame(
    {
        "model_a": SYSTEMS[FIRST],
        "model_b": SYSTEMS[(FIRST + 1) % 4],
        "winner": RNG.choice(["model_a", "model_b", "tie"], ROWS),
        "judge": [f"j{k % 7}" for k in range(ROWS)],
        "segment": [f"s{k}" for k in range(ROWS)],
    }
)
SCORES = pd.DataFrame(
    {
        "system": np.tile(SYSTEMS[:3], 20),
        "segment": np.repeat([f"s{k}" for k in range(20)], 3),
        "judge": np.repeat([f"j{k % 4}" for k in range(20)], 3),
        "score": RNG.integers(0, 100, 60),
    }
)


def question(data, **options):
    with pytest.raises(Question) as asked:
        read(data, **options)
    return str(asked.value)


# --- names ---


@pytest.mark.parametrize("role", [role for role in NAMES if NAMES[role]])
def test_names_are_written_as_they_are_compared(role):
    assert all(key(name) == name for name in NAMES[role])
    others = set().union(*(NAMES[other] for other in NAMES if other != role))
    assert not NAMES[role] & others


def test_the_table_of_names_is_short():
    assert sum(map(len, NAMES.values())) <= 150


def test_case_blanks_and_hyphens_of_a_name_do_not_count_and_all_else_does():
    same = VOTES.rename(columns={"model_a": "Model A", "winner": "Winner"})
    assert read(same).columns["a"] == "Model A"
    other = SCORES.rename(columns={"score": "score (1 = best)"})
    assert "'score (1 = best)'" in question(other)


def test_a_column_has_the_role_that_the_user_says():
    named = VOTES.set_axis(["links", "rechts", "besser", "wer", "satz"], axis=1)
    asked = question(named)
    assert "ROLE for comparisons: a, b, outcome" in asked
    columns = {"a": "links", "b": "rechts", "outcome": "besser", "judge": "wer"}
    outcome = {"model_a": "a", "model_b": "b"}
    found = read(named, column={**columns, "segment": "satz"}, outcome=outcome)
    assert found.counts.wins.equals(read(VOTES).counts.wins)
    with pytest.raises(DataError, match="no role 'ROLE'; expected a, b"):
        read(named, column={"ROLE": ["links"]})
    with pytest.raises(DataError, match=r"no column 'link'; .* did you mean 'links'"):
        read(named, column={"a": "link"})
    with pytest.raises(DataError, match="role a: expected one column"):
        read(named, column={"a": ["links", "rechts"]})


def test_the_worker_is_the_judge():
    worker = VOTES.rename(columns={"judge": "worker"})
    assert read(worker).columns["judge"] == "worker"
    other = VOTES.rename(columns={"judge": "wer"})
    assert read(other, column={"worker": "wer"}).columns["judge"] == "wer"


def test_two_columns_for_one_role_are_asked_about():
    two = VOTES.assign(annotator=VOTES["judge"].str.upper())
    asked = question(two)
    assert "2 columns without a role" in asked
    assert "column={'ROLE': ['judge', 'annotator']}" in asked
    assert read(two, column={"judge": "annotator"}, ignore="judge").columns["judge"]


def test_two_kinds_that_fit_are_asked_about():
    both = SCORES.assign(rank=SCORES.groupby("segment")["score"].rank("dense"))
    both["rank"] = both["rank"].astype(int)
    asked = question(both)
    assert "rankings and assessments fit" in asked and "kind='KIND'" in asked
    found = read(both, kind="rankings", ignore="score")
    assert found.kind == "rankings"
    found = read(both, ignore="rank", scale=(0, 100))
    assert found.kind == "assessments"


def test_a_winner_beside_two_columns_is_no_loser_of_them():
    named = VOTES.set_axis(
        ["option 1", "option 2", "winner", "judge", "segment"], axis=1
    )
    named["winner"] = named["option 1"]
    assert "ROLE for comparisons: a, b;" in question(named)
    wrong = {"loser": "option 1", "none": "option 2"}
    with pytest.raises(DataError, match="60 rows compare a system with itself; exp"):
        read(named, column=wrong)
    assert read(named, column={"a": "option 1", "b": "option 2"}).rows == ROWS


def test_columns_of_one_name_go_by_their_numbers():
    twice = pd.concat([VOTES, VOTES["judge"].rename("winner")], axis=1)
    assert "'winner' (#3)" in question(twice)
    with pytest.raises(DataError, match="several columns are 'winner': say #3, #6"):
        read(twice, column={"winner": "winner"})
    assert read(twice, column={"winner": "#3"}, ignore="#6").rows == ROWS


# --- columns without a role ---

EXTRA = {  # a column beside the votes, and why it is left out
    "blank": ([""] * ROWS, "blank"),
    "one": (["en"] * ROWS, "one value"),
    "row": (range(ROWS), "a running number"),
    "row from 1": (range(1, ROWS + 1), "a running number"),
    "source": ([f"text {k}" for k in range(ROWS)], "texts"),
    "nested": ([["x"]] * ROWS, "nested"),
}
ASKED = {
    "flag": np.arange(ROWS) % 9 == 0,
    "status": np.where(np.arange(ROWS) % 2, "ok", "bad"),
    "language": np.where(np.arange(ROWS) % 3, "de", "fr"),
    "number": RNG.integers(0, 50, ROWS),
    "seconds": RNG.normal(30, 5, ROWS).round(2),
    "shares": [f"{k}%" for k in range(ROWS)],
    "time": pd.date_range("2026-01-01", periods=ROWS, freq="h").astype(str),
    "row from 7": range(7, ROWS + 7),
    "some": np.where(np.arange(ROWS) < 5, "x", ""),
    "text of half": [f"text {k // 2}" for k in range(ROWS)],
}


@pytest.mark.parametrize("name", EXTRA)
def test_what_cannot_change_the_answer_is_left_out_and_named(name):
    cells, reason = EXTRA[name]
    found = read(VOTES.assign(**{name: cells}))
    assert found.left_out == {name: reason}
    assert any(reason in line for line in found.reading)


@pytest.mark.parametrize("cells", [[100] * 6, [1, 2, 3, 4, 5, 6], [*"uvwxyz"]])
def test_of_few_rows_any_column_is_asked_about(cells):
    assert "'size': " in question(VOTES.head(6).assign(size=cells))


@pytest.mark.parametrize("name", ASKED)
def test_everything_else_is_asked_about(name):
    votes = VOTES.assign(**{name: ASKED[name]})
    asked = question(votes)
    assert asked.endswith(f"column={{'ROLE': {name!r}}})")
    assert f"{name!r}: " in asked and "different, " in asked
    plain = read(VOTES).comparisons
    pd.testing.assert_frame_equal(read(votes, ignore=name).comparisons, plain)
    found = read(votes, column={"none": name})
    assert found.left_out == {name: "not used"}


@given(st.text("abcdefghijklmnopqrstuvwxyzäß_ 0123456789", min_size=1, max_size=12))
def test_a_column_of_few_values_may_bear_any_name(name):
    if key(name) in set().union(*NAMES.values()) or name in VOTES:
        return
    assert "1 column without a role" in question(VOTES.assign(**{name: ASKED["flag"]}))


def test_another_name_of_the_segment_is_left_out():
    named = SCORES.assign(text=SCORES["segment"] + "!", few=SCORES["judge"])
    assert "text" not in question(named, scale=(0, 100)).splitlines()[-1]
    found = read(named, scale=(0, 100), ignore="few")
    assert found.left_out["text"] == "another name of the segment"


def test_one_value_is_asked_about_where_outcomes_are_places():
    places = {"model_a": "left", "model_b": "right"}
    votes = VOTES.assign(winner=VOTES["winner"].replace(places), order="BA")
    assert "'order'" in question(votes)
    found = read(votes, column={"shown_first": "order"})
    expected = read(VOTES).counts.wins
    assert found.counts.wins.equals(expected.T)


def test_rows_count_by_their_values():
    votes = VOTES.assign(status=ASKED["status"], flag=ASKED["flag"])
    found = read(votes, rows={"status": "OK", "flag": False})
    kept = VOTES[(votes["status"] == "ok") & ~votes["flag"]]
    pd.testing.assert_frame_equal(
        found.comparisons[["system_1", "count"]],
        read(kept).comparisons[["system_1", "count"]],
        check_categorical=False,
    )
    assert found.rows_left_out == {
        "rows of another status": 30,
        "rows of another flag": 3,
    }
    with pytest.raises(DataError, match="'status' has no 'fine'; it has"):
        read(votes, rows={"status": ["fine"]}, ignore="flag")


# --- scale, and the form of questions ---


def test_the_scale_says_which_end_is_the_best():
    low = SCORES.assign(score=100 - SCORES["score"])
    high = read(SCORES, scale=(0, 100)).assessments["score"]
    found = read(low, scale=(100, 0))
    pd.testing.assert_series_equal(found.assessments["score"] + 100, high)
    assert found.scale == (-100, 0)
    assert "scale: 100 is the worst, 0 is the best" in found.reading


def test_a_question_asks_for_all_at_once_and_its_last_line_is_the_call():
    frame = SCORES.assign(status=np.where(np.arange(60) % 2, "ok", "bad"), age=7.5)
    frame["age"] += np.arange(60) % 8
    asked = question(frame, missing="99").splitlines()
    assert asked[0] == (
        "DataFrame: 2 columns without a role; the scale of the scores is not said"
    )
    assert asked[1] == "  'status': 2 different, 'bad', 'ok'"
    assert asked[-1] == (
        "wmtlib.read(frame, missing='99', column={'ROLE': ['status', 'age']},"
        " scale=('WORST', 'BEST'))"
    )


def test_a_question_in_the_words_of_the_command_and_of_make():
    with pytest.raises(Question) as asked:
        read(SCORES.assign(**{"my status": ASKED["status"]}))
    typed = ["wmtlib", "rank", "s.csv"]
    assert asked.value.on_command_line(typed).splitlines()[-1] == (
        "wmtlib rank s.csv --column 'ROLE=my status' --scale WORST,BEST"
    )
    assert asked.value.by_make("s.csv", "seed=1").splitlines()[-1] == (
        "make rank FILE=s.csv"
        """ P='seed=1 '"'"'column=ROLE=my status'"'"' scale=WORST,BEST'"""
    )


def test_long_values_are_cut_and_many_columns_are_not_all_shown():
    wide = VOTES.assign(**{f"c{k}": ASKED["status"] for k in range(60)})
    wide["c0"] = np.where(np.arange(ROWS) % 2, "long " * 40, "")
    lines = question(wide).splitlines()
    assert max(map(len, lines[1:41])) < 80 and lines[41].startswith("  ... and 20")


# --- shapes ---

WIDE = SCORES.pivot(index="segment", columns="system", values="score").reset_index()


def test_a_column_for_each_system_is_said():
    asked = question(WIDE)
    assert (
        "a column for each system (LIST: those of x,y,z; CELLS: score or rank;" in asked
    )
    assert asked.endswith(
        "wide={'system': 'LIST'}, cells='CELLS', scale=('WORST', 'BEST'),"
        " column={'ROLE': 'NAME'})"
    )
    found = read(WIDE, wide={"system": [*"xyz"]}, cells="score", scale=(0, 100))
    long = read(SCORES, scale=(0, 100), ignore="judge")
    means = [one.assessments.groupby("system")["score"].mean() for one in (found, long)]
    pd.testing.assert_series_equal(*means)
    with pytest.raises(DataError, match="say what its cells hold: cells score or rank"):
        read(WIDE, wide={"system": [*"xyz"]})
    without = WIDE.drop(columns="segment")
    found = read(without, wide={"system": [*"xyz"]}, cells="score", scale=(0, 100))
    assert found.assessments["segment"].nunique() == 20


def test_a_blank_cell_of_a_wide_table_is_asked_about():
    gaps = WIDE.astype({"x": object})
    gaps.loc[3, "x"] = ""
    options = {"wide": {"system": [*"xyz"]}, "cells": "score", "scale": (0, 100)}
    assert "score is '' (row 3)" in question(gaps, **options)
    assert read(gaps, **options, missing="").rows == 59


def test_a_square_of_wins_is_said():
    wins = pd.DataFrame(
        {"": [*"xyz"], "x": ["", 3, 2], "y": [5, "", 1], "z": [6, 7, ""]}
    )
    assert "a square (WIDE: wins" in question(wins)
    with pytest.raises(DataError, match="no wide 'WIDE'"):
        read(wins, wide="WIDE")
    counts = read(wins, wide="wins").counts.wins
    assert counts.loc["x", "y"] == 5 and counts.loc["y", "x"] == 3
    shares = wins.replace({5: 0.6})
    with pytest.raises(DataError, match=r"count is '0.6'"):
        read(shares, wide="wins")
    with pytest.raises(DataError, match="expected the same systems"):
        read(wins.iloc[:1], wide="wins")


def test_numbered_roles_are_a_ranking_in_a_row():
    row = pd.DataFrame(
        {
            "system 1": ["x", "y"], "rank 1": [1, 2],
            "System_2": ["y", "z"], "rank-2": [2, 1],
            "system3": ["z", ""], "rank3": [2, ""],
        }
    )  # fmt: skip
    found = read(row)
    assert found.kind == "rankings" and found.counts.comparisons == 4
    assert found.counts.wins.loc["x", "z"] == 1 and found.counts.ties.loc["y", "z"] == 1
    pair = row[["system 1", "rank 1", "System_2", "rank-2"]]
    assert read(pair).kind == "comparisons"


# --- options ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"column": ["a"]}, "column is .*expected a mapping"),
        ({"rows": "a=b"}, "rows is .*expected a mapping"),
        ({"outcome": ["a"]}, "outcome is .*expected a mapping"),
        ({"wide": 3}, "wide is 3; expected a mapping"),
        ({"cells": "score"}, "cells: say which columns"),
        ({"header": 0}, "header: expected the number of a line"),
        ({"kind": "pairwise"}, "no kind 'pairwise'; expected comparisons, rankings"),
        ({"scale": "0,100"}, "scale is '0,100'; expected two numbers"),
        ({"scale": (0, float("nan"))}, "expected two different numbers"),
        ({"ignore": 9}, "no column '9'"),
    ],
)
def test_options_that_say_nothing_are_refused(options, message):
    with pytest.raises(DataError, match=message):
        read(VOTES, **options)


def test_a_role_is_no_list_and_no_broken_text():
    with pytest.raises(DataError, match="column 'judge' holds lists or objects"):
        read(VOTES.assign(judge=[["x"]] * ROWS), column={"judge": "judge"})
    with pytest.raises(
        DataError, match="column 'judge' holds text that is not Unicode"
    ):
        read(VOTES.assign(judge=pd.Series(["\ud800"] * ROWS, dtype=object)))


@pytest.mark.parametrize(
    ("columns", "asked"),
    [
        ({"outcome": ["a", "b", "tie"], "draws": [0, 0, 1]}, "draws"),
        ({"wins_a": [6, 2, 3], "wins_b": [4, 1, 0], "count": [10, 3, 4]}, "count"),
        ({"wins_a": [1, 0, 0], "wins_b": [0, 1, 0], "tie": [0, 0, 1]}, "tie"),
        ({"rank_a": [1, 2, 1], "rank_b": [2, 1, 2], "tie": [0, 0, 1]}, "tie"),
    ],
)
def test_roles_that_do_not_go_together_are_asked_about(columns, asked):
    pairs = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], **columns})
    text = question(pairs)
    assert f"column={{'ROLE': '{asked}'}}" in text
    assert read(pairs, ignore=asked).rows == 3


def test_roles_of_all_kinds_that_fit_are_offered():
    both = pd.DataFrame({"judge": "j", "system": [*"xy"], "segment": 1})
    text = question(both.assign(score=[3, 4], rank=[2, 1]))
    (roles,) = [line for line in text.splitlines() if "ROLE: " in line]
    assert "score" in roles and "rank" in roles


@pytest.mark.parametrize(
    "blank",
    [
        {"a": [*"xy"], "b": [*"yz"], "wins_a": "", "wins_b": [1, 2]},
        {"system": [*"xy"], "rank": [1, 2], "ranking": ""},
        {"system": [*"xy"], "score": [1, 2], "segment": ""},
    ],
)
def test_a_blank_column_of_a_needed_role_is_asked_about(blank):
    scale = (0, 5) if "score" in blank else None
    assert "is '' (2 rows" in question(pd.DataFrame(blank), scale=scale)


def test_a_frame_without_columns_is_refused():
    with pytest.raises(DataError, match="no judgements"):
        read(pd.DataFrame(index=range(3)))


@pytest.mark.parametrize("words", ["{} votes", "{}'000", "{} 000"])
def test_numbers_with_words_and_signs_are_no_texts(words):
    size = [words.format(k) for k in range(2, 2 + ROWS)]
    assert "'size': 60 different" in question(VOTES.assign(size=size))
