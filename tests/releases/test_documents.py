"""Documents: from a test set, from runs, from the names of segments."""

import pandas as pd
import pytest
from released_rows import HERE, line, released

from wmtlib.errors import DataError
from wmtlib.study.releases import documents


def refusal(function, *arguments, **options):
    with pytest.raises(DataError) as refused:
        function(*arguments, **options)
    assert str(refused.value).isprintable()
    return str(refused.value)


def test_documents_of_a_test_set():
    text = b'<doc sysid="ref" docid="a.1"><p><seg id="1">x</seg><seg id="2">y</seg></p></doc>\n'
    text += b'<DOC docid="b"><seg id="1">z</seg></DOC>'
    assert documents.documents_from_source(text) == ["a.1", "a.1", "b"]
    segment = pd.Series(["3", "1"], dtype="category")
    names = documents.documents_by_number(segment, ["a.1", "a.1", "b"], HERE)
    assert names.tolist() == ["b", "a.1"]
    for wrong in ("0", "4", "x_1"):
        segment = pd.Series([wrong], dtype="category")
        message = refusal(documents.documents_by_number, segment, ["a"] * 3, HERE)
        assert message == f"here.csv: segment {wrong!r}; expected a number up to 3"


def runs(*given_runs):
    """Released rows of runs (name, system, segments)."""
    return released(
        *(line("w", system, k, 1, rid=rid) for rid, system, at in given_runs for k in at)
    )


def test_documents_are_merged_ranges_of_runs():
    frame = runs(("r1", "A", [1, 2, 3]), ("r2", "B", [2, 3]), ("r3", "A", [4]), ("r4", "A", [9, 8]))
    names = documents.documents_from_runs(frame, HERE)
    assert names.tolist() == ["doc_000001"] * 5 + ["doc_000004", "doc_000008", "doc_000008"]


def test_runs_of_one_segment_tell_no_documents():
    frame = runs(("r1", "A", [1]), ("r2", "B", [1]), ("r3", "A", [5]))
    assert documents.documents_from_runs(frame, HERE).tolist() == ["", "", ""]


@pytest.mark.parametrize(
    "frame",
    [
        runs(("r1", "A", [1, 3])),
        released(line("w", "A", "1", 1), line("w", "B", "2", 1)),
        runs(("NA", "A", [1, 2])),
        runs(("r1", "A", ["x_1"])),
    ],
    ids=["gap", "two systems", "no run", "no number"],
)
def test_runs_that_are_none(frame):
    assert refusal(documents.documents_from_runs, frame, HERE).startswith("here.csv: ")


def test_documents_in_the_names_of_segments():
    names = {
        "en.ndtv.com.12997_0": "en.ndtv.com.12997",
        "rt.com.3_3": "rt.com.3",
        "bn-hi-8-4-17.3_3": "bn-hi-8-4-17",
        "656": "",
    }
    segment = pd.Series(list(names), dtype="category")
    assert documents.documents_from_names(segment).tolist() == list(names.values())
