"""Questions are answered by values: what is planned, found, and left to say."""

import re
import warnings

import pandas as pd
import pytest

import wmtlib
from examples import data_error, example
from wmtlib.cli import main
from wmtlib.files.read import read
from wmtlib.report import analysis


def test_functions_have_the_defaults_of_the_command():
    for kind in ("pairwise", "assessments"):
        judged = example(kind)
        answer = wmtlib.analyse(judged)
        sets = wmtlib.rank_sets(judged)
        assert [*sets.units.kinds] == answer.facts["units"]
        assert wmtlib.bootstrap(judged, n_resamples=5).unit == answer.facts["units"][0]
        table = answer.tables["ranking"]
        pd.testing.assert_frame_equal(sets.table, table[[*sets.table]])
        lines = wmtlib.clusters(judged).table
        assert lines["cluster"].tolist() == table["cluster"].tolist()
    compared = wmtlib.compare(example("pairwise"), ["uniform"])
    assert compared.unit == "judge"


def test_analyse_takes_the_options_of_read():
    scores = {"person": "p", "system": [*"xyz"] * 12, "points": [1, 3, 5] * 12}
    frame = pd.DataFrame(scores).assign(segment=[k // 3 for k in range(36)])
    column = {"judge": "person", "score": "points"}
    with pytest.raises(wmtlib.Question, match="no kind of judgements fits"):
        wmtlib.analyse(frame, "raw-score")
    for scale, order in (((5, 1), [*"xyz"]), ((1, 5), [*"zyx"])):
        answer = wmtlib.analyse(frame, "raw-score", column=column, scale=scale)
        assert [*answer.main_view["system"]] == order
        assert answer.facts["scale"] == [*scale]
    judged = wmtlib.read(frame, column=column, scale=(1, 5))
    for data in (judged, "wmt12:cs-en"):
        with data_error("scale: is for files and frames"):
            wmtlib.analyse(data, scale=(5, 1))


def test_ranking_of_says_which_steps_it_takes():
    said = []
    methods = ["soccer", "mfas"]
    judged = example("pairwise")
    analysis.ranking_of(judged, methods, progress=lambda step, share: said.append(step))
    assert said == [
        "ranking by soccer",
        "ranking by mfas",
        "leaving out judges and items in turn",
    ]


def test_sets_tell_nothing_apart_between_groups_that_no_worker_links():
    rows = [
        (worker, system, segment, level + segment % 7)
        for worker, systems in (("v", "AB"), ("w", "CD"))
        for system, level in zip(systems, (80, 20), strict=True)
        for segment in range(40)
    ]
    scores = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    judged = read(scores, scale=(0, 100))
    answer = analysis.ranking_of(judged, "z-score")
    pairs = answer.pairs.set_index(["above", "below"])
    within = [("A", "B"), ("C", "D")]
    across = pairs.drop(within)
    assert pairs.loc[within, "apart"].all()
    assert not across["apart"].any()
    assert across[["p", "corrected"]].isna().all(axis=None)
    assert answer.table["cluster"].tolist() == [1] * 4
    # A is better than one of three, B is worse than one; so are C and D.
    sets = answer.table.set_index("system")[["rank_low", "rank_high"]]
    assert sets.loc[[*"ABCD"]].to_numpy().tolist() == [[1, 3], [2, 4], [1, 3], [2, 4]]
    # Raw scores compare everybody.
    raw = analysis.ranking_of(judged, "raw-score")
    assert raw.pairs["p"].notna().all() and raw.table["cluster"].max() == 2


def test_ranking_of_refuses_methods_for_other_data_and_for_workers():
    scores = {"system": [*"xy"] * 9, "segment": [*"112233445566778899"]}
    judgements = read(pd.DataFrame(scores).assign(score=range(18)), scale=(0, 17))
    assert analysis.ranking_of(judgements).usual == "raw-score"
    for wanted in (["elo"], ["raw-score", "elo"]):
        with data_error("no method for assessments 'elo'"):
            analysis.ranking_of(judgements, wanted)
    with data_error("^DataFrame: z-score needs workers, and no column names them"):
        analysis.ranking_of(judgements, "z-score")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"refrence": "x"}, "no option 'refrence'; .*; did you mean 'reference'?"),
        ({"colum": {"judge": "j"}}, "no option 'colum'; .*; did you mean 'column'?"),
        ({"anchor": ("x", 1000)}, "no option 'anchor'; expected method, reference"),
        ({"scale": (5, 1)}, "scale: is for files and frames"),
    ],
)
def test_analyse_refuses_options_that_there_are_not(options, said):
    with data_error(said):
        wmtlib.analyse(example("pairwise"), **options)


def test_analyse_has_all_warnings_and_issues_none():
    votes = pd.DataFrame({"a": [*"xyz"] * 9, "b": [*"yzx"] * 9, "outcome": "a"})
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        answer = wmtlib.analyse(votes)
    assert not issued
    assert "judges_unknown" in [line.code for line in answer.warnings]
    assert len({*answer.warnings}) == len(answer.warnings)


# --- more votes than mfas takes -------------------------------------------------------

BILLIONS = """\
model_a,model_b,winner,votes
x,y,model_a,1500000000
x,y,model_b,900000000
y,z,model_a,1500000000
y,z,model_b,999999999999
z,x,tie,7
"""
TOO_MANY = "one system won 999,999,999,999 times over another; .* such as bradley-terry"


@pytest.fixture
def billions(tmp_path):
    path = tmp_path / "billions.csv"
    path.write_text(BILLIONS)
    return path


@pytest.mark.parametrize("method", ["bradley-terry", "soccer", "expected-wins"])
def test_pairs_of_billions_of_votes_are_ranked(billions, method, capsys):
    judged = read(billions, column={"count": "votes"})
    order = wmtlib.rank(judged, method).order
    answer = wmtlib.analyse(judged, method)
    assert answer.tables["ranking"]["system"].tolist() == order
    assert order[-1] == "y"
    words = ["rank", str(billions), "--column", "count=votes", "--method", method]
    assert main([*words, "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.split()[1:]] == order


def test_mfas_refuses_billions_of_votes_and_is_left_out(billions, capsys):
    judged = read(billions, column={"count": "votes"})
    with data_error(f"^{TOO_MANY}$"):
        wmtlib.rank(judged, "mfas")
    with data_error(f"^{billions}: {TOO_MANY}$"):
        wmtlib.analyse(judged, "mfas")
    words = ["rank", str(billions), "--column", "count=votes", "--method", "mfas"]
    assert main(words) == 2
    assert re.fullmatch(f"wmtlib: {billions}: {TOO_MANY}\n", capsys.readouterr().err)
    answer = wmtlib.analyse(judged)
    (left_out,) = [w for w in answer.warnings if w.code == "method_left_out"]
    assert re.fullmatch(f"mfas is left out: {TOO_MANY}", left_out)
    assert answer.facts["methods"] == ["expected-wins", "bradley-terry"]
