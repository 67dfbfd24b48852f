"""How often `wmtlib judges` says that a judge's level changes from HIT to HIT.

    python benchmarks/hit_levels.py [--files 200] [--only TEXT]

Campaigns are drawn whose truth is known. Effects are in standard deviations of a score,
by default those of notebook 64 in campaigns of whole documents; the level of a HIT has
none, or one of .3 or .75 for some judges or all. `any` is the share of files that name
a judge without it (.05 of files may), `found` the share of the judges with it who are
named, `tested` the number of judges who can be.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from wmtlib.agreement import judges
from wmtlib.core.assessments import Campaign, encode

COLUMNS = ["any", "found", "tested"]
SYSTEMS = 10
POOL = 150  # documents
QUALITY, SEGMENT, LENIENCY, RESIDUAL = 0.12, 0.27, 0.5, 0.71
TAILS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "t": lambda rng, size: rng.standard_t(3, size) / np.sqrt(3),
    "skewed": lambda rng, size: 1 - rng.exponential(size=size),
}


class Design(NamedTuple):
    """A kind of campaign: numbers from, to; effects in standard deviations.

    `length` is the mean number of segments of a document, `few` how many judges have
    the effect `hit` (None: all), `of_hit` the number of systems in a HIT, `domains`
    the number of kinds of documents, of which a HIT has one. `crossed`: all judges have
    the same documents in their first, second, ... HIT.
    """

    name: str
    judges: int = 40
    hits: tuple[int, int] = (2, 8)
    documents: tuple[int, int] = (4, 10)
    length: int = 10
    document: float = 0.15
    sitting: float = 0.24
    slope: float = 0.32
    taste: float = 0.06
    of_hit: int = SYSTEMS
    tail: str = "normal"
    domain: float = 0.0
    domains: int = 1
    crossed: bool = False
    hit: float = 0.0
    few: int | None = None


def designs() -> Iterator[Design]:
    """List the designs: without effects of HITs, then with them."""
    yield Design("40 judges, 2 to 8 HITs of 4 to 10 documents")
    yield Design("5 judges", judges=5)
    yield Design("150 judges", judges=150)
    yield Design("2 HITs", hits=(2, 2))
    yield Design("8 HITs", hits=(8, 8))
    short = {"documents": (2, 5), "length": 18}
    yield Design("2 to 5 documents a HIT", **short)
    yield Design("the same, documents of .2", **short, document=0.2)
    yield Design("heavy tails", tail="t")
    yield Design("heavy tails, 2 to 5 documents", **short, tail="t")
    yield Design("skewed", tail="skewed")
    yield Design("single segments", length=1, documents=(40, 60), judges=15)
    yield Design("slopes of .6", slope=0.6)
    yield Design("tastes of .12", taste=0.12)
    crossed = {"hits": (8, 8), "documents": (10, 10), "crossed": True}
    yield Design("crossed, 12 judges", **crossed, judges=12)
    for number in (3, 2, 1):
        yield Design(f"HITs of {number} systems", of_hit=number)
    for number in (10, 40, 80):
        domains = {"domain": 0.2, "domains": 2}
        name = f"HITs of one domain of two, {number} judges, domains of .2"
        yield Design(name, judges=number, **domains)
    for effect in (0.3, 0.75):
        few = {"hit": effect, "few": 2}
        yield Design(f"all judges: HITs of {effect}", hit=effect)
        yield Design(f"2 of 40 judges: HITs of {effect}", **few)
        yield Design(f"the same, 8 HITs: HITs of {effect}", **few, hits=(8, 8))
        yield Design(f"the same, 2 to 5 documents: HITs of {effect}", **few, **short)
    name = "crossed, 1 of {} judges: HITs of .75"
    for number in (3, 8, 12):
        changing = {"hit": 0.75, "few": 1, "judges": number}
        yield Design(name.format(number), **crossed, **changing)


def draw(design: Design, rng: np.random.Generator) -> Campaign:
    """Draw a campaign; judges with an effect of HITs have the first names."""
    tail = TAILS[design.tail]
    quality = QUALITY * rng.normal(size=SYSTEMS)
    pool = POOL if design.length > 1 else 10 * POOL
    length = rng.geometric(1 / design.length, size=pool)
    domain = np.arange(pool) % design.domains
    hard = design.document * rng.normal(size=pool)
    hard += design.domain * rng.normal(size=design.domains)[domain]
    start = np.cumsum(length) - length
    of_segment = SEGMENT * rng.normal(size=length.sum())
    few = design.judges if design.few is None else design.few
    parts = []
    for judge in range(design.judges):
        slope = 1 + design.slope * rng.normal()
        liked = quality * slope + design.taste * rng.normal(size=SYSTEMS)
        lenient = LENIENCY * rng.normal()
        for hit in range(rng.integers(*design.hits, endpoint=True)):
            number = rng.integers(*design.documents, endpoint=True)
            document = np.flatnonzero(domain == hit % design.domains)
            document = rng.choice(document, number, replace=False)
            if design.crossed:
                document = np.arange(number) + hit * design.documents[1]
            several = rng.permutation(SYSTEMS)[: design.of_hit]
            system = rng.choice(several, number)
            sitting = hard[document] * slope + liked[system] + lenient
            sitting += design.sitting * tail(rng, number)
            sitting += design.hit * rng.normal() * (judge < few)
            row = np.repeat(np.arange(number), length[document])
            part = np.concatenate([np.arange(size) for size in length[document]])
            score = sitting[row] + of_segment[start[document][row] + part]
            score += RESIDUAL * tail(rng, len(row))
            unit = np.broadcast_to([[judge], [hit]], (2, len(row)))
            parts.append([*unit, document[row], part, system[row], score])
    names = ["worker", "hit", "document", "segment", "system"]
    table = pd.DataFrame(np.hstack(parts).T, columns=[*names, "score"])
    table[names] = table[names].astype(int).astype(str)
    if design.length == 1:  # nothing else is known of a segment
        table = table.assign(segment=table["document"], document="")
    usual = {"item": "SYSTEM", "accepted": True, "language_pair": ""}
    # Points; nobody can give more or less.
    points = (60 + 20 * table["score"]).clip(0, 100).round()
    return encode(table.assign(score=points, **usual))


def errors(design: Design, *seed: int) -> tuple[float, float, int]:
    """Draw one file and test its judges: `COLUMNS`."""
    table = judges(draw(design, np.random.default_rng(seed))).table
    table = table.dropna(subset="level_p")
    few = design.judges if design.few is None else design.few
    has_effect = (table["judge"].astype(int) < few) & (design.hit > 0)
    named = table["level_changes"].astype(bool)
    found = named[has_effect].mean() if has_effect.any() else np.nan
    return float(named[~has_effect].any()), found, len(table)


def level(design: Design, files: int, number: int) -> pd.Series:
    """Average over many files of a design."""
    rows = [errors(design, number, file) for file in range(files)]
    return pd.DataFrame(rows, columns=COLUMNS).mean()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"{'':50}{' '.join(f'{name:>7}' for name in COLUMNS)}")
    for number, design in enumerate(designs()):
        if options.only in design.name:
            row = level(design, options.files, number)
            print(f"{design.name:50}{row['any']:7.3f} {row['found']:7.2f}", end="")
            print(f" {row['tested']:7.0f}", flush=True)


if __name__ == "__main__":
    main()
