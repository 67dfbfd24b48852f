"""Removing every single system at once: the same as one by one."""

import numpy as np
import pytest
from assessed import FLOOR, JUDGEMENTS, PAPER, drawn, encoded
from hypothesis import example, given
from hypothesis import strategies as st

from wmtlib import stability
from wmtlib.cluster_lines import rank_campaign
from wmtlib.errors import DataError
from wmtlib.stability import means_without_each, reversals_without_each
from wmtlib.zscores import encode

JOINT = ("w1", "A+B", "SYSTEM", "1", 0, True)  # goes with neither system
ALONE = ("w2", "A", "SYSTEM", "1", 0, True)  # a worker without a scale


@example([*FLOOR, ("w1", "A", "SYSTEM", "1", 1, True), JOINT, ALONE], False)
@given(JUDGEMENTS, st.booleans())
def test_means_are_those_of_single_rankings(judgements, calibrated):
    campaign = encoded(judgements)
    kept = campaign.is_item("SYSTEM", "REPEAT") if calibrated else None
    try:
        found = means_without_each(campaign, kept)
    except DataError:
        return  # a removal leaves a system without workers whose scores vary
    everything = np.ones(len(campaign.score), dtype=bool) if kept is None else kept
    for k, row in enumerate(found):
        removed = np.arange(len(campaign.systems)) == k
        rows = campaign.rows_of(removed, items=(), paired=True)
        scales = everything & ~rows
        one = rank_campaign(campaign, scales_from=scales, unranked=removed, **PAPER)
        np.testing.assert_allclose(row, one.score, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_reversals_are_those_of_the_battery(seed):
    campaign = encode(drawn(seed, size=400))
    options = {"humans": [], "paired": True, "divisors": ()}
    battery = stability.perturb(campaign, **options, **PAPER)
    expected = battery.loc[battery["kind"] == "remove", "kendall"]
    found = reversals_without_each(means_without_each(campaign))
    assert found.tolist() == expected.tolist()
