"""A path stands for files; what is wrong with them is said in one line."""

import gzip
import hashlib
import os
import runpy
import tempfile
from contextlib import contextmanager

import pytest
from user_files import HEADER, ROWS, parquet, refusal, text, writer
from wmtlib.files import formats, opening, reader

from wmtlib.errors import DataError

given_file = pytest.fixture(writer)


def test_the_hash_is_of_the_bytes(tmp_path, given_file):
    path = given_file(gzip.compress(text([HEADER, *ROWS])))
    assert reader.read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    parts = [parquet(tmp_path / f"{k}.parquet", HEADER, ROWS[k:]) for k in range(2)]
    each = sorted(hashlib.sha256(p.read_bytes()).hexdigest() for p in parts)
    expected = hashlib.sha256("".join(each).encode()).hexdigest()
    assert reader.read(tmp_path / "*.parquet").sha256 == expected


def test_a_folder_of_other_things_is_refused(tmp_path, given_file):
    (tmp_path / "none").mkdir()
    assert (
        refusal(tmp_path / "none")
        == ": is an empty folder; expected one file, or Parquet files only"
    )
    (tmp_path / "none").rmdir()
    given_file("a,b,outcome\nX,Y,a\n")
    assert refusal(tmp_path) == ": holds 'file.csv'; expected one file, or Parquet files only"
    parquet(tmp_path / "1.parquet", HEADER, ROWS)
    assert refusal(tmp_path / "*") == ": holds 'file.csv'; expected one file, or Parquet files only"


NAMES = ["we[i]rd*?", "quo'te\"", "a=b", "x\\y", "é ü", "semi;--", "{a,b}", "%s", "$1", "~", "s3:"]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_nothing_but_a_path(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    file, link = folder / f"{name}.parquet", tmp_path / "link.parquet"
    parquet(tmp_path / "x.parquet", HEADER, ROWS).rename(file)
    link.symlink_to(file)
    for path in [folder, file, folder / ".." / name, link]:
        with formats.open_table(path) as table:
            assert table.header == HEADER and table.rows == 5
    assert reader.read(folder).counted_by(["judge"])["count"].sum() == 5


def test_what_can_not_be_opened_is_refused(tmp_path):
    assert refusal(tmp_path / "none.csv") == ": no such file"
    assert refusal(tmp_path / "*.parquet") == ": no such file"
    os.mkfifo(tmp_path / "fifo")
    assert refusal(tmp_path / "fifo") == ": expected a regular file"
    assert refusal("/dev/zero") == ": expected a regular file"
    with pytest.raises(DataError, match="no such file"):
        reader.read("a\0b")
    with pytest.raises(DataError, match=r"^'a\\nb': no such file$"):
        reader.read("a\nb")


def test_what_unpacks_to_more_than_the_limit_is_refused(given_file, monkeypatch):
    monkeypatch.setattr(opening, "LARGEST", 1 << 21)
    path = given_file(gzip.compress(b"a,b,outcome\n" + b"X,Y,a\n" * 500_000))
    assert refusal(path) == ": is more than 2097152 bytes"


def test_nothing_stays_behind(given_file, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = given_file(gzip.compress(parquet(tmp_path / "x", HEADER, ROWS).read_bytes()))
    reader.read(path).counted_by(["judge"])
    refusal(given_file("a,b,outcome\nX,Y,c\n", "bad.csv"))
    runpy.run_module("fuzz_inputs")  # as when pytest looks for doctests
    assert not list(scratch.iterdir())


@contextmanager
def stream(data):
    """The end of a pipe that gives the data."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    yield reading
    os.close(reading)


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_the_standard_input_is_a_file(name, packed):
    data, before = packed(text([HEADER, *ROWS])), os.dup(0)
    try:
        with stream(data) as reading:
            os.dup2(reading, 0)
            found = reader.read(name)
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert (found.rows, found.path) == (5, "standard input")
    assert found.sha256 == hashlib.sha256(data).hexdigest()


def test_a_stream_of_a_shell_is_a_file():
    with stream(text([HEADER, *ROWS])) as reading:
        assert reader.read(f"/dev/fd/{reading}").rows == 5
    assert refusal("/dev/fd/999").startswith(": cannot be read (No such file or directory)")


def test_a_query_that_ctrl_c_stopped_is_an_interrupt(given_file):
    path = given_file(text(ROWS))
    with pytest.raises(KeyboardInterrupt), opening.open_files(path):
        raise RuntimeError("Query interrupted")  # DuckDB's
    with pytest.raises(RuntimeError, match="other"), opening.open_files(path):
        raise RuntimeError("other")
