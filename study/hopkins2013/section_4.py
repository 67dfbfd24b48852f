"""Section 4: From Rankings to Relative Ability (Hopkins & May 2013), with Table 3.

The data that models are trained and tested on: do judges agree, and are comparisons
spread evenly?
"""

import numpy as np
import pandas as pd
from scipy.stats.contingency import expected_freq

from study.hopkins2013 import TRACK_PAIRS, YEARS, Track, Tracks
from study.scoreboard import published
from study.scoreboard.verdicts import Values
from wmtlib import models
from wmtlib.agreement import measures, tallies
from wmtlib.core.counts import rows_of
from wmtlib.models import PreferenceModel

DEALS = 99  # of rankings to judges


def dataset_sizes(tracks: Tracks) -> pd.DataFrame:
    """Count comparisons for training and testing of every track, as Table 3 does."""
    columns = {
        f"{year} {split}": [len(getattr(track, split)) for track in tracks[year]]
        for year in YEARS
        for split in ("train", "test")
    }
    return pd.DataFrame(columns, index=pd.Index([*TRACK_PAIRS], name="lp"))


def table_3_beside_print(sizes: pd.DataFrame) -> pd.DataFrame:
    """Put `dataset_sizes` beside Table 3, a block of columns a year."""
    table = published.beside("hopkins2013", "table-3", sizes, " ")
    blocks = [column.partition(" ") for column in table]
    names = [(year.upper() if of else "", of or year) for year, _, of in blocks]
    return table.set_axis(pd.MultiIndex.from_tuples(names), axis="columns")


def log_losses(model: PreferenceModel, test: pd.DataFrame) -> np.ndarray:
    """Compute -log2 Q(pi | a, b) of each comparison; perplexity is 2 to their mean."""
    rows = rows_of(test, model.systems)
    with np.errstate(divide="ignore"):  # what cannot be costs infinitely many bits
        chances = model.probabilities[rows.first, rows.second, rows.preference]
        return -np.log2(chances)


def judge_agreement(tracks: Tracks) -> pd.DataFrame:
    """Compute how often two judges of the same outputs agree, by campaign.

    Returns
    -------
    DataFrame
        Index campaign; columns agreement (a share) and pairs (of comparisons).
    """
    sums = {
        campaign: tallies(pd.concat([track.whole() for track in chosen])).iloc[0]
        for campaign, chosen in tracks.items()
    }
    sums = pd.DataFrame(sums).T.rename_axis("campaign")
    return pd.DataFrame(
        {"agreement": measures(sums)["inter"], "pairs": sums["inter_pairs"]}
    )


def dealt_at_random(
    judges: np.ndarray, units: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> bool:
    """Test if judges and units (segments, ...) go together no more than at random.

    Pearson's chi-square of the table of judges and units is held against `DEALS` tables
    for which the groups (rankings), whole, are dealt to judges at random.

    Parameters
    ----------
    judges : ndarray of int, (groups,)
    units, groups : ndarray of int, (rows,)
        What each output is about, and the group that it is in.
    """
    shape = judges.max() + 1, units.max() + 1

    def chi_square(judges: np.ndarray) -> float:
        table = np.zeros(shape)
        np.add.at(table, (judges[groups], units), 1)
        # Less the number of outputs, which is the same for all tables.
        return (table**2 / expected_freq(table)).sum()

    observed = chi_square(judges)
    return observed <= max(chi_square(rng.permutation(judges)) for _ in range(DEALS))


def independent_judges(rankings: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Test if judges are independent of the segments, and of the systems, they saw.

    A row for each task of each year, columns segments and systems.
    """
    rows = []
    for _, ranked in rankings.groupby(["year", "task"], observed=True):
        rng = np.random.default_rng(seed)
        group, _ = pd.factorize(ranked["ranking"])
        judges, _ = pd.factorize(ranked.drop_duplicates("ranking")["judge"])
        row = {}
        for unit in ("segment", "system"):
            seen, _ = pd.factorize(ranked[unit])
            row[f"{unit}s"] = dealt_at_random(judges, seen, group, rng)
        rows.append(row)
    return pd.DataFrame(rows)


def effect_of_segments(model: PreferenceModel, test: pd.DataFrame) -> float:
    """Divide the variance of the mean log loss by segments by that of comparisons."""
    loss = log_losses(model, test)
    residual = loss - loss.mean()
    by_segment = pd.Series(residual).groupby(test["segment"].to_numpy()).sum()
    return (by_segment**2).sum() / (residual**2).sum()


def of_segments(track: Track) -> Values:
    """Describe how the comparisons of a track are spread over segments.

    train: comparisons for training. few: segments with fewer than ten comparisons.
    fewest: comparisons of the segment that has the fewest. effect, rest:
    `effect_of_segments` of the test set, and of the training set.
    """
    times = track.whole()["segment"].value_counts()
    model = models.independent_students(
        track.train, systems=track.systems, reconstruction="geometric"
    )
    return {
        "train": len(track.train),
        "segments": len(times),
        "fewest": times.min(),
        "few": (times < 10).sum(),
        "dispersion": times.var() / times.mean(),
        "effect": effect_of_segments(model, track.test),
        "rest": effect_of_segments(model, track.train),
    }
