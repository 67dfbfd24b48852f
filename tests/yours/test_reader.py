"""Whatever a user's file holds, it is counted row by row or refused with one line."""

import gzip
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_files import (
    HEADER,
    PIECES,
    RANKED,
    ROWS,
    SCORED,
    SEEDS,
    WMT,
    as_counter,
    check_anything,
    objects,
    parquet,
    refusal,
    text,
    writer,
)

from wmtlib import counts as direct_assessments
from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import DataError
from wmtlib.study.releases import ranking_releases, released_judgements, sources
from wmtlib.yours import read as reader

given_file = pytest.fixture(writer)
EDIT = st.tuples(
    st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES) | st.binary(max_size=4)
)


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_the_ranking_format_in_any_file(tmp_path, form):
    path, rows = tmp_path / f"x.{form}", WMT.to_numpy().tolist()
    table = text([WMT.columns, *rows], "\t" if form == "tsv" else ",")
    if form == "parquet":
        parquet(path, list(WMT.columns), rows)
    elif form == "jsonl":
        path.write_bytes(objects(WMT.columns, rows))
    else:
        path.write_bytes(gzip.compress(table) if form == "csv.gz" else table)
    assert "2 tasks: 'English,Czech', 'French,English'" in refusal(path)
    found = reader.read(path, task="French,English")
    assert (found.kind, found.rows) == ("rankings", 2)
    assert found.systems == ("_ref", "lium", "rali")
    assert found.units == ("judge", "segment", "ranking")
    assert as_counter(found.counted_by(["judge"])) == {("rali", "_ref", SECOND, "judge_001"): 1}


def test_long_rankings_in_any_order(given_file):
    found = reader.read(given_file(text(RANKED)))
    assert (found.kind, found.rows, found.units) == ("rankings", 5, ("judge", "ranking"))
    assert found.counts.wins.to_numpy().tolist() == [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    assert found.counts.ties.to_numpy().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert as_counter(found.counted_by(["ranking"])) == {
        ("A", "B", SECOND, 0): 1,
        ("A", "C", TIE, 0): 1,
        ("B", "C", FIRST, 0): 1,
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("r1,A,3,zoe", ", line 7: system 'A' stands twice in one ranking"),
        ("r1,D,3,adam", ", line 7: ranking 'r1' has a second judge; expected one"),
        ("r1,D,1.5,zoe", ", line 7: rank is '1.5'; expected a whole number from 1, or -1"),
        ("r1,D,0,zoe", ", line 7: rank is '0'; expected"),
        ("r1,D,1e400,zoe", ", line 7: rank is '1e400'; expected"),
        ("r1,D,,zoe", ", line 7: rank is ''; expected"),
        ("r1,,1,zoe", ", line 7: system is ''; expected a name"),
        (",D,1,zoe", ", line 7: ranking is ''; expected a name"),
        ("r1,D,1,", ", line 7: judge is ''; expected a name"),
    ],
)
def test_what_is_no_ranking_is_refused(given_file, row, message):
    assert refusal(given_file(text(RANKED) + row.encode())).startswith(message)


def test_rankings_that_compare_nothing_are_refused(given_file):
    path = given_file("ranking,system,rank\n1,A,1\n2,B,1\n")
    assert refusal(path) == ": holds no ranking of two systems; expected some"
    path = given_file("ranking,system,rank\n1,A,1\n2,A,1\n")
    assert refusal(path) == ": holds one system, 'A'; expected two or more"


def test_tidy_assessments(given_file):
    found = reader.read(given_file(text(SCORED)))
    assert (found.kind, found.rows, found.systems) == ("assessments", 3, ("A", "B"))
    assert found.units == ("worker", "segment")
    frame = found.assessments
    assert list(frame.columns) == direct_assessments.ASSESSMENTS
    assert frame["score"].tolist() == [40, 60.5, 0] and frame["accepted"].all()
    assert frame["worker"].tolist() == ["worker_0002", "worker_0002", "worker_0001"]
    assert set(frame["item"]) == {"SYSTEM"} and set(frame["language_pair"]) == {""}
    with pytest.raises(DataError, match="holds assessments; expected comparisons or rankings"):
        print(found.counts)


def test_every_column_of_assessments(given_file, tmp_path):
    header = [*SCORED[0], "hit", "document", "item", "accepted", "language_pair"]
    rows = [
        ["w", "A+B", "1", "5e1", "h", "d", "REPEAT", "True", "de-en"],
        ["w", "A", "2", "50", "h", "d", "SYSTEM", "1", "de-en"],
        ["w", "B", "2", "0.5", "h", "d", "SYSTEM", "false", "de-en"],
        ["w", "B", "2", "50", "h", "d", "SYSTEM", "0", "en-de"],
    ]
    expected = None
    for path in [
        given_file(text([header, *rows])),
        given_file(objects(header, rows), "x.jsonl"),
        parquet(tmp_path / "x.parquet", header, rows),
    ]:
        assert "2 tasks: 'de-en', 'en-de'" in refusal(path)
        found = reader.read(path, task="de-en")
        assert (found.rows, found.systems, found.task) == (3, ("A", "B"), "de-en")
        assert found.units == ("worker", "hit", "document", "segment")
        frame = found.assessments
        assert frame["accepted"].tolist() == [True, True, False]
        assert frame["item"].tolist() == ["REPEAT", "SYSTEM", "SYSTEM"]
        expected = frame if expected is None else expected
        pd.testing.assert_frame_equal(frame, expected)


def test_scores_of_parquet_keep_their_value(tmp_path):
    rows = [["w", "A", 1, 0.1], ["w", "B", 1, 100 / 3]]
    kinds = ["VARCHAR", "VARCHAR", "INTEGER", "DOUBLE"]
    path = parquet(tmp_path / "x.parquet", SCORED[0], rows, kinds)
    assert reader.read(path).assessments["score"].tolist() == [0.1, 100 / 3]
    path = parquet(tmp_path / "x.parquet", SCORED[0], [*rows, ["w", "B", 1, float("nan")]], kinds)
    assert refusal(path).startswith(", row 3: score is 'nan'; expected a number")


@pytest.mark.parametrize("score", ["nan", "inf", "1e400", "-1", "100.1", "0x10", "1_0", ""])
def test_what_is_no_score_is_refused(given_file, score):
    path = given_file(text([*SCORED, ["w", "A", "3", score]]))
    assert refusal(path).startswith(
        f", line 5: score is '{score}'; expected a number from 0 to 100"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            ["w", "A", "3", "50,5"],
            ", line 5: score is '50,5'; expected a number from 0 to 100",
        ),
        (["w", "A+C", "3", "5"], ", line 5: system 'A+C' joins 'C', which is not a system of the"),
        (["", "A", "3", "5"], ", line 5: worker is ''; expected a name"),
        (["w", "A", " ", "5"], ", line 5: segment is ' '; expected a name"),
        (["w", " ", "3", "5"], ", line 5: system is ' '; expected a name"),
    ],
)
def test_what_is_no_assessment_is_refused(given_file, row, message):
    assert refusal(given_file(text([*SCORED, row]))).startswith(message)


def test_other_scales_are_asked_for_and_said(given_file):
    path = given_file("worker;system;segment;score\nw;A;1;-12,5\nw;B;1;-1\n")
    assert refusal(path) == (
        ", line 2: score is '-12.5'; expected a number from 0 to 100, or --scale LOW,HIGH"
        " (scores run from -12.5 to -1)"
    )
    found = reader.read(path, scale=(-25, 0))
    assert found.assessments["score"].tolist() == [-12.5, -1] and found.scale == (-25, 0)
    assert found.reading.endswith("; scores run from -12.5 to -1 on a scale of -25 to 0")
    assert refusal(path, scale=(-10, 0)).startswith(
        ", line 2: score is '-12.5'; expected a number from -10 to 0"
    )
    assert refusal(path, scale=(0, 0)) == ": --scale LOW,HIGH: expected LOW < HIGH"
    found = reader.read(given_file(text(SCORED)))
    assert found.reading.endswith("; scores run from 0 to 60.5 on a scale of 0 to 100")
    path = given_file("a,b,outcome\nX,Y,a\n")
    assert refusal(path, scale=(1, 5)) == ": --scale LOW,HIGH: expected a column of scores"


def test_one_system_is_too_few(given_file):
    path = given_file(text([SCORED[0], SCORED[1], SCORED[3]]))
    assert refusal(path) == ": rates 1 system; expected two or more to rank"


def test_the_released_layout(given_file):
    row = "h {w} de en x hit {s} 1 SYSTEM 1 {n} 9"
    rows = [row.format(w=w, s=s, n=n) for w, s, n in [("u", "A", 7), ("u", "B", 80)]]
    data = "\n".join([" ".join(released_judgements.RELEASED), *rows]) + "\n"
    for path in [given_file(data), given_file(data.replace(" ", "\t"), "x.tsv")]:
        found = reader.read(path)
        assert (found.kind, found.task, found.rows) == ("assessments", "de-en", 2)
        assert found.assessments["score"].tolist() == [7, 80]
    assert "no task 'en-de'" in refusal(path, task="en-de")
    assert refusal(given_file(data.replace(" 80 ", " x "))).startswith(", line 3: score is 'x'")


@given(st.sampled_from(sorted(SEEDS)), st.lists(EDIT, max_size=4))
def test_mutated_files_are_read_or_refused(tmp_path_factory, name, edits):
    data = SEEDS[name][0]
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    path = tmp_path_factory.mktemp("mutated") / name
    path.write_bytes(data)
    check_anything(path, data)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(data)
    check_anything(path, data)


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_the_files_that_are_mutated_are_good(given_file, name):
    data, rows = SEEDS[name]
    task = "French,English" if name == "wmt.csv" else None
    assert reader.read(given_file(data), task=task).rows == (2 if task else rows)


@pytest.fixture(scope="module")
def good_parquet(tmp_path_factory):
    return parquet(tmp_path_factory.mktemp("good") / "x.parquet", HEADER, ROWS).read_bytes()


@given(st.lists(EDIT, min_size=1, max_size=3))
def test_mutated_parquet_is_read_or_refused(tmp_path_factory, good_parquet, edits):
    folder, data = tmp_path_factory.mktemp("parquet"), good_parquet
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    (folder / "y.parquet").write_bytes(data)
    try:
        assert reader.read(folder / "y.parquet").rows == 5
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("task", "language_pair"),
    [("Czech,English", "cs-en"), ("English,French", "en-fr"), ("Spanish,English", "es-en")],
)
def test_raw_rankings_are_read_as_the_package_reads_them(mirror, task, language_pair):
    entry = sources.registry().query("campaign == 'wmt10'").iloc[0]
    found = reader.read(Path(mirror, entry["repository"], entry["path"]), task=task).counts
    expected = ranking_releases.load_counts("wmt10", language_pair, source="mirror")
    pd.testing.assert_frame_equal(found.wins, expected.wins)
    pd.testing.assert_frame_equal(found.ties, expected.ties)
