"""What judgements were collected by."""

import pandas as pd
import pytest

from wmtlib.core.assessments import encode
from wmtlib.core.counts import counts_of, rows_of
from wmtlib.core.errors import DataError
from wmtlib.core.units import Units, codes_of, named, one_kind, usual_units


def votes(**units):
    """A comparisons frame of 12 votes, with columns of units."""
    rows = {"system_1": "x", "system_2": "y", "preference": [1, 2, 1, 0] * 3}
    return rows_of(pd.DataFrame(rows | units))


def assessments(workers=8, documents=9, **columns):
    """A campaign of two systems, in which every worker judged every document."""
    rows = [
        (f"w{w}", system, f"d{d}", "1", 10 * w + d)
        for w in range(workers)
        for d in range(documents)
        for system in "xy"
    ]
    names = ["worker", "system", "document", "segment", "score"]
    frame = pd.DataFrame(rows, columns=names)
    usual = {"hit": "", "item": "SYSTEM", "accepted": True, "language_pair": ""}
    return encode(frame.assign(**usual | columns))


def test_usual_units_are_the_largest_of_judges_and_of_items():
    data = votes(judge=range(12), ranking=range(12), segment=[*range(6)] * 2)
    data = votes(**data.frame[["judge", "ranking"]], segment=range(12), document=0)
    assert usual_units(data) == Units(
        ("judge", "segment"), (12, 12), (("document", 1),)
    )


def test_usual_units_of_few_judges_are_about_these():
    few = [*"abcdef"] * 2
    units = usual_units(votes(judge=few, ranking=range(12), segment=range(12)))
    assert units.kinds == ("ranking", "segment")
    assert units.these == (("judge", 6),)
    assert usual_units(votes(judge=[*"abcdefg", *"abcde"])).kinds == ("judge",)


def test_usual_units_without_any_are_single_judgements():
    assert usual_units(votes()) == Units()
    assert usual_units(counts_of(votes().frame)) == Units()
    assert usual_units(votes(judge="a", segment="s")) == Units(
        these=(("judge", 1), ("segment", 1))
    )


def test_usual_units_of_assessments_are_workers_and_documents():
    assert usual_units(assessments()).kinds == ("worker", "document")
    assert usual_units(assessments(document="")).kinds == ("worker",)
    three = assessments(3, hit=[f"h{k}" for k in range(54)])
    assert usual_units(three).kinds == ("hit", "document")
    assert usual_units(three).these == (("worker", 3),)


def test_named_counts_no_unit_without_a_name():
    assert named(assessments()) == {"worker": 8, "document": 9, "segment": 9}


def test_few_are_kinds_of_less_than_twelve():
    assert usual_units(assessments(8, 12)).few == (("worker", 8),)


def test_one_kind_refuses_what_is_not_named_and_what_is_too_few():
    data = votes(judge=[*"abcdef"] * 2, segment=range(12))
    assert one_kind(data, "segment") == Units(("segment",), (12,))
    assert one_kind(data, "comparison") == Units()
    with pytest.raises(DataError, match="there are 6 judges; expected 7 or more"):
        one_kind(data, "judge")
    with pytest.raises(DataError, match="no unit 'hit'; expected judge, segment"):
        one_kind(data, "hit")
    with pytest.raises(DataError, match="no unit 'comparison'"):
        one_kind(assessments(), "comparison")


def test_codes_of_numbers_units_of_text_and_of_categories():
    text = votes(judge=[*"abcdefghijkl"])
    categories = votes(judge=pd.Categorical([*"abcdefghijkl"]))
    assert codes_of(text, ["judge"]).tolist() == [[*range(12)]]
    assert codes_of(categories, ["judge"]).tolist() == [[*range(12)]]
    with pytest.raises(DataError, match="a judge is missing"):
        codes_of(votes(judge=[*"abcdefghijk", None]), ["judge"])
