"""Scores by annotator, by HIT, and by a model with random effects of HITs. Notebook 65.

    z(j) = system(j) + segment(j) + HIT(j) + sitting(j) + e(j)
    scores = (X' V^-1 X)^-1 X' V^-1 z

z(j) is the z-score of judgement j by its worker (Knowles 2021, Equation 1), X says
which system was judged. A HIT of two workers is two; a sitting is one document of one
system in a HIT. Systems are fixed effects, the others are random with known variances,
those of notebook 64, and V is the covariance that they give: generalised least squares.

Standard errors allow that V is wrong: what a cluster i, here a HIT, adds to the scores
is summed before it is squared,

    d(i) = (F - L(i))^-1 Y(i)' Q(i)^-1 (V^-1 (z - X scores))(i)
    Y = V^-1 X,  F = X'Y,  Q(i): rows and columns i of V^-1,  L(i) = Y(i)' Q(i)^-1 Y(i)

d(i) is what the scores lose if all values of the cluster are left out. With U clusters
the sum of d(i) d(i)' times (U - 1) / U is CR3, the jackknife over clusters (MacKinnon,
Nielsen and Webb 2022, arXiv 2205.03288; the factor as in their R package summclust).
Without L, and times U / (U - 1), it is CR1 (Liang and Zeger 1986), which is too small
with few clusters (Pustejovsky and Tipton 2018, arXiv 1601.01981, abstract).
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import scipy
from matplotlib.axes import Axes

from study.beyond.honest_line import ALPHA, exchange_names
from study.beyond.interval_plots import promise, values_with_intervals
from study.beyond.pair_arrays import pairs_of, table_of_segments
from study.beyond.unit_tests import membership
from study.beyond.variance_components import components
from study.knowles2021.section_5_1 import has_hit_id
from study.statistics import less_system_means, random_halves, t_half_width, tau
from wmtlib.core.assessments import Campaign
from wmtlib.zscores import judged_values

MEANS = {"raw": "raw", "z by worker": "z", "z by HIT": "z_by_hit"}  # columns of values
SCORES = (*MEANS, "no HIT effects", "random effects")
MOST_NAMED = 0.5  # share of judgements whose HIT is named, of a campaign that has HITs
FEWEST_WORKERS = 20  # of a campaign that is divided: a half should have ten
CLOSE = 1e-6  # length of what is left of the equations, to that at the start
PARTS = {  # components of notebook 64 in each effect, which is a column of values
    "segment": ["document", "segment"],
    "hit": ["worker", "worker x HIT"],
    "sitting": ["document x system", "sitting"],
    "residual": ["segment x system", "residual"],
}
USUAL = {"segment": 0.08, "hit": 0.07, "sitting": 0.06, "residual": 0.6}  # of SR+DC
SITTING = ["hit", "document", "system"]
JUDGEMENT = ["worker", "hit", "document", "segment", "system"]
MOST_FALSE = 0.06  # of equal pairs, where a test holds its level of 5 %
PAIRS = [  # of scores that are compared
    ("raw", "z by worker"),
    ("z by HIT", "z by worker"),
    ("no HIT effects", "z by worker"),
    ("random effects", "z by worker"),
    ("random effects", "z by HIT"),
    ("random effects", "no HIT effects"),
]
SCORES_IN_WORDS = {
    "raw": "raw scores",
    "z by worker": "z-scores by annotator",
    "z by HIT": "z-scores by HIT",
    "no HIT effects": "model without HITs",
    "random effects": "model with HITs",
}
PROTOCOLS = {
    "DA SR+DC": "whole documents (SR+DC)",
    "DA SR-DC": "single sentences (SR-DC)",
}
UNITS_IN_WORDS = {"document": "document", "hit": "HIT"}
ERRORS = ("CR1", "CR3")


# --- scores ---------------------------------------------------------------------------


def variances_elsewhere(
    campaigns: Mapping[str, pd.DataFrame],
) -> dict[str, dict[str, float]]:
    """Estimate the variances of `PARTS` for each campaign from those of other years.

    Parameters
    ----------
    campaigns : mapping of str to DataFrame
        Of one protocol, of `values_by_hit`. The first word of a label is the year; if
        there is no other year, the variances are those of all campaigns, and if these
        have too few pairs of sittings (simulated ones), `USUAL`.
    """
    years = {label: label.split()[0] for label in campaigns}
    known = {}
    for year in set(years.values()):
        others = [rows for label, rows in campaigns.items() if years[label] != year]
        fit = components(others or campaigns.values(), resamples=0, seed=0).iloc[0]
        known[year] = USUAL
        if np.isfinite(fit["residual"]):
            sums = {name: float(fit[parts].sum()) for name, parts in PARTS.items()}
            known[year] = {name: max(variance, 0.0) for name, variance in sums.items()}
    return {label: known[year] for label, year in years.items()}


def scores(values: pd.DataFrame, variance: Mapping[str, float]) -> np.ndarray:
    """Score the systems by the model of the head of this module, (systems,), mean 0.

    By the mixed-model equations, solved by conjugate gradients:

        (W'W + D) effects = W'z

    W marks the system, segment, HIT and sitting of each judgement. D is 0 for a system,
    and else the variance of the residual over that of the effect.

    Parameters
    ----------
    values : DataFrame
        Of `values_by_hit`.
    variance : mapping of str to float
        Of `PARTS`; an effect without variance is left out.
    """
    random = [name for name in PARTS if name in values and variance[name] > 0]
    levels = np.column_stack([values[name] for name in ("system", *random)])
    sizes = levels.max(axis=0) + 1
    ratios = [0.0, *(variance["residual"] / variance[name] for name in random)]
    ridge = np.repeat(ratios, sizes)
    columns = (levels + sizes.cumsum() - sizes).ravel()
    ends = np.arange(0, len(columns) + 1, len(sizes))
    marks = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends))
    judged = marks.T.tocsr()
    scale = np.maximum(marks.sum(axis=0) + ridge, 1)
    effects = np.zeros(len(ridge))
    rest = judged @ values["z"].to_numpy()
    step = np.zeros(len(ridge))
    before = 1.0
    close = CLOSE * np.linalg.norm(rest)
    while np.linalg.norm(rest) > close:
        scaled = rest / scale
        length = rest @ scaled
        step = scaled + step * length / before
        change = judged @ (marks @ step) + ridge * step
        along = length / (step @ change)
        effects += along * step
        rest -= along * change
        before = length
    return effects[: sizes[0]] - effects[: sizes[0]].mean()


# --- campaigns whose HITs are named ---------------------------------------------------


def values_by_hit(campaign: Campaign) -> pd.DataFrame | None:
    """List the judgements whose HIT is named, with z-scores by worker and by HIT.

    Scales are computed from these judgements, quality control included. None: fewer
    than `MOST_NAMED` are named.

    Returns
    -------
    DataFrame
        Of `zscores.judged_values`, with z_by_hit and the number of the sitting.
    """
    named = has_hit_id(campaign)
    if named.mean() < MOST_NAMED:
        return None
    chosen = campaign.select(named)
    hit, number = chosen.units("hit")
    hits = tuple(map(str, range(number)))
    by_hit = replace(chosen, worker=hit, workers=hits, unlisted=np.zeros((3, number)))
    values = judged_values(chosen, "raw")
    values["z_by_hit"] = judged_values(by_hit, "raw")["z"]
    values = values.dropna(ignore_index=True)
    return values.assign(sitting=values.groupby(SITTING).ngroup())


def system_scores(values: pd.DataFrame, variance: Mapping[str, float]) -> np.ndarray:
    """Score the systems in every way of `SCORES`, (ways, systems)."""
    means = [
        np.nanmean(table_of_segments(values, column), axis=1)
        for column in MEANS.values()
    ]
    return np.array(
        [*means, scores(values, {**variance, "hit": 0}), scores(values, variance)]
    )


def divided(
    values: pd.DataFrame, variance: Mapping[str, float], divisions: int, seed: int
) -> pd.DataFrame:
    """Divide the workers into two halves at random, and compare the systems' scores.

    Parameters
    ----------
    values : DataFrame
        Of `values_by_hit`.
    variance : mapping of str to float
        From other judgements.
    divisions, seed : int

    Returns
    -------
    DataFrame, (divisions x ways, 4)
        division, score (of `SCORES`), tau (Kendall's, of the orders in the two halves)
        and r (of the scores).
    """
    rng = np.random.default_rng(seed)
    rows = []
    for division in range(divisions):
        halves = random_halves(values, values["worker"], rng)
        first, second = (system_scores(half, variance) for half in halves)
        r = [np.corrcoef(pair)[0, 1] for pair in zip(first, second, strict=True)]
        columns = {"score": SCORES, "tau": tau(first, second), "r": r}
        rows.append(pd.DataFrame(columns).assign(division=division))
    return pd.concat(rows, ignore_index=True)


def hits_of_busiest(values: pd.DataFrame) -> pd.DataFrame:
    """Average the scores in each HIT of the worker who did most HITs.

    Returns
    -------
    DataFrame
        judgements, systems, raw, z by annotator; indexed by "HIT 1" and so on.
    """
    number = values.groupby("worker")["hit"].nunique()
    rows = values[values["worker"] == number.idxmax()]
    of_hit = rows.groupby("hit")
    columns = {
        "judgements": of_hit.size(),
        "systems": of_hit["system"].nunique(),
        "raw": of_hit["raw"].mean(),
        "z by annotator": of_hit["z"].mean(),
    }
    table = pd.DataFrame(columns)
    return table.set_axis([f"HIT {1 + k}" for k in range(len(table))])


def once_an_output(values: pd.DataFrame) -> pd.DataFrame:
    """Average the scores of an output that a worker judged again, and make z anew.

    Scales leave quality control out: only the judgements in `values` count.
    """
    keys = [*JUDGEMENT, "sitting", "z_by_hit"]
    once = values.groupby(keys, as_index=False)["raw"].mean()
    of_worker = once.groupby("worker")["raw"]
    once["z"] = (once["raw"] - of_worker.transform("mean")) / of_worker.transform("std")
    return once[np.isfinite(once["z"])].reset_index(drop=True)


def gains(halves: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Compare how well the orders of two halves agree by one score and by another.

    Parameters
    ----------
    halves : DataFrame
        Of `divided`, with the label of each campaign.
    measure : "tau" or "r"

    Returns
    -------
    DataFrame, one row for each of `PAIRS`
        measure; score, less (the other score); agreement (of the score); more, low,
        high: the mean gain over campaigns with its 95 % (Student's, paired); error: the
        standard error that the divisions leave; better_in: campaigns; verdict.
    """
    keys = ["label", "division"]
    wide = halves.pivot(index=keys, columns="score", values=measure)
    rows = []
    for score, less in PAIRS:
        more = (wide[score] - wide[less]).groupby("label").agg(["mean", "sem"])
        mean, half = more["mean"].mean(), t_half_width(more["mean"])
        columns = {
            "measure": measure,
            "score": score,
            "less": less,
            "agreement": wide[score].groupby("label").mean().mean(),
            "more": mean,
            "low": mean - half,
            "high": mean + half,
            "error": np.sqrt((more["sem"] ** 2).sum()) / len(more),
            "better_in": (more["mean"] > 0).sum(),
        }
        rows.append(columns)
    table = pd.DataFrame(rows)
    clear = [table["low"] > 0, table["high"] < 0]
    return table.assign(verdict=np.select(clear, ["better", "worse"], "open"))


def draw_gains(table: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """Draw gains in Kendall's tau, of `gains` with protocol, one axes a protocol."""
    by_tau = table[table["measure"] == "tau"]
    for ax, (protocol, rows) in zip(axes, by_tau.groupby("protocol"), strict=False):
        words = [
            f"{SCORES_IN_WORDS[score]}\nover {SCORES_IN_WORDS[less]}"
            for score, less in zip(rows["score"], rows["less"], strict=True)
        ]
        rows = rows.set_axis(words)
        values_with_intervals(rows, ax, value="more", number="+.3f")
        promise(ax, 0, "no gain")
        ax.set(title=PROTOCOLS[protocol], xlabel="gain in Kendall's tau")
        ax.set_ylim(ax.get_ylim()[0], 1.0)


# --- tests of pairs -------------------------------------------------------------------


class Precision:
    """V^-1 of all values of a campaign, sorted by document.

    Without HITs, V has a block for each document; HITs are added by Woodbury's formula.
    """

    def __init__(self, values: pd.DataFrame, variance: Mapping[str, float]) -> None:
        self._blocks = []
        for rows in values.groupby("document").indices.values():
            block = variance["residual"] * np.eye(len(rows))
            for name in ("segment", "sitting"):
                code = values[name].to_numpy()[rows]
                block += variance[name] * (code[:, None] == code)
            self._blocks.append(np.linalg.inv(block))
        sizes = [len(block) for block in self._blocks]
        self._document = np.repeat(np.arange(len(sizes)), sizes)
        self._start = np.cumsum(sizes) - sizes
        self._of_documents = scipy.sparse.block_diag(self._blocks, format="csr")
        hits = membership(values["hit"].to_numpy())
        self._of_hits = (self._of_documents @ hits.T).toarray()
        among = hits @ self._of_hits * variance["hit"]
        core = np.linalg.inv(np.eye(len(among)) + among) * variance["hit"]
        self._shared = self._of_hits @ core

    def __matmul__(self, columns: np.ndarray) -> np.ndarray:
        return self._of_documents @ columns - self._shared @ (self._of_hits.T @ columns)

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Return the rows and columns of some values, (rows, rows)."""
        block = -self._shared[rows] @ self._of_hits[rows].T
        of = self._document[rows]
        for document in np.unique(of):
            here = np.flatnonzero(of == document)
            places = rows[here] - self._start[document]
            inverse = self._blocks[document]
            block[here[:, None], here] += inverse[places[:, None], places]
        return block


class Fits:
    """Scores of many assignments of values to systems, and their covariances.

    Parameters
    ----------
    precision : Precision
    systems : ndarray of int, (fits, values)
        The system of each value; in every fit all systems.
    z : ndarray of float64, (values,)

    Attributes
    ----------
    score : ndarray of float64, (fits, systems)
    """

    def __init__(
        self, precision: Precision, systems: np.ndarray, z: np.ndarray
    ) -> None:
        # Y, F^-1 and V^-1 (z - X scores) of the head, in every fit.
        self._precision = precision
        marks = np.eye(systems.max() + 1)[systems]
        columns = precision @ np.concatenate(marks, axis=1)
        self._weighted = np.stack(np.split(columns, len(marks), axis=1))
        self._inverse = np.linalg.inv(self._weighted.mT @ marks)
        products = self._weighted.mT @ z
        self.score = np.einsum("fab,fb->fa", self._inverse, products)
        fitted = np.einsum("fja,fa->fj", self._weighted, self.score)
        self._rest = precision @ z - fitted

    def covariances(self, cluster: np.ndarray) -> tuple[int, np.ndarray]:
        """Compute CR1 and CR3 of the head of this module.

        Returns
        -------
        number of clusters
        ndarray of float64, (2, fits, systems, systems)
        """
        total = np.zeros((2, *self._inverse.shape))
        every = pd.Series(cluster).groupby(cluster).indices.values()
        for rows in every:
            weighted = self._weighted[:, rows]
            expected = np.linalg.inv(self._precision.block(rows)) @ weighted
            added = expected.mT @ self._rest[:, rows, None]
            plain = self._inverse @ added
            # (F - L)^-1 = (1 - F^-1 L)^-1 F^-1
            share = self._inverse @ (weighted.mT @ expected)
            without = np.linalg.solve(np.eye(len(added[0])) - share, plain)
            moved = np.stack([plain, without])
            total += moved * moved.mT
        ratio = len(every) / (len(every) - 1)
        return len(every), total * np.reshape([ratio, 1 / ratio], (2, 1, 1, 1))


def clustered_p(fits: Fits, cluster: np.ndarray) -> np.ndarray:
    """Test every pair of systems, with errors clustered as `cluster` says.

    Returns
    -------
    ndarray of float64, (2, fits, pairs)
        Two-sided p of Student's t by `ERRORS`, with as many degrees of freedom as there
        are clusters, less 1.
    """
    number, of = fits.covariances(cluster)
    a, b = pairs_of(fits.score.shape[-1])
    variance = of[..., a, a] + of[..., b, b] - 2 * of[..., a, b]
    t = (fits.score[:, a] - fits.score[:, b]) / np.sqrt(variance)
    return 2 * scipy.special.stdtr(number - 1, -np.abs(t))


def false_pairs(
    values: pd.DataFrame,
    variance: Mapping[str, float],
    blocks: Sequence[str],
    shuffles: int,
    seed: int,
) -> pd.DataFrame:
    """Compute the share of equal pairs that the model calls apart at 5 %.

    The systems' means are taken out, and names are exchanged within each block; see
    `honest_line`. Errors are clustered by HIT.

    Parameters
    ----------
    values : DataFrame
        Of `values_by_hit`.
    variance : mapping of str to float
        Of `PARTS`.
    blocks : sequence of str
        Columns within which names are exchanged, each in shuffles of its own.
    shuffles, seed : int

    Returns
    -------
    DataFrame, (2 x blocks x shuffles, 4)
        errors (of `ERRORS`), block, shuffle, rejected.
    """
    rng = np.random.default_rng(seed)
    values = values.sort_values("document", kind="stable", ignore_index=True)
    z = less_system_means(values, "z")
    system = values["system"].to_numpy()
    systems: list[np.ndarray] = []
    for block in blocks:
        names = exchange_names(system, values[block].to_numpy(), rng)
        systems.extend(itertools.islice(names, shuffles))
    fits = Fits(Precision(values, variance), np.array(systems), z.to_numpy())
    p = clustered_p(fits, values["hit"].to_numpy())
    of_each = itertools.product(ERRORS, blocks, range(shuffles))
    table = pd.DataFrame(of_each, columns=["errors", "block", "shuffle"])
    return table.assign(rejected=(p < ALPHA).mean(axis=-1).ravel())


def levels(shares: pd.DataFrame) -> pd.DataFrame:
    """Average the shares of equal pairs that are called apart, over campaigns.

    Parameters
    ----------
    shares : DataFrame
        Of `false_pairs`, with protocol and label of the campaign.

    Returns
    -------
    DataFrame
        Indexed by protocol, errors and block: campaigns; rejected, low, high (95 % over
        shuffles); holds (`MOST_FALSE`, and an interval that reaches down to `ALPHA`).
    """
    keys = ["protocol", "errors", "block"]
    of_campaign = shares.groupby([*keys, "label"])["rejected"].agg(["mean", "sem"])
    of_kind = of_campaign.groupby(keys)
    table = of_kind.agg(campaigns=("mean", "size"), rejected=("mean", "mean"))
    error = of_kind["sem"].agg(lambda sem: np.sqrt((sem**2).sum()) / len(sem))
    table["low"] = table["rejected"] - 1.96 * error
    table["high"] = table["rejected"] + 1.96 * error
    holds = (table["rejected"] <= MOST_FALSE) & (table["low"] <= ALPHA)
    return table.assign(holds=holds)


def draw_levels(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the shares of equal pairs called apart beside the level: of `levels`."""
    words = [
        f"{PROTOCOLS[protocol].split(' (')[0]}, by {UNITS_IN_WORDS[block]}, {errors}"
        for protocol, errors, block in table.index
    ]
    rows = table.set_axis(words)
    values_with_intervals(100 * rows[["rejected", "low", "high"]], ax, value="rejected")
    promise(ax, 100 * ALPHA, "allowed: 5 %", side="right")
    most = max(8, 100 * table["high"].max())
    ax.set(xlim=(0, most), xlabel="equal pairs called apart (%)")
    ax.set_ylim(ax.get_ylim()[0], 1.1)
    return ax
