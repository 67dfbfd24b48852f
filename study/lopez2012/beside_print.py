"""Lopez (2012): our values beside the printed ones, and the facts behind its claims.

The criteria of the claims are in data/published/lopez2012.csv, as words and as tests
over the facts given here. The MFAS orders of Tables 3 and 4 are read from the
print where a row is about the printed order; what is then said of it is computed from
the judgements.
"""

import math

import numpy as np
import pandas as pd
from scipy import stats

from study import lopez2012
from study.lopez2012 import (
    ENGLISH_CZECH,
    EQUATIONS,
    FRENCH_ENGLISH,
    TUNABLE_METRICS,
    Analysis,
    printed,
    printed_edges,
    printed_order,
)
from study.scoreboard.published import by_id, ids
from study.scoreboard.verdicts import Different, Facts, Noted, Values
from wmtlib import mfas
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import REFERENCE, Counts, comparisons
from wmtlib.core.ranking import distance, tau
from wmtlib.methods import rank, score
from wmtlib.mfas import MFAS
from wmtlib.reliability import judges

# Of our methods in the paper.
NAMES = {method: name for name, method in EQUATIONS.items()} | {"mfas": "MFAS"}


def of_tournaments(analysis: Analysis, assessments: pd.DataFrame | None) -> Values:
    """Compute values of sections 1 to 4, for notebook 10.

    Parameters
    ----------
    analysis : Analysis
    assessments : DataFrame or None
        What `lopez2012.load_task_rankings` gives; None leaves out what needs them.
    """
    tasks = analysis.tasks.loc[analysis.labels]
    wins = lopez2012.figure_2()
    official = analysis.rankings.query("method == 'wmt-official'")
    official = official[official["label"].isin(analysis.labels)]
    by_task = official.groupby("label")["system"]
    is_lower = by_task.cumcount() >= np.ceil(by_task.transform("size") / 3)
    name = official["system"].str.replace("-", "")
    values: Values = {
        "task": describe_tasks(analysis),
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
        **unfairness(analysis),
        "L-3-11": online_penalty(analysis),
    }
    if assessments is None:
        return values
    _, figure_1 = lopez2012.figure_1(assessments)
    shown = figure_1["system"].str.upper() + " " + figure_1["rank"].astype(str)
    screens = lopez2012.screens(assessments)
    sample = ["label", "segment", "shown"]
    ranked = lopez2012.ranked_systems(assessments)
    sentences = lopez2012.pair_sentences(lopez2012.sides(comparisons(ranked)))
    # Comparisons of two systems on a sentence, from the side of each, if all there are.
    sizes = ranked.groupby("label", observed=True)[["system", "segment"]].nunique()
    complete = sizes["segment"] * sizes["system"] * (sizes["system"] - 1)
    gaps = sentences.groupby("label").size() < complete
    return values | {
        "L-2-01": screens["outputs"].max(),
        "L-2-03": {"gaps": gaps.sum(), "tasks": len(gaps)},
        "L-2-04": math.gcd(*lopez2012.run_lengths(screens).index),
        "again": screens.duplicated([*sample, "judge"]).sum(),
        "shared": (screens.groupby(sample)["judge"].nunique() > 1).sum(),
        "L-F1-01": ", ".join(figure_1["label"].unique()),
        "L-F1-02": ", ".join(shown),
        "L-F1-03": ", ".join(lopez2012.implied_comparisons(figure_1)),
        "pair": lopez2012.overlap(ranked, analysis.counts),
    }


def of_all_tasks(
    analysis: Analysis, assessments: pd.DataFrame | None, documents: pd.Series | None
) -> Values:
    """Compute values of the abstract, sections 5, 6 and the tables, for notebook 12.

    Parameters
    ----------
    analysis : Analysis
    assessments : DataFrame or None
        What `lopez2012.load_task_rankings` gives; None leaves out what needs them.
    documents : Series or None
        What `ranking_releases.load_documents` gives, where there are assessments.
    """
    task = describe_tasks(analysis)
    tests = lopez2012.sign_tests(analysis)
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
        **by_id("lopez2012", "table-1", lopez2012.table_1(analysis)),
        **_totals(analysis),
        **_english_czech(analysis),
        **_french_english(analysis),
        **_tunable(analysis),
    }
    if assessments is not None and documents is not None:
        values |= _of_single_rankings(assessments, documents)
    return values


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
            "largest_p": lopez2012.sign_test(np.diag(wins, 1), np.diag(wins, -1)).max(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _totals(analysis: Analysis) -> Values:
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
        label: lopez2012.method_places(analysis, label).corr()["mfas"]
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


def unfairness(analysis: Analysis) -> Values:
    """Compute what the reference takes, and what ties give to systems that are alike.

    For each task of at least four systems. penalty: Spearman's correlation of a
    system's loss by Eq. 1 with its share of comparisons against the reference. gain:
    that of its share of ties with the ranks by which it is higher by Eq. 1 than by
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
        loss = official - score("wmt-official", counts, reference=REFERENCE)
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


def online_penalty(analysis: Analysis) -> Values:
    """Compute what Equation 3 owes to meeting ONLINEA and ONLINEB more or less often.

    A system that won the share b of its decided comparisons with the two and o of the
    others, a share e of all being with the two, has the score e b + (1 - e) o. Equal
    exposure puts the task's share, of all other systems together, in the place of e.

    Returns
    -------
    dict
        turned: share of pairs of the other systems that change places, by task. lost:
        by how much a score is below that of equal exposure, in standard errors.
    """
    turned = []
    lost = []
    for label in analysis.labels:
        wins = analysis.machines(label).wins
        decided = wins + wins.T
        strong = wins.index.str.fullmatch("online-?[AB]")
        if not strong.any():
            continue
        rest = ~strong
        met = decided.loc[rest, strong].sum(axis=1)
        number = decided.loc[rest].sum(axis=1)
        against = wins.loc[rest, strong].sum(axis=1) / met
        others = wins.loc[rest, rest].sum(axis=1) / (number - met)
        score_now = wins.loc[rest].sum(axis=1) / number
        exposure = met.sum() / number.sum()
        equal = (exposure * against + (1 - exposure) * others).fillna(score_now)
        turned.append(distance(score_now.to_numpy(), equal.to_numpy()))
        error = np.sqrt(score_now * (1 - score_now) / number)
        lost.append((equal - score_now) / error)
    return {"turned": np.array(turned), "lost": pd.concat(lost)}


def _english_czech(analysis: Analysis) -> Values:
    """Compute values of Table 2 and of what section 5.1 says of its task."""
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
        "violated": weight,
        "first": pd.Series(orders).str[0].rename(NAMES),
        "L-5.1-07": (
            analysis.machines(ENGLISH_CZECH).margins.loc["cu-marecek"] < 0
        ).sum(),
    }


def _french_english(analysis: Analysis) -> Values:
    """Compute values of Table 3 and of what section 5.1 says of its task."""
    machines = analysis.machines(FRENCH_ENGLISH)
    weight = analysis.weights.loc[FRENCH_ENGLISH]
    orders = analysis.orders[FRENCH_ENGLISH]
    systems = analysis.tasks["systems"]
    exact = analysis.solved[FRENCH_ENGLISH]
    optimal = exact.optimal_orders
    edges = printed_edges(analysis, "table-3")
    row = ids("lopez2012", "table-3")
    values: Values = {}
    for edge in edges.itertuples():
        name = f"violated edge {edge.winner.upper()} ≺ {edge.loser.upper()}"
        note = f"reversed in {edge.reversed_in} of the {optimal} optimal orders"
        values[row[name]] = Noted(edge.weight, f"of the order as printed; {note}")
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
    places = lopez2012.method_places(analysis, FRENCH_ENGLISH)
    return values | {
        "L-T3-01": _proof(edges, exact),
        "L-T3-26": Noted(len(edges), note),
        "L-T3-27": ", ".join(orders["wmt-official"]),
        "L-5.1-10": Different(systems[FRENCH_ENGLISH], other_sizes),
        "combined": combined,
        "least": met.loc[combined, ~combined].min(axis=None),
        "L-5.1-12": weight["mfas"],
        "L-5.1-13": weight["wmt-official"],
        "L-5.1-14": Different(weight["heuristic2"], instead_of_2),
        "L-5.1-15": Different(weight["bojar"], instead_of_3),
        "rank": places.loc["onlineB"].rename(NAMES),
        "L-5.1-17": (machines.margins["onlineB"] > 0).sum(),
        "L-5.1-18": machines.margins.loc["lium", "onlineB"],
    }


def _other_weights(analysis: Analysis, label: str, equation: str) -> dict[str, int]:
    """List violated weights that may have been printed in place of an equation's.

    Those of the other equations, and of this one (2 or 3) where comparisons with the
    reference count for its scores.
    """
    others = analysis.weights.loc[label].rename(NAMES).drop([equation, "MFAS"])
    weights = {f"the order by {name}": weight for name, weight in others.items()}
    # The reference is one system more here.
    ranking = rank(analysis.counts[label], EQUATIONS[equation])
    order = [name for name in ranking.order if name != REFERENCE]
    named = f"{equation} with the comparisons against the reference counted"
    weights[named] = mfas.violated_weight(order, analysis.machines(label).wins)
    return weights


def _tunable(analysis: Analysis) -> Values:
    """Compute values of Table 4 and of what section 5.2 says of its task."""
    order = printed_order(analysis, "table-4")
    edges = printed_edges(analysis, "table-4")
    weight = analysis.weights.loc[TUNABLE_METRICS]
    orders = analysis.orders[TUNABLE_METRICS]
    without_reference = rank(analysis.machines(TUNABLE_METRICS), "wmt-official").order
    places = lopez2012.method_places(analysis, TUNABLE_METRICS)
    of_methods = places.corr()["wmt-official"]
    official = places.loc[order, "wmt-official"].to_numpy()
    rho = lopez2012.correlations(analysis)
    as_printed = rho["with the printed order"]
    other = rho["with the other"]
    ninth = rho["reference as a ninth item"]
    mechanisms = {
        "Eq. 3 with the printed MFAS order": as_printed["Eq. 3"],
        "Eq. 1 with the reference as a ninth item, first in both": ninth["Eq. 1"],
        "Eq. 1 with the optimal order that is first by name": other["Eq. 1"],
        "Eq. 1 without the comparisons against the reference": lopez2012.spearman(
            without_reference, order
        ),
        "Eq. 2 with the printed MFAS order": as_printed["Eq. 2"],
        "Eq. 1 with Eq. 3": of_methods["bojar"],
        "Kendall's tau of Eq. 1": float(tau(np.arange(len(order)), official)),
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
    proof = _proof(edges, analysis.solved[TUNABLE_METRICS])
    remark = "it is optimal" if proof["violated"] == proof["least"] else ""
    return {
        "rho": as_printed,
        "tunable": weight.rename(NAMES)[[*EQUATIONS]],
        "L-T4-02": ", ".join(orders["heuristic2"]),
        "L-T4-01": proof,
        "L-T4-03": {**proof, "note": remark},
        "L-T4-04": analysis.solved[TUNABLE_METRICS].cost,
        "L-T4-05": Noted(listed, listed_note),
        "L-T4-06": weight["heuristic2"],
        "L-5.2-09": Noted(as_printed["Eq. 2"], note),
        "L-5.2-10": Different(as_printed["Eq. 1"], mechanisms),
        "L-5.2-12": of_methods["heuristic2"],
        "L-5.2-15": Different("Table 4", slip),
    }


def _proof(edges: pd.DataFrame, exact: MFAS) -> Facts:
    """Compare the weight of violated edges with the least, for the MFAS orders."""
    return {
        "violated": edges["weight"].sum(),
        "least": exact.lower_bound,
        "number": exact.optimal_orders,
    }


def _of_single_rankings(assessments: pd.DataFrame, documents: pd.Series) -> Values:
    """Compute values of section 6 that need single rankings."""
    screens = lopez2012.screens(assessments)
    ranked = screens["ranked"]
    pairs = ranked * (ranked - 1) // 2
    of_wmt10 = screens[screens["label"].astype(str).str.startswith("2010")]
    of_wmt10 = of_wmt10.assign(document=of_wmt10["segment"].map(documents))
    spread = of_wmt10.groupby(["run", "sample"])["document"].nunique()
    compared = comparisons(lopez2012.ranked_systems(assessments))
    sides = lopez2012.sides(compared)
    p = lopez2012.document_effects(sides, of_wmt10["sample"], documents)
    sentences = lopez2012.pair_sentences(sides)
    correlations = lopez2012.covariance(sentences).groupby("site")["correlation"]
    # Each judge beside the others of the task; those with a verdict.
    judged = pd.concat(
        judges(rows.drop(columns="label")).table
        for _, rows in compared.groupby("label", observed=True)
    ).dropna(subset="reliability")
    reversed_order = judged["high"] < 0.5
    improved = lopez2012.sentences_of_improvement(sentences)
    by_task = improved["improved"].groupby("label")
    return {
        "of_three": pairs[ranked >= 3].sum(),
        "comparisons": pairs.sum(),
        "within": (spread == 1).sum(),
        "samples": len(spread),
        "repeats": screens["repeat"].sum(),
        "assessments": len(screens),
        "by_chance": lopez2012.repeats_by_chance(assessments, screens),
        "alike": correlations.get_group(True),
        "others": correlations.get_group(False),
        "L-6-13": {"p": p, "holm": corrected(p, "holm")},
        "doubtful": judged["doubtful"],
        "reversed": reversed_order,
        "p_doubtful": _above_chance(judged["doubtful"]),
        "p_reversed": _above_chance(reversed_order),
        # the most sentences of improvement of a pair by the fewest
        "factor": by_task.max() / by_task.min().clip(lower=1),
        "fewer": improved["improved"] < improved["met"],
    }


def _above_chance(outside: pd.Series) -> float:
    """Compute the binomial p of so many 95 % intervals that end below a true value."""
    return stats.binom.sf(outside.sum() - 1, len(outside), 0.025)
