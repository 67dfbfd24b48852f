"""Notebooks that nbval executes and compares, and the kernel that it executes them in.

nbval compares texts and tables; the figures that a cell saves are compared here. The
outputs in notebooks/ are those of the raw files ($WMTLIB_DATA). In tests/embedded/ are
the same cells with the outputs of a run on the embedded data. `make nbval` compares the
latter, `make nbval SOURCE=mirror` the former.
"""

import os
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "examples")]
# The tests share the cores, so that threads of OpenBLAS would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# jsonschema, which nbval loads, would take two seconds for it in each process.
sys.modules.setdefault("rfc3987_syntax", None)
import numpy as np
from figure_comparison import cells, fault
from nbval import plugin
from nbval.kernel import RunningKernel
from PIL import Image

pytest_plugins = ["nbval.plugin"]
# One runs in Jupyter only, the other is for the type checker and would fail if it ran.
collect_ignore = ["notebooks/jupyter_server_config.py", "tests/typed_consumer.py"]
if not (ROOT / "notebooks").exists():  # a source distribution
    of_the_repository = "environment readme release"
    collect_ignore += [f"tests/test_{name}.py" for name in of_the_repository.split()]
RAW = ROOT / "notebooks"
FIGURES = {True: ROOT / "figures", False: ROOT / "tests" / "embedded" / "figures"}
# Files that take longest, in this order: they are run first, so that no core waits. 23
# comes last, and reads what 20 has kept.
LONGEST = [
    "test_try_it_hopkins2013",
    "20-perplexity",
    "test_book",
    "test_try_it_lopez2012",
    "test_try_it_beyond",
    "13-cycles",
]
LAST = "23-which-model"
# the kernel, for the next one
EMPTY = "import pandas\npandas.reset_option('display')\n%reset -f"


def pytest_collection_modifyitems(items):
    """Mark the cells of notebooks, and put what takes longest first."""
    for item in items:
        if isinstance(item, plugin.IPyNbCell):
            item.add_marker("notebook")
    places = {name: place for place, name in enumerate(LONGEST)}
    places[LAST] = len(places) + 1
    items.sort(key=lambda item: places.get(item.path.stem, len(LONGEST)))


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
    plugin.RunningKernel = partial(one_kernel, config)


@cache
def one_kernel(config, name, cwd, **settings):
    """Start the one kernel of all notebooks of a folder, which is emptied after each.

    `make reproduce` gives each notebook a kernel of its own.
    """
    os.environ["WMTLIB_SOURCE"] = "mirror" if Path(cwd) == RAW else "embedded"
    kernel = RunningKernel(name, cwd=cwd, **settings)
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
        raw = item.path.parent == RAW
        faults = [figure_fault(path, raw) for path in sorted(folder.rglob("*.png"))]
        if any(faults):
            pytest.fail("\n".join(filter(None, faults)), pytrace=False)
    return result


def figure_fault(path, raw):
    """Compare a figure with the kept one, and delete it.

    Of those from raw files all pixels are kept, of the others a pixel for every cell.
    """
    name = path.relative_to(Path(os.environ["WMTLIB_OUTPUT"], "figures"))
    kept = FIGURES[raw] / name
    ours = cells(path)
    path.unlink()
    if not kept.is_file():
        return f"{name}: there is no {kept.relative_to(ROOT)}; make embedded stores it"
    expected = cells(kept) if raw else np.asarray(Image.open(kept), float)
    found = fault(ours, expected)
    return found and f"{name} {found}"
