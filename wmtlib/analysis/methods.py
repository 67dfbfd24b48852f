"""Every ranking method of this package by name, on one footing, and side by side.

`rank` ranks the systems of comparisons (`Counts`, or a comparisons frame: see
`wmtlib.judgements.counting`), or of a `Campaign`, by any of `METHODS`; `scores`
scores many samples of the same comparisons at once, on which resampling and leaving out rest
(`wmtlib.analysis.bootstrap`, `wmtlib.analysis.leave_one_out`).

**The reference**, if one was judged among the systems, is never ranked. Comparisons with it count
for "wmt-official" alone (Lopez 2012, Eq. 1); for every other method they are left out. In a
campaign of assessments its judgements enter the workers' scales and nothing else.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import rank_campaign
from wmtlib.assessment.zscores import rank_systems
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking, rank_by_score
from wmtlib.preference import (
    bradley_terry,
    irt_categorical,
    irt_gaussian,
    true_skill,
)
from wmtlib.preference.preference_model import PreferenceModel
from wmtlib.preference.resampled_counts import ResampledCounts
from wmtlib.tournament import mfas, scorers

DIGITS = 9  # strengths that agree to this many decimals are tied
TEST, RULE = "two-sided", "footnote-4"  # of the clusters of z-scores


@dataclass(frozen=True)
class Method:
    """How a method is applied.

    Attributes
    ----------
    name, about : str
        `about` is one line for a list of methods.
    kind : "counts" or "assessments"
    rank : callable
        From the data to a frame and a note; see `rank`.
    random : bool
        Whether it draws random numbers.
    scores : callable or None
        From `ResampledCounts` and strengths to begin with (or None) to scores, (samples, systems),
        NaN for a system that cannot be scored.
    reference_counts : bool
        Whether comparisons with the reference count.
    rows : bool
        Whether it is fitted to comparisons one by one, and to what segments they are of.
    """

    name: str
    about: str
    kind: str
    rank: Callable[..., tuple[pd.DataFrame, str]] = field(repr=False)
    random: bool = False
    scores: Callable[..., np.ndarray] | None = field(default=None, repr=False)
    reference_counts: bool = False
    rows: bool = False


def rank(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
) -> Ranking:
    """Rank the systems by one method.

    Parameters
    ----------
    data : Counts, comparisons frame or Campaign
        A frame with a column segment lets the item-response models know which outputs were
        compared more than once.
    method : str
        Of `METHODS`.
    reference : str or None
        The human reference, which is not ranked; see the head of this module.
    rng : Generator, optional
        Needed by the methods that draw random numbers.
    time_limit : float, optional
        Seconds after which mfas stops proving.

    Raises
    ------
    DataError
        An unknown method or reference, a method for other data, no comparisons, or a system that
        the method cannot score.
    """
    chosen = require(method, kind_of(data))
    if chosen.random and rng is None:
        raise DataError(f"{method} draws random numbers; expected a generator, rng")
    if isinstance(data, pd.DataFrame) and not chosen.rows:
        data = counting.counts(data)
    _check(data, reference)
    try:
        table, note = chosen.rank(data, reference=reference, rng=rng, time_limit=time_limit)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"{method}: {error}") from None
    return Ranking(method, table, note)


def scores(
    samples: ResampledCounts,
    method: str,
    *,
    reference: str | None,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Scores of all systems but the reference by one method, sample by sample.

    Parameters
    ----------
    samples : ResampledCounts
    method : str
        One that scores many samples at once: a heuristic scorer or a Bradley-Terry model.
    reference : str or None
    start : ndarray of float64, (systems,), optional
        Scores to begin an iterative fit with: those of all comparisons.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN where a system has no comparison that counts.
    """
    chosen = require(method, "counts")
    if chosen.scores is None:
        raise DataError(f"{method} does not score samples all at once")
    if not chosen.reference_counts:
        return chosen.scores(samples.without(reference), start)
    found = chosen.scores(samples, start)
    kept = [k for k, name in enumerate(samples.systems) if name != reference]
    return found[:, kept]


def side_by_side(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Ranks by several methods.

    Returns
    -------
    DataFrame, systems x methods
        Ranks; in order of the mean rank, then of the name. The last column, `range`, is the
        greatest rank less the least: where methods disagree.

    Raises
    ------
    DataError
        No ranking, a method twice, or rankings of different systems.
    """
    if not rankings:
        raise DataError("no rankings to set side by side; expected one or more")
    names = [ranking.method for ranking in rankings]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"method {twice[0]!r} stands twice; expected each once")
    systems = {frozenset(ranking.order) for ranking in rankings}
    if len(systems) > 1:
        raise DataError("the rankings are of different systems; expected the same")
    table = pd.DataFrame({r.method: r.column("rank") for r in rankings})
    table = table.sort_index()
    order = np.argsort(table.mean(axis=1).round(DIGITS).to_numpy(), kind="stable")
    table = table.iloc[order]
    return table.assign(range=table.max(axis=1) - table.min(axis=1))


def kind_of(data: Counts | pd.DataFrame | Campaign) -> str:
    """Kind of the methods that apply: "counts" or "assessments"."""
    return "assessments" if isinstance(data, Campaign) else "counts"


def require(method: str, kind: str) -> Method:
    """The method of that name, if it applies to data of a kind."""
    fitting = ", ".join(name for name, m in METHODS.items() if m.kind == kind)
    if method not in METHODS:
        raise DataError(f"no method {method!r}; expected {fitting}")
    if METHODS[method].kind != kind:
        raise DataError(f"{method} is no method for {kind}; expected {fitting}")
    return METHODS[method]


def _check(data: Counts | pd.DataFrame | Campaign, reference: str | None) -> None:
    """Refuse a reference that is not there, no comparisons and fewer than two systems."""
    if isinstance(data, Campaign):
        systems = data.systems
    else:
        counts = counting.counts(data)
        if not counts.comparisons:
            raise DataError("no comparisons; expected one or more")
        systems = counts.systems
    if reference is not None and reference not in systems:
        raise DataError(f"no system {reference!r} to be the reference")
    if (left := len(systems) - (reference is not None)) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")


# --- the methods --------------------------------------------------------------------------------


def _table(found: pd.Series) -> pd.DataFrame:
    """Scores that carry the noise of a numerical fit as a ranking."""
    return rank_by_score("", found.round(DIGITS)).table


def _by_scorer(
    counts: Counts, *, name: str, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    return rank_by_score(name, scorers.score(name, counts, reference=reference)).table, ""


def _by_strength(
    counts: Counts, *, ties: str, prior: float, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    counts = counts.without(reference)
    played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    if (played == 0).any():
        raise DataError(f"system {played.idxmin()!r} has no comparison that this score counts")
    found = bradley_terry.strengths(counts, ties=ties, prior=prior)
    said = f"{prior:g} virtual comparisons of every system"
    return _table(found), f"log strengths; {said}" if prior else "log strengths, no prior"


def _by_mfas(
    counts: Counts, *, reference: str | None, time_limit: float | None, **_: object
) -> tuple[pd.DataFrame, str]:
    solution = mfas.solve(counts.without(reference).wins, time_limit=time_limit)
    frame = pd.DataFrame({"system": [*solution.order]})
    frame["rank"], frame["score"] = np.arange(1, len(frame) + 1), np.nan
    if solution.rank_ranges is not None:
        ranges = solution.rank_ranges.loc[[*solution.order]]
        frame["best_rank"] = ranges["best"].to_numpy()
        frame["worst_rank"] = ranges["worst"].to_numpy()
    bound, orders = solution.lower_bound, solution.optimal_orders
    proof = "proven least" if solution.optimal else f"at least {bound} is unavoidable"
    many = "" if orders is None else f"; optimal orders: {orders}"
    note = f"violated weight: {solution.cost} judgements, {proof} (lower bound {bound}){many}"
    return frame, note


def standing(solution: mfas.MFAS) -> pd.Series:
    """Systems surely below less systems surely above: in every optimal order, if they are known.

    What stands above in all of them has the higher number; what does not may have the same.
    """
    if solution.agreed is None:
        size = len(solution.order)
        return pd.Series(range(size - 1, -size, -2), index=[*solution.order], dtype=float)
    return (solution.agreed.sum(axis=1) - solution.agreed.sum(axis=0)).astype(float)


def _by_model(
    data: Counts | pd.DataFrame,
    *,
    fit: Callable[..., PreferenceModel],
    rows: bool,
    reference: str | None,
    rng: np.random.Generator,
    **_: object,
) -> tuple[pd.DataFrame, str]:
    """By the strengths, or mean abilities, of a model that is fitted with random numbers."""
    kept = counting.without(data, reference)
    train = counting.expand(kept) if rows else counting.counts(kept)
    systems = counting.counts(data).without(reference).systems
    model = fit(train, systems=systems, rng=rng)
    found = model.abilities["mean"] if rows else model.strengths
    return _table(found), "drawn at random: another seed gives slightly other scores"


def _by_z(data: Campaign, *, reference: str | None, **_: object) -> tuple[pd.DataFrame, str]:
    frame, note = _by_mean(data, column="score", reference=reference)
    unranked = data.is_system(_named(reference))
    cut = rank_campaign(data, test=TEST, rule=RULE, unranked=unranked).ranking
    frame["cluster"] = cut.column("cluster")[frame["system"]].to_numpy()
    said = "clusters by two-sided rank-sum tests, p < 0.05, uncorrected"
    return frame, f"{said}; {note}" if note else said


def _by_mean(
    data: Campaign, *, column: str, reference: str | None, **_: object
) -> tuple[pd.DataFrame, str]:
    ranking = rank_systems(data)
    return _table(ranking.column(column).drop(_named(reference))), ranking.note


def _named(reference: str | None) -> list[str]:
    return [] if reference is None else [reference]


def _scorer(name: str, about: str) -> Method:
    formula = scorers.SCORERS[name]
    return Method(
        name,
        about,
        "counts",
        partial(_by_scorer, name=name),
        scores=lambda samples, start: formula(*samples.matrices()),
        reference_counts=name in scorers.COUNTS_REFERENCE,
    )


def _fitted(name: str, about: str, ties: str, prior: float) -> Method:
    return Method(
        name,
        about,
        "counts",
        partial(_by_strength, ties=ties, prior=prior),
        scores=partial(bradley_terry.resampled_strengths, ties=ties, prior=prior),
    )


def _drawn(name: str, about: str, fit: Callable[..., PreferenceModel], rows: bool) -> Method:
    apply = partial(_by_model, fit=fit, rows=rows)
    return Method(name, about, "counts", apply, random=True, rows=rows)


def _registry(methods: Collection[Method]) -> dict[str, Method]:
    return {method.name: method for method in methods}


METHODS: dict[str, Method] = _registry(
    [
        _scorer("wmt-official", "share not lost (Eq. 1)"),
        _scorer("heuristic2", "share won (Eq. 2)"),
        _scorer("bojar", "wins over wins and losses (Eq. 3)"),
        _scorer("expected-wins", "chance to beat a random opponent"),
        _scorer("net-wins", "the same less the chance to lose"),
        _scorer("soccer", "share of points, a tie half a point"),
        Method("mfas", "order that contradicts fewest judgements, exact", "counts", _by_mfas),
        _fitted(
            "bradley-terry", "Bradley-Terry with Davidson's ties", "davidson", bradley_terry.PRIOR
        ),
        _fitted(
            "rao-kupper",
            "Bradley-Terry with Rao & Kupper's ties",
            "rao-kupper",
            bradley_terry.PRIOR,
        ),
        _fitted("bradley-terry-half", "Bradley-Terry, a tie half a win, no prior", "half", 0.0),
        _drawn("trueskill", "TrueSkill in one random order", true_skill.trueskill, False),
        _drawn(
            "irt-gaussian",
            "IRT, Gaussian qualities, by Gibbs sampling",
            irt_gaussian.fit,
            True,
        ),
        _drawn("irt-categorical", "IRT, discrete qualities, Gibbs", irt_categorical.fit, True),
        Method("z-score", "mean of segments' mean z-scores, clusters", "assessments", _by_z),
        Method(
            "raw-score",
            "mean of segments' mean raw scores",
            "assessments",
            partial(_by_mean, column="raw"),
        ),
    ]
)
