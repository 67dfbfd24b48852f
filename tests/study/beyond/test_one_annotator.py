"""Differences of two systems on a document, by one annotator in one HIT or by two."""

import numpy as np
import pandas as pd
import pytest

from study.beyond import honest_line, one_annotator
from study.beyond.one_annotator import TWO, system_differences
from wmtlib.core.assessments import encode
from wmtlib.zscores import z_scores

COLUMNS = ["system", "worker", "hit", "document", "segment", "score"]


def coded(rows):
    """Code a campaign of these judgements; a joint one has two systems."""
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return honest_line.tested_campaign("DA", "made", encode(frame))


def rows_of_two():
    """Draw two documents of two segments, by three workers."""
    rng = np.random.default_rng(1)
    rows = []
    for worker, hit, document, system in [
        ("u", "1", "d", "A"),
        ("u", "1", "d", "B"),
        ("v", "2", "d", "B"),
        ("u", "3", "e", "A"),
        ("w", "4", "e", "B"),
        ("u", "5", "e", "B"),
    ]:
        for segment in "12":
            score = int(rng.integers(100))
            rows.append((system, worker, hit, document, document + segment, score))
    return rows


def test_differences_by_hand():
    frame = pd.DataFrame(rows_of_two(), columns=COLUMNS)
    z = z_scores(frame)["z"]
    y = (z - z.groupby(frame["system"]).transform("mean")).to_numpy()
    mean = y.reshape(-1, 2).mean(axis=1)
    by_hand = {
        "one HIT": [mean[0] - mean[1]],
        "two HITs": [mean[3] - mean[5]],
        TWO: [mean[0] - mean[2], mean[3] - mean[4]],
    }
    campaign = coded(rows_of_two())
    found = system_differences([campaign, campaign])
    for by, d in by_hand.items():
        chosen = found[found["by"] == by]
        assert sorted(chosen["d"]) == pytest.approx(sorted(d * 2))
        assert ((chosen["other"] < 0) == (by != TWO)).all()
    assert found["document"].nunique() == 4  # two of each campaign
    assert {*found["worker"], *found["other"]} == {-1, *range(6)}


def test_differences_leave_out_judgements_that_two_systems_have_in_common():
    rows = rows_of_two()
    campaign = coded(rows)
    joint = [("A+B", "v", "2", "d", "d1", 50), ("A+B", "w", "4", "e", "e2", 20)]
    pairs = [system_differences([of]) for of in (campaign, coded(rows + joint))]
    assert len(pairs[0]) == len(pairs[1]) == 4


def pairs_of_known_variance(one, two, number=400):
    """Draw differences by one annotator in one HIT, and by two annotators."""
    rng = np.random.default_rng(1)
    parts = []
    for by, variance in (("one HIT", one), (TWO, two)):
        document = rng.integers(40, size=number)
        worker = rng.integers(30, size=number)
        other = -1 if by != TWO else (worker + 1) % 30
        d = rng.normal(0, np.sqrt(variance), number)
        columns = {"document": document, "worker": worker, "other": other, "d": d}
        parts.append(pd.DataFrame(columns).assign(by=by))
    return pd.concat(parts, ignore_index=True)


def test_savings_are_what_the_variances_say():
    pairs = pairs_of_known_variance(0.5, 1.0)
    [row] = one_annotator.savings(pairs, 100, np.random.default_rng(2)).itertuples()
    assert row.fewer == pytest.approx(0.5, abs=0.12)
    assert row.low < 0.5 < row.high and row.low > 0.2
    assert row.pairs == 400


def test_of_few_pairs_no_saving_is_given():
    pairs = pairs_of_known_variance(0.5, 1.0, number=99)
    assert one_annotator.savings(pairs, 10, np.random.default_rng(2)).empty
