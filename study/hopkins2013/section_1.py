"""Section 1: The WMT Translation Competition (Hopkins & May 2013), Tables 1 and 2."""

import pandas as pd

from study.data import ranking_releases
from study.data.sources import Source
from study.hopkins2013 import TRACK_PAIRS, YEARS
from study.scoreboard.verdicts import Values

TABLE_1 = {"bbn": 1, "cmu": 4, "jhu": 2, "kit": 5, "uedin": 2}  # a fictional ranking


def fictional_ranking() -> pd.DataFrame:
    """Return the fictional ranking of Table 1, in the form of `counts.RANKINGS`."""
    ranked = pd.DataFrame(TABLE_1.items(), columns=["system", "rank"])
    return ranked.assign(task="fr-en", ranking=1, segment=1, judge="jdoe")


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
