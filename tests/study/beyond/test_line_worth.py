"""Chances that printed lines are printed again."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from examples import rng
from study.beyond import line_worth


def test_explained_by_is_the_kind_of_protocol_and_z_of_one_side():
    protocol = pd.Series(["RR", "DA by HIT", "ESA", "DA SR+DC"])
    x = line_worth.explained_by(protocol, pd.Series([0.025, 0.5, 0.0, 1e-4]))
    assert x[:, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert x[:, 3] == pytest.approx([1.96, 0, 3.719, 3.719], abs=1e-3)


def test_fit_gives_the_shares_of_protocols_without_p():
    x = np.zeros((300, 4))
    x[:100, 0] = x[100:200, 1] = x[200:, 2] = 1
    again = np.r_[np.arange(100) < 90, np.arange(100) < 50, np.arange(100) < 20]
    found = line_worth.fit(x, again, np.ones(300))
    assert expit(found[:3]) == pytest.approx([0.9, 0.5, 0.2], abs=0.005)
    # Lines of 100 to 200 counted not at all, the others twice.
    times = 2.0 * (x[:, 1] == 0)
    assert line_worth.fit(x, again, times)[1] == pytest.approx(0, abs=1e-3)


def test_fit_finds_what_lines_were_made_with():
    made = np.array([-1.0, 0.5, -2, 1.5])
    protocol = pd.Series(["RR", "DA SR-DC", "MQM"] * 3000)
    x = line_worth.explained_by(protocol, pd.Series(rng(1).uniform(0, 0.2, 9000)))
    again = rng(2).random(9000) < expit(x @ made)
    found = line_worth.fit(x, again, np.ones(9000))
    assert found == pytest.approx(made, abs=0.25)


def test_fit_of_lines_that_all_come_again_is_finite():
    x = line_worth.explained_by(pd.Series(["RR"] * 9), pd.Series([0.01] * 9))
    found = expit(x @ line_worth.fit(x, np.ones(9), np.ones(9)))
    assert 0.95 < found[0] < 1 and logit(found[0]) < 30
