"""What the commands find out, and the example files."""

import runpy

import evalica
import numpy as np
import pandas as pd
import pytest

from wmtlib.analysis import (
    answers,
    bootstrap,
    cross_validation,
    leave_one_out,
    methods,
    significance,
)
from wmtlib.assessment.encoding import encode
from wmtlib.files import reader
from wmtlib.judgements import counting
from wmtlib.judgements.errors import DataError
from wmtlib.plots import assessment_plots, model_plots, tournament_plots
from wmtlib.releases.sources import ROOT
from wmtlib.tournament import violations

EXAMPLES = ROOT / "examples"
KINDS = ("rankings", "pairwise", "assessments")


def example(kind):
    return reader.read(EXAMPLES / f"{kind}.csv")


# --- the example files --------------------------------------------------------------------------


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
        "assessments": {"worker", "hit"},
    }
    assert set(answers.units_of(judged)) == told[kind]


def test_bradley_terry_of_the_example_is_that_of_evalica():
    counts = example("pairwise").counts()
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
    answer = answers.rank(example("pairwise"), ["bradley-terry-half"])
    ours = answer.sections[0].tables["Scores"].set_index("system")["score"][counts.systems]
    assert (ours - ours.mean()).to_numpy() == pytest.approx(
        (theirs - theirs.mean()).to_numpy(), abs=1e-6
    )


# --- rank ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_rank_says_is_what_the_engines_say(kind):
    judged = example(kind)
    answer = answers.rank(judged, bootstrap=30, seed=5)
    ranking, groups, doubts = answer.sections
    assessed = kind == "assessments"
    data = encode(judged.assessments) if assessed else judged.counts()
    names = answers.DEFAULT["assessments" if assessed else "counts"]
    assert ranking.tables["Methods"]["method"].tolist() == [*names]
    for name in names:
        alone = methods.rank(data, name, reference=None)
        ranks = ranking.tables["Ranks"].set_index("system")[name]
        assert ranks[alone.order].tolist() == alone.table["rank"].tolist()
    assert ("cluster_uncorrected" in ranking.tables["Scores"]) == assessed
    first = methods.rank(data, names[0], reference=None)
    table = significance.significance(data, first.order)
    pd.testing.assert_frame_equal(groups.tables["Pairs"], table)
    found = groups.tables["Clusters"].drop(columns="score")
    pd.testing.assert_frame_equal(found, significance.groups(table, first.order))
    unit = "worker" if assessed else "judge"
    drawn_from = data if assessed else judged.comparisons([unit])
    direct = bootstrap.bootstrap(
        drawn_from, names[0], unit=unit, n_resamples=30, rng=np.random.default_rng(5)
    )
    pd.testing.assert_frame_equal(doubts.tables["Intervals"], direct.table)
    assert [*doubts.warnings] == [
        *direct.warnings,
        *bootstrap.warnings_for(judged.units, unit),
    ]


def test_the_clusters_of_raw_scores_are_tested_on_raw_scores():
    answer = answers.rank(example("assessments"), ["raw-score"])
    assert answer.sections[1].title == "Clusters (raw-score)"
    assert "segments' mean raw scores" in answer.sections[1].text
    campaign = encode(example("assessments").assessments)
    order = methods.rank(campaign, "raw-score", reference=None).order
    table = significance.significance(campaign, order, score="raw")
    pd.testing.assert_frame_equal(answer.sections[1].tables["Pairs"], table)


def test_violated_judgements_stand_beside_each_method():
    judged = example("rankings")
    table = answers.rank(judged).sections[0].tables["Methods"].set_index("method")
    wins = judged.counts().wins
    for name in table.index:
        order = methods.rank(judged.counts(), name, reference=None).order
        assert table.loc[name, "violated"] == violations.violated_weight(order, wins)


def test_one_method_has_no_range_and_no_bump():
    (ranking, _) = answers.rank(example("pairwise"), ["mfas"]).sections
    assert [*ranking.tables["Ranks"]] == ["system", "mfas"]
    assert [drawing.plot for drawing in ranking.drawings] == ["heatmap"]
    assert str(ranking.tables["Scores"]["best_rank"].dtype) == "Int64"


def test_a_method_named_twice_is_run_once():
    (ranking, _) = answers.rank(example("pairwise"), ["soccer", "mfas", "soccer"]).sections
    assert [*ranking.tables["Ranks"]] == ["system", "soccer", "mfas", "range"]


def test_if_no_method_applies_the_last_reason_is_given(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    with pytest.raises(DataError, match="no comparison that this score counts"):
        answers.rank(reader.read(path), ["bojar"])
    answer = answers.rank(reader.read(path))
    assert answer.sections[0].warnings[0].startswith("expected-wins is left out: ")
    assert answer.sections[1].title == "Clusters (bradley-terry)"


def test_large_files_are_not_drawn(tmp_path):
    path, size = tmp_path / "many.csv", answers.DRAWN + 1
    rows = [f"s{k:03d},s{(k + 1) % size:03d},{o}" for k in range(size) for o in "ab"]
    path.write_text("\n".join(["a,b,outcome", *rows]) + "\n")
    answer = answers.rank(reader.read(path), ["soccer", "net-wins"])
    assert not any(section.drawings for section in answer.sections)


@pytest.mark.parametrize("kind", KINDS)
def test_every_drawing_names_a_plot(kind):
    answer = answers.rank(example(kind), bootstrap=5)
    drawings = [drawing for section in answer.sections for drawing in section.drawings]
    assert len(drawings) == 3
    for drawing in drawings:
        plots = (tournament_plots, model_plots, assessment_plots)
        assert any(hasattr(module, drawing.plot) for module in plots)


# --- the unit -----------------------------------------------------------------------------------


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
    assert answers.default_unit(judged) == unit
    answer = answers.rank(judged, ["soccer"], bootstrap=5)
    assert answer.sections[-1].title == f"Doubt (soccer, by {unit})"
    assert f"bootstrap=5|unit={unit}" in answer.about["Signature"]


def test_refusals_name_the_file_on_one_line():
    judged = example("pairwise")
    for wrong in (
        lambda: answers.rank(judged, bootstrap=5, unit="hit"),
        lambda: answers.rank(judged, reference="human"),
        lambda: answers.compare(judged, unit="ranking"),
        lambda: answers.compare(example("assessments")),
    ):
        with pytest.raises(DataError, match=r"^/.*/examples/.*csv: ") as error:
            wrong()
        assert len(str(error.value).splitlines()) == 1


# --- stability and compare ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_stability_says_is_what_the_engine_says(kind):
    judged = example(kind)
    name = "z-score" if kind == "assessments" else "soccer"
    data = encode(judged.assessments) if kind == "assessments" else judged.counts()
    direct = leave_one_out.leave_one_out(data, name, rng=np.random.default_rng(0))
    (section,) = answers.stability(judged, [name]).sections
    pd.testing.assert_frame_equal(section.tables["Left out"], direct.table)
    pd.testing.assert_frame_equal(section.tables["Fragile systems"], direct.systems)
    assert f"in {int(direct.table['changed'].sum())} of {len(direct.table)} cases" in section.text


def test_what_compare_says_is_what_the_engine_says():
    judged, models = example("pairwise"), ["Lopez Eq. 1", "Uniform", "Adjusted Uniform"]
    (section,) = answers.compare(judged, models, unit="judge", folds=3, seed=2).sections
    direct = cross_validation.cross_validate(
        judged.comparisons(["segment", "judge"]),
        models,
        unit="judge",
        folds=3,
        rng=np.random.default_rng(2),
    )
    pd.testing.assert_frame_equal(section.tables["Models"], direct.table)
    assert section.text.startswith("Lopez Eq. 1 predicts held-out judgements best: perplexity ")


def test_compare_leaves_out_a_named_reference_altogether():
    judged, name = example("pairwise"), "simulated-A"
    kept = judged.comparisons(["segment"]).query("system_1 != @name and system_2 != @name")
    direct = cross_validation.cross_validate(
        kept, ["Lopez Eq. 1"], folds=2, rng=np.random.default_rng(0)
    )
    (section,) = answers.compare(judged, ["Lopez Eq. 1"], reference=name, folds=2).sections
    pd.testing.assert_frame_equal(section.tables["Models"], direct.table)


def test_compare_without_anything_left_is_refused(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b,outcome\nx,y,a\ny,x,a\n")
    with pytest.raises(DataError, match="no comparisons without 'x'"):
        answers.compare(reader.read(path), reference="x")
