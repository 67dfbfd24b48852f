"""The scoreboard: every published row once, and nothing that is not published."""

import pandas as pd
import pytest

from study.data import sources
from study.scoreboard import scoreboard
from study.scoreboard.published import FOLDER, load_all, load_published

SOURCE = sources.Source("embedded", "00000000")


@pytest.fixture
def output(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    return tmp_path


def compared(values, notebook="10-tournaments"):
    return scoreboard.compare("lopez2012", notebook, values, source=SOURCE)


def test_compare_lists_every_published_row_once_and_in_order():
    board = compared({})
    printed = load_published("lopez2012").query("notebook == '10-tournaments'")
    assert list(board.columns) == scoreboard.SCOREBOARD
    assert board["published"].tolist() == printed["published"].tolist()
    # nothing computed, nothing let through
    assert set(board["status"]) <= {"unexplained", "not-checkable"}


def test_compare_shares_facts_and_judges_words_at_other_thresholds():
    values = {
        "penalty": pd.Series([0.1, 0.2, -0.3]),
        "L-1-05": {"task": pd.DataFrame({"systems": [20] * 4})},
        "L-1-06": 25,
        "L-T2-03": 38,  # of another notebook
    }
    board = compared(values).set_index("id")
    assert "L-T2-03" not in board.index
    row = board[["reproduced", "status", "at_half", "at_twice", "reason"]].T
    # Two of three are most (more than 0.5), and not all (more than 1); four are a few
    # (5), not 2.5.
    most = ["above zero in 2 of 3 tasks", "holds", "holds", "does-not-hold"]
    assert row["L-3-04"][:4].tolist() == most
    few = ["4 tasks", "holds", "does-not-hold", "holds"]
    assert row["L-1-05"][:4].tolist() == few
    assert row["L-3-04"]["reason"].endswith(
        "open to reading: does-not-hold at half or twice the threshold"
    )
    # It could not have failed alone.
    assert row["L-1-06"][:4].tolist() == ["25", "follows", "", ""]
    # A fact is not computed.
    assert row["L-2-06"][:2].tolist() == ["", "unexplained"]


@pytest.mark.parametrize("value, status", [(0.43, "exact"), (0.4321, "rounded")])
def test_numbers_that_follow_from_others_count_apart(monkeypatch, value, status):
    def verdict():
        row = compared({"L-5.2-09": value}, "12-all-tasks").set_index("id")
        return row.loc["L-5.2-09", ["status", "reason"]].tolist()

    assert verdict() == [status, ""]
    follows = {"L-5.2-09": "L-5.2-10: its half"}
    monkeypatch.setattr(scoreboard.published, "lookup", lambda name: follows)
    assert verdict() == ["follows", "L-5.2-10: its half"]


def test_compare_says_which_other_row_a_claim_repeats():
    rho = pd.Series({"Eq. 1": 0.9, "Eq. 3": 0.95})
    row = compared({"rho": rho}, "12-all-tasks").set_index("id").loc["L-5.2-11"]
    assert row["status"] == "does-not-hold"
    assert "; L-5.2-10: the same slip" in row["reason"]


def test_compare_judges_claims_with_a_p_for_all_tests():
    p = pd.Series([0.049] * 199 + [0.2])
    rows = compared({"p": p}, "12-all-tasks").set_index("id")
    columns = ["status", "all_tests"]
    assert rows.loc["L-6-10", columns].tolist() == ["does-not-hold", "holds"]
    assert rows.loc["L-6-01", "all_tests"] == ""


def test_differing_keeps_what_is_not_as_printed_and_can_be_checked():
    lookup = pd.read_csv(FOLDER / "statuses.csv")["status"]
    board = pd.DataFrame({"id": lookup, "status": lookup})
    kept = scoreboard.differing(board).index
    assert set(kept) == {
        "known-difference",
        "holds-partly",
        "does-not-hold",
        "undecided",
        "unexplained",
    }


def test_what_came_out_counts_numbers_that_could_have_failed():
    statuses = [*["exact"] * 2, "rounded", "follows", "known-difference", "holds"]
    board = pd.DataFrame({"status": statuses})
    assert scoreboard.came_out(board) == (
        "Of 4 printed numbers that can be recomputed one by one, 3 come out; a slip of"
        " print explains each of the other 1."
    )
    assert scoreboard.came_out(board[:4]).endswith("one by one, 3 come out.")


def test_summary_counts_kinds_apart():
    statuses = ["exact", "exact", "arithmetic", "holds", *["not-checkable"] * 2]
    criteria = ["", "", "", "more than half", "more than half", ""]
    counted = scoreboard.summary(
        pd.DataFrame({"status": statuses, "criterion": criteria})
    )
    rows = counted.set_index(["kind", "status"])["rows"]
    assert rows.to_dict() == {
        ("numbers", "exact"): 2,
        ("numbers", "not-checkable"): 1,
        ("arithmetic", "arithmetic"): 1,
        ("claims", "holds"): 1,
        ("claims", "not-checkable"): 1,
    }


def test_save_table_rounds_and_writes_below_the_output_folder(output):
    scoreboard.save_table(pd.DataFrame({"x": [1 / 3]}), "thirds", SOURCE)
    assert (output / "results" / "thirds.csv").read_text() == "x\n0.333333\n"
    assert [p.name for p in (output / "results").iterdir()] == ["thirds.csv"]


def test_join_scoreboards_calls_a_missing_row_unexplained(output):
    board = compared({})
    exact = board.iloc[1:].assign(status="exact")
    scoreboard.save_scoreboard(exact, "10-tournaments", SOURCE)
    joined = scoreboard.join_scoreboards(output / "scoreboard")
    assert len(joined) == len(load_all())
    lopez = joined[joined["paper"] == "lopez2012"].merge(board[["item", "quantity"]])
    assert lopez.iloc[0][["status", "reason"]].tolist() == [
        "unexplained",
        "no notebook computed a value",
    ]
    assert (lopez["status"][1:] == "exact").all()
