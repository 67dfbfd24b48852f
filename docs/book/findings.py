"""The numbers of the first page, computed from results/."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from study.scoreboard import scoreboard

PAPERS = {
    "lopez2012": "Lopez (2012)",
    "hopkins2013": "Hopkins and May (2013)",
    "knowles2021": "Knowles (2021)",
}
DOCUMENTS = ["DA SR+DC", "DA mixed", "ESA", "MQM"]  # protocols with whole documents


def numbers(results: Path) -> dict[str, str]:
    """Compute every number of the first page, as it is written there, by its name."""

    def table(name: str) -> pd.DataFrame:
        return pd.read_csv(results / f"{name}.csv", keep_default_na=False)

    return {
        **lopez(table("lopez2012-violated-weight"), table("lopez2012-table-1")),
        **hopkins(table("hopkins2013-paired"), table("hopkins2013-distances")),
        **knowles(table("knowles2021-out-of-sample")),
        **honest_line(table("honest-line-size"), table("honest-line-changes")),
        **sitting(table("alike-components"), table("alike-plans")),
        **cycles(table("cycles-totals")),
        **second_campaign(table("second-campaign")),
        **printed_ranks(table("printed-ranks")),
        **how_few(table("how-few-tests")),
        **wmt16(table("wmt16-official")),
    }


def lopez(weights: pd.DataFrame, tasks: pd.DataFrame) -> dict[str, str]:
    """Sum the violated weight of the paper's tasks: the least, and by each score."""
    weights = weights[weights["label"].isin(tasks["label"])]
    sums = weights[["mfas", "wmt-official", "heuristic2", "bojar"]].sum()
    proven = weights["mfas"] == weights["lower_bound"]
    hardest = weights.loc[weights["mfas"].idxmax()]
    return {
        "tasks": str(len(weights)),
        "proven": str(proven.sum()),
        "least": str(sums["mfas"]),
        "best_score": str(sums.drop("mfas").min()),
        "hardest": hardest["label"],
        "orders": str(hardest["optimal_orders"]),
    }


def hopkins(paired: pd.DataFrame, distances: pd.DataFrame) -> dict[str, str]:
    """Write differences of perplexity, with 95 % intervals."""
    irt = paired.set_index(["method", "other"]).loc[
        ("irt-gaussian-deterministic", "bradley-terry")
    ]
    every = distances.set_index("tracks_of").loc["all tracks"]
    return {
        "tracks": f"{irt['tracks']:.0f}",
        "irt": with_interval(irt, 4),
        "mfas_behind": with_interval(every, 3),
    }


def with_interval(row: Mapping[str, float], decimals: int) -> str:
    """Write a difference and its 95 % interval in words."""
    difference, low, high = (
        f"{row[name]:.{decimals}f}".replace("-", "−")
        for name in ("difference", "low", "high")
    )
    return f"{difference} ({low} to {high})"


def knowles(changes: pd.DataFrame) -> dict[str, str]:
    """Count the new campaigns whose order changes once humans are left out."""
    row = changes.set_index(["step", "change"]).loc[("remove humans", "rank")]
    return {
        "documents_change": row["SR+DC"].replace("/", " of "),
        "sentences_change": row["SR-DC"].replace("/", " of "),
        "humans": with_interval(row, 2),
    }


def honest_line(size: pd.DataFrame, changes: pd.DataFrame) -> dict[str, str]:
    """Say how often tests call equal systems apart, and which differences stay."""
    by_document = size[(size["block"] != "worker") & size["protocol"].isin(DOCUMENTS)]
    ours = by_document["rule"].isin(["unit", "first unit"])
    tests = by_document[~ours].sort_values("rejected")
    units = by_document.loc[by_document["rule"] == "unit"].sort_values("rejected")
    stay = changes.groupby("protocol")[["pairs_stay", "pairs"]].sum()
    worst = tests.iloc[-1]
    low, high = (
        f"{100 * worst[name]:.0f}" for name in ("rejected_low", "rejected_high")
    )
    return {
        "false_least": f"{100 * tests['rejected'].iloc[0]:.0f}",
        "false_most": f"{100 * worst['rejected']:.0f} ({low} to {high})",
        "unit_least": f"{100 * units['rejected'].iloc[0]:.0f}",
        "unit_most": f"{100 * units['rejected'].iloc[-1]:.0f}",
        "stay": "{pairs_stay} of {pairs}".format(**stay.loc["DA SR+DC"]),
    }


def sitting(components: pd.DataFrame, plans: pd.DataFrame) -> dict[str, str]:
    """Say what segments in documents share, and what a second worker is worth."""
    values = components.set_index(["effect", "value"])["DA SR+DC"].astype(float)
    share = 100 * values["share of the occasion"]
    plan = ("DA SR+DC", "same document, second annotator")
    worth = plans.set_index(["protocol", "plan"]).loc[plan]
    return {
        "sitting": f"{share['seen']:.0f} % (95 % interval {share['low']:.0f} to"
        f" {share['high']:.0f})",
        "second_worker": "{worth:.2f} ({low:.2f} to {high:.2f})".format(
            **worth[["worth", "low", "high"]].astype(float)
        ),
    }


def cycles(totals: pd.DataFrame) -> dict[str, str]:
    """Compare violated weight with that of systems with a true order."""
    totals = totals.set_index(["tasks", "unit"])
    rows = {
        "cycles_25": ("Lopez's 25", "ranking"),
        "cycles_62": ("all tasks", "ranking"),
        "cycles_segments": ("all tasks", "segment"),
    }
    numbers = {"violated_62": str(totals.loc[rows["cycles_62"], "observed"])}
    for name, row in rows.items():
        numbers[name] = "{expected:.0f} ({low:.0f} to {high:.0f}; p = {p:.2f})".format(
            **totals.loc[row]
        )
    return numbers


def second_campaign(rates: pd.DataFrame) -> dict[str, str]:
    """Say what one half of a campaign prints and the other half, too."""
    rates = rates.set_index(["protocol", "test", "item"])
    rows = {
        "lines_again": ("all", "own rule", "lines"),
        "winners_again": ("all", "own rule", "winner"),
        "order_again": ("DA SR+DC", "own rule", "order"),
    }
    numbers = {"halved": str(rates.loc[rows["winners_again"], "campaigns"])}
    ends = ["share", "share_low", "share_high"]  # of all that is printed
    for name, row in rows.items():
        share, low, high = 100 * rates.loc[row, ends].astype(float)
        numbers[name] = f"{share:.0f} % ({low:.0f} to {high:.0f})"
    return numbers


def printed_ranks(held: pd.DataFrame) -> dict[str, str]:
    """Say how often the ranges of WMT13 hold, of 100 systems and of 100 tables."""
    wmt13 = held.set_index("rule").loc["WMT13"]
    numbers = {"ranked_tasks": f"{wmt13['tasks']}"}
    for name, measure in {"one_rank": "one", "all_ranks": "all"}.items():
        ends = [f"{measure}{end}" for end in ("", "_low", "_high")]
        share, low, high = 100 * wmt13[ends].astype(float)
        numbers[name] = f"{share:.0f} ({low:.0f} to {high:.0f})"
    return numbers


def how_few(tests: pd.DataFrame) -> dict[str, str]:
    """Count the tasks in which 1 % of the rankings decide who wins."""
    main = tests.set_index("test").loc["main"]
    share, low, high = (f"{100 * main[name]:.0f}" for name in ("share", "low", "high"))
    return {
        "few": f"{main['count']} of {main['tasks']}",
        "few_share": f"{share} %, {low} to {high}",
    }


def wmt16(official: pd.DataFrame) -> dict[str, str]:
    """Say how much of WMT16's official rankings comes out."""
    ranges = official["trueskill_ranges"].sum()
    return {
        "official_orders": f"{official['trueskill_order'].sum()} of {len(official)}",
        "official_ranges": f"{ranges} of {official['systems'].sum()}",
        "official_skill": f"{official['trueskill_skills'].max():.4f}",
    }


def verdicts(board: pd.DataFrame) -> str:
    """List in Markdown how the published values of each paper came out."""
    lines = []
    for paper, title in PAPERS.items():
        summary = scoreboard.summary_line(board[board["paper"] == paper])
        lines.append(f"- {title}: {summary}.")
    return "\n".join(lines)
