"""Whether a row can be checked follows from its basis and the source alone."""

import pytest

from wmtlib.study.published import PAPERS, AtHand, at_hand, load_published
from wmtlib.study.releases.sources import Source

RAW = Source("download", "00000000")
EMBEDDED = Source("embedded", "00000000")


def test_single_rankings_need_the_raw_files_and_nothing_else_does():
    for basis in ("none", "counts", "simulated"):
        assert at_hand(basis, RAW) == at_hand(basis, EMBEDDED) == AtHand(("",))
    assert at_hand("rankings", RAW).pairs == ("",)
    assert at_hand("rankings", EMBEDDED).lacks.startswith("needs single rankings")


def test_language_pairs_are_at_hand_one_by_one_or_as_a_whole():
    found = at_hand("units: SR-DC 2018, assessments", RAW)
    assert len(found.pairs) == 12 and list(found.absent) == ["wmt18 de-en"]
    assert not at_hand("all: SR-DC 2018, assessments", RAW).pairs
    assert at_hand("all: wmt18/en-de, assessments", RAW) == AtHand(("",))
    assert not at_hand("units: SR-DC 2018, assessments", EMBEDDED).pairs


def test_what_rests_on_recovered_judgements_says_so():
    assert "ps-en" in at_hand("units: SR-DC 2020, human removable", RAW).quality
    assert at_hand("all: wmt20/en-ta, outputs", RAW).quality.endswith(
        "by sums): wmt20 en-ta"
    )


def test_an_unknown_basis_is_refused():
    with pytest.raises(ValueError, match="unknown basis 'luck'"):
        at_hand("luck", RAW)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("source", [RAW, EMBEDDED], ids=lambda source: source.kind)
def test_every_published_row_has_a_basis_that_is_decided(paper, source):
    for basis in load_published(paper)["basis"].unique():
        found = at_hand(basis, source)
        assert found.pairs or found.absent
