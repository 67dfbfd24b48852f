"""Warnings of names that hardly differ, and of systems that never met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import counts_of
from wmtlib.remarks import remarks


@pytest.mark.parametrize(
    "first, second",
    [
        ("GPT-4", "gpt-4"),
        ("Zu\u0308rich", "Zürich"),
        ("A  B", "A B"),
        ("gpt-4", "gpt_4"),
        ("GPT", "GРT"),  # the second P is Cyrillic
        ("1", "1.0"),
    ],
)
def test_names_that_look_alike(first, second):
    (warning,) = remarks([first, "X", second])
    assert warning.startswith(f"{first!r} and {second!r} are counted as 2 systems; if")


def test_systems_in_many_groups():
    pairs = ["ab", "cd", "ef", "gh"]
    counts = counts_of(*((*pair, 1, 0, 0) for pair in pairs))
    (warning,) = remarks(counts.systems, counts=counts)
    assert warning.startswith(
        "systems fall into 4 groups without a comparison between them"
        " ('a', 'b'; 'c', 'd'; 'e', 'f'; ...): the order"
    )


@given(
    st.sets(
        st.tuples(*[st.integers(0, 7)] * 2).filter(lambda p: p[0] < p[1]), min_size=1
    )
)
def test_groups_are_those_that_a_walk_finds(pairs):
    apart = {system for pair in pairs for system in pair}
    number = 0
    while apart:
        number += 1
        reached = {apart.pop()}
        while more := {x for p in pairs if reached & {*p} for x in p} - reached:
            reached |= more
        apart -= reached
    counts = counts_of(*((f"s{a}", f"s{b}", 1, 0, 0) for a, b in pairs))
    warnings = remarks(counts.systems, counts=counts)
    assert bool(warnings) == (number > 1)
    assert not warnings or f"fall into {number} groups" in warnings[0]
