"""The same analysis on other judgements: drawn anew, without a system, or held out.

`bootstrap` ranks samples of the judgements, drawn with replacement. Its intervals are
right only if the unit that it draws is the unit of collection. `leave_one_out` asks
whether the order of the others would change if one system had not been judged, as
Knowles (2021, section 5) does of rankings by z-scores. `compare_models` has preference
models predict parts of the judgements from the others (Hopkins & May 2013).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import checks, methods
from wmtlib.assessments import Campaign
from wmtlib.checks import LEFT_OUT, MINIMUM, dropped, thin_warning
from wmtlib.cluster_lines import clusters_of_ranges
from wmtlib.counts import (
    COMPARISON,
    LARGEST_FIRST,
    MOST_SINGLE,
    Train,
    coded,
    counted_rows,
    require_unit,
    tally,
    unit_codes,
)
from wmtlib.errors import DataError, listed, warning
from wmtlib.forms import Data
from wmtlib.html_tables import captioned
from wmtlib.methods import FIT_DIGITS, METHODS, MODELS, Method, Settings, method_data
from wmtlib.models import perplexity, track
from wmtlib.pairwise_tests import usual_units
from wmtlib.ranking import Ranking, levels
from wmtlib.sampling import (
    Block,
    Resampler,
    Seed,
    Task,
    by_workers,
    dealt,
    generator,
    resampler,
)
from wmtlib.zscores import bootstrap_means, occurrences

COVERAGE = 0.95
FEW_UNITS = 20  # units below which a bootstrap is rough
IRT_LARGEST = 20_000  # comparisons up to which item-response models are usual
VARIANTS = tuple(sorted(name for name in MODELS if METHODS[name].variant))


# --- how sure is a ranking? -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BootstrapResult:
    """Rankings from resampled judgements; summaries are computed when they are used.

    A sample in which a system does not occur says nothing of it, and the others keep
    their order with it. Thin systems have no interval, no cluster and no part in the
    ranks of the others.

    Attributes
    ----------
    ranking : Ranking
        From all judgements.
    scores : DataFrame, samples x systems
        NaN where a sample has nothing to score a system by, and of thin systems.
    unit : str
        The unit that was drawn: comparison, judge, segment, ranking, hit, worker or
        document.
    n_units : int
        Number of units in the data, and in each sample.
    coverage : float
    occurrences : Series, by system
        In how many units each system occurs.
    thin : Series, by system
        Comparisons, or scores, of the systems that have too few of them.
    one_way : Series, by system
        1 for those that won and never lost, -1 for those that lost and never won, else
        0. Nothing says how good, or how bad, they are at most.
    """

    ranking: Ranking
    scores: pd.DataFrame = field(repr=False)
    unit: str
    n_units: int
    coverage: float
    occurrences: pd.Series = field(repr=False)
    thin: pd.Series = field(repr=False)
    one_way: pd.Series = field(repr=False)

    @property
    def n_resamples(self) -> int:
        """Number of samples."""
        return len(self.scores)

    @cached_property
    def table(self) -> pd.DataFrame:
        """In the order of the ranking.

        Columns system, rank, score, rank_low, rank_high, score_low, score_high (the
        central range that holds `coverage` of the samples; scores NaN for mfas) and
        above_next: share of the samples in which it is better than the next, equal ones
        counted half; NaN for the last.

        The interval of a system that never lost is open above: score_high is NaN and
        rank_low 1. So it is below, of one that never won.

        Ranks are those among the systems that are not thin; tied systems hold all ranks
        of their group. A range always holds the ranks that the full ranking leaves
        open. Of systems in few units it holds more of the samples than `coverage` says:
        see `_ends`.
        """
        order = self.ranking.order
        full = self.ranking.without(self.thin.index)
        place = full.column("rank").reindex(order).to_numpy(float)
        ranges = full.rank_ranges
        value = levels(self.scores[order].to_numpy())
        known = ~np.isnan(value)  # never of thin systems
        columns = ["rank_low", "rank_high", "score_low", "score_high"]
        rows = pd.DataFrame(np.nan, order, columns).assign(rank=place)
        for k in np.flatnonzero(known.any(axis=0)):
            name = order[k]
            ends = self._ends(name)
            # An absent system stands to this one as in the full ranking.
            lead = np.where(known, value - value[:, [k]], place[k] - place)[known[:, k]]
            above = (lead > 0).sum(axis=1)
            tied = (lead == 0).sum(axis=1)
            low = np.quantile(above + 1, ends[0], method="inverted_cdf")
            high = np.quantile(above + tied, ends[1], method="inverted_cdf")
            best, worst = ranges.loc[name]
            rows.loc[name, columns] = [
                np.fmin(low, best),
                np.fmax(high, worst),
                *self.scores[name].quantile(ends),
            ]
        one_way = self.one_way[order] * known.any(axis=0)
        rows.loc[one_way > 0, ["rank_low", "score_high"]] = 1, np.nan
        rows.loc[one_way < 0, ["rank_high", "score_low"]] = rows["rank"].count(), np.nan
        table = self.ranking.table[["system", "score"]].join(rows, on="system")
        # mfas has no scores.
        table.loc[table["score"].isna(), ["score_low", "score_high"]] = np.nan
        ranks = ["rank", "rank_low", "rank_high"]
        some_missing = table[ranks].isna().any(axis=None)
        table[ranks] = table[ranks].astype("Int64" if some_missing else int)
        above_next = [self.beats.loc[pair] for pair in pairwise(order)]
        table["above_next"] = [*above_next, np.nan]
        return table[["system", "rank", "score", *columns, "above_next"]]

    def _ends(self, name: str) -> list[float]:
        """Which shares of the samples lie below the ends of a system's interval.

        A percentile bootstrap of few units is too sure. As of a t interval, the
        quantile is that of Student's t with n - 1 degrees of freedom, for the spread
        comes from n units; and as of Wilson's interval it is longer by sqrt(1 + t^2 /
        n), for shares spread more where systems are equal than where they are apart.
        """
        from scipy import special

        tail = (1 - self.coverage) / 2
        n = self.occurrences[name]
        if n < 2:
            return [0.0, 1.0]
        t = special.stdtrit(n - 1, tail)
        tail = special.ndtr(t * np.sqrt(1 + t**2 / n))
        return [tail, 1 - tail]

    @property
    def clusters(self) -> pd.DataFrame:
        """Columns system and cluster (1 = best; missing for thin systems), best first.

        A line is drawn where no range of ranks crosses.
        """
        ranked = self.table.dropna(subset="rank_low")
        low = ranked["rank_low"].to_numpy(int)
        high = ranked["rank_high"].to_numpy(int)
        cluster = pd.Series(clusters_of_ranges(low, high), ranked.index, dtype="Int64")
        return self.table[["system"]].assign(cluster=cluster)

    @cached_property
    def beats(self) -> pd.DataFrame:
        """Share of the samples in which the row's system is better than the column's.

        NaN where no sample ranks both.
        """
        names = self.scores.columns
        value = levels(self.scores.to_numpy())
        # 1: better; 1/2: tied; NaN: one of the two is not ranked.
        better = ((np.sign(column[:, None] - value) + 1) / 2 for column in value.T)
        shares = np.array([pd.DataFrame(share).mean() for share in better])
        np.fill_diagonal(shares, np.nan)
        # Nobody is surely better than who never lost; who never won, than nobody.
        one_way = self.one_way[names].to_numpy()
        is_open = (one_way[:, None] < 0) | (one_way > 0)
        shares = np.where(is_open, np.minimum(shares, 0.5), shares)
        shares = np.where(is_open.T, np.maximum(shares, 0.5), shares)
        return pd.DataFrame(shares, names, names)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One line each; see also `report.sampling_units.warnings_for`."""
        lines = []
        if len(self.thin):
            lines.append(thin_warning(self.thin, LEFT_OUT))
        if self.n_units < FEW_UNITS and self.unit != COMPARISON:
            few = f"there are {self.n_units} {self.unit}s only"
            lines.append(warning("few_units", f"{few}: resampling so few is rough"))
        for sign, seen, end in ((1, "wins", "upper"), (-1, "losses", "lower")):
            names = self.one_way.index[self.one_way == sign].difference(self.thin.index)
            if len(names):
                fault = (
                    f"{listed(names)}: nothing but {seen}, so the {end} end of the"
                    " interval is open (left empty)"
                )
                lines.append(warning("open_interval", fault))
        absent = self.scores.drop(columns=self.thin.index).isna().sum()
        absent = absent[absent > 0]
        if len(absent):
            samples = f"up to {absent.max()} of {self.n_resamples} samples"
            fault = (
                f"{samples} have nothing to score some systems by, and say nothing of"
                f" them: {listed(absent.index)}"
            )
            lines.append(warning("unscored_in_samples", fault))
        return tuple(lines)

    def _repr_html_(self) -> str:
        drawn = f"{self.n_resamples} resamples of {self.n_units} {self.unit}s"
        caption = f"{self.ranking.method}, {drawn}: {self.coverage:.0%} intervals"
        return captioned(caption, self.table)


def bootstrap(
    data: Any,
    method: str | None = None,
    *,
    unit: str | None = None,
    n_resamples: int = 1000,
    reference: str | None = None,
    seed: Seed = 0,
    coverage: float = COVERAGE,
    minimum: int = MINIMUM,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> BootstrapResult:
    """Intervals of ranks and scores from judgements drawn with replacement.

    Counts are sufficient: no judgement is written out. Samples of single comparisons
    are multinomial counts. A sample of units is a vector (how often each unit was
    drawn) times a sparse matrix (the counts of each unit). Scores of many samples are
    computed at once, and Bradley-Terry starts from the fit to all comparisons. Under
    `joblib.parallel_config` workers do it, to the same bytes.

    Parameters
    ----------
    data, method, reference, seed
        As in `methods.rank`; not an item-response model.
    unit : str
        What is drawn as a whole, the unit of collection: "comparison", or a unit column
        of the frame: "judge", "segment", "ranking"; of assessments "hit", "worker",
        "document" or "segment". By default the first of `pairwise_tests.usual_units`,
        or else "comparison", "segment".
    n_resamples : int
    coverage : float
        Of the intervals.
    minimum : int
        Comparisons, or scores, below which a system is thin; see
        `BootstrapResult`.
    time_limit : float, optional
        Seconds for each sample's mfas.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `rank` refuses, an unknown unit or fewer than two of them, fewer than two
        resamples, or a method that cannot be resampled.

    Examples
    --------
    >>> votes = {"a": "x", "b": "y", "outcome": [*"aaaabbbbab"], "judge": range(10)}
    >>> votes = pd.DataFrame(votes)
    >>> result = bootstrap(votes, unit="judge", n_resamples=100)
    >>> result.table[["system", "rank_low", "rank_high"]].to_numpy().tolist()
    [['x', 1, 2], ['y', 1, 2]]
    """
    judgements, counted = method_data(data, method)
    name = method or methods.usual(counted, reference)[0]
    chosen = methods.require(name, counted.kind)
    if n_resamples < 2:
        raise DataError(f"{n_resamples} resample(s); expected two or more")
    if not 0 < coverage < 1:
        raise DataError(f"coverage is {coverage}; expected a share between 0 and 1")
    if chosen.rows and not chosen.batched:
        raise DataError(
            f"{chosen.name} is not resampled: each fit takes seconds; take another"
        )
    rng = generator(seed)
    single = "segment" if isinstance(judgements, Campaign) else COMPARISON
    unit = unit or [*usual_units(judgements, chosen.column), single][0]
    judged = judgements if chosen.rows else counted
    ranking = methods.ranked(chosen, judged, Settings(reference, rng, time_limit))
    one_way: np.ndarray | int = 0
    uncounted = None if chosen.reference_counts else reference
    if isinstance(judgements, Campaign):
        systems = judgements.systems
        _, n_units = judgements.units(unit)
        seen = occurrences(judgements, unit, chosen.column)
        values = bootstrap_means(
            judgements,
            unit=unit,
            n_resamples=n_resamples,
            rng=rng,
            column=chosen.column,
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
            start=ranking.column("score").reindex(systems).to_numpy(),
            time_limit=time_limit,
        )
        one_way += units.one_way
    scores = pd.DataFrame(values, columns=systems)[sorted(ranking.order)]
    scores = scores.round(FIT_DIGITS)
    thin = checks.thin(
        counted, minimum=minimum, reference=uncounted, score=chosen.column
    )
    thin = thin[thin.index.isin(ranking.order)]
    scores[thin.index] = np.nan
    one_way_systems = pd.Series(one_way, systems)
    return BootstrapResult(
        ranking, scores, unit, n_units, coverage, seen, thin, one_way_systems
    )


def _sampled_scores(
    units: Resampler,
    method: Method,
    n_resamples: int,
    rng: np.random.Generator,
    progress: Callable[[float], None],
    **options: Any,
) -> np.ndarray:
    """Scores of all samples, (samples, systems); a task for those drawn at a time."""
    # The method has streams of its own, so that its draws do not disturb those of the
    # samples.
    (method_rng,) = rng.spawn(1)
    parts = units.parts(n_resamples, rng)
    if not method.batched:
        parts = [[block] for part in parts for block in part]
    tasks: Iterator[Task] = (
        (_scores_of, (units, part, method, method_rng.spawn(len(part))), options)
        for part in parts
    )
    scores = []
    for part in by_workers(tasks):
        scores.append(part)
        progress(sum(map(len, scores)) / n_resamples)
    return np.concatenate(scores)


def _scores_of(
    units: Resampler,
    part: list[Block],
    method: Method,
    streams: list[np.random.Generator],
    **options: Any,
) -> np.ndarray:
    """Scores of the samples of some blocks."""
    return method.sample_scores(
        units.draw(part, doubt=True), streams=streams, **options
    )


# --- would the order of the others change if one system had not been judged? ----------


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The order of the others after each system was left out.

    Attributes
    ----------
    ranking : Ranking
        The full one.
    table : DataFrame
        One row a system, in the order of the ranking: removed, changed (some pair of
        the others stands otherwise than before), reversed (pairs in the opposite order:
        Kendall's distance), ties (pairs tied, or unranked, on one side only) and swaps
        ("X > Y": neighbours once it is gone from the full ranking, reversed when judged
        without it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with
        somebody), reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse
        them), by (whose), joined by "; ".
    note : str
        "" or one line on how to read this.
    """

    ranking: Ranking
    table: pd.DataFrame
    systems: pd.DataFrame = field(repr=False)
    neighbours: pd.DataFrame = field(repr=False)
    note: str = ""

    def _repr_html_(self) -> str:
        caption = f"{self.ranking.method}, without each system in turn"
        return captioned(caption, self.table)


def leave_one_out(
    data: Any,
    method: str | None = None,
    *,
    reference: str | None = None,
    seed: Seed = 0,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> LeaveOneOut:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the
    workers' means and standard deviations are computed from what stays. What mfas
    leaves open is not an order: two systems count as tied unless they stand the same
    way in every optimal order, where those could be counted. A system that the method
    cannot score is left out, and named in the note.

    Parameters
    ----------
    data, method, reference, seed, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the
        same seed.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `rank` refuses, or fewer than three systems.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxyyz"], "b": [*"yzzzx"], "outcome": "a"})
    >>> leave_one_out(votes).ranking.order
    ['x', 'y', 'z']
    """
    judgements, counted = method_data(data)
    name = method or methods.usual(counted, reference)[0]
    chosen = methods.require(name, counted.kind)
    rng = generator(seed)
    judged = judgements if chosen.rows else counted
    judgements, unscored = methods.scorable(judged, chosen, reference)
    ranking = methods.ranked(chosen, judgements, Settings(reference, rng, time_limit))
    order = ranking.order
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    settings = Settings(reference, int(rng.integers(2**63)), time_limit)
    full = chosen.signs(judgements, order, settings)
    tasks: Iterator[Task] = (
        (_signs_without, (judgements, order, name, chosen, settings), {})
        for name in order
    )
    rows = []
    pairs = []
    for name, after in zip(order, by_workers(tasks), strict=True):
        others = [*after.index]
        before = full.loc[others, others]
        is_reversed = before * after < 0
        stacked = is_reversed.stack()
        pairs += [(name, *pair) for pair in stacked.index[stacked]]
        swaps = [f"{a} > {b}" for a, b in pairwise(others) if is_reversed.loc[a, b]]
        # Each pair stands in the matrices twice.
        number = stacked.sum() // 2
        ties = (before != after).to_numpy().sum() // 2 - number
        rows.append(
            {
                "removed": name,
                "changed": number + ties > 0,
                "reversed": number,
                "ties": ties,
                "swaps": "; ".join(swaps),
            }
        )
        progress(len(rows) / len(order))
    note = ""
    if unscored:
        names = listed(unscored, len(unscored))
        fault = f"{names}: left out, {chosen.name} cannot score them"
        note = warning("not_scored", fault)
    elif chosen.random:
        note = "the method draws random numbers, which move near ties too"
    reversals = pd.DataFrame(pairs, columns=["removed", "above", "below"])
    systems, neighbours = _reversed(order, reversals)
    return LeaveOneOut(ranking, pd.DataFrame(rows), systems, neighbours, note)


def _reversed(
    order: list[str], reversals: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Systems and neighbours of `LeaveOneOut`, from the pairs that removals reverse."""
    removals = reversals.groupby("above")["removed"]
    systems = removals.agg(moved="nunique", reversed="size")
    systems = systems.reindex(pd.Index(order, name="system"), fill_value=0)
    systems = systems.sort_values(["moved", "reversed"], ascending=False, kind="stable")
    removals = reversals.groupby(["above", "below"])["removed"]
    neighbours = pd.DataFrame(pairwise(order), columns=["above", "below"]).join(
        removals.agg(swapped="size", by="; ".join), on=["above", "below"]
    )
    neighbours = neighbours.fillna({"swapped": 0, "by": ""})
    return systems.reset_index(), neighbours.astype({"swapped": int, "by": str})


def _signs_without(
    data: Data, order: list[str], name: str, method: Method, settings: Settings
) -> pd.DataFrame:
    """`Method.signs` of the others, judged without one system."""
    others = [other for other in order if other != name]
    try:
        fewer = dropped(data, [name], paired=False)
        return method.signs(fewer, others, settings)
    except DataError as error:
        raise DataError(f"without {name!r}: {error}") from None


# --- do models predict judgements that they have not seen? ----------------------------


def require_models(models: Sequence[str]) -> None:
    """Refuse names that are not in `MODELS`, no name, and a name that stands twice."""
    unknown = [name for name in models if name not in MODELS]
    if unknown:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """How well models predict judgements that they were not trained on.

    Attributes
    ----------
    table : DataFrame
        Best first: model, perplexity (mean over the splits), error (its standard
        error), difference (from the best) and difference_error (standard error of the
        mean of the paired differences). Splits share training data, so that the errors
        are somewhat too small. NaN for the errors of an infinite perplexity: something
        happened that the model excludes.
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
        parts = f"{self.folds} parts of {self.n_units} {self.unit}s"
        return captioned(f"Held-out perplexity, {parts}", self.table)


def compare_models(
    data: Any,
    models: Sequence[str] | None = None,
    *,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: Seed = 0,
    progress: Callable[[str, float], None] = lambda model, share: None,
) -> CrossValidation:
    """Held-out perplexity: which model predicts judgements best that it has not seen?

    Units are dealt to `folds` parts at random; each part is predicted from the others,
    by every model from the same ones; `repeats` times. Every system counts, the
    reference too. Segments are known to the item-response models if they are a column
    of the frame. Counts are enough: of more than `sampling.DEALT` none is written out
    by itself. For workers see `bootstrap`.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        Comparisons; see `forms.comparisons_of`.
    models : sequence of str, optional
        Of `methods.MODELS`; all of them by default, without `VARIANTS`, without the
        item-response models if there are more than `IRT_LARGEST` comparisons, and
        without TrueSkill if there are more than `counts.MOST_SINGLE`.
    unit : str
        "comparison", or a unit column of the frame to be held out as a whole; by
        default the largest of which there are as many as folds.
    folds, repeats : int
    seed : int or Generator
    progress : callable
        Is told each model that was fitted, and what share of all fits is done.

    Raises
    ------
    DataError
        An unknown model or unit, fewer than two folds, or fewer units than folds.

    Examples
    --------
    >>> outcomes = [*"aaaaaaaab", "tie"] * 3
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": outcomes})
    >>> models = ["uniform", "bradley-terry"]
    >>> compared = compare_models(votes, models, unit="comparison")
    >>> compared.table["model"].tolist()
    ['bradley-terry', 'uniform']
    """
    judgements, counted = method_data(data)
    if isinstance(judgements, Campaign):
        raise DataError("holds assessments; expected comparisons or rankings")
    systems = track(counted.systems)
    rows = counted_rows(judgements)
    times = coded(rows).times
    total = int(times.sum())
    note = ""
    if models is None:
        models, note = _usual_models(total)
    require_models(models)
    if folds < 2 or repeats < 1:
        raise DataError(
            f"{folds} fold(s), {repeats} repeat(s); expected two or more, one or more"
        )
    if unit is None:
        named = (name for name in LARGEST_FIRST if name in rows)
        enough = (name for name in named if rows[name].nunique() >= folds)
        unit = next(enough, COMPARISON)
    require_unit(judgements, unit)
    n_units = total
    if unit != COMPARISON:
        unit_of_row, n_units = unit_codes(rows[unit], unit)
    if n_units < folds:
        raise DataError(
            f"{n_units} {unit}(s) cannot be dealt to {folds} folds; take fewer folds"
        )
    rng = generator(seed)
    tested = []
    for repeat in range(repeats):
        if unit == COMPARISON:
            held_out = dealt(times, folds, rng)
        else:
            fold_of = rng.permutation(n_units)[unit_of_row] % folds
            held_out = times[:, None] * (fold_of[:, None] == np.arange(folds))
        sizes = held_out.sum(axis=0)
        model_seed = int(rng.integers(2**63))
        fits = by_workers(_fits(rows, held_out, models, systems, model_seed))
        for (fold, name), value in zip(
            product(range(folds), models), fits, strict=True
        ):
            tested.append((repeat, fold, name, total - sizes[fold], sizes[fold], value))
            progress(name, len(tested) / (repeats * folds * len(models)))
    columns = ["repeat", "fold", "model", "trained_on", "tested_on", "perplexity"]
    splits = pd.DataFrame(tested, columns=columns)
    table = _against_best(splits)
    return CrossValidation(table, splits, unit, n_units, folds, repeats, note)


def _usual_models(comparisons: int) -> tuple[Sequence[str], str]:
    """The models for so many comparisons, and a note on those that are left out."""
    models = [name for name in MODELS if name not in VARIANTS]
    note = ""
    if comparisons > IRT_LARGEST:
        models = [name for name in models if not METHODS[name].rows]
        note = f"item-response models left out: over {IRT_LARGEST:,} comparisons"
    if comparisons > MOST_SINGLE:
        single = [name for name in models if METHODS[name].random]
        models = [name for name in models if name not in single]
        note += f"; {', '.join(single)} too: over {MOST_SINGLE:,}"
    return models, note and warning("models_left_out", note)


def _fits(
    rows: pd.DataFrame,
    held_out: np.ndarray,
    models: Sequence[str],
    systems: tuple[str, ...],
    seed: int,
) -> Iterator[Task]:
    """A task for every model in every fold; `held_out` counts rows, (rows, folds)."""
    whole = tally(rows, systems)
    times = held_out.sum(axis=1)
    for fold, tested in enumerate(held_out.T):
        test = tally(rows.assign(count=tested), systems)
        for name in models:
            train: Train = whole - test
            if METHODS[name].rows:
                train = rows.assign(count=times - tested)
            yield _perplexity, (name, train, test, systems, [seed, fold]), {}


def _perplexity(
    name: str, train: Train, test: Train, systems: tuple[str, ...], seed: list[int]
) -> float:
    """Perplexity on a test set of a fitted model (Hopkins & May 2013, section 4).

    The model draws from a generator of its own, made of the seed and its name, so that
    its perplexity does not depend on other models.
    """
    rng = methods.model_generator(name, *seed)
    return perplexity(MODELS[name](train, systems=systems, rng=rng), test)


def _against_best(splits: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors over splits, and paired differences from the best."""
    wide = splits.pivot_table("perplexity", ["repeat", "fold"], "model")
    mean = wide.mean().sort_values(kind="stable")
    finite = wide.loc[:, np.isfinite(wide).all()]
    gap = finite.sub(wide[mean.index[0]], axis=0)
    table = mean.to_frame("perplexity").assign(
        error=_standard_error(finite),
        difference=gap.mean().reindex(mean.index, fill_value=np.inf),
        difference_error=_standard_error(gap),
    )
    return table.reset_index()


def _standard_error(values: pd.DataFrame) -> pd.Series:
    """Standard errors of means of columns; 0 where values differ by rounding only."""
    return values.sem().mask(lambda error: error <= 1e-12, 0)
