"""Section 6: Simple Bayesian Models (Hopkins & May 2013), on random training sets."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from study.hopkins2013 import SIZES, TRACK_PAIRS, Track, draw_training_set
from wmtlib import scorers
from wmtlib.core.counts import both_ways, tally
from wmtlib.files.forms import count


def over_training_sets(tracks: Sequence[Track], seed: int, trials: int) -> pd.DataFrame:
    """Average over training sets drawn at random, a row for each size.

    Returns
    -------
    DataFrame
        Of each year, the share (in %) of tracks and trials in which Independent Pairs
        without a prior gives no chance to what the test set shows. And spread: how far
        the mean strength of those met is from that of all others.
    """
    rows = []
    for number, track in enumerate(tracks):
        counts = count(track.whole())
        scores = scorers.bojar(counts.wins.to_numpy(), counts.ties.to_numpy())
        others = (scores.sum() - scores) / (len(scores) - 1)
        for size, trial in product(SIZES, range(trials)):
            drawn = []
            # For "impossible", tracks are numbered within each year.
            for k in (number % len(TRACK_PAIRS), number):
                rng = np.random.default_rng([seed, k, trial])
                train = draw_training_set(track.train, size, rng)
                drawn.append(both_ways(tally(train, track.systems)))
            impossible = ((drawn[0] == 0) & (track.tested > 0)).any()
            met = drawn[1].sum(axis=2)
            total = met.sum(axis=1)
            seen = total > 0
            spread = ((met @ scores)[seen] / total[seen] - others[seen]).std()
            rows.append((track.campaign, size, impossible, spread))
    table = pd.DataFrame(rows, columns=["year", "size", "impossible", "spread"])
    by_year = 100 * table.pivot_table("impossible", "size", "year")
    return by_year.assign(spread=table.groupby("size")["spread"].mean())
