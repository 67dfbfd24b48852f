"""Significance lines between systems that do not differ. Notebook 62.

A test at 5 % should call two equal systems apart once in twenty times. Here real
campaigns are shuffled until no difference between systems is true, and every rule by
which campaigns draw, or drew, their lines is applied to them.

- Assessments: the systems' means are taken out; then, within each document, the systems
  present change their names at random. A block, one system's outputs of one document,
  moves as a whole. Where documents are not named, the same is done within each HIT, and
  in other shuffles judge by judge, with or without the judges' slopes (`SHUFFLES`).
- Relative rankings, and votes on language models: by judge, by sentence (or prompt)
  and by both; see `equal_votes`.

The rules, by their names in results/honest-line-size.csv:

- wmt17, wmt24: rank-sum of segments' z-scores, and signed-rank of raw scores on common
  segments; one-sided, so 10 % by design. wmt26: paired t-test on common segments.
- rank-sum, signed-rank: the same two-sided on z-scores, corrected (Benjamini and
  Hochberg).
- first unit: the unit test by documents, or HITs, alone. unit: by documents and judges
  at once where a judge has a system in five documents or more, on average; of votes by
  sentences and judges.
- sign test: of single votes. judges, sentences: by judges or sentences alone.
- sets: the test of `wmtlib rank`, of scores by judges and sentences.
- wmt16, ranges by judge: ranges of ranks, from resampled votes or judges.

The criteria, written before the results:

- Size: in every protocol, however names or votes are drawn, the unit test calls at most
  6 % of equal pairs apart at 5 %, and the 95 % interval of that share, over shuffles,
  holds 5 % or lies below it.
- Tables: after correction at most 5 % of the tables have a false pair, or Wilson's
  interval holds 5 %; the same of false lines.
- Judges matter in scores if, with names exchanged judge by judge, the test by documents
  calls more than 6 % of pairs apart and the interval lies above 5 %; in votes if the
  test by sentences does, drawn by judge. Sentences matter if the test by judges does,
  drawn by sentence.
- Calibrated: votes by both are as alike as the real ones, to a tenth, or to two
  standard errors over tasks.
- Change: of the pairs that a campaign's rule calls apart, the share that goes by units
  is large if the 95 % interval of its mean over campaigns lies above `MUCH`, small if
  it lies below `LITTLE`.

What was known when they were written, and what was chosen after a first run, is in
docs/ranking.md.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from study import campaigns
from study.beyond import campaign_rules, pair_arrays, unit_tests
from study.beyond import later_assessments as later
from study.beyond.campaign_rules import CAMPAIGN_RULES, LineRule, lines_across
from study.beyond.equal_votes import (
    JUDGE,
    KINDS,
    NULLS,
    Votes,
    equal_votes,
    score_p,
    votes_of,
)
from study.beyond.pair_arrays import pairs_of
from study.beyond.segment_tests import by_segments
from study.beyond.unit_tests import (
    FEWEST_UNITS,
    block_scores,
    clustered_p,
    membership,
    one_sided_p,
    p_by_units,
    sign_flip_p,
    unit_p,
)
from study.data import assessment_catalogue
from study.data import ranking_releases as rankings
from study.data.arena_votes import load_llmfao
from study.data.sources import LATER_RELATIVE, RELATIVE_CAMPAIGNS, Source
from study.run import keep
from study.statistics import less_system_means, t_half_width
from wmtlib import zscores
from wmtlib.agreement import segments_drawn as units_drawn
from wmtlib.certainty import rank_sets
from wmtlib.core import counts
from wmtlib.core.assessments import Campaign, encode
from wmtlib.core.corrections import NORMAL, wilson

ALPHA = 0.05
UNIT, FIRST_UNIT = "unit", "first unit"
BY_JUDGES, BY_SENTENCES, SETS = "judges", "sentences", "sets"  # of votes
VOTES = "sign test"
FEWEST_SHUFFLES = 20  # of a campaign
FEWEST_DRAWN = 12  # tables of votes, of a task
SETS_EVERY = 4  # tables of votes, of which one has sets of ranks
RANGES = 200  # resamples of a range of ranks
RULES = (
    CAMPAIGN_RULES
    | {
        name: LineRule("z", name, 2, "benjamini-hochberg", "footnote-4")
        for name in (UNIT, "rank-sum", "signed-rank")
    }
    | {SETS: LineRule("z", SETS, 2, "holm", "losses")}
)
SINGLE = LineRule("z", "rank-sum", 2, "none", "footnote-4")  # Knowles (2021), two-sided
SCORES = ["raw", "z"]
LITTLE, MUCH = 0.1, 0.2  # shares of pairs that go
FEWEST_CAMPAIGNS = 4  # of an interval over campaigns
CHANGED = ["pairs", "pairs_stay", "lines", "lines_stay"]
APPLIED = {  # rules by segments, to which protocols
    "DA SR-DC": ("wmt17", "rank-sum"),
    "DA SR+DC": ("wmt17", "wmt26", "rank-sum"),
    "DA mixed": ("wmt17", "wmt26", "rank-sum"),
    "DA by HIT": ("wmt17", "rank-sum"),
    "ESA": ("wmt24", "wmt26", "signed-rank"),
    "MQM": ("wmt26", "signed-rank"),
}
ALL, SLOPE_OUT = "all", "slope out"
SHUFFLES = [  # within what names change, and of which scores
    (FIRST_UNIT, ALL),
    ("worker", ALL),
    ("worker", SLOPE_OUT),
]


@dataclass(frozen=True, eq=False, repr=False)
class TestedCampaign:
    """A campaign with the units by which it is tested.

    Attributes
    ----------
    protocol, label : str
    systems, units : tuple of names
        units: those of the test, such as `unit_tests.units_of_collection`.
    values : DataFrame
        As `zscores.judged_values`; of votes and relative rankings the comparisons.
    coded : Campaign or None
        Of assessments, the campaign.
    """

    protocol: str
    label: str
    systems: tuple[str, ...]
    units: tuple[str, ...]
    values: pd.DataFrame
    coded: Any = None

    @property
    def is_voted(self) -> bool:
        """Say if judges compared systems, and did not score them."""
        return "preference" in self.values

    @property
    def rule(self) -> LineRule:
        """Return the rule of the campaign's lines; `SINGLE` for votes."""
        if self.is_voted:
            return SINGLE
        return RULES[APPLIED[self.protocol][0]]


def tested_campaign(protocol: str, label: str, campaign: Campaign) -> TestedCampaign:
    """Choose the protocol and units of a coded campaign."""
    values = zscores.judged_values(campaign)
    units = unit_tests.units_of_collection(values)
    protocol = "DA by HIT" if "hit" in units else protocol
    return TestedCampaign(protocol, label, campaign.systems, units, values, campaign)


def assessed(source: Source) -> Iterator[TestedCampaign]:
    """Load all campaigns of DA, ESA and MQM with single judgements, or simulated ones.

    Of some the systems share no units; see `unit_tests.units_of_collection`.
    """
    pairs = campaigns.simulated()
    if source.kind == "raw":
        listed = assessment_catalogue.availability(source).query("status == 'present'")
        pairs = listed[["campaign", "language_pair"]].to_numpy().tolist()
    for release in campaigns.load_all(source, pairs):
        yield tested_campaign(f"DA {release.style}", release.label, release.coded)
    if source.kind == "embedded":
        return
    for pair in later.TASKS:
        campaign = encode(later.load_esa(pair, source=source))
        yield tested_campaign("ESA", f"wmt24 {pair}", campaign)
    for pair in ("en-de", "zh-en"):
        rows = later.load_mqm(pair, source=source)
        errors = -(5.0 * rows["major"] + rows["minor"])
        rater = rows["rater"].cat.add_categories("unknown").fillna("unknown")
        campaign = encode(rows.assign(worker=rater, score=errors))
        yield tested_campaign("MQM", f"wmt21 {pair}", campaign)


def relative(
    source: Source, campaigns: Sequence[str] = RELATIVE_CAMPAIGNS
) -> Iterator[TestedCampaign]:
    """Load every task of relative ranking, without the reference, by judge.

    Yields nothing without the raw files, where judges are not known.
    """
    if source.kind == "embedded":
        return
    for row in rankings.tasks(source, campaigns).itertuples():
        frame = rankings.load_comparisons(row.campaign, row.task, source=source)
        frame = counts.without(frame, counts.REFERENCE)
        systems = tuple(counts.rows_of(frame).systems)
        label = rankings.label(row.campaign, row.task)
        yield TestedCampaign("RR", label, systems, ("judge",), frame)


def voted(source: Source) -> Iterator[TestedCampaign]:
    """Load votes by judge and sentence: WMT10-12, WMT16, and the arena llmfao.

    Tasks with fewer than `FEWEST_UNITS` judges are left out. Yields nothing without the
    raw files.
    """
    if source.kind == "embedded":
        return
    years = {"RR WMT10-12": RELATIVE_CAMPAIGNS, "RR WMT16": LATER_RELATIVE}
    for protocol, names in years.items():
        for task in relative(source, names):
            if task.values["judge"].nunique() >= FEWEST_UNITS:
                yield replace(task, protocol=protocol, units=KINDS)
    votes = load_llmfao(source=source)
    systems = tuple(counts.rows_of(votes).systems)
    yield TestedCampaign("votes llmfao", "llmfao", systems, KINDS, votes)


# --- rules applied where no two systems differ ----------------------------------------


def sizes(
    campaign: TestedCampaign, block: str, among: str, shuffles: int, seed: int
) -> pd.DataFrame:
    """Apply the rules to a campaign in which no two systems differ.

    Parameters
    ----------
    campaign : TestedCampaign
    block : str
        A column of the values, within which the systems' names are exchanged; of votes
        one of `equal_votes.NULLS`.
    among : str
        "all", or "slope out": see `remove_slopes`.
    shuffles, seed : int

    Returns
    -------
    DataFrame
        One row a shuffle and rule: protocol, label, block, among, rule, rejected (share
        of pairs called apart at 5 %), pair, line (whether the table has a false one).
    """
    rng = np.random.default_rng(seed)
    protocol = campaign.protocol
    if campaign.is_voted:
        rows = _shuffle_votes(campaign, block, shuffles, rng)
        protocol = f"{protocol} ({NULLS[block]})"
    else:
        rows = _shuffle_assessments(campaign, block, among, shuffles, rng)
    table = pd.DataFrame(rows, columns=["rule", "rejected", "pair", "line"])
    return table.assign(
        protocol=protocol, label=campaign.label, block=block, among=among
    )


Row = tuple[str, float, bool, bool]  # of `sizes`


def _shuffle_assessments(
    campaign: TestedCampaign,
    block: str,
    among: str,
    shuffles: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Apply rules by segments, by one and by all units to shuffled assessments."""
    values = campaign.values
    if among == SLOPE_OUT:
        values = remove_slopes(values)
    centred = {score: less_system_means(values, score) for score in SCORES}
    shuffled = values.assign(**centred)
    system = values["system"].to_numpy()
    size = len(campaign.systems)
    rules = {name: RULES[name] for name in APPLIED[campaign.protocol]}
    tables = []
    exchanges = exchange_names(system, values[block].to_numpy(), rng)
    for exchanged in itertools.islice(exchanges, shuffles):
        shuffled["system"] = exchanged
        p = {}
        mean = {}
        for score, test in {rule[:2] for rule in rules.values()}:
            of_segments = pair_arrays.table_of_segments(shuffled, score)
            mean[score] = np.nanmean(of_segments, axis=1)
            p[score, test] = by_segments(of_segments, test)
        for name, rule in rules.items():
            yield name, *count_claims(p[rule[:2]], mean[rule.score], rule)
        scores, units = block_scores(shuffled, "z", campaign.units, pairs_of(size))
        if len(units) == 2:
            yield UNIT, *_count_unit_claims(unit_p(scores, units), scores, mean["z"])
        tables.append((membership(units[0]) @ scores, mean["z"]))
    # All tables at once, with one drawing of signs.
    of_units = np.hstack([scores for scores, _ in tables])
    two_sided_p = unit_p(of_units, [np.arange(len(of_units))]).reshape(shuffles, -1)
    for (scores, mean_z), two_sided in zip(tables, two_sided_p, strict=True):
        claims = _count_unit_claims(two_sided, scores, mean_z)
        yield FIRST_UNIT, *claims
        if len(campaign.units) == 1:
            yield UNIT, *claims


def _count_unit_claims(
    two_sided: np.ndarray, scores: np.ndarray, mean: np.ndarray
) -> tuple[float, bool, bool]:
    """Apply `count_claims` to two-sided p by units, of scores, (units, pairs)."""
    p = one_sided_p(two_sided, scores.sum(axis=0), len(mean))
    return count_claims(p, mean, RULES[UNIT])


def remove_slopes(values: pd.DataFrame) -> pd.DataFrame:
    """Take each worker's slope on the systems' means out of the scores.

    A worker with a slope b scores a system b times its distance from the mean too high:
    who tells systems apart more finely than others has b above 0. It is fitted by least
    squares, worker by worker, and takes some chance out with it.
    """
    worker = values["worker"]
    adjusted = {}
    for score in SCORES:
        mean = values.groupby("system")[score].transform("mean")
        distance = mean - mean.groupby(worker).transform("mean")
        product = distance * (values[score] - mean)
        squares = (distance**2).groupby(worker).transform("sum")
        slope = product.groupby(worker).transform("sum") / squares
        adjusted[score] = values[score] - slope.fillna(0) * distance
    return values.assign(**adjusted)


def exchange_names(
    system: np.ndarray, block: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Exchange systems' names at random among those in each block, without end.

    All judgements of one system in a block get the same new name.

    Parameters
    ----------
    system, block : ndarray of int, (values,)
    """
    size = system.max() + 1
    cells, cell = np.unique(block * size + system, return_inverse=True)
    block_of_cell, name = divmod(cells, size)
    while True:
        # At random within each block.
        order = np.lexsort((rng.random(len(cells)), block_of_cell))
        yield name[order][cell]


def count_claims(
    p: np.ndarray, mean: np.ndarray, rule: LineRule
) -> tuple[float, bool, bool]:
    """Return the share of pairs apart, uncorrected; any pair, any line, corrected."""
    better, lines = significance_lines(mean, p, rule)
    single = better
    if rule.correction != "none":
        single = (p < ALPHA / rule.sides) & (p < p.T)
    tested = np.triu(~np.isnan(p), 1).sum()
    return single.sum() / (tested or np.nan), bool(better.any()), bool(lines.any())


def significance_lines(
    mean: np.ndarray, p: np.ndarray, rule: LineRule
) -> tuple[np.ndarray, np.ndarray]:
    """Draw `ruled_lines` between systems in the order of their means, best first."""
    order = np.argsort(-mean, kind="stable")
    return campaign_rules.ruled_lines(p[np.ix_(order, order)], rule)


def _shuffle_votes(
    task: TestedCampaign, null: str, shuffles: int, rng: np.random.Generator
) -> Iterator[Row]:
    """Apply rules for votes to a task in which no two systems differ.

    The sign test and wmt16 take votes for independent, with the variance that they have
    if they are. A system's score is the mean over opponents of wins less losses, as
    shares, and a range of ranks is what 95 % of the samples of votes (wmt16) or of
    judges hold.
    """
    size = len(task.systems)
    votes = votes_of(task.values, task.systems)
    number = votes.by_pair()
    drawn = itertools.islice(equal_votes(votes, null, rng), shuffles)
    for k, margin in enumerate(drawn):
        total = votes.by_pair(margin)
        mean = mean_shares(total, number, size)
        p = vote_tests(votes, margin)
        if k % SETS_EVERY == 0:
            of_scores = score_p(votes, margin, mean / 2)[votes.sides]
            p[SETS] = one_sided_p(of_scores, np.subtract(*mean[[*votes.sides]]), size)
        for name, one_sided in p.items():
            yield name, *count_claims(one_sided, mean, RULES.get(name, RULES[UNIT]))
        spread = np.sqrt(votes.by_pair(margin**2))
        by_one = total + spread * rng.standard_normal((RANGES, len(number)))
        of_judges = votes.table(votes.units[JUDGE], margin)
        by_judge = units_drawn(of_judges.shape[0], RANGES, rng) @ of_judges
        for name, samples in {"wmt16": by_one, "ranges by judge": by_judge}.items():
            yield name, *count_range_claims(mean_shares(samples, number, size))


def vote_tests(votes: Votes, margin: np.ndarray) -> dict[str, np.ndarray]:
    """Test every pair by judges, sentences, both, and votes: one-sided p.

    Parameters
    ----------
    margin : ndarray, (votes,)
        As `Votes.margin`.

    Returns
    -------
    dict of ndarray, (systems, systems)
    """
    total = votes.by_pair(margin)
    block, units = votes.blocks
    of_blocks = votes.table(block, margin)
    two_sided = {
        BY_JUDGES: sign_flip_p(votes.table(votes.units[JUDGE], margin).toarray()),
        BY_SENTENCES: clustered_p(of_blocks, units[1:]),
        UNIT: clustered_p(of_blocks, units),
        VOTES: sign_test_p(total, np.sqrt(votes.by_pair(margin**2))),
    }
    size = len(votes.rows.systems)
    return {name: one_sided_p(p, total, size) for name, p in two_sided.items()}


def mean_shares(margins: np.ndarray, number: np.ndarray, size: int) -> np.ndarray:
    """Average wins less losses, as shares, over opponents: (tables, systems).

    They are of margins, (tables, pairs), and the number of comparisons of each pair,
    which may be 0.
    """
    first, second = pairs_of(size)
    systems = np.eye(size)
    sides = systems[first] - systems[second]
    opponents = (number > 0) @ np.abs(sides)
    return margins / np.maximum(number, 1) @ sides / opponents


def count_range_claims(scores: np.ndarray) -> tuple[float, bool, bool]:
    """Count as `count_claims` does, by ranges of ranks: (resamples, systems)."""
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    ends = [ALPHA / 2, 1 - ALPHA / 2]
    low, high = np.quantile(ranks, ends, axis=0, method="inverted_cdf")
    better = high[:, None] < low
    order = np.argsort(ranks.mean(axis=0))
    lines = lines_across(better[np.ix_(order, order)])
    return better.sum() / math.comb(len(low), 2), bool(better.any()), bool(lines.any())


def sign_test_p(margins: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Compute two-sided p of the sign test, approximately: (pairs,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > 0, 2 * ndtr(-np.abs(margins) / spread), np.nan)


def all_sizes(
    campaigns: Sequence[TestedCampaign], *, shuffles: int, seed: int
) -> pd.DataFrame:
    """Compute `sizes` of campaigns, by every kind of shuffle.

    Parameters
    ----------
    campaigns : sequence of TestedCampaign
    shuffles : int
        Tables of a protocol and kind, half as many of votes; its campaigns have equally
        many, 20 (of votes 12) or more.
    seed : int
    """
    number = Counter(campaign.protocol for campaign in campaigns)
    tables = []
    for campaign in campaigns:
        data = keep.frame_sha256(campaign.values)
        fewest, tables_of = FEWEST_SHUFFLES, shuffles
        kinds = SHUFFLES
        if campaign.is_voted:
            fewest, tables_of = FEWEST_DRAWN, shuffles // 2
            kinds = [(null, ALL) for null in NULLS]
        each = max(fewest, math.ceil(tables_of / number[campaign.protocol]))
        for within, among in kinds:
            block = campaign.units[0] if within == FIRST_UNIT else within
            drawn_by = block, among, each, seed
            settings = [campaign.label, data, *drawn_by]
            tables.append(
                keep.result("honest-line", settings, sizes, campaign, *drawn_by)
            )
    return pd.concat(tables, ignore_index=True)


def size_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Summarise the errors of each rule where no two systems differ, by protocol.

    Parameters
    ----------
    rows : DataFrame
        Of `sizes`.

    Returns
    -------
    DataFrame
        protocol, block, among, rule; campaigns, tables; rejected (mean over campaigns
        of the share of pairs called apart), pair, line (shares of tables), each with
        _low and _high: 95 % over shuffles (of tables: Wilson's).
    """
    keys = ["protocol", "block", "among", "rule"]
    of_rule = rows.groupby(keys)
    table = of_rule.agg(campaigns=("label", "nunique"), tables=("label", "size"))
    table = table.join(of_rule[["rejected", "pair", "line"]].mean())
    sem = rows.groupby([*keys, "label"])["rejected"].sem()
    error = np.sqrt((sem**2).groupby(keys).mean() / table["campaigns"])
    half = NORMAL * error
    table["rejected_low"] = table["rejected"] - half
    table["rejected_high"] = table["rejected"] + half
    for name in ("pair", "line"):
        low, high = wilson(table[name], table["tables"])
        table[f"{name}_low"] = low
        table[f"{name}_high"] = high
    return table.reset_index()


# --- what changes in campaigns as they are --------------------------------------------


def tests_of(
    campaign: TestedCampaign, score: str, test: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mean scores; one-sided p by segments or comparisons, and by units."""
    if campaign.is_voted:
        votes = votes_of(campaign.values, campaign.systems)
        total = votes.by_pair(votes.margin)
        mean = mean_shares(total, votes.by_pair(), len(campaign.systems))
        tests = vote_tests(votes, votes.margin)
        by_units = UNIT if campaign.units == KINDS else BY_JUDGES
        return mean, tests[VOTES], tests[by_units]
    means = pair_arrays.table_of_segments(campaign.values, score)
    p = by_segments(means, test)
    of_units = p_by_units(campaign.values, score, campaign.units)
    return np.nanmean(means, axis=1), p, of_units


def neighbours(campaign: TestedCampaign, test: str) -> pd.DataFrame:
    """Test each system against the next one below it, by segments and by units.

    Parameters
    ----------
    campaign : TestedCampaign
        Of assessments.
    test : str
        Of segments, as `segment_tests.by_segments` takes it.

    Returns
    -------
    DataFrame, best first
        above, below (names), difference (of mean z-scores), by_segments, by_units
        (two-sided p).
    """
    mean, *tests = tests_of(campaign, "z", test)
    order = np.argsort(-mean, kind="stable")
    names = np.array(campaign.systems, dtype=object)[order]
    columns = {
        "above": names[:-1],
        "below": names[1:],
        "difference": -np.diff(mean[order]),
    }
    for name, p in zip(("by_segments", "by_units"), tests, strict=True):
        columns[name] = 2 * np.minimum(p, p.T)[order[:-1], order[1:]]
    return pd.DataFrame(columns)


def changes(campaigns: Sequence[TestedCampaign]) -> pd.DataFrame:
    """Count pairs and lines by the rule of each campaign, and those left by its units.

    The rule stays, in its sides, correction and lines; the p-values become those of the
    unit test.

    Returns
    -------
    DataFrame
        protocol, label, pairs, pairs_stay, lines, lines_stay: called apart, or drawn;
        of the lines those stay that have the same systems above them.
    """
    rows = []
    for campaign in campaigns:
        rule = campaign.rule
        tests = tests_of(campaign, rule.score, rule.test)
        rows.append((campaign.protocol, campaign.label, *stay(*tests, rule)))
    return pd.DataFrame(rows, columns=["protocol", "label", *CHANGED])


def stay(
    mean: np.ndarray, before: np.ndarray, after: np.ndarray, rule: LineRule
) -> tuple[int, ...]:
    """Count pairs and lines by p-values before, each followed by those left after."""
    better, lines = significance_lines(mean, before, rule)
    still, redrawn = significance_lines(mean, after, rule)
    counted = better, better & still, lines, lines & redrawn
    return tuple(int(chosen.sum()) for chosen in counted)


def pairs_gone(changes: pd.DataFrame) -> pd.DataFrame:
    """Average over campaigns the share of pairs that go, with the t interval (95 %).

    Parameters
    ----------
    changes : DataFrame
        As `changes` gives it. A campaign without pairs counts for nothing.

    Returns
    -------
    DataFrame, index protocol
        gone, low, high. There is no interval (NaN) of fewer than `FEWEST_CAMPAIGNS`,
        nor where it would leave 0 to 1: shares so near an end are not normal.
    """
    share = (1 - changes["pairs_stay"] / changes["pairs"]).dropna()
    of_protocol = share.groupby(changes["protocol"])
    mean = of_protocol.mean()
    half = of_protocol.agg(t_half_width)
    told = of_protocol.size() >= FEWEST_CAMPAIGNS
    told &= (mean - half >= 0) & (mean + half <= 1)
    return pd.DataFrame(
        {
            "gone": mean,
            "low": (mean - half).where(told),
            "high": (mean + half).where(told),
        }
    )


# --- what holds for all systems at once -----------------------------------------------


def at_once(campaigns: Sequence[TestedCampaign]) -> pd.DataFrame:
    """Count what the sets of ranks of `wmtlib.rank_sets` tell apart in each campaign.

    Returns
    -------
    DataFrame
        protocol, label, systems, all (pairs of systems), listed (pairs apart by the
        two-way test, corrected by Benjamini and Hochberg), apart (pairs that the sets
        tell apart, all at once) and lines (between the sets).
    """
    rows = []
    for campaign in campaigns:
        data = campaign.values if campaign.coded is None else campaign.coded
        sets = rank_sets(data, minimum=0)
        pairs = sets.pairs
        lines = int(sets.table["cluster"].max()) - 1
        listed = int((pairs["corrected"] < ALPHA).sum())
        apart = int(pairs["apart"].sum())
        size = len(sets.table)
        name = campaign.protocol, campaign.label
        rows.append((*name, size, len(pairs), listed, apart, lines))
    columns = ["protocol", "label", "systems", "all", "listed", "apart", "lines"]
    return pd.DataFrame(rows, columns=columns)
