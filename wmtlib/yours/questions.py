"""Questions about somebody's judgements, answered by values and not yet in words.

A question ranks, tests, resamples, leaves out, and gives what came of it as one frozen
value. `wmtlib.yours.answers` says it in tables and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.assessments import Campaign, encode
from wmtlib.corrections import CORRECTIONS
from wmtlib.counts import COMPARISON, REFERENCE, Counts, without
from wmtlib.errors import DataError, Message, joined
from wmtlib.methods import METHODS, MINIMUM, USUAL_METHODS, Method, Settings
from wmtlib.mfas import usual_seconds
from wmtlib.ranking import Ranking
from wmtlib.remarks import groups_apart, remarks
from wmtlib.yours import collection
from wmtlib.yours.elo import Anchor, ratings
from wmtlib.yours.options import NO_REFERENCE, references, setting
from wmtlib.yours.reading.judgements import Judgements

if TYPE_CHECKING:  # these modules take longer to load than a small file to rank
    from wmtlib.agreement import JudgeReport
    from wmtlib.cycles import Chance
    from wmtlib.fewest import Robustness
    from wmtlib.resampling import BootstrapResult, CrossValidation, LeaveOneOut

RANK_RANGES, SIGN_TEST = "rank-ranges", "sign-test"  # ways to find clusters
RANK_SUM, SIGNED_RANK, UNIT_TEST = "rank-sum", "signed-rank", "unit"
FITTING = {
    "counts": (RANK_RANGES, SIGN_TEST),
    "assessments": (UNIT_TEST, RANK_SUM, SIGNED_RANK, RANK_RANGES),
}
FEW_PER_PAIR = 20  # comparisons; with fewer it matters which opponents a system met
RESAMPLES = 1000  # of rank ranges
WORLDS = 99  # with a true order, beside the least violated weight
# Names of systems that look human, in lower case.
HUMAN = re.compile(r"(.*[^a-z])?(ref(erence)?|human)s?[-_. ]?[a-z0-9]?")

Names: TypeAlias = str | Sequence[str]  # one, or several
References: TypeAlias = Names | None
Progress: TypeAlias = Callable[[str, float], None]  # a step, and the share that is done
Result = TypeVar("Result")


def silent(step: str, share: float) -> None:
    """Progress that nobody looks at."""


# --- rank -----------------------------------------------------------------------------


@dataclass(frozen=True)
class RankingOptions:
    """What can be asked for beside a ranking.

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
        `campaign_rules.CAMPAIGN_RULES` for assessments.
    correction : str
        Of the tests; see `cluster_lines.significance`.
    robust : bool
        Whether to find the fewest judgements that decide, by the first method that
        allows it.
    elo : bool
        Whether scores are Elo ratings, of bradley-terry if no method is named.
    anchor : (str, float) or None
        A system, and its rating; None: the mean of all systems is `elo.BASE`.
    minimum : int
        Comparisons, or scored segments, below which a system is named above the tables
        and left out of them. If fewer than two others are left, all are ranked, without
        intervals and clusters.
    time_limit : float or None
        Seconds after which mfas stops proving; by default `mfas.usual_seconds`.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this
        seed.
    progress : callable
        Is told what is being done, and the share of it that is done.
    """

    reference: References = None
    n_resamples: int = 0
    unit: str | None = None
    clusters: str | None = None
    rule: str | None = None
    correction: str = CORRECTIONS[0]
    robust: bool = False
    elo: bool = False
    anchor: Anchor | None = None
    minimum: int = MINIMUM
    time_limit: float | None = None
    seed: int = 0
    progress: Progress = silent

    @property
    def is_rated(self) -> bool:
        """Whether scores are Elo ratings."""
        return self.elo or self.anchor is not None


@dataclass(frozen=True)
class RankingPlan:
    """How a ranking is cut into clusters, tested and resampled.

    Attributes
    ----------
    clusters : str
        The way to find them.
    correction : str or None
        Of the tests; None if no pair is tested.
    tested_by : tuple of str
        Units of the test; none: single segments, or comparisons.
    n_resamples : int
        0 if nothing is resampled.
    drawn_by : tuple of str
        The units that are resampled, one or two.
    removed : str or None
        The unit of the fewest removals, if they are asked for.
    """

    clusters: str
    correction: str | None
    tested_by: tuple[str, ...]
    n_resamples: int
    drawn_by: tuple[str, ...]
    removed: str | None


@dataclass(frozen=True)
class RankingResult:
    """A ranking by one method or several, and how sure that of the first one is.

    Attributes
    ----------
    judgements : Judgements
        Thin systems included.
    options : RankingOptions
    settings : Settings
        Of every method; the reference is one system.
    plan : RankingPlan
    rankings : sequence of Ranking
        One for each method.
    counts : Counts or None
        Of comparisons, without the reference.
    chance : Chance or None
        The least violated weight beside what chance gives; None of assessments, of more
        than `cycles.MOST` systems, and below `cycles.FEWEST` comparisons of a pair.
    samples : BootstrapResult or None
        Of the first method.
    pairs : DataFrame or None
        The tests of all pairs of systems.
    clusters : DataFrame
        Columns system and cluster, best first, and of tests wins.
    by_rule : DataFrame or None
        The ranking and its lines by the rule of a campaign.
    fewest : Robustness or None
        The fewest removals that change a ranking.
    per_pair : float or None
        Comparisons of a pair, if these are so few that they changed the usual methods.
    warnings : sequence of str
    """

    judgements: Judgements
    options: RankingOptions
    settings: Settings
    plan: RankingPlan
    rankings: Sequence[Ranking]
    counts: Counts | None
    chance: Chance | None
    samples: BootstrapResult | None
    pairs: pd.DataFrame | None
    clusters: pd.DataFrame
    by_rule: pd.DataFrame | None
    fewest: Robustness | None
    per_pair: float | None
    warnings: Sequence[str]


def ranking_of(
    judgements: Judgements, method_names: Names, options: RankingOptions
) -> RankingResult:
    """Rank by one method or several; clusters and resamples are of the first.

    "all" stands for every method that applies; no name for the usual ones.
    """
    everything, reference = with_reference(judgements, options.reference)
    method_names = names_of(method_names)
    if options.is_rated and not method_names:
        method_names = ["bradley-terry"]
    thin, thin_lines, is_enough = methods.thin_systems(
        method_data(everything, []), minimum=options.minimum, reference=reference
    )
    judgements = everything.renamed(thin, "") if thin else everything
    names, per_pair = chosen_methods(judgements, method_names)
    campaign = None if judgements.assessments is None else encode(judgements)
    units = collection.collected_by(judgements, campaign, options.unit)
    first = METHODS[names[0]]
    plan = plan_of(judgements, first, units, options, is_enough=is_enough)
    time_limit = None
    if any(METHODS[name].timed for name in names):
        time_limit = limit_of(options.time_limit, everything, reference)
    settings = Settings(reference, options.seed, time_limit)
    data = campaign or method_data(judgements, [*units, *plan.drawn_by], names)

    def rank_by(name: str) -> Ranking:
        judged = data if METHODS[name].rows else campaign or judgements.counts
        return methods.ranked(METHODS[name], judged, settings)

    rankings, left_out = apply_methods(names, method_names, rank_by, options.progress)
    samples = resampled(data, rankings[0].method, plan, options, settings)
    if options.is_rated:
        rankings[0], samples = ratings(rankings[0], samples, options.anchor)
    pairs = compared_pairs(data, rankings[0], plan)
    warnings = [
        *judgements.warnings,
        *thin_lines,
        *collection.few_people(judgements, units),
        *doubts_of_order(judgements, campaign, units, first, reference),
        *left_out,
        *doubts_of_lines(judgements, campaign, plan, options, samples, pairs),
    ]
    return RankingResult(
        judgements=everything,
        options=options,
        settings=settings,
        plan=plan,
        rankings=rankings,
        counts=None if campaign else judgements.counts.without(reference),
        chance=chance_of(judgements, settings),
        samples=samples,
        pairs=pairs,
        clusters=clusters_of(data, rankings[0], samples, pairs, plan),
        by_rule=lines_by_rule(data, options, settings),
        fewest=fewest_of(judgements, rankings, plan, settings, options.progress),
        per_pair=per_pair,
        warnings=warnings,
    )


def doubts_of_lines(
    judgements: Judgements,
    campaign: Campaign | None,
    plan: RankingPlan,
    options: RankingOptions,
    samples: BootstrapResult | None,
    pairs: pd.DataFrame | None,
) -> list[str]:
    """What resamples and tests of pairs cannot say."""
    warnings: list[str] = []
    if samples is not None:
        warnings += samples.warnings
        if len(plan.drawn_by) == 1:
            warnings += collection.warnings_for(
                judgements.units, samples.unit, is_usual=options.unit is None
            )
    if pairs is not None:
        warnings += collection.warnings_of_test(
            judgements, campaign, plan.tested_by, pairs
        )
    return warnings


def doubts_of_order(
    judgements: Judgements,
    campaign: Campaign | None,
    units: tuple[str, ...],
    first: Method,
    reference: str | None,
) -> list[str]:
    """Warn of groups of systems that nothing links, and of who was shown first."""
    if campaign is not None:
        return remarks(data=campaign)
    if first.sided:
        return []
    from wmtlib.sides import first_shown  # it loads SciPy's functions

    compared = without(judgements.counted_by(units), reference)
    return first_shown(compared, *units)


def plan_of(
    judgements: Judgements,
    first: Method,
    units: tuple[str, ...],
    options: RankingOptions,
    *,
    is_enough: bool,
) -> RankingPlan:
    """What is tested and resampled.

    Rank ranges are left for sign tests where resamples cannot be ranked all at once.
    """
    kind = "counts" if judgements.assessments is None else "assessments"
    clusters = options.clusters
    if clusters and clusters not in FITTING[kind]:
        fault = f": expected {', '.join(FITTING[kind])} for {kind}"
        raise DataError(joined(setting("clusters", clusters), fault))
    if options.correction not in CORRECTIONS:
        raise DataError(
            f"correction is {options.correction!r}; expected {', '.join(CORRECTIONS)}"
        )
    largest = collection.chosen(judgements, options.unit)
    clusters = clusters or usual_clusters(judgements, first, units)
    if clusters == UNIT_TEST and not units:
        raise judgements.refuse(f"{collection.NOT_SHARED}, so there is no test by unit")
    n_resamples = options.n_resamples
    if clusters == RANK_RANGES:
        n_resamples = n_resamples or RESAMPLES
    if n_resamples and first.rows and not first.batched:
        fault = f": {first.name} takes too long; put another "
        raise DataError(
            Message(
                f"bootstrap{fault}method first", f"--bootstrap{fault}--method first"
            )
        )
    if not is_enough:
        n_resamples = 0
    is_tested = is_enough and clusters != RANK_RANGES
    by_units = is_tested and clusters in (UNIT_TEST, SIGN_TEST)
    removed = None
    if options.robust:
        smallest = [u for u in collection.SMALLEST_FIRST if u in judgements.units]
        removed = options.unit or [*smallest, largest][0]
    return RankingPlan(
        clusters=clusters,
        correction=options.correction if is_tested else None,
        tested_by=units if by_units else (),
        n_resamples=n_resamples,
        drawn_by=(units or (largest,)) if n_resamples else (),
        removed=removed,
    )


def usual_clusters(
    judgements: Judgements, first: Method, units: tuple[str, ...]
) -> str:
    """The way to find clusters that is usual for such judgements and such a method."""
    if judgements.assessments is None:
        return RANK_RANGES if first.batched else SIGN_TEST
    if units:
        return UNIT_TEST
    # Files of error span annotation (ESA) have such a column.
    return SIGNED_RANK if "error_spans" in judgements.unused else RANK_SUM


def resampled(
    data: Any,
    method: str,
    plan: RankingPlan,
    options: RankingOptions,
    settings: Settings,
) -> BootstrapResult | None:
    """Samples by the unit of the test; of two, by that which leaves ranks more open."""
    if not plan.n_resamples:
        return None
    from wmtlib.resampling import bootstrap

    step = f"ranking {plan.n_resamples} resamples by {method}"
    several = [
        bootstrap(
            data,
            method,
            unit=unit,
            n_resamples=plan.n_resamples,
            minimum=options.minimum,
            progress=partial(options.progress, step),
            **settings._asdict(),
        )
        for unit in plan.drawn_by
    ]

    def openness(samples: BootstrapResult) -> float:
        return (samples.table["rank_high"] - samples.table["rank_low"]).sum()

    return max(several, key=openness)


def chance_of(judgements: Judgements, settings: Settings) -> Chance | None:
    """How many judgements the best order violates, and would by chance, if known."""
    from wmtlib.cycles import FEWEST, MOST, violated_by_chance

    if judgements.comparisons is None:
        return None
    wins = judgements.counts.without(settings.reference).wins.to_numpy()
    decided = wins + wins.T
    if len(wins) > MOST or decided.sum() < FEWEST * max((decided > 0).sum(), 1):
        return None
    several = collection.number_of(judgements, "ranking") > 1
    return violated_by_chance(
        method_data(judgements, ["ranking"] if several else []),
        reference=settings.reference,
        n_worlds=WORLDS,
        seed=settings.seed,
    )


def compared_pairs(data: Any, first: Ranking, plan: RankingPlan) -> pd.DataFrame | None:
    """The tests of all pairs, if clusters are found by tests."""
    if plan.correction is None:
        return None
    from wmtlib.cluster_lines import significance

    is_standardised = METHODS[first.method].needs_workers
    pairs = significance(
        data,
        first.order,
        score="z" if is_standardised else "raw",
        test=plan.clusters,
        units=plan.tested_by,
        correction=plan.correction,
        minimum=0,  # thin systems are gone already
    )
    if is_standardised:  # no z-score says who is ahead across groups
        group = pd.Series(groups_apart(data), data.systems)
        is_across = pairs["above"].map(group) != pairs["below"].map(group)
        pairs.loc[is_across, ["ahead", "corrected"]] = "", np.nan
    return pairs


def clusters_of(
    data: Any,
    first: Ranking,
    samples: BootstrapResult | None,
    pairs: pd.DataFrame | None,
    plan: RankingPlan,
) -> pd.DataFrame:
    """Systems and their clusters; one cluster where too little is known."""
    if pairs is not None:
        from wmtlib.cluster_lines import groups

        return groups(pairs, first.order).drop(columns="line")
    is_apart = METHODS[first.method].needs_workers and groups_apart(data).any()
    if samples is not None and plan.clusters == RANK_RANGES and not is_apart:
        return samples.clusters
    return pd.DataFrame({"system": first.order, "cluster": 1})


def lines_by_rule(
    data: Any, options: RankingOptions, settings: Settings
) -> pd.DataFrame | None:
    """The ranking and the lines as a campaign drew them, if one is named."""
    if not options.rule:
        return None
    if isinstance(data, Campaign):
        from wmtlib.yours import campaign_rules

        return campaign_rules.lines_by_rule(data, options.rule, settings.reference)
    if options.rule != "wmt16":
        raise DataError(f"no rule {options.rule!r} for comparisons; there is wmt16")
    from wmtlib.resampling import bootstrap

    samples = bootstrap(
        data,
        "trueskill",
        unit=COMPARISON,
        n_resamples=RESAMPLES,
        minimum=options.minimum,
        **settings._asdict(),
    )
    ranges = samples.table[["system", "rank", "rank_low", "rank_high"]]
    return ranges.merge(samples.clusters, on="system")


def fewest_of(
    judgements: Judgements,
    rankings: Sequence[Ranking],
    plan: RankingPlan,
    settings: Settings,
    progress: Progress,
) -> Robustness | None:
    """The fewest removals that change a ranking, the first that allows it, if asked."""
    if plan.removed is None:
        return None
    from wmtlib.fewest import fewest_removals

    names = [ranking.method for ranking in rankings]
    method = next((name for name in names if METHODS[name].removal), names[0])
    progress(f"looking for the fewest judgements that decide, {method}", 0.0)
    data = method_data(judgements, [plan.removed])
    return fewest_removals(
        data, method, unit=plan.removed, reference=settings.reference
    )


# --- stability, compare, judges -------------------------------------------------------


@dataclass(frozen=True)
class StabilityResult:
    """The rankings without each system, by one method or several."""

    judgements: Judgements
    settings: Settings
    results: Sequence[LeaveOneOut]
    warnings: Sequence[str]


def stability_of(
    judgements: Judgements,
    method_names: Names = (),
    *,
    reference: References = None,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> StabilityResult:
    """Rank the others without each system; for the options see `RankingOptions`."""
    from wmtlib.resampling import leave_one_out

    judgements, one_reference = with_reference(judgements, reference)
    method_names = names_of(method_names)
    names, _ = chosen_methods(judgements, method_names, most=1)
    data = method_data(judgements, [], names)
    seconds = limit_of(time_limit, judgements, one_reference)
    settings = Settings(one_reference, seed, seconds)

    def leave_out(name: str) -> LeaveOneOut:
        say_share = partial(progress, f"leaving out each system, {name}")
        return leave_one_out(data, name, progress=say_share, **settings._asdict())

    results, left_out = apply_methods(names, method_names, leave_out, progress)
    notes = [result.note for result in results if result.note]
    warnings = [*judgements.warnings, *left_out, *notes]
    return StabilityResult(judgements, settings, results, warnings)


@dataclass(frozen=True)
class ModelsResult:
    """Held-out perplexity of preference models."""

    judgements: Judgements
    reference: str | None
    seed: int
    validation: CrossValidation
    warnings: Sequence[str]


def models_of(
    judgements: Judgements,
    model_names: Names = (),
    *,
    reference: References = None,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress = silent,
) -> ModelsResult:
    """Cross-validate preference models; see `wmtlib.yours.answers.answer_models`.

    A reference that is not named is a system like the others here.
    """
    from wmtlib.resampling import compare_models

    if judgements.kind == "assessments":
        raise judgements.refuse(
            "holds assessments; compare needs comparisons or rankings"
        )
    unit = collection.chosen(judgements, unit, at_least=max(folds, 2))
    judgements, one_reference = with_reference(judgements, reference or "")
    columns = [
        name for name in dict.fromkeys(["segment", unit]) if name in judgements.units
    ]
    data: Any = without(judgements.counted_by(tuple(columns)), one_reference)
    if not len(data):
        raise judgements.refuse(f"no comparisons without {one_reference!r}")
    validation = compare_models(
        data,
        names_of(model_names) or None,
        unit=unit,
        folds=folds,
        repeats=repeats,
        seed=seed,
        progress=lambda model, share: progress(f"predicting by {model}", share),
    )
    warnings = [*judgements.warnings, *filter(None, [validation.note])]
    warnings += collection.still_shared(judgements, unit)
    return ModelsResult(judgements, one_reference, seed, validation, warnings)


@dataclass(frozen=True)
class JudgesResult:
    """How far each judge, or worker (`unit`), can be relied on."""

    judgements: Judgements
    reference: str | None
    seed: int
    unit: str
    report: JudgeReport
    agreement: pd.DataFrame  # empty if nothing can be told
    warnings: Sequence[str]


def judges_of(
    judgements: Judgements,
    *,
    reference: References = None,
    seed: int = 0,
    progress: Progress = silent,
) -> JudgesResult:
    """Hold every judge against the others; see `wmtlib.yours.answers.answer_judges`."""
    from wmtlib import agreement

    judgements, one_reference = with_reference(judgements, reference)
    is_scored = judgements.kind == "assessments"
    unit = "worker" if is_scored else "judge"
    if collection.number_of(judgements, unit) < 2:
        raise judgements.refuse(
            f"tells no {unit}s apart; expected two or more, to hold against each other"
        )
    progress("ranking without each judge", 0.0)
    data = method_data(judgements, ["judge", "ranking"])
    report = agreement.judges(data, reference=one_reference)
    measures = pd.DataFrame()
    if is_scored or "segment" in judgements.units:
        progress("drawing segments", 0.0)
        data = method_data(judgements, ["judge", "segment"])
        n_resamples = agreement.RESAMPLES
        measures = agreement.agreement(data, n_resamples=n_resamples, seed=seed)
    return JudgesResult(
        judgements, one_reference, seed, unit, report, measures, judgements.warnings
    )


# --- what the questions share ---------------------------------------------------------


def names_of(names: Names) -> list[str]:
    """Names as a list: one alone may be given as a string."""
    return [names] if isinstance(names, str) else [*names]


def method_data(judgements: Judgements, units: Names, names: Names = ()) -> Any:
    """What methods take: a campaign, counts, or comparisons counted by some units."""
    if judgements.kind == "assessments":
        return encode(judgements)
    needed = [*units]
    if any(METHODS[name].rows for name in names):
        needed.append("segment")
    named = tuple(unit for unit in dict.fromkeys(needed) if unit in judgements.units)
    is_sided = any(METHODS[name].sided for name in names)
    return judgements.counted_by(named) if named or is_sided else judgements.counts


def limit_of(
    time_limit: float | None, judgements: Judgements, reference: str | None
) -> float:
    """Seconds for a proof: those that are asked for, or the usual ones."""
    if time_limit is not None:
        return time_limit
    return usual_seconds(len(judgements.systems) - (reference is not None))


def with_reference(
    judgements: Judgements, reference: References
) -> tuple[Judgements, str | None]:
    """The judgements with several references as one, and its name.

    WMT's reference is not ranked without having been told to; of others that look human
    a warning says so.
    """
    named = None if reference is None else names_of(reference)
    if named is None and REFERENCE in judgements.systems:
        fault = joined(
            f"holds the reference {REFERENCE}; say ",
            references([REFERENCE]),
            ", or ",
            NO_REFERENCE,
            " to rank it",
        )
        raise judgements.refuse(fault)
    chosen = [name for name in named or () if name]
    unknown = [name for name in chosen if name not in judgements.systems]
    if unknown:
        systems = ", ".join(judgements.systems[:20])
        raise judgements.refuse(
            f"no system {unknown[0]!r} to be the reference; there are {systems}"
        )
    human = [
        name
        for name in judgements.systems
        if name not in chosen and HUMAN.fullmatch(name.casefold())
    ]
    if human and named != [""]:
        warning = joined(
            f"{', '.join(human)}: ranked, though the name looks like a human reference;"
            " to leave it out, add ",
            references([*chosen, *human]),
        )
        judgements = replace(judgements, warnings=(*judgements.warnings, warning))
    joint = " & ".join(chosen)
    if len(chosen) > 1:
        judgements = judgements.renamed(chosen, joint)
    return judgements, joint or None


def chosen_methods(
    judgements: Judgements, wanted: Names, most: int | None = None
) -> tuple[list[str], float | None]:
    """Names of methods; comparisons of a pair, if the usual methods change for them.

    "all" stands for the usual ones and then every other, none for the usual ones.
    """
    kind = "counts" if judgements.assessments is None else "assessments"
    named = [name for name in wanted if name != "all"]
    for name in named:
        methods.require(name, kind)
    usual = [*USUAL_METHODS[kind]]
    if kind == "assessments" and "worker" not in judgements.units:
        needing = [name for name in usual if METHODS[name].needs_workers]
        others = [name for name in usual if name not in needing]
        if {*needing} & {*wanted}:
            raise judgements.refuse(
                f"names no workers; {', '.join(needing)} needs them,"
                f" {', '.join(others)} does not"
            )
        return others, None
    per_pair = None
    if kind == "counts":
        counts = judgements.counts
        is_compared = (counts.wins + counts.wins.T + counts.ties).to_numpy() > 0
        mean = 2 * counts.comparisons / max(is_compared.sum(), 1)
        if mean < FEW_PER_PAIR:
            usual.sort(key=lambda name: not METHODS[name].adjusts_for_opponents)
            per_pair = None if wanted else mean
    usual = usual[:most]
    if "all" in wanted:
        named += usual
        named += [name for name, method in METHODS.items() if method.kind == kind]
    return [*dict.fromkeys(named or usual)], per_pair


def apply_methods(
    names: Names, wanted: Names, apply: Callable[[str], Result], progress: Progress
) -> tuple[list[Result], list[str]]:
    """The results of all methods that can be applied; a warning of every other.

    Raises
    ------
    DataError
        No method can be applied, or one that is wanted by name cannot.
    """
    results = []
    warnings: list[str] = []
    for name in names:
        progress(f"ranking by {name}", 0.0)
        try:
            results.append(apply(name))
        except DataError as error:
            is_last = name == names[-1] and not results
            if name in wanted or is_last:
                raise
            warnings.append(joined(f"{name} is left out: ", error.args[0]))
    return results, warnings
