"""Ways to an exact linear ordering, each from margins to (cost, bound), timed in its own process.

A way that is not done within the limit is stopped and has no answer; ours stops itself and says
its bound. Seconds are CPU seconds of one thread, from the margins to the answer, imports left out.
"""

import multiprocessing
import os
import resource
import time
from typing import NamedTuple

import numpy as np
import pandas as pd

IGRAPH_LARGEST = 44  # beyond that many systems igraph is not asked: it took over a minute


class Answer(NamedTuple):
    cost: int
    bound: int
    seconds: float


def ours(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    from wmtlib import mfas

    found = mfas.solve(wins, time_limit=limit)
    return found.cost, found.lower_bound


def igraph(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    import igraph

    margin = (wins - wins.T).to_numpy()
    edges = np.argwhere(margin > 0)
    weights = margin[tuple(edges.T)].tolist()
    graph = igraph.Graph(len(wins), edges.tolist(), directed=True)
    cost = sum(weights[edge] for edge in graph.feedback_arc_set(weights=weights, method="ip"))
    return cost, cost


def highs_lazy(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    """HiGHS: relaxation with the 1000 worst cycles of three at a time; then whole numbers too."""
    return highs(wins, everything=False)


def highs_all(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    """HiGHS: the integer program with all cycles of three from the start."""
    return highs(wins, everything=True)


def highs(wins: pd.DataFrame, *, everything: bool) -> tuple[int, int]:
    import highspy

    from wmtlib._mfas_search import SIGNS, program

    problem = program((wins - wins.T).to_numpy())
    n_pairs = len(problem.gain)
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.addVars(n_pairs, np.zeros(n_pairs), np.ones(n_pairs))
    columns = np.arange(n_pairs, dtype=np.int32)
    solver.changeColsCost(n_pairs, columns, problem.gain)

    def add(rows: np.ndarray) -> None:
        starts = np.arange(0, 3 * len(rows), 3, dtype=np.int32)
        entries = starts, problem.pairs[rows].ravel(), np.tile(SIGNS, len(rows))
        solver.addRows(len(rows), np.zeros(len(rows)), np.ones(len(rows)), 3 * len(rows), *entries)

    def whole_numbers() -> None:
        kinds = np.full(n_pairs, highspy.HighsVarType.kInteger)
        solver.changeColsIntegrality(n_pairs, columns, kinds)

    whole = everything
    if everything:
        add(np.arange(len(problem.pairs)))
        whole_numbers()
    while True:
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS stopped: {solver.getModelStatus()}")
        u = np.array(solver.getSolution().col_value)
        value = u[problem.pairs] @ SIGNS
        broken = np.maximum(value - 1, -value)
        if len(new := np.flatnonzero(broken > 1e-6)):
            add(new[np.argsort(-broken[new], kind="stable")[:1000]])
        elif whole or np.abs(u - np.rint(u)).max() < 1e-6:
            cost = problem.constant + round(solver.getInfo().objective_function_value)
            return cost, cost
        else:
            whole = True
            whole_numbers()


WAYS = {
    "wmtlib": ours,
    "igraph, exact": igraph,
    "HiGHS, lazy cuts": highs_lazy,
    "HiGHS, all 3-cycles": highs_all,
}


def child(way: str, wins: pd.DataFrame, limit: float, answer: multiprocessing.SimpleQueue) -> None:
    squares = [1, 3, 4, 5, 9]  # modulo 11: the linear program alone does not prove this one
    small = np.isin(np.subtract.outer(range(11), range(11)) % 11, squares).astype(int)
    WAYS[way](
        pd.DataFrame(small, index=[*"abcdefghijk"], columns=[*"abcdefghijk"]), limit
    )  # imports

    time.monotonic = time.process_time  # ours stops itself by the clock that stops the others
    start = time.process_time()
    seconds = int(start + limit + 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    cost, bound = WAYS[way](wins, limit)
    answer.put(Answer(cost, bound, time.process_time() - start))


def with_limit(way: str, wins: pd.DataFrame, limit: float) -> Answer | None:
    """The answer of one way, None if it is not done within the limit."""
    if way == "igraph, exact" and len(wins) > IGRAPH_LARGEST:
        return None
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    process = context.Process(target=child, args=(way, wins, limit, answer))
    process.start()
    process.join(10 * limit)  # the limit is one of CPU seconds; other work may slow the machine
    if process.is_alive():
        process.kill()
        process.join()
    return None if answer.empty() else answer.get()
