"""Variance components: effects that make scores alike. Notebook 64.

A judgement of a system, less the system's mean, is taken for a sum of independent
effects, `EFFECTS`. A *sitting* is one document of one system in one worker's HIT: a
block of segments scored in a row. A HIT holds several sittings. A worker's slope
multiplies the distance of the system's mean from that of all.

The variances are fitted by least squares to the products of judgements that share an
effect (MIVQUE(0): Rao 1971; Searle, Casella and McCulloch 1992, *Variance Components*),
each sitting with the same weight. Judgements of one system and document by two workers
share document and document x system, those of one sitting that effect besides. Sittings
of one HIT share the worker and the HIT, those of a worker's other HITs the worker only.

Standardising by worker takes a worker's mean out: it leaves nothing of the HIT where
there is one, and of two or more the part that differs. What is estimated of z-scores is
what standardising has left.

Equations of documents are resampled by document, those of workers by worker, inside
each campaign: intervals speak of other documents and workers of these campaigns. The
two are drawn apart. In a trial on made data this makes the intervals of the sitting too
wide, by a half; those of the document and of worker x HIT were right.

The systems' means are estimated, which takes from worker x system about one part in as
many as there are workers of a system.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from study.beyond.interval_plots import promise, values_with_intervals
from wmtlib.agreement import segments_drawn as units_drawn

FEWEST_PAIRS = 100  # of sittings of one document and system: with fewer, undecided
SAME = 1e-9  # sums that differ by less, for their size, are equal
EFFECTS = {
    "document": ["document"],
    "document x system": ["document", "system"],
    "segment": ["document", "segment"],
    "segment x system": ["document", "system", "segment"],
    "sitting": ["document", "system", "worker", "hit"],
    "residual": ["document", "system", "segment", "worker", "hit"],
    "worker": ["worker"],
    "worker x HIT": ["worker", "hit"],
    "worker's slope": ["worker"],
    "worker x system": ["system", "worker"],
}
MERGED = {  # effects that are the same as another, if nothing tells them apart
    "segment x system": "residual",  # no output has two judgements
    "worker x HIT": "worker",  # no worker has two HITs, or HITs are not named
}
IN_WORDS = {  # of effects in z-scores, but for the slope and the residual
    "document": "document",
    "segment": "segment",
    "document x system": "system in a document",
    "segment x system": "system in a segment",
    "sitting": "annotator in a sitting",
    "worker x HIT": "annotator in a HIT",
    "worker": "annotator, always",
    "worker x system": "annotator's taste",
}
PROTOCOLS = {
    "DA SR+DC": "whole documents (SR+DC)",
    "DA SR-DC": "single sentences (SR-DC)",
    "DA mixed": "mixed (some documents)",
    "DA SR-DC (no HITs)": "SR-DC, HITs not named",
    "ESA (no HITs)": "error spans (ESA)",
    "MQM (no HITs)": "MQM",
}
PART_OF = MERGED | {"worker x HIT": "sitting"}  # of plans: where sittings have own HITs


def components(
    campaigns: Iterable[pd.DataFrame], *, resamples: int, seed: int
) -> pd.DataFrame:
    """Estimate the variance components of campaigns of one protocol, pooled.

    Parameters
    ----------
    campaigns : iterable of DataFrame
        Of `zscores.judged_values`, with documents and workers. HITs count if
        all campaigns name them.
    resamples, seed : int

    Returns
    -------
    DataFrame, (1 + resamples, effects and pairs)
        The first row is as seen. Variances of z-scores, and the number of pairs of
        sittings of one document and system; with fewer than `FEWEST_PAIRS` all are NaN.
        Effects of `MERGED` that nothing tells apart are NaN, and part of the other.
    """
    rng = np.random.default_rng(seed)
    sums: Any = 0.0  # as seen, and of owners drawn with replacement
    campaigns = [*campaigns]
    if not all("hit" in rows for rows in campaigns):
        campaigns = [rows.assign(hit=0) for rows in campaigns]
    for rows in campaigns:
        for owned in equations(rows).values():
            size = len(owned)
            times = np.vstack([np.ones(size), units_drawn(size, resamples, rng)])
            sums = sums + np.tensordot(times, owned, axes=1)
    names = [*EFFECTS]
    block = names.index("document x system")
    sitting = names.index("sitting")
    pairs = (sums[:, block, block] - sums[:, block, sitting]) / 2
    table = pd.DataFrame(np.nan, range(len(sums)), names).assign(pairs=pairs)
    if pairs[0] < FEWEST_PAIRS:
        return table
    shared_by = dict(zip(names, np.diagonal(sums[0]), strict=True))
    merged = [
        name
        for name, other in MERGED.items()
        if np.isclose(shared_by[name], shared_by[other], rtol=SAME, atol=0)
    ]
    fitted = np.flatnonzero(~np.isin(names, merged))
    shared = sums[:, fitted][:, :, fitted]
    products = sums[:, fitted, -1:]
    table.iloc[:, fitted] = np.linalg.solve(shared, products)[..., 0]
    return table


def equations(values: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute what each document and each worker adds to the equations.

        sum over pairs of judgements that share effect k: y y'
            = sum over effects l: variance of l x number of these that share l, too

    Pairs count with their weights; those of the slope times the systems' means.

    Returns
    -------
    dict of str to ndarray, (documents or workers, effects, effects + 1)
        By "document" and "worker"; 0 in equations of the other. Last column: products.
    """
    rows = values.groupby(EFFECTS["residual"])["z"].mean().reset_index()
    mean = rows.groupby("system")["z"].transform("mean")
    size = rows.groupby(EFFECTS["sitting"])["z"].transform("size")
    factor = dict.fromkeys([*EFFECTS, "y"], 1.0)
    factor["worker's slope"] = mean - mean.mean()
    factor["y"] = rows["z"] - mean
    every = EFFECTS | {"y": []}
    groups = {}
    sums = {}
    for owner in ("document", "worker"):
        shape = rows[owner].max() + 1, len(EFFECTS), len(every)
        sums[owner] = np.zeros(shape)
    for k, (effect, keys) in enumerate(EFFECTS.items()):
        owner = "document" if "document" in keys else "worker"
        for m, (other, more) in enumerate(every.items()):
            shared = tuple(sorted({*keys, *more}))
            if shared not in groups:
                groups[shared] = rows.groupby([*shared]).ngroup().to_numpy()
            group = groups[shared]
            squares = np.bincount(group, factor[effect] * factor[other] / size) ** 2
            of_group = np.empty(len(squares), dtype=int)
            of_group[group] = rows[owner]
            sums[owner][:, k, m] = np.bincount(of_group, squares, len(sums[owner]))
    return sums


def with_shares(fit: pd.DataFrame) -> pd.DataFrame:
    """Add to `components` what belongs to the annotator on one occasion.

    Returns
    -------
    DataFrame
        With the occasion (sitting, HIT and worker), its share of what segments of a
        sitting have in common beyond the document, and the part of the HIT in it.
    """
    hit = fit["worker"] + fit["worker x HIT"].fillna(0)
    occasion = fit["sitting"] + hit
    share = occasion / (occasion + fit["document x system"])
    part = (hit / occasion).where(fit["worker x HIT"].notna())
    columns = {
        "occasion": occasion,
        "share of the occasion": share.clip(0, 1),
        "part of the HIT": part.clip(0, 1),
    }
    return fit.assign(**columns)


def with_ends(fits: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Give effects with their 95 % intervals.

    Returns
    -------
    DataFrame
        Indexed by value (seen, low, high) and effect, a column for each of fits.
    """
    seen = {name: fit.iloc[0] for name, fit in fits.items()}
    low = {name: fit[1:].quantile(0.025) for name, fit in fits.items()}
    high = {name: fit[1:].quantile(0.975) for name, fit in fits.items()}
    tables = {"seen": seen, "low": low, "high": high}
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    return pd.concat(frames, names=["value", "effect"])


def draw_effects(table: pd.DataFrame, axes: Mapping[str, Axes]) -> None:
    """Draw the variances of effects that make scores alike.

    Parameters
    ----------
    table : DataFrame
        Of `with_ends`.
    axes : mapping of Axes
        By column of the table.
    """
    for name, ax in axes.items():
        rows = table[name].unstack("value").reindex([*IN_WORDS])
        rows = rows.rename(index=IN_WORDS)
        values_with_intervals(rows, ax, value="seen", number=".3f")
        promise(ax, 0, "none")
        ax.set(title=PROTOCOLS[name], xlabel="variance (of z-scores)")
        ax.set_ylim(ax.get_ylim()[0], 1)


def worth(
    fit: pd.DataFrame, length: float, plan: Sequence[int]
) -> tuple[float, float, float]:
    """Compute how many times less a plan's variance is than one sitting's, with 95 %.

    Parameters
    ----------
    fit : DataFrame
        Of `components`.
    length : float
        Segments in a sitting.
    plan : sequence of int
        Documents, segments (in lengths), sittings, scores (in lengths), annotators and
        HITs of one system.
    """
    one = plan_variance(fit, plan_counts(length, (1,) * 6))
    ratio = one / plan_variance(fit, plan_counts(length, plan))
    low, high = ratio[1:].quantile([0.025, 0.975])
    return ratio[0], low, high


def worth_of_plans(
    fits: Mapping[str, pd.DataFrame],
    length: Mapping[str, float],
    plans: Mapping[str, Sequence[int]],
) -> pd.DataFrame:
    """List protocol, plan, and what it is `worth`, with low and high."""
    rows = [
        (name, plan, *worth(fit, length[name], numbers))
        for name, fit in fits.items()
        for plan, numbers in plans.items()
    ]
    return pd.DataFrame(rows, columns=["protocol", "plan", "worth", "low", "high"])


def draw_plans(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw what plans are worth where HITs are named: of `worth_of_plans`."""
    for k, protocol in enumerate(("DA SR+DC", "DA SR-DC")):
        rows = table[table["protocol"] == protocol].set_index("plan")
        if rows.empty:
            continue
        values_with_intervals(
            rows,
            ax,
            value="worth",
            color=f"C{k}",
            down=(-0.15, 0.15)[k],
            label=PROTOCOLS[protocol],
        )
    promise(ax, 2, "as good as doubling everything")
    ax.set_ylim(ax.get_ylim()[0], 1.2)
    ax.set_title("one system, plans at the cost of two sittings (last: of one)")
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0.9), frameon=False)
    return ax


def plan_counts(length: float, plan: Sequence[int]) -> dict[str, float]:
    """Count what a plan has of each effect that does not cancel; see `worth`."""
    documents, segments, sittings, scores, annotators, hits = plan
    return {
        "document x system": documents,
        "segment x system": segments * length,
        "sitting": sittings,
        "residual": scores * length,
        "worker": annotators,
        "worker x HIT": hits,
        "worker x system": annotators,
    }


def plan_variance(fit: pd.DataFrame, plan: Mapping[str, float]) -> pd.Series:
    """Compute the variance of a system's mean that a plan of judgements leaves.

        variance = sum over effects k of (variance of k) / (how many of k the plan has)

    Documents and segments are left out: they are the same for two systems and cancel.
    An effect below 0 counts as 0. Of a HIT counts what its sittings share: with scores
    standardised by worker, worker + worker x HIT, less the worker's if above 0.

    Parameters
    ----------
    fit : DataFrame, (resamples, effects)
        Of `components`.
    plan : dict of str to float
        How many of each effect. NaN is left where the plan divides a merged effect
        (`MERGED`) by another number than the effect that it is part of.
    """
    part = fit.clip(lower=0)
    hit = fit["worker"] + fit["worker x HIT"]
    part["worker x HIT"] = hit.clip(lower=0) - part["worker"]
    for merged, other in PART_OF.items():
        if plan[merged] == plan[other]:
            part[merged] = part[merged].fillna(0)
    return (part[[*plan]] / pd.Series(plan)).sum(axis=1, skipna=False)
