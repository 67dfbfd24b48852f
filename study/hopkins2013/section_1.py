"""Section 1: The WMT Translation Competition (Hopkins & May 2013), Tables 1 and 2."""

import pandas as pd

from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013 import TRACK_PAIRS, YEARS
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import Values
from wmtlib.core.counts import comparisons

TABLE_1 = {"bbn": 1, "cmu": 4, "jhu": 2, "kit": 5, "uedin": 2}  # a fictional ranking


def fictional_ranking() -> pd.DataFrame:
    """Return the fictional ranking of Table 1, in the form of `counts.RANKINGS`."""
    ranked = pd.DataFrame(TABLE_1.items(), columns=["system", "rank"])
    return ranked.assign(task="fr-en", ranking=1, segment=1, judge="jdoe")


def table_2_beside_print() -> pd.DataFrame:
    """Put the ten comparisons of the fictional ranking beside Table 2.

    Returns
    -------
    DataFrame
        Columns system_1, system_2, preference, printed; "differs" is "≠" where a
        row is not the printed one.
    """
    published = load_published("hopkins2013").set_index("id")["published"]
    printed = [row.split() for row in published["H-T2-01"].split(", ")]
    ours = comparisons(fictional_ranking())
    table = ours[["system_1", "system_2", "preference"]].astype({"system_1": str})
    names = [f"{first} {second}" for first, second, _ in printed]
    alike = (table["system_1"] + " " + table["system_2"].astype(str)) == names
    table["printed"] = [int(preference) for _, _, preference in printed]
    differs = ~alike | (table["preference"] != table["printed"])
    return table.assign(differs=differs.map({True: "≠", False: ""}))


def first_with_a_tie(source: Source) -> pd.DataFrame:
    """Find the first ranking with a tie of WMT10 Czech-English: systems and ranks."""
    loaded = ranking_releases.load_rankings("wmt10", source=source)
    every = loaded[loaded["task"] == "cs-en"]
    tied = every[every.duplicated(["ranking", "rank"])]
    return every[every["ranking"] == tied["ranking"].iloc[0]].sort_values("rank")


def language_pairs(source: Source) -> Values:
    """List language pairs of each year: missing ones of the eight, and all in words."""
    tasks = ranking_releases.tasks(source)
    groups = r"-(individual|syscomb|tunable)$"
    pairs = tasks["task"].str.replace(groups, "", regex=True)
    pairs_of = pairs.groupby(tasks["campaign"]).agg(set)
    usual = {*TRACK_PAIRS.values()}
    shown = []
    for year in YEARS:
        line = f"{year.upper()} {len(pairs_of[year])}"
        if others := sorted(pairs_of[year] - usual):
            line += f" (also {', '.join(others)})"
        shown.append(line)
    missing = {year: sorted(usual - pairs_of[year]) for year in YEARS}
    return {"missing": missing, "shown": ", ".join(shown)}
