"""Rank translation systems from human judgements, and say how sure the ranking is.

A frame (pandas, Polars or Arrow), or a file by `read`, goes in; what comes out shows
itself in a notebook. Every name has an example: `help(wmtlib.rank)`.

>>> import pandas as pd, wmtlib
>>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
>>> votes["judge"] = [f"judge {k // 3}" for k in range(len(votes))]

Who is best? `rank`, by one of `ranking_methods`.

>>> wmtlib.rank(votes, "expected-wins").order
['x', 'y', 'z']

All that the command `wmtlib rank` says: `analyse`. As a table, `tables["ranking"]`.

>>> wmtlib.analyse(votes, "soccer").sentence
'x comes first of 3 systems.'

How sure is that? `bootstrap` draws judgements again; `significance` tests every pair;
`clusters` draws the lines of direct assessments (Knowles 2021).

>>> wmtlib.bootstrap(votes, "soccer", n_resamples=99).table["rank_high"].tolist()
[1, 2, 3]
>>> (wmtlib.significance(votes)["corrected"] < 0.05).tolist()
[True, True, True]

Which order contradicts the fewest judgements, and is that proven? `exact_order`,
`violated`, `check`, of what `count` gives.

>>> wmtlib.exact_order(wmtlib.count(votes).wins).cost
0

Would the order change without one system? `leave_one_out`. How few judgements decide?
`fewest_removals`. How far can each judge be relied on? `judges`.

>>> wmtlib.leave_one_out(votes).table["changed"].tolist()
[False, False, False]

Which model predicts judgements best? `compare_models`.

>>> wmtlib.compare_models(votes, ["uniform", "bradley-terry"]).table["model"].tolist()
['bradley-terry', 'uniform']

Direct assessments: `z_scores`. Public campaigns: `load_counts`. What cannot be used is
a `DataError` of one line, what may be misread a `JudgementWarning`.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.3.0"

# The names of `__init__.pyi`, which type checkers and editors read, are loaded when
# they are first used: `import wmtlib` takes no time of its own.
_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
_HOMES = {
    node.names[0].name: node.module
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *__all__])
