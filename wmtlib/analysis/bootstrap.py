"""How sure is a ranking: would other judgements of the same kind have given the same?

`bootstrap` ranks again and again from judgements drawn with replacement. What it says is only as
good as its unit: see `warnings_for`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib.analysis import methods
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.resampling import bootstrap_means
from wmtlib.judgements.counting import COMPARISON, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import resampled_counts, true_skill
from wmtlib.preference.resampled_counts import Batch
from wmtlib.tournament import mfas

COVERAGE = 0.95
FEW = 20  # units below which a bootstrap is rough


@dataclass(frozen=True, eq=False)
class Doubt:
    """What rankings from resampled judgements look like.

    Attributes
    ----------
    ranking : Ranking
        From all judgements.
    frame : DataFrame
        In the order of the ranking; columns system, rank, score, rank_low, rank_high, score_low,
        score_high (the central range that holds `coverage` of the samples; scores NaN for mfas)
        and above_next: share of the samples in which it is better than the next, equal ones
        counted half; NaN for the last.
    beats : DataFrame, systems x systems
        Share of the samples in which the row's system is better than the column's, likewise; NaN
        where no sample ranks both.
    scores : DataFrame, samples x systems
        NaN where a sample has nothing to score a system by.
    same_order : float
        Share of the samples with exactly the order of the ranking.
    unit : str
        What was drawn, with replacement: comparison, judge, segment, ranking, hit or worker.
    units : int
        How many there are; so many make a sample.
    resamples : int
    coverage : float
    warnings : tuple of str
        What this bootstrap itself gives reason to say; see also `warnings_for`.
    """

    ranking: Ranking
    frame: pd.DataFrame
    beats: pd.DataFrame = field(repr=False)
    scores: pd.DataFrame = field(repr=False)
    same_order: float
    unit: str
    units: int
    resamples: int
    coverage: float
    warnings: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.ranking.method


def bootstrap(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    unit: str,
    resamples: int,
    rng: np.random.Generator,
    reference: str | None = None,
    coverage: float = COVERAGE,
    time_limit: float | None = None,
) -> Doubt:
    """Rank again and again from judgements drawn with replacement.

    Counts are sufficient: no judgement is written out. Samples of single comparisons are
    multinomial counts; samples of units are the number of times each was drawn times a sparse
    matrix of their counts. Scores of many samples are computed at once, and Bradley-Terry starts
    from the fit to all comparisons.

    Parameters
    ----------
    data : Counts, comparisons frame or Campaign
    method : str
        Of `methods.METHODS`; not an item-response model.
    unit : str
        "comparison", or a unit column of the frame: "judge", "segment", "ranking"; for a campaign
        "hit" or "worker".
    resamples : int
    rng : Generator
    reference : str, optional
        As in `methods.rank`.
    coverage : float
        Of the intervals.
    time_limit : float, optional
        Seconds for each sample's mfas.

    Raises
    ------
    DataError
        What `methods.rank` refuses, an unknown unit or fewer than two of them, resamples below two,
        or a method that cannot be resampled.
    """
    chosen = methods.require(method, methods.kind_of(data))
    if resamples < 2:
        raise DataError(f"{resamples} resample(s); expected two or more")
    if not 0 < coverage < 1:
        raise DataError(f"coverage is {coverage}; expected a share between 0 and 1")
    if chosen.rows:
        raise DataError(f"{method} is not resampled: each fit takes seconds; take another method")
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    names = sorted(ranking.order)
    if isinstance(data, Campaign):
        try:
            found, units = _assessed(data, method, unit, resamples, rng, reference)
        except DataError as error:
            raise DataError(f"resampling {unit}s: {error}") from None
    else:
        source = resampled_counts.source(data, None if chosen.reference_counts else reference, unit)
        units, start = source.units, None
        if not ranking.table["score"].isna().any():
            start = ranking.column("score")[names].to_numpy()
        parts = [
            _scored(part, method, start, reference, rng, time_limit)
            for part in source.samples(resamples, rng)
        ]
        found = np.concatenate(parts)
    return _summed_up(ranking, names, found, unit, units, coverage)


def _scored(
    samples: Batch,
    method: str,
    start: np.ndarray | None,
    reference: str | None,
    rng: np.random.Generator,
    time_limit: float | None,
) -> np.ndarray:
    """Scores, (samples, systems), of samples that hold the reference only where it counts."""
    chosen = methods.METHODS[method]
    if chosen.scores is not None:
        there = reference if chosen.reference_counts else None
        return methods.scores(samples, method, reference=there, start=start)
    one_by_one: dict[str, Callable[[Counts], pd.Series]] = {
        "mfas": lambda counts: methods.standing(mfas.solve(counts.wins, time_limit=time_limit)),
        "trueskill": lambda counts: (
            true_skill.trueskill(counts, systems=counts.systems, rng=rng).strengths
        ),
    }
    score = one_by_one[method]
    names = [*samples.systems]
    return np.array(
        [score(counts)[names].to_numpy(float) for counts in resampled_counts.each(samples)]
    )


def _assessed(
    campaign: Campaign,
    method: str,
    unit: str,
    resamples: int,
    rng: np.random.Generator,
    reference: str | None,
) -> tuple[np.ndarray, int]:
    """Mean scores, (samples, systems), of campaigns drawn anew, and how many units there are."""
    means = bootstrap_means(
        campaign,
        unit=unit,
        n_resamples=resamples,
        rng=rng,
        column={"z-score": "score", "raw-score": "raw"}[method],
    )
    kept = [name != reference for name in campaign.systems]
    return means[:, kept], campaign.units(unit)[1]


def _summed_up(
    ranking: Ranking, names: list[str], found: np.ndarray, unit: str, units: int, coverage: float
) -> Doubt:
    """Intervals and shares of scores (samples, systems), systems sorted by name."""
    order = [names.index(name) for name in ranking.order]
    ranks, beats, same = _compared(found.round(methods.DIGITS), order)
    ends = [(1 - coverage) / 2, (1 + coverage) / 2]
    low, high = _quantiles(ranks, ends, "inverted_cdf")
    frame = ranking.table[["system", "rank", "score"]].copy()
    frame["rank_low"], frame["rank_high"] = low[order].astype(int), high[order].astype(int)
    scored = not ranking.table["score"].isna().all()
    bounds = _quantiles(found, ends, "linear") if scored else np.full((2, len(names)), np.nan)
    frame["score_low"], frame["score_high"] = bounds[0][order], bounds[1][order]
    frame["above_next"] = [*(beats[a, b] for a, b in pairwise(order)), np.nan]
    warnings = []
    if units < FEW and unit != COMPARISON:
        warnings.append(f"there are {units} {unit}s only: resampling so few is rough")
    if lost := int(np.isnan(found).any(axis=1).sum()):
        warnings.append(
            f"{lost} of {len(found)} samples have nothing to score some system by; it is left out"
            " of those"
        )
    return Doubt(
        ranking=ranking,
        frame=frame,
        beats=pd.DataFrame(beats, index=names, columns=names),
        scores=pd.DataFrame(found, columns=names),
        same_order=same,
        unit=unit,
        units=units,
        resamples=len(found),
        coverage=coverage,
        warnings=tuple(warnings),
    )


def _compared(found: np.ndarray, order: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """Ranks in every sample, share of samples a is better than b, share with this order."""
    number, size = found.shape
    ranks = np.empty(found.shape)
    wins, both = np.zeros((2, size, size))
    at_once = max(1, resampled_counts.DRAWN // size**2)
    for k in range(0, number, at_once):
        part = found[k : k + at_once]
        above = part[:, :, None] > part[:, None, :]
        ranks[k : k + at_once] = 1 + above.sum(axis=1)
        wins += above.sum(axis=0)
        known = (~np.isnan(part)).astype(float)
        both += known.T @ known
    ranks[np.isnan(found)] = np.nan
    ties = both - wins - wins.T
    beats = np.divide(wins + ties / 2, both, out=np.full(both.shape, np.nan), where=both > 0)
    np.fill_diagonal(beats, np.nan)
    listed = found[:, order]
    same = (listed[:, :-1] >= listed[:, 1:]).all(axis=1).mean()
    return ranks, beats, float(same)


def _quantiles(values: np.ndarray, ends: list[float], how: str) -> np.ndarray:
    """Of every column, NaN left out."""
    return np.array([np.quantile(c[~np.isnan(c)], ends, method=how) for c in values.T]).T


def warnings_for(units: Collection[str], unit: str, kind: str) -> list[str]:
    """Why a bootstrap by a unit may promise too much, given what the data tell apart.

    Judgements that share a judge, a ranking, a segment or a HIT are alike; drawn one by one they
    count as independent, and intervals come out too narrow.

    Parameters
    ----------
    units : collection of str
        What could be resampled: `reader.Judgements.units`.
    unit : str
        What was.
    kind : "rankings", "pairwise" or "assessments"

    Returns
    -------
    list of str
        One line each; empty if there is nothing to say.
    """
    said = []
    person = "worker" if kind == "assessments" else "judge"
    others = [u for u in ("ranking", person, "segment", "hit") if u in units and u != unit]
    instead = " or ".join(u for u in others if u != "hit")
    if unit == COMPARISON and (kind == "rankings" or "ranking" in units):
        said.append(
            "comparisons of one ranking are not independent, but were drawn one by one: intervals"
            f" are too narrow; resample {instead or 'rankings'}"
        )
    elif unit == COMPARISON and others:
        shared = "judge or segment" if len(others) > 1 else others[0]
        said.append(
            f"comparisons of one {shared} are treated as independent: intervals may be too narrow;"
            f" resample {instead}"
        )
    elif unit == COMPARISON:
        said.append(
            "the file does not tell who judged what: if judges gave several comparisons each,"
            " intervals are too narrow"
        )
    elif unit in ("ranking", "hit", "segment") and person in units:
        said.append(
            f"judgements of one {person} in different {unit}s are treated as independent: the"
            f" intervals do not say what other {person}s would think; resample {person}"
        )
    elif unit == person and "segment" in units and kind != "assessments":
        said.append(
            f"segments are taken as given: the intervals say what other {person}s would think of"
            " these segments, not what other segments would show"
        )
    return said
