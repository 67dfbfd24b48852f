"""What the two random halves of a campaign both print. Notebook 63.

A campaign is divided at random into two halves. Each half is ranked and tested as if it
were a campaign, and the results of one are looked for in the other.

- Judges are divided; where a campaign has fewer than twenty, their sittings are: a
  judge's HIT, a judge's block of a document, or a judge's run of consecutive segments.
- *Again*: a winner, if the other half has the same first system; a pair called apart,
  if the other half calls it apart in the same direction; a line, if the other half has
  one below the same systems. *Order*: a pair called apart that the other half has in
  the same order, called apart or not.
- *Share*: of all that is printed in all halves, the part that comes again in the other
  half; every printed line counts once. *Rate*: the same of each campaign, averaged over
  campaigns; every campaign counts once. A campaign is a language pair of a year.

Criteria, written before any campaign was divided:

- *Main test*, the only one: of the lines that the campaigns' own rules draw, all
  protocols together, most come again if the 95 % interval of the mean rate lies above
  1/2; most do not if it lies below; otherwise it is open.
- All else is described, with intervals, and not tested.

Added after the results: the share, which is what the words "of the lines" say.

Criteria, written later, before both rules of printing were applied to any campaign, and
before any p by units was put beside one by segments:

- *Both halves*: what both show, each at a one-sided p by units below `LEVEL`, against
  *one test* of the whole campaign at a one-sided p below its square, where as many
  equal pairs are called apart in each direction. One test prints more if, of pairs and
  of all protocols, the 95 % interval of (both halves / one test) lies below 1; fewer if
  above; otherwise it is open. Lines are described. Known before: the normal
  distribution says more (`power_of_halves`).
- The p of people *depends on the unit* in a protocol if the 95 % interval of the mean
  share of pairs whose p moves by more than `MOVED` lies above 1/10 (of the pairs); does
  not if below; otherwise it is open. Soft pairwise accuracy is described.

Added after the results: campaigns where one test prints nothing, which a first count
had left out; soft accuracy less that of p = 1/2 for all pairs.

Known before all of this: notebook 62 (which pairs go with the unit test, how often
rules call equal systems apart), notebook 61 (how often bootstrap samples have another
winner), and that two halves of one sitting agree far better (.47) than two sittings of
the same outputs (.035) in campaigns of documents.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from scipy.special import ndtr, ndtri

from study.beyond.campaign_rules import LineRule
from study.beyond.honest_line import (
    RULES,
    UNIT,
    TestedCampaign,
    significance_lines,
    tests_of,
)
from study.beyond.interval_plots import promise, values_with_intervals
from study.beyond.pair_arrays import pairs_of, table_of_segments
from study.beyond.segment_tests import t_test_p
from study.statistics import random_halves, t_half_width

FEW_JUDGES = 20  # with fewer, sittings are divided: a half should have ten judges
TESTS = OWN, UNITS = ("own rule", "unit test")
ITEMS = {  # what a half prints, and among what the other half has it is looked for
    "winner": ("winner", "winner"),
    "order": ("pairs", "order"),
    "pairs": ("pairs", "pairs"),
    "lines": ("lines", "lines"),
}
TESTS_IN_WORDS = {
    OWN: "the campaign's own rule",
    UNITS: "test by documents and judges",
}
ITEMS_IN_WORDS = {
    "winner": "the winner",
    "order": "order of pairs apart",
    "pairs": "pairs apart",
    "lines": "lines",
}
PROTOCOLS = {
    "DA SR-DC": "single sentences\n(DA SR-DC)",
    "DA SR+DC": "whole documents\n(DA SR+DC)",
    "ESA": "error spans (ESA)",
    "RR": "relative rankings",
    "all": "all campaigns",
}
LEVEL = 0.05  # one-sided, of each of two halves
ONE_SIDED = LineRule("z", UNIT, 1, "none", "footnote-4")  # at `LEVEL`, uncorrected
MOVED = 0.1  # by which a p is another one
RESAMPLES = 20_000
FEWEST_CAMPAIGNS = 6  # of fewer a bootstrap says little
Results = dict[str, set[Any]]  # of a table, by item
Tested = dict[str, np.ndarray]  # of `tests_of_pairs`
Row = tuple[str, str, float, float]  # test, item, printed, again


# --- two rules of printing ------------------------------------------------------------


def power_of_halves(differences: Sequence[float], level: float = LEVEL) -> pd.DataFrame:
    """Compute how often two rules of printing print a true difference d of two systems.

    d is in standard errors of the whole campaign. Of normal z-values, with c of the
    level a of a half, c = -Phi^-1(a):

        both halves:  Phi(d / sqrt 2 - c)^2
        one test:     Phi(d + Phi^-1(a^2)),    of the whole, as many false prints

    The halves have z / sqrt 2 + e and z / sqrt 2 - e, in units of their own standard
    error, where z is that of the whole and e, normal with variance 1/2, is drawn by the
    division. So a division prints a pair with the chance

        q(z) = max(0, 2 Phi(z - c sqrt 2) - 1),    z ~ N(d, 1).

    Parameters
    ----------
    differences : sequence of d
    level : float
        One-sided, of each half.

    Returns
    -------
    DataFrame
        difference; both halves, one test: chances to be printed, in the true direction;
        changes: the chance that one of two divisions prints it and the other does not,
        the mean of 2 q (1 - q); again: of what a division prints, what another prints,
        the mean of q^2 over that of q.
    """
    d = np.array(differences)
    c = -ndtri(level)
    both = ndtr(d / np.sqrt(2) - c) ** 2
    grid = np.linspace(-8, 8, 6401)
    weight = np.exp(-(grid**2) / 2)
    weight /= weight.sum()
    z = d[:, None] + grid
    q = np.maximum(2 * ndtr(z - c * np.sqrt(2)) - 1, 0)
    columns = {
        "difference": d,
        "both halves": both,
        "one test": ndtr(d + ndtri(level**2)),
        "changes": (2 * q * (1 - q)) @ weight,
        "again": q**2 @ weight / (q @ weight),
    }
    return pd.DataFrame(columns)


# --- soft pairwise accuracy -----------------------------------------------------------


def soft_pairwise_accuracy(p: np.ndarray, q: np.ndarray) -> float:
    """Compute soft pairwise accuracy, SPA (Thompson et al. 2024).

        SPA = mean over pairs of systems of 1 - |p - q|

    Parameters
    ----------
    p, q : ndarray, (systems, systems)
        One-sided p-values of one pair each, by people and a metric, or by two groups of
        people. A pair that lacks one of the two (NaN) is left out.

    Returns
    -------
    float
        NaN if no pair has both.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.1], [0.9, np.nan]])
    >>> soft_pairwise_accuracy(p, p.T).__round__(3)
    0.2
    """
    agreement = 1 - np.abs(p - q)[pairs_of(len(p))]
    return float(pd.Series(agreement).mean())


# --- halves ---------------------------------------------------------------------------


def divided_unit(campaign: TestedCampaign) -> pd.Series:
    """Choose what is divided, and give each judgement its unit: a judge or a sitting.

    Few judges of relative rankings are divided by runs: consecutive segments, in the
    order of the file.
    """
    values = campaign.values
    judge = values.get("worker", values.get("judge"))
    if judge.nunique() >= FEW_JUDGES:
        return judge
    if campaign.protocol == "RR":
        goes_on = values["segment"].diff().isin([0, 1]) & judge.eq(judge.shift())
        return (~goes_on).cumsum()
    block = "hit" if "hit" in values else "document"
    return values.groupby(["worker", block]).ngroup()


def halves_of(
    campaign: TestedCampaign, rng: np.random.Generator
) -> list[TestedCampaign]:
    """Divide a campaign at random into two."""
    halves = random_halves(campaign.values, divided_unit(campaign), rng)
    return [replace(campaign, values=values) for values in halves]


def tests_of_pairs(campaign: TestedCampaign) -> Tested:
    """Test every pair of a campaign's systems in three ways.

    Returns
    -------
    dict
        "mean" scores, (systems,), and one-sided p, (systems, systems): of each of
        `TESTS`, and by "segments". That is the paired t-test of common segments, which
        for so many is the paired permutation test of Thompson et al. (2024); of
        relative rankings the sign test of comparisons.
    """
    rule = campaign.rule
    mean, own, by_units = tests_of(campaign, rule.score, rule.test)
    by_segments = own
    if campaign.protocol != "RR":
        by_segments = t_test_p(table_of_segments(campaign.values, rule.score))
    return {"mean": mean, OWN: own, UNITS: by_units, "segments": by_segments}


def printed(mean: np.ndarray, p: np.ndarray, rule: LineRule) -> Results:
    """List what a rule prints of mean scores and one-sided p; systems are numbers.

    Returns
    -------
    dict
        The "winner"; "pairs" (better, worse) that are called apart; "order", all pairs
        (above, below); "lines", the systems above each.
    """
    order = np.argsort(-mean, kind="stable").tolist()
    better, line_below = significance_lines(mean, p, rule)
    ends = np.flatnonzero(line_below) + 1
    return {
        "winner": {order[0]},
        "pairs": {(order[a], order[b]) for a, b in np.argwhere(better)},
        "order": {*itertools.combinations(order, 2)},
        "lines": {frozenset(order[:end]) for end in ends},
    }


def count_again(test: str, halves: Sequence[Results]) -> Iterator[Row]:
    """Count what two halves print, and how much of it the other half has, by item."""
    for item, (key, among) in ITEMS.items():
        for half, other in itertools.permutations(halves):
            yield test, item, len(half[key]), len(half[key] & other[among])


def one_division(halves: Sequence[TestedCampaign]) -> pd.DataFrame:
    """Count what each of two halves prints, and what both print, by both rules.

    Returns
    -------
    DataFrame
        rule, item, one half, other half, both.
    """
    tests = [tests_of_pairs(half) for half in halves]
    rows = []
    for name, rule in zip(TESTS, (halves[0].rule, RULES[UNIT]), strict=True):
        one, two = (printed(test["mean"], test[name], rule) for test in tests)
        for item in ("pairs", "lines"):
            both = len(one[item] & two[item])
            rows.append((name, item, len(one[item]), len(two[item]), both))
    return pd.DataFrame(
        rows, columns=["rule", "item", "one half", "other half", "both"]
    )


def print_by_two_rules(whole: Tested, halves: Sequence[Tested]) -> list[Results]:
    """List what one test of the whole prints, and what both halves show."""
    # Where p / LEVEL is below LEVEL, p is below its square.
    one = printed(whole["mean"], whole[UNITS] / LEVEL, ONE_SIDED)
    first, second = (printed(half["mean"], half[UNITS], ONE_SIDED) for half in halves)
    return [one, {item: first[item] & second[item] for item in ("pairs", "lines")}]


def compare_halves(campaign: TestedCampaign, divisions: int, seed: int) -> pd.DataFrame:
    """Divide a campaign several times, and count what comes again.

    Returns
    -------
    DataFrame
        test, item, protocol, label, campaign (year and language pair); printed, again,
        summed over divisions:

        - of `TESTS`: what halves print, and how much of it the other half has;
        - "both halves": what one test prints, and what both halves show;
        - "other division": what both halves show, and how much of it those of another
          division show, too;
        - "segments", and "unit test", "SPA": 1, and the soft pairwise accuracy between
          two halves; "undecided": between a half and p = 1/2 for all pairs;
        - "unit test", "moved": pairs, and those whose p is not that by segments.
    """
    rng = np.random.default_rng(seed)
    whole = tests_of_pairs(campaign)
    change = np.abs(whole[UNITS] - whole["segments"])[pairs_of(len(whole["mean"]))]
    number = np.isfinite(change).sum()
    rows: list[Row] = [(UNITS, "moved", number, (change > MOVED).sum())]
    shown = []
    for _ in range(divisions):
        halves = [tests_of_pairs(half) for half in halves_of(campaign, rng)]
        for test, rule in ((OWN, campaign.rule), (UNITS, RULES[UNIT])):
            tables = [printed(half["mean"], half[test], rule) for half in halves]
            rows += count_again(test, tables)
        for test in ("segments", UNITS):
            p, q = (half[test] for half in halves)
            rows.append((test, "SPA", 1, soft_pairwise_accuracy(p, q)))
            rows.append((test, "undecided", 1, soft_pairwise_accuracy(p, 0 * p + 0.5)))
        shown.append(print_by_two_rules(whole, halves))
    for item in ("pairs", "lines"):
        for one, both in shown:
            rows.append(("both halves", item, len(one[item]), len(both[item])))
        for (_, both), (_, other) in itertools.permutations(shown, 2):
            again = len(both[item] & other[item])
            rows.append(("other division", item, len(both[item]), again))
    counted = pd.DataFrame(rows, columns=["test", "item", "printed", "again"])
    # Where no pair has a p, there is no soft accuracy.
    sums = counted.dropna().groupby(["test", "item"]).sum().reset_index()
    name = " ".join(campaign.label.split()[:2])
    return sums.assign(protocol=campaign.protocol, label=campaign.label, campaign=name)


def rates(rows: pd.DataFrame, keys: Sequence[str], seed: int) -> pd.DataFrame:
    """Average what comes again: over all that is printed, and over campaigns.

    The share is sum(again) / sum(printed), with 95 % by bootstrap over campaigns. The
    rate is the mean over campaigns of again / printed, with Student's 95 %; tasks of
    one campaign are averaged first.

    Parameters
    ----------
    rows : DataFrame
        One row a task: campaign, printed, again, and the keys. One that prints nothing
        has no rate.
    keys : names of columns
        Of the groups.
    seed : int

    Returns
    -------
    DataFrame
        Index keys: campaigns, printed, again, share, share_low, share_high (NaN below
        `FEWEST_CAMPAIGNS`), rate, low, high.
    """
    rows = rows.assign(rate=rows["again"] / rows["printed"].where(rows["printed"] > 0))
    how = {"printed": "sum", "again": "sum", "rate": "mean"}
    groups = rows.groupby([*keys, "campaign"]).agg(how).groupby([*keys])
    table = groups[["printed", "again"]].sum()
    table.insert(0, "campaigns", groups.size())
    table["share"] = table["again"] / table["printed"]
    intervals = [share_interval(group, seed) for _, group in groups]
    ends = ["share_low", "share_high"]
    table[ends] = pd.DataFrame(intervals, table.index, ends)
    table["rate"] = groups["rate"].mean()
    half = groups["rate"].agg(t_half_width)
    table["low"] = (table["rate"] - half).clip(lower=0)
    table["high"] = (table["rate"] + half).clip(upper=1)
    return table


def share_interval(counts: pd.DataFrame, seed: int) -> tuple[float, float]:
    """Resample campaigns (rows: printed, again); return 95 % of their share."""
    number = len(counts)
    if number < FEWEST_CAMPAIGNS:
        return np.nan, np.nan
    drawn = np.random.default_rng(seed).integers(number, size=(RESAMPLES, number))
    sums = counts[["printed", "again"]].to_numpy()[drawn].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing printed
        low, high = np.quantile(sums[:, 1] / sums[:, 0], [0.025, 0.975])
    return low, high


def over_undecided(rows: pd.DataFrame) -> pd.DataFrame:
    """Compare soft accuracy between halves with that of p = 1/2 for all pairs.

    Parameters
    ----------
    rows : DataFrame
        Of `compare_halves`.

    Returns
    -------
    DataFrame
        Index protocol and test: rate, the mean difference over campaigns, with low and
        high (Student's 95 %).
    """
    rows = rows.assign(rate=rows["again"] / rows["printed"])
    keys = ["protocol", "test"]
    wide = rows.pivot_table("rate", [*keys, "campaign"], "item")
    more = (wide["SPA"] - wide["undecided"]).dropna().groupby(keys)
    mean, half = more.mean(), more.agg(t_half_width)
    return pd.DataFrame({"rate": mean, "low": mean - half, "high": mean + half})


# --- tables and figures ---------------------------------------------------------------


def in_percent(table: pd.DataFrame, kind: str = "share") -> pd.Series:
    """Write shares or rates of `rates` as percent, with their intervals.

    Parameters
    ----------
    table : DataFrame
        Of `rates`.
    kind : "share" or "rate"
    """
    columns = ["rate", "low", "high"]
    if kind == "share":
        columns = ["share", "share_low", "share_high"]
    written = []
    for value, low, high in (100 * table[columns].astype(float)).to_numpy():
        interval = "" if np.isnan(low) else f" ({low:.0f} to {high:.0f})"
        written.append("-" if np.isnan(value) else f"{value:.0f}{interval}")
    return pd.Series(written, table.index)


def draw_shares(table: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """Draw what comes again, by protocol, rule and item.

    Parameters
    ----------
    table : DataFrame
        Of `rates`, by protocol, test and item.
    axes : sequence of Axes, one for each of `ITEMS`
    """
    looks = {OWN: ("C1", -0.16), UNITS: ("C0", 0.16)}
    for ax, (item, title) in zip(axes, ITEMS_IN_WORDS.items(), strict=True):
        for test, (color, down) in looks.items():
            values_with_intervals(
                by_protocol(table, test, item),
                ax,
                value="share",
                ends=("share_low", "share_high"),
                color=color,
                down=down,
                label=TESTS_IN_WORDS[test],
            )
        ax.set(title=title, xlim=(-0.04, 1.04), xticks=[0, 0.5, 1])
        ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))


def by_protocol(table: pd.DataFrame, test: str, item: str) -> pd.DataFrame:
    """Choose rows of `rates` of one test and item, by protocol in words."""
    rows = table.xs((test, item), level=("test", "item"))
    words = {name: words for name, words in PROTOCOLS.items() if name in table.index}
    return rows.reindex([*words]).rename(index=words)


def draw_power(power: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how often both rules print a true difference: of `power_of_halves`."""
    lines = {"one test": ("C0", "-"), "both halves": ("C1", "--")}
    for rule, (color, style) in lines.items():
        ax.plot(power["difference"], power[rule], style, color=color, label=rule)
    ax.set(xlabel="true difference (standard errors)", ylabel="chance to be printed")
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.legend(loc="lower right", frameon=False)
    return ax


def draw_ratios(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw pairs that both halves show over those that one test prints: of `rates`."""
    rows = by_protocol(table, "both halves", "pairs")
    ends = "share_low", "share_high"
    values_with_intervals(rows, ax, value="share", ends=ends, number=".0%")
    promise(ax, 1, "as many", side="right")
    ax.set(xlim=(0, 2), xticks=[0, 0.5, 1, 1.5, 2])
    ax.set(xlabel="pairs by both halves, of those by one test")
    ax.set_ylim(ax.get_ylim()[0], 0.9)
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    return ax
