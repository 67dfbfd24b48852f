"""The notebooks that make runs, in which order, and how long they take.

A notebook is run again when its cells or what it rests on have changed: data, packages,
published numbers, the lock file, parameters. Contents count, not dates.
"""

import hashlib
import json
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from study.data.sources import ROOT, Source
from study.data.storage import file_sha256
from study.run import keep
from study.run.execute import about
from wmtlib.core.errors import DataError

# Seconds from the raw files with nothing kept, two side by side on two cores. Notebooks
# start in this order: the papers' come early, and those that take longest before the
# others, so that no core waits for them at the end. 23 waits for 20, and what waits at
# its turn is started last by make.
SECONDS = {
    "20-perplexity": 153,
    "33-simulation": 229,
    "31-stability": 155,
    "67-humans-or-chance": 60,
    "13-cycles": 121,
    "60-wmt16-official": 324,
    "23-which-model": 63,
    "12-all-tasks": 35,
    "32-case-studies": 30,
    "21-abilities": 30,
    "30-rankings": 21,
    "10-tournaments": 17,
    "11-one-task": 12,
    "62-honest-line": 174,
    "66-printed-ranks": 135,
    "65-hit-or-annotator": 91,
    "63-second-campaign": 36,
    "61-how-few": 47,
    "64-what-is-alike": 38,
    "01-data": 22,
    "40-your-data": 13,
    "00-index": 9,
    "50-explore": 7,
}
UNKNOWN = 10  # seconds of a notebook that is not in this table


def in_order(names: Iterable[str]) -> list[str]:
    """Order notebooks as they start, those that are not in the table first."""
    places = {name: place for place, name in enumerate(SECONDS)}
    return sorted(names, key=lambda name: (places.get(name, -1), name))


def rests_on(source: Source, parameters: str = "") -> str:
    """Compute the SHA-256 of what every notebook rests on.

    Parameters
    ----------
    source : Source
    parameters : str
        The file of the user's parameters, if there is one.
    """
    values = [source.route, source.sha256, keep.inputs_sha256()]
    if parameters:
        values.append(file_sha256(parameters))
    return hashlib.sha256("\n".join(values).encode()).hexdigest()


def cells_sha256(path: Path) -> str:
    """Compute the SHA-256 of the cells of a notebook, without their outputs.

    Raises
    ------
    DataError
        The file is no notebook.
    """
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        parts = [
            [cell["cell_type"], "".join(cell["source"]), cell["metadata"].get("tags")]
            for cell in cells
        ]
    except (ValueError, LookupError, TypeError) as error:
        raise DataError(f"{path}: not a notebook ({error})") from None
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def remove_outdated(
    folder: Path,
    names: Iterable[str],
    rests: str,
    *,
    commit: bool = False,
    lost: Collection[str] = (),
    force: bool = False,
) -> list[str]:
    """Remove executed notebooks that are not up to date, so that make runs them.

    Parameters
    ----------
    folder : Path
        What make calls OUT.
    names : iterable of str
        The notebooks of this run.
    rests : str
        What they rest on, by `rests_on`.
    commit : bool
        Executed notebooks are in notebooks/, too, and have to be the same there.
    lost : collection of str
        Notebooks whose files are missing or have changed.
    force : bool
        Remove all of them.

    Returns
    -------
    list of str
        Those that make will run.
    """
    record = folder / "states.json"
    before = json.loads(record.read_text("utf-8")) if record.exists() else {}
    states = {}
    outdated = []
    for name in names:
        original = ROOT / "notebooks" / f"{name}.ipynb"
        executed = folder / "notebooks" / f"{name}.ipynb"
        states[name] = f"{cells_sha256(original)} {rests}"
        current = (
            executed.exists()
            and (folder / "written" / f"{name}.txt").exists()
            and states[name] == before.get(name)
            and name not in lost
            and not (commit and original.read_bytes() != executed.read_bytes())
        )
        if force or not current:
            executed.unlink(missing_ok=True)
            outdated.append(name)
    folder.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(states, indent=1), "utf-8")
    return outdated


def write_plan(folder: Path, names: Collection[str], jobs: int) -> str:
    """Write what `execute.progress` reads, and say in a line what is ahead."""
    running = folder / "running"
    running.mkdir(parents=True, exist_ok=True)
    (running / "ended.txt").unlink(missing_ok=True)
    expected = {name: SECONDS.get(name, UNKNOWN) for name in names}
    plan: dict[str, Any] = {"started": time.time(), "expected": expected}
    plan["jobs"] = min(jobs, len(names) or 1)
    (running / "plan.json").write_text(json.dumps(plan, indent=1), "utf-8")
    if not names:
        return "Notebooks: none has to be run again (FORCE=1 runs all)"
    time_ahead = about(sum(expected.values()) / plan["jobs"])
    return (
        f"Notebooks: {len(names)} to run, {time_ahead} if no earlier results are kept"
    )
