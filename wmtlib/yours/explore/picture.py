"""The picture of 50-explore: places before and after a change, and a heatmap of all pairs."""

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from wmtlib import plots as assessment_plots
from wmtlib.plots import MOVERS
from wmtlib.yours.explore.choices import MET
from wmtlib.yours.explore.what_if import RankingChange, View, sentence
from wmtlib.yours.names import cut

DIVERGING = LinearSegmentedColormap.from_list("wmtlib", ["#D55E00", "#FFFFFF", "#0072B2"])
HEIGHT, TOP, CELL, LEFT, RIGHT, HEAT = 23, 42, 19, 215, 430, 690  # of the picture, in pixels
WIDEST = 34  # characters of a name


def svg(change: RankingChange) -> str:
    """The picture: as released, as chosen, lines that cross in colour, and the heatmap."""
    crossed = [name for name in change.before.order if name in change.crossed]
    colours = {name: MOVERS[k % len(MOVERS)] for k, name in enumerate(crossed)}
    old = {name: TOP + (k + 0.5) * HEIGHT for k, name in enumerate(change.before.order)}
    new = {name: TOP + (k + 0.5) * HEIGHT for k, name in enumerate(change.after.order)}
    end, middle = {"text_anchor": "end"}, {"text_anchor": "middle"}
    strong = {True: {"font_weight": "bold"}, False: {}}
    parts = [_text(LEFT, 12, "as released", **end), _text(RIGHT, 12, "as chosen")]
    parts += [_text(HEAT, 12, f"{change.choice.heatmap}: row against column")]
    for k, (name, y) in enumerate(old.items(), start=1):
        colour, bold = colours.get(name, "#AAA"), strong[name in colours]
        struck = {} if name in new else {"text_decoration": "line-through", "class": "out"}
        parts.append(_text(LEFT, y, f"{name} {k}", **end, **struck, **bold))
        if name in new:
            kind = "crossed" if name in colours else "straight"
            parts.append(
                f'<path class="{kind}" d="M{LEFT + 6} {y}L{RIGHT - 6} {new[name]}"'
                f' stroke="{colour}" stroke-width="{3 if name in colours else 1}"/>'
            )
    for k, (name, y) in enumerate(new.items(), start=1):
        rise = change.moved[name]
        arrow = f" {'▲' if rise > 0 else '▼'}{abs(rise)}" if rise else ""
        words = f"{k} {name}{arrow}"
        parts.append(_text(RIGHT, y, words, **{"class": "now"}, **strong[name in colours]))
        parts.append(_text(HEAT + CELL * (k - 0.5), TOP - 10, str(k), **middle))
    gone, fresh = str(change.changes["lines_gone"]), str(change.changes["lines_new"])
    parts += _lines(change.before, 4, LEFT + 8, gone, 'stroke-dasharray="5 4"')
    parts += _lines(change.after, RIGHT - 8, HEAT - 4, fresh, 'style="stroke-width:5"')
    legend = "blue: the row's system is better, orange: worse, framed: against the ranking"
    legend = "the darker, the more often" if change.choice.heatmap == MET else legend
    parts.append(f'<text x="{HEAT}" y="{TOP + HEIGHT * len(new) + 16}">{legend}</text>')
    width, height = HEAT + max(CELL * len(old), 420) + 8, TOP + HEIGHT * len(old) + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' width="{width}" style="max-width:100%;height:auto;background:#fff;font:12px sans-serif">'
        f"<title>{escape(change.subject.label)}, as released and as chosen</title><desc>"
        f"{escape(sentence(change))} Best first: {escape(', '.join(new))}.</desc>"
        f"{''.join([*parts, *_squares(change.after)])}</svg>"
    )


def draw_change(change: RankingChange, axes: Sequence[Axes]) -> None:
    """The same picture for paper, of the systems that are left: rankings and heatmap."""
    left = np.isin(np.arange(len(change.subject.systems)), change.after.ranked.order)
    sides = {"as released": change.before.ranked.restricted(left), "as chosen": change.after.ranked}
    orders = {side: ranked.names for side, ranked in sides.items()}
    places = {side: pd.Series(range(1, len(o) + 1), o) for side, o in orders.items()}
    below = {side: pd.Series(o.lines, orders[side]) for side, o in sides.items()}
    places = pd.DataFrame(places).loc[orders["as released"]]
    shown = [name for name in places.index if name in change.crossed]
    ax = assessment_plots.rank_lines(places, pd.DataFrame(below).loc[places.index], axes[0])
    if shown:
        ax.set_title(f"{len(shown)} systems cross")
    for side in ax.child_axes:
        side.spines[:].set_visible(False)
    axes[1].imshow(change.after.tint, vmin=-1, vmax=1, cmap=DIVERGING)
    axes[1].set_yticks(range(len(places)), change.after.order, fontsize=7)
    axes[1].set_xticks(range(len(places)), range(1, len(places) + 1), fontsize=6)
    axes[1].set_title(f"{change.choice.heatmap}: blue = the row's system is better")
    axes[1].tick_params(length=0)
    axes[1].spines[:].set_visible(False)


def _text(x: float, y: float, words: str, **style: str) -> str:
    """Text of a picture; long text is shortened, and whole in its tooltip."""
    shown = cut(words, WIDEST)
    whole = f"<title>{escape(words)}</title>" if shown != words else ""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:g}" y="{y + 4:g}" fill="#222"{more}>{escape(shown)}{whole}</text>'


def _lines(view: View, start: float, end: float, marked: str, mark: str) -> list[str]:
    """Significance lines; those that are marked, "below A; below B", look different."""
    drawn = []
    for k in np.flatnonzero(view.ranked.lines).tolist():
        path = f"M{start} {TOP + HEIGHT * (k + 1)}H{end}"
        extra = mark if f"below {view.order[k]}" in marked.split("; ") else ""
        drawn.append(
            f'<path class="significant" d="{path}" stroke="#000" stroke-width="2" {extra}/>'
        )
    return drawn


def _squares(view: View) -> list[str]:
    """The heatmap; a frame marks what contradicts the ranking, a tooltip has the number."""
    colours = (DIVERGING((view.tint + 1) / 2)[..., :3] * 255).round().astype(int)
    values, size, squares = view.heatmap.to_numpy(), len(view.order), []
    for i, j in np.argwhere(~np.eye(size, dtype=bool)).tolist():
        frame = ' stroke="#000"' if j > i and view.tint[i, j] < 0 else ""
        x, y = HEAT + CELL * j, TOP + HEIGHT * i + 2
        squares.append(
            f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{HEIGHT - 4}"{frame}'
            f' fill="rgb{(*colours[i, j].tolist(),)}"><title>{escape(view.order[i])} against'
            f" {escape(view.order[j])}: {values[i, j]:.3g}</title></rect>"
        )
    return squares
