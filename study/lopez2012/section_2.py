"""Section 2: Human Assessment as Pairwise Ranking (Lopez 2012), and Figure 1.

What is here starts from single rankings, which the embedded data lack.
"""

import pandas as pd

from study.data import ranking_releases
from study.data.sources import Source
from wmtlib.core.counts import RANKINGS, REFERENCE, UNRANKED, comparisons

FIGURE_1 = {"jhu": 1, "bbn-combo": 2, "rwth": 3, "rwth-combo": 3, "cmu": 4}
PAIR = ["label", "system", "other"]


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


def run_lengths(screens: pd.DataFrame) -> pd.Series:
    """Count runs of consecutive sentences by one judge, by their length.

    Section 2: three consecutive sentences at a time were presented to the same
    annotator. If so, every length is a multiple of three.
    """
    lengths = screens["run"].value_counts().value_counts().sort_index()
    return lengths.rename_axis("sentences").rename("runs")


def describe_samples(assessments: pd.DataFrame | None) -> str:
    """Say how long the runs of sentences are, and how many assessments are repeats."""
    if assessments is None:
        return "needs single rankings; the embedded data hold counts only"
    shown = screens(assessments)
    lengths = run_lengths(shown)
    runs = [f"{number} of {sentences}" for sentences, number in lengths.items()]
    return (
        f"runs of consecutive sentences by one judge: {', '.join(runs)} sentences\n"
        f"assessments that repeat an earlier one: {shown['repeat'].mean():.1%}"
    )


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
