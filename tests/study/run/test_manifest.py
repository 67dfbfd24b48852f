"""What a run writes: where, and the list of it."""

import pandas as pd
import pytest

from study.data.sources import ROOT, Source
from study.run import manifest
from study.scoreboard import published

SOURCE = Source("mirror", "1234abcd")
FILES = {
    "10-tournaments": [
        "results/lopez2012-table-3.csv",
        "figures/lopez2012-figures-2-3.png",
    ],
    "32-case-studies": ["figures/knowles2021-figure-2/wmt20-en-de.png"],
    "23-which-model": ["results/hopkins2013-which-model.csv"],
    "01-data": ["results/data-tasks.csv"],
    "11-one-task": ["figures/lopez2012-task/wmt10-cs-en.png"],
}

# The name of wmt10-cs-en.png says no item, data/published/items.csv does.
LISTED = """\
file,paper,item,notebook
figures/knowles2021-figure-2/wmt20-en-de.png,knowles2021,figure-2,32-case-studies
figures/lopez2012-figures-2-3.png,lopez2012,figures-2-3,10-tournaments
figures/lopez2012-task/wmt10-cs-en.png,lopez2012,figure-1,11-one-task
results/data-tasks.csv,,,01-data
results/hopkins2013-which-model.csv,hopkins2013,section-9,23-which-model
results/lopez2012-table-3.csv,lopez2012,table-3,10-tournaments
results/scoreboard.csv,,,
"""


@pytest.fixture
def folder(tmp_path):
    """Write files as runs leave them, and their manifest."""
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


def test_write_manifest_lists_each_file_with_item_notebook_and_data(folder):
    table = pd.read_csv(folder / manifest.NAME, dtype=str, keep_default_na=False)
    columns = ["file", "paper", "item", "notebook", "data", "sha256"]
    assert table.columns.tolist() == columns
    assert set(table["data"]) == {"1234abcd"}
    listed = table[["file", "paper", "item", "notebook"]].to_csv(index=False)
    assert listed == LISTED


def test_faults_name_what_has_changed_in_a_line(folder):
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


def test_items_csv_names_files_that_the_manifest_lists():
    listed = pd.read_csv(ROOT / manifest.NAME, keep_default_na=False)
    stems = {name.split("/")[1].split(".")[0] for name in listed["file"]}
    assert set(published.lookup("items")) <= stems
    of_papers = listed[listed["paper"] != ""]
    assert not of_papers["item"].eq("").any()
