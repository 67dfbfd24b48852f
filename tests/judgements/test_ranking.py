import pandas as pd

from wmtlib.judgements.ranking import rank_by_score


def test_tied_systems_share_the_best_rank_of_their_group():
    found = rank_by_score("soccer", pd.Series({"d": 0.5, "b": 0.5, "c": 0.7, "a": 0.1}))
    assert found.table.to_dict("list") == {
        "system": ["c", "b", "d", "a"],
        "rank": [1, 2, 2, 4],
        "score": [0.7, 0.5, 0.5, 0.1],
    }
    assert found.order == ["c", "b", "d", "a"]
    assert found.column("rank").to_dict() == {"c": 1, "b": 2, "d": 2, "a": 4}


def test_rounding_of_the_last_bits_makes_no_winner():
    same, other = pd.Series({"a": 0.1 + 0.2, "b": 0.3}), pd.Series({"a": 0.3 + 1e-9, "b": 0.3})
    assert rank_by_score("soccer", same).table["rank"].tolist() == [1, 1]
    assert rank_by_score("soccer", other).table["rank"].tolist() == [1, 2]
