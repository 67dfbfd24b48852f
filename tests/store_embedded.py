"""Renew tests/embedded/ from what `make reproduce SOURCE=embedded` has executed.

nbval compares the notebooks, and conftest.py the figures, where there are no raw files.
Pictures are left out of the notebooks; of a figure a pixel for every cell is kept.
"""

import shutil
from pathlib import Path

import nbformat
from figure_comparison import seen_from_far
from PIL import Image

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build" / "embedded"
STORED = ROOT / "tests" / "embedded"


def without_pictures(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    return notebook


def main():
    shutil.rmtree(STORED, ignore_errors=True)
    STORED.mkdir()
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        executed = nbformat.read(BUILT / "notebooks" / path.name, as_version=4)
        nbformat.write(without_pictures(executed), STORED / path.name)
    for path in sorted((BUILT / "figures").rglob("*.png")):
        stored = STORED / "figures" / path.relative_to(BUILT / "figures")
        stored.parent.mkdir(parents=True, exist_ok=True)
        seen_from_far(Image.open(path)).save(stored, optimize=True)


if __name__ == "__main__":
    main()
