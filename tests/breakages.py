"""Break the code in many ways, and see which layer of the tests notices.

A row of `breakages.csv` is a wrong line: `right` is once in `module` and becomes
`wrong`. The layers are tried in their order until one notices: the row's tests in `make
test`; those that are slow or need the raw files; and nbval, if the row names a
notebook: the embedded one, or with the raw files ($WMTLIB_DATA) that in `notebooks/`.

A tool for maintainers, in no layer. `python tests/breakages.py` tries all rows; with
numbers after it, such as `3 7`, some of them; with `--every-layer` nbval, too, where a
test has noticed (some notebooks take minutes). It works in a copy of the files, prints
a Markdown table, and fails if nothing notices a breakage.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 1200  # seconds; a run that a breakage keeps from ending is stopped
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
PASSED, NONE_SELECTED = 0, 5  # exit codes of pytest
DEFAULT = "not slow and not realdata"
REST = "slow or realdata"
EVERY = ""


def copied(folder):
    """Copy the files of the repository, as they are now, and those not yet added."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def first_failure(folder, target, marked):
    """Return the first marked test that fails in the copy, or ""."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "--tb=no"]
    command += ["-p", "no:cacheprovider", "-m", marked]
    if target.endswith(".ipynb"):
        command.append("--nbval")
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a restored line is compiled again
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    try:
        run = subprocess.run([*command, target], timeout=PATIENCE, **options)
    except subprocess.TimeoutExpired:
        return f"no end in {PATIENCE} s"
    if run.returncode == PASSED or (run.returncode == NONE_SELECTED and marked):
        return ""
    if found := FAILED.search(run.stdout):
        return found.group(1)
    raise SystemExit(f"{' '.join(command)} {target}\n{run.stdout}{run.stderr}")


@cache
def require_passing(folder, target, marked):
    """Fail if a test notices something without a breakage."""
    if failure := first_failure(folder, target, marked):
        raise SystemExit(f"fails without a breakage: {failure}")


def noticed(folder, row, target, marked):
    """Return the first marked test that notices the breakage of a row, or ""."""
    require_passing(folder, target, marked)
    module = folder / row["module"]
    text = module.read_text("utf-8")
    if text.count(row["right"]) != 1:
        raise SystemExit(f"{row['module']}: expected once: {row['right']}")
    module.write_text(text.replace(row["right"], row["wrong"]), "utf-8")
    try:
        return first_failure(folder, target, marked)
    finally:
        module.write_text(text, "utf-8")


def tried(folder, row, every_layer):
    """Return who notices: a test of `make test`, another test, a notebook's cell.

    "-" stands for what was not tried.
    """
    test = noticed(folder, row, row["tests"], DEFAULT)
    other = "-" if test else noticed(folder, row, row["tests"], REST)
    cell = "-"
    if row["notebook"] and (every_layer or not (test or other)):
        stored = "notebooks" if os.environ.get("WMTLIB_DATA") else "tests/embedded"
        cell = noticed(folder, row, f"{stored}/{row['notebook']}.ipynb", EVERY)
    return test, other, cell


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("numbers", nargs="*", type=int, help="rows to try; all if none")
    parser.add_argument("--every-layer", action="store_true", help="try nbval always")
    options = parser.parse_args()
    with open(Path(__file__).with_suffix(".csv"), newline="", encoding="utf-8") as file:
        rows = [*enumerate(csv.DictReader(file), start=1)]
    unnoticed = 0
    print("| | broken | make test | slow or real data | nbval |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = copied(Path(scratch))
        for number, row in rows:
            if options.numbers and number not in options.numbers:
                continue
            found = tried(folder, row, options.every_layer)
            unnoticed += not {*found} - {"", "-"}
            cells = " | ".join(name or "NONE" for name in found)
            print(f"| {number} | {row['what']} | {cells} |", flush=True)
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
