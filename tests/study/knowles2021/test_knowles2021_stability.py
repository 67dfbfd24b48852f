"""Section 5: what a battery removes and inflates, and what workers and HITs held."""

import pytest

from examples import PAPER, assessments, drawn
from study.coded_campaigns import Release
from study.knowles2021 import stability
from wmtlib.assessments import encode
from wmtlib.cluster_lines import rank_campaign
from wmtlib.stability import DIVISORS


def judged(lines):
    """Assessments: HIT, worker, system, item, document ("-": none), segment, score."""
    rows = lines.replace("-", "").strip().splitlines()
    return assessments([row.split(" ") for row in rows])


HITS = judged("""
h1 w1 A SYSTEM d1 1 80
h1 w1 A+B REPEAT d1 2 60
h1 w1 C REF d1 2 99
h2 w2 A SYSTEM d2 1 40
h2 w2 C SYSTEM d2 1 20
h3 w2 B SYSTEM d1 1 90
h3 w2 A BAD_REF d1 1 5
""")


def release(frame, level="item"):
    return Release("wmt00", "xx-yy", "SR+DC", "mturk", False, level, 1.0, encode(frame))


def test_a_battery_removes_references_alone_and_inflates_the_worst():
    frame = drawn(5)
    rows = stability.battery(release(frame)).set_index("kind")
    coded = encode(frame)
    full = rank_campaign(coded, **PAPER)
    kept = ~coded.is_item("REF")
    after = rank_campaign(coded, scales_from=kept, **PAPER)
    assert rows.loc["remove REF", "rank"] == (full.names != after.names)
    assert (rows.index == "inflate worst").sum() == len(DIVISORS)
    best = coded.is_system([full.names[0]])
    without = rank_campaign(
        coded,
        scales_from=~coded.rows_of(best, items=(), paired=True),
        unranked=best,
        **PAPER,
    )
    rise = without.score[~best].mean() - full.score[~best].mean()
    assert rows.loc["remove best", "shift"] == pytest.approx(rise) and rise > 0
    assert rows.loc["remove worst", "shift"] < 0


def test_alternate_hits_hold_no_ref_and_no_repeat():
    frame = judged("""
h1 w1 A SYSTEM - 1 0
h1 w1 B SYSTEM - 1 10
h1 w1 C SYSTEM - 1 20
h1 w1 D SYSTEM - 1 30
h1 w1 HUMAN SYSTEM - 1 40
h1 w1 A SYSTEM - 2 60
h1 w1 A BAD_REF - 2 5
h2 w2 A SYSTEM - 1 50
h2 w2 A REPEAT - 1 55
h3 w3 B SYSTEM - 1 50
h3 w3 B REF - 1 99
""")
    found = stability.composition(release(frame))
    expected = {
        "workers_without_REF": 2,
        "workers_without_REPEAT": 1,
        "alternate_judgements": 7,
        "segments": 2,
        "whole": 1,
    }
    assert found.items() >= expected.items()


def test_hits_without_an_id_have_no_size():
    sizes = stability.hit_sizes
    assert sizes(encode(HITS)).tolist() == [3, 2, 2]
    unknown = HITS.assign(hit=HITS["hit"].where(HITS["hit"] != "h2", ""))
    assert sizes(encode(unknown)).tolist() == [3, 2]
    assert not len(sizes(encode(HITS.assign(hit=""))))
