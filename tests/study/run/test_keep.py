"""Kept results: read again while nothing has changed, computed again when it has."""

import os
import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

import wmtlib
from study.run import keep

ONES = pd.DataFrame({"a": np.ones(2)})
FAKE = {  # a package in which a notebook keeps what fits.compute gives
    "fake/__init__.py": "from importlib import import_module",
    "fake/fits.py": "from fake import irt\nfrom fake.bradley_terry import fit",
    "fake/irt.py": "def fit():\n    from fake.counts import count",
    "fake/bradley_terry.py": "import fake.counts as counts",
    "fake/counts.py": "from fake import fits  # a circle",
    "fake/plots.py": "from fake.fits import compute\nLABEL = 'old'",
    "fake/data/c.csv": "a,b",
    "requirements.lock": "numpy==2",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Give the folder that results are kept in."""
    monkeypatch.setenv("WMTLIB_KEPT", str(tmp_path / "kept"))
    yield tmp_path / "kept"
    keep.state.cache_clear()


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Write the package `FAKE`, for which results are kept, into a folder."""
    for name, text in FAKE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(keep, "ROOT", tmp_path)
    monkeypatch.setattr(keep, "PACKAGES", [tmp_path / "fake"])
    monkeypatch.setattr(keep, "LAZY", tmp_path / "fake" / "__init__.py")
    keep.state.cache_clear()
    return tmp_path


def of_module(compute, name=keep.__name__):
    """Give a function to a module of the packages, as if it were of its source."""
    compute.__module__ = name
    return compute


def counted(value=ONES):
    """Make a computation, and a list of its runs."""
    runs = []
    return of_module(lambda: runs.append(1) or value), runs


# --- when it is computed --------------------------------------------------------------


def test_result_is_computed_once_and_kept_as_arrays(folder):
    table = pd.DataFrame({"a": [1.5, None], "b": ["x", "y"]})
    compute, runs = counted(table)
    for _ in range(2):
        found = keep.result("test", [1, "x"], compute)
        pd.testing.assert_frame_equal(found, table)
    assert len(runs) == 1
    [path] = folder.rglob("*.npz")
    _, content = path.read_bytes().split(b"\n", 1)
    with np.load(BytesIO(content), allow_pickle=False) as file:
        assert {file[name].dtype.kind for name in file} <= set("biuf")


def test_result_is_computed_anew_if_its_file_was_cut_short_or_changed(folder):
    value = {"a table/b": pd.DataFrame({"a": [1, 2]}), "ones": ONES}
    compute, runs = counted(value)
    keep.result("test", [], compute)
    [path] = folder.rglob("*.npz")
    whole = path.read_bytes()
    flipped = bytes([*whole[:400], whole[400] ^ 1, *whole[401:]])
    other = whole[:65] + keep.pack({"a table/b": ONES})
    for number, bad in enumerate([whole[:-9], flipped, other, b"", b"no archive"]):
        path.write_bytes(bad)
        for _ in range(2):
            found = keep.result("test", [], compute)
            assert found["a table/b"]["a"].tolist() == [1, 2]
            assert len(runs) == number + 2
        assert found["ones"].equals(ONES) and path.read_bytes() == whole


def test_result_is_computed_again_for_other_settings_and_names():
    compute, runs = counted()
    for name, settings in [("a", [1]), ("a", [2]), ("b", [1]), ("a", [1])]:
        keep.result(name, settings, compute)
    assert len(runs) == 3


@pytest.mark.parametrize(
    "changed",
    [
        "plots.py",
        "__init__.py",
        "fits.py",
        "irt.py",
        "bradley_terry.py",
        "counts.py",
        "data/c.csv",
    ],
)
def test_result_is_computed_again_for_a_line_of_a_model_and_not_of_a_plot(
    fake, folder, changed
):
    compute, runs = counted()
    of_module(compute, "fake.fits")
    for _ in range(2):
        keep.result("fit", [], compute)
        with (fake / "fake" / changed).open("a") as file:
            file.write("\n# other")
        keep.state.cache_clear()  # as in a new process
    assert len(runs) == 1 + (changed not in ("plots.py", "__init__.py"))
    assert len(list(folder.rglob("*.npz"))) == 1  # it replaces that of other code


def test_files_below_fits_are_models_and_no_plots():
    models = {path.name for path in keep.files_below("study.hopkins2013")}
    assert {"irt.py", "bradley_terry.py", "counts.py"} < models
    keeping = []
    for path in (path for package in keep.PACKAGES for path in package.rglob("*.py")):
        text = path.read_text("utf-8")
        # What `wmtlib` loads by name would not be found.
        assert not re.search(
            rf"from wmtlib import .*\b({'|'.join(wmtlib._HOMES)})\b", text
        ), path
        if "keep.result(" in text:
            keeping.append(".".join(path.relative_to(keep.ROOT).with_suffix("").parts))
    below = {path.stem for path in keep.files_below(*keeping)}
    assert not [name for name in below if "plots" in name or name == "figures"], keeping


@pytest.mark.parametrize(
    "value", [{"a": {1}}, pd.DataFrame({"mixed": pd.Series([1, "a"], dtype=object)})]
)
def test_result_keeps_nothing_that_is_not_plain_or_failed(folder, value):
    with pytest.raises((TypeError, ValueError, AttributeError)):
        keep.result("test", [], of_module(lambda: value))
    with pytest.raises(ZeroDivisionError):
        keep.result("test", [], of_module(lambda: 1 / 0))
    assert not [path for path in folder.rglob("*") if path.is_file()]


class Marker:
    """An object whose pickle, when it is read, makes a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_result_does_not_run_a_pickle_with_the_right_checksum(folder, tmp_path):
    compute, runs = counted()
    keep.result("test", [], compute)
    [path] = folder.rglob("*.npz")
    file = BytesIO()
    np.savez(file, **{keep.ALONE: np.array([Marker(tmp_path / "run")], dtype=object)})
    code = keep.state(keep.__name__)
    checksum = keep._sha256([code], file.getvalue()).encode()
    path.write_bytes(checksum + b"\n" + file.getvalue())
    for _ in range(2):
        assert keep.result("test", [], compute).equals(ONES)
    assert len(runs) == 2 and not (tmp_path / "run").exists()


def test_result_warns_once_of_a_folder_with_the_name_of_its_file(folder):
    keep.result("test", [], of_module(lambda: ONES))
    [path] = folder.rglob("*.npz")
    path.unlink()
    path.mkdir()
    with pytest.warns(UserWarning, match="cannot be kept"):
        found = keep.result("test", [], of_module(lambda: ONES))
    assert found.equals(ONES) and path.is_dir()


def test_result_warns_once_of_a_file_in_the_place_of_its_folder(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("mine")
    monkeypatch.setenv("WMTLIB_KEPT", str(path))
    with pytest.warns(UserWarning, match="cannot be kept"):
        found = keep.result("test", [], of_module(lambda: ONES))
    assert found.equals(ONES) and path.read_text() == "mine"


def test_result_keeps_nothing_without_pyarrow(folder, monkeypatch):
    monkeypatch.setattr(keep, "find_spec", lambda name: None)
    assert keep.result("test", [], of_module(lambda: ONES)) is ONES
    assert not folder.exists()


def test_frame_sha256_changes_with_names_and_values():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    others = [table.rename(columns={"a": "c"}), table.assign(b="x"), table[::-1]]
    assert len({keep.frame_sha256(other) for other in [table, *others]}) == 4
    assert keep.frame_sha256(table.copy()) == keep.frame_sha256(table)


# --- what is kept ---------------------------------------------------------------------

MIXED = pd.DataFrame(
    {
        "float": [1.5, None],
        "text": ["x", None],
        "category": pd.Categorical(["u", "v"], ["v", "u"], ordered=True),
        "number": pd.Categorical([3, 1], [1, 3, 7]),
        "int": [1, 2],
        "small": np.array([1, -2], "int8"),
        "bool": [True, False],
        "missing": pd.array([1, None], "Int64"),
        "string": pd.array(["x", None], "string"),
    }
)
TABLES = [
    MIXED.set_index(["text", "int"]),
    MIXED.rename_axis("row").rename_axis(columns="column"),
    MIXED.set_axis(
        pd.MultiIndex.from_product([["a"], range(9)], names=["n", None]), axis=1
    ),
    MIXED[:0],
    pd.concat([MIXED, MIXED]),
    pd.DataFrame(),
]


@pytest.mark.parametrize("table", TABLES)
def test_unpack_gives_a_table_as_it_was(table):
    found = keep.unpack(keep.pack(table))
    pd.testing.assert_frame_equal(found, table)
    assert type(found.index) is type(table.index)


def test_unpack_gives_tables_by_their_names():
    value = {"a table/b": MIXED, "ones": ONES}
    found = keep.unpack(keep.pack(value))
    assert [*found] == [*value]
    pd.testing.assert_frame_equal(found["a table/b"], MIXED)
    assert found["ones"].equals(ONES)
