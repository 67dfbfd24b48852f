"""Rank translation systems from human judgements, and say how sure the ranking is.

Every function takes judgements as the command does: the path of a file, the name of a
public task ("wmt12:cs-en"), a frame (pandas, Polars, Arrow), or what `read` returned.
Results show themselves, as text in a shell and as a table in a notebook. Every name has
an example: `help(wmtlib.rank)`.

>>> import pandas as pd, wmtlib
>>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
>>> votes["judge"] = [f"judge {k // 3}" for k in range(len(votes))]
>>> wmtlib.rank(votes, "soccer").scores.to_dict()
{'x': 1.0, 'y': 0.5, 'z': 0.0}
>>> wmtlib.bootstrap(votes, "soccer", n_resamples=99).ranks["rank_high"].to_dict()
{'x': 1, 'y': 2, 'z': 3}
>>> wmtlib.exact_order(votes).cost
0

=================================  ====================================================
command, option                    Python
=================================  ====================================================
rank FILE                          analyse(FILE): all that the command says;
                                   rank(FILE): order, scores and ranks by one method
  --method M, --side               rank(data, M), M of ranking_methods();
                                   rank(data, "bradley-terry-side")
  --reference --seed --time-limit  reference=, seed=, time_limit= of all that rank
  --min N                          rank(data, minimum=N)
  --bootstrap N, --unit U          bootstrap(data, n_resamples=N, unit=U)
  --clusters, --rule               significance(votes), clusters(assessments, rule=)
  --correction C                   significance(data, correction=C)
  --robust                         robustness(data, unit=U)
  --elo, --anchor X=1000           analyse(data, elo=True), anchor=("X", 1000)
  --method mfas                    exact_order(data), check_certificate, violated,
                                   violated_by_chance
  --kind --task --scale --preset   read(FILE, kind=, task=, scale=, preset=, rows=,
  --rows --revisions --column      revisions=, columns=, outcomes=, task_columns=,
  --outcome --task-columns         skip_bad=, joint_names=, lower_is_better=True or
  --skip-bad --joint-names         False)
  --lower-is-better
  --higher-is-better
  --json --out --force --format    what is printed or written: tables, warnings and
  --full --strict --show-ids       notes of analyse(FILE)
stability FILE                     leave_one_out(data)
compare FILE                       compare(data)
  --model M, --unit U              compare(data, [M], unit=U)
  --folds N --repeats N            folds=, repeats=
judges FILE                        judges(data)
diff OLD.json NEW.json             wmtlib.report.changes.answer_diff
campaigns                          wmtlib.public.available()
=================================  ====================================================

Counts: `comparisons`, `count`, `load_counts`. Direct assessments: `z_scores`. Pictures:
`heatmap`. What cannot be used is a `DataError` of one line, what may be misread a
`JudgementWarning`.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any
from warnings import warn

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
_RENAMED = {  # until 0.4
    "check": "check_certificate",
    "compare_models": "compare",
    "fewest_removals": "robustness",
}


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        now = _RENAMED[name]
        warn(f"wmtlib.{name} is now wmtlib.{now}", DeprecationWarning, stacklevel=2)
        return __getattr__(now)
    if name not in _HOMES:
        raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *_HOMES])
