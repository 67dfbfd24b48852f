"""Answers about somebody's judgements: tables, and what must be said beside them.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, ask these
functions. `wmtlib.yours.questions` computes; here stands what is said of it, and
`wmtlib.yours.show` prints an answer, writes it as JSON or into a folder. Names may be
anybody's: they are shown as they are, and are never markup or mathematics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter, warn

import numpy as np
import pandas as pd

from wmtlib.counts import REFERENCE
from wmtlib.errors import JudgementWarning
from wmtlib.methods import METHODS, MINIMUM
from wmtlib.mfas import violated_weight
from wmtlib.models import tally
from wmtlib.ranking import Ranking, rank_words, side_by_side
from wmtlib.sampling import side_unknown
from wmtlib.yours import collection, questions
from wmtlib.yours.questions import (
    FEW_PER_PAIR,
    RANK_RANGES,
    JudgesResult,
    Names,
    RankingOptions,
    RankingResult,
)
from wmtlib.yours.reading.judgements import Judgements, visible
from wmtlib.yours.reading.read import read
from wmtlib.yours.show import Answer, Picture

if TYPE_CHECKING:
    from wmtlib.resampling import BootstrapResult

MOST_DRAWN = 100  # systems; of more nothing is drawn
WHOLE_NUMBERS = ("lower_bound", "optimal_orders")  # facts of a ranking by mfas
TIERS_FROM = 20  # systems, whose ranges of ranks chain
LISTED = 25  # judges; the least reliable are shown, all are in files and JSON


def analyse(data: Any, method_names: Names = (), **options: Any) -> Answer:
    """All that `wmtlib rank` says of a frame: ranking, intervals, clusters, warnings.

    Parameters
    ----------
    data : DataFrame, path or Judgements
        What `wmtlib.read` takes or gives; say by `wmtlib.read` how a frame is to be
        understood.
    method_names : sequence of str
        As `wmtlib.ranking_methods` lists them; the usual ones if none is given.
    **options
        reference, n_resamples, unit, clusters, rule, correction, robust, minimum,
        time_limit, seed, progress: see `wmtlib.yours.questions.RankingOptions`.

    Returns
    -------
    Answer
        `tables` and `details` are frames by their captions; `warnings` and `notes` are
        lines. The warnings are issued as `JudgementWarning`, too.

    Raises
    ------
    DataError
        One line on what cannot be read or done.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
    >>> answer = analyse(votes, ["soccer"])
    >>> answer.tables["Clusters"]["systems"].tolist(), answer.details["Intervals"].shape
    (['x', 'y', 'z'], (3, 8))
    """
    judgements = data if isinstance(data, Judgements) else read(data)
    with catch_warnings():
        simplefilter("ignore", JudgementWarning)  # the answer holds them all
        answer = answer_ranking(judgements, method_names, **options)
    for line in answer.warnings:
        warn(line, JudgementWarning, stacklevel=2)
    return answer


def answer_ranking(
    judgements: Judgements, method_names: Names = (), **options: Any
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method_names : sequence of str
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
    first = result.rankings[0]
    samples = result.samples
    table = _ranking_table(result)
    tables = {
        "Clusters": table_of_clusters(result.clusters, samples),
        f"Ranking by {first.method}": table,
    }
    every = [r.table.assign(method=r.method) for r in result.rankings]
    details = {"Every method": pd.concat(every)}
    warnings = [*result.warnings]
    if samples is not None:
        details["Intervals"] = samples.table
        if len(result.clusters) > TIERS_FROM:
            from wmtlib.cluster_lines import tiers

            order = samples.ranking.without(samples.thin.index).order
            beats = samples.beats.loc[order, order]
            tables["Tiers"] = tiers(beats, samples.n_resamples)
    if result.pairs is not None:
        details["Pairs"] = result.pairs
        details["Reversed pairs"] = reversed_pairs(result.pairs)
    if result.by_rule is not None:
        tables[f"By the rule of {result.options.rule}"] = result.by_rule
    if result.fewest is not None:
        method = result.fewest.ranking.method
        caption = "Fewest removals"
        if method != first.method:
            caption += f" ({method})"
        tables[caption] = result.fewest.shown
        changes = result.fewest.table["rescaled"]
        undone = (changes == False).sum()  # noqa: E712 (missing is neither)
        if undone:
            warnings.append(
                f"{undone} of {len(changes)} changes do not come about when the"
                " workers' means and standard deviations are computed from what is left"
            )
    if len(result.rankings) > 1:
        ranks = side_by_side(result.rankings).rename_axis("system").reset_index()
        tables["Ranks by every method"] = ranks
    tables["Methods"] = _methods_table(result)
    answer = Answer(
        f"{first.method} ranks {_first(first)} first of {len(first.order)} systems;"
        f" clusters by {result.plan.clusters}",
        tables=tables,
        notes=_ranking_notes(result),
        warnings=warnings,
        details=details,
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
    tables = {}
    details = {}
    notes = []
    for stability in result.results:
        name = stability.ranking.method
        table = stability.table
        tables[f"Left out ({name})"] = table
        tables[f"Fragile systems ({name})"] = stability.systems
        details[f"Neighbours ({name})"] = stability.neighbours
        notes.append(
            f"{name}: without one system the order of the others changes in"
            f" {table['changed'].sum()} of {len(table)} cases."
        )
    answer = Answer(
        "Would the ranking be another without one of the systems?",
        tables=tables,
        notes=notes,
        warnings=result.warnings,
        details=details,
    )
    rankings = [stability.ranking for stability in result.results]
    reference, seed, time_limit = result.settings
    settings = {
        "reference": reference,
        "time_limit": time_limit,
        "seed": seed,
        "methods": ",".join(ranking.method for ranking in rankings),
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
        tables={"Models": table},
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
    tables = {}
    if len(result.agreement):
        tables["Agreement"] = result.agreement
    caption = "Judges"
    if len(table) > LISTED:
        caption = f"The {LISTED} least reliable judges"
    tables[caption] = table.head(LISTED)
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
        notes=_judge_notes(result),
        warnings=result.warnings,
        details={"Every judge": table},
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
    signed = {
        "kind": judgements.kind,
        "task": judgements.task,
        **settings,
        **{package: version(package) for package in ("wmtlib", "numpy", "scipy")},
    }
    values = {"data": judgements.sha256[:8], **signed}
    signature = [f"{k}={v}" for k, v in values.items() if v not in (None, "")]
    head = {
        "Judgements": f"{name}: {_size(judgements)}",
        "Columns": judgements.reading,
        "Task": judgements.task,
        "Reference": _role(judgements, settings["reference"], rankings),
        "Signature": "|".join([f"wmtlib {command}", *signature]),
    }
    facts = {
        "command": command,
        "file": name,
        "data": judgements.sha256,
        **signed,
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


def _size(judgements: Judgements) -> str:
    """How many rows, systems, comparisons and groups of judges."""
    systems = len(judgements.systems)
    size = f"{judgements.rows} rows of {judgements.kind}, {systems} systems"
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
        "methods": ",".join(ranking.method for ranking in result.rankings),
        "clusters": plan.clusters,
        "correction": plan.correction,
        "tested_by": ",".join(plan.tested_by) or None,
        "resamples": plan.n_resamples or None,
        "unit": None if result.samples is None else result.samples.unit,
        "robust": plan.removed,
        "rule": result.options.rule,
        "reference": result.settings.reference,
        "minimum": minimum if minimum != MINIMUM else None,
        "time_limit": result.settings.time_limit,
        "seed": result.settings.seed,
    }


def _ranking_table(result: RankingResult) -> pd.DataFrame:
    """The ranking by the first method: clusters, and intervals if it was resampled."""
    first = result.rankings[0]
    table = pd.DataFrame({"system": first.order, "rank": rank_words(first).array})
    has_scores = first.table["score"].notna().any()
    if has_scores:
        table["score"] = first.table["score"].array
    if result.samples is not None:
        intervals = result.samples.table
        ranks = [*map(_span, intervals["rank_low"], intervals["rank_high"])]
        table.insert(2, "ranks", ranks)
        if has_scores:
            table["low"] = intervals["score_low"]
            table["high"] = intervals["score_high"]
        if result.options.n_resamples:
            table["above_next"] = intervals["above_next"]
    return table.join(result.clusters.drop(columns="system"))


def table_of_clusters(
    clusters: pd.DataFrame, samples: BootstrapResult | None
) -> pd.DataFrame:
    """What the data tell apart: clusters, with the ranks that their systems may have.

    Parameters
    ----------
    clusters : DataFrame
        Columns system and cluster, best first.
    samples : BootstrapResult or None

    Returns
    -------
    DataFrame
        cluster; ranks: from the least to the greatest in the intervals of its systems,
        or their places if nothing was resampled; systems.
    """
    low = high = pd.Series(np.arange(1, len(clusters) + 1))
    if samples is not None:
        low = samples.table["rank_low"]
        high = samples.table["rank_high"]
    rows = []
    for cluster, part in clusters.groupby("cluster"):
        ranks = _span(low[part.index].min(), high[part.index].max())
        rows.append((cluster, ranks, ", ".join(part["system"])))
    return pd.DataFrame(rows, columns=["cluster", "ranks", "systems"])


def _methods_table(result: RankingResult) -> pd.DataFrame:
    """A row about each method, and the judgements that its order contradicts."""
    rows = []
    for ranking in result.rankings:
        row: dict[str, Any] = {"method": ranking.method}
        if result.counts is not None:
            row["violated"] = violated_weight(ranking.order, result.counts.wins)
            row["of"] = result.counts.comparisons
        row |= {
            key: ranking.facts[key] for key in WHOLE_NUMBERS if key in ranking.facts
        }
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
    notes.append(_clusters_note(result))
    if result.pairs is not None and len(reversed_pairs(result.pairs)):
        notes.append(_reversed_note(result.pairs))
    if result.counts is not None:
        seen = tally(result.judgements.comparisons, result.judgements.systems)
        if reason := side_unknown(seen):
            notes.append(f"Who was shown first is not known: {reason}.")
    if samples is not None and len(result.clusters) > TIERS_FROM:
        notes.append(
            "Tiers: a tier starts with the first system that is significantly below the"
            " first of the tier before (two-sided, p < 0.05, not corrected)."
        )
    if result.per_pair is not None:
        notes.append(
            f"{result.rankings[0].method} comes first: a compared pair has"
            f" {result.per_pair:.3g} comparisons on average, and with fewer than"
            f" {FEW_PER_PAIR} a share of wins depends on which opponents it met."
        )
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
    if len(result.rankings) > 1:
        note = "range: by how many ranks the methods disagree"
        words = pd.concat([rank_words(ranking) for ranking in result.rankings])
        if words.str.contains("–").any():
            note += "; 3–5: ranks left open by ties"
        notes.append(f"{note}.")
    return notes


def _clusters_note(result: RankingResult) -> str:
    """What parts two clusters."""
    plan = result.plan
    if result.pairs is not None:
        from wmtlib.pairwise_tests import ALPHA

        reason = collection.reason_for(plan.tested_by, result.pairs)
        return (
            "Clusters: a line below a system that is significantly better than every"
            " system below it; wins: than how many it is"
            f" ({plan.clusters}, two-sided, p < {ALPHA:g}, correction:"
            f" {plan.correction}). {reason}"
        )
    if result.samples is not None and plan.clusters == RANK_RANGES:
        return (
            "Clusters: the ranks of two clusters do not overlap in 95 % of"
            f" {result.samples.n_resamples} resamples by {result.samples.unit} (ranks)."
        )
    return "Clusters: no two systems have enough judgements to be told apart."


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
    if size > MOST_DRAWN:
        return []
    ranges = first.rank_ranges.loc[first.order].reset_index(drop=True).astype(float)
    frame = table.join(ranges).assign(place=first.table["rank"])
    frame["line"] = frame["cluster"].diff(-1).fillna(0) != 0
    about = METHODS[first.method].about
    caption = f"Ranking by {first.method} ({about}), with its clusters."
    pictures = [Picture("intervals", caption, (frame,))]
    if result.counts is not None:
        caption = (
            "Margins: wins less losses of the row's system; frames mark violated pairs."
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


def _span(low: int, high: int) -> str:
    """One number, or the ends of a range.

    >>> _span(2, 2), _span(2, 4)
    ('2', '2–4')
    """
    return str(low) if low == high else f"{low}–{high}"


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
