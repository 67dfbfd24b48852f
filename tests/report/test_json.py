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
from wmtlib.report import answers, columns, show

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
    other = document_of(answers.answer_ranking(judged, FIRST[kind]))
    assert usual["tables"].keys() == other["tables"].keys()
    for document in (usual, other):
        (row, *_) = document["tables"]["ranking"]
        assert [*row] == [*columns.entries()["columns"]["ranking"]]
        assert isinstance(row["rank"], int) and isinstance(row["cluster"], int)
        assert isinstance(document["tables"]["clusters"][0]["systems"], list)


@pytest.mark.parametrize("kind", KINDS)
def test_json_of_stability_judges_and_compare_fits_the_schema(kind):
    judged = example(kind)
    document_of(answers.answer_stability(judged, FIRST[kind]))
    document_of(answers.answer_judges(judged))
    if kind != "assessments":
        document_of(answers.answer_models(judged, ["uniform", "heuristic2"]))


def test_json_page_is_made_from_the_schema():
    VALIDATOR.check_schema(VALIDATOR.schema)
    assert json_page.PAGE.read_text("utf-8") == json_page.page()


def test_schema_refuses_other_keys_columns_and_codes():
    judged = example("pairwise")
    document = json.loads(show.as_json(answers.answer_stability(judged, "mfas")))
    VALIDATOR.validate(document)
    (row, *_) = document["tables"]["left_out"]
    for change in (
        {"anchor": []},
        {"format": "wmtlib/3"},
        {"rows": None},
        {"tables": {"moved": []}},
        {"tables": {"left_out": [{**row, "more": 1}]}},
        {"tables": {"left_out": [{"removed": "x"}]}},
        {"warnings": [{"code": "new", "text": "x"}]},
    ):
        assert not VALIDATOR.is_valid(document | change), change


def test_codes_of_warnings_are_those_of_the_schema():
    library = Path(wmtlib.__file__).parent
    born = set()
    for path in library.rglob("*.py"):
        named = r'(?:\bwarning\(\s*|\bcode = )"(\w+)"'
        born |= {*re.findall(named, path.read_text("utf-8"))}
    assert born | {"other"} == {*columns.entries()["warnings"]}


def test_words_and_digits_are_of_columns():
    words = columns.entries()
    named = {name for table in words["columns"].values() for name in table}
    assert {*words["names"], *words["digits"], *words["hidden"]} <= named
    assert {*words["tables"]} == {*words["columns"]} > {*words["detailed"]}


def test_on_command_line_keeps_the_code_of_a_warning():
    option = errors.setting("missing", ["", "NA"])
    line = errors.warning("rows_left_out", "2 rows (", option, ")")
    typed = errors.on_command_line(line)
    assert line == "2 rows (missing=['', 'NA'])"
    assert typed == "2 rows (--missing '' --missing NA)"
    assert line.code == typed.code == "rows_left_out"
    assert pickle.loads(pickle.dumps(line)).code == "rows_left_out"
    assert errors.joined("no ", line).code == "other"


def test_elo_ratings_are_strengths_times_400_over_ln_10():
    judged = example("pairwise")
    plain = answers.answer_ranking(judged, "bradley-terry").tables["ranking"]
    rated = answers.answer_ranking(judged, elo=True)
    table = rated.tables["ranking"]
    gap = plain["score"].diff()[1] * 400 / 2.302585092994046
    assert table["score"].diff()[1] == pytest.approx(gap)
    assert table["score"].mean() == pytest.approx(1000)
    assert rated.about["Scores"].endswith("the mean of the systems is 1000")
    anchored = answers.answer_ranking(judged, elo=("simulated-C", 1200))
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
        answers.answer_ranking(judged, elo=("x", 1))
    with data_error("the rating of simulated-C is nan; expected a number"):
        answers.answer_ranking(judged, elo=("simulated-C", float("nan")))
