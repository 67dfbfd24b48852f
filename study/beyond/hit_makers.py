"""Annotators whose HITs differ: what each adds to the covariance of a HIT. Notebook 64.

Two sittings of one HIT, of different documents and systems, covary. Do all annotators
make this covariance, or few? The notebook sets real campaigns beside worlds of normal
effects, where the HITs of all annotators vary alike.

The criterion is in the notebook. It was written before this was computed here, but
after a trial from outside (docs/ranking.md).
"""

import numpy as np
import pandas as pd

from study.beyond.unit_tests import membership
from study.beyond.variance_components import EFFECTS
from study.statistics import less_system_means

FEW = (5, 20, 50)  # annotators


def sittings(values: pd.DataFrame) -> pd.DataFrame:
    """Average the z-scores of each sitting, less the mean of its system.

    Parameters
    ----------
    values : DataFrame
        Of `zscores.judged_values`.

    Returns
    -------
    DataFrame
        The columns of a sitting in `EFFECTS`, segments (their number) and y.
    """
    centred = values.assign(y=less_system_means(values, "z"))
    of_sitting = centred.groupby(EFFECTS["sitting"])["y"]
    return of_sitting.agg(segments="size", y="mean").reset_index()


def products(rows: pd.DataFrame, y: np.ndarray, within: str = "task") -> np.ndarray:
    """Sum y y' over pairs of sittings of different documents and systems.

        sum over pairs = (all^2 - by document^2 - by system^2 + by both^2) / 2,

    where by document^2 is the sum, over documents, of (the sum of y)^2.

    Parameters
    ----------
    rows : DataFrame
        Sittings, with annotator and task: numbers of workers and of their HITs.
    y : ndarray of float64, (sittings, worlds)
        With ones the pairs are counted.
    within : "task" or "annotator"
        Whose sittings are paired.

    Returns
    -------
    ndarray of float64, (annotators, worlds)
    """
    owner = rows["annotator"].to_numpy()
    total = np.zeros(1)
    for apart in ([], ["document"], ["system"], ["document", "system"]):
        group = rows.groupby([within, *apart]).ngroup().to_numpy()
        of_group = np.zeros(group.max() + 1, dtype=int)
        of_group[group] = owner
        squares = (membership(group) @ y) ** 2
        total = total + (-1) ** len(apart) * (membership(of_group) @ squares)
    return total / 2


def spread(total: np.ndarray, pairs: np.ndarray, hits: np.ndarray) -> pd.DataFrame:
    """Compute how the covariance of HITs is spread over annotators.

    Parameters
    ----------
    total : ndarray of float64, (annotators, worlds)
        Of `products`.
    pairs, hits : ndarray of float64, (annotators,)
        Pairs of sittings in one HIT, and HITs.

    Returns
    -------
    DataFrame, (worlds, statistics)
        The largest annotators are those with the largest sums of products.
    """
    order = np.argsort(-total, axis=0)
    added = np.take_along_axis(total, order, axis=0)
    table = {"covariance": total.sum(axis=0) / pairs.sum()}
    for few in FEW:
        table[f"share of the {few} largest"] = added[:few].sum(axis=0) / added.sum(0)
    for few in FEW:
        left = pairs[order][few:].sum(axis=0)
        table[f"covariance without {few}"] = added[few:].sum(axis=0) / left
    several = (hits > 1) & (pairs > 0)
    own = total[several] / pairs[several, None]
    table["median annotator of several HITs"] = np.median(own, axis=0)
    table["share of these below 0"] = np.mean(own < 0, axis=0)
    return pd.DataFrame(table)
