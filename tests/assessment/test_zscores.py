"""z-scores, segment means and rankings: worked by hand, against a plain loop, and WMT's own."""

import statistics
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.assessment import zscores
from wmtlib.judgements.errors import DataError
from wmtlib.releases import assessment_releases

COLUMNS = ["hit", "worker", "language_pair", "system", "item", "document", "segment"]
COLUMNS += ["score", "accepted"]
SYSTEMS = ["A", "B", "C", "A+B", "B+C"]

# One judgement: worker, system, item, segment, score, accepted.
JUDGEMENT = st.tuples(
    st.sampled_from(["w1", "w2", "w3"]),
    st.sampled_from(SYSTEMS),
    st.sampled_from(zscores.ITEMS),
    st.sampled_from(["1", "2", "3"]),
    st.integers(0, 100),
    st.sampled_from([True, True, True, False]),
)
# Three systems, each judged by a worker who varies, whatever else there is.
FLOOR = [("w0", name, "SYSTEM", "1", 20 + 25 * k, True) for k, name in enumerate("ABC")]
JUDGEMENTS = st.lists(JUDGEMENT, max_size=25).map(lambda more: FLOOR + more)


def frame(judgements):
    rows = [
        ("h1", worker, "xx-yy", system, item, "", segment, float(score), accepted)
        for worker, system, item, segment, score, accepted in judgements
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def coded(judgements, **more):
    return zscores.code(frame(judgements), **more)


def one_worker(*scores):
    """A worker's SYSTEM judgements, alternately of A and B, each on a segment of its own."""
    return [("w", "AB"[k % 2], "SYSTEM", str(k), score, True) for k, score in enumerate(scores)]


# --- Knowles (2021), section 5: the toy example -------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "fifty"),
    [((25, 50, 50, 75), 0.0), ((0, 25, 50, 75), 0.39), ((25, 50, 75, 100), -0.39)],
)
def test_what_fifty_points_are_worth_depends_on_the_others_in_the_hit(scores, fifty):
    z = zscores.z_scores(coded(one_worker(*scores)))
    assert round(z[scores.index(50)], 2) == fifty


# --- by hand ------------------------------------------------------------------------------------


def test_a_campaign_worked_by_hand():
    campaign = coded(
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
    scales = zscores.worker_scales(campaign)
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
    ranking = zscores.rank(campaign)
    assert list(ranking.table.itertuples(index=False, name=None)) == [
        ("A", 1, 1, 75, 1, 2),
        ("B", 2, -0.5, 67.5, 2, 3),
    ]
    assert ranking.order == ["A", "B"]
    assert ranking.note == "1 worker(s) left out: no two different scores"


def test_what_is_not_accepted_counts_for_the_worker_only():
    judgements = [*one_worker(40, 60, 50, 30), ("w", "A", "SYSTEM", "9", 100, False)]
    campaign = coded(judgements)
    assert zscores.worker_scales(campaign).loc["w", "mean"] == 56
    assert np.isnan(zscores.z_scores(campaign)[-1])
    assert "9" not in zscores.segment_means(campaign)["segment"].tolist()


def test_one_segment_of_two_documents_is_two_segments():
    table = frame([("w", "A", "SYSTEM", "1", 10, True), ("w", "A", "SYSTEM", "1", 30, True),
                   ("w", "B", "SYSTEM", "1", 20, True)])  # fmt: skip
    table["document"] = ["d1", "d2", "d1"]
    assert len(zscores.segment_means(zscores.code(table))) == 3


def test_equal_means_stand_in_order_of_name():
    judgements = [
        (worker, system, "SYSTEM", f"{worker}{k}", score, True)
        for worker in ("w1", "w2")
        for system in "ZAM"
        for k, score in enumerate((10, 33, 71) if worker == "w1" else (71, 10, 33))
    ]
    ranking = zscores.rank(coded(judgements))
    assert ranking.order == ["A", "M", "Z"] and ranking.table["rank"].tolist() == [1, 1, 1]


def test_segments_with_the_same_scores_in_another_order_have_the_same_mean():
    scores = [7, 13, 14, 26, 59, 61, 83, 97, 3, 41]
    judgements = one_worker(*range(0, 100, 7))
    judgements += [("w", "A", "SYSTEM", "x", score, True) for score in scores]
    judgements += [("w", "B", "SYSTEM", "y", score, True) for score in reversed(scores)]
    means = zscores.segment_means(coded(judgements)).set_index("segment")["z"]
    assert means["x"] == means["y"]


def test_unseen_judgements_count_for_the_workers_scale_only():
    every = [*one_worker(40, 60, 50, 30), ("w", "A", "REF", "9", 90, True),
             ("w", "A", "REF", "9", 75, True)]  # fmt: skip
    unseen = pd.DataFrame(
        {"judgements": [2, 5], "total": [165.0, 1.0], "squares": [90.0**2 + 75**2, 1.0]},
        index=["w", "somebody else"],
    )
    part = coded(every[:4], unseen=unseen)
    pd.testing.assert_frame_equal(
        zscores.worker_scales(part), zscores.worker_scales(coded(every)), rtol=1e-12
    )
    assert zscores.z_scores(part) == pytest.approx(zscores.z_scores(coded(every))[:4], rel=1e-12)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": np.nan}, "row 1: score is nan; expected a number from 0 to 100"),
        ({"score": np.inf}, "row 1: score is inf; expected a number from 0 to 100"),
        ({"language_pair": "yy-xx"}, "2 language pairs in one campaign; expected one"),
        ({"worker": None}, "row 1: worker is missing; expected a name"),
        ({"system": None}, "row 1: system is missing; expected a name"),
        ({"system": "A"}, "1 system(s) with outputs; expected two or more"),
        ({"item": "REF"}, "1 system(s) with outputs; expected two or more"),
        ({"item": "GOOD"}, "row 1: item is 'GOOD'; expected SYSTEM, REPEAT, REF, BAD_REF"),
        ({"system": "A+"}, "system is 'A+'; expected different names joined by '+'"),
        ({"system": "B+B"}, "system is 'B+B'; expected different names joined by '+'"),
    ],
    ids=str,
)
def test_frames_that_are_no_campaign_are_refused(change, message):
    table = frame(one_worker(10, 20, 30)).astype(object)
    table.loc[[1], [*change]] = [*change.values()]
    table = table.iloc[:2].astype({"score": float, "accepted": bool})
    with pytest.raises(DataError) as refused:
        zscores.code(table)
    assert str(refused.value) == message


def test_no_judgement_at_all_is_refused():
    with pytest.raises(DataError, match="no judgements"):
        zscores.code(frame([]))


def test_a_campaign_without_a_worker_who_varies_is_refused():
    with pytest.raises(DataError, match="no worker is left"):
        zscores.rank(coded(one_worker(50, 50, 50)))


def test_a_system_that_only_such_a_worker_judged_is_refused():
    judgements = [*one_worker(10, 20), ("v", "C", "SYSTEM", "1", 5, True)]
    with pytest.raises(DataError, match="system 'C' is left without segments"):
        zscores.rank(coded(judgements))


@pytest.mark.parametrize(
    ("unseen", "message"),
    [
        ({"judgements": [1, 1], "total": [1, 1], "squares": [1, 1]}, "'w' stands twice"),
        ({"judgements": [2], "total": [100], "squares": [100]}, "sums that no scores have"),
    ],
)
def test_unseen_judgements_that_cannot_be_are_refused(unseen, message):
    table = pd.DataFrame(unseen, index=["w"] * len(unseen["total"]))
    with pytest.raises(DataError, match=message):
        coded(one_worker(10, 20, 30), unseen=table)


def test_unknown_systems_and_items_are_refused():
    campaign = coded(FLOOR)
    with pytest.raises(DataError, match="'D' is no system of this campaign; expected A, B, C"):
        campaign.without(["D"], items=(), paired=True)
    with pytest.raises(DataError, match="items holds 'SYSTEM'; expected REF or BAD_REF"):
        campaign.without(["A"], items=["SYSTEM"], paired=True)
    with pytest.raises(DataError, match=r"1 system\(s\) would be left"):
        campaign.without(["A", "B"], items=(), paired=True)


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
        for row in zscores.segment_means(coded(judgements)).itertuples()
    }
    expected = plainly(judgements)
    assert found.keys() == expected.keys()
    for cell, values in expected.items():
        assert found[cell] == pytest.approx(values, rel=1e-12, abs=1e-12)


@given(JUDGEMENTS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter_to_the_last_bit(judgements, random):
    shuffled = random.sample(judgements, len(judgements))
    left, right = (zscores.rank(coded(j)) for j in (judgements, shuffled))
    pd.testing.assert_frame_equal(left.table, right.table, check_exact=True)
    assert left.note == right.note


@given(JUDGEMENTS, st.floats(0.1, 10), st.floats(-50, 50))
def test_z_scores_do_not_change_if_a_worker_uses_another_scale(judgements, factor, offset):
    table = frame(judgements)
    rescaled = table.copy()
    theirs = rescaled["worker"] == "w1"
    rescaled.loc[theirs, "score"] = rescaled.loc[theirs, "score"] * factor + offset
    left, right = (zscores.z_scores(zscores.code(t)) for t in (table, rescaled))
    assert left == pytest.approx(right, rel=1e-6, abs=1e-9, nan_ok=True)


@given(JUDGEMENTS)
def test_every_workers_z_scores_have_mean_0_and_sd_1(judgements):
    everything = [(*j[:5], True) for j in judgements]
    table = frame(everything).assign(z=zscores.z_scores(coded(everything)))
    for _, z in table.dropna().groupby("worker")["z"]:
        assert z.mean() == pytest.approx(0, abs=1e-9) and z.std() == pytest.approx(1)


@given(JUDGEMENTS, st.booleans(), st.sampled_from([(), ("REF",), ("REF", "BAD_REF")]))
def test_removing_a_system_is_as_if_its_rows_had_never_been(judgements, paired, items):
    judgements = [j for j in judgements if j[1] != "B+C"]
    kept = [
        (worker, "B" if system == "A+B" else system, item, *rest)
        for worker, system, item, *rest in judgements
        if not (system == "A" and (paired or item in ("SYSTEM", "REPEAT"))) and item not in items
    ]
    left = coded(judgements).without(["A"], items=items, paired=paired)
    pd.testing.assert_frame_equal(
        zscores.rank(left).table, zscores.rank(coded(kept)).table, check_exact=True
    )


@given(JUDGEMENTS, st.data())
def test_taking_judgements_is_choosing_rows(judgements, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=22, max_size=22))
    times = [1] * len(FLOOR) + (times * 2)[: len(judgements) - len(FLOOR)]
    rows = [j for j, k in zip(judgements, times, strict=True) for _ in range(k)]
    pd.testing.assert_frame_equal(
        zscores.rank(coded(judgements).take(np.array(times))).table,
        zscores.rank(coded(rows)).table,
        check_exact=True,
    )
    once = np.array(times) > 0
    some = [j for j, k in zip(judgements, once, strict=True) if k]
    pd.testing.assert_frame_equal(
        zscores.rank(coded(judgements).take(once)).table,
        zscores.rank(coded(some)).table,
        check_exact=True,
    )


@given(JUDGEMENTS)
def test_the_frame_is_left_as_it_was_and_may_hold_categories(judgements):
    table = frame(judgements)
    before = table.copy()
    text = zscores.rank(zscores.code(table))
    pd.testing.assert_frame_equal(table, before)
    names = [c for c in COLUMNS if c not in ("score", "accepted")]
    categories = table.astype(dict.fromkeys(names, "category"))
    pd.testing.assert_frame_equal(zscores.rank(zscores.code(categories)).table, text.table)


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
    found = zscores.rank(
        zscores.code(assessment_releases.load_assessments(campaign, pair, source="mirror"))
    )
    assert found.order == official["system"].tolist()
    assert (found.table["score"] - official["z"]).abs().max() < 0.000501
    assert found.table["segments"].tolist() == official["segments"].tolist()
