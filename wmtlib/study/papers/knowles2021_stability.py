"""Knowles (2021), Table 1 and sections 5.1 and 5.2: what workers saw, Tables 2 and 3, Figure 1.

`battery` has every removal and division of one language pair. Each row of the published
table says which language pairs it needs; `changed_counts` are taken over those at hand.
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from wmtlib.assessments import ITEMS, QUALITY_CONTROL, RATED_ITEMS, Campaign
from wmtlib.cluster_lines import rank_campaign
from wmtlib.stability import CHANGES, DIVISORS, differences, perturb
from wmtlib.study.checkability import at_hand
from wmtlib.study.papers.knowles2021_rankings import LATE, PAPER_LINES
from wmtlib.study.published import ids, load_published
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
from wmtlib.study.releases.coded_campaigns import Release, load_release, simulated
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
COUNTED = ("table-2", "table-3", "figure-1")  # tables of counts "k/n"
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
OUT_OF_ENGLISH = {  # shares of workers in section 5.1: the language pairs, what the workers judged
    "human data, 2019": ("2019 Appraise, assessments", "share_HUMAN"),
    "human data, 2020": ("2020 Appraise, segment means", "share_HUMAN"),
    "BAD_REF, 2020": ("2020 Appraise, assessments", "share_BAD_REF"),
}
REMOVALS = ("remove humans", "remove best", "remove worst")


# --- Section 5.1: what HITs and workers held ------------------------------------------


def outputs_held(
    campaign: Campaign, unit: str, items: Collection[str] = RATED_ITEMS
) -> np.ndarray:
    """Accepted outputs of each system in each HIT, or worker, that holds any, (units, systems)."""
    number, size = campaign.units(unit)
    cells = campaign.cells_of(campaign.accepted & campaign.is_item(*items))
    held = np.zeros((size, len(campaign.systems)), dtype=int)
    np.add.at(held, (number[cells.judgement], cells.credit_system), 1)
    return held[held.any(axis=1)]


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Share of the HITs, or workers, that hold outputs of every system (section 6)."""
    return float((outputs_held(campaign, unit) > 0).all(axis=1).mean())


def items_by_worker(campaign: Campaign) -> pd.DataFrame:
    """Accepted judgements of each kind by each worker who has any, workers x `ITEMS`."""
    judged = campaign.accepted
    table = pd.crosstab(campaign.worker[judged], np.array(ITEMS)[campaign.item[judged]])
    return table.reindex(columns=[*ITEMS], fill_value=0)


def item_counts(campaign: Campaign) -> pd.Series:
    """Accepted judgements of each kind; a joint row counts once for each system (Table 1)."""
    times = np.maximum(np.bincount(campaign.credit, minlength=len(campaign.score)), 1)
    times[~campaign.accepted] = 0
    counted = np.bincount(campaign.item, times, len(ITEMS)).astype(np.int64)
    return pd.Series(counted, index=[*ITEMS])


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Judgements in each HIT with an id, quality control included; a joint output counts once."""
    known = (
        np.array([name != "" for name in campaign.hits])[campaign.hit]
        & campaign.accepted
    )
    hit = campaign.hit[known] * len(campaign.workers) + campaign.worker[known]
    return np.unique(hit, return_counts=True)[1]


def alternate_hits(campaign: Campaign) -> dict[str, int]:
    """Traces of the alternate HITs of 2018, which hold no REF and no REPEAT item (section 5.1).

    Returns
    -------
    dict
        Workers without a REF item; those of them without a REPEAT item too; judgements
        of the latter; segments that they judged, and those that they judged for every
        system.
    """
    items = items_by_worker(campaign)
    plain = items[(items["SYSTEM"] > 0) & (items["REF"] == 0)]
    alternate = plain[plain["REPEAT"] == 0]
    cells = campaign.cells_of(
        campaign.rated & np.isin(campaign.worker, alternate.index)
    )
    worker, place = campaign.worker[cells.judgement], campaign.place[cells.judgement]
    systems = pd.Series(cells.credit_system).groupby([worker, place]).nunique()
    row = {"workers_without_REF": len(plain), "workers_without_REPEAT": len(alternate)}
    row |= {
        "alternate_judgements": int(alternate.to_numpy().sum()),
        "segments": len(systems),
    }
    return row | {"whole": int((systems == len(campaign.systems)).sum())}


def composition(release: Release) -> dict[str, Any]:
    """What the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        pair, campaign, style, level, known (share of the judgements), humans (their
        number); number of accepted judgements of each item (`item_counts`); workers;
        share_REF, share_BAD_REF, share_HUMAN: shares of the workers who judged some;
        worker_size: judgements of the median worker that are known one by one;
        all_systems: share of the workers who judged every system; hit_sizes; then as
        `alternate_hits`.
    """
    coded, row = release.coded, {"pair": f"{release.campaign} {release.language_pair}"}
    row |= release.about("campaign", "style", "level")
    row |= {"known": release.share, "humans": len(release.humans), **item_counts(coded)}
    human = coded.is_system(release.humans)[coded.cells.credit_system]
    saw = items_by_worker(coded)[[*QUALITY_CONTROL]] > 0
    saw["HUMAN"] = saw.index.isin(coded.worker[coded.cells.judgement[human]])
    row |= {"workers": float(len(saw))} | dict(saw.mean().add_prefix("share_"))
    row["worker_size"] = float(pd.Series(coded.worker).value_counts().median())
    row["all_systems"] = share_with_every_system(coded, unit="worker")
    return row | {"hit_sizes": hit_sizes(coded)} | alternate_hits(coded)


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
    change = (
        {"score": campaign.divided(rows, divisor)} if divisor else {"counted": ~rows}
    )
    scales = [worker_scales(campaign), worker_scales(campaign, **change)]
    others = np.bincount(campaign.worker[~rows], minlength=len(campaign.workers))
    moved = np.where(others >= 20, np.abs(scales[1][1] - scales[0][1]), -1)
    numbers = [[column[np.nanargmax(moved)] for column in scale] for scale in scales]
    table = pd.DataFrame(numbers, ["before", "after"], ["judgements", "mean", "sd"])
    for x in (50, 80):
        table[f"z of {x}"] = (x - table["mean"]) / table["sd"]
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
    perturbed = perturb(
        release.coded, humans=release.humans, paired=True, **PAPER_LINES
    )
    rows = pd.concat([perturbed, _footnotes(release.coded)])
    about = release.about(
        "campaign", "language_pair", "level", "paper", "style", "interface"
    )
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
        row = {
            "kind": "inflate worst",
            "what": f"{divisor:g}",
            "judgements": float(judged.mean()),
        }
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
    usable = (table["status"] == "present") | (
        table["paper"] & (table["status"] == "partial")
    )
    pairs = [
        tuple(p) for p in table.loc[usable, ["campaign", "language_pair"]].to_numpy()
    ]
    releases = tuple(
        load_release(*pair, source=source) for pair in pairs or simulated()
    )
    depends_on = [*map(list, pairs), source.route, source.sha256]
    changes, seen = keep.result("stability", depends_on, _changes_and_seen, releases)
    return Study(releases, changes, seen)


def _changes_and_seen(releases: Sequence[Release]) -> tuple[pd.DataFrame, pd.DataFrame]:
    changes = pd.concat([battery(r) for r in releases], ignore_index=True)
    return changes, pd.DataFrame([composition(r) for r in releases]).set_index("pair")


# --- Tables 2 and 3, Figure 1 ---------------------------------------------------------


def printed_counts() -> pd.DataFrame:
    """The counts k of n in Tables 2 and 3 and Figure 1, as they are published.

    Returns
    -------
    DataFrame
        Indexed by id: item, part ("SR-DC 2018", "divisor 2, SR-DC all", ...), style,
        change, k, n, published, basis.
    """
    table = load_published("knowles2021").query("item in @COUNTED").set_index("id")
    named = table["quantity"].str.extract(r"(?P<part>.+): (?P<change>\w+) changed")
    numbers = table["published"].str.extract(r"(?P<k>\d+)/(?P<n>\d+)").astype(int)
    named["style"] = named["part"].str.extract(r"(SR.DC)")[0]
    return pd.concat([table[["item", "published", "basis"]], named, numbers], axis=1)


def chosen(changes: pd.DataFrame, part: str) -> pd.DataFrame:
    """Rows of the batteries that a part of the printed counts is about, indexed by pair."""
    kinds = {
        "lowest": "remove worst",
        "highest": "remove best",
        "divisor": "divide humans",
    }
    kind = next((kinds[word] for word in kinds if word in part), "remove humans")
    rows = changes[changes["kind"] == kind].set_index("pair")
    divisor = part.split(",")[0].removeprefix("divisor ")
    return rows[rows["what"] == divisor] if kind == "divide humans" else rows


def changed_counts(changes: pd.DataFrame, *, source: Source) -> Values:
    """Every count of Tables 2 and 3 and Figure 1, over the pairs at hand, by id.

    The rows "all" of Table 2 are sums of the rows above them.
    """
    printed = printed_counts()
    computed: Values = {}
    for row in printed.itertuples():
        if row.basis == "none":
            rows = printed.query(
                "part in @TABLE_2[@row.style] and change == @row.change"
            )
            note = f"the sum of {', '.join(rows['published'])}"
            computed[row.Index] = Noted(f"{rows['k'].sum()}/{rows['n'].sum()}", note)
        elif pairs := at_hand(row.basis, source).pairs:
            changed = chosen(changes, row.part)[row.change]
            computed[row.Index] = Counted({pair: bool(changed[pair]) for pair in pairs})
    return computed


def beside_print(board: pd.DataFrame, item: str) -> pd.DataFrame:
    """Table 1, 2 or 3 as the paper has it, ours beside each number.

    Parameters
    ----------
    board : DataFrame
        As `scoreboard.compare` gives.
    item : "table-1", "table-2" or "table-3"

    Returns
    -------
    DataFrame
        Indexed by the paper's rows; columns (the paper's, "ours" or "printed"); ""
        where nothing is at hand.
    """
    rows = board[board["item"] == item]
    names = rows["quantity"].str.extract(
        r"(?P<row>.+?):? (?P<column>\w+)(?: changed)?$"
    )
    ours = rows["reproduced"].mask(rows["status"] == "arithmetic", "the sum")
    table = names.assign(ours=ours, printed=rows["published"])
    table = table.pivot(index="row", columns="column").swaplevel(axis=1)
    return table.loc[names["row"].unique(), names["column"].unique()]


def divided_rows(changes: pd.DataFrame, *, source: Source) -> pd.DataFrame:
    """The divisions that Figure 1 shows, of the paper's pairs and of others.

    The paper's pairs are those from which human systems and REF can be removed.

    Returns
    -------
    DataFrame
        Columns panel ("the paper's", "other" or "SIMULATED"), style, pair, divisor and
        `CHANGES`.
    """
    rows = changes[(changes["kind"] == "divide humans") & (changes["judgements"] > 0)]
    rows = rows[rows["style"] != "mixed"]
    panel = np.where(rows["paper"], "the paper's", "other")
    panel = np.where(rows["level"] == "simulated", "SIMULATED", panel)
    rows = rows.assign(panel=panel, divisor=rows["what"].astype(float))
    used = rows["pair"].isin(pairs_at_hand("paper, human removable", source).pairs)
    return rows.loc[
        used | ~rows["paper"], ["panel", "style", "pair", "divisor", *CHANGES]
    ]


def printed_curves(style: str) -> pd.DataFrame:
    """Figure 1's values for one style: shares, index divisor, columns `CHANGES`."""
    rows = printed_counts().query("item == 'figure-1' and style == @style")
    divisor = rows["part"].str.extract(r"divisor ([\d.]+)")[0].astype(float)
    table = (
        (rows["k"] / rows["n"])
        .groupby([divisor.rename("divisor"), rows["change"]])
        .first()
    )
    return table.unstack()[CHANGES].rename_axis(columns=None)


# --- Beside the paper -----------------------------------------------------------------


def stability_values(study: Study, *, source: Source) -> Values:
    """What notebook 31 holds against Table 1 and sections 2, 5.1 and 5.2."""
    computed = changed_counts(study.changes, source=source) | _from_print()
    if source.kind == "raw":
        computed |= _table_1(study.seen, source) | _from_workers(study.seen, source)
        computed |= _from_batteries(study.changes, source) | _from_archives(
            study.seen, source
        )
    return computed


def _from_print() -> Values:
    """Facts of the claims that the printed counts decide: shares of language pairs, by change."""
    table = printed_counts().pivot(index="part", columns="change")[
        ["k", "n", "published"]
    ]
    table = table.reindex(CHANGES, axis=1, level=1)
    share, printed = table["k"] / table["n"], table["published"]
    parts = share.loc[[*TABLE_2["SR-DC"], *TABLE_2["SR+DC"]]]
    styles = share.loc[["SR+DC all", "SR-DC all"]]
    lowest_first = [part for part in table.index if part.startswith("without")][::-1]
    halves = [
        [part for part in lowest_first if style in part] for style in ("SR+DC", "SR-DC")
    ]
    more, less = (share.loc[rows].reset_index(drop=True) for rows in halves)
    both = zip(*(printed.loc[rows].to_numpy().ravel() for rows in halves), strict=True)
    plus = table.loc[[*TABLE_2["SR+DC"]], ["k", "n"]]
    monolingual, bilingual = (
        plus.filter(like=i, axis=0).sum() for i in ("MTurk", "Appraise")
    )
    apart, texts = [], []
    for change in CHANGES:
        (k, n), (m, o) = monolingual[:, change], bilingual[:, change]
        low, difference, high = difference_of_shares(k, n, m, o)
        apart.append(abs(difference))
        texts.append(
            f"{change} {k}/{n} and {m}/{o}, {difference:+.2f} [{low:+.2f}, {high:+.2f}]"
        )
    return {
        "plus": share.loc["SR+DC all"],
        "minus": share.loc["SR-DC all"],
        "K-5.2-02": {"whole": styles, "parts": parts}
        | {"fewer": list(parts.index[parts["rank"] < parts["cluster"]])},
        "K-5.2-07": {"more": more, "less": less}
        | {"text": "; ".join(f"{k} and {m}" for k, m in both)},
        "K-5.2-08": {
            "least": (printed_curves("SR+DC") - printed_curves("SR-DC")).min()
        },
        "K-5.2-10": {"apart": apart, "text": "; ".join(texts)},
    }


def difference_of_shares(k: int, n: int, m: int, o: int) -> tuple[float, float, float]:
    """k/n - m/o: lower end, difference, upper end; Newcombe's hybrid score interval, 95 %.

    >>> [round(x, 4) for x in difference_of_shares(56, 70, 48, 80)]  # Newcombe (1998), method 10
    [0.0524, 0.2, 0.3339]
    """
    if not n or not o:
        return np.nan, np.nan, np.nan
    ends = [
        stats.binomtest(*x).proportion_ci(method="wilson") for x in ((k, n), (m, o))
    ]
    a, b = k / n, m / o
    low = a - b - np.hypot(a - ends[0].low, ends[1].high - b)
    return float(low), a - b, float(a - b + np.hypot(ends[0].high - a, b - ends[1].low))


def _table_1(seen: pd.DataFrame, source: Source) -> Values:
    """The counts of Table 1; of SYSTEM and REPEAT the official tables have the sum."""
    computed: Values = {}
    row, printed = (
        ids("knowles2021", "table-1"),
        load_published("knowles2021").set_index("id"),
    )
    for name, question in FILES.items():
        pairs = [*pairs_of(question).itertuples()]
        rated = {pair.language_pair: _rated(pair, source) for pair in pairs}
        number = {
            item: int(printed["published"][row[f"{name} {item}"]])
            for item in RATED_ITEMS
        }
        total, note = sum(rated.values()), _with_turkish(rated)
        if note:
            listed = seen.query("campaign == 'wmt18' and level == 'item'")[
                [*RATED_ITEMS]
            ].sum()
            left = [str(number[item] - listed[item]) for item in RATED_ITEMS]
            note += f"; the print leaves {' and '.join(left)} for de-en, {rated['de-en']} in all"
        for item, other in zip(RATED_ITEMS, RATED_ITEMS[::-1], strict=True):
            computed[row[f"{name} {item}"]] = Noted(total, note, {other: number[other]})
        if late := rated.get("en-iu"):
            room = late - total + sum(number.values())
            text = f"{total} with REPEAT; {late} of en-iu, for which the print leaves {room}"
            computed[row[f"{name} SYSTEM"]] = text
        absent = pairs_at_hand(f"{question}, references", source).absent
        if "SR-DC" in {pair.style for pair in pairs} and not absent:
            references = {
                pair.language_pair: _references(pair, seen, source) for pair in pairs
            }
            note = _with_turkish(references)
            computed[row[f"{name} REF"]] = Noted(sum(references.values()), note)
    return computed


def _with_turkish(numbers: dict[str, int]) -> str:
    """Table 1 counts a language pair of 2018 that is none of the 46 of Tables 2 and 3."""
    turkish = numbers.get("tr-en")
    return f"with tr-en ({turkish}), which is none of the 46 pairs" if turkish else ""


def _rated(pair: Any, source: Source) -> int:
    """SYSTEM and REPEAT judgements of one language pair, by the official table of systems.

    Two rows with the same numbers, as in 2019 en-kk, are one output of two systems:
    both count.
    """
    outcome = "systems" if pair.campaign == "wmt20" else "z"
    official = load_official(
        pair.campaign, pair.language_pair, outcome=outcome, source=source
    )
    human = official["system"].str.upper().str.startswith("HUMAN") & (
        pair.style == "SR-DC"
    )
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
    with_hits = seen.loc[
        [*pairs_at_hand("SR-DC 2018, HIT ids", source).pairs], "hit_sizes"
    ]
    reference = eighteen["share_REF"].sort_values()
    workers = pairs_at_hand("2020 Appraise, outputs", source).pairs
    sizes = np.concatenate([*with_hits])
    row = ids("knowles2021", "section-5.1")
    computed: Values = {
        row[f"workers who judged REF, 2018 {pair}"]: _percent(
            reference[f"wmt18 {pair}"]
        )
        for pair in ("en-et", "zh-en", "en-cs", "en-fi")
    }
    into = seen.loc[
        [*pairs_at_hand("SR-DC 2020 MTurk, outputs", source).pairs], "share_REF"
    ]
    text = f"REF: {_percent(into.min())} in {len(into)} of 10 pairs, recovered"
    computed[row["workers who judged REF and BAD_REF, 2020 into English"]] = text
    partial = (
        (eighteen["segments"] - eighteen["whole"])
        / eighteen["alternate_judgements"]
        * 100
    )
    note = f"{partial.min():.1f} to {partial.max():.1f} segments in 100 judgements are partial"
    note += ", as is left over where a HIT of 100 ends"
    return computed | {
        "K-2-01": {"sizes": sizes, "middle": float(np.median(sizes))},
        "K-5.1-01": {"share": eighteen["share_BAD_REF"]},
        "K-5.1-06": {"order": [name.split()[1] for name in reference.index]},
        "K-N12-01": {"size": seen.loc[[*workers], "worker_size"]},
        "alternate": eighteen.sum(numeric_only=True).astype(int),
        "K-8-02": {"note": note},
    }


def _from_archives(seen: pd.DataFrame, source: Source) -> Values:
    """Counts of the archives' files, and shares of workers that most pairs need an archive for."""
    row = ids("knowles2021", "table-1") | ids("knowles2021", "section-5.1")
    computed: Values = {}
    for name in (*FILES, "turkle-sntlevel-newstest2019"):
        items = count_items(name)
        computed |= {row[f"{name} {item}"]: number for item, number in items.items()}
    for year in ("2019", "2020"):
        if pairs := pairs_at_hand(f"{year} MTurk, assessments", source).pairs:
            least = seen.loc[[*pairs], ["share_REF", "share_BAD_REF"]].min(axis=None)
            name = f"workers who judged REF and BAD_REF, {year} into English"
            computed[row[name]] = _percent(least)
    for what, (question, column) in OUT_OF_ENGLISH.items():
        judged = seen.loc[[*pairs_at_hand(question, source).pairs]]
        share, recovered = judged[column], "recovered" in set(judged["level"])
        for name, end in share.agg(lowest="min", highest="max").dropna().items():
            pairs = share.index[share == end]
            text = f"{_percent(end)} ({', '.join(pair.split()[1] for pair in pairs)})"
            text += ", recovered in part" if recovered else ""
            text += (
                "; collected later than the paper's"
                if recovered and LATE in pairs
                else ""
            )
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

    human = rows("paper, human removable", "remove humans").query("rank")
    any_kind = rows("paper, assessments", *REMOVALS, "divide humans").groupby("pair")
    shift = rows("paper, assessments", "remove best", "remove worst").groupby("kind")[
        "shift"
    ]
    degraded = rows("paper, human removable", "remove humans", "divide humans")
    degraded = degraded[degraded["rank"] | degraded["cluster"]]
    lines = (
        degraded[["lines_new", "lines_gone"]]
        .apply(lambda c: c.str.count("below"))
        .sum(axis=1)
    )
    inflated = rows("SR-DC, assessments", "inflate worst", "divide humans")
    down, up = (_any_change(part) for _, part in inflated.groupby("kind"))
    larger = rows("SR-DC, human removable", "divide humans")
    ten = larger[larger["what"] == "10"]
    return {
        "K-A-01": {
            "orders": any_kind["rank"].any(),
            "clusters": any_kind["cluster"].any(),
        },
        "K-5.2-01": {kind.split()[1]: part for kind, part in shift},
        "K-5.2-03": {"moved": len(human), "within": int((~human["cluster"]).sum())},
        "K-5.2-09": {"number": _any_change(larger), "pairs": larger["pair"].nunique()},
        "K-5.2-11": {"changed": len(degraded)}
        | {"small": int(((degraded["kendall"] <= 1) & (lines <= 1)).sum())},
        "K-5.2-12": ten[["rank", "cluster"]].sum().to_dict() | {"pairs": len(ten)},
        "K-N13-01": _only_references(changes, source),
        "K-N15-01": {"up": up, "down": down, "pairs": inflated["pair"].nunique()},
        "K-9-01": _new_pairs(changes, source),
    }


def _any_change(rows: pd.DataFrame) -> list[int]:
    """Number of pairs whose order or clusters change, from the least divisor to the greatest."""
    return (
        (rows["rank"] | rows["cluster"])
        .groupby(rows["what"].astype(float))
        .sum()
        .tolist()
    )


def _only_references(changes: pd.DataFrame, source: Source) -> dict[str, object]:
    """The paper's own SR+DC pairs with REF, or if none is at hand those that it did not use."""
    pairs = pairs_at_hand("SR+DC MTurk, human removable", source).pairs
    where = "of the paper's pairs"
    if not pairs:
        pairs, where = (
            pairs_at_hand("new SR+DC, human removable", source).pairs,
            "of other pairs",
        )
    moved = (
        changes[changes["pair"].isin(pairs)].groupby("kind")[["rank", "cluster"]].sum()
    )
    both = {"without": moved.loc["remove humans"], "only": moved.loc["remove REF"]}
    return both | {"pairs": len(pairs), "where": where}


def _new_pairs(changes: pd.DataFrame, source: Source) -> dict[str, object]:
    """Orders that change in the pairs that the paper did not use: k of n, by removal and style."""
    parts = {}
    for kind in REMOVALS:
        need = "human removable" if kind == "remove humans" else "assessments"
        pairs = pairs_at_hand(f"new, {need}", source).pairs
        rows = changes[changes["pair"].isin(pairs) & (changes["kind"] == kind)]
        parts[kind] = rows.groupby("style")["rank"].agg(["sum", "size"]).astype(int)
    table = pd.concat(parts)
    shown = table["sum"].astype(str) + "/" + table["size"].astype(str)
    return {"share": (table["sum"] / table["size"]).unstack(), "shown": shown.unstack()}
