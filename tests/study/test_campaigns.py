"""Releases: simulated without raw files; recovered, beside the official ranking."""

import pytest

from examples import rank_systems
from study import campaigns
from study.data import assessment_releases, sources
from study.data.sources import Source
from wmtlib.methods import rank_segment_means

EMBEDDED = Source("embedded", "00000000")


@pytest.mark.parametrize("campaign, pair", campaigns.simulated())
def test_a_simulated_release_says_so(campaign, pair):
    release = campaigns.load_release(campaign, pair, source=EMBEDDED)
    assert release.level == "simulated" and "simulated" in release.label
    assert release.humans == (["HUMAN"] if release.style == "SR+DC" else [])
    assert release.share == 1 and not release.paper


@pytest.mark.realdata
def test_what_is_recovered_gives_the_official_order_where_nearly_all_is_known(mirror):
    source = sources.resolve("mirror", ["wmt20"])
    for pair in ("iu-en", "km-en", "ps-en", "en-ta"):
        release = campaigns.load_release("wmt20", pair, source=source)
        assert release.level == "recovered" and release.share > 0.95
        means = assessment_releases.load_segment_means("wmt20", pair, source=source)
        official = rank_segment_means(means).order
        known = [name for name in official if name in release.coded.systems]
        assert rank_systems(release.coded).order == known
        sentences = pair != "en-ta"
        assert release.style == ("SR-DC" if sentences else "SR+DC")
        # REF items are not a system.
        assert release.humans == ([] if sentences else ["HUMAN"])
