"""Judgements that several tests rest on: comparisons, then direct assessments."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib.counts import ASSESSMENTS, FIRST, SECOND, TIE
from wmtlib.study.releases import ranking_releases
from wmtlib.zscores import encode

NAMES = ("a", "b", "c", "d")
TABLE = ["system_1", "system_2", "wins_1", "wins_2", "ties"]
CELL = st.integers(0, 9)
PAIRS = st.tuples(*[st.tuples(CELL, CELL, CELL)] * 6)
REAL = ranking_releases.load_counts("wmt10", "cs-en", source="embedded")


def rng(seed=1):
    return np.random.default_rng(seed)


def counts_of(*rows):
    """Counts of rows (system_1, system_2, wins_1, wins_2, ties)."""
    return counting.from_table(pd.DataFrame(rows, columns=TABLE))


def compared(*rows, **units):
    """A comparisons frame of rows (system_1, system_2, preference, count)."""
    return pd.DataFrame([*rows], columns=counting.VALUE_COLUMNS).assign(**units)


def judged_by(*rows):
    """A comparisons frame of rows (system_1, system_2, preference, count, judge)."""
    return compared(*[row[:4] for row in rows], judge=[row[4] for row in rows])


def full(pairs):
    """Counts of all six pairs of four systems."""
    names = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :]]
    return counts_of(*[(*pair, *cell) for pair, cell in zip(names, pairs, strict=True)])


def stacked(several):
    """Several counts of the same systems as samples."""
    systems = tuple(several[0].systems)
    first, second = np.triu_indices(len(systems), k=1)
    seen = np.array(
        [
            [one.ties.to_numpy()[first, second] for one in several],
            [one.wins.to_numpy()[first, second] for one in several],
            [one.wins.to_numpy()[second, first] for one in several],
        ],
        dtype=float,
    )
    return resampled_counts.ResampledCounts(systems, first, second, seen)


def tournament(seed, systems=4, games=200, judges=10):
    """Random comparisons; judges have tastes of their own."""
    draw = rng(seed)
    a, b = np.array([draw.choice(systems, 2, replace=False) for _ in range(games)]).T
    judge = draw.integers(judges, size=games)
    taste = draw.normal(0, 0.7, size=(judges, systems))
    d = (b - a) * 0.4 + taste[judge, a] - taste[judge, b] + draw.logistic(size=games)
    names = np.array([f"s{k}" for k in range(systems)])
    return pd.DataFrame(
        {
            "system_1": names[a],
            "system_2": names[b],
            "preference": np.select([d > 0.3, d < -0.3], [FIRST, SECOND], TIE),
            "count": 1,
            "judge": [f"j{k}" for k in judge],
        }
    )


def counted_by(comparisons, *units):
    """Comparisons with counts, as `reader.Judgements.comparisons` gives them."""
    keys = ["system_1", "system_2", "preference", *units]
    return comparisons.groupby(keys, observed=True).size().rename("count").reset_index()


def assessments(rows):
    """Rows of hit, worker, system, item, document, segment, score."""
    columns = [c for c in ASSESSMENTS if c not in ("language_pair", "accepted")]
    frame = pd.DataFrame(rows, columns=columns).assign(language_pair="xx-yy", accepted=True)
    return frame.astype({"score": float})[ASSESSMENTS]


def campaign(seed, size=400):
    """A random campaign in which every worker sees two systems of four."""
    draw = rng(seed)
    worker = draw.integers(12, size=size)
    system = (worker + draw.integers(2, size=size)) % 4
    score = np.clip(draw.normal(50 + 4 * system + 3 * worker, 20).round(), 0, 100)
    segment = draw.integers(40, size=size)
    rows = zip(np.arange(size) // 40, worker, system, segment, score, strict=True)
    return encode(
        assessments(
            [(f"h{h}", f"w{w}", f"s{s}", "SYSTEM", "d", f"{g}", x) for h, w, s, g, x in rows]
        )
    )
