"""The organisers' own tables: worker scales, means, rankings, clusters, significance."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, DataUnavailable, Origin
from wmtlib.study.releases.text_tables import numbers, read_fields, read_table

Opener = Callable[[str], tuple[bytes, Origin] | None]  # content and origin of a file, by its name

SEGMENTS = {"SYS": "system", "SID": "segment", "RAW.SCR": "raw", "Z.SCR": "z", "N": "judgements"}
SYSTEMS = {"SYS": "system", "RAW.SCR": "raw", "Z.SCR": "z", "N": "segments", "N.ALL": "judgements"}
TEXT = ("system", "segment")
DECIMALS = ("raw", "z")  # the other columns hold whole numbers


def read_scales(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-XXYY-trk-mean-sd.txt`: R's print of worker, mean, standard deviation (or NA).

    Returns
    -------
    DataFrame
        Indexed by the released worker: `mean`, `sd` (NaN for NA), with 7 significant digits.
    """
    fields = read_fields(data, origin)  # [1] "worker", [1] mean, [1] sd, and so on
    if not fields or len(fields) % 3 or any(row[0] != "[1]" or len(row) != 2 for row in fields):
        raise origin.refuse(None, "expected three lines [1] ... for each worker")
    names, mean, sd = ([value for _, value in fields[k::3]] for k in range(3))
    table = pd.DataFrame({"mean": mean, "sd": sd}, index=pd.Index(names, name="worker"))
    return table.replace("NA", np.nan).astype(np.float64)


def read_means(data: bytes, columns: dict[str, str], origin: Origin) -> pd.DataFrame:
    """Read official means: of segments (columns `SEGMENTS`) or of systems (`SYSTEMS`).

    Returns
    -------
    DataFrame
        The columns renamed and in the order given; names are text, the rest numbers.
    """
    table = read_table(data, list(columns), origin).rename(columns=columns)
    key = [c for c in columns.values() if c in TEXT]
    if (twice := table.duplicated(key)).any():
        what = f"the {' and '.join(key)} stood there before"
        raise origin.refuse(int(np.argmax(twice)), what)
    return _typed(table, origin)


def _typed(table: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Names as text, means as decimal numbers, everything else as whole numbers."""
    columns = {}
    for name in table.columns:
        if name in TEXT:
            columns[name] = table[name].astype(str)
        else:
            values = numbers(table[name], name, origin)
            columns[name] = values if name in DECIMALS else values.astype(np.int64)
    return pd.DataFrame(columns)


def read_ranking(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-sys-ranking-XX-YY-z.csv`: best first; two and three digits.

    Returns
    -------
    DataFrame
        system, raw, z, segments, judgements.
    """
    columns = ["raw", "z", "segments", "judgements", "system"]
    origin = Origin(origin.name, range(1, data.count(b"\n") + 2))  # there is no header
    table = read_table(data, columns, origin, header=False)
    return _typed(table[["system", *columns[:-1]]], origin)


def read_clusters(data: bytes, language_pair: str, origin: Origin) -> pd.DataFrame:
    """Read one language pair of `clusters.csv`.

    Returns
    -------
    DataFrame
        system, cluster_start: the first rank of its cluster, so the same for all systems of one.
    """
    table = read_table(data, ["SRC", "TRG", "SYSTEM", "CLUSTER_START"], origin)
    source, _, target = language_pair.partition("-")
    table = table[(table["SRC"] == source) & (table["TRG"] == target)].reset_index(drop=True)
    if table.empty:
        raise origin.refuse(None, f"no {language_pair}")
    names = {"SYSTEM": "system", "CLUSTER_START": "cluster_start"}
    return _typed(table[[*names]].rename(columns=names), origin)


def read_p_values(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `adwilcox-XXYY.csv`: p that the system of the row is better than that of the column.

    Returns
    -------
    DataFrame, shape (systems, systems)
        0.12 stands for everything that is not significant, the diagonal included. Systems that
        are named by their file (`newstest2020.en-de.OPPO.1535.sgm`) have it taken off.
    """
    names, *rows = read_fields(data, origin) or [[]]
    if [row[0] for row in rows] != names or any(len(row) != len(names) + 1 for row in rows):
        raise origin.refuse(None, "expected a matrix with the same systems in rows and columns")
    try:
        values = np.array([row[1:] for row in rows], dtype=np.float64)
    except ValueError as error:
        raise origin.refuse(None, f"expected numbers ({error})") from None
    names = [re.sub(r"^newstest\d+\.\w\w-\w\w\.(.+)\.sgm$", r"\1", name) for name in names]
    return pd.DataFrame(values, index=names, columns=names)


# --- by the name of the outcome ------------------------------------------------------------------

OUTCOME_FILES = {
    "z": "ad-sys-ranking-{pair}-z.csv",
    "systems": "ad-sys-scores-{pair}.csv",
    "clusters": "clusters.csv",
    "p-values": "adwilcox-{code}.csv",
}


def file_name(language_pair: str, outcome: str) -> str:
    """Name of the file of an official outcome; see `assessment_releases.load_official`.

    Raises
    ------
    DataError
        The outcome is unknown.
    """
    if outcome not in OUTCOME_FILES:
        raise DataError(f"no outcome {outcome!r}; expected one of {', '.join(OUTCOME_FILES)}")
    return OUTCOME_FILES[outcome].format(pair=language_pair, code=language_pair.replace("-", ""))


def read_outcome(language_pair: str, outcome: str, open_file: Opener) -> pd.DataFrame:
    """An official outcome; see `assessment_releases.load_official`."""
    if (opened := open_file(file_name(language_pair, outcome))) is None:
        raise DataUnavailable(f"{language_pair}: no {outcome!r} is public")
    data, origin = opened
    if outcome == "clusters":
        return read_clusters(data, language_pair, origin)
    if outcome == "systems":
        return read_means(data, SYSTEMS, origin)
    return (read_p_values if outcome == "p-values" else read_ranking)(data, origin)
