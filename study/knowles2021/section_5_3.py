"""Section 5.3: Case Study (Knowles 2021), Figures 2 and 3: human scores divided."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from study.campaigns import Release
from study.data.sources import Source
from study.knowles2021 import PAPER_LINES
from study.knowles2021.section_3 import best_means, paper_cut
from study.scoreboard.published import ids, load_published
from study.scoreboard.verdicts import Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.pairwise_tests import p_values
from wmtlib.removals import DIVISORS

ORIGINAL, OFFICIAL = "original", "official"
DIVIDED = {f"{divisor:g}": divisor for divisor in DIVISORS}
# Rankings by name: columns system and line, best first.
Cuts: TypeAlias = Mapping[str, pd.DataFrame]


def official_cut(release: Release, *, source: Source, human: bool) -> pd.DataFrame:
    """Rank by published segment means, where nothing is lacking.

    Parameters
    ----------
    human : bool
        Whether human systems are ranked too.
    """
    means, order = best_means(release.campaign, release.language_pair, source=source)
    order = [name for name in order if human or name not in release.humans]
    return paper_cut(order, means)


def all_cuts(release: Release, *, source: Source) -> Cuts:
    """Rank by published segment means, by the judgements, and at each divisor.

    Human scores are divided (Figure 2): REF items, and quality control of the human
    systems where it is at hand, are divided too. Human systems count for the workers'
    scales and are not ranked.
    """
    coded = release.coded
    human = coded.is_system(release.humans)
    rows = coded.rows_of(human, items=("REF",), paired=True)
    cuts = {}
    if release.level != "simulated":
        cuts[OFFICIAL] = official_cut(release, source=source, human=False)
    for name, divisor in {ORIGINAL: 1.0, **DIVIDED}.items():
        changed = coded.divided(rows, divisor)
        ranked = rank_campaign(changed, unranked=human, **PAPER_LINES)
        cuts[name] = ranked.ranking.table
    return cuts


def rank_places(cuts: Cuts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return places of systems, and whether lines are below; systems x rankings."""
    tables = {
        name: cut.assign(place=cut.index + 1).set_index("system")
        for name, cut in cuts.items()
    }
    table = pd.concat(tables, axis=1).swaplevel(axis=1)
    return table["place"], table["line"]


def pair_relation(cut: pd.DataFrame, first: str, second: str) -> str:
    """Say which of two systems is higher, and whether a line is between them.

    Parameters
    ----------
    cut : DataFrame
        Columns system and line, best first.
    first, second : str
        Names without the number at the end.
    """
    name = cut["system"].str.rpartition(".")[0]
    higher, lower = np.flatnonzero(name.isin([first, second]))
    if cut["line"].iloc[higher:lower].any():
        return f"{name[higher]} in a higher cluster"
    return f"same cluster, {name[higher]} higher"


def relations(cuts: Cuts, first: str, second: str) -> pd.Series:
    """Say `pair_relation` of every ranking."""
    texts = {name: pair_relation(cut, first, second) for name, cut in cuts.items()}
    return pd.Series(texts, name="who leads")


def beside_print(cuts: Cuts) -> pd.DataFrame:
    """List what the paper says of AFRL and PROMT_NMT, beside every ranking."""
    published = load_published("knowles2021").set_index("id")["published"]
    row = ids("knowles2021", "section-5.3")
    ours = relations(cuts, "AFRL", "PROMT_NMT")
    steps = [ORIGINAL if name == OFFICIAL else name for name in ours.index]
    quantities = [s if s == ORIGINAL else f"divisor {s}" for s in steps]
    printed = [published[row[f"AFRL and PROMT_NMT, {q}"]] for q in quantities]
    table = pd.DataFrame({"printed": printed, "ours": ours})
    return table.rename_axis("divisor of human scores")


# --- facts of the claims --------------------------------------------------------------


def figure_2_values(cuts: Cuts) -> Values:
    """Compare PROMT_NMT with AFRL and Online-A, 2020 English-German."""
    row = ids("knowles2021", "section-5.3")
    leaders = relations(cuts, "AFRL", "PROMT_NMT")
    computed: Values = {
        row[f"AFRL and PROMT_NMT, divisor {name}"]: leaders[name] for name in DIVIDED
    }
    computed[row[f"AFRL and PROMT_NMT, {ORIGINAL}"]] = leaders[OFFICIAL]
    place, _ = rank_places(cuts)
    promt = place[place.index.str.startswith("PROMT_NMT")].iloc[0]
    online = relations(cuts, "PROMT_NMT", "Online-A")
    leader = online.str.extract(r"(\S+) (?:in a )?higher")[0]
    is_shared = online.str.startswith("same")
    return computed | {
        "K-5.3-08": {"rank": promt[[ORIGINAL, *DIVIDED]].tolist()},
        "K-5.3-10": {
            "first": set(leader),
            "higher": set(leader[~is_shared]),
            "shared": is_shared,
            "text": "; ".join(online.index + ": " + online),
        },
    }


def figure_3_values(zh_en: Release, source: Source) -> Values:
    """Find VolcTrans, in the files Huoshan_Translate, and the line of footnote 17."""
    means, order = best_means("wmt20", "zh-en", source=source)
    volc = next(name for name in order if name.startswith("Huoshan_Translate"))
    p = p_values(means, test="one-sided").loc[volc].drop(volc)
    place, below = rank_places(all_cuts(zh_en, source=source))
    first = place.loc[below[ORIGINAL], ORIGINAL].min()  # systems in the first cluster
    line = [below.loc[place[name] == first, name].any() for name in DIVIDED]
    without, with_human = (
        pair_relation(
            official_cut(zh_en, source=source, human=human), "Online-A", "Online-G"
        )
        for human in (False, True)
    )
    return {
        "K-5.3-14": {"first": order[0], "volc": volc, "p": p},
        "K-5.3-15": {"place": place.loc[volc, [*DIVIDED]].tolist(), "line": line},
        "K-N17-01": {"without": without, "with_human": with_human},
    }
