"""Figures of the notebooks: their style, and the files that they are saved to."""

from html import escape
from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from IPython.display import display
from matplotlib.figure import Figure

from study.data.outputs import output_file
from study.data.sources import Source
from study.data.storage import atomic_write
from study.scoreboard.scoreboard import signature

WIDEST = 9.0  # inches; at 100 dots an inch, the column of the book


def style() -> None:
    """Set fonts and lines for all figures of a notebook."""
    sns.set_theme(context="paper", style="ticks", palette="colorblind")
    plt.style.use(Path(__file__).with_name("figures.mplstyle"))


def save(fig: Figure, name: str, *, caption: str, source: Source) -> None:
    """Write figures/<name>.png, and show it above its caption in a notebook.

    The caption and the signature are in the file's metadata. A wider figure is as wide
    as the column of the book, so that its letters have the size that they were given.
    """
    fig.set_figwidth(min(fig.get_figwidth(), WIDEST))
    metadata = {
        "Description": caption,
        "Source": signature(name, source),
        "Software": None,  # it would hold matplotlib's version
    }
    # Laid out once: the drawings for the file and the notebook would each do it again.
    if engine := fig.get_layout_engine():
        engine.execute(fig)
        fig.set_layout_engine("none")
    with atomic_write(output_file(f"figures/{name}.png", source)) as unfinished:
        fig.savefig(unfinished, format="png", metadata=metadata)
    words = {"text/plain": caption, "text/html": f"<small>{escape(caption)}</small>"}
    display(fig)
    display(words, raw=True)
    plt.close(fig)
