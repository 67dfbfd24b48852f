"""Newton's method on many functions at once."""

import numpy as np
import pytest

from wmtlib import models as newton
from wmtlib.errors import DataError


@pytest.mark.parametrize("size", [1, 52, 53, 120, 230])
def test_solving_by_halves(size):
    draw = np.random.default_rng(size).normal(size=(3, size, 2 * size))
    matrix = draw @ draw.swapaxes(1, 2) / size + np.eye(size)
    right = draw[:, :, :1]
    expected = np.linalg.solve(matrix, right)
    np.testing.assert_allclose(newton.solve_by_halves(matrix, right), expected, atol=1e-10)


def maximise(slope, start):
    """The maximum of log s(x) + log s(slope - x) for two starting points; s is logistic."""

    def derivatives(theta, todo):
        up, down = (1 / (1 + np.exp(x)) for x in (theta, slope - theta))
        return up - down, (up * (1 - up) + down * (1 - down))[..., None]

    return newton.maximise(
        derivatives,
        np.array(start)[:, None],
        reach=lambda step: np.abs(step[:, 0]),
        rounding=np.zeros(len(start)),
        last_is_positive=False,
    )


def test_the_maximum_is_found_from_far_away():
    assert maximise(3.0, [0.0, 30.0, -500.0]) == pytest.approx(np.full((3, 1), 1.5))


def test_a_function_without_a_maximum_is_refused():
    with np.errstate(over="ignore"), pytest.raises(DataError, match="has not settled"):
        maximise(np.inf, [0.0])
