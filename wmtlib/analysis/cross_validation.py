"""Which model of preferences predicts these judgements best (Hopkins & May 2013)?

`held_out` has every model predict parts of the judgements from the others.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference import model_registry, preference_model

IRT_LARGEST = 20_000  # comparisons up to which `held_out` fits item-response models unasked
VARIANTS = ("Geometric Students (as printed)", "IRT-Gaussian (segments unknown)")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """How well models predict judgements that they were not trained on.

    Attributes
    ----------
    frame : DataFrame
        Best first: model, perplexity (mean over the splits), error (its standard error),
        difference (from the best) and difference_error (standard error of the mean of the paired
        differences). Splits share training data, so that the errors are somewhat too small. NaN
        for the errors of an infinite perplexity: something happened that the model excludes.
    splits : DataFrame
        repeat, fold, model, trained_on, tested_on (comparisons), perplexity.
    unit : str
        What was held out as a whole.
    units, folds, repeats : int
    note : str
        "" or one line on what was left out.
    """

    frame: pd.DataFrame
    splits: pd.DataFrame = field(repr=False)
    unit: str
    units: int
    folds: int
    repeats: int
    note: str = ""


def held_out(
    data: Counts | pd.DataFrame,
    models: Sequence[str] | None = None,
    *,
    unit: str = COMPARISON,
    folds: int = 5,
    repeats: int = 1,
    rng: np.random.Generator,
) -> HeldOut:
    """Perplexity of preference models on parts of the judgements that they were not trained on.

    Units are dealt to `folds` parts at random; each part is predicted from the others, by every
    model from the same ones; `repeats` times. Every system counts, the reference too. Segments are
    known to the item-response models if they are a column of the frame.

    Parameters
    ----------
    data : Counts or comparisons frame
    models : sequence of str, optional
        Of `model_registry.MODELS`; all of them by default, but `VARIANTS`, and the item-response
        models if there are more than `IRT_LARGEST` comparisons.
    unit : str
        "comparison", or a unit column of the frame to be held out as a whole.
    folds, repeats : int
    rng : Generator

    Raises
    ------
    DataError
        An unknown model or unit, fewer than two folds, or fewer units than folds.
    """
    rows = counting.expand(data)
    note = ""
    if models is None:
        models = [name for name in model_registry.MODELS if name not in VARIANTS]
        if len(rows) > IRT_LARGEST:
            models = [name for name in models if not name.startswith("IRT")]
            note = f"item-response models left out: over {IRT_LARGEST:,} comparisons"
    if unknown := [name for name in models if name not in model_registry.MODELS]:
        raise DataError(f"no model {unknown[0]!r}; there are {', '.join(model_registry.MODELS)}")
    if not models or len(set(models)) < len(models):
        raise DataError("models to compare: expected one or more, each once")
    if folds < 2 or repeats < 1:
        raise DataError(f"{folds} fold(s), {repeats} repeat(s); expected two or more, one or more")
    counting.require_unit(data, unit)
    code, units = np.arange(len(rows)), len(rows)
    if unit != COMPARISON:
        code, units = counting.unit_codes(rows[unit], unit)
    if units < folds:
        raise DataError(f"{units} {unit}(s) cannot be dealt to {folds} folds; take fewer folds")
    systems = counting.counts(data).systems
    found = []
    for repeat in range(repeats):
        fold_of, seed = rng.permutation(units)[code] % folds, int(rng.integers(2**63))
        for fold in range(folds):
            train, test = rows[fold_of != fold], rows[fold_of == fold]
            for name in models:
                own = np.random.default_rng([seed, fold, zlib.crc32(name.encode())])
                model = model_registry.MODELS[name](train, systems=systems, rng=own)
                found.append(
                    {
                        "repeat": repeat,
                        "fold": fold,
                        "model": name,
                        "trained_on": len(train),
                        "tested_on": len(test),
                        "perplexity": preference_model.perplexity(model, test),
                    }
                )
    splits = pd.DataFrame(found)
    return HeldOut(_against_best(splits), splits, unit, units, folds, repeats, note)


def _against_best(splits: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors over splits, and differences from the best, split by split."""
    wide = splits.pivot_table(index=["repeat", "fold"], columns="model", values="perplexity")
    mean = wide.mean().sort_values(kind="stable")
    root = np.sqrt(len(wide))
    rows = []
    for name in mean.index:
        values, gap = wide[name].to_numpy(), (wide[name] - wide[mean.index[0]]).to_numpy()
        sure = np.isfinite(values).all()
        rows.append(
            {
                "model": name,
                "perplexity": mean[name],
                "error": _deviation(values) / root if sure else np.nan,
                "difference": gap.mean() if sure else np.inf,
                "difference_error": _deviation(gap) / root if sure else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _deviation(values: np.ndarray) -> float:
    """Standard deviation, 0 where values differ by rounding only."""
    found = float(values.std(ddof=1))
    return found if found > 1e-12 else 0.0
