"""The example files, read."""

from functools import cache

from wmtlib.files import reader
from wmtlib.study.releases.sources import ROOT

EXAMPLES = ROOT / "examples"
KINDS = ("rankings", "pairwise", "assessments")


@cache
def example(kind):
    return reader.read(EXAMPLES / f"{kind}.csv")
