"""Move a ranking by hand: what a choice does to it, as a picture that follows at once.

`compare_with_released` holds the ranking that somebody chooses against the ranking as
released, `draw` shows both, `sentence` says it in words, and `explorer` has the
controls for JupyterLab.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from study import campaigns, coded_campaigns
from study.data import ranking_releases
from study.data.sources import (
    LATER_RELATIVE,
    RELATIVE_CAMPAIGNS,
    Source,
    mirror_folder,
    resolve,
)
from wmtlib.assessments import Campaign, encode
from wmtlib.cluster_lines import RULES, RankedClusters, rank_campaign
from wmtlib.counts import REFERENCE, Counts
from wmtlib.errors import DataError
from wmtlib.methods import METHODS, Order, Score, Settings
from wmtlib.pairwise_tests import TESTS
from wmtlib.reading.read import read
from wmtlib.stability import differences

SEGMENTS = "segments averaged first"
SHARE = "share of wins"
P = "p-value"
DIFFERENCE = "difference of mean z"
SCORERS = (
    *(name for name, method in METHODS.items() if isinstance(method, Score | Order)),
    "bradley-terry",
)
SIGNS = ("one-sided", "two-sided")  # the sign tests of relative rankings


@dataclass(frozen=True, eq=False)
class Subject:
    """One language pair: relative rankings, or direct assessment.

    Attributes
    ----------
    label : str
    data : Counts or Campaign
    humans : tuple of names
        The human translations among the systems.
    scorer : str
        The method that ranks relative rankings officially; "" for direct assessment.
    """

    label: str
    data: Counts | Campaign
    humans: tuple[str, ...] = ()
    scorer: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that can be left out, sorted."""
        return tuple(name for name in self.data.systems if name != REFERENCE)

    @property
    def released(self) -> "Choice":
        """Everything in, scored and tested as WMT did."""
        return Choice(scorer=self.scorer, heatmap=SHARE if self.scorer else P)

    @property
    def options(self) -> dict[str, tuple[str, ...]]:
        """The names in `Choice` that have a list of values, and the list."""
        weightings = (SEGMENTS, "every judgement alike")
        lists = {"test": TESTS, "weighting": weightings, "heatmap": (P, DIFFERENCE)}
        if self.scorer:
            lists = {"scorer": SCORERS, "test": SIGNS, "heatmap": (SHARE, P)}
        return {**lists, "rule": RULES}


@dataclass(frozen=True)
class Choice:
    """The systems, judgements and methods that a person chooses.

    Attributes
    ----------
    out : frozenset of names
        Systems as though they had never been judged.
    references : bool
        Whether REF items, or comparisons with the reference, count.
    divisor : float
        Of the scores of human systems and REF items; direct assessment.
    weighting, scorer, test, rule, heatmap : str
        See `Subject.options`.
    """

    out: frozenset[str] = frozenset()
    references: bool = True
    divisor: float = 1.0
    weighting: str = SEGMENTS
    scorer: str = ""
    test: str = "one-sided"
    rule: str = "official"
    heatmap: str = P


@dataclass(frozen=True)
class RankingChange:
    """The ranking as released, and as chosen.

    Attributes
    ----------
    subject, choice
    before, after : RankedClusters
        Of all systems; those left out are not in the order of `after`.
    heatmap : DataFrame, ranked x ranked
        What the choice's `heatmap` names, in the order of `after`.
    changes : dict
        See `stability.differences`; of the systems that are left.
    """

    subject: Subject
    choice: Choice
    before: RankedClusters
    after: RankedClusters
    heatmap: pd.DataFrame
    changes: dict[str, Any]


def choose(subject: Subject, *, out: Iterable[str] = (), **changes: Any) -> Choice:
    """The released choice with some changes; refuses what the subject does not have."""
    choice = replace(subject.released, out=frozenset(out), **changes)
    for name, allowed in subject.options.items():
        value = getattr(choice, name)
        if value not in allowed:
            raise DataError(f"{name} is {value!r}; expected {', '.join(allowed)}")
    unknown = sorted(choice.out - {*subject.systems})
    if unknown:
        raise DataError(
            f"system is {unknown[0]!r}; expected {', '.join(subject.systems)}"
        )
    if not 1 <= choice.divisor <= 10:
        raise DataError(
            f"divisor is {choice.divisor!r}; expected a number from 1 to 10"
        )
    return choice


def ranked(subject: Subject, choice: Choice) -> RankedClusters:
    """The ranking of a choice.

    Fewer than two systems, or one without data, raise `DataError`.
    """
    campaign = subject.data
    if isinstance(campaign, Counts):
        return _relative(subject.systems, campaign, choice)
    humans = campaign.is_system(subject.humans)
    human_rows = campaign.rows_of(humans, items=("REF",), paired=False)
    unranked = campaign.is_system(choice.out)
    items = () if choice.references else ("REF",)
    return rank_campaign(
        campaign.divided(human_rows, choice.divisor),
        test=choice.test,
        rule=choice.rule,
        scales_from=~campaign.rows_of(unranked, items=items, paired=False),
        unranked=unranked,
        average_segments=choice.weighting == SEGMENTS,
    )


def _relative(
    systems: tuple[str, ...], counts: Counts, choice: Choice
) -> RankedClusters:
    """Of relative rankings; sign test of each pair."""
    from scipy.special import bdtr

    number = len({*systems} - choice.out)
    if number < 2:
        raise DataError(f"{number} system(s) would be left; expected two or more")
    left_out = {*choice.out}
    if not choice.references:
        left_out.add(REFERENCE)
    method = METHODS[choice.scorer]
    ranking = method.rank(counts.without(*left_out), Settings(REFERENCE))
    won = counts.without(REFERENCE).wins.to_numpy()
    p = bdtr(won.T, won + won.T, 0.5)
    if choice.test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    return RankedClusters(
        systems,
        pd.Index(systems).get_indexer(ranking.order),
        ranking.column("score").reindex(systems).to_numpy(),
        p,
        choice.rule,
    )


def compare_with_released(subject: Subject, choice: Choice) -> RankingChange:
    """Hold a choice against the ranking as released, of the systems that are left."""
    before = ranked(subject, subject.released)
    after = ranked(subject, choice)
    before = before.restricted(np.isin(np.arange(len(subject.systems)), after.order))
    values = after.p
    if choice.heatmap == DIFFERENCE:
        values = np.subtract.outer(after.score, after.score)
    elif isinstance(subject.data, Counts) and choice.heatmap == SHARE:
        wins = subject.data.without(REFERENCE).wins
        values = (wins / (wins + wins.T)).to_numpy()
    heatmap = pd.DataFrame(values, subject.systems, subject.systems)
    return RankingChange(
        subject=subject,
        choice=choice,
        before=before,
        after=after,
        heatmap=heatmap.loc[after.names, after.names],
        changes=differences(before, after),
    )


def draw(change: RankingChange, axes: Sequence[Any]) -> None:
    """Both rankings, lines that cross in colour, and the heatmap of all pairs."""
    import seaborn

    from study import pictures

    order = change.before.names
    size = len(order)
    places = pd.DataFrame(index=order)
    lines_below = pd.DataFrame(index=order)
    for side, clusters in [
        ("as released", change.before),
        ("as chosen", change.after),
    ]:
        places[side] = pd.Series(range(1, size + 1), clusters.names)
        lines_below[side] = pd.Series(clusters.lines, clusters.names)
    ax = pictures.rank_lines(places, lines_below, axes[0])
    ax.set_title(f"pairs in another order: {change.changes['kendall']}")
    ax.set_ylim(size + 0.5, 0.5)  # its rows are those of the heatmap
    kind = change.choice.heatmap
    largest = np.nanmax(change.heatmap.abs()) if kind == DIFFERENCE else 1
    seaborn.heatmap(
        change.heatmap.set_axis(range(1, size + 1), axis=1),
        mask=np.eye(size, dtype=bool),
        cmap="mako" if kind == P else "vlag_r",
        vmin=-largest if kind == DIFFERENCE else 0,
        vmax=largest,
        xticklabels=True,
        yticklabels=True,
        ax=axes[1],
    )
    axes[1].set_title(f"{kind}: row against column")


def sentence(change: RankingChange) -> str:
    """The choice and what it changes, in words: the text alternative of the picture."""
    choice = change.choice
    changes = change.changes
    number = len(change.subject.systems)
    choices = f"{change.subject.label}: {len(change.after.order)} of {number} systems"
    if choice.out:
        choices += f", without {', '.join(sorted(choice.out))}"
    if not choice.references:
        choices += ", references left out"
    if choice.divisor != 1:
        choices += f", scores of humans and references divided by {choice.divisor:g}"
    order = "The order of all pairs of systems stays"
    if changes["swaps"]:
        pairs = changes["swaps"].replace(" > ", " falls below ")
        order = (
            f"Pairs of systems that change order: {changes['kendall']}"
            f" (neighbours: {pairs})"
        )
    kinds = [kind for kind in ("new", "gone") if changes[f"lines_{kind}"]]
    lines = [f"Lines {kind}: {changes[f'lines_{kind}']}" for kind in kinds]
    return f"{'. '.join([choices, order, *(lines or ['The lines stay'])])}."


def live() -> bool:
    """Whether a person runs this cell: only requests of JupyterLab name the cell."""
    from IPython import get_ipython

    request: dict = getattr(get_ipython(), "get_parent", dict)()
    return "cellId" in request.get("metadata", {})


def code(name: str, choice: Choice, released: Choice) -> str:
    """The lines of Python that make the same ranking.

    Parameters
    ----------
    name : str
        A campaign and its task, or a file: what `subject` takes.
    """
    arguments = ["subject"]
    for field, value in vars(choice).items():
        if value != getattr(released, field):
            shown = sorted(value) if field == "out" else value
            arguments.append(f"{field}={shown!r}")
    lines = [
        "from study import explore",
        f"subject = explore.subject({name!r})",
        f"choice = explore.choose({', '.join(arguments)})",
        "change = explore.compare_with_released(subject, choice)",
        "print(explore.sentence(change))",
    ]
    return "\n".join(lines)


def explorer(
    name: str, load: Callable[[str], Subject], offered: Sequence[str] = ()
) -> Any:
    """Controls, and beside them the picture of a choice; to be displayed in JupyterLab.

    Parameters
    ----------
    name : str
        What is shown first.
    load : callable
        The subject of a campaign and its task, or of a file, by its name.
    offered : sequence of str
        The names that can be had here.
    """
    import ipywidgets as widgets

    data = widgets.Combobox(
        description="campaign",
        options=offered,
        value=name,
        continuous_update=False,
        tooltip="a campaign and its task, or the path of a file",
    )
    box = widgets.HBox()

    def change_data(_change: object) -> None:
        try:
            subject = load(data.value)
        except (DataError, OSError) as error:
            box.children = (data, widgets.Label(str(error)))
            return
        column, picture = _panel(subject, data.value)
        column.children = (data, *column.children)
        box.children = (column, picture)

    data.observe(change_data, "value")
    change_data(None)
    return box


def _panel(subject: Subject, name: str) -> tuple[Any, Any]:
    """The controls of a subject, one below the other, and the picture of a choice."""
    import ipywidgets as widgets
    import matplotlib.pyplot as plt

    released = ranked(subject, subject.released)
    controls: dict[str, Any] = {
        "out": widgets.SelectMultiple(
            description="leave out",
            options=released.names,
            rows=len(released.names),
            tooltip="Ctrl-click for several",
        ),
        "references": widgets.Checkbox(True, description="references count"),
    }
    if not subject.scorer:
        controls["divisor"] = widgets.FloatSlider(
            1, min=1, max=10, step=0.25, description="divisor"
        )
    for key, values in subject.options.items():
        value = getattr(subject.released, key)
        controls[key] = widgets.Dropdown(description=key, options=values, value=value)
    lines = widgets.Textarea(description="as code", layout=widgets.Layout(height="9em"))
    save = widgets.Button(description="save picture")

    def write(_button: object) -> None:
        path = re.sub(r"\W+", "-", f"ranking {subject.label}") + ".png"
        save.figure.savefig(path)
        save.tooltip = f"written: {path}"

    def show(**choices: Any) -> None:
        try:
            choice = choose(subject, **choices)
            change = compare_with_released(subject, choice)
        except DataError as error:
            print(error)
            return
        size = (12, 1.8 + 0.23 * len(subject.systems))
        fig, axes = plt.subplots(1, 2, figsize=size, layout="none")  # twice as fast
        fig.subplots_adjust(left=0.12, right=0.98, top=0.94, bottom=0.06, wspace=0.8)
        draw(change, axes)
        plt.show()
        print(sentence(change))
        lines.value = code(name, choice, subject.released)
        save.figure = fig

    save.on_click(write)
    column = widgets.VBox([*controls.values(), save, lines])
    column.layout.flex = "0 0 21em"
    return column, widgets.interactive_output(show, controls)


# --- what can be moved ----------------------------------------------------------------


def load_subject(campaign: str, language_pair: str, *, source: Source) -> Subject:
    """A language pair of a campaign, or a task of relative rankings, for the explorer.

    An unknown one raises `DataError`.
    """
    if campaign in RELATIVE_CAMPAIGNS:
        counts = ranking_releases.load_counts(
            campaign, language_pair, source="embedded"
        )
        official = "expected-wins" if campaign == "wmt12" else "wmt-official"
        label = ranking_releases.label(campaign, language_pair)
        return Subject(label, counts, scorer=official)
    release = coded_campaigns.load_release(campaign, language_pair, source=source)
    return Subject(release.label, release.coded, humans=tuple(release.humans))


def offered() -> list[str]:
    """The names of the campaigns and tasks that `subject` can give here."""
    names = campaigns.available()["name"]
    return [name for name in names if not name.startswith(LATER_RELATIVE)]


def subject(name: str) -> Subject:
    """What the explorer moves: a campaign's task such as `wmt12:cs-en`, or a file.

    Raises
    ------
    DataError
        The campaign or the task is unknown, or the file cannot be read.
    """
    if not Path(name).exists():
        campaign, _, task = name.partition(":")
        source = resolve("mirror" if mirror_folder() else "embedded")
        return load_subject(campaign, task, source=source)
    judgements = read(name)
    label = Path(name).name
    if judgements.comparisons is None:
        return Subject(label, encode(judgements))
    return Subject(label, judgements.counts, scorer="expected-wins")
