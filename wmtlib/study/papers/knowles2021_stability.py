"""Knowles (2021), Table 1 and sections 5.1 and 5.2: what workers saw, Tables 2 and 3, Figure 1.

`battery` has every removal and division of one language pair. Each row of the published table says
which language pairs it needs; `changed_counts` are taken over those at hand.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.cluster_lines import rank_campaign
from wmtlib.counts import ITEMS, RATED_ITEMS
from wmtlib.stability import CHANGES, DIVISORS, differences, perturb
from wmtlib.study import keep
from wmtlib.study.checkability import at_hand
from wmtlib.study.papers.knowles2021_rankings import PAPER_LINES
from wmtlib.study.published import ids, load_published
from wmtlib.study.releases.assessment_catalogue import availability, pairs_at_hand, pairs_of
from wmtlib.study.releases.assessment_releases import load_official, load_segment_means
from wmtlib.study.releases.coded_campaigns import Release, load_release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Counted, Noted, Values
from wmtlib.zscores import QUALITY_CONTROL, Campaign, worker_scales

# Rows of Table 1 and the language pairs of each, as `pairs_of` reads them.
FILES = {
    "newstest2018": "any 2018",
    "appraise-doclevel-newstest2019": "2019 Appraise",
    "mturk-sntlevel-newstest2019": "SR-DC 2019 MTurk",
    "appraise-doclevel-newstest2020": "2020 Appraise",
    "mturk-sntlevel-newstest2020": "SR-DC 2020 MTurk",
    "mturk-doclevel-newstest2020": "SR+DC 2020 MTurk",
}
COUNTED = ("table-2", "table-3", "figure-1")  # tables of counts "k/n"
TWO_STYLES = ("SR-DC", "SR+DC")
TABLE_2 = {
    "SR-DC": ("SR-DC 2018", "SR-DC 2019 MTurk", "SR-DC 2020 MTurk"),
    "SR+DC": ("SR+DC 2019 MTurk", "SR+DC 2019 Appraise", "SR+DC 2020 MTurk", "SR+DC 2020 Appraise"),
}
MONOLINGUAL = ["SR+DC 2019 MTurk", "SR+DC 2020 MTurk"]
BILINGUAL = ["SR+DC 2019 Appraise", "SR+DC 2020 Appraise"]
REMOVALS = ("remove humans", "remove best", "remove worst")


# --- Section 5.1: what HITs and workers held ------------------------------------------------------


def has_system(campaign: Campaign, unit: str) -> np.ndarray:
    """Whether a HIT, or worker, holds accepted outputs of a system, (units, systems) of bool."""
    number, size = campaign.units(unit)
    cells = campaign.cells
    held = np.zeros((size, len(campaign.systems)), dtype=bool)
    held[number[cells.judgement], cells.credit_system] = True
    return held


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Share of the HITs, or workers, that hold outputs of every system (section 6)."""
    held = has_system(campaign, unit)
    return float(held[held.any(axis=1)].all(axis=1).mean())


def shares_of_workers(campaign: Campaign, *, humans: Collection[str]) -> pd.Series:
    """Share of the accepted workers who judged REF, BAD_REF and human items (section 5).

    Returns
    -------
    Series
        REF, BAD_REF, HUMAN (outputs of human systems) and workers (their number); 0..1.
    """
    human = np.zeros(len(campaign.score), dtype=bool)
    human[campaign.credit[campaign.is_system(humans)[campaign.credit_system]]] = True
    rows = {item: campaign.is_item(item) for item in QUALITY_CONTROL}
    rows["HUMAN"] = human & campaign.is_item(*RATED_ITEMS)
    workers = len(np.unique(campaign.worker[campaign.accepted]))
    share = {
        name: len(np.unique(campaign.worker[chosen & campaign.accepted])) / workers
        for name, chosen in rows.items()
    }
    return pd.Series({**share, "workers": workers})


def item_counts(campaign: Campaign) -> pd.Series:
    """Accepted judgements of each kind; a joint row counts once for each system (Table 1)."""
    times = np.maximum(np.bincount(campaign.credit, minlength=len(campaign.score)), 1)
    times[~campaign.accepted] = 0
    counted = np.bincount(campaign.item, times, len(ITEMS)).astype(np.int64)
    return pd.Series(counted, index=[*ITEMS])


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Judgements in each HIT with an id, quality control included; a joint output counts once."""
    known = np.array([name != "" for name in campaign.hits])[campaign.hit] & campaign.accepted
    if not known.any():
        return np.array([], dtype=int)
    number, size = campaign.select(known).units("hit")
    return np.bincount(number, minlength=size)


def alternate_hits(campaign: Campaign) -> dict[str, int]:
    """Traces of the alternate HITs of 2018, which hold no REF and no REPEAT item (section 5.1).

    Returns
    -------
    dict
        Workers without a REF item; those of them without a REPEAT item too; segments that the
        latter judged, and those that they judged for every system.
    """
    workers = len(campaign.workers)
    saw = {
        item: np.bincount(campaign.worker[campaign.is_item(item)], minlength=workers) > 0
        for item in ITEMS
    }
    plain = saw["SYSTEM"] & ~saw["REF"]
    alternate = plain & ~saw["REPEAT"]
    chosen = campaign.rated[campaign.credit] & alternate[campaign.worker[campaign.credit]]
    credit = campaign.credit[chosen]
    columns = (campaign.worker[credit], campaign.place[credit], campaign.credit_system[chosen])
    outputs = pd.DataFrame(dict(zip(("worker", "place", "system"), columns, strict=True)))
    systems = outputs.groupby(["worker", "place"])["system"].nunique()
    row = {"workers_without_REF": int(plain.sum())}
    row |= {"workers_without_REPEAT": int(alternate.sum()), "segments": len(systems)}
    return row | {"whole": int((systems == len(campaign.systems)).sum())}


def composition(release: Release) -> dict[str, Any]:
    """What the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        pair, campaign, style, level, known (share of the judgements), humans (their number); number
        of accepted judgements of each item (`item_counts`); workers; share_REF, share_BAD_REF,
        share_HUMAN: shares of the workers who judged some; all_systems: share of the workers who
        judged every system; hit_sizes; then as `alternate_hits`.
    """
    coded, names = release.coded, ("campaign", "style", "level")
    row = {"pair": f"{release.campaign} {release.language_pair}"}
    row |= {name: getattr(release, name) for name in names}
    row |= {"known": release.share, "humans": len(release.humans), **item_counts(coded)}
    shares = shares_of_workers(coded, humans=release.humans)
    row |= {"workers": shares.pop("workers")} | dict(shares.add_prefix("share_"))
    row["all_systems"] = share_with_every_system(coded, unit="worker")
    return row | {"hit_sizes": hit_sizes(coded)} | alternate_hits(coded)


# --- Section 5.2: remove and divide ---------------------------------------------------------------


def changed_scale(campaign: Campaign, rows: np.ndarray, *, divisor: float = 0) -> pd.DataFrame:
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
    change = {"score": campaign.divided(rows, divisor)} if divisor else {"weight": ~rows}
    scales = [worker_scales(campaign), worker_scales(campaign, **change)]
    others = np.bincount(campaign.worker[~rows], minlength=len(campaign.workers))
    moved = np.where(others >= 20, np.abs(scales[1][1] - scales[0][1]), -1)
    columns = ["judgements", "mean", "sd"]
    table = pd.DataFrame([[column[np.nanargmax(moved)] for column in scale] for scale in scales])
    table = table.set_axis(["before", "after"]).set_axis(columns, axis=1)
    for x in (50, 80):
        table[f"z of {x}"] = (x - table["mean"]) / table["sd"]
    return table.astype({"judgements": int})


def before_after(campaign: Campaign, rows: np.ndarray, unranked: np.ndarray) -> pd.DataFrame:
    """The ranking of some systems before and after judgements are removed (section 5.2).

    Parameters
    ----------
    rows : ndarray of bool, (judgements,)
        Removed.
    unranked : ndarray of bool, (systems,)
        Systems that are ranked on neither side.

    Returns
    -------
    DataFrame
        Best first, before: system, z, place and line; then z, place and line after.
    """
    before = rank_campaign(campaign, **PAPER_LINES).restricted(~unranked).ranking.table
    after = rank_campaign(campaign, scales_from=~rows, unranked=unranked, **PAPER_LINES)
    tables = []
    for table in (before, after.ranking.table):
        table = table.assign(place=range(1, len(table) + 1), z=table["score"].round(3))
        line = table["line"].map({True: "line", False: ""})
        tables.append(table.assign(line=line)[["system", "z", "place", "line"]])
    return tables[0].merge(tables[1], on="system", suffixes=("", " after")).set_index("system")


def battery(release: Release) -> pd.DataFrame:
    """Everything that section 5.2 does to one language pair.

    Returns
    -------
    DataFrame
        The rows of `stability.perturb`, and "remove REF" (footnote 13) and "inflate worst"
        (footnote 15), with the columns pair, level, paper, style, interface, and shift: how much
        the mean z-score of the systems that stay has risen.
    """
    perturbed = perturb(release.coded, humans=release.humans, paired=True, **PAPER_LINES)
    rows = pd.concat([perturbed, _footnotes(release.coded)])
    names = ("campaign", "language_pair", "level", "paper", "style", "interface")
    about = {name: getattr(release, name) for name in names}
    pair = f"{release.campaign} {release.language_pair}"
    return rows.assign(**about, pair=pair, shift=_shifts(release.coded, rows))


def _footnotes(coded: Campaign) -> pd.DataFrame:
    """The perturbations of footnotes 13 and 15."""
    full, references = rank_campaign(coded, **PAPER_LINES), coded.is_item("REF")
    worst = np.arange(len(coded.systems)) == full.order[-1]
    judged = coded.rows_of(worst, items=(), paired=False)
    without = rank_campaign(coded, scales_from=~references, **PAPER_LINES)
    row = {"kind": "remove REF", "what": "", "judgements": float(references.mean())}
    rows = [row | differences(full, without)]
    for divisor in DIVISORS:
        score = np.where(judged, 100 - (100 - coded.score) / divisor, coded.score)
        after = rank_campaign(coded, score=score, unranked=worst, **PAPER_LINES)
        row = {"kind": "inflate worst", "what": f"{divisor:g}", "judgements": float(judged.mean())}
        rows.append(row | differences(full.restricted(~worst), after))
    return pd.DataFrame(rows)


def _shifts(coded: Campaign, rows: pd.DataFrame) -> np.ndarray:
    """Rise of the mean z-score of the systems that stay, where the best or the worst is removed."""
    full, shift = rank_campaign(coded, **PAPER_LINES), np.full(len(rows), np.nan)
    for k in np.flatnonzero(rows["kind"].isin(["remove best", "remove worst"])):
        gone = coded.is_system([rows["what"].iloc[k]])
        stay = ~coded.rows_of(gone, items=(), paired=True)
        after = rank_campaign(coded, scales_from=stay, unranked=gone, **PAPER_LINES)
        shift[k] = np.mean(after.score[~gone]) - np.mean(full.score[~gone])
    return shift


class Study(NamedTuple):
    """All that notebook 31 computes of the language pairs at hand.

    Attributes
    ----------
    releases : tuple of Release
    changes : DataFrame
        Rows of `battery`.
    seen : DataFrame
        Rows of `composition`, indexed by "campaign pair".
    """

    releases: tuple[Release, ...]
    changes: pd.DataFrame
    seen: pd.DataFrame


def study(*, source: Source) -> Study:
    """Load every pair with single judgements, released or recovered; else the simulated ones."""
    table = availability(source)
    usable = (table["status"] == "present") | (table["paper"] & (table["status"] == "partial"))
    pairs = [tuple(p) for p in table.loc[usable, ["campaign", "language_pair"]].to_numpy()]
    releases = tuple(load_release(*pair, source=source) for pair in pairs or simulated())
    depends_on = [*map(list, pairs), source.route, source.sha256]
    changes, seen = keep.result("stability", depends_on, _changes_and_seen, releases)
    return Study(releases, changes, seen)


def _changes_and_seen(releases: Sequence[Release]) -> tuple[pd.DataFrame, pd.DataFrame]:
    changes = pd.concat([battery(r) for r in releases], ignore_index=True)
    return changes, pd.DataFrame([composition(r) for r in releases]).set_index("pair")


# --- Tables 2 and 3, Figure 1 ---------------------------------------------------------------------


def printed_counts() -> pd.DataFrame:
    """The counts k of n in Tables 2 and 3 and Figure 1, as they are published.

    Returns
    -------
    DataFrame
        Indexed by id: item, part ("SR-DC 2018", "divisor 2, SR-DC all", ...), style, change, k, n,
        published, basis.
    """
    table = load_published("knowles2021").query("item in @COUNTED").set_index("id")
    named = table["quantity"].str.extract(r"(?P<part>.+): (?P<change>\w+) changed")
    numbers = table["published"].str.extract(r"(?P<k>\d+)/(?P<n>\d+)").astype(int)
    named["style"] = named["part"].str.extract(r"(SR.DC)")[0]
    return pd.concat([table[["item", "published", "basis"]], named, numbers], axis=1)


def chosen(changes: pd.DataFrame, part: str) -> pd.DataFrame:
    """Rows of the batteries that a part of the printed counts is about, indexed by pair."""
    kinds = {"lowest": "remove worst", "highest": "remove best", "divisor": "divide humans"}
    kind = next((kinds[word] for word in kinds if word in part), "remove humans")
    rows = changes[changes["kind"] == kind].set_index("pair")
    divisor = part.split(",")[0].removeprefix("divisor ")
    return rows[rows["what"] == divisor] if kind == "divide humans" else rows


def changed_counts(changes: pd.DataFrame, *, source: Source) -> Values:
    """Every count of Tables 2 and 3 and Figure 1, over the pairs at hand, by id.

    Where none is at hand, the text says what the pairs give that are recovered without all that
    the row needs; where nothing is removed from a pair, it does not count there either. The rows
    "all" of Table 2 are sums of the rows above them.
    """
    printed = printed_counts()
    computed: Values = {}
    for row in printed.itertuples():
        if row.basis == "none":
            rows = printed.query("part in @TABLE_2[@row.style] and change == @row.change")
            note = f"the sum of {', '.join(rows['published'])}"
            computed[row.Index] = Noted(f"{rows['k'].sum()}/{rows['n'].sum()}", note)
        elif source.kind == "raw":
            hand = at_hand(row.basis, source)
            rows = chosen(changes, row.part)
            others = rows.loc[rows.index.intersection([*hand.absent])].query("judgements > 0")
            if hand.pairs:
                outcomes = {pair: bool(rows.loc[pair, row.change]) for pair in hand.pairs}
                computed[row.Index] = Counted(outcomes)
            elif len(others):
                text = f"{int(others[row.change].sum())}/{len(others)} of the recovered pairs"
                computed[row.Index] = text
    return computed


def count_table(computed: Values, item: str) -> pd.DataFrame:
    """The counts of one table beside the printed ones.

    Parameters
    ----------
    computed : mapping
        As `changed_counts` gives.
    item : "table-2", "table-3" or "figure-1"

    Returns
    -------
    DataFrame
        Indexed by part; columns (change, "ours" or "printed"); "" where no pair is at hand.
    """
    table: dict[str, dict[tuple[str, str], str]] = {}
    for row in printed_counts().query("item == @item").itertuples():
        value = computed.get(row.Index, "")
        if isinstance(value, Counted):
            value = f"{sum(value.outcomes.values())}/{len(value.outcomes)}"
        ours = "the sum" if isinstance(value, Noted) else value.replace(" of the", "")
        cells = table.setdefault(row.part, {})
        cells[row.change, "ours"] = ours.removesuffix(" pairs")
        cells[row.change, "printed"] = row.published
    return pd.DataFrame(table).T.rename_axis("part")


def divided_rows(changes: pd.DataFrame, *, source: Source) -> pd.DataFrame:
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
    used = rows["pair"].isin(pairs_at_hand("paper, human removable", source).pairs)
    return rows.loc[used | ~rows["paper"], ["panel", "style", "pair", "divisor", *CHANGES]]


def printed_curves(style: str) -> pd.DataFrame:
    """Figure 1's values for one style: shares, index divisor, columns `CHANGES`."""
    rows = printed_counts().query("item == 'figure-1' and style == @style")
    divisor = rows["part"].str.extract(r"divisor ([\d.]+)")[0].astype(float)
    table = (rows["k"] / rows["n"]).groupby([divisor.rename("divisor"), rows["change"]]).first()
    return table.unstack()[CHANGES].rename_axis(columns=None)


# --- Beside the paper -----------------------------------------------------------------------------


def stability_values(study: Study, *, source: Source) -> Values:
    """What notebook 31 holds against Table 1 and sections 2, 5.1 and 5.2."""
    computed = changed_counts(study.changes, source=source) | _from_print()
    if source.kind == "raw":
        computed |= _table_1(study.seen, source) | _from_workers(study.seen, source)
        computed |= _from_batteries(study.changes, source)
    return computed


def _from_print() -> Values:
    """Facts of the claims that the printed counts decide: shares of language pairs, by change."""
    table = printed_counts().pivot(index="part", columns="change")[["k", "n", "published"]]
    table = table.reindex(CHANGES, axis=1, level=1)
    share, printed = table["k"] / table["n"], table["published"]
    parts = share.loc[[*TABLE_2["SR-DC"], *TABLE_2["SR+DC"]]]
    styles = share.loc[["SR+DC all", "SR-DC all"]]
    halves = [
        [f"without the {which} ranked, {style} all" for which in ("lowest", "highest")]
        for style in ("SR+DC", "SR-DC")
    ]
    more, less = (share.loc[rows].set_axis(["lowest", "highest"]) for rows in halves)
    both = zip(*(printed.loc[rows].to_numpy().ravel() for rows in halves), strict=True)
    tasks = [table.loc[rows, ["k", "n"]].sum() for rows in (MONOLINGUAL, BILINGUAL)]
    monolingual, bilingual = (task["k"] / task["n"] for task in tasks)
    texts = [[f"{task['k'][c]}/{task['n'][c]}" for c in CHANGES] for task in tasks]
    by_task = zip(CHANGES, *texts, strict=True)
    return {
        "plus": share.loc["SR+DC all"],
        "minus": share.loc["SR-DC all"],
        "K-5.2-02": {"whole": styles, "parts": parts}
        | {"fewer": list(parts.index[parts["rank"] < parts["cluster"]])},
        "K-5.2-07": {"more": more, "less": less}
        | {"text": "; ".join(f"{k} and {m}" for k, m in both)},
        "K-5.2-08": {"least": (printed_curves("SR+DC") - printed_curves("SR-DC")).min()},
        "K-5.2-10": {"monolingual": monolingual, "bilingual": bilingual}
        | {"text": "; ".join(f"{change} {k} and {m}" for change, k, m in by_task)},
    }


def _table_1(seen: pd.DataFrame, source: Source) -> Values:
    """The counts of Table 1, and what the data say of those that cannot be checked."""
    computed: Values = {}
    row, appraise = ids("knowles2021", "table-1"), "appraise-doclevel-newstest"
    for name, question in FILES.items():
        pairs = pairs_of(question)
        rated = sum(_rated(pair, source) for pair in pairs.itertuples())
        computed[row[f"{name} SYSTEM"]] = f"{rated} with REPEAT"
        computed[row[f"{name} REPEAT"]] = f"{rated} with SYSTEM"
        absent = pairs_at_hand(f"{question}, references", source).absent
        if "SR-DC" in set(pairs["style"]) and not absent:
            references = [_references(pair, seen, source) for pair in pairs.itertuples()]
            computed[row[f"{name} REF"]] = sum(references)
        if name == f"{appraise}2019":
            note = "judgements of the official tables, which count REPEAT too; none is printed"
            computed[row[f"{name} SYSTEM"]] = Noted(rated, note)
            del computed[row[f"{name} REPEAT"]]
    late = sum(_rated(pair, source) for pair in pairs_of("wmt20/en-iu").itertuples())
    computed[row[f"{appraise}2020 SYSTEM"]] += f"; {late} of en-iu, where collection was late"
    return computed


def _rated(pair: Any, source: Source) -> int:
    """SYSTEM and REPEAT judgements of one language pair, by the official table of systems.

    Two rows with the same numbers, as in 2019 en-kk, are one output of two systems: both count.
    """
    outcome = "systems" if pair.campaign == "wmt20" else "z"
    official = load_official(pair.campaign, pair.language_pair, outcome=outcome, source=source)
    human = official["system"].str.upper().str.startswith("HUMAN") & (pair.style == "SR-DC")
    return int(official.loc[~human, "judgements"].sum())


def _references(pair: Any, seen: pd.DataFrame, source: Source) -> int:
    """REF judgements of an SR-DC pair: listed, or the system HUMAN of the segment means."""
    row = seen.loc[f"{pair.campaign} {pair.language_pair}"]
    if row["level"] == "item":
        return int(row["REF"])
    means = load_segment_means(pair.campaign, pair.language_pair, source=source)
    return int(means.loc[means["system"].str.startswith("HUMAN"), "judgements"].sum())


def _from_workers(seen: pd.DataFrame, source: Source) -> Values:
    """Shares of workers, the sizes of HITs, and the alternate HITs of 2018."""
    eighteen = seen.loc[[*pairs_at_hand("2018, assessments", source).pairs]]
    twenty = seen.loc[[*pairs_at_hand("2020 Appraise, segment means", source).pairs]]
    with_hits = seen.loc[[*pairs_at_hand("SR-DC 2018, HIT ids", source).pairs], "hit_sizes"]
    reference, human = eighteen["share_REF"].sort_values(), twenty["share_HUMAN"].sort_values()
    sizes = np.concatenate([*with_hits])
    number = ["workers_without_REF", "workers_without_REPEAT", "segments", "whole"]
    row = ids("knowles2021", "section-5.1")
    computed: Values = {
        row[f"workers who judged REF, 2018 {pair}"]: _percent(reference[f"wmt18 {pair}"])
        for pair in ("en-et", "zh-en", "en-cs", "en-fi")
    }
    for name, k in (("lowest", 0), ("highest", -1)):
        text = f"{_percent(human.iloc[k])} ({human.index[k].split()[1]}), recovered in part"
        computed[row[f"workers who judged human data, 2020 out of English, {name}"]] = text
    return computed | {
        "K-2-01": {"sizes": sizes, "middle": float(np.median(sizes))},
        "K-5.1-01": {"share": eighteen["share_BAD_REF"]},
        "K-5.1-06": {"order": [name.split()[1] for name in reference.index]},
        "alternate": eighteen[number].sum().astype(int),
    }


def _percent(share: float) -> str:
    """As the paper prints shares: one decimal, none if whole."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _from_batteries(changes: pd.DataFrame, source: Source) -> Values:
    """Facts of the abstract, section 5.2 and the conclusions that need judgements."""

    def rows(question: str, *kinds: str) -> pd.DataFrame:
        pairs = pairs_at_hand(question, source).pairs
        return changes[changes["pair"].isin(pairs) & changes["kind"].isin(kinds)]

    human = rows("paper, human removable", "remove humans").query("rank")
    any_kind = rows("paper, assessments", *REMOVALS, "divide humans").groupby("pair")
    shift = rows("paper, assessments", "remove best", "remove worst").groupby("kind")["shift"]
    degraded = rows("paper, human removable", "remove humans", "divide humans")
    degraded = degraded[degraded["rank"] | degraded["cluster"]]
    lines = degraded[["lines_new", "lines_gone"]].apply(lambda c: c.str.count("below")).sum(axis=1)
    inflated = rows("SR-DC, assessments", "inflate worst", "divide humans")
    down, up = (_any_change(part) for _, part in inflated.groupby("kind"))
    larger = rows("SR-DC, human removable", "divide humans")
    return {
        "K-A-01": {"orders": any_kind["rank"].any(), "clusters": any_kind["cluster"].any()},
        "K-5.2-01": {kind.split()[1]: part for kind, part in shift},
        "K-5.2-03": {"moved": len(human), "within": int((~human["cluster"]).sum())},
        "K-5.2-09": {"number": _any_change(larger), "pairs": larger["pair"].nunique()},
        "K-5.2-11": {"changed": len(degraded)}
        | {"small": int(((degraded["kendall"] <= 1) & (lines <= 1)).sum())},
        "K-N13-01": _only_references(changes, source),
        "K-N15-01": {"up": up, "down": down, "pairs": inflated["pair"].nunique()},
        "K-9-01": _new_pairs(changes, source),
    }


def _any_change(rows: pd.DataFrame) -> list[int]:
    """Number of pairs whose order or clusters change, from the least divisor to the greatest."""
    return (rows["rank"] | rows["cluster"]).groupby(rows["what"].astype(float)).sum().tolist()


def _only_references(changes: pd.DataFrame, source: Source) -> dict[str, object]:
    """The paper's own SR+DC pairs with REF, or if none is at hand those that it did not use."""
    pairs = pairs_at_hand("SR+DC MTurk, human removable", source).pairs
    where = "of the paper's pairs"
    if not pairs:
        pairs, where = pairs_at_hand("new SR+DC, human removable", source).pairs, "of other pairs"
    moved = changes[changes["pair"].isin(pairs)].groupby("kind")[["rank", "cluster"]].sum()
    both = {"without": moved.loc["remove humans"], "only": moved.loc["remove REF"]}
    return both | {"pairs": len(pairs), "where": where}


def _new_pairs(changes: pd.DataFrame, source: Source) -> dict[str, object]:
    """Orders that change in the pairs that the paper did not use: k of n, by removal and style."""
    k, n = pd.DataFrame(index=[*REMOVALS]), pd.DataFrame(index=[*REMOVALS])
    for style in TWO_STYLES:
        for kind in REMOVALS:
            need = "human removable" if kind == "remove humans" else "assessments"
            pairs = pairs_at_hand(f"new {style}, {need}", source).pairs
            rows = changes[changes["pair"].isin(pairs) & (changes["kind"] == kind)]
            k.loc[kind, style], n.loc[kind, style] = rows["rank"].sum(), len(rows)
    shown = k.astype(int).astype(str) + "/" + n.astype(int).astype(str)
    return {"share": k / n, "shown": shown}
