"""ESA of WMT24 and MQM of WMT21: small invented files, sizes of the real ones."""

import pytest

from study.beyond import later_assessments
from wmtlib.core.errors import DataUnavailable

SPAN = '"[{""start_i"":1,""end_i"":2,""severity"":""minor"",""error_type"":null}]"'
ESA = f"""\
e1,ende-tutorial1,1,TGT,eng,jpn,0,ende-tutorial1,False,[],1.5,2
e1,A,7,TGT,eng,jpn,80,test-en-news_x#incomplete,False,{SPAN},1.5,4
e1,A,7,BAD,eng,jpn,10,test-en-news_x#bad,False,[],4,5
e2,refA,7,TGT,eng,jpn,60,test-en-social_y,False,[],1.5,2
e2,B,7,TGT,eng,jpn,61,test-en-news_x,False,[],1.5,2
e2,B,7,TGT,eng,hin,62,test-en-news_x,False,[],1.5,2
e2,B,0,TGT,eng,jpn,63,test-en-news_x,True,[],2,3
"""
MQM = """\
hyp.A	doc.1	1	jane	one	eins	-1	-1	no-error
hyp.B	doc.1	1	adam	one	ein	0 2	1 3	major minor
hyp.A	seattle	times.2	4	two	zwei	0	1	minor
ref.A	jing	guan	bao.3	three	drei	0	1	major
ref.B	jing	guan	bao.3	four	vier	-1	-1	no-error
hyp.B	jing	guan	bao.3	three	dry	-1	-1	no-error
"""


def test_esa_by_hand(in_mirror):
    in_mirror({("wmt24", "", "x"): ESA.encode()})
    found = later_assessments.load_esa("en-ja")
    columns = ["worker", "system", "document", "segment", "score"]
    assert found[columns].to_numpy().tolist() == [
        ["worker_0001", "A", "test-en-news_x", "7", 80],
        ["worker_0002", "refA", "test-en-social_y", "7", 60],
        ["worker_0002", "B", "test-en-news_x", "7", 61],
    ]


def test_mqm_by_hand_with_names_that_were_split(in_mirror):
    in_mirror({("wmt21-mqm", "en-de", "x"): MQM.encode()})
    found = later_assessments.load_mqm("en-de")
    assert found.astype(object).fillna("").to_numpy().tolist() == [
        ["hyp.A", "doc.1", 1, "rater_002", 0, 0],
        ["hyp.B", "doc.1", 1, "rater_001", 1, 1],
        ["hyp.A", "seattle_times.2", 4, "", 0, 1],
        ["ref.A", "jing_guan_bao.3", 1, "", 1, 0],
        ["ref.B", "jing_guan_bao.3", 2, "", 0, 0],
        ["hyp.B", "jing_guan_bao.3", 1, "", 0, 0],
    ]


def test_load_mqm_refuses_embedded_data(in_mirror):
    in_mirror({("wmt21-mqm", "en-de", "x"): MQM.encode()})
    with pytest.raises(DataUnavailable, match="the embedded data do not hold it"):
        later_assessments.load_mqm("en-de", source="embedded")
