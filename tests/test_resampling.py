"""Bootstraps: by hand and against plain loops."""

import re
import sys
from itertools import combinations
from itertools import pairwise as neighbours

import joblib
import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

from examples import (
    REAL,
    campaign,
    counts_of,
    data_error,
    judged_by,
    rng,
    tournament,
)
from wmtlib import bradley_terry, resampling
from wmtlib.core import sampling
from wmtlib.core.ranking import Ranking
from wmtlib.cross_validation import compare
from wmtlib.files.forms import count
from wmtlib.methods import METHODS
from wmtlib.removals import leave_one_out
from wmtlib.resampling import bootstrap

RESAMPLED = [n for n, m in METHODS.items() if m.kind == "counts" and not m.rows]
BATCHED = [n for n in RESAMPLED if METHODS[n].batched]
FAST = ["uniform", "adjusted-uniform", "independent-pairs", "bradley-terry"]  # models


@pytest.mark.parametrize("method", [m for m in RESAMPLED if m != "bradley-terry-half"])
def test_bootstrap_of_constant_votes_has_no_width(method):
    counts = counts_of("a b 500 0 0", "a c 500 0 0", "b c 500 0 0")
    resamples = 50 if method in BATCHED else 4
    found = bootstrap(counts, method, unit="comparison", n_resamples=resamples, seed=1)
    columns = ["system", "rank_low", "rank_high", "above_next"]
    assert found.table[columns].fillna(-1).to_numpy().tolist() == [
        ["a", 1, 1, 1.0], ["b", 2, 2, 1.0], ["c", 3, 3, -1]
    ]  # fmt: skip
    assert (found.unit, found.n_units, found.n_resamples) == (
        "comparison",
        1500,
        resamples,
    )
    assert found.ranking.method == method
    # Nothing says how much better a is, or how much worse c.
    assert [line.partition(",")[0] for line in found.warnings] == [
        "'a': nothing but wins",
        "'c': nothing but losses",
    ]
    ends = found.table[["score_high", "score_low"]].isna().to_numpy().tolist()
    no_score = method == "mfas"
    assert ends == [[True, no_score], [no_score, no_score], [no_score, True]]


def test_bootstrap_of_two_opposed_judges():
    rows = ["a b 1 9 x", "a b 2 9 y"]
    rows += [("b", "c", 1, 9, judge) for judge in "xy"]
    table = judged_by(*rows)
    found = bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, seed=1)
    # Of two draws none, one or both are x: a beats b in 0, 9 or 18 of 18; b beats c,
    # but for the doubt that 18 of 18 leave.
    seen = found.sample_scores["a"].value_counts(normalize=True)
    assert dict(sorted(seen.items())) == pytest.approx(
        {0: 0.25, 0.5: 0.5, 1: 0.25}, abs=0.03
    )
    assert 0.3 < found.sample_scores["b"].min() < 0.5
    few, alone = found.warnings
    assert few == "only 2 judges: take the intervals as rough, or ask 20 or more"
    assert alone.startswith("'c': nothing but losses")
    ranks = found.table.set_index("system")[["rank", "rank_low", "rank_high"]]
    assert ranks.loc["b"].tolist() == [1, 1, 3]  # of two judges all samples count
    assert ranks.loc["a"].tolist() == [2, 1, 3]  # tied with c
    again = bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, seed=1)
    assert_frame_equal(found.table, again.table)


def test_shares_intervals_and_orders_are_those_of_the_samples():
    found = bootstrap(tournament(1), "net-wins", unit="judge", n_resamples=300, seed=1)
    scores = found.sample_scores
    ranks = scores.round(9).rank(axis=1, ascending=False, method="min")
    for a, b in combinations(scores.columns, 2):
        share = (scores[a] > scores[b]).mean() + (scores[a] == scores[b]).mean() / 2
        assert found.beats.loc[a, b] == pytest.approx(share, abs=0.01)
        assert found.beats.loc[b, a] == pytest.approx(1 - found.beats.loc[a, b])
    for row in found.table.itertuples():
        assert ranks[row.system].between(row.rank_low, row.rank_high).mean() >= 0.95
        t = stats.t.ppf(0.025, 9)  # of ten judges
        tail = stats.norm.cdf(t * np.sqrt(1 + t**2 / 10))
        own = scores[row.system]
        beyond = (own < row.score_low).mean(), (own > row.score_high).mean()
        assert beyond == pytest.approx((tail, tail), abs=0.01)
    above = [found.beats.loc[pair] for pair in neighbours(found.ranking.order)]
    assert found.table["above_next"].tolist()[:-1] == above


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_samples_are_those_of_a_bootstrap_of_rows(unit):
    """Deviations of scores as a plain loop over rows, or groups of rows, gives them."""
    table = tournament(3, games=600, judges=30)
    draw = rng(5)
    loop = []
    rows = [np.flatnonzero(table["judge"] == j) for j in table["judge"].unique()]
    for _ in range(200):
        if unit == "comparison":
            chosen = draw.integers(len(table), size=len(table))
        else:
            chosen = np.concatenate(
                [rows[k] for k in draw.integers(len(rows), size=len(rows))]
            )
        options = {"ties": "davidson", "prior": bradley_terry.PRIOR}
        loop.append(bradley_terry.strengths(count(table.iloc[chosen]), **options))
    found = bootstrap(table, "bradley-terry", unit=unit, n_resamples=2000, seed=1)
    expected = pd.DataFrame(loop)
    assert found.sample_scores.mean().to_numpy() == pytest.approx(
        expected.mean().to_numpy(), abs=0.03
    )
    assert found.sample_scores.std().to_numpy() == pytest.approx(
        expected.std().to_numpy(), rel=0.15
    )


def test_the_reference_counts_in_resamples_as_in_the_ranking():
    # Alone, a won 30 of 40 and b 10; with the reference, a did not lose 30 of 100, b
    # 70.
    counts = counts_of("_ref a 60 0 0", "_ref b 0 60 0", "a b 30 10 0")
    options = {"unit": "comparison", "n_resamples": 400, "reference": "_ref"}
    with_it = bootstrap(counts, "wmt-official", **options)
    assert with_it.sample_scores.mean().to_dict() == pytest.approx(
        {"a": 0.3, "b": 0.7}, abs=0.02
    )
    assert with_it.ranking.order == ["b", "a"]
    without_it = bootstrap(counts, "heuristic2", **options)
    assert without_it.sample_scores.mean().to_dict() == pytest.approx(
        {"a": 0.75, "b": 0.25}, abs=0.02
    )


def drawn_ranks(places, scores):
    """A bootstrap whose full ranking has these ranks, and whose samples these scores.

    Of systems in so many units, an interval holds 95 % of the samples.
    """
    names = [*scores]
    table = pd.DataFrame({"system": names, "rank": places, "score": 0.0})
    return resampling.BootstrapResult(
        ranking=Ranking("soccer", table),
        sample_scores=pd.DataFrame(scores),
        unit="judge",
        n_units=9,
        occurrences=pd.Series(10**6, names),
        thin=pd.Series(dtype=int),
        one_way=pd.Series(0, names),
    ).table.set_index("system")[["rank_low", "rank_high"]]


def test_ends_of_rank_ranges_are_ranks_of_samples():
    """The last of six is first in one of ten samples: an average would be 2.1."""
    scores = {name: [float(6 - k)] * 10 for k, name in enumerate("abcdef")}
    scores["f"][0] = 9.0
    ranges = drawn_ranks(range(1, 7), scores)
    assert ranges.loc["f"].tolist() == [1, 6] and ranges.loc["a"].tolist() == [1, 2]


def test_rank_range_includes_the_ranks_of_a_tie():
    ranges = drawn_ranks([1, 1, 3], {"a": [2.0] * 9, "b": [1.0] * 9, "c": [0.0] * 9})
    assert ranges.to_numpy().tolist() == [[1, 2], [1, 2], [3, 3]]


def test_thin_counts_no_comparisons_with_the_reference():
    counts = counts_of("_ref c 20 9 0", "a b 20 9 0", "a c 4 1 0")
    options = {"unit": "comparison", "n_resamples": 9, "reference": "_ref"}
    for method, few in (("soccer", {"c": 5}), ("wmt-official", {})):
        assert bootstrap(counts, method, **options).thin.to_dict() == few


def test_bootstrap_warns_of_samples_without_a_system():
    counts = counts_of("a b 20 10 0", "a c 1 0 0")
    options = {"unit": "comparison", "n_resamples": 300, "seed": 1, "minimum": 1}
    found = bootstrap(counts, "bradley-terry", **options)
    lost = int(found.sample_scores["c"].isna().sum())
    assert 0 < lost < 300
    said = f"up to {lost} of 300 samples have nothing to score some"
    assert found.warnings[-1].startswith(said)
    assert found.warnings[-1].endswith("say nothing of them: 'c'")
    both = found.sample_scores.dropna()
    assert found.beats.loc["a", "c"] == pytest.approx((both["a"] > both["c"]).mean())


def test_thin_systems_have_no_interval_and_leave_the_others_alone():
    counts = counts_of("a b 60 20 5", "b c 50 30 0", "a new 0 2 0")
    found = bootstrap(counts, "bradley-terry", unit="comparison", n_resamples=300)
    assert found.thin.to_dict() == {"new": 2} and "'new (2)'" in found.warnings[0]
    table = found.table.set_index("system")
    assert table.loc["new", ["rank", "rank_low", "rank_high", "score_low"]].isna().all()
    assert table.loc[[*"abc"], "rank"].tolist() == [1, 2, 3]
    alone = bootstrap(
        counts.without("new"), "expected-wins", unit="comparison", n_resamples=300
    )
    assert alone.thin.empty and alone.clusters["cluster"].tolist() == [1, 2, 2]
    few = bootstrap(counts_of("a b 1 0 0"), "soccer", unit="comparison", n_resamples=9)
    assert few.table["rank_low"].isna().all() and few.clusters["cluster"].isna().all()


def test_ranks_of_a_sample_without_a_system_do_not_shift():
    """Of two judges one alone knows x, the best: a quarter of the samples has no x."""
    rows = ["a b 1 40 p", "a b 1 40 q", "x a 1 40 p"]
    found = bootstrap(judged_by(*rows), "bradley-terry", unit="judge", n_resamples=200)
    assert 20 < found.sample_scores["x"].isna().sum() < 80
    assert found.table[["rank", "rank_low", "rank_high"]].to_numpy().tolist() == [
        [1, 1, 1], [2, 2, 2], [3, 3, 3]
    ]  # fmt: skip
    assert "'x'" in found.warnings[-1]


def test_equal_systems_come_apart_in_five_percent_of_cases_at_most():
    """Every outcome of n votes between two equal systems, with its chance."""
    for n in range(1, 13):
        apart = 0.0
        for won in range(n + 1):
            counts = counts_of(("a", "b", won, n - won, 0))
            found = bootstrap(
                counts, "expected-wins", unit="comparison", n_resamples=1000
            )
            if found.clusters["cluster"].nunique() > 1:
                apart += stats.binom.pmf(won, n, 0.5)
        assert apart <= 0.05
    assert apart > 0.005


@pytest.mark.parametrize("unit", ["comparison", "judge", "ranking"])
def test_rows_and_names_in_any_order_give_the_same_bytes(unit):
    table = tournament(4, games=150).assign(
        ranking=lambda rows: np.arange(len(rows)) // 3
    )
    other = table.sample(frac=1, random_state=3)
    other["ranking"] = pd.factorize(other["ranking"])[0]  # numbered by first appearance
    for side in ("system_1", "system_2"):
        other[side] = "z" + other[side]
    for method in ("bradley-terry", "expected-wins", "trueskill"):
        one, two = (
            bootstrap(rows, method, unit=unit, n_resamples=120).table
            for rows in (table, other)
        )
        two["system"] = two["system"].str.removeprefix("z")
        assert one.to_csv() == two.to_csv()


def test_beats_counts_open_orders_of_mfas_half():
    counts = counts_of("a b 90 0 0", "a c 90 0 0")  # b and c never met
    found = bootstrap(counts, "mfas", unit="comparison", n_resamples=10, seed=1)
    assert found.beats.loc["b", "c"] == 0.5
    ranks = found.table[["rank", "rank_low", "rank_high"]].to_numpy().tolist()
    assert ranks == [[1, 1, 1], [2, 2, 3], [3, 2, 3]]
    assert found.table["score_low"].isna().all()


def test_no_system_surely_beats_one_that_never_lost():
    # By soccer's points a has 45 of 50. b has 27.5 of 50: it won 5 and tied 45 times,
    # so that nobody knows how good it is at most.
    counts = counts_of("a c 45 5 0", "b c 5 0 45")
    found = bootstrap(counts, "soccer", unit="comparison", n_resamples=50)
    assert found.ranking.order == ["a", "b", "c"]
    assert (found.sample_scores["a"] > found.sample_scores["b"]).all()
    assert found.beats.loc["a", "b"] == found.beats.loc["b", "a"] == 0.5


@pytest.mark.parametrize(
    "method, settings_, said",
    [
        ("bojar", {"unit": "judge"}, "no unit 'judge'; expected comparison"),
        ("bojar", {"n_resamples": 1}, "1 resample(s); expected two or more"),
        ("irt-gaussian", {}, "irt-gaussian is not resampled: each fit takes seconds; "),
        ("z-score", {}, "no method for counts 'z-score'; "),
    ],
)
def test_bootstrap_refuses_other_methods_and_units(method, settings_, said):
    options = {"unit": "comparison", "n_resamples": 10, "seed": 1, **settings_}
    with data_error("^" + re.escape(said)):
        bootstrap(REAL, method, **options)


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
@pytest.mark.parametrize("unit", ["hit", "worker"])
def test_resampling_a_campaign(method, unit):
    found = bootstrap(
        campaign(2), method, unit=unit, n_resamples=40, seed=1, reference="s0"
    )
    assert (
        list(found.sample_scores.columns) == ["s1", "s2", "s3"]
        and len(found.sample_scores) == 40
    )
    spread = (
        found.sample_scores.mean() - found.ranking.table.set_index("system")["score"]
    )
    assert np.abs(spread / found.sample_scores.std()).max() < 1


def analyses():
    """Resamples, folds and leaving out, as text."""
    table = tournament(5, games=200, judges=20)
    for method, unit, number in (
        ("bradley-terry", "judge", 70),
        ("trueskill", "judge", 70),
        ("mfas", "comparison", 70),
        ("bradley-terry", "comparison", 120),
    ):
        yield bootstrap(
            table, method, unit=unit, n_resamples=number
        ).sample_scores.to_csv()
    for unit in ("judge", "comparison"):
        models = [*FAST, "wmt-official", "irt-gaussian"]
        yield compare(table, models, unit=unit, folds=2).splits.to_csv()
    yield leave_one_out(table, "bradley-terry").table.to_csv()


@pytest.fixture
def alone(monkeypatch):
    """The analyses by this process, without joblib; blocks are not held together."""
    monkeypatch.setattr(sampling, "DRAWN", 1)
    with monkeypatch.context() as without:
        without.delitem(sys.modules, "joblib", raising=False)
        return [*analyses()]


@pytest.mark.slow
def test_bootstrap_by_workers_gives_the_same_bytes(alone):
    for backend, number in (("loky", 1), ("loky", 2), ("threading", 2)):
        with joblib.parallel_config(backend, n_jobs=number):
            assert [*analyses()] == alone
