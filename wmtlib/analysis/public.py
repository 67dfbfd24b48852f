"""The questions of this package asked of a frame, a file or counts: what `import wmtlib` offers.

Wherever `judgements` is a parameter it may be a DataFrame or the path of a file, with the columns
that `read` recognises: `system_1, system_2, preference` or `model_a, model_b, winner` for
comparisons, `ranking, system, rank` for relative rankings, `worker, system, segment, score` for
direct assessments; or what `read` or `count` returned.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wmtlib.analysis import answer_inputs, methods
from wmtlib.analysis import bootstrap as resampling
from wmtlib.analysis import leave_one_out as removal
from wmtlib.analysis import significance as testing
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.analysis.cross_validation import CrossValidation, cross_validate
from wmtlib.analysis.leave_one_out import LeaveOneOut
from wmtlib.judgements import multiple_tests
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking
from wmtlib.tournament import mfas
from wmtlib.tournament.mfas import MFAS
from wmtlib.yours.read import Judgements, read

Data: TypeAlias = pd.DataFrame | str | Path | Judgements | Counts


def rank(
    judgements: Data,
    method: str | None = None,
    *,
    reference: str | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Ranking:
    """Rank systems by one method.

    Parameters
    ----------
    judgements : DataFrame, path, Judgements or Counts
        See the head of this module.
    method : str, optional
        One of `methods()`; "expected-wins" for comparisons and rankings, "z-score" for direct
        assessments if not given.
    reference : str, optional
        A human reference among the systems, which is not ranked.
    seed : int
        For the methods that draw random numbers.
    time_limit : float, optional
        Seconds after which "mfas" stops proving that its order is the best one.

    Raises
    ------
    DataError
        One line: what cannot be ranked, and why.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": ["a", "tie", "a"]})
    >>> wmtlib.rank(votes, "bradley-terry").order
    ['x', 'y', 'z']
    """
    data = data_of(judgements, method)
    method = method or answer_inputs.USUAL_METHODS[methods.kind_of(data)][0]
    rng = np.random.default_rng(seed)
    return methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)


def ranking_methods() -> pd.DataFrame:
    """Every ranking method: its name, the kind of data it takes, and one line about it.

    Examples
    --------
    >>> import wmtlib
    >>> wmtlib.ranking_methods().set_index("method").loc["mfas", "kind"]
    'counts'
    """
    rows = [(m.name, m.kind, m.about) for m in methods.METHODS.values()]
    return pd.DataFrame(rows, columns=["method", "kind", "about"])


def count(judgements: Data) -> Counts:
    """Wins and ties of every pair of systems.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": ["a", "tie", "a"]})
    >>> wmtlib.count(votes).wins.to_numpy().tolist(), wmtlib.count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    if isinstance(judgements, Counts):
        return judgements
    return as_judgements(judgements).counts


def exact_order(
    wins: pd.DataFrame | np.ndarray | Counts, *, time_limit: float | None = None
) -> MFAS:
    """The order that contradicts the fewest judgements, with a certificate (Lopez 2012, section 4).

    Parameters
    ----------
    wins : DataFrame or ndarray (systems, systems), or Counts
        `wins[a, b]`: how often a was judged better than b; whole numbers. The systems of an array
        are called "0", "1", ...
    time_limit : float, optional
        Seconds after which the proof is given up.

    Examples
    --------
    >>> import wmtlib
    >>> found = wmtlib.exact_order(np.array([[0, 5, 1], [2, 0, 4], [3, 1, 0]]))
    >>> found.order, found.cost, found.optimal
    (('0', '1', '2'), 2, True)
    """
    if isinstance(wins, Counts):
        wins = wins.wins
    if not isinstance(wins, pd.DataFrame):
        matrix = np.asarray(wins)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise DataError(f"wins is an array of shape {matrix.shape}; expected a square")
        width = len(str(len(matrix) - 1))
        names = [f"{k:0{width}d}" for k in range(len(matrix))]
        wins = pd.DataFrame(matrix, index=names, columns=names)
    return mfas.solve(wins, time_limit=time_limit)


def bootstrap(
    judgements: Data,
    method: str | None = None,
    *,
    unit: str,
    n_resamples: int = 1000,
    reference: str | None = None,
    seed: int = 0,
) -> BootstrapResult:
    """Intervals of ranks and scores from judgements drawn with replacement.

    Parameters
    ----------
    judgements, method, reference, seed
        As in `rank`.
    unit : str
        What is drawn as a whole, the unit of collection: "judge", "segment", "ranking" or
        "comparison"; "worker" or "hit" of direct assessments.
    n_resamples : int

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"1111222201"], "judge": range(10)})
    >>> found = wmtlib.bootstrap(votes, unit="judge", n_resamples=100)
    >>> found.table[["system", "rank_low", "rank_high"]].to_numpy().tolist()
    [['x', 1, 2], ['y', 1, 2]]
    """
    data = data_of(judgements, method, unit)
    method = method or answer_inputs.USUAL_METHODS[methods.kind_of(data)][0]
    rng = np.random.default_rng(seed)
    return resampling.bootstrap(
        data, method, unit=unit, n_resamples=n_resamples, rng=rng, reference=reference
    )


def significance(
    judgements: Data, order: Sequence[str], *, correction: str = multiple_tests.CORRECTIONS[0]
) -> pd.DataFrame:
    """Test every pair of systems of an order, corrected for the number of tests.

    Parameters
    ----------
    judgements : DataFrame, path, Judgements or Counts
    order : names, best first
    correction : "benjamini-hochberg", "holm" or "none"

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": ["a"] * 9 + ["b"]})
    >>> wmtlib.significance(votes, ["x", "y"])["p"].round(4).tolist()
    [0.0215]
    """
    return testing.significance(data_of(judgements), order, correction=correction)


def leave_one_out(
    judgements: Data, method: str | None = None, *, reference: str | None = None, seed: int = 0
) -> LeaveOneOut:
    """Rank without each system in turn: whose absence changes the order of the others?

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": [*"xxyyz"], "b": [*"yzzzx"], "outcome": "a"})
    >>> found = wmtlib.leave_one_out(votes)
    >>> found.ranking.order
    ['x', 'y', 'z']
    """
    data = data_of(judgements, method)
    method = method or answer_inputs.USUAL_METHODS[methods.kind_of(data)][0]
    rng = np.random.default_rng(seed)
    return removal.leave_one_out(data, method, reference=reference, rng=rng)


def compare_models(
    judgements: Data,
    models: Sequence[str] | None = None,
    *,
    unit: str,
    folds: int = 5,
    seed: int = 0,
) -> CrossValidation:
    """Which analysis predicts judgements that it has not seen best? Held-out perplexity.

    Parameters
    ----------
    judgements : DataFrame, path, Judgements or Counts
        Comparisons or rankings.
    models : names of preference models, optional
    unit : str
        What is held out as a whole, as in `bootstrap`.
    folds : int

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaaaaaaatb"] * 3})
    >>> votes = votes.replace({"outcome": {"t": "tie"}})
    >>> models = ["uniform", "bradley-terry"]
    >>> found = wmtlib.compare_models(votes, models, unit="comparison")
    >>> found.table["model"].tolist()
    ['bradley-terry', 'uniform']
    """
    data = data_of(judgements, None, unit, "segment")
    return cross_validate(data, models, unit=unit, folds=folds, rng=np.random.default_rng(seed))


def heatmap(judgements: Data, order: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw who beat whom, in the order of a ranking.

    Parameters
    ----------
    judgements : DataFrame, path, Judgements or Counts
        Comparisons or rankings.
    order : names, best first, optional
        The order of `rank` if not given.
    ax : Axes, optional
        A new figure's if not given.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": [*"xy"], "b": [*"yz"], "outcome": "a"})
    >>> from matplotlib.figure import Figure
    >>> len(wmtlib.heatmap(votes, ax=Figure().subplots()).get_xticklabels())
    3
    """
    import matplotlib.pyplot as plt

    from wmtlib.plots import tournament_plots

    counts = count(judgements)
    order = rank(counts).order if order is None else order
    return tournament_plots.heatmap(counts, order, plt.subplots()[1] if ax is None else ax)


def as_judgements(judgements: Data) -> Judgements:
    """Judgements as they are, or read from a frame or a file."""
    return judgements if isinstance(judgements, Judgements) else read(judgements)


def data_of(judgements: Data, method: str | None = None, *units: str) -> Any:
    """What methods take: counts, a comparisons frame with the units that are needed, a campaign."""
    if isinstance(judgements, Counts):
        return judgements
    found = as_judgements(judgements)
    if units:
        answer_inputs.require_unit(found, units[0])
    needed = answer_inputs.units_needed([method]) if method in methods.METHODS else []
    return answer_inputs.method_data(found, [*units, *needed])
