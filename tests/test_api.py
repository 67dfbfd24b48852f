"""What `import wmtlib` offers: every name documented by an example that runs, from frames alone."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import wmtlib
from wmtlib.study.releases.sources import ROOT

EXAMPLES = ROOT / "examples"
KINDS = ["pairwise", "rankings", "assessments"]


@pytest.fixture(scope="module", params=KINDS)
def example(request):
    path = EXAMPLES / f"{request.param}.csv"
    return path, pd.read_csv(path)


@pytest.mark.parametrize("name", wmtlib.__all__)
def test_every_public_name_is_documented(name):
    documentation = getattr(wmtlib, name).__doc__
    assert len(documentation.splitlines()[0]) > 10
    assert ">>>" in documentation, "expected an example"


def test_the_list_of_names_is_the_namespace():
    assert set(wmtlib.__all__) <= set(dir(wmtlib))
    with pytest.raises(AttributeError, match="no attribute 'rang'"):
        _ = wmtlib.rang


def test_importing_takes_no_time_of_its_own():
    code = "import sys, wmtlib; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_a_frame_is_read_as_its_file_is(example):
    path, frame = example
    from_file, from_frame = wmtlib.read(path), wmtlib.read(frame)
    assert from_file.systems == from_frame.systems and from_file.rows == from_frame.rows
    pd.testing.assert_frame_equal(wmtlib.rank(path).table, wmtlib.rank(frame).table)


def test_five_questions_in_three_lines_each():
    votes = pd.read_csv(EXAMPLES / "pairwise.csv")
    ranking = wmtlib.rank(votes, method="bradley-terry")
    assert ranking.table["score"].is_monotonic_decreasing
    wins = wmtlib.count(votes).wins
    found = wmtlib.exact_order(wins)
    assert found.optimal and wmtlib.check(wins, found.certificate) == found.cost
    assert wmtlib.exact_order(wins.to_numpy()).cost == found.cost
    scores = pd.read_csv(EXAMPLES / "assessments.csv")
    z = wmtlib.z_scores(scores)
    assert len(z) == len(scores) and abs(z.groupby("worker")["z"].mean()).max() < 1e-9
    cut = wmtlib.clusters(scores, test="two-sided", rule="footnote-4")
    assert cut.order == wmtlib.rank(scores).order
    sure = wmtlib.bootstrap(votes, unit="judge", n_resamples=50)
    assert (sure.table["rank_low"] <= sure.table["rank_high"]).all()
    axes = wmtlib.heatmap(votes, ranking.order)
    assert [label.get_text() for label in axes.get_yticklabels()] == ranking.order
    plt.close(axes.figure)


def test_results_show_themselves_in_a_notebook():
    votes = pd.read_csv(EXAMPLES / "pairwise.csv")
    for result in (
        wmtlib.count(votes),
        wmtlib.rank(votes),
        wmtlib.exact_order(wmtlib.count(votes)),
        wmtlib.bootstrap(votes, unit="judge", n_resamples=20),
        wmtlib.leave_one_out(votes),
        wmtlib.fewest_removals(votes, unit="judge"),
        wmtlib.compare_models(votes, ["uniform"], unit="judge"),
    ):
        assert result._repr_html_().startswith("<p>") and "</table>" in result._repr_html_()


def test_the_same_seed_gives_the_same_numbers():
    votes = pd.read_csv(EXAMPLES / "pairwise.csv")
    first, second = (wmtlib.rank(votes, "trueskill", seed=7).table for _ in range(2))
    pd.testing.assert_frame_equal(first, second)


def test_refusals_name_the_row_of_the_frame():
    votes = pd.DataFrame(
        {"a": [*"xxx"], "b": [*"yyy"], "outcome": ["a", "b", "won"]}, index=[5, 6, 7]
    )
    with pytest.raises(wmtlib.DataError, match=r"^DataFrame, row 7: .*'won'"):
        wmtlib.rank(votes)
    with pytest.raises(wmtlib.DataError, match=r"^DataFrame, line 1: the header"):
        wmtlib.rank(pd.DataFrame({"system": ["x"]}))
    with pytest.raises(wmtlib.DataError, match="expected direct assessments"):
        wmtlib.z_scores(votes[:2])
    with pytest.raises(wmtlib.DataError, match="expected a square"):
        wmtlib.exact_order(np.zeros((2, 3)))
    with pytest.raises(wmtlib.DataError, match="no unit 'judge'"):
        wmtlib.bootstrap(votes[:2], unit="judge")
