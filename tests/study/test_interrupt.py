"""Ctrl-C or `kill` ends a run, kernels too, and leaves nothing half-written."""

import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from study.data.sources import ROOT

TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])"  # what is typed comes from stdin
WORK = """import os, time
with open({path!r}, "w") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}}")
{busy}"""
WITHIN = 20  # seconds on a busy machine; an idle one takes less than two
BUSY = {
    "01-data": "time.sleep(60)",
    "11-work": "end = time.time() + 60\nwhile time.time() < end:\n    pass",
}


def alive(pid):
    """Return whether a process runs; one that waits for its parent does not."""
    try:
        return (
            Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except (FileNotFoundError, ProcessLookupError):
        return False


def choose_signals(nohup):
    """Let interrupts end what is started, and a closed terminal, but for nohup.

    What a shell starts in the background ignores interrupts, and what a test under
    nohup starts a closed terminal, and so would all that it starts.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL)


@pytest.fixture
def checkout(tmp_path):
    """Copy the repository, with two notebooks that would run for a minute."""
    for name in ("wmtlib", "study", "data"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "notebooks").mkdir()
    for name, busy in BUSY.items():
        cell = new_code_cell(
            WORK.format(path=str(tmp_path / f"pids-{name}"), busy=busy), id="a"
        )
        nbformat.write(
            new_notebook(cells=[cell]), tmp_path / "notebooks" / f"{name}.ipynb"
        )
    return tmp_path


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["reproduce", "check", "terminated", "killed", "killed under nohup"]
)
def test_make_ends_everything_at_once_by_a_signal(checkout, command):
    (checkout / "env").mkdir()
    for name in ("bin", "lib", "pyvenv.cfg"):
        (checkout / "env" / name).symlink_to(Path(sys.prefix, name))
    (checkout / "env" / ".ready").write_text(f"{checkout}\n")
    target = "check" if command == "check" else "reproduce"
    run = ["make", target, "VENV=env", "SOURCE=embedded"]
    if command == "check":  # its notebooks are those of the published tables
        for table in (checkout / "data" / "published").iterdir():
            head, row, *_ = table.read_text("utf-8").splitlines()
            table.write_text(f"{head}\n{row.rpartition(',')[0]},11-work\n", "utf-8")
    notebooks = {path: path.read_bytes() for path in checkout.glob("notebooks/*")}
    environment = os.environ | {
        "PYTHONPATH": str(checkout),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    environment.pop("WMTLIB_OUTPUT")
    typed = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
    }
    typed["preexec_fn"] = partial(choose_signals, nohup=command.endswith("nohup"))
    with subprocess.Popen(
        [sys.executable, "-c", TERMINAL, *run], cwd=checkout, env=environment, **typed
    ) as terminal:
        expected = 1 if command == "check" else 2
        end = time.monotonic() + 90
        while (
            len(files := [*checkout.glob("pids-*")]) < expected
            and terminal.poll() is None
        ):
            if time.monotonic() > end:
                terminal.kill()
            time.sleep(0.1)
        time.sleep(0.5)
        pids = [pid for file in files for pid in file.read_text().split()]
        assert terminal.poll() is None, terminal.stdout.read().decode()
        assert len(pids) == 2 * expected and all(map(alive, pids))
        if command not in ("reproduce", "check"):
            [child] = (
                Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children")
                .read_text()
                .split()
            )
            os.kill(int(child), 15 if command == "terminated" else 9)
        else:
            terminal.stdin.write(b"\x03")
            terminal.stdin.flush()
        end = time.monotonic() + WITHIN
        while (
            left := [*filter(alive, pids), *["run"] * (terminal.poll() is None)]
        ) and (time.monotonic() < end):
            time.sleep(0.05)
        for pid in filter(alive, pids):
            os.kill(int(pid), 9)
        said = terminal.stdout.read().decode()
    assert not left, said
    assert said.count("interrupted  ") == expected
    assert {
        path: path.read_bytes() for path in checkout.glob("notebooks/*")
    } == notebooks
    assert not [*checkout.glob("build/*/notebooks/*.ipynb")]
