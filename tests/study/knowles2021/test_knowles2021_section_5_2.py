"""Section 5.2 of Knowles (2021): what a battery removes and inflates."""

from itertools import combinations

import pandas as pd
import pytest
from test_knowles2021_section_5_1 import release

from examples import ASSESSED, PAPER, drawn, encoded, message_of, rank_systems
from study.data.sources import Source
from study.knowles2021 import section_5_2
from wmtlib import zscores
from wmtlib.cluster_lines import cluster_table, rank_campaign
from wmtlib.core.assessments import encode
from wmtlib.core.pairwise_tests import ALPHA, p_values
from wmtlib.removals import DIVISORS


def test_a_battery_removes_references_alone_and_inflates_the_worst():
    frame = drawn(5)
    rows = section_5_2.battery(release(frame)).set_index("kind")
    coded = encode(frame)
    full = rank_campaign(coded, **PAPER)
    kept = ~coded.is_item("REF")
    after = rank_campaign(coded, scales_from=kept, **PAPER)
    assert rows.loc["remove REF", "rank"] == (full.names != after.names)
    assert (rows.index == "inflate worst").sum() == len(DIVISORS)
    best = coded.is_system([full.names[0]])
    without = rank_campaign(
        coded,
        scales_from=~coded.rows_of(best, items=(), paired=True),
        unranked=best,
        **PAPER,
    )
    rise = without.score[~best].mean() - full.score[~best].mean()
    assert rows.loc["remove best", "shift"] == pytest.approx(rise) and rise > 0
    assert rows.loc["remove worst", "shift"] < 0


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
    found = section_5_2.perturb(campaign, humans=["HUMAN"], paired=paired)
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
    found = section_5_2.perturb(encoded(rows), humans=["D"])
    assert not found[["rank", "cluster", "both"]].to_numpy().any()


@pytest.mark.parametrize(
    "humans, message",
    [
        (["X"], "no system 'X'; expected A, B"),
        ([*"ABCD"], "1 system(s) would be left; expected two or more"),
    ],
    ids=str,
)
def test_perturb_refuses_unknown_humans_and_too_many(humans, message):
    said = message_of(section_5_2.perturb, encode(drawn(0)), humans=humans)
    assert said.startswith(message)


def test_rises_are_those_of_ranking_again():
    coded = encode(drawn(5))
    nothing = coded.score < 0
    human = coded.is_system(["HUMAN"])
    removed = coded.rows_of(human, items=("REF",), paired=True)
    table = section_5_2.rises(coded, removed, human)
    before = rank_campaign(coded, **PAPER).restricted(~human)
    after = rank_campaign(coded, scales_from=~removed, unranked=human, **PAPER)
    assert [*table.index] == before.names
    assert [*table.sort_values("place after").index] == after.names
    means = after.ranking.table.set_index("system")["score"]
    assert table["after"].to_dict() == pytest.approx(means.to_dict())
    assert (table["rise"] > 0).all() and (table["fall"] > 0).all()
    unmoved = section_5_2.rises(coded, nothing, human)
    assert unmoved[["rise", "fall"]].abs().to_numpy().max() == pytest.approx(0)
    assert (unmoved["place"] == unmoved["place after"]).all()
    assert (unmoved["line"] == unmoved["line after"]).all()


def test_divided_pairs_are_the_papers_with_known_references_and_the_others():
    changes = pd.DataFrame(
        [
            # kind, what, judgements, pair, paper, level, style
            ["divide humans", "2", 0.1, "wmt17 cs-en", False, "item", "SR-DC"],
            ["divide humans", "10", 0.0, "wmt17 de-en", False, "item", "SR-DC"],
            ["divide humans", "4", 0.1, "wmt22 uk-en", False, "item", "mixed"],
            ["divide humans", "4", 0.1, "a b", False, "simulated", "SR+DC"],
            ["divide humans", "4", 0.1, "wmt20 cs-en", True, "recovered", "SR+DC"],
            ["remove best", "x", 0.1, "wmt17 cs-en", False, "item", "SR-DC"],
        ],
        columns=["kind", "what", "judgements", "pair", "paper", "level", "style"],
    )
    table = section_5_2.divided_pairs(changes, Source("embedded", ""))
    assert table[["panel", "divisor"]].to_numpy().tolist() == [
        ["other", 2.0],
        ["SIMULATED", 4.0],
    ]
