"""Kept results: read again while nothing has changed, computed again when it has."""

import os
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from study.run import keep

ONES = pd.DataFrame({"a": np.ones(2)})
MIXED = pd.DataFrame(
    {
        "float": [1.5, None],
        "text": ["x", None],
        "category": pd.Categorical(["u", "v"], ["v", "u"], ordered=True),
        "number": pd.Categorical([3, 1], [1, 3, 7]),
        "small": np.array([1, -2], "int8"),
        "bool": [True, False],
        "missing": pd.array([1, None], "Int64"),
    }
)
TABLES = [
    MIXED.set_index(["text", "small"]),
    MIXED.rename_axis("row").rename_axis(columns="column"),
    MIXED.set_axis(
        pd.MultiIndex.from_product([["a"], range(7)], names=["n", None]), axis=1
    ),
    MIXED[:0],
    pd.DataFrame(),
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give the folder that results are kept in, and packages of one file each."""
    monkeypatch.setenv("WMTLIB_KEPT", str(tmp_path / "kept"))
    monkeypatch.setattr(keep, "ROOT", tmp_path)
    # Each call is one of a new process.
    monkeypatch.setattr(keep, "inputs_sha256", keep.inputs_sha256.__wrapped__)
    for name in ("wmtlib/a.py", "study/b.toml", "data/c.csv", "requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("as it was")
    return tmp_path / "kept"


def counted(value=ONES):
    """Make a computation, and a list of its runs."""
    runs = []
    return lambda: runs.append(1) or value, runs


@pytest.mark.parametrize("value", [*TABLES, {"a table/b": MIXED, "ones": ONES}])
def test_result_is_computed_once_and_read_as_it_was(value):
    compute, runs = counted(value)
    for _ in range(2):
        found = keep.result("test", [1, "x"], compute)
        tables = value if isinstance(value, dict) else {"": value}
        read = found if isinstance(value, dict) else {"": found}
        assert [*read] == [*tables]
        for name, table in tables.items():
            pd.testing.assert_frame_equal(read[name], table)
            assert type(read[name].index) is type(table.index)
    assert len(runs) == 1


def test_result_is_computed_again_for_other_settings_and_names():
    compute, runs = counted()
    for name, settings in [("a", [1]), ("a", [2]), ("b", [1]), ("a", [1])]:
        keep.result(name, settings, compute)
    assert len(runs) == 3


@pytest.mark.parametrize(
    "name", ["wmtlib/a.py", "study/b.toml", "data/c.csv", "requirements.lock"]
)
def test_result_is_computed_again_for_a_changed_input(folder, name):
    compute, runs = counted()
    for _ in range(2):
        keep.result("fit", [], compute)
        (folder.parent / name).write_text("other")
        (folder.parent / "study" / "b.pyc").touch()
    assert len(runs) == 2
    assert len(list(folder.rglob("*.npz"))) == 1  # it replaces that of other inputs


def test_result_is_computed_anew_if_its_file_was_cut_short_or_changed(folder):
    compute, runs = counted()
    keep.result("test", [], compute)
    [path] = folder.rglob("*.npz")
    whole = path.read_bytes()
    flipped = bytes([*whole[:400], whole[400] ^ 1, *whole[401:]])
    for number, bad in enumerate([whole[:-9], flipped, b"", b"no archive"]):
        path.write_bytes(bad)
        for _ in range(2):
            assert keep.result("test", [], compute).equals(ONES)
            assert len(runs) == number + 2
        assert path.read_bytes() == whole  # the same result gives the same bytes


def test_result_keeps_nothing_that_mixes_types_failed_or_is_of_a_notebook(folder):
    mixed = pd.DataFrame({"mixed": pd.Series([1, "a"], dtype=object)})
    with pytest.raises((TypeError, ValueError)):
        keep.result("test", [], lambda: mixed)
    with pytest.raises(ZeroDivisionError):
        keep.result("test", [], lambda: 1 / 0)
    compute, runs = counted()
    compute.__module__ = "__main__"
    with pytest.raises(ValueError, match="of a notebook"):
        keep.result("test", [], compute)
    assert not runs and not [path for path in folder.rglob("*") if path.is_file()]


class Marker:
    """An object whose pickle, when it is read, makes a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_unpack_runs_no_pickle(tmp_path):
    file = BytesIO()
    np.savez(file, **{keep.ALONE: np.array([Marker(tmp_path / "run")], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        keep.unpack(file.getvalue())
    assert not (tmp_path / "run").exists()


def test_result_warns_where_it_cannot_write(folder):
    folder.write_text("mine")
    with pytest.warns(UserWarning, match="cannot be kept"):
        found = keep.result("test", [], lambda: ONES)
    assert found.equals(ONES) and folder.read_text() == "mine"


def test_result_keeps_nothing_without_pyarrow(folder, monkeypatch):
    monkeypatch.setattr(keep, "find_spec", lambda name: None)
    assert keep.result("test", [], lambda: ONES) is ONES
    assert not folder.exists()


def test_frame_sha256_changes_with_names_and_values():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    others = [table.rename(columns={"a": "c"}), table.assign(b="x"), table[::-1]]
    assert len({keep.frame_sha256(other) for other in [table, *others]}) == 4
    assert keep.frame_sha256(table.copy()) == keep.frame_sha256(table)
