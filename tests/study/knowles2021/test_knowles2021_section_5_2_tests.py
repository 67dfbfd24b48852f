"""Section 5.2 of Knowles (2021), tested: by hand, and on made-up campaigns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_knowles2021_section_5_1 import judged

from examples import drawn, rng
from study import campaigns
from study.data import sources
from study.knowles2021 import section_5_2, section_5_2_tests
from study.knowles2021.section_5_2 import perturb
from wmtlib import removals
from wmtlib.core.assessments import encode


@pytest.fixture(scope="module")
def releases():
    data = sources.Source("embedded", "")
    return [
        campaigns.load_release(c, p, source=data)
        for c, p in campaigns.simulated()
        if p != "qa-qd"
    ]


def battery(*counts):
    """Rows (step, style, changed, of)."""
    rows = [
        {"kind": kind, "style": style, **dict.fromkeys(removals.CHANGES, k < changed)}
        for kind, style, changed, number in counts
        for k in range(number)
    ]
    return pd.DataFrame(rows).assign(what="x", paper=False, judgements=0.1)


def test_style_tests_by_hand():
    # Fisher for 0 of 4 against 4 of 4: 2 / C(8, 4).
    rows = battery(
        ("remove humans", "SR-DC", 0, 4),
        ("remove humans", "SR+DC", 4, 4),
        ("remove best", "SR-DC", 2, 4),
        ("remove best", "SR+DC", 2, 4),
    )
    found = section_5_2_tests.style_tests(
        section_5_2_tests.out_of_sample(rows)
    ).set_index(["step", "change"])
    first = found.loc[section_5_2_tests.PRIMARY]
    assert first[["SR-DC", "SR+DC", "difference"]].tolist() == ["0/4", "4/4", 1]
    assert first["p"] == pytest.approx(2 / 70) and first["holm"] == first["p"]
    assert found["primary"].sum() == 1
    # Two more tests with 2/70, three with 1: five in the family.
    assert found.loc[("remove humans", "cluster"), "holm"] == pytest.approx(5 * 2 / 70)
    assert found.loc[("remove best", "rank"), ["p", "holm"]].tolist() == [1, 1]


def test_observed_reversals_are_those_of_the_battery(releases):
    found, again = (
        section_5_2_tests.random_reversals(releases, n_resamples=5, seed=[1])
        for _ in range(2)
    )
    assert len(found) == 5
    assert all(table.equals(again[name]) for name, table in found.items())
    for r, moved in zip(releases, found["observed"]["reversed"], strict=True):
        rows = perturb(r.coded, humans=r.humans)
        assert rows["kendall"].iloc[0] == moved


def test_against_random_by_hand():
    observed = pd.DataFrame({"style": ["SR+DC"] * 3, "reversed": [3, 2, 4]})
    draws = pd.DataFrame([[1, 1, 1, 1], [1, 1, 1, 1], [1, 3, 1, 3]])

    def against(draws):
        drawn = dict.fromkeys(map(", ".join, section_5_2_tests.RANDOM), draws)
        return section_5_2_tests.against_random({"observed": observed, **drawn})

    found = against(draws)
    first = found.iloc[0]
    assert first["observed"] == 9 and first["expected"] == 4  # sums 3, 5, 3, 5
    # Differences 2, 1 and 2: mean 5/3, standard error 1/3, t(2) 4.303 and 2.920.
    assert first["difference"] == pytest.approx(5 / 3)
    assert first["low"] == pytest.approx(5 / 3 - 4.3027 / 3, abs=1e-3)
    assert first["most"] == pytest.approx(5 / 3 + 2.9200 / 3, abs=1e-3)
    assert (
        first["p"] == 1 / 5 == first["holm"] and first["primary"] and not first["alike"]
    )
    assert found["holm"].iloc[1] == pytest.approx(3 / 5)
    facts = section_5_2_tests.beyond_chance(found.assign(high=range(4)))
    assert facts["low"]["as judged"] == first["low"]
    assert facts["high"]["document runs"] == 1
    assert facts["high"]["single judgements"] == 2
    # Far fewer than at random is not alike either; just as many is.
    assert not against(draws + 6)["alike"].any()
    assert against(pd.DataFrame([[3, 3], [2, 2], [4, 4]]))["alike"].all()


def test_runs_by_hand():
    frame = judged("""
h1 w1 A SYSTEM d1 1 80
h1 w1 A SYSTEM d1 2 80
h1 w1 A REPEAT d1 2 80
h1 w1 A REF d1 2 99
h1 w1 B SYSTEM d1 1 80
h2 w1 A SYSTEM d1 1 80
h1 w1 A SYSTEM d2 1 80
h1 w2 B SYSTEM - 1 80
h1 w2 B SYSTEM - 2 80
""")
    runs = section_5_2_tests.document_runs(encode(frame))
    # A repeat is in the run; alone are quality control, another system, HIT or
    # document, and each judgement whose document is not known.
    assert runs[0] == runs[1] == runs[2]
    assert len(set(runs[2:])) == 7


@given(st.integers(0, 5), st.integers(0, 100), st.integers(0, 100))
@settings(max_examples=20)
def test_random_rows_are_as_many_in_whole_runs(seed, in_runs, one_by_one):
    runs = section_5_2_tests.document_runs(encode(drawn(seed, size=400)))
    number = {"in_runs": in_runs, "one_by_one": one_by_one, "n_resamples": 3}
    for rows in section_5_2_tests.random_rows(runs, rng=rng(seed), **number):
        assert abs(rows.sum() - in_runs - one_by_one) <= np.bincount(runs).max() / 2
        if not one_by_one:
            assert all(len(set(rows[runs == k])) == 1 for k in set(runs))


def test_outlier_values_by_hand():
    columns = {"rank": [3, 1, 3, 0], "cluster": [0, 0, 1, 0]}
    facts = section_5_2_tests.outlier_values(pd.DataFrame(columns), pairs=12)["K-A-01"]
    assert facts["p"].tolist() == [0.5, 1.0]
    assert facts["random"]["rank"] == pytest.approx(4 / 3)


def test_removals_and_random_removals_of_made_up_campaigns(releases):
    changed = section_5_2_tests.changed_at_random(releases[:2], n_resamples=2, seed=[1])
    assert changed.index.tolist() == [0, 1, 2]
    again = section_5_2_tests.changed_at_random(releases[:2], n_resamples=2, seed=[1])
    assert changed.equals(again) and changed.to_numpy().max() <= 2


def test_causes_need_the_raw_files_and_join_removals_with_chance(monkeypatch):
    changed = pd.DataFrame({"rank": [3, 1], "cluster": [0, 0]})
    rows = {"style": ["SR+DC"] * 4, "difference": 1.0, "low": 0.5, "high": 1.5}
    study = section_5_2.Study([], pd.DataFrame({"pair": []}), pd.DataFrame())
    known = {"K-9-01": {"share": 0.5}, "divided": 2}
    monkeypatch.setattr(section_5_2_tests, "removal_values", lambda *_: known)
    monkeypatch.setattr(section_5_2_tests, "paper_releases", lambda *_: [])

    def facts(route):
        source = sources.Source(route, "")
        return section_5_2_tests.cause_values(
            study, changed, pd.DataFrame(rows), source=source
        )

    assert facts("embedded") == {}
    found = facts("mirror")
    assert found["divided"] == 2 and found["K-A-01"]["pairs"] == 0
    assert found["K-9-01"]["share"] == 0.5
    assert found["K-9-01"]["low"]["document runs"] == 0.5
