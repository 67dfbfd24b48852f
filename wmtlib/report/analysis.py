"""Rankings with their tests and resamples, computed without any text.

`ranking_of` ranks, and returns one frozen value, which resamples and tests when these
are read. `wmtlib.report.answers` writes tables and sentences about it. Functions that
other questions use, too, follow it.

Bradley-Terry strengths may be put on the scale of chess ratings (Elo),

    rating = base + 400 / ln 10 x (log strength - log strength of the anchor)

so that 400 points are odds of ten to one. The anchor is a system, or the mean of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import log
from time import perf_counter
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from wmtlib import cluster_lines, cycles, fewest, methods, resampling
from wmtlib.assessments import encode
from wmtlib.bradley_terry import Advantage, advantage, first_shown
from wmtlib.checks import (
    MINIMUM,
    groups_apart,
    of_scales,
    remarks,
    thin_systems,
)
from wmtlib.corrections import CORRECTIONS
from wmtlib.counts import COMPARISON, REFERENCE, Counts, without
from wmtlib.errors import (
    NO_REFERENCE,
    DataError,
    Message,
    joined,
    setting,
    unknown,
    warning,
)
from wmtlib.files.judgements import Judgements
from wmtlib.methods import METHODS, Method, Settings, Strength
from wmtlib.mfas import LARGEST_COUNT, usual_seconds
from wmtlib.pairwise_tests import usual_units
from wmtlib.ranking import Ranking
from wmtlib.report import campaign_rules, sampling_units

RANK_RANGES = "rank-ranges"
CLUSTERS = {  # ways to find them, by the kind of the methods
    "counts": (RANK_RANGES, "sign-test"),
    "assessments": ("unit", "rank-sum", "signed-rank", RANK_RANGES),
}
SPANS = {"error_spans", "errors", "spans"}  # columns of error span annotation (ESA)
RESAMPLES = 1000  # of rank ranges
MANY_SYSTEMS = 300  # with more, each resample takes a tenth of a second and longer
FEWER_RESAMPLES = 100  # of so many
WORLDS = 99  # with a true order, beside the least violated weight
BASE = 1000.0  # the Elo rating of the mean
ELO = 400 / log(10)  # points for a difference of 1
INTERVALS = ["rank_low", "rank_high", "score_low", "score_high", "above_next"]
# Tiers are shown where clusters chain: among more systems and with so many units.
MANY_TO_CHAIN = 10
UNITS_OF_TIERS = 20
# Names of systems that look human, in lower case.
HUMAN = re.compile(r"(.*[^a-z])?(ref(erence)?|human)s?[-_. ]?[a-z0-9]?")

Names: TypeAlias = str | Sequence[str]  # one, or several
References: TypeAlias = Names | None
Anchor: TypeAlias = tuple[str, float]  # a system, and the rating that it has
Progress: TypeAlias = Callable[[str, float], None]  # a step, and the share that is done
Result = TypeVar("Result")


def silent(step: str, share: float) -> None:
    """Do nothing: the default progress callback."""


# --- rank -----------------------------------------------------------------------------


@dataclass(frozen=True)
class RankOptions:
    """Options of `wmtlib rank` and `wmtlib.analyse`.

    Attributes
    ----------
    method : str or sequence of str
        As `wmtlib.ranking_methods` lists them; "all" for every method that applies,
        none for the usual ones.
    reference : str, several, or None
        Not ranked; "" if there is none. Several count as one system.
    bootstrap : int
        Resamples by the first method; 0 for the usual number, of assessments and
        ranges of ranks.
    unit : str or None
        The unit of tests and resamples; None: `pairwise_tests.usual_units`. "segment"
        of assessments, "comparison" of comparisons: each by itself.
    clusters : str or None
        "rank-ranges": a line where the intervals of ranks above and below do not
        overlap, WMT's way for comparisons (2013-16). "sign-test": below a system that
        is significantly better than every system below it, by the comparisons of each
        pair. "unit": the same by the units in which scores were collected
        (`pairwise_tests.units_of_collection`). "rank-sum": by segments' mean scores,
        WMT's way for direct assessment (2017-23). "signed-rank": by the segments that
        both were judged on, WMT's way for error span annotation (since 2024). None:
        the usual way.
    rule : str or None
        Of a campaign, whose lines are shown beside: wmt16 for comparisons,
        `campaign_rules.CAMPAIGN_RULES` for assessments.
    correction : str
        Of the tests; see `cluster_lines.significance`.
    robust : bool
        Whether to find the fewest judgements that decide, by the first method that
        allows it.
    elo : bool
        Whether scores are Elo ratings, as with an anchor; if no method is named, the
        first of the usual ones that has log strengths comes first.
    anchor : (str, float) or None
        A system, and its rating; None: the mean of all systems is `BASE`.
    minimum : int
        Comparisons, or scores, below which a system is named above the tables
        and left out of them. If fewer than two others are left, all are ranked, without
        intervals and clusters.
    time_limit : float or None
        Seconds after which mfas stops proving; by default `mfas.usual_seconds`.
    seed : int
        Every method, and the bootstrap, draws from a generator of its own with this
        seed.
    progress : callable
        Called with a step, and the completed share of it (0 to 1).
    """

    method: Names = ()
    reference: References = None
    bootstrap: int = 0
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


@dataclass(frozen=True, eq=False)
class RankingResult:
    """A ranking by one method or several; tests and resamples are of the first one.

    What is not asked for is None.

    Attributes
    ----------
    judgements, ranked : Judgements
        With thin systems, and without them.
    data : Campaign or DataFrame
        The latter as methods take them; comparisons as a frame.
    options : RankOptions
    settings : Settings
        Of every method; the reference is one system.
    clusters_by : str
        The way to find clusters.
    units : tuple of str
        Of tests and of resamples, and so of ranges of ranks and of tiers: the one that
        is asked for, or `pairwise_tests.usual_units`. Empty: single segments, or
        comparisons, are tested, and what was asked for, or the largest unit, is
        resampled.
    is_enough : bool
        Whether two systems or more have enough judgements for tests and resamples.
    rankings : sequence of Ranking
        One for each method.
    per_pair : float or None
        `Counts.per_pair`, if it decided which method comes first: none was named.
    leading : str
        The method that would come first without the Elo scale.
    thin, left_out : sequence of str
        Warnings of systems and of methods that are left out.
    """

    judgements: Judgements
    ranked: Judgements
    data: Any
    options: RankOptions
    settings: Settings
    clusters_by: str
    units: tuple[str, ...]
    is_enough: bool
    rankings: Sequence[Ranking]
    per_pair: float | None
    leading: str
    thin: Sequence[str]
    left_out: Sequence[str]

    @property
    def first(self) -> Ranking:
        """Return the ranking by the first method."""
        return self.rankings[0]

    @property
    def is_by_ranges(self) -> bool:
        """Say if clusters are found by ranges of ranks, and not by tests."""
        return self.clusters_by == RANK_RANGES

    @property
    def tested_by(self) -> tuple[str, ...]:
        """Return units of the test; none: single segments, or comparisons."""
        is_by_unit = self.is_enough and self.clusters_by in ("unit", "sign-test")
        return self.units if is_by_unit else ()

    @property
    def drawn_by(self) -> tuple[str, ...]:
        """Return the units that are resampled: none, one or two."""
        is_scored = self.counts is None
        is_asked = self.options.bootstrap or self.is_by_ranges or is_scored
        if not (self.is_enough and is_asked):
            return ()
        return self.units or (sampling_units.chosen(self.ranked, self.options.unit),)

    @cached_property
    def samples(self) -> resampling.BootstrapResult | None:
        """Rank resamples by the first method, drawn by the unit of the test.

        Of two units it is the one that leaves ranks more open.

        An anchor has its rating in every sample: intervals are of differences to it.
        """
        if not self.drawn_by:
            return None
        options = self.options
        method = self.first.method
        is_many = len(self.first.order) > MANY_SYSTEMS
        number = options.bootstrap or (FEWER_RESAMPLES if is_many else RESAMPLES)
        step = f"ranking {number} resamples by {method}"
        if is_many:
            begun = perf_counter()
            methods.rank(self.data, method, **self.settings._asdict())
            seconds = number * (perf_counter() - begun)
            step = f"{number} resamples by {method}: about {seconds:.0f} s"
            step = f"{step}; fewer: --bootstrap N"
        options.progress(step, 0.0)
        several = [
            resampling.bootstrap(
                self.data,
                method,
                unit=unit,
                n_resamples=number,
                minimum=options.minimum,
                progress=partial(options.progress, step),
                **self.settings._asdict(),
            )
            for unit in self.drawn_by
        ]
        samples = max(several, key=openness)
        if options.elo:
            scores = ratings(samples.sample_scores, options.anchor)
            return replace(samples, ranking=self.first, sample_scores=scores)
        return samples

    @cached_property
    def counts(self) -> Counts | None:
        """Return the counts of comparisons, without the reference."""
        if self.ranked.comparisons is None:
            return None
        return self.ranked.counts.without(self.settings.reference)

    @cached_property
    def side(self) -> Advantage | None:
        """Estimate the advantage of being shown first; None if it is not known."""
        if self.counts is None:
            return None
        return advantage(without(self.data, self.settings.reference), *self.units)

    @cached_property
    def chance(self) -> cycles.CycleTest | None:
        """Compute the least violated weight, and its distribution by chance.

        None of assessments, of more than `cycles.MOST` systems, where compared pairs
        have fewer than `cycles.FEWEST` decided comparisons, on average, and where one
        has more wins than `mfas.exact_order` takes.
        """
        if self.counts is None or len(self.counts.systems) > cycles.MOST:
            return None
        wins = self.counts.wins.to_numpy()
        decided = wins + wins.T
        if decided.sum() < cycles.FEWEST * max((decided > 0).sum(), 1):
            return None
        if wins.max() > LARGEST_COUNT:
            return None
        is_ranked = sampling_units.number_of(self.ranked, "ranking") > 1
        return cycles.violated_by_chance(
            self.data,
            unit="ranking" if is_ranked else COMPARISON,
            reference=self.settings.reference,
            n_worlds=WORLDS,
            seed=self.settings.seed,
        )

    @cached_property
    def pairs(self) -> pd.DataFrame | None:
        """Test all pairs, if clusters are found by tests."""
        if self.is_by_ranges or not self.is_enough:
            return None
        first = METHODS[self.first.method]
        pairs = cluster_lines.significance(
            self.data,
            self.first.order,
            score="z" if first.needs_workers else "raw",
            test=self.clusters_by,
            units=self.tested_by,
            correction=self.options.correction,
            minimum=0,  # thin systems are gone already
        )
        if first.needs_workers:  # no z-score says who is ahead across groups
            group = pd.Series(groups_apart(self.data), self.data.systems)
            is_across = pairs["above"].map(group) != pairs["below"].map(group)
            pairs.loc[is_across, ["ahead", "corrected"]] = "", np.nan
        return pairs

    @cached_property
    def better(self) -> Any:
        """Find who is significantly better than whom, by tests or else by resamples.

        A DataFrame of bool, ranked x ranked; None without tests and resamples.
        """
        samples = self.samples
        if self.pairs is not None:
            return cluster_lines.better_of(self.pairs, self.first.order)
        if samples is None:
            return None
        order = samples.ranking.without(samples.thin.index).order
        return cluster_lines.better_in_resamples(
            samples.beats.loc[order, order], samples.n_resamples
        )

    @property
    def clusters(self) -> pd.DataFrame:
        """Return systems and their clusters; one cluster where too little is known.

        Columns system and cluster, best first, and of tests wins.
        """
        if self.pairs is not None:
            return cluster_lines.cluster_table(self.better, "footnote-4").drop(
                columns="line"
            )
        is_standardised = METHODS[self.first.method].needs_workers
        is_apart = is_standardised and groups_apart(self.data).any()
        if self.samples and self.is_by_ranges and not is_apart:
            return self.samples.clusters
        return pd.DataFrame({"system": self.first.order, "cluster": 1})

    @cached_property
    def table(self) -> pd.DataFrame:
        """Put together ranks, scores, their intervals, clusters and wins."""
        table = self.first.table[["system", "rank", "score"]]
        if self.samples is not None:
            table = table.join(self.samples.table[INTERVALS])
        table = table.join(self.clusters.drop(columns="system"))
        if self.counts is None:
            systems = self.data.systems
            number = np.bincount(self.data.credit_system, minlength=len(systems))
            judged = pd.Series(number, systems)
        else:
            judged = self.counts.met.sum(axis=1)
        table = table.assign(n=table["system"].map(judged))
        columns = ["system", "rank", "score", *INTERVALS, "cluster", "wins", "n"]
        whole = ["rank_low", "rank_high", "cluster", "wins", "n"]
        return table.reindex(columns=columns).astype(dict.fromkeys(whole, "Int64"))

    @cached_property
    def tiers(self) -> pd.DataFrame | None:
        """Divide systems into tiers, by the same tests or resamples as the lines."""
        return None if self.better is None else cluster_lines.tiers(self.better)

    @property
    def is_chained(self) -> bool:
        """Say if systems are so many, and lines so few, that tiers are shown."""
        samples = self.samples
        if self.tiers is None or samples is None or len(self.table) <= MANY_TO_CHAIN:
            return False
        is_finer = len(self.tiers) > self.table["cluster"].max()
        return samples.n_units >= UNITS_OF_TIERS and is_finer

    @cached_property
    def by_rule(self) -> pd.DataFrame | None:
        """Rank, and draw lines, by the rule of a campaign, if one is named."""
        rule = self.options.rule
        if not rule:
            return None
        if self.counts is None:
            return campaign_rules.lines_by_rule(
                self.data, rule, self.settings.reference
            )
        if rule != "wmt16":
            raise DataError(f"no rule {rule!r} for comparisons; there is wmt16")
        samples = resampling.bootstrap(
            self.data,
            "trueskill",
            unit=COMPARISON,
            n_resamples=RESAMPLES,
            minimum=self.options.minimum,
            **self.settings._asdict(),
        )
        ranges = samples.table[["system", "rank", "rank_low", "rank_high"]]
        return ranges.merge(samples.clusters, on="system")

    @cached_property
    def fewest(self) -> fewest.Robustness | None:
        """Find the fewest removals that change the first ranking that allows it."""
        options = self.options
        if not options.robust:
            return None
        names = [ranking.method for ranking in self.rankings]
        method = next((name for name in names if METHODS[name].removal), names[0])
        step = f"looking for the fewest judgements that decide, {method}"
        options.progress(step, 0.0)
        smallest = [u for u in sampling_units.SMALLEST_FIRST if u in self.ranked.units]
        unit = options.unit or [*smallest, sampling_units.chosen(self.ranked, None)][0]
        reference = self.settings.reference
        return fewest.robustness(self.data, method, unit=unit, reference=reference)

    @property
    def warnings(self) -> list[str]:
        """Return all warnings, about the data first."""
        units = self.units
        lines = [*self.ranked.warnings, *self.thin]
        lines += sampling_units.few_people(self.ranked, units)
        if self.counts is None:
            if any(METHODS[ranking.method].needs_workers for ranking in self.rankings):
                whole = data_of(self.judgements) if self.thin else self.data
                lines += [*remarks(data=self.data), *of_scales(whole)]
        elif not METHODS[self.first.method].sided:
            lines += first_shown(self.side)
        lines += self.left_out
        if self.samples is not None:
            lines += self.samples.warnings
            is_alone = sampling_units.number_of(self.ranked, "judge") == 1
            is_shown = self.is_by_ranges or self.options.bootstrap
            # Else it is said above, or of the tests.
            if is_shown and len(self.drawn_by) == 1 and not is_alone:
                lines += sampling_units.warnings_for(
                    self.ranked.units,
                    self.samples.unit,
                    is_usual=self.options.unit is None,
                )
        if self.pairs is not None:
            lines += sampling_units.warnings_of_test(
                self.ranked,
                self.data,
                self.tested_by,
                self.pairs,
                METHODS[self.first.method].column,
            )
        if self.fewest is not None:
            is_undone = self.fewest.table["rescaled"].eq(False).fillna(False)
            if is_undone.any():
                fault = (
                    f"{is_undone.sum()} of {len(is_undone)} changes do not come about"
                    " when the workers' means and standard deviations are computed from"
                    " what is left"
                )
                lines.append(warning("removals_undone", fault))
        return lines


def ranking_of(judgements: Judgements, options: RankOptions) -> RankingResult:
    """Rank by one method or several; clusters and resamples are of the first.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    asked = judgements
    judgements, reference = with_reference(judgements, options.reference)
    if options.anchor is not None:
        options = replace(options, elo=True)
    wanted = names_of(options.method)
    data = data_of(judgements)
    thin, thin_lines, is_enough = thin_systems(
        data.counted,
        minimum=options.minimum,
        reference=reference,
        score=METHODS[chosen_methods(judgements, wanted, reference)[0][0]].column,
    )
    ranked = judgements
    if thin:
        ranked = judgements.renamed(thin, "")
        data = data_of(ranked)
    names, per_pair = chosen_methods(ranked, wanted, reference)
    leading = names[0]
    if options.elo and per_pair is not None:
        names.sort(key=lambda name: not isinstance(METHODS[name], Strength))
    first = METHODS[names[0]]
    time_limit = None
    if any(METHODS[name].timed for name in names):
        time_limit = limit_of(options.time_limit, judgements, reference)
    settings = Settings(reference, options.seed, time_limit)

    def rank_by(name: str) -> Ranking:
        options.progress(f"ranking by {name}", 0.0)
        return methods.rank(data, name, minimum=0, **settings._asdict())

    rankings, left_out = apply_methods(judgements, names, wanted, rank_by)
    if first.needs_workers and rankings[0].method != first.name:
        # No z-scores: thin systems, lines and ranges are of raw scores.
        applied = [each.method for each in rankings]
        result = ranking_of(asked, replace(options, method=applied))
        return replace(result, left_out=[*left_out, *result.left_out])
    clusters_by, units = choose_clusters(ranked, data, first, options)
    if options.elo:
        rankings[0] = rated(rankings[0], options.anchor)
    return RankingResult(
        judgements,
        ranked,
        data,
        options,
        settings,
        clusters_by,
        units,
        is_enough,
        rankings,
        per_pair,
        leading,
        thin_lines,
        left_out,
    )


def choose_clusters(
    judgements: Judgements, data: Any, first: Method, options: RankOptions
) -> tuple[str, tuple[str, ...]]:
    """Choose the way to find clusters, and the units of tests and resamples.

    Rank ranges are left for sign tests where resamples cannot be ranked all at once.

    Raises
    ------
    DataError
        A way, correction or unit that does not fit, or a method that cannot resample.
    """
    clusters = options.clusters
    if clusters and clusters not in CLUSTERS[first.kind]:
        fault = f": expected {', '.join(CLUSTERS[first.kind])} for {first.kind}"
        raise DataError(joined(setting("clusters", clusters), fault))
    if options.correction not in CORRECTIONS:
        raise DataError(
            f"correction is {options.correction!r}; expected {', '.join(CORRECTIONS)}"
        )
    sampling_units.chosen(judgements, options.unit)
    units = usual_units(data, first.column)
    if options.unit:
        single = COMPARISON if first.kind == "counts" else "segment"
        units = (options.unit,) if options.unit != single else ()
    if not clusters:
        clusters = "rank-sum"
        if first.kind == "counts":
            clusters = RANK_RANGES if first.batched else "sign-test"
        elif units:
            clusters = "unit"
        elif SPANS & {*judgements.left_out}:
            clusters = "signed-rank"
    if clusters == "unit" and not units:
        raise judgements.refuse(
            f"{sampling_units.NOT_SHARED}, so there is no test by unit"
        )
    is_resampled = options.bootstrap or clusters == RANK_RANGES
    if is_resampled and first.rows and not first.batched:
        asked = Message("bootstrap", "--bootstrap")
        fault = f": {first.name} takes too long; put another "
        step = Message("method first", "--method first")
        raise DataError(joined(asked, fault, step))
    return clusters, units


def rated(ranking: Ranking, anchor: Anchor | None) -> Ranking:
    """Put Elo ratings for the scores of a ranking.

    Raises
    ------
    DataError
        The method has no strengths, or the anchor is not ranked.
    """
    if not isinstance(METHODS[ranking.method], Strength):
        raise DataError(
            f"{ranking.method} has no strengths for an Elo scale; of comparisons"
            " bradley-terry, put first, has"
        )
    if anchor is not None and anchor[0] not in ranking.order:
        raise unknown("system", anchor[0], ranking.order)
    strengths = ranking.table.set_index("system")[["score"]].T
    score = ratings(strengths, anchor).iloc[0].array
    return replace(ranking, table=ranking.table.assign(score=score))


def ratings(strengths: pd.DataFrame, anchor: Anchor | None) -> pd.DataFrame:
    """Compute Elo ratings of log strengths, samples x systems."""
    base = BASE
    origin = strengths.mean(axis=1)
    if anchor is not None:
        name, base = anchor
        origin = strengths[name]
    return base + ELO * strengths.sub(origin, axis=0)


def openness(samples: resampling.BootstrapResult) -> int:
    """Add up the ranks that resamples leave open."""
    return (samples.table["rank_high"] - samples.table["rank_low"]).sum()


# --- shared by the questions ----------------------------------------------------------


def names_of(names: Names) -> list[str]:
    """List names: one alone may be given as a string."""
    return [names] if isinstance(names, str) else [*names]


def data_of(judgements: Judgements) -> Any:
    """Return what methods take: a campaign, or comparisons with their units."""
    if judgements.comparisons is None:
        return encode(judgements)
    return judgements.coded


def limit_of(
    time_limit: float | None, judgements: Judgements, reference: str | None
) -> float:
    """Return the seconds for a proof: those asked for, or the usual ones."""
    if time_limit is not None:
        return time_limit
    return usual_seconds(len(judgements.systems) - (reference is not None))


def with_reference(
    judgements: Judgements, reference: References
) -> tuple[Judgements, str | None]:
    """Return the judgements with several references as one, and its name.

    Warn of systems that look human.

    Raises
    ------
    DataError
        WMT's reference is among the systems, and no option says if it is ranked; or no
        such system.
    """
    named = None if reference is None else names_of(reference)
    if named is None and REFERENCE in judgements.systems:
        fault = joined(
            f"holds the reference {REFERENCE}; say ",
            setting("reference", [REFERENCE]),
            ", or ",
            NO_REFERENCE,
            " to rank it",
        )
        raise judgements.refuse(fault)
    chosen = [*filter(None, named or ())]
    for name in sorted({*chosen}.difference(judgements.systems)):
        raise judgements.refuse(str(unknown("system", name, judgements.systems)))
    human = [
        name
        for name in judgements.systems
        if name not in chosen and HUMAN.fullmatch(name.casefold())
    ]
    if human and named != [""]:
        line = warning(
            "human_ranked",
            f"{', '.join(human)}: ranked, though the name looks like a human reference;"
            " to leave it out, add ",
            setting("reference", [*chosen, *human]),
        )
        judgements = replace(judgements, warnings=(*judgements.warnings, line))
    joint = " & ".join(chosen)
    if len(chosen) > 1:
        judgements = judgements.renamed(chosen, joint)
    return judgements, joint or None


def chosen_methods(
    judgements: Judgements,
    wanted: Names,
    reference: str | None = None,
    most: int | None = None,
) -> tuple[list[str], float | None]:
    """Return names of methods; `Counts.per_pair` if it decides which comes first.

    "all" means the usual ones and then every other, none for the usual ones.
    """
    kind = "counts" if judgements.assessments is None else "assessments"
    named = [name for name in wanted if name != "all"]
    for name in named:
        methods.require(name, kind)
    per_pair = None
    usual = [*methods.USUAL_METHODS[kind]]
    if kind == "counts":
        usual = methods.usual(judgements.counts, reference)
        if not named:
            per_pair = judgements.counts.without(reference).per_pair
    elif "worker" not in judgements.units:
        needing = [name for name in usual if METHODS[name].needs_workers]
        others = [name for name in usual if name not in needing]
        if {*needing} & {*wanted}:
            raise judgements.refuse(
                f"names no workers; {', '.join(needing)} needs them,"
                f" {', '.join(others)} does not"
            )
        return others, None
    usual = usual[:most]
    if "all" in wanted:
        named += usual
        named += [name for name, method in METHODS.items() if method.kind == kind]
    return [*dict.fromkeys(named or usual)], per_pair


def apply_methods(
    judgements: Judgements, names: Names, wanted: Names, apply: Callable[[str], Result]
) -> tuple[list[Result], list[str]]:
    """Run each method on judgements; warn of those that fail.

    Raises
    ------
    DataError
        No method can be applied, or one that is wanted by name cannot.
    """
    results = []
    warnings: list[str] = []
    for name in names:
        try:
            results.append(apply(name))
        except DataError as error:
            is_last = name == names[-1] and not results
            if name in wanted or is_last:
                raise judgements.refuse(error.args[0]) from None
            fault = f"{name} is left out: "
            warnings.append(warning("method_left_out", fault, error.args[0]))
    return results, warnings
