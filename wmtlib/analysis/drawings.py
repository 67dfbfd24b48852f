"""Figures of answers, drawn only where somebody wants to see them."""

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_NAME = 40  # characters of a name in a figure


@dataclass(frozen=True)
class Drawing:
    """A figure that can be drawn.

    Attributes
    ----------
    plot : "bump", "heatmap", "ladder", "perplexities" or "rank_intervals"
    given : tuple
        Arguments of the plot before the axes.
    size : (float, float)
        Inches.
    caption : str
    xlabel : str
        Replaces the plot's own label.
    """

    plot: str
    given: tuple[Any, ...] = field(repr=False)
    size: tuple[float, float]
    caption: str
    xlabel: str = ""


def drawing_png(drawing: Drawing) -> bytes:
    """A drawing as PNG bytes, the same from run to run; the user's backend is left alone."""
    import matplotlib
    from matplotlib.figure import Figure

    from wmtlib.plots import assessment_plots, model_plots, tournament_plots
    from wmtlib.study import figures

    plot = {
        "bump": tournament_plots.bump,
        "heatmap": tournament_plots.heatmap,
        "ladder": assessment_plots.ladder,
        "perplexities": model_plots.perplexities,
        "rank_intervals": model_plots.rank_intervals,
    }[drawing.plot]
    settings = {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,  # a "$" in a name is a "$"
        "text.usetex": False,
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a font that lacks a letter of a name
        figure = Figure(figsize=drawing.size, layout="constrained")
        axes = plot(*drawing.given, figure.subplots())
        if drawing.xlabel:
            axes.set_xlabel(drawing.xlabel)
        _shorten_names(axes)
        return figures.png(figure)


def _shorten_names(axes: "Axes") -> None:
    """Cut names on the axes that would leave no room for the figure."""
    for part in (axes, *axes.child_axes):
        for axis in (part.xaxis, part.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if any(len(name) > LONGEST_NAME for name in names):
                cut = [x if len(x) <= LONGEST_NAME else f"{x[: LONGEST_NAME - 1]}…" for x in names]
                axis.set_ticks(axis.get_ticklocs(), cut)
