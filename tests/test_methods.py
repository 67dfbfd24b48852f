"""Every method by name: by hand, against the modules they come from and other libraries."""

import re

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import datasets, methods, mfas, pairwise, preference, ranked, scorers, zscores
from wmtlib.methods import METHODS, Ranked
from wmtlib.pairwise import Counts
from wmtlib.schemas import DataError

NAMES = ("a", "b", "c", "d")
TABLE = ["system_1", "system_2", "wins_1", "wins_2", "ties"]
COUNTED = [name for name, method in METHODS.items() if method.kind == "counts"]
BATCHED = [name for name in COUNTED if METHODS[name].scores is not None]
QUICK = [name for name in COUNTED if not name.startswith("irt")]
REAL = datasets.load_counts("wmt10", "cs-en", source="embedded")
few = settings(max_examples=settings().max_examples // 4)


def counts_of(*rows):
    return pairwise.from_table(pd.DataFrame(rows, columns=TABLE))


def rng():
    return np.random.default_rng(1)


def tallies(*rows, **units):
    return pd.DataFrame([*rows], columns=["a", "b", "outcome", "count"]).assign(**units)


CELL = st.integers(0, 9)
PAIRS = st.tuples(*[st.tuples(CELL, CELL, CELL)] * 6)


def full(pairs):
    """Counts of all six pairs of four systems."""
    names = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :]]
    return counts_of(*[(*pair, *cell) for pair, cell in zip(names, pairs, strict=True)])


# --- ranking ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", COUNTED)
def test_a_clear_order_is_found_by_every_method(method):
    pairs = [("c", "a"), ("c", "d"), ("a", "d"), ("c", "b"), ("a", "b"), ("d", "b")]
    table = [(x, y, 30, 6, 4) if x < y else (y, x, 6, 30, 4) for x, y in pairs]
    found = methods.rank(counts_of(*table), method, reference=None, rng=rng())
    assert found.order == ["c", "a", "d", "b"]
    assert found.frame["rank"].tolist() == [1, 2, 3, 4]
    assert found.method == method and found.seconds >= 0
    assert list(found.frame.columns[:3]) == ["system", "rank", "score"]


@pytest.mark.parametrize("method", scorers.SCORERS)
def test_scorers_are_those_of_the_scorers_module(method):
    found = methods.rank(REAL, method, reference="_ref")
    expected = scorers.ranking(scorers.SCORERS[method](REAL, reference="_ref"))
    pd.testing.assert_frame_equal(found.frame, expected)


def test_mfas_says_what_is_proven_and_what_is_open():
    counts = counts_of(("a", "b", 5, 2, 0), ("a", "c", 1, 2, 0), ("b", "c", 4, 0, 0))
    found = methods.rank(counts, "mfas", reference=None)
    assert found.frame["system"].tolist() == ["a", "b", "c"]
    assert found.frame["best_rank"].tolist() == found.frame["worst_rank"].tolist() == [1, 2, 3]
    assert found.frame["score"].isna().all()
    assert found.note == (
        "violated weight: 1 judgements, proven least (lower bound 1); optimal orders: 1"
    )


def test_the_ranges_of_mfas_are_in_the_order_of_the_ranking():
    counts = counts_of(("c", "a", 5, 0, 0), ("c", "b", 5, 0, 0), ("a", "b", 1, 1, 0))
    frame = methods.rank(counts, "mfas", reference=None).frame
    expected = [("c", 1, 1), ("a", 2, 3), ("b", 2, 3)]
    found = frame[["system", "best_rank", "worst_rank"]].itertuples(index=False, name=None)
    assert [*found] == expected


@pytest.mark.parametrize("method", QUICK)
def test_the_reference_counts_for_equation_1_alone(method):
    more = Counts(REAL.wins.copy(), REAL.ties.copy())
    systems = [name for name in REAL.systems if name != "_ref"]
    more.wins.loc["_ref", systems[0]] += 500
    one, other = (
        methods.rank(counts, method, reference="_ref", rng=rng()).frame for counts in (REAL, more)
    )
    assert set(one["system"]) == set(systems)
    assert one.equals(other) == (method != "wmt-official")


@pytest.mark.parametrize("method", ["irt-gaussian", "trueskill"])
def test_the_same_seed_gives_the_same_ranking(method):
    one, other = (methods.rank(REAL, method, reference="_ref", rng=rng()) for _ in range(2))
    pd.testing.assert_frame_equal(one.frame, other.frame)


def test_item_response_models_use_the_segments_of_tallies():
    rows = [("a", "b", "a", 2), ("b", "c", "b", 1), ("c", "a", "tie", 1), ("a", "b", "b", 1)]
    known = tallies(*rows, segment=["1", "2", "3", "1"])
    one = methods.rank(known, "irt-gaussian", reference=None, rng=rng()).frame
    other = methods.rank(tallies(*rows), "irt-gaussian", reference=None, rng=rng()).frame
    assert not one.equals(other)


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
            methods.scores(methods.batch(c), method, reference=None)[0] for c in (counts, other)
        )
        assert again[place] == pytest.approx(one, abs=1e-6, nan_ok=True)


def test_rankings_side_by_side():
    def by(method, *ranks):
        frame = pd.DataFrame({"system": [*"abc"], "rank": ranks, "score": 0.0})
        return Ranked(method, frame.sort_values("rank"), "", 0.0)

    table = methods.side_by_side([by("x", 1, 2, 3), by("y", 2, 1, 3), by("z", 3, 1, 1)])
    assert table.index.tolist() == ["b", "a", "c"]
    assert table.columns.tolist() == ["x", "y", "z", "range"]
    assert table.to_numpy().tolist() == [[2, 1, 1, 1], [1, 2, 3, 2], [3, 3, 1, 2]]
    with pytest.raises(DataError, match=r"^method 'x' stands twice; expected each once$"):
        methods.side_by_side([by("x", 1, 2, 3)] * 2)
    with pytest.raises(DataError, match=r"^no rankings"):
        methods.side_by_side([])
    odd = Ranked("y", pd.DataFrame({"system": ["a"], "rank": [1]}), "", 0.0)
    with pytest.raises(DataError, match="different systems"):
        methods.side_by_side([by("x", 1, 2, 3), odd])


@pytest.mark.parametrize(
    ("data", "method", "reference", "said"),
    [
        (REAL, "elo", "_ref", "no method 'elo'; expected wmt-official, "),
        (REAL, "z-score", "_ref", "z-score is no method for counts; expected wmt-official, "),
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
    counts = counts_of(("a", "b", 2 * mfas.LARGEST_COUNT, 0, 0))
    with pytest.raises(DataError, match=r"^mfas: wins must hold whole numbers"):
        methods.rank(counts, "mfas", reference=None)


# --- assessments --------------------------------------------------------------------------------


def campaign():
    """Two workers; the second is stricter by 20 and judged A more, so that B is ahead by z only."""
    rows = [("w1", "A", 1, 60), ("w1", "B", 1, 70), ("w1", "B", 2, 80), ("w1", "A", 3, 50)]
    rows += [("w2", "A", 4, 40), ("w2", "B", 4, 50), ("w2", "B", 5, 40), ("w2", "B", 6, 60)]
    rows += [("w3", "A", 7, 99)]
    frame = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    frame = frame.assign(
        hit="h", language_pair="xx-yy", item="SYSTEM", document="d", accepted=True
    ).astype({"segment": str, "score": float})
    return zscores.code(frame)


def test_z_scores_and_raw_scores_of_a_campaign():
    ranking = zscores.rank(campaign()).frame.set_index("system")
    by_z = methods.rank(campaign(), "z-score", reference=None)
    assert by_z.order == ["B", "A"]
    assert by_z.frame["score"].tolist() == pytest.approx(ranking.loc[["B", "A"], "z"].tolist())
    assert by_z.frame["cluster"].tolist() == [1, 1]
    assert by_z.note.endswith("uncorrected; 1 worker(s) left out: no two different scores")
    by_raw = methods.rank(campaign(), "raw-score", reference=None)
    assert dict(zip(by_raw.frame["system"], by_raw.frame["score"], strict=True)) == {
        "A": (60 + 50 + 40) / 3,
        "B": (70 + 80 + 50 + 40 + 60) / 5,
    }
    with pytest.raises(DataError, match=r"^bojar is no method for assessments; expected z-score"):
        methods.rank(campaign(), "bojar", reference=None)


@pytest.mark.realdata
def test_human_references_are_left_out_of_a_ranking_of_assessments(mirror):
    found = zscores.code(datasets.load_assessments("wmt21", "de-en", source="mirror"))
    frame = methods.rank(found, "z-score", reference="HUMAN.0").frame
    assert "HUMAN.0" not in set(frame["system"])
    whole = methods.rank(found, "z-score", reference=None).frame
    kept = whole[whole["system"] != "HUMAN.0"]
    assert frame["system"].tolist() == kept["system"].tolist()
    assert frame["score"].tolist() == kept["score"].tolist()


# --- tallies ------------------------------------------------------------------------------------


def test_tallies_to_counts_and_comparisons():
    rows = [("b", "a", "a", 2), ("a", "b", "a", 1), ("b", "c", "tie", 3), ("a", "c", "b", 0)]
    table = tallies(*rows, judge=["j", "k", "j", "j"])
    expected = counts_of(("a", "b", 1, 2, 0), ("b", "c", 0, 0, 3))
    found = methods.as_counts(table)
    pd.testing.assert_frame_equal(found.wins, expected.wins)
    pd.testing.assert_frame_equal(found.ties, expected.ties)
    shown = methods.as_comparisons(table)
    assert [*shown.itertuples(index=False, name=None)] == [
        ("b", "a", 1, "j"),
        ("b", "a", 1, "j"),
        ("a", "b", 1, "k"),
        *[("b", "c", 0, "j")] * 3,
    ]
    again = pairwise.counts(shown)
    pd.testing.assert_frame_equal(again.wins, expected.wins)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a", "b", "draw", 1), "an outcome is 'draw'; expected a, b or tie"),
        (("a", "b", None, 1), "an outcome is "),
        (("a", "a", "a", 1), "system 'a' is compared with itself"),
        (("a", "b", "a", -1), "a count is -1; expected 0 or more"),
        (("a", None, "a", 1), "a comparison lacks the name of a system"),
    ],
)
def test_tallies_that_make_no_sense_are_refused(row, said):
    with pytest.raises(DataError, match="^" + said):
        methods.as_counts(tallies(("a", "c", "a", 1), row))


# --- samples at once ----------------------------------------------------------------------------


def stacked(several):
    """A batch of several counts of the same systems."""
    systems = tuple(several[0].systems)
    first, second = np.triu_indices(len(systems), k=1)
    seen = np.array(
        [
            [one.ties.to_numpy()[first, second] for one in several],
            [one.wins.to_numpy()[first, second] for one in several],
            [one.wins.to_numpy()[second, first] for one in several],
        ],
        dtype=float,
    )
    return methods.Batch(systems, first, second, seen)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4))
@pytest.mark.parametrize("reference", [None, "b"])
def test_batches_are_scored_as_their_samples_are(reference, several):
    several = [full(pairs) for pairs in several]
    batch = stacked(several)
    for method in scorers.SCORERS:
        found = methods.scores(batch, method, reference=reference)
        for row, counts in zip(found, several, strict=True):
            try:
                expected = scorers.SCORERS[method](counts, reference=reference)
            except DataError:
                assert np.isnan(row).any()
            else:
                assert row == pytest.approx(expected.to_numpy(), abs=1e-12)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4), seed=st.integers(0, 99))
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_strengths_are_those_of_the_ranked_module(ties, several, seed):
    several = [full(pairs) for pairs in several]
    name = {"davidson": "bradley-terry", "rao-kupper": "rao-kupper"}[ties]
    start = np.random.default_rng(seed).normal(0, 3, size=4)  # wherever Newton's method begins
    found = methods.scores(stacked(several), name, reference=None, start=start)
    for row, counts in zip(found, several, strict=True):
        expected = ranked.bradley_terry(counts, systems=NAMES, ties=ties).strengths.to_numpy()
        met = ~np.isnan(row)
        played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1).to_numpy() > 0
        assert (met == played).all()
        if met.any():
            assert row[met] == pytest.approx((expected - expected[met].mean())[met], abs=1e-4)


@pytest.mark.parametrize("ties", methods.TIES)
@pytest.mark.parametrize("prior", [0.01, 4.0])
def test_newton_climbs_from_far_away_and_the_slope_at_its_end_is_zero(ties, prior):
    counts = counts_of(
        ("a", "b", 100_000, 0, 1),
        ("b", "c", 50_000, 1, 0),
        ("c", "d", 9, 1, 3),
        ("a", "d", 1, 0, 0),
    )
    strengths = methods.bradley_terry(counts, ties=ties, prior=prior)
    assert strengths.index[strengths.argmax()] == "a"
    batch = methods.batch(counts)
    theta, t = methods._newton(batch, None, ties=ties, prior=prior)
    local = methods._rao_kupper if ties == "rao-kupper" else methods._exponential
    met = methods._with_opponent(batch, ties, prior)
    place = np.append(theta, 0)[None]
    slope, bend = local(met, place, None if ties == "half" else t)
    assert np.abs(np.linalg.solve(bend, slope[..., None])).max() < 1e-7
    assert np.linalg.eigvalsh(bend[0]).min() > 0


def test_a_likelihood_too_flat_for_newton_to_settle_is_climbed_to_where_it_is_flat():
    many = 3_000_000
    counts = counts_of(
        ("a", "b", 1, 0, 0),
        ("a", "c", 0, many, 0),
        ("a", "d", many, 0, 0),
        ("b", "c", many, 1, 0),
        ("b", "d", many, 0, 0),
    )
    found = methods.bradley_terry(counts, ties="half", prior=0.001)
    assert found.sort_values(ascending=False).index.tolist() == ["b", "c", "a", "d"]
    # b lost twice where it could have: to c once, and to a, which c beat always.
    assert found["b"] - found["c"] == pytest.approx(np.log(many / 2), abs=0.01)


def test_samples_without_a_maximum_are_given_the_faintest_prior():
    samples = stacked([counts_of(("a", "b", wins, lost, 0)) for wins, lost in ((9, 3), (9, 0))])
    found = methods.scores(samples, "bradley-terry-half", reference=None)
    assert found[0, 0] - found[0, 1] == pytest.approx(np.log(3))
    assert 5 < found[1, 0] - found[1, 1] < 20
    expected = methods.bradley_terry(
        counts_of(("a", "b", 9, 0, 0)), ties="half", prior=methods.FAINT
    )
    assert found[1] == pytest.approx(expected.to_numpy())


def test_bradley_terry_is_that_of_evalica():
    table = pairwise.expand(REAL)
    winner = {0: evalica.Winner.Draw, 1: evalica.Winner.X, 2: evalica.Winner.Y}
    other = evalica.bradley_terry(
        table["system_1"],
        table["system_2"],
        table["preference"].map(winner),
        tolerance=1e-12,
        limit=10_000,
    )
    strengths = methods.bradley_terry(REAL, ties="half", prior=0)
    expected = other.scores[strengths.index].to_numpy()
    assert np.exp(strengths.to_numpy()) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    assert strengths.mean() == pytest.approx(0, abs=1e-12)


def test_two_systems_have_a_closed_form():
    counts = counts_of(("a", "b", 6, 2, 4))
    found = methods.bradley_terry(counts, ties="half", prior=0)
    assert found["a"] - found["b"] == pytest.approx(np.log(8 / 4))


@pytest.mark.parametrize(
    ("ties", "prior", "said"),
    [
        ("elo", 1.0, "ties is 'elo'; expected half, davidson, rao-kupper"),
        ("half", -1.0, "prior, the number of virtual comparisons, is -1.0; expected 0 or more"),
        ("davidson", 0.0, "prior, the number of virtual comparisons, is 0.0; expected > 0"),
        ("half", np.inf, "prior, the number of virtual comparisons, is inf; expected 0 or more"),
    ],
)
def test_bad_settings_of_bradley_terry_are_refused(ties, prior, said):
    with pytest.raises(DataError, match=f"^{said}$"):
        methods.bradley_terry(REAL, ties=ties, prior=prior)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "b", 1, 1, 0), ("c", "d", 1, 1, 0)], "'a' and 1 more never won from the rest"),
        ([("a", "b", 1, 0, 0), ("b", "c", 1, 1, 0)], "'a' never lost to the rest"),
    ],
)
def test_without_a_prior_there_may_be_no_maximum(rows, said):
    with pytest.raises(DataError, match=f"^{said}: without a prior there is no maximum$"):
        methods.bradley_terry(counts_of(*rows), ties="half", prior=0)


@pytest.mark.parametrize("size", [1, 52, 53, 120, 230])
def test_solving_by_halves(size):
    draw = np.random.default_rng(size).normal(size=(3, size, 2 * size))
    matrix = draw @ draw.swapaxes(1, 2) / size + np.eye(size)
    right = draw[:, :, :1]
    expected = np.linalg.solve(matrix, right)
    np.testing.assert_allclose(methods._solved(matrix, right), expected, atol=1e-10)


def test_blocks_do_not_show(monkeypatch):
    batch = stacked([REAL.without("_ref")] * 5)
    one = methods.scores(batch, "bradley-terry", reference=None)
    monkeypatch.setattr(methods, "LARGEST", 1)
    np.testing.assert_array_equal(methods.scores(batch, "bradley-terry", reference=None), one)


def test_a_batch_without_a_system():
    batch = methods.batch(REAL)
    fewer = methods.batch(REAL.without("_ref"))
    found = batch.without("_ref")
    assert found.systems == fewer.systems
    for name in ("first", "second", "seen"):
        np.testing.assert_array_equal(getattr(found, name), getattr(fewer, name))


def test_methods_that_cannot_score_batches_say_so():
    with pytest.raises(DataError, match=r"^mfas does not score samples all at once$"):
        methods.scores(methods.batch(REAL), "mfas", reference=None)


def test_the_registry_is_complete():
    assert set(scorers.SCORERS) < set(METHODS)
    assert all(method.name == name and method.about for name, method in METHODS.items())
    assert {m.kind for m in METHODS.values()} == {"counts", "assessments"}
    assert preference.NEGATED == [0, 2, 1]  # the order of `Batch.seen`
