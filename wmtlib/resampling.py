"""Fit models of preference to some comparisons and measure how well they predict others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib import mfas
from wmtlib import ranking as methods
from wmtlib.bradley_terry import ResampledCounts
from wmtlib.counts import COMPARISON, Counts, captioned
from wmtlib.errors import DataError
from wmtlib.models import perplexity, tally, track
from wmtlib.ranking import FIT_DIGITS, ITEM_MODELS, MODELS, Ranking, generator, mfas_scores
from wmtlib.zscores import Campaign, bootstrap_means


def require_models(models: Sequence[str]) -> None:
    """Refuse names that are not in `MODELS`, no name, and a name that stands twice."""
    if unknown := [name for name in models if name not in MODELS]:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")


def held_out_perplexities(
    models: Sequence[str],
    splits: Sequence[tuple[pd.DataFrame, pd.DataFrame | np.ndarray]],
    *,
    systems: Sequence[str],
    seeds: Sequence[Sequence[int]],
    progress: Callable[[str, float], None] = lambda model, share: None,
) -> list[dict[str, float]]:
    """Perplexity on test sets of models fitted to training sets (Hopkins & May 2013, section 4).

    Parameters
    ----------
    models : names
        Of `MODELS`.
    splits : sequence of pairs
        Training and test comparisons, as frames; a test set can be given as its `tally`.
    systems : sequence of str
        All systems that may occur.
    seeds : sequence of sequences of int
        Of each split. Each model draws from a generator of its own, made of these numbers and the
        model's own, so that its perplexity depends neither on other models nor on other splits.
    progress : callable
        Is told each model, and what share of its fits is done.

    Returns
    -------
    list of dict
        Of each split, the perplexity of each model.
    """
    names = track(systems)
    counted = [(tally(train, names), tally(test, names)) for train, test in splits]
    perplexities: list[dict[str, float]] = [{} for _ in splits]
    for name in models:
        progress(name, 0.0)
        for k, (train, test) in enumerate(counted):
            data = splits[k][0] if name in ITEM_MODELS else train
            model = MODELS[name](data, systems=names, rng=generator(name, *seeds[k]))
            perplexities[k][name] = perplexity(model, test)
            progress(name, (k + 1) / len(counted))
    return perplexities


# How sure is a ranking: would other judgements of the same kind have given the same?
#
# `bootstrap` ranks samples of the judgements, drawn with replacement. Its intervals are right only
# if
# the unit that it draws is the unit of collection: see `unit_warnings`.


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


# Would the ranking of the others change if one system had not been judged?
#
# Knowles (2021, section 5) asks this about rankings by z-scores; `leave_one_out` answers it for any
# method.


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The order of the others after each system was left out.

    Attributes
    ----------
    ranking : Ranking
        The full one.
    table : DataFrame
        One row a system, in the order of the ranking: removed, changed (some pair of the others
        stands otherwise than before), reversed (pairs in the opposite order: Kendall's distance),
        ties (pairs tied, or unranked, on one side only) and swaps ("X > Y": neighbours once it is
        gone from the full ranking, reversed when judged without it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with somebody),
        reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse them), by
        (whose), joined by "; ".
    note : str
        "" or one line on how to read this.
    """

    ranking: Ranking
    table: pd.DataFrame
    systems: pd.DataFrame = field(repr=False)
    neighbours: pd.DataFrame = field(repr=False)
    note: str = ""

    def _repr_html_(self) -> str:
        return captioned(f"{self.ranking.method}, without each system in turn", self.table)


def leave_one_out(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> LeaveOneOut:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the workers' means
    and standard deviations are computed from what stays. What mfas leaves open is not an order: two
    systems count as tied unless they stand the same way in every optimal order, where those could
    be counted.

    Parameters
    ----------
    data, method, reference, rng, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the same seed.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `methods.rank` refuses, or fewer than three systems.
    """
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    order, chosen = ranking.order, methods.METHODS[method]
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    if isinstance(data, pd.DataFrame) and not chosen.rows:
        data = counting.counts(data)
    seed = None if rng is None else int(rng.integers(2**63))
    options = {"method": method, "reference": reference, "seed": seed, "time_limit": time_limit}
    before = _signs(data, order, **options)
    after = np.empty((len(order), len(order), len(order)), dtype=np.int8)  # removed, above, below
    for k, name in enumerate(order):
        try:
            after[k] = _signs(_without(data, name), order, **options)
        except DataError as error:
            raise DataError(f"without {name!r}: {error}") from None
        progress((k + 1) / len(order))
    # Before, as far as it is about the systems that are left: 0 for pairs with the removed one.
    removed = np.eye(len(order), dtype=bool)
    before = np.where(removed[:, :, None] | removed[:, None, :], 0, before)
    reverses, changes = before * after < 0, before != after
    table = pd.DataFrame(
        {
            "removed": order,
            "changed": changes.any(axis=(1, 2)),
            "reversed": reverses.sum(axis=(1, 2)) // 2,  # each pair stands in the matrix twice
            "ties": (changes & ~reverses).sum(axis=(1, 2)) // 2,
            "swaps": [_swaps(order, k, reverses[k]) for k in range(len(order))],
        }
    )
    systems = pd.DataFrame(
        {
            "system": order,
            "moved": reverses.any(axis=2).sum(axis=0),
            "reversed": reverses.sum(axis=(0, 2)),
        }
    ).sort_values(["moved", "reversed"], ascending=False, kind="stable", ignore_index=True)
    note = "the method draws random numbers, which move near ties too" if chosen.random else ""
    return LeaveOneOut(ranking, table, systems, _neighbours(order, reverses), note)


def _without(data: Counts | pd.DataFrame | Campaign, name: str) -> Counts | pd.DataFrame | Campaign:
    """The data as though a system had not been judged."""
    if isinstance(data, Campaign):
        return data.without([name], items=(), paired=False)
    return counting.without(data, name)


def _signs(
    data: Counts | pd.DataFrame | Campaign,
    order: list[str],
    *,
    method: str,
    reference: str | None,
    seed: int | None,
    time_limit: float | None,
) -> np.ndarray:
    """1 where the row's system ranks above the column's, -1 below, 0 tied or not ranked."""
    if method == "mfas":
        wins = counting.counts(data).without(reference).wins
        solution = mfas.solve(wins, time_limit=time_limit)
        if solution.agreed is not None:
            above = solution.agreed.reindex(index=order, columns=order, fill_value=False)
            above = above.to_numpy().astype(np.int8)
            return above - above.T
        score = mfas_scores(solution)
    elif methods.METHODS[method].scores is not None and seed is None:
        # A system without a comparison that counts has no score; `methods.rank` would refuse it.
        one = resampled_counts.sample_of_counts(counting.counts(data))
        found = methods.scores(one, method, reference=reference)[0]
        score = pd.Series(found, [x for x in one.systems if x != reference]).round(FIT_DIGITS)
    else:
        rng = None if seed is None else np.random.default_rng(seed)
        score = -methods.rank(data, method, reference=reference, rng=rng).column("rank")
    value = score.reindex(order).to_numpy(float)
    return (value[:, None] > value).astype(np.int8) - (value[:, None] < value)


def _swaps(order: list[str], removed: int, reverses: np.ndarray) -> str:
    """Neighbours of the full ranking without a system that are reversed when it is removed."""
    left = [k for k in range(len(order)) if k != removed]
    return "; ".join(f"{order[a]} > {order[b]}" for a, b in pairwise(left) if reverses[a, b])


def _neighbours(order: list[str], reverses: np.ndarray) -> pd.DataFrame:
    """`LeaveOneOut.neighbours`; reverses[k, a, b]: removing k reverses a and b."""
    rows = []
    for k, (above, below) in enumerate(pairwise(order)):
        by = [order[gone] for gone in np.flatnonzero(reverses[:, k, k + 1])]
        rows.append({"above": above, "below": below, "swapped": len(by), "by": "; ".join(by)})
    return pd.DataFrame(rows)


# Which model of preferences predicts these judgements best (Hopkins & May 2013)?
#
# `cross_validate` has every model predict parts of the judgements from the others.


IRT_LARGEST = 20_000  # comparisons up to which item-response models are among the usual ones
VARIANTS = ("independent-students-geometric-as-printed", "irt-gaussian-segments-unknown")


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How well models predict judgements that they were not trained on.

    Attributes
    ----------
    table : DataFrame
        Best first: model, perplexity (mean over the splits), error (its standard error),
        difference (from the best) and difference_error (standard error of the mean of the paired
        differences). Splits share training data, so that the errors are somewhat too small. NaN
        for the errors of an infinite perplexity: something happened that the model excludes.
    splits : DataFrame
        repeat, fold, model, trained_on, tested_on (comparisons), perplexity.
    unit : str
        What was held out as a whole.
    n_units, folds, repeats : int
    note : str
        "" or one line on what was left out.
    """

    table: pd.DataFrame
    splits: pd.DataFrame = field(repr=False)
    unit: str
    n_units: int
    folds: int
    repeats: int
    note: str = ""

    def _repr_html_(self) -> str:
        caption = f"Held-out perplexity, {self.folds} parts of {self.n_units} {self.unit}s"
        return captioned(caption, self.table)


def cross_validate(
    data: Counts | pd.DataFrame,
    models: Sequence[str] | None = None,
    *,
    unit: str,
    folds: int = 5,
    repeats: int = 1,
    rng: np.random.Generator,
    progress: Callable[[str, float], None] = lambda model, share: None,
) -> CrossValidation:
    """Perplexity of preference models on parts of the judgements that they were not trained on.

    Units are dealt to `folds` parts at random; each part is predicted from the others, by every
    model from the same ones; `repeats` times. Every system counts, the reference too. Segments are
    known to the item-response models if they are a column of the frame.

    Parameters
    ----------
    data : Counts or comparisons frame
    models : sequence of str, optional
        Of `model_registry.MODELS`; all of them by default, without `VARIANTS`, and without the
        item-response models if there are more than `IRT_LARGEST` comparisons.
    unit : str
        "comparison", or a unit column of the frame to be held out as a whole.
    folds, repeats : int
    rng : Generator
    progress : callable
        As in `prediction.held_out_perplexities`.

    Raises
    ------
    DataError
        An unknown model or unit, fewer than two folds, or fewer units than folds.
    """
    rows, note = counting.expand(data), ""
    if models is None:
        models = [name for name in MODELS if name not in VARIANTS]
        if len(rows) > IRT_LARGEST:
            models = [name for name in models if not name.startswith("irt")]
            note = f"item-response models left out: over {IRT_LARGEST:,} comparisons"
    require_models(models)
    if folds < 2 or repeats < 1:
        raise DataError(f"{folds} fold(s), {repeats} repeat(s); expected two or more, one or more")
    counting.require_unit(data, unit)
    code, n_units = np.arange(len(rows)), len(rows)
    if unit != COMPARISON:
        code, n_units = counting.unit_codes(rows[unit], unit)
    if n_units < folds:
        raise DataError(f"{n_units} {unit}(s) cannot be dealt to {folds} folds; take fewer folds")
    systems, found = counting.counts(data).systems, []
    for repeat in range(repeats):
        fold_of, seed = rng.permutation(n_units)[code] % folds, int(rng.integers(2**63))
        parts = [(rows[fold_of != fold], rows[fold_of == fold]) for fold in range(folds)]
        seeds = [[seed, fold] for fold in range(folds)]
        scored = held_out_perplexities(
            models, parts, systems=systems, seeds=seeds, progress=progress
        )
        for fold, (train, test) in enumerate(parts):
            split = {"repeat": repeat, "fold": fold}
            size = {"trained_on": len(train), "tested_on": len(test)}
            for name, value in scored[fold].items():
                found.append({**split, "model": name, **size, "perplexity": value})
    splits = pd.DataFrame(found)
    return CrossValidation(_against_best(splits), splits, unit, n_units, folds, repeats, note)


def _against_best(splits: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors over splits, and differences from the best, split by split."""
    wide = splits.pivot_table(index=["repeat", "fold"], columns="model", values="perplexity")
    mean = wide.mean().sort_values(kind="stable")
    finite = wide.loc[:, np.isfinite(wide).all()]
    gap = finite.sub(wide[mean.index[0]], axis=0)
    table = pd.DataFrame(
        {
            "perplexity": mean,
            "error": _standard_error(finite),
            "difference": gap.mean(),
            "difference_error": _standard_error(gap),
        },
        index=mean.index,
    ).fillna({"difference": np.inf})
    return table.rename_axis("model").reset_index()


def _standard_error(values: pd.DataFrame) -> pd.Series:
    """Standard errors of the means of columns; 0 where values differ by rounding only."""
    deviation = values.std(ddof=1)
    return deviation.mask(deviation <= 1e-12, 0) / np.sqrt(len(values))
