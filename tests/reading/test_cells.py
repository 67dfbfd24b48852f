"""Cells by role: names are cleaned; texts are not taken for names of systems."""

import pandas as pd
import pytest
from user_files import refusal, writer

from wmtlib.checks import clean, remarks
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
PERSIAN = "\u0645\u06cc\u200c\u0634\u0648\u062f"
HINDI = "\u0915\u094d\u200d\u0937"
TECHNOLOGIST = "\U0001f469\u200d\U0001f4bb"
PILOT = "\U0001f468\U0001f3fd\u200d\u2708\ufe0f"
SAID = "names that are then the same are one"


@pytest.mark.parametrize(
    "name, cleaned",
    [
        ("Claude\u00a03", "Claude 3"),
        ("Claude\u202f3\u3000", "Claude 3"),
        ("\ufeffx\u00ad\u200b", "x"),
        ("\u202axyz\u202c\u200f\u2060", "xyz"),
        ("x\u200dy\u200c", "xy"),
        (f"{PERSIAN}\u200d", PERSIAN),
        *((name, name) for name in (PERSIAN, HINDI, TECHNOLOGIST, PILOT)),
        (" a  b\t", "a  b"),
    ],
)
def test_names_are_cleaned(name, cleaned):
    assert clean(name) == cleaned


@pytest.mark.parametrize("mark", ["\u00a0", "\u200b"])
def test_clean_and_unclean_names_are_one_whatever_holds_them(given_file, mark):
    rows = f"a,b,winner,judge,segment\nx,y,x,j,s\nx{mark},y,x{mark},j{mark},s{mark}\n"
    judgements = read(given_file(rows))
    assert judgements.systems == ("x", "y") and [*judgements.people.values()] == ["j"]
    (row,) = judgements.comparisons.to_dict("records")
    assert (row["segment"], row["count"]) == ("s", 2)
    (warning, *_) = judgements.warnings
    assert warning.startswith("3 names are cleaned of blanks") and SAID in warning
    frame = pd.DataFrame([line.split(",") for line in rows.splitlines()[1:]])
    frame.columns = rows.partition("\n")[0].split(",")
    assert read(frame).comparisons.equals(judgements.comparisons)
    scores = "worker,system,segment,score,hit\nw,x,1,5,h\n"
    scores += f"w{mark},y,1,7{mark},h{mark}\n"
    rated = read(given_file(scores)).assessments
    assert rated[["worker", "hit"]].nunique().tolist() == [1, 1]
    assert rated["score"].tolist() == [5, 7]


def test_clean_files_have_no_such_warning(given_file):
    rows = f"a,b,winner\n{PERSIAN},{TECHNOLOGIST},a\n{PERSIAN},{HINDI}, b \n"
    judgements = read(given_file(rows))
    assert {*judgements.systems} == {PERSIAN, TECHNOLOGIST, HINDI}
    assert judgements.warnings == ()


def test_systems_of_a_matrix_and_of_a_wide_table_are_cleaned(given_file):
    matrix = read(given_file(",A\u00a01,B\nA\u00a01,,3\nB,2 ,\n"))
    assert matrix.counts.wins.loc["A 1", "B"] == 3 and SAID in matrix.warnings[0]
    wide = read(given_file("annotator,segment,X\u200b,Y\nr,1,5,6\nr,2,5,7\n"))
    assert wide.systems == ("X", "Y")


def test_outcomes_may_be_named_with_unseen_letters(given_file):
    path = given_file("a,b,winner\nx,y,left\u00a0one\nx,y,b\n")
    for word in ("left\u00a0one", "left one"):
        assert read(path, outcomes={word: "a", "b": "b"}).rows == 2


def test_no_step_leaves_out_a_system_that_cannot_be_read(given_file):
    path = given_file("a,b,winner\nx,y,a\nx,z\x1b[1m,b\n")
    assert "skip-bad" not in refusal(path) and "expected a name" in refusal(path)
    assert "'z\\x1b[1m'" in refusal(path, skip_bad=True)


def test_clean_joins_judges_of_a_frame():
    (line,) = remarks([], ["ann", "ann\u200b", "ann\u00a0", "\ufeffann", "bob"])
    assert line.startswith("5 names of judges are 2")


def texts(number, header="left_model,right_model,left,right,winner"):
    """A file of pairs of models beside the texts that they wrote."""
    rows = [
        f"x,y,text {k} of x,text {k} of y,{'left' if k % 3 else 'right'}"
        for k in range(number)
    ]
    return "\n".join([header, *rows, ""])


def test_texts_in_place_of_systems_are_asked_about(given_file):
    path = given_file(texts(60))
    message = refusal(path)
    assert message.startswith(", line 1: holds 120 systems in 60 rows, as if they were")
    assert "add --column a=left --column b=right; else" in message
    assert "'left_model'" in message
    named = {"a": "left_model", "b": "right_model"}
    assert read(path, columns=named).systems == ("x", "y")
    assert len(read(path, columns={"a": "left", "b": "right"}).systems) == 120
    path = given_file(texts(60, "id_w,id_l,better,worse,note"))
    assert "add --column winner=better --column loser=worse" in refusal(path)


def test_many_systems_that_met_one_each_are_systems_where_rows_count_several(
    given_file,
):
    rows = [f"base,s{k},{k},9" for k in range(50)]
    judgements = read(given_file("\n".join(["a,b,wins_a,wins_b", *rows])))
    assert len(judgements.systems) == 51
    assert len(read(given_file(texts(12))).systems) == 24
