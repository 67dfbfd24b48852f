"""Stability of rankings by the protocol that made them: learning curves, and what they depend on.

Axes in, axes out.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

COLOURS = {"RR": "#0072B2", "SR-DC": "#009E73", "SR+DC": "#D55E00", "ESA": "#CC79A7", "MQM": "k"}
MARKS = {"RR": "o", "SR-DC": "s", "SR+DC": "^", "ESA": "D", "MQM": "v"}


def learning_curves(curves: pd.DataFrame, axes: np.ndarray, protocols: Sequence[str]) -> np.ndarray:
    """Tau between halves by judgements (first row of axes) and hours (second row) a system.

    A thin line is a campaign; the thick one is the mean, as far as at least half of the protocol's
    campaigns reach.

    Parameters
    ----------
    curves : DataFrame
        Columns protocol, campaign, size (judgements a system in each half), value (tau), seconds
        (of a judgement; NaN if not recorded).
    axes : ndarray of Axes, (2, protocols)
    """
    for name, (upper, lower) in zip(protocols, axes.T, strict=True):
        rows, colour = curves[curves["protocol"] == name], COLOURS[name]
        for _, one in rows.groupby("campaign"):
            upper.plot(one["size"], one["value"], color=colour, lw=0.6, alpha=0.5)
            hours = one["size"] * one["seconds"] / 3600
            lower.plot(hours, one["value"], color=colour, lw=0.8, alpha=0.7)
        sizes = rows.groupby("size")["value"].agg(["mean", "count"])
        sizes = sizes[2 * sizes["count"] >= rows["campaign"].nunique()]
        upper.plot(sizes.index, sizes["mean"], color=colour, lw=2.5, marker=MARKS[name], ms=4)
        upper.set_title(f"{name}: {rows['campaign'].nunique()} campaigns")
        if rows["seconds"].isna().all():
            lower.text(0.5, 0.5, "time not recorded", ha="center", transform=lower.transAxes)
    for ax in axes.flat:
        ax.set_xscale("log")
        ax.axhline(0, color="0.85", zorder=0)
    for row, ticks, label in zip(
        axes,
        ((50, 100, 200, 400, 800), (0.25, 0.5, 1, 2, 4, 8)),
        ("judgements a system in each half", "hours a system in each half"),
        strict=True,
    ):
        row[0].set_ylabel("Kendall's tau between halves")
        for ax in row:
            ax.minorticks_off()
            ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            ax.set(ylim=(-0.25, 1.02), xlim=(ticks[0] * 0.6, ticks[-1] * 1.4), xlabel=label)
    return axes


def against_noise(points: pd.DataFrame, ax: Axes, *, size: int) -> Axes:
    """Tau between halves by the signal-to-noise ratio of one judgement, campaign by campaign.

    The line is what normal scores give: tau = (2 / pi) arcsin(r), where r = s n / (1 + s n) is the
    correlation of the halves, s the ratio and n the judgements a system.

    Parameters
    ----------
    points : DataFrame
        Columns protocol, ratio, tau.
    size : int
        n
    """
    least = 1e-4  # where the ratio is 0, or too small to draw
    ratio = np.geomspace(least, max(1.0, points["ratio"].max()), 200)
    expected = 2 / np.pi * np.arcsin(ratio * size / (1 + ratio * size))
    ax.plot(ratio, expected, color="0.6", lw=1, zorder=0)
    for name, rows in points.groupby("protocol"):
        style = {"color": COLOURS[name], "marker": MARKS[name], "s": 26, "alpha": 0.8}
        ax.scatter(rows["ratio"].clip(lower=least), rows["tau"], label=name, **style)
    ax.set_xscale("log")
    ax.set(xlabel="signal-to-noise ratio of one judgement (variances, logarithmic axis)")
    ax.set_ylabel("Kendall's tau between halves")
    ax.legend(frameon=False)
    return ax
