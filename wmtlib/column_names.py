"""Names of columns that change what is ranked, wherever a frame or a file comes from.

`wmtlib.read` uses such columns. The other functions refuse a frame that holds one, for
they would pass over what it says.
"""

import re
from collections.abc import Iterable
from itertools import chain

import pandas as pd

from wmtlib.errors import DataError, listed, shown

WORDS = re.compile(r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*")


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


# Only letters and figures of names count; see `key`.
ASKED = words("weight weights confidence frequency votes n")  # whether they count
DOCUMENT_NAMES = words("documentid documentname doc docid docname story file")
ITEM_NAMES = words("itemtype")
# They tell segments apart, too.
SOURCE_TEXTS = words("source src sourcetext srctext sourcesegment sourceseg")

# --- names of tasks -------------------------------------------------------------------

TASK = ("task", "target", "third")  # roles; several make one task, as source-target
TWO_LANGUAGES = (  # source and target
    ("srclang", "tgtlang"),
    ("sourcelang", "targetlang"),
    ("sourcelanguage", "targetlanguage"),
    ("srclang", "trglang"),
    ("src", "tgt"),
    ("src", "trg"),
    ("source", "target"),
)
ONE_LANGUAGE = words(
    "pair direction langs languages language lang targetlang tgtlang targetlanguage tgt"
    " trg target sourcelang srclang sourcelanguage src source"
)
PAIR_OF_LANGUAGES = words("task languagepair langpair lp translationdirection")
DOMAINS = words("dataset domain testset subset")
TASK_NAMES = (  # the first that a file has is the task
    *((name,) for name in PAIR_OF_LANGUAGES),
    *TWO_LANGUAGES,
    *((name,) for name in (*ONE_LANGUAGE, *DOMAINS)),
)
ONLY_LANGUAGES = {*chain(*TWO_LANGUAGES), *ONE_LANGUAGE}  # tasks if they hold languages
TASKS = {*chain(*TASK_NAMES)}
# Columns that divide a file, but are never taken for its tasks, come last.
OTHERS = words("category genre topic criterion aspect dimension campaign year type")
DIVIDING = {*PAIR_OF_LANGUAGES, *ONE_LANGUAGE, *DOMAINS, *OTHERS}


# --- what the names say ---------------------------------------------------------------


def key(name: str) -> str:
    """The name of a column as it is written here.

    >>> key("Doc_ID"), key("Score (0-100)")
    ('docid', 'score')
    """
    return re.sub(r"\(.*?\)|[\W_]", "", name.casefold())


def looks_like_languages(values: Iterable[str]) -> bool:
    """Whether all values look like languages, or pairs of them."""
    return all(map(WORDS.fullmatch, values))


def require_used(frame: pd.DataFrame, *, scored: bool) -> None:
    """Refuse a frame of several tasks, or with columns that `wmtlib.read` would use.

    Raises
    ------
    DataError
        The column, and the next step.
    """
    read = {"counts", *ASKED}
    if scored:
        read.update(SOURCE_TEXTS, DOCUMENT_NAMES, ITEM_NAMES)
    for name in frame:
        short = key(str(name))
        tasks = [*frame[name].unique()] if short in TASKS else []
        is_task = len(tasks) > 1
        if short in ONLY_LANGUAGES:
            is_task = is_task and looks_like_languages(map(str, tasks[:1000]))
        if is_task:
            raise DataError(
                f"column {name!r} holds several tasks ({listed(tasks)});"
                f" expected one: frame[frame[{name!r}] == {str(tasks[0])!r}]"
            )
        if short in read:
            raise DataError(
                f"column {shown(name)} is not used here; wmtlib.read(frame) uses it, or"
                f" leave it out: frame.drop(columns={name!r})"
            )
