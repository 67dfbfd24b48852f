"""Folders that a run writes to."""

from study.data.outputs import output_folder
from study.data.sources import ROOT, Source


def test_output_folder_is_the_repository_for_raw_data_only(monkeypatch, tmp_path):
    mirror, download, embedded = (
        Source(r, "") for r in ("mirror", "download", "embedded")
    )
    assert output_folder(mirror, committed=True) == tmp_path / "output"
    monkeypatch.delenv("WMTLIB_OUTPUT")
    assert output_folder(mirror, committed=True) == ROOT
    assert output_folder(download, committed=True) == ROOT
    assert output_folder(embedded, committed=True) == ROOT / "build" / "embedded"
    assert output_folder(mirror, committed=False) == ROOT / "build" / "raw"
