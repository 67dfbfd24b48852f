"""Cells: missing ones, outcomes, sums, names that join others, scores."""

import pandas as pd
import pytest

from wmtlib.core.errors import DataError, Question
from wmtlib.files.contract import CONTRACT
from wmtlib.files.read import read

PAIRS = pd.DataFrame({"a": [*"xxyz"] * 3, "b": [*"yzzx"] * 3})
SCORED = pd.DataFrame(
    {
        "judge": [*"jjkk"] * 3,
        "system": [*"xyxy"] * 3,
        "segment": [k // 2 for k in range(12)],
        "score": [10, 20, 30, 40] * 3,
    }
)


NO_TIES = [[0, 0, 0]] * 3


def votes(*outcomes, **columns):
    several = [*outcomes] * (12 // len(outcomes))
    return PAIRS.assign(outcome=several, **columns)


def question(data, **options):
    with pytest.raises(Question) as asked:
        read(data, **options)
    return str(asked.value)


def wins(data, **options):
    counts = read(data, **options).counts
    return counts.wins.to_numpy().tolist(), counts.ties.to_numpy().tolist()


# --- outcomes ---

LINES = [*CONTRACT["outcomes"]["places"], *CONTRACT["outcomes"]["lines"]]


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line))
def test_the_words_of_one_line_are_known(line):
    words = {side: word for word, side in line.items()}
    found = votes(words["a"], words["b"], words["a"].upper(), "Tie")
    assert wins(found) == wins(votes("a", "b", "a", "tie"))


@pytest.mark.parametrize("word", CONTRACT["outcomes"]["ties"])
def test_words_for_ties_are_known(word):
    assert wins(votes("a", "b", word)) == wins(votes("a", "b", "tie"))


def test_an_outcome_may_be_the_name_of_a_system_or_of_a_column():
    names = PAIRS["a"].where(PAIRS.index % 2 == 0, PAIRS["b"])
    assert wins(PAIRS.assign(winner=names)) == wins(votes("a", "b"))
    named = votes("left_model", "right_model").set_axis(
        ["left_model", "right_model", "winner"], axis=1
    )
    columns = {"a": "left_model", "b": "right_model"}
    assert wins(named, column=columns) == wins(votes("a", "b"))


@pytest.mark.parametrize(
    "words",
    [
        ("a", "left"),
        ("1", "0"),
        ("1", "2", "3"),
        ("1", "2", "0.5"),
        ("1", "1"),
        ("-1", "1", "0"),
        ("model_a", "a"),
        ("option a", "option b"),
        ("fine", "a", "b"),
        ("links", "rechts"),
    ],
)
def test_all_other_words_are_asked_about_at_once(words):
    asked = question(votes(*(words if 12 % len(words) == 0 else words[:2])))
    assert "of unknown meaning" in asked
    assert "MEANING: a (it won), b, tie or skip" in asked
    call = asked.splitlines()[-1]
    for word in {*words}.difference("ab"):  # names of the columns
        assert f"'{word}': 'MEANING'" in call


def test_the_user_says_what_words_mean():
    found = votes("gut", "schlecht", "gleich", "weiss nicht")
    meaning = {"gut": "a", "schlecht": "b", "gleich": "tie", "weiss nicht": "skip"}
    judged = read(found, outcome=meaning)
    assert judged.counts.comparisons == 9
    assert judged.rows_left_out == {"rows that are skipped": 3}
    with pytest.raises(DataError, match="no meaning of the outcome 'gut' 'MEANING'"):
        read(found, outcome={**meaning, "gut": "MEANING"})
    empty = votes("a", "", "b", "none")
    assert read(empty, outcome={"": "tie", "none": "skip"}).counts.comparisons == 9
    with pytest.raises(DataError, match="all are skipped"):
        read(votes("a"), outcome={"a": "skip"})


def test_a_word_that_is_a_system_of_another_row_is_asked_about():
    strange = PAIRS.assign(winner=["x"] * 12)
    assert "winner is 'x', which is a system, but not of its row" in question(strange)


def test_a_word_that_names_a_system_too_is_asked_about():
    systems = pd.DataFrame({"a": ["tie", "y"] * 6, "b": ["y", "z"] * 6})
    named = systems.assign(winner=["tie", "z"] * 6)
    asked = question(named)
    assert "'tie' is an outcome and a system" in asked
    assert "outcome={'tie': 'MEANING'}" in asked
    assert read(named, outcome={"tie": "a"}).counts.wins.loc["tie", "y"] == 6


def test_hundreds_of_words_are_no_outcomes():
    numbers = votes("a").assign(outcome=[f"1.{k}" for k in range(12)])
    many = pd.concat(
        [numbers.assign(outcome=numbers["outcome"] + str(k)) for k in range(4)]
    )
    with pytest.raises(DataError, match="48 different words; expected a few"):
        read(many.reset_index(drop=True))


def test_places_go_by_who_was_shown_first():
    plain = votes("left", "right", "tie", "left")
    order = ["AB", "BA", "ba", "ab"] * 3
    turned = plain.assign(order=order)
    expected = wins(votes("a", "a", "tie", "a"))
    assert wins(turned, column={"shown_first": "order"}) == expected
    names = [
        b if o.lower() == "ba" else a
        for a, b, o in zip(PAIRS["a"], PAIRS["b"], order, strict=True)
    ]
    assert wins(plain.assign(shown_first=names)) == expected
    absolute = votes("a", "b", "tie", "a", shown_first=order)
    assert wins(absolute) == wins(votes("a", "b", "tie", "a"))
    with pytest.raises(DataError, match="shown_first is 'up'; expected a, b"):
        read(plain.assign(shown_first="up"))


def test_a_flag_tells_ties_from_wins():
    flagged = votes("a", "b", "a", "", tie=["no", "FALSE", "1", "yes"] * 3)
    assert wins(flagged) == wins(votes("a", "b", "tie", "tie"))
    odd = votes("a", tie=["no", "perhaps"] * 6)
    with pytest.raises(DataError, match=r"tied is 'perhaps' .* expected true or false"):
        read(odd)


def test_the_loser_and_winner_and_loser():
    lost = PAIRS.assign(worse=["a", "b"] * 6)
    assert wins(lost) == wins(votes("b", "a"))
    both = pd.DataFrame({"winner": PAIRS["a"], "loser": PAIRS["b"]})
    assert wins(both) == wins(votes("a"))


# --- missing cells ---


def test_a_cell_that_a_role_cannot_have_is_asked_about_with_its_row():
    gaps = votes("a", "b", "", "n/a", judge=["ann", "?", "bob", "anonymous"] * 3)
    asked = question(gaps)
    assert "outcome is '' (3 rows, first row 2); expected an outcome" in asked
    assert "outcome is 'n/a' (3 rows, first row 3)" in asked
    assert "judge is '?' (3 rows, first row 1); expected a name of one person" in asked
    assert "judge is 'anonymous'" in asked
    assert "if blank is a tie: --outcome =tie" in asked
    assert asked.endswith("missing=['VALUE', 'VALUE', 'VALUE', 'VALUE'])")
    with pytest.raises(DataError, match="replace the word VALUE"):
        read(gaps, missing=["VALUE", ""])
    found = read(gaps, missing=["", "n/a", "?", "anonymous"])
    assert found.rows == 3
    assert found.rows_left_out == {"rows with a missing cell": 9}


def test_rank_0_is_no_rank():
    ranked = pd.DataFrame(
        {"ranking": [1, 1, 1, 2, 2], "system": [*"xyzxy"], "rank": [1, 2, 0, 1, 1]}
    )
    asked = question(ranked)
    assert "rank is '0' (row 2); expected a whole number from 1 (0 is no rank)" in asked
    assert "if ranks run from 0, add 1 to each" in asked
    assert read(ranked, missing="0").counts.comparisons == 2


@pytest.mark.parametrize("count", ["-1", "1.5", "1.000", "x", "1e400", str(2**60)])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(DataError, match="expected a whole number from 0"):
        read(votes("a").assign(count=["3"] * 11 + [count]))


def test_texts_are_no_systems():
    texts = pd.DataFrame({"a": [f"text {k}" for k in range(6000)], "b": "x"})
    with pytest.raises(DataError, match="'a' holds 6000 names; expected at most 5000"):
        read(texts.assign(outcome="a"))


def test_merged_cells_are_to_be_filled():
    merged = SCORED.assign(judge=["j", "", "", "k", "", ""] * 2)
    assert "judge: if these are merged cells, fill them down first" in (
        question(merged, scale=(0, 100))
    )


def test_questions_about_structure_come_before_those_about_cells():
    rough = votes("a", "fine", "", "b").assign(flag=[0, 1] * 6)
    assert "missing" not in question(rough).splitlines()[-1]
    second = question(rough, ignore="flag")
    assert "outcome={'fine': 'MEANING'}" in second and "missing=['VALUE']" in second


# --- sums, and joined names ---


@pytest.mark.parametrize("name", ["Mean", "(all)", "Total:", "SD", "n"])
def test_rows_that_sum_up_others_are_asked_about(name):
    footer = pd.DataFrame(
        {"judge": ["j"] * 2, "system": ["x", "y"], "segment": name, "score": 1}
    )
    asked = question(pd.concat([SCORED, footer], ignore_index=True), scale=(0, 100))
    assert "rows that may sum up others" in asked and f"segment is {name!r}" in asked
    found = read(
        pd.concat([SCORED, footer], ignore_index=True), scale=(0, 100), missing=name
    )
    assert found.rows == 12


@pytest.mark.parametrize("sign", ["+", ",", " / ", "&"])
def test_names_that_join_others_are_asked_about(sign):
    joined = votes("a", "b", "tie").replace({"a": {"z": f"x{sign}y"}})
    joined = joined[(joined != f"x{sign}y").all(axis=1) | (joined["a"] == f"x{sign}y")]
    joined = pd.concat(
        [joined, pd.DataFrame({"a": ["w"], "b": [f"x{sign}y"], "outcome": "a"})]
    )
    joined = joined.reset_index(drop=True)
    asked = question(joined)
    assert "names that join others" in asked and asked.endswith("joint='HOW')")
    assert f"x{sign}y" in read(joined, joint="keep").systems
    split = read(joined, joint="split")
    assert f"x{sign}y" not in split.systems
    assert split.counts.wins.loc["w", ["x", "y"]].tolist() == [1, 1]
    with pytest.raises(DataError, match="no joint 'HOW'; expected split, keep"):
        read(joined, joint="HOW")


def test_a_plus_that_joins_no_systems_is_a_name():
    assert read(votes("a").replace({"z": "C++"})).systems == ("C++", "x", "y")
    scored = SCORED.replace({"system": {"y": "base+tuned"}})
    assert read(scored, scale=(0, 100)).systems == ("base+tuned", "x")


def test_what_was_said_is_whole_in_the_call_to_copy():
    odd = SCORED.assign(score=[99, 20, 7, 40] * 3)
    assert "missing=['99', 'VALUE'" in question(odd, scale=(10, 50), missing="99")
    assert "missing=[99, 'VALUE'" in question(odd, scale=(10, 50), missing=99)


@pytest.mark.parametrize("number", ["1,000", "50%"])
def test_counts_of_thousands_and_shares_are_asked_about(tmp_path, number):
    path = tmp_path / "votes.csv"
    path.write_text(f"a;b;outcome;count\nx;y;a;{number}\ny;z;b;{number}\n")
    assert f"count is '{number}'" in question(path)


def test_a_number_that_is_no_score_is_no_missing_name():
    scores = SCORED.assign(score=[99, *range(1, 12)], segment=[*range(94, 106)])
    read_all = read(scores, scale=(0, 50), missing="99")
    assert len(read_all.assessments) == 11
    assert "99" in {*read_all.assessments["segment"]}


def test_an_option_says_who_won_where_losers_are_named():
    lost = PAIRS.assign(loser=["LHS", "RHS"] * 6)
    said = {"LHS": "b", "RHS": "a"}
    assert wins(lost, outcome=said) == wins(votes("b", "a"))


def test_names_that_the_user_counts_sum_up_nothing():
    judges = votes("a", judge=[*"MNO"] * 4)
    assert "--rows judge=VALUE" in question(judges)
    assert read(judges, rows={"judge": [*"MNO"]}).rows == 12


def test_numbers_of_another_scale_than_ours_are_asked_about():
    own = {"a": "system_1", "b": "system_2", "outcome": "preference"}
    grades = votes("1", "2", "3", "4").rename(columns=own)
    assert "4 outcomes of unknown meaning" in question(grades)
    assert "-1" in question(votes("-1", "0", "1").rename(columns=own))


def test_a_name_joins_each_part_once():
    joint = pd.DataFrame({"a": ["x+x+y", "x"], "b": ["z", "y"], "outcome": "a"})
    assert wins(joint, joint="split") == ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], NO_TIES)
