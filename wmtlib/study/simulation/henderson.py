"""Henderson's first method for variance components (Henderson 1953, *Estimation of variance and
covariance components*, Biometrics 9; Searle, Casella and McCulloch 1992, section 5.3).

Each factor gives one statistic: the squared sum of each of its levels, divided by the number of
observations of the level, added up over the levels. Its expectation is linear in the variance
components, with coefficients that are counts. So there is one linear equation for each component.
Nothing is assumed to be normal, and factors need not be balanced, nested or crossed.
"""

from itertools import combinations_with_replacement

import numpy as np

from wmtlib.errors import DataError


def variances(factors: list[np.ndarray], y: np.ndarray) -> np.ndarray:
    """Variances of the factors, in their order, and of the residual.

    With T_A = sum over levels a of (sum of y in a)^2 / n_a, T_0 = (sum of y)^2 / N and T_E = sum of
    y^2: E[T_A - T_0] = sum_B (k_AB - k_0B) var_B + (levels of A - 1) var_E, where k_AB is the sum
    over a and b of n_ab^2 / n_a and k_0B the sum over b of n_b^2 / N.

    Parameters
    ----------
    factors : list of ndarray of int, each (judgements,)
        Level of each judgement; every number up to the largest occurs.
    y : ndarray, (judgements,)

    Raises
    ------
    DataError
        Two factors group the judgements alike.
    """
    total, count = len(y), len(factors)
    sizes = [np.bincount(levels) for levels in factors]
    between = [(np.bincount(x, y) ** 2 / n).sum() for x, n in zip(factors, sizes, strict=True)]
    overall = np.array([n @ n / total for n in sizes])
    expected = np.empty((count + 1, count + 1))
    for a, b in combinations_with_replacement(range(count), 2):
        # n_ab: number of judgements in level a of one factor and level b of the other.
        cells, n = np.unique(factors[a] * len(sizes[b]) + factors[b], return_counts=True)
        in_a, in_b = np.divmod(cells, len(sizes[b]))
        expected[a, b] = (n**2 / sizes[a][in_a]).sum() - overall[b]
        expected[b, a] = (n**2 / sizes[b][in_b]).sum() - overall[a]
    expected[count, :count] = total - overall
    expected[:, count] = [*(len(n) - 1 for n in sizes), total - 1]
    try:
        return np.linalg.solve(expected, np.array([*between, y @ y]) - y.sum() ** 2 / total)
    except np.linalg.LinAlgError:
        alike = "two of system, document, segment and worker group the judgements alike"
        raise DataError(f"the variance components cannot be separated: {alike}") from None
