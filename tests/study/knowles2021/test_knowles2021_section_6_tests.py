"""Section 6 of Knowles (2021): are documents equally hard?"""

import numpy as np
import pandas as pd

from examples import assessments
from study.knowles2021 import section_6_tests
from wmtlib.core.assessments import encode


def documents(effect, seed=1, lenient=0):
    """Runs of three segments; workers see few documents, lenient ones the easy ones."""
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
    runs = section_6_tests.run_values(campaign)
    return pd.Series(section_6_tests.document_variance(runs, n_resamples=99, rng=rng))


def test_document_variance_of_different_and_equal_documents():
    different = document_variance(documents(6))
    assert different[["documents", "runs", "p"]].tolist() == [20, 240, 0.01]
    difference = different["between_documents"] - different["by_chance"]
    assert 0 < different["low"] < difference


def test_equal_documents_are_rarely_called_different():
    # Lenient workers have other documents than strict ones.
    p = np.array([document_variance(documents(0, seed, 5))["p"] for seed in range(40)])
    assert np.mean(p <= 0.1) < 0.25 and p.mean() > 0.35
