"""Rankings and their ties; every method by name, by hand and against the modules they come from."""

import re

import pandas as pd
import pytest

from examples import REAL, compared, counts_of
from wmtlib.assessments import encode
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.methods import METHODS, MODELS, generator, rank, rank_systems
from wmtlib.ranking import Ranking, rank_by_score, side_by_side


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
    same, other = (
        pd.Series({"a": 0.1 + 0.2, "b": 0.3}),
        pd.Series({"a": 0.3 + 1e-9, "b": 0.3}),
    )
    assert rank_by_score("soccer", same).table["rank"].tolist() == [1, 1]
    assert rank_by_score("soccer", other).table["rank"].tolist() == [1, 2]


def test_what_a_method_leaves_open_is_no_disagreement():
    scored = rank_by_score("soccer", pd.Series({"a": 0.9, "b": 0.5, "c": 0.5}))
    found = {"system": [*"acb"], "rank": [1, 2, 3]}
    exact = Ranking(
        "mfas", pd.DataFrame(found | {"best_rank": [1, 2, 2], "worst_rank": [1, 3, 3]})
    )
    table = side_by_side([scored, exact])
    assert table["soccer"].tolist() == table["mfas"].tolist() == ["1", "2–3", "2–3"]
    assert table["range"].tolist() == [0, 0, 0]
    unknown = Ranking(
        "mfas", pd.DataFrame(found | {"best_rank": None, "worst_rank": None})
    )
    table = side_by_side([scored, unknown])
    assert table["mfas"].tolist() == ["~1", "~3", "~2"] and not table["range"].any()
    assert not side_by_side([unknown])["range"].any()


def test_rankings_side_by_side():
    def by(method, *ranks):
        frame = pd.DataFrame({"system": [*"abc"], "rank": ranks, "score": 0.0})
        return Ranking(method, frame.sort_values("rank"))

    table = side_by_side([by("x", 2, 1, 3), by("y", 1, 2, 3), by("z", 3, 1, 1)])
    assert table.index.tolist() == ["b", "a", "c"]  # the order of the first
    assert table.columns.tolist() == ["x", "y", "z", "range"]
    # b is 1, 2 and 1 or 2; a is 2, 1 and 3; c is 3, 3 and 1 or 2: rank 2 suits b alone.
    rows = [["1", "2", "1–2", 1], ["2", "1", "3", 2], ["3", "3", "1–2", 1]]
    assert table.to_numpy().tolist() == rows


# --- every method ---------------------------------------------------------------------

COUNTED = [name for name, method in METHODS.items() if method.kind == "counts"]
QUICK = [name for name in COUNTED if not name.startswith("irt")]


@pytest.mark.parametrize("method", COUNTED)
def test_a_clear_order_is_found_by_every_method(method):
    pairs = [("c", "a"), ("c", "d"), ("a", "d"), ("c", "b"), ("a", "b"), ("d", "b")]
    table = [(x, y, 30, 6, 4) if x < y else (y, x, 6, 30, 4) for x, y in pairs]
    found = rank(counts_of(*table), method)
    assert found.order == ["c", "a", "d", "b"]
    assert found.table["rank"].tolist() == [1, 2, 3, 4]
    assert found.method == method
    assert list(found.table.columns[:3]) == ["system", "rank", "score"]


def test_mfas_says_what_is_proven_and_what_is_open():
    counts = counts_of(("a", "b", 5, 2, 0), ("a", "c", 1, 2, 0), ("b", "c", 4, 0, 0))
    found = rank(counts, "mfas")
    assert found.table["system"].tolist() == ["a", "b", "c"]
    assert (
        found.table["best_rank"].tolist()
        == found.table["worst_rank"].tolist()
        == [1, 2, 3]
    )
    assert found.table["score"].isna().all()
    assert found.note == "proven least; optimal orders: 1"
    known = {
        "violated_weight": 1,
        "lower_bound": 1,
        "optimal": True,
        "optimal_orders": 1,
    }
    assert found.facts == known


@pytest.mark.parametrize("method", QUICK)
def test_the_reference_counts_for_equation_1_alone(method):
    more = Counts(REAL.wins.copy(), REAL.ties.copy())
    systems = [name for name in REAL.systems if name != "_ref"]
    more.wins.loc["_ref", systems[0]] += 500
    one, other = (
        rank(counts, method, reference="_ref").table for counts in (REAL, more)
    )
    assert set(one["system"]) == set(systems)
    assert one.equals(other) == (method != "wmt-official")


def test_item_response_models_use_the_segments():
    rows = [("a", "b", 1, 2), ("b", "c", 2, 1), ("c", "a", 0, 1), ("a", "b", 2, 1)]
    known = compared(*rows, segment=["1", "2", "3", "1"])
    one = rank(known, "irt-gaussian").table
    other = rank(compared(*rows), "irt-gaussian").table
    assert not one.equals(other)


@pytest.mark.parametrize(
    "method", ["irt-gaussian", "trueskill", "mfas", "bradley-terry"]
)
def test_a_system_that_met_the_reference_only(method):
    table = compared(("a", "b", 1, 9), ("b", "a", 1, 2), ("c", "_ref", 2, 5))
    try:
        found = rank(table, method, reference="_ref")
    except DataError as error:
        assert method == "bradley-terry"
        assert str(error) == "system 'c' has no comparison that this score counts"
    else:
        assert sorted(found.order) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("data", "method", "reference", "said"),
    [
        (REAL, "elo", "_ref", "no method 'elo' ranks counts; expected wmt-official, "),
        (
            REAL,
            "z-score",
            "_ref",
            "no method 'z-score' ranks counts; expected wmt-official, ",
        ),
        (REAL, "bojar", "_human", "no system '_human' to be the reference"),
        (
            REAL,
            "uniform",
            "_ref",
            "no method 'uniform' ranks counts; expected wmt-official, ",
        ),
        (
            counts_of(("a", "b", 1, 0, 0)),
            "bojar",
            "a",
            "1 system(s) to rank; expected two or more",
        ),
        (
            counts_of(("a", "b", 0, 0, 0)),
            "bojar",
            None,
            "no comparisons; expected one or more",
        ),
        (
            counts_of(("a", "b", 1, 0, 0), ("c", "d", 0, 0, 0)),
            "bradley-terry",
            None,
            "system 'c' has no comparison that this score counts",
        ),
        (
            counts_of(("a", "b", 1, 0, 0), ("b", "c", 1, 1, 0)),
            "bradley-terry-half",
            None,
            "'a' never lost to the rest: without a prior there is no maximum",
        ),
    ],
)
def test_what_cannot_be_ranked_is_refused(data, method, reference, said):
    with pytest.raises(DataError, match="^" + re.escape(said)):
        rank(data, method, reference=reference)


def campaign_of_two():
    """Two workers; the second is stricter by 20 and judged A more, so that B is ahead by z only."""
    rows = [
        ("w1", "A", 1, 60),
        ("w1", "B", 1, 70),
        ("w1", "B", 2, 80),
        ("w1", "A", 3, 50),
    ]
    rows += [
        ("w2", "A", 4, 40),
        ("w2", "B", 4, 50),
        ("w2", "B", 5, 40),
        ("w2", "B", 6, 60),
    ]
    rows += [("w3", "A", 7, 99)]
    return pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])


def test_z_scores_and_raw_scores_of_a_campaign_of_two():
    ranking = rank_systems(encode(campaign_of_two())).table.set_index("system")
    by_z = rank(campaign_of_two(), "z-score")
    assert by_z.order == ["B", "A"]
    assert by_z.table["score"].tolist() == pytest.approx(
        ranking.loc[["B", "A"], "score"].tolist()
    )
    assert by_z.note == "1 worker(s) left out: no two different scores"
    by_raw = rank(campaign_of_two(), "raw-score")
    assert dict(zip(by_raw.table["system"], by_raw.table["score"], strict=True)) == {
        "A": (60 + 50 + 40) / 3,
        "B": (70 + 80 + 50 + 40 + 60) / 5,
    }
    with pytest.raises(
        DataError, match=r"^no method 'bojar' ranks assessments; expected z-score"
    ):
        rank(campaign_of_two(), "bojar")


# --- the registry ---------------------------------------------------------------------


def test_no_two_models_draw_the_same_random_numbers():
    streams = [METHODS[name].stream for name in MODELS if METHODS[name].stream]
    assert len({*streams}) == len(streams) == 9
    first = {
        name: generator(name, 1, 2).random() for name in MODELS if METHODS[name].stream
    }
    assert len({*first.values()}) == 9
    assert (
        generator("bojar", 1, 2).random()
        == first["bojar"]
        != generator("bojar", 1, 3).random()
    )


def test_several_tasks_are_not_ranked_together():
    frame = compared(("a", "b", 1, 2), ("a", "b", 2, 1), task=["x", "y"])
    with pytest.raises(DataError, match=r"holds several tasks (.*); expected one"):
        rank(frame)


def test_scores_that_are_no_numbers_are_refused():
    frame = campaign_of_two()
    assert rank(frame.assign(score=frame["score"].astype(str))).order == ["B", "A"]
    with pytest.raises(
        DataError, match=r"^row 0: score is x; expected a number from 0 to 100$"
    ):
        rank(frame.assign(score="x"))
    with pytest.raises(DataError, match=r"^accepted is .*; expected true or false$"):
        rank(frame.assign(accepted="no"))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_fits_by_its_name_alone(name):
    frame = compared(("a", "b", 1, 1), ("b", "c", 2, 1), ("a", "c", 0, 1)).assign(
        segment=[1, 1, 2]
    )
    fitted = MODELS[name](frame, systems=[*"abc"], rng=generator(name, 1))
    assert fitted.probabilities.shape == (3, 3, 3) and (fitted.probabilities > 0).all()
