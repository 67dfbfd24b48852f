"""Rankings with sets of ranks, computed without any text.

`ranking_of` makes one frozen value, in the order of work. `wmtlib.report.answers`
writes tables and sentences about it. Functions that other questions use, too, follow
it.

Bradley-Terry strengths may be put on the scale of chess ratings (Elo),

    rating = base + 400 / ln 10 x (log strength - log strength of the anchor)

so that 400 points are odds of ten to one. The anchor is a system, or the mean of all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite, log
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.bradley_terry import Advantage, advantage, first_shown
from wmtlib.certainty import SET_COLUMNS, RankSets, sets_of
from wmtlib.core.assessments import Campaign, as_one, encode, leave_out
from wmtlib.core.counts import REFERENCE, ComparisonRows, Counts
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
from wmtlib.files.checks import MINIMUM, of_scales, remarks, thin_systems
from wmtlib.files.judgements import Judgements
from wmtlib.methods import FIT_DIGITS, METHODS, Settings, Strength
from wmtlib.mfas import usual_seconds
from wmtlib.report import sampling_units

COLUMNS = [*SET_COLUMNS, "points", "n"]  # of the ranking
BASE = 1000.0  # the Elo rating of the mean
ELO = 400 / log(10)  # points for a difference of 1
# Names of systems that look human, in lower case.
HUMAN = re.compile(r"(.*[^a-z])?(ref(erence)?|human)s?[-_. ]?[a-z0-9]?")

Names: TypeAlias = str | Sequence[str]  # one, or several
References: TypeAlias = Names | None
Elo: TypeAlias = bool | tuple[str, float]  # a system, and the rating that it has
Progress: TypeAlias = Callable[[str, float], None]  # a step, and the share that is done
Coded: TypeAlias = ComparisonRows | Campaign
Result = TypeVar("Result")


def silent(step: str, share: float) -> None:
    """Do nothing: the default progress callback."""


# --- rank -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RankingResult:
    """A ranking by one method or several; sets of ranks are of the first one.

    Attributes
    ----------
    judgements : Judgements
        As they were read: with thin systems and the reference.
    settings : Settings
        Of every method; several references are one system.
    minimum : int
    elo : bool or (str, float)
    usual : str or None
        The usual method for such judgements, if none was named. On the Elo scale
        another may come first.
    rankings : sequence of Ranking
        One for each method.
    sets : RankSets or None
        On the same scale; None if fewer than two systems have enough judgements.
    units : Units
        The kinds of units that were left out in turn.
    is_sure : bool
        Whether there are sets of ranks.
    counts : Counts or None
        Of comparisons, without thin systems and the reference.
    side : Advantage or None
        The advantage of being shown first; None if it is not known.
    table : DataFrame
        Columns `COLUMNS`: of `RankSets.table`, points (the mean of the segments' mean
        scores as they were given; NaN of comparisons) and n (comparisons, or scores).
    pairs : DataFrame or None
        Those of the sets, of comparisons with wins, losses and ties.
    warnings : sequence of str
        About the data first.
    """

    judgements: Judgements
    settings: Settings
    minimum: int
    elo: Elo
    usual: str | None
    rankings: Sequence[Ranking]
    sets: RankSets | None
    units: Units
    is_sure: bool
    counts: Counts | None
    side: Advantage | None
    table: pd.DataFrame
    pairs: pd.DataFrame | None
    warnings: Sequence[str]


def ranking_of(
    judgements: Judgements,
    method: Names = (),
    *,
    reference: References = None,
    unit: str | None = None,
    elo: Elo = False,
    minimum: int = MINIMUM,
    time_limit: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> RankingResult:
    """Rank by one method or several; for the options see `wmtlib.analyse`.

    Raises
    ------
    DataError
        One line on what cannot be done.
    """
    whole, joint, human = with_reference(judgements, reference)
    wanted = names_of(method)
    score = METHODS[chosen_methods(whole, wanted, joint)[0]].column
    data, thin, is_enough = without_thin(whole, minimum, joint, score)
    names = chosen_methods(data, wanted, joint)
    usual = None if {*wanted} - {"all"} else names[0]
    if elo and usual:
        names.sort(key=lambda name: not isinstance(METHODS[name], Strength))
    settings = settings_of(data, names, joint, seed, time_limit)

    def rank_by(name: str) -> Ranking:
        progress(f"ranking by {name}", 0.0)
        return methods.rank(data, name, minimum=0, **settings._asdict())

    rankings, left_out = apply_methods(judgements, names, wanted, rank_by)
    if METHODS[rankings[0].method].column != score:
        # No z-scores: thin systems are those with few raw scores.
        data, thin, is_enough = without_thin(whole, minimum, joint, "raw")
        rankings = [rank_by("raw-score")]
    sets = None
    with refusals_of(judgements):
        if is_enough:
            progress("leaving out judges and items in turn", 0.0)
            sets = sets_of(data, rankings[0], unit=unit, reference=joint)
        if elo:
            rankings[0], sets = on_elo_scale(rankings[0], sets, elo)
    units = Units() if sets is None else sets.units
    counts, side = _compared(data, joint, units)
    warnings = [*judgements.warnings, *human, *thin]
    warnings += [*_of_methods(rankings, whole, data, side), *left_out]
    if sets is not None:
        warnings += sampling_units.warnings_of(sets, judgements, unit is not None)
    return RankingResult(
        judgements=judgements,
        settings=settings,
        minimum=minimum,
        elo=elo,
        usual=usual,
        rankings=rankings,
        sets=sets,
        units=units,
        is_sure=sets is not None and sets.is_known,
        counts=counts,
        side=side,
        table=_table(rankings[0], sets, data, counts, judgements.declared),
        pairs=None if sets is None else _pairs(sets, counts),
        warnings=warnings,
    )


def without_thin(
    data: Coded, minimum: int, reference: str | None, score: str
) -> tuple[Coded, list[str], bool]:
    """Leave out thin systems; return warnings, too, and whether two others are left."""
    thin, lines, is_enough = thin_systems(
        data.counted, minimum=minimum, reference=reference, score=score
    )
    return leave_out(data, thin, paired=True), lines, is_enough


def _compared(
    data: Coded, reference: str | None, units: Units
) -> tuple[Counts | None, Advantage | None]:
    """Count comparisons, and estimate the advantage of being shown first."""
    if isinstance(data, Campaign):
        return None, None
    compared = data.without(reference)
    return compared.counted, advantage(compared, *units.kinds[:1])


def _of_methods(
    rankings: Sequence[Ranking], whole: Coded, data: Coded, side: Advantage | None
) -> list[str]:
    """Warn of what methods do not allow for: scales of workers, who was shown first."""
    used = [METHODS[ranking.method] for ranking in rankings]
    if isinstance(whole, Campaign):
        scaled = any(method.needs_workers for method in used)
        return [*remarks(data=data.counted), *of_scales(whole)] if scaled else []
    return [] if used[0].sided else first_shown(side)


def _table(
    ranking: Ranking,
    sets: RankSets | None,
    data: Coded,
    counts: Counts | None,
    declared: tuple[float, float] | None,
) -> pd.DataFrame:
    """Put together ranks, their sets, scores, intervals, clusters and numbers."""
    table = ranking.table if sets is None else sets.table
    points = pd.Series(dtype=float)
    if isinstance(data, Campaign):
        judged = np.bincount(data.credit_system, minlength=len(data.systems))
        number = pd.Series(judged, data.systems)
        points = METHODS["raw-score"].values(data, Settings()).round(FIT_DIGITS)
        if declared and declared[0] > declared[1]:  # low scores are the best
            points = -points
    elif counts is not None:
        number = counts.met.sum(axis=1)
    system = table["system"]
    table = table.assign(points=system.map(points), n=system.map(number))
    table = table.reindex(columns=COLUMNS).fillna({"cluster": 1})
    whole = ["rank_low", "rank_high", "cluster", "n"]
    return table.astype(dict.fromkeys(whole, "Int64"))


def _pairs(sets: RankSets, counts: Counts | None) -> pd.DataFrame:
    """List all pairs with their tests, and of comparisons who beat whom."""
    pairs = sets.pairs
    if counts is None:
        return pairs
    place = counts.wins.index.get_indexer
    above = place(pairs["above"])
    below = place(pairs["below"])
    wins = counts.wins.to_numpy()
    return pairs.assign(
        wins=wins[above, below],
        losses=wins[below, above],
        ties=counts.ties.to_numpy()[above, below],
    )


def on_elo_scale(
    ranking: Ranking, sets: RankSets | None, elo: Elo
) -> tuple[Ranking, RankSets | None]:
    """Put Elo ratings for the scores of a ranking and of its sets.

    A system that is the anchor keeps its rating: intervals are of differences to it.

    Raises
    ------
    DataError
        The method has no strengths, or the anchor is not ranked, or has no finite
        rating.
    """
    if not isinstance(METHODS[ranking.method], Strength):
        raise DataError(
            f"{ranking.method} has no strengths for an Elo scale; of comparisons"
            " bradley-terry, put first, has"
        )
    strength = ranking.scores
    anchor, base = (None, BASE) if isinstance(elo, bool) else elo
    if anchor is not None and anchor not in strength:
        raise unknown("system", anchor, ranking.order)
    if not isfinite(base):
        raise DataError(f"the rating of {anchor} is {base}; expected a number")
    origin = strength.mean() if anchor is None else strength[anchor]

    def rated(scores: Any) -> Any:
        return base + ELO * (scores - origin)

    score = rated(ranking.table["score"])
    ranking = replace(ranking, table=ranking.table.assign(score=score))
    if sets is None:
        return ranking, None
    table = sets.table.assign(score=score)
    ends = ["score_low", "score_high"]
    table[ends] = rated(table[ends])
    if anchor is not None:
        half = ELO * sets.half_widths(anchor)
        table = table.assign(score_low=score - half, score_high=score + half)
    pairs = sets.pairs.copy()
    pairs[["difference", "error"]] *= ELO
    return ranking, replace(sets, ranking=ranking, table=table, pairs=pairs)


# --- shared by the questions ----------------------------------------------------------


def names_of(names: Names) -> list[str]:
    """List names: one alone may be given as a string."""
    return [names] if isinstance(names, str) else [*names]


def with_reference(
    judgements: Judgements, reference: References
) -> tuple[Coded, str | None, list[str]]:
    """Code judgements, once, with several references as one system.

    Returns
    -------
    data : ComparisonRows or Campaign
    reference : str or None
        The name of the one system.
    warnings : list of str
        Systems that are ranked, and look human.

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
    lines: list[str] = []
    if human and named != [""]:
        names = ", ".join(human)
        looks = "ranked, though the name looks like a human reference; to leave it out"
        step = setting("reference", [*chosen, *human])
        lines.append(warning("human_ranked", f"{names}: {looks}, add ", step))
    is_scored = judgements.comparisons is None
    data = encode(judgements.assessments) if is_scored else judgements.coded
    joint = " & ".join(chosen)
    if len(chosen) > 1:
        data = as_one(data, chosen, joint)
    return data, joint or None, lines


def chosen_methods(data: Coded, wanted: Names, reference: str | None) -> list[str]:
    """Return names of methods; "all" are the usual ones and then every other.

    None wanted are the usual ones.
    """
    kind = data.counted.kind
    named = [name for name in wanted if name != "all"]
    for name in named:
        methods.require(name, kind)
    usual = methods.usual(data.counted, reference)
    if "all" in wanted:
        named += usual
        named += [name for name, method in METHODS.items() if method.kind == kind]
    return [*dict.fromkeys(named or usual)]


def settings_of(
    data: Coded,
    names: Sequence[str],
    reference: str | None,
    seed: int,
    time_limit: float | None,
) -> Settings:
    """Return the options of methods, with the usual time limit for those timed."""
    if time_limit is None and any(METHODS[name].timed for name in names):
        time_limit = usual_seconds(len(data.systems) - (reference is not None))
    return Settings(reference, seed, time_limit)


@contextmanager
def refusals_of(judgements: Judgements) -> Iterator[None]:
    """Name the file in what is refused."""
    try:
        yield
    except DataError as error:
        raise judgements.refuse(error.args[0]) from None


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
