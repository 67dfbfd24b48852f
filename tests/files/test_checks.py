"""Warnings of names that hardly differ, and of systems that never met."""

import time

import numpy as np
import pandas as pd
import pytest

from examples import counts_of
from wmtlib.core.assessments import encode
from wmtlib.core.errors import JudgementWarning
from wmtlib.files.checks import loose_groups, remarks
from wmtlib.files.read import read
from wmtlib.methods import rank
from wmtlib.report.answers import answer_ranking


@pytest.mark.parametrize(
    "first, second",
    [
        ("GPT-4", "gpt-4"),
        ("Zu\u0308rich", "Zürich"),
        ("A  B", "A B"),
        ("gpt-4", "gpt_4"),
        ("gpt-4", "gpt\u20114"),
        ("gpt-4", "gpt\u20134"),
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
    (warning,) = remarks(counts.systems, data=counts)
    assert warning.startswith(
        "systems fall into 4 groups without a comparison between them"
        " ('a', 'b'; 'c', 'd'; 'e', 'f'; ...): the order"
    )


def test_loose_groups_of_a_chain_of_many_systems_take_a_second():
    names = [f"s{k:03}" for k in range(600)]
    pairs = zip(names[1:], names, strict=False)
    counts = counts_of(*((a, b, 2, 2, 0) for a, b in pairs))
    start = time.process_time()
    assert loose_groups(counts) == {}  # each system is alone
    assert time.process_time() - start < 1


def judged(rows):
    """A campaign of (worker, system), each with two segments and two scores."""
    frame = pd.DataFrame(rows, columns=["worker", "system"])
    frame = pd.concat([frame.assign(segment=k, score=40.0 * k) for k in (1, 2)])
    return frame.assign(segment=frame["segment"].astype(str))


APART = [("ann", "x"), ("ann", "y"), ("cem", "p"), ("cem", "q")]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (APART, "2 groups without a worker in common"),
        ([("ann", "x"), ("bob", "y"), ("cem", "z")], "3 groups"),
        ([*APART, ("dan", "x"), ("dan", "q")], ""),
        ([("ann", "x"), ("bob", "y"), ("ann", "z"), ("bob", "z")], ""),
    ],
)
def test_systems_without_a_common_worker(rows, said):
    frame = judged(rows)
    lines = remarks(data=encode(frame))
    assert len(lines) == bool(said) and all(said in line for line in lines)
    # A worker whose scores never vary links nothing.
    flat = pd.DataFrame({"worker": "eve", "system": [*{s for _, s in rows}]})
    flat = flat.assign(segment="1", score=50.0)
    assert remarks(data=encode(pd.concat([frame, flat]))) == lines


def test_no_line_is_drawn_between_groups_of_workers():
    rng = np.random.default_rng(0)
    means = {"x": ("vw", 82), "y": ("vw", 70), "p": ("st", 42), "q": ("st", 30)}
    rows = [
        (worker, system, f"d{k // 2}", str(k), mean + rng.normal(0, 3))
        for system, (workers, mean) in means.items()
        for worker in workers
        for k in range(24)
    ]
    columns = ["worker", "system", "document", "segment", "score"]
    frame = pd.DataFrame(rows, columns=columns)
    judgements = read(frame, scale=(0, 100))
    with pytest.warns(JudgementWarning, match="groups without a worker in common"):
        rank(judgements, "z-score")
    for options in ({}, {"unit": "segment"}):
        answer = answer_ranking(judgements, ["z-score"], **options)
        assert any("groups without a worker" in line for line in answer.warnings)
        assert len(answer.tables["clusters"]) == 1
    pairs = answer.tables["pairs"]
    assert pairs["p"].isna().sum() == 4  # across
    apart = pairs[pairs["apart"]][["above", "below"]]
    assert sorted(apart.to_numpy().tolist()) == [["p", "q"], ["x", "y"]]
