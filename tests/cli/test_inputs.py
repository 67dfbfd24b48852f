"""The options that say how a file is to be read, campaigns in place of files, every task."""

import json

import pytest

from wmtlib.cli import campaigns, main
from wmtlib.releases import ranking_releases


def run(capsys, *arguments):
    code = main.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


QUICK = ["--method", "expected-wins"]


@pytest.fixture
def two_tasks(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(
        "model_a,model_b,winner,lp\nX,Y,left,de-en\nX,Z,left,de-en\nY,X,left,en-de\nZ,X,?,en-de\n"
    )
    return path


def test_words_and_columns_by_option(capsys, two_tasks):
    code, _, err = run(capsys, "rank", two_tasks, *QUICK)
    assert code == 2 and err.endswith(
        "line 5: outcome (column 'winner') is '?'; expected a, b, tie; 1, 2, 0; >, <, =; left,"
        " right; win, loss; or the system that won; to say what it means, add --outcome '?'=a,"
        " or b, tie, skip\n"
    )
    options = ["--outcome", "?=b", "--column", "a=model_b", "--column", "b=model_a"]
    code, out, _ = run(capsys, "rank", two_tasks, *QUICK, *options, "--task", "en-de")
    assert code == 0 and "expected-wins ranks Z first." in out
    assert "Columns: a = 'model_b', b = 'model_a', outcome = 'winner', task = 'lp'" in out
    for odd in ("--outcome", "--column"):
        code, _, err = run(capsys, "rank", two_tasks, odd, "x")
        assert code == 2 and "expected NAME=NAME, such as" in err


def test_each_task_has_an_answer_and_a_line_in_the_summary(capsys, two_tasks, tmp_path):
    options = [*QUICK, "--outcome", "?=skip", "--task", "all"]
    code, out, _ = run(capsys, "rank", two_tasks, *options)
    assert code == 0 and out.count("Task: ") == 2
    *_, head, first, second = out.splitlines()
    assert head == "Summary of all tasks"
    assert first.startswith("de-en: Ranking of 3 systems. expected-wins ranks X first.")
    assert second.startswith("en-de: Ranking of 2 systems. expected-wins ranks Y first.")
    code, out, _ = run(capsys, "rank", two_tasks, *options, "--json")
    assert code == 0 and len(json.loads(out)) == 2
    folder = tmp_path / "pages"
    code, _, err = run(capsys, "rank", two_tasks, *options, "--out", folder)
    assert (code, err) == (0, f"Written: a folder for each task in {folder}\n")
    assert {page.parent.name for page in folder.glob("*/index.html")} == {"01-de-en", "02-en-de"}


def test_a_scale_by_option(capsys, tmp_path):
    path = tmp_path / "mqm.csv"
    path.write_text("worker,system,segment,score\nw,A,1,-5\nw,B,1,0\nw,A,2,-1\nw,B,2,-2\n")
    code, _, err = run(capsys, "rank", path)
    assert code == 2 and "or --scale LOW,HIGH (scores run from -5 to 0)" in err
    code, out, _ = run(capsys, "rank", path, "--scale=-25,0")
    assert code == 0 and "z-score ranks B first" in out
    code, _, err = run(capsys, "rank", path, "--scale", "5")
    assert code == 2 and "expected LOW,HIGH, such as 1,5, not '5'" in err


def test_campaigns_are_ranked_without_a_file(capsys, monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    code, out, _ = run(capsys, "campaigns")
    names = [line.split()[0] for line in out.partition("\n\n")[0].splitlines()]
    assert code == 0 and {"wmt12:cs-en", "wmt11:cs-en-syscomb"} <= {*names}
    code, out, _ = run(capsys, "rank", "wmt12:cs-en", *QUICK)
    assert code == 0 and "wmt12:cs-en: 12775 pairwise comparisons, 6 systems" in out
    expected = ranking_releases.load_counts("wmt12", "cs-en", source="embedded")
    found = campaigns.load_campaign("wmt12:cs-en")
    assert found.counts.wins.equals(expected.wins) and found.units == ()
    code, _, err = run(capsys, "rank", "wmt12:xx-yy")
    assert code == 2 and err.startswith("wmtlib: no task 'xx-yy' in campaign 'wmt12'")


@pytest.mark.realdata
def test_single_rankings_of_a_campaign_have_units(mirror):
    found = campaigns.load_campaign("wmt12:cs-en")
    expected = ranking_releases.load_counts("wmt12", "cs-en", source="embedded")
    assert found.counts.wins.equals(expected.wins)
    assert found.units == ("judge", "segment", "ranking")
