"""Kappa and alpha: by hand, the long way, and what does not change them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from examples import rng, scored, tournament
from wmtlib import agreement, zscores
from wmtlib.agreement import measures, tallies
from wmtlib.core.assessments import encode
from wmtlib.core.counts import SWAPPED
from wmtlib.core.sampling import blocks

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
    sums = tallies(FRAME)
    assert sums.iloc[0].to_dict() == {
        "comparisons": 6,
        "ties": 1,
        # j1-j2 agree; j1-j3, j2-j3, j2-j1', j3-j1' do not; j1-j1' do not.
        "inter_pairs": 5,
        "inter_agreeing": 1,
        "intra_pairs": 1,
        "intra_agreeing": 0,
        # One item with three judges, two of its three pairs disagree: 2 / (3 - 1) * 2.
        "values": 3,
        "tied_values": 1,
        "disagreement": 2,
    }
    found = measures(sums).iloc[0]
    chance = (1 / 6) ** 2 + 2 * (5 / 12) ** 2
    assert found["inter"] == 1 / 5
    assert found["inter_kappa"] == pytest.approx((1 / 5 - chance) / (1 - chance))
    assert found["intra_kappa"] == pytest.approx((0 - chance) / (1 - chance))
    # Three values, one a tie and one each a win and a loss: no two of them are alike by
    # chance.
    assert found["alpha"] == pytest.approx(1 - (2 / 3) / 1)


def test_krippendorffs_alpha_of_two_coders_by_hand():
    # Two judges, ten items: a tie of both on four, of one on two, a win of both on two
    # and a loss of both on two. D(o) = 2/10. Of twenty values ten are ties, so ten are
    # five wins and five losses: D(e) = 1 - (10*9 + 2*5*4) / (20*19).
    given_by = {
        "j": [0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
        "k": [0, 0, 0, 0, 2, 0, 1, 1, 2, 2],
    }
    rows = [
        ("t", k, j, "a", "b", said)
        for j, every in given_by.items()
        for k, said in enumerate(every)
    ]
    found = measures(tallies(pd.DataFrame(rows, columns=COLUMNS))).iloc[0]
    assert found["alpha"] == pytest.approx(
        1 - 0.2 / (1 - (10 * 9 + 2 * 5 * 4) / (20 * 19))
    )
    assert found["inter_kappa"] == pytest.approx((0.8 - 0.375) / (1 - 0.375))
    assert np.isnan(found["intra"])


ANSWER = st.tuples(
    st.integers(1, 2), st.sampled_from("jkl"), st.integers(0, 2), st.booleans()
)


@given(st.lists(ANSWER, min_size=1, max_size=12))
def test_neither_the_side_nor_the_order_of_rows_matters(answers):
    rows = [
        ("t", segment, judge, "a", "b", said) for segment, judge, said, _ in answers
    ]
    frame = pd.DataFrame(rows, columns=COLUMNS).drop_duplicates(["segment", "judge"])
    turned = np.array([answer[-1] for answer in answers])[frame.index]
    other = frame.copy()
    other.loc[turned, ["system_1", "system_2"]] = ["b", "a"]
    other.loc[turned, "preference"] = SWAPPED[frame.loc[turned, "preference"]]
    other = other.iloc[::-1].reset_index(drop=True)
    assert_frame_equal(tallies(frame), tallies(other))


@pytest.mark.parametrize("twice", [False, True])
def test_alpha_of_scores_the_long_way(twice):
    frame = scored(4, twice=twice)
    z = zscores.standardised(encode(frame))
    output = ["system", "segment"]
    first_scores = frame.assign(z=z).drop_duplicates([*output, "worker"])
    groups = first_scores.groupby(output)["z"]
    outputs = [x.to_numpy() for _, x in groups if len(x) > 1]
    every = np.concatenate(outputs)
    within = [((x[:, None] - x) ** 2).sum() / (len(x) - 1) for x in [*outputs, every]]
    alpha = 1 - sum(within[:-1]) / within[-1]
    found = agreement.agreement(encode(frame), n_resamples=200)
    assert found["measure"].tolist() == ["alpha"]
    assert found["value"].tolist() == pytest.approx([alpha])
    assert found["low"].item() < alpha < found["high"].item()


def test_agreement_of_comparisons_is_that_of_the_measures():
    frame = tournament(5, games=600).assign(
        segment=lambda x: [f"{k % 9}" for k in range(len(x))]
    )
    found = agreement.agreement(frame, n_resamples=100, seed=1).set_index("measure")
    expected = measures(tallies(frame)).iloc[0]
    pd.testing.assert_series_equal(found["value"], expected, check_names=False)
    by_segment = tallies(frame, ["segment"])
    drawn = []
    for size, own in blocks(100, rng()):
        for times in own.multinomial(9, np.full(9, 1 / 9), size):
            drawn.append(measures(by_segment.mul(times, axis=0).sum().to_frame().T))
    ends = pd.concat(drawn).quantile([0.025, 0.975]).T.to_numpy()
    np.testing.assert_allclose(found[["low", "high"]].to_numpy(), ends)
