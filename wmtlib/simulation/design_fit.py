"""Designs whose simulated scores look like the scores of a real campaign.

The defaults of `designs.Design` are means of what `fit_design` gives, with seeds 0 to 2, for
de-en, ru-en and cs-en of WMT17 (without document context; the human's quality is not fitted), and
`designs.WITH_CONTEXT` for cs-en and de-en of WMT21 and cs-en, de-en and ja-en of WMT22.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.simulation.designs import Design
from wmtlib.simulation.simulate import campaign
from wmtlib.simulation.variance_estimates import EFFECTS, describe_scores, variance_components

# Where corrections start from, besides the variance components.
START = {
    "softness": 5.0,
    "softness_low": 5.0,
    "ref_quality": 25.0,
    "ref_spread": 5.0,
    "bad_ref_quality": -25.0,
    "bad_ref_spread": 15.0,
}
# So large that its raw scores vary little by the draw of systems and workers.
TRIAL = {"systems": 24, "documents": 150, "judgements": 24_000, "workers": 240, "human": False}


def fit_design(
    assessments: pd.DataFrame, *, seeds: Sequence[int], n_corrections: int = 20, **settings: Any
) -> Design:
    """A design whose simulated raw scores look like those of a real campaign.

    Bending and cutting scores makes every effect look smaller than it is. So, starting from the
    variance components as estimated, campaigns are simulated and the design is corrected until they
    agree with the real one in `variance_estimates.describe_scores`: the mean; the standard
    deviation, by stretching all effects alike; the shares of 100s and 0s, by the softness; the
    spread of workers' means and standard deviations; and the quality control's mean and standard
    deviation.

    Parameters
    ----------
    assessments : DataFrame
        Columns `direct_assessments.ASSESSMENTS`.
    seeds : sequence of int
        Seeds of the simulated campaigns that are averaged, the same for every correction.
    n_corrections : int
    **settings
        Fields of the design that do not concern scores: what is judged, and by what protocol.
    """
    components = variance_components(assessments).fillna(0.0).to_dict()  # not estimated: no effect
    design = Design(**{**components, **START, **settings})
    real = describe_scores(assessments)
    for _ in range(n_corrections):
        trial = replace(design, **TRIAL, qualities=None, calibration_hit=0, normalise="worker")
        made = [campaign(trial, np.random.default_rng(seed)).assessments for seed in seeds]
        design = _corrected(design, real, pd.DataFrame(map(describe_scores, made)).mean())
    return design


def _corrected(design: Design, real: pd.Series, found: pd.Series) -> Design:
    """The design after one correction; what the real campaign does not show stays."""
    off = (real - found).fillna(0.0)
    ratio = (real / found).where(np.isfinite(real / found), 1.0).clip(0.5, 2.0)
    changes = {name: getattr(design, name) * ratio["sd"] for name in (*EFFECTS, "residual")}
    changes["mean"] = design.mean + off["mean"]
    changes["leniency"] = design.leniency * ratio["worker_sd"]
    changes["log_scale"] = design.log_scale * ratio["worker_log_sd"]
    for name, share in (("softness", "hundreds"), ("softness_low", "zeros")):
        changes[name] = float(np.clip(getattr(design, name) / ratio[share] ** 0.5, 0.1, 30.0))
    for name in ("ref", "bad_ref"):
        quality, spread = getattr(design, f"{name}_quality"), getattr(design, f"{name}_spread")
        changes[f"{name}_quality"] = float(np.clip(quality + off[name] - off["mean"], -99, 99))
        changes[f"{name}_spread"] = float(np.clip(spread * ratio[f"{name}_sd"], 0.1, 99.0))
    return replace(design, **changes)
