"""WMT's XML of rankings: read by hand, refused by line, without the names of its users."""

import gzip
import io

import pytest

from wmtlib.errors import DataError, Origin
from wmtlib.files import ranking_xml, reader

SMALL = """\
<?xml version="1.0" encoding="UTF-8"?>
<wmt16-results>
<HIT hit-id="h" source-language="deu" block-id="-1" target-language="eng">
<ranking-task id="779">
  <ranking-result duration="1" user="jane.doe">
    <translation system="A,B" rank="2" />
    <translation system="C" rank="1" />
  </ranking-result>
  <ranking-result duration="1" user="adam"></ranking-result>
</ranking-task>
<ranking-task id="780">
  <ranking-result duration="1" user="jane.doe">
    <translation system="A" rank="1" /><translation system="C" rank="1" />
  </ranking-result>
</ranking-task>
</HIT>
</wmt16-results>
"""


def read(text):
    return ranking_xml.read_ranking_xml(io.BytesIO(text.encode()), Origin("x.xml"))


def test_ranked_outputs_by_hand():
    assert read(SMALL).to_numpy().tolist() == [
        ["deu-eng", 1, "779", "judge_001", "A,B", 2, 6],
        ["deu-eng", 1, "779", "judge_001", "C", 1, 7],
        ["deu-eng", 3, "780", "judge_001", "A", 1, 13],
        ["deu-eng", 3, "780", "judge_001", "C", 1, 13],
    ]
    systems = ranking_xml.single_systems(read(SMALL))
    assert systems["system"].tolist() == ["A", "B", "C", "A", "C"]
    assert systems["rank"].tolist() == [2, 2, 1, 1, 1]


def test_a_users_file_is_counted_as_the_official_tables_are(tmp_path):
    path = tmp_path / "small.xml.gz"
    path.write_bytes(gzip.compress(SMALL.encode()))
    found = reader.read(path)
    assert (found.kind, found.task, found.units) == (
        "rankings",
        "deu-eng",
        ("judge", "segment", "ranking"),
    )
    assert found.counts.wins.loc["C"].to_dict() == {"A": 1, "B": 1, "C": 0}
    assert found.counts.ties.loc["A"].to_dict() == {"A": 0, "B": 1, "C": 1}
    text = repr(found) + found.comparisons.to_csv() + found.reading
    assert "jane" not in text and "adam" not in text


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n<r>&b;</r>'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<wmt16-results>", BOMB, "line 2: declares a document type; expected none, entities"),
        ("<wmt16-results>", '<!DOCTYPE r SYSTEM "file:///etc/passwd">', "line 2: declares a doc"),
        ('system="C" rank="1"', 'system="C" rank="x"', "line 7: rank is 'x'; expected a whole"),
        ('system="C" rank="1"', 'system="C"', "line 7: an element lacks rank; expected a value"),
        ('user="adam"', "", "line 9: an element lacks user; expected a value"),
        (' target-language="eng"', "", "line 3: an element lacks target-language"),
        ("</HIT>", "", "line 17: is not XML (mismatched tag)"),
        ("<HIT", "&jane;<HIT", "line 3: is not XML (undefined entity)"),
        (SMALL, "<html><p/></html>", "x.xml: is XML without rankings; expected those of WMT15"),
        ("<ranking-task id", "<task id", "line 6: a translation stands outside a segment"),
    ],
)
def test_what_is_no_ranking_is_refused_without_names(old, new, message):
    text = SMALL.replace(old, new)
    text = text.replace("</ranking-task>", "</task>") if new == "<task id" else text
    with pytest.raises(DataError) as refused:
        read(text)
    assert message in str(refused.value)
    assert "jane" not in str(refused.value) and "adam" not in str(refused.value)


def test_a_refusal_of_a_system_names_the_line(tmp_path):
    path = tmp_path / "twice.xml"
    first = '"A" rank="1" /><translation system='
    path.write_text(SMALL.replace(f'{first}"C"', f'{first}"A"'))
    with pytest.raises(DataError, match="line 13: system 'A' stands twice in one ranking"):
        reader.read(path)


@pytest.mark.realdata
def test_the_release_of_wmt16_gives_its_official_tables(mirror):
    folder = mirror / "cfedermann/wmt16/data"
    found = reader.read(folder / "wmt16.xml.gz", task="tur-eng")
    official = reader.read(folder / "wmt16.tur-eng.csv")
    assert found.counts.wins.equals(official.counts.wins)
    assert found.counts.ties.equals(official.counts.ties)
    assert found.people == {}
