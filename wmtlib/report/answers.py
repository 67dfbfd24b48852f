"""Answers about somebody's judgements: this module writes tables and sentences.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, call these
functions. `wmtlib.report.analysis` and the modules of the library compute;
`wmtlib.report.show` prints an answer, or writes it as JSON or as a page. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import Any

import pandas as pd

from wmtlib import agreement, cross_validation, methods, removals
from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.counts import Counts, rows_of, without
from wmtlib.core.errors import DataError, join_names, unknown, warning
from wmtlib.core.ranking import rank_words, side_by_side
from wmtlib.core.sampling import side_unknown
from wmtlib.files.carried_counts import is_campaign, load, of_campaign
from wmtlib.files.checks import MINIMUM, groups_apart
from wmtlib.files.judgements import Judgements, count_comparisons, visible
from wmtlib.files.read import read
from wmtlib.methods import FEW_PER_PAIR, METHODS, Strength
from wmtlib.mfas import violated_weight
from wmtlib.report import analysis, sampling_units, sentences
from wmtlib.report.analysis import (
    BASE,
    Elo,
    Names,
    Progress,
    RankingResult,
    References,
    silent,
)
from wmtlib.report.show import ENDS, Answer, Picture, Section
from wmtlib.report.signature import signature_of, versions

PAIRS = "Pairs: of those with corrected below .05, at most 5 % are wrong on average"
MOST_BARS = 40  # systems whose intervals are drawn; of more, pairs are not drawn
WHOLE_NUMBERS = ("lower_bound", "optimal_orders")  # facts of a ranking by mfas
RELIABILITIES = (
    "Reliability of judges with 95 % intervals. Blue: what is expected; orange: at"
    " odds."
)
READ_JUDGES = (
    "read what a judge at odds with the others said; leave a judge out only for a"
    " reason that is seen there"
)
READ_HITS = (
    "look first at the HITs of a judge whose level changes (several people on one"
    " account, or carelessness)"
)
NAME_SWAPS = (
    "What to do: say beside the ranking which pairs change places (swaps), as their"
    " order depends on who else was judged."
)
NAME_TIES = (
    "What to do: say beside the ranking that the order of some pairs is open without"
    " one of the systems (ties)."
)
CHANGING = "Judges whose level changes from HIT to HIT"
LISTED = 25  # judges, or pairs; the least reliable are shown, all are in files and JSON
FOLDS = 5  # of the cross-validation
READING = {*read.__annotations__} - {"data", "return"}  # options of `wmtlib.read`


def analyse(
    data: Any,
    method: Names = (),
    *,
    reference: References = None,
    unit: str | None = None,
    elo: Elo = False,
    minimum: int = MINIMUM,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
    **reading: Any,
) -> Answer:
    """Rank the systems of a file or frame, with sets of ranks, clusters and warnings.

    The same as `wmtlib rank`. No `JudgementWarning` is issued: the answer shows all
    warnings, and has them in `warnings`.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Counts
        What the command takes, a frame, or what was read or counted.
    method : str or sequence of str
        As `wmtlib.ranking_methods` lists them; "all" for every method that applies,
        none for the usual ones. Sets of ranks are those of the first.
    reference : str, several, or None
        Not ranked; "" if there is none. Several count as one system.
    unit : str or None
        One kind of units that are left out in turn; None: the largest kinds of judges
        and of items. "comparison": each by itself.
    elo : bool or (str, float)
        Whether scores are Elo ratings, whose mean is 1000; ``("baseline", 1000)`` fixes
        that of one system. If no method is named, the first of the usual ones that has
        log strengths comes first.
    minimum : int
        Comparisons, or scores, below which a system is named in a warning and left
        out. If fewer than two others are left, all are ranked, without sets of ranks.
    time_limit : float or None
        Seconds after which mfas stops proving; by default 10, or 1 for many systems.
    seed : int
        Every method draws from a generator of its own with this seed.
    progress : callable
        Called with a step, and the completed share of it (0 to 1).
    **reading
        Options of `wmtlib.read`, which say how a file or frame is read: kind, column,
        scale, ...

    Returns
    -------
    Answer
        `tables` are frames by their keys: ranking, clusters, ... (docs/json.md);
        `warnings` and `notes` are lines.

    Raises
    ------
    Question
        What the table does not declare; its last line is the whole call of
        `wmtlib.read`, whose options may be given here.
    DataError
        One line on what cannot be read or done, or an option that there is not.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
    >>> answer = analyse(votes, "soccer")
    >>> answer.tables["clusters"]["systems"].tolist()
    [['x'], ['y'], ['z']]
    """
    return answer_ranking(
        _loaded(data, reading),
        method,
        reference=reference,
        unit=unit,
        elo=elo,
        minimum=minimum,
        time_limit=time_limit,
        seed=seed,
        progress=progress,
    )


def _loaded(data: Any, reading: Mapping[str, Any]) -> Judgements:
    """Load what `analyse` takes; options are for files and frames."""
    ranking = [*analysis.ranking_of.__annotations__][1:-1]
    for name in reading:
        if name not in READING:
            raise unknown("option", name, [*ranking, *sorted(READING)])
        if isinstance(data, Judgements | Counts) or is_campaign(data):
            raise DataError(f"{name}: is for files and frames")
    if isinstance(data, Judgements):
        return data
    if isinstance(data, Counts):
        counted = count_comparisons(rows_of(data).frame, [])
        return of_campaign(counted, "Counts", data.comparisons)
    return read(data, **reading) if reading else load(data)


def answer_ranking(
    judgements: Judgements, method: Names = (), **options: Any
) -> Answer:
    """Rank judgements; the options are those of `analysis.ranking_of`."""
    result = analysis.ranking_of(judgements, method, **options)
    side = result.side
    settings = {  # None for what is not done
        "methods": [ranking.method for ranking in result.rankings],
        "units": [*result.units.kinds] if result.is_sure else None,
        "scale_of_scores": _elo_scale(result.elo),
        "minimum": None if result.minimum == MINIMUM else result.minimum,
        **result.settings._asdict(),
    }
    sentence = sentences.of_ranking(result)
    return _answer(
        "rank",
        judgements,
        settings,
        {
            "side": side and side.log_odds,
            "side_low": side and side.low,
            "side_high": side and side.high,
            "side_p": side and side.p,
        },
        sentence=sentence,
        sections=_ranking_sections(result),
        lead=_lead(result),
        notes=_ranking_notes(result),
        warnings=result.warnings,
        pictures=_ranking_pictures(result, sentence),
    )


def answer_stability(
    judgements: Judgements,
    method: Names = (),
    *,
    reference: References = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Answer:
    """Rank the others without each system; for the options see `analyse`."""
    data, joint, human = analysis.with_reference(judgements, reference)
    wanted = analysis.names_of(method)
    names = analysis.chosen_methods(data, wanted, joint)
    if not wanted:
        names = names[:1]
    settings = analysis.settings_of(data, names, joint, seed, time_limit)

    def leave_out_each(name: str) -> removals.LeaveOneOut:
        say_share = partial(progress, f"leaving out each system, {name}")
        return removals.stability(data, name, progress=say_share, **settings._asdict())

    results, failed = analysis.apply_methods(judgements, names, wanted, leave_out_each)
    names = [result.ranking.method for result in results]

    def of_all(tables: list[pd.DataFrame]) -> pd.DataFrame:
        """Join a table of each method, and name the method in its rows."""
        named = [t.assign(method=name) for t, name in zip(tables, names, strict=True)]
        return pd.concat(named, ignore_index=True)

    sections = [
        Section("left_out", "Left out", of_all([r.table for r in results])),
        Section("fragile", "Fragile systems", of_all([r.systems for r in results])),
        Section("neighbours", "", of_all([r.neighbours for r in results])),
    ]
    first = results[0].table
    changed = first.loc[first["changed"], "removed"].tolist()
    lead = ""
    if changed:
        lead = NAME_SWAPS if first["reversed"].any() else NAME_TIES
    warnings = [*judgements.warnings, *human, *failed]
    warnings += [result.note for result in results]
    if links := _links(data.counted, first["removed"]):
        fault = (
            f"a single system links some of the others ({join_names(links)}): without"
            " it their order means nothing"
        )
        warnings.append(warning("disconnected", fault))
    return _answer(
        "stability",
        judgements,
        {**settings._asdict(), "methods": names},
        sentence=sentences.of_stability(changed, len(first)),
        lead=lead,
        sections=sections,
        warnings=warnings,
    )


def _links(data: Counts | Campaign, systems: Iterable[str]) -> list[str]:
    """List the systems without which others fall apart, if all are linked with them."""
    if groups_apart(data).any():
        return []
    return [name for name in systems if groups_apart(leave_out(data, [name])).any()]


def answer_models(
    judgements: Judgements,
    model: Names = (),
    *,
    reference: References = None,
    unit: str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Answer:
    """Compute the held-out perplexity of preference models (Hopkins & May 2013).

    A reference, if one is named, is left out altogether; otherwise every system counts.
    What is held out is by default the largest unit of which the file tells enough
    apart: judgements that share a judge or a ranking are alike, and a model that has
    seen one of them predicts the others too well.

    Raises
    ------
    DataError
        The judgements are assessments, or one line on what else cannot be done.
    """
    if judgements.kind == "assessments":
        raise judgements.refuse(
            "holds assessments; compare needs comparisons or rankings"
        )
    data, joint, human = analysis.with_reference(judgements, reference or "")
    data = without(data, joint)
    if not len(data.times):
        raise judgements.refuse(f"no comparisons without {joint!r}")
    with analysis.refusals_of(judgements):
        validation = cross_validation.compare(
            data,
            analysis.names_of(model) or None,
            unit=unit,
            folds=FOLDS,
            seed=seed,
            progress=lambda name, share: progress(f"predicting by {name}", share),
        )
    unit = validation.unit
    table = validation.table
    caption = (
        f"Perplexity on held-out {unit}s, {FOLDS} folds; bars: two standard errors."
    )
    is_near = table["difference"] <= 2 * table["difference_error"]
    near = table["model"][is_near].tolist()
    choice = _choice(near, methods.usual(data.counted)[0])
    return _answer(
        "compare",
        judgements,
        {"reference": joint, "unit": unit, "seed": seed},
        sentence=sentences.of_models(near, len(table)),
        lead=f"About equal, within two standard errors: {', '.join(near)}. {choice}",
        sections=[Section("models", "Models", table)],
        warnings=[
            *judgements.warnings,
            *human,
            validation.note,
            *sampling_units.still_shared(judgements, unit, FOLDS),
        ],
        pictures=[Picture("perplexities", caption, (table,))],
    )


def answer_judges(
    judgements: Judgements,
    *,
    reference: References = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Answer:
    """Estimate how far each judge can be relied on.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    data, reference, human = analysis.with_reference(judgements, reference)
    is_scored = judgements.kind == "assessments"
    unit = "worker" if is_scored else "judge"
    if sampling_units.number_of(judgements, unit) < 2:
        raise judgements.refuse(
            f"tells no {unit}s apart; expected two or more, to hold against each other"
        )
    progress("comparing each judge with the others", 0.0)
    report = agreement.judges(data, reference=reference, seed=seed)
    table = report.table
    caption = "Judges"
    if len(table) > LISTED:
        caption = f"The {LISTED} least reliable judges"
    sections = [Section("judges", caption, table, table.head(LISTED))]
    steps = [READ_JUDGES] if table["doubtful"].any() else []
    if is_scored and table["level_changes"].any():
        changing = table[table["level_changes"].fillna(False)]
        sections.append(Section("", CHANGING, changing))
        steps.insert(0, READ_HITS)
    if is_scored or "segment" in judgements.units:
        progress("drawing segments", 0.0)
        n_resamples = agreement.RESAMPLES
        counted = data if reference is None else leave_out(data, [reference])
        measures = agreement.agreement(counted, n_resamples=n_resamples, seed=seed)
        if len(measures):
            sections.append(Section("agreement", "Agreement", measures))
    pictures = []
    drawn = table.dropna(subset="reliability").head(LISTED)
    if len(drawn):
        pictures = [Picture("reliabilities", RELIABILITIES, (drawn,))]
    return _answer(
        "judges",
        judgements,
        {"reference": reference, "fewest": report.fewest, "seed": seed},
        sentence=sentences.of_judges(table, unit),
        lead=f"What to do: {'; '.join(steps)}." if steps else "",
        sections=sections,
        notes=_judge_notes(table),
        warnings=[*judgements.warnings, *human],
        pictures=pictures,
    )


# --- shared by the answers ------------------------------------------------------------


def _answer(
    command: str,
    judgements: Judgements,
    settings: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    *,
    warnings: Sequence[str],
    **content: Any,
) -> Answer:
    """Put together an answer: its head, its signature, the judges of the file."""
    name = visible(PurePath(judgements.path).name)
    size = f"{judgements.rows} rows ({judgements.kind})"
    size += f", {len(judgements.systems)} systems"
    if judgements.comparisons is not None:
        size += f", {judgements.counts.comparisons} comparisons"
    if "judge_group" in judgements.units:
        number = sampling_units.number_of(judgements, "judge_group")
        size += f", {number} groups of judges"
    signed = {"kind": judgements.kind, "task": judgements.task, **settings}
    data = judgements.sha256
    head = {
        "Judgements": f"{name}: {size}",
        **{k.capitalize(): said for k, said in judgements.declared_words.items()},
        "Task": judgements.task,
        "Reference": _role(
            judgements, settings["reference"], settings.get("methods", ())
        ),
        "Scores": settings.get("scale_of_scores"),
        "Date": _date(judgements.path),
        "Signature": signature_of(f"wmtlib {command}", data=data[:8], **signed),
    }
    return Answer(
        about={label: words for label, words in head.items() if words},
        # Several methods may warn of the same.
        warnings=[*dict.fromkeys(filter(None, warnings))],
        facts={
            "command": command,
            "file": name,
            "data": data,
            **signed,
            "versions": versions(),
            "rows": judgements.rows,
            "export": judgements.export,
            "roles": {**judgements.columns},
            "scale": judgements.declared and [*judgements.declared],
            "left_out": {**judgements.left_out},
            "rows_left_out": {**judgements.rows_left_out},
            **(facts or {}),
        },
        people={
            pseudonym: visible(person)
            for pseudonym, person in judgements.people.items()
            if pseudonym not in judgements.systems
        },
        **content,
    )


def _date(path: str) -> str | None:
    """Return the day of a file, or of `SOURCE_DATE_EPOCH`, for equal bytes."""
    if not os.path.isfile(path):
        return None
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(path)))
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _role(
    judgements: Judgements, reference: str | None, names: Sequence[str]
) -> str | None:
    """Explain how the reference counts for methods."""
    if not reference:
        return None
    if judgements.kind == "assessments":
        return f"{reference} (not ranked; its scores count for the workers' scales)"
    counted_by = ", ".join(name for name in names if METHODS[name].reference_counts)
    effect = f"count for {counted_by} only" if counted_by else "do not count"
    return f"{reference} (not ranked; comparisons with it {effect})"


# --- rank -----------------------------------------------------------------------------


def _elo_scale(elo: Elo) -> str | None:
    """Explain the scale of Elo ratings, if scores are on it."""
    if not elo:
        return None
    fixed = f"the mean of the systems is {BASE:g}"
    if not isinstance(elo, bool):
        name, rating = elo
        fixed = f"{name} is {rating:g}; intervals are of differences to it"
    return f"Elo (400 points are odds of ten to one), {fixed}"


def _ranking_sections(result: RankingResult) -> list[Section]:
    """Make every table of a ranking, with the same columns whatever is known."""
    first = result.rankings[0]
    table = result.table
    shown = table.assign(rank=rank_words(first).array)
    columns = ["rank", *ENDS[:2], "system", "score", *ENDS[2:], "n", "cluster"]
    if _has_points(table):
        columns.insert(7, "points")
    clusters = table.groupby("cluster", as_index=False).agg(
        rank_low=("rank_low", "min"),
        rank_high=("rank_high", "max"),
        systems=("system", list),
    )
    rankings = [
        ranking.table[["system", "rank", "score"]]
        .join(ranking.rank_ranges.astype("Int64").add_suffix("_rank"), on="system")
        .assign(method=ranking.method)
        for ranking in result.rankings
    ]
    every = pd.concat(rankings, ignore_index=True)
    caption = "Ranks by every method" if rankings[1:] else ""
    ranks = side_by_side(result.rankings).rename_axis("system").reset_index()
    sections = [
        Section("ranking", f"Ranking by {first.method}", table, shown[columns]),
        Section("clusters", "", clusters),
        Section("rankings", caption, every, ranks),
        Section("methods", "Methods", _methods_table(result)),
    ]
    if result.pairs is not None:
        caption = PAIRS if len(result.pairs) else ""
        sections.append(Section("pairs", caption, result.pairs))
    return sections


def _has_points(table: pd.DataFrame) -> bool:
    """Say if mean points tell more than the scores."""
    points = table["points"]
    return bool(points.notna().all()) and not points.equals(table["score"])


def _methods_table(result: RankingResult) -> pd.DataFrame:
    """Describe each method in a row, with the judgements that its order contradicts."""
    rankings = result.rankings
    names = [ranking.method for ranking in rankings]
    table = pd.DataFrame({"method": names})
    if result.counts is not None:
        wins = result.counts.wins
        table["violated"] = [violated_weight(wins, r.order) for r in rankings]
        table["comparisons"] = result.counts.comparisons
        for fact in WHOLE_NUMBERS:
            values = [ranking.facts.get(fact) for ranking in rankings]
            table[fact] = pd.array(values, "Int64")
    table["about"] = [METHODS[name].about for name in names]
    return table.assign(note=[ranking.note for ranking in rankings])


def _ranking_notes(result: RankingResult) -> list[str]:
    """Explain more than must be known: who was shown first, the usual method."""
    if result.counts is None:
        return []
    notes = []
    if reason := side_unknown(result.judgements.coded.tallied):
        notes.append(f"Who was shown first is not known: {reason}.")
    if result.usual:
        notes.append(
            f"{result.usual} is the usual method here: a pair was compared"
            f" {result.counts.per_pair:.3g} times on average (harmonic mean, 0 if some"
            f" never met); from {FEW_PER_PAIR} on it is expected-wins, a share of wins,"
            " else bradley-terry, which allows for the opponents that a system met."
        )
    return notes


def _lead(result: RankingResult) -> str:
    """Explain by what systems are ranked, how sure that is, and what was asked for."""
    first = METHODS[result.rankings[0].method]
    by = f"{first.name}: {first.about}"
    if first.name == result.usual and isinstance(first, Strength):
        by += "; it allows for the opponents that a system met"
    if result.elo and result.usual and first.name != result.usual:
        by = f"{first.name}, not {result.usual}, which has no log strengths for Elo"
    lines = [f"Ranked by {by}.", _certainty(result)]
    side = result.side
    if side and any(METHODS[ranking.method].sided for ranking in result.rankings):
        lines.append(
            f"The system shown first has an advantage of {side.words}: it wins"
            f" {side.share}."
        )
    return " ".join(lines)


def _certainty(result: RankingResult) -> str:
    """Explain the sets of ranks, and the lines that follow from them."""
    if result.pairs is None:
        return "There are no lines: no two systems have enough judgements."
    if not result.is_sure:
        method = result.rankings[0].method
        return f"How sure this is {method} does not say: there are no lines."
    kinds = map(sampling_units.words, result.units.kinds)
    left_out = " and ".join(f"each {kind}" for kind in kinds)
    how = (
        f"How sure: {left_out or 'each judgement'} was left out in turn; ranks: those"
        " that a system may have, for all systems at once in 95 of 100 rankings."
    )
    if result.table["cluster"].max() == 1:
        return how
    return f"{how} A line (a new cluster): no ranks cross it."


def _ranking_pictures(result: RankingResult, sentence: str) -> list[Picture]:
    """Choose pictures: intervals with lines, and who beat whom."""
    first = result.rankings[0]
    table = result.table
    order = first.order
    size = len(order)
    frame = table.rename(columns={"score_low": "low", "score_high": "high"})
    frame = frame.dropna(axis="columns", how="all")
    frame = frame.join(first.rank_ranges.astype(float), on="system")
    frame["place"] = table["rank"]
    frame["line"] = frame["cluster"].diff(-1).fillna(0) != 0
    caption = sentence
    if "low" in frame:
        caption += " Bars: 95 % intervals, each by itself."
    if _has_points(table):
        frame["system"] += frame["points"].map(" ({:.1f})".format)
        caption += " In brackets: mean points."
    if size > MOST_BARS:
        caption += f" The first {MOST_BARS} of {size} systems."
    pictures = [Picture("intervals", caption, (frame.head(MOST_BARS),))]
    if result.counts is not None and size <= MOST_BARS:
        caption = (
            "Margins: wins less losses of the row's system; a frame marks a pair that"
            " the ranking contradicts."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        pictures.append(Picture("heatmap", caption, (result.counts, order), square))
    return pictures


# --- compare --------------------------------------------------------------------------


def _choice(near: Sequence[str], usual: str) -> str:
    """Say by which of the models that predict best to rank."""
    if usual in near:
        return f"Choose any of them that ranks; rank's default, {usual}, is among them."
    ranking = [name for name in near if METHODS[name].kind != "model"]
    if ranking:
        return f"To rank by one, and not by {usual}: --method {ranking[0]}."
    return f"None of them ranks systems: keep {usual}."


# --- judges ---------------------------------------------------------------------------


def _judge_notes(table: pd.DataFrame) -> list[str]:
    """Explain how to read the tables of judges."""
    is_scored = "mean" in table
    data = "nominal data"
    reliability = (
        "decided comparisons that favour the system which all others rank higher"
    )
    if is_scored:
        data = "interval data, z-scores"
        reliability = "correlation of z-scores with the others' mean of the same output"
    notes = [
        f"Agreement: 0 as by chance, 1 always; alpha is of {data}; low, high: 95 %.",
        f"Reliability: {reliability}; expected: what is likely of a typical judge. At"
        " odds: the 95 % interval is below what is expected.",
    ]
    if is_scored:
        notes.append(
            "Mean, sd: of the judge's scores, in points. A low mean is strictness and a"
            " small sd a narrow use of the scale; a ranking by z-scores takes both out."
            " A low reliability is noise or another opinion, which nothing takes out."
        )
    return notes


# By the command that asks: who answers, and whose annotations name the options.
QUESTIONS: dict[str, tuple[Callable[..., Answer], Any]] = {
    "rank": (answer_ranking, analysis.ranking_of),
    "stability": (answer_stability, answer_stability),
    "compare": (answer_models, answer_models),
    "judges": (answer_judges, answer_judges),
}
