"""Pictures of answers, drawn by `wmtlib.plots`."""

import io
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wmtlib.core.errors import shorten

STYLE = Path(__file__).with_name("pictures.mplstyle")
LONGEST_NAME = 40  # letters of a name in a picture


@dataclass(frozen=True)
class Picture:
    """A picture: a function of `wmtlib.plots`, and what it draws.

    `size` is in inches; without it there is a line for each row of what is drawn.
    """

    name: str
    caption: str
    drawn: tuple[Any, ...] = field(repr=False)
    size: tuple[float, float] | None = None

    def draw(self, kind: str) -> bytes:
        """Draw it as "svg" or "png"; the same bytes every time.

        Text in the SVG is text: a browser finds fonts of its own, and shapes Arabic
        and Hindi.
        """
        import matplotlib
        from matplotlib import font_manager
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from wmtlib import plots

        with matplotlib.rc_context(fname=STYLE), warnings.catch_warnings():
            # Seaborn draws once before long names are cut.
            warnings.filterwarnings("ignore", "Glyph|constrained_layout", UserWarning)
            installed = font_manager.get_font_names()
            fonts = matplotlib.rcParams["font.family"]
            matplotlib.rcParams["font.family"] = [f for f in fonts if f in installed]
            # Narrow, so that its letters can be read on a telephone.
            size = self.size or (4.5, 1.2 + 0.27 * len(self.drawn[0]))
            figure = Figure(figsize=size, dpi=100, layout="constrained")
            FigureCanvasAgg(figure)  # otherwise each text makes a renderer of its own
            axes = figure.subplots()
            getattr(plots, self.name)(*self.drawn, axes)
            for axis in (axes.xaxis, axes.yaxis):
                names = [
                    shorten(label.get_text(), LONGEST_NAME)
                    for label in axis.get_ticklabels()
                ]
                if any("…" in name for name in names):
                    axis.set_ticks(axis.get_ticklocs(), names)
            varying = "Date" if kind == "svg" else "Software"
            buffer = io.BytesIO()
            metadata = {varying: None}
            figure.savefig(buffer, format=kind, metadata=metadata, bbox_inches="tight")
        return buffer.getvalue()
