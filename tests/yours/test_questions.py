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


def test_an_answer_is_said_of_a_result_and_changes_nothing_in_it():
    result = questions.stability_of(example("rankings"), ["soccer"])
    first = answers.document(result)
    again = answers.document(result)
    assert first.about == again.about and [*first.tables] == [*again.tables]
    assert first.facts["methods"] == "soccer" and not result.warnings
