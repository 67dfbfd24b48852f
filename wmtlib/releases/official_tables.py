"""The organisers' own tables: worker scales, means, rankings, clusters, significance."""

import itertools
import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError, DataUnavailable, Origin
from wmtlib.releases.text_tables import numbers, read_fields, read_table

Opener = Callable[[str], tuple[bytes, Origin] | None]  # content and origin of a file, by its name

SEGMENTS = {"SYS": "system", "SID": "segment", "RAW.SCR": "raw", "Z.SCR": "z", "N": "judgements"}
SYSTEMS = {"SYS": "system", "RAW.SCR": "raw", "Z.SCR": "z", "N": "segments", "N.ALL": "judgements"}
CLUSTERS = {
    "SYSTEM": "system",
    "WINS": "wins",
    "TOTAL": "total",
    "CLUSTER_START": "cluster_start",
    "CLUSTER_END": "cluster_end",
    "END_OF_CLUSTER": "end_of_cluster",
}
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
    """Read `ad-sys-ranking-XX-YY-{z,raw}.csv`: best first; two and three digits.

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
        system, wins (systems significantly worse), total (systems), cluster_start, cluster_end
        (the ranks that the cluster spans), end_of_cluster (whether a line is drawn below).
    """
    table = read_table(data, ["SRC", "TRG", *CLUSTERS], origin).rename(columns=CLUSTERS)
    source, _, target = language_pair.partition("-")
    table = table[(table["SRC"] == source) & (table["TRG"] == target)].reset_index(drop=True)
    if table.empty:
        raise origin.refuse(None, f"no {language_pair}")
    ends = (table.pop("end_of_cluster") == "True").to_numpy()
    return _typed(table.drop(columns=["SRC", "TRG"]), origin).assign(end_of_cluster=ends)


def _read_matrix(data: bytes, origin: Origin) -> pd.DataFrame:
    """A square table of words, named on both sides."""
    names, *rows = read_fields(data, origin) or [[]]
    if [row[0] for row in rows] != names or any(len(row) != len(names) + 1 for row in rows):
        raise origin.refuse(None, "expected a matrix with the same systems in rows and columns")
    return pd.DataFrame([row[1:] for row in rows], index=names, columns=names)


def read_differences(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `ad-DA-diff-wilcoxon-rs-XXYY.csv`.

    Returns
    -------
    DataFrame
        system_1, system_2, difference (of mean z-scores, first minus second, two digits), stars
        (1, 2, 3 for p < 0.05, 0.01, 0.001 that the first is better), for every ordered pair.
    """
    matrix = _read_matrix(data, origin)
    rows = []
    for one, two in itertools.permutations(matrix.columns, 2):
        value = matrix.loc[one, two]
        if (found := re.fullmatch(r"(-?\d+(?:\.\d+)?)(\*{0,3})", value)) is None:
            raise origin.refuse(None, f"{one} and {two}: {value!r}; expected a number and stars")
        rows.append((one, two, float(found[1]), len(found[2])))
    return pd.DataFrame(rows, columns=["system_1", "system_2", "difference", "stars"])


def read_p_values(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read `adwilcox-XXYY.csv`: p that the system of the row is better than that of the column.

    Returns
    -------
    DataFrame, shape (systems, systems)
        0.12 stands for everything that is not significant, the diagonal included. Systems that
        are named by their file (`newstest2020.en-de.OPPO.1535.sgm`) have it taken off.
    """
    matrix = _read_matrix(data, origin)
    try:
        matrix = matrix.astype(np.float64)
    except ValueError as error:
        raise origin.refuse(None, f"expected numbers ({error})") from None
    names = [re.sub(r"^newstest\d+\.\w\w-\w\w\.(.+)\.sgm$", r"\1", n) for n in matrix.columns]
    return matrix.set_axis(names, axis=0).set_axis(names, axis=1)


# --- by the name of the outcome ------------------------------------------------------------------

FILES = {
    "z": "ad-sys-ranking-{pair}-z.csv",
    "raw": "ad-sys-ranking-{pair}-raw.csv",
    "systems": "ad-sys-scores-{pair}.csv",
    "clusters": "clusters.csv",
    "differences": "ad-DA-diff-wilcoxon-rs-{code}.csv",
    "p-values": "adwilcox-{code}.csv",
}


def file_name(language_pair: str, outcome: str) -> str:
    """Name of the file of an official outcome; see `assessment_releases.load_official`.

    Raises
    ------
    DataError
        The outcome is unknown.
    """
    if outcome not in FILES:
        raise DataError(f"no outcome {outcome!r}; expected one of {', '.join(FILES)}")
    return FILES[outcome].format(pair=language_pair, code=language_pair.replace("-", ""))


def read_outcome(language_pair: str, outcome: str, open_file: Opener) -> pd.DataFrame:
    """An official outcome; see `assessment_releases.load_official`."""
    if (opened := open_file(file_name(language_pair, outcome))) is None:
        raise DataUnavailable(f"{language_pair}: no {outcome!r} is public")
    data, origin = opened
    if outcome == "clusters":
        return read_clusters(data, language_pair, origin)
    if outcome == "systems":
        return read_means(data, SYSTEMS, origin)
    readers = {"differences": read_differences, "p-values": read_p_values}
    return readers.get(outcome, read_ranking)(data, origin)
