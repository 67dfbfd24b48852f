"""The commands of the study, among them the library's, with campaigns of raw files."""

import json

import pytest

from study.__main__ import COMMANDS, PROGRAM
from study.data.sources import ROUTES
from wmtlib import cli
from wmtlib.files import carried_counts


def test_help_of_data_names_every_route(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["data", "--help"], COMMANDS)
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert all(route in said for route in ROUTES)


def run(*arguments):
    return cli.main(arguments, COMMANDS, PROGRAM)


def test_questions_are_those_of_the_library_with_its_options():
    ours, theirs = (
        cli.parser(commands)._subparsers._group_actions[0].choices
        for commands in (COMMANDS, None)
    )
    assert {*theirs} <= {*ours}
    for name in ("rank", "stability", "compare", "judges"):
        assert {*ours[name]._option_string_actions} == {
            *theirs[name]._option_string_actions
        }
        assert ours[name].format_help() == theirs[name].format_help()


def test_simulated_campaigns_are_ranked(capsys, monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    assert run("rank", "simulated-sr-dc:qa-qb", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    about = [answer[name] for name in ("task", "file", "rows")]
    assert about == ["qa-qb", "simulated-sr-dc:qa-qb", 4000]
    assert run("rank", "simulated-sr-dc:xx-yy") == 2
    assert "no simulated pair 'xx-yy'" in capsys.readouterr().err
    assert run("rank", "simulated-sr-dc:qa-qb", "--kind", "assessments") == 2
    assert "--kind" in capsys.readouterr().err
    assert run("campaigns") == 0
    names = capsys.readouterr().out.split()
    assert {"wmt12:cs-en", "simulated-sr-dc:qa-qb"} <= {*names}


def test_a_file_is_ranked_as_by_the_library(capsys, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,outcome\nx,y,a\ny,x,a\nx,y,a\n")
    line = ["rank", str(path), "--method", "soccer", "--format", "csv"]
    assert (run(*line), cli.main(line)) == (0, 0)
    printed = capsys.readouterr().out
    assert printed == 2 * printed[: len(printed) // 2]


def test_without_raw_files_the_first_warning_says_why(capsys, monkeypatch):
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
    assert run("rank", "wmt12:cs-en", "--method", "soccer", "--json") == 0
    warned = json.loads(capsys.readouterr().out)["warnings"]
    assert warned[0]["code"] == "carried_counts"
    assert warned[0]["text"].endswith("; the source is the embedded data")


@pytest.mark.realdata
def test_campaigns_of_raw_files_know_judges_and_segments(capsys):
    for name in ("wmt12:cs-en", "wmt16:ro-en"):
        assert run("rank", name, "--json") == 0
        answer = json.loads(capsys.readouterr().out)
        assert "carried_counts" not in {w["code"] for w in answer["warnings"]}
        campaign, _, task = name.partition(":")
        assert answer["rows"] == carried_counts.load_counts(campaign, task).comparisons
        assert answer["units"] == ["judge", "segment"]
    assert run("judges", "wmt12:cs-en", "--json") == 0
    capsys.readouterr()
    assert run("rank", "wmt22:de-en", "--json") == 0
    assert json.loads(capsys.readouterr().out)["file"] == "wmt22:de-en"
