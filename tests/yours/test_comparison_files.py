"""Comparisons are counted row by row, or the first that is none is refused."""

from collections import Counter

import duckdb
import pandas as pd
import pytest
from user_files import HEADER, ROWS, as_counter, refusal, text, writer
from wmtlib.files import comparison_files, opening, outcomes, reader

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import DataError

given_file = pytest.fixture(writer)


def test_comparisons_are_counted_as_by_hand(given_file):
    found = reader.read(given_file(text([HEADER, *ROWS])))
    assert (found.kind, found.rows, found.task) == ("pairwise", 5, "")
    assert found.systems == ("online-A", "rali", "uedin")
    assert found.units == ("judge", "segment")
    counts = found.counts
    assert counts.systems == list(found.systems)
    assert counts.wins.to_numpy().tolist() == [[0, 0, 1], [0, 0, 0], [2, 1, 0]]
    assert counts.ties.to_numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert as_counter(found.counted_by([])) == {
        ("online-A", "uedin", FIRST): 1,
        ("rali", "uedin", SECOND): 1,
        ("uedin", "online-A", FIRST): 2,
        ("uedin", "rali", TIE): 1,
    }


def test_units_are_counted_apart_and_judges_are_pseudonyms(given_file):
    found = reader.read(given_file(text([HEADER, *ROWS])))
    by_judge = found.counted_by(["judge"])
    assert list(by_judge.columns) == ["system_1", "system_2", "preference", "judge", "count"]
    assert as_counter(by_judge) == {
        ("online-A", "uedin", FIRST, "judge_002"): 1,
        ("rali", "uedin", SECOND, "judge_001"): 1,
        ("uedin", "online-A", FIRST, "judge_001"): 1,
        ("uedin", "online-A", FIRST, "judge_002"): 1,
        ("uedin", "rali", TIE, "judge_001"): 1,
    }
    both = found.counted_by(("segment", "judge"))
    assert list(both.columns[3:5]) == ["segment", "judge"] and both["count"].tolist() == [1] * 5
    assert list(both["segment"].cat.categories) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("words", outcomes.VOCABULARIES)
def test_each_way_to_write_outcomes(given_file, words):
    path = given_file(text([HEADER[:3], *(["X", "Y", word] for word in words)]))
    expected = Counter(("X", "Y", meant) for meant in words.values())
    assert as_counter(reader.read(path).counted_by([])) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("X,Y,c", ", line 2: outcome is 'c'; expected a, b, tie; 1, 2, 0; >, <, =; left"),
        ("X,Y,", ", line 2: outcome is ''; expected a, b, tie"),
        (
            "X,Y,Y\nX,Z,Y",
            ", line 3: outcome is 'Y', which is neither of the two systems of its row",
        ),
        ("X,Y,Y\nX,Z,both_bad", ", line 3: outcome is 'both_bad'; expected a, b, tie"),
        ("X,Y,a\nX,Y,1", ", line 3: outcome is '1' after 'a'; expected a, b, tie"),
        (
            "X,Y,1\nX,Y,0",
            ": outcomes are '1', '0', and '0' could be tie or b; to say which, add --outc",
        ),
        (
            "X,Y,0",
            ": outcomes are '0', and '0' could be tie or b; to say which, add --outcome 0=tie",
        ),
        ("X,Y,2\nX,Y,-1", ", line 3: outcome is '-1' after '2'; expected"),
        ("X,Y,a\nX,X,a", ", line 3: system 'X' is compared with itself; expected two systems"),
        (",Y,a", ", line 2: a is ''; expected a name"),
        ("X, ,a", ", line 2: b is ' '; expected a name"),
        ("X, Y,a", ", line 2: b is ' Y'; expected a name without blanks around it"),
        ("X,Y\x1b[31m,a", ", line 2: b is 'Y\\x1b[31m'; expected a name without invisible char"),
        ("X,Y\u200b,a", ", line 2: b is 'Y\\u200b'; expected a name without invisible char"),
        (f"X,{'Y' * 501},a", f", line 2: b is '{'Y' * 35}...; expected a name of at most 500"),
        ("X,Y", ", line 2: 2 fields; expected 3"),
        ("X,Y,a\nX,Y,a,", ", line 3: 4 fields; expected 3"),
        ("X,Y,a\n\nX,Y,a", ", line 3: is blank; expected a row, as on line 4"),
        ('"X,Y,a', ", line 2: is not a row of fields between commas (unexpected end"),
        ('"X"x,Y,a', ", line 2: is not a row of fields between commas"),
        ('"X\nx",Y,a\nX,Y,c', ", line 2: a is 'X\\nx'; expected a name without invisible"),
        ("X,Y\0,a", ", line 2: holds a NUL byte (binary, or UTF-16?); expected UTF-8 text"),
        ("X,Y,a\rX,Y,a\n", ", line 2: is not a row of fields between commas (new-line"),
        ("", ": holds a header but no judgements"),
    ],
)
def test_what_is_no_comparison_is_refused(given_file, data, message):
    assert refusal(given_file(f"a,b,outcome\n{data}")).startswith(message)


def test_too_many_systems_are_refused(given_file, monkeypatch):
    monkeypatch.setattr(comparison_files, "MOST_SYSTEMS", 3)
    rows = [["a", "b", "outcome"], *([f"X{k}", "Y", "a"] for k in range(4))]
    assert refusal(given_file(text(rows))) == ": column 'a' holds 4 names; expected at most 3"


def test_units_need_not_be_counted(given_file):
    path = given_file(text([HEADER, *ROWS]))
    found, expected = reader.read(path, by_unit=False), reader.read(path)
    assert found.units == () and (found.rows, found.systems) == (5, expected.systems)
    pd.testing.assert_frame_equal(found.comparisons, expected.counted_by([]))
    path = given_file("a,b,outcome,judge\nX,Y,a,j\nX,Y,b,\n")
    with pytest.raises(DataError, match="line 3: judge is missing"):
        reader.read(path, by_unit=False)


def test_more_than_memory_goes_in_parts(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    with duckdb.connect() as database:
        database.execute(
            "COPY (SELECT 'X' || i % 7 AS a, 'Y' || i % 5 AS b, 'a' AS outcome,"
            " 'a rather long name of a judge ' || i AS judge FROM range(600000) t(i))"
            f" TO '{path}' (FORMAT parquet)"
        )
    monkeypatch.setattr(opening, "MEMORY", "100MB")
    found = reader.read(path).counted_by(["judge"])
    assert len(found) == found["count"].sum() == 600_000
