"""The forms in which judgements come, and the names of their columns.

A frame of several tasks, or with a column that would be passed over, is refused. What
is sound row by row and may still be misread is for `remarks`.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.assessments import ASSESSMENTS, Campaign
from wmtlib.counts import FIRST, SECOND, TIE, Counts, comparisons, counts_of
from wmtlib.errors import DataError, listed, shown

Data: TypeAlias = Counts | pd.DataFrame | Campaign

# What is known of users' files: layouts, names of columns, tools.
FILE = Path(__file__).parent / "reading" / "known_files.toml"
KNOWN = tomllib.loads(FILE.read_text("utf-8"))


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


SIGNS = r"[\W\d_]"
TIES = words(  # outcomes, and names of columns that flag them; letters only
    "tie ties tied istied istie isatie draw draws drawn isdraw isadraw equal equals"
    " isequal areequal equally equallygood equallybad bothequal bothequallygood"
    " bothequallybad aboutequal same thesame aboutthesame bothsame bothaboutthesame"
    " bothbad bothgood botharebad botharegood bothareequal tiebothbad tiebothgood both"
    " neither neitherbetter neitherisbetter nopreference nodifference nowinner"
    " cantdecide cannotdecide canttell cannottell undecided"
)
PAIRS = (  # columns of two systems, and what that of a third would be
    ("model_a", "model_b", "model_c"),
    ("system_a", "system_b", "system_c"),
    ("a", "b", "c"),
    ("system_1", "system_2", "system_3"),
)

# --- names of columns -----------------------------------------------------------------

LANGUAGES = re.compile(  # "English", "cs-en", "Czech to English (UK)"
    r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*"
)

# Letters that are not seen: the category Cf, but for signs of Arabic that are. Two of
# them join what stands on both sides, in scripts that need it and in emoji, or part it.
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


# Only letters and figures of names count; see `key`.
ASKED = words("weight weights confidence frequency votes n")  # whether they count
DOCUMENT_NAMES = words("documentid documentname doc docid docname story file")
ITEM_NAMES = words("itemtype")
# What a judge sees at a time: outputs of two of them are not of one ranking.
SCREENS = {
    *DOCUMENT_NAMES,
    *words(
        "judge segment document hit hitid page pageid pagenumber pageno session"
        " sessionid trial trialid trialnumber trialno batch batchid batchnumber batchno"
        " screen screenid screennumber screenno block blockid assignment assignmentid"
        " round roundid task taskid tasknumber form formid questionnaire annotationid"
    ),
}
# They tell segments apart, too.
SOURCE_TEXTS = words("source src sourcetext srctext sourcesegment sourceseg")

# --- names of tasks -------------------------------------------------------------------

TASK = ("task", "target")  # roles; both make one task, as source-target
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
OTHERS = words("category genre topic campaign year type")
DIVIDING = {*PAIR_OF_LANGUAGES, *ONE_LANGUAGE, *DOMAINS, *OTHERS}

# Columns of frames that are used, or that are tasks.
USED = {*ASSESSMENTS, *TASKS, *chain(*PAIRS), "ranking", "rank", "winner", "outcome"}
USED |= {"preference", "count", "judge", "judge_group"}


def key(name: str) -> str:
    """The name of a column as it is written here.

    >>> key("Doc_ID"), key("Score (0-100)")
    ('docid', 'score')
    """
    return re.sub(r"\(.*?\)|[\W_]", "", name.casefold())


def looks_like_languages(values: Iterable[str]) -> bool:
    """Whether all values look like languages, or pairs of them."""
    return all(map(LANGUAGES.fullmatch, values))


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


def require_answers(frame: pd.DataFrame, used: Iterable[str]) -> None:
    """Refuse a frame with an unused column that `wmtlib.read` would ask about.

    Raises
    ------
    DataError
        The column, and the next steps.
    """
    for name in frame.columns.difference([*used], sort=False):
        if frame[name].head(1000).astype(str).nunique() > MOST_VALUES:
            continue
        texts = frame[name].astype(str)
        said = doubt(str(name), texts.unique())
        if said == CRITERION and "segment" in frame:
            said = said if varies_within(frame["segment"], texts) else ""
        if said:
            value = frame[name][texts == texts.mode()[0]].tolist()[0]
            raise DataError(
                f"column {name!r} {said}; to rank by some rows:"
                f" frame[frame[{name!r}] == {value!r}]; by all:"
                f" frame.drop(columns={name!r})"
            )


def require_used(frame: pd.DataFrame, *, scored: bool) -> None:
    """Refuse a frame of several tasks, with joint names, or with unused columns.

    These are columns that `wmtlib.read` would use.

    Raises
    ------
    DataError
        The column, and the next step.
    """
    require_answers(frame, USED)
    read = {"counts", *ASKED}
    if scored:
        read.update(SOURCE_TEXTS, DOCUMENT_NAMES, ITEM_NAMES)
    elif "preference" not in frame:
        read.update(TIES)
        sides = [side for side in ("system", *chain(*PAIRS)) if side in frame]
        names = {str(name) for side in sides for name in frame[side].unique()}
        for name in sorted(names):
            if "+" in name and names.issuperset(name.split("+")):
                raise DataError(
                    f"system {name!r} joins others; wmtlib.read(frame) counts a"
                    " judgement for each of them, or takes it for a system"
                )
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


# --- from every form to a comparisons frame, and to counts ----------------------------


def count(data: Any, systems: Sequence[str] | None = None) -> Counts:
    """Wins and ties of every pair of systems.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        `Counts` are returned as they are. For frames see `comparisons_of`.
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur if not given.

    Raises
    ------
    DataError
        What `comparisons_of` and `counts.coded` refuse.

    Examples
    --------
    >>> outcome = ["a", "tie", "a"]
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": outcome})
    >>> count(votes).wins.to_numpy().tolist(), count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    frame = comparisons_of(data)
    if isinstance(frame, Counts):
        return frame
    require_answers(frame, USED)
    is_read = frame is getattr(data, "comparisons", None)
    if systems is None and is_read:
        systems = data.systems  # of a file that was read, those never compared too
    return counts_of(frame, systems)


def comparisons_of(data: Any) -> Counts | pd.DataFrame:
    """Comparisons in one of the forms that this package computes with.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        `Counts`, comparisons frames and the comparisons of what `wmtlib.read` returned
        are handed on as they are. A frame may also have two columns of systems
        (`model_a, model_b`, `system_a, system_b`, `a, b` or `system_1, system_2`) and
        winner or outcome: a, b, the name of the winning column or of the winning
        system, or tie; or one row for each output of a ranking: see `comparisons`.

    Raises
    ------
    DataError
        Another form, or an outcome that is not understood.
    """
    if hasattr(data, "to_pandas"):  # of Polars, Arrow
        data = data.to_pandas()
    if isinstance(data, Counts):
        return data
    if not isinstance(data, pd.DataFrame):
        frame = getattr(data, "comparisons", None)
        if isinstance(frame, pd.DataFrame):
            return frame
        form = f"a {type(data).__name__}"
        if hasattr(data, "assessments"):
            form = "assessments"
        raise DataError(
            f"got {form}; expected comparisons in a frame;"
            " wmtlib.read(path) reads files"
        )
    columns = set(data)
    if columns >= {"system_1", "system_2", "preference"}:
        return data
    if columns >= {"ranking", "system", "rank"}:
        # The rows of a ranking are brought together; rankings stand as they begin.
        number, _ = pd.factorize(data["ranking"])
        numbers_of_values = data.groupby(number).nunique().max()
        for name in numbers_of_values.index[numbers_of_values > 1]:
            if key(str(name)) in SCREENS:
                raise DataError(
                    f"a ranking has a second {shown(name)}; expected other numbers for"
                    f" the rankings: frame.groupby(['ranking', {name!r}]).ngroup()"
                )
        return comparisons(data.iloc[np.argsort(number, kind="stable")])
    for first, second, third in PAIRS:
        if columns >= {first, second, third}:
            raise DataError(
                f"column {third!r} of the frame may be a third system; expected two"
                " systems in a row; wmtlib.read(frame) reads rankings of several, or"
                f" leave it out: frame.drop(columns={third!r})"
            )
        for outcome in ("winner", "outcome"):
            if columns >= {first, second, outcome}:
                return _with_preference(data, first, second, outcome)
    raise DataError(
        f"the columns of the frame are {shown(', '.join(map(str, data)))}; expected"
        " model_a, model_b, winner or system_1, system_2, preference or ranking,"
        " system, rank; wmtlib.read(frame) knows more names of columns"
    )


def _with_preference(
    data: pd.DataFrame, first: str, second: str, outcome: str
) -> pd.DataFrame:
    """A comparisons frame from words for the outcome, or names of systems that won."""
    words = {"a": FIRST, first: FIRST, "b": SECOND, second: SECOND}
    winner = data[outcome].astype(object)
    plain = winner.astype(str).str.strip().str.casefold()
    said = pd.Series(plain.unique(), dtype=str)
    are_ties = said.str.replace(SIGNS, "", regex=True).isin(TIES)
    words |= dict.fromkeys(said[are_ties], TIE)
    by_word = plain.map(words)
    won = [winner == data[side].astype(object) for side in (first, second)]
    by_name = pd.Series(np.select(won, [FIRST, SECOND], np.nan), data.index)
    preference = by_word.fillna(by_name)
    unclear = preference != by_name.fillna(by_word)  # NaN is no outcome, too
    if unclear.any():
        row = int(np.argmax(unclear))
        fault = "; expected a, b, tie or the system that won"
        step = "; wmtlib.read(frame) knows more words"
        if plain.iloc[row] in words:
            fault = ", a word for an outcome and the name of a system"
            step = "; wmtlib.read(frame) asks which is meant"
        raise DataError(
            f"column {outcome!r} of the frame, row {data.index[row]}, is"
            f" {shown(winner.iloc[row])}{fault}{step}"
        )
    named = data.rename(columns={first: "system_1", second: "system_2"})
    return named.assign(preference=preference.astype(np.int8)).drop(columns=outcome)


def is_tie(outcome: str) -> bool:
    """Whether an outcome is a word for a tie, whatever signs stand between its letters.

    >>> is_tie("Tie (bothbad)"), is_tie("both_bad"), is_tie("a")
    (True, True, False)
    """
    return re.sub(SIGNS, "", outcome.casefold()) in TIES
