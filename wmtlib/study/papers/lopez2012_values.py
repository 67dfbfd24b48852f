"""Lopez (2012): our values beside the printed ones, and the verdicts on the claims of the prose.

`values` gives one for every row of data/published/lopez2012.csv that the data at hand allow; the
claims are in `lopez2012_claims`. The MFAS orders of Tables 3 and 4 are read from the print where a
row is about the printed order; what is then said of it is computed from the judgements.
"""

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import mfas as violations
from wmtlib import ranking
from wmtlib.corrections import tau
from wmtlib.counts import REFERENCE
from wmtlib.ranking import rank_by_score
from wmtlib.study.papers import lopez2012_samples as samples
from wmtlib.study.papers.lopez2012 import (
    ENGLISH_CZECH,
    EQUATIONS,
    FRENCH_ENGLISH,
    TUNABLE_METRICS,
    Analysis,
    correlations,
    printed,
    printed_edges,
    printed_order,
    table_1,
)
from wmtlib.study.papers.lopez2012_claims import claims, sampling_claims
from wmtlib.study.published import load_published
from wmtlib.study.verdicts import Different, Noted, Values


def values(found: Analysis, assessments: pd.DataFrame | None, *, notebook: str) -> Values:
    """Our value, or verdict, for each (item, quantity) that the paper prints.

    Parameters
    ----------
    found : Analysis
    assessments : DataFrame or None
        What `lopez2012_samples.load_assessments` gives; None leaves out what needs them.
    notebook : str
        The one whose rows of the published file are wanted.
    """
    given = _sizes(found) | _english_czech(found) | _french_english(found) | _tunable(found)
    given |= _totals(found) | claims(found)
    if assessments is not None:
        screens = samples.screens(assessments)
        given |= _assessments(assessments, screens)
        given |= sampling_claims(found, assessments, screens)
    rows = load_published("lopez2012").query("notebook == @notebook")
    wanted = set(zip(rows["item"], rows["quantity"], strict=True))
    return {row: value for row, value in given.items() if row in wanted}


def _sizes(found: Analysis) -> Values:
    """Sections 1 to 3, Table 1, and the arithmetic of the prose."""
    tasks = found.tasks.loc[found.labels]
    given: Values = {
        ("section-1", "tasks analysed"): len(tasks),
        ("section-1", "share of tasks with at least ten systems"): (tasks["systems"] >= 10).mean(),
        ("section-1", "rankings of ten systems"): math.factorial(10),
        ("section-1", "rankings of twenty systems"): math.factorial(20),
        ("section-2", "comparisons from an assessment of five"): math.comb(5, 2),
        ("section-3", "rankings of 25 systems"): math.factorial(25),
        ("section-3", "most systems in a task"): tasks["systems"].max(),
    }
    for label, row in table_1(found).iterrows():
        given |= {("table-1", f"{label}, {column}"): size for column, size in row.items()}
    figure_2 = {"A": Fraction(1), "B": Fraction(2, 5), "C": Fraction(2, 4), "D": Fraction(0)}
    by_score = ", ".join(sorted(figure_2, key=figure_2.__getitem__, reverse=True))
    given["figure-2", "ranking according to Eq. 1"] = by_score
    wmt11 = found.tasks.index[found.tasks["campaign"] == "wmt11"]
    pairs = sum(len(counting.to_table(found.counts[label])) for label in wmt11)
    given["section-6", "comparisons in the WMT11 appendix"] = (
        f"{pairs} distinct pairs of systems in the judgements, {2 * pairs} if counted both ways"
    )
    given["section-6", "wrong comparisons to expect at 1 %"] = 0.01 * 2001
    return given


def _assessments(assessments: pd.DataFrame, screens: pd.DataFrame) -> Values:
    """Section 2 and Figure 1: what needs single rankings."""
    figure_1 = samples.find_assessment(assessments, samples.FIGURE_1)
    listed = figure_1["system"].astype(str).str.upper() + " " + figure_1["rank"].astype(str)
    return {
        ("section-2", "outputs in one assessment, at most"): screens["outputs"].max(),
        ("section-2", "consecutive sentences in a sample"): samples.sentences_in_a_sample(screens),
        ("figure-1", "task"): ", ".join(figure_1["label"].unique()),
        ("figure-1", "ranking"): ", ".join(listed),
        ("figure-1", "pairwise rankings"): ", ".join(samples.implied_comparisons(figure_1)),
    }


def _english_czech(found: Analysis) -> Values:
    """Table 2 and what section 5.1 says of its task."""
    orders, weight = found.orders[ENGLISH_CZECH], found.weights.loc[ENGLISH_CZECH]
    systems = set(printed("table-2", "MFAS ranking").casefold().split(", "))
    [task] = [t for t in found.labels if {s.casefold() for s in found.orders[t]["mfas"]} == systems]
    languages = task.split()[1]
    swapped = task.replace(languages, "-".join(languages.split("-")[::-1]))
    size = found.tasks.loc[swapped, "systems"]
    caption = {
        "the languages of the ten systems' task swapped": swapped.removesuffix(" individual"),
        "the ten systems sought in the task of that name": f"it has {size} systems",
    }
    given: Values = {("table-2", "task"): Different(task.removesuffix(" individual"), caption)}
    columns = {"WMT-OFFICIAL": "wmt-official", "MFAS": "mfas", "BOJAR": "bojar"}
    for column, method in columns.items():
        given["table-2", f"{column} ranking"] = ", ".join(orders[method])
        given["table-2", f"{column} violated weight"] = weight[method]
    others = _other_weights(found, ENGLISH_CZECH, "Eq. 3")
    given["table-2", "BOJAR violated weight"] = Different(weight["bojar"], others)
    given["table-2", "rankings without violated edges"] = (weight[[*columns.values()]] == 0).sum()
    beaten_by = (found.machines(ENGLISH_CZECH).margins.loc["cu-marecek"] < 0).sum()
    given["section-5.1", "2011 English-Czech, systems that beat CU-MARECEK"] = beaten_by
    return given


def _french_english(found: Analysis) -> Values:
    """Table 3 and what section 5.1 says of its task."""
    weight, margins = found.weights.loc[FRENCH_ENGLISH], found.machines(FRENCH_ENGLISH).margins
    order, optimal = printed_order(found, "table-3"), found.solved[FRENCH_ENGLISH].optimal_orders
    edges = printed_edges(found, "table-3")
    official = found.orders[FRENCH_ENGLISH]["wmt-official"]
    given: Values = {("table-3", "WMT-OFFICIAL ranking"): ", ".join(official)}
    for edge in edges.itertuples():
        which = f"reversed in {edge.reversed_in} of the {optimal} optimal orders"
        name = f"{edge.winner} ≺ {edge.loser}".upper()
        given["table-3", f"violated edge {name}"] = Noted(
            edge.weight, f"of the order as printed; {which}"
        )
    in_all, in_some = ((edges["reversed_in"] == which).sum() for which in ("all", "some"))
    note = f"of the order as printed; {in_all} are reversed in all {optimal} optimal orders,"
    note = f"{note} {in_some} in some"
    given["table-3", "violated edges listed"] = Noted(len(edges), note)
    systems = found.tasks.loc[FRENCH_ENGLISH, "systems"]
    others = {
        "the reference counted as a system": len(found.counts[FRENCH_ENGLISH].systems),
        "the largest task, 2010 German-English": found.tasks.loc["2010 German-English", "systems"],
        "rows of the left column of Table 3": len(order),
    }
    given |= {
        ("section-5.1", "task with the most violated weight"): (
            found.weights.loc[found.labels, "mfas"].idxmax()
        ),
        ("section-5.1", f"{FRENCH_ENGLISH}, systems"): Different(systems, others),
        ("section-5.1", f"{FRENCH_ENGLISH}, systems that beat ONLINEB"): (
            margins["onlineB"] > 0
        ).sum(),
        ("section-5.1", f"{FRENCH_ENGLISH}, votes by which LIUM beats ONLINEB"): (
            margins.loc["lium", "onlineB"]
        ),
    }
    for name, method in {"MFAS": "mfas", **EQUATIONS}.items():
        ours: object = weight[method]
        if name in ("Eq. 2", "Eq. 3"):
            ours = Different(weight[method], _other_weights(found, FRENCH_ENGLISH, name))
        given["section-5.1", f"{FRENCH_ENGLISH}, violated weight {name}"] = ours
    return given


def _other_weights(found: Analysis, label: str, equation: str) -> dict[str, int]:
    """Violated weights that may have been printed in place of an equation's.

    Those of the other equations, and of this one (2 or 3) where comparisons with the reference
    count for its scores.
    """
    weight, wins = found.weights.loc[label], found.machines(label).wins
    others = {
        f"the order by {name}": int(weight[m]) for name, m in EQUATIONS.items() if name != equation
    }
    order = order_with_reference(found, label, EQUATIONS[equation])
    named = f"{equation} with the comparisons against the reference counted"
    return others | {named: violations.violated_weight(order, wins)}


def order_with_reference(found: Analysis, label: str, method: str) -> list[str]:
    """Order of the systems by a score that counts their comparisons with the reference too."""
    counts = found.counts[label]
    scores = ranking.SCORERS[method](counts.wins.to_numpy(), counts.ties.to_numpy())
    ranked = rank_by_score(method, pd.Series(scores, counts.systems)).order
    return [name for name in ranked if name != REFERENCE]


def _tunable(found: Analysis) -> Values:
    """Table 4 and what section 5.2 says of its task."""
    exact, orders = found.solved[TUNABLE_METRICS], found.orders[TUNABLE_METRICS]
    order = printed_order(found, "table-4")
    edges = printed_edges(found, "table-4")
    listed = ", ".join(edges["winner"] + " ≺ " + edges["loser"]).upper()
    in_all = (edges["reversed_in"] == "all").sum()
    listed_note = f"of the order as printed; {in_all} are reversed in all optimal orders"
    official, heuristic, bojar = (orders[method] for method in EQUATIONS.values())
    without = ranking.score("wmt-official", found.machines(TUNABLE_METRICS), reference=None)
    rho = correlations(found)
    printed_one, other, ninth = rho.columns
    mechanisms = {
        "Eq. 3 with the printed MFAS order": rho.loc["Eq. 3", printed_one],
        "Eq. 1 with the reference as a ninth item, first in both": rho.loc["Eq. 1", ninth],
        "Eq. 1 with the optimal order that is first by name": rho.loc["Eq. 1", other],
        "Eq. 1 without the comparisons against the reference": violations.spearman(
            rank_by_score("wmt-official", without).order, order
        ),
        "Eq. 2 with the printed MFAS order": rho.loc["Eq. 2", printed_one],
        "Eq. 1 with Eq. 3": violations.spearman(official, bojar),
        "Kendall's tau of Eq. 1": float(
            tau(np.arange(len(order)), np.array([*map(order.index, official)]))
        ),
    }
    note = f"with the printed MFAS order; with the one first by name {rho.loc['Eq. 2', other]:.3f}"
    heuristic_weight = found.weights.loc[TUNABLE_METRICS, "heuristic2"]
    prefix = "tunable metrics, Spearman of"
    return {
        ("table-4", "HEURISTIC 2 ranking"): ", ".join(heuristic),
        ("table-4", "HEURISTIC 2 violated weight"): heuristic_weight,
        ("table-4", "MFAS violated weight"): exact.cost,
        ("table-4", "MFAS violated edges"): Noted(listed, listed_note),
        ("section-5.2", f"{prefix} Eq. 2 with MFAS"): Noted(rho.loc["Eq. 2", printed_one], note),
        ("section-5.2", f"{prefix} Eq. 1 with MFAS"): Different(
            rho.loc["Eq. 1", printed_one], mechanisms
        ),
        ("section-5.2", f"{prefix} Eq. 1 with Eq. 2"): violations.spearman(official, heuristic),
    }


def _totals(found: Analysis) -> Values:
    """Sections 5.1 and 5.2: acyclic tasks, and violated weights over all tasks."""
    weights = found.weights.loc[found.labels]
    acyclic = weights["mfas"] == 0
    combinations = found.tasks.loc[found.labels, "task"].str.endswith("syscomb")
    given: Values = {
        ("section-5.1", "acyclic tasks"): acyclic.sum(),
        ("section-5.1", "system combination tasks"): combinations.sum(),
        ("section-5.1", "acyclic system combination tasks"): (acyclic & combinations).sum(),
        ("section-5.1", "share of tasks with cycles"): (~acyclic).mean(),
    }
    for name, method in {"MFAS": "mfas", **EQUATIONS}.items():
        given["section-5.2", f"violated weight over 25 tasks, {name}"] = weights[method].sum()
    return given
