"""Every answer as JSON fits the schema, whatever was asked, of whatever judgements."""

import json
import pickle
import re
from pathlib import Path

import json_page
import jsonschema
import pytest

import wmtlib
from examples import KINDS, data_error, example
from wmtlib.core import errors
from wmtlib.report import answers, changes, show

VALIDATOR = jsonschema.Draft202012Validator(show.schema())
FIRST = {"rankings": "bojar", "pairwise": "mfas", "assessments": "z-score"}


def document_of(answer):
    """An answer as data that fits the schema; every warning has a code of its own."""
    document = json.loads(show.as_json(answer), parse_constant=pytest.fail)
    VALIDATOR.validate(document)
    assert "other" not in [warning["code"] for warning in document["warnings"]]
    return document


@pytest.mark.parametrize("kind", KINDS)
def test_json_of_rank_has_the_same_keys_for_every_method(kind):
    judged = example(kind)
    usual = document_of(answers.answer_ranking(judged, seed=3))
    other = document_of(answers.answer_ranking(judged, FIRST[kind], seed=3))
    for document in (usual, other):
        (row, *_) = document["tables"]["ranking"]
        assert [*row] == [*usual["tables"]["ranking"][0]]
        assert isinstance(row["rank"], int) and isinstance(row["cluster"], int)
        assert isinstance(document["tables"]["clusters"][0]["systems"], list)


@pytest.mark.parametrize("kind", KINDS)
def test_json_of_stability_judges_and_compare_fits_the_schema(kind):
    judged = example(kind)
    document_of(answers.answer_stability(judged, FIRST[kind]))
    document_of(answers.answer_judges(judged))
    if kind != "assessments":
        document_of(answers.answer_models(judged, ["uniform", "heuristic2"], folds=2))


def test_json_page_is_made_from_the_schema():
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert json_page.PAGE.read_text("utf-8") == json_page.page()


def test_codes_of_warnings_are_those_of_the_schema():
    items = VALIDATOR.schema["properties"]["warnings"]["items"]
    codes = items["properties"]["code"]
    library = Path(wmtlib.__file__).parent
    born = set()
    for path in library.rglob("*.py"):
        named = r'(?:\bwarning\(\s*|\bcode = )"(\w+)"'
        born |= {*re.findall(named, path.read_text("utf-8"))}
    assert born | {"other"} == {code["const"] for code in codes["oneOf"]}


def test_on_command_line_keeps_the_code_of_a_warning():
    option = errors.setting("missing", ["", "NA"])
    line = errors.warning("rows_left_out", "2 rows (", option, ")")
    typed = errors.on_command_line(line)
    assert line == "2 rows (missing=['', 'NA'])"
    assert typed == "2 rows (--missing '' --missing NA)"
    assert line.code == typed.code == "rows_left_out"
    assert pickle.loads(pickle.dumps(line)).code == "rows_left_out"
    assert errors.joined("no ", line).code == "other"


# --- what changed ---------------------------------------------------------------------


def ranked(**scores):
    """An answer in which systems have these scores, and ranges of three ranks."""
    ranking = [
        {
            "system": name,
            "rank": k,
            "rank_low": k - 1,
            "rank_high": k + 1,
            "score": score,
        }
        for k, (name, score) in enumerate(scores.items(), start=1)
    ]
    facts = {"kind": "comparisons", "task": "", "scale_of_scores": None}
    facts["data"] = "0" * 64
    named = {"methods": ["soccer"], "signature": "s", "versions": {"wmtlib": "0"}}
    return {**facts, **named, "tables": {"ranking": ranking}}


def test_answer_diff_puts_scores_on_one_scale_by_hand():
    old, new = ranked(a=0.9, b=0.5, gone=0.1), ranked(a=1.9, new=1.5, b=1.0)
    answer = changes.answer_diff(old, new)
    document_of(answer)
    tables = answer.tables
    assert tables["came"].to_numpy().tolist() == [["new", 2, 1, 3, 1.5]]
    assert tables["went"].to_numpy().tolist() == [["gone", 3, 2, 4, 0.1]]
    # Everything rose by 0.75 on average; a rose by 0.25 more, b by 0.25 less.
    moved = tables["moved"].set_index("system")
    assert moved["change"].tolist() == pytest.approx([0.25, -0.25])
    assert moved.drop(columns="change").to_numpy().tolist() == [
        [1, 0, 2, 1, 0, 2], [2, 1, 3, 3, 2, 4]
    ]  # fmt: skip
    assert (
        answer.sentence.startswith("1 of the 2 systems in both have another rank")
        and "no interval" in answer.lead
    )
    by_b = changes.answer_diff(old, new, "b").tables["moved"].set_index("system")
    assert by_b["change"].tolist() == pytest.approx([0.5, 0])
    with data_error("the anchor is in one answer only; in both: a, b"):
        changes.answer_diff(old, new, "new")
    with data_error("task is '' in one and 'x' in the other"):
        changes.answer_diff(old, new | {"task": "x"})
    with data_error("method is 'soccer' in one and 'bojar' in the other"):
        changes.answer_diff(old, new | {"methods": ["bojar"]})
    # Answers of version 0.3.0 have covariances, too, and stay readable.
    rows = [{"system": "a", "covariances": [0.01]}]
    former = old | {"tables": {**old["tables"], "covariance": rows}}
    assert changes.answer_diff(former, new).tables["moved"].equals(tables["moved"])


def test_answer_diff_takes_the_anchor_that_both_answers_fix():
    judged = example("pairwise")
    ranked = answers.answer_ranking(judged, anchor=("simulated-C", 1000))
    old = json.loads(show.as_json(ranked))
    new = json.loads(show.as_json(ranked))
    new["tables"]["ranking"][0]["score"] += 30
    answer = changes.answer_diff(old, new)
    assert answer.facts["anchor"] == ["simulated-C"]
    assert answer.tables["moved"]["change"].tolist() == pytest.approx([30] + [0] * 7)
    assert "the score of simulated-C stayed the same" in answer.lead


def test_elo_ratings_are_strengths_times_400_over_ln_10():
    judged = example("pairwise")
    plain = answers.answer_ranking(judged, "bradley-terry").tables["ranking"]
    rated = answers.answer_ranking(judged, elo=True)
    table = rated.tables["ranking"]
    gap = plain["score"].diff()[1] * 400 / 2.302585092994046
    assert table["score"].diff()[1] == pytest.approx(gap)
    assert table["score"].mean() == pytest.approx(1000)
    assert rated.about["Scores"].endswith("the mean of the systems is 1000")
    anchored = answers.answer_ranking(judged, anchor=("simulated-C", 1200))
    row = anchored.tables["ranking"].set_index("system").loc["simulated-C"]
    assert row[["score", "score_low", "score_high"]].tolist() == [1200, 1200, 1200]
    for each in (plain, anchored.tables["ranking"]):
        assert table[["rank_low", "rank_high"]].equals(each[["rank_low", "rank_high"]])
    # Without an anchor intervals are those of strengths, else of differences to it.
    above = (table["score_high"] - table["score"]).to_numpy()
    of_strength = (plain["score_high"] - plain["score"]).to_numpy()
    assert above == pytest.approx(of_strength * 400 / 2.302585092994046)
    pairs = anchored.tables["pairs"]
    of_anchor = pairs[(pairs[["above", "below"]] == "simulated-C").any(axis=1)]
    other = of_anchor["above"].where(
        of_anchor["below"] == "simulated-C", of_anchor["below"]
    )
    half = anchored.tables["ranking"].set_index("system").eval("score_high - score")
    times = half[other].to_numpy() / of_anchor["error"].to_numpy()
    assert len(times) == 7 and ((times > 2.1) & (times < 2.4)).all()  # t, 15 judges
    # Nothing but the scale is another one, and what leads is said where it changes.
    assert rated.facts["methods"] == ["bradley-terry", "expected-wins", "mfas"]
    assert "Ranked by bradley-terry, not expected-wins, which has no" in rated.lead
    named = answers.answer_ranking(judged, "bradley-terry", elo=True)
    assert "not expected-wins" not in named.lead
    assert named.tables["ranking"]["rank"].equals(plain["rank"])
    with data_error("soccer has no strengths"):
        answers.answer_ranking(judged, "soccer", elo=True)
    with data_error("no system 'x'; expected "):
        answers.answer_ranking(judged, anchor=("x", 1))
