"""What sets of ranks, and perplexities, do not allow for, by the units of a file."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from wmtlib.core.units import Units
from wmtlib.files.read import read
from wmtlib.report import sampling_units

UNKNOWN_JUDGES = "judges_unknown", "the file does not tell who judged what: if judges"
UNKNOWN_ITEMS = "segments_fixed", "the file does not tell what was judged: ranks and"


@pytest.mark.parametrize(
    ("known", "kinds", "these", "said"),
    [
        (["judge", "segment"], ["judge", "segment"], [], []),
        (["worker", "hit", "document", "segment"], ["worker", "document"], [], []),
        (["judge"], ["judge"], [], [UNKNOWN_ITEMS]),
        (["segment"], ["segment"], [], [UNKNOWN_JUDGES]),
        ([], [], [], [UNKNOWN_JUDGES]),
        (
            ["judge_group", "segment"],
            ["judge_group", "segment"],
            [],
            [("judges_grouped", "judges come in groups, which are left out in turn")],
        ),
        (
            ["worker", "segment"],
            ["segment"],
            [("worker", 3)],
            [
                (
                    "few_judges",
                    "only 3 annotators: what is said is about these, and not about"
                    " others; ask 7 or more",
                )
            ],
        ),
        (
            ["judge", "ranking", "segment"],
            ["ranking"],
            [("judge", 1), ("segment", 6)],
            [
                ("few_judges", "only 1 judge: what is said is about this one, and not"),
                ("few_units", "only 6 segments: what is said is about these, and not"),
            ],
        ),
    ],
)
def test_warnings_of_the_usual_units(known, kinds, these, said):
    units = Units(tuple(kinds), tuple(9 for _ in kinds), tuple(these))
    judgements = SimpleNamespace(units=known)
    sets = SimpleNamespace(is_known=True, units=units)
    lines = sampling_units.warnings_of(sets, judgements, False)
    assert [line.code for line in lines] == [code for code, _ in said]
    assert all(map(str.startswith, lines, [words for _, words in said]))
    sets = SimpleNamespace(is_known=False, units=units)
    assert sampling_units.warnings_of(sets, judgements, False) == []


@pytest.mark.parametrize(
    ("known", "kinds", "others"),
    [
        (["judge", "segment"], [], "comparisons alone: .* other judges or segments"),
        (["worker", "document"], ["document"], "documents alone: .* other annotators"),
        (["worker", "hit"], ["hit"], "HITs alone: .* other annotators"),
        (["judge_group"], [], "comparisons alone: .* other judge groups"),
        (["judge"], ["judge"], ""),
        ([], [], ""),
    ],
)
def test_warnings_of_a_unit_that_was_asked_for(known, kinds, others):
    units = Units(tuple(kinds), tuple(9 for _ in kinds))
    sets = SimpleNamespace(is_known=True, units=units)
    lines = sampling_units.warnings_of(sets, SimpleNamespace(units=known), True)
    assert len(lines) == bool(others)
    assert all(line.code == "dependent" for line in lines)
    assert all(re.fullmatch(f"by {others}", line) for line in lines)


@pytest.mark.parametrize(
    ("judges", "step"), [(5, "; hold out whole judges: --unit judge"), (3, "")]
)
def test_still_shared_names_a_unit_that_fills_all_folds(judges, step):
    votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaab"] * 15})
    number = np.arange(60)
    judgements = read(votes.assign(judge=number % judges, segment=number))
    [line] = sampling_units.still_shared(judgements, "segment", 5)
    fault = "segments were held out, and others of the same judge were trained on"
    assert line.command_line == f"{fault}: perplexities may be too low{step}"
    assert sampling_units.still_shared(judgements, "judge", 5) == []
