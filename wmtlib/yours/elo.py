"""Bradley-Terry strengths on the scale of chess ratings.

    rating = base + 400 / ln 10 x (log strength - log strength of the anchor)

so that 400 points are odds of ten to one. The anchor is a system, or the mean of all.
"""

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

import pandas as pd

from wmtlib.errors import DataError
from wmtlib.methods import METHODS, Strength
from wmtlib.ranking import Ranking

if TYPE_CHECKING:
    from wmtlib.resampling import BootstrapResult

BASE = 1000.0  # the rating of the mean
UNIT = 400 / log(10)
Anchor = tuple[str, float]  # a system, and the rating that it has


def ratings(
    ranking: Ranking, samples: "BootstrapResult | None", anchor: Anchor | None
) -> "tuple[Ranking, BootstrapResult | None]":
    """A ranking and its resamples with ratings for scores.

    The anchor has its rating in every sample: intervals are of differences to it.

    Raises
    ------
    DataError
        The method has no strengths, or the anchor is not ranked.
    """
    if not isinstance(METHODS[ranking.method], Strength):
        raise DataError(
            f"{ranking.method} has no strengths for an Elo scale; put bradley-terry"
            " first"
        )
    if anchor is not None and anchor[0] not in ranking.order:
        raise DataError(
            f"no system {anchor[0]!r} to be the anchor; there are"
            f" {', '.join(ranking.order[:20])}"
        )

    def rated(scores: pd.DataFrame) -> pd.DataFrame:
        base = BASE
        origin = scores.mean(axis=1)
        if anchor is not None:
            name, base = anchor
            origin = scores[name]
        return base + UNIT * scores.sub(origin, axis=0)

    strengths = ranking.table.set_index("system")[["score"]].T
    table = ranking.table.assign(score=rated(strengths).iloc[0].array)
    ranking = replace(ranking, table=table)
    if samples is not None:
        samples = replace(samples, ranking=ranking, scores=rated(samples.scores))
    return ranking, samples
