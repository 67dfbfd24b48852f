"""Section 8 of Hopkins & May (2013): the grid, its curves and what is said of them."""

import numpy as np
import pandas as pd
import pytest
from random_comparisons import small_track

from examples import data_error, rng
from study import hopkins2013
from study.data import sources
from study.hopkins2013 import CURVES, GEOMETRIC, YEARS, section_8
from study.hopkins2013.registry import GAUSSIAN
from study.scoreboard import published, scoreboard
from study.scoreboard.published import load_published
from study.scoreboard.verdicts import judge_claim


def test_what_cannot_be_drawn_is_refused():
    track = small_track()
    with data_error("cannot draw 0 comparisons"):
        hopkins2013.draw_training_set(track.train, 0, rng())
    with data_error("no model 'Oracle'"):
        section_8.grid([track], ["Oracle"])


def test_a_cell_of_the_grid_does_not_depend_on_its_neighbours():
    track = small_track()
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


def test_perplexities_are_compared_with_those_of_training_on_everything():
    index = {"trial": 0, "task": "t"}
    whole = pd.DataFrame([("wmt10", "m", 2.0), ("wmt10", "n", 2.5)])
    whole = whole.set_axis(["campaign", "model", "perplexity"], axis=1)
    whole = whole.assign(size=100_000, **index)
    fewer = whole.iloc[:1].assign(size=1000, perplexity=2.02)
    above = section_8.above_everything(fewer, whole)
    assert above.loc["m", "wmt10"] == pytest.approx(1)
    assert [*above.index] == ["m"]  # n was not trained on fewer
