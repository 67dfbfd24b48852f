"""Section 6 of Lopez (2012): sources of error."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from test_lopez2012_section_2 import assessed

from study.lopez2012 import section_2, section_6
from wmtlib.core.counts import comparisons


def test_systems_of_one_site_are_good_on_the_same_sentences():
    # x-1 and x-2 beat y and z on even sentences and lose on odd ones; y and z are
    # always equal.
    even = {"x-1": 1, "x-2": 1, "y": 2, "z": 2}
    odd = {"x-1": 2, "x-2": 2, "y": 1, "z": 1}
    rows = assessed(*[("j", s, odd if s % 2 else even) for s in range(24)])

    def covariance(rows):
        sides = section_2.sides(comparisons(rows))
        return section_6.covariance(section_2.pair_sentences(sides))

    table = covariance(rows)
    assert table["site"].tolist() == [True, *[False] * 5]
    assert table["correlation"].round(9).tolist() == [1, -1, -1, -1, -1, 1]
    assert not len(covariance(rows.replace("x-2", "w")))


@pytest.mark.parametrize("by_document, low, high", [(True, 0, 0.01), (False, 0.2, 1)])
def test_documents_that_favour_a_system_are_seen(by_document, low, high):
    # 20 samples of three sentences in two documents; a wins in one and loses in the
    # other, or wins every second sample whatever its document.
    samples = [s for start in range(0, 80, 4) for s in (start, start + 1, start + 2)]
    wins = [s < 40 if by_document else s // 4 % 2 == 0 for s in samples]
    rows = [
        ("j", s, {"a": 2 - w, "b": 1 + w}) for s, w in zip(samples, wins, strict=True)
    ]
    documents = pd.Series({s: "first" if s < 40 else "second" for s in samples})
    rows = assessed(*rows)
    p = section_6.document_effects(
        section_2.sides(comparisons(rows)),
        section_2.screens(rows)["sample"],
        documents,
    )
    assert low < p["2010 Czech-English"] <= high


def test_random_sets_of_outputs_repeat_by_chance():
    assessments = pd.DataFrame({"label": "task", "system": ["a", "b", "c"]})
    screens = pd.DataFrame({"label": "task", "segment": [1, 1, 1, 2], "outputs": 2})
    # Three sets of two: the second repeats the first with 1/3, the third with 1 - 4/9.
    expected = section_6.repeats_by_chance(assessments, screens)
    assert expected == pytest.approx(1 / 3 + 5 / 9)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=20)
)
def test_the_sign_test_is_that_of_scipy(pairs):
    wins, losses = np.array(pairs).T
    for p, w, n in zip(
        section_6.sign_test(wins, losses), wins, wins + losses, strict=True
    ):
        if n:
            assert p == pytest.approx(stats.binomtest(int(w), int(n)).pvalue)
        else:
            assert np.isnan(p)
