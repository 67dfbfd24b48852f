"""Do significance lines say what they promise? Notebook 62.

A test at 5 % should call two equal systems apart once in twenty times. Here real
campaigns are shuffled until no difference between systems is true, and every rule by
which campaigns draw, or drew, their lines is applied to them.

- Assessments: the systems' means are taken out; then, within each document, the systems
  present change their names at random. A block, one system's outputs of one document,
  moves as a whole. Where documents are not named, the same is done within each HIT.
- Relative rankings: of every pair of systems, each judge's wins less losses, with the
  mean of the pair taken out; the sign of all that a judge said is drawn at random. What
  judges disagree about stays, and no difference between systems does.

The criteria stand in the notebook. They were written before any of this was computed
for more than one pair of systems. Known were: a trial from outside on WMT24 (t-tests of
segments called 24-27 % of equal pairs apart, the signed-rank test of z-scores 21-22 %,
t-tests of document means 4-5 %; 75 of 207 significant pairs disappeared with documents
as the unit); and, for twelve campaigns as they are, how many pairs three weightings of
the documents call apart, from which the weights of `cluster_lines.unit_differences`
were chosen. After a first run two choices were made: judges are units too where they
recur (`cluster_lines.RECURRING`), and campaigns whose systems share no documents are
left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from wmtlib import counts, pairwise_tests
from wmtlib.assessments import Campaign, encode
from wmtlib.corrections import NORMAL, wilson
from wmtlib.counts import REFERENCE
from wmtlib.pairwise_tests import unit_p
from wmtlib.cluster_lines import clusters_of_ranges
from wmtlib.study.beyond import later_assessments as later
from wmtlib.study.releases import assessment_catalogue, coded_campaigns
from wmtlib.study.releases import ranking_releases as rankings
from wmtlib.study.releases.sources import RELATIVE_CAMPAIGNS, Source
from wmtlib.study.running import keep
from wmtlib.yours import campaign_rules
from wmtlib.yours.campaign_rules import CAMPAIGN_RULES, LineRule

ALPHA = 0.05
UNIT, FIRST_UNIT = "unit", "first unit"
RANGES = 200  # resamples of a range of ranks
RULES = CAMPAIGN_RULES | {
    name: LineRule("z", name, 2, "benjamini-hochberg", "footnote-4")
    for name in (UNIT, "rank-sum", "signed-rank")
}
SINGLE = LineRule(
    "z", "rank-sum", 2, "none", "footnote-4"
)  # as Knowles (2021), two-sided
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
ESA_PAIRS = ("en-cs", "en-hi", "en-ja", "en-zh")
MQM_PAIRS = ("en-de", "zh-en")


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgements of a campaign.

    Attributes
    ----------
    protocol, label : str
    systems, units : tuple of names
        units: those of the test, such as `pairwise_tests.units_of_collection`.
    values : DataFrame
        As `cluster_lines.judged_values`; of relative rankings ("RR") the comparisons.
    """

    protocol: str
    label: str
    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: pd.DataFrame = field(repr=False)


def judged(protocol: str, label: str, campaign: Campaign) -> Judged:
    """The judgements of a coded campaign."""
    values = pairwise_tests.judged_values(campaign)
    units = pairwise_tests.units_of_collection(values)
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

    Of some the systems share no units; see `pairwise_tests.units_of_collection`.
    """
    for release in coded_campaigns.load_all(source, pairs_of_years(source, YEARS)):
        yield judged(f"DA {release.style}", release.label, release.coded)
    if source.kind == "embedded":
        return
    for pair in ESA_PAIRS:
        yield judged(
            "ESA", f"wmt24 {pair}", encode(later.load_esa(pair, source=source))
        )
    for pair in MQM_PAIRS:
        rows = later.load_mqm(pair, source=source)
        errors = -(5.0 * rows["major"] + rows["minor"])
        rater = rows["rater"].cat.add_categories("unknown").fillna("unknown")
        yield judged(
            "MQM", f"wmt21 {pair}", encode(rows.assign(worker=rater, score=errors))
        )


def relative(source: Source) -> Iterator[Judged]:
    """Every task of relative ranking of WMT10-12, without the reference; judges are named.

    Nothing without the raw files, where judges are not known.
    """
    if source.kind == "embedded":
        return
    for row in rankings.tasks(source, RELATIVE_CAMPAIGNS).itertuples():
        frame = rankings.load_comparisons(row.campaign, row.task, source=source)
        frame, label = (
            counts.without(frame, REFERENCE),
            rankings.label(row.campaign, row.task),
        )
        yield Judged("RR", label, tuple(counts.count(frame).systems), ("judge",), frame)


# --- what rules say where no two systems differ ---------------------------------------


def sizes(campaign: Judged, block: str, shuffles: int, seed: int) -> pd.DataFrame:
    """What the rules say of a campaign in which no two systems differ.

    Parameters
    ----------
    campaign : Judged
    block : str
        Of assessments: a column of the values, within which the systems' names are
        exchanged. The rules by segments are applied if it is the campaign's first unit.
    shuffles, seed : int

    Returns
    -------
    DataFrame
        One row a shuffle and rule: protocol, label, block, rule, rejected (share of
        pairs called apart at 5 %), pair, line (whether the table has a false one).
    """
    rng = np.random.default_rng(seed)
    if campaign.protocol == "RR":
        rows = _of_rankings(campaign, shuffles, rng)
    else:
        rows = _of_assessments(campaign, block, shuffles, rng)
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(protocol=campaign.protocol, label=campaign.label, block=block)


Row = tuple[str, float, bool, bool]  # of `sizes`


def _of_assessments(
    campaign: Judged, block: str, shuffles: int, rng: np.random.Generator
) -> Iterator[Row]:
    """The rules by segments, by the first unit and by all units, of shuffled assessments."""
    values, scores = campaign.values, ["raw", "z"]
    centred = values[scores] - values.groupby("system")[scores].transform("mean")
    names = APPLIED[campaign.protocol] if block == campaign.units[0] else ()
    tests = {RULES[name][:2] for name in names}  # which scores, and how
    means, differences = [], []
    system = values["system"].to_numpy()
    for exchanged in names_exchanged(system, values[block].to_numpy(), shuffles, rng):
        shuffled = values.assign(system=exchanged, **centred)
        tables = {
            score: pairwise_tests.table_of_segments(shuffled, score) for score in scores
        }
        mean = {score: np.nanmean(table, axis=1) for score, table in tables.items()}
        p = {
            (score, test): pairwise_tests.by_segments(tables[score], test)
            for score, test in tests
        }
        for name in names:
            rule = RULES[name]
            yield name, *claims_of(p[rule[:2]], mean[rule.score], rule)
        means.append(mean["z"])
        differences.append(
            pairwise_tests.differences_by_unit(shuffled, "z", campaign.units)
        )
    together = [np.stack(parts, axis=1) for parts in zip(*differences, strict=True)]
    yield from _by_pairs(FIRST_UNIT, unit_p(together[:1], len(campaign.systems)), means)
    yield from _by_pairs(UNIT, unit_p(together, len(campaign.systems)), means)


def _by_pairs(name: str, p: np.ndarray, means: Iterable[np.ndarray]) -> Iterator[Row]:
    """The claims of a test of every pair, table by table."""
    for one, mean in zip(p, means, strict=True):
        yield name, *claims_of(one, mean, RULES[UNIT])


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
        order = np.lexsort(
            (rng.random(len(cells)), cells // size)
        )  # at random within each block
        yield (cells % size)[order][cell]


def claims_of(
    p: np.ndarray, mean: np.ndarray, rule: LineRule
) -> tuple[float, bool, bool]:
    """Share of tested pairs that a rule calls apart, uncorrected; any pair, any line, corrected."""
    single, _ = drawn(mean, p, rule._replace(correction="none"))
    better, lines = drawn(mean, p, rule)
    tested = np.triu(~np.isnan(p), 1).sum()
    return single.sum() / max(tested, 1), bool(better.any()), bool(lines.any())


def drawn(
    mean: np.ndarray, p: np.ndarray, rule: LineRule
) -> tuple[np.ndarray, np.ndarray]:
    """`cluster_lines.ruled_lines` of systems in the order of their means, best first."""
    order = np.argsort(-mean, kind="stable")
    return campaign_rules.ruled_lines(p[np.ix_(order, order)], rule)


def _of_rankings(
    task: Judged, shuffles: int, rng: np.random.Generator
) -> Iterator[Row]:
    """The rules for relative rankings, of a task whose judges' signs are drawn at random.

    The sign test and wmt16 take comparisons for independent, with the variance that
    they have if they are. A system's score is the mean over opponents of wins less
    losses, as shares, and a range of ranks is what 95 % of the samples of comparisons
    (wmt16) or of judges hold.
    """
    margins, decided = pairwise_tests.margins_by_unit(
        task.values, "judge", task.systems
    )
    size = len(task.systems)
    number, judges = decided.sum(axis=0), len(margins)
    share = margins.sum(axis=0) / np.maximum(number, 1)
    left = margins - share * decided  # with the mean of the pair taken out
    spread = np.sqrt(number * (1 - share**2))
    shuffled = left[:, None, :] * (
        1.0 - 2 * rng.integers(2, size=(judges, shuffles, 1))
    )
    total = shuffled.sum(axis=0)
    mean = scores_of(total, number, size)
    yield from _by_pairs("sign test", by_comparisons(total, spread, size), mean)
    yield from _by_pairs(UNIT, unit_p([shuffled], size), mean)
    for k in range(shuffles):
        times = rng.multinomial(judges, np.full(judges, 1 / judges), RANGES).astype(
            float
        )
        by_one = total[k] + spread * rng.standard_normal((RANGES, len(number)))
        for name, sums in (
            ("wmt16", by_one),
            ("ranges by judge", times @ shuffled[:, k]),
        ):
            yield name, *of_ranges(scores_of(sums, number, size))


def scores_of(margins: np.ndarray, number: np.ndarray, size: int) -> np.ndarray:
    """Mean over opponents of wins less losses, as shares, (tables, systems), of (tables, pairs)."""
    share = np.divide(
        margins, number, out=np.full(margins.shape, np.nan), where=number > 0
    )
    return np.nanmean(pairwise_tests.square(share, -share, size), axis=-1)


def of_ranges(scores: np.ndarray) -> tuple[float, bool, bool]:
    """As `claims_of`, of ranges of ranks; scores of resamples, (resamples, systems)."""
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    low, high = np.quantile(
        ranks, [ALPHA / 2, 1 - ALPHA / 2], axis=0, method="inverted_cdf"
    )
    separate = high[:, None] < low
    order = np.argsort(ranks.mean(axis=0))
    lines = clusters_of_ranges(low[order], high[order]).max() > 1
    return (
        2 * separate.sum() / (len(low) * (len(low) - 1)),
        bool(separate.any()),
        bool(lines),
    )


def by_comparisons(margins: np.ndarray, spread: np.ndarray, size: int) -> np.ndarray:
    """One-sided p-values, (..., systems, systems), of the sign test by its normal approximation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(spread > 0, ndtr(-margins / spread), np.nan)
    return pairwise_tests.square(upper, 1 - upper, size)


def all_sizes(campaigns: Sequence[Judged], *, shuffles: int, seed: int) -> pd.DataFrame:
    """`sizes` of campaigns, of assessments within their first units and judge by judge."""
    tables = []
    for one in campaigns:
        about = [one.label, keep.frame_sha256(one.values), shuffles, seed]
        people = "judge" if one.protocol == "RR" else "worker"
        for block in dict.fromkeys([one.units[0], people]):
            arguments = sizes, one, block, shuffles, seed
            tables.append(keep.result("honest-line", [block, *about], *arguments))
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
        protocol, block, rule; campaigns, tables; rejected (mean over campaigns of the
        share of pairs called apart), pair, line (shares of tables), each with _low and
        _high: 95 % over shuffles (of tables: Wilson's).
    """
    keys, measures = ["protocol", "block", "rule"], ["rejected", "pair", "line"]
    each = rows.groupby([*keys, "label"])["rejected"].agg(["mean", "sem"]).groupby(keys)
    table = rows.groupby(keys)[measures].mean().astype(float)
    table.insert(0, "campaigns", each.size())
    table.insert(1, "tables", rows.groupby(keys).size())
    table["rejected"] = each["mean"].mean()
    half = (
        NORMAL
        * each["sem"].agg(lambda error: np.sqrt((error**2).sum()))
        / table["campaigns"]
    )
    ends = {"rejected": (table["rejected"] - half, table["rejected"] + half)}
    ends |= {name: wilson(table[name], table["tables"]) for name in measures[1:]}
    for name, (low, high) in ends.items():
        table[f"{name}_low"], table[f"{name}_high"] = low, high
    return table.reset_index()


# --- what changes in campaigns as they are --------------------------------------------


def tests_of(
    campaign: Judged, score: str, test: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean scores, one-sided p-values by single segments or comparisons, and those by units."""
    if campaign.protocol == "RR":
        margins, decided = pairwise_tests.margins_by_unit(
            campaign.values, "judge", campaign.systems
        )
        size = len(campaign.systems)
        total, number = margins.sum(axis=0), decided.sum(axis=0)
        p = by_comparisons(total, np.sqrt(number), size)
        return scores_of(total, number, size), p, unit_p([margins], size)
    means = pairwise_tests.table_of_segments(campaign.values, score)
    by_unit = unit_p(
        pairwise_tests.differences_by_unit(campaign.values, score, campaign.units),
        len(means),
    )
    return np.nanmean(means, axis=1), pairwise_tests.by_segments(means, test), by_unit


def changes(campaigns: Sequence[Judged]) -> pd.DataFrame:
    """Pairs and lines by the rule of each campaign, and those that stay by its units.

    The rule stays, in its sides, correction and lines; the p-values become those of the
    unit test.

    Returns
    -------
    DataFrame
        protocol, label, pairs, pairs_stay, lines, lines_stay: called apart, or drawn;
        of the lines those stay that have the same systems above them.
    """
    rows = []
    for one in campaigns:
        rule = SINGLE if one.protocol == "RR" else RULES[APPLIED[one.protocol][0]]
        rows.append((one.protocol, one.label, *stay(*tests_of(one, *rule[:2]), rule)))
    return pd.DataFrame(rows, columns=["protocol", "label", *CHANGED])


def stay(mean: np.ndarray, before: Any, after: Any, rule: LineRule) -> tuple[int, ...]:
    """Pairs and lines by one-sided p-values, each followed by how many stay by others."""
    better, lines = drawn(mean, before, rule)
    still, redrawn = drawn(mean, after, rule)
    return tuple(int(a.sum()) for a in (better, better & still, lines, lines & redrawn))


def removals(source: Source, years: Sequence[str]) -> pd.DataFrame:
    """Lines that change when a system is removed (Knowles 2021), by segments and by units.

    Returns
    -------
    DataFrame
        One row a campaign: protocol, label, systems; segments, units: the share of
        removals that change the lines among the others; segments_lines, units_lines:
        lines with all systems.
    """
    rows = []
    for release in coded_campaigns.load_all(source, pairs_of_years(source, years)):
        full, changed = judged(f"DA {release.style}", release.label, release.coded), []
        if not full.units:
            continue
        mean, *p = tests_of(full, "z", "rank-sum")
        for k, name in enumerate(full.systems):
            others = np.delete(np.arange(len(mean)), k)
            left = judged("", "", release.coded.without([name], items=(), paired=False))
            before = lines_drawn(
                mean[others], *(one[np.ix_(others, others)] for one in p)
            )
            after = lines_drawn(*tests_of(left, "z", "rank-sum"))
            changed.append([a != b for a, b in zip(before, after, strict=True)])
        lines = [len(one) for one in lines_drawn(mean, *p)]
        rows.append(
            (full.protocol, full.label, len(mean), *np.mean(changed, axis=0), *lines)
        )
    columns = ["segments", "units", "segments_lines", "units_lines"]
    return pd.DataFrame(rows, columns=["protocol", "label", "systems", *columns])


def lines_drawn(mean: np.ndarray, *tests: np.ndarray) -> list[set[frozenset[int]]]:
    """The lines of each test, as the sets of systems above them."""
    order = np.argsort(-mean, kind="stable")
    lines = [np.flatnonzero(drawn(mean, p, SINGLE)[1]) for p in tests]
    return [{frozenset(order[: k + 1]) for k in places} for places in lines]
