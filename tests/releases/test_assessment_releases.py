"""Files as people have them, and the three ways to the data, against a server of our own."""

import csv
import hashlib
import io
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from wmtlib.judgements.direct_assessments import ASSESSMENTS
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import EMPTY_SLOT, REFERENCE
from wmtlib.releases import assessment_releases, ranking_releases, sources
from wmtlib.releases.assessment_releases import DataUnavailable
from wmtlib.releases.sources import Source

HEADER = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system3Number,system3Id,"
    "system4Number,system4Id,system5Number,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank"
)
FIRST = "French,English,39,doc/1,6,A1SECRET,3,bbn,4,rali,5,lium,6,_ref,7,uedin,2,4,3,1,2"
SECOND = "French,English,40,doc/2,7,A2SECRET,3,bbn,1,_ref,0,blank,0,blank,0,blank,1,-1,-1,-1,-1"
THIRD = "English,Czech,1,doc/3,8,A1SECRET,9,sfu,8,uedin,7,cu,0,blank,0,blank,5,5,1,-1,-1"
VALID = "\n".join([HEADER, FIRST, SECOND, THIRD, ""]).encode()


def table(*rows, newline="\n"):
    return newline.join([HEADER, *rows, ""]).encode()


def edit(row, **values):
    """A row with some fields replaced, named by their column."""
    fields = dict(zip(HEADER.split(","), row.split(","), strict=True)) | values
    return ",".join(fields.values())


def plainly(data):
    """What a file says, by the csv module alone: one tuple per ranked output."""
    outputs, judges = [], {}
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    for number, row in enumerate(row for row in rows if any(row.values())):
        judge = f"judge_{judges.setdefault(row['judgeId'], len(judges) + 1):03d}"
        pair = f"{row['srclang']},{row['trglang']}"
        outputs += [
            (pair, number, int(row["srcIndex"]), judge, row[f"system{k}Id"], int(rank))
            for k in range(1, 6)
            if row[f"system{k}Id"] != EMPTY_SLOT and (rank := row[f"system{k}rank"])
        ]
    return outputs


def rows_of(frame):
    return list(frame.itertuples(index=False, name=None))


# --- a registry of one small file --------------------------------------------------------------

ENTRY = {
    "campaign": "wmt10",
    "group": "",
    "repository": "owner/repository",
    "commit": "0123456789abcdef",
    "path": "raw/small.csv",
    "bytes": len(VALID),
    "sha256": hashlib.sha256(VALID).hexdigest(),
    "url": "http://127.0.0.1:9/small.csv",
}


@pytest.fixture
def pin(monkeypatch):
    """Replace the registry by one entry; decisions made under another registry are forgotten."""
    monkeypatch.delenv("WMTLIB_DATA", raising=False)

    def pin(**changes):
        monkeypatch.setattr(sources, "registry", lambda: pd.DataFrame([ENTRY | changes]))
        sources._resolve.cache_clear()

    yield pin
    sources._resolve.cache_clear()


def refused(source):
    """The message of the one-line refusal, and whether another source may still do."""
    with pytest.raises(DataError) as error:
        ranking_releases.load_rankings("wmt10", source=source)
    assert str(error.value).isprintable()
    return str(error.value), error.type is DataUnavailable


# --- mirror ------------------------------------------------------------------------------------


@pytest.fixture
def mirrored(tmp_path, monkeypatch, pin):
    """A mirror with the one file in it, and no server for the download."""
    pin()
    path = tmp_path / "mirror" / ENTRY["repository"] / ENTRY["path"]
    path.parent.mkdir(parents=True)
    path.write_bytes(VALID)
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))
    monkeypatch.setattr(sources, "RETRIES", 0)
    return path


def test_mirror_is_verified_and_read(mirrored):
    source = sources.resolve("auto")
    digest = hashlib.sha256(ENTRY["sha256"].encode()).hexdigest()[:8]
    assert source == Source("mirror", digest) and source.kind == "raw"
    rankings = ranking_releases.load_rankings("wmt10", source="auto")
    assert rankings["task"].unique().tolist() == ["fr-en", "en-cs"]
    assert rows_of(rankings.drop(columns="task")) == [row[1:] for row in plainly(VALID)]
    assert not {"A1SECRET", "A2SECRET"} & set(rankings.astype(str).to_numpy().ravel())


@pytest.mark.parametrize("source", ["mirror", "auto"])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (VALID.replace(b"rali", b"ralI"), "its SHA-256 is not the registry's"),
        (VALID[:-9], f"{len(VALID) - 9} bytes; the registry expects {len(VALID)}"),
        (b"", f"0 bytes; the registry expects {len(VALID)}"),
    ],
    ids=["altered", "truncated", "empty"],
)
def test_a_file_that_is_not_the_pinned_one_is_never_passed_over(mirrored, source, content, what):
    mirrored.write_bytes(content)
    message, another_may_do = refused(source)
    assert message.startswith(f"{mirrored}: {what}") and not another_may_do


@pytest.mark.parametrize("source", ["mirror", "auto"])
def test_a_file_that_cannot_be_read_is_never_passed_over(mirrored, source):
    mirrored.unlink()
    mirrored.mkdir()
    assert refused(source) == (f"{mirrored}: cannot be read (Is a directory)", False)


def test_a_file_altered_after_the_source_was_chosen_is_refused(mirrored):
    source = sources.resolve("mirror")
    mirrored.write_bytes(VALID[::-1])
    assert "SHA-256" in refused(source)[0]


def test_a_missing_file_is_named_and_auto_goes_on(mirrored):
    mirrored.unlink()
    missing = f"no such file in the mirror: {mirrored}"
    assert refused("mirror") == (missing, True)
    source = sources.resolve("auto")
    assert source.route == "embedded"
    assert source.notice.startswith(f"{missing}; cannot download raw/small.csv")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (None, "no mirror: $WMTLIB_DATA is not set"),
        ("", "no mirror: $WMTLIB_DATA is not set"),
        ("/no/such", "no mirror: $WMTLIB_DATA is '/no/such', which is no folder"),
        (__file__, f"no mirror: $WMTLIB_DATA is {__file__!r}, which is no folder"),
    ],
    ids=["unset", "empty", "missing", "file"],
)
def test_no_mirror(mirrored, monkeypatch, folder, message):
    if folder is None:
        monkeypatch.delenv("WMTLIB_DATA")
    else:
        monkeypatch.setenv("WMTLIB_DATA", folder)
    assert refused("mirror") == (message, True)
    assert sources.resolve("auto").notice.startswith(message)


# --- download, from a server of our own --------------------------------------------------------


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `acts`, the last one again and again."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.acts, self.requests, self.closing = [fine], 0, threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/small.csv"

    def handle_error(self, request, client_address):
        """A client that hangs up on a slow answer is what the test is about."""


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests += 1
        self.server.acts[min(self.server.requests, len(self.server.acts)) - 1](self)

    def send(self, body, length):
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *args):
        """Keep the log out of the test output."""


def fine(answer):
    answer.send(VALID, len(VALID))


def other_bytes(answer):
    answer.send(VALID[::-1], len(VALID))


def truncated(answer):
    answer.send(VALID[:100], len(VALID))


def stalled(answer):
    answer.send(VALID[:100], len(VALID))
    answer.server.closing.wait(10)


def broken(answer):
    answer.send_error(500)


@pytest.fixture
def server(pin, monkeypatch):
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        pin(url=server.url)
        server.waits = []  # pooch's waits between attempts: noted, not sat through
        monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=server.waits.append))
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def cached(tmp_path):
    """Every file in the cache."""
    return lambda: [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_download_is_verified_cached_and_read(server, cached):
    source = sources.resolve("auto")
    assert (source.route, source.kind, source.notice) == ("download", "raw", "")
    rankings = ranking_releases.load_rankings("wmt10", source="download")
    assert rows_of(rankings.drop(columns="task")) == [row[1:] for row in plainly(VALID)]
    assert [path.read_bytes() for path in cached()] == [VALID]
    assert server.requests == 1


@pytest.mark.parametrize("act", [broken, truncated, other_bytes])
def test_what_went_wrong_once_is_tried_again(server, cached, act):
    server.acts = [act, fine]
    assert len(ranking_releases.load_rankings("wmt10", source="download")) == len(plainly(VALID))
    assert [path.read_bytes() for path in cached()] == [VALID]
    assert (server.requests, server.waits) == (2, [1])


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (broken, "http error: 500 server error"),
        (truncated, "incomplete"),
        (stalled, "timed out"),
    ],
)
def test_a_download_that_keeps_failing_leaves_nothing_behind(
    server, cached, monkeypatch, act, what
):
    monkeypatch.setattr(sources, "READ_SECONDS", 0.05)
    server.acts = [act]
    message, another_may_do = refused("download")
    assert message.startswith("cannot download raw/small.csv (") and what in message.lower()
    assert another_may_do
    assert server.requests == sources.RETRIES + 1
    assert cached() == []


def test_other_bytes_than_the_pinned_ones_are_never_passed_over(server, cached):
    server.acts = [other_bytes]
    for source in ("download", "auto"):
        message, another_may_do = refused(source)
        assert message == (
            f"{server.url}: what was served is not the file that the registry pins (SHA-256)"
        )
        assert not another_may_do
    assert cached() == []


def test_a_corrupted_cached_file_is_fetched_again(server, cached):
    ranking_releases.load_rankings("wmt10", source="download")
    (path,) = cached()
    path.write_bytes(VALID[:-1])
    ranking_releases.load_rankings("wmt10", source="download")
    assert [p.read_bytes() for p in cached()] == [VALID]
    assert server.requests == 2


def test_what_is_cached_needs_no_server(server, pin):
    ranking_releases.load_rankings("wmt10", source="download")
    pin()  # the closed port of ENTRY
    assert sources.resolve("auto").route == "download"


# --- offline -----------------------------------------------------------------------------------


@pytest.fixture
def no_server(pin, monkeypatch):
    with socket.socket() as probe:  # a port that was free a moment ago
        probe.bind(("127.0.0.1", 0))
        pin(url=f"http://127.0.0.1:{probe.getsockname()[1]}/small.csv")
    monkeypatch.setattr(sources, "RETRIES", 0)


def test_offline_download_is_unavailable(no_server, cached):
    message, another_may_do = refused("download")
    assert message.startswith("cannot download raw/small.csv (connection error: ")
    assert another_may_do and cached() == []


def test_offline_auto_takes_the_embedded_counts_and_says_why(no_server):
    source = sources.resolve("auto")
    assert (source.route, source.kind) == ("embedded", "embedded")
    assert source.notice.startswith(
        "no mirror: $WMTLIB_DATA is not set; cannot download raw/small.csv (connection error: "
    )
    assert source.notice.isprintable() and " at 0x" not in source.notice
    assert len(ranking_releases.load_counts("wmt10", "cs-en", source=source).systems) == 13
    assert refused(source) == (
        "wmt10: the embedded data hold counts only, no single rankings",
        True,
    )


def test_a_cache_that_cannot_be_written_is_no_traceback(server, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("WMTLIB_CACHE", str(tmp_path / "file"))
    message, another_may_do = refused("download")
    assert message.startswith("cannot download raw/small.csv (") and another_may_do


# --- the choice of a source --------------------------------------------------------------------


def test_the_environment_is_looked_at_anew_every_time(mirrored, server, pin, tmp_path, monkeypatch):
    mirror = tmp_path / "mirror"
    assert sources.resolve("auto").route == "mirror"
    monkeypatch.delenv("WMTLIB_DATA")
    assert sources.resolve("auto").route == "download"
    server.acts = [broken]
    monkeypatch.setenv("WMTLIB_CACHE", str(tmp_path / "another cache"))
    assert sources.resolve("auto").route == "embedded"
    monkeypatch.setenv("WMTLIB_CACHE", str(tmp_path / "cache"))  # that of the download above
    assert sources.resolve("auto").route == "download"
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
    assert sources.resolve("auto").route == "embedded"
    assert sources.resolve("download").route == "download"
    monkeypatch.setenv("WMTLIB_DATA", str(mirror))
    monkeypatch.setenv("WMTLIB_SOURCE", "")
    assert sources.resolve("auto").route == "mirror"
    mirrored.unlink()
    monkeypatch.setenv("WMTLIB_DATA", f"{mirror}/")
    assert sources.resolve("auto").route == "download"


def test_offline_is_found_out_once(server):
    server.acts = [broken]
    first = sources.resolve("auto")
    asked = server.requests
    assert sources.resolve("auto") == first and server.requests == asked


def test_a_source_that_is_none_is_refused(monkeypatch):
    expected = "source is 'disk'; expected auto, mirror, download or embedded"
    with pytest.raises(DataError, match=f"^{expected}$"):
        sources.resolve("disk")
    monkeypatch.setenv("WMTLIB_SOURCE", "disk")
    with pytest.raises(DataError, match=f"^{expected}$"):
        sources.resolve("auto")


def test_only_raw_data_write_into_the_repository(monkeypatch, tmp_path):
    assert Source("mirror", "").output == tmp_path / "output"
    monkeypatch.delenv("WMTLIB_OUTPUT")
    assert Source("mirror", "").output == Source("download", "").output == sources.ROOT
    assert Source("embedded", "").output == sources.ROOT / "build" / "embedded"


# --- the embedded tables -----------------------------------------------------------------------

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
        ("wmt12", "fr-cs", "no task 'fr-cs' in campaign 'wmt12': tasks of wmt12 are cs-en, de-en"),
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


# --- direct assessment: each language pair needs its own files only ------------------------------

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
        rows.append(
            ENTRY | {"campaign": campaign, "group": group, "path": name, "bytes": size}
            | {"sha256": sha256, "url": f"http://127.0.0.1:9/{name}"}
        )  # fmt: skip
        path = tmp_path / "mirror" / ENTRY["repository"] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if data != b"not there":
            path.write_bytes(data)
    monkeypatch.setattr(sources, "registry", lambda: pd.DataFrame(rows))
    monkeypatch.setattr(sources, "RETRIES", 0)
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))
    sources._resolve.cache_clear()
    yield path.parent
    sources._resolve.cache_clear()


@pytest.mark.parametrize("source", ["mirror", "auto"])
def test_a_partial_mirror_works_for_what_it_holds(few_files, source):
    frame = assessment_releases.load_assessments("wmt22", "de-en", source=source)
    assert frame["score"].tolist() == [40, 50, 60]
    assert frame["document"].tolist() == ["doc_000001"] * 3
    assert "mail.org" not in frame.to_csv()
    ranking = assessment_releases.load_official("wmt18", "de-en", what="z", source=source)
    assert ranking["system"].tolist() == ["A.1", "B.2"]


def test_a_partial_mirror_says_what_is_absent(few_files):
    status = assessment_releases.assessed("mirror").set_index(["campaign", "language_pair"])
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
    with pytest.raises(DataError, match=r"its SHA-256 is not the registry's"):
        assessment_releases.load_assessments("wmt22", "de-en", source="auto")


def test_real_campaigns_are_never_simulated(few_files):
    for source in ("embedded", Source("embedded", "")):
        with pytest.raises(DataUnavailable, match="simulated campaigns only"):
            assessment_releases.load_assessments("wmt22", "de-en", source=source)
    statuses = assessment_releases.assessed("embedded")
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


def test_the_catalogue_has_the_paper_s_46_campaigns():
    table = assessment_releases.assessed("embedded")
    assert table["paper"].sum() == 46
    assert table[table["paper"]].groupby("style").size().to_dict() == {"SR+DC": 25, "SR-DC": 21}
    assert not table.duplicated(["campaign", "language_pair"]).any()
    assert assessment_releases.assessment_campaigns()[:3] == ["wmt17", "wmt18", "wmt19"]


def test_relative_ranking_needs_no_other_files(mirrored):
    digest = hashlib.sha256(ENTRY["sha256"].encode()).hexdigest()[:8]
    assert sources.resolve("mirror") == Source("mirror", digest)
    with pytest.raises(DataUnavailable, match=r"^no public file of wmt22$"):
        sources.resolve("mirror", ["wmt22"])


@pytest.mark.realdata
def test_official_outcomes_and_means():
    table = assessment_releases.assessed("mirror")
    assert table["status"].value_counts().to_dict() == {"present": 42, "partial": 22, "absent": 15}
    for row in table[table["status"] == "partial"].itertuples():
        where = row.campaign, row.language_pair
        means = assessment_releases.load_segment_means(*where, source="mirror")
        assert means["raw"].between(0, 100).all() and (means["judgements"] > 0).all()
        if row.campaign == "wmt20":
            systems = assessment_releases.load_official(*where, what="systems", source="mirror")
            p_values = assessment_releases.load_official(*where, what="p-values", source="mirror")
            assert set(p_values.columns) == set(systems["system"])
            assert set(means["system"]) - {"HUMAN"} == set(systems["system"]) - {"HUMAN"}
    for campaign, pair in [("wmt18", "de-en"), ("wmt21", "zh-en"), ("facebook21", "bn-hi")]:
        found = {
            what: assessment_releases.load_official(campaign, pair, what=what, source="mirror")
            for what in ("z", "raw", "clusters", "differences")
        }
        assert found["z"]["z"].is_monotonic_decreasing
        names = [set(f.get("system", f.get("system_1"))) for f in found.values()]
        assert all(n == names[0] for n in names)


# --- the raw files themselves ------------------------------------------------------------------


@pytest.mark.realdata
def test_the_raw_files_give_the_committed_tables(monkeypatch, tmp_path):
    committed = [sources.DATA / "counts.csv", sources.DATA / "tasks.csv"]
    source = sources.resolve("mirror")
    ranking_releases._tables(source)
    monkeypatch.setattr(ranking_releases, "DATA", tmp_path)
    written = ranking_releases.write_embedded(source)
    assert [p.read_bytes() for p in written] == [p.read_bytes() for p in committed]


@pytest.mark.realdata
def test_no_judge_can_be_named(mirror):
    ranked = sources.registry().query("campaign in @sources.RANKED")
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
