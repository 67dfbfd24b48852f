"""Values that other programs print, or have in their test suites, and ours for the same
data: what docs/same-numbers.md shows.

The values are typed as their sources have them, and so are the data; of packages under
the GPL only these were used. `PYTHONPATH=. python tests/test_same_numbers.py` writes
the tables of the page.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import wmtlib
from examples import compared, counts_of, data_error
from study.beyond.unit_tests import sign_flip_p
from study.lopez2012.section_6 import sign_test
from wmtlib import agreement
from wmtlib.bradley_terry import maximum, strengths
from wmtlib.core.corrections import corrected, wilson
from wmtlib.core.ranking import pair_orders
from wmtlib.core.sampling import sample_of_counts

PAGE = Path(__file__).parents[1] / "docs" / "same-numbers.md"

# --- the data -------------------------------------------------------------------------

# Davidson (1970), Example 2: preferences for one of two brands of chocolate pudding,
# for the other, for neither. https://robinhankin.github.io/hyper2/pudding.html
PUDDING = counts_of(
    *("a b 19 22 16", "a c 16 19 12", "b c 19 19 10", "a d 18 23 13", "b d 23 19 9"),
    *("c d 19 20 15", "a e 13 19 18", "b e 16 20 12", "c e 16 15 17", "d e 17 14 16"),
    *("a f 18 21 12", "b f 22 20 12", "c f 13 18 10", "d f 14 19 18", "e f 11 21 12"),
)
# Agresti (2002), page 448, from Stigler (1994); values: Turner and Firth (2012), of
# BradleyTerry2. Citations of the first journal by the second, and the other way round.
CITATIONS = counts_of(
    *("Biometrika CommStat 730 33 0", "Biometrika JASA 498 320 0"),
    *("Biometrika JRSS-B 221 284 0", "CommStat JASA 68 813 0"),
    *("CommStat JRSS-B 17 276 0", "JASA JRSS-B 142 325 0"),
)
# Agresti (2002), page 438; values: printed output of BradleyTerry2's tests, without and
# with an advantage of the home team. The season of 1987 of Milwaukee, Detroit, Toronto,
# New York, Boston (S), Cleveland and Baltimore: games won and lost at home, by rows.
TEAMS = "MDTNSCB"
AT_HOME = """
 -  43 42 43 61 42 60
33  -  42 43 60 61 43
25 43  -  24 43 42 60
33 51 25  -  43 42 61
51 25 33 42  -  52 60
25 33 34 43 42  -  24
25 15 16 24 16 34  -
"""
GAMES = [
    (home, away, side, int(number))
    for home, row in zip(TEAMS, AT_HOME.strip().splitlines(), strict=True)
    for away, cell in zip(TEAMS, row.split(), strict=True)
    if home != away
    for side, number in enumerate(cell, start=1)
    if number != "0"
]
BASEBALL = compared(*GAMES)
# Wikipedia, "Bradley-Terry model": wins of four teams.
FOUR_TEAMS = counts_of("A B 2 3 0", "A D 1 4 0", "B C 5 3 0", "C D 1 3 0")
# choix, tests/data/testcase-pairwise-1.json and -2.json
CYCLE = counts_of("x y 1 0 0", "y z 1 0 0", "z x 1 0 0")
UNEVEN_CYCLE = counts_of("x y 2 0 0", "y z 1 0 0", "z x 1 0 0")
# evalica, food.csv: thirty votes for Tacos, Sushi, Burger, Pasta, Pizza, by pair.
FOOD = counts_of(
    *("T S 1 1 0", "T B 1 1 0", "T A 4 1 0", "T P 4 0 0", "S B 4 2 0"),
    *("S A 1 0 1", "S P 0 2 0", "B A 0 2 0", "B P 3 0 0", "A P 0 1 1"),
)
# Wikipedia, "Krippendorff's alpha", as the documentation of the package krippendorff
# has it: three coders of fifteen units, "." is missing.
CODERS = (".....34121133.3", "1.213343.......", "..21344.21133.4")
# evalica, codings.csv: four observers, twelve units.
OBSERVERS = ("123321412...", "1233224125..", ".33323422513", "12332441251.")
# Benjamini and Hochberg (1995): fifteen p-values of one study, in ten-thousandths.
P_VALUES = (
    np.array([1, 4, 19, 95, 201, 278, 298, 344, 459, 3240, 4262, 5719, 6528, 7590, 1e4])
    / 1e4
)
# choix, tests/test_utils.py: parameters of three items in three models.
MODELS = [[1.0, -1.2, 0.0], [1.5, -0.2, -0.2], [-1.0, 1.2, 0.0]]

# --- ours -----------------------------------------------------------------------------


def half(counts):
    """Strengths by Bradley-Terry with a tie for half a win and without a prior."""
    return wmtlib.rank(counts, "bradley-terry-half").scores


def above(strength, system):
    """Strengths above that of one system, of the others by name."""
    return (strength - strength[system]).drop(system).sort_index()


def shares(strength, systems, total=1.0):
    """Odds that add up to a total, in the order of the systems."""
    odds = np.exp(strength[list(systems)])
    return total * odds / odds.sum()


def davidson(counts):
    """Odds by Davidson's model without a prior, which add up to 1, and its tie."""
    (theta,), _ = maximum(sample_of_counts(counts), ties="davidson", prior=0)
    odds = np.exp(theta)
    return [*odds[:-1] / odds[:-1].sum(), odds[-1]]


def at_home():
    """Strengths above Baltimore, and the advantage of the home team, without a prior.

    The last parameter is the tie, of which there is none.
    """
    sample = sample_of_counts(BASEBALL, sided=True)
    (theta,), _ = maximum(sample, ties="half", prior=0)
    return [*theta[1:-2] - theta[0], theta[-2]]


def alpha(table):
    """Krippendorff's alpha of interval data, of values as they are.

    `agreement` takes z-scores, in whose place the values are put.
    """
    rows = [
        (worker, segment, "output", float(value))
        for worker, values in enumerate(table)
        for segment, value in enumerate(values)
        if value != "."
    ]
    values = pd.DataFrame(rows, columns=["worker", "segment", "system", "z"])
    with patch.object(agreement, "judged_values", lambda _: values):
        sums = agreement._sums_of_scores(None).sum().to_frame().T
    return agreement._alpha_of_scores(sums)["alpha"]


def reversed_in(k, j):
    """How many pairs of items two models have the other way round."""
    first, second = pair_orders(np.array([MODELS[k], MODELS[j]]))
    return [(first * second < 0).sum()]


def rejected():
    """How many of fifteen p-values are below .05 when they are corrected, two ways."""
    ways = ("benjamini-hochberg", "holm")
    return [(corrected(P_VALUES, way) <= 0.05).sum() for way in ways]


# --- the cases ------------------------------------------------------------------------


class Case(NamedTuple):
    """A row of the page.

    Attributes
    ----------
    what, program : str
        The data and what is computed; the program, or the paper, that has the values.
    values : str
        As they are printed.
    call : str
        What gives ours.
    ours : callable
        Without arguments.
    tolerance : float
        0: half of the last digit that is printed.
    """

    what: str
    program: str
    values: str
    call: str
    ours: Callable[[], object]
    tolerance: float = 0


HALF = "`bradley-terry-half`"
NO_PRIOR = "`maximum(…, prior=0)`"
CASES = [
    Case(
        "six puddings: worths, tie",
        "Davidson (1970), Example 2; PlackettLuce",
        ".13880 .17300 .16174 .16539 .15868 .20239 .74681",
        NO_PRIOR,
        lambda: davidson(PUDDING),
        2e-5,
    ),
    Case(
        "four journals: above Biometrika",
        "BradleyTerry2",
        "-2.9491 -.4796 .2690",
        HALF,
        lambda: above(half(CITATIONS), "Biometrika"),
    ),
    Case(
        "baseball 1987: above Baltimore",
        "BradleyTerry2",
        ".6839 1.4364 1.5814 1.2476 1.1077 1.2945",
        HALF,
        lambda: above(half(BASEBALL), "B"),
    ),
    Case(
        "with home advantage, the last",
        "BradleyTerry2",
        ".7047 1.4754 1.6196 1.2813 1.1438 1.3271 .3023",
        NO_PRIOR,
        at_home,
    ),
    Case(
        "four teams: odds",
        "Wikipedia; arena-rank 0.1.1*, choix*",
        ".640 1.043 .660 2.270",
        HALF,
        lambda: np.exp(half(FOUR_TEAMS)).sort_index(),
    ),
    Case(
        "three items in a cycle",
        "choix 0.4.1*; crowd-kit 1.4.2*",
        "1.0 1.0 1.0",
        HALF,
        lambda: shares(half(CYCLE), "xyz", 3),
    ),
    Case(
        "the same, one vote twice",
        "choix 0.4.1*",
        "1.43586088 .62035049 .94378863",
        HALF,
        lambda: shares(half(UNEVEN_CYCLE), "xyz", 3),
        1e-8,
    ),
    Case(
        "five dishes: `bradley_terry`",
        "evalica 0.4.2*",
        ".43429 .19060 .14798 .12815 .09898",
        HALF,
        lambda: shares(half(FOOD), "TSBAP"),
    ),
    Case(
        "`newman`, which is Davidson's model",
        "evalica 0.4.2*",
        "2.66521 1.09063 .82966 .71015 .53681",
        "`strengths(…, prior=0)`",
        lambda: shares(strengths(FOOD, ties="davidson", prior=0), "TSBAP", 5.83246),
    ),
    Case(
        "`counting`, a tie for a half",
        "evalica 0.4.2*",
        "10.0 6.5 6.0 4.0 3.5",
        "`count`",
        lambda: (FOOD.wins + FOOD.ties / 2).sum(axis=1)[list("TSBAP")],
    ),
    Case(
        "`average_win_rate`",
        "evalica 0.4.2*",
        ".7000 .4792 .4583 .4250 .4375",
        "(`net-wins` + 1) / 2",
        lambda: (wmtlib.rank(FOOD, "net-wins").scores[list("TSBAP")] + 1) / 2,
    ),
    Case(
        "three coders: alpha, interval",
        "krippendorff 0.9.0*",
        ".810845",
        "alpha of `judges`, raw",
        lambda: alpha(CODERS),
    ),
    Case(
        "four observers",
        "evalica 0.4.2*, krippendorff*",
        ".849107",
        "the same",
        lambda: alpha(OBSERVERS),
    ),
    Case(
        "15 p-values: rejected; by Holm",
        "Benjamini and Hochberg (1995); statsmodels 0.15.0*",
        "4 3",
        "`corrected`",
        rejected,
    ),
    Case(
        "the first five, adjusted",
        "SciPy 1.17.1*, statsmodels*",
        ".001500 .003000 .009500 .035625 .060300",
        "the same",
        lambda: corrected(P_VALUES, "benjamini-hochberg")[:5],
    ),
    Case(
        "Wilson's interval of 81 in 263",
        "statsmodels 0.15.0*",
        ".255289 .366210",
        "`wilson`",
        lambda: wilson(np.array(81 / 263), 263),
    ),
    Case(
        "binomial p: 5 to 0, 3 to 3, 2 to 10",
        "SciPy 1.17.1*",
        ".062500 1.000000 .038574",
        "`sign_test`",
        lambda: sign_test(np.array([5, 3, 2]), np.array([0, 3, 10])),
    ),
    Case(
        "reversed pairs of three items",
        "choix 0.4.1*",
        "3",
        "`pair_orders`",
        lambda: reversed_in(0, 2),
    ),
]
BY_CHOICE = [
    Case(
        "baseball with home advantage",
        "BradleyTerry2",
        ".705 1.475 1.620 1.281 1.144 1.327",
        "`bradley-terry-side` has a prior of four games",
        lambda: above(wmtlib.rank(BASEBALL, "bradley-terry-side").scores, "B"),
    ),
    Case(
        "reversed pairs, two items tied",
        "choix 0.4.1*",
        "3",
        "a tie is no order; choix breaks ties by position",
        lambda: reversed_in(1, 2),
    ),
    Case(
        "five segments, one-sided p by signs",
        "mt-metrics-eval, by ten draws",
        ".1",
        "exact: 1/32; fewer than six units have no p here",
        lambda: sign_flip_p(np.full((5, 1), 0.6)),
    ),
]


def decimals(word):
    """How many digits of a printed number stand after the point."""
    return len(word.partition(".")[2])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_value_is_that_of_the_other_program(case):
    words = case.values.split()
    last_digit = np.array([10.0 ** -decimals(word) for word in words])
    bound = case.tolerance or 0.5001 * last_digit
    ours = np.asarray(case.ours(), dtype=float)
    assert (np.abs(ours - np.array(words, dtype=float)) <= bound).all()


@pytest.mark.parametrize("case", BY_CHOICE, ids=lambda case: case.what)
def test_a_value_that_is_called_another_is_another(case):
    assert shown(case) != case.values


def test_a_chain_of_votes_has_no_maximum():
    """crowd-kit stops after ten steps: .935, .065, .000."""
    chain = counts_of("a b 1 0 0", "b c 1 0 0", "a c 1 0 0")
    with data_error("without a prior there is no maximum"):
        half(chain)


# --- the page -------------------------------------------------------------------------


def shown(case):
    """Our values with as many digits as the others are printed with."""
    ours = np.asarray(case.ours(), dtype=float)
    words = case.values.split()
    pairs = zip(ours, words, strict=True)
    return " ".join(printed(value, decimals(word)) for value, word in pairs)


def printed(value, digits):
    """A number without the zero before its point."""
    if np.isnan(value):
        return "none"
    return re.sub(r"^(-?)0\.", r"\1.", f"{value + 0.0:.{digits}f}")


def tables():
    """The two tables of the page."""
    equal = ["| case | from | its value | ours | equal to | call |\n|" + "---|" * 6]
    for case in CASES:
        bound = (
            f"{case.tolerance:.0e}".replace("e-0", "e-") if case.tolerance else "print"
        )
        cells = (case.what, case.program, case.values, shown(case), bound, case.call)
        equal.append(f"| {' | '.join(cells)} |")
    other = ["| case | from | its value | ours | why |\n|" + "---|" * 5]
    for case in BY_CHOICE:
        cells = (case.what, case.program, case.values, shown(case), case.call)
        other.append(f"| {' | '.join(cells)} |")
    return ["\n".join(rows) + "\n" for rows in (equal, other)]


def test_the_page_shows_the_values_of_today():
    text = PAGE.read_text(encoding="utf-8")
    assert [table for table in tables() if table not in text] == []


def write_tables():
    """Write the tables into the page, in place of those that begin alike."""
    text = PAGE.read_text(encoding="utf-8")
    for table in tables():
        head = table.partition("\n")[0]
        text = re.sub(re.escape(head) + r"\n(\|.*\n)*", lambda _, new=table: new, text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
