"""Embedded campaigns: named as simulated, the same each time."""

import pandas as pd
import pytest

from wmtlib.errors import DataError
from wmtlib.study.simulation import embedded
from wmtlib.study.simulation.designs import HUMAN


@pytest.mark.parametrize("name", [*embedded.CAMPAIGNS])
def test_embedded_campaigns_are_labelled_as_simulated(name):
    a = embedded.embedded_campaign(name, "qa-qc")
    assert len(a) == 4000 and name.startswith("simulated-")
    systems = set(a["system"])
    assert all(s.startswith("simulated-") or s == HUMAN for s in systems)
    assert (HUMAN in systems) == ("sr+dc" in name)
    assert set(a["language_pair"]) == {"qa-qc"}
    pd.testing.assert_frame_equal(a, embedded.embedded_campaign(name, "qa-qc"))
    assert not a["score"].equals(embedded.embedded_campaign(name, "qa-qd")["score"])


@pytest.mark.parametrize(
    ("name", "pair"),
    [("wmt18", "qa-qb"), ("simulated-sr-dc", "cs-en"), ("simulated-sr-dc", "qa-qa")],
)
def test_embedded_refuses_what_it_does_not_have(name, pair):
    with pytest.raises(DataError, match=r"no simulated (campaign|pair)"):
        embedded.embedded_campaign(name, pair)
