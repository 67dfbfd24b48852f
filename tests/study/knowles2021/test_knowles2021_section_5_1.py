"""Section 5.1 of Knowles (2021): what workers and HITs held."""

from examples import assessments
from study.campaigns import Release
from study.knowles2021 import section_5_1
from wmtlib.core.assessments import encode


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
    found = section_5_1.composition(release(frame))
    expected = {
        "workers_without_REF": 2,
        "workers_without_REPEAT": 1,
        "alternate_judgements": 7,
        "segments": 2,
        "whole": 1,
    }
    assert found.items() >= expected.items()


def test_hits_without_an_id_have_no_size():
    sizes = section_5_1.hit_sizes
    assert sizes(encode(HITS)).tolist() == [3, 2, 2]
    unknown = HITS.assign(hit=HITS["hit"].where(HITS["hit"] != "h2", ""))
    assert sizes(encode(unknown)).tolist() == [3, 2]
    assert not len(sizes(encode(HITS.assign(hit=""))))
