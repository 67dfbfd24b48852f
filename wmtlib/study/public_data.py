"""The public data that the three papers and this study rest on, in tables for a reader."""

import pandas as pd

from wmtlib import counts as counting
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.assessment_catalogue import availability, catalogue
from wmtlib.study.releases.assessment_releases import load_proof
from wmtlib.study.releases.sources import RELATIVE_CAMPAIGNS, Source

LEVELS = {"item": "single judgements", "segment": "segment means", "none": "nothing"}


def tasks_by_level() -> pd.DataFrame:
    """How many tasks of each campaign are public, and how.

    Returns
    -------
    DataFrame
        Index: campaigns in the order of their years; columns: the values of `LEVELS`.
    """
    ranked = ranking_releases.tasks("embedded")[["campaign"]].assign(level="item")
    assessed = catalogue()
    assessed = assessed[~assessed["campaign"].str.startswith("simulated")]
    every = pd.concat([ranked, assessed[["campaign", "level"]]])
    counted = pd.crosstab(every["campaign"], every["level"].map(LEVELS))
    order = [*RELATIVE_CAMPAIGNS, *assessed["campaign"].unique()]
    return counted.reindex(index=order, columns=list(LEVELS.values()), fill_value=0)


def tasks_with_density(source: Source) -> pd.DataFrame:
    """`ranking_releases.tasks` with label and comparisons_per_pair, a mean over compared pairs."""
    tasks = ranking_releases.tasks(source)
    names = tasks[["campaign", "task"]].to_numpy()
    pairs = [
        len(counting.to_table(ranking_releases.load_counts(c, t, source=source))) for c, t in names
    ]
    return tasks.assign(
        comparisons_per_pair=tasks["comparisons"] / pairs,
        label=[ranking_releases.label(c, t) for c, t in names],
    )


def proof_of_scores(source: Source) -> pd.DataFrame:
    """How raw scores that were computed back from z-scores agree with everything published.

    Returns
    -------
    DataFrame
        A row for every language pair with single judgements; see
        `wmtlib.study.releases.raw_scores.prove` for the columns. Empty without the raw files.
    """
    at_hand = availability(source).query("status == 'present' and campaign != 'facebook21'")
    rows = [
        {"campaign": c, "language_pair": p, **load_proof(c, p, source=source)}
        for c, p in at_hand[["campaign", "language_pair"]].to_numpy()
    ]
    return pd.DataFrame(rows)


def proof_as_shown(proof: pd.DataFrame) -> pd.DataFrame:
    """`proof_of_scores` by pair, as text: whole numbers; deviations by their order of magnitude."""
    deviations = [name for name in ("z_exact", "z_printed") if name in proof]
    whole = proof.columns.drop(["campaign", "language_pair", *deviations], errors="ignore")
    shown = proof.astype({c: "Int64" for c in whole}).astype(object).fillna("none public")
    shown = shown.assign(**{c: shown[c].map(_magnitude) for c in deviations})
    pair = (shown.pop("campaign") + " " + shown.pop("language_pair")).rename("pair")
    return shown.set_index(pair)


def _magnitude(deviation: float) -> str:
    """An order of magnitude; what double precision leaves differs between processors."""
    return f"{deviation:.0e}" if deviation > 1e-9 else "< 1e-9"
