"""Designs whose simulated campaigns look like the typical real campaign of a style.

`describe` measures a campaign, real or simulated, by one and the same estimators; `typical` takes
the medians over real campaigns; `fit_design` corrects a design until simulated campaigns give these
medians.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
from scipy import special

from wmtlib.study.simulation.designs import Design
from wmtlib.study.simulation.simulate import campaign
from wmtlib.study.simulation.variance_estimates import EFFECTS, describe_scores, variance_components
from wmtlib.zscores import Campaign

SIZES = ["systems", "documents", "workers", "document_length", "document_spread", "judgements"]
WHOLE = ("systems", "documents", "workers", "judgements")
# Spreads that are stretched until the component of the same name is that of the real campaigns.
STRETCHED = (*EFFECTS, "residual", "leniency", "log_scale")
# Where corrections start from. Bending and cutting hides about a third of every spread.
START = {
    "workload_shape": 0.3,
    "softness": 10.0,
    "softness_low": 3.0,
    "ref_quality": 45.0,
    "ref_spread": 15.0,
    "bad_ref_quality": -25.0,
    "bad_ref_spread": 30.0,
}
HIDDEN = 1.4


def describe(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """A campaign in numbers: its `SIZES`, variance components and distribution of scores.

    Parameters
    ----------
    campaign, without
        As in `variance_estimates.variance_components`; systems that are left out are not counted.
    """
    ranked = ~campaign.is_system(without)
    segments = pd.Series(campaign.documents).value_counts()
    sizes = {
        "systems": int(ranked.sum()),
        "documents": len(segments),
        "workers": len(np.unique(campaign.worker)),
        "document_length": segments.mean(),
        "document_spread": segments.std(),
        "judgements": len(campaign.score),
    }
    parts = [variance_components(campaign, without=without)]
    return pd.concat([pd.Series(sizes), *parts, describe_scores(campaign, without=without)])


def typical(descriptions: pd.DataFrame) -> pd.Series:
    """The median of every number over campaigns, rows of what `describe` gives."""
    found = descriptions.median()
    found[[*WHOLE]] = found[[*WHOLE]].round()
    return found


def fit_design(
    target: pd.Series, *, protocol: str, seeds: Sequence[int], n_corrections: int
) -> Design:
    """A design whose simulated campaigns are described by the target.

    Bending and cutting scores makes every effect look smaller than it is, and estimators have
    errors of their own. So campaigns of the target's size are simulated, described, and the design
    is corrected: each spread in proportion to its component, the mean by the difference, the
    softness by the shares of 100s and 0s, quality control by its mean and standard deviation, the
    workload by its coefficient of variation. The true qualities of the systems are the quantiles
    of a normal distribution in every trial, not draws.

    Parameters
    ----------
    target : Series
        As `typical` gives.
    protocol : str
    seeds : sequence of int
        Seeds of the simulated campaigns that are averaged, the same for every correction.
    n_corrections : int
        The later half of the designs is averaged.

    Returns
    -------
    Design
        Its values rounded to four digits.
    """
    sizes = {k: int(target[k]) if k in WHOLE else float(target[k]) for k in SIZES}
    scores = {k: HIDDEN * max(float(target[k]), 0.5) for k in STRETCHED}
    scores |= {"log_scale": float(target["log_scale"]), "mean": float(target["mean"])}
    design = Design(protocol=protocol, **sizes, **scores, **START)
    found = []
    for _ in range(n_corrections):
        design = _corrected(design, target, simulated(trial(design), seeds).mean())
        found.append(asdict(design))
    values = pd.DataFrame(found[n_corrections // 2 :])[[*scores, *START]].mean()
    lengths = {k: v for k, v in sizes.items() if k not in WHOLE}
    rounded = {k: float(f"{v:.4g}") for k, v in {**values, **lengths}.items()}
    return replace(design, **rounded)


def trial(design: Design) -> Design:
    """The design with true qualities that are spread evenly, instead of drawn."""
    quantiles = special.ndtri((np.arange(design.systems) + 0.5) / design.systems)
    quantiles *= design.system / quantiles.std(ddof=1)
    return replace(design, qualities=tuple(quantiles.tolist()))


def simulated(design: Design, seeds: Iterable[int]) -> pd.DataFrame:
    """Descriptions of simulated campaigns, one row a seed."""
    made = (campaign(design, np.random.default_rng([34, seed])).coded for seed in seeds)
    return pd.DataFrame([describe(coded, without=()) for coded in made])


def _corrected(design: Design, target: pd.Series, found: pd.Series) -> Design:
    """The design after one correction; what the real campaigns do not show stays."""
    off = (target - found).fillna(0.0)
    ratio = (target / found).where(np.isfinite(target / found), 1.0).clip(0.5, 2.0)
    changes = {name: getattr(design, name) * ratio[name] ** 0.7 for name in STRETCHED}
    changes["mean"] = design.mean + off["mean"]
    for name, share in (("softness", "hundreds"), ("softness_low", "zeros")):
        changes[name] = float(np.clip(getattr(design, name) / ratio[share] ** 0.5, 0.1, 40.0))
    shape = design.workload_shape / ratio["workload"]
    changes["workload_shape"] = float(np.clip(shape, 0.1, 20.0))
    for name in ("ref", "bad_ref"):
        quality, spread = getattr(design, f"{name}_quality"), getattr(design, f"{name}_spread")
        changes[f"{name}_quality"] = float(np.clip(quality + off[name] - off["mean"], -150, 150))
        changes[f"{name}_spread"] = float(np.clip(spread * ratio[f"{name}_sd"], 0.1, 99.0))
    return replace(design, **changes)
