"""Judgements as released: whichever layout, one table; accepted ones found again; documents."""

import numpy as np
import pandas as pd
import pytest
from released_rows import HERE, file, line, released
from test_archives import contents, packed
from wmtlib.study.releases.archives import FOLDERS, NAMES
from wmtlib.study.releases.archives import GOOD as GOOD_FILE
from wmtlib.study.releases.archives import LATEST as LATEST_FILE

from wmtlib.counts import ASSESSMENTS
from wmtlib.errors import DataError
from wmtlib.study.releases import (
    archives,
    assessment_catalogue,
    assessment_files,
    assessment_releases,
    released_judgements,
    sources,
)
from wmtlib.study.releases.assessment_releases import DataUnavailable


def refusal(function, *arguments, **options):
    with pytest.raises(DataError) as refused:
        function(*arguments, **options)
    assert str(refused.value).isprintable()
    return str(refused.value)


# --- all judgements and the accepted ones --------------------------------------------------------

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


def from_raw(latest, good):
    frames = ((released(*rows), HERE) for rows in (latest, good))
    return assessment_files.from_raw_scores(*frames, "en-de", {}.get)


def test_one_row_per_judgement_with_what_was_accepted():
    frame = from_raw(LATEST, GOOD)
    assert list(frame.columns) == ASSESSMENTS
    shown = frame[["worker", "system", "item", "document", "segment", "score", "accepted"]]
    assert shown.to_numpy().tolist() == [
        ["worker_0002", "A.1", "SYSTEM", "doc", "doc_0", 7, True],
        ["worker_0002", "A.1", "SYSTEM", "doc", "doc_0", 7, False],
        ["worker_0001", "A.1+C.3", "SYSTEM", "doc", "doc_1", 60, True],  # B.2 was withdrawn
        ["worker_0001", "B.2", "BAD_REF", "doc", "doc_1", 20, False],
        ["worker_0001", "B.2", "REPEAT", "doc", "doc_2", 100, False],
    ]
    assert (frame["language_pair"] == "en-de").all() and (frame["hit"] == "H1").all()


def test_workers_are_numbered_by_name_whatever_the_order():
    frame = from_raw(LATEST, GOOD)
    backwards = from_raw(LATEST[::-1], GOOD)
    assert backwards["worker"].tolist() == frame["worker"].tolist()[::-1]
    assert "mail.org" not in frame.to_csv() + str(frame["worker"].cat.categories)


def test_accepted_judgements_found_nowhere_are_kept_if_few():
    many = [line("amy", "A", f"doc_{k}", k % 100) for k in range(300)]
    many += [line("amy", "B", f"doc_{k}", k % 100) for k in range(300)]
    extra = line("zoe", "B", "doc_0", 50)
    frame = from_raw(many, [*many, extra])
    assert len(frame) == 601 and frame["accepted"].all()
    assert frame.iloc[-1][["worker", "score"]].tolist() == ["worker_0002", 50]
    others = [line("zoe", "B", f"doc_{k}", 50) for k in range(9)]
    message = refusal(from_raw, many, [*many, *others])
    assert message.startswith("here.csv, line 602: is accepted but not among all judgements")


def test_mixed_blanks_tabs_and_quotes():
    mixed = b'NA\tevaluator3\thi\tbn ad NA\t"Online-G.7" NA SYSTEM\thi-bn-0-46-1558.1_1\t30\t0\n'
    other = mixed.replace(b"G.7", b"A.6").replace(b"\t30\t", b"\t31\t")
    table = released_judgements.read_released(file().replace(b" ", b"\t") + mixed + other, HERE)
    frame = assessment_files.from_raw_scores((table, HERE), (table, HERE), "hi-bn", {}.get)
    assert frame.iloc[0].tolist() == [
        *("", "worker_0001", "hi-bn", "Online-G.7", "SYSTEM"),
        *("hi-bn-0-46-1558", "hi-bn-0-46-1558.1_1", 30, True),
    ]


BAD = {
    "score above": (line("w", "A", "d_0", 101), "line 4: score is '101'; expected a number from 0"),
    "score below": (line("w", "A", "d_0", -1), "line 4: score is '-1'; expected a number from 0"),
    "score NaN": (line("w", "A", "d_0", "NaN"), "line 4: score is 'NaN'; expected a number"),
    "item": (line("w", "A", "d_0", 1, item="REFF"), "line 4: item is 'REFF'; expected one of SYS"),
    "joint": (line("w", "A+", "d_0", 1), "line 4: system is 'A+'; expected a name, or several"),
    "twice": (line("w", "A+A", "d_0", 1), "line 4: system is 'A+A'; expected a name, or several"),
    "short": (line("w", "A", "d_0", 1)[:-2], "line 4: 11 fields; expected 12"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_named_by_their_line(case):
    row, message = BAD[case]
    first = [line("w", "B", "d_0", 1, pair="en cs"), line("w", "B", "d_0", 1)]
    assert refusal(from_raw, [*first, row], first).startswith(f"here.csv, {message}")


def test_what_cannot_be_ranked_is_refused():
    one = [line("w", "A", "d_0", 1), line("w", "A", "d_1", 5)]
    assert refusal(from_raw, one, one) == "here.csv: rates 1 system; expected two or more to rank"
    assert refusal(from_raw, [line("w", "A", "d", 1, pair="en cs")], one) == (
        "here.csv: no en-de; there are en-cs"
    )


# --- the archives, in their own layout -----------------------------------------------------------


@pytest.mark.parametrize(
    ("campaign", "pair", "style", "interface"),
    [
        ("wmt18", "en-de", "SR-DC", "2018"),
        ("wmt19", "de-en", "SR+DC", "mturk"),
        ("wmt20", "km-en", "SR-DC", "mturk"),
    ],
)
def test_an_archive_in_place_is_read_first(campaign, pair, style, interface, tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_DATA", "/no/such")
    files = contents(campaign)
    folder = f"{NAMES[campaign]}/{FOLDERS[campaign][style, interface]}"
    for name, rows in ((LATEST_FILE, LATEST), (GOOD_FILE, GOOD)):
        rows = [row.replace("en de", pair.replace("-", " ")) for row in rows]
        files[f"{folder}/{name}"] = file(*rows)
    archives.unpack(packed(tmp_path / "archive", files))
    frame = assessment_releases.load_assessments(campaign, pair, source="mirror")
    assert frame["accepted"].tolist() == [True, False, True, False, False]
    assert (frame["language_pair"] == pair).all()
    table = assessment_catalogue.availability("mirror").query("campaign == @campaign")
    assert (table["status"] == "present").all()
    assert sources.resolve("mirror", [campaign]).kind == "raw"
    with pytest.raises(DataUnavailable):
        assessment_releases.load_assessments(campaign, pair, source="embedded")


# --- the public files ----------------------------------------------------------------------------


@pytest.mark.realdata
def test_every_score_is_recovered_and_proven():
    table = assessment_catalogue.availability("mirror")
    table = table[(table["status"] == "present") & (table["campaign"] != "facebook21")]
    assert len(table) == 38
    open_ones = {}
    for row in table.itertuples():
        proof = assessment_releases.load_proof(row.campaign, row.language_pair, source="mirror")
        assert proof.not_whole == 0
        assert proof.z_exact < 3e-5  # of exact scales; of scales as printed:
        assert proof.z_printed < 1e-12
        if row.campaign != "wmt18":
            assert proof.scales_off == 0
        if row.campaign != "wmt22":
            assert proof.raw_off == proof.unexplained == 0
        if proof.left_out > 0:
            open_ones[row.campaign, row.language_pair] = proof.left_out
        unpinned = (2, 418) if row[1:3] == ("wmt18", "en-et") else (0, 0)
        assert (proof.unpinned_by, proof.unpinned) == unpinned
    assert open_ones == {
        ("wmt17", "fi-en"): 1,
        ("wmt17", "tr-en"): 1,
        ("wmt21", "de-en"): 64,
        ("wmt21", "is-en"): 1,
    }


@pytest.mark.realdata
def test_facebook_scores_are_whole_and_all_accepted():
    sizes = {}
    for pair in ("bn-hi", "hi-bn", "xh-zu", "zu-xh"):
        frame = assessment_releases.load_assessments("facebook21", pair, source="mirror")
        assert frame["accepted"].all() and (frame["item"] == "SYSTEM").all()
        assert (frame["score"] == np.round(frame["score"])).all()
        assert frame.groupby("segment")["system"].nunique().max() == 1
        official = assessment_releases.load_official(
            "facebook21", pair, outcome="z", source="mirror"
        )
        assert official["judgements"].sum() == len(frame)
        sizes[pair] = len(frame)
    assert sum(sizes.values()) == 14443


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("campaign", "pair", "documents"),
    [
        ("wmt17", "cs-en", 113),
        ("wmt18", "en-et", 85),
        ("wmt21", "cs-en", 62),
        ("wmt22", "lv-en", 1),
    ],
)
def test_documents_of_the_public_files(campaign, pair, documents):
    frame = assessment_releases.load_assessments(campaign, pair, source="mirror")
    assert frame["document"].nunique() == documents
    assert frame.groupby("segment", observed=True)["document"].nunique().max() == 1
    assert (frame["document"] == "").all() == (pair == "lv-en")


@pytest.mark.realdata
def test_no_worker_can_be_named(mirror):
    for path in mirror.glob("jjzha/*/newstest2018*/analysis/ad-en??-good-stnd.csv"):
        pair = f"{path.name[3:5]}-{path.name[5:7]}"
        workers = set(pd.read_csv(path, sep="\t", usecols=["WorkerId"])["WorkerId"])
        frame = assessment_releases.load_assessments("wmt18", pair, source="mirror")
        assert frame["worker"].nunique() == len(workers)
        assert frame["worker"].str.fullmatch(r"worker_\d{4}").all()
        for column in ("hit", "system", "document", "segment", "item"):
            assert not workers & set(frame[column].cat.categories)
