"""Results that are kept: read again while nothing has changed, computed again when anything has."""

import pandas as pd
import pytest

from wmtlib.study.releases import kept


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Results are kept here."""
    monkeypatch.setenv("WMTLIB_KEPT", str(tmp_path / "kept"))
    return tmp_path / "kept"


def counted(value):
    """A computation, and how often it ran."""
    runs = []
    return lambda: runs.append(1) or value, runs


def test_a_result_is_computed_once(folder):
    table = pd.DataFrame({"a": [1.5, None], "b": ["x", "y"]})
    compute, runs = counted(table)
    for _ in range(2):
        pd.testing.assert_frame_equal(kept.result("test", [1, "x"], compute), table)
    assert len(runs) == 1
    assert len(list(folder.rglob("test-*.pickle"))) == 1


def test_other_settings_names_and_packages_are_computed_again(folder, monkeypatch):
    compute, runs = counted(1)
    for name, settings in [("a", [1]), ("a", [2]), ("b", [1])]:
        kept.result(name, settings, compute)
    assert len(runs) == 3
    monkeypatch.setattr(kept, "package_sha256", lambda: "another state")
    kept.result("a", [1], compute)
    assert len(runs) == 4
    assert len(list(folder.rglob("*.pickle"))) == 1  # the others are removed


def test_only_what_is_missing_is_computed():
    asked = []

    def squares(numbers):
        asked.append(numbers)
        return {k: k**2 for k in numbers}

    for numbers in ([1, 2], [3, 2, 1, 4]):
        found = kept.each("squares", {k: [k] for k in numbers}, squares)
        assert found == {k: k**2 for k in numbers}
    assert asked == [[1, 2], [3, 4]]


def test_nothing_is_kept_of_a_computation_that_fails(folder):
    with pytest.raises(ZeroDivisionError):
        kept.result("test", [], lambda: 1 / 0)
    assert not list(folder.rglob("*.pickle"))


def test_the_hash_of_a_table_changes_with_names_and_values():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    others = [table.rename(columns={"a": "c"}), table.assign(b="x"), table[:1], table[::-1]]
    hashes = {kept.frame_sha256(other) for other in [table, *others]}
    assert len(hashes) == 5
    assert kept.frame_sha256(table.copy()) == kept.frame_sha256(table)


def test_nothing_is_kept_if_the_folder_is_empty_text(folder, monkeypatch):
    monkeypatch.setenv("WMTLIB_KEPT", "")
    compute, runs = counted(1)
    assert [kept.result("test", [], compute) for _ in range(2)] == [1, 1]
    assert len(runs) == 2
    assert not folder.exists()
