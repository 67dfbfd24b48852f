"""Relative rankings in the XML of WMT15 and WMT16: who ranked what is read, but no user's name.

A HIT of a language pair holds ranking tasks (one segment each), those hold results (one judge
each), those hold up to five translations. A translation names several systems where their outputs
were identical: it was judged once.
"""

from collections.abc import Mapping
from typing import IO, Any
from xml.parsers import expat

import pandas as pd

from wmtlib.counts import is_rank
from wmtlib.errors import DataError, Origin, shown

RANKED_OUTPUTS = ["task", "ranking", "segment", "judge", "systems", "rank", "line"]
JOINS = ","  # between the systems of one translation
BLOCK = 1 << 16  # bytes that are parsed at a time


def read_ranking_xml(file: IO[bytes], origin: Origin) -> pd.DataFrame:
    """All rankings of a file, one row for each ranked output; results without any give none.

    Parameters
    ----------
    file : binary file
        It is parsed as it is read. A document type, and so any entity of its own, is refused.
    origin : Origin
        Named in every refusal.

    Returns
    -------
    DataFrame
        Columns `RANKED_OUTPUTS`: task ("deu-eng"), ranking (from 1), segment (text), judge
        (`judge_001`, ... by first appearance), systems (joined by `JOINS`), rank (1 = best), line
        of the file.

    Raises
    ------
    DataError
        What is not XML, or not such rankings. No value of the file is shown but ranks.
    """
    reading = _Reading(origin)
    try:
        while block := file.read(BLOCK):
            reading.parser.Parse(block, False)
        reading.parser.Parse(b"", True)
    except expat.ExpatError as error:
        fault = f"is not XML ({expat.ErrorString(error.code)})"
        raise origin.refuse_line(error.lineno, fault) from None
    if not reading.rows:
        raise origin.refuse(None, "is XML without rankings; expected those of WMT15 or WMT16")
    return pd.DataFrame(reading.rows, columns=RANKED_OUTPUTS)


def single_systems(outputs: pd.DataFrame) -> pd.DataFrame:
    """One row for each system, as in the official tables: identical outputs get the same rank.

    Returns
    -------
    DataFrame
        Columns task, ranking, segment, judge, system, rank, line.
    """
    one = outputs.assign(systems=outputs["systems"].str.split(JOINS)).explode("systems")
    return one.rename(columns={"systems": "system"}).reset_index(drop=True)


class _Reading:
    """The state of a parser, and the rows that it has read."""

    def __init__(self, origin: Origin):
        self.origin = origin
        self.rows: list[tuple] = []
        self.place: dict[str, str] = {}  # task, segment and judge of the elements that are open
        self.judges: dict[str, str] = {}
        self.results = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_document_type

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if name == "HIT":
            languages = [self.attribute(attributes, f"{k}-language") for k in ("source", "target")]
            self.place["task"] = "-".join(languages)
        elif name == "ranking-task":
            self.place["segment"] = self.attribute(attributes, "id")
        elif name == "ranking-result":
            user = self.attribute(attributes, "user")
            self.place["judge"] = self.judges.setdefault(user, f"judge_{len(self.judges) + 1:03d}")
            self.results += 1
        elif name == "translation":
            if missing := [k for k in ("task", "segment", "judge") if k not in self.place]:
                raise self.refuse(f"a translation stands outside a {missing[0]}")
            rank = self.attribute(attributes, "rank")
            if not is_rank(rank):
                raise self.refuse(f"rank is {shown(rank)}; expected a whole number from 1")
            systems = self.attribute(attributes, "system")
            task, segment, judge = (self.place[k] for k in ("task", "segment", "judge"))
            line = self.parser.CurrentLineNumber
            self.rows.append((task, self.results, segment, judge, systems, int(rank), line))

    def end(self, name: str) -> None:
        """An element ends, and with it what it says about its parts."""
        of = {"HIT": "task", "ranking-task": "segment", "ranking-result": "judge"}
        self.place.pop(of.get(name, ""), None)

    def attribute(self, attributes: Mapping[str, str], name: str) -> str:
        """The value of an attribute that must be there."""
        if not (value := attributes.get(name, "").strip()):
            raise self.refuse(f"an element lacks {name}; expected a value")
        return value

    def refuse_document_type(self, *_: Any) -> None:
        """Refuse what could declare entities."""
        raise self.refuse("declares a document type; expected none, entities are not expanded")

    def refuse(self, fault: str) -> DataError:
        """The error about the line that is being parsed."""
        return self.origin.refuse_line(self.parser.CurrentLineNumber, fault)
