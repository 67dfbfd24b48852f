"""The command line from outside: what it prints, what it writes, what it refuses."""

import csv
import json
import os
import re
import subprocess
import sys

import pandas as pd
import pytest

from wmtlib.analysis import methods
from wmtlib.cli import main
from wmtlib.preference import model_registry
from wmtlib.releases import sources, storage
from wmtlib.releases.sources import ROOT

EXAMPLES = ROOT / "examples"
RELEASED = "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time"
QUICK = ["uniform", "wmt-official", "mfas"]  # models that take no time


def run(capsys, *arguments):
    code = main.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def asked(capsys, *arguments):
    """The answer as JSON."""
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out, parse_constant=pytest.fail)


def ranks(answer):
    """Rank of each system by each method."""
    return {m["method"]: {s["system"]: s["rank"] for s in m["systems"]} for m in answer["methods"]}


def command(*arguments, **settings):
    """Run as a program of its own."""
    kept = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "COLUMNS")}
    line = [sys.executable, "-m", "wmtlib", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, env=kept | settings)


@pytest.fixture
def write(tmp_path):
    """A pairwise file: lines of "winner loser" or "one = other"."""

    def write(*lines, judges=1):
        path = tmp_path / "judgements.csv"
        with open(path, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["a", "b", "outcome", "judge"])
            for k, (a, b, outcome) in enumerate(lines):
                rows.writerow([a, b, outcome, f"j{k % judges}"])
        return path

    return write


# x beats y twice, y beats z twice, z beats x once: one violated judgement, one optimal order.
CYCLE = [
    ("x", "y", "a"),
    ("y", "x", "b"),
    ("y", "z", "a"),
    ("y", "z", "a"),
    ("z", "x", "a"),
]


# --- rank ---------------------------------------------------------------------------------------


def test_a_ranking_of_a_cycle_worked_by_hand(capsys, write):
    path = write(*CYCLE)
    answer = asked(capsys, "rank", path, "--method", "mfas")
    assert ranks(answer) == {"mfas": {"x": 1, "y": 2, "z": 3}}
    (method,) = answer["methods"]
    assert method["violated_weight"] == 1
    assert method["certificate"] == {"lower_bound": 1, "optimal": True, "optimal_orders": 1}
    assert [row["score"] for row in method["systems"]] == [None] * 3
    assert [(row["best_rank"], row["worst_rank"]) for row in method["systems"]] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    code, out, err = run(capsys, "rank", path, "--method", "mfas")
    assert (code, err) == (0, "")
    assert (
        "mfas ranks x first." in out and "Violated weight: 1 of 5" in out and "Proven least;" in out
    )
    assert re.search(r"^x +1 ", out, re.M) and re.search(r"^z +3 ", out, re.M)


def test_ties_at_the_top_are_named(capsys, write):
    path = write(("x", "y", "tie"), ("x", "z", "a"), ("y", "z", "a"))
    _, out, _ = run(capsys, "rank", path, "--method", "soccer")
    assert "soccer ranks x and y (tied) first." in out
    assert re.search(r"^x +1–2 ", out, re.M) and re.search(r"^y +1–2 ", out, re.M)


@pytest.mark.parametrize("name", ["rankings", "pairwise", "assessments"])
def test_the_examples_are_ranked_with_everything(capsys, name, tmp_path):
    path, folder = EXAMPLES / f"{name}.csv", tmp_path / "out"
    options = ["--bootstrap", "50", "--out", folder]
    code, out, err = run(capsys, "rank", path, *options)
    assert code == 0 and err == f"Written: {folder / 'index.html'}\n"
    assert "\x1b" not in out and out.count("…") <= 2  # the order, a cluster
    assert all(line == line.rstrip() for line in out.splitlines())
    unit = "worker" if name == "assessments" else "judge"
    last = out.splitlines()[-1]
    assert last.startswith(f"wmtlib rank|data={storage.file_sha256(path)[:8]}|kind={name}|")
    assert f"|resamples=50|unit={unit}|" in last and "|seed=0|wmtlib=" in last
    assert re.search(r"^system +rank +score +rank_low +rank_high ", out, re.M)
    assert not re.search(r"^above +below ", out, re.M)  # the table of all pairs is for files
    answer = asked(capsys, "rank", path, *options[:2])
    first, *others = answer["methods"]
    size = len(first["systems"])
    assert all(len(method["systems"]) == size for method in others)
    if name == "assessments":
        assert answer["cluster_method"] == "rank-sum"
        assert len(answer["pairs"]) == size * (size - 1) // 2
    else:
        assert answer["cluster_method"] == "rank-ranges" and answer["pairs"] is None
    assert (answer["unit"], answer["n_resamples"]) == (unit, 50)
    assert all(s["low"] <= s["rank"] <= s["high"] and s["cluster"] for s in first["systems"])
    page = (folder / "index.html").read_text()
    assert last.replace("&", "&amp;") in page
    written = {path.suffix for path in folder.iterdir()}
    assert written == {".csv", ".png", ".svg", ".html"}


def test_every_method_on_one_small_file(capsys, write):
    path = write(*CYCLE, ("x", "z", "tie"), ("y", "x", "a"))
    found = ranks(asked(capsys, "rank", path, "--method", "all"))
    names = [name for name, method in methods.METHODS.items() if method.kind == "counts"]
    usual = ["expected-wins", "bradley-terry", "mfas"]
    assert [*found] == [*usual, *(name for name in names if name not in usual)]
    for name in names:
        alone = asked(capsys, "rank", path, "--method", name)
        assert ranks(alone)[name] == found[name]
        batched = methods.METHODS[name].scores is not None
        assert alone["cluster_method"] == ("rank-ranges" if batched else "sign-test")
    assert [*ranks(asked(capsys, "rank", EXAMPLES / "assessments.csv"))] == ["z-score", "raw-score"]


def test_a_method_that_does_not_apply_is_left_out_unless_it_was_asked_for(capsys, write):
    path = write(*CYCLE, ("x", "w", "a"))  # w never won
    answer = asked(capsys, "rank", path, "--method", "all", "--seed", "3")
    warning = answer["warnings"][-1]
    assert warning.startswith("bradley-terry-half is left out: 'w' never won from the rest")
    code, out, err = run(capsys, "rank", path, "--method", "bradley-terry-half")
    assert (code, out) == (2, "") and "'w' never won from the rest" in err


def test_the_same_seed_gives_the_same_bytes(capsys, tmp_path):
    options = ["--method", "trueskill", "--bootstrap", "20", "--unit", "comparison"]
    line = ["rank", EXAMPLES / "pairwise.csv", *options, "--seed"]

    def once(name):
        folder = tmp_path / name
        code, text, _ = run(capsys, *line, 1, "--out", folder)
        assert code == 0
        return text, {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    one, again = once("one"), once("again")
    assert one[0] == again[0] and one[1].keys() == again[1].keys()
    assert not [name for name, data in one[1].items() if data != again[1][name]]
    assert one[0] != run(capsys, *line, 2)[1]


def test_the_unit_is_what_the_file_tells_apart(capsys, write):
    path = write(*CYCLE * 4, judges=5)
    for options, unit in [([], "judge"), (["--unit", "comparison"], "comparison")]:
        assert asked(capsys, "rank", path, "--bootstrap", "9", *options)["unit"] == unit
    path = EXAMPLES / "rankings.csv"
    for unit in ("ranking", "segment", "judge", "comparison"):
        answer = asked(capsys, "rank", path, "--bootstrap", "9", "--unit", unit)
        assert answer["unit"] == unit
    for unit in ("worker", "hit", "document", "segment"):
        answer = asked(
            capsys, "rank", EXAMPLES / "assessments.csv", "--bootstrap", "9", "--unit", unit
        )
        assert answer["unit"] == unit


# --- the reference ------------------------------------------------------------------------------

WITH_REFERENCE = [("_ref", "x", "a"), ("_ref", "y", "a"), ("y", "_ref", "a"), *CYCLE]


def test_the_reference_is_not_ranked_and_one_must_say_so(capsys, write):
    path = write(*WITH_REFERENCE)
    code, out, err = run(capsys, "rank", path)
    assert (code, out) == (2, "") and "say --reference _ref, or --reference ''" in err
    for options, said in [
        (["--method", "mfas"], "_ref (not ranked; comparisons with it do not count)"),
        (
            ["--method", "mfas", "--method", "wmt-official"],
            "_ref (not ranked; comparisons with it count for wmt-official only)",
        ),
    ]:
        answer = asked(capsys, "rank", path, "--reference", "_ref", *options)
        assert answer["reference"] == "_ref" and "reference=_ref" in answer["signature"]
        assert {*ranks(answer)["mfas"]} == set("xyz")
        assert (
            f"Reference: {said}\n" in run(capsys, "rank", path, "--reference", "_ref", *options)[1]
        )
    answer = asked(capsys, "rank", path, "--reference", "")
    assert {*ranks(answer)["mfas"]} == {"_ref", *"xyz"} and answer["reference"] is None


def test_compare_counts_the_reference_unless_it_is_named(capsys, write):
    path = write(*WITH_REFERENCE * 3)
    options = ["--model", "uniform", "--folds", "2"]
    out = run(capsys, "compare", path, *options)[1]
    assert "Reference: _ref (counts as a system)\n" in out
    out = run(capsys, "compare", path, *options, "--reference", "_ref")[1]
    assert "Reference: _ref (left out, with all comparisons with it)\n" in out


# --- stability and compare ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rankings", "pairwise", "assessments"])
def test_stability_of_the_examples(capsys, name, tmp_path):
    path = EXAMPLES / f"{name}.csv"
    code, out, _ = run(capsys, "stability", path, "--out", tmp_path / "out")
    assert code == 0 and "Leaving out a system changes the order of the others in" in out
    (found,) = asked(capsys, "stability", path)["methods"]
    size = len(found["removed"])
    assert len(found["systems"]) == size and len(found["neighbours"]) == size - 1
    names = {p.name for p in (tmp_path / "out").iterdir()}
    assert "index.html" in names and len(names) == 4


def test_stability_by_several_methods(capsys, write):
    path = write(*CYCLE)
    answer = asked(capsys, "stability", path, "--method", "mfas", "--method", "soccer")
    assert [method["method"] for method in answer["methods"]] == ["mfas", "soccer"]


@pytest.mark.parametrize("name", ["rankings", "pairwise", "assessments"])
def test_plan_of_the_examples(capsys, name, tmp_path):
    path = EXAMPLES / f"{name}.csv"
    code, out, _ = run(capsys, "plan", path, "--out", tmp_path / "out", "--bootstrap", "50")
    assert code == 0 and "pairs of neighbours are apart now. Judge next" in out
    assert "Taken for granted: further" in out
    answer = asked(capsys, "plan", path, "--more", "500", "--chance", "0.5", "--bootstrap", "50")
    assert (answer["more"], answer["chance"], answer["n_resamples"]) == (500, 0.5, 50)
    assert all(0 <= row["then"] <= 1 for row in answer["neighbours"])
    assert "index.html" in {p.name for p in (tmp_path / "out").iterdir()}


@pytest.mark.parametrize("name", ["rankings", "pairwise", "assessments"])
def test_judges_of_the_examples(capsys, name, tmp_path):
    path = EXAMPLES / f"{name}.csv"
    code, out, _ = run(capsys, "judges", path, "--out", tmp_path / "out")
    once = "no two workers judged the same outputs" if name == "assessments" else "Krippendorff's"
    out = " ".join(out.split())
    assert code == 0 and once in out and "Leaving out one judge changes the order" in out
    # The terminal shows who the judges are, files do not.
    written = "".join(p.read_text() for p in (tmp_path / "out").glob("*.csv"))
    assert name == "assessments" or ("judge-07" in out and "judge-07" not in written)
    answer = asked(capsys, "judges", path)
    assert len(answer["judges"]) == len({row["judge"] for row in answer["judges"]})


def test_judges_that_cannot_be_told_apart_are_one_line(capsys, write):
    code, out, err = run(capsys, "judges", write(("x", "y", "a"), ("x", "y", "b")))
    assert (code, out) == (2, "") and "tells no judges apart" in err
    assert len(err.splitlines()) == 1


def test_what_cannot_be_planned_is_one_line(capsys, write):
    path = write(("x", "y", "a"), ("x", "y", "b"), judges=2)
    for option, value, expected in [
        ("--more", "0", "more is 0"),
        ("--chance", "2", "chance 2.0"),
        ("--unit", "hit", "has no unit 'hit'"),
        ("--bootstrap", "1", "1 resample(s)"),
    ]:
        code, out, err = run(capsys, "plan", path, option, value)
        assert (code, out) == (2, "") and expected in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("unit", ["comparison", "judge", "segment"])
def test_compare_by_unit(capsys, unit):
    options = [word for model in QUICK for word in ("--model", model)]
    path = EXAMPLES / "pairwise.csv"
    answer = asked(capsys, "compare", path, *options, "--unit", unit, "--folds", "3")
    found = answer["models"]
    assert {row["model"] for row in found} == set(QUICK)
    assert found[-1]["model"] == "uniform" and found[-1]["perplexity"] == pytest.approx(3)
    assert f"|unit={unit}|folds=3|" in answer["signature"]


def test_compare_of_rankings_prints_and_writes(capsys, tmp_path):
    options = [word for model in QUICK for word in ("--model", model)]
    folder = tmp_path / "out"
    code, out, _ = run(capsys, "compare", EXAMPLES / "rankings.csv", *options, "--out", folder)
    assert code == 0 and re.search(r"^uniform +3\.000 +0\.000 ", out, re.M)
    assert {p.name for p in folder.iterdir()} == {
        "index.html",
        "held-out-perplexity-models.csv",
        *(f"held-out-perplexity-perplexities.{kind}" for kind in ("png", "svg")),
    }


# --- campaigns of the package -------------------------------------------------------------------


def test_a_campaign_of_the_package_instead_of_a_file(capsys):
    answer = asked(capsys, "rank", "simulated-sr-dc:qa-qb", "--bootstrap", "5")
    assert answer["task"] == "qa-qb"
    assert (answer["file"], answer["rows"]) == ("simulated-sr-dc:qa-qb", 4000)
    assert len(ranks(answer)["z-score"]) == 6
    assert asked(capsys, "stability", "simulated-sr-dc:qa-qb")["methods"][0]["removed"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["rank", "simulated-sr-dc:qa-qb", "--task", "qa-qb"],
            "--kind, --task, --column and the like",
        ),
        (["rank", "simulated-sr-dc:xx-yy"], "no simulated pair 'xx-yy'"),
        (["rank", "wmt99:de-en"], "no campaign 'wmt99'"),
        (["rank", "wmt99:de-en"], "are listed by wmtlib campaigns"),
        (["compare", "simulated-sr-dc:qa-qb"], "holds assessments; compare needs"),
    ],
)
def test_campaigns_that_cannot_be_had(capsys, arguments, expected):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "") and expected in err and len(err.splitlines()) == 1


def test_a_file_of_z_scores_is_refused_with_advice(capsys, tmp_path):
    path = tmp_path / "ad-deen-good-stnd.csv"
    path.write_text(f"{RELEASED}\nH W de en ad 1 A 1 SYSTEM 1 -0.97 6\n")
    code, out, err = run(capsys, "rank", path)
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
    assert "holds z-scores; expected scores from 0 to 100" in err and "wmt22:de-en" in err


# --- refusals -----------------------------------------------------------------------------------

PAIRWISE, ASSESSED = EXAMPLES / "pairwise.csv", EXAMPLES / "assessments.csv"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "required: command"),
        (["rank"], "required: file"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
        (["rank", PAIRWISE, "--frob"], "unrecognized arguments: --frob (see wmtlib rank --help)"),
        (["rank", "no/such/file.csv"], "no/such/file.csv: no such file"),
        (["rank", PAIRWISE, "--method", "best"], "no method 'best'; expected wmt-official"),
        (["rank", PAIRWISE, "--method", "z-score"], "z-score does not rank counts"),
        (["rank", ASSESSED, "--method", "mfas"], "mfas does not rank assessments"),
        (["rank", PAIRWISE, "--unit", "page", "--bootstrap", "9"], "has no unit 'page'"),
        (["rank", PAIRWISE, "--kind", "page"], "kind is 'page'; expected one of rankings"),
        (["rank", PAIRWISE, "--correction", "page"], "correction is 'page'; expected"),
        (
            ["rank", PAIRWISE, "--clusters", "rank-sum"],
            "expected rank-ranges, sign-test",
        ),
        (["rank", PAIRWISE, "--unit", "ranking", "--bootstrap", "9"], "has no unit 'ranking'"),
        (["rank", ASSESSED, "--unit", "ranking", "--bootstrap", "9"], "has no unit 'ranking'"),
        (["rank", ASSESSED, "--unit", "segment"], "say --bootstrap N, or --clusters rank-ranges"),
        (["rank", PAIRWISE, "--robust", "--method", "trueskill"], "--robust: not for trueskill"),
        (["rank", PAIRWISE, "--bootstrap", "1"], "expected two resamples or more"),
        (["rank", PAIRWISE, "--bootstrap", "-1"], "expected a whole number"),
        (["rank", PAIRWISE, "--bootstrap", "³"], "expected a whole number"),
        (
            ["rank", PAIRWISE, "--bootstrap", "9", "--method", "irt-gaussian"],
            "irt-gaussian takes too long",
        ),
        (["rank", PAIRWISE, "--reference", "human"], "no system 'human' to be the reference"),
        (["rank", PAIRWISE, "--column", "wing=x"], "no role 'wing'"),
        (["rank", PAIRWISE, "--column", "a"], "--column 'a': expected NAME=NAME, such as a=left"),
        (["rank", PAIRWISE, "--task", "cs-en"], "task"),
        (["rank", PAIRWISE, "--kind", "rankings"], "pairwise.csv"),
        (["rank", PAIRWISE, "--time-limit", "nan"], "expected a number of seconds"),
        (["stability", PAIRWISE, "--method", "best"], "no method 'best'"),
        (["compare", ASSESSED], "holds assessments; compare needs comparisons or rankings"),
        (["compare", PAIRWISE, "--model", "best"], "no model 'best'"),
        (["compare", PAIRWISE, "--folds", "16", "--unit", "judge"], "cannot be dealt to 16 folds"),
        (["compare", PAIRWISE, "--folds", "1"], "1 fold(s)"),
        (["compare", PAIRWISE, "--unit", "ranking"], "has no unit 'ranking'"),
        (["compare", PAIRWISE, "--reference", "human"], "no system 'human'"),
        (["data", "--source", "moon"], "source is 'moon'; expected auto, mirror"),
    ],
)
def test_refusals_are_one_line_and_exit_code_2(capsys, arguments, expected):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("wmtlib: ") and expected in err and len(err.splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_computed(
    capsys, tmp_path, write
):
    path = write(*CYCLE)
    code, out, err = run(capsys, "rank", path, "--out", path / "deep" / "er")
    assert (code, out) == (2, "") and len(err.splitlines()) == 1
    assert f"{path / 'deep' / 'er'}: cannot be written" in err and "is not a folder" in err
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_file_and_a_folder_of_several_tasks(capsys, tmp_path):
    path = tmp_path / "tasks.csv"
    rows = ["a,b,outcome,task", "x,y,a,one", "y,x,a,two", "y,x,a,two", "z,x,b,two"]
    path.write_text("\n".join(rows) + "\n")
    code, out, err = run(capsys, "rank", path)
    assert (code, out) == (2, "") and "'one', 'two'" in err and len(err.splitlines()) == 1
    answer = asked(capsys, "rank", path, "--task", "two", "--method", "mfas")
    assert answer["task"] == "two" and "|task=two|" in answer["signature"]
    assert [*ranks(answer)["mfas"]] == ["y", "x", "z"]


# --- as a program -------------------------------------------------------------------------------


def test_the_help_names_every_method_model_unit_and_route(capsys):
    def help_of(name):
        with pytest.raises(SystemExit) as left:
            main.main([name, "--help"])
        assert left.value.code == 0
        return " ".join(capsys.readouterr().out.split())

    assert "wmt12:cs-en" in help_of("plan")
    assert "list what can be ranked without a file" in help_of("campaigns")
    for name in ("rank", "stability"):
        assert all(f" {method}" in help_of(name) for method in methods.METHODS)
        assert "wmt12:cs-en" in help_of(name)
    assert all(model in help_of("compare") for model in model_registry.MODELS)
    assert all(route in help_of("data") for route in sources.ROUTES)


def loaded(*arguments):
    """Names of the modules that a command loads."""
    line = [sys.executable, "-X", "importtime", "-m", "wmtlib", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True)
    return set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.M))


def test_commands_load_no_more_than_they_need(write):
    """Seconds that people wait; each package beside pandas costs a tenth of one, or more."""
    assert not {"numpy", "pandas", "duckdb"} & loaded("--version")
    assert not {"numpy", "pandas", "duckdb"} & loaded("--help")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import numpy, pandas, duckdb"],
        capture_output=True,
        text=True,
    )
    usual = set(re.findall(r"\| +(\S+)$", done.stderr, re.M))
    refused = loaded("rank", write(("x", "x", "a"))) - usual
    assert "wmtlib.yours.read" in refused and len(refused) < 90
    # By prefix: what a package loads lazily is not reported itself, only what that imports.
    heavy = ("scipy.special", "scipy.sparse", "matplotlib", "jinja2", "pooch")
    assert not [name for name in refused if name.startswith(("scipy", *heavy))]
    ranking = loaded("rank", PAIRWISE)
    assert "wmtlib.analysis.ranking_answer" in ranking
    assert not [name for name in ranking if name.startswith(heavy)]


def test_as_a_program_without_a_screen_and_without_unicode(write, tmp_path):
    names = ["系统", "$\\frac{1$", "z"]
    path = write(*[(a, b, "a") for a in names for b in names if a != b])
    settings = {"MPLBACKEND": "TkAgg", "DISPLAY": "", "PYTHONIOENCODING": "ascii"}
    done = command("rank", path, "--out", tmp_path / "out", **settings)
    written, *warnings = done.stderr.splitlines()
    assert (done.returncode, written) == (0, f"Written: {tmp_path / 'out' / 'index.html'}")
    assert all("no installed font has \\u7cfb\\u7edf" in warning for warning in warnings)
    assert "\\u7cfb\\u7edf" in done.stdout and "\x1b" not in done.stdout


def test_a_reader_that_stops_early_is_no_error():
    line = f"{sys.executable} -m wmtlib rank {PAIRWISE} --json --method soccer | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    assert done.stderr == ""


def test_stopping_it_is_no_traceback(capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("wmtlib.yours.read.read", stopped)
    assert run(capsys, "rank", PAIRWISE) == (130, "", "wmtlib: interrupted\n")


# --- real files ---------------------------------------------------------------------------------


@pytest.mark.realdata
def test_wmt10_french_english_is_what_the_notebook_says(capsys, mirror):
    path = mirror / "alopez/wmt-ranking/raw_data/wmt10/data_RNK.csv"
    names = ("wmt-official", "heuristic2", "bojar", "mfas")
    options = [word for name in names for word in ("--method", name)]
    options += ["--reference", "_ref", "--task", "French,English"]
    found = asked(capsys, "rank", path, *options)["methods"]
    label = "2010 French-English"
    weights = pd.read_csv(ROOT / "results/lopez2012-violated-weight.csv", index_col="label")
    violated = {row["method"]: row["violated_weight"] for row in found}
    assert violated == {name: weights.loc[label, name] for name in names}
    assert violated["mfas"] == 61
    theirs = pd.read_csv(ROOT / "results/lopez2012-rankings.csv").query("label == @label")
    for name, method in zip(names, found, strict=True):
        one, other = pd.DataFrame(method["systems"]), theirs[theirs["method"] == name]
        assert [*one["system"]] == [*other["system"]]
        assert [*one["rank"]] == [*other["rank"]]
        if name == "mfas":
            assert [*one["best_rank"]] == [*other["best"]]
            assert [*one["worst_rank"]] == [*other["worst"]]
        else:
            assert one["score"].to_numpy(float) == pytest.approx(
                other["score"].to_numpy(), abs=1e-6
            )


@pytest.mark.realdata
def test_wmt12_holds_eight_tasks(capsys, mirror):
    path = mirror / "alopez/wmt-ranking/raw_data/wmt12/wmt12.RNK_results.csv"
    code, _, err = run(capsys, "rank", path)
    assert code == 2 and "holds 8 tasks" in err
    answer = asked(
        capsys, "rank", path, "--task", "Czech,English", "--bootstrap", "20", "--method", "mfas"
    )
    assert answer["methods"][0]["systems"][0]["low"] == 1 and len(ranks(answer)["mfas"]) == 6


@pytest.mark.realdata
def test_wmt22_by_its_campaign_and_not_by_its_z_scores(capsys, mirror):
    folder = mirror / "wmt-conference/wmt22-news-systems/humaneval/DA/newstest2022-toen"
    code, _, err = run(capsys, "rank", folder / "ad-deen-good-stnd-redup.csv")
    assert code == 2 and "as in wmt22:de-en" in err and len(err.splitlines()) == 1
    assert len(asked(capsys, "stability", "wmt22:de-en")["methods"][0]["removed"]) == 10


@pytest.mark.realdata
def test_the_released_file_of_facebooks_campaign(capsys, mirror):
    path = mirror / "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021"
    path = path / "ad-latest.csv"
    code, _, err = run(capsys, "rank", path)
    assert code == 2 and "'bn-hi', 'hi-bn', 'xh-zu', 'zu-xh'" in err
    assert len(ranks(asked(capsys, "rank", path, "--task", "xh-zu"))["z-score"]) == 6
