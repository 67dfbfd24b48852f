"""Rankings with sets of ranks, computed without any text.

`ranking_of` ranks, and returns one frozen value. `wmtlib.report.answers` writes tables
and sentences about it. Functions that other questions use, too, follow it.

Bradley-Terry strengths may be put on the scale of chess ratings (Elo),

    rating = base + 400 / ln 10 x (log strength - log strength of the anchor)

so that 400 points are odds of ten to one. The anchor is a system, or the mean of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.bradley_terry import Advantage, advantage, first_shown
from wmtlib.certainty import SET_COLUMNS, RankSets, sets_of
from wmtlib.core.assessments import encode
from wmtlib.core.counts import REFERENCE, Counts, without
from wmtlib.core.errors import (
    NO_REFERENCE,
    DataError,
    joined,
    setting,
    unknown,
    warning,
)
from wmtlib.core.ranking import Ranking
from wmtlib.core.units import Units
from wmtlib.files.checks import (
    MINIMUM,
    of_scales,
    remarks,
    thin_systems,
)
from wmtlib.files.judgements import Judgements
from wmtlib.methods import METHODS, Settings, Strength
from wmtlib.mfas import usual_seconds
from wmtlib.report import sampling_units

COLUMNS = [*SET_COLUMNS, "n"]  # of the ranking
BASE = 1000.0  # the Elo rating of the mean
ELO = 400 / log(10)  # points for a difference of 1
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
    unit : str or None
        One kind of units that are left out in turn; None: the largest kinds of judges
        and of items (`units.usual_units`). "comparison": each by itself.
    elo : bool
        Whether scores are Elo ratings, as with an anchor; if no method is named, the
        first of the usual ones that has log strengths comes first.
    anchor : (str, float) or None
        A system, and its rating; None: the mean of all systems is `BASE`.
    minimum : int
        Comparisons, or scores, below which a system is named above the tables
        and left out of them. If fewer than two others are left, all are ranked, without
        sets of ranks.
    time_limit : float or None
        Seconds after which mfas stops proving; by default `mfas.usual_seconds`.
    seed : int
        Every method draws from a generator of its own with this seed.
    progress : callable
        Called with a step, and the completed share of it (0 to 1).
    """

    method: Names = ()
    reference: References = None
    unit: str | None = None
    elo: bool = False
    anchor: Anchor | None = None
    minimum: int = MINIMUM
    time_limit: float | None = None
    seed: int = 0
    progress: Progress = silent


@dataclass(frozen=True, eq=False)
class RankingResult:
    """A ranking by one method or several; sets of ranks are of the first one.

    What is not asked for is None.

    Attributes
    ----------
    judgements, ranked : Judgements
        With thin systems, and without them.
    data : Campaign or ComparisonRows
        As methods take them.
    options : RankOptions
    settings : Settings
        Of every method; the reference is one system.
    rankings : sequence of Ranking
        One for each method.
    sets : RankSets or None
        None if fewer than two systems have enough judgements.
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
    rankings: Sequence[Ranking]
    sets: RankSets | None
    per_pair: float | None
    leading: str
    thin: Sequence[str]
    left_out: Sequence[str]

    @property
    def first(self) -> Ranking:
        """Return the ranking by the first method."""
        return self.rankings[0]

    @property
    def units(self) -> Units:
        """Return the kinds of units that were left out in turn."""
        return Units() if self.sets is None else self.sets.units

    @property
    def is_sure(self) -> bool:
        """Say if there are sets of ranks."""
        return self.sets is not None and self.sets.is_known

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
        return advantage(
            without(self.data, self.settings.reference), *self.units.kinds[:1]
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """Put together ranks, their sets, scores, intervals, clusters and numbers."""
        table = self.first.table[["system", "rank", "score"]]
        if self.sets is not None:
            table = self.sets.table
        if self.counts is None:
            systems = self.data.systems
            number = np.bincount(self.data.credit_system, minlength=len(systems))
            judged = pd.Series(number, systems)
        else:
            judged = self.counts.met.sum(axis=1)
        table = table.assign(n=table["system"].map(judged)).reindex(columns=COLUMNS)
        whole = ["rank_low", "rank_high", "cluster", "n"]
        return table.fillna({"cluster": 1}).astype(dict.fromkeys(whole, "Int64"))

    @property
    def warnings(self) -> list[str]:
        """Return all warnings, about the data first."""
        lines = [*self.ranked.warnings, *self.thin]
        if self.counts is None:
            if any(METHODS[ranking.method].needs_workers for ranking in self.rankings):
                whole = data_of(self.judgements) if self.thin else self.data
                lines += [*remarks(data=self.data), *of_scales(whole)]
        elif not METHODS[self.first.method].sided:
            lines += first_shown(self.side)
        lines += self.left_out
        if self.sets is not None:
            is_asked = self.options.unit is not None
            lines += sampling_units.warnings_of(self.sets, self.ranked, is_asked)
        return lines


def ranking_of(judgements: Judgements, options: RankOptions) -> RankingResult:
    """Rank by one method or several; sets of ranks are of the first.

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
        # No z-scores: thin systems and sets are of raw scores.
        applied = [each.method for each in rankings]
        result = ranking_of(asked, replace(options, method=applied))
        return replace(result, left_out=[*left_out, *result.left_out])
    sets = None
    if is_enough:
        options.progress("leaving out judges and items in turn", 0.0)
        try:
            sets = sets_of(data, rankings[0], unit=options.unit, reference=reference)
        except DataError as error:
            raise judgements.refuse(error.args[0]) from None
    if options.elo:
        rankings[0] = rated(rankings[0], options.anchor)
        sets = sets and rated_sets(sets, rankings[0], options.anchor)
    return RankingResult(
        judgements,
        ranked,
        data,
        options,
        settings,
        rankings,
        sets,
        per_pair,
        leading,
        thin_lines,
        left_out,
    )


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


def rated_sets(sets: RankSets, ranking: Ranking, anchor: Anchor | None) -> RankSets:
    """Put the intervals of sets on the scale of ratings.

    An anchor keeps its rating: intervals are of differences to it.
    """
    table = sets.table
    score = ranking.scores.to_numpy()
    if anchor is None:
        shift = score - ELO * table["score"]
        ends = {end: shift + ELO * table[end] for end in ("score_low", "score_high")}
    else:
        half = ELO * sets.half_widths(anchor[0])
        ends = {"score_low": score - half, "score_high": score + half}
    pairs = sets.pairs
    of_pairs = {name: ELO * pairs[name] for name in ("difference", "error")}
    return replace(
        sets,
        ranking=ranking,
        table=table.assign(score=score, **ends),
        pairs=pairs.assign(**of_pairs),
    )


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
