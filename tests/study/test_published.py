"""The tables of what the papers print."""

import re

import pytest

from wmtlib.study import published, runner

HEAD = ",".join(published.COLUMNS)
ROW = "P-T1-01,table-1,systems,12,Table 1,table,counts,,,,,10-tournaments"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that makes these lines the only published table."""
    monkeypatch.setattr(published, "FOLDER", tmp_path)

    def write(*lines):
        (tmp_path / "paper2000.csv").write_text("\n".join([HEAD, *lines]))

    return write


def test_a_table_is_read_as_text(write):
    write(ROW)
    assert published.load_published("paper2000").iloc[0].tolist() == ROW.split(",")
    assert published.papers() == ["paper2000"]
    assert published.notebooks() == ["10-tournaments"]
    assert published.ids("paper2000", "table-1") == {"systems": "P-T1-01"}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (ROW, "id of another row"),
        (ROW.replace("P-T1-01", "P-T1-02"), "item and quantity of another row"),
        ("P-1-01,t,q,1,place,memory,counts,,,,,10", "unknown provenance"),
        ("P-1-01,t,q,1,place,text,,,,,,10", "no basis"),
        ("P-1-01,t,q,1,place,text,counts,more than two,n > 2,{n},,10", "neither yes nor no"),
    ],
)
def test_a_faulty_row_is_refused_with_its_line(write, row, fault):
    write(ROW, row)
    with pytest.raises(ValueError, match=f"line 3: .*{fault}"):
        published.load_published("paper2000")


def test_other_columns_are_refused(write, tmp_path):
    (tmp_path / "paper2000.csv").write_text("id,item\n")
    with pytest.raises(ValueError, match="expected the columns id, item, quantity"):
        published.load_published("paper2000")


def test_every_published_row_names_a_notebook_that_is_there():
    assert set(published.notebooks()) < {path.stem for path in runner.NOTEBOOKS.glob("[0-9]*")}


def test_papers_stand_in_the_order_of_their_years():
    assert published.papers() == ["lopez2012", "hopkins2013", "knowles2021"]


@pytest.mark.parametrize("paper", published.papers())
def test_every_claim_has_a_test_of_as_many_parts_as_its_criterion_numbers(paper):
    rows = published.load_published(paper)
    assert rows["id"].str.fullmatch(r"[LHK]-([\d.]+|[TFN]\d+|A)-\d\d").all()
    numbers = rows[rows["criterion"] == ""]
    assert (numbers[["test", "shows"]] == "").all(axis=None)
    claims = rows[(rows["criterion"] != "") & ~rows["basis"].str.startswith("unavailable")]
    for row in claims.itertuples():
        parts, numbered = len(row.test.split(";")), len(re.findall(r"\(\d\) ", row.criterion))
        assert row.test and row.shows, row.id
        assert numbered in (0, parts), row.id
