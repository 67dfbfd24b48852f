"""The searches that close what the two bounds leave open."""

import time

import numpy as np
import pandas as pd
import pytest

from wmtlib import _mfas_search as linear_ordering
from wmtlib import _mfas_search as local_search
from wmtlib import _mfas_search as triangles
from wmtlib import mfas as algorithm1
from wmtlib._mfas_search import Packing, Relaxation, whole_packing


@pytest.mark.parametrize("quick", [1, 50])
@pytest.mark.parametrize("seed", range(5))
def test_any_order_and_no_packing_lead_to_the_optimum(seed, quick, monkeypatch):
    monkeypatch.setattr(linear_ordering, "QUICK", quick)  # 1: by branching
    # An order found on the way costs more than the bound and less than the first one: go on below.
    rng = np.random.default_rng(seed)
    wins = pd.DataFrame(rng.integers(0, 10**4, (7, 7)), index=[*"abcdefg"], columns=[*"abcdefg"])
    margin = (wins - wins.T).to_numpy()
    least = algorithm1.algorithm1(wins).cost
    relaxation = Relaxation(triangles.program(margin), margin)
    found = linear_ordering.close(
        relaxation, np.arange(7), Packing({}, 1), deadline=time.monotonic() + 10, states=np.inf
    )
    assert local_search.cost(margin, found.order) == found.lower == least


def test_large_multiplicities_are_not_rounded_away():
    packing = whole_packing([(0, 1, 2), (0, 2, 3)], np.array([10**6 + 0.5, 3.0]))
    assert packing == ({(0, 1, 2): 2 * 10**6 + 1, (0, 2, 3): 6}, 2)
