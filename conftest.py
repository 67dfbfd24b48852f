"""Notebooks that nbval executes and compares, and the kernel that it executes them in.

nbval compares texts and tables; the figures that a cell saves are compared here. With
the raw files ($WMTLIB_DATA) the notebooks are those in notebooks/, whose outputs were
computed from them. Without, those in tests/embedded/: the same cells with the outputs
of a run on the embedded data.
"""

import os
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from nbval import plugin
from nbval.kernel import RunningKernel
from PIL import Image

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "examples")]
from figure_comparison import cells, fault

pytest_plugins = ["nbval.plugin"]
# One runs in Jupyter only, the other is for the type checker and would fail if it ran.
collect_ignore = ["notebooks/jupyter_server_config.py", "tests/typed_consumer.py"]
if not (ROOT / "notebooks").exists():  # a source distribution
    of_the_repository = "environment readme release"
    collect_ignore += [f"tests/test_{name}.py" for name in of_the_repository.split()]
STORED = {
    True: ROOT / "notebooks",
    False: ROOT / "tests" / "embedded",
}  # by whether raw
FIGURES = {True: ROOT / "figures", False: ROOT / "tests" / "embedded" / "figures"}
# the kernel, for the next one
EMPTY = "import pandas\npandas.reset_option('display')\n%reset -f"


def pytest_ignore_collect(collection_path):
    """Leave out the notebooks whose outputs belong to other data."""
    raw = bool(os.environ.get("WMTLIB_DATA"))
    return (
        True if STORED[not raw] in [collection_path, *collection_path.parents] else None
    )


def pytest_collection_modifyitems(items):
    """Put the file that takes longest first, then the notebooks: no core waits."""
    items.sort(key=lambda item: item.path.stem != "test_try_it")


def pytest_configure(config):
    """Give the kernel of nbval, which no fixture reaches, a folder to write into.

    Figures are saved there; those in the outputs, which nbval does not compare, are not
    drawn.
    """
    folder = tempfile.TemporaryDirectory(prefix="wmtlib-tests-")
    config.add_cleanup(folder.cleanup)
    os.environ["WMTLIB_OUTPUT"] = os.environ["IPYTHONDIR"] = folder.name
    profile = Path(folder.name, "profile_default")
    profile.mkdir()
    (profile / "ipython_kernel_config.py").write_text(
        "c.InlineBackend.figure_formats = set()\n"
    )
    os.environ["WMTLIB_SOURCE"] = (
        "mirror" if os.environ.get("WMTLIB_DATA") else "embedded"
    )
    plugin.RunningKernel = partial(one_kernel, config)


@cache
def one_kernel(config, name, **settings):
    """Start the one kernel of all notebooks, which is emptied after each.

    `make reproduce` gives each notebook a kernel of its own.
    """
    kernel = RunningKernel(name, **settings)
    config.add_cleanup(kernel.stop)
    kernel.stop = lambda: kernel.await_idle(
        kernel.execute_cell_input(EMPTY), timeout=60
    )
    return kernel


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Compare every figure that a cell has saved with the kept one."""
    result = yield
    if isinstance(item, plugin.IPyNbCell):
        folder = Path(os.environ["WMTLIB_OUTPUT"], "figures")
        faults = [*map(figure_fault, sorted(folder.rglob("*.png")))]
        if any(faults):
            pytest.fail("\n".join(filter(None, faults)), pytrace=False)
    return result


def figure_fault(path):
    """Compare a figure with the kept one, and delete it.

    Of those from raw files all pixels are kept, of the others a pixel for every cell.
    """
    raw = bool(os.environ.get("WMTLIB_DATA"))
    name = path.relative_to(Path(os.environ["WMTLIB_OUTPUT"], "figures"))
    kept = FIGURES[raw] / name
    ours = cells(path)
    path.unlink()
    if not kept.is_file():
        return f"{name}: there is no {kept.relative_to(ROOT)}; make embedded stores it"
    expected = cells(kept) if raw else np.asarray(Image.open(kept), float)
    found = fault(ours, expected)
    return found and f"{name} {found}"
