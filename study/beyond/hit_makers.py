"""Annotators whose HITs differ: what each adds to the covariance of a HIT. Notebook 64.

Two sittings of one HIT, of different documents and systems, covary. Do all annotators
make this covariance, or few? The notebook sets real campaigns beside worlds of normal
effects, where the HITs of all annotators vary alike.

The criterion is in the notebook. It was written before this was computed here, but
after a trial from outside (docs/ranking.md).
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from study.beyond.honest_line import TestedCampaign
from study.beyond.interval_plots import promise, values_with_intervals
from study.beyond.unit_tests import membership
from study.beyond.variance_components import EFFECTS
from study.statistics import less_system_means
from wmtlib.agreement import segments_drawn as units_drawn

FEW = (5, 20, 50)  # annotators
GROUPS_IN_WORDS = {  # of `groups_of`
    "the same HIT": "all annotators",
    "the same, annotators of 1 HIT": "annotators of 1 HIT",
    "the same, of 2 or 3 HITs": "of 2 or 3 HITs",
    "the same, of 4 or more": "of 4 HITs or more",
    "the same, without the 5 largest": "without the 5 largest",
    "the same, without the 20 largest": "without the 20 largest",
    "the same, without the 50 largest": "without the 50 largest",
    "another HIT": "(in two HITs)",
}


def sittings(values: pd.DataFrame) -> pd.DataFrame:
    """Average the z-scores of each sitting, less the mean of its system.

    Parameters
    ----------
    values : DataFrame
        Of `zscores.judged_values`.

    Returns
    -------
    DataFrame
        The columns of a sitting in `EFFECTS`, segments (their number) and y.
    """
    centred = values.assign(y=less_system_means(values, "z"))
    of_sitting = centred.groupby(EFFECTS["sitting"])["y"]
    return of_sitting.agg(segments="size", y="mean").reset_index()


def products(rows: pd.DataFrame, y: np.ndarray, within: str = "task") -> np.ndarray:
    """Sum y y' over pairs of sittings of different documents and systems.

        sum over pairs = (all^2 - by document^2 - by system^2 + by both^2) / 2,

    where by document^2 is the sum, over documents, of (the sum of y)^2.

    Parameters
    ----------
    rows : DataFrame
        Sittings, with annotator and task: numbers of workers and of their HITs.
    y : ndarray of float64, (sittings, worlds)
        With ones the pairs are counted.
    within : "task" or "annotator"
        Whose sittings are paired.

    Returns
    -------
    ndarray of float64, (annotators, worlds)
    """
    owner = rows["annotator"].to_numpy()
    total = np.zeros(1)
    for apart in ([], ["document"], ["system"], ["document", "system"]):
        group = rows.groupby([within, *apart]).ngroup().to_numpy()
        of_group = np.zeros(group.max() + 1, dtype=int)
        of_group[group] = owner
        squares = (membership(group) @ y) ** 2
        total = total + (-1) ** len(apart) * (membership(of_group) @ squares)
    return total / 2


def most_apart(values: pd.DataFrame) -> pd.DataFrame:
    """Find the annotator of two HITs, of two sittings or more, whose HITs differ most.

    Returns
    -------
    DataFrame
        The annotator's `sittings`, by HIT and document.
    """
    rows = sittings(values)
    of_hit = rows.groupby(["worker", "hit"])["y"].agg(["size", "mean"])
    of_worker = of_hit.query("size > 1").groupby("worker")["mean"]
    by_worker = of_worker.agg(["size", "min", "max"]).query("size == 2")
    annotator = (by_worker["max"] - by_worker["min"]).idxmax()
    return rows[rows["worker"] == annotator].sort_values(["hit", "document"])


def draw_two_hits(rows: pd.DataFrame, systems: Sequence[str], ax: Axes) -> Axes:
    """Draw the sittings of `most_apart`: their means, in colours of their HITs."""
    place = -np.arange(len(rows))
    names = [
        f"document {document}, {systems[system]}"
        for document, system in zip(rows["document"], rows["system"], strict=True)
    ]
    for k, hit in enumerate(rows["hit"].unique()):
        of_hit = (rows["hit"] == hit).to_numpy()
        label = f"{('one', 'the other')[k]} HIT"
        color, mark = f"C{k}", "os"[k]
        ax.plot(rows["y"][of_hit], place[of_hit], mark, color=color, label=label)
    ax.axvline(0, color="0.7", lw=1, zorder=0)
    ax.set_yticks(place, names)
    ax.set_xlabel("mean z-score of the sitting, less the mean of its system")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncol=2, frameon=False)
    return ax


def correlate_halves(campaigns: Iterable[TestedCampaign]) -> pd.DataFrame:
    """Correlate halves of sittings, without a model.

    Sittings are halved by odd and even segments. Where two workers judged the same
    document of the same system, a half is correlated with the other half of its own
    sitting, and with that of the other worker.

    Returns
    -------
    DataFrame
        Indexed by protocol: both correlations.
    """
    halves = []
    for campaign in campaigns:
        values = campaign.values
        values = values.assign(z=less_system_means(values, "z"))
        of_document = values.groupby("document")["segment"]
        place = of_document.rank(method="dense").astype(int)
        keys = ["document", "system", "worker", place % 2]
        mean = values.groupby(keys)["z"].mean().unstack().dropna()
        mean = mean.set_axis(["other", "half"], axis=1).reset_index()
        both = mean.merge(mean, on=keys[:2], suffixes=("", "_of_another"))
        both = both.query("worker != worker_of_another")
        halves.append(both.assign(protocol=campaign.protocol))
    columns = ["other", "other_of_another", "half"]
    found = pd.concat(halves).groupby("protocol")[columns].corr()["half"].unstack()
    words = ["the same annotator's other half", "another annotator's other half"]
    return found[columns[:2]].set_axis(words, axis=1)


def annotators(campaigns: Iterable[TestedCampaign]) -> tuple[pd.DataFrame, ...]:
    """List sittings of campaigns, and what each annotator adds to their covariance.

    Returns
    -------
    DataFrame, DataFrame
        `sittings`, with label, annotator and task (worker and HIT, over all campaigns).
        By annotator: label, hits; products and pairs of sittings of one HIT; the same
        of two HITs, with other_.
    """
    parts = [sittings(c.values).assign(label=c.label) for c in campaigns]
    rows = pd.concat(parts, ignore_index=True)
    rows["annotator"] = rows.groupby(["label", "worker"]).ngroup()
    rows["task"] = rows.groupby(["annotator", "hit"]).ngroup()
    of_annotator = rows.groupby("annotator")
    table = of_annotator.agg(label=("label", "first"), hits=("task", "nunique"))
    for name, y in {"products": rows[["y"]], "pairs": rows[["y"]] * 0 + 1}.items():
        in_one_hit = products(rows, y.to_numpy())[:, 0]
        of_all = products(rows, y.to_numpy(), "annotator")[:, 0]
        table[name] = in_one_hit
        table[f"other_{name}"] = of_all - in_one_hit
    return rows, table


def groups_of(people: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Group annotators by their number of HITs, and leave the largest out.

    A group without pairs of sittings is left out.
    """
    hits = people["hits"]
    groups = {
        "the same HIT": people,
        "the same, annotators of 1 HIT": people[hits == 1],
        "the same, of 2 or 3 HITs": people[hits.between(2, 3)],
        "the same, of 4 or more": people[hits > 3],
    }
    largest = people.sort_values("products", ascending=False)
    for few in FEW:
        groups[f"the same, without the {few} largest"] = largest[few:]
    other = {"products": people["other_products"], "pairs": people["other_pairs"]}
    groups["another HIT"] = people.assign(**other)
    return {name: group for name, group in groups.items() if group["pairs"].any()}


def covariances(
    people: pd.DataFrame, resamples: int, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute the covariance of two sittings of one annotator, by group.

    Returns
    -------
    DataFrame, DataFrame
        sittings in, pairs, annotators, covariance, low, high (95 %, annotators drawn
        anew); and the covariances, as seen and drawn anew, (1 + resamples, groups).
    """
    rows = []
    draws = {}
    for name, group in groups_of(people).items():
        paired = group[group["pairs"] > 0]
        weights = drawn_anew(len(paired), resamples, rng)
        total = weights @ paired["products"].to_numpy()
        draws[name] = total / (weights @ paired["pairs"].to_numpy())
        ends = np.quantile(draws[name][1:], [0.025, 0.975])
        pairs = int(group["pairs"].sum())
        rows.append((name, pairs, len(paired), draws[name][0], *ends))
    columns = ["sittings in", "pairs", "annotators", "covariance", "low", "high"]
    return pd.DataFrame(rows, columns=columns), pd.DataFrame(draws)


def drawn_anew(size: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Draw how often each unit is in a sample: as seen, and with replacement."""
    return np.vstack([np.ones(size), units_drawn(size, resamples, rng)])


def in_equal_worlds(
    rows: pd.DataFrame,
    people: pd.DataFrame,
    fit: pd.Series,
    worlds: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compare the `spread` over annotators with that of HITs that all vary alike.

    Worlds have the same sittings and HITs, normal effects of HITs, other effects as
    estimated, and each annotator's mean taken out. The variance of HITs is equal for
    all annotators, or for those of a campaign, and gives the real covariance.

    Parameters
    ----------
    rows, people : DataFrame
        Of `annotators`.
    fit : Series
        The variances of `variance_components.components`, as seen.

    Returns
    -------
    DataFrame
        Statistics of `spread`; real, and of both kinds of worlds the mean and the
        97.5 % quantile.
    """
    part = fit.clip(lower=0)
    noise = part[["document", "document x system", "sitting"]].to_numpy().sum()
    of_segments = part[["segment", "segment x system", "residual"]].to_numpy().sum()
    noise = noise + of_segments / rows["segments"].to_numpy()
    owner = rows["annotator"].to_numpy()
    own = membership(owner) * rows["segments"].to_numpy()

    def world(of_hits: np.ndarray) -> np.ndarray:  # variance of each annotator's HITs
        effect = rng.standard_normal((rows["task"].max() + 1, worlds))
        y = effect[rows["task"]] * np.sqrt(of_hits)[owner, None]
        y += rng.standard_normal(y.shape) * np.sqrt(noise)[:, None]
        return products(rows, y - (own @ y / own.sum(axis=1)[:, None])[owner])

    pairs, hits = people["pairs"].to_numpy(), people["hits"].to_numpy()
    sums = people[["products"]].assign(none=world(0 * pairs).mean(axis=1))
    sums["one"] = world(0 * pairs + 1).mean(axis=1)
    real = spread(sums[["products"]].to_numpy(), pairs, hits).loc[0]
    table = {"real": real}
    for name, group in {
        "equal": 0 * hits,
        "equal by campaign": people["label"],
    }.items():
        all_of = sums.groupby(group).transform("sum")
        gained = all_of["one"] - all_of["none"]
        of_hits = (all_of["products"] - all_of["none"]) / gained
        drawn = spread(world(of_hits.clip(0).to_numpy()), pairs, hits)
        table[name] = drawn.mean()
        table[f"{name}, 97.5 %"] = drawn.quantile(0.975)
    return pd.DataFrame(table)


def draw_covariances(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the covariance of two sittings, by whose they are: of `covariances`."""
    words = table["sittings in"].map(GROUPS_IN_WORDS)
    rows = table.set_index(words)
    values_with_intervals(rows, ax, value="covariance", number=".3f")
    promise(ax, 0, "none", side="right")
    ax.set(xlabel="covariance of two sittings (of z-scores)", title="in one HIT, of")
    ax.set_ylim(ax.get_ylim()[0], 1)
    return ax


def draw_worth(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw what a second document in the same HIT is worth, by whose HITs they are."""
    rows = table.set_index(table["sittings in"].map(GROUPS_IN_WORDS))
    values_with_intervals(rows, ax, value="worth", number=".2f")
    promise(ax, 2, "as good as doubling everything")
    ax.set(xlabel="worth (one sitting: 1)", ylim=(ax.get_ylim()[0], 1.2))
    ax.set_title("a second document in the same HIT, whole documents (SR+DC)")
    return ax


def largest_by_campaign(people: pd.DataFrame, few: int = 20) -> pd.DataFrame:
    """Count the largest annotators in each campaign, and its covariance without them.

    Returns
    -------
    DataFrame
        Indexed by label: annotators, of the largest, covariance, without the largest.
    """
    left = people.sort_values("products", ascending=False)[few:]
    table = people.groupby("label").size().to_frame("annotators")
    table["of the largest"] = table["annotators"] - left.groupby("label").size()
    for name, of in {"covariance": people, "without the largest": left}.items():
        sums = of.groupby("label")[["products", "pairs"]].sum()
        table[name] = sums["products"] / sums["pairs"]
    return table


def draw_largest(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of the covariance that few annotators make: of `in_equal_worlds`.

    A line is from the mean of the worlds to their 97.5 % quantile.
    """
    names = {f"share of the {few} largest": f"{few} annotators" for few in FEW}
    rows = table.loc[[*names]].rename(index=names)
    place = -np.arange(len(rows))
    ax.plot(rows["real"], place, "o", color="C0", label="real campaigns")
    kinds = {"equal": ("C1", 0.15), "equal by campaign": ("C2", 0.3)}
    for kind, (color, down) in kinds.items():
        label = f"HITs vary alike{' in a campaign' if 'by' in kind else ''}"
        mean, most = rows[kind], rows[f"{kind}, 97.5 %"]
        ax.hlines(place - down, mean, most, color=color, lw=2)
        ax.plot(mean, place - down, "|", color=color, ms=8, mew=2, label=label)
    ax.set_yticks(place, rows.index)
    ax.set(xlim=(0, 1), xlabel="share of the covariance", title="made by the largest")
    ax.set_ylim(0.6 - len(rows) - 0.9, 0.4)
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.legend(loc="lower right", frameon=False)
    return ax


def spread(total: np.ndarray, pairs: np.ndarray, hits: np.ndarray) -> pd.DataFrame:
    """Compute how the covariance of HITs is spread over annotators.

    Parameters
    ----------
    total : ndarray of float64, (annotators, worlds)
        Of `products`.
    pairs, hits : ndarray of float64, (annotators,)
        Pairs of sittings in one HIT, and HITs.

    Returns
    -------
    DataFrame, (worlds, statistics)
        The largest annotators are those with the largest sums of products.
    """
    order = np.argsort(-total, axis=0)
    added = np.take_along_axis(total, order, axis=0)
    table = {"covariance": total.sum(axis=0) / pairs.sum()}
    for few in FEW:
        table[f"share of the {few} largest"] = added[:few].sum(axis=0) / added.sum(0)
    for few in FEW:
        left = pairs[order][few:].sum(axis=0)
        table[f"covariance without {few}"] = added[few:].sum(axis=0) / left
    several = (hits > 1) & (pairs > 0)
    own = total[several] / pairs[several, None]
    table["median annotator of several HITs"] = np.median(own, axis=0)
    table["share of these below 0"] = np.mean(own < 0, axis=0)
    return pd.DataFrame(table)
