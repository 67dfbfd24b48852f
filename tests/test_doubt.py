"""Doubt about rankings: by hand, against plain loops, and what must hold for any judgements."""

import re
from itertools import combinations
from itertools import pairwise as neighbours

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wmtlib import clusters, competition, datasets, doubt, methods, pairwise, preference, zscores
from wmtlib.methods import METHODS, Ranked
from wmtlib.schemas import DataError

TABLE = ["system_1", "system_2", "wins_1", "wins_2", "ties"]
RESAMPLED = [n for n, m in METHODS.items() if m.kind == "counts" and not n.startswith("irt")]
BATCHED = [n for n in RESAMPLED if METHODS[n].scores is not None]
REAL = datasets.load_counts("wmt10", "cs-en", source="embedded")
few = settings(max_examples=settings().max_examples // 5)


def counts_of(*rows):
    return pairwise.from_table(pd.DataFrame(rows, columns=TABLE))


def tallies(*rows):
    return pd.DataFrame([*rows], columns=["a", "b", "outcome", "count", "judge"])


def rng(seed=1):
    return np.random.default_rng(seed)


def tournament(seed, systems=4, games=200, judges=10):
    """Tallies of random comparisons; judges have tastes of their own."""
    draw = rng(seed)
    a, b = np.array([draw.choice(systems, 2, replace=False) for _ in range(games)]).T
    judge = draw.integers(judges, size=games)
    taste = draw.normal(0, 0.7, size=(judges, systems))
    d = (b - a) * 0.4 + taste[judge, a] - taste[judge, b] + draw.logistic(size=games)
    names = np.array([f"s{k}" for k in range(systems)])
    return pd.DataFrame(
        {
            "a": names[a],
            "b": names[b],
            "outcome": np.select([d > 0.3, d < -0.3], ["a", "b"], "tie"),
            "count": 1,
            "judge": [f"j{k}" for k in judge],
        }
    )


def tallied(comparisons, *units):
    """Tallies as `inputs.Judgements.tallies` gives them, of comparisons."""
    table = pd.DataFrame(
        {
            "a": comparisons["system_1"],
            "b": comparisons["system_2"],
            "outcome": np.array(["tie", "a", "b"])[comparisons["preference"]],
            **{unit: comparisons[unit] for unit in units},
        }
    )
    keys = ["a", "b", "outcome", *units]
    return table.groupby(keys, observed=True).size().rename("count").reset_index()


# --- resampling ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [m for m in RESAMPLED if m != "bradley-terry-half"])
def test_what_never_varies_is_certain(method):
    counts = counts_of(("a", "b", 500, 0, 0), ("a", "c", 500, 0, 0), ("b", "c", 500, 0, 0))
    resamples = 50 if method in BATCHED else 4
    found = doubt.bootstrap(counts, method, unit="comparison", resamples=resamples, rng=rng())
    assert found.frame["system"].tolist() == ["a", "b", "c"]
    assert found.frame["rank_low"].tolist() == found.frame["rank_high"].tolist() == [1, 2, 3]
    assert found.frame["above_next"].tolist()[:2] == [1.0, 1.0]
    assert np.isnan(found.frame["above_next"].iloc[-1])
    assert found.same_order == 1
    assert (found.unit, found.units, found.resamples) == ("comparison", 1500, resamples)
    assert found.method == method and found.warnings == ()


def test_two_judges_who_disagree():
    table = tallies(("a", "b", "a", 3, "x"), ("a", "b", "b", 3, "y"), ("b", "c", "a", 3, "x"))
    table = pd.concat([table, tallies(("b", "c", "a", 3, "y"))], ignore_index=True)
    found = doubt.bootstrap(table, "expected-wins", unit="judge", resamples=4000, rng=rng())
    # Of two draws none, one or both are x: a beats b in 0, 3 or 6 of 6, and b always beats c.
    seen = found.scores["a"].value_counts(normalize=True)
    assert dict(sorted(seen.items())) == pytest.approx({0: 0.25, 0.5: 0.5, 1: 0.25}, abs=0.03)
    assert found.scores["b"].min() == 0.5
    assert found.beats.loc["a", "b"] == pytest.approx(0.25, abs=0.03)
    assert found.beats.loc["b", "a"] == pytest.approx(0.75, abs=0.03)
    assert found.warnings == ("there are 2 judges only: resampling so few is rough",)
    ahead = found.frame.set_index("system")
    assert ahead.loc["b", ["rank", "rank_low", "rank_high"]].tolist() == [1, 1, 2]
    assert ahead.loc["a", ["rank", "rank_low", "rank_high"]].tolist() == [2, 1, 2]  # with c
    again = doubt.bootstrap(table, "expected-wins", unit="judge", resamples=4000, rng=rng())
    pd.testing.assert_frame_equal(found.frame, again.frame)


def test_shares_intervals_and_orders_are_those_of_the_samples():
    found = doubt.bootstrap(
        tournament(1), "net-wins", unit="judge", resamples=300, rng=rng(), coverage=0.9
    )
    scores, order = found.scores, found.ranking.order
    ranks = scores.round(9).rank(axis=1, ascending=False, method="min")
    for a, b in combinations(scores.columns, 2):
        share = (scores[a] > scores[b]).mean() + (scores[a] == scores[b]).mean() / 2
        assert found.beats.loc[a, b] == pytest.approx(share, abs=0.01)
        assert found.beats.loc[b, a] == pytest.approx(1 - found.beats.loc[a, b])
    for row in found.frame.itertuples():
        inside = ranks[row.system].between(row.rank_low, row.rank_high).mean()
        assert inside >= 0.9
        assert (scores[row.system] < row.score_low).mean() == pytest.approx(0.05, abs=0.01)
        assert (scores[row.system] > row.score_high).mean() == pytest.approx(0.05, abs=0.01)
    listed = scores[order].to_numpy()
    same = (listed[:, :-1] >= listed[:, 1:]).all(axis=1).mean()
    assert found.same_order == pytest.approx(same, abs=0.01)
    above = [found.beats.loc[a, b] for a, b in neighbours(order)]
    assert found.frame["above_next"].tolist()[:-1] == above


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_samples_are_those_of_a_bootstrap_of_rows(unit):
    """Deviations of scores as a plain loop over rows, or groups of rows, gives them."""
    table = tournament(3, games=600, judges=30)
    draw, loop = rng(5), []
    rows = [np.flatnonzero(table["judge"] == j) for j in table["judge"].unique()]
    for _ in range(400):
        if unit == "comparison":
            chosen = draw.integers(len(table), size=len(table))
        else:
            chosen = np.concatenate([rows[k] for k in draw.integers(len(rows), size=len(rows))])
        again = methods.as_counts(table.iloc[chosen])
        loop.append(methods.bradley_terry(again, ties="davidson", prior=methods.PRIOR))
    found = doubt.bootstrap(table, "bradley-terry", unit=unit, resamples=2000, rng=rng())
    expected = pd.DataFrame(loop)
    assert found.scores.mean().to_numpy() == pytest.approx(expected.mean().to_numpy(), abs=0.03)
    assert found.scores.std().to_numpy() == pytest.approx(expected.std().to_numpy(), rel=0.15)


def test_units_of_one_comparison_are_comparisons():
    table = tournament(4).assign(judge=lambda t: [f"j{k}" for k in range(len(t))])
    one = doubt.bootstrap(table, "bojar", unit="comparison", resamples=3000, rng=rng())
    other = doubt.bootstrap(table, "bojar", unit="judge", resamples=3000, rng=rng())
    assert one.units == other.units == 200
    ratio = one.scores.std() / other.scores.std()
    assert ratio.to_numpy() == pytest.approx(np.ones(4), abs=0.05)


def test_resampling_judges_who_differ_widens_the_intervals():
    table = tournament(6, games=2000, judges=12)
    width = [
        doubt.bootstrap(table, "bradley-terry", unit=unit, resamples=500, rng=rng()).scores.std()
        for unit in ("comparison", "judge")
    ]
    assert (width[1] > 1.3 * width[0]).all()


def test_blocks_and_the_order_of_rows_do_not_show(monkeypatch):
    table = tournament(2)
    found = [doubt.bootstrap(table, "bradley-terry", unit="judge", resamples=50, rng=rng())]
    shuffled = table.sample(frac=1, random_state=1)
    shuffled = shuffled.astype(dict.fromkeys(["a", "b", "outcome", "judge"], "category"))
    found.append(doubt.bootstrap(shuffled, "bradley-terry", unit="judge", resamples=50, rng=rng()))
    monkeypatch.setattr(doubt, "DRAWN", 1)
    found.append(doubt.bootstrap(table, "bradley-terry", unit="judge", resamples=50, rng=rng()))
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0].scores, other.scores, rtol=1e-9)
        pd.testing.assert_frame_equal(found[0].beats, other.beats)


@few
@given(seed=st.integers(0, 10**6), method=st.sampled_from(["bojar", "soccer", "rao-kupper"]))
def test_with_many_comparisons_the_interval_holds_the_rank(seed, method):
    draw = rng(seed)
    names = [f"s{k}" for k in range(5)]
    rows = [(a, b, *draw.integers(100, 1000, size=3)) for a, b in combinations(names, 2)]
    found = doubt.bootstrap(
        counts_of(*rows), method, unit="comparison", resamples=200, rng=draw
    ).frame
    assert (found["rank_low"] <= found["rank"]).all()
    assert (found["rank"] <= found["rank_high"]).all()


@pytest.mark.parametrize("method", BATCHED)
def test_the_reference_is_not_ranked(method):
    found = doubt.bootstrap(
        REAL, method, unit="comparison", resamples=20, rng=rng(), reference="_ref"
    )
    systems = [name for name in REAL.systems if name != "_ref"]
    assert sorted(found.frame["system"]) == list(found.scores.columns) == systems
    assert found.units == (REAL if method == "wmt-official" else REAL.without("_ref")).comparisons


def test_samples_without_a_system_are_told():
    counts = counts_of(("a", "b", 20, 10, 0), ("a", "c", 1, 0, 0))
    found = doubt.bootstrap(counts, "bradley-terry", unit="comparison", resamples=300, rng=rng())
    lost = int(found.scores["c"].isna().sum())
    assert 0 < lost < 300
    assert found.warnings[0].startswith(f"{lost} of 300 samples have nothing to score some system")
    assert found.beats.loc["a", "b"] == pytest.approx(
        (found.scores["a"] > found.scores["b"]).mean()
    )
    both = found.scores.dropna()
    assert found.beats.loc["a", "c"] == pytest.approx((both["a"] > both["c"]).mean())


def test_what_mfas_leaves_open_counts_half():
    counts = counts_of(("a", "b", 90, 0, 0), ("a", "c", 90, 0, 0))  # b and c never met
    found = doubt.bootstrap(counts, "mfas", unit="comparison", resamples=10, rng=rng())
    assert found.beats.loc["b", "c"] == 0.5
    assert found.frame["rank"].tolist() == [1, 2, 3]
    assert found.frame["rank_high"].tolist() == [1, 2, 2]
    assert found.frame["score_low"].isna().all()


@pytest.mark.parametrize(
    ("method", "settings_", "said"),
    [
        ("bojar", {"unit": "judge"}, "unit is 'judge'; expected comparison"),
        ("bojar", {"resamples": 1}, "1 resample(s); expected two or more"),
        ("bojar", {"coverage": 1.0}, "coverage is 1.0; expected a share between 0 and 1"),
        ("irt-gaussian", {}, "irt-gaussian is not resampled: each fit takes seconds; "),
        ("z-score", {}, "z-score is no method for counts; "),
    ],
)
def test_what_cannot_be_resampled_is_refused(method, settings_, said):
    options = {"unit": "comparison", "resamples": 10, "rng": rng(), **settings_}
    with pytest.raises(DataError, match="^" + re.escape(said)):
        doubt.bootstrap(REAL, method, **options)


def test_one_judge_cannot_be_resampled():
    table = tallies(("a", "b", "a", 3, "x"))
    with pytest.raises(DataError, match=r"^1 judge\(s\) to draw from; expected two or more$"):
        doubt.bootstrap(table, "bojar", unit="judge", resamples=9, rng=rng())
    with pytest.raises(DataError, match=r"^unit is 'segment'; expected comparison, judge$"):
        doubt.bootstrap(table, "bojar", unit="segment", resamples=9, rng=rng())


@pytest.mark.parametrize(
    ("units", "unit", "kind", "said"),
    [
        (("judge", "segment", "ranking"), "comparison", "rankings", "resample ranking or judge or"),
        (("judge", "segment"), "comparison", "pairwise", "resample judge or segment"),
        (("judge",), "comparison", "pairwise", "comparisons of one judge are treated as indep"),
        ((), "comparison", "pairwise", "the file does not tell who judged what"),
        (("judge", "ranking"), "ranking", "rankings", "resample judge"),
        (("worker", "hit"), "hit", "assessments", "resample worker"),
        (("judge", "segment"), "judge", "pairwise", "segments are taken as given"),
        (("judge",), "judge", "pairwise", None),
        (("worker", "segment", "hit"), "worker", "assessments", None),
    ],
)
def test_warnings_about_the_unit(units, unit, kind, said):
    found = doubt.warnings_for(units, unit, kind)
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


# --- significance -------------------------------------------------------------------------------


@few
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=20))
def test_the_sign_test_is_that_of_scipy(pairs):
    wins, losses = np.array(pairs).T
    found = doubt.sign_test(wins, losses)
    for p, w, n in zip(found, wins, wins + losses, strict=True):
        if n:
            assert p == pytest.approx(stats.binomtest(int(w), int(n)).pvalue)
        else:
            assert np.isnan(p)


def test_the_sign_test_keeps_its_level():
    draw = rng(3)
    total = draw.integers(5, 400, size=20_000)
    wins = draw.binomial(total, 0.5)
    p = doubt.sign_test(wins, total - wins)
    for level in (0.01, 0.05, 0.2, 0.5):
        assert (p <= level).mean() <= level * 1.02
    assert (p <= 0.5).mean() > 0.4  # it is exact, hence conservative, but not much


def test_corrections_by_hand():
    p = np.array([0.04, np.nan, 0.01, 0.03, 0.02])
    hand = {
        "none": [0.04, np.nan, 0.01, 0.03, 0.02],
        "benjamini-hochberg": [0.04, np.nan, 0.04, 0.04, 0.04],
        "holm": [0.06, np.nan, 0.04, 0.06, 0.06],
    }
    for name, expected in hand.items():
        np.testing.assert_allclose(doubt.corrected(p, name), expected)
    assert np.isnan(doubt.corrected(np.array([np.nan]), "holm")).all()
    assert p[2] == 0.01


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_only_raise_and_holm_is_the_stricter(p):
    p = np.array(p)
    bh, holm = (doubt.corrected(p, name) for name in ("benjamini-hochberg", "holm"))
    assert (p <= bh + 1e-15).all() and (bh <= holm + 1e-12).all() and (holm <= 1).all()


def test_significance_by_hand():
    counts = counts_of(("a", "b", 9, 1, 7), ("a", "c", 10, 0, 0), ("b", "c", 0, 0, 5))
    table = doubt.significance(counts, ["a", "c", "b"], correction="holm")
    assert [*table[["above", "below", "neighbours"]].itertuples(index=False, name=None)] == [
        ("a", "c", True),
        ("a", "b", False),
        ("c", "b", True),
    ]
    assert table[["wins", "losses", "ties"]].to_numpy().tolist() == [
        [10, 0, 0],
        [9, 1, 7],
        [0, 0, 5],
    ]
    assert table["ahead"].tolist() == ["a", "a", ""]
    np.testing.assert_allclose(table["p"], [2 / 2**10, 22 / 2**10, np.nan])
    np.testing.assert_allclose(table["corrected"], [4 / 2**10, 22 / 2**10, np.nan])
    found = doubt.groups(table, ["a", "c", "b"])
    assert found["line"].tolist() == [True, False, False]
    assert found["cluster"].tolist() == [1, 2, 2]
    assert found["wins"].tolist() == [2, 0, 0]
    assert doubt.groups(table, ["a", "c", "b"], alpha=0.01)["line"].sum() == 0


def test_a_system_that_is_beaten_from_below_gets_no_line():
    counts = counts_of(("a", "b", 0, 50, 0), ("a", "c", 50, 0, 0), ("b", "c", 50, 0, 0))
    order = ["a", "b", "c"]  # whatever method said so
    found = doubt.groups(doubt.significance(counts, order), order)
    assert found["line"].tolist() == [False, True, False]
    assert found["wins"].tolist() == [1, 2, 0]


def test_significance_from_resampling():
    table = tournament(5, systems=3, games=900, judges=40)
    found = doubt.bootstrap(table, "bradley-terry", unit="judge", resamples=199, rng=rng())
    order = found.ranking.order
    tested = doubt.significance(found, order, correction="none")
    for row in tested.itertuples():
        beats = found.beats.loc[row.above, row.below]
        k = min(beats, 1 - beats) * 199
        assert row.p == pytest.approx(min(1, 2 * (k + 1) / 200))
        assert row.ahead == (row.above if beats > 0.5 else row.below if beats < 0.5 else "")
    assert "wins" not in tested


@pytest.mark.parametrize("score", ["z", "raw"])
def test_significance_of_assessments(score):
    found = campaign(3)
    order = zscores.rank(found).systems
    table = doubt.significance(found, order, correction="none", score=score)
    means = zscores.segment_means(found)
    for row in table.itertuples():
        x, y = (means.loc[means["system"] == s, score] for s in (row.above, row.below))
        expected = stats.mannwhitneyu(x, y, method="asymptotic")
        assert row.p == pytest.approx(expected.pvalue)
        half = len(x) * len(y) / 2
        ahead = row.above if expected.statistic > half else row.below
        assert row.ahead == ("" if expected.statistic == half else ahead)
    if score == "z":
        plain = clusters.clusters(found, test="two-sided", rule="footnote-4")
        assert doubt.groups(table, order)["line"].tolist() == plain.lines.tolist()


@pytest.mark.parametrize(
    ("order", "options", "said"),
    [
        (["a", "b"], {"correction": "bonferroni"}, "correction is 'bonferroni'; expected benj"),
        (["a"], {}, "the order needs two systems or more, each once"),
        (["a", "a"], {}, "the order needs two systems or more, each once"),
        (["a", "x"], {}, "no system 'x'; expected names of the data"),
    ],
)
def test_what_cannot_be_tested_is_refused(order, options, said):
    with pytest.raises(DataError, match=f"^{said}"):
        doubt.significance(counts_of(("a", "b", 1, 2, 3)), order, **options)


# --- leaving out --------------------------------------------------------------------------------


def test_a_weak_system_lifts_who_met_it_most():
    # a won 6 of 10 and 1 of 2. b: 4 of 10, but all 30 with x.
    counts = counts_of(("a", "b", 6, 4, 0), ("b", "x", 30, 0, 0), ("a", "x", 1, 1, 0))
    found = doubt.leave_one_out(counts, "heuristic2")
    assert found.ranking.order == ["b", "a", "x"]
    rows = found.frame.set_index("removed")
    assert rows["changed"].to_dict() == {"b": True, "a": False, "x": True}
    assert rows.loc["x"].tolist() == [True, 1, 0, "b > a"]
    assert rows.loc["b"].tolist() == [True, 0, 1, ""]  # a and x tied with each other
    assert found.systems.to_numpy().tolist() == [["b", 1, 1], ["a", 1, 1], ["x", 0, 0]]
    assert found.neighbours.to_numpy().tolist() == [["b", "a", 1, "x"], ["a", "x", 0, ""]]
    assert found.note == ""


def test_neighbours_once_the_one_between_is_gone():
    # a, b, c by wins: 11, 10, 10 of 20 with each other. Without b, c is better than a.
    counts = counts_of(("a", "b", 7, 3, 0), ("b", "c", 7, 3, 0), ("a", "c", 4, 6, 0))
    found = doubt.leave_one_out(counts, "bojar")
    assert found.ranking.order == ["a", "b", "c"]
    assert found.frame["swaps"].tolist() == ["", "a > c", ""]
    assert found.neighbours["swapped"].tolist() == [0, 0]


@few
@given(seed=st.integers(0, 10**6))
@pytest.mark.parametrize("method", [*BATCHED, "mfas", "trueskill"])
def test_leaving_out_is_ranking_anew(method, seed):
    counts = methods.as_counts(tournament(seed, systems=4, games=60))
    found = doubt.leave_one_out(counts, method, rng=rng())
    order = found.ranking.order
    assert found.frame["removed"].tolist() == order
    turned = {pair: 0 for pair in neighbours(order)}
    for row in found.frame.itertuples():
        left = [name for name in order if name != row.removed]
        try:
            again = methods.rank(counts.without(row.removed), method, reference=None, rng=rng())
        except DataError:
            continue
        if method in ("mfas", "trueskill"):  # ties are broken; another draw
            continue
        rank = again.frame.set_index("system")["rank"]
        place = found.ranking.frame.set_index("system")["rank"]
        reversed_ = [
            (a, b)
            for a, b in combinations(left, 2)
            if (rank[a] - rank[b]) * (place[a] - place[b]) < 0
        ]
        assert row.reversed == len(reversed_)
        swaps = [f"{a} > {b}" for a, b in neighbours(left) if (a, b) in reversed_]
        assert row.swaps == "; ".join(swaps)
        assert row.changed == (row.reversed + row.ties > 0)
        for pair in reversed_:
            if pair in turned:
                turned[pair] += 1
    if method in BATCHED and method != "bradley-terry-half":  # some of those have no maximum
        assert found.neighbours["swapped"].tolist() == [*turned.values()]
    assert found.systems["reversed"].sum() == 2 * found.frame["reversed"].sum()


def test_mfas_is_as_before_where_another_order_would_do_as_well():
    counts = counts_of(("a", "b", 5, 0, 0), ("a", "c", 5, 0, 0), ("b", "d", 5, 0, 0))
    found = doubt.leave_one_out(counts, "mfas")
    assert found.frame["reversed"].tolist() == [0, 0, 0, 0]


def campaign(seed, size=400):
    """A random campaign in which every worker sees two systems of four."""
    draw = rng(seed)
    worker = draw.integers(12, size=size)
    system = (worker + draw.integers(2, size=size)) % 4
    score = np.clip(draw.normal(50 + 4 * system + 3 * worker, 20).round(), 0, 100)
    frame = pd.DataFrame(
        {
            "hit": [f"h{k // 40}" for k in range(size)],
            "worker": [f"w{k}" for k in worker],
            "language_pair": "xx-yy",
            "system": [f"s{k}" for k in system],
            "item": "SYSTEM",
            "document": "d",
            "segment": [f"{k}" for k in draw.integers(40, size=size)],
            "score": score,
            "accepted": True,
        }
    )
    return zscores.code(frame)


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
def test_leaving_out_systems_of_a_campaign(method):
    whole = campaign(1)
    found = doubt.leave_one_out(whole, method)
    for row in found.frame.itertuples():
        fewer = whole.without([row.removed], items=(), paired=False)
        again = methods.rank(fewer, method, reference=None).order
        before = [name for name in found.ranking.order if name != row.removed]
        assert row.changed == (again != before)
    assert method == "z-score" or not found.frame["changed"].any()  # raw means stay


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
@pytest.mark.parametrize("unit", ["hit", "worker"])
def test_resampling_a_campaign(method, unit):
    found = doubt.bootstrap(campaign(2), method, unit=unit, resamples=40, rng=rng())
    again = doubt.bootstrap(campaign(2), method, unit=unit, resamples=40, rng=rng())
    pd.testing.assert_frame_equal(found.frame, again.frame)
    assert found.scores.shape == (40, 4)
    assert (found.frame["rank_low"] <= found.frame["rank"]).all()
    assert found.units == (12 if unit == "worker" else found.units)
    spread = found.scores.mean() - found.ranking.frame.set_index("system")["score"]
    assert np.abs(spread / found.scores.std()).max() < 1
    fewer = doubt.bootstrap(campaign(2), method, unit=unit, resamples=5, rng=rng(), reference="s0")
    assert list(fewer.scores.columns) == ["s1", "s2", "s3"]


def test_what_cannot_be_left_out_is_refused():
    with pytest.raises(DataError, match=r"^2 systems; leaving one out needs three or more$"):
        doubt.leave_one_out(counts_of(("a", "b", 1, 2, 3)), "bojar")
    with pytest.raises(DataError, match=r"^unit is 'judge'; expected hit or worker|^resampling"):
        doubt.bootstrap(campaign(1), "z-score", unit="judge", resamples=3, rng=rng())


# --- prediction ---------------------------------------------------------------------------------

FAST = ["Uniform", "Adjusted Uniform", "Independent Pairs", "Bradley-Terry (Davidson)"]


def test_held_out_perplexity_is_that_of_models_fitted_to_the_rest():
    table = tournament(7, games=90, judges=9)
    found = doubt.held_out(table, FAST, unit="judge", folds=3, repeats=2, rng=rng())
    assert (found.unit, found.units, found.folds, found.repeats) == ("judge", 9, 3, 2)
    assert len(found.splits) == 3 * 2 * 4
    tested = found.splits.drop_duplicates(["repeat", "fold"])
    assert (tested["trained_on"] + tested["tested_on"] == 90).all()
    assert tested.groupby("repeat")["tested_on"].sum().tolist() == [90, 90]
    # The first fold again: the judges that the first three draws deal to it.
    rows = methods.as_comparisons(table)
    code = pd.factorize(rows["judge"], sort=True)[0]
    fold = rng().permutation(9)[code] % 3
    model = competition.MODELS["Independent Pairs"](
        rows[fold != 0], systems=["s0", "s1", "s2", "s3"], rng=rng()
    )
    first = found.splits[(found.splits["repeat"] == 0) & (found.splits["fold"] == 0)]
    value = first.set_index("model").loc["Independent Pairs", "perplexity"]
    assert value == preference.perplexity(model, rows[fold == 0])


def test_the_summary_of_held_out_perplexity():
    table = tournament(8, games=300)
    found = doubt.held_out(table, FAST, folds=5, rng=rng())
    wide = found.splits.pivot_table(index="fold", columns="model", values="perplexity")
    frame = found.frame.set_index("model")
    assert frame.index.tolist() == wide.mean().sort_values().index.tolist()
    best = frame.index[0]
    for name in FAST:
        gap = wide[name] - wide[best]
        expected = [wide[name].mean(), wide[name].sem(), gap.mean(), gap.sem()]
        assert frame.loc[name].tolist() == pytest.approx(expected, abs=1e-9)
    assert frame.loc["Uniform", ["perplexity", "error"]].tolist() == pytest.approx([3, 0])
    again = doubt.held_out(table, FAST[::-1], folds=5, rng=rng())
    pd.testing.assert_frame_equal(found.frame, again.frame)


def test_a_model_that_is_surprised_has_no_error():
    rows = [("a", "b", "a", 5, "x"), ("a", "b", "b", 5, "x"), ("a", "b", "tie", 1, "y")]
    found = doubt.held_out(tallies(*rows), FAST, unit="judge", folds=2, rng=rng())
    last = found.frame.iloc[-1]
    assert last["model"] == "Adjusted Uniform"
    assert last["perplexity"] == last["difference"] == np.inf
    assert np.isnan(last[["error", "difference_error"]].astype(float)).all()


def test_the_smallest_file():
    found = doubt.held_out(counts_of(("a", "b", 1, 1, 0)), folds=2, rng=rng())
    assert set(found.frame["model"]) == set(competition.MODELS) - set(doubt.VARIANTS)
    with pytest.raises(DataError, match=r"^2 comparison\(s\) cannot be dealt to 5 folds; take"):
        doubt.held_out(counts_of(("a", "b", 1, 1, 0)), folds=5, rng=rng())


def test_item_response_models_are_left_out_of_large_files(monkeypatch):
    monkeypatch.setattr(doubt, "IRT_LARGEST", 10)
    found = doubt.held_out(tournament(1, games=40), folds=2, rng=rng())
    assert not found.frame["model"].str.startswith("IRT").any()
    assert found.note == "item-response models left out: over 10 comparisons"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"models": ["Elo"]}, "no model 'Elo'; there are Uniform"),
        ({"models": []}, "models to compare: expected one or more, each once"),
        ({"unit": "segment"}, "unit is 'segment'; expected comparison, judge"),
        ({"folds": 1}, "1 fold(s), 1 repeat(s); expected two or more, one or more"),
        ({"unit": "judge", "folds": 50}, "10 judge(s) cannot be dealt to 50 folds"),
    ],
)
def test_what_cannot_be_held_out_is_refused(options, said):
    options = {"models": FAST, "rng": rng(), **options}
    with pytest.raises(DataError, match="^" + re.escape(said)):
        doubt.held_out(tournament(1), options.pop("models"), **options)


# --- real judgements ----------------------------------------------------------------------------


@pytest.mark.realdata
def test_rankings_of_wmt12_resampled_by_what_was_collected(mirror):
    comparisons = datasets.load_comparisons("wmt12", "de-en", source="mirror")
    table = tallied(comparisons, "judge", "segment", "ranking")
    assert table["count"].sum() == len(comparisons)
    error = {}
    for unit in ("comparison", "ranking", "segment", "judge"):
        found = doubt.bootstrap(table, "bradley-terry", unit=unit, resamples=300, rng=rng())
        assert (found.frame["rank_low"] <= found.frame["rank"]).all()
        assert (found.frame["rank"] <= found.frame["rank_high"]).all()
        error[unit] = found.scores.std().mean()
    assert error["ranking"] > 1.2 * error["comparison"]
    assert error["judge"] > 1.2 * error["comparison"]
    counts = datasets.load_counts("wmt12", "de-en", source="mirror")
    order = methods.rank(counts, "bradley-terry", reference=None).order
    assert order == found.ranking.order
    lines = [
        doubt.groups(doubt.significance(counts, order, correction=name), order)["line"].sum()
        for name in ("none", "benjamini-hochberg", "holm")
    ]
    assert lines == sorted(lines, reverse=True) and lines[-1] >= 1


def test_a_frame_of_a_ranking_is_left_alone():
    found = doubt.bootstrap(REAL, "bojar", unit="comparison", resamples=5, rng=rng())
    assert isinstance(found.ranking, Ranked)
    assert list(found.ranking.frame.columns) == ["system", "rank", "score"]
