"""Small made-up direct assessments that several tests rest on."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from wmtlib.counts import ASSESSMENTS, ITEMS
from wmtlib.zscores import encode

NAMES = ["A", "B", "C", "D", "HUMAN"]
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


def assessments(rows):
    """Rows of hit, worker, system, item, document, segment, score."""
    columns = [c for c in ASSESSMENTS if c not in ("language_pair", "accepted")]
    frame = pd.DataFrame(rows, columns=columns).assign(language_pair="xx-yy", accepted=True)
    return frame.astype({"score": float})[ASSESSMENTS]


def frame_of(judgements):
    """Rows of worker, system, item, segment, score, accepted."""
    rows = [("h1", w, s, item, "", segment, score) for w, s, item, segment, score, _ in judgements]
    return assessments(rows).assign(accepted=[bool(j[-1]) for j in judgements])


def encoded(judgements, **more):
    return encode(frame_of(judgements), **more)


def one_worker(*scores):
    """A worker's SYSTEM judgements, alternately of A and B, each on a segment of its own."""
    return [("w", "AB"[k % 2], "SYSTEM", str(k), score, True) for k, score in enumerate(scores)]


def drawn(seed, size=160, names=NAMES):
    """A random campaign: every worker sees a few systems only, so that scales depend on them."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(size):
        worker = int(rng.integers(8))
        name = names[(worker + int(rng.integers(3))) % len(names)]
        item = rng.choice(ITEMS, p=[0.7, 0.1, 0.1, 0.1])
        level = 40 + 8 * names.index(name) + 4 * worker
        score = min(max(round(rng.normal(level, 15)), 0), 100)
        rows.append((f"h{k // 40}", f"w{worker}", name, item, f"d{k % 5}", f"s{k % 20}", score))
    rows += [("h0", "w9", name, "SYSTEM", "d0", "s0", 10 * k) for k, name in enumerate(names)]
    return assessments(rows)
