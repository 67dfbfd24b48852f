"""Lopez (2012), sections 3 and 4, by hand: scores, a proof and a search on a few systems."""

from collections.abc import Sequence

import pandas as pd

from wmtlib import ranking
from wmtlib.counts import REFERENCE, Counts
from wmtlib.errors import DataError
from wmtlib.mfas import MFAS, steps
from wmtlib.study.papers.lopez2012 import EQUATIONS
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source

MOST_SYSTEMS = 8  # up to which tables can be followed by hand


def require_systems(counts: Counts, systems: Sequence[str]) -> list[str]:
    """The systems, if the counts have all of them; the reference is none.

    Raises
    ------
    DataError
        One that they do not have, or one that stands twice.
    """
    known = counts.without(REFERENCE).systems
    if odd := [name for k, name in enumerate(systems) if name not in known or name in systems[:k]]:
        raise DataError(f"no system {odd[0]!r}, or twice; expected some of {', '.join(known)}")
    return [*systems]


def few_systems(campaign: str, task: str, systems: Sequence[str], source: str | Source) -> Counts:
    """Counts of some systems of a task, compared with one another and with the reference.

    Raises
    ------
    DataError
        Not between two and `MOST_SYSTEMS` systems, one twice, or one that the task does not have.
    """
    counts = ranking_releases.load_counts(campaign, task, source=source)
    kept = [*require_systems(counts, systems), REFERENCE]
    if not 2 <= len(systems) <= MOST_SYSTEMS:
        raise DataError(f"{len(systems)} systems; expected 2 to {MOST_SYSTEMS}")
    return counts.without(*[name for name in counts.systems if name not in kept])


def figure_2() -> pd.DataFrame:
    """Wins of a tournament of which Equation 1 gives B 2/5 and C 2/4, as section 4 prints.

    The weights of Figure 2 stand in its image alone; these are *some* that fit the text.
    """
    wins = pd.DataFrame(0, index=[*"ABCD"], columns=[*"ABCD"])
    for edge in ("AB3", "AC1", "AD1", "BC1", "BD1", "CD2"):
        wins.loc[edge[0], edge[1]] = int(edge[2])
    return wins


def score_parts(counts: Counts) -> pd.DataFrame:
    """What Equations 1 to 3 are made of.

    Returns
    -------
    DataFrame, one row a system
        won, tied, lost: comparisons with the other systems; ref_won, ref_tied, ref_lost: with the
        reference; then the three scores.
    """
    machines = counts.without(REFERENCE)
    parts = {
        "won": machines.wins.sum(axis=1),
        "tied": machines.ties.sum(axis=1),
        "lost": machines.wins.sum(axis=0),
    }
    if REFERENCE in counts.systems:
        parts |= {
            "ref_won": counts.wins[REFERENCE],
            "ref_tied": counts.ties[REFERENCE],
            "ref_lost": counts.wins.loc[REFERENCE],
        }
    scores = {e: ranking.score(m, counts, reference=REFERENCE) for e, m in EQUATIONS.items()}
    return pd.DataFrame({name: part[machines.systems] for name, part in (parts | scores).items()})


def spelled_out(parts: pd.DataFrame, system: str) -> list[str]:
    """The three scores of one system with all their numbers, a line each."""
    one = parts.loc[system]
    won, tied, lost = (int(one[name]) for name in ("won", "tied", "lost"))
    against = [int(one.get(name, 0)) for name in ("ref_won", "ref_tied", "ref_lost")]
    not_lost = f"({won} + {tied} + {against[0]} + {against[1]})"
    fractions = {
        "Eq. 1": f"{not_lost} / {won + tied + lost + sum(against)}",
        "Eq. 2": f"{won} / {won + tied + lost}",
        "Eq. 3": f"{won} / {won + lost}",
    }
    return [f"{name}: {fraction} = {one[name]:.3f}" for name, fraction in fractions.items()]


def proof_by_addition(exact: MFAS) -> pd.DataFrame:
    """How often the cycles of a certificate use each edge; at most its weight, in small tasks.

    Returns
    -------
    DataFrame, one row for each edge that a cycle uses
        edge, weight; a column for each cycle with how often it uses the edge, "cycle 1" first;
        used, their sum. The last row, "sum", adds up how often each cycle counts: what every
        order violates at least, in units of 1 / `scale` judgements.
    """
    names, cycles = sorted(exact.order), exact.certificate.cycles
    margin = pd.DataFrame(exact.margin, index=names, columns=names)
    rows: dict[str, dict[str, int]] = {}
    for k, (cycle, times) in enumerate(cycles, start=1):
        for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            row = rows.setdefault(f"{a} → {b}", {"weight": int(margin.loc[a, b])})
            row[f"cycle {k}"] = times
    columns = [f"cycle {k}" for k in range(1, len(cycles) + 1)]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["weight", *columns])
    table = table.fillna(0).astype(int)
    table["used"] = table[columns].sum(axis=1)
    counted = [times for _, times in cycles]
    sums = pd.DataFrame([["", *counted, sum(counted)]], index=["sum"], columns=table.columns)
    return pd.concat([table.astype({"weight": object}), sums]).rename_axis("edge")


def search_steps(wins: pd.DataFrame) -> pd.DataFrame:
    """What Algorithm 1 takes from its agenda, step by step: ranked so far, and at which cost."""
    rows = [(" > ".join(step.order) or "nobody", step.cost) for step in steps(wins)]
    table = pd.DataFrame(rows, columns=["ranked so far", "cost"])
    return table.set_index(pd.RangeIndex(1, len(rows) + 1, name="step"))
