"""Knowles (2021), sections 2 to 5: how a ranking is made, and whether it is the official one.

`values` has what notebook 30 holds against the paper.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib import cluster_lines as clusters
from wmtlib import cluster_lines as rank_sum
from wmtlib import zscores
from wmtlib.counts import RATED_ITEMS
from wmtlib.study.papers.knowles2021_official import (
    PAPER,
    RANKING_DIGITS,
    best_means,
    if_public,
    lines_above,
    number_equal,
    replicate,
)
from wmtlib.study.papers.knowles2021_steps import TOY_HITS, toy_scores
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand
from wmtlib.study.releases.assessment_releases import (
    load_assessments,
    load_official,
    load_segment_means,
)
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Claim, Noted, Values
from wmtlib.zscores import Campaign, encode

LATE = "wmt20 en-iu"  # its judgements were still being collected (section 3)
RARE = 0.1  # share of outputs with more than one judgement: the criterion of "rare"


def moved_lines(pairs: Sequence[str], *, source: Source) -> pd.DataFrame:
    """Language pairs whose clusters differ from those of the paper's test and rule.

    Parameters
    ----------
    pairs : such as "wmt18 en-de"

    Returns
    -------
    DataFrame, tests x rules
        Number of pairs.
    """
    moved = {(test, rule): 0 for test in rank_sum.TESTS for rule in clusters.RULES}
    for pair in pairs:
        means, order = best_means(*pair.split(), source=source)
        p = {test: rank_sum.p_values(means, test=test) for test in rank_sum.TESTS}
        lines = {
            key: lines_above(clusters.cluster_table(order, p[key[0]], rule=key[1])) for key in moved
        }
        for key in moved:
            moved[key] += lines[key] != lines[PAPER["test"], PAPER["rule"]]
    table = {rule: [moved[test, rule] for test in rank_sum.TESTS] for rule in clusters.RULES}
    return pd.DataFrame(table, index=pd.Index(rank_sum.TESTS, name="test"))


# --- beside the official tables ------------------------------------------------------------------


def replication(pairs: Sequence[str], *, source: Source) -> pd.DataFrame:
    """`knowles2021_official.replicate` and `two_judgements` of language pairs, one a row."""
    rows = []
    for pair in pairs:
        campaign, language_pair = pair.split()
        row = replicate(campaign, language_pair, source=source)
        rows.append(row | scale_variants(campaign, language_pair, source=source))
        rows[-1] |= {"judged_again": judged_again(campaign, language_pair, source=source)}
    return pd.DataFrame(rows)


def judged_again(campaign: str, language_pair: str, *, source: Source) -> float:
    """Share of the outputs (system and segment) with more than one judgement; NaN if unknown."""
    means = if_public(load_segment_means, campaign, language_pair, source=source)
    if means is None:
        return np.nan
    return float((means["judgements"] > 1).mean())


def scale_variants(campaign: str, language_pair: str, *, source: Source) -> dict[str, int]:
    """How many systems have the official mean z-score if the workers' scales were others.

    Returns
    -------
    dict
        z_divided_by_n: standard deviations with n instead of n - 1; z_outputs_only: scales of the
        outputs alone. Empty where single judgements or rounded official means are not public.
    """
    judgements = if_public(load_assessments, campaign, language_pair, source=source)
    official = if_public(load_official, campaign, language_pair, source=source, outcome="z")
    if judgements is None or official is None:
        return {}
    coded = encode(judgements)
    outputs = coded.is_item(*RATED_ITEMS)
    number, _, _ = zscores.worker_scales(coded)
    wider = np.sqrt(number / np.maximum(number - 1, 1))  # sd of n - 1 over sd of n
    variants = {
        "z_divided_by_n": zscores.z_scores(coded) * wider[coded.worker],
        "z_outputs_only": zscores.z_scores(coded, scales_from=outputs),
    }
    found = {}
    for name, z in variants.items():
        ours = system_means(coded, z).reindex(official["system"])
        found[name] = number_equal(ours, official["z"], RANKING_DIGITS["z"])
    return found


def system_means(campaign: Campaign, z: np.ndarray) -> pd.Series:
    """Mean z-score of every system, segments first, from z-scores of the judgements."""
    cells = zscores.usable_cells(campaign, z)
    value, _ = cells.means(z[cells.judgement])
    _, mean = zscores.order_by_mean(cells.system, value, len(campaign.systems))
    return pd.Series(mean, index=[*campaign.systems])


# --- beside the paper ----------------------------------------------------------------------------


def values(replicated: pd.DataFrame, *, source: Source) -> Values:
    """What notebook 30 holds against the paper.

    Parameters
    ----------
    replicated : DataFrame
        As `replication` gives, of at least the paper's pairs at hand; empty without raw files.
    """
    toy = toy_scores()
    found: Values = {
        ("section-5", f"z-score of 50 among {hit}"): float(z) for hit, z in toy.items()
    }
    z = (np.array(TOY_HITS[1]) - np.mean(TOY_HITS[1])) / np.std(TOY_HITS[1], ddof=1)
    mean, sd = abs(round(float(z.mean()), 12)), round(float(z.std(ddof=1)), 12)
    unit = f"a mean of {mean:g} and a standard deviation of {sd:g}"
    found["section-4", "z-scores of one worker"] = Noted(unit, "0, 25, 50, 75 standardised")
    for style, parts in (("SR-DC", (13, 5, 3)), ("SR+DC", (2, 8, 7, 8))):
        text = " + ".join(map(str, parts))
        key = "section-3", f"language pairs in {style} style"
        found[key] = Noted(
            sum(parts), f"denominators of Table 2: {text}; which pairs they are, no data show"
        )
    if replicated.empty:
        return found
    table = replicated.set_index(replicated["campaign"] + " " + replicated["language_pair"])
    item = table.loc[[*pairs_at_hand("paper, assessments", source).pairs]]
    whole = table.loc[[*pairs_at_hand("paper, segment means", source).pairs]]
    return found | _from_judgements(item) | _from_means(whole)


def _from_judgements(item: pd.DataFrame) -> Values:
    """Claims that rest on the single judgements of the paper's pairs."""
    systems = item["systems"]
    equal = item["raw"].eq(systems) & item["z"].eq(systems)
    n, all_z = len(item), bool(item["z"].eq(systems).all())
    by_n, outputs = item["z_divided_by_n"], item["z_outputs_only"]
    official = f"{item['z'].sum()} of {systems.sum()} systems have the official mean z-score"
    return {
        ("section-3", "systems of a language pair with equal raw and z-scores"): Claim(
            {"more than half of the pairs": equal.mean() > 0.5}, f"{equal.sum()}/{n} pairs"
        ),
        ("footnote-5", "scores behind a worker's mean and standard deviation"): Claim(
            {
                "every system, with all items": all_z,
                "not every system of any pair, with the outputs alone": (outputs < systems).all(),
            },
            f"{official}; {int(outputs.sum())} with the outputs alone",
        ),
        ("footnote-7", "divisor of the standard deviation"): Claim(
            {
                "every system, with n - 1": all_z,
                "not every system, with n": (by_n < systems).any(),
            },
            f"{official}; {int(by_n.sum())} with n",
        ),
    }


def _from_means(whole: pd.DataFrame) -> Values:
    """Claims that rest on segment means of the paper's pairs, ours or published."""
    same, apart = whole["lines_apart"] == 0, whole["lines_apart"].drop(LATE)
    otherwise = whole.index[~whole["clusters"].astype(bool)]
    note = "official lines of WMT20 follow from its p-values, released for the higher system only"
    if len(otherwise):
        note += f"; if wins over a higher system counted too, {', '.join(otherwise)} would differ"
    again = whole["judged_again"]
    return {
        ("section-3", "significance clusters replicated"): Claim(
            {"more than half of the pairs": same.mean() > 0.5},
            f"{same.sum()}/{len(whole)} pairs",
            note,
        ),
        ("section-3", "nearly replicated rankings"): Claim(
            {
                "the official order": whole["order"].drop(LATE).all(),
                "at most one line apart": (apart <= 1).all(),
            },
            f"{int(whole['order'].sum())}/{len(whole)} official orders;"
            f" {int((apart > 0).sum())} pairs with a line apart",
        ),
        ("section-5", "outputs judged by two annotators"): Claim(
            {"less than 10 % in some pair": (again < RARE).any()},
            f"{again.min():.1%} ({again.idxmin()}) to {again.max():.1%} ({again.idxmax()})"
            " of the outputs have more than one judgement",
        ),
    }
