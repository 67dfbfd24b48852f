"""Answers about somebody's judgements: this module writes tables and sentences.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, call these
functions. `wmtlib.report.analysis` and the modules of the library compute;
`wmtlib.report.show` prints an answer, writes it as JSON or into a folder. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, warn

import numpy as np
import pandas as pd

from wmtlib.checks import MINIMUM
from wmtlib.counts import REFERENCE, Counts, tally, without
from wmtlib.errors import JudgementWarning
from wmtlib.methods import FEW_PER_PAIR, METHODS, Method, Settings
from wmtlib.mfas import violated_weight
from wmtlib.public import load
from wmtlib.ranking import Ranking, rank_words, side_by_side
from wmtlib.reading.judgements import Judgements, visible
from wmtlib.report import analysis, sampling_units
from wmtlib.report.analysis import (
    BASE,
    MANY_SYSTEMS,
    Names,
    Progress,
    RankingResult,
    RankOptions,
    References,
    silent,
)
from wmtlib.report.show import ENDS, Answer, Picture, Section, readable
from wmtlib.report.signature import signature_of, versions
from wmtlib.sampling import side_unknown

if TYPE_CHECKING:
    from wmtlib.reliability import JudgeReport

MOST_DRAWN = 100  # systems; of more, intervals alone are drawn
MOST_BARS = 40  # systems whose intervals are drawn; of more, pairs are not drawn
WHOLE_NUMBERS = ("lower_bound", "optimal_orders")  # facts of a ranking by mfas
# Facts: the least violated weight, and its mean and 95 % range by chance.
CHANCE = ("least_violated", "expected", "expected_low", "expected_high")
SIDE = ("side", "side_low", "side_high", "side_p")  # facts: of who was shown first
INTERVALS = [*ENDS, "above_next"]
SHOWN = [
    "system",
    "rank",
    *ENDS[:2],
    "score",
    *ENDS[2:],
    "above_next",
    "cluster",
    "wins",
]
RELIABILITIES = (
    "Reliability of judges with 95 % intervals. Blue: what is expected; orange:"
    " doubtful."
)
STABILITY = {  # keys of tables, and what `stability.LeaveOneOut` calls them
    "left_out": "table",
    "fragile": "systems",
    "neighbours": "neighbours",
}
LISTED = 25  # judges, or pairs; the least reliable are shown, all are in files and JSON


def analyse(data: Any, method: Names | None = None, **options: Any) -> Answer:
    """Rank the systems of a frame, with intervals, clusters and warnings.

    The same as `wmtlib rank`.

    Parameters
    ----------
    data : path, campaign:task, DataFrame or Judgements
        What the command takes, a frame, or what `wmtlib.read` gave; say by
        `wmtlib.read` how a file or frame is to be understood.
    method : str or sequence of str
        As `wmtlib.ranking_methods` lists them; the usual ones if none is given.
    **options
        Reference, bootstrap, unit, clusters, rule, correction, robust, elo, anchor,
        minimum, time_limit, seed, progress: see `wmtlib.report.analysis.RankOptions`.

    Returns
    -------
    Answer
        `tables` are frames by their keys: ranking, clusters, ... (docs/json.md);
        `warnings` and `notes` are lines. The warnings are issued as `JudgementWarning`,
        too.

    Raises
    ------
    DataError
        One line on what cannot be read or done.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
    >>> answer = analyse(votes, "soccer")
    >>> answer.tables["clusters"]["systems"].tolist()
    [['x'], ['y'], ['z']]
    """
    judgements = data if isinstance(data, Judgements) else load(data)
    answer = answer_ranking(judgements, method or (), **options)
    for line in answer.warnings:
        warn(line, JudgementWarning, stacklevel=2)
    return answer


def answer_ranking(
    judgements: Judgements, method: Names = (), **options: Any
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method : str or sequence of str
        "all" for all that apply, none for the usual ones.
    **options
        Of `wmtlib.report.analysis.RankOptions`.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    asked = RankOptions(method, **options)
    # The answer holds all warnings.
    with catch_warnings(action="ignore", category=JudgementWarning):
        result = analysis.ranking_of(judgements, asked)
        samples = result.samples
        settings = {  # None for what is not done
            "methods": [ranking.method for ranking in result.rankings],
            "clusters": result.clusters_by,
            "correction": None if result.pairs is None else asked.correction,
            "tested_by": [*result.tested_by],
            "resamples": samples and samples.n_resamples,
            "unit": samples and samples.unit,
            "robust": result.fewest and result.fewest.unit,
            "rule": asked.rule,
            "scale_of_scores": _elo_scale(result.options),
            "reference": result.settings.reference,
            "minimum": None if asked.minimum == MINIMUM else asked.minimum,
            "time_limit": result.settings.time_limit,
            "seed": asked.seed,
        }
        facts: dict[str, Any] = dict.fromkeys([*CHANCE, *SIDE])
        facts["anchor"] = [*(asked.anchor or ())][:1]
        chance = result.chance
        if chance is not None:
            by_chance = [chance.least, chance.expected, *chance.interval]
            facts.update(zip(CHANCE, by_chance, strict=True))
        if result.side is not None:
            facts.update(zip(SIDE, result.side, strict=False))
        sections = _ranking_sections(result)
        table = sections[0].table
        return _answer(
            "rank",
            result.judgements,
            settings,
            result.rankings,
            facts,
            title=_ranking_title(result, table),
            sections=sections,
            lead=_lead(result),
            notes=_ranking_notes(result),
            warnings=result.warnings,
            pictures=_ranking_pictures(result, table),
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
    """Rank the others without each system; for the options see `RankOptions`."""
    from wmtlib.stability import LeaveOneOut, leave_one_out

    judgements, reference = analysis.with_reference(judgements, reference)
    wanted = analysis.names_of(method)
    names, _ = analysis.chosen_methods(judgements, wanted, reference, most=1)
    data = analysis.data_of(judgements)
    seconds = analysis.limit_of(time_limit, judgements, reference)
    settings = Settings(reference, seed, seconds)

    def leave_out(method: Method, judged: Any) -> LeaveOneOut:
        say_share = partial(progress, f"leaving out each system, {method.name}")
        return leave_one_out(
            judged, method.name, progress=say_share, **settings._asdict()
        )

    results, left_out = analysis.apply_methods(
        names, wanted, leave_out, progress, judgements, data
    )
    rankings = [result.ranking for result in results]
    names = [ranking.method for ranking in rankings]
    sections = []
    for key, attribute in STABILITY.items():
        tables = {r.ranking.method: getattr(r, attribute) for r in results}
        named = [table.assign(method=name) for name, table in tables.items()]
        sections.append(Section(key, "", pd.concat(named, ignore_index=True)))
    notes = []
    for name, result in zip(names, results, strict=True):
        table = result.table
        sections.append(Section("", f"Left out ({name})", table))
        sections.append(Section("", f"Fragile systems ({name})", result.systems))
        notes.append(
            f"{name}: without one system the order of the others changes in"
            f" {table['changed'].sum()} of {len(table)} cases."
        )
    remarks = [result.note for result in results]
    return _answer(
        "stability",
        judgements,
        {"reference": reference, "time_limit": seconds, "seed": seed, "methods": names},
        rankings,
        title="Would the ranking be another without one of the systems?",
        sections=sections,
        notes=notes,
        warnings=[*judgements.warnings, *left_out, *remarks],
    )


def answer_models(
    judgements: Judgements,
    model: Names = (),
    *,
    reference: References = None,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
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
    from wmtlib.cross_validation import compare

    if judgements.kind == "assessments":
        raise judgements.refuse(
            "holds assessments; compare needs comparisons or rankings"
        )
    unit = sampling_units.chosen(judgements, unit, at_least=max(folds, 2))
    judgements, reference = analysis.with_reference(judgements, reference or "")
    columns = [name for name in judgements.units if name in ("segment", unit)]
    data: Any = without(judgements.counted_by(columns), reference)
    if not len(data):
        raise judgements.refuse(f"no comparisons without {reference!r}")
    validation = compare(
        data,
        analysis.names_of(model) or None,
        unit=unit,
        folds=folds,
        repeats=repeats,
        seed=seed,
        progress=lambda model, share: progress(f"predicting by {model}", share),
    )
    table = validation.table
    caption = (
        f"Perplexity on held-out {unit}s, {folds} folds; bars: two standard errors."
    )
    best = table["model"][0]
    is_near = table["difference"] <= 2 * table["difference_error"]
    near = [name for name in table["model"][is_near] if name != best] or ["none"]
    named = {"reference": reference, "unit": unit}
    return _answer(
        "compare",
        judgements,
        {**named, "folds": folds, "repeats": repeats, "seed": seed},
        title="Which analysis should be trusted here?",
        sections=[Section("models", "Models", table)],
        notes=[
            "Perplexity: 3 is knowing nothing and 1 knowing all of win, loss and tie."
            f" Best: {best}; within two standard errors of it: {', '.join(near)}."
        ],
        warnings=[
            *judgements.warnings,
            validation.note,
            *sampling_units.still_shared(judgements, unit),
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
    from wmtlib import agreement, reliability

    judgements, reference = analysis.with_reference(judgements, reference)
    is_scored = judgements.kind == "assessments"
    unit = "worker" if is_scored else "judge"
    if sampling_units.number_of(judgements, unit) < 2:
        raise judgements.refuse(
            f"tells no {unit}s apart; expected two or more, to hold against each other"
        )
    progress("ranking without each judge", 0.0)
    data = analysis.data_of(judgements)
    judged = data
    if not is_scored:
        units = [name for name in judgements.units if name != "segment"]
        judged = judgements.counted_by(units)
    report = reliability.judges(judged, reference=reference)
    table = report.table
    caption = "Judges"
    if len(table) > LISTED:
        caption = f"The {LISTED} least reliable judges"
    sections = [Section("judges", caption, table, table.head(LISTED))]
    if is_scored or "segment" in judgements.units:
        progress("drawing segments", 0.0)
        n_resamples = agreement.RESAMPLES
        counted = data if is_scored else without(data, reference)
        measures = agreement.agreement(counted, n_resamples=n_resamples, seed=seed)
        if len(measures):
            sections.insert(0, Section("agreement", "Agreement", measures))
    pictures = []
    drawn = table.dropna(subset="reliability").head(LISTED)
    if len(drawn):
        pictures = [Picture("reliabilities", RELIABILITIES, (drawn,))]
    return _answer(
        "judges",
        judgements,
        {
            "reference": reference,
            "method": report.ranking.method,
            "fewest": report.fewest,
            "seed": seed,
        },
        [report.ranking],
        title=f"{len(table)} judges: how far do they agree?",
        sections=sections,
        notes=_judge_notes(report, unit, is_known=len(sections) > 1),
        warnings=judgements.warnings,
        pictures=pictures,
    )


# --- shared by the answers ------------------------------------------------------------


def _answer(
    command: str,
    judgements: Judgements,
    settings: Mapping[str, Any],
    rankings: Sequence[Ranking] = (),
    facts: Mapping[str, Any] | None = None,
    *,
    warnings: Sequence[str],
    **content: Any,
) -> Answer:
    """Put together an answer: its head, its signature, the judges of the file."""
    name = visible(PurePath(judgements.path).name)
    systems = len(judgements.systems)
    size = f"{judgements.rows} rows ({judgements.kind}), {systems} systems"
    if judgements.comparisons is not None:
        size += f", {judgements.counts.comparisons} comparisons"
    if "judge_group" in judgements.units:
        number = sampling_units.number_of(judgements, "judge_group")
        size += f", {number} groups of judges"
    signed = {"kind": judgements.kind, "task": judgements.task, **settings}
    data = judgements.sha256
    head = {
        "Judgements": f"{name}: {size}",
        "Columns": judgements.reading,
        "Task": judgements.task,
        "Reference": _role(judgements, settings["reference"], rankings),
        "Scale": settings.get("scale_of_scores"),
        "Date": _date(judgements.path),
        "Signature": signature_of(f"wmtlib {command}", data=data[:8], **signed),
    }
    return Answer(
        about={label: words for label, words in head.items() if words},
        # Tests and resamples may warn of the same.
        warnings=[*dict.fromkeys(filter(None, warnings))],
        facts={
            "command": command,
            "file": name,
            "data": data,
            **signed,
            "versions": versions(),
            "rows": judgements.rows,
            "columns": judgements.columns,
            "unused": judgements.unused,
            "scale": judgements.scale,
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
    judgements: Judgements, reference: str | None, rankings: Sequence[Ranking]
) -> str | None:
    """Explain how the reference counts in these rankings; without one, for models."""
    if not rankings:
        if reference:
            return f"{reference} (left out, with all comparisons with it)"
        if REFERENCE in judgements.systems:
            return f"{REFERENCE} (counts as a system)"
    if not reference:
        return None
    if judgements.kind == "assessments":
        return f"{reference} (not ranked; its scores count for the workers' scales)"
    names = [ranking.method for ranking in rankings]
    counted_by = ", ".join(name for name in names if METHODS[name].reference_counts)
    effect = f"count for {counted_by} only" if counted_by else "do not count"
    return f"{reference} (not ranked; comparisons with it {effect})"


# --- rank -----------------------------------------------------------------------------


def _ranking_title(result: RankingResult, table: pd.DataFrame) -> str:
    """Name the first system, by which method, and its range of ranks."""
    best = table.loc[table["rank"] == 1, "system"].tolist()
    first = " and ".join(best)
    if len(best) > 4:
        first = f"{', '.join(best[:3])} and {len(best) - 3} more"
    verb = "(tied) are" if len(best) > 1 else "is"
    method = METHODS[result.first.method]
    name = method.name.replace("-", " ")
    if name != method.title.lower():
        name = method.title
    ranks = ""
    shown = readable(table.head(1))
    if result.is_by_ranges and "ranks" in shown:
        number = shown.loc[0, "ranks"]
        ranks = f" (rank{'s' if '–' in number else ''} {number})"
    if result.options.elo and result.first.method != result.leading:
        ranks += f"; for Elo ranked by {result.first.method} instead of"
        ranks += f" {result.leading}, which has no log strengths"
    return f"{first} {verb} ranked first of {len(table)} systems by {name}{ranks}"


def _elo_scale(options: RankOptions) -> str | None:
    """Explain the scale of Elo ratings, if scores are on it."""
    if not options.elo:
        return None
    fixed = f"the mean of the systems is {BASE:g}"
    if options.anchor is not None:
        name, rating = options.anchor
        fixed = f"{name} is {rating:g}; intervals are of differences to it"
    return f"Elo (400 points are odds of ten to one), {fixed}"


def _ranking_sections(result: RankingResult) -> list[Section]:
    """Make every table of a ranking, with the same columns whatever is known.

    Rank ranges or wins are shown beside a system, whichever set the clusters.
    """
    first = result.first
    samples = result.samples
    table = _ranking_table(result)
    hidden = []
    if not result.is_by_ranges:
        hidden = INTERVALS
    elif not result.options.bootstrap:
        hidden = ["above_next"]
    shown = table.assign(rank=rank_words(first).array)[SHOWN].drop(columns=hidden)
    clusters = _clusters_table(result, table)
    sections = [
        Section("ranking", f"Ranking by {first.method}", table, shown),
        Section("clusters", "Clusters", clusters),
    ]
    tiers = _tiers_table(result)
    if tiers is not None:
        caption = "Tiers" if len(tiers) > len(clusters) else ""
        sections.append(Section("tiers", caption, tiers))
    if samples is not None:
        sections.append(Section("intervals", "", samples.table))
    pairs = result.pairs
    if pairs is not None:
        is_opposed = pairs["ahead"] == pairs["below"]
        opposed = pairs.loc[is_opposed, ["above", "below", "p", "corrected"]]
        sections.append(Section("pairs", "", pairs))
        sections.append(Section("reversed_pairs", "", opposed))
        if samples is not None:
            ranges = table[["system", *INTERVALS]]
            sections.append(Section("", "95 % of the resamples", ranges))
    if result.by_rule is not None:
        caption = f"By the rule of {result.options.rule}"
        sections.append(Section("rule", caption, result.by_rule))
    if result.fewest is not None:
        fewest = result.fewest
        caption = f"Fewest removals ({fewest.ranking.method})"
        sections.append(Section("removals", caption, fewest.table, fewest.shown))
    rankings = [
        ranking.table[["system", "rank", "score"]]
        .join(ranking.rank_ranges.astype("Int64").add_suffix("_rank"), on="system")
        .assign(method=ranking.method)
        for ranking in result.rankings
    ]
    caption = "Ranks by every method" if len(rankings) > 1 else ""
    ranks = side_by_side(result.rankings).rename_axis("system").reset_index()
    every = pd.concat(rankings, ignore_index=True)
    methods = _methods_table(result)
    names = {"comparisons": "of", "about": "what it is", "note": "remark"}
    shown = methods.drop(columns=[*WHOLE_NUMBERS], errors="ignore")
    return [
        *sections,
        Section("rankings", caption, every, ranks),
        Section("methods", "Methods", methods, shown.rename(columns=names)),
    ]


def _ranking_table(result: RankingResult) -> pd.DataFrame:
    """Put together ranks, scores, their intervals, clusters and wins."""
    table = result.first.table[["system", "rank", "score"]]
    if result.samples is not None:
        table = table.join(result.samples.table[INTERVALS])
    table = table.join(result.clusters.drop(columns="system"))
    columns = ["system", "rank", "score", *INTERVALS, "cluster", "wins"]
    whole = ["rank_low", "rank_high", "cluster", "wins"]
    return table.reindex(columns=columns).astype(dict.fromkeys(whole, "Int64"))


def _clusters_table(result: RankingResult, table: pd.DataFrame) -> pd.DataFrame:
    """List the systems of each cluster, and their ranks; by tests, their places."""
    ends = pd.DataFrame({"rank_low": table.index + 1, "rank_high": table.index + 1})
    if result.is_by_ranges:
        ends = table[[*ends]].fillna(ends)
    return (
        table.assign(**ends)
        .groupby("cluster", as_index=False)
        .agg(
            rank_low=("rank_low", "min"),
            rank_high=("rank_high", "max"),
            systems=("system", list),
        )
    )


def _tiers_table(result: RankingResult) -> pd.DataFrame | None:
    """Divide systems into tiers, by the same tests or resamples as the lines."""
    from wmtlib.cluster_lines import better_in_resamples, better_of, tiers

    samples = result.samples
    if result.pairs is not None:
        return tiers(better_of(result.pairs, result.first.order))
    if samples is None:
        return None
    order = samples.ranking.without(samples.thin.index).order
    beats = samples.beats.loc[order, order]
    return tiers(better_in_resamples(beats, samples.n_resamples))


def _methods_table(result: RankingResult) -> pd.DataFrame:
    """Describe each method in a row, with the judgements that its order contradicts."""
    rankings = result.rankings
    names = [ranking.method for ranking in rankings]
    table = pd.DataFrame({"method": names})
    if result.counts is not None:
        wins = result.counts.wins
        table["violated"] = [violated_weight(r.order, wins) for r in rankings]
        table["comparisons"] = result.counts.comparisons
        for fact in WHOLE_NUMBERS:
            values = [ranking.facts.get(fact) for ranking in rankings]
            table[fact] = pd.array(values, "Int64")
    table["about"] = [METHODS[name].about for name in names]
    return table.assign(note=[ranking.note for ranking in rankings])


def _ranking_notes(result: RankingResult) -> list[str]:
    """Explain how to read the tables of a ranking."""
    notes = [
        f"{ranking.method}: no proof within {result.settings.time_limit:g} s that no"
        " order contradicts fewer judgements, as is usual with many systems; a longer"
        " time limit may find one."
        for ranking in result.rankings
        if ranking.facts.get("optimal") is False
    ]
    samples = result.samples
    if samples is not None and len(result.drawn_by) > 1:
        units = " and ".join(result.drawn_by)
        notes.append(
            f"Resamples are by {samples.unit}: of {units} it leaves the ranks more"
            " open."
        )
    if samples is not None and len(result.first.order) > MANY_SYSTEMS:
        notes.append(
            f"{samples.n_resamples} resamples, as there are more than {MANY_SYSTEMS}"
            " systems: another number of them takes as much longer or shorter"
            " (bootstrap=N, --bootstrap N)."
        )
    if result.pairs is not None:
        notes.append(sampling_units.reason_for(result.tested_by, result.pairs))
        notes += _opposed(result.pairs, is_by_unit=result.clusters_by == "unit")
    if result.counts is not None:
        notes += _notes_on_comparisons(result, result.counts)
    if result.fewest is not None:
        number = result.fewest.table["units"].iloc[0]
        notes.append(
            f"Fewest removals: chosen for it, so many {result.fewest.unit}s (of"
            f" {number}) gone end a lead. This is the worst case, not what chance does:"
            " for that see the ranks."
        )
    chance = result.chance
    if chance is not None:
        low, high = chance.interval
        more = "more" if chance.least > high else "no more"
        notes.append(
            f"Violated: {chance.least} judgements contradict the best order; votes of"
            f" systems with a true order would give {chance.expected:.0f} ({low:.0f} to"
            f" {high:.0f}), so it is {more} than chance gives."
        )
    return notes


def _notes_on_comparisons(result: RankingResult, counts: Counts) -> list[str]:
    """Explain who was shown first, and which method comes first."""
    notes = []
    seen = tally(result.judgements.coded, result.judgements.systems)
    if reason := side_unknown(seen):
        notes.append(f"Who was shown first is not known: {reason}.")
    side = result.side
    if side and any(METHODS[ranking.method].sided for ranking in result.rankings):
        notes.append(
            f"The system shown first has an advantage of {side.words}: it wins"
            f" {side.share}."
        )
    first = result.first.method
    per_pair = result.per_pair
    effect = "so that a share of wins depends on which opponents a system met."
    if per_pair == 0:
        met = counts.met.to_numpy()
        pairs = len(met) * (len(met) - 1) // 2
        never = f"{pairs - np.count_nonzero(met) // 2} of {pairs} pairs of systems"
        notes.append(f"{first} comes first: {never} never met, {effect}")
    elif per_pair is not None and per_pair < FEW_PER_PAIR:
        notes.append(
            f"{first} comes first: a pair has {per_pair:.3g} comparisons on average"
            f" (harmonic mean), fewer than {FEW_PER_PAIR}, {effect}"
        )
    elif per_pair is not None and first == result.leading:
        notes.append(
            "expected-wins comes first: it needs no model of ties, and pairs were"
            f" compared {FEW_PER_PAIR} times or more, on average."
        )
    notes.append(
        "wmtlib compare asks another question: which model predicts the next judgement?"
        " There scores differ little from each other, and mfas, an order without"
        " distances, is behind (notebook 23)."
    )
    return notes


def _opposed(pairs: pd.DataFrame, *, is_by_unit: bool) -> list[str]:
    """Note pairs where test and ranking disagree."""
    opposed = pairs[pairs["ahead"] == pairs["below"]]
    names = (opposed["above"] + " over " + opposed["below"]).tolist()
    if not names:
        return []
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    how = ""
    if is_by_unit:
        how = " (scores on shared units, weighted by length)"
    return [
        f"In {len(names)} of {len(pairs)} pairs the tested difference has another sign"
        " than the ranking, because a test compares two systems with each other alone"
        f"{how}: {', '.join(names[:LISTED])}{more}."
    ]


def _lead(result: RankingResult) -> str:
    """Explain lines and ranges of ranks, and why they may differ."""
    samples = result.samples
    if result.pairs is not None:
        from wmtlib.pairwise_tests import ALPHA

        how = " and ".join(result.tested_by)
        how = f"by {how}" if how else result.clusters_by
        text = (
            f"Lines, clusters and wins come from tests of every pair ({how},"
            f" two-sided, p < {ALPHA:g}, correction:"
            f" {result.options.correction}). A line stands"
            " below a system that is significantly better than every system below it:"
            " one close system is enough for no line, and wins counts the others."
        )
        if samples is not None:
            text += (
                " Ranges of ranks come from resamples, and have a table of their own:"
                " a test speaks of two systems and a range of all, so that a range may"
                " cross a line, or end within a cluster."
            )
        return text
    if samples is not None and result.is_by_ranges:
        return (
            f"Ranges of ranks, lines and clusters all come from {samples.n_resamples}"
            f" resamples by {samples.unit}: a line stands where no range (95 %) crosses"
            " it. Two systems of one cluster may still be apart: then there are tiers."
        )
    return "There are no lines: no two systems have enough judgements."


def _ranking_pictures(result: RankingResult, table: pd.DataFrame) -> list[Picture]:
    """Choose pictures: intervals and lines, who beat whom, the methods side by side."""
    first = result.first
    order = first.order
    size = len(order)
    ranges = first.rank_ranges.astype(float)
    frame = table.rename(columns={"score_low": "low", "score_high": "high"})
    frame = frame.dropna(axis="columns", how="all").join(ranges, on="system")
    frame["place"] = table["rank"]
    frame["line"] = frame["cluster"].diff(-1).fillna(0) != 0
    about = METHODS[first.method].about
    caption = f"Ranking by {first.method} ({about}), with its clusters."
    if "low" in frame:
        caption += " Bars: 95 % of the resamples."
    if size > MOST_BARS:
        caption += f" The first {MOST_BARS} of {size} systems."
    pictures = [Picture("intervals", caption, (frame.head(MOST_BARS),))]
    if size > MOST_DRAWN:
        return pictures
    if result.counts is not None and size <= MOST_BARS:
        caption = (
            "Margins: wins less losses of the row's system; a frame marks a pair that"
            " the ranking contradicts."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        pictures.append(Picture("heatmap", caption, (result.counts, order), square))
    if len(result.rankings) > 1:
        middles = {}
        for ranking in result.rankings:
            middle = ranking.rank_ranges.mean(axis=1)
            middles[ranking.method] = middle.fillna(ranking.column("rank"))
        ranks = pd.DataFrame(middles).loc[order]
        wide = (3.2 + 1.4 * len(middles), 1.2 + 0.26 * size)
        pictures.append(Picture("bump", "Ranks by each method.", (ranks,), wide))
    return pictures


# --- judges ---------------------------------------------------------------------------


def _judge_notes(report: JudgeReport, unit: str, *, is_known: bool) -> list[str]:
    """Explain how to read the tables of judges."""
    data = "nominal data"
    reliability = (
        "decided comparisons that favour the system which all others rank higher"
    )
    if unit == "worker":
        data = "interval data, z-scores"
        reliability = "correlation of z-scores with the others' mean of the same output"
    agreement = (
        f"Agreement cannot be told: no two {unit}s are known to have judged the same"
        " outputs."
    )
    if is_known:
        agreement = (
            f"Agreement: 0 as by chance, 1 always; alpha is Krippendorff's ({data});"
            " inter: between judges, intra: a judge and the same again, kappa: beyond"
            " chance; low, high: 95 %."
        )
    table = report.table
    rated = int(table["reliability"].notna().sum())
    if not rated:
        cause = f"no {unit} shares {report.fewest} judgements with others"
        if not table["checked"].any():
            cause = f"they share no {'segment' if unit == 'worker' else 'system'}"
        return [agreement, f"Reliability of {unit}s cannot be told: {cause}."]
    return [
        agreement,
        f"Reliability: {reliability}; expected: what is likely of a typical judge."
        f" {table['doubtful'].sum()} of {rated} judges are doubtful (the 95 %"
        " interval is below what is expected; by chance 1 in 40 is). Of"
        f" {len(table) - rated} with fewer than {report.fewest} nothing is said."
        f" reversed, first: pairs that change order by {report.ranking.method} without"
        " the judge, and who is first then.",
    ]


# By the command that asks: who answers, and whose annotations name the options.
QUESTIONS: dict[str, tuple[Callable[..., Answer], Any]] = {
    "rank": (answer_ranking, RankOptions),
    "stability": (answer_stability, answer_stability),
    "compare": (answer_models, answer_models),
    "judges": (answer_judges, answer_judges),
}
