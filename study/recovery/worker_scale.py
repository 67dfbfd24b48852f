"""The scale of one worker: z = (score - mean) / sd, with mean and sd of seven digits.

The campaigns printed each worker's mean and standard deviation (sd) with seven
significant digits and used them as printed, while z-scores are known to about fifteen
digits. So two numbers alone say which judgements can be the worker's, how many items
the worker can have scored, and what the scores that are not known can be. Scores are
whole numbers from 0 to 100.
"""

from collections.abc import Iterable

import numpy as np

from study.data.printed_digits import Array, Arrays, half_last_digit, seven_digits
from wmtlib.core.assessments import HIGHEST_SCORE

# Number of items, sum and sum of squares of their scores.
ItemCount = tuple[int, int, int]
Z_ERROR = 2.5e-14  # error of a z-score of order one, as printed, summed and used
LARGEST_SD = 71.0  # of two scores, 0 and 100


def find_scale(
    raw: Array, z: Array, rows: Array
) -> tuple[tuple[float, float] | None, Array]:
    """Find the scale that explains the first of these rows and most of the others.

    Parameters
    ----------
    raw, z : arrays
        Score and z-score of every row; each is one judgement.
    rows : array of int
        The rows to look at, at least one.

    Returns
    -------
    (mean, sd) or None, array of bool as long as `rows`
        None if no scale explains two rows; and which rows it explains.
    """
    rise = raw[rows] - raw[rows[0]]
    run = z[rows] - z[rows[0]]
    usable = rise * run > 0
    # Each other row gives an sd; those with seven digits whose mean has seven digits
    # too are candidates.
    rise = np.abs(rise[usable])
    sd = rise / np.abs(run[usable])
    sd, fits = seven_digits(sd, sd * sd / rise * Z_ERROR * 1.2 + 1e-14)
    sd = np.unique(sd[fits & (sd > 0) & (sd < LARGEST_SD)])
    mean, fits = seven_digits(raw[rows[0]] - sd * z[rows[0]], sd * Z_ERROR + 2e-13)
    fits &= (mean > 0) & (mean < HIGHEST_SCORE)
    scale = None
    explained = np.zeros(len(rows), dtype=bool)
    for m, s in zip(mean[fits], sd[fits], strict=True):
        points = fits_scale(raw[rows], z[rows], m, s)
        if points.sum() > max(explained.sum(), 1):
            scale = (float(m), float(s))
            explained = points
    return scale, explained


def fits_scale(raw: Array, z: Array, mean: float, sd: float) -> Array:
    """Test which judgements a worker of this scale can have made, as z is rounded."""
    return np.abs(mean + sd * z - raw) < sd * Z_ERROR + 5e-13


# --- numbers of items, and the items that are not known -------------------------------


def possible_item_counts(
    mean: float, sd: float, judgements: float, total: float, squares: float
) -> list[ItemCount]:
    """List numbers of items that a worker of a printed mean and sd can have scored.

    Of n scores let T be the sum and Q the sum of squares. n mean is the whole number T
    up to rounding; (n - 1) sd^2 + T^2 / n is Q, a whole number that is odd where T is.
    The items that are not known must be possible too: u scores of 0..100 with the
    remaining sum, whose squares are not below (sum)^2 / u. The remaining squares may be
    too large: of two scores for one segment only the sum is known, so the known squares
    are too small.

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
    others = n - judgements
    others_total = t - total
    fits = np.abs(t - n * mean) <= n * half_last_digit(mean)
    fits &= (others_total >= 0) & (others_total <= HIGHEST_SCORE * others)
    lowest, highest = _squares(n, t, sd)
    counts = []
    for i in np.flatnonzero(fits):
        for q in range(int(np.ceil(lowest[i])), int(highest[i]) + 1):
            enough = (q - squares) * others[i] >= others_total[i] ** 2 - 1e-6
            if (q - t[i]) % 2 == 0 and q >= squares and enough:
                counts.append((int(n[i]), int(t[i]), q))
    return counts


def _squares(n: Array | int, t: Array | float, sd: float) -> Arrays:
    """Bound the sum of squares of n scores with sum t and this printed sd."""
    middle = (n - 1) * sd * sd + t * t / n
    slack = (n - 1) * 2 * sd * half_last_digit(sd) + 1e-6
    return middle - slack, middle + slack


def _known_sums(scores: Array, times: Array) -> tuple[float, float, float]:
    """Return count, sum and sum of squares of the scores that are known."""
    return times.sum(), (times * scores).sum(), (times * scores**2).sum()


def possible_means(
    item_counts: Iterable[int], sd: float, scores: Array, times: Array
) -> Arrays:
    """List printed means that a worker of this sd and number of items can have.

    Parameters
    ----------
    item_counts : numbers of items to consider
    sd : float
    scores, times : arrays (segments,)
        Mean score of each segment that is known, and how often the worker judged it.
        The scores may be off by a constant: then so is the mean.

    Returns
    -------
    (means, item counts)
        Two arrays, ascending by means, which are taken to be printed with five
        decimals.
    """
    options = [np.empty((2, 0))]
    judged, total, squares = _known_sums(scores, times)
    for n in item_counts:
        others = n - judged
        if others < 0:
            continue
        # Sums of all n scores, if those that are not known are within 0..100 by some
        # offset.
        low = total - (HIGHEST_SCORE - scores.max()) * others
        high = total + (HIGHEST_SCORE + scores.min()) * others
        t = np.arange(np.ceil(low), high + 1)
        lowest, highest = _squares(n, t, sd)
        # The sum of squares is a whole number that is odd where the sum is.
        fits = 2 * np.floor((highest - t) / 2) + t >= lowest
        t = t[fits]
        fits = (highest[fits] - squares) * others >= (t - total) ** 2 - 1e-6
        means = np.rint(t[fits] / n * 1e5) / 1e5
        options.append(np.stack([means, np.full(len(means), float(n))]))
    means, counts = np.concatenate(options, axis=1)
    order = np.argsort(means, kind="stable")
    return means[order], counts[order]


def possible_offsets(
    item_counts: Iterable[int], mean: float, sd: float, scores: Array, times: Array
) -> tuple[float, float]:
    """Bound the offset by scores that are not known, which must be 0..100.

    Parameters
    ----------
    item_counts, sd, scores, times
        As in `possible_means`.
    mean : float
        Off by the same constant as the scores.

    Returns
    -------
    (lowest, highest)
        Whole numbers; (1, -1) if no offset is possible.
    """
    q = np.arange(-2.0 * HIGHEST_SCORE, 2.0 * HIGHEST_SCORE + 1)
    fits = np.zeros(len(q), dtype=bool)
    # Two scores of one segment are known as two halves: their squares may add this much
    # more.
    extra = HIGHEST_SCORE**2 / 2 * (times > 1).sum()
    judged, total, squares = _known_sums(scores, times)
    for n in item_counts:
        others = n - judged
        if others < 0:
            continue
        # The true mean was rounded.
        t = np.rint(n * mean)
        near = np.abs(t - n * mean) <= n * half_last_digit(mean + q)
        others_total = t - total + others * q
        inside = (others_total >= 0) & (others_total <= HIGHEST_SCORE * others)
        # The largest squares that this sum allows: scores of 100, one other score,
        # zeros.
        most = HIGHEST_SCORE**2 * np.floor(others_total / HIGHEST_SCORE)
        most += (others_total % HIGHEST_SCORE) ** 2
        square = (n - 1) * sd * (sd - 2 * half_last_digit(sd)) + n * (mean + q) ** 2
        square -= squares + 2 * q * total + q * q * judged + extra
        fits |= near & inside & (square <= most + 1)
    return (q[fits].min(), q[fits].max()) if fits.any() else (1.0, -1.0)
