"""Files as users may have them, for the tests of what reads them."""

import csv
import io
import json

import duckdb
import pandas as pd
import pytest

from wmtlib.errors import DataError, on_command_line
from wmtlib.reading import read as reader
from wmtlib.reading.columns import WMT_COLUMNS

HEADER = ["a", "b", "outcome", "judge", "segment"]
ROWS = [
    ["uedin", "online-A", "a", "zoe", "s1"],
    ["online-A", "uedin", "a", "adam", "s1"],
    ["uedin", "rali", "tie", "zoe", "s2"],
    ["uedin", "online-A", "a", "adam", "s2"],
    ["rali", "uedin", "b", "zoe", "s3"],
]
SCORED = [
    ["worker", "system", "segment", "score"],
    ["w9", "A", "1", "40"],
    ["w9", "B", "1", "60.5"],
    ["w1", "A", "2", "0"],
]
RANKED = [
    ["ranking", "system", "rank", "judge"],
    ["r1", "A", "2", "zoe"],
    ["r2", "A", "1", "adam"],
    ["r1", "B", "1", "zoe"],
    ["r2", "B", "-1", "adam"],
    ["r1", "C", "2", "zoe"],
]
WMT_ROWS = """\
French,English,7,X2,rali,_ref,lium,blank,blank,2,1,-1,-1,-1
English,Czech,12,X1,uedin,cu,blank,blank,blank,5,5,-1,-1,-1
French,English,8,X2,blank,blank,blank,blank,blank,-1,-1,-1,-1,-1
"""
WMT = pd.DataFrame([*csv.reader(WMT_ROWS.splitlines())], columns=WMT_COLUMNS)


def text(rows, delimiter=",", newline="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return out.getvalue().encode()


def objects(header, rows):
    return "".join(
        json.dumps(dict(zip(header, r, strict=True))) + "\n" for r in rows
    ).encode()


def parquet(path, header, rows, types=None):
    """Write rows as Parquet."""
    names = [h.replace('"', '""') for h in header]
    with duckdb.connect() as database:
        kinds = ", ".join(
            f"c{k} {t}" for k, t in enumerate(types or ["VARCHAR"] * len(header))
        )
        database.execute(f"CREATE TABLE t ({kinds})")
        if rows:
            slots = ", ".join("?" * len(header))
            database.executemany(f"INSERT INTO t VALUES ({slots})", rows)
        chosen = ", ".join(f'c{k} AS "{name}"' for k, name in enumerate(names))
        target = str(path).replace("'", "''")
        database.execute(
            f"COPY (SELECT {chosen} FROM t) TO '{target}' (FORMAT parquet)"
        )
    return path


def writer(tmp_path):
    """Write a file and give its path: `given_file` of the tests."""

    def write(data, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def refusal(path, task=None, **options):
    with pytest.raises(DataError) as refused:
        reader.read_tasks(path, [task], **options)
    message = on_command_line(refused.value)
    assert "\n" not in message and message.startswith(str(path))
    return message.removeprefix(str(path))


def as_counter(comparisons):
    return {
        tuple(row[:-1]): row[-1]
        for row in comparisons.itertuples(index=False, name=None)
    }


VOTES = text([HEADER, *ROWS])
PIECES = [b"", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b'""', b"\xc3"]
PIECES += ["é".encode(), b"-1", b"1e400", b"nan", b"null"]
PIECES += [bytes([sign]) for sign in b'\0",\n\r\ta\\{']


def edited(data, edits):
    """Bytes with pieces put in: rows of place (a share), length that goes, piece."""
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    return data


def check_anything(path, data, *, is_good, **options):
    """Read a file of any bytes: one line of refusal, or as many rows as it holds."""
    try:
        tasks = reader.read_tasks(path, **options)
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1 and len(str(refused)) < 2000
        assert not is_good
        return
    if path.name == "x.csv":  # by another way
        lines = io.StringIO(data.decode("utf-8-sig"), newline="")
        assert tasks[0].rows == sum(map(any, csv.reader(lines))) - 1
    for judgements in tasks:
        assert all(len(warning.splitlines()) == 1 for warning in judgements.warnings)
        for unit in judgements.units if judgements.kind != "assessments" else ():
            by_unit = judgements.counted_by([unit])
            assert by_unit["count"].sum() == judgements.counts.comparisons
