"""Beside the official tables: by hand, and every kind of release."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.study.papers import knowles2021_official
from wmtlib.study.releases import sources


@pytest.mark.parametrize(
    ("mine", "official", "equal"), [(1.2345, 1.234, 1), (1.2345, 1.235, 1), (1.2356, 1.235, 0)]
)
def test_a_half_may_have_been_rounded_either_way(mine, official, equal):
    assert knowles2021_official.number_equal(pd.Series([mine]), pd.Series([official]), 3) == equal


def test_p_values_that_are_not_printed_are_not_compared():
    names = ["A.1", "B.2"]
    listed = pd.DataFrame([[0.12, 0.01], [0.12, 0.12]], index=names, columns=names)
    p = pd.DataFrame([[1.0, 0.011], [0.7, 1.0]], index=names, columns=names)
    assert knowles2021_official.largest_difference(p, listed) == pytest.approx(0.1)


@pytest.mark.realdata
@pytest.mark.parametrize("pair", [("wmt18", "en-de"), ("wmt21", "ha-en"), ("facebook21", "hi-bn")])
def test_released_judgements_give_the_official_tables(mirror, pair):
    source = sources.resolve("mirror", [pair[0]])
    row = knowles2021_official.replicate(*pair, source=source)
    assert row["raw"] == row["z"] == row["judgements"] == row["systems"]
    assert row["order"] and row["clusters"] and row["from"] == "judgements"


@pytest.mark.realdata
def test_raw_means_that_differ_count_workers_without_spread(mirror):
    row = knowles2021_official.replicate(
        "wmt21", "de-en", source=sources.resolve("mirror", ["wmt21"])
    )
    assert row["z"] == row["raw_flat"] == row["systems"] == 20
    assert row["raw"] == 17 and row["order"] and row["clusters"]


@pytest.mark.realdata
def test_published_segment_means_give_the_official_p_values(mirror):
    row = knowles2021_official.replicate(
        "wmt20", "iu-en", source=sources.resolve("mirror", ["wmt20"])
    )
    assert row["from"] == "segment means" and row["systems"] == 11  # HUMAN are REF items
    assert row["p"] < 1e-12 and row["z"] == row["raw"] == 11


@pytest.mark.realdata
def test_references_are_not_a_system_of_sentence_level_campaigns(mirror):
    source = sources.resolve("mirror", ["wmt20"])
    means, order = knowles2021_official.best_means("wmt20", "km-en", source=source)
    assert not [name for name in order if name.startswith("HUMAN")]
    assert np.isfinite(means["z"]).all()
