"""What `make processors` disables, and how it compares two runs."""

import os
import subprocess
import sys

import pytest

from study.data.sources import Source
from study.run import __main__ as run
from study.run import processors

FILES = ("notebooks/10-a.ipynb", "results/b.csv", "figures/c/d.png")


@pytest.fixture
def runs(tmp_path):
    """Write the files of two runs that have come out the same."""
    folders = [tmp_path / "usual", tmp_path / "other"]
    for folder in folders:
        for name in FILES:
            (folder / name).parent.mkdir(parents=True)
            (folder / name).write_text(name)
    (folders[0] / "notebooks" / "settings.py").write_text("of no run")
    return folders


def test_runs_that_are_alike_differ_in_nothing(runs, capsys):
    assert processors.compare_runs(*runs) == 0
    assert capsys.readouterr().out.endswith(": 3 files, 0 differ\n")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "place, text, message",
    [(0, None, "is in"), (1, None, "is missing in"), (1, "1.0000001", "differs from")],
)
def test_a_file_that_differs_or_is_missing_is_named(
    runs, capsys, name, place, text, message
):
    path = runs[place] / name
    path.unlink() if text is None else path.write_text(text)
    assert processors.compare_runs(*runs) == 1
    assert capsys.readouterr().err.startswith(f"{name} {message} ")


def test_numpy_adds_up_otherwise_with_every_feature_disabled():
    disabled = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(processors.features()),
        "OPENBLAS_CORETYPE": "Prescott",
    }
    code = "from study.run.processors import *; print([features(), kernel()])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | disabled,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout in ("[[], 'Katmai']\n", "[[], 'Prescott']\n") or (
        processors.kernel().startswith("unknown")
    )


@pytest.mark.parametrize(
    "route, usual", [("mirror", ""), ("embedded", "build/embedded")]
)
def test_step_compares_with_the_folder_of_the_usual_run(
    tmp_path, monkeypatch, route, usual
):
    compared = []
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "resolve", lambda: Source(route, "abc"))
    monkeypatch.setattr(processors, "compare_runs", lambda *runs: compared.extend(runs))
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path / "build" / "processors"))
    run.main("compare")
    assert compared == [tmp_path / usual, tmp_path / "build" / "processors"]


def test_step_prints_the_features(capsys):
    assert run.main("features") == 0
    assert capsys.readouterr().out.split() == processors.features()
