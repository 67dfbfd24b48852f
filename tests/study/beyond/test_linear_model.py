"""The linear model of systems and documents beside sums by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from examples import rng
from study.beyond import linear_model


def test_effects_of_complete_documents_are_differences_of_means():
    document, system = np.indices((12, 3)).reshape(2, -1)
    values = pd.DataFrame({"document": document, "system": system})
    values["z"] = rng(3).normal(size=len(values)) + document
    effect, adds = linear_model.system_effects(values, 3)
    mean = values.groupby("system")["z"].mean().to_numpy()
    assert effect - effect[0] == pytest.approx(mean - mean[0])
    assert adds.sum(axis=0) == pytest.approx(0)


def test_p_of_complete_documents_is_nearly_that_of_the_paired_t_test():
    scores = rng(4).normal(size=(40, 2)) + rng(5).normal(size=(40, 1))
    document, system = np.indices(scores.shape).reshape(2, -1)
    values = pd.DataFrame({"document": document, "system": system, "z": scores.ravel()})
    fit = linear_model.system_effects(values, 2)
    p = linear_model.effects_p(*fit, values["document"])
    paired = stats.ttest_rel(*scores.T, alternative="greater").pvalue
    assert p[0, 1] == pytest.approx(paired, abs=1e-9)
    assert p[0, 1] + p[1, 0] == pytest.approx(1) and np.isnan(p[0, 0])
