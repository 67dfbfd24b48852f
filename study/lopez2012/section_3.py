"""Section 3: From Pairwise to Total Ranking (Lopez 2012).

Few systems, to follow Equations 1 to 3 by hand; then the paper's objections to them,
measured.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from study.data import ranking_releases
from study.data.sources import Source
from study.lopez2012 import EQUATIONS, Analysis
from study.scoreboard.verdicts import Values
from study.statistics import distance
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.core.errors import DataError
from wmtlib.methods import score

MOST_BY_HAND = 8  # up to which tables can be followed by hand


def require_systems(counts: Counts, systems: Sequence[str]) -> list[str]:
    """Return the systems, if the counts have all of them; the reference is none.

    Raises
    ------
    DataError
        One that they do not have, or one that is named twice.
    """
    judged = counts.without(REFERENCE).systems
    for k, name in enumerate(systems):
        if name not in judged or name in systems[:k]:
            fault = f"no system {name!r}, or twice"
            raise DataError(f"{fault}; expected some of {', '.join(judged)}")
    return [*systems]


def few_systems(
    campaign: str, task: str, systems: Sequence[str], source: str | Source
) -> Counts:
    """Select counts of some systems, compared with one another and the reference.

    Raises
    ------
    DataError
        Not between two and `MOST_BY_HAND` systems, one twice, or one that the task does
        not have.
    """
    counts = ranking_releases.load_counts(campaign, task, source=source)
    chosen = require_systems(counts, systems)
    if not 2 <= len(chosen) <= MOST_BY_HAND:
        raise DataError(f"{len(chosen)} systems; expected 2 to {MOST_BY_HAND}")
    return counts.without(*{*counts.systems} - {*chosen, REFERENCE})


def by_hand(counts: Counts) -> pd.DataFrame:
    """Tabulate what Equations 1 to 3 add up for each system, and the three scores.

    Returns
    -------
    DataFrame
        Index system; won, tied and lost (comparisons with the other systems), ref_won,
        ref_tied and ref_lost (with the reference); "Eq. 1" to "Eq. 3".
    """
    machines = counts.without(REFERENCE)
    columns = {
        "won": machines.wins.sum(axis=1),
        "tied": machines.ties.sum(axis=1),
        "lost": machines.wins.sum(axis=0),
        "ref_won": counts.wins[REFERENCE],
        "ref_tied": counts.ties[REFERENCE],
        "ref_lost": counts.wins.loc[REFERENCE],
    }
    for equation, method in EQUATIONS.items():
        columns[equation] = score(method, counts, reference=REFERENCE)
    return pd.DataFrame(
        {name: column[machines.systems] for name, column in columns.items()}
    )


def write_fractions(row: pd.Series) -> str:
    """Write Equations 1 to 3 as fractions, for a system's row of `by_hand`."""
    won, tied, lost, *of_reference = row.iloc[:6].astype(int)
    ref_won, ref_tied, _ = of_reference
    of_all = won + tied + lost + sum(of_reference)
    fractions = {
        "Eq. 1": f"({won} + {tied} + {ref_won} + {ref_tied}) / {of_all}",
        "Eq. 2": f"{won} / {won + tied + lost}",
        "Eq. 3": f"{won} / {won + lost}",
    }
    lines = [f"{name}: {f} = {row[name]:.3f}" for name, f in fractions.items()]
    return "\n".join([str(row.name), *lines])


def overlap(ranked: pd.DataFrame, counts: dict[str, Counts]) -> pd.DataFrame:
    """Describe what the scores of two systems are aggregated over (section 3).

    Returns
    -------
    DataFrame
        One row for each pair of systems of each task: sentences and judges (how many
        both have in common), other_rates (do they meet some other system in different
        shares of their comparisons?).
    """
    pairs = []
    for label, rows in ranked.groupby("label", observed=True):
        by_system = rows.groupby(rows["system"].astype(str))
        sentences = by_system["segment"].agg(set)
        judges = by_system["judge"].agg(set)
        wins = counts[label].wins
        met = wins + wins.T + counts[label].ties  # the reference included
        rates = met / met.sum()
        for a, b in combinations(sentences.index, 2):
            differ = rates.index[rates[a] != rates[b]]
            row = {
                "sentences": len(sentences[a] & sentences[b]),
                "judges": len(judges[a] & judges[b]),
                "other_rates": not {a, b}.issuperset(differ),
            }
            pairs.append(row)
    return pd.DataFrame(pairs)


def unfairness(analysis: Analysis) -> Values:
    """Compute what the reference takes, and what ties give to systems that are alike.

    For each task of at least four systems. penalty: Spearman's correlation of a
    system's loss by Eq. 1 with its share of comparisons against the reference. gain:
    that of its share of ties with the ranks by which it is higher by Eq. 1 than by
    Eq. 3, both without the reference. cohort: how often the pair ties that ties most,
    by how often all pairs do. p_cohort: chance of a share as large, of any pair, if all
    tie at the task's rate.
    """
    rows = {}
    tasks = analysis.tasks.query("analysed and systems > 3")
    for label in tasks.index:
        counts = analysis.counts[label]
        machines = counts.without(REFERENCE)
        official = score("wmt-official", machines, reference=None)
        bojar = score("bojar", machines, reference=None)
        met = counts.wins + counts.wins.T + counts.ties
        of_reference = met[REFERENCE] / met.sum(axis=1)
        loss = official - score("wmt-official", counts, reference=REFERENCE)
        met = met.loc[loss.index, loss.index]
        ties = machines.ties.sum(axis=1) / met.sum(axis=1)
        gained = official.rank() - bojar.rank()
        most_ties = (machines.ties / met.where(met > 0)).max(axis=None)
        all_ties = machines.ties.sum(axis=None) / met.sum(axis=None)
        number = met.to_numpy()[np.triu_indices(len(met), 1)]
        fewer = stats.binom.cdf(np.ceil(most_ties * number) - 1, number, all_ties)
        rows[label] = {
            "penalty": of_reference[loss.index].rank().corr(loss.rank()),
            "gain": ties.rank().corr(gained.rank()),
            "cohort": most_ties / all_ties,
            "p_cohort": 1 - fewer.prod(),
        }
    return {**pd.DataFrame(rows).T}


def online_penalty(analysis: Analysis) -> Values:
    """Compute what Equation 3 owes to meeting ONLINEA and ONLINEB more or less often.

    A system that won the share b of its decided comparisons with the two and o of the
    others, a share e of all being with the two, has the score e b + (1 - e) o. Equal
    exposure puts the task's share, of all other systems together, in the place of e.

    Returns
    -------
    dict
        turned: share of pairs of the other systems that change places, by task. lost:
        by how much a score is below that of equal exposure, in standard errors.
    """
    turned = []
    lost = []
    for label in analysis.labels:
        wins = analysis.machines(label).wins
        decided = wins + wins.T
        strong = wins.index.str.fullmatch("online-?[AB]")
        if not strong.any():
            continue
        rest = ~strong
        met = decided.loc[rest, strong].sum(axis=1)
        number = decided.loc[rest].sum(axis=1)
        against = wins.loc[rest, strong].sum(axis=1) / met
        others = wins.loc[rest, rest].sum(axis=1) / (number - met)
        score_now = wins.loc[rest].sum(axis=1) / number
        exposure = met.sum() / number.sum()
        equal = (exposure * against + (1 - exposure) * others).fillna(score_now)
        turned.append(distance(score_now.to_numpy(), equal.to_numpy()))
        error = np.sqrt(score_now * (1 - score_now) / number)
        lost.append((equal - score_now) / error)
    return {"turned": np.array(turned), "lost": pd.concat(lost)}
