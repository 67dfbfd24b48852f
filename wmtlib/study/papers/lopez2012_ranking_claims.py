"""Lopez (2012), sections 4 and 5: the claims about tournaments, MFAS and the heuristic rankings.

See `lopez2012_claims`.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from wmtlib import mfas as violations
from wmtlib.study.papers.lopez2012 import (
    ENGLISH_CZECH,
    EQUATIONS,
    FRENCH_ENGLISH,
    TUNABLE_METRICS,
    Analysis,
    correlations,
    printed_order,
)
from wmtlib.study.verdicts import Claim, Values

SUBSTANTIAL = 1.2  # one violated weight is substantially higher than another from this ratio on


def ranking_claims(found: Analysis) -> Values:
    """Verdicts by (item, quantity)."""
    parts = (_tournaments, _heuristics, _printed_orders)
    return {row: claim for part in parts for row, claim in part(found).items()}


def _tournaments(found: Analysis) -> Values:
    """Abstract and section 4: tournaments, cycles and their optimal orders."""
    proven = sum(found.solved[label].optimal for label in found.labels)
    other_first = [
        label
        for label in found.labels
        if found.solved[label].rank_ranges.loc[found.orders[label]["wmt-official"][0], "best"] > 1
    ]
    even = pd.Series({t: _even_pairs(found, t) for t in found.labels})
    cycles = pd.Series({t: _cyclic_triples(found, t) for t in found.labels})
    several = sum(found.solved[label].optimal_orders > 1 for label in found.labels)
    tasks = len(found.labels)
    return {
        ("abstract", "efficiently solvable"): Claim(
            {"an order is proven optimal in every task": proven == tasks}, f"{proven} of {tasks}"
        ),
        ("abstract", "surprisingly different rankings"): Claim(
            {"another first system in at least two tasks": len(other_first) >= 2},
            f"{len(other_first)} of {tasks} tasks",
        ),
        ("section-4", "edges of a tournament"): Claim(
            {"no pair of margin zero": (even == 0).all()},
            f"{even.sum()} pairs of margin zero in {(even > 0).sum()} of {tasks} tasks",
        ),
        ("section-4", "cycles"): Claim(
            {"at most five cycles of three in most tasks": (cycles <= 5).sum() > tasks / 2},
            f"{(cycles <= 5).sum()} of {tasks} tasks; up to {cycles.max()} cycles",
        ),
        ("section-6", "choice of a total ordering"): Claim(
            {"several optimal orders in some task": several > 0}, f"{several} of {tasks} tasks"
        ),
    }


def _even_pairs(found: Analysis, label: str) -> int:
    """Pairs of systems of which neither beat the other more often."""
    margins = found.machines(label).margins.to_numpy()
    return int((margins[np.triu_indices(len(margins), 1)] == 0).sum())


def _cyclic_triples(found: Analysis, label: str) -> int:
    """Cycles of three systems: a beat b, b beat c, c beat a."""
    beat = (found.machines(label).margins.to_numpy() > 0).astype(int)
    return int(np.trace(beat @ beat @ beat)) // 3


def _heuristics(found: Analysis) -> Values:
    """Sections 5.1, 5.2 and 6: the rankings by Equations 1 to 3 against MFAS."""
    weights, methods = found.weights.loc[found.labels], [*EQUATIONS.values()]
    total, shown = weights.sum(), weights[methods]
    differ = shown[shown.nunique(axis=1) > 1]
    best_alone = {m: int((differ[m] < differ.drop(columns=m).min(axis=1)).sum()) for m in methods}
    eq1, eq2, eq3 = (shown[m] for m in methods)
    spectacular = shown.index[(eq2 > 0) & (eq2 >= 3 * eq1) & (eq2 >= 3 * eq3)]
    rho = pd.DataFrame({label: _agreement(found, label) for label in found.labels}).T.mean()
    first = {m: found.orders[ENGLISH_CZECH][m][0] for m in methods}
    place = {e: found.orders[FRENCH_ENGLISH][m].index("onlineB") + 1 for e, m in EQUATIONS.items()}
    one_task = weights.loc[ENGLISH_CZECH]
    ratios, more = total[methods] / total["mfas"], total["wmt-official"] / total["bojar"]
    return {
        ("section-5.1", "2011 English-Czech, heuristic rankings"): Claim(
            {
                "Equations 1-3 violate edges": (one_task[methods] > 0).all(),
                "MFAS none": one_task["mfas"] == 0,
            },
            ", ".join(f"{m} {one_task[m]}" for m in weights.columns),
        ),
        ("section-5.1", "2011 English-Czech, best system"): Claim(
            {f"not first by {e}": first[EQUATIONS[e]] != "cu-marecek" for e in ("Eq. 1", "Eq. 3")},
            f"first are {first['wmt-official']} and {first['bojar']}",
        ),
        ("section-5.1", "2010 French-English, ONLINEB"): Claim(
            {f"three places below the first by {e}": rank >= 4 for e, rank in place.items()},
            ", ".join(f"rank {rank} by {e}" for e, rank in place.items()),
        ),
        ("section-5.1", "2010 French-English, one group"): _one_group(found),
        ("section-5.2", "removing ties"): Claim(
            {f"less than {e}": total["bojar"] < total[EQUATIONS[e]] for e in ("Eq. 1", "Eq. 2")},
            f"violated weight {_by_equation(total)}",
        ),
        ("section-5.2", "no heuristic measure strongly favoured"): Claim(
            {"none alone is best in two thirds": max(best_alone.values()) < len(differ) * 2 / 3},
            f"of {len(differ)} tasks best alone: "
            + ", ".join(f"{m} {k}" for m, k in best_alone.items()),
        ),
        ("section-5.2", "heuristic measures against MFAS"): Claim(
            {f"{e} 20 % above MFAS": ratios[m] >= SUBSTANTIAL for e, m in EQUATIONS.items()},
            f"times the weight of MFAS: {_by_equation(ratios, '.2f')}",
        ),
        ("section-5.2", "HEURISTIC 2 on tunable metrics"): Claim(
            {
                "three times the others there": TUNABLE_METRICS in spectacular,
                "in no other task": len(spectacular) <= 1,
            },
            ", ".join(f"{e} {shown.loc[TUNABLE_METRICS, m]}" for e, m in EQUATIONS.items()),
        ),
        ("section-5.2", "tunable metrics, best ranking"): _best_on_tunable_metrics(found),
        ("section-5.2", "accuracy of the official metric"): Claim(
            {
                f"within 0.05 of {e}": abs(rho["wmt-official"] - rho[EQUATIONS[e]]) <= 0.05
                for e in ("Eq. 2", "Eq. 3")
            },
            "mean correlation " + ", ".join(f"{e} {rho[m]:.3f}" for e, m in EQUATIONS.items()),
        ),
        ("section-6", "BOJAR against WMT-OFFICIAL"): Claim(
            {"Eq. 1 less than 20 % above Eq. 3": more < SUBSTANTIAL},
            f"{more - 1:.1%} above",
        ),
    }


def _by_equation(values: Mapping[str, float], form: str = "") -> str:
    """Values of methods, named by the paper's equations."""
    return ", ".join(f"{name} {values[method]:{form}}" for name, method in EQUATIONS.items())


def _agreement(found: Analysis, label: str) -> dict[str, float]:
    """Spearman's correlation of the rankings by Equations 1-3 with the MFAS order of a task."""
    orders = found.orders[label]
    return {m: violations.spearman(orders[m], orders["mfas"]) for m in EQUATIONS.values()}


def _one_group(found: Analysis) -> Claim:
    """Section 5.1: were combinations and individual systems of 2010 French-English compared?"""
    systems = found.machines(FRENCH_ENGLISH).systems
    combined = np.array([name.endswith("-combo") for name in systems])
    least = int(found.times_compared(FRENCH_ENGLISH)[np.ix_(combined, ~combined)].min())
    return Claim(
        {"every combination was compared with every individual system": least > 0},
        f"{combined.sum()} combinations, {(~combined).sum()} individual systems, at least {least}"
        " comparisons a pair",
    )


def _best_on_tunable_metrics(found: Analysis) -> Claim:
    """Section 5.2: which equation's ranking is closest to the printed MFAS order?"""
    rho = correlations(found)["with the printed order"]
    return Claim(
        {"Eq. 1 has the highest correlation": rho["Eq. 1"] == rho.max()},
        ", ".join(f"{name} {value:.3f}" for name, value in rho.items()),
    )


def _printed_orders(found: Analysis) -> Values:
    """Tables 3 and 4: are the printed MFAS orders among the optimal ones?"""
    given = {}
    for item, label in (("table-3", FRENCH_ENGLISH), ("table-4", TUNABLE_METRICS)):
        exact = found.solved[label]
        weight = violations.violated_weight(printed_order(found, item), found.machines(label).wins)
        given[item, "MFAS ranking"] = Claim(
            {"its violated weight is the proven least": weight == exact.lower_bound},
            f"violated weight {weight}, proven least {exact.lower_bound};"
            f" one of {exact.optimal_orders} optimal orders",
        )
    given["table-4", "near-optimal"] = Claim(
        {
            "at most 10 % above the least": weight <= 1.1 * exact.lower_bound,
            "above the least": weight > exact.lower_bound,
        },
        f"violated weight {weight}, proven least {exact.lower_bound}",
        "it is optimal",
    )
    return given
