"""What columns are called, and which kind of judgement they make."""

import pytest
from user_files import as_counter, refusal, text, writer
from wmtlib.files import column_names, column_roles, reader

from wmtlib.counts import SECOND
from wmtlib.errors import Origin

given_file = pytest.fixture(writer)


@pytest.mark.parametrize("pair", column_names.PAIR_NAMES)
@pytest.mark.parametrize("outcome", column_names.ALIASES["outcome"])
def test_known_names_of_columns(pair, outcome):
    a, b = pair
    used = {"a": a, "b": b, "outcome": outcome.upper()}
    assert column_roles.recognise([outcome.upper(), b, a], None, {}, Origin("x")) == (
        "outcomes",
        used,
    )


@pytest.mark.parametrize("role", sorted(column_names.ALIASES))
def test_every_alias_stands_for_its_role(role):
    for name in column_names.ALIASES[role]:
        for layout, (kind, needed, more) in column_names.LAYOUTS.items():
            if role in (*needed, *more):
                roles = dict.fromkeys([*needed, role])
                header = [name if r == role else r for r in roles]
                expected = dict(zip(roles, header, strict=True))
                assert column_roles.recognise(header, kind, {}, Origin("x")) == (layout, expected)


def test_columns_by_option(given_file):
    rows = [["left", "right", "winner", "verdict", "who"], ["X", "Y", "?", "<", "me"]]
    path = given_file(text(rows))
    assert "could each be the outcome" in refusal(path)
    found = reader.read(path, columns={"outcome": "verdict", "judge": "who"})
    assert as_counter(found.counted_by(["judge"])) == {("X", "Y", SECOND, "judge_001"): 1}
    swapped = {"a": "right", "b": "left", "outcome": "verdict"}
    assert as_counter(reader.read(path, columns=swapped).counted_by([])) == {("Y", "X", SECOND): 1}


def test_a_role_can_be_ignored(given_file):
    path = given_file("a,b,outcome,judge\nX,Y,a,\n")
    assert (
        refusal(path)
        == ", line 2: judge is missing; expected a name, or --column judge= to leave the column out"
    )
    assert reader.read(path, columns={"judge": None}).units == ()


def test_one_task_is_chosen(given_file):
    path = given_file("a,b,outcome,lp\nX,Y,a,de-en\nX,Z,b,cs-en\nX,Z,b,cs-en\n")
    assert refusal(path) == (
        ": holds 2 tasks: 'cs-en', 'de-en'; choose one by --task, or each by --task all"
        " (--column task= takes them together)"
    )
    assert refusal(path, task="fr-en") == ": no task 'fr-en'; it holds 'cs-en', 'de-en'"
    found = reader.read(path, task="cs-en")
    assert (found.rows, found.systems, found.task) == (2, ("X", "Z"), "cs-en")
    assert (
        refusal(given_file("a,b,outcome\nX,Y,a\n"), task="t") == ": no task 't'; it names no task"
    )


def test_a_file_of_two_kinds_needs_a_choice(given_file):
    header = ["a", "b", "outcome", "ranking", "system", "rank"]
    path = given_file(
        text([header, ["A", "B", "a", "1", "A", "1"], ["A", "B", "b", "1", "B", "1"]])
    )
    step = "; choose by --kind pairwise or --kind rankings"
    assert refusal(path) == f", line 1: the header fits pairwise and rankings{step}"
    assert reader.read(path, kind="pairwise").rows == 2
    assert reader.read(path, kind="rankings").counts.comparisons == 1
    assert "expected worker, system, segment, score (" in refusal(path, kind="assessments")
    assert refusal(path, kind="x").startswith(": kind is 'x'; expected one of rankings, pairwise")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": "none"}, ", line 1: column 'none' is missing; the header is 'a', 'b'"),
        ({"who": "a"}, ": no role 'who' for a column; expected a, accepted, b"),
        ({"judge": "a", "a": "a"}, "column 'a' is taken for judge and a; expected a column each"),
        ({"a": None}, "the header is 'a', 'b', 'outcome'; expected a, b, outcome (pairwise); for"),
        ({"a": "b", "rank": "a"}, ": no kind of file has columns a, rank together"),
    ],
)
def test_a_wrong_choice_of_columns_is_refused(given_file, columns, message):
    assert message in refusal(given_file("a,b,outcome\nX,Y,a\n"), columns=columns)


@pytest.mark.parametrize(
    ("header", "layout", "missing"),
    [
        ("foo,bar", "a, b, outcome (pairwise)", "a b outcome"),
        ("ranking,rank,who", "ranking, system, rank (rankings)", "system"),
        ("system,score", "worker, system, segment, score (assessments)", "worker segment"),
        (",".join(f"column_with_a_long_name_{k}" for k in range(99)), "a, b, outcome", "outcome"),
    ],
)
def test_a_header_of_no_kind_gets_one_next_step(given_file, header, layout, missing):
    message = refusal(given_file(f"{header}\n"))
    options = " ".join(f"--column {role}=NAME" for role in missing.split())
    assert f"; expected {layout}" in message
    assert message.endswith(f"{options}; other kinds: wmtlib rank --help")
    assert len(message) < 240


def test_a_header_of_one_column_is_told_what_stands_between_columns(given_file):
    assert refusal(given_file("a|b|outcome\nX|Y|a\n")) == (
        ", line 1: the header is one column, 'a|b|outcome'; expected several, in text between"
        " commas, tabs or semicolons"
    )
