"""The README's commands run as they are typed, and its links lead somewhere."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from wmtlib.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    wmtlib (.*?)(?:\s+#.*)?$", README, re.MULTILINE)
# A command, and the lines below it that begin its output; "..." if there are more.
SHOWN = re.compile(r"(    wmtlib ([^#\n]*[^#\s])(?: +#.*)?\n\n```text\n)([^`]*)```")
LINES = 15
OUTPUTS = {found[2]: found[3] for found in SHOWN.finditer(README)}
assert len(COMMANDS) >= 4, "the README has other blocks of commands now"
assert OUTPUTS and {*OUTPUTS} <= {*COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_what_is_shown(command, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    said = beginning(capsys.readouterr().out)
    assert said
    if command in OUTPUTS:
        assert OUTPUTS[command] == said


def beginning(output):
    """The first lines of an output, as README shows them."""
    lines = output.splitlines(keepends=True)
    return "".join(lines[:LINES]) + "...\n" * (len(lines) > LINES)


def write_outputs():
    """Write what the commands print into README."""

    def renewed(found):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            main(shlex.split(found[2]))
        return f"{found[1]}{beginning(output.getvalue())}```"

    (ROOT / "README.md").write_text(SHOWN.sub(renewed, README), encoding="utf-8")


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


if __name__ == "__main__":
    write_outputs()
