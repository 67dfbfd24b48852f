"""What `import wmtlib` offers: every name documented by an example, science functions
on frames.
"""

import contextlib
import pkgutil
import pydoc
import re
import subprocess
import sys
import warnings
from functools import partial
from inspect import signature
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import wmtlib
from examples import EXAMPLES, ROOT, data_error
from wmtlib import cli, methods
from wmtlib.files import checks, forms, judgements

WINNERS_OF_THREE = pd.DataFrame({"a": [*"xyz"] * 9, "b": [*"yzx"] * 9, "outcome": "a"})
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
    assert len(functions) <= 15 and len({module for module, _ in functions}) <= 5
    # A frame is read as a file is.
    functions = entered(lambda: rank(VOTES, "expected-wins"))
    named = {(module, name) for module, name in functions if "<" not in name}
    assert len(named) <= 106 and len({module for module, _ in named}) <= 18
    samples = partial(wmtlib.bootstrap, VOTES, "expected-wins", n_resamples=100)
    samples()  # what is loaded when it is first used
    named = {(module, name) for module, name in entered(samples) if "<" not in name}
    assert len(named) <= 132 and len({module for module, _ in named}) <= 21


def test_the_same_seed_gives_the_same_numbers():
    for seed in (lambda: 7, lambda: np.random.default_rng(7)):
        first, second = (
            wmtlib.rank(VOTES, "trueskill", seed=seed()).table for _ in range(2)
        )
        pd.testing.assert_frame_equal(first, second)
    assert not first.equals(wmtlib.rank(VOTES, "trueskill", seed=8).table)


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_a_seed_that_is_no_whole_number_is_refused(seed):
    with data_error("expected a whole number from 0"):
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
        "17 of 21 rows repeat",
        "'Y' and 'y'",
        "2 names of judges are 1",
        "fall into 2 groups",
    ]
    assert len(lines) == len(parts) and all(map(str.__contains__, lines, parts))
    two = SCORES.assign(worker=np.where(SCORES.index % 2, "W 1", "w1"))
    with pytest.warns(wmtlib.JudgementWarning, match="names of judges are"):
        wmtlib.rank(wmtlib.read(two, scale=(0, 100), revisions="all"))


def test_thin_systems_are_said_once():
    thin = pd.DataFrame({"a": ["thin"], "b": ["x"], "outcome": ["a"]})
    votes = pd.concat([WINNERS_OF_THREE, thin], ignore_index=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = wmtlib.rank(votes)
        sets = wmtlib.rank_sets(votes)
        lines = wmtlib.clusters(votes)
    assert not any("too few" in line for line in lines_of(caught))
    for ranking in (found, sets.ranking, lines):
        assert ranking.caption.count("'thin (1)'") == 1
        assert "thin" not in ranking.order


def test_read_judgements_warn_in_words_of_python(tmp_path):
    path = tmp_path / "scores.csv"
    once = SCORES.drop_duplicates(["system", "segment"])
    once[["system", "segment", "score"]].to_csv(path, index=False)
    judgements = wmtlib.read(path, scale=(0, 100))
    for science in (wmtlib.rank, wmtlib.judges, wmtlib.rank_sets, wmtlib.clusters):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with contextlib.suppress(wmtlib.DataError):  # there are no judges
                science(judgements)
        lines = lines_of(caught)
        assert {warning.filename for warning in caught} == {__file__}
        assert lines == [*judgements.warnings]
        assert any("column={'judge': 'NAME'}" in line for line in lines)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = wmtlib.analyse(judgements)
    assert not caught  # the answer shows them
    assert not any("--" in line for line in answer.warnings)
    with data_error(r"\nwmtlib.read\(frame, outcome={'c': 'MEANING'}\)$"):
        wmtlib.analyse(pd.DataFrame({"a": ["x"], "b": ["y"], "outcome": ["c"]}))


def test_scores_without_workers_are_ranked_as_they_are():
    once = SCORES.drop_duplicates(["system", "segment"])
    frame = once[["system", "segment", "score"]]
    with pytest.warns(wmtlib.JudgementWarning, match="raw scores are ranked"):
        found = wmtlib.rank(wmtlib.read(frame, scale=(0, 100)))
    assert found.method == "raw-score"
    means = frame.groupby("system")["score"].mean()
    pd.testing.assert_series_equal(
        found.column("score").sort_index(), means, check_names=False
    )
    with data_error("z-score needs workers, and no column names them"):
        wmtlib.rank(wmtlib.read(frame, scale=(0, 100)), "z-score")


def test_a_path_and_the_name_of_a_task_are_what_is_in_them(tmp_path):
    path = tmp_path / "votes.csv"
    VOTES.to_csv(path, index=False)
    assert wmtlib.rank(str(path)).table.equals(wmtlib.rank(VOTES).table)
    assert wmtlib.count(path).wins.equals(wmtlib.count(VOTES).wins)
    counts = wmtlib.load_counts("wmt12", "cs-en")
    expected = wmtlib.rank(counts, "soccer").scores
    with pytest.warns(wmtlib.JudgementWarning, match="carries know no judges and no"):
        assert wmtlib.rank("wmt12:cs-en", "soccer").scores.equals(expected)
    with data_error("no task 'wmt12:csen'; .*; did you mean 'wmt12:cs-en'"):
        wmtlib.rank("wmt12:csen")
    with data_error("in a checkout of the repository: python -m study rank wmt22:xx"):
        wmtlib.rank("wmt22:xx")


OF_DATA = {  # every public function that takes data
    "rank": wmtlib.rank,
    "analyse": wmtlib.analyse,
    "bootstrap": partial(wmtlib.bootstrap, n_resamples=9),
    "judges": wmtlib.judges,
    "compare": partial(wmtlib.compare, models=["uniform"]),
    "stability": wmtlib.stability,
    "rank_sets": wmtlib.rank_sets,
    "clusters": wmtlib.clusters,
    "exact_order": wmtlib.exact_order,
    "heatmap": wmtlib.heatmap,
    "count": wmtlib.count,
    "read": wmtlib.read,
}
OF_FRAMES = {  # those that take frames of one form alone
    "comparisons": wmtlib.comparisons,
    "z_scores": wmtlib.z_scores,
}
OF_ASSESSMENTS = {"rank", "analyse", "rank_sets", "clusters", "bootstrap", "judges"}
OF_TABLES = {"check_certificate", "violated"}  # of wins
OF_NO_COUNTS = {  # why they take no task whose counts the package carries
    "judges": "no judges are told apart",
    "read": "wmt12:cs-en: no such file",
}
NO_DATA = {"load_counts", "ranking_methods"}


def test_every_public_function_is_one_that_is_tried_here():
    public = [getattr(wmtlib, name) for name in dir(wmtlib) if name[0] != "_"]
    names = {each.__name__ for each in public if not isinstance(each, type)}
    assert names == {*OF_DATA, *OF_FRAMES, *OF_TABLES, *NO_DATA}
    modules = {module.name for module in pkgutil.iter_modules(wmtlib.__path__)}
    assert not names & modules
    for name in names - NO_DATA:
        first, *_ = signature(getattr(wmtlib, name)).parameters
        assert first == "data", name


def test_what_was_read_or_coded_is_not_read_or_checked_again(monkeypatch):
    votes = wmtlib.read(VOTES)
    scores = wmtlib.read(SCORES, scale=(0, 100))
    calls = []
    for module, name in (
        (forms, "load"),
        (forms, "encode"),
        (forms, "rows_of"),
        (judgements, "encode"),
        (judgements, "rows_of"),
        (checks, "of_names"),
    ):
        function = getattr(module, name)

        def watched(*arguments, name=name, function=function):
            calls.append(name)
            return function(*arguments)

        monkeypatch.setattr(module, name, watched)
    for data in (votes, scores, votes.coded, votes.counts, scores.campaign):
        for name in OF_DATA.keys() - {"read", "analyse"}:
            with contextlib.suppress(wmtlib.DataError):  # it is for other data
                OF_DATA[name](data)
    assert sorted(calls) == ["encode", "rows_of"]
    entered_checks = [name for _, name in entered(lambda: wmtlib.rank(votes.counts))]
    assert "thin" not in entered_checks


RANKS = pd.read_csv(EXAMPLES / "rankings.csv")
WINNERS = pd.DataFrame({"winner": [*"xyz"] * 9, "loser": [*"yzx"] * 9})
OWN = pd.DataFrame({"system_1": [*"xxy"] * 9, "system_2": [*"yzz"] * 9})
OWN = OWN.assign(preference=[1, 2, 0] * 9, judge=[*"pqr"] * 9)
TWICE = {
    "outcome": (VOTES, "outcome"),
    "judge": (VOTES, "judge"),
    "winner": (WINNERS, "winner"),
    "loser": (WINNERS, "loser"),
    "score": (SCORES, "score"),
    "system": (SCORES, "system"),
    "worker": (SCORES, "worker"),
    "rank": (RANKS, "rank"),
    "preference of a table of this package": (OWN, "preference"),
    "judge of a table of this package": (OWN, "judge"),
}
LARGE = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": [*"aba"]})
TOO_LARGE = {
    "a count": LARGE.assign(count=10**17),
    "a count of many digits": LARGE.assign(count="9" * 30),
    "a count of a table of this package": OWN.assign(count=1e19),
    "their sum": LARGE.assign(count=2**53),
    "their sum in a table of this package": OWN.assign(count=2**61),
    "the sum of many": pd.concat([LARGE.assign(count=2**52)] * 1500),
    "wins": LARGE[["a", "b"]].assign(wins_a=2**53, wins_b=1),
}
REFUSED = {
    "an empty frame": pd.DataFrame(),
    "no rows": VOTES[:0],
    "a mapping": {"a": 1},
    "a list": [{"a": 1}],
    "None": None,
    "an array": np.zeros(3),
    **{
        name: pd.concat([f, f[[column]]], axis=1) for name, (f, column) in TWICE.items()
    },
    **TOO_LARGE,
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_every_function_refuses_other_data_in_one_line_or_asks(data):
    for name, function in (OF_DATA | OF_FRAMES).items():
        with pytest.raises(wmtlib.DataError) as refused:
            function(data)
        is_question = isinstance(refused.value, wmtlib.Question)
        assert is_question or "\n" not in str(refused.value), name


@pytest.mark.parametrize("column", ["worker", "system", "score", "item"])
def test_z_scores_take_no_name_twice(column):
    with data_error(f"^several columns are '{column}'; expected different names$"):
        wmtlib.z_scores(pd.concat([SCORES, SCORES[[column]]], axis=1))


def test_every_function_takes_a_path_and_a_task_or_says_a_frame(tmp_path):
    votes = tmp_path / "votes.csv"
    VOTES.to_csv(votes, index=False)
    scores = tmp_path / "scores.csv"  # a table of this package declares its scale
    wmtlib.read(SCORES, scale=(0, 100)).frame.to_csv(scores, index=False)
    for name, function in OF_DATA.items():
        function(votes)
        if name in OF_ASSESSMENTS:
            function(str(scores))
        if name in OF_NO_COUNTS:
            with data_error(OF_NO_COUNTS[name]):
                function("wmt12:cs-en")
        else:
            function("wmt12:cs-en")
    for name in (*OF_FRAMES, *OF_TABLES):
        assert "a frame" in " ".join(getattr(wmtlib, name).__doc__.lower().split())


FRAMES = {
    "votes": VOTES,
    "votes as categories": VOTES.astype("category"),
    "votes with another index": VOTES.set_axis(VOTES.index[::-1]),
    "winners": WINNERS,
    "winners and judges": WINNERS.assign(judge=[*"pqr"] * 9, segment=range(27)),
    "counted votes": LARGE.assign(count=[3, 40, 7]),
    "wins": LARGE[["a", "b"]].assign(wins_a=[20, 3, 5], wins_b=[1, 9, 5], ties=2),
    "blank column": LARGE.assign(count=[30, 40, 70], note=""),
    "rankings": RANKS,
    "table of comparisons": OWN,
    "counted table of comparisons": OWN.drop(columns="judge").assign(count=3),
    "table of comparisons of texts": OWN.astype({"preference": str}),
    "table of assessments": wmtlib.read(SCORES, scale=(0, 100)).frame,
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_frame_is_ranked_as_what_is_read_of_it(frame):
    judgements = wmtlib.read(frame)
    for method in (None, "raw-score" if "score" in frame else "trueskill"):
        found, expected = (wmtlib.rank(data, method) for data in (frame, judgements))
        pd.testing.assert_frame_equal(found.table, expected.table)
        assert (found.method, found.note) == (expected.method, expected.note)
    drawn, again = (
        wmtlib.bootstrap(data, n_resamples=9) for data in (frame, judgements)
    )
    pd.testing.assert_frame_equal(drawn.table, again.table)


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_frames_of_other_packages_are_read_as_those_of_pandas(name):
    package = pytest.importorskip(name)
    convert = package.from_pandas if name == "polars" else package.Table.from_pandas
    expected = wmtlib.rank(VOTES).table
    pd.testing.assert_frame_equal(wmtlib.rank(convert(VOTES)).table, expected)


def test_help_of_the_package_is_a_page_and_names_every_option():
    page = pydoc.plain(pydoc.render_doc(wmtlib))
    assert len(page.splitlines()) < 130
    words = {*re.findall(r"--[a-z-]+|(?m:^[a-z]+)", wmtlib.__doc__)}
    commands = cli.parser()._subparsers._group_actions[0].choices
    for name, command in commands.items():
        options = {*command._option_string_actions} - {"-h", "--help", "--brief"}
        assert {name, *options} <= words, name


RESULTS = {  # and what a row of the picture is labelled by
    "Ranking": (wmtlib.rank, "system"),
    "Ranking by mfas": (partial(wmtlib.rank, method="mfas"), "system"),
    "Ranking in clusters": (wmtlib.clusters, "system"),
    "RankSets": (wmtlib.rank_sets, "system"),
    "RankSets by mfas": (partial(wmtlib.rank_sets, method="mfas"), "system"),
    "BootstrapResult": (partial(wmtlib.bootstrap, n_resamples=9), "system"),
    "LeaveOneOut": (wmtlib.stability, "removed"),
    "CrossValidation": (partial(wmtlib.compare, models=["uniform"]), "model"),
    "JudgeReport": (wmtlib.judges, "judge"),
    "MFAS": (wmtlib.exact_order, "system"),
    "Counts": (wmtlib.count, None),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_shown_looked_up_and_drawn_alike(name, ax):
    function, label = RESULTS[name]
    result = function(VOTES)
    shown = repr(result)
    assert 1 < len(shown.splitlines()) <= 11
    assert "array(" not in shown and "=" not in shown
    assert result._repr_html_().count("<table") == 1
    frame = result.to_frame()
    pd.testing.assert_frame_equal(frame, result.table)
    assert len(result) == len(frame)
    for column in frame:
        pd.testing.assert_series_equal(result[column], frame[column])
    frame["new"] = 1
    assert "new" not in result.table  # it was a copy
    with pytest.raises(TypeError, match="not iterable"):
        iter(result)
    assert result.plot(ax) is ax
    rows = [tick.get_text() for tick in ax.get_yticklabels()]
    names = result[label] if label else result.table.index
    if label == "model":
        names = names.map(methods.title)
    assert sorted(rows) == sorted(names)
    own = result.plot()
    assert own is not ax and own.figure is not ax.figure
    plt.close(own.figure)


def test_judges_are_shown_in_part():
    many = repr(wmtlib.judges(VOTES))
    assert many.startswith("15 judges, least reliable first") and "..." in many


def test_rank_sets_has_ranks_and_intervals_beside_scores():
    sets = wmtlib.rank_sets(VOTES)
    assert [*sets.table] == [
        *("system", "rank", "score"),
        *("rank_low", "rank_high", "score_low", "score_high", "cluster"),
    ]
    assert sets.ranking.table["score"].equals(sets.table["score"])
    assert sets.table["score"].equals(wmtlib.rank(VOTES).table["score"])
    lines = wmtlib.clusters(VOTES)
    assert lines.order == [*sets.table["system"]] and lines.method == "expected-wins"
    assert lines.table["cluster"].equals(sets.table["cluster"])
    below = sets.table["cluster"].diff().fillna(0) > 0
    assert lines.table["line"].tolist() == [*below[1:], False]
    for function in (wmtlib.rank_sets, wmtlib.analyse):
        with data_error("no unit 'hit'; expected judge, segment, comparison"):
            function(VOTES, unit="hit")
    with data_error("got comparisons; expected a frame of direct assessments"):
        wmtlib.clusters(VOTES, rule="official")
