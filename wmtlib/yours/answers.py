"""Answers about somebody's judgements: tables, and what must be said beside them.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, ask these
functions; `wmtlib.yours.show` prints an answer, writes it as JSON or into a folder.
Names may be anybody's: they are shown as they are, and are never markup or mathematics.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from warnings import catch_warnings, simplefilter, warn

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.assessments import Campaign, encode
from wmtlib.corrections import CORRECTIONS
from wmtlib.counts import COMPARISON, REFERENCE, Counts, without
from wmtlib.errors import DataError, JudgementWarning
from wmtlib.methods import METHODS, MINIMUM, USUAL_METHODS
from wmtlib.mfas import violated_weight
from wmtlib.ranking import Ranking, rank_words, side_by_side
from wmtlib.yours import collection
from wmtlib.yours.reading.read import Judgements, in_python, python_words, read, visible
from wmtlib.yours.show import Answer, Picture

RANK_RANGES, SIGN_TEST = "rank-ranges", "sign-test"  # ways to find clusters
RANK_SUM, SIGNED_RANK, UNIT_TEST = "rank-sum", "signed-rank", "unit"
FEW_PER_PAIR = (
    20  # comparisons of a pair; with fewer the usual methods begin with Bradley-Terry
)
FITTING = {
    "counts": (RANK_RANGES, SIGN_TEST),
    "assessments": (UNIT_TEST, RANK_SUM, SIGNED_RANK, RANK_RANGES),
}
RESAMPLES = 1000  # of rank ranges
MFAS_SECONDS = 10.0  # after which mfas stops proving
ERROR_SPANS = "error_spans"  # a column that files of error span annotation (ESA) have
MOST_DRAWN = 100  # systems; of more nothing is drawn
HUMAN = re.compile(
    r"(.*[^a-z])?(ref(erence)?|human)s?[-_. ]?[a-z0-9]?"
)  # names, in lower case
OF_MFAS = ("lower_bound", "optimal_orders")  # whole numbers
TIERS_FROM = 20  # systems, whose ranges of ranks chain
LISTED = 25  # judges; the least reliable are shown, all are in files and JSON
Names = Sequence[str]
Progress = Callable[
    [str, float], None
]  # a step in words, and the share of it that is done


@dataclass(frozen=True)
class Asked:
    """What can be asked for; a question passes over what does not concern it.

    Attributes
    ----------
    reference : str, several, or None
        Not ranked; "" if there is none. Several count as one system.
    n_resamples : int
        Of the bootstrap; 0 for none, apart from the resamples of rank ranges.
    unit : str or None
        What systems are tested by, and what is resampled; None:
        `collection.collected_by`. "segment" of assessments, "comparison" of
        comparisons: each by itself.
    clusters : str or None
        "rank-ranges": a line where the intervals of ranks above and below do not
        overlap, WMT's way for comparisons (2013-16). "sign-test": below a system that
        is significantly better than every system below it, by the comparisons of each
        pair. "unit": the same by the units in which scores were collected
        (`pairwise_tests.units_of_collection`). "rank-sum": by segments' mean scores,
        WMT's way for direct assessment (2017-23). "signed-rank": by the segments that
        both were judged on, WMT's way for error span annotation (since 2024). None:
        what is usual.
    rule : str or None
        Of a campaign, whose lines are shown beside: wmt16 for comparisons,
        `CAMPAIGN_RULES` of `cluster_lines` for assessments.
    correction : str
        Of the tests; see `cluster_lines.significance`.
    robust : bool
        Whether to find the fewest judgements that decide, by the first method that
        allows it.
    folds, repeats : int
        Of the cross-validation; see `resampling.compare_models`.
    minimum : int
        Comparisons, or scored segments, below which a system is named above the tables
        and left out of them. If fewer than two others are left, all are ranked, without
        intervals and clusters.
    time_limit : float or None
        Seconds for mfas.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this
        seed.
    progress : callable
        Is told what is being done, and the share of it that is done.
    """

    reference: str | Names | None = None
    n_resamples: int = 0
    unit: str | None = None
    clusters: str | None = None
    rule: str | None = None
    correction: str = CORRECTIONS[0]
    robust: bool = False
    folds: int = 5
    repeats: int = 1
    minimum: int = MINIMUM
    time_limit: float | None = MFAS_SECONDS
    seed: int = 0
    progress: Progress = lambda step, share: None


def answer_ranking(
    judgements: Judgements, method_names: Names = (), **options: Any
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method_names : sequence of str
        "all" for all that apply, none for the usual ones.
    **options
        Of `Asked`.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    whole, asked = _with_reference(judgements, Asked(**options))
    drop = partial(Judgements.renamed, one="")
    judgements, thin, is_enough = methods.without_thin(
        whole, drop, minimum=asked.minimum, reference=asked.reference
    )
    names, reason = _chosen(judgements, method_names)
    campaign = None if judgements.assessments is None else encode(judgements)
    by = collection.collected_by(judgements, campaign, asked.unit)
    settings = _settings(judgements, names, asked, by, is_enough=is_enough)
    data = campaign or _data(judgements, names, [*by, settings["unit"]])
    same = {name: settings[name] for name in ("reference", "time_limit", "seed")}
    answer = Answer(facts=settings, warnings=[*judgements.warnings, *thin])
    answer.warnings.extend(collection.few_people(judgements, by))

    def apply(name: str) -> Ranking:
        rows = campaign is not None or METHODS[name].rows
        return methods.rank(data if rows else judgements.counts, name, **same)

    rankings = _applied(names, method_names, apply, answer, asked.progress)
    first, samples = rankings[0], None
    answer.details["Every method"] = pd.concat(
        [r.table.assign(method=r.method) for r in rankings]
    )
    if settings["resamples"]:
        samples = _resampled(answer, judgements, data, first.method, asked, same)
    cut = _cut(answer, judgements, data, first, samples)
    table = _ranking_table(first, samples, cut, with_chances=asked.n_resamples > 0)
    answer.tables["Clusters"] = table_of_clusters(cut, samples)
    answer.tables[f"Ranking by {first.method}"] = table
    if samples is not None and len(cut) > TIERS_FROM:
        _add_tiers(answer, samples)
    answer.notes.extend(reason)
    if asked.rule:
        answer.tables[f"By the rule of {asked.rule}"] = _by_rule(data, asked, same)
    if asked.robust:
        _add_fewest(answer, judgements, rankings, asked.progress)
    counts = judgements.counts.without(asked.reference) if campaign is None else None
    _add_methods(answer, rankings, counts)
    answer.pictures.extend(_ranking_pictures(table, rankings, counts))
    title = f"{first.method} ranks {_first(first)} first of {len(first.order)} systems"
    title += f"; clusters by {settings['clusters']}"
    settings["methods"] = ",".join(one.method for one in rankings)
    return _signed(answer, whole, "rank", title)


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
        reference, n_resamples, unit, clusters, correction, robust, minimum, time_limit,
        seed, progress: see `wmtlib.yours.answers.Asked`.

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
    with python_words(), catch_warnings():
        simplefilter("ignore", JudgementWarning)  # the answer holds them all
        answer = answer_ranking(judgements, method_names, **options)
    answer = replace(answer, warnings=[*map(in_python, answer.warnings)])
    for line in answer.warnings:
        warn(line, JudgementWarning, stacklevel=2)
    return answer


def answer_stability(
    judgements: Judgements, method_names: Names = (), **options: Any
) -> Answer:
    """Rank the others without each system; for the options see `Asked`."""
    from wmtlib.resampling import leave_one_out

    judgements, asked = _with_reference(judgements, Asked(**options))
    names, _ = _chosen(judgements, method_names, 1)
    data = _data(judgements, names, [])
    settings = {
        name: getattr(asked, name) for name in ("reference", "time_limit", "seed")
    }
    answer = Answer(facts=settings, warnings=[*judgements.warnings])

    def apply(name: str) -> Any:
        told = partial(asked.progress, f"leaving out each system, {name}")
        return leave_one_out(data, name, progress=told, **settings)

    results = _applied(names, method_names, apply, answer, asked.progress)
    for result in results:
        name, changed = result.ranking.method, int(result.table["changed"].sum())
        answer.tables[f"Left out ({name})"] = result.table
        answer.tables[f"Fragile systems ({name})"] = result.systems
        answer.details[f"Neighbours ({name})"] = result.neighbours
        cases = f"{changed} of {len(result.table)} cases"
        note = f"{name}: without one system the order of the others changes in {cases}."
        answer.notes.append(note)
        answer.warnings.extend([result.note] if result.note else [])
    settings["methods"] = ",".join(result.ranking.method for result in results)
    title = "Would the ranking be another without one of the systems?"
    return _signed(answer, judgements, "stability", title)


def answer_models(
    judgements: Judgements, model_names: Names = (), **options: Any
) -> Answer:
    """Held-out perplexity of preference models (Hopkins & May 2013).

    A reference, if one is named, is left out altogether; otherwise every system counts.
    What is held out is by default the largest unit of which the file tells enough
    apart: judgements that share a judge or a ranking are alike, and a model that has
    seen one of them predicts the others too well. For the options see `Asked`.

    Raises
    ------
    DataError
        The judgements are assessments, or one line on what else cannot be done.
    """
    from wmtlib.resampling import compare_models

    if judgements.kind == "assessments":
        raise judgements.refuse(
            "holds assessments; compare needs comparisons or rankings"
        )
    asked = Asked(**options)
    unit = collection.chosen(judgements, asked.unit, at_least=max(asked.folds, 2))
    asked = replace(asked, unit=unit, reference=asked.reference or "")
    judgements, asked = _with_reference(judgements, asked)
    reference = asked.reference
    kept = [
        name for name in dict.fromkeys(["segment", unit]) if name in judgements.units
    ]
    data = without(judgements.counted_by(tuple(kept)), reference)
    if not len(data):
        raise judgements.refuse(f"no comparisons without {reference!r}")
    settings = {
        name: getattr(asked, name) for name in ("unit", "folds", "repeats", "seed")
    }

    def told(model: str, share: float) -> None:
        asked.progress(f"predicting by {model}", share)

    result = compare_models(data, [*model_names] or None, progress=told, **settings)
    table, best = result.table, result.table["model"].iloc[0]
    near = table.loc[
        table["difference"] <= 2 * table["difference_error"], "model"
    ].tolist()
    near = ", ".join(name for name in near if name != best) or "none"
    note = f"Perplexity: 3 is knowing nothing and 1 knowing all of win, loss and tie. Best: {best}"
    caption = f"Perplexity on held-out {unit}s, {asked.folds} folds; bars: two standard errors."
    answer = Answer(
        tables={"Models": table}, facts={"reference": reference, **settings}
    )
    answer.notes.append(f"{note}; within two standard errors of it: {near}.")
    answer.warnings.extend([*judgements.warnings, *filter(None, [result.note])])
    answer.warnings.extend(collection.still_shared(judgements, unit))
    answer.pictures.append(Picture("perplexities", caption, (table,)))
    role = (
        f"{REFERENCE} (counts as a system)" if REFERENCE in judgements.systems else ""
    )
    role = (
        f"{reference} (left out, with all comparisons with it)" if reference else role
    )
    title = "Which analysis should be trusted here?"
    return _signed(answer, judgements, "compare", title, role)


def answer_judges(judgements: Judgements, **options: Any) -> Answer:
    """How far each judge can be relied on; for the options see `Asked`.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    from wmtlib.agreement import RESAMPLES as DRAWN
    from wmtlib.agreement import agreement, judges

    judgements, asked = _with_reference(judgements, Asked(**options))
    scored = judgements.kind == "assessments"
    unit = "worker" if scored else "judge"
    if collection.number_of(judgements, unit) < 2:
        message = (
            f"tells no {unit}s apart; expected two or more, to hold against each other"
        )
        raise judgements.refuse(message)
    asked.progress("ranking without each judge", 0.0)
    report = judges(
        _data(judgements, [], ["judge", "ranking"]), reference=asked.reference
    )
    table, answer = report.table, Answer(warnings=[*judgements.warnings])
    if scored or "segment" in judgements.units:
        asked.progress("drawing segments", 0.0)
        data = _data(judgements, [], ["judge", "segment"])
        agreed = agreement(data, n_resamples=DRAWN, seed=asked.seed)
        answer.tables.update({"Agreement": agreed} if len(agreed) else {})
    method, agreed = report.ranking.method, bool(answer.tables)
    answer.notes.extend(
        _judge_notes(table, unit, report.fewest, method, with_agreement=agreed)
    )
    shown = "Judges" if len(table) <= LISTED else f"The {LISTED} least reliable judges"
    answer.tables[shown], answer.details["Every judge"] = table.head(LISTED), table
    drawn = table[table["reliability"].notna()].head(LISTED)
    caption = "Reliability of judges with 95 % intervals. Blue: what is expected; orange: doubtful."
    if len(drawn):
        answer.pictures.append(Picture("reliabilities", caption, (drawn,)))
    answer.facts.update(reference=asked.reference, method=method)
    answer.facts.update(fewest=report.fewest, seed=asked.seed)
    return _signed(
        answer, judgements, "judges", f"{len(table)} judges: how far do they agree?"
    )


def table_of_clusters(groups: pd.DataFrame, samples: Any) -> pd.DataFrame:
    """What the data tell apart: the clusters with the ranks that their systems may have.

    Parameters
    ----------
    groups : DataFrame
        Columns system and cluster, best first.
    samples : BootstrapResult or None

    Returns
    -------
    DataFrame
        cluster; ranks: from the least to the greatest in the intervals of its systems,
        or their places if nothing was resampled; systems.
    """
    low = high = pd.Series(np.arange(1, len(groups) + 1))
    if samples is not None:
        low, high = samples.table["rank_low"], samples.table["rank_high"]
    rows = []
    for cluster, part in groups.groupby("cluster"):
        ranks = _span(low[part.index].min(), high[part.index].max())
        rows.append(
            {"cluster": cluster, "ranks": ranks, "systems": ", ".join(part["system"])}
        )
    return pd.DataFrame(rows, columns=["cluster", "ranks", "systems"])


# --- what the answers share -----------------------------------------------------------


def _signed(
    answer: Answer,
    judgements: Judgements,
    command: str,
    title: str,
    role: str | None = None,
) -> Answer:
    """The answer with its head, its signature, and the judges of the file; its facts are settings.

    `role` says what becomes of the reference; in a ranking it depends on the methods.
    """
    settings, scored = answer.facts, judgements.kind == "assessments"
    reference = settings["reference"]
    if role is None and reference and scored:
        role = f"{reference} (not ranked; its scores count for the workers' scales)"
    elif role is None and reference:
        methods = (settings.get("methods") or settings["method"]).split(",")
        counted_by = ", ".join(
            name for name in methods if METHODS[name].reference_counts
        )
        effect = f"count for {counted_by} only" if counted_by else "do not count"
        role = f"{reference} (not ranked; comparisons with it {effect})"
    size = f"{judgements.rows} rows of {judgements.kind}, {len(judgements.systems)} systems"
    size += "" if scored else f", {judgements.counts.comparisons} comparisons"
    if "judge_group" in judgements.units:
        size += f", {judgements.comparisons['judge_group'].nunique()} groups of judges"
    name = visible(PurePath(judgements.path).name)
    facts = {
        "command": command,
        "file": name,
        "data": judgements.sha256,
        "kind": judgements.kind,
    }
    facts |= {"task": judgements.task, **settings}
    facts |= {package: version(package) for package in ("wmtlib", "numpy", "scipy")}
    shown = {**facts, "data": judgements.sha256[:8], "command": None, "file": None}
    signature = [f"{k}={v}" for k, v in shown.items() if v not in (None, "")]
    about = {"Judgements": f"{name}: {size}", "Columns": judgements.reading}
    about |= {"Task": judgements.task, "Reference": role}
    about["Signature"] = "|".join([f"wmtlib {command}", *signature])
    about = {label: words for label, words in about.items() if words}
    facts |= {"rows": judgements.rows, "columns": dict(judgements.columns)}
    facts |= {"unused": [*judgements.unused], "scale": judgements.scale}
    people = judgements.people.items()
    people = {k: visible(v) for k, v in people if k not in judgements.systems}
    answer.warnings[:] = dict.fromkeys(
        answer.warnings
    )  # tests and resamples may warn of the same
    return replace(answer, title=title, about=about, facts=facts, people=people)


def _data(judgements: Judgements, names: Names, wanted: Sequence[str | None]) -> Any:
    """What the methods take: counts, or comparisons counted by the units that are needed."""
    if judgements.kind == "assessments":
        return encode(judgements)
    needed = [
        *wanted,
        *(["segment"] if any(METHODS[name].rows for name in names) else []),
    ]
    kept = tuple(unit for unit in dict.fromkeys(needed) if unit in judgements.units)
    return judgements.counted_by(kept) if kept else judgements.counts


def _with_reference(judgements: Judgements, asked: Asked) -> tuple[Judgements, Asked]:
    """The judgements with several references as one, and its name in what is asked.

    WMT's reference is not ranked without having been told to; of others that look human
    a warning says so.
    """
    reference = asked.reference
    named = [reference] if isinstance(reference, str) else reference
    if named is None and REFERENCE in judgements.systems:
        message = f"holds the reference {REFERENCE}; say --reference {REFERENCE},"
        raise judgements.refuse(f"{message} or --reference '' to rank it")
    references = [name for name in named or () if name]
    if unknown := [name for name in references if name not in judgements.systems]:
        message = f"no system {unknown[0]!r} to be the reference; there are"
        raise judgements.refuse(f"{message} {', '.join(judgements.systems[:20])}")
    others = [name for name in judgements.systems if name not in references]
    human = [name for name in others if HUMAN.fullmatch(name.casefold())]
    if human and named != [""]:
        options = " ".join(f"--reference {name}" for name in [*references, *human])
        warning = (
            f"{', '.join(human)}: ranked, though the name looks like a human reference"
        )
        warnings = (*judgements.warnings, f"{warning}; to leave it out, add {options}")
        judgements = replace(judgements, warnings=warnings)
    if len(references) > 1:
        judgements = judgements.renamed(references, " & ".join(references))
    return judgements, replace(asked, reference=" & ".join(references) or None)


def _chosen(
    judgements: Judgements, wanted: Names, most: int | None = None
) -> tuple[list, list]:
    """Names of methods, and a note if Bradley-Terry comes first for want of comparisons.

    "all" stands for the usual ones and then every other, none for the usual ones.
    """
    kind, reason = methods.kind_of(judgements), []
    usual = USUAL_METHODS[kind][:most]
    if kind == "assessments" and "worker" not in judgements.units:
        every = USUAL_METHODS[kind]
        needing = [name for name in every if METHODS[name].needs_workers]
        others = [name for name in every if name not in needing]
        if {*needing} & {*wanted}:
            raise judgements.refuse(
                f"names no workers; {', '.join(needing)} needs them,"
                f" {', '.join(others)} does not"
            )
        return others, []
    if kind == "counts":
        counts = judgements.counts
        compared = (counts.wins + counts.wins.T + counts.ties).to_numpy() > 0
        per_pair = 2 * counts.comparisons / max(compared.sum(), 1)
        if per_pair < FEW_PER_PAIR:
            usual = sorted(
                USUAL_METHODS[kind],
                key=lambda name: not METHODS[name].adjusts_for_opponents,
            )[:most]
            few = f"a compared pair has {per_pair:.3g} comparisons on average, and with fewer than"
            why = f"{few} {FEW_PER_PAIR} a share of wins depends on which opponents it met"
            reason = [] if wanted else [f"{usual[0]} comes first: {why}."]
    named = [name for name in wanted if name != "all"]
    for name in named:
        methods.require(name, kind)
    if "all" in wanted:
        named += [
            *usual,
            *(name for name, method in METHODS.items() if method.kind == kind),
        ]
    return list(dict.fromkeys(named or usual)), reason


def _applied(
    names: Names, wanted: Names, apply: Callable, answer: Answer, told: Progress
) -> list:
    """The results of all methods that can be applied; the answer warns of every other.

    Raises
    ------
    DataError
        No method can be applied, or one that is wanted by name cannot.
    """
    results = []
    for name in names:
        told(f"ranking by {name}", 0.0)
        try:
            results.append(apply(name))
        except DataError as error:
            if name in wanted or (name == names[-1] and not results):
                raise
            answer.warnings.append(f"{name} is left out: {error}")
    return results


# --- rank -----------------------------------------------------------------------------


def _settings(
    judgements: Judgements,
    names: Names,
    asked: Asked,
    by: tuple[str, ...],
    *,
    is_enough: bool,
) -> dict[str, Any]:
    """The settings of a ranking as they are signed; None for what is not done.

    Rank ranges are left for sign tests where resamples cannot be ranked all at once.
    """
    kind, first, clusters = (
        methods.kind_of(judgements),
        METHODS[names[0]],
        asked.clusters,
    )
    if clusters and clusters not in FITTING[kind]:
        raise DataError(
            f"--clusters {clusters}: expected {', '.join(FITTING[kind])} for {kind}"
        )
    if asked.correction not in CORRECTIONS:
        raise DataError(
            f"correction is {asked.correction!r}; expected {', '.join(CORRECTIONS)}"
        )
    largest = collection.chosen(judgements, asked.unit)
    if not clusters and kind == "assessments":
        clusters = SIGNED_RANK if ERROR_SPANS in judgements.unused else RANK_SUM
        clusters = UNIT_TEST if by else clusters
    elif not clusters:
        clusters = RANK_RANGES if first.batched else SIGN_TEST
    if clusters == UNIT_TEST and not by:
        raise judgements.refuse(f"{collection.NOT_SHARED}, so there is no test by unit")
    number = asked.n_resamples or (RESAMPLES if clusters == RANK_RANGES else 0)
    if number and first.rows:
        raise DataError(
            f"--bootstrap: {names[0]} takes too long; put another --method first"
        )
    tested = is_enough and clusters != RANK_RANGES
    by_units = tested and clusters in (UNIT_TEST, SIGN_TEST)
    removed = next(
        (unit for unit in collection.SMALLEST_FIRST if unit in judgements.units),
        largest,
    )
    return {
        "methods": None,
        "clusters": clusters,
        "correction": asked.correction if tested else None,
        "tested_by": (",".join(by) or None) if by_units else None,
        "resamples": number * is_enough or None,
        "unit": (",".join(by) or largest) if number and is_enough else None,
        "robust": (asked.unit or removed) if asked.robust else None,
        "rule": asked.rule,
        "reference": asked.reference,
        "minimum": asked.minimum if asked.minimum != MINIMUM else None,
        "time_limit": asked.time_limit
        if any(METHODS[name].timed for name in names)
        else None,
        "seed": asked.seed,
    }


def _resampled(
    answer: Answer,
    judgements: Judgements,
    data: Any,
    method: str,
    asked: Asked,
    same: dict,
) -> Any:
    """Samples by the unit of the test; of two units, by that which leaves the ranks more open."""
    from wmtlib.resampling import bootstrap

    number, by = answer.facts["resamples"], answer.facts["unit"].split(",")
    drawn = {"n_resamples": number, "minimum": asked.minimum, **same}
    drawn["progress"] = partial(
        asked.progress, f"ranking {number} resamples by {method}"
    )
    several = [bootstrap(data, method, unit=unit, **drawn) for unit in by]
    samples = max(
        several, key=lambda one: (one.table["rank_high"] - one.table["rank_low"]).sum()
    )
    answer.facts["unit"] = unit = samples.unit
    answer.warnings.extend(samples.warnings)
    if len(by) > 1:
        note = f"Resamples are by {unit}: of {' and '.join(by)} it leaves the ranks more open."
        answer.notes.append(note)
    else:
        taken = collection.warnings_for(
            judgements.units, unit, is_usual=asked.unit is None
        )
        answer.warnings.extend(taken)
    answer.details["Intervals"] = samples.table
    return samples


def _cut(
    answer: Answer, judgements: Judgements, data: Any, first: Ranking, samples: Any
) -> pd.DataFrame:
    """The ranking cut into clusters; the answer receives how, and the tests of its pairs."""
    clusters, correction = answer.facts["clusters"], answer.facts["correction"]
    if samples is None and correction is None:
        answer.notes.append(
            "Clusters: no two systems have enough judgements to be told apart."
        )
        return pd.DataFrame({"system": first.order, "cluster": 1})
    if clusters == RANK_RANGES:
        drawn = f"in 95 % of {samples.n_resamples} resamples by {samples.unit} (ranks)"
        answer.notes.append(
            f"Clusters: the ranks of two clusters do not overlap {drawn}."
        )
        return samples.clusters
    from wmtlib.cluster_lines import groups, significance
    from wmtlib.pairwise_tests import ALPHA

    by = tuple(filter(None, (answer.facts["tested_by"] or "").split(",")))
    campaign = data if isinstance(data, Campaign) else None
    score = "z" if METHODS[first.method].needs_workers else "raw"
    test = {"score": score, "test": clusters, "units": by, "correction": correction}
    # Thin systems are gone already, by the minimum that was asked for.
    pairs = significance(data, first.order, minimum=0, **test)
    answer.warnings.extend(collection.warnings_of_test(judgements, campaign, by, pairs))
    answer.notes.append(
        "Clusters: a line below a system that is significantly better than every system below it;"
        f" wins: than how many it is ({clusters}, two-sided, p < {ALPHA:g}, correction:"
        f" {correction}). {collection.reason_for(by, pairs)}"
    )
    answer.details["Pairs"] = pairs
    return groups(pairs, first.order).drop(columns="line")


def _ranking_table(
    first: Ranking, samples: Any, cut: pd.DataFrame, *, with_chances: bool
) -> pd.DataFrame:
    """The ranking by the first method, with clusters, and intervals where there are resamples."""
    table = pd.DataFrame({"system": first.order, "rank": rank_words(first).array})
    if samples is not None:
        ends = zip(samples.table["rank_low"], samples.table["rank_high"], strict=True)
        table["ranks"] = [_span(low, high) for low, high in ends]
    if first.table["score"].notna().any():
        table["score"] = first.table["score"].array
        if samples is not None:
            table["low"], table["high"] = (
                samples.table["score_low"],
                samples.table["score_high"],
            )
    if with_chances and samples is not None:
        table["above_next"] = samples.table["above_next"]
    return table.join(cut.drop(columns="system"))


def _by_rule(data: Any, asked: Asked, same: dict[str, Any]) -> pd.DataFrame:
    """The ranking and the lines as a campaign drew them."""
    if isinstance(data, Campaign):
        from wmtlib.yours.campaign_rules import lines_by_rule

        return lines_by_rule(data, asked.rule or "")
    if asked.rule != "wmt16":
        raise DataError(f"no rule {asked.rule!r} for comparisons; there is wmt16")
    from wmtlib.resampling import bootstrap

    drawn = {
        "unit": COMPARISON,
        "n_resamples": RESAMPLES,
        "minimum": asked.minimum,
        **same,
    }
    samples = bootstrap(data, "trueskill", **drawn)
    ranges = samples.table[["system", "rank", "rank_low", "rank_high"]]
    return ranges.merge(samples.clusters, on="system")


def _add_tiers(answer: Answer, samples: Any) -> None:
    """Tiers of systems, where ranges of ranks would chain to few clusters."""
    from wmtlib.cluster_lines import tiers

    order = samples.ranking.without(samples.thin.index).order
    answer.tables["Tiers"] = tiers(samples.beats.loc[order, order], samples.n_resamples)
    answer.notes.append(
        "Tiers: a tier starts with the first system that is significantly below the first of the"
        " tier before (two-sided, p < 0.05, not corrected)."
    )


def _first(one: Ranking) -> str:
    """The best systems, at most four names."""
    best = one.table.loc[one.table["rank"] == 1, "system"].tolist()
    if len(best) > 4:
        return f"{', '.join(best[:3])} and {len(best) - 3} more (tied)"
    return " and ".join(best) + (" (tied)" if len(best) > 1 else "")


def _span(low: int, high: int) -> str:
    """One number, or the ends of a range.

    >>> _span(2, 2), _span(2, 4)
    ('2', '2–4')
    """
    return str(low) if low == high else f"{low}–{high}"


def _add_fewest(
    answer: Answer, judgements: Judgements, rankings: Sequence[Ranking], told: Progress
) -> None:
    """The fewest removals that change the ranking, what they mean, and what does not hold."""
    from wmtlib.fewest import REMOVABLE, fewest_removals

    unit, method = answer.facts["robust"], rankings[0].method
    decided = next((one.method for one in rankings if one.method in REMOVABLE), method)
    told(f"looking for the fewest judgements that decide, {decided}", 0.0)
    options = {"unit": unit, "reference": answer.facts["reference"]}
    result = fewest_removals(_data(judgements, [], [unit]), decided, **options)
    table, size = result.table, result.table.iloc[0]
    caption = "Fewest removals" + (f" ({decided})" if decided != method else "")
    answer.tables[caption] = result.shown
    answer.notes.append(
        f"Fewest removals: chosen for it, so many {unit}s (of {size['units']}) or judgements (of"
        f" {size['judgements']}) gone, or comparisons reversed, end a lead. This is the worst case,"
        " not what chance does: for that see the ranks."
    )
    undone = int((table["rescaled"] == False).sum())  # noqa: E712 (missing is neither)
    what = f"{undone} of {len(table)} changes do not come about when the workers' means and"
    warning = f"{what} standard deviations are computed from what is left"
    answer.warnings.extend([warning] if undone else [])


def _add_methods(
    answer: Answer, rankings: Sequence[Ranking], counts: Counts | None
) -> None:
    """The methods side by side, and a row about each: the judgements that its order contradicts."""
    if len(rankings) > 1:
        ranks = side_by_side(rankings).rename_axis("system").reset_index()
        answer.tables["Ranks by every method"] = ranks
        is_open = any(rank_words(one).str.contains("–").any() for one in rankings)
        note = "range: by how many ranks the methods disagree"
        answer.notes.append(
            note + "; 3–5: ranks left open by ties." if is_open else note + "."
        )
    rows = []
    for one in rankings:
        row: dict[str, Any] = {"method": one.method}
        if counts is not None:
            row |= {
                "violated": violated_weight(one.order, counts.wins),
                "of": counts.comparisons,
            }
        row |= {key: one.facts[key] for key in OF_MFAS if key in one.facts}
        rows.append(row | {"about": METHODS[one.method].about, "note": one.note})
    table = pd.DataFrame(rows)
    answer.tables["Methods"] = table.astype(
        {name: "Int64" for name in OF_MFAS if name in table}
    )


def _ranking_pictures(
    table: pd.DataFrame, rankings: Sequence[Ranking], counts: Counts | None
) -> list[Picture]:
    """The ranking with its intervals and lines, who beat whom, and the methods side by side."""
    first = rankings[0]
    if (size := len(table)) > MOST_DRAWN:
        return []
    ranges = first.rank_ranges.loc[first.order].reset_index(drop=True).astype(float)
    frame = table.join(ranges).assign(place=first.table["rank"])
    frame["line"] = frame["cluster"].diff(-1).fillna(0) != 0
    caption = (
        f"Ranking by {first.method} ({METHODS[first.method].about}), with its clusters."
    )
    pictures = [Picture("intervals", caption, (frame,))]
    if counts is not None:
        caption = (
            "Margins: wins less losses of the row's system; frames mark violated pairs."
        )
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        pictures.append(Picture("heatmap", caption, (counts, first.order), square))
    if len(rankings) > 1:
        middles = {
            r.method: r.rank_ranges.mean(axis=1).fillna(r.column("rank"))
            for r in rankings
        }
        ranks = pd.DataFrame(middles).loc[first.order]
        wide = (3.2 + 1.4 * len(rankings), 1.2 + 0.26 * size)
        pictures.append(Picture("bump", "Ranks by each method.", (ranks,), wide))
    return pictures


# --- judges ---------------------------------------------------------------------------


def _judge_notes(
    table: pd.DataFrame, unit: str, fewest: int, method: str, *, with_agreement: bool
) -> list[str]:
    """How to read the tables of judges."""
    notes = [
        f"Agreement cannot be told: no two {unit}s are known to have judged the same outputs."
    ]
    if with_agreement:
        data = "interval data, z-scores" if unit == "worker" else "nominal data"
        notes = [
            f"Agreement: 0 as by chance, 1 always; alpha is Krippendorff's ({data}); inter: between"
            " judges, intra: a judge and the same again, kappa: beyond chance; low, high: 95 %."
        ]
    known, doubtful = (
        int(table["reliability"].notna().sum()),
        int(table["doubtful"].sum()),
    )
    what = "decided comparisons that favour the system which all others rank higher"
    if unit == "worker":
        what = "correlation of z-scores with the others' mean of the same output"
    notes.append(
        f"Reliability: {what}; expected: what is likely of a typical judge. {doubtful} of {known}"
        " judges are doubtful (the 95 % interval is below what is expected; by chance 1 in 40 is)."
        f" Of {len(table) - known} with fewer than {fewest} nothing is said. reversed, first:"
        f" pairs that change order by {method} without the judge, and who is first then."
    )
    return notes


QUESTIONS = {  # by the command that asks
    "rank": answer_ranking,
    "stability": answer_stability,
    "compare": answer_models,
    "judges": answer_judges,
}
