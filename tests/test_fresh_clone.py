"""A stranger's clone: the committed files are all that the two commands need.

The environment itself is not created again here (`make test` has just done that); everything else
happens in a new clone, with an empty home and without the variables of this shell.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wmtlib.releases.sources import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the git history to clone"),
]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(ROOT), str(folder))
    return folder


def make(clone: Path, *arguments: str, **variables: str) -> str:
    """Run make in the clone, with this environment's Python but the clone's own package."""
    home = clone.parent / "home"
    home.mkdir(exist_ok=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("WMTLIB_", "MPL", "JUPYTER"))}
    environment = kept | {"HOME": str(home), "PYTHONPATH": str(clone)} | variables
    venv = sys.prefix
    command = ["make", f"VENV={venv}", "-o", f"{venv}/.ready", "JOBS=2", *arguments]
    done = subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(
    bool(os.environ.get("WMTLIB_DATA")),
    reason="the raw files are at hand: the test below runs instead, and nbval on embedded data",
)
def test_reproduce_from_the_embedded_data(clone):
    out = make(clone, "reproduce", "SOURCE=embedded")
    assert " 0 unexplained" in out and "from embedded data" in out
    assert git(clone, "status", "--porcelain") == ""  # committed results come from the raw files
    assert (clone / "build" / "embedded" / "results" / "scoreboard.csv").is_file()
    assert (clone / "build" / "report" / "index.html").is_file()


@pytest.mark.realdata
def test_reproduce_from_the_raw_files_gives_the_committed_bytes(clone, mirror):
    out = make(clone, "reproduce", "SOURCE=mirror", WMTLIB_DATA=str(mirror))
    assert " 0 unexplained" in out and "from raw data" in out
    assert git(clone, "status", "--porcelain") == ""
