"""The one form of a ranking: systems, best first, with their ranks and scores."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import bradley_terry, mfas, scorers
from wmtlib import counts as counting
from wmtlib import irt as irt_categorical
from wmtlib import irt as irt_gaussian
from wmtlib import models as baselines
from wmtlib import trueskill as true_skill
from wmtlib.bradley_terry import ResampledCounts
from wmtlib.counts import Counts, captioned
from wmtlib.errors import DataError
from wmtlib.models import PreferenceModel, from_scores, mfas_places
from wmtlib.trueskill import trueskill
from wmtlib.zscores import Campaign, order_by_mean, segment_means, worker_scales

TIED_DIGITS = 12  # scores that agree to this many decimals are tied


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems in order, best first.

    Attributes
    ----------
    method : str
        Name of the method.
    table : DataFrame
        Columns system, rank (1 = best; tied systems share the best rank of their group and are
        listed by name) and score (NaN if the method has none); best first. Some methods add more:
        mfas best_rank and worst_rank over all optimal orders, NaN if they are not known.
    note : str
        What must be said about this ranking on one line; "" if nothing.
    facts : mapping
        The same as data; of mfas violated_weight, lower_bound, optimal, optimal_orders.

    Examples
    --------
    >>> rank_by_score("share won", pd.Series({"x": 0.2, "y": 0.7})).order
    ['y', 'x']
    """

    method: str
    table: pd.DataFrame
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return captioned(f"{self.method}: {self.note}" if self.note else self.method, self.table)

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.table["system"].tolist()

    def column(self, name: str) -> pd.Series:
        """One column of the table, indexed by system."""
        return self.table.set_index("system")[name]

    @property
    def rank_ranges(self) -> pd.DataFrame:
        """The ranks that the method leaves open, of every system: columns best and worst.

        Tied systems share all ranks of their group. NaN where the ranks are not known.
        """
        if "best_rank" in self.table:
            ranges = self.table.set_index("system")[["best_rank", "worst_rank"]]
            return ranges.set_axis(["best", "worst"], axis=1).astype(float)
        best = self.column("rank")
        return pd.DataFrame({"best": best, "worst": best + best.map(best.value_counts()) - 1})


def rank_by_score(method: str, scores: pd.Series, *, note: str = "") -> Ranking:
    """Rank systems by their scores, higher = better.

    Parameters
    ----------
    method, note : str
        As in `Ranking`.
    scores : Series
        Indexed by system; scores that agree to `TIED_DIGITS` decimals are tied.
    """
    scores = scores.sort_index()
    rank = scores.round(TIED_DIGITS).rank(method="min", ascending=False).astype(int)
    table = pd.DataFrame({"system": scores.index, "rank": rank.array, "score": scores.array})
    return Ranking(method, table.sort_values(["rank", "system"], ignore_index=True), note)


def side_by_side(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Ranks by several methods.

    Returns
    -------
    DataFrame, systems x methods
        In the order of the first ranking; cells as in `rank_words`. The last column, `range`, says
        by how many ranks the methods disagree: the greatest best rank less the least worst rank, 0
        if some rank suits them all; what is not known is no disagreement.

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
    order = rankings[0].order
    if any(set(ranking.order) != set(order) for ranking in rankings):
        raise DataError("the rankings are of different systems; expected the same")
    ranges = [ranking.rank_ranges.loc[order] for ranking in rankings]
    best, worst = (pd.concat([r[end] for r in ranges], axis=1) for end in ("best", "worst"))
    table = pd.DataFrame({r.method: rank_words(r)[order] for r in rankings})
    apart = (best.max(axis=1) - worst.min(axis=1)).fillna(0).clip(lower=0).astype(int)
    return table.assign(range=apart)


def rank_words(ranking: Ranking) -> pd.Series:
    """Ranks as text, by system: "3", "3–5" for what is left open, "~3" if that is not known."""
    ranges, words = ranking.rank_ranges, {}
    for name, rank in ranking.column("rank").items():
        best, worst = ranges.loc[name]
        words[name] = f"~{rank}" if pd.isna(best) else str(rank)
        if not pd.isna(best) and worst > best:
            words[name] = f"{best:.0f}–{worst:.0f}"
    return pd.Series(words)


# One name for each ranking method and preference model, and the title that plots show.
#
# Tables, commands and code use the name. The methods of Lopez (2012) are called by their equations,
# the models of Hopkins & May (2013) as in their figures.


TITLES = {
    "wmt-official": "Lopez Eq. 1",
    "heuristic2": "Lopez Eq. 2",
    "bojar": "Lopez Eq. 3",
    "bojar-places": "Lopez Eq. 3, places only",
    "expected-wins": "Expected Wins",
    "net-wins": "Net Wins",
    "soccer": "Soccer",
    "mfas": "MFAS",
    "bradley-terry": "Bradley-Terry (Davidson)",
    "rao-kupper": "Bradley-Terry (Rao-Kupper)",
    "bradley-terry-half": "Bradley-Terry (ties half)",
    "trueskill": "TrueSkill",
    "uniform": "Uniform",
    "adjusted-uniform": "Adjusted Uniform",
    "independent-pairs": "Independent Pairs",
    "independent-students-asymmetric": "Asymmetric Students",
    "independent-students-arithmetic": "Arithmetic Students",
    "independent-students-geometric": "Geometric Students",
    "independent-students-geometric-as-printed": "Geometric Students (as printed)",
    "irt-gaussian": "IRT-Gaussian",
    "irt-categorical": "IRT-Categorical",
    "irt-gaussian-fitted": "IRT-Gaussian (radius fitted)",
    "irt-categorical-fitted": "IRT-Categorical (radius fitted)",
    "irt-gaussian-segments-unknown": "IRT-Gaussian (segments unknown)",
    "z-score": "Mean z-score",
    "raw-score": "Mean raw score",
}


def title(name: str) -> str:
    """How plots and prose call a method; a name without a title is its own."""
    return TITLES.get(name, name)


# Every preference model by its name.


def _without_rng(fit: Callable[..., PreferenceModel]) -> Callable[..., PreferenceModel]:
    return lambda train, *, systems, rng: fit(train, systems=systems)


# Models made of one strength per system: `rating_models.RatedModel`.
RATING_MODELS: dict[str, Callable[..., PreferenceModel]] = {
    "bradley-terry": _without_rng(partial(bradley_terry.fit, ties="davidson")),
    "rao-kupper": _without_rng(partial(bradley_terry.fit, ties="rao-kupper")),
    "trueskill": trueskill,
    "wmt-official": partial(from_scores, scorers.wmt_official),
    "heuristic2": partial(from_scores, scorers.heuristic2),
    "bojar": partial(from_scores, scorers.bojar),
    "expected-wins": partial(from_scores, scorers.expected_wins),
    "mfas": partial(from_scores, mfas_places),
}

# All models, each a function fit(train, *, systems, rng).
MODELS: dict[str, Callable[..., PreferenceModel]] = {
    **{name: _without_rng(fit) for name, fit in baselines.BASELINES.items()},
    "irt-gaussian": irt_gaussian.fit_gaussian,
    "irt-categorical": irt_categorical.fit_categorical,
    "irt-gaussian-segments-unknown": lambda train, **options: irt_gaussian.fit_gaussian(
        train.drop(columns="segment", errors="ignore"), **options
    ),
    **RATING_MODELS,
}

# Item-response models: they are fitted to a frame of single comparisons; all others may be given
# counts.
ITEM_MODELS = ("irt-gaussian", "irt-categorical", "irt-gaussian-segments-unknown")

# A number for each model that draws random numbers, so that no two draw the same ones. Fixed: what
# a model draws does not change with its name.
STREAMS = {
    "irt-gaussian": 921_177_985,
    "irt-categorical": 2_795_834_812,
    "irt-gaussian-segments-unknown": 3_845_998_747,
    "trueskill": 2_557_857_586,
    "wmt-official": 87_875_026,
    "heuristic2": 2_620_755_048,
    "bojar": 3_945_970_942,
    "expected-wins": 2_701_954_285,
    "mfas": 657_121_541,
}


def generator(name: str, *seed: int) -> np.random.Generator:
    """The generator of one model: its draws do not depend on the other models."""
    return np.random.default_rng([*seed, STREAMS.get(name, 0)])


# How each method ranks: from counts, comparisons or a campaign to a `Ranking`.
#
# Every function takes the data and the keywords method (its name), reference, rng and time_limit,
# and uses those that it needs. See `wmtlib.ranking`, which lists them.


FIT_DIGITS = 9  # scores of numerical fits that agree to this many decimals are tied


def by_scorer(counts: Counts, *, method: str, reference: str | None, **_: object) -> Ranking:
    """By a heuristic score of `scorers.SCORERS`."""
    return rank_by_score(method, scorers.score(method, counts, reference=reference))


def by_strength(
    counts: Counts, *, method: str, ties: str, prior: float, reference: str | None, **_: object
) -> Ranking:
    """By Bradley-Terry strengths."""
    counts = counts.without(reference)
    compared = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    if (compared == 0).any():
        raise DataError(f"system {compared.idxmin()!r} has no comparison that this score counts")
    strengths = bradley_terry.strengths(counts, ties=ties, prior=prior)
    prior_text = f"; {prior:g} virtual comparisons of every system" if prior else ", no prior"
    return rank_by_score(method, strengths.round(FIT_DIGITS), note=f"log strengths{prior_text}")


def by_mfas(
    counts: Counts, *, method: str, reference: str | None, time_limit: float | None, **_: object
) -> Ranking:
    """By the order that contradicts the fewest judgements; no scores."""
    solution = mfas.solve(counts.without(reference).wins, time_limit=time_limit)
    table = pd.DataFrame({"system": [*solution.order]})
    table["rank"], table["score"] = np.arange(1, len(table) + 1), np.nan
    ranges = solution.rank_ranges
    for column, end in (("best_rank", "best"), ("worst_rank", "worst")):
        table[column] = np.nan if ranges is None else ranges.loc[[*solution.order], end].array
    cost, bound, orders = solution.cost, solution.lower_bound, solution.optimal_orders
    if solution.optimal:
        note = f"proven least; optimal orders: {'too many to count' if orders is None else orders}"
    else:
        note = f"not proven least: at least {bound} cannot be avoided, a gap of {cost - bound}"
    return Ranking(
        method,
        table,
        note,
        {
            "violated_weight": cost,
            "lower_bound": bound,
            "optimal": solution.optimal,
            "optimal_orders": orders,
        },
    )


def mfas_scores(solution: mfas.MFAS) -> pd.Series:
    """Number of systems below each system less the number above it, in every optimal order.

    Of two systems, one that is above the other in every optimal order has the higher score. If the
    optimal orders are not known, the one order that was found stands for them.
    """
    if solution.agreed is None:
        size = len(solution.order)
        return pd.Series(range(size - 1, -size, -2), index=[*solution.order], dtype=float)
    return (solution.agreed.sum(axis=1) - solution.agreed.sum(axis=0)).astype(float)


def by_model(
    data: Counts | pd.DataFrame,
    *,
    method: str,
    rows: bool,
    reference: str | None,
    rng: np.random.Generator,
    **_: object,
) -> Ranking:
    """By the strengths, or mean abilities, of a model that is fitted with random numbers."""
    pass  # special functions take a while to load

    kept = counting.without(data, reference)
    train = counting.expand(kept) if rows else counting.counts(kept)
    systems = counting.counts(data).without(reference).systems
    model = MODELS[method](train, systems=systems, rng=rng)
    found = model.abilities["mean"] if rows else model.strengths
    note = "drawn at random: another seed gives slightly other scores"
    return rank_by_score(method, found.round(FIT_DIGITS), note=note)


def by_mean(
    campaign: Campaign, *, method: str, column: str, reference: str | None, **_: object
) -> Ranking:
    """By the means of segments' mean scores: column "score" (z-scores) or "raw"."""
    ranking = rank_systems(campaign)
    means = ranking.column(column).drop([] if reference is None else [reference])
    return rank_by_score(method, means.round(FIT_DIGITS), note=ranking.note)


# Every ranking method of this package by name, applied in one way.
#
# `rank` ranks the systems of comparisons (`Counts`, or a comparisons frame: see
# `wmtlib.counts`), or of a `Campaign`, by any of `METHODS`; `scores`
# scores many samples of the same comparisons at once, on which resampling and leaving out rest
# (`wmtlib.resampling`, `wmtlib.resampling`).
#
# **The reference**, if one was judged among the systems, is never ranked. Comparisons with it count
# for "wmt-official" alone (Lopez 2012, Eq. 1); for every other method they are left out. In a
# campaign of assessments its judgements enter the workers' scales and nothing else.


@dataclass(frozen=True)
class Method:
    """How a method is applied.

    Attributes
    ----------
    name, about : str
        `about` is one line for a list of methods.
    kind : "counts" or "assessments"
    rank : callable
        One of `ranking_functions`.
    random : bool
        Whether it draws random numbers.
    scores : callable or None
        From `ResampledCounts` to scores, (samples, systems), NaN for a system that cannot be
        scored; with the keywords start, rng and progress of `scores`.
    reference_counts : bool
        Whether comparisons with the reference count.
    rows : bool
        Whether it is fitted to single comparisons and their segments.
    """

    name: str
    about: str
    kind: str
    rank: Callable[..., Ranking] = field(repr=False)
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
        return chosen.rank(data, method=method, reference=reference, rng=rng, time_limit=time_limit)
    except DataError:
        raise
    except ValueError as error:
        raise DataError(f"{method}: {error}") from None


def scores(
    samples: ResampledCounts,
    method: str,
    *,
    reference: str | None,
    start: np.ndarray | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> np.ndarray:
    """Scores of all systems but the reference by one method, sample by sample.

    Parameters
    ----------
    samples : ResampledCounts
    method : str
        One that scores many samples at once: a heuristic scorer, a Bradley-Terry model, TrueSkill.
    reference : str or None
    start : ndarray of float64, (systems,), optional
        Where an iterative fit begins: the scores from all comparisons.
    rng : Generator, optional
        For TrueSkill, which shuffles the comparisons of every sample.
    progress : callable
        Is told the share that is done, by a method that takes long.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN where a system has no comparison that counts.
    """
    chosen = require(method, "counts")
    if chosen.scores is None:
        raise DataError(f"{method} does not score samples all at once")
    options = {"start": start, "rng": rng, "progress": progress}
    if not chosen.reference_counts:
        return chosen.scores(samples.without(reference), **options)
    found = chosen.scores(samples, **options)
    kept = [k for k, name in enumerate(samples.systems) if name != reference]
    return found[:, kept]


def kind_of(data: Counts | pd.DataFrame | Campaign) -> str:
    """Kind of the methods that apply: "counts" or "assessments"."""
    return "assessments" if isinstance(data, Campaign) else "counts"


def require(method: str, kind: str) -> Method:
    """The method of that name, if it applies to data of a kind."""
    fitting = ", ".join(name for name, m in METHODS.items() if m.kind == kind)
    if method not in METHODS:
        raise DataError(f"no method {method!r}; expected {fitting}")
    if METHODS[method].kind != kind:
        raise DataError(f"{method} does not rank {kind}; expected {fitting}")
    return METHODS[method]


def _check(data: Counts | pd.DataFrame | Campaign, reference: str | None) -> None:
    """Refuse an unknown reference, data without comparisons, and fewer than two systems."""
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


def _scorer(name: str, about: str) -> Method:
    formula = scorers.SCORERS[name]
    return Method(
        name,
        about,
        "counts",
        by_scorer,
        scores=lambda samples, **_: formula(*samples.matrices()),
        reference_counts=name in scorers.COUNTS_REFERENCE,
    )


def _bradley_terry(name: str, about: str, ties: str, prior: float = bradley_terry.PRIOR) -> Method:
    settings = {"ties": ties, "prior": prior}
    return Method(
        name,
        about,
        "counts",
        partial(by_strength, **settings),
        scores=lambda samples, start, **_: bradley_terry.resampled_strengths(
            samples, start, **settings
        ),
    )


def _random_model(name: str, about: str, *, rows: bool, **options: Callable) -> Method:
    ranking = partial(by_model, rows=rows)
    return Method(name, about, "counts", ranking, random=True, rows=rows, **options)


def _mean(name: str, about: str, column: str) -> Method:
    return Method(name, about, "assessments", partial(by_mean, column=column))


_METHODS = (
    _scorer("wmt-official", "share not lost (Eq. 1)"),
    _scorer("heuristic2", "share won (Eq. 2)"),
    _scorer("bojar", "wins over wins and losses (Eq. 3)"),
    _scorer("expected-wins", "chance to beat a random opponent"),
    _scorer("net-wins", "the same less the chance to lose"),
    _scorer("soccer", "share of points, a tie half a point"),
    Method("mfas", "order that contradicts fewest judgements, exact", "counts", by_mfas),
    _bradley_terry("bradley-terry", "Bradley-Terry with Davidson's ties", "davidson"),
    _bradley_terry("rao-kupper", "Bradley-Terry with Rao & Kupper's ties", "rao-kupper"),
    _bradley_terry("bradley-terry-half", "Bradley-Terry, a tie half a win, no prior", "half", 0.0),
    _random_model(
        "trueskill",
        "TrueSkill in one random order",
        rows=False,
        scores=lambda samples, start, **options: true_skill.resampled_skills(samples, **options),
    ),
    _random_model("irt-gaussian", "IRT, Gaussian qualities, by Gibbs sampling", rows=True),
    _random_model("irt-categorical", "IRT, discrete qualities, Gibbs", rows=True),
    _mean("z-score", "mean of segments' mean z-scores", "score"),
    _mean("raw-score", "mean of segments' mean raw scores", "raw"),
)
METHODS = {method.name: method for method in _METHODS}


def rank_segment_means(means: pd.DataFrame, *, note: str = "") -> Ranking:
    """Order systems by the mean of their segments' mean z-scores (section 3).

    Parameters
    ----------
    means : DataFrame
        As `segment_means` gives; columns system, raw, z, judgements.
    note : str
        Of the ranking.

    Returns
    -------
    Ranking
        Its score is the mean z-score; its table has the columns raw (mean of the segments' mean
        raw scores), segments and judgements too.
    """
    system, names = pd.factorize(means["system"], sort=True)
    segments = np.bincount(system)
    order, z = order_by_mean(system, means["z"].to_numpy(), len(names))
    table = pd.DataFrame(
        {
            "system": names,
            "rank": pd.Series(z).rank(method="min", ascending=False).astype(int),
            "score": z,
            "raw": np.bincount(system, means["raw"]) / segments,
            "segments": segments,
            "judgements": np.bincount(system, means["judgements"]).astype(np.int64),
        }
    )
    return Ranking("z-score", table.iloc[order].reset_index(drop=True), note)


def rank_systems(campaign: Campaign) -> Ranking:
    """`rank_segment_means` of a campaign; the note counts the workers that are left out."""
    number, _, sd = worker_scales(campaign)
    left_out = int(((number > 0) & (sd == 0)).sum())
    note = f"{left_out} worker(s) left out: no two different scores" if left_out else ""
    return rank_segment_means(segment_means(campaign), note=note)
