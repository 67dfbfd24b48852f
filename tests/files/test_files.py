"""Files from outside, one table: what must be typed, and what each must give.

`data/` holds small copies of files that people sent or that are like theirs;
`expected.csv` what a careful reader finds in them by pandas alone.
"""

import csv
import shlex
from pathlib import Path

import pytest

from wmtlib import cli
from wmtlib.core.errors import DataError, Question
from wmtlib.files.read import read
from wmtlib.methods import rank

DATA = Path(__file__).parent / "data"
TABLE = Path(__file__).with_name("expected.csv")
ROWS = [*csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())]
READ = [row for row in ROWS if not row["refusal"]]
REFUSED = [row for row in ROWS if row["refusal"]]
TRIES = 3
METHODS = {"assessments": "raw-score"}  # of others expected wins


def name_of(row):
    return row["file"]


def typed(words):
    """The options of `wmtlib.read` that words of the command line say."""
    options = cli.parser().parse_args(["rank", "file", *shlex.split(words)])
    task = {"task": options.task} if options.task else {}
    return {**cli.reading_of(options), **task}


def asked_for(question, final):
    """Those of the final options that a question asks for; others do not matter."""
    if not isinstance(question, Question):
        return {"header": final["header"]} if "header" in final else {}
    found = {}
    columns = {}
    for name, value in (one for asked in question.readings.values() for one in asked):
        if name == "column":
            columns.update(answers_for(value[1], final))
        elif name in final:
            found[name] = final[name]
    if "--header" in str(question) and "header" in final:
        return {"header": final["header"]}
    if "wide" in found:  # what is not in its list is said, too
        columns = {key: final[key] for key in ("ignore", "column") if key in final}
    if "--ignore" in str(question) and "ignore" in final:
        columns["ignore"] = final["ignore"]
    return {**columns, **found}


def answers_for(column, final):
    """What the final options say of a column; nothing in them: all that they say."""
    said = {name: final[name] for name in ("column", "ignore", "rows") if name in final}
    return said or {"ignore": [column]}


@pytest.mark.parametrize("row", READ, ids=name_of)
def test_a_file_is_ranked_right_at_the_third_try_at_the_latest(row):
    final = typed(row["options"])
    options = {}
    for number in range(1, TRIES + 1):
        try:
            judgements = read(DATA / row["file"], **options)
            break
        except DataError as question:
            assert number < TRIES, f"asks once more: {question}"
            copied = question
            more = asked_for(question, final)
            assert {**options, **more} != options, f"asks for what is open: {question}"
            options |= more
            require_refused(copied, DATA / row["file"])
    assert judgements.kind == row["kind"]
    if row["first"]:
        method = METHODS.get(judgements.kind, "expected-wins")
        scores = rank(judgements, method).scores
        assert scores.max() == pytest.approx(float(row["score"]), abs=6e-5)
        assert scores[row["first"]] == pytest.approx(scores.max())


def require_refused(question, path):
    """A copy of a last line, as it is, gives no answer."""
    if not isinstance(question, Question):
        return
    for line in question.on_command_line(["wmtlib", "rank", str(path)]).splitlines():
        if line.startswith("wmtlib rank"):
            with pytest.raises((DataError, SystemExit)):
                read(path, **typed(shlex.join(shlex.split(line)[3:])))


@pytest.mark.parametrize("row", REFUSED, ids=name_of)
def test_a_file_that_the_contract_does_not_read_is_refused(row):
    with pytest.raises(DataError):
        read(DATA / row["file"])
    assert row["rule"]


def test_the_table_holds_every_copy():
    copies = {str(path.relative_to(DATA)) for path in DATA.rglob("*.*")}
    assert {row["file"] for row in ROWS} == copies
    assert len(ROWS) > 150 and len(REFUSED) < 30
