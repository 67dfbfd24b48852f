"""Lopez (2012): our values beside the printed ones, and the facts behind its claims.

The criteria of the claims stand in data/published/lopez2012.csv, as words and as tests
over the facts of `reproduced`. The MFAS orders of Tables 3 and 4 are read from the
print where a row is about the printed order; what is then said of it is computed from
the judgements.
"""

import math

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib import mfas
from wmtlib.corrections import corrected, sign_test
from wmtlib.counts import REFERENCE, Counts
from wmtlib.methods import rank, score
from wmtlib.ranking import tau
from wmtlib.study.papers import lopez2012
from wmtlib.study.papers.lopez2012 import (
    ENGLISH_CZECH,
    EQUATIONS,
    FRENCH_ENGLISH,
    TUNABLE_METRICS,
    Analysis,
    printed,
    printed_edges,
    printed_order,
)
from wmtlib.study.published import by_id, ids
from wmtlib.study.verdicts import Different, Noted, Values

DEALS, SEED = 999, 2012  # of documents to samples, section 6


def reproduced(
    analysis: Analysis,
    assessments: pd.DataFrame | None,
    documents: pd.Series | None = None,
) -> Values:
    """Our value for each number that the paper prints, and the facts of its claims.

    Parameters
    ----------
    analysis : Analysis
    assessments : DataFrame or None
        What `lopez2012.load_task_rankings` gives; None leaves out what needs them.
    documents : Series, optional
        What `ranking_releases.load_documents` gives; None leaves out what needs them.
    """
    task = describe_tasks(analysis)
    tests = lopez2012.sign_tests(analysis)
    p = tests["p"]
    values: Values = {
        "task": task,
        "p": p,
        "L-6-17": {"holm": tests["holm"], "fdr": tests["benjamini-hochberg"]},
        "L-6-18": {"largest_p": task["largest_p"]},
        "L-6-07": f"{len(p)} distinct pairs of systems in the judgements, "
        f"{2 * len(p)} if counted both ways",
        "lower": {letter: _online(analysis, letter) for letter in ("A", "B")},
    }
    for of_part in (
        _sizes,
        _totals,
        _english_czech,
        _french_english,
        _tunable,
        _printed_orders,
        unfairness,
    ):
        values |= of_part(analysis)
    if assessments is None:
        return values
    screens = lopez2012.screens(assessments)
    sides = lopez2012.sides(assessments)
    if documents is not None:
        spread = lopez2012.documents_of_samples(screens, documents)
        values["L-6-03"] = {"within": (spread == 1).sum(), "samples": len(spread)}
        p = lopez2012.document_effects(
            sides, screens, documents, n_resamples=DEALS, seed=SEED
        )
        values["L-6-13"] = {"p": p, "holm": corrected(p, "holm")}
    return values | _samples(analysis, assessments, screens, sides)


def describe_tasks(analysis: Analysis) -> pd.DataFrame:
    """Facts of each of the 25 tasks.

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
    rows = {}
    for label in analysis.labels:
        counts = analysis.counts[label]
        exact = analysis.solved[label]
        orders = analysis.orders[label]
        reference_won = counts.wins.loc[REFERENCE].sum()
        best_first = orders["mfas"]
        wins = counts.wins.loc[best_first, best_first].to_numpy()
        ties = counts.ties.loc[best_first, best_first].to_numpy()
        pair = np.triu_indices(len(wins), 1)
        met = (wins + wins.T + ties)[pair]
        met_often = met >= 10
        beat = (wins > wins.T).astype(int)
        ranges = exact.rank_ranges
        assert ranges is not None  # it has optimal orders
        rows[label] = {
            "systems": len(wins),
            "combination": label.endswith("syscomb"),
            "ties": counts.ties.to_numpy().sum() // 2,
            "reference_won": reference_won,
            "reference_decided": reference_won + counts.wins[REFERENCE].sum(),
            "least_met": met.min(),
            "most_met": met.max(),
            "even": (wins == wins.T)[pair].sum(),
            "met_often": met_often.sum(),
            "uniform": (met_often & (np.minimum(wins, wins.T)[pair] == 0)).sum(),
            "cycles": np.trace(beat @ beat @ beat) // 3,
            "proven": exact.optimal,
            "optimal_orders": exact.optimal_orders,
            "rank_of_first": ranges.loc[orders["wmt-official"][0], "best"],
            "rankings": len({tuple(orders[method]) for method in EQUATIONS.values()}),
            "largest_p": sign_test(np.diag(wins, 1), np.diag(wins, -1)).max(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _sizes(analysis: Analysis) -> Values:
    """Sections 1 to 3, Table 1, and the arithmetic of the prose."""
    tasks = analysis.tasks.loc[analysis.labels]
    wins = lopez2012.figure_2()
    by_equation_1 = rank(Counts(wins, 0 * wins), "wmt-official")
    return by_id("lopez2012", "table-1", lopez2012.table_1(analysis)) | {
        "L-1-02": math.factorial(10),
        "L-1-03": (tasks["systems"] >= 10).mean(),
        "L-1-04": math.factorial(20),
        "L-1-06": len(tasks),
        "L-2-09": math.comb(5, 2),
        "L-3-01": math.factorial(25),
        "L-3-02": tasks["systems"].max(),
        "L-F2-02": ", ".join(by_equation_1.order),
        "L-6-08": 0.01 * 2001,
        "released": analysis.tasks["campaign"].isin(["wmt10", "wmt11"]).sum(),
    }


def _totals(analysis: Analysis) -> Values:
    """Sections 5.1, 5.2 and 6: violated weights of all tasks."""
    methods = {"MFAS": "mfas", **EQUATIONS}  # as the paper names them
    weight = analysis.weights.loc[analysis.labels, [*methods.values()]]
    weight = weight.set_axis([*methods], axis=1)
    total = weight.sum()
    acyclic = weight["MFAS"] == 0
    combination = weight.index.str.endswith("syscomb")
    by_equation = weight[[*EQUATIONS]]
    differ = by_equation[by_equation.nunique(axis=1) > 1]
    # A place that is shared is the lower one of both.
    best_alone = (differ.rank(axis=1, method="max") == 1).sum()
    orders = [analysis.orders[label] for label in analysis.labels]
    agreement = {
        equation: [mfas.spearman(o[method], o["mfas"]) for o in orders]
        for equation, method in EQUATIONS.items()
    }
    return {
        "weight": weight,
        "total": total,
        "agreement": pd.DataFrame(agreement).mean(),
        "L-5.1-01": acyclic.sum(),
        "L-5.1-02": combination.sum(),
        "L-5.1-03": (acyclic & combination).sum(),
        "L-5.1-09": weight["MFAS"].idxmax(),
        "L-5.1-19": (~acyclic).mean(),
        "L-5.2-01": total["MFAS"],
        "L-5.2-02": total["Eq. 1"],
        "L-5.2-03": total["Eq. 2"],
        "L-5.2-04": total["Eq. 3"],
        "L-5.2-06": {"best_alone": best_alone, "differ": len(differ)},
    }


def unfairness(analysis: Analysis) -> Values:
    """What the reference takes, and what ties give to systems that are alike.

    For each task of at least four systems. penalty: Spearman's correlation of a
    system's loss by Eq. 1 with its share of comparisons against the reference. gain:
    that of its share of ties with the ranks by which it stands higher by Eq. 1 than by
    Eq. 3, both without the reference. cohort: how often the pair ties that ties most,
    by how often all pairs do. p_cohort: chance of a share as large, of any pair, if all
    tie at the task's rate.
    """
    rows = {}
    tasks = analysis.tasks.query("analysed and systems > 3")
    for label in tasks.index:
        counts = analysis.counts[label]
        machines = counts.without(REFERENCE)
        official = score("wmt-official", machines, reference=None)
        bojar = score("bojar", machines, reference=None)
        met = counts.wins + counts.wins.T + counts.ties
        of_reference = met[REFERENCE] / met.sum(axis=1)
        loss = official - analysis.rankings[label]["wmt-official"].column("score")
        met = met.loc[loss.index, loss.index]
        ties = machines.ties.sum(axis=1) / met.sum(axis=1)
        gained = official.rank() - bojar.rank()
        most_ties = (machines.ties / met.where(met > 0)).max(axis=None)
        all_ties = machines.ties.sum(axis=None) / met.sum(axis=None)
        number = met.to_numpy()[np.triu_indices(len(met), 1)]
        fewer = stats.binom.cdf(np.ceil(most_ties * number) - 1, number, all_ties)
        rows[label] = {
            "penalty": of_reference[loss.index].rank().corr(loss.rank()),
            "gain": ties.rank().corr(gained.rank()),
            "cohort": most_ties / all_ties,
            "p_cohort": 1 - fewer.prod(),
        }
    return {**pd.DataFrame(rows).T}


def _online(analysis: Analysis, letter: str) -> list[bool]:
    """Is "onlineA", or "online-A", below the upper third by Eq. 1? One value a task."""
    is_lower = []
    for label in analysis.labels:
        names = pd.Series(analysis.orders[label]["wmt-official"])
        place = names.index[names.str.replace("-", "") == f"online{letter}"]
        is_lower += [*(place >= math.ceil(len(names) / 3))]
    return is_lower


def _english_czech(analysis: Analysis) -> Values:
    """Table 2 and what section 5.1 says of its task."""
    orders = analysis.orders[ENGLISH_CZECH]
    weight = analysis.weights.loc[ENGLISH_CZECH]
    systems = set(printed("table-2", "MFAS ranking").casefold().split(", "))
    [task] = [
        label
        for label in analysis.labels
        if {name.casefold() for name in analysis.orders[label]["mfas"]} == systems
    ]
    year, languages, kind = task.split()
    source, target = languages.split("-")
    swapped = f"{year} {target}-{source}"
    size = analysis.tasks.loc[f"{swapped} {kind}", "systems"]
    caption = {
        "the languages of the ten systems' task swapped": swapped,
        "the ten systems sought in the task of that name": f"it has {size} systems",
    }
    instead = _other_weights(analysis, ENGLISH_CZECH, "Eq. 3")
    return {
        "L-T2-01": Different(f"{year} {languages}", caption),
        "L-T2-02": ", ".join(orders["wmt-official"]),
        "L-T2-03": weight["wmt-official"],
        "L-T2-04": ", ".join(orders["mfas"]),
        "L-T2-05": weight["mfas"],
        "L-T2-06": ", ".join(orders["bojar"]),
        "L-T2-07": Different(weight["bojar"], instead),
        "L-T2-08": (weight.drop("heuristic2") == 0).sum(),
        "L-5.1-05": {"violated": weight},
        "L-5.1-06": {"first": {e: orders[m][0] for e, m in EQUATIONS.items()}},
        "L-5.1-07": (
            analysis.machines(ENGLISH_CZECH).margins.loc["cu-marecek"] < 0
        ).sum(),
    }


def _french_english(analysis: Analysis) -> Values:
    """Table 3 and what section 5.1 says of its task."""
    machines = analysis.machines(FRENCH_ENGLISH)
    weight = analysis.weights.loc[FRENCH_ENGLISH]
    orders = analysis.orders[FRENCH_ENGLISH]
    systems = analysis.tasks["systems"]
    optimal = analysis.solved[FRENCH_ENGLISH].optimal_orders
    edges = printed_edges(analysis, "table-3")
    row = ids("lopez2012", "table-3")
    values: Values = {}
    for edge in edges.itertuples():
        name = f"{edge.winner} ≺ {edge.loser}".upper()
        note = f"reversed in {edge.reversed_in} of the {optimal} optimal orders"
        noted = Noted(edge.weight, f"of the order as printed; {note}")
        values[row[f"violated edge {name}"]] = noted
    number = edges["reversed_in"].value_counts()
    note = (
        f"of the order as printed; {number['all']} are reversed in all {optimal} "
        f"optimal orders, {number['some']} in some"
    )
    other_sizes = {
        "the reference counted as a system": systems[FRENCH_ENGLISH] + 1,
        "the largest task, 2010 German-English": systems["2010 German-English"],
        "rows of the left column of Table 3": len(printed_order(analysis, "table-3")),
    }
    met = machines.wins + machines.wins.T + machines.ties
    combined = met.index.str.endswith("-combo")
    instead_of_2 = _other_weights(analysis, FRENCH_ENGLISH, "Eq. 2")
    instead_of_3 = _other_weights(analysis, FRENCH_ENGLISH, "Eq. 3")
    ranks = {e: orders[m].index("onlineB") + 1 for e, m in EQUATIONS.items()}
    return values | {
        "L-T3-26": Noted(len(edges), note),
        "L-T3-27": ", ".join(orders["wmt-official"]),
        "L-5.1-10": Different(systems[FRENCH_ENGLISH], other_sizes),
        "L-5.1-11": {
            "combined": combined,
            "least": met.loc[combined, ~combined].min(axis=None),
        },
        "L-5.1-12": weight["mfas"],
        "L-5.1-13": weight["wmt-official"],
        "L-5.1-14": Different(weight["heuristic2"], instead_of_2),
        "L-5.1-15": Different(weight["bojar"], instead_of_3),
        "L-5.1-16": {"rank": ranks},
        "L-5.1-17": (machines.margins["onlineB"] > 0).sum(),
        "L-5.1-18": machines.margins.loc["lium", "onlineB"],
    }


def _other_weights(analysis: Analysis, label: str, equation: str) -> dict[str, int]:
    """Violated weights that may have been printed in place of an equation's.

    Those of the other equations, and of this one (2 or 3) where comparisons with the
    reference count for its scores.
    """
    weights = {
        f"the order by {name}": int(analysis.weights.loc[label, method])
        for name, method in EQUATIONS.items()
        if name != equation
    }
    # The reference is one system more here.
    ranking = rank(analysis.counts[label], EQUATIONS[equation])
    order = [name for name in ranking.order if name != REFERENCE]
    named = f"{equation} with the comparisons against the reference counted"
    weights[named] = mfas.violated_weight(order, analysis.machines(label).wins)
    return weights


def _tunable(analysis: Analysis) -> Values:
    """Table 4 and what section 5.2 says of its task."""
    order = printed_order(analysis, "table-4")
    edges = printed_edges(analysis, "table-4")
    weight = analysis.weights.loc[TUNABLE_METRICS]
    official, heuristic, bojar = (
        analysis.orders[TUNABLE_METRICS][method] for method in EQUATIONS.values()
    )
    without_reference = rank(analysis.machines(TUNABLE_METRICS), "wmt-official").order
    places = np.array([official.index(name) for name in order])
    rho = lopez2012.correlations(analysis)
    as_printed = rho["with the printed order"]
    other = rho["with the other"]
    ninth = rho["reference as a ninth item"]
    mechanisms = {
        "Eq. 3 with the printed MFAS order": as_printed["Eq. 3"],
        "Eq. 1 with the reference as a ninth item, first in both": ninth["Eq. 1"],
        "Eq. 1 with the optimal order that is first by name": other["Eq. 1"],
        "Eq. 1 without the comparisons against the reference": mfas.spearman(
            without_reference, order
        ),
        "Eq. 2 with the printed MFAS order": as_printed["Eq. 2"],
        "Eq. 1 with Eq. 3": mfas.spearman(official, bojar),
        "Kendall's tau of Eq. 1": float(tau(np.arange(len(order)), places)),
    }
    note = (
        f"with the printed MFAS order; with the one first by name {other['Eq. 2']:.3f}"
    )
    listed = ", ".join(edges["winner"] + " ≺ " + edges["loser"]).upper()
    in_all = (edges["reversed_in"] == "all").sum()
    listed_note = (
        f"of the order as printed; {in_all} are reversed in all optimal orders"
    )
    slip = {"the word for a figure, the number of a table": "Figure 4"}
    return {
        "rho": as_printed,
        "tunable": weight[[*EQUATIONS.values()]].set_axis([*EQUATIONS]),
        "L-T4-02": ", ".join(heuristic),
        "L-T4-04": analysis.solved[TUNABLE_METRICS].cost,
        "L-T4-05": Noted(listed, listed_note),
        "L-T4-06": weight["heuristic2"],
        "L-5.2-09": Noted(as_printed["Eq. 2"], note),
        "L-5.2-10": Different(as_printed["Eq. 1"], mechanisms),
        "L-5.2-12": mfas.spearman(official, heuristic),
        "L-5.2-15": Different("Table 4", slip),
    }


def _printed_orders(analysis: Analysis) -> Values:
    """Tables 3 and 4: are the printed MFAS orders among the optimal ones?"""
    facts = {}
    for item, label in lopez2012.PRINTED_MFAS.items():
        exact = analysis.solved[label]
        facts[item] = {
            "violated": printed_edges(analysis, item)["weight"].sum(),
            "least": exact.lower_bound,
            "number": exact.optimal_orders,
        }
    table_4 = facts["table-4"]
    note = "it is optimal" if table_4["violated"] == table_4["least"] else ""
    return {
        "L-T3-01": facts["table-3"],
        "L-T4-01": table_4,
        "L-T4-03": table_4 | {"note": note},
    }


def _samples(
    analysis: Analysis,
    assessments: pd.DataFrame,
    screens: pd.DataFrame,
    sides: pd.DataFrame,
) -> Values:
    """Sections 2, 3 and 6, Figure 1: what needs single rankings."""
    figure_1 = lopez2012.find_assessment(assessments, lopez2012.FIGURE_1)
    systems = figure_1["system"].astype(str).str.upper()
    by_output = screens.groupby(["label", "segment", "shown"])
    again = screens.duplicated(["label", "segment", "shown", "judge"]).sum()
    compared = screens["ranked"] * (screens["ranked"] - 1) // 2
    of_three = compared[screens["ranked"] >= 3].sum()
    sentences = lopez2012.pair_sentences(sides)
    gaps = lopez2012.tasks_with_gaps(assessments, sentences)
    correlations = lopez2012.covariance(sides).groupby("site")["correlation"]
    judged = lopez2012.judges_of_tasks(assessments)
    reversed_order = judged["high"] < 0.5
    pairs = lopez2012.sentences_of_improvement(sentences)
    by_task = pairs["improved"].groupby("label", observed=True)
    return {
        "L-2-01": screens["outputs"].max(),
        "L-2-03": {"gaps": gaps, "tasks": len(analysis.labels)},
        "L-2-04": math.gcd(*lopez2012.run_lengths(screens).index),
        "L-2-05": {"again": again, "shared": (by_output["judge"].nunique() > 1).sum()},
        "L-F1-01": ", ".join(figure_1["label"].unique()),
        "L-F1-02": ", ".join(systems + " " + figure_1["rank"].astype(str)),
        "L-F1-03": ", ".join(lopez2012.implied_comparisons(figure_1)),
        "L-3-08": {"pair": lopez2012.overlap(assessments, analysis.counts)},
        "L-6-02": {"of_three": of_three, "comparisons": compared.sum()},
        "L-6-04": {
            "repeats": screens["repeat"].sum(),
            "assessments": len(screens),
            "by_chance": lopez2012.repeats_by_chance(assessments, screens),
        },
        "L-6-05": {
            "alike": correlations.get_group(True),
            "others": correlations.get_group(False),
        },
        "L-6-14": {
            "doubtful": judged["doubtful"],
            "reversed": reversed_order,
            "p_doubtful": _above_chance(judged["doubtful"]),
            "p_reversed": _above_chance(reversed_order),
        },
        "L-6-15": {
            # the most sentences of improvement of a pair by the fewest
            "factor": by_task.max() / by_task.min().clip(lower=1),
            "fewer": pairs["improved"] < pairs["met"],
        },
    }


def _above_chance(outside: pd.Series) -> float:
    """Binomial p of so many 95 % intervals that end below a true value."""
    return stats.binom.sf(outside.sum() - 1, len(outside), 0.025)
