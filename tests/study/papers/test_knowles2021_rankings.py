"""Sections 2 to 5: Equation 1 by hand, and what notebook 30 holds against the paper."""

import numpy as np
import pandas as pd
import pytest
from assessed import drawn, encoded
from scipy import stats

from wmtlib import zscores
from wmtlib.ranking import rank_systems
from wmtlib.study import scoreboard
from wmtlib.study.papers import knowles2021_rankings
from wmtlib.study.releases import sources
from wmtlib.study.releases.sources import Source
from wmtlib.zscores import encode

# Worker w1: mean 50, sd 20 (n - 1); outputs A and B, one repeat, one spoiled reference.
W1 = [
    ("w1", "A", "SYSTEM", "1", 70, True),
    ("w1", "B", "SYSTEM", "1", 50, True),
    ("w1", "A", "REPEAT", "1", 60, True),
    ("w1", "B", "BAD_REF", "2", 20, True),
]
W2 = [("w2", "A", "SYSTEM", "3", 10, True), ("w2", "B", "SYSTEM", "3", 30, True)]


def test_the_toy_hits_of_section_5():
    assert knowles2021_rankings.toy_scores().round(2).tolist() == [0.0, 0.39, -0.39]


def test_equation_1_on_the_worker_with_most_kinds_of_items():
    campaign = encoded(W1 + W2)
    assert knowles2021_rankings.example_worker(campaign) == "w1"
    table = knowles2021_rankings.worker_example(campaign, "w1").groupby("item", sort=False).head(1)
    sd = np.std([70, 50, 60, 20], ddof=1)
    assert table["item"].tolist() == ["SYSTEM", "REPEAT", "BAD_REF"]
    assert table["system"].tolist() == ["A", "A", ""]
    assert table["z"].to_numpy() == pytest.approx([20 / sd, 10 / sd, -30 / sd])


def test_the_output_judged_most_often_shows_its_mean():
    table = knowles2021_rankings.segment_example(encoded(W1 + W2))
    assert table.index.name == "A, segment 1" and table.index.tolist() == [1, 2, "mean"]
    assert table.loc["mean", "score"] == 65
    assert table.loc["mean", "z"] == pytest.approx(table["z"].iloc[:2].mean())


def test_the_rank_sum_test_in_steps_gives_scipy_s_p():
    means = zscores.segment_means(encode(drawn(3)))
    steps = knowles2021_rankings.rank_sum_example(means, "D", "A")
    one, two = (means.loc[means["system"] == name, "z"] for name in "DA")
    theirs = stats.mannwhitneyu(one, two, alternative="two-sided")
    assert steps["U"] == theirs.statistic
    assert steps["p"] == pytest.approx(stats.norm.sf(steps["z"]))
    assert steps["p"] == pytest.approx(theirs.pvalue / 2)


def test_system_means_of_the_usual_z_scores_are_those_of_the_ranking():
    campaign = encode(drawn(4))
    means = knowles2021_rankings.system_means(campaign, zscores.standardised(campaign))
    ranked = rank_systems(campaign).table.set_index("system")["score"]
    assert means[ranked.index].to_numpy() == pytest.approx(ranked.to_numpy())


def test_without_raw_files_arithmetic_is_left():
    source = Source("embedded", "00000000")
    found = knowles2021_rankings.ranking_values(pd.DataFrame(), source=source)
    board = scoreboard.compare("knowles2021", "30-rankings", found, source=source)
    assert set(board["status"]) == {"arithmetic", "not-checkable"}
    assert (board["status"] == "arithmetic").sum() == len(found) == 6


# --- Beside the official tables -------------------------------------------------------------------


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
