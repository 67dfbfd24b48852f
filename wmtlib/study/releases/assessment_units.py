"""Which language pairs of direct assessment can answer a question.

A question names a set of language pairs and what it needs of each, such as "SR-DC 2018, human
removable". Which pairs are at hand follows from the catalogue alone: what is public of each pair,
the share of each system's judgements that is recovered from segment means, and the share of its
rows that have a HIT id. No result is looked at.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from wmtlib.study.recovery.recover import SOUND_SHARE, is_sound
from wmtlib.study.releases.assessment_catalogue import catalogue, status
from wmtlib.study.releases.sources import Source, public_files

KNOWN_HITS = 0.5  # a pair's HITs are known if at least this share of its rows has a HIT id
YEARS = {"wmt17": "2017", "wmt18": "2018", "wmt19": "2019", "wmt20": "2020", "wmt21": "2021"}
YEARS |= {"facebook21": "2021", "wmt22": "2022"}
INTERFACES = {"MTurk": "mturk", "Appraise": "appraise"}
STYLES = ("SR-DC", "SR+DC")


@dataclass(frozen=True)
class PairsAtHand:
    """The language pairs of a question.

    Attributes
    ----------
    pairs : tuple of str
        Those at hand, such as "wmt18 en-de".
    absent : mapping of str to str
        The others, and what each lacks.
    recovered : mapping of str to float
        Of those at hand, the ones whose judgements are recovered, and the share that is known, of
        the system of which least is known.
    """

    pairs: tuple[str, ...]
    absent: Mapping[str, str]
    recovered: Mapping[str, float]


def pairs_at_hand(question: str, source: Source) -> PairsAtHand:
    """Which language pairs of a question are at hand.

    Parameters
    ----------
    question : str
        "SET, NEED". SET is a list of pairs ("wmt20/en-de") or words that all must be true of a
        pair: its style, year and interface ("SR+DC 2020 Appraise"). They choose among the paper's
        46 pairs, after "new" among the others, and after "any" among all; "paper" alone is all 46.
        NEED is one of `NEEDS`.

    Raises
    ------
    ValueError
        An unknown word or need, or no such pair.
    """
    chosen, _, need = question.partition(", ")
    if need not in NEEDS:
        raise ValueError(f"unknown need {need!r} in {question!r}; known are {', '.join(NEEDS)}")
    pairs, absent, recovered = [], {}, {}
    for row in pairs_of(chosen).itertuples():
        name = f"{row.campaign} {row.language_pair}"
        level = _level(row, source)
        if lacks := NEEDS[need](row, level, source):
            absent[name] = lacks
        else:
            pairs.append(name)
            if level == "segment" and need in JUDGED:
                recovered[name] = float(row.recovered)
    return PairsAtHand(tuple(pairs), absent, recovered)


def pairs_of(chosen: str) -> pd.DataFrame:
    """Rows of the catalogue for a set of language pairs; see `pairs_at_hand`."""
    table, words = catalogue(), chosen.split()
    if all("/" in word for word in words):
        table = table[(table["campaign"] + "/" + table["language_pair"]).isin(words)]
        if len(table) != len(words):
            raise ValueError(f"an unknown language pair in {chosen!r}")
        return table
    if "any" not in words:
        table = table[table["paper"] == ("new" not in words)]
    for word in words:
        if word in STYLES:
            table = table[table["style"] == word]
        elif word in INTERFACES:
            table = table[table["interface"] == INTERFACES[word]]
        elif word in YEARS.values():
            table = table[table["campaign"].map(YEARS) == word]
        elif word not in ("any", "new", "paper"):
            raise ValueError(f"unknown word {word!r} in {chosen!r}")
    if table.empty:
        raise ValueError(f"no language pair in {chosen!r}")
    return table


# --- what a question needs of a language pair: "" if it is at hand, else what is lacking ---------


def _level(row: Any, source: Source) -> str:
    """What is at hand of a pair: "item", "segment" or "none"."""
    return {"present": "item", "partial": "segment"}.get(status(row, source)[0], "none")


def _reason(row: Any, source: Source) -> str:
    """Why not more is at hand."""
    return (row.reason if source.kind == "raw" else "") or status(row, source)[1]


def _assessments(row: Any, level: str, source: Source) -> str:
    if level == "item":
        return ""
    return _reason(row, source)


def _outputs(row: Any, level: str, source: Source) -> str:
    if level != "segment":
        return _assessments(row, level, source)
    if is_sound(float(row.recovered or 0)):
        return ""
    return f"less than {SOUND_SHARE:.0%} of the judgements of a system are recovered"


def _human_removable(row: Any, level: str, source: Source) -> str:
    if row.interface == "facebook":
        return "neither a human system nor references to remove"
    # Appraise has no REF items; in SR-DC they are the system HUMAN of the segment means.
    if level == "segment" and row.style != "SR-DC" and row.interface != "appraise":
        return "its REF items are not public"
    return _outputs(row, level, source)


def _segment_means(row: Any, level: str, source: Source) -> str:
    return "" if level in ("item", "segment") else _reason(row, source)


def _documents(row: Any, level: str, source: Source) -> str:
    if level == "segment" and row.campaign == "wmt20" and row.interface == "mturk":
        return "the documents of its segments are not public"
    return _segment_means(row, level, source)


def _outputs_of_documents(row: Any, level: str, source: Source) -> str:
    return _documents(row, level, source) or _outputs(row, level, source)


def _references(row: Any, level: str, source: Source) -> str:
    if level == "segment" and row.style == "SR-DC":
        return ""  # the system HUMAN of the published segment means
    return _assessments(row, level, source)


def _official_means(row: Any, level: str, source: Source) -> str:
    files = public_files(row.campaign, row.language_pair, r"ad-sys-(?:ranking|scores)")
    if source.kind == "raw" and files:
        return ""
    return "no official means are public" if source.kind == "raw" else _reason(row, source)


def _systems(row: Any, level: str, source: Source) -> str:
    return _segment_means(row, level, source) and _official_means(row, level, source)


def _hit_ids(row: Any, level: str, source: Source) -> str:
    if level == "item" and float(row.hit_ids or 0) < KNOWN_HITS:
        return f"less than {KNOWN_HITS:.0%} of the rows have a HIT id"
    return _assessments(row, level, source)


NEEDS: dict[str, Callable[[Any, str, Source], str]] = {
    "assessments": _assessments,  # single judgements as released, quality control included
    "outputs": _outputs,  # single judgements of systems' outputs, released or recovered
    "human removable": _human_removable,  # outputs of human systems, and REF items
    "references": _references,  # the number of REF items
    "segment means": _segment_means,
    "documents": _documents,  # segment means with the names of documents
    "outputs and documents": _outputs_of_documents,
    "official means": _official_means,  # of systems
    "systems": _systems,  # their names
    "HIT ids": _hit_ids,
}
# Needs that recovered judgements can meet.
JUDGED = ("outputs", "outputs and documents", "human removable")
