"""Which notebooks nbval executes and compares: it depends on the data that are at hand.

With the raw files ($WMTLIB_DATA), those in notebooks/, whose outputs were computed from them.
Without, those in tests/embedded/: the same cells with the outputs of a run on the embedded data.
"""

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent
collect_ignore = ["notebooks/jupyter_server_config.py"]  # runs in Jupyter only
STORED = {True: ROOT / "notebooks", False: ROOT / "tests" / "embedded"}  # by whether raw


def pytest_ignore_collect(collection_path):
    """Leave out the notebooks whose outputs belong to other data."""
    raw = bool(os.environ.get("WMTLIB_DATA"))
    return True if STORED[not raw] in [collection_path, *collection_path.parents] else None


def pytest_configure(config):
    """For the kernels that nbval starts, which no fixture reaches: a folder to write into."""
    folder = tempfile.TemporaryDirectory(prefix="wmtlib-tests-")
    config.add_cleanup(folder.cleanup)
    os.environ["WMTLIB_OUTPUT"] = folder.name
    os.environ["WMTLIB_SOURCE"] = "mirror" if os.environ.get("WMTLIB_DATA") else "embedded"
