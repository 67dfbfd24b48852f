"""Item-response models of translation competitions (Hopkins & May 2013, section 7).

A system s has an ability; an item i, the translation of one segment by one system, has a quality
drawn from it; a judge observes the quality of both items of a comparison with noise of his own:

    mu_s ~ N(0, sigma_0²),   q_i ~ N(mu_author(i), sigma_a²),   o ~ N(q, sigma_obs²) per option,

and prefers neither iff |o1 - o2| < radius, else the option that he observed to be better. The
categorical model has discrete qualities 1..Lambda and observations, q_i ~ theta_author(i),
theta_s ~ Dirichlet(alpha), and needs |o1 - o2| <= radius, since its radius is 0.

Comparisons enter by d = o1 - o2 alone, so nothing tells where zero is: the mean ability keeps its
prior, N(0, sigma_0² / n), independent of all differences, whatever the data.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri_exp

from wmtlib.judgements.errors import DataError
from wmtlib.preference.base import PreferenceModel, track

PAPER: dict[str, dict[str, Any]] = {  # footnote 13
    "gaussian": {"sigma_0": 1.0, "sigma_a": 0.5, "sigma_obs": 1.0, "radius": 0.4},
    "categorical": {"levels": 8, "alpha": 0.5, "sigma_obs": 1.0, "radius": 0},
}


@dataclass(frozen=True, eq=False)
class GaussianIRT(PreferenceModel):
    """IRT-Gaussian: what `gaussian` and `gaussian_deterministic` return.

    Attributes
    ----------
    systems, probabilities
        See `PreferenceModel`; the diagonal is for two items of the same system.
    abilities : DataFrame, index system
        Columns mean and sd of the posterior.
    settings : dict
        Hyperparameters and sampler.
    draws : ndarray (kept iterations, systems), or None from the deterministic fit
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class CategoricalIRT(PreferenceModel):
    """IRT-Categorical: what `categorical` returns.

    Attributes
    ----------
    abilities : DataFrame, index system
        Columns mean and sd, over the posterior, of a system's mean quality (1 .. levels).
    settings : dict
        Hyperparameters.
    draws : ndarray (kept iterations, systems, levels)
        Chance of each quality.
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray = field(repr=False)


class _Data(NamedTuple):
    """Comparisons as positions; a swap of options or rows in the frame leaves this the same."""

    systems: tuple[str, ...]
    author: np.ndarray  # of each item
    block: np.ndarray  # of each item, sorted: its segment; items of different blocks never meet
    first: np.ndarray  # item of each comparison: the preferred one, if any
    second: np.ndarray
    decided: int  # so many comparisons are decided; the ties come after them


def gaussian(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    rng: np.random.Generator,
    sigma_0: float = 1.0,
    sigma_a: float = 0.5,
    sigma_obs: float = 1.0,
    radius: float = 0.4,
    iterations: int = 200,
    burn_in: int = 50,
    sampler: str = "plain",
) -> GaussianIRT:
    """Fit IRT-Gaussian by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Parameters
    ----------
    comparisons : DataFrame
        Columns system_1, system_2, preference and, if known, segment; a comparison without one
        has two items of its own. Neither the order of the rows nor that of the options matters.
    systems : sequence of str
        All of the competition; those without comparisons keep the prior.
    sampler : {"plain", "collapsed"}
        Walk the plate diagram variable by variable; or keep only d = o1 - o2 of the observations,
        and draw abilities with the qualities integrated out: the same posterior, but the chain
        forgets faster. The plain one starts at zero and, with thousands of comparisons, needs
        thousands of iterations for the common offset of all abilities, hence for their sd;
        differences, on which the probabilities rest, are much faster.

    Raises
    ------
    ValueError
        A standard deviation that is not positive, a negative radius, burn_in >= iterations.
    DataError
        Fewer than two systems, comparisons that cannot be used, or ties although the radius is 0.
    """
    if sampler not in SAMPLERS:
        raise ValueError(f"sampler is {sampler!r}, neither 'plain' nor 'collapsed'")
    _require_iterations(iterations, burn_in)
    data = data_of(comparisons, systems)
    sigmas = _gaussian_settings(
        data, sigma_0=sigma_0, sigma_a=sigma_a, sigma_obs=sigma_obs, radius=radius
    )
    chain = SAMPLERS[sampler](data, rng, **sigmas)
    draws = np.array([*islice(chain, burn_in, iterations)])
    steps = {"iterations": iterations, "burn_in": burn_in, "sampler": sampler}
    return GaussianIRT(
        systems=data.systems,
        probabilities=_gaussian_query(draws[:, :, None] - draws[:, None], **sigmas),
        abilities=_summary(data, draws.mean(axis=0), draws.std(axis=0)),
        settings=sigmas | steps,
        draws=draws,
    )


def _plain(data, rng, *, sigma_0, sigma_a, sigma_obs, radius) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, of the plate diagram's Gibbs sampler.

    Observations: o1 - o2 is truncated by the preference, o1 + o2 ~ N(q1 + q2, 2 sigma_obs²) is
    independent of it. Quality: precision 1/sigma_a² + (options)/sigma_obs², mean weighed alike.
    Ability: precision 1/sigma_0² + (items)/sigma_a².
    """
    n, items, size = len(data.systems), len(data.author), len(data.first)
    options = np.bincount(data.first, minlength=items) + np.bincount(data.second, minlength=items)
    var_q = 1 / (1 / sigma_a**2 + options / sigma_obs**2)
    var_mu = 1 / (1 / sigma_0**2 + np.bincount(data.author, minlength=n) / sigma_a**2)
    sd_q, sd_mu = np.sqrt(var_q), np.sqrt(var_mu)
    mu, q = np.zeros(n), np.zeros(items)
    while True:
        q1, q2 = q[data.first], q[data.second]
        d = _differences(q1 - q2, np.sqrt(2) * sigma_obs, radius, data.decided, rng)
        total = q1 + q2 + np.sqrt(2) * sigma_obs * rng.standard_normal(size)
        seen = np.bincount(data.first, (total + d) / 2, minlength=items)
        seen += np.bincount(data.second, (total - d) / 2, minlength=items)
        mean = var_q * (mu[data.author] / sigma_a**2 + seen / sigma_obs**2)
        q = mean + sd_q * rng.standard_normal(items)
        mean = var_mu * np.bincount(data.author, q, minlength=n) / sigma_a**2
        mu = mean + sd_mu * rng.standard_normal(n)
        yield mu


def _collapsed(data, rng, *, sigma_0, sigma_a, sigma_obs, radius) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, drawn jointly with the qualities given all d = o1 - o2.

    With A q = q1 - q2 and B mu = mu_author, (mu, q) given d is Gaussian with precision L, blocks
    [1/sigma_0² + B'B/sigma_a², -B'/sigma_a²; ., Q], Q = 1/sigma_a² + A'A / (2 sigma_obs²), and
    L (mu, q) = (0, A'd / (2 sigma_obs²)) at its mean. Noise of covariance L added to that right
    side makes the solution a draw: one white noise for each Gaussian factor of the joint density.
    """
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise = np.sqrt(2) * sigma_obs
    q_cov, q_gain, mu_cov = _posterior(
        data, _Blocks(data), np.full(size, noise**-2), sigma_0, sigma_a
    )
    q = np.zeros(items)
    while True:
        d = _differences(q[data.first] - q[data.second], noise, radius, data.decided, rng)
        white = rng.standard_normal(items) / sigma_a
        right = white + _net(data, d / noise**2 + rng.standard_normal(size) / noise)
        q = q_cov @ right
        about_mu = np.bincount(data.author, q / sigma_a**2 - white, minlength=n)
        mu = mu_cov @ (about_mu + rng.standard_normal(n) / sigma_0)
        q += q_gain @ mu
        yield mu


SAMPLERS = {"plain": _plain, "collapsed": _collapsed}


def _differences(mean, sd, radius, decided, rng) -> np.ndarray:
    """Draw d ~ N(mean, sd²) above the radius where decided, within it where tied.

    By inverting the upper tail S(z), in logs: log S(z) = log S(low) - e, e ~ Exp(1), above low;
    log S(z) = log(S(low) - u (S(low) - S(high))) between. Ties are mirrored to where S is small.
    """
    d = np.empty(len(mean))
    low = (radius - mean[:decided]) / sd
    d[:decided] = -ndtri_exp(log_ndtr(-low) - rng.standard_exponential(decided))
    np.maximum(d[:decided], low, out=d[:decided])
    centre, half = np.abs(mean[decided:]) / sd, radius / sd
    top, bottom = log_ndtr(half - centre), log_ndtr(-half - centre)
    inside = top + np.log1p(rng.random(len(centre)) * np.expm1(bottom - top))
    inside = np.clip(-ndtri_exp(inside), centre - half, centre + half)
    d[decided:] = np.copysign(1, -mean[decided:]) * inside
    return mean + sd * d


def _gaussian_query(difference, *, sigma_0, sigma_a, sigma_obs, radius, variance=0.0):
    """P(pi | a, b) for new items: o1 - o2 ~ N(mu_a - mu_b, 2 sigma_a² + 2 sigma_obs² [+ variance]).

    `difference` is mu_a - mu_b (draws, n, n), antisymmetric; the mean over draws is returned.
    """
    sd = np.sqrt(2 * sigma_a**2 + 2 * sigma_obs**2 + variance)
    win = ndtr((difference - radius) / sd).mean(axis=0)
    apart = np.abs(difference)
    tie = (ndtr((radius - apart) / sd) - ndtr((-radius - apart) / sd)).mean(axis=0)
    return np.stack([tie, win, win.T], axis=-1)


class _Blocks:
    """Sparse matrices of items x items, a dense block for each segment, inverted block by block."""

    def __init__(self, data: _Data):
        _, start, block, size = np.unique(
            data.block, return_index=True, return_inverse=True, return_counts=True
        )
        self.indptr = np.append(0, np.cumsum(size[block]))
        self.shift = self.indptr[:-1] - start[block]  # cell (i, j) is stored at shift[i] + j
        row = np.repeat(np.arange(len(block)), size[block])
        self.indices = np.arange(len(row)) - self.shift[row]
        self.by_size = [
            self.indptr[start[size == k]][:, None] + np.arange(k * k) for k in np.unique(size)
        ]
        i, j = data.first, data.second
        self.cells = np.array([self.shift[x] + y for x, y in ((i, i), (j, j), (i, j), (j, i))])
        self.signs = np.array([1, 1, -1, -1])  # of these cells in A'A, and in var(q1 - q2)

    def inverse(self, tau: np.ndarray, sigma_a: float) -> sparse.csr_array:
        """(1/sigma_a² + A' diag(tau) A)^-1, tau the precision of each comparison's d."""
        pieces = np.outer(self.signs, tau)
        values = np.bincount(self.cells.ravel(), pieces.ravel(), minlength=len(self.indices))
        values = values.astype(float)  # bincount of nothing is integer
        values[self.shift + np.arange(len(self.shift))] += sigma_a**-2
        for group in self.by_size:
            k = math.isqrt(group.shape[1])
            values[group] = np.linalg.inv(values[group].reshape(-1, k, k)).reshape(-1, k * k)
        shape = (len(self.shift), len(self.shift))
        return sparse.csr_array((values, self.indices, self.indptr), shape=shape)


def _net(data: _Data, pull: np.ndarray) -> np.ndarray:
    """A' pull: what comparisons add to their first item and take from their second."""
    items = len(data.author)
    up = np.bincount(data.first, pull, minlength=items)
    return up - np.bincount(data.second, pull, minlength=items)


def _posterior(data, blocks, tau, sigma_0, sigma_a):
    """Of (mu, q) given d with precisions tau: cov(q | mu), the gain of q on mu, and cov(mu).

    In the blocks of `_collapsed`: Q^-1, Q^-1 B / sigma_a², and the inverse of Q's Schur complement.
    """
    n, items = len(data.systems), len(data.author)
    author = sparse.csr_array((np.ones(items), (np.arange(items), data.author)), shape=(items, n))
    q_cov = blocks.inverse(tau, sigma_a)
    q_gain = q_cov @ author / sigma_a**2
    schur = -(author.T @ q_gain).toarray() / sigma_a**2
    schur[np.diag_indices(n)] += sigma_0**-2 + np.bincount(data.author, minlength=n) / sigma_a**2
    return q_cov, q_gain, np.linalg.inv(schur)


def gaussian_deterministic(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    sigma_0: float = 1.0,
    sigma_a: float = 0.5,
    sigma_obs: float = 1.0,
    radius: float = 0.4,
    tolerance: float = 1e-9,
) -> GaussianIRT:
    """Approximate the posterior of `gaussian` by expectation propagation, without randomness.

    With d integrated out, a comparison is a factor P(pi | f) of f = q1 - q2, log-concave in f. Each
    is replaced by a Gaussian site exp(nu f - tau f² / 2), which keeps mean and variance of f right
    under (all other sites) x (the exact factor). The approximation is that all else stays Gaussian;
    with a single comparison the moments are exact.

    Raises
    ------
    RuntimeError
        If the sites still move after 200 sweeps, as when sigma_obs is a small part of the radius.
    """
    data = data_of(comparisons, systems)
    sigmas = _gaussian_settings(
        data, sigma_0=sigma_0, sigma_a=sigma_a, sigma_obs=sigma_obs, radius=radius
    )
    blocks = _Blocks(data)
    tau, nu = np.zeros((2, len(data.first)))
    for _ in range(200):
        q_cov, q_gain, mu_cov = _posterior(data, blocks, tau, sigma_0, sigma_a)
        q = q_cov @ _net(data, nu)
        mu = mu_cov @ np.bincount(data.author, q, minlength=len(mu_cov)) / sigma_a**2
        q += q_gain @ mu
        root = q_gain @ np.linalg.cholesky(mu_cov)
        var = blocks.signs @ q_cov.data[blocks.cells]
        var += ((root[data.first] - root[data.second]) ** 2).sum(axis=1)
        cavity = var / (1 - var * tau)
        mean = cavity * ((q[data.first] - q[data.second]) / var - nu)
        slope, bend = _log_slopes(mean, np.sqrt(cavity + 2 * sigma_obs**2), radius, data.decided)
        new = np.array([bend, slope + mean * bend]) / (1 - cavity * bend)
        step = new - (tau, nu)
        if (np.abs(step) * (var, np.sqrt(var)) < tolerance).all():  # in the unit of sd(f)
            break
        tau, nu = (tau, nu) + 0.8 * step
    else:
        raise RuntimeError(
            "expectation propagation has not settled within 200 sweeps; is sigma_obs "
            f"({sigma_obs}) too small beside the radius ({radius})?"
        )
    variance = mu_cov.diagonal()
    spread = variance + variance[:, None] - (mu_cov + mu_cov.T)
    return GaussianIRT(
        systems=data.systems,
        probabilities=_gaussian_query((mu[:, None] - mu)[None], **sigmas, variance=spread),
        abilities=_summary(data, mu, np.sqrt(variance)),
        settings=sigmas | {"sampler": "expectation propagation", "tolerance": tolerance},
    )


def _log_slopes(mean, sd, radius, decided):
    """First and minus second derivative by mean of log P(N(mean, sd²) agrees with the judge).

    With x = (mean - radius) / sd and r = phi(x) / Phi(x): r / sd and r (r + x) / sd². For a tie
    P = Phi(high) - Phi(low); by symmetry |mean| is taken, where both are small or moderate.
    """
    slope, bend = np.empty((2, len(mean)))
    x = (mean[:decided] - radius) / sd[:decided]
    ratio = np.exp(_log_phi(x) - log_ndtr(x))
    slope[:decided], bend[:decided] = ratio, ratio * (ratio + x)
    centre, half = np.abs(mean[decided:]) / sd[decided:], radius / sd[decided:]
    high, low = half - centre, -half - centre
    log_p = log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high)))
    at_high, at_low = np.exp(_log_phi(high) - log_p), np.exp(_log_phi(low) - log_p)
    slope[decided:] = np.copysign(at_low - at_high, -mean[decided:])
    bend[decided:] = slope[decided:] ** 2 + high * at_high - low * at_low
    return slope / sd, bend / sd**2


def _log_phi(x: np.ndarray) -> np.ndarray:
    return -0.5 * x**2 - 0.5 * math.log(2 * math.pi)


def categorical(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    rng: np.random.Generator,
    levels: int = 8,
    alpha: float = 0.5,
    sigma_obs: float = 1.0,
    radius: float = 0,
    iterations: int = 200,
    burn_in: int = 50,
) -> CategoricalIRT:
    """Fit IRT-Categorical by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Observations, qualities and ability distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).

    Parameters and errors are those of `gaussian`, with `levels` Lambda >= 2 and Dirichlet strength
    `alpha`; a comparison is a tie iff |o1 - o2| <= radius. Levels are told apart by order alone,
    and abilities drift along them together, slowly; see `sampler_checks.autocorrelation_time`.
    """
    _require_iterations(iterations, burn_in)
    data = data_of(comparisons, systems)
    settings = {"levels": levels, "alpha": alpha, "sigma_obs": sigma_obs, "radius": radius}
    if levels < 2:
        raise ValueError(f"levels is {levels}: qualities need at least 2")
    _require(alpha=alpha, sigma_obs=sigma_obs, radius=radius)
    if data.decided and radius >= levels - 1:
        raise DataError(f"with radius {radius} and {levels} levels every comparison would be a tie")
    chain = _categorical(data, rng, **settings)
    draws = np.array([*islice(chain, burn_in, iterations)])
    quality = draws @ np.arange(1, levels + 1)
    return CategoricalIRT(
        systems=data.systems,
        probabilities=_categorical_query(draws, levels, sigma_obs, radius),
        abilities=_summary(data, quality.mean(axis=0), quality.std(axis=0)),
        settings=settings | {"iterations": iterations, "burn_in": burn_in},
        draws=draws,
    )


def log_noise(levels: int, sigma_obs: float) -> np.ndarray:
    """log P(o | q), rows q: the Gaussian density at o - q, normalised over o in 1..Lambda."""
    log = -0.5 * (np.subtract.outer(np.arange(levels), np.arange(levels)) / sigma_obs) ** 2
    return log - logsumexp(log, axis=1, keepdims=True)


def _agrees(levels: int, radius: float) -> np.ndarray:
    """Whether (o1, o2) make a judge prefer the first (row 0) or neither (row 1)."""
    difference = np.subtract.outer(np.arange(levels), np.arange(levels))
    return np.stack([difference > radius, np.abs(difference) <= radius])


def _observation_table(levels: int, sigma_obs: float, radius: float) -> np.ndarray:
    """Cumulated P(o1, o2 | q1, q2, tie or not), 40-bit integers; row (tie, q1, q2) adds row << 40.

    A draw of (o1, o2) is then one exact search of the raveled table for (row << 40) + 40 bits.
    """
    noise = log_noise(levels, sigma_obs)
    log = noise[:, None, :, None] + noise[None, :, None, :]  # q1, q2, o1, o2
    with np.errstate(divide="ignore"):
        log = log + np.log(_agrees(levels, radius))[:, None, None]
    log = log.reshape(2 * levels**2, levels**2)
    highest = np.maximum(log.max(axis=1, keepdims=True), -1e300)  # a preference that cannot be
    cumulated = np.exp(log - highest).cumsum(axis=1)
    cumulated /= np.maximum(cumulated[:, -1:], 1e-300)
    row = np.arange(len(log), dtype=np.int64)[:, None]
    return ((cumulated * (1 << 40)).round().astype(np.int64) + (row << 40)).ravel()


def _categorical(data, rng, *, levels, alpha, sigma_obs, radius) -> Iterator[np.ndarray]:
    """Ability distributions, iteration by iteration; the conditionals are in `categorical`."""
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise, table = log_noise(levels, sigma_obs), _observation_table(levels, sigma_obs, radius)
    tie = np.arange(size) >= data.decided
    option = np.concatenate([data.first, data.second])
    theta, q = np.full((n, levels), 1 / levels), rng.integers(levels, size=items)
    while True:
        row = (tie * levels + q[data.first]) * levels + q[data.second]
        pick = table.searchsorted((row << 40) + rng.integers(1 << 40, size=size), side="right")
        o1, o2 = np.divmod(pick - row * levels**2, levels)
        seen = np.bincount(np.concatenate([o1, o2]) * items + option, minlength=levels * items)
        log = noise @ seen.reshape(levels, items)  # qualities x items
        weight = np.exp(log - log.max(axis=0)) * theta.T.take(data.author, axis=1)
        weight = np.tri(levels) @ weight  # cumulated
        q = (weight[:-1] <= weight[-1] * rng.random(items)).sum(axis=0)
        counts = np.bincount(data.author * levels + q, minlength=n * levels).reshape(n, levels)
        theta = rng.standard_gamma(alpha + counts)
        theta /= theta.sum(axis=1, keepdims=True)
        yield theta


def _categorical_query(theta, levels, sigma_obs, radius) -> np.ndarray:
    """P(pi | a, b) for new items: theta_a' W_pi theta_b, W_pi = noise [pi agrees] noise'."""
    noise = np.exp(log_noise(levels, sigma_obs))
    win, tie = noise @ _agrees(levels, radius) @ noise.T
    win = np.tensordot(theta @ win, theta, axes=([0, 2], [0, 2])) / len(theta)
    tie = np.tensordot(theta @ tie, theta, axes=([0, 2], [0, 2])) / len(theta)
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)


def data_of(comparisons: pd.DataFrame, systems: Sequence[str]) -> _Data:
    """Comparisons as positions of items and authors, in an order that rows do not matter to."""
    names = track(systems)
    a, b = (_positions(comparisons[c], names) for c in ("system_1", "system_2"))
    if (a == b).any():
        raise DataError(f"system {names[a[a == b][0]]!r} is compared with itself")
    preference = comparisons["preference"].to_numpy()
    if not np.isin(preference, (0, 1, 2)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    tie = preference == 0
    swap = (preference == 2) | (tie & (a > b))
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    segment = np.zeros(len(a), dtype=np.intp)
    if "segment" in comparisons:
        segment, _ = pd.factorize(comparisons["segment"], sort=True)
        if (segment < 0).any():
            raise DataError("a comparison lacks its segment")
    order = np.lexsort((b, a, segment, tie))
    if "segment" not in comparisons:
        segment[order] = np.arange(len(a))
    key = np.concatenate([segment[order] * len(names) + x[order] for x in (a, b)])
    item, option = np.unique(key, return_inverse=True)
    block, author = np.divmod(item, len(names))
    first, second = np.split(option, 2)
    return _Data(names, author, block, first, second, int((~tie).sum()))


def _positions(column: pd.Series, names: tuple[str, ...]) -> np.ndarray:
    cat = column.astype("category").cat
    place = np.append(pd.Index(names).get_indexer(cat.categories), -1)[cat.codes]
    if (place < 0).any():
        name = column[place < 0].iloc[0]
        raise DataError(f"system {name!r} is compared, but is no system of the track")
    return place


def _require(**settings: float) -> None:
    for name, value in settings.items():
        if not (0 < value < np.inf or (name == "radius" and value == 0)):
            what = "not be negative" if name == "radius" else "be positive"
            raise ValueError(f"{name} is {value}: it must be finite and {what}")


def _require_iterations(iterations: int, burn_in: int) -> None:
    if not 0 <= burn_in < iterations:
        raise ValueError(f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}")


def _gaussian_settings(data: _Data, **settings: float) -> dict[str, float]:
    _require(**settings)
    if settings["radius"] == 0 and data.decided < len(data.first):
        raise DataError("there are ties, which a radius of 0 makes impossible")
    return settings


def _summary(data: _Data, mean: np.ndarray, sd: np.ndarray) -> pd.DataFrame:
    index = pd.Index(data.systems, name="system")
    return pd.DataFrame({"mean": mean, "sd": sd}, index=index)
