"""Fitted designs: campaigns of the design that is found look like those that it was fitted to."""

import pandas as pd
import pytest

from wmtlib.study.simulation import design_fit
from wmtlib.study.simulation.designs import calibrated

SMALL = {"systems": 8, "documents": 60, "judgements": 8000, "workers": 60}
# Tolerances: absolute for shares and logarithms, else relative.
SHARES = {"hundreds": 0.02, "zeros": 0.01, "log_scale": 0.06, "workload": 0.15}


def test_the_typical_campaign_has_whole_numbers_of_systems():
    table = pd.DataFrame({k: [1.0, 2.0] for k in [*design_fit.SIZES, "mean"]})
    found = design_fit.typical(table)
    assert found["systems"] == 2 and found["mean"] == 1.5 and found["document_length"] == 1.5


def test_a_trial_spreads_the_true_qualities_evenly():
    qualities = pd.Series(design_fit.trial(calibrated("SR-DC", system=3.0)).qualities)
    assert qualities.std() == pytest.approx(3) and qualities.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("style", ["SR-DC", "SR+DC"])
def test_a_fitted_design_gives_the_numbers_it_was_fitted_to(style):
    hidden = design_fit.trial(calibrated(style, **SMALL, mean=70.0, leniency=12.0, residual=15.0))
    target = design_fit.typical(design_fit.simulated(hidden, range(20, 26)))
    fitted = design_fit.fit_design(target, protocol=style, seeds=range(4), n_corrections=10)
    assert (fitted.systems, fitted.judgements, fitted.protocol) == (8, 8000, style)
    found = design_fit.simulated(design_fit.trial(fitted), range(40, 46)).mean()
    for name in ("mean", "sd", "segment", "residual", "leniency", *SHARES):
        close = SHARES.get(name, 0.15 * target[name])
        assert found[name] == pytest.approx(target[name], abs=close), name
