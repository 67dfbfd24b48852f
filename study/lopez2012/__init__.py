"""Lopez (2012): its tasks ranked in four ways, its tables, and its examples by hand.

`analyse` does everything that counts of wins and ties allow. What needs single rankings
starts from `load_task_rankings`. The values beside the printed ones are in
`beside_print`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from scipy.special import comb
from scipy.stats import spearmanr

from study.data import ranking_releases
from study.data.sources import Source
from study.scoreboard.published import load_published
from wmtlib import mfas
from wmtlib.core.corrections import CORRECTIONS, corrected
from wmtlib.core.counts import (
    RANKINGS,
    REFERENCE,
    UNRANKED,
    Counts,
    comparisons,
    to_table,
)
from wmtlib.core.errors import DataError
from wmtlib.core.ranking import rank_by_score
from wmtlib.methods import score
from wmtlib.mfas import MFAS

EQUATIONS = {"Eq. 1": "wmt-official", "Eq. 2": "heuristic2", "Eq. 3": "bojar"}
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
FIGURE_1 = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
MOST_BY_HAND = 8  # up to which tables can be followed by hand
PAIR = ["label", "system", "other"]
DEALS, SEED = 999, 2012  # of documents to samples, section 6
FEWEST_SENTENCES = 20  # for a correlation of two systems
NO_SITES = "syscomb|tunable"  # tasks whose systems are not of one site each


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
        weights[label] = {k: mfas.violated_weight(o, wins) for k, o in order.items()}
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


# --- tables ---------------------------------------------------------------------------


def task_overview(analysis: Analysis) -> pd.DataFrame:
    """Tabulate the violated weights of every task, and what its optima leave open.

    Returns
    -------
    DataFrame
        Indexed by label: systems, the four methods, lower_bound (proven),
        optimal_orders, movable_systems (rank differs between optimal orders),
        agreed_pairs (ordered the same way in all of them).
    """
    optimal = analysis.rankings.query("method == 'mfas'")
    movable = optimal["best"] < optimal["worst"]
    solved = analysis.solved.values()
    agreed = [exact.agreed for exact in solved if exact.agreed is not None]
    assert len(agreed) == len(solved)  # all have optimal orders
    overview = analysis.tasks[["systems"]].join(analysis.weights)
    return overview.assign(
        lower_bound=[exact.lower_bound for exact in solved],
        optimal_orders=[exact.optimal_orders for exact in solved],
        movable_systems=movable.groupby(optimal["label"]).sum(),
        agreed_pairs=[pairs.to_numpy().sum() for pairs in agreed],
    )


def table_1(analysis: Analysis) -> pd.DataFrame:
    """Tabulate #sys (without the reference) and #pairs (with it) of the 25 tasks."""
    sizes = analysis.tasks.loc[analysis.labels, ["systems", "comparisons"]]
    return sizes.set_axis(["#sys", "#pairs"], axis=1)


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
    edges = mfas.violated(printed_order(analysis, item), analysis.machines(label).wins)
    agreed = analysis.solved[label].agreed
    assert agreed is not None  # it has optimal orders
    above = agreed.stack()
    # An order reverses an edge if it puts the loser above the winner.
    in_all = above[[*zip(edges["loser"], edges["winner"], strict=True)]]
    in_none = above[[*zip(edges["winner"], edges["loser"], strict=True)]]
    reversed_in = np.select([in_all, in_none], ["all", "none"], "some")
    return edges.assign(reversed_in=reversed_in)


def table_3(analysis: Analysis) -> pd.DataFrame:
    """Tabulate Table 3: MFAS as printed, then ours and those of Equations 1 to 3."""
    orders = analysis.orders[FRENCH_ENGLISH]
    table = pd.DataFrame(
        {
            "mfas as printed": printed_order(analysis, "table-3"),
            "mfas": orders["mfas"],
            **orders,
        }
    )
    return table.set_axis(table.index + 1).rename_axis("rank")


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


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Test wins against losses: exact two-sided binomial p, both equally likely.

    NaN where there is neither a win nor a loss.

    >>> sign_test(np.array([5, 3]), np.array([0, 3])).tolist()
    [0.0625, 1.0]
    """
    total = np.add(wins, losses)
    fewer = np.minimum(wins, losses).astype(float)
    p = np.minimum(1.0, 2 * scipy.special.bdtr(fewer, total.astype(int), 0.5))
    return np.where(total > 0, p, np.nan)


def sign_tests(analysis: Analysis) -> pd.DataFrame:
    """Test every pair of systems that WMT11 compared by a sign test (section 6).

    The reference is one of the systems.

    Returns
    -------
    DataFrame
        label, system_1, system_2, wins_1, wins_2, ties; p, and p corrected for the
        number of pairs by each method of `corrections.CORRECTIONS`.
    """
    wmt11 = analysis.tasks.index[analysis.tasks["campaign"] == "wmt11"]
    pairs = [to_table(analysis.counts[t]).assign(label=t) for t in wmt11]
    table = pd.concat(pairs, ignore_index=True)
    p = sign_test(table["wins_1"], table["wins_2"])
    return table.assign(p=p, **{name: corrected(p, name) for name in CORRECTIONS[:2]})


def method_places(analysis: Analysis, label: str) -> pd.DataFrame:
    """Tabulate places of systems (in MFAS order) by method (columns), 1 = best."""
    orders = analysis.orders[label]
    places = {m: pd.Series(range(1, len(o) + 1), o) for m, o in orders.items()}
    return pd.DataFrame(places).loc[orders["mfas"]]


def spearman(order: Sequence[str], other: Sequence[str]) -> float:
    """Compute Spearman's correlation of two orders of the same systems (no ties)."""
    places = [other.index(name) for name in order]
    return float(spearmanr(range(len(order)), places).statistic)


# --- sections 2 and 3, from single rankings -------------------------------------------


def load_task_rankings(source: Source) -> pd.DataFrame | None:
    """Load all rankings of the paper's 25 tasks; None if the source has counts only.

    Returns
    -------
    DataFrame
        `counts.RANKINGS` and `label`, the task's name in Table 1; rankings numbered
        through both campaigns.
    """
    if source.kind != "raw":
        return None
    campaigns = [
        ranking_releases.load_rankings(campaign, source=source).assign(
            campaign=campaign
        )
        for campaign in ("wmt10", "wmt11")
    ]
    table = pd.concat(campaigns)
    table = table[~table["task"].str.startswith("ht-")]
    table["ranking"] = table.groupby(["campaign", "ranking"]).ngroup()
    tasks = table.groupby(["campaign", "task"])
    table["label"] = tasks["task"].transform(
        lambda task: ranking_releases.label(*task.name)
    )
    return table[[*RANKINGS, "label"]].astype({"label": "category"})


def figure_1(assessments: pd.DataFrame | None) -> tuple[str, pd.DataFrame]:
    """Find the assessment of Figure 1: the place where it is, and its rows.

    The rows are as printed where single rankings are not at hand.
    """
    if assessments is None:
        where = "as printed; the embedded data hold counts only, no single rankings"
        rows = pd.DataFrame(FIGURE_1.items(), columns=["system", "rank"])
        return where, rows.assign(ranking=0)
    # Assessments that gave exactly these ranks to exactly these systems.
    as_printed = assessments["system"].map(FIGURE_1) == assessments["rank"]
    by_ranking = as_printed.groupby(assessments["ranking"])
    is_whole = by_ranking.transform("size") == len(FIGURE_1)
    rows = assessments[is_whole & by_ranking.transform("all")]
    places = rows["label"].astype(str) + ", sentence " + rows["segment"].astype(str)
    number = rows["ranking"].nunique()
    times = "once" if number == 1 else f"{number} times"
    where = f"found {times}: {'; '.join(places.unique())}"
    return where, rows.sort_values(["ranking", "rank", "system"])


def implied_comparisons(assessment: pd.DataFrame) -> list[str]:
    """List the comparisons that one assessment implies, as Figure 1 writes them."""
    implied = comparisons(assessment)
    sign = implied["preference"].map({0: "≡", 1: "≺", 2: "≻"}).astype(str)
    words = [implied["system_1"].str.upper(), sign, implied["system_2"].str.upper()]
    return pd.concat(words, axis=1).agg(" ".join, axis=1).tolist()


def screens(assessments: pd.DataFrame) -> pd.DataFrame:
    """Tabulate assessments: outputs of a sentence, ranked together by a judge.

    Returns
    -------
    DataFrame
        Index ranking; label, judge, segment, outputs (how many), shown (their names,
        sorted and joined), ranked (how many of them the judge ranked), repeat (was the
        same set of outputs of the same sentence assessed before?), run (number of the
        run of consecutive sentences by one judge that it is in) and sample (first of
        three consecutive sentences of a run).
    """
    is_ranked = assessments["rank"] != UNRANKED
    rows = assessments.astype({"system": str}).assign(ranked=is_ranked)
    table = (
        rows.sort_values(["ranking", "system"])
        .groupby("ranking")
        .agg(
            label=("label", "first"),
            judge=("judge", "first"),
            segment=("segment", "first"),
            outputs=("system", "size"),
            shown=("system", " ".join),
            ranked=("ranked", "sum"),
        )
    )
    by_judge = table["label"].astype(str) + table["judge"].astype(str)
    begins = (table["segment"].diff() != 1) | (by_judge != by_judge.shift())
    run = begins.cumsum()
    third = table.groupby(run).cumcount() // 3
    return table.assign(
        repeat=table.duplicated(["label", "segment", "shown"]),
        run=run,
        sample=table.groupby([run, third])["segment"].transform("first"),
    )


def repeats_by_chance(assessments: pd.DataFrame, screens: pd.DataFrame) -> float:
    """Count the assessments that would repeat an earlier one if sets were random.

    One of N possible sets is none of k earlier ones of the sentence, and of the same
    size, with a chance of (1 - 1/N)^k.
    """
    pool = assessments.groupby("label", observed=True)["system"].nunique()
    sets = comb(screens["label"].map(pool).astype(int), screens["outputs"])
    alike = screens.groupby(["label", "segment", "outputs"], observed=True)
    return (1 - (1 - 1 / sets) ** alike.cumcount()).sum()


def run_lengths(screens: pd.DataFrame) -> pd.Series:
    """Count runs of consecutive sentences by one judge, by their length.

    Section 2: three consecutive sentences at a time were presented to the same
    annotator. If so, every length is a multiple of three.
    """
    lengths = screens["run"].value_counts().value_counts().sort_index()
    return lengths.rename_axis("sentences").rename("runs")


def ranked_systems(assessments: pd.DataFrame) -> pd.DataFrame:
    """Select outputs of systems, not of the reference, that a judge ranked."""
    is_ranked = assessments["rank"] != UNRANKED
    return assessments[is_ranked & (assessments["system"] != REFERENCE)]


def sides(compared: pd.DataFrame) -> pd.DataFrame:
    """Repeat every comparison of two systems, from the side of each.

    Returns
    -------
    DataFrame
        Columns of `counts.comparisons` without the preference, with system and other
        for system_1 and system_2; outcome: 1 won, 0 tied, -1 lost.
    """
    outcome = compared["preference"].map({0: 0, 1: 1, 2: -1})
    compared = compared.drop(columns="preference")
    first = compared.rename(columns={"system_1": "system", "system_2": "other"})
    second = compared.rename(columns={"system_2": "system", "system_1": "other"})
    both = [first.assign(outcome=outcome), second.assign(outcome=-outcome)]
    return pd.concat(both, ignore_index=True).astype(dict.fromkeys(PAIR, str))


def pair_sentences(sides: pd.DataFrame) -> pd.DataFrame:
    """Count for each sentence how it decides between two systems of a task.

    Parameters
    ----------
    sides : DataFrame
        Of `sides`.

    Returns
    -------
    DataFrame
        Index label, system, other, segment: those on which both were ranked together,
        from the side of each; columns met (comparisons) and lead (how much more often
        `system` was better).
    """
    return sides.groupby([*PAIR, "segment"])["outcome"].agg(met="size", lead="sum")


def sentences_of_improvement(sentences: pd.DataFrame) -> pd.DataFrame:
    """Count comparisons and sentences of improvement of each pair of systems.

    These are the sentences on which the system that is ahead over all sentences is
    ahead, too. Indexed by label, system and other (later by name); columns met and
    improved.
    """
    total = sentences["lead"].groupby(PAIR).transform("sum")
    sentences = sentences.assign(improved=sentences["lead"] * np.sign(total) > 0)
    once = sentences.query("system < other")
    return once.groupby(PAIR)[["met", "improved"]].sum()


def covariance(sentences: pd.DataFrame) -> pd.DataFrame:
    """Correlate systems over sentences, by whether their names show one site.

    The outcomes of both on a sentence are against third systems only: in a comparison
    of the two, what one wins the other loses. Systems named "online-", combinations and
    the tunable metrics task (one decoder) are left out.

    Parameters
    ----------
    sentences : DataFrame
        Of `pair_sentences`: each pair from the side of each.

    Returns
    -------
    DataFrame
        One row a pair of systems that both met third systems on at least
        `FEWEST_SENTENCES` sentences, in tasks with such a pair of one site: label, site
        (do their names begin alike?), correlation of their outcomes over sentences.
    """
    sentence = ["label", "segment"]
    of_pair = sentences[~sentences.index.get_level_values(0).str.contains(NO_SITES)]
    of_system = of_pair.groupby([*sentence, "system"]).sum().reset_index()
    chosen = of_system[~of_system["system"].str.contains("online|combo")]
    pairs = chosen.merge(chosen, on=sentence, suffixes=("_1", "_2"))
    pairs = pairs[pairs["system_1"] < pairs["system_2"]]
    pairs = pairs.join(of_pair, on=["label", "system_1", "system_2", "segment"])
    pairs = pairs.fillna({"met": 0, "lead": 0})
    pairs = pairs[(pairs["met_1"] > pairs["met"]) & (pairs["met_2"] > pairs["met"])]
    pairs["lead_1"] -= pairs["lead"]
    pairs["lead_2"] += pairs["lead"]
    rows = []
    for (label, one, other), leads in pairs.groupby(["label", "system_1", "system_2"]):
        if len(leads) >= FEWEST_SENTENCES:
            site = one.split("-")[0] == other.split("-")[0]
            rows.append((label, site, leads["lead_1"].corr(leads["lead_2"])))
    table = pd.DataFrame(rows, columns=["label", "site", "correlation"])
    return table[table.groupby("label")["site"].transform("any")]


def document_effects(
    sides: pd.DataFrame, samples: pd.Series, documents: pd.Series
) -> pd.Series:
    """Test if systems are better or worse on some documents: a p-value for each task.

    The statistic is the variance of a system's outcomes (won less lost) between
    documents. Under the null hypothesis the documents are dealt to the samples of three
    sentences at random. All judgements of a sample, by whatever judge, go to one
    document.

    Parameters
    ----------
    sides : DataFrame
        Of `sides`.
    samples : Series
        Sample of each ranking, of those whose documents are known; see `screens`.
    documents : Series
        Of each segment; see `ranking_releases.load_documents`.
    """
    sides = sides.join(samples, on="ranking", how="inner")
    p = {}
    for label, rows in sides.groupby("label"):
        mean = rows.groupby("system")["outcome"].transform("mean")
        rows = rows.assign(outcome=rows["outcome"] - mean)
        outcomes = rows.pivot_table(
            "outcome", "sample", "system", aggfunc=["sum", "size"], fill_value=0
        )
        total = outcomes["sum"].to_numpy()
        size = outcomes["size"].to_numpy()
        document, _ = pd.factorize(outcomes.index.map(documents))
        rng = np.random.default_rng(SEED)
        deals = [rng.permutation(document) for _ in range(DEALS)]
        variances = []
        for deal in [document, *deals]:
            samples_of = np.arange(document.max() + 1)[:, None] == deal
            squares = (samples_of @ total) ** 2
            variances.append((squares / np.maximum(samples_of @ size, 1)).sum())
        p[label] = (np.array(variances) >= variances[0]).mean()
    return pd.Series(p)


def overlap(ranked: pd.DataFrame, counts: dict[str, Counts]) -> pd.DataFrame:
    """Describe what the scores of two systems are aggregated over (section 3).

    Returns
    -------
    DataFrame
        One row for each pair of systems of each task: sentences and judges (how many
        both have in common), other_rates (do they meet some other system in different
        shares of their comparisons?).
    """
    pairs = []
    for label, rows in ranked.groupby("label", observed=True):
        by_system = rows.groupby(rows["system"].astype(str))
        sentences = by_system["segment"].agg(set)
        judges = by_system["judge"].agg(set)
        wins = counts[label].wins
        met = wins + wins.T + counts[label].ties  # the reference included
        rates = met / met.sum()
        for a, b in combinations(sentences.index, 2):
            differ = rates.index[rates[a] != rates[b]]
            row = {
                "sentences": len(sentences[a] & sentences[b]),
                "judges": len(judges[a] & judges[b]),
                "other_rates": not {a, b}.issuperset(differ),
            }
            pairs.append(row)
    return pd.DataFrame(pairs)


# --- sections 3 and 4 by hand: scores and a proof on a few systems --------------------


def require_systems(counts: Counts, systems: Sequence[str]) -> list[str]:
    """Return the systems, if the counts have all of them; the reference is none.

    Raises
    ------
    DataError
        One that they do not have, or one that is named twice.
    """
    judged = counts.without(REFERENCE).systems
    for k, name in enumerate(systems):
        if name not in judged or name in systems[:k]:
            fault = f"no system {name!r}, or twice"
            raise DataError(f"{fault}; expected some of {', '.join(judged)}")
    return [*systems]


def few_systems(
    campaign: str, task: str, systems: Sequence[str], source: str | Source
) -> Counts:
    """Select counts of some systems, compared with one another and the reference.

    Raises
    ------
    DataError
        Not between two and `MOST_BY_HAND` systems, one twice, or one that the task does
        not have.
    """
    counts = ranking_releases.load_counts(campaign, task, source=source)
    chosen = require_systems(counts, systems)
    if not 2 <= len(chosen) <= MOST_BY_HAND:
        raise DataError(f"{len(chosen)} systems; expected 2 to {MOST_BY_HAND}")
    return counts.without(*{*counts.systems} - {*chosen, REFERENCE})


def figure_2() -> pd.DataFrame:
    """Make a tournament of which Equation 1 gives B 2/5 and C 2/4 (section 4).

    The weights of Figure 2 are in its image alone; these are *some* that fit the
    text.
    """
    wins = [[0, 3, 1, 1], [0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 0, 0]]
    return pd.DataFrame(wins, index=[*"ABCD"], columns=[*"ABCD"])
