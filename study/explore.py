"""The explorer: leave systems out or divide scores, and see what the ranking does.

`ranked` ranks a campaign as released, or as chosen; `show` draws both and says in words
what differs; `explorer` has the controls for JupyterLab.
"""

from collections.abc import Collection, Sequence
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

WIDE = {"width": "36em"}  # of controls: the longest names fit


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
    from wmtlib import plots

    before = before.restricted(np.isin(before.systems, after.names))
    cuts = {"as released": before.ranking.table, "as chosen": after.ranking.table}
    ax = pictures.rank_lines(*rank_places(cuts), axes[0])
    ax.set_title(f"pairs in another order: {differences(before, after)['kendall']}")
    size = len(after.names)
    ax.set_ylim(size + 0.5, 0.5)  # its rows are those of the heatmap
    p = pd.DataFrame(after.p, after.systems, after.systems)
    plots.squares(
        p.loc[after.names, after.names].set_axis(range(1, size + 1), axis=1),
        axes[1],
        cmap="mako",
        limits=(0, 1),
        label="p-value: row better than column",
        mask=np.eye(size, dtype=bool),
        xticklabels=True,
        yticklabels=True,
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

    after = ranked(subject, **choices)
    size = (9.5, 2.2 + 0.28 * len(after.order))  # fits JupyterLab at 1440 pixels
    draw(ranked(subject), after, plt.subplots(1, 2, figsize=size)[1])
    plt.show()
    print(sentence(subject, **choices))


def is_live() -> bool:
    """Return whether a person runs this cell: only JupyterLab's requests name it."""
    from IPython import get_ipython

    request: dict = getattr(get_ipython(), "get_parent", dict)()
    return "cellId" in request.get("metadata", {})


def explorer(name: str, out: Collection[str] = ()) -> Any:
    """Make the controls, and below them what is chosen; displayed in JupyterLab.

    Parameters
    ----------
    name : str
        The name in `offered` that is shown first.
    out : names
        Systems that are left out at first, if the campaign has them.
    """
    import ipywidgets as widgets

    names = widgets.Dropdown(
        options=offered(), value=name, description="campaign", layout=WIDE
    )
    shown = widgets.interactive_output(
        _controls, {"name": names, "out": widgets.fixed(out)}
    )
    return widgets.VBox([names, shown])


def _controls(name: str, out: Collection[str] = ()) -> Any:
    """Display the controls of a subject; they show a choice and the code for it."""
    import ipywidgets as widgets
    from IPython.display import display

    chosen = campaigns.load_subject(name)
    names = ranked(chosen).names
    systems = widgets.SelectMultiple(
        options=names,
        value=[name for name in names if name in out],
        rows=12,
        layout=WIDE,
    )
    controls: dict[str, Any] = {
        "divisor": widgets.FloatSlider(1, min=1, max=10, step=0.25),
        "test": [*TESTS[::-1]],
        "rule": [*RULES[::-1]],
    }
    if chosen.scorer:  # counts have no scores to divide and test
        controls = {}

    def update(**choices: Any) -> None:
        try:
            show(chosen, **choices)
        except DataError as error:
            print(error)
        values = "".join(f", {key}={value!r}" for key, value in choices.items())
        print(f"explore.show(campaigns.load_subject({name!r}){values})")

    display(widgets.interactive(update, out=systems, references=True, **controls))
