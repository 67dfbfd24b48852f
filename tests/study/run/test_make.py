"""The Makefile: what users type is data, and an environment is of one folder."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from study.data.sources import ROOT

# In place of Python: shows what it is called with. A run's start calls make again.
PYTHON = """#!/bin/sh
case "$*" in
  *"study.run start"*) exec make executed OUT=build/mine NOTEBOOKS=10-work ;;
esac
printf '%s\\n' "$@" "params $PARAMS" >> "$CALLED"
"""
NAMES = [
    "`touch pwned`.csv",
    "$(touch pwned).csv",
    "$(shell touch pwned)x.csv",
    "$(error pwned)",
    'quo"; touch pwned; ".csv',
    "it's; touch pwned #.csv",
    "a  b&c.csv",
    "a b$c.csv",
    "$$x${HOME}%.csv",
    "-rf.csv",
    "back\\slash.csv",
]
# In place of `python -m venv` and uv: a folder with a program in it.
VENV = """#!/bin/sh
echo "$@" >> "$CALLED"
case "$*" in
  "-m venv --clear"*) rm -rf "$5" && mkdir -p "$5/bin" && cp "$0" "$5/bin/python" ;;
  "-m venv $FAILS") exit 1 ;;
esac
"""


def write_program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Copy the Makefile, in place of the repository."""
    folder = tmp_path / "check out"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        (folder / name).write_text("")
    write_program(tmp_path / "bin" / "python", PYTHON)
    monkeypatch.setenv("CALLED", str(tmp_path / "called"))
    for name in ("CONDA_DEFAULT_ENV", "MAKEFLAGS", "PARAMS"):
        monkeypatch.delenv(name, raising=False)
    return folder


def make(folder, *words):
    """Call make with words of a user; return what it printed."""
    line = ["make", *words]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def called(checkout):
    """Return the words that Python was called with."""
    return (checkout.parent / "called").read_text().splitlines()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words, expected",
    [
        (["rank", "FILE={}"], ["-m", "study", "notebook", "--", "{}", "params "]),
        (["rank", "FILE=x", "P=ignore={}"], ["notebook", "--", "x", "ignore={}"]),
        (["notebook", "N={}"], ["study.run", "notebook", "{}"]),
        (["notebook", "N=x", "P=a={}"], ["notebook", "x", "a={}"]),
        (["reproduce", "PARAMS={}"], ["10-work", "build/mine", "params {}"]),
        (["data", "SOURCE={}"], ["--source", "{}"]),
    ],
)
def test_what_a_user_types_reaches_python_as_it_is(checkout, words, expected, name):
    words = [word.replace("{}", name) for word in words]
    make(checkout, *words, f"PY={checkout.parent}/bin/python")
    left = iter(called(checkout))
    for word in expected:  # in this order
        assert word.replace("{}", name) in left
    assert not [*checkout.rglob("pwned*")]


def test_rank_asks_for_a_file(checkout):
    line = ["make", "rank", "PY=false"]
    done = subprocess.run(line, cwd=checkout, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "say which file: make rank FILE=my.csv\n" in done.stderr


def test_lab_needs_the_environment_of_the_study_alone(checkout):
    assert "requirements-dev.lock" in make(checkout, "--dry-run", "test")
    printed = make(checkout, "--dry-run", "lab", "PORT=9000")
    assert "requirements.lock" in printed and "requirements-dev.lock" not in printed
    assert "-m jupyterlab --config=" in printed and '"--port=$PORT"' in printed


def test_help_names_every_target_that_has_a_text(checkout):
    printed = make(checkout)
    for target in ("reproduce", "test-all", "nbval", "processors"):
        assert f"  make {target} " in printed


def test_check_runs_the_slow_test_of_processors(checkout):
    assert '-m "" tests/study/test_readme_numbers.py' in make(checkout, "-n", "check")


# --- notebooks ------------------------------------------------------------------------

# In place of Python: a notebook that takes a while.
SLOW = """#!/bin/sh
echo "start $3"; sleep 0.3; echo "end $3"
mkdir -p out/notebooks && touch out/notebooks/$3.ipynb
"""
FINDS_NOTHING = "#!/bin/sh\necho no data $* >&2\nexit 3\n"


def test_a_notebook_waits_for_the_one_that_it_rests_on(checkout):
    write_program(checkout / "python", SLOW)
    words = [
        "executed",
        "OUT=out",
        "NOTEBOOKS=23-which-model:20-perplexity:30-rankings",
    ]
    lines = make(checkout, "--jobs=3", *words, "PY=./python").splitlines()
    end = lines.index("end 20-perplexity")
    assert lines.index("start 30-rankings") < end < lines.index("start 23-which-model")
    assert "Nothing to be done" in make(checkout, *words)


def test_reproduce_fails_if_no_data_are_found(checkout):
    write_program(checkout / "python", FINDS_NOTHING)
    line = ["make", "reproduce", "PY=./python"]
    done = subprocess.run(line, cwd=checkout, capture_output=True, text=True)
    assert done.returncode and "no data -m study.run start auto" in done.stderr
    assert "study.run.execute" not in done.stdout


# --- the environment ------------------------------------------------------------------


@pytest.fixture
def venv(checkout, monkeypatch):
    """Take the place of `python -m venv` and of uv."""
    folder = checkout.parent / "tools"
    for name in ("python", "uv"):
        write_program(folder / name, VENV)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("FAILS", "")
    return ["env", "PYTHON=python"]


def test_environment_is_made_once(checkout, venv):
    assert "Creating .venv from requirements.lock" in make(checkout, *venv)
    assert called(checkout)[-1].endswith("--no-deps --no-build-isolation -e .")
    assert "Nothing to be done" in make(checkout, *venv)


def test_environment_that_was_not_made_to_its_end_is_made_again(
    checkout, venv, monkeypatch
):
    monkeypatch.setenv("FAILS", ".venv")
    assert subprocess.run(["make", *venv], cwd=checkout).returncode
    monkeypatch.setenv("FAILS", "")
    assert "Creating .venv" in make(checkout, *venv)


def test_environment_of_a_copied_folder_is_made_anew(checkout, venv):
    make(checkout, *venv)
    for change in (shutil.copytree, shutil.move):
        copy = checkout.parent / change.__name__
        change(checkout, copy)
        assert f"\n.venv was made in {checkout} and runs the code there" in (
            "\n" + make(copy, *venv)
        )
        assert Path(copy, ".venv", ".ready").read_text() == f"{copy}\n"
        assert "Nothing to be done" in make(copy, *venv)


def test_make_env_empties_no_folder_that_it_has_not_made(checkout, venv):
    folder = checkout / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("three years")
    line = ["make", *venv, "VENV=mine"]
    done = subprocess.run(line, cwd=checkout, stderr=subprocess.PIPE, text=True)
    assert done.returncode and "mine is not an environment that make has made" in (
        done.stderr
    )
    assert (folder / "thesis.txt").read_text() == "three years"
