"""Rank the systems of a file, and say how sure that is: `wmtlib rank`."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib.analysis import (
    answer_data,
    answer_inputs,
    bootstrap,
    clustering,
    methods,
    robustness_section,
    unit_warnings,
)
from wmtlib.analysis.answer_inputs import method_data
from wmtlib.analysis.answers import Answer, AnswerSection, Progress
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.analysis.clustering import RANK_RANGES, Clustering
from wmtlib.analysis.drawings import Drawing
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.names import joined
from wmtlib.judgements.ranking import Ranking, rank_words, side_by_side
from wmtlib.tournament import violations
from wmtlib.yours.read import Judgements

MOST_DRAWN = 100  # systems; of more nothing is drawn
MOST_PAIRED = 60  # systems; of more no square of all pairs is drawn
ORDER_WIDE = 79  # letters of the line with the order
MFAS_SECONDS = 10.0  # after which mfas stops proving


def answer_ranking(
    judgements: Judgements,
    method_names: Sequence[str] = (),
    *,
    reference: str | None = None,
    n_resamples: int = 0,
    unit: str | None = None,
    clusters: str | None = None,
    correction: str = "benjamini-hochberg",
    robust: bool = False,
    time_limit: float | None = MFAS_SECONDS,
    seed: int = 0,
    progress: Progress = lambda step, share=0.0: None,
    early: Callable[[Answer], None] = lambda answer: None,
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method_names : sequence of str
        "all" for all that apply, none for the usual ones.
    reference : str or None
        Not ranked; "" if there is none.
    n_resamples : int
        Of the bootstrap; 0 for none, apart from the resamples of rank ranges.
    unit : str or None
        What is resampled; `default_unit` if None.
    clusters : str or None
        See the head of `clustering`; `clustering.usual_method` if None.
    correction : str
        Of the tests of clusters; see `significance.significance`.
    robust : bool
        Whether to find the fewest judgements that decide, by the first method.
    time_limit : float or None
        Seconds for mfas.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this seed.
    progress : callable
        Is told each step, and what share of it is done.
    early : callable
        Is told the answer as far as the first method gives it, before the others are applied.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    kind, reference = answer_inputs.kind_and_reference(judgements, reference)
    names = answer_inputs.chosen_methods(method_names, answer_inputs.USUAL_METHODS[kind], kind)
    clusters = clusters or clustering.usual_method(judgements, names[0])
    clustering.require_method(clusters, kind, correction)
    resampled = n_resamples or (clustering.RESAMPLES if clusters == RANK_RANGES else 0)
    removed = (unit or robustness_section.usual_unit(judgements)) if robust else None
    if resampled:
        unit = unit or answer_inputs.default_unit(judgements)
    if robust:
        robustness_section.require_method(names[0])
    if unit and not (resampled or robust):
        message = "--bootstrap N, or --clusters rank-ranges, or --robust"
        raise DataError(f"--unit is for resamples and removals; say {message}")
    if unit:
        answer_inputs.require_unit(judgements, unit)
    _require_bootstrap(names[0], resampled)
    data = method_data(judgements, [*answer_inputs.units_needed(names), unit])
    counts = judgements.counts.without(reference) if kind == "counts" else None
    settings = {"reference": reference, "time_limit": time_limit}

    def apply(name: str) -> Ranking:
        limit = f", {time_limit:g} s at most" if name == "mfas" and time_limit else ""
        progress(f"ranking by {name}{limit}")
        return methods.rank(data, name, rng=np.random.default_rng(seed), **settings)

    warnings: list[str] = []
    rankings = answer_inputs.apply_methods(names, method_names, apply, warnings)
    first, found = next(rankings), None
    if resampled:
        told = partial(progress, f"ranking {resampled} resamples by {first.method}")
        told(0.0)
        drawn = {"unit": unit, "n_resamples": resampled, "rng": np.random.default_rng(seed)}
        drawn["progress"] = told
        found = bootstrap.bootstrap(data, first.method, **drawn, **settings)
    progress("drawing lines")
    if clusters == RANK_RANGES:
        clustered = clustering.by_rank_ranges(found)
    else:
        clustered = clustering.by_tests(data, first, clusters, correction)
    sections = [_first_section(first, clustered, found, judgements, counts)]
    if n_resamples:
        sections.append(_bootstrap_section(found))
    fewest = None
    if robust:
        progress(f"looking for the fewest judgements that decide, {first.method}")
        fewest = robustness_section.find(
            judgements, first.method, reference=reference, unit=removed
        )
        sections.append(robustness_section.section(fewest))

    title = f"Ranking of {len(first.order)} systems"
    correction = None if clustered.pairs is None else correction
    about = partial(
        answer_inputs.about,
        judgements,
        "rank",
        answer_inputs.describe_reference(reference, names, kind),
        reference=reference,
        methods="",  # its place in the signature
        clusters=clusters,
        correction=correction,
        resamples=resampled or None,
        unit=unit,
        robust=removed,
        time_limit=time_limit if "mfas" in names else None,
        seed=seed,
    )
    early(Answer(title, about(methods=first.method), [*sections], judgements.warnings))
    applied = [first, *rankings]
    if len(applied) > 1 or warnings:
        sections.append(_methods_section(applied, counts, warnings))
    content = answer_data.ranking_content(applied, counts, clustered, found)
    content |= {"cluster_method": clusters, "reference": reference, "seed": seed}
    content |= {"robust": fewest and robustness_section.content(fewest), "correction": correction}
    head = about(methods=",".join(ranking.method for ranking in applied))
    return answer_data.answer(judgements, title, head, sections, content)


def _require_bootstrap(method: str, n_resamples: int) -> None:
    """Refuse, before anything is computed, a bootstrap that cannot be done."""
    if n_resamples:
        if n_resamples < 2:
            raise DataError(f"--bootstrap {n_resamples}: expected two resamples or more")
        if methods.METHODS[method].rows:
            raise DataError(f"--bootstrap: {method} takes too long; put another --method first")


def _first_section(
    first: Ranking,
    clustered: Clustering,
    found: BootstrapResult | None,
    judgements: Judgements,
    counts: Counts | None,
) -> AnswerSection:
    """The ranking by the first method, with clusters, and intervals where there are resamples."""
    table = pd.DataFrame({"system": first.order, "rank": rank_words(first).array})
    if found is not None:
        low, high = found.table["rank_low"].astype(str), found.table["rank_high"].astype(str)
        table["ranks"] = low.where(low == high, low + "–" + high)
    if first.table["score"].notna().any():
        table["score"] = first.table["score"].array
        if found is not None:
            table["low"], table["high"] = found.table["score_low"], found.table["score_high"]
    table = table.join(clustered.groups.drop(columns="system"))
    best = first.table.loc[first.table["rank"] == 1, "system"].tolist()
    remarks = _remarks(first, counts)
    text = f"{first.method} ranks {_enumerated(best)} first. {_order(first)}"
    text += f" Method: {remarks['about']}."
    if "violated" in remarks:
        text += f" Violated weight: {remarks['violated']} of {counts.comparisons} judgements."
    text += f" {first.note[0].upper()}{first.note[1:]}." if first.note else ""
    text += f" {clustered.about}"
    tables = {"Clusters": clustering.tiers(clustered.groups, found), "Ranking": table}
    warnings, details = [], {}
    if found is not None:
        warnings = [*found.warnings, *unit_warnings.warnings_for(judgements.units, found.unit)]
        details["Intervals"] = found.table
    if clustered.pairs is not None:
        details["Pairs"] = clustered.pairs
    title = f"Ranking by {first.method}, clusters by {clustered.method}"
    drawings = _drawings(table, first, counts, title)
    return AnswerSection(title, text, warnings, tables, details, drawings)


def _drawings(
    table: pd.DataFrame, first: Ranking, counts: Counts | None, title: str
) -> list[Drawing]:
    """The ranking with its intervals and lines, and who beat whom."""
    size, drawings = len(table), []
    if size <= MOST_DRAWN:
        ranges = first.rank_ranges.loc[first.order].reset_index(drop=True).astype(float)
        frame = table.join(ranges).assign(place=first.table["rank"])
        tall, label = (7, 1.2 + 0.27 * size), "" if "score" in table else f"rank by {first.method}"
        label = label or f"{first.method}: {methods.METHODS[first.method].about}"
        drawings.append(Drawing("intervals", {"frame": frame}, tall, f"{title}.", label))
    if counts is not None and size <= MOST_PAIRED:
        caption = (
            f"Margins, wins less losses of the row's system, in the order of {first.method};"
            " frames mark violated pairs."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        drawings.append(
            Drawing("heatmap", {"counts": counts, "order": first.order}, square, caption)
        )
    return drawings


def _methods_section(
    rankings: Sequence[Ranking], counts: Counts | None, warnings: Sequence[str]
) -> AnswerSection:
    """Ranks side by side, and the remarks of each method."""
    ranks, first = side_by_side(rankings), rankings[0].method
    differ, size = int((ranks["range"] > 0).sum()), len(ranks)
    text = f"The methods disagree about {differ} of {size} systems"
    text += " (range: by how many ranks)." if differ else "."
    text += f" In the order of {first}; 3–5: ranks that a method leaves open, by ties or otherwise."
    if any(ranking.rank_ranges["best"].isna().any() for ranking in rankings):
        text += " ~3: one order of several; which ranks are possible is not known."
    drawings = []
    if len(rankings) > 1 and size <= MOST_DRAWN:
        middles = {r.method: r.rank_ranges.mean(axis=1).fillna(r.column("rank")) for r in rankings}
        given = {"ranks": pd.DataFrame(middles).loc[ranks.index], "apart": ranks["range"]}
        tall = (3.2 + 1.4 * len(rankings), 1.2 + 0.26 * size)
        caption = "Ranks by each method; in colour: the systems about which they disagree most."
        drawings.append(Drawing("bump", given, tall, caption))
    tables = {
        "Ranks": ranks.rename_axis("system").reset_index(),
        "Methods": pd.DataFrame([_remarks(ranking, counts) for ranking in rankings]),
    }
    return AnswerSection("Methods side by side", text, warnings, tables, {}, drawings)


def _order(ranking: Ranking) -> str:
    """The total order on a line of its own length, which says more than the data do."""
    ranks = ranking.table["rank"].to_numpy()
    between = [" = " if a == b else " > " for a, b in pairwise(ranks)]
    label = f"Order by {ranking.method}: "
    return f"{label}{joined(ranking.order, between, ORDER_WIDE - len(label))}."


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


def _bootstrap_section(found: BootstrapResult) -> AnswerSection:
    """Rank intervals, and how often each system is better than the next."""
    share = f"{found.coverage:.0%}"
    text = (
        f"{found.n_resamples} resamples of {found.n_units} {found.unit}s, ranked by"
        f" {found.ranking.method}: {share} intervals, and how often each system is better than the"
        f" next (above_next). {found.same_order:.0%} of the resamples have exactly this order."
    )
    title = f"Bootstrap ({found.ranking.method}, by {found.unit})"
    return AnswerSection(title, text, (), {"Intervals": found.table})
