"""The scoreboard: what counts as equal, and what is never let through."""

import pandas as pd
import pytest

from wmtlib.releases import sources
from wmtlib.study import runner, scoreboard
from wmtlib.study.scoreboard import Explained, NotCheckable, Noted, Partial, Verdict

SOURCE = sources.Source("embedded", "00000000")


@pytest.mark.parametrize(
    ("printed", "value", "status"),
    [
        ("61", 61, "exact"),
        ("61", 62, None),
        ("0.43", 3 / 7, "rounded"),
        ("0.5", 0.5, "exact"),
        ("0.43", 0.436, None),
        ("3", 3.4, None),  # printed without decimals: nothing is rounded away
        (">0.5", 0.64, "exact"),
        (">25", 25, None),
        ("2/4", "2/4", "exact"),
        ("2/4", "1/2", None),
        ("ONLINEB, LIUM", "onlineB, lium", "exact"),
        ("ONLINEB, LIUM", "lium, onlineB", None),
    ],
)
def test_relation(printed, value, status):
    assert scoreboard.relation(printed, value) == status


@pytest.mark.parametrize(
    ("printed", "computed", "status"),
    [
        ("69", 69, "exact"),
        ("69", 28, "unexplained"),
        ("69", None, "unexplained"),
        ("69", Noted(69, "one of two"), "exact"),
        ("69", Explained(28, 69, "it is Eq. 2's"), "known-difference"),
        ("69", Explained(28, 70, "it is Eq. 2's"), "unexplained"),  # the reason fails
        ("69", Explained(69, 69, "it is Eq. 2's"), "unexplained"),  # the reason is not needed
        ("69", NotCheckable("not public"), "not-checkable"),
        ("1/13", Partial(1, 12, "de-en"), "consistent"),
        ("2/13", Partial(1, 12, "de-en"), "consistent"),
        ("3/13", Partial(1, 12, "de-en"), "unexplained"),  # one absent case is not two
        ("0/13", Partial(1, 12, "de-en"), "unexplained"),
        ("1/13", Partial(1, 13, ""), "exact"),
        ("robust", Verdict({"a": True, "b": True}, "1"), "holds"),
        ("robust", Verdict({"a": True, "b": False}, "1"), "holds-partly"),
        ("robust", Verdict({"a": False}, "1"), "does-not-hold"),
    ],
)
def test_judge(printed, computed, status):
    assert scoreboard.judge(printed, computed)[1] == status


def test_reasons_that_stopped_holding_say_so():
    _, _, reason = scoreboard.judge("69", Explained(69, 28, "it is Eq. 2's"))
    assert reason == "the reason no longer applies: it is Eq. 2's"


def test_compare_lists_every_published_row_once_and_in_order():
    board = scoreboard.compare("lopez2012", "10-tournaments", {}, source=SOURCE)
    printed = scoreboard.load_published("lopez2012")
    assert list(board.columns) == scoreboard.SCOREBOARD
    assert board["published"].tolist() == printed["published"].tolist()
    assert (board["status"] == "unexplained").all()  # nothing computed, nothing let through


def test_a_value_that_the_paper_does_not_print_is_refused():
    with pytest.raises(ValueError, match="computed but not published"):
        scoreboard.compare("lopez2012", "10-tournaments", {("table-9", "x"): 1}, source=SOURCE)


def test_summary_counts_every_row():
    board = pd.DataFrame({"status": ["exact", "exact", "rounded", "unexplained"]})
    counted = scoreboard.summary(board)
    assert counted["published"] == 4 == sum(counted[s] for s in scoreboard.STATUSES)
    assert counted["exact"] == 2


def test_tables_are_rounded_and_written_below_the_output_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    scoreboard.save_table(pd.DataFrame({"x": [1 / 3]}), "thirds", SOURCE)
    assert (tmp_path / "results" / "thirds.csv").read_text() == "x\n0.333333\n"
    assert [p.name for p in (tmp_path / "results").iterdir()] == ["thirds.csv"]


def test_scoreboards_are_joined_and_a_missing_row_is_unexplained(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    board = scoreboard.compare("lopez2012", "10-tournaments", {}, source=SOURCE)
    scoreboard.save_scoreboard(board.iloc[1:].assign(status="exact"), "10-tournaments", SOURCE)
    joined = scoreboard.join_scoreboards(tmp_path / "scoreboard")
    papers = {path.stem for path in scoreboard.PUBLISHED.glob("*.csv")}
    assert len(joined) == sum(len(scoreboard.load_published(paper)) for paper in papers)
    lopez = joined[joined["paper"] == "lopez2012"].reset_index(drop=True)
    assert lopez["quantity"].tolist() == board["quantity"].tolist()
    assert lopez.loc[0, ["status", "reason"]].tolist() == [
        "unexplained",
        "no notebook computed a value",
    ]
    assert (lopez["status"][1:] == "exact").all()


def test_every_published_row_names_a_notebook_that_is_there():
    assert set(scoreboard.notebooks()) < {run.notebook for run in runner.runs()}


def test_the_signature_names_item_data_settings_and_versions():
    signature = scoreboard.signature("lopez2012/table-2", SOURCE, seed=7)
    assert signature.startswith("lopez2012/table-2|data=embedded:00000000|seed=7|wmtlib=")
    assert "numpy=" in signature
