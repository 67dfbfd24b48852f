"""The relative rankings of WMT10-12: tasks, counts, and what the raw files give."""

import filecmp
from pathlib import Path

import pandas as pd
import pytest

from wmtlib.counts import REFERENCE
from wmtlib.errors import DataError, DataUnavailable
from wmtlib.study.releases import ranking_releases, sources

# Lopez (2012), Table 1: systems without the reference, comparisons with it.
TABLE_1 = {
    "2010 Czech-English": (12, 5375),
    "2010 English-Czech": (17, 13538),
    "2010 English-French": (19, 7962),
    "2010 English-German": (18, 13694),
    "2010 English-Spanish": (16, 5174),
    "2010 French-English": (24, 8294),
    "2010 German-English": (25, 10424),
    "2010 Spanish-English": (14, 11307),
    "2011 Czech-English syscomb": (4, 2602),
    "2011 Czech-English individual": (8, 4922),
    "2011 English-Czech syscomb": (2, 2686),
    "2011 English-Czech individual": (10, 17875),
    "2011 English-French syscomb": (2, 880),
    "2011 English-French individual": (17, 9086),
    "2011 English-German syscomb": (4, 4374),
    "2011 English-German individual": (22, 12996),
    "2011 English-Spanish syscomb": (4, 5930),
    "2011 English-Spanish individual": (15, 11130),
    "2011 French-English syscomb": (6, 3000),
    "2011 French-English individual": (18, 6986),
    "2011 German-English syscomb": (8, 3844),
    "2011 German-English individual": (20, 9079),
    "2011 Spanish-English syscomb": (6, 4156),
    "2011 Spanish-English individual": (15, 5652),
    "2011 Urdu-English tunable metrics": (8, 6257),
}


@pytest.mark.parametrize("source", ["embedded", pytest.param("mirror", marks=pytest.mark.realdata)])
def test_every_size_in_table_1_of_lopez(source):
    tasks = ranking_releases.tasks(source).query("campaign in ('wmt10', 'wmt11')")
    sizes = {
        ranking_releases.label(row.campaign, row.task): (row.systems, row.comparisons)
        for row in tasks.itertuples()
        if not row.task.startswith("ht-")  # Haitian Creole is not among the paper's 25
    }
    assert sizes == TABLE_1


def test_embedded_counts_and_tasks_agree():
    for task in ranking_releases.tasks("embedded").itertuples():
        counts = ranking_releases.load_counts(task.campaign, task.task, source="embedded")
        assert counts.comparisons == task.comparisons
        assert len(counts.without(REFERENCE).systems) == task.systems


def test_tasks_are_a_copy():
    tasks = ranking_releases.tasks("embedded")
    tasks["systems"] = 0
    assert (ranking_releases.tasks("embedded")["systems"] > 0).all()


@pytest.mark.parametrize(
    ("campaign", "task", "label"),
    [
        ("wmt10-crowd", "fr-en", "2010 French-English (crowd)"),
        ("wmt11", "ht-raw-en-syscomb", "2011 Haitian Creole (Raw)-English syscomb"),
        ("wmt12", "en-de", "2012 English-German"),
    ],
)
def test_labels(campaign, task, label):
    assert ranking_releases.label(campaign, task) == label


def test_every_task_has_a_label_of_its_own():
    tasks = ranking_releases.tasks("embedded")
    assert len(
        {ranking_releases.label(row.campaign, row.task) for row in tasks.itertuples()}
    ) == len(tasks)


@pytest.mark.parametrize(
    ("campaign", "task", "message"),
    [
        ("wmt09", "fr-en", "no task 'fr-en' in campaign 'wmt09': no such campaign"),
        ("wmt12", "fr-cs", "no task 'fr-cs' in campaign 'wmt12': cs-en, de-en"),
    ],
)
def test_tasks_that_are_none(campaign, task, message):
    with pytest.raises(DataError) as error:
        ranking_releases.load_counts(campaign, task, source="embedded")
    assert str(error.value).startswith(message)


def test_campaigns_that_are_none(mirrored):
    with pytest.raises(DataError, match=r"^no campaign 'wmt09'; known are wmt10$"):
        ranking_releases.load_rankings("wmt09", source="mirror")


def test_embedded_tables_are_written_from_raw_files_only(mirrored, monkeypatch, tmp_path):
    monkeypatch.setattr(ranking_releases, "DATA", tmp_path)
    paths = ranking_releases.write_embedded("mirror")
    assert paths == [tmp_path / "counts.csv", tmp_path / "tasks.csv"]
    assert pd.read_csv(paths[1])["comparisons"].tolist() == [3, 10]  # en-cs, fr-en
    before = paths[0].read_bytes()
    with pytest.raises(DataUnavailable, match=r"^the embedded tables are made from raw files"):
        ranking_releases.write_embedded("embedded")
    assert paths[0].read_bytes() == before


# --- the raw files themselves ------------------------------------------------------------------


@pytest.mark.realdata
def test_the_raw_files_give_the_committed_tables(monkeypatch, tmp_path):
    committed = [sources.DATA / "counts.csv", sources.DATA / "tasks.csv"]
    source = sources.resolve("mirror")
    monkeypatch.setattr(ranking_releases, "DATA", tmp_path)
    written = ranking_releases.write_embedded(source)
    for new, old in zip(written, committed, strict=True):
        assert filecmp.cmp(new, old, shallow=False), old.name  # pytest's own diff takes minutes


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


def test_the_test_split_takes_the_segments_judged_least_often():
    segments = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]  # one, two, three and four comparisons
    frame = pd.DataFrame({"segment": segments})
    split = ranking_releases.hopkins_test_split
    assert split(frame, at_least=1).sum() == 1
    assert split(frame, at_least=2).sum() == 3  # k = 2 brings both of segment 2
    assert split(frame, at_least=4).tolist() == [segment <= 3 for segment in segments]
    with pytest.raises(DataError, match="10 comparisons cannot give a test set of 11"):
        split(frame, at_least=11)
