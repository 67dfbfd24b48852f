"""Knowles (2021), section 5.2: the claims of its text, held against counts and batteries."""

import numpy as np
import pandas as pd

from wmtlib.stability import CHANGES
from wmtlib.study.papers.knowles2021_stability import (
    TABLE_2,
    Printed,
    counts,
    pooled,
    printed_counts,
    printed_curves,
    sums,
)
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Claim, Values

MONOLINGUAL = ("SR+DC 2019 MTurk", "SR+DC 2020 MTurk")
BILINGUAL = ("SR+DC 2019 Appraise", "SR+DC 2020 Appraise")
A_FIFTH = 0.2  # of the pairs, or 20 percentage points: the criteria of "similar"
REMOVALS = {
    "remove humans": "human systems and REF",
    "remove best": "the highest ranked",
    "remove worst": "the lowest ranked",
}


def values(changes: pd.DataFrame, *, source: Source) -> Values:
    """What notebook 31 holds against section 5.2.

    Parameters
    ----------
    changes : DataFrame
        Rows of `knowles2021_stability.battery` of the releases at hand.
    """
    found = from_print() | sums()
    if source.kind == "raw":
        found |= counts(changes, source=source) | from_batteries(changes, source=source)
    return found


# --- claims that follow from the printed counts ---------------------------------------------------


def from_print() -> Values:
    """Sentences about Tables 2 and 3 and Figure 1 that their counts decide."""
    printed = printed_counts()
    share = {key: k / n for key, (k, n) in printed.items()}
    plus, minus = (
        {change: share["table-2", f"{style} all: {change} changed"] for change in CHANGES}
        for style in ("SR+DC", "SR-DC")
    )
    parts = [*TABLE_2["SR-DC"], *TABLE_2["SR+DC"]]
    fewer = [
        part
        for part in parts
        if share["table-2", f"{part}: rank changed"] < share["table-2", f"{part}: cluster changed"]
    ]
    return {
        ("section-5.2", "the more common change"): Claim(
            {
                "in all": all(shares["rank"] >= shares["cluster"] for shares in (plus, minus)),
                "in each of the seven parts": not fewer,
            },
            f"clusters are more common in {', '.join(fewer)}" if fewer else "in every part",
        ),
        ("section-5.2", "all changes, SR+DC and SR-DC"): Claim(
            {change: plus[change] >= 2 * minus[change] for change in CHANGES},
            "; ".join(f"{change} {plus[change]:.0%} and {minus[change]:.0%}" for change in CHANGES),
        ),
        ("section-5.2", "cluster changes without human and REF"): Claim(
            {
                "SR+DC from 40 to 50 %": 0.4 <= plus["cluster"] <= 0.5,
                "SR-DC below 5 %": minus["cluster"] < 0.05,
            },
            f"{plus['cluster']:.1%} and {minus['cluster']:.1%}",
        ),
        ("section-5.2", "rank and cluster changes without human and REF"): Claim(
            {"SR-DC none": minus["both"] == 0, "SR+DC 32 %": round(plus["both"] * 100) == 32},
            f"{minus['both']:.1%} and {plus['both']:.1%}",
        ),
        ("section-5.2", "removing the highest or lowest ranked system"): _table_3(printed),
        ("section-5.2", "dividing human scores, SR+DC"): _figure_1(),
        ("section-5.2", "monolingual and bilingual SR+DC"): _tasks(printed),
    }


def _table_3(printed: Printed) -> Claim:
    """Table 3: is the share of SR+DC pairs twice that of SR-DC pairs?"""
    parts, shown = {}, []
    for which in ("lowest", "highest"):
        for change in CHANGES:
            name = f"without the {which} ranked, {{}} all: {change} changed"
            (k, n), (m, o) = (printed["table-3", name.format(s)] for s in ("SR+DC", "SR-DC"))
            parts[f"without the {which} ranked, {change}"] = k / n >= 2 * m / o
            shown.append(f"{k}/{n} and {m}/{o}")
    return Claim(parts, "; ".join(shown))


def _figure_1() -> Claim:
    """Figure 1: is the share of SR+DC pairs larger at each divisor?"""
    least = (printed_curves("SR+DC") - printed_curves("SR-DC")).min()
    shown = "; ".join(f"{change} {gap * 100:.0f}" for change, gap in least.items())
    return Claim((least > 0).to_dict(), f"least difference in percentage points: {shown}")


def _tasks(printed: Printed) -> Claim:
    """Table 2: shares of monolingual and of bilingual SR+DC pairs."""
    parts, shown = {}, []
    for change in CHANGES:
        (k, n), (m, o) = (pooled(printed, tasks, change) for tasks in (MONOLINGUAL, BILINGUAL))
        parts[change] = abs(k / n - m / o) <= A_FIFTH
        shown.append(f"{change} {k}/{n} and {m}/{o}")
    return Claim(parts, "; ".join(shown))


# --- claims that need judgements -----------------------------------------------------------------


def from_batteries(changes: pd.DataFrame, *, source: Source) -> Values:
    """Sentences of the abstract, section 5.2 and the conclusions that need judgements."""

    def rows(question: str, *kinds: str) -> pd.DataFrame:
        pairs = pairs_at_hand(question, source).pairs
        return changes[changes["pair"].isin(pairs) & changes["kind"].isin(kinds)]

    human = rows("paper, human removable", "remove humans")
    moved = human[human["rank"]]
    kept = int((~moved["cluster"]).sum())
    degraded = rows("paper, human removable", "remove humans", "divide humans")
    any_kind = rows("paper, assessments", *REMOVALS, "divide humans")
    shifts = rows("paper, assessments", "remove best", "remove worst").set_index("kind")["shift"]
    best, worst = shifts["remove best"], shifts["remove worst"]
    orders, clusters = (any_kind.groupby("pair")[c].any() for c in ("rank", "cluster"))
    return {
        ("abstract", "outliers change rankings"): Claim(
            {"an order": orders.any(), "clusters": clusters.any()},
            f"orders of {orders.sum()} and clusters of {clusters.sum()} of {len(orders)} pairs",
        ),
        ("section-5.2", "z-scores when one system is removed"): Claim(
            {
                "up without the best, in every pair": (best > 0).all(),
                "down without the worst, in every pair": (worst < 0).all(),
            },
            f"without the best {best.min():+.3f} to {best.max():+.3f}; without the worst"
            f" {worst.min():+.3f} to {worst.max():+.3f}",
        ),
        ("section-5.2", "changes of order within clusters"): Claim(
            {"at least half": kept >= len(moved) / 2}, f"{kept} of {len(moved)} changes of order"
        ),
        ("section-5.2", "larger divisors"): _divisors(
            rows("SR-DC, human removable", "divide humans")
        ),
        ("section-5.2", "size of the changes"): _sizes(degraded),
        ("footnote-13", "removing only REF"): _only_references(changes, source),
        ("footnote-15", "inflating the scores of low-performing systems"): _inflated(
            rows("SR-DC, assessments", "inflate worst", "divide humans")
        ),
        ("section-9", "SR+DC and SR-DC"): _new_pairs(changes, source),
    }


def _any_change(rows: pd.DataFrame) -> pd.Series:
    """Pairs whose order or clusters change, by divisor."""
    divisor = rows["what"].astype(float).rename("divisor")
    return (rows["rank"] | rows["cluster"]).groupby(divisor).sum()


def _divisors(rows: pd.DataFrame) -> Claim:
    number = _any_change(rows)
    return Claim(
        {
            "never fewer at the next divisor": number.is_monotonic_increasing,
            "more at 10 than at 1.25": number.iloc[-1] > number.iloc[0],
        },
        f"{', '.join(map(str, number))} of {rows['pair'].nunique()} pairs",
    )


def _sizes(rows: pd.DataFrame) -> Claim:
    """Are at least half of the changes one pair of neighbours and one line, or less?"""
    rows = rows[rows["rank"] | rows["cluster"]]
    lines = rows[["lines_new", "lines_gone"]].apply(lambda c: c.str.count("below")).sum(axis=1)
    small = int(((rows["kendall"] <= 1) & (lines <= 1)).sum())
    return Claim({"at least half": small >= len(rows) / 2}, f"{small} of {len(rows)} changes")


def _inflated(rows: pd.DataFrame) -> Claim:
    number = {kind: _any_change(r) for kind, r in rows.groupby("kind")}
    up, down, n = number["inflate worst"], number["divide humans"], rows["pair"].nunique()
    return Claim(
        {
            "more at 10 than at 1.25": up.iloc[-1] > up.iloc[0],
            "at 10 within a fifth of the pairs": abs(up.iloc[-1] - down.iloc[-1]) <= A_FIFTH * n,
        },
        f"{', '.join(map(str, up))} of {n} pairs; human scores divided {', '.join(map(str, down))}",
    )


def _only_references(changes: pd.DataFrame, source: Source) -> Claim:
    """The paper's own SR+DC pairs with REF, or if none is at hand those that it did not use."""
    pairs = pairs_at_hand("SR+DC MTurk, human removable", source).pairs
    where = "of the paper's pairs"
    if not pairs:
        pairs, where = pairs_at_hand("new SR+DC, human removable", source).pairs, "of other pairs"
    rows = changes[changes["pair"].isin(pairs)].groupby("kind")[["rank", "cluster"]].sum()
    without, only = rows.loc["remove humans"], rows.loc["remove REF"]
    return Claim(
        {c: abs(without[c] - only[c]) <= A_FIFTH * len(pairs) for c in rows},
        f"orders {only['rank']} and {without['rank']}, clusters {only['cluster']} and"
        f" {without['cluster']} (only REF; human systems too) in {len(pairs)} {where}",
    )


def _new_pairs(changes: pd.DataFrame, source: Source) -> Claim:
    """Shares of orders that change in the pairs that the paper did not use, by style."""
    parts, shown = {}, []
    for kind, what in REMOVALS.items():
        need = "human removable" if kind == "remove humans" else "assessments"
        found = []
        for style in TABLE_2:
            pairs = pairs_at_hand(f"new {style}, {need}", source).pairs
            rows = changes[changes["pair"].isin(pairs) & (changes["kind"] == kind)]
            found.append((int(rows["rank"].sum()), len(rows)))
        minus, plus = found
        parts[f"without {what}"] = np.divide(*plus) > np.divide(*minus)
        shown.append(f"{plus[0]}/{plus[1]} SR+DC and {minus[0]}/{minus[1]} SR-DC")
    return Claim(parts, "; ".join(shown))
