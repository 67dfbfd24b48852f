"""Results that halves of a campaign print again. Notebook 63.

A campaign is divided at random into two halves. Each half is ranked and tested as if it
were a campaign, and the results of one are looked for in the other.

- Judges are divided; where a campaign has fewer than twenty, their sittings are: a
  judge's HIT, a judge's block of a document, or a judge's run of consecutive segments.
- *Again*: a winner, if the other half has the same first system; a pair called apart,
  if the other half calls it apart in the same direction; a line, if the other half has
  one below the same systems; a cluster, if the other half has the same one.
- *Order*: a pair called apart that the other half has in the same order, called apart
  or not.
- The rate of a campaign: of all that is printed in all halves, the share that comes
  again in the other half. Intervals are over campaigns (a language pair of a year).
- The floor: the same of equal systems, whose names are exchanged at random in every
  document (HIT, or ranking).

Criteria, written before any campaign was divided:

- *Main test*, the only one: of the lines that the campaigns' own rules draw, all
  protocols together, most come again if the 95 % interval of the mean rate lies above
  1/2; most do not if it lies below; otherwise it is open.
- All else is described, with intervals, and not tested: winners, pairs, order,
  clusters; the unit test; single protocols; quarters beside halves.

Known before: notebook 62 (which pairs go with the unit test, how often rules call equal
systems apart), notebook 61 (how often bootstrap samples have another winner), and that
two halves of one sitting agree far better (.47) than two sittings of the same outputs
(.035) in campaigns of documents.
"""

import itertools

import numpy as np
import pandas as pd

from study.beyond.honest_line import (
    RULES,
    SCORES,
    UNIT,
    TestedCampaign,
    exchange_names,
    significance_lines,
    tests_of,
)

FEW_JUDGES = 20  # with fewer, sittings are divided: a half should have ten judges
TESTS = ("own rule", "unit test")


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


def printed(campaign: TestedCampaign) -> dict[tuple[str, str], tuple[set, set]]:
    """List the results of a campaign, by its own rule and by the unit test.

    Returns
    -------
    dict
        By one of `TESTS` and item: the results that are printed, and those among which
        another campaign's are looked for. Both are the same: the "winner"; "pairs"
        (better, worse) that are called apart; "lines", the systems above each;
        "clusters", without lines none. Only of "order" they differ: pairs called apart,
        and all (above, below). Systems are numbers.
    """
    rule = campaign.rule
    mean, *tests = tests_of(campaign, rule.score, rule.test)
    order = np.argsort(-mean, kind="stable").tolist()
    tables = {}
    for test, p, cut in zip(TESTS, tests, (rule, RULES[UNIT]), strict=True):
        better, line_below = significance_lines(mean, p, cut)
        pairs = {(order[a], order[b]) for a, b in np.argwhere(better)}
        ends = np.flatnonzero(line_below) + 1
        lines = {frozenset(order[:end]) for end in ends}
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
