"""Human rankings of machine translation: three papers reproduced, your data ranked.

>>> import pandas as pd, wmtlib
>>> votes = pd.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"]})
>>> wmtlib.rank(votes.assign(winner="model_a"), "expected-wins").order
['x', 'y', 'z']
"""

from importlib import import_module
from typing import Any

__version__ = "0.3.0"

# Names are loaded when they are first used: `import wmtlib` takes no time of its own.
# Type checkers and editors read `__init__.pyi`; a test holds the two together.
_HOMES = {
    "MFAS": "mfas",
    "Counts": "counts",
    "DataError": "errors",
    "JudgementWarning": "errors",
    "Ranking": "ranking",
    "analyse": "yours.answers",
    "bootstrap": "resampling",
    "check": "mfas",
    "clusters": "cluster_lines",
    "compare_models": "resampling",
    "comparisons": "counts",
    "count": "counts",
    "exact_order": "mfas",
    "fewest_removals": "fewest",
    "heatmap": "plots",
    "judges": "agreement",
    "leave_one_out": "resampling",
    "load_assessments": "study.releases.assessment_releases",
    "load_counts": "study.releases.ranking_releases",
    "rank": "methods",
    "ranking_methods": "methods",
    "read": "yours.reading.read",
    "significance": "cluster_lines",
    "violated": "mfas",
    "violated_by_chance": "cycles",
    "z_scores": "zscores",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wmtlib' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"wmtlib.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    dunders = [name for name in globals() if name.startswith("__")]
    return sorted([*dunders, *__all__])
