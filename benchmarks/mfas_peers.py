"""Ways to an exact linear ordering, timed in processes of their own: (cost, bound).

A way that is not done within the limit is stopped and has no answer; ours stops itself
and says its bound. Seconds are CPU seconds of one thread, from the margins to the
answer, imports left out.
"""

import itertools
import multiprocessing
import os
import resource
import time
from typing import NamedTuple

import numpy as np
import pandas as pd

IGRAPH_LARGEST = (
    44  # beyond that many systems igraph is not asked: it took over a minute
)


class Answer(NamedTuple):
    cost: int
    bound: int
    seconds: float


def ours(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    from wmtlib import mfas

    found = mfas.exact_order(wins, time_limit=limit)
    return found.cost, found.lower_bound


def igraph(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    import igraph

    margin = (wins - wins.T).to_numpy()
    edges = np.argwhere(margin > 0)
    weights = margin[tuple(edges.T)].tolist()
    graph = igraph.Graph(len(wins), edges.tolist(), directed=True)
    cost = sum(
        weights[edge] for edge in graph.feedback_arc_set(weights=weights, method="ip")
    )
    return cost, cost


def highs_lazy(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    """HiGHS: relaxation with the 1000 worst cycles at a time; then whole numbers."""
    return highs(wins, everything=False)


def highs_all(wins: pd.DataFrame, limit: float) -> tuple[int, int]:
    """HiGHS: the integer program with all cycles of three from the start."""
    return highs(wins, everything=True)


def highs(wins: pd.DataFrame, *, everything: bool) -> tuple[int, int]:
    from scipy.optimize import Bounds, LinearConstraint, milp

    from wmtlib.core.mfas_search import CycleProgram

    problem = CycleProgram((wins - wins.T).to_numpy())
    margin = problem.margin[problem.first, problem.second]
    whole = everything
    if everything:
        i, j, k = np.array([*itertools.combinations(range(len(wins)), 3)]).T
        problem.cycles = np.concatenate(
            [np.stack([i, j, k], 1), np.stack([i, k, j], 1)]
        )
    while True:
        rows, limit = problem.inequalities()
        solution = milp(
            -margin,
            integrality=np.full(len(margin), int(whole)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(rows, ub=limit),
            options={"mip_rel_gap": 0.0},
        )
        if not solution.success:
            raise RuntimeError(f"HiGHS stopped: {solution.message}")
        if len(new := problem.broken(problem.matrix(solution.x))[:1000]):
            problem.cycles = np.concatenate([problem.cycles, new])
        elif whole or np.abs(solution.x - np.rint(solution.x)).max() < 1e-6:
            cost = round(margin.clip(min=0).sum() + solution.fun)
            return cost, cost
        else:
            whole = True


WAYS = {
    "wmtlib": ours,
    "igraph, exact": igraph,
    "HiGHS, lazy cuts": highs_lazy,
    "HiGHS, all 3-cycles": highs_all,
}


def child(
    way: str, wins: pd.DataFrame, limit: float, answer: multiprocessing.SimpleQueue
) -> None:
    squares = [
        1,
        3,
        4,
        5,
        9,
    ]  # modulo 11: the linear program alone does not prove this one
    small = np.isin(np.subtract.outer(range(11), range(11)) % 11, squares).astype(int)
    WAYS[way](
        pd.DataFrame(small, index=[*"abcdefghijk"], columns=[*"abcdefghijk"]), limit
    )  # imports

    time.monotonic = (
        time.process_time
    )  # ours stops itself by the clock that stops the others
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
    process.join(
        10 * limit
    )  # the limit is one of CPU seconds; other work may slow the machine
    if process.is_alive():
        process.kill()
        process.join()
    return None if answer.empty() else answer.get()
