"""Rank translation systems from human judgements, and say how sure the ranking is.

Every function takes judgements as the command does: the path of a file, the name of a
public task ("wmt12:cs-en"), a frame (pandas, Polars, Arrow), or what `read` returned.
Results show themselves, as text in a shell and as a table in a notebook. Every name has
an example: `help(wmtlib.rank)`.

>>> import pandas as pd, wmtlib
>>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
>>> wmtlib.rank(votes, "soccer").scores.to_dict()
{'x': 1.0, 'y': 0.5, 'z': 0.0}
>>> wmtlib.rank_sets(votes, "soccer").table["rank_high"].tolist()
[1, 2, 3]
>>> wmtlib.exact_order(votes).cost
0

=================================  ====================================================
command, option                    Python
=================================  ====================================================
rank FILE                          analyse(FILE): all that the command says;
                                   rank(FILE): order, scores and ranks by one method
  --method M                       rank(data, M), M of ranking_methods()
  --reference --seed --time-limit  reference=, seed=, time_limit= of all that rank
  --min N                          rank(data, minimum=N)
  ranks, 95 %, lines, --unit U     rank_sets(data, unit=U), clusters(data)
  --elo, --elo X=1000              analyse(data, elo=True), elo=("X", 1000)
  --method mfas                    exact_order(data), check_certificate, violated,
                                   violated_by_chance
  --kind --task --column --ignore  read(FILE, kind=, task=, column=, ignore=, rows=,
  --rows --outcome --scale         outcome=, scale=, missing=, revisions=, joint=,
  --missing --revisions --joint    wide=, cells=, sheet=, header=); analyse takes
  --wide --cells --sheet --header  them, too
  --full --json --format           what is printed or written: tables, warnings and
  --html F --show-ids              notes of analyse(FILE); analyse(FILE).save(F)
stability FILE                     leave_one_out(data)
compare FILE                       compare(data)
  --model M, --unit U              compare(data, [M], unit=U)
judges FILE                        judges(data)
campaigns                          wmtlib.files.carried_counts.available()
=================================  ====================================================

By resamples of a unit: `bootstrap`. Counts: `comparisons`, `count`, `load_counts`.
Direct assessments: `z_scores`. Pictures: `heatmap`. What cannot be used is a
`DataError` of one line, what a table does not declare a `Question`, whose last line is
the whole call to copy, and what may be misread a `JudgementWarning`.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.3.0"

# The names of `__init__.pyi`, which type checkers and editors read, are loaded when
# they are first used: `import wmtlib` takes no time of its own. They are not in an
# `__all__`, so that `help(wmtlib)` is one page.
_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
_HOMES = {
    node.names[0].name: node.module
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *_HOMES])
