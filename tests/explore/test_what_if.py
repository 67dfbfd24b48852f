"""What a choice does to a ranking, in numbers, words and pictures; widgets without a browser."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib import scorers, zscores
from wmtlib.cluster_lines import RULES, TESTS, p_values, rank_campaign
from wmtlib.counts import Counts
from wmtlib.errors import DataError, DataUnavailable
from wmtlib.files import reader
from wmtlib.ranking import rank_by_score, rank_systems
from wmtlib.study.releases.sources import ROOT
from wmtlib.yours.explore import choices, picture, what_if, widgets
from wmtlib.yours.ranking_answer import answer_ranking

SVG = "{http://www.w3.org/2000/svg}"
SIMULATED = choices.load_subject("simulated-sr+dc", "qa-qc", source="embedded")
RANKED = choices.load_subject("wmt10", "fr-en", source="embedded")
SUBJECTS = [SIMULATED, RANKED]


@st.composite
def subjects_and_choices(draw):
    """A subject and anything that may be chosen of it."""
    subject = draw(st.sampled_from(SUBJECTS))
    lists = {name: draw(st.sampled_from(found)) for name, found in choices.options(subject).items()}
    out = draw(st.sets(st.sampled_from(subject.systems), max_size=len(subject.systems) - 2))
    divisor = draw(st.sampled_from([1, 1.25, 4, 10])) if subject is SIMULATED else 1
    references = draw(st.booleans())
    return subject, choices.changed_choice(
        subject, out=frozenset(out), divisor=divisor, references=references, **lists
    )


def tiny():
    """a beats b 9 to 1, b beats c 9 to 1, a and c are even; the reference beats c alone."""
    names = ["_ref", "a", "b", "c"]
    wins = [[0, 0, 0, 5], [0, 0, 9, 3], [0, 1, 0, 9], [0, 3, 1, 0]]
    wins = pd.DataFrame(wins, names, names)
    counts = Counts(wins, wins * 0)
    return choices.Subject("tiny", counts, ("a", "b", "c"), (), "wmt-official")


@given(subjects_and_choices())
def test_any_choice_gives_a_picture_that_shows_it(chosen):
    subject, choice = chosen
    seen = what_if.compare_with_released(subject, choice)
    assert sorted(seen.after.order) == sorted({*subject.systems} - choice.out)
    assert not seen.after.ranked.lines[-1]
    assert np.abs(seen.after.tint).max() <= 1
    assert bool(seen.crossed) == bool(seen.changes["kendall"])
    assert seen.changes["largest_move"] == max(map(abs, seen.moved.values()))
    tree = ElementTree.fromstring(picture.svg(seen))
    size = len(seen.after.order)
    assert len(tree.findall(f"{SVG}rect")) == size * (size - 1)
    kinds = [path.get("class") for path in tree.findall(f"{SVG}path")]
    assert kinds.count("crossed") == len(seen.crossed)
    assert kinds.count("crossed") + kinds.count("straight") == size
    drawn = seen.before.ranked.lines.sum() + seen.after.ranked.lines.sum()
    assert kinds.count("significant") == drawn
    assert what_if.sentence(seen) in tree.find(f"{SVG}desc").text


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda s: s.label)
def test_as_released_nothing_moves(subject):
    seen = what_if.compare_with_released(subject, choices.changed_choice(subject))
    assert not seen.crossed and not any(seen.moved.values())
    assert what_if.sentence(seen).endswith(
        "The order of all pairs of systems stays. The lines stay."
    )


def test_direct_assessment_is_ranked_as_elsewhere():
    for test in TESTS:
        for rule in RULES:
            choice = choices.changed_choice(
                SIMULATED, test=test, rule=rule, out=frozenset(["HUMAN"])
            )
            found = what_if.view(SIMULATED, choice)
            campaign = SIMULATED.data.without(["HUMAN"], items=(), paired=False)
            wanted = rank_campaign(campaign, test=test, rule=rule)
            assert found.order == wanted.names
            assert found.ranked.lines.tolist() == wanted.lines.tolist()
            p = p_values(zscores.segment_means(campaign), test=test)
            p = p.loc[found.order, found.order]
            pd.testing.assert_frame_equal(found.heatmap, p)


def test_the_divisor_acts_on_humans_and_references_before_the_scales():
    choice = choices.changed_choice(SIMULATED, divisor=4, heatmap=choices.DIFFERENCE)
    campaign = SIMULATED.data
    human = campaign.systems.index("HUMAN")
    rows = np.isin(np.arange(len(campaign.score)), campaign.credit[campaign.credit_system == human])
    rows = rows & campaign.is_item("SYSTEM", "REPEAT") | campaign.is_item("REF")
    ranked = rank_systems(replace(campaign, score=campaign.divided(rows, 4)))
    found = what_if.view(SIMULATED, choice)
    assert found.order == ranked.order
    z = ranked.table["score"].to_numpy()
    np.testing.assert_allclose(found.heatmap, z[:, None] - z)


def test_every_judgement_alike_weighs_judgements():
    choice = choices.changed_choice(SIMULATED, weighting=choices.JUDGEMENTS)
    campaign, found = SIMULATED.data, what_if.view(SIMULATED, choice).ranked
    z = zscores.standardised(campaign)
    usable = campaign.rated[campaign.credit] & np.isfinite(z[campaign.credit])
    rows = pd.Series(z[campaign.credit[usable]])
    mean = rows.groupby(campaign.credit_system[usable]).mean()
    np.testing.assert_allclose(found.score, mean)


def test_references_can_leave_the_scales():
    found = what_if.view(SIMULATED, choices.changed_choice(SIMULATED, references=False)).ranked
    without = SIMULATED.data.without([], items=["REF"], paired=False)
    np.testing.assert_allclose(found.score, rank_systems(without).column("score").sort_index())


def test_how_often_systems_met_is_1_at_most():
    cells = what_if.view(SIMULATED, choices.changed_choice(SIMULATED, heatmap=choices.MET)).heatmap
    assert cells.to_numpy().min() > 0 and cells.to_numpy().max() == 1


@pytest.mark.parametrize("scorer", scorers.SCORERS)
def test_relative_rankings_are_scored_as_elsewhere(scorer):
    choice = choices.changed_choice(RANKED, scorer=scorer, out=frozenset(["onlineB"]))
    scores = scorers.score(scorer, RANKED.data.without("onlineB"), reference="_ref")
    assert what_if.view(RANKED, choice).order == rank_by_score(choice.scorer, scores).order


def test_the_sign_test_by_hand():
    """9 of 10: one-sided 11/1024, two-sided 22/1024; 3 of 6: 42/64 and 1."""
    subject = tiny()
    p = what_if.view(subject, choices.changed_choice(subject, heatmap=choices.P)).heatmap
    assert p.loc["a", "b"] == pytest.approx(11 / 1024) and p.loc["a", "c"] == pytest.approx(42 / 64)
    p = what_if.view(
        subject, choices.changed_choice(subject, heatmap=choices.P, test="two-sided")
    ).heatmap
    assert p.loc["a", "b"] == pytest.approx(stats.binomtest(9, 10).pvalue) == 22 / 1024
    assert p.loc["b", "a"] == 1 and p.loc["a", "c"] == 1


def test_a_heatmap_tells_direction_and_what_contradicts_the_ranking():
    subject = tiny()
    for heatmap in (choices.P, choices.SHARE):
        found = what_if.view(
            subject, choices.changed_choice(subject, heatmap=heatmap, scorer="bojar")
        )
        assert found.order == ["a", "b", "c"]
        assert found.tint[0, 1] > 0 > found.tint[1, 0] and found.tint[0, 2] == 0
    change = what_if.compare_with_released(subject, subject.released)
    upside_down = what_if.View(found.ranked, found.heatmap, -found.tint)
    for after, frames in ((found, 0), (upside_down, 2)):
        drawn = picture.svg(replace(change, after=after))
        assert len(re.findall(r'<rect[^>]* stroke="#000"', drawn)) == frames


def test_only_the_official_score_counts_the_reference():
    subject = tiny()
    for scorer in choices.options(subject)["scorer"]:
        with_reference = what_if.view(
            subject, choices.changed_choice(subject, scorer=scorer)
        ).ranked.score
        without = choices.changed_choice(subject, scorer=scorer, references=False)
        same = np.array_equal(
            with_reference, what_if.view(subject, without).ranked.score, equal_nan=True
        )
        assert same == (scorer != "wmt-official")


def test_what_cannot_be_chosen_is_refused():
    for wrong, said in [
        ({"test": "legacy"}, "test is 'legacy'; expected one-sided, two-sided"),
        ({"out": frozenset(["z"])}, "system is 'z'; expected a, b, c"),
        ({"divisor": 0.5}, "divisor is 0.5; expected a number from 1 to 10"),
    ]:
        with pytest.raises(DataError, match=said):
            choices.changed_choice(tiny(), **wrong)
    for subject in (tiny(), SIMULATED):
        out = frozenset(subject.systems[1:])
        with pytest.raises(DataError, match="expected two or more"):
            what_if.compare_with_released(subject, choices.changed_choice(subject, out=out))
    with pytest.raises(DataError):
        choices.load_subject("wmt10", "xx-yy", source="embedded")
    with pytest.raises(DataUnavailable):
        choices.load_subject("wmt21", "de-en", source="embedded")


def test_humans_stand_for_every_human_translation():
    assert choices.changed_choice(SIMULATED, out=frozenset(["humans"])).out == {"HUMAN"}
    assert choices.changed_choice(RANKED, out=frozenset(["humans"])).out == frozenset()


def test_names_are_text_in_the_picture():
    wins = pd.DataFrame([[0, 3], [1, 0]], ["<b>&", "x" * 60], ["<b>&", "x" * 60])
    subject = choices.Subject("<i>", Counts(wins, wins * 0), tuple(wins.index), (), "bojar")
    tree = ElementTree.fromstring(
        picture.svg(what_if.compare_with_released(subject, choices.changed_choice(subject)))
    )
    texts = [text.text for text in tree.findall(f"{SVG}text")]
    assert "1 <b>&" in texts and max(map(len, texts)) < 90
    assert any(t.text == "2 " + "x" * 60 for t in tree.findall(f"{SVG}text/{SVG}title"))


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda s: s.label)
def test_the_picture_for_paper_shows_the_systems_that_are_left(subject):
    fig, axes = plt.subplots(1, 2)
    seen = what_if.compare_with_released(
        subject, choices.changed_choice(subject, out=frozenset(subject.systems[:1]))
    )
    picture.draw_change(seen, axes)
    assert [t.get_text() for t in axes[1].get_yticklabels()] == seen.after.order
    plt.close(fig)


def test_only_a_front_end_names_the_cell(monkeypatch):
    assert not widgets.live()
    for metadata, found in [({}, False), ({"cellId": "a"}, True)]:
        shell = SimpleNamespace(get_parent=lambda metadata=metadata: {"metadata": metadata})
        monkeypatch.setattr(widgets, "get_ipython", lambda shell=shell: shell)
        assert widgets.live() is found


def test_the_catalogue_holds_counts_and_simulated_campaigns_without_data():
    found = choices.campaigns_at_hand("embedded")
    assert [*found][:4] == ["wmt10", "wmt10-crowd", "wmt11", "wmt12"]
    assert all(name.startswith("simulated") for name in [*found][4:])


@pytest.mark.parametrize("kind", ["pairwise", "assessments"])
def test_a_file_of_ones_own_is_a_campaign(kind):
    path = str(ROOT / "examples" / f"{kind}.csv")
    explorer = widgets.Explorer(path, "", source="embedded")
    ranked = explorer.change.before.order
    assert [*explorer.systems] == ranked == answer_order(path)
    explorer.systems[ranked[0]].value = False
    assert explorer.change.after.order[0] != ranked[0]
    assert explorer.campaign.options[:2] == (path, "wmt10")


def answer_order(path):
    found = answer_ranking(reader.read(path)).document["methods"][0]["systems"]
    return [row["system"] for row in found]


def test_a_choice_can_be_copied_as_code(capsys):
    explorer = widgets.Explorer("simulated-sr+dc", "qa-qc", source="embedded")
    explorer.systems["HUMAN"].value = False
    explorer.divisor.value = 2
    assert "changed_choice(subject, out=['HUMAN'], divisor=2.0)" in explorer.code.value
    exec(explorer.code.value)
    assert capsys.readouterr().out == what_if.sentence(explorer.change) + "\n"


def test_the_controls_move_the_picture(monkeypatch):
    pairs = {**choices.campaigns_at_hand("embedded"), "wmt21": ["de-en"]}  # it cannot be loaded
    monkeypatch.setattr(widgets, "campaigns_at_hand", lambda source: pairs)
    explorer = widgets.Explorer("simulated-sr+dc", "qa-qc", source="embedded")
    before = explorer.picture.value
    explorer.systems["HUMAN"].value = False
    assert explorer.change.crossed and explorer.picture.value != before
    assert "falls below" in explorer.status.value
    for name in explorer.systems:
        explorer.systems[name].value = False
    assert "expected two or more" in explorer.status.value
    explorer.campaign.value = "wmt11"
    assert explorer.change.subject.label.startswith("2011") and not explorer.change.crossed
    explorer.pair.value = "ur-en-tunable"
    explorer.lists["scorer"].value = "mfas"
    assert explorer.change.choice.scorer == "mfas"
    explorer.controls.children[0].children[-1].click()
    assert explorer.change.choice == explorer.change.subject.released
    explorer.campaign.value = "wmt21"
    assert "simulated campaigns only" in explorer.status.value
    assert not explorer.controls.children and not explorer.picture.value
    with pytest.raises(DataError, match="is at hand"):
        widgets.Explorer("wmt21", "xx-en", source="embedded")


@pytest.mark.realdata
def test_german_english_2021_flips_without_its_human_translation(mirror):
    subject = choices.load_subject("wmt21", "de-en", source="mirror")
    seen = what_if.compare_with_released(
        subject, choices.changed_choice(subject, out=frozenset(["HUMAN.0"]))
    )
    assert seen.crossed == {"Online-A.12", "Online-W.3", "Online-B.11", "Online-Y.1"}
    for rule in RULES:
        picture.svg(
            what_if.compare_with_released(
                subject, choices.changed_choice(subject, rule=rule, divisor=10)
            )
        )
