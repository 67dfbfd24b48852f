"""Columns that name the task are used, or their being unused is said."""

import pytest
from user_files import refusal, text, writer
from wmtlib.files import column_names, column_roles, reader

given_file = pytest.fixture(writer)


@pytest.mark.parametrize(
    "columns",
    [
        "lang_pair",
        "langpair",
        "pair",
        "direction",
        "language",
        "langs",
        "source_lang",
        "dataset",
        "domain",
        "Language-Pair",
        "src,tgt",
        "source_lang,target_lang",
        "src,trg",
    ],
)
def test_language_pairs_are_not_pooled(given_file, columns):
    names = columns.split(",")
    rows = [
        ["X", "Y", "a", *["de", "en"][: len(names)]],
        ["X", "Y", "b", *["en", "de"][: len(names)]],
    ]
    path = given_file(text([["a", "b", "outcome", *names], *rows]))
    tasks = ["de-en", "en-de"] if len(names) == 2 else ["de", "en"]
    assert [one.task for one in reader.read_tasks(path)] == tasks
    assert refusal(path).startswith(f": holds 2 tasks: '{tasks[0]}', '{tasks[1]}'; choose one by")
    found = reader.read(path, columns={"task": None})
    assert found.rows == 2 and set(names) <= {*found.unused} and not found.warnings


def test_texts_are_no_languages(given_file):
    rows = [["X", "Y", "a", "Das ist gut.", "This is good."], ["X", "Y", "b", "Ja, 1", "Yes, 1"]]
    found = reader.read(given_file(text([["a", "b", "outcome", "src", "tgt"], *rows])))
    assert (found.task, found.unused, found.warnings) == ("", ("src", "tgt"), ())


def test_what_looks_like_a_task_and_is_not_used_is_said(given_file):
    data = "a,b,outcome,lp,domain,src_lang\nX,Y,a,de-en,news,de\nX,Y,b,de-en,chat,de\n"
    data += "X,Y,a,en-de,x,en\n"
    found = reader.read(given_file(data), task="de-en")
    assert found.warnings == (
        "column 'domain' holds 2 values and is not used, they are ranked together; to rank them"
        " apart, add --column task=domain",
    )
    assert found.columns == {"a": "a", "b": "b", "outcome": "outcome", "task": "lp"}
    assert found.reading == "a, b, outcome, task = 'lp'; not used: 'domain', 'src_lang'"
    assert not reader.read(given_file(data), task="en-de").warnings
    apart = reader.read(given_file(data), columns={"task": "domain"}, task="chat")
    assert apart.rows == 1 and apart.warnings == ()
    for name in ("category", "type"):
        path = given_file(f"a,b,outcome,{name}\nX,Y,a,code\nX,Y,b,maths\n")
        [warning] = reader.read(path).warnings
        assert warning.startswith(f"column '{name}' holds 2 values and is not used")


def test_a_count_that_a_kind_does_not_have_is_said(given_file):
    path = given_file("worker,system,segment,score,count\nw,X,1,5,2\nw,Y,1,9,3\n")
    assert reader.read(path).warnings == ("column 'count' is not used, every row counts once",)


def test_every_name_is_written_as_keys_are():
    names = column_names.ONLY_LANGUAGES.union(*column_names.TASK_NAMES, column_names.NEVER_TASKS)
    names = names.union(*column_names.ALIASES.values())
    for pairs in column_names.PAIRED.values():
        names = names.union(*pairs)
    assert names == {column_roles.key(name) for name in names}
