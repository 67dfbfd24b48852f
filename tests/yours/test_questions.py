"""Questions are answered by values: what is planned, found, and left to say."""

from dataclasses import FrozenInstanceError

import pytest

from examples import example
from wmtlib.yours import answers, questions
from wmtlib.yours.questions import RankingOptions, RankingPlan


def test_a_ranking_is_planned_by_the_judgements_and_what_was_asked():
    options = RankingOptions(n_resamples=9, robust=True)
    votes = questions.ranking_of(example("pairwise"), ["soccer", "bojar"], options)
    assert votes.plan == RankingPlan("rank-ranges", None, (), 9, ("judge",), "judge")
    assert votes.pairs is None and votes.fewest.ranking.method == "bojar"
    assert [ranking.method for ranking in votes.rankings] == ["soccer", "bojar"]
    scores = questions.ranking_of(example("assessments"), (), RankingOptions())
    assert scores.plan.clusters == "unit" and scores.samples is None
    assert scores.plan.tested_by == ("document", "worker")
    with pytest.raises(FrozenInstanceError):
        votes.samples = None


def test_an_answer_says_the_same_of_the_same_judgements():
    judged = example("rankings")
    first, again = (answers.answer_stability(judged, ["soccer"]) for _ in range(2))
    assert first.about == again.about and [*first.tables] == [*again.tables]
    assert first.facts["methods"] == ["soccer"] and not first.warnings
