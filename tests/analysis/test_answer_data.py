"""What `--json` prints keeps to its schema, whatever was asked and whatever the file."""

import json
from importlib import resources

import jsonschema
import pytest
from examples_read import KINDS, example
from odd_names import odd_answer

from wmtlib.analysis import answer_data
from wmtlib.analysis.judges_answer import answer_judges
from wmtlib.analysis.model_answer import answer_models
from wmtlib.analysis.plan_answer import answer_plan
from wmtlib.analysis.ranking_answer import answer_ranking
from wmtlib.analysis.stability_answer import answer_stability
from wmtlib.yours import read as reader

SCHEMA = json.loads((resources.files("wmtlib") / "data/wmtlib-1.schema.json").read_text())


def require_schema(answer):
    document = json.loads(json.dumps(answer.document, allow_nan=False))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert document["schema"] == SCHEMA["properties"]["schema"]["const"] == answer_data.SCHEMA
    return document


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clusters", [None, "rank-ranges", "sign-test", "signed-rank"])
def test_rankings_keep_to_the_schema(kind, clusters):
    if clusters == ("sign-test" if kind == "assessments" else "signed-rank"):
        return
    document = require_schema(answer_ranking(example(kind), clusters=clusters))
    assert document["cluster_method"] in (clusters or document["signature"])
    assert (document["pairs"] is None) == (document["cluster_method"] == "rank-ranges")
    assert document["robust"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_how_few_decide_keeps_to_the_schema(kind):
    document = require_schema(answer_ranking(example(kind), robust=True))
    assert document["robust"]["changes"][0]["change"] == "winner"


@pytest.mark.parametrize("kind", KINDS)
def test_stability_keeps_to_the_schema(kind):
    names = ["all"] if kind == "assessments" else ["mfas", "soccer"]
    require_schema(answer_stability(example(kind), names))


def test_models_keep_to_the_schema():
    found = require_schema(answer_models(example("pairwise"), ["uniform", "mfas"], folds=2))
    assert [*found["models"][0]][:2] == ["model", "perplexity"]


@pytest.mark.parametrize("kind", KINDS)
def test_plans_keep_to_the_schema(kind):
    document = require_schema(answer_plan(example(kind), n_resamples=50))
    assert (document["design_effect"] is None) == (kind == "assessments")
    assert len(document["neighbours"]) == len(example(kind).systems) - 1


@pytest.mark.parametrize("kind", KINDS)
def test_judges_keep_to_the_schema(kind):
    document = require_schema(answer_judges(example(kind)))
    assert {row["judge"] for row in document["judges"]} >= {"judge_001"} or kind == "assessments"
    assert bool(document["agreement"]) == (kind != "assessments")  # each output is scored once


def test_odd_names_ties_and_warnings_keep_to_the_schema(tmp_path):
    require_schema(odd_answer(tmp_path))
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    found = require_schema(answer_ranking(reader.read(path)))
    assert any("expected-wins is left out" in warning for warning in found["warnings"])
    ranks = [(s["best_rank"], s["worst_rank"]) for s in found["methods"][0]["systems"]]
    assert ranks == [(1, 2), (1, 2)]
