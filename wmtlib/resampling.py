"""The bootstrap: intervals of ranks and scores from resampled judgements.

`bootstrap` ranks samples of the judgements, drawn with replacement. Its intervals are
right only if the unit that it draws is the unit of collection.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.core.assessments import Campaign
from wmtlib.core.counts import COMPARISON, one_way
from wmtlib.core.errors import DataError, join_names, warning
from wmtlib.core.html_tables import TabledSystems
from wmtlib.core.ranking import Ranking, levels
from wmtlib.core.sampling import (
    Resampler,
    Seed,
    Task,
    blocks,
    by_workers,
    generator,
    resampler,
)
from wmtlib.core.units import usual_units
from wmtlib.files import checks
from wmtlib.files.checks import LEFT_OUT, MINIMUM, thin_warning
from wmtlib.methods import FIT_DIGITS, Method, Settings
from wmtlib.zscores import bootstrap_means, occurrences

COVERAGE = 0.95  # of the intervals
FEW_UNITS = 20  # units below which a bootstrap is rough
ENDS = ["rank_low", "rank_high", "score_low", "score_high"]


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapResult(TabledSystems):
    """Scores of resampled judgements, and intervals of ranks and scores from them.

    In a sample in which a system does not occur, the others keep their order with it.

    Attributes
    ----------
    ranking : Ranking
        From all judgements.
    sample_scores : DataFrame, samples x systems
        NaN where a sample has nothing to score a system by, and of thin systems.
    unit : str
        The unit that was drawn: comparison, judge, segment, ranking, hit, worker or
        document.
    n_units : int
        Number of units in the data, and in each sample.
    occurrences : Series, by system
        In how many units each system occurs.
    thin : Series, by system
        Comparisons, or scores, of the systems that have too few of them. They have no
        interval, and no part in the ranks of the others.
    one_way : tuple of str
        Systems that never lost, or never won. It is the same in every sample, so that
        samples say nothing of how good, or how bad, they may be: they have no interval.
    """

    ranking: Ranking
    sample_scores: pd.DataFrame
    unit: str
    n_units: int
    occurrences: pd.Series
    thin: pd.Series
    one_way: tuple[str, ...]

    @property
    def n_resamples(self) -> int:
        """Return the number of samples."""
        return len(self.sample_scores)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Compute intervals of ranks and scores, in the order of the ranking.

        Columns system, rank, score, rank_low, rank_high, score_low, score_high: the
        central range that holds `COVERAGE` of the samples; of systems in few units it
        holds more of them (see `_ends`). Scores are NaN for mfas.

        Ranks are those among the systems that are not thin; tied systems hold all ranks
        of their group. A range always holds the ranks that the full ranking leaves
        open.
        """
        order = self.ranking.order
        full = self.ranking.without(self.thin.index)
        place = full.ranks.reindex(order).to_numpy(float)
        ranges = full.rank_ranges
        value = levels(self.sample_scores[order].to_numpy())
        known = ~np.isnan(value)  # never of thin systems
        rows = pd.DataFrame(np.nan, order, ENDS).assign(rank=place)
        for k, name in enumerate(order):
            if name in self.one_way or not known[:, k].any():
                continue
            ends = self._ends(name)
            # An absent system keeps the order with this one of the full ranking.
            lead = np.where(known, value - value[:, [k]], place[k] - place)[known[:, k]]
            above = (lead > 0).sum(axis=1)
            tied = (lead == 0).sum(axis=1)
            low = np.quantile(above + 1, ends[0], method="inverted_cdf")
            high = np.quantile(above + tied, ends[1], method="inverted_cdf")
            best, worst = ranges.loc[name]
            rows.loc[name, ENDS] = [
                np.fmin(low, best),
                np.fmax(high, worst),
                *self.sample_scores[name].quantile(ends),
            ]
        table = self.ranking.table[["system", "score"]].join(rows, on="system")
        # mfas has no scores.
        table.loc[table["score"].isna(), ["score_low", "score_high"]] = np.nan
        whole = dict.fromkeys(["rank", "rank_low", "rank_high"], "Int64")
        return table[["system", "rank", "score", *ENDS]].astype(whole)

    def _ends(self, name: str) -> list[float]:
        """Compute the shares of the samples below the ends of a system's interval.

        A percentile bootstrap of few units is too sure. As of a t interval, the
        quantile is that of Student's t with n - 1 degrees of freedom, for the spread
        comes from n units; and as of Wilson's interval it is longer by sqrt(1 + t^2 /
        n), for shares spread more where systems are equal than where they are apart.
        """
        from scipy import special

        tail = (1 - COVERAGE) / 2
        n = self.occurrences[name]
        if n < 2:
            return [0.0, 1.0]
        t = special.stdtrit(n - 1, tail)
        tail = special.ndtr(t * np.sqrt(1 + t**2 / n))
        return [tail, 1 - tail]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warn in one line each."""
        lines = []
        if len(self.thin):
            lines.append(thin_warning(self.thin, LEFT_OUT))
        if self.n_units < FEW_UNITS and self.unit != COMPARISON:
            few = (
                f"only {self.n_units} {self.unit}s: take the intervals as rough, or ask"
            )
            lines.append(warning("few_units", f"{few} {FEW_UNITS} or more"))
        if self.one_way:
            fault = (
                f"{join_names(self.one_way)}: nothing but wins, or nothing but losses,"
                " in every sample: no interval (rank_sets gives one)"
            )
            lines.append(warning("open_interval", fault))
        absent = self.sample_scores.drop(columns=self.thin.index).isna().sum()
        absent = absent[absent > 0]
        if len(absent):
            samples = f"up to {absent.max()} of {self.n_resamples} samples"
            fault = (
                f"{samples} have nothing to score some systems by, and say nothing of"
                f" them: {join_names(absent.index)}"
            )
            lines.append(warning("unscored_in_samples", fault))
        return tuple(lines)

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        drawn = f"{self.n_resamples} resamples of {self.n_units} {self.unit}s"
        return f"{self.ranking.method}, {drawn}: {COVERAGE:.0%} intervals"


def bootstrap(
    data: Any,
    method: str | None = None,
    *,
    unit: str | None = None,
    n_resamples: int = 1000,
    reference: str | None = None,
    seed: Seed = 0,
    minimum: int = MINIMUM,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> BootstrapResult:
    """Compute intervals of ranks and scores from judgements drawn with replacement.

    Counts are sufficient: no judgement is written out. Samples of single comparisons
    are multinomial counts. A sample of units is a vector (how often each unit was
    drawn) times a sparse matrix (the counts of each unit). Scores of several samples
    are computed at once, but by mfas and TrueSkill, and Bradley-Terry starts from the
    fit to all comparisons. Under `joblib.parallel_config` workers do it, to the same
    bytes.

    Parameters
    ----------
    data, method, reference, seed
        As `wmtlib.rank` takes them.
    unit : str
        What is drawn as a whole, the unit of collection: "comparison", or a unit column
        of the frame: "judge", "segment", "ranking"; of assessments "hit", "worker",
        "document" or "segment". By default the largest kind of judges of whom there are
        enough, or else of items, or else "comparison" ("segment" of assessments).
    n_resamples : int
    minimum : int
        Comparisons, or scores, below which a system is thin: it gets no interval.
    time_limit : float, optional
        Seconds for each sample's mfas.
    progress : callable
        Called with the completed share (0 to 1).

    Raises
    ------
    DataError
        What `rank` refuses, an unknown unit or fewer than two of them, or fewer than
        two resamples.

    Examples
    --------
    >>> votes = {"a": "x", "b": "y", "outcome": [*"aaaabbbbab"], "judge": range(10)}
    >>> votes = pd.DataFrame(votes)
    >>> result = bootstrap(votes, unit="judge", n_resamples=100)
    >>> result.table[["system", "rank_low", "rank_high"]].to_numpy().tolist()
    [['x', 1, 2], ['y', 1, 2]]
    """
    judgements, chosen, needed = methods.taken(data, method, reference)
    if n_resamples < 2:
        raise DataError(f"{n_resamples} resample(s); expected two or more")
    rng = generator(seed)
    column = chosen.column
    single = "segment" if isinstance(judgements, Campaign) else COMPARISON
    unit = unit or [*usual_units(judgements).kinds, single][0]
    ranking = methods.ranked(chosen, needed, Settings(reference, rng, time_limit))
    uncounted = None if chosen.reference_counts else reference
    unbeaten: list[str] = []
    if isinstance(judgements, Campaign):
        systems = judgements.systems
        _, n_units = judgements.units(unit)
        seen = occurrences(judgements, unit, column)
        values = bootstrap_means(
            judgements, unit=unit, n_resamples=n_resamples, rng=rng, column=column
        )
    else:
        units = resampler(judgements, uncounted, unit, sided=chosen.sided)
        systems = units.whole.systems
        n_units = units.units
        seen = pd.Series(units.occurrences(), systems)
        values = _sampled_scores(
            units,
            chosen,
            n_resamples,
            rng,
            progress,
            start=ranking.scores.reindex(systems).to_numpy(),
            time_limit=time_limit,
        )
        ((wins,), _) = units.whole.matrices()
        unbeaten = [*np.array(systems, dtype=object)[one_way(wins)]]
    scores = pd.DataFrame(values, columns=systems)[sorted(ranking.order)]
    scores = scores.round(FIT_DIGITS)
    counted = judgements.counted
    thin = checks.thin(counted, minimum=minimum, reference=uncounted, score=column)
    thin = thin[thin.index.isin(ranking.order)]
    scores[thin.index] = np.nan
    alone = tuple(name for name in unbeaten if name not in thin)
    return BootstrapResult(ranking, scores, unit, n_units, seen, thin, alone)


def _sampled_scores(
    units: Resampler,
    method: Method,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Callable[[float], None],
    **options: Any,
) -> np.ndarray:
    """Score all samples, (samples, systems); a task for each block of them."""
    # The method has streams of its own, so that its draws do not disturb those of the
    # samples.
    (method_rng,) = rng.spawn(1)
    tasks: Iterator[Task] = (
        (_scores_of, (units, size, stream, method, *method_rng.spawn(1)), options)
        for size, stream in blocks(n_resamples, rng)
    )
    scores = []
    for part in by_workers(tasks):
        scores.append(part)
        progress(sum(map(len, scores)) / n_resamples)
    return np.concatenate(scores)


def _scores_of(
    units: Resampler,
    size: int,
    rng: np.random.Generator,
    method: Method,
    method_rng: np.random.Generator,
    **options: Any,
) -> np.ndarray:
    """Score the samples of a block."""
    samples = units.draw(size, rng)
    return method.sample_scores(samples, rng=method_rng, **options)
