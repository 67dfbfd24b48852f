"""Figures of answers, drawn only where somebody wants to see them."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wmtlib.yours.names import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_NAME = 40  # characters of a name in a figure
FONTS = (  # the first one that has a letter draws it; those that are not installed are skipped
    *("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans SC", "WenQuanYi Zen Hei", "PingFang SC"),
    *("Hiragino Sans", "Microsoft YaHei", "SimHei", "Noto Sans Devanagari", "Lohit Devanagari"),
    *("Kohinoor Devanagari", "Nirmala UI", "Mangal", "Noto Sans Arabic", "Noto Naskh Arabic"),
    *("Geeza Pro", "Noto Emoji", "Symbola", "Segoe UI Emoji", "Arial Unicode MS", "Unifont"),
)


@dataclass(frozen=True)
class Drawing:
    """A figure that can be drawn.

    Attributes
    ----------
    plot : str
        One of those that `figure_of` names.
    given : mapping
        Arguments of the plot besides the axes.
    size : (float, float)
        Inches.
    caption : str
    xlabel : str
        Replaces the plot's own label.
    """

    plot: str
    given: dict[str, Any] = field(repr=False)
    size: tuple[float, float]
    caption: str
    xlabel: str = ""


def drawing_png(drawing: Drawing) -> bytes:
    """A drawing as PNG bytes, the same from run to run."""
    with figure_of(drawing, dpi=100) as figure:
        return _saved(figure, "png")


def drawing_files(drawing: Drawing) -> tuple[bytes, bytes, str]:
    """A drawing as PNG for print (200 dpi) and as SVG, and the letters that no font has.

    Text in the SVG is text: a browser finds fonts of its own, and shapes Arabic and Hindi.
    """
    with figure_of(drawing, dpi=200) as figure, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        files = _saved(figure, "png"), _saved(figure, "svg")
    missing = {chr(int(str(w.message).split()[1])) for w in caught if "Glyph" in str(w.message)}
    if missing and _add_new_fonts():
        return drawing_files(drawing)
    return *files, "".join(sorted(missing))


def _add_new_fonts() -> bool:
    """Add the fonts that were installed after matplotlib listed them; whether there are any."""
    from matplotlib import font_manager

    known = font_manager.fontManager.ttflist
    before = len(known)
    for path in {*font_manager.findSystemFonts()} - {font.fname for font in known}:
        with suppress(OSError, RuntimeError):  # not every font has outlines
            font_manager.fontManager.addfont(path)
    return len(known) > before


@contextmanager
def figure_of(drawing: Drawing, dpi: int) -> "Iterator[Figure]":
    """The figure, with settings of its own: the user's matplotlib is left alone."""
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.figure import Figure

    from wmtlib import plots as answer_plots
    from wmtlib import plots as tournament_plots

    plot = {
        "bump": tournament_plots.bump,
        "heatmap": tournament_plots.heatmap,
        "intervals": answer_plots.intervals,
        "perplexities": answer_plots.perplexities,
        "reliabilities": answer_plots.reliabilities,
    }[drawing.plot]
    installed = {font.name for font in font_manager.fontManager.ttflist}
    settings = {
        "font.family": [name for name in FONTS if name in installed],
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,  # a "$" in a name is a "$"
        "text.usetex": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "wmtlib",
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)
        figure = Figure(figsize=drawing.size, dpi=dpi, layout="constrained")
        axes = plot(ax=figure.subplots(), **drawing.given)
        if drawing.xlabel:
            axes.set_xlabel(drawing.xlabel)
        _shorten_names(axes)
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")  # once is enough for both kinds of file
        yield figure


def _saved(figure: "Figure", kind: str) -> bytes:
    """The figure as a file; `Figure.savefig` would draw it twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.BytesIO()
    if kind == "png":
        FigureCanvasAgg(figure).print_png(buffer, metadata={"Software": None})
    else:
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})
    return buffer.getvalue()


def _shorten_names(axes: "Axes") -> None:
    """Cut names on the axes that would leave no room for the figure."""
    for part in (axes, *axes.child_axes):
        for axis in (part.xaxis, part.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if any(len(name) > LONGEST_NAME for name in names):
                axis.set_ticks(axis.get_ticklocs(), [cut(name, LONGEST_NAME) for name in names])
