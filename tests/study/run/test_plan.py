"""Which notebooks make runs again: those with other contents, whatever their dates."""

import json
import os
import shutil
from types import SimpleNamespace

import pytest

from examples import data_error
from study.data.sources import ROOT
from study.run import keep, plan

NAMES = ["10-work", "11-other"]
RAW = SimpleNamespace(route="mirror", sha256="abc")


def write_notebook(path, source, outputs=()):
    cell = {"cell_type": "code", "source": source, "outputs": [*outputs]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": [cell | {"metadata": {}}]}))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a folder with two notebooks, and what they rest on, for the repository."""
    monkeypatch.setattr(plan, "ROOT", tmp_path)
    monkeypatch.setattr(keep, "ROOT", tmp_path)
    # Each call is one of a new process.
    monkeypatch.setattr(keep, "inputs_sha256", keep.inputs_sha256.__wrapped__)
    for name in ("wmtlib/a.py", "study/b.csv", "data/c.csv", "requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("as it was")
    for name in NAMES:
        write_notebook(tmp_path / "notebooks" / f"{name}.ipynb", "print(1)")
    return tmp_path


@pytest.fixture
def run(checkout):
    """Return what make would run now, and run it: the notebooks are copied."""

    def run(rests="", **settings):
        folder = checkout / "out"
        names = plan.remove_outdated(folder, NAMES, rests, **settings)
        for name in names:
            for part in ("notebooks", "written"):
                (folder / part).mkdir(exist_ok=True)
            shutil.copy(checkout / "notebooks" / f"{name}.ipynb", folder / "notebooks")
            (folder / "written" / f"{name}.txt").touch()
        return names

    assert run() == NAMES
    return run


def test_nothing_is_run_again_where_nothing_has_changed(run):
    assert run() == []


def test_a_touched_notebook_is_not_run_again(run, checkout):
    (checkout / "notebooks" / "10-work.ipynb").touch()
    assert run() == [] == run(commit=True)


def test_an_edited_notebook_is_run_again_whatever_its_date(run, checkout):
    path = checkout / "notebooks" / "10-work.ipynb"
    write_notebook(path, "print(2)")
    os.utime(path, (0, 0))
    assert run() == ["10-work"]
    assert run() == []


def test_other_outputs_count_only_where_they_are_committed(run, checkout):
    path = checkout / "notebooks" / "10-work.ipynb"
    write_notebook(path, "print(1)", ["something else"])
    assert run() == []
    assert run(commit=True) == ["10-work"]


@pytest.mark.parametrize("part", ["notebooks/10-work.ipynb", "written/10-work.txt"])
def test_a_notebook_is_run_again_where_what_it_left_is_missing(run, checkout, part):
    (checkout / "out" / part).unlink()
    assert run() == ["10-work"]


def test_lost_results_and_force_run_notebooks_again(run):
    assert run(lost=["11-other", "None"]) == ["11-other"]
    assert run(force=True) == NAMES


def test_a_notebook_that_has_not_run_to_its_end_is_run_again(run, checkout):
    write_notebook(checkout / "notebooks" / "10-work.ipynb", "print(2)")
    assert plan.remove_outdated(checkout / "out", NAMES, "") == ["10-work"]
    assert not (checkout / "out" / "notebooks" / "10-work.ipynb").exists()
    assert run() == ["10-work"]


@pytest.mark.parametrize(
    "name", ["wmtlib/a.py", "study/b.csv", "data/c.csv", "requirements.lock", "mine"]
)
def test_what_notebooks_rest_on_counts_by_its_contents(checkout, name):
    (checkout / "mine").write_text("seed: 1")
    mine = str(checkout / "mine")
    before = plan.rests_on(RAW, mine)
    (checkout / name).touch()
    (checkout / "study" / "b.cpython-311.pyc").touch()
    assert plan.rests_on(RAW, mine) == before
    (checkout / name).write_text("other")
    assert plan.rests_on(RAW, mine) != before


@pytest.mark.parametrize("field", ["route", "sha256"])
def test_notebooks_rest_on_the_data_of_the_run(checkout, field):
    other = SimpleNamespace(**vars(RAW) | {field: "other"})
    assert plan.rests_on(other) != plan.rests_on(RAW)


def test_a_file_that_is_no_notebook_is_named(checkout):
    (checkout / "notebooks" / "11-other.ipynb").write_text("<<<<<<< HEAD")
    with data_error("11-other.ipynb: not a notebook"):
        plan.remove_outdated(checkout / "out", NAMES, "")


def test_order_puts_new_notebooks_first_and_the_papers_before_what_goes_beyond():
    names = [path.stem for path in ROOT.glob("notebooks/[0-9]*.ipynb")]
    assert {*names} == {*plan.SECONDS}, "enter the seconds that it takes"
    assert plan.in_order([*names, "99-new"]) == ["99-new", *plan.SECONDS]


def test_plan_says_what_is_ahead(checkout):
    folder = checkout / "out"
    said = plan.write_plan(folder, ["20-perplexity", "99-new"], jobs=4)
    written = json.loads((folder / "running" / "plan.json").read_text())
    ahead = "about 1 min if no earlier results are kept"
    assert said == f"Notebooks: 2 to run, {ahead}"
    assert written["jobs"] == 2
    assert written["expected"] == {"20-perplexity": 153, "99-new": 10}
    assert "none has to be run" in plan.write_plan(folder, [], jobs=4)
