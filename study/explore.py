"""The explorer: leave systems out or divide scores, and see what the ranking does.

`ranked` ranks a campaign as released, or as chosen; `show` draws both and says in words
what differs; `explorer` has the controls for JupyterLab.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from study import campaigns
from study.campaigns import Subject
from study.data.sources import LATER_RELATIVE
from study.knowles2021.section_5_3 import rank_places
from wmtlib.cluster_lines import RULES, RankedClusters, rank_campaign
from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.core.errors import DataError, unknown
from wmtlib.core.pairwise_tests import TESTS
from wmtlib.methods import METHODS, Settings
from wmtlib.removals import differences, divide

P_LIMITS = (0.01, 0.05)
# Classes of p-values and their colours, which differ in print, too.
P_CLASSES = {"below 0.01": "#08306b", "0.01 to 0.05": "#6baed6", "0.05 or more": "0.92"}


def offered() -> list[str]:
    """Return the names of the campaigns and tasks that the explorer shows here."""
    names = campaigns.available()["name"]
    return [name for name in names if not name.startswith(LATER_RELATIVE)]


def ranked(
    subject: Subject,
    *,
    out: Collection[str] = (),
    references: bool = True,
    divisor: float = 1.0,
    test: str = "one-sided",
    rule: str = "official",
) -> RankedClusters:
    """Rank a subject; by default as released, scored and tested as WMT did.

    Parameters
    ----------
    subject : Subject
    out : names
        Systems that are left out, as though they had never been judged.
    references : bool
        Whether REF items, or comparisons with the reference, count.
    divisor : float
        Of the scores of human systems and REF items; direct assessment.
    test, rule : str
        As in `cluster_lines.rank_campaign`; direct assessment.

    Raises
    ------
    DataError
        An unknown system, or fewer than two systems left.
    """
    for name in sorted({*out}.difference(subject.systems)):
        raise unknown("system", name, subject.systems)
    data = subject.data
    if isinstance(data, Campaign):
        items = () if references else ("REF",)
        worse = divide(data, subject.humans, divisor, items=("REF",))
        return rank_campaign(leave_out(worse, out, items=items), test=test, rule=rule)
    fewer = data.without(*out)
    systems = fewer.without(REFERENCE)
    judged = fewer if references else systems
    names = tuple(systems.systems)
    if len(names) < 2:
        raise DataError(f"{len(names)} system(s) would be left; expected two or more")
    ranking = METHODS[subject.scorer].rank(judged, Settings(REFERENCE))
    order = pd.Index(names).get_indexer(ranking.order)
    score = ranking.scores[[*names]].to_numpy()
    return RankedClusters(names, order, score, _sign_tests(systems), "official")


def _sign_tests(counts: Counts) -> np.ndarray:
    """Test whether the row's system is better: one-sided p, (systems, systems)."""
    from scipy.special import bdtr

    won = counts.wins.to_numpy()
    return bdtr(won.T, won + won.T, 0.5)


def draw(before: RankedClusters, after: RankedClusters, axes: Sequence[Any]) -> None:
    """Draw both rankings, lines that cross in colour, and the p-values of all pairs."""
    from study import pictures

    before = before.restricted(np.isin(before.systems, after.names))
    cuts = {"as released": before.ranking.table, "as chosen": after.ranking.table}
    ax = pictures.rank_lines(*rank_places(cuts), axes[0])
    ax.set_title(f"pairs in another order: {differences(before, after)['kendall']}")
    ax.set_ylim(len(after.names) + 0.5, 0.5)  # its rows are those of the squares
    p = pd.DataFrame(after.p, after.systems, after.systems)
    draw_p_values(p.loc[after.names, after.names], axes[1])


def draw_p_values(p: pd.DataFrame, ax: Any) -> None:
    """Draw the class of each p-value as a square; rows and columns are numbered.

    Parameters
    ----------
    p : DataFrame, systems x systems
        For the row's system being the better one, best first.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    classes = np.digitize(p, P_LIMITS).astype(float)
    np.fill_diagonal(classes, np.nan)
    edges = np.arange(len(p) + 1) + 0.5
    colours = ListedColormap([*P_CLASSES.values()])
    grid = {"edgecolors": "w", "linewidth": 0.6}
    ax.pcolormesh(edges, edges, classes, cmap=colours, vmin=0, vmax=2, **grid)
    ax.set_ylim(edges[-1], edges[0])
    numbers = range(1, len(p) + 1)
    ax.set_xticks(numbers[:: 1 + len(p) // 20])  # more would overlap
    ax.set_yticks(numbers)
    ax.tick_params(length=0, labelsize=8.5)
    ax.set_title("is the row better than the column?")
    ax.set_xlabel("the same systems, numbered as the rows")
    patches = [Patch(fc=colour, label=name) for name, colour in P_CLASSES.items()]
    ax.figure.legend(
        handles=patches,
        loc="outside lower center",
        ncols=len(patches),
        frameon=False,
        title="p-value of the row's system against the column's",
    )


def sentence(subject: Subject, **choices: Any) -> str:
    """Say in words what is chosen and what it changes.

    Parameters
    ----------
    subject : Subject
    **choices
        As in `ranked`.
    """
    after = ranked(subject, **choices)
    changes = differences(ranked(subject), after)
    chosen = f"{len(after.order)} of {len(subject.systems)} systems"
    if choices.get("out"):
        chosen += f", without {', '.join(sorted(choices['out']))}"
    if not choices.get("references", True):
        chosen += ", references left out"
    if choices.get("divisor", 1) != 1:
        chosen += f", scores of humans and REF divided by {choices['divisor']:g}"
    order = "The order of all pairs of systems stays"
    if changes["swaps"]:
        pairs = str(changes["swaps"]).replace(" > ", " falls below ")
        order = (
            f"Pairs of systems that change order: {changes['kendall']}"
            f" (neighbours: {pairs})"
        )
    lines = [
        f"Lines {kind}: {changes[f'lines_{kind}']}"
        for kind in ("new", "gone")
        if changes[f"lines_{kind}"]
    ]
    sentences = [f"{subject.label}: {chosen}", order, *(lines or ["The lines stay"])]
    return f"{'. '.join(sentences)}."


def show(subject: Subject, **choices: Any) -> None:
    """Draw the ranking as released and as chosen, and say what differs.

    Parameters
    ----------
    subject, **choices
        As in `sentence`.
    """
    import matplotlib.pyplot as plt

    figure = plt.figure()
    draw_on(figure, subject, **choices)
    plt.show()
    print(sentence(subject, **choices))


def draw_on(
    figure: Any, subject: Subject, *, width: float = 8.8, **choices: Any
) -> None:
    """Draw the ranking as released and as chosen on an empty figure.

    Parameters
    ----------
    figure : Figure
    subject : Subject
    width : float
        Inches; by default the book's column.
    **choices
        As in `ranked`.
    """
    after = ranked(subject, **choices)
    figure.set_size_inches(width, 2.6 + 0.26 * len(after.order))
    figure.set_layout_engine("constrained")
    widths = {"width_ratios": [1, 1.1]}
    draw(ranked(subject), after, figure.subplots(1, 2, gridspec_kw=widths))


def picture(subject: Subject, **choices: Any) -> bytes:
    """Draw the same as `show`, for beside the controls, as bytes of a PNG file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    draw_on(figure, subject, width=8, **choices)
    file = BytesIO()
    figure.savefig(file, format="png", dpi=130)
    return file.getvalue()


def is_live() -> bool:
    """Return whether a person runs this cell: only JupyterLab's requests name it."""
    from IPython import get_ipython

    request: dict = getattr(get_ipython(), "get_parent", dict)()
    return "cellId" in request.get("metadata", {})


def explorer(name: str, out: Collection[str] = ()) -> Any:
    """Make the controls, and beside them what is chosen; displayed in JupyterLab.

    Parameters
    ----------
    name : str
        The name in `offered` that is shown first.
    out : names
        Systems that are left out at first, if the campaign has them.
    """
    import ipywidgets as widgets

    names = widgets.Dropdown(options=offered(), value=name, description="campaign")
    below = widgets.VBox()

    def change(_event: Any = None) -> None:
        below.children = [controls(names.value, out)]

    names.observe(change, "value")
    change()
    return widgets.VBox([names, below])


def controls(name: str, out: Collection[str] = ()) -> Any:
    """Make the controls of a subject, with what is chosen in words and as code.

    The picture is beside them. A slider draws when it is let go, and changes that wait
    are drawn as one.
    """
    import ipywidgets as widgets

    chosen = campaigns.load_subject(name)
    systems = ranked(chosen).names
    first = [system for system in systems if system in out]
    made: dict[str, Any] = {
        "out": widgets.SelectMultiple(options=systems, value=first, rows=14),
        "references": widgets.Checkbox(True),
    }
    if not chosen.scorer:  # counts have no scores to divide and test
        step = {"min": 1, "max": 10, "step": 0.25, "continuous_update": False}
        made |= {
            "divisor": widgets.FloatSlider(1, **step),
            "test": widgets.Dropdown(options=TESTS[::-1]),
            "rule": widgets.Dropdown(options=RULES[::-1]),
        }
    image = widgets.Image(layout={"width": "100%", "max_width": "900px"})
    words = widgets.HTML(layout={"width": "16em"})

    def update() -> None:
        choices = {key: control.value for key, control in made.items()}
        try:
            image.value = picture(chosen, **choices)
            said = sentence(chosen, **choices)
        except DataError as error:
            said = str(error)
        values = "".join(f", {key}={value!r}" for key, value in choices.items())
        code = f"explore.show(campaigns.load_subject({name!r}){values})"
        broken = f"<code style='overflow-wrap: anywhere'>{escape(code)}</code>"
        words.value = f"<p>{escape(said)}</p>{broken}"

    later = settled(update)
    for key, control in made.items():
        control.description = key
        control.layout.width = "16em"
        control.style.description_width = "4.5em"
        control.observe(later, "value")
    update()
    left = widgets.VBox([*made.values(), words], layout={"flex": "0 0 16.5em"})
    beside = {"flex": "1 1 0", "min_width": "0", "overflow": "hidden"}
    return widgets.HBox([left, widgets.VBox([image], layout=beside)])


def settled(act: Callable[[], None], wait: float = 0.1) -> Callable[..., None]:
    """Return a function that calls `act` once no other call follows for a moment.

    Parameters
    ----------
    act : callable
    wait : float
        Seconds. Without an event loop `act` is called at once.
    """
    waiting: list[asyncio.TimerHandle] = []

    def call(*_event: Any) -> None:
        while waiting:
            waiting.pop().cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            act()
        else:
            waiting.append(loop.call_later(wait, act))

    return call
