"""Knowles (2021), sections 5.1 and 5.2: what workers saw, Tables 1 to 3, Figure 1.

`battery` has every removal and division of one language pair. Each row of the published
table says which language pairs it needs; `changed_counts` are taken over those at hand.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from study.campaigns import Release, load_all, simulated
from study.data.assessment_catalogue import (
    availability,
    pairs_at_hand,
    pairs_of,
)
from study.data.assessment_releases import (
    count_items,
    load_official,
    load_segment_means,
)
from study.data.sources import Source
from study.knowles2021.section_3 import (
    LATE,
    PAPER_LINES,
    columns_at_hand,
    order_and_means,
)
from study.run import keep
from study.scoreboard.published import at_hand, ids, load_published
from study.scoreboard.verdicts import Counted, Noted, Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import (
    ITEMS,
    QUALITY_CONTROL,
    RATED_ITEMS,
    Campaign,
    leave_out,
)
from wmtlib.core.corrections import wilson
from wmtlib.removals import CHANGES, DIVISORS, differences, divide
from wmtlib.zscores import worker_scales

TWO_STYLES = ("SR-DC", "SR+DC")
# What is done, in the words of the printed counts; human scores are divided by "divisor
# 2" and so on.
STEPS = {
    "remove humans": "",
    "remove best": "without the highest ranked",
    "remove worst": "without the lowest ranked",
}


# --- Section 5.1: what HITs and workers held ------------------------------------------


def outputs_held(
    campaign: Campaign, unit: str, items: Collection[str] = RATED_ITEMS
) -> pd.DataFrame:
    """Count accepted outputs of each system in each HIT, or of each worker.

    Returns
    -------
    DataFrame of int, units x systems
    """
    number, _ = campaign.units(unit)
    cells = campaign.cells_of(campaign.accepted & campaign.is_item(*items))
    outputs = pd.crosstab(number[cells.judgement], cells.credit_system)
    return outputs.rename(columns=dict(enumerate(campaign.systems)))


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Compute the share of HITs, or workers, with outputs of every system."""
    return (outputs_held(campaign, unit) > 0).all(axis=1).mean()


def has_hit_id(campaign: Campaign) -> np.ndarray:
    """Return whether the HIT of each judgement is known, (judgements,) of bool."""
    return np.array(campaign.hits)[campaign.hit] != ""


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Count the judgements in each HIT with an id; a joint output counts once."""
    known = campaign.select(has_hit_id(campaign) & campaign.accepted)
    return np.bincount(known.units("hit")[0])


def composition(release: Release) -> dict[str, Any]:
    """Describe what the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        pair, campaign, style, level, known (share of the judgements), humans (their
        number); number of accepted judgements of each item, a joint row counting once
        for each of its systems (Table 1); workers;
        share_REF, share_BAD_REF, share_HUMAN: shares of the workers who judged some;
        worker_size: judgements of the median worker that are known one by one;
        all_systems: share of the workers who judged every system.
        Traces of the alternate HITs of 2018, without REF and REPEAT items (section
        5.1): workers_without_REF; workers_without_REPEAT, those of them without a
        REPEAT item too; alternate_judgements, all of theirs; segments that they judged,
        and whole, those that they judged for every system.
    """
    coded = release.coded
    cells = coded.cells
    times = np.bincount(coded.credit, minlength=len(coded.score)).clip(1)
    counts = np.bincount(coded.item, times * coded.accepted, len(ITEMS)).astype(int)
    item = np.array(ITEMS)[coded.item]
    items = pd.crosstab(coded.worker[coded.accepted], item[coded.accepted])
    items = items.reindex(columns=[*ITEMS], fill_value=0)
    worker = coded.worker[cells.judgement]
    is_human = coded.is_system(release.humans)[cells.credit_system]
    judged = items[[*QUALITY_CONTROL]] > 0
    judged["HUMAN"] = judged.index.isin(worker[is_human])
    without_ref = items.query("SYSTEM > 0 and REF == 0")
    alternate = without_ref.query("REPEAT == 0")
    place = coded.place[cells.judgement]
    systems = pd.Series(cells.credit_system).groupby([worker, place]).nunique()
    systems = systems.loc[alternate.index]
    return {
        "pair": f"{release.campaign} {release.language_pair}",
        **release.about("campaign", "style", "level"),
        "known": release.share,
        "humans": len(release.humans),
        **dict(zip(ITEMS, counts, strict=True)),
        "workers": float(len(judged)),
        **judged.mean().add_prefix("share_"),
        "worker_size": pd.Series(coded.worker).value_counts().median(),
        "all_systems": share_with_every_system(coded, unit="worker"),
        "workers_without_REF": len(without_ref),
        "workers_without_REPEAT": len(alternate),
        "alternate_judgements": alternate.to_numpy().sum(),
        "segments": len(systems),
        "whole": (systems == len(coded.systems)).sum(),
    }


# --- Section 5.2: remove and divide ---------------------------------------------------


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
    """All that notebook 31 computes of the language pairs at hand.

    Attributes
    ----------
    releases : list of Release
    changes : DataFrame
        Rows of `battery`.
    seen : DataFrame
        Rows of `composition`, indexed by "campaign pair".
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


# --- Tables 2 and 3, Figure 1 ---------------------------------------------------------


def printed_counts() -> pd.DataFrame:
    """Read the counts k of n of Tables 2 and 3 and Figure 1, as they are published.

    Returns
    -------
    DataFrame
        Indexed by id: step (what is done, in words as those of `STEPS`), part ("SR-DC
        2018", "SR-DC all", ...), style, change, k, n, published, basis.
    """
    table = load_published("knowles2021").set_index("id")
    table = table.query("item in ['table-2', 'table-3', 'figure-1']")
    names = table["quantity"].str.extract(
        r"(?:(?P<step>.+), )?(?P<part>(?P<style>SR.DC).*): (?P<change>\w+) "
    )
    numbers = table["published"].str.extract(r"(?P<k>\d+)/(?P<n>\d+)").astype(int)
    columns = table[["published", "basis"]]
    return pd.concat([columns, names.fillna(""), numbers], axis=1)


def changed_counts(changes: pd.DataFrame, *, source: Source) -> Values:
    """Count as Tables 2 and 3 and Figure 1 do, over the pairs at hand, by id.

    The rows "all" of Table 2 are sums of the rows above them.
    """
    printed = printed_counts()
    parts = printed.query("step == '' and basis != 'none'")
    pairs = {basis: at_hand(basis, source).pairs for basis in printed["basis"].unique()}
    is_divided = changes["kind"] == "divide humans"
    step = changes["kind"].map(STEPS).mask(is_divided, "divisor " + changes["what"])
    by_step = dict([*changes.assign(step=step).set_index("pair").groupby("step")])
    computed: Values = {}
    for row in printed.itertuples():
        if row.basis == "none":
            rows = parts.query("style == @row.style and change == @row.change")
            note = f"the sum of {', '.join(rows['published'])}"
            computed[row.Index] = Noted(f"{rows['k'].sum()}/{rows['n'].sum()}", note)
        elif pairs[row.basis]:
            changed = by_step[row.step].loc[[*pairs[row.basis]], row.change]
            computed[row.Index] = Counted(changed.to_dict())
    return computed


def beside_print(board: pd.DataFrame, item: str) -> pd.DataFrame:
    """Lay out Table 1, 2 or 3 as the paper has it, ours beside each number.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare`.
    item : "table-1", "table-2" or "table-3"

    Returns
    -------
    DataFrame
        Rows as in the paper; of each of its columns one of ours and the printed one.
    """
    rows = board[board["item"] == item]
    names = rows["quantity"].str.extract(
        r"(?P<row>.+?):? (?P<column>\w+)(?: changed)?$"
    )
    ours = rows["reproduced"].mask(rows["status"] == "arithmetic", "the sum")
    table = names.assign(ours=ours, printed=rows["published"])
    table = table.pivot(index="row", columns="column").swaplevel(axis=1)
    table = table.loc[names["row"].unique(), names["column"].unique()]
    return table.set_axis(map(", ".join, table.columns), axis=1).reset_index()


def printed_curves(style: str) -> pd.DataFrame:
    """Read Figure 1's shares for one style; index divisor, columns `CHANGES`."""
    rows = printed_counts().query("style == @style and step.str.contains('divisor')")
    divisor = rows["step"].str.removeprefix("divisor ").astype(float)
    rows = rows.assign(divisor=divisor, share=rows["k"] / rows["n"])
    return rows.pivot(index="divisor", columns="change", values="share")[CHANGES]


def partial_segments(seen: pd.DataFrame) -> pd.Series:
    """Count segments not judged for every system, in 100 alternate judgements."""
    partial = seen["segments"] - seen["whole"]
    return (partial / seen["alternate_judgements"] * 100).astype(float)


# --- Beside the paper -----------------------------------------------------------------


def stability_values(study: Study, *, source: Source) -> Values:
    """Collect the values that notebook 31 compares with the paper."""
    computed = changed_counts(study.changes, source=source) | _from_print()
    if source.kind == "raw":
        computed |= _table_1(study.seen, source)
        computed |= _from_workers(study, source)
        computed |= _from_batteries(study.changes.set_index("pair"), source)
        computed |= _shares_of_workers(study.seen, source)
    return computed


def _from_print() -> Values:
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


def _table_1(seen: pd.DataFrame, source: Source) -> Values:
    """Count as Table 1 does; of SYSTEM and REPEAT the official tables have the sum."""
    computed: Values = {}
    table = load_published("knowles2021").query("item == 'table-1'")
    table = table.set_index("quantity")
    row = table["id"]
    listed = seen.query("campaign == 'wmt18' and level == 'item'")
    questions = table["basis"].str.extract("all: (.+), ")[0].dropna()
    for quantity, question in questions.filter(like=" SYSTEM").items():
        name = quantity.removesuffix("SYSTEM")
        pairs = [*pairs_of(question).itertuples()]
        rated = {pair.language_pair: _rated(pair, source) for pair in pairs}
        total = sum(rated.values())
        system, repeat = (int(table["published"][name + k]) for k in RATED_ITEMS)
        note = _with_turkish(rated)
        if note:
            note += (
                f"; the print leaves {system - listed['SYSTEM'].sum()} and "
                f"{repeat - listed['REPEAT'].sum()} for de-en, {rated['de-en']} in all"
            )
        computed[row[quantity]] = Noted(total, note, {"REPEAT": repeat})
        computed[row[f"{name}REPEAT"]] = Noted(total, note, {"SYSTEM": system})
        if late := rated.get("en-iu"):
            room = late - total + system + repeat
            text = f"{late} of en-iu, for which the print leaves {room}"
            computed[row[quantity]] = f"{total} with REPEAT; {text}"
        absent = pairs_at_hand(f"{question}, references", source).absent
        if not absent and "SR-DC" in {pair.style for pair in pairs}:
            references = {p.language_pair: _references(p, seen, source) for p in pairs}
            note = _with_turkish(references)
            if "de-en" in references:
                note += f"; {references['de-en']} of de-en, from segment means"
            computed[row[f"{name}REF"]] = Noted(sum(references.values()), note)
    for name in {name.split()[0] for name in row.index}:
        for item, number in count_items(name).items():  # in the archive, if at hand
            computed[row[f"{name} {item}"]] = number
    return computed


def _with_turkish(numbers: dict[str, int]) -> str:
    """Note that Table 1 counts a pair of 2018 that Tables 2 and 3 lack."""
    turkish = numbers.get("tr-en")
    return f"with tr-en ({turkish}), which is none of the 46 pairs" if turkish else ""


def _rated(pair: Any, source: Source) -> int:
    """Count SYSTEM and REPEAT judgements of a pair, by the official system table.

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
    """Count REF judgements of an SR-DC pair: listed, or HUMAN of the segment means."""
    row = seen.loc[f"{pair.campaign} {pair.language_pair}"]
    if row["level"] == "item":
        return int(row["REF"])
    means = load_segment_means(pair.campaign, pair.language_pair, source=source)
    return means.loc[means["system"].str.startswith("HUMAN"), "judgements"].sum()


def _from_workers(study: Study, source: Source) -> Values:
    """Collect sizes of HITs, what workers held, and the alternate HITs of 2018."""
    eighteen = study.seen.loc[[*pairs_at_hand("2018, assessments", source).pairs]]
    order = eighteen["share_REF"].sort_values().index
    partial = partial_segments(eighteen)
    with_ids = pairs_at_hand("SR-DC 2018, HIT ids", source).pairs
    sizes = np.concatenate(
        [
            hit_sizes(release.coded)
            for release in study.releases
            if f"{release.campaign} {release.language_pair}" in with_ids
        ]
    )
    return {
        **columns_at_hand(
            study.seen, source, "K-5.1-01", "K-5.1-07", "K-5.1-08", "K-N12-01"
        ),
        "K-2-01": {"sizes": sizes, "middle": np.median(sizes)},
        "K-5.1-06": {"order": [name.split()[1] for name in order]},
        "K-8-02": {
            **eighteen,
            "note": f"{partial.min():.1f} to {partial.max():.1f} segments in 100 "
            "judgements are partial, as is left over where a HIT of 100 ends",
        },
    }


def _shares_of_workers(seen: pd.DataFrame, source: Source) -> Values:
    """Write the shares of the workers who judged some kind of item (section 5.1)."""
    into = seen.loc[[*pairs_at_hand("SR-DC 2020 MTurk, outputs", source).pairs]]
    least = _percent(into["share_REF"].min())
    computed: Values = {
        "K-5.1-12": f"REF: {least} in {len(into)} of 10 pairs, recovered"
    }
    for quantity, row in ids("knowles2021", "section-5.1").items():
        named = re.fullmatch(
            "workers who judged (.+), (20(..)) (.+ English|..-..)(?:, (.+))?", quantity
        )
        if not named:
            continue
        what, year, short_year, where, end = named.groups()
        need = "segment means" if "human data, 2020" in quantity else "assessments"
        questions = {
            "into English": f"{year} MTurk, {need}",
            "out of English": f"{year} Appraise, {need}",
        }
        question = questions.get(where, f"wmt{short_year}/{where}, {need}")
        judged = seen.loc[[*pairs_at_hand(question, source).pairs]]
        kinds = what.replace("human data", "HUMAN").split(" and ")
        share = judged[[f"share_{kind}" for kind in kinds]].min(axis=1)
        if share.empty:
            continue
        value = share.max() if end == "highest" else share.min()
        text = _percent(value)
        if end:
            pairs = share.index[share == value]
            text += f" ({', '.join(pair.split()[1] for pair in pairs)})"
            if (judged["level"] == "recovered").any():
                text += ", recovered in part"
                if LATE in pairs:
                    text += "; collected later than the paper's"
        computed[row] = text
    return computed


def _percent(share: float) -> str:
    """Write a share as the paper prints it: one decimal, none if whole."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _from_batteries(changes: pd.DataFrame, source: Source) -> Values:
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
