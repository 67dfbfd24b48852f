"""Every method by name: by hand, and against the modules they come from."""

import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import NAMES, PAIRS, REAL, compared, counts_of, full, rng

from wmtlib import bradley_terry as resampled_counts
from wmtlib import mfas as margins
from wmtlib import ranking as methods
from wmtlib import scorers
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.ranking import METHODS, rank_by_score, rank_systems
from wmtlib.study.releases import assessment_releases
from wmtlib.zscores import encode

COUNTED = [name for name, method in METHODS.items() if method.kind == "counts"]
BATCHED = [n for n in COUNTED if METHODS[n].scores is not None and not METHODS[n].random]
QUICK = [name for name in COUNTED if not name.startswith("irt")]
few = settings(max_examples=settings().max_examples // 2)


@pytest.mark.parametrize("method", COUNTED)
def test_a_clear_order_is_found_by_every_method(method):
    pairs = [("c", "a"), ("c", "d"), ("a", "d"), ("c", "b"), ("a", "b"), ("d", "b")]
    table = [(x, y, 30, 6, 4) if x < y else (y, x, 6, 30, 4) for x, y in pairs]
    found = methods.rank(counts_of(*table), method, reference=None, rng=rng())
    assert found.order == ["c", "a", "d", "b"]
    assert found.table["rank"].tolist() == [1, 2, 3, 4]
    assert found.method == method
    assert list(found.table.columns[:3]) == ["system", "rank", "score"]


@pytest.mark.parametrize("method", scorers.SCORERS)
def test_scorers_are_those_of_the_scorers_module(method):
    found = methods.rank(REAL, method, reference="_ref")
    expected = rank_by_score(method, scorers.score(method, REAL, reference="_ref"))
    pd.testing.assert_frame_equal(found.table, expected.table)


def test_mfas_says_what_is_proven_and_what_is_open():
    counts = counts_of(("a", "b", 5, 2, 0), ("a", "c", 1, 2, 0), ("b", "c", 4, 0, 0))
    found = methods.rank(counts, "mfas", reference=None)
    assert found.table["system"].tolist() == ["a", "b", "c"]
    assert found.table["best_rank"].tolist() == found.table["worst_rank"].tolist() == [1, 2, 3]
    assert found.table["score"].isna().all()
    assert found.note == "proven least; optimal orders: 1"
    known = {"violated_weight": 1, "lower_bound": 1, "optimal": True, "optimal_orders": 1}
    assert found.facts == known


def test_the_ranges_of_mfas_are_in_the_order_of_the_ranking():
    counts = counts_of(("c", "a", 5, 0, 0), ("c", "b", 5, 0, 0), ("a", "b", 1, 1, 0))
    frame = methods.rank(counts, "mfas", reference=None).table
    expected = [("c", 1, 1), ("a", 2, 3), ("b", 2, 3)]
    found = frame[["system", "best_rank", "worst_rank"]].itertuples(index=False, name=None)
    assert [*found] == expected


@pytest.mark.parametrize("method", QUICK)
def test_the_reference_counts_for_equation_1_alone(method):
    more = Counts(REAL.wins.copy(), REAL.ties.copy())
    systems = [name for name in REAL.systems if name != "_ref"]
    more.wins.loc["_ref", systems[0]] += 500
    one, other = (
        methods.rank(counts, method, reference="_ref", rng=rng()).table for counts in (REAL, more)
    )
    assert set(one["system"]) == set(systems)
    assert one.equals(other) == (method != "wmt-official")


@pytest.mark.parametrize("method", ["irt-gaussian", "trueskill"])
def test_the_same_seed_gives_the_same_ranking(method):
    one, other = (methods.rank(REAL, method, reference="_ref", rng=rng()) for _ in range(2))
    pd.testing.assert_frame_equal(one.table, other.table)


def test_item_response_models_use_the_segments():
    rows = [("a", "b", 1, 2), ("b", "c", 2, 1), ("c", "a", 0, 1), ("a", "b", 2, 1)]
    known = compared(*rows, segment=["1", "2", "3", "1"])
    one = methods.rank(known, "irt-gaussian", reference=None, rng=rng()).table
    other = methods.rank(compared(*rows), "irt-gaussian", reference=None, rng=rng()).table
    assert not one.equals(other)


@pytest.mark.parametrize("method", ["irt-gaussian", "trueskill", "mfas", "bradley-terry"])
def test_a_system_that_met_the_reference_only(method):
    table = compared(("a", "b", 1, 9), ("b", "a", 1, 2), ("c", "_ref", 2, 5))
    try:
        found = methods.rank(table, method, reference="_ref", rng=rng())
    except DataError as error:
        assert method == "bradley-terry"
        assert str(error) == "system 'c' has no comparison that this score counts"
    else:
        assert sorted(found.order) == ["a", "b", "c"]


@few
@given(pairs=PAIRS, renamed=st.permutations(NAMES))
def test_relabelling_systems_relabels_ranks(pairs, renamed):
    counts, to = full(pairs), dict(zip(NAMES, renamed, strict=True))
    other = Counts(
        *(
            t.rename(index=to, columns=to).loc[[*NAMES], [*NAMES]]
            for t in (counts.wins, counts.ties)
        )
    )
    place = [NAMES.index(to[name]) for name in NAMES]
    for method in BATCHED:
        one, again = (
            methods.scores(resampled_counts.sample_of_counts(c), method, reference=None)[0]
            for c in (counts, other)
        )
        assert again[place] == pytest.approx(one, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize(
    ("data", "method", "reference", "said"),
    [
        (REAL, "elo", "_ref", "no method 'elo'; expected wmt-official, "),
        (REAL, "z-score", "_ref", "z-score does not rank counts; expected wmt-official, "),
        (REAL, "bojar", "_human", "no system '_human' to be the reference"),
        (REAL, "trueskill", "_ref", "trueskill draws random numbers; expected a generator, rng"),
        (counts_of(("a", "b", 1, 0, 0)), "bojar", "a", "1 system(s) to rank; expected two or more"),
        (counts_of(("a", "b", 0, 0, 0)), "bojar", None, "no comparisons; expected one or more"),
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
        methods.rank(data, method, reference=reference)


def test_counts_beyond_what_mfas_takes_are_refused_with_its_name():
    counts = counts_of(("a", "b", 2 * margins.LARGEST_COUNT, 0, 0))
    with pytest.raises(DataError, match=r"^mfas: wins must hold whole numbers"):
        methods.rank(counts, "mfas", reference=None)


def campaign_of_two():
    """Two workers; the second is stricter by 20 and judged A more, so that B is ahead by z only."""
    rows = [("w1", "A", 1, 60), ("w1", "B", 1, 70), ("w1", "B", 2, 80), ("w1", "A", 3, 50)]
    rows += [("w2", "A", 4, 40), ("w2", "B", 4, 50), ("w2", "B", 5, 40), ("w2", "B", 6, 60)]
    rows += [("w3", "A", 7, 99)]
    frame = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    frame = frame.assign(
        hit="h", language_pair="xx-yy", item="SYSTEM", document="d", accepted=True
    ).astype({"segment": str, "score": float})
    return encode(frame)


def test_z_scores_and_raw_scores_of_a_campaign_of_two():
    ranking = rank_systems(campaign_of_two()).table.set_index("system")
    by_z = methods.rank(campaign_of_two(), "z-score", reference=None)
    assert by_z.order == ["B", "A"]
    assert by_z.table["score"].tolist() == pytest.approx(ranking.loc[["B", "A"], "score"].tolist())
    assert by_z.note == "1 worker(s) left out: no two different scores"
    by_raw = methods.rank(campaign_of_two(), "raw-score", reference=None)
    assert dict(zip(by_raw.table["system"], by_raw.table["score"], strict=True)) == {
        "A": (60 + 50 + 40) / 3,
        "B": (70 + 80 + 50 + 40 + 60) / 5,
    }
    with pytest.raises(DataError, match=r"^bojar does not rank assessments; expected z-score"):
        methods.rank(campaign_of_two(), "bojar", reference=None)


@pytest.mark.realdata
def test_human_references_are_left_out_of_a_ranking_of_assessments(mirror):
    found = encode(assessment_releases.load_assessments("wmt21", "de-en", source="mirror"))
    frame = methods.rank(found, "z-score", reference="HUMAN.0").table
    assert "HUMAN.0" not in set(frame["system"])
    whole = methods.rank(found, "z-score", reference=None).table
    kept = whole[whole["system"] != "HUMAN.0"]
    assert frame["system"].tolist() == kept["system"].tolist()
    assert frame["score"].tolist() == kept["score"].tolist()


def test_the_registry_is_complete():
    assert set(scorers.SCORERS) < set(METHODS)
    assert all(method.name == name and method.about for name, method in METHODS.items())
    assert {m.kind for m in METHODS.values()} == {"counts", "assessments"}
