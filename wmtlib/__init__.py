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
    from wmtlib.analysis.public import (
        bootstrap,
        compare_models,
        count,
        exact_order,
        heatmap,
        leave_one_out,
        rank,
        ranking_methods,
        significance,
    )
    from wmtlib.analysis.public_assessments import clusters, z_scores
    from wmtlib.analysis.public_collection import fewest_removals, judges, plan
    from wmtlib.judgements.counting import Counts
    from wmtlib.judgements.errors import DataError
    from wmtlib.judgements.ranking import Ranking
    from wmtlib.judgements.relative_rankings import comparisons
    from wmtlib.releases.assessment_releases import load_assessments
    from wmtlib.releases.ranking_releases import load_counts
    from wmtlib.tournament.mfas import MFAS, check
    from wmtlib.tournament.violations import violated
    from wmtlib.yours.read import read

# Names are loaded when they are first used: `import wmtlib` takes no time of its own.
_HOME = {
    "wmtlib.analysis.public": (
        *("bootstrap", "compare_models", "count", "exact_order", "heatmap"),
        *("leave_one_out", "rank", "ranking_methods", "significance"),
    ),
    "wmtlib.analysis.public_assessments": ("clusters", "z_scores"),
    "wmtlib.analysis.public_collection": ("fewest_removals", "judges", "plan"),
    "wmtlib.yours.read": ("read",),
    "wmtlib.judgements.counting": ("Counts",),
    "wmtlib.judgements.errors": ("DataError",),
    "wmtlib.judgements.ranking": ("Ranking",),
    "wmtlib.judgements.relative_rankings": ("comparisons",),
    "wmtlib.releases.assessment_releases": ("load_assessments",),
    "wmtlib.releases.ranking_releases": ("load_counts",),
    "wmtlib.tournament.mfas": ("MFAS", "check"),
    "wmtlib.tournament.violations": ("violated",),
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
    "plan",
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
