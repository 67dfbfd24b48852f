"""Notebook 40 and make rank: what a file does not say is asked about, and said by P."""

import ast
import inspect
import shlex

import nbformat
import pytest
import yaml

from examples import data_error
from study import __main__
from wmtlib.files.read import read

VOTES = "a,b,outcome,judge\n" + "x,y,a,j1\ny,z,a,j2\nx,z,tie,j1\nz,y,b,j2\n" * 5
RATED = "person,system,segment,score,note\n" + "".join(
    f"{rater},{system},{segment},{1 + (segment + len(system)) % 5},{note}\n"
    for rater in ("r1", "r2")
    for system in ("p", "qq", "rrr")
    for segment, note in enumerate(["", "late", "", "late", ""])
)


@pytest.fixture
def write(tmp_path):
    def write(text, name="mine.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


# --- the words after P ----------------------------------------------------------------


def asked(path, words=""):
    """What is asked about a file, the last line as words."""
    with pytest.raises(ValueError) as refused:
        __main__.parameters_of(str(path), words)
    *_, last = str(refused.value).splitlines()
    return shlex.split(last)


def test_a_question_is_answered_in_the_words_of_make(write):
    path = write(RATED)
    target, rank, file, words = asked(path, "seed=3")
    assert [target, rank, file] == ["make", "rank", f"FILE={path}"]
    words = words.removeprefix("P=")
    assert "seed=3 " in words and "scale=WORST,BEST" in words
    with pytest.raises(SystemExit) as left:  # a word in capitals is left in
        __main__.parameters_of(str(path), words)
    assert left.value.code == 2
    words = words.replace("ROLE=person", "judge=person").replace("WORST,BEST", "1,5")
    words = words.replace("ROLE=note", "none=note")
    values = __main__.parameters_of(str(path), words)
    assert values["scale"] == [1, 5] and values["seed"] == 3
    assert yaml.safe_load(yaml.safe_dump(values)) == values
    judgements = read(path, column=values["column"], scale=values["scale"])
    assert judgements.units == ("worker", "segment")


def test_a_word_means_an_option_of_the_command(write):
    path = write(VOTES.replace("tie", "even").replace("outcome", "my verdict"))
    words = "column='outcome=my verdict' outcome=even=tie missing= method=mfas"
    words += " reference=z unit=judge revisions=last"
    values = __main__.parameters_of(str(path), words)
    assert values == {
        "path": str(path),
        "task": "",
        "column": {"outcome": ["my verdict"]},
        "outcome": {"even": "tie"},
        "missing": [""],
        "methods": ["mfas"],
        "reference": ["z"],
        "unit": "judge",
        "revisions": "last",
    }


def test_refusals_of_words_name_what_was_typed(write, capsys):
    path = str(write(VOTES))
    for words, said in [
        ("'x", "P='x: No closing quotation"),
        ("seed", "P=seed: expected NAME=VALUE, not 'seed'"),
        ("revisions=all reference=q", "no system 'q'; expected x, y, z"),
        ("revisions=all task=q", "no task 'q'; it names no task"),
    ]:
        with data_error(said):
            __main__.parameters_of(path, words)
    for words, said in [
        ("skip-bad=1", "unrecognized arguments: --skip-bad=1"),
        ("colunm=a=b", "did you mean '--column'?"),
    ]:
        with pytest.raises(SystemExit):
            __main__.parameters_of(path, words)
        assert said in capsys.readouterr().err


# --- the notebook ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def cells():
    notebook = nbformat.read(__main__.NOTEBOOK, as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_parameters_are_the_options_of_read_and_say_nothing(cells):
    (cell,) = [c for c in cells if "parameters" in c.metadata.tags]
    lines = ast.parse(cell.source).body
    values = {line.targets[0].id: ast.literal_eval(line.value) for line in lines}
    options = {*inspect.signature(read).parameters} - {"data"}
    assert options <= {*values}
    assert not any(values[name] for name in options)
    others = {*values} - options
    names = {"methods" if name == "method" else name for name in __main__.ASKED}
    assert others == {"path", "html", "show_ids", *names}


def run_cells(cells, **parameters):
    """Run the notebook as papermill does; return its names."""
    names = {}
    for cell in cells:
        exec(cell.source, names)
        if "parameters" in cell.metadata.tags:
            names.update(parameters)
    return names


def scored(systems, workers=()):
    head = ",".join(["system", "segment", "score", *(["worker"] if workers else [])])
    lines = [head]
    for k in range(12):
        for j, name in enumerate(systems):
            who = f",{workers[k % len(workers)]}" if workers else ""
            lines.append(f"{name},s{k},{40 + 7 * j + 13 * k % 29}{who}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "text, options, said",
    [
        (
            scored("abc"),
            {"scale": [0, 100]},
            ["holds assessments", "no workers"],
        ),
        (
            scored("ab", ["w1", "w2"]),
            {"scale": [0, 100]},
            ["leaving one out needs three or more", "holds assessments"],
        ),
        (
            "a,b,outcome,judge\n" + "x,y,a,j1\ny,z,a,j1\nx,z,b,j1\nz,y,a,j1\n" * 12,
            {"revisions": "all"},
            ["tells no judges apart"],
        ),
    ],
)
def test_a_section_without_an_answer_does_not_end_the_run(
    cells, write, capsys, tmp_path, text, options, said
):
    page = tmp_path / "page.html"
    run_cells(cells, path=str(write(text)), html=str(page), **options)
    printed = capsys.readouterr().out
    assert page.is_file()
    refused = [line for line in printed.splitlines() if line.startswith("No answer: ")]
    assert len(refused) == len(said), printed
    for words, line in zip(said, refused, strict=True):
        assert words in line
