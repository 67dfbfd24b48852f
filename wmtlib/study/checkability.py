"""Which data a published value rests on, and what of them is at hand.

Each row of `data/published/<paper>.csv` names its `basis`. Whether the row can be checked follows
from the basis and the source of the data alone, before anything is compared:

==============================  =================================================================
basis                           at hand
==============================  =================================================================
``none``                        always: arithmetic, which needs no data
``counts``                      always: the repository carries the counts of wins and ties
``rankings``                    with the raw files: single rankings of WMT10-12
``simulated``                   always: simulated campaigns, no real ones
``units: PAIRS, NEED``          language pairs of direct assessment, case by case: those that have
                                what is needed, see `wmtlib.study.releases.assessment_catalogue`
``all: PAIRS, NEED``            the same as one whole: only if every pair has it
``archive: NAME, REASON``       if an archive with the file of this row of Table 1 is at hand
``unavailable: REASON``         never, for the reason that is given
==============================  =================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wmtlib.study.releases.assessment_catalogue import archived_table, pairs_at_hand
from wmtlib.study.releases.sources import Source


@dataclass(frozen=True)
class AtHand:
    """What of a basis is at hand.

    Attributes
    ----------
    units : tuple of str
        The cases at hand, such as language pairs; ("",) if the row rests on one whole.
    absent : mapping of str to str
        The cases that are not at hand, and what each lacks.
    quality : str
        What the judgements at hand are, if they are not single public judgements.
    """

    units: tuple[str, ...] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    quality: str = ""

    @property
    def lacks(self) -> str:
        """What is absent, in words: each reason, with the cases that share it."""
        cases: dict[str, list[str]] = {}
        for case, reason in self.absent.items():
            cases.setdefault(reason, []).append(case)
        return "; ".join(f"{_listed(c)}: {r}" if any(c) else r for r, c in cases.items())


def _listed(cases: list[str]) -> str:
    """Cases in a row; a first word that several share, such as a campaign, stands once."""
    first: dict[str, list[str]] = {}
    for case in cases:
        word, _, rest = case.partition(" ")
        first.setdefault(word, []).append(rest)
    return ", ".join(f"{word} {', '.join(rest)}".strip() for word, rest in first.items())


WHOLE = AtHand(("",))


def at_hand(basis: str, source: Source) -> AtHand:
    """What of the data that a row rests on is at hand.

    Parameters
    ----------
    basis : str
        A word of the table above, or a word, ": " and what it is about.
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
            return AtHand(absent={"": "needs single rankings; the embedded data hold counts only"})
        case "unavailable":
            return AtHand(absent={"": argument})
        case "archive":
            name, _, reason = argument.partition(", ")
            found = source.kind == "raw" and archived_table(name)
            return WHOLE if found else AtHand(absent={"": reason})
        case "units":
            return _units(argument, source)
        case "all":
            units = _units(argument, source)
            if units.absent:
                return AtHand(absent=units.absent)
            return AtHand(("",), quality=units.quality)
    raise ValueError(f"unknown basis {basis!r}; see wmtlib.study.checkability")


def _units(question: str, source: Source) -> AtHand:
    found = pairs_at_hand(question, source)
    shares = found.recovered.values()
    if not shares:
        return AtHand(found.pairs, found.absent)
    least, most = (f"{share:.1%}" for share in (min(shares), max(shares)))
    known = least if least == most else f"{least} to {most}"
    what = f"judgements recovered from means (of each system at least {known}; BAD_REF by sums): "
    return AtHand(found.pairs, found.absent, what + _listed([*found.recovered]))
