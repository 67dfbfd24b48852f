"""Results that the two halves of a campaign both print. Notebook 63.

A campaign is divided at random into two halves. Each half is ranked and tested as if it
were a campaign, and the results of one are looked for in the other.

- Judges are divided; where a campaign has fewer than twenty, their sittings are: a
  judge's HIT, a judge's block of a document, or a judge's run of consecutive segments.
- *Again*: a winner, if the other half has the same first system; a pair called apart,
  if the other half calls it apart in the same direction; a line, if the other half has
  one below the same systems; a cluster, if the other half has the same one.
- *Order*: a pair called apart that the other half has in the same order, called apart
  or not.
- *Share*: of all that is printed in all halves, the part that comes again in the other
  half; every printed line counts once. *Rate*: the same of each campaign, averaged
  over campaigns; every campaign counts once. With P(line) the chance that a half draws
  a line, the share is sum P^2 / sum P over lines: a line that one half in eight draws
  brings its campaign a rate of 0. A campaign is a language pair of a year.
- The floor: the same of equal systems, whose names are exchanged at random in every
  document (HIT, or ranking).

Criteria, written before any campaign was divided:

- *Main test*, the only one: of the lines that the campaigns' own rules draw, all
  protocols together, most come again if the 95 % interval of the mean rate lies above
  1/2; most do not if it lies below; otherwise it is open.
- All else is described, with intervals, and not tested: winners, pairs, order,
  clusters; the unit test; single protocols; quarters beside halves.

Added after the results: the share, which is what the words "of the lines" say. The main
test is about the mean rate, and stays as it was.

The chance of a line: of a line that half a campaign draws, the largest p across it (of
a system above and one below, by units) says how clear it is. The log-odds that the
other half draws it, too:

    log(chance / (1 - chance)) = a(protocol) + b z,  z = -Phi^-1(one-sided p)

Each printed line counts once; intervals are over campaigns. Criteria, written before
the first fit:

- Predicted chances are *calibrated* on some lines if the mean of (again - predicted),
  again being 1 or 0, has a 95 % interval over campaigns that contains 0 and lies within
  0.15 of it; *not calibrated*, if it does not contain 0; otherwise *undecided*.
- The lines: (1) of every campaign, predicted by the other campaigns; all, and those
  predicted below 0.5, from 0.5 to 0.8, and above; (2) of halves, predicted by quarters;
  (3) of the eight language pairs that WMT10's experts and crowd both judged, predicted
  by all campaigns but these.
- `wmtlib rank` prints the chance beside a line only if the lines of the unit test,
  which are those it draws, are calibrated in all of these. Otherwise the table stays in
  the notebook. Known before: of the eight language pairs 6 lines are printed by units,
  of which 2 come again, so that (3) is likely to be undecided.

Known before all of this: notebook 62 (which pairs go with the unit test, how often
rules call equal systems apart), notebook 61 (how often bootstrap samples have another
winner), and that two halves of one sitting agree far better (.47) than two sittings of
the same outputs (.035) in campaigns of documents.
"""

import itertools
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from study.beyond.honest_line import (
    RULES,
    SCORES,
    UNIT,
    TestedCampaign,
    exchange_names,
    significance_lines,
    tests_of,
)
from study.statistics import t_half_width

FEW_JUDGES = 20  # with fewer, sittings are divided: a half should have ten judges
TESTS = ("own rule", "unit test")
RESAMPLES = 5000
FEWEST_CAMPAIGNS = 6  # of fewer a bootstrap says little
LEAST_P = 1e-4  # p of less are taken for this: what drawn signs can tell
PRIOR = 5.0  # sd of every coefficient, so that lines that all come again have a fit
GRADIENT = 1e-10  # at which a fit has settled
MOST_STEPS = 100
KINDS = {"RR": 0, "DA SR-DC": 1, "DA by HIT": 1}  # rankings, single sentences; else 2
Printed = dict[tuple[str, str], tuple[Collection, Collection]]  # by test and item


def divided_unit(campaign: TestedCampaign) -> tuple[str, pd.Series]:
    """Choose what is divided, "judge" or "sitting", and number each judgement's unit.

    Few judges of relative rankings are divided by runs: consecutive segments, in the
    order of the file.
    """
    values = campaign.values
    judge = values.get("worker", values.get("judge"))
    if judge.nunique() >= FEW_JUDGES:
        return "judge", judge
    if campaign.protocol == "RR":
        goes_on = values["segment"].diff().isin([0, 1]) & judge.eq(judge.shift())
        return "sitting", (~goes_on).cumsum()
    block = "hit" if "hit" in values else "document"
    return "sitting", values.groupby(["worker", block]).ngroup()


def equal_systems(campaign: TestedCampaign, rng: np.random.Generator) -> pd.DataFrame:
    """Exchange names of systems at random in each ranking, document or HIT.

    Of assessments the systems' means are taken out first.
    """
    values = campaign.values.copy()
    block = "ranking"
    if campaign.protocol != "RR":
        block = campaign.units[0]
        values[SCORES] -= values.groupby("system")[SCORES].transform("mean")
    columns = [*values.filter(like="system")]  # of comparisons two
    system, names = pd.factorize(values[columns].to_numpy().ravel("F"))
    blocks = np.tile(values[block], len(columns))
    exchanged = next(exchange_names(system, blocks, rng))
    values[columns] = names[exchanged].reshape(-1, len(columns), order="F")
    return values


def printed(campaign: TestedCampaign) -> Printed:
    """List the results of a campaign, by its own rule and by the unit test.

    Returns
    -------
    dict
        By one of `TESTS` and item: the results that are printed, and those among which
        another campaign's are looked for. Both are the same: the "winner"; "pairs"
        (better, worse) that are called apart; "lines", the systems above each, with the
        largest one-sided p by units of a system above it and one below; "clusters",
        without lines none. Only of "order" they differ: pairs called apart, and all
        (above, below). Systems are numbers.
    """
    rule = campaign.rule
    mean, *tests = tests_of(campaign, rule.score, rule.test)
    order = np.argsort(-mean, kind="stable").tolist()
    by_units = np.nan_to_num(tests[1][np.ix_(order, order)], nan=0.5)  # no evidence
    tables = {}
    for test, p, cut in zip(TESTS, tests, (rule, RULES[UNIT]), strict=True):
        better, line_below = significance_lines(mean, p, cut)
        pairs = {(order[a], order[b]) for a, b in np.argwhere(better)}
        ends = np.flatnonzero(line_below) + 1
        lines = {frozenset(order[:end]): by_units[:end, end:].max() for end in ends}
        clusters = {*map(frozenset, np.split(order, ends))} - {frozenset(order)}
        sets = {
            "winner": {order[0]},
            "pairs": pairs,
            "lines": lines,
            "clusters": clusters,
        }
        for item, things in sets.items():
            tables[test, item] = things, things
        tables[test, "order"] = pairs, {*itertools.combinations(order, 2)}
    return tables


def found_again(halves: Sequence[Printed]) -> pd.DataFrame:
    """List what each of two campaigns prints, and whether the other prints it, too.

    Returns
    -------
    DataFrame
        One row a printed thing: test, item, p (across a line), again.
    """
    rows = []
    for half, other in itertools.permutations(halves):
        for key, (things, _) in half.items():
            among = other[key][1]
            for thing in things:
                p = things[thing] if isinstance(things, dict) else np.nan
                rows.append((*key, p, thing in among))
    return pd.DataFrame(rows, columns=["test", "item", "p", "again"])


def rates(
    rows: pd.DataFrame, keys: Sequence[str], rng: np.random.Generator
) -> pd.DataFrame:
    """Average what comes again: over all that is printed, and over campaigns.

    The share is sum(again) / sum(printed), with 95 % by bootstrap over campaigns. The
    rate is the mean over campaigns of again / printed, with Student's 95 %; tasks of
    one campaign are averaged first.

    Parameters
    ----------
    rows : DataFrame
        One row a task that prints anything: campaign, printed, again, and the keys.
    keys : names of columns
        Of the groups.

    Returns
    -------
    DataFrame
        Index keys: campaigns, printed, again, share, share_low, share_high (NaN below
        `FEWEST_CAMPAIGNS`), rate, low, high.
    """
    rows = rows.assign(rate=rows["again"] / rows["printed"])
    how = {"printed": "sum", "again": "sum", "rate": "mean"}
    groups = rows.groupby([*keys, "campaign"]).agg(how).groupby([*keys])
    table = groups[["printed", "again"]].sum()
    table.insert(0, "campaigns", groups.size())
    table["share"] = table["again"] / table["printed"]
    intervals = [share_interval(group, rng) for _, group in groups]
    ends = ["share_low", "share_high"]
    table[ends] = pd.DataFrame(intervals, table.index, ends)
    table["rate"] = groups["rate"].mean()
    half = groups["rate"].agg(t_half_width)
    table["low"] = (table["rate"] - half).clip(lower=0)
    table["high"] = (table["rate"] + half).clip(upper=1)
    return table


def share_interval(
    counts: pd.DataFrame, rng: np.random.Generator
) -> tuple[float, float]:
    """Resample campaigns (rows: printed, again); return 95 % of their share."""
    number = len(counts)
    if number < FEWEST_CAMPAIGNS:
        return np.nan, np.nan
    times = rng.multinomial(number, np.full(number, 1 / number), RESAMPLES)
    printed, again = (times @ counts[["printed", "again"]].to_numpy()).T
    low, high = np.quantile(again / printed, [0.025, 0.975])
    return low, high


# --- the chance of a line -------------------------------------------------------------


def explained_by(protocol: pd.Series, p: pd.Series) -> np.ndarray:
    """Make the columns of the equation, (lines, 4): 1 for the kind of protocol; z."""
    kind = protocol.map(KINDS).fillna(2).to_numpy()
    z = -ndtri(p.clip(lower=LEAST_P))
    return np.column_stack([kind[:, None] == range(3), z])


def fit_chances(x: np.ndarray, again: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Fit the coefficients b (4,) of most likelihood, with a weak prior.

    With chances c = 1 / (1 + exp(-x b)) Newton's method solves

        sum over lines of times (again - c) x = b / PRIOR^2.

    A step that changes a log-odds by r is cut by ln(1 + r) / r, so that it climbs from
    anywhere. It ends at a gradient that leaves nothing to the processor in six digits.

    Parameters
    ----------
    x : ndarray, (lines, 4)
        Of `explained_by`.
    again, times : ndarray, (lines,)
        Whether a line comes again, and how often it counts.

    Raises
    ------
    RuntimeError
        No maximum is found in `MOST_STEPS` steps.
    """
    coefficients = np.zeros(x.shape[1])
    prior = np.eye(x.shape[1]) / PRIOR**2
    for _ in range(MOST_STEPS):
        chance = expit(x @ coefficients)
        gradient = (times * (again - chance)) @ x - prior @ coefficients
        if np.abs(gradient).max() <= GRADIENT:
            return coefficients
        weight = times * chance * (1 - chance)
        step = np.linalg.solve((weight * x.T) @ x + prior, gradient)
        change = np.abs(x @ step).max()
        coefficients += np.log1p(change) / change * step
    raise RuntimeError(f"the fit has not settled in {MOST_STEPS} steps")
