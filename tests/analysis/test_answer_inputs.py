"""Units, refusals, and the example files that answers are tried on."""

import runpy

import evalica
import numpy as np
import pandas as pd
import pytest
from examples_read import EXAMPLES, KINDS, example

from wmtlib.analysis import (
    answer_inputs,
)
from wmtlib.analysis.model_answer import answer_models
from wmtlib.analysis.ranking_answer import answer_ranking
from wmtlib.judgements import counting
from wmtlib.judgements.errors import DataError
from wmtlib.yours import read as reader


def test_the_example_files_are_what_the_script_makes(tmp_path):
    runpy.run_path(str(EXAMPLES / "make_examples.py"))["main"](tmp_path)
    made = sorted(tmp_path.iterdir())
    assert [path.stem for path in made] == sorted(KINDS)
    for path in made:
        assert path.read_bytes() == (EXAMPLES / path.name).read_bytes()
        assert path.stat().st_size <= 300_000


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_files_are_simulated_and_tell_all_units_apart(kind):
    judged = example(kind)
    assert judged.kind == kind and all(name.startswith("simulated-") for name in judged.systems)
    told = {
        "rankings": {"comparison", "judge", "segment", "ranking"},
        "pairwise": {"comparison", "judge", "segment"},
        "assessments": {"worker", "hit", "document", "segment"},
    }
    assert set(answer_inputs.units_of(judged)) == told[kind]


def test_bradley_terry_of_the_example_is_that_of_evalica():
    counts = example("pairwise").counts
    table = counting.expand(counts)
    winner = {0: evalica.Winner.Draw, 1: evalica.Winner.X, 2: evalica.Winner.Y}
    other = evalica.bradley_terry(
        table["system_1"],
        table["system_2"],
        table["preference"].map(winner),
        tolerance=1e-12,
        limit=10_000,
    )
    theirs = np.log(other.scores)[counts.systems]
    answer = answer_ranking(example("pairwise"), ["bradley-terry-half"])
    found = pd.DataFrame(answer.document["methods"][0]["systems"])
    ours = found.set_index("system")["score"][counts.systems]
    assert (ours - ours.mean()).to_numpy() == pytest.approx(
        (theirs - theirs.mean()).to_numpy(), abs=1e-6
    )


@pytest.mark.parametrize(
    ("columns", "unit"),
    [
        ("", "comparison"),
        ("segment", "segment"),
        ("segment,ranking", "ranking"),
        ("segment,judge,ranking", "judge"),
        ("worker", "judge"),
    ],
)
def test_the_largest_unit_is_resampled_by_default(tmp_path, columns, unit):
    path, extra = tmp_path / "file.csv", len(columns.split(",")) if columns else 0
    rows = [f"x,y,{'ab'[k % 2]}" + f",{k}" * extra for k in range(4)]
    head = ",".join(["a,b,outcome", *([columns] if columns else [])])
    path.write_text("\n".join([head, *rows]) + "\n")
    judged = reader.read(path)
    assert answer_inputs.default_unit(judged) == unit
    answer = answer_ranking(judged, ["soccer"], n_resamples=5)
    assert answer.sections[-1].title == f"Bootstrap (soccer, by {unit})"
    assert f"resamples=5|unit={unit}" in answer.about["Signature"]


def test_refusals_name_the_file_on_one_line():
    judged = example("pairwise")
    for wrong in (
        lambda: answer_ranking(judged, n_resamples=5, unit="hit"),
        lambda: answer_ranking(judged, reference="human"),
        lambda: answer_models(judged, unit="ranking"),
        lambda: answer_models(example("assessments")),
    ):
        with pytest.raises(DataError, match=r"^/.*/examples/.*csv: ") as error:
            wrong()
        assert len(str(error.value).splitlines()) == 1
