"""Scores and orders as preference models."""

import numpy as np
import pandas as pd
import pytest
from judged import REAL, rng

from wmtlib import mfas, scorers
from wmtlib import models as score_models
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.models import from_scores
from wmtlib.ranking import RATING_MODELS


def test_a_score_is_as_good_as_any_increasing_line_through_it():
    def fit(score):
        return from_scores(score, REAL, systems=REAL.systems, rng=rng()).probabilities

    eq1 = scorers.wmt_official
    np.testing.assert_allclose(fit(lambda *c: 7 * eq1(*c) - 3), fit(eq1), rtol=1e-4)


def test_a_score_that_is_the_wrong_way_round_is_given_no_weight():
    model = from_scores(
        lambda *counts: -scorers.wmt_official(*counts),
        REAL,
        systems=REAL.systems,
        rng=rng(),
    )
    assert (model.strengths == 0).all()
    p = model.probabilities.reshape(-1, 3)
    assert p == pytest.approx(np.broadcast_to(p[0], p.shape))


def test_strengths_stand_in_the_order_of_the_score():
    model = RATING_MODELS["mfas"](REAL, systems=REAL.systems, rng=rng())
    (places,) = score_models.mfas_places(*(t.to_numpy()[None] for t in (REAL.wins, REAL.ties)))
    order = np.array(REAL.systems)[np.argsort(places)]
    gaps = model.strengths[order].diff().dropna()
    assert gaps.to_numpy() == pytest.approx(np.full(len(gaps), gaps.iloc[0]))
    assert gaps.iloc[0] > 0


def test_places_are_those_of_the_proven_order_or_of_the_best_one_found():
    order = mfas.exact_order(REAL.wins).order
    (places,) = score_models.mfas_places(REAL.wins.to_numpy()[None], REAL.ties.to_numpy()[None])
    assert [sorted(order)[k] for k in np.argsort(-places)] == [*order]
    n = score_models.PROVABLE + 5
    chain = np.triu(np.full((1, n, n), 2), k=1) + np.tri(n, k=-1, dtype=int)
    (places,) = score_models.mfas_places(chain, 0 * chain)
    assert places.tolist() == [*range(n, 0, -1)]


def test_a_score_is_not_trusted_on_the_comparisons_it_was_made_of():
    """Of systems that are all alike, a fit to its own training data would tell some apart."""
    random = np.random.default_rng(5)
    slopes = []
    for _ in range(20):
        a, b = np.triu_indices(12, k=1)
        wins = np.zeros((12, 12), dtype=int)
        wins[a, b] = random.binomial(2, 0.5, len(a))
        wins[b, a] = 2 - wins[a, b]
        names = [f"s{k:02}" for k in range(12)]
        train = Counts(pd.DataFrame(wins, names, names), pd.DataFrame(0 * wins, names, names))
        model = RATING_MODELS["bojar"](train, systems=names, rng=random)
        slopes.append(model.strengths.std())
    assert np.median(slopes) < 0.1  # fitted to its own comparisons: about 0.5


def test_an_infinite_score_is_refused():
    with pytest.raises(DataError, match=r"^a score is infinite$"):
        from_scores(lambda wins, _: wins[..., 0] + np.inf, REAL, systems=REAL.systems, rng=rng())
