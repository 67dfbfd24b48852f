"""Who judged: identifiers show on the terminal, and leave it by --show-ids alone."""

import json

import pandas as pd
import pytest
from user_files import writer

from wmtlib.analysis import answer_data
from wmtlib.analysis.answers import AnswerSection
from wmtlib.analysis.drawings import Drawing
from wmtlib.cli import answer_folder, commands, main
from wmtlib.yours import read as reader

MARK = "Zoë Q-17 <zoe@example.org>"
OTHER = "adamantine"
given_file = pytest.fixture(writer)
SYSTEMS = ("X", "Y", "Z")


def people(k):
    return (MARK, OTHER)[k % 2]


FILES = {
    "pairwise": pd.DataFrame(
        [
            ("XXY"[k % 3], "YZZ"[k % 3], ["a", "b", "tie"][k % 5 % 3], people(k), k)
            for k in range(24)
        ],
        columns=["a", "b", "outcome", "judge", "segment"],
    ),
    "rankings": pd.DataFrame(
        [(k, s, 1 + (k + n) % 3, people(k)) for k in range(12) for n, s in enumerate(SYSTEMS)],
        columns=["ranking", "system", "rank", "judge"],
    ),
    "assessments": pd.DataFrame(
        [
            (people(k), s, k, 40 + 7 * n + k % 5, f"h{k % 4}")
            for k in range(12)
            for n, s in enumerate(SYSTEMS)
        ],
        columns=["worker", "system", "segment", "score", "hit"],
    ),
}
COMMANDS = [
    *((kind, "rank", "--bootstrap", "10", "--method", "all") for kind in FILES),
    *((kind, "stability") for kind in FILES),
    *((kind, "judges") for kind in FILES),
    ("pairwise", "plan"),
    *((kind, "compare", "--model", "uniform", "--folds", "2") for kind in ("pairwise", "rankings")),
]


@pytest.fixture
def files(tmp_path):
    for kind, frame in FILES.items():
        frame.to_csv(tmp_path / f"{kind}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: " ".join(line[:2]))
def test_no_answer_carries_an_identifier_away(files, line, capsys):
    kind, command, *options = line
    unit = {"rank": ["--unit", "worker" if kind == "assessments" else "judge"]}.get(command, [])
    out = files / "page"
    path = str(files / f"{kind}.csv")
    assert main.main([command, path, *options, *unit, "--json", "--out", str(out)]) == 0
    written = [file.read_bytes().decode("utf-8", "replace") for file in out.iterdir()]
    for text in [capsys.readouterr().out, *written]:
        assert "example.org" not in text and OTHER not in text


@pytest.fixture
def answered(files, monkeypatch):
    """A command whose answer names judges everywhere; gives the arguments."""

    def find(judgements, **settings):
        table = pd.DataFrame({"system": ["X", "Y"], "judge": [*judgements.people][:2]})
        drawing = Drawing("intervals", {"frame": table}, (3, 2), "judge_001 is a dot.")
        text = "judge_001 agrees least."
        section = AnswerSection("Judges", text, ("judge_002?",), {"T": table}, {}, [drawing])
        about = {"Judgements": "a file", "Signature": "wmtlib judges|"}
        return answer_data.answer(judgements, "Judges", about, [section], {"judges": table})

    drawn = []
    monkeypatch.setattr(commands, "_find", lambda command: find)
    monkeypatch.setattr(answer_folder.drawings, "drawing_files", lambda d: drawn.append(d) or NONE)
    return ["rank", str(files / "pairwise.csv"), "--out", str(files / "page")], drawn


NONE = (b"", b"<?xml version='1.0'?><svg/>", "")


def test_identifiers_show_on_the_terminal_alone(answered, files, capsys):
    arguments, drawn = answered
    assert main.main(arguments) == 0
    printed = capsys.readouterr().out
    assert f"{MARK} agrees least" in printed and f"{OTHER}?" in printed and "judge_0" not in printed
    page = (files / "page" / "index.html").read_text(encoding="utf-8")
    assert "judge_001 agrees least" in page and "zoe" not in page
    assert drawn[0].given["frame"]["judge"].tolist() == ["judge_001", "judge_002"]
    assert main.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["judge"] for row in found["judges"]] == ["judge_001", "judge_002"]
    assert found["warnings"][-1] == "judge_002?"


def test_show_ids_writes_them_everywhere(answered, files, capsys):
    arguments, drawn = answered
    assert main.main([*arguments, "--json", "--show-ids"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["judge"] for row in found["judges"]] == [MARK, OTHER]
    page = (files / "page" / "index.html").read_text(encoding="utf-8")
    assert "Zoë Q-17 &lt;zoe@example.org&gt; agrees least" in page
    assert MARK in (files / "page" / "judges-t.csv").read_text(encoding="utf-8")
    assert drawn[0].given["frame"]["judge"].tolist() == [MARK, OTHER]
    assert drawn[0].caption == f"{MARK} is a dot."


def test_a_system_keeps_its_name_and_control_characters_do_nothing(files):
    frame = FILES["pairwise"].replace({"X": "judge_001", OTHER: "\x1b[2J"})
    judgements = reader.read(frame)
    about = {"Signature": "wmtlib rank|"}
    section = AnswerSection("T", "judge_001, judge_002", (), {})
    answer = answer_data.answer(judgements, "T", about, [section], {})
    assert answer.with_identifiers().sections[0].text == r"judge_001, '\x1b[2J'"


@pytest.mark.parametrize("kind", FILES)
def test_the_people_are_those_of_the_file(kind):
    judgements = reader.read(FILES[kind])
    assert sorted(judgements.people.values()) == sorted([MARK, OTHER])
    frame = judgements.comparisons if judgements.assessments is None else judgements.assessments
    name = "judge" if judgements.assessments is None else "worker"
    first = frame[name].map(judgements.people)
    assert set(first) == {MARK, OTHER}
    if kind == "assessments":
        assert first.tolist() == FILES[kind]["worker"].tolist()
    if kind == "pairwise":
        own = FILES[kind].groupby("judge").size()
        found = frame.assign(judge=first.astype(str)).groupby("judge")["count"].sum()
        assert found.to_dict() == own.to_dict()


def test_public_data_have_no_people(given_file):
    official = (
        "srclang,trglang,srcIndex,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
        "deu,eng,7,kim,X,4,Y,3,1\ndeu,eng,7,kim,X,1,Z,1,1\n"
    )
    exported = (
        "kim,A,7,TGT,eng,jpn,80,d,False,[],1,2\nkim,B,7,TGT,eng,jpn,60,d,False,[],1,2\n"
        "lee,A,8,TGT,eng,jpn,60,d,False,[],1,2\nlee,B,8,TGT,eng,jpn,61,d,False,[],1,2\n"
    )
    xml = (
        '<r><HIT source-language="deu" target-language="eng"><ranking-task id="7">'
        '<ranking-result user="kim"><translation system="A" rank="2"/>'
        '<translation system="C" rank="1"/></ranking-result></ranking-task></HIT></r>'
    )
    for text in (official, exported, xml):
        found = reader.read(given_file(text))
        assert found.units and found.people == {}
