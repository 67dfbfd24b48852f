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
    table = knowles2021_rankings.worker_example(campaign, "w1", each=1)
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


def test_six_cuts_have_a_row_for_every_system_best_first():
    campaign = encode(drawn(3))
    table = knowles2021_rankings.six_cuts(campaign)
    assert table.index.tolist() == rank_systems(campaign).order and table.shape[1] == 6


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


@pytest.mark.realdata
def test_scales_of_the_outputs_alone_miss_the_official_scores(mirror):
    source = sources.resolve("mirror", ["wmt18"])
    row = knowles2021_rankings.replicate("wmt18", "en-tr", source=source)
    assert row["z"] == row["systems"] == 8 and row["z_outputs_only"] == 0
    assert row["lines_apart"] == 0 and row["order"]


# --- Beside the official tables -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "official", "equal"), [(1.2345, 1.234, 1), (1.2345, 1.235, 1), (1.2356, 1.235, 0)]
)
def test_a_half_may_have_been_rounded_either_way(mine, official, equal):
    assert knowles2021_rankings.number_equal(pd.Series([mine]), pd.Series([official]), 3) == equal


def test_p_values_that_are_not_printed_are_not_compared():
    names = ["A.1", "B.2"]
    listed = pd.DataFrame([[0.12, 0.01], [0.12, 0.12]], index=names, columns=names)
    p = pd.DataFrame([[1.0, 0.011], [0.7, 1.0]], index=names, columns=names)
    assert knowles2021_rankings.largest_difference(p, listed) == pytest.approx(0.1)


@pytest.mark.realdata
@pytest.mark.parametrize("pair", [("wmt18", "en-de"), ("wmt21", "ha-en"), ("facebook21", "hi-bn")])
def test_released_judgements_give_the_official_tables(mirror, pair):
    source = sources.resolve("mirror", [pair[0]])
    row = knowles2021_rankings.replicate(*pair, source=source)
    assert row["raw"] == row["z"] == row["judgements"] == row["systems"]
    assert row["order"] and row["clusters"] and row["from"] == "judgements"


@pytest.mark.realdata
def test_raw_means_that_differ_count_workers_without_spread(mirror):
    row = knowles2021_rankings.replicate(
        "wmt21", "de-en", source=sources.resolve("mirror", ["wmt21"])
    )
    assert row["z"] == row["raw_flat"] == row["systems"] == 20
    assert row["raw"] == 17 and row["order"] and row["clusters"]


@pytest.mark.realdata
def test_published_segment_means_give_the_official_p_values(mirror):
    row = knowles2021_rankings.replicate(
        "wmt20", "iu-en", source=sources.resolve("mirror", ["wmt20"])
    )
    assert row["from"] == "segment means" and row["systems"] == 11  # HUMAN are REF items
    assert row["p"] < 1e-12 and row["z"] == row["raw"] == 11


@pytest.mark.realdata
def test_references_are_not_a_system_of_sentence_level_campaigns(mirror):
    source = sources.resolve("mirror", ["wmt20"])
    means, order = knowles2021_rankings.best_means("wmt20", "km-en", source=source)
    assert not [name for name in order if name.startswith("HUMAN")]
    assert np.isfinite(means["z"]).all()
