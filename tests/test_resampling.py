"""Bootstraps: by hand and against plain loops."""

import re
import sys

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
from wmtlib.removals import stability
from wmtlib.resampling import bootstrap

RESAMPLED = [n for n, m in METHODS.items() if m.kind == "counts" and not m.sided]
ONE_BY_ONE = ("mfas", "trueskill")  # samples
FAST = ["uniform", "adjusted-uniform", "independent-pairs", "bradley-terry"]  # models


RANKS = ["rank", "rank_low", "rank_high"]


def ranks_of(found):
    """Ranks and their intervals, 0 for none."""
    return found.table[RANKS].fillna(0).to_numpy().tolist()


@pytest.mark.parametrize("method", [m for m in RESAMPLED if m != "bradley-terry-half"])
def test_bootstrap_of_constant_votes_has_no_width(method):
    counts = counts_of("a b 500 0 0", "a c 500 0 0", "b c 500 0 0")
    resamples = 4 if method in ONE_BY_ONE else 50
    found = bootstrap(counts, method, unit="comparison", n_resamples=resamples, seed=1)
    # Nothing says how much better a is, or how much worse c.
    assert ranks_of(found) == [[1, 0, 0], [2, 2, 2], [3, 0, 0]]
    assert (found.unit, found.n_units, found.n_resamples) == (
        "comparison",
        1500,
        resamples,
    )
    assert found.ranking.method == method
    (line,) = found.warnings
    assert line.startswith("'a', 'c': nothing but wins, or nothing but losses")
    ends = found.table["score_high"].isna().tolist()
    assert ends == [True, method == "mfas", True]


def test_bootstrap_of_two_opposed_judges():
    rows = ["a b 1 9 x", "a b 2 9 y"]
    rows += [("b", "c", 1, 9, judge) for judge in "xy"]
    table = judged_by(*rows)
    found = bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, seed=1)
    # Of two draws none, one or both are x: a beats b in 0, 9 or 18 of 18; b beats c.
    seen = found.sample_scores["a"].value_counts(normalize=True)
    assert dict(sorted(seen.items())) == pytest.approx(
        {0: 0.25, 0.5: 0.5, 1: 0.25}, abs=0.03
    )
    few, alone = found.warnings
    assert few == "only 2 judges: take the intervals as rough, or ask 20 or more"
    assert alone.startswith("'c': nothing but")
    # Of two judges all samples count. a may be tied with c.
    assert ranks_of(found) == [[1, 1, 2], [2, 1, 3], [3, 0, 0]]
    again = bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, seed=1)
    assert_frame_equal(found.table, again.table)


def test_intervals_are_those_of_the_samples():
    found = bootstrap(tournament(1), "net-wins", unit="judge", n_resamples=300, seed=1)
    scores = found.sample_scores
    ranks = scores.round(9).rank(axis=1, ascending=False, method="min")
    for row in found.table.itertuples():
        assert ranks[row.system].between(row.rank_low, row.rank_high).mean() >= 0.95
        t = stats.t.ppf(0.025, 9)  # of ten judges
        tail = stats.norm.cdf(t * np.sqrt(1 + t**2 / 10))
        own = scores[row.system]
        beyond = (own < row.score_low).mean(), (own > row.score_high).mean()
        assert beyond == pytest.approx((tail, tail), abs=0.01)


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
        one_way=(),
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


def test_thin_systems_have_no_interval_and_leave_the_others_alone():
    counts = counts_of("a b 60 20 5", "b c 50 30 0", "a new 0 2 0")
    found = bootstrap(counts, "bradley-terry", unit="comparison", n_resamples=300)
    assert found.thin.to_dict() == {"new": 2} and "'new (2)'" in found.warnings[0]
    assert ranks_of(found) == [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]]
    table = found.table.set_index("system")
    assert table.loc["new", [*RANKS, "score_low"]].isna().all()
    few = bootstrap(counts_of("a b 1 0 0"), "soccer", unit="comparison", n_resamples=9)
    assert few.table["rank_low"].isna().all()


def test_ranks_of_a_sample_without_a_system_do_not_shift():
    """Of two judges one alone knows x, the best: a quarter of the samples has no x."""
    rows = ["a b 1 40 p", "a b 1 40 q", "x a 1 40 p", "b x 1 1 p", "b a 1 1 q"]
    found = bootstrap(judged_by(*rows), "bradley-terry", unit="judge", n_resamples=200)
    assert 20 < found.sample_scores["x"].isna().sum() < 80
    assert ranks_of(found) == [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    assert "'x'" in found.warnings[-1]


def test_equal_systems_come_apart_in_five_percent_of_cases_at_most():
    """Every outcome of n votes between two equal systems, with its chance."""
    for n in (8, 16):
        apart = 0.0
        for won in range(1, n):  # where one won all, nothing is said
            counts = counts_of(("a", "b", won, n - won, 0))
            found = bootstrap(
                counts, "expected-wins", unit="comparison", n_resamples=1000
            )
            if found.table["rank_high"].eq(1).any():
                apart += stats.binom.pmf(won, n, 0.5)
        assert apart <= 0.05
    assert apart > 0.005  # of 16 votes, who won 3 or fewer is told apart: .02


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


def test_rank_ranges_hold_the_open_orders_of_mfas():
    counts = counts_of("a b 90 1 0", "a c 90 1 0")  # b and c never met
    found = bootstrap(counts, "mfas", unit="comparison", n_resamples=10, seed=1)
    assert ranks_of(found) == [[1, 1, 1], [2, 2, 3], [3, 2, 3]]
    assert found.table["score_low"].isna().all()


@pytest.mark.parametrize(
    "method, settings_, said",
    [
        ("bojar", {"unit": "judge"}, "no unit 'judge'; expected comparison"),
        ("bojar", {"n_resamples": 1}, "1 resample(s); expected two or more"),
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
        models = [*FAST, "wmt-official", "trueskill"]
        yield compare(table, models, unit=unit, folds=2).splits.to_csv()
    yield stability(table, "bradley-terry").table.to_csv()


@pytest.fixture
def alone(monkeypatch):
    """The analyses by this process, without joblib."""
    monkeypatch.setattr(sampling, "HELD", 1)
    with monkeypatch.context() as without:
        without.delitem(sys.modules, "joblib", raising=False)
        return [*analyses()]


@pytest.mark.slow
def test_bootstrap_by_workers_gives_the_same_bytes(alone):
    for backend, number in (("loky", 1), ("loky", 2), ("threading", 2)):
        with joblib.parallel_config(backend, n_jobs=number):
            assert [*analyses()] == alone
