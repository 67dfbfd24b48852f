"""The example files, read."""

from functools import cache

from wmtlib.study.releases.sources import ROOT
from wmtlib.yours import read as reader

EXAMPLES = ROOT / "examples"
KINDS = ("rankings", "pairwise", "assessments")


@cache
def example(kind):
    return reader.read(EXAMPLES / f"{kind}.csv")
