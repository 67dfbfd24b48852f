"""Tables as squares of colour."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes


def coloured_cells(
    table: pd.DataFrame,
    ax: Axes,
    *,
    cmap: str,
    limits: tuple[float, float],
    label: str,
    shrink: float = 1.0,
    line: float = 0.0,
    decimals: int | None = None,
) -> Axes:
    """A cell of colour for each number of a table; missing ones stay white.

    Parameters
    ----------
    limits : two numbers
        Where the colours begin and end.
    label : str
        Of the colour bar; `shrink` is its share of the height of the axes.
    line : float
        Width of the white lines between cells.
    decimals : int, optional
        Write every number into its cell, with so many decimals.
    """
    values = np.ma.masked_invalid(table.to_numpy(dtype=float))
    mesh = ax.pcolormesh(
        values, cmap=cmap, vmin=limits[0], vmax=limits[1], edgecolors="w", linewidth=line
    )
    ax.set(xlim=(0, table.shape[1]), ylim=(table.shape[0], 0))  # the first row on top
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, table.columns, rotation=90)
    ax.set_yticks(np.arange(table.shape[0]) + 0.5, table.index)
    ax.tick_params(length=0, labelsize=7)
    bar = ax.figure.colorbar(mesh, ax=ax, label=label, shrink=shrink, pad=0.02)
    bar.outline.set_visible(False)
    if decimals is not None:
        for (row, column), value in np.ndenumerate(values.filled(np.nan)):
            if np.isfinite(value):
                red, green, blue, _ = mesh.to_rgba(value)
                dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5
                text = {"color": "w" if dark else "0.15", "size": 6, "ha": "center", "va": "center"}
                ax.text(column + 0.5, row + 0.5, f"{value:.{decimals}f}", **text)
    return ax
