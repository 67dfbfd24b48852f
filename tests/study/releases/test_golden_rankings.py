"""Knowles (2021) without raw files: orders, lines and changes of simulated campaigns, as committed.

Run as a program this file renews the tables, after a change of the simulation.
"""

from pathlib import Path

import pandas as pd
import pytest

from wmtlib.cluster_lines import rank_campaign
from wmtlib.stability import perturb
from wmtlib.study.releases.coded_campaigns import load_release
from wmtlib.study.releases.sources import Source

GOLDEN = Path(__file__).parent / "golden"
EMBEDDED = Source("embedded", "00000000")
PAPER = {"test": "legacy", "rule": "footnote-4"}  # Knowles (2021), section 3
CAMPAIGNS = ["simulated-sr-dc", "simulated-sr+dc"]
PAIRS = ["qa-qb", "qa-qc"]


def orders(release):
    """Systems from the best to the worst, with a line below or none."""
    table = rank_campaign(release.coded, **PAPER).ranking.table
    return table[["system", "rank", "line"]].assign(score=table["score"].round(4))


def changes(release):
    """What each removal and division changes."""
    found = perturb(release.coded, humans=release.humans, paired=False, **PAPER)
    return found[["kind", "what", "rank", "cluster", "both", "kendall"]]


TABLES = {"orders": orders, "changes": changes}


def every(name):
    releases = [load_release(c, p, source=EMBEDDED) for c in CAMPAIGNS for p in PAIRS]
    tables = [
        TABLES[name](r).assign(campaign=r.campaign, language_pair=r.language_pair) for r in releases
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize("name", TABLES)
def test_the_tables_are_as_committed(name):
    golden = pd.read_csv(GOLDEN / f"{name}.csv", keep_default_na=False)
    found = every(name).astype({c: golden[c].dtype for c in golden})
    pd.testing.assert_frame_equal(found, golden, rtol=0, atol=1e-4, check_dtype=False)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in TABLES:
        every(name).to_csv(GOLDEN / f"{name}.csv", index=False)
