"""The relative rankings of WMT10-12 and 16: tasks, counts, and the raw files."""

import filecmp
import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from examples import data_error, message_of
from study.data import ranking_releases, sources
from study.data.ranking_releases import (
    load_outcome,
    load_rankings,
    official_comparisons,
)
from wmtlib.core import counts as counting
from wmtlib.core.counts import RANKINGS, REFERENCE
from wmtlib.core.errors import DataUnavailable
from wmtlib.files import carried_counts
from wmtlib.files.read import read


def test_embedded_counts_and_tasks_agree():
    for task in ranking_releases.tasks("embedded").itertuples():
        counts = ranking_releases.load_counts(
            task.campaign, task.task, source="embedded"
        )
        assert counts.comparisons == task.comparisons
        assert len(counts.without(REFERENCE).systems) == task.systems


@pytest.mark.parametrize(
    "campaign, task, message",
    [
        ("wmt09", "fr-en", "no task 'wmt09:fr-en'; expected "),
        ("wmt12", "fr-cs", "no task 'wmt12:fr-cs'; expected "),
    ],
)
def test_load_counts_refuses_unknown_tasks(campaign, task, message):
    said = message_of(ranking_releases.load_counts, campaign, task, source="embedded")
    assert said.startswith(message)


def test_load_rankings_refuses_unknown_campaigns(mirrored):
    with data_error(r"^no campaign 'wmt09'; expected wmt10; did you mean 'wmt10'\?$"):
        ranking_releases.load_rankings("wmt09", source="mirror")


def test_embedded_tables_are_written_from_raw_files_only(
    mirrored, monkeypatch, tmp_path
):
    monkeypatch.setattr(carried_counts, "DATA", tmp_path)
    paths = ranking_releases.write_embedded("mirror")
    assert paths == [tmp_path / "counts.csv", tmp_path / "tasks.csv"]
    assert pd.read_csv(paths[1])["comparisons"].tolist() == [3, 10]  # en-cs, fr-en
    before = paths[0].read_bytes()
    with pytest.raises(
        DataUnavailable, match=r"^the embedded tables are made from raw files"
    ):
        ranking_releases.write_embedded("embedded")
    assert paths[0].read_bytes() == before


def test_the_test_split_takes_the_segments_judged_least_often():
    segments = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]  # one, two, three and four comparisons
    frame = pd.DataFrame({"segment": segments})
    split = ranking_releases.hopkins_test_split
    assert split(frame, at_least=1).sum() == 1
    assert split(frame, at_least=2).sum() == 3  # k = 2 brings both of segment 2
    assert split(frame, at_least=4).tolist() == [segment <= 3 for segment in segments]
    with data_error("10 comparisons cannot give a test set of 11"):
        split(frame, at_least=11)


@pytest.mark.parametrize(
    "campaign, task, parts",
    [
        ("wmt10", "cs-en", {"test", "train"}),
        ("wmt10-crowd", "cs-en", {"train"}),
        ("wmt11", "cs-en-individual", {"test", "train"}),
        ("wmt11", "cs-en-syscomb", {"none"}),
        ("wmt11", "ht-clean-en-individual", {"none"}),  # of emergency messages
        ("wmt16-it", "en-nl", {"none"}),
    ],
)
def test_splits_are_of_the_tracks_of_the_paper(campaign, task, parts):
    # One comparison of each segment; of one more segment two, which are for training.
    segments = np.append(np.arange(ranking_releases.TEST_SIZE), [-1, -1])
    comparisons = pd.DataFrame({"segment": segments})
    assert {*ranking_releases.splits(campaign, task, comparisons)} == parts


def test_splits_leave_what_is_too_small_whole():
    comparisons = pd.DataFrame({"segment": range(ranking_releases.TEST_SIZE - 1)})
    assert {*ranking_releases.splits("wmt10", "cs-en", comparisons)} == {"none"}


# --- WMT16 ----------------------------------------------------------------------------

XML = """<r><HIT source-language="deu" target-language="eng"><ranking-task id="7">
<ranking-result user="jane.doe">
<translation system="newstest2016.B.2.de-en,newstest2016.A.1.de-en" rank="2" />
<translation system="newstest2016.C.0.de-en" rank="1" />
</ranking-result>
<ranking-result user="adam"></ranking-result>
<ranking-result user="adam"><translation system="newstest2016.C.0.de-en" rank="1" />
<translation system="newstest2016.B.2.de-en" rank="1" /></ranking-result>
</ranking-task></HIT></r>"""
IT = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
eng,nld,3,3,jane,it-test2016.X.1.en-nl,2,it-test2016.Y.2.en-nl,1,9
eng,nld,3,3,jane,it-test2016.X.1.en-nl,2,it-test2016.Z.3.en-nl,4,9
eng,nld,3,3,jane,it-test2016.Y.2.en-nl,1,it-test2016.Z.3.en-nl,4,9
eng,nld,4,4,adam,it-test2016.X.1.en-nl,1,it-test2016.Y.2.en-nl,1,10
"""
OUTCOME = """\
newstest2016.C.0.de-en 0.7 (1.0, 1.0)
++++++++++
newstest2016.A.1.de-en -0.25 (2.0, 3.0)
newstest2016.B.2.de-en -0.4 (2.0, 3.0)
"""
FILES = {
    ("wmt16", "", "data/wmt16.xml.gz"): gzip.compress(XML.encode(), mtime=0),
    ("wmt16", "de-en", "results/wmt16.deu-eng.txt"): OUTCOME.encode(),
    ("wmt16-it", "en-nl", "it-task/data/wmt16it.eng-nld.csv"): IT.encode(),
}


@pytest.fixture
def released(in_mirror):
    """A registry and a mirror of the small files."""
    return in_mirror(FILES)


def test_identical_outputs_are_one_output_in_rankings(released):
    rankings = load_rankings("wmt16")
    assert rankings.to_numpy().tolist() == [
        ["de-en", 0, 7, "judge_002", "A.1,B.2", 2],
        ["de-en", 0, 7, "judge_002", "C.0", 1],
        ["de-en", 1, 7, "judge_001", "C.0", 1],
        ["de-en", 1, 7, "judge_001", "B.2", 1],
    ]
    assert list(rankings) == RANKINGS


def test_comparisons_are_of_all_pairs_by_hand(released):
    found = official_comparisons(load_rankings("wmt16"))
    columns = ["ranking", "judge", "system_1", "system_2", "preference", "identical"]
    assert found[columns].to_numpy().tolist() == [
        [0, "judge_002", "A.1", "C.0", 2, False],
        [0, "judge_002", "B.2", "C.0", 2, False],
        [0, "judge_002", "A.1", "B.2", 0, True],
        [1, "judge_001", "C.0", "B.2", 0, False],
    ]


def test_the_it_task_is_read_from_comparisons(released):
    rankings = load_rankings("wmt16-it")
    assert rankings.drop(columns="segment").to_numpy().tolist() == [
        ["en-nl", 0, "judge_001", "X.1", 1],
        ["en-nl", 0, "judge_001", "Y.2", 1],
        ["en-nl", 1, "judge_002", "X.1", 2],
        ["en-nl", 1, "judge_002", "Y.2", 1],
        ["en-nl", 1, "judge_002", "Z.3", 4],
    ]
    assert len(official_comparisons(rankings)) == 4


def test_the_outcome_of_a_task(released):
    assert load_outcome("wmt16", "de-en").to_numpy().tolist() == [
        ["C.0", 0.7, 1, 1, 1],
        ["A.1", -0.25, 2, 3, 2],
        ["B.2", -0.4, 2, 3, 2],
    ]
    with pytest.raises(
        DataUnavailable, match="no official outcome of 'en-de' is public"
    ):
        load_outcome("wmt16", "en-de")
    with pytest.raises(DataUnavailable, match="counts only"):
        load_rankings("wmt16", source="embedded")


# --- the raw files themselves ---------------------------------------------------------


@pytest.mark.realdata
def test_the_raw_files_give_the_committed_tables(monkeypatch, tmp_path):
    committed = [carried_counts.DATA / "counts.csv", carried_counts.DATA / "tasks.csv"]
    source = sources.resolve("mirror")
    monkeypatch.setattr(carried_counts, "DATA", tmp_path)
    written = ranking_releases.write_embedded(source)
    for new, old in zip(written, committed, strict=True):
        # pytest's own diff of the texts takes minutes.
        assert filecmp.cmp(new, old, shallow=False), old.name


@pytest.mark.realdata
def test_no_judge_can_be_named(mirror):
    ranked = sources.registry().query("campaign in @sources.RELATIVE_CAMPAIGNS")
    for campaign, entries in ranked.groupby("campaign"):
        judges = set()
        for entry in entries.itertuples():
            path = Path(mirror, entry.repository, entry.path)
            judges |= set(pd.read_csv(path, usecols=["judgeId"], dtype=str)["judgeId"])
        rankings = ranking_releases.load_rankings(campaign, source="mirror")
        for column in ("task", "judge", "system"):
            assert not judges & set(rankings[column].cat.categories)
        assert rankings["judge"].str.fullmatch(r"judge_\d{3,}").all()
        assert rankings["judge"].nunique() == len(judges)


@pytest.fixture(scope="module")
def rankings():
    """Those of WMT16, read once."""
    return load_rankings("wmt16", source="mirror")


@pytest.mark.realdata
@pytest.mark.parametrize("code", ["deu-eng", "ron-eng", "tur-eng"])
def test_the_expansion_gives_the_official_comparisons(mirror, rankings, code):
    file = mirror / f"cfedermann/wmt16/data/wmt16.{code}.csv"
    official = ranking_releases._read_pairwise({file: ""})
    ours = rankings[rankings["task"] == official["task"].iloc[0]]
    expanded = counting.counts_of(official_comparisons(ours.reset_index(drop=True)))
    printed = counting.counts_of(counting.comparisons(official))
    assert expanded.systems == printed.systems
    assert expanded.wins.equals(printed.wins) and expanded.ties.equals(printed.ties)


@pytest.mark.realdata
def test_load_counts_agrees_with_read(mirror):
    entry = sources.registry().query("campaign == 'wmt10'").iloc[0]
    path = Path(mirror, entry["repository"], entry["path"])
    counts = read(path, task="Czech,English").counts
    expected = ranking_releases.load_counts("wmt10", "cs-en", source="mirror")
    assert_frame_equal(counts.wins, expected.wins)
    assert_frame_equal(counts.ties, expected.ties)
