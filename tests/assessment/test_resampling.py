"""The bootstrap of assessments."""

import numpy as np
import pytest
from assessed import NAMES, PAPER, drawn

from wmtlib.assessment import resampling, zscores
from wmtlib.assessment.campaign import UNITS
from wmtlib.assessment.encoding import encode
from wmtlib.judgements.errors import DataError


class Once:
    """A generator that draws every unit once."""

    def multinomial(self, size, shares):
        return np.ones(size, dtype=int)


@pytest.mark.parametrize("unit", UNITS)
def test_bootstrap_errors_shrink_with_more_data(unit):
    errors = []
    for size in (600, 9600):
        table = drawn(4, size=size)
        table["worker"] = table["hit"] + table["worker"]
        rng = np.random.default_rng(2)
        means = resampling.bootstrap_means(
            encode(table), unit=unit, n_resamples=60, rng=rng, column="score"
        )
        assert means.shape == (60, len(NAMES))
        errors.append(means.std(axis=0).mean())
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("column", ["score", "raw"])
def test_a_resample_of_everything_once_is_the_campaign_itself(column):
    campaign = encode(drawn(0))
    options = {"unit": "hit", "n_resamples": 1, "rng": Once()}
    means = resampling.bootstrap_means(campaign, column=column, **options)
    assert means[0].tolist() == zscores.rank_systems(campaign).column(column)[NAMES].tolist()
    found = resampling.bootstrap_differences(campaign, **options, **PAPER)
    assert not found[["rank", "cluster"]].to_numpy().any()


def test_one_worker_alone_is_refused():
    campaign = encode(drawn(0).assign(worker="w"))
    with pytest.raises(DataError, match=r"1 worker\(s\) to draw from; expected two or more"):
        resampling.bootstrap_means(
            campaign, unit="worker", n_resamples=1, rng=Once(), column="score"
        )
