"""The command line from outside: what it prints, what it writes, what it refuses."""

import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from examples import EXAMPLES, KINDS
from wmtlib import cli
from wmtlib.core.errors import DataError
from wmtlib.files import carried_counts
from wmtlib.methods import METHODS, MODELS
from wmtlib.report import answers, show

PAIRWISE = EXAMPLES / "pairwise.csv"
ASSESSED = [EXAMPLES / "assessments.csv", "--scale", "0,100"]
FILES = {  # with what they do not declare
    "rankings": [EXAMPLES / "rankings.csv"],
    "pairwise": [PAIRWISE],
    "assessments": ASSESSED,
}


@pytest.fixture
def blank_pictures(monkeypatch):
    """Pictures that are not drawn, for tests of the page that holds them."""
    monkeypatch.setattr(show.Picture, "draw", lambda picture, kind: b"<svg></svg>")


def run(capsys, *arguments):
    try:
        code = cli.main([str(argument) for argument in arguments])
    except SystemExit as left:
        code = left.code
    return code, *capsys.readouterr()


def printed(capsys, *arguments):
    """What a command prints, which says nothing else."""
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    return out


def asked(capsys, *arguments):
    """The answer as JSON."""
    text = printed(capsys, *arguments, "--json")
    return json.loads(text, parse_constant=pytest.fail)


def refused(capsys, *arguments):
    """What a command says that prints nothing."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, ""), arguments
    return err


@pytest.fixture
def write(tmp_path):
    """A file of comparisons: tuples of a, b and outcome."""

    def write(*lines, judges=1):
        path = tmp_path / "judgements.csv"
        with open(path, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["a", "b", "outcome", "judge"])
            rows.writerows([*line, f"j{k % judges}"] for k, line in enumerate(lines))
        return path

    return write


# x beats y twice, y beats z twice, z beats x once: one violated judgement, one optimal
# order.
CYCLE = [
    ("x", "y", "a"),
    ("y", "x", "b"),
    ("y", "z", "a"),
    ("y", "z", "a"),
    ("z", "x", "a"),
]


# --- rank -----------------------------------------------------------------------------


def test_rank_of_a_cycle_by_hand(capsys, write):
    path = write(*CYCLE)
    answer = asked(capsys, "rank", path, "--method", "mfas")
    assert [row["system"] for row in answer["tables"]["ranking"]] == [*"xyz"]
    (method,) = answer["tables"]["methods"]
    assert (method["violated"], method["lower_bound"], method["optimal_orders"]) == (
        1,
        1,
        1,
    )
    assert [row["best_rank"] for row in answer["tables"]["rankings"]] == [1, 2, 3]


@pytest.mark.parametrize("name", KINDS)
def test_rank_of_each_example_with_all_options(capsys, name, tmp_path, blank_pictures):
    page = tmp_path / "page.html"
    unit = "worker" if name == "assessments" else "judge"
    options = ["--unit", unit, "--html", page, "--full", "--seed", "3"]
    code, out, err = run(capsys, "rank", *FILES[name], *options)
    assert code == 0 and err == f"Written: {page}\n"
    last = out.splitlines()[-1]
    assert last.startswith("wmtlib rank|data=") and f"|units={unit}|" in last
    points = " +mean points" if name == "assessments" else ""
    assert re.search(rf"^rank +ranks +system +score +95 %{points} +n$", out, re.M)
    assert "\x1b" not in out and "Pairs: of those with corrected below .05" in out
    text = page.read_text()
    assert last.replace("&", "&amp;") in text and str(tmp_path) not in text
    assert f"wmtlib rank {Path(FILES[name][0]).name} " in text
    assert "--html page.html --full" in text


def test_rank_with_one_seed_writes_the_same_bytes(capsys, tmp_path, write):
    options = ["--method", "trueskill", "--unit", "comparison"]
    page = tmp_path / "page.html"
    line = ["rank", write(*CYCLE * 9), *options, "--html", page, "--seed"]

    def once(seed):
        code, text, _ = run(capsys, *line, seed)
        assert code == 0
        return text, page.read_bytes()

    assert (first := once(1)) == once(1)
    assert first[0] != once(2)[0]


# --- what is taken along --------------------------------------------------------------


def test_format_prints_the_ranking_as_markdown_latex_and_csv(capsys, write):
    line = ["rank", write(*CYCLE * 9), "--method", "soccer", "--format"]
    markdown = printed(capsys, *line, "markdown").splitlines()
    assert markdown[0].split()[1:6:2] == ["rank", "ranks", "system"]
    assert len(markdown) == 5
    latex = printed(capsys, *line, "latex")
    assert "\\toprule" in latex and "1–3" in latex and latex.count("\\\\") == 4
    assert "invalid choice: 'html'" in refused(capsys, *line, "html")
    header, *rows = csv.reader(printed(capsys, *line, "csv").splitlines())
    assert header[:4] == ["system", "rank", "score", "points"]
    assert [row[:2] for row in rows] == [["x", "1"], ["y", "2"], ["z", "3"]]


def test_rank_of_eight_systems_is_a_sentence_a_table_and_thirty_lines(capsys):
    lines = printed(capsys, "rank", PAIRWISE).splitlines()
    assert len(lines) <= 30
    assert lines[0] == "simulated-B comes first of 8 systems. No other may be first."
    assert lines[3].split() == ["rank", "ranks", "system", "score", "95", "%", "n"]
    (row,) = [line.split() for line in lines if re.match(r" +1 ", line)]
    assert row == ["1", "1", "simulated-B", "0.94", "+0.02/-0.03", "404"]
    explained = " ".join(lines[lines.index("", 2) :])
    assert "cluster:" not in explained and "range:" not in explained
    assert lines[-1].startswith("To repeat: seed 0, data a22d9d6d, wmtlib ")
    full = printed(capsys, "rank", PAIRWISE, "--full").splitlines()
    assert len(full) > len(lines) and "Ranks by every method" in full
    assert full[-1].startswith("wmtlib rank|data=a22d9d6d|")


def test_rank_of_many_systems_fits_a_screen(capsys, write):
    names = [f"s{k:02d}" for k in range(60)]
    rows = [(a, b, "a") for k, a in enumerate(names) for b in names[k + 1 :]]
    path = write(*rows, (names[-1], names[0], "a"))  # nobody wins, or loses, all
    lines = printed(capsys, "rank", path, "--method", "soccer").splitlines()
    assert len(lines) <= 50 and any("... 52 more rows" in line for line in lines)
    assert max(map(len, lines[:-1])) <= 100


# --- the reference --------------------------------------------------------------------

WITH_REFERENCE = [("_ref", "x", "a"), ("_ref", "y", "a"), ("y", "_ref", "a"), *CYCLE]


def test_rank_asks_about_the_reference_and_leaves_it_out(capsys, write):
    path = write(*WITH_REFERENCE)
    said = refused(capsys, "rank", path)
    assert "say --reference _ref, or --reference ''" in said
    for methods, said in [
        (["mfas"], "_ref (not ranked; comparisons with it do not count)"),
        (["mfas", "wmt-official"], "comparisons with it count for wmt-official only)"),
    ]:
        chosen = [word for name in methods for word in ("--method", name)]
        out = printed(capsys, "rank", path, "--reference", "_ref", *chosen)
        assert said in out and not re.search("^_ref ", out, re.M)
    answer = asked(capsys, "rank", path, "--reference", "")
    systems = {row["system"] for row in answer["tables"]["ranking"]}
    assert systems == {"_ref", *"xyz"} and answer["reference"] is None


# --- stability, judges, compare -------------------------------------------------------


@pytest.mark.parametrize("name", ["pairwise", "assessments"])
def test_stability_and_judges_of_each_example(capsys, name, tmp_path, blank_pictures):
    page = tmp_path / "page.html"
    code, out, _ = run(capsys, "stability", *FILES[name], "--html", page)
    assert code == 0 and "order" in out.splitlines()[0] and "removed" in out
    for ids in ([], ["--show-ids"]):  # over the former page
        line = ["judges", *FILES[name], *ids, "--html", page]
        code, out, _ = run(capsys, *line)
        text = page.read_text()
        assert code == 0 and out.splitlines()[0][:60] in text
        assert "download='judges.csv'" in text
        if name == "pairwise":  # the terminal shows who the judges are
            assert "judge-07" in out and ("judge-07" in text) == bool(ids)


def test_compare_writes_a_page(capsys, tmp_path, blank_pictures):
    page = tmp_path / "page.html"
    line = ["compare", PAIRWISE, "--model", "uniform", "--model", "heuristic2"]
    assert run(capsys, *line, "--html", page)[0] == 0
    assert "download='models.csv'" in page.read_text()


# --- how a file is to be read, tasks, campaigns ---------------------------------------


@pytest.fixture
def two_tasks(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text(
        "model_a,model_b,winner,lp\nX,Y,left,de-en\nX,Z,left,de-en\nY,X,left,en-de\nZ,X,meh,en-de\n"
    )
    return path


def test_rank_of_all_tasks_answers_and_sums_up_each(
    capsys, two_tasks, tmp_path, blank_pictures
):
    options = ["--method", "soccer", "--outcome", "meh=skip", "--task", "all"]
    out = printed(capsys, "rank", two_tasks, *options)
    assert out.count("Task: ") == 2
    *_, head, first, second = out.splitlines()
    assert head == "Summary of all tasks"
    unknown = "systems; how sure that is is not known."
    assert first == f"de-en: X comes first of 3 {unknown}"
    assert second == f"en-de: Y comes first of 2 {unknown}"
    assert len(asked(capsys, "rank", two_tasks, *options)) == 2
    text = printed(capsys, "rank", two_tasks, *options, "--format", "csv")
    rows = [*csv.DictReader(text.splitlines())]
    assert [row["task"] for row in rows] == ["de-en"] * 3 + ["en-de"] * 2
    text = printed(capsys, "rank", two_tasks, *options, "--format", "markdown")
    assert text.split()[:4] == ["|", "task", "|", "rank"]
    assert len(text.splitlines()) == 7
    page = tmp_path / "page.html"
    code, _, err = run(capsys, "rank", two_tasks, *options, "--html", page)
    assert (code, err) == (0, f"Written: {page}\n")
    assert page.read_text().count("<h2 id='task-") == 2


def test_rank_of_a_campaign_needs_no_file(capsys):
    names = printed(capsys, "campaigns").split()
    assert {"wmt12:cs-en", "wmt11:cs-en-syscomb"} <= {*names}
    expected = carried_counts.load_counts("wmt12", "cs-en")
    found = carried_counts.load_campaign("wmt12:cs-en")
    assert found.counts.wins.equals(expected.wins) and found.units == ()
    answer = asked(capsys, "rank", "wmt12:cs-en")
    about = [answer[name] for name in ("task", "file", "rows")]
    assert about == ["cs-en", "wmt12:cs-en", expected.comparisons]
    first = answer["warnings"][0]
    assert first["code"] == "carried_counts"
    assert "know no judges and no sentences; in a checkout" in first["text"]
    assert "python -m study rank wmt12:cs-en reads the raw files" in first["text"]
    text = printed(capsys, "rank", "wmt12:cs-en", "--method", "soccer")
    said = " ".join(text.split())
    assert "Warning: the counts that the package carries" in said
    assert said.index("Warning: ") == said.index("Warning: the counts that")


@pytest.mark.parametrize("folder", ["", "/nowhere"])
def test_campaigns_are_carried_counts_whatever_the_mirror(folder, monkeypatch):
    monkeypatch.setenv("WMTLIB_DATA", folder)
    assert carried_counts.load_campaign("wmt12:cs-en").units == ()


def test_rank_of_a_raw_campaign_names_the_checkout(capsys):
    said = refused(capsys, "rank", "wmt22:de-en")
    assert said == (
        "wmtlib: wmt22:de-en: not one of the campaigns that the package carries; those"
        " of raw files, in a checkout of the repository: python -m study rank"
        " wmt22:de-en\n"
    )
    names = printed(capsys, "campaigns").split()
    assert "wmt16:ro-en" in names and "wmt22:de-en" not in names


# --- questions ------------------------------------------------------------------------

PAIRS = [("x", "y"), ("y", "z"), ("x", "z")] * 5  # the first one is better


def table(header, *columns):
    """The text of a file: a header, and columns of 15 cells."""
    rows = [header, *zip(*columns, strict=True)]
    return "\n".join(",".join(map(str, row)) for row in rows) + "\n"


FIRST, SECOND = zip(*PAIRS, strict=True)
JUDGES = [f"j{k % 4}" for k in range(15)]
SEGMENTS = [f"s{k // 3}" for k in range(15)]
SYSTEMS = [*"xyz"] * 5
SCORES = [80, 60, 40, 90, 70, 65, 55, 50, 30, 99, 80, 10, 60, 50, 45]
# A file, and each time that it is asked about what the capitals become.
# fmt: off
ASKED = {
    "a flag that selects": (
        table(["a", "b", "winner", "state"],
              FIRST, SECOND, "a" * 15, ["ok", "no"] * 7 + ["ok"]),
        [{"--column ROLE=state": "--rows state=ok"}],
    ),
    "languages, and words": (
        table(["a", "b", "winner", "locale"], FIRST, SECOND,
              ["better", "better", "worse"] * 5, ["de"] * 9 + ["fr"] * 6),
        [{"ROLE": "task"},
         {"better=MEANING": "better=a", "worse=MEANING": "worse=a", "TASK": "de"}],
    ),
    "scores of which 1 is the best, and cells without one": (
        table(["judge", "segment", "system", "points"], JUDGES, SEGMENTS, SYSTEMS,
              [*[100 - score for score in SCORES[:-1]], "NA"]),
        [{"ROLE": "score", "WORST": "99", "BEST": "0"}, {"VALUE": "NA"}],
    ),
    "penalties": (
        table(["segment", "system", "score"],
              SEGMENTS, SYSTEMS, [score - 100 for score in SCORES]),
        [{"WORST": "-100", "BEST": "0"}],
    ),
    "a column for each system": (
        table(["sentence", *"xyz"], range(5), SCORES[::3], SCORES[1::3], SCORES[2::3]),
        [{"--column ROLE=NAME": "", "LIST": "x,y,z", "CELLS": "score",
          "WORST": "0", "BEST": "100"}],
    ),
    "answers that were revised": (
        table(["judge", "segment", "a", "b", "outcome"],
              "j" * 15, "s" * 15, FIRST, SECOND, [*"b" * 3, *"a" * 12]),
        [{"WHICH": "last"}],
    ),
}
# fmt: on


@pytest.mark.parametrize("name", ASKED)
def test_last_line_of_a_question_is_a_command_with_capitals_to_replace(
    capsys, tmp_path, name
):
    text, replaced = ASKED[name]
    path = tmp_path / "my votes.csv"
    path.write_text(text)
    options = ["--method", "raw-score" if "score" in str(replaced) + text else "soccer"]
    words = ["rank", str(path), *options, "--json", "--min", "0"]
    for capitals in replaced:
        *_, last = refused(capsys, *words).splitlines()
        program, *copied = shlex.split(last)
        assert program == "wmtlib" and copied[: len(words)] == words
        assert len(refused(capsys, *copied).splitlines()) == 1  # nothing is asked anew
        for capital, word in capitals.items():
            assert capital in last
            last = last.replace(capital, word)
        words = shlex.split(last)[1:]
    code, out, err = run(capsys, *words)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert [row["system"] for row in answer["tables"]["ranking"]] == [*"xyz"]
    assert (
        answer["kind"] == "assessments" if "score" in str(replaced) else "comparisons"
    )


def test_a_question_about_a_file_behind_the_end_of_options(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.csv").write_text(ASKED["penalties"][0])
    last = refused(capsys, "rank", "--method", "raw-score", "--", "-x.csv")
    expected = "wmtlib rank --method raw-score ./-x.csv --scale WORST,BEST\n"
    assert last.endswith(expected)


def test_options_of_reading_reach_the_reader(capsys, tmp_path, monkeypatch):
    said = {}

    def read_tasks(file, tasks, **options):
        said.update(options, tasks=tasks)
        raise DataError("read")

    monkeypatch.setattr("wmtlib.files.read.read_tasks", read_tasks)
    words = "--kind rankings --task all --column task=lp --column task=domain"
    words += " --ignore x --ignore #3 --rows status=ok --rows status=late --rows a=b=c"
    words += " --outcome ==tie --outcome LEFT=a --scale -25,0 --missing= --missing 9"
    words += " --revisions last --joint keep --cells score --sheet A --header 3"
    words = [*words.split(), "--wide", 'system=alpha,"b, c"', "--outcome", "a b=skip"]
    refused(capsys, "rank", "x.csv", *words)
    assert said == {
        "kind": "rankings",
        "tasks": [],
        "column": {"task": ["lp", "domain"]},
        "ignore": ["x", "#3"],
        "rows": {"status": ["ok", "late"], "a": ["b=c"]},
        "outcome": {"=": "tie", "LEFT": "a", "a b": "skip"},
        "scale": (-25, 0),
        "missing": ["", "9"],
        "revisions": "last",
        "joint": "keep",
        "wide": {"system": ["alpha", "b, c"]},
        "cells": "score",
        "sheet": ["A"],
        "header": 3,
    }
    said.clear()
    refused(capsys, "rank", "x.csv", "--wide", "wins", "--task", "de")
    assert said == {"wide": "wins", "tasks": ["de"]}
    line = ["rank", "x.csv", "--outcome", "x=MEANING", "--outcome", "x=a"]
    assert "a word has two meanings" in refused(capsys, *line)


def test_answer_says_what_was_declared_and_left_out(capsys, tmp_path, blank_pictures):
    path = tmp_path / "scores.csv"
    head = ["rater", "segment", "system", "score", "lang", "state", "id"]
    states = ["ok"] * 14 + ["no"]
    columns = [JUDGES, SEGMENTS, SYSTEMS, SCORES, ["de"] * 15, states, range(15)]
    path.write_text(table(head, *columns))
    line = ["rank", path, "--scale", "0,100", "--rows", "state=ok"]
    line += ["--ignore", "lang,id"]
    answer = asked(capsys, *line)
    assert (answer["kind"], answer["rows"], answer["export"]) == ("assessments", 14, "")
    roles = {"judge": "rater", "system": "system", "segment": "segment"}
    assert answer["roles"] == {**roles, "score": "score"}
    assert answer["scale"] == [0, 100]
    assert answer["rows_left_out"] == {"rows of another state": 1}
    assert answer["left_out"] == {
        "state": "rows were chosen by it",
        "lang": "not used",
        "id": "not used",
    }
    text = printed(capsys, *line)
    for said in (
        "Columns: judge = 'rater', segment, system, score",
        "Scale: 0 is the worst, 100 is the best",
        "Columns left out: 'lang' (not used), 'state' (rows were chosen by it),"
        " 'id' (not used)",
        "Rows left out: 1 rows of another state",
    ):
        assert f"\n{said}\n" in text
    page = tmp_path / "page.html"
    assert run(capsys, *line, "--html", page)[0] == 0
    said = "<dt>Scale</dt><dd>0 is the worst, 100 is the best</dd>"
    assert said in page.read_text()


# --- refusals -------------------------------------------------------------------------


REFUSED = [
    ([], "required: command"),
    (["frobnicate"], "invalid choice: 'frobnicate'"),
    (
        ["rank", PAIRWISE, "--frob"],
        "unrecognized arguments: --frob (see wmtlib --help)",
    ),
    (["rnak"], "'campaigns'); did you mean 'rank'? (see"),
    (["rank", PAIRWISE, "--sede", "1"], "; did you mean '--seed'? (see"),
    (["rank", PAIRWISE, "--elo=s=x"], "invalid elo value: 's=x' (see"),
    (["rank", PAIRWISE, "--elo=s"], "expected two words, such as left=a, not 's'"),
    (["diff"], "invalid choice: 'diff'"),
    (["rank", PAIRWISE, "--unit", "hit"], "/pairwise.csv: no unit 'hit'; expected jud"),
    (["rank", PAIRWISE, "--reference", "x"], "pairwise.csv: no system 'x'; expected "),
    (
        ["compare", PAIRWISE, "--unit", "ranking"],
        "/pairwise.csv: no unit 'ranking'; expected comparison",
    ),
    (["compare", *ASSESSED], "/assessments.csv: holds assessments; compare needs"),
    *[
        (["rank", PAIRWISE, name, "x"], f"unrecognized arguments: {name} x (see")
        for name in ("--bootstrap", "--robust", "--folds", "--out", "--anchor")
    ],
    (["rank", PAIRWISE, "--min", "³"], "expected a whole number"),
    (
        ["rank", PAIRWISE, "--column", "a"],
        "expected two words, such as left=a, not 'a'",
    ),
    (["rank", PAIRWISE, "--time-limit", "nan"], "invalid seconds value: 'nan'"),
    (["rank", *ASSESSED, "--scale", "5"], "expected WORST,BEST, such as 0,100, or 5,1"),
    (["rank", PAIRWISE, "--skip-bad"], "unrecognized arguments: --skip-bad (see"),
    (["rank", PAIRWISE, "--columns", "a=x"], "did you mean '--column'? (see"),
    (["rank", "wmt12:cs-en", "--task", "x"], "--kind, --task, --column and the like"),
    (["rank", PAIRWISE, "--html", PAIRWISE / "x.html"], "is not a folder, or is prot"),
    (["rank", "nothing.csv", "--html", PAIRWISE], "pairwise.csv: is no page of wmtlib"),
    (["rank", PAIRWISE, "--html", ""], ".: is no page of wmtlib; choose another name"),
]


def test_refusals_are_one_line_with_exit_code_2(capsys):
    for arguments, expected in REFUSED:
        said = refused(capsys, *arguments)
        assert said.startswith("wmtlib: ") and expected in said
        assert len(said.splitlines()) == 1


# --- as a program ---------------------------------------------------------------------


def help_of(capsys, name):
    with pytest.raises(SystemExit) as left:
        cli.main([name, "--help"])
    assert left.value.code == 0
    return " ".join(capsys.readouterr().out.split())


def test_help_names_every_method_model_and_route(capsys):
    ranking = [name for name, method in METHODS.items() if method.kind != "model"]
    text = help_of(capsys, "rank")
    assert all(f" {method}" in text for method in ranking)
    assert "wmt12:cs-en" in text and "wmt12:cs-en" in help_of(capsys, "judges")
    assert all(model in help_of(capsys, "compare") for model in MODELS)


def test_options_are_in_three_groups_and_few_enough_to_read(capsys):
    for command, most in (("rank", 28), ("stability", 26), ("compare", 24)):
        text = help_of(capsys, command)
        titles = ["what is read: file", "how it is ranked:", "what is written:"]
        places = [text.index(title) for title in titles]
        assert places == sorted(places)
        assert (
            len({*re.findall(r"--[a-z-]+", text.split(" files are read")[0])}) <= most
        )


def test_elo_takes_a_rating_and_leaves_the_file(capsys, monkeypatch):
    asked = []

    def answer(judgements, elo=False, **_):
        asked.append((judgements.systems[0], elo))
        raise DataError("asked")

    answer.__annotations__["elo"] = object
    monkeypatch.setattr(answers, "QUESTIONS", {"rank": (answer, answer)})
    for words in (
        ["--elo", PAIRWISE],
        [PAIRWISE, "--elo"],
        ["--elo", "--seed", "1", PAIRWISE],
        ["--elo", "simulated-B=1000", PAIRWISE],
        [PAIRWISE, "--elo", "a=b=-1.5"],
        ["--elo=x=7", PAIRWISE],
    ):
        refused(capsys, "rank", *words)
    ratings = [True] * 3 + [("simulated-B", 1000.0), ("a=b", -1.5), ("x", 7.0)]
    assert asked == [("simulated-A", rating) for rating in ratings]


def loaded(*arguments):
    """Names of the modules that a command loads."""
    line = [sys.executable, "-X", "importtime", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True)
    return set(re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.M))


@pytest.mark.slow
def test_commands_load_only_the_modules_they_need(write):
    """Seconds that people wait; each package beside pandas costs a tenth of one, or
    more.
    """
    assert not {"numpy", "pandas", "duckdb"} & loaded("-m", "wmtlib", "--help")
    refused = loaded("-m", "wmtlib", "rank", write(("x", "x", "a")))
    assert "wmtlib.files.read" in refused and "duckdb" not in refused
    # By prefix: what a package loads lazily is not reported itself, only what that
    # imports.
    heavy = ("scipy.stats", "matplotlib", "seaborn", "jinja2", "pooch", "study")
    ranking = loaded("-m", "wmtlib", "rank", PAIRWISE)
    assert "wmtlib.report.answers" in ranking
    assert not [name for name in ranking | refused if name.startswith(heavy)]


@pytest.mark.slow
def test_rank_into_a_closed_or_full_output_is_one_line():
    full = "wmtlib: cannot write: No space left"
    closed = "wmtlib: the standard output is closed"
    for output, said in [("--json | true", ""), ("> /dev/full", full), (">&-", closed)]:
        line = f"{sys.executable} -m wmtlib rank {PAIRWISE} --method soccer {output}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
        assert done.stderr.startswith(said) and len(done.stderr.splitlines()) == bool(
            said
        )
        assert done.returncode == (2 if said else 0)


def test_rank_asks_about_a_system_called_tie(capsys, tmp_path):
    votes = tmp_path / "votes.csv"
    rows = ["tie,y,tie", "tie,z,tie", "y,z,y"] * 20
    votes.write_text("\n".join(["a,b,winner", *rows]))
    assert refused(capsys, "rank", votes).endswith(" --outcome tie=MEANING\n")
    answer = asked(capsys, "rank", votes, "--outcome", "tie=tie", "--method", "soccer")
    assert answer["tables"]["ranking"][0]["system"] == "y"


def test_rank_interrupted_prints_no_traceback(capsys, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("wmtlib.files.read.read_tasks", stopped)
    assert run(capsys, "rank", PAIRWISE) == (130, "", "wmtlib: interrupted\n")


def test_rank_stopped_while_it_writes_leaves_the_old_page(
    capsys, tmp_path, write, monkeypatch, blank_pictures
):
    page = tmp_path / "out" / "page.html"
    page.parent.mkdir()
    line = ["rank", write(*CYCLE * 9), "--html", page, "--method"]
    assert run(capsys, *line, "soccer")[0] == 0
    before = page.read_bytes()

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", stopped)
    assert run(capsys, *line, "net-wins") == (130, "", "wmtlib: interrupted\n")
    assert [*page.parent.iterdir()] == [page] and page.read_bytes() == before
