"""The two forms of the citation say the same."""

import re

import yaml

from wmtlib import __version__
from wmtlib.study.releases.sources import ROOT


def test_bibtex_says_what_citation_cff_says():
    cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    bibtex = (ROOT / "docs" / "citation.bib").read_text(encoding="utf-8")
    study, *papers = [
        {
            field: re.sub("[{}]", "", value)
            for field, value in re.findall(r"(\w+) += \{(.*)\},", entry)
        }
        for entry in re.findall(r"^@.*?^\}", bibtex, re.M | re.S)
    ]
    assert study["title"] == cff["title"]
    assert study["version"] == cff["version"] == __version__
    assert study["year"] == str(cff["date-released"].year)
    assert papers == [
        {
            "author": " and ".join(
                f"{a['family-names']}, {a['given-names']}" for a in paper["authors"]
            ),
            "title": paper["title"],
            "booktitle": paper["collection-title"],
            "year": str(paper["year"]),
            "url": paper["url"],
        }
        for paper in cff["references"]
    ]
