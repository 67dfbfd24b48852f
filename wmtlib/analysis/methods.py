"""Every ranking method of this package by name, applied in one way.

`rank` ranks the systems of comparisons (`Counts`, or a comparisons frame: see
`wmtlib.judgements.counting`), or of a `Campaign`, by any of `METHODS`; `scores`
scores many samples of the same comparisons at once, on which resampling and leaving out rest
(`wmtlib.analysis.bootstrap`, `wmtlib.analysis.leave_one_out`).

**The reference**, if one was judged among the systems, is never ranked. Comparisons with it count
for "wmt-official" alone (Lopez 2012, Eq. 1); for every other method they are left out. In a
campaign of assessments its judgements enter the workers' scales and nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.analysis.ranking_functions import by_mean, by_mfas, by_model, by_scorer, by_strength
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import bradley_terry, true_skill
from wmtlib.preference.resampled_counts import ResampledCounts
from wmtlib.tournament import scorers


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
