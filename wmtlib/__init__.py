"""Human rankings of machine translation: three papers reproduced, and your own judgements ranked.

>>> import pandas as pd, wmtlib
>>> votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": "model_a"})
>>> wmtlib.rank(votes, "expected-wins").order
['x', 'y', 'z']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from wmtlib.counts import Counts, comparisons
    from wmtlib.errors import DataError
    from wmtlib.files.reader import read
    from wmtlib.mfas import MFAS, check, exact_order, violated
    from wmtlib.ranking import Ranking
    from wmtlib.study.releases.assessment_releases import load_assessments
    from wmtlib.study.releases.ranking_releases import load_counts
    from wmtlib.yours.public import (
        bootstrap,
        compare_models,
        count,
        heatmap,
        leave_one_out,
        rank,
        ranking_methods,
        significance,
    )
    from wmtlib.yours.public_assessments import clusters, z_scores
    from wmtlib.yours.public_collection import fewest_removals, judges

# Names are loaded when they are first used: `import wmtlib` takes no time of its own.
_HOME = {
    "wmtlib.counts": (
        "Counts",
        "comparisons",
    ),
    "wmtlib.errors": ("DataError",),
    "wmtlib.files.reader": ("read",),
    "wmtlib.mfas": (
        "MFAS",
        "check",
        "exact_order",
        "violated",
    ),
    "wmtlib.ranking": ("Ranking",),
    "wmtlib.study.releases.assessment_releases": ("load_assessments",),
    "wmtlib.study.releases.ranking_releases": ("load_counts",),
    "wmtlib.yours.public": (
        "bootstrap",
        "compare_models",
        "count",
        "heatmap",
        "leave_one_out",
        "rank",
        "ranking_methods",
        "significance",
    ),
    "wmtlib.yours.public_assessments": (
        "clusters",
        "z_scores",
    ),
    "wmtlib.yours.public_collection": (
        "fewest_removals",
        "judges",
    ),
}

__all__ = [
    "MFAS",
    "Counts",
    "DataError",
    "Ranking",
    "bootstrap",
    "check",
    "clusters",
    "compare_models",
    "comparisons",
    "count",
    "exact_order",
    "fewest_removals",
    "heatmap",
    "judges",
    "leave_one_out",
    "load_assessments",
    "load_counts",
    "rank",
    "ranking_methods",
    "read",
    "significance",
    "violated",
    "z_scores",
]


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
