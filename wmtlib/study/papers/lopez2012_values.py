"""Lopez (2012): our values beside the printed ones, and the facts that its claims are judged by.

The criteria of the claims stand in data/published/lopez2012.csv, as words and as tests
over the facts of `reproduced`. The MFAS orders of Tables 3 and 4 are read from the
print where a row is about the printed order; what is then said of it is computed from
the judgements.
"""

import math

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import mfas
from wmtlib.corrections import corrected
from wmtlib.counts import REFERENCE, Counts
from wmtlib.methods import score
from wmtlib.ranking import rank_by_score, tau
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
    found: Analysis,
    assessments: pd.DataFrame | None,
    documents: pd.Series | None = None,
) -> Values:
    """Our value for each number that the paper prints, and the facts that its claims are about.

    Parameters
    ----------
    found : Analysis
    assessments : DataFrame or None
        What `lopez2012.load_task_rankings` gives; None leaves out what needs them.
    documents : Series, optional
        What `ranking_releases.load_documents` gives; None leaves out what needs them.
    """
    given = (
        _sizes(found) | _totals(found) | _english_czech(found) | _french_english(found)
    )
    given |= _tunable(found) | _printed_orders(found)
    given |= {"task": describe_tasks(found), "p": lopez2012.sign_tests(found)["p"]}
    given |= unfairness(found) | {"lower": {n: _online(found, n) for n in ("A", "B")}}
    if assessments is None:
        return given
    screens = lopez2012.screens(assessments)
    if documents is not None:
        spread = lopez2012.documents_of_samples(screens, documents)
        given["L-6-03"] = {"within": (spread == 1).sum(), "samples": len(spread)}
        p = lopez2012.document_effects(
            assessments, documents, n_resamples=DEALS, seed=SEED
        )
        given["L-6-13"] = {"p": p, "holm": corrected(p, "holm")}
    return given | _samples(found, assessments, screens)


def describe_tasks(found: Analysis) -> pd.DataFrame:
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
        rankings (how many different ones Equations 1 to 3 give).
    """
    rows = {}
    for label in found.labels:
        counts, exact, orders = (
            found.counts[label],
            found.solved[label],
            found.orders[label],
        )
        reference = counts.wins.loc[REFERENCE].sum()
        wins, ties = (
            table.to_numpy() for table in vars(counts.without(REFERENCE)).values()
        )
        pair = np.triu_indices(len(wins), 1)
        met, least = (wins + wins.T + ties)[pair], np.minimum(wins, wins.T)[pair]
        beat = (wins > wins.T).astype(int)
        first = orders["wmt-official"][0]
        rows[label] = {
            "systems": len(wins),
            "combination": found.tasks.loc[label, "task"].endswith("syscomb"),
            "ties": counts.ties.to_numpy().sum() // 2,
            "reference_won": reference,
            "reference_decided": reference + counts.wins[REFERENCE].sum(),
            "least_met": met.min(),
            "most_met": met.max(),
            "even": (wins == wins.T)[pair].sum(),
            "met_often": (met >= 10).sum(),
            "uniform": ((met >= 10) & (least == 0)).sum(),
            "cycles": np.trace(beat @ beat @ beat) // 3,
            "proven": exact.optimal,
            "optimal_orders": exact.optimal_orders,
            "rank_of_first": exact.rank_ranges.loc[first, "best"],
            "rankings": len({tuple(orders[method]) for method in EQUATIONS.values()}),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _sizes(found: Analysis) -> Values:
    """Sections 1 to 3, Table 1, and the arithmetic of the prose."""
    tasks = found.tasks.loc[found.labels]
    wins = lopez2012.figure_2()
    by_equation_1 = score("wmt-official", Counts(wins, 0 * wins), reference=None)
    wmt11 = found.tasks.index[found.tasks["campaign"] == "wmt11"]
    pairs = sum(len(counting.to_table(found.counts[label])) for label in wmt11)
    shown = f"{pairs} distinct pairs of systems in the judgements, {2 * pairs} if counted both ways"
    return by_id("lopez2012", "table-1", lopez2012.table_1(found)) | {
        "L-1-02": math.factorial(10),
        "L-1-03": (tasks["systems"] >= 10).mean(),
        "L-1-04": math.factorial(20),
        "L-1-06": len(tasks),
        "L-2-09": math.comb(5, 2),
        "L-3-01": math.factorial(25),
        "L-3-02": tasks["systems"].max(),
        "L-F2-02": ", ".join(rank_by_score("Eq. 1", by_equation_1).order),
        "L-6-07": shown,
        "L-6-08": 0.01 * 2001,
        "released": int(found.tasks["campaign"].isin(["wmt10", "wmt11"]).sum()),
    }


def _totals(found: Analysis) -> Values:
    """Sections 5.1, 5.2 and 6: violated weights of all tasks."""
    methods = {"MFAS": "mfas", **EQUATIONS}  # as the paper names them
    weight = found.weights.loc[found.labels, [*methods.values()]].set_axis(
        [*methods], axis=1
    )
    total, shown = weight.sum(), weight[[*EQUATIONS]]
    acyclic = weight["MFAS"] == 0
    combination = found.tasks.loc[found.labels, "task"].str.endswith("syscomb")
    differ = shown[shown.nunique(axis=1) > 1]
    best_alone = {
        e: (differ[e] < differ.drop(columns=e).min(axis=1)).sum() for e in EQUATIONS
    }
    agreement = pd.DataFrame(
        {
            e: [
                mfas.spearman(found.orders[t][m], found.orders[t]["mfas"])
                for t in found.labels
            ]
            for e, m in EQUATIONS.items()
        }
    )
    return {
        "weight": weight,
        "total": total,
        "agreement": agreement.mean(),
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


def unfairness(found: Analysis) -> Values:
    """What the reference takes, and what ties give to systems that are alike.

    For each task of at least four systems. penalty: Spearman's correlation of a
    system's loss by Eq. 1 with its share of comparisons against the reference. gain:
    that of its share of ties with the ranks by which it stands higher by Eq. 1 than by
    Eq. 3, both without the reference. cohort: how often the pair ties that ties most,
    by how often all pairs do.
    """
    penalty, gain, cohort = {}, {}, {}
    for label in (
        label for label in found.labels if found.tasks.loc[label, "systems"] > 3
    ):
        every, counts = found.counts[label], found.machines(label)
        official, bojar = (
            score(m, counts, reference=None) for m in ("wmt-official", "bojar")
        )
        met = every.wins + every.wins.T + every.ties
        share = (met[REFERENCE] / met.sum(axis=1)).drop(REFERENCE)
        loss = official - found.scores[label]["wmt-official"]
        penalty[label] = share.rank().corr(loss.rank())
        met = met.drop(index=REFERENCE, columns=REFERENCE)
        share, gained = (
            counts.ties.sum(axis=1) / met.sum(axis=1),
            official.rank() - bojar.rank(),
        )
        gain[label] = share.rank().corr(gained.rank()) if gained.any() else 0.0
        of_pairs = (counts.ties / met.where(met > 0)).max(axis=None)
        cohort[label] = of_pairs / (counts.ties.sum(axis=None) / met.sum(axis=None))
    similar = {"gain": pd.Series(gain), "cohort": pd.Series(cohort)}
    return {"penalty": pd.Series(penalty), "L-3-10": similar}


def _online(found: Analysis, letter: str) -> list[bool]:
    """Is an online system, "onlineA" or "online-A", below the upper third by Eq. 1? By task."""
    lower = []
    for label in found.labels:
        ranked = found.orders[label]["wmt-official"]
        order = [system.replace("online-", "online") for system in ranked]
        if f"online{letter}" in order:
            lower.append(order.index(f"online{letter}") >= -(-len(order) // 3))
    return lower


def _english_czech(found: Analysis) -> Values:
    """Table 2 and what section 5.1 says of its task."""
    orders, weight = found.orders[ENGLISH_CZECH], found.weights.loc[ENGLISH_CZECH]
    systems = set(printed("table-2", "MFAS ranking").casefold().split(", "))
    [task] = [
        t
        for t in found.labels
        if {s.casefold() for s in found.orders[t]["mfas"]} == systems
    ]
    languages = task.split()[1]
    swapped = task.replace(languages, "-".join(languages.split("-")[::-1]))
    size = found.tasks.loc[swapped, "systems"]
    caption = {
        "the languages of the ten systems' task swapped": swapped.removesuffix(
            " individual"
        ),
        "the ten systems sought in the task of that name": f"it has {size} systems",
    }
    shown = ["wmt-official", "mfas", "bojar"]
    return {
        "L-T2-01": Different(task.removesuffix(" individual"), caption),
        "L-T2-02": ", ".join(orders["wmt-official"]),
        "L-T2-03": weight["wmt-official"],
        "L-T2-04": ", ".join(orders["mfas"]),
        "L-T2-05": weight["mfas"],
        "L-T2-06": ", ".join(orders["bojar"]),
        "L-T2-07": Different(
            weight["bojar"], _other_weights(found, ENGLISH_CZECH, "Eq. 3")
        ),
        "L-T2-08": (weight[shown] == 0).sum(),
        "L-5.1-05": {"violated": weight},
        "L-5.1-06": {"first": {e: orders[m][0] for e, m in EQUATIONS.items()}},
        "L-5.1-07": (found.machines(ENGLISH_CZECH).margins.loc["cu-marecek"] < 0).sum(),
    }


def _french_english(found: Analysis) -> Values:
    """Table 3 and what section 5.1 says of its task."""
    weight, machines = found.weights.loc[FRENCH_ENGLISH], found.machines(FRENCH_ENGLISH)
    orders, optimal = (
        found.orders[FRENCH_ENGLISH],
        found.solved[FRENCH_ENGLISH].optimal_orders,
    )
    edges, row = printed_edges(found, "table-3"), ids("lopez2012", "table-3")
    given: Values = {}
    for edge in edges.itertuples():
        note = f"of the order as printed; reversed in {edge.reversed_in} of the {optimal} optimal"
        name = f"{edge.winner} ≺ {edge.loser}".upper()
        given[row[f"violated edge {name}"]] = Noted(edge.weight, f"{note} orders")
    in_all, in_some = (
        (edges["reversed_in"] == which).sum() for which in ("all", "some")
    )
    note = f"of the order as printed; {in_all} are reversed in all {optimal} optimal orders,"
    others = {
        "the reference counted as a system": len(found.counts[FRENCH_ENGLISH].systems),
        "the largest task, 2010 German-English": found.tasks.loc[
            "2010 German-English", "systems"
        ],
        "rows of the left column of Table 3": len(printed_order(found, "table-3")),
    }
    combined = np.array([name.endswith("-combo") for name in machines.systems])
    met = (machines.wins + machines.wins.T + machines.ties).to_numpy()
    mixed = {"combined": combined, "least": met[np.ix_(combined, ~combined)].min()}
    eq_2, eq_3 = (
        _other_weights(found, FRENCH_ENGLISH, name) for name in ("Eq. 2", "Eq. 3")
    )
    return given | {
        "L-T3-26": Noted(len(edges), f"{note} {in_some} in some"),
        "L-T3-27": ", ".join(orders["wmt-official"]),
        "L-5.1-10": Different(found.tasks.loc[FRENCH_ENGLISH, "systems"], others),
        "L-5.1-11": mixed,
        "L-5.1-12": weight["mfas"],
        "L-5.1-13": weight["wmt-official"],
        "L-5.1-14": Different(weight["heuristic2"], eq_2),
        "L-5.1-15": Different(weight["bojar"], eq_3),
        "L-5.1-16": {
            "rank": {e: orders[m].index("onlineB") + 1 for e, m in EQUATIONS.items()}
        },
        "L-5.1-17": (machines.margins["onlineB"] > 0).sum(),
        "L-5.1-18": machines.margins.loc["lium", "onlineB"],
    }


def _other_weights(found: Analysis, label: str, equation: str) -> dict[str, int]:
    """Violated weights that may have been printed in place of an equation's.

    Those of the other equations, and of this one (2 or 3) where comparisons with the
    reference count for its scores.
    """
    weight, wins = found.weights.loc[label], found.machines(label).wins
    others = {
        f"the order by {name}": int(weight[m])
        for name, m in EQUATIONS.items()
        if name != equation
    }
    method, named = (
        EQUATIONS[equation],
        "with the comparisons against the reference counted",
    )
    scores = score(method, found.counts[label], reference=None)  # one system more
    order = [name for name in rank_by_score(method, scores).order if name != REFERENCE]
    return others | {f"{equation} {named}": mfas.violated_weight(order, wins)}


def _tunable(found: Analysis) -> Values:
    """Table 4 and what section 5.2 says of its task."""
    order, edges = printed_order(found, "table-4"), printed_edges(found, "table-4")
    official, heuristic, bojar = (
        found.orders[TUNABLE_METRICS][m] for m in EQUATIONS.values()
    )
    without = score("wmt-official", found.machines(TUNABLE_METRICS), reference=None)
    rho = lopez2012.correlations(found)
    as_printed, other, ninth = (rho[name] for name in rho)
    mechanisms = {
        "Eq. 3 with the printed MFAS order": as_printed["Eq. 3"],
        "Eq. 1 with the reference as a ninth item, first in both": ninth["Eq. 1"],
        "Eq. 1 with the optimal order that is first by name": other["Eq. 1"],
        "Eq. 1 without the comparisons against the reference": mfas.spearman(
            rank_by_score("wmt-official", without).order, order
        ),
        "Eq. 2 with the printed MFAS order": as_printed["Eq. 2"],
        "Eq. 1 with Eq. 3": mfas.spearman(official, bojar),
        "Kendall's tau of Eq. 1": float(
            tau(np.arange(len(order)), np.array([*map(order.index, official)]))
        ),
    }
    note = (
        f"with the printed MFAS order; with the one first by name {other['Eq. 2']:.3f}"
    )
    in_all = (edges["reversed_in"] == "all").sum()
    listed = ", ".join(edges["winner"] + " ≺ " + edges["loser"]).upper()
    listed_note = (
        f"of the order as printed; {in_all} are reversed in all optimal orders"
    )
    return {
        "rho": as_printed,
        "tunable": found.weights.loc[TUNABLE_METRICS, [*EQUATIONS.values()]].set_axis(
            [*EQUATIONS]
        ),
        "L-T4-02": ", ".join(heuristic),
        "L-T4-04": found.solved[TUNABLE_METRICS].cost,
        "L-T4-05": Noted(listed, listed_note),
        "L-T4-06": found.weights.loc[TUNABLE_METRICS, "heuristic2"],
        "L-5.2-09": Noted(as_printed["Eq. 2"], note),
        "L-5.2-10": Different(as_printed["Eq. 1"], mechanisms),
        "L-5.2-12": mfas.spearman(official, heuristic),
        "L-5.2-15": Different(
            "Table 4", {"the word for a figure, the number of a table": "Figure 4"}
        ),
    }


def _printed_orders(found: Analysis) -> Values:
    """Tables 3 and 4: are the printed MFAS orders among the optimal ones?"""
    given: Values = {}
    for item, label in lopez2012.PRINTED_MFAS.items():
        exact, order = found.solved[label], printed_order(found, item)
        violated = mfas.violated_weight(order, found.machines(label).wins)
        facts = {
            "violated": violated,
            "least": exact.lower_bound,
            "number": exact.optimal_orders,
        }
        given[ids("lopez2012", item)["MFAS ranking"]] = facts
    return given | {
        "L-T4-03": {**facts, "note": "it is optimal" * (violated == exact.cost)}
    }


def _samples(
    found: Analysis, assessments: pd.DataFrame, screens: pd.DataFrame
) -> Values:
    """Sections 2, 3 and 6, Figure 1: what needs single rankings."""
    figure_1 = lopez2012.find_assessment(assessments, lopez2012.FIGURE_1)
    listed = (
        figure_1["system"].astype(str).str.upper() + " " + figure_1["rank"].astype(str)
    )
    judges = screens.groupby(["label", "segment", "shown"])["judge"].nunique()
    again = screens.duplicated(["label", "segment", "shown", "judge"]).sum()
    compared = screens["ranked"] * (screens["ranked"] - 1) // 2
    of_three = compared[screens["ranked"] >= 3].sum()
    sentences = lopez2012.pair_sentences(assessments)
    gaps, improved = (
        lopez2012.tasks_with_gaps(assessments, sentences),
        _improved(sentences),
    )
    one_site = lopez2012.covariance(sentences).set_index("site")["correlation"]
    judged = lopez2012.judges_of_tasks(assessments)
    return {
        "L-2-01": screens["outputs"].max(),
        "L-2-03": {"gaps": gaps, "tasks": len(found.labels)},
        "L-2-04": math.gcd(*lopez2012.run_lengths(screens).index),
        "L-2-05": {"again": again, "shared": (judges > 1).sum()},
        "L-F1-01": ", ".join(figure_1["label"].unique()),
        "L-F1-02": ", ".join(listed),
        "L-F1-03": ", ".join(lopez2012.implied_comparisons(figure_1)),
        "L-3-08": {"pair": lopez2012.overlap(assessments, found.counts)},
        "L-6-02": {"of_three": of_three, "comparisons": compared.sum()},
        "L-6-04": {"repeats": screens["repeat"].sum(), "assessments": len(screens)},
        "L-6-05": {"alike": one_site[True], "others": one_site[False]},
        "L-6-14": {"doubtful": judged["doubtful"].astype(bool), "high": judged["high"]},
        "L-6-15": improved,
    }


def _improved(sentences: pd.DataFrame) -> Values:
    """Sentences of improvement: the largest number by the smallest (at least 1), by task; fewer?"""
    pairs = lopez2012.sentences_of_improvement(sentences)
    by_task = pairs["improved"].groupby("label")
    factor = by_task.max() / by_task.min().clip(lower=1)
    return {"factor": factor, "fewer": pairs["improved"] < pairs["comparisons"]}
