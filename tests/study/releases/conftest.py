"""What tests of the releases share: a registry of one small file, in a mirror or on a server."""

import threading
from types import SimpleNamespace

import pytest
from small_release import ENTRY, VALID, Server

from wmtlib.study.releases import sources
from wmtlib.study.releases.sources import PublicFile


@pytest.fixture
def pin(monkeypatch):
    """Replace the registry by one file; what was found out under another registry is forgotten."""
    monkeypatch.delenv("WMTLIB_DATA", raising=False)

    def pin(**changes):
        monkeypatch.setattr(sources, "registered_files", lambda: [PublicFile(**(ENTRY | changes))])
        sources.reason_missing.cache_clear()

    yield pin
    sources.reason_missing.cache_clear()


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
