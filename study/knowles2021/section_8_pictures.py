"""Pictures of the simulations of section 8 (Knowles 2021): axes in, axes out."""

from collections.abc import Sequence
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes

from study.knowles2021.section_8 import METRICS
from study.pictures import protocols
from wmtlib.core.drawing import BLUE, GREEN, RED, rows

WORDS = {  # of `section_8.simulated_beside_real`
    "sd": "standard deviation",
    "workload": "workers' numbers of judgements, spread",
    "hundreds": "scores of 100",
    "zeros": "scores of 0",
    "between workers": "share between workers",
    "log_scale": "workers' scales, spread",
    "system": "share between systems",
    "repeat": "agreement with oneself",
    "ref": "references, mean",
    "ref_sd": "references, standard deviation",
    "bad_ref": "damaged references, mean",
    "bad_ref_sd": "damaged references, standard deviation",
    "order changed": "removals that change the order",
    "reversed": "pairs reversed by a removal",
    "mean": "mean score",
    "HIT, 0.3 % of workers": "share of 0.3 % of workers",
    "HIT, 1.2 % of workers": "share of 1.2 % of workers",
    "HIT, 3 % of workers": "share of 3 % of workers",
    "HIT, middle worker": "covariance of the middle worker",
}
HOLDS = {  # designs by what a HIT holds; "flat": equally hard documents
    "SR-DC": "sentences, all systems",
    "SR-DC, few systems": "sentences, few systems",
    "SR+DC, runs of all systems": "document runs, all systems",
    "SR+DC": "document runs, few systems",
    "SR-DC, flat": "equally hard, all systems",
    "SR-DC, few systems, flat": "equally hard, few systems",
}
LIKE = {"sentences": "world like WMT17-18", "documents": "world like WMT21-22"}
PROTOCOLS = {
    "SR-DC": "sentences of all systems (SR-DC)",
    "SR+DC, all systems per HIT": "documents of all systems",
    "SR+DC, runs of all systems": "document runs of all systems",
    "SR+DC, by HIT": "standardised by HIT",
    "SR+DC, same documents": "same documents",
    "SR+DC, same documents, a third": "same documents, a third of the cost",
    "SR+DC, calibration HIT": "calibration HIT",
    "SR+DC, calibration HIT on top": "calibration HIT on top",
}

COMPARED = [
    (name, "SR+DC, a third" if name.endswith("a third") else "SR+DC")
    for name in PROTOCOLS
]


def real_and_simulated(beside: pd.DataFrame, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw how far simulated campaigns are from real ones, in standard errors.

    Parameters
    ----------
    beside : DataFrame
        Of `section_8.simulated_beside_real`.
    axes : sequence of Axes
        For variance components and HITs, and for all other numbers.
    """
    of_hits = beside["component"] | beside["number"].str.startswith("HIT")
    for ax, chosen in zip(axes, (of_hits, ~of_hits), strict=True):
        table = beside[chosen]
        names = [*table["number"].unique()]
        ax.axvspan(-2, 2, color=GREEN, alpha=0.12, lw=0)
        for style, colour, shift in (("SR-DC", BLUE, -0.12), ("SR+DC", RED, 0.12)):
            of_style = table[table["style"] == style]
            row = of_style["number"].map(names.index) + shift
            ax.plot(of_style["apart"], row, "o", color=colour, ms=4.5, label=style)
        rows(ax, [WORDS.get(name, name) for name in names]).set_xlim(-3, 3)
        ax.set_xlabel("difference (standard errors)")
    axes[0].set_title("variance components, HITs")
    axes[1].set_title("other numbers")
    legend_above(axes[0])
    return axes


def proposals(gains: pd.DataFrame, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw differences of protocols from SR+DC, an axes for each of `METRICS`.

    Parameters
    ----------
    gains : DataFrame
        Of `section_8.protocol_differences`, of `PROTOCOLS`.
    """
    table = gains.replace({"protocol": PROTOCOLS})
    table["world"] = table["world"].map(LIKE)
    table = table.rename(columns={"difference": "value"})
    for ax, (metric, label) in zip(axes, METRICS.items(), strict=True):
        chosen = table[table["metric"] == metric]
        protocols(chosen, [*PROTOCOLS.values()], ax, xlabel=fill(label, 24))
    legend_above(axes[0])
    return axes


def composition(metrics: pd.DataFrame, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw how stable and how accurate rankings are, by what a HIT holds.

    Parameters
    ----------
    metrics : DataFrame
        Of `section_8.simulate_worlds`.
    axes : sequence of Axes
        For pairs reversed, and for pairs in the wrong order.
    """
    table = metrics.replace({"protocol": HOLDS, "world": LIKE})
    values = table.groupby(["world", "protocol", "metric"], sort=False)["value"]
    means = values.agg(value="mean", error="sem").reset_index()
    for ax, metric in zip(axes, ("reversed", "distance"), strict=True):
        rows_of = means[means["metric"] == metric]
        protocols(rows_of, [*HOLDS.values()], ax, xlabel=METRICS[metric])
    legend_above(axes[0])
    return axes


def legend_above(ax: Axes) -> None:
    """Draw the legend of axes above its figure."""
    names = ax.get_legend_handles_labels()
    ax.figure.legend(*names, loc="outside upper right", ncols=2, frameon=False)
