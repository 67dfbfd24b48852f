"""What all tests share: no network, nothing written into the repository, the raw files
if there.
"""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import settings

# No deadlines: the time of a first call is pandas warming up, not a fault. The same 25
# examples are drawn every time, on every machine; the weekly run draws 500 others.
settings.register_profile(
    "deterministic", deadline=None, max_examples=25, derandomize=True
)
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("deterministic")


def pytest_runtest_setup(item):
    if item.get_closest_marker("realdata") and not os.environ.get("WMTLIB_DATA"):
        pytest.skip("needs the raw judgement files; set $WMTLIB_DATA to their folder")


@pytest.fixture
def mirror():
    """The folder of the raw files; for tests marked `realdata`."""
    return Path(os.environ["WMTLIB_DATA"])


@pytest.fixture(autouse=True)
def contained(tmp_path, monkeypatch, request):
    """Results and downloads go to a temporary folder, and the shell's choice of source
    is unset.

    What tests on raw files read and fit is kept below build/, as for the notebooks: an
    entry is read only by the package, the data and the lock that wrote it. Other tests
    keep nothing.
    """
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("WMTLIB_CACHE", str(tmp_path / "cache"))
    if not request.node.get_closest_marker("realdata"):
        monkeypatch.setenv("WMTLIB_KEPT", "")
    for name in ("WMTLIB_SOURCE", "IPYTHONDIR"):  # those are for the kernels of nbval
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """A test that looks up any host but this machine fails, whatever the code would
    catch.
    """
    look_up = socket.getaddrinfo

    def local_only(host, *args, **kwargs):
        if host not in ("127.0.0.1", "localhost", None):
            pytest.fail(f"a test tried to reach {host}")
        return look_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", local_only)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def ax():
    """Axes to draw on, without a screen."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)
