"""Bootstraps: by hand, against plain loops, and what must hold for any judgements."""

import re
from itertools import combinations
from itertools import pairwise as neighbours

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import REAL, campaign, counted_by, counts_of, judged_by, rng, tournament

from wmtlib import bradley_terry
from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib import ranking as methods
from wmtlib import resampling as bootstrap
from wmtlib.errors import DataError
from wmtlib.ranking import METHODS, Ranking
from wmtlib.study.releases import ranking_releases

RESAMPLED = [n for n, m in METHODS.items() if m.kind == "counts" and not n.startswith("irt")]
BATCHED = [n for n in RESAMPLED if METHODS[n].scores is not None]
few = settings(max_examples=settings().max_examples * 2 // 5)


@pytest.mark.parametrize("method", [m for m in RESAMPLED if m != "bradley-terry-half"])
def test_what_never_varies_is_certain(method):
    counts = counts_of(("a", "b", 500, 0, 0), ("a", "c", 500, 0, 0), ("b", "c", 500, 0, 0))
    resamples = 50 if method in BATCHED else 4
    found = bootstrap.bootstrap(counts, method, unit="comparison", n_resamples=resamples, rng=rng())
    assert found.table["system"].tolist() == ["a", "b", "c"]
    assert found.table["rank_low"].tolist() == found.table["rank_high"].tolist() == [1, 2, 3]
    assert found.table["above_next"].tolist()[:2] == [1.0, 1.0]
    assert np.isnan(found.table["above_next"].iloc[-1])
    assert found.same_order == 1
    assert (found.unit, found.n_units, found.n_resamples) == ("comparison", 1500, resamples)
    assert found.ranking.method == method and found.warnings == ()


def test_two_judges_who_disagree():
    table = judged_by(("a", "b", 1, 3, "x"), ("a", "b", 2, 3, "y"), ("b", "c", 1, 3, "x"))
    table = pd.concat([table, judged_by(("b", "c", 1, 3, "y"))], ignore_index=True)
    found = bootstrap.bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, rng=rng())
    # Of two draws none, one or both are x: a beats b in 0, 3 or 6 of 6, and b always beats c.
    seen = found.scores["a"].value_counts(normalize=True)
    assert dict(sorted(seen.items())) == pytest.approx({0: 0.25, 0.5: 0.5, 1: 0.25}, abs=0.03)
    assert found.scores["b"].min() == 0.5
    assert found.beats.loc["a", "b"] == pytest.approx(0.25, abs=0.03)
    assert found.beats.loc["b", "a"] == pytest.approx(0.75, abs=0.03)
    assert found.warnings == ("there are 2 judges only: resampling so few is rough",)
    ahead = found.table.set_index("system")
    assert ahead.loc["b", ["rank", "rank_low", "rank_high"]].tolist() == [1, 1, 2]
    assert ahead.loc["a", ["rank", "rank_low", "rank_high"]].tolist() == [2, 1, 2]  # with c
    again = bootstrap.bootstrap(table, "expected-wins", unit="judge", n_resamples=4000, rng=rng())
    pd.testing.assert_frame_equal(found.table, again.table)


def test_shares_intervals_and_orders_are_those_of_the_samples():
    found = bootstrap.bootstrap(
        tournament(1), "net-wins", unit="judge", n_resamples=300, rng=rng(), coverage=0.9
    )
    scores, order = found.scores, found.ranking.order
    ranks = scores.round(9).rank(axis=1, ascending=False, method="min")
    for a, b in combinations(scores.columns, 2):
        share = (scores[a] > scores[b]).mean() + (scores[a] == scores[b]).mean() / 2
        assert found.beats.loc[a, b] == pytest.approx(share, abs=0.01)
        assert found.beats.loc[b, a] == pytest.approx(1 - found.beats.loc[a, b])
    for row in found.table.itertuples():
        inside = ranks[row.system].between(row.rank_low, row.rank_high).mean()
        assert inside >= 0.9
        assert (scores[row.system] < row.score_low).mean() == pytest.approx(0.05, abs=0.01)
        assert (scores[row.system] > row.score_high).mean() == pytest.approx(0.05, abs=0.01)
    listed = scores[order].to_numpy()
    same = (listed[:, :-1] >= listed[:, 1:]).all(axis=1).mean()
    assert found.same_order == pytest.approx(same, abs=0.01)
    above = [found.beats.loc[a, b] for a, b in neighbours(order)]
    assert found.table["above_next"].tolist()[:-1] == above


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_samples_are_those_of_a_bootstrap_of_rows(unit):
    """Deviations of scores as a plain loop over rows, or groups of rows, gives them."""
    table = tournament(3, games=600, judges=30)
    draw, loop = rng(5), []
    rows = [np.flatnonzero(table["judge"] == j) for j in table["judge"].unique()]
    for _ in range(200):
        if unit == "comparison":
            chosen = draw.integers(len(table), size=len(table))
        else:
            chosen = np.concatenate([rows[k] for k in draw.integers(len(rows), size=len(rows))])
        again = counting.count(table.iloc[chosen])
        loop.append(bradley_terry.strengths(again, ties="davidson", prior=bradley_terry.PRIOR))
    found = bootstrap.bootstrap(table, "bradley-terry", unit=unit, n_resamples=2000, rng=rng())
    expected = pd.DataFrame(loop)
    assert found.scores.mean().to_numpy() == pytest.approx(expected.mean().to_numpy(), abs=0.03)
    assert found.scores.std().to_numpy() == pytest.approx(expected.std().to_numpy(), rel=0.15)


def test_units_of_one_comparison_are_comparisons():
    table = tournament(4).assign(judge=lambda t: [f"j{k}" for k in range(len(t))])
    one = bootstrap.bootstrap(table, "bojar", unit="comparison", n_resamples=3000, rng=rng())
    other = bootstrap.bootstrap(table, "bojar", unit="judge", n_resamples=3000, rng=rng())
    assert one.n_units == other.n_units == 200
    ratio = one.scores.std() / other.scores.std()
    assert ratio.to_numpy() == pytest.approx(np.ones(4), abs=0.05)


def test_resampling_judges_who_differ_widens_the_intervals():
    table = tournament(6, games=2000, judges=12)
    width = [
        bootstrap.bootstrap(
            table, "bradley-terry", unit=unit, n_resamples=500, rng=rng()
        ).scores.std()
        for unit in ("comparison", "judge")
    ]
    assert (width[1] > 1.3 * width[0]).all()


@pytest.mark.parametrize("method", ["bradley-terry", "trueskill"])
def test_blocks_and_the_order_of_rows_do_not_show(monkeypatch, method):
    table = tournament(2)
    found = [bootstrap.bootstrap(table, method, unit="judge", n_resamples=50, rng=rng())]
    shuffled = table.sample(frac=1, random_state=1)
    shuffled = shuffled.astype(dict.fromkeys(["system_1", "system_2", "judge"], "category"))
    found.append(bootstrap.bootstrap(shuffled, method, unit="judge", n_resamples=50, rng=rng()))
    monkeypatch.setattr(resampled_counts, "DRAWN", 1)
    found.append(bootstrap.bootstrap(table, method, unit="judge", n_resamples=50, rng=rng()))
    for other in found[1:]:
        pd.testing.assert_frame_equal(found[0].scores, other.scores, rtol=1e-9)
        pd.testing.assert_frame_equal(found[0].beats, other.beats)


@few
@given(seed=st.integers(0, 10**6), method=st.sampled_from(["bojar", "soccer", "rao-kupper"]))
def test_with_many_comparisons_the_interval_holds_the_rank(seed, method):
    draw = rng(seed)
    names = [f"s{k}" for k in range(5)]
    rows = [(a, b, *draw.integers(100, 1000, size=3)) for a, b in combinations(names, 2)]
    found = bootstrap.bootstrap(
        counts_of(*rows), method, unit="comparison", n_resamples=200, rng=draw
    ).table
    assert (found["rank_low"] <= found["rank"]).all()
    assert (found["rank"] <= found["rank_high"]).all()


@pytest.mark.parametrize("method", BATCHED)
def test_the_reference_is_not_ranked(method):
    found = bootstrap.bootstrap(
        REAL, method, unit="comparison", n_resamples=20, rng=rng(), reference="_ref"
    )
    systems = [name for name in REAL.systems if name != "_ref"]
    assert sorted(found.table["system"]) == list(found.scores.columns) == systems
    assert found.n_units == (REAL if method == "wmt-official" else REAL.without("_ref")).comparisons


def test_samples_without_a_system_are_told():
    counts = counts_of(("a", "b", 20, 10, 0), ("a", "c", 1, 0, 0))
    found = bootstrap.bootstrap(
        counts, "bradley-terry", unit="comparison", n_resamples=300, rng=rng()
    )
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
    found = bootstrap.bootstrap(counts, "mfas", unit="comparison", n_resamples=10, rng=rng())
    assert found.beats.loc["b", "c"] == 0.5
    assert found.table["rank"].tolist() == [1, 2, 3]
    assert found.table["rank_high"].tolist() == [1, 2, 2]
    assert found.table["score_low"].isna().all()


@pytest.mark.parametrize(
    ("method", "settings_", "said"),
    [
        ("bojar", {"unit": "judge"}, "unit is 'judge'; expected comparison"),
        ("bojar", {"n_resamples": 1}, "1 resample(s); expected two or more"),
        ("bojar", {"coverage": 1.0}, "coverage is 1.0; expected a share between 0 and 1"),
        ("irt-gaussian", {}, "irt-gaussian is not resampled: each fit takes seconds; "),
        ("z-score", {}, "z-score does not rank counts; "),
    ],
)
def test_what_cannot_be_resampled_is_refused(method, settings_, said):
    options = {"unit": "comparison", "n_resamples": 10, "rng": rng(), **settings_}
    with pytest.raises(DataError, match="^" + re.escape(said)):
        bootstrap.bootstrap(REAL, method, **options)


def test_one_judge_cannot_be_resampled():
    table = judged_by(("a", "b", 1, 3, "x"))
    with pytest.raises(DataError, match=r"^1 judge\(s\) to draw from; expected two or more$"):
        bootstrap.bootstrap(table, "bojar", unit="judge", n_resamples=9, rng=rng())
    with pytest.raises(DataError, match=r"^unit is 'segment'; expected comparison, judge$"):
        bootstrap.bootstrap(table, "bojar", unit="segment", n_resamples=9, rng=rng())


@pytest.mark.parametrize("method", ["z-score", "raw-score"])
@pytest.mark.parametrize("unit", ["hit", "worker"])
def test_resampling_a_campaign(method, unit):
    found = bootstrap.bootstrap(campaign(2), method, unit=unit, n_resamples=40, rng=rng())
    again = bootstrap.bootstrap(campaign(2), method, unit=unit, n_resamples=40, rng=rng())
    pd.testing.assert_frame_equal(found.table, again.table)
    assert found.scores.shape == (40, 4)
    assert (found.table["rank_low"] <= found.table["rank"]).all()
    assert found.n_units == (12 if unit == "worker" else found.n_units)
    spread = found.scores.mean() - found.ranking.table.set_index("system")["score"]
    assert np.abs(spread / found.scores.std()).max() < 1
    fewer = bootstrap.bootstrap(
        campaign(2), method, unit=unit, n_resamples=5, rng=rng(), reference="s0"
    )
    assert list(fewer.scores.columns) == ["s1", "s2", "s3"]


def test_a_campaign_has_hits_and_workers():
    with pytest.raises(DataError, match=r"^unit is 'judge'; expected hit or worker|^resampling"):
        bootstrap.bootstrap(campaign(1), "z-score", unit="judge", n_resamples=3, rng=rng())


def test_a_frame_of_a_ranking_is_left_alone():
    found = bootstrap.bootstrap(REAL, "bojar", unit="comparison", n_resamples=5, rng=rng())
    assert isinstance(found.ranking, Ranking)
    assert list(found.ranking.table.columns) == ["system", "rank", "score"]


@pytest.mark.realdata
def test_rankings_of_wmt12_resampled_by_what_was_collected(mirror):
    comparisons = ranking_releases.load_comparisons("wmt12", "de-en", source="mirror")
    table = counted_by(comparisons, "judge", "segment", "ranking")
    assert table["count"].sum() == len(comparisons)
    error = {}
    for unit in ("comparison", "ranking", "segment", "judge"):
        found = bootstrap.bootstrap(table, "bradley-terry", unit=unit, n_resamples=300, rng=rng())
        assert (found.table["rank_low"] <= found.table["rank"]).all()
        assert (found.table["rank"] <= found.table["rank_high"]).all()
        error[unit] = found.scores.std().mean()
    assert error["ranking"] > 1.2 * error["comparison"]
    assert error["judge"] > 1.2 * error["comparison"]
    counts = ranking_releases.load_counts("wmt12", "de-en", source="mirror")
    assert methods.rank(counts, "bradley-terry", reference=None).order == found.ranking.order
