"""A user's code, read by mypy (`make lint`) and never run.

Each line with `type: ignore` is a mistake that mypy must find: an ignore that is not
needed is an error itself.
"""

from typing import assert_type

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import wmtlib

votes = pd.DataFrame({"a": ["x"], "b": ["y"], "outcome": ["a"]})

ranking = wmtlib.rank(votes, "mfas", time_limit=1.0)
assert_type(ranking, wmtlib.Ranking)
assert_type(ranking.order, list[str])
assert_type(ranking.table, pd.DataFrame)
assert_type(ranking.to_frame(), pd.DataFrame)
assert_type(ranking.plot(), Axes)
assert_type(wmtlib.stability(votes)["swaps"], pd.Series)
counts = wmtlib.count(votes)
assert_type(counts, wmtlib.Counts)
solution = wmtlib.exact_order(counts.wins)
assert_type(solution, wmtlib.MFAS)
assert_type(solution.cost, int)
samples = wmtlib.bootstrap(votes, unit="comparison", seed=np.random.default_rng(1))
assert_type(samples.table, pd.DataFrame)
sets = wmtlib.rank_sets(votes, unit="judge")
assert_type(sets, wmtlib.RankSets)
assert_type(sets.may_be_first, list[str])
assert_type(wmtlib.clusters(votes), wmtlib.Ranking)
answer = wmtlib.analyse(votes, ["soccer"], unit="judge")
assert_type(answer.tables["clusters"], pd.DataFrame)
judgements = wmtlib.read(votes, ignore=["judge"], scale=(0, 100))
assert_type(judgements.systems, tuple[str, ...])

wmtlib.rang(votes)  # type: ignore[attr-defined]
for _ in ranking:  # type: ignore[misc]
    ...
wmtlib.rank(votes, 3)  # type: ignore[arg-type]
wmtlib.rank(votes, times=3)  # type: ignore[call-arg]
print(ranking.ordre)  # type: ignore[attr-defined]
ranking.table = votes  # type: ignore[misc]
wmtlib.bootstrap(votes, bootstrap=10)  # type: ignore[call-arg]
wmtlib.rank_sets(votes, correction="holm")  # type: ignore[call-arg]
wmtlib.read(votes, kind=3)  # type: ignore[arg-type]
answer.tables["clusters"] = votes  # type: ignore[index]
