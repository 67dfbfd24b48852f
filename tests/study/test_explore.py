"""What a choice does to a ranking: numbers, words, a picture; widgets."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from examples import data_error
from study import explore
from study.explore import load_subject
from wmtlib import zscores
from wmtlib.cluster_lines import RULES, rank_campaign
from wmtlib.counts import Counts
from wmtlib.methods import rank, rank_systems
from wmtlib.pairwise_tests import DIGITS, TESTS, p_values

SIMULATED = load_subject("simulated-sr+dc", "qa-qc", source="embedded")
RANKED = load_subject("wmt10", "fr-en", source="embedded")


@st.composite
def subjects_and_choices(draw):
    """A subject and anything that may be chosen of it."""
    subject = draw(st.sampled_from([SIMULATED, RANKED]))
    lists = {
        name: draw(st.sampled_from(values)) for name, values in subject.options.items()
    }
    few = len(subject.systems) - 2
    out = draw(st.sets(st.sampled_from(subject.systems), max_size=few))
    divisor = draw(st.sampled_from([1, 1.25, 4, 10])) if subject is SIMULATED else 1
    lists["references"] = draw(st.booleans())
    return subject, explore.choose(subject, out=out, divisor=divisor, **lists)


@given(subjects_and_choices())
def test_any_choice_ranks_the_systems_that_are_left(chosen):
    subject, choice = chosen
    change = explore.compare_with_released(subject, choice)
    assert sorted(change.after.names) == sorted({*subject.systems} - choice.out)
    assert change.heatmap.index.tolist() == change.after.names
    places = {name: k for k, name in enumerate(change.after.names)}
    order = [places[name] for name in change.before.names]
    assert change.changes["kendall"] == sum(
        a > b for k, a in enumerate(order) for b in order[k + 1 :]
    )


def test_direct_assessment_is_ranked_as_elsewhere():
    for test in TESTS:
        for rule in RULES:
            choice = explore.choose(SIMULATED, test=test, rule=rule, out=["HUMAN"])
            change = explore.compare_with_released(SIMULATED, choice)
            campaign = SIMULATED.data.without(["HUMAN"], items=(), paired=False)
            wanted = rank_campaign(campaign, test=test, rule=rule)
            assert change.after.names == wanted.names
            assert change.after.lines.tolist() == wanted.lines.tolist()
            means = zscores.segment_means(campaign).round({"z": DIGITS})
            p = p_values(means, test=test)
            pd.testing.assert_frame_equal(
                change.heatmap, p.loc[wanted.names, wanted.names]
            )


def test_the_divisor_acts_on_humans_and_references_before_the_scales():
    choice = explore.choose(SIMULATED, divisor=4, heatmap=explore.DIFFERENCE)
    campaign = SIMULATED.data
    human = campaign.systems.index("HUMAN")
    rows = np.isin(
        np.arange(len(campaign.score)), campaign.credit[campaign.credit_system == human]
    )
    rows = rows & campaign.is_item("SYSTEM", "REPEAT") | campaign.is_item("REF")
    ranked = rank_systems(campaign.divided(rows, 4))
    change = explore.compare_with_released(SIMULATED, choice)
    assert change.after.names == ranked.order
    z = ranked.table["score"].to_numpy()
    np.testing.assert_allclose(change.heatmap, z[:, None] - z)


def test_relative_rankings_by_hand():
    """a beats b and b beats c 9 to 1, a and c are even; the reference beats c."""
    names = ["_ref", "a", "b", "c"]
    wins = [[0, 0, 0, 5], [0, 0, 9, 3], [0, 1, 0, 9], [0, 3, 1, 0]]
    wins = pd.DataFrame(wins, names, names)
    subject = explore.Subject("tiny", Counts(wins, wins * 0), scorer="wmt-official")
    change = explore.compare_with_released(
        subject, explore.choose(subject, heatmap=explore.P)
    )
    assert subject.systems == ("a", "b", "c") and change.after.names == ["a", "b", "c"]
    assert (
        change.heatmap.loc["a", "b"]
        == stats.binomtest(9, 10, alternative="greater").pvalue
    )
    choice = explore.choose(subject, references=False)
    fewer = explore.compare_with_released(subject, choice)
    assert fewer.after.names == rank(subject.data.without("_ref"), "wmt-official").order
    assert "references left out" in explore.sentence(fewer)


def test_what_cannot_be_chosen_is_refused():
    for change, message in [
        ({"scorer": "best"}, "scorer is 'best'; expected wmt-official"),
        ({"out": ["nobody"]}, "system is 'nobody'"),
        ({"divisor": 11}, "divisor is 11; expected a number from 1 to 10"),
    ]:
        with data_error(message):
            explore.choose(RANKED, **change)
    with data_error(r"1 system\(s\) would be left"):
        explore.ranked(RANKED, explore.choose(RANKED, out=RANKED.systems[1:]))


def test_the_controls_draw_again_when_they_change(monkeypatch, tmp_path):
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    monkeypatch.chdir(tmp_path)
    box = explore.explorer("wmt10:fr-en", explore.subject, explore.offered())
    column, _ = box.children
    data, *controls, save, lines = column.children
    names = [control.description for control in controls]
    assert names == ["leave out", "references count", *RANKED.options]
    assert controls[0].options[0] == "rwth-combo" and len(controls[0].options) == 24
    controls[0].value = ("onlineB",)
    assert "out=['onlineB']" in lines.value
    scope = {}
    exec(lines.value, scope)
    assert scope["choice"] == explore.choose(RANKED, out=["onlineB"])
    save.click()
    assert [path.name for path in tmp_path.iterdir()] == [
        "ranking-2010-French-English.png"
    ]
    (tmp_path / "votes.csv").write_text("model_a,model_b,winner\nx,y,x\nx,y,y\nx,y,x\n")
    data.value = "votes.csv"
    assert box.children[0].children[1].options == ("x", "y")
    data.value = "nothing.csv"
    assert "nothing.csv" in box.children[1].value


def test_what_cannot_be_had_here_is_not_offered(monkeypatch):
    monkeypatch.delenv("WMTLIB_DATA", raising=False)
    names = explore.offered()
    assert "wmt12:cs-en" in names and "wmt21:de-en" not in names
    for name in (names[0], names[-1]):
        assert len(explore.subject(name).systems) > 2
