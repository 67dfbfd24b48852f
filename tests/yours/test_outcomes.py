"""Outcomes mean what the file's words say; what could mean two things is refused."""

import pytest
from user_files import as_counter, refusal, writer

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.yours import read as reader

given_file = pytest.fixture(writer)


def counted(path, **options):
    return as_counter(reader.read(path, **options).counted_by([]))


@pytest.mark.parametrize(
    "words",
    [
        "A,B,Tie",
        "left,RIGHT,tie",
        "win,loss,draw",
        "won,lost,draw",
        "1,0,0.5",
        "1.0,0.0,0.5",
        "1,-1,0",
        "model_a,model_b,tie",
        "X,Y,tie",
        ">,<,=",
    ],
)
def test_words_for_outcomes(given_file, words):
    path = given_file("".join(["a,b,outcome\n", *(f"X,Y,{word}\n" for word in words.split(","))]))
    assert counted(path) == {("X", "Y", FIRST): 1, ("X", "Y", SECOND): 1, ("X", "Y", TIE): 1}


def test_the_winner_by_name_whichever_side_it_stood(given_file):
    path = given_file("model_a,model_b,winner\nX,Y,X\nY,X,X\nY,Z,tie\nX,Z,Z\n")
    found = reader.read(path)
    assert found.counts.wins.sum(axis=1).to_dict() == {"X": 2, "Y": 0, "Z": 1}
    assert found.reading.endswith("outcome = 'winner'; outcome names the system that won")


def test_numbers_that_are_names_of_systems_are_names_and_it_is_said(given_file):
    path = given_file("model_a,model_b,winner\n1,2,1\n1,2,1\n2,1,1\n2,1,1\n1,2,1\n")
    found = reader.read(path)
    assert found.counts.wins.loc["1", "2"] == 5
    (warning,) = found.warnings
    assert warning == (
        "outcomes are taken for names of systems; if they are positions, which changes"
        " 2 of the rows, add --outcome 1=a"
    )
    found = reader.read(path, outcomes={"1": "a"})
    assert found.counts.wins.to_numpy().tolist() == [[0, 3], [2, 0]] and not found.warnings


def test_what_the_user_says_about_outcomes(given_file):
    path = given_file("a,b,outcome\nX,Y,1\nX,Y,0\nX,Y,both_bad\nX,Y,\n")
    assert "line 4: outcome is 'both_bad'" in refusal(path)
    step = "; to say what it means, add --outcome 'both_bad'=a, or b, tie, skip"
    assert refusal(path).endswith(step)
    words = {"0": "b", "both_bad": "tie", "": "skip"}
    found = reader.read(path, outcomes=words)
    assert as_counter(found.counted_by([])) == {
        ("X", "Y", FIRST): 1,
        ("X", "Y", SECOND): 1,
        ("X", "Y", TIE): 1,
    }
    assert found.rows == 4 and "; outcome 'both_bad' means tie; outcome '' means skip" in (
        found.reading
    )
    assert refusal(path, outcomes={"0": "x"}) == (
        ": outcome '0' is to mean 'x'; expected a, b, tie, skip"
    )
    assert refusal(path, outcomes={"2": "b"}).startswith(": no outcome '2'; there are '1', '0'")
    assert "holds no comparisons" in refusal(
        given_file("a,b,outcome\nX,Y,a\n"), outcomes={"a": "skip"}
    )
    path = given_file("a,b,wins_a,wins_b\nX,Y,1,2\n")
    assert (
        refusal(path, outcomes={"1": "a"}) == ": has no column of outcomes; --outcome is for those"
    )


def test_a_missing_outcome_of_json_is_an_empty_one(given_file):
    path = given_file('{"a":"X","b":"Y","outcome":null}\n{"a":"X","b":"Y","outcome":"a"}\n')
    assert ", line 1: outcome is ''; expected a, b, tie" in refusal(path)
    assert counted(path, outcomes={"": "skip"}) == {("X", "Y", FIRST): 1}
    assert counted(path, outcomes={"": "tie"}) == {("X", "Y", FIRST): 1, ("X", "Y", TIE): 1}
