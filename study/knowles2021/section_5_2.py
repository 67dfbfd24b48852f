"""Section 5.2: Analysis (Knowles 2021): judgements are removed, and divided.

`battery` has every removal and division of one language pair. The paper's counts over
language pairs are in `tables`.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from study.campaigns import Release, load_all, simulated
from study.data.assessment_catalogue import availability, pairs_at_hand
from study.data.sources import Source
from study.knowles2021 import PAPER_LINES, columns_at_hand
from study.knowles2021.section_3 import order_and_means
from study.knowles2021.section_5_1 import composition
from study.knowles2021.tables import printed_counts
from study.run import keep
from study.scoreboard.verdicts import Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.corrections import wilson
from wmtlib.removals import DIVISORS, differences, divide
from wmtlib.zscores import worker_scales


def changed_scale(
    campaign: Campaign, rows: np.ndarray, *, divisor: float = 0
) -> pd.DataFrame:
    """Compare one worker before and after judgements are removed or divided.

    The worker whose mean moves most, of those with at least 20 other judgements.

    Parameters
    ----------
    rows : ndarray of bool, (judgements,)
    divisor : float
        0: the judgements are removed.

    Returns
    -------
    DataFrame
        Rows before and after; columns judgements, mean, sd, "z of 50" and "z of 80".
    """
    before = worker_scales(campaign)
    after = worker_scales(campaign, counted=~rows)
    if divisor:
        after = worker_scales(campaign.divided(rows, divisor))
    others = np.bincount(campaign.worker[~rows], minlength=len(campaign.workers))
    moved = np.where(others >= 20, np.abs(after[1] - before[1]), -1)
    worker = np.nanargmax(moved)
    numbers = np.array([before, after])[..., worker]
    table = pd.DataFrame(numbers, ["before", "after"], ["judgements", "mean", "sd"])
    for score in (50, 80):
        table[f"z of {score}"] = (score - table["mean"]) / table["sd"]
    return table.astype({"judgements": int})


def rises(campaign: Campaign, rows: np.ndarray, unranked: np.ndarray) -> pd.DataFrame:
    """Compare each system's mean z-score before and after judgements are removed.

    The judgements are left out of the workers' scales, and nothing else changes.

    Parameters
    ----------
    rows : ndarray of bool, (judgements,)
        What is removed.
    unranked : ndarray of bool, (systems,)
        Systems that are ranked on neither side.

    Returns
    -------
    DataFrame
        Indexed by system, best first: before and after, the mean z-scores; place and
        place after; line and line after (whether a line is below the system); rise,
        after less before; fall: by how much the means of the workers who judged the
        system fall, in standard deviations of their scores, over its judgements.
    """
    full = rank_campaign(campaign, **PAPER_LINES).restricted(~unranked)
    without = rank_campaign(
        campaign, scales_from=~rows, unranked=unranked, **PAPER_LINES
    )
    before = worker_scales(campaign)
    after = worker_scales(campaign, counted=~rows)
    fall = (before[1] - after[1]) / before[2]
    cells = campaign.cells
    of_cells = pd.Series(fall[campaign.worker[cells.judgement]])
    by_system = of_cells.groupby(np.array(campaign.systems)[cells.credit_system]).mean()
    first = full.ranking.table.set_index("system")
    second = without.ranking.table.set_index("system")
    second["place"] = range(1, len(second) + 1)
    second = second.loc[first.index]
    table = pd.DataFrame({"before": first["score"], "after": second["score"]})
    table["place"] = range(1, len(first) + 1)
    table["place after"] = second["place"]
    table["line"] = first["line"]
    table["line after"] = second["line"]
    table["rise"] = table["after"] - table["before"]
    table["fall"] = by_system.loc[first.index]
    return table


def perturb(
    campaign: Campaign, *, humans: Collection[str], paired: bool = True
) -> pd.DataFrame:
    """Remove and divide systems, one change at a time (Tables 2 and 3, Figure 1).

    Human systems and REF items are removed together, and divided together before the
    workers' means are computed; human systems are then ranked on neither side. The
    best, the worst and every single system are removed without touching REF items.

    Parameters
    ----------
    campaign : Campaign
    humans : names
        Its human systems; none in SR-DC, where references are REF items only.
    paired : bool
        Whether quality-control items that were paired with a system share its fate.

    Returns
    -------
    DataFrame
        One row a perturbation: kind, what, systems (number compared), judgements (the
        share that is removed or divided), then the columns of `differences`.

    Raises
    ------
    DataError
        An unknown name, or fewer than two systems left by a removal.
    """
    full = rank_campaign(campaign, **PAPER_LINES)
    best, *_, worst = full.names

    def change(
        kind: str,
        what: str,
        systems: Collection[str],
        items: Collection[str] = (),
        divisor: float | None = None,
    ) -> dict[str, object]:
        """Remove judgements, or divide their scores: a row of the table."""
        chosen = campaign.is_system(systems)
        options: Any = {"items": items, "paired": paired}
        if divisor is None:
            fewer = leave_out(campaign, systems, **options)
            after = rank_campaign(fewer, **PAPER_LINES)
        else:
            worse = divide(campaign, systems, divisor, **options)
            after = rank_campaign(worse, unranked=chosen, **PAPER_LINES)
        row = {
            "kind": kind,
            "what": what,
            "systems": len(after.order),
            "judgements": campaign.rows_of(chosen, **options).mean(),
        }
        return row | differences(full, after)

    singles = {name: change("remove", name, [name]) for name in campaign.systems}
    table = [
        change("remove humans", " ".join(sorted(humans)), humans, ["REF"]),
        singles[best] | {"kind": "remove best"},
        singles[worst] | {"kind": "remove worst"},
        *singles.values(),
    ]
    for divisor in DIVISORS:
        what = f"{divisor:g}"
        table.append(change("divide humans", what, humans, ["REF"], divisor))
    return pd.DataFrame(table)


def battery(release: Release) -> pd.DataFrame:
    """Perturb one language pair in every way of section 5.2.

    Returns
    -------
    DataFrame
        The rows of `perturb`, and "remove REF" (footnote 13) and "inflate worst"
        (footnote 15), with the columns pair, level, paper, style, interface, and shift:
        how much the mean z-score of the systems that stay has risen.
    """
    coded = release.coded
    full = rank_campaign(coded, **PAPER_LINES)
    best, *_, worst = full.names
    shift = {}
    for kind, end in (("remove best", best), ("remove worst", worst)):
        _, score = order_and_means(leave_out(coded, [end], paired=True))
        shift[kind] = np.mean(score - full.score[~coded.is_system([end])])
    references = coded.is_item("REF")
    without = rank_campaign(leave_out(coded, [], items=["REF"]), **PAPER_LINES)
    footnotes = [("remove REF", "", references, without)]
    is_worst = coded.is_system([worst])
    judged = coded.rows_of(is_worst, items=(), paired=False)
    for divisor in DIVISORS:
        score = np.where(judged, 100 - (100 - coded.score) / divisor, coded.score)
        inflated = replace(coded, score=score)
        after = rank_campaign(inflated, unranked=is_worst, **PAPER_LINES)
        footnotes.append(("inflate worst", f"{divisor:g}", judged, after))
    rows = [
        {"kind": kind, "what": what, "judgements": changed.mean()}
        | differences(full, after)
        for kind, what, changed, after in footnotes
    ]
    table = pd.concat([perturb(coded, humans=release.humans), pd.DataFrame(rows)])
    columns = ("campaign", "language_pair", "level", "paper", "style", "interface")
    return table.assign(
        **release.about(*columns),
        pair=f"{release.campaign} {release.language_pair}",
        shift=table["kind"].map(shift),
    )


class Study(NamedTuple):
    """All that notebooks 31 and 67 compute of the language pairs at hand.

    Attributes
    ----------
    releases : list of Release
    changes : DataFrame
        Rows of `battery`.
    seen : DataFrame
        Rows of `section_5_1.composition`, indexed by "campaign pair".
    """

    releases: list[Release]
    changes: pd.DataFrame
    seen: pd.DataFrame


def study(*, source: Source) -> Study:
    """Perturb every pair with single judgements, or else the simulated ones."""
    usable = availability(source).query(
        "status == 'present' or (paper and status == 'partial')"
    )
    pairs = usable[["campaign", "language_pair"]].to_numpy().tolist()
    releases = load_all(source, pairs or simulated())
    tables = keep.result(
        "stability",
        [*pairs, source.route, source.sha256],
        lambda: {
            "changes": pd.concat(map(battery, releases), ignore_index=True),
            "seen": pd.DataFrame(map(composition, releases)).set_index("pair"),
        },
    )
    return Study(releases, **tables)


def divided_pairs(changes: pd.DataFrame, source: Source) -> pd.DataFrame:
    """Select the pairs of Figure 1, ours and the paper's, one row a divisor.

    Returns
    -------
    DataFrame
        Rows of `battery` with the columns divisor and panel ("the paper's", "other" or
        "SIMULATED"); of the paper's pairs those whose references are known.
    """
    removable = pairs_at_hand("paper, human removable", source).pairs
    rows = changes.query("kind == 'divide humans' and judgements > 0")
    rows = rows[~rows["paper"] | rows["pair"].isin(removable)]
    rows = rows.query("style != 'mixed'")
    panel = rows["paper"].map({True: "the paper's", False: "other"})
    panel = panel.mask(rows["level"] == "simulated", "SIMULATED")
    table = rows.assign(panel=panel, divisor=rows["what"].astype(float))
    return table.sort_values("panel", ascending=False)


# --- facts of the claims --------------------------------------------------------------


def print_values() -> Values:
    """Collect facts of the claims that the printed counts decide: shares of pairs."""
    table = printed_counts().set_index(["step", "part", "change"])
    table = table[["k", "n", "published"]].unstack(sort=False)
    share = table["k"] / table["n"]
    all_parts = ["SR+DC all", "SR-DC all"]
    plus, minus = (share.xs(part, level="part") for part in all_parts)
    parts = share.loc[""].drop(index=all_parts)
    ends = ["without the lowest ranked", "without the highest ranked"]
    more, less = (
        table["published"].xs(part, level="part").loc[ends] for part in all_parts
    )
    counts = table.loc[""].filter(like="SR+DC 20", axis=0)
    monolingual, bilingual = (
        counts.filter(like=interface, axis=0)[["k", "n"]].sum()
        for interface in ("MTurk", "Appraise")
    )
    low, difference, high = difference_of_shares(
        monolingual["k"], monolingual["n"], bilingual["k"], bilingual["n"]
    )
    return {
        "plus": plus.loc[""],
        "minus": minus.loc[""],
        "K-5.2-02": {"fewer": [*parts.index[parts["rank"] < parts["cluster"]]]},
        "K-5.2-07": {
            "more": plus.loc[ends],
            "less": minus.loc[ends],
            "text": "; ".join((more + " and " + less).to_numpy().ravel()),
        },
        "K-5.2-08": {"least": (plus - minus).filter(like="divisor", axis=0).min()},
        "K-5.2-10": {
            "monolingual": monolingual,
            "bilingual": bilingual,
            "low": low,
            "difference": difference,
            "high": high,
        },
    }


def difference_of_shares(k: Any, n: Any, m: Any, o: Any) -> tuple[Any, Any, Any]:
    """Compute k/n - m/o between its 95 % limits (hybrid score: Newcombe 1998).

    Of numbers, arrays or Series; n and o are above 0.

    >>> [round(float(x), 4) for x in difference_of_shares(56, 70, 48, 80)]  # method 10
    [0.0524, 0.2, 0.3339]
    """
    first = k / n
    second = m / o
    least, most = wilson(first, n)
    least_second, most_second = wilson(second, o)
    difference = first - second
    below = np.hypot(first - least, most_second - second)
    above = np.hypot(most - first, second - least_second)
    return difference - below, difference, difference + above


def removal_values(changes: pd.DataFrame, source: Source) -> Values:
    """Collect facts of the abstract, section 5.2 and the conclusions."""

    def rows(question: str, *kinds: str) -> pd.DataFrame:
        pairs = pairs_at_hand(question, source).pairs
        return changes[changes.index.isin(pairs) & changes["kind"].isin(kinds)]

    both = ["rank", "cluster"]
    removed = changes[changes["kind"] == "remove humans"]
    divided = changes[changes["kind"] == "divide humans"]
    any_divisor = rows("paper, assessments", "divide humans").groupby("pair")[both]
    down = rows("SR-DC, assessments", "divide humans")
    up = rows("SR-DC, assessments", "inflate worst")
    larger = rows("SR-DC, human removable", "divide humans")
    only_removed = ("remove humans", "remove REF")
    references = rows("SR+DC MTurk, human removable", *only_removed)
    where = "of the paper's pairs"
    if references.empty:
        references = rows("new SR+DC, human removable", *only_removed)
        where = "of other pairs"
    moved_by = references.groupby("kind")[both].sum()
    new = [
        rows("new, human removable", "remove humans"),
        rows("new, assessments", "remove best", "remove worst"),
    ]
    order = pd.concat(new).groupby(["style", "kind"])["rank"]
    return {
        **columns_at_hand(changes, source, "K-5.2-01"),
        **columns_at_hand(removed, source, "K-5.2-03"),
        **columns_at_hand(pd.concat([removed, divided]), source, "K-5.2-11"),
        **columns_at_hand(divided[divided["what"] == "10"], source, "K-5.2-12"),
        "divided": any_divisor.any().sum(),
        "K-5.2-09": {"number": _any_change(larger), "pairs": larger.index.nunique()},
        "K-N13-01": {
            "without": moved_by.loc["remove humans"],
            "only": moved_by.loc["remove REF"],
            "pairs": references.index.nunique(),
            "where": where,
        },
        "K-N15-01": {
            "up": _any_change(up),
            "down": _any_change(down),
            "pairs": up.index.nunique(),
        },
        "K-9-01": {
            "share": order.mean(),
            "changed": order.sum(),
            "pairs": order.size(),
        },
    }


def _any_change(rows: pd.DataFrame) -> list[int]:
    """Count the pairs whose order or clusters change, by rising divisor."""
    is_changed = rows["rank"] | rows["cluster"]
    return is_changed.groupby(rows["what"].astype(float)).sum().tolist()
