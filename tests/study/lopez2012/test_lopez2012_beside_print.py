"""Lopez (2012): the verdicts beside the print."""

import pandas as pd
import pytest

from study.data import sources
from study.lopez2012 import beside_print
from study.scoreboard import scoreboard

EMBEDDED = sources.resolve("embedded")


@pytest.fixture(scope="module")
def board(found):
    values = {
        "10-tournaments": beside_print.of_tournaments(found, None),
        "12-all-tasks": beside_print.of_all_tasks(found, None, None),
    }
    parts = [
        scoreboard.compare("lopez2012", notebook, computed, source=EMBEDDED)
        for notebook, computed in values.items()
    ]
    return pd.concat(parts)


def test_nothing_that_the_paper_prints_is_unexplained(board):
    assert board.query("status == 'unexplained'").empty
    not_checkable = board.query("status == 'not-checkable'")["reason"]
    assert len(board) == 185
    assert not_checkable.str.startswith("needs single").sum() == 13
