"""Lopez (2012): the tasks that experts judged in WMT10-12, each ranked in four ways.

`analyse` does what counts of wins and ties allow. The rest is in modules that bear the
names of the paper's sections, and in `tables`; `beside_print` joins the values of all
of them for the scoreboard.
"""

from dataclasses import dataclass

import pandas as pd

from study.data import ranking_releases
from study.data.sources import Source
from wmtlib import mfas
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.core.errors import DataError
from wmtlib.core.ranking import rank_by_score
from wmtlib.methods import score
from wmtlib.mfas import MFAS

EQUATIONS = {"Eq. 1": "wmt-official", "Eq. 2": "heuristic2", "Eq. 3": "bojar"}
# Of our methods in the paper.
NAMES = {method: name for name, method in EQUATIONS.items()} | {"mfas": "MFAS"}


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """Every task that experts judged in WMT10-12, ranked by Equations 1-3 and by MFAS.

    Attributes
    ----------
    tasks : DataFrame
        Indexed by the task's name in Table 1; columns as in `ranking_releases.tasks`,
        and `analysed`: is it one of the paper's 25?
    counts : dict of label -> Counts, the reference included
    solved : dict of label -> MFAS, the reference left out
    rankings : DataFrame
        One row for each method (Equations 1-3, at the end "mfas"), task and system:
        label, method, rank, system, score (not of mfas), best and worst (of mfas only:
        rank over all optimal orders).
    orders : dict of label -> {method: systems, best first}, Equations 1-3 and "mfas"
    weights : DataFrame, labels x methods
        Violated weight: judgements that contradict the order.
    """

    tasks: pd.DataFrame
    counts: dict[str, Counts]
    solved: dict[str, MFAS]
    rankings: pd.DataFrame
    orders: dict[str, dict[str, list[str]]]
    weights: pd.DataFrame

    @property
    def labels(self) -> list[str]:
        """List the paper's 25 tasks, in the order of the files."""
        return [*self.tasks.index[self.tasks["analysed"]]]

    def machines(self, label: str) -> Counts:
        """Return the counts of a task without the reference."""
        return self.counts[label].without(REFERENCE)

    def task(self, label: str) -> str:
        """Return the label, if it is one of a task.

        Raises
        ------
        DataError
            It is not.
        """
        if label not in self.solved:
            raise DataError(
                f"no task {label!r}; expected one of {', '.join(self.tasks.index)}"
            )
        return label


def analyse(source: str | Source) -> Analysis:
    """Rank all tasks; a few seconds.

    Raises
    ------
    ValueError
        The certificate of an order does not add up to its violated weight.
    """
    tasks = ranking_releases.tasks(source).query("not campaign.str.endswith('crowd')")
    haitian = tasks["task"].str.startswith("ht-")
    tasks = tasks.assign(analysed=tasks["campaign"].isin(["wmt10", "wmt11"]) & ~haitian)
    labels = [*map(ranking_releases.label, tasks["campaign"], tasks["task"])]
    tasks = tasks.set_index(pd.Index(labels, name="label"))
    counts = {}
    solved = {}
    tables = {}
    orders = {}
    weights = {}
    for task in tasks.itertuples():
        label = task.Index
        counted = ranking_releases.load_counts(task.campaign, task.task, source=source)
        wins = counted.without(REFERENCE).wins
        exact = mfas.exact_order(wins)
        if mfas.check_certificate(wins, exact.certificate) != exact.cost:
            raise ValueError(f"{label}: the certificate does not prove the order")
        by_method = {
            method: rank_by_score(
                method, score(method, counted, reference=REFERENCE)
            ).table
            for method in EQUATIONS.values()
        }
        places = pd.DataFrame(enumerate(exact.order, 1), columns=["rank", "system"])
        by_method["mfas"] = places.join(exact.rank_ranges, on="system")
        order = {method: [*table["system"]] for method, table in by_method.items()}
        weights[label] = {k: mfas.violated_weight(wins, o) for k, o in order.items()}
        counts[label] = counted
        solved[label] = exact
        tables[label] = pd.concat(by_method, names=["method"])
        orders[label] = order
    table = pd.concat(tables, names=["label"]).reset_index(["label", "method"])
    table = table.sort_values("method", key=lambda m: m == "mfas", kind="stable")
    columns = ["label", "method", "rank", "system", "score", "best", "worst"]
    rankings = table[columns].astype({"best": "Int64", "worst": "Int64"})
    violated = pd.DataFrame(weights).T
    return Analysis(tasks, counts, solved, rankings, orders, violated)
