"""Agreement by hand, and what does not change it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import agreement
from wmtlib.counts import SWAPPED

COLUMNS = ["task", "segment", "judge", "system_1", "system_2", "preference"]
ROWS = [
    ("t", 1, "j1", "a", "b", 1),
    ("t", 1, "j2", "b", "a", 2),  # the same preference, shown the other way round
    ("t", 1, "j3", "a", "b", 0),
    ("t", 1, "j1", "a", "b", 2),  # the first judge again
    ("t", 2, "j1", "a", "b", 1),  # another segment: nobody to agree with
    ("u", 1, "j2", "a", "b", 1),  # another task
]
FRAME = pd.DataFrame(ROWS, columns=COLUMNS)


def test_sums_and_coefficients_by_hand():
    sums = agreement.tallies(FRAME)
    assert sums.iloc[0].to_dict() == {
        "comparisons": 6,
        "ties": 1,
        # j1-j2 agree; j1-j3, j2-j3, j2-j1', j3-j1' do not; j1-j1' do not.
        **{"inter_pairs": 5, "inter_agreeing": 1, "intra_pairs": 1, "intra_agreeing": 0},
        # One item with three judges, two of its three pairs disagree: 2 / (3 - 1) * 2.
        **{"values": 3, "tied_values": 1, "disagreement": 2},
    }
    found = agreement.measures(sums).iloc[0]
    chance = (1 / 6) ** 2 + 2 * (5 / 12) ** 2
    assert found["inter"] == 1 / 5
    assert found["inter_kappa"] == pytest.approx((1 / 5 - chance) / (1 - chance))
    assert found["intra_kappa"] == pytest.approx((0 - chance) / (1 - chance))
    # Three values, one a tie and one each a win and a loss: no two of them are alike by chance.
    assert found["alpha"] == pytest.approx(1 - (2 / 3) / 1)


def test_krippendorffs_alpha_of_two_coders_by_hand():
    # Two judges, ten items: a tie of both on four, of one on two, a win of both on two and a loss
    # of both on two. D(o) = 2/10. Of twenty values ten are ties, so ten are five wins and five
    # losses: D(e) = 1 - (10*9 + 2*5*4) / (20*19).
    first, second = [0] * 4 + [0, 1] + [1] * 2 + [2] * 2, [0] * 4 + [2, 0] + [1] * 2 + [2] * 2
    rows = [
        ("t", segment, judge, "a", "b", preference)
        for judge, given_by in (("j", first), ("k", second))
        for segment, preference in enumerate(given_by)
    ]
    found = agreement.measures(agreement.tallies(pd.DataFrame(rows, columns=COLUMNS))).iloc[0]
    assert found["alpha"] == pytest.approx(1 - 0.2 / (1 - (10 * 9 + 2 * 5 * 4) / (20 * 19)))
    assert found["inter_kappa"] == pytest.approx((0.8 - 0.375) / (1 - 0.375))
    assert np.isnan(found["intra"])


def test_agreement_of_nobody_is_not_a_number():
    assert agreement.measures(agreement.tallies(FRAME.iloc[[0]])).isna().all(axis=None)


def test_tallies_of_parts_add_up():
    by_segment = agreement.tallies(FRAME, ["task", "segment"])
    assert len(by_segment) == 3
    pd.testing.assert_series_equal(
        by_segment.sum(), agreement.tallies(FRAME).iloc[0], check_names=False, check_dtype=False
    )


judged = st.lists(
    st.tuples(
        st.just("t"),
        st.integers(1, 2),
        st.sampled_from("jkl"),
        *(st.just(s) for s in "ab"),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=12,
)


@given(judged, st.data())
def test_neither_the_side_nor_the_order_of_rows_matters(rows, data):
    frame = pd.DataFrame(rows, columns=COLUMNS).drop_duplicates(["segment", "judge"])
    turned = data.draw(st.lists(st.booleans(), min_size=len(frame), max_size=len(frame)))
    other = frame.copy()
    other.loc[turned, ["system_1", "system_2"]] = ["b", "a"]
    other.loc[turned, "preference"] = SWAPPED[frame.loc[turned, "preference"]]
    pd.testing.assert_frame_equal(
        agreement.tallies(frame), agreement.tallies(other.iloc[::-1].reset_index(drop=True))
    )


@given(judged)
def test_full_agreement_is_one(rows):
    frame = pd.DataFrame(rows, columns=COLUMNS).assign(preference=1)
    found = agreement.measures(agreement.tallies(frame)).iloc[0].dropna()
    assert np.allclose(found[found.index != "alpha"], 1)
    assert np.allclose(found.get("alpha", 1), 1)
