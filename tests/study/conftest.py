"""What tests of the study share: a registry of small files, in a mirror or on a server,
and the tasks of Lopez (2012).
"""

import hashlib
import threading
from types import SimpleNamespace

import pandas as pd
import pytest
from small_release import ENTRY, VALID, Server

from study import lopez2012
from study.data import sources


@pytest.fixture
def register(monkeypatch):
    """Replace the registry by rows; what was found out under another registry is
    forgotten.
    """

    def forget():
        sources.reason_missing.cache_clear()
        sources.campaign_files.cache_clear()

    def register(*rows):
        monkeypatch.setattr(sources, "registry", lambda: pd.DataFrame(rows))
        forget()

    yield register
    forget()


@pytest.fixture
def pin(monkeypatch, register):
    """Replace the registry by one file."""
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    return lambda **changes: register(ENTRY | changes)


@pytest.fixture
def in_mirror(tmp_path, monkeypatch, register):
    """Fill a mirror, and its registry, with files: bytes by campaign, group and path;
    its folder.

    A file of no bytes is registered and not there.
    """
    folder = tmp_path / "mirror" / ENTRY["repository"]
    monkeypatch.setenv("WMTLIB_DATA", str(tmp_path / "mirror"))
    monkeypatch.setattr(sources, "RETRIES", 0)

    def fill(files):
        rows = []
        for (campaign, group, path), data in files.items():
            row = ENTRY | {
                "campaign": campaign,
                "group": group,
                "path": path,
                "bytes": len(data),
            }
            row |= {
                "sha256": hashlib.sha256(data).hexdigest(),
                "url": f"http://127.0.0.1:9/{path}",
            }
            rows.append(row)
            if data:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
        register(*rows)
        return folder

    return fill


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
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        thread.start()
        pin(url=server.url)
        server.waits = []  # pooch's waits between attempts: noted, not sat through
        monkeypatch.setattr(
            "pooch.core.time", SimpleNamespace(sleep=server.waits.append)
        )
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def cached(tmp_path):
    """Every file in the cache."""
    return lambda: [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.fixture(scope="session")
def found():
    """Give the tasks of Lopez (2012), ranked from the embedded counts."""
    return lopez2012.analyse("embedded")


@pytest.fixture
def style_of_figures():
    """Draw in the style of the notebooks; close what was drawn."""
    from matplotlib import pyplot as plt

    from study.run import figures

    with plt.rc_context():
        figures.style()
        yield
    plt.close("all")
