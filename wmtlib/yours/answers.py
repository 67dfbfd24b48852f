"""Answers about somebody's judgements: tables, and what must be said beside them.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, ask these
functions. `wmtlib.yours.questions` computes; here stands what is said of it, and
`wmtlib.yours.show` prints an answer, writes it as JSON or into a folder. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter, warn

import pandas as pd

from wmtlib.corrections import CORRECTIONS
from wmtlib.counts import REFERENCE
from wmtlib.errors import JudgementWarning
from wmtlib.methods import METHODS, MINIMUM
from wmtlib.mfas import violated_weight
from wmtlib.models import tally
from wmtlib.ranking import Ranking, rank_words, side_by_side
from wmtlib.sampling import side_unknown
from wmtlib.yours import collection, questions
from wmtlib.yours.elo import BASE, Anchor
from wmtlib.yours.questions import (
    FEW_PER_PAIR,
    RANK_RANGES,
    JudgesResult,
    Names,
    Progress,
    RankingOptions,
    RankingResult,
    References,
    silent,
)
from wmtlib.yours.reading.judgements import Judgements, visible
from wmtlib.yours.reading.read import read
from wmtlib.yours.show import Answer, Picture, readable, span

if TYPE_CHECKING:
    pass

MOST_DRAWN = 100  # systems; of more, intervals alone are drawn
MOST_BARS = 40  # systems whose intervals are drawn
WHOLE_NUMBERS = ("lower_bound", "optimal_orders")  # facts of a ranking by mfas
ENDS = ["rank_low", "rank_high", "score_low", "score_high"]  # of intervals
INTERVALS = [*ENDS, "above_next"]
STABILITY = {  # keys of tables, and what `resampling.LeaveOneOut` calls them
    "left_out": "table",
    "fragile": "systems",
    "neighbours": "neighbours",
}
COMPARE = (
    "wmtlib compare asks another question: which model predicts the next judgement?"
    " There scores differ little from each other, and mfas, an order without distances,"
    " is behind (notebook 23)."
)
LISTED = 25  # judges; the least reliable are shown, all are in files and JSON


def analyse(
    data: Any,
    method: Names = (),
    *,
    reference: References = None,
    bootstrap: int = 0,
    unit: str | None = None,
    clusters: str | None = None,
    rule: str | None = None,
    correction: str = CORRECTIONS[0],
    robust: bool = False,
    elo: bool = False,
    anchor: Anchor | None = None,
    minimum: int = MINIMUM,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Answer:
    """All that `wmtlib rank` says of a frame: ranking, intervals, clusters, warnings.

    Parameters
    ----------
    data : DataFrame, path or Judgements
        What `wmtlib.read` takes or gives; say by `wmtlib.read` how a frame is to be
        understood.
    method : str or sequence of str
        As `wmtlib.ranking_methods` lists them; the usual ones if none is given.
    reference : str or sequence of str, optional
        Human references among the systems, not ranked; "" if there is none.
    bootstrap : int
        Resamples by the first method; 0 for none but those of ranges of ranks.
    unit, clusters, rule, correction, robust, elo, anchor, minimum, time_limit, seed
        As `wmtlib rank --help` has them; see `wmtlib.yours.questions.RankingOptions`.
    progress : callable
        Is told what is being done, and the share of it that is done.

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
    judgements = data if isinstance(data, Judgements) else read(data)
    with catch_warnings():
        simplefilter("ignore", JudgementWarning)  # the answer holds them all
        answer = answer_ranking(
            judgements,
            method,
            reference=reference,
            n_resamples=bootstrap,
            unit=unit,
            clusters=clusters,
            rule=rule,
            correction=correction,
            robust=robust,
            elo=elo,
            anchor=anchor,
            minimum=minimum,
            time_limit=time_limit,
            seed=seed,
            progress=progress,
        )
    for line in answer.warnings:
        warn(line, JudgementWarning, stacklevel=2)
    return answer


def answer_ranking(
    judgements: Judgements, method_names: Names = (), **options: Any
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method_names : str or sequence of str
        "all" for all that apply, none for the usual ones.
    **options
        Of `wmtlib.yours.questions.RankingOptions`.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    chosen = RankingOptions(**options)
    result = questions.ranking_of(judgements, method_names, chosen)
    table = _ranking_table(result)
    tables = {
        "ranking": table,
        "clusters": _clusters_table(result, table),
        "rankings": pd.concat([*map(_ranks_of, result.rankings)], ignore_index=True),
        "methods": _methods_table(result),
    }
    tiers = _tiers_table(result)
    if tiers is not None:
        tables["tiers"] = tiers
    samples = result.samples
    if samples is not None:
        tables["intervals"] = samples.table
        if table["score"].notna().any():
            covariance = samples.scores[[*table["system"]]].cov()
            rows = covariance.to_numpy().tolist()
            tables["covariance"] = table[["system"]].assign(covariances=rows)
    warnings = [*result.warnings]
    if result.pairs is not None:
        tables["pairs"] = result.pairs
        tables["reversed_pairs"] = reversed_pairs(result.pairs)
    if result.by_rule is not None:
        tables["rule"] = result.by_rule
    if result.fewest is not None:
        tables["removals"] = result.fewest.table
        changes = result.fewest.table["rescaled"]
        undone = (changes == False).sum()  # noqa: E712 (missing is neither)
        if undone:
            warnings.append(
                f"{undone} of {len(changes)} changes do not come about when the"
                " workers' means and standard deviations are computed from what is left"
            )
    answer = Answer(
        _ranking_title(result, table),
        tables=tables,
        views=_ranking_views(result, tables),
        lead=_lead(result),
        notes=_ranking_notes(result),
        warnings=warnings,
        pictures=_ranking_pictures(table, result),
    )
    settings = _ranking_settings(result)
    signed = _signed(answer, "rank", result.judgements, settings, result.rankings)
    return replace(signed, facts={**signed.facts, **_chance_facts(result)})


def answer_stability(
    judgements: Judgements, method_names: Names = (), **options: Any
) -> Answer:
    """Rank the others without each system; options of `questions.stability_of`."""
    result = questions.stability_of(judgements, method_names, **options)
    views = {}
    notes = []
    for stability in result.results:
        name = stability.ranking.method
        table = stability.table
        views[f"Left out ({name})"] = table
        views[f"Fragile systems ({name})"] = stability.systems
        notes.append(
            f"{name}: without one system the order of the others changes in"
            f" {table['changed'].sum()} of {len(table)} cases."
        )
    tables = {
        key: pd.concat(
            [
                getattr(stability, name).assign(method=stability.ranking.method)
                for stability in result.results
            ],
            ignore_index=True,
        )
        for key, name in STABILITY.items()
    }
    answer = Answer(
        "Would the ranking be another without one of the systems?",
        tables=tables,
        views=views,
        notes=notes,
        warnings=result.warnings,
    )
    rankings = [stability.ranking for stability in result.results]
    reference, seed, time_limit = result.settings
    settings = {
        "reference": reference,
        "time_limit": time_limit,
        "seed": seed,
        "methods": [ranking.method for ranking in rankings],
    }
    return _signed(answer, "stability", result.judgements, settings, rankings)


def answer_models(
    judgements: Judgements, model_names: Names = (), **options: Any
) -> Answer:
    """Held-out perplexity of preference models (Hopkins & May 2013).

    A reference, if one is named, is left out altogether; otherwise every system counts.
    What is held out is by default the largest unit of which the file tells enough
    apart: judgements that share a judge or a ranking are alike, and a model that has
    seen one of them predicts the others too well. Options of `questions.models_of`.

    Raises
    ------
    DataError
        The judgements are assessments, or one line on what else cannot be done.
    """
    result = questions.models_of(judgements, model_names, **options)
    validation = result.validation
    table = validation.table
    best = table["model"][0]
    is_near = table["difference"] <= 2 * table["difference_error"]
    near = [name for name in table["model"][is_near] if name != best]
    note = (
        "Perplexity: 3 is knowing nothing and 1 knowing all of win, loss and tie."
        f" Best: {best}; within two standard errors of it: {', '.join(near) or 'none'}."
    )
    caption = (
        f"Perplexity on held-out {validation.unit}s, {validation.folds} folds; bars:"
        " two standard errors."
    )
    answer = Answer(
        "Which analysis should be trusted here?",
        tables={"models": table},
        views={"Models": table},
        notes=[note],
        warnings=result.warnings,
        pictures=[Picture("perplexities", caption, (table,))],
    )
    settings = {
        "reference": result.reference,
        "unit": validation.unit,
        "folds": validation.folds,
        "repeats": validation.repeats,
        "seed": result.seed,
    }
    return _signed(answer, "compare", result.judgements, settings, [])


def answer_judges(judgements: Judgements, **options: Any) -> Answer:
    """How far each judge can be relied on; options of `questions.judges_of`.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    result = questions.judges_of(judgements, **options)
    report = result.report
    table = report.table
    tables = {"judges": table}
    views = {}
    if len(result.agreement):
        tables["agreement"] = result.agreement
        views["Agreement"] = result.agreement
    caption = "Judges"
    if len(table) > LISTED:
        caption = f"The {LISTED} least reliable judges"
    views[caption] = table.head(LISTED)
    pictures = []
    drawn = table.dropna(subset="reliability").head(LISTED)
    if len(drawn):
        words = (
            "Reliability of judges with 95 % intervals. Blue: what is expected; orange:"
            " doubtful."
        )
        pictures = [Picture("reliabilities", words, (drawn,))]
    answer = Answer(
        f"{len(table)} judges: how far do they agree?",
        tables=tables,
        views=views,
        notes=_judge_notes(result),
        warnings=result.warnings,
        pictures=pictures,
    )
    settings = {
        "reference": result.reference,
        "method": report.ranking.method,
        "fewest": report.fewest,
        "seed": result.seed,
    }
    return _signed(answer, "judges", result.judgements, settings, [report.ranking])


# --- what the answers share -----------------------------------------------------------


def _signed(
    answer: Answer,
    command: str,
    judgements: Judgements,
    settings: Mapping[str, Any],
    rankings: Sequence[Ranking],
) -> Answer:
    """An answer with its head, its signature, and the judges of the file."""
    name = visible(PurePath(judgements.path).name)
    signed: dict[str, Any] = {
        "kind": judgements.kind,
        "task": judgements.task,
        **settings,
    }
    versions = {package: version(package) for package in ("wmtlib", "numpy", "scipy")}
    values = {"data": judgements.sha256[:8], **signed, **versions}
    signature = []
    for key, value in values.items():
        words = ",".join(value) if isinstance(value, list) else value
        if words not in (None, ""):
            signature.append(f"{key}={words}")
    head = {
        "Judgements": f"{name}: {_size(judgements)}",
        "Columns": judgements.reading,
        "Task": judgements.task,
        "Reference": _role(judgements, settings["reference"], rankings),
        "Scale": settings.get("scale_of_scores"),
        "Date": _date(judgements.path),
        "Signature": "|".join([f"wmtlib {command}", *signature]),
    }
    facts = {
        "command": command,
        "file": name,
        "data": judgements.sha256,
        **signed,
        "versions": versions,
        "rows": judgements.rows,
        "columns": dict(judgements.columns),
        "unused": [*judgements.unused],
        "scale": judgements.scale,
    }
    people = {
        pseudonym: visible(identifier)
        for pseudonym, identifier in judgements.people.items()
        if pseudonym not in judgements.systems
    }
    return replace(
        answer,
        about={label: words for label, words in head.items() if words},
        # Tests and resamples may warn of the same.
        warnings=[*dict.fromkeys(answer.warnings)],
        facts=facts,
        people=people,
    )


def _date(path: str) -> str | None:
    """The day of a file, or of `SOURCE_DATE_EPOCH`; two runs give the same bytes."""
    if not os.path.isfile(path):
        return None
    seconds = float(os.environ.get("SOURCE_DATE_EPOCH", os.path.getmtime(path)))
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _size(judgements: Judgements) -> str:
    """How many rows, systems, comparisons and groups of judges."""
    systems = len(judgements.systems)
    size = f"{judgements.rows} rows ({judgements.kind}), {systems} systems"
    if judgements.comparisons is not None:
        size += f", {judgements.counts.comparisons} comparisons"
        if "judge_group" in judgements.units:
            groups = judgements.comparisons["judge_group"].nunique()
            size += f", {groups} groups of judges"
    return size


def _role(
    judgements: Judgements, reference: str | None, rankings: Sequence[Ranking]
) -> str | None:
    """What becomes of the reference in these rankings; without one, for models."""
    if not rankings:
        if reference:
            return f"{reference} (left out, with all comparisons with it)"
        if REFERENCE in judgements.systems:
            return f"{REFERENCE} (counts as a system)"
    if not reference:
        return None
    if judgements.kind == "assessments":
        return f"{reference} (not ranked; its scores count for the workers' scales)"
    methods = [METHODS[ranking.method] for ranking in rankings]
    counted_by = ", ".join(m.name for m in methods if m.reference_counts)
    effect = f"count for {counted_by} only" if counted_by else "do not count"
    return f"{reference} (not ranked; comparisons with it {effect})"


# --- rank -----------------------------------------------------------------------------


def _ranking_settings(result: RankingResult) -> dict[str, Any]:
    """The settings of a ranking as they are signed; None for what is not done."""
    plan = result.plan
    minimum = result.options.minimum
    return {
        "methods": [ranking.method for ranking in result.rankings],
        "clusters": plan.clusters,
        "correction": plan.correction,
        "tested_by": [*plan.tested_by],
        "resamples": plan.n_resamples or None,
        "unit": None if result.samples is None else result.samples.unit,
        "robust": plan.removed,
        "rule": result.options.rule,
        "scale_of_scores": _scale_of(result.options),
        "reference": result.settings.reference,
        "minimum": minimum if minimum != MINIMUM else None,
        "time_limit": result.settings.time_limit,
        "seed": result.settings.seed,
    }


def _scale_of(options: RankingOptions) -> str | None:
    """What the Elo scale is fixed by, if it is asked for."""
    if options.anchor is not None:
        name, base = options.anchor
        fixed = f"{name} is {base:g}; intervals are of differences to it"
    elif options.elo:
        fixed = f"the mean of the systems is {BASE:g}"
    else:
        return None
    return f"Elo (400 points are odds of ten to one), {fixed}"


def _ranking_title(result: RankingResult, table: pd.DataFrame) -> str:
    """Who is first, of how many, and how sure that is."""
    first = result.rankings[0]
    verb = "are" if (table["rank"] == 1).sum() > 1 else "is"
    name = first.method.replace("-", " ")
    title = METHODS[first.method].title
    method = name if name == title.lower() else title
    ranks = ""
    if result.plan.clusters == RANK_RANGES and pd.notna(table["rank_low"][0]):
        low, high = table.loc[0, ["rank_low", "rank_high"]]
        ranks = f" (rank{'s' if low < high else ''} {span(low, high)})"
    return (
        f"{_first(first)} {verb} ranked first of {len(table)} systems by {method}"
        f"{ranks}"
    )


def _ranking_table(result: RankingResult) -> pd.DataFrame:
    """The ranking by the first method; the same columns, whatever is known."""
    table = result.rankings[0].table[["system", "rank", "score"]]
    intervals = pd.DataFrame(pd.NA, table.index, INTERVALS)
    if result.samples is not None:
        intervals = result.samples.table[INTERVALS]
    table = table.join(intervals).join(result.clusters.drop(columns="system"))
    columns = ["system", "rank", "score", *INTERVALS, "cluster", "wins"]
    numbers = dict.fromkeys(["rank_low", "rank_high", "cluster", "wins"], "Int64")
    return table.reindex(columns=columns).astype(numbers)


def _ranks_of(ranking: Ranking) -> pd.DataFrame:
    """The ranks by one method, and those that it leaves open."""
    ranges = ranking.rank_ranges.loc[ranking.order]
    return ranking.table[["system", "rank", "score"]].assign(
        best_rank=ranges["best"].astype("Int64").array,
        worst_rank=ranges["worst"].astype("Int64").array,
        method=ranking.method,
    )


def _clusters_table(result: RankingResult, table: pd.DataFrame) -> pd.DataFrame:
    """Clusters, with their systems and the ranks that these may have.

    Ranges of ranks if they draw the lines; of tests the places of the systems.
    """
    place = pd.Series(range(1, len(table) + 1), table.index)
    if result.plan.clusters == RANK_RANGES:
        table = table.fillna({"rank_low": place, "rank_high": place})
    else:
        table = table.assign(rank_low=place, rank_high=place)
    return table.groupby("cluster", as_index=False).agg(
        rank_low=("rank_low", "min"),
        rank_high=("rank_high", "max"),
        systems=("system", list),
    )


def _tiers_table(result: RankingResult) -> pd.DataFrame | None:
    """Tiers, by what the lines are drawn from; None if nothing is told apart."""
    from wmtlib import cluster_lines

    samples = result.samples
    order = [*result.clusters["system"]]
    if result.pairs is not None:
        return cluster_lines.tiers(cluster_lines.better_of(result.pairs, order))
    if samples is None:
        return None
    order = samples.ranking.without(samples.thin.index).order
    beats = samples.beats.loc[order, order]
    better = cluster_lines.better_in_resamples(beats, samples.n_resamples)
    return cluster_lines.tiers(better)


def _ranking_views(
    result: RankingResult, tables: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """What people are shown: beside a system stands what draws the lines."""
    first = result.rankings[0]
    table = tables["ranking"].assign(rank=rank_words(first).array)
    columns = ["system", "rank", "score", "cluster", "wins"]
    if result.plan.clusters == RANK_RANGES:
        columns = ["system", "rank", *ENDS[:2], "score", *ENDS[2:], "cluster"]
        if result.options.n_resamples:
            columns.insert(-1, "above_next")
    views = {
        f"Ranking by {first.method}": table[columns],
        "Clusters": tables["clusters"],
    }
    if len(tables.get("tiers", ())) > len(tables["clusters"]):
        views["Tiers"] = tables["tiers"]
    if result.pairs is not None and result.samples is not None:
        views["95 % of the resamples"] = table[["system", *INTERVALS]]
    if result.by_rule is not None:
        views[f"By the rule of {result.options.rule}"] = result.by_rule
    if result.fewest is not None:
        method = result.fewest.ranking.method
        views[f"Fewest removals ({method})"] = result.fewest.shown
    if len(result.rankings) > 1:
        ranks = side_by_side(result.rankings).rename_axis("system").reset_index()
        views["Ranks by every method"] = ranks
    methods = tables["methods"].drop(columns=[*WHOLE_NUMBERS], errors="ignore")
    names = {"comparisons": "of", "about": "what it is", "note": "remark"}
    views["Methods"] = methods.rename(columns=names)
    return views


def _methods_table(result: RankingResult) -> pd.DataFrame:
    """A row about each method, and the judgements that its order contradicts."""
    rows = []
    for ranking in result.rankings:
        row: dict[str, Any] = {"method": ranking.method}
        if result.counts is not None:
            row["violated"] = violated_weight(ranking.order, result.counts.wins)
            row["comparisons"] = result.counts.comparisons
            row |= {key: ranking.facts.get(key) for key in WHOLE_NUMBERS}
        row["about"] = METHODS[ranking.method].about
        row["note"] = ranking.note
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.astype({name: "Int64" for name in WHOLE_NUMBERS if name in table})


def _chance_facts(result: RankingResult) -> dict[str, float | None]:
    """The least violated weight, and its mean and 95 % range by chance."""
    names = ("least_violated", "expected", "expected_low", "expected_high")
    chance = result.chance
    if chance is None:
        return dict.fromkeys(names)
    values = (chance.least, chance.expected, *chance.interval)
    return dict(zip(names, values, strict=True))


def _ranking_notes(result: RankingResult) -> list[str]:
    """How to read the tables of a ranking."""
    samples = result.samples
    notes = []
    for ranking in result.rankings:
        if ranking.facts.get("optimal") is False:
            notes.append(
                f"{ranking.method}: no proof within {result.settings.time_limit:g} s"
                " that no order contradicts fewer judgements, as is usual with many"
                " systems; a longer time limit may find one."
            )
    if samples is not None and len(result.plan.drawn_by) > 1:
        units = " and ".join(result.plan.drawn_by)
        notes.append(
            f"Resamples are by {samples.unit}: of {units} it leaves the ranks more"
            " open."
        )
    if result.pairs is not None:
        notes.append(collection.reason_for(result.plan.tested_by, result.pairs))
        if len(reversed_pairs(result.pairs)):
            notes.append(_reversed_note(result.pairs))
    if result.counts is not None:
        seen = tally(result.judgements.comparisons, result.judgements.systems)
        if reason := side_unknown(seen):
            notes.append(f"Who was shown first is not known: {reason}.")
    if result.per_pair is not None:
        notes.append(
            f"{result.rankings[0].method} comes first: a compared pair has"
            f" {result.per_pair:.3g} comparisons on average, and with fewer than"
            f" {FEW_PER_PAIR} a share of wins depends on which opponents it met."
        )
    elif result.rankings[0].method == "expected-wins":
        notes.append(
            "expected-wins comes first: it needs no model of ties, and pairs were"
            f" compared {FEW_PER_PAIR} times or more, on average."
        )
    if result.counts is not None:
        notes.append(COMPARE)
    if result.fewest is not None:
        size = result.fewest.table.iloc[0]
        notes.append(
            f"Fewest removals: chosen for it, so many {result.plan.removed}s (of"
            f" {size['units']}) or judgements (of {size['judgements']}) gone, or"
            " comparisons reversed, end a lead. This is the worst case, not what chance"
            " does: for that see the ranks."
        )
    if result.chance is not None:
        low, high = result.chance.interval
        more = "more" if result.chance.least > high else "no more"
        notes.append(
            f"Violated: {result.chance.least} judgements contradict the best order;"
            " votes of systems with a true order would give"
            f" {result.chance.expected:.0f} ({low:.0f} to {high:.0f}), so it is"
            f" {more} than chance gives."
        )
    return notes


def _lead(result: RankingResult) -> str:
    """What lines and ranges of ranks are, and why they may differ."""
    plan = result.plan
    samples = result.samples
    if result.pairs is not None:
        from wmtlib.pairwise_tests import ALPHA

        how = " and ".join(plan.tested_by)
        how = f"by {how}" if how else plan.clusters
        text = (
            f"Lines, clusters and wins come from tests of every pair ({how},"
            f" two-sided, p < {ALPHA:g}, correction: {plan.correction}). A line stands"
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
    if samples is not None and plan.clusters == RANK_RANGES:
        return (
            f"Ranges of ranks, lines and clusters all come from {samples.n_resamples}"
            f" resamples by {samples.unit}: a line stands where no range (95 %) crosses"
            " it. Two systems of one cluster may still be apart: then there are tiers."
        )
    return "There are no lines: no two systems have enough judgements."


def reversed_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs whose lower system is ahead in the tested difference.

    Of `pairs` of `cluster_lines.significance`: above, below, p and corrected.
    """
    is_reversed = pairs["ahead"] == pairs["below"]
    columns = ["above", "below", "p", "corrected"]
    return pairs.loc[is_reversed, columns].reset_index(drop=True)


def _reversed_note(pairs: pd.DataFrame) -> str:
    """That the ranking and the tests do not agree on who is better."""
    table = reversed_pairs(pairs)
    names = (table["above"] + " over " + table["below"]).tolist()
    shown = ", ".join(names[:LISTED])
    if len(names) > LISTED:
        shown += f" and {len(names) - LISTED} more"
    return (
        f"In {len(names)} of {len(pairs)} pairs the tested difference has another sign"
        " than the ranking, because a test compares two systems with each other alone"
        f" (scores on shared units, weighted by length): {shown}."
    )


def _ranking_pictures(table: pd.DataFrame, result: RankingResult) -> list[Picture]:
    """The ranking with intervals and lines, who beat whom, the methods side by side."""
    first = result.rankings[0]
    size = len(table)
    ranges = first.rank_ranges.loc[first.order].reset_index(drop=True).astype(float)
    frame = readable(table).join(ranges).assign(place=table["rank"])
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
    if result.counts is not None:
        caption = (
            "Margins: wins less losses of the row's system; a frame marks a pair that"
            " the ranking contradicts."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        drawn = (result.counts, first.order)
        pictures.append(Picture("heatmap", caption, drawn, square))
    if len(result.rankings) > 1:
        middles = {
            ranking.method: ranking.rank_ranges.mean(axis=1).fillna(
                ranking.column("rank")
            )
            for ranking in result.rankings
        }
        ranks = pd.DataFrame(middles).loc[first.order]
        wide = (3.2 + 1.4 * len(result.rankings), 1.2 + 0.26 * size)
        pictures.append(Picture("bump", "Ranks by each method.", (ranks,), wide))
    return pictures


def _first(ranking: Ranking) -> str:
    """The best systems, at most four names."""
    best = ranking.table.loc[ranking.table["rank"] == 1, "system"].tolist()
    if len(best) > 4:
        return f"{', '.join(best[:3])} and {len(best) - 3} more (tied)"
    return " and ".join(best) + (" (tied)" if len(best) > 1 else "")


# --- judges ---------------------------------------------------------------------------


def _judge_notes(result: JudgesResult) -> list[str]:
    """How to read the tables of judges."""
    is_worker = result.unit == "worker"
    agreement = (
        f"Agreement cannot be told: no two {result.unit}s are known to have judged the"
        " same outputs."
    )
    if len(result.agreement):
        data = "interval data, z-scores" if is_worker else "nominal data"
        agreement = (
            f"Agreement: 0 as by chance, 1 always; alpha is Krippendorff's ({data});"
            " inter: between judges, intra: a judge and the same again, kappa: beyond"
            " chance; low, high: 95 %."
        )
    reliability = (
        "decided comparisons that favour the system which all others rank higher"
    )
    if is_worker:
        reliability = "correlation of z-scores with the others' mean of the same output"
    report = result.report
    rated = int(report.table["reliability"].notna().sum())
    return [
        agreement,
        f"Reliability: {reliability}; expected: what is likely of a typical judge."
        f" {report.table['doubtful'].sum()} of {rated} judges are doubtful (the 95 %"
        " interval is below what is expected; by chance 1 in 40 is). Of"
        f" {len(report.table) - rated} with fewer than {report.fewest} nothing is said."
        f" reversed, first: pairs that change order by {report.ranking.method} without"
        " the judge, and who is first then.",
    ]


QUESTIONS = {  # by the command that asks
    "rank": answer_ranking,
    "stability": answer_stability,
    "compare": answer_models,
    "judges": answer_judges,
}
