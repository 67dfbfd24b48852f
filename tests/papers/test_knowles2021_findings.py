"""Findings on stability: intervals by hand, and what must hold of made-up batteries."""

import numpy as np
import pandas as pd
import pytest

from wmtlib import stability
from wmtlib.study.papers import knowles2021_findings as findings
from wmtlib.study.releases import coded_campaigns, sources

CHANGES = stability.CHANGES


@pytest.fixture(scope="module")
def releases():
    data = sources.Source("embedded", "")
    return [
        coded_campaigns.load_release(c, p, source=data)
        for c, p in coded_campaigns.simulated()
        if p != "qa-qd"
    ]


def battery(*counts):
    """Rows (step, style, changed, of)."""
    rows = []
    for kind, style, changed, number in counts:
        for k in range(number):
            about = {"kind": kind, "what": "2" if kind == "divide humans" else "x", "style": style}
            about |= {"paper": False, "judgements": 0.1, "systems": 5, "language_pair": f"p{k}"}
            rows.append(about | {"campaign": style} | dict.fromkeys(CHANGES, k < changed))
    return pd.DataFrame(rows)


def test_what_is_out_of_sample():
    rows = battery(("remove humans", "SR-DC", 1, 2), ("divide humans", "SR+DC", 1, 1))
    rows = pd.concat(
        [
            rows,
            rows.iloc[:1].assign(paper=True),
            rows.iloc[:1].assign(style="mixed"),
            rows.iloc[:1].assign(kind="remove"),
            rows.iloc[:1].assign(judgements=0.0),  # nothing was removed
        ]
    )
    found = findings.out_of_sample(rows)
    assert found["step"].tolist() == ["remove humans", "remove humans", "divide 2"]


def test_style_tests_by_hand():
    # Fisher for 0 of 4 against 4 of 4: 2 / C(8, 4).
    rows = battery(
        ("remove humans", "SR-DC", 0, 4),
        ("remove humans", "SR+DC", 4, 4),
        ("remove best", "SR-DC", 2, 4),
        ("remove best", "SR+DC", 2, 4),
    )
    found = findings.style_tests(findings.out_of_sample(rows)).set_index(["step", "change"])
    first = found.loc[findings.PRIMARY]
    assert first["SR-DC"] == "0/4" and first["SR+DC"] == "4/4" and first["difference"] == 1
    assert first["p"] == pytest.approx(2 / 70) and first["holm"] == first["p"]
    assert found["primary"].sum() == 1
    # Two more tests with 2/70, three with 1: five in the family.
    assert found.loc[("remove humans", "cluster"), "holm"] == pytest.approx(5 * 2 / 70)
    assert found.loc[("remove best", "rank"), ["p", "holm"]].tolist() == [1, 1]


def test_an_interval_holds_the_difference_and_turns_with_the_sides():
    low, difference, high = findings.difference_of_shares(3, 10, 7, 12)
    assert low < difference < high and difference == pytest.approx(3 / 10 - 7 / 12)
    assert findings.difference_of_shares(7, 12, 3, 10) == pytest.approx((-high, -difference, -low))


def test_adjusting_leaves_a_difference_that_the_systems_do_not_explain(releases):
    rows = battery(("remove humans", "SR-DC", 1, 9), ("remove humans", "SR+DC", 8, 9))
    rows = findings.out_of_sample(rows)
    pairs = rows[["campaign", "language_pair", "style"]].assign(
        systems=[5, 6, 7, 8, 9, 5, 6, 7, 8] * 2, spacing=[0.1, 0.2, 0.3] * 6
    )
    rng = np.random.default_rng(0)
    found = findings.adjusted_difference(rows, pairs, n_resamples=200, rng=rng).set_index("value")
    assert found["difference"].to_numpy() == pytest.approx([7 / 9, 7 / 9])
    assert (found["low"] < found["difference"]).all() and (found["low"] > 0.2).all()


def test_pairs_are_described(releases):
    found = findings.describe_pairs(releases)
    assert len(found) == len(releases) and (found["spacing"] > 0).all()
    assert found["judgements"].tolist() == pytest.approx(
        [len(r.coded.score) / len(r.coded.systems) for r in releases]
    )


def test_observed_reversals_are_those_of_the_battery(releases):
    found = findings.reversals(releases, n_resamples=5, seed=[1])
    again = findings.reversals(releases, n_resamples=5, seed=[1])
    for name in ("observed", *findings.RANDOM):
        pd.testing.assert_frame_equal(found[name], again[name])
    for r, moved in zip(releases, found["observed"]["reversed"], strict=True):
        options = {"humans": r.humans, "paired": True, "test": "legacy", "rule": "footnote-4"}
        assert stability.perturb(r.coded, **options)["kendall"].iloc[0] == moved


def test_against_random_by_hand():
    observed = pd.DataFrame({"style": ["SR+DC"] * 3, "reversed": [3, 2, 4]})
    draws = pd.DataFrame([[1, 1, 1, 1], [1, 1, 1, 1], [1, 3, 1, 3]])
    found = findings.against_random({"observed": observed, **dict.fromkeys(findings.RANDOM, draws)})
    first = found.iloc[0]
    assert first["observed"] == 9 and first["expected"] == 4  # sums 3, 5, 3, 5
    # Differences 2, 1 and 2: mean 5/3, standard error 1/3, t(2) 4.303 and 2.920.
    assert first["difference"] == pytest.approx(5 / 3)
    assert first["low"] == pytest.approx(5 / 3 - 4.3027 / 3, abs=1e-3)
    assert first["most"] == pytest.approx(5 / 3 + 2.9200 / 3, abs=1e-3)
    assert first["p"] == 1 / 5 == first["holm"] and first["primary"] and not first["alike"]
    assert found["holm"].iloc[1] == pytest.approx(3 / 5)


def test_documents_are_tested_where_they_are_shared(releases):
    found = findings.document_tests(releases, n_resamples=19, seed=[1])
    assert len(found) == len(releases) and (found["holm"] >= found["p"]).all()


@pytest.mark.realdata
def test_documents_of_one_system_each_are_not_tested(mirror):
    data = sources.resolve("mirror", ["facebook21", "wmt21"])
    pairs = [("facebook21", "bn-hi"), ("wmt21", "cs-en")]
    releases = [coded_campaigns.load_release(c, p, source=data) for c, p in pairs]
    found = findings.document_tests(releases, n_resamples=9, seed=[1])
    assert found["campaign"].tolist() == ["wmt21"]
