"""Figures of the notebooks: their style, and the files that they are saved to."""

import textwrap
from pathlib import Path

import seaborn as sns
from matplotlib import rc_params_from_file
from matplotlib.figure import Figure

from study.data.sources import Source
from study.data.storage import atomic_write
from study.run.manifest import list_written, output_folder
from study.scoreboard.scoreboard import signature

STYLE = Path(__file__).with_name("figures.mplstyle")


def style() -> None:
    """Set fonts and lines for all figures of a notebook."""
    settings = rc_params_from_file(STYLE, use_default_template=False)
    sns.set_theme(context="paper", style="ticks", palette="colorblind", rc=settings)


def save(fig: Figure, name: str, *, caption: str, source: Source) -> None:
    """Write figures/<name>.png with its caption and signature, whole or not at all.

    The caption goes below the picture; caption and signature go into the file's
    metadata too.
    """
    lines = textwrap.fill(caption, int(fig.get_figwidth() * 14))
    fig.supxlabel(lines, x=0.01, ha="left", fontsize=8, color="0.3")
    path = output_folder(source, committed=True) / "figures" / f"{name}.png"
    metadata = {
        "Description": caption,
        "Source": signature(name, source),
        "Software": None,  # it would hold matplotlib's version
    }
    # Laid out once: the drawings for the file and the notebook would each do it again.
    engine = fig.get_layout_engine()
    if engine is not None:
        engine.execute(fig)
        fig.set_layout_engine("none")
    with atomic_write(path) as unfinished:
        fig.savefig(unfinished, format="png", metadata=metadata)
    list_written(path)
