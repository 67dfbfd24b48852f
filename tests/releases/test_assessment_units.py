"""Which language pairs of direct assessment can answer a question."""

import pytest
from wmtlib.study.releases.assessment_units import pairs_at_hand, pairs_of

from wmtlib.study.recovery.recover import is_sound
from wmtlib.study.releases import coded_campaigns, sources
from wmtlib.study.releases.assessment_catalogue import catalogue, entry
from wmtlib.study.releases.assessment_releases import load_official
from wmtlib.study.releases.sources import Source

RAW = Source("download", "00000000")  # availability follows from the catalogue; nothing is fetched


def at_hand(question):
    found = pairs_at_hand(question, RAW)
    return found.pairs, found.absent


def test_words_choose_among_the_paper_s_pairs_unless_they_say_otherwise():
    sizes = {"SR-DC 2018": 13, "any 2018": 14, "SR-DC": 21, "SR+DC": 25, "paper": 46}
    sizes |= {"SR+DC 2020 MTurk": 7, "SR+DC 2019 Appraise": 8, "new SR-DC": 16, "wmt20/en-de": 1}
    assert {words: len(pairs_of(words)) for words in sizes} == sizes


@pytest.mark.parametrize(
    "question", ["SR-DC 2018", "SR-DC 1999, assessments", "wmt20/xx-yy, outputs"]
)
def test_an_unknown_set_or_need_is_refused(question):
    with pytest.raises(ValueError, match="unknown"):
        pairs_at_hand(question, RAW)


def test_a_set_without_a_pair_is_refused():
    with pytest.raises(ValueError, match="no language pair"):
        pairs_at_hand("SR-DC 2018 Appraise, outputs", RAW)


def test_human_systems_and_references_can_be_removed_where_both_are_known():
    pairs, absent = at_hand("SR+DC, human removable")
    assert "wmt20 en-de" in pairs  # Appraise shows no REF items (Table 1)
    assert not [pair for pair in pairs if pair.endswith("-en")]
    for name in ("cs-en", "ja-en", "pl-en", "ta-en"):  # neither a human system nor REF is at hand
        assert "REF" in absent[f"wmt20 {name}"]


def test_a_recovered_pair_needs_the_sound_share():
    shares = catalogue().query("campaign == 'wmt20'").set_index("language_pair")["recovered"]
    pairs, absent = at_hand("2020, outputs")
    sound = {f"wmt20 {pair}" for pair, share in shares.items() if is_sound(float(share))}
    assert set(pairs) == sound and len(pairs) + len(absent) == 18
    found = pairs_at_hand("2020, outputs", RAW)
    assert set(found.recovered) == sound  # so that a row can say what it rests on


def test_facebook_s_pairs_lose_their_best_system_but_have_no_human_to_lose():
    pairs, _ = at_hand("new SR+DC, assessments")
    assert "facebook21 xh-zu" in pairs
    pairs, absent = at_hand("new SR+DC, human removable")
    assert "facebook21 xh-zu" not in pairs and "neither a human" in absent["facebook21 xh-zu"]


def test_official_means_of_2019_are_at_hand_and_its_judgements_are_not():
    assert len(at_hand("2019, official means")[0]) == 15
    assert at_hand("2019, assessments")[0] == ()
    assert len(at_hand("SR+DC, systems")[0]) == 25


def test_nothing_is_at_hand_without_raw_files():
    found = pairs_at_hand("paper, segment means", Source("embedded", ""))
    assert not found.pairs and "simulated" in found.absent["wmt18 cs-en"]


@pytest.mark.realdata
@pytest.mark.parametrize("pair", ["en-de", "en-iu", "km-en", "ta-en"])
def test_the_catalogue_s_shares_are_those_of_the_recovered_judgements(mirror, pair):
    source = sources.resolve("mirror", ["wmt20"])
    share = coded_campaigns.load_release("wmt20", pair, source=source).share
    assert f"{share:.4f}" == entry("wmt20", pair).recovered


@pytest.mark.realdata
def test_the_official_judgements_of_2019_add_up_to_table_1():
    source = sources.resolve("auto", ["wmt19"])
    totals = {}
    for row in pairs_of("2019").itertuples():
        means = load_official("wmt19", row.language_pair, outcome="z", source=source)
        key = row.style, row.interface
        totals[key] = totals.get(key, 0) + int(means["judgements"].sum())
    assert totals["SR+DC", "appraise"] == 194625
    assert totals["SR-DC", "mturk"] == 92164 + 13266
