"""The catalogue of direct assessments."""

from wmtlib.study.releases import assessment_catalogue


def test_the_catalogue_has_the_paper_s_46_campaigns():
    table = assessment_catalogue.availability("embedded")
    assert table["paper"].sum() == 46
    assert table[table["paper"]].groupby("style").size().to_dict() == {"SR+DC": 25, "SR-DC": 21}
    assert not table.duplicated(["campaign", "language_pair"]).any()
    assert assessment_catalogue.assessment_campaigns()[:3] == ["wmt17", "wmt18", "wmt19"]
