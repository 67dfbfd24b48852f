"""Section 3 of Lopez (2012): few systems, and objections to the equations."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from test_lopez2012_section_2 import assessed

from examples import counts_of, data_error
from study.lopez2012 import section_2, section_3
from wmtlib.core.counts import Counts


def test_a_system_that_met_online_a_more_often_gains_by_equal_exposure():
    """c met online-A in 6 of 10 comparisons, d in 1 of 5; by equal shares c leads."""
    systems = ["online-A", "c", "d"]
    wins = pd.DataFrame([[0, 5, 1], [1, 0, 2], [0, 2, 0]], systems, systems)
    analysis = SimpleNamespace(labels=["a task"], machines=lambda _: Counts(wins, wins))
    found = section_3.online_penalty(analysis)
    now = np.array([3 / 10, 2 / 5])
    share = 7 / 15
    equal = share * np.array([1 / 6, 0]) + (1 - share) * np.array([2 / 4, 2 / 4])
    error = np.sqrt(now * (1 - now) / [10, 5])
    assert found["lost"].to_numpy() == pytest.approx((equal - now) / error)
    assert found["turned"].tolist() == [1]


def test_overlap_of_two_systems():
    rows = assessed(
        ("j", 1, {"a": 1, "b": 2}),
        ("k", 2, {"c": 1, "b": 2}),
        ("k", 3, {"b": -1, "c": 1}),
    )
    once = (1, 0, 0)
    met = counts_of(*[(*pair, *once) for pair in ("ab", "bc", "ac", ["c", "_ref"])])
    ranked = section_2.ranked_systems(rows)
    table = section_3.overlap(ranked, {"2010 Czech-English": met})
    # ab share sentence 1 and judge j, bc sentence 2 and judge k, ac nothing.
    assert table["sentences"].tolist() == table["judges"].tolist() == [1, 0, 1]
    # c meets the reference, a and b do not; each of a and b meets the other.
    assert table["other_rates"].tolist() == [False, True, True]


@pytest.mark.parametrize(
    "systems, message",
    [
        (
            ["cmu", "nobody"],
            "no system 'nobody', or twice; expected some of aalto, bbn-combo",
        ),
        (["cmu", "_ref"], "no system '_ref'"),
        (["cmu", "cmu"], "no system 'cmu', or twice"),
        (["cmu"], "1 systems; expected 2 to 8"),
    ],
)
def test_bad_choices_are_refused(systems, message):
    task = "cs-en" if "nobody" in systems else "de-en"
    with data_error(message):
        section_3.few_systems("wmt10", task, systems, "embedded")


def test_equations_by_hand():
    """a won 3, tied 1 and lost 2 against b, and lost 4 against the reference."""
    counts = counts_of(("a", "b", 3, 2, 1), ("a", "_ref", 0, 4, 0))
    row = section_3.by_hand(counts).loc["a"]
    assert row.iloc[:6].tolist() == [3, 1, 2, 0, 0, 4]
    assert row[["Eq. 1", "Eq. 2", "Eq. 3"]].tolist() == [4 / 10, 3 / 6, 3 / 5]
    assert section_3.write_fractions(row).splitlines() == [
        "a",
        "Eq. 1: (3 + 1 + 0 + 0) / 10 = 0.400",
        "Eq. 2: 3 / 6 = 0.500",
        "Eq. 3: 3 / 5 = 0.600",
    ]
