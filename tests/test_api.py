"""What `import wmtlib` offers: every name documented by an example, science functions
on frames.
"""

import contextlib
import pydoc
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import wmtlib
from examples import EXAMPLES, ROOT, data_error
from wmtlib import cli

VOTES = pd.read_csv(EXAMPLES / "pairwise.csv")
SCORES = pd.read_csv(EXAMPLES / "assessments.csv")


def test_every_public_name_is_documented_by_an_example():
    public = {name for name in dir(wmtlib) if not name.startswith("__")}
    for name in public:
        documentation = getattr(wmtlib, name).__doc__
        assert len(documentation.splitlines()[0]) > 10 and ">>>" in documentation, name
    assert len(public) == 25
    with pytest.raises(AttributeError, match="no attribute 'rang'"):
        _ = wmtlib.rang


@pytest.mark.parametrize(
    "code, modules",
    [
        ("import wmtlib", ["numpy", "scipy"]),
        pytest.param(
            "import wmtlib, pandas as pd\n"
            "wmtlib.rank(pd.read_csv('examples/pairwise.csv'))",
            ["scipy.stats", "scipy.special", "scipy.optimize", "scipy.sparse"],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["importing", "ranking a small file"],
)
def test_import_and_rank_load_no_slow_modules(code, modules):
    code += f"\nimport sys; sys.exit(any(name in sys.modules for name in {modules}))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def entered(call):
    """The functions of the package that a call enters."""
    home = str(Path(wmtlib.__file__).parent)
    seen = set()

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(home):
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def test_rank_by_expected_wins_calls_few_functions():
    rank = wmtlib.rank  # the module is loaded when its name is first used
    counts = wmtlib.count(VOTES)
    functions = entered(lambda: rank(counts, "expected-wins"))
    assert len(functions) <= 13 and len({module for module, _ in functions}) <= 5
    # A frame is counted, too, and looked through for what is asked of a file.
    functions = entered(lambda: rank(VOTES, "expected-wins"))
    named = {(module, name) for module, name in functions if "<" not in name}
    assert len(named) <= 36 and len({module for module, _ in named}) <= 7
    samples = partial(wmtlib.bootstrap, VOTES, "expected-wins", n_resamples=100)
    samples()  # what is loaded when it is first used
    named = {(module, name) for module, name in entered(samples) if "<" not in name}
    assert len(named) <= 63 and len({module for module, _ in named}) <= 11


def test_the_same_seed_gives_the_same_numbers():
    for seed in (lambda: 7, lambda: np.random.default_rng(7)):
        first, second = (
            wmtlib.rank(VOTES, "trueskill", seed=seed()).table for _ in range(2)
        )
        pd.testing.assert_frame_equal(first, second)
    assert not first.equals(wmtlib.rank(VOTES, "trueskill", seed=8).table)


def test_functions_refuse_other_data_in_one_line():
    unit = {"unit": "comparison"}
    test = {"test": "two-sided", "rule": "official"}
    for call in (
        wmtlib.rank,
        wmtlib.leave_one_out,
        wmtlib.judges,
        wmtlib.comparisons,
        wmtlib.z_scores,
        wmtlib.heatmap,
        wmtlib.violated_by_chance,
        partial(wmtlib.bootstrap, **unit),
        partial(wmtlib.robustness, **unit),
        partial(wmtlib.compare, **unit),
        partial(wmtlib.clusters, **test),
    ):
        for data in (
            pd.DataFrame(),
            {"a": 1},
            [{"a": 1}],
            None,
            np.zeros(3),
            VOTES[:0],
        ):
            with pytest.raises(wmtlib.DataError):
                call(data)
    for seed in (-1, "x", 1.5):
        with pytest.raises(wmtlib.DataError, match="expected a whole number from 0"):
            wmtlib.bootstrap(VOTES, unit="judge", n_resamples=9, seed=seed)


def lines_of(caught):
    return [str(warning.message) for warning in caught]


def test_bootstrap_warns_once_of_a_frame():
    votes = pd.DataFrame(
        {"a": [*"xxxx"] * 5, "b": ["y", "Y", "z", "z"] * 5, "outcome": "a"}
    )
    votes["judge"], votes["segment"] = "j", "1"
    votes.loc[20] = ["p", "q", "b", "J ", "2"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wmtlib.bootstrap(votes, unit="judge", n_resamples=9)
    lines = lines_of(caught)
    assert all(warning.category is wmtlib.JudgementWarning for warning in caught)
    assert {warning.filename for warning in caught} == {__file__}
    parts = [
        "'Y' and 'y'",
        "2 names of judges are 1",
        "fall into 2 groups",
        "17 of 21 rows repeat",
        "too few comparisons or scores",
    ]
    assert len(lines) == len(parts) and all(map(str.__contains__, lines, parts))
    with pytest.warns(wmtlib.JudgementWarning, match="names of judges are"):
        wmtlib.rank(SCORES.assign(worker=np.where(SCORES.index % 2, "W 1", "w1")))


def test_read_judgements_warn_in_words_of_python(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,outcome,type\n" + "x,y,a,code\nX,z,b,maths\n" * 10)
    judgements = wmtlib.read(path)
    for science in (wmtlib.rank, wmtlib.judges):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with contextlib.suppress(wmtlib.DataError):  # there are no judges
                science(judgements)
        lines = lines_of(caught)
        assert {warning.filename for warning in caught} == {__file__}
        assert lines == [*judgements.warnings]
        assert any("columns={'task': 'type'}" in line for line in lines)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = wmtlib.analyse(judgements)
    lines = lines_of(caught)
    assert lines == [*answer.warnings] and len({*lines}) == len(lines)
    assert not any("--" in line for line in lines)
    with data_error(r"DataFrame, row 0: .* add skip_bad=True"):
        wmtlib.analyse(pd.DataFrame({"a": ["x"], "b": ["x"], "outcome": ["a"]}))


def test_functions_take_a_path_and_the_name_of_a_task(tmp_path):
    path = tmp_path / "votes.csv"
    VOTES.to_csv(path, index=False)
    for data in (path, str(path)):
        assert wmtlib.rank(data).table.equals(wmtlib.rank(VOTES).table)
        assert wmtlib.exact_order(data).order == wmtlib.exact_order(VOTES).order
        assert wmtlib.count(data).wins.equals(wmtlib.count(VOTES).wins)
    counts = wmtlib.load_counts("wmt12", "cs-en")
    expected = wmtlib.rank(counts, "soccer").scores
    with pytest.warns(wmtlib.JudgementWarning, match="carries know no judges and no"):
        assert wmtlib.rank("wmt12:cs-en", "soccer").scores.equals(expected)
    assert wmtlib.analyse("wmt12:cs-en", "soccer").facts["task"] == "cs-en"
    with data_error("no task 'wmt12:csen'; .*; did you mean 'wmt12:cs-en'"):
        wmtlib.rank("wmt12:csen")
    with data_error("in a checkout of the repository: python -m study rank wmt22:xx"):
        wmtlib.rank("wmt22:xx")


def test_old_names_warn_and_still_work():
    for old, name in {
        "check": "check_certificate",
        "compare_models": "compare",
        "fewest_removals": "robustness",
    }.items():
        with pytest.warns(DeprecationWarning, match=f"is now wmtlib.{name}$"):
            assert getattr(wmtlib, old) is getattr(wmtlib, name)


def test_help_of_the_package_is_a_page_and_names_every_option():
    page = pydoc.plain(pydoc.render_doc(wmtlib))
    assert len(page.splitlines()) < 130
    words = {*re.findall(r"--[a-z-]+|(?m:^[a-z]+)", wmtlib.__doc__)}
    commands = cli.parser()._subparsers._group_actions[0].choices
    for name, command in commands.items():
        options = {*command._option_string_actions} - {"-h", "--help", "--brief"}
        assert {name, *options} <= words, name


def test_results_show_a_few_lines_in_a_shell():
    results = [
        wmtlib.rank(VOTES),
        wmtlib.count(VOTES),
        wmtlib.exact_order(VOTES),
        wmtlib.bootstrap(VOTES, n_resamples=9),
        wmtlib.leave_one_out(VOTES),
        wmtlib.robustness(VOTES, unit="judge"),
        wmtlib.judges(VOTES),
        wmtlib.compare(VOTES, ["uniform"]),
    ]
    for result in results:
        assert "\n" in repr(result) and len(repr(result).splitlines()) <= 11
        assert "array(" not in repr(result) and "=" not in repr(result)
        assert result._repr_html_().count("<table") == 1
    cycles = repr(wmtlib.violated_by_chance(VOTES, n_worlds=9))
    assert re.fullmatch(r"<CycleTest: least violated weight 0, .*p = .*>", cycles)
    many = wmtlib.judges(VOTES)
    assert repr(many).startswith("15 judges, least reliable first") and "..." in repr(
        many
    )


def test_an_interval_is_beside_its_score():
    drawn = wmtlib.bootstrap(VOTES, n_resamples=9)
    scores = drawn.scores
    assert [*scores] == ["score", "score_low", "score_high"]
    assert [*drawn.ranks] == ["rank", "rank_low", "rank_high"]
    assert scores["score"].equals(wmtlib.rank(VOTES).scores)
    assert (scores["score_low"] < scores["score_high"]).all()
