"""Every known export, by a small made-up example."""

import json

import pandas as pd
import pytest

from wmtlib.errors import DataError, Question
from wmtlib.files.contract import CONTRACT, EXPORTS
from wmtlib.files.read import read, read_tasks

PEOPLE = ["judge_001", "judge_002"]
OUTPUTS = [("x", 70), ("y", 50), ("x", 80), ("y", 60), ("x", 65), ("y", 55)]


def pearmut(**more):
    for k in range(3):
        outputs = {name: {"score": s, "error_spans": []} for name, s in OUTPUTS[:2]}
        item = {"item_id": f"doc_{k}", "src": "source", "tgt": {}, **more}
        row = {"user_id": f"u{k % 2}", "item_i": k, "item": [item]}
        yield {**row, "annotation": [outputs], "actions": [{"time": 1}]}


def wmt25(**given):
    for k in range(3):
        scores = {name: [{"score": s, **given}] for name, s in OUTPUTS[:2]}
        name = f"en-cs_CZ_#_news_#_d1_#_{k}"
        yield {"doc_id": name, "src_text": "s", "tgt_text": {}, "scores": scores}


def arena(**more):
    pairs = {"model_a": [*"xyzx"], "model_b": [*"yzxz"]}
    winner = ["model_a", "tie", "model_b", "tie (bothbad)"]
    return pd.DataFrame({**pairs, "winner": winner, **more})


LOGGED = {
    "annotation_id": [1, 2, 3, 4],
    "annotator": [7, 7, 5, 5],
    "created_at": "2026-01-01",
    "lead_time": [3.5, 9, 12.1, 6],
    "id": [11, 12, 13, 14],
}
DA = (
    "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
    'NA w2\tde en ad NA "x" NA SYSTEM s1 30 0\nh1 w2 de en ad NA y 1 REPEAT s1 40 0\n'
    "h1 w1 de en ad NA x+y 1 SYSTEM s2 50 0\nh1 w1 de en ad NA x 1 BAD_REF s3 0 0\n"
)
XML = """<HITList><HIT source-language="deu" target-language="eng">
<ranking-task id="4"><ranking-result user="zoe">
<translation system="x,y" rank="1"/><translation system="z" rank="2"/>
</ranking-result><ranking-result user="adam"/></ranking-task></HIT></HITList>"""
FIVE = (
    "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system4Id,system5Id,"
    "system1rank,system2rank,system3rank,system4rank,system5rank\n"
    "Czech,English,7,zoe,x,_ref,y,blank,blank,2,1,-1,-1,-1\n"
    "Czech,English,9,adam,x,y,z,blank,blank,1,1,3,-1,-1\n"
)
PAIRS = (
    "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,"
    "system2rank,rankingID\ndeu,eng,1,1,zoe,x,1,y,2,1\ndeu,eng,1,1,zoe,x,1,z,-1,1\n"
)
APPRAISE = "zoe,{},TGT,deu,eng,{},d1#dup,False,{}1.0,2.0\n"
OF_11 = "".join(
    APPRAISE.format(f"{name},{k // 2}", score, "")
    for k, (name, score) in enumerate(OUTPUTS)
)
CONTROLS = (
    "zoe,x,9,BAD,deu,eng,5,d1,False,1.0,2.0\nzoe,x,9,TGT,deu,eng,5,d1,True,1.0,2.0\n"
)
CONTROLS += "zoe,x,9,TGT,deu,eng,5,tutorial,False,1.0,2.0\n"
OF_15 = "".join(
    f"zoe,s{k // 2},{name},{k},TGT,deu,eng,{score},d1,False,[],1.0,2.0,,\n"
    for k, (name, score) in enumerate(OUTPUTS)
)
MQM = (
    "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    + "".join(
        f'{row[0]}\td\t1\t{row[1]}\tr1\tSaid "hi.\tx\t{row[2]}\n'
        for row in [
            ("x", 1, "Fluency/Punctuation\tMinor"),
            ("x", 1, "Accuracy/Mistranslation\tMajor"),
            ("y", 1, "No-error\tNo-error"),
            ("y", 2, "Non-translation!\tMajor"),
            ("x", 2, "HOTW-test\tHOTW-test"),
        ]
    )
)


def lines(objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


ESA = pd.DataFrame(
    {
        "lp": "en-cs", "document_id": "d", "segment_id": [0, 0, 1, 1, 2, 2],
        "system_id": [name for name, _ in OUTPUTS],
        "annotator_id": [*"aabbaa"],
        "esa_score": [score for _, score in OUTPUTS], "error_spans": "[]",
    }
)  # fmt: skip
OWN = {"hit": "", "worker": [*"aabb"], "language_pair": "cs-en", "system": [*"xyxy"],
       "item": "SYSTEM", "document": "", "segment": [*"1122"], "score": [9.0, 8, 7, 6],
       "accepted": True}  # fmt: skip
EXAMPLES = {  # the export, options, kind, rows, what was read of it
    "table of comparisons of this package": (
        pd.DataFrame({"system_1": ["x", "y"], "system_2": ["y", "x"], "preference": ["1", "0"]}),
        {}, "comparisons", 2, [2, 2],
    ),
    "table of assessments of this package": (pd.DataFrame(OWN), {}, "assessments", 4, [8, 7]),
    "WMT rankings of five": (FIVE, {}, "rankings", 5, [1, 3, 2, 2]),
    "WMT pairs": (PAIRS, {}, "comparisons", 1, [1, 1]),
    "WMT direct assessment": (DA, {}, "assessments", 4, [40, 45]),
    "pearmut": (lines(pearmut()), {}, "assessments", 6, [70, 50]),
    "WMT25": (lines(wmt25(annotator="zoe")), {}, "assessments", 6, [70, 50]),
    "MQM": (MQM, {}, "assessments", 3, [-5.1, -12.5]),
    "ESA": (ESA, {}, "assessments", 6, [71.667, 55]),
    "LMArena": (
        arena(judge="j", question_id=[*"1234"], turn=[1, 2, 1, 1], anony=[True, True, True, False], tstamp=[1.5, 2.5, 3, 7]),
        {}, "comparisons", 3, [2, 2, 2],
    ),
    "LMArena of 140,000": (
        arena(evaluation_session_id=[*"1122"], id=[*"abcd"], evaluation_order=[1, 2, 1, 3]),
        {}, "comparisons", 4, [3, 2, 3],
    ),
    "LMSYS of Kaggle": (
        arena(winner_model_a=[1, 0, 0, 0], winner_model_b=[0, 1, 0, 0], winner_tie=[0, 0, 1, 1], id=[1, 2, 3, 9], prompt="p").drop(columns="winner"),
        {}, "comparisons", 4, [3, 2, 3],
    ),
    "ComparIA": (
        pd.DataFrame({"model_a_name": [*"xy"], "model_b_name": [*"yz"], "chosen_model_name": ["y", ""], "both_equal": [False, True], "visitor_id": [*"vw"]}),
        {}, "comparisons", 2, [1, 2, 1],
    ),
    "pairs of Label Studio": (
        pd.DataFrame({**LOGGED, "system_a": [*"xyxy"], "system_b": [*"yzzx"], "preference": ["left", "right", "left", "tie"]}),
        {}, "comparisons", 4, [3, 3, 2],
    ),
    "ratings of Label Studio": (
        pd.DataFrame({**LOGGED, "system": [*"xyxy"], "rating": ['[{"rating": 4}]', 2, 5, 1]}),
        {"scale": (1, 5)}, "assessments", 4, [4.5, 1.5],
    ),
    "comparisons of crowd-kit": (
        pd.DataFrame({"worker": [*"ab"], "task": [*"12"], "left": [*"xy"], "right": [*"yz"], "label": [*"xz"]}),
        {}, "comparisons", 2, [1, 2, 1],
    ),
    "contests of BradleyTerry2": (
        pd.DataFrame({"home.team": [*"xy"], "away.team": [*"yz"], "home.wins": [3, 1], "away.wins": [2, 4]}),
        {}, "comparisons", 2, [5, 10, 5],
    ),
    "Appraise": (
        pd.DataFrame({"annotator": "zoe", "system": [name for name, _ in OUTPUTS], "item_id": [0, 0, 1, 1, 2, 2], "item_type": "TGT", "src_lang": "deu", "tgt_lang": "eng", "score": [s for _, s in OUTPUTS], "document_id": "d", "is_complete": [True, False] * 3, "start_time": [1.5, 2, 3, 4, 5, 6], "end_time": 7}),
        {}, "assessments", 6, [71.667, 55],
    ),
    "Appraise of 11 fields": (OF_11 + CONTROLS, {}, "assessments", 6, [71.667, 55]),
    "Appraise of 12 fields": (OF_11.replace("1.0,2.0", "[],1.0,2.0"), {}, "assessments", 6, [71.667, 55]),
    "Appraise of 15 fields": (OF_15, {}, "assessments", 6, [71.667, 55]),
    "segment scores of mt-metrics-eval": (
        "x\t7\nx\tNone\ny\t8\ny\t9\n", {"scale": (0, 100), "missing": "None"}, "assessments", 3, [7, 8.5],
    ),
    "XML of WMT": (XML, {}, "rankings", 2, [2, 2, 2]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_by_its_line(name, tmp_path):
    table, options, kind, rows, expected = EXAMPLES[name]
    path = tmp_path / "export.csv"
    if isinstance(table, pd.DataFrame):
        table.to_csv(path, index=False)
    else:
        path.write_text(table, encoding="utf-8")
    found = read(path, **options)
    assert (found.export, found.kind, found.rows) == (name, kind, rows)
    if kind == "assessments":
        means = found.assessments[found.assessments["item"] != "BAD_REF"]
        single = means.assign(system=means["system"].astype(str).str.split("+"))
        seen = single.explode("system").groupby("system")["score"].mean()
        assert seen.round(3).tolist() == expected
    else:
        assert found.counts.met.sum().tolist() == expected
    if EXPORTS[name].get("hidden"):
        assert found.people == {}


def test_every_export_has_an_example():
    assert EXAMPLES.keys() == EXPORTS.keys()
    assert len(CONTRACT["exports"]) + len(CONTRACT["headless"]) == len(EXPORTS)


@pytest.mark.parametrize("name", [*EXPORTS])
def test_a_column_that_the_line_does_not_name_is_asked_about(name, tmp_path):
    table, options, *_ = EXAMPLES[name]
    if not isinstance(table, pd.DataFrame):
        pytest.skip("its example is no frame")
    flagged = table.assign(stav=[*"ok", *"okokok"][: len(table)])
    with pytest.raises(Question, match="'stav': 2 different"):
        read(flagged, **options)
    assert read(flagged, ignore="stav", **options).left_out["stav"] == "not used"


def test_screens_of_pearmut_that_do_not_count_are_left_out(tmp_path):
    path = tmp_path / "p.jsonl"
    again = [*pearmut()]
    tutorial = {**again[0], "item_i": "welcome_0"}
    skipped = {**again[1], "user_id": "u7"}
    skipped["annotation"] = [{"x": {"score": None}, "y": {"score": 3}}]
    path.write_text(
        lines([*again, tutorial, skipped, again[2], *pearmut(validation={})][:6])
    )
    found = read(path)
    assert found.rows_left_out == {
        "screens that were done again": 1,
        "outputs of tutorials": 2,
        "outputs without a score": 1,
    }
    old = [
        {
            "user_id": "u",
            "item_i": k,
            "annotation": {"x": {"score": k}, "y": {"score": 9}},
        }
        for k in range(2)
    ]
    path.write_text(lines(old))
    assert read(path).rows == 4
    path.write_text(lines([{"user_id": "u", "item_i": 1, "annotation": [3]}]))
    with pytest.raises(
        DataError, match="line 1: is no row of the export|object 1: is no row"
    ):
        read(path)


def test_scores_of_wmt25_may_have_no_annotator(tmp_path):
    path = tmp_path / "w.jsonl"
    one = {name: {"human": s} for name, s in OUTPUTS[:2]}
    path.write_text(lines([{"doc_id": f"d{k}", "scores": one} for k in range(2)]))
    assert read(path).units == ("segment",)


def test_severities_of_mqm_that_are_not_known_are_refused(tmp_path):
    path = tmp_path / "m.tsv"
    path.write_text(MQM.replace("\tMajor", "\tGrave"))
    with pytest.raises(
        DataError, match="line 3: severity is 'Grave'; expected no-error"
    ):
        read(path)


def test_tasks_of_a_campaign_are_spelt_as_the_file_has_them(tmp_path):
    path = tmp_path / "five.csv"
    path.write_text(FIVE + FIVE.split("\n")[1].replace("Czech", "French") + "\n")
    assert [one.task for one in read_tasks(path)] == ["Czech,English", "French,English"]
    assert read(path, task="Czech,English").units == ("judge", "ranking", "segment")


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("alopez/wmt-ranking/raw_data/wmt12/wmt12.RNK_results.csv", 8),
        ("cfedermann/wmt16/data/wmt16.deu-eng.csv", 1),
        ("cfedermann/wmt16/data/wmt16.xml.gz", 12),
        ("wmt-conference/wmt24-news-systems/humeval/esa_generalMT2024_wave2.csv", 4),
        (
            "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021/"
            "ad-good-raw-redup.csv",
            4,
        ),
    ],
)
def test_a_public_file_is_read_and_nobody_is_named(mirror, path, expected):
    tasks = read_tasks(mirror / path)
    assert len(tasks) == expected
    assert all(one.people == {} and len(one.systems) > 2 for one in tasks)
