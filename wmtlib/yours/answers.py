"""Answers about somebody's judgements: tables, and what must be said beside them.

The commands `rank`, `stability`, `compare` and `judges`, and notebook 40, ask these functions;
`wmtlib.yours.show` prints an answer, writes it as JSON or into a folder. Names may be anybody's:
they are shown as they are, and are never markup or mathematics.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from warnings import catch_warnings, simplefilter, warn

import numpy as np
import pandas as pd

from wmtlib import ranking
from wmtlib.corrections import CORRECTIONS, corrected
from wmtlib.counts import COMPARISON, REFERENCE, Counts, without
from wmtlib.errors import DataError, JudgementWarning
from wmtlib.ranking import METHODS, MINIMUM, USUAL_METHODS, Ranking, rank_words, side_by_side
from wmtlib.yours.read import Judgements, read
from wmtlib.yours.tables import in_python
from wmtlib.yours.unit_warnings import warnings_for
from wmtlib.zscores import Campaign, encode, segment_means

RANK_RANGES, SIGN_TEST, RANK_SUM, SIGNED_RANK = CLUSTERS = (
    *("rank-ranges", "sign-test", "rank-sum", "signed-rank"),
)
FEW_PER_PAIR = 20  # comparisons of a pair; with fewer the usual methods begin with Bradley-Terry
FEWEST_COMMON = 20  # segments of two systems, for a signed-rank test
FITTING = {"counts": (RANK_RANGES, SIGN_TEST), "assessments": (RANK_SUM, SIGNED_RANK, RANK_RANGES)}
RESAMPLES = 1000  # of rank ranges
MFAS_SECONDS = 10.0  # after which mfas stops proving
ERROR_SPANS = "error_spans"  # a column that files of error span annotation (ESA) have
LARGEST_FIRST = ("worker", "judge", "hit", "document", "ranking", "segment")  # units
SMALLEST_FIRST = ("ranking", "hit", "judge", "worker")  # units of collection
MOST_DRAWN = 100  # systems; of more nothing is drawn
HUMAN = re.compile(r"(.*[^a-z])?(ref(erence)?|human)s?[-_. ]?[a-z0-9]?")  # names, in lower case
LISTED = 25  # judges; the least reliable are shown, all are in files and JSON
Progress = Callable[[str, float], None]  # a step in words, and the share of it that is done


@dataclass(frozen=True)
class Picture:
    """A picture: a function of `wmtlib.plots`, and what it draws; `size` is in inches."""

    name: str
    caption: str
    size: tuple[float, float]
    drawn: tuple[Any, ...] = field(repr=False)

    def draw(self, axes: Any) -> None:
        from wmtlib import plots

        getattr(plots, self.name)(*self.drawn, axes)


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes
    ----------
    title : str
    about : mapping of str to str
        Which file, how many judgements, which columns were used; the last entry is the signature.
    tables : mapping of str to DataFrame
        By their captions, in the order in which they are read.
    notes : sequence of str
        How to read the tables, a sentence or two each.
    warnings : sequence of str
        What may be misread.
    details : mapping of str to DataFrame
        Tables for files and JSON alone.
    pictures : sequence of Picture
    facts : mapping
        The file and the settings as data, for JSON.
    people : mapping from pseudonym to identifier
        The judges of a file of the user's own.
    """

    title: str
    about: Mapping[str, str]
    tables: Mapping[str, pd.DataFrame] = field(repr=False)
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    details: Mapping[str, pd.DataFrame] = field(default_factory=dict, repr=False)
    pictures: Sequence[Picture] = field(default=(), repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    people: Mapping[str, str] = field(default_factory=dict, repr=False)

    def with_identifiers(self) -> "Answer":
        """The same with the identifiers of the user's own judges in place of their numbers."""
        tables, details = (
            {name: table.replace({"judge": self.people}) for name, table in part.items()}
            for part in (self.tables, self.details)
        )
        return replace(self, tables=tables, details=details, people={})

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, Image, display

        from wmtlib.yours import show

        display(HTML(show.html_of(self)))
        for picture in self.pictures:
            display(Image(show.files_of(picture, dpi=100)["png"]))


def answer_ranking(
    judgements: Judgements,
    method_names: Sequence[str] = (),
    *,
    reference: str | Sequence[str] | None = None,
    n_resamples: int = 0,
    unit: str | None = None,
    clusters: str | None = None,
    correction: str = CORRECTIONS[0],
    robust: bool = False,
    minimum: int = MINIMUM,
    time_limit: float | None = MFAS_SECONDS,
    seed: int = 0,
    progress: Progress = lambda step, share: None,
) -> Answer:
    """Rank by one method or several; clusters and resampling are of the first.

    Parameters
    ----------
    method_names : sequence of str
        "all" for all that apply, none for the usual ones.
    reference : str, several, or None
        Not ranked; "" if there is none. Several count as one system.
    n_resamples : int
        Of the bootstrap; 0 for none, apart from the resamples of rank ranges.
    unit : str or None
        What is resampled; the largest unit that the file names if None.
    clusters : one of `CLUSTERS`, or None
        "rank-ranges": a line where the intervals of ranks above and below do not overlap, WMT's way
        for comparisons (2013-16). "sign-test": below a system that is significantly better than
        every system below it, by the comparisons of each pair. "rank-sum": the same by segments'
        mean scores, WMT's way for direct assessment (2017-23). "signed-rank": by the segments that
        both were judged on, WMT's way for error span annotation (since 2024). None: what is usual.
    correction : str
        Of the tests; see `cluster_lines.significance`.
    robust : bool
        Whether to find the fewest judgements that decide, by the first method that allows it.
    minimum : int
        Comparisons, or scored segments, below which a system is named above the tables and left out
        of them. If fewer than two others are left, all are ranked, without intervals and clusters.
    time_limit : float or None
        Seconds for mfas.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this seed.
    progress : callable

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    whole, kind, reference = _with_reference(judgements, reference)
    judgements, thin, is_enough = _with_enough(whole, minimum, reference)
    names = _chosen(judgements, method_names, kind)
    clusters = _clusters_by(judgements, clusters, names[0], kind)
    if correction not in CORRECTIONS:
        raise DataError(f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}")
    resampled = n_resamples or (RESAMPLES if clusters == RANK_RANGES else 0)
    if resampled and METHODS[names[0]].rows:
        raise DataError(f"--bootstrap: {names[0]} takes too long; put another --method first")
    if unit and not (resampled or robust):
        message = "--bootstrap N, or --clusters rank-ranges, or --robust"
        raise DataError(f"--unit is for resamples and removals; say {message}")
    resampled *= is_enough
    removed = next((name for name in SMALLEST_FIRST if name in judgements.units), None)
    removed = (unit or removed or _unit(judgements, None)) if robust else None
    unit = _unit(judgements, unit)
    data = _data(judgements, names, [unit] if resampled else [])
    settings = {"reference": reference, "time_limit": time_limit, "seed": seed}

    def apply(name: str) -> Ranking:
        progress(f"ranking by {name}", 0.0)
        return ranking.rank(data, name, **settings)

    warnings = [*judgements.warnings, *thin]
    rankings = [*_applied(names, method_names, apply, warnings)]
    first, bootstrapped = rankings[0], None
    if resampled:
        from wmtlib.resampling import bootstrap

        told = partial(progress, f"ranking {resampled} resamples by {first.method}")
        drawn = {"unit": unit, "n_resamples": resampled, "minimum": minimum, "progress": told}
        bootstrapped = bootstrap(data, first.method, **drawn, **settings)
        warnings += [*bootstrapped.warnings, *warnings_for(judgements.units, unit)]
    progress("drawing lines", 0.0)
    pairs, note = None, "Clusters: no two systems have enough judgements to be told apart."
    groups = pd.DataFrame({"system": first.order, "cluster": 1})
    if is_enough:
        groups, pairs, note = _cut(clusters, data, first, bootstrapped, correction)
    counts = judgements.counts.without(reference) if kind == "counts" else None
    table = _ranking_table(first, bootstrapped, groups, with_chances=n_resamples > 0)
    tables = {"Clusters": tiers(groups, bootstrapped), f"Ranking by {first.method}": table}
    details = {"Every method": pd.concat([r.table.assign(method=r.method) for r in rankings])}
    if pairs is not None:
        details["Pairs"] = pairs
        few = int((pairs["common"] < FEWEST_COMMON).sum()) if clusters == SIGNED_RANK else 0
        if few:
            warning = f"{few} of {len(pairs)} pairs of systems share fewer than {FEWEST_COMMON}"
            warnings.append(f"{warning} segments and are not tested; see also --clusters rank-sum")
    if bootstrapped is not None:
        details["Intervals"] = bootstrapped.table
    notes = [note]
    if counts is not None and not method_names and names[0] == "bradley-terry":
        each = f"a compared pair has {_per_pair(judgements.counts):.3g} comparisons on average"
        reason = f"with fewer than {FEW_PER_PAIR} a share of wins depends on which opponents it met"
        notes.append(f"bradley-terry comes first: {each}, and {reason}.")
    if robust:
        from wmtlib.fewest import REMOVABLE

        decided = next((one for one in rankings if one.method in REMOVABLE), first)
        caption = "Fewest removals" + (f" ({decided.method})" if decided is not first else "")
        progress(f"looking for the fewest judgements that decide, {decided.method}", 0.0)
        tables[caption], remark, missed = _fewest(judgements, decided, reference, removed)
        notes.append(remark)
        warnings += missed
    if len(rankings) > 1:
        tables["Ranks by every method"] = side_by_side(rankings).rename_axis("system").reset_index()
        notes.append("range: by how many ranks the methods disagree; 3–5: ranks left open by ties.")
    tables["Methods"] = pd.DataFrame([_remarks(one, counts) for one in rankings])
    applied = [one.method for one in rankings]
    facts = {"methods": ",".join(applied), "clusters": clusters}
    facts["correction"] = correction if pairs is not None else None
    facts |= {"resamples": resampled or None, "unit": unit if resampled else None}
    facts |= {"robust": removed, "reference": reference}
    facts["minimum"] = minimum if minimum != MINIMUM else None
    facts |= {"time_limit": time_limit if "mfas" in names else None, "seed": seed}
    content = {"tables": tables, "notes": notes, "warnings": warnings, "details": details}
    content["pictures"] = _ranking_pictures(table, first, rankings, counts)
    title = f"{first.method} ranks {_first(first)} first of {len(first.order)} systems"
    title += f"; clusters by {clusters}"
    role = _role_of(reference, applied, kind)
    return _answer(whole, "rank", title, role, facts, **content)


def analyse(data: Any, method_names: Sequence[str] = (), **options: Any) -> Answer:
    """All that `wmtlib rank` says of a frame: ranking, intervals, clusters, warnings.

    Parameters
    ----------
    data : DataFrame, path or Judgements
        What `wmtlib.read` takes or gives; say by `wmtlib.read` how a frame is to be understood.
    method_names : sequence of str
        As `wmtlib.ranking_methods` lists them; the usual ones if none is given.
    **options
        reference, n_resamples, unit, clusters, correction, robust, minimum, time_limit, seed,
        progress: see `wmtlib.yours.answers.answer_ranking`.

    Returns
    -------
    Answer
        `tables` and `details` are frames by their captions; `warnings` and `notes` are lines. The
        warnings are issued as `JudgementWarning`, too.

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
    answer = replace(answer, warnings=[*map(in_python, answer.warnings)])
    for line in answer.warnings:
        warn(line, JudgementWarning, stacklevel=2)
    return answer


def answer_stability(
    judgements: Judgements,
    method_names: Sequence[str] = (),
    *,
    reference: str | Sequence[str] | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = lambda step, share: None,
) -> Answer:
    """Rank the others without each system; parameters as in `answer_ranking`."""
    from wmtlib.resampling import leave_one_out

    judgements, kind, reference = _with_reference(judgements, reference)
    names = _chosen(judgements, method_names, kind, 1)
    data = _data(judgements, names, [])
    settings = {"reference": reference, "time_limit": time_limit, "seed": seed}
    warnings, tables, details, notes = [*judgements.warnings], {}, {}, []

    def apply(name: str) -> Any:
        told = partial(progress, f"leaving out each system, {name}")
        return leave_one_out(data, name, progress=told, **settings)

    results = [*_applied(names, method_names, apply, warnings)]
    for result in results:
        name, changed = result.ranking.method, int(result.table["changed"].sum())
        tables[f"Left out ({name})"] = result.table
        tables[f"Fragile systems ({name})"] = result.systems
        details[f"Neighbours ({name})"] = result.neighbours
        cases = f"{changed} of {len(result.table)} cases"
        notes.append(f"{name}: without one system the order of the others changes in {cases}.")
        warnings += [result.note] if result.note else []
    applied = [result.ranking.method for result in results]
    facts, role = {**settings, "methods": ",".join(applied)}, _role_of(reference, applied, kind)
    content = {"tables": tables, "notes": notes, "warnings": warnings, "details": details}
    title = "Would the ranking be another without one of the systems?"
    return _answer(judgements, "stability", title, role, facts, **content)


def answer_models(
    judgements: Judgements,
    model_names: Sequence[str] = (),
    *,
    reference: str | Sequence[str] | None = None,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress = lambda step, share: None,
) -> Answer:
    """Held-out perplexity of preference models (Hopkins & May 2013).

    A reference, if one is named, is left out altogether; otherwise every system counts. What is
    held out is by default the largest unit of which the file tells enough apart: judgements that
    share a judge or a ranking are alike, and a model that has seen one of them predicts the others
    too well. For the other parameters see `resampling.compare_models`.

    Raises
    ------
    DataError
        The judgements are assessments, or one line on what else cannot be done.
    """
    from wmtlib.resampling import compare_models

    if judgements.kind == "assessments":
        raise _refusal(judgements, "holds assessments; compare needs comparisons or rankings")
    unit = _unit(judgements, unit, at_least=max(folds, 2))
    judgements, _, reference = _with_reference(judgements, reference or "")
    units = [name for name in dict.fromkeys(["segment", unit]) if name in judgements.units]
    data = without(judgements.counted_by(tuple(units)), reference)
    if not len(data):
        raise _refusal(judgements, f"no comparisons without {reference!r}")
    settings = {"unit": unit, "folds": folds, "repeats": repeats, "seed": seed}
    result = compare_models(
        data,
        [*model_names] or None,
        progress=lambda model, share: progress(f"predicting by {model}", share),
        **settings,
    )
    table, best = result.table, result.table["model"].iloc[0]
    near = table.loc[table["difference"] <= 2 * table["difference_error"], "model"].tolist()
    note = f"Perplexity: 3 is knowing nothing and 1 knowing all of win, loss and tie. Best: {best}"
    near = [name for name in near if name != best]
    role = f"{REFERENCE} (counts as a system)" if REFERENCE in judgements.systems else ""
    caption = f"Perplexity on held-out {unit}s, {folds} folds; bars: two standard errors."
    role = f"{reference} (left out, with all comparisons with it)" if reference else role
    notes = [f"{note}; within two standard errors of it: {', '.join(near) or 'none'}."]
    warnings = [*judgements.warnings, *filter(None, [result.note])]
    warnings += _shared_units(judgements, unit)
    pictures = [Picture("perplexities", caption, _rows(len(table)), (table,))]
    content = {"tables": {"Models": table}, "notes": notes, "warnings": warnings}
    content["pictures"] = pictures
    facts = {"reference": reference, **settings}
    title = "Which analysis should be trusted here?"
    return _answer(judgements, "compare", title, role, facts, **content)


def answer_judges(
    judgements: Judgements,
    *,
    reference: str | Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress = lambda step, share: None,
) -> Answer:
    """How far each judge can be relied on; `seed` is of the intervals of agreement.

    Raises
    ------
    DataError
        The file tells no judges apart, or one alone.
    """
    from wmtlib.agreement import RESAMPLES as DRAWN
    from wmtlib.agreement import agreement, judges

    judgements, kind, reference = _with_reference(judgements, reference)
    unit = "judge" if kind == "counts" else "worker"
    frame = judgements.comparisons if kind == "counts" else judgements.assessments
    if unit not in judgements.units or frame[unit].nunique() < 2:
        message = f"tells no {unit}s apart; expected two or more, to hold against each other"
        raise _refusal(judgements, message)
    progress("ranking without each judge", 0.0)
    report = judges(_data(judgements, [], ["judge", "ranking"]), reference=reference)
    table, method = report.table, report.ranking.method
    tables = {}
    if kind == "assessments" or "segment" in judgements.units:
        progress("drawing segments", 0.0)
        data = _data(judgements, [], ["judge", "segment"])
        agreed = agreement(data, n_resamples=DRAWN, seed=seed)
        if len(agreed):
            tables["Agreement"] = agreed
    notes = _judge_notes(table, unit, report.fewest, method, with_agreement="Agreement" in tables)
    shown = "Judges" if len(table) <= LISTED else f"The {LISTED} least reliable judges"
    tables[shown] = table.head(LISTED)
    drawn = table[table["reliability"].notna()].head(LISTED)
    caption = "Reliability of judges with 95 % intervals. Blue: what is expected; orange: doubtful."
    pictures = [Picture("reliabilities", caption, _rows(len(drawn)), (drawn,))]
    content = {"tables": tables, "notes": notes, "warnings": judgements.warnings}
    content |= {"details": {"Every judge": table}, "pictures": pictures if len(drawn) else []}
    facts = {"reference": reference, "method": method, "fewest": report.fewest, "seed": seed}
    title = f"{len(table)} judges: how far do they agree?"
    role = _role_of(reference, [method], kind)
    return _answer(judgements, "judges", title, role, facts, **content)


def tiers(groups: pd.DataFrame, bootstrapped: Any) -> pd.DataFrame:
    """What the data tell apart: the clusters with the ranks that their systems may have.

    Parameters
    ----------
    groups : DataFrame
        Columns system and cluster, best first.
    bootstrapped : BootstrapResult or None

    Returns
    -------
    DataFrame
        cluster; ranks: from the least to the greatest in the intervals of its systems, or their
        places if nothing was resampled; systems.
    """
    low = high = pd.Series(np.arange(1, len(groups) + 1))
    if bootstrapped is not None:
        low, high = bootstrapped.table["rank_low"], bootstrapped.table["rank_high"]
    rows = []
    for cluster, part in groups.groupby("cluster"):
        ranks = _span(low[part.index].min(), high[part.index].max())
        rows.append({"cluster": cluster, "ranks": ranks, "systems": ", ".join(part["system"])})
    return pd.DataFrame(rows, columns=["cluster", "ranks", "systems"])


# --- what the answers share -----------------------------------------------------------------------


def _answer(
    judgements: Judgements,
    command: str,
    title: str,
    role_of_reference: str,
    settings: Mapping[str, Any],
    **content: Any,
) -> Answer:
    """An answer with its head, its signature and the judges of the file."""
    size = f"{judgements.rows} rows of {judgements.kind}, {len(judgements.systems)} systems"
    if judgements.assessments is None:
        size += f", {judgements.counts.comparisons} comparisons"
    name = _shown(PurePath(judgements.path).name)
    facts = {"command": command, "file": name, "data": judgements.sha256, "kind": judgements.kind}
    facts |= {"task": judgements.task, **settings}
    facts |= {package: version(package) for package in ("wmtlib", "numpy", "scipy")}
    shown = {**facts, "data": judgements.sha256[:8], "command": None, "file": None}
    signature = [f"{k}={v}" for k, v in shown.items() if v not in (None, "")]
    about = {"Judgements": f"{name}: {size}", "Columns": judgements.reading}
    about |= {"Task": judgements.task, "Reference": role_of_reference}
    about["Signature"] = "|".join([f"wmtlib {command}", *signature])
    about = {label: words for label, words in about.items() if words}
    facts |= {"rows": judgements.rows, "columns": dict(judgements.columns)}
    facts |= {"unused": [*judgements.unused], "scale": judgements.scale}
    people = {k: _shown(v) for k, v in judgements.people.items() if k not in judgements.systems}
    return Answer(title=title, about=about, facts=facts, people=people, **content)


def _shown(text: str) -> str:
    """Text of a file, with signs that would move the cursor or change the line made visible."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _data(judgements: Judgements, names: Sequence[str], units: Sequence[str]) -> Any:
    """What the methods take: counts, or comparisons counted by the units that are needed."""
    if judgements.assessments is not None:
        return encode(judgements)
    needed = ["segment"] if any(METHODS[name].rows for name in names) else []
    kept = [unit for unit in dict.fromkeys([*units, *needed]) if unit in judgements.units]
    return judgements.counted_by(tuple(kept)) if kept else judgements.counts


def _refusal(judgements: Judgements, message: str) -> DataError:
    return DataError(f"{_shown(judgements.path)}: {message}")


def _with_reference(
    judgements: Judgements, reference: str | Sequence[str] | None
) -> tuple[Judgements, str, str | None]:
    """The judgements with several references as one, the kind of methods, and the reference.

    WMT's reference is not ranked without having been told to; of others that look human a warning
    says so.
    """
    named = [reference] if isinstance(reference, str) else reference
    if named is None and REFERENCE in judgements.systems:
        message = f"holds the reference {REFERENCE}; say --reference {REFERENCE},"
        raise _refusal(judgements, f"{message} or --reference '' to rank it")
    references = [name for name in named or () if name]
    if unknown := [name for name in references if name not in judgements.systems]:
        message = f"no system {unknown[0]!r} to be the reference; there are"
        raise _refusal(judgements, f"{message} {', '.join(judgements.systems[:20])}")
    others = [name for name in judgements.systems if name not in references]
    human = [name for name in others if HUMAN.fullmatch(name.casefold())]
    if human and named != [""]:
        options = " ".join(f"--reference {name}" for name in [*references, *human])
        warning = f"{', '.join(human)}: ranked, though the name looks like a human reference"
        warnings = (*judgements.warnings, f"{warning}; to leave it out, add {options}")
        judgements = replace(judgements, warnings=warnings)
    if len(references) > 1:
        judgements = judgements.renamed(references, " & ".join(references))
    return judgements, ranking.kind_of(judgements), " & ".join(references) or None


def _with_enough(
    judgements: Judgements, minimum: int, reference: str | None
) -> tuple[Judgements, list[str], bool]:
    """Without the systems that have too few judgements; who they are; whether two others are left.

    Under most scores one comparison with such a system would change the order of the others.
    """
    kept, warnings = judgements, []
    while len(few := ranking.thin(kept, minimum=minimum, reference=reference)):
        warnings += ranking.thin_warnings(few)
        if len(kept.systems) - len(few) - (reference is not None) < 2:
            return judgements, warnings, False
        kept = kept.renamed([*few.index], "")
    return kept, warnings, True


def _unit(judgements: Judgements, unit: str | None, *, at_least: int = 2) -> str:
    """The unit that is wanted, or the largest of which the file tells so many apart."""
    compared = judgements.assessments is None
    known = [*([COMPARISON] if compared else []), *judgements.units]
    if unit and unit not in known:
        raise _refusal(judgements, f"has no unit {unit!r}; expected {', '.join(known)}")
    frame = judgements.comparisons if compared else judgements.assessments
    named = [name for name in LARGEST_FIRST if name in judgements.units]
    single = COMPARISON if compared else named[0]
    return unit or next((name for name in named if frame[name].nunique() >= at_least), single)


def _per_pair(counts: Counts) -> float:
    """Comparisons of each pair of systems that was compared, on average."""
    compared = (counts.wins + counts.wins.T + counts.ties).to_numpy() > 0
    return 2 * counts.comparisons / max(compared.sum(), 1)


def _chosen(
    judgements: Judgements, wanted: Sequence[str], kind: str, most: int | None = None
) -> list[str]:
    """Names of methods: "all" for the usual ones and then every other, none for the usual ones."""
    usual = USUAL_METHODS[kind]
    if kind == "counts" and _per_pair(judgements.counts) < FEW_PER_PAIR:
        usual = sorted(usual, key=lambda name: name != "bradley-terry")
    usual = usual[:most]
    if kind == "assessments" and "worker" not in judgements.units:
        if "z-score" in wanted:
            raise _refusal(judgements, "names no workers; z-score needs them, raw-score does not")
        return ["raw-score"]
    named = [name for name in wanted if name != "all"]
    for name in named:
        ranking.require(name, kind)
    if "all" in wanted:
        named += [*usual, *(name for name, method in METHODS.items() if method.kind == kind)]
    return list(dict.fromkeys(named or usual))


def _applied(
    names: Sequence[str], wanted: Sequence[str], run: Callable[[str], Any], warnings: list[str]
) -> Iterator[Any]:
    """The results of all methods that can be applied; `warnings` receives one about every other.

    Raises
    ------
    DataError
        No method can be applied, or one that is wanted by name cannot.
    """
    left_out = 0
    for name in names:
        try:
            result = run(name)
        except DataError as error:
            left_out += 1
            if name in wanted or left_out == len(names):
                raise
            warnings.append(f"{name} is left out: {error}")
        else:
            yield result


def _role_of(reference: str | None, names: Sequence[str], kind: str) -> str:
    """What becomes of the reference when systems are ranked by some methods."""
    if not reference:
        return ""
    if kind == "assessments":
        return f"{reference} (not ranked; its scores count for the workers' scales)"
    counted_by = [name for name in names if METHODS[name].reference_counts]
    effect = f"count for {', '.join(counted_by)} only" if counted_by else "do not count"
    return f"{reference} (not ranked; comparisons with it {effect})"


# --- rank -----------------------------------------------------------------------------------------


def _clusters_by(judgements: Judgements, wanted: str | None, first: str, kind: str) -> str:
    """The clusters that are wanted, or usual for the judgements and the first ranking method.

    Rank ranges are left for sign tests where resamples cannot be ranked all at once.
    """
    if wanted and wanted not in FITTING[kind]:
        raise DataError(f"--clusters {wanted}: expected {', '.join(FITTING[kind])} for {kind}")
    if kind == "assessments":
        return wanted or (SIGNED_RANK if ERROR_SPANS in judgements.unused else RANK_SUM)
    return wanted or (RANK_RANGES if METHODS[first].scores is not None else SIGN_TEST)


def _cut(
    clusters: str, data: Any, first: Ranking, bootstrapped: Any, correction: str
) -> tuple[pd.DataFrame, pd.DataFrame | None, str]:
    """The ranking cut into clusters, the tests of its pairs, and how the lines came about."""
    if clusters == RANK_RANGES:
        drawn = f"{bootstrapped.n_resamples} resamples by {bootstrapped.unit}"
        note = f"Clusters: the ranks of two clusters do not overlap in 95 % of {drawn} (ranks)."
        return bootstrapped.clusters, None, note
    from wmtlib.cluster_lines import ALPHA, groups, significance

    shared = ""
    score = "raw" if first.method == "raw-score" else "z"
    options = {} if clusters == SIGN_TEST else {"score": score, "test": clusters}
    pairs = significance(data, first.order, correction=correction, **options)
    if clusters == SIGNED_RANK:
        pairs = _tested(pairs, data, correction)
        numbers = pairs["common"]
        shared = (
            f" Two systems share {numbers.median():g} segments (median; least: {numbers.min()})."
        )
    single = "comparisons" if clusters == SIGN_TEST else "segments"
    note = (
        "Clusters: a line below a system that is significantly better than every system below it;"
        f" wins: than how many it is ({clusters}, two-sided, p < {ALPHA:g}, correction:"
        f" {correction}). The test takes {single} for independent.{shared}"
    )
    return groups(pairs, first.order).drop(columns="line"), pairs, note


def _tested(pairs: pd.DataFrame, campaign: Campaign, correction: str) -> pd.DataFrame:
    """Tests of pairs that share `FEWEST_COMMON` segments; `common`: how many a pair shares."""
    means = segment_means(campaign)
    judged = pd.crosstab([means["document"], means["segment"]], means["system"])
    common = judged.T @ judged
    number = [common.loc[a, b] for a, b in zip(pairs["above"], pairs["below"], strict=True)]
    pairs = pairs.assign(common=number)
    few = pairs["common"] < FEWEST_COMMON
    pairs["p"] = pairs["p"].mask(few)
    return pairs.assign(corrected=corrected(pairs["p"].to_numpy(), correction))


def _ranking_table(
    first: Ranking, bootstrapped: Any, groups: pd.DataFrame, *, with_chances: bool
) -> pd.DataFrame:
    """The ranking by the first method, with clusters, and intervals where there are resamples."""
    table = pd.DataFrame({"system": first.order, "rank": rank_words(first).array})
    if bootstrapped is not None:
        ends = zip(bootstrapped.table["rank_low"], bootstrapped.table["rank_high"], strict=True)
        table["ranks"] = [_span(low, high) for low, high in ends]
    if first.table["score"].notna().any():
        table["score"] = first.table["score"].array
        if bootstrapped is not None:
            intervals = bootstrapped.table
            table["low"], table["high"] = intervals["score_low"], intervals["score_high"]
    if with_chances and bootstrapped is not None:
        table["above_next"] = bootstrapped.table["above_next"]
    return table.join(groups.drop(columns="system"))


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


def _remarks(one: Ranking, counts: Counts | None) -> dict[str, Any]:
    """A row about a method: the judgements that its order contradicts, what it is, its note."""
    row: dict[str, Any] = {"method": one.method}
    if counts is not None:
        from wmtlib.mfas import violated_weight

        row["violated"] = violated_weight(one.order, counts.wins)
        row["of"] = counts.comparisons
    row |= {key: one.facts[key] for key in ("lower_bound", "optimal_orders") if key in one.facts}
    return row | {"about": METHODS[one.method].about, "note": one.note}


def _fewest(
    judgements: Judgements, first: Ranking, reference: str | None, unit: str
) -> tuple[pd.DataFrame, str, list[str]]:
    """The fewest removals that change the ranking, what they mean, and what does not hold."""
    from wmtlib.fewest import fewest_removals

    data = _data(judgements, [], [unit])
    result = fewest_removals(data, first.method, unit=unit, reference=reference)
    table, size = result.table, result.table.iloc[0]
    note = (
        f"Fewest removals: chosen for it, so many {unit}s (of {size['units']}) or judgements (of"
        f" {size['judgements']}) gone, or comparisons reversed, end a lead. This is the worst case,"
        " not what chance does: for that see the ranks."
    )
    undone = int((table["rescaled"] == False).sum())  # noqa: E712 (missing is neither)
    what = f"{undone} of {len(table)} changes do not come about when the workers' means and"
    warning = f"{what} standard deviations are computed from what is left"
    return result.shown, note, [warning] * (undone > 0)


def _ranking_pictures(
    table: pd.DataFrame, first: Ranking, rankings: Sequence[Ranking], counts: Counts | None
) -> list[Picture]:
    """The ranking with its intervals and lines, who beat whom, and the methods side by side."""
    if (size := len(table)) > MOST_DRAWN:
        return []
    ranges = first.rank_ranges.loc[first.order].reset_index(drop=True).astype(float)
    frame = table.join(ranges).assign(place=first.table["rank"])
    frame["line"] = frame["cluster"].diff(-1).fillna(0) != 0
    caption = f"Ranking by {first.method} ({METHODS[first.method].about}), with its clusters."
    pictures = [Picture("intervals", caption, _rows(size), (frame,))]
    if counts is not None:
        caption = "Margins: wins less losses of the row's system; frames mark violated pairs."
        square = (3 + 0.34 * size, 2 + 0.34 * size)
        pictures.append(Picture("heatmap", caption, square, (counts, first.order)))
    if len(rankings) > 1:
        middles = {r.method: r.rank_ranges.mean(axis=1).fillna(r.column("rank")) for r in rankings}
        ranks = pd.DataFrame(middles).loc[first.order]
        wide = (3.2 + 1.4 * len(rankings), 1.2 + 0.26 * size)
        pictures.append(Picture("bump", "Ranks by each method.", wide, (ranks,)))
    return pictures


def _rows(number: int) -> tuple[float, float]:
    """The size of a picture with a row for each system, model or judge."""
    return 7, 1.2 + 0.27 * number


# --- compare and judges ---------------------------------------------------------------------------


def _shared_units(judgements: Judgements, unit: str) -> list[str]:
    """Why the perplexities are too low: what is held out shares a larger unit with the rest."""
    order = [*LARGEST_FIRST, COMPARISON]
    larger = [name for name in order[: order.index(unit)] if name in judgements.units]
    if shared := [name for name in larger if judgements.comparisons[name].nunique() > 1]:
        text = f"{unit}s were held out, and others of the same {' or '.join(shared)} were trained"
        return [f"{text} on; hold out whole {shared[0]}s (--unit {shared[0]})"]
    text = "comparisons were held out one by one: the file tells no judges, rankings or segments"
    return [f"{text} apart, so perplexities may be too low"] * (unit == COMPARISON)


def _judge_notes(
    table: pd.DataFrame, unit: str, fewest: int, method: str, *, with_agreement: bool
) -> list[str]:
    """How to read the tables of judges."""
    notes = [f"Agreement cannot be told: no two {unit}s are known to have judged the same outputs."]
    if with_agreement:
        data = "interval data, z-scores" if unit == "worker" else "nominal data"
        notes = [
            f"Agreement: 0 as by chance, 1 always; alpha is Krippendorff's ({data}); inter: between"
            " judges, intra: a judge and the same again, kappa: beyond chance; low, high: 95 %."
        ]
    known, doubtful = int(table["reliability"].notna().sum()), int(table["doubtful"].sum())
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
