"""Every known export, by a small made-up example."""

import json

import pandas as pd
import pytest

from wmtlib.core.errors import DataError, Question
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


def table(text):
    """Make a frame of lines of words."""
    header, *rows = [line.split() for line in text.strip().splitlines()]
    return pd.DataFrame(rows, columns=header)


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


ARENA = """
model_a model_b winner
x y model_a
y z tie
z x model_b
x z both_bad
"""
LOGGED = """
annotation_id annotator created_at lead_time id
1 7 2026-01-01 3.5 11
2 7 2026-01-01 9 12
3 5 2026-01-02 12.1 13
4 5 2026-01-02 6 14
"""
OWN_VOTES = """
system_1 system_2 preference
x y 1
y x 0
"""
OWN_SCORES = """
hit worker language_pair system item document segment score accepted
h a cs-en x SYSTEM d 1 9 True
h a cs-en y SYSTEM d 1 8 True
h b cs-en x SYSTEM d 2 7 True
h b cs-en y SYSTEM d 2 6 True
"""
ESA = """
lp document_id segment_id system_id annotator_id esa_score error_spans
en-cs d 0 x a 70 []
en-cs d 0 y a 50 []
en-cs d 1 x b 80 []
en-cs d 1 y b 60 []
en-cs d 2 x a 65 []
en-cs d 2 y a 55 []
"""
COMPARIA = """
model_a_name model_b_name chosen_model_name both_equal visitor_id
x y y False v
y z nobody True w
"""
CROWD_KIT = """
worker task left right label
a 1 x y x
b 2 y z z
"""
CONTESTS = """
home.team away.team home.wins away.wins
x y 3 2
y z 1 4
"""
WITH_HEADER = """
annotator system item_id item_type src_lang tgt_lang score document_id is_complete \
start_time end_time
zoe x 0 TGT deu eng 70 d True 1.5 7
zoe y 0 TGT deu eng 50 d False 2.5 7
zoe x 1 TGT deu eng 80 d True 3.5 7
zoe y 1 TGT deu eng 60 d False 4.5 7
zoe x 2 TGT deu eng 65 d True 5.5 7
zoe y 2 TGT deu eng 55 d False 6.5 7
""".replace("\\\n", "")
OF_ARENA = {
    "LMArena": {
        "judge": "j",
        "question_id": [*"1234"],
        "turn": [1, 2, 1, 1],
        "anony": [True, True, True, False],
        "tstamp": [1.5, 2.5, 3, 7],
    },
    "LMArena of 140,000": {
        "evaluation_session_id": [*"1122"],
        "id": [*"abcd"],
        "evaluation_order": [1, 2, 1, 3],
    },
    "LMSYS of Kaggle": {
        "winner_model_a": [1, 0, 0, 0],
        "winner_model_b": [0, 1, 0, 0],
        "winner_tie": [0, 0, 1, 1],
        "id": [1, 2, 3, 9],
        "prompt": "p",
    },
}
OF_LABEL_STUDIO = {
    "pairs of Label Studio": {
        "system_a": [*"xyxy"],
        "system_b": [*"yzzx"],
        "preference": ["left", "right", "left", "tie"],
    },
    "ratings of Label Studio": {
        "system": [*"xyxy"],
        "rating": ['[{"rating": 4}]', 2, 5, 1],
    },
}
FILES = {
    "table of comparisons of this package": table(OWN_VOTES),
    "table of assessments of this package": table(OWN_SCORES),
    "WMT rankings of five": FIVE,
    "WMT pairs": PAIRS,
    "WMT direct assessment": DA,
    "pearmut": lines(pearmut()),
    "WMT25": lines(wmt25(annotator="zoe")),
    "MQM": MQM,
    "ESA": table(ESA),
    **{name: table(ARENA).assign(**more) for name, more in OF_ARENA.items()},
    "ComparIA": table(COMPARIA),
    **{name: table(LOGGED).assign(**more) for name, more in OF_LABEL_STUDIO.items()},
    "comparisons of crowd-kit": table(CROWD_KIT),
    "contests of BradleyTerry2": table(CONTESTS),
    "Appraise": table(WITH_HEADER),
    "Appraise of 11 fields": OF_11 + CONTROLS,
    "Appraise of 12 fields": OF_11.replace("1.0,2.0", "[],1.0,2.0"),
    "Appraise of 15 fields": OF_15,
    "segment scores of mt-metrics-eval": "x\t7\nx\tNone\ny\t8\ny\t9\n",
    "XML of WMT": XML,
}
FILES["LMSYS of Kaggle"] = FILES["LMSYS of Kaggle"].drop(columns="winner")
OPTIONS = {
    "ratings of Label Studio": {"scale": (1, 5)},
    "segment scores of mt-metrics-eval": {"scale": (0, 100), "missing": "None"},
}
MEANS = [71.667, 55]  # of OUTPUTS, by system
EXPECTED = {  # the kind, rows, and comparisons or means by system
    "table of comparisons of this package": ("comparisons", 2, [2, 2]),
    "table of assessments of this package": ("assessments", 4, [8, 7]),
    "WMT rankings of five": ("rankings", 5, [1, 3, 2, 2]),
    "WMT pairs": ("comparisons", 1, [1, 1]),
    "WMT direct assessment": ("assessments", 4, [40, 45]),
    "pearmut": ("assessments", 6, [70, 50]),
    "WMT25": ("assessments", 6, [70, 50]),
    "MQM": ("assessments", 3, [-5.1, -12.5]),
    "ESA": ("assessments", 6, MEANS),
    "LMArena": ("comparisons", 3, [2, 2, 2]),
    "LMArena of 140,000": ("comparisons", 4, [3, 2, 3]),
    "LMSYS of Kaggle": ("comparisons", 4, [3, 2, 3]),
    "ComparIA": ("comparisons", 2, [1, 2, 1]),
    "pairs of Label Studio": ("comparisons", 4, [3, 3, 2]),
    "ratings of Label Studio": ("assessments", 4, [4.5, 1.5]),
    "comparisons of crowd-kit": ("comparisons", 2, [1, 2, 1]),
    "contests of BradleyTerry2": ("comparisons", 2, [5, 10, 5]),
    "Appraise": ("assessments", 6, MEANS),
    "Appraise of 11 fields": ("assessments", 6, MEANS),
    "Appraise of 12 fields": ("assessments", 6, MEANS),
    "Appraise of 15 fields": ("assessments", 6, MEANS),
    "segment scores of mt-metrics-eval": ("assessments", 3, [7, 8.5]),
    "XML of WMT": ("rankings", 2, [2, 2, 2]),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_by_its_line(name, tmp_path):
    kind, rows, expected = EXPECTED[name]
    path = tmp_path / "export.csv"
    text = FILES[name]
    if isinstance(text, pd.DataFrame):
        text = text.to_csv(index=False)
    path.write_text(text, encoding="utf-8")
    found = read(path, **OPTIONS.get(name, {}))
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
    assert FILES.keys() == EXPECTED.keys() == EXPORTS.keys()
    assert len(CONTRACT["exports"]) + len(CONTRACT["headless"]) == len(EXPORTS)


FRAMES = [name for name in FILES if isinstance(FILES[name], pd.DataFrame)]


@pytest.mark.parametrize("name", FRAMES)
def test_a_column_that_the_line_does_not_name_is_asked_about(name):
    options = OPTIONS.get(name, {})
    flagged = FILES[name].assign(stav=[*"okokok"][: len(FILES[name])])
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
    assert found.rows == 7
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
    with pytest.raises(DataError, match=r"(line|object) 1: is no row of the export"):
        read(path)


def test_scores_of_wmt25_may_have_no_annotator(tmp_path):
    path = tmp_path / "w.jsonl"
    one = {name: {"human": s} for name, s in OUTPUTS[:2]}
    path.write_text(lines([{"doc_id": f"d{k}", "scores": one} for k in range(2)]))
    assert read(path).units == ("segment",)


def test_documents_of_wmt25_hold_segments_of_several_annotators(tmp_path):
    path = tmp_path / "w.jsonl"
    scores = {"x": [{"score": 3}, {"score": 9}], "y": [{"score": 5}]}
    document = {"doc_id": "en-cs_#_news_#_d", "scores": scores}
    path.write_text(lines([document, document]))
    found = read(path)
    assert found.frame["score"].tolist() == [3, 9, 5] * 2
    assert found.frame["segment"].nunique() == 2
    assert {*found.frame["document"]} == {"d"} and found.task == "en-cs"


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
    assert read(path, task="Czech,English").units == ("judge", "segment", "ranking")


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
