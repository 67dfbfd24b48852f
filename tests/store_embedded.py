"""Renew tests/embedded/ from the notebooks that `make reproduce SOURCE=embedded` has
executed.

nbval compares them where there are no raw files: six, that call every part of the
package. Pictures are left out: nbval compares none.
"""

from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
KEPT = ("10", "12", "20", "30", "31", "40")  # the first digits of their names
EXECUTED = ROOT / "build" / "embedded" / "notebooks"
STORED = ROOT / "tests" / "embedded"


def without_pictures(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    return notebook


def main():
    STORED.mkdir(exist_ok=True)
    for stale in STORED.glob("*.ipynb"):
        stale.unlink()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if not path.name.startswith(KEPT):
            continue
        executed = nbformat.read(EXECUTED / path.name, as_version=4)
        nbformat.write(without_pictures(executed), STORED / path.name)


if __name__ == "__main__":
    main()
