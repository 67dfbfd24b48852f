"""Tables 1 to 4 (Lopez 2012), and what section 5 says of the tasks that they show.

The MFAS orders of Tables 3 and 4 are read from the print where a row is about the
printed order; what is then said of it is computed from the judgements.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from study.lopez2012 import EQUATIONS, NAMES, Analysis
from study.lopez2012.section_5 import method_places
from study.scoreboard.published import beside as published_beside
from study.scoreboard.published import ids, load_published
from study.scoreboard.verdicts import Different, Facts, Noted, Values
from study.statistics import tau
from wmtlib import mfas
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.methods import rank
from wmtlib.mfas import MFAS

ENGLISH_CZECH = "2011 English-Czech individual"  # Table 2
FRENCH_ENGLISH = "2010 French-English"  # Table 3
TUNABLE_METRICS = "2011 Urdu-English tunable metrics"  # Table 4
PRINTED_MFAS = {"table-3": FRENCH_ENGLISH, "table-4": TUNABLE_METRICS}
# The task of Tables 2 and 4, and what they call our methods. Table 2 lacks Equation 2.
RANKINGS_PRINTED = {
    "table-2": (
        ENGLISH_CZECH,
        {
            "wmt-official": "WMT-OFFICIAL",
            "mfas": "MFAS",
            "bojar": "BOJAR",
            "heuristic2": "",
        },
    ),
    "table-4": (TUNABLE_METRICS, {"mfas": "MFAS", "heuristic2": "HEURISTIC 2"}),
}


def printed(item: str, quantity: str) -> str:
    """Look up what the paper prints, as data/published/lopez2012.csv has it."""
    rows = load_published("lopez2012").query("item == @item and quantity == @quantity")
    return rows["published"].item()


def printed_order(analysis: Analysis, item: str) -> list[str]:
    """Return the MFAS ranking that a table prints, in the names of the data."""
    systems = analysis.orders[PRINTED_MFAS[item]]["mfas"]
    by_printed_name = {name.upper(): name for name in systems}
    return [by_printed_name[name] for name in printed(item, "MFAS ranking").split(", ")]


def printed_edges(analysis: Analysis, item: str) -> pd.DataFrame:
    """List the edges that the MFAS ranking printed in a table reverses.

    Returns
    -------
    DataFrame
        winner, loser, weight; reversed_in: "all", "some" or "none" of the optimal
        orders.
    """
    label = PRINTED_MFAS[item]
    edges = mfas.violated(analysis.machines(label).wins, printed_order(analysis, item))
    agreed = analysis.solved[label].agreed
    assert agreed is not None  # it has optimal orders
    above = agreed.stack()
    # An order reverses an edge if it puts the loser above the winner.
    in_all = above[[*zip(edges["loser"], edges["winner"], strict=True)]]
    in_none = above[[*zip(edges["winner"], edges["loser"], strict=True)]]
    reversed_in = np.select([in_all, in_none], ["all", "none"], "some")
    return edges.assign(reversed_in=reversed_in)


def rankings_beside(analysis: Analysis, item: str) -> pd.DataFrame:
    """Tabulate rankings of "table-2" or "table-4", as printed and ours.

    A column for each ranking of ours, after that as printed (under its name in the
    print).
    """
    label, names = RANKINGS_PRINTED[item]
    columns = {}
    for method, name in names.items():
        order = analysis.orders[label][method]
        columns[method] = [*order, analysis.weights.loc[label, method]]
        if name:
            printed_ranking = printed(item, f"{name} ranking").split(", ")
            weight = printed(item, f"{name} violated weight")
            columns[f"{name} as printed"] = [*printed_ranking, weight]
    ranks = [*range(1, len(order) + 1), "violated weight"]
    return pd.DataFrame(columns, ranks).rename_axis("rank")


def in_print_order(beside: pd.DataFrame) -> pd.DataFrame:
    """Group a table of `rankings_beside` by the methods that the print has.

    Columns are (the method's printed name and equation, "ours" or "printed").
    """
    columns = {}
    for place, column in enumerate(beside):
        name = str(column).removesuffix(" as printed")
        if name != column:
            method = beside.columns[place - 1]
            equation = "" if method == "mfas" else f" ({NAMES[method]})"
            columns[name + equation, "ours"] = beside[method]
            columns[name + equation, "printed"] = beside[column]
    return pd.DataFrame(columns)


# --- Table 1 --------------------------------------------------------------------------


def table_1(analysis: Analysis) -> pd.DataFrame:
    """Tabulate #sys (without the reference) and #pairs (with it) of the 25 tasks."""
    sizes = analysis.tasks.loc[analysis.labels, ["systems", "comparisons"]]
    return sizes.set_axis(["#sys", "#pairs"], axis=1)


def table_1_by_languages(analysis: Analysis) -> pd.DataFrame:
    """Fold Table 1 to a row for each language pair, a column for each kind of task.

    A number that is not the printed one is followed by that in brackets. What was not a
    task is empty.
    """
    beside = published_beside("lopez2012", "table-1", table_1(analysis))
    cells = {}
    for label, row in beside.iterrows():
        year, languages, *kind = str(label).split(" ", 2)
        heading = " ".join([year, *kind]).replace("tunable metrics", "individual")
        where = (
            f"{languages}, tunable metrics" if "tunable metrics" in kind else languages
        )
        for column in ("#sys", "#pairs"):
            ours, print_has = str(row[column]), row[f"{column} printed"]
            differs = "" if ours == print_has else f" ({print_has})"
            cells[where, heading, column] = ours + differs
    table = pd.Series(cells).unstack([1, 2]).fillna("")
    return table.rename_axis("languages").rename_axis((None, None), axis=1)


# --- Table 2: 2011 English-Czech ------------------------------------------------------


def table_2_values(analysis: Analysis) -> Values:
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


# --- Table 3: 2010 French-English -----------------------------------------------------


def table_3_equal(analysis: Analysis) -> str:
    """Say how much of Table 3 comes out as printed: edges, weights, and Eq. 1's order.

    The edges are those that the printed MFAS order violates in our counts.
    """
    prefix = "violated edge "
    rows = load_published("lopez2012").query("item == 'table-3'")
    rows = rows[rows["quantity"].str.startswith(prefix)]
    weights = dict(zip(rows["quantity"], rows["published"], strict=True))
    edges = printed_edges(analysis, "table-3")
    names = prefix + edges["winner"].str.upper() + " ≺ " + edges["loser"].str.upper()
    ours = dict(zip(names, edges["weight"].astype(str), strict=True))
    equal = sum(weights.get(name) == weight for name, weight in ours.items())
    official = printed("table-3", "WMT-OFFICIAL ranking").casefold().split(", ")
    order = [
        name.casefold() for name in analysis.orders[FRENCH_ENGLISH]["wmt-official"]
    ]
    at_rank = sum(a == b for a, b in zip(official, order, strict=True))
    return (
        f"violated edges with the printed weight: {equal} of {len(weights)};"
        f" ranks by Eq. 1 as printed: {at_rank} of {len(order)}"
    )


def table_3_values(analysis: Analysis) -> Values:
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
    places = method_places(analysis, FRENCH_ENGLISH)
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


# --- Table 4: the tunable metrics of 2011 ---------------------------------------------


def tie_shares(counts: Counts) -> pd.Series:
    """Compute the share of each system's comparisons that are ties."""
    met = counts.wins + counts.wins.T + counts.ties
    return counts.ties.sum() / met.sum()


def correlations(analysis: Analysis) -> pd.DataFrame:
    """Correlate Equations 1-3 with MFAS orders of the tunable metrics (section 5.2).

    Returns
    -------
    DataFrame, Equations 1-3 as rows
        "with the printed order", "with the other" (the optimal order that is first by
        name), and "reference as a ninth item": with the printed one, the reference
        first in both rankings.
    """
    order = printed_order(analysis, "table-4")
    ranks = pd.Series(range(1, len(order) + 1), order, name="printed")
    places = method_places(analysis, TUNABLE_METRICS).join(ranks)
    nine_items = places.T.assign(reference=0).T
    table = {
        "with the printed order": places.corr()["printed"],
        "with the other": places.corr()["mfas"],
        "reference as a ninth item": nine_items.corr()["printed"],
    }
    return pd.DataFrame(table).loc[[*EQUATIONS.values()]].set_axis([*EQUATIONS])


def spearman(order: Sequence[str], other: Sequence[str]) -> float:
    """Compute Spearman's correlation of two orders of the same systems (no ties)."""
    places = [other.index(name) for name in order]
    return float(spearmanr(range(len(order)), places).statistic)


def table_4_values(analysis: Analysis) -> Values:
    """Compute values of Table 4 and of what section 5.2 says of its task."""
    order = printed_order(analysis, "table-4")
    edges = printed_edges(analysis, "table-4")
    weight = analysis.weights.loc[TUNABLE_METRICS]
    orders = analysis.orders[TUNABLE_METRICS]
    without_reference = rank(analysis.machines(TUNABLE_METRICS), "wmt-official").order
    places = method_places(analysis, TUNABLE_METRICS)
    of_methods = places.corr()["wmt-official"]
    official = places.loc[order, "wmt-official"].to_numpy()
    rho = correlations(analysis)
    as_printed = rho["with the printed order"]
    other = rho["with the other"]
    ninth = rho["reference as a ninth item"]
    mechanisms = {
        "Eq. 3 with the printed MFAS order": as_printed["Eq. 3"],
        "Eq. 1 with the reference as a ninth item, first in both": ninth["Eq. 1"],
        "Eq. 1 with the optimal order that is first by name": other["Eq. 1"],
        "Eq. 1 without the comparisons against the reference": spearman(
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


# --- of several tables ----------------------------------------------------------------


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
    weights[named] = mfas.violated_weight(analysis.machines(label).wins, order)
    return weights


def _proof(edges: pd.DataFrame, exact: MFAS) -> Facts:
    """Compare the weight of violated edges with the least, for the MFAS orders."""
    return {
        "violated": edges["weight"].sum(),
        "least": exact.lower_bound,
        "number": exact.optimal_orders,
    }
