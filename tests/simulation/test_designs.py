"""Designs of campaigns: what is refused."""

from dataclasses import replace

import pytest

from wmtlib.errors import DataError
from wmtlib.study.simulation.designs import calibrated

SMALL = calibrated("SR-DC", systems=4, documents=15, judgements=700, workers=5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"protocol": "RR"}, "protocol is 'RR'"),
        ({"normalise": "document"}, "normalise is 'document'; expected worker or hit"),
        ({"normalise": "hit", "calibration_hit": 10}, "expected normalise='worker'"),
        ({"calibration_hit": 200}, "the calibration HIT alone takes all the judgements"),
        ({"qualities": (1.0, 2.0)}, "2 qualities; expected 4, one per system"),
        ({"systems": 80}, "80 systems do not fit"),
        ({"residual": -1.0}, "residual is -1.0; expected 0 or more"),
        ({"segment": float("nan")}, "segment is nan; expected 0 or more"),
        ({"workers": 0}, "workers is 0; expected more than 0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(change, message):
    with pytest.raises(DataError, match=message):
        replace(SMALL, **change)


def test_the_worlds_of_the_two_styles():
    sentences, documents = calibrated("SR-DC"), calibrated("SR+DC", systems=3)
    assert (sentences.protocol, documents.protocol) == ("SR-DC", "SR+DC")
    assert documents.systems == 3 and isinstance(sentences.workers, int)
    with pytest.raises(DataError, match="style is 'RR'; expected SR-DC or SR"):
        calibrated("RR")
