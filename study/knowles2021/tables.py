"""Tables 1 to 3 and Figure 1 (Knowles 2021): counts over language pairs.

Each row of the published table says which language pairs it needs; `changed_counts`
are taken over those at hand.
"""

from typing import Any

import pandas as pd

from study.data.assessment_catalogue import pairs_at_hand, pairs_of
from study.data.assessment_releases import (
    count_items,
    load_official,
    load_segment_means,
)
from study.data.sources import Source
from study.scoreboard.published import at_hand, load_published
from study.scoreboard.verdicts import Counted, Noted, Values
from wmtlib.core.assessments import RATED_ITEMS
from wmtlib.removals import CHANGES

# What is done, in the words of the printed counts; human scores are divided by "divisor
# 2" and so on.
STEPS = {
    "remove humans": "",
    "remove best": "without the highest ranked",
    "remove worst": "without the lowest ranked",
}


def as_printed(board: pd.DataFrame, item: str) -> pd.DataFrame:
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


def table_1(board: pd.DataFrame) -> pd.DataFrame:
    """Lay out Table 1, ours beside the print; SYSTEM and REPEAT as one sum.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare`.
    """
    counts = as_printed(board, "table-1")
    printed = counts[["SYSTEM, printed", "REPEAT, printed"]].astype(int).sum(axis=1)
    ours = counts["SYSTEM, ours"].astype(str).str.extract(r"^(\d+)")[0]
    table = counts[["row"]].assign(
        **{"SYSTEM + REPEAT, ours": ours, "SYSTEM + REPEAT, printed": printed}
    )
    return table.join(counts.filter(regex="REF, ")).fillna("")


def claims_beside_print(board: pd.DataFrame) -> pd.DataFrame:
    """Show rows of the scoreboard to a reader: the print, ours, the verdict in words.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare` or `show`.
    """
    table = board.reset_index()[["id", "quantity", "published", "reproduced"]]
    table.columns = ["row", "of what", "printed", "ours"]
    verdict = board["status"].str.replace("-", " ").to_numpy()
    return table.assign(verdict=verdict)


def counts_beside_print(board: pd.DataFrame) -> pd.DataFrame:
    """Put our counts of Tables 2 and 3 beside the printed ones, a row a count.

    Parameters
    ----------
    board : DataFrame
        Of `scoreboard.compare`.

    Returns
    -------
    DataFrame
        Columns item, row, change, k and n as printed, ours_k and ours_n (NaN where no
        pair is at hand, and of sums).
    """
    rows = board[board["item"].isin(["table-2", "table-3"])]
    names = rows["quantity"].str.extract(r"(?P<row>.+): (?P<change>\w+) changed")
    fraction = r"^(?P<k>\d+)/(?P<n>\d+)$"
    printed = rows["published"].str.extract(fraction).astype(int)
    measured = rows["reproduced"].mask(rows["status"] == "arithmetic").astype(str)
    ours = measured.str.extract(fraction).astype(float).add_prefix("ours_")
    return pd.concat([rows["item"], names, printed, ours], axis=1)


# --- Table 1 --------------------------------------------------------------------------


def table_1_values(seen: pd.DataFrame, source: Source) -> Values:
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


def printed_curves(style: str) -> pd.DataFrame:
    """Read Figure 1's shares for one style; index divisor, columns `CHANGES`."""
    rows = printed_counts().query("style == @style and step.str.contains('divisor')")
    divisor = rows["step"].str.removeprefix("divisor ").astype(float)
    rows = rows.assign(divisor=divisor, share=rows["k"] / rows["n"])
    return rows.pivot(index="divisor", columns="change", values="share")[CHANGES]
