"""Hopkins & May (2013): what is drawn, trained and compared, and the verdicts."""

import competitions
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from examples import data_error, rng, shown
from study import hopkins2013
from study.data import sources
from study.hopkins2013 import (
    CURVES,
    GAUSSIAN,
    GEOMETRIC,
    YEARS,
    Track,
    figure_6,
    section_4,
    section_7,
    section_8,
    which_model,
)
from study.hopkins2013.which_model import MAIN
from study.scoreboard import published, scoreboard
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import judge_claim
from wmtlib import bradley_terry
from wmtlib.irt import GaussianSettings
from wmtlib.models import PreferenceModel, perplexity

SYSTEMS = tuple(competitions.competition_names(1, 4))


def comparisons(n, seed=1):
    """Random comparisons of four systems, eight in a ranking."""
    frame, _ = competitions.simulate(
        GaussianSettings(radius=0.8), rng(seed), comparisons=n
    )
    return frame.assign(ranking=np.arange(n) // 8)


@pytest.fixture
def track():
    return Track("wmt00", "xx-yy", comparisons(400), comparisons(100, 2), SYSTEMS)


# --- training sets and the grid -------------------------------------------------------


@given(st.integers(1, 60), st.integers(0, 5))
def test_single_comparisons_are_drawn_without_replacement(size, seed):
    drawn = hopkins2013.draw_training_set(comparisons(40), size, rng(seed))
    assert len(drawn) == min(size, 40)  # footnote 12: all of it if there is no more
    assert drawn.index.is_unique


def test_whole_rankings_are_drawn_whole_but_for_the_last(track):
    drawn = hopkins2013.draw_training_set(track.train, 60, rng(0), unit="ranking")
    sizes = drawn["ranking"].value_counts()
    assert sorted(sizes) == [4, *[8] * 7]


def test_what_cannot_be_drawn_is_refused(track):
    with data_error("cannot draw 0 comparisons"):
        hopkins2013.draw_training_set(track.train, 0, rng())
    with data_error("no model 'Oracle'"):
        section_8.grid([track], ["Oracle"])


def test_a_cell_of_the_grid_does_not_depend_on_its_neighbours(track):
    options = {"seed": 7, "trials": 2}
    small = section_8.grid([track], ["irt-gaussian"], sizes=[50], **options)
    models = ["independent-pairs", "irt-gaussian"]
    large = section_8.grid([track], models, sizes=[100, 50], **options)
    same = large.query("size == 50 and model == 'irt-gaussian'").reset_index(drop=True)
    pd.testing.assert_frame_equal(small, same)


def test_curves_average_tracks_then_trials():
    table = pd.DataFrame({"task": ["t1", "t2"] * 2, "trial": [0, 0, 1, 1]})
    table = table.assign(campaign="c", model="m", size=100, perplexity=[2.0, 4, 3, 6])
    [row] = section_8.curves(table).to_dict("records")
    # Trials: 3 and 4.5.
    assert row == pytest.approx({"perplexity": 3.75, "error": 0.75})


def test_the_tuned_tracks_and_the_reference_are_left_out():
    years = ("wmt10", "wmt12")
    tracks = {c: hopkins2013.load_tracks(c, source="embedded") for c in years}
    left = hopkins2013.untuned(tracks)
    assert len(left) == 14
    assert not {t.task for t in left if t.campaign == "wmt10"} & {*hopkins2013.TUNED_ON}
    rows = shown("ra1", "ab2").replace("r", "_ref")
    track = Track("wmt00", "xx-yy", rows, rows, ("_ref", "a", "b"))
    track = hopkins2013.without_reference(track)
    assert track.systems == ("a", "b") and len(track.train) == len(track.test) == 1


# --- sections 1 to 7 ------------------------------------------------------------------


@pytest.mark.parametrize(
    "units, independent",
    [(np.tile(np.arange(4), 20), True), (np.repeat(np.arange(4), 20), False)],
    ids=["alternating", "by judge"],
)
def test_what_goes_with_a_judge_is_not_dealt_at_random(units, independent):
    judges = np.repeat(np.arange(4), 20)
    found = section_4.dealt_at_random(judges, units, np.arange(80), rng())
    assert found == independent


def test_design_effect_of_segments_that_are_all_alike_is_their_size():
    q = np.broadcast_to([0.5, 0.25, 0.25], (2, 2, 3))  # a tie costs one bit, a win two
    model = PreferenceModel(("a", "b"), q)
    test = pd.DataFrame({"system_1": "a", "system_2": "b", "segment": [1, 1, 2, 2]})
    alike, mixed = (test.assign(preference=p) for p in ([0, 0, 1, 1], [0, 1, 0, 1]))
    assert section_4.effect_of_segments(model, alike) == pytest.approx(2)
    assert section_4.effect_of_segments(model, mixed) == pytest.approx(0)


# --- Figure 5: perplexities that are made up ------------------------------------------

LEVELS = dict(
    zip(CURVES, [3.0, 2.9, 2.75, 2.8, 2.72, 2.7, 2.8, 2.6, 2.65], strict=True)
)
CROWD = {**LEVELS, GEOMETRIC: 2.78, GAUSSIAN: 2.62}


def grid(levels, campaigns, scatter=0.0):
    """Perplexities of two tracks: those of `levels` at every size and trial."""
    index = pd.MultiIndex.from_product(
        [campaigns, ["t1", "t2"], levels, hopkins2013.SIZES, range(2)],
        names=["campaign", "task", "model", "size", "trial"],
    )
    table = index.to_frame(index=False)
    higher = table["task"].map({"t1": scatter, "t2": 0.01 - scatter})
    return table.assign(perplexity=table["model"].map(levels) + higher)


def test_the_crowd_costs_a_share_of_the_gain():
    measured = pd.concat(
        [grid(LEVELS, YEARS), grid(CROWD, ["wmt10-crowd"], scatter=1e-3)]
    )
    last = measured.query("size == 3200")
    values = section_8.of_curves(
        measured,
        no_reference=last,
        enough=last,
        everything=last,
        apart=pd.Series([0.4, 0.8]),
    )
    source = sources.Source("download", "00000000")  # as if all data were at hand
    board = scoreboard.compare("hopkins2013", "20-perplexity", values, source=source)
    rows = ["H-8-03", "H-F5-01", "H-F5-02", "H-8-07", "H-9-01"]
    board = board.set_index("id").loc[rows]
    assert board["status"].tolist()[:4] == ["holds", "holds", "holds", "does-not-hold"]
    _, geometric, irt, _, higher = board["reproduced"]
    # .08 of .2.
    assert geometric == "Geometric Students loses 40 % of its gain; +0.080"
    assert irt == "IRT-Gaussian loses 7 %, IRT-Categorical loses 0 % of its gain"
    assert higher.startswith("Geometric Students +0.080, higher on 2 of 2 tracks")


BEST = {"gaussian": 2.58, "lowest": 2.58, "others": 2.6, "best_other": "Geometric"}
EQUAL = {"IRT-Gaussian": 800, "IRT-Categorical": 800}
LATER = {"IRT-Gaussian": 800, "IRT-Categorical": 400}


@pytest.mark.parametrize(
    "row, facts, parts",
    [
        ("H-8-05", BEST | {"categorical": 2.59, "error": 0.005}, [True, True]),
        ("H-8-05", BEST | {"categorical": 2.60, "error": 0.005}, [True, None]),
        ("H-8-05", BEST | {"categorical": 2.61, "error": 0.005}, [True, False]),
        ("H-8-06", BEST | {"settled": EQUAL}, [True, None]),
        ("H-8-06", BEST | {"settled": LATER}, [True, False]),
        ("H-N13-01", {"tuned": np.array([2.5, 2.465, 2.471])}, [True, None]),
        ("H-N13-01", {"tuned": np.array([2.5, 2.4, 2.471])}, [False, False]),
        ("H-9-04", {"apart": pd.Series([0.6, 0.8])}, [True, False]),
        ("H-9-04", {"apart": pd.Series([0.92, 0.94])}, [True, True]),
    ],
)
def test_parts_that_a_tie_leaves_open_are_undecided(row, facts, parts):
    assert [*judged(row, {"categorical": 2.6} | facts).values()] == parts


def judged(row, facts):
    """Parts of a claim of the paper, over facts."""
    rows = load_published("hopkins2013").set_index("id", drop=False)
    words = {**published.words(), **facts}
    return judge_claim({**rows.loc[row], "shows": ""}, words).parts


def test_a_sampler_that_is_right_on_average_is_quick_and_perhaps_not_consistent():
    runs = pd.DataFrame(
        2.6, ["IRT-Gaussian", "IRT-Categorical"], [*map(str, range(30))]
    )
    runs.loc["IRT-Categorical"] += np.tile([0.01, -0.01], 15)
    [facts] = section_7.of_sampler(runs.assign(**{"long run": 2.6})).values()
    assert [*judged("H-7-04", facts).values()] == [True, True, True, False]


# --- Figure 6 -------------------------------------------------------------------------


def trainings(means):
    """Six trainings whose abilities scatter about given means."""
    draws = np.add(means, 0.01 * rng(0).standard_normal((240, 5)))
    return pd.DataFrame(draws, [np.arange(240) // 40], [*"abcde"]).rename_axis(
        ["training"]
    )


def test_gaps_neighbours_and_strata():
    means = np.array([[0.0, 3.0, 0.9, 0.95, -1.0]])
    assert figure_6.widest_gaps(means).tolist() == [[True, False, True, True]]
    table = figure_6.ability_table(trainings([0, 2, 0, 1, -1]))
    assert [*table.index[:2]] == ["b", "d"]
    assert table["gap"].iloc[:2].tolist() == pytest.approx([1, 1], abs=0.02)
    assert table["above_next"].iloc[[0, 1]].tolist() == [1, 1]
    assert 0.2 < table["above_next"].iloc[2] < 0.8  # 0 and 0: a coin
    assert table.iloc[-1][["gap", "above_next"]].isna().all()
    means = trainings([0, -1, -1.1, -5, -9]).groupby("training").mean()
    shares = figure_6.strata_shares(means, 3, rng())
    assert shares[[1, 3, 4]].tolist() == [1, 1, 1]
    assert shares["all three"] == 0  # those of the paper are after students 1, 7 and 10


# --- methods compared in pairs --------------------------------------------------------


def made_up(perplexities):
    """Losses on a track for each row of perplexities, alike in both of its segments."""
    bits = np.log2(perplexities)
    losses = pd.concat(
        {2: 2 * bits.assign(comparisons=1), 3: 3 * bits.assign(comparisons=1)}
    )
    losses = losses.rename_axis(["unit", "task"]).assign(campaign="wmt00")
    return losses.set_index("campaign", append=True).sort_index(level="task")


@pytest.mark.parametrize("comparisons, error", [([1, 3], 0), ([1, 1], 1)])
def test_segments_are_drawn_whole(comparisons, error):
    # Two tracks of two segments: if all have two bits a comparison, so has each sample.
    losses = pd.DataFrame(
        {"m": [2.0, 6.0] * 2, "n": 0.0, "comparisons": comparisons * 2}
    )
    losses.index = pd.MultiIndex.from_product([["c"], ["t", "u"], range(2)])
    losses = losses.rename_axis(["campaign", "task", "unit"])
    assert set(which_model.method_perplexities(losses)["m"]) == {4.0 ** (1 + error)}
    table = which_model.compare_methods(losses, [("m", "n")], n_resamples=50, rng=rng())
    assert (table["segments_error"].item() > 0) == error


def test_differences_are_paired_and_all_but_the_main_one_corrected():
    level = pd.Series([2.0, 2.3, 2.6, 2.1, 2.5, 2.8])
    gap = pd.Series([0.01, 0.02, 0.015, 0.03, 0.025, 0.02])
    columns = {MAIN[0]: level, MAIN[1]: level + gap, "rao-kupper": level + 2 * gap}
    pairs = [MAIN, ("rao-kupper", MAIN[1]), ("rao-kupper", MAIN[0])]
    table = which_model.compare_methods(
        made_up(pd.DataFrame(columns)), pairs, n_resamples=10, rng=rng()
    )
    low, high = stats.t.interval(0.95, 5, -gap.mean(), stats.sem(gap))
    main = table.loc[MAIN]
    others = table.iloc[1:]
    expected = pytest.approx([-gap.mean(), low, high])
    assert main[["difference", "low", "high"]].tolist() == expected
    assert main["better"] == main["tracks"] == 6
    assert main["p"] == main["p_holm"] == pytest.approx(2 / 2**6)
    assert (others["better"] == 0).all()
    assert others["p_holm"].to_numpy() == pytest.approx(2 * others["p"].to_numpy())
    assert table["segments_error"].max() < 1e-9  # all segments are alike


def test_the_loss_of_distances_is_shared_out():
    rows = [[13, 11, 12], [12, 11, 11.5], [13, 12, 12.5]]  # mfas, bojar, bojar-places
    tracks = made_up(pd.DataFrame(rows, columns=which_model.DISTANCES))
    table = which_model.loss_of_distances({"all": tracks}, n_resamples=200, rng=rng())
    difference, low, high, *shares = table.loc["all"].drop("tracks")
    assert difference == pytest.approx(4 / 3) and low < difference < high
    assert shares == pytest.approx([0.5] * 3)


def test_held_out_losses_are_those_of_the_models():
    train = comparisons(400, 5)
    test = comparisons(200, 6)
    track = Track("wmt00", "xx-yy", train, test, SYSTEMS)
    methods = [*MAIN, "bojar", "bojar-places"]
    losses, radii = which_model.held_out([track], methods, seed=1)
    davidson = bradley_terry.fit(train, systems=SYSTEMS, ties="davidson")
    assert which_model.method_perplexities(losses)[
        "bradley-terry"
    ].item() == pytest.approx(perplexity(davidson, test))
    assert losses["comparisons"].sum() == 200 and len(losses) <= 10
    assert 0.5 < radii["irt-gaussian"].item() < 1.1
