"""Lopez (2012): its tasks ranked in the paper's four ways, its tables, and its examples by hand.

`analyse` does everything that counts of wins and ties allow. What needs single rankings
starts from `load_task_rankings`. The values beside the printed ones are in
`lopez2012_values`.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import mfas
from wmtlib.agreement import judges
from wmtlib.corrections import CORRECTIONS, corrected, sign_test
from wmtlib.counts import REFERENCE, UNRANKED, Counts
from wmtlib.errors import DataError
from wmtlib.methods import score
from wmtlib.mfas import MFAS
from wmtlib.ranking import rank_by_score
from wmtlib.study.published import ids, load_published
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source

EQUATIONS = {"Eq. 1": "wmt-official", "Eq. 2": "heuristic2", "Eq. 3": "bojar"}
ENGLISH_CZECH = "2011 English-Czech individual"  # Table 2
FRENCH_ENGLISH = "2010 French-English"  # Table 3
TUNABLE_METRICS = "2011 Urdu-English tunable metrics"  # Table 4
PRINTED_MFAS = {"table-3": FRENCH_ENGLISH, "table-4": TUNABLE_METRICS}
RANKINGS_PRINTED = {  # in Tables 2 (and Equation 2, which it lacks) and 4: our method, by its name
    "table-2": (
        ENGLISH_CZECH,
        {
            "WMT-OFFICIAL": "wmt-official",
            "MFAS": "mfas",
            "BOJAR": "bojar",
            "": "heuristic2",
        },
    ),
    "table-4": (TUNABLE_METRICS, {"MFAS": "mfas", "HEURISTIC 2": "heuristic2"}),
}
FIGURE_1 = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
PREFERENCE_SIGNS = {0: "≡", 1: "≺", 2: "≻"}
MOST_BY_HAND = 8  # up to which tables can be followed by hand


@dataclass(frozen=True, eq=False)
class Analysis:
    """Every task that experts judged in WMT10-12, ranked by Equations 1-3 and by MFAS.

    Attributes
    ----------
    tasks : DataFrame
        Indexed by the task's name in Table 1; columns as in `ranking_releases.tasks`,
        and `analysed`: is it one of the paper's 25?
    counts : dict of label -> Counts, the reference included
    scores : dict of label -> {method: Series of scores}, Equations 1-3
    solved : dict of label -> MFAS, the reference left out
    orders : dict of label -> {method: systems, best first}, Equations 1-3 and "mfas"
    weights : DataFrame, labels x methods
        Violated weight: judgements that contradict the order.
    """

    tasks: pd.DataFrame
    counts: dict[str, Counts] = field(repr=False)
    scores: dict[str, dict[str, pd.Series]] = field(repr=False)
    solved: dict[str, MFAS] = field(repr=False)
    orders: dict[str, dict[str, list[str]]] = field(repr=False)
    weights: pd.DataFrame = field(repr=False)

    @property
    def labels(self) -> list[str]:
        """The paper's 25 tasks, in the order of the files."""
        return [*self.tasks.index[self.tasks["analysed"]]]

    def machines(self, label: str) -> Counts:
        """Counts of a task without the reference."""
        return self.counts[label].without(REFERENCE)

    def task(self, label: str) -> str:
        """The label, if it is one of a task.

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
    labels = [
        ranking_releases.label(*row) for row in tasks[["campaign", "task"]].to_numpy()
    ]
    haitian = tasks["task"].str.startswith("ht-")
    tasks = tasks.assign(analysed=tasks["campaign"].isin(["wmt10", "wmt11"]) & ~haitian)
    tasks = tasks.set_index(pd.Index(labels, name="label"))
    counts, scores, solved, orders, weights = {}, {}, {}, {}, {}
    for label, campaign, task in tasks[["campaign", "task"]].itertuples():
        counts[label] = every = ranking_releases.load_counts(
            campaign, task, source=source
        )
        wins = every.without(REFERENCE).wins
        solved[label] = exact = mfas.exact_order(wins)
        if mfas.check(wins, exact.certificate) != exact.cost:
            raise ValueError(f"{label}: the certificate does not prove the order")
        methods = EQUATIONS.values()
        scores[label] = {m: score(m, every, reference=REFERENCE) for m in methods}
        orders[label] = {m: rank_by_score(m, s).order for m, s in scores[label].items()}
        orders[label]["mfas"] = [*exact.order]
        weights[label] = {
            m: mfas.violated_weight(o, wins) for m, o in orders[label].items()
        }
    weights = pd.DataFrame(weights).T
    return Analysis(
        tasks,
        counts=counts,
        scores=scores,
        solved=solved,
        orders=orders,
        weights=weights,
    )


# --- tables ---------------------------------------------------------------------------


def task_overview(found: Analysis) -> pd.DataFrame:
    """Violated weights of every task, and how far its optimal orders leave the ranking open.

    Returns
    -------
    DataFrame
        Indexed by label: systems, the four methods, lower_bound (proven),
        optimal_orders, movable_systems (rank differs between optimal orders),
        agreed_pairs (ordered the same way in all of them).
    """
    rows = {}
    for label, exact in found.solved.items():
        ranges = exact.rank_ranges
        rows[label] = {
            "lower_bound": exact.lower_bound,
            "optimal_orders": exact.optimal_orders,
            "movable_systems": (ranges["best"] < ranges["worst"]).sum(),
            "agreed_pairs": exact.agreed.to_numpy().sum(),
        }
    return found.tasks[["systems"]].join(found.weights).join(pd.DataFrame(rows).T)


def all_rankings(found: Analysis) -> pd.DataFrame:
    """One row for each task, method and system.

    Returns
    -------
    DataFrame
        label, method, rank, system, score (not of mfas), best and worst (of mfas only:
        rank over all optimal orders).
    """
    rows = [
        rank_by_score(method, scores).table.assign(label=label, method=method)
        for label, of_task in found.scores.items()
        for method, scores in of_task.items()
    ]
    for label, exact in found.solved.items():
        places = pd.DataFrame(
            {"system": exact.order, "rank": range(1, len(exact.order) + 1)}
        )
        places = places.join(exact.rank_ranges, on="system")
        rows.append(places.assign(label=label, method="mfas"))
    table = pd.concat(rows)[
        ["label", "method", "rank", "system", "score", "best", "worst"]
    ]
    return table.astype({"best": "Int64", "worst": "Int64"})


def table_1(found: Analysis) -> pd.DataFrame:
    """Lopez (2012), Table 1: #sys (without the reference) and #pairs (with it) of the 25 tasks."""
    sizes = found.tasks.loc[found.labels, ["systems", "comparisons"]]
    return sizes.set_axis(["#sys", "#pairs"], axis=1)


def rankings_beside(found: Analysis, item: str) -> pd.DataFrame:
    """Rankings of "table-2" or "table-4", as printed and ours, and what they violate.

    A column for each ranking of ours, after that as printed (under its name in the
    print).
    """
    label, methods = RANKINGS_PRINTED[item]
    columns = {}
    for name, method in methods.items():
        columns[method] = [
            *found.orders[label][method],
            found.weights.loc[label, method],
        ]
        if name:
            order = printed(item, f"{name} ranking").split(", ")
            columns[f"{name} as printed"] = [
                *order,
                printed(item, f"{name} violated weight"),
            ]
    ranks = [*range(1, len(order) + 1), "violated weight"]
    return pd.DataFrame(columns, index=pd.Index(ranks, name="rank"))


def printed(item: str, quantity: str) -> str:
    """What the paper prints, as data/published/lopez2012.csv has it."""
    rows = load_published("lopez2012").set_index("id")["published"]
    return rows[ids("lopez2012", item)[quantity]]


def printed_order(found: Analysis, item: str) -> list[str]:
    """The MFAS ranking that "table-3" or "table-4" prints, with the names of the data."""
    names = {name.upper(): name for name in found.orders[PRINTED_MFAS[item]]["mfas"]}
    return [names[name] for name in printed(item, "MFAS ranking").split(", ")]


def printed_edges(found: Analysis, item: str) -> pd.DataFrame:
    """The edges that the MFAS ranking printed in "table-3" or "table-4" reverses.

    Returns
    -------
    DataFrame
        winner, loser, weight; reversed_in: "all", "some" or "none" of the optimal
        orders.
    """
    label, agreed = PRINTED_MFAS[item], found.solved[PRINTED_MFAS[item]].agreed
    edges = mfas.violated(printed_order(found, item), found.machines(label).wins)
    pairs = list(zip(edges["winner"], edges["loser"], strict=True))
    # An order reverses an edge if it puts the loser above the winner.
    all_do = [agreed.loc[loser, winner] for winner, loser in pairs]
    none_does = [agreed.loc[winner, loser] for winner, loser in pairs]
    return edges.assign(
        reversed_in=np.select([all_do, none_does], ["all", "none"], "some")
    )


def table_3(found: Analysis) -> pd.DataFrame:
    """Table 3's rankings: MFAS as printed, then ours and those of Equations 1 to 3, by rank."""
    columns = {"mfas as printed": printed_order(found, "table-3")}
    for method in ("mfas", *EQUATIONS.values()):
        columns[method] = found.orders[FRENCH_ENGLISH][method]
    ranks = pd.RangeIndex(1, len(columns["mfas"]) + 1, name="rank")
    return pd.DataFrame(columns, index=ranks)


def correlations(found: Analysis) -> pd.DataFrame:
    """Section 5.2: Spearman's correlation with the MFAS orders of the tunable metrics task.

    Returns
    -------
    DataFrame, Equations 1-3 as rows
        "with the printed order", "with the other" (the optimal order that is first by
        name), and "reference as a ninth item": with the printed one, the reference
        first in both rankings.
    """
    orders, order = found.orders[TUNABLE_METRICS], printed_order(found, "table-4")
    rows = {}
    for equation, method in EQUATIONS.items():
        ours, nine = orders[method], [REFERENCE, *orders[method]]
        rows[equation] = {
            "with the printed order": mfas.spearman(ours, order),
            "with the other": mfas.spearman(ours, orders["mfas"]),
            "reference as a ninth item": mfas.spearman(nine, [REFERENCE, *order]),
        }
    return pd.DataFrame(rows).T


def sign_tests(found: Analysis) -> pd.DataFrame:
    """Section 6: a sign test of every pair of systems that WMT11 compared, the reference included.

    Returns
    -------
    DataFrame
        label, system_1, system_2, wins_1, wins_2, ties; p, and p corrected for the
        number of pairs by each method of `corrections.CORRECTIONS`.
    """
    wmt11 = found.tasks.index[found.tasks["campaign"] == "wmt11"]
    tables = [
        counting.to_table(found.counts[label]).assign(label=label) for label in wmt11
    ]
    table = pd.concat(tables, ignore_index=True)
    p = sign_test(table["wins_1"], table["wins_2"])
    return table.assign(p=p, **{name: corrected(p, name) for name in CORRECTIONS[:2]})


def method_places(found: Analysis, label: str, methods: Sequence[str]) -> pd.DataFrame:
    """Place of each system (rows, in MFAS order) by each method (columns), 1 = best."""
    orders = found.orders[label]
    places = {m: pd.Series(range(1, len(orders[m]) + 1), orders[m]) for m in methods}
    return pd.DataFrame(places).loc[orders["mfas"]]


# --- sections 2 and 3, from single rankings -------------------------------------------


def load_task_rankings(source: Source) -> pd.DataFrame | None:
    """All rankings of the paper's 25 tasks; None if the source holds counts only.

    Returns
    -------
    DataFrame
        `counts.RANKINGS` and `label`, the task's name in Table 1; rankings numbered
        through both campaigns.
    """
    if source.kind != "raw":
        return None
    campaigns, first = [], 0
    for campaign in ("wmt10", "wmt11"):
        rows = ranking_releases.load_rankings(campaign, source=source)
        rows = rows[~rows["task"].str.startswith("ht-")]
        labels = {
            task: ranking_releases.label(campaign, task)
            for task in rows["task"].unique()
        }
        rows = rows.assign(label=rows["task"].astype(object).map(labels))
        campaigns.append(rows.assign(ranking=rows["ranking"] + first))
        first = int(campaigns[-1]["ranking"].max()) + 1
    columns = [*counting.RANKINGS, "label"]
    return pd.concat(campaigns, ignore_index=True)[columns].astype(
        {"label": "category"}
    )


def find_assessment(assessments: pd.DataFrame, ranks: dict[str, int]) -> pd.DataFrame:
    """Rows of every assessment that gave exactly these ranks to exactly these systems.

    Rows of one assessment stand in order of rank, then of name, as Figure 1 lists them.
    """
    size = assessments.groupby("ranking")["system"].transform("size")
    wanted = assessments["system"].astype(object).map(ranks) == assessments["rank"]
    matching = wanted.groupby(assessments["ranking"]).transform("sum")
    rows = assessments[(size == len(ranks)) & (matching == len(ranks))]
    return rows.sort_values(["ranking", "rank", "system"])


def figure_1(assessments: pd.DataFrame | None) -> tuple[str, pd.DataFrame]:
    """Where the assessment of Figure 1 stands, and its rows; as printed without single rankings."""
    if assessments is None:
        as_printed = pd.DataFrame({"system": [*FIGURE_1], "rank": [*FIGURE_1.values()]})
        as_printed = as_printed.assign(task="de-en", ranking=0, segment=0, judge="")
        return (
            "as printed; the embedded data hold counts only, no single rankings",
            as_printed,
        )
    rows = find_assessment(assessments, FIGURE_1)
    where = (
        rows["label"].astype(str) + ", sentence " + rows["segment"].astype(str)
    ).unique()
    times = rows["ranking"].nunique()
    return (
        f"found {'once' if times == 1 else f'{times} times'}: {'; '.join(where)}",
        rows,
    )


def implied_comparisons(assessment: pd.DataFrame) -> list[str]:
    """The comparisons that one assessment implies, as Figure 1 writes them."""
    implied = counting.comparisons(assessment)
    sign = implied["preference"].map(PREFERENCE_SIGNS)
    upper = [implied[side].astype(str).str.upper() for side in ("system_1", "system_2")]
    return (upper[0] + " " + sign + " " + upper[1]).tolist()


def screens(assessments: pd.DataFrame) -> pd.DataFrame:
    """One row for each assessment: up to five outputs of a sentence, ranked together by a judge.

    Returns
    -------
    DataFrame
        Index ranking; label, judge, segment, outputs (how many), shown (their names,
        sorted and joined), ranked (how many of them the judge ranked), repeat (was the
        same set of outputs of the same sentence assessed before?).
    """
    by_name = assessments.sort_values(["ranking", "system"])
    grouped, names = (
        by_name.groupby("ranking"),
        by_name["system"].to_numpy(dtype=object),
    )
    table = (
        grouped[["label", "judge", "segment"]].first().assign(outputs=grouped.size())
    )
    ranked = (assessments["rank"] != UNRANKED).groupby(assessments["ranking"]).sum()
    shown = np.split(names, table["outputs"].cumsum()[:-1])
    table = table.assign(shown=[*map(" ".join, shown)], ranked=ranked)
    return table.assign(repeat=table.duplicated(["label", "segment", "shown"]))


def run_lengths(screens: pd.DataFrame) -> pd.Series:
    """Lengths of all runs of consecutive sentences by one judge, and how many runs have each.

    Section 2: three consecutive sentences at a time were presented to the same
    annotator. If so, every length is a multiple of three.
    """
    lengths = _runs(screens).value_counts().value_counts().sort_index()
    return lengths.rename_axis("sentences").rename("runs")


def _runs(screens: pd.DataFrame) -> pd.Series:
    """The number of the run of consecutive sentences by one judge that each assessment is in."""
    by_judge = screens["label"].astype(str) + screens["judge"].astype(str)
    return ((screens["segment"].diff() != 1) | (by_judge != by_judge.shift())).cumsum()


def _samples(screens: pd.DataFrame) -> Any:
    """Assessments grouped by sample: three consecutive sentences of a run."""
    run = _runs(screens)
    return screens.groupby([run, screens.groupby(run).cumcount() // 3])["segment"]


def documents_of_samples(screens: pd.DataFrame, documents: pd.Series) -> pd.Series:
    """In how many documents each sample of three consecutive sentences of WMT10 stands.

    Parameters
    ----------
    documents : Series
        Of each segment; see `ranking_releases.load_documents`.
    """
    samples = _samples(screens[screens["label"].astype(str).str.startswith("2010")])
    return samples.agg(lambda segments: documents.reindex(segments).nunique())


def pair_sentences(assessments: pd.DataFrame) -> pd.DataFrame:
    """How each sentence decides between two systems of a task.

    Returns
    -------
    DataFrame
        One row for each sentence on which both were ranked together: label, one and
        other (the systems, by name), segment, comparisons, and lead (how much more
        often `one` was better).
    """
    compared = counting.comparisons(_ranked_systems(assessments))
    first, second = (compared[side].astype(str) for side in ("system_1", "system_2"))
    sign = _won_less_lost(compared)
    names = {"one": np.minimum(first, second), "other": np.maximum(first, second)}
    table = compared[["label", "segment"]].astype({"label": str}).assign(**names)
    table["lead"] = sign.where(first < second, -sign)
    by_sentence = table.groupby(["label", "one", "other", "segment"])["lead"]
    return by_sentence.agg(comparisons="size", lead="sum").reset_index()


def _won_less_lost(comparisons: pd.DataFrame) -> pd.Series:
    """Of the first system of each comparison: 1 won, 0 tied, -1 lost."""
    return comparisons["preference"].astype(int).map({0: 0, 1: 1, 2: -1})


def tasks_with_gaps(assessments: pd.DataFrame, sentences: pd.DataFrame) -> int:
    """Tasks in which some pair of systems lacks a comparison on some sentence judged there.

    Parameters
    ----------
    sentences : DataFrame
        Of `pair_sentences`.
    """
    ranked = _ranked_systems(assessments).groupby("label", observed=True)
    pairs = ranked["system"].nunique().map(lambda systems: math.comb(systems, 2))
    every = ranked["segment"].nunique() * pairs
    return int((sentences.groupby("label").size() < every).sum())


def sentences_of_improvement(sentences: pd.DataFrame) -> pd.DataFrame:
    """Of each pair of systems (index label, one, other): comparisons, and sentences of improvement.

    These are the sentences on which the system that is ahead over all sentences is
    ahead, too.
    """
    pair = sentences.groupby(["label", "one", "other"])
    ahead = sentences["lead"] * np.sign(pair["lead"].transform("sum")) > 0
    sums = sentences.assign(improved=ahead).groupby(["label", "one", "other"])
    return sums[["comparisons", "improved"]].sum()


def covariance(sentences: pd.DataFrame) -> pd.DataFrame:
    """Do systems of one site, whose names begin alike, do well on the same sentences?

    The outcomes of both on a sentence are against third systems only: in a comparison
    of the two, what one wins the other loses. Systems named "online-", combinations and
    the tunable metrics task (one decoder) are left out.

    Returns
    -------
    DataFrame
        One row a pair of systems that both met third systems on at least 20 sentences,
        in tasks with such a pair of one site: label, site (do their names begin
        alike?), correlation of their outcomes over sentences.
    """
    rows, left_out = [], "online|combo"
    for label, task in sentences.groupby("label"):
        if "syscomb" in label or "tunable" in label:
            continue
        names = sorted({*task["one"], *task["other"]})
        segment, size = pd.factorize(task["segment"])[0], len(names)
        shape = segment.max() + 1, size, size
        lead, met = np.zeros(shape), np.zeros(shape)
        a, b = (
            pd.Index(names).get_indexer(task[column]) for column in ("one", "other")
        )
        lead[segment, a, b], lead[segment, b, a] = task["lead"], -task["lead"]
        met[segment, a, b] = met[segment, b, a] = task["comparisons"]
        for a, b in zip(*np.triu_indices(size, 1), strict=True):
            x, y = (
                lead[:, a].sum(axis=1) - lead[:, a, b],
                lead[:, b].sum(axis=1) - lead[:, b, a],
            )
            both = (met[:, [a, b]].sum(axis=2) > met[:, a, b, None]).all(axis=1)
            sites = {names[a].split("-")[0], names[b].split("-")[0]}
            if both.sum() >= 20 and not re.search(left_out, names[a] + names[b]):
                rows.append(
                    (label, len(sites) == 1, np.corrcoef(x[both], y[both])[0, 1])
                )
    table = pd.DataFrame(rows, columns=["label", "site", "correlation"])
    return table[table.groupby("label")["site"].transform("any")]


def document_effects(
    assessments: pd.DataFrame, documents: pd.Series, *, n_resamples: int, seed: int
) -> pd.Series:
    """Are systems of WMT10 better or worse on particular documents? A p-value for each task.

    The statistic is the variance of a system's outcomes (won less lost) between
    documents. Under the null hypothesis the documents are dealt to the samples of three
    sentences at random. All judgements of a sample, by whatever judge, go to one
    document.
    """
    sample = _samples(screens(assessments)).transform("first")
    ranked = _ranked_systems(assessments)
    compared = counting.comparisons(
        ranked[ranked["label"].astype(str).str.startswith("2010")]
    )
    p = {}
    for label, rows in compared.groupby("label", observed=True):
        sign = _won_less_lost(rows)
        sides = [rows["system_1"].astype(str), rows["system_2"].astype(str)]
        both = pd.DataFrame(
            {"system": pd.concat(sides), "outcome": pd.concat([sign, -sign])}
        )
        both["sample"] = np.tile(rows["ranking"].map(sample), 2)
        both["outcome"] -= both.groupby("system")["outcome"].transform("mean")
        outcomes = both.groupby(["sample", "system"])["outcome"].agg(["sum", "size"])
        outcomes, rng = outcomes.unstack(fill_value=0), np.random.default_rng(seed)
        document = pd.factorize(outcomes.index.map(documents))[0]
        p[label] = _p_of_documents(outcomes, document, n_resamples, rng)
    return pd.Series(p)


def _p_of_documents(
    outcomes: pd.DataFrame,
    document: np.ndarray,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """How often documents dealt at random vary as much as the real ones, which count too."""
    total, size = outcomes["sum"].to_numpy(), outcomes["size"].to_numpy()

    def variance(document: np.ndarray) -> float:
        of = np.arange(document.max() + 1)[:, None] == document
        return float(((of @ total) ** 2 / np.maximum(of @ size, 1)).sum())

    observed = variance(document)
    drawn = [variance(rng.permutation(document)) for _ in range(n_resamples)]
    return (1 + sum(value >= observed for value in drawn)) / (1 + n_resamples)


def judges_of_tasks(assessments: pd.DataFrame) -> pd.DataFrame:
    """`agreement.judges` of every task, the reference left out; rows of judges with a verdict."""
    compared = counting.comparisons(_ranked_systems(assessments))
    tables = [
        judges(rows.drop(columns="label")).table
        for _, rows in compared.groupby("label", observed=True)
    ]
    return pd.concat(tables, ignore_index=True).dropna(subset="reliability")


def overlap(assessments: pd.DataFrame, counts: dict[str, Counts]) -> pd.DataFrame:
    """What the scores of two systems of a task are aggregated over (section 3).

    Returns
    -------
    DataFrame
        One row for each pair of systems of each task: label, sentences and judges (how
        many both have in common), other_rates (do they meet some other system in
        different shares of their comparisons?).
    """
    tables = []
    for label, rows in _ranked_systems(assessments).groupby("label", observed=True):
        system, names = pd.factorize(rows["system"].astype(str), sort=True)
        a, b = np.triu_indices(len(names), k=1)
        shared = {}
        for unit, column in (("sentences", "segment"), ("judges", "judge")):
            seen = pd.crosstab(system, rows[column].to_numpy()).to_numpy() > 0
            shared[unit] = (seen.astype(int) @ seen.T.astype(int))[a, b]
        wins = counts[label].wins
        met = (wins + wins.T + counts[label].ties).loc[[*names]].sort_index(axis=1)
        one, other = met.to_numpy()[a], met.to_numpy()[b]
        differ = one * other.sum(axis=1, keepdims=True) != other * one.sum(
            axis=1, keepdims=True
        )
        column = met.columns.get_indexer(
            names
        )  # the reference has a column, but no row
        pair = np.arange(len(a))
        differ[pair, column[a]] = differ[pair, column[b]] = False  # the two themselves
        tables.append(
            pd.DataFrame({"label": label, **shared, "other_rates": differ.any(axis=1)})
        )
    return pd.concat(tables, ignore_index=True)


def _ranked_systems(assessments: pd.DataFrame) -> pd.DataFrame:
    """Outputs of systems, not of the reference, that a judge ranked."""
    return assessments[
        (assessments["rank"] != UNRANKED) & (assessments["system"] != REFERENCE)
    ]


# --- sections 3 and 4 by hand: scores and a proof on a few systems --------------------


def require_systems(counts: Counts, systems: Sequence[str]) -> list[str]:
    """The systems, if the counts have all of them; the reference is none.

    Raises
    ------
    DataError
        One that they do not have, or one that stands twice.
    """
    known = counts.without(REFERENCE).systems
    if odd := [
        name
        for k, name in enumerate(systems)
        if name not in known or name in systems[:k]
    ]:
        raise DataError(
            f"no system {odd[0]!r}, or twice; expected some of {', '.join(known)}"
        )
    return [*systems]


def few_systems(
    campaign: str, task: str, systems: Sequence[str], source: str | Source
) -> Counts:
    """Counts of some systems of a task, compared with one another and with the reference.

    Raises
    ------
    DataError
        Not between two and `MOST_BY_HAND` systems, one twice, or one that the task does
        not have.
    """
    counts = ranking_releases.load_counts(campaign, task, source=source)
    kept = [*require_systems(counts, systems), REFERENCE]
    if not 2 <= len(systems) <= MOST_BY_HAND:
        raise DataError(f"{len(systems)} systems; expected 2 to {MOST_BY_HAND}")
    return counts.without(*[name for name in counts.systems if name not in kept])


def figure_2() -> pd.DataFrame:
    """Wins of a tournament of which Equation 1 gives B 2/5 and C 2/4, as section 4 prints.

    The weights of Figure 2 stand in its image alone; these are *some* that fit the
    text.
    """
    wins = pd.DataFrame(0, index=[*"ABCD"], columns=[*"ABCD"])
    for edge in ("AB3", "AC1", "AD1", "BC1", "BD1", "CD2"):
        wins.loc[edge[0], edge[1]] = int(edge[2])
    return wins
