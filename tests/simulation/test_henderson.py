"""Henderson's first method: analyses of variance by hand."""

import numpy as np
import pytest

from wmtlib.study.simulation import henderson


def test_one_way_analysis_of_variance():
    # Groups (1, 3) and (5, 7): mean squares 16 between and 2 within, so (16 - 2) / 2 and 2.
    found = henderson.variances([np.array([0, 0, 1, 1])], np.array([1.0, 3.0, 5.0, 7.0]))
    assert found == pytest.approx([7, 2])


def test_two_way_analysis_of_variance():
    # Rows of means 2 and 6, columns 3 and 5, no residual: 8 between rows, 2 between columns.
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = henderson.variances([rows, columns], np.array([1.0, 3.0, 5.0, 7.0]))
    assert found == pytest.approx([8, 2, 0])
