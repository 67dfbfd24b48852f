"""Files are written whole or not at all."""

import pandas as pd
import pytest

from study.data import storage


def test_a_table_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "new" / "table.csv"

    def full_disk(self, partial, **_):
        partial.write_text("a\n")
        raise OSError("No space left on device")

    with (
        monkeypatch.context() as context,
        pytest.raises(OSError, match="No space left"),
    ):
        context.setattr(pd.DataFrame, "to_csv", full_disk)
        storage.write_csv(pd.DataFrame({"a": [2]}), path)
    assert not path.parent.exists()
    storage.write_csv(pd.DataFrame({"a": [1]}), path)
    assert path.read_bytes() == b"a\n1\n"
    assert [p.name for p in path.parent.iterdir()] == ["table.csv"]


def test_several_files_are_replaced_all_or_none(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("old")
    with (
        pytest.raises(IsADirectoryError, match="b is a folder"),
        storage.atomic_files(tmp_path) as new,
    ):
        (new / "a").write_text("new")
        (new / "b").write_text("new")
    assert (tmp_path / "a").read_text() == "old"
    (tmp_path / "b").rmdir()
    with storage.atomic_files(tmp_path) as new:
        (new / "a").write_text("new")
        (new / "b").write_text("new")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {
        "a": "new",
        "b": "new",
    }
