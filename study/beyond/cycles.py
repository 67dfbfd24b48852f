"""Cycles of tasks beside the cycles that chance gives. Notebook 13.

Lopez (2012) finds cycles in 16 of 25 tasks, and reads them as "a strong inconsistency
in the data". Votes for systems that do have a true order make cycles too, where systems
are close. So the least violated weight of a task (the cost of `mfas.exact_order`,
reference left out) is held against transitive worlds (`transitive_worlds`).

What follows was fixed before it was computed. Known was this, from a world without
rankings (each comparison by itself): the 25 tasks of Lopez would violate 435 (20 draws:
320 to 501) where 396 are observed, French-English 2010 67 (46 to 85) where 61 are;
English-Czech 2010 (43 against 20) and Spanish-English 2011 (31 against 11) violate
more.

Main test, one
    The total of the least violated weight over all 62 tasks of WMT10-12 and WMT16, in
    worlds of whole rankings; p = (1 + worlds with as much or more) / (1 + worlds), 199
    worlds. p < 0.05: cycles are more than chance. p >= 0.05, and the total of worlds
    with cycles of sd 0.2 (log-odds; a share of 50 % becomes 55 %) is above the 95 %
    quantile of the transitive ones in at least 80 % of them: no more than chance, up to
    that size. Otherwise: undecided.
Single tasks
    The same p for every task, Holm's correction over those that can have cycles.
    Tasks with p <= 0.01 after 199 worlds get new ones, which alone count then.
Intervals
    2.5 to 97.5 % of the worlds; for the total, too.
Power
    Worlds with cycles: the log-odds of i over j is s_i - s_j + c_ij; c is normal and
    antisymmetric, what strengths could explain of it is taken out (least squares over
    the compared pairs, by their numbers of comparisons), and the rest has the given sd
    over comparisons. Share of the worlds above the 95 % quantile of the transitive
    ones, by number of systems (3-9, 10-14, 15 or more) and for the total.
A check, no test
    Strengths that are fitted are further apart than true ones, which makes too few
    cycles. So all is computed again with strengths shrunk to the spread that is left
    when the sampling variance of the fits is taken out.
Claims of the paper
    L-5.1-30 ("there is simply no sensible way to put these systems into a total
    order"): French-English 2010 violates more than chance, p < 0.05, alone.
    L-5.1-31 ("a strong inconsistency in the data"): the 25 tasks violate (1) more than
    chance, p < 0.05, and (2) substantially more, at least 1.2 times the mean of the
    worlds. L-6-30 ("complete inability to obtain a sensible ordering on the 2010
    French-English task"): French-English (1) violates more than chance, as above, and
    (2) as much as if all systems were equal (it is not below the 95 % range of worlds
    with equal strengths).

Changed after results were seen, and why:

- After 20 worlds of every task (1001 observed against 829, 733 to 908): the crowd of
  WMT10 ranked every sentence several times, and its tasks differ from others. So
  worlds by sentence and by judge were added. "More than chance" needs p < 0.05 in
  these, too; otherwise the verdict is that judgements that are alike are enough.
- After all worlds. The first ones drew every ranking from a model of orders (Mallows,
  Bradley and Terry, all k! orders, with the judge's ties). They gave a total of 833
  (729 to 952), p = 0.005; with shrunk strengths 855 (745 to 970), p = 0.01; by sentence
  p = 0.21, by judge p = 0.10; French-English 61 (35 to 87), p = 0.51. Resamples of
  whole units about the expected margins followed (839, 702 to 970, p = 0.01; by
  sentence p = 0.19, by judge p = 0.16); where pairs have few comparisons they gave too
  few cycles. The worlds that are here now, with a sign for every unit, need no model
  of ties and serve any unit. The check with shrunk strengths was not done again: the
  fit has a prior. All three say the same of the main test and of the three claims.
- Long after: the number of tasks with a cycle, which is the paper's own statistic, is
  shown beside the total. L-5.1-30 is decided by equal systems, as L-6-30 is, and
  L-5.1-31 by what would have been found: p of one test refutes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from study.beyond.transitive_worlds import least_violated, log_odds, margins, worlds
from study.data import ranking_releases
from study.data.sources import Source
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import COMPARISON, REFERENCE
from wmtlib.core.sampling import Resampler, resampler

SIZES = (0.1, 0.2, 0.3)  # sd of cycles, in log-odds
DRAWS, PER_DRAW = 8, 5  # of cycles, and worlds with them
FIRST = 0.01  # p up to which a task gets `MORE` worlds
MORE = 1999
ZERO = 1e-10  # share of the largest eigenvalue up to which one is zero
ALL, ANALYSED = "all tasks", "Lopez's 25"
WITH_A_CYCLE = "Lopez's 25, tasks with a cycle"
UNITS = {"transitive": "ranking", "segment": "segment", "judge": "judge"}
SYSTEMS = {"3-9": 2, "10-14": 9, "15 or more": 14}  # groups, and what is below them


def unit_of(comparisons: pd.DataFrame) -> str:
    """Name the unit of the main test: a ranking, where rankings are known."""
    return "ranking" if "ranking" in comparisons else COMPARISON


def judgements_of(comparisons: pd.DataFrame) -> Resampler:
    """Group the comparisons of a task, without the reference, by `unit_of`."""
    return resampler(comparisons, REFERENCE, unit_of(comparisons))


def decided_wins(judgements: Resampler) -> pd.DataFrame:
    """Count the wins of each system (row) over each other; ties are left out."""
    [[margin, decided]] = margins(judgements.whole)
    names = [*judgements.whole.systems]
    return pd.DataFrame((decided + margin) / 2, names, names).astype(int)


def every_world(
    tasks: Iterable[tuple[str, str]], source: Source, n_worlds: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Compute the least violated weight of all worlds (rows) of tasks (columns).

    Parameters
    ----------
    tasks : pairs of campaign and task

    Returns
    -------
    dict of DataFrame
        "observed" (one row); by rankings "transitive", "more" (of some tasks), and
        "0.1" and the other `SIZES` of cycles; "segment" and "judge". Without single
        rankings all is by comparisons, and the last two are missing.
    """
    violated: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for place, task in enumerate(tasks):
        label = ranking_releases.label(*task)
        rng = np.random.default_rng([seed, place])
        for name, drawn in worlds_of(*task, source, n_worlds, rng):
            violated[name][label] = [*map(least_violated, drawn)]
    return {name: pd.DataFrame(columns) for name, columns in violated.items()}


def worlds_of(
    campaign: str, task: str, source: Source, n_worlds: int, rng: np.random.Generator
) -> Iterator[tuple[str, Iterable[np.ndarray]]]:
    """Yield the worlds of a task with their names: margins (n, n)."""
    frame = ranking_releases.load_comparisons(campaign, task, source=source)
    rankings = judgements_of(frame)
    odds = log_odds(rankings.whole)
    [[margin, decided]] = margins(rankings.whole)
    first = [*worlds(rankings, odds, n_worlds, rng)]
    yield "observed", [margin]
    yield "transitive", first
    least = np.array([*map(least_violated, first)])
    if share_as_large(least, least_violated(margin)) <= FIRST:
        yield "more", worlds(rankings, odds, MORE, rng)
    few = n_worlds // 2
    for size in SIZES:
        drawn = [odds + size * random_cycles(decided, rng) for _ in range(DRAWS)]
        several = [worlds(rankings, each, PER_DRAW, rng) for each in drawn]
        yield str(size), chain(*several)
    if unit_of(frame) == "ranking":
        for larger in ("segment", "judge"):
            judgements = resampler(frame, REFERENCE, larger)
            yield larger, worlds(judgements, odds, few, rng)


def random_cycles(weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw log-odds that no strengths explain, of sd 1 over comparisons (`weight`).

    What strengths explain of them by least squares is taken out (HodgeRank; Jiang, Lim,
    Yao and Ye 2011). Two systems have no cycles: all is 0.
    """
    upper = np.triu(rng.standard_normal(weight.shape), 1)
    drawn = upper - upper.T
    laplacian = np.diag(weight.sum(axis=1)) - weight
    # Its smallest eigenvalue, of the mean of the strengths, is rounding alone.
    inverse = np.linalg.pinv(laplacian, rcond=ZERO, hermitian=True)
    explained = inverse @ (weight * drawn).sum(axis=1)
    rest = drawn - np.subtract.outer(explained, explained)
    variance = (weight * rest**2).sum() / weight.sum()
    return rest / np.sqrt(variance) if len(weight) > 2 else 0 * rest


def share_as_large(violated: Any, observed: Any) -> Any:
    """Compute p, the share of worlds that violate as much, the observed one included.

    Parameters
    ----------
    violated : ndarray or Series, (worlds,), or DataFrame, worlds x tasks
    observed : number, or Series by task
    """
    return (1 + (violated >= observed).sum(axis=0)) / (1 + len(violated))


def beside_chance(violated: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Compare every task with its worlds, the one that chance explains least on top.

    Returns
    -------
    DataFrame
        Index label: observed; expected (mean of the transitive worlds), low, high (95 %
        of them); p; p_segment and p_judge, where they are; holm, of p over the tasks in
        which some world has cycles.
    """
    transitive = violated["transitive"]
    observed = violated["observed"].iloc[0]
    table = transitive.describe([0.025, 0.975]).T[["mean", "2.5%", "97.5%"]]
    table.columns = ["expected", "low", "high"]
    table.insert(0, "observed", observed)
    table["p"] = share_as_large(transitive, observed)
    if "more" in violated:
        more = violated["more"]
        table.loc[more.columns, "p"] = share_as_large(more, observed[more.columns])
    for unit in ("segment", "judge"):
        if unit in violated:
            table[f"p_{unit}"] = share_as_large(violated[unit], observed)
    can = violated[str(SIZES[-1])].any()
    table.loc[can, "holm"] = corrected(table.loc[can, "p"], "holm")
    return table.sort_values("p", kind="stable")


def equal_worlds(
    campaign: str, task: str, source: Source, n_worlds: int, seed: int
) -> pd.Series:
    """Compute the least violated weight of worlds whose systems are all equal."""
    comparisons = ranking_releases.load_comparisons(campaign, task, source=source)
    judgements = judgements_of(comparisons)
    equal = 0 * log_odds(judgements.whole)
    drawn = worlds(judgements, equal, n_worlds, np.random.default_rng(seed))
    return pd.Series([*map(least_violated, drawn)])


# --- several tasks together -----------------------------------------------------------


def task_groups(labels: pd.Index) -> dict[str, pd.Series]:
    """Mark the tasks of each group, by label: all, Lopez's 25, the crowd, the rest."""
    label = labels.to_series()
    crowd = label.str.contains("crowd")
    haitian = label.str.contains("Haitian")
    return {
        ALL: label == label,
        ANALYSED: label.str.match("201[01]") & ~crowd & ~haitian,
        "the crowd of 2010": crowd,
        "all but the crowd": ~crowd,
    }


def in_worlds(
    violated: Mapping[str, pd.DataFrame], group: str
) -> dict[str, tuple[int, pd.Series]]:
    """Sum over a group of tasks what is observed, and what each world has.

    Parameters
    ----------
    violated : mapping
        As `every_world` gives it.
    group : str
        Of `task_groups`: the violated weight; or `WITH_A_CYCLE`: the number of tasks in
        which something is violated.

    Returns
    -------
    dict
        By unit: the observed sum, and that of every world.
    """
    labels = violated["observed"].columns
    counted = group == WITH_A_CYCLE
    chosen = task_groups(labels)[ANALYSED if counted else group]
    tables = {
        name: violated[name] > 0 if counted else violated[name]
        for name in UNITS
        if name in violated
    }
    observed = violated["observed"].iloc[0][chosen]
    total = int((observed > 0).sum() if counted else observed.sum())
    return {
        UNITS[name]: (total, table.loc[:, chosen[table.columns]].sum(axis=1))
        for name, table in tables.items()
    }


def compare_totals(violated: Mapping[str, pd.DataFrame], unit: str) -> pd.DataFrame:
    """Compare groups of tasks with their worlds, by unit.

    Parameters
    ----------
    violated : mapping
        As `every_world` gives it.
    unit : str
        What the transitive worlds toss a coin for (`unit_of`).

    Returns
    -------
    DataFrame
        Columns tasks (group), unit, observed, expected (mean of the worlds), low, high
        (95 % of them), p.
    """
    groups = [*task_groups(violated["observed"].columns), WITH_A_CYCLE]
    rows = []
    for group in groups:
        for name, (observed, drawn) in in_worlds(violated, group).items():
            low, high = drawn.quantile([0.025, 0.975])
            p = share_as_large(drawn, observed)
            shown = unit if name == UNITS["transitive"] else name
            rows.append((group, shown, observed, drawn.mean(), low, high, p))
    columns = ["tasks", "unit", "observed", "expected", "low", "high", "p"]
    return pd.DataFrame(rows, columns=columns)


def side_by_side(totals: pd.DataFrame) -> pd.DataFrame:
    """Lay out totals for readers, a row for each group, two columns for each unit."""
    words = [
        f"{row.expected:.1f} ({row.low:.0f} to {row.high:.0f})"
        if row.tasks == WITH_A_CYCLE
        else f"{row.expected:.0f} ({row.low:.0f} to {row.high:.0f})"
        for row in totals.itertuples()
    ]
    table = totals.assign(expected=words, p=totals["p"].map("{:.2f}".format))
    by_group = table.set_index(["tasks", "unit"])
    shown = by_group["observed"].groupby("tasks", sort=False).first().to_frame()
    for unit in totals["unit"].unique():
        of_unit = by_group.xs(unit, level="unit")
        shown[f"by {unit}"] = of_unit["expected"]
        shown[f"p, {unit}"] = of_unit["p"]
    return shown


def power(violated: Mapping[str, pd.DataFrame], systems: pd.Series) -> pd.DataFrame:
    """Compute the share of worlds with cycles that violate more than chance gives.

    Parameters
    ----------
    violated : mapping
        As `every_world` gives it.
    systems : Series
        Number of systems of each task, by label.

    Returns
    -------
    DataFrame
        Columns: `SIZES` of cycles, as text. Rows: single tasks, averaged by number of
        systems, then the totals of all tasks and of Lopez's.
    """
    transitive = violated["transitive"]
    several = systems[systems > 2]
    edges = [*SYSTEMS.values(), np.inf]
    group = pd.cut(several, edges, labels=[*SYSTEMS])
    groups = task_groups(transitive.columns)
    table = {}
    for size in map(str, SIZES):
        above = (violated[size] > transitive.quantile(0.95)).mean()[several.index]
        found = above.groupby(group, observed=True).mean().to_dict()
        for name in (ALL, ANALYSED):
            chosen = groups[name]
            limit = transitive.loc[:, chosen].sum(axis=1).quantile(0.95)
            drawn = violated[size].loc[:, chosen].sum(axis=1)
            found[f"total, {name}"] = (drawn > limit).mean()
        table[size] = found
    return pd.DataFrame(table).rename_axis("systems")
