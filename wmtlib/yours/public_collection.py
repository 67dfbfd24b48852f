"""How far judges agree, and how few judgements decide: of a frame, a file or counts."""

from wmtlib import agreement as judging
from wmtlib import ranking as methods
from wmtlib.agreement import JudgeReport
from wmtlib.counts import Counts
from wmtlib.yours import answer_inputs
from wmtlib.yours import robustness as removal
from wmtlib.yours.public import Data, as_judgements, data_of
from wmtlib.yours.robustness import Robustness


def judges(judgements: Data, *, reference: str | None = None) -> JudgeReport:
    """How far does each judge agree with the others, and what does the ranking owe to each?

    Parameters
    ----------
    judgements, reference
        As in `rank`; judges are named.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": "a", "judge": [*"pqrs"] * 30})
    >>> votes.loc[votes["judge"] == "r", "outcome"] = "b"
    >>> wmtlib.judges(votes).table[["judge", "reliability", "doubtful"]].head(2).to_numpy().tolist()
    [['judge_003', 0.0, True], ['judge_001', 1.0, False]]
    """
    data = judgements
    if not isinstance(data, Counts):
        data = answer_inputs.method_data(as_judgements(judgements), ["judge", "ranking"])
    return judging.judges(data, reference=reference)


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
    method = method or answer_inputs.USUAL_METHODS[methods.kind_of(data)][0]
    return removal.fewest_removals(data, method, unit=unit, reference=reference)
