"""The questions of this package asked of a frame, a file or counts: what `import wmtlib` offers.

Wherever `judgements` is a parameter it may be a DataFrame or the path of a file, with the columns
that `read` recognises: `system_1, system_2, preference` or `model_a, model_b, winner` for
comparisons, `ranking, system, rank` for relative rankings, `worker, system, segment, score` for
direct assessments; or what `read` or `count` returned.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
from matplotlib.axes import Axes

from wmtlib import ranking as methods
from wmtlib.counts import Counts, count
from wmtlib.files.reader import read
from wmtlib.files.user_judgements import Judgements
from wmtlib.ranking import rank
from wmtlib.yours import answer_inputs

Data: TypeAlias = pd.DataFrame | str | Path | Judgements | Counts


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

    from wmtlib import plots as tournament_plots

    counts = count(judgements if isinstance(judgements, Counts) else as_judgements(judgements))
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
