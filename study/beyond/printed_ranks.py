"""How often the ranges of ranks hold that campaigns and arenas print. Notebook 66.

The truth is known in worlds drawn for each campaign at hand. Its design stays: who
judged which sentence, which outputs were ranked together, and how many ties each judge
gave. An output has the value

    strength of its system + taste of its judge for the system
        + how its sentence suits the system + noise (Gumbel's),              (1)

tastes and sentences normal, and the output of the higher value wins: Bradley-Terry with
effects. A judge's ties are between the outputs that are closest. The true rank is that
of the strength: for new judges and new sentences. `calibrated_spreads` has the spreads
for which the same estimators, `moments`, give in the worlds what they give in the data.

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
docs/ranking.md has the levels of the sets; the code was tried on made-up campaigns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from study.beyond import wmt16
from study.beyond.equal_votes import drawn_effects, numbered_units
from study.beyond.interval_plots import promise, values_with_intervals
from study.beyond.wmt16 import CUT, ENDS, LARGE, NEWS
from study.data import ranking_releases
from study.data.arena_votes import LLMFAO, load_llmfao
from study.data.sources import RELATIVE_CAMPAIGNS, ROOT, Source
from study.statistics import t_half_width
from wmtlib.certainty import rank_sets
from wmtlib.core import counts
from wmtlib.core.counts import FIRST, SECOND, TIE, ComparisonRows, rows_of
from wmtlib.core.ranking import levels
from wmtlib.core.sampling import resampler
from wmtlib.files.read import read

RULES = ["WMT13", "WMT16", "arena", "arena, anchor", "sets at once"]
WMT13, WMT16, ARENA, ANCHOR, SETS = RULES
MEASURES = ["one", "winner", "all", "first", "ranks", "wrong", "here"]
PROMISED = 0.95
QUESTIONS = {  # of `MEASURES`: what the true rank is of
    "one": "one system",
    "winner": "the winner",
    "all": "all systems at once",
}
RULES_IN_WORDS = {
    WMT13: "WMT13: ranks by wins",
    WMT16: "WMT16: runs of TrueSkill",
    ARENA: "arena",
    ANCHOR: "arena with an anchor",
    SETS: "sets of wmtlib rank",
}
PARTS_IN_WORDS = {  # of `halves`, and kinds
    "systems": "systems: {}",
    "judges": "judges: {}",
    "sentences": "sentences: {}",
    "step": "standard errors to the next: {}",
    "kind": "{}",
}
KINDS_IN_WORDS = {
    "wmt10": "WMT10, experts",
    "wmt10-crowd": "WMT10, crowd",
    "wmt11": "WMT11",
    "wmt11 combinations": "WMT11, combinations",
    "wmt12": "WMT12",
    "wmt16": "WMT16",
    LLMFAO: "llmfao, language models",
}
LEAST_UNITS = 7  # of a task; of fewer judges nothing is said of others
LEAST_SYSTEMS = 3
MOST_CLASSES = 8
FEW, RUNS, RUN_WORLDS = 4_000, 100, 4  # comparisons, runs and worlds with TrueSkill
ROUNDS, DRAWN, LEAST_DRAWN = 7, 50_000, 4  # calibration: comparisons a task, worlds
SLOPE = 0.2  # about what a small variance of log-odds adds to a covariance of margins


@dataclass(frozen=True, eq=False, repr=False)
class VotedTask:
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
        """Number judge, segment and ranking from 0: (3, comparisons)."""
        return np.stack([*numbered_units(self.rows).values()])

    @cached_property
    def sides(self) -> np.ndarray:
        """Number, of the first and then of the second sides, what they share.

        System; judge; segment; judge and segment; output of a ranking.
        """
        judge, segment, ranking = np.tile(self.units, 2)
        system = np.concatenate([self.rows.first, self.rows.second])
        both = np.unique(judge * len(judge) + segment, return_inverse=True)[1]
        outputs = ranking * (system.max() + 1) + system
        output = np.unique(outputs, return_inverse=True)[1]
        return np.stack([system, judge, segment, both, output])


class VotedWorld(NamedTuple):
    """What worlds of a design are drawn from: Equation 1, in log-odds."""

    strength: np.ndarray
    taste: float
    sentence: float
    # Whether the judgements of a judge, and of a sentence, share effects. Otherwise
    # these are drawn anew, as large, for each sentence of a judge.
    alike: tuple[bool, bool] = (True, True)


# --- designs --------------------------------------------------------------------------


def designs(source: Source) -> list[VotedTask]:
    """Load tasks of WMT10-12 and WMT16 and llmfao; without raw files the examples.

    Tasks of fewer than three systems, seven judges or seven sentences are left out, and
    of more than `wmt16.LARGE` comparisons (they take as long as all others), as are
    WMT16's ties of identical outputs, which nobody judged.
    """
    chosen = []
    for design in _loaded(source):
        units = design.units[:2].max(axis=1) + 1
        systems, size = len(design.rows.systems), len(design.rows.first)
        if units.min() >= LEAST_UNITS and systems >= LEAST_SYSTEMS and size <= LARGE:
            chosen.append(design)
    return chosen


def _loaded(source: Source) -> Iterator[VotedTask]:
    """Load all designs."""
    if source.kind == "embedded":
        for name in ("pairwise", "rankings"):
            votes = read(ROOT / "examples" / f"{name}.csv").comparisons
            yield VotedTask(f"simulated {name}", "simulated", rows_of(votes))
        return
    for row in ranking_releases.tasks(source, [*RELATIVE_CAMPAIGNS, NEWS]).itertuples():
        split = "judged" if row.campaign == NEWS else None
        place = row.campaign, row.task
        frame = ranking_releases.load_comparisons(*place, source=source, split=split)
        kind = row.campaign
        if row.task.endswith(("syscomb", "tunable")):
            kind += " combinations"
        rows = rows_of(counts.without(frame, counts.REFERENCE))
        yield VotedTask(ranking_releases.label(*place), kind, rows)
    yield VotedTask(LLMFAO, LLMFAO, rows_of(load_llmfao(source=source)))


# --- worlds ---------------------------------------------------------------------------


def draw_votes(
    design: VotedTask, world: VotedWorld, rng: np.random.Generator
) -> ComparisonRows:
    """Draw the judgements of a design in a world: Equation 1."""
    return draw_with_truth(design, world, rng)[0]


def draw_with_truth(
    design: VotedTask, world: VotedWorld, rng: np.random.Generator
) -> tuple[ComparisonRows, np.ndarray]:
    """Draw judgements, and what systems are worth on these sentences, (systems,)."""
    system, *_, output = design.sides
    sides = system.reshape(2, -1)
    value = world.strength[system] + rng.gumbel(size=output.max() + 1)[output]
    judge, segment, both = design.units
    units = [
        unit if shared else both
        for unit, shared in zip((judge, segment), world.alike, strict=True)
    ]
    spreads = world.taste, world.sentence
    tastes, suits = drawn_effects(units, spreads, len(world.strength), rng)
    effects = tastes[units[0], sides] + suits[units[1], sides]
    lead = np.subtract(*value.reshape(2, -1) + effects)
    # Sorted by judge, the closest first: as many of them are ties as the judge gave.
    given = np.bincount(judge, design.rows.preference == TIE)
    begin = np.cumsum(np.bincount(judge)) - np.bincount(judge)
    order = np.lexsort((np.abs(lead), judge))
    tied = np.arange(len(lead)) < (begin + given)[judge[order]]
    preference = np.where(lead > 0, FIRST, SECOND)
    preference[order[tied]] = TIE
    rows = design.rows
    pairs = rows.first, rows.second
    drawn = ComparisonRows(rows.frame, rows.systems, *pairs, preference, rows.times)
    return drawn, world.strength + suits.mean(axis=0)


def log_odds_of(rows: ComparisonRows) -> np.ndarray:
    """Compute log-odds of a win against a loss, ties out, with mean 0: (systems,)."""
    won = rows.counted.wins.to_numpy() + 0.5 / len(rows.systems)
    values = np.log(won.sum(axis=1) / won.sum(axis=0))
    return values - values.mean()


def moments(design: VotedTask, rows: ComparisonRows) -> np.ndarray:
    """Measure what `calibrated_spreads` matches.

    Returns
    -------
    ndarray, (5,)
        Variance of `log_odds_of` over systems; then of the margins (1, -1, ties 0) of a
        system, less what the log-odds let expect: the sum of their products within
        judges, of different segments, and the number of these pairs; the same within
        segments, of different judges.
    """
    score = log_odds_of(rows)
    system = design.sides[0]
    first, second = system.reshape(2, -1)
    margin = 1.0 * (rows.preference == FIRST) - (rows.preference == SECOND)
    expected = np.tanh((score[first] - score[second]) / 2)
    margin -= (rows.preference != TIE).mean() * expected
    sums = []
    for unit in design.sides[1:4]:
        cell = unit * len(score) + system
        total = np.bincount(cell, np.concatenate([margin, -margin]))
        sums.append(np.array([total @ total, (np.bincount(cell) ** 2).sum()]))
    judge, segment, both = sums
    return np.hstack([score.var(), judge - both, segment - both])


def calibrated_spreads(kind: Sequence[VotedTask], seed: int) -> pd.DataFrame:
    """Calibrate worlds of a kind: a factor of strengths a task, two spreads in all.

    Returns
    -------
    DataFrame
        Indexed by label of task: value (factor of the log-odds), data, worlds (variance
        of log-odds); then "taste" and "sentence": value (standard deviation in
        log-odds), data, worlds (covariance of margins, of all tasks).
    """
    scores = [log_odds_of(design.rows) for design in kind]
    real = _pooled([moments(design, design.rows) for design in kind])
    gain = 1 / np.append(real[:-2], [SLOPE, SLOPE])
    squares = np.append(np.ones(len(kind)), [0.1, 1.0])  # of what is calibrated
    for number in range(ROUNDS + 1):
        used = np.sqrt(squares)
        rng = np.random.default_rng([seed, number])
        means = []
        for design, score, factor in zip(kind, scores, used[:-2], strict=True):
            world = VotedWorld(factor * score, *used[-2:])
            worlds = max(LEAST_DRAWN, DRAWN // len(design.rows.first))
            drawn = [
                moments(design, draw_votes(design, world, rng)) for _ in range(worlds)
            ]
            means.append(np.mean(drawn, axis=0))
        found = _pooled(means)
        step = gain / (1 + number / 4)  # shorter, so that chance averages out
        step[-2:] *= 1 + squares[-2:]
        squares = (squares + step * (real - found)).clip(0)
    labels = [*(design.label for design in kind), "taste", "sentence"]
    return pd.DataFrame({"value": used, "data": real, "worlds": found}, labels)


def _pooled(sums: Sequence[np.ndarray]) -> np.ndarray:
    """Return variances of tasks, and the two covariances of all tasks together."""
    total = np.sum(sums, axis=0)
    return np.append(np.array(sums)[:, 0], total[[1, 3]] / total[[2, 4]])


def world_of(design: VotedTask, fit: pd.DataFrame) -> VotedWorld:
    """Make the world of a design from its `calibrated_spreads`."""
    factor, taste, sentence = fit.loc[[design.label, "taste", "sentence"], "value"]
    return VotedWorld(factor * log_odds_of(design.rows), taste, sentence)


# --- what rules print -----------------------------------------------------------------


def printed_ranges(
    rows: ComparisonRows, resamples: int, rng: np.random.Generator
) -> dict[str, pd.DataFrame]:
    """Print the ranges of all rules but TrueSkill's; the anchor is in the middle.

    Returns
    -------
    dict of DataFrame
        By rule, best system first: first_rank, last_rank, cluster; indexed by system.
    """
    samples = [
        *resampler(rows.counted, None, counts.COMPARISON).samples(resamples, rng)
    ]
    wins = wmt16.sample_scores(samples, "expected-wins")
    strengths = wmt16.sample_scores(samples, "bradley-terry-half")
    middle = strengths.mean().sort_values().index[len(rows.systems) // 2]
    sets = rank_sets(rows, minimum=0).table.set_index("system")
    return {
        WMT13: wmt16.outcome(wins)[CUT],
        ARENA: by_intervals(strengths),
        ANCHOR: by_intervals(strengths.sub(strengths[middle], axis=0)),
        SETS: sets[["rank_low", "rank_high", "cluster"]]
        .set_axis(CUT, axis=1)
        .astype(int),
    }


def beside(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Write the ranges of rules, such as "3-5", beside each other, in WMT13's order."""
    ranges = {}
    for rule, table in tables.items():
        first, last = (table[end].astype(str) for end in ENDS)
        ranges[rule] = first + "-" + last
    return pd.DataFrame(ranges).reindex(tables[WMT13].index)


def by_intervals(strengths: pd.DataFrame) -> pd.DataFrame:
    """Rank by 95 % intervals of resampled strengths, as arenas do.

    Returns the table of one rule, as `printed_ranges` has it.
    """
    order = strengths.columns[np.argsort(-levels(strengths.mean()), kind="stable")]
    low, high = strengths[order].quantile([0.025, 0.975]).to_numpy()
    above = low[:, None] > high
    end, group = np.inf, 0
    groups = []
    for k in range(len(order)):
        if high[k] < end and group < MOST_CLASSES:
            end = low[k]
            group += 1
        groups.append(group)
    ranks = [1 + above.sum(axis=0), len(order) - above.sum(axis=1), groups]
    return pd.DataFrame(np.transpose(ranks), order, CUT)


def measured(table: pd.DataFrame, strength: pd.Series, here: pd.Series) -> list[float]:
    """Hold a printed table against true strengths, indexed by system.

    `here` has the strengths on the sentences of the table alone.

    Returns
    -------
    list, `MEASURES`
        one (share of systems whose range holds the true rank), winner (whether the
        range of the truly best begins with 1), all, first (whether the first is truly
        best), ranks (mean number in a range), wrong (whether a system is truly better
        than one of a group above it; NaN if there is one group), here (share of
        systems whose range holds the rank on these sentences).
    """
    true = strength.rank(ascending=False)[table.index].to_numpy()
    first, last, group = table[CUT].to_numpy().T
    held = (first <= true) & (true <= last)
    parted = group[:, None] < group
    wrong = np.nan
    if parted.any():
        wrong = (parted & (true[:, None] > true)).any()
    at_best = first[true.argmin()] == 1
    width = (last - first + 1).mean()
    rank_here = here.rank(ascending=False)[table.index].to_numpy()
    held_here = ((first <= rank_here) & (rank_here <= last)).mean()
    return [held.mean(), at_best, held.all(), true[0] == 1, width, wrong, held_here]


def ranges_held(
    design: VotedTask, world: VotedWorld, worlds: int, resamples: int, seed: int
) -> pd.DataFrame:
    """Measure all rules in worlds of a design.

    Returns
    -------
    DataFrame
        label, rule, world; `MEASURES`. WMT16 is in few worlds of small designs.
    """
    strength = pd.Series(world.strength, design.rows.systems)
    found = {}
    for number in range(worlds):
        rng = np.random.default_rng([seed, number])
        rows, worth = draw_with_truth(design, world, rng)
        here = pd.Series(worth, design.rows.systems)
        tables = printed_ranges(rows, resamples, rng)
        if len(rows.first) <= FEW and number < RUN_WORLDS:
            runs = wmt16.official_runs(rows.counted, RUNS, rng)
            tables[WMT16] = wmt16.outcome(runs)
        for rule, table in tables.items():
            found[design.label, rule, number] = measured(table, strength, here)
    frame = pd.DataFrame(found, MEASURES, dtype=float).T
    return frame.rename_axis(["label", "rule", "world"]).reset_index()


def mean_over_tasks(rows: pd.DataFrame, *keys: str) -> pd.DataFrame:
    """Average over the worlds of each task, then over tasks, by rule and other keys.

    Returns
    -------
    DataFrame
        Indexed by rule and keys: tasks; `MEASURES`, and each with _half, half of the
        95 % interval over tasks (Student's).
    """
    by = ["rule", *keys]
    tasks = rows.groupby([*by, "label"])[MEASURES].mean().groupby(by)
    table = tasks.mean().join(tasks.agg(t_half_width).add_suffix("_half"))
    table.insert(0, "tasks", tasks.size())
    return table


def with_ends(table: pd.DataFrame) -> pd.DataFrame:
    """Give the shares of `mean_over_tasks` the ends of their intervals, in 0 to 1."""
    shares = table[["tasks"]].copy()
    for name in QUESTIONS:
        half = table[f"{name}_half"]
        shares[name] = table[name]
        shares[f"{name}_low"] = (table[name] - half).clip(lower=0)
        shares[f"{name}_high"] = (table[name] + half).clip(upper=1)
    return shares


def draw_promise(shares: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """Draw how often printed ranges hold beside what they promise, by question.

    Parameters
    ----------
    shares : DataFrame
        Of `with_ends`, indexed by rule.
    axes : sequence of Axes, one for each of `QUESTIONS`
    """
    words = [
        f"{RULES_IN_WORDS[rule]}\n({tasks:.0f} tasks)"
        for rule, tasks in shares["tasks"].items()
    ]
    rows = shares.set_axis(words)
    for ax, (name, question) in zip(axes, QUESTIONS.items(), strict=True):
        ends = f"{name}_low", f"{name}_high"
        values_with_intervals(rows, ax, value=name, ends=ends, number=".2f")
        promise(ax, PROMISED, "promised:\n95 %")
        ax.set(title=question, xlim=(0, 1.04), xlabel="share that holds")
        ax.set(xticks=[0, 0.25, 0.5, 0.75, 1], ylim=(0.5 - len(rows), 1.1))
        ax.xaxis.set_major_formatter("{x:g}")


def mean_by_part(rows: pd.DataFrame, parts: pd.DataFrame) -> pd.DataFrame:
    """Average over tasks, by rule, in each part of the tasks.

    Parameters
    ----------
    rows : DataFrame
        Of `ranges_held`.
    parts : DataFrame of str
        Of `halves`, and kind; indexed by task.

    Returns
    -------
    DataFrame
        That of `mean_over_tasks`, indexed by part (in words) and rule.
    """
    tables = {}
    for name, part_of in parts.items():
        of_part = rows.assign(part=rows["label"].map(part_of))
        table = mean_over_tasks(of_part, "part")
        for part in sorted(part_of.unique()):
            words = PARTS_IN_WORDS[name].format(KINDS_IN_WORDS.get(part, part))
            tables[words] = table.xs(part, level="part")
    return pd.concat(tables, names=["part"])


def draw_parts(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how often ranges of WMT13 and of arenas hold for one system, by part.

    Parameters
    ----------
    table : DataFrame
        Of `mean_by_part`.
    """
    half = table["one_half"]
    low, high = (table["one"] - half).clip(lower=0), (table["one"] + half).clip(upper=1)
    rows = table.assign(low=low, high=high)
    for rule, color, down in ((WMT13, "C0", -0.15), (ARENA, "C1", 0.2)):
        values_with_intervals(
            rows.xs(rule, level="rule"),
            ax,
            value="one",
            color=color,
            down=down,
            label=RULES_IN_WORDS[rule],
        )
    promise(ax, PROMISED, "promised: 95 %")
    ax.set(xlim=(None, 1.01), xlabel="share of systems whose range holds")
    ax.set_ylim(ax.get_ylim()[0], 1.7)
    ax.legend(loc="upper left", frameon=False, ncol=2)
    return ax


def second_judgement(
    pair: Sequence[VotedTask],
    truths: Sequence[VotedWorld],
    worlds: int,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """Compute the share of ranges of one judgement that hold the other's rank.

    Of both judgements of the same systems: the ranges of one and the ranks of the
    other, and the reverse. In the worlds both have one truth, the mean of the
    strengths.

    Returns
    -------
    DataFrame
        Rules x (data, world 1, ...).
    """
    rng = np.random.default_rng(seed)
    strength = (truths[0].strength + truths[1].strength) / 2
    shares = {}
    for number in range(worlds + 1):
        tables = []
        for design, truth in zip(pair, truths, strict=True):
            world = truth._replace(strength=strength)
            rows = draw_votes(design, world, rng) if number else design.rows
            tables.append(printed_ranges(rows, resamples, rng))
        inside = {}
        for rule in tables[0]:
            one, other = (table[rule] for table in tables)
            inside[rule] = (_holding(one, other) + _holding(other, one)) / 2
        shares[f"world {number}" if number else "data"] = pd.Series(inside)
    return pd.DataFrame(shares)


def _holding(ranges: pd.DataFrame, ranked: pd.DataFrame) -> float:
    """Compute the share of ranges that hold the rank in another table."""
    place = 1 + ranked.index.get_indexer(ranges.index)
    low, high = ranges[ENDS].to_numpy().T
    return float(((low <= place) & (place <= high)).mean())


def halves(designs: Sequence[VotedTask]) -> pd.DataFrame:
    """Divide tasks, indexed by label, at the median of what they have.

    Returns
    -------
    DataFrame of str
        systems, judges, sentences, and step: between neighbours of the table, in
        standard errors by judges and sentences, the median one.
    """
    facts = {}
    for design in designs:
        pairs = rank_sets(design.rows, minimum=0).pairs
        steps = (pairs["difference"] / pairs["error"])[pairs["neighbours"]]
        units = design.units[:2].max(axis=1) + 1
        facts[design.label] = [len(design.rows.systems), *units, steps.median()]
    table = pd.DataFrame(facts, ["systems", "judges", "sentences", "step"]).T
    middle = table.median().round(1)
    return (table > middle).replace({True: "above ", False: "up to "}) + middle.map(
        "{:g}".format
    )
