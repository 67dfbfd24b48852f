"""The one registry of methods: every ranking method and preference model by name."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from wmtlib import (
    bradley_terry,
    draws,
    errors,
    mfas,
    models,
    remarks,
    trueskill,
    zscores,
)
from wmtlib import counts as counting
from wmtlib.assessments import Campaign, encode
from wmtlib.bradley_terry import (
    PRIOR,
    ResampledCounts,
    resampled_strengths,
    sample_of_counts,
)
from wmtlib.counts import Counts, count
from wmtlib.draws import Seed
from wmtlib.errors import DataError, JudgementWarning
from wmtlib.ranking import Ranking, rank_by_score
from wmtlib.scorers import (
    bojar,
    expected_wins,
    heuristic2,
    net_wins,
    soccer,
    wmt_official,
)
from wmtlib.zscores import segment_means

Data: TypeAlias = Counts | pd.DataFrame | Campaign
FIT_DIGITS = 9  # decimals of numerical fits that do not depend on the processor
TASK_COLUMNS = (
    "task",
    "lp",
    "language_pair",
)  # of a frame: one task is ranked at a time
MINIMUM = 10  # comparisons, or scored segments, below which a system is thin
USUAL_METHODS = {
    "counts": ("expected-wins", "bradley-terry", "mfas"),
    "assessments": ("z-score", "raw-score"),
}


def rank(
    data: Any,
    method: str | None = None,
    *,
    reference: str | None = None,
    seed: Seed = 0,
    time_limit: float | None = None,
) -> Ranking:
    """Rank the systems by one method.

    Parameters
    ----------
    data : DataFrame, Counts, Campaign or Judgements
        Comparisons (see `counts.comparisons_of`), direct assessments (see
        `assessments.encode`), or what `wmtlib.read` returned. A column segment lets the
        item-response models know which outputs were compared more than once.
    method : str, optional
        Of `METHODS`; "expected-wins" for comparisons and "z-score" for assessments if
        not given.
    reference : str, optional
        The human reference, which is not ranked; see the head of this module.
    seed : int or Generator
        For the methods that draw random numbers.
    time_limit : float, optional
        Seconds after which "mfas" stops proving that its order is the best one.

    Raises
    ------
    DataError
        An unknown method or reference, a method for other data, no comparisons, or a
        system that the method cannot score.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": ["a", "tie", "a"]})
    >>> rank(votes, "bradley-terry").order
    ['x', 'y', 'z']
    """
    chosen = require(method, kind_of(data))
    judgements = method_data(data, rows=chosen.rows)
    counted: Any = judgements if chosen.kind == "assessments" else count(judgements)
    systems = counted.systems
    if (
        isinstance(counted, Counts)
        and not (counted.wins + counted.ties).to_numpy().any()
    ):
        raise DataError("no comparisons; expected one or more")
    if reference is not None and reference not in systems:
        raise DataError(f"no system {reference!r} to be the reference")
    if (left := len(systems) - (reference is not None)) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")
    if chosen.formula is not None:
        return rank_by_score(
            chosen.name, score(chosen.name, counted, reference=reference)
        )
    options = {
        "method": chosen.name,
        "rng": draws.generator(seed),
        "time_limit": time_limit,
    }
    return chosen.rank(judgements, reference, **options)


def ranking_methods() -> pd.DataFrame:
    """Every ranking method: its name, the kind of data it takes, and one line about it.

    Examples
    --------
    >>> ranking_methods().set_index("method").loc["mfas", "kind"]
    'counts'
    """
    rows = [(m.name, m.kind, m.about) for m in METHODS.values() if m.kind != "model"]
    return pd.DataFrame(rows, columns=["method", "kind", "about"])


def method_data(data: Any, *, rows: bool = True) -> Data:
    """Judgements as methods take them: a comparisons frame, `Counts` or a `Campaign`.

    Comparisons are counted unless their `rows` are needed. Frames, and what
    `wmtlib.read` returned, enter here: what may be misread in them is issued as
    `JudgementWarning`.
    """
    if isinstance(data, Counts | Campaign):
        return data
    is_frame = isinstance(data, pd.DataFrame)
    for column in (name for name in TASK_COLUMNS if is_frame and name in data):
        if len(tasks := data[column].unique()) > 1:
            fault = f"column {column!r} holds several tasks ({errors.listed(tasks, 3)})"
            raise DataError(
                f"{fault}; expected one: frame[frame[{column!r}] == {str(tasks[0])!r}]"
            )
    scored = kind_of(data) == "assessments"
    judgements = encode(data) if scored else counting.comparisons_of(data)
    counted: Any = (
        judgements if scored else count(judgements) if is_frame else data.counts
    )
    if is_frame:
        judge = "worker" if scored else "judge"
        judges = data[judge].unique() if judge in data else ()
        lines = remarks.remarks(counted.systems, judges, None if scored else counted)
        if {judge, "segment"} <= {*data} and (more := int(data.duplicated().sum())):
            lines += remarks.of_repeats(more, len(data), "rows", "in every column")
    else:
        lines = [*data.warnings]  # they were found when it was read
    if len(few := thin(counted)):
        lines += thin_warnings(few)
    for line in lines:
        warnings.warn(line, JudgementWarning, stacklevel=3)
    return judgements if rows else counted


def kind_of(data: Any) -> str:
    """Kind of the methods that apply: "counts" or "assessments"."""
    if isinstance(data, pd.DataFrame):
        return "assessments" if {"system", "score"} <= {*data} else "counts"
    scored = (
        isinstance(data, Campaign) or getattr(data, "assessments", None) is not None
    )
    return "assessments" if scored else "counts"


def require(method: str | None, kind: str) -> "Method":
    """The method of that name, if it applies to data of a kind; the usual one if it is None."""
    fitting = {name: chosen for name, chosen in METHODS.items() if chosen.kind == kind}
    method = method or USUAL_METHODS[kind][0]
    if method not in fitting:
        raise DataError(
            f"no method {method!r} ranks {kind}; expected {', '.join(fitting)}"
        )
    return fitting[method]


def thin(
    data: Any, *, minimum: int = MINIMUM, reference: str | None = None
) -> pd.Series:
    """Systems with fewer comparisons, or scored segments, than a minimum: how many, by system.

    Parameters
    ----------
    data
        As in `rank`.
    minimum : int
    reference : str, optional
        Comparisons with it do not count, and it is not named.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": [*"yyyyyyyyyyz"], "outcome": "a"})
    >>> thin(votes).to_dict()
    {'z': 1}
    """
    if kind_of(data) == "assessments":
        campaign = encode(data)
        number = np.bincount(campaign.cells.system, minlength=len(campaign.systems))
        judged = pd.Series(number, campaign.systems)
    else:
        counts = count(data) if reference is None else count(data).without(reference)
        judged = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    return judged[(judged < minimum) & (judged.index != reference)]


def thin_warnings(few: pd.Series) -> list[str]:
    """One line about thin systems, if there are any."""
    names = errors.listed([f"{name} ({number})" for name, number in few.items()])
    fault = (
        "too few comparisons or scored segments for an interval or a cluster of its own"
    )
    return [f"{fault}: {names}; the ranks of the others leave such systems out"] * (
        len(few) > 0
    )


def without_thin(
    data: Any, drop: Callable, *, minimum: int = MINIMUM, reference: str | None = None
) -> tuple[Any, list[str], bool]:
    """The judgements without thin systems, who those are, and whether two others are left.

    Under most scores one comparison with such a system would change the order of the
    others. If fewer than two others are left, the judgements stay as they are.

    Parameters
    ----------
    data, minimum, reference
        As in `thin`.
    drop : callable
        drop(data, names): the judgements without some systems. Others may be thin after
        that.
    """
    kept, warnings = data, []
    while len(few := thin(kept, minimum=minimum, reference=reference)):
        warnings += thin_warnings(few)
        if len(kept.systems) - len(few) - (reference is not None) < 2:
            return data, warnings, False
        kept = drop(kept, [*few.index])
    return kept, warnings, True


def scorable(
    data: Data, chosen: "Method", reference: str | None
) -> tuple[Data, list[str]]:
    """The judgements without the systems that a method cannot score, and the names of those."""
    if isinstance(data, Campaign):
        values = zscores.means_of_draw(
            data, np.ones(len(data.score), dtype=int), "score"
        )
        values = pd.Series(values, data.systems)
    elif chosen.scores is None or chosen.random:
        return data, []
    else:
        values = score(chosen.name, count(data), reference=reference)
    lost = [*values.index[values.isna()]]
    if not lost or len(lost) > len(values) - 2:
        return data, []
    if isinstance(data, Campaign):
        return data.without(lost, items=(), paired=False), lost
    fewer, more = scorable(counting.without(data, *lost), chosen, reference)
    return fewer, lost + more


def score(method: str, counts: Counts, *, reference: str | None) -> pd.Series:
    """Scores of the systems of a task by a method that has scores, without the reference.

    NaN for a system that is in no comparison that the score counts.
    """
    chosen = METHODS[method]
    if reference is not None and not chosen.reference_counts:
        counts = counts.without(reference)
    if chosen.formula is not None:
        values = chosen.formula(counts.wins.to_numpy(), counts.ties.to_numpy())
    else:
        (values,) = chosen.scores(sample_of_counts(counts), start=None, rng=None)
    system_scores = pd.Series(values, counts.systems)
    return system_scores[system_scores.index != reference]


def scores(
    samples: ResampledCounts,
    method: str,
    *,
    reference: str | None,
    start: np.ndarray | None = None,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Scores of all systems but the reference by one method, sample by sample.

    Parameters
    ----------
    samples : ResampledCounts
        Without the reference, unless comparisons with it count.
    method : str
        One that scores many samples at once: a heuristic scorer, a Bradley-Terry model,
        TrueSkill.
    reference : str or None
    start : ndarray of float64, (systems,), optional
        Where an iterative fit begins: the scores from all comparisons.
    rng : Generator, optional
        For TrueSkill, which shuffles the comparisons of every sample.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN where a system has no comparison that counts.
    """
    kept = [name != reference for name in samples.systems]
    return METHODS[method].scores(samples, start=start, rng=rng)[:, kept]


def _by_strength(
    counts: Counts,
    reference: str | None,
    *,
    method: str,
    ties: str,
    prior: float,
    **_: object,
) -> Ranking:
    """By Bradley-Terry strengths."""
    strengths = bradley_terry.strengths(
        counts.without(reference), ties=ties, prior=prior
    )
    prior_text = (
        f"; {prior:g} virtual comparisons of every system" if prior else ", no prior"
    )
    return rank_by_score(
        method, strengths.round(FIT_DIGITS), note=f"log strengths{prior_text}"
    )


def _by_mfas(
    counts: Counts, reference: str | None, *, time_limit: Any, **_: object
) -> Ranking:
    """By the order that contradicts the fewest judgements; no scores."""
    solution = mfas.exact_order(counts.without(reference).wins, time_limit=time_limit)
    order, cost, bound = [*solution.order], solution.cost, solution.lower_bound
    table = pd.DataFrame(
        {"system": order, "rank": np.arange(1, len(order) + 1), "score": np.nan}
    )
    ranges, orders = solution.rank_ranges, solution.optimal_orders
    table[["best_rank", "worst_rank"]] = (
        np.nan if ranges is None else ranges.loc[order].to_numpy()
    )
    note = f"proven least; optimal orders: {'too many to count' if orders is None else orders}"
    if not solution.optimal:
        note = f"not proven least: at least {bound} cannot be avoided, a gap of {cost - bound}"
    facts = {"violated_weight": cost, "lower_bound": bound, "optimal": solution.optimal}
    return Ranking("mfas", table, note, facts | {"optimal_orders": orders})


def mfas_scores(solution: mfas.MFAS) -> pd.Series:
    """Number of systems below each system less the number above it, in every optimal order.

    Of two systems, one that is above the other in every optimal order has the higher
    score. If the optimal orders are not known, the one order that was found stands for
    them.
    """
    if solution.agreed is None:
        size = len(solution.order)
        return pd.Series(
            range(size - 1, -size, -2), index=[*solution.order], dtype=float
        )
    return (solution.agreed.sum(axis=1) - solution.agreed.sum(axis=0)).astype(float)


def _by_model(
    data: Data, reference: str | None, *, method: str, rng: Any, **_: object
) -> Ranking:
    """By the strengths, or mean abilities, of a model that is fitted with random numbers."""
    kept, rows = counting.without(data, reference), METHODS[method].rows
    train = counting.expand(kept) if rows else count(kept)
    systems = count(data).without(reference).systems
    model = MODELS[method](train, systems=systems, rng=rng)
    strengths = model.abilities["mean"] if rows else model.strengths
    note = "drawn at random: another seed gives slightly other scores"
    return rank_by_score(method, strengths.round(FIT_DIGITS), note=note)


def _by_mean(
    campaign: Campaign, reference: str | None, *, method: str, column: str, **_: object
) -> Ranking:
    """By the means of segments' mean scores: column "score" (z-scores) or "raw"."""
    ranking = rank_systems(campaign)
    means = ranking.column(column).drop(reference or [])
    return rank_by_score(method, means.round(FIT_DIGITS), note=ranking.note)


def rank_systems(campaign: Campaign) -> Ranking:
    """`rank_segment_means` of a campaign; the note counts the workers that are left out."""
    number, _, sd = zscores.worker_scales(campaign)
    left_out = int(((number > 0) & (sd == 0)).sum())
    note = f"{left_out} worker(s) left out: no two different scores" if left_out else ""
    return rank_segment_means(segment_means(campaign), note=note)


def rank_segment_means(means: pd.DataFrame, *, note: str = "") -> Ranking:
    """Order systems by the mean of their segments' mean z-scores (Knowles 2021, section 3).

    Parameters
    ----------
    means : DataFrame
        As `segment_means` gives; columns system, raw, z, judgements.
    note : str
        Of the ranking.

    Returns
    -------
    Ranking
        Its score is the mean z-score; its table has the columns raw (mean of the
        segments' mean raw scores), segments and judgements too.
    """
    system, names = pd.factorize(means["system"], sort=True)
    segments = np.bincount(system)
    z, raw = (np.bincount(system, means[column]) / segments for column in ("z", "raw"))
    columns = {"raw": raw, "segments": segments}
    columns["judgements"] = np.bincount(system, means["judgements"]).astype(np.int64)
    ranking = rank_by_score("z-score", pd.Series(z, names), note=note)
    more = pd.DataFrame(columns, names)
    return replace(ranking, table=ranking.table.join(more, on="system"))


@dataclass(frozen=True)
class Method:
    """A ranking method, a preference model, or both.

    Attributes
    ----------
    name, title, about : str
        In tables, commands and code; in plots; one line for a list of methods.
    kind : "counts", "assessments" or "model"
        What it ranks; a "model" (Hopkins & May 2013) predicts comparisons and ranks
        nothing.
    formula : callable or None
        Of a heuristic score: see `wmtlib.scorers`.
    rank : callable or None
        rank(data, reference, *, method, rng, time_limit), from what `method_data`
        gives, if no formula does it.
    scores : callable or None
        From `ResampledCounts` to scores, (samples, systems), NaN for a system that
        cannot be scored; with the keywords start and rng of `scores`.
    model : callable or None
        fit(train, *, systems, rng): see `wmtlib.models`.
    random : bool
        Whether its ranking draws random numbers.
    stream : int
        Begins the random numbers of the model, so that no two models draw the same
        ones; fixed.
    reference_counts : bool
        Whether comparisons with the reference count.
    rows : bool
        Whether it is fitted to single comparisons and their segments.
    """

    name: str
    title: str
    about: str = ""
    kind: str = "counts"
    formula: Callable[..., np.ndarray] | None = field(default=None, repr=False)
    rank: Any = field(default=None, repr=False)
    scores: Any = field(default=None, repr=False)
    model: Any = field(default=None, repr=False)
    random: bool = False
    stream: int = 0
    reference_counts: bool = False
    rows: bool = False


def _scorer(name: str, title: str, about: str, formula: Any, stream: int = 0) -> Method:
    """A heuristic score; with a stream also as a preference model of two fitted parameters."""
    model = partial(models.from_scores, formula) if stream else None
    parts = {
        "formula": formula,
        "model": model,
        "reference_counts": formula is wmt_official,
    }
    parts["scores"] = lambda samples, **_: formula(*samples.matrices())
    return Method(name, title, about, stream=stream, **parts)


def _strength(
    name: str, variant: str, about: str, ties: str, prior: float = PRIOR
) -> Method:
    """Bradley-Terry; without a prior it ranks, but predicts nothing."""
    fitted: Any = {"ties": ties, "prior": prior}
    parts: Any = {"model": partial(bradley_terry.fit, ties=ties) if prior else None}
    parts["scores"] = lambda samples, start, **_: resampled_strengths(
        samples, start, **fitted
    )
    parts["rank"] = partial(_by_strength, **fitted)
    return Method(name, f"Bradley-Terry ({variant})", about, **parts)


def _irt(name: str, title: str, about: str, stream: int) -> Method:
    """An item-response model; one that is not told the segments is a model only."""
    unknown = name.endswith("segments-unknown")

    def model(train: pd.DataFrame, **options: Any) -> models.PreferenceModel:
        from wmtlib import irt  # what it loads takes longer than ranking a small file

        fit = irt.fit_categorical if name == "irt-categorical" else irt.fit_gaussian
        return fit(
            train.drop(columns="segment", errors="ignore") if unknown else train,
            **options,
        )

    kind, rank = ("model", None) if unknown else ("counts", _by_model)
    parts: Any = {"rank": rank, "model": model, "random": not unknown, "rows": True}
    return Method(name, title, about, kind, stream=stream, **parts)


def _students(reconstruction: str, title: str) -> Method:
    fit = partial(models.independent_students, reconstruction=reconstruction)
    return Method(
        f"independent-students-{reconstruction}", title, kind="model", model=fit
    )


def _mean(name: str, title: str, about: str, column: str) -> Method:
    return Method(
        name, title, about, kind="assessments", rank=partial(_by_mean, column=column)
    )


_ENTRIES = (
    _scorer(
        "wmt-official",
        "Lopez Eq. 1",
        "share not lost (Eq. 1)",
        wmt_official,
        87_875_026,
    ),
    _scorer(
        "heuristic2", "Lopez Eq. 2", "share won (Eq. 2)", heuristic2, 2_620_755_048
    ),
    _scorer(
        "bojar",
        "Lopez Eq. 3",
        "wins over wins and losses (Eq. 3)",
        bojar,
        3_945_970_942,
    ),
    _scorer(
        "expected-wins",
        "Expected Wins",
        "chance to beat a random opponent",
        expected_wins,
        2_701_954_285,
    ),
    _scorer("net-wins", "Net Wins", "the same less the chance to lose", net_wins),
    _scorer("soccer", "Soccer", "share of points, a tie half a point", soccer),
    Method(
        "mfas",
        "MFAS",
        "order that contradicts fewest judgements, exact",
        rank=_by_mfas,
        model=partial(models.from_scores, models.mfas_places),
        stream=657_121_541,
    ),
    _strength(
        "bradley-terry", "Davidson", "Bradley-Terry with Davidson's ties", "davidson"
    ),
    _strength(
        "rao-kupper",
        "Rao-Kupper",
        "Bradley-Terry with Rao & Kupper's ties",
        "rao-kupper",
    ),
    _strength(
        "bradley-terry-half",
        "ties half",
        "Bradley-Terry, a tie half a win, no prior",
        "half",
        0.0,
    ),
    Method(
        "trueskill",
        "TrueSkill",
        "TrueSkill in one random order",
        rank=_by_model,
        scores=lambda samples, start, rng: trueskill.resampled_skills(samples, rng=rng),
        model=trueskill.trueskill,
        random=True,
        stream=2_557_857_586,
    ),
    _irt(
        "irt-gaussian",
        "IRT-Gaussian",
        "IRT, Gaussian qualities, by Gibbs sampling",
        921_177_985,
    ),
    _irt(
        "irt-categorical",
        "IRT-Categorical",
        "IRT, discrete qualities, Gibbs",
        2_795_834_812,
    ),
    _irt(
        "irt-gaussian-segments-unknown",
        "IRT-Gaussian (segments unknown)",
        "",
        3_845_998_747,
    ),
    Method("uniform", "Uniform", kind="model", model=models.uniform),
    Method(
        "adjusted-uniform",
        "Adjusted Uniform",
        kind="model",
        model=models.adjusted_uniform,
    ),
    Method(
        "independent-pairs",
        "Independent Pairs",
        kind="model",
        model=models.independent_pairs,
    ),
    _students("asymmetric", "Asymmetric Students"),
    _students("arithmetic", "Arithmetic Students"),
    _students("geometric", "Geometric Students"),
    _students("geometric-as-printed", "Geometric Students (as printed)"),
    _mean("z-score", "Mean z-score", "mean of segments' mean z-scores", "score"),
    _mean("raw-score", "Mean raw score", "mean of segments' mean raw scores", "raw"),
)
METHODS = {method.name: method for method in _ENTRIES}
MODELS = {
    name: method.model for name, method in METHODS.items() if method.model is not None
}
SCORERS = {
    name: method.formula
    for name, method in METHODS.items()
    if method.formula is not None
}
_STUDIED = {  # variants of models, in notebook 23
    "bojar-places": "Lopez Eq. 3, places only",
    "irt-gaussian-fitted": "IRT-Gaussian (radius fitted)",
    "irt-gaussian-deterministic": "IRT-Gaussian (deterministic)",
    "irt-categorical-fitted": "IRT-Categorical (radius fitted)",
}


def title(name: str) -> str:
    """How plots and prose call a method; a name without a title is its own."""
    return METHODS[name].title if name in METHODS else _STUDIED.get(name, name)


def generator(name: str, *seed: int) -> np.random.Generator:
    """The generator of one model: its draws do not depend on the other models."""
    return np.random.default_rng(
        [*seed, METHODS[name].stream if name in METHODS else 0]
    )
