"""The three ways to the data, against a mirror and a server of our own."""

import hashlib
import socket

import pandas as pd
import pytest
from small_release import (
    ENTRY,
    VALID,
    broken,
    other_bytes,
    plainly,
    rows_of,
    stalled,
    truncated,
)

from examples import data_error
from study.data import ranking_releases, sources
from study.data.sources import Source
from wmtlib.core.errors import DataError, DataUnavailable


def refused(source):
    """The message of the one-line refusal, and whether another source may still do."""
    with pytest.raises(DataError) as error:
        ranking_releases.load_rankings("wmt10", source=source)
    assert str(error.value).isprintable()
    return str(error.value), error.type is DataUnavailable


# --- mirror ---------------------------------------------------------------------------


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
    "content",
    [VALID.replace(b"rali", b"ralI"), VALID[:-9], b""],
    ids=["altered", "cut", "empty"],
)
def test_resolve_refuses_a_file_with_another_hash(mirrored, source, content):
    mirrored.write_bytes(content)
    what = "its SHA-256 differs from the registry's; get it from http"
    message, another_may_do = refused(source)
    assert message.startswith(f"{mirrored}: {what}") and not another_may_do


def test_a_missing_file_is_named_and_auto_goes_on(mirrored):
    mirrored.unlink()
    missing = f"no such file in the mirror: {mirrored}"
    assert refused("mirror") == (missing, True)
    source = sources.resolve("auto")
    assert source.route == "embedded"
    assert source.notice.startswith(f"{missing}; cannot download {ENTRY['url']}")


@pytest.mark.parametrize(
    "folder, message",
    [
        (None, "no mirror: $WMTLIB_DATA is not set"),
        ("", "no mirror: $WMTLIB_DATA is not set"),
        ("/no/such", "no mirror: $WMTLIB_DATA is '/no/such', which is not a folder"),
        (__file__, f"no mirror: $WMTLIB_DATA is {__file__!r}, which is not a folder"),
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


# --- download, from a server of our own -----------------------------------------------


def test_download_is_verified_cached_and_fetched_again_if_altered(server, cached):
    source = sources.resolve("auto")
    assert (source.route, source.kind, source.notice) == ("download", "raw", "")
    rankings = ranking_releases.load_rankings("wmt10", source="download")
    assert rows_of(rankings.drop(columns="task")) == [row[1:] for row in plainly(VALID)]
    assert [path.read_bytes() for path in cached()] == [VALID]
    assert server.requests == 1
    (path,) = cached()
    path.write_bytes(VALID[:-1])
    ranking_releases.load_rankings("wmt10", source="download")
    assert path.read_bytes() == VALID and server.requests == 2


@pytest.mark.parametrize(
    "act, what",
    [
        (broken, "httperror"),
        (truncated, "chunkedencodingerror"),
        (stalled, "connectionerror"),
    ],
)
def test_fetch_leaves_no_file_after_failed_downloads(
    server, cached, monkeypatch, act, what
):
    monkeypatch.setattr(sources, "READ_SECONDS", 0.05)
    server.acts = [act]
    message, another_may_do = refused("download")
    assert (
        message.startswith("cannot download http://127.0.0.1:")
        and what in message.lower()
    )
    assert another_may_do
    assert server.requests == sources.RETRIES + 1
    assert cached() == []


def test_fetch_refuses_other_bytes_than_the_pinned(server, cached):
    server.acts = [other_bytes]
    for source in ("download", "auto"):
        message, another_may_do = refused(source)
        fault = "differs from the file that the registry pins (SHA-256)"
        assert message == f"{server.url}: what was served {fault}"
        assert not another_may_do
    assert cached() == []


# --- offline --------------------------------------------------------------------------


@pytest.fixture
def no_server(pin, monkeypatch):
    with socket.socket() as probe:  # a port that was free a moment ago
        probe.bind(("127.0.0.1", 0))
        pin(url=f"http://127.0.0.1:{probe.getsockname()[1]}/small.csv")
    monkeypatch.setattr(sources, "RETRIES", 0)


def test_resolve_offline_takes_the_embedded_counts_with_a_notice(no_server):
    source = sources.resolve("auto")
    assert (source.route, source.kind) == ("embedded", "embedded")
    assert source.notice.startswith(
        "no mirror: $WMTLIB_DATA is not set; cannot download http://127.0.0.1:"
    )
    assert source.notice.isprintable() and " at 0x" not in source.notice
    assert (
        len(ranking_releases.load_counts("wmt10", "cs-en", source=source).systems) == 13
    )
    message, another_may_do = refused(source)
    assert message.startswith(
        "wmt10: the embedded data hold counts only, no single rankings; no m"
    )
    assert another_may_do


# --- the choice of a source -----------------------------------------------------------


def test_resolve_tries_the_network_once(server):
    server.acts = [broken]
    first = sources.resolve("auto")
    asked = server.requests
    assert sources.resolve("auto") == first and server.requests == asked


def test_resolve_refuses_an_unknown_source(monkeypatch):
    expected = "source is 'disk'; expected auto, mirror, download or embedded"
    with data_error(f"^{expected}$"):
        sources.resolve("disk")
    monkeypatch.setenv("WMTLIB_SOURCE", "disk")
    with data_error(f"^{expected}$"):
        sources.resolve("auto")


# --- licences -------------------------------------------------------------------------


def test_every_repository_has_its_terms_and_the_page_on_data_shows_them():
    table = pd.read_csv(sources.DATA / "sources.csv", dtype=str, keep_default_na=False)
    assert set(sources.registry()["repository"]) <= set(table["repository"])
    assert (
        table["repository"].is_unique
        and table["licence"].all()
        and table["terms"].all()
    )
    page = (sources.ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    for row in [table.columns, *table.to_numpy()]:
        assert f"| {' | '.join(row)} |" in page
    assert f"{len(sources.registry())} files" in page
