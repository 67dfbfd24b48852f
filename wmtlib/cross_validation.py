"""Cross-validation of preference models: how well they predict held-out judgements.

`compare` has models predict parts of the judgements from the others (Hopkins &
May 2013, section 4).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.core.assessments import Campaign
from wmtlib.core.counts import (
    COMPARISON,
    LARGEST_FIRST,
    MOST_SINGLE,
    ComparisonRows,
    require_unit,
    rows_of,
    unit_codes,
)
from wmtlib.core.errors import DataError, unknown, warning
from wmtlib.core.html_tables import Tabled
from wmtlib.core.sampling import Seed, Task, by_workers, dealt, generator
from wmtlib.files.forms import judged
from wmtlib.methods import METHODS, MODELS
from wmtlib.models import perplexity, track


def require_models(names: Sequence[str], models: Collection[str] = MODELS) -> None:
    """Refuse names that are not among the models, no name, and a repeated name."""
    for name in sorted({*names}.difference(models)):
        raise unknown("model", name, models)
    if not names or len(set(names)) < len(names):
        raise DataError("models to compare: expected one or more, each once")


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Tabled):
    """Perplexities of models on judgements that they were not trained on.

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
    splits: pd.DataFrame
    unit: str
    n_units: int
    folds: int
    repeats: int
    note: str = ""

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        parts = f"{self.folds} parts of {self.n_units} {self.unit}s"
        return f"Held-out perplexity, {parts}"

    def _draw(self, ax: Any) -> Any:
        from wmtlib import plots

        return plots.perplexities(self.table, ax)


def compare(
    data: Any,
    models: Sequence[str] | None = None,
    *,
    unit: str | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: Seed = 0,
    progress: Callable[[str, float], None] = lambda model, share: None,
) -> CrossValidation:
    """Compute held-out perplexities: which model predicts unseen judgements best?

    Units are dealt to `folds` parts at random; each part is predicted from the others,
    by every model from the same ones; `repeats` times. Every system counts, the
    reference too. Counts are enough: of more than a million comparisons none is written
    out by itself. Under `joblib.parallel_config` workers fit, to the same bytes.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Counts
        Comparisons or rankings, as in `wmtlib.rank`.
    models : sequence of str, optional
        Those that `wmtlib compare --help` lists; all of them by default, without
        TrueSkill if there are more than ten million comparisons.
    unit : str
        "comparison", or a unit column of the frame to be held out as a whole; by
        default the largest of which there are as many as folds.
    folds, repeats : int
    seed : int or Generator
    progress : callable
        Called with each fitted model and the completed share of all fits (0 to 1).

    Raises
    ------
    DataError
        An unknown model or unit, fewer than two folds, or fewer units than folds.

    Examples
    --------
    >>> outcomes = [*"aaaaaaaab", "tie"] * 3
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": outcomes})
    >>> models = ["uniform", "bradley-terry"]
    >>> compared = compare(votes, models, unit="comparison")
    >>> compared.table["model"].tolist()
    ['bradley-terry', 'uniform']
    """
    judgements = judged(data)
    if isinstance(judgements, Campaign):
        raise DataError("holds assessments; expected comparisons or rankings")
    rows = rows_of(judgements, track(judgements.systems))
    total = int(rows.times.sum())
    note = ""
    if models is None:
        models, note = _usual_models(total)
    require_models(models)
    if folds < 2 or repeats < 1:
        raise DataError(
            f"{folds} fold(s), {repeats} repeat(s); expected two or more, one or more"
        )
    if unit is None:
        named = (name for name in LARGEST_FIRST if name in rows.frame)
        enough = (name for name in named if rows.frame[name].nunique() >= folds)
        unit = next(enough, COMPARISON)
    require_unit(rows, unit)
    n_units = total
    if unit != COMPARISON:
        unit_of_row, n_units = unit_codes(rows.frame[unit], unit)
    if n_units < folds:
        raise DataError(
            f"{n_units} {unit}(s) cannot be dealt to {folds} folds; take fewer folds"
        )
    rng = generator(seed)
    tested = []
    for repeat in range(repeats):
        if unit == COMPARISON:
            held_out = dealt(rows.times, folds, rng)
        else:
            fold_of = rng.permutation(n_units)[unit_of_row] % folds
            is_in_fold = fold_of[:, None] == np.arange(folds)
            held_out = rows.times[:, None] * is_in_fold
        sizes = held_out.sum(axis=0)
        model_seed = int(rng.integers(2**63))
        fits = by_workers(_fits(rows, held_out, models, model_seed))
        fitted = product(range(folds), models)
        for (fold, name), value in zip(fitted, fits, strict=True):
            tested.append((repeat, fold, name, total - sizes[fold], sizes[fold], value))
            progress(name, len(tested) / (repeats * folds * len(models)))
    columns = ["repeat", "fold", "model", "trained_on", "tested_on", "perplexity"]
    splits = pd.DataFrame(tested, columns=columns)
    table = _against_best(splits)
    return CrossValidation(table, splits, unit, n_units, folds, repeats, note)


def _usual_models(comparisons: int) -> tuple[Sequence[str], str]:
    """Choose models for a number of comparisons; note those that are left out."""
    if comparisons <= MOST_SINGLE:
        return [*MODELS], ""
    single = [name for name in MODELS if METHODS[name].random]
    models = [name for name in MODELS if name not in single]
    note = f"{', '.join(single)} left out: over {MOST_SINGLE:,} comparisons"
    return models, warning("models_left_out", note)


def _fits(
    rows: ComparisonRows,
    held_out: np.ndarray,
    models: Sequence[str],
    seed: int,
) -> Iterator[Task]:
    """Yield a task a fold and model; `held_out` counts rows, (rows, folds)."""
    whole = rows.tallied
    for fold, tested in enumerate(held_out.T):
        test = rows.tally(tested)
        for name in models:
            arguments = name, whole - test, test, rows.systems, [seed, fold]
            yield _perplexity, arguments, {}


def _perplexity(
    name: str,
    train: np.ndarray,
    test: np.ndarray,
    systems: Sequence[str],
    seed: list[int],
) -> float:
    """Fit a model and compute its perplexity on a test set (section 4).

    The model draws from a generator of its own, made of the seed and its name, so that
    its perplexity does not depend on other models.
    """
    rng = methods.model_generator(name, *seed)
    return perplexity(MODELS[name](train, systems=systems, rng=rng), test)


def _against_best(splits: pd.DataFrame) -> pd.DataFrame:
    """Average splits, with standard errors and paired differences from the best."""
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
    """Compute standard errors of means; 0 where values differ by rounding only."""
    return values.sem().mask(lambda error: error <= 1e-12, 0)
