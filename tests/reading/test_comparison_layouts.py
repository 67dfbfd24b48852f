"""Outcomes, flags of ties, joint names, and what looks like numbers of wins."""

import re
import shlex

import pandas as pd
import pytest
from user_files import parquet, refusal, text, writer

import wmtlib
from examples import data_error
from wmtlib.cli import parser
from wmtlib.forms import TIES
from wmtlib.reading.columns import ALIASES
from wmtlib.reading.outcomes import meanings, plain
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
AB = "a,b,outcome\n"


def votes(words):
    return AB + "".join(f"x,y,{word}\n" for word in words)


def preferences(judgements):
    """How often x won, y won, and they tied."""
    wins = judgements.counts.wins
    return wins.loc["x", "y"], wins.loc["y", "x"], judgements.counts.ties.loc["x", "y"]


def options_of(message):
    """The meanings that the command in a refusal would give."""
    found = re.findall(r"--outcome[ =](?:'[^']*'|[^ ';])*=[a-zA-Z]+", message)
    words = shlex.split(" ".join(found))
    return dict(parser().parse_args(["rank", "file", *words]).outcomes)


# --- outcomes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, proposed",
    [
        ("12345", "aatbb"),
        ("01234", "aatbb"),
        ("1234", "aabb"),
        (["-2", "-1", "0", "1", "2"], "aatbb"),
        (["1.0", "2.0", "3.0", "4.0", "5.0"], "aatbb"),
    ],
)
def test_all_grades_are_asked_about_with_one_command(given_file, words, proposed):
    path = given_file(votes(words))
    names = {"a": "a", "t": "tie", "b": "b"}
    expected = {w: names[p] for w, p in zip(words, proposed, strict=True)}
    message = refusal(path)
    assert options_of(message) == expected
    assert "if from b to a, exchange a and b" in message
    assert preferences(read(path, outcomes=expected)) == (
        proposed.count("a"),
        proposed.count("b"),
        proposed.count("t"),
    )


def test_a_grade_that_is_named_leaves_no_other_to_a_vocabulary(given_file):
    path = given_file(votes("12345"))
    said = {"3": "tie", "4": "b", "5": "b"}
    both_left = {"1": "a", "2": "a", **said}
    assert options_of(refusal(path, outcomes=said)) == both_left
    turned = {"1": "b", "2": "b", "3": "tie", "4": "a", "5": "a"}
    assert options_of(refusal(path, outcomes={"5": "a"})) == turned
    path = given_file(votes("123"))
    assert set(options_of(refusal(path, outcomes={"3": "a"})).values()) == {
        "a",
        "MEANING",
    }
    assert set(options_of(refusal(path, outcomes={"2": "tie"}))) == {*"123"}


def test_numbers_beside_one_and_two_may_be_ties_or_skipped(given_file):
    path = given_file(votes("1233"))
    assert preferences(read(path, outcomes={"3": "tie"})) == (1, 1, 2)
    path = given_file(votes("12394"))
    said = {"3": "tie", "9": "skip", "4": "tie"}
    assert preferences(read(path, outcomes=said)) == (1, 1, 2)


def test_a_vocabulary_that_the_user_turns_is_not_half_used(given_file):
    path = given_file(votes(["left", "right"]))
    message = refusal(path, outcomes={"left": "b"})
    assert options_of(message) == {"left": "b", "right": "MEANING"}


def test_all_unknown_words_and_blanks_are_in_one_command(given_file):
    words = ["a", "No idea", "so-so", "", "-", "N/A"]
    message = refusal(given_file(votes(words)))
    expected = dict.fromkeys(["No idea", "so-so", "-"], "MEANING")
    expected |= {"": "skip", "N/A": "skip"}
    assert options_of(message) == expected
    assert message.startswith(", line 3: outcome is 'No idea', 'so-so', '', '-', 'N/A'")


@pytest.mark.parametrize(
    "first, second, tie",
    [
        ("Option A", "Option B", "About the same"),
        ("Mostly A", "Completely B", "It is a draw"),
        ("Opción A", "Opción B", "Ambas iguales"),
        ("Traduction A", "Traduction B", "Les deux se valent"),
        ("Traduzione 1", "Traduzione 2", "Nessuna differenza"),
        ("Übersetzung 1", "Übersetzung 2", "Kein Unterschied"),
        ("Gauche", "Droite", "Pas de différence"),
        ("左", "右", "同じ"),
        ("Translation 1", "Translation 2", "Equal"),
        ("Output A", "Output B", "No preference"),
        ("System 1", "System 2", "Can't decide"),
        ("A is much better", "B is slightly better", "Neither"),
        ("1 - A is better", "3 - B is better", "2 - Same"),
        ("[[A>>B]]", "[[B>A]]", "[[A=B]]"),
        ("model_a", "model_b", "Both"),
        ("First", "second", "Cannot tell"),
    ],
)
def test_words_of_forms_are_known(first, second, tie):
    assert meanings([first, second, tie], {}) == {first: {1}, second: {2}, tie: {0}}


def test_words_of_forms_are_named_beside_what_they_mean(given_file):
    judgements = read(given_file(votes(["Option A", "Option B", "About the same"])))
    assert preferences(judgements) == (1, 1, 1)
    assert "outcome 'Option A' means a" in judgements.reading


def test_words_that_turn_an_answer_are_asked_about(given_file):
    for word in ("A is worse", "A is not better", "A is better than B"):
        assert refusal(given_file(votes([word]))).startswith(", line 2: outcome is ")
    assert plain("Model") == "model"


def test_a_file_of_names_is_not_warned_of(given_file):
    path = given_file("a,b,outcome\nx,y,x\nx,z,z\nz,a,a\na,x,a\n")
    judgements = read(path)
    assert judgements.warnings == ()
    assert judgements.reading.endswith("outcome names the system that won")


def test_an_outcome_that_the_user_names_is_not_bad(given_file):
    path = given_file(votes(["a", "NA", "b", ""]))
    judgements = read(path, outcomes={"NA": "tie"}, skip_bad=True)
    assert preferences(judgements) == (1, 1, 1)


# --- flags of ties --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["is_tie", "both_bad", "Both equal"])
def test_a_flag_beside_the_winner_is_a_tie(given_file, name):
    rows = [["x", "y", "x", "TRUE"], ["y", "x", "x", "FALSE"], ["x", "y", "", "yes"]]
    path = given_file(text([["model_a", "model_b", "winner", name], *rows]))
    for options in ({}, {"skip_bad": True}):
        assert preferences(read(path, **options)) == (1, 0, 2)
    with data_error(f"column {name!r} is not used here; wmtlib.read"):
        wmtlib.rank(pd.DataFrame(rows, columns=["model_a", "model_b", "winner", name]))


def test_two_flags_are_ties_both(given_file):
    for header, winner in (("a,b,winner", "x,y,x"), ("winner,loser", "x,y")):
        rows = "".join(f"{winner},{flags}\n" for flags in ("1,0", "0,1", "0,0", "0,0"))
        judgements = read(given_file(f"{header},tie,both_bad\n{rows}"))
        assert preferences(judgements) == (2, 0, 2)
    path = given_file("a,b,winner,tie\nx,y,x,perhaps\n")
    assert refusal(path).endswith("to leave the column out, add --column tied=")


def test_every_flag_has_a_role():
    known = {
        name for role in ("tied", "both_bad", "both_good") for name in ALIASES[role]
    }
    usual = {"tie", "istie", "draw", "isdraw", "tied", "equal", "bothbad", "bothgood"}
    assert usual <= known & {*TIES}
    assert {*ALIASES["is_tie"]} >= {*ALIASES["tied"]}


# --- joint names ----------------------------------------------------------------------


def test_what_is_compared_with_its_part_is_a_system(given_file):
    path = given_file("a,b,winner\nbase,base+rag,b\nbase+rag,rag,a\nbase,rag,b\n")
    judgements = read(path)
    assert judgements.systems == ("base", "base+rag", "rag")
    assert judgements.counts.wins.loc["base+rag"].tolist() == [1, 0, 1]
    assert "--joint-names" not in judgements.warnings[0]
    assert judgements.warnings[0].endswith("outputs, add joint_names='split'")
    assert wmtlib.rank(judgements, "expected-wins").order[0] == "base+rag"
    assert read(path, joint_names="split").systems == ("base", "rag")
    assert refusal(path, joint_names="x").endswith("expected split or keep")


def test_a_joint_name_never_judged_beside_its_parts_may_be_kept(given_file):
    path = given_file("a,b,winner\nA,C,a\nB,C,a\nA+B,C,b\nC,A+B,a\n")
    assert read(path).systems == ("A", "B", "C")
    kept = read(path, joint_names="keep")
    assert kept.systems == ("A", "A+B", "B", "C") and not kept.warnings
    assert wmtlib.rank(kept, "bradley-terry").order[-1] == "A+B"


def test_what_a_worker_scores_beside_its_parts_is_a_system(given_file):
    scores = {"base": (40, 50), "rag": (60, 70), "base+rag": (90, 80)}
    rows = [["w", name, k, s] for name, of in scores.items() for k, s in enumerate(of)]
    header = ["worker", "system", "segment", "score"]
    path = given_file(text([header, *rows]))
    judgements = read(path)
    assert judgements.systems == ("base", "base+rag", "rag")
    ranking = wmtlib.rank(judgements, "raw-score").table.set_index("system")["score"]
    assert ranking.to_dict() == {"base+rag": 85, "rag": 65, "base": 45}
    renamed = judgements.renamed(["rag"], "base+rag")
    assert renamed.systems == ("base", "base+rag")
    split = read(path, joint_names="split")
    assert split.systems == ("base", "rag") and "base+rag" not in str(split.warnings)
    apart = [[f"w{name}", name, *rest] for _, name, *rest in rows]
    judgements = read(given_file(text([header, *apart])))  # identical outputs
    assert judgements.systems == ("base", "rag")
    assert judgements.warnings[0].endswith("systems, add joint_names='keep'")


def test_a_plus_whose_parts_are_unknown_may_be_kept(given_file):
    path = given_file("worker,system,segment,score\nw,C+D,1,5\nw,B,1,6\n")
    assert refusal(path).endswith("if it is one system, add --joint-names keep")
    assert read(path, joint_names="keep").systems == ("B", "C+D")
    plain = given_file("worker,system,segment,score\nw,C++,1,5\nw,B,1,6\n")
    assert read(plain).systems == ("B", "C++")  # it joins nothing


def test_what_is_ranked_beside_its_parts_is_a_system(given_file):
    path = given_file("ranking,system,rank\n1,A,3\n1,B,2\n1,A+B,1\n")
    judgements = read(path)
    assert judgements.systems == ("A", "A+B", "B")
    assert judgements.counts.wins.loc["A+B"].tolist() == [1, 0, 1]


# --- numbers side by side -------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    ["errors_a,errors_b", "mqm_1,mqm_2", "score_a (MQM errors),score_b (MQM errors)"],
)
def test_penalties_side_by_side_are_asked_about(given_file, names):
    path = given_file(f"a,b,{names}\nx,y,1,9\nx,y,2,1\nx,y,0,4\n")
    assert "may hold penalties, errors or ranks; if low ones are" in refusal(path)
    assert preferences(read(path, lower_is_better=True)) == (2, 1, 0)
    assert preferences(read(path, lower_is_better=False)) == (1, 2, 0)


def test_negative_scores_and_ranks_side_by_side_are_asked_about(given_file):
    path = given_file("a,b,score_a,score_b\nx,y,-1,-9\nx,y,0,-3\n")
    assert refusal(path).startswith(": scores run from -9 to 0; if low ones are good")
    ranks = "x,y,1,2\nx,y,2,1\nx,y,1,1\n" * 4
    path = given_file(f"a,b,score_a,score_b\n{ranks}")
    assert refusal(path).startswith(": scores are 1, 2, ... in every row, as ranks are")


def test_scores_that_differ_by_the_last_bit_tie(given_file):
    third = 1 / 3
    rows = f"x,y,{third!r},{third + 1e-16!r}\nx,y,1e-12,2e-12\nx,y,0,1e-15\n"
    judgements = read(given_file(f"a,b,score_a,score_b\n{rows}"))
    assert preferences(judgements) == (0, 2, 1)


# --- numbers of wins ------------------------------------------------------------------

WINS = "a,b,wins_a,wins_b\n"


@pytest.mark.parametrize(
    "matrix, fault",
    [
        (",A,B,C\nA,,5,7\nB,,,2\nC,,,\n", "one side of the diagonal is empty"),
        (",A,B,C\nA,0,0,0\nB,4,0,0\nC,3,1,0\n", "one side of the diagonal is empty"),
        (",A,B,C\nA,,9,7\nB,9,,2\nC,7,2,\n", "the two cells of every pair are equal"),
        (",A,B,C\nA,,50,80\nB,40,,30\nC,10,60,\n",
         "every pair of cells adds up to 90, as shares do"),
        (WINS + "x,y,60,40\nx,z,70,30\ny,z,55,45\n", "every row adds up to 100"),
        (WINS.replace("b\n", "b,ties\n") + "x,y,5,4,1\nx,z,7,3,0\ny,z,5,3,2\n",
         "every row adds up to 10, as shares do"),
    ],
)  # fmt: skip
def test_what_may_be_no_numbers_of_wins_is_asked_about(given_file, matrix, fault):
    path = given_file(matrix)
    said = refusal(path)
    assert said.startswith(f": {fault}")
    assert said.endswith("; if they are, add --kind pairwise")
    assert read(path, kind="pairwise").counts.comparisons


def test_single_comparisons_and_repeated_pairs_are_no_shares(given_file):
    assert read(given_file(WINS + "x,y,1,0\nx,z,0,1\ny,z,1,0\n")).rows == 3
    path = given_file(WINS + "x,y,6,4\nx,y,7,3\ny,z,5,5\nx,z,1,9\n")
    assert read(path).counts.comparisons == 40


def test_wins_on_the_diagonal_are_said(given_file):
    judgements = read(given_file(",A,B,C\nA,,5,7\nB,1,24,2\nC,3,1,-\n"))
    assert judgements.counts.comparisons == 19
    assert judgements.warnings[0].startswith("the diagonal holds 24: no system wins")


def test_equal_rows_of_wins_in_parquet_count_each(tmp_path):
    header = WINS.strip().split(",")
    rows = [["x", "y", "3", "1"], ["x", "y", "3", "1"], ["x", "y", "0", "2"]]
    judgements = read(parquet(tmp_path / "wins.parquet", header, rows * 4))
    assert preferences(judgements) == (24, 16, 0)  # DuckDB counts so many together


def test_sums_by_chance_and_both_ways_by_judge(given_file):
    matrix = read(given_file(",A,B,C\nA,,3,9\nB,2,,2\nC,2,3,\n"))
    assert matrix.systems == ("A", "B", "C")
    header = "judge," + WINS
    rows = "j,x,y,3,1\nk,x,y,2,2\nj,y,x,1,3\nk,y,x,2,2\n"
    assert read(given_file(header + rows)).warnings == ()


# --- a repeated header ----------------------------------------------------------------


@pytest.mark.parametrize(
    "header, row",
    [
        ("winner,loser", "x,y"),
        ("a,b,outcome,judge", "x,y,a,j"),
        ("worker,system,segment,score", "w,x,1,50"),
        ("ranking,system,rank", "1,x,1"),
    ],
)
def test_a_repeated_header_is_refused_with_its_line(given_file, header, row):
    path = given_file(f"{header}\n{row}\n{header}\n{row}\n")
    assert refusal(path).startswith(
        ", line 3: repeats the header; expected a judgement"
    )
    path = given_file("winner,loser\nx,y\nwinner,loser\ny,x\n")
    judgements = read(path, skip_bad=True)
    assert preferences(judgements) == (1, 1, 0)
    assert judgements.warnings[0].startswith("1 of 3 rows are bad and left out")


def test_shares_that_are_rounded_are_no_numbers_of_wins(given_file):
    rows = "x,y,60,40\nx,z,70,31\ny,z,54,45\n"
    assert "every row adds up to 100, as shares do" in refusal(given_file(WINS + rows))
    counted = given_file(WINS + "x,y,60,41\nx,z,70,32\ny,z,54,48\n")
    assert read(counted).counts.wins.loc["x", "y"] == 60


def test_scores_of_which_one_is_nearly_nought_tie(given_file):
    rows = f"x,y,{0.1 + 0.2 - 0.3!r},0\nx,y,0.4,0.2\n"
    judgements = read(given_file(f"a,b,score_a,score_b\n{rows}"))
    assert preferences(judgements) == (1, 0, 1)


def test_grades_of_which_some_have_words_are_proposed(given_file):
    grades = ["1 (A much better)", "2", "3 (same)", "4", "5 (B much better)"]
    rows = "".join(f"x,y,{grade}\n" for grade in grades)
    assert "--outcome 2=a --outcome 4=b if" in refusal(
        given_file("a,b,outcome\n" + rows)
    )
    turned = rows.translate(str.maketrans("AB", "BA"))
    said = refusal(given_file("a,b,outcome\n" + turned))
    assert "--outcome 2=b --outcome 4=a if" in said


def test_fillers_do_not_hide_ties(given_file):
    words = ["Translation A", "Both responses are bad", "B", "The same quality"]
    rows = "".join(f"x,y,{word}\n" for word in words)
    counts = read(given_file("a,b,outcome\n" + rows)).counts
    assert counts.ties.loc["x", "y"] == 2


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_a_file_put_together_from_copies_is_said(given_file, copies):
    rows = [f"x,y,{'ab'[k % 2]},j{k}\n" for k in range(12)]
    judgements = read(given_file("a,b,outcome,judge\n" + "".join(rows) * copies))
    assert preferences(judgements) == (6 * copies, 6 * copies, 0)
    said = f"every row is there {copies} times"
    found = [line.partition(",")[0] for line in judgements.warnings]
    assert found == ([said] if copies > 1 else [])
