"""The controls of 50-explore, for JupyterLab."""

from html import escape
from pathlib import Path

import ipywidgets as w
from IPython import get_ipython

from wmtlib.errors import DataError
from wmtlib.study.releases.sources import Source
from wmtlib.yours.explore.choices import Choice, as_code, campaigns_at_hand, load_subject, options
from wmtlib.yours.explore.picture import svg
from wmtlib.yours.explore.what_if import compare_with_released, released_view, sentence
from wmtlib.zscores import Campaign


def live() -> bool:
    """Whether a person runs this cell in JupyterLab: its requests name the cell, others do not."""
    request = getattr(get_ipython(), "get_parent", dict)()
    return "cellId" in request.get("metadata", {})


class Explorer:
    """Widgets for a choice, the picture of it, and the choice as code to copy.

    The campaign may be the path of a file, the pair one of its tasks or "".

    Attributes
    ----------
    box : Widget
        To be displayed; it holds
    campaign, pair : Dropdown
    lists : dict of str to Dropdown
        The other choices, by name.
    systems : dict of str to Checkbox
    divisor : FloatSlider
    controls : VBox
        All of the above for one pair.
    status, picture : HTML
    code : Textarea
    change : RankingChange
        In the picture.
    """

    def __init__(self, campaign: str, pair: str, *, source: str | Source) -> None:
        self._source, self._pairs = source, campaigns_at_hand(source)
        if Path(campaign).is_file():
            self._pairs = {campaign: [pair], **self._pairs}
        if pair not in self._pairs.get(campaign, ()):
            raise DataError(f"no language pair {pair!r} in campaign {campaign!r} is at hand")
        self.campaign = w.Dropdown(description="campaign", options=[*self._pairs], value=campaign)
        self.pair = w.Dropdown(description="pair", options=self._pairs[campaign], value=pair)
        self.controls, self.status, self.picture = w.VBox(), w.HTML(), w.HTML()
        self.code = w.Textarea(rows=4, layout=w.Layout(width="95%"), description="as code")
        lists = w.HBox([self.campaign, self.pair])
        self.box = w.VBox([lists, self.controls, self.status, self.picture, self.code])
        self.campaign.observe(self._other_campaign, "value")
        self.pair.observe(self._load, "value")
        self._load()

    def _other_campaign(self, change: dict) -> None:
        self.pair.unobserve(self._load, "value")  # until one of the new pairs is chosen
        self.pair.options = self._pairs[change["new"]]
        self.pair.observe(self._load, "value")
        self._load()

    def _load(self, change: dict | None = None) -> None:
        """Load the pair and make its controls."""
        self._show_status("loading ...")
        try:
            self._subject = load_subject(self.campaign.value, self.pair.value, source=self._source)
        except DataError as error:
            self.controls.children, self.picture.value = (), ""
            return self._show_status(str(error))
        start = self._subject.released
        self.lists = {
            name: w.Dropdown(description=name, options=found, value=getattr(start, name))
            for name, found in options(self._subject).items()
        }
        self.systems = {name: _tick(name) for name in released_view(self._subject).order}
        self.divisor = w.FloatSlider(1, min=1, max=10, step=0.25, description="divisor")
        again = w.Button(description="as released", tooltip="everything in, as WMT did")
        again.on_click(self._load)
        direct = isinstance(self._subject.data, Campaign)
        self._references = _tick("references (REF)" if direct else "comparisons with reference")
        settings = [*self.lists.values(), *([self.divisor] if direct else [])]
        ticks = [*self.systems.values(), self._references]
        for control in [*ticks, *settings]:
            control.observe(self._redraw, "value")
        wrap = w.Layout(flex_flow="row wrap")
        rows = [[*settings, again], ticks]
        self.controls.children = [w.Box(row, layout=wrap) for row in rows]
        self._redraw()

    def _redraw(self, change: dict | None = None) -> None:
        out = frozenset(name for name, tick in self.systems.items() if not tick.value)
        choice = Choice(
            out=out,
            references=self._references.value,
            divisor=self.divisor.value,
            **{name: control.value for name, control in self.lists.items()},
        )
        try:
            self.change = compare_with_released(self._subject, choice)
        except DataError as error:
            return self._show_status(str(error))
        self.picture.value = svg(self.change)
        self.code.value = as_code(self.campaign.value, self.pair.value, self._subject, choice)
        self._show_status(sentence(self.change))

    def _show_status(self, words: str) -> None:
        self.status.value = f'<p role="status" aria-live="polite">{escape(words)}</p>'


def _tick(name: str) -> w.Checkbox:
    return w.Checkbox(True, description=name, indent=False, layout=w.Layout(width="220px"))
