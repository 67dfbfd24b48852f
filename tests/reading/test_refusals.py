"""What is not understood is refused in one line: file, line or row, next step."""

import gzip

import pandas as pd
import pytest
from test_read import APPRAISE, RELEASED, XML
from user_files import HEADER, RANKED, SCORED, VOTES, parquet, refusal, text, writer

from examples import data_error, message_of
from wmtlib.reading import cells
from wmtlib.reading.read import read

given_file = pytest.fixture(writer)
AB = "a,b,outcome\n"
NAME = "expected a name (at most 500 visible characters)"
WINS = "a,b,wins_a,wins_b\n"
SCORES = "worker,system,segment,score\n"
LONG = "ranking,system,rank,judge\n"
LINE_7 = text(RANKED).decode()
LINE_5 = text(SCORED).decode()


@pytest.mark.parametrize(
    "data, message",
    [  # outcomes and names
        (AB + "X,Y,c",
         ", line 2: outcome is 'c'; expected a, b, tie; 1, 2; >, <, =; left"),
        (AB + "X,Y,Y\nX,Z,Y",
         ", line 3: outcome is 'Y', which is neither of the two systems of"),
        (AB + "X,Y,a\nX,Y,1", ", line 3: outcome is '1' after 'a'; expected a, b, tie"),
        (AB + "X,Y,1\nX,Y,0",
         ": outcomes are '1', '0', and '0' could be tie or a or b; to say"),
        (AB + "X,Y,a\nX,X,a",
         ", line 3: system 'X' is compared with itself; expected two system"),
        (AB + "X, ,a", f", line 2: b is ''; {NAME}; to leave such rows out"),
        (AB + "X,Y\x1b[31m,a", f", line 2: b is 'Y\\x1b[31m'; {NAME}"),
        # numbers
        ("a,b,outcome,weight\nX,Y,a,1\nX,Y,b,0.5\n",
         ", line 1: column 'weight' holds '0.5', which is no number of votes;"),
        ("a,b,outcome,count\nX,Y,a,1.000\n", ", line 2: count is '1.000'; expected"),
        ("a;b;outcome;count\nX;Y;a;1.000\n",
         ", line 2: count is '1.000', which could be thous"),
        (",X,Y,total\nX,,3,3\nY,2,,2\ntotal,2,3,5\n",
         ": row and column 'total' are the sums of"),
        (",A,B,C,mean\nA,,3,1,2\nB,2,,6,4\nC,1,9,,5\nmean,2,6,4,\n",
         ": row and column 'mean' are the means of"),
        (",A,B,C,D\nA,,3,1,9\nB,2,,6,8\nC,1,9,,7\nD,3,12,7,\n",
         ": row and column 'D' are the sums of the others"),
        ("a,b,outcome\nX,Y,0\nX,Y,1\nX,Y,0.5\n", ": outcomes are '0', '1', '0.5', and"),
        ("a,b,outcome,count\nX,Y,a,0\n",
         ": holds no comparisons: all are skipped or count 0"),
        # rankings
        (LINE_7 + "r1,A,3,zoe", ", line 7: system 'A' is twice in one ranking"),
        (LINE_7 + "r1,D,3,adam",
         ", line 7: ranking 'r1' has a second judge; expected one"),
        (LINE_7 + "r1,D,1.5,zoe",
         ", line 7: rank is '1.5'; expected a whole number from 1, or -1"),
        (LONG + "1,A,1,j\n2,A,1,j\n",
         ": holds no ranking of two systems; expected some"),
        # assessments
        *((LINE_5 + f"w,A,3,{score}",
        f", line 5: score is '{score}'; expected a number from 0")
          for score in ["nan", "100.1", "0x10", "1_0"]),
        (LINE_5 + "w,A+C,3,5",
         ", line 5: system 'A+C' joins 'C', which is not a system of the"),
        (SCORES + "w,A,1,4\n", ": rates 1 system; expected two or more"),
        (f"{RELEASED}\nH W de en ad 1 A 1 SYSTEM 1 -0.97 6\n",
         ": holds z-scores; expected scores from 0 to 100, or the name of the campaign"
          " instead of"
         " the file, as in wmt22:de-en"),
        # exports of Appraise, XML
        (APPRAISE + "e1,A\n", ", line 7: 2 fields; expected 11"),
        (APPRAISE.replace("BAD", "TGX"),
         ", line 3: type is 'TGX'; expected TGT, BAD, REF, CHK"),
        (XML.replace("<wmt16-results>", '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r>'),
         ", line 2: declares a document type; expected none, entities are not"),
        (XML.replace('"1" /><translation system="C"', '"1" /><translation system="A"'),
         ", ranked system 5: system 'A' is twice in one ranking"),
        (XML.replace("</HIT>", ""), ", line 17: is not XML (mismatched tag)"),
        (XML.replace("<HIT", '<translation system="A" rank="1" /><HIT'),
         ": holds a translation"),
    ],
)  # fmt: skip
def test_what_is_no_judgement_is_refused(given_file, data, message):
    assert refusal(given_file(data)).startswith(message)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", ": is empty; expected a header"),
        (b"\n\na,b,outcome\n", ", line 1: is blank; expected a header"),
        (b"a,b,outcome\n", ": holds a header but no judgements"),
        (b"a,b,outcome\nX,Y,a\nX,Y", ", line 3: 2 fields; expected 3, as on line 2"),
        (b"a,b,outcome\nX,Y,a,1", ", line 2: 4 fields; expected 3, as on line 1"),
        (b"a,b,outcome\nX,Y", ", line 1: the header is 'a', 'b'; expected a, b, outc"),
        (
            b"a,b,outcome\nX,Y,a\n\nX,Y,a",
            ", line 3: is blank; expected a row, as on line 4",
        ),
        (
            b'a;b;outcome\n"X;Y;a',
            ", line 2: is not a row of fields between semicolons (unexpected",
        ),
        (b'a,b,outcome\n"X"x,Y,a', ", line 2: is not a row of fields between commas"),
        (b'a,b,outcome\n"X\nx",Y,a\nX,Y,c', ", line 2: a is 'X\\nx'; expected a name"),
        (b'a,b,outcome,x\nX,Y,a,"1\n2\n3"\nX,Y,c,\n', ", line 5: outcome is 'c'"),
        (
            b"a,b,outcome\nX,Y,a\rX,Y,a\n",
            ", line 2: is not a row of fields between commas (new-",
        ),
        (
            VOTES.decode().encode("utf-16"),
            ", line 1: holds a NUL byte (binary, or UTF-16?); expected UTF-8 text",
        ),
        (
            b"a,b,outcome\nX,Y\0,a",
            ", line 2: holds a NUL byte (binary, or UTF-16?); expected UTF",
        ),
        (
            VOTES.replace(b"rali", b"\xe9"),
            ", line 4: byte 0xe9 is not UTF-8; expected UTF-8 text",
        ),
        (VOTES.replace(b"segment", b"Judge"), ", line 1: column 'Judge' occurs twice"),
        (
            gzip.compress(VOTES, mtime=0)[:-9],
            ": is a damaged packed file (Compressed file ended",
        ),
        (
            b'[\n{"a": 1},\n{"a": 2}]',
            ", line 1: the header is one column, 'a'; expected several",
        ),
        (b"{", ", line 1: is not a JSON object (Expecting property name"),
        (b'{"a": 1, "a": 2}', ", line 1: is not a JSON object (a name occurs twice)"),
        (
            b'{"a":"X","b":"\\udc00","outcome":"a"}\n',
            ": holds text that is not Unicode",
        ),
    ],
)
def test_damage_is_named(given_file, data, message):
    assert refusal(given_file(data)).startswith(message)


@pytest.mark.parametrize(
    "line, message",
    [
        (
            '{"a":"X","b":"Y"}',
            "column 'outcome' is on some lines only; expected it on all",
        ),
        ('{"a":"X","b":"Y","outcome":null}', "outcome is ''; expected a, b, tie"),
        (
            '{"a":"X","b":["Y"],"outcome":"a"}',
            "'b' is a list or an object; expected text or a num",
        ),
        (
            '{"a":"X","b":"Y","outcome":1.0}',
            "outcome is '1.0' after 'a'; expected a, b",
        ),
        ('\n{"a":"X","b":"Y","outcome":"a"}', "is not a JSON object (Expecting value"),
    ],
)
def test_refusals_of_json_name_the_line(given_file, line, message):
    path = given_file(f'{{"a":"X","b":"Y","outcome":"a"}}\n{line}\n')
    assert refusal(path).startswith(f", line 2: {message}")


@pytest.mark.parametrize(
    "row, kind, message",
    [
        (["X", "Y", "c"], "VARCHAR", ", row 2: outcome is 'c'; expected a, b"),
        (["X", None, "a"], "VARCHAR", f", row 2: b is ''; {NAME}"),
        (
            ["X", "Y", "2026-01-01"],
            "DATE",
            ": column 'outcome' holds DATE; expected text or",
        ),
    ],
)
def test_refusals_of_parquet_name_the_row(tmp_path, row, kind, message):
    first = ["X", "Y", "a" if kind == "VARCHAR" else row[2]]
    types = ["VARCHAR", "VARCHAR", kind]
    path = parquet(tmp_path / "x.parquet", HEADER[:3], [first, row], types)
    assert refusal(path).startswith(message)
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet(folder / "1.parquet", HEADER[:3], [first], types)
    parquet(folder / "2.parquet", HEADER[:3], [row], types)
    assert refusal(folder).startswith(
        message.replace(", row 2", ", file '2.parquet', row 1")
    )


@pytest.mark.parametrize(
    "rows, message",
    [
        ([["X", "Y", "c"]], "DataFrame, row 7: outcome is 'c'"),
        ([["X", ["Y"], "a"]], "DataFrame, row 7: 'b' is a list or an object"),
        ([], "DataFrame: holds a header but no judgements"),
    ],
)
def test_refusals_of_a_frame_name_its_row(rows, message):
    frame = pd.DataFrame(rows, columns=HEADER[:3], index=[7] * len(rows))
    assert message_of(read, frame).startswith(message)
    with data_error(r"the header is ; expected"):
        read(pd.DataFrame())
    with data_error(r"got a dict; expected a DataFrame, or a path"):
        read({"a": [1]})


TWO_KINDS = "a,b,outcome,ranking,system,rank\nA,B,a,1,A,1\nA,B,b,1,B,1\n"
VERDICTS = "left,right,winner,verdict\nX,Y,?,<\n"
TASKS = "a,b,outcome,lp\nX,Y,a,de-en\nX,Z,b,cs-en\n"
ONE = AB + "X,Y,a\n"
TWICE = {"judge": "a", "a": "a"}


@pytest.mark.parametrize(
    "data, options, message",
    [
        (VERDICTS, {},
         ", line 1: columns 'winner', 'verdict' could each be the outcome; choose"),
        (AB, {"columns": {"who": "a"}},
         ": no role 'who' for a column; expected a, accepted, b"),
        (AB, {"columns": TWICE},
         ", line 1: column 'a' is a and judge; expected a column each"),
        (TWO_KINDS, {},
         ", line 1: the header fits pairwise and rankings; choose by --kind"),
        ("foo,bar\n", {},
         ", line 1: the header is 'foo', 'bar'; expected a, b, outcome (pair"),
        ("a|b\nX|Y\n", {},
         ", line 1: the header is one column, 'a|b'; expected several, in text"),
        (TASKS, {},
         ": holds 2 tasks: 'cs-en', 'de-en'; choose one by --task, or each by --task"
          " all"
         " (--column task= takes them together)"),
        (TASKS.replace("cs-en", ""), {},
         f", line 3: task (column 'lp') is ''; {NAME}; to leave the column out, add"
         " --column task="),
        (TASKS, {"task": "fr-en"}, ": no task 'fr-en'; it holds 'cs-en', 'de-en'"),
        (ONE, {"outcomes": {"a": "x"}}, ": outcome 'a' is to mean 'x'; expected a, b,"),
        (ONE, {"outcomes": {"2": "b"}}, ": no outcome '2'; there are 'a'"),
        (WINS + "X,Y,1,2\n", {"outcomes": {"1": "a"}},
         ": has no column of outcomes; --outcome is"),
        (ONE, {"scale": (1, 5)}, ": --scale LOW,HIGH: expected a column of scores"),
        (LINE_5, {"scale": (0, 50)},
         ", line 3: score is '60.5'; expected a number from 0 to 50"),
    ],
)  # fmt: skip
def test_choices_that_cannot_be_are_refused(given_file, data, options, message):
    assert refusal(given_file(data), **options).startswith(message)


def test_a_header_of_no_kind_gets_one_short_next_step(given_file):
    header = ",".join(f"column_with_a_long_name_{k}" for k in range(99))
    message = refusal(given_file(f"ranking,rank,{header}\n"))
    assert message.endswith("--column system=NAME; other kinds: wmtlib rank --help")
    assert len(message) < 240


FORM = "When,Sentence,First engine,Second engine,{}\n"
FORM += "1,s1,DeepL,Bing,{}\n2,s2,Bing,Babel,{}\n3,s1,Babel,DeepL,{}\n"


@pytest.mark.parametrize(
    "last, steps",
    [  # a question of a form; a remark, which may be anything
        (
            ["Which is better?", "Translation 1", "Translation 2", "The same"],
            "--column 'outcome=Which is better?'; other",
        ),
        (["Remark", "good", "bad", "so so"], "--column outcome=NAME; other"),
    ],
)
def test_columns_of_the_same_systems_are_proposed_as_sides(given_file, last, steps):
    sides = "--column 'a=First engine' --column 'b=Second engine'"
    assert f"add {sides} {steps} kinds" in refusal(given_file(FORM.format(*last)))
    # Of people there is one in each; numbers, and constant columns, name no systems.
    others = "Name 1,Name 2,p1,p2,c1,c2\nAnn,Bob,1,2,x,x\nCy,Ann,2,1,x,x\n"
    assert "'b=" not in refusal(given_file(others))


def test_a_column_of_segments_is_proposed_beside_scores_of_systems(given_file):
    header = "item,Source,DeepL,Bing\n"
    said = refusal(given_file(header + "1,Ja.,70,60.5\n2,Nein.,,61\n"))
    assert "expected segment and a column of scores for each system" in said
    assert said.endswith("add --column segment=item; other kinds: wmtlib rank --help")
    # A column that may name systems is beside a score and another number.
    long = "engine,no,grade\nx,1,5\ny,2,4\nx,3,4\ny,4,5\n"
    assert "segment=no" not in refusal(given_file(long))


def test_too_many_systems_are_refused(given_file, monkeypatch):
    monkeypatch.setattr(cells, "MOST_SYSTEMS", 3)
    rows = [["a", "b", "outcome"], *([f"X{k}", "Y", "a"] for k in range(4))]
    assert (
        refusal(given_file(text(rows)))
        == ": column 'a' holds 4 names; expected at most 3"
    )
