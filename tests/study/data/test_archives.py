"""With the archives of WMT18-20, every row that waits for them is computed.

The archives are made here, in their layouts, of public judgements of WMT21 under the
names of the official systems. So the counts of Table 1 are known, and the other values
mean nothing.
"""

import pandas as pd
import pytest
from test_assessment_catalogue import interfaces, packed
from test_assessment_releases import COLUMNS

from study.campaigns import load_release
from study.data import assessment_catalogue as known
from study.data import sources
from study.data.assessment_releases import load_assessments, load_official
from study.knowles2021 import beside_print, section_5_2, section_6, section_6_tests
from study.scoreboard import scoreboard
from study.scoreboard.published import at_hand, load_published

# Of Appraise, see Table 1.
ITEMS = {"wmt19": ["SYSTEM"], "wmt20": ["SYSTEM", "BAD_REF"]}


def judgements(pair, frame):
    """A language pair in the released layout, from the judgements of another one."""
    outcome = "systems" if pair.campaign == "wmt20" else "z"
    official = load_official(
        pair.campaign, pair.language_pair, outcome=outcome, source="mirror"
    )
    names = official["system"].tolist()
    segment = frame["document"] + "_" + frame["segment"]
    if pair.style == "SR-DC":
        names = [name for name in names if not name.startswith("HUMAN")]
        names.append("+".join(names[:2]))  # identical outputs, judged once
    run = frame.groupby(["worker", "document", "system"]).ngroup()
    source, target = pair.language_pair.split("-")
    columns = {
        "HITId": frame["hit"],
        "WorkerId": frame["worker"],
        "score": frame["score"],
        "Input.src": source,
        "Input.trg": target,
        "sid": segment,
        "type": frame["item"],
        "rid": run,
        "sys_id": [names[k % len(names)] for k in run],
    }
    rows = pd.DataFrame(columns | dict.fromkeys(["Input.item", "hit", "time"], "NA"))
    # Segments are numbers; one worker has an alternate HIT.
    if pair.campaign == "wmt18":
        alternate = rows["WorkerId"] == rows["WorkerId"].max()
        rows = rows[~(alternate & rows["type"].isin(["REF", "REPEAT"]))].assign(
            sid=frame["segment"]
        )
    elif pair.interface == "appraise":
        rows = rows[rows["type"].isin(ITEMS[pair.campaign])].assign(HITId="NA")
    return rows[COLUMNS.split()]


def tables(campaign, frame):
    """The tables of an archive, by name; one worker's judgements are not accepted."""
    for interface in interfaces(campaign):
        folder = interface.archive_folder
        pairs = known.catalogue().query(
            "campaign == @campaign and archive_folder == @folder"
        )
        latest = pd.concat([judgements(pair, frame) for pair in pairs.itertuples()])
        good = latest[latest["WorkerId"] != latest["WorkerId"].min()]
        good = good.assign(sys_id=good["sys_id"].str.split("+")).explode("sys_id")
        yield f"{folder}/{known.LATEST}", latest
        yield f"{folder}/{known.GOOD}", good
    if campaign == "wmt19":
        folder = "turkle-sntlevel-humaneval-newstest2019/analysis"
        yield f"{folder}/{known.GOOD}", latest[latest["type"] == "SYSTEM"]


def stability_board(source):
    """What notebook 31 compares."""
    study = section_5_2.study(source=source)
    facts = beside_print.stability_values(study, source=source)
    return scoreboard.compare("knowles2021", "31-stability", facts, source=source)


def case_board(source):
    """What notebook 32 compares."""
    en_de, zh_en = (
        load_release("wmt20", pair, source=source) for pair in ("en-de", "zh-en")
    )
    at_hand = section_6.releases_at_hand
    questions = ["paper, HIT ids", "SR+DC 2020 Appraise, outputs", "new SR+DC, HIT ids"]
    hits = section_6.hit_table(at_hand(*questions, source=source))
    releases = at_hand("SR+DC, outputs and documents", source=source)
    documents = section_6_tests.document_tests(releases, n_resamples=9, seed=[1])
    found = hits, section_6.segment_table(source=source), documents
    facts = beside_print.case_values(en_de, zh_en, *found, source=source)
    return scoreboard.compare("knowles2021", "32-case-studies", facts, source=source)


def few_others(source):
    """What is at hand of the archives' campaigns and one other: all would take long."""
    table = known.availability(source)
    return table[
        table["campaign"].isin(known.ARCHIVES) | (table["language_pair"] == "ha-en")
    ]


@pytest.fixture
def waiting():
    """Rows of which nothing is at hand yet, if an archive can mend that."""
    source = sources.resolve("mirror", known.assessment_campaigns())
    basis = load_published("knowles2021").set_index("id")["basis"]
    basis = basis[~basis.str.startswith("unavailable")]
    return [row for row, words in basis.items() if not at_hand(words, source).pairs]


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Puts all archives in place; gives the items in each file, by row of Table 1."""
    monkeypatch.setenv("WMTLIB_KEPT", "")
    monkeypatch.setattr(section_5_2, "availability", few_others)
    frame = load_assessments("wmt21", "cs-en", source="mirror").astype(str)
    frame = frame[frame["worker"] <= "worker_0012"]
    counted = {}
    for campaign, top in known.ARCHIVES.items():
        files = {}
        for name, rows in tables(campaign, frame):
            files[f"{top}/{name}"] = rows.to_csv(sep="\t", index=False).encode()
            row = "newstest2018" if campaign == "wmt18" else name.split("/")[0]
            if name.endswith(known.GOOD):
                counted[row.replace("humaneval-", "")] = rows["type"].value_counts()
        known.unpack_archive(packed(tmp_path / top, files))
    return counted


@pytest.mark.slow
@pytest.mark.realdata
def test_every_row_that_waits_for_the_archives_is_computed(waiting, counted):
    source = sources.resolve("mirror", known.assessment_campaigns())
    board = pd.concat([stability_board(source), case_board(source)]).set_index("id")
    found = board.loc[waiting]
    lacking = found[(found["status"] == "not-checkable") | (found["reproduced"] == "")]
    assert lacking.index.tolist() == []
    for row in board.query("item == 'table-1'").itertuples():
        name, item = row.quantity.split()
        assert row.reproduced == str(counted[name].get(item, 0)), row.quantity
    counts = board.query("item in ['table-2', 'table-3', 'figure-1']")
    counts = counts[counts["status"] != "arithmetic"]
    for row in counts.itertuples():  # of all language pairs
        assert row.reproduced.split("/")[1] == row.published.split("/")[1], row.quantity
    text = (sources.ROOT / "docs" / "data.md").read_text("utf-8")
    assert f"{len(waiting)} rows" in text and f"{len(counts)} counts" in text
