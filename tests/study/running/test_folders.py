"""Where a run writes."""

from wmtlib.study.releases.sources import ROOT, Source
from wmtlib.study.running.folders import output_folder


def test_only_raw_data_write_into_the_repository(monkeypatch, tmp_path):
    mirror, download, embedded = (
        Source(r, "") for r in ("mirror", "download", "embedded")
    )
    assert output_folder(mirror, committed=True) == tmp_path / "output"
    monkeypatch.delenv("WMTLIB_OUTPUT")
    assert output_folder(mirror, committed=True) == ROOT
    assert output_folder(download, committed=True) == ROOT
    assert output_folder(embedded, committed=True) == ROOT / "build" / "embedded"
    assert output_folder(mirror, committed=False) == ROOT / "build" / "raw"
