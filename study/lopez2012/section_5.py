"""Section 5: Experiments and Analysis (Lopez 2012): all tasks, ranked in four ways.

What is said of single tasks is with Tables 2 to 4 in `tables`.
"""

import numpy as np
import pandas as pd

from study.lopez2012 import EQUATIONS, NAMES, Analysis, section_6
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import Values
from wmtlib.core.counts import REFERENCE


def task_overview(analysis: Analysis) -> pd.DataFrame:
    """Tabulate the violated weights of every task, and what its optima leave open.

    Returns
    -------
    DataFrame
        Indexed by label: systems, the four methods, lower_bound (proven),
        optimal_orders, movable_systems (rank differs between optimal orders),
        agreed_pairs (ordered the same way in all of them).
    """
    optimal = analysis.rankings.query("method == 'mfas'")
    movable = optimal["best"] < optimal["worst"]
    solved = analysis.solved.values()
    agreed = [exact.agreed for exact in solved if exact.agreed is not None]
    assert len(agreed) == len(solved)  # all have optimal orders
    overview = analysis.tasks[["systems"]].join(analysis.weights)
    return overview.assign(
        lower_bound=[exact.lower_bound for exact in solved],
        optimal_orders=[exact.optimal_orders for exact in solved],
        movable_systems=movable.groupby(optimal["label"]).sum(),
        agreed_pairs=[pairs.to_numpy().sum() for pairs in agreed],
    )


def violated_edges(analysis: Analysis) -> pd.DataFrame:
    """List the edges that the MFAS order of each task violates.

    Returns
    -------
    DataFrame
        label, winner, loser, weight.
    """
    edges = [
        exact.violated.assign(label=label) for label, exact in analysis.solved.items()
    ]
    return pd.concat(edges)[["label", "winner", "loser", "weight"]]


def sums_beside(analysis: Analysis) -> pd.DataFrame:
    """Tabulate the violated weight of all 25 tasks by method, ours and as printed."""
    total = analysis.weights.loc[analysis.labels].sum().rename(NAMES)
    rows = load_published("lopez2012").query("item == 'section-5.2'")
    printed = rows.set_index("id")["published"]
    ids = {"MFAS": "L-5.2-01", "Eq. 1": "L-5.2-02"}
    ids |= {"Eq. 2": "L-5.2-03", "Eq. 3": "L-5.2-04"}
    beside = {"ours": total, "printed": printed[[*ids.values()]].set_axis([*ids])}
    return pd.DataFrame(beside).loc[[*ids]].T


def method_places(analysis: Analysis, label: str) -> pd.DataFrame:
    """Tabulate places of systems (in MFAS order) by method (columns), 1 = best."""
    orders = analysis.orders[label]
    places = {m: pd.Series(range(1, len(o) + 1), o) for m, o in orders.items()}
    return pd.DataFrame(places).loc[orders["mfas"]]


def describe_tasks(analysis: Analysis) -> pd.DataFrame:
    """Compute facts of each of the 25 tasks.

    Returns
    -------
    DataFrame
        Index label; systems; combination (of systems); ties; reference_won,
        reference_decided (comparisons of the reference, all but ties); least_met,
        most_met (comparisons of a pair of systems); even (pairs that each won as
        often); met_often (pairs compared at least ten times) and uniform (those of them
        where one never won); cycles of three systems; proven, optimal_orders;
        rank_of_first (best rank, over the optimal orders, of the first by Eq. 1);
        rankings (how many different ones Equations 1 to 3 give); largest_p (of the sign
        tests between neighbours of an optimal order).
    """
    optimal = analysis.rankings.query("method == 'mfas'")
    best_ranks = optimal.set_index(["label", "system"])["best"]
    rows = {}
    for label in analysis.labels:
        counts = analysis.counts[label]
        exact = analysis.solved[label]
        orders = analysis.orders[label]
        best_first = orders["mfas"]
        wins = counts.wins.loc[best_first, best_first].to_numpy()
        ties = counts.ties.loc[best_first, best_first].to_numpy()
        pair = np.triu_indices(len(wins), 1)
        met = (wins + wins.T + ties)[pair]
        beat = (wins > wins.T).astype(int)
        reference_won = counts.wins.loc[REFERENCE].sum()
        rows[label] = {
            "systems": len(wins),
            "combination": label.endswith("syscomb"),
            "ties": counts.ties.to_numpy().sum() // 2,
            "reference_won": reference_won,
            "reference_decided": reference_won + counts.wins[REFERENCE].sum(),
            "least_met": met.min(),
            "most_met": met.max(),
            "even": (wins == wins.T)[pair].sum(),
            "met_often": (met >= 10).sum(),
            "uniform": (np.minimum(wins, wins.T)[pair][met >= 10] == 0).sum(),
            "cycles": np.trace(beat @ beat @ beat) // 3,
            "proven": exact.optimal,
            "optimal_orders": exact.optimal_orders,
            "rank_of_first": best_ranks[label, orders["wmt-official"][0]],
            "rankings": len({tuple(orders[method]) for method in EQUATIONS.values()}),
            "largest_p": section_6.sign_test(np.diag(wins, 1), np.diag(wins, -1)).max(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def violated_weights(analysis: Analysis) -> Values:
    """Compute values of sections 5.1, 5.2 and 6: violated weights of all tasks."""
    weight = analysis.weights.loc[analysis.labels].rename(columns=NAMES)
    total = weight.sum()
    acyclic = weight["MFAS"] == 0
    combination = weight.index.str.endswith("syscomb")
    by_equation = weight[[*EQUATIONS]]
    differ = by_equation[by_equation.nunique(axis=1) > 1]
    # A place that is shared is the lower one of both.
    best_alone = (differ.rank(axis=1, method="max") == 1).sum()
    agreement = {
        label: method_places(analysis, label).corr()["mfas"]
        for label in analysis.labels
    }
    return {
        "weight": weight,
        "total": total,
        "agreement": pd.DataFrame(agreement).T.mean().rename(NAMES)[[*EQUATIONS]],
        "L-5.1-01": acyclic.sum(),
        "L-5.1-02": combination.sum(),
        "L-5.1-03": (acyclic & combination).sum(),
        "L-5.1-09": weight["MFAS"].idxmax(),
        "L-5.1-19": (~acyclic).mean(),
        "L-5.2-01": total["MFAS"],
        "L-5.2-02": total["Eq. 1"],
        "L-5.2-03": total["Eq. 2"],
        "L-5.2-04": total["Eq. 3"],
        "best_alone": best_alone,
        "differ": len(differ),
    }
