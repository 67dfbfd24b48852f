"""Where judgements enter: their forms, names of columns, and what may be misread.

`method_data` takes frames, counts and what `wmtlib.read` returned. It refuses a frame
of several tasks, or with a column that would be passed over, and warns of what is sound
row by row and may still be misread.
"""

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.assessments import Campaign, encode, require_usual_scale
from wmtlib.counts import FIRST, SECOND, TIE, Counts, comparisons, counts_of, without
from wmtlib.errors import MOST_SHOWN, DataError, JudgementWarning, listed, shown
from wmtlib.zscores import worker_scales

Data: TypeAlias = Counts | pd.DataFrame | Campaign

LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοανρτυχκι", "abekmhopctyxijsoavptuxki")
LEFT_OUT = "; the ranks of the others leave such systems out"
MINIMUM = 10  # comparisons, or scored segments, below which a system is thin
SIGNS = r"[\W_]"
TIES = (  # outcomes; letters only
    "tie",
    "draw",
    "equal",
    "bothbad",
    "bothgood",
    "tiebothbad",
    "tiebothgood",
)
PAIRS = (
    ("model_a", "model_b"),
    ("system_a", "system_b"),
    ("a", "b"),
    ("system_1", "system_2"),
)

# --- names of columns -----------------------------------------------------------------

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
        (`model_a, model_b`, `system_a, system_b` or `a, b`) and winner or outcome: a,
        b, the name of the winning column or of the winning system, or tie; or one row
        for each output of a ranking: see `comparisons`.

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
        return comparisons(data.iloc[np.argsort(number, kind="stable")])
    for first, second in PAIRS:
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


# --- what may be misread --------------------------------------------------------------


def remarks(
    systems: Iterable[str] = (),
    judges: Iterable[str] = (),
    data: Counts | Campaign | None = None,
) -> list[str]:
    """Warn of names that hardly differ, and of systems that never met.

    Parameters
    ----------
    systems, judges : names
        Judges are warned of without their names.
    data : Counts or Campaign, optional
        Warned of if it falls into groups without a link: see `groups_apart`.

    Examples
    --------
    >>> remarks(["GPT-4", "gpt-4", "x"])[0].partition(";")[0]
    "'GPT-4' and 'gpt-4' are counted as 2 systems"
    >>> remarks([], ["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case and blanks'
    """
    systems = [*systems]
    people = {*map(str, judges)}
    names = pd.Series([*systems, *people], dtype=object).astype(str)
    # Without case, blanks, quotes, kinds of hyphens and of letters, and .0 at the end.
    plain = names.str.normalize("NFKC").str.casefold().str.translate(LOOK_ALIKE)
    plain = plain.str.strip(" \"'‘’“”").str.replace(r"\s+", "", regex=True)
    plain = plain.str.replace(r"[_-]+", "-", regex=True).str.removesuffix(".0")
    lines = []
    by_plain_name = names[: len(systems)].groupby(plain, sort=False)
    for _, alike in by_plain_name:
        if len(alike) > 1:
            lines.append(
                f"{' and '.join(map(shown, alike))} are counted as {len(alike)}"
                " systems; if they are one, write the name in one way"
            )
    different = plain[len(systems) :].nunique()
    if different < len(people):
        lines.append(
            f"{len(people)} names of judges are {different}, but for case and blanks;"
            " if they are so many people, write each name in one way"
        )
    if data is None:
        return lines
    group = groups_apart(data)
    if not group.any():
        return lines
    names = pd.Series(data.systems, dtype=object).groupby(group).agg(list)
    groups = [*map(listed, names[:MOST_SHOWN])]
    if len(names) > MOST_SHOWN:
        groups.append("...")
    link = "a comparison between them"
    order = "the order"
    if isinstance(data, Campaign):
        link = "a worker in common whose scores vary"
        order = "the order by z-scores"
    fault = f"systems fall into {len(names)} groups without {link}"
    effect = f"{order} of systems of different groups means nothing"
    return [*lines, f"{fault} ({'; '.join(groups)}): {effect}"]


def groups_apart(data: Counts | Campaign) -> np.ndarray:
    """Number, from 0, of the group of each system, (systems,).

    Groups are linked by comparisons; by workers whose scores vary, of a campaign: the
    z-scores of others compare nothing.
    """
    if isinstance(data, Counts):
        met = (data.wins + data.wins.T + data.ties).to_numpy() > 0
    else:
        _, _, sd = worker_scales(data)
        worker = data.worker[data.credit]
        counted = data.rated[data.credit] & (sd[worker] > 0)
        scored = np.zeros((len(sd), len(data.systems)), dtype=bool)
        scored[worker[counted], data.credit_system[counted]] = True
        met = scored.T @ scored
    np.fill_diagonal(met, True)
    group = np.arange(len(met))
    for linked in met:  # the groups of all whom a system met become one
        joined = np.isin(group, group[linked])
        group[joined] = group[joined].min()
    return np.unique(group, return_inverse=True)[1]


def of_repeats(repeated: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others, if there are any."""
    if not repeated:
        return []
    return [
        f"{repeated} of {rows} {what} repeat another one word for word (same {same});"
        " each counts; if they are there by mistake, remove them"
    ]


# --- systems of which too little is known ---------------------------------------------


def thin(
    data: Counts | Campaign, *, minimum: int = MINIMUM, reference: str | None = None
) -> pd.Series:
    """Comparisons, or scored segments, of the systems that have fewer than a minimum.

    Comparisons with the reference do not count, and it is not named.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": [*"yyyyyyyyyyz"], "outcome": "a"})
    >>> thin(count(votes)).to_dict()
    {'z': 1}
    """
    if isinstance(data, Campaign):
        number = np.bincount(data.cells.system, minlength=len(data.systems))
        judged = pd.Series(number, data.systems)
    else:
        met = data.wins + data.wins.T + data.ties
        judged = met.loc[:, met.columns != reference].sum(axis=1)
    return judged[(judged < minimum) & (judged.index != reference)]


def dropped(data: Any, systems: Collection[str], *, paired: bool = True) -> Any:
    """The judgements without some systems; quality control `paired` with them, too."""
    if isinstance(data, Campaign):
        return data.without(systems, items=(), paired=paired)
    return without(data, *systems)


def thin_warning(few: pd.Series) -> str:
    """One line about thin systems."""
    names = listed([f"{name} ({number})" for name, number in few.items()])
    fault = (
        "too few comparisons or scored segments for an interval or a cluster of its own"
    )
    return f"{fault}: {names}"


def thin_systems(
    data: Counts | Campaign, *, minimum: int = MINIMUM, reference: str | None = None
) -> tuple[list[str], list[str], bool]:
    """Names of thin systems, lines on them, and whether two others would be left.

    Under most scores one comparison with such a system would change the order of the
    others, so that they are to be left out. Without them, others may be thin. If fewer
    than two others are left, none is named.
    """
    names: list[str] = []
    lines: list[str] = []
    while len(few := thin(data, minimum=minimum, reference=reference)):
        lines.append(thin_warning(few))
        if len(data.systems) - len(few) - (reference is not None) < 2:
            return [], lines, False
        names.extend(few.index)
        data = dropped(data, few.index)
    return names, [f"{line}{LEFT_OUT}" for line in lines], True


# --- judgements as methods take them --------------------------------------------------


def method_data(data: Any) -> tuple[Data, Counts | Campaign]:
    """Judgements as methods take them, as rows and counted.

    Comparisons are a comparisons frame and `Counts` (where they are given as counts,
    the same twice), assessments a `Campaign` twice. Frames, and what `wmtlib.read`
    returned, enter here: what may be misread in them is issued as `JudgementWarning`.

    Raises
    ------
    DataError
        A frame of several tasks, or what `assessments.encode` and
        `comparisons_of` refuse.
    """
    if hasattr(data, "to_pandas"):  # of Polars, Arrow
        data = data.to_pandas()
    if isinstance(data, Counts | Campaign):
        return data, data
    is_frame = isinstance(data, pd.DataFrame)
    scored = getattr(data, "assessments", None) is not None
    if is_frame:
        scored = {"system", "score"} <= {*data}
        require_used(data, scored=scored)
    judgements: Any = encode(data) if scored else comparisons_of(data)
    counted = judgements
    if not scored:
        counted = counts_of(judgements) if is_frame else data.counts
    if is_frame:
        if scored:
            require_usual_scale(counted)
        judge = "worker" if scored else "judge"
        judges = data[judge].unique() if judge in data else ()
        lines = remarks(counted.systems, judges, counted)
        if {judge, "segment"} <= {*data}:
            repeats = data.duplicated().sum()
            lines += of_repeats(repeats, len(data), "rows", "in every column")
    else:
        lines = [*data.warnings]  # they were found when it was read
        if scored:
            lines += remarks(data=counted)
    few = thin(counted)
    if len(few):
        lines.append(thin_warning(few))
    for line in lines:
        warnings.warn(line, JudgementWarning, stacklevel=3)
    return judgements, counted
