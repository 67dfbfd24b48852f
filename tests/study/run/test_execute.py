"""A notebook that make runs: its line, what is left of it, and how it is ended."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from study.data.sources import ROOT
from study.run import execute

PLAN = {"started": 100.0, "jobs": 2, "expected": {"10-a": 60, "11-b": 120, "12-c": 60}}
# In place of papermill: a process that names itself and would wait for a minute.
WAITING = """
import sys
from study.run.execute import run_child
code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
sys.exit(run_child([sys.executable, "-c", code]))
"""


# --- how far it is --------------------------------------------------------------------


@pytest.mark.parametrize(
    "ended, now, expected",
    [
        ({"10-a": 60}, 160, "about 1 min left"),  # 240 s on two cores: 120 in all
        ({"10-a": 240}, 340, "about 4 min left"),  # four times as slow
        ({"10-a": 6}, 106, "less than a minute left"),  # kept from an earlier run
        ({"10-a": 60, "11-b": 60}, 500, "less than a minute left"),  # later than that
        ({"10-a": 60, "11-b": 60, "12-c": 60}, 200, ""),
        ({"13-new": 1}, 100, "about 2 min left"),  # make runs what it depends on
    ],
)
def test_time_left_follows_what_has_ended(ended, now, expected):
    assert execute.time_left(PLAN, ended, now) == expected


def test_progress_counts_notebooks_as_they_end(tmp_path):
    (tmp_path / "plan.json").write_text(
        '{"started": 0, "jobs": 1, "expected": {"10-a": 1, "11-b": 1}}'
    )
    assert execute.progress(tmp_path, "11-b", 1)[0] == "1 of 2"
    assert execute.progress(tmp_path, "10-a", 1) == ("2 of 2", "")


def test_progress_says_nothing_without_a_plan(tmp_path):
    assert execute.progress(tmp_path, "11-b", 1) == ("", "")


# --- a notebook -----------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a folder with a notebook; what papermill does is a function of the test."""
    monkeypatch.chdir(tmp_path)
    for name in ("PARAMS", "WMTLIB_WRITTEN"):
        monkeypatch.setenv(name, "")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "10-work.ipynb").write_text("not run")
    (tmp_path / "out" / "notebooks").mkdir(parents=True)
    (tmp_path / "out" / "notebooks" / "10-work.ipynb").write_text("of an earlier run")
    return tmp_path


def papermill(monkeypatch, code=0, said="", parameters=""):
    """Take the place of papermill: write what it was given, and end with a code."""

    def run(source, target, log, given):
        assert given == parameters
        log.write_text(said)
        if code == 0:
            target.write_text(f"run: {source}")
        return code

    monkeypatch.setattr(execute, "run_papermill", run)


def read(checkout):
    files = ("notebooks/10-work.ipynb", "out/notebooks/10-work.ipynb")
    paths = [checkout / name for name in files]
    return [path.read_text() if path.exists() else None for path in paths]


@pytest.mark.parametrize("commit", ["", "yes"])
def test_main_moves_an_executed_notebook_to_its_folders(
    checkout, monkeypatch, capsys, commit
):
    papermill(monkeypatch)
    assert execute.main("10-work", "out", commit) == 0
    run = "run: notebooks/10-work.ipynb"
    assert read(checkout) == [run if commit else "not run", run]
    assert capsys.readouterr().out.split() == ["0", "s", "10-work"]
    written = os.environ["WMTLIB_WRITTEN"]
    assert written == str(checkout / "out" / "written" / "10-work.txt")
    assert Path(written).read_text() == ""


@pytest.mark.parametrize(
    "code, said, line",
    [
        (1, "Traceback\ncell 2: Error: why", "FAILED  10-work: cell 2: Error: why"),
        (1, "", "FAILED  10-work: exit code 1"),
        (execute.INTERRUPTED, "Aborted!", "interrupted  10-work"),
    ],
)
def test_main_says_how_a_notebook_failed_and_leaves_no_old_one(
    checkout, monkeypatch, capsys, code, said, line
):
    papermill(monkeypatch, code, said)
    assert execute.main("10-work", "out", "yes") == code
    assert read(checkout) == ["not run", None]
    assert capsys.readouterr().out.strip() == line


def test_main_takes_parameters_of_the_user_for_their_own_folder_alone(
    checkout, monkeypatch
):
    monkeypatch.setenv("PARAMS", "my file.yml")
    papermill(monkeypatch)
    assert execute.main("10-work", "out") == 0
    papermill(monkeypatch, parameters="my file.yml")
    assert execute.main("10-work", "build/mine") == 0


# --- processes ------------------------------------------------------------------------


def test_run_child_returns_the_exit_code():
    assert execute.run_child([sys.executable, "-c", "raise SystemExit(7)"]) == 7


def alive(pid):
    """Return whether a process runs; one that waits for its parent does not."""
    try:
        stat = Path("/proc", pid, "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def ended(pid):
    """Wait until a process has ended."""
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pid)


def heed_signals():
    """Ignore no signal, as what a shell starts in the background or by nohup would."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def waiting(monkeypatch):
    """Start `run_child` with a child, from a shell, ignoring signals or not."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    started = []

    def waiting(*ignored):
        line = f"trap '' {' '.join(ignored)}; " if ignored else ""
        shell = subprocess.Popen(
            ["sh", "-c", f'{line}"$0" -c "$1"; echo code $?', sys.executable, WAITING],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=heed_signals,
        )
        started.append(shell)
        child = shell.stdout.readline().strip()
        status = Path("/proc", child, "status").read_text()
        parent = status.partition("PPid:")[2].split()[0]
        return shell, int(parent), child

    yield waiting
    for shell in started:
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        shell.stdout.close()


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks into /proc"
)


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_run_child_ends_its_child_by_a_signal(waiting, number):
    shell, parent, child = waiting()
    os.kill(parent, number)
    assert ended(child)
    assert shell.stdout.read() == f"code {execute.INTERRUPTED}\n"


@needs_proc
def test_run_child_leaves_ctrl_c_to_the_terminal(waiting):
    _, parent, child = waiting()
    os.kill(parent, signal.SIGINT)  # a terminal sends it to the child, too
    time.sleep(0.2)
    assert alive(child) and alive(str(parent))
    os.kill(int(child), signal.SIGINT)
    assert ended(child) and ended(str(parent))


@needs_proc
def test_run_child_ends_its_child_when_its_parent_was_killed_under_nohup(waiting):
    shell, parent, child = waiting("HUP")
    os.kill(parent, signal.SIGHUP)
    time.sleep(0.2)
    assert alive(child)
    shell.kill()
    assert ended(child) and ended(str(parent))
