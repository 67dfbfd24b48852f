"""Scores of which low ones are good, votes that count, and cells where nothing is."""

import pandas as pd
import pytest
from user_files import refusal, writer

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.forms import is_called
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
BOTH_WAYS = "; if low ones are good, add --lower-is-better; if high ones are, "
VOTES = "".join(f"x,y,a,{number}\n" for number in (3, 1, 3, 5))
LIKERT = "rater,model,sid,rating\n"
SCORES = "worker,system,segment,score\n"


def long(*columns, scores=(3, 1, 2, 2, 1, 3, 1, 2, 3)):
    """Three systems, three segments, one row for each score."""
    rows = [f"w,{'xyz'[k % 3]},{k // 3},{score}" for k, score in enumerate(scores)]
    return "\n".join([",".join(columns), *rows, ""])


@pytest.mark.parametrize(
    "data, fault",
    [
        (long("rater", "system", "seg_id", "mqm", scores=range(9)),
         "column 'mqm' may hold penalties, errors or ranks"),
        (long("rater", "system", "segment", "avg WER", scores=range(9)).replace(
            "avg WER", "WER"), "column 'WER' may hold penalties, errors or ranks"),
        (long("rater", "system", "segment", "score", scores=range(-9, 0)),
         "scores run from -9 to -1"),
        (long("rater", "system", "segment", "score"),
         "scores are 1, 2, ... in every segment, as ranks are"),
        (long("rater", "system", "segment", "score", scores=(2, 0, 1, *[1, 0, 2] * 2)),
         "scores are 0, 1, ... in every segment, as ranks are"),
    ],
)  # fmt: skip
def test_low_scores_may_be_good(given_file, data, fault):
    path = given_file(data)
    assert refusal(path) == f": {fault}{BOTH_WAYS}--higher-is-better"
    high = read(path, lower_is_better=False)
    low = read(path, lower_is_better=True)
    assert (low.frame["score"] == -high.frame["score"]).all()
    assert "; low ones are good: minus the score is ranked" in low.reading
    lowest, highest = low.scale
    assert low.frame["score"].between(lowest, highest).all()


def test_penalties_have_many_names(given_file):
    names = ["bugs", "n_wrong", "Fehlerzahl", "MetricX-24", "sévérité", "pe_effort"]
    assert all(is_called(name, "penalties") for name in names)
    path = given_file(long("rater", "system", "segment", "n_wrong", scores=range(9)))
    fault = "column 'n_wrong' may hold penalties, errors or ranks"
    assert fault in refusal(path, columns={"score": "n_wrong"})


def test_messages_know_no_nan_and_no_minus_nought(given_file):
    path = given_file(SCORES + 'w,x,1,"79,5"\nw,y,1,"60,5"\n')
    fault = "score is '79,5'; expected a number from 0 to 100, with a point"
    assert refusal(path) == f", line 2: {fault} for decimals"
    path = given_file(f"{SCORES}w,x,1,-9\nw,y,1,-0\nw,z,1,-0.0\n")
    assert refusal(path).startswith(": scores run from -9 to 0; if low ones")


def test_scores_of_a_scale_are_not_asked_about(given_file):
    scores = (3, 1, 2, 2, 1, 3, 1, 2, 5)
    data = long("rater", "system", "segment", "score", scores=scores)
    assert read(given_file(data)).frame["score"].tolist() == [*scores]
    is_good = (1, 0, 1, 0, 0, 1, 1, 1, 1)  # or not
    data = long("rater", "system", "segment", "score", scores=is_good)
    assert read(given_file(data)).frame["score"].tolist() == [*is_good]


def test_ranks_beside_segments_are_rankings(given_file):
    path = given_file(long("judge", "system", "segment", "rank"))
    judgements = read(path)
    assert judgements.kind == "rankings" and judgements.rows == 9
    assert judgements.units == ("judge", "segment", "ranking")
    assert judgements.counts.wins.loc["y"].to_dict() == {"x": 2, "y": 0, "z": 3}
    assert "may hold penalties" in refusal(path, columns={"score": "rank"})


def test_ranks_may_be_written_with_a_point_and_may_be_missing(given_file):
    ranks = ("3.0", "1.0", "2.0", "2.0", "1.0", "3.0", "-1.0", "2.0", "3.0")
    path = given_file(long("judge", "system", "segment", "rank", scores=ranks))
    wins = read(path).counts.wins
    assert wins.loc["y"].to_dict() == {"x": 2, "y": 0, "z": 3}
    path = given_file(path.read_text().replace("-1.0", ""))
    fault = ", line 8: rank is ''; expected a whole number from 1, or -1 for no rank"
    assert refusal(path) == f"{fault}; to leave such rows out, add --skip-bad"
    assert read(path, skip_bad=True).counts.wins.equals(wins)
    path = given_file(path.read_text().replace("3.0", "1.5", 1))
    expected = "a whole number from 1, or -1 for no rank"
    assert refusal(path) == f", line 2: rank is '1.5'; expected {expected}"


def test_pairs_without_a_rank_or_a_score_are_no_comparisons(given_file):
    rows = "x,y,1.0,2.0\nx,y,-1.0,2.0\nx,y,,2.0\n"
    path = given_file(f"a,b,rank_a,rank_b\n{rows}")
    assert refusal(path).startswith(", line 4: rank_a is ''; expected a whole")
    assert read(path, skip_bad=True).counts.comparisons == 1
    path = given_file("a,b,score_a,score_b\nx,y,1,0\nx,y,,0\n")
    assert read(path, skip_bad=True).counts.comparisons == 1


def test_only_a_count_counts(given_file):
    for name in ("weight", "Votes"):
        path = given_file(f"a,b,outcome,{name}\n{VOTES}")
        assert f"column '{name}' may say how often a row counts; to" in refusal(path)
        assert read(path, columns={"count": name}).counts.comparisons == 12
        assert read(path, columns={"count": None}).counts.comparisons == 4
    assert read(given_file(f"a,b,outcome,Count\n{VOTES}")).counts.comparisons == 12


def test_one_of_three_columns_says_who_won(given_file):
    header = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    path = given_file(header + "1,x,y,1,0,0\n2,x,y,0,1,0\n3,y,x,0,0,1\n4,x,y,0,0,1\n")
    judgements = read(path)
    counts = judgements.counts
    assert judgements.rows == 4 and counts.ties.loc["x", "y"] == 2
    assert counts.wins.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_a_tie_in_a_column_of_its_own(given_file, tmp_path):
    header = "model_a_name,model_b_name,chosen_model_name,both_equal,visitor_id\n"
    path = given_file(header + "x,y,x,False,v1\nx,y,y,False,v2\nx,y,,True,v1\n")
    parquet = tmp_path / "votes.parquet"
    pd.read_csv(path).to_parquet(parquet)  # true or false are no text there
    for source in (path, parquet):
        found = read(source).comparisons.set_index("judge")["preference"]
        assert sorted(found["judge_001"]) == [TIE, FIRST]
        assert found["judge_002"] == SECOND
    tied = read(given_file("winner,loser,tied\nx,y,0\nx,y,1\n"))
    assert tied.counts.ties.loc["x", "y"] == 1


def test_scores_side_by_side(given_file):
    header = "system_a,system_b,score_a,score_b,annotator\n"
    counts = read(given_file(header + "x,y,7.5,10,j\ny,x,80,80,j\nx,y,9,8,j\n")).counts
    assert counts.wins.to_numpy().tolist() == [[0, 1], [1, 0]]
    assert counts.ties.loc["x", "y"] == 1
    fault = ", line 2: scores are '7', 'NA'; expected two numbers"
    assert refusal(given_file(header + "x,y,7,NA,j\n")) == fault


@pytest.mark.parametrize("cell", ["", "N/A", "-1.0"])
def test_nothing_is_no_score(given_file, cell):
    path = given_file(f"{SCORES}w,x,1,70\nw,y,1,{cell}\nw,y,2,60\nw,x,2,0\n")
    assert refusal(path).startswith(f", line 3: score is '{cell}'; expected a number")
    assert "--skip-bad" in refusal(path)
    judgements = read(path, skip_bad=True)
    assert judgements.frame["score"].tolist() == [70, 60, 0]
    assert judgements.warnings[0].startswith("1 of 4 rows are bad and left out")


def test_minus_one_is_a_score_of_a_scale_below_nought(given_file):
    path = given_file(f"{LIKERT}r,x,1,-2\nr,y,1,-1\nr,x,2,0\nr,y,2,2\n")
    judgements = read(path, scale=(-2, 2), skip_bad=True)
    assert judgements.frame["score"].tolist() == [-2, -1, 0, 2]


def test_signs_around_a_score_are_left_out(given_file):
    percent = read(given_file(f"{SCORES}w,x,1,70%\nw,y,1,7.5%\n"))
    assert percent.frame["score"].tolist() == [70, 7.5]
    assert "; of scores the percent sign is left out" in percent.reading
    assert "'70%'" in refusal(given_file(f"{SCORES}w,x,1,70%\nw,y,1,8\n"))
    studio = f'{LIKERT}r,x,1,"[{{""rating"": 4}}]"\nr,y,1,"[{{""rating"": 2}}]"\n'
    assert read(given_file(studio)).frame["score"].tolist() == [4, 2]


def test_scores_that_never_vary_are_refused(given_file):
    path = given_file(long("worker", "system", "segment", "score", scores=[0] * 9))
    assert refusal(path).startswith(": all scores are 0; expected scores that vary")
    assert refusal(path).endswith("add --preset mqm")


@pytest.mark.parametrize("cell", ["", "Unknown"])
def test_nobody_is_no_judge(given_file, cell):
    path = given_file(f"a,b,outcome,judge\nx,y,a,ann\nx,y,b,{cell}\ny,x,b,bob\n")
    fault = f", line 3: judge is '{cell}'; expected a name of one person"
    steps = "; to leave the column out, add --column judge=; to leave such rows out, "
    assert refusal(path) == f"{fault}{steps}add --skip-bad"
    assert read(path, columns={"judge": None}).rows == 3
    assert read(path, skip_bad=True).people.keys() == {"judge_001", "judge_002"}


def test_first_of_two_usual_names_of_judges_is_taken(given_file):
    rows = ["x,y,x,s1,v1", "x,y,x,s2,v1", "y,x,x,s3,v1"]
    path = given_file("a,b,outcome,session_id,visitor_id\n" + "\n".join(rows))
    assert [*read(path).people.values()] == ["s1", "s2", "s3"]


def test_visitors_and_sessions_judge_where_nobody_else_does(given_file):
    for name in ("visitor_id", "evaluation_session_id", "Author"):
        judgements = read(given_file(f"a,b,outcome,{name}\nx,y,a,v1\nx,y,b,v2\n"))
        assert judgements.units == ("judge",)
    both = read(given_file("a,b,outcome,author,judge\nx,y,a,v,j1\nx,y,b,v,j2\n"))
    assert [*both.people.values()] == ["j1", "j2"]


def test_flags_of_assessments_are_true_or_false(given_file):
    header = "worker,system,segment,score,accepted\n"
    rows = "w,x,1,70,Y\nw,y,1,60,yes\nw,y,2,61,n\n"
    accepted = read(given_file(header + rows)).frame["accepted"]
    assert accepted.tolist() == [True, True, False]
    message = refusal(given_file(header + rows + "w,y,3,50,\n"))
    assert message.startswith(", line 5: accepted is ''; expected true, false, 1 or 0")
    assert message.endswith("to leave the column out, add --column accepted=")


def test_controls_of_appraise_are_left_out_under_any_header(given_file):
    header = "worker,system,segment,score,Item Type\n"
    rows = "w,x,1,70,TGT\nw,x,1,5,BAD\nw,y,1,60,TGT\nw,y,2,61,REF\n"
    judgements = read(given_file(header + rows))
    assert judgements.frame["score"].tolist() == [70, 60]
    assert "left out: 2 rows of controls" in judgements.reading


def test_only_rows_without_a_score_can_be_left_out(given_file):
    for cell in ('"79,5"', "high"):
        message = refusal(given_file(f"{SCORES}w,x,1,70\nw,y,1,{cell}\n"))
        assert "--skip-bad" not in message
