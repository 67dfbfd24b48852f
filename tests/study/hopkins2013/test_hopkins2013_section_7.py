"""Section 7 of Hopkins & May (2013): runs of the samplers."""

import numpy as np
import pandas as pd
from test_hopkins2013_section_8 import judged

from study.hopkins2013 import section_7


def test_a_sampler_that_is_right_on_average_is_quick_and_perhaps_not_consistent():
    runs = pd.DataFrame(
        2.6, ["IRT-Gaussian", "IRT-Categorical"], [*map(str, range(30))]
    )
    runs.loc["IRT-Categorical"] += np.tile([0.01, -0.01], 15)
    [facts] = section_7.of_sampler(runs.assign(**{"long run": 2.6})).values()
    assert [*judged("H-7-04", facts).values()] == [True, True, True, False]


def test_the_judge_of_figure_1_prefers_the_better_item_unless_they_look_alike():
    story, said = section_7.figure_1(radius=0.5)
    assert story["observed"].round(2).tolist() == [-0.42, 0.35]
    assert said.replace("\n", " ") == "0.77 apart, more than 0.5: item 205 is preferred"
    assert section_7.figure_1(radius=0.8)[1].endswith("no preference")
