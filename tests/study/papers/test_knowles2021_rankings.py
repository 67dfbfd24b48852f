"""Sections 2 to 5: mean z-scores, and ours beside the official tables."""

import pandas as pd
import pytest

from examples import drawn
from wmtlib import zscores
from wmtlib.assessments import encode
from wmtlib.methods import rank_systems
from wmtlib.study.papers import knowles2021_rankings
from wmtlib.study.releases import sources


def test_system_means_of_the_usual_z_scores_are_those_of_the_ranking():
    campaign = encode(drawn(4))
    means = knowles2021_rankings.system_means(campaign, zscores.standardised(campaign))
    ranked = rank_systems(campaign).table.set_index("system")["score"]
    assert means[ranked.index].to_numpy() == pytest.approx(ranked.to_numpy())


# --- Beside the official tables -------------------------------------------------------


def test_p_values_that_are_not_printed_are_not_compared():
    names = ["A.1", "B.2"]
    listed = pd.DataFrame([[0.12, 0.01], [0.12, 0.12]], index=names, columns=names)
    p = pd.DataFrame([[1.0, 0.011], [0.7, 1.0]], index=names, columns=names)
    assert knowles2021_rankings.largest_difference(p, listed) == pytest.approx(0.1)


@pytest.mark.realdata
def test_released_judgements_give_the_official_tables(mirror):
    source = sources.resolve("mirror", ["wmt21"])
    row = knowles2021_rankings.replicate("wmt21", "ha-en", source=source)
    assert row["raw"] == row["z"] == row["judgements"] == row["systems"]
    assert row["order"] and row["clusters"] and row["from"] == "judgements"
