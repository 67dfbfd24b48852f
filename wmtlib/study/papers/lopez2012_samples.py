"""Lopez (2012), sections 2, 3 and 6: how the assessments were sampled, from single rankings.

A *screen* is one assessment: up to five outputs of one sentence that a judge ranked together.
"""

import math

import numpy as np
import pandas as pd

from wmtlib import counts as relative_rankings
from wmtlib.counts import REFERENCE, UNRANKED, Counts
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source

FIGURE_1 = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
SIGNS = {0: "≡", 1: "≺", 2: "≻"}


def load_assessments(source: Source) -> pd.DataFrame | None:
    """All rankings of the paper's 25 tasks; None if the source holds counts only.

    Returns
    -------
    DataFrame
        `relative_rankings.RANKINGS` and `label`, the task's name in Table 1; rankings numbered
        through both campaigns.
    """
    if source.kind != "raw":
        return None
    campaigns, first = [], 0
    for campaign in ("wmt10", "wmt11"):
        rows = ranking_releases.load_rankings(campaign, source=source)
        rows = rows[~rows["task"].str.startswith("ht-")]
        labels = {task: ranking_releases.label(campaign, task) for task in rows["task"].unique()}
        rows = rows.assign(label=rows["task"].astype(object).map(labels))
        campaigns.append(rows.assign(ranking=rows["ranking"] + first))
        first = int(campaigns[-1]["ranking"].max()) + 1
    columns = [*relative_rankings.RANKINGS, "label"]
    return pd.concat(campaigns, ignore_index=True)[columns].astype({"label": "category"})


def find_assessment(assessments: pd.DataFrame, ranks: dict[str, int]) -> pd.DataFrame:
    """Rows of every assessment that gave exactly these ranks to exactly these systems.

    Rows of one assessment stand in order of rank, then of name, as Figure 1 lists them.
    """
    size = assessments.groupby("ranking")["system"].transform("size")
    wanted = assessments["system"].astype(object).map(ranks) == assessments["rank"]
    matching = wanted.groupby(assessments["ranking"]).transform("sum")
    found = assessments[(size == len(ranks)) & (matching == len(ranks))]
    return found.sort_values(["ranking", "rank", "system"])


def figure_1(assessments: pd.DataFrame | None) -> tuple[str, pd.DataFrame]:
    """Where the assessment of Figure 1 stands, and its rows; as printed without single rankings."""
    if assessments is None:
        printed = pd.DataFrame({"system": [*FIGURE_1], "rank": [*FIGURE_1.values()]})
        one = printed.assign(task="de-en", ranking=0, segment=0, judge="")
        return "as printed; the embedded data hold counts only, no single rankings", one
    found = find_assessment(assessments, FIGURE_1)
    where = (found["label"].astype(str) + ", sentence " + found["segment"].astype(str)).unique()
    times = found["ranking"].nunique()
    return f"found {'once' if times == 1 else f'{times} times'}: {'; '.join(where)}", found


def implied_comparisons(assessment: pd.DataFrame) -> list[str]:
    """The comparisons that one assessment implies, as Figure 1 writes them."""
    implied = relative_rankings.comparisons(assessment)
    sign = implied["preference"].map(SIGNS)
    upper = [implied[side].astype(str).str.upper() for side in ("system_1", "system_2")]
    return (upper[0] + " " + sign + " " + upper[1]).tolist()


def screens(assessments: pd.DataFrame) -> pd.DataFrame:
    """One row for each assessment.

    Returns
    -------
    DataFrame
        Index ranking; label, judge, segment, outputs (how many), shown (their names, sorted and
        joined), ranked (how many of them the judge ranked), repeat (was the same set of outputs of
        the same sentence assessed before?).
    """
    by_name = assessments.sort_values(["ranking", "system"])
    grouped, names = by_name.groupby("ranking"), by_name["system"].to_numpy(dtype=object)
    table = grouped[["label", "judge", "segment"]].first().assign(outputs=grouped.size())
    ranked = (assessments["rank"] != UNRANKED).groupby(assessments["ranking"]).sum()
    shown = np.split(names, table["outputs"].cumsum()[:-1])
    table = table.assign(shown=[*map(" ".join, shown)])
    repeat = table.duplicated(["label", "segment", "shown"])
    return table.assign(ranked=ranked, repeat=repeat)


def run_lengths(screens: pd.DataFrame) -> pd.Series:
    """Lengths of all runs of consecutive sentences by one judge, and how many runs have each.

    Section 2: three consecutive sentences at a time were presented to the same annotator. If so,
    every length is a multiple of three.
    """
    by_judge = screens["label"].astype(str) + screens["judge"].astype(str)
    new = (screens["segment"].diff() != 1) | (by_judge != by_judge.shift())
    runs = np.diff(np.flatnonzero(new), append=len(screens))
    return pd.Series(runs).value_counts().sort_index().rename_axis("sentences").rename("runs")


def sentences_in_a_sample(screens: pd.DataFrame) -> int:
    """Greatest number of sentences that divides the length of every run."""
    return math.gcd(*run_lengths(screens).index)


def tasks_with_gaps(assessments: pd.DataFrame) -> int:
    """Tasks in which some pair of systems lacks a comparison on some sentence judged there."""
    ranked = _ranked_systems(assessments)
    gaps = 0
    for _, rows in ranked.groupby("label", observed=True):
        systems = rows["system"].nunique()
        compared = relative_rankings.comparisons(rows)
        pairs = compared[["system_1", "system_2"]].astype(str).to_numpy()
        seen = compared.assign(one=pairs.min(axis=1), other=pairs.max(axis=1))
        seen = len(seen.drop_duplicates(["segment", "one", "other"]))
        gaps += seen < rows["segment"].nunique() * math.comb(systems, 2)
    return gaps


def overlap(assessments: pd.DataFrame, counts: dict[str, Counts]) -> pd.DataFrame:
    """What the scores of two systems of a task are aggregated over (section 3).

    Returns
    -------
    DataFrame
        One row for each pair of systems of each task: label, sentences and judges (how many both
        have in common), same_rates (do both meet each other system in the same share of their
        comparisons?).
    """
    tables = []
    for label, rows in _ranked_systems(assessments).groupby("label", observed=True):
        system, names = pd.factorize(rows["system"].astype(str), sort=True)
        shared = {}
        for unit in ("segment", "judge"):
            code, units = pd.factorize(rows[unit])
            met = np.zeros((len(names), len(units)), dtype=int)
            met[system, code] = 1
            shared[unit] = met @ met.T
        wins, ties = counts[label].wins, counts[label].ties
        met = (wins + wins.T + ties).loc[[*names]].sort_index(axis=1)
        column = met.columns.get_indexer(names)  # the reference has a column, but no row
        times = met.to_numpy()
        a, b = np.triu_indices(len(names), k=1)
        one, other = times[a], times[b]
        same = one * other.sum(axis=1, keepdims=True) == other * one.sum(axis=1, keepdims=True)
        pair = np.arange(len(a))
        same[pair, column[a]] = same[pair, column[b]] = True  # the two themselves do not count
        found = {"sentences": shared["segment"][a, b], "judges": shared["judge"][a, b]}
        tables.append(pd.DataFrame({"label": label, **found, "same_rates": same.all(axis=1)}))
    return pd.concat(tables, ignore_index=True)


def _ranked_systems(assessments: pd.DataFrame) -> pd.DataFrame:
    """Outputs of systems, not of the reference, that a judge ranked."""
    return assessments[(assessments["rank"] != UNRANKED) & (assessments["system"] != REFERENCE)]
