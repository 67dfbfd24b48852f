"""`wmtlib rank` from outside: what it prints, what it refuses."""

import json
import subprocess
import sys

import pytest

from wmtlib import cli

HEADER = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
HEADER += ",".join(f"system{k}Number,system{k}Id" for k in range(1, 6)) + ","
HEADER += ",".join(f"system{k}rank" for k in range(1, 6))


def line(systems, ranks, pair="French,English", segment=1):
    slots = ",".join(f"{k},{name}" for k, name in enumerate(systems, start=1))
    return f"{pair},{segment},doc,{segment},A1,{slots},{','.join(map(str, ranks))}"


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "rankings.csv"
        path.write_text("\n".join([HEADER, *lines]) + "\n")
        return str(path)

    return write


# a beats b twice, b beats c twice, c beats a once: one violated judgement, one optimal order.
CYCLE = [
    line(["a", "b", "_ref", "blank", "blank"], [2, 3, 1, -1, -1]),
    line(["a", "b", "_ref", "blank", "blank"], [2, 3, 1, -1, -1]),
    line(["b", "c", "_ref", "blank", "blank"], [2, 3, 1, -1, -1]),
    line(["b", "c", "_ref", "blank", "blank"], [2, 3, 1, -1, -1]),
    line(["c", "a", "_ref", "blank", "blank"], [2, 3, 1, -1, -1]),
]


def run(capsys, *arguments):
    code = cli.main(["rank", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_mfas_as_json(capsys, write):
    code, out, err = run(capsys, write(*CYCLE), "--method", "mfas", "--reference", "_ref", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert list(result) == ["task", "method", "systems", "violated_weight", "certificate"]
    assert result["task"] == "French,English"
    assert [s["system"] for s in result["systems"]] == ["a", "b", "c"]
    assert result["violated_weight"] == 1
    assert result["certificate"] == {"lower_bound": 1, "optimal": True, "optimal_orders": 1}


@pytest.mark.parametrize("method", cli.METHODS)
def test_every_method_as_json_and_as_a_table(capsys, write, method):
    path = write(*CYCLE)
    code, out, _ = run(capsys, path, "--method", method, "--reference", "_ref", "--json")
    result = json.loads(out)
    assert code == 0 and result["method"] == method
    assert {s["system"] for s in result["systems"]} == {"a", "b", "c"}
    assert all({"system", "rank", "score"} <= set(s) for s in result["systems"])
    code, out, _ = run(capsys, path, "--method", method, "--reference", "_ref")
    assert code == 0 and "violated weight: " in out


def test_ties_share_a_rank_and_are_marked(capsys, write):
    tied = line(["a", "b", "c", "blank", "blank"], [1, 1, 2, -1, -1])
    _, out, _ = run(capsys, write(tied), "--method", "soccer", "--reference", "")
    assert "   1= a" in out and "   1= b" in out and "   3  c" in out


def test_the_task_must_be_chosen_where_there_are_several(capsys, write):
    path = write(*CYCLE, line(["a", "b", "c", "blank", "blank"], [1, 2, 3, -1, -1], "Urdu,English"))
    code, out, err = run(capsys, path, "--method", "mfas", "--reference", "_ref")
    assert (code, out) == (2, "")
    assert '"French,English", "Urdu,English"' in err and len(err.splitlines()) == 1
    code, out, _ = run(
        capsys, path, "--method", "mfas", "--reference", "", "--task", "Urdu,English"
    )
    assert code == 0 and out.startswith("Urdu,English, mfas")


@pytest.mark.parametrize(
    ("lines", "extra", "expected"),
    [
        ([line("abcde", [1, 2, 3, 4, "x"])], [], "line 2: system5rank is 'x'; expected 1-5"),
        ([line("abcde", [1, 2, 3, 4, 9])], [], "line 2: system5rank is '9'; expected 1-5"),
        ([line("abcda", [1, 2, 3, 4, 5])], [], "line 2: system 'a' stands twice in one ranking"),
        ([], [], "holds a header but no rankings"),
        ([line("abcde", [-1, -1, -1, -1, 1])], [], "has no pair of ranked outputs to compare"),
        (CYCLE, ["--task", "Urdu,English"], "no task 'Urdu,English'; there are \"French,English\""),
        (CYCLE, ["--reference", "human"], "no system 'human' in task 'French,English'"),
    ],
)
def test_refusals_are_one_line_and_exit_code_2(capsys, write, lines, extra, expected):
    path = write(*lines)
    code, out, err = run(capsys, path, "--method", "bojar", "--reference", "", *extra)
    assert (code, out) == (2, "")
    assert expected in err and path in err and len(err.splitlines()) == 1


def test_a_score_that_is_not_defined_is_refused(capsys, write):
    path = write(line(["a", "_ref", "blank", "blank", "blank"], [1, 2, -1, -1, -1]), *CYCLE[2:4])
    code, _, err = run(capsys, path, "--method", "bojar", "--reference", "_ref")
    assert code == 2 and "system 'a' has no comparison that this score counts" in err


def test_python_m_wmtlib_is_the_same_command(write):
    command = [sys.executable, "-m", "wmtlib", "rank", write(*CYCLE)]
    command += ["--method", "wmt-official", "--reference", "_ref"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "wmt-official" in done.stdout


def test_a_reader_that_stops_early_is_no_error(write):
    command = f"{sys.executable} -m wmtlib rank {write(*CYCLE)} --method mfas --reference _ref"
    done = subprocess.run(["sh", "-c", f"{command} | true"], capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.realdata
def test_wmt10_french_english_is_what_the_notebook_says(capsys, mirror):
    path = mirror / "alopez/wmt-ranking/raw_data/wmt10/data_RNK.csv"
    options = ["--method", "mfas", "--reference", "_ref", "--task", "French,English", "--json"]
    _, out, _ = run(capsys, str(path), *options)
    result = json.loads(out)
    assert result["violated_weight"] == 61 == result["certificate"]["lower_bound"]
    assert result["systems"][0]["system"] == "onlineB"
