"""Rank the systems of a file, and say how sure that is: `wmtlib rank`."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.analysis import answer_inputs, bootstrap, methods, significance
from wmtlib.analysis.answer_inputs import method_data, method_kind
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.analysis.drawings import Drawing
from wmtlib.assessment import clusters
from wmtlib.assessment.campaign import Campaign
from wmtlib.files.user_judgements import Judgements
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking, side_by_side
from wmtlib.tournament import violations

MOST_DRAWN = 100  # systems; of more nothing is drawn
MOST_PAIRED = 60  # systems; of more no square of all pairs is drawn


def answer_ranking(
    judgements: Judgements,
    method_names: Sequence[str] = (),
    *,
    reference: str | None = None,
    n_resamples: int = 0,
    unit: str | None = None,
    correction: str = "benjamini-hochberg",
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = lambda step: None,
) -> Answer:
    """Rank by one method or several; significance and resampling are of the first.

    Parameters
    ----------
    method_names : sequence of str
        "all" for all that apply, none for the usual ones.
    reference : str or None
        Not ranked; "" if there is none.
    n_resamples : int
        Of the bootstrap; 0 for none.
    unit : str or None
        What is resampled; `default_unit` if None.
    correction : str
        Of the significance tests; see `significance.significance`.
    time_limit : float or None
        Seconds for mfas.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this seed.
    progress : callable
        Is told each step.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    answer_inputs.require_choice_of_reference(judgements, reference)
    kind, reference = method_kind(judgements), reference or None
    names = answer_inputs.chosen_methods(method_names, answer_inputs.USUAL_METHODS[kind], kind)
    if n_resamples:
        unit = unit or answer_inputs.default_unit(judgements)
    _require_bootstrap(judgements, names[0], n_resamples, unit)
    data = method_data(judgements, [*answer_inputs.units_needed(names), unit])
    settings = {"reference": reference, "time_limit": time_limit}

    def apply(name: str) -> Ranking:
        progress(f"ranking by {name}")
        return methods.rank(data, name, rng=np.random.default_rng(seed), **settings)

    rankings, warnings = answer_inputs.apply_methods(names, method_names, apply)
    applied, first = [ranking.method for ranking in rankings], rankings[0]
    progress("testing every pair")
    counts = judgements.counts.without(reference) if kind == "counts" else None
    sections = [
        _ranking_section(rankings, counts, warnings),
        _clusters_section(data, first, correction),
    ]
    if n_resamples:
        progress(f"ranking {n_resamples} resamples by {first.method}")
        rng = np.random.default_rng(seed)
        resampled = bootstrap.bootstrap(
            data, first.method, unit=unit, n_resamples=n_resamples, rng=rng, **settings
        )
        sections.append(_bootstrap_section(resampled, judgements))
    about = answer_inputs.about(
        judgements,
        "rank",
        answer_inputs.describe_reference(reference, applied, kind),
        reference=reference,
        methods=",".join(applied),
        correction=correction,
        bootstrap=n_resamples or "",
        unit=unit,
        time_limit=time_limit,
        seed=seed,
    )
    return Answer(f"Ranking of {len(first.order)} systems", about, sections)


def _require_bootstrap(
    judgements: Judgements, method: str, n_resamples: int, unit: str | None
) -> None:
    """Refuse, before anything is computed, a bootstrap that cannot be done."""
    if not n_resamples and unit:
        raise DataError("--unit is for the bootstrap; say --bootstrap N, too")
    if n_resamples:
        answer_inputs.require_unit(judgements, unit)
        if n_resamples < 2:
            raise DataError(f"--bootstrap {n_resamples}: expected two resamples or more")
        if methods.METHODS[method].rows:
            raise DataError(f"--bootstrap: {method} takes too long; put another --method first")


def _ranking_section(
    rankings: Sequence[Ranking], counts: Counts | None, warnings: Sequence[str]
) -> AnswerSection:
    """Ranks side by side, scores, and the remarks of each method."""
    ranks = side_by_side(rankings)
    first, size = rankings[0], len(ranks)
    best = first.table.loc[first.table["rank"] == 1, "system"].tolist()
    text = f"{first.method} ranks {_enumerated(best)} first."
    drawings = []
    if len(rankings) == 1:
        ranks = ranks.drop(columns="range")
    else:
        differ = int((ranks["range"] > 0).sum())
        text += f" The methods put {differ} of {size} systems at different ranks"
        text += " (range: by how many places)." if differ else "."
        if size <= MOST_DRAWN:
            places = ranks.drop(columns="range").rank(method="first").astype(int)
            tall = (3.2 + 1.4 * len(rankings), 1.2 + 0.26 * size)
            caption = "Ranks by each method; systems in colour change places."
            drawings.append(Drawing("bump", (places,), tall, caption))
    if counts is not None and size <= MOST_PAIRED:
        caption = (
            f"Share of decided comparisons that the row won, in the order of {first.method};"
            " numbers are margins, frames mark violated pairs."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        drawings.append(Drawing("heatmap", (counts, first.order), square, caption))
    tables = {
        "Ranks": ranks.rename_axis("system").reset_index(),
        "Methods": pd.DataFrame([_remarks(ranking, counts) for ranking in rankings]),
    }
    details = {"Scores": _all_scores(rankings)}
    return AnswerSection("Ranking", text, warnings, tables, details, drawings)


def _all_scores(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """The tables of all rankings below each other."""
    tables = [ranking.table.assign(method=ranking.method) for ranking in rankings]
    scores = pd.concat(tables, ignore_index=True)
    scores.insert(0, "method", scores.pop("method"))
    scores = scores.rename(columns={"cluster": "cluster_uncorrected"})
    for column in scores.columns.intersection(["best_rank", "worst_rank", "cluster_uncorrected"]):
        scores[column] = scores[column].astype("Int64")
    return scores


def _enumerated(names: Sequence[str]) -> str:
    """At most four names, in a sentence."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more, tied,"
    return " and ".join(names) + (" (tied)" if len(names) > 1 else "")


def _remarks(ranking: Ranking, counts: Counts | None) -> dict[str, object]:
    """A row about a method: the judgements that its order contradicts, what it is, its note."""
    row: dict[str, object] = {"method": ranking.method}
    if counts is not None:
        row["violated"] = violations.violated_weight(ranking.order, counts.wins)
    return row | {"about": methods.METHODS[ranking.method].about, "note": ranking.note}


def _clusters_section(
    data: Counts | pd.DataFrame | Campaign, first: Ranking, correction: str
) -> AnswerSection:
    """The systems that are significantly better than others."""
    score = "raw" if first.method == "raw-score" else "z"
    pairs = significance.significance(data, first.order, correction=correction, score=score)
    groups = significance.groups(pairs, first.order)
    if not first.table["score"].isna().all():
        groups.insert(1, "score", first.table["score"].to_numpy())
    assessed = isinstance(data, Campaign)
    if assessed:
        test, independent = f"rank-sum test of segments' mean {score} scores", "segments"
    else:
        test, independent = "exact sign test of decided comparisons", "comparisons"
    text = (
        "A line below a system: it is significantly better than every system below it; wins: than"
        f" how many it is ({test}, two-sided, p < {clusters.ALPHA:g}, correction: {correction},"
        f" {int(pairs['p'].notna().sum())} pairs tested). The test takes {independent} for"
        " independent."
    )
    drawings = []
    if assessed and len(groups) <= MOST_DRAWN:
        caption = f"Mean {score} score of each system; lines end clusters."
        given = (first.table.rename(columns={"score": "z"}), groups["line"].tolist())
        tall = (7, 1.2 + 0.27 * len(groups))
        drawings.append(Drawing("ladder", given, tall, caption, f"mean {score} score"))
    title = f"Clusters ({first.method})"
    return AnswerSection(title, text, (), {"Clusters": groups}, {"Pairs": pairs}, drawings)


def _bootstrap_section(found: BootstrapResult, judgements: Judgements) -> AnswerSection:
    """Rank intervals, and how often each system is better than the next."""
    number, unit, share = found.n_resamples, found.unit, f"{found.coverage:.0%}"
    warnings = [*found.warnings, *bootstrap.warnings_for(judgements.units, unit)]
    text = (
        f"{number} resamples of {found.n_units} {unit}s, ranked by {found.ranking.method}: {share}"
        " intervals, and how often each system is better than the next (above_next)."
        f" {found.same_order:.0%} of the resamples have exactly this order."
    )
    drawings = []
    if len(found.table) <= MOST_DRAWN:
        caption = f"Rank of each system: {share} of {number} resamples of {unit}s."
        tall = (7, 1.2 + 0.27 * len(found.table))
        drawings.append(Drawing("rank_intervals", (found.table,), tall, caption))
    title = f"Bootstrap ({found.ranking.method}, by {unit})"
    return AnswerSection(title, text, warnings, {"Intervals": found.table}, {}, drawings)
