"""Releases of z-scores, made from scores that are known."""

import pandas as pd
from hypothesis import strategies as st


def printed(value):
    return float(f"{value:.7g}")


def release(rows):
    """From (worker, system, segment, item, score): released rows, z, scales, segment means."""
    frame = pd.DataFrame(rows, columns=["WorkerId", "sys_id", "sid", "type", "score"])
    score = frame["score"].to_numpy(float)
    by_worker = frame.groupby("WorkerId")["score"]
    scales = pd.DataFrame({"mean": by_worker.mean(), "sd": by_worker.std(ddof=1)})
    scales = scales.map(printed)
    scale = scales.loc[frame["WorkerId"]].to_numpy()
    z = (score - scale[:, 0]) / scale[:, 1]
    released = frame.drop(columns="score").astype("category")
    parts = frame.assign(z=z, system=frame["sys_id"].str.split("+", regex=False)).explode("system")
    parts = parts[parts["type"].isin(["SYSTEM", "REPEAT"])]
    means = parts.groupby(["system", "sid"])
    segments = means.agg(raw=("score", "mean"), z=("z", "mean"), judgements=("z", "size"))
    segments = segments.reset_index().rename(columns={"sid": "segment"})
    return released, score, z, scales, segments


ALONE = [
    ("w1", "A", "1", "SYSTEM", 10),
    ("w1", "B", "1", "SYSTEM", 30),
    ("w1", "A+B", "2", "SYSTEM", 50),
    ("w1", "A", "3", "BAD_REF", 0),
    ("w2", "A", "4", "SYSTEM", 20),
    ("w2", "A", "1", "REPEAT", 95),
    ("w2", "B", "1", "SYSTEM", 80),
]
# Two workers who judged the same outputs and no other: only the sum of their scores is known.
TOGETHER = [
    *ALONE,
    *(("w3", "A", str(k), "SYSTEM", x) for k, x in [(11, 1), (12, 60), (13, 98)]),
    *(("w4", "A", str(k), "SYSTEM", x) for k, x in [(11, 99), (12, 3), (13, 50)]),
]


def judgements(workers=4):
    """Each worker: a few outputs with scores that are not all the same."""
    one = st.tuples(st.sampled_from("ABC"), st.integers(1, 6), st.integers(0, 100))
    rows = st.lists(one, min_size=2, max_size=8).filter(lambda r: len({x for *_, x in r}) > 1)
    return st.lists(rows, min_size=1, max_size=workers).map(
        lambda all_rows: [
            (f"w{k}", system, str(segment), "SYSTEM", score)
            for k, rows in enumerate(all_rows)
            for system, segment, score in rows
        ]
    )
