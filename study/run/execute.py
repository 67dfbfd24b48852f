"""Run a notebook for make: `python -m study.run.execute NAME FOLDER [yes]`.

The executed notebook comes into FOLDER/notebooks, and with a third word goes back to
notebooks/, too. It gets its name last: whenever a run is killed, a notebook is in both
folders as it was or whole. FOLDER/written/NAME.txt lists the files that it wrote. The
line that is printed says how many have ended, and about how long the rest takes.

This module is loaded for each notebook, so it imports nothing that takes long.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

INTERRUPTED = 130  # the exit code, as of a shell
WATCHED = 0.5  # seconds between two looks at the parent
SIGNALS = [signal.SIGINT, signal.SIGTERM]
if hasattr(signal, "SIGHUP"):  # unknown to Windows
    SIGNALS.append(signal.SIGHUP)


# --- processes ------------------------------------------------------------------------


def end_with_parent() -> threading.Event:
    """Make SIGTERM reach this process when the one that started it has ended.

    Whoever kills make ends what make has started, where no terminal does so, too.

    Returns
    -------
    threading.Event
        Set it to end the watch.
    """
    parent = os.getppid()
    main_thread = threading.get_ident()
    stopped = threading.Event()

    def watch() -> None:
        while os.getppid() == parent:
            if stopped.wait(WATCHED):
                return
        signal.pthread_kill(main_thread, signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()
    return stopped


def run_child(command: Sequence[str], **settings: Any) -> int:
    """Run a command to its end, and return its exit code.

    If this process is interrupted, ended or left without its parent, the command ends,
    too, and the code is `INTERRUPTED`. Signals that are ignored (nohup) stay so.
    """
    received = []
    child = subprocess.Popen(command, **settings)

    def pass_on(number: int, _frame: Any) -> None:
        received.append(number)
        if number != signal.SIGINT:  # the terminal sends it to the child itself
            child.terminate()

    before = {}
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, pass_on)
    stopped = end_with_parent()
    try:
        code = child.wait()
    finally:
        stopped.set()
        for number, handler in before.items():
            signal.signal(number, handler)
    return INTERRUPTED if received else code


# --- a notebook -----------------------------------------------------------------------


def run_papermill(source: Path, target: Path, log: Path, parameters: str = "") -> int:
    """Run a notebook by papermill, in its own folder; return the exit code.

    Parameters
    ----------
    source, target, log : Path
    parameters : str
        A YAML file; "" for the notebook's own.
    """
    command = [sys.executable, "-m", "study.run.papermill", str(source), str(target)]
    command += ["--kernel", "python3", "--cwd", str(source.parent)]
    command += ["--no-progress-bar"]
    if parameters:
        command += ["--parameters_file", str(Path(parameters).absolute())]
    with open(log, "w", encoding="utf-8") as file:
        code = run_child(command, stdout=file, stderr=subprocess.STDOUT)
    if code == 0:
        with open(target, "a", encoding="utf-8") as file:
            file.write("\n")  # papermill ends a file without a line end
    return code


def ending(code: int, name: str, log: Path, seconds: float) -> str:
    """Say in a few words how a notebook has ended."""
    if code == 0:
        return f"{seconds:6.0f} s  {name}"
    if code == INTERRUPTED:
        return f"  interrupted  {name}"
    *_, reason = [f"exit code {code}", *log.read_text("utf-8").splitlines()]
    return f"  FAILED  {name}: {reason}"


def progress(folder: Path, name: str, seconds: float) -> tuple[str, str]:
    """Note that a notebook has ended.

    Returns
    -------
    counted : str
        Such as "9 of 21"; empty if make was not called by the step `start`.
    left : str
        About how long the rest takes; empty at the end.
    """
    plan_file = folder / "plan.json"
    if not plan_file.exists():
        return "", ""
    plan = json.loads(plan_file.read_text("utf-8"))
    with open(folder / "ended.txt", "a", encoding="utf-8") as file:
        file.write(f"{name} {seconds}\n")
    lines = (folder / "ended.txt").read_text("utf-8").splitlines()
    place = 1 + [line.split()[0] for line in lines].index(name)
    ended = {one: float(took) for one, took in map(str.split, lines[:place])}
    counted = f"{place} of {len(plan['expected'])}"
    return counted, time_left(plan, ended, time.time())


def time_left(plan: dict[str, Any], ended: dict[str, float], now: float) -> str:
    """Estimate how long the rest takes: as much slower as what has ended was.

    Parameters
    ----------
    plan : dict
        The time of the start, how many run side by side, and of each notebook the
        seconds that are expected.
    ended : dict
        Of each notebook that has ended the seconds that it took.
    """
    expected = plan["expected"]
    if not {*expected} - {*ended}:
        return ""
    slower = sum(ended.values()) / sum(expected.get(name, 1) for name in ended)
    whole = slower * sum(expected.values()) / plan["jobs"]
    return f"{about(whole - (now - plan['started']))} left"


def about(seconds: float) -> str:
    """Round seconds to minutes."""
    return "less than a minute" if seconds < 60 else f"about {seconds / 60:.0f} min"


def main(name: str, output: str, commit: str = "") -> int:
    """Run notebooks/NAME.ipynb; return 0, or the exit code if it failed."""
    folder = Path(output)
    source = Path("notebooks", f"{name}.ipynb")
    for part in ("notebooks", "written", "running"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    executed = folder / "notebooks" / source.name
    executed.unlink(missing_ok=True)
    written = folder / "written" / f"{name}.txt"
    written.write_text("")
    os.environ["WMTLIB_WRITTEN"] = str(written.absolute())
    parameters = os.environ.get("PARAMS", "") if folder.name == "mine" else ""
    running = folder / "running"
    log = running / f"{name}.log"
    start = time.time()
    code = run_papermill(source, running / source.name, log, parameters)
    if code == 0:
        if commit:
            unfinished = source.with_suffix(".ipynb.new")
            shutil.copyfile(running / source.name, unfinished)
            unfinished.replace(source)
        (running / source.name).replace(executed)
    seconds = time.time() - start
    counted, left = "", ""
    if code != INTERRUPTED:
        counted, left = progress(running, name, seconds)
    line = f"{counted:>8}{ending(code, name, log, seconds)}"
    with suppress(OSError):  # a terminal that is closed
        print(f"{line:<44}{left}".rstrip(), flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
