"""Direct assessments: a language pair needs its own files only; one table."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_assessment_catalogue import contents, interfaces, packed

from examples import data_error, message_of
from study.data import assessment_catalogue, assessment_releases, sources
from study.data.assessment_catalogue import ARCHIVES, unpack_archive
from study.data.assessment_releases import load_assessments, load_official
from study.data.sources import Source
from wmtlib.core.assessments import ASSESSMENTS
from wmtlib.core.errors import DataUnavailable

COLUMNS = (
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
)

SCORED = (
    COLUMNS.encode()
    + b"""
H1\tamy@mail.org\ten\tde\tad\t0\tA.1\t1\tSYSTEM\t1\t-1\t9
H1\tamy@mail.org\ten\tde\tad\t0\tB.2\t2\tSYSTEM\t1\t0\t9
H1\tamy@mail.org\ten\tde\tad\t0\tA.1\t1\tSYSTEM\t2\t1\t9
"""
)
SCALES = b'[1] "amy@mail.org"\n[1] 50\n[1] 10\n'
RANKING = b"50 0.5 1 1 A.1 \n40 -0.5 1 1 B.2 \n"


@pytest.fixture
def few_files(in_mirror):
    """A registry and a mirror with one pair of wmt22, and another that is not there."""
    return in_mirror(
        {
            ("wmt22", "de-en", "ad-deen-good-stnd-redup.csv"): SCORED.replace(
                b"en\tde", b"de\ten"
            ),
            ("wmt22", "de-en", "ad-deen-trk-mean-sd.txt"): SCALES,
            ("wmt18", "de-en", "ad-sys-ranking-de-en-z.csv"): RANKING,
            ("wmt22", "cs-en", "ad-csen-good-stnd-redup.csv"): b"",
        }
    )


@pytest.mark.parametrize("source", ["mirror", "auto"])
def test_a_partial_mirror_works_for_what_it_holds(few_files, source):
    frame = load_assessments("wmt22", "de-en", source=source)
    assert frame["score"].tolist() == [40, 50, 60]
    assert frame["document"].tolist() == ["doc_000001"] * 3
    assert "mail.org" not in frame.to_csv()
    ranking = load_official("wmt18", "de-en", outcome="z", source=source)
    assert ranking["system"].tolist() == ["A.1", "B.2"]


def test_real_campaigns_are_never_simulated(few_files):
    for source in ("embedded", Source("embedded", "")):
        with pytest.raises(DataUnavailable, match="simulated campaigns only"):
            load_assessments("wmt22", "de-en", source=source)
    assert (assessment_catalogue.availability("embedded")["status"] == "absent").all()
    simulated = load_assessments("simulated-sr-dc", "qa-qb", source="embedded")
    assert list(simulated.columns) == ASSESSMENTS


@pytest.mark.parametrize(
    "campaign, pair, message",
    [
        (
            "wmt16",
            "de-en",
            "no campaign of assessments 'wmt16'; expected wmt17, wmt18, ",
        ),
        (
            "wmt22",
            "en-de",
            "no task of wmt22 'en-de'; expected cs-en, de-en, ",
        ),
        (
            "wmt19",
            "de-en",
            "wmt19 de-en: the WMT19 release is in an archive that no public",
        ),
        (
            "wmt20",
            "de-en",
            "wmt20 de-en: single judgements are in an archive that no public",
        ),
    ],
)
def test_load_assessments_refuses_what_is_not_public(
    few_files, campaign, pair, message
):
    said = message_of(load_assessments, campaign, pair, source="mirror")
    assert said.startswith(message) and said.isprintable()
    if campaign in ("wmt19", "wmt20"):
        assert "python -m study data --from newstest20" in said


# --- judgements as released -----------------------------------------------------------


def line(worker, system, sid, score, item="SYSTEM", pair="en de", hit="H1", rid="3"):
    return f"{hit} {worker} {pair} ad 0 {system} {rid} {item} {sid} {score} 9"


def file(*lines):
    return "\n".join([COLUMNS, *lines, ""]).encode()


def released(*lines):
    """Rows in the released layout, as `read_released` gives them."""
    frame = pd.DataFrame([row.split() for row in lines], columns=COLUMNS.split())
    return frame[assessment_releases.RELEASE].astype("category")


LATEST = [
    line("bob@mail.org", "A.1", "doc_0", 7),
    line("bob@mail.org", "A.1", "doc_0", 7),  # the same again, accepted once
    line("amy@mail.org", "A.1+B.2+C.3", "doc_1", 60),
    line("amy@mail.org", "B.2", "doc_1", 20, item="BAD_REF"),
    line("amy@mail.org", "B.2", "doc_2", 100, item="REPEAT"),
    line("amy@mail.org", "B.2", "doc_2", 100, pair="en cs"),
]
GOOD = [
    line("amy@mail.org", "A.1", "doc_1", "60.0"),
    line("amy@mail.org", "C.3", "doc_1", 60),
    line("bob@mail.org", "A.1", "doc_0", 7, hit="H2"),
    line("amy@mail.org", "HUMAN", "doc_9", 99, item="REF"),
]


@pytest.fixture
def archived(tmp_path, monkeypatch):
    """Unpacks an archive with judgements for each of its interfaces, and loads them."""
    monkeypatch.setenv("WMTLIB_DATA", "/no/such")

    def load(latest, good, campaign="wmt19", pair="en-de"):
        files = contents(campaign)
        for name in files:
            rows = latest if "latest" in name else good
            rows = [row.replace("en de", pair.replace("-", " ")) for row in rows]
            files[name] = file(*rows)
        unpack_archive(packed(tmp_path / "archive", files))
        return load_assessments(campaign, pair, source="mirror")

    return load


@pytest.mark.parametrize("campaign", ARCHIVES)
def test_an_archive_in_place_is_read_first_one_row_a_judgement(archived, campaign):
    pair = interfaces(campaign)[-1].language_pair
    frame = archived(LATEST, GOOD, campaign, pair)
    assert list(frame.columns) == ASSESSMENTS
    shown = frame[
        ["worker", "system", "item", "document", "segment", "score", "accepted"]
    ]
    assert shown.to_numpy().tolist() == [
        ["worker_0002", "A.1", "SYSTEM", "doc", "doc_0", 7, True],
        ["worker_0002", "A.1", "SYSTEM", "doc", "doc_0", 7, False],
        [
            "worker_0001",
            "A.1+C.3",
            "SYSTEM",
            "doc",
            "doc_1",
            60,
            True,
        ],  # B.2 was withdrawn
        ["worker_0001", "B.2", "BAD_REF", "doc", "doc_1", 20, False],
        ["worker_0001", "B.2", "REPEAT", "doc", "doc_2", 100, False],
    ]
    assert (frame["language_pair"] == pair).all() and (frame["hit"] == "H1").all()
    assert "mail.org" not in frame.to_csv() + str(frame["worker"].cat.categories)
    table = assessment_catalogue.availability("mirror").query("campaign == @campaign")
    assert (table["status"] == "present").all()
    assert sources.resolve("mirror", [campaign]).kind == "raw"
    with pytest.raises(DataUnavailable):
        load_assessments(campaign, pair, source="embedded")


def test_accepted_judgements_found_nowhere_are_kept_if_few(archived):
    many = [line("amy", "A", f"doc_{k}", k % 100) for k in range(300)]
    many += [line("amy", "B", f"doc_{k}", k % 100) for k in range(300)]
    frame = archived(many, [*many, line("zoe", "B", "doc_0", 50)])
    assert len(frame) == 601 and frame["accepted"].all()
    assert frame.iloc[-1][["worker", "score"]].tolist() == ["worker_0002", 50]
    others = [line("zoe", "B", f"doc_{k}", 50) for k in range(9)]
    with data_error("9 of 609 accepted judgements are not among all"):
        archived(many, [*many, *others])


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["w1", "w2"]),
            st.sampled_from(["A", "B", "A+B", "B+C"]),
            st.integers(0, 2),
            st.integers(0, 2),
            st.booleans(),
        ),
        min_size=1,
    ).filter(lambda rows: any(accepted for *_, accepted in rows))
)
def test_accepted_scores_of_every_system_are_those_of_the_accepted_file(rows):
    latest = [line(w, s, f"d_{k}", x, rid=n) for n, (w, s, k, x, _) in enumerate(rows)]
    good = [
        line(w, part, f"d_{k}", x, rid=n)
        for n, (w, s, k, x, accepted) in enumerate(rows)
        for part in s.split("+")
        if accepted
    ]
    found, accepted = assessment_releases.mark_accepted(
        released(*latest), released(*good), "here"
    )
    assert accepted.tolist() == [accepted for *_, accepted in rows]
    assert found["sys_id"].tolist() == [s for _, s, *_ in rows]


@pytest.mark.parametrize(
    "row, message",
    [
        (
            line("w", "A", "d_0", 101),
            "line 4: score is '101'; expected a number from 0",
        ),
        (line("w", "A", "d_0", ""), "is no release .* fewer fields than the first"),
        (
            line("w", "A", "d_0", "1 2"),
            "is no release of direct assessment .*saw 13",
        ),
    ],
)
def test_a_bad_row_of_an_archive_is_named_by_its_line(archived, row, message):
    first = [line("w", "B", "d_0", 1, pair="en cs"), line("w", "B", "d_0", 1)]
    with data_error(message) as refused:
        archived([*first, row], first)
    assert str(refused.value).isprintable()


def test_blanks_tabs_and_quotes_mix_and_names_are_text_whatever_they_look_like(
    tmp_path,
):
    path = tmp_path / "x"
    row = b'007\tevaluator3\thi\tbn ad NA\t"Online-G.7" 1e5 SYSTEM\t12\t30\t0 \n'
    path.write_bytes(COLUMNS.replace(" ", "\t").encode() + b"\n" + row)
    (read,) = (
        assessment_releases.read_released(path, "hi-bn")
        .astype(object)
        .to_numpy()
        .tolist()
    )
    fields = "007 evaluator3 hi bn SYSTEM Online-G.7 12 30 1e5"
    assert read == fields.split()


# --- documents ------------------------------------------------------------------------


def test_documents_of_a_test_set(tmp_path):
    path = tmp_path / "x-src.cs.sgm"
    path.write_text(
        '<doc sysid="ref" docid="a.1"><p><seg id="1">x</seg>\n'
        '<seg id="2">y</seg></p></doc>\n'
        '<DOC docid="b"><seg id="1">z</seg></DOC>'
    )
    of_number = assessment_releases.documents_from_source(path.read_bytes())
    assert of_number == {"1": "a.1", "2": "a.1", "3": "b"}
    frame = pd.DataFrame({"sid": ["3", "1", "4"]}, dtype="category")
    documents = assessment_releases.documents_of(frame, {path.name: path})
    assert documents.tolist() == ["b", "a.1", ""]


def runs(*given_runs):
    """Released rows of runs (name, system, segments)."""
    return released(
        *(
            line("w", system, k, 1, rid=rid)
            for rid, system, at in given_runs
            for k in at
        )
    )


def test_documents_are_merged_ranges_of_runs():
    frame = runs(
        ("r1", "A", [1, 2, 3]),
        ("r2", "B", [2, 3]),
        ("r3", "A", [4]),
        ("r4", "A", [9, 8]),
    )
    names = assessment_releases.documents_from_runs(frame)
    assert names.tolist() == ["doc_000001"] * 5 + [
        "doc_000004",
        "doc_000008",
        "doc_000008",
    ]


@pytest.mark.parametrize(
    "frame",
    [
        runs(("r1", "A", [1]), ("r2", "B", [1]), ("r3", "A", [5])),
        runs(("r1", "A", [1, 3])),
        released(line("w", "A", "1", 1), line("w", "B", "2", 1)),
        runs(("NA", "A", [1, 2])),
        runs(("r1", "A", ["x_1"])),
    ],
    ids=["of one segment", "gap", "two systems", "no run", "no number"],
)
def test_documents_from_runs_refuses_other_runs(frame):
    assert set(assessment_releases.documents_from_runs(frame)) == {""}


# --- the public files -----------------------------------------------------------------


@pytest.mark.realdata
def test_no_worker_can_be_named(mirror):
    files = [*mirror.glob("jjzha/*/newstest2018*/analysis/ad-en??-good-stnd.csv")]
    assert files
    for path in files:
        pair = f"{path.name[3:5]}-{path.name[5:7]}"
        workers = set(pd.read_csv(path, sep="\t", usecols=["WorkerId"])["WorkerId"])
        frame = load_assessments("wmt18", pair, source="mirror")
        assert frame["worker"].nunique() == len(workers)
        assert frame["worker"].str.fullmatch(r"worker_\d{4}").all()
        for column in ("hit", "system", "document", "segment", "item"):
            assert not workers & set(frame[column].cat.categories)
