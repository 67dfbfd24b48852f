"""Move a ranking by hand: what a choice does to it, as a picture that follows at once.

`view` takes judgements and a `Choice` to a ranking with its lines and heatmap, `compare` holds it
against the ranking as released, `svg`, `draw` and `sentence` show that; `Explorer` is the widgets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from html import escape

import ipywidgets as w
import numpy as np
import pandas as pd
from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from scipy import stats

from wmtlib.assessment import clusters, hit_composition, stability, zscores
from wmtlib.assessment.stability import REF, Outlook
from wmtlib.assessment.zscores import Campaign
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.relative_rankings import REFERENCE, DataError
from wmtlib.plots import assessment_plots
from wmtlib.releases import assessment_releases, coded_campaigns
from wmtlib.releases.assessment_releases import Source
from wmtlib.tournament import mfas, scorers

SEGMENTS, JUDGEMENTS = WEIGHTINGS = ("segments averaged first", "every judgement alike")
SHARE, P, DIFFERENCE, MET = "share of wins", "p-value", "difference of mean z", "share of HITs met"
SIGNS = ("one-sided", "two-sided")  # the sign tests of relative rankings
HUMANS = "humans"  # among systems to leave out: every human translation
# Okabe and Ito's palette, for lines that cross; blue and vermillion are the ends of the heatmap.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DIVERGING = LinearSegmentedColormap.from_list("wmtlib", ["#D55E00", "#FFFFFF", "#0072B2"])
HEIGHT, TOP, CELL, LEFT, RIGHT, HEAT = 23, 42, 19, 215, 430, 690  # of the picture, in pixels
WIDEST = 34  # characters of a name


@dataclass(frozen=True, eq=False)
class Subject:
    """One language pair: relative rankings (`Counts`) or direct assessment (`Campaign`).

    Attributes
    ----------
    label : str
    data : Counts or Campaign
    systems, humans : tuple of names, sorted
        What can be left out; human translations among them.
    scorer : str
        The official one of the year; "" for direct assessment.
    """

    label: str
    data: Counts | Campaign
    systems: tuple[str, ...]
    humans: tuple[str, ...]
    scorer: str

    @property
    def released(self) -> "Choice":
        """Everything in, scored and tested as WMT did."""
        return Choice(scorer=self.scorer, cells=SHARE if self.scorer else P)

    @cached_property
    def view(self) -> "View":
        """The ranking as released."""
        return view(self, self.released)


@dataclass(frozen=True)
class Choice:
    """What a person may choose.

    Attributes
    ----------
    out : frozenset of names
        Systems as though they had never been judged.
    references : bool
        Whether REF items, or comparisons with the reference, count.
    divisor : float
        Of the scores of human systems and REF items; direct assessment.
    weighting : one of `WEIGHTINGS`; direct assessment
    scorer : one of `scorers.SCORERS`, or "mfas"; relative rankings
    test : one of `clusters.TESTS`, or of `SIGNS` for relative rankings
    rule : one of `clusters.RULES`
    cells : what the heatmap shows
    """

    out: frozenset[str] = frozenset()
    references: bool = True
    divisor: float = 1.0
    weighting: str = SEGMENTS
    scorer: str = ""
    test: str = "one-sided"
    rule: str = "official"
    cells: str = P


@dataclass(frozen=True)
class View:
    """A ranking, and a heatmap with rows and columns in its order.

    Attributes
    ----------
    outlook : Outlook
        Over all systems of the subject; those left out are not in its order.
    cells : DataFrame, ranked x ranked
        What the choice's `cells` names; NaN = nothing to show.
    tint : ndarray, (ranked, ranked)
        -1 (the column's system is better) to 1 (the row's is).
    """

    outlook: Outlook
    cells: pd.DataFrame
    tint: np.ndarray

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return [self.outlook.systems[k] for k in self.outlook.order]


@dataclass(frozen=True)
class Comparison:
    """The ranking as released, and as chosen.

    Attributes
    ----------
    subject, choice, before, after
    moved : dict of str to int
        Places that a system has risen among the systems that are left.
    crossed : set of names
        Systems that stand in another order than before to at least one other.
    changes : dict
        See `stability.compare`; of the systems that are left.
    """

    subject: Subject
    choice: Choice
    before: View
    after: View
    moved: dict[str, int]
    crossed: set[str]
    changes: dict[str, object]


def catalogue(source: str | Source) -> dict[str, list[str]]:
    """Language pairs of every campaign at hand: counts, releases and simulated campaigns."""
    tasks = assessment_releases.tasks("embedded")[["campaign", "task"]].to_numpy().tolist()
    table = assessment_releases.assessed(source).query("status != 'absent'")
    released = table[["campaign", "language_pair"]].to_numpy().tolist()
    found: dict[str, list[str]] = {}
    for campaign, pair in [*tasks, *released, *coded_campaigns.simulated()]:
        found.setdefault(campaign, []).append(pair)
    return found


@lru_cache(maxsize=8)
def subject(campaign: str, pair: str, *, source: str | Source) -> Subject:
    """Load a language pair; an unknown one raises `DataError`."""
    if campaign in assessment_releases.RANKED:
        counts = assessment_releases.load_counts(campaign, pair, source="embedded")
        names = tuple(name for name in counts.systems if name != REFERENCE)
        official = "expected-wins" if campaign == "wmt12" else "wmt-official"
        return Subject(assessment_releases.label(campaign, pair), counts, names, (), official)
    found = coded_campaigns.load(campaign, pair, source=source)
    return Subject(found.label, found.coded, found.coded.systems, tuple(found.humans), "")


def choose(subject: Subject, **wanted: object) -> Choice:
    """The released choice but for what is given; refuses what the subject does not have."""
    choice = replace(subject.released, **wanted)
    humans = subject.humans if HUMANS in choice.out else ()
    choice = replace(choice, out=frozenset(choice.out) - {HUMANS} | {*humans})
    allowed = options(subject)
    for name in allowed:
        if (value := getattr(choice, name)) not in allowed[name]:
            raise DataError(f"{name} is {value!r}; expected {', '.join(allowed[name])}")
    if unknown := sorted(choice.out - {*subject.systems}):
        raise DataError(f"no system {unknown[0]!r}; expected {', '.join(subject.systems)}")
    if not 1 <= choice.divisor <= 10:
        raise DataError(f"divisor is {choice.divisor!r}; expected a number from 1 to 10")
    return choice


def options(subject: Subject) -> dict[str, tuple[str, ...]]:
    """What can be chosen from lists."""
    if isinstance(subject.data, Counts):
        tests, cells = {"scorer": (*scorers.SCORERS, "mfas"), "test": SIGNS}, (SHARE, P)
    else:
        tests = {"test": clusters.TESTS, "weighting": WEIGHTINGS}
        cells = (P, DIFFERENCE, MET)
    return {**tests, "rule": clusters.RULES, "cells": cells}


def view(subject: Subject, choice: Choice) -> View:
    """Rank, test and draw lines; fewer than two systems, or one without data, raise `DataError`."""
    rank = _relative if isinstance(subject.data, Counts) else _direct
    names, order, score, p, cells = rank(subject, choice)
    place = np.array([subject.systems.index(name) for name in names])
    size = len(subject.systems)
    better, means = np.zeros((size, size), dtype=bool), np.full(size, np.nan)
    better[np.ix_(place, place)], means[place] = p < clusters.ALPHA, score
    ranked = Outlook(subject.systems, place[order], means, better, choice.rule)
    named = [names[k] for k in order]
    cells = pd.DataFrame(cells[np.ix_(order, order)], index=named, columns=named)
    return View(ranked, cells, _tint(cells.to_numpy(), choice))


def _relative(subject: Subject, choice: Choice) -> tuple:
    """Names, order, scores, p-values and heatmap of relative rankings; sign test of each pair."""
    gone = {*choice.out} if choice.references else {*choice.out, REFERENCE}
    counts = subject.data.without(*gone)
    rivals = counts.without(REFERENCE)
    if len(names := rivals.systems) < 2:
        raise DataError(f"{len(names)} system(s) would be left; expected two or more")
    if choice.scorer == "mfas":
        order, score = mfas.solve(rivals.wins).order, np.full(len(names), np.nan)
    else:
        scores = scorers.SCORERS[choice.scorer](counts, reference=REFERENCE)
        order, score = scorers.ranking(scores)["system"], scores.loc[names].to_numpy()
    won = rivals.wins.to_numpy()
    p = stats.binom.sf(won - 1, won + won.T, 0.5)
    if choice.test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    with np.errstate(invalid="ignore"):
        share = won / (won + won.T)
    return names, [names.index(s) for s in order], score, p, share if choice.cells == SHARE else p


def _direct(subject: Subject, choice: Choice) -> tuple:
    """The same of direct assessment; rank-sum test of each pair."""
    campaign = subject.data
    if choice.divisor != 1:
        human = zscores.members(campaign, subject.humans)
        theirs = campaign.rows_of(human, items=REF, paired=False)
        score = np.where(theirs, campaign.score / choice.divisor, campaign.score)
        campaign = campaign.with_scores(score)
    items = () if choice.references else REF
    if choice.out or items:
        campaign = campaign.without(choice.out, items=items, paired=False)
    names, (system, z) = campaign.systems, _values(campaign, choice.weighting)
    order, mean = zscores.order_by_mean(system, z, len(names))
    p = clusters.all_pairs(z, system, len(names), choice.test)
    if choice.cells == P:
        return names, order, mean, p, p
    if choice.cells == DIFFERENCE:
        return names, order, mean, p, mean[:, None] - mean
    unit = "worker" if "" in campaign.hits else "hit"
    return names, order, mean, p, hit_composition.co_occurrence(campaign, unit=unit).to_numpy()


def _values(campaign: Campaign, weighting: str) -> tuple[np.ndarray, np.ndarray]:
    """System and z of what is averaged and tested: segment means, or single judgements."""
    if weighting == SEGMENTS:
        return campaign.averages.system, campaign.averages.z
    _, mean, sd = campaign.scales
    layout = zscores.used_layout(campaign, sd)
    zscores.require_segments(campaign.systems, layout)
    z = (campaign.score[layout.judgement] - mean[layout.worker]) / sd[layout.worker]
    return np.repeat(layout.system, layout.size), z


def _tint(cells: np.ndarray, choice: Choice) -> np.ndarray:
    if choice.cells == P:  # .05, .01 and .001, for the better system of the two
        strength = np.select([cells < 0.001, cells < 0.01, cells < 0.05], [1, 0.65, 0.35], 0.0)
        if choice.test != "one-sided" and choice.scorer == "":  # no direction: that of the order
            strength = np.triu(strength)
        tint = strength - strength.T
    elif choice.cells == DIFFERENCE:
        tint = cells / max(np.abs(cells).max(), 1e-9)
    else:
        tint = cells if choice.cells == MET else 2 * cells - 1
    return np.nan_to_num(tint * ~np.eye(len(tint), dtype=bool))


def compare(subject: Subject, choice: Choice) -> Comparison:
    """Hold a choice against the ranking as released, of the systems that are left."""
    before, after = subject.view, view(subject, choice)
    left = np.isin(np.arange(len(subject.systems)), after.outlook.order)
    place = {name: k for k, name in enumerate(after.order)}
    names = [name for name in before.order if name in place]
    now = np.array([place[name] for name in names])
    inverted = np.triu(now[:, None] > now, 1)
    crossed = {names[k] for k in np.flatnonzero((inverted | inverted.T).any(axis=0))}
    moved = {name: k - place[name] for k, name in enumerate(names)}
    changes = stability.compare(before.outlook.of(left), after.outlook)
    return Comparison(subject, choice, before, after, moved, crossed, changes)


def sentence(seen: Comparison) -> str:
    """What a choice changes, in words: the text alternative of the picture."""
    choice, changes = seen.choice, seen.changes
    what = [f"{seen.subject.label}: {len(seen.after.order)} of {len(seen.subject.systems)} systems"]
    what += [f"without {', '.join(sorted(choice.out))}"] * bool(choice.out)
    what += ["references left out"] * (not choice.references)
    if choice.divisor != 1:
        what += [f"scores of humans and references divided by {choice.divisor:g}"]
    said = ["The order of all pairs of systems stays"]
    if changes["swaps"]:
        pairs = str(changes["swaps"]).replace(" > ", " falls below ")
        said = [f"Pairs of systems that change order: {changes['kendall']} (neighbours: {pairs})"]
    said += [
        f"Lines {k}: {changes[f'lines_{k}']}" for k in ("new", "gone") if changes[f"lines_{k}"]
    ]
    said += ["The lines stay"] * (len(said) == 1)
    return f"{', '.join(what)}. {'. '.join(said)}."


def svg(seen: Comparison) -> str:
    """The picture: as released, as chosen, lines that cross in colour, and the heatmap."""
    crossed = [name for name in seen.before.order if name in seen.crossed]
    colours = {name: COLOURS[k % len(COLOURS)] for k, name in enumerate(crossed)}
    old = {name: TOP + (k + 0.5) * HEIGHT for k, name in enumerate(seen.before.order)}
    new = {name: TOP + (k + 0.5) * HEIGHT for k, name in enumerate(seen.after.order)}
    end, middle = {"text_anchor": "end"}, {"text_anchor": "middle"}
    strong = {True: {"font_weight": "bold"}, False: {}}
    parts = [_text(LEFT, 12, "as released", **end), _text(RIGHT, 12, "as chosen")]
    parts += [_text(HEAT, 12, f"{seen.choice.cells}: row against column")]
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
        rise = seen.moved[name]
        arrow = f" {'▲' if rise > 0 else '▼'}{abs(rise)}" if rise else ""
        words = f"{k} {name}{arrow}"
        parts.append(_text(RIGHT, y, words, **{"class": "now"}, **strong[name in colours]))
        parts.append(_text(HEAT + CELL * (k - 0.5), TOP - 10, str(k), **middle))
    gone, fresh = str(seen.changes["lines_gone"]), str(seen.changes["lines_new"])
    parts += _lines(seen.before, 4, LEFT + 8, gone, 'stroke-dasharray="5 4"')
    parts += _lines(seen.after, RIGHT - 8, HEAT - 4, fresh, 'style="stroke-width:5"')
    legend = "blue: the row's system is better, orange: worse, framed: against the ranking"
    legend = "the darker, the more often" if seen.choice.cells == MET else legend
    parts.append(f'<text x="{HEAT}" y="{TOP + HEIGHT * len(new) + 16}">{legend}</text>')
    width, height = HEAT + max(CELL * len(old), 420) + 8, TOP + HEIGHT * len(old) + 28
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' width="{width}" style="max-width:100%;height:auto;background:#fff;font:12px sans-serif">'
        f"<title>{escape(seen.subject.label)}, as released and as chosen</title><desc>"
        f"{escape(sentence(seen))} Best first: {escape(', '.join(new))}.</desc>"
        f"{''.join([*parts, *_squares(seen.after)])}</svg>"
    )


def draw(seen: Comparison, axes: Sequence[Axes]) -> None:
    """The same picture for paper, of the systems that are left: rankings and heatmap."""
    left = np.isin(np.arange(len(seen.subject.systems)), seen.after.outlook.order)
    sides = {"as released": seen.before.outlook.of(left), "as chosen": seen.after.outlook}
    orders = {side: [seen.subject.systems[k] for k in o.order] for side, o in sides.items()}
    places = {side: pd.Series(range(1, len(o) + 1), o) for side, o in orders.items()}
    below = {side: pd.Series(o.lines, orders[side]) for side, o in sides.items()}
    places = pd.DataFrame(places).loc[orders["as released"]]
    shown = [name for name in places.index if name in seen.crossed]
    ax = assessment_plots.rank_lines(places, pd.DataFrame(below).loc[places.index], axes[0])
    if shown:
        ax.set_title(f"{len(shown)} systems cross")
    for side in ax.child_axes:
        side.spines[:].set_visible(False)
    axes[1].imshow(seen.after.tint, vmin=-1, vmax=1, cmap=DIVERGING)
    axes[1].set_yticks(range(len(places)), seen.after.order, fontsize=7)
    axes[1].set_xticks(range(len(places)), range(1, len(places) + 1), fontsize=6)
    axes[1].set_title(f"{seen.choice.cells}: blue = the row's system is better")
    axes[1].tick_params(length=0)
    axes[1].spines[:].set_visible(False)


def _text(x: float, y: float, words: str, **style: str) -> str:
    """Text of a picture; what is long is cut, and whole in its tooltip."""
    cut = words if len(words) <= WIDEST else f"{words[: WIDEST - 14]}…{words[-13:]}"
    whole = f"<title>{escape(words)}</title>" if cut != words else ""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:g}" y="{y + 4:g}" fill="#222"{more}>{escape(cut)}{whole}</text>'


def _lines(view: View, start: float, end: float, marked: str, mark: str) -> list[str]:
    """Significance lines; those that are marked, "below A; below B", look different."""
    drawn = []
    for k in np.flatnonzero(view.outlook.lines).tolist():
        path = f"M{start} {TOP + HEIGHT * (k + 1)}H{end}"
        extra = mark if f"below {view.order[k]}" in marked.split("; ") else ""
        drawn.append(
            f'<path class="significant" d="{path}" stroke="#000" stroke-width="2" {extra}/>'
        )
    return drawn


def _squares(view: View) -> list[str]:
    """The heatmap; a frame marks what contradicts the ranking, a tooltip has the number."""
    colours = (DIVERGING((view.tint + 1) / 2)[..., :3] * 255).round().astype(int)
    cells, size, squares = view.cells.to_numpy(), len(view.order), []
    for i, j in np.argwhere(~np.eye(size, dtype=bool)).tolist():
        frame = ' stroke="#000"' if j > i and view.tint[i, j] < 0 else ""
        x, y = HEAT + CELL * j, TOP + HEIGHT * i + 2
        squares.append(
            f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{HEIGHT - 4}"{frame}'
            f' fill="rgb{(*colours[i, j].tolist(),)}"><title>{escape(view.order[i])} against'
            f" {escape(view.order[j])}: {cells[i, j]:.3g}</title></rect>"
        )
    return squares


def live() -> bool:
    """Whether a person runs this cell in JupyterLab: its requests name the cell, others do not."""
    request = getattr(get_ipython(), "get_parent", dict)()
    return "cellId" in request.get("metadata", {})


class Explorer:
    """Widgets for a choice, and the picture of it.

    Attributes
    ----------
    box : Widget
        To be displayed.
    seen : Comparison
        What the picture shows.
    """

    def __init__(self, campaign: str, pair: str, *, source: str | Source) -> None:
        self._source, self._pairs = source, catalogue(source)
        if pair not in self._pairs.get(campaign, ()):
            raise DataError(f"no language pair {pair!r} in campaign {campaign!r} is at hand")
        self._campaign = w.Dropdown(description="campaign", options=[*self._pairs], value=campaign)
        self._pair = w.Dropdown(description="pair", options=self._pairs[campaign], value=pair)
        self._controls, self._said, self._picture = w.VBox(), w.HTML(), w.HTML()
        self.box = w.VBox(
            [w.HBox([self._campaign, self._pair]), self._controls, self._said, self._picture]
        )
        self._campaign.observe(self._other_campaign, "value")
        self._pair.observe(self._load, "value")
        self._load()

    def _other_campaign(self, change: dict) -> None:
        self._pair.unobserve(self._load, "value")  # until one of the new pairs is chosen
        self._pair.options = self._pairs[change["new"]]
        self._pair.observe(self._load, "value")
        self._load()

    def _load(self, change: dict | None = None) -> None:
        """Load the pair and make its controls."""
        self._say("loading ...")
        try:
            self._subject = subject(self._campaign.value, self._pair.value, source=self._source)
        except DataError as error:
            self._controls.children, self._picture.value = (), ""
            return self._say(str(error))
        start = self._subject.released
        self._lists = {
            name: w.Dropdown(description=name, options=found, value=getattr(start, name))
            for name, found in options(self._subject).items()
        }
        self._systems = {name: _tick(name) for name in self._subject.systems}
        self._divisor = w.FloatSlider(1, min=1, max=10, step=0.25, description="divisor")
        again = w.Button(description="as released", tooltip="everything in, as WMT did")
        again.on_click(self._load)
        direct = isinstance(self._subject.data, Campaign)
        self._references = _tick("references (REF)" if direct else "comparisons with reference")
        settings = [*self._lists.values(), *([self._divisor] if direct else [])]
        ticks = [*self._systems.values(), self._references]
        for control in [*ticks, *settings]:
            control.observe(self._redraw, "value")
        wrap = w.Layout(flex_flow="row wrap")
        rows = [[*settings, again], ticks]
        self._controls.children = [w.Box(row, layout=wrap) for row in rows]
        self._redraw()

    def _redraw(self, change: dict | None = None) -> None:
        out = frozenset(name for name, tick in self._systems.items() if not tick.value)
        choice = Choice(
            out=out,
            references=self._references.value,
            divisor=self._divisor.value,
            **{name: control.value for name, control in self._lists.items()},
        )
        try:
            self.seen = compare(self._subject, choice)
        except DataError as error:
            return self._say(str(error))
        self._picture.value = svg(self.seen)
        self._say(sentence(self.seen))

    def _say(self, words: str) -> None:
        self._said.value = f'<p role="status" aria-live="polite">{escape(words)}</p>'


def _tick(name: str) -> w.Checkbox:
    return w.Checkbox(True, description=name, indent=False, layout=w.Layout(width="220px"))
