"""The organisers' outcomes, as their files hold them."""

import numpy as np
import pytest

from wmtlib.errors import DataError, Origin
from wmtlib.study.releases import official_tables

HERE = Origin("here.csv")


def refusal(function, *arguments, **options):
    with pytest.raises(DataError) as refused:
        function(*arguments, **options)
    assert str(refused.value).isprintable()
    return str(refused.value)


SCALES = b'[1] "M0106"\n[1] 77.36\n[1] 29.09702\n[1] "a b@c.d"\n[1] 5\n[1] NA\n'


def test_scales():
    scales = official_tables.read_scales(SCALES, HERE)
    assert scales.loc["M0106"].tolist() == [77.36, 29.09702]
    assert scales.loc["a b@c.d", "mean"] == 5 and np.isnan(scales.loc["a b@c.d", "sd"])


@pytest.mark.parametrize("data", [b"", SCALES[:-7], SCALES.replace(b"77.36", b"7 7")])
def test_malformed_scales_are_refused(data):
    message = "here.csv: expected three lines [1] ... for each worker"
    assert refusal(official_tables.read_scales, data, HERE) == message


def test_segment_means():
    data = b"SYS SID RAW.SCR Z.SCR N \nA 7 32.5 -1.09720463834559 2 \nB doc_7 99 1.5 1 \n"
    means = official_tables.read_means(data, official_tables.SEGMENTS, HERE)
    assert list(means.columns) == ["system", "segment", "raw", "z", "judgements"]
    assert means.iloc[0].tolist() == ["A", "7", 32.5, -1.09720463834559, 2]
    twice = data + b"A 7 1 1 1\n"
    assert refusal(official_tables.read_means, twice, official_tables.SEGMENTS, HERE) == (
        "here.csv, line 4: the system and segment stood there before"
    )


def test_rankings_have_no_header():
    ranking = official_tables.read_ranking(b"73.3 0.326 1593 2050 A.1 \n71.1 0.2 9 10 B.2 \n", HERE)
    assert ranking.to_numpy().tolist() == [
        ["A.1", 73.3, 0.326, 1593, 2050],
        ["B.2", 71.1, 0.2, 9, 10],
    ]
    broken = b"73.3 0.326 1593 2050 A.1 \n71.1 x 9 10 B.2 \n"
    message = refusal(official_tables.read_ranking, broken, HERE)
    assert message == "here.csv, line 2: z is 'x'; expected a number"


def test_clusters():
    data = (
        b"SRC TRG WINS TOTAL CLUSTER_START CLUSTER_END END_OF_CLUSTER SYSTEM\n"
        b"en tr 1 2 1 1 True A\nen tr 0 2 2 2 False B\nde en 0 1 1 1 True C\n"
    )
    clusters = official_tables.read_clusters(data, "en-tr", HERE)
    assert clusters.to_numpy().tolist() == [["A", 1], ["B", 2]]
    assert refusal(official_tables.read_clusters, data, "en-cs", HERE) == "here.csv: no en-cs"


def test_p_values():
    p_values = official_tables.read_p_values(b" A B\nA 0.12 1e-05\nB 0.12 0.12\n", HERE)
    named = b" A newstest2020.en-de.B.7.sgm\nA 0.12 1e-05\nnewstest2020.en-de.B.7.sgm 0.12 0.12\n"
    assert official_tables.read_p_values(named, HERE).loc["A", "B.7"] == 1e-5
    assert p_values.loc["A", "B"] == 1e-5 and p_values.loc["B", "A"] == 0.12


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" A B\nA 1 1\nB 1\n", "here.csv: expected a matrix with the same systems"),
        (b" A B\nA 1 1\nC 1 1\n", "here.csv: expected a matrix with the same systems"),
        (b" A B\nA 1 x\nB 1 1\n", "here.csv: expected numbers"),
    ],
)
def test_malformed_matrices_are_refused(data, message):
    assert refusal(official_tables.read_p_values, data, HERE).startswith(message)


def test_outcomes_have_names():
    assert official_tables.file_name("en-de", "z") == "ad-sys-ranking-en-de-z.csv"
    assert refusal(official_tables.file_name, "en-de", "best").startswith(
        "no outcome 'best'; expected"
    )
