"""What is sound row by row and still odd is a warning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_files import writer

from wmtlib.yours import read as reader
from wmtlib.yours import remarks

given_file = pytest.fixture(writer)


def warnings(path, **options):
    return reader.read(path, **options).warnings


def test_groups_that_never_met_are_named(given_file):
    path = given_file("a,b,outcome\nA,B,a\nC,D,a\nD,E,a\n")
    assert warnings(path) == (
        "systems fall into 2 groups without a comparison between them ('A', 'B'; 'C', 'D', 'E'):"
        " the order of systems of different groups means nothing",
    )


@pytest.mark.parametrize(
    "rows",
    [
        "a,b,outcome,judge\nA,B,a,ann{0}\nA,B,b,ann\n",
        "ranking,system,rank,judge\n1,A,1,ann{0}\n1,B,2,ann{0}\n2,A,1,ann\n2,B,2,ann\n",
        "worker,system,segment,score\nann{0},A,1,50\nann,B,1,60\n",
    ],
)
def test_two_spellings_of_a_judge_are_said_without_the_name(given_file, rows):
    (warning,) = warnings(given_file(rows.format(" ")))
    assert warning.startswith("2 names of judges are 1, but for case and blanks")
    assert warnings(given_file(rows.format("a"))) == ()


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1))
def test_groups_are_those_that_a_walk_finds(tmp_path_factory, pairs):
    pairs = [(a, b) for a, b in pairs if a != b] or [(0, 1)]
    path = tmp_path_factory.mktemp("groups") / "x.csv"
    path.write_text("a,b,outcome\n" + "".join(f"s{a},s{b},a\n" for a, b in pairs))
    left, number = {x for pair in pairs for x in pair}, 0
    while left:
        number, reached = number + 1, {left.pop()}
        while more := {x for p in pairs if reached & {*p} for x in p} - reached:
            reached |= more
        left -= reached
    found = [w for w in warnings(path) if "groups" in w]
    assert bool(found) == (number > 1)
    assert not found or found[0].startswith(f"systems fall into {number} groups")


@pytest.mark.parametrize(
    "names", [("GPT-4", "gpt-4"), ("Zu\u0308rich", "Zürich"), ("A  B", "A B"), ("Ａ", "a")]
)
def test_two_spellings_of_a_name_are_said(given_file, names):
    path = given_file(f"a,b,outcome\n{names[0]},X,a\n{names[1]},X,b\n")
    (warning,) = warnings(path)
    assert warning.endswith("counted as 2 systems; if they are one, write the name in one way")
    scores = "".join(f"w,{name},1,5\n" for name in names)
    (warning,) = warnings(given_file("worker,system,segment,score\nw,X,1,7\n" + scores))
    assert "are counted as 2 systems" in warning


ROWS = [f"s{k % 5},t{k % 3},{'ab'[k % 2]},j{k},g{k % 4}\n" for k in range(20)]


def test_a_file_pasted_twice_is_said(given_file):
    head = "a,b,outcome,judge,segment\n"
    assert not warnings(given_file(head + "".join(ROWS)))
    for times in (2, 3):
        (warning,) = warnings(given_file(head + "".join(ROWS) * times))
        assert warning == remarks.pasted(times)
        (warning,) = warnings(given_file(head + "".join(ROWS) * times), by_unit=False)
        assert warning == remarks.pasted(times)


def test_one_judgement_ten_times_is_said(given_file):
    head = "a,b,outcome,judge,segment\n"
    (warning,) = warnings(given_file(head + "".join(ROWS) + ROWS[3] * 9))
    assert warning == (
        "9 of 29 comparisons repeat another one word for word (same judge, segment, systems and"
        " outcome); each counts; if they are there by mistake, remove them"
    )
    head = "worker,system,segment,score\n"
    (warning,) = warnings(given_file(head + "w,X,1,5\nw,Y,1,9\n" + "w,X,1,5\n" * 9))
    assert warning.startswith("9 of 11 assessments repeat another one word for word (same worker,")
