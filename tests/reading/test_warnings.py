"""What is sound row by row in a file, and still odd, is a warning."""

import pytest
from user_files import writer

from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
JUDGED = "a,b,outcome,judge,segment\n"
SCORED = "worker,system,segment,score\n"
ROWS = [f"s{k % 5},t{k % 3},{'ab'[k % 2]},j{k},g{k % 4}\n" for k in range(20)]


@pytest.mark.parametrize(
    "data, warning",
    [
        (
            "a,b,outcome\nA,B,a\nC,D,a\nD,E,a\n",
            "systems fall into 2 groups without a comparison"
            " between them ('A', 'B'; 'C', 'D', 'E'): the order of systems of"
            " different groups",
        ),
        (
            JUDGED + "A,B,a,an-n,1\nA,B,b,an_n,2\n",
            "2 names of judges are 1, but for case, blanks,",
        ),
        (
            "ranking,system,rank,judge\n1,A,1,ann\n1,B,2,ann\n2,A,1,Ann\n2,B,2,Ann\n",
            "2 names of judges are 1, but for case, blanks, hyphens and letters that"
            " look alike; if these are the same people",
        ),
        (
            "a,b,wins_a,wins_b\nA,B,3,1\nB,A,1,3\n",
            "1 pairs of systems are in both directions",
        ),
        (
            "a,b,outcome,segment\nA,B,a,1\nA,B,b,1.0\n",
            "segments '1' are written with .0, too",
        ),
        (
            SCORED + "w,X,1,7\nw,Ａ,1,5\nw,a,1,5\n",
            "'a' and 'Ａ' are counted as 2 systems",
        ),
        (
            JUDGED + "".join(ROWS) * 3,
            "every row is there 3 times, or a multiple of 3; each counts",
        ),
        (
            JUDGED + "".join(ROWS) + ROWS[3] * 7,
            "7 of 27 comparisons repeat another one word for"
            " word (same judge, segment, systems and outcome); each counts; if they"
            " are there by",
        ),
        (
            SCORED + "w,X,1,5\nw,Y,1,9\n" + "w,X,1,5\n" * 9,
            "9 of 11 assessments repeat another one"
            " word for word (same worker, system, segment, score)",
        ),
        (
            "worker,system,segment,score,count\nw,X,1,5,2\nw,Y,1,9,3\n",
            "column 'count' is not used, every row counts once",
        ),
        (
            "a,b,outcome,type\nX,Y,a,code\nX,Y,b,maths\n",
            "column 'type' holds 2 values and is not"
            " used, they are ranked together; to rank them apart, add"
            " columns={'task': 'type'}",
        ),
    ],
)
def test_what_is_odd_is_said(given_file, data, warning):
    (said,) = read(given_file(data)).warnings
    assert said.startswith(warning) and ("ann" not in said and "Ann" not in said)
    assert said.code != "other"


def test_what_is_usual_is_not_said(given_file):
    assert not read(given_file(JUDGED + "".join(ROWS))).warnings


def test_what_looks_like_a_task_and_is_not_used_is_said_of_the_task_alone(given_file):
    data = "a,b,outcome,lp,domain,src_lang\nX,Y,a,de-en,news,de\nX,Y,b,de-en,chat,de\n"
    path = given_file(data + "X,Y,a,en-de,x,en\n")
    judgements = read(path, task="de-en")
    (warning,) = judgements.warnings
    assert warning.startswith("column 'domain' holds 2 values and is not used")
    assert judgements.columns == {
        "a": "a",
        "b": "b",
        "outcome": "outcome",
        "task": "lp",
    }
    assert (
        judgements.reading
        == "a, b, outcome, task = 'lp'; not used: 'domain', 'src_lang'"
    )
    assert not read(path, task="en-de").warnings
    apart = read(path, columns={"task": "domain"}, task="chat")
    assert apart.rows == 1 and apart.warnings == ()


def test_outcomes_that_are_no_positions_are_names_without_a_warning(given_file):
    path = given_file("a,b,outcome\n" + "x,y,x\ny,z,z\nx,z,tie\n" * 3)
    judgements = read(path)
    assert judgements.warnings == ()
    assert judgements.counts.wins.loc["z", "y"] == 3
