"""How sure is a ranking: would other judgements of the same kind have given the same?

`bootstrap` ranks samples of the judgements, drawn with replacement. Its intervals are right only if
the unit that it draws is the unit of collection: see `unit_warnings`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib.analysis import methods
from wmtlib.analysis.ranking_functions import FIT_DIGITS, mfas_scores
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.resampling import bootstrap_means
from wmtlib.judgements.counting import COMPARISON, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import resampled_counts
from wmtlib.preference.resampled_counts import ResampledCounts
from wmtlib.tournament import mfas

COVERAGE = 0.95
FEW = 20  # units below which a bootstrap is rough


@dataclass(frozen=True, eq=False)
class BootstrapResult:
    """Rankings from resampled judgements; what sums them up is computed when it is asked for.

    Attributes
    ----------
    ranking : Ranking
        From all judgements.
    scores : DataFrame, samples x systems
        NaN where a sample has nothing to score a system by.
    unit : str
        The unit that was drawn: comparison, judge, segment, ranking, hit, worker or document.
    n_units : int
        Number of units in the data, and in each sample.
    coverage : float
    """

    ranking: Ranking
    scores: pd.DataFrame = field(repr=False)
    unit: str
    n_units: int
    coverage: float

    @property
    def n_resamples(self) -> int:
        """Number of samples."""
        return len(self.scores)

    @cached_property
    def table(self) -> pd.DataFrame:
        """In the order of the ranking.

        Columns system, rank, score, rank_low, rank_high, score_low, score_high (the central range
        that holds `coverage` of the samples; scores NaN for mfas) and above_next: share of the
        samples in which it is better than the next, equal ones counted half; NaN for the last.
        """
        order = self.ranking.order
        ends = [(1 - self.coverage) / 2, (1 + self.coverage) / 2]
        table = self.ranking.table[["system", "rank", "score"]].copy()
        ranks = self._ranks_and_beats[0][order]
        low, high = np.nanquantile(ranks, ends, axis=0, method="inverted_cdf").astype(int)
        table["rank_low"], table["rank_high"] = low, high
        table["score_low"], table["score_high"] = np.nan, np.nan
        if table["score"].notna().any():  # mfas has no scores
            scores = self.scores[order]
            table["score_low"], table["score_high"] = np.nanquantile(scores, ends, axis=0)
        table["above_next"] = [*(self.beats.loc[a, b] for a, b in pairwise(order)), np.nan]
        return table

    @property
    def beats(self) -> pd.DataFrame:
        """Share of the samples in which the row's system is better than the column's, likewise.

        NaN where no sample ranks both.
        """
        return self._ranks_and_beats[1]

    @cached_property
    def _ranks_and_beats(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        return _compare_samples(self.scores.round(FIT_DIGITS))

    @property
    def same_order(self) -> float:
        """Share of the samples with exactly the order of the ranking."""
        listed = self.scores[self.ranking.order].round(FIT_DIGITS).to_numpy()
        return float((listed[:, :-1] >= listed[:, 1:]).all(axis=1).mean())

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line each; see also `unit_warnings`."""
        found = []
        if self.n_units < FEW and self.unit != COMPARISON:
            found.append(f"there are {self.n_units} {self.unit}s only: resampling so few is rough")
        if unscored := int(self.scores.isna().any(axis=1).sum()):
            found.append(
                f"{unscored} of {self.n_resamples} samples have nothing to score some system by;"
                " it is left out of those"
            )
        return tuple(found)

    def _repr_html_(self) -> str:
        drawn = f"{self.n_resamples} resamples of {self.n_units} {self.unit}s"
        caption = f"{self.ranking.method}, {drawn}: {self.coverage:.0%} intervals"
        return captioned(caption, self.table)


def bootstrap(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    unit: str,
    n_resamples: int,
    rng: np.random.Generator,
    reference: str | None = None,
    coverage: float = COVERAGE,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> BootstrapResult:
    """Rank samples of the judgements, drawn with replacement.

    Counts are sufficient: no judgement is written out. Samples of single comparisons are
    multinomial counts. A sample of units is a vector (how often each unit was drawn) times a sparse
    matrix (the counts of each unit). Scores of many samples are computed at once, and Bradley-Terry
    starts from the fit to all comparisons.

    Parameters
    ----------
    data : Counts, comparisons frame or Campaign
    method : str
        Of `methods.METHODS`; not an item-response model.
    unit : str
        "comparison", or a unit column of the frame: "judge", "segment", "ranking"; for a campaign
        "hit", "worker", "document" or "segment".
    n_resamples : int
    rng : Generator
    reference : str, optional
        As in `methods.rank`.
    coverage : float
        Of the intervals.
    time_limit : float, optional
        Seconds for each sample's mfas.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `methods.rank` refuses, an unknown unit or fewer than two of them, fewer than two
        resamples, or a method that cannot be resampled.
    """
    chosen = methods.require(method, methods.kind_of(data))
    if n_resamples < 2:
        raise DataError(f"{n_resamples} resample(s); expected two or more")
    if not 0 < coverage < 1:
        raise DataError(f"coverage is {coverage}; expected a share between 0 and 1")
    if chosen.rows:
        raise DataError(f"{method} is not resampled: each fit takes seconds; take another method")
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    names = sorted(ranking.order)
    if isinstance(data, Campaign):
        column = {"z-score": "score", "raw-score": "raw"}[method]
        try:
            scores = bootstrap_means(
                data, unit=unit, n_resamples=n_resamples, rng=rng, column=column
            )
        except DataError as error:
            raise DataError(f"resampling {unit}s: {error}") from None
        scores = scores[:, [name != reference for name in data.systems]]
        n_units = data.units(unit)[1]
    else:
        left_out = None if chosen.reference_counts else reference
        resampler = resampled_counts.resampler(data, left_out, unit)
        n_units, start = resampler.units, None
        if ranking.table["score"].notna().all():
            start = ranking.column("score")[names].to_numpy()
        # Draws of the method do not disturb those of the samples, however many are held at a time.
        (own,) = rng.spawn(1)
        settings = {"reference": reference, "rng": own, "time_limit": time_limit}
        parts = []
        for part in resampler.samples(n_resamples, rng):
            done, size = sum(map(len, parts)), part.seen.shape[1]

            def told(share: float, done: int = done, size: int = size) -> None:
                progress((done + share * size) / n_resamples)

            parts.append(_scores(part, method, start, **settings, progress=told))
            told(1)
        scores = np.concatenate(parts)
    return BootstrapResult(ranking, pd.DataFrame(scores, columns=names), unit, n_units, coverage)


def _scores(
    samples: ResampledCounts,
    method: str,
    start: np.ndarray | None,
    *,
    reference: str | None,
    rng: np.random.Generator,
    time_limit: float | None,
    progress: Callable[[float], None],
) -> np.ndarray:
    """Scores, (samples, systems), of samples that hold the reference only where it counts."""
    chosen = methods.METHODS[method]
    if chosen.scores is not None:
        counted = reference if chosen.reference_counts else None
        given = {"start": start, "rng": rng, "progress": progress}
        return methods.scores(samples, method, reference=counted, **given)
    names, found = [*samples.systems], []
    for counts in samples.one_by_one():
        solution = mfas.solve(counts.wins, time_limit=time_limit)
        found.append(mfas_scores(solution)[names].to_numpy(float))
        progress(len(found) / samples.seen.shape[1])
    return np.array(found)


def _compare_samples(scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ranks in every sample, and the share of samples in which row is better than column."""
    value = scores.to_numpy()
    n_resamples, size = value.shape
    ranks = np.empty(value.shape)
    wins = np.zeros((size, size))
    at_once = max(1, resampled_counts.DRAWN // size**2)
    for k in range(0, n_resamples, at_once):  # a cube of comparisons would not fit in memory
        part = value[k : k + at_once]
        above = part[:, :, None] > part[:, None, :]
        ranks[k : k + at_once] = 1 + above.sum(axis=1)
        wins += above.sum(axis=0)
    known = (~np.isnan(value)).astype(float)
    both = known.T @ known  # samples that score both
    ties = both - wins - wins.T
    beats = np.divide(wins + ties / 2, both, out=np.full(both.shape, np.nan), where=both > 0)
    np.fill_diagonal(beats, np.nan)
    names = scores.columns
    ranks = pd.DataFrame(np.where(known, ranks, np.nan), columns=names)
    return ranks, pd.DataFrame(beats, index=names, columns=names)
