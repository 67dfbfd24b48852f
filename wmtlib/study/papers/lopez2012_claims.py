"""Lopez (2012): the claims of the prose, each judged by the criterion of the published file.

data/published/lopez2012.csv holds every claim with its criterion in words and numbers; a part of a
`Claim` here is one comparison that the criterion names.
"""

import numpy as np
import pandas as pd

from wmtlib import ranking
from wmtlib.counts import REFERENCE
from wmtlib.study.papers import lopez2012_samples as samples
from wmtlib.study.papers.lopez2012 import EQUATIONS, Analysis, sign_tests
from wmtlib.study.papers.lopez2012_ranking_claims import ranking_claims
from wmtlib.study.verdicts import Claim, Values


def claims(found: Analysis) -> Values:
    """Verdicts that counts of wins and ties allow, by (item, quantity)."""
    return _tasks(found) | _scores(found) | ranking_claims(found) | _doubt(found)


def sampling_claims(found: Analysis, assessments: pd.DataFrame, screens: pd.DataFrame) -> Values:
    """Verdicts that need single rankings."""
    gaps, tasks = samples.tasks_with_gaps(assessments), len(found.labels)
    alike = screens.groupby(["label", "segment", "shown"])["judge"]
    by_one = int(screens.duplicated(["label", "segment", "shown", "judge"]).sum())
    by_several = int((alike.nunique() > 1).sum())
    shared = samples.overlap(assessments, found.counts)
    pairs = screens["ranked"] * (screens["ranked"] - 1) // 2
    of_three = int(pairs[screens["ranked"] >= 3].sum())
    apart = (shared["sentences"] == 0).mean(), (shared["judges"] == 0).mean()
    rates = (~shared["same_rates"]).mean()
    return {
        ("section-2", "all pairs on all sentences"): Claim(
            {"some pair lacks a sentence in more than half of the tasks": gaps > tasks / 2},
            f"{gaps} of {tasks} tasks",
        ),
        ("section-2", "repeated samples"): Claim(
            {"repeated by one judge": by_one > 0, "assessed by several judges": by_several > 0},
            f"{by_one} repeats by the same judge, {by_several} samples seen by several judges",
        ),
        ("section-3", "what two scores rest on"): Claim(
            {
                "no sentence in common for most pairs": apart[0] > 0.5,
                "rates that differ for most pairs": rates > 0.5,
                "no judge in common for most pairs": apart[1] > 0.5,
            },
            f"of {len(shared)} pairs {apart[0]:.1%} share no sentence, {rates:.1%} differ in rates,"
            f" {apart[1]:.1%} share no judge",
        ),
        ("section-6", "judgements inferred from larger rankings"): Claim(
            {"most comparisons come from three or more outputs": of_three > pairs.sum() / 2},
            f"{of_three} of {pairs.sum()} comparisons",
        ),
        ("section-6", "repeated assessments"): Claim(
            {"at least 10 % repeat an earlier one": screens["repeat"].mean() >= 0.1},
            f"{screens['repeat'].mean():.1%} of {len(screens)} assessments",
        ),
    }


def _tasks(found: Analysis) -> Values:
    """Abstract and sections 1, 2 and 5.1: which tasks there are."""
    tasks = found.tasks.loc[found.labels]
    released = found.tasks[found.tasks["campaign"].isin(["wmt10", "wmt11"])]
    large, more = (tasks["systems"] >= 20).sum(), (tasks["systems"] > 5).sum()
    tied = [found.counts[label].ties.to_numpy().any() for label in tasks.index]
    with_reference = [found.counts[label].wins.loc[REFERENCE].any() for label in tasks.index]
    combined = tasks.loc[tasks["task"].str.endswith("syscomb"), "systems"]
    return {
        ("abstract", "tasks analysed"): Claim(
            {"every released task is in Table 1": len(released) == len(tasks)},
            f"{len(tasks)} of {len(released)} tasks; the other {len(released) - len(tasks)} are"
            " Haitian Creole-English",
        ),
        ("section-1", "tasks with at least twenty systems"): Claim(
            {"two to five tasks": 2 <= large <= 5}, f"{large} tasks"
        ),
        ("section-2", "ties"): Claim({"ties in every task": all(tied)}, f"{sum(tied)} tasks"),
        ("section-2", "tasks with more than five systems"): Claim(
            {"more than half of the tasks": more > len(tasks) / 2}, f"{more} of {len(tasks)} tasks"
        ),
        ("section-2", "reference in the pool"): Claim(
            {"comparisons with the reference in every task": all(with_reference)},
            f"{sum(with_reference)} of {len(tasks)} tasks",
        ),
        ("section-5.1", "systems in a combination task"): Claim(
            {"fewer than ten systems each": (combined < 10).all()},
            f"{combined.min()} to {combined.max()} systems",
        ),
    }


def _scores(found: Analysis) -> Values:
    """Section 3: the three equations and the reference."""
    labels = found.labels
    won = pd.Series({t: found.counts[t].wins.loc[REFERENCE].sum() for t in labels})
    lost = pd.Series({t: found.counts[t].wins[REFERENCE].sum() for t in labels})
    share, least = won.sum() / (won.sum() + lost.sum()), (won / (won + lost)).min()
    penalty = pd.Series(
        {t: _penalty(found, t) for t in labels if found.tasks.loc[t, "systems"] > 3}
    )
    online = {name: _online(found, name) for name in ("onlinea", "onlineb")}
    low = {n: p[p["rank"] > -(-p["systems"] // 3)] for n, p in online.items()}
    distinct = [len({tuple(found.orders[t][m]) for m in EQUATIONS.values()}) == 3 for t in labels]
    times = [met[np.triu_indices(len(met), 1)] for met in (found.times_compared(t) for t in labels)]
    return {
        ("section-3", "reference favoured"): Claim(
            {"80 % of the decided comparisons": share >= 0.8, "most in every task": least > 0.5},
            f"{share:.1%} of the decided comparisons; at least {least:.1%} in a task",
        ),
        ("section-3", "penalty for meeting the reference"): Claim(
            {"above zero in more than half of the tasks": (penalty > 0).mean() > 0.5},
            f"above zero in {(penalty > 0).sum()} of {len(penalty)} tasks",
        ),
        ("section-3", "ONLINEA and ONLINEB"): Claim(
            {f"{name.upper()} in the upper third everywhere": low[name].empty for name in low},
            "; ".join(f"{n.upper()} lower in {len(low[n])} of {len(online[n])} tasks" for n in low),
        ),
        ("section-3", "different decisions"): Claim(
            {"three different rankings in most tasks": sum(distinct) > len(labels) / 2},
            f"{sum(distinct)} of {len(labels)} tasks",
        ),
        ("section-3", "direct comparisons"): Claim(
            {"ten or more for every pair": min(t.min() for t in times) >= 10},
            f"{min(t.min() for t in times)} to {max(t.max() for t in times)} comparisons a pair",
        ),
    }


def _penalty(found: Analysis, label: str) -> float:
    """Spearman's correlation: share of comparisons with the reference, and loss of Eq. 1."""
    counts = found.counts[label]
    met = counts.wins + counts.wins.T + counts.ties
    share = (met[REFERENCE] / met.sum(axis=1)).drop(REFERENCE)
    without = ranking.score("wmt-official", found.machines(label), reference=None)
    return share.rank().corr((without - found.scores[label]["wmt-official"]).rank())


def _online(found: Analysis, name: str) -> pd.DataFrame:
    """Rank by Eq. 1 of an online system, "onlineA" in 2010 and "online-A" in 2011, in its tasks."""
    rows = []
    for label in found.labels:
        ranked = found.orders[label]["wmt-official"]
        order = [system.casefold().replace("online-", "online") for system in ranked]
        if name in order:
            rows.append((label, order.index(name) + 1, len(order)))
    return pd.DataFrame(rows, columns=["label", "rank", "systems"])


def _doubt(found: Analysis) -> Values:
    """Section 6: how sure is a comparison of two systems?"""
    uniform = pairs = 0
    for label in found.labels:
        wins, met = found.machines(label).wins.to_numpy(), found.times_compared(label)
        one, other = np.triu_indices(len(wins), 1)
        often = met[one, other] >= 10
        pairs += int(often.sum())
        uniform += int((np.minimum(wins[one, other], wins[other, one])[often] == 0).sum())
    p = sign_tests(found)["p"]
    return {
        ("section-6", "uniformly better systems"): Claim(
            {"fewer than 5 % of the pairs": uniform < 0.05 * pairs}, f"{uniform} of {pairs} pairs"
        ),
        ("section-6", "p-values above 1 %"): Claim(
            {"p above 0.1 for at least a quarter": (p > 0.1).mean() >= 0.25},
            f"{(p > 0.1).mean():.1%} of {len(p)} pairs",
        ),
        ("section-6", "pairwise rankings incorrect or meaningless"): Claim(
            {"p above 0.05 for at least 200 pairs": (p > 0.05).sum() >= 200},
            f"{(p > 0.05).sum()} of {len(p)} pairs",
        ),
    }
