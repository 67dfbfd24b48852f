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

The criteria stand in the notebook. They were written before any of this was computed for more than
one pair of systems. Known were: a trial from outside on WMT24 (t-tests of segments called 24-27 %
of equal pairs apart, the signed-rank test of z-scores 21-22 %, t-tests of document means 4-5 %; 75
of 207 significant pairs disappeared with documents as the unit); and, for twelve campaigns as they
are, how many pairs three weightings of the documents call apart, from which the weights of
`cluster_lines.unit_differences` were chosen. After a first run two choices were made: judges are
units too where they recur (`cluster_lines.RECURRING`), and campaigns whose systems share no
documents are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from wmtlib import cluster_lines as testing
from wmtlib import counts
from wmtlib.cluster_lines import CAMPAIGN_RULES, LineRule, unit_p
from wmtlib.corrections import NORMAL, clusters_of_ranges, t_half_width, wilson
from wmtlib.counts import REFERENCE
from wmtlib.study import keep
from wmtlib.study.releases import assessment_catalogue, coded_campaigns
from wmtlib.study.releases import later_assessments as later
from wmtlib.study.releases import ranking_releases as rankings
from wmtlib.study.releases.sources import RELATIVE_CAMPAIGNS, Source
from wmtlib.zscores import Campaign, encode

ALPHA = 0.05
UNIT, FIRST_UNIT = "unit", "first unit"
RANGES = 200  # resamples of a range of ranks
RULES = CAMPAIGN_RULES | {
    UNIT: LineRule("z", UNIT, 2, "benjamini-hochberg", "below all"),
    FIRST_UNIT: LineRule("z", FIRST_UNIT, 2, "benjamini-hochberg", "below all"),
    "rank-sum": LineRule("z", "rank-sum", 2, "benjamini-hochberg", "below all"),
    "signed-rank": LineRule("z", "signed-rank", 2, "benjamini-hochberg", "below all"),
}
SINGLE = LineRule("z", "rank-sum", 2, "none", "below all")  # as Knowles (2021), two-sided
CHANGED = ["pairs", "pairs_stay", "lines", "lines_stay"]
APPLIED = {  # rules by segments, to which protocols
    "DA SR-DC": ("wmt17", "rank-sum"),
    "DA SR+DC": ("wmt17", "wmt26", "rank-sum"),
    "DA mixed": ("wmt17", "wmt26", "rank-sum"),
    "DA by HIT": ("wmt17", "rank-sum"),
    "ESA": ("wmt24", "wmt25", "wmt26", "signed-rank"),
    "MQM": ("wmt26", "signed-rank"),
}
YEARS = ("wmt17", "wmt18", "wmt21", "facebook21", "wmt22")
Task = tuple[str, pd.DataFrame]  # of relative ranking: label and comparisons
ESA_PAIRS = ("en-cs", "en-hi", "en-ja", "en-zh")
MQM_PAIRS = ("en-de", "zh-en")


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgements of a campaign, as arrays of values.

    Attributes
    ----------
    protocol, label : str
    systems, units : tuple of names
        units: see `cluster_lines.units_of_collection`.
    values : DataFrame
        As `cluster_lines.judged_values`, with worker and a column for each of the units.
    """

    protocol: str
    label: str
    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: pd.DataFrame = field(repr=False)


def judged(protocol: str, label: str, campaign: Campaign) -> Judged:
    """The judgements of a coded campaign."""
    units, values = testing.units_of_collection(campaign), testing.judged_values(campaign)
    numbers = {name: campaign.units(name)[0] for name in ("worker", *units)}
    values = values.assign(**{k: v[values["judgement"].array] for k, v in numbers.items()})
    values["segment"] = pd.factorize(values["segment"])[0]
    protocol = "DA by HIT" if "hit" in units else protocol
    return Judged(protocol, label, campaign.systems, units, values)


def pairs_of_years(source: Source, years: Sequence[str]) -> list[tuple[str, str]]:
    """Campaigns of direct assessment of some years with single judgements, or simulated ones."""
    if source.kind == "embedded":
        return coded_campaigns.simulated()
    known = assessment_catalogue.availability(source).query("status == 'present'")
    known = known[known["campaign"].isin(years)]
    return [*zip(known["campaign"], known["language_pair"], strict=True)]


def assessed(source: Source) -> Iterator[Judged]:
    """All campaigns of direct assessment, ESA and MQM with single judgements, or simulated ones.

    Of some the systems share no units; see `cluster_lines.units_of_collection`.
    """
    for release in coded_campaigns.load_all(source, pairs_of_years(source, YEARS)):
        yield judged(f"DA {release.style}", release.label, release.coded)
    if source.kind == "raw":
        for pair in ESA_PAIRS:
            rows = later.load_esa(pair, source=source)
            yield judged("ESA", f"wmt24 {pair}", encode(rows))
        for pair in MQM_PAIRS:
            rows = later.load_mqm(pair, source=source)
            errors = -(5.0 * rows["major"] + rows["minor"])
            rater = rows["rater"].cat.add_categories("unknown").fillna("unknown")
            yield judged("MQM", f"wmt21 {pair}", encode(rows.assign(worker=rater, score=errors)))


def names_exchanged(
    system: np.ndarray, block: np.ndarray, shuffles: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """The systems' names, exchanged at random among those present in each block.

    What a block holds of one system moves as a whole.

    Parameters
    ----------
    system, block : ndarray of int, (values,)
    """
    size = system.max() + 1
    cells, cell = np.unique(block * size + system, return_inverse=True)
    for _ in range(shuffles):
        order = np.lexsort((rng.random(len(cells)), cells // size))  # at random within each block
        yield (cells % size)[order][cell]


def table_of_segments(values: np.ndarray, system: np.ndarray, segment: np.ndarray) -> np.ndarray:
    """Mean value of each system on each segment, (systems, segments); NaN where there is none."""
    shape = (system.max() + 1, segment.max() + 1)
    cell, size = system * shape[1] + segment, shape[0] * shape[1]
    total, number = np.bincount(cell, values, size), np.bincount(cell, minlength=size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0).reshape(shape)


def claims_of(p: np.ndarray, mean: np.ndarray, rule: LineRule) -> tuple[float, bool, bool]:
    """Share of tested pairs that a rule calls apart, uncorrected; any pair, any line, corrected."""
    order = np.argsort(-mean, kind="stable")
    ranked = p[np.ix_(order, order)]
    single, _ = testing.ruled_lines(ranked, rule._replace(correction="none"))
    better, lines = testing.ruled_lines(ranked, rule)
    tested = np.triu(~np.isnan(ranked), 1).sum()
    return single.sum() / max(tested, 1), bool(better.any()), bool(lines.any())


def sizes(campaign: Judged, block: str, shuffles: int, seed: int) -> pd.DataFrame:
    """What the rules say of a campaign in which no two systems differ.

    Parameters
    ----------
    campaign : Judged
    block : str
        A column of its values, within which the systems' names are exchanged. The rules by
        segments are applied if it is the campaign's first unit.
    shuffles, seed : int

    Returns
    -------
    DataFrame
        One row a shuffle and rule: protocol, label, block, rule, rejected (share of pairs called
        apart at 5 %), pair, line (whether the table has a false one).
    """
    values, size = campaign.values, len(campaign.systems)
    centred = values[["raw", "z"]] - values.groupby("system")[["raw", "z"]].transform("mean")
    scores = {name: centred[name].to_numpy() for name in centred}
    system, segment = values["system"].to_numpy(), values["segment"].to_numpy()
    by_segments = APPLIED[campaign.protocol] if block == campaign.units[0] else ()
    rng, rows, means = np.random.default_rng(seed), [], []
    differences: list[list[np.ndarray]] = [[] for _ in campaign.units]
    for shuffled in names_exchanged(system, values[block].to_numpy(), shuffles, rng):
        tables = {name: table_of_segments(scores[name], shuffled, segment) for name in scores}
        mean = {name: np.nanmean(table, axis=1) for name, table in tables.items()}
        means.append(mean["z"])
        for unit, parts in zip(campaign.units, differences, strict=True):
            number = values[unit].to_numpy()
            parts.append(testing.unit_differences(scores["z"], shuffled, number, size))
        rules = {name: RULES[name] for name in by_segments}
        p = {
            key: testing.by_segments(tables[key[0]], key[1])
            for key in {r[:2] for r in rules.values()}
        }
        rows += [(k, *claims_of(p[r[:2]], mean[r.score], r)) for k, r in rules.items()]
    together = [np.stack(parts, axis=1) for parts in differences]
    for name, used in ((FIRST_UNIT, together[:1]), (UNIT, together)):
        shown = zip(unit_p(used, size), means, strict=True)
        rows += [(name, *claims_of(one, order, RULES[name])) for one, order in shown]
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(protocol=campaign.protocol, label=campaign.label, block=block)


def relative(source: Source) -> Iterator[Task]:
    """Label and comparisons of every task of WMT10-12, without the reference; judges are named.

    Nothing without the raw files, where judges are not known.
    """
    if source.kind == "embedded":
        return
    for row in rankings.tasks(source, RELATIVE_CAMPAIGNS).itertuples():
        frame = rankings.load_comparisons(row.campaign, row.task, source=source)
        yield rankings.label(row.campaign, row.task), counts.without(frame, REFERENCE)


def scores_of(margins: np.ndarray, number: np.ndarray, size: int) -> np.ndarray:
    """Mean over opponents of wins less losses, as shares, (tables, systems), of (tables, pairs)."""
    share = np.divide(margins, number, out=np.full(margins.shape, np.nan), where=number > 0)
    return np.nanmean(testing.square(share, -share, size), axis=-1)


def of_ranges(scores: np.ndarray) -> tuple[float, bool, bool]:
    """As `claims_of`, of ranges of ranks; scores of resamples, (resamples, systems)."""
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    low, high = np.quantile(ranks, [ALPHA / 2, 1 - ALPHA / 2], axis=0, method="inverted_cdf")
    separate = high[:, None] < low
    order = np.argsort(ranks.mean(axis=0))
    lines = clusters_of_ranges(low[order], high[order]).max() > 1
    return 2 * separate.sum() / (len(low) * (len(low) - 1)), bool(separate.any()), bool(lines)


def by_comparisons(margins: np.ndarray, spread: np.ndarray, size: int) -> np.ndarray:
    """One-sided p-values, (..., systems, systems), of the sign test by its normal approximation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(spread > 0, ndtr(-margins / spread), np.nan)
    return testing.square(upper, 1 - upper, size)


def sizes_of_rankings(
    label: str, comparisons: pd.DataFrame, shuffles: int, seed: int
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
    size, margins, decided = testing.margins_by_unit(comparisons, "judge")
    number, judges = decided.sum(axis=0), len(margins)
    share = margins.sum(axis=0) / np.maximum(number, 1)
    left = margins - share * decided  # with the mean of the pair taken out
    spread = np.sqrt(number * (1 - share**2))
    rng, rows = np.random.default_rng(seed), []
    signs = 1.0 - 2 * rng.integers(2, size=(judges, shuffles, 1))
    shuffled = left[:, None, :] * signs
    total = shuffled.sum(axis=0)
    mean = scores_of(total, number, size)
    tests = {"sign test": by_comparisons(total, spread, size)}
    tests[UNIT] = unit_p([shuffled], size)
    for name, p in tests.items():
        shown = zip(p, mean, strict=True)
        rows += [(name, *claims_of(one, order, RULES[UNIT])) for one, order in shown]
    for k in range(shuffles):
        times = rng.multinomial(judges, np.full(judges, 1 / judges), RANGES).astype(float)
        drawn = {"wmt16": total[k] + spread * rng.standard_normal((RANGES, len(number)))}
        drawn["ranges by judge"] = times @ shuffled[:, k]
        ranges = {name: of_ranges(scores_of(sums, number, size)) for name, sums in drawn.items()}
        rows += [(name, *found) for name, found in ranges.items()]
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(protocol="RR", label=label, block="judge")


def all_sizes(
    campaigns: Sequence[Judged], tasks: Sequence[Task], *, shuffles: int, seed: int
) -> pd.DataFrame:
    """`sizes` of campaigns, within their units and by judges, and of tasks of relative ranking."""
    tables, drawn = [], (shuffles, seed)
    for campaign in campaigns:
        about = [campaign.label, keep.frame_sha256(campaign.values), *drawn]
        for block in dict.fromkeys([campaign.units[0], "worker"]):
            arguments = sizes, campaign, block, *drawn
            tables.append(keep.result("honest-line", [block, *about], *arguments))
    for label, frame in tasks:
        about = [label, keep.frame_sha256(frame), *drawn]
        tables.append(
            keep.result("honest-line-rankings", about, sizes_of_rankings, label, frame, *drawn)
        )
    return pd.concat(tables, ignore_index=True)


def size_table(rows: pd.DataFrame) -> pd.DataFrame:
    """What each rule says where no two systems differ, by protocol.

    Parameters
    ----------
    rows : DataFrame
        Of `sizes`.

    Returns
    -------
    DataFrame
        protocol, block, rule; campaigns, tables; rejected (mean over campaigns of the share of
        pairs called apart), pair, line (shares of tables), each with _low and _high: 95 % over
        shuffles (of tables: Wilson's).
    """
    keys, measures = ["protocol", "block", "rule"], ["rejected", "pair", "line"]
    each = rows.groupby([*keys, "label"])["rejected"].agg(["mean", "sem"]).groupby(keys)
    table = rows.groupby(keys)[measures].mean().astype(float)
    table.insert(0, "campaigns", each.size())
    table.insert(1, "tables", rows.groupby(keys).size())
    table["rejected"] = each["mean"].mean()
    half = NORMAL * each["sem"].agg(lambda error: np.sqrt((error**2).sum())) / table["campaigns"]
    ends = {"rejected": (table["rejected"] - half, table["rejected"] + half)}
    ends |= {name: wilson(table[name], table["tables"]) for name in measures[1:]}
    for name, (low, high) in ends.items():
        table[f"{name}_low"], table[f"{name}_high"] = low, high
    return table.reset_index()


def tests_of(campaign: Judged, score: str, test: str) -> tuple[Any, Any, Any]:
    """Mean scores of the systems, and one-sided p-values by segments and by units."""
    values, size = campaign.values, len(campaign.systems)
    value, system = values[score].to_numpy(), values["system"].to_numpy()
    table = table_of_segments(value, system, values["segment"].to_numpy())
    numbers = [values[unit].to_numpy() for unit in campaign.units]
    parts = [testing.unit_differences(value, system, number, size) for number in numbers]
    return np.nanmean(table, axis=1), testing.by_segments(table, test), unit_p(parts, size)


def changes(campaigns: Sequence[Judged], tasks: Sequence[Task]) -> pd.DataFrame:
    """Pairs and lines by the rule of each campaign, and those that stay by its units.

    The rule stays, in its sides, correction and lines; the p-values become those of the unit test.

    Returns
    -------
    DataFrame
        protocol, label, pairs, pairs_stay, lines, lines_stay: called apart, or drawn; of the lines
        those stay that have the same systems above them.
    """
    rows = []
    for campaign in campaigns:
        rule = RULES[APPLIED[campaign.protocol][0]]
        mean, *p = tests_of(campaign, rule.score, rule.test)
        rows.append((campaign.protocol, campaign.label, *stay(mean, *p, rule)))
    for label, frame in tasks:
        size, margins, decided = testing.margins_by_unit(frame, "judge")
        total, number = margins.sum(axis=0), decided.sum(axis=0)
        p = by_comparisons(total, np.sqrt(number), size), unit_p([margins], size)
        rows.append(("RR", label, *stay(scores_of(total, number, size), *p, SINGLE)))
    return pd.DataFrame(rows, columns=["protocol", "label", *CHANGED])


def stay(mean: np.ndarray, before: Any, after: Any, rule: LineRule) -> tuple[int, ...]:
    """Pairs and lines by one-sided p-values, each followed by how many stay by others."""
    order = np.ix_(*[np.argsort(-mean, kind="stable")] * 2)
    better, lines = testing.ruled_lines(before[order], rule)
    still, redrawn = testing.ruled_lines(after[order], rule)
    return tuple(int(a.sum()) for a in (better, better & still, lines, lines & redrawn))


def change_table(table: pd.DataFrame) -> pd.DataFrame:
    """`changes` by protocol: share of pairs and lines that go, mean over campaigns with 95 %."""
    rows = []
    for protocol, part in table.groupby("protocol"):
        row = {"protocol": protocol, "campaigns": len(part), **part[CHANGED].sum()}
        for name in CHANGED[::2]:
            gone = (1 - part[f"{name}_stay"] / part[name]).dropna()  # without any, nothing can go
            half = t_half_width(gone) if len(gone) > 1 else np.nan
            row |= {f"{name}_gone": gone.mean()}
            row |= {f"{name}_low": gone.mean() - half, f"{name}_high": gone.mean() + half}
        rows.append(row)
    return pd.DataFrame(rows)


def removals(source: Source, years: Sequence[str]) -> pd.DataFrame:
    """Lines that change when a system is removed (Knowles 2021), by segments and by units.

    Returns
    -------
    DataFrame
        One row a campaign: protocol, label, systems; segments, units: the share of removals that
        change the lines among the others; segments_lines, units_lines: lines with all systems.
    """
    rows = []
    for release in coded_campaigns.load_all(source, pairs_of_years(source, years)):
        full, names = judged(f"DA {release.style}", "", release.coded), release.coded.systems
        if not full.units:
            continue
        everyone = tests_of(full, "z", "rank-sum")
        row, changed = (full.protocol, release.label, len(names)), []
        for k, name in enumerate(names):
            others = np.arange(len(names)) != k
            left = release.coded.without([name], items=(), paired=False)
            after = lines_drawn(*tests_of(judged("", "", left), "z", "rank-sum"))
            mean, *p = everyone
            before = lines_drawn(mean[others], *(one[np.ix_(others, others)] for one in p))
            changed.append([a != b for a, b in zip(before, after, strict=True)])
        drawn = [len(lines) for lines in lines_drawn(*everyone)]
        rows.append((*row, *np.mean(changed, axis=0), *drawn))
    columns = ["segments", "units", "segments_lines", "units_lines"]
    return pd.DataFrame(rows, columns=["protocol", "label", "systems", *columns])


def lines_drawn(mean: np.ndarray, *tests: np.ndarray) -> list[set[frozenset[int]]]:
    """The lines of each test, as the sets of systems above them."""
    order = np.argsort(-mean, kind="stable")
    drawn = [testing.ruled_lines(p[np.ix_(order, order)], SINGLE)[1] for p in tests]
    return [{frozenset(order[: k + 1]) for k in np.flatnonzero(lines)} for lines in drawn]
