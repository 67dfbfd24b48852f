"""Perturbed rankings: by hand, and against campaigns built anew."""

from itertools import combinations

import numpy as np
import pytest

from examples import ASSESSED, PAPER, drawn, encoded, message_of
from wmtlib import stability, zscores
from wmtlib.assessments import encode
from wmtlib.cluster_lines import RankedClusters, cluster_table, rank_campaign
from wmtlib.methods import rank_systems
from wmtlib.pairwise_tests import ALPHA, p_values


def ranked(order, better=(), rule="footnote-4"):
    """A ranking of systems named in order, and which pairs are significantly apart."""
    names = tuple(sorted(order))
    p = np.ones((len(names), len(names)))
    for a, b in better:
        p[names.index(a), names.index(b)] = p[names.index(b), names.index(a)] = 0.01
    places = np.array([names.index(name) for name in order])
    return RankedClusters(names, places, np.full(len(names), np.nan), p, rule)


ALL = list(combinations("ABCD", 2))


# --- comparing two rankings, by hand --------------------------------------------------


NOT_B_AND_C = [pair for pair in ALL if pair != ("B", "C")]


@pytest.mark.parametrize(
    "before, after, expected",
    [
        (
            ranked("ABCD", NOT_B_AND_C),
            ranked("ACBD", NOT_B_AND_C),
            (True, False, False, 1, 1, "", "", "B > C"),
        ),
        (
            ranked("ABCD", ALL[:3]),
            ranked("ABCD", ALL[-1:]),
            (False, True, False, 0, 0, "below C", "below A", ""),
        ),
        (
            ranked("AB", ALL[:1]),
            ranked("BA", ALL[:1]),
            (True, True, True, 1, 1, "below B", "below A", "A > B"),
        ),
        (ranked("ABCD"), ranked("DABC"), (True, False, False, 3, 3, "", "", "C > D")),
        (ranked("ABCD"), ranked("ACDB"), (True, False, False, 2, 2, "", "", "B > C")),
    ],
    ids=[
        "a swap inside a cluster changes the rank only",
        "lines that appear and vanish change clusters only",
        "two clusters that change places are a change of both",
        "the last becomes the first",
        "neighbours that others come between are not reversed",
    ],
)
def test_what_differs_between_two_rankings(before, after, expected):
    assert tuple(stability.differences(before, after).values()) == expected


def test_leaving_a_system_out_recomputes_lines():
    whole = ranked("ABCD", [pair for pair in ALL if pair != ("A", "C")])
    assert whole.lines.tolist() == [False, True, True, False]
    without_c = whole.restricted(np.array([True, True, False, True]))
    assert without_c.lines.tolist() == [True, True, False]


# --- the battery ----------------------------------------------------------------------


def anew(table, change, humans, paired):
    """The perturbed ranking from a frame of rows, encoded again; the share of rows."""
    gone = set(humans) if "humans" in change.kind else {change.what}
    output = table["item"].isin(["SYSTEM", "REPEAT"])
    rows = table["system"].isin(gone) & (output | paired)
    if "humans" in change.kind:
        rows |= table["item"] == "REF"
    if change.kind == "divide humans":
        divided = table["score"] / float(change.what)
        table = table.assign(score=table["score"].where(~rows, divided))
        without = humans
    else:
        table = table[~rows]
        without = ()
    campaign = encode(table)
    unranked = campaign.is_system(without)
    ranked = rank_campaign(campaign, unranked=unranked, **PAPER)
    return ranked.ranking, rows.mean()


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_every_perturbation_is_what_coding_the_changed_rows_gives(seed, paired):
    table = drawn(seed)
    campaign = encode(table)
    found = stability.perturb(campaign, humans=["HUMAN"], paired=paired, **PAPER)
    kinds = [
        "remove humans",
        "remove best",
        "remove worst",
        *["remove"] * 5,
        *["divide humans"] * 5,
    ]
    assert found["kind"].tolist() == kinds
    assert found["what"].tolist()[3:] == [*ASSESSED, "1.25", "1.5", "2", "4", "10"]
    for row in found.itertuples():
        after, share = anew(table, row, ["HUMAN"], paired)
        assert row.judgements == share
        p = p_values(zscores.segment_means(campaign), test="legacy")
        before = [s for s in rank_systems(campaign).order if s in after.order]
        cut = cluster_table(p.loc[before, before] < ALPHA, "footnote-4")
        place = [after.order.index(s) for s in before]
        assert row.systems == len(before) == len(after.order)
        assert row.rank == (before != after.order)
        assert row.kendall == sum(x > y for x, y in combinations(place, 2))
        assert row.largest_move == max(abs(k - x) for k, x in enumerate(place))
        clusters = dict(zip(cut["system"], cut["cluster"], strict=True))
        assert row.cluster == (clusters != after.column("cluster").to_dict())
        assert row.both == (row.rank and row.cluster)


def test_nothing_changes_if_all_workers_judged_everything():
    # All workers use the same scale on the same outputs: z-scores are one affine map of
    # the scores.
    rows = [
        f"w{w} {name} SYSTEM s{k} {10 * j + 3 * (k % 4)}"
        for w in range(3)
        for j, name in enumerate("ABCD")
        for k in range(30)
    ]
    found = stability.perturb(encoded(rows), humans=["D"], paired=True, **PAPER)
    assert not found[["rank", "cluster", "both"]].to_numpy().any()


@pytest.mark.parametrize(
    "more, message",
    [
        ({"humans": ["X"]}, "system is 'X'; expected A, B"),
        ({"humans": [*"ABCD"]}, "1 system(s) to rank; expected two or more"),
        ({"test": "mine"}, "test is 'mine'"),
        ({"rule": "mine"}, "rule is 'mine'"),
    ],
    ids=str,
)
def test_batteries_that_cannot_be_run_are_refused(more, message):
    choices = {"humans": [], "paired": True, **PAPER, **more}
    said = message_of(stability.perturb, encode(drawn(0)), **choices)
    assert said.startswith(message)
