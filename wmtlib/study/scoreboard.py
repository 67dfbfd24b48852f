"""Published numbers beside ours: the scoreboard.

`data/published/<paper>.csv` holds what a paper prints: item (such as "table-2"), quantity,
published (as printed), place (where in the text) and the notebook that computes our value.
`compare` says how the two relate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from wmtlib.releases.sources import ROOT, Source
from wmtlib.releases.storage import write_csv
from wmtlib.study.folders import list_written, output_folder

PUBLISHED = ROOT / "data" / "published"
SCOREBOARD = [
    "paper",
    "item",
    "quantity",
    "published",
    "reproduced",
    "status",
    "reason",
    "source",
    "signature",
]
VERDICTS = ("holds", "holds-partly", "does-not-hold")
STATUSES = {
    "exact": "the same as printed",
    "rounded": "the same at the printed number of decimals",
    "consistent": "a printed count of which some cases are absent here; those at hand agree",
    "holds": "a claim of the prose of which every stated comparison came out",
    "holds-partly": "a claim of which some comparisons came out and some did not",
    "does-not-hold": "a claim of which no comparison came out",
    "known-difference": "not the same as printed, and what was printed instead is computed too",
    "not-checkable": "the data or the program to compute it are not to be had here",
    "unexplained": "not the same as printed, and nobody has said why",
}

Value = int | float | str


@dataclass(frozen=True)
class Noted:
    """A value with a remark that belongs beside it."""

    value: Value
    note: str


@dataclass(frozen=True)
class Explained:
    """Our value, and another computed quantity that the printed number really is.

    The reason holds only as long as `printed_is` comes out as printed and `value` does not.
    """

    value: Value
    printed_is: Value
    reason: str


@dataclass(frozen=True)
class Verdict:
    """A claim of the prose, judged by computed comparisons.

    Attributes
    ----------
    parts : mapping of what the claim says, in parts, to whether each came out
    value : what was computed, as shown
    """

    parts: Mapping[str, bool]
    value: str

    @property
    def status(self) -> str:
        """It holds if all parts do, holds partly if some do."""
        held = [bool(part) for part in self.parts.values()]
        return "holds" if all(held) else "holds-partly" if any(held) else "does-not-hold"

    @property
    def reason(self) -> str:
        return "; ".join(f"{'yes' if held else 'no'}: {part}" for part, held in self.parts.items())


@dataclass(frozen=True)
class NotCheckable:
    """Why no value can be computed here; `value` is what the data at hand do say, if anything."""

    reason: str
    value: Value = ""


@dataclass(frozen=True)
class Partial:
    """A count "k/n" of which some cases are at hand and the rest, named in `absent`, are not.

    What is printed is consistent with ours if the absent cases can make up the difference.
    """

    found: int
    of: int
    absent: str

    def judge(self, printed: str) -> tuple[str, str]:
        """Status and reason beside a printed "k/n"; all n cases at hand must give k exactly."""
        found, of = (int(number) for number in printed.split("/"))
        missing = of - self.of
        if not 0 <= found - self.found <= missing:
            return "unexplained", f"the {missing} absent cannot make up the difference"
        if not missing:
            return "exact", ""
        low, high = self.found, self.found + missing
        return "consistent", f"between {low}/{of} and {high}/{of}: absent are {self.absent}"


def load_published(paper: str) -> pd.DataFrame:
    """What a paper prints: item, quantity, published, place, notebook; all text."""
    return pd.read_csv(PUBLISHED / f"{paper}.csv", dtype=str, keep_default_na=False)


def relation(printed: str, value: Value) -> str | None:
    """How a value relates to what is printed.

    Numbers are equal ("exact"), or equal at the printed number of decimals ("rounded"). A printed
    bound such as ">0.5" is met or not. Text is compared without regard to case. None: no match.
    """
    if isinstance(value, str):
        return "exact" if value.casefold() == printed.casefold() else None
    if printed.startswith(">"):
        return "exact" if value > float(printed[1:]) else None
    if value == float(printed):
        return "exact"
    decimals = len(printed.partition(".")[2])
    return "rounded" if decimals and f"{value:.{decimals}f}" == printed else None


def judge(printed: str, computed: object) -> tuple[Value, str, str]:
    """Value, status and reason of one row of the scoreboard."""
    match computed:
        case NotCheckable(reason, value):
            return value, "not-checkable", reason
        case Verdict(_, value):
            return value, computed.status, computed.reason
        case Explained(value, printed_is, reason):
            if relation(printed, value):
                return value, "unexplained", f"the reason no longer applies: {reason}"
            if relation(printed, printed_is):
                return value, "known-difference", reason
            return value, "unexplained", f"the reason does not give the printed value: {reason}"
        case Partial(found, of):
            return f"{found}/{of}", *computed.judge(printed)
        case Noted(value, note):
            return value, relation(printed, value) or "unexplained", note
        case None:
            return "", "unexplained", "no value was computed"
        case value:
            return value, relation(printed, value) or "unexplained", ""


def compare(
    paper: str, notebook: str, computed: Mapping[tuple[str, str], object], *, source: Source
) -> pd.DataFrame:
    """Hold every published value of a paper that a notebook computes against ours.

    Parameters
    ----------
    paper : str
        Names `data/published/<paper>.csv`.
    notebook : str
        Which rows of that file are wanted.
    computed : mapping (item, quantity) -> number, text, `Noted`, `Explained`, `Verdict`,
        `Partial` or `NotCheckable`
    source : Source
        Where the data came from.

    Returns
    -------
    DataFrame
        Columns `SCOREBOARD`, in the order of the published file; status is one of `STATUSES`.

    Raises
    ------
    ValueError
        Something was computed that the published file does not name, or it names a row twice.
    """
    printed = load_published(paper).query("notebook == @notebook")
    keys = list(zip(printed["item"], printed["quantity"], strict=True))
    if odd := set(computed) - set(keys):
        raise ValueError(f"{notebook}: computed but not published: {sorted(odd)[0]}")
    if len(set(keys)) < len(keys):
        raise ValueError(f"{paper}: the published file names a row twice")
    rows = []
    for (item, quantity), text in zip(keys, printed["published"], strict=True):
        value, status, reason = judge(text, computed.get((item, quantity)))
        shown = format(value, ".6g") if isinstance(value, float) else str(value)
        where = signature(f"{paper}/{item}", source)
        rows.append([paper, item, quantity, text, shown, status, reason, source.kind, where])
    return pd.DataFrame(rows, columns=SCOREBOARD)


def signature(item: str, source: Source, **settings: object) -> str:
    """What a result depends on: item, data and their hash, settings, versions."""
    parts = [item, f"data={source.kind}:{source.sha256}"]
    parts += [f"{name}={value}" for name, value in settings.items()]
    parts += [f"{package}={version(package)}" for package in ("wmtlib", "numpy", "scipy")]
    return "|".join(parts)


def summary(scoreboard: pd.DataFrame) -> dict[str, int]:
    """Number of rows in all and by status."""
    counted = scoreboard["status"].value_counts()
    return {"published": len(scoreboard), **{s: int(counted.get(s, 0)) for s in STATUSES}}


def notebooks() -> list[str]:
    """Stems of the notebooks that compute published values."""
    published = [load_published(path.stem) for path in PUBLISHED.glob("*.csv")]
    return sorted({name for table in published for name in table["notebook"]})


def save_table(table: pd.DataFrame, name: str, source: Source) -> None:
    """Write results/<name>.csv, numbers to six decimals, below the folder the source allows."""
    path = output_folder(source, committed=True) / "results" / f"{name}.csv"
    write_csv(table.round(6), path)
    list_written(path)


def save_scoreboard(scoreboard: pd.DataFrame, notebook: str, source: Source) -> None:
    """Keep one notebook's part of the scoreboard until `join_scoreboards` puts them together."""
    path = output_folder(source, committed=False) / "scoreboard" / f"{notebook}.csv"
    write_csv(scoreboard, path)
    list_written(path)


def join_scoreboards(folder: Path) -> pd.DataFrame:
    """The scoreboard, from the parts that the notebooks left in a folder.

    The rows stand in the order of the published files; one that no notebook gave is unexplained.
    """
    parts = [folder / f"{name}.csv" for name in notebooks()]
    tables = [pd.read_csv(p, dtype=str, keep_default_na=False) for p in parts if p.exists()]
    found = pd.concat([pd.DataFrame(columns=SCOREBOARD), *tables], ignore_index=True)
    papers = sorted(path.stem for path in PUBLISHED.glob("*.csv"))
    every = pd.concat([load_published(p).assign(paper=p) for p in papers], ignore_index=True)
    keys = ["paper", "item", "quantity", "published"]
    joined = every[keys].merge(found, on=keys, how="left", validate="one_to_one")
    missing = joined["status"].isna()
    joined.loc[missing, ["status", "reason"]] = ["unexplained", "no notebook computed a value"]
    return joined.fillna("")[SCOREBOARD]
