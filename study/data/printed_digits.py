"""Numbers that the campaigns printed with seven significant digits."""

import numpy as np

Array = np.ndarray
Arrays = tuple[Array, Array]
PRINTED_DIGITS = 7  # significant digits of the printed mean and sd


def _units_per_one(x: Array | float) -> Array:
    """Compute the power of ten by which seven significant digits are whole."""
    magnitude = np.floor(np.log10(np.maximum(np.abs(x), 1e-3)))
    return 10.0 ** (PRINTED_DIGITS - 1 - magnitude)


def seven_digits(x: Array | float, slack: Array | float = np.inf) -> Arrays:
    """Round to seven significant digits; return whether all are within `slack`."""
    units = _units_per_one(x)
    nearest = np.rint(x * units) / units
    return nearest, np.abs(x - nearest) < slack


def half_last_digit(x: Array | float) -> Array:
    """Compute half a unit of the seventh significant digit, and a little more."""
    return 0.5001 / _units_per_one(x)
