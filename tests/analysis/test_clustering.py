"""Clusters by rank ranges by hand; the usual ones for each kind of file; WMT16's own."""

import re
from pathlib import Path

import pandas as pd
import pytest
from examples_read import example
from judged import rng, tournament

from wmtlib.analysis import bootstrap, clustering
from wmtlib.analysis.ranking_answer import answer_ranking
from wmtlib.yours import read as reader


def test_a_line_stands_where_no_range_crosses():
    found = bootstrap.bootstrap(
        tournament(1), "soccer", unit="comparison", n_resamples=9, rng=rng()
    )
    table = found.table.assign(rank_low=[1, 1, 3, 4], rank_high=[2, 2, 3, 4])
    object.__setattr__(found, "table", table)
    groups = clustering.by_rank_ranges(found).groups
    assert groups["line"].tolist() == [False, True, True, False]
    assert groups["cluster"].tolist() == [1, 1, 2, 3]
    # The last system may have been second: no line can be drawn below the first two.
    object.__setattr__(found, "table", table.assign(rank_low=[1, 1, 3, 2]))
    assert clustering.by_rank_ranges(found).groups["cluster"].tolist() == [1, 1, 1, 1]


def test_the_usual_clusters_are_those_of_the_field(tmp_path):
    assert clustering.usual_method(example("pairwise"), "bradley-terry") == "rank-ranges"
    assert clustering.usual_method(example("pairwise"), "trueskill") == "rank-ranges"
    assert clustering.usual_method(example("rankings"), "mfas") == "sign-test"
    assert clustering.usual_method(example("assessments"), "z-score") == "rank-sum"
    rows = [("w", s, str(k), 50 + k, "[]") for s in "AB" for k in range(3)]
    names = ["worker", "system", "segment", "score", "error_spans"]
    pd.DataFrame(rows, columns=names).to_csv(path := tmp_path / "esa.csv", index=False)
    answer = answer_ranking(reader.read(path))
    assert answer.document["cluster_method"] == "signed-rank"
    assert "|clusters=signed-rank|correction=benjamini-hochberg|" in answer.about["Signature"]


def clusters_of(answer):
    systems = pd.DataFrame(answer.document["methods"][0]["systems"])
    return systems.groupby("cluster")["system"].apply(frozenset).tolist()


@pytest.mark.realdata
def test_wmt16_german_english_has_the_official_clusters(mirror):
    """1 | 2-7 | 8 | 9 | 10, by the file's judges; the official ones resample comparisons."""
    folder = mirror / "cfedermann/wmt16"
    official = Path(folder / "results/wmt16.deu-eng.txt").read_text()
    parts = [re.findall(r"^newstest\S+", part, re.M) for part in official.split("++++++++++")]
    judged = reader.read(folder / "data/wmt16.deu-eng.csv")
    found = clusters_of(answer_ranking(judged, ["bradley-terry"]))
    assert [len(part) for part in parts] == [1, 6, 1, 1, 1]
    assert found == [frozenset(part) for part in parts]
    # Expected wins tell all but the last two apart.
    assert [len(c) for c in clusters_of(answer_ranking(judged, ["expected-wins"]))] == [1, 6, 1, 2]


@pytest.mark.realdata
def test_wmt24_esa_is_tested_on_common_segments(mirror):
    path = mirror / "wmt-conference/wmt24-news-systems/humeval/esa_generalMT2024_wave2.csv"
    judged = reader.read(path, task="eng-ces")
    answer = answer_ranking(judged, ["raw-score"])
    assert answer.document["cluster_method"] == "signed-rank"


def test_tiers_name_what_is_told_apart():
    groups = pd.DataFrame({"system": [*"abcd"], "cluster": [1, 2, 2, 3]})
    found = clustering.tiers(groups, None)
    assert found["systems"].tolist() == ["a", "b, c", "d"]
    assert found["ranks"].tolist() == ["1", "2–3", "4"]
