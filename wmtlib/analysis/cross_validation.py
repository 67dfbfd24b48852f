"""Which model of preferences predicts these judgements best (Hopkins & May 2013)?

`cross_validate` has every model predict parts of the judgements from the others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned
from wmtlib.preference.model_registry import MODELS
from wmtlib.preference.prediction import held_out_perplexities, require_models

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
            for name, perplexity in scored[fold].items():
                found.append({**split, "model": name, **size, "perplexity": perplexity})
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
