"""Fitted designs: a known design is found again, and the constants are those of real campaigns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from wmtlib.releases import assessment_releases
from wmtlib.simulation import simulate
from wmtlib.simulation.design_fit import fit_design
from wmtlib.simulation.designs import WITH_CONTEXT, Design
from wmtlib.simulation.variance_estimates import describe_scores


def run(design, seed):
    return simulate.campaign(design, np.random.default_rng(seed))


def test_a_design_is_found_again_from_its_campaign():
    hidden = Design(systems=12, documents=150, judgements=20_000, workers=200)
    seen = run(hidden, 4).assessments
    found = fit_design(seen, seeds=[0, 1])
    again = run(replace(found, systems=12, documents=150, judgements=20_000, workers=200), 5)
    real, simulated = describe_scores(seen), describe_scores(again.assessments)
    close = {
        "mean": 4,
        "sd": 2,
        "hundreds": 0.03,
        "zeros": 0.01,
        "worker_sd": 2,
        "worker_log_sd": 0.06,
    }
    for name, tolerance in close.items():
        assert simulated[name] == pytest.approx(real[name], abs=tolerance), name
    for name in ("residual", "segment", "leniency"):
        assert getattr(found, name) == pytest.approx(getattr(hidden, name), rel=0.3), name


WMT17 = [("wmt17", pair) for pair in ("de-en", "ru-en", "cs-en")]
WMT21_22 = [("wmt21", "cs-en"), ("wmt21", "de-en")]
WMT21_22 += [("wmt22", pair) for pair in ("cs-en", "de-en", "ja-en")]
LIKE = [
    pytest.param({}, WMT17, id="defaults"),
    pytest.param(WITH_CONTEXT, WMT21_22, id="with context", marks=pytest.mark.slow),
]


@pytest.mark.realdata
@pytest.mark.parametrize(("settings", "campaigns"), LIKE)
def test_the_constants_are_those_of_real_campaigns(mirror, settings, campaigns):
    fits = []
    for name, pair in campaigns:
        real = assessment_releases.load_assessments(name, pair)
        protocol = "SR+DC" if settings else "SR-DC"
        design = fit_design(real, seeds=range(3), protocol=protocol)
        fits.append(design)
        # Other seeds, and the campaign's own size: raw scores still look alike.
        size = {"judgements": len(real), "workers": real["worker"].nunique(), "systems": 10}
        found = [run(replace(design, **size), seed).assessments for seed in range(10, 14)]
        simulated, seen = (
            pd.DataFrame([describe_scores(a) for a in found]).mean(),
            describe_scores(real),
        )
        close = {"mean": 4, "sd": 2, "worker_sd": 2, "worker_log_sd": 0.06, "ref": 2, "bad_ref": 3}
        close |= {"hundreds": 0.03, "zeros": 0.02, "ref_sd": 3, "bad_ref_sd": 2}
        for what, tolerance in close.items():
            assert simulated[what] == pytest.approx(seen[what], abs=tolerance), (pair, what)
    for field in [*WITH_CONTEXT]:
        mean = np.mean([getattr(design, field) for design in fits])
        tolerance = 0.006 if field == "log_scale" else 0.06
        assert getattr(Design(**settings), field) == pytest.approx(mean, abs=tolerance), field
