"""What archives ask for: files listed, papers named, nothing invented."""

import json

import pandas as pd
import pytest
import yaml
from rocrate.rocrate import ROCrate

from wmtlib.study import published
from wmtlib.study.releases.sources import ROOT
from wmtlib.study.running import archive


@pytest.fixture(scope="module")
def listed():
    return pd.read_csv(ROOT / "results" / "manifest.csv", keep_default_na=False)


def test_what_is_committed_is_made_from_the_manifest(tmp_path):
    (tmp_path / "results").mkdir()
    manifest = (ROOT / "results" / "manifest.csv").read_bytes()
    (tmp_path / "results" / "manifest.csv").write_bytes(manifest)
    archive.write_metadata(tmp_path)
    for name in ("codecheck.yml", "ro-crate-metadata.json"):
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes(), name


def test_codecheck_lists_every_file_of_a_paper_with_the_place_it_is_of(listed):
    check = yaml.safe_load((ROOT / "codecheck.yml").read_text("utf-8"))
    of_papers = listed[listed["paper"] != ""]
    assert [entry["file"] for entry in check["manifest"]] == [*of_papers["file"]]
    assert not of_papers["item"].eq("").any()
    # What a person has to supply is absent, not invented.
    assert "authors" not in check["paper"] and "codechecker" not in check


def test_an_item_belongs_to_a_file_that_is_there(listed):
    stems = {name.split("/")[1].split(".")[0] for name in listed["file"]}
    assert set(published.lookup("items")) <= stems


def test_crate_is_read_by_its_library_and_knows_every_file(listed):
    crate = ROCrate(ROOT)
    assert crate.name == archive.TITLE
    files = {entity.id for entity in crate.get_by_type("File")}
    assert files == set(listed["file"])
    graph = json.loads((ROOT / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    hashes = {entity["@id"]: entity.get("sha256") for entity in graph}
    assert all(hashes[row.file] == row.sha256 for row in listed.itertuples())
