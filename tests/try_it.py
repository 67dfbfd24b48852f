"""What the notebooks propose under "Try it", and how it is tried.

The code cells run in this process with the change, without pictures on a screen:
without the raw files, as everybody can, and with them where they are at hand and what
is kept of `make reproduce` makes it quick. The tests are in tests/notebooks/, in a file
for each paper, so that several processes share them.
"""

import ast
from functools import wraps

import matplotlib
import nbformat
import pytest
from matplotlib import pyplot as plt

from study import hopkins2013
from study.beyond import cycles
from study.data.sources import ROOT
from study.hopkins2013 import irt, section_8
from study.hopkins2013.variants import fit_collapsed
from study.knowles2021 import section_8 as simulation

NOTEBOOKS = ROOT / "notebooks"
FIVE = ["bbn-combo", "cmu-heafield-combo", "onlineB", "rwth"]
# Notebook, parameters (of 00: a text and what replaces it), the only source.
PROPOSED = [
    ("00-index", {'"wmt10", "fr-en"': '"wmt10", "cs-en"'}),
    ("00-index", {'"wmt10", "fr-en"': '"wmt12", "fr-en"'}),
    ("01-data", {"source": "embedded"}),
    ("10-tournaments", {"systems": FIVE}),
    (
        "10-tournaments",
        {"systems": ["bbn-combo", "cmu", "cmu-heafield-combo", "rwth", "umd"]},
    ),
    ("10-tournaments", {"campaign": "wmt10-crowd"}),
    ("11-one-task", {"campaign": "wmt11", "task": "en-cs-individual"}),
    ("11-one-task", {"systems": ["cu-zeman", "geneva"]}),
    ("11-one-task", {"campaign": "wmt12", "task": "cs-en"}),
    ("12-all-tasks", {"closer_look": "2010 German-English"}),
    ("12-all-tasks", {"closer_look": "2012 Czech-English"}),
    ("12-all-tasks", {"source": "embedded"}),
    ("13-cycles", {"campaign": "wmt10", "task": "en-cs"}),
    ("13-cycles", {"seed": 1}),
    ("13-cycles", {"source": "embedded"}),
    ("20-perplexity", {"seed": 1}),
    ("20-perplexity", {"trials": 20}),
    ("20-perplexity", {"source": "embedded"}),
    ("21-abilities", {"size": 400}),
    ("21-abilities", {"campaign": "wmt12", "task": "en-cs"}),
    ("21-abilities", {"trials": 20}),
    ("23-which-model", {"seed": 1}),
    ("23-which-model", {"n_resamples": 100}),
    ("23-which-model", {"sizes": [50, 100, 200, 400]}),
    ("30-rankings", {"language_pair": "en-et"}),
    ("30-rankings", {"campaign": "wmt22", "language_pair": "zh-en"}),
    ("30-rankings", {"n_resamples": 1000}),
    ("31-stability", {"campaign": "wmt17"}),
    ("31-stability", {"campaign": "wmt22"}),
    ("32-case-studies", {"language_pair": "en-cs"}),
    ("32-case-studies", {"campaign": "wmt22", "language_pair": "de-en"}),
    ("33-simulation", {"calibration": 25}),
    ("33-simulation", {"seeds": 20}),
    ("40-your-data", {"path": "examples/assessments.csv", "scale": [0, 100]}),
    ("40-your-data", {"unit": "comparison"}),
    ("40-your-data", {"methods": ["all"]}),
    ("50-explore", {"out": ["cu-zeman"]}),
    ("50-explore", {"references": False}),
    (
        "50-explore",
        {"campaign": "wmt21", "language_pair": "de-en", "out": ["HUMAN.0"]},
        "mirror",
    ),
    (
        "50-explore",
        {"campaign": "wmt21", "language_pair": "de-en", "out": ["HUMAN"]},
        "embedded",
    ),
    (
        "50-explore",
        {"campaign": "wmt21", "language_pair": "de-en", "out": [], "divisor": 2},
    ),
    (
        "50-explore",
        {"campaign": "wmt12", "language_pair": "cs-en", "out": ["uedin-wmt12"]},
    ),
    ("60-wmt16-official", {"seed": 1}),
    ("60-wmt16-official", {"n_runs": 100}),
    ("60-wmt16-official", {"source": "embedded"}),
    ("61-how-few", {"campaign": "wmt10", "task": "cs-en"}),
    ("61-how-few", {"campaign": "wmt11", "task": "en-cs-individual"}),
    ("62-honest-line", {"campaign": "simulated-sr-dc qa-qc (simulated)"}, "embedded"),
    (
        "63-second-campaign",
        {"campaign": "simulated-sr-dc qa-qc (simulated)"},
        "embedded",
    ),
    ("63-second-campaign", {"seed": 1}),
    ("64-what-is-alike", {"campaign": "simulated-sr+dc qa-qc (simulated)"}, "embedded"),
    (
        "65-hit-or-annotator",
        {"campaign": "simulated-sr-dc qa-qc (simulated)"},
        "embedded",
    ),
    ("65-hit-or-annotator", {"seed": 1}),
    ("66-printed-ranks", {"task": "simulated pairwise"}, "embedded"),
    ("66-printed-ranks", {"seed": 1}),
    ("66-printed-ranks", {"resamples": 1000, "worlds": 2}),
    ("67-humans-or-chance", {"campaign": "wmt17"}),
    ("67-humans-or-chance", {"seed": 1}),
    ("67-humans-or-chance", {"seeds": 20}),
]
# Notebooks of hundreds of fits or campaigns: `less_work` shortens what they do many
# times, and with the raw files they are not tried.
LONG = (
    "13-cycles",
    "20-perplexity",
    "21-abilities",
    "23-which-model",
    "31-stability",
    "33-simulation",
    "60-wmt16-official",
    "61-how-few",
    "62-honest-line",
    "63-second-campaign",
    "65-hit-or-annotator",
    "66-printed-ranks",
    "67-humans-or-chance",
)
SHORTER = {
    "task.counts.comparisons < 25_000": "task.counts.comparisons < 12_000",
    "[*sources.RELATIVE_CAMPAIGNS]": '["wmt10-crowd"]',
}
FEWER = {
    "13-cycles": {"n_worlds": 39},
    "23-which-model": {"trials": 2},
    "33-simulation": {"seeds": 10, "checked_on": 10},
    "62-honest-line": {"shuffles": 20},
    "63-second-campaign": {"divisions": 2},
    "65-hit-or-annotator": {"divisions": 2, "shuffles": 2},
    "66-printed-ranks": {"worlds": 2, "resamples": 40},
    "67-humans-or-chance": {"seeds": 10, "n_resamples": 10},
}
TRACKS = ("cs-en", "fr-en")


def less_work(monkeypatch):
    """Short chains; two tracks a campaign, three worlds of protocols, few of cycles."""
    for fit in (irt.fit_gaussian_each, irt.fit_categorical_each, fit_collapsed):
        monkeypatch.setitem(fit.__kwdefaults__, "iterations", 20)
        monkeypatch.setitem(fit.__kwdefaults__, "burn_in", 5)
    monkeypatch.setitem(section_8.grid.__kwdefaults__, "sizes", (100, 3200))
    monkeypatch.setattr(cycles, "DRAWS", 2)
    untuned = hopkins2013.untuned
    worlds = simulation.simulate_worlds

    def some_tracks(tracks):
        return [track for track in untuned(tracks) if track.task.startswith(TRACKS)]

    @wraps(worlds)
    def some_worlds(seeds, **options):
        return worlds(seeds[:3], **options)

    monkeypatch.setattr(hopkins2013, "untuned", some_tracks)
    monkeypatch.setattr(simulation, "simulate_worlds", some_worlds)


def execute(notebook, changes):
    """Run the code cells in order; what a cell ends with is shown as text, as in a
    notebook.
    """
    scope = {"__name__": "__main__", "display": print}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        source = cell.source
        for old, new in changes.items():
            source = source if old.isidentifier() else source.replace(old, new)
        tree = ast.parse(source)
        shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), scope)
        if shown is not None:
            print(eval(compile(ast.Expression(shown.value), "cell", "eval"), scope))
        if "parameters" in cell.metadata.get("tags", []):
            assert {name for name in changes if name.isidentifier()} <= {*scope}
            scope |= changes
    return scope


def cases(digits):
    """The proposals of the notebooks whose numbers begin with one of the digits."""
    for name, changes, *only in PROPOSED:
        if name[0] not in digits or changes == {"source": "embedded"}:
            continue  # of another file; what nbval runs
        words = f"{name}-{'-'.join(map(str, changes.values()))}"
        if "mirror" not in only:
            yield pytest.param(name, changes, "embedded", id=words)
        long = name in LONG or {"seed", "n_resamples"} & {*changes}
        # The counts of Lopez's tasks are the real ones without the raw files, too.
        same = name[0] == "1" or "source" in changes
        if not (long or same or "embedded" in only):
            raw = pytest.mark.realdata
            yield pytest.param(name, changes, "mirror", id=f"{words}-raw", marks=raw)


def tried(name, changes, source, kept, monkeypatch):
    """Run a notebook with a change; what it keeps goes to the folder `kept`."""
    matplotlib.use("agg")
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    if name in LONG and source == "embedded":
        less_work(monkeypatch)
        monkeypatch.setenv("WMTLIB_KEPT", str(kept))
        changes = SHORTER | FEWER.get(name, {}) | changes
    monkeypatch.setenv("WMTLIB_SOURCE", source)
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    with plt.rc_context():
        scope = execute(notebook, changes)
    plt.close("all")
    return scope
