"""Lopez (2012): its tasks, ranked in the paper's four ways, and its Tables 1 to 4.

`analyse` does everything that counts of wins and ties allow. What needs single rankings is in
`lopez2012_samples`; the values that stand beside the printed ones are in `lopez2012_values`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import mfas, ranking
from wmtlib import mfas as violations
from wmtlib.corrections import CORRECTIONS, corrected, sign_test
from wmtlib.counts import REFERENCE, Counts
from wmtlib.errors import DataError
from wmtlib.mfas import MFAS
from wmtlib.ranking import rank_by_score
from wmtlib.study.published import load_published
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source
from wmtlib.study.scoreboard import save_table

EQUATIONS = {"Eq. 1": "wmt-official", "Eq. 2": "heuristic2", "Eq. 3": "bojar"}
ENGLISH_CZECH = "2011 English-Czech individual"  # Table 2
FRENCH_ENGLISH = "2010 French-English"  # Table 3
TUNABLE_METRICS = "2011 Urdu-English tunable metrics"  # Table 4
PRINTED_MFAS = {"table-3": FRENCH_ENGLISH, "table-4": TUNABLE_METRICS}


@dataclass(frozen=True, eq=False)
class Analysis:
    """Every task that experts judged in WMT10-12, ranked by Equations 1-3 and by MFAS.

    Attributes
    ----------
    tasks : DataFrame
        Indexed by the task's name in Table 1; columns as in `ranking_releases.tasks`, and
        `analysed`: is it one of the paper's 25?
    counts : dict of label -> Counts, the reference included
    scores : dict of label -> {method: Series of scores}, Equations 1-3
    solved : dict of label -> MFAS, the reference left out
    orders : dict of label -> {method: systems, best first}, Equations 1-3 and "mfas"
    weights : DataFrame, labels x methods
        Violated weight: judgements that contradict the order.
    """

    tasks: pd.DataFrame
    counts: dict[str, Counts] = field(repr=False)
    scores: dict[str, dict[str, pd.Series]] = field(repr=False)
    solved: dict[str, MFAS] = field(repr=False)
    orders: dict[str, dict[str, list[str]]] = field(repr=False)
    weights: pd.DataFrame = field(repr=False)

    @property
    def labels(self) -> list[str]:
        """The paper's 25 tasks, in the order of the files."""
        return [*self.tasks.index[self.tasks["analysed"]]]

    def machines(self, label: str) -> Counts:
        """Counts of a task without the reference."""
        return self.counts[label].without(REFERENCE)

    def task(self, label: str) -> str:
        """The label, if it is one of a task.

        Raises
        ------
        DataError
            It is not.
        """
        if label not in self.solved:
            known = ", ".join(self.tasks.index)
            raise DataError(f"no task {label!r}; expected one of {known}")
        return label

    def times_compared(self, label: str) -> np.ndarray:
        """How often two systems of a task were compared, (n, n), without the reference."""
        counts = self.machines(label)
        return (counts.wins + counts.wins.T + counts.ties).to_numpy()


def analyse(source: str | Source) -> Analysis:
    """Rank all tasks; a few seconds.

    Raises
    ------
    ValueError
        The certificate of an order does not add up to its violated weight.
    """
    tasks = ranking_releases.tasks(source).query("not campaign.str.endswith('crowd')")
    labels = [ranking_releases.label(*row) for row in tasks[["campaign", "task"]].to_numpy()]
    haitian = tasks["task"].str.startswith("ht-")
    tasks = tasks.assign(analysed=tasks["campaign"].isin(["wmt10", "wmt11"]) & ~haitian)
    tasks = tasks.set_index(pd.Index(labels, name="label"))
    counts, scores, solved, orders, weights = {}, {}, {}, {}, {}
    for label, campaign, task in tasks[["campaign", "task"]].itertuples():
        counts[label] = one = ranking_releases.load_counts(campaign, task, source=source)
        wins = one.without(REFERENCE).wins
        solved[label] = exact = mfas.exact_order(wins)
        if mfas.check(wins, exact.certificate) != exact.cost:
            raise ValueError(f"{label}: the certificate does not prove the order")
        scores[label] = {m: ranking.score(m, one, reference=REFERENCE) for m in EQUATIONS.values()}
        orders[label] = {m: rank_by_score(m, s).order for m, s in scores[label].items()}
        orders[label]["mfas"] = [*exact.order]
        weights[label] = {m: violations.violated_weight(o, wins) for m, o in orders[label].items()}
    return Analysis(tasks, counts, scores, solved, orders, pd.DataFrame(weights).T)


def overview(found: Analysis) -> pd.DataFrame:
    """Violated weights of every task, and how far its optimal orders leave the ranking open.

    Returns
    -------
    DataFrame
        Indexed by label: systems, the four methods, lower_bound (proven), optimal_orders,
        movable_systems (rank differs between optimal orders), agreed_pairs (ordered the same way
        in all of them).
    """
    solved = found.solved.values()
    return (
        found.tasks[["systems"]]
        .join(found.weights)
        .assign(
            lower_bound=[s.lower_bound for s in solved],
            optimal_orders=[s.optimal_orders for s in solved],
            movable_systems=[
                (s.rank_ranges["best"] < s.rank_ranges["worst"]).sum() for s in solved
            ],
            agreed_pairs=[int(s.agreed.to_numpy().sum()) for s in solved],
        )
    )


def all_rankings(found: Analysis) -> pd.DataFrame:
    """One row for each task, method and system.

    Returns
    -------
    DataFrame
        label, method, rank, system, score (not of mfas), best and worst (of mfas only: rank over
        all optimal orders).
    """
    rows = [
        rank_by_score(method, scores).table.assign(label=label, method=method)
        for label, of_task in found.scores.items()
        for method, scores in of_task.items()
    ]
    for label, exact in found.solved.items():
        places = pd.DataFrame({"system": exact.order, "rank": range(1, len(exact.order) + 1)})
        places = places.join(exact.rank_ranges, on="system")
        rows.append(places.assign(label=label, method="mfas"))
    table = pd.concat(rows)[["label", "method", "rank", "system", "score", "best", "worst"]]
    return table.astype({"best": "Int64", "worst": "Int64"})


def violated_edges(found: Analysis) -> pd.DataFrame:
    """Edges that the MFAS order of each task reverses: label, winner, loser, weight."""
    edges = pd.concat([s.violated.assign(label=label) for label, s in found.solved.items()])
    return edges[["label", "winner", "loser", "weight"]]


def table_1(found: Analysis) -> pd.DataFrame:
    """Lopez (2012), Table 1: #sys (without the reference) and #pairs (with it) of the 25 tasks."""
    sizes = found.tasks.loc[found.labels, ["systems", "comparisons"]]
    return sizes.set_axis(["#sys", "#pairs"], axis=1)


def table_2(found: Analysis) -> pd.DataFrame:
    """Table 2, and Equation 2: rankings of one task as columns, below them what they violate."""
    methods = ["wmt-official", "mfas", "bojar", "heuristic2"]
    size = len(found.orders[ENGLISH_CZECH]["mfas"])
    orders = pd.DataFrame(found.orders[ENGLISH_CZECH], index=range(1, size + 1))[methods]
    weights = found.weights.loc[ENGLISH_CZECH, methods].to_frame("violated weight").T
    return pd.concat([orders, weights]).rename_axis("rank")


def printed_edges(found: Analysis, item: str) -> pd.DataFrame:
    """The edges that the MFAS ranking printed in "table-3" or "table-4" reverses.

    Returns
    -------
    DataFrame
        winner, loser, weight; reversed_in: "all", "some" or "none" of the optimal orders.
    """
    label, exact = PRINTED_MFAS[item], found.solved[PRINTED_MFAS[item]]
    edges = violations.violated(printed_order(found, item), found.machines(label).wins)
    pairs = list(zip(edges["winner"], edges["loser"], strict=True))
    # An order reverses an edge if it puts the loser above the winner.
    all_do = [exact.agreed.loc[loser, winner] for winner, loser in pairs]
    none_does = [exact.agreed.loc[winner, loser] for winner, loser in pairs]
    return edges.assign(reversed_in=np.select([all_do, none_does], ["all", "none"], "some"))


def table_3(found: Analysis) -> pd.DataFrame:
    """Table 3: the MFAS ranking as printed and ours, that of Eq. 1, and the printed one's edges."""
    orders = found.orders[FRENCH_ENGLISH]
    columns = {"mfas as printed": printed_order(found, "table-3"), "mfas": orders["mfas"]}
    columns["wmt-official"] = orders["wmt-official"]
    return pd.DataFrame(columns).join(printed_edges(found, "table-3"))


def save_tables(found: Analysis, source: Source) -> None:
    """Write the tables behind the paper's tables and figures to results/."""
    tables = {
        "rankings": all_rankings(found),
        "violated-edges": violated_edges(found),
        "violated-weight": overview(found).reset_index(),
        "table-1": table_1(found).reset_index(),
        "table-2": table_2(found).reset_index(),
        "table-3": printed_edges(found, "table-3"),
        "table-4": printed_edges(found, "table-4"),
    }
    for name, table in tables.items():
        save_table(table, f"lopez2012-{name}", source)


def correlations(found: Analysis) -> pd.DataFrame:
    """Section 5.2: Spearman's correlation with the MFAS orders of the tunable metrics task.

    Returns
    -------
    DataFrame, Equations 1-3 as rows
        "with the printed order", "with the other" (the optimal order that is first by name), and
        "reference as a ninth item": with the printed one, the reference first in both rankings.
    """
    orders, order = found.orders[TUNABLE_METRICS], printed_order(found, "table-4")
    rows = {
        equation: {
            "with the printed order": violations.spearman(orders[method], order),
            "with the other": violations.spearman(orders[method], orders["mfas"]),
            "reference as a ninth item": violations.spearman(
                [REFERENCE, *orders[method]], [REFERENCE, *order]
            ),
        }
        for equation, method in EQUATIONS.items()
    }
    return pd.DataFrame(rows).T


def sign_tests(found: Analysis) -> pd.DataFrame:
    """Section 6: a sign test of every pair of systems that WMT11 compared, the reference included.

    Returns
    -------
    DataFrame
        label, system_1, system_2, wins_1, wins_2, ties; p, and p corrected for the number of pairs
        by each method of `multiple_tests.CORRECTIONS`.
    """
    wmt11 = found.tasks.index[found.tasks["campaign"] == "wmt11"]
    tables = [counting.to_table(found.counts[label]).assign(label=label) for label in wmt11]
    table = pd.concat(tables, ignore_index=True)
    p = sign_test(table["wins_1"], table["wins_2"])
    return table.assign(p=p, **{name: corrected(p, name) for name in CORRECTIONS[:2]})


def ranks(found: Analysis, label: str, methods: Sequence[str]) -> pd.DataFrame:
    """Place of each system (rows, in MFAS order) by each method (columns), 1 = best."""
    orders = found.orders[label]
    places = {m: pd.Series(range(1, len(orders[m]) + 1), orders[m]) for m in methods}
    return pd.DataFrame(places).loc[orders["mfas"]]


def printed(item: str, quantity: str) -> str:
    """What the paper prints, as data/published/lopez2012.csv has it."""
    rows = load_published("lopez2012").set_index(["item", "quantity"])["published"]
    return rows[item, quantity]


def printed_order(found: Analysis, item: str) -> list[str]:
    """The MFAS ranking that "table-3" or "table-4" prints, with the names of the data."""
    names = {name.upper(): name for name in found.orders[PRINTED_MFAS[item]]["mfas"]}
    return [names[name] for name in printed(item, "MFAS ranking").split(", ")]
