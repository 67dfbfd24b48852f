"""Tests and their corrections: by hand, against SciPy, and what must hold for any judgements."""

import numpy as np
import pytest
from hypothesis import settings
from judged import campaign, counts_of, rng, tournament
from scipy import stats

from wmtlib import cluster_lines as significance
from wmtlib import ranking as methods
from wmtlib import resampling as bootstrap
from wmtlib import zscores
from wmtlib.cluster_lines import rank_campaign
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.study.releases import ranking_releases

few = settings(max_examples=settings().max_examples * 2 // 5)


def test_significance_by_hand():
    counts = counts_of(("a", "b", 9, 1, 7), ("a", "c", 10, 0, 0), ("b", "c", 0, 0, 5))
    table = significance.significance(counts, ["a", "c", "b"], correction="holm")
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
    found = significance.groups(table, ["a", "c", "b"])
    assert found["line"].tolist() == [True, False, False]
    assert found["cluster"].tolist() == [1, 2, 2]
    assert found["wins"].tolist() == [2, 0, 0]
    assert significance.groups(table, ["a", "c", "b"], alpha=0.01)["line"].sum() == 0


def test_a_system_that_is_beaten_from_below_gets_no_line():
    counts = counts_of(("a", "b", 0, 50, 0), ("a", "c", 50, 0, 0), ("b", "c", 50, 0, 0))
    order = ["a", "b", "c"]  # whatever method said so
    found = significance.groups(significance.significance(counts, order), order)
    assert found["line"].tolist() == [False, True, False]
    assert found["wins"].tolist() == [1, 2, 0]


def test_significance_from_resampling():
    table = tournament(5, systems=3, games=900, judges=40)
    found = bootstrap.bootstrap(table, "bradley-terry", unit="judge", n_resamples=199, rng=rng())
    order = found.ranking.order
    tested = significance.significance(found, order, correction="none")
    for row in tested.itertuples():
        beats = found.beats.loc[row.above, row.below]
        k = min(beats, 1 - beats) * 199
        assert row.p == pytest.approx(min(1, 2 * (k + 1) / 200))
        assert row.ahead == (row.above if beats > 0.5 else row.below if beats < 0.5 else "")
    assert "wins" not in tested


@pytest.mark.parametrize("score", ["z", "raw"])
def test_significance_of_assessments(score):
    found = campaign(3)
    order = rank_systems(found).order
    table = significance.significance(found, order, correction="none", score=score)
    means = zscores.segment_means(found)
    for row in table.itertuples():
        x, y = (means.loc[means["system"] == s, score] for s in (row.above, row.below))
        expected = stats.mannwhitneyu(x, y, method="asymptotic")
        assert row.p == pytest.approx(expected.pvalue)
        half = len(x) * len(y) / 2
        ahead = row.above if expected.statistic > half else row.below
        assert row.ahead == ("" if expected.statistic == half else ahead)
    if score == "z":
        plain = rank_campaign(found, test="two-sided", rule="footnote-4")
        assert significance.groups(table, order)["line"].tolist() == plain.lines.tolist()


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
        significance.significance(counts_of(("a", "b", 1, 2, 3)), order, **options)


@pytest.mark.realdata
def test_the_stricter_the_correction_the_fewer_the_lines_of_wmt12(mirror):
    counts = ranking_releases.load_counts("wmt12", "de-en", source="mirror")
    order = methods.rank(counts, "bradley-terry", reference=None).order
    lines = [
        significance.groups(significance.significance(counts, order, correction=name), order)[
            "line"
        ].sum()
        for name in ("none", "benjamini-hochberg", "holm")
    ]
    assert lines == sorted(lines, reverse=True) and lines[-1] >= 1
