"""Judgements that several tests rest on: comparisons, direct assessments, the example
files.
"""

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from wmtlib.core import counts as counting
from wmtlib.core.assessments import ASSESSMENTS, ITEMS, encode
from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import DataError
from wmtlib.core.sampling import ResampledCounts
from wmtlib.files import read as reader
from wmtlib.files.carried_counts import load_counts
from wmtlib.methods import rank_segment_means
from wmtlib.zscores import segment_means

ROOT = Path(__file__).parents[1]
NAMES = ("a", "b", "c", "d")
TABLE = ["system_1", "system_2", "wins_1", "wins_2", "ties"]
CELL = st.integers(0, 9)
PAIRS = st.tuples(*[st.tuples(CELL, CELL, CELL)] * 6)
REAL = load_counts("wmt10", "cs-en")


def rng(seed=1):
    return np.random.default_rng(seed)


def data_error(message):
    """Expects a DataError that says this, a regular expression."""
    return pytest.raises(DataError, match=message)


def message_of(function, *arguments, **options):
    """What the DataError says with which a function refuses its arguments."""
    with pytest.raises(DataError) as refused:
        function(*arguments, **options)
    return str(refused.value)


def row_of(row):
    """The values of a row, which may be a text such as "a b 9 1 0"."""
    words = row.split() if isinstance(row, str) else row
    return [int(word) if str(word).isdigit() else word for word in words]


def counts_of(*rows):
    """Counts of rows of system_1, system_2, wins_1, wins_2, ties."""
    return counting.from_table(pd.DataFrame(map(row_of, rows), columns=TABLE))


def compared(*rows, **units):
    """A comparisons frame of rows of system_1, system_2, preference, count."""
    table = pd.DataFrame(map(row_of, rows), columns=counting.VALUE_COLUMNS)
    return table.assign(**units)


def shown(*words):
    """Comparisons from words like "ab1": a and b are shown, a is preferred."""
    rows = [(a, b, int(preference)) for a, b, preference in words]
    return pd.DataFrame(rows, columns=counting.VALUE_COLUMNS[:3])


def judged_by(*rows):
    """A comparisons frame of rows of system_1, system_2, preference, count, judge."""
    table = [row_of(row) for row in rows]
    return compared(*[row[:4] for row in table], judge=[row[4] for row in table])


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
    return ResampledCounts(systems, first, second, seen)


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


# --- direct assessments ---


def assessments(rows):
    """Rows of hit, worker, system, item, document, segment, score."""
    columns = [c for c in ASSESSMENTS if c not in ("language_pair", "accepted")]
    frame = pd.DataFrame(rows, columns=columns).assign(
        language_pair="xx-yy", accepted=True
    )
    return frame.astype({"score": float})[ASSESSMENTS]


def judged_in_blocks(recurring, documents=8, workers=8):
    """Three systems judged on two segments of each document, by one worker for each."""
    rows = []
    for document, name, segment in product(range(documents), "ABC", range(2)):
        worker = (document + (0 if recurring else "ABC".index(name))) % workers
        score = 50 + 7 * document % 31 + 11 * segment + "ABC".index(name)
        where = f"d{document}", f"{document}.{segment}"
        rows.append(("", f"w{worker}", name, "SYSTEM", *where, score))
    return encode(assessments(rows))


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
            [
                (f"h{h}", f"w{w}", f"s{s}", "SYSTEM", "d", f"{g}", x)
                for h, w, s, g, x in rows
            ]
        )
    )


ASSESSED = ["A", "B", "C", "D", "HUMAN"]
PAPER = {"test": "legacy", "rule": "footnote-4"}

# One judgement: worker, system, item, segment, score, accepted.
JUDGEMENT = st.tuples(
    st.sampled_from(["w1", "w2", "w3"]),
    st.sampled_from(["A", "B", "C", "A+B", "B+C"]),
    st.sampled_from(ITEMS),
    st.sampled_from(["1", "2", "3"]),
    st.integers(0, 100),
    st.sampled_from([True, True, True, False]),
)
# Three systems, each judged by a worker who varies, whatever else there is.
FLOOR = [("w0", name, "SYSTEM", "1", 20 + 25 * k, True) for k, name in enumerate("ABC")]
JUDGEMENTS = st.lists(JUDGEMENT, max_size=25).map(lambda more: FLOOR + more)


def judgement_of(row):
    """The values of a judgement; the text "w1 A SYSTEM 1 60" is of an accepted one."""
    if not isinstance(row, str):
        return row
    *words, score = row.split()
    return (*words, int(score), True)


def frame_of(judgements):
    """Rows of worker, system, item, segment, score, accepted."""
    judgements = [*map(judgement_of, judgements)]
    rows = [
        ("h1", w, s, item, "", segment, score)
        for w, s, item, segment, score, _ in judgements
    ]
    return assessments(rows).assign(accepted=[bool(j[-1]) for j in judgements])


def rank_systems(campaign):
    """Rank by the mean of segments' mean z-scores, with raw means beside them."""
    return rank_segment_means(segment_means(campaign))


def encoded(judgements, **more):
    return encode(frame_of(judgements), **more)


def one_worker(*scores):
    """A worker's SYSTEM judgements, alternately of A and B, each on a segment of its
    own.
    """
    return [
        ("w", "AB"[k % 2], "SYSTEM", str(k), score, True)
        for k, score in enumerate(scores)
    ]


def drawn(seed, size=160, names=ASSESSED):
    """A random campaign: every worker sees a few systems only, so that scales depend on
    them.
    """
    draw = rng(seed)
    rows = []
    for k in range(size):
        worker = int(draw.integers(8))
        name = names[(worker + int(draw.integers(3))) % len(names)]
        item = draw.choice(ITEMS, p=[0.7, 0.1, 0.1, 0.1])
        level = 40 + 8 * names.index(name) + 4 * worker
        score = min(max(round(draw.normal(level, 15)), 0), 100)
        rows.append(
            (f"h{k // 40}", f"w{worker}", name, item, f"d{k % 5}", f"s{k % 20}", score)
        )
    rows += [
        ("h0", "w9", name, "SYSTEM", "d0", "s0", 10 * k) for k, name in enumerate(names)
    ]
    return assessments(rows)


# --- the example files, read ---

EXAMPLES = ROOT / "examples"
KINDS = ("rankings", "pairwise", "assessments")  # names of files
READING = {kind: {} for kind in KINDS} | {"assessments": {"scale": (0, 100)}}


@cache
def example(kind):
    return reader.read(EXAMPLES / f"{kind}.csv", **READING[kind])


def scored(seed, workers=6, outputs=40, twice=True, gap=9):
    """Workers who all score about half of the same outputs, some of them again."""
    draw = rng(seed)
    rows = []
    for k in range(workers):
        for name in "ABC":
            for segment in draw.choice(outputs, outputs // 2, replace=False):
                quality = 40 + gap * "ABC".index(name) + 20 * np.sin(segment)
                score = np.clip(draw.normal(quality, 8 + 3 * k), 0, 100)
                for _ in range(1 + (twice and segment % 7 == 0)):
                    rows.append(
                        ("h", f"w{k}", name, "SYSTEM", "d", f"s{segment}", score)
                    )
    return assessments(rows)
