"""Knowles (2021), sections 5.1 and 5.2: what workers saw, Tables 1 to 3, Figure 1.

`battery` has every removal and division of one language pair. Each row of the published
table says which language pairs it needs; `changed_counts` are taken over those at hand.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.assessments import ITEMS, QUALITY_CONTROL, RATED_ITEMS, Campaign
from wmtlib.cluster_lines import rank_campaign
from wmtlib.corrections import wilson
from wmtlib.stability import CHANGES, DIVISORS, differences, perturb
from wmtlib.study.papers.knowles2021_rankings import (
    LATE,
    PAPER_LINES,
    order_and_means,
)
from wmtlib.study.published import at_hand, ids, load_published
from wmtlib.study.releases.assessment_catalogue import (
    availability,
    pairs_at_hand,
    pairs_of,
)
from wmtlib.study.releases.assessment_releases import (
    count_items,
    load_official,
    load_segment_means,
)
from wmtlib.study.releases.coded_campaigns import Release, load_all, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.running import keep
from wmtlib.study.verdicts import Counted, Noted, Values
from wmtlib.zscores import worker_scales

# Rows of Table 1 and the language pairs of each, as `pairs_of` reads them.
FILES = {
    "newstest2018": "any 2018",
    "appraise-doclevel-newstest2019": "2019 Appraise",
    "mturk-sntlevel-newstest2019": "SR-DC 2019 MTurk",
    "appraise-doclevel-newstest2020": "2020 Appraise",
    "mturk-sntlevel-newstest2020": "SR-DC 2020 MTurk",
    "mturk-doclevel-newstest2020": "SR+DC 2020 MTurk",
}
TWO_STYLES = ("SR-DC", "SR+DC")
TABLE_2 = {
    "SR-DC": ("SR-DC 2018", "SR-DC 2019 MTurk", "SR-DC 2020 MTurk"),
    "SR+DC": (
        "SR+DC 2019 MTurk",
        "SR+DC 2019 Appraise",
        "SR+DC 2020 MTurk",
        "SR+DC 2020 Appraise",
    ),
}
# Shares of workers in section 5.1: the language pairs, and what the workers judged.
OUT_OF_ENGLISH = {
    "human data, 2019": ("2019 Appraise, assessments", "share_HUMAN"),
    "human data, 2020": ("2020 Appraise, segment means", "share_HUMAN"),
    "BAD_REF, 2020": ("2020 Appraise, assessments", "share_BAD_REF"),
}
REMOVALS = ("remove humans", "remove best", "remove worst")
# What is done, by a word of a printed count; without any, humans are removed.
KINDS = {
    "lowest": "remove worst",
    "highest": "remove best",
    "divisor": "divide humans",
}


# --- Section 5.1: what HITs and workers held ------------------------------------------


def outputs_held(
    campaign: Campaign, unit: str, items: Collection[str] = RATED_ITEMS
) -> pd.DataFrame:
    """Accepted outputs of each system in each HIT, or of each worker, that holds any.

    Returns
    -------
    DataFrame of int, units x systems
    """
    number, _ = campaign.units(unit)
    cells = campaign.cells_of(campaign.accepted & campaign.is_item(*items))
    system = np.array(campaign.systems)[cells.credit_system]
    return pd.crosstab(number[cells.judgement], system)


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Share of the HITs, or workers, that hold outputs of every system (section 6)."""
    return (outputs_held(campaign, unit) > 0).all(axis=1).mean()


def items_by_worker(campaign: Campaign) -> pd.DataFrame:
    """Accepted judgements of each kind by each worker with any, workers x `ITEMS`."""
    judged = campaign.accepted
    table = pd.crosstab(campaign.worker[judged], np.array(ITEMS)[campaign.item[judged]])
    return table.reindex(columns=[*ITEMS], fill_value=0)


def has_hit_id(campaign: Campaign) -> np.ndarray:
    """Whether the HIT of each judgement is known, (judgements,) of bool."""
    return np.array(campaign.hits)[campaign.hit] != ""


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Judgements of all kinds in each HIT with an id; a joint output counts once."""
    known = campaign.select(has_hit_id(campaign) & campaign.accepted)
    return np.bincount(known.units("hit")[0])


def alternate_hits(campaign: Campaign) -> dict[str, int]:
    """Traces of the alternate HITs of 2018, without REF and REPEAT items (section 5.1).

    Returns
    -------
    dict
        Workers without a REF item; those of them without a REPEAT item too; judgements
        of the latter; segments that they judged, and those that they judged for every
        system.
    """
    items = items_by_worker(campaign)
    without_ref = items.query("SYSTEM > 0 and REF == 0")
    alternate = without_ref.query("REPEAT == 0")
    cells = campaign.cells
    worker = campaign.worker[cells.judgement]
    place = campaign.place[cells.judgement]
    systems = pd.Series(cells.credit_system).groupby([worker, place]).nunique()
    systems = systems.loc[alternate.index]
    return {
        "workers_without_REF": len(without_ref),
        "workers_without_REPEAT": len(alternate),
        "alternate_judgements": alternate.to_numpy().sum(),
        "segments": len(systems),
        "whole": (systems == len(campaign.systems)).sum(),
    }


def composition(release: Release) -> dict[str, Any]:
    """What the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        pair, campaign, style, level, known (share of the judgements), humans (their
        number); number of accepted judgements of each item, a joint row counting once
        for each of its systems (Table 1); workers;
        share_REF, share_BAD_REF, share_HUMAN: shares of the workers who judged some;
        worker_size: judgements of the median worker that are known one by one;
        all_systems: share of the workers who judged every system; then as
        `alternate_hits`.
    """
    coded = release.coded
    times = np.maximum(np.bincount(coded.credit, minlength=len(coded.score)), 1)
    items = np.bincount(coded.item, times * coded.accepted, len(ITEMS)).astype(int)
    is_human = coded.is_system(release.humans)[coded.cells.credit_system]
    judged = items_by_worker(coded)[[*QUALITY_CONTROL]] > 0
    judged["HUMAN"] = judged.index.isin(coded.worker[coded.cells.judgement[is_human]])
    return {
        "pair": f"{release.campaign} {release.language_pair}",
        **release.about("campaign", "style", "level"),
        "known": release.share,
        "humans": len(release.humans),
        **dict(zip(ITEMS, items, strict=True)),
        "workers": float(len(judged)),
        **judged.mean().add_prefix("share_"),
        "worker_size": pd.Series(coded.worker).value_counts().median(),
        "all_systems": share_with_every_system(coded, unit="worker"),
        **alternate_hits(coded),
    }


# --- Section 5.2: remove and divide ---------------------------------------------------


def changed_scale(
    campaign: Campaign, rows: np.ndarray, *, divisor: float = 0
) -> pd.DataFrame:
    """One worker before and after some judgements are removed or divided (section 5.2).

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


def battery(release: Release) -> pd.DataFrame:
    """Everything that section 5.2 does to one language pair.

    Returns
    -------
    DataFrame
        The rows of `stability.perturb`, and "remove REF" (footnote 13) and "inflate
        worst" (footnote 15), with the columns pair, level, paper, style, interface, and
        shift: how much the mean z-score of the systems that stay has risen.
    """
    coded = release.coded
    full = rank_campaign(coded, **PAPER_LINES)
    perturbed = perturb(coded, humans=release.humans, paired=True, **PAPER_LINES)
    references = coded.is_item("REF")
    without = rank_campaign(coded, scales_from=~references, **PAPER_LINES)
    row = {"kind": "remove REF", "what": "", "judgements": references.mean()}
    footnotes = [row | differences(full, without)]
    places = np.arange(len(coded.systems))
    shift = {}
    for kind, k in (("remove best", full.order[0]), ("remove worst", full.order[-1])):
        gone = coded.rows_of(places == k, items=(), paired=True)
        _, score = order_and_means(coded, places == k, scales_from=~gone)
        shift[kind] = np.nanmean(score - full.score)
    worst = places == full.order[-1]
    judged = coded.rows_of(worst, items=(), paired=False)
    for divisor in DIVISORS:
        score = np.where(judged, 100 - (100 - coded.score) / divisor, coded.score)
        inflated = replace(coded, score=score)
        after = rank_campaign(inflated, unranked=worst, **PAPER_LINES)
        row = {"kind": "inflate worst", "what": f"{divisor:g}"}
        row["judgements"] = judged.mean()
        footnotes.append(row | differences(full.restricted(~worst), after))
    rows = pd.concat([perturbed, pd.DataFrame(footnotes)])
    columns = ("campaign", "language_pair", "level", "paper", "style", "interface")
    return rows.assign(
        **release.about(*columns),
        pair=f"{release.campaign} {release.language_pair}",
        shift=rows["kind"].map(shift),
    )


class Study(NamedTuple):
    """All that notebook 31 computes of the language pairs at hand.

    Attributes
    ----------
    releases : tuple of Release
    changes : DataFrame
        Rows of `battery`.
    seen : DataFrame
        Rows of `composition`, indexed by "campaign pair".
    hit_sizes : DataFrame
        Columns pair and judgements, one row for each HIT with an id.
    """

    releases: tuple[Release, ...]
    changes: pd.DataFrame
    seen: pd.DataFrame
    hit_sizes: pd.DataFrame


def study(*, source: Source) -> Study:
    """Every pair with single judgements, released or recovered; else simulated ones."""
    usable = availability(source).query(
        "status == 'present' or (paper and status == 'partial')"
    )
    pairs = usable[["campaign", "language_pair"]].to_numpy().tolist()
    releases = tuple(load_all(source, pairs or simulated()))
    settings = [*pairs, source.route, source.sha256]
    return Study(releases, **keep.result("stability", settings, _tables, releases))


def _tables(releases: Sequence[Release]) -> dict[str, pd.DataFrame]:
    """The tables of a `Study`, by name."""
    compositions = [composition(release) for release in releases]
    sizes = [
        pd.DataFrame({"pair": row["pair"], "judgements": hit_sizes(release.coded)})
        for row, release in zip(compositions, releases, strict=True)
    ]
    return {
        "changes": pd.concat(map(battery, releases), ignore_index=True),
        "seen": pd.DataFrame(compositions).set_index("pair"),
        "hit_sizes": pd.concat(sizes, ignore_index=True),
    }


# --- Tables 2 and 3, Figure 1 ---------------------------------------------------------


def printed_counts() -> pd.DataFrame:
    """The counts k of n in Tables 2 and 3 and Figure 1, as they are published.

    Returns
    -------
    DataFrame
        Indexed by id: item, part ("SR-DC 2018", "divisor 2, SR-DC all", ...), style,
        change, kind and divisor (what is done to the language pairs; "" for none), k,
        n, published, basis.
    """
    table = load_published("knowles2021").set_index("id")
    table = table.query("item in ['table-2', 'table-3', 'figure-1']")
    quantity = table["quantity"]
    names = quantity.str.extract(r"(?P<part>.*(?P<style>SR.DC).*): (?P<change>\w+) ")
    divisor = quantity.str.extract(r"divisor ([\d.]+)")[0].fillna("")
    kind = quantity.str.extract("(lowest|highest|divisor)")[0].map(KINDS)
    names = names.assign(kind=kind.fillna("remove humans"), divisor=divisor)
    numbers = table["published"].str.extract(r"(?P<k>\d+)/(?P<n>\d+)").astype(int)
    return pd.concat([table[["item", "published", "basis"]], names, numbers], axis=1)


def changed_counts(changes: pd.DataFrame, *, source: Source) -> Values:
    """Every count of Tables 2 and 3 and Figure 1, over the pairs at hand, by id.

    The rows "all" of Table 2 are sums of the rows above them.
    """
    printed = printed_counts()
    pairs = {basis: at_hand(basis, source).pairs for basis in printed["basis"].unique()}
    divisor = changes["what"].where(changes["kind"] == "divide humans", "")
    by_kind = dict([*changes.groupby(["kind", divisor])])
    computed: Values = {}
    for row in printed.itertuples():
        if row.basis == "none":
            rows = printed.query(
                "part in @TABLE_2[@row.style] and change == @row.change"
            )
            note = f"the sum of {', '.join(rows['published'])}"
            computed[row.Index] = Noted(f"{rows['k'].sum()}/{rows['n'].sum()}", note)
        elif pairs[row.basis]:
            changed = by_kind[row.kind, row.divisor].set_index("pair")[row.change]
            outcomes = {pair: bool(changed[pair]) for pair in pairs[row.basis]}
            computed[row.Index] = Counted(outcomes)
    return computed


def beside_print(board: pd.DataFrame, item: str) -> pd.DataFrame:
    """Table 1, 2 or 3 as the paper has it, ours beside each number.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare`.
    item : "table-1", "table-2" or "table-3"

    Returns
    -------
    DataFrame
        Rows and columns as in the paper; below each column "ours" and "printed".
    """
    rows = board[board["item"] == item]
    names = rows["quantity"].str.extract(
        r"(?P<row>.+?):? (?P<column>\w+)(?: changed)?$"
    )
    ours = rows["reproduced"].mask(rows["status"] == "arithmetic", "the sum")
    table = names.assign(ours=ours, printed=rows["published"])
    table = table.pivot(index="row", columns="column").swaplevel(axis=1)
    return table.loc[names["row"].unique(), names["column"].unique()]


def items_beside_print(board: pd.DataFrame) -> pd.DataFrame:
    """Table 1, SYSTEM and REPEAT as one sum, ours beside each number.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare`.
    """
    counts = beside_print(board, "table-1")
    printed = counts.xs("printed", axis=1, level=1)[[*RATED_ITEMS]].astype(int)
    ours = counts["SYSTEM", "ours"].astype(str).str.extract(r"^(\d+)")[0]
    sums = pd.DataFrame({"ours": ours, "printed": printed.sum(axis=1)})
    tables = {"SYSTEM + REPEAT": sums, **{k: counts[k] for k in QUALITY_CONTROL}}
    return pd.concat(tables, axis=1).fillna("")


def divided_rows(changes: pd.DataFrame, *, source: Source) -> pd.DataFrame:
    """The divisions that Figure 1 shows, of the paper's pairs and of others.

    The paper's pairs are those from which human systems and REF can be removed.

    Returns
    -------
    DataFrame
        Columns panel ("the paper's", "other" or "SIMULATED"), style, pair, divisor and
        `CHANGES`; the paper's pairs first.
    """
    rows = changes.query("kind == 'divide humans' and judgements > 0")
    rows = rows[rows["style"] != "mixed"]
    at_hand = pairs_at_hand("paper, human removable", source).pairs
    panel = rows["paper"].map({True: "the paper's", False: "other"})
    panel = panel.mask(rows["level"] == "simulated", "SIMULATED")
    rows = rows.assign(panel=panel, divisor=rows["what"].astype(float))
    rows = rows[~rows["paper"] | rows["pair"].isin(at_hand)]
    rows = rows.sort_values("panel", ascending=False, kind="stable")
    return rows[["panel", "style", "pair", "divisor", *CHANGES]]


def printed_curves(style: str) -> pd.DataFrame:
    """Figure 1's values for one style: shares, index divisor, columns `CHANGES`."""
    rows = printed_counts().query("item == 'figure-1' and style == @style")
    rows = rows.astype({"divisor": float}).assign(share=rows["k"] / rows["n"])
    table = rows.pivot(index="divisor", columns="change", values="share")
    return table[CHANGES].rename_axis(columns=None)


def pairs_for_tables(*, source: Source) -> pd.DataFrame:
    """Language pairs of each part of the data, and at hand for which tables."""
    rows = {}
    for part in (*TABLE_2["SR-DC"], *TABLE_2["SR+DC"], "new SR-DC", "new SR+DC"):
        removable = pairs_at_hand(f"{part}, human removable", source)
        rows[part] = {
            "language pairs": len(removable.pairs) + len(removable.absent),
            "Table 2, Figure 1": len(removable.pairs),
            "Table 3": len(pairs_at_hand(f"{part}, outputs", source).pairs),
        }
    return pd.DataFrame(rows).T.rename_axis("part")


def share_ranges(seen: pd.DataFrame) -> pd.DataFrame:
    """Least and greatest shares of workers who judged REF, BAD_REF, HUMAN, all systems.

    Parameters
    ----------
    seen : DataFrame
        Of `Study`.

    Returns
    -------
    DataFrame
        By campaign, style and level; texts, "?" where a share is not known.
    """
    columns = ["share_REF", "share_BAD_REF", "share_HUMAN", "all_systems"]
    recovered = seen["level"] == "recovered"
    with_context = seen["style"] == "SR+DC"
    shares = seen.assign(
        share_BAD_REF=seen["share_BAD_REF"].mask(recovered),
        share_REF=seen["share_REF"].mask(recovered & with_context),
    )
    groups = shares.groupby(["campaign", "style", "level"])[columns]
    least = groups.min().map("{:.2f}".format)
    most = groups.max().map("{:.2f}".format)
    is_known = groups.count().eq(groups.size(), axis=0)
    return (least + " to " + most).where(is_known, "?")


def partial_segments(seen: pd.DataFrame) -> pd.Series:
    """Segments not judged for every system, in 100 judgements of the alternate HITs."""
    partial = seen["segments"] - seen["whole"]
    return (partial / seen["alternate_judgements"] * 100).astype(float)


# --- Beside the paper -----------------------------------------------------------------


def stability_values(study: Study, *, source: Source) -> Values:
    """What notebook 31 holds against Table 1 and sections 2, 5.1 and 5.2."""
    computed = changed_counts(study.changes, source=source) | _from_print()
    if source.kind == "raw":
        computed |= _table_1(study.seen, source)
        computed |= _from_workers(study, source)
        computed |= _from_batteries(study.changes, source)
        computed |= _from_archives(study.seen, source)
    return computed


def _from_print() -> Values:
    """Facts of the claims that the printed counts decide: shares of pairs."""
    table = printed_counts().pivot(index="part", columns="change")
    table = table.reindex(CHANGES, axis=1, level=1)
    share = table["k"] / table["n"]
    parts = share.loc[[*TABLE_2["SR-DC"], *TABLE_2["SR+DC"]]]
    plus = [f"without the {end} ranked, SR+DC all" for end in ("lowest", "highest")]
    minus = [part.replace("SR+DC", "SR-DC") for part in plus]
    printed = table["published"]
    table_3 = printed.loc[plus] + " and " + printed.loc[minus].to_numpy()
    interfaces = table.loc[[*TABLE_2["SR+DC"]], ["k", "n"]]
    monolingual = interfaces.filter(like="MTurk", axis=0).sum()
    bilingual = interfaces.filter(like="Appraise", axis=0).sum()
    reach = []
    texts = []
    for change in CHANGES:
        k, n = monolingual[:, change]
        m, o = bilingual[:, change]
        low, difference, high = difference_of_shares(k, n, m, o)
        interval = f"{difference:+.2f} [{low:+.2f}, {high:+.2f}]"
        reach.append(max(-low, high))
        texts.append(f"{change} {k}/{n} and {m}/{o}, {interval}")
    return {
        "plus": share.loc["SR+DC all"],
        "minus": share.loc["SR-DC all"],
        "K-5.2-02": {
            "whole": share.loc[["SR+DC all", "SR-DC all"]],
            "parts": parts,
            "fewer": [*parts.index[parts["rank"] < parts["cluster"]]],
        },
        "K-5.2-07": {
            "more": share.loc[plus].reset_index(drop=True),
            "less": share.loc[minus].reset_index(drop=True),
            "text": "; ".join(table_3.to_numpy().ravel()),
        },
        "K-5.2-08": {
            "least": (printed_curves("SR+DC") - printed_curves("SR-DC")).min()
        },
        "K-5.2-10": {"reach": reach, "text": "; ".join(texts)},
    }


def difference_of_shares(k: int, n: int, m: int, o: int) -> tuple[float, float, float]:
    """k/n - m/o between its 95 % limits, by Newcombe's hybrid score interval (1998).

    >>> [round(x, 4) for x in difference_of_shares(56, 70, 48, 80)]  # method 10
    [0.0524, 0.2, 0.3339]
    """
    if not n or not o:
        return np.nan, np.nan, np.nan
    share = np.array([k / n, m / o])
    low, high = wilson(share, np.array([n, o]))
    below = share - low
    above = high - share
    difference = float(share[0] - share[1])
    return (
        difference - math.hypot(below[0], above[1]),
        difference,
        difference + math.hypot(above[0], below[1]),
    )


def _table_1(seen: pd.DataFrame, source: Source) -> Values:
    """The counts of Table 1; of SYSTEM and REPEAT the official tables have the sum."""
    computed: Values = {}
    row = ids("knowles2021", "table-1")
    printed = load_published("knowles2021").set_index("id")["published"]
    listed = seen.query("campaign == 'wmt18' and level == 'item'")
    for name, question in FILES.items():
        pairs = [*pairs_of(question).itertuples()]
        rated = {pair.language_pair: _rated(pair, source) for pair in pairs}
        total = sum(rated.values())
        system, repeat = (int(printed[row[f"{name} {item}"]]) for item in RATED_ITEMS)
        note = _with_turkish(rated)
        if note:
            note += (
                f"; the print leaves {system - listed['SYSTEM'].sum()} and "
                f"{repeat - listed['REPEAT'].sum()} for de-en, {rated['de-en']} in all"
            )
        computed[row[f"{name} SYSTEM"]] = Noted(total, note, {"REPEAT": repeat})
        computed[row[f"{name} REPEAT"]] = Noted(total, note, {"SYSTEM": system})
        if late := rated.get("en-iu"):
            room = late - total + system + repeat
            text = f"{late} of en-iu, for which the print leaves {room}"
            computed[row[f"{name} SYSTEM"]] = f"{total} with REPEAT; {text}"
        absent = pairs_at_hand(f"{question}, references", source).absent
        if not absent and "SR-DC" in {pair.style for pair in pairs}:
            references = {p.language_pair: _references(p, seen, source) for p in pairs}
            note = _with_turkish(references)
            if "de-en" in references:
                note += f"; {references['de-en']} of de-en, from segment means"
            computed[row[f"{name} REF"]] = Noted(sum(references.values()), note)
    return computed


def _with_turkish(numbers: dict[str, int]) -> str:
    """Table 1 counts a pair of 2018 that is none of the 46 of Tables 2 and 3."""
    turkish = numbers.get("tr-en")
    return f"with tr-en ({turkish}), which is none of the 46 pairs" if turkish else ""


def _rated(pair: Any, source: Source) -> int:
    """SYSTEM and REPEAT judgements of a language pair, by the official system table.

    Two rows with the same numbers, as in 2019 en-kk, are one output of two systems:
    both count.
    """
    outcome = "systems" if pair.campaign == "wmt20" else "z"
    official = load_official(
        pair.campaign, pair.language_pair, outcome=outcome, source=source
    )
    if pair.style == "SR-DC":
        official = official[~official["system"].str.upper().str.startswith("HUMAN")]
    return official["judgements"].sum()


def _references(pair: Any, seen: pd.DataFrame, source: Source) -> int:
    """REF judgements of an SR-DC pair: listed, or HUMAN of the segment means."""
    row = seen.loc[f"{pair.campaign} {pair.language_pair}"]
    if row["level"] == "item":
        return int(row["REF"])
    means = load_segment_means(pair.campaign, pair.language_pair, source=source)
    return means.loc[means["system"].str.startswith("HUMAN"), "judgements"].sum()


def _from_workers(study: Study, source: Source) -> Values:
    """Shares of workers, the sizes of HITs, and the alternate HITs of 2018."""

    def seen(question: str) -> pd.DataFrame:
        return study.seen.loc[[*pairs_at_hand(question, source).pairs]]

    eighteen = seen("2018, assessments")
    reference = eighteen["share_REF"].sort_values()
    row = ids("knowles2021", "section-5.1")
    computed: Values = {}
    for pair in ("en-et", "zh-en", "en-cs", "en-fi"):
        share = reference[f"wmt18 {pair}"]
        computed[row[f"workers who judged REF, 2018 {pair}"]] = _percent(share)
    into = seen("SR-DC 2020 MTurk, outputs")["share_REF"]
    text = f"REF: {_percent(into.min())} in {len(into)} of 10 pairs, recovered"
    computed[row["workers who judged REF and BAD_REF, 2020 into English"]] = text
    partial = partial_segments(eighteen)
    with_ids = pairs_at_hand("SR-DC 2018, HIT ids", source).pairs
    sizes = study.hit_sizes.loc[study.hit_sizes["pair"].isin(with_ids), "judgements"]
    return computed | {
        "K-2-01": {"sizes": sizes.to_numpy(), "middle": sizes.median()},
        "K-5.1-01": {"share": eighteen["share_BAD_REF"]},
        "K-5.1-06": {"order": [name.split()[1] for name in reference.index]},
        "K-N12-01": {"size": seen("2020 Appraise, outputs")["worker_size"]},
        "alternate": eighteen.sum(numeric_only=True).astype(int),
        "K-8-02": {
            "note": f"{partial.min():.1f} to {partial.max():.1f} segments in 100 "
            "judgements are partial, as is left over where a HIT of 100 ends"
        },
    }


def _from_archives(seen: pd.DataFrame, source: Source) -> Values:
    """Counts of the archives' files, and shares of workers that need an archive."""
    row = ids("knowles2021", "table-1") | ids("knowles2021", "section-5.1")
    computed: Values = {}
    for name in (*FILES, "turkle-sntlevel-newstest2019"):
        for item, number in count_items(name).items():
            computed[row[f"{name} {item}"]] = number
    for year in ("2019", "2020"):
        if pairs := pairs_at_hand(f"{year} MTurk, assessments", source).pairs:
            least = seen.loc[[*pairs], ["share_REF", "share_BAD_REF"]].min(axis=None)
            name = f"workers who judged REF and BAD_REF, {year} into English"
            computed[row[name]] = _percent(least)
    for what, (question, column) in OUT_OF_ENGLISH.items():
        judged = seen.loc[[*pairs_at_hand(question, source).pairs]]
        share = judged[column]
        recovered = (judged["level"] == "recovered").any()
        for name, end in share.agg(lowest="min", highest="max").dropna().items():
            pairs = share.index[share == end]
            text = f"{_percent(end)} ({', '.join(pair.split()[1] for pair in pairs)})"
            if recovered:
                text += ", recovered in part"
            if recovered and LATE in pairs:
                text += "; collected later than the paper's"
            computed[row[f"workers who judged {what} out of English, {name}"]] = text
    return computed


def _percent(share: float) -> str:
    """As the paper prints shares: one decimal, none if whole."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _from_batteries(changes: pd.DataFrame, source: Source) -> Values:
    """Facts of the abstract, section 5.2 and the conclusions that need judgements."""

    def rows(question: str, *kinds: str) -> pd.DataFrame:
        pairs = pairs_at_hand(question, source).pairs
        return changes[changes["pair"].isin(pairs) & changes["kind"].isin(kinds)]

    any_kind = rows("paper, assessments", "divide humans").groupby("pair")
    ends = rows("paper, assessments", "remove best", "remove worst").groupby("kind")
    degraded = rows("paper, human removable", "remove humans", "divide humans")
    moved = degraded.query("rank and kind == 'remove humans'")
    degraded = degraded.query("rank or cluster")
    lines = (degraded["lines_new"] + degraded["lines_gone"]).str.count("below")
    inflated = rows("SR-DC, assessments", "inflate worst")
    divided = rows("SR-DC, assessments", "divide humans")
    larger = rows("SR-DC, human removable", "divide humans")
    ten = larger.query("what == '10'")
    only_removed = ("remove humans", "remove REF")
    references = rows("SR+DC MTurk, human removable", *only_removed)
    where = "of the paper's pairs"
    if references.empty:
        references = rows("new SR+DC, human removable", *only_removed)
        where = "of other pairs"
    moved_by = references.groupby("kind")[["rank", "cluster"]].sum()
    new = [
        rows("new, human removable", "remove humans"),
        rows("new, assessments", "remove best", "remove worst"),
    ]
    changed = pd.concat(new).groupby(["kind", "style"])["rank"].agg(["sum", "size"])
    shown = changed["sum"].astype(int).astype(str) + "/" + changed["size"].astype(str)
    return {
        "divided": f"divided human scores: {any_kind['rank'].any().sum()} and"
        f" {any_kind['cluster'].any().sum()}",
        "K-5.2-01": {kind.split()[1]: shift for kind, shift in ends["shift"]},
        "K-5.2-03": {"moved": len(moved), "within": (~moved["cluster"]).sum()},
        "K-5.2-09": {"number": _any_change(larger), "pairs": larger["pair"].nunique()},
        "K-5.2-11": {
            "changed": len(degraded),
            "small": ((degraded["kendall"] <= 1) & (lines <= 1)).sum(),
        },
        "K-5.2-12": {**ten[["rank", "cluster"]].sum(), "pairs": len(ten)},
        "K-N13-01": {
            "without": moved_by.loc["remove humans"],
            "only": moved_by.loc["remove REF"],
            "pairs": references["pair"].nunique(),
            "where": where,
        },
        "K-N15-01": {
            "up": _any_change(inflated),
            "down": _any_change(divided),
            "pairs": inflated["pair"].nunique(),
        },
        "K-9-01": {
            "share": (changed["sum"] / changed["size"]).unstack(),
            "shown": shown.unstack(),
        },
    }


def _any_change(rows: pd.DataFrame) -> list[int]:
    """Number of pairs whose order or clusters change, by rising divisor."""
    is_changed = rows["rank"] | rows["cluster"]
    return is_changed.groupby(rows["what"].astype(float)).sum().tolist()
