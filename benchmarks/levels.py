"""How often what `wmtlib rank` says is false, in campaigns whose truth is known.

    python benchmarks/levels.py [--tables 400] [--only TEXT] [--real] [--csv FILE]

A table is false if a set of ranks does not hold the true rank of its system (`at once`;
equal systems have all ranks of their group), and in particular if a truly best system
may not be first (`not first`) or if a line parts a system from one below it that is not
worse (`line`). 5 % of tables may be. `cover` is the share of scores within their 95 %
interval, `apart` the share of pairs that the sets tell apart, `width` the mean number
of ranks in a set, over the number of systems.

Votes follow Bradley-Terry: the log-odds of a win are the difference of two systems,
with effects of items (a prompt suits one system more than another) and of judges
(tastes), and a fifth of the votes are ties. Scores are of documents of three segments,
with levels of judges, documents and outputs, and tastes. With `--real`, the systems of
released campaigns exchange their names at random within each document, sentence or
judge, so that no two differ and what was alike stays alike.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from wmtlib import methods
from wmtlib.certainty import RankSets, sets_of
from wmtlib.core.assessments import Campaign, encode
from wmtlib.core.counts import ComparisonRows
from wmtlib.methods import METHODS, Settings

TIES = 0.2  # share of the votes
SPREADS = {"leniency": 8.0, "document": 6.0, "output": 4.0, "segment": 4.0}  # points
NOISE = 12.0  # points, of one score
COLUMNS = ["at_once", "not_first", "line", "cover", "apart", "width"]
Data: TypeAlias = ComparisonRows | Campaign


class Design(NamedTuple):
    """A kind of campaign.

    Attributes
    ----------
    name : str
    quality : ndarray, (systems,)
        By which the true ranks are; equal ones are tied.
    draw : callable
        From a generator to judgements of systems s000, s001, ...
    method : str
        That ranks; "" is the usual one.
    scores : ndarray or None
        The true scores by this method, where they are known.
    """

    name: str
    quality: np.ndarray
    draw: Callable[[np.random.Generator], Data]
    method: str = ""
    scores: np.ndarray | None = None


# --- what is drawn --------------------------------------------------------------------


def votes(
    name: str,
    systems: int,
    judges: int,
    each: int,
    items: int,
    *,
    step: float = 0.0,
    of_items: float = 0.0,
    of_judges: float = 0.0,
    unequal: bool = False,
    ranking: bool = False,
    method: str = "",
    best: float = 0.0,
) -> Design:
    """Design votes: `each` of every judge, on items; systems in steps of log-odds.

    `unequal`: the first judge gave a third of all votes. `ranking`: votes are the ten
    comparisons of five systems on one item. `best`: log-odds that the best system has
    besides.
    """
    quality = -step * np.arange(systems)
    quality[0] += best

    def draw(rng: np.random.Generator) -> ComparisonRows:
        size = judges * each
        judge = np.repeat(np.arange(judges), each)
        if unequal:
            judge[rng.random(size) < 1 / 3] = 0
        item = rng.integers(items, size=size)
        first = rng.integers(systems, size=size)
        second = (first + rng.integers(1, systems, size=size)) % systems
        if ranking:
            judge, item, first, second = _of_five(judge, item, systems, rng)
        liked = quality + of_items * rng.normal(size=(items, systems))
        own = of_judges * rng.normal(size=(judges, systems))
        strength = [liked[item, s] + own[judge, s] for s in (first, second)]
        if ranking:  # one noise for each output, so that a ranking is an order
            noise = rng.gumbel(size=(len(judge) // 10, systems))
            number = np.arange(len(judge)) // 10
            lead = strength[0] + noise[number, first]
            lead = lead - strength[1] - noise[number, second]
        else:
            lead = strength[0] - strength[1] + rng.logistic(size=size)
        preference = np.where(rng.random(len(lead)) < TIES, 0, np.where(lead > 0, 1, 2))
        units = pd.DataFrame({"judge": judge, "segment": item}).astype("category")
        names = [f"s{k:03d}" for k in range(systems)]
        once = np.ones(len(lead), dtype=np.int64)
        return ComparisonRows(units, names, first, second, preference, once)

    scores = None
    if method != "bradley-terry" and not ranking:
        scores = shares(quality, np.sqrt(2 * (of_items**2 + of_judges**2)))
    return Design(name, quality, draw, method, scores)


def _of_five(
    judge: np.ndarray, item: np.ndarray, systems: int, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Write the ten comparisons of five systems for every tenth vote."""
    chosen = rng.random((len(judge[::10]), systems)).argsort(axis=1)[:, :5]
    a, b = np.triu_indices(5, 1)
    repeated = np.repeat([judge[::10], item[::10]], 10, axis=1)
    return *repeated, chosen[:, a].ravel(), chosen[:, b].ravel()


def shares(quality: np.ndarray, spread: float) -> np.ndarray:
    """Compute true expected wins, with effects of a normal spread on each vote."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    lead = quality[:, None] - quality
    won = (
        1 / (1 + np.exp(-lead[..., None] - spread * nodes)) @ (weights / weights.sum())
    )
    np.fill_diagonal(won, 0)
    return won.sum(axis=1) / (len(quality) - 1)


def scores(
    name: str,
    systems: int,
    judges: int,
    documents: int,
    of_document: int,
    *,
    step: float = 0.0,
    taste: float = 0.0,
    missing: float = 0.0,
    method: str = "z-score",
) -> Design:
    """Design scores: each document is judged by several, systems in steps of points."""
    quality = -step * np.arange(systems)

    def draw(rng: np.random.Generator) -> Campaign:
        lenient = SPREADS["leniency"] * rng.normal(size=judges)
        hard = SPREADS["document"] * rng.normal(size=documents)
        own = taste * rng.normal(size=(judges, systems))
        output = SPREADS["output"] * rng.normal(size=(documents, systems))
        segment = SPREADS["segment"] * rng.normal(size=(documents, systems, 3))
        cells = np.indices((documents, of_document, systems, 3)).reshape(4, -1)
        document, place, system, part = cells[:, rng.random(cells.shape[1]) >= missing]
        order = np.argsort(rng.random((documents, judges)), axis=1)
        judge = order[document, place]
        if of_document == 1:  # as many of each judge
            judge = document % judges
        score = 70 + quality[system] + own[judge, system] + output[document, system]
        score += lenient[judge] + hard[document]
        score += segment[document, system, part] + NOISE * rng.normal(size=len(system))
        columns = {"worker": judge, "document": document, "segment": part}
        text = {name: codes.astype(str) for name, codes in columns.items()}
        names = np.array([f"s{k:03d}" for k in range(systems)])[system]
        usual = {"hit": "", "item": "SYSTEM", "accepted": True, "language_pair": ""}
        frame = pd.DataFrame({**text, "system": names, "score": score, **usual})
        return encode(frame)

    true = 70 + quality if method == "raw-score" else None
    return Design(name, quality, draw, method, true)


def designs() -> Iterator[Design]:
    """List the designs."""
    for k in (2, 3, 5, 8, 12, 20, 50):
        yield votes(f"equal, {k} systems, 40 judges", k, 40, 20 * k + 20, 400)
    for step in (0.001, 0.02, 0.1, 0.4):
        yield votes(f"steps of {step}, 8 systems", 8, 40, 60, 400, step=step)
        yield votes(f"steps of {step}, 20 systems", 20, 40, 300, 400, step=step)
    for judges in (8, 12, 40):
        yield votes(f"equal, 8 systems, {judges} judges", 8, judges, 150, 400)
        yield votes(
            f"{judges} judges, one has a third; tastes of .4",
            *(8, judges, 150, 400),
            of_judges=0.4,
            unequal=True,
        )
    for items in (13, 20, 50, 200):
        for effect in (0.4, 0.8):
            name = f"{items} prompts, effects of {effect}, 12 systems, 40 judges"
            yield votes(name, 12, 40, 100, items, of_items=effect)
    name = "20 prompts, effects of .8, 5 systems, 12 judges, tastes of .4"
    yield votes(name, 5, 12, 100, 20, of_items=0.8, of_judges=0.4)
    yield votes("13 prompts, effects of .8, 50 systems", 50, 100, 200, 13, of_items=0.8)
    for k, judges, each in (
        (3, 15, 2),
        (5, 18, 2),
        (8, 42, 2),
        (12, 50, 4),
        (20, 100, 4),
    ):
        for method in ("", "expected-wins"):
            name = f"thin: {k} systems, {judges} judges of {each} votes {method}"
            yield votes(name.strip(), k, judges, each, 400, method=method)
    yield votes("one wins all but few, 8 systems", 8, 20, 30, 100, best=6.0)
    yield votes("one wins all but few, 3 systems", 3, 12, 10, 100, best=6.0)
    yield votes("bradley-terry, 8 systems", 8, 40, 60, 400, method="bradley-terry")
    name = "bradley-terry, 20 prompts of .8, 8 systems"
    yield votes(name, 8, 40, 60, 20, of_items=0.8, method="bradley-terry")
    for k in (5, 12):
        name = f"rankings of five, {k} systems, effects of .4"
        yield votes(name, k, 30, 200, 300, of_items=0.4, of_judges=0.2, ranking=True)
    for documents in (4, 5, 20):
        for taste in (0.0, 2.4, 3.8):  # 0, .02 and .05 of the variance of a score
            name = f"scores, 30 judges of {documents} documents, tastes of {taste}"
            yield scores(name, 8, 30, 30 * documents, 1, taste=taste)
    yield scores("scores, 12 judges, 60 documents by two", 6, 12, 60, 2, taste=3.8)
    name = "scores, 8 judges crossed, 24 documents, 20 % missing"
    yield scores(name, 6, 8, 24, 8, taste=3.8, missing=0.2)
    yield scores("scores, 3 judges, all documents", 6, 3, 40, 3)
    for step in (0.02, 0.2, 1.0, 3.0):
        yield scores(f"scores in steps of {step} points", 8, 30, 120, 1, step=step)
    for k in (2, 20):
        yield scores(f"raw scores, {k} systems", k, 30, 120, 1, method="raw-score")
    yield scores(
        "raw scores, 12 judges by two", 6, 12, 60, 2, taste=3.8, method="raw-score"
    )


# --- what is false --------------------------------------------------------------------


def answer(design: Design, data: Data) -> RankSets:
    """Rank, and find the sets of ranks."""
    name = design.method or methods.usual(data.counted)[0]
    needed = data if METHODS[name].sided else data.counted
    ranking = methods.ranked(METHODS[name], needed, Settings())
    return sets_of(data, ranking)


def errors(design: Design, *seed: int) -> tuple[float, ...]:
    """Draw one table and find what is false in it: `COLUMNS`."""
    sets = answer(design, design.draw(np.random.default_rng(seed)))
    table = sets.table
    place = table["system"].str[1:].astype(int).to_numpy()
    quality = design.quality[place]
    best = 1 + (quality[:, None] < quality).sum(axis=1)  # of the ranks of its group
    worst = (quality[:, None] <= quality).sum(axis=1)
    low, high = (table[name].to_numpy(int) for name in ("rank_low", "rank_high"))
    cluster = table["cluster"].to_numpy(int)
    parted = (cluster[:, None] < cluster) & (quality[:, None] <= quality)
    cover = np.nan
    if design.scores is not None and sets.ranking.method != "bradley-terry":
        true = design.scores[place]
        inside = (table["score_low"] <= true) & (true <= table["score_high"])
        cover = inside.mean()
    return (
        ((low > best) | (high < worst)).any(),
        (low[best == 1] > 1).any(),
        parted.any(),
        cover,
        sets.pairs["apart"].mean(),
        (high - low + 1).mean() / len(table),
    )


def level(design: Design, tables: int, number: int) -> pd.Series:
    """Average the errors of many tables of a design."""
    seeds = [(number, table) for table in range(tables)]
    rows = Parallel(-1)(delayed(errors)(design, *seed) for seed in seeds)
    return pd.DataFrame(rows, columns=COLUMNS).astype(float).mean()


# --- names of real campaigns exchanged ------------------------------------------------


def exchanged_comparisons(rows: ComparisonRows, unit: str, name: str) -> Design:
    """Design a task of relative ranking whose names change within each unit."""
    unit_of_row, units = pd.factorize(rows.frame[unit])
    size = len(rows.systems)
    names = [f"s{k:03d}" for k in range(size)]

    def draw(rng: np.random.Generator) -> ComparisonRows:
        new = rng.random((len(units), size)).argsort(axis=1)
        first, second = (new[unit_of_row, s] for s in (rows.first, rows.second))
        return ComparisonRows(
            rows.frame, names, first, second, rows.preference, rows.times
        )

    return Design(f"{name}, by {unit}", np.zeros(size), draw, "expected-wins")


def exchanged_scores(campaign: Campaign, unit: str, name: str) -> Design:
    """Design a campaign of assessments whose names change within each unit."""
    from dataclasses import replace

    from study.beyond.honest_line import exchange_names

    size = len(campaign.systems)
    system = campaign.credit_system
    mean = np.bincount(system, campaign.score[campaign.credit], size)
    mean = (mean / np.bincount(system, minlength=size))[system]
    level = np.zeros(len(campaign.score))
    level[campaign.credit] = mean
    unit_of_credit = campaign.units(unit)[0][campaign.credit]
    equal = replace(
        campaign,
        systems=tuple(f"s{k:03d}" for k in range(size)),
        score=campaign.score - level,
    )

    def draw(rng: np.random.Generator) -> Campaign:
        new = next(exchange_names(system, unit_of_credit, rng))
        order = np.lexsort((campaign.credit, campaign.place[campaign.credit], new))
        return replace(equal, credit=campaign.credit[order], credit_system=new[order])

    return Design(f"{name}, by {unit}", np.zeros(size), draw, "z-score")


def real_designs() -> Iterator[Design]:
    """List real campaigns whose names change."""
    from study.beyond import honest_line
    from study.data import assessment_catalogue, sources
    from wmtlib.core.counts import rows_of

    source = sources.resolve("auto", assessment_catalogue.all_campaigns())
    for year in honest_line.relative(source):
        for unit in ("segment", "judge"):
            yield exchanged_comparisons(rows_of(year.values), unit, year.label)
    for judged in honest_line.assessed(source):
        if judged.units and judged.protocol != "MQM":
            unit = "document" if "document" in judged.units else judged.units[0]
            name = f"{judged.protocol}, {judged.label}"
            yield exchanged_scores(judged.coded, unit, name)


def main() -> None:
    """Print the table of levels."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--csv")
    options = parser.parse_args()
    rows = {}
    head = " ".join(f"{name:>9}" for name in COLUMNS)
    print(f"{'':62}{head}")
    for number, design in enumerate(real_designs() if options.real else designs()):
        if options.only in design.name:
            rows[design.name] = level(design, options.tables, number)
            cells = " ".join(f"{value:9.3f}" for value in rows[design.name])
            print(f"{design.name:62}{cells}", flush=True)
    table = pd.DataFrame(rows).T.rename_axis("design")
    print(table[COLUMNS[:3]].max().to_dict())
    if options.csv:
        table.round(4).to_csv(options.csv)


if __name__ == "__main__":
    main()
