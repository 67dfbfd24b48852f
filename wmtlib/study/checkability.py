"""Which data a published value rests on, and what of them is at hand.

Each row of `data/published/<paper>.csv` names its `basis`. Whether the row can be
checked follows from the basis and the source of the data alone, before anything is
compared. At hand are, of the basis

- ``none``: always: arithmetic, which needs no data;
- ``counts``: always: the repository carries the counts of wins and ties;
- ``rankings``: with the raw files: single rankings of WMT10-12;
- ``simulated``: always: simulated campaigns, no real ones;
- ``units: PAIRS, NEED``: language pairs of direct assessment, case by case: those that
  have what is needed, see `wmtlib.study.releases.assessment_catalogue`;
- ``all: PAIRS, NEED``: the same as one whole: only if every pair has it;
- ``archive: NAME, REASON``: if an archive with the file of this row of Table 1 is at
  hand;
- ``unavailable: REASON``: never, for the reason that is given.
"""

from dataclasses import replace

from wmtlib.study.releases.assessment_catalogue import (
    AtHand,
    archived_table,
    pairs_at_hand,
)
from wmtlib.study.releases.sources import Source

WHOLE = AtHand(("",))


def at_hand(basis: str, source: Source) -> AtHand:
    """What of the data that a row rests on is at hand.

    Parameters
    ----------
    basis : str
        A word of the list above, or a word, ": " and what it is about.
    source : Source

    Raises
    ------
    ValueError
        The basis begins with an unknown word.
    """
    word, _, argument = basis.partition(": ")
    match word:
        case "none" | "counts" | "simulated":
            return WHOLE
        case "rankings" if source.kind == "raw":
            return WHOLE
        case "rankings":
            reason = "needs single rankings; the embedded data hold counts only"
            return AtHand(absent={"": reason})
        case "unavailable":
            return AtHand(absent={"": argument})
        case "archive":
            name, _, reason = argument.partition(", ")
            if source.kind == "raw" and archived_table(name):
                return WHOLE
            return AtHand(absent={"": reason})
        case "units":
            return pairs_at_hand(argument, source)
        case "all":
            cases = pairs_at_hand(argument, source)
            return replace(cases, pairs=() if cases.absent else ("",))
    raise ValueError(f"unknown basis {basis!r}; see wmtlib.study.checkability")
