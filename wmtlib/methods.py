"""The one registry of methods: every ranking method and preference model by name.

A method is an entry of `METHODS`, which has all that the method can do: rank systems,
score many samples of the same comparisons, compare each two systems. Other modules ask
a method what it can do, and not what it is called. A new method is entered here and
nowhere else.

`rank` ranks the systems of comparisons, or of direct assessments, by one method.

**The reference**, if one was judged among the systems, is never ranked. Comparisons
with it count for "wmt-official" alone (Lopez 2012, Eq. 1); for every other method they
are left out. In a campaign of assessments its judgements enter the workers' scales and
nothing else.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from wmtlib import bradley_terry, mfas, models, scorers, trueskill, zscores
from wmtlib.core.assessments import Campaign, Data, leave_out
from wmtlib.core.counts import Counts, rows_of, upper_pairs, without
from wmtlib.core.errors import DataError, unknown
from wmtlib.core.moves import (
    Moves,
    Ratio,
    moves_of_fits,
    moves_of_ratios,
)
from wmtlib.core.ranking import Ranking, levels, rank_by_score
from wmtlib.core.sampling import ResampledCounts, Seed, generator, sample_of_counts
from wmtlib.files.checks import MINIMUM, thin_systems
from wmtlib.files.forms import NO_COMPARISONS, judged

Fit: TypeAlias = Callable[..., models.PreferenceModel]  # fit(train, *, systems, rng)
Formula: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]

FIT_DIGITS = 9  # decimals of numerical fits that do not depend on the processor
USUAL_METHODS = {
    "counts": ("expected-wins", "bradley-terry", "mfas"),
    "assessments": ("z-score", "raw-score"),
}
FEW_PER_PAIR = 20  # comparisons; with fewer it matters which opponents a system met


# --- what a method is -----------------------------------------------------------------


class Settings(NamedTuple):
    """Options of a ranking: the reference, the seed, and seconds for a search."""

    reference: str | None = None
    seed: Seed = 0
    time_limit: float | None = None


@dataclass(frozen=True)
class Method:
    """A ranking method, a preference model, or both.

    Attributes
    ----------
    name, title, about : str
        In tables, commands and code; in plots; one line for a list of methods.
    stream : int
        Begins the random numbers of the preference model, so that no two models draw
        the same ones; fixed. 0: it draws none.
    reference_counts : bool
        Whether comparisons with the reference count.
    sided : bool
        Whether it estimates an advantage of the system shown first, which counts
        forget.
    column : str
        Of direct assessments: what is averaged, "score" (z-scores) or "raw".
    kind : "counts", "assessments" or "model"
        What it ranks; a "model" (Hopkins & May 2013) predicts comparisons and ranks
        nothing.
    random : bool
        Whether its ranking draws random numbers.
    timed : bool
        Whether it heeds a time limit.
    """

    name: str
    title: str
    about: str
    _: KW_ONLY
    stream: int = 0
    reference_counts: bool = False
    column: str = ""

    # The same for all methods of a class: no annotation, so no field.
    kind = "counts"
    random = False
    sided = False
    timed = False
    note = ""  # of its rankings

    @property
    def model(self) -> Fit | None:
        """Return its preference model, if it has one; see the head of `models`."""
        return None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Return the range of its scores; None: any number."""
        return None

    @property
    def needs_workers(self) -> bool:
        """Tell whether it scores by the scales of the workers."""
        return self.column == "score"

    def values(self, data: Any, settings: Settings) -> pd.Series:
        """Score the systems, without the reference; NaN for one that has no score."""
        raise NotImplementedError

    def rank(self, data: Any, settings: Settings) -> Ranking:
        """Rank comparisons as they were shown if `sided`, else what is counted."""
        return rank_by_score(self.name, self.values(data, settings), note=self.note)

    def signs(self, data: Any, order: list[str], settings: Settings) -> pd.DataFrame:
        """Compare all systems: 1 if the row's is above the column's, -1 below, 0 else.

        Both axes are in the given order. 0: tied, or one of the two has no score, where
        `rank` would refuse it.
        """
        return _signs(self.values(data, settings)[order])

    def moves(self, data: Any) -> Moves | None:
        """Find how scores move without a judge, or an item; None: it is not known.

        Parameters
        ----------
        data : ComparisonRows, Counts or Campaign
            Without the reference, unless comparisons with it count.
        """
        return None

    def sample_scores(self, samples: ResampledCounts, **options: Any) -> np.ndarray:
        """Score all systems, sample by sample.

        Parameters
        ----------
        samples : ResampledCounts
        **options
            All methods get these and ignore what they do not use: `start`, ndarray
            of float64, (systems,), where an iterative fit begins: the scores from all
            comparisons; `rng`, a Generator for a method that draws random numbers;
            `time_limit`, seconds for a sample.

        Returns
        -------
        ndarray of float64, (samples, systems)
            NaN for a system that cannot be scored.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Score(Method):
    """A heuristic score; with a stream also a preference model of two parameters.

    `formula` goes from wins and ties to scores: see `wmtlib.scorers`; `ratio` is the
    same as a ratio of sums, if it is one.
    """

    formula: Formula = field(repr=False)
    ratio: Ratio | None = field(default=None, repr=False)

    @property
    def bounds(self) -> tuple[float, float] | None:
        return self.ratio and self.ratio.bounds

    def moves(self, data: Any) -> Moves:
        if self.ratio:
            return moves_of_ratios(data, self.ratio)
        rows = rows_of(data)

        def fit(stay: np.ndarray) -> np.ndarray:
            counts = rows.select(stay).counted
            return self.formula(counts.wins.to_numpy(), counts.ties.to_numpy())

        return moves_of_fits(rows, fit)

    @property
    def model(self) -> Fit | None:
        return partial(models.from_scores, self.formula) if self.stream else None

    def values(self, data: Counts, settings: Settings) -> pd.Series:
        reference = settings.reference
        if reference is not None and not self.reference_counts:
            data = data.without(reference)
        system_scores = self.formula(data.wins.to_numpy(), data.ties.to_numpy())
        by_system = pd.Series(system_scores, data.wins.index)
        return by_system[by_system.index != reference]

    def sample_scores(self, samples: ResampledCounts, **_: Any) -> np.ndarray:
        return self.formula(*samples.matrices())


@dataclass(frozen=True)
class Strength(Method):
    """Bradley-Terry strengths, which allow for the opponents that a system met.

    Without a prior it ranks, but predicts nothing.
    """

    _: KW_ONLY
    ties: str = "davidson"
    prior: float = bradley_terry.PRIOR
    sided: bool = False

    @property
    def model(self) -> Fit | None:
        if self.sided or not self.prior:
            return None
        return partial(bradley_terry.fit, ties=self.ties)

    def moves(self, data: Any) -> Moves:
        return bradley_terry.moves_of_strengths(
            data, ties=self.ties, prior=self.prior, sided=self.sided
        )

    def values(self, data: Any, settings: Settings) -> pd.Series:
        compared = without(data, settings.reference)
        sample = sample_of_counts(compared, sided=self.sided)
        (strengths,) = self.sample_scores(sample)
        return pd.Series(strengths, sample.systems)

    def rank(self, data: Any, settings: Settings) -> Ranking:
        strengths = bradley_terry.strengths(
            without(data, settings.reference),
            ties=self.ties,
            prior=self.prior,
            sided=self.sided,
        )
        note = "log strengths, no prior"
        if self.prior:
            note = f"log strengths; {self.prior:g} virtual comparisons of every system"
        return rank_by_score(self.name, strengths.round(FIT_DIGITS), note=note)

    def sample_scores(
        self, samples: ResampledCounts, start: np.ndarray | None = None, **_: Any
    ) -> np.ndarray:
        return bradley_terry.resampled_strengths(
            samples, ties=self.ties, prior=self.prior, start=start
        )


class Order(Method):
    """The order that contradicts the fewest judgements; it has no scores."""

    timed = True

    @property
    def model(self) -> Fit:
        return partial(models.from_scores, models.mfas_places)

    def solution(self, data: Counts, settings: Settings) -> mfas.MFAS:
        """Find the order, without the reference."""
        counts = data.without(settings.reference)
        return mfas.exact_order(counts, time_limit=settings.time_limit)

    def rank(self, data: Counts, settings: Settings) -> Ranking:
        solution = self.solution(data, settings)
        order = [*solution.order]
        table = pd.DataFrame(
            {"system": order, "rank": np.arange(1, len(order) + 1), "score": np.nan}
        )
        ranges = solution.rank_ranges
        table[["best_rank", "worst_rank"]] = (
            np.nan if ranges is None else ranges.loc[order].to_numpy()
        )
        facts = {
            "violated_weight": solution.cost,
            "lower_bound": solution.lower_bound,
            "optimal": solution.optimal,
            "optimal_orders": solution.optimal_orders,
        }
        return Ranking(self.name, table, _note_on_proof(solution), facts)

    def signs(self, data: Counts, order: list[str], settings: Settings) -> pd.DataFrame:
        solution = self.solution(data, settings)
        if solution.agreed is None:
            return _signs(mfas_scores(solution)[order])
        above = solution.agreed.loc[order, order].astype(int)
        return above - above.T

    def sample_scores(
        self, samples: ResampledCounts, time_limit: float | None = None, **_: Any
    ) -> np.ndarray:
        names = [*samples.systems]
        scores = []
        for won in samples.matrices()[0].astype(np.int64):
            table = pd.DataFrame(won, names, names)
            solution = mfas.exact_order(table, time_limit=time_limit)
            scores.append(mfas_scores(solution)[names])
        return np.array(scores)


@dataclass(frozen=True)
class Mean(Method):
    """The mean of segments' mean scores, of direct assessments."""

    kind = "assessments"

    def moves(self, data: Campaign) -> Moves:
        return zscores.moves_of_means(data, self.column)

    def values(self, data: Campaign, settings: Settings) -> pd.Series:
        once = np.ones(len(data.score), dtype=int)
        means = zscores.means_of_draw(data, once, self.column)
        return pd.Series(means, data.systems).drop(settings.reference or [])

    def rank(self, data: Campaign, settings: Settings) -> Ranking:
        scores = zscores.scores_of(data, self.column)
        zscores.usable_cells(data, scores)  # refuses systems without one
        note = ""
        if self.needs_workers:
            number, _, sd = zscores.worker_scales(data)
            left_out = np.sum((number > 0) & (sd == 0))
            if left_out:
                note = f"{left_out} worker(s) left out: no two different scores"
        means = self.values(data, settings).round(FIT_DIGITS)
        return rank_by_score(self.name, means, note=note)


@dataclass(frozen=True)
class Model(Method):
    """A preference model that ranks nothing (Hopkins & May 2013)."""

    fit: Fit = field(repr=False)

    kind = "model"

    @property
    def model(self) -> Fit:
        return self.fit


class TrueSkill(Method):
    """TrueSkill in one random order."""

    random = True
    note = "drawn at random: another seed gives slightly other scores"

    @property
    def model(self) -> Fit:
        return trueskill.trueskill

    def values(self, data: Counts, settings: Settings) -> pd.Series:
        compared = data.without(settings.reference)
        fitted = trueskill.trueskill(
            compared, systems=compared.systems, rng=generator(settings.seed)
        )
        return fitted.strengths.round(FIT_DIGITS)

    def signs(self, data: Any, order: list[str], settings: Settings) -> pd.DataFrame:
        # What cannot be ranked is refused: its scores would be random alone.
        return _signs(-ranked(self, data, settings).ranks[order])

    def moves(self, data: Any) -> Moves:
        return moves_of_fits(data, trueskill.in_one_order(rows_of(data), generator(0)))

    def sample_scores(
        self, samples: ResampledCounts, rng: Seed = 0, **_: Any
    ) -> np.ndarray:
        wins, ties = samples.matrices()
        seen = np.stack([ties, wins, wins.swapaxes(1, 2)], axis=-1).astype(int)
        rng = generator(rng)
        scores = []
        for of_sample in map(upper_pairs, seen):
            fitted = trueskill.trueskill(of_sample, systems=samples.systems, rng=rng)
            scores.append(fitted.strengths)
        return np.where(samples.met(), scores, np.nan)


def _signs(values: pd.Series) -> pd.DataFrame:
    """Compare values: 1 if the row's is above the column's, -1 below, 0 else."""
    level = levels(values.to_numpy())
    above = np.greater.outer(level, level).astype(int)
    return pd.DataFrame(above - above.T, values.index, values.index)


def _note_on_proof(solution: mfas.MFAS) -> str:
    """Say if the order is proven, and how many others are as good."""
    if not solution.optimal:
        bound = solution.lower_bound
        gap = solution.cost - bound
        return f"not proven least: at least {bound} cannot be avoided, a gap of {gap}"
    orders = solution.optimal_orders
    number = "too many to count" if orders is None else orders
    return f"proven least; optimal orders: {number}"


def mfas_scores(solution: mfas.MFAS) -> pd.Series:
    """Count systems below each system less those above it, in every optimal order.

    Of two systems, one that is above the other in every optimal order has the higher
    score. If the optimal orders are not known, the one order that was found is taken
    for them.
    """
    agreed = solution.agreed
    if agreed is None:
        size = len(solution.order)
        return pd.Series(range(size - 1, -size, -2), [*solution.order], dtype=float)
    return (agreed.sum(axis=1) - agreed.sum(axis=0)).astype(float)


# --- the registry ---------------------------------------------------------------------


def _students(reconstruction: str, title: str) -> Model:
    name = f"independent-students-{reconstruction}"
    fit = partial(models.independent_students, reconstruction=reconstruction)
    return Model(name, title, "", fit)


_ENTRIES: tuple[Method, ...] = (
    Score(
        "wmt-official",
        "Lopez Eq. 1",
        "share not lost (Eq. 1)",
        scorers.wmt_official,
        Ratio((1, 1, 0), (1, 1, 1)),
        reference_counts=True,
        stream=87_875_026,
    ),
    Score(
        "heuristic2",
        "Lopez Eq. 2",
        "share won (Eq. 2)",
        scorers.heuristic2,
        Ratio((0, 1, 0), (1, 1, 1)),
        stream=2_620_755_048,
    ),
    Score(
        "bojar",
        "Lopez Eq. 3",
        "wins over wins and losses (Eq. 3)",
        scorers.bojar,
        Ratio((0, 1, 0), (0, 1, 1)),
        stream=3_945_970_942,
    ),
    Score(
        "expected-wins",
        "Expected Wins",
        "chance to beat a random opponent",
        scorers.expected_wins,
        Ratio((0, 1, 0), (0, 1, 1), by_pair=True),
        stream=2_701_954_285,
    ),
    Score(
        "net-wins",
        "Net Wins",
        "the same less the chance to lose",
        scorers.net_wins,
        Ratio((0, 1, -1), (1, 1, 1), by_pair=True),
    ),
    Score(
        "soccer",
        "Soccer",
        "share of points, a tie half a point",
        scorers.soccer,
        Ratio((0.5, 1, 0), (1, 1, 1)),
    ),
    Order(
        "mfas",
        "MFAS",
        "order that contradicts fewest judgements, exact",
        stream=657_121_541,
    ),
    Strength(
        "bradley-terry",
        "Bradley-Terry (Davidson)",
        "Bradley-Terry with Davidson's ties",
    ),
    Strength(
        "bradley-terry-side",
        "Bradley-Terry (side)",
        "Bradley-Terry with an advantage of the system shown first",
        sided=True,
    ),
    Strength(
        "rao-kupper",
        "Bradley-Terry (Rao-Kupper)",
        "Bradley-Terry with Rao & Kupper's ties",
        ties="rao-kupper",
    ),
    Strength(
        "bradley-terry-half",
        "Bradley-Terry (ties half)",
        "Bradley-Terry, a tie half a win, no prior",
        ties="half",
        prior=0.0,
    ),
    TrueSkill(
        "trueskill",
        "TrueSkill",
        "TrueSkill in one random order",
        stream=2_557_857_586,
    ),
    Model("uniform", "Uniform", "", models.uniform),
    Model("adjusted-uniform", "Adjusted Uniform", "", models.adjusted_uniform),
    Model("independent-pairs", "Independent Pairs", "", models.independent_pairs),
    _students("asymmetric", "Asymmetric Students"),
    _students("arithmetic", "Arithmetic Students"),
    _students("geometric", "Geometric Students"),
    Mean(
        "z-score",
        "Mean z-score",
        "mean of segments' mean z-scores",
        column="score",
    ),
    Mean(
        "raw-score", "Mean raw score", "mean of segments' mean raw scores", column="raw"
    ),
)
METHODS = {method.name: method for method in _ENTRIES}
MODELS = {method.name: method.model for method in _ENTRIES if method.model is not None}
SCORERS = {
    method.name: method.formula for method in _ENTRIES if isinstance(method, Score)
}


def title(name: str) -> str:
    """Return the name of a method in plots and prose; its own if it has no title."""
    return METHODS[name].title if name in METHODS else name


def model_generator(name: str, *seed: int) -> np.random.Generator:
    """Make the generator of one model: its draws do not depend on the other models."""
    stream = METHODS[name].stream if name in METHODS else 0
    return np.random.default_rng([*seed, stream])


def ranking_methods() -> pd.DataFrame:
    """List the ranking methods: name, the kind of data that each takes, one line on it.

    Examples
    --------
    >>> ranking_methods().set_index("method").loc["mfas", "kind"]
    'counts'
    """
    rows = [(m.name, m.kind, m.about) for m in METHODS.values() if m.kind != "model"]
    return pd.DataFrame(rows, columns=["method", "kind", "about"])


def require(name: str, kind: str) -> Method:
    """Return the method of a name, if it ranks data of a kind."""
    chosen = METHODS.get(name)
    if chosen is None or chosen.kind != kind:
        fitting = [each.name for each in METHODS.values() if each.kind == kind]
        raise unknown(f"method for {kind}", name, fitting)
    return chosen


def usual(data: Counts | Campaign, reference: str | None = None) -> list[str]:
    """Return the names of the usual methods for judgements; the first one leads.

    Those that adjust for opponents come first where a share of wins depends on which
    opponents a system met: see `Counts.per_pair`. Of scores whose workers are not
    known, those that need them are left out.
    """
    names = [*USUAL_METHODS[data.kind]]
    if _hides_workers(data):
        names = [name for name in names if not METHODS[name].needs_workers]
    if isinstance(data, Counts) and data.without(reference).per_pair < FEW_PER_PAIR:
        names.sort(key=lambda name: not isinstance(METHODS[name], Strength))
    return names


def _hides_workers(data: Counts | Campaign) -> bool:
    """Tell scores whose workers are not known: all have one name, which is ""."""
    return isinstance(data, Campaign) and data.workers == ("",)


# --- ranking --------------------------------------------------------------------------


def rank(
    data: Any,
    method: str | None = None,
    *,
    reference: str | None = None,
    seed: Seed = 0,
    time_limit: float | None = None,
    minimum: int = MINIMUM,
) -> Ranking:
    """Rank the systems by one method.

    Thin systems of a frame, or of what was read, are named in the note and left out, as
    the command does; if fewer than two others are left, all are ranked.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements, Counts or Campaign
        Comparisons, rankings or direct assessments; a path and a frame are read as by
        `wmtlib.read`, which takes what they do not declare.
    method : str, optional
        Of `wmtlib.ranking_methods`; if not given, "expected-wins" or "bradley-terry"
        for comparisons, "z-score" for assessments.
    reference : str, optional
        The human reference, which is not ranked. Comparisons with it count for
        "wmt-official" alone; scores of it count for the workers' scales.
    seed : int or Generator
        For the methods that draw random numbers.
    time_limit : float, optional
        Seconds after which "mfas" stops proving that its order is the best one.
    minimum : int
        Comparisons, or scores, below which a system is thin.

    Raises
    ------
    DataError
        What `wmtlib.read` refuses or asks about, an unknown method or reference, a
        method for other data, no comparisons, or a system that the method cannot score.

    Examples
    --------
    >>> outcomes = ["a", "tie", "a"]
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": outcomes})
    >>> rank(votes, "bradley-terry").order
    ['x', 'y', 'z']
    """
    _, chosen, judgements, lines = without_thin(data, method, reference, minimum)
    ranking = ranked(chosen, judgements, Settings(reference, seed, time_limit))
    note = "; ".join(filter(None, [ranking.note, *lines]))
    return replace(ranking, note=note)


def without_thin(
    data: Any, method: str | None, reference: str | None, minimum: int
) -> tuple[Data, Method, Data, list[str]]:
    """Leave out thin systems, but of counts and campaigns; choose the method then.

    Returns
    -------
    rows, chosen, judgements
        As `taken`.
    lines : list of str
        Warnings of what is left out.
    """
    rows, chosen, judgements = taken(data, method, reference, stacklevel=5)
    if isinstance(data, Counts | Campaign):
        return rows, chosen, judgements, []
    names, lines, _ = thin_systems(
        rows.counted, minimum=minimum, reference=reference, score=chosen.column
    )
    if names:
        rows = leave_out(rows, names, paired=True)
        rows, chosen, judgements = taken(rows, method, reference)
    return rows, chosen, judgements, lines if names else []


def taken(
    data: Any, method: str | None, reference: str | None, *, stacklevel: int = 4
) -> tuple[Data, Method, Data]:
    """Check judgements, and choose the method, of the caller's public function.

    Returns
    -------
    rows : ComparisonRows, Counts or Campaign
        As `forms.judged` gives them.
    chosen : Method
    judgements : ComparisonRows, Counts or Campaign
        What the method takes of them: rows, or what is counted.
    """
    score = METHODS[method].column if method in METHODS else "z"
    rows = judged(data, score=score, stacklevel=stacklevel)
    kind = rows.counted.kind
    chosen = require(method or usual(rows.counted, reference)[0], kind)
    if chosen.needs_workers and _hides_workers(rows.counted):
        raise DataError(f"{chosen.name} needs workers, and no column names them")
    return rows, chosen, rows if chosen.sided else rows.counted


def ranked(chosen: Method, judgements: Data, settings: Settings) -> Ranking:
    """Rank by one method what `Method.rank` takes, thin systems included.

    Raises
    ------
    DataError
        What `rank` refuses.
    """
    counted = judgements.counted
    if isinstance(counted, Counts) and not counted.comparisons:
        raise DataError(NO_COMPARISONS)
    reference = settings.reference
    if reference is not None and reference not in judgements.systems:
        raise unknown("system", reference, judgements.systems)
    number = len(judgements.systems) - (reference is not None)
    if number < 2:
        raise DataError(f"{number} system(s) to rank; expected two or more")
    return chosen.rank(judgements, settings)


def rank_segment_means(means: pd.DataFrame) -> Ranking:
    """Order systems by the mean of segments' mean z-scores (Knowles 2021, section 3).

    Parameters
    ----------
    means : DataFrame
        As `segment_means` gives; columns system, raw, z, judgements.

    Returns
    -------
    Ranking
        Its score is the mean z-score; its table has the columns raw (mean of the
        segments' mean raw scores), segments and judgements too.
    """
    system, names = pd.factorize(means["system"], sort=True)
    segments = np.bincount(system)
    z = np.bincount(system, means["z"]) / segments
    ranking = rank_by_score("z-score", pd.Series(z, names))
    columns = {
        "raw": np.bincount(system, means["raw"]) / segments,
        "segments": segments,
        "judgements": np.bincount(system, means["judgements"]).astype(np.int64),
    }
    table = ranking.table.join(pd.DataFrame(columns, names), on="system")
    return replace(ranking, table=table)


# --- scores ---------------------------------------------------------------------------


def scorable(data: Any, chosen: Method, reference: str | None) -> tuple[Any, list[str]]:
    """Leave out systems that a method cannot score; return their names, too."""
    if chosen.timed or chosen.random:  # these place every system
        return data, []
    left_out: list[str] = []
    while True:  # without some, others may have no comparison left that counts
        needed = data if chosen.sided else data.counted
        values = chosen.values(needed, Settings(reference))
        lost = values.index[values.isna()]
        if not 0 < len(lost) < len(values) - 1:
            return data, left_out
        left_out.extend(lost)
        data = leave_out(data, lost)


def score(method: str, counts: Counts, *, reference: str | None) -> pd.Series:
    """Score the systems of a task by a method that has scores.

    The reference has none. NaN for a system that is in no comparison that the score
    counts.
    """
    return METHODS[method].values(counts, Settings(reference))
