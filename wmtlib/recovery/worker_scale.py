"""The line of one worker: z = (score - mean) / sd, with a mean and an sd of seven digits.

What the two printed numbers say by themselves: which points lie on the line, how many items the
worker can have scored, and what the scores that are unseen can be. Scores are whole numbers 0..100.
"""

import numpy as np

DIGITS = 7  # significant digits of the printed mean and sd
TOP = 100  # the highest score
ROUNDING = 2.5e-14  # error of a z-score of order one, as printed, summed and used
LARGEST_SD = 71.0  # two scores, 0 and 100


def printed(x: np.ndarray, slack: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Nearest numbers of seven significant digits, and whether they are within the slack."""
    magnitude = np.floor(np.log10(np.maximum(np.abs(x), 1e-3)))
    grid = 10.0 ** (DIGITS - 1 - magnitude)
    near = np.rint(x * grid) / grid
    return near, np.abs(x - near) < slack


def half_unit(x):
    """Half a unit of the last printed digit of numbers, and a little more."""
    return 0.5001 * 10.0 ** (np.floor(np.log10(np.maximum(np.abs(x), 1e-3))) + 1 - DIGITS)


# --- points on a line --------------------------------------------------------------------------


def line_through(
    raw: np.ndarray, z: np.ndarray, rows: np.ndarray
) -> tuple[tuple[float, float] | None, np.ndarray]:
    """The seven-digit line through the first of these rows and most others; which lie on it.

    Parameters
    ----------
    raw, z : arrays
        Score and z-score of every row.
    rows : array of int
        Those to look at, at least one.

    Returns
    -------
    (mean, sd) or None, array of bool as long as `rows`
    """
    nothing = None, np.zeros(len(rows), dtype=bool)
    rise, run = raw[rows] - raw[rows[0]], z[rows] - z[rows[0]]
    usable = rise * run > 0
    if not usable.any():
        return nothing
    rise, run = np.abs(rise[usable]), np.abs(run[usable])
    sd = rise / run
    sd, fits = printed(sd, sd * sd / rise * ROUNDING * 1.2 + 1e-14)
    sd = np.unique(sd[fits & (sd > 0) & (sd < LARGEST_SD)])
    mean, fits = printed(raw[rows[0]] - sd * z[rows[0]], sd * ROUNDING + 2e-13)
    fits &= (mean > 0) & (mean < TOP)
    best, on = nothing
    for m, s in zip(mean[fits], sd[fits], strict=True):
        points = on_line(raw[rows], z[rows], m, s)
        if points.sum() > max(on.sum(), 1):
            best, on = (float(m), float(s)), points
    return best, on


def on_line(raw: np.ndarray, z: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Which points lie on the line, within what printing z leaves open."""
    return np.abs(mean + sd * z - raw) < sd * ROUNDING + 5e-13


# --- numbers of items, and what is unseen ------------------------------------------------------


def item_counts(
    mean: float, sd: float, *, judgements: int = 0, total: float = 0.0, squares: float = 0.0
) -> list[tuple[int, int, int]]:
    """How many items a worker can have scored, given the printed mean and sd.

    n * mean is a whole number T up to rounding, (n-1) sd^2 + T^2 / n is a whole number Q of the
    same parity as T, and what is left of n, T and Q beyond the judgements that are known must be
    possible: u scores of 0..100 with that sum, whose squares are not below what the sum demands.
    Squares may be above what the unseen can have: of two scores for one segment only the sum is
    known, so that known squares are too small.

    Parameters
    ----------
    mean, sd : float
        As printed: seven significant digits.
    judgements, total, squares : numbers
        Count, sum and sum of squares of the judgements that are known.

    Returns
    -------
    list of (n, T, Q)
        Ascending; n below 800, or below four times the judgements that are known.
    """
    n = np.arange(max(2, judgements), max(4 * judgements, 800))
    t = np.rint(n * mean)
    near = np.abs(t - n * mean) <= n * half_unit(mean)
    left, sum_left = n - judgements, t - total
    near &= (sum_left >= 0) & (sum_left <= TOP * left)
    n, t, left, sum_left = n[near], t[near], left[near], sum_left[near]
    middle = (n - 1) * sd * sd + t * t / n
    slack = (n - 1) * 2 * sd * half_unit(sd) + 1e-6
    found = []
    for i in range(len(n)):
        for q in range(int(np.ceil(middle[i] - slack[i])), int(middle[i] + slack[i]) + 1):
            spare = q - squares
            if (q - t[i]) % 2 or spare < 0:
                continue
            if left[i] == 0 and sum_left[i] != 0:
                continue
            if left[i] and spare * left[i] < sum_left[i] ** 2 - 1e-6:
                continue
            found.append((int(n[i]), int(t[i]), q))
    return found


def possible_means(
    sizes: list[int], sd: float, scores: np.ndarray, times: np.ndarray
) -> np.ndarray:
    """Printed means, ascending, that a worker of this sd and so many items can have.

    Parameters
    ----------
    sizes : list of int
        Numbers of items to consider.
    sd : float
    scores, times : arrays (segments,)
        Mean score of each segment that is known, and how often the worker judged it. The scores
        may be off by a constant: then so is the mean.
    """
    found = [np.empty(0)]
    total, squares = (times * scores).sum(), (times * scores**2).sum()
    for n in sizes:
        left = n - times.sum()
        if left < 0:
            continue
        t = np.arange(np.ceil(total - TOP * left), total + 2 * TOP * left + 1)
        middle, slack = (n - 1) * sd * sd + t * t / n, (n - 1) * 2 * sd * half_unit(sd) + 1e-6
        whole = np.floor(middle + slack) >= np.ceil(middle - slack)
        whole &= (middle + slack - squares) * left >= (t - total) ** 2 - 1e-6
        found.append(printed(t[whole] / n, 1.0)[0])
    return np.unique(np.concatenate(found))


def possible_constants(
    sizes: list[int], mean: float, sd: float, scores: np.ndarray, times: np.ndarray
) -> tuple[float, float]:
    """Lowest and highest constant for which the worker's unseen scores can lie in 0..100.

    Parameters
    ----------
    sizes, sd, scores, times
        As in `possible_means`.
    mean : float
        Off by the same constant as the scores.

    Returns
    -------
    (lowest, highest)
        Whole numbers; (1, -1) if there is none.
    """
    q = np.arange(-2.0 * TOP, 2.0 * TOP + 1)
    fine = np.zeros(len(q), dtype=bool)
    extra = TOP**2 / 2 * (times > 1).sum()  # what two scores of one segment may add to their half
    known, total, squares = times.sum(), (times * scores).sum(), (times * scores**2).sum()
    for n in sizes:
        left, t = n - known, np.rint(n * mean)
        if left < 0:
            continue
        near = np.abs(t - n * mean) <= n * half_unit(mean + q)  # as the true mean was rounded
        spare = t - total + left * q
        most = TOP**2 * np.floor(spare / TOP) + (spare % TOP) ** 2
        square = (n - 1) * sd * (sd - 2 * half_unit(sd)) + n * (mean + q) ** 2
        square -= squares + 2 * q * total + q * q * known + extra
        fine |= near & (spare >= 0) & (spare <= TOP * left) & (square <= most + 1)
    return (q[fine].min(), q[fine].max()) if fine.any() else (1.0, -1.0)
