"""Rows that the user chooses, and unused columns that are asked about."""

from itertools import product

import pandas as pd
import pytest
from user_files import parquet, refusal, writer

from wmtlib.cli import main
from wmtlib.errors import DataError
from wmtlib.forms import doubt, is_called
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
VOTES = pd.DataFrame(
    [(j, s, "x", "y", "a") for j, s in product("uvw", "123")],
    columns=["judge", "segment", "model_a", "model_b", "winner"],
)
# Of three systems; scores of an output differ by the worker alone.
SCORES = pd.DataFrame(
    [(w, s, k, 50 + 10 * "uvw".index(w)) for w, s, k in product("uvw", "xyz", "1234")],
    columns=["worker", "system", "segment", "score"],
)
FLAGS = [True, True, False] * 3


def asked(frame, **options):
    """What a frame is refused by, in words of the command line."""
    return csv_refusal(frame, **options).partition(": ")[2]


def csv_refusal(frame, **options):
    with pytest.raises(DataError) as refused:
        read(frame, **options)
    return refused.value.args[0].command_line


# --- which rows count -----------------------------------------------------------------


NAMES_OF_FLAGS = """\
status valid approved rejected accepted cancelled spam discarded skipped flagged gold
check control attention test anony AssignmentStatus was_cancelled is_gold isValid
attention_check_passed quality_ok passed_qc excluded hidden duplicate bot training
practice review_status isvalid validado Kontrollfrage was_postponed malicious
in_analysis"""


def test_a_column_called_as_flags_are_is_asked_about():
    for name in NAMES_OF_FLAGS.split():
        assert doubt(name, FLAGS) == "count", name
    fault = "column 'status' may say which rows count ('true', 'false')"
    kept = "to keep some rows, add --rows status=true"
    ways = f"{kept}; to count all rows together, --column status="
    assert asked(VOTES.assign(status=FLAGS)) == f"{fault}; {ways}"


def test_other_columns_of_two_values_are_not_asked_about():
    for name in ("contest", "native"):
        assert not is_called(name, "count") and doubt(name, FLAGS) == ""
    for name in ("note", "marigold"):
        assert not is_called(name, "count") and doubt(name, ["seen", ""]) == ""
    assert is_called("latest_model", "count")
    assert read(VOTES.assign(valid=True, contest=FLAGS)).rows == 9


def test_flags_are_known_by_their_values_too():
    said = asked(VOTES.assign(remark=["", "", "spam"] * 3))
    assert said.startswith("column 'remark' may say which rows count ('', 'spam')")
    assert "--rows remark=;" in said
    assert "'phase'" in asked(VOTES.assign(phase=["main", "main", "training"] * 3))
    assert read(VOTES.assign(score=["low", "low", "high"] * 3)).rows == 9
    # More than -1, 0 and 1 are an amount; several values are no flag.
    assert read(VOTES.assign(checks=[3, 4, 5] * 3)).rows == 9
    assert read(VOTES.assign(status=[*"abcdef", *"abc"])).rows == 9


def test_some_rows_are_kept_of_text_and_of_parquet(given_file, tmp_path):
    frame = VOTES.assign(ok=FLAGS)
    path = given_file(frame.to_csv(index=False))
    kinds = ["VARCHAR"] * 5 + ["BOOLEAN"]
    rows = frame.to_numpy().tolist()
    for file in (path, parquet(tmp_path / "x.parquet", [*frame], rows, kinds)):
        judgements = read(file, rows={"ok": True})
        assert judgements.rows == 6
        assert "; kept 6 of 9 rows: ok = " in judgements.reading
        with pytest.raises(DataError, match="'ok' may say which rows count"):
            read(file)
    assert read(path, rows={"ok": ["TRUE"]}).rows == 6
    assert read(path, rows={"ok": [True, False]}).rows == 9
    assert read(path, rows={"ok": True, "judge": ["u", "v"]}).rows == 4
    assert read(path, columns={"ok": None}).rows == 9
    assert read(frame.assign(ok=1.0 * frame["ok"]), rows={"ok": 1}).rows == 6
    empty = frame.assign(ok=["spam", None, ""] * 3)
    assert read(empty, rows={"ok": ""}).rows == 6


def test_a_flag_is_no_system_of_a_table_of_segments_by_systems(given_file):
    rows = "".join(f"{k},{k % 7},{k % 5},{k % 2}\n" for k in range(20))
    path = given_file("segment,x,y,valid\n" + rows)
    assert refusal(path).startswith(", line 1: column 'valid' may say which rows count")
    assert read(path, columns={"valid": None}).systems == ("x", "y")
    assert read(path, rows={"valid": 1}).rows == 20


def test_places_in_refusals_are_of_the_file_where_rows_are_kept(given_file):
    data = "a,b,outcome,status\nx,y,a,no\nx,y,a,yes\nx,,a,yes\n"
    path = given_file(data)
    assert refusal(path, rows={"status": "yes"}).startswith(", line 4: b is ''")
    assert read(path, rows={"status": "no"}).rows == 1


def test_a_column_or_a_value_that_is_missing_is_refused():
    frame = VOTES.assign(status=["ok", "ok", "bad"] * 3)
    said = asked(frame, rows={"Status": "ok"})
    assert said.startswith("column 'Status' is missing; the header is 'judge',")
    assert said.endswith("; did you mean 'status'?")
    said = asked(frame, rows={"status": "okay"})
    assert said == "no row has 'okay' in column 'status'; it holds 'ok', 'bad'"


def test_accepted_is_a_role_of_assessments_and_asked_about_elsewhere():
    votes = VOTES.assign(accepted=FLAGS)
    assert "'accepted' may say which rows count" in asked(votes)
    assert read(votes, columns={"accepted": None}).rows == 9
    scores = SCORES.assign(accepted=[True] * 35 + [False])
    assert read(scores).columns["accepted"] == "accepted"
    assert "accepted" not in read(scores, columns={"accepted": None}).columns


def test_the_command_keeps_rows(given_file, capsys):
    path = given_file(VOTES.assign(status=["ok", "ok", "bad"] * 3).to_csv(index=False))
    assert main(["rank", str(path)]) == 2
    assert "--rows status=ok;" in capsys.readouterr().err
    few = ["--min", "1", "--method", "net-wins", "--bootstrap", "9"]
    words = ["--rows", "status=ok", "--rows", "judge=u", "--rows", "judge=v"]
    assert main(["rank", str(path), *words, *few]) == 0
    assert "kept 6 of 9 rows: status = 'ok'" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["rank", str(path), "--column", "status=", *few]) == 0


# --- the other order of the systems ---------------------------------------------------


def test_swapped_systems_are_asked_about():
    frame = VOTES.assign(swapped=FLAGS)
    said = asked(frame)
    assert said.startswith(
        "column 'swapped' may say that the two systems are in the other order"
    )
    assert "to exchange them, --column swapped=swapped; " in said
    exchanged = read(frame, columns={"swapped": "swapped"}).counts.wins
    assert exchanged.loc["x", "y"] == 3 and exchanged.loc["y", "x"] == 6
    assert read(frame, columns={"swapped": None}).counts.wins.loc["x", "y"] == 9


def test_the_order_of_outcomes_that_name_systems_is_not_asked_about():
    assert read(VOTES.assign(winner="x", flipped=FLAGS)).rows == 9


# --- what divides answers -------------------------------------------------------------


@pytest.mark.parametrize(
    "name, known",
    [
        ("metric", ["judge", "segment"]),
        ("Aspect", ["segment"]),
        ("turn", []),
        ("quality_dim", ["judge", "segment"]),
        ("quality_dim", []),
    ],
)
def test_criteria_of_votes_are_asked_about(name, known):
    votes = VOTES[[*known, "model_a", "model_b", "winner"]]
    frame = pd.concat([votes.assign(**{name: word}) for word in ("fluency", "style")])
    if name == "quality_dim" and len(known) < 2:  # neither its name nor repeats say it
        assert read(frame).rows == 18
        return
    said = asked(frame)
    assert said.startswith(f"column {name!r} ")
    assert f"; to rank its values apart, add --column task={name};" in said
    assert said.endswith(f"to count all rows together, --column {name}=")
    assert read(frame, columns={name: None}).rows == 18
    assert read(frame, columns={"task": name}, task="style").rows == 9


def test_criteria_keep_the_task_of_a_file():
    frame = pd.concat([VOTES.assign(lp="de-en", metric=word) for word in "pq"])
    assert "values apart, add --task-columns lp,metric;" in asked(frame)


def test_a_column_that_tells_copies_apart_is_asked_about():
    frame = pd.concat([SCORES.assign(**{"Part 2": word}) for word in "pq"])
    said = asked(frame)
    assert said.startswith("column 'Part 2' tells apart 72 rows that judge the same")
    assert "--column 'task=Part 2'; if it is the document, " in said
    # Every copy agrees in it with another one.
    alike = pd.concat([SCORES.assign(group=FLAGS * 4)] * 2)
    assert read(alike).rows == 72
    # Times and numbers tell everything apart.
    numbered = pd.concat([SCORES, SCORES]).assign(number=range(72))
    assert read(numbered).rows == 72


def test_a_criterion_of_whole_segments_is_not_asked_about():
    kinds = {"1": "long", "2": "short", "3": "short"}
    assert read(VOTES.assign(question=VOTES["segment"].map(kinds))).rows == 9


@pytest.mark.parametrize("name", ["article_id", "part"])
def test_numbered_segments_of_many_articles_are_asked_about(name):
    frame = pd.concat([SCORES.assign(**{name: f"n{k}"}) for k in range(30)])
    said = asked(frame)
    assert f"column {name!r} tells apart 1080 rows" in said
    assert f"; if it is the document, add --column document={name}; to count" in said
    assert read(frame, columns={"document": name}).rows == 1080
    own = frame[frame["worker"] == "u"]
    own = own.assign(worker=own[name], score=[k % 97 for k in range(360)])
    if name == "part":
        assert read(own).rows == 360
    else:
        assert "'article_id' tells apart" in asked(own)


def test_the_layout_of_a_known_tool_is_not_asked_about():
    turns = [1, 2, 3] * 3
    arena = VOTES.drop(columns="segment").assign(anony=True, tstamp=1, turn=turns)
    assert read(arena).rows == 9
    assert "'anony' may say which rows count" in asked(arena.assign(anony=FLAGS))


# --- several answers of one judge -----------------------------------------------------


def revised(share):
    """Scores of which some were given again, 30 higher; the last ones come first."""
    again = SCORES.head(share).assign(score=SCORES["score"] + 30)
    frame = pd.concat([again, SCORES], ignore_index=True)
    return frame.assign(saved_at=[f"2026-05-{31 - (k >= share)}" for k in frame.index])


def test_different_answers_of_one_judge_are_asked_about():
    frame = revised(9)
    fault = "18 of 45 rows are different answers of one judge to one item;"
    last = "to count the last one alone, add --revisions saved_at;"
    assert asked(frame) == f"{fault} {last} to count all, --revisions all"
    untimed = asked(frame.drop(columns="saved_at"))
    assert "add --revisions last;" in untimed
    assert read(frame, revisions="all").rows == 45
    by_time = read(frame, revisions="saved_at").frame
    assert len(by_time) == 36 and by_time["score"].sum() == SCORES["score"].sum() + 270
    by_row = read(frame, revisions="last").frame
    assert len(by_row) == 36 and by_row["score"].sum() == SCORES["score"].sum()
    said = asked(frame, revisions="system")
    assert said.endswith("'x'; expected a number, or a time such as 2026-05-31 12:00")
    assert "column 'when' is missing" in asked(frame, revisions="when")


def test_revisions_are_ordered_by_times_of_forms():
    frame = revised(9)
    day = pd.to_datetime(frame["saved_at"]).dt.day
    expected = SCORES["score"].sum() + 270
    for form in ("5/{}/2026 09:01:23", "{}/05/2026 09:01:23"):
        by_time = read(
            frame.assign(saved_at=day.map(form.format)), revisions="saved_at"
        )
        assert len(by_time.frame) == 36 and by_time.frame["score"].sum() == expected
    times = ["3/4/2026 09:00:00"] * 9 + ["2/5/2026 09:00:00"] * 36
    said = asked(frame.assign(saved_at=times), revisions="saved_at")
    assert "is the month or the day first?" in said


def test_few_different_answers_are_a_warning():
    (line,) = [w for w in read(revised(1)).warnings if "answers" in w]
    assert line.startswith(
        "2 of 37 rows are different answers of one judge to one item"
    )
    assert line.code == "answers_differ"


@pytest.mark.parametrize("names", [["model_a", "model_b"], ["winner", "loser"]])
def test_votes_are_revised(names):
    votes = VOTES.assign(loser="y")
    votes["winner"] = "x" if "loser" in names else "a"
    again = votes.head(4).assign(winner="y" if "loser" in names else "b", loser="x")
    frame = pd.concat([votes, again])[["judge", "segment", *{*names, "winner"}]]
    assert asked(frame).startswith("8 of 13 rows are different answers")
    wins = read(frame, revisions="last").counts.wins
    assert wins.loc["x", "y"] == 5 and wins.loc["y", "x"] == 4


def test_answers_that_agree_or_differ_in_the_order_shown_are_not_asked_about():
    turned = {"model_a": "model_b", "model_b": "model_a"}
    assert read(pd.concat([VOTES, VOTES.rename(columns=turned)])).rows == 18
    assert read(pd.concat([VOTES, VOTES])).rows == 18
    frame = VOTES.drop(columns="judge")
    assert read(pd.concat([frame, frame.assign(winner="b")])).rows == 18
    said = asked(frame, revisions="last")
    assert said == "--revisions last: expected columns of judges and segments"


def test_answers_that_the_user_takes_together_are_not_revisions():
    frame = pd.concat([VOTES.assign(metric="p"), VOTES.assign(metric="q", winner="b")])
    assert read(frame, columns={"metric": None}).rows == 18


def test_of_two_usual_names_the_first_is_taken():
    frame = SCORES.rename(columns={"score": "mqm"}).assign(ter=1)
    assert read(frame, lower_is_better=True).columns["score"] == "mqm"


# --- names and words of other people --------------------------------------------------


def test_flags_are_known_by_words_with_signs_between_them():
    for word in ("timed-out", "low_quality", "awaiting review"):
        assert doubt("workflow", ["seen", word]) == "count"


def test_ties_are_known_by_values_too_and_in_other_languages():
    said = asked(VOTES.assign(kind_of_win=["clear", "draw", "clear"] * 3))
    assert said.startswith("column 'kind_of_win' may say which pairs are ties")
    for name, cells in (("empate", "no no sí"), ("Gleichstand", "nein nein ja")):
        frame = VOTES.assign(**{name: cells.split() * 3})
        assert read(frame).counts.ties.loc["x", "y"] == 3


def test_a_column_that_may_flag_ties_is_asked_about():
    for name in ("tie_comment", "Was it a draw?", "unsure", "both_wrong"):
        assert doubt(name, ["no", "yes"]) == "tied"
    frame = VOTES.assign(**{name: ["no", "no", "yes"] * 3})
    said = asked(frame)
    assert said.startswith(f"column {name!r} may say which pairs are ties")
    counts = read(frame, columns={"tied": name}).counts
    assert counts.ties.loc["x", "y"] == 3 and counts.wins.loc["x", "y"] == 6
    won = frame.assign(loser="y", winner="x")[["winner", "loser", name]]
    assert "to count them as ties, add --column" in asked(won)
    assert read(won, columns={"is_tie": name}).counts.ties.loc["x", "y"] == 3
    assert read(frame.assign(winner=["tie", "a", "b"] * 3)).rows == 9


def test_other_names_do_not_hide_which_rows_count():
    for name in ("withdrawn", "response_quality"):
        assert doubt(name, ["", "bad"]) == "count"


def test_rankings_of_several_screens_are_no_revisions():
    rows = [
        (j, p, "1", k, 1 + (k == "y") * (p == "p1") + (k == "x") * (p == "p2"))
        for j, p, k in product("uv", ("p1", "p2"), "xy")
    ]
    frame = pd.DataFrame(rows, columns=["judge", "page", "segment", "system", "rank"])
    wins = read(frame).counts.wins
    assert wins.loc["x", "y"] == 2 and wins.loc["y", "x"] == 2
