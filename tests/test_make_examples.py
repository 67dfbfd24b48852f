"""The example files are those of their script, and nobody judges anything twice."""

import runpy
import sys

import numpy as np
import pandas as pd
import pytest

from examples import EXAMPLES, KINDS


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the files, made anew."""
    folder = tmp_path_factory.mktemp("examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        patch.delitem(sys.modules, "competitions", raising=False)
        runpy.run_path(str(EXAMPLES / "make_examples.py"))["main"](folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_makes_the_same_bytes(kind, made):
    name = f"{kind}.csv"
    assert (made / name).read_bytes() == (EXAMPLES / name).read_bytes()


def test_nobody_judges_a_pair_of_a_segment_twice():
    votes = pd.read_csv(EXAMPLES / "pairwise.csv")
    pair = pd.DataFrame(np.sort(votes[["system_a", "system_b"]]))
    judged = pair.join(votes[["judge", "segment"]])
    assert len(judged) == 1500 and not judged.duplicated().any()


def test_nobody_ranks_a_segment_twice():
    rows = pd.read_csv(EXAMPLES / "rankings.csv")
    rankings = rows.drop_duplicates("ranking")
    assert len(rankings) == 300
    assert not rankings.duplicated(["judge", "segment"]).any()
