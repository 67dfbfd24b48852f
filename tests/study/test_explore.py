"""The explorer: rankings of a choice, in numbers, words, a picture and widgets."""

import asyncio
import re
from functools import cache
from html import unescape
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
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
    names = [label.get_text() for label in axes[0].get_yticklabels()]
    assert sorted(names) == sorted(after.names) and "onlineB" not in names
    numbers = [label.get_text() for label in axes[1].get_yticklabels()]
    assert numbers == [str(k) for k in range(1, len(after.names) + 1)]


def test_draw_p_values_shows_three_classes():
    p = pd.DataFrame([[0.5, 0.009, 0.01], [0.991, 0.5, 0.049], [0.99, 0.05, 0.5]])
    ax = Figure().subplots()
    explore.draw_p_values(p, ax)
    classes = ax.collections[0].get_array()
    np.testing.assert_array_equal(
        classes.filled(-1), [[-1, 0, 1], [2, -1, 1], [2, 2, -1]]
    )
    (legend,) = ax.figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == ["below 0.01", "0.01 to 0.05", "0.05 or more"]


@pytest.mark.parametrize("size", [8, 19, 23, 40])
def test_numbers_of_columns_do_not_overlap(size):
    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    figure.set_size_inches(8.8, 2.6 + 0.26 * size)
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, 2, gridspec_kw={"width_ratios": [1, 1.1]})
    explore.draw_p_values(pd.DataFrame(np.full((size, size), 0.5)), axes[1])
    canvas.draw()
    boxes = [label.get_window_extent() for label in axes[1].get_xticklabels()]
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_settled_acts_once_for_calls_that_follow_each_other():
    acts = []
    explore.settled(lambda: acts.append("at once"))()
    assert acts == ["at once"]

    async def change():
        call = explore.settled(lambda: acts.append("later"), wait=0.02)
        for _ in range(5):
            call()
            await asyncio.sleep(0)
        assert acts == ["at once"]
        await asyncio.sleep(0.1)
        call()
        await asyncio.sleep(0.1)

    asyncio.run(change())
    assert acts == ["at once", "later", "later"]


def test_picture_is_a_png_file():
    assert explore.picture(rankings(), out=["limsi"])[:4] == b"\x89PNG"


@pytest.mark.slow
def test_explorer_shows_a_choice_and_its_code(capsys, monkeypatch):
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    names, below = explore.explorer("wmt10:fr-en", ["limsi"]).children
    assert names.options == tuple(explore.offered())

    def shown():
        [box] = below.children
        left, right = box.children
        *controls, words = left.children
        return {c.description: c for c in controls}, *right.children, words

    controls, image, words = shown()
    assert [*controls] == ["out", "references"]
    assert controls["out"].options[0] == "rwth-combo"
    assert len(controls["out"].options) == 24 and controls["out"].value == ("limsi",)
    assert controls["references"].value and "without limsi" in words.value
    before = image.value
    controls["out"].value = ()
    assert image.value != before and "lines stay" in words.value

    names.value = "simulated-sr+dc:qa-qb"
    controls, image, words = shown()
    assert [*controls] == ["out", "references", "divisor", "test", "rule"]
    assert not controls["divisor"].continuous_update
    assert "lines stay" in words.value  # the choice begins as released
    controls["out"].value = ("HUMAN",)
    said, code = re.findall("<(?:p|code).*?>(.*?)</", unescape(words.value))
    assert "without HUMAN" in said and "out=('HUMAN',)" in code
    exec(code)
    assert capsys.readouterr().out.strip() == said
    controls["out"].value = controls["out"].options
    assert "would be left" in words.value


def test_offered_holds_what_can_be_loaded_here(monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    names = explore.offered()
    assert "wmt12:cs-en" in names and "wmt21:de-en" not in names
    for name in (names[0], names[-1]):
        assert len(campaigns.load_subject(name).systems) > 2
