"""WMT16: outputs judged once, the official expansion to all pairs, the official outcomes."""

import gzip
import hashlib

import pytest

from wmtlib import counts as relative_rankings
from wmtlib.errors import DataError, DataUnavailable
from wmtlib.study.releases import ranking_releases, sources, wmt16

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
def released(tmp_path, monkeypatch):
    """A registry and a mirror of the small files."""
    rows = []
    for (campaign, group, path), data in FILES.items():
        file = tmp_path / "mirror" / "owner/wmt16" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        row = (campaign, group, "owner/wmt16", "0", path, len(data), sha256, "")
        rows.append(sources.PublicFile(*row))
    monkeypatch.setattr(sources, "registered_files", lambda: rows)
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))


def test_identical_outputs_are_one_output_in_rankings(released):
    rankings = wmt16.load_rankings("wmt16")
    assert rankings.to_numpy().tolist() == [
        ["de-en", 0, 7, "judge_001", "A.1,B.2", 2],
        ["de-en", 0, 7, "judge_001", "C.0", 1],
        ["de-en", 1, 7, "judge_002", "C.0", 1],
        ["de-en", 1, 7, "judge_002", "B.2", 1],
    ]
    assert list(rankings) == relative_rankings.RANKINGS


def test_comparisons_are_of_all_pairs_by_hand(released):
    found = wmt16.comparisons(wmt16.load_rankings("wmt16"))
    columns = ["ranking", "judge", "system_1", "system_2", "preference", "identical"]
    assert found[columns].to_numpy().tolist() == [
        [0, "judge_001", "A.1", "C.0", 2, False],
        [0, "judge_001", "B.2", "C.0", 2, False],
        [0, "judge_001", "A.1", "B.2", 0, True],
        [1, "judge_002", "C.0", "B.2", 0, False],
    ]


def test_the_it_task_is_read_from_comparisons(released):
    rankings = wmt16.load_rankings("wmt16-it")
    assert rankings.drop(columns="segment").to_numpy().tolist() == [
        ["en-nl", 0, "judge_001", "X.1", 1],
        ["en-nl", 0, "judge_001", "Y.2", 1],
        ["en-nl", 1, "judge_002", "X.1", 2],
        ["en-nl", 1, "judge_002", "Y.2", 1],
        ["en-nl", 1, "judge_002", "Z.3", 4],
    ]
    assert len(wmt16.comparisons(rankings)) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Y.2.en-nl,1,it-test2016.Z.3.en-nl,4,9", "Y.2.en-nl,2,it-test2016.Z.3.en-nl,4,9"),
        ("X.1.en-nl,2,it-test2016.Z.3.en-nl,4,9\neng,nld,3,3,jane,it-test2016.", ""),
    ],
)
def test_comparisons_that_no_ranking_gives_are_refused(tmp_path, old, new):
    path = tmp_path / "x.csv"
    path.write_text(IT.replace(old, new, 1))
    with pytest.raises(DataError, match="expected every pair of the outputs of each ranking once"):
        wmt16.read_pairwise(str(path))


def test_the_outcome_of_a_task(released):
    assert wmt16.load_outcome("wmt16", "de-en").to_numpy().tolist() == [
        ["C.0", 0.7, 1, 1, 1],
        ["A.1", -0.25, 2, 3, 2],
        ["B.2", -0.4, 2, 3, 2],
    ]
    with pytest.raises(DataUnavailable, match="no official outcome of 'en-de' is public"):
        wmt16.load_outcome("wmt16", "en-de")
    with pytest.raises(DataUnavailable, match="counts only"):
        wmt16.load_rankings("wmt16", source="embedded")


def test_an_outcome_of_another_form_is_refused(released, tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(OUTCOME.replace("0.7", "good"))
    with pytest.raises(DataError, match=r"x\.txt, line 1: expected system, score and \(rank, rank"):
        wmt16.read_outcome(str(path))


def test_embedded_counts_have_two_parts():
    parts = {
        split: ranking_releases.load_counts("wmt16", "de-en", source="embedded", split=split)
        for split in ("judged", "identical", None)
    }
    sizes = [part.comparisons for part in parts.values()]
    assert sizes == [17780, 3157, 20937]
    assert not parts["identical"].wins.to_numpy().any()
    assert ranking_releases.label("wmt16", "ro-en") == "2016 Romanian-English"
    assert ranking_releases.label("wmt16-it", "en-eu") == "2016 English-Basque (IT)"


# --- the raw files themselves --------------------------------------------------------------------


@pytest.fixture(scope="module")
def rankings():
    """Those of WMT16, read once."""
    return wmt16.load_rankings("wmt16", source="mirror")


@pytest.mark.realdata
def test_the_sizes_of_the_release(rankings):
    assert rankings["ranking"].nunique() == 31758
    assert rankings["judge"].nunique() == 150
    assert len(relative_rankings.comparisons(rankings)) == 302480
    found = wmt16.comparisons(rankings)
    assert len(found) == 569287
    tasks = ranking_releases.tasks("mirror", sources.LATER_RELATIVE)
    assert tasks["systems"].between(2, 20).all() and len(tasks) == 17
    assert tasks.groupby("campaign")["comparisons"].sum().to_dict() == {
        "wmt16": 569287,
        "wmt16-it": 26864,
    }
    assert all(rankings["judge"].cat.categories.str.fullmatch(r"judge_\d{3}"))


@pytest.mark.realdata
@pytest.mark.parametrize("code", ["deu-eng", "ron-eng", "tur-eng"])
def test_the_expansion_gives_the_official_comparisons(mirror, rankings, code):
    columns = ["segment", "system", "rank"]

    def rankings_as_sets(outputs):
        rows = outputs.assign(system=outputs["system"].astype(str))
        rows["segment"] = rows["segment"].astype(int)
        rows["rank"] = rows["rank"].astype(int)
        grouped = rows.sort_values(columns)[["ranking", *columns]].groupby("ranking")
        return sorted(tuple(map(tuple, part[columns].to_numpy())) for _, part in grouped)

    file = mirror / f"cfedermann/wmt16/data/wmt16.{code}.csv"
    official = wmt16.tidy_rankings(wmt16.read_pairwise(str(file)))
    ours = rankings[rankings["task"] == wmt16.language_pair(code)]
    ours = ours.assign(system=ours["system"].astype(str).str.split(",")).explode("system")
    assert rankings_as_sets(ours) == rankings_as_sets(official)


@pytest.mark.realdata
def test_every_task_has_an_outcome_of_its_systems(mirror):
    tasks = ranking_releases.tasks("mirror", sources.LATER_RELATIVE)
    for campaign, task in tasks[["campaign", "task"]].to_numpy():
        outcome = wmt16.load_outcome(campaign, task)
        counts = ranking_releases.load_counts(campaign, task, source="embedded")
        assert sorted(outcome["system"]) == counts.systems
        assert outcome["score"].is_monotonic_decreasing
        assert (outcome["first_rank"] <= outcome["last_rank"]).all()
    assert len(wmt16.load_outcome("wmt16-it", "en-de")) == 10  # its comparisons are not public
