"""The README's commands run as they are typed, and its numbers are those of results/."""

import doctest
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from wmtlib.cli.main import main
from wmtlib.study import scoreboard

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    wmtlib (.*?)(?:\s+#.*)?$", README, re.MULTILINE)
TITLES = {
    "lopez2012": "Lopez (2012)",
    "hopkins2013": "Hopkins and May (2013)",
    "knowles2021": "Knowles (2021)",
}


def scores(board):
    """The README's table of how the published values came out."""
    lines = ["| | numbers | arithmetic | claims |", "|---|---|---|---|"]
    for paper, title in TITLES.items():
        counted = scoreboard.summary(board[board["paper"] == paper])
        cells = {
            kind: ", ".join(f"{row.rows} {row.status}" for row in rows.itertuples() if row.rows)
            for kind, rows in counted.groupby("kind")
        }
        arithmetic = cells["arithmetic"].removesuffix(" arithmetic")
        lines.append(f"| {title} | {cells['numbers']} | {arithmetic} | {cells['claims']} |")
    return "\n".join(lines)


def test_the_scores_are_those_of_the_scoreboard():
    board = pd.read_csv(ROOT / "results" / "scoreboard.csv", dtype=str, keep_default_na=False)
    assert scores(board) in README


def test_there_are_commands():
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_as_typed(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out


def test_the_lines_of_python_give_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    [block] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_links_lead_to_files_that_are_there():
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", README) if not t.startswith("http")]
    assert targets and not [target for target in targets if not (ROOT / target).exists()]


if __name__ == "__main__":
    found = pd.read_csv(ROOT / "results" / "scoreboard.csv", dtype=str, keep_default_na=False)
    print(scores(found))
