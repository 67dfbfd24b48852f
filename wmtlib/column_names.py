"""Names of columns that change what is ranked, wherever a frame or a file comes from.

`wmtlib.read` uses such columns. The other functions refuse a frame that holds one, for
they would pass over what it says.
"""

import re
from collections.abc import Iterable
from itertools import chain

import pandas as pd

from wmtlib.errors import DataError, listed, shown

COUNT_NAMES = ("counts", "weight", "weights", "frequency", "votes", "n")
DOCUMENT_NAMES = ("document_id", "doc", "doc_id")
ITEM_NAMES = ("item_type",)
SOURCE_TEXTS = (  # they tell segments apart, too
    "source",
    "src",
    "source_text",
    "src_text",
    "source_segment",
    "source_seg",
)

WORDS = re.compile(r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*")

# --- names of tasks -------------------------------------------------------------------

TASK = ("task", "target")  # roles; with a target, the task is source-target
TWO_LANGUAGES = (  # source and target
    ("src_lang", "tgt_lang"),
    ("source_lang", "target_lang"),
    ("source_language", "target_language"),
    ("srclang", "trglang"),
    ("srclang", "tgtlang"),
    ("src", "tgt"),
    ("src", "trg"),
    ("source", "target"),
)
ONE_LANGUAGE = (
    "pair",
    "direction",
    "langs",
    "languages",
    "language",
    "lang",
    "target_lang",
    "tgt_lang",
    "target_language",
    "tgt",
    "trg",
    "target",
    "source_lang",
    "src_lang",
    "source_language",
    "src",
    "source",
)
PAIR_OF_LANGUAGES = (
    "task",
    "language_pair",
    "lang_pair",
    "langpair",
    "lp",
    "translation_direction",
)
DOMAINS = ("dataset", "domain", "testset", "test_set", "subset")
TASK_NAMES = (  # the first that a file has is the task
    *((name,) for name in PAIR_OF_LANGUAGES),
    *TWO_LANGUAGES,
    *((name,) for name in (*ONE_LANGUAGE, *DOMAINS)),
)
ONLY_LANGUAGES = {*chain(*TWO_LANGUAGES), *ONE_LANGUAGE}  # tasks if they hold languages
TASKS = {*chain(*TASK_NAMES)}
DIVIDING = {  # columns that divide a file; the last ones are never taken for its tasks
    *PAIR_OF_LANGUAGES,
    *ONE_LANGUAGE,
    *DOMAINS,
    "category",
    "genre",
    "topic",
    "criterion",
    "aspect",
    "dimension",
    "campaign",
    "year",
    "type",
}


# --- what the names say ---------------------------------------------------------------


def key(name: str) -> str:
    """The name of a column as `ALIASES` write it."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


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
    read = {*COUNT_NAMES}
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
