"""Do significance lines say what they promise? Notebook 62.

A test at 5 % should call two equal systems apart once in twenty times. Here real campaigns are
shuffled until no difference between systems is true, and every rule by which campaigns draw, or
drew, their lines is applied to them.

- Assessments: the systems' means are taken out; then, within each document, the systems present
  change their names at random. A block, one system's outputs of one document, moves as a whole.
  Where documents are not named, the same is done within each HIT.
- Relative rankings: of every pair of systems, each judge's wins less losses, with the mean of the
  pair taken out; the sign of all that a judge said is drawn at random. What judges disagree about
  stays, and no difference between systems does.

`CRITERIA` was written before any of this was computed for more than one pair of systems. Known
were: a trial from outside on WMT24 (t-tests of segments called 24-27 % of equal pairs apart, the
signed-rank test of z-scores 21-22 %, t-tests of document means 4-5 %; 75 of 207 significant pairs
disappeared with documents as the unit); and, for twelve campaigns as they are, how many pairs
three weightings of the documents call apart, from which the weights of
`cluster_lines.unit_differences` were chosen.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import rankdata

from wmtlib import counts
from wmtlib.cluster_lines import (
    CAMPAIGN_RULES,
    DIGITS,
    LineRule,
    margins_by_unit,
    pairwise_p,
    ruled_lines,
    sign_flip_p,
    t_test_p,
    unit_differences,
    unit_of_collection,
)
from wmtlib.corrections import clusters_of_ranges
from wmtlib.counts import REFERENCE
from wmtlib.study.releases import (
    assessment_catalogue,
    coded_campaigns,
    later_assessments,
    ranking_releases,
)
from wmtlib.study.releases.sources import RELATIVE_CAMPAIGNS, Source
from wmtlib.zscores import Campaign, encode, standardised, usable_cells

ALPHA = 0.05
HIGHEST = 0.06
CRITERIA = {
    "size": (
        "In every protocol the unit test calls at most 6 % of equal pairs apart at 5 %, and the"
        " 95 % interval of that share, over shuffles, holds 5 % or lies below it."
    ),
    "tables": (
        "After correction (Benjamini-Hochberg) at most 5 % of the shuffled tables of a protocol"
        " have a false pair, or Wilson's interval of the share holds 5 %; and the same of tables"
        " with a false line."
    ),
    "judges": (
        "Judges matter in a protocol of assessments if, with names exchanged judge by judge, the"
        " unit test by documents calls more than 6 % of pairs apart and the interval lies above"
        " 5 %. Then the answer needs the larger of the two p-values, by documents and by judges."
    ),
    "change": (
        "Of the pairs that the rule of the campaign calls apart, a share goes when the unit is what"
        " was collected. It is large if the 95 % interval of its mean over campaigns lies above"
        " 20 %, small if the interval lies below 10 %; by protocol."
    ),
    "removal": (
        "The lines of Knowles (2021) change less often when a system is removed if they are drawn"
        " by documents: the 95 % interval of the mean difference of shares, over language pairs,"
        " lies below 0."
    ),
}
UNIT, JUDGE = "by unit", "by judge"
RANGES = 500  # resamples of a range of ranks
FLIPS = 999  # of each test of a shuffled campaign
RULES = CAMPAIGN_RULES | {
    UNIT: LineRule("z", "unit", 2, "benjamini-hochberg", "below all"),
    JUDGE: LineRule("z", "unit", 2, "benjamini-hochberg", "below all"),
    "raw by unit": LineRule("raw", "unit", 2, "benjamini-hochberg", "below all"),
    "rank-sum": LineRule("z", "rank-sum", 2, "benjamini-hochberg", "below all"),
    "signed-rank": LineRule("z", "signed-rank", 2, "benjamini-hochberg", "below all"),
}
DA_RULES = ("wmt17", "wmt26", "rank-sum", UNIT)
ESA_RULES = ("wmt24", "wmt25", "wmt26", "signed-rank", UNIT)
MQM_RULES = ("wmt26", "raw by unit")
ESA_PAIRS = ("en-cs", "en-hi", "en-ja", "en-zh")
MQM_PAIRS = ("en-de", "zh-en")


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgements of a campaign, as arrays of values.

    Attributes
    ----------
    protocol, label, unit : str
        unit: "document", or "hit" where documents are not named.
    systems : tuple of names
    values : DataFrame
        One row a judgement that counts for a system: system, unit, judge, segment (numbers), raw
        and z.
    rules : mapping of str to LineRule
        By name; those that are or were used for the protocol, and the unit test.
    """

    protocol: str
    label: str
    unit: str
    systems: tuple[str, ...]
    values: pd.DataFrame = field(repr=False)
    rules: Mapping[str, LineRule] = field(repr=False)


def of_campaign(protocol: str, label: str, campaign: Campaign, rules: Sequence[str]) -> Judged:
    """The judgements of a coded campaign; rules are names in `RULES`."""
    z = standardised(campaign)
    cells = usable_cells(campaign, z)
    judgement = cells.judgement
    unit = unit_of_collection(campaign) or "document"
    columns = {"system": cells.credit_system, "unit": campaign.units(unit)[0][judgement]}
    columns |= {"judge": campaign.worker[judgement], "segment": campaign.place[judgement]}
    columns |= {"raw": campaign.score[judgement], "z": z[judgement]}
    named = {name: RULES[name] for name in rules}
    return Judged(protocol, label, unit, campaign.systems, pd.DataFrame(columns), named)


def assessed(source: Source) -> list[Judged]:
    """All campaigns of direct assessment, ESA and MQM with single judgements, or simulated ones."""
    if source.kind == "embedded":
        releases = coded_campaigns.load_all(source, coded_campaigns.simulated())
        return [of_campaign(f"DA {r.style}", r.label, r.coded, DA_RULES) for r in releases]
    known = assessment_catalogue.availability(source).query("status == 'present'")
    pairs = known[["campaign", "language_pair"]].itertuples(index=False)
    judged = []
    for release in coded_campaigns.load_all(source, pairs):
        one = of_campaign(f"DA {release.style}", release.label, release.coded, DA_RULES)
        judged.append(replace(one, protocol="DA by HIT") if one.unit == "hit" else one)
    for pair in ESA_PAIRS:
        campaign = encode(later_assessments.load_esa(pair, source=source))
        judged.append(of_campaign("ESA", f"wmt24 {pair}", campaign, ESA_RULES))
    for pair in MQM_PAIRS:
        rows = later_assessments.load_mqm(pair, source=source)
        errors = -(5.0 * rows["major"] + rows["minor"])
        rater = rows["rater"].cat.add_categories("unknown").fillna("unknown")
        campaign = encode(rows.assign(worker=rater, score=errors))
        judged.append(of_campaign("MQM", f"wmt21 {pair}", campaign, MQM_RULES))
    return judged


def exchanged(system: np.ndarray, block: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The systems' names exchanged at random among those present in each block.

    What a block holds of one system moves as a whole.

    Parameters
    ----------
    system, block : ndarray of int, (values,)
    """
    size = system.max() + 1
    cells, cell = np.unique(block * size + system, return_inverse=True)
    order = np.lexsort((rng.random(len(cells)), cells // size))  # at random within each block
    return (cells % size)[order][cell]


def segment_table(values: np.ndarray, system: np.ndarray, segment: np.ndarray) -> np.ndarray:
    """Mean value of each system on each segment, (systems, segments); NaN where there is none."""
    shape = (system.max() + 1, segment.max() + 1)
    cell, size = system * shape[1] + segment, shape[0] * shape[1]
    total, number = np.bincount(cell, values, size), np.bincount(cell, minlength=size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0).reshape(shape)


def signed_ranks(means: np.ndarray) -> np.ndarray:
    """`cluster_lines.signed_rank_p` of a table of segments, all pairs with one system at once."""
    size = len(means)
    p = np.full((size, size), np.nan)
    for a in range(size - 1):
        difference = np.nan_to_num(means[a] - means[a + 1 :])
        far = np.abs(difference).round(DIGITS)
        used = far > 0
        ranks = rankdata(np.where(used, far, np.inf), axis=1)
        n = used.sum(axis=1)
        # Tied ranks r, t of them: the sum of r^2 is lower by (t^3 - t) / 12 than that of 1 .. n.
        spread = np.sqrt((ranks**2 * used).sum(axis=1)) / 2
        above = (ranks * (difference > 0) * used).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = (above - n * (n + 1) / 4) / spread
        p[a, a + 1 :], p[a + 1 :, a] = ndtr(-score), ndtr(score)
    return p


def one_sided(table: np.ndarray, test: str) -> np.ndarray:
    """One-sided p-values of all pairs, (systems, systems), by segments' means."""
    if test == "rank-sum":
        system, segment = np.nonzero(~np.isnan(table))
        return pairwise_p(table[system, segment].round(DIGITS), system, len(table), "one-sided")
    return signed_ranks(table) if test == "signed-rank" else t_test_p(table)


def by_unit(differences: np.ndarray, size: int, *, flips: int) -> np.ndarray:
    """One-sided p-values of the unit test, (tables, systems, systems).

    Parameters
    ----------
    differences : ndarray, (units, tables, pairs)
    """
    units, tables, pairs = differences.shape
    two_sided = sign_flip_p(differences.reshape(units, -1), flips=flips).reshape(tables, pairs)
    upper = np.where(differences.sum(axis=0) > 0, two_sided / 2, 1 - two_sided / 2)
    return square(upper, size, 1 - upper)


def square(upper: np.ndarray, size: int, lower: np.ndarray) -> np.ndarray:
    """Values of pairs, (tables, pairs), as matrices, (tables, systems, systems); NaN between."""
    matrix = np.full((len(upper), size, size), np.nan)
    a, b = np.triu_indices(size, 1)
    matrix[:, a, b], matrix[:, b, a] = upper, lower
    return matrix


def outcome(p: np.ndarray, mean: np.ndarray, rule: LineRule) -> tuple[float, bool, bool]:
    """Share of tested pairs that a rule calls apart, uncorrected; any pair, any line, corrected."""
    order = np.argsort(-mean, kind="stable")
    ranked = p[np.ix_(order, order)]
    single, _ = ruled_lines(ranked, rule._replace(correction="none"))
    better, lines = ruled_lines(ranked, rule)
    tested = np.triu(~np.isnan(ranked), 1).sum()
    return single.sum() / max(tested, 1), bool(better.any()), bool(lines.any())


def sizes(judged: Judged, *, shuffles: int, seed: int, block: str = "unit") -> pd.DataFrame:
    """What every rule says of a campaign in which no two systems differ.

    Parameters
    ----------
    judged : Judged
    shuffles, seed : int
    block : "unit" or "judge"
        Within what the systems' names are exchanged.

    Returns
    -------
    DataFrame
        One row a shuffle and rule: protocol, label, rule, rejected (share of pairs called apart at
        5 %), pair, line (whether the table has a false one).
    """
    values, size = judged.values, len(judged.systems)
    centred = values[["raw", "z"]] - values.groupby("system")[["raw", "z"]].transform("mean")
    scores = {name: centred[name].to_numpy() for name in centred}
    system, segment = values["system"].to_numpy(), values["segment"].to_numpy()
    rng, rows, means, differences = np.random.default_rng(seed), [], [], defaultdict(list)
    for _ in range(shuffles):
        shuffled = exchanged(system, values[block].to_numpy(), rng)
        tables = {name: segment_table(scores[name], shuffled, segment) for name in scores}
        means.append({name: np.nanmean(table, axis=1) for name, table in tables.items()})
        for name, rule in judged.rules.items():
            if rule.test == "unit":
                unit = values["judge" if name == JUDGE else "unit"].to_numpy()
                added = unit_differences(scores[rule.score], shuffled, unit, size)
                differences[name].append(added)
            else:
                p = one_sided(tables[rule.score], rule.test)
                rows.append((name, *outcome(p, means[-1][rule.score], rule)))
    for name, added in differences.items():
        rule, p = judged.rules[name], by_unit(np.stack(added, axis=1), size, flips=FLIPS)
        shuffled = zip(p, means, strict=True)
        rows += [(name, *outcome(one, mean[rule.score], rule)) for one, mean in shuffled]
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(protocol=judged.protocol, label=judged.label)


def relative(source: Source) -> Iterator[tuple[str, pd.DataFrame]]:
    """Label and comparisons of every task of WMT10-12, without the reference; judges are named."""
    for row in ranking_releases.tasks(source, RELATIVE_CAMPAIGNS).itertuples():
        frame = ranking_releases.load_comparisons(row.campaign, row.task, source=source)
        yield ranking_releases.label(row.campaign, row.task), counts.without(frame, REFERENCE)


def scores_of(margins: np.ndarray, number: np.ndarray, size: int) -> np.ndarray:
    """Mean over opponents of wins less losses, as shares, (tables, systems), of (tables, pairs)."""
    share = np.divide(margins, number, out=np.full(margins.shape, np.nan), where=number > 0)
    return np.nanmean(square(share, size, -share), axis=2)


def of_ranges(scores: np.ndarray) -> tuple[float, bool, bool]:
    """As `outcome`, of ranges of ranks; scores of resamples, (resamples, systems)."""
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    low, high = np.quantile(ranks, [ALPHA / 2, 1 - ALPHA / 2], axis=0, method="inverted_cdf")
    separate = high[:, None] < low
    order = np.argsort(ranks.mean(axis=0))
    lines = clusters_of_ranges(low[order], high[order]).max() > 1
    return 2 * separate.sum() / (len(low) * (len(low) - 1)), bool(separate.any()), bool(lines)


def sizes_of_rankings(
    label: str, comparisons: pd.DataFrame, *, shuffles: int, seed: int
) -> pd.DataFrame:
    """What the rules for relative rankings say of a task in which no two systems differ.

    The sign test and wmt16 take comparisons for independent, with the variance that they have if
    they are. A system's score is the mean over opponents of wins less losses, as shares, and a
    range of ranks is what 95 % of the samples of comparisons (wmt16) or of judges hold.

    Returns
    -------
    DataFrame
        As `sizes`.
    """
    margins, decided = margins_by_unit(comparisons, "judge")
    size = round((1 + math.sqrt(1 + 8 * margins.shape[1])) / 2)
    number = decided.sum(axis=0)
    with np.errstate(invalid="ignore"):
        share = margins.sum(axis=0) / number
    left = margins - np.nan_to_num(share) * decided  # with the mean of the pair taken out
    spread = np.sqrt(np.nan_to_num(number * (1 - share**2)))
    rng, rows = np.random.default_rng(seed), []
    signs = 1.0 - 2 * rng.integers(2, size=(len(left), shuffles))
    shuffled = left[:, None, :] * signs[:, :, None]
    total = shuffled.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(spread > 0, ndtr(-total / spread), np.nan)
    p = {"sign test": square(upper, size, 1 - upper), UNIT: by_unit(shuffled, size, flips=FLIPS)}
    mean = scores_of(total, number, size)
    for name, tables in p.items():
        both = zip(tables, mean, strict=True)
        rows += [(name, *outcome(one, each, RULES[UNIT])) for one, each in both]
    for k in range(shuffles):
        drawn = {"wmt16": total[k] + spread * rng.standard_normal((RANGES, len(number)))}
        times = rng.multinomial(len(left), np.full(len(left), 1 / len(left)), RANGES)
        drawn["ranges by judge"] = times @ shuffled[:, k]
        for name, sums in drawn.items():
            rows.append((name, *of_ranges(scores_of(sums, number, size))))
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(protocol="RR", label=label)
