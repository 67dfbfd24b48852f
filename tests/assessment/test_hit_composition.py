"""What workers were given to judge: by hand, and a null that holds."""

import numpy as np
import pandas as pd
import pytest
from assessed import assessments

from wmtlib.assessment import hit_composition, zscores
from wmtlib.assessment.encoding import encode
from wmtlib.judgements.errors import DataError

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


def documents(effect):
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(30, 6)) + effect * rng.normal(size=(30, 1))
    cells[rng.random(cells.shape) < 0.3] = np.nan
    return pd.DataFrame(cells)


def test_documents_that_differ_are_told_from_those_that_do_not():
    alike, different = (
        hit_composition.document_variance(
            documents(effect), n_resamples=99, rng=np.random.default_rng(2)
        )
        for effect in (0, 1)
    )
    assert alike["p"] > 0.05 and different["p"] == 0.01
    assert different["between_documents"] > 2 * different["by_chance"]


def test_a_document_of_one_system_says_nothing_about_documents():
    table = documents(1)
    table.loc[0] = [9.0, *[np.nan] * 5]
    found = hit_composition.document_variance(table, n_resamples=9, rng=np.random.default_rng(3))
    assert found["documents"] == (table.notna().sum(axis=1) > 1).sum() < 30
