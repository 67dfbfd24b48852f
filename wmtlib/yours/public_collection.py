"""How far judges agree, and how few judgements decide: of a frame, a file or counts."""

from wmtlib import ranking as methods
from wmtlib.yours import robustness as removal
from wmtlib.yours.public import Data, data_of
from wmtlib.yours.robustness import Robustness


def fewest_removals(
    judgements: Data, method: str | None = None, *, unit: str, reference: str | None = None
) -> Robustness:
    """How few judgements decide who is first, the first three, and each pair of neighbours?

    Parameters
    ----------
    judgements, method, reference
        As in `rank`; method is one of `analysis.robustness.METHODS`.
    unit : str
        What is removed as a whole, as in `bootstrap`.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaaaabb"]})
    >>> winner = wmtlib.fewest_removals(votes, unit="comparison").winner
    >>> winner["above"], int(winner["high"]), int(winner["reversals"])
    ('x', 3, 2)
    """
    data = data_of(judgements, method, unit)
    method = method or methods.USUAL_METHODS[methods.kind_of(data)][0]
    return removal.fewest_removals(data, method, unit=unit, reference=reference)
