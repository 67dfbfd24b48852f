"""The linear program of :mod:`wmtlib.tournament.triangles` by the simplex method, step by step.

Few of its inequalities matter. Those that a solution breaks are added, those without effect are
dropped, and the solver goes on from its last basis, also where pairs are forced in between.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wmtlib.tournament.cycle_packing import Packing
from wmtlib.tournament.local_search import cost, descend
from wmtlib.tournament.triangles import SIGNS, Program

CUTS = 4000  # inequalities added at a time, those broken most first
TOLERANCE = 1e-6

Pair = tuple[int, int]


class Relaxed(NamedTuple):
    """The last solution `u` of the linear program, its dual as a packing, and the best order."""

    u: np.ndarray
    packing: Packing
    order: np.ndarray


class Relaxation:
    """The linear program with some of its inequalities, in a solver that keeps its basis."""

    def __init__(self, program: Program, margin: np.ndarray) -> None:
        import highspy  # here, because few tournaments need it, and every command would load it

        self.program, self.margin = program, margin
        self.forced: dict[int, float] = {}  # u of the pairs at these positions
        self.rows = np.zeros(0, dtype=int)  # of D, once for each inequality
        self.sign = np.zeros(0)  # 1 for the right inequality, -1 for the left one
        self.solver, self.solved = highspy.Highs(), highspy.HighsModelStatus.kOptimal
        self.solver.silent()
        self.solver.HandleKeyboardInterrupt = True  # otherwise Ctrl-C waits for `run` to end
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("presolve", "off")
        pairs = np.arange(len(program.gain), dtype=np.int32)
        self.solver.addVars(len(pairs), np.zeros(len(pairs)), np.ones(len(pairs)))
        self.solver.changeColsCost(len(pairs), pairs, program.gain)

    def force(self, above: Sequence[Pair]) -> None:
        """Let a stand above b for these pairs (a, b), and free all others."""
        for pair in self.forced:
            self.solver.changeColBounds(pair, 0.0, 1.0)
        self.forced = {int(self.program.pair[a, b]): float(a < b) for a, b in above}
        for pair, value in self.forced.items():
            self.solver.changeColBounds(pair, value, value)

    def add(self, rows: np.ndarray, sign: np.ndarray) -> None:
        """Add inequalities."""
        right = sign > 0
        lower, upper = np.where(right, -np.inf, 0.0), np.where(right, 1.0, np.inf)
        starts = np.arange(0, 3 * len(rows), 3, dtype=np.int32)
        entries = starts, self.program.pairs[rows].ravel(), np.tile(SIGNS, len(rows))
        self.solver.addRows(len(rows), lower, upper, 3 * len(rows), *entries)
        self.rows, self.sign = np.append(self.rows, rows), np.append(self.sign, sign)

    def drop(self, which: np.ndarray) -> None:
        """Drop the inequalities that stand in these places."""
        self.solver.deleteRows(len(which), which.astype(np.int32))
        self.rows, self.sign = np.delete(self.rows, which), np.delete(self.sign, which)

    def solve(self, order: np.ndarray, *, deadline: float = np.inf) -> Relaxed:
        """Solve the program until no inequality is broken, or `order` is proven optimal.

        Parameters
        ----------
        order : ndarray (systems,)
            A good order. One that a solution suggests takes its place if it costs less.
        """
        u, rows, dual = np.full(len(self.program.gain), 0.5), self.rows[:0], np.zeros(0)
        u[[*self.forced]] = [*self.forced.values()]
        best = -np.inf
        while (left := deadline - time.monotonic()) > 0:
            if left < np.inf:
                self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
            self.solver.run()
            if self.solver.getModelStatus() != self.solved:
                break
            solution = self.solver.getSolution()
            u, rows, dual = np.array(solution.col_value), self.rows, -np.array(solution.row_dual)
            total = self.program.constant + self.solver.getInfo().objective_function_value
            other = descend(self.margin, self.program.order(u))
            order = min(order, other, key=lambda o: cost(self.margin, o))
            value = u[self.program.pairs] @ SIGNS
            side = np.where(value > 0.5, 1.0, -1.0)
            broken = np.maximum(value - 1, -value)
            # The solver's tolerance is not ours: never add an inequality twice.
            broken[rows[self.sign == side[rows]]] = 0
            new = np.flatnonzero(broken > TOLERANCE)
            if not len(new) or total > cost(self.margin, order) - 1 + 1e-3:
                break
            if total > best + TOLERANCE * abs(total):  # else the same rows could come and go
                slack = np.where(self.sign > 0, 1 - value[rows], value[rows])
                self.drop(np.flatnonzero((dual == 0) & (slack > TOLERANCE)))
            best = max(best, total)
            new = new[np.argsort(-broken[new], kind="stable")[:CUTS]]
            self.add(new, side[new])
        return Relaxed(u, self.program.packing(rows, dual), order)
