"""Direct assessments: each language pair needs its own files only."""

import hashlib

import pytest
from small_release import ENTRY

from wmtlib.counts import ASSESSMENTS
from wmtlib.errors import DataError, DataUnavailable
from wmtlib.study.releases import assessment_catalogue, assessment_releases, sources
from wmtlib.study.releases.sources import Source

SCORED = b"""HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time
H1\tamy@mail.org\ten\tde\tad\t0\tA.1\t1\tSYSTEM\t1\t-1\t9
H1\tamy@mail.org\ten\tde\tad\t0\tB.2\t2\tSYSTEM\t1\t0\t9
H1\tamy@mail.org\ten\tde\tad\t0\tA.1\t1\tSYSTEM\t2\t1\t9
"""
SCALES = b'[1] "amy@mail.org"\n[1] 50\n[1] 10\n'
RANKING = b"50 0.5 1 1 A.1 \n40 -0.5 1 1 B.2 \n"


@pytest.fixture
def few_files(tmp_path, monkeypatch):
    """A registry and a mirror with one language pair of wmt22, and another that is not there."""
    files = {
        ("wmt22", "de-en", "ad-deen-good-stnd-redup.csv"): SCORED.replace(b"en\tde", b"de\ten"),
        ("wmt22", "de-en", "ad-deen-trk-mean-sd.txt"): SCALES,
        ("wmt18", "de-en", "ad-sys-ranking-de-en-z.csv"): RANKING,
        ("wmt22", "cs-en", "ad-csen-good-stnd-redup.csv"): b"not there",
    }
    rows = []
    for (campaign, group, name), data in files.items():
        sha256 = hashlib.sha256(data).hexdigest()
        size = len(data)
        row = ENTRY | {"campaign": campaign, "group": group, "path": name, "bytes": size}
        row |= {"sha256": sha256, "url": f"http://127.0.0.1:9/{name}"}
        rows.append(sources.PublicFile(**row))
        path = tmp_path / "mirror" / ENTRY["repository"] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if data != b"not there":
            path.write_bytes(data)
    monkeypatch.setattr(sources, "registered_files", lambda: rows)
    monkeypatch.setattr(sources, "RETRIES", 0)
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))
    sources.reason_missing.cache_clear()
    yield path.parent
    sources.reason_missing.cache_clear()


@pytest.mark.parametrize("source", ["mirror", "auto"])
def test_a_partial_mirror_works_for_what_it_holds(few_files, source):
    frame = assessment_releases.load_assessments("wmt22", "de-en", source=source)
    assert frame["score"].tolist() == [40, 50, 60]
    assert frame["document"].tolist() == ["doc_000001"] * 3
    assert "mail.org" not in frame.to_csv()
    ranking = assessment_releases.load_official("wmt18", "de-en", outcome="z", source=source)
    assert ranking["system"].tolist() == ["A.1", "B.2"]


def test_a_partial_mirror_says_what_is_absent(few_files):
    status = assessment_catalogue.availability("mirror").set_index(["campaign", "language_pair"])
    assert status.loc[("wmt22", "de-en"), ["status", "reason"]].tolist() == ["present", ""]
    absent = few_files / "ad-csen-good-stnd-redup.csv"
    assert status.loc[("wmt22", "cs-en"), ["status", "reason"]].tolist() == [
        *("absent", f"no such file in the mirror: {absent}")
    ]
    with pytest.raises(DataUnavailable, match=f"^no such file in the mirror: {absent}$"):
        assessment_releases.load_assessments("wmt22", "cs-en", source="mirror")
    with pytest.raises(DataUnavailable, match=f"no such file in the mirror: {absent}"):
        sources.resolve("mirror", ["wmt22"])
    with pytest.raises(DataUnavailable, match="hold simulated campaigns only; no such file in"):
        assessment_releases.load_assessments("wmt22", "cs-en", source="auto")


def test_an_altered_file_of_assessments_is_refused(few_files):
    path = few_files / "ad-deen-trk-mean-sd.txt"
    path.write_bytes(SCALES.replace(b"50", b"51"))
    with pytest.raises(DataError, match=r"its SHA-256 differs from the registry's"):
        assessment_releases.load_assessments("wmt22", "de-en", source="auto")


def test_real_campaigns_are_never_simulated(few_files):
    for source in ("embedded", Source("embedded", "")):
        with pytest.raises(DataUnavailable, match="simulated campaigns only"):
            assessment_releases.load_assessments("wmt22", "de-en", source=source)
    statuses = assessment_catalogue.availability("embedded")
    assert (statuses["status"] == "absent").all()
    simulated = assessment_releases.load_assessments("simulated-sr-dc", "qa-qb", source="embedded")
    assert list(simulated.columns) == ASSESSMENTS


@pytest.mark.parametrize(
    ("campaign", "pair", "message"),
    [
        ("wmt16", "de-en", "no campaign 'wmt16' of direct assessment; known are wmt17, wmt18, "),
        ("wmt22", "en-de", "no language pair 'en-de' in wmt22; there are cs-en, de-en, "),
        ("wmt19", "de-en", "wmt19 de-en: the WMT19 release is in an archive that no public"),
        ("wmt20", "de-en", "wmt20 de-en: single judgements are in an archive that no public"),
    ],
)
def test_what_there_is_not(few_files, campaign, pair, message):
    with pytest.raises(DataError) as refused:
        assessment_releases.load_assessments(campaign, pair, source="mirror")
    assert str(refused.value).startswith(message) and str(refused.value).isprintable()
    if campaign in ("wmt19", "wmt20"):
        assert "wmtlib data --from newstest20" in str(refused.value)


@pytest.mark.realdata
def test_official_outcomes_and_means():
    table = assessment_catalogue.availability("mirror")
    assert table["status"].value_counts().to_dict() == {"present": 42, "partial": 22, "absent": 15}
    for row in table[table["status"] == "partial"].itertuples():
        where = row.campaign, row.language_pair
        means = assessment_releases.load_segment_means(*where, source="mirror")
        assert means["raw"].between(0, 100).all() and (means["judgements"] > 0).all()
        if row.campaign == "wmt20":
            systems = assessment_releases.load_official(*where, outcome="systems", source="mirror")
            p_values = assessment_releases.load_official(
                *where, outcome="p-values", source="mirror"
            )
            assert set(p_values.columns) == set(systems["system"])
            assert set(means["system"]) - {"HUMAN"} == set(systems["system"]) - {"HUMAN"}
    for campaign, pair in [("wmt18", "de-en"), ("wmt21", "zh-en"), ("facebook21", "bn-hi")]:
        found = {
            what: assessment_releases.load_official(campaign, pair, outcome=what, source="mirror")
            for what in ("z", "clusters")
        }
        assert found["z"]["z"].is_monotonic_decreasing
        names = [set(f["system"]) for f in found.values()]
        assert all(n == names[0] for n in names)
