"""z-scores, segment means and rankings: worked by hand, against a plain loop, and WMT's own."""

import statistics
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from assessed import JUDGEMENTS, encoded, frame_of, one_worker
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import zscores
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.study.releases import assessment_releases
from wmtlib.zscores import encode

# --- Knowles (2021), section 5: the toy example -------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "fifty"),
    [((25, 50, 50, 75), 0.0), ((0, 25, 50, 75), 0.39), ((25, 50, 75, 100), -0.39)],
)
def test_what_fifty_points_are_worth_depends_on_the_others_in_the_hit(scores, fifty):
    z = zscores.z_scores(encoded(one_worker(*scores)))
    assert round(z[scores.index(50)], 2) == fifty


# --- by hand ------------------------------------------------------------------------------------


def test_a_campaign_worked_by_hand():
    campaign = encoded(
        [
            ("w1", "A", "SYSTEM", "1", 60, True),  # mean 50, sd 10
            ("w1", "B", "REPEAT", "1", 40, True),
            ("w1", "A", "BAD_REF", "1", 50, True),
            ("w2", "A+B", "SYSTEM", "1", 90, True),  # mean 80, sd 10
            ("w2", "REFERENCE", "REF", "2", 80, True),
            ("w2", "B", "SYSTEM", "2", 70, True),
            ("w3", "A", "SYSTEM", "2", 77, True),  # never varies: left out altogether
            ("w3", "A", "SYSTEM", "3", 77, True),
        ]
    )
    scales = zscores.worker_table(campaign)
    assert scales.loc[["w1", "w2"]].to_numpy().tolist() == [[3, 50, 10], [3, 80, 10]]
    assert scales.loc["w3", "sd"] == 0
    z = zscores.z_scores(campaign)
    assert z[:6].tolist() == [1, -1, 0, 1, 0, -1] and np.isnan(z[6:]).all()
    means = zscores.segment_means(campaign)
    assert list(means.itertuples(index=False, name=None)) == [
        ("A", "", "1", 75, 1, 2),
        ("B", "", "1", 65, 0, 2),
        ("B", "", "2", 70, -1, 1),
    ]
    ranking = rank_systems(campaign)
    assert list(ranking.table.itertuples(index=False, name=None)) == [
        ("A", 1, 1, 75, 1, 2),
        ("B", 2, -0.5, 67.5, 2, 3),
    ]
    assert ranking.order == ["A", "B"]
    assert ranking.note == "1 worker(s) left out: no two different scores"


def test_what_is_not_accepted_counts_for_the_worker_only():
    judgements = [*one_worker(40, 60, 50, 30), ("w", "A", "SYSTEM", "9", 100, False)]
    campaign = encoded(judgements)
    assert zscores.worker_table(campaign).loc["w", "mean"] == 56
    assert "9" not in zscores.segment_means(campaign)["segment"].tolist()


def test_one_segment_of_two_documents_is_two_segments():
    table = frame_of([("w", "A", "SYSTEM", "1", 10, True), ("w", "A", "SYSTEM", "1", 30, True),
                   ("w", "B", "SYSTEM", "1", 20, True)])  # fmt: skip
    table["document"] = ["d1", "d2", "d1"]
    assert len(zscores.segment_means(encode(table))) == 3


def test_equal_means_stand_in_order_of_name():
    judgements = [
        (worker, system, "SYSTEM", f"{worker}{k}", score, True)
        for worker in ("w1", "w2")
        for system in "ZAM"
        for k, score in enumerate((10, 33, 71) if worker == "w1" else (71, 10, 33))
    ]
    ranking = rank_systems(encoded(judgements))
    assert ranking.order == ["A", "M", "Z"] and ranking.table["rank"].tolist() == [1, 1, 1]


def test_segments_with_the_same_scores_in_another_order_have_the_same_mean():
    scores = [7, 13, 14, 26, 59, 61, 83, 97, 3, 41]
    judgements = one_worker(*range(0, 100, 7))
    judgements += [("w", "A", "SYSTEM", "x", score, True) for score in scores]
    judgements += [("w", "B", "SYSTEM", "y", score, True) for score in reversed(scores)]
    means = zscores.segment_means(encoded(judgements)).set_index("segment")["z"]
    assert means["x"] == means["y"]


def test_unlisted_judgements_count_for_the_workers_scale_only():
    every = [*one_worker(40, 60, 50, 30), ("w", "A", "REF", "9", 90, True),
             ("w", "A", "REF", "9", 75, True)]  # fmt: skip
    unlisted = pd.DataFrame(
        {"judgements": [2, 5], "total": [165.0, 1.0], "squares": [90.0**2 + 75**2, 1.0]},
        index=["w", "somebody else"],
    )
    part = encoded(every[:4], unlisted=unlisted)
    pd.testing.assert_frame_equal(
        zscores.worker_table(part), zscores.worker_table(encoded(every)), rtol=1e-12
    )
    assert zscores.z_scores(part) == pytest.approx(zscores.z_scores(encoded(every))[:4], rel=1e-12)


@given(JUDGEMENTS, st.lists(st.integers(0, 4), min_size=4, max_size=4))
def test_a_worker_keeps_the_scale_if_all_judgements_are_drawn_equally_often(judgements, times):
    table = frame_of(judgements)
    names = sorted(table["worker"].unique())
    unlisted = pd.DataFrame(
        {"judgements": 2.0, "total": 120.0, "squares": 80.0**2 + 40.0**2}, index=names[:1]
    )
    campaign = encode(table, unlisted)
    resampled = zscores.worker_scales(campaign, times=np.array(times)[campaign.worker])
    for found, expected in zip(resampled, zscores.worker_scales(campaign), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)


# --- what is refused ----------------------------------------------------------------------------


def test_a_campaign_without_a_worker_who_varies_is_refused():
    with pytest.raises(DataError, match="system 'A' is left without segments"):
        rank_systems(encoded(one_worker(50, 50, 50)))


def test_a_system_that_only_such_a_worker_judged_is_refused():
    judgements = [*one_worker(10, 20), ("v", "C", "SYSTEM", "1", 5, True)]
    with pytest.raises(DataError, match="system 'C' is left without segments"):
        rank_systems(encoded(judgements))


# --- against a plain loop, and what must not matter ---------------------------------------------


def plainly(judgements):
    """Segment means by lists and dicts."""
    scores = defaultdict(list)
    for worker, _, _, _, score, _ in judgements:
        scores[worker].append(score)
    cells = defaultdict(list)
    for worker, system, item, segment, score, accepted in judgements:
        given_scores = scores[worker]
        if accepted and item in ("SYSTEM", "REPEAT") and len(set(given_scores)) > 1:
            z = (score - statistics.mean(given_scores)) / statistics.stdev(given_scores)
            for name in system.split("+"):
                cells[name, segment].append((score, z))
    return {
        cell: (statistics.mean(raw), statistics.mean(z), len(z))
        for cell, values in cells.items()
        for raw, z in [zip(*values, strict=True)]
    }


@given(JUDGEMENTS)
def test_segment_means_are_those_of_a_plain_loop(judgements):
    found = {
        (row.system, row.segment): (row.raw, row.z, row.judgements)
        for row in zscores.segment_means(encoded(judgements)).itertuples()
    }
    expected = plainly(judgements)
    assert found.keys() == expected.keys()
    for cell, values in expected.items():
        assert found[cell] == pytest.approx(values, rel=1e-12, abs=1e-12)


@given(JUDGEMENTS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter_to_the_last_bit(judgements, random):
    shuffled = random.sample(judgements, len(judgements))
    left, right = (rank_systems(encoded(j)) for j in (judgements, shuffled))
    pd.testing.assert_frame_equal(left.table, right.table, check_exact=True)
    assert left.note == right.note


@given(JUDGEMENTS, st.floats(0.1, 10), st.floats(-50, 50))
def test_z_scores_do_not_change_if_a_worker_uses_another_scale(judgements, factor, offset):
    table = frame_of(judgements)
    rescaled = table.copy()
    theirs = rescaled["worker"] == "w1"
    rescaled.loc[theirs, "score"] = rescaled.loc[theirs, "score"] * factor + offset
    left, right = (zscores.z_scores(encode(t)) for t in (table, rescaled))
    assert left == pytest.approx(right, rel=1e-6, abs=1e-9, nan_ok=True)


@given(JUDGEMENTS)
def test_every_workers_z_scores_have_mean_0_and_sd_1(judgements):
    everything = [(*j[:5], True) for j in judgements]
    table = frame_of(everything).assign(z=zscores.z_scores(encoded(everything)))
    for _, z in table.dropna().groupby("worker")["z"]:
        assert z.mean() == pytest.approx(0, abs=1e-9) and z.std() == pytest.approx(1)


# --- WMT's own tables ---------------------------------------------------------------------------

FOLDERS = {
    "wmt18": "jjzha/translationese/newstest2018-humaneval/analysis",
    "wmt21": "wmt-conference/wmt21-news-systems/humaneval/newstest2021-toen",
    "facebook21": "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021",
}
PAIRS = {
    "wmt18": "cs-en en-cs en-de en-et en-fi en-ru en-tr en-zh et-en fi-en ru-en tr-en zh-en",
    "wmt21": "cs-en de-en ha-en is-en ja-en ru-en",
    "facebook21": "bn-hi hi-bn xh-zu zu-xh",
}


@pytest.mark.realdata
@pytest.mark.parametrize(("campaign", "pair"), [(c, p) for c in PAIRS for p in PAIRS[c].split()])
def test_official_z_scores_and_order_come_out(campaign, pair, mirror):
    path = mirror / FOLDERS[campaign] / f"ad-sys-ranking-{pair}-z.csv"
    columns = ["raw", "z", "segments", "judgements", "system"]
    official = pd.read_csv(path, sep=r"\s+", names=columns)
    found = rank_systems(
        encode(assessment_releases.load_assessments(campaign, pair, source="mirror"))
    )
    assert found.order == official["system"].tolist()
    assert (found.table["score"] - official["z"]).abs().max() < 0.000501
    assert found.table["segments"].tolist() == official["segments"].tolist()
