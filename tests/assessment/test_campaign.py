"""Parts of a campaign: chosen rows, removed systems, repeated judgements."""

import numpy as np
import pandas as pd
import pytest
from assessed import FLOOR, JUDGEMENTS, PAPER, drawn, encoded
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.cluster_lines import rank_campaign
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.zscores import encode


def test_unknown_systems_items_and_units_are_refused():
    campaign = encoded(FLOOR)
    with pytest.raises(DataError, match="system is 'D'; expected A, B, C"):
        campaign.without(["D"], items=(), paired=True)
    with pytest.raises(DataError, match="items holds 'SYSTEM'; expected REF or BAD_REF"):
        campaign.without(["A"], items=["SYSTEM"], paired=True)
    with pytest.raises(DataError, match=r"1 system\(s\) would be left"):
        campaign.without(["A", "B"], items=(), paired=True)
    with pytest.raises(DataError, match="unit is 'row'; expected hit, worker, document, segment"):
        campaign.units("row")
    with pytest.raises(DataError, match="a judgement's HIT is not known"):
        encode(drawn(0).assign(hit="")).units("hit")


def test_a_hit_done_by_two_workers_is_two():
    campaign = encode(drawn(0))
    number, size = campaign.units("hit")
    pairs = pd.DataFrame({"unit": number, "hit": campaign.hit, "worker": campaign.worker})
    assert len(pairs.drop_duplicates()) == size == pairs["unit"].nunique() > len(campaign.hits)


def test_a_shared_output_stays_for_the_systems_that_remain():
    table = drawn(1)
    table.loc[5, "system"] = "A+B"
    campaign = encode(table)
    assert not campaign.rows_of(campaign.is_system(["A"]), items=(), paired=True)[5]
    assert campaign.rows_of(campaign.is_system("AB"), items=(), paired=True)[5]


def test_dividing_scores_leaves_the_campaign_as_it_was():
    campaign = encode(drawn(1))
    before, references = campaign.score.copy(), campaign.is_item("REF")
    divided = campaign.divided(references, 4)
    assert (divided == np.where(references, before / 4, before)).all()
    assert (campaign.score == before).all() and references.any()


@given(JUDGEMENTS, st.booleans(), st.sampled_from([(), ("REF",), ("REF", "BAD_REF")]))
def test_removing_a_system_is_as_if_its_rows_had_never_been(judgements, paired, items):
    judgements = [j for j in judgements if j[1] != "B+C"]
    kept = [
        (worker, "B" if system == "A+B" else system, item, *rest)
        for worker, system, item, *rest in judgements
        if not (system == "A" and (paired or item in ("SYSTEM", "REPEAT"))) and item not in items
    ]
    expected = rank_systems(encoded(kept))
    campaign = encoded(judgements)
    removed = campaign.without(["A"], items=items, paired=paired)
    pd.testing.assert_frame_equal(rank_systems(removed).table, expected.table, check_exact=True)
    # The same without building a campaign: the workers' scales forget the rows.
    a = campaign.is_system(["A"])
    rows = campaign.rows_of(a, items=items, paired=paired)
    ranked = rank_campaign(campaign, scales_from=~rows, unranked=a, **PAPER)
    assert ranked.names == expected.order
    assert ranked.ranking.column("score").to_dict() == expected.column("score").to_dict()


@given(JUDGEMENTS, st.data())
def test_selected_judgements_make_the_campaign_of_their_rows(judgements, data):
    chosen = data.draw(st.lists(st.booleans(), min_size=22, max_size=22))
    chosen = [True] * len(FLOOR) + (chosen * 2)[: len(judgements) - len(FLOOR)]
    rows = [j for j, kept in zip(judgements, chosen, strict=True) if kept]
    pd.testing.assert_frame_equal(
        rank_systems(encoded(judgements).select(np.array(chosen))).table,
        rank_systems(encoded(rows)).table,
        check_exact=True,
    )
