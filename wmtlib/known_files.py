"""Names of columns and words in users' files, as known_files.toml lists them.

Of a name only letters and figures count; see `key`.
"""

import re
import tomllib
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import pandas as pd

FILE = Path(__file__).parent / "reading" / "known_files.toml"
KNOWN = tomllib.loads(FILE.read_text("utf-8"))
SIGNS = r"[\W\d_]"
TIES = {*KNOWN["ties"]}
DOCUMENT_NAMES = KNOWN["names"]["document"]

_COLUMNS = KNOWN["columns"]
WEIGHTS = _COLUMNS["weights"]
SOURCE_TEXTS = _COLUMNS["source_texts"]
SCREENS = {*DOCUMENT_NAMES, *_COLUMNS["screens"]}
PAIRS = _COLUMNS["systems"]
TASK = ("task", "target", "third")  # roles; several make one task, as source-target
_TWO = _COLUMNS["two_languages"]
_OF_PAIRS = _COLUMNS["languages"]
_ONE = _COLUMNS["one_language"]
_DOMAINS = _COLUMNS["domains"]
TASK_NAMES = (  # the first that a file has is the task
    *((name,) for name in _OF_PAIRS),
    *_TWO,
    *((name,) for name in (*_ONE, *_DOMAINS)),
)
ONLY_LANGUAGES = {*chain(*_TWO), *_ONE}  # tasks if they hold languages
TASKS = {*chain(*TASK_NAMES)}
DIVIDING = {*_OF_PAIRS, *_ONE, *_DOMAINS, *_COLUMNS["others"]}

LANGUAGES = re.compile(  # "English", "cs-en", "Czech to English (UK)"
    r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*"
)

# Letters that are not seen: the category Cf, but for signs of Arabic that are. Two of
# them join or part the letters beside them, in scripts that need it and in emoji.
UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0001-\U000e007f]"
    r"|(?<![^\0-\u058f\s\u2000-\u206f])[\u200c\u200d]"
    r"|[\u200c\u200d](?![^\0-\u058f\s\u2000-\u206f])"
)
OTHER_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def clean(text: str) -> str:
    r"""Leave out letters that are not seen, and blanks around a text; others are " ".

    >>> clean(" Claude\u00a03\u200b"), clean("\u0645\u06cc\u200c\u0634\u0648\u062f")
    ('Claude 3', 'می\u200cشود')
    """
    return OTHER_BLANKS.sub(" ", UNSEEN.sub("", text)).strip()


def key(name: str) -> str:
    """Write the name of a column as the known names are written.

    >>> key("Doc_ID"), key("Score (0-100)")
    ('docid', 'score')
    """
    return re.sub(r"\(.*?\)|[\W_]", "", name.casefold())


def looks_like_languages(values: Iterable[str]) -> bool:
    """Return whether all values look like languages, or pairs of them."""
    return all(map(LANGUAGES.fullmatch, values))


def is_tie(outcome: str) -> bool:
    """Return whether an outcome is a word for a tie, signs between its letters aside.

    >>> is_tie("Tie (bothbad)"), is_tie("both_bad"), is_tie("a")
    (True, True, False)
    """
    return re.sub(SIGNS, "", outcome.casefold()) in TIES


# --- unused columns -------------------------------------------------------------------

# What an unused column may say.
ROWS_COUNT = "may say which rows count"
EXCHANGED = "may say that the two systems stand in the other order"
CRITERION = "may say what was judged"
MOST_FLAGS = 5  # values of a column that says which rows count
MOST_VALUES = 20  # of a column that divides a file
NUMBERS = re.compile(r"-?(?!0*1?(\.0*)?$)\d+(\.\d*)?")  # but for -1, 0 and 1


def is_called(name: str, kind: str) -> bool:
    """Return whether a name of a column holds one of the words of known_files.toml.

    >>> is_called("AssignmentStatus", "count"), is_called("isgold", "count")
    (True, True)
    >>> is_called("latest", "times")
    False
    """
    asked = {*KNOWN["asked"][kind]}
    parts = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name)
    short = key(name)
    words = {short, *re.split(SIGNS, parts.casefold())}
    words.update(map(short.removeprefix, KNOWN["asked"]["prefixes"]))
    return bool(words & asked) or short.endswith(
        tuple(word for word in asked if len(word) > 4)
    )


def doubt(name: str, values: Iterable[object]) -> str:
    """Return what an unused column may say, by its name and its values; "" if nothing.

    >>> doubt("note", ["", "spam"]), doubt("note", ["", "see above"])
    ('may say which rows count', '')
    """
    words = {str(value).strip().casefold() for value in values}
    if not 1 < len(words) <= MOST_VALUES:
        return ""
    asked = KNOWN["asked"]
    is_truth = words <= {*KNOWN["truth"]}
    if (is_truth and is_called(name, "swapped")) or words & {*asked["swapped"]}:
        return EXCHANGED
    is_flag = is_called(name, "count") and not any(map(NUMBERS.fullmatch, words))
    is_other = key(name) in DIVIDING or is_tie(name) or len(words) > MOST_FLAGS
    if not is_other and (is_flag or words & {*asked["count"]}):
        return ROWS_COUNT
    return CRITERION if is_called(name, "criteria") else ""


def varies_within(segment: pd.Series, other: pd.Series) -> bool:
    """Return whether a column has several values in a segment."""
    pairs = pd.DataFrame({"segment": segment, "other": other}).drop_duplicates()
    return bool(pairs["segment"].duplicated().any())
