"""A linear model of scores with systems and documents as fixed effects. Notebook 62.

The score of a system's segment in a document is a system's effect, plus a document's
effect, plus noise; the noise of one cluster (a document, a HIT or a worker) may be
alike (Liang and Zeger 1986). Unlike the sum of differences T it uses also documents
that only one of two systems has.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtr


def system_effects(values: pd.DataFrame, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Fit effects of systems, and what each value adds to their errors.

    Parameters
    ----------
    values : DataFrame
        Columns system (a number below `size`), document and z.

    Returns
    -------
    effect : ndarray, (systems,)
    adds : ndarray, (values, systems)
    """
    systems = pd.DataFrame(np.eye(size)[values["system"]])
    rows = systems.assign(z=values["z"].to_numpy())
    document = values["document"].to_numpy()
    within = rows - rows.groupby(document).transform("mean")
    design = within[[*systems]].to_numpy()
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-10, hermitian=True)
    effect = inverse @ design.T @ within["z"].to_numpy()
    residual = within["z"].to_numpy() - design @ effect
    return effect, (design * residual[:, None]) @ inverse


def effects_p(effect: np.ndarray, adds: np.ndarray, cluster: pd.Series) -> np.ndarray:
    """Compute one-sided p of all pairs of effects, with errors alike in a cluster.

    Parameters
    ----------
    effect, adds : ndarray
        As `system_effects` gives them.
    cluster : Series, (values,)
    """
    of_clusters = pd.DataFrame(adds).groupby(cluster.to_numpy()).sum().to_numpy()
    number = len(of_clusters)
    covariance = of_clusters.T @ of_clusters * number / (number - 1)
    variance = np.diag(covariance)
    spread = variance[:, None] + variance - 2 * covariance
    np.fill_diagonal(spread, np.nan)
    return stdtr(number - 1, (effect - effect[:, None]) / np.sqrt(spread))
