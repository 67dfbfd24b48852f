"""Break the package in many ways, and see which notebook cell and which unit test
notice.

A row of `breakages.csv` is a wrong line: `right` stands once in `module` and becomes
`wrong`. The notebook, if there is one, and the tests have to notice.

Not part of the gate. `python tests/breakages.py` needs the raw files; with numbers
after it, such as `3 7`, it tries some of them. Each has a new copy of the committed
files, broken before any of its modules is compiled. Prints a Markdown table; fails if a
breakage goes unnoticed.
"""

import csv
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 600  # seconds after which a run that a breakage keeps from ending is stopped
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def checkout(folder):
    """Unpack the files of the last commit."""
    archive = subprocess.run(
        ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
    )
    packed = folder.with_suffix(".tar")
    packed.write_bytes(archive.stdout)
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")


def first_failure(folder, target):
    """The first test that fails there, as pytest names it; empty if all pass, or none
    ends.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "--no-header",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "PYTHONPATH": str(folder), "CI": "1"}
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    try:
        run = subprocess.run([*command, target], timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired:
        return ""
    found = FAILED.search(run.stdout)
    return found.group(1) if found else ""


def tried(row):
    """The first notebook cell and the first test that fail once the line is wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "copy"
        checkout(folder)
        module = folder / row["module"]
        text = module.read_text("utf-8")
        if text.count(row["right"]) != 1:
            raise SystemExit(f"{row['module']}: expected once: {row['right']}")
        module.write_text(text.replace(row["right"], row["wrong"]), "utf-8")
        notebook = f"notebooks/{row['notebook']}.ipynb" if row["notebook"] else ""
        cell = first_failure(folder, notebook) if notebook else "-"
        return cell, first_failure(folder, row["tests"])


def main(chosen):
    with open(Path(__file__).with_suffix(".csv"), newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    print("| broken | notebook cell | unit test |\n|---|---|---|")
    unnoticed = 0
    for number, row in enumerate(rows, start=1):
        if chosen and number not in chosen:
            continue
        cell, test = tried(row)
        unnoticed += not (cell and test)
        print(f"| {row['what']} | {cell or 'NONE'} | {test or 'NONE'} |", flush=True)
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]]))
