"""The linear program over all cycles of three, and a gradient method that solves it.

In an order, let ``u(i, j)``, for i before j in some fixed sequence of the systems, be 1 if i stands
above j, else 0. The order costs ``constant - sum of margin(i, j) u(i, j)``, and for i, j, k in
sequence ``0 <= u(i, j) + u(j, k) - u(i, k) <= 1``: the left inequality breaks the cycle i, k, j,
the right one the cycle i, j, k. The least cost over all ``u`` in [0, 1] that keep both is a lower
bound; the dual values of the inequalities are multiplicities for a packing of these cycles.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import scipy

from wmtlib.tournament.cycle_packing import FINE_SCALE, Cycle, Packing, whole_packing
from wmtlib.tournament.local_search import reachable

SIGNS = np.array([1.0, 1.0, -1.0])
LOOK = 10  # steps of the gradient method between two measurements of its progress


class Program(NamedTuple):
    """``minimise constant + gain @ u  subject to  0 <= D u <= 1,  0 <= u <= 1``.

    Attributes
    ----------
    pair : ndarray (n, n)
        Position of every two systems in `gain`, in either sequence.
    gain : ndarray (pairs,)
        Cost of u = 1 less that of u = 0 for each pair i < j.
    constant : int
        Cost of u = 0.
    triple : ndarray (triples, 3)
        i < j < k within one strongly connected component: no cycle passes through two.
    pairs : ndarray (triples, 3)
        Positions in `gain` of their pairs (i, j), (j, k), (i, k): the rows of D are `SIGNS` there.
    """

    pair: np.ndarray
    gain: np.ndarray
    constant: int
    triple: np.ndarray
    pairs: np.ndarray

    def rows(self, chosen: np.ndarray) -> scipy.sparse.csr_array:
        """These rows of D."""
        ends = np.arange(0, 3 * len(chosen) + 1, 3)
        entries = np.tile(SIGNS, len(chosen)), self.pairs[chosen].ravel(), ends
        return scipy.sparse.csr_array(entries, shape=(len(chosen), len(self.gain)))

    def packing(self, chosen: np.ndarray, dual: np.ndarray) -> Packing:
        """Cycles from dual values of rows of D: i, j, k if positive and i, k, j if negative."""
        cycles: list[Cycle] = [
            (i, j, k) if value > 0 else (i, k, j)
            for (i, j, k), value in zip(self.triple[chosen].tolist(), dual.tolist(), strict=True)
        ]
        return whole_packing(cycles, np.abs(dual))

    def order(self, u: np.ndarray) -> np.ndarray:
        """Systems by how many of the others they stand above, in fractions."""
        above = np.triu(u[self.pair], 1)
        below = np.tril(1 - above.T, -1)
        return np.argsort(-(above + below).sum(axis=1), kind="stable")

    def undecided(self, u: np.ndarray) -> tuple[int, int]:
        """The pair of which most depends on whether u is 0 or 1, as systems i < j."""
        pair = (np.minimum(u, 1 - u) * (np.abs(self.gain) + 1e-6)).argmax()
        first, second = np.argwhere(np.triu(self.pair == pair, 1))[0].tolist()
        return first, second


def program(margin: np.ndarray) -> Program:
    """The linear program of a matrix of margins."""
    n = len(margin)
    first, second = np.triu_indices(n, 1)
    pair = np.zeros((n, n), dtype=np.int32)
    pair[first, second] = pair[second, first] = np.arange(len(first))
    together = reachable(margin)
    together = np.triu(together & together.T, 1)
    i, j, k = np.nonzero(together[:, :, None] & together)
    return Program(
        pair=pair,
        gain=-margin[first, second].astype(float),
        constant=int(margin[first, second].clip(min=0).sum()),
        triple=np.stack([i, j, k], axis=1),
        pairs=np.stack([pair[i, j], pair[j, k], pair[i, k]], axis=1),
    )


def primal_dual(
    program: Program, upper: int, *, deadline: float = np.inf
) -> tuple[Packing, np.ndarray]:
    """Hybrid gradient method on all inequalities, reflected, anchored and restarted.

    Saddle point of ``gain @ u + w @ D u - sum of max(w, 0)`` over u in [0, 1] and all w. One step
    T(u, w), of size 1 / sqrt(n), which is one over the largest singular value of D, is mixed with
    the anchor z0 (Halpern): ``z <- (k + 1) / (k + 2) (2 T(z) - z) + 1 / (k + 2) z0``. The anchor
    moves to T(z) once the length of a step has fallen enough. The method stops where the
    bound, rounded up, reaches `upper`, the cost of an order, or where primal and dual agree. What
    the cycles of a dual ``w`` prove needs no inequality to hold, so any iterate has a bound.
    """
    rows = program.rows(np.arange(len(program.pairs)))
    columns = rows.T.tocsr()
    unit = np.abs(program.gain).mean()
    gain = program.gain / unit
    n_triples, n_pairs = rows.shape
    rate = 0.998 / np.sqrt((1 + np.sqrt(1 + 8 * n_pairs)) / 2)
    weight = 1.0  # of the primal against the dual variables
    z = anchor = np.full(n_pairs, 0.5), np.zeros(n_triples)
    best, best_w, steps, since = -np.inf, anchor[1], 0, 0
    first = last = np.inf  # length of a step at the anchor, and at the last look
    while time.monotonic() < deadline:
        u, w = z
        to_u = (u - rate / weight * (gain + columns @ w)).clip(0, 1)
        ahead = w / (rate * weight) + rows @ (2 * to_u - u)
        to_w = rate * weight * (ahead - ahead.clip(0, 1))
        steps, look = steps + 1, since % LOOK == 0
        if look:
            du, dw = to_u - u, to_w - w
            length = weight * (du @ du) - 2 * rate * (dw @ (rows @ du)) + (dw @ dw) / weight
            length = np.sqrt(max(length, 0.0))
            if not since:
                first = last = length
            fallen = length <= 0.2 * first or (last < length <= 0.8 * first)
            look, last = since and (fallen or since > 0.36 * steps), length
        if not look:
            share = (since + 1) / (since + 2)
            z = tuple(
                share * (2 * to - at) + (1 - share) * start
                for to, at, start in zip((to_u, to_w), z, anchor, strict=True)
            )
            since += 1
            continue
        moved = [np.linalg.norm(to_u - anchor[0]), np.linalg.norm(to_w - anchor[1])]
        if min(moved) > 1e-12:
            weight = np.sqrt(weight * moved[1] / moved[0])
        z, anchor, since = (to_u, to_w), (to_u, to_w), 0
        dual = np.minimum(gain + columns @ to_w, 0).sum() - to_w.clip(min=0).sum()
        dual = program.constant + unit * dual
        if dual > best:
            best, best_w = dual, to_w
        primal = program.constant + unit * (gain @ to_u)
        value = rows @ to_u
        agreed = abs(primal - dual) < max(0.05, 0.01 * (upper - dual))
        if best > upper - 1 + 1e-3 or (agreed and max(value.max() - 1, -value.min()) < 0.01):
            break
    everything = np.flatnonzero(np.abs(best_w * unit) > 0.5 / FINE_SCALE)
    return program.packing(everything, best_w[everything] * unit), program.order(z[0])
