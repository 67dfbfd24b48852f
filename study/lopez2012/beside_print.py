"""Values of Lopez (2012) beside the printed ones, and the facts behind its claims.

The criteria of the claims are in data/published/lopez2012.csv, as words and as tests
over the facts given here.
"""

import math

import numpy as np
import pandas as pd

from study.lopez2012 import (
    Analysis,
    section_2,
    section_3,
    section_4,
    section_5,
    section_6,
    tables,
)
from study.scoreboard.published import by_id
from study.scoreboard.verdicts import Values
from wmtlib.core.counts import Counts, comparisons
from wmtlib.methods import rank


def of_tournaments(analysis: Analysis, assessments: pd.DataFrame | None) -> Values:
    """Compute values of sections 1 to 4, for notebook 10.

    Parameters
    ----------
    analysis : Analysis
    assessments : DataFrame or None
        What `section_2.load_task_rankings` gives; None leaves out what needs them.
    """
    tasks = analysis.tasks.loc[analysis.labels]
    wins = section_4.figure_2()
    official = analysis.rankings.query("method == 'wmt-official'")
    official = official[official["label"].isin(analysis.labels)]
    by_task = official.groupby("label")["system"]
    is_lower = by_task.cumcount() >= np.ceil(by_task.transform("size") / 3)
    name = official["system"].str.replace("-", "")
    values: Values = {
        "task": section_5.describe_tasks(analysis),
        "L-1-02": math.factorial(10),
        "L-1-03": (tasks["systems"] >= 10).mean(),
        "L-1-04": math.factorial(20),
        "L-1-06": len(tasks),
        "L-2-09": math.comb(5, 2),
        "L-3-01": math.factorial(25),
        "L-3-02": tasks["systems"].max(),
        # Is "onlineA", or "online-A", below the upper third by Eq. 1?
        "lower": {letter: is_lower[name == f"online{letter}"] for letter in "AB"},
        "L-F2-02": ", ".join(rank(Counts(wins, 0 * wins), "wmt-official").order),
        **section_3.unfairness(analysis),
        "L-3-11": section_3.online_penalty(analysis),
    }
    if assessments is None:
        return values
    _, figure_1 = section_2.figure_1(assessments)
    shown = figure_1["system"].str.upper() + " " + figure_1["rank"].astype(str)
    screens = section_2.screens(assessments)
    sample = ["label", "segment", "shown"]
    ranked = section_2.ranked_systems(assessments)
    sentences = section_2.pair_sentences(section_2.sides(comparisons(ranked)))
    # Comparisons of two systems on a sentence, from the side of each, if all there are.
    sizes = ranked.groupby("label", observed=True)[["system", "segment"]].nunique()
    complete = sizes["segment"] * sizes["system"] * (sizes["system"] - 1)
    gaps = sentences.groupby("label").size() < complete
    return values | {
        "L-2-01": screens["outputs"].max(),
        "L-2-03": {"gaps": gaps.sum(), "tasks": len(gaps)},
        "L-2-04": math.gcd(*section_2.run_lengths(screens).index),
        "again": screens.duplicated([*sample, "judge"]).sum(),
        "shared": (screens.groupby(sample)["judge"].nunique() > 1).sum(),
        "L-F1-01": ", ".join(figure_1["label"].unique()),
        "L-F1-02": ", ".join(shown),
        "L-F1-03": ", ".join(section_2.implied_comparisons(figure_1)),
        "pair": section_3.overlap(ranked, analysis.counts),
    }


def of_all_tasks(
    analysis: Analysis, assessments: pd.DataFrame | None, documents: pd.Series | None
) -> Values:
    """Compute values of the abstract, sections 5, 6 and the tables, for notebook 12.

    Parameters
    ----------
    analysis : Analysis
    assessments : DataFrame or None
        What `section_2.load_task_rankings` gives; None leaves out what needs them.
    documents : Series or None
        What `ranking_releases.load_documents` gives, where there are assessments.
    """
    task = section_5.describe_tasks(analysis)
    tests = section_6.sign_tests(analysis)
    number = len(tests)
    values: Values = {
        "task": task,
        "p": tests["p"],
        "L-6-17": {"holm": tests["holm"], "fdr": tests["benjamini-hochberg"]},
        "largest_p": task["largest_p"],
        "released": analysis.tasks["campaign"].isin(["wmt10", "wmt11"]).sum(),
        "L-6-07": f"{number} distinct pairs of systems in the judgements, {2 * number}"
        " if counted both ways",
        "L-6-08": 0.01 * 2001,
        **by_id("lopez2012", "table-1", tables.table_1(analysis)),
        **section_5.violated_weights(analysis),
        **tables.table_2_values(analysis),
        **tables.table_3_values(analysis),
        **tables.table_4_values(analysis),
    }
    if assessments is not None and documents is not None:
        values |= section_6.values_of_rankings(assessments, documents)
    return values
