"""The list of results and figures: what it says of each file, and what it notices."""

import pandas as pd
import pytest

from wmtlib.study.releases.sources import Source
from wmtlib.study.running import manifest

SOURCE = Source("mirror", "1234abcd")
FILES = {
    "10-tournaments": [
        "results/lopez2012-table-3.csv",
        "figures/lopez2012-figures-2-3.png",
    ],
    "32-case-studies": [
        "figures/knowles2021-figure-2/wmt20-en-de.png",
        "build/raw/x.ipynb",
    ],
    "23-which-model": ["results/hopkins2013-which-model.csv"],
    "01-data": ["results/data-tasks.csv"],
    "11-one-task": ["figures/lopez2012-task/wmt10-cs-en.png"],
}


@pytest.fixture
def folder(tmp_path):
    """What runs have left behind, and its manifest."""
    board = tmp_path / "results" / "scoreboard.csv"
    for path in [
        board,
        *(tmp_path / name for names in FILES.values() for name in names),
    ]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    (tmp_path / "written").mkdir()
    for job, names in FILES.items():
        lines = [f"{tmp_path / name}\n" for name in names]
        (tmp_path / "written" / f"{job}.txt").write_text("".join(lines))
    manifest.write_manifest(tmp_path, sorted((tmp_path / "written").iterdir()), SOURCE)
    return tmp_path


def test_each_file_stands_there_with_its_item_its_notebook_and_its_data(folder):
    table = pd.read_csv(folder / manifest.NAME, dtype=str, keep_default_na=False)
    assert table.columns.tolist() == manifest.COLUMNS and set(table["data"]) == {
        "1234abcd"
    }
    assert table[["file", "paper", "item", "notebook"]].to_numpy().tolist() == [
        [
            "figures/knowles2021-figure-2/wmt20-en-de.png",
            "knowles2021",
            "figure-2",
            NOTEBOOK,
        ],
        [
            "figures/lopez2012-figures-2-3.png",
            "lopez2012",
            "figures-2-3",
            "10-tournaments",
        ],
        [
            "figures/lopez2012-task/wmt10-cs-en.png",
            "lopez2012",
            "figure-1",  # its name does not say so, data/published/items.csv does
            "11-one-task",
        ],
        ["results/data-tasks.csv", "", "", "01-data"],
        [
            "results/hopkins2013-which-model.csv",
            "hopkins2013",
            "section-9",
            "23-which-model",
        ],
        ["results/lopez2012-table-3.csv", "lopez2012", "table-3", "10-tournaments"],
        ["results/scoreboard.csv", "", "", ""],
    ]


NOTEBOOK = "32-case-studies"


def test_what_has_changed_is_named_in_a_line(folder):
    assert manifest.faults(folder) == []
    (folder / "results" / "data-tasks.csv").write_text("other")
    (folder / "results" / "lopez2012-table-3.csv").unlink()
    (folder / "figures" / "new.png").write_text("")
    assert manifest.faults(folder) == [
        (None, "figures/new.png is not in results/manifest.csv: no notebook writes it"),
        (
            "01-data",
            "results/data-tasks.csv is not the file that make reproduce wrote (SHA-256"
            " in results/manifest.csv)",
        ),
        (
            "10-tournaments",
            "results/lopez2012-table-3.csv is missing; results/manifest.csv lists it",
        ),
    ]
