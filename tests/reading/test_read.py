"""Each form of a user's file is read as by hand."""

import gzip
import re

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from user_files import (
    HEADER,
    RANKED,
    ROWS,
    SCORED,
    VOTES,
    WMT,
    as_counter,
    refusal,
    text,
    writer,
)

from examples import data_error
from wmtlib.assessments import ASSESSMENTS
from wmtlib.reading import columns, outcomes
from wmtlib.reading.read import ABOUT_RELEASE, read, read_tasks
from wmtlib.reading.tables import open_table

given_file = pytest.fixture(writer)


def counted(judgements, units=()):
    """What is counted, a line each: two systems, preference, units, number."""
    rows = judgements.counted_by(units).to_numpy()
    return [" ".join(map(str, row)) for row in rows]


# --- comparisons ----------------------------------------------------------------------


def test_comparisons_are_counted_as_by_hand(given_file):
    judgements = read(given_file(VOTES))
    assert (judgements.kind, judgements.rows, judgements.task) == ("pairwise", 5, "")
    assert judgements.systems == ("online-A", "rali", "uedin")
    assert judgements.units == ("judge", "segment")
    counts = judgements.counts
    assert counts.wins.to_numpy().tolist() == [[0, 0, 1], [0, 0, 0], [2, 1, 0]]
    assert counts.ties.to_numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    by_judge = judgements.counted_by(["judge"])
    assert [*by_judge] == ["system_1", "system_2", "preference", "judge", "count"]
    assert counted(judgements, ["judge"]) == [
        "online-A uedin 1 judge_001 1",
        "rali uedin 2 judge_002 1",
        "uedin online-A 1 judge_001 1",
        "uedin online-A 1 judge_002 1",
        "uedin rali 0 judge_002 1",
    ]
    both = judgements.counted_by(("segment", "judge"))
    assert list(both["segment"].cat.categories) == ["s1", "s2", "s3"]
    assert judgements.people == {"judge_001": "adam", "judge_002": "zoe"}


def test_read_does_not_depend_on_the_order_of_rows(given_file):
    """The same votes give the same comparisons, in whatever order they stand."""
    rows = ROWS * 3 + ROWS[:2]
    one, two = (read(given_file(text([HEADER, *some]))) for some in (rows, rows[::-1]))
    assert_frame_equal(one.comparisons, two.comparisons)
    assert one.people == two.people


TWO = ["X Y 1 3", "X Y 2 1", "X Y 0 2"]
ALL = "judge segment ranking"
OFFICIAL = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
deu,eng,7,7,judge5,X,4,Y,3,1
deu,eng,7,7,judge5,X,1,Z,1,1
deu,eng,8,8,judge6,Z,2,Y,-1,2
tur,eng,8,8,judge6,Z,2,Y,3,3
"""
XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<wmt16-results>
<HIT hit-id="h" source-language="deu" block-id="-1" target-language="eng">
<ranking-task id="779">
  <ranking-result duration="1" user="jane.doe">
    <translation system="A,B" rank="2" />
    <translation system="C" rank="1" />
  </ranking-result>
  <ranking-result duration="1" user="adam"></ranking-result>
</ranking-task>
<ranking-task id="780">
  <ranking-result duration="1" user="adam">
    <translation system="A" rank="1" /><translation system="C" rank="1" />
  </ranking-result>
</ranking-task>
</HIT>
</wmt16-results>
"""


@pytest.mark.parametrize(
    "data, task, rows, units, expected",
    [  # what is counted: two systems, preference, a column for each unit, number
        ("a,b,outcome,count\nX,Y,a,2\nX,Y,b,1\nX,Y,tie,2\nX,Y,a,1\nX,Y,b,0\n", None, 5,
         "", TWO),
        ("system_1,system_2,preference,count\nX,Y,1,3\nX,Y,2,1\nX,Y,0,2.0\n", None, 3,
         "", TWO),
        ("a,b,wins_a,wins_b,ties\nX,Y,3,1,2\n", None, 1, "", TWO),
        ("system_1,system_2,wins_1,wins_2,ties\nX,Y,2,1,0\nX,Y,1,0,2\n", None, 2,
         "", TWO),
        ("Loser,winner,counts\nY,X,2\nX,Y,1\n", None, 2, "", ["X Y 1 2", "Y X 1 1"]),
        (",X,Y,Z\nZ,0,1,-\nX,,3,0\nY,1,x,\n", None, 3, "", ["X Y 1 3", "Y X 1 1",
         "Z Y 1 1"]),
        ("model_a,model_b,winner\nX,Y,X\nY,X,X\nY,Z,tie\nX,Z,Z\n", None, 4, "",
         ["X Y 1 1", "X Z 2 1", "Y X 2 1", "Y Z 0 1"]),
        (OFFICIAL, "deu-eng", 3, ALL, ["X Y 2 judge_001 7 1 1",
         "X Z 0 judge_001 7 1 1"]),
        (text([WMT.columns, *WMT.to_numpy().tolist()]), "French,English", 2, ALL,
         ["rali _ref 2 judge_001 7 0 1"]),
        (text(RANKED), None, 5, "judge ranking",
         ["A B 2 judge_001 0 1", "A C 0 judge_001 0 1", "B C 1 judge_001 0 1"]),
        (gzip.compress(XML.encode()), "deu-eng", 5, ALL,
         ["A B 0 judge_001 779 0 1", "A C 2 judge_001 779 0 1",
         "A C 0 judge_002 780 1 1",
          "B C 2 judge_001 779 0 1"]),
    ],
)  # fmt: skip
def test_every_layout_is_counted_as_by_hand(
    given_file, data, task, rows, units, expected
):
    judgements = read(given_file(data), task=task)
    assert (judgements.task, judgements.rows) == (task or "", rows)
    assert judgements.units == tuple(units.split())
    assert counted(judgements, judgements.units) == expected
    number = sum(int(line.split()[-1]) for line in expected)
    assert judgements.counts.comparisons == number


def test_judges_of_public_files_have_no_names(given_file):
    official = given_file(OFFICIAL, "official.csv")
    assert [one.task for one in read_tasks(official)] == ["deu-eng", "tur-eng"]
    xml = given_file(XML, "small.xml")
    for path, kind in ((official, "pairwise"), (xml, "rankings")):
        judgements = read(path, task="deu-eng")
        assert judgements.kind == kind
        words = repr(judgements) + judgements.comparisons.to_csv() + judgements.reading
        assert judgements.people == {} and not re.search("jane|adam|judge[56]", words)


def test_a_system_that_was_not_ranked_is_known(given_file):
    path = given_file(text([WMT.columns, *WMT.to_numpy().tolist()]))
    judgements = read(path, task="French,English")
    assert judgements.kind == "rankings"
    assert judgements.systems == ("_ref", "lium", "rali")


def test_each_vocabulary_of_outcomes_once_its_doubtful_word_is_said():
    for words in outcomes.VOCABULARIES:
        said = {word: words[word] for word in ("-1", "0") if word in words}
        expected = {word: {meaning} for word, meaning in words.items()}
        assert outcomes.meanings([*words], said) == expected


def test_numbers_that_could_mean_two_things_are_asked_about(given_file):
    for words in ("012", "01", "102", ["-1", "0", "1"]):
        path = given_file(text([HEADER[:3], *(["X", "Y", word] for word in words)]))
        assert f"and '{min(words)}' could be" in refusal(path)
    own = given_file("system_1,system_2,preference\nX,Y,0\nX,Y,1\nX,Y,2\n")
    assert counted(read(own)) == ["X Y 1 1", "X Y 2 1", "X Y 0 1"]


def test_ties_of_winners_and_losers_and_words_for_both_bad(given_file):
    said = {"is_tie": "0 1 true", "draw": "no yes draw", "result": "win tie Tie"}
    for name, words in said.items():
        rows = zip("xyy", "yzz", words.split(), strict=True)
        path = given_file(text([["winner", "loser", name], *rows]))
        assert counted(read(path)) == ["x y 1 1", "y z 0 2"]
    for word in ("both_bad", "tie (bothbad)", "Both bad"):
        judgements = read(given_file(f"a,b,outcome\nX,Y,a\nX,Y,{word}\n"))
        assert judgements.counts.ties.loc["X", "Y"] == 1
        assert judgements.reading.endswith(f"outcome '{word}' means tie")


def test_joint_names_are_split_where_their_parts_occur_alone(given_file):
    path = given_file("a,b,outcome\nA,B,a\nA+B,C,a\nC,B+D,b\nA,A+B,tie\n")
    judgements = read(path, joint_names="split")
    assert judgements.rows == 4 and not judgements.warnings
    path = given_file("a,b,outcome\nA,B,a\nA+B,C,a\nC,B+D,b\nA,B,tie\n")
    judgements = read(path)
    assert judgements.rows == 4 and judgements.systems == ("A", "B", "B+D", "C")
    assert judgements.warnings[0].startswith("1 of 5 names join others, as 'A+B' does")
    lines = ["A B 1 1", "A B 0 1", "A C 1 1", "B C 1 1", "C B+D 2 1"]
    assert counted(judgements) == lines
    ranked = read(given_file("ranking,system,rank\n1,A+B,1\n1,C,2\n2,A,1\n2,B,1\n"))
    assert ranked.rows == 4
    assert ranked.counts.wins.loc[["A", "B"], "C"].tolist() == [1, 1]


def test_bad_rows_are_refused_or_left_out_and_counted(given_file):
    for data, bad in [
        ("a,b,outcome\nA,B,a\nA,A,b\nA,B,\n,B,a\nA,C,b\n", 3),
        ("winner,loser\nA,B\nA,A\nC,A\n", 1),
        ("worker,system,segment,score\nw,A,1,5\nw,,1,6\nw,B,2,9\nw,C,1,1\n", 1),
        ("ranking,system,rank\n1,A,1\n1,,2\n1,B,2\n1,C,3\n", 1),
    ]:
        path = given_file(data)
        rows = data.count("\n") - 1
        assert refusal(path).endswith("; to leave such rows out, add --skip-bad")
        judgements = read(path, skip_bad=True)
        assert judgements.systems == ("A", "B", "C") and judgements.rows == rows - bad
        said = f"{bad} of {rows} rows are bad and left out (skip_bad=True)"
        assert judgements.warnings[0] == said


def test_outcomes_that_are_names_of_systems_are_warned_of(given_file):
    path = given_file("model_a,model_b,winner\n1,2,1\n1,2,1\n2,1,1\n2,1,1\n1,2,1\n")
    judgements = read(path)
    assert judgements.counts.wins.loc["1", "2"] == 5
    assert judgements.reading.endswith(
        "outcome = 'winner'; outcome names the system that won"
    )
    assert judgements.warnings == (
        "outcomes are taken for names of systems; if they are positions, which changes"
        " 2 of the rows, add outcomes={'1': 'a'}",
    )
    judgements = read(path, outcomes={"1": "a"})
    assert judgements.counts.wins.to_numpy().tolist() == [[0, 3], [2, 0]]
    assert not judgements.warnings


def test_outcomes_chosen_by_the_user(given_file):
    path = given_file("a,b,outcome\nX,Y,1\nX,Y,0\nX,Y,both_bad\nX,Y,\n")
    judgements = read(path, outcomes={"0": "b", "both_bad": "tie", "": "skip"})
    assert counted(judgements) == ["X Y 1 1", "X Y 2 1", "X Y 0 1"]
    assert judgements.rows == 4
    assert "; outcome 'both_bad' means tie; outcome '' means skip" in judgements.reading


# --- columns and tasks ----------------------------------------------------------------


@pytest.mark.parametrize("role", sorted(columns.ALIASES))
def test_read_knows_every_alias_of_a_role(role):
    layout = next(one for one in columns.LAYOUTS if role in one.roles)
    options = columns.Options(kind=layout.kind)
    for name in [role, *columns.ALIASES[role]]:
        header = {r: name if r == role else r for r in [*layout.needed, role]}
        with open_table(pd.DataFrame(columns=[*header.values()])) as table:
            assert columns.recognise(table, options).used == header


def test_comparisons_without_a_judge_are_dealt_to_groups_whatever_the_order(given_file):
    header, *rows = """\
a,b,outcome,judge_group,count
X,Y,a,0a,3
Y,X,b,f0,1
X,Y,b,,900
X,Y,tie,,60
X,Y,draw,,40
""".splitlines(keepends=True)
    found, turned = (
        read(given_file("".join([header, *some]))) for some in (rows, rows[::-1])
    )
    assert found.units == ("judge_group",) and not found.people
    line = "1000 of 1004 comparisons have no judge and are dealt to"
    assert found.warnings[0].startswith(line)
    groups = found.comparisons.groupby(["judge_group", "preference"], observed=True)
    dealt = groups["count"].sum()
    assert dealt.groupby("preference").sum().tolist() == [100, 3, 901]
    assert set(found.comparisons["judge_group"]) == {"0a", "f0"}
    assert abs(dealt["0a", 2] - 450) < 4 * 15  # as votes of 900 judges would fall
    assert as_counter(found.comparisons) == as_counter(turned.comparisons)
    nobody = read(given_file("".join([header, *rows[2:]])))
    assert nobody.units == () and "there are no groups of judges" in nobody.warnings[0]


@pytest.mark.parametrize("names", ["lang_pair", "domain", "src,tgt"])
def test_language_pairs_are_not_pooled(given_file, names):
    languages = ["de,en", "en,de"] if "," in names else ["de", "en"]
    rows = "".join(f"X,Y,a,{language}\n" for language in languages)
    path = given_file(f"a,b,outcome,{names}\n{rows}")
    tasks = [language.replace(",", "-") for language in languages]
    assert [one.task for one in read_tasks(path)] == tasks
    pooled = read(path, columns={"task": None})
    assert pooled.rows == 2 and not pooled.warnings
    assert {*names.split(",")} <= {*pooled.unused}


# --- assessments ----------------------------------------------------------------------


def test_tidy_assessments(given_file):
    judgements = read(given_file(text(SCORED)))
    assert (judgements.kind, judgements.rows) == ("assessments", 3)
    assert (judgements.systems, judgements.units) == (("A", "B"), ("worker", "segment"))
    frame = judgements.assessments
    assert list(frame.columns) == ASSESSMENTS
    assert frame["score"].tolist() == [40, 60.5, 0] and frame["accepted"].all()
    assert frame["worker"].tolist() == ["worker_0002", "worker_0002", "worker_0001"]
    assert set(frame["item"]) == {"SYSTEM"} and set(frame["language_pair"]) == {""}
    assert judgements.reading.endswith(
        "; scores run from 0 to 60.5 on a scale of 0 to 100"
    )
    assert judgements.people == {"worker_0001": "w1", "worker_0002": "w9"}
    with data_error("holds assessments; expected comparisons or rankings"):
        print(judgements.counts)


def test_every_column_of_assessments(given_file):
    path = given_file(
        """\
worker,system,segment,score,hit,document,item,accepted,language_pair
w,A+B,1,5e1,h,d,REPEAT,True,de-en
w,A,2,50,h,d,SYSTEM,1,de-en
w,B,2,0.5,h,d,SYSTEM,false,de-en
w,B,2,50,h,d,SYSTEM,0,en-de
"""
    )
    judgements = read(path, task="de-en")
    assert (judgements.rows, judgements.task) == (3, "de-en")
    assert judgements.systems == ("A", "B")
    assert judgements.units == ("worker", "hit", "document", "segment")
    frame = judgements.assessments
    assert frame["accepted"].tolist() == [True, True, False]
    assert frame["score"].tolist() == [50, 50, 0.5]
    assert frame["item"].tolist() == ["REPEAT", "SYSTEM", "SYSTEM"]


def test_another_scale_with_decimal_commas(given_file):
    path = given_file("worker;system;segment;score\nw;A;1;-12,5\nw;B;1;-1\n")
    judgements = read(path, scale=(-25, 0))
    assert judgements.assessments["score"].tolist() == [-12.5, -1]
    assert judgements.scale == (-25, 0)
    said = "; scores run from -12.5 to -1 on a scale of -25 to 0"
    assert judgements.reading.endswith(said)
    counted = given_file("a;b;outcome;count\nA;B;a;3,0\n")
    assert read(counted).counts.comparisons == 3
    for data in (
        "ranking;system;rank\n1;A;1,0\n1;B;2,0\n",
        "a;b;score_a;score_b\nA;B;7,5;7,25\n",
    ):
        assert read(given_file(data)).counts.wins.loc["A", "B"] == 1


RELEASED = (
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
)


@pytest.mark.parametrize("blank", [" ", "\t", "  ", ' "x" '])
def test_the_releases_of_direct_assessment(given_file, blank):
    data = f"""\
{RELEASED}
NA u de en x hit A+B 1 SYSTEM 1 7 9
NA u de en x hit B 1 SYSTEM 1 80 9
NA u de en x hit C 1 BAD_REF 1 3 9
"""
    replaced = (" SYSTEM ", ' "SYSTEM" ') if '"' in blank else (" ", blank)
    judgements = read(given_file(data.replace(*replaced)))
    found = (judgements.kind, judgements.task, judgements.rows)
    assert found == ("assessments", "de-en", 3)
    assert judgements.systems == ("A", "B", "C")
    assert judgements.units == ("worker", "segment")
    assert judgements.assessments["score"].tolist() == [7, 80, 3]
    assert judgements.reading == ABOUT_RELEASE and judgements.people == {}


APPRAISE = """\
e1,tutorial-A,1,TGT,eng,jpn,0,ende-tutorial1,False,1.5,2
e1,A,7,TGT,eng,jpn,80,doc-1#bad,False,1.5,2
e1,A,7,BAD,eng,jpn,10,doc-1#bad,False,1.5,2
e1,B,7,TGT,eng,jpn,60,doc-1,False,1.5,2
e2,B,7,TGT,eng,jpn,61,doc-1,True,1.5,2
e2,B,7,TGT,eng,ces,62,doc-1,False,1.5,2
"""


@pytest.mark.parametrize("spans", ["", '"[{""start"": 1}]",'])
def test_exports_of_appraise(given_file, spans):
    path = given_file(APPRAISE.replace("e,1.5", f"e,{spans}1.5"))
    judgements = read(path, task="eng-jpn")
    assert judgements.kind == "assessments"
    assert judgements.systems == ("A", "B") and judgements.rows == 2
    assert judgements.assessments["score"].tolist() == [80, 60]
    assert set(judgements.assessments["document"]) == {"doc-1"}
    assert judgements.people == {}
    words = "; left out: 1 rows of tutorials, 1 rows of controls, 1 rows of whole doc"
    assert words in judgements.reading


# --- raw files ------------------------------------------------------------------------


@pytest.mark.realdata
def test_the_xml_of_wmt16_gives_its_official_tables(mirror):
    folder = mirror / "cfedermann/wmt16/data"
    path = folder / "wmt16.tur-eng.csv"
    official = read(path)
    raw = pd.read_csv(path)
    assert (official.kind, official.task) == ("pairwise", "tur-eng")
    assert official.rows == len(raw)
    first = raw["system1Id"][raw["system1rank"] < raw["system2rank"]]
    won = pd.concat([first, raw["system2Id"][raw["system2rank"] < raw["system1rank"]]])
    assert official.counts.wins.sum(axis=1).to_dict() == won.value_counts().to_dict()
    assert official.units == ("judge", "segment", "ranking") and not official.warnings
    judgements = read(folder / "wmt16.xml.gz", task="tur-eng")
    assert judgements.counts.wins.equals(official.counts.wins)
    assert judgements.counts.ties.equals(official.counts.ties)
    assert judgements.people == {}
