"""Worlds for simulated campaigns: fitted to real campaigns, and held against them.

The constants of `designs.calibrated` come from here: notebook 34-calibration writes them to
`wmtlib/data/worlds.csv`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import comb

import numpy as np
import pandas as pd

from wmtlib.stability import means_without_each, reversals_without_each
from wmtlib.study.folders import list_written, output_folder
from wmtlib.study.releases import assessment_catalogue
from wmtlib.study.releases.coded_campaigns import Release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.releases.storage import write_csv
from wmtlib.study.simulation import simulate
from wmtlib.study.simulation.design_fit import (
    SIZES,
    START,
    STRETCHED,
    describe,
    fit_design,
    typical,
)
from wmtlib.study.simulation.designs import Design
from wmtlib.zscores import Campaign

FIELDS = [*SIZES, "mean", *STRETCHED, *START]  # of a design, that the file holds
REMOVALS = ["order changed", "reversed"]  # not fitted: they check the worlds


def campaigns_to_fit(source: Source) -> list[tuple[str, str]]:
    """Campaigns and language pairs that the worlds are fitted to.

    All pairs into English that were released judgement by judgement in one style, with known
    documents: crowd workers of Mechanical Turk in both styles.
    """
    if source.kind == "embedded":
        return simulated()
    table = assessment_catalogue.availability(source)
    table = table[(table["status"] == "present") & table["style"].isin(["SR-DC", "SR+DC"])]
    pairs = table.loc[table["language_pair"].str.endswith("-en"), ["campaign", "language_pair"]]
    return [pair for pair in pairs.itertuples(index=False, name=None) if pair != ("wmt22", "lv-en")]


def descriptions(releases: Iterable[Release]) -> pd.DataFrame:
    """What `design_fit.describe` says of real campaigns, human systems left out.

    Returns
    -------
    DataFrame
        One row a campaign, named by its label; columns style, as `describe`, and `REMOVALS`.
    """
    rows = {}
    for r in releases:
        described = describe(r.coded, without=r.humans)
        rows[r.label] = {"style": r.style, **described, **removals(r.coded)}
    return pd.DataFrame.from_dict(rows, orient="index")


def removals(campaign: Campaign) -> dict[str, float]:
    """How stable a ranking is when single systems are removed (section 5).

    Returns
    -------
    dict
        order changed : share of the systems whose removal changes the order of the others;
        reversed : share of the pairs of other systems that a removal reverses, on average.
    """
    found = reversals_without_each(means_without_each(campaign))
    pairs = comb(len(campaign.systems) - 1, 2)
    return {"order changed": float((found > 0).mean()), "reversed": float(found.mean() / pairs)}


def fit_worlds(
    real: pd.DataFrame, *, seeds: Sequence[int], n_corrections: int
) -> dict[str, Design]:
    """A design for each style, from what `descriptions` gives."""
    return {
        style: fit_design(
            typical(table.drop(columns=["style", *REMOVALS])),
            protocol=style,
            seeds=seeds,
            n_corrections=n_corrections,
        )
        for style, table in sorted(real.groupby("style"), reverse=True)
    }


def beside_real(
    real: pd.DataFrame, worlds: Mapping[str, Design], *, seeds: Sequence[int]
) -> pd.DataFrame:
    """Real and simulated campaigns, described by the same estimators.

    Parameters
    ----------
    real : DataFrame
        As `descriptions` gives.
    worlds : mapping from style to Design
    seeds : sequence of int
        Others than those of the fit; the systems' true qualities are drawn.

    Returns
    -------
    DataFrame
        One row a number: number; for each style real (median), real_error (bootstrap over
        campaigns), low and high (quartiles of campaigns), simulated (mean), simulated_error.
    """
    parts = {}
    for style, design in worlds.items():
        table = real[real["style"] == style].drop(columns="style")
        made = [simulate.campaign(design, np.random.default_rng([35, k])).coded for k in seeds]
        ours = pd.DataFrame([{**describe(m, without=()), **removals(m)} for m in made])
        rng = np.random.default_rng(2021)
        drawn = [table.iloc[rng.integers(len(table), size=len(table))].median() for _ in range(200)]
        found = {"real": table.median(), "real_error": pd.DataFrame(drawn).std()}
        found |= {"low": table.quantile(0.25), "high": table.quantile(0.75)}
        parts[style] = pd.DataFrame(
            found | {"simulated": ours.mean(), "simulated_error": ours.sem()}
        )
    return pd.concat(parts, axis=1).rename_axis("number")


def save_worlds(worlds: Mapping[str, Design], source: Source) -> pd.DataFrame:
    """Write the file that `designs.calibrated` reads; a run on embedded data writes below build/.

    Returns
    -------
    DataFrame
        Columns style, field, value: what was written.
    """
    rows = [
        {"style": style, "field": field, "value": f"{asdict(design)[field]:.10g}"}
        for style, design in worlds.items()
        for field in FIELDS
    ]
    table = pd.DataFrame(rows)
    path = output_folder(source, committed=True) / "wmtlib" / "data" / "worlds.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_csv(table, path)
    list_written(path)
    return table


def put_in_and_seen(
    worlds: Mapping[str, Design], beside: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Spreads that simulated campaigns are made with, beside those that are measured on them.

    Parameters
    ----------
    worlds, beside
        From each style to what `fit_worlds` and `beside_real` give for it.

    Returns
    -------
    DataFrame
        Index: `design_fit.STRETCHED`; columns ("put in" or "seen", style), in points.
    """
    parts = [*STRETCHED]
    put_in = {s: pd.Series({k: getattr(d, k) for k in parts}) for s, d in worlds.items()}
    seen = {style: beside[style].loc[parts, "simulated"] for style in worlds}
    return pd.concat({"put in": pd.DataFrame(put_in), "seen": pd.DataFrame(seen)}, axis=1)


def within_two_errors(beside: pd.DataFrame) -> tuple[int, int]:
    """How many numbers of simulated campaigns are like real ones, and of how many.

    Like: they differ by less than two standard errors of the difference. The sizes of campaigns,
    which are set and not measured, do not count.
    """
    error = np.hypot(beside["real_error"], beside["simulated_error"])
    off = ((beside["simulated"] - beside["real"]) / error).drop(SIZES)
    return int((off.abs() < 2).sum()), len(off)
