"""What `import wmtlib` offers: every name documented by an example, science functions on frames."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import wmtlib
from wmtlib.study.releases.sources import ROOT

EXAMPLES = ROOT / "examples"
VOTES = pd.read_csv(EXAMPLES / "pairwise.csv")
SCORES = pd.read_csv(EXAMPLES / "assessments.csv")


def test_every_public_name_is_documented_by_an_example():
    for name in wmtlib.__all__:
        documentation = getattr(wmtlib, name).__doc__
        assert len(documentation.splitlines()[0]) > 10 and ">>>" in documentation, name
    assert set(wmtlib.__all__) <= set(dir(wmtlib))
    with pytest.raises(AttributeError, match="no attribute 'rang'"):
        _ = wmtlib.rang


def test_importing_takes_no_time_of_its_own():
    code = "import sys, wmtlib; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_ranking_a_small_file_loads_no_statistics():
    code = "import sys, wmtlib, pandas as pd; wmtlib.rank(pd.read_csv('examples/pairwise.csv'))\n"
    code += "sys.exit(any(f'scipy.{m}' in sys.modules for m in ('stats', 'special', 'optimize')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def entered(call):
    """The functions of the package that a call enters."""
    home, seen = str(Path(wmtlib.__file__).parent), set()

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(home):
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def test_a_mean_of_win_rates_is_a_short_way():
    rank = wmtlib.rank  # the module is loaded when its name is first used
    functions = entered(lambda: rank(VOTES, "expected-wins"))
    assert len(functions) <= 15 and len({module for module, _ in functions}) <= 6


@pytest.mark.parametrize("kind", ["pairwise", "rankings", "assessments"])
def test_a_frame_is_ranked_as_its_file_is(kind):
    path = EXAMPLES / f"{kind}.csv"
    from_file, from_frame = wmtlib.rank(wmtlib.read(path)), wmtlib.rank(pd.read_csv(path))
    pd.testing.assert_frame_equal(from_file.table, from_frame.table)


def test_five_questions_in_three_lines_each():
    ranking = wmtlib.rank(VOTES, method="bradley-terry")
    assert ranking.table["score"].is_monotonic_decreasing
    wins = wmtlib.count(VOTES).wins
    solution = wmtlib.exact_order(wins)
    assert solution.optimal and wmtlib.check(wins, solution.certificate) == solution.cost
    assert wmtlib.exact_order(wins.to_numpy()).cost == solution.cost
    z = wmtlib.z_scores(SCORES)
    assert len(z) == len(SCORES) and abs(z.groupby("worker")["z"].mean()).max() < 1e-9
    cut = wmtlib.clusters(SCORES, test="two-sided", rule="footnote-4")
    assert cut.order == wmtlib.rank(SCORES).order
    sure = wmtlib.bootstrap(VOTES, unit="judge", n_resamples=50)
    assert (sure.table["rank_low"] <= sure.table["rank_high"]).all()
    axes = wmtlib.heatmap(VOTES, ranking.order)
    assert [label.get_text() for label in axes.get_yticklabels()] == ranking.order
    plt.close(axes.figure)


def test_results_show_themselves_in_a_notebook():
    for result in (
        wmtlib.count(VOTES),
        wmtlib.rank(VOTES),
        wmtlib.exact_order(wmtlib.count(VOTES)),
        wmtlib.bootstrap(VOTES, unit="judge", n_resamples=20),
        wmtlib.leave_one_out(VOTES),
        wmtlib.fewest_removals(VOTES, unit="judge"),
        wmtlib.compare_models(VOTES, ["uniform"], unit="judge"),
        wmtlib.judges(VOTES),
    ):
        assert result._repr_html_().startswith("<p>") and "</table>" in result._repr_html_()


def test_the_same_seed_gives_the_same_numbers():
    for seed in (lambda: 7, lambda: np.random.default_rng(7)):
        first, second = (wmtlib.rank(VOTES, "trueskill", seed=seed()).table for _ in range(2))
        pd.testing.assert_frame_equal(first, second)
    other = wmtlib.rank(VOTES, "trueskill", seed=8).table
    assert not first.equals(other)


def test_refusals_are_one_line_with_the_next_step():
    votes = pd.DataFrame(
        {"a": [*"xxx"], "b": [*"yyy"], "outcome": ["a", "b", "won"]}, index=[5, 6, 7]
    )
    for call, message in (
        (lambda: wmtlib.rank(votes), r"^DataFrame, row 7: .*'won'.*; wmtlib.read"),
        (lambda: wmtlib.rank(pd.DataFrame({"system": ["x"]})), "the header is 'system'; expected"),
        (lambda: wmtlib.rank("votes.csv"), r"wmtlib.read\(path\) reads files"),
        (lambda: wmtlib.z_scores(votes[:2]), "expected a frame of direct assessments"),
        (lambda: wmtlib.exact_order(np.zeros((2, 3))), "expected a square"),
        (lambda: wmtlib.bootstrap(votes[:2], unit="judge"), "unit is 'judge'; expected compar"),
    ):
        with pytest.raises(wmtlib.DataError, match=message) as refused:
            call()
        assert len(str(refused.value).splitlines()) == 1
