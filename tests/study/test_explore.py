"""The explorer: rankings of a choice, in numbers, words, a picture and widgets."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import stats

from examples import data_error, rank_systems
from study import campaigns, explore
from wmtlib import zscores
from wmtlib.cluster_lines import RULES, rank_campaign
from wmtlib.core.counts import Counts
from wmtlib.core.pairwise_tests import DIGITS, TESTS, p_values
from wmtlib.methods import rank
from wmtlib.removals import differences


@cache
def simulated():
    return campaigns.load_subject("simulated-sr+dc:qa-qc", source="embedded")


@cache
def rankings():
    return campaigns.load_subject("wmt10:fr-en")


@st.composite
def subjects_and_choices(draw):
    """A subject and anything that may be chosen of it."""
    subject = draw(st.sampled_from([simulated(), rankings()]))
    few = len(subject.systems) - 2
    out = draw(st.sets(st.sampled_from(subject.systems), max_size=few))
    choices = {"out": out, "references": draw(st.booleans())}
    if subject is simulated():
        choices["divisor"] = draw(st.sampled_from([1, 1.25, 4, 10]))
        choices["test"] = draw(st.sampled_from(TESTS))
        choices["rule"] = draw(st.sampled_from(RULES))
    return subject, choices


@given(subjects_and_choices())
def test_ranked_and_sentence_keep_to_the_systems_that_are_left(chosen):
    subject, choices = chosen
    after = explore.ranked(subject, **choices)
    assert sorted(after.names) == sorted({*subject.systems} - choices["out"])
    before = explore.ranked(subject).names
    places = {name: k for k, name in enumerate(after.names)}
    order = [places[name] for name in before if name in places]
    kendall = sum(a > b for k, a in enumerate(order) for b in order[k + 1 :])
    text = explore.sentence(subject, **choices)
    assert text.startswith(f"{subject.label}: {len(places)} of {len(before)} systems")
    assert (f"change order: {kendall} (" in text) == (kendall > 0)


def test_ranked_is_rank_campaign_of_direct_assessments_without_a_system():
    for test in TESTS:
        for rule in RULES:
            after = explore.ranked(simulated(), test=test, rule=rule, out=["HUMAN"])
            campaign = simulated().data.without(["HUMAN"], items=(), paired=False)
            wanted = rank_campaign(campaign, test=test, rule=rule)
            assert after.names == wanted.names
            assert after.lines.tolist() == wanted.lines.tolist()
            means = zscores.segment_means(campaign).round({"z": DIGITS})
            p = pd.DataFrame(after.p, after.systems, after.systems)
            wanted = p_values(means, test=test)
            pd.testing.assert_frame_equal(p, wanted.loc[p.index, p.index])


def test_ranked_divides_humans_and_references_before_the_scales():
    campaign = simulated().data
    human = campaign.systems.index("HUMAN")
    rows = np.isin(
        np.arange(len(campaign.score)), campaign.credit[campaign.credit_system == human]
    )
    rows = rows & campaign.is_item("SYSTEM", "REPEAT") | campaign.is_item("REF")
    wanted = rank_systems(campaign.divided(rows, 4))
    after = explore.ranked(simulated(), divisor=4)
    assert after.names == wanted.order
    np.testing.assert_allclose(after.score[after.order], wanted.table["score"])


def test_ranked_of_relative_rankings_by_hand():
    """a beats b and b beats c 9 to 1, a and c are even; the reference beats c."""
    names = ["_ref", "a", "b", "c"]
    wins = [[0, 0, 0, 5], [0, 0, 9, 3], [0, 1, 0, 9], [0, 3, 1, 0]]
    wins = pd.DataFrame(wins, names, names)
    subject = campaigns.Subject("tiny", Counts(wins, wins * 0), scorer="wmt-official")
    after = explore.ranked(subject)
    assert subject.systems == ["a", "b", "c"] and after.names == ["a", "b", "c"]
    assert after.p[0, 1] == stats.binomtest(9, 10, alternative="greater").pvalue
    fewer = explore.ranked(subject, references=False)
    assert fewer.names == rank(subject.data.without("_ref"), "wmt-official").order
    assert "references left out" in explore.sentence(subject, references=False)


def test_ranked_refuses_unknown_systems_and_too_few():
    for subject in (simulated(), rankings()):
        with data_error("no system 'nobody'; expected "):
            explore.ranked(subject, out=["nobody"])
        with data_error(r"1 system\(s\) would be left; expected two or more"):
            explore.ranked(subject, out=subject.systems[1:])


def test_draw_shows_the_systems_of_both_rankings():
    before = explore.ranked(rankings())
    after = explore.ranked(rankings(), out=["onlineB"])
    axes = Figure().subplots(1, 2)
    explore.draw(before, after, axes)
    kendall = differences(before, after)["kendall"]
    assert axes[0].get_title() == f"pairs in another order: {kendall}" and kendall
    names = [label.get_text() for label in axes[1].get_yticklabels()]
    assert names == after.names and "onlineB" not in names


@pytest.mark.slow
def test_explorer_shows_a_choice_and_its_code(monkeypatch, capsys):
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    boxes = []
    monkeypatch.setattr("IPython.display.display", boxes.append)
    names, _ = explore.explorer("wmt10:fr-en").children
    assert names.options == tuple(explore.offered())
    explore._controls("wmt10:fr-en")
    out, references, _ = boxes[-1].children
    assert out.options[0] == "rwth-combo" and len(out.options) == 24
    assert references.value
    explore._controls("simulated-sr+dc:qa-qc")
    controls = {control.description: control for control in boxes[-1].children[:-1]}
    assert [*controls] == ["out", "references", "divisor", "test", "rule"]
    assert "lines stay" in capsys.readouterr().out  # the choice begins as released
    controls["out"].value = ("HUMAN",)
    *_, text, code, _ = capsys.readouterr().out.split("\n")
    assert "without HUMAN" in text and "out=('HUMAN',)" in code
    exec(code)
    assert capsys.readouterr().out.strip() in text


def test_offered_holds_what_can_be_loaded_here(monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    names = explore.offered()
    assert "wmt12:cs-en" in names and "wmt21:de-en" not in names
    for name in (names[0], names[-1]):
        assert len(campaigns.load_subject(name).systems) > 2
