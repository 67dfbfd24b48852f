"""Rankings of several outputs in a row, and what keeps rankings apart."""

import pandas as pd
import pytest
from user_files import parquet, refusal, writer

from examples import message_of
from wmtlib import rank
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)

# Two rankings by hand: x y z, and y = z before x.
ROWS = ["x,1,y,2,z,3", "y,1,z,1,x,2"]
WINS = [[0, 1, 1], [1, 0, 1], [1, 0, 0]]  # of x, y, z
SPELLINGS = [
    "system 1,rank 1,system 2,rank 2,system 3,rank 3",
    "System_1,Rank_1,System_2,Rank_2,System_3,Rank_3",
    "system1Id,system1rank,system2Id,system2rank,system3Id,system3rank",
    "model_a,rank_a,model_b,rank_b,model_c,rank_c",
    "a,rank_a,b,rank_b,c,rank_c",
    "sys1,r1,sys2,r2,sys3,r3",
    "output 1,place 1,output 2,place 2,output 3,place 3",
    "Engine 1,rank of engine 1,Engine 2,rank of engine 2,Engine 3,rank of engine 3",
]
PERMUTATIONS = ["1,2,3", "1,3,2", "2,1,3", "1,2,2", "1,2,3", "1,2,", "2,1,2"]


def lines(header, rows):
    return "\n".join([header, *rows, ""])


@pytest.mark.parametrize("header", SPELLINGS)
def test_systems_and_ranks_in_a_row_are_a_ranking(given_file, header):
    judgements = read(given_file(lines(header, ROWS)))
    assert (judgements.kind, judgements.rows) == ("rankings", 6)
    assert judgements.counts.wins.to_numpy().tolist() == WINS
    assert judgements.counts.ties.loc["y", "z"] == 1
    assert judgements.reading.endswith("; each row of the file is a ranking")


def test_a_ranking_in_a_row_of_a_frame_or_parquet_gives_the_same(given_file, tmp_path):
    header = f"rater,{SPELLINGS[0]}"
    rows = [f"ann,{ROWS[0]}", f"bob,{ROWS[1]}"]
    path = given_file(lines(header, rows))
    frame = pd.read_csv(path)
    cells = [row.split(",") for row in rows]
    copies = [
        frame.convert_dtypes(),
        parquet(tmp_path / "copy.parquet", header.split(","), cells),
    ]
    judgements = read(path)
    assert judgements.units == ("judge", "ranking")
    for copy in copies:
        assert read(copy).comparisons.equals(judgements.comparisons)
    named = read(path, columns={"judge": "rater"}, kind="rankings")
    assert named.comparisons.equals(judgements.comparisons)
    assert "wmtlib.read(frame)" in message_of(rank, frame)


def test_two_pairs_stay_pairs_and_empty_slots_are_left_out(given_file):
    header = "system 1,rank 1,system 2,rank 2"
    pair = given_file(lines(header, ["x,1,y,2"]))
    assert read(pair).kind == "pairwise"
    assert read(pair, kind="rankings").kind == "rankings"
    rows = ["x,1,y,2,,", "x,2,y,1,blank,-1", "z,1,NA,NaN,x,2"]
    counts = read(given_file(lines(SPELLINGS[0], rows))).counts
    assert counts.wins.to_numpy().tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    "data, message",
    [
        (lines(SPELLINGS[0], ["x,1,y,2,x,3"]),
         ", line 2: system 'x' is twice in one ranking"),
        (lines(SPELLINGS[0], [ROWS[0], "x,1,y,,z,2"]),
         ", line 3: rank is ''; expected a whole number from 1, or -1 for no rank;"),
        (lines(SPELLINGS[0], [ROWS[0], "x,0,y,1,z,2"]),
         ", line 3: rank is '0'; expected a whole number from 1, or -1 for no rank;"
         " if ranks run from 0, add 1 to each"),
        (lines(f"{SPELLINGS[0]},system 4", [f"{ROWS[0]},w"]),
         ", line 1: columns 'system 1', 'system 2', 'system 3', 'system 4' are systems"
         " of a row; expected a rank of each; if they hold scores, add --kind"),
        (lines("model_a,model_b,model_c,winner", ["x,y,z,model_a"]),
         ", line 1: columns 'model_a', 'model_b', 'model_c' are systems of a row;"),
        (lines("system1,score1,system2,score2,system3,score3", ["x,7,y,5,z,1"]),
         ", line 1: columns 'system1', 'system2', 'system3' are systems of a row;"),
        (lines("segment,1,2,3", [f"s{k},1,2,3" for k in range(9)]),
         ", line 1: columns '1', '2', '3' may be ranks of others, places, or systems;"
         " expected names such as 'rank 1' and 'system 1'; if systems, add --kind"),
        (lines("segment,x,y,z", ["1,1,2,3", "2,1,2,2"]),
         ": numbers are 1, 2, ... in every row; if they are ranks, add --kind rankings;"
         " if they are scores, --kind assessments"),
        ("# FILE NAME: 1.soc\n# TITLE: t\n1: 1,2,3\n",
         ": is a file of PrefLib; docs/recipes.md makes a table of rankings of it"),
    ],
)  # fmt: skip
def test_what_is_not_understood_of_a_row_is_refused(given_file, data, message):
    assert refusal(given_file(data)).startswith(message)


def test_best_and_worst_have_a_recipe(given_file):
    path = given_file("Item1,Item2,Item3,BestItem,WorstItem\nx,y,z,x,z\n")
    assert "; it may be best and worst" in refusal(path)


def test_the_first_two_of_three_systems_may_be_chosen(given_file):
    path = given_file("model_a,model_b,model_c,winner\nx,y,z,model_a\n")
    assert read(path, columns={"a": "model_a", "b": "model_b"}).kind == "pairwise"
    frame = pd.read_csv(path)
    assert "frame.drop(columns='model_c')" in message_of(rank, frame)


@pytest.mark.parametrize(
    "header",
    [
        "1st place,2nd place,3rd place",
        "first,second,third",
        "rank 1,rank 2,rank 3",
        "rank_1_system,rank_2_system,rank_3_system",
        "1. Platz,2. Platz,3. Platz",
        "1er choix,2e choix,3ème choix",
        "ranking[1],ranking[2],ranking[3]",
    ],
)
def test_systems_by_place_are_rankings(given_file, header):
    judgements = read(given_file(lines(header, ["x,y,z", "y,x,"])))
    assert judgements.kind == "rankings"
    expected = [[0, 1, 1], [1, 0, 1], [0, 0, 0]]
    assert judgements.counts.wins.to_numpy().tolist() == expected


@pytest.mark.parametrize("names", ["x,y,z", "System A,System B,System C"])
def test_columns_of_ranks_are_rankings(given_file, names):
    rows = [f"{k},j,{row}" for k, row in enumerate(PERMUTATIONS)]
    path = given_file(lines(f"segment,judge,{names}", rows))
    judgements = read(path)
    assert judgements.units == ("judge", "segment", "ranking")
    assert judgements.systems == tuple(names.split(","))
    wins = judgements.counts.wins.to_numpy().tolist()
    assert wins == [[0, 5, 5], [2, 0, 4], [0, 1, 0]]
    (warning,) = judgements.warnings
    assert warning.startswith("columns of ranks (1 is best) are taken for systems: ")
    assert read(path, kind="assessments", lower_is_better=True).assessments is not None


@pytest.mark.parametrize("name", ["Rank I,Rank II,Rank III", "r_top,r_mid,r_low"])
def test_ranks_beside_columns_of_systems_are_asked_about(given_file, name):
    rows = [f"{k},p,q,s,{row}" for k, row in enumerate(PERMUTATIONS)]
    path = given_file(lines(f"segment,I,II,III,{name}", rows))
    first = name.split(",")[0]
    fault = f", line 1: columns {first!r}, "
    said = refusal(path)
    assert said.startswith(fault) and " may be ranks of others" in said
    assert read(path, kind="rankings").systems[0] in name.split(",")


def test_a_column_of_outcomes_called_both_is_no_system(given_file):
    path = given_file("model_a,model_b,winner,both\nx,y,x,0\nx,y,y,1\n")
    assert read(path).counts.ties.loc["x", "y"] == 1


def test_ratings_are_no_ranks(given_file):
    ratings = ["1,1,2,3", "2,5,4,4", "3,1,2,2"] * 4
    judgements = read(given_file(lines("segment,x,y,z", ratings)))
    assert judgements.kind == "assessments"


# --- what keeps rankings apart --------------------------------------------------------

HEADER = "segment,judge,system,rank"
TWO = ["1,j,x,1,p", "1,j,y,2,p", "1,j,z,2,q", "1,j,w,1,q"]


@pytest.mark.parametrize("name", ["doc_id", "HIT ID", "page", "Trial"])
def test_rankings_keep_their_screens_apart(given_file, name):
    judgements = read(given_file(lines(f"{HEADER},{name}", TWO)))
    wins = judgements.counts.wins
    assert (wins.loc["x", "y"], wins.loc["w", "z"]) == (1, 1)
    assert judgements.counts.comparisons == 2
    assert "2 groups without a comparison" in judgements.warnings[0]
    role = "document" if name == "doc_id" else name
    apart = f"; rankings are told apart by segment, judge, {role}"
    assert judgements.reading.endswith(apart)
    together = read(given_file(lines(HEADER, [row[:-2] for row in TWO])))
    assert together.counts.comparisons == 6
    assert together.reading.endswith("; rankings are told apart by segment, judge")


def test_a_blank_cell_of_a_screen_may_be_left_out_with_its_column(given_file):
    path = given_file(lines(f"{HEADER},page", [*TWO[:3], "1,j,w,1,"]))
    message = refusal(path)
    assert message.startswith(", line 5: page is ''; expected a name")
    assert message.endswith("; to leave the column out, add --column page=")
    assert read(path, columns={"page": None}).counts.comparisons == 6


def test_columns_that_divide_no_ranking_are_not_used(given_file):
    rows = ["1,j,x,1,1", "1,j,y,2,2", "2,j,x,2,3", "2,j,y,1,4"]
    judgements = read(given_file(lines(f"{HEADER},trial", rows)))
    assert judgements.counts.comparisons == 2 and judgements.unused == ("trial",)


def test_other_columns_that_divide_rankings_are_asked_about(given_file):
    path = given_file(lines(f"{HEADER},half", TWO))
    asked = ", line 1: column 'half' divides rankings of one segment and judge"
    ways = "add --column document=half; to leave it out, --column document="
    assert refusal(path) == f"{asked}; to rank its parts apart, {ways}"
    assert read(path, columns={"document": "half"}).counts.comparisons == 2
    assert read(path, columns={"document": None}).counts.comparisons == 6


def test_a_document_does_not_end_the_question(given_file):
    rows = [f"{row},d" for row in TWO]
    path = given_file(lines(f"{HEADER},half,doc", rows))
    assert ", line 1: column 'half' divides rankings" in refusal(path)
    assert read(path, columns={"document": "half"}).counts.comparisons == 2


def test_lists_beside_rankings_are_not_used(given_file):
    frame = pd.DataFrame(
        [row.split(",") for row in ROWS], columns=SPELLINGS[0].split(",")
    )
    frame["spans"] = [[1], [2]]
    assert read(frame).counts.wins.to_numpy().tolist() == WINS
    header = given_file(SPELLINGS[0] + "\n")
    assert refusal(header) == ": holds a header but no judgements"


def test_a_ranking_is_of_one_page(given_file):
    rows = ["1,x,1,p", "1,y,2,p", "1,z,2,q", "1,w,1,q"]
    path = given_file(lines("ranking,system,rank,page", rows))
    assert refusal(path).startswith(", line 4: ranking '1' has a second page; expected")
    frame = pd.read_csv(path)
    assert message_of(rank, frame).startswith("a ranking has a second 'page'; expected")


def test_rankings_are_of_one_task(given_file):
    rows = ["de-en,1,x,1", "de-en,1,y,2", "cs-en,1,x,2", "cs-en,1,z,1"]
    screens = given_file(lines("lp,segment,system,rank", rows))
    assert read(screens, task="de-en").counts.comparisons == 1
    assert read(screens, task="cs-en").systems == ("x", "z")
    named = given_file(lines("lp,ranking,system,rank", rows))
    assert refusal(named).startswith(
        ", line 4: ranking '1' has a second task; expected"
    )


@pytest.mark.parametrize(
    "header, rows, message",
    [
        ("ranking,system,rank", ["1,x,-1", "1,y,-1", "2,x,-1"],
         ": holds no ranking of two systems; expected some"),
        ("ranking,system,rank", ["1,x,1", "1,y,0"],
         ", line 3: rank is '0'; expected a whole number from 1"),
        ("a,b,rank_a,rank_b", ["x,y,1,2", "x,y,0,1"],
         ", line 3: rank_a is '0'; expected a whole number from 1"),
    ],
)  # fmt: skip
def test_rankings_without_ranks_are_refused(given_file, header, rows, message):
    assert refusal(given_file(lines(header, rows))).startswith(message)


def test_the_last_place_is_a_place(given_file):
    header = "judge,best,second best,third best,worst,First name\n"
    path = given_file(header + "u,A,B,C,D,Ann\nv,A,B,D,C,Bo\n")
    wins = read(path).counts.wins
    assert wins.loc["A", "D"] == 2 and wins.loc["C", "D"] == wins.loc["D", "C"] == 1


@pytest.mark.parametrize("cells", [["1", "2", "3"], ["1st", "2nd", "3rd"]])
def test_ranks_are_found_beside_other_numbers(cells, given_file):
    rows = "".join(
        f"{40 + k},{','.join(cells[k % 3 :] + cells[: k % 3])}\n" for k in range(9)
    )
    judgements = read(given_file("Q,A,B,C\n" + rows), kind="rankings")
    assert judgements.systems == ("A", "B", "C")
    assert judgements.counts.wins.to_numpy().sum() == 27
