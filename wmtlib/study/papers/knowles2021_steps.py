"""Equation 1 and the significance lines step by step, on real judgements (Knowles 2021, section 3).

Every function takes a coded campaign, or its segment means, and gives one small table to read.
"""

import numpy as np
import pandas as pd

from wmtlib import cluster_lines as clusters
from wmtlib import cluster_lines as rank_sum
from wmtlib import zscores
from wmtlib.counts import ITEMS, RATED_ITEMS
from wmtlib.ranking import rank_systems
from wmtlib.study.papers.knowles2021_official import PAPER
from wmtlib.zscores import Campaign

TOY_HITS = ((25, 50, 50, 75), (0, 25, 50, 75), (25, 50, 75, 100))  # section 5


def toy_scores() -> pd.Series:
    """The z-score of 50 in each of the three HITs of section 5's toy example."""
    z = {", ".join(map(str, hit)): (50 - np.mean(hit)) / np.std(hit, ddof=1) for hit in TOY_HITS}
    return pd.Series(z, name="z-score of 50").rename_axis("scores of the HIT")


def example_worker(campaign: Campaign) -> str:
    """A worker whose scores show the most: of those with all kinds of items, the one with fewest.

    Where nobody has all kinds, the worker with the most kinds.
    """
    kinds, size = np.zeros(len(campaign.workers), int), np.bincount(campaign.worker)
    for item in ITEMS:
        kinds += np.bincount(campaign.worker[campaign.is_item(item)], minlength=len(kinds)) > 0
    _, _, sd = zscores.worker_scales(campaign)
    best = np.lexsort((size, -kinds, sd == 0))[0]
    return campaign.workers[best]


def worker_example(campaign: Campaign, worker: str, *, each: int = 3) -> pd.DataFrame:
    """Equation 1 on the scores of one worker.

    Parameters
    ----------
    each : int
        Judgements of each kind of item that are shown, in the order of the frame.

    Returns
    -------
    DataFrame
        Columns item, system (of outputs), score, score - mean, z.
    """
    of_worker = np.flatnonzero(campaign.worker == campaign.workers.index(worker))
    _, mean, _ = zscores.worker_scales(campaign)
    z = zscores.standardised(campaign)
    system_of = np.zeros(len(z), dtype=np.intp)
    system_of[campaign.credit[::-1]] = campaign.credit_system[::-1]  # of a joint row the first
    rows = []
    for kind, item in enumerate(ITEMS):
        for k in of_worker[campaign.item[of_worker] == kind][:each]:
            system = campaign.systems[system_of[k]] if item in RATED_ITEMS else ""
            away = campaign.score[k] - mean[campaign.worker[k]]
            row = {"item": item, "system": system, "score": int(campaign.score[k])}
            rows.append(row | {"score - mean": away, "z": z[k]})
    return pd.DataFrame(rows)


def segment_example(campaign: Campaign) -> pd.DataFrame:
    """The output that was judged most often: its z-scores and their mean (section 3).

    Returns
    -------
    DataFrame
        Columns judgement, score, z: one row a judgement, then "mean".
    """
    z = zscores.standardised(campaign)
    cells = zscores.usable_cells(campaign, z)
    cell = int(np.argmax(cells.size))
    of_cell = cells.judgement[cells.start[cell] : cells.start[cell] + cells.size[cell]]
    table = pd.DataFrame({"score": campaign.score[of_cell], "z": z[of_cell]})
    table = pd.concat([table, table.mean().to_frame("mean").T])
    where = (
        f"{campaign.systems[cells.system[cell]]}, segment {campaign.segments[cells.place[cell]]}"
    )
    return table.rename_axis(where).rename(index=lambda k: k if k == "mean" else k + 1)


def rank_sum_example(means: pd.DataFrame, better: str, worse: str) -> pd.Series:
    """The rank-sum test of two systems on their segments' mean z-scores, in steps.

    Parameters
    ----------
    means : DataFrame
        As `zscores.segment_means` gives.

    Returns
    -------
    Series
        segments of both, U (pairs of segments in which `better` is higher, a tie as a half), U
        expected by chance, its standard deviation, z, and p (legacy: the upper tail).
    """
    two = means[means["system"].isin([better, worse])]
    system = (two["system"] == worse).to_numpy(int)
    u, ties, number = rank_sum.rank_sums(two["z"].to_numpy(), system, 2)
    n, m = number
    tied = ties[0, 1] / ((n + m) ** 3 - (n + m))
    spread = np.sqrt((1 - tied) * n * m * (n + m + 1) / 12)
    score = (max(u[0, 1], u[1, 0]) - n * m / 2 - 0.5) / spread
    p = rank_sum.p_values(two, test=PAPER["test"]).loc[better, worse]
    steps = {f"segments of {better}": n, f"segments of {worse}": m, "U": u[0, 1]}
    steps |= {"U by chance": n * m / 2, "standard deviation of U": spread, "z": score, "p": p}
    return pd.Series(steps, name="value")


def six_cuts(campaign: Campaign) -> pd.DataFrame:
    """Below which systems a line stands, by every test and rule.

    Returns
    -------
    DataFrame, systems (best first) x (test, rule) of bool
    """
    cuts = {
        (test, rule): clusters.rank_campaign(campaign, test=test, rule=rule).ranking
        for test in rank_sum.TESTS
        for rule in clusters.RULES
    }
    table = pd.DataFrame({key: cut.column("line") for key, cut in cuts.items()})
    table.columns.names = ["test", "rule"]
    return table.loc[rank_systems(campaign).order]


def changed_scale(
    campaign: Campaign, rows: np.ndarray, *, divisor: float = 0, scores: tuple[int, ...] = (50, 80)
) -> pd.DataFrame:
    """One worker before and after some judgements are removed or divided (section 5.2).

    The worker whose mean moves most, of those with at least 20 other judgements.

    Parameters
    ----------
    rows : ndarray of bool, (judgements,)
    divisor : float
        0: the judgements are removed.
    scores : numbers
        Whose z-scores are shown.

    Returns
    -------
    DataFrame
        Rows before and after; columns judgements, mean, sd and "z of 50" and so on.
    """
    change = {"score": campaign.divided(rows, divisor)} if divisor else {"weight": ~rows}
    scales = [zscores.worker_scales(campaign), zscores.worker_scales(campaign, **change)]
    others = np.bincount(campaign.worker[~rows], minlength=len(campaign.workers))
    moved = np.where(others >= 20, np.abs(scales[1][1] - scales[0][1]), -1)
    worker = int(np.nanargmax(moved))
    table = []
    for number, mean, sd in scales:
        row = {"judgements": int(number[worker]), "mean": mean[worker], "sd": sd[worker]}
        row |= {f"z of {x}": (x - mean[worker]) / sd[worker] for x in scores}
        table.append(row)
    return pd.DataFrame(table, index=["before", "after"])


def before_after(campaign: Campaign, rows: np.ndarray, unranked: np.ndarray) -> pd.DataFrame:
    """The ranking of some systems before and after judgements are removed (section 5.2).

    Parameters
    ----------
    rows : ndarray of bool, (judgements,)
        Removed.
    unranked : ndarray of bool, (systems,)
        Systems that are ranked on neither side.

    Returns
    -------
    DataFrame
        Best first, before: system, z, place and line; then z, place and line after.
    """
    before = clusters.rank_campaign(campaign, **PAPER).restricted(~unranked).ranking.table
    after = clusters.rank_campaign(campaign, scales_from=~rows, unranked=unranked, **PAPER)
    tables = []
    for table in (before, after.ranking.table):
        place = range(1, len(table) + 1)
        line = table["line"].map({True: "line", False: ""})
        tables.append(table.assign(place=place, line=line, z=table["score"].round(3)))
    one, two = (table[["system", "z", "place", "line"]] for table in tables)
    return one.merge(two, on="system", suffixes=("", " after")).set_index("system")
