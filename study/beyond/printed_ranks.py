"""How often the ranges of ranks hold that campaigns and arenas print. Notebook 66.

The truth is known in worlds drawn for each campaign at hand. Its design stays: who
judged which sentence, which outputs were ranked together, and how many ties each judge
gave. An output has the value

    strength of its system + taste of its judge for the system
        + how its sentence suits the system + noise (Gumbel's),              (1)

tastes and sentences normal, and the output of the higher value wins: Bradley-Terry with
effects. A judge's ties are between the outputs that are closest. The true rank is that
of the strength: for new judges and new sentences. `calibrated` chooses the spreads
so that the same estimators, `moments`, give in the worlds what they give in the data.

Rules: WMT13's ranges (95 % of the ranks by expected wins, over resampled comparisons),
WMT16's (of TrueSkill's runs), an arena's (FastChat's `recompute_final_ranking`: a rank
from the 95 % intervals of resampled Bradley-Terry strengths, ties half; with an anchor,
as in its `scale_and_offset`, one model's strength is fixed in each resample) and the
sets of `wmtlib.rank_sets`. Groups: clusters of ranges, and for arenas the classes of
ComparIA (pull request 639): a class is opened by its strongest model, and takes those
whose intervals reach its lower end; at most eight.

Criterion, written before any rule was applied to a world of a real campaign. Main test,
the only one: the share of systems whose range by WMT13's rule holds the true rank, mean
over worlds of a task, then over tasks; the promise of 95 % is kept if the 95 % interval
over tasks (Student's) reaches .95, and not kept if it lies below. All else is
described. Known before: with equal steps and independent comparisons such ranges held
for 82 to 89 % of close systems, for all of eight at once in 33 to 45 % of tables;
docs/ranking.md has the levels of the sets; three made-up campaigns (`_made`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from study.beyond import wmt16
from study.beyond.wmt16 import CUT, NEWS
from study.data import ranking_releases
from study.data.arena_votes import LLMFAO, load_llmfao
from study.data.sources import RELATIVE_CAMPAIGNS, Source
from study.statistics import t_half_width
from wmtlib.certainty import rank_sets
from wmtlib.core.counts import (
    COMPARISON,
    FIRST,
    REFERENCE,
    SECOND,
    TIE,
    ComparisonRows,
    rows_of,
    without,
)
from wmtlib.core.ranking import levels
from wmtlib.core.sampling import resampler
from wmtlib.methods import METHODS

SETS, WMT13, WMT16 = "sets at once", "WMT13", "WMT16"
ARENA, ANCHOR = "arena", "arena, anchor"
RULES = [WMT13, WMT16, ARENA, ANCHOR, SETS]
MEASURES = ["one", "winner", "all", "first", "ranks", "groups", "wrong"]
LEAST_UNITS, LEAST_SYSTEMS = 7, 3  # of a task; fewer judges: nothing is said of others
MOST_CLASSES = 8
FEW, RUNS, RUN_WORLDS = 4_000, 100, 5  # comparisons, runs and worlds with TrueSkill
ROUNDS, DRAWN = 8, 5  # of a calibration, and worlds in each
SLOPE = 0.2  # about what a variance of log-odds adds to the covariance of margins


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """A task of relative ranking, without the reference, or an arena.

    Attributes
    ----------
    label, kind : str
        Tasks of a kind share the spreads of tastes and of sentences.
    rows : ComparisonRows
    """

    label: str
    kind: str
    rows: ComparisonRows

    @cached_property
    def units(self) -> np.ndarray:
        """Number judge, segment and both together from 0: (3, comparisons)."""
        judge, segment = (
            pd.factorize(self.rows.frame[unit])[0] for unit in ("judge", "segment")
        )
        both = np.unique(judge * len(judge) + segment, return_inverse=True)[1]
        return np.stack([judge, segment, both])

    @cached_property
    def outputs(self) -> tuple[np.ndarray, np.ndarray]:
        """List outputs: system, judge, segment of each; those of each comparison."""
        rows, size = self.rows, len(self.rows.systems)
        ranking = np.arange(len(rows.first))
        if "ranking" in rows.frame:
            ranking = pd.factorize(rows.frame["ranking"])[0]
        sides = np.concatenate([rows.first, rows.second])
        codes = np.tile(ranking * size, 2) + sides
        _, where, output = np.unique(codes, return_index=True, return_inverse=True)
        judge, segment, _ = np.tile(self.units, 2)[:, where]
        return np.stack([sides[where], judge, segment]), output.reshape(2, -1)

    @cached_property
    def ties(self) -> np.ndarray:
        """Count the ties of each judge."""
        return np.bincount(self.units[0], self.rows.preference == TIE)


class World(NamedTuple):
    """What worlds of a design are drawn from: Equation 1, in log-odds."""

    strength: np.ndarray
    taste: float
    sentence: float


# --- designs --------------------------------------------------------------------------


def designs(source: Source) -> list[Design]:
    """Load tasks of WMT10-12 and WMT16 and llmfao; made-up ones without raw files.

    Tasks of fewer than three systems, seven judges or seven sentences are left out, as
    are WMT16's ties of identical outputs, which nobody judged.
    """
    found = _made() if source.kind == "embedded" else _loaded(source)
    chosen = []
    for design in found:
        units = design.units[:2].max(axis=1) + 1
        if units.min() >= LEAST_UNITS and len(design.rows.systems) >= LEAST_SYSTEMS:
            chosen.append(design)
    return chosen


def _loaded(source: Source) -> Iterator[Design]:
    """Load the designs of the raw files."""
    for row in ranking_releases.tasks(source, [*RELATIVE_CAMPAIGNS, NEWS]).itertuples():
        split = "judged" if row.campaign == NEWS else None
        place = row.campaign, row.task
        frame = ranking_releases.load_comparisons(*place, source=source, split=split)
        kind = row.campaign
        if row.task.endswith(("syscomb", "tunable")):
            kind += " combinations"
        rows = rows_of(without(frame, REFERENCE))
        yield Design(ranking_releases.label(*place), kind, rows)
    yield Design(LLMFAO, LLMFAO, rows_of(load_llmfao(source=source)))


def _made(seed: int = 66) -> Iterator[Design]:
    """Make campaigns of rankings of five outputs up, whose systems are close."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(5, 1)
    for size in (6, 9, 12):
        chosen = rng.random((300, size)).argsort(axis=1)[:, :5]
        units = rng.integers((20, 100), size=(300, 2))
        columns = np.column_stack([units, np.arange(300)]).repeat(len(first), axis=0)
        frame = pd.DataFrame(columns, columns=["judge", "segment", "ranking"])
        names = np.array([f"s{k:02d}" for k in range(size)])
        frame = frame.assign(
            system_1=names[chosen[:, first].ravel()],
            system_2=names[chosen[:, second].ravel()],
            preference=np.where(rng.random(len(frame)) < 0.2, TIE, FIRST),
        )
        design = Design(f"simulated {size} systems", "simulated", rows_of(frame))
        world = World(rng.normal(0, 0.3, size), 0.3, 0.3)
        yield replace(design, rows=draw(design, world, rng))


# --- worlds ---------------------------------------------------------------------------


def draw(design: Design, world: World, rng: np.random.Generator) -> ComparisonRows:
    """Draw the judgements of a design in a world: Equation 1."""
    (system, judge, segment), (first, second) = design.outputs
    size = len(world.strength)
    tastes = world.taste * rng.standard_normal((judge.max() + 1, size))
    suits = world.sentence * rng.standard_normal((segment.max() + 1, size))
    value = world.strength[system] + tastes[judge, system] + suits[segment, system]
    value += rng.gumbel(size=len(value))
    lead = value[first] - value[second]
    # Sorted by judge, the closest first: as many of them are ties as the judge gave.
    judge = design.units[0]
    order = np.lexsort((np.abs(lead), judge))
    begin = np.cumsum(np.bincount(judge)) - np.bincount(judge)
    tied = np.empty(len(lead), dtype=bool)
    tied[order] = np.arange(len(lead)) < (begin + design.ties)[judge[order]]
    preference = np.where(tied, TIE, np.where(lead > 0, FIRST, SECOND))
    rows = design.rows
    return ComparisonRows(
        rows.frame, rows.systems, rows.first, rows.second, preference, rows.times
    )


def log_odds(rows: ComparisonRows) -> np.ndarray:
    """Compute log-odds of a win against a loss, ties out, with mean 0: (systems,)."""
    won = rows.counted.wins.to_numpy() + 0.5 / len(rows.systems)
    values = np.log(won.sum(axis=1) / won.sum(axis=0))
    return values - values.mean()


def moments(design: Design, rows: ComparisonRows) -> np.ndarray:
    """Measure what `calibrated` matches.

    Returns
    -------
    ndarray, (5,)
        Variance of `log_odds` over systems; then of the margins (1, -1, ties 0) of a
        system, less what the log-odds let expect: the sum of their products within
        judges, of different segments, and the number of these pairs; the same within
        segments, of different judges.
    """
    score = log_odds(rows)
    decided = (rows.preference != TIE).mean()
    margin = 1.0 * (rows.preference == FIRST) - (rows.preference == SECOND)
    margin -= decided * np.tanh((score[rows.first] - score[rows.second]) / 2)
    system = np.concatenate([rows.first, rows.second])
    sums = []
    for unit in design.units:
        cell = np.tile(unit * len(score), 2) + system
        total = np.bincount(cell, np.concatenate([margin, -margin]))
        sums.append([total @ total, (np.bincount(cell) ** 2).sum()])
    judge, segment, both = np.array(sums)
    return np.concatenate([[score.var()], judge - both, segment - both])


def calibrated(kind: Sequence[Design], seed: int) -> pd.DataFrame:
    """Calibrate worlds of a kind: a factor of strengths a task, two spreads in all.

    Returns
    -------
    DataFrame
        Indexed by label: factor (of the log-odds of the data), taste, sentence
        (standard deviations in log-odds); spread, judge, segment: standard deviation
        of log-odds, and covariances of margins; the same of `DRAWN` new worlds,
        `*_drawn`.
    """
    real = np.array([moments(design, design.rows) for design in kind])
    scores = [log_odds(design.rows) for design in kind]
    factors = np.full(len(kind), 0.8)  # squared, as are the spreads
    spreads = np.full(2, 0.1)
    for number in range(ROUNDS + 1):
        rng = np.random.default_rng([seed, number])
        drawn = np.zeros_like(real)
        for k, design in enumerate(kind):
            world = World(np.sqrt(factors[k]) * scores[k], *np.sqrt(spreads))
            for _ in range(DRAWN):
                drawn[k] += moments(design, draw(design, world, rng)) / DRAWN
        if number == ROUNDS:
            break
        step = 1 / (1 + number / 3)  # shorter, so that chance averages out
        factors = (factors + step * (1 - drawn[:, 0] / real[:, 0])).clip(0.01)
        missing = _covariances(real) - _covariances(drawn)
        spreads = (spreads + step * missing / SLOPE).clip(0)
    table = pd.DataFrame({"factor": np.sqrt(factors)}, [each.label for each in kind])
    table[["taste", "sentence"]] = np.sqrt(spreads)
    for suffix, of in (("", real), ("_drawn", drawn)):
        table["spread" + suffix] = np.sqrt(of[:, 0])
        table[["judge" + suffix, "segment" + suffix]] = _covariances(of)
    return table


def _covariances(sums: np.ndarray) -> np.ndarray:
    """Divide sums of `moments`, over all tasks, by numbers of pairs."""
    total = sums.sum(axis=0)
    return total[[1, 3]] / total[[2, 4]]


def world_of(design: Design, row: pd.Series) -> World:
    """Make the world of a design of its row of `calibrated`."""
    strength = row["factor"] * log_odds(design.rows)
    return World(strength, row["taste"], row["sentence"])


# --- what rules print -----------------------------------------------------------------


def printed(
    rows: ComparisonRows, anchor: str, number: int, rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Print the ranges of all rules but TrueSkill's.

    Returns
    -------
    dict of DataFrame
        By rule, best system first: first_rank, last_rank, cluster; indexed by system.
    """
    samples = [*resampler(rows.counted, None, COMPARISON).samples(number, rng)]
    wins, strengths = (
        pd.DataFrame(
            np.concatenate([METHODS[name].sample_scores(each) for each in samples]),
            columns=rows.systems,
        )
        for name in ("expected-wins", "bradley-terry-half")
    )
    sets = rank_sets(rows, minimum=0).table.set_index("system")
    names = dict(zip(["rank_low", "rank_high"], CUT, strict=False))
    return {
        WMT13: wmt16.outcome(wins)[CUT],
        ARENA: by_intervals(strengths),
        ANCHOR: by_intervals(strengths.sub(strengths[anchor], axis=0)),
        SETS: sets.rename(columns=names)[CUT].astype(int),
    }


def by_intervals(strengths: pd.DataFrame) -> pd.DataFrame:
    """Rank by 95 % intervals of resampled strengths, as arenas do; see `printed`."""
    means = strengths.mean()
    order = means.index[np.argsort(-levels(means), kind="stable")]
    low, high = strengths[order].quantile([0.025, 0.975]).to_numpy()
    above = low[:, None] > high
    clusters = []
    end = np.inf
    for k in range(len(order)):
        if high[k] < end and len({*clusters}) < MOST_CLASSES:
            end = low[k]
            clusters.append(len({*clusters}) + 1)
        else:
            clusters.append(clusters[-1])
    columns = 1 + above.sum(axis=0), len(order) - above.sum(axis=1), clusters
    return pd.DataFrame(dict(zip(CUT, columns, strict=True)), order)


def measured(table: pd.DataFrame, strength: pd.Series) -> dict[str, float]:
    """Hold a printed table against true strengths, indexed by system.

    Returns
    -------
    dict
        one (share of systems whose range holds the true rank), winner (whether the
        range of the truly best begins with 1), all, first (whether the first is truly
        best), ranks (mean number in a range), groups, wrong (whether a system is truly
        better than one of a group above; NaN if there is one group).
    """
    true = strength.rank(ascending=False)[table.index]
    first, last, group = table[CUT].to_numpy().T
    held = (first <= true) & (true <= last)
    parted = group[:, None] < group
    below = true.to_numpy()[:, None] > true.to_numpy()
    return {
        "one": held.mean(),
        "winner": first[true.argmin()] == 1,
        "all": held.all(),
        "first": true.iloc[0] == 1,
        "ranks": (last - first + 1).mean(),
        "groups": group.max(),
        "wrong": (parted & below).any() if parted.any() else np.nan,
    }


def held(
    design: Design, world: World, worlds: int, resamples: int, seed: int
) -> pd.DataFrame:
    """Measure all rules in worlds of a design.

    Returns
    -------
    DataFrame
        label, kind, rule, world; `MEASURES`. WMT16 is in few worlds of small designs.
    """
    strength = pd.Series(world.strength, design.rows.systems)
    middle = strength.sort_values().index[len(strength) // 2]
    found = []
    for number in range(worlds):
        rng = np.random.default_rng([seed, number])
        rows = draw(design, world, rng)
        tables = printed(rows, middle, resamples, rng)
        if len(rows.first) <= FEW and number < RUN_WORLDS:
            runs = wmt16.official_runs(rows.counted, RUNS, rng)
            tables[WMT16] = wmt16.outcome(runs)
        for rule, table in tables.items():
            found.append({"rule": rule, "world": number} | measured(table, strength))
    frame = pd.DataFrame(found).astype(dict.fromkeys(MEASURES, float))
    return frame.assign(label=design.label, kind=design.kind)


def summary(rows: pd.DataFrame, keys: Sequence[str] = ("rule",)) -> pd.DataFrame:
    """Average over the worlds of each task, then over tasks.

    Returns
    -------
    DataFrame
        Indexed by the keys: tasks; `MEASURES`, and each with _half, half of the 95 %
        interval over tasks (Student's).
    """
    tasks = rows.groupby([*keys, "label"])[MEASURES].mean().groupby([*keys])
    table = tasks.mean().join(tasks.agg(t_half_width).add_suffix("_half"))
    table.insert(0, "tasks", tasks.size())
    return table


# --- a second judgement of the same outputs -------------------------------------------


def crossed(both: Sequence[ComparisonRows], resamples: int, seed: int) -> pd.Series:
    """Compute by rule the share of ranges that hold the rank of the other judgement.

    Of both: the ranges of one and ranks of the other, and the reverse.
    """
    rng = np.random.default_rng(seed)
    tables = [printed(rows, rows.systems[0], resamples, rng) for rows in both]
    shares = {}
    for rule in tables[0]:
        pair = [table[rule] for table in tables]
        inside = []
        for ranges, ranked in (pair, pair[::-1]):
            place = pd.Series(range(1, len(ranked) + 1), ranked.index)[ranges.index]
            inside.append(place.between(ranges["first_rank"], ranges["last_rank"]))
        shares[rule] = np.mean(inside)
    return pd.Series(shares)


def crossed_in_worlds(
    pair: Sequence[Design],
    worlds_of: Sequence[World],
    worlds: int,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Measure `crossed` of the data, and of worlds in which both have one truth.

    The truth is the mean of the two designs' strengths.

    Returns
    -------
    DataFrame
        Rules x (data, worlds).
    """
    strength = (worlds_of[0].strength + worlds_of[1].strength) / 2
    shares = []
    for number in range(worlds):
        rng = np.random.default_rng([seed, number])
        rows = [
            draw(design, world._replace(strength=strength), rng)
            for design, world in zip(pair, worlds_of, strict=True)
        ]
        shares.append(crossed(rows, resamples, seed + number))
    data = crossed([design.rows for design in pair], resamples, seed)
    return pd.DataFrame(
        {"data": data, "worlds": pd.concat(shares, axis=1).mean(axis=1)}
    )
