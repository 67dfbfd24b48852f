"""Knowles (2021), section 5.2: Tables 2 and 3, Figure 1, and what the text says of them.

`battery` has every removal and division of one language pair. Each row of the published table says
which language pairs it needs; `counts` are taken over those at hand.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.cluster_lines import rank_campaign
from wmtlib.stability import CHANGES, DIVISORS, differences, perturb
from wmtlib.study.checkability import at_hand
from wmtlib.study.papers.knowles2021_composition import composition
from wmtlib.study.papers.knowles2021_official import PAPER
from wmtlib.study.published import load_published
from wmtlib.study.releases import kept
from wmtlib.study.releases.assessment_catalogue import availability, pairs_at_hand
from wmtlib.study.releases.coded_campaigns import Release, load_release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Counted, Noted, Values

ITEMS = ("table-2", "table-3", "figure-1")
TABLE_2 = {
    "SR-DC": ("SR-DC 2018", "SR-DC 2019 MTurk", "SR-DC 2020 MTurk"),
    "SR+DC": ("SR+DC 2019 MTurk", "SR+DC 2019 Appraise", "SR+DC 2020 MTurk", "SR+DC 2020 Appraise"),
}
Printed = Mapping[tuple[str, str], tuple[int, int]]  # (item, quantity) -> k, n


def battery(release: Release) -> pd.DataFrame:
    """Everything that section 5.2 does to one language pair.

    Returns
    -------
    DataFrame
        The rows of `stability.perturb`, and "remove REF" (footnote 13) and "inflate worst"
        (footnote 15), with the columns pair, level, paper, style, interface, and shift: how much
        the mean z-score of the systems that stay has risen.
    """
    rows = pd.concat(
        [perturb(release.coded, humans=release.humans, paired=True, **PAPER), _more(release)]
    )
    names = ("campaign", "language_pair", "level", "paper", "style", "interface")
    about = {name: getattr(release, name) for name in names}
    pair = f"{release.campaign} {release.language_pair}"
    return rows.assign(**about, pair=pair, shift=_shifts(release, rows))


def _more(release: Release) -> pd.DataFrame:
    """The perturbations of footnotes 13 and 15."""
    coded = release.coded
    full = rank_campaign(coded, **PAPER)
    worst = np.arange(len(coded.systems)) == full.order[-1]
    references = coded.is_item("REF")
    judged = coded.rows_of(worst, items=(), paired=False)
    rows = [
        {"kind": "remove REF", "what": "", "judgements": float(references.mean())}
        | differences(full, rank_campaign(coded, scales_from=~references, **PAPER))
    ]
    before, share = full.restricted(~worst), float(judged.mean())
    for divisor in DIVISORS:
        score = np.where(judged, 100 - (100 - coded.score) / divisor, coded.score)
        after = rank_campaign(coded, score=score, unranked=worst, **PAPER)
        about = {"kind": "inflate worst", "what": f"{divisor:g}", "judgements": share}
        rows.append(about | differences(before, after))
    return pd.DataFrame(rows)


def _shifts(release: Release, rows: pd.DataFrame) -> np.ndarray:
    """Rise of the mean z-score of the systems that stay, where the best or the worst is removed."""
    coded, shift = release.coded, np.full(len(rows), np.nan)
    full = rank_campaign(coded, **PAPER)
    for k, (kind, name) in enumerate(zip(rows["kind"], rows["what"], strict=True)):
        if kind in ("remove best", "remove worst"):
            gone = coded.is_system([name])
            kept = ~coded.rows_of(gone, items=(), paired=True)
            after = rank_campaign(coded, scales_from=kept, unranked=gone, **PAPER)
            shift[k] = np.mean(after.score[~gone]) - np.mean(full.score[~gone])
    return shift


@dataclass(frozen=True)
class Study:
    """All that notebook 31 computes of the language pairs at hand.

    Attributes
    ----------
    releases : tuple of Release
    changes : DataFrame
        Rows of `battery`.
    seen : DataFrame
        Rows of `knowles2021_composition.composition`, indexed by "campaign pair".
    """

    releases: tuple[Release, ...] = field(repr=False)
    changes: pd.DataFrame = field(repr=False)
    seen: pd.DataFrame = field(repr=False)


def study(*, source: Source) -> Study:
    """Load every pair with single judgements, released or recovered; else the simulated ones."""
    table = availability(source)
    usable = (table["status"] == "present") | (table["paper"] & (table["status"] == "partial"))
    pairs = [tuple(p) for p in table.loc[usable, ["campaign", "language_pair"]].to_numpy()]
    releases = tuple(load_release(*pair, source=source) for pair in pairs or simulated())
    depends_on = [*map(list, pairs), source.route, source.sha256]
    changes, seen = kept.result("stability", depends_on, lambda: _changes_and_seen(releases))
    return Study(releases, changes, seen)


def _changes_and_seen(releases: Sequence[Release]) -> tuple[pd.DataFrame, pd.DataFrame]:
    about = [
        {"pair": f"{r.campaign} {r.language_pair}", "campaign": r.campaign, "style": r.style}
        | {"level": r.level, "known": r.share, "humans": len(r.humans)}
        for r in releases
    ]
    seen = [row | composition(r) for row, r in zip(about, releases, strict=True)]
    changes = pd.concat([battery(r) for r in releases], ignore_index=True)
    return changes, pd.DataFrame(seen).set_index("pair")


def coverage(*, source: Source) -> pd.DataFrame:
    """How many language pairs of each part of Table 2, and of the rest, are at hand.

    Returns
    -------
    DataFrame
        Indexed by part; language pairs; human and REF (those from which human systems and REF can
        be removed); best, worst (those from which one system can).
    """
    rows = {}
    for part in (*TABLE_2["SR-DC"], *TABLE_2["SR+DC"], "new SR-DC", "new SR+DC"):
        needs = [pairs_at_hand(f"{part}, {n}", source) for n in ("human removable", "assessments")]
        human, single = (len(found.pairs) for found in needs)
        total = human + len(needs[0].absent)
        rows[part] = {"language pairs": total, "human and REF": human, "best, worst": single}
    return pd.DataFrame(rows).T.rename_axis("part")


# --- Tables 2 and 3, Figure 1 --------------------------------------------------------------------


def printed_counts() -> Printed:
    """The counts k of n in Tables 2 and 3 and Figure 1, as they are published."""
    table = load_published("knowles2021").query("item in @ITEMS")
    counts = (tuple(map(int, text.split("/"))) for text in table["published"])
    return dict(zip(zip(table["item"], table["quantity"], strict=True), counts, strict=True))


def chosen(changes: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """Rows of the batteries that a printed count is about, indexed by pair."""
    if "lowest" in quantity or "highest" in quantity:
        rows = changes[changes["kind"] == f"remove {'worst' if 'lowest' in quantity else 'best'}"]
    elif found := re.match(r"divisor (\S+),", quantity):
        rows = changes[(changes["kind"] == "divide humans") & (changes["what"] == found[1])]
    else:
        rows = changes[changes["kind"] == "remove humans"]
    return rows.set_index("pair")


def sums() -> Values:
    """The counts of Table 2 that are sums of its parts."""
    rows = load_published("knowles2021").query("item in @ITEMS and basis == 'none'")
    return {
        (row.item, row.quantity): _sum_of_parts(*_style_and_change(row.quantity))
        for row in rows.itertuples()
    }


def _style_and_change(quantity: str) -> tuple[str, str]:
    """ "SR-DC" or "SR+DC", and what changed, of a count's name."""
    return quantity.partition(" all:")[0][-5:], re.search(r": (\w+) changed", quantity)[1]


def counts(changes: pd.DataFrame, *, source: Source) -> Values:
    """Every count of Tables 2 and 3 and Figure 1, over the pairs at hand.

    Where none is at hand, the text says what the pairs give that are recovered without all that
    the row needs; where nothing is removed from a pair, it does not count there either.
    """
    found = sums()
    published = load_published("knowles2021").query("item in @ITEMS and basis != 'none'")
    hands = {basis: at_hand(basis, source) for basis in published["basis"].unique()}
    for row in published.itertuples():
        key, (_, change) = (row.item, row.quantity), _style_and_change(row.quantity)
        hand = hands[row.basis]
        rows = chosen(changes, row.quantity)[[change, "judgements"]]
        if hand.units:
            found[key] = Counted({pair: bool(rows.loc[pair, change]) for pair in hand.units})
            continue
        others = rows.loc[rows.index.intersection([*hand.absent])].query("judgements > 0")
        if len(others):
            text = f"{int(others[change].sum())}/{len(others)} of the recovered pairs"
            found[key] = text
    return found


def count_table(found: Values, item: str) -> pd.DataFrame:
    """The counts of one table beside the printed ones.

    Parameters
    ----------
    found : mapping
        As `counts` gives.
    item : "table-2", "table-3" or "figure-1"

    Returns
    -------
    DataFrame
        Indexed by part; columns (change, "ours" or "printed"); "" where no pair is at hand.
    """
    table: dict[str, dict[tuple[str, str], str]] = {}
    for row in load_published("knowles2021").query("item == @item").itertuples():
        part, change = re.fullmatch(r"(.+): (\w+) changed", row.quantity).groups()
        value = found.get((item, row.quantity), "")
        if isinstance(value, Noted):
            value = "the sum"
        elif isinstance(value, Counted):
            value = f"{sum(value.outcomes.values())}/{len(value.outcomes)}"
        shown = str(value).replace(" of the recovered pairs", " recovered")
        cells = {(change, "ours"): shown, (change, "printed"): row.published}
        table.setdefault(part, {}).update(cells)
    return pd.DataFrame(table).T.rename_axis("part")


def _sum_of_parts(style: str, change: str) -> Noted:
    """Table 2's row "all" from the rows above it."""
    printed = printed_counts()
    k, n = pooled(printed, TABLE_2[style], change)
    parts = (pooled(printed, [part], change) for part in TABLE_2[style])
    return Noted(f"{k}/{n}", "the sum of " + ", ".join(f"{a}/{b}" for a, b in parts))


def pooled(printed: Printed, parts: Sequence[str], change: str) -> tuple[int, int]:
    """Table 2's count of a change, k of n, over some of its parts together."""
    k, n = zip(*(printed["table-2", f"{part}: {change} changed"] for part in parts), strict=True)
    return sum(k), sum(n)


def figure_1(changes: pd.DataFrame, *, source: Source) -> pd.DataFrame:
    """The divisions that Figure 1 shows, of the paper's pairs and of others.

    The paper's pairs are those from which human systems and REF can be removed.

    Returns
    -------
    DataFrame
        Columns panel ("the paper's", "other" or "SIMULATED"), style, pair, divisor and `CHANGES`.
    """
    rows = changes[(changes["kind"] == "divide humans") & (changes["judgements"] > 0)]
    rows = rows[rows["style"] != "mixed"]
    panel = np.where(rows["paper"], "the paper's", "other")
    panel = np.where(rows["level"] == "simulated", "SIMULATED", panel)
    rows = rows.assign(panel=panel, divisor=rows["what"].astype(float))
    kept = rows["pair"].isin(pairs_at_hand("paper, human removable", source).pairs)
    return rows.loc[kept | ~rows["paper"], ["panel", "style", "pair", "divisor", *CHANGES]]


def printed_curves(style: str) -> pd.DataFrame:
    """Figure 1's values for one style: shares, index divisor, columns `CHANGES`."""
    printed = printed_counts()
    table = {
        change: [
            np.divide(*printed["figure-1", f"divisor {d:g}, {style} all: {change} changed"])
            for d in DIVISORS
        ]
        for change in CHANGES
    }
    return pd.DataFrame(table, index=pd.Index(DIVISORS, name="divisor"))
