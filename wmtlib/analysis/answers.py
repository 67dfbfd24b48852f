"""What the commands for a user's own judgements find out: `rank`, `stability` and `compare`.

Each gives an `Answer`: sections of text, warnings, tables and drawings, which `output` prints,
turns into JSON or writes into a folder. Nothing here reads, writes or draws.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.analysis import bootstrap, cross_validation, leave_one_out, methods, significance
from wmtlib.assessment import clusters
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.encoding import encode
from wmtlib.files.reader import Judgements
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.tournament import violations

DEFAULT = {
    "counts": ("expected-wins", "bradley-terry", "mfas"),
    "assessments": ("z-score", "raw-score"),
}
DRAWN = 100  # systems above which nothing is drawn
SQUARE = 60  # systems above which no square of all pairs is drawn
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Drawing:
    """A figure for those who want one.

    Attributes
    ----------
    plot : str
        A function of `plots` or `assessment_plots`.
    given : tuple
        Its arguments before the axes.
    size : (float, float)
        Inches.
    caption : str
    xlabel : str
        Instead of the function's own.
    """

    plot: str
    given: tuple[Any, ...] = field(repr=False)
    size: tuple[float, float]
    caption: str
    xlabel: str = ""


@dataclass(frozen=True)
class Section:
    """A part of an answer; tables by their captions."""

    title: str
    text: str
    warnings: Sequence[str] = ()
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    drawings: Sequence[Drawing] = ()


@dataclass(frozen=True)
class Answer:
    """What a command has to say.

    Attributes
    ----------
    title : str
    about : mapping of str to str
        Which file, which task, how many judgements; the last entry is the signature.
    sections : sequence of Section
    """

    title: str
    about: Mapping[str, str]
    sections: Sequence[Section]


@dataclass(frozen=True)
class Question:
    """Judgements, prepared for the methods.

    Attributes
    ----------
    judgements : Judgements
    data : Counts, comparisons frame (with the units asked for) or Campaign
    reference : str or None
    seed : int
    """

    judgements: Judgements
    data: Counts | pd.DataFrame | Campaign
    reference: str | None
    seed: int

    @property
    def kind(self) -> str:
        """Which methods apply: "counts" or "assessments"."""
        return methods.kind_of(self.data)

    @property
    def counts(self) -> Counts:
        """The comparisons, counted."""
        return counting.counts(self.data)

    def rng(self) -> np.random.Generator:
        """A generator of its own for every use: one answer does not depend on another."""
        return np.random.default_rng(self.seed)

    def about(self, command: str, reference: str, **settings: object) -> dict[str, str]:
        """Lines for the head of the answer, the signature last; what is empty is left out."""
        judged, name = self.judgements, PurePath(self.judgements.path).name
        what = "pairwise comparisons" if judged.kind == "pairwise" else f"rows of {judged.kind}"
        size = f"{judged.rows} {what}, {len(judged.systems)} systems"
        if judged.kind == "rankings":
            size += f", {self.counts.comparisons} comparisons"
        lines = {
            "Judgements": f"{name if name.isprintable() else ascii(name)}: {size}",
            "Task": judged.task,
            "Reference": reference,
        }
        parts = {"data": judged.sha256[:8], "kind": judged.kind, "task": judged.task}
        parts |= {"reference": self.reference, **settings, "seed": self.seed}
        parts |= {package: version(package) for package in ("wmtlib", "numpy", "scipy")}
        said = [f"{key}={value}" for key, value in parts.items() if value not in (None, "")]
        lines = {label: line for label, line in lines.items() if line}
        return lines | {"Signature": "|".join([f"wmtlib {command}", *said])}


def ask(
    judgements: Judgements, *, reference: str | None, seed: int, units: Sequence[str] = ()
) -> Question:
    """Prepare judgements for the methods.

    Parameters
    ----------
    reference : str or None
        "" says that there is none, too.
    units : sequence of str
        Units that will be needed; others are not counted apart. Those that the file does not tell
        apart are passed over.

    Raises
    ------
    DataError
        No such reference.
    """
    if reference and reference not in judgements.systems:
        raise _refused(
            judgements,
            f"no system {reference!r} to be the reference; there are"
            f" {', '.join(judgements.systems[:20])}",
        )
    if judgements.assessments is not None:
        data = encode(judgements.assessments)
    else:
        told = [unit for unit in units if unit in judgements.units]
        data = judgements.comparisons(told) if told else judgements.counts()
    return Question(judgements, data, reference or None, seed)


def _refused(judgements: Judgements, what: str) -> DataError:
    path = os.fsdecode(judgements.path)
    return DataError(f"{path if path.isprintable() else ascii(path)}: {what}")


def _require_said(judgements: Judgements, reference: str | None) -> None:
    """Refuse to rank WMT's reference without having been told to."""
    if reference is None and REFERENCE in judgements.systems:
        what = f"holds the reference {REFERENCE}; say --reference {REFERENCE},"
        raise _refused(judgements, f"{what} or --reference '' to rank it")


def _require_unit(judgements: Judgements, unit: str) -> None:
    """Refuse a unit that cannot be resampled or held out."""
    if unit not in (known := units_of(judgements)):
        raise _refused(judgements, f"has no unit {unit!r}; expected {', '.join(known)}")


def units_of(judgements: Judgements) -> list[str]:
    """What can be resampled."""
    if judgements.kind == "assessments":
        return [unit for unit in ("worker", "hit") if unit in judgements.units]
    return ["comparison", *judgements.units]


def default_unit(judgements: Judgements) -> str:
    """What to resample if nothing is said: the largest unit that is told apart."""
    known = units_of(judgements)
    return next(u for u in ("worker", "judge", "ranking", "segment", "comparison") if u in known)


def chosen_methods(
    wanted: Sequence[str], default: Mapping[str, Sequence[str]], kind: str
) -> list[str]:
    """Methods by name, "all" for every one that applies, the usual ones if none is named."""
    if "all" in wanted:
        return [name for name, method in methods.METHODS.items() if method.kind == kind]
    for name in wanted:
        methods.require(name, kind)
    return list(dict.fromkeys(wanted or default[kind]))


def _each(
    names: Sequence[str], wanted: Sequence[str], run: Callable[[str], Any]
) -> tuple[list[Any], list[str]]:
    """What every method finds, and why some do not; a method asked for by name must."""
    found, warnings, last = [], [], None
    for name in names:
        try:
            found.append(run(name))
        except DataError as error:
            if name in wanted:
                raise
            last = error
            warnings.append(f"{name} is left out: {error}")
    if not found:
        raise last
    return found, warnings


def rank(
    judgements: Judgements,
    wanted: Sequence[str] = (),
    *,
    reference: str | None = None,
    bootstrap: int = 0,
    unit: str | None = None,
    correction: str = "benjamini-hochberg",
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = lambda what: None,
) -> Answer:
    """Rank by one method or several; significance and resampling are of the first.

    Parameters
    ----------
    wanted : names of methods
        "all" for all that apply, none for the usual ones.
    reference : str or None
        Not ranked; "" if there is none.
    bootstrap : int
        Resamples; 0 for none.
    unit : str or None
        What is resampled; `default_unit` if None.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    _require_said(judgements, reference)
    if unit and not bootstrap:
        raise DataError("--unit says what --bootstrap resamples; say --bootstrap N, too")
    if bootstrap:
        _require_unit(judgements, unit := unit or default_unit(judgements))
        if bootstrap < 2:
            raise DataError(f"--bootstrap {bootstrap}: expected two resamples or more")
    kind = "assessments" if judgements.kind == "assessments" else "counts"
    names = chosen_methods(wanted, DEFAULT, kind)
    if bootstrap and names[0].startswith("irt"):
        raise DataError(f"--bootstrap: {names[0]} takes too long; put another --method first")
    units = ["segment"] if any(name.startswith("irt") for name in names) else []
    question = ask(judgements, reference=reference, seed=seed, units=[*units, unit or ""])

    def by(name: str) -> Ranking:
        progress(f"ranking by {name}")
        given = {"reference": question.reference, "rng": question.rng(), "time_limit": time_limit}
        return methods.rank(question.data, name, **given)

    rankings, warnings = _each(names, wanted, by)
    first = rankings[0]
    progress("testing every pair")
    sections = [_ranking(question, rankings, warnings), _groups(question, first, correction)]
    if bootstrap:
        progress(f"ranking {bootstrap} resamples by {first.method}")
        sections.append(_bootstrap_section(question, first.method, unit, bootstrap, time_limit))
    about = question.about(
        "rank",
        _reference_said(question, [ranking.method for ranking in rankings]),
        methods=",".join(ranking.method for ranking in rankings),
        correction=correction,
        bootstrap=bootstrap or "",
        unit=unit,
        time_limit=time_limit,
    )
    return Answer(f"Ranking of {len(first.order)} systems", about, sections)


def _reference_said(question: Question, names: Sequence[str]) -> str:
    """What becomes of the reference."""
    if not question.reference:
        return ""
    said = f"{question.reference} (not ranked; "
    if question.kind == "assessments":
        return f"{said}its scores count for the workers' scales)"
    if counting_it := [name for name in names if methods.METHODS[name].reference_counts]:
        return f"{said}comparisons with it count for {', '.join(counting_it)} only)"
    return f"{said}comparisons with it do not count)"


def _ranking(question: Question, rankings: Sequence[Ranking], warnings: Sequence[str]) -> Section:
    """Ranks side by side, scores, and what each method has to say."""
    places = methods.side_by_side(rankings)
    first, size = rankings[0], len(places)
    best = [row.system for row in first.table.itertuples() if row.rank == 1]
    text = f"{first.method} ranks {_listed(best)} first."
    if len(rankings) > 1:
        apart = int((places["range"] > 0).sum())
        text += f" The methods put {apart} of {size} systems at different ranks"
        text += " (range: by how many places)." if apart else "."
    else:
        places = places.drop(columns="range")
    scores = pd.concat([r.table.assign(method=r.method) for r in rankings], ignore_index=True)
    scores.insert(0, "method", scores.pop("method"))
    scores = scores.rename(columns={"cluster": "cluster_uncorrected"})
    for column in scores.columns.intersection(["best_rank", "worst_rank", "cluster_uncorrected"]):
        scores[column] = scores[column].astype("Int64")
    notes = pd.DataFrame([{"method": r.method, **_remarks(question, r)} for r in rankings])
    drawings = []
    if size <= DRAWN:
        lines = places.drop(columns="range", errors="ignore").rank(method="first").astype(int)
        tall = (3.2 + 1.4 * len(rankings), 1.2 + 0.26 * size)
        caption = "Ranks by each method; systems in colour change places."
        if len(rankings) > 1:
            drawings.append(Drawing("bump", (lines,), tall, caption))
    if size <= SQUARE and question.kind == "counts":
        counts = question.counts.without(question.reference)
        caption = (
            f"Share of decided comparisons that the row won, in the order of {first.method};"
            " numbers are margins, frames mark violated pairs."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        drawings.append(Drawing("heatmap", (counts, first.order), square, caption))
    tables = {"Ranks": places.rename_axis("system").reset_index(), "Methods": notes}
    return Section("Ranking", text, warnings, tables | {"Scores": scores}, drawings)


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence, not too many."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more, tied,"
    return " and ".join(names) + (" (tied)" if len(names) > 1 else "")


def _remarks(question: Question, ranking: Ranking) -> dict[str, object]:
    """What stands beside a method: the judgements that its order contradicts, its note."""
    said: dict[str, object] = {}
    if question.kind == "counts":
        wins = question.counts.without(question.reference).wins
        said["violated"] = violations.violated_weight(ranking.order, wins)
    return said | {"about": methods.METHODS[ranking.method].about, "note": ranking.note}


def _groups(question: Question, first: Ranking, correction: str) -> Section:
    """Which systems are significantly apart."""
    score = "raw" if first.method == "raw-score" else "z"
    table = significance.significance(
        question.data, first.order, correction=correction, score=score
    )
    groups = significance.groups(table, first.order)
    if not first.table["score"].isna().all():
        groups.insert(1, "score", first.table["score"].to_numpy())
    tested = f"{int(table['p'].notna().sum())} pairs tested"
    if question.kind == "assessments":
        test, what = f"rank-sum test of segments' mean {score} scores", "segments"
    else:
        test, what = "exact sign test of decided comparisons", "comparisons"
    text = (
        "A line below a system: it is significantly better than every system below it; wins: than"
        f" how many it is ({test}, two-sided, p < {clusters.ALPHA:g}, correction: {correction},"
        f" {tested}). The test takes {what} for independent."
    )
    drawings = []
    if question.kind == "assessments" and len(groups) <= DRAWN:
        caption = f"Mean {score} score of each system; lines end clusters."
        given = (first.table.rename(columns={"score": "z"}), groups["line"].tolist())
        tall = (7, 1.2 + 0.27 * len(groups))
        drawings.append(Drawing("ladder", given, tall, caption, f"mean {score} score"))
    tables = {"Clusters": groups, "Pairs": table}
    return Section(f"Clusters ({first.method})", text, (), tables, drawings)


def _bootstrap_section(
    question: Question, method: str, unit: str, n_resamples: int, time_limit: float | None
) -> Section:
    """Rank intervals and the chance that each system beats the next."""
    found = bootstrap.bootstrap(
        question.data,
        method,
        unit=unit,
        n_resamples=n_resamples,
        rng=question.rng(),
        reference=question.reference,
        time_limit=time_limit,
    )
    judged, share = question.judgements, f"{found.coverage:.0%}"
    warnings = [*found.warnings, *bootstrap.warnings_for(judged.units, unit)]
    text = (
        f"{n_resamples} resamples of {found.n_units} {unit}s, ranked by {method}: {share}"
        f" intervals, and how often each system is better than the next (above_next)."
        f" {found.same_order:.0%} of the resamples have exactly this order."
    )
    drawings = []
    if len(found.table) <= DRAWN:
        caption = f"Rank of each system: {share} of {n_resamples} resamples of {unit}s."
        tall = (7, 1.2 + 0.27 * len(found.table))
        drawings.append(Drawing("rank_intervals", (found.table,), tall, caption))
    title = f"Doubt ({method}, by {unit})"
    return Section(title, text, warnings, {"Intervals": found.table}, drawings)


def stability(
    judgements: Judgements,
    wanted: Sequence[str] = (),
    *,
    reference: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = lambda what: None,
) -> Answer:
    """What happens to the ranking of the others when each system is left out; see `rank`."""
    _require_said(judgements, reference)
    kind = "assessments" if judgements.kind == "assessments" else "counts"
    names = chosen_methods(wanted, {kind: DEFAULT[kind][:1]}, kind)
    units = ["segment"] if any(name.startswith("irt") for name in names) else []
    question = ask(judgements, reference=reference, seed=seed, units=units)

    def by(name: str) -> leave_one_out.LeaveOneOut:
        progress(f"leaving out each system, {name}")
        given = {"reference": question.reference, "rng": question.rng(), "time_limit": time_limit}
        return leave_one_out.leave_one_out(question.data, name, **given)

    found, warnings = _each(names, wanted, by)
    sections = [_fragility(one) for one in found]
    if warnings:
        sections.append(Section("Left out", "Methods that cannot be applied here.", warnings))
    about = question.about(
        "stability",
        _reference_said(question, [one.ranking.method for one in found]),
        methods=",".join(one.ranking.method for one in found),
        time_limit=time_limit,
    )
    return Answer("Would the ranking be another without one of the systems?", about, sections)


def _fragility(found: leave_one_out.LeaveOneOut) -> Section:
    """What leaving out each system does under one method."""
    changed = int(found.table["changed"].sum())
    text = (
        f"Leaving out a system changes the order of the others in {changed} of"
        f" {len(found.table)} cases."
    )
    if len(moved := found.systems.query("moved > 0")):
        text += f" Most often reversed with others: {moved['system'].iloc[0]}."
    tables = {
        "Left out": found.table,
        "Fragile systems": found.systems,
        "Neighbours": found.neighbours,
    }
    note = [found.note] if found.note else []
    return Section(f"Leaving out ({found.ranking.method})", text, note, tables)


def compare(
    judgements: Judgements,
    models: Sequence[str] = (),
    *,
    reference: str | None = None,
    unit: str = "comparison",
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress = lambda what: None,
) -> Answer:
    """Which analysis predicts judgements it has not seen (Hopkins & May 2013)?

    A reference, if one is named, is left out altogether; otherwise every system counts.
    """
    if judgements.kind == "assessments":
        raise _refused(judgements, "holds assessments; compare needs comparisons or rankings")
    _require_unit(judgements, unit)
    question = ask(judgements, reference=reference, seed=seed, units=["segment", unit])
    said, data = "", question.data
    if question.reference:
        said = f"{question.reference} (left out, with all comparisons with it)"
        data = counting.without(data, question.reference)
        if not counting.counts(data).comparisons:
            raise _refused(judgements, f"no comparisons without {question.reference!r}")
    elif REFERENCE in judgements.systems:
        said = f"{REFERENCE} (counts as a system)"
    progress(f"predicting {folds * repeats} parts from the others")
    found = cross_validation.cross_validate(
        data, [*models] or None, unit=unit, folds=folds, repeats=repeats, rng=question.rng()
    )
    about = question.about("compare", said, unit=unit, folds=folds, repeats=repeats)
    return Answer("Which analysis should be trusted here?", about, [_held_out(found)])


def _held_out(found: cross_validation.CrossValidation) -> Section:
    """Models by how well they predict."""
    best, table = found.table.iloc[0], found.table
    near = table[table["difference"] <= 2 * table["difference_error"]]
    text = (
        f"{best['model']} predicts held-out judgements best: perplexity {best['perplexity']:.3f},"
        " where 3 is knowing nothing and 1 knowing all (one of win, loss, tie)."
    )
    if others := [name for name in near["model"] if name != best["model"]]:
        text += f" Within two standard errors of it: {', '.join(others)}."
    caption = (
        f"Perplexity on held-out {found.unit}s, {found.folds} folds, {found.repeats} repeat(s);"
        " bars: two standard errors."
    )
    drawing = Drawing("perplexities", (table,), (7, 1.2 + 0.27 * len(table)), caption)
    note = [found.note] if found.note else []
    return Section("Held-out perplexity", text, note, {"Models": table}, [drawing])
