"""Printed ranks: worlds with a known truth, and ranges held against it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from study.beyond import printed_ranks
from study.beyond.printed_ranks import (
    ANCHOR,
    ARENA,
    MEASURES,
    SETS,
    WMT13,
    WMT16,
    VotedTask,
    VotedWorld,
    draw_votes,
    draw_with_truth,
    moments,
)
from study.beyond.wmt16 import CUT
from study.data import sources
from wmtlib.core.counts import TIE, rows_of

SYSTEMS = list("abcdef")


def votes(judges=20, segments=60, number=3000, *, ranking=False):
    """VotedTask votes on random pairs, or rankings of three; a fifth of them tied."""
    rng = np.random.default_rng(1)
    units = rng.integers((judges, segments), size=(number, 2))
    chosen = rng.random((number, len(SYSTEMS))).argsort(axis=1)[:, :3]
    frame = pd.DataFrame(units, columns=["judge", "segment"])
    if ranking:
        frame = frame.assign(ranking=range(number)).loc[np.repeat(frame.index, 3)]
        pairs = chosen[:, [[0, 1], [0, 2], [1, 2]]].reshape(-1, 2)
    else:
        pairs = chosen[:, :2]
    names = np.array(SYSTEMS)[pairs]
    frame = frame.assign(system_1=names[:, 0], system_2=names[:, 1])
    tied = rng.random(len(frame)) < 0.1 * (1 + frame["judge"] % 3)
    rows = rows_of(frame.assign(preference=np.where(tied, TIE, 1)))
    return VotedTask("votes", "votes", rows)


def test_a_world_has_the_design_and_the_ties_of_each_judge():
    design = votes(ranking=True)
    world = VotedWorld(np.linspace(60, 10, 6), 0.1, 0.1)
    rows = draw_votes(design, world, np.random.default_rng(2))
    judge = design.rows.frame["judge"]
    ties = [(each.preference == TIE).astype(int) for each in (design.rows, rows)]
    given, drawn = (pd.Series(tied).groupby(judge.to_numpy()).sum() for tied in ties)
    assert given.equals(drawn) and given.nunique() > 1
    # Systems are ten log-odds apart: the better wins, and neighbours are closest.
    apart = rows.second - rows.first
    won = np.where(rows.preference == 1, apart, -apart)
    assert (won[rows.preference != TIE] > 0).all()
    assert np.abs(apart[rows.preference == TIE]).mean() < np.abs(apart).mean() - 0.5


def test_outputs_of_a_ranking_are_in_one_order():
    design = votes(ranking=True)
    design.rows.preference[:] = 1  # no ties
    world = VotedWorld(np.zeros(6), 0.0, 0.0)
    rows = draw_votes(design, world, np.random.default_rng(2))
    first_won = (rows.preference == 1).reshape(-1, 3)  # (1, 2), (1, 3), (2, 3)
    in_cycle = (first_won[:, 0] == first_won[:, 2]) & (
        first_won[:, 0] != first_won[:, 1]
    )
    assert not in_cycle.any() and 0.45 < first_won.mean() < 0.55


def test_log_odds_and_moments_by_hand():
    table = [("a", "b", 1, "j", 1), ("a", "b", 1, "j", 2), ("a", "b", 2, "k", 1)]
    columns = ["system_1", "system_2", "preference", "judge", "segment"]
    design = VotedTask("", "", rows_of(pd.DataFrame(table, columns=columns)))
    score = printed_ranks.log_odds_of(
        design.rows
    )  # a won 2.5 and lost 1.5, with the prior
    assert score == pytest.approx([np.log(5 / 3), -np.log(5 / 3)])
    expected = np.tanh(np.log(5 / 3))
    j1, j2, k1 = 1 - expected, 1 - expected, -1 - expected
    found = printed_ranks.moments(design, design.rows)
    # Twice for the two orders of a pair, and twice for the two systems.
    assert found == pytest.approx([score.var(), 4 * j1 * j2, 4, 4 * j1 * k1, 4])


def test_calibrated_worlds_give_what_the_data_give():
    design = votes(60, 200, 9000)
    world = VotedWorld(np.linspace(0.8, -0.8, 6), 0.7, 0.5)
    rows = draw_votes(design, world, np.random.default_rng(5))
    fit = printed_ranks.calibrated_spreads([VotedTask("x", "x", rows)], 1)
    assert fit["value"]["taste"] == pytest.approx(0.7, abs=0.15)
    assert fit["value"]["sentence"] == pytest.approx(0.5, abs=0.15)
    assert fit["worlds"].to_numpy() == pytest.approx(fit["data"].to_numpy(), rel=0.25)
    strength = printed_ranks.world_of(VotedTask("x", "x", rows), fit).strength
    assert strength.std() == pytest.approx(world.strength.std(), rel=0.2)


def test_ranks_and_classes_of_intervals():
    ends = pd.DataFrame({"a": [3, 5], "b": [2, 3.5], "c": [0, 1], "d": [0.5, 2.5]})
    found = printed_ranks.by_intervals(pd.concat([ends] * 500))
    # b reaches a, d does not; c reaches d, which opens the second class.
    assert [*found.index] == ["a", "b", "d", "c"]
    assert found.to_numpy().tolist() == [[1, 2, 1], [1, 3, 1], [2, 4, 2], [3, 4, 2]]


def test_at_most_eight_classes():
    apart = pd.DataFrame([range(10)] * 40)
    found = printed_ranks.by_intervals(apart)
    assert found["cluster"].tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    assert found["first_rank"].tolist() == [*range(1, 11)]


def test_a_table_is_held_against_the_truth():
    table = pd.DataFrame(
        [[1, 1, 1], [2, 3, 2], [2, 3, 2], [4, 4, 3]], list("abcd"), CUT
    )
    as_printed = pd.Series({"a": 4, "b": 3, "c": 2, "d": 1})
    turned = pd.Series({"a": 3, "b": 4, "c": 2, "d": 1})
    held = printed_ranks.measured(table, as_printed, turned)
    assert held == [1, True, True, True, 1.5, False, 0.5]
    held = printed_ranks.measured(table, turned, as_printed)
    assert held == [0.5, False, False, False, 1.5, True, 1]
    one_group = table.assign(cluster=1)
    wrong = printed_ranks.measured(one_group, as_printed, as_printed)[-2]
    assert np.isnan(wrong)


def test_what_is_not_alike_is_drawn_anew_for_each_sentence_of_a_judge():
    design = votes()
    world = VotedWorld(np.zeros(len(design.rows.systems)), 1.0, 0.0)

    def within_judges(**changed):
        rng = np.random.default_rng(4)
        drawn = [draw_votes(design, world._replace(**changed), rng) for _ in range(40)]
        total = sum(moments(design, rows) for rows in drawn)
        return total[1] / total[2]

    shared = within_judges()
    assert shared > 0.05
    assert abs(within_judges(alike=(False, True))) < shared / 4


def test_strengths_on_the_sentences_differ_by_what_suits():
    design = votes()
    strength = np.arange(len(design.rows.systems), dtype=float)
    rng = np.random.default_rng(1)
    world = VotedWorld(strength, 0.5, 0.0)
    assert draw_with_truth(design, world, rng)[1].tolist() == strength.tolist()
    here = draw_with_truth(design, world._replace(sentence=1.0), rng)[1] - strength
    number = design.units[1].max() + 1
    assert 0.3 < here.std() * np.sqrt(number) < 3


def test_summary_is_over_tasks_not_worlds():
    values = {"one": [1, 1, 1, 0.4], "label": list("xxxy")}
    rows = pd.DataFrame(values).assign(rule=SETS)
    for name in MEASURES[1:]:
        rows[name] = 0.0
    row = printed_ranks.mean_over_tasks(rows).loc[SETS]
    assert row["tasks"] == 2 and row["one"] == pytest.approx(0.7)
    assert row["one_half"] == pytest.approx(0.3 * 12.7062, rel=1e-4)


def test_close_systems_break_wmt13s_promise_and_the_sets_hold(monkeypatch):
    design = votes(20, 15, 2500)
    world = VotedWorld(np.linspace(0.05, -0.05, 6), 0.3, 0.8)
    monkeypatch.setattr(printed_ranks, "RUN_WORLDS", 1)
    rows = printed_ranks.ranges_held(design, world, 12, 100, 1)
    found = rows.groupby("rule")[MEASURES].mean()
    assert found.loc[WMT13, "one"] < 0.85 and found.loc[WMT13, "all"] < 0.3
    assert found.loc[SETS, "all"] > 0.9
    assert found.loc[SETS, "ranks"] > found.loc[ANCHOR, "ranks"]
    assert rows["rule"].value_counts()[WMT16] == 1


def test_every_rule_holds_where_systems_are_far_apart(monkeypatch):
    monkeypatch.setattr(printed_ranks, "FEW", 0)
    world = VotedWorld(np.linspace(3, -3, 6), 0.0, 0.0)
    rows = printed_ranks.ranges_held(votes(), world, 5, 100, 1)
    assert rows[["one", "winner", "all", "first"]].eq(1).all(axis=None)
    same = printed_ranks.ranges_held(votes(), world, 5, 100, 1)
    pd.testing.assert_frame_equal(rows, same)


def test_a_judgement_holds_its_own_ranks_and_not_the_reverse():
    strength = np.linspace(3, -3, 6)
    rng = np.random.default_rng(1)
    one, other = (
        VotedTask("", "", draw_votes(votes(), VotedWorld(sign * strength, 0, 0), rng))
        for sign in (1, -1)
    )
    truths = [VotedWorld(sign * strength, 0, 0) for sign in (1, 1)]
    same = printed_ranks.second_judgement([one, one], truths, 1, 50, 1)
    assert same.eq(1).all(axis=None)
    assert [*same.index] == [WMT13, ARENA, ANCHOR, SETS] and [*same] == [
        "data",
        "world 1",
    ]
    turned = printed_ranks.second_judgement([one, other], truths, 1, 50, 1)
    assert turned.loc[WMT13].tolist() == [0, 1]


def test_designs_without_raw_files_are_the_examples():
    found = printed_ranks.designs(sources.resolve("embedded"))
    assert [each.label for each in found] == [
        "simulated pairwise",
        "simulated rankings",
    ]


def test_tasks_are_divided_at_the_median():
    designs = [votes(judges, 60, 400) for judges in (8, 9, 20)]
    designs = [VotedTask(f"{k}", "", each.rows) for k, each in enumerate(designs)]
    found = printed_ranks.halves(designs)
    assert found["judges"].tolist() == ["up to 9", "up to 9", "above 9"]
    assert found["systems"].tolist() == ["up to 6"] * 3


@pytest.mark.realdata
def test_designs_of_the_raw_files():
    found = printed_ranks.designs(sources.resolve("mirror"))
    kinds = pd.Series([each.kind for each in found]).value_counts()
    assert len(found) == 50 and kinds["wmt10-crowd"] == 7 and kinds["llmfao"] == 1


def test_ranges_are_written_beside_each_other_in_the_order_of_wmt13():
    one = pd.DataFrame([[1, 1, 1], [2, 3, 2]], ["b", "a"], CUT)
    other = pd.DataFrame([[1, 2, 1], [1, 2, 1]], ["a", "b"], CUT)
    found = printed_ranks.beside({WMT13: one, ARENA: other})
    assert found.loc["b"].tolist() == ["1-1", "1-2"]
    assert found.index.tolist() == ["b", "a"]


def shares_of_two_rules():
    """A rule that holds for 90 of 100, and one that always holds."""
    table = pd.DataFrame({"tasks": [5, 5]}, [WMT13, SETS])
    for name in printed_ranks.QUESTIONS:
        table = table.assign(**{name: [0.9, 1.0], f"{name}_half": [0.2, 0.0]})
    return printed_ranks.with_ends(table)


def test_shares_have_ends_between_0_and_1():
    shares = shares_of_two_rules()
    low, high = shares.loc[WMT13, ["all_low", "all_high"]]
    assert low == pytest.approx(0.7) and high == 1


def test_the_promise_and_the_questions_are_words_on_the_figure():
    fig, axes = plt.subplots(1, 3)
    printed_ranks.draw_promise(shares_of_two_rules(), axes)
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in axes]
    assert titles == ["one system", "the winner", "all systems at once"]
    for ax in axes:
        words = [text.get_text() for text in ax.texts]
        assert words == ["0.90", "1.00", "promised:\n95 %"]
    plt.close(fig)


def test_parts_of_tasks_are_averaged_and_named_in_words(ax):
    measures = dict.fromkeys(MEASURES, 1.0)
    tasks = {"a": 0.5, "b": 0.7, "c": 1.0}
    rows = pd.DataFrame(
        measures | {"label": label, "rule": rule, "world": 0, "one": one}
        for label, one in tasks.items()
        for rule in (WMT13, ARENA)
    )
    parts = pd.DataFrame({"systems": ["up to 9", "up to 9", "above 9"]}, [*tasks])
    table = printed_ranks.mean_by_part(rows, parts.assign(kind="wmt10"))
    assert table.loc[("systems: up to 9", WMT13), "one"] == pytest.approx(0.6)
    assert table.loc[("WMT10, experts", ARENA), "tasks"] == 3
    printed_ranks.draw_parts(table, ax)
    drawn = [label.get_text() for label in ax.get_yticklabels()]
    assert drawn == ["systems: above 9", "systems: up to 9", "WMT10, experts"]
