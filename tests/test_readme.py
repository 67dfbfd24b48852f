"""The README's commands run as they are typed, and its links lead somewhere."""

import doctest
import re
import shlex
from pathlib import Path
from textwrap import dedent

import pytest

from wmtlib.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    wmtlib (.*?)(?:\s+#.*)?$", README, re.MULTILINE)
assert len(COMMANDS) >= 5, "the README has other blocks of commands now"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_as_typed(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out


def test_the_answer_that_is_shown_is_given(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    [shown] = re.findall(r"among other things:\n\n(.*?)\n\n", README, re.DOTALL)
    main(shlex.split(COMMANDS[0]))
    assert dedent(shown) in capsys.readouterr().out


def test_the_lines_of_python_give_what_is_shown(monkeypatch):
    monkeypatch.chdir(ROOT)
    [block] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0


PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md"]
PAGES += [ROOT / "notebooks" / "00-index.ipynb"]


def links(page):
    """The files that a page links, relative to it, without places in them."""
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    local = [target for target in targets if "://" not in target]
    return {(page.parent / target).resolve() for target in local}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_are_there(page):
    assert [path for path in links(page) if not path.exists()] == []


def test_every_notebook_and_every_page_is_linked():
    linked = set().union(*map(links, PAGES))
    expected = {*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "docs").glob("*.md")}
    assert expected - linked == set()
