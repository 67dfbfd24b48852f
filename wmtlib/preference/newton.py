"""Newton's method on many concave functions at once."""

from collections.abc import Callable

import numpy as np

from wmtlib.judgements.errors import DataError

STEP = 1e-7  # the last step may be this long: the error is about its square
PATIENCE = 50  # after this many steps a gradient within its rounding error ends the climb
LONGEST = 200  # steps
LEAF = 52  # rows of the matrices that LAPACK is given

LocalQuadratic = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def maximise(
    derivatives: LocalQuadratic,
    theta: np.ndarray,
    *,
    reach: Callable[[np.ndarray], np.ndarray],
    rounding: np.ndarray,
    last_is_positive: bool,
) -> np.ndarray:
    """Where each of several concave functions has its maximum.

    A step that changes a difference by r is cut by ln(1 + r) / r, which makes Newton's method climb
    from anywhere on sums of log-logistic terms, as their curvature changes by no more than a factor
    of exp(r).

    Parameters
    ----------
    derivatives : callable
        From parameters (k, p) and the numbers (k,) of their functions to gradients (k, p) and minus
        the second derivatives (k, p, p).
    theta : ndarray (functions, p)
        Where to begin.
    reach : callable
        From steps (k, p) to how much they change a difference at most, (k,).
    rounding : ndarray (functions,)
        Size of a gradient that is nothing but rounding error.
    last_is_positive : bool
        Whether the last parameter has to stay above zero.

    Raises
    ------
    DataError
        No maximum found.
    """
    theta, todo = theta.copy(), np.arange(len(theta))
    for iteration in range(LONGEST):
        gradient, curvature = derivatives(theta[todo], todo)
        step = solve_by_halves(curvature, gradient[..., None])[..., 0]
        length = reach(step)
        cut = np.log1p(length) / np.maximum(length, 1e-300)
        if last_is_positive:
            cut = np.minimum(cut, 1 / (1 + np.abs(step[:, -1]) / theta[todo, -1]))
        cut[length < 1e-3] = 1.0
        theta[todo] += cut[:, None] * step
        moves = length >= STEP
        if iteration >= PATIENCE:  # nearly flat: the steps are what rounding makes them
            moves &= np.abs(gradient).max(axis=1) > rounding[todo]
        todo = todo[moves]
        if not len(todo):
            return theta
    raise DataError("the fit has not settled; expected a prior, or a larger one")


def solve_by_halves(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """`np.linalg.solve` of positive definite matrices, (samples, n, n), by halves.

    Blocks are small enough for the library to work on with one thread each: two threads that wait
    for each other on a busy machine take fifty times as long.
    """
    if (size := matrix.shape[1]) <= LEAF:
        return np.linalg.solve(matrix, right)
    half, width = size // 2, size - size // 2
    across = matrix[:, :half, half:]
    # The upper half by itself, for the right side and for what couples it to the lower half.
    found = solve_by_halves(
        matrix[:, :half, :half], np.concatenate([across, right[:, :half]], axis=2)
    )
    gain, rest = found[:, :, :width], found[:, :, width:]
    back = across.swapaxes(1, 2)
    low = solve_by_halves(matrix[:, half:, half:] - back @ gain, right[:, half:] - back @ rest)
    return np.concatenate([rest - gain @ low, low], axis=1)
