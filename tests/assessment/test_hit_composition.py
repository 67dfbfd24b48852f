"""What workers were given to judge: by hand, and a null that holds."""

import numpy as np
import pytest
from assessed import assessments

from wmtlib import zscores
from wmtlib.errors import DataError
from wmtlib.study.papers import hit_composition
from wmtlib.zscores import encode

HITS = assessments(
    [
        ("h1", "w1", "A", "SYSTEM", "d1", "1", 80),
        ("h1", "w1", "A+B", "REPEAT", "d1", "2", 60),
        ("h1", "w1", "C", "REF", "d1", "2", 99),
        ("h2", "w2", "A", "SYSTEM", "d2", "1", 40),
        ("h2", "w2", "C", "SYSTEM", "d2", "1", 20),
        ("h3", "w2", "B", "SYSTEM", "d1", "1", 90),
        ("h3", "w2", "A", "BAD_REF", "d1", "1", 5),
    ]
)


def test_which_systems_met_in_a_hit():
    campaign = encode(HITS)
    by_hit = hit_composition.co_occurrence(campaign, unit="hit")
    assert by_hit.loc["A"].tolist() == [1, 1 / 2, 1 / 2]  # h1 and h2; B in h1, C in h2
    assert by_hit.loc["B"].tolist() == [1 / 2, 1, 0]  # h1 and h3
    assert by_hit.loc["C"].tolist() == [1, 0, 1]
    assert hit_composition.co_occurrence(campaign, unit="worker").loc["B", "C"] == 1 / 2
    assert hit_composition.share_with_every_system(campaign, unit="hit") == 0
    assert hit_composition.share_with_every_system(campaign, unit="worker") == 1 / 2


def test_what_workers_saw():
    found = hit_composition.shares_of_workers(encode(HITS), humans=["C"])
    assert found.to_dict() == {"REF": 1 / 2, "BAD_REF": 1 / 2, "HUMAN": 1 / 2, "workers": 2}


def test_judgements_of_each_kind():
    found = hit_composition.item_counts(encode(HITS))
    assert found.to_dict() == {"SYSTEM": 4, "REPEAT": 2, "REF": 1, "BAD_REF": 1}


def test_documents_and_systems_stand_in_order_of_their_means():
    found = hit_composition.document_means(zscores.segment_means(encode(HITS)))
    assert list(found.index) == ["d1", "d2"] and list(found.columns) == ["B", "A", "C"]
    assert found.loc["d1"].tolist()[:2] == [75, 70] and np.isnan(found.loc["d1", "C"])
    with pytest.raises(DataError, match="document is not known"):
        hit_composition.document_means(HITS.assign(document="", raw=HITS["score"]))


def documents(effect, seed=1, lenient=0):
    """Runs of three segments; workers see few documents, lenient ones the easier documents."""
    rng = np.random.default_rng(seed)
    difficulty = effect * rng.normal(size=20)
    rows = []
    for run in range(240):
        worker = run % 12
        document = (worker + 5 * int(rng.integers(3))) % 20
        system = "ABC"[int(rng.integers(3))]
        own = 60 + difficulty[document] + lenient * worker + rng.normal(0, 4)
        for segment in range(3):
            score = own + rng.normal(0, 6)
            place = (f"d{document:02d}", f"{document}-{segment}")
            rows.append((f"h{run}", f"w{worker}", system, "SYSTEM", *place, score))
    return encode(assessments(rows))


def document_variance(campaign, seed=2):
    rng = np.random.default_rng(seed)
    return hit_composition.document_variance(campaign, n_resamples=99, rng=rng)


def test_documents_that_differ_are_told_from_those_that_do_not():
    different = document_variance(documents(6))
    assert different["documents"] == 20 and different["runs"] == 240 and different["p"] == 0.01
    assert 0 < different["low"] < different["between_documents"] - different["by_chance"]


@pytest.mark.parametrize("lenient", [0, 5])
def test_equal_documents_are_rarely_called_different(lenient):
    found = [document_variance(documents(0, seed, lenient))["p"] for seed in range(40)]
    assert np.mean(np.array(found) <= 0.1) < 0.25 and np.mean(found) > 0.35


def test_documents_must_be_known():
    with pytest.raises(DataError, match="document is not known"):
        document_variance(encode(HITS.assign(document="")))


def test_documents_of_one_system_say_nothing():
    rows = [("h", "w", "AB"[k % 2], "SYSTEM", f"d{k}", "1", 10.0 * k) for k in range(4)]
    with pytest.raises(DataError, match="no two documents with outputs of two systems"):
        document_variance(encode(assessments(rows)))
