"""Rank translation systems from human judgements, and say how sure the ranking is.

Every function takes judgements as the command does: the path of a file, the name of a
public task ("wmt12:cs-en"), a frame (pandas, Polars, Arrow), or what `read` returned.
Results show themselves, as text in a shell and as a table in a notebook, and have
`len(result)`, `result["rank"]` (a column), `result.to_frame()` and `result.plot()`; an
answer of `analyse` has several tables, in `answer.tables`. Every name has an example:
`help(wmtlib.rank)`.

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
  --method mfas                    exact_order(data), check_certificate, violated
  --kind --task --column --ignore  read(FILE, kind=, task=, column=, ignore=, rows=,
  --rows --outcome --scale         outcome=, scale=, missing=, revisions=, joint=,
  --missing --revisions --joint    wide=, cells=, sheet=, header=); analyse takes
  --wide --cells --sheet --header  them, too
  --full --json --format           what is printed or written: tables, warnings and
  --html F --show-ids              notes of analyse(FILE); analyse(FILE).save(F)
stability FILE                     stability(data)
compare FILE                       compare(data)
  --model M, --unit U              compare(data, [M], unit=U)
judges FILE                        judges(data)
campaigns                          the names that load_counts takes
=================================  ====================================================

By resamples of a unit: `bootstrap`. Counts: `comparisons`, `count`, `load_counts`.
Direct assessments: `z_scores`. Pictures: `heatmap`. What cannot be used is a
`DataError` of one line, what a table does not declare a `Question`, whose last line is
the whole call to copy, and what may be misread a `JudgementWarning`.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

__version__ = "0.3.0"

# The public names, for type checkers and editors. They are loaded when they are first
# used: `import wmtlib` takes no time of its own. They are not in an `__all__`, so that
# `help(wmtlib)` is one page.
if TYPE_CHECKING:
    from wmtlib.agreement import judges as judges
    from wmtlib.certainty import RankSets as RankSets
    from wmtlib.certainty import rank_sets as rank_sets
    from wmtlib.cluster_lines import clusters as clusters
    from wmtlib.core.counts import Counts as Counts
    from wmtlib.core.counts import comparisons as comparisons
    from wmtlib.core.errors import DataError as DataError
    from wmtlib.core.errors import JudgementWarning as JudgementWarning
    from wmtlib.core.errors import Question as Question
    from wmtlib.core.ranking import Ranking as Ranking
    from wmtlib.cross_validation import compare as compare
    from wmtlib.files.carried_counts import load_counts as load_counts
    from wmtlib.files.forms import count as count
    from wmtlib.files.read import read as read
    from wmtlib.methods import rank as rank
    from wmtlib.methods import ranking_methods as ranking_methods
    from wmtlib.mfas import MFAS as MFAS
    from wmtlib.mfas import check_certificate as check_certificate
    from wmtlib.mfas import exact_order as exact_order
    from wmtlib.mfas import violated as violated
    from wmtlib.plots import heatmap as heatmap
    from wmtlib.removals import stability as stability
    from wmtlib.report.answers import analyse as analyse
    from wmtlib.resampling import bootstrap as bootstrap
    from wmtlib.zscores import z_scores as z_scores
else:
    _HOMES = {
        node.names[0].name: node.module
        for node in ast.walk(ast.parse(Path(__file__).read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("wmtlib.")
    }

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value

    def __dir__():
        dunders = [name for name in globals() if name.startswith("__")]
        return sorted([*dunders, *_HOMES])
